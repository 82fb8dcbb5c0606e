"""Weighted errors against literals: formulas that may disagree with some tuples to stay short.

Each tuple has a *gain*: the weight of yes minus the weight of no, won when the formula is true on it.
The best formula at a price per literal maximizes

    sum of the gains of the tuples it covers  -  price * number of its literals

The search lowers the price step by step from where the empty formula is best. At each price it adds the
term that wins most, replaces each term by the best one given the others, and drops terms that do not pay,
while any of it wins. Every cover met on the way is compared with the best of its size, so one sweep gives
the whole front.

Terms are rows of small integers: 1 for a concept, -1 for its negation, 0 for neither. Over m concepts, if
they are few, all 3^m terms stand in one flat array, a number each. The place of a term, written in base 3
with one digit a concept, says for each concept whether it occurs negated (0), plain (1) or not at all (2).
Sums over the tuples that a term covers are products with small matrices ("not at all" is the sum of the
other two). Weighing all 531441 terms of 12 concepts takes milliseconds, and no list of them is ever made:
only the terms that can belong to a smallest formula are read out.

Up to :data:`MAX_CONCEPTS` concepts the best term is the best of all; beyond, it comes from a beam search.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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

_STEP: Final = 0.6  # ratio of one price to the one before
RESTARTS: Final = 8  # descents on shaken gains, where the table is small
_RESTART_WORK: Final = 100_000  # cells of the table (or terms there are) times descents
_SHAKE: Final = 0.3  # spread of the logarithm of the factors that shake the gains
_POLISHED: Final = 16  # literals up to which the best covers are gone over once more; and terms of a cover
_ONE_BY_ONE: Final = 200  # literals of a cover up to which they go one by one
_WORK: Final = 1e11  # multiplications, about, that one descent may take
_ROUNDS: Final = 6  # passes over all terms at one price
_BEAM: Final = 32  # partial terms kept at each length
_PAIRED: Final = 512  # concepts of which all pairs are tried; beyond, those that tell most alone
MAX_CONCEPTS: Final = 12
"""Concepts up to which all terms are looked at."""

Dense: TypeAlias = NDArray[np.float32]

_SIGNS: Final = np.array([-1, 1, 0], dtype=np.int8)  # negated, plain, not at all
_MANY_ROWS: Final = 1 << 12  # tuples from which on it pays to look terms up in packed bits


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
        term, concept = np.nonzero(terms)
        place = np.arange(len(term)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        literals = np.full((len(terms), int(sizes.max(initial=0))), 2 * terms.shape[1])
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


class TermSearch:
    """Finds the term that wins most: of all terms over few concepts, by a beam over many.

    Parameters
    ----------
    side : Side
        The tuples.
    relevance : ndarray of float, shape (n_concepts,)
        In [0, 1]: decides between terms that win the same.
    epsilon : float
        Difference that is none.
    """

    def __init__(self, side: Side, relevance: FloatArray, epsilon: float) -> None:
        self._side = side
        self._relevance = relevance
        self._epsilon = epsilon
        self._n_concepts = len(relevance)
        self.small = self._n_concepts <= MAX_CONCEPTS
        if self.small:
            self._numbers = tuple_numbers(side.bits)
            self._sizes = term_sizes(self._n_concepts)

    def best(self, gain: FloatArray, price: float, most: float) -> Terms:
        """The term of at most ``most`` literals that wins most, shape (n_concepts,).

        Parameters
        ----------
        gain : ndarray of float, shape (n_rows,)
            What covering each tuple wins.
        price : float
            Of a literal.
        most : float
        """
        if self.small:
            return self._best_of_all(gain, price, most)
        rows = np.flatnonzero(gain)
        return self._beam(Side(self._side.bits[rows]), gain[rows], price, most)

    def _best_of_all(self, gain: FloatArray, price: float, most: float) -> Terms:
        """Of terms that win the same one with the fewest literals, then relevant ones, then plain ones."""
        values = sums_over_terms(self._numbers, gain, self._n_concepts) - price * self._sizes
        values[self._sizes > most] = -np.inf
        top = np.flatnonzero(values >= values.max() - self._epsilon)
        terms = read_terms(top[self._sizes[top] == self._sizes[top].min()], self._n_concepts)
        ties = tie_values(terms, self._relevance)
        term: Terms = terms[ties.round(9).argmin()]  # sums of the same differ by rounding
        return term

    def _beam(self, side: Side, gain: FloatArray, price: float, most: float) -> Terms:
        """Terms of up to two literals, then longer ones while one could win."""
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
        return wins.flat[top], extend(extend(nothing, literals[first]), literals[second])

    def _pair_gains(self, true: NDArray[np.float32], gain: FloatArray) -> FloatArray:
        """Gain of each pair of literals, shape (2m, 2m); of single literals on the diagonal.

        With the plain literals first: x, y of each pair and their complements follow from the m x m sums over
        tuples on which both concepts are true. Below the diagonal, where each pair would stand once more, is
        minus infinity, as is what a concept and its negation win.
        """
        both = (true * gain[:, None].astype(np.float32)).T @ true
        one = both.diagonal().astype(np.float64)
        m = len(one)
        once = np.triu(np.ones((m, m), dtype=np.bool_))
        wins = np.full((2 * m, 2 * m), -np.inf)
        wins[:m, :m] = np.where(once, both, -np.inf)
        wins[:m, m:] = one[:, None] - both
        wins[m:, m:] = np.where(once, gain.sum() - one[:, None] - one + both, -np.inf)
        wins[np.arange(m), np.arange(m) + m] = -np.inf
        return wins

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
        terms = extend(beam[parents], literals)
        first = np.sort(np.unique(terms, axis=0, return_index=True)[1])  # the same term grows out of several
        return wins.flat[top[first]], terms[first]


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


def extend(terms: Terms, literals: IndexArray) -> Terms:
    """Each term with a literal added: ``j`` for concept ``j``, ``n_concepts + j`` for its negation."""
    longer = terms.copy()
    n_concepts = terms.shape[1]
    longer[np.arange(len(terms)), literals % n_concepts] = np.where(literals < n_concepts, 1, -1)
    return longer


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """A conjunction of literals, how many they are, and which tuples it covers."""

    literals: Terms
    size: int
    covers: BoolArray


_Cover: TypeAlias = tuple[Term, ...]


@dataclass(frozen=True)
class FormulaBudget:
    """Most terms and most literals a formula may have."""

    terms: float = np.inf
    literals: float = np.inf


@dataclass
class CoverFront:
    """The best cover found for each number of literals, of those with at most this many terms."""

    max_terms: float = np.inf
    covers: dict[int, tuple[float, Terms]] = field(default_factory=dict)

    def offer(self, won: float, terms: Terms) -> None:
        """Keep a cover if it wins more than any of at most its size."""
        size = _size(terms)
        if not self.wants(won, size, len(terms)):
            return
        self.covers[size] = won, terms
        for n in [n for n, (other, _) in self.covers.items() if n > size and other <= won]:
            del self.covers[n]

    def wants(self, won: float, size: int, n_terms: int) -> bool:
        """Whether a cover of this many literals and terms wins more than any of at most its size."""
        return n_terms <= self.max_terms and all(
            won > other for n, (other, _) in self.covers.items() if n <= size
        )

    def best(self, price: float, literals: float = np.inf) -> tuple[float, Terms]:
        """The cover of at most that many literals that wins most at a price; the shorter one of equals."""
        sizes = (size for size in sorted(self.covers) if size <= literals)
        return self.covers[max(sizes, key=lambda size: self.covers[size][0] - price * size)]


class Tradeoff:
    """Search for the front of gain against literals.

    Parameters
    ----------
    bits : ndarray of bool, shape (n_rows, n_concepts)
        The tuples.
    gain : ndarray of float, shape (n_rows,)
        What is won by covering each.
    relevance : ndarray of float, shape (n_concepts,)
        In [0, 1]: decides between terms that win the same.
    budget : Budget
        No cover with more terms is looked at. Covers with more literals are, as far as they may lead to
        shorter ones, so that a larger budget does not lead to a worse front.
    """

    def __init__(
        self, bits: BoolArray, gain: FloatArray, relevance: FloatArray, budget: FormulaBudget
    ) -> None:
        self.side = Side(bits)
        self.bits = bits
        self.gain = gain
        self._coarse_gain = gain.astype(np.float32)
        self.pull = gain  # the gains that are followed
        self.budget = budget
        self.front = CoverFront(budget.terms)
        self.n_concepts = bits.shape[1]
        self._epsilon = 1e-9 * float(np.abs(gain).sum())
        self._shortened: set[bytes] = set()  # covers whose literals went already
        self.terms = TermSearch(self.side, relevance, self._epsilon)
        self.steps = self._affordable_steps()  # best terms that may still be asked for

    @quiet_products
    def sweep(
        self, last_price: float, start: Terms | None = None, most_restarts: int = RESTARTS
    ) -> CoverFront:
        """Covers of all sizes, from the price at which nothing pays down to ``last_price``.

        The first descent follows the gains; as many more as the size of the table allows follow gains that
        were shaken a little, which leads out of dead ends. All of them are scored by the true gains. Then the
        best covers are gone over once more: at the last price, and for each small number of literals.

        Parameters
        ----------
        last_price : float
            Price of a literal at which to stop.
        start : Terms, optional
            A cover known from elsewhere; it and what is left of it when literals go take part.
        most_restarts : int
            Descents after the first, at most.
        """
        self.offer(np.zeros((0, self.n_concepts), dtype=np.int8))
        self.offer(np.zeros((1, self.n_concepts), dtype=np.int8))
        random = np.random.default_rng(0)
        work = max(self.bits.size, 3**self.n_concepts if self.terms.small else 1)
        restarts = int(min(most_restarts, _RESTART_WORK / work))
        self._descend(self.gain, last_price)
        for _ in range(restarts):
            self._descend(self.gain * np.exp(random.normal(0, _SHAKE, len(self.gain))), last_price)
        self.pull, self.steps = self.gain, self._affordable_steps()
        if start is not None:
            self.offer_shorter(start)
        self._polish(max(last_price, self.finest_price))
        return self.front

    def _descend(self, pull: FloatArray, last_price: float) -> None:
        """Follow these gains from the highest price to the lowest, or until far over the budget."""
        self.pull = pull
        self.steps = self._affordable_steps()
        most = float(np.maximum(self.gain, 0).sum())
        floor = max(last_price, self.finest_price)
        price = float(np.maximum(pull, 0).sum())
        cover: _Cover = ()
        while True:
            cover = self._settle(cover, price)
            self._shorten(cover)
            done = price <= floor or self.steps <= 0 or _literals(cover) >= 2 * self.budget.literals
            if done or self._offer(cover) >= most - self._epsilon:
                return
            price = max(price * _STEP, floor)

    def _polish(self, price: float) -> None:
        """Settle the best cover at this price, and the best ones of a few literals within that many."""
        self._polish_cover(self.front.best(price, self.budget.literals)[1], price)
        for literals in range(1, int(min(_POLISHED, self.budget.literals, max(self.front.covers))) + 1):
            self._polish_cover(self.front.best(0.0, literals)[1], self.finest_price, literals)

    def _polish_cover(self, terms: Terms, price: float, literals: float = np.inf) -> None:
        """Settle one cover of few terms, within a number of literals."""
        if len(terms) <= _POLISHED:
            self._shorten(self._settle(self._cover(terms), price, literals))

    @quiet_products
    def offer_shorter(self, terms: Terms) -> None:
        """Offer what is left of a cover as literals or whole terms go, the least useful first."""
        self._shorten(self._cover(terms))

    def _shorten(self, cover: _Cover) -> None:
        self._offer(cover)
        while _literals(cover) and (key := _key(cover)) not in self._shortened:
            self._shortened.add(key)
            terms = self._literals_of(cover)
            broken = self.side.n_broken(terms)
            covered = broken == 0
            times = covered.sum(axis=0)
            # Without a literal, its term also covers the tuples that only this literal excluded.
            entering = ((broken == 1) & (times == 0)) * self._coarse_gain
            per_literal = np.where(terms != 0, self.side.weight_broken(entering, terms), -np.inf)
            sizes = np.array([max(term.size, 1) for term in cover])
            per_term = -((covered & (times == 1)) @ self.gain) / sizes
            if _literals(cover) > _ONE_BY_ONE:  # many terms at a time, while there are so many
                useful = np.argsort(per_term, kind="stable")  # what loses most first
                cover = tuple(cover[at] for at in np.sort(useful[: -1 - len(terms) // 32]))
                self._offer(cover)
                continue
            at, concept = divmod(int(per_literal.argmax()), self.n_concepts)
            drop = int(per_term.argmax())
            if per_literal[at, concept] >= per_term[drop]:
                terms[at, concept] = 0
                cover = (*cover[:at], *self._cover(terms[at : at + 1]), *cover[at + 1 :])
            else:
                cover = (*cover[:drop], *cover[drop + 1 :])
            self._offer(cover)

    @cached_property
    def finest_price(self) -> float:
        """A price below which a literal is always worth the smallest gain there is."""
        smallest = np.abs(self.gain[self.gain != 0]).min(initial=np.inf)
        return float(smallest / (2 * max(self.n_concepts, 1))) if np.isfinite(smallest) else 1.0

    def _settle(self, cover: _Cover, price: float, literals: float = np.inf) -> _Cover:
        """Add, replace and drop terms, within a number of literals, until none of it wins at this price."""
        for _ in range(_ROUNDS):
            if self.steps <= 0:
                break
            before = self._value(cover, price)
            cover = self._replace_each(self._add(cover, price, literals), price, literals)
            if self._value(cover, price) <= before + self._epsilon:
                break
        return cover

    def _value(self, cover: _Cover, price: float) -> float:
        return float(self.pull[self._covered(cover)].sum()) - price * _literals(cover)

    def _cover(self, terms: Terms) -> _Cover:
        """The terms of these literals, shape (n_terms, n_concepts)."""
        covered = self.side.covered(terms)
        sizes = np.abs(terms).sum(axis=1).tolist()
        return tuple(map(Term, terms.copy(), sizes, covered))

    def _literals_of(self, cover: _Cover) -> Terms:
        """The literals of some terms, shape (n_terms, n_concepts)."""
        return np.array([term.literals for term in cover], dtype=np.int8).reshape(len(cover), self.n_concepts)

    def _covered(self, cover: _Cover) -> BoolArray:
        """The tuples that some term covers, shape (n_rows,)."""
        covered = np.zeros(len(self.gain), dtype=np.bool_)
        for term in cover:
            covered |= term.covers
        return covered

    def offer(self, terms: Terms) -> float:
        """Offer a cover to the front; what it wins."""
        return self._offer(self._cover(terms))

    def _offer(self, cover: _Cover) -> float:
        won = float(self.gain[self._covered(cover)].sum())
        if self.front.wants(won, _literals(cover), len(cover)):
            self.front.offer(won, self._literals_of(cover))
        return won

    def _add(self, cover: _Cover, price: float, literals: float) -> _Cover:
        while len(cover) < self.budget.terms and self.steps > 0:
            value, term = self._best_term(self._covered(cover), price, literals - _literals(cover))
            if value <= self._epsilon:
                break
            cover = (*cover, term)
            self._offer(cover)
        return cover

    def _replace_each(self, cover: _Cover, price: float, literals: float) -> _Cover:
        at = 0
        while at < len(cover) and self.steps > 0:
            before, term, after = cover[:at], cover[at], cover[at + 1 :]
            rest = before + after
            covered = self._covered(rest)
            own = self._worth(term, covered, price)
            value, best = self._best_term(covered, price, literals - _literals(rest))
            if max(value, own) <= self._epsilon:
                cover = rest
                self._offer(cover)
                continue
            if value > own + self._epsilon:
                cover = (*before, best, *after)
                self._offer(cover)
            at += 1
        return cover

    def _best_term(self, covered: BoolArray, price: float, most: float) -> tuple[float, Term]:
        """The term of at most ``most`` literals that wins most beyond a set of tuples, and what it wins."""
        self.steps -= 1
        (term,) = self._cover(self.terms.best(np.where(covered, 0.0, self.pull), price, most)[None])
        return self._worth(term, covered, price), term

    def _worth(self, term: Term, covered: BoolArray, price: float) -> float:
        """What a term wins beyond a set of tuples."""
        return float(self.pull[term.covers & ~covered].sum()) - price * term.size

    def _affordable_steps(self) -> int:
        """Number of best terms that one descent may look for."""
        n_rows, n_concepts = self.bits.shape
        cost = 200 * 3**n_concepts if self.terms.small else n_rows * n_concepts * (n_concepts + 300)
        return int(_WORK / max(cost, 1)) + 100


def _size(terms: Terms) -> int:
    return int(np.abs(terms).sum())


def _literals(cover: _Cover) -> int:
    return sum(term.size for term in cover)


def _key(cover: _Cover) -> bytes:
    return b"".join(term.literals.tobytes() for term in cover)
