"""Concepts for the starts of a clustering that read few.

Networks that start at random seldom end in a cluster that is one concept, and which clusters they find
differs from seed to seed. So some starts read one concept from the beginning or, for more than two clusters,
a few that tell that many groups apart. Which ones is found by counting, so it is the same for every seed.
What the networks make of them is learnt, and judged, like any other start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, pack
from logiclens.logic.values import THRESHOLD

Reads = tuple[tuple[int, ...], ...]
"""The columns that the network of each cluster may read."""

_ROUNDING = 1e-9  # values that differ by less are equal


class Tuples(NamedTuple):
    """Distinct Boolean rows.

    ``bits`` has shape (n, n_concepts), ``weight`` (n,); ``place``, of shape (n_rows,), says which of them
    each row of the data is.
    """

    bits: BoolArray
    weight: FloatArray
    place: IndexArray

    @classmethod
    def of(cls, values: FloatArray, weight: FloatArray) -> Tuples:
        """Merge the rows that are equal once Boolean.

        Parameters
        ----------
        values : ndarray of shape (n_rows, n_concepts)
        weight : ndarray of shape (n_rows,)

        Examples
        --------
        >>> Tuples.of(np.array([[0.9], [0.2], [0.7]]), np.ones(3)).weight
        array([1., 2.])
        """
        bits = values > THRESHOLD
        _, first, place = np.unique(pack(bits), axis=0, return_index=True, return_inverse=True)
        place = place.reshape(-1)
        total = np.bincount(place, weights=weight, minlength=len(first)).astype(np.float64)
        return cls(bits[first], total, place)

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.weight.sum())


def few_concepts(tuples: Tuples, n_clusters: int, literal_cost: float, limit: int) -> list[Reads]:
    """Concepts for the starts that read few: for each cluster's network some, the best starts first.

    A start is grown from each concept on, by the concept that makes the groups' entropy largest for the
    literals that it takes. In one kind of start the groups are all combinations of a few concepts, and every
    network reads them all. In the other each network reads one concept, and its group is what those before it
    left. For two clusters there is the first kind alone, of one concept each.

    Parameters
    ----------
    tuples : Tuples
    n_clusters : int
    literal_cost : float
        Price of a literal, as a share of the largest entropy.
    limit : int
        Most starts.

    Returns
    -------
    list of tuple of tuple of int
        The columns that the network of each cluster reads.

    Examples
    --------
    >>> bits = np.array([[0, 1, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]], dtype=bool)
    >>> few_concepts(Tuples(bits, np.array([3.0, 1.0, 2.0, 2.0]), np.arange(4)), 2, 0.01, 8)
    [((2,), (2,)), ((0,), (0,))]
    """
    if n_clusters < 2:
        return []
    usable = _distinct_columns(tuples)
    found: dict[Reads, float] = {}
    for first in usable:
        columns, value = _combined(tuples, first, usable, n_clusters, literal_cost)
        found.setdefault((tuple(sorted(columns)),) * n_clusters, value)
        if n_clusters == 2:
            continue
        columns, value = _listed(tuples, first, usable, n_clusters, literal_cost)
        padded = (*columns, *columns[-1:] * n_clusters)[:n_clusters]
        found.setdefault(tuple((j,) for j in sorted(padded)), value)
    return sorted(found, key=lambda reads: (-round(found[reads], 9), reads))[:limit]


def _distinct_columns(tuples: Tuples) -> list[int]:
    """Columns that are not constant, and neither equal nor opposite to one before, most even first."""
    bits = tuples.bits[tuples.weight > 0]
    words = pack(np.ascontiguousarray((bits ^ bits[:1]).T))  # opposite columns are equal now
    _, first = np.unique(words, axis=0, return_index=True)
    share = tuples.weight @ tuples.bits / tuples.weight.sum()
    unevenness = np.abs(share - 0.5).round(9)
    varied = [int(j) for j in first if words[j].any()]
    return sorted(varied, key=lambda j: (unevenness[j], j))


def _combined(
    tuples: Tuples, first: int, usable: Sequence[int], n_clusters: int, literal_cost: float
) -> tuple[list[int], float]:
    """Columns from ``first`` on whose combinations are the groups, and what they are worth."""
    columns, group, largest = [first], tuples.bits[:, first].astype(np.int64), float(np.log(n_clusters))
    reached = entropy(group_weights(group, tuples.weight))
    for _ in range((n_clusters - 1).bit_length() - 1):
        best = -1
        for j in usable:
            gained = entropy(group_weights(2 * group + tuples.bits[:, j], tuples.weight))
            if j not in columns and gained > reached + _ROUNDING:
                best, reached = j, gained
        if best < 0:
            break
        columns.append(best)
        group = np.unique(2 * group + tuples.bits[:, best], return_inverse=True)[1].reshape(-1)
    return columns, min(reached / largest, 1.0) - literal_cost * n_clusters * len(columns)


def _listed(
    tuples: Tuples, first: int, usable: Sequence[int], n_clusters: int, literal_cost: float
) -> tuple[list[int], float]:
    """Columns from ``first`` on, the group of each what those before it left, and what they are worth.

    The last column is the one nearest to what all others left.
    """
    columns, largest = [first], float(np.log(n_clusters))
    taken = tuples.bits[:, first]
    sizes = [float(tuples.weight @ taken)]
    literals = 1
    while len(columns) < n_clusters - 1:
        best: tuple[float, int, int] | None = None
        for j in usable:
            size = float(tuples.weight @ (tuples.bits[:, j] & ~taken))
            if j in columns or size <= 0:
                continue
            # A concept that never goes with one before it needs no literal to shut that one out.
            shut_out = [i for i in columns if tuples.weight @ (tuples.bits[:, j] & tuples.bits[:, i]) > 0]
            cost = literals + 1 + len(shut_out)
            left = tuples.total - sum(sizes) - size
            value = entropy(np.array([*sizes, size, left])) / largest - literal_cost * cost
            if best is None or value > best[0] + _ROUNDING:
                best = (value, j, cost)
        if best is None:
            break
        _, j, literals = best
        sizes.append(float(tuples.weight @ (tuples.bits[:, j] & ~taken)))
        taken = taken | tuples.bits[:, j]
        columns.append(j)
    wrong = tuples.weight @ (tuples.bits == taken[:, None])
    nearest = min(usable, key=lambda j: (round(float(wrong[j]), 9), j))
    left = max(tuples.total - sum(sizes), 0.0)
    value = entropy(np.array([*sizes, left])) / largest - literal_cost * (literals + 1)
    return [*columns, nearest], value


def entropy(weight: FloatArray) -> float:
    """Entropy of the distribution with those weights, in nats.

    Examples
    --------
    >>> round(entropy(np.array([3.0, 3.0, 0.0])), 4)  # log 2
    0.6931
    """
    p = weight[weight > 0] / weight.sum()
    return float(max(-(p @ np.log(p)), 0.0))


def group_weights(group: IndexArray, weight: FloatArray, n_groups: int = 0) -> FloatArray:
    """Weight of the rows of each group, shape (n_groups,) or longer."""
    return np.bincount(group, weights=weight, minlength=n_groups).astype(np.float64)
