"""The term that wins most on tuples that are not covered yet: among all terms there are, or by a beam search.

A set of tuples is one number here, with a bit for each tuple, so that a union costs next to nothing and what
is known about a set is looked up. Up to :data:`~logiclens.logic.lattice.MAX_CONCEPTS` concepts one look at
the lattice gives the best term of *each* number of literals: it serves all prices of a literal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, Terms
from logiclens.logic.expand import Side
from logiclens.logic.lattice import read_terms, sums_over_terms, terms_by_size, tuple_numbers

_BEAM: Final = 32  # partial terms kept at each length
_PAIRED: Final = 512  # concepts of which all pairs are tried; beyond, those that tell most alone
_KNOWN: Final = 1 << 25  # bits of the sets of tuples that are kept with what is known of them


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """A conjunction of literals, how many they are, and the set of the tuples that it covers."""

    literals: Terms
    size: int
    covers: int


class Tuples:
    """Tuples of Booleans, and sets of them as numbers.

    Parameters
    ----------
    bits : ndarray of bool, shape (n_rows, n_concepts)

    Examples
    --------
    >>> tuples = Tuples(np.array([[False, True], [True, True], [True, False]]))
    >>> term = tuples.term(np.array([1, 0], dtype=np.int8))
    >>> bin(term.covers), tuples.members(term.covers).tolist()
    ('0b110', [False, True, True])
    """

    def __init__(self, bits: BoolArray) -> None:
        self.side = Side(bits)
        self._n_bytes = -(-len(bits) // 8)
        self._terms: dict[bytes, Term] = {}
        self._most = _KNOWN // max(len(bits), 1)

    def __len__(self) -> int:
        return len(self.side)

    def members(self, some: int) -> BoolArray:
        """Which tuples are in a set, shape (n_rows,)."""
        packed = np.frombuffer(some.to_bytes(self._n_bytes, "little"), dtype=np.uint8)
        return np.unpackbits(packed, count=len(self), bitorder="little").view(np.bool_)

    def term(self, literals: Terms) -> Term:
        """The term of these literals, shape (n_concepts,)."""
        key = literals.tobytes()
        found = self._terms.get(key)
        if found is None:
            packed = np.packbits(self.side.covered(literals[None]), bitorder="little")
            size, covers = int(np.abs(literals).sum()), int.from_bytes(packed.tobytes(), "little")
            found = Term(literals.copy(), size, covers)  # a row of an array would keep the whole of it
            if len(self._terms) < self._most:
                self._terms[key] = found
        return found

    def terms(self, literals: Terms) -> tuple[Term, ...]:
        """The terms of these literals, shape (n_terms, n_concepts)."""
        return tuple(map(self.term, literals))


class Sums:
    """Sums of one value for each tuple over sets of them; what was asked once is looked up."""

    def __init__(self, tuples: Tuples, values: FloatArray) -> None:
        self.values = values
        self._tuples = tuples
        self._known: dict[int, float] = {}
        self._most = _KNOWN // max(len(tuples), 1)

    def over(self, some: int) -> float:
        """Sum over a set of tuples."""
        found = self._known.get(some)
        if found is None:
            found = float(self.values[self._tuples.members(some)].sum())
            if len(self._known) < self._most:
                self._known[some] = found
        return found

    def beyond(self, covered: int) -> FloatArray:
        """The values, and 0 for the tuples of a set, shape (n_rows,)."""
        return np.where(self._tuples.members(covered), 0.0, self.values)


class BestTerms(ABC):
    """Finds the term that wins most on what is not covered.

    Parameters
    ----------
    tuples : Tuples
    relevance : ndarray of float, shape (n_concepts,)
        In [0, 1]: decides between terms that win the same.
    epsilon : float
        Difference that is none.
    """

    def __init__(self, tuples: Tuples, relevance: FloatArray, epsilon: float) -> None:
        self._tuples = tuples
        self._relevance = relevance
        self._epsilon = epsilon
        self._n_concepts = len(relevance)

    @abstractmethod
    def best(self, gains: Sums, covered: int, price: float, most: float) -> tuple[float, Term]:
        """The term of at most ``most`` literals that wins most beyond a set of tuples, and what it wins."""


class AllTerms(BestTerms):
    """The best of all terms over few concepts; what was found for a set of tuples serves every price."""

    def __init__(self, tuples: Tuples, relevance: FloatArray, epsilon: float) -> None:
        super().__init__(tuples, relevance, epsilon)
        self._numbers = tuple_numbers(tuples.side.bits)
        self._order, self._start = terms_by_size(self._n_concepts)
        self._known: dict[tuple[Sums, int], tuple[list[float], dict[int, Term]]] = {}
        self._most = _KNOWN // max(len(tuples), 1)

    def best(self, gains: Sums, covered: int, price: float, most: float) -> tuple[float, Term]:
        """See :meth:`BestTerms.best`; of those that win the same, one with the fewest literals."""
        key, values = (gains, covered), None
        if key not in self._known:
            if len(self._known) >= self._most:
                self._known.clear()
            values = self._values(gains, covered)
            self._known[key] = np.maximum.reduceat(values, self._start[:-1]).tolist(), {}
        wins, terms = self._known[key]
        priced = [win - price * size for size, win in enumerate(wins) if size <= most]
        least = max(priced) - self._epsilon
        size = next(size for size, value in enumerate(priced) if value >= least)
        if size not in terms:
            terms[size] = self._first(self._values(gains, covered) if values is None else values, size)
        return priced[size], terms[size]

    def _values(self, gains: Sums, covered: int) -> FloatArray:
        """What each term wins beyond a set of tuples, by the number of literals."""
        return sums_over_terms(self._numbers, gains.beyond(covered), self._n_concepts)[self._order]

    def _first(self, values: FloatArray, size: int) -> Term:
        """Of the terms of that many literals that win most: more relevant concepts first, then plain ones."""
        start, stop = self._start[size], self._start[size + 1]
        sized = values[start:stop]
        top = np.flatnonzero(sized >= sized.max() - self._epsilon) + start
        terms = read_terms(self._order[top], self._n_concepts)
        if len(terms) == 1:
            return self._tuples.term(terms[0])
        rank = 1e-3 * (np.abs(terms) @ (1 - self._relevance)) + 1e-6 * (terms < 0).sum(axis=1)
        return self._tuples.term(terms[rank.round(9).argmin()])  # sums of the same differ by rounding


class BeamedTerms(BestTerms):
    """Beam search from all terms of up to two literals, over any number of concepts."""

    def best(self, gains: Sums, covered: int, price: float, most: float) -> tuple[float, Term]:
        """See :meth:`BestTerms.best`; longer terms are looked at while one could win."""
        gain = gains.beyond(covered)
        rows = np.flatnonzero(gain)
        term = self._tuples.term(self._search(Side(self._tuples.side.bits[rows]), gain[rows], price, most))
        # The sums of the search are rounded to single precision; what counts is what the term really wins.
        return gains.over(term.covers & ~covered) - price * term.size, term

    def _search(self, side: Side, gain: FloatArray, price: float, most: float) -> Terms:
        best, winner = float(gain.sum()), np.zeros(self._n_concepts, dtype=np.int8)  # the term TRUE
        values, terms = self._up_to_two(side, gain, price, most)
        length = 2
        while len(values):
            if values[0] > best + self._epsilon:
                best, winner = float(values[0]), terms[0]
            length += 1
            beam = terms[:_BEAM] if length <= most else terms[:0]
            covered = side.covered(beam)
            # Only terms whose covered positive gains alone would still win can become the best.
            promising = covered @ np.maximum(gain, 0) > best + price * length
            values, terms = self._longer(side, gain, beam[promising], covered[promising], price * length)
        return winner

    def _up_to_two(self, side: Side, gain: FloatArray, price: float, most: float) -> tuple[FloatArray, Terms]:
        """The best terms of one or two literals and what they win, best first."""
        if most < 1:
            return np.empty(0), np.zeros((0, self._n_concepts), dtype=np.int8)
        single = gain @ side.true
        strongest = np.sort(np.argsort(-np.abs(2 * single - gain.sum()), kind="stable")[:_PAIRED])
        wins = self._pair_gains(side.true[:, strongest], gain)
        size, bonus = len(wins), self._bonus(strongest)
        single = wins.diagonal() - (price - bonus)
        wins -= 2 * price - bonus
        np.fill_diagonal(wins, single)
        if most < 2:
            wins[~np.eye(size, dtype=np.bool_)] = -np.inf
        top = _largest(wins, 4 * _BEAM)
        literals = np.concatenate([strongest, strongest + self._n_concepts])
        first, second = np.divmod(top, size)
        nothing = np.zeros((len(top), self._n_concepts), dtype=np.int8)
        return wins.flat[top], extended(extended(nothing, literals[first]), literals[second])

    def _pair_gains(self, true: NDArray[np.float32], gain: FloatArray) -> FloatArray:
        """Gain of each pair of literals, shape (2m, 2m); of single literals on the diagonal.

        With the plain literals first: x, y of each pair and their complements follow from the m x m sums over
        tuples on which both concepts are true. Below the diagonal, where each pair would stand once more, is
        minus infinity, as is what a concept and its negation win. The array is written anew by each call:
        fresh memory of that size would take longer than the sums.
        """
        both = (true * gain[:, None].astype(np.float32)).T @ true
        one = both.diagonal().astype(np.float64)
        m = len(one)
        wins, above = self._pairs
        np.add(both, above, out=wins[:m, :m])
        np.subtract(one[:, None], both, out=wins[:m, m:])
        np.subtract(gain.sum() - one[:, None], one[None, :], out=wins[m:, m:])
        wins[m:, m:] += both
        wins[m:, m:] += above
        wins[np.arange(m), np.arange(m) + m] = -np.inf
        return wins

    @cached_property
    def _pairs(self) -> tuple[FloatArray, FloatArray]:
        """Room for the gains of all pairs; and what to add for those above the diagonal alone."""
        m = min(_PAIRED, self._n_concepts)
        return np.full((2 * m, 2 * m), -np.inf), np.where(np.tri(m, k=-1, dtype=np.bool_), -np.inf, 0.0)

    def _bonus(self, concepts: IndexArray) -> FloatArray:
        """A hair for relevant concepts, for each of their plain and negated literals."""
        return 1e-3 * self._epsilon * np.tile(self._relevance[concepts], 2)

    def _longer(
        self, side: Side, gain: FloatArray, beam: Terms, covered: BoolArray, cost: float
    ) -> tuple[FloatArray, Terms]:
        """The best terms with one more literal and what they win, best first."""
        wins = _extensions(side, gain, beam, covered) - cost + self._bonus(np.arange(self._n_concepts))
        top = _largest(wins, 4 * _BEAM)
        parents, literals = np.divmod(top, 2 * self._n_concepts)
        terms, first = first_of_equal(extended(beam[parents], literals))
        return wins.flat[top[first]], terms


def _largest(values: FloatArray, number: int) -> IndexArray:
    """Flat places of the largest finite values, the largest first, of equals the first."""
    least = np.finfo(float).min
    largest = values.max(axis=1)
    if number < len(largest):  # so many rows have a value as large as this, whatever else there is
        least = max(least, np.partition(largest, -number)[-number])
    places = np.flatnonzero(values >= least)
    found = values.flat[places]
    if number < len(found):
        kept = found >= np.partition(found, -number)[-number]
        places, found = places[kept], found[kept]
    return places[np.argsort(-found, kind="stable")][:number]


def _extensions(side: Side, gain: FloatArray, beam: Terms, covered: BoolArray) -> FloatArray:
    """Gain of each term of the beam with each literal added, shape (n_beam, 2 * n_concepts)."""
    inside = covered * gain.astype(np.float32)
    plain = (inside @ side.true).astype(np.float64)
    negated = inside.sum(axis=1, keepdims=True, dtype=np.float64) - plain
    values = np.concatenate([plain, negated], axis=1)
    values[np.tile(beam != 0, 2)] = -np.inf
    return values


def extended(terms: Terms, literals: IndexArray) -> Terms:
    """Each term with a literal added: ``j`` for concept ``j``, ``n_concepts + j`` for its negation."""
    longer = terms.copy()
    n_concepts = terms.shape[1]
    longer[np.arange(len(terms)), literals % n_concepts] = np.where(literals < n_concepts, 1, -1)
    return longer


def first_of_equal(terms: Terms) -> tuple[Terms, IndexArray]:
    """The terms without repetition, in the order they came, and where each first stood."""
    places: dict[bytes, int] = {}
    for at, term in enumerate(terms):  # so few that sorting them would take longer
        places.setdefault(term.tobytes(), at)
    first = np.fromiter(places.values(), np.intp, len(places))
    return terms[first], first


def literals_of(cover: Sequence[Term], n_concepts: int) -> Terms:
    """The literals of some terms, shape (n_terms, n_concepts)."""
    return np.array([term.literals for term in cover], dtype=np.int8).reshape(len(cover), n_concepts)
