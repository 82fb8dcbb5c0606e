from __future__ import annotations

from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import LimitError
from logiclens.logic import solver as solver_module
from logiclens.logic.satisfiability import satisfying_assignment
from logiclens.logic.solver import Solver
from tests.logic.test_satisfiability import pigeonhole
from tests.strategies import all_rows


@given(st.lists(st.lists(st.integers(0, 11), min_size=1, max_size=4), max_size=30))
def test_clauses_straight_into_the_solver(clauses):
    solver = Solver()
    for _ in range(6):
        solver.new_literal()
    for clause in clauses:
        solver.add_clause(clause)
    rows = all_rows(6)
    literals = np.stack([rows, ~rows], axis=2).reshape(len(rows), 12)
    possible = np.all(
        [literals[:, clause].any(axis=1) for clause in clauses] or [literals[:, 0] | True], axis=0
    )

    assert solver.solve([], range(6)) == possible.any()
    for literal in range(12):
        assert solver.solve([literal], range(6)) == (possible & literals[:, literal]).any()


def test_activities_are_scaled_down(monkeypatch):
    monkeypatch.setattr(solver_module, "_LARGE", 10.0)

    assert satisfying_assignment(pigeonhole(6, 5)) is None


def test_restarts_follow_luby(monkeypatch):
    monkeypatch.setattr(solver_module, "_RESTART", 1)

    assert [*islice(solver_module._luby(), 15)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]
    assert satisfying_assignment(pigeonhole(6, 5)) is None


def chain(n):
    """Solver and literals of ``v0 -> v1 -> ... -> vn``."""
    solver = Solver()
    literals = [solver.new_literal() for _ in range(n + 1)]
    for one, next_one in pairwise(literals):
        solver.add_clause([one ^ 1, next_one])
    return solver, literals


def test_assumptions_have_direct_consequences():
    solver, literals = chain(50)

    assert solver.follow([literals[10]])
    assert [solver.is_known(literal) for literal in literals] == [False] * 10 + [True] * 41
    assert all(map(solver.is_true, literals[10:]))
    assert not solver.follow([literals[10], literals[40] ^ 1])
    assert solver.follow([])
    assert not any(map(solver.is_known, literals))


def test_only_the_variables_asked_for_are_decided():
    solver, literals = chain(3)

    assert solver.solve([], [literals[3] >> 1])
    assert [solver.is_known(literal) for literal in literals] == [True] * 4  # v3 is false, so all are
    assert not any(map(solver.is_true, literals))


def test_clauses_may_be_added_between_questions():
    solver, literals = chain(3)
    variables = [literal >> 1 for literal in literals]

    assert solver.solve([literals[0]], variables)
    solver.add_clause([literals[3] ^ 1])
    assert not solver.solve([literals[0]], variables)
    assert solver.solve([], variables)
    solver.add_clause([literals[0]])
    assert not solver.solve([], variables)
    assert not solver.follow([])


def test_an_empty_clause_is_never_true():
    solver = Solver()
    solver.add_clause([])

    assert not solver.solve([], [])


def test_conflicts_are_limited():
    solver = Solver(max_conflicts=0)
    a, b = solver.new_literal(), solver.new_literal()
    for clause in ([a, b], [a ^ 1, b], [a, b ^ 1]):
        solver.add_clause(clause)

    with pytest.raises(LimitError, match=r"^The search was given up after 0 conflicts. Raise max_conflicts"):
        solver.solve([], [a >> 1, b >> 1])
