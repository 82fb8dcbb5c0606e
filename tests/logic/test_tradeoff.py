"""The search for the front of errors against literals, and for the terms that win most."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.logic import _tradeoff
from logiclens.logic._tradeoff import CoverFront, FormulaBudget, Side, TermSearch, Tradeoff, read_terms
from tests.strategies import all_rows, labelled_rows


def won_by(bits: np.ndarray, gain: np.ndarray, terms: np.ndarray, price: float = 0.0) -> np.ndarray:
    """What each term wins."""
    return Side(bits).covered(terms) @ gain - price * np.abs(terms).sum(axis=1)


@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from([0.0, 0.3, 2.0]), st.integers(0, 4))
def test_the_best_of_few_concepts_is_the_best_there_is(seed, n_concepts, price, most):
    """Every term is tried one by one: none wins more, and none that wins as much is shorter."""
    random = np.random.default_rng(seed)
    bits = all_rows(n_concepts)
    gain = random.integers(-3, 4, len(bits)).astype(float)
    every = read_terms(np.arange(3**n_concepts), n_concepts)
    every = every[np.abs(every).sum(axis=1) <= most]
    values = won_by(bits, gain, every, price)

    found = TermSearch(Side(bits), np.zeros(n_concepts), 1e-9).best(gain, price, most)

    assert won_by(bits, gain, found[None], price)[0] == pytest.approx(values.max())
    assert np.abs(found).sum() == np.abs(every[values >= values.max() - 1e-9]).sum(axis=1).min()


def test_of_equal_terms_the_more_relevant_and_plain_one_is_taken():
    bits = np.array([[0, 0, 1], [1, 1, 0]], dtype=bool)  # c is the negation of a and b, which are the same
    gain = np.array([-1.0, 1.0])

    plain = TermSearch(Side(bits), np.zeros(3), 1e-9).best(gain, 0.0, 3)
    relevant = TermSearch(Side(bits), np.array([0.0, 1.0, 0.0]), 1e-9).best(gain, 0.0, 3)

    assert plain.tolist() in ([1, 0, 0], [0, 1, 0])
    assert relevant.tolist() == [0, 1, 0]


@given(
    st.integers(0, 10_000), st.integers(2, 30), st.sampled_from([0.0, 0.3, 2.0]), st.sampled_from([0, 1, 2])
)
def test_every_pair_of_literals_is_looked_at(seed, n_concepts, price, most):
    random = np.random.default_rng(seed)
    bits = random.random((40, n_concepts)) < 0.5
    gain = random.integers(-3, 4, len(bits)).astype(float)
    literals = np.concatenate([bits, ~bits], axis=1)
    pairs = (literals[:, :, None] & literals[:, None, :]).reshape(len(bits), -1)
    lengths = (2 - np.eye(2 * n_concepts)).ravel()
    opposite = np.roll(np.eye(2 * n_concepts, dtype=bool), n_concepts, axis=1).ravel()
    wins = np.where(opposite, -np.inf, gain @ pairs - price * lengths)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_tradeoff, "MAX_CONCEPTS", 0)  # a beam, also over few concepts
        found = TermSearch(Side(bits), np.zeros(n_concepts), 1e-9).best(gain, price, most)

    assert np.abs(found).sum() <= most
    assert won_by(bits, gain, found[None], price)[0] == pytest.approx(
        max([gain.sum(), *wins[lengths <= most]])
    )


def term(*literals: int) -> np.ndarray:
    return np.array([literals], dtype=np.int8)


def test_the_front_keeps_only_covers_that_nothing_shorter_beats():
    front = CoverFront()
    front.offer(1.0, term(1, 0, 0))
    front.offer(1.0, term(1, 1, 0))
    front.offer(3.0, term(1, 1, 1))
    front.offer(2.0, term(0, 1, 1))

    assert {size: won for size, (won, _) in front.covers.items()} == {1: 1.0, 2: 2.0, 3: 3.0}


def test_the_front_prefers_the_shorter_of_equals():
    front = CoverFront()
    front.offer(0.0, term(0, 0))
    front.offer(2.0, term(1, 0))

    assert front.best(price=2.0)[0] == 0.0
    assert front.best(price=1.9)[0] == 2.0
    assert front.best(price=0.0, literals=0)[0] == 0.0


def test_the_front_keeps_to_its_number_of_terms():
    front = CoverFront(max_terms=1)
    front.offer(9.0, np.concatenate([term(1, 0, 0), term(0, 1, 0)]))

    assert front.covers == {}


def test_a_start_takes_part():
    """The eight lines of tic-tac-toe: none of them helps much before the others are there."""
    X = np.random.default_rng(0).random((600, 27)) < 0.4
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    start = np.zeros((8, 27), dtype=np.int8)
    for at, line in enumerate(lines):
        start[at, list(line)] = 1
    y = np.any([X[:, line].all(axis=1) for line in map(list, lines)], axis=0)
    gain = np.where(y, 1.0, -1.0)
    front = Tradeoff(X, gain, np.zeros(27), FormulaBudget()).sweep(2.0, start)

    assert front.covers[24][0] == y.sum()


@given(labelled_rows(), st.sampled_from([0.0, 0.5, 2.0]))
def test_what_the_front_says_a_cover_wins_is_what_it_wins(rows, price):
    X, y, weight, _ = rows
    bits, first = np.unique(X, axis=0, return_index=True)
    gain = np.where(y, weight, -weight)[first]
    search = Tradeoff(bits, gain, np.zeros(X.shape[1]), FormulaBudget())
    front = search.sweep(price)

    for size, (won, terms) in front.covers.items():
        assert size == np.abs(terms).sum()
        assert won == gain[search.side.covered(terms).any(axis=0)].sum()


def test_beam_and_lattice_find_the_same_on_planted_rules(monkeypatch):
    """Up to twelve concepts all terms are tried; made to search by beam, the result is the same."""
    random = np.random.default_rng(0)
    X = all_rows(8)
    gain = np.where((X[:, 0] & X[:, 1]) | (X[:, 2] & ~X[:, 3] & X[:, 5]), 1.0, -1.0)
    gain[random.random(256) < 0.05] *= -1
    fronts = []
    for limit in (12, 0):
        monkeypatch.setattr(_tradeoff, "MAX_CONCEPTS", limit)
        front = Tradeoff(X, gain, np.zeros(8), FormulaBudget(literals=6)).sweep(0.0)
        fronts.append({size: won for size, (won, _) in front.covers.items()})

    assert fronts[0] == fronts[1]


def test_exclusive_or_is_seen_by_the_beam():
    X = np.random.default_rng(0).random((1000, 40)) < 0.5
    gain = np.where(X[:, 7] ^ X[:, 21], 1.0, -1.0)
    front = Tradeoff(X, gain, np.zeros(40), FormulaBudget()).sweep(20.0)

    assert front.covers[4][0] == (gain > 0).sum()


@pytest.mark.parametrize("price", [0.0, 1.0])
def test_nothing_to_win_gives_the_empty_cover(price):
    front = Tradeoff(all_rows(2), np.full(4, -1.0), np.zeros(2), FormulaBudget()).sweep(price)

    assert front.best(price)[0] == 0.0
    assert len(front.best(price)[1]) == 0


def test_of_many_terms_the_least_useful_go_first():
    """Ninety terms of three literals, each true on one tuple; only the first thirty of them win anything."""
    X = np.repeat(np.eye(90, dtype=bool), 3, axis=1)
    gain = np.where(np.arange(90) < 30, 1.0, -0.001)
    search = Tradeoff(X, gain, np.zeros(270), FormulaBudget())
    search.offer_shorter(X.astype(np.int8))

    assert search.front.best(0.0, literals=90)[0] == 30
