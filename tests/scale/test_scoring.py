from __future__ import annotations

import pickle

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, f1_score, multilabel_confusion_matrix

from logiclens.concepts import Above, OneOf, Vocabulary
from logiclens.errors import EngineError, InputError, LogicLensError, UnknownColumnError
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import Var
from logiclens.metrics import explanation_accuracy, rule_scores
from logiclens.scale import scoring
from logiclens.scale.scoring import score
from tests.scale.tables import in_duckdb, in_memory
from tests.scale.test_predicting import PETS, rule_sets, rules_for
from tests.strategies import HOSTILE_NAMES, formulas

NAMES = HOSTILE_NAMES[:6]


@st.composite
def scored_rows(draw):
    """Rules, rows, weights, and labels of which some have no rule."""
    rules = draw(rule_sets().filter(lambda rules: not rules.multi_label))
    n_rows = draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    other = {str: "other", bool: True, int: 77, float: 7.5}[type(rules.labels[0])]
    labels = [*rules.labels, other]
    truth = [labels[at] for at in rng.integers(0, len(labels), n_rows)]
    truth[0] = rules.labels[0]  # scores need a label of the rules
    weight = rng.integers(0, 4, n_rows) + (np.arange(n_rows) == 0)
    return rules, rng.random((n_rows, 6)) < 0.5, truth, weight


@settings(max_examples=25, deadline=None)
@given(scored_rows(), st.booleans())
def test_scores_are_those_of_the_same_rows_in_memory(drawn, weighted):
    rules, rows, truth, weight = drawn
    table = in_memory({**dict(zip(NAMES, rows.T, strict=True)), "truth": truth, "weight": weight})
    weight = weight.astype(float) if weighted else None
    found = score(rules, table, "truth", weights="weight" if weighted else None)
    predicted = rules.predict(rows)

    assert found.n_rows == len(rows)
    assert found.resolution == rules.coverage_counts(rows)
    assert found.n_decided + found.n_uncovered == found.n_rows
    assert found.n_uncovered == found.resolution.n_uncovered
    assert found.accuracy == pytest.approx(np.average([*map(np.equal, predicted, truth)], weights=weight))
    if not weighted:
        assert found.accuracy == pytest.approx(rules.score(rows, truth))
    kept = slice(None) if weight is None else weight > 0
    texts = [[*map(repr, np.array(each, dtype=object)[kept])] for each in (truth, predicted.tolist())]
    kept_weight = None if weight is None else weight[kept]
    f1 = f1_score(*texts, average="macro", zero_division=0, sample_weight=kept_weight)
    assert found.macro_f1 == pytest.approx(f1)
    matrix = confusion_matrix(*texts, labels=[*map(repr, found.labels)], sample_weight=kept_weight)
    assert np.allclose(found.confusion, matrix)
    accuracy = explanation_accuracy(rules, rows, truth, names=NAMES, sample_weight=weight)
    assert found.explanation_accuracy == pytest.approx(accuracy.macro_f1)
    for label, scores in found.by_label.items():
        is_label = [each == label for each in truth]
        rates = rule_scores(rules[label].formula, rows, is_label, names=NAMES, sample_weight=weight)
        assert scores.macro_f1 == pytest.approx(accuracy.by_target[label].macro_f1)
        assert scores.plain == pytest.approx(accuracy.by_target[label].plain)
        assert vars(scores.rates).keys() == vars(rates).keys()
        for name, value in vars(rates).items():
            assert getattr(scores.rates, name) == pytest.approx(value, nan_ok=True)


@settings(max_examples=12, deadline=None)
@given(
    st.lists(formulas(st.sampled_from(NAMES), 6), min_size=3, max_size=3),
    st.integers(0, 2**32),
    st.booleans(),
)
def test_scores_of_several_labels_a_row(several, seed, weighted):
    rng = np.random.default_rng(seed)
    labels = ["it's", "b", 'say "hi"']
    rules = rules_for(labels, several, NAMES, multi_label=True)
    rows, truth = rng.random((20, 6)) < 0.5, rng.random((20, 3)) < 0.5
    weight = rng.random(20) if weighted else None
    columns = dict(zip(NAMES, rows.T, strict=True)) | dict(zip(labels, truth.T, strict=True))
    table = in_memory(columns | {"weight": np.ones(20) if weight is None else weight})
    found = score(rules, table, labels[::-1], weights="weight" if weighted else None)
    predicted = rules.predict(rows)

    assert found.resolution == rules.coverage_counts(rows)
    assert found.accuracy == pytest.approx(np.average((predicted == truth).all(axis=1), weights=weight))
    assert np.allclose(found.confusion, multilabel_confusion_matrix(truth, predicted, sample_weight=weight))
    agreement = explanation_accuracy(rules, rows, truth.astype(int), names=NAMES, sample_weight=weight)
    assert found.explanation_accuracy == pytest.approx(agreement.macro_f1)
    f1 = f1_score(truth, predicted, average="macro", zero_division=0, sample_weight=weight)
    assert found.macro_f1 == pytest.approx(f1)
    for at, label in enumerate(labels):
        rates = rule_scores(several[at], rows, truth[:, at], names=NAMES, sample_weight=weight)
        for name, value in vars(rates).items():
            assert getattr(found.by_label[label].rates, name) == pytest.approx(value, nan_ok=True)


def test_one_pass_of_the_engine(monkeypatch):
    asked = []
    monkeypatch.setattr(
        scoring, "fetched", lambda expression, what: asked.append(what) or expression.to_pyarrow()
    )
    score(PETS, in_memory({"wings": [True], "fins": [False], "y": ["bird"]}), "y")

    assert asked == ["Scoring the rules"]


def test_raw_tables_of_every_kind_of_label():
    words = Vocabulary(("age", "sex"), (Above("age", 62), OneOf("sex", ("m",))))
    raw = {"age": [70.0, None, float("nan"), 30.0], "sex": ["m", None, "f", "m"]}
    for labels, kind in (
        (["1", "0"], pa.string()),
        ([True, False], pa.bool_()),
        ([1, 0], pa.int8()),
        ([1, 0], pa.uint64()),
        ([1.0, 0.0], pa.float32()),
        ([1, 0], pa.decimal128(5, 2)),
    ):
        rules = rules_for(labels, [Var("age > 62"), ~Var("age > 62")], words.names, vocabulary=words)
        truth = [labels[0], labels[1], labels[1], labels[0]]
        cells = pa.array([int(each) for each in truth] if pa.types.is_decimal(kind) else truth, kind)
        found = score(rules, in_duckdb({**raw, "y": cells}), "y")

        assert (found.accuracy, found.labels) == (0.75, tuple(labels))


def test_columns_without_names_stand_beside_the_target():
    words = Vocabulary(("x0", "x1"), (Above("x1", 62),), named=False)
    rules = rules_for([1, 0], [Var("x1 > 62"), ~Var("x1 > 62")], words.names, vocabulary=words)
    table = in_memory({"y": [1, 0], "sex": ["m", "f"], "w": [1.0, 2.0], "age": [70, 30]})

    assert score(rules, table, "y", weights="w").accuracy == 1.0


def test_scores_are_printed():
    table = in_memory(
        {"wings": [1, 1, 0, 0, 0], "fins": [0, 1, 1, 0, 0], "y": ["bird", "bird", "fish", "cat", "fish"]}
    )
    found = score(PETS, table, "y")

    assert str(found) == (
        "accuracy 0.600 [0.231, 0.882], macro-F1 0.444, explanation accuracy 0.792\n"
        "5 rows: a step decides 3, the default 2\n"
        "          precision             recall                macro-F1  support\n"
        "  'bird'  1.000 [0.342, 1.000]  1.000 [0.342, 1.000]  1.000     2\n"
        "  'fish'  0.500 [0.095, 0.905]  0.500 [0.095, 0.905]  0.583     2"
    )
    assert found.labels == ("bird", "fish", "cat")


def test_many_labels_are_printed_in_part():
    rules = rules_for(range(12), [Var("a")] * 12, ["a"])
    text = str(score(rules, in_memory({"a": [True], "y": [0]}), "y"))

    assert text.endswith("\n  and 2 more")


def test_scores_can_be_pickled():
    found = score(PETS, in_memory({"wings": [True], "fins": [False], "y": ["bird"]}), "y")
    copy = pickle.loads(pickle.dumps(found))

    assert (str(copy), copy.labels, dict(copy.by_label).keys()) == (
        str(found),
        found.labels,
        {"bird", "fish"},
    )
    with pytest.raises(TypeError):
        found.by_label["bird"] = None


GOOD = {"wings": [True, False], "fins": [False, True], "y": ["bird", "fish"], "w": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": ["bird", None]}, "Column 'y' has 1 missing value."),
        ({"y": [1, 2]}, "y has labels such as 1;"),
        ({"y": pa.array([0, 1], pa.date32())}, "Labels must be text, numbers or Booleans."),
        ({"wings": [True, None]}, "Column 'wings' has 1 missing value."),
        ({"wings": [0.5, 7.0]}, "Column 'wings' has 1 value outside"),
        ({"w": [1.0, -1.0]}, "Column 'w' has 1 missing, infinite or negative weight."),
        ({"w": [float("nan"), None]}, "Column 'w' has 2 missing, infinite or negative weights."),
        ({"w": [float("inf"), 1.0]}, "Column 'w' has 1 missing, infinite or negative weight."),
        ({"w": ["x", "y"]}, "Column 'w' must hold numbers."),
        ({"w": [0, 0]}, "Scores need some weight."),
        ({"w": [1e200, 1.0]}, "The weights of 'w' add up to 1e"),
        ({"w": [1e-200, 0.0]}, "The weights of 'w' add up to 1e-200."),
    ],
    ids=lambda value: None if isinstance(value, str) else "-".join(map(str, value)),
)
def test_rows_that_cannot_be_scored(change, message):
    with pytest.raises(InputError, match=message):
        score(PETS, in_memory(GOOD | change), "y", weights="w")


def test_infinite_numbers_are_refused():
    words = Vocabulary(("age",), (Above("age", 62),))
    rules = rules_for([1, 0], [Var("age > 62"), ~Var("age > 62")], words.names, vocabulary=words)
    with pytest.raises(InputError, match="Column 'age' has 1 infinite value"):
        score(rules, in_memory({"age": [float("inf"), 1.0], "y": [1, 0]}), "y")


def test_no_rows():
    table = in_memory(pa.table(GOOD).slice(0, 0))
    with pytest.raises(InputError, match="A score needs at least one row of data"):
        score(PETS, table, "y")
    several = rules_for(["y"], [Var("wings")], ["wings"], multi_label=True)
    with pytest.raises(InputError, match="at least one row"):
        score(several, in_memory(pa.table({"wings": [True], "y": [True]}).slice(0, 0)), ["y"])


@pytest.mark.parametrize(
    ("target", "weights", "message"),
    [
        (None, None, "target must be the name of the column of true labels."),
        (["y"], None, "target must be the name of the column of true labels."),
        ("y", 3, "weights must be the name of a column."),
        ("yy", None, "The data lack the column 'yy'."),
    ],
)
def test_bad_columns(target, weights, message):
    with pytest.raises(InputError, match=message):
        score(PETS, in_memory(GOOD), target, weights=weights)


@pytest.mark.parametrize(
    ("labels", "target", "message"),
    [
        (["a", "b"], "a", "target must be a list of columns, one for each of the 2"),
        (["a", "b"], ["a"], "target has no column for the label 'b'."),
        ([0, 1], ["a"], "target must have one column for each of the 2 labels."),
    ],
)
def test_bad_columns_of_several_labels(labels, target, message):
    rules = rules_for(labels, [Var("wings")] * 2, ["wings"], multi_label=True)
    with pytest.raises(InputError, match=message):
        score(rules, in_memory({"wings": [True], "a": [True]}), target)


def test_columns_of_several_labels_that_are_no_text_stand_in_order():
    rules = rules_for([0, 1], [Var("wings"), ~Var("wings")], ["wings"], multi_label=True)
    table = in_memory({"wings": [True, False], "a": [1, 0], "b": [0, 1]})

    assert score(rules, table, ["a", "b"]).accuracy == 1.0
    assert score(rules, table, ["b", "a"]).accuracy == 0.0


def test_a_target_that_is_no_class(monkeypatch):
    monkeypatch.setattr(scoring, "MOST_LABELS", 3)
    table = in_memory({"wings": [True] * 5, "fins": [True] * 5, "y": list("abcde")})
    with pytest.raises(InputError, match="Column 'y' has more than 3 distinct values"):
        score(PETS, table, "y")


def test_an_engine_that_fails_says_so():
    table = in_duckdb(GOOD)
    table.get_backend().raw_sql("DROP TABLE t")
    with pytest.raises(EngineError, match="Scoring the rules failed:"):
        score(PETS, table, "y")
    with pytest.raises(UnknownColumnError):
        score(PETS, ibis.table({"y": "string"}, name="nowhere"), "y")


def test_fitted_estimators_are_scored_by_their_rules():
    class Fitted:
        explanations_ = PETS

    assert score(Fitted(), in_memory(GOOD), "y").accuracy == 1.0


def test_an_explanation_set_is_needed():
    rules = ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings"])

    assert score(rules, in_memory(GOOD), "y").accuracy == 0.5
    with pytest.raises(InputError, match=r"^rules must be an ExplanationSet"):
        score({"bird": Var("wings")}, in_memory(GOOD), "y")


NONSENSE = [None, 3, "", ["y"], np.zeros((2, 2)), {"y": 1}, b"y"]


@pytest.mark.parametrize("nonsense", NONSENSE, ids=lambda value: type(value).__name__)
def test_nonsense_is_refused(nonsense):
    """Each argument in turn."""
    with pytest.raises(LogicLensError):
        score(nonsense, in_memory(GOOD), "y")
    with pytest.raises(LogicLensError):
        score(PETS, nonsense, "y")
    with pytest.raises(LogicLensError):
        score(PETS, in_memory(GOOD), nonsense)
    if nonsense is not None:
        with pytest.raises(LogicLensError):
            score(PETS, in_memory(GOOD), "y", weights=nonsense)
    with pytest.raises(LogicLensError):
        score(PETS, in_memory(GOOD), "y", threshold=nonsense)
