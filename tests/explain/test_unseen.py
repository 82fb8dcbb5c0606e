"""Tuples that never occurred: which there are, and what they weigh once a network was asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from logiclens.errors import InputError
from logiclens.explain.unseen import UNSEEN_SHARE, all_tuples, unseen_tuples, with_unseen
from logiclens.logic import TruthTable, equivalent, minimize, parse_formula
from tests.strategies import all_rows, labelled_rows


def table_of(text: str, n_concepts: int, weight: float = 1.0) -> TruthTable:
    """Table of a formula over ``a``, ``b``, ... on every tuple."""
    names = list("abcdefg"[:n_concepts])
    rows = all_rows(n_concepts)
    truth = parse_formula(text).evaluate(rows, names)
    return TruthTable.from_counts(rows, weight * truth, weight * ~truth, names)


def test_all_tuples_count_up():
    assert np.array_equal(all_tuples(3), all_rows(3))
    assert all_tuples(0).shape == (1, 0)


@given(labelled_rows(3, 12))
def test_seen_and_unseen_tuples_are_all_tuples(data):
    X, y, weight, names = data
    table = TruthTable.from_data(X, y, names, weight)
    unseen = unseen_tuples(table)

    together = {*map(tuple, unseen.tolist()), *map(tuple, table.to_array().tolist())}
    assert len(together) == 2 ** len(names) == len(unseen) + len(table)


def test_too_many_tuples_are_not_listed():
    assert unseen_tuples(TruthTable.from_data(np.eye(15), np.zeros(15))) is None
    assert unseen_tuples(TruthTable.from_data(np.eye(70), np.zeros(70))) is None
    assert unseen_tuples(table_of("a", 3), limit=7) is None
    assert unseen_tuples(table_of("a", 3), limit=8).shape == (0, 3)


def test_asked_tuples_are_minded_by_an_exact_formula():
    table = TruthTable.from_data([[0, 0], [1, 1]], [0, 1], ["a", "b"], [10, 30])
    unseen = unseen_tuples(table)
    asked = with_unseen(table, unseen, [False, False])

    assert asked.total == pytest.approx(40 * (1 + UNSEEN_SHARE))
    assert minimize(table).literals == 1
    assert equivalent(minimize(asked).formula, parse_formula("a & b"))
    assert with_unseen(asked, unseen_tuples(asked), []) is asked


def test_the_limit_is_a_count():
    with pytest.raises(InputError) as info:
        unseen_tuples(table_of("a & b", 2), limit=-1)

    assert str(info.value) == "limit must be a whole number of at least 0. Got -1."
