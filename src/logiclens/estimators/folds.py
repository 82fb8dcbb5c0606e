"""Rows, how many each stands for, and which are held out or left out in turn.

A row of weight 3 is three equal rows, and one of weight 0 is none. So that two ways of writing the same data,
or an order of the rows, make no difference to a fit, everything random is drawn over *distinct* rows in an
order of their own, and networks are trained on those.

Weights that are whole numbers are counts. All others say how much a row matters: they are no number of rows,
and wherever chance is judged they stand for their effective number (Kish's).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from logiclens.logic.arrays import FloatArray, IndexArray

FEW_ROWS: Final = 20
"""Rows below which none are held out: rules are chosen by the rows that they were searched on."""
_DRAWN = 10**9  # rows from which on they are not drawn one by one
_EXACT = 2**53  # whole numbers up to here are exact in double precision


def are_counts(weight: FloatArray) -> bool:
    """True if weights are numbers of rows: all of them whole, and few enough to be counted exactly."""
    return bool(weight.sum() < _EXACT and (weight == np.round(weight)).all())


def effective_rows(weight: FloatArray) -> float:
    """How many rows weights stand for: their sum where they are counts, else their effective number.

    Examples
    --------
    >>> effective_rows(np.array([3.0, 1.0, 0.0])), effective_rows(np.array([0.5, 0.5]))
    (4.0, 2.0)
    """
    if are_counts(weight):
        return float(weight.sum())
    share = weight / weight.max()  # the squares of tiny weights would vanish
    return float(share.sum() ** 2 / np.square(share).sum())


def number_of_rows(weight: FloatArray) -> int:
    """How many rows there are: the sum of counts, or as many as have a weight."""
    return int(weight.sum() if are_counts(weight) else (weight > 0).sum())


def as_counts(weight: FloatArray) -> FloatArray:
    """Weights, scaled so that they add up to the rows they stand for; counts stay as they are."""
    return weight if are_counts(weight) else weight * (effective_rows(weight) / weight.sum())


@dataclass(frozen=True, eq=False)
class RowSplit:
    """Weights of the rows to learn from and of those to check with, each of shape (n,).

    ``number`` says which of several folds it is, for classifiers that give each a seed of its own.
    ``parts`` divide the rows for cross-fitting: the weights of those that each part leaves out.
    """

    train: FloatArray
    check: FloatArray
    number: int = 0
    parts: tuple[FloatArray, ...] = ()

    def scaled(self) -> RowSplit:
        """Weights of about 1 at most, which single precision can hold: divided by a power of two."""
        power = np.frexp(max(self.train.max(), self.check.max()))[1] - 1
        return RowSplit(np.ldexp(self.train, -power), np.ldexp(self.check, -power))


@dataclass(frozen=True, eq=False)
class Distinct:
    """The distinct rows of some arrays, in an order that depends on nothing but what they hold.

    Examples
    --------
    >>> Distinct.of(np.array([[1.0], [0.0], [1.0]])).add_up(np.array([1.0, 1.0, 2.0]))
    array([1., 3.])
    """

    first: IndexArray
    """Where each is found first, (n_distinct,)."""
    place: IndexArray
    """Which of them each row is, (n,)."""

    @classmethod
    def of(cls, *arrays: FloatArray | NDArray[np.uint8]) -> Distinct:
        """Find them; rows, of arrays (n, k), are equal if they are in all arrays."""
        key = np.hstack([_bytes(array) for array in arrays])
        if not key.shape[1]:  # rows of no columns are all equal
            key = np.zeros((len(key), 1), dtype=np.uint8)
        whole = np.ascontiguousarray(key).view(np.dtype((np.void, key.shape[1])))[:, 0]
        _, first, place = np.unique(whole, return_index=True, return_inverse=True)
        return cls(first, place)

    def add_up(self, weight: FloatArray) -> FloatArray:
        """Weight of each distinct row, (n_distinct,), from that of the rows, (n,), or of columns, (n, k)."""
        if weight.ndim == 2:
            return np.stack([self.add_up(column) for column in weight.T], axis=1)
        return np.bincount(self.place, weights=weight, minlength=len(self.first)).astype(np.float64)


def _bytes(array: FloatArray | NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Rows as bytes, (n, n_bytes), equal where the rows are; zeros and ones take a bit each, bytes one."""
    if array.dtype == np.uint8:
        return np.asarray(array)
    if ((array == 0) | (array == 1)).all():
        return np.packbits(array > 0, axis=1)
    positive = np.ascontiguousarray(array + 0.0)  # there are two zeros, which are equal
    return positive.view(np.uint8).reshape(len(array), -1)


def draw_rows(rows: Distinct, counts: FloatArray, strata: IndexArray, n_drawn: int, seed: int) -> FloatArray:
    """Draw this many of the counted rows at random, (n,): how many of those that each row stands for.

    Every stratum, and every distinct row that is counted often, is drawn from in proportion. The rows are
    those of concepts and targets, so that each is in one stratum.

    Examples
    --------
    >>> rows = Distinct.of(np.array([[0.0], [1.0]]))
    >>> draw_rows(rows, np.array([4.0, 8.0]), np.array([0, 1]), 3, seed=0)
    array([1., 2.])
    """
    random = np.random.default_rng(seed)
    counted = rows.add_up(counts)
    # A step goes through rows at random, stratum by stratum, and draws each time it has gone so far.
    order = np.lexsort((random.random(len(counted)), strata[rows.first]))
    way = np.cumsum(counted[order])
    drawn = np.zeros(len(counted))
    drawn[order] = np.diff(np.floor(way * n_drawn / way[-1] + random.random()), prepend=0.0)
    return _first_of(rows, counts, drawn)


def systematic_sample(weight: FloatArray, order: IndexArray, size: int, start: float) -> FloatArray:
    """Weights of about this many rows, 0 for the others, (n,): by steps of equal weight, in an order."""
    step = weight.sum() / size
    drawn = np.empty_like(weight)
    drawn[order] = step * np.diff(np.floor(np.cumsum(weight[order]) / step + start), prepend=0.0)
    return drawn


def hold_out(
    x: FloatArray,
    outputs: FloatArray,
    strata: IndexArray,
    weight: FloatArray,
    share: float,
    seed: int,
    groups: IndexArray | None = None,
) -> RowSplit:
    """Set rows aside to check with, in proportion from every stratum.

    A row that is counted several times may be on both sides, as equal rows may; rows of one group may not.
    Rows of weight 0 do not count for the ``share``.
    """
    if groups is not None:
        check = np.where(group_places(groups, strata, weight, seed) < share, weight, 0.0)
        return RowSplit(weight - check, check)
    rows = np.flatnonzero(weight > 0)
    counts = weight[rows] if are_counts(weight) else np.ones(len(rows))
    n_check = round(counts.sum() * share)
    check = np.zeros_like(weight)
    if 0 < n_check < counts.sum():
        drawn = draw_rows(Distinct.of(x[rows], outputs[rows]), counts, strata[rows], n_check, seed)
        check[rows] = weight[rows] * (drawn / counts)
    return RowSplit(weight - check, check)


def leave_out(
    x: FloatArray,
    outputs: FloatArray,
    strata: IndexArray,
    weight: FloatArray,
    parts: int,
    seed: int,
    groups: IndexArray | None = None,
) -> list[FloatArray]:
    """Divide rows into parts, each in proportion from every stratum: the weights of the rows in each, (n,).

    A row that is counted several times may be in several parts, as equal rows may; rows of one group may not.
    """
    if groups is not None:
        of = np.floor(parts * group_places(groups, strata, weight, seed))
        return [np.where(of == part, weight, 0.0) for part in range(parts)]
    rows = np.flatnonzero(weight > 0)
    counts = weight[rows] if are_counts(weight) else np.ones(len(rows))
    same = Distinct.of(x[rows], outputs[rows])
    rest, of = same.add_up(counts), strata[rows][same.first]
    random = np.random.default_rng(seed)
    until = np.cumsum(np.bincount(of, rest))
    found, drawn = [], np.zeros(len(rest))
    for part in range(parts):
        before = _first_of(same, counts, drawn)
        sizes = np.diff(np.floor((until + part) / parts), prepend=0.0)
        for stratum in np.unique(of):
            drawn[of == stratum] += _draw(rest[of == stratum] - drawn[of == stratum], sizes[stratum], random)
        left = np.zeros_like(weight)
        left[rows] = (_first_of(same, counts, drawn) - before) * (weight[rows] / counts)
        found.append(left)
    return found


def group_places(groups: IndexArray, strata: IndexArray, weight: FloatArray, seed: int) -> FloatArray:
    """Where each row's group is, in [0, 1), if groups of its stratum are laid side by side at random, (n,).

    A group belongs to the stratum of most of its weight. Rows up to a place are that share of every stratum.

    Examples
    --------
    >>> group_places(np.array([0, 0, 1, 2]), np.zeros(4, dtype=int), np.ones(4), seed=0)
    array([0.75 , 0.75 , 0.375, 0.125])
    """
    n_groups = int(groups.max(initial=-1)) + 1
    sizes = np.zeros((n_groups, int(strata.max(initial=0)) + 1))
    np.add.at(sizes, (groups, strata), weight)
    of, size = sizes.argmax(axis=1), sizes.sum(axis=1)
    order = np.lexsort((np.random.default_rng(seed).random(n_groups), of))
    total = np.bincount(of, size, sizes.shape[1])
    before = np.cumsum(size[order]) - size[order] - (np.cumsum(total) - total)[of[order]]
    places = np.empty(n_groups)
    places[order] = (before + size[order] / 2) / np.where(total > 0, total, 1.0)[of[order]]
    return np.asarray(np.clip(places, 0.0, np.nextafter(1.0, 0.0))[groups])


def _draw(counts: FloatArray, number: float, random: np.random.Generator) -> FloatArray:
    """Draw this many of the counted rows, (n,), each as likely as any other, whatever rows are equal to it.

    Were equal rows spread evenly, some of each would always stay, and what is learned from these would be
    rated too high.
    """
    total = counts.sum()
    if total >= _DRAWN:
        return np.diff(np.floor(np.cumsum(counts) * (number / total)), prepend=0.0)
    drawn = random.multivariate_hypergeometric(counts.astype(np.int64), int(number), method="marginals")
    return drawn.astype(np.float64)


def _first_of(rows: Distinct, counts: FloatArray, drawn: FloatArray) -> FloatArray:
    """Of equal rows the first that stand for as many as were drawn, (n,)."""
    order = np.argsort(rows.place, kind="stable")
    way = np.cumsum(counts[order])
    starts = np.concatenate([[0.0], np.cumsum(rows.add_up(counts))])[rows.place[order]]
    before = way - counts[order] - starts  # counted so far among its equals
    found = np.zeros(len(counts))
    found[order] = np.clip(drawn[rows.place[order]] - before, 0.0, counts[order])
    return found
