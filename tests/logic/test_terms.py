"""Terms and the tuples that they cover; all terms at once, against lists of terms made one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.logic import _tradeoff
from logiclens.logic._tradeoff import Side, needs_every_literal, read_terms, term_sizes, term_sums, tie_values
from tests.strategies import all_rows


def every_term(n_concepts: int) -> np.ndarray:
    """All terms in the lattice's order: each digit negated, plain, absent."""
    return np.array(list(product([-1, 1, 0], repeat=n_concepts)), dtype=np.int8)


@pytest.mark.parametrize("n_concepts", [1, 2, 5])
def test_the_index_of_a_term_is_its_place(n_concepts):
    terms = read_terms(np.arange(3**n_concepts), n_concepts)

    assert np.array_equal(terms, every_term(n_concepts))
    assert np.array_equal(term_sizes(n_concepts), np.abs(terms).sum(axis=1))


def test_sums_are_over_the_tuples_a_term_covers():
    random = np.random.default_rng(0)
    bits = all_rows(4)[random.choice(16, 11, replace=False)]
    values = random.normal(size=11)
    covered = Side(bits).covered(every_term(4))

    assert term_sums(bits, values) == pytest.approx(covered @ values)


@pytest.mark.parametrize("price", [0.0, 1.0, 2.5])
def test_a_literal_must_exclude_more_than_its_price(price):
    random = np.random.default_rng(1)
    bits, weight = all_rows(4), random.integers(0, 4, 16).astype(float)
    avoided = term_sums(bits, weight)
    terms = every_term(4)
    place = {tuple(term): at for at, term in enumerate(terms)}

    def needed(term):
        shorter = [np.where(np.arange(4) == j, 0, term) for j in np.flatnonzero(term)]
        here = avoided[place[tuple(term)]]
        return all(avoided[place[tuple(other)]] - here > price for other in shorter)

    assert needs_every_literal(avoided, 4, price).tolist() == [needed(term) for term in terms]


def test_broken_counts_falsified_literals():
    side = Side(np.array([[True, False], [False, False]]))
    terms = np.array([[1, -1], [1, 1], [0, 0]], dtype=np.int8)

    assert side.n_broken(terms).tolist() == [[0, 1], [1, 2], [0, 0]]
    assert side.covered(terms).tolist() == [[True, False], [False, False], [True, True]]


@given(st.integers(0, 10**6), st.integers(1, 200), st.integers(0, 6))
def test_terms_are_looked_up_in_packed_bits_where_there_are_many_tuples(seed, n_rows, n_terms):
    rng = np.random.default_rng(seed)
    side = Side(rng.random((n_rows, 9)) < 0.5)
    terms = rng.choice([-1, 0, 0, 0, 1], (n_terms, 9)).astype(np.int8)
    expected = side.n_broken(terms) == 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_tradeoff, "_MANY_ROWS", 0)
        assert np.array_equal(side.covered(terms), expected)


def test_ties_go_to_relevance_then_to_fewer_negations_then_to_fewer_terms():
    terms = np.array([[1, 0], [-1, 0], [0, 1], [0, -1]], dtype=np.int8)
    values = tie_values(terms, np.array([1.0, 0.5]))

    assert np.argsort(values).tolist() == [0, 1, 2, 3]
    assert (values > 0).all(), "each further term costs something"
