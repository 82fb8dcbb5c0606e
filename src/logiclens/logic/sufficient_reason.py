"""Sufficient reasons: the fewest values of a row that fix the truth of a formula.

A formula is true of a row. A set of the row's values is *sufficient* if the formula is true of every tuple
that has them and that can be; a shortest one is a shortest prime implicant of the formula that contains the
row [1]_. It is found by implicit hitting sets [2]_. Each tuple of which the formula is false differs from the
row in some concepts, and a sufficient set holds one of them. So the smallest set that hits all differences
known so far is a lower bound; the solver is asked for a tuple that has its values and denies the formula. If
there is none, the set is sufficient, and none is smaller; if there is one, its difference is known from then
on. The solver tries the values of the row first, so that differences are small.

The order of the concepts settles ties: of the smallest sufficient sets it is the first in lexicographic
order, whatever the solver met on its way.

References
----------
.. [1] A. Darwiche, A. Hirth: "On the Reasons Behind Decisions". ECAI 2020.
.. [2] A. Ignatiev, N. Narodytska, J. Marques-Silva: "Abduction-Based Explanations for Machine Learning
   Models". AAAI 2019.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from logiclens.errors import InputError, LimitError, shown
from logiclens.logic.data import check_count, check_names
from logiclens.logic.entail import Given, given_parts
from logiclens.logic.formula import And, Formula, Not, Var, check_formula
from logiclens.logic.sat import Search

MAX_STEPS: Final = 20_000
"""Work on hitting sets before the search for a shortest reason is given up: some seconds."""
_STEPS_OF_A_QUESTION: Final = 10  # put to the solver
_DIFFERENCES_IN_A_STEP: Final = 10  # that a set must hit


@dataclass(frozen=True)
class PrimeImplicant:
    """Values of a row that are enough for the truth of a formula.

    Attributes
    ----------
    term : Formula
        The conjunction of these values. None of them can be left out.
    necessary : Formula
        The conjunction of the values that are in every sufficient set: the formula can be false where one of
        them is different and all other values are as in the row.
    shortest : bool
        Whether it is proved that no sufficient set is smaller.
    """

    term: Formula
    necessary: Formula
    shortest: bool


def sufficient_reason(
    formula: Formula,
    row: Mapping[str, bool],
    given: Given = None,
    *,
    order: Sequence[str] | None = None,
    max_steps: int = MAX_STEPS,
) -> PrimeImplicant:
    """Find the fewest values of a row under which a formula is true, whatever the other values are.

    Parameters
    ----------
    formula : Formula
        It is true of the row; for one that is false, pass its negation.
    row : mapping of str to bool
        A value for each concept of the formula.
    given : Formula or iterable of Formula, optional
        What is known about the concepts; tuples that break it cannot be.
    order : sequence of str, optional
        The concepts of the formula. Of equally short reasons the first in lexicographic order is taken.
        Sorted by name when missing.
    max_steps : int, default 20 000
        Work on the search for a shortest one, in steps. Beyond it the reason is proved to be sufficient, and
        none of its values can be left out, but another one may be shorter.

    Returns
    -------
    PrimeImplicant

    Raises
    ------
    InputError
        The formula is false of the row, a value is missing, or the row breaks what is given.

    Examples
    --------
    >>> from logiclens.logic import parse_formula
    >>> fly = parse_formula("wings & (feathers | ~heavy)")
    >>> reason = sufficient_reason(fly, {"wings": True, "feathers": True, "heavy": False})
    >>> reason.term, reason.necessary
    (And(Var('feathers'), Var('wings')), Var('wings'))
    >>> birds = parse_formula("feathers >> wings")
    >>> print(sufficient_reason(fly, {"wings": True, "feathers": True, "heavy": False}, birds).term)
    feathers
    """
    check_formula(formula, "sufficient_reason")
    names = _checked_order(formula, order)
    values = _checked_row(row, names)
    known = given_parts(given)
    for part in known:
        check_formula(part, "given")
    if not formula.evaluate([[values[name] for name in names]], names)[0]:
        raise InputError("The formula is false of this row. Pass its negation to find out why.")
    return _HittingSets(formula, values, known, names, check_count(max_steps, "max_steps")).reason()


def _checked_order(formula: Formula, order: Sequence[str] | None) -> tuple[str, ...]:
    if order is None:
        return formula.concepts
    names = check_names(order)
    if set(names) != set(formula.concepts):
        raise InputError(f"order must hold the concepts of the formula and no others. Got {shown(order)}.")
    return names


def _checked_row(row: Mapping[str, bool], names: Sequence[str]) -> dict[str, bool]:
    if not isinstance(row, Mapping):
        raise InputError(f"row must be a mapping from concept to value. Got {shown(row)}.")
    for name in names:
        if name not in row:
            raise InputError(f"The row has no value for the concept {shown(name)}.")
    return {name: bool(row[name]) for name in names}


class _GivenUp(Exception):
    """More steps than allowed."""


class _HittingSets:
    """The search for one row. Sets of concepts are whole numbers, concept ``j`` of the order is bit ``j``."""

    def __init__(
        self,
        formula: Formula,
        row: Mapping[str, bool],
        known: Iterable[Formula],
        names: Sequence[str],
        max_steps: int,
    ) -> None:
        self._formula, self._row, self._names, self._left = formula, row, names, max_steps
        self._all = (1 << len(names)) - 1
        self._search = Search(near=row)
        parts = list(known)
        for part in parts:
            self._search.require(part)
        self._variables = list(dict.fromkeys([*names, *(name for part in parts for name in part.concepts)]))
        self._has = [self._search.concept(name) ^ (not row[name]) for name in names]
        if parts and self._difference(self._all) is None:
            raise InputError("The row breaks what is given, so nothing can be said about it.")
        self._search.require(formula, False)
        self._met: list[int] = []  # differences, none of which holds another
        self._at_least = 0

    def reason(self) -> PrimeImplicant:
        necessary = [1 << at for at in self._turning() if self._can_deny(self._all ^ (1 << at))]
        try:
            found, shortest = self._smallest(), True
        except (_GivenUp, LimitError):
            found, shortest = self._irredundant(), False
        return PrimeImplicant(self._term(found), self._term(sum(necessary)), shortest)

    def _turning(self) -> list[int]:
        """Places of the values that alone turn the formula, whether or not the tuple can be."""
        row = np.array([self._row[name] for name in self._names], dtype=np.bool_)
        turned = row ^ np.eye(len(row), dtype=np.bool_)
        return [int(at) for at in np.flatnonzero(~self._formula.evaluate(turned, self._names))]

    def _term(self, chosen: int) -> Formula:
        used = [name for at, name in enumerate(self._names) if chosen >> at & 1]
        return And.of(Var(name) if self._row[name] else Not(Var(name)) for name in used)

    def _difference(self, kept: int) -> int | None:
        """Where a tuple that meets the requirements differs from the row, whose values it keeps; or None."""
        assumed = [literal for at, literal in enumerate(self._has) if kept >> at & 1]
        found = self._search.assignment(self._variables, assumed)
        if found is None:
            return None
        return sum(1 << at for at, name in enumerate(self._names) if found[name] != self._row[name])

    def _can_deny(self, kept: int) -> bool:
        """Whether some tuple that keeps those values denies the formula; its difference is then met."""
        if any(not kept & met for met in self._met):
            return True
        difference = self._difference(kept)
        if difference is None:
            return False
        self._met = [met for met in self._met if met & difference != difference] + [difference]
        return True

    def _smallest(self) -> int:
        """The first of the smallest sufficient sets."""
        chosen = self._some_hitting_set()
        while self._can_deny(chosen):
            self._count(_STEPS_OF_A_QUESTION)
            chosen = self._some_hitting_set()
        chosen = self._first_hitting_set(chosen)
        while self._can_deny(chosen):
            self._count(_STEPS_OF_A_QUESTION)
            chosen = self._first_hitting_set(self._some_hitting_set())
        return chosen

    def _irredundant(self) -> int:
        """A sufficient set of which nothing can be left out; what cannot be decided stays."""
        kept = self._all
        for at in reversed(range(len(self._names))):
            try:
                kept = kept if self._can_deny(kept & ~(1 << at)) else kept & ~(1 << at)
            except LimitError:
                continue
        return kept

    def _some_hitting_set(self) -> int:
        """A smallest set that hits all differences met."""
        found = self._completion(self._met, self._all, self._at_least)
        while found is None:
            self._at_least += 1
            found = self._completion(self._met, self._all, self._at_least)
        return found

    def _first_hitting_set(self, some: int) -> int:
        """The first of the smallest hitting sets in lexicographic order; ``some`` is any of them."""
        chosen, open_, allowed = 0, self._met, self._all
        for at in range(len(self._names)):
            bit = 1 << at
            if not open_:
                break
            allowed &= ~bit
            if not some & bit:
                if not any(met & bit for met in open_):
                    continue
                left = self._at_least - chosen.bit_count() - 1
                rest = self._completion([met for met in open_ if not met & bit], allowed, left)
                if rest is None:
                    continue
                some = chosen | bit | rest
            chosen |= bit
            open_ = [met for met in open_ if not met & bit]
        return chosen

    def _completion(self, open_: Sequence[int], allowed: int, most: int) -> int | None:
        """At most so many of the allowed concepts that hit the open differences, or None."""
        self._count(1 + len(open_) // _DIFFERENCES_IN_A_STEP)
        if not open_:
            return 0
        narrowed = sorted({met & allowed for met in open_}, key=lambda met: (met.bit_count(), met))
        used, disjoint = 0, 0
        for met in narrowed:  # each of those that share nothing takes a concept of its own
            if not met & used:
                used |= met
                disjoint += 1
        if disjoint > most or not narrowed[0]:
            return None
        narrowest = narrowed[0]
        while narrowest:
            bit = max(_bits(narrowest), key=lambda one: sum(1 for met in narrowed if met & one))
            rest = self._completion([met for met in narrowed if not met & bit], allowed & ~bit, most - 1)
            if rest is not None:
                return rest | bit
            narrowest &= ~bit
            allowed &= ~bit
            narrowed = [met & allowed for met in narrowed]
        return None

    def _count(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise _GivenUp


def _bits(numbers: int) -> list[int]:
    """The powers of two that add up to a number, the smallest first."""
    found = []
    while numbers:
        found.append(numbers & -numbers)
        numbers &= numbers - 1
    return found
