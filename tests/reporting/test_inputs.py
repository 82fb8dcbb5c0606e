from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.concepts import Above, AtMost, Flag, Missing, OneOf, Table, Vocabulary
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import Formula, Var
from logiclens.reporting._about_data import concepts_and_inputs, tree_of
from logiclens.reporting._report import gather_facts
from tests.concepts.strategies import raw_tables
from tests.explain.strategies import steps
from tests.reporting.evaluator import concept_truth, predicted, tree_holds
from tests.strategies import PLAIN, all_rows, formulas, plain_formulas


@given(plain_formulas())
def test_a_tree_is_true_where_its_formula_is(formula: Formula):
    tree = tree_of(formula, {name: at for at, name in enumerate(PLAIN)})
    rows = all_rows(len(PLAIN))

    found = [tree_holds(tree, row.tolist()) for row in rows]

    assert found == formula.evaluate(rows, PLAIN).tolist()


@settings(max_examples=60)
@given(st.data())
def test_the_facts_predict_as_the_rules_do(data):
    """Every kind of test, with missing values anywhere, in hostile names."""
    raw = data.draw(raw_tables(gaps_anywhere=True))
    names = st.sampled_from(raw.vocabulary.names)
    multi_label = data.draw(st.booleans())
    rules = ExplanationSet(
        [
            Explanation(Rule(label, data.draw(formulas(names, 5)), vocabulary=raw.vocabulary))
            for label in ("a", "b", "<c>")
        ],
        raw.vocabulary.names,
        multi_label=multi_label,
        steps=None if multi_label else data.draw(st.none() | steps(("a", "b", "<c>"), formulas(names, 5))),
    )

    facts = json.loads(gather_facts(rules, raw.table).to_json())

    answers = rules.predict(raw.table).tolist()
    if rules.multi_label:
        answers = [[label for label, yes in zip(rules.labels, row, strict=True) if yes] for row in answers]
    assert [predicted(facts, row) for row in raw.rows()] == answers


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=5))
def test_concepts_without_columns_are_true_above_one_half(rows):
    rules = ExplanationSet([Explanation(Rule("yes", Var("a") & ~Var("c")))], ["a", "b", "c"])

    facts = json.loads(gather_facts(rules, rows).to_json())

    assert [one["name"] for one in facts["inputs"]] == ["a", "c"]
    for row, truth in zip(rows, np.array(rows) > 0.5, strict=True):
        values = dict(zip("abc", row, strict=True))
        assert concept_truth(facts, values) == truth[[0, 2]].tolist()


def one_input(*concepts, table=None, optional=()):
    words = Vocabulary((concepts[0].column,), concepts, optional=frozenset(optional))
    rules = ExplanationSet([Explanation(Rule("yes", Var(words.names[0]), vocabulary=words))], words.names)
    return concepts_and_inputs(rules, words.names, None if table is None else Table(table))[1][0]


def test_a_number_has_a_rounded_range_that_holds_values_and_cut_points():
    ages = {"age": [18.25, 33.5, 41.75, 90.125]}

    found = one_input(Above("age", 62), AtMost("age", 17.5), table=ages)

    assert (found.kind, found.cuts, found.low, found.high) == ("number", (17.5, 62.0), 17.0, 91.0)
    assert (found.start, found.whole, found.optional) == (37.6, False, False)


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20),
    st.floats(-1e9, 1e9),
)
def test_every_range_reaches_both_sides_of_a_cut_point(values, cut):
    found = one_input(Above("x", cut), table={"x": values})

    assert found.low <= min([*values, cut])
    assert found.high > cut or found.high >= max(values) > cut
    assert found.low <= found.start <= found.high or len(set(values)) == 1


@pytest.mark.parametrize(
    "values", [[0.0, 5e-324], [5e-324], [-1.7e308, 1.7e308], [1.7976931348623157e308], [-1e300, 0.0]]
)
def test_a_range_of_the_smallest_and_largest_numbers_is_one(values):
    found = one_input(Above("x", values[0]), table={"x": values})

    assert -math.inf < found.low <= min(values) <= max(values) <= found.high < math.inf


def test_without_rows_a_range_is_not_known():
    found = one_input(Above("age", 62), Above("age", 30))

    assert (found.low, found.high, found.start) == (None, None, 46.0)


RED, CATEGORY = OneOf("c", ("red",)), "category"


@pytest.mark.parametrize(
    ("concepts", "table", "kind", "levels", "start", "optional"),
    [
        ([OneOf("c", ("red", "tan"))], {"c": ["red", "tan", "tan"]}, CATEGORY, ("red", "tan"), "tan", False),
        ([RED], {"c": ["green", "red", "green", None]}, CATEGORY, ("red", "green"), "green", True),
        ([OneOf("c", (2,))], {"c": [7, 7, 2]}, CATEGORY, (2, 7), 7, False),
        ([RED], None, CATEGORY, ("red",), "red", False),
        ([OneOf("c", (2,))], {"c": [1, 2, 2]}, CATEGORY, (2,), 2, False),
        ([Flag("c")], {"c": [True, True, False]}, "flag", (), True, False),
        ([Flag("c", numeric=True)], {"c": [0, 1, 0]}, "flag", (), False, False),
        ([Missing("c")], {"c": [1.5, None]}, "number", (), 1.5, True),
        ([Missing("c")], {"c": ["a", None]}, CATEGORY, (), None, True),
        ([Missing("c")], None, "flag", (), False, True),
        ([Above("c", 1), OneOf("c", (5,))], {"c": [1, 2, 9]}, "number", (5,), 2.0, False),
    ],
)
def test_an_input_is_what_its_concepts_ask(concepts, table, kind, levels, start, optional):
    found = one_input(*concepts, table=table)

    assert (found.kind, found.levels, found.start, found.optional) == (kind, levels, start, optional)


def test_concepts_of_zero_and_one_are_flags():
    rules = ExplanationSet([Explanation(Rule("yes", Var("a") & Var("b")))], ["a", "b"])

    concepts, inputs = concepts_and_inputs(rules, ["a", "b"], Table({"a": [0, 1, 1], "b": [0.2, 1, 0]}))

    assert [(one.kind, one.start) for one in inputs] == [("flag", True), ("score", 0.2)]
    assert [one.test for one in concepts] == [{"kind": "flag"}, {"kind": "above", "cut": 0.5}]
