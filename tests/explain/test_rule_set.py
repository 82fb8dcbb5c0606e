"""Sets of explanations: a mapping, a classifier with a stated policy, a file that is read back exactly."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.concepts import Above, AtMost, Flag, OneOf, Vocabulary
from logiclens.errors import InputError, UnknownColumnError, UnknownConceptError, UnknownTargetError
from logiclens.evaluation import evaluate
from logiclens.explain import Explanation, ExplanationSet, Resolution, Rule, Step, load_rules
from logiclens.logic import FALSE, TRUE, Var, parse_formula
from tests.explain.strategies import explanation_sets
from tests.strategies import all_rows

NAMES = ["wings", "fins", "fur"]
X = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]])


def rules_of(formulas: dict, names=NAMES, **settings) -> ExplanationSet:
    found = [
        Explanation(Rule(label, parse_formula(f) if isinstance(f, str) else f))
        for label, f in formulas.items()
    ]
    return ExplanationSet(found, names, **settings)


def animals(**settings) -> ExplanationSet:
    return rules_of({"bird": "wings", "fish": "fins & ~fur"}, **settings)


FISH_FIRST = [Step("fish", Var("fins") & ~Var("fur")), Step("bird", Var("wings"))]


# --- a mapping ----------------------------------------------------------------------------------------


def test_it_is_a_mapping_in_class_order():
    rules = animals()

    assert isinstance(rules, Mapping)
    assert list(rules) == ["bird", "fish"]
    assert len(rules) == 2
    assert rules["fish"].formula == parse_formula("fins & ~fur")
    assert [label for label, found in rules.items() if found.target == label] == ["bird", "fish"]
    assert "bird" in rules
    assert "cat" not in rules
    assert rules.get("cat") is None
    assert (rules.labels, rules.concept_names) == (("bird", "fish"), ("wings", "fins", "fur"))
    assert rules.formulas == {"bird": Var("wings"), "fish": Var("fins") & ~Var("fur")}
    assert rules.complexity == 1.5
    assert rules.literals == 3
    assert str(rules) == "if wings(x) then bird\nelse if fins(x) & ~fur(x) then fish\notherwise bird"
    assert repr(rules) == str(rules)


@pytest.mark.parametrize(
    ("labels", "asked"), [(["bird", "fish"], "birds"), ([1, 2], "2"), (["1"], 1), (["a"], ["a"])]
)
def test_an_unknown_label(labels, asked):
    rules = rules_of(dict.fromkeys(labels, "fur"))
    with pytest.raises(UnknownTargetError) as caught:
        rules[asked]

    assert isinstance(caught.value, KeyError)


@pytest.mark.parametrize(
    ("labels", "asked"), [([1, 2], np.int64(2)), (["a", "b"], np.str_("b")), ([False, True], np.True_)]
)
def test_scalars_of_numpy_find_their_label(labels, asked):
    assert rules_of(dict.fromkeys(labels, "fur"))[asked].target == labels[1]


# --- firing -------------------------------------------------------------------------------------------


@given(explanation_sets(), st.integers(0, 3))
def test_fired_says_what_each_explanation_says(rules, n_rows):
    rows = all_rows(len(rules.concept_names))[: 2**n_rows]
    each = [found.evaluate(rows, rules.concept_names) for found in rules.values()]

    assert np.array_equal(rules.fired(rows), np.stack(each, axis=1))


def frames():
    columns = dict(zip(NAMES, X.T, strict=True))
    swapped = {"more": ["text"] * 5, **{name: columns[name] for name in reversed(NAMES)}}
    return [
        ("array", X),
        ("lists", X.tolist()),
        ("mapping", {name: columns[name] for name in reversed(NAMES)}),
        ("pandas", pd.DataFrame(swapped)),
        ("polars", pl.DataFrame(swapped)),
        ("lazy", pl.LazyFrame(swapped)),
        ("without unused", pd.DataFrame(columns)),
    ]


@pytest.mark.parametrize("data", [data for _, data in frames()], ids=[name for name, _ in frames()])
def test_swapped_and_extra_columns_change_nothing(data):
    rules = animals(default="bird", steps=FISH_FIRST)

    assert np.array_equal(rules.fired(data), rules.fired(X))
    assert rules.predict(data).tolist() == ["bird", "fish", "fish", "bird", "bird"]
    assert rules.decided_by(data).tolist() == [1, 0, 0, 2, 1]
    assert rules.coverage_counts(data) == Resolution(5, {"fish": 2, "bird": 2}, 1)


def test_an_array_may_come_with_names_of_its_own():
    rules = animals()

    assert np.array_equal(rules.fired(X[:, ::-1], names=NAMES[::-1]), rules.fired(X))


def test_the_threshold_is_passed_on():
    rules = rules_of({"bird": "wings", "rest": "~wings"})

    assert rules.predict([[0.4, 0, 0]]).tolist() == ["rest"]
    assert rules.predict([[0.4, 0, 0]], threshold=0.3).tolist() == ["bird"]
    assert rules.score([[0.4, 0, 0]], ["bird"], threshold=0.3) == 1.0
    assert rules.coverage_counts([[0.4, 0, 0]], threshold=0.3).n_decided == 1


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (X[:, :2], InputError, "The array has 2 columns; these rules are about 3 concepts."),
        ({"wings": [1], "fin": [1], "fur": [1]}, UnknownConceptError, "'fins'"),
        ([[1, 0, 7]], InputError, "Column 'fur' has the value 7"),
    ],
)
def test_data_that_cannot_be_read(data, kind, message):
    with pytest.raises(kind) as caught:
        animals().predict(data)

    assert message in str(caught.value)


# --- the list ---------------------------------------------------------------------------------------


def test_the_first_step_that_is_true_decides():
    assert animals().predict(X[2:3]).tolist() == ["bird"]
    assert animals(steps=FISH_FIRST).predict(X[2:3]).tolist() == ["fish"]
    assert animals(steps=[Step("fish", Var("fur"))], default="bird").predict(X).tolist() == [
        *["bird"] * 3,
        *["fish"] * 2,
    ]


def test_without_steps_there_is_one_for_each_rule_in_the_order_given():
    assert animals().steps == (Step("bird", Var("wings")), Step("fish", Var("fins") & ~Var("fur")))
    assert rules_of({"all": FALSE, "some": "wings"}).steps == (Step("some", Var("wings")),)
    assert animals(steps=[]).steps == ()


def test_formulas_and_steps_may_differ():
    """A rule says what the list says of its class alone; it is the steps that decide."""
    rules = rules_of(
        {"bird": "wings", "fish": "fins & ~wings"}, steps=[Step("bird", Var("wings"))], default="fish"
    )

    assert rules.formulas["fish"] == parse_formula("fins & ~wings")
    assert rules.fired([[0, 0, 0]]).tolist() == [[False, False]]
    assert rules.predict([[0, 0, 0]]).tolist() == ["fish"]
    assert (rules.concepts, rules.literals, rules.complexity) == (("wings",), 1, 1.5)
    assert rules.predict({"wings": [1, 0]}).tolist() == ["bird", "fish"]  # nothing else is looked at


@pytest.mark.parametrize("default", ["bird", "fish"])
def test_where_no_step_is_true_the_default_decides(default):
    assert animals(default=default).predict(X[3:4]).tolist() == [default]


def test_without_a_default_the_largest_support_is_taken():
    found = [
        Explanation(Rule(label, FALSE), support=weight) for label, weight in [("a", 3), ("b", 5), ("c", 5)]
    ]

    assert ExplanationSet(found, []).default == "b"


def test_the_rows_are_counted():
    assert animals().coverage_counts(X) == Resolution(5, {"bird": 3, "fish": 1}, 1)
    assert animals().coverage_counts(X[:0]) == Resolution(0, {"bird": 0, "fish": 0}, 0)


@given(explanation_sets(), st.integers(0, 2**20))
def test_the_list_row_by_row(rules, seed):
    """Against the list as it is read for a single row."""
    rows = np.random.default_rng(seed).random((6, len(rules.concept_names))) > 0.5
    predicted, counts = rules.predict(rows), rules.coverage_counts(rows)
    assert counts.n_decided + counts.n_uncovered == counts.n_rows == 6
    if rules.multi_label:
        fired = rules.fired(rows)
        assert np.array_equal(predicted, fired)
        assert counts.n_uncovered == sum(not any(row) for row in fired)
        return
    for row, answer in zip(rows, predicted.tolist(), strict=True):
        true = (step.label for step in rules.steps if step.formula.evaluate([row], rules.concept_names)[0])
        assert answer == next(true, rules.default)
    assert sum(counts.by_label.values()) == counts.n_decided


@pytest.mark.parametrize(
    ("labels", "kind"),
    [(["a", "long one"], "U"), ([3, -1], "i"), ([False, True], "b"), ([0.5, 2.0], "f"), (["a", "b\0"], "O")],
)
def test_predictions_have_the_type_of_the_labels(labels, kind):
    rules = rules_of({labels[0]: "wings", labels[1]: "~wings"})
    predicted = rules.predict(X)

    assert predicted.dtype.kind == kind
    assert predicted.tolist() == [labels[0], labels[1], labels[0], labels[1], labels[0]]
    assert type(predicted.tolist()[0]) is type(labels[0])
    assert rules.predict(X[:0]).dtype == predicted.dtype
    assert rules.score(X, predicted) == 1.0
    assert rules.score(X, pd.Series(predicted[::-1])) == 1.0
    assert rules.score(X, np.roll(predicted, 1)) == 0.2


def test_score_is_plain_accuracy():
    rules = animals(default="bird")

    assert rules.score(X, ["bird", "fish", "bird", "cat", "cat"]) == 0.6


def test_constants_fire_always_and_never():
    rules = rules_of({"all": TRUE, "none": FALSE}, default="none")

    assert rules.predict(X).tolist() == ["all"] * 5
    assert rules.coverage_counts(X) == Resolution(5, {"all": 5}, 0)


def test_multi_label():
    rules = animals(multi_label=True)

    assert rules.default is None
    assert rules.predict(X).tolist() == [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0]]
    assert rules.predict(X).dtype == np.int64
    assert rules.coverage_counts(X) == Resolution(5, {"bird": 3, "fish": 2}, 1)
    assert rules.score(X, [[1, 0], [0, 1], [0, 1], [0, 0], [1, 1]]) == 0.6
    truth = pd.DataFrame({"fish": [0, 1, 1, 0, 1], "bird": [1, 0, 0, 0, 1]})
    assert rules.score(X, truth) == 0.6


def test_a_score_needs_rows():
    with pytest.raises(InputError, match="at least one row"):
        animals().score(X[:0], [])


# --- rules stay with their label ----------------------------------------------------------------------


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 0, 1], [1, 2, 0]])
@pytest.mark.parametrize("labels", [[0, 1, 2], ["a", "red", "red_wing"], [2.5, 0.5, 1.5]])
def test_every_rule_stays_with_its_own_target(labels, order, tmp_path: Path):
    """Numbers of clusters in another order must not give a cluster the rule of another."""
    found = [Explanation(Rule(labels[j], Var(NAMES[j]), "cluster")) for j in order]
    rules = ExplanationSet(found, NAMES, steps=[Step(labels[j], Var(NAMES[j])) for j in (2, 1, 0)])
    rules.save(tmp_path / "rules.json")

    for kept in (rules, load_rules(tmp_path / "rules.json"), pickle.loads(pickle.dumps(rules))):
        for j, label in enumerate(labels):
            assert kept[label].target == label
            assert kept[label].formula == Var(NAMES[j])
            assert kept.predict(np.eye(3)[[j]]).tolist() == [label]
            assert kept.fired(np.eye(3)[[j]])[0, kept.labels.index(label)]
        assert kept.predict([[1, 1, 1]]).tolist() == [labels[2]]


# --- what is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: ExplanationSet([], []), "at least one explanation"),
        (lambda: ExplanationSet({"bird": animals()["bird"]}, NAMES), "Got 'bird' in it"),
        (lambda: rules_of({"a": "fur", 1: "fins"}), "one type"),
        (lambda: ExplanationSet([animals()["bird"]] * 2, NAMES), "distinct"),
        (lambda: animals(names=["wings", "fin", "fur"]), "'fins'"),
        (lambda: animals(names=["wings", "fins", "fur", "fur"]), "distinct"),
        (lambda: animals(multi_label=1), "multi_label"),
        (lambda: animals(multi_label=True, default="bird"), "leave it out"),
        (lambda: animals(default="birds"), "'birds'"),
        (lambda: animals(steps=[Step("birds", TRUE)]), "'birds'"),
        (lambda: animals(steps=[Step("bird", Var("fin"))]), "'fin'"),
        (lambda: animals(steps=0.5), "sequence of Steps"),
        (lambda: animals(steps=FISH_FIRST * 2), "Two steps decide 'fish'"),
        (lambda: animals(multi_label=True, steps=FISH_FIRST), "Leave out steps="),
        (lambda: animals(multi_label=True).decided_by(X), "no list that decides"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(build, message):
    with pytest.raises(InputError) as caught:
        build()

    assert message in str(caught.value)


# --- values -------------------------------------------------------------------------------------------


@given(explanation_sets())
def test_copies_are_equal(rules):
    again = pickle.loads(pickle.dumps(rules))

    assert again == copy.deepcopy(rules) == rules
    assert hash(again) == hash(rules)
    assert list(again) == list(rules)


def test_a_set_cannot_be_changed():
    rules = animals()
    with pytest.raises(AttributeError):
        rules.default = "fish"
    with pytest.raises(TypeError):
        rules["bird"] = rules["fish"]


# --- in the words of a raw table ----------------------------------------------------------------------


WORDS = Vocabulary(
    ("name", "age", "colour"),
    (AtMost("age", 30), Above("age", 62), OneOf("colour", ("red",)), OneOf("colour", ("blue",))),
)
PEOPLE = {"name": ["x", "y", "z"], "age": [20, 70, 40], "colour": ["red", "red", "blue"]}


def people(**settings) -> ExplanationSet:
    formulas = {"young": '"age <= 30"', "old": '"age > 62" & "colour = red"'}
    return rules_of(formulas, WORDS.names, vocabulary=WORDS, default="old", **settings)


def test_rules_with_a_vocabulary_read_the_raw_table():
    rules = people()

    for rows in (
        PEOPLE,
        pd.DataFrame(PEOPLE),
        pl.DataFrame(PEOPLE)[["colour", "age"]],
        np.array([*zip(*PEOPLE.values(), strict=True)], dtype=object),
    ):
        assert rules.fired(rows).tolist() == [[True, False], [False, True], [False, False]]
        assert rules.predict(rows).tolist() == ["young", "old", "old"]
    assert rules.coverage_counts(PEOPLE).n_uncovered == 1
    assert rules.score(PEOPLE, ["young", "old", "young"]) == pytest.approx(2 / 3)
    assert str(rules) == (
        "if age(x) <= 30 then young\nelse if age(x) > 62 & colour(x) = red then old\notherwise old"
    )


def test_reading_gives_all_concepts_or_those_that_are_needed():
    rules = people()

    assert rules.read(PEOPLE).names == WORDS.names
    assert rules.read({"age": [20]}, used=["age > 62"]).column("age > 62").tolist() == [False]
    assert rules.read([[1, 0]], ["age > 62", "colour = red"]).column("age > 62").tolist() == [True]
    assert animals().read([[1, 0, 0]]).names == ("wings", "fins", "fur")
    with pytest.raises(UnknownColumnError, match="The data lack the column 'age'"):
        rules.read({"colour": ["red"]})


def test_a_vocabulary_is_that_of_the_rules_unless_another_is_given():
    bare = rules_of({"young": '"age <= 30"', "old": '"age > 62"'}, WORDS.names)
    worded = [explanation.worded(WORDS) for explanation in bare.explanations]

    assert bare.vocabulary is None
    assert ExplanationSet(worded, WORDS.names).vocabulary == WORDS
    assert ExplanationSet(bare.explanations, WORDS.names, vocabulary=WORDS)["old"].vocabulary == WORDS
    with pytest.raises(InputError, match="different vocabularies"):
        ExplanationSet([worded[0], bare.explanations[1]], WORDS.names)
    with pytest.raises(InputError, match="must be a Vocabulary"):
        ExplanationSet(bare.explanations, WORDS.names, vocabulary=3)


def test_what_is_known_rules_conflicts_out():
    assert animals().known() == ()
    assert people().known() == WORDS.given(["age <= 30", "age > 62", "colour = red"])
    assert people().conflicts() == []
    rules = rules_of(
        {"a": '"colour = red"', "b": '"colour = blue" | "age > 62"'}, WORDS.names, vocabulary=WORDS
    )
    (conflict,) = rules.conflicts()
    assert dict(conflict.witness) == {"colour = red": True, "colour = blue": False, "age > 62": True}
    assert rules.conflicts(~Var("age > 62")) == []
    assert rules.conflicts([~Var("age > 62")]) == []


def test_a_column_called_like_a_concept_is_told_apart():
    words = Vocabulary(("age > 62", "age"), (Flag("age > 62"), Above("age", 62)))
    rules = rules_of({"said": '"age > 62"', "is": '"age > 62 (2)"'}, words.names, vocabulary=words)

    assert rules.fired({"age > 62": [True, False], "age": [20, 80]}).tolist() == [
        [True, False],
        [False, True],
    ]
    assert ExplanationSet.from_json(rules.to_json()) == rules


# --- as a data frame ----------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_a_row_for_each_term(backend):
    rules = rules_of({"bird": "wings | (fins & fur)", "fish": "fins & ~fur"}, default="fish")
    found = evaluate(rules, X, ["bird", "fish", "fish", "fish", "bird"])
    frame = rules.to_frame(found.steps, backend)
    columns = (
        frame.to_pydict() if backend == "pyarrow" else {name: list(frame[name]) for name in frame.columns}
    )

    assert columns["step"] == [1, 1, 2, 3]
    assert columns["class"] == ["bird", "bird", "fish", "fish"]
    assert columns["term"] == ["wings", "fins and fur", "fins and not fur", "otherwise"]
    assert columns["literals"] == [1, 2, 2, 0]
    assert columns["precision"] == [2 / 3, 2 / 3, 1.0, 1.0]
    assert columns["coverage"] == [0.6, 0.6, 0.2, 0.2]
    held_out = replace(rules, held_out=found.held_out())
    assert list(held_out.to_frame()["precision"]) == columns["precision"]
    assert set(rules.to_frame()["precision"]) == {None}
    with pytest.raises(InputError, match="scores must have one entry for each step"):
        rules.to_frame(found.steps[:1])
    with pytest.raises(InputError, match="backend must be one of"):
        rules.to_frame(backend="numpy")


def test_a_frame_of_rules_that_are_no_list_is_about_each_rule():
    frame = rules_of({"bird": "wings", "fish": "fins | fur"}, multi_label=True).to_frame()

    assert frame["step"].isna().all()
    assert list(frame["term"]) == ["wings", "fins", "fur"]
    assert list(frame["class"]) == ["bird", "fish", "fish"]
