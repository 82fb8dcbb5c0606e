"""Rows and how many each stands for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.estimators.folds import (
    Distinct,
    are_counts,
    as_counts,
    draw_rows,
    effective_rows,
    hold_out,
    leave_out,
    number_of_rows,
)


def repeated(x: np.ndarray, counts: np.ndarray, seed: int) -> np.ndarray:
    """The same rows, one by one, in another order."""
    return np.random.default_rng(seed).permutation(np.repeat(x, counts.astype(int), axis=0))


def counted_rows(seed: int, *, boolean: bool) -> tuple[np.ndarray, np.ndarray]:
    """Some rows of three columns, and whole numbers of at least 1."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, (12, 3)).astype(float) if boolean else rng.random((12, 3)).round(1)
    return x, rng.integers(1, 6, 12).astype(float)


@pytest.mark.parametrize(
    ("weight", "expected"),
    [([1.0, 2.0, 0.0], True), ([0.5, 0.5], False), ([2.0**53], False), ([1e300, 1.0], False)],
)
def test_counts_are_whole_numbers_that_can_be_counted(weight, expected):
    assert are_counts(np.array(weight)) is expected


def test_weights_that_are_no_counts_stand_for_their_effective_number():
    weight = np.array([1e-200, 3e-200, 0.0])

    assert effective_rows(weight) == pytest.approx(16 / 10)
    assert as_counts(weight).sum() == pytest.approx(1.6)
    assert number_of_rows(weight) == 2


def test_counts_stand_for_their_sum():
    weight = np.array([3.0, 0.0, 1.0])

    assert effective_rows(weight) == number_of_rows(weight) == 4
    assert as_counts(weight) is weight


@given(st.integers(0, 10**6), st.booleans())
def test_distinct_rows_do_not_depend_on_order_or_repetition(seed, boolean):
    x, counts = counted_rows(seed, boolean=boolean)
    again = repeated(x, counts, seed)

    first, second = Distinct.of(x), Distinct.of(again)

    assert (x[first.first] == again[second.first]).all()
    assert (first.add_up(counts) == second.add_up(np.ones(len(again)))).all()
    assert (x[first.first][first.place] == x).all()
    assert len(first.first) == len(np.unique(x, axis=0))


def test_the_two_zeros_are_one():
    assert len(Distinct.of(np.array([[0.0, 0.3], [-0.0, 0.3]])).first) == 1


def test_rows_differ_where_one_of_the_arrays_does():
    same, other = np.zeros((3, 2)), np.array([[0.0], [1.0], [0.0]])

    assert Distinct.of(same, other).add_up(np.ones(3)).tolist() == [2, 1]


@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 11))
def test_equal_rows_are_drawn_as_often_as_a_row_counted_that_often(seed, boolean, n_drawn):
    x, counts = counted_rows(seed, boolean=boolean)
    again = repeated(x, counts, seed)
    strata = (x[:, 0] > 0.5).astype(int), (again[:, 0] > 0.5).astype(int)
    first, second = Distinct.of(x), Distinct.of(again)

    drawn = draw_rows(first, counts, strata[0], n_drawn, seed)
    one_by_one = draw_rows(second, np.ones(len(again)), strata[1], n_drawn, seed)

    assert (first.add_up(drawn) == second.add_up(one_by_one)).all()
    assert drawn.sum() == one_by_one.sum() == n_drawn
    assert set(one_by_one) <= {0.0, 1.0}
    assert ((drawn >= 0) & (drawn <= counts) & (drawn == np.round(drawn))).all()
    for stratum in (0, 1):
        due = n_drawn * counts[strata[0] == stratum].sum() / counts.sum()
        assert abs(drawn[strata[0] == stratum].sum() - due) < 1, "every stratum in proportion"


def test_a_heavy_row_is_drawn_from_in_proportion():
    rows = Distinct.of(np.array([[0.0], [1.0]]))

    assert draw_rows(rows, np.array([4e12, 8e12]), np.zeros(2, int), 3 * 10**12, seed=0).tolist() == [
        1e12,
        2e12,
    ]


def test_every_row_is_as_likely_to_be_drawn():
    x = np.arange(8.0)[:, None]
    rows = Distinct.of(x)
    times = sum(draw_rows(rows, np.ones(8), np.zeros(8, int), 2, seed) for seed in range(2000))

    assert (np.abs(times / 2000 - 0.25) < 0.04).all()  # four standard errors


def test_seeds_draw_differently():
    rows = Distinct.of(np.arange(40.0)[:, None])
    draws = {tuple(draw_rows(rows, np.ones(40), np.zeros(40, int), 10, seed)) for seed in range(5)}

    assert len(draws) == 5


def test_rows_to_check_with_are_drawn_from_every_stratum():
    strata = np.repeat([0, 1], [40, 20])
    x = np.arange(60.0)[:, None]
    fold = hold_out(x, np.zeros((60, 1)), strata, np.ones(60), 0.25, seed=0)

    assert (fold.train + fold.check == 1).all()
    assert np.bincount(strata, fold.check).tolist() == [10.0, 5.0]
    assert not hold_out(x, np.zeros((60, 1)), strata, np.ones(60), 0.0, seed=0).check.any()


@given(st.integers(0, 10**6), st.booleans(), st.integers(1, 5))
def test_parts_leave_out_every_row_once(seed, boolean, n_parts):
    x, counts = counted_rows(seed, boolean=boolean)
    strata = (x[:, 0] > 0.5).astype(int)
    parts = leave_out(x, x[:, :1], strata, counts, n_parts, seed)

    assert (np.sum(parts, axis=0) == counts).all()
    assert all((part >= 0).all() and (part == np.round(part)).all() for part in parts)
    for stratum in (0, 1):
        sizes = [part[strata == stratum].sum() for part in parts]
        assert max(sizes) - min(sizes) <= 1


@given(st.integers(0, 10**6), st.booleans())
def test_parts_of_counted_rows_are_those_of_the_rows(seed, boolean):
    """Whatever their order, and however often they stand there."""
    x, counts = counted_rows(seed, boolean=boolean)
    again = repeated(x, counts, seed)

    def parts(rows: np.ndarray, weight: np.ndarray) -> list[list[float]]:
        strata = (rows[:, 0] > 0.5).astype(int)
        same = Distinct.of(rows, rows[:, :1])
        return [same.add_up(part).tolist() for part in leave_out(rows, rows[:, :1], strata, weight, 3, 7)]

    assert parts(x, counts) == parts(again, np.ones(len(again)))


def test_weights_that_are_no_counts_are_left_out_whole():
    rng = np.random.default_rng(0)
    x, weight = rng.random((30, 2)), rng.random(30)
    parts = leave_out(x, x[:, :1], np.zeros(30, dtype=int), weight, 4, 0)

    assert np.sum(parts, axis=0) == pytest.approx(weight)
    assert all(((part == 0) | (part == weight)).all() for part in parts)


def test_equal_rows_are_left_out_by_chance():
    """Not spread evenly: of the two rows of each kind both are left out together now and then."""
    x, weight = np.arange(900.0)[:, None], np.full(900, 2.0)
    part = leave_out(x, x, np.zeros(900, dtype=int), weight, 3, 0)[0]

    assert part.sum() == 600
    assert 60 < (part == 2).sum() < 140  # a hundred are expected


def test_very_many_rows_are_left_out_in_proportion():
    x, weight = np.arange(4.0)[:, None], np.array([1e9, 2e9, 3e9, 6e9])
    parts = leave_out(x, x, np.zeros(4, dtype=int), weight, 2, 0)

    assert np.sum(parts, axis=0).tolist() == weight.tolist()
    assert np.abs(parts[0] - weight / 2).max() <= 2
