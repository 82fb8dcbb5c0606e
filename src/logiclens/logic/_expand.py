"""A short DNF that is true on some tuples and false on others, when there are too many concepts to prove it.

The classic loop of two-level minimization, on batches of terms at a time:

- *expand*: from each of many seed tuples at once, take the literals that exclude most of the tuples to
  be avoided for the least loss of tuples to be covered, then drop every literal that is not needed; what
  is left is a prime term;
- *irredundant*: choose the cheapest of the terms found that cover all tuples;
- *reduce*: give up some terms of the choice, look for terms that serve just the tuples which thereby
  lost their cover, and choose again; go on while it gains.

Terms are rows of small integers: 1 for a concept, -1 for its negation, 0 for neither.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from logiclens.logic._exact import Effort, greedy_cover, irredundant, minimum_cover
from logiclens.logic._terms import Dense, Side, tie_values
from logiclens.logic.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    Terms,
    quiet_products,
)

_BATCH: Final = 64  # seeds expanded together
_TEMPERS: Final = (0.5, 1.0, 0.2)  # how much the loss of wanted tuples weighs; each finds other terms
_JITTERS: Final = (0.0, 0.5)  # noise on the worth of a literal, so that other terms are met
_SCREEN: Final = 1e9  # multiplications spent on screening all pairs (or triples) of literals
_SCREEN_ROWS: Final = 64  # tuples without which screening lets too much through
_POOL: Final = 1024  # screened terms kept
_RANKED: Final = 1 << 16  # screened terms ranked at once
_FIRST_BATCHES: Final = 16  # batches of seeds at least within which a formula worth shortening is found
_QUICK: Final = 6_000  # size of table (tuples times concepts) for which shortening is quick
_WORKING_SET: Final = 1 << 14  # tuples of each answer looked at first; more where the terms are wrong
_REFILL: Final = Effort(nodes=20, cover_size=150, program_size=0)  # proof allowed to one choice of terms
_PATIENCE: Final = 30  # reductions without gain after which the loop ends
_LITTLE_PATIENCE: Final = 6  # the same where a formula is only a start for another search
_CELLS: Final = 3_000  # size of table (tuples times concepts) below which there are more of them


@quiet_products
def agreeing_terms(wanted: BoolArray, avoided: BoolArray, relevance: FloatArray) -> Terms:
    """Terms of a DNF that is true on every wanted tuple and on no avoided one.

    Parameters
    ----------
    wanted, avoided : ndarray of bool, shapes (n_wanted, n_concepts) and (n_avoided, n_concepts)
        Tuples without one in common; at least one of each.
    relevance : ndarray of float, shape (n_concepts,) or (n_wanted, n_concepts)
        In [0, 1]: concepts to prefer where the choice is otherwise equal, for all tuples or for each.
    """
    size = _WORKING_SET
    every_on, every_off = np.arange(len(wanted)), np.arange(len(avoided))
    on, off = evenly(every_on, size), evenly(every_off, size)
    relevance = np.broadcast_to(relevance, wanted.shape)
    while True:
        terms = _Search(Side(wanted[on]), Side(avoided[off]), relevance[on]).run()
        missed = every_on[~covered_rows(terms, wanted)]
        caught = every_off[covered_rows(terms, avoided)]
        if not len(missed) and not len(caught):
            return terms
        size *= 2
        on = np.union1d(on, evenly(missed, size))
        off = np.union1d(off, evenly(caught, size))


@quiet_products
def first_agreeing_terms(
    wanted: BoolArray,
    avoided: BoolArray,
    relevance: FloatArray,
    max_literals: float,
    quickly: bool = False,
    triples: bool = True,
) -> Terms | None:
    """A DNF as :func:`agreeing_terms` finds it at first; shortened only where that is quick.

    Without ``triples`` terms of three literals are grown, too, and not looked through one by one.

    None when it has more literals than allowed, or is not found soon: then the answers are too noisy for a
    short formula to agree with all of them.
    """
    search = _Search(Side(wanted), Side(avoided), np.broadcast_to(relevance, wanted.shape))
    chosen = search.first(max(_FIRST_BATCHES, max_literals / 10), triples)
    if not len(chosen) or np.floor(search.costs[chosen]).sum() > max_literals:
        return None
    if wanted.size + avoided.size <= _QUICK:
        chosen = search.improve(chosen, quickly)
    return search.pool[chosen]


def covered_rows(terms: Terms, bits: BoolArray) -> BoolArray:
    """On which tuples some term is true, shape (n_rows,); block by block."""
    covered = np.zeros(len(bits), dtype=np.bool_)
    for start in range(0, len(bits), _WORKING_SET):
        block = slice(start, start + _WORKING_SET)
        covered[block] = Side(bits[block]).covered(terms).any(axis=0)
    return covered


def evenly(rows: IndexArray, size: int) -> IndexArray:
    """At most ``size`` of the rows, spread evenly."""
    step = -(-len(rows) // size) if len(rows) else 1
    return rows[::step]


class _Search:
    """The state of one minimization: every term found so far, and which wanted tuples each covers."""

    def __init__(self, on: Side, off: Side, relevance: FloatArray) -> None:
        self.on = on
        self.off = off
        self.relevance = relevance
        self.mean_relevance: FloatArray = relevance.mean(axis=0)
        self.random = np.random.default_rng(0)  # spreads seeds and reductions; the same for the same table
        self.pool: Terms = np.zeros((0, on.bits.shape[1]), dtype=np.int8)
        self.covers: BoolArray = np.zeros((0, len(on)), dtype=np.bool_)
        self.costs: FloatArray = np.zeros(0)
        self.known: set[bytes] = set()

    def run(self) -> Terms:
        """Terms of the shortest DNF found."""
        chosen = self.improve(self.first(np.inf))  # which adds to the pool
        return self.pool[chosen]

    def first(self, max_batches: float, triples: bool = True) -> IndexArray:
        """A first choice of terms; none if so many batches of seeds do not give every tuple a term."""
        self._screen_pairs()
        if not self._complete(max_batches):
            return np.empty(0, dtype=np.intp)
        chosen = greedy_cover(self.covers.T, self.costs)
        if triples and self.costs[chosen].max() >= 4 and self._screen_triples():
            chosen = greedy_cover(self.covers.T, self.costs)
        return chosen

    def _add(self, terms: Terms) -> int:
        """Put new terms into the pool; how many were new."""
        fresh = []
        for at, term in enumerate(terms):
            key = term.tobytes()
            if key not in self.known:
                self.known.add(key)
                fresh.append(at)
        if fresh:
            terms = terms[fresh]
            self.pool = np.concatenate([self.pool, terms])
            self.covers = np.concatenate([self.covers, self.on.covered(terms)])
            self.costs = np.concatenate([self.costs, self._costs(terms)])
        return len(fresh)

    def _costs(self, terms: Terms) -> FloatArray:
        """Literals, and by a hair what is preferred among equals."""
        hair = 1e-3 / terms.shape[1]
        costs: FloatArray = np.abs(terms).sum(axis=1) + hair * tie_values(terms, self.mean_relevance)
        return costs

    def _complete(self, max_batches: float) -> bool:
        """Find prime terms until every wanted tuple has one; whether so many batches of seeds sufficed."""
        everything = np.ones(len(self.on), dtype=np.float32)
        batches = 0
        while (open_rows := ~self.covers.any(axis=0)).any():
            if batches >= max_batches:
                return False
            seeds = self._spread(np.flatnonzero(open_rows))
            for temper in _TEMPERS[:2]:
                self._add(self._primes(seeds, temper, everything))
            batches += 1
        return True

    def _spread(self, rows: IndexArray) -> IndexArray:
        return rows if len(rows) <= _BATCH else np.sort(self.random.choice(rows, _BATCH, replace=False))

    def improve(self, chosen: IndexArray, quickly: bool = False) -> IndexArray:
        """Reduce and expand again, until that has not gained for a while."""
        cells = self.on.bits.size + self.off.bits.size
        zeal = 1.0 if quickly else min(8.0, max(1.0, _CELLS / cells))  # small tables are gone over more often
        patience = _LITTLE_PATIENCE if quickly else _PATIENCE
        failures = attempt = 0
        while failures < zeal * min(patience, 3 * len(chosen)):
            rest = chosen[~self._given_up(len(chosen), attempt)]
            open_rows = np.flatnonzero(~self.covers[rest].any(axis=0))
            weight = np.zeros(len(self.on), dtype=np.float32)
            weight[open_rows] = 1
            temper, jitter = _TEMPERS[attempt % len(_TEMPERS)], _JITTERS[attempt % len(_JITTERS)]
            self._add(self._primes(self._spread(open_rows), temper, weight, jitter))
            filled = self._refill(open_rows)
            candidate = irredundant(self.covers.T, self.costs, np.concatenate([rest, filled]))
            gain = self.costs[chosen].sum() - self.costs[candidate].sum()
            if gain >= 0:  # an equal one is taken too: it leads elsewhere
                chosen = candidate
            failures = 0 if gain > 0.5 else failures + 1  # less than a literal is mere preference
            attempt += 1
        return chosen

    def _refill(self, open_rows: IndexArray) -> IndexArray:
        """The cheapest terms of the pool that cover these tuples, as far as a quick proof goes."""
        covers = self.covers[:, open_rows]
        useful = np.flatnonzero(covers.any(axis=1))
        literals = np.floor(self.costs[useful])  # without the hair
        return useful[minimum_cover(covers[useful].T, literals, np.zeros(len(useful)), _REFILL).columns]

    def _given_up(self, n_terms: int, attempt: int) -> BoolArray:
        """Choose the terms to give up: each in turn when they are few, else a random fifth."""
        if n_terms <= 5:
            gone: BoolArray = np.arange(n_terms) == attempt % n_terms
        else:
            gone = self.random.permutation(n_terms) < max(2, n_terms // 5)
        return gone

    def _primes(self, seeds: IndexArray, temper: float, weight: Dense, jitter: float = 0.0) -> Terms:
        """A prime term for each seed: grown literal by literal, then stripped of what is not needed."""
        return self._strip(self._grow(seeds, temper, weight, jitter), seeds, weight)

    def _grow(self, seeds: IndexArray, temper: float, weight: Dense, jitter: float) -> Terms:
        """Literals of each seed, best first, until the term excludes every avoided tuple."""
        bits, bonus = self.on.bits[seeds], 1e-3 * self.relevance[seeds]
        terms = np.zeros(bits.shape, dtype=np.int8)
        on = np.repeat(weight[None, :], len(seeds), axis=0)
        off = np.ones((len(seeds), len(self.off)), dtype=np.float32)
        busy = np.arange(len(seeds))
        while len(busy):
            kept = np.log1p(self.on.weight_matching(on, bits[busy]))
            left = np.log1p(self.off.weight_matching(off, bits[busy]))
            score = temper * kept - left + bonus[busy]
            if jitter:
                score += jitter * self.random.random(score.shape)
            score[terms[busy] != 0] = -np.inf
            best = score.argmax(axis=1)
            sign = bits[busy, best]
            terms[busy, best] = np.where(sign, 1, -1)
            on *= self.on.columns[best] == sign[:, None]
            off *= self.off.columns[best] == sign[:, None]
            unfinished = off.any(axis=1)
            busy, on, off = busy[unfinished], on[unfinished], off[unfinished]
        return terms

    def _strip(self, terms: Terms, seeds: IndexArray, weight: Dense) -> Terms:
        """Drop literals without which no avoided tuple gets in, those first that gain most wanted weight."""
        busy = np.arange(len(terms))
        while True:
            part = terms[busy]
            alone = (self.off.n_broken(part) == 1).astype(np.float32)
            needless = (part != 0) & (self.off.weight_broken(alone, part) == 0)
            loose = needless.any(axis=1)
            if not loose.any():
                return terms
            busy, part, needless = busy[loose], part[loose], needless[loose]
            gain = self.on.weight_broken((self.on.n_broken(part) == 1) * weight, part)
            gain -= 1e-3 * self.relevance[seeds[busy]]
            gain[~needless] = -np.inf
            terms[busy, gain.argmax(axis=1)] = 0

    def _screen_pairs(self) -> None:
        """Add the terms of one or two literals that exclude every avoided tuple.

        Growing term by term cannot see them when neither literal helps alone, as in an exclusive or.
        """
        n_literals = 2 * self.on.bits.shape[1]
        sample = self._sample(n_literals**2)
        if not len(sample):
            return
        literals = np.concatenate([self.off.true[sample], self.off.false[sample]], axis=1)
        pure = np.triu(literals.T @ literals == 0)  # the diagonal: single literals
        first, second = np.nonzero(pure)
        self._add_pure(np.stack([first, second], axis=1))

    def _screen_triples(self) -> int:
        """Add the terms of three literals that exclude every avoided tuple, while that is affordable."""
        n_literals = 2 * self.on.bits.shape[1]
        sample = self._sample(n_literals**3 / 6)
        if not len(sample):
            return 0
        literals = np.concatenate([self.off.true[sample], self.off.false[sample]], axis=1)
        found = []
        for first in range(n_literals - 2):
            rest = literals[literals[:, first] > 0, first + 1 :]
            pairs = np.argwhere(np.triu(rest.T @ rest == 0, 1)) + first + 1
            found.append(np.column_stack([np.full(len(pairs), first), pairs]))
        return self._add_pure(np.concatenate(found))

    def _sample(self, work_a_row: float) -> IndexArray:
        """As many avoided tuples as screening can afford; none when they would be too few to screen."""
        affordable = int(min(len(self.off), _SCREEN / work_a_row))
        if affordable < min(len(self.off), _SCREEN_ROWS):
            return np.empty(0, dtype=np.intp)
        return np.sort(self.random.choice(len(self.off), affordable, replace=False))

    def _add_pure(self, literals: IndexArray) -> int:
        """Add the terms made of these literals that are pure on all avoided tuples; the widest few.

        There may be millions of them, so a sample of the wanted tuples ranks them first.
        """
        sample = self._spread(np.arange(len(self.on)))
        true = np.concatenate([self.on.bits[sample], ~self.on.bits[sample]], axis=1).T  # (literal, tuple)
        n_covered = np.zeros(len(literals), dtype=np.int64)
        for start in range(0, len(literals), _RANKED):
            block = literals[start : start + _RANKED]
            n_covered[start : start + _RANKED] = true[block].all(axis=1).sum(axis=1)
        widest = literals[np.argsort(-n_covered, kind="stable")[: 4 * _POOL]]
        terms = _terms_of(widest, self.on.bits.shape[1])
        n_covered = self.on.covered(terms).sum(axis=1)
        terms = terms[np.argsort(-n_covered, kind="stable")[:_POOL]]
        useful = self.on.covered(terms).any(axis=1) & ~self.off.covered(terms).any(axis=1)
        return self._add(terms[useful])


def _terms_of(literals: IndexArray, n_concepts: int) -> Terms:
    """Terms from lists of literals: ``j`` for concept ``j``, ``n_concepts + j`` for its negation."""
    terms = np.zeros((len(literals), n_concepts), dtype=np.int8)
    rows = np.arange(len(literals))[:, None]
    terms[rows, literals % n_concepts] = np.where(literals < n_concepts, 1, -1)
    return terms
