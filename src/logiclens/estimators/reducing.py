"""What networks are trained on where a table is large: the most telling concepts, and a sample of the rows.

Training takes time in proportion to rows times concepts, and most of it goes into finding the few concepts
that matter. That can be told from some ten thousand rows as well as from a million. So of more than
:data:`MOST_ROWS` distinct rows a sample of about as many is trained on. Which of the networks is best, how
they settle and what their rules say is decided on all rows, as ever. Tables of fewer rows and concepts are
left alone.

Of more than :data:`MOST_CONCEPTS` concepts the networks see those that tell most about an output. Gains are
compared a few times, each time within the parts that the best concepts so far divide the rows into: a
thousand copies of one signal do not crowd out the next one.

Both are decided fold by fold, on distinct rows in an order of their own, so that a fold of a cross-validation
is what a fit on that fold would have been, and a row of weight 3 is three rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from logiclens.concepts.cuts import entropy_bits
from logiclens.estimators.counting import Distinct, Fold
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.values import THRESHOLD

MOST_ROWS = 1 << 16
"""Distinct rows up to which all of them are trained on; of a table of more, about as many are drawn."""
CELLS = 1 << 25
"""Most rows times concepts in a sample."""
MOST_CONCEPTS = 1 << 11
"""Concepts up to which all of them are trained on."""
TELLING = (256, 32, 1024)
"""Concepts of a table of more that are taken for an output: at most, at least; and for all outputs."""
_ROUNDS = 4  # times that gains are compared
_BLOCK = 1 << 9  # concepts counted at once


@dataclass(frozen=True, eq=False)
class Reduced:
    """What is trained on.

    Attributes
    ----------
    x : ndarray of shape (n_drawn, n_taken)
    outputs : ndarray of shape (n_drawn, n_outputs)
    fold : Fold
        Weights of the rows drawn: in the mean over all draws, those of all rows.
    columns : ndarray of int, shape (n_taken,)
        Which concepts those of ``x`` are, in ascending order.
    """

    x: FloatArray
    outputs: FloatArray
    fold: Fold
    columns: IndexArray


def is_large(x: FloatArray, fold: Fold) -> bool:
    """Whether the rows of a fold have too many concepts to train on them all, or are too many.

    Parameters
    ----------
    x : ndarray of shape (n, n_concepts)
    fold : Fold
    """
    used = (fold.train + fold.check) > 0
    if x.shape[1] > MOST_CONCEPTS:
        return True
    return bool(used.sum() > MOST_ROWS and len(Distinct.of(x[used]).first) > MOST_ROWS)


def reduced(x: FloatArray, outputs: FloatArray, fold: Fold, seed: int) -> Reduced:
    """The rows and concepts that networks are trained on, for one fold.

    Parameters
    ----------
    x : ndarray of shape (n, n_concepts)
    outputs : ndarray of shape (n, n_outputs)
        What to learn, in [0, 1].
    fold : Fold
    seed : int

    Returns
    -------
    Reduced
    """
    columns = np.arange(x.shape[1])
    x, outputs, fold = _used(x, outputs, fold)
    if len(x) > MOST_ROWS:
        n_drawn = min(MOST_ROWS, CELLS // min(len(columns), MOST_CONCEPTS))
        x, outputs, fold = _used(x, outputs, sample(x, outputs, fold, n_drawn, seed))
    if len(columns) > MOST_CONCEPTS:
        columns = telling_concepts(x, outputs, fold.train + fold.check)
        x = x[:, columns]
    return Reduced(x, outputs, fold, columns)


def _used(x: FloatArray, outputs: FloatArray, fold: Fold) -> tuple[FloatArray, FloatArray, Fold]:
    """The rows that weigh something."""
    rows = (fold.train + fold.check) > 0
    if rows.all():
        return x, outputs, fold
    return x[rows], outputs[rows], Fold(fold.train[rows], fold.check[rows])


# Rows


def sample(x: FloatArray, outputs: FloatArray, fold: Fold, n_drawn: int, seed: int) -> Fold:
    """Draw rows to learn from and to check with; all others weigh nothing.

    Rows are drawn in proportion to their weight within the rarest output that is true of them; an output gets
    the more of the sample the more common it is, but only by the square root, so that a rare one keeps most
    of its rows. Weights make up for that.

    Parameters
    ----------
    x : ndarray of shape (n, n_concepts)
    outputs : ndarray of shape (n, n_outputs)
    fold : Fold
    n_drawn : int
    seed : int

    Examples
    --------
    >>> x = np.arange(1000.0)[:, None] / 1000
    >>> fold = sample(x, (x > 0.9) * 1.0, Fold(np.full(1000, 1.0), np.zeros(1000)), 100, seed=0)
    >>> int((fold.train > 0).sum()), round(fold.train.sum()), round(fold.train[x[:, 0] > 0.9].sum())
    (99, 1000, 99)
    """
    random = np.random.default_rng(seed)
    distinct = Distinct.of(x, outputs)
    strata = _rarest_true(outputs, fold.train + fold.check)[distinct.first]
    total = fold.train.sum() + fold.check.sum()
    parts = []
    for weight in (fold.train, fold.check):
        drawn = _draw(distinct.add_up(weight), strata, round(n_drawn * weight.sum() / total), random)
        part = np.zeros_like(weight)
        part[distinct.first] = drawn
        parts.append(part)
    return Fold(parts[0], parts[1])


def _rarest_true(outputs: FloatArray, weight: FloatArray) -> IndexArray:
    """For each row a number that stands for the rarest output that is true of it, (n,)."""
    order = np.argsort(weight @ outputs, kind="stable")
    true = outputs[:, order] > THRESHOLD
    return np.asarray(np.where(true.any(axis=1), true.argmax(axis=1), outputs.shape[1]))


def _draw(weight: FloatArray, strata: IndexArray, n_drawn: int, random: np.random.Generator) -> FloatArray:
    """New weights of distinct rows, (n,), most of them 0."""
    totals = np.bincount(strata, weight).astype(np.float64)
    sizes = np.bincount(strata[weight > 0], minlength=len(totals))
    allotted = _allotted(totals, sizes, n_drawn)
    drawn = weight.copy()
    order = np.lexsort((random.random(len(weight)), strata))
    ends = np.cumsum(np.bincount(strata))
    for stratum in np.flatnonzero(allotted < sizes):
        # A step goes through the rows at random, and draws each time it has gone so far.
        rows = order[ends[stratum - 1] if stratum else 0 : ends[stratum]]
        step = totals[stratum] / allotted[stratum]
        drawn[rows] = step * np.diff(np.floor(np.cumsum(weight[rows]) / step + random.random()), prepend=0.0)
    return drawn


def _allotted(totals: FloatArray, sizes: IndexArray, n_drawn: int) -> IndexArray:
    """Rows to draw from each stratum; all of one that has no more than its share."""
    allotted = np.zeros(len(totals), dtype=np.intp)
    waiting = totals > 0
    while waiting.any():
        roots = np.sqrt(np.where(waiting, totals, 0.0))
        share = max(n_drawn - int(allotted[~waiting].sum()), 0) * roots / roots.sum()
        few = waiting & (share >= sizes)
        allotted[waiting] = np.maximum(share[waiting].astype(np.intp), 1)
        if not few.any():
            break
        allotted[few] = sizes[few]
        waiting &= ~few
    return allotted


# Concepts


def telling_concepts(x: FloatArray, outputs: FloatArray, weight: FloatArray) -> IndexArray:
    """The concepts that tell most about the outputs, in ascending order.

    Parameters
    ----------
    x : ndarray of shape (n, n_concepts)
    outputs : ndarray of shape (n, n_outputs)
    weight : ndarray of shape (n,)

    Examples
    --------
    >>> x = (np.random.default_rng(0).random((200, 3000)) > 0.5) * 1.0
    >>> {70, 2000} <= {*telling_concepts(x, x[:, [70]] * x[:, [2000]], np.ones(200)).tolist()}
    True
    """
    most, least, of_all = TELLING
    n_outputs = outputs.shape[1]
    per_output = int(np.clip(of_all // n_outputs, least, most))
    truth = x > THRESHOLD
    taken = np.zeros(x.shape[1], dtype=np.bool_)
    for output in range(n_outputs):
        yes = weight * outputs[:, output]
        taken[_most_telling(truth, np.column_stack([weight - yes, yes]), per_output)] = True
    return np.flatnonzero(taken)


def _most_telling(truth: BoolArray, answers: FloatArray, n_taken: int) -> list[int]:
    """Concepts of largest gain about yes and no, (n, 2), in the parts that the best ones so far make."""
    taken: list[int] = []
    part = np.zeros(len(truth), dtype=np.intp)
    for at in range(_ROUNDS):
        gains = _gains(truth, part, answers)
        gains[taken] = -np.inf
        order = np.argsort(-gains, kind="stable")[: n_taken * (at + 1) // _ROUNDS - len(taken)]
        taken += order.tolist()
        part = 2 * part + truth[:, order[0]]
    return taken


def _gains(truth: BoolArray, part: IndexArray, answers: FloatArray) -> FloatArray:
    """Bits that each concept says about the answers to who knows the part of a row, (n_concepts,)."""
    n_parts = int(part.max()) + 1
    cells = np.zeros((len(part), n_parts, 2))
    cells[np.arange(len(part)), part] = answers
    whole = cells.sum(axis=0)
    flat = cells.reshape(len(part), -1)
    gains = np.empty(truth.shape[1])
    for start in range(0, truth.shape[1], _BLOCK):
        block = truth[:, start : start + _BLOCK].T.astype(np.float64)
        inside = (block @ flat).reshape(-1, n_parts, 2)
        bits = entropy_bits(whole) - entropy_bits(inside) - entropy_bits(np.maximum(whole - inside, 0.0))
        gains[start : start + _BLOCK] = bits.sum(axis=1)
    return gains
