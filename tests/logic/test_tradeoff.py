"""The search for the front of errors against literals, and for the terms that win most."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.logic import _tradeoff
from logiclens.logic._tradeoff import (
    AllTerms,
    BeamedTerms,
    CoverFront,
    FormulaBudget,
    Sums,
    Tradeoff,
    TupleSets,
    extend,
    first_of_equal,
    literals_of,
    read_terms,
)
from tests.strategies import all_rows, labelled_rows


def set_of(rows: set[int]) -> int:
    """The set of these rows, as a number."""
    return sum(1 << row for row in rows)


@given(st.integers(1, 20).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1)))))
def test_a_set_of_tuples_is_a_number(case):
    n_rows, rows = case
    bits = np.zeros((n_rows, 1), dtype=bool)

    assert np.flatnonzero(TupleSets(bits).members(set_of(rows))).tolist() == sorted(rows)


def test_a_term_knows_what_it_covers():
    bits = all_rows(3)
    literals = np.array([1, 0, -1], dtype=np.int8)

    term = TupleSets(bits).term(literals)

    assert term.size == 2
    assert TupleSets(bits).members(term.covers).tolist() == (bits[:, 0] & ~bits[:, 2]).tolist()
    assert literals_of([term, term], 3).tolist() == [[1, 0, -1]] * 2
    assert literals_of([], 3).shape == (0, 3)


def test_sums_are_over_a_set_or_beyond_it():
    tuples = TupleSets(np.zeros((3, 1), dtype=bool))
    sums = Sums(tuples, np.array([1.0, 10.0, 100.0]))

    assert [sums.over(0b101), sums.over(0b101), sums.over(0)] == [101.0, 101.0, 0.0]
    assert sums.beyond(0b101).tolist() == [0.0, 10.0, 0.0]


@given(st.integers(0, 10_000), st.integers(1, 4), st.sampled_from([0.0, 0.3, 2.0]), st.integers(0, 4))
def test_the_best_of_all_terms_is_the_best_there_is(seed, n_concepts, price, most):
    """Every term is tried one by one: none wins more, and none that wins as much is shorter."""
    random = np.random.default_rng(seed)
    bits = all_rows(n_concepts)
    gain = random.integers(-3, 4, len(bits)).astype(float)
    covered = int(random.integers(0, 1 << len(bits)))
    tuples = TupleSets(bits)
    sums = Sums(tuples, gain)
    every = [
        tuples.term(term)
        for term in read_terms(np.arange(3**n_concepts), n_concepts)
        if np.abs(term).sum() <= most
    ]
    values = {term: sums.over(term.covers & ~covered) - price * term.size for term in every}
    search = AllTerms(tuples, np.zeros(n_concepts), 1e-9)

    for _ in range(2):  # the second time it is looked up
        value, term = search.best(sums, covered, price, most)

        assert value == pytest.approx(max(values.values()))
        assert value == pytest.approx(sums.over(term.covers & ~covered) - price * term.size)
        assert term.size == min(each.size for each, won in values.items() if won >= value - 1e-9)


def test_one_look_serves_all_prices_and_gains_are_kept_apart():
    bits = all_rows(3)
    tuples = TupleSets(bits)
    search = AllTerms(tuples, np.zeros(3), 1e-9)
    both = Sums(tuples, np.where(bits[:, 0] & bits[:, 1], 3.0, np.where(bits[:, 0], -1.0, -2.0)))
    other = Sums(tuples, np.where(bits[:, 2], 1.0, -1.0))

    assert [search.best(both, 0, price, 3)[1].size for price in (0.0, 2.1, 9.0)] == [2, 1, 0]
    assert search.best(other, 0, 0.0, 3)[1].literals.tolist() == [0, 0, 1]
    assert search.best(both, 0, 0.0, 3)[1].literals.tolist() == [1, 1, 0]


def test_of_equal_terms_the_more_relevant_and_plain_one_is_taken():
    bits = np.array([[0, 0, 1], [1, 1, 0]], dtype=bool)  # c is the negation of a and b, which are the same
    sums = Sums(TupleSets(bits), np.array([-1.0, 1.0]))

    plain = AllTerms(TupleSets(bits), np.zeros(3), 1e-9).best(sums, 0, 0.0, 3)[1]
    relevant = AllTerms(TupleSets(bits), np.array([0.0, 1.0, 0.0]), 1e-9).best(sums, 0, 0.0, 3)[1]

    assert plain.literals.tolist() in ([1, 0, 0], [0, 1, 0])
    assert relevant.literals.tolist() == [0, 1, 0]


@pytest.mark.parametrize("search", [AllTerms, BeamedTerms])
def test_both_searches_find_a_planted_term_beyond_what_is_covered(search):
    bits = all_rows(6)
    tuples = TupleSets(bits)
    planted = np.array([1, 0, -1, 0, 0, 1], dtype=np.int8)
    easy = np.array([0, 1, 0, 0, 0, 0], dtype=np.int8)
    covered = tuples.term(easy).covers
    holds = tuples.members(tuples.term(planted).covers)
    sums = Sums(tuples, np.where(holds | bits[:, 1], 1.0, -1.0))

    value, term = search(tuples, np.zeros(6), 1e-9).best(sums, covered, 0.1, 6)

    assert term.literals.tolist() == planted.tolist()
    assert value == pytest.approx(4 - 0.3)


def test_extended_adds_one_literal_to_each_term():
    terms = np.array([[1, 0, 0], [0, 0, -1]], dtype=np.int8)

    assert extend(terms, np.array([1, 3])).tolist() == [[1, 1, 0], [-1, 0, -1]]
    assert terms.tolist() == [[1, 0, 0], [0, 0, -1]]


def test_first_of_equal_keeps_the_order():
    terms = np.array([[1, 0], [0, 1], [1, 0]], dtype=np.int8)

    distinct, first = first_of_equal(terms)

    assert distinct.tolist() == [[1, 0], [0, 1]]
    assert first.tolist() == [0, 1]


@given(
    st.integers(0, 10_000), st.integers(2, 30), st.sampled_from([0.0, 0.3, 2.0]), st.sampled_from([0, 1, 2])
)
def test_the_beam_looks_at_every_pair_of_literals(seed, n_concepts, price, most):
    random = np.random.default_rng(seed)
    bits = random.random((40, n_concepts)) < 0.5
    tuples = TupleSets(bits)
    sums = Sums(tuples, random.integers(-3, 4, len(bits)).astype(float))
    literals = np.concatenate([bits, ~bits], axis=1)
    pairs = (literals[:, :, None] & literals[:, None, :]).reshape(len(bits), -1)
    lengths = (2 - np.eye(2 * n_concepts)).ravel()
    opposite = np.roll(np.eye(2 * n_concepts, dtype=bool), n_concepts, axis=1).ravel()
    wins = np.where(opposite, -np.inf, sums.values @ pairs - price * lengths)
    search = BeamedTerms(tuples, np.zeros(n_concepts), 1e-9)

    for _ in range(2):  # the second time in the memory of the first
        value, term = search.best(sums, 0, price, most)

        assert term.size <= most
        assert value == pytest.approx(max([sums.values.sum(), *wins[lengths <= most]]))


def term(*literals: int) -> np.ndarray:
    return np.array([literals], dtype=np.int8)


def test_the_front_keeps_only_covers_that_nothing_shorter_beats():
    front = CoverFront()
    front.offer(1.0, term(1, 0, 0))
    front.offer(1.0, term(1, 1, 0))
    front.offer(3.0, term(1, 1, 1))
    front.offer(2.0, term(0, 1, 1))

    assert {size: won for size, (won, _) in front.covers.items()} == {1: 1.0, 2: 2.0, 3: 3.0}


def test_the_front_forgets_what_a_shorter_cover_beats():
    front = CoverFront()
    front.offer(3.0, term(1, 1, 1))
    front.offer(3.0, term(0, 0, 1))

    assert list(front.covers) == [1]


def test_the_front_prefers_the_shorter_of_equals():
    front = CoverFront()
    front.offer(0.0, term(0, 0))
    front.offer(2.0, term(1, 0))

    assert front.best(price=2.0)[0] == 0.0
    assert front.best(price=1.9)[0] == 2.0


def test_the_front_keeps_to_its_number_of_terms():
    front = CoverFront(max_terms=1)
    front.offer(9.0, np.concatenate([term(1, 0, 0), term(0, 1, 0)]))

    assert front.covers == {}


def test_the_best_of_a_few_literals():
    front = CoverFront()
    for won, cover in ((0.0, term(0, 0, 0)), (1.0, term(1, 0, 0)), (5.0, term(1, 1, 1))):
        front.offer(won, cover)

    assert front.best(0.0, literals=2)[0] == 1.0
    assert front.best(0.0)[0] == 5.0


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
