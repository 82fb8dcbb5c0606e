"""Formulas in DNF as lists of terms, for what changes them literal by literal."""

from __future__ import annotations

import numpy as np

from logiclens.logic.arrays import BoolArray
from logiclens.logic.formula import And, Formula, Not, Or
from logiclens.logic.truth_table import TruthTable

Literals = list[list[Formula]]
"""The literals of each term."""


def terms_of(formula: Formula) -> Literals:
    """The literals of each term of a formula in DNF; a constant is a literal of its own.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> terms_of((Var("a") & ~Var("b")) | Var("c"))
    [[Var('a'), Not(Var('b'))], [Var('c')]]
    """
    terms = formula.args if isinstance(formula, Or) else (formula,)
    return [list(term.args if isinstance(term, And) else (term,)) for term in terms]


def as_formula(terms: Literals) -> Formula:
    """Inverse of :func:`terms_of`."""
    return Or.of([And.of(term) for term in terms])


class Tuples:
    """The tuples of a table, column by column, on which many lists of terms are tried.

    Parameters
    ----------
    table : TruthTable
    """

    def __init__(self, table: TruthTable) -> None:
        self.n_rows = table.n_rows
        self.columns = dict(zip(table.names, table.to_array().T, strict=True))

    def fired(self, terms: Literals) -> BoolArray:
        """Truth of the terms' disjunction on each tuple, shape (n_rows,); no term is a constant."""
        found = np.zeros(self.n_rows, dtype=np.bool_)
        for term in terms:
            true = np.ones(self.n_rows, dtype=np.bool_)
            for literal in term:
                for name in literal.concepts:
                    true &= ~self.columns[name] if isinstance(literal, Not) else self.columns[name]
            found |= true
        return found
