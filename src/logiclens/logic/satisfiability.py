"""Satisfiability: a tuple of concepts that makes a formula true, or the certainty that there is none.

Few concepts are settled by their truth table, 64 tuples to a word. Many are settled by a search: Tseitin's
encoding gives every distinct part of a formula a variable of its own, so that the clauses grow with the
formula as stored and not as written out, and the :class:`~logiclens.logic.solver.Solver` looks for values.
Both are deterministic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np

from logiclens.logic.arrays import BoolArray, unpack
from logiclens.logic.cubes import truth_columns
from logiclens.logic.data import check_count
from logiclens.logic.formula import And, Const, Formula, Not, Or, Var, check_formula
from logiclens.logic.solver import MAX_CONFLICTS, Solver

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


class Search:
    """Formulas as clauses, for one question or many.

    Parameters
    ----------
    max_conflicts : int, default 20 000
        Dead ends after which a question is given up.

    Examples
    --------
    >>> from logiclens.logic.formula import Var
    >>> search = Search()
    >>> search.require(Var("a") | Var("b"))
    >>> search.assignment(["a", "b"], assuming=[search.literal(~Var("a"))])
    {'a': False, 'b': True}
    """

    def __init__(self, max_conflicts: int = MAX_CONFLICTS) -> None:
        self.solver = Solver(max_conflicts)
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
            self._variables[name] = self.solver.new_literal()
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
