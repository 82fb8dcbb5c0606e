"""Rows that belong together: of one patient, or copies of one another. No split may part them.

Were some of them learned from and others held out, scores would be about rows that were seen before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from logiclens.concepts.table import Column, Table
from logiclens.estimators.folds import FEW_ROWS
from logiclens.logic.arrays import IndexArray

_BY_CHANCE: Final = 0.1  # share of the pairs of equal rows that may be equal by chance
_COPIES: Final = 0.01  # of fewer rows no figure changes by a point


def group_copies(X: Any) -> IndexArray | None:
    """A number for each row, equal where rows are copies, to pass as ``groups``; None where there are none.

    Rows of few, coarse columns are equal by chance: two women who travel first class are two women, and the
    next one will be like them. Equal rows are copies where chance does not explain them, see
    :func:`are_copies`. Copies are no new rows: what is learned from one is no news about the other.

    Parameters
    ----------
    X : data frame, array or mapping, n rows
        The columns to learn from. A missing value equals another one.

    Returns
    -------
    ndarray of int, shape (n,), or None

    Examples
    --------
    >>> numbers = np.random.default_rng(0).random((20, 3))
    >>> found = group_copies(numbers[[*range(20), 3, 3]])
    >>> len(set(found.tolist())), found[[20, 21]] == found[3], group_copies(numbers)
    (20, array([ True,  True]), None)
    >>> group_copies(np.random.default_rng(0).integers(2, size=(200, 7)))
    """
    table = Table(X)
    n, columns = table.n_rows, [table.column(name) for name in table.names]
    random = np.random.default_rng(0)
    keys = np.zeros(n, dtype=np.uint64)
    for column in columns:  # different rows share a sum of such numbers by no chance
        keys += _scrambled(column, random.integers(2**64, dtype=np.uint64))
    _, groups, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    if len(sizes) == n:
        return None
    pairs, *alike = map(_equal_pairs, (sizes, *(np.bincount(column.codes + 1) for column in columns)))
    return np.asarray(groups, dtype=np.intp) if are_copies(n, len(sizes), pairs, alike) else None


def are_copies(n: int, n_distinct: int, pairs: float, alike: Sequence[float]) -> bool:
    """Whether equal rows of a table are copies, rather than equal by chance.

    Were columns independent, two rows would be equal as often as they agree on every column by itself: that
    share of all pairs is put down to chance. Equal rows are copies where at most one in ten pairs of them is
    due to chance (a false discovery rate), however often each is there. Where columns depend on one another,
    more rows are equal without being copies; to hold these out together makes figures more careful.

    At least one row in a hundred must have an equal one before it, or no figure changes by a point. And there
    must be as many distinct rows as a fit needs to hold some out: of fewer, each is a kind of row.

    Parameters
    ----------
    n, n_distinct : int
        Rows, and distinct rows.
    pairs : float
        Share of all pairs of rows that are equal.
    alike : sequence of float
        The same of each column by itself.

    Examples
    --------
    >>> are_copies(600, 100, pairs=5 / 599, alike=[0.01, 0.01])
    True
    >>> are_copies(2201, 14, pairs=0.22, alike=[0.3, 0.67, 0.9])  # class, sex and age of passengers
    False
    """
    enough = FEW_ROWS <= n_distinct <= (1.0 - _COPIES) * n
    return enough and float(np.prod(alike)) <= _BY_CHANCE * pairs


def _equal_pairs(sizes: IndexArray) -> float:
    """Share of the pairs of two rows that are equal, from how many rows there are of each kind."""
    n = float(sizes.sum())
    return float((sizes * (sizes - 1.0)).sum() / (n * (n - 1.0)))


def _scrambled(column: Column, salt: np.uint64) -> NDArray[np.uint64]:
    """A number of 64 bits for each value, equal where values are (SplitMix64), (n,)."""
    if column.is_numeric:
        bits = (column.numbers() + 0.0).view(np.uint64)  # there are two zeros, which are equal
    else:
        bits = column.codes.astype(np.uint64)
    for factor, shift in ((0xBF58476D1CE4E5B9, 30), (0x94D049BB133111EB, 27)):
        bits = ((bits + salt) ^ ((bits + salt) >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(bits ^ (bits >> np.uint64(31)))


def joined(first: IndexArray, second: IndexArray) -> IndexArray:
    """Groups of both kinds as one: rows are together if a chain of either kind connects them, (n,).

    Examples
    --------
    >>> joined(np.array([0, 0, 1, 2]), np.array([5, 6, 6, 7])).tolist()
    [0, 0, 0, 1]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(first))
    n = int(first.max()) + 1
    links = coo_array((ones, (first, n + second)), shape=(n + int(second.max()) + 1,) * 2)
    return np.unique(connected_components(links, directed=False)[1][first], return_inverse=True)[1]
