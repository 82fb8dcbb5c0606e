"""The paper's own way from a network's answers to a class-level explanation, to reproduce its figures.

1. Each row to which the network says yes yields a term of all its literals, Eq. (1). For a ReLU network only
   concepts count whose relevance to this row is near that of the most relevant one (example-level pruning,
   Sec. 4.3).
2. Equal terms are counted; the most frequent ones stay (Fig. 7), which leaves out what may be noise.
3. From the most frequent on, each is added to the formula, Eq. (2), if that makes it better on validation
   rows.
4. The formula is simplified to an equivalent one.

Tuples that were never seen are false here, where :mod:`logiclens.explain.classwise` leaves them open; that is
the main reason why its formulas are shorter.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from logiclens.errors import InputError, count, shown
from logiclens.explain.classwise import NEVER, rates_on
from logiclens.explain.explanation import Explanation, Scope
from logiclens.explain.front import check_rate
from logiclens.explain.label import Label
from logiclens.explain.local import cover_of, read_relevance, read_samples
from logiclens.explain.rule import Rule
from logiclens.logic.arrays import BoolArray, Terms
from logiclens.logic.data import check_count, check_names
from logiclens.logic.formula import FALSE, Formula
from logiclens.logic.normal_form import simplify
from logiclens.logic.truth_table import TruthTable
from logiclens.logic.values import THRESHOLD, as_answers

NO_GAIN = "no frequent example improves on saying no"


def explain_class_as_in_paper(
    concepts: ArrayLike,
    answers: ArrayLike,
    target: Label,
    *,
    names: Sequence[str],
    validation: tuple[ArrayLike, ArrayLike] | None = None,
    relevance: ArrayLike | None = None,
    tau: float = 0.5,
    top_k: int = 50,
) -> Explanation:
    """Explain one target by its most frequent example-level explanations.

    Parameters
    ----------
    concepts : array of shape (n_rows, n_concepts)
        The concepts that the network kept: Booleans or numbers in [0, 1].
    answers : array of shape (n_rows,)
        The network's yes or no about the target: Booleans or numbers in [0, 1].
    target : str, int, float or bool
    names : sequence of str
        Names of the concepts.
    validation : (array of shape (n_val, n_concepts), array of shape (n_val,)), optional
        Concepts of validation rows, and which of them are the target. A term stays only if it makes the
        formula right about more of them. Without it all of the ``top_k`` stay.
    relevance : array of shape (n_rows, n_concepts), optional
        What each concept adds to the answer on each row, of either sign (the ReLU network's reduced weights).
    tau : float, default 0.5
        A row's term is made of the concepts whose absolute relevance is at least this share of the largest.
    top_k : int, default 50
        How many of the most frequent terms to consider.

    Returns
    -------
    Explanation
        An equivalence; ``status`` says how many terms were joined.

    Examples
    --------
    >>> X = [[0, 1], [0, 1], [1, 0], [1, 1], [0, 0]]
    >>> print(explain_class_as_in_paper(X, [1, 1, 1, 0, 0], "xor", names=["x1", "x2"]))
    forall x: xor(x) <-> (~x1(x) & x2(x)) | (x1(x) & ~x2(x))

    References
    ----------
    Sec. 4.1, Eq. (1) and (2) and Fig. 7, and Sec. 4.3 of Ciravegna et al., *Logic Explained Networks*.
    """
    called = check_names(names)
    rows = read_samples(concepts, called)
    said = as_answers(answers, len(rows), THRESHOLD)
    table = TruthTable.from_data(rows, said, called)
    scores = None if relevance is None else read_relevance(relevance, rows.shape)[said]
    held_out = None if validation is None else _validation_table(validation, called)
    terms = example_terms(rows[said], None if scores is None else np.abs(scores), check_rate(tau, "tau"))
    frequent, frequency = most_frequent(terms, check_count(top_k, "top_k"))
    kept = np.ones(len(frequent), dtype=np.bool_) if held_out is None else _helpful(frequent, held_out)
    formula: Formula = FALSE
    if not said.any():
        status = NEVER
    elif not kept.any():
        status = NO_GAIN
    else:
        formula = simplify(cover_of(frequent[kept], called).to_formula())
        covered = int(frequency[kept].sum())
        status = (
            f"{count(int(kept.sum()), 'example-level explanation')}, those of {count(covered, 'row')} "
            f"of {int(said.sum())}"
        )
    return Explanation(
        Rule(target, formula),
        scope=Scope.CLASS,
        status=status,
        support=float(said.sum()),
        scores=None if held_out is None else rates_on(formula, table, held_out, "validation"),
    )


def example_terms(rows: BoolArray, relevance: NDArray[np.float64] | None = None, tau: float = 0.5) -> Terms:
    """Example-level explanations, Eq. (1): each row's literals, or those of its relevant concepts.

    Parameters
    ----------
    rows : ndarray of bool, shape (n_rows, n_concepts)
    relevance : ndarray of float, shape (n_rows, n_concepts), optional
        Not negative. A row to which nothing is relevant keeps all of its literals.
    tau : float, default 0.5
        Share of a row's largest relevance from which on a concept counts.

    Returns
    -------
    Terms, shape (n_rows, n_concepts)

    Examples
    --------
    >>> example_terms(np.array([[True, False, True]]), np.array([[4.0, 2.0, 1.0]])).tolist()
    [[1, -1, 0]]
    """
    terms = np.where(rows, 1, -1).astype(np.int8)
    if relevance is not None and relevance.size:
        terms[relevance < tau * relevance.max(axis=1, keepdims=True)] = 0
    return terms


def most_frequent(terms: Terms, top_k: int) -> tuple[Terms, NDArray[np.intp]]:
    """Distinct terms with how often they occur, the most frequent first; of equals the one met first.

    Examples
    --------
    >>> found, frequency = most_frequent(np.array([[1, 1], [0, 1], [-1, 0], [0, 1]], dtype=np.int8), 2)
    >>> found.tolist(), frequency.tolist()
    ([[0, 1], [1, 1]], [2, 1])
    """
    if not terms.size:  # no rows, or rows without concepts, which are all alike
        return terms[:1][:top_k], np.full(min(len(terms), 1), len(terms))[:top_k]
    found, first, frequency = np.unique(terms, axis=0, return_index=True, return_counts=True)
    order = np.lexsort((first, -frequency))[:top_k]
    return found[order], frequency[order]


def _helpful(terms: Terms, truth: TruthTable) -> BoolArray:
    """Which terms, one after the other, make a formula right about more weight of the validation rows."""
    covering = cover_of(terms, truth.names).covered_by_terms(truth.rows)
    gain = truth.yes - truth.no
    covered = np.zeros(truth.n_rows, dtype=np.bool_)
    kept = np.zeros(len(terms), dtype=np.bool_)
    for at, new in enumerate(covering.T):
        kept[at] = gain[new & ~covered].sum() > 0
        if kept[at]:
            covered |= new
    return kept


def _validation_table(validation: tuple[ArrayLike, ArrayLike], names: tuple[str, ...]) -> TruthTable:
    if not isinstance(validation, (tuple, list)) or len(validation) != 2:
        raise InputError(f"validation must be a pair of concepts and truth. Got {shown(validation)}.")
    return TruthTable.from_data(read_samples(validation[0], names), validation[1], names)
