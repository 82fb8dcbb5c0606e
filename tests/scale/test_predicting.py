from __future__ import annotations

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.cli.answers import Answers
from logiclens.cli.rows import needs
from logiclens.concepts import Above, OneOf, Vocabulary
from logiclens.errors import InputError, UnknownColumnError
from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.logic import Var
from logiclens.scale import predicting
from logiclens.scale.engine import fetched, rules_of
from logiclens.scale.predicting import any_true, default_of, first_of, predict
from tests.scale.tables import answers, columns, conditions, in_duckdb, in_memory
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
    found = fetched(predict(rules, table), "Asking")

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
    concepts = [draw(conditions(name, table[name])) for name in names for _ in range(2)]
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
    needed = needs(rules, table.column_names)
    gaps = needed.gaps({name: table[name] for name in needed.types}, table.num_rows)
    data = rules.read(table, used=rules.concepts)
    expected, codes = Answers(rules).of(data, gaps)
    found = fetched(predict(rules, in_memory(table), marks=True), "Asking").to_pylist()

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
    found = fetched(predict(PETS, table, marks=True), "Asking")

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
    with pytest.raises(InputError) as caught:
        rules_of(Bare())
    assert str(caught.value) == "This Bare is not fitted. Fit it first, or pass its rules."
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
    with pytest.raises(InputError) as caught:
        predict(rules, in_memory({"a": [True], "b": [True]}))
    assert str(caught.value) == (
        "The labels 'x' and 'X' differ in case only, and so would their columns, which engines take for one. "
        "Rename one of the labels."
    )


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
    with pytest.raises(InputError) as caught:
        predict(PETS, table)
    assert str(caught.value) == "'x' and 'X' are one column in DuckDB. Rename one of the columns."


def test_bad_arguments():
    table = in_memory({"wings": [True], "fin": [True]})
    with pytest.raises(UnknownColumnError) as caught:
        predict(PETS, table)
    assert str(caught.value) == (
        "The data lack the column 'fins'. Did you mean 'fin'? They have 2 columns: 'wings', 'fin'."
    )
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


def test_several_labels_have_no_default():
    rules = rules_for(["x", "y"], [a, b], ["a", "b"], multi_label=True)
    with pytest.raises(InputError) as caught:
        default_of(rules)
    assert str(caught.value) == "Rules of several labels a row have no default. Ask for each label."


def test_the_first_that_is_true():
    table = in_memory({"a": [True, True, False], "b": [True, False, False]})
    cases = [(table["b"], ibis.literal(1)), (table["a"], ibis.literal(2))]

    assert answers(first_of(cases, ibis.literal(3))) == [1, 2, 3]
    assert answers(any_true([table["b"], table["a"]])) == [True, True, False]
    assert answers(table.mutate(x=first_of([], ibis.literal(3)), y=any_true([]))[["x", "y"]]["x"]) == [3] * 3


def test_marks_are_spelled_as_the_command_spells_them():
    from logiclens.cli import answers as spelled

    assert (predicting.DEFAULT, predicting.UNCOVERED, predicting.MISSING) == (
        spelled.DEFAULT,
        spelled.UNCOVERED,
        spelled.MISSING,
    )


@pytest.mark.parametrize("name", ["self", "exprs", "mutations", 'say "hi"', "two\nlines", "größe"])
def test_the_new_column_may_be_called_anything(name):
    found = predict(PETS, in_memory({"wings": [True], "fins": [False]}), name=name)

    assert answers(found[name]) == ["bird"]


@pytest.mark.parametrize("table", [None, 3, "t", {"a": [1]}, pa.table({"a": [1]}), np.zeros((2, 2)), ibis])
def test_what_is_no_table(table):
    with pytest.raises(InputError, match=r"^The table must be an Ibis table\. Got "):
        predict(PETS, table)
