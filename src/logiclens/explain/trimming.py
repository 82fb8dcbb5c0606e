"""Formulas without what the truth does not bear out.

A network smooths: on a tuple of few rows it says what similar tuples suggest. The formula that repeats it has
a literal or a term for that, which the rows speak against. Leaving it out makes the formula shorter and right
more often.
"""

from __future__ import annotations

import numpy as np

from logiclens.logic.arrays import BoolArray
from logiclens.logic.formula import And, Formula, Not, Or
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
    rows = dict(zip(truth.names, truth.to_array().T, strict=True))
    terms = [list(_parts(term, And)) for term in _parts(formula, Or)]
    gain = truth.yes - truth.no  # of saying yes
    best = _value(terms, rows, gain)
    while sum(map(len, terms)) > 1:
        ways = [_without(terms, i, j) for i, term in enumerate(terms) for j in (None, *range(len(term)))]
        ways = [way for way in ways if way]
        values = [_value(way, rows, gain) for way in ways]
        if not values or max(values) < best - 1e-12:
            break
        at = int(np.argmax(values))
        terms, best = ways[at], values[at]
    return Or.of([And.of(term) for term in terms])


def _without(terms: list[list[Formula]], i: int, j: int | None) -> list[list[Formula]]:
    """The terms without the i-th, or without its j-th literal."""
    if j is None or len(terms[i]) == 1:
        return terms[:i] + terms[i + 1 :]
    return [*terms[:i], terms[i][:j] + terms[i][j + 1 :], *terms[i + 1 :]]


def _value(terms: list[list[Formula]], rows: dict[str, BoolArray], gain: np.ndarray) -> float:
    """Weight that the terms are right about, but for what is the same for all formulas."""
    fired = np.zeros(len(gain), dtype=np.bool_)
    for term in terms:
        true = np.ones(len(gain), dtype=np.bool_)
        for literal in term:
            for name in literal.concepts:
                true &= ~rows[name] if isinstance(literal, Not) else rows[name]
        fired |= true
    return float(gain[fired].sum())


def _parts(formula: Formula, kind: type[And] | type[Or]) -> tuple[Formula, ...]:
    return formula.args if isinstance(formula, kind) else (formula,)
