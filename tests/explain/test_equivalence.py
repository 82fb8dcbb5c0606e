"""Fronts of formulas that a target may be equivalent to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from logiclens.explain.choosing import literal_worth
from logiclens.explain.equivalence import Equivalents
from logiclens.logic import TruthTable, minimize_path, parse_formula
from logiclens.logic.minimize import Status
from tests.strategies import all_rows

NAMES, ROWS = list("abc"), all_rows(3)
SAID = parse_formula("a | (b & c)").evaluate(ROWS, NAMES)
TABLE = TruthTable.from_counts(ROWS, 100.0 * SAID, 100.0 * ~SAID, NAMES)
FOUND = minimize_path(TABLE, exact=False)


def truth(noise: float) -> TruthTable:
    """Rows that are what the network says, but for a share of those that ``a`` does not tell apart."""
    wrong = 100.0 * noise * (SAID & ~ROWS[:, 0].astype(bool))
    yes = 100.0 * SAID - wrong
    return TruthTable.from_counts(ROWS, yes, 100.0 - yes, NAMES)


def test_formulas_come_with_their_accuracy():
    forms = Equivalents.of(TABLE, truth(0.0), FOUND)

    assert [point.literals for point in forms.front] == [0, 1, 3]
    assert [point.score for point in forms.front] == pytest.approx([5 / 8, 7 / 8, 1.0])
    assert [point.errors for point in forms.front] == [300.0, 100.0, 0.0]


@pytest.mark.parametrize(("noise", "literals"), [(0.0, 3), (0.9, 1)])
def test_the_truth_decides_how_long_the_formula_is(noise: float, literals: int):
    forms = Equivalents.of(TABLE, truth(noise), FOUND)
    assert forms.front[forms.best()].literals == literals


def test_without_truth_the_network_decides():
    forms = Equivalents.of(TABLE, None, FOUND)

    assert forms.front[forms.best()].literals == 3
    assert [point.score for point in forms.front] == [None] * 3
    assert forms.worth == literal_worth(500.0, 300.0)


def test_what_formulas_say_about_the_tuples_of_the_table():
    fired = Equivalents.of(TABLE, truth(0.5), FOUND).fired()

    for said, each in zip(fired, FOUND, strict=True):
        assert (said == each.formula.evaluate(TABLE.to_array(), TABLE.names)).all()


def test_the_front_loses_what_the_formula_that_is_taken_is_better_than():
    """A proof may find a formula that is as short as another of the front, and better."""
    forms = Equivalents.of(TABLE, truth(0.0), FOUND)
    rough = forms.found[1]
    better = replace(rough, errors=50.0, status=Status.PROVED)

    formula, status, front = forms.taken(better)

    assert (formula, status) == (rough.formula, "proved minimal")
    assert [(point.literals, point.errors) for point in front] == [(0, 300.0), (1, 50.0), (3, 0.0)]
    assert front[1].score == pytest.approx(7 / 8)
    assert [point.literals for point in forms.taken(forms.found[-1])[2]] == [0, 1, 3]
