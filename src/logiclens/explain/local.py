"""Explanations of single examples (Eq. 1) and of sets of them (Eq. 2).

**One example.** Eq. (1) writes down all literals of the example. Most are there by accident, so they are cut
down to what is sufficient on the data: literals are taken, the most relevant first, until no tuple to which
the network says no satisfies the term; then superfluous ones are dropped, the least relevant first. What is
left is minimal: without any of its literals the term would hold on a contrary tuple.

**A set of examples.** Eq. (2) joins the terms of its members. The shortest formula is wanted that holds on
all of them and on no tuple to which the network says no; other tuples with a yes are don't-cares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from logiclens.errors import InputError
from logiclens.explain.explanation import Explanation, Scope
from logiclens.explain.label import Label
from logiclens.explain.rule import Rule, RuleKind, member
from logiclens.explain.unseen import check_table
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, Terms, Words, pack, quiet_products
from logiclens.logic.cover import Cover
from logiclens.logic.data import ConceptData
from logiclens.logic.minimize import minimize
from logiclens.logic.truth_table import TruthTable
from logiclens.logic.values import as_floats

SUFFICIENT = "sufficient on the data"
CONTRADICTED = "the network says no to most rows with the same concepts"
UNOPPOSED = "nothing on the data speaks against it"
_BYTES: Final = 1 << 25  # memory for the examples that are worked on at once


def explain_example(
    sample: ArrayLike,
    table: TruthTable,
    target: Label,
    *,
    relevance: ArrayLike | None = None,
    kind: RuleKind | str = RuleKind.ONLY_IF,
) -> Explanation:
    """Say why the network gives one example its target.

    Parameters
    ----------
    sample : array of shape (n_concepts,)
        The example, over the table's concepts in their order: Booleans or numbers in [0, 1].
    table : TruthTable
        The network's yes and no about the target.
    target : str, int, float or bool
        The target that the network predicts for the example.
    relevance : array of shape (n_concepts,), optional
        How much each concept matters to the network at this example, larger for more. Without it, literals
        that exclude the most contrary weight are taken first.
    kind : RuleKind, default "only_if"
        The term is a sufficient condition; for networks trained with another kind it may be said so.

    Returns
    -------
    Explanation
        Of one term, which the example satisfies.

    Examples
    --------
    >>> X = [[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]
    >>> table = TruthTable.from_data(X, [1, 0, 0, 0], names=["wings", "beak", "fins"])
    >>> print(explain_example([1, 1, 0], table, "bird"))
    forall x: (wings(x) & beak(x)) -> bird(x)
    >>> print(explain_example([1, 1, 0], table, "bird", relevance=[0, 1, 2]))
    forall x: (beak(x) & ~fins(x)) -> bird(x)

    References
    ----------
    Sec. 4.1, Eq. (1) of Ciravegna et al., *Logic Explained Networks*.
    """
    check_table(table, "table")
    samples = read_samples(np.asarray(sample)[None], table.names)
    scores = None if relevance is None else np.asarray(relevance)[None]
    term = explain_examples(samples, table, relevance=scores)
    formula = cover_of(term, table.names).to_formula()
    own = _is_among(table, samples)
    against = table.no > table.yes
    status = UNOPPOSED if not against.any() else CONTRADICTED if against[own].any() else SUFFICIENT
    return Explanation(
        Rule(target, formula, member(RuleKind, kind, "kind of rule")), Scope.EXAMPLE, status, support=1.0
    )


def explain_examples(samples: ArrayLike, table: TruthTable, *, relevance: ArrayLike | None = None) -> Terms:
    """Terms that are sufficient for many examples, one each.

    Parameters
    ----------
    samples : array of shape (n_samples, n_concepts)
        Over the table's concepts in their order: Booleans or numbers in [0, 1].
    table : TruthTable
        The network's yes and no about the target that it predicts for all of them.
    relevance : array of shape (n_concepts,) or (n_samples, n_concepts), optional
        As for :func:`explain_example`.

    Returns
    -------
    Terms, shape (n_samples, n_concepts)
        1 for a concept, -1 for its negation, 0 for neither. No tuple with more weight of no than of yes
        satisfies an example's term, except the example's own.

    Examples
    --------
    >>> table = TruthTable.from_data([[1, 1], [1, 0], [0, 1], [0, 0]], [1, 1, 0, 0])
    >>> explain_examples([[1, 1], [1, 0]], table).tolist()
    [[1, 0], [1, 0]]
    """
    check_table(table, "table")
    rows = read_samples(samples, table.names)
    scores = None if relevance is None else read_relevance(relevance, rows.shape)
    terms = np.zeros(rows.shape, dtype=np.int8)
    against = table.no > table.yes
    contrary, weight = table.to_array()[against], table.no[against]
    if not len(contrary) or not rows.size:
        return terms
    columns = pack(np.ascontiguousarray(contrary.T))
    size = max(1, _BYTES // (8 * columns.shape[1] * rows.shape[1] + 8 * len(contrary)))
    for start in range(0, len(rows), size):
        block = slice(start, start + size)
        if scores is None:
            order = _greedy_order(rows[block], contrary, weight)
        else:
            order = np.argsort(-scores[block], axis=1, kind="stable")
        kept = _sufficient(rows[block], columns, len(contrary), order)
        terms[block] = np.where(kept, np.where(rows[block], 1, -1), 0)
    return terms


def explain_set(
    samples: ArrayLike,
    table: TruthTable,
    target: Label,
    *,
    order: Sequence[str] | ArrayLike | None = None,
    kind: RuleKind | str = RuleKind.ONLY_IF,
) -> Explanation:
    """Say what makes the network give some examples their target.

    Parameters
    ----------
    samples : array of shape (n_samples, n_concepts)
        Over the table's concepts in their order: Booleans or numbers in [0, 1].
    table : TruthTable
        The network's yes and no about the target.
    target : str, int, float or bool
        The target that the network predicts for all of them.
    order : sequence of str, or array of shape (n_concepts,), optional
        Which concepts matter, as for :func:`logiclens.logic.minimize`.
    kind : RuleKind, default "only_if"

    Returns
    -------
    Explanation
        Its formula holds on all of the examples and on no tuple with more weight of no than of yes, but for
        tuples of the examples themselves.

    Examples
    --------
    >>> X = [[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]]
    >>> table = TruthTable.from_data(X, [1, 1, 1, 0], names=["wings", "beak", "fins"])
    >>> print(explain_set(X[:2], table, "bird"))
    forall x: wings(x) -> bird(x)

    References
    ----------
    Sec. 4.1, Eq. (2) of Ciravegna et al., *Logic Explained Networks*.
    """
    check_table(table, "table")
    rows = read_samples(samples, table.names)
    if not len(rows):
        raise InputError("A set of examples needs at least one row. Got none.")
    against = (table.no > table.yes) & ~_is_among(table, rows)
    wanted = np.concatenate([np.ones(len(rows)), np.zeros(int(against.sum()))])
    avoided = np.concatenate([np.zeros(len(rows)), table.no[against]])
    tuples = np.concatenate([rows, table.to_array()[against]])
    found = minimize(TruthTable.from_counts(tuples, wanted, avoided, table.names), order=order)
    status = UNOPPOSED if not against.any() else str(found.status)
    return Explanation(
        Rule(target, found.formula, member(RuleKind, kind, "kind of rule")),
        Scope.SET,
        status,
        support=float(len(rows)),
    )


def cover_of(terms: Terms, names: Sequence[str]) -> Cover:
    """Return terms as a cover over those concepts."""
    return Cover(names, pack(terms > 0), pack(terms < 0))


def read_samples(samples: ArrayLike, names: Sequence[str]) -> BoolArray:
    """Truth of examples over those concepts, shape (n_samples, n_concepts)."""
    data, nothing = ConceptData(samples, names), np.zeros((0, len(names)), dtype=np.bool_)
    return np.concatenate([nothing, *data.blocks(range(len(names)), 1 << 17)])


def read_relevance(relevance: ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """Finite scores of that shape, or of one row that stands for all."""
    scores = as_floats(relevance, "relevance")
    if scores.shape not in (shape, shape[1:]):
        raise InputError(
            f"relevance must have a score for each concept: shape {shape[1:]} or {shape}. "
            f"Got shape {scores.shape}."
        )
    if not np.isfinite(scores).all():
        raise InputError("relevance must hold finite scores. Check for NaN and infinity.")
    return np.broadcast_to(scores, shape)


def _is_among(table: TruthTable, rows: BoolArray) -> BoolArray:
    """Which tuples of a table are among some rows, shape (n_rows,)."""
    if not table.names:
        return np.ones(table.n_rows, dtype=np.bool_)
    kind = np.dtype((np.void, table.rows.itemsize * table.rows.shape[1]))
    tuples, others = (np.ascontiguousarray(words).view(kind)[:, 0] for words in (table.rows, pack(rows)))
    return np.isin(tuples, others)


@quiet_products
def _greedy_order(rows: BoolArray, contrary: BoolArray, weight: FloatArray) -> IndexArray:
    """For each example its concepts, those first that exclude most of the contrary weight left over."""
    n_rows, n_concepts = rows.shape
    order = np.zeros(rows.shape, dtype=np.intp)
    taken = np.zeros(rows.shape, dtype=np.bool_)
    left = np.broadcast_to(weight, (n_rows, len(weight))).copy()
    everyone, true = np.arange(n_rows), contrary.astype(np.float64)
    for step in range(n_concepts):
        with_concept = left @ true
        excluded = np.where(rows, left.sum(axis=1, keepdims=True) - with_concept, with_concept)
        excluded[taken] = -np.inf
        order[:, step] = best = excluded.argmax(axis=1)
        taken[everyone, best] = True
        left[contrary.T[best] != rows[everyone, best, None]] = 0.0
    return order


def _sufficient(rows: BoolArray, columns: Words, n_contrary: int, order: IndexArray) -> BoolArray:
    """Which literals of each example are needed to exclude every contrary tuple.

    Parameters
    ----------
    rows : ndarray of bool, shape (n_samples, n_concepts)
    columns : Words, shape (n_concepts, n_words)
        The contrary tuples, one packed column for each concept.
    n_contrary : int
    order : ndarray of int, shape (n_samples, n_concepts)
        The concepts of each example, those to be kept first.
    """
    n_rows, n_concepts = rows.shape
    everyone = np.arange(n_rows)

    def agreeing(step: int) -> Words:
        """Contrary tuples that agree with each example in the concept that is its turn."""
        at = order[:, step]
        flip = np.where(rows[everyone, at], np.uint64(0), ~np.uint64(0))
        words: Words = columns[at] ^ flip[:, None]
        return words

    before = np.empty((n_concepts + 1, n_rows, columns.shape[1]), dtype=np.uint64)
    before[0] = pack(np.ones(n_contrary, dtype=np.bool_))
    for step in range(n_concepts):
        np.bitwise_and(before[step], agreeing(step), out=before[step + 1])
    before &= ~before[-1]  # but for the example itself, which nothing excludes
    needed = np.zeros(rows.shape, dtype=np.bool_)
    after = np.full(before.shape[1:], ~np.uint64(0))
    for step in reversed(range(n_concepts)):
        keep = (before[step] & after).any(axis=1)
        after[keep] &= agreeing(step)[keep]
        needed[everyone, order[:, step]] = keep
    return needed
