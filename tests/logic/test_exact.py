"""Proofs: the smallest agreeing formula and the best trade-off."""

from __future__ import annotations

import numpy as np
import pytest

from logiclens.logic import exact
from logiclens.logic._set_cover import QUICK, THOROUGH
from logiclens.logic.exact import best_tradeoff, smallest_agreeing
from logiclens.logic.tradeoff import Budget, Tradeoff
from tests.strategies import all_rows

sympy = pytest.importorskip("sympy")


@pytest.mark.parametrize("seed", range(8))
def test_agreeing_formula_is_no_longer_than_sympys(seed):
    """SymPy's Quine-McCluskey with the same don't-cares, as an outside opinion."""
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
    monkeypatch.setattr(exact, "_CELLS", 3)
    bits, gain = all_rows(3), np.array([1.0, -1, 1, -1, -1, 1, 1, -1])

    assert smallest_agreeing(bits[gain > 0], bits[gain < 0], np.zeros(3), QUICK) is None
    assert best_tradeoff(bits, gain, np.zeros(3), 0.1, Budget(), 0.0, QUICK) is None


def won_by(bits, gain, terms, price):
    covered = Tradeoff(bits, gain, np.zeros(bits.shape[1]), Budget()).side.covered(terms).any(axis=0)
    return gain[covered].sum() - price * np.abs(terms).sum()


@pytest.mark.parametrize("price", [0.0, 0.005, 0.02, 0.05])
@pytest.mark.parametrize("budget", [Budget(), Budget(literals=3), Budget(terms=1)])
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

    assert best_tradeoff(bits, gain, np.zeros(2), 0.1, Budget(), 1.9, QUICK) is None
