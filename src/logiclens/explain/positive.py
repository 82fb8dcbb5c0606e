"""Formulas that say what a value is rather than what it is not, where both say the same.

``middle != o`` and ``middle = x`` part only where the square is empty. If the data leave it open, the second
is what a person would write.
"""

from __future__ import annotations

import numpy as np

from logiclens.concepts.concept import OneOf
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.logic.arrays import BoolArray
from logiclens.logic.formula import And, Formula, Not, Or, Var
from logiclens.logic.truth_table import TruthTable


def prefer_values(formula: Formula, table: TruthTable, vocabulary: Vocabulary) -> Formula:
    """A formula of the same length with fewer negated values, if it errs no more on a table.

    Parameters
    ----------
    formula : Formula
        In DNF.
    table : TruthTable
        What it was made from.
    vocabulary : Vocabulary
        Which concepts are values of one column.

    Returns
    -------
    Formula

    Examples
    --------
    >>> words = Vocabulary(("square",), (OneOf("square", ("o",)), OneOf("square", ("x",))))
    >>> table = TruthTable.from_data([[1, 0], [0, 1]], [0, 1], names=words.names)
    >>> prefer_values(~Var("square = o"), table, words)
    Var('square = x')
    """
    values = [name for name in table.names if isinstance(vocabulary[name], OneOf)]
    terms = [list(_parts(term, And)) for term in _parts(formula, Or)]
    rows = dict(zip(table.names, table.to_array().T, strict=True))
    least = _errors(terms, rows, table)
    for term in terms:
        for at, literal in enumerate(term):
            denied = literal.concepts[0] if isinstance(literal, Not) else ""
            if denied not in values:
                continue
            column = vocabulary[denied].column
            for name in values:
                if name == denied or vocabulary[name].column != column:
                    continue
                term[at] = Var(name)
                errors = _errors(terms, rows, table)
                if errors <= least and len(set(term)) == len(term):
                    least = errors
                    break
                term[at] = literal
    return Or.of([And.of(term) for term in terms])


def _errors(terms: list[list[Formula]], rows: dict[str, BoolArray], table: TruthTable) -> float:
    fired = np.zeros(table.n_rows, dtype=np.bool_)
    for term in terms:
        true = np.ones(table.n_rows, dtype=np.bool_)
        for literal in term:
            for name in literal.concepts:
                true &= rows[name] if isinstance(literal, Var) else ~rows[name]
        fired |= true
    return float(np.where(fired, table.no, table.yes).sum())


def _parts(formula: Formula, kind: type[And] | type[Or]) -> tuple[Formula, ...]:
    return formula.args if isinstance(formula, kind) else (formula,)
