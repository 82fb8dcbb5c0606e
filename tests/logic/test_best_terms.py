"""The term that wins most: sets of tuples as numbers, all terms there are, and the beam search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.logic.best_terms import (
    AllTerms,
    BeamedTerms,
    Sums,
    Tuples,
    extended,
    first_of_equal,
    literals_of,
)
from logiclens.logic.lattice import read_terms
from tests.strategies import all_rows


def set_of(rows: set[int]) -> int:
    """The set of these rows, as a number."""
    return sum(1 << row for row in rows)


@given(st.integers(1, 20).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1)))))
def test_a_set_of_tuples_is_a_number(case):
    n_rows, rows = case
    bits = np.zeros((n_rows, 1), dtype=bool)

    assert np.flatnonzero(Tuples(bits).members(set_of(rows))).tolist() == sorted(rows)


def test_a_term_knows_what_it_covers():
    bits = all_rows(3)
    literals = np.array([1, 0, -1], dtype=np.int8)

    term = Tuples(bits).term(literals)

    assert term.size == 2
    assert Tuples(bits).members(term.covers).tolist() == (bits[:, 0] & ~bits[:, 2]).tolist()
    assert literals_of([term, term], 3).tolist() == [[1, 0, -1]] * 2
    assert literals_of([], 3).shape == (0, 3)


def test_sums_are_over_a_set_or_beyond_it():
    tuples = Tuples(np.zeros((3, 1), dtype=bool))
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
    tuples = Tuples(bits)
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
    tuples = Tuples(bits)
    search = AllTerms(tuples, np.zeros(3), 1e-9)
    both = Sums(tuples, np.where(bits[:, 0] & bits[:, 1], 3.0, np.where(bits[:, 0], -1.0, -2.0)))
    other = Sums(tuples, np.where(bits[:, 2], 1.0, -1.0))

    assert [search.best(both, 0, price, 3)[1].size for price in (0.0, 2.1, 9.0)] == [2, 1, 0]
    assert search.best(other, 0, 0.0, 3)[1].literals.tolist() == [0, 0, 1]
    assert search.best(both, 0, 0.0, 3)[1].literals.tolist() == [1, 1, 0]


def test_of_equal_terms_the_more_relevant_and_plain_one_is_taken():
    bits = np.array([[0, 0, 1], [1, 1, 0]], dtype=bool)  # c is the negation of a and b, which are the same
    sums = Sums(Tuples(bits), np.array([-1.0, 1.0]))

    plain = AllTerms(Tuples(bits), np.zeros(3), 1e-9).best(sums, 0, 0.0, 3)[1]
    relevant = AllTerms(Tuples(bits), np.array([0.0, 1.0, 0.0]), 1e-9).best(sums, 0, 0.0, 3)[1]

    assert plain.literals.tolist() in ([1, 0, 0], [0, 1, 0])
    assert relevant.literals.tolist() == [0, 1, 0]


@pytest.mark.parametrize("search", [AllTerms, BeamedTerms])
def test_both_searches_find_a_planted_term_beyond_what_is_covered(search):
    bits = all_rows(6)
    tuples = Tuples(bits)
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

    assert extended(terms, np.array([1, 3])).tolist() == [[1, 1, 0], [-1, 0, -1]]
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
    tuples = Tuples(bits)
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
