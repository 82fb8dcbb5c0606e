"""The lattice of all terms, against lists of terms made one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from logiclens.logic.expand import Side
from logiclens.logic.lattice import needs_every_literal, read_terms, term_sizes, term_sums
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
