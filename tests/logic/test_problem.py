"""A table made ready for minimization."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from logiclens.logic import TruthTable, problem
from logiclens.logic.problem import Problem
from tests.strategies import all_rows, labelled_rows

BASE = all_rows(2)


def test_constant_repeated_and_opposite_columns_are_left_out():
    X = np.column_stack([np.ones(4, dtype=bool), BASE[:, 0], ~BASE[:, 0], BASE, ~BASE])
    ready = Problem(TruthTable.from_data(X, [0, 1, 1, 0]), None)

    assert ready.n_concepts == 2
    assert sorted(ready.gain * ready.scale) == [-1, -1, 1, 1]


def test_rows_without_a_majority_are_left_out():
    table = TruthTable.from_data([[0], [0], [1]], [0, 1, 1], names=["a"])

    assert Problem(table, None).gain.tolist() == [1.0]


def test_the_most_relevant_of_equal_columns_stays():
    table = TruthTable.from_data(BASE[:, [0, 0, 1]], BASE[:, 0], names=["a", "twin", "b"])
    ready = Problem(table, ["twin"])
    terms = np.eye(ready.n_concepts, dtype=np.int8)

    assert ready.over_all_concepts(terms).tolist() == [[0, 1, 0], [0, 0, 1]]


@given(labelled_rows())
def test_terms_mean_the_same_over_all_concepts(rows):
    X, y, weight, names = rows
    table = TruthTable.from_data(X, y, names=names, sample_weight=weight)
    ready = Problem(table, None)
    decided = table.to_array()[table.yes != table.no]
    for sign in (1, -1):
        whole = ready.over_all_concepts(sign * np.eye(ready.n_concepts, dtype=np.int8))
        for at, term in enumerate(whole):
            (column,) = np.flatnonzero(term)

            assert np.array_equal(decided[:, column] == (term[column] > 0), ready.bits[:, at] == (sign > 0))


def test_long_tables_are_sampled_by_weight(monkeypatch):
    """A tuple with a tenth of the weight has a tenth of the sample's; the total stays."""
    monkeypatch.setattr(problem, "_SAMPLE", 100)
    weight = np.r_[100.0, np.full(899, 1.0)]
    table = TruthTable.from_data(all_rows(10)[:900], np.arange(900) % 2, sample_weight=weight)
    ready = Problem(table, None)
    bits, gain = ready.sample()

    assert len(bits) <= 100
    assert np.abs(gain).sum() * ready.scale == pytest.approx(table.total)
    assert np.abs(gain).max() * ready.scale == pytest.approx(100, rel=0.1)


def test_short_tables_are_taken_whole():
    ready = Problem(TruthTable.from_data(BASE, [0, 1, 1, 0]), None)

    assert ready.sample()[0] is ready.bits
