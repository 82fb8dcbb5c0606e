"""One table and the questions about it: what the functions of :mod:`logiclens.logic.minimize` ask."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import Final, Literal

import numpy as np

from logiclens.errors import LimitError
from logiclens.logic._set_cover import QUICK, THOROUGH, UNPROVED, Effort
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, Terms, pack
from logiclens.logic.cover import Cover
from logiclens.logic.exact import Proof, best_tradeoff, smallest_agreeing
from logiclens.logic.expand import agreeing_terms, covered_rows, evenly, first_agreeing_terms
from logiclens.logic.formula import Formula
from logiclens.logic.lattice import MAX_CONCEPTS
from logiclens.logic.problem import Problem
from logiclens.logic.tradeoff import RESTARTS, Budget, Tradeoff
from logiclens.logic.truth_table import TruthTable

_PRIME_CONCEPTS: Final = 8  # concepts up to which all prime terms are found sooner than a few
_PATH_CONCEPTS: Final = 6  # concepts up to which points of a front are proved unless told otherwise
_PATH_LITERALS: Final = 9  # literals up to which they are
_SAME: Final = 1e-9  # share of the weight by which errors may differ that are the same
_LONGEST_START: Final = 1000  # literals of an agreeing formula that is worth shortening
_LOOK: Final = 1 << 14  # tuples up to which the terms of an agreeing formula are looked at once more
_GLANCE: Final = 1 << 12  # tuples of each answer that are looked at first for a formula that is found soon
_GLANCES: Final = 4  # times that tuples are looked at for one
_BLOCK: Final = 1 << 17  # tuples whose coverage is worked out at once

Exact = Literal["auto", True, False]


class Status(StrEnum):
    """How a formula was found."""

    PROVED = "proved minimal"
    """No formula does better."""
    SEARCHED = "best found"
    """The search found none that does better."""


@dataclass(frozen=True)
class Minimized:
    """A formula for a truth table, with what it costs.

    Attributes
    ----------
    cover : Cover
        A DNF, packed, over all concepts of the table; the term that covers most of the yes-weight stands
        first.
    formula : Formula
        The same as a formula, made when it is asked for.
    errors : float
        Weight of the answers the formula gets wrong.
    literals : int
        Number of literals.
    status : Status
        ``"proved minimal"``: no formula does better (by more than a millionth of the weight, where errors are
        traded). ``"best found"``: the search found none better.
    """

    cover: Cover
    errors: float
    literals: int
    status: Status

    @cached_property
    def formula(self) -> Formula:
        """The cover as a formula, made when it is asked for."""
        return self.cover.to_formula()

    def __repr__(self) -> str:
        return (
            f"Minimized(formula={self.formula!r}, errors={self.errors!r}, literals={self.literals!r}, "
            f"status={str(self.status)!r})"
        )

    def __str__(self) -> str:
        literals = f"{self.literals} literal{'' if self.literals == 1 else 's'}"
        return f"{self.formula}  ({literals}, errors {self.errors:g}, {self.status})"


class Minimizer:
    """Answers to the questions about one problem, with a proof where one is wanted and affordable."""

    def __init__(self, problem: Problem, exact: Exact, restarts: int = RESTARTS) -> None:
        self.restarts = restarts
        self.problem = problem
        self.exact = exact
        self.effort: Effort = THOROUGH if exact is True else QUICK
        self.small = problem.n_concepts <= MAX_CONCEPTS
        if exact is True and not self.small:
            raise self._no_proof()

    def agree(self) -> Minimized:
        """The shortest formula that agrees with every tuple."""
        return self._result(*self._agreeing(prove=bool(self.exact)))

    def agree_within(self, max_literals: float) -> Minimized | None:
        """A formula of at most so many literals that agrees with every tuple; None if none is found soon.

        Some tuples are looked at first, then those on which the formula was wrong.
        """
        bits, yes = self.problem.bits, self.problem.gain > 0
        if not yes.any() or not (~yes).any():
            return self.agree()
        rows = np.concatenate([evenly(np.flatnonzero(yes), _GLANCE), evenly(np.flatnonzero(~yes), _GLANCE)])
        for _ in range(_GLANCES):
            terms = self._start(bits[rows], self.problem.gain[rows], max_literals, triples=False)
            if terms is None:
                return None
            wrong = np.flatnonzero(covered_rows(terms, bits) != yes)
            if not len(wrong):
                return self._result(terms, False)
            rows = np.union1d(rows, evenly(wrong, _GLANCE))
        return None

    def _agreeing(self, prove: bool) -> Proof:
        problem = self.problem
        yes, no = problem.gain > 0, problem.gain < 0
        if not yes.any() or not no.any():
            return Proof(np.zeros((int(yes.any()), problem.n_concepts), dtype=np.int8), True)
        wanted, avoided = problem.bits[yes], problem.bits[no]
        proof = None
        if prove and self.small:
            proof = smallest_agreeing(wanted, avoided, problem.relevance, self.effort)
            if proof is not None and proof.proved:
                return proof
        found = self._shortened(agreeing_terms(wanted, avoided, problem.relevance_of_rows(yes)))
        return proof if proof is not None and _size(proof.terms) <= _size(found) else Proof(found, False)

    def _shortened(self, terms: Terms) -> Terms:
        """What one more look at each term makes of a formula that agrees with every tuple."""
        problem = self.problem
        if len(problem.gain) > _LOOK:
            return terms
        search = Tradeoff(problem.bits, problem.gain, problem.relevance, Budget())
        won = search.offer(terms)
        search.polish_cover(terms, search.finest_price)
        return next(found for _, (value, found) in sorted(search.front.covers.items()) if value >= won)

    def trade(self, cost: float, budget: Budget) -> Minimized:
        """The formula of least errors plus cost of the literals, within the budget."""
        price = self._price(cost)
        front = self._search(budget, price).front
        won, terms = front.best(price, budget.literals)
        proof = None
        if self.exact and self.small:
            reached = won - price * _size(terms)
            proof = self._best(price, budget, reached)
        return self._result(*(proof or Proof(terms, False)))

    def _price(self, cost: float) -> float:
        """A share of the weight as gain. What costs the whole weight never pays, nor does what costs more."""
        return min(cost, 1.0) * self.problem.table.total / self.problem.scale

    def _search(self, budget: Budget, last_price: float) -> Tradeoff:
        """The search for the front, helped by a formula that agrees with every tuple if one is short."""
        bits, gain = self.problem.sample()
        search = Tradeoff(bits, gain, self.problem.relevance, budget)
        start = None
        if (gain > 0).any() and (gain < 0).any():
            affordable = gain[gain > 0].sum() / last_price if last_price else _LONGEST_START
            start = self._start(bits, gain, min(affordable, 4 * budget.literals, _LONGEST_START))
        search.sweep(last_price, start, self.restarts)
        return search

    def _start(self, bits: BoolArray, gain: FloatArray, longest: float, triples: bool = True) -> Terms | None:
        """A formula of at most so many literals that agrees with every tuple; None if none is found soon."""
        wanted, avoided, relevance = bits[gain > 0], bits[gain < 0], self.problem.relevance
        if self.problem.n_concepts > _PRIME_CONCEPTS:
            quickly = self.restarts < RESTARTS
            return first_agreeing_terms(wanted, avoided, relevance, longest, quickly, triples)
        found = smallest_agreeing(wanted, avoided, relevance, UNPROVED)
        return found.terms if found is not None and _size(found.terms) <= longest else None

    def _best(self, price: float, budget: Budget, reached: float) -> Proof | None:
        problem = self.problem
        return best_tradeoff(
            problem.bits, problem.gain, problem.relevance, price, budget, reached, self.effort
        )

    def path(self, budget: Budget, cost: float = 0.0) -> tuple[Minimized, ...]:
        """Best formulas of every size, up to the one that is best at that cost of a literal."""
        price = self._price(cost)
        search = self._search(budget, price)
        ends = cost > 0 and self._longest_proved() < 0  # what is proved may be better than what was found
        most = _size(search.front.best(price, budget.literals)[1]) if ends else budget.literals
        agreement = None
        if cost == 0 and np.isinf(most) and not self._agrees(search.front.best(0.0)[1]):
            agreement = self._agreeing(prove=False).terms
            search.offer_shorter(agreement)
        covers = [terms for size, (_, terms) in sorted(search.front.covers.items()) if size <= most]
        if agreement is not None:
            covers.append(agreement)
        covers.sort(key=_size)
        longest = max((size for size in map(_size, covers) if size <= self._longest_proved()), default=-1)
        proved = self._proved_path(search, longest)
        others = (self._result(terms, False) for terms in covers if _size(terms) > longest)
        points = tuple(_falling(chain(proved, others)))
        losses = [point.errors + cost * self.problem.table.total * point.literals for point in points]
        return points[: int(np.argmin(losses)) + 1] if cost else points

    def _longest_proved(self) -> float:
        """Literals up to which the points of a front are proved; -1 for none."""
        if self.exact is True:
            return np.inf
        return _PATH_LITERALS if self.exact and self.problem.n_concepts <= _PATH_CONCEPTS else -1

    def prove(self, found: Minimized) -> Minimized:
        """The best formula of at most as many literals; the same where none is proved, or better."""
        if found.literals > self._longest_proved():
            return found
        table = self.problem.table
        errors = _weigh(found.cover, table)[1]
        won = (float(table.yes.sum()) - errors) / self.problem.scale
        proof = self._best_within(found, won)
        if proof is None:
            if self.exact is True:
                raise self._no_proof()
            return found
        best = self._result(*proof)
        if best.literals == found.literals and best.errors >= errors - _SAME * table.total:
            return replace(found, errors=errors, status=best.status)
        return best

    def _best_within(self, found: Minimized, won: float) -> Proof | None:
        """What wins most of the formulas that are no longer than a known one, which wins so much."""
        problem, yes = self.problem, self.problem.gain > 0
        if np.array_equal(found.cover.contains(problem.decided), yes):
            # Agreement wins most. Whether a shorter formula agrees, too, is told without an integer program.
            proof = smallest_agreeing(problem.bits[yes], problem.bits[~yes], problem.relevance, self.effort)
            if proof is not None and proof.proved:
                return proof
        return self._best(0.0, Budget(literals=found.literals), won)

    def _agrees(self, terms: Terms) -> bool:
        """Whether a formula agrees with every tuple of the whole table."""
        return np.array_equal(covered_rows(terms, self.problem.bits), self.problem.gain > 0)

    def _proved_path(self, search: Tradeoff, longest: int) -> Iterator[Minimized]:
        """The best formula of at most 0, 1, 2, ... literals."""
        for size in range(longest + 1):
            won, terms = search.front.best(0.0, size)
            proof = self._best(0.0, Budget(literals=size), won) or Proof(terms, False)
            search.offer(proof.terms)
            yield self._result(*proof)

    def _result(self, terms: Terms, proved: bool) -> Minimized:
        if self.exact is True and not proved:
            raise self._no_proof()
        whole = self.problem.over_all_concepts(terms)
        table = self.problem.table
        cover = Cover(table.names, pack(whole > 0), pack(whole < 0))
        order, errors = _weigh(cover, table)
        return Minimized(
            cover=Cover(table.names, cover.positive[order], cover.negative[order]),
            errors=errors,
            literals=_size(terms),
            status=Status.PROVED if proved else Status.SEARCHED,
        )

    def _no_proof(self) -> LimitError:
        table = self.problem.table
        return LimitError(
            f"No proof within the limits for a table of {len(table.names)} concepts and "
            f"{table.n_rows} rows. Use exact='auto' for the best formula found, or fewer concepts."
        )


def _falling(points: Iterator[Minimized]) -> Iterator[Minimized]:
    """Those points of a front, by length, that have fewer errors than all shorter ones."""
    least = np.inf
    for point in points:
        if point.errors < least:
            least = point.errors
            yield point


def _weigh(cover: Cover, table: TruthTable) -> tuple[IndexArray, float]:
    """Order of the terms for reading, the one that covers most of the yes-weight first; and the errors."""
    weight, errors = np.zeros(len(cover)), 0.0
    for start in range(0, table.n_rows, _BLOCK):
        block = slice(start, start + _BLOCK)
        covered = cover.covered_by_terms(table.rows[block])
        weight += table.yes[block] @ covered
        errors += float(np.where(covered.any(axis=1), table.no[block], table.yes[block]).sum())
    return np.lexsort((cover.literal_counts, -weight)), errors


def _size(terms: Terms) -> int:
    return int(np.abs(terms).sum())
