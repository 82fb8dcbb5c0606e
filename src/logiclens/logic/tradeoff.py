"""Weighted errors against literals: formulas that may disagree with some tuples to stay short.

Each tuple has a *gain*: the weight of yes minus the weight of no, won when the formula is true on it.
The best formula at a price per literal maximizes

    sum of the gains of the tuples it covers  -  price * number of its literals

The search lowers the price step by step from where the empty formula is best. At each price it adds the
term that wins most, replaces each term by the best one given the others, and drops terms that do not pay,
while any of it wins. Every cover met on the way is compared with the best of its size, so one sweep gives
the whole front. Up to :data:`~logiclens.logic.lattice.MAX_CONCEPTS` concepts the best term is found among
all terms there are; beyond that by a beam search that starts from all pairs of literals.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, Terms, quiet_products
from logiclens.logic.expand import Side
from logiclens.logic.lattice import MAX_CONCEPTS, read_terms, sums_over_terms, term_sizes, tuple_numbers

_BEAM: Final = 32  # partial terms kept at each length
_PAIRED: Final = 512  # concepts of which all pairs are tried; beyond, those that tell most alone
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
        size = int(np.abs(terms).sum())
        if len(terms) > self.max_terms:
            return
        if all(won > other for n, (other, _) in self.covers.items() if n <= size):
            self.covers[size] = won, terms
            for n in [n for n, (other, _) in self.covers.items() if n > size and other <= won]:
                del self.covers[n]

    def best(self, price: float, literals: float = np.inf) -> tuple[float, Terms]:
        """The cover of at most that many literals that wins most at a price; the shorter one of equals."""
        return max(
            (item for size, item in sorted(self.covers.items()) if size <= literals),
            key=lambda item: item[0] - price * int(np.abs(item[1]).sum()),
        )


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
        self.side = Side(bits)
        self.bits = bits
        self.gain = gain
        self.pull = gain  # the gains that are followed
        self.relevance = relevance
        self.budget = budget
        self.front = Front(budget.terms)
        self.n_concepts = bits.shape[1]
        self.small = self.n_concepts <= MAX_CONCEPTS
        self.steps = self._affordable_steps()  # best terms that may still be asked for
        self._epsilon = 1e-9 * float(np.abs(gain).sum())
        self._shortened: set[bytes] = set()  # covers whose literals went already
        self._rows: dict[bytes, BoolArray] = {}  # what each term covers, where tables are small
        self._found: dict[tuple[bytes, float, float], tuple[float, Terms]] = {}  # best terms
        if self.small:
            self.sizes = term_sizes(self.n_concepts).astype(np.float64)
            self.prefer = self._preferences()
            self.numbers = tuple_numbers(bits)

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
        self._descend(self.gain, last_price)
        for _ in range(restarts):
            self._descend(self.gain * np.exp(random.normal(0, _SHAKE, len(self.gain))), last_price)
        self.pull, self.steps = self.gain, self._affordable_steps()
        if start is not None:
            self.offer_shorter(start)
        self._polish(max(last_price, self.finest_price()))
        return self.front

    def _descend(self, pull: FloatArray, last_price: float) -> None:
        """Follow these gains from the highest price to the lowest, or until far over the budget."""
        self.pull = pull
        self._found.clear()
        self.steps = self._affordable_steps()
        most = float(np.maximum(self.gain, 0).sum())
        floor = max(last_price, self.finest_price())
        price = float(np.maximum(pull, 0).sum())
        terms = np.zeros((0, self.n_concepts), dtype=np.int8)
        while True:
            terms = self._settle(terms, price)
            self.offer_shorter(terms)
            done = price <= floor or self.steps <= 0 or _size(terms) >= 2 * self.budget.literals
            if done or self.offer(terms) >= most - self._epsilon:
                return
            price = max(price * _STEP, floor)

    def _polish(self, price: float) -> None:
        """Settle the best cover at this price, and the best ones of a few literals within that many."""
        self.polish_cover(self.front.best(price, self.budget.literals)[1], price)
        for literals in range(1, int(min(_POLISHED, self.budget.literals, max(self.front.covers))) + 1):
            self.polish_cover(self.front.best(0.0, literals)[1], self.finest_price(), literals)

    @quiet_products
    def polish_cover(self, terms: Terms, price: float, literals: float = np.inf) -> None:
        """Settle one cover of few terms, within a number of literals."""
        if len(terms) <= _POLISHED:
            self.offer_shorter(self._settle(terms, price, literals))

    @quiet_products
    def offer_shorter(self, terms: Terms) -> None:
        """Offer what is left of a cover as literals or whole terms go, the least useful first."""
        self.offer(terms)
        gain = self.gain.astype(np.float32)
        while terms.any() and (key := terms.tobytes()) not in self._shortened:
            self._shortened.add(key)
            broken = self.side.broken(terms)
            covered = broken == 0
            times = covered.sum(axis=0)
            # Without a literal, its term also covers the tuples that only this literal excluded.
            entering = ((broken == 1) & (times == 0)) * gain
            per_literal = np.where(terms != 0, self.side.broken_by(entering, terms), -np.inf)
            per_term = -((covered & (times == 1)) @ self.gain)
            sizes = np.abs(terms).sum(axis=1)
            if sizes.sum() > _ONE_BY_ONE:  # many terms at a time, while there are so many
                useful = np.argsort(per_term / np.maximum(sizes, 1), kind="stable")  # what loses most first
                terms = terms[np.sort(useful[: -1 - len(terms) // 32])]
                self.offer(terms)
                continue
            at, concept = divmod(int(per_literal.argmax()), self.n_concepts)
            drop = int((per_term / np.maximum(sizes, 1)).argmax())
            if per_literal[at, concept] >= per_term[drop] / max(sizes[drop], 1):
                terms = terms.copy()
                terms[at, concept] = 0
            else:
                terms = np.delete(terms, drop, axis=0)
            self.offer(terms)

    def finest_price(self) -> float:
        """A price below which a literal is always worth the smallest gain there is."""
        smallest = np.abs(self.gain[self.gain != 0]).min(initial=np.inf)
        return float(smallest / (2 * max(self.n_concepts, 1))) if np.isfinite(smallest) else 1.0

    def _settle(self, terms: Terms, price: float, literals: float = np.inf) -> Terms:
        """Add, replace and drop terms, within a number of literals, until none of it wins at this price."""
        for _ in range(_ROUNDS):
            if self.steps <= 0:
                break
            before = self._value(terms, price)
            terms = self._replace_each(self._add(terms, price, literals), price, literals)
            if self._value(terms, price) <= before + self._epsilon:
                break
        return terms

    def _covered(self, terms: Terms) -> BoolArray:
        """The tuples that some term covers, shape (n_rows,)."""
        if not self.small:
            return np.asarray(self.side.covered(terms).any(axis=0))
        covered = np.zeros(len(self.gain), dtype=np.bool_)
        for term in terms:
            covered |= self._covered_by(term)
        return covered

    def _covered_by(self, term: Terms) -> BoolArray:
        """The tuples that a term covers, shape (n_rows,)."""
        if not self.small:
            return np.asarray(self.side.covered(term[None])[0])
        key = term.tobytes()
        if key not in self._rows:
            self._rows[key] = self.side.covered(term[None])[0]
        return self._rows[key]

    def _value(self, terms: Terms, price: float) -> float:
        covered = self._covered(terms)
        return float(self.pull[covered].sum()) - price * float(np.abs(terms).sum())

    def offer(self, terms: Terms) -> float:
        """Offer a cover to the front; what it wins."""
        won = float(self.gain[self._covered(terms)].sum())
        self.front.offer(won, terms)
        return won

    def _add(self, terms: Terms, price: float, literals: float) -> Terms:
        while len(terms) < self.budget.terms and self.steps > 0:
            open_gain = np.where(self._covered(terms), 0.0, self.pull)
            value, term = self._best_term(open_gain, price, literals - _size(terms))
            if value <= self._epsilon:
                break
            terms = np.concatenate([terms, term[None]])
            self.offer(terms)
        return terms

    def _replace_each(self, terms: Terms, price: float, literals: float) -> Terms:
        at = 0
        while at < len(terms) and self.steps > 0:
            rest = np.delete(terms, at, axis=0)
            open_gain = np.where(self._covered(rest), 0.0, self.pull)
            own = float(open_gain[self._covered_by(terms[at])].sum())
            own -= price * float(np.abs(terms[at]).sum())
            value, term = self._best_term(open_gain, price, literals - _size(rest))
            if max(value, own) <= self._epsilon:
                terms = rest
                self.offer(terms)
                continue
            if value > own + self._epsilon:
                terms = terms.copy()
                terms[at] = term
                self.offer(terms)
            at += 1
        return terms

    def _best_term(self, gain: FloatArray, price: float, most: float) -> tuple[float, Terms]:
        """The term of at most ``most`` literals that wins most on tuples of these gains."""
        self.steps -= 1
        key = gain.tobytes() if self.small else b"", price, most
        if key in self._found and self.small:
            return self._found[key]
        term = self._best_of_all(gain, price, most) if self.small else self._beam(gain, price, most)
        # The sums above are rounded, in single precision at that; what counts is what the term really wins.
        won = float(gain[self._covered_by(term)].sum()) - price * _size(term)
        self._found[key] = won, term
        return won, term

    def _best_of_all(self, gain: FloatArray, price: float, most: float) -> Terms:
        """The best of all the terms there are."""
        values = sums_over_terms(self.numbers, gain, self.n_concepts)
        values -= price * self.sizes
        if most < self.n_concepts:
            values[self.sizes > most] = -np.inf
        top = np.flatnonzero(values >= values.max() - self._epsilon)
        best = top[self.prefer[top].argmin()]
        return np.asarray(read_terms(np.array([best]), self.n_concepts)[0])

    def _affordable_steps(self) -> int:
        """How many best terms one descent may ask for."""
        n_rows, n_concepts = self.bits.shape
        cost = 200 * 3**n_concepts if self.small else n_rows * n_concepts * (n_concepts + 300)
        return int(_WORK / max(cost, 1)) + 100

    def _preferences(self) -> FloatArray:
        """Rank of each term among equals: fewer literals, then more relevant concepts, then plain ones."""
        rank = np.zeros(1)
        for j in range(self.n_concepts):
            cost = 1.0 + 1e-3 * (1 - self.relevance[j])
            rank = (rank[:, None] + np.array([cost + 1e-6, cost, 0.0])).reshape(-1)
        return rank

    def _beam(self, gain: FloatArray, price: float, most: float) -> Terms:
        """Beam search from all terms of up to two literals, while a longer one could win."""
        rows = np.flatnonzero(gain)
        side, gain = Side(self.bits[rows]), gain[rows]
        best, winner = float(gain.sum()), np.zeros(self.n_concepts, dtype=np.int8)  # the term TRUE
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
            return np.empty(0), np.zeros((0, self.n_concepts), dtype=np.int8)
        single = gain @ side.true
        strongest = np.sort(np.argsort(-np.abs(2 * single - gain.sum()), kind="stable")[:_PAIRED])
        wins = _pair_gains(side.true[:, strongest], gain)
        size = len(wins)
        wins -= price * (2 - np.eye(size)) - self._bonus(strongest)
        wins[np.tril_indices(size, -1)] = -np.inf
        if most < 2:
            wins[~np.eye(size, dtype=np.bool_)] = -np.inf
        top = np.argsort(-wins, axis=None, kind="stable")[: 4 * _BEAM]
        top = top[np.isfinite(wins.flat[top])]
        literals = np.concatenate([strongest, strongest + self.n_concepts])
        first, second = np.divmod(top, size)
        nothing = np.zeros((len(top), self.n_concepts), dtype=np.int8)
        return wins.flat[top], extended(extended(nothing, literals[first]), literals[second])

    def _bonus(self, concepts: IndexArray) -> FloatArray:
        """A hair for relevant concepts, for each of their plain and negated literals."""
        return 1e-3 * self._epsilon * np.tile(self.relevance[concepts], 2)

    def _longer(
        self, side: Side, gain: FloatArray, beam: Terms, covered: BoolArray, cost: float
    ) -> tuple[FloatArray, Terms]:
        """The best terms with one more literal and what they win, best first."""
        wins = self._extensions(side, gain, beam, covered) - cost + self._bonus(np.arange(self.n_concepts))
        top = np.argsort(-wins, axis=None, kind="stable")[: 4 * _BEAM]
        top = top[np.isfinite(wins.flat[top])]
        parents, literals = np.divmod(top, 2 * self.n_concepts)
        terms, first = first_of_equal(extended(beam[parents], literals))
        return wins.flat[top[first]], terms

    def _extensions(self, side: Side, gain: FloatArray, beam: Terms, covered: BoolArray) -> FloatArray:
        """Gain of each term of the beam with each literal added, shape (n_beam, 2 * n_concepts)."""
        inside = covered * gain.astype(np.float32)
        plain = (inside @ side.true).astype(np.float64)
        negated = inside.sum(axis=1, keepdims=True, dtype=np.float64) - plain
        values = np.concatenate([plain, negated], axis=1)
        values[np.tile(beam != 0, 2)] = -np.inf
        return values


def _size(terms: Terms) -> int:
    return int(np.abs(terms).sum())


def _pair_gains(true: NDArray[np.float32], gain: FloatArray) -> FloatArray:
    """Gain of each pair of literals, shape (2m, 2m); of single literals on the diagonal.

    With the plain literals first: x, y of each pair and their complements follow from the m x m sums over
    tuples on which both concepts are true. A concept and its negation win minus infinity.
    """
    both = ((true * gain[:, None].astype(np.float32)).T @ true).astype(np.float64)
    one = both.diagonal()
    neither = gain.sum() - one[:, None] - one[None, :] + both
    wins = np.block([[both, one[:, None] - both], [one[None, :] - both, neither]])
    m = len(one)
    wins[np.arange(m), np.arange(m) + m] = -np.inf
    return wins


def extended(terms: Terms, literals: IndexArray) -> Terms:
    """Each term with a literal added: ``j`` for concept ``j``, ``n_concepts + j`` for its negation."""
    longer = terms.copy()
    n_concepts = terms.shape[1]
    longer[np.arange(len(terms)), literals % n_concepts] = np.where(literals < n_concepts, 1, -1)
    return longer


def first_of_equal(terms: Terms) -> tuple[Terms, IndexArray]:
    """The terms without repetition, in the order they came, and where each first stood."""
    _, first = np.unique(terms, axis=0, return_index=True)
    first = np.sort(first)
    return terms[first], first
