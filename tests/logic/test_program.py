"""The integer program behind the trade-off."""

from __future__ import annotations

import numpy as np

from logiclens.logic.expand import Side
from logiclens.logic.lattice import read_terms
from logiclens.logic.program import TradeoffProgram
from logiclens.logic.tradeoff import Budget
from tests.strategies import all_rows

BITS = all_rows(2)  # (0, 0), (1, 0), (0, 1), (1, 1)
TERMS = read_terms(np.arange(9), 2)


def chosen(gain, price=0.0, budget=None, reached=0.0):
    program = TradeoffProgram(TERMS, Side(BITS).covered(TERMS), np.array(gain), price, budget or Budget())
    choice = program.solve(np.zeros(9), reached, nodes=1000)
    return TERMS[choice.columns].tolist(), choice.proved


def test_takes_what_pays():
    assert chosen([-1.0, 5.0, -1.0, 5.0], price=1.0) == ([[1, 0]], True)


def test_takes_nothing_when_nothing_pays():
    assert chosen([-1.0, 0.5, -1.0, 0.5], price=2.0) == ([], True)


def test_equal_gains_give_the_fewest_literals():
    """TRUE wins 3, and so do longer formulas that leave out the tuple worth nothing."""
    assert chosen([1.0, 1.0, 1.0, 0.0]) == ([[0, 0]], True)


def test_budget_of_terms():
    terms, proved = chosen([-9.0, 5.0, 4.0, -9.0], price=0.1, budget=Budget(terms=1))

    assert proved
    assert terms == [[1, -1]]


def test_a_group_covered_twice_costs_once():
    """Both terms of ``a | b`` cover the tuple (1, 1), which costs 3: together they win 10 - 3."""
    terms, _ = chosen([-9.0, 5.0, 5.0, -3.0], price=1.5)

    assert sorted(terms) == [[0, 1], [1, 0]]


def test_gains_that_cancel_out_leave_nothing_to_decide():
    both = np.zeros((1, 2), dtype=np.int8)
    program = TradeoffProgram(both, np.ones((1, 4), dtype=bool), np.array([1.0, -1, 1, -1]), 0.0, Budget())
    choice = program.solve(np.zeros(1), 0.0, nodes=10)

    assert choice.proved
    assert len(choice.columns) == 0
