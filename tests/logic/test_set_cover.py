"""Weighted set cover, against trying every choice of columns."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.logic.set_cover import QUICK, THOROUGH, Effort, greedy_cover, irredundant, minimum_cover


@st.composite
def problems(draw):
    """A matrix in which every row has a column, and whole costs."""
    n_rows, n_columns = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    ones = draw(st.lists(st.booleans(), min_size=n_rows * n_columns, max_size=n_rows * n_columns))
    matrix = np.array(ones, dtype=bool).reshape(n_rows, n_columns)
    matrix[~matrix.any(axis=1), draw(st.integers(0, n_columns - 1))] = True
    costs = np.array(draw(st.lists(st.integers(1, 4), min_size=n_columns, max_size=n_columns)), dtype=float)
    return matrix, costs


def cheapest(matrix, costs):
    columns = range(matrix.shape[1])
    choices = chain.from_iterable(combinations(columns, size) for size in range(len(columns) + 1))
    return min(costs[list(c)].sum() for c in choices if matrix[:, list(c)].any(axis=1).all())


@given(problems())
def test_minimum_is_the_cheapest_choice(problem):
    matrix, costs = problem
    choice = minimum_cover(matrix, costs, np.zeros(len(costs)), QUICK)

    assert choice.proved
    assert matrix[:, choice.columns].any(axis=1).all()
    assert costs[choice.columns].sum() == cheapest(matrix, costs)


@given(problems())
def test_greedy_covers_and_nothing_is_superfluous(problem):
    matrix, costs = problem
    chosen = greedy_cover(matrix, costs)

    assert matrix[:, chosen].any(axis=1).all()
    for at in range(len(chosen)):
        assert not matrix[:, np.delete(chosen, at)].any(axis=1).all()


def test_irredundant_gives_up_the_dearest_first():
    matrix = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], dtype=bool)

    assert irredundant(matrix, np.array([1.0, 5.0, 2.0]), np.arange(3)).tolist() == [0, 2]


def test_ties_decide_between_equally_cheap_choices():
    """Rows form a cycle of six, so the odd and the even columns cost the same."""
    matrix = np.zeros((6, 6), dtype=bool)
    for row in range(6):
        matrix[row, [row, (row + 1) % 6]] = True
    costs = np.ones(6)

    for favored in (0, 1):
        ties = np.where(np.arange(6) % 2 == favored, 0.0, 1.0)
        assert (minimum_cover(matrix, costs, ties, QUICK).columns % 2 == favored).all()


def test_too_large_for_the_solver_is_said():
    random = np.random.default_rng(0)
    matrix = random.random((60, 80)) < 0.1
    matrix[np.arange(60), np.arange(60)] = True
    costs = random.integers(1, 5, 80).astype(float)
    limited = minimum_cover(matrix, costs, np.zeros(80), Effort(nodes=1, cover_size=0, program_size=0))
    proved = minimum_cover(matrix, costs, np.zeros(80), THOROUGH)

    assert not limited.proved
    assert matrix[:, limited.columns].any(axis=1).all()
    assert proved.proved
    assert costs[proved.columns].sum() <= costs[limited.columns].sum()


def test_a_row_without_a_column_is_refused():
    with pytest.raises(ValueError, match="a row has no column that covers it"):
        greedy_cover(np.array([[True], [False]]), np.ones(1))
