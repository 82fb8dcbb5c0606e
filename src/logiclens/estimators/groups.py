"""Rows that belong together: of one patient, or copies of one another. No split may part them.

Were some of them learned from and others held out, scores would be about rows that were seen before.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from logiclens.concepts.table import Column, Table
from logiclens.logic.arrays import IndexArray

_COPIES: Final = 0.01  # share of the rows that must be copies, or they change no figure
_DISTINCT: Final = 0.05  # share of the rows that must differ, or the columns have few values to combine
_TIMES: Final = 10.0  # more pairs of equal rows than independent columns would have


def group_copies(X: Any) -> IndexArray | None:
    """A number for each row, equal where rows are copies, to pass as ``groups``; None where there are none.

    Rows of few coarse columns are equal by chance: then they are no copies. They are where there are over ten
    times as many pairs of equal rows as independent columns would have, at least 1 % of the rows have an
    equal one before them, and there are not too few distinct rows.

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
    if not _DISTINCT * n <= len(sizes) <= (1.0 - _COPIES) * n:
        return None
    expected = n * (n - 1) / 2
    for column in columns:
        expected *= float(np.square(np.bincount(column.codes + 1) / n).sum())
    pairs = float((sizes * (sizes - 1) / 2).sum())
    return np.asarray(groups, dtype=np.intp) if pairs > _TIMES * expected else None


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
