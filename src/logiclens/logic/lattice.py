"""All terms over a few concepts at once: the lattice of the 3^m cubes of m Boolean columns.

A flat array of 3^m numbers holds one value for each term. The term's index, written in base 3 with one
digit a concept, says for each concept whether it occurs negated (0), plain (1) or not at all (2). Sums over
the tuples that a term covers are products with small matrices ("not at all" is the sum of the other two), so
that weighing all 531441 terms of 12 concepts takes milliseconds, and no list of them is ever made: only the
terms that can belong to a smallest formula are read out.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, Terms, quiet_products

MAX_CONCEPTS: Final = 12
"""Concepts up to which all terms are looked at."""

_SIGNS: Final = np.array([-1, 1, 0], dtype=np.int8)  # negated, plain, not at all


@quiet_products
def term_sums(bits: BoolArray, values: FloatArray) -> FloatArray:
    """Sum of the values of the tuples that each term covers, shape (3^m,).

    Parameters
    ----------
    bits : ndarray of bool, shape (n_rows, m)
        The tuples.
    values : ndarray of float, shape (n_rows,)
        Their values.
    """
    n_concepts = bits.shape[1]
    return sums_over_terms(tuple_numbers(bits), values, n_concepts)


def tuple_numbers(bits: BoolArray) -> NDArray[np.int64]:
    """Tuples as numbers, shape (n_rows,), the first concept as the highest bit."""
    return np.asarray(bits @ (1 << np.arange(bits.shape[1] - 1, -1, -1)))


def sums_over_terms(numbers: NDArray[np.int64], values: FloatArray, n_concepts: int) -> FloatArray:
    """Sum of the values of the tuples that each term covers, shape (3^m,), from the numbers of the tuples.

    What a term says about the first half of the concepts and about the second are independent, so the sums
    are a product of three small matrices.
    """
    sums: FloatArray = np.bincount(numbers, values, 2**n_concepts).astype(np.float64)
    half = n_concepts // 2
    first, second = _covering(half), _covering(n_concepts - half)
    return np.asarray(first @ sums.reshape(2**half, -1) @ second.T).reshape(-1)


@cache
def _covering(n_concepts: int) -> FloatArray:
    """Which term covers which tuple, shape (3^m, 2^m): "not at all" covers what the other two do."""
    covers = np.ones((1, 1))
    for _ in range(n_concepts):
        covers = np.kron(covers, np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    return covers


def term_sizes(n_concepts: int) -> NDArray[np.int64]:
    """Number of literals of each term, shape (3^m,)."""
    sizes = np.zeros(1, dtype=np.int64)
    for _ in range(n_concepts):
        sizes = (sizes[:, None] + np.array([1, 1, 0])).reshape(-1)
    return sizes


@cache
def terms_by_size(n_concepts: int) -> tuple[IndexArray, IndexArray]:
    """All terms by their number of literals, shape (3^m,), and where each number starts, shape (m + 2,)."""
    sizes = term_sizes(n_concepts)
    ends = np.cumsum(np.bincount(sizes))
    return np.argsort(sizes, kind="stable"), np.concatenate([[0], ends])


def needs_every_literal(avoided: FloatArray, n_concepts: int, price: float) -> BoolArray:
    """Terms of which each literal excludes more than ``price`` of what is to be avoided, shape (3^m,).

    With price 0 and among terms that cover nothing to be avoided, these are the prime terms.
    """
    keep = np.ones(len(avoided), dtype=np.bool_)
    for j in range(n_concepts):
        here = avoided.reshape(3**j, 3, -1)
        keep.reshape(3**j, 3, -1)[:, :2] &= here[:, 2:] - here[:, :2] > price
    return keep


def read_terms(index: NDArray[Any], n_concepts: int) -> Terms:
    """The terms at these places of the lattice."""
    return _SIGNS[index[:, None] // _powers(n_concepts) % 3]


@cache
def _powers(n_concepts: int) -> NDArray[np.int64]:
    """What one more in the digit of each concept adds to a place."""
    return np.asarray(3 ** np.arange(n_concepts - 1, -1, -1))
