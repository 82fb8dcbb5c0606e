"""Formulas that say what a value is rather than what it is not, where both say the same.

``middle != o`` and ``middle = x`` part only where the square is empty. If the data leave it open, the second
is what a person would write.
"""

from __future__ import annotations

import numpy as np

from logiclens.concepts.concept import OneOf
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.explain.terms import Literals, Tuples, as_formula, terms_of
from logiclens.logic.formula import Formula, Not, Var
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
    terms, tuples = terms_of(formula), Tuples(table)
    least = _errors(terms, tuples, table)
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
                errors = _errors(terms, tuples, table)
                if errors <= least and len(set(term)) == len(term):
                    least = errors
                    break
                term[at] = literal
    return as_formula(terms)


def _errors(terms: Literals, tuples: Tuples, table: TruthTable) -> float:
    return float(np.where(tuples.fired(terms), table.no, table.yes).sum())
