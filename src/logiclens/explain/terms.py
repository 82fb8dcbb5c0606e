"""Formulas in DNF as lists of terms, for what changes them literal by literal."""

from __future__ import annotations

import numpy as np

from logiclens.logic.arrays import BoolArray
from logiclens.logic.cover import MAX_TERMS
from logiclens.logic.formula import FALSE, And, Formula, Not, Or, Var
from logiclens.logic.normal_form import to_dnf
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


def dnf_terms(formula: Formula, max_terms: int = MAX_TERMS) -> tuple[Formula, ...]:
    """The terms of a formula: as written where it is in DNF, of its DNF otherwise; none of ``FALSE``.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> dnf_terms(Var("c") | (Var("b") & Var("a")))
    (Var('c'), And(Var('b'), Var('a')))
    >>> dnf_terms(Var("c") & (Var("b") | Var("a")))
    (And(Var('a'), Var('c')), And(Var('b'), Var('c')))
    """
    if not all(map(_is_literal, (literal for term in terms_of(formula) for literal in term))):
        formula = to_dnf(formula, max_terms)
    if formula == FALSE:
        return ()
    return formula.args if isinstance(formula, Or) else (formula,)


def _is_literal(part: Formula) -> bool:
    return isinstance(part, Var) or (isinstance(part, Not) and isinstance(part.arg, Var))


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
