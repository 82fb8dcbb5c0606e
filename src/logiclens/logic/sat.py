"""Satisfiability: a tuple of concepts that makes a formula true, or the certainty that there is none.

Few concepts are settled by their truth table, 64 tuples to a word. Many are settled by a search: Tseitin's
encoding gives every distinct part of a formula a variable of its own, so that the clauses grow with the
formula as stored and not as written out, and the :class:`Solver` looks for values by conflict-driven clause
learning, as in MiniSat [1]_. Both are deterministic.

A clause is a list of literals, one of which must be true, and a literal is a plain integer: twice its
variable's number, plus one for the negation.

References
----------
.. [1] N. Eén, N. Sörensson: "An Extensible SAT-solver". SAT 2003.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import islice

import numpy as np

from logiclens.errors import LimitError
from logiclens.logic.arrays import BoolArray, Words, pack, unpack
from logiclens.logic.data import check_count
from logiclens.logic.formula import And, Const, Formula, Not, Or, Var, check_formula

MAX_CONFLICTS = 20_000
"""Most dead ends of one search, by default: seconds, or up to a minute on hard questions."""

_DECAY = 1 / 0.95
_LARGE = 1e100
TABLE_CONCEPTS = 16
"""Concepts up to which a truth table is looked through."""

_TABLE_WORDS = 1 << 23  # words that the truth tables of all parts of a formula may take: 64 MiB


def satisfying_assignment(formula: Formula, *, max_conflicts: int = MAX_CONFLICTS) -> dict[str, bool] | None:
    """Values of the concepts that make a formula true, or None when there are none.

    Parameters
    ----------
    formula : Formula
        Any formula, over any number of concepts.
    max_conflicts : int, default 20 000
        Dead ends after which the search over many concepts is given up.

    Returns
    -------
    dict of str to bool, or None
        A value for each concept of the formula, sorted by name.

    Raises
    ------
    LimitError
        The search met more than ``max_conflicts`` dead ends.

    Examples
    --------
    >>> from logiclens.logic.formula import Var
    >>> satisfying_assignment(Var("a") & ~Var("b"))
    {'a': True, 'b': False}
    >>> satisfying_assignment(Var("a") & ~Var("a")) is None
    True
    """
    check_formula(formula, "satisfying_assignment")
    return find_assignment([formula], max_conflicts=check_count(max_conflicts, "max_conflicts"))


def find_assignment(
    true: Iterable[Formula], false: Iterable[Formula] = (), *, max_conflicts: int = MAX_CONFLICTS
) -> dict[str, bool] | None:
    """Values of the concepts that make some formulas true and others false, or None.

    See :func:`satisfying_assignment`; nothing is built on top of the formulas, so the limit on nesting
    does not matter here.

    Examples
    --------
    >>> from logiclens.logic.formula import Var
    >>> find_assignment([Var("a") | Var("b")], [Var("a")])
    {'a': False, 'b': True}
    """
    wanted = [*((formula, True) for formula in true), *((formula, False) for formula in false)]
    names = sorted({name for formula, _ in wanted for name in formula.concepts})
    if _table_fits([formula for formula, _ in wanted], len(names)):
        return _first_row(wanted, names)
    search = Search(max_conflicts)
    for formula, value in wanted:
        search.require(formula, value)
    return search.assignment(names)


def _table_fits(formulas: Sequence[Formula], n_concepts: int) -> bool:
    if n_concepts > TABLE_CONCEPTS:
        return False
    most = _TABLE_WORDS >> max(0, n_concepts - 6)
    return all(sum(1 for _ in islice(formula.walk(), most + 1)) <= most for formula in formulas)


def _first_row(wanted: Sequence[tuple[Formula, bool]], names: Sequence[str]) -> dict[str, bool] | None:
    """First tuple, in counting order, where every formula has the value wanted."""
    table = truth_columns(len(names))
    columns = dict(zip(names, table, strict=True))
    n_words = 1 << max(0, len(names) - 6)
    fits = np.full(n_words, ~np.uint64(0))
    for formula, value in wanted:
        truth = formula.evaluate_words(columns, n_words)
        fits &= truth if value else ~truth
    hits: BoolArray = unpack(fits, 1 << len(names))
    row = int(hits.argmax())
    return {name: bool(row >> j & 1) for j, name in enumerate(names)} if hits[row] else None


def truth_columns(n_concepts: int) -> Words:
    """Every Boolean tuple of some concepts, one packed column each: shape (n_concepts, ceil(2**n / 64)).

    Fewer than six concepts fill one word all the same, with the tuples repeated.

    Examples
    --------
    >>> unpack(truth_columns(2), 4).astype(int)
    array([[0, 1, 0, 1],
           [0, 0, 1, 1]])
    """
    numbers = np.arange(1 << max(6, n_concepts))
    return pack((numbers >> np.arange(n_concepts)[:, None] & 1).astype(np.bool_))


class Search:
    """Formulas as clauses, for one question or many.

    Parameters
    ----------
    max_conflicts : int, default 20 000
        Dead ends after which a question is given up.
    near : mapping of str to bool, optional
        The values of concepts that are tried first; False for the others.

    Examples
    --------
    >>> from logiclens.logic.formula import Var
    >>> search = Search()
    >>> search.require(Var("a") | Var("b"))
    >>> search.assignment(["a", "b"], assuming=[search.literal(~Var("a"))])
    {'a': False, 'b': True}
    """

    def __init__(self, max_conflicts: int = MAX_CONFLICTS, near: Mapping[str, bool] | None = None) -> None:
        self.solver = Solver(max_conflicts)
        self._near = near or {}
        self._variables: dict[str, int] = {}
        self._gates: dict[tuple[int, ...], int] = {}
        self._known: dict[int, tuple[Formula, int]] = {}  # the formula is kept, so that its id stays taken
        self._true = self.solver.new_literal()
        self.solver.add_clause([self._true])

    def require(self, formula: Formula, value: bool = True) -> None:
        """Ask for a formula to be true, or false."""
        match formula:
            case Not(arg):
                self.require(arg, not value)
            case And(args=parts) | Or(args=parts) if isinstance(formula, And) == value:
                for part in parts:
                    self.require(part, value)
            case And(args=parts) | Or(args=parts):
                self.solver.add_clause([self.literal(part) ^ (not value) for part in parts])
            case _:
                self.solver.add_clause([self.literal(formula) ^ (not value)])

    def literal(self, formula: Formula) -> int:
        """Solver's literal that is true exactly where the formula is."""
        key = id(formula)
        if key not in self._known:
            self._known[key] = (formula, self._encoded(formula))
        return self._known[key][1]

    def _encoded(self, formula: Formula) -> int:
        match formula:
            case Const(value):
                return self._true ^ (not value)
            case Var(name):
                return self.concept(name)
            case Not(arg):
                return self.literal(arg) ^ 1
            case And(args=parts):
                return self._gate({self.literal(part) for part in parts})
            case _:
                return self._gate({self.literal(part) ^ 1 for part in formula.args}) ^ 1

    def concept(self, name: str) -> int:
        """Solver's literal of a concept."""
        if name not in self._variables:
            # The solver tries a variable as false first, so one that is true first stands for the negation.
            self._variables[name] = self.solver.new_literal() ^ bool(self._near.get(name))
        return self._variables[name]

    def _gate(self, inputs: set[int]) -> int:
        """Literal that is the conjunction of others; equal conjunctions share one."""
        inputs.discard(self._true)
        if self._true ^ 1 in inputs or any(literal ^ 1 in inputs for literal in inputs):
            return self._true ^ 1
        if len(inputs) < 2:
            return inputs.pop() if inputs else self._true
        key = tuple(sorted(inputs))
        if key not in self._gates:
            output = self._gates[key] = self.solver.new_literal()
            for literal in key:
                self.solver.add_clause([output ^ 1, literal])
            self.solver.add_clause([output, *(literal ^ 1 for literal in key)])
        return self._gates[key]

    def assignment(self, names: Iterable[str], assuming: Sequence[int] = ()) -> dict[str, bool] | None:
        """Values of the named concepts such that all requirements and assumptions can be met, or None.

        Only the named concepts are searched through. They must include those of every requirement that
        they have to do with, directly or through other requirements, and those of the assumptions.
        """
        literals = {name: self.concept(name) for name in names}
        if not self.solver.solve(assuming, [literal >> 1 for literal in literals.values()]):
            return None
        return {name: self.solver.is_true(literal) for name, literal in literals.items()}

    def implied(self, assuming: Sequence[int], names: Iterable[str]) -> dict[str, bool] | None:
        """Values of named concepts that follow from assumptions at once; None if these contradict."""
        literals = {name: self.concept(name) for name in names}
        if not self.solver.follow(assuming):
            return None
        known = {name: literal for name, literal in literals.items() if self.solver.is_known(literal)}
        return {name: self.solver.is_true(literal) for name, literal in known.items()}


class Solver:
    """Clauses, and the search for values that make all of them true.

    ``literal ^ 1`` negates a literal, ``literal >> 1`` is its variable. Two literals of each clause are
    watched, dead ends are turned into clauses at the first unique implication point, and variables met in
    recent dead ends are tried first, with the value they had last. Learned clauses are kept; the limit on
    conflicts bounds their number.

    Parameters
    ----------
    max_conflicts : int, default 20 000
        Dead ends after which a question is given up.

    Examples
    --------
    >>> solver = Solver()
    >>> a, b = solver.new_literal(), solver.new_literal()
    >>> solver.add_clause([a, b])
    >>> solver.solve([a ^ 1], [a >> 1, b >> 1]), solver.is_true(b)
    (True, True)
    """

    def __init__(self, max_conflicts: int = MAX_CONFLICTS) -> None:
        self._max_conflicts = max_conflicts
        self._values: list[int] = []  # by literal: 1 true, -1 false, 0 open
        self._watches: list[list[list[int]]] = []  # by literal: clauses to look at when it becomes false
        self._levels: list[int] = []  # by variable, as are the next four
        self._reasons: list[list[int] | None] = []
        self._phases: list[int] = []  # last value, as the bit that makes it a literal
        self._activity: list[float] = []
        self._choosable: list[bool] = []
        self._candidates: list[int] = []  # the variables that are choosable
        self._heap: list[tuple[float, int]] = []  # may hold outdated entries; they are skipped
        self._trail: list[int] = []
        self._marks: list[int] = []  # length of the trail at each decision
        self._head = 0
        self._step = 1.0
        self._consistent = True

    def new_literal(self) -> int:
        """Positive literal of a new variable."""
        self._values += [0, 0]
        self._watches += [[], []]
        self._levels.append(0)
        self._reasons.append(None)
        self._phases.append(1)
        self._activity.append(0.0)
        self._choosable.append(False)
        return len(self._values) - 2

    def add_clause(self, literals: Iterable[int]) -> None:
        """Ask for one of the literals to be true."""
        self._backtrack(0)
        clause = sorted({literal for literal in literals if self._values[literal] >= 0})
        if any(self._values[literal] > 0 or literal ^ 1 in clause for literal in clause):
            return
        if not clause:
            self._consistent = False
        elif len(clause) == 1:
            self._assign(clause[0], None)
        else:
            self._watch(clause)

    def is_known(self, literal: int) -> bool:
        """Whether the literal has a value at present."""
        return self._values[literal] != 0

    def is_true(self, literal: int) -> bool:
        """Whether the literal is true at present."""
        return self._values[literal] > 0

    def follow(self, assuming: Sequence[int]) -> bool:
        """Make assumptions and draw direct consequences; False when they contradict the clauses."""
        self._backtrack(0)
        self._consistent = self._consistent and self._propagate() is None
        if not self._consistent:
            return False
        for literal in assuming:
            if self._values[literal] < 0:
                return False
            if self._values[literal] == 0:
                self._decide(literal)
                if self._propagate() is not None:
                    return False
        return True

    def solve(self, assuming: Sequence[int], variables: Iterable[int]) -> bool:
        """Whether assumptions and clauses allow values for the variables; they are then :meth:`is_true`."""
        self._backtrack(0)
        self._phases = [1] * len(self._levels)  # false at first: few true concepts read best
        self._choosable = [False] * len(self._levels)
        self._candidates = [*variables]
        for variable in self._candidates:
            self._choosable[variable] = True
        self._refill()
        conflicts = 0
        while self._consistent:
            clash = self._propagate()
            if clash is None:
                choice = self._choice(assuming)
                if choice is None:
                    return True
                if self._values[choice] < 0:  # an assumption that cannot be
                    return False
                self._decide(choice)
                continue
            if not self._marks:
                self._consistent = False
                break
            conflicts += 1
            if conflicts > self._max_conflicts:
                raise LimitError(
                    f"The search was given up after {self._max_conflicts} conflicts. "
                    "Raise max_conflicts, or ask about smaller formulas."
                )
            self._learn(clash)
        return False

    def _choice(self, assuming: Sequence[int]) -> int | None:
        """Next assumption, else the most active open variable with its last value; None if none is open."""
        if len(self._marks) < len(assuming):
            return assuming[len(self._marks)]
        while self._heap:
            variable = heappop(self._heap)[1]
            if self._values[2 * variable] == 0:
                return 2 * variable + self._phases[variable]
        return None

    def _decide(self, literal: int) -> None:
        self._marks.append(len(self._trail))
        if self._values[literal] == 0:  # an assumption that holds already gets an empty level
            self._assign(literal, None)

    def _assign(self, literal: int, reason: list[int] | None) -> None:
        self._values[literal] = 1
        self._values[literal ^ 1] = -1
        self._levels[literal >> 1] = len(self._marks)
        self._reasons[literal >> 1] = reason
        self._trail.append(literal)

    def _watch(self, clause: list[int]) -> None:
        self._watches[clause[0]].append(clause)
        self._watches[clause[1]].append(clause)

    def _propagate(self) -> list[int] | None:
        """Draw all direct consequences; return a clause that has become false, if one has."""
        values, watches, trail = self._values, self._watches, self._trail
        while self._head < len(trail):
            false = trail[self._head] ^ 1
            self._head += 1
            waiting, watches[false] = watches[false], []
            keep = watches[false].append
            for at, clause in enumerate(waiting):
                if clause[0] == false:
                    clause[0], clause[1] = clause[1], false
                first = clause[0]
                if values[first] > 0:
                    keep(clause)
                    continue
                for k in range(2, len(clause)):
                    if values[clause[k]] >= 0:
                        clause[1], clause[k] = clause[k], false
                        watches[clause[1]].append(clause)
                        break
                else:
                    keep(clause)
                    if values[first] < 0:
                        watches[false] += waiting[at + 1 :]
                        return clause
                    self._assign(first, clause)
        return None

    def _learn(self, clash: list[int]) -> None:
        """Turn a dead end into a clause, go back to where it would have had a consequence, and draw it."""
        clause = self._shortened(*self._first_implication_point(clash))
        back = 0
        if len(clause) > 1:
            at = max(range(1, len(clause)), key=lambda k: self._levels[clause[k] >> 1])
            clause[1], clause[at] = clause[at], clause[1]
            back = self._levels[clause[1] >> 1]
        self._backtrack(back)
        if len(clause) > 1:
            self._watch(clause)
        self._assign(clause[0], clause if len(clause) > 1 else None)
        self._step *= _DECAY

    def _first_implication_point(self, clash: list[int]) -> tuple[list[int], set[int]]:
        """Clause with a single literal of the last level, which comes first, and the variables met."""
        met: set[int] = set()
        clause, at, n_open = [0], len(self._trail), 0
        reason: list[int] | None = clash
        while True:
            for literal in reason or ():
                variable = literal >> 1
                if variable not in met and self._levels[variable] > 0:
                    met.add(variable)
                    self._bump(variable)
                    if self._levels[variable] == len(self._marks):
                        n_open += 1
                    else:
                        clause.append(literal)
            at -= 1
            while self._trail[at] >> 1 not in met:
                at -= 1
            n_open -= 1
            if n_open == 0:
                clause[0] = self._trail[at] ^ 1
                return clause, met
            reason = self._reasons[self._trail[at] >> 1]

    def _shortened(self, clause: list[int], met: set[int]) -> list[int]:
        """Drop literals that the other literals of the clause imply directly."""

        def needed(literal: int) -> bool:
            reason = self._reasons[literal >> 1]
            return reason is None or any(
                other >> 1 not in met and self._levels[other >> 1] > 0 for other in reason
            )

        return [clause[0], *filter(needed, clause[1:])]

    def _bump(self, variable: int) -> None:
        self._activity[variable] += self._step
        if self._activity[variable] > _LARGE:
            self._activity = [activity / _LARGE for activity in self._activity]
            self._step /= _LARGE
            self._refill()

    def _refill(self) -> None:
        self._heap = [(-self._activity[variable], variable) for variable in self._candidates]
        heapify(self._heap)

    def _backtrack(self, level: int) -> None:
        if len(self._marks) <= level:
            return
        start = self._marks[level]
        for literal in self._trail[start:]:
            variable = literal >> 1
            self._values[literal] = self._values[literal ^ 1] = 0
            self._phases[variable] = literal & 1
            if self._choosable[variable]:
                heappush(self._heap, (-self._activity[variable], variable))
        del self._trail[start:], self._marks[level:]
        self._head = start
