"""Weighted errors against literals: formulas that may disagree with some tuples to stay short.

Each tuple has a *gain*: the weight of yes minus the weight of no, won when the formula is true on it.
The best formula at a price per literal maximizes

    sum of the gains of the tuples it covers  -  price * number of its literals

The search lowers the price step by step from where the empty formula is best. At each price it adds the
term that wins most, replaces each term by the best one given the others, and drops terms that do not pay,
while any of it wins. Every cover met on the way is compared with the best of its size, so one sweep gives
the whole front. Where the best term comes from is up to :mod:`logiclens.logic.best_terms`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np

from logiclens.logic.arrays import BoolArray, FloatArray, Terms, quiet_products
from logiclens.logic.best_terms import AllTerms, BeamedTerms, BestTerms, Sums, Term, Tuples, literals_of
from logiclens.logic.lattice import MAX_CONCEPTS

_Cover: TypeAlias = tuple[Term, ...]

_STEP: Final = 0.6  # ratio of one price to the one before
RESTARTS: Final = 8  # descents on shaken gains, where the table is small
_RESTART_WORK: Final = 100_000  # cells of the table (or terms there are) times descents
_SHAKE: Final = 0.3  # spread of the logarithm of the factors that shake the gains
_POLISHED: Final = 16  # literals up to which the best covers are gone over once more; and terms of a cover
_ONE_BY_ONE: Final = 200  # literals of a cover up to which they go one by one
_WORK: Final = 1e11  # multiplications, about, that one descent may take
_ROUNDS: Final = 6  # passes over all terms at one price


@dataclass(frozen=True)
class Budget:
    """Most terms and most literals a formula may have."""

    terms: float = np.inf
    literals: float = np.inf


@dataclass
class Front:
    """The best cover found for each number of literals, of those with at most so many terms."""

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
        """Whether a cover of so many literals and terms wins more than any of at most its size."""
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

    def __init__(self, bits: BoolArray, gain: FloatArray, relevance: FloatArray, budget: Budget) -> None:
        self.tuples = Tuples(bits)
        self.side = self.tuples.side
        self.bits = bits
        self.gain = gain
        self._coarse_gain = gain.astype(np.float32)
        self.won = Sums(self.tuples, gain)
        self.pull = self.won  # the gains that are followed
        self.budget = budget
        self.front = Front(budget.terms)
        self.n_concepts = bits.shape[1]
        self.small = self.n_concepts <= MAX_CONCEPTS
        self.steps = self._affordable_steps()  # best terms that may still be asked for
        self._epsilon = 1e-9 * float(np.abs(gain).sum())
        self._shortened: set[bytes] = set()  # covers whose literals went already
        search = AllTerms if self.small else BeamedTerms
        self.terms: BestTerms = search(self.tuples, relevance, self._epsilon)

    @quiet_products
    def sweep(self, last_price: float, start: Terms | None = None, most_restarts: int = RESTARTS) -> Front:
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
        work = max(self.bits.size, 3**self.n_concepts if self.small else 1)
        restarts = int(min(most_restarts, _RESTART_WORK / work))
        self._descend(self.won, last_price)
        for _ in range(restarts):
            shaken = self.gain * np.exp(random.normal(0, _SHAKE, len(self.gain)))
            self._descend(Sums(self.tuples, shaken), last_price)
        self.pull, self.steps = self.won, self._affordable_steps()
        if start is not None:
            self.offer_shorter(start)
        self._polish(max(last_price, self.finest_price))
        return self.front

    def _descend(self, pull: Sums, last_price: float) -> None:
        """Follow these gains from the highest price to the lowest, or until far over the budget."""
        self.pull = pull
        self.steps = self._affordable_steps()
        most = float(np.maximum(self.gain, 0).sum())
        floor = max(last_price, self.finest_price)
        price = float(np.maximum(pull.values, 0).sum())
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
        self.polish_cover(self.front.best(price, self.budget.literals)[1], price)
        for literals in range(1, int(min(_POLISHED, self.budget.literals, max(self.front.covers))) + 1):
            self.polish_cover(self.front.best(0.0, literals)[1], self.finest_price, literals)

    @quiet_products
    def polish_cover(self, terms: Terms, price: float, literals: float = np.inf) -> None:
        """Settle one cover of few terms, within a number of literals."""
        if len(terms) <= _POLISHED:
            self._shorten(self._settle(self.tuples.terms(terms), price, literals))

    @quiet_products
    def offer_shorter(self, terms: Terms) -> None:
        """Offer what is left of a cover as literals or whole terms go, the least useful first."""
        self._shorten(self.tuples.terms(terms))

    def _shorten(self, cover: _Cover) -> None:
        self._offer(cover)
        while _literals(cover) and (key := _key(cover)) not in self._shortened:
            self._shortened.add(key)
            terms = literals_of(cover, self.n_concepts)
            broken = self.side.broken(terms)
            covered = broken == 0
            times = covered.sum(axis=0)
            # Without a literal, its term also covers the tuples that only this literal excluded.
            entering = ((broken == 1) & (times == 0)) * self._coarse_gain
            per_literal = np.where(terms != 0, self.side.broken_by(entering, terms), -np.inf)
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
                cover = (*cover[:at], self.tuples.term(terms[at]), *cover[at + 1 :])
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
        return self.pull.over(_covered(cover)) - price * _literals(cover)

    def offer(self, terms: Terms) -> float:
        """Offer a cover to the front; what it wins."""
        return self._offer(self.tuples.terms(terms))

    def _offer(self, cover: _Cover) -> float:
        won = self.won.over(_covered(cover))
        if self.front.wants(won, _literals(cover), len(cover)):
            self.front.offer(won, literals_of(cover, self.n_concepts))
        return won

    def _add(self, cover: _Cover, price: float, literals: float) -> _Cover:
        while len(cover) < self.budget.terms and self.steps > 0:
            value, term = self._best_term(_covered(cover), price, literals - _literals(cover))
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
            covered = _covered(rest)
            own = self.pull.over(term.covers & ~covered) - price * term.size
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

    def _best_term(self, covered: int, price: float, most: float) -> tuple[float, Term]:
        """The term of at most ``most`` literals that wins most beyond a set of tuples."""
        self.steps -= 1
        return self.terms.best(self.pull, covered, price, most)

    def _affordable_steps(self) -> int:
        """How many best terms one descent may ask for."""
        n_rows, n_concepts = self.bits.shape
        cost = 200 * 3**n_concepts if self.small else n_rows * n_concepts * (n_concepts + 300)
        return int(_WORK / max(cost, 1)) + 100


def _size(terms: Terms) -> int:
    return int(np.abs(terms).sum())


def _literals(cover: _Cover) -> int:
    return sum(term.size for term in cover)


def _key(cover: _Cover) -> bytes:
    return b"".join(term.literals.tobytes() for term in cover)


def _covered(cover: _Cover) -> int:
    """The set of the tuples that some term covers."""
    covered = 0
    for term in cover:
        covered |= term.covers
    return covered
