"""Terms over Boolean columns: the tuples that they cover, preference among equals, and all of them at once.

Terms are rows of small integers: 1 for a concept, -1 for its negation, 0 for neither.

Over m concepts, if they are few, all 3^m terms stand in one flat array, a number each. The place of a term,
written in base 3 with one digit a concept, says for each concept whether it occurs negated (0), plain (1) or
not at all (2). Sums over the tuples that a term covers are products with small matrices ("not at all" is the
sum of the other two). Weighing all 531441 terms of 12 concepts takes milliseconds, and no list of them is
ever made: only the terms that can belong to a smallest formula are read out.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from logiclens.logic.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    Terms,
    Words,
    pack,
    quiet_products,
    unpack,
)

MAX_CONCEPTS: Final = 12
"""Concepts up to which all terms are looked at."""

Dense: TypeAlias = NDArray[np.float32]

_SIGNS: Final = np.array([-1, 1, 0], dtype=np.int8)  # negated, plain, not at all
_MANY_ROWS: Final = 1 << 12  # tuples from which on it pays to look terms up in packed bits
_SHORT: Final = 64  # literals of a term up to which it does


class Side:
    """Tuples of one answer, laid out for matrix products."""

    def __init__(self, bits: BoolArray) -> None:
        self.bits = bits
        self.true: Dense = bits.astype(np.float32)  # (n_rows, n_concepts)
        self.columns = np.ascontiguousarray(bits.T)  # (n_concepts, n_rows)

    @cached_property
    def false(self) -> Dense:
        """1 where a concept is false, shape (n_rows, n_concepts)."""
        return 1 - self.true

    @cached_property
    def _literals(self) -> Words:
        """Packed truth of each literal: the concepts, their negations, and one that is always true."""
        always = np.ones((1, len(self)), dtype=np.bool_)
        return pack(np.concatenate([self.columns, ~self.columns, always]))

    def __len__(self) -> int:
        return len(self.bits)

    @quiet_products
    def n_broken(self, terms: Terms) -> Dense:
        """Number of literals of each term that each tuple falsifies, shape (n_terms, n_rows)."""
        counts: Dense = (terms > 0).astype(np.float32) @ self.false.T
        counts += (terms < 0).astype(np.float32) @ self.true.T
        return counts

    def covered(self, terms: Terms) -> BoolArray:
        """Whether each term is true on each tuple, shape (n_terms, n_rows)."""
        if len(self) < _MANY_ROWS:
            return np.asarray(self.n_broken(terms) == 0)
        sizes = np.count_nonzero(terms, axis=1)
        longest = int(sizes.max(initial=0))
        if longest > _SHORT:
            return np.asarray(self.n_broken(terms) == 0)
        term, concept = np.nonzero(terms)
        place = np.arange(len(term)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        literals = np.full((len(terms), longest), 2 * terms.shape[1])
        literals[term, place] = np.where(terms[term, concept] > 0, concept, terms.shape[1] + concept)
        words = np.repeat(self._literals[-1:], len(terms), axis=0)
        for column in literals.T:
            words &= self._literals[column]
        return unpack(words, len(self))

    @quiet_products
    def weight_matching(self, weight: Dense, seeds: BoolArray) -> Dense:
        """Weight of the tuples that agree with each seed on each concept, shape (n_seeds, n_concepts)."""
        true = weight @ self.true
        return np.where(seeds, true, weight.sum(axis=1, keepdims=True) - true)

    @quiet_products
    def weight_broken(self, weight: Dense, terms: Terms) -> Dense:
        """Weight of the tuples that falsify each literal of each term, shape (n_terms, n_concepts)."""
        return np.where(terms > 0, weight @ self.false, weight @ self.true)


@quiet_products
def tie_values(terms: Terms, relevance: FloatArray) -> FloatArray:
    """Preference among formulas that are otherwise equal, one number a term; the least sum is preferred.

    More relevant concepts come first, then fewer negations, then fewer terms.

    Parameters
    ----------
    terms : Terms
    relevance : ndarray of float, shape (n_concepts,)
    """
    irrelevance = np.abs(terms).astype(np.float64) @ (1.0 - relevance)
    ties: FloatArray = irrelevance + 1e-2 * (terms < 0).sum(axis=1) + 1e-4
    return ties


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
    first, second = _covers(half), _covers(n_concepts - half)
    return np.asarray(first @ sums.reshape(2**half, -1) @ second.T).reshape(-1)


@cache
def _covers(n_concepts: int) -> FloatArray:
    """Tuples that each term covers, shape (3^m, 2^m): "not at all" covers what the other two do."""
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
    """Value of each concept's digit in the place of a term."""
    return np.asarray(3 ** np.arange(n_concepts - 1, -1, -1))
