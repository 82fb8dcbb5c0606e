"""Formulas without what the truth does not bear out.

A network smooths: on a tuple of few rows it says what similar tuples suggest. The formula that repeats it has
a literal or a term for that, which the rows speak against. Leaving it out makes the formula shorter and right
more often.
"""

from __future__ import annotations

import numpy as np

from logiclens.explain.terms import Literals, Tuples, as_formula, terms_of
from logiclens.logic.arrays import FloatArray
from logiclens.logic.formula import Formula
from logiclens.logic.truth_table import TruthTable


def trimmed(formula: Formula, truth: TruthTable) -> Formula:
    """A formula without the literals and terms that cost more than they bring.

    The one whose loss helps most is left out first, until none is left that helps or makes no difference.

    Parameters
    ----------
    formula : Formula
        In DNF.
    truth : TruthTable
        Weight of the rows that are the target (yes) and that are not (no).

    Returns
    -------
    Formula
        Right about at least as much weight.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> truth = TruthTable.from_counts([[1, 1], [1, 0], [0, 1]], [9, 9, 1], [0, 0, 2], ["a", "b"])
    >>> trimmed(Var("a") | Var("b"), truth)
    Var('a')
    """
    tuples, terms = Tuples(truth), terms_of(formula)
    gain = truth.yes - truth.no  # of saying yes
    best = _value(terms, tuples, gain)
    while sum(map(len, terms)) > 1:
        ways = [_without(terms, i, j) for i, term in enumerate(terms) for j in (None, *range(len(term)))]
        ways = [way for way in ways if way]
        values = [_value(way, tuples, gain) for way in ways]
        if not values or max(values) < best - 1e-12:
            break
        at = int(np.argmax(values))
        terms, best = ways[at], values[at]
    return as_formula(terms)


def _without(terms: Literals, i: int, j: int | None) -> Literals:
    """The terms without the i-th, or without its j-th literal."""
    if j is None or len(terms[i]) == 1:
        return terms[:i] + terms[i + 1 :]
    return [*terms[:i], terms[i][:j] + terms[i][j + 1 :], *terms[i + 1 :]]


def _value(terms: Literals, tuples: Tuples, gain: FloatArray) -> float:
    """Weight that the terms are right about, but for what is the same for all formulas."""
    return float(gain[tuples.fired(terms)].sum())
