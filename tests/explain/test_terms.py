"""Lists of terms say what their formula says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from logiclens.explain.terms import Tuples, as_formula, terms_of
from logiclens.logic import FALSE, TRUE, And, Or, TruthTable, Var, parse_formula
from tests.strategies import all_rows

NAMES = ["a", "b", "c"]
LITERALS = st.sampled_from([literal for name in NAMES for literal in (Var(name), ~Var(name))])
TERMS = st.lists(st.lists(LITERALS, min_size=1, max_size=3), min_size=1, max_size=4)


@given(TERMS)
def test_terms_are_true_where_their_formula_is(terms):
    rows = all_rows(3)
    table = TruthTable.from_data(rows, np.ones(len(rows)), names=NAMES)
    formula = Or.of([And.of(term) for term in terms])

    assert as_formula(terms) == formula
    assert np.array_equal(Tuples(table).fired(terms), formula.evaluate(table.to_array(), NAMES))


def test_formulas_come_back():
    for text in ("a", "~a", "a & ~b", "a | b", "(a & ~b) | c"):
        formula = parse_formula(text)
        assert as_formula(terms_of(formula)) == formula
    assert [as_formula(terms_of(constant)) for constant in (TRUE, FALSE)] == [TRUE, FALSE]
