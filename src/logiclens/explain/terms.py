"""The terms of a rule: which there are, what each covers, and how often it is right there.

A rule in DNF is a list of ways to its target. Some cover most of it, some a handful of rows; scores tell them
apart. Terms may overlap, so that what they cover adds up to more than the rule does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, shown
from logiclens.explain.explanation import Explanation
from logiclens.logic.arrays import BoolArray, unpack
from logiclens.logic.cover import MAX_TERMS
from logiclens.logic.data import ConceptData
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import FALSE, And, Formula, Not, Or, Var
from logiclens.logic.normal_form import to_dnf
from logiclens.logic.syntax import format_formula
from logiclens.metrics.agreement import Interval, normal_quantile, share, yes_or_no


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
    if not all(_is_literal(part) for term in disjuncts(formula) for part in conjuncts(term)):
        formula = to_dnf(formula, max_terms)
    return () if formula == FALSE else disjuncts(formula)


def disjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The parts of a disjunction; a formula that is none is one part."""
    return formula.args if isinstance(formula, Or) else (formula,)


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The parts of a conjunction; a formula that is none is one part."""
    return formula.args if isinstance(formula, And) else (formula,)


def _is_literal(part: Formula) -> bool:
    return isinstance(part, Var) or (isinstance(part, Not) and isinstance(part.arg, Var))


@dataclass(frozen=True)
class TermScore:
    """What one term of a rule covers, and how often it is right.

    Attributes
    ----------
    formula : Formula
        A conjunction of literals.
    vocabulary : Vocabulary or None
        What its concepts mean in the columns of a raw table.
    n : int
        All rows.
    covered : int
        Rows for which the term is true.
    alone : int
        Rows for which it is true and no other term of the rule is.
    coverage, coverage_interval : float, (float, float)
        Share of all rows for which the term is true; NaN and (0, 1) without rows.
    precision, precision_interval : float or None, (float, float) or None
        Share of the target among the rows for which the term is true; NaN and (0, 1) where it is never
        true. None when it was not said which rows are the target.
    """

    formula: Formula
    vocabulary: Vocabulary | None = field(repr=False)
    n: int
    covered: int
    alone: int
    coverage: float
    coverage_interval: Interval
    precision: float | None = None
    precision_interval: Interval | None = None

    def format(self, style: str = "ascii") -> str:
        """The term as logic, on one line, in the words of the vocabulary where there is one."""
        if self.vocabulary is None:
            return format_formula(self.formula, style)
        return self.vocabulary.format(self.formula, style)

    def to_sentence(self) -> str:
        """The term in plain English, on one line."""
        words = to_sentence if self.vocabulary is None else self.vocabulary.to_sentence
        return words(self.formula)

    def __str__(self) -> str:
        said = f"{self.format()}: true for {self.covered} of {self.n}"
        return said if self.precision is None else f"{said}, precision {self.precision:.3f}"


def term_scores(
    explanation: Explanation,
    X: Any,
    y_is_target: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    confidence: float = 0.95,
) -> tuple[TermScore, ...]:
    """Coverage and precision of each term of a rule, with their intervals.

    Parameters
    ----------
    explanation : Explanation
    X : mapping, data frame or array of shape (n_rows, n_concepts)
        Concepts, true when greater than 0.5; for an explanation that was made from a raw table, its rows.
    y_is_target : array of shape (n_rows,), optional
        Whether each row is the target: Booleans, or 0 and 1. From labels, ``y == explanation.target`` makes
        them. Without it there is no precision.
    names : sequence of str, optional
        Names of an array's columns; ``x0``, ``x1``, ... when missing.
    confidence : float, default 0.95
        Of the Wilson score intervals, between 0 and 1.

    Returns
    -------
    tuple of TermScore
        In the order of the formula, or of its DNF where it is none; empty for ``FALSE``.

    Raises
    ------
    InputError
        What is given cannot be read.
    LimitError
        The formula has no DNF of a reasonable length.

    Examples
    --------
    >>> from logiclens.explain import Rule
    >>> from logiclens.logic import parse_formula
    >>> bird = Explanation(Rule("bird", parse_formula("(wings & beak) | feathers")))
    >>> X = {"wings": [1, 1, 0, 0], "beak": [1, 1, 1, 0], "feathers": [1, 0, 0, 0]}
    >>> for score in term_scores(bird, X, [1, 0, 0, 0]):
    ...     print(score)
    wings & beak: true for 2 of 4, precision 0.500
    feathers: true for 1 of 4, precision 1.000
    """
    if not isinstance(explanation, Explanation):
        raise InputError(f"term_scores is about an Explanation. Got {shown(explanation)}.")
    z = normal_quantile(confidence)
    terms = dnf_terms(explanation.formula)
    true = _truth(explanation, terms, X, names)
    target = None if y_is_target is None else yes_or_no(y_is_target, "y_is_target", len(true))
    every, weight, n_true = np.ones(len(true), dtype=np.bool_), np.ones(len(true)), true.sum(axis=1)
    found = []
    for at, term in enumerate(terms):
        mine = true[:, at]
        coverage, interval = share(mine, every, weight, z)
        precision = (None, None) if target is None else share(mine & target, mine, weight, z)
        found.append(
            TermScore(
                term,
                explanation.vocabulary,
                len(true),
                int(mine.sum()),
                int((mine & (n_true == 1)).sum()),
                coverage,
                interval,
                *precision,
            )
        )
    return tuple(found)


def _truth(
    explanation: Explanation, terms: Sequence[Formula], X: Any, names: Sequence[str] | None
) -> BoolArray:
    """Truth of each term on each row, shape (n_rows, n_terms)."""
    words = explanation.vocabulary
    raw = words is not None and names is None
    data = words.read(X, explanation.concepts) if words is not None and raw else ConceptData(X, names)
    columns, n_words = data.packed_columns(explanation.concepts), -(-data.n_rows // 64)
    true = np.zeros((data.n_rows, len(terms)), dtype=np.bool_)
    for at, term in enumerate(terms):
        true[:, at] = unpack(term.evaluate_words(columns, n_words), data.n_rows)
    return true
