"""Lists of rules as formulas: what the first rule that fires says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from logiclens.bench.methods import decision_list
from logiclens.bench.methods.decision_list import condition, list_formula
from logiclens.logic import FALSE, TRUE, Var, equivalent
from logiclens.metrics.formulas import _is_dnf
from tests.strategies import HOSTILE_NAMES, all_rows

NAMES = HOSTILE_NAMES[:5]
CONDITIONS = st.dictionaries(st.sampled_from(NAMES), st.booleans(), max_size=3)
LISTS = st.lists(st.tuples(CONDITIONS, st.booleans()), max_size=6)


def read_in_order(rules, otherwise, row) -> bool:
    for literals, says in rules:
        if all(row[name] == value for name, value in literals.items()):
            return says
    return otherwise


@given(LISTS, st.booleans())
def test_the_formula_says_what_the_list_says(rules, otherwise):
    conditions = [condition(literals) for literals, _ in rules]
    formula = list_formula(conditions, [says for _, says in rules], otherwise)
    table = all_rows(len(NAMES)).astype(bool)
    found = np.broadcast_to(formula.evaluate(dict(zip(NAMES, table.T, strict=True))), len(table))
    expected = [read_in_order(rules, otherwise, dict(zip(NAMES, row, strict=True))) for row in table]

    assert found.tolist() == expected
    assert _is_dnf(formula)


def test_terms_that_contradict_or_imply_others_go():
    a, b = Var("a"), Var("b")

    assert list_formula([a, a & b], [False, True], False) == FALSE
    assert list_formula([a, a & b], [True, True], False) == a
    assert list_formula([], [], True) == TRUE
    assert str(list_formula([a, b], [False, True], False)) == "~a & b"


def test_a_list_too_long_to_write_out_stays_a_formula(monkeypatch):
    conditions = [Var(f"a{j}") & Var(f"b{j}") for j in range(4)]
    written = list_formula(conditions, [False] * 4, True)
    monkeypatch.setattr(decision_list, "MOST_TERMS", 15)
    short = list_formula(conditions, [False] * 4, True)

    assert written.complexity == 16 * 4
    assert short.complexity == 8
    assert equivalent(written, short)
