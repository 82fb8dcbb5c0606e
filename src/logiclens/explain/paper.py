"""The paper's own way from a network's answers to a class-level explanation, to reproduce its figures.

1. Each row to which the network says yes yields a term of all its literals, Eq. (1). For a ReLU network only
   concepts count whose relevance to this row is near that of the most relevant one (example-level pruning,
   Sec. 4.3).
2. Equal terms are counted; the most frequent ones are candidates (Fig. 7), which leaves out what may be
   noise. Where networks are pruned to few concepts, all are, in the order of their tuples; of equal rows the
   first says whether they are examples.
3. One after the other is added to the formula, Eq. (2), if that raises its macro-F1 on validation rows.
4. A formula of few literals is simplified to an equivalent one.

Tuples that were never seen are false here, where :mod:`logiclens.explain.scopes` leaves them open; that is
the main reason why its formulas are shorter.

The paper gives Eq. (1), Eq. (2) and Fig. 7. The macro-F1, the order of the candidates, their number
(:data:`TOP_K`) and what is not simplified (:data:`FEW_LITERALS`) are facts of the code published with it,
``lens/logic/relu_nn.py`` and ``experiments/mimic.ipynb`` of
github.com/pietrobarbiero/logic_explained_networks.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from logiclens.errors import InputError, count, shown
from logiclens.explain.explanation import Explanation, Scope, check_rate
from logiclens.explain.rule import Label, Rule
from logiclens.explain.scopes import NEVER, cover_of, rates_on, read_relevance, read_samples
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, Terms
from logiclens.logic.data import THRESHOLD, as_answers, check_count, check_names
from logiclens.logic.formula import FALSE, Formula
from logiclens.logic.normal_form import simplify
from logiclens.logic.truth_table import TruthTable
from logiclens.metrics import macro_f1

TOP_K = 20
"""Candidates of the paper's ReLU networks on MIMIC-II."""
FEW_LITERALS = 20
"""Distinct literals from which on the paper's formulas are left as they were joined."""
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
    top_k: int | None = None,
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
        Concepts of validation rows, and which of them are the target. A term stays only if the formula's
        macro-F1 on them is greater with it than without. Without validation rows all candidates stay.
    relevance : array of shape (n_rows, n_concepts), optional
        What each concept adds to the answer on each row, of either sign (the ReLU network's reduced weights).
    tau : float, default 0.5
        A row's term is made of the concepts whose absolute relevance is at least this share of the largest.
    top_k : int, optional
        How many of the most frequent terms are candidates; when missing all are, in the order of their
        tuples, false before true. Where answers on equal tuples differ, that on the first row counts then.

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
    concept_names = check_names(names)
    rows = read_samples(concepts, concept_names)
    predicted = as_answers(answers, len(rows), THRESHOLD)
    table = TruthTable.from_data(rows, predicted, concept_names)
    scores = None if relevance is None else np.abs(read_relevance(relevance, rows.shape))
    held_out = None if validation is None else _validation_table(validation, concept_names)
    terms = example_terms(rows, scores, check_rate(tau, "tau"))
    if top_k is None:
        frequent, frequency = first_terms(terms, predicted)
    else:
        frequent, frequency = most_frequent(terms[predicted], check_count(top_k, "top_k"))
    kept = np.ones(len(frequent), dtype=np.bool_) if held_out is None else _helpful(frequent, held_out)
    formula: Formula = FALSE
    if not predicted.any():
        status = NEVER
    elif not kept.any():
        status = NO_GAIN
    else:
        formula = _join_terms(frequent[kept], concept_names)
        covered = int(frequency[kept].sum())
        status = (
            f"{count(int(kept.sum()), 'example-level explanation')}, those of {count(covered, 'row')} "
            f"of {int(predicted.sum())}"
        )
    return Explanation(
        Rule(target, formula),
        scope=Scope.CLASS,
        status=status,
        support=float(predicted.sum()),
        scores=None if held_out is None else rates_on(formula, table, held_out, "validation"),
    )


def example_terms(rows: BoolArray, relevance: FloatArray | None = None, tau: float = 0.5) -> Terms:
    """Example-level explanations, Eq. (1): each row's literals, or those of its relevant concepts.

    A concept is relevant from ``tau`` times the row's largest relevance on, which is not negative. A row to
    which nothing is relevant keeps all of its literals. All arrays are (n_rows, n_concepts).

    Examples
    --------
    >>> example_terms(np.array([[True, False, True]]), np.array([[4.0, 2.0, 1.0]])).tolist()
    [[1, -1, 0]]
    """
    terms = np.where(rows, 1, -1).astype(np.int8)
    if relevance is not None and relevance.size:
        terms[relevance < tau * relevance.max(axis=1, keepdims=True)] = 0
    return terms


def first_terms(terms: Terms, predicted: BoolArray) -> tuple[Terms, IndexArray]:
    """Distinct terms whose first row has a yes, in ascending order, and how many of their rows have one.

    Examples
    --------
    >>> terms = np.array([[1, 1], [-1, 1], [1, 1], [-1, 1]], dtype=np.int8)
    >>> found, frequency = first_terms(terms, np.array([True, False, True, True]))
    >>> found.tolist(), frequency.tolist()
    ([[1, 1]], [2])
    """
    found, first, place = _distinct(terms)
    frequency = np.bincount(place[predicted], minlength=len(found))
    return found[predicted[first]], frequency[predicted[first]]


def most_frequent(terms: Terms, top_k: int) -> tuple[Terms, IndexArray]:
    """Distinct terms with how often they occur, the most frequent first; of equals the one met first.

    Examples
    --------
    >>> found, frequency = most_frequent(np.array([[1, 1], [0, 1], [-1, 0], [0, 1]], dtype=np.int8), 2)
    >>> found.tolist(), frequency.tolist()
    ([[0, 1], [1, 1]], [2, 1])
    """
    found, first, place = _distinct(terms)
    frequency = np.bincount(place, minlength=len(found))
    order = np.lexsort((first, -frequency))[:top_k]
    return found[order], frequency[order]


def _distinct(terms: Terms) -> tuple[Terms, IndexArray, IndexArray]:
    """Distinct terms in ascending order, the row on which each is met first, and the place of each row's."""
    if not terms.size:  # no rows, or rows without concepts, which are all alike
        return terms[:1], np.zeros(len(terms[:1]), dtype=np.intp), np.zeros(len(terms), dtype=np.intp)
    found, first, place = np.unique(terms, axis=0, return_index=True, return_inverse=True)
    return found, first, place.reshape(-1)


def _helpful(terms: Terms, truth: TruthTable) -> BoolArray:
    """Which terms, one after the other, raise the macro-F1 of a formula on the validation rows."""
    covering = cover_of(terms, truth.names).covered_by_terms(truth.rows)
    is_target = np.repeat([True, False], truth.n_rows)
    weight = np.concatenate([truth.yes, truth.no])
    covered = np.zeros(truth.n_rows, dtype=np.bool_)
    kept = np.zeros(len(terms), dtype=np.bool_)
    best = 0.0
    for at, new in enumerate(covering.T):
        score = macro_f1(is_target, np.tile(covered | new, 2), weight)
        kept[at] = score > best
        if kept[at]:
            covered, best = covered | new, score
    return kept


def _join_terms(terms: Terms, names: tuple[str, ...]) -> Formula:
    """The disjunction of terms, simplified where there are few literals."""
    formula = cover_of(terms, names).to_formula()
    n_literals = int((terms > 0).any(axis=0).sum() + (terms < 0).any(axis=0).sum())
    return simplify(formula) if n_literals < FEW_LITERALS else formula


def _validation_table(validation: tuple[ArrayLike, ArrayLike], names: tuple[str, ...]) -> TruthTable:
    if not isinstance(validation, (tuple, list)) or len(validation) != 2:
        raise InputError(f"validation must be a pair of concepts and truth. Got {shown(validation)}.")
    return TruthTable.from_data(read_samples(validation[0], names), validation[1], names)
