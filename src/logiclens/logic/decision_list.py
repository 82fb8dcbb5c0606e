"""Decision lists of every length: the ones that lose least under soft targets.

A decision list asks its steps in order, ``if phi_1 then k_1, else if phi_2 then k_2, ..., otherwise d``; each
step is a DNF. Under soft targets ``p_ik`` with weights ``w_i`` a list that decides ``d(x)`` has the *regret*

    sum_i w_i (max_k p_ik - p_i,d(x_i))

The search lowers the price of a literal from where the constant list is best. At each price the steps are
improved in turn. To one step, rows that an earlier step decides are don't-cares; on any other row it gains
``w_i (p_ik - p_i,rest(x_i))``, its target against what the rest of the list would say. Terms for it come from
:mod:`logiclens.logic._term_search`; the best change (add a term, replace or drop one, two for one) is made
until none pays. Then steps are put into a better order. Every list met on the way is compared with the best
of its length, so one sweep gives the whole front.

Two targets need one step: the formula of one target, and otherwise the other; both are tried. Several
*parts*, such as those of a cross-validation, are swept side by side, which costs less than one by one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from logiclens.logic._term_search import LONGEST, NONE, Contexts, Literals, TermArray, find_terms, sizes_of
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, Terms, one_thread, quiet_products

_FIRST: Final = 0.5  # price of a literal to begin with, as a share of the weight
_RATIO: Final = 0.6  # of one price to the one before
_LAST: Final = 0.25  # price of a literal to end with, in rows
_ROUNDS: Final = 2  # passes over all steps at one price
_CHANGES: Final = 60  # changes of one step in one pass
_FIRSTS: Final = 3  # first terms of two that are tried in place of one
_BEYOND: Final = 1.25  # times the most literals up to which lists grow, so that shorter ones are met
_SAME: Final = 1e-9  # share of the weight below which there is no difference


@dataclass(frozen=True, eq=False)
class DecisionList:
    """A list, over the concepts of the rows it was searched on.

    Attributes
    ----------
    steps : tuple of (int, ndarray)
        Target of each step, and its terms: shape (n_terms, n_concepts), 1 for a concept, -1 for its negation.
    default : int
        Target of rows that no step decides.
    literals : int
        Number of literals of all steps.
    regret : float
        What its decisions lose under the soft targets, on the rows it was searched on.
    """

    steps: tuple[tuple[int, Terms], ...]
    default: int
    literals: int
    regret: float

    def decide(self, bits: BoolArray) -> IndexArray:
        """The target of each row, (n,), from concepts, (n, n_concepts)."""
        decided = np.full(len(bits), self.default)
        for target, terms in reversed(self.steps):
            used = np.flatnonzero(terms.any(axis=0))
            signs, held = terms[:, used].astype(np.float32), bits.T[used].astype(np.float32)
            n_false = (signs > 0).sum(axis=1)[:, None] - signs @ held  # false literals, (n_terms, n)
            decided[(n_false < 0.5).any(axis=0)] = target
        return decided


@quiet_products
def search_lists(
    bits: BoolArray,
    targets: FloatArray,
    *,
    max_literals: int,
    allowed: BoolArray | None = None,
    defaults: Sequence[int] = (0, 1),
    row_weights: FloatArray | None = None,
    also: FloatArray | None = None,
) -> list[list[DecisionList]]:
    """Find the front of regret against literals, for each of several parts.

    Parameters
    ----------
    bits : ndarray of bool, shape (n, n_concepts)
        Equal rows need not be merged, but the search is faster if they are.
    targets : ndarray of float, shape (n_parts, n, n_targets)
        Soft targets times the weight of the row in that part: ``w_i p_ik``; zero where a row is left out.
    max_literals : int
        Literals of the longest list.
    allowed : ndarray of bool, shape (n_parts, n_concepts), optional
        Concepts that the lists of each part may read; all when missing.
    defaults : sequence of int, default (0, 1)
        Of two targets, what a list may answer where its one step does not hold. A term without literals
        holds everywhere.
    row_weights : ndarray of shape (n_parts,), optional
        What a row counts in each part: the price of a literal falls to a share of that. When missing, the
        mean of the rows that are given; tell it where these stand for several, or targets have prices.
    also : ndarray of float, shaped as the targets, optional
        Other targets to search lists for, which are then compared by what they lose under ``targets``. Where
        one error is dear, good lists may lie behind bad ones: no change of one term leads from ``a | b`` to
        an exclusive or, as long as a row that is missed counts more than several that are not.

    Returns
    -------
    list of list of DecisionList
        For each part, from a constant upwards; each list is longer and loses less than the one before.

    Examples
    --------
    >>> bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=bool)
    >>> exclusive_or = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> for found in search_lists(bits, exclusive_or[None], max_literals=4)[0]:
    ...     print(found.literals, found.regret)
    0 2.0
    2 1.0
    4 0.0
    """
    allowed = np.ones((len(targets), bits.shape[1]), dtype=np.bool_) if allowed is None else allowed
    literals = Literals(bits, allowed)
    n_targets = targets.shape[2]
    # Sums are in single precision, which has no place for tiny weights: a power of two is taken out.
    power = int(np.frexp(targets.max(initial=0.0))[1])
    targets = np.ldexp(targets, -power)
    times = 1 if also is None else 2
    if also is not None:
        targets = np.concatenate([targets, np.ldexp(also, -power)])
    if row_weights is None:
        row_weights = targets.sum(axis=(1, 2)) / np.maximum((targets > 0).any(axis=2).sum(axis=1), 1)
    else:
        row_weights = np.tile(np.ldexp(row_weights, -power), times)
    allowed = np.tile(allowed, (times, 1))
    fronts = [_ListFront(float(part.sum())) for part in targets]
    searches = []
    for part, front, may, weight in zip(targets, fronts, allowed, row_weights.tolist(), strict=True):
        orders: list[tuple[list[int], int | None]] = [([1 - default], default) for default in defaults]
        if n_targets != 2:
            orders = [([*np.argsort(part.sum(axis=0), kind="stable").tolist()], None)]
        searches += [
            _ListSearch(literals, part, front, max_literals, may, weight, *order) for order in orders
        ]
        if n_targets == 2 and len(defaults) == 1:
            searches[-1].offer_constant(1 - defaults[0])
    with one_thread():
        while going := [each for each in searches if each.goes_on]:
            for _ in range(_ROUNDS):
                open_ = [each for each in going if each.begin_pass()]
                contexts = [each.contexts() for each in open_]
                for each, terms in zip(open_, find_terms(literals, contexts), strict=True):
                    each.improve(terms)
            for each in going:
                each.lower()
    if also is not None:
        n_parts = len(also)
        for part, front, other in zip(targets[:n_parts], fronts[:n_parts], fronts[n_parts:], strict=True):
            front.take(other, literals, part)
        fronts = fronts[:n_parts]
    return [front.lists(literals, power) for front in fronts]


class _ListFront:
    """The best list found for each number of literals."""

    def __init__(self, weight: float) -> None:
        self.same = _SAME * weight
        self.found: dict[int, tuple[float, tuple[tuple[int, TermArray], ...], int]] = {}
        self.lengths: list[int] = []  # ascending; longer lists lose less

    def wants(self, regret: float, literals: int) -> bool:
        """Whether a list loses less than all that are no longer."""
        place = bisect_right(self.lengths, literals)
        return not place or regret < self.found[self.lengths[place - 1]][0] - self.same

    def offer(
        self, regret: float, literals: int, steps: tuple[tuple[int, TermArray], ...], default: int
    ) -> None:
        """Keep a list."""
        self.found[literals] = regret, steps, default
        for n in [n for n, (r, *_) in self.found.items() if n > literals and r >= regret - self.same]:
            del self.found[n]
        self.lengths = sorted(self.found)

    def take(self, other: _ListFront, literals: Literals, targets: FloatArray) -> None:
        """Take the lists of a front that was searched for other targets, where they lose less under these."""
        best, rows = float(targets.max(axis=1).sum()), np.arange(len(targets))
        for n_literals, (_, steps, default) in other.found.items():
            decided = np.full(len(targets), default)
            for k, terms in reversed(steps):
                decided[literals.covers(terms).any(axis=0)] = k
            regret = best - float(targets[rows, decided].sum())
            if self.wants(regret, n_literals):
                self.offer(regret, n_literals, steps, default)

    def lists(self, literals: Literals, power: int) -> list[DecisionList]:
        """All lists, by length; their regret is multiplied by a power of two."""
        return [
            DecisionList(
                tuple((target, literals.signs(terms)) for target, terms in steps),
                default,
                n,
                float(np.ldexp(regret, power)),
            )
            for n, (regret, steps, default) in sorted(self.found.items())
        ]


@dataclass(eq=False)
class _ListStep:
    """A step as it is: its terms, where each and any of them holds, and how many literals they have."""

    terms: TermArray
    covers: BoolArray
    fires: BoolArray
    literals: int


class _ListSearch:
    """The search for the lists of one part: one list that changes while the price falls."""

    def __init__(
        self,
        literals: Literals,
        targets: FloatArray,
        front: _ListFront,
        max_literals: int,
        allowed: BoolArray,
        row_weight: float,
        order: list[int],
        default: int | None,
    ) -> None:
        self.literals, self.targets, self.front, self.max_literals = literals, targets, front, max_literals
        self.order = order
        self.forbidden = np.tile(~allowed[literals.columns], 2)
        n, weight = len(targets), float(targets.sum())
        self.rows = np.arange(n)
        self.best = float(targets.max(axis=1).sum())
        self.free = default is None
        self.default = int(targets.sum(axis=0).argmax()) if default is None else default
        nothing = literals.nothing()
        empty = _ListStep(nothing, literals.covers(nothing), np.zeros(n, dtype=np.bool_), 0)
        self.steps = dict.fromkeys(order, empty)
        self.same = _SAME * weight
        self.price = _FIRST * weight
        self.last = _LAST * row_weight
        self.goes_on = weight > 0 and literals.n_concepts > 0
        self.before = np.inf
        self._offer()

    @property
    def n_literals(self) -> int:
        return sum(step.literals for step in self.steps.values())

    def decisions(self, order: Sequence[int]) -> IndexArray:
        """What a list of these steps decides, (n,)."""
        decided = np.full(len(self.rows), self.default)
        for k in reversed(order):
            decided[self.steps[k].fires] = k
        return decided

    def regret(self, order: Sequence[int]) -> float:
        """What a list of these steps loses."""
        return self.best - float(self.targets[self.rows, self.decisions(order)].sum())

    def begin_pass(self) -> bool:
        """Begin to go through the steps once more; False when the last time won nothing."""
        value = self.regret(self.order) + self.price * self.n_literals
        if value >= self.before - self.same:
            return False
        self.before = value
        # A step that decides nothing yet comes first: what it takes, it takes from all others.
        self.order = sorted(self.order, key=lambda k: len(self.steps[k].terms) > 0)
        return True

    def rests(self) -> list[FloatArray]:
        """What the list says on each row, by its value, without none, one, two, ... of its first steps."""
        found = [self.targets[:, self.default]]
        for k in reversed(self.order):
            found.append(np.where(self.steps[k].fires, self.targets[:, k], found[-1]))
        return found[::-1]

    def contexts(self) -> Contexts:
        """What terms are to be found for: a new one of each step, and one in place of each of its terms."""
        gains, owners, terms = [], [], []
        above = np.zeros(len(self.rows), dtype=np.bool_)
        for k, rest in zip(self.order, self.rests()[1:], strict=True):
            step = self.steps[k]
            gain = np.where(above, 0.0, self.targets[:, k] - rest)  # by deciding a row, against the rest
            above = above | step.fires
            times = step.covers.sum(axis=0, dtype=np.int16)
            gains += [(times[None] == 0) * gain, (times - step.covers == 0) * gain]
            owners += [k] * (1 + len(step.terms))
            terms += [np.full((1, LONGEST), NONE, dtype=np.int32), step.terms]
        return Contexts(
            np.concatenate(gains), np.array(owners), np.concatenate(terms), self.price, self.forbidden
        )

    def improve(self, found: dict[int, TermArray]) -> None:
        """Improve each step with the terms that were found for it, then the order and the default."""
        above, won = np.zeros(len(self.rows), dtype=np.bool_), 0.0
        for k, rest in zip(tuple(self.order), self.rests()[1:], strict=True):
            if k in found or len(self.steps[k].terms):
                gain = np.where(above, 0.0, self.targets[:, k] - rest)
                without = self.best - won - float(rest[~above].sum())
                self._improve_step(k, found.get(k, self.literals.nothing()), gain, without)
            decided = self.steps[k].fires & ~above
            above, won = above | decided, won + float(self.targets[decided, k].sum())
        if self.free:
            open_ = ~np.any([step.fires for step in self.steps.values()], axis=0)
            if self.targets[open_].any():
                self.default = int(self.targets[open_].sum(axis=0).argmax())
            self._reorder()
        self._offer()

    def _improve_step(self, k: int, found: TermArray, gain: FloatArray, without: float) -> None:
        """Make the best change of a step until none pays: add, replace or drop a term, or two for one.

        Parameters
        ----------
        k : int
        found : ndarray of shape (n_terms, LONGEST)
            Terms that may be added.
        gain : ndarray of shape (n,)
            What the step gains on each row by deciding it.
        without : float
            The regret of the list without the step.
        """
        step = self.steps[k]
        others = self.n_literals - step.literals
        pool, current = _joined(step.terms, found)
        rows = np.flatnonzero(gain)
        covers = self.literals.covers(pool)[:, rows]
        gain = gain[rows]
        dense, coarse = covers.astype(np.float32), gain.astype(np.float32)
        sizes = sizes_of(pool)
        price: FloatArray = (self.price * sizes).astype(np.float64)
        for _ in range(_CHANGES):
            times = covers[current].sum(axis=0, dtype=np.int16)
            open_ = np.concatenate([times[None] == 0, times - covers[current] == 0])
            left: NDArray[np.float32] = open_ * coarse
            values = dense @ left.T - price[:, None]  # of each term, alone and in place of each other
            best, own = values.argmax(axis=0), values[current, 1 + np.arange(len(current))]
            wins = values[best, np.arange(values.shape[1])]
            wins[1:] = np.maximum(wins[1:], 0.0) - own
            at, least = int(wins.argmax()), 1e-6 * float(abs(coarse).sum())
            if wins[at] <= least:
                two = _two_for_one(dense, covers, left, values, price, np.concatenate([[0.0], own]))
                if two[0] <= least:
                    break
                _, at, first, second = two
                current = np.append(np.delete(current, at - 1) if at else current, [first, second])
            elif at and values[best[at], at] <= 0.0:
                current = np.delete(current, at - 1)
            elif at:
                current[at - 1] = best[at]
            else:
                current = np.append(current, best[0])
            n_literals = others + int(sizes[current].sum())
            regret = without - float(gain[covers[current].any(axis=0)].sum())
            if n_literals <= self.max_literals and self.front.wants(regret, n_literals):
                self.front.offer(regret, n_literals, self._written(k, pool[current]), self.default)
            if n_literals > _BEYOND * self.max_literals:
                break
        terms = pool[np.sort(current)]
        covers = self.literals.covers(terms)
        self.steps[k] = _ListStep(terms, covers, np.asarray(covers.any(axis=0)), int(sizes_of(terms).sum()))

    def _reorder(self) -> None:
        """Swap neighbors while that loses less."""
        for _ in range(len(self.order)):
            swapped, above = False, np.zeros(len(self.rows), dtype=np.bool_)
            for at in range(len(self.order) - 1):
                first, second = self.order[at], self.order[at + 1]
                both = self.steps[first].fires & self.steps[second].fires & ~above
                if float((self.targets[both, second] - self.targets[both, first]).sum()) > self.same:
                    self.order[at : at + 2], swapped = [second, first], True
                above |= self.steps[self.order[at]].fires
            if not swapped:
                break

    def _written(self, k: int, terms: TermArray) -> tuple[tuple[int, TermArray], ...]:
        """The steps that have terms, in order, with these for one of them."""
        steps = ((j, terms if j == k else self.steps[j].terms) for j in self.order)
        return tuple((j, each) for j, each in steps if len(each))

    def _offer(self) -> None:
        regret, n_literals = self.regret(self.order), self.n_literals
        if n_literals <= self.max_literals and self.front.wants(regret, n_literals):
            steps = tuple((k, self.steps[k].terms) for k in self.order if len(self.steps[k].terms))
            self.front.offer(regret, n_literals, steps, self.default)

    def offer_constant(self, k: int) -> None:
        """The list that always decides the other of two targets: its term has no literals."""
        regret = self.best - float(self.targets[:, k].sum())
        if self.front.wants(regret, 0):
            always = np.full((1, LONGEST), NONE, dtype=np.int32)
            self.front.offer(regret, 0, ((k, always),), self.default)

    def lower(self) -> None:
        """Go on to the next price, unless this was the last."""
        done = self.price <= self.last or self.n_literals >= self.max_literals
        self.goes_on = not done and self.regret(self.order) > self.same
        self.price *= _RATIO
        self.before = np.inf


def _two_for_one(
    dense: NDArray[np.float32],
    covers: BoolArray,
    left: NDArray[np.float32],
    values: NDArray[np.floating[Any]],
    price: FloatArray,
    own: NDArray[np.floating[Any]],
) -> tuple[float, int, int, int]:
    """Two terms in place of one, or of none, that win most: what they win, the place, and both of them.

    ``a & (b | c)`` is one change away from ``a`` only so: neither ``a & b`` nor ``a & c`` alone may pay.
    """
    firsts = np.argsort(-values, axis=0, kind="stable")[:_FIRSTS]  # (n_firsts, n_places)
    rest = left[None] * ~covers[firsts]  # (n_firsts, n_places, n)
    seconds = np.tensordot(rest, dense, axes=(2, 1)) - price  # (n_firsts, n_places, n_terms)
    second = seconds.argmax(axis=2)
    both = np.take_along_axis(values, firsts, axis=0) + seconds.max(axis=2) - own
    place, at = np.unravel_index(int(both.argmax()), both.shape)
    return float(both[place, at]), int(at), int(firsts[place, at]), int(second[place, at])


def _joined(current: TermArray, found: TermArray) -> tuple[TermArray, IndexArray]:
    """All terms once, those of a step first, and the places of these."""
    pool = np.concatenate([current, found])
    _, first = np.unique(pool, axis=0, return_index=True)
    return pool[np.sort(first)], np.arange(len(current))
