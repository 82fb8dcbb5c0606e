from __future__ import annotations

from dataclasses import replace

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, f1_score, multilabel_confusion_matrix

from logiclens.cli.predictions import RowPredictions, needed_columns
from logiclens.concepts import Above, OneOf, Vocabulary
from logiclens.errors import EngineError, InputError, UnknownColumnError
from logiclens.evaluation import evaluate
from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.logic import Var
from logiclens.metrics import explanation_accuracy, rule_scores
from logiclens.scale import _rule_queries
from logiclens.scale._engine import fetch, rules_of
from logiclens.scale._rule_queries import predict, score
from tests.scale.tables import answers, columns, conditions, gap_values, in_duckdb, in_memory
from tests.strategies import HOSTILE_NAMES, all_rows, formulas

a, b, c = Var("a"), Var("b"), Var("c")
LABELS = {
    "text": ("it's", 'say "hi"', "${x}\\n"),
    "whole numbers": (2, -1, 2**62),
    "Booleans": (True, False),
    "numbers": (0.1, 0.30000000000000004, -2.0),
}


def rules_for(labels, formulas_, names, **settings_) -> ExplanationSet:
    several = [Explanation(Rule(label, each)) for label, each in zip(labels, formulas_, strict=False)]
    return ExplanationSet(several, names, **settings_)


PETS = rules_for(["bird", "fish"], [Var("wings"), Var("fins")], ["wings", "fins"])


@st.composite
def rule_sets(draw):
    """Rules over six hostile names, with labels of any type."""
    labels = draw(st.sampled_from(list(LABELS.values())))
    multi = draw(st.booleans())
    names = HOSTILE_NAMES[:6]
    several = [draw(formulas(st.sampled_from(names), 6)) for _ in labels]
    if multi:
        return rules_for(labels, several, names, multi_label=True)
    order = draw(st.permutations(labels))[: draw(st.integers(0, len(labels)))]
    steps = [Step(label, draw(formulas(st.sampled_from(names), 6))) for label in order]
    return rules_for(labels, several, names, default=draw(st.sampled_from(labels)), steps=steps)


@settings(max_examples=30, deadline=None)
@given(rule_sets())
def test_the_prediction_is_that_in_memory(rules):
    names = HOSTILE_NAMES[:6]
    rows = all_rows(6)
    table = in_memory(dict(zip(names, rows.T, strict=True)))
    expected = rules.predict(rows)
    found = fetch(predict(rules, table), "Asking")

    if rules.multi_label:
        ours = np.column_stack([found[f"prediction_{label}"].to_numpy() for label in rules.labels])
        assert np.array_equal(ours, expected.astype(bool))
    else:
        assert found["prediction"].to_pylist() == expected.tolist()
        assert {type(each) for each in found["prediction"].to_pylist()} == {type(rules.labels[0])}


@st.composite
def raw_rules(draw):
    """A raw table with gaps, and rules about it that know of some of them."""
    n_rows = draw(st.integers(1, 8))
    names = draw(st.lists(st.sampled_from(HOSTILE_NAMES), min_size=2, max_size=4, unique_by=str.lower))
    table = pa.table({name: draw(columns(n_rows)) for name in names})
    gaps = {name: draw(gap_values(table[name])) for name in names}
    concepts = [
        replace(draw(conditions(name, table[name])), gaps=gaps[name]) for name in names for _ in range(2)
    ]
    optional = draw(st.sets(st.sampled_from(names)))
    words = Vocabulary(tuple(names), tuple(concepts), optional=frozenset(optional))
    several = [draw(formulas(st.sampled_from(words.names), 4)) for _ in range(3)]
    multi = draw(st.booleans())
    rules = rules_for(["x", "y", "z"], several, words.names, vocabulary=words, multi_label=multi)
    return rules, table


@settings(max_examples=30, deadline=None)
@given(raw_rules())
def test_predictions_and_marks_are_those_of_the_command(drawn):
    """Raw tables of every type, with gaps that the rules know of and others."""
    rules, table = drawn
    needed = needed_columns(rules, table.column_names)
    gaps = needed.missing({name: table[name] for name in needed.types}, table.num_rows)
    data = rules.read(table, used=rules.concepts)
    expected, codes = RowPredictions(rules).of(data, gaps)
    found = fetch(predict(rules, in_memory(table), marks=True), "Asking").to_pylist()

    assert [row["mark"] for row in found] == [expected[code].mark for code in codes]
    if not rules.multi_label:
        assert [row["prediction"] for row in found] == rules.predict(table).tolist()


def test_scores_are_compared_with_the_threshold():
    table = in_memory({"wings": [0.4, 0.6, None], "fins": [0.0, 0.0, 0.0]})

    assert answers(predict(PETS, table, threshold=0.3)["prediction"]) == ["bird", "bird", "bird"]
    rules = rules_for(["bird", "fish"], [Var("wings"), ~Var("wings")], ["wings"])
    assert answers(predict(rules, table)["prediction"]) == ["fish", "bird", "fish"]


def test_missing_concepts_are_marked():
    table = in_memory({"wings": [True, None, None], "fins": [False, None, True]})
    found = fetch(predict(PETS, table, marks=True), "Asking")

    assert found["mark"].to_pylist() == ["", "default, missing", "missing"]


def test_columns_are_kept_and_nothing_is_executed():
    """A table that is not there answers when it is asked, not before."""
    table = ibis.table({"age": "float64", "sex": "string", "other": "date"}, name="nowhere")
    words = Vocabulary(("age", "sex"), (Above("age", 62), OneOf("sex", ("m",))))
    rules = rules_for([1, 0], [Var("age > 62"), Var("sex = m")], words.names, vocabulary=words)
    found = predict(rules, table, name="says", marks=True)

    assert found.columns == ("age", "sex", "other", "says", "mark")
    assert found.schema()["says"] == ibis.dtype("int64")
    assert found.schema()["mark"].is_string()


def test_a_view_of_a_database_predicts():
    table = in_duckdb({"wings": [True, False], "fins": [False, True]})
    connection = table.get_backend()
    connection.raw_sql(f"CREATE VIEW answers AS {ibis.to_sql(predict(PETS, table))}")

    assert connection.raw_sql("SELECT prediction FROM answers").fetchall() == [("bird",), ("fish",)]


def test_rules_of_an_estimator():
    class Fitted:
        explanations_ = PETS

        def fit(self):
            """Be an estimator."""

    class Bare(Fitted):
        explanations_ = None

    assert rules_of(Fitted()) is PETS is rules_of(PETS)
    with pytest.raises(InputError, match=r"^This Bare is not fitted\. Fit it first, or pass its rules\."):
        rules_of(Bare())
    for nonsense in (None, a, {"x": a}, Fitted):
        with pytest.raises(
            InputError, match=r"^rules must be an ExplanationSet or a fitted estimator\. Got "
        ):
            rules_of(nonsense)


@pytest.mark.parametrize(
    ("column", "more", "message"),
    [
        (
            "Prediction",
            {},
            "The table has a column 'Prediction' already. Pass name= for another one, or rename it.",
        ),
        ("mark", {"marks": True}, "The table has a column 'mark' already. Rename it."),
    ],
)
def test_a_column_that_is_there_already(column, more, message):
    table = in_memory({"wings": [True], "fins": [True], column: [1]})
    with pytest.raises(InputError) as caught:
        predict(PETS, table, **more)
    assert str(caught.value) == message
    assert predict(PETS, table, name="other").columns[-1] == "other"


def test_labels_that_differ_in_case_only_make_no_columns():
    rules = rules_for(["x", "X"], [a, b], ["a", "b"], multi_label=True)
    with pytest.raises(InputError, match=r"^The labels 'x' and 'X' differ in case only, and so would"):
        predict(rules, in_memory({"a": [True], "b": [True]}))


@pytest.mark.parametrize("name", ["mark", "Mark"])
def test_predictions_are_not_lost_among_the_marks(name):
    table = in_memory({"wings": [True], "fins": [False]})
    with pytest.raises(InputError) as caught:
        predict(PETS, table, name=name, marks=True)
    assert str(caught.value) == (
        f"The column 'mark' is for marks. Pass another name than {name!r}, or marks=False."
    )
    assert answers(predict(PETS, table, name=name)[name]) == ["bird"]


def test_several_labels_beside_the_marks():
    rules = rules_for(["x", "y"], [a, b], ["a", "b"], multi_label=True)
    found = predict(rules, in_memory({"a": [True], "b": [True]}), name="mark", marks=True)

    assert found.columns == ("a", "b", "mark_x", "mark_y", "mark")


def test_other_columns_must_be_carried_too():
    table = in_memory({"wings": [True], "fins": [True], "x": [1], "X": [2]})
    with pytest.raises(InputError, match=r"^'x' and 'X' are one column in DuckDB\. Rename one of the"):
        predict(PETS, table)


def test_bad_arguments():
    table = in_memory({"wings": [True], "fin": [True]})
    with pytest.raises(UnknownColumnError, match=r"^The data lack the column 'fins'\. Did you mean 'fin'"):
        predict(PETS, table)
    table = in_memory({"wings": [True], "fins": [True]})
    with pytest.raises(InputError, match=r"^name must be the name of the column to add\. Got None\.$"):
        predict(PETS, table, name=None)
    with pytest.raises(InputError, match=r"^marks must be True or False\. Got 'yes'\.$"):
        predict(PETS, table, marks="yes")
    with pytest.raises(InputError, match=r"^The threshold must be a number in \[0, 1\)\. Got 2\.$"):
        predict(PETS, table, threshold=2)


def test_rules_that_need_no_column():
    rules = rules_for([1, 0], [a & ~a, a | ~a], ["a"])
    constant = rules_for([1, 0], [Var("a") | ~Var("a")] * 2, ["a"])
    table = in_memory({"a": [True, False]})

    assert answers(predict(rules, table)["prediction"]) == [0, 0]
    assert answers(predict(constant, table)["prediction"]) == [1, 1]


def test_marks_are_spelled_as_the_command_spells_them():
    from logiclens.cli import predictions as spelled

    assert (_rule_queries.DEFAULT, _rule_queries.UNCOVERED, _rule_queries.MISSING) == (
        spelled.DEFAULT,
        spelled.UNCOVERED,
        spelled.MISSING,
    )


@pytest.mark.parametrize("name", ["self", "exprs", "mutations", 'say "hi"', "two\nlines", "größe"])
def test_the_new_column_may_be_called_anything(name):
    found = predict(PETS, in_memory({"wings": [True], "fins": [False]}), name=name)

    assert answers(found[name]) == ["bird"]


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
    expected = evaluate(rules, rows, np.array(truth, dtype=object)).steps
    assert weighted or list(map(str, found.steps)) == list(map(str, expected))
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
        given = [each == label for each in predicted.tolist()]
        by_formula = rules[label].formula.evaluate(rows, NAMES)
        said = given if rules.is_list else by_formula
        rates = rule_scores(Var("said"), {"said": said}, is_label, sample_weight=weight)
        right = np.equal(said, is_label)
        assert scores.macro_f1 == pytest.approx(accuracy.by_target[label].macro_f1)
        assert scores.plain == pytest.approx(accuracy.by_target[label].plain)
        assert scores.agreement == pytest.approx(np.average(right, weights=weight))
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
        _rule_queries, "fetch", lambda expression, what: asked.append(what) or expression.to_pyarrow()
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
        "  'bird'  0.500 [0.150, 0.850]  1.000 [0.342, 1.000]  1.000     2\n"
        "  'fish'  1.000 [0.207, 1.000]  0.500 [0.095, 0.905]  0.583     2"
    )
    assert found.labels == ("bird", "fish", "cat")


GOOD = {"wings": [True, False], "fins": [False, True], "y": ["bird", "fish"], "w": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": ["bird", None]}, "Column 'y' has 1 missing value."),
        ({"y": [1, 2]}, "y has labels such as 1;"),
        ({"y": pa.array([0, 1], pa.date32())}, "Labels must be text, numbers or Booleans."),
        ({"wings": [None, float("nan")]}, "Column 'wings' has 2 missing values."),
        ({"wings": [0.5, 7.0]}, "Column 'wings' has 1 value outside"),
        ({"w": [1.0, -1.0]}, "Column 'w' has 1 missing, infinite or negative weight."),
        ({"w": [float("nan"), None]}, "Column 'w' has 2 missing, infinite or negative weights."),
        ({"w": [float("inf"), 1.0]}, "Column 'w' has 1 missing, infinite or negative weight."),
        ({"w": ["x", "y"]}, "Column 'w' must hold numbers."),
        ({"w": [0, 0]}, "Scores need some weight."),
        ({"wings": [], "fins": [], "y": [], "w": []}, "A score needs at least one row of data"),
        ({"w": [1e200, 1.0]}, "The weights of 'w' add up to 1e"),
        ({"w": [1e-200, 0.0]}, "The weights of 'w' add up to 1e-200."),
    ],
    ids=lambda value: None if isinstance(value, str) else "-".join(map(str, value)),
)
def test_rows_that_cannot_be_scored(change, message):
    with pytest.raises(InputError, match=message):
        score(PETS, in_memory(GOOD | change), "y", weights="w")


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
        (["a"], ["a"], "A score needs at least one row of data"),
    ],
)
def test_bad_columns_of_several_labels(labels, target, message):
    rules = rules_for(labels, [Var("wings")] * 2, ["wings"], multi_label=True)
    with pytest.raises(InputError, match=message):
        score(rules, in_memory(pa.table({"wings": [True], "a": [True]}).slice(0, 0)), target)


def test_infinite_numbers_are_refused():
    words = Vocabulary(("age",), (Above("age", 62),))
    rules = rules_for([1, 0], [Var("age > 62"), ~Var("age > 62")], words.names, vocabulary=words)
    with pytest.raises(InputError, match="Column 'age' has 2 infinite values"):
        score(rules, in_memory({"age": [float("inf"), 1.0, None, -float("inf")], "y": [1, 0, 1, 0]}), "y")


def test_columns_of_several_labels_that_are_no_text_stand_in_order():
    rules = rules_for([0, 1], [Var("wings"), ~Var("wings")], ["wings"], multi_label=True)
    table = in_memory({"wings": [True, False], "a": [1, 0], "b": [0, 1]})

    assert score(rules, table, ["a", "b"]).accuracy == 1.0
    assert score(rules, table, ["b", "a"]).accuracy == 0.0


def test_a_target_that_is_no_class(monkeypatch):
    monkeypatch.setattr(_rule_queries, "MOST_LABELS", 3)
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
