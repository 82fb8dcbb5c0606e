"""What follows from what: equivalence, implication and conflicts between rules, given what is known.

Concepts are often tied to one another: one-hot groups, where exactly one concept is true, and ordered
thresholds, where ``age > 62`` implies ``age > 30``. Such knowledge is a formula like any other, handed over
as ``given``; :func:`exactly_one`, :func:`at_most_one` and :func:`ordered` write it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from logiclens.errors import InputError, LimitError, shown
from logiclens.logic.arrays import BoolArray
from logiclens.logic.cover import Cover
from logiclens.logic.data import check_names
from logiclens.logic.formula import FALSE, TRUE, And, Formula, Not, Or, Var, check_formula, flatten
from logiclens.logic.normal_form import to_dnf
from logiclens.logic.sat import Search, find_assignment

_RULE_TERMS = 200  # terms up to which a rule is compared term by term

_Literals: TypeAlias = frozenset[tuple[str, bool]]
Given: TypeAlias = Formula | Iterable[Formula] | None


@dataclass(frozen=True)
class Conflict:
    """Two rules that can be true together.

    Attributes
    ----------
    first, second : hashable
        Labels of the rules.
    witness : mapping of str to bool, read-only
        Values of the concepts of both rules and of what is given, under which both rules are true.

    Examples
    --------
    >>> conflicts({"x": Var("a"), "y": Var("b")})[0].witness
    mappingproxy({'a': True, 'b': True})
    """

    first: Hashable
    second: Hashable
    witness: Mapping[str, bool] = field(hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "witness", MappingProxyType(dict(self.witness)))

    def __reduce__(self) -> tuple[Any, ...]:  # a mapping proxy cannot be pickled
        return Conflict, (self.first, self.second, dict(self.witness))


def implies(f: Formula, g: Formula, given: Given = None) -> bool:
    """Whether ``g`` is true wherever ``f`` is.

    Parameters
    ----------
    f, g : Formula
    given : Formula or iterable of Formula, optional
        What is known about the concepts; tuples that break it are not looked at.

    Raises
    ------
    InputError
        What is given contradicts itself, so that anything would follow.
    LimitError
        The question is too hard; see :func:`~logiclens.logic.sat.satisfying_assignment`.

    Examples
    --------
    >>> implies(Var("a") & Var("b"), Var("a"))
    True
    >>> implies(Var("age > 62"), Var("age > 30"), given=ordered(["age > 62", "age > 30"]))
    True
    """
    for formula in (f, g):
        check_formula(formula, "implies")
    known = _consistent(given)
    return find_assignment([*known, f], [g]) is None


def equivalent(f: Formula, g: Formula, given: Given = None) -> bool:
    """Whether two formulas are true of the same tuples of concepts; see :func:`implies`.

    Examples
    --------
    >>> equivalent(~(Var("a") & Var("b")), ~Var("a") | ~Var("b"))
    True
    >>> equivalent(Var("a"), ~Var("b"))
    False
    >>> equivalent(Var("a"), ~Var("b"), given=exactly_one(["a", "b"]))
    True
    """
    for formula in (f, g):
        check_formula(formula, "equivalent")
    known = _consistent(given)
    return find_assignment([*known, f], [g]) is None and find_assignment([*known, g], [f]) is None


def conflicts(rules: Mapping[Any, Formula], given: Given = None) -> list[Conflict]:
    """Pairs of rules that can be true together, each with a tuple of concepts that shows it.

    Parameters
    ----------
    rules : mapping of label to Formula
        One formula for each class.
    given : Formula or iterable of Formula, optional
        What is known about the concepts; witnesses satisfy it.

    Returns
    -------
    list of Conflict
        In the order of the rules.

    Raises
    ------
    InputError
        What is given contradicts itself.
    LimitError
        The question is too hard; see :func:`~logiclens.logic.sat.satisfying_assignment`.

    Examples
    --------
    >>> rules = {"even": Var("two") | Var("four"), "small": Var("one") | Var("two"), "odd": Var("one")}
    >>> digit = exactly_one(["one", "two", "four"])
    >>> [(found.first, found.second) for found in conflicts(rules, digit)]
    [('even', 'small'), ('small', 'odd')]
    >>> conflicts(rules, digit)[0].witness["two"]
    True
    """
    if not isinstance(rules, Mapping):
        raise InputError(
            f"rules must be a mapping from label to formula. Got {shown(rules)}; write {{'label': f}}."
        )
    return list(_Pairs(rules, _consistent(given)).conflicts())


def at_most_one(names: Sequence[str]) -> Formula:
    """No two of the concepts are true.

    The formula halves the list again and again, so that it has about ``n log2(n)`` literals and needs no
    concepts of its own.

    Examples
    --------
    >>> at_most_one(["a", "b"])
    Or(Not(Var('b')), Not(Var('a')))
    """
    checked = check_names(names)
    if len(checked) < 2:
        return TRUE
    left, right = checked[: len(checked) // 2], checked[len(checked) // 2 :]
    return Or(_both(at_most_one(left), _none(right)), _both(_none(left), at_most_one(right)))


def exactly_one(names: Sequence[str]) -> Formula:
    """One of the concepts is true and all others are not; see :func:`at_most_one`.

    Examples
    --------
    >>> exactly_one(["a", "b"])
    Or(And(Var('a'), Not(Var('b'))), And(Not(Var('a')), Var('b')))
    """
    checked = check_names(names)
    if len(checked) < 2:
        return Var(checked[0]) if checked else FALSE
    left, right = checked[: len(checked) // 2], checked[len(checked) // 2 :]
    return Or(_both(exactly_one(left), _none(right)), _both(_none(left), exactly_one(right)))


def ordered(names: Sequence[str]) -> Formula:
    """Each concept implies the next one, as for thresholds from the strictest to the loosest.

    Examples
    --------
    >>> ordered(["age > 62", "age > 30"])
    Or(Not(Var('age > 62')), Var('age > 30'))
    """
    return And.of(Or(Not(Var(strict)), Var(loose)) for strict, loose in pairwise(check_names(names)))


def _none(names: Sequence[str]) -> Formula:
    return And.of(Not(Var(name)) for name in names)


def _both(f: Formula, g: Formula) -> Formula:
    return g if f == TRUE else f if g == TRUE else f & g


def given_parts(given: Given) -> list[Formula]:
    """Return what is given, part by part."""
    return [] if given is None else list(given) if isinstance(given, Iterable) else [given]


def _consistent(given: Given) -> list[Formula]:
    """Return what is given, part by part, once it is sure that it can be true."""
    parts = given_parts(given)
    for part in parts:
        if not isinstance(part, Formula):
            raise InputError(f"given takes a formula or several of them. Got {shown(part)}.")
    if parts and find_assignment(parts) is None:
        raise InputError(
            "What is given contradicts itself: no tuple of concepts satisfies it, so anything would follow. "
            "Check the constraints, for instance for a concept that is in two groups."
        )
    return parts


def _groups(parts: Iterable[Formula]) -> dict[str, set[str]]:
    """For each concept those that it has to do with, directly or through others."""
    group: dict[str, set[str]] = {}
    for part in parts:
        names = part.concepts
        for name in names:
            group.setdefault(name, {name})
            smaller, larger = sorted((group[name], group[names[0]]), key=len)
            if smaller is not larger:
                larger |= smaller
                group.update(dict.fromkeys(smaller, larger))
    return group


def _true_cells(table: BoolArray, first_row: int, first_column: int) -> Iterator[tuple[int, int]]:
    """Places of what is true in a table, found only as far as they are asked for."""
    for row in np.flatnonzero(table.any(axis=1)).tolist():
        for column in np.flatnonzero(table[row]).tolist():
            yield first_row + row, first_column + column


class _Pairs:
    """All pairs of rules, looked at from the cheapest argument to the dearest.

    1. Terms of two rules that ask for opposite values of a concept, directly or as a consequence of what is
       given, exclude each other; this is a bit test on all pairs of terms.
    2. What is given falls into groups of concepts that have nothing to do with one another. Two terms can
       hold together when, in each group, their literals can: the solver is asked once for each such set of
       literals, and one-hot groups have few of them.
    3. Rules with too many terms are left to the solver as a whole.
    """

    def __init__(self, rules: Mapping[Any, Formula], known: list[Formula]) -> None:
        for label, rule in rules.items():
            if not isinstance(rule, Formula):
                raise InputError(f"The rule of {shown(label)} must be a formula. Got {shown(rule)}.")
        self._labels = list(rules)
        self._rules = list(rules.values())
        self._used = [rule.concepts for rule in self._rules]
        parts = [part for formula in known for part in flatten(And, formula)]
        self._search = Search()
        for part in parts:
            self._search.require(part)
        # Sorted, so that the order of the search and hence the witness does not depend on hashes.
        self._group = {name: tuple(sorted(names)) for name, names in _groups(parts).items()}
        self._default = self._search.assignment(sorted(self._group)) or {}
        self._together: dict[tuple[tuple[str, ...], _Literals], dict[str, bool] | None] = {}
        self._opaque: set[int] = set()
        self._terms: list[dict[tuple[str, ...], _Literals]] = []
        self._owner, self._cover = self._all_terms()

    def conflicts(self) -> Iterator[Conflict]:
        """Conflicts in the order of the rules."""
        for i, first in enumerate(self._labels):
            for j, candidates in self._compatible(i):
                found = self._witness(i, j, candidates)
                if found is not None:
                    others = dict.fromkeys((*self._used[i], *self._used[j]), False)
                    yield Conflict(first, self._labels[j], others | self._default | found)

    def _all_terms(self) -> tuple[NDArray[np.int64], Cover]:
        """Rule of each term, and the terms with all that follows from them at once."""
        owner: list[int] = []
        widened: list[dict[str, bool]] = []
        names = sorted({name for used in self._used for name in used} | set(self._group))
        for i, rule in enumerate(self._rules):
            reach = sorted({other for name in self._used[i] for other in self._group.get(name, (name,))})
            for term in self._conditions(i, rule):
                implied = self._search.implied([self._search.literal(term)], reach)
                if implied is not None:
                    owner.append(i)
                    widened.append(implied)
                    self._terms.append({} if i in self._opaque else self._by_group(term))
        return np.array(owner, dtype=np.int64), Cover.from_literals(names, widened)

    def _conditions(self, i: int, rule: Formula) -> tuple[Formula, ...]:
        try:
            dnf = to_dnf(rule, max_terms=_RULE_TERMS)
        except LimitError:
            self._opaque.add(i)
            return (rule,)
        return dnf.args if isinstance(dnf, Or) else (dnf,)

    def _by_group(self, term: Formula) -> dict[tuple[str, ...], _Literals]:
        """Literals of a term by the group of their concept; a concept that nothing is known of is one."""
        found: dict[tuple[str, ...], _Literals] = {}
        for literal in term.args if isinstance(term, And) else (term,):
            for name in literal.concepts:
                group = self._group.get(name, (name,))
                found[group] = found.get(group, frozenset()) | {(name, isinstance(literal, Var))}
        return found

    def _compatible(self, i: int) -> Iterator[tuple[int, Iterator[tuple[int, int]]]]:
        """Later rules, with the pairs of terms of rule ``i`` and theirs that do not exclude each other."""
        bounds = np.searchsorted(self._owner, np.arange(len(self._rules) + 1)).tolist()
        start, stop = bounds[i : i + 2]
        positive, negative = self._cover.positive, self._cover.negative
        free = np.zeros((len(self._owner) - stop, stop - start), dtype=np.bool_)
        for column, at in enumerate(range(start, stop)):
            clash = (positive[at] & negative[stop:]) | (negative[at] & positive[stop:])
            free[:, column] = ~clash.any(axis=1)
        for j in range(i + 1, len(self._rules)):
            block = free[bounds[j] - stop : bounds[j + 1] - stop]
            if block.any():
                yield j, _true_cells(block, bounds[j], start)

    def _witness(self, i: int, j: int, candidates: Iterator[tuple[int, int]]) -> dict[str, bool] | None:
        """Values under which both rules and what is given are true, as far as the pair settles them."""
        if self._opaque & {i, j}:
            names = {
                other for k in (i, j) for name in self._used[k] for other in self._group.get(name, (name,))
            }
            return self._search.assignment(
                sorted(names), [self._search.literal(self._rules[k]) for k in (i, j)]
            )
        found = (self._product(self._terms[other], self._terms[mine]) for other, mine in candidates)
        return next((values for values in found if values is not None), None)

    def _product(
        self, mine: dict[tuple[str, ...], _Literals], other: dict[tuple[str, ...], _Literals]
    ) -> dict[str, bool] | None:
        """Values under which two terms and what is given are true, None if there are none."""
        values: dict[str, bool] = {}
        for group in dict.fromkeys((*mine, *other)):  # a set would make the order of questions random
            key = (group, mine.get(group, frozenset()) | other.get(group, frozenset()))
            if key not in self._together:
                assumed = [self._search.concept(name) ^ (not value) for name, value in sorted(key[1])]
                self._together[key] = self._search.assignment(group, assumed)
            part = self._together[key]
            if part is None:
                return None
            values |= part
        return values
