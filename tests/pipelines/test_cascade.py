"""Cascades: planted rules on two and three levels come back, level by level and composed."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from logiclens.concepts import ConceptEncoder
from logiclens.explain import CascadeExplanation
from logiclens.explain.rule import plain_label
from logiclens.logic import FALSE, TRUE, And, Var, equivalent, parse_formula
from logiclens.logic.normal_form import conjuncts
from logiclens.pipelines import CascadeClassifier
from tests.errors import error_of
from tests.estimators.toys import CLASSIFIERS, frame, quick
from tests.strategies import HOSTILE_NAMES, all_rows

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X = np.tile(all_rows(4), (8, 1))
FRAME = frame(X.astype(float))
a, b, c, d = X.T
MIDDLE = pd.DataFrame({"both": a & b, "one": c ^ d}).astype(float)
Y = np.where((a & b) & ~(c ^ d), "yes", "no")
PLANTED = parse_formula("a & b & ((c & d) | (~c & ~d))")


def cascade(**settings: Any) -> CascadeClassifier:
    settings = {"estimator": quick("mu", epochs=120), "random_state": 0} | settings
    return CascadeClassifier(**settings)


@pytest.fixture(scope="module")
def fitted() -> CascadeClassifier:
    return cascade().fit(FRAME, Y, levels=[MIDDLE])


# --- rules ---


def test_rules_of_each_level(fitted):
    below, above = fitted.explain_levels()

    assert equivalent(below["both"].formula, Var("a") & Var("b"))
    assert equivalent(below["one"].formula, parse_formula("(c & ~d) | (~c & d)"))
    assert equivalent(above["yes"].formula, Var("both") & ~Var("one"))
    assert equivalent(above["no"].formula, ~Var("both") | Var("one"))


def test_composed_rules_are_the_planted_ones(fitted):
    """Before and after they are minimized, as every tuple occurs."""
    assert equivalent(fitted.composed_["yes"], PLANTED)
    assert equivalent(fitted.explain()["yes"].formula, PLANTED)
    assert equivalent(fitted.explain()["no"].formula, ~PLANTED)
    assert fitted.explain()["yes"].complexity == 8
    assert fitted.explain().score(FRAME, Y) == 1.0
    scores = fitted.explain()["yes"].scores
    assert (scores.fidelity, scores.accuracy, scores.n_rows) == (1.0, 1.0, len(X))


def test_composed_rules_are_minimized_on_the_data():
    """Where c and d never differ, nothing is to be said about them."""
    same = ~(c ^ d)
    fitted = cascade().fit(FRAME[same], Y[same], levels=[MIDDLE[same]])

    assert equivalent(fitted.explain()["yes"].formula, Var("a") & Var("b"))


def test_rules_on_other_rows(fitted):
    same = ~(c ^ d)

    assert equivalent(fitted.explain(FRAME[same], Y[same])["yes"].formula, Var("a") & Var("b"))
    assert equivalent(fitted.explain(FRAME)["yes"].formula, PLANTED)


def test_max_literals_limits_composed_rules():
    fitted = cascade(max_literals=5).fit(FRAME, Y, levels=[MIDDLE])

    assert fitted.explain().literals == 4
    assert fitted.explain()["yes"].scores.fidelity == 15 / 16
    assert equivalent(fitted.composed_["yes"], PLANTED)


def test_rules_of_every_length(fitted):
    lengths = [point.literals for point in fitted.front_]

    assert lengths == sorted(set(lengths))
    assert fitted.front_.rules() == fitted.explain()
    assert fitted.explain(literals=4).literals == fitted.explain(FRAME, Y, literals=4).literals == 4


@pytest.mark.parametrize("kind", ["psi", "relu", "entropy"])
def test_every_network(kind):
    assert kind in CLASSIFIERS
    conjunction = pd.DataFrame({"both": a & b, "other": c}).astype(float)
    fitted = cascade(estimator=quick(kind, epochs=100)).fit(FRAME, a & b & ~c, levels=[conjunction])

    assert equivalent(fitted.explain()[True].formula, parse_formula("a & b & ~c"))


def test_three_levels_with_names_that_return():
    """A concept of the second level is called like one of the first, and means another thing."""
    second = pd.DataFrame({"a": b, "e": c | d}).astype(float)
    third = pd.DataFrame({"f": second["a"] * second["e"], "a": second["a"]})
    fitted = cascade().fit(FRAME, third["f"] > 0, levels=[second, dict(third)])

    assert fitted.level_names_ == (("a", "b", "c", "d"), ("a", "e"), ("f", "a"))
    assert len(fitted.explain_levels()) == len(fitted.estimators_) == 3
    assert equivalent(fitted.explain()[True].formula, parse_formula("b & (c | d)"))
    assert [table.shape[1] for table in fitted.predict_levels(FRAME)] == [2, 2, 2]


def test_hostile_names_on_every_level():
    low, high = list(HOSTILE_NAMES[20:24]), list(HOSTILE_NAMES[8:10])
    fitted = cascade().fit(
        pd.DataFrame(X.astype(float), columns=low), Y, levels=[MIDDLE.set_axis(high, axis=1)]
    )
    names = dict(zip("abcd", low, strict=True))

    assert fitted.explain()["yes"].formula.concepts == tuple(sorted(names.values()))
    assert list(fitted.explain_levels()[0]) == high


def test_without_levels_it_is_one_len():
    model, fitted = quick().fit(FRAME, a & b), cascade(estimator=quick()).fit(FRAME, a & b)

    assert fitted.explain() == model.explain()
    assert fitted.explain(FRAME) == model.explain(FRAME)
    assert (fitted.predict_proba(FRAME) == model.predict_proba(FRAME)).all()
    assert len(fitted.explain_levels()) == 1


def test_implications_of_the_classes():
    """The rules of concepts are equivalences all the same."""
    either = np.where((a & b) | (c ^ d), "yes", "no")
    fitted = cascade(estimator=quick("mu", rule="only_if", epochs=120)).fit(FRAME, either, levels=[MIDDLE])

    assert {rule.kind for rule in fitted.explain().values()} == {"only_if"}
    assert {rule.kind for rule in fitted.explain_levels()[0].values()} == {"iff"}
    assert equivalent(fitted.explain()["yes"].formula, parse_formula("(a & b) | (c & ~d) | (~c & d)"))


def test_constant_concepts_and_classes():
    """What is always or never so is put into the rules above as TRUE or FALSE."""
    level = MIDDLE.assign(always=1.0, never=0.0)
    fitted = cascade().fit(FRAME, Y, levels=[level])
    rules = fitted.explain_levels()[0]

    assert (rules["always"].formula, rules["never"].formula) == (TRUE, FALSE)
    assert equivalent(fitted.explain()["yes"].formula, PLANTED)


def test_several_labels_a_row():
    table = pd.DataFrame({"yes": Y == "yes", "b": a & b}).astype(int)
    fitted = cascade().fit(FRAME, table, levels=[MIDDLE])

    assert fitted.predict(FRAME).tolist() == table.to_numpy().tolist()
    assert equivalent(fitted.explain()["b"].formula, Var("a") & Var("b"))
    assert fitted.explain().multi_label


def test_a_classifier_for_each_level():
    """Only the first level is encoded."""
    each = [quick("psi", encoder="auto"), quick("mu", encoder="auto")]
    fitted = cascade(estimator=each).fit(FRAME, a & b, levels=[MIDDLE])

    assert [type(level).__name__ for level in fitted.estimators_] == ["PsiClassifier", "MuClassifier"]
    assert [level.encoder for level in fitted.estimators_] == ["auto", None]
    assert not any(level in each for level in fitted.estimators_)
    assert equivalent(fitted.explain_levels()[1][True].formula, Var("both"))


# --- one row ---


def holds(formula, level, row):
    """Whether a formula is true of one row of a level's predictions."""
    return bool(formula.evaluate({name: [value] for name, value in zip(level, row, strict=True)})[0])


def check_every_level(fitted, data, n_rows):
    """What explanations of the first rows promise, at each level and composed; returns the explanations."""
    scores = fitted.predict_levels(data)[:-1]
    x, decided = data.to_numpy(), fitted.decide(data)
    labels = [plain_label(label) for label in fitted.classes_]
    found = []
    for at in range(n_rows):
        why = fitted.explain_sample(data[at : at + 1])
        tuples = [x[at], *(level[at] for level in scores)]
        names = fitted.level_names_
        assert len(why.levels) == len(fitted.estimators_)
        needed = {why.target}
        for level, (reasons, row) in reversed(list(enumerate(zip(why.levels, tuples, strict=True)))):
            assert {each.target for each in reasons} == needed
            for each in reasons:
                true = (
                    level + 1 == len(tuples) or tuples[level + 1][names[level + 1].index(each.target)] > 0.5
                )
                assert each.kind == ("only_if" if true else "if")
                assert holds(each.formula, names[level], row) == true
            needed = {name for each in reasons for name in each.concepts}
        covered = why.evaluate(dict(zip(names[0], x.T, strict=True)))
        predicted = decided[:, labels.index(why.target)]
        assert covered[at]
        assert predicted[at]
        assert predicted[covered].all()
        assert why.scores.fidelity == 1.0
        assert why.scores.coverage == pytest.approx(covered.mean())
        for literal in conjuncts(why.formula):  # none can be spared
            rest = And.of([each for each in conjuncts(why.formula) if each != literal])
            others = rest.evaluate(dict(zip(names[0], x.T, strict=True)))
            assert why.formula == TRUE or not predicted[others].all()
        found.append(why)
    return found


@pytest.mark.parametrize("train_on", ["concepts", "predictions"])
def test_one_row_is_explained_through_all_levels(train_on):
    found = check_every_level(cascade(train_on=train_on).fit(FRAME, Y, levels=[MIDDLE]), FRAME, 16)

    for why, label in zip(found, Y, strict=False):
        if label == "yes":  # all that the levels say, in terms of the first
            assert why.concepts == ("a", "b", "c", "d")


def test_a_row_that_is_hard_for_a_level():
    """A concept cannot be told from the row: the composed reason is enough for the cascade all the same."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.random((200, 6)) < 0.5, columns=list("abcdef")).astype(float)
    level = pd.DataFrame({"p": rows["a"] * rows["b"], "q": 1.0 * (rng.random(200) < 0.5), "r": rows["e"]})
    y = np.where(level["p"] + level["q"] * level["r"] > 0, "yes", "no")
    fitted = cascade().fit(rows, y, levels=[level])

    check_every_level(fitted, rows, 25)


def test_three_levels_of_reasons():
    second = pd.DataFrame({"a": b, "e": c | d}).astype(float)
    third = pd.DataFrame({"f": second["a"] * second["e"], "a": second["a"]})
    fitted = cascade().fit(FRAME, third["f"] > 0, levels=[second, dict(third)])

    found = check_every_level(fitted, FRAME, 16)

    yes = found[int(np.flatnonzero(third["f"])[0])]
    assert str(yes).splitlines()[1:] == [
        "  level 4: forall x: f(x) -> True(x)",
        "  level 3: forall x: (a(x) & e(x)) -> f(x)",
        *(f"  level 2: {each}" for each in yes.levels[0]),
    ]


def test_reasons_print_and_come_back_from_json(fitted):
    why = fitted.explain_sample(FRAME[15:16])

    assert CascadeExplanation.from_json(why.to_json()) == why
    assert why.levels[-1][0].target == why.target == Y[15]
    assert str(why).startswith(f"{why.rule}\n  level 3: ")
    assert why.to_sentence().count("\n") == str(why).count("\n") == 1 + len(why.levels[0])
    assert why.to_markdown().count("level 2: ") == len(why.levels[0])
    assert why._repr_html_().count("Level 2: ") == len(why.levels[0])


def test_reasons_of_a_raw_table_are_worded_in_its_columns():
    rng = np.random.default_rng(0)
    raw = pd.DataFrame({"age": rng.integers(20, 80, 300), "sex": rng.choice(["f", "m"], 300)})
    level = pd.DataFrame({"old": raw["age"] > 50, "woman": raw["sex"] == "f"}).astype(float)
    y = np.where((level["old"] > 0) & (level["woman"] > 0), "yes", "no")
    fitted = cascade().fit(raw, y, levels=[level])
    row = raw[y == "yes"].iloc[[0]]

    why = fitted.explain_sample(row)

    assert why.vocabulary is not None
    assert "age(x) > 50" in str(why)
    assert why.evaluate(raw).tolist() == (y == "yes").tolist()
    assert all(each.vocabulary is not None for each in why.levels[0])
    assert CascadeExplanation.from_json(why.to_json()) == why


def test_one_level_gives_the_reason_of_a_len():
    model, fitted = quick().fit(FRAME, a & b), cascade(estimator=quick()).fit(FRAME, a & b)

    why = fitted.explain_sample(FRAME[:1])

    assert why.levels == ((model.explain_sample(FRAME[:1]),),)
    assert why.rule == model.explain_sample(FRAME[:1]).rule


def test_of_several_labels_one_is_asked_for():
    table = pd.DataFrame({"yes": Y == "yes", "b": a & b}).astype(int)
    fitted = cascade().fit(FRAME, table, levels=[MIDDLE])
    row = FRAME[Y == "yes"].iloc[[0]]

    assert fitted.explain_sample(row, "b").concepts == ("a", "b")
    assert error_of(lambda: fitted.explain_sample(row)).startswith("The network says yes to 2 targets")


def test_what_several_rows_have_in_common(fitted):
    """True of all of them that are the target, and of no row that is not, through all levels."""
    some = FRAME[a & c]

    for label in ("yes", "no"):
        found = fitted.explain_set(some, label)
        assert found.evaluate(some)[Y[a & c] == label].all()
        assert not found.evaluate(FRAME)[Y != label].any()
    assert equivalent(fitted.explain_set(some, "yes").formula, parse_formula("a & b & c & d"))
    assert error_of(lambda: fitted.explain_set(FRAME[~a], "yes")).startswith(
        "The network says no to 'yes' on"
    )


def test_rows_that_cannot_be_explained(fitted):
    assert error_of(lambda: fitted.explain_sample(FRAME[:2])).startswith("explain_sample explains one row.")
    no = FRAME[Y == "no"].iloc[[0]]
    assert error_of(lambda: fitted.explain_sample(no, "yes")).startswith("The network says no to 'yes'")
    with pytest.raises(NotFittedError):
        cascade().explain_sample(no)


# --- predicting ---


def test_predictions(fitted):
    assert (fitted.predict(FRAME) == Y).all()
    assert fitted.score(FRAME, Y) == 1.0
    assert fitted.classes_.tolist() == ["no", "yes"]
    assert ((fitted.predict_proba(FRAME)[:, 1] > 0.5) == (Y == "yes")).all()
    assert (fitted.decide(FRAME)[:, 1] == (Y == "yes")).all()
    assert ((fitted.predict_levels(FRAME)[0] > 0.5) == MIDDLE.to_numpy()).all()


def test_a_level_of_one_concept_and_of_arrays():
    fitted = cascade().fit(X, a & b, levels=[(a & b)[:, None]])

    assert fitted.level_names_ == (("x0", "x1", "x2", "x3"), ("c2_0",))
    assert fitted.predict_levels(X)[0].shape == (len(X), 1)
    assert equivalent(fitted.explain()[True].formula, Var("x0") & Var("x1"))


def test_what_the_next_level_learns_from():
    """The second level's only concept cannot be predicted; its true value decides the class.

    A level that learns from the truth says so. One that learns from predictions knows better.
    """
    coin = np.random.default_rng(0).random(len(X)) < 0.5
    level = pd.DataFrame({"coin": coin, "both": a & b}).astype(float)
    found = {
        how: cascade(train_on=how).fit(FRAME, coin, levels=[level]).explain_levels()[1][True].formula
        for how in ("concepts", "predictions")
    }

    assert found["concepts"] == Var("coin")
    assert found["predictions"] != Var("coin")


def test_predictions_are_learnt_from_with_weights():
    weight = np.where(d, 0.0, 1.0)
    estimator = quick("mu", epochs=120, restarts=3)  # which hold out every row once
    fitted = cascade(estimator=estimator, train_on="predictions", n_folds=2).fit(FRAME, Y, [MIDDLE], weight)

    assert equivalent(fitted.explain()["yes"].formula, parse_formula("a & b & ~c"))


def test_rows_of_weight_zero_have_no_say():
    wrong = np.where(d, "no", Y)
    estimator = quick("mu", epochs=120, restarts=3)
    fitted = cascade(estimator=estimator).fit(FRAME, wrong, [MIDDLE], np.where(d, 0.0, 1.0))

    assert equivalent(fitted.explain()["yes"].formula, parse_formula("a & b & ~c"))
    assert fitted.explain()["yes"].scores.n_rows == len(X) // 2


# --- intervening ---


def test_a_concept_set_by_hand_flips_what_it_must(fitted):
    found = fitted.intervene(FRAME, 2, {"one": 0})

    assert (found.predictions_before == Y).all()
    assert (found.predictions_after == np.where(a & b, "yes", "no")).all()
    assert (found.changed == (a & b & (c ^ d))).all()
    assert (found.fired_after[:, 1] == (a & b)).all()
    assert (found.fired_before[:, 1] == (Y == "yes")).all()
    assert found.concept_names == ("both", "one")


def test_a_concept_of_the_first_level_goes_all_the_way(fitted):
    found = fitted.intervene(FRAME, 1, {"a": 1.0, "c": d.astype(float)})

    assert (found.predictions_after == np.where(b, "yes", "no")).all()
    assert (found.concepts_after[:, 0] == 1).all()


def test_intervening_without_levels():
    fitted = cascade(estimator=quick()).fit(FRAME, a & b)

    assert fitted.intervene(FRAME, 1, {"a": 1}).predictions_after.tolist() == b.tolist()


# --- raw tables ---


def test_the_first_level_may_be_a_raw_table():
    rng = np.random.default_rng(0)
    raw = pd.DataFrame({"age": rng.integers(20, 80, 300), "sex": rng.choice(["f", "m"], 300)})
    old, female = raw["age"] > 50, raw["sex"] == "f"
    level = pd.DataFrame({"at risk": old & female, "young": ~old}).astype(float)
    y = np.where(level["at risk"] > 0, "treat", "wait")
    fitted = CascadeClassifier(random_state=0).fit(raw, y, levels=[level])
    rules = fitted.explain()

    assert rules.score(raw, y) > 0.99
    assert "age" in str(rules["treat"])
    assert (fitted.predict(raw) == y).mean() > 0.99
    assert (fitted.intervene(raw, 2, {"at risk": 1}).predictions_after == "treat").all()
    assert fitted.intervene(raw, 1, {}).predictions_after.tolist() == fitted.predict(raw).tolist()


def test_concepts_of_a_column_are_only_set_as_a_row_can_have_them():
    raw = pd.DataFrame({"age": np.tile([30, 50, 70], 20)})
    level = pd.DataFrame({"grown": raw["age"] > 40, "old": raw["age"] > 60}).astype(float)
    encoder = ConceptEncoder(cuts={"age": [40, 60]})
    fitted = cascade(estimator=quick("mu", epochs=120, encoder=encoder)).fit(raw, raw["age"] > 60, [level])

    assert fitted.level_names_[0] == ("age > 40", "age > 60")
    assert "No value of the column 'age' has the concepts that row" in error_of(
        fitted.intervene, raw[1:3], 1, {"age > 40": 0}
    )
    assert not fitted.intervene(raw, 1, {"age > 40": 0, "age > 60": 0}).predictions_after.any()
    assert fitted.intervene(raw, 1, {"age > 40": 1, "age > 60": 1}).predictions_after.all()


# --- a meta-estimator ---


def test_cloned_and_copied(fitted):
    copied = pickle.loads(pickle.dumps(fitted))

    assert (copied.predict(FRAME) == fitted.predict(FRAME)).all()
    assert clone(fitted).get_params()["estimator__epochs"] == 120
    assert is_classifier(fitted)
    assert clone(fitted).set_params(estimator__epochs=3).estimator.epochs == 3


def test_fitting_leaves_the_estimator_alone():
    estimator = quick("mu", rule="only_if", epochs=5)
    cascade(estimator=estimator).fit(FRAME, Y, levels=[MIDDLE])

    assert not hasattr(estimator, "network_")
    assert estimator.rule == "only_if"


def test_the_same_seed_gives_the_same_rules():
    noise = np.random.default_rng(0).random((60, 5))
    level = (noise[:, :2] > 0.4).astype(float)
    twice = [
        CascadeClassifier(quick("mu", epochs=10), train_on="predictions", n_folds=2, random_state=0)
        .fit(noise, noise[:, 4] > 0.5, [level])
        .explain()
        for _ in range(2)
    ]

    assert twice[0] == twice[1]


# --- what is refused ---


@pytest.mark.parametrize("method", ["predict", "predict_levels", "explain", "explain_levels", "decide"])
def test_unfitted(method):
    with pytest.raises(NotFittedError, match="CascadeClassifier instance is not fitted yet"):
        getattr(CascadeClassifier(), method)(*([] if method == "explain_levels" else [FRAME]))


LEVELS = "levels must be a sequence of tables, one for each level"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"train_on": "truth"}, "train_on must be 'concepts' or 'predictions'."),
        ({"n_folds": 1}, "n_folds must be a whole number of at least 2."),
        ({"max_literals": -1}, "max_literals must be a whole number of at least 0."),
        ({"train_on": "predictions", "n_folds": 200}, "train_on='predictions' needs a row for each of"),
        ({"estimator": "mu"}, "A cascade is made of classifiers of this package, such"),
        ({"estimator": [quick()]}, "estimator must be one classifier, or one for each of"),
        ({"estimator": [quick("mu", rule="if"), quick()]}, "The rules of level 2 must be equivalences, or"),
        ({"levels": "ab"}, LEVELS),
        ({"levels": {"a": [0]}}, LEVELS),
        ({"levels": [np.zeros((128, 0))]}, "Level 2 has no concepts."),
        ({"levels": [MIDDLE[:5]]}, "Level 2 must have a row for each of the 128 rows of X"),
        ({"levels": [MIDDLE, MIDDLE[:7]]}, "Level 3 must have a row for each of the 128 rows of X"),
    ],
)
def test_bad_settings_and_levels(settings, message):
    settings = {"levels": [MIDDLE]} | settings
    levels = settings.pop("levels")

    assert message in error_of(cascade(**settings).fit, FRAME, Y, levels)


@pytest.mark.parametrize("level", [0, 3, True, 1.0, "2"])
def test_a_level_that_is_none(fitted, level):
    assert error_of(fitted.intervene, FRAME, level, {"one": 1}) == (
        f"level must be a whole number from 1 to 2, the last level there is. Got {level!r}."
    )


def test_no_rows_to_explain(fitted):
    assert "There are no rows to explain" in error_of(fitted.explain, FRAME[:0])
