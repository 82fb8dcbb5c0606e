"""The search for a DNF that agrees with every tuple."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.logic.minimize import agreeing_terms, covered_rows
from tests.strategies import all_rows, labelled_rows


def split(X, y):
    """Different rows, each with the answer of its first occurrence."""
    _, first = np.unique(X, axis=0, return_index=True)
    X, y = X[np.sort(first)], y[np.sort(first)]
    return X[y], X[~y]


@given(labelled_rows(), st.booleans())
def test_terms_agree_are_prime_and_none_is_superfluous(rows, quickly):
    X, y, _, _ = rows
    wanted, avoided = split(X, y)
    if not len(wanted) or not len(avoided):
        return
    terms = agreeing_terms(wanted, avoided, np.zeros(X.shape[1]), quickly=quickly)

    assert covered_rows(terms, wanted).all()
    assert not covered_rows(terms, avoided).any()
    for at, term in enumerate(terms):
        for j in np.flatnonzero(term):
            shorter = np.where(np.arange(len(term)) == j, 0, term)[None].astype(np.int8)
            assert covered_rows(shorter, avoided).any()
        assert not covered_rows(np.delete(terms, at, axis=0), wanted).all()


def test_parity_of_three():
    X = np.random.default_rng(0).random((1000, 20)) < 0.5
    terms = agreeing_terms(*split(X, X[:, 2] ^ X[:, 9] ^ X[:, 13]), np.zeros(20))

    assert np.abs(terms).sum() == 12


def test_tuples_beyond_the_working_set_are_respected(monkeypatch):
    """With room for few tuples at first, the others are added where the terms are wrong."""
    monkeypatch.setattr(import_module("logiclens.logic.minimize"), "_WORKING_SET", 16)
    X = np.random.default_rng(1).random((600, 12)) < 0.5
    y = (X[:, 0] & X[:, 1]) | (X[:, 2] & ~X[:, 3] & X[:, 4])
    wanted, avoided = split(X, y)
    terms = agreeing_terms(wanted, avoided, np.zeros(12))

    assert covered_rows(terms, wanted).all()
    assert not covered_rows(terms, avoided).any()


def test_a_formula_that_is_too_long_is_none():
    X = all_rows(9)
    wanted, avoided = split(X, (X[:, 0] & X[:, 1]) | ~X[:, 2])

    assert np.abs(agreeing_terms(wanted, avoided, np.zeros(9), 3, quickly=True)).sum() == 3
    assert agreeing_terms(wanted, avoided, np.zeros(9), 2) is None


def test_global_random_state_is_left_alone():
    X = np.random.default_rng(2).random((300, 15)) < 0.5
    before = np.random.get_state()[1].copy()
    agreeing_terms(*split(X, X[:, 0] ^ X[:, 1] ^ X[:, 2] ^ X[:, 3]), np.zeros(15))

    assert np.array_equal(np.random.get_state()[1], before)


@pytest.mark.parametrize("favored", [0, 1])
def test_relevance_decides_between_twins(favored):
    """Two concepts that are equal on all tuples: the more relevant one is used."""
    base = np.random.default_rng(0).random((200, 5)) < 0.5
    X = np.column_stack([base[:, 0], base])
    terms = agreeing_terms(*split(X, base[:, 0] & base[:, 2]), (np.arange(6) == favored).astype(float))

    assert terms[0, favored] == 1
    assert np.abs(terms).sum() == 2
