"""Proofs: set covers, the integer program of the trade-off, and the formulas they make."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.logic import _exact
from logiclens.logic._exact import (
    QUICK,
    THOROUGH,
    Effort,
    TradeoffProgram,
    best_tradeoff,
    greedy_cover,
    irredundant,
    minimum_cover,
    silent_output,
    smallest_agreeing,
)
from logiclens.logic._tradeoff import FormulaBudget, Side, Tradeoff, read_terms
from tests.strategies import all_rows


@st.composite
def problems(draw):
    """A matrix in which every row has a column, and whole costs."""
    n_rows, n_columns = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    ones = draw(st.lists(st.booleans(), min_size=n_rows * n_columns, max_size=n_rows * n_columns))
    matrix = np.array(ones, dtype=bool).reshape(n_rows, n_columns)
    matrix[~matrix.any(axis=1), draw(st.integers(0, n_columns - 1))] = True
    costs = np.array(draw(st.lists(st.integers(1, 4), min_size=n_columns, max_size=n_columns)), dtype=float)
    return matrix, costs


def cheapest(matrix, costs):
    columns = range(matrix.shape[1])
    choices = chain.from_iterable(combinations(columns, size) for size in range(len(columns) + 1))
    return min(costs[list(c)].sum() for c in choices if matrix[:, list(c)].any(axis=1).all())


@given(problems())
def test_minimum_is_the_cheapest_choice(problem):
    matrix, costs = problem
    choice = minimum_cover(matrix, costs, np.zeros(len(costs)), QUICK)

    assert choice.proved
    assert matrix[:, choice.columns].any(axis=1).all()
    assert costs[choice.columns].sum() == cheapest(matrix, costs)


@given(problems())
def test_greedy_covers_and_nothing_is_superfluous(problem):
    matrix, costs = problem
    chosen = greedy_cover(matrix, costs)

    assert matrix[:, chosen].any(axis=1).all()
    for at in range(len(chosen)):
        assert not matrix[:, np.delete(chosen, at)].any(axis=1).all()


def test_irredundant_gives_up_the_dearest_first():
    matrix = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=bool)

    assert irredundant(matrix, np.array([1.0, 5.0, 2.0]), np.arange(3)).tolist() == [0, 2]


def test_ties_decide_between_equally_cheap_choices():
    """Rows form a cycle of six, so the odd and the even columns cost the same."""
    matrix = np.zeros((6, 6), dtype=bool)
    for row in range(6):
        matrix[row, [row, (row + 1) % 6]] = True
    costs = np.ones(6)

    for favored in (0, 1):
        ties = np.where(np.arange(6) % 2 == favored, 0.0, 1.0)
        assert (minimum_cover(matrix, costs, ties, QUICK).columns % 2 == favored).all()


def test_too_large_for_the_solver_is_said():
    random = np.random.default_rng(0)
    matrix = random.random((60, 80)) < 0.1
    matrix[np.arange(60), np.arange(60)] = True
    costs = random.integers(1, 5, 80).astype(float)
    limited = minimum_cover(matrix, costs, np.zeros(80), Effort(nodes=1, cover_size=0, program_size=0))
    proved = minimum_cover(matrix, costs, np.zeros(80), THOROUGH)

    assert not limited.proved
    assert matrix[:, limited.columns].any(axis=1).all()
    assert proved.proved
    assert costs[proved.columns].sum() <= costs[limited.columns].sum()


def test_a_row_without_a_column_is_refused():
    with pytest.raises(ValueError, match="a row has no column that covers it"):
        greedy_cover(np.array([[True], [False]]), np.ones(1))


def test_only_what_is_inside_is_lost(capfd: pytest.CaptureFixture[str]):
    def fail() -> None:
        os.write(1, b"inside")
        os.write(2, b"warnings are seen")
        raise ZeroDivisionError

    sys.stdout.write("before\n")
    with pytest.raises(ZeroDivisionError), silent_output():
        fail()
    sys.stdout.write("after\n")

    seen = capfd.readouterr()
    assert seen.out == "before\nafter\n"
    assert seen.err == "warnings are seen"


@pytest.mark.parametrize(
    ("before", "after", "out"),
    [("print('before')", "print('after')", "before\nafter\n"), ("import os; os.close(1)", "", "")],
    ids=["text that Python still holds back", "no output at all"],
)
def test_any_process_goes_on(before, after, out):
    code = f"from logiclens.logic._exact import silent_output\n{before}\nwith silent_output(): pass\n{after}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)

    assert done.stdout == out
    assert "Traceback" not in done.stderr


BITS = all_rows(2)  # (0, 0), (1, 0), (0, 1), (1, 1)
TERMS = read_terms(np.arange(9), 2)


def chosen(gain, price=0.0, budget=None, reached=0.0):
    program = TradeoffProgram(
        TERMS, Side(BITS).covered(TERMS), np.array(gain), price, budget or FormulaBudget()
    )
    choice = program.solve(np.zeros(9), reached, nodes=1000)
    return TERMS[choice.columns].tolist(), choice.proved


@pytest.mark.parametrize(
    ("gain", "settings", "terms"),
    [
        ([-1.0, 5.0, -1.0, 5.0], {"price": 1.0}, [[1, 0]]),
        ([-1.0, 0.5, -1.0, 0.5], {"price": 2.0}, []),
        ([1.0, 1.0, 1.0, 0.0], {}, [[0, 0]]),  # so do longer formulas, which leave out what is worth nothing
        ([-9.0, 5.0, 4.0, -9.0], {"price": 0.1, "budget": FormulaBudget(terms=1)}, [[1, -1]]),
        ([-9.0, 5.0, 5.0, -3.0], {"price": 1.5}, [[0, 1], [1, 0]]),  # what both cover costs once
    ],
)
def test_what_pays_is_taken(gain, settings, terms):
    found, proved = chosen(gain, **settings)

    assert (sorted(found), proved) == (terms, True)


def test_gains_that_cancel_out_leave_nothing_to_decide():
    both = np.zeros((1, 2), dtype=np.int8)
    program = TradeoffProgram(
        both, np.ones((1, 4), dtype=bool), np.array([1.0, -1, 1, -1]), 0.0, FormulaBudget()
    )
    choice = program.solve(np.zeros(1), 0.0, nodes=10)

    assert choice.proved
    assert len(choice.columns) == 0


@pytest.mark.parametrize("seed", range(8))
def test_agreeing_formula_is_no_longer_than_sympys(seed):
    """SymPy's Quine-McCluskey with the same don't-cares, as an outside opinion."""
    sympy = pytest.importorskip("sympy")
    random = np.random.default_rng(seed)
    every = all_rows(5)
    answer = random.integers(0, 3, 32)  # no, yes, unseen
    proof = smallest_agreeing(every[answer == 1], every[answer == 0], np.zeros(5), QUICK)
    symbols = sympy.symbols("a:e")
    minterms, dontcares = (every[answer == kind].astype(int).tolist() for kind in (1, 2))
    terms = sympy.Or.make_args(sympy.SOPform(symbols, minterms, dontcares))
    theirs = sum(len(sympy.And.make_args(term)) for term in terms)

    assert proof.proved
    assert np.abs(proof.terms).sum() <= theirs


def test_relevance_settles_ties():
    """Either concept alone explains the tuples."""
    wanted, avoided = np.array([[True, True]]), np.array([[False, False]])
    for favored in (0, 1):
        relevance = (np.arange(2) == favored).astype(float)
        proof = smallest_agreeing(wanted, avoided, relevance, QUICK)

        assert proof.terms.tolist() == [[int(favored == 0), int(favored == 1)]]


def test_too_many_terms_to_lay_out_is_no_proof(monkeypatch):
    monkeypatch.setattr(_exact, "_CELLS", 3)
    bits, gain = all_rows(3), np.array([1.0, -1, 1, -1, -1, 1, 1, -1])

    assert smallest_agreeing(bits[gain > 0], bits[gain < 0], np.zeros(3), QUICK) is None
    assert best_tradeoff(bits, gain, np.zeros(3), 0.1, FormulaBudget(), 0.0, QUICK) is None


def won_by(bits, gain, terms, price):
    covered = Side(bits).covered(terms).any(axis=0)
    return gain[covered].sum() - price * np.abs(terms).sum()


@pytest.mark.parametrize("price", [0.0, 0.005, 0.02, 0.05])
@pytest.mark.parametrize("budget", [FormulaBudget(), FormulaBudget(literals=3), FormulaBudget(terms=1)])
def test_best_is_at_least_what_was_reached(price, budget):
    random = np.random.default_rng(0)
    bits, gain = all_rows(5), random.integers(-3, 4, 32) / 64
    front = Tradeoff(bits, gain, np.zeros(5), budget).sweep(price)
    reached, terms = front.best(price, budget.literals)
    reached -= price * np.abs(terms).sum()
    proof = best_tradeoff(bits, gain, np.zeros(5), price, budget, reached, THOROUGH)

    assert proof.proved
    assert won_by(bits, gain, proof.terms, price) >= reached - 1e-6
    assert len(proof.terms) <= budget.terms
    assert np.abs(proof.terms).sum() <= budget.literals


def test_more_than_can_be_won_has_no_solution():
    bits, gain = all_rows(2), np.array([1.0, -1.0, -1.0, 1.0])

    assert best_tradeoff(bits, gain, np.zeros(2), 0.1, FormulaBudget(), 1.9, QUICK) is None
