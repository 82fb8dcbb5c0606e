from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError, LimitError
from logiclens.logic import sat
from logiclens.logic.formula import FALSE, TRUE, And, Not, Or, Var
from logiclens.logic.sat import Search, Solver, find_assignment, satisfying_assignment
from tests.strategies import PLAIN, all_rows, plain_formulas

a, b, c = Var("a"), Var("b"), Var("c")


def by_search(formula, **settings):
    """Answer of the solver, also where a truth table would do."""
    search = Search(**settings)
    search.require(formula)
    return search.assignment(formula.concepts)


def makes_true(assignment, formula):
    return bool(formula.evaluate({name: [value] for name, value in assignment.items()} or {"any": [True]})[0])


def is_satisfiable(formula):
    return bool(formula.evaluate(all_rows(5), PLAIN).any())


@pytest.mark.parametrize("find", [satisfying_assignment, by_search])
@given(formula=plain_formulas(30))
def test_agrees_with_the_truth_table(find, formula):
    found = find(formula)

    assert (found is not None) == is_satisfiable(formula)
    if found is not None:
        assert tuple(found) == formula.concepts
        assert makes_true(found, formula)


@given(plain_formulas(), plain_formulas())
def test_literals_of_formulas_can_be_assumed_in_turn(f, g):
    search = Search()
    for wanted in ([f, g], [f, ~g], [~f], [g], []):
        found = search.assignment(PLAIN, [search.literal(part) for part in wanted])
        assert (found is not None) == is_satisfiable(And.of(wanted))
        if found is not None:
            assert makes_true(found, And.of(wanted))


@given(plain_formulas(), plain_formulas())
def test_what_follows_at_once_is_right(f, g):
    search = Search()
    search.require(f)
    implied = search.implied([search.literal(g)], PLAIN)
    rows = all_rows(5)
    rows = rows[(f & g).evaluate(rows, PLAIN)]
    if implied is None:
        assert len(rows) == 0
    else:
        assert all((rows[:, PLAIN.index(name)] == value).all() for name, value in implied.items())


def test_constants():
    assert satisfying_assignment(TRUE) == by_search(TRUE) == {}
    assert satisfying_assignment(FALSE) is by_search(FALSE) is None
    assert by_search(Or(And(a, TRUE), FALSE)) == {"a": True}
    assert by_search(And(Or(a, TRUE), Not(FALSE))) == {"a": False}


def test_the_first_tuple_in_counting_order_is_taken():
    assert satisfying_assignment(a | b | c) == {"a": True, "b": False, "c": False}


def test_true_and_false_formulas_together():
    assert find_assignment([a | b], [a]) == {"a": False, "b": True}
    assert find_assignment([a], [a | b]) is None
    assert find_assignment([]) == {}


def test_the_deepest_formula_is_no_problem():
    deep = a
    for k in range(99):
        deep = Not(And(deep, Var(f"v{k}")))

    assert find_assignment([deep], [b]) is not None
    assert find_assignment([deep], [deep]) is None


def pigeonhole(pigeons, holes):
    """Every pigeon has a hole, no hole two pigeons; one variable for each pair."""
    sits = [[Var(f"p{i}h{j}") for j in range(holes)] for i in range(pigeons)]
    homes = [Or.of(row) for row in sits]
    apart = [Or(~p, ~q) for column in zip(*sits, strict=True) for p, q in combinations(column, 2)]
    return And(*homes, *apart)


def test_pigeonhole():
    assert satisfying_assignment(pigeonhole(6, 5)) is None
    found = satisfying_assignment(pigeonhole(5, 5))
    assert found is not None
    assert makes_true(found, pigeonhole(5, 5))


def random_clauses(n_variables, n_clauses, seed):
    rng = np.random.default_rng(seed)
    clauses = []
    for _ in range(n_clauses):
        chosen = rng.choice(n_variables, 3, replace=False)
        clauses.append([(int(v), bool(rng.integers(2))) for v in chosen])
    return clauses


@pytest.mark.parametrize("seed", range(0, 8, 2))
def test_random_3_sat_agrees_with_sympy(seed):
    sympy = pytest.importorskip("sympy")
    n = 40 + 2 * seed
    clauses = random_clauses(n, int(4.3 * n), seed)
    formula = And.of(Or.of(Var(f"v{v}") if sign else ~Var(f"v{v}") for v, sign in row) for row in clauses)
    found = satisfying_assignment(formula)

    symbols = sympy.symbols(f"v:{n}")
    oracle = sympy.And(*(sympy.Or(*(symbols[v] if s else ~symbols[v] for v, s in row)) for row in clauses))
    assert (found is not None) == bool(sympy.logic.inference.satisfiable(oracle))
    if found is not None:
        assert makes_true(found, formula)


@pytest.mark.parametrize("odd", [True, False])
def test_a_ring_of_exclusive_ors(odd):
    """Neighbors differ all around: possible on an even ring only."""
    n = 30 + odd
    ring = [Var(f"v{k:02}") for k in range(n)]
    formula = And.of(~p.iff(q) for p, q in zip(ring, [*ring[1:], ring[0]], strict=True))
    found = satisfying_assignment(formula)

    assert (found is None) == odd


def test_shared_parts_are_encoded_once():
    parity = a
    for k in range(40):  # written out, this has 2**40 literals
        parity = ~parity.iff(Var(f"v{k}"))
    found = satisfying_assignment(parity)

    assert found is not None
    assert sum(found.values()) % 2 == 1


def test_few_concepts_in_many_parts_go_to_the_solver(monkeypatch):
    monkeypatch.setattr(sat, "_TABLE_WORDS", 2)
    monkeypatch.setattr(sat, "_first_row", None)

    assert satisfying_assignment(And(a, b, c)) == {"a": True, "b": True, "c": True}


def test_thousands_of_concepts():
    names = [f"c{j}" for j in range(5000)]
    chain = And.of(Or(~Var(x), Var(y)) for x, y in pairwise(names))

    found = satisfying_assignment(And(Var("c0"), chain))
    assert found is not None
    assert all(found.values())
    assert satisfying_assignment(And(Var("c0"), chain, ~Var("c4999"))) is None


def test_a_long_search_is_given_up():
    with pytest.raises(LimitError, match="given up after 200 conflicts"):
        satisfying_assignment(pigeonhole(9, 8), max_conflicts=200)


def test_misuse_is_explained():
    with pytest.raises(InputError, match="satisfying_assignment takes formulas"):
        satisfying_assignment("a")
    with pytest.raises(InputError, match="max_conflicts must be a whole number"):
        satisfying_assignment(a, max_conflicts=None)


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
    monkeypatch.setattr(sat, "_LARGE", 10.0)

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
