"""Conflict-driven clause learning: values for variables that make every clause true, or none.

A clause is a list of literals, one of which must be true, and a literal is a plain integer: twice its
variable's number, plus one for the negation. :mod:`logiclens.logic.satisfiability` writes formulas as such
clauses. The search is deterministic and follows MiniSat [1]_.

References
----------
.. [1] N. Eén, N. Sörensson: "An Extensible SAT-solver". SAT 2003.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush

from logiclens.errors import LimitError

MAX_CONFLICTS = 20_000
"""Most dead ends of one search, unless told otherwise: seconds, or up to a minute on hard questions."""

_RESTART = 64  # conflicts before the first restart
_DECAY = 1 / 0.95
_LARGE = 1e100


class Solver:
    """Clauses, and the search for values that make all of them true.

    ``literal ^ 1`` negates a literal, ``literal >> 1`` is its variable. Two literals of each clause are
    watched, dead ends are turned into clauses at the first unique implication point, variables met in recent
    dead ends are tried first, with the value they had last, and restarts follow Luby's sequence. Learned
    clauses are kept; the limit on conflicts bounds their number.

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
        conflicts, pauses = 0, _luby()
        pause = next(pauses)
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
            if conflicts >= pause:
                pause += next(pauses)
                self._backtrack(0)
                self._refill()
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


def _luby() -> Iterator[int]:
    """Conflicts between restarts: 1, 1, 2, 1, 1, 2, 4, ... times the first pause."""
    u, v = 1, 1
    while True:
        yield v * _RESTART
        u, v = (u + 1, 1) if u & -u == v else (u, 2 * v)
