"""Ordered classes of a column of numbers."""

from __future__ import annotations

import numpy as np
import pytest

from logiclens.concepts import Ranges
from logiclens.errors import InputError


@pytest.mark.parametrize(
    ("numbers", "n_ranges", "sizes"),
    [
        (np.arange(300), 3, [100, 100, 100]),
        (np.random.default_rng(0).lognormal(5, 1, 1000), 4, [250, 250, 250, 250]),
        ([1, 1, 1, 1, 1, 2, 3, 4], 3, [5, 3]),  # most are equal
        ([1.0, np.nan, 2.0], 5, [1, 1]),
    ],
)
def test_ranges_are_of_equal_size(numbers: object, n_ranges: int, sizes: list[int]):
    ranges = Ranges.of_equal_size("price", numbers, n_ranges)
    given = np.asarray(numbers, dtype=float)

    found = np.bincount(ranges.codes(given[~np.isnan(given)]))
    assert found == pytest.approx(sizes, abs=3)
    assert len(ranges.labels) == len(sizes)


def test_rows_that_numbers_stand_for_count():
    assert Ranges.of_equal_size("n", [1, 2, 3], 2, sample_weight=[10, 1, 1]).cuts == (1.0,)
    assert Ranges.of_equal_size("n", [1, 2, 3], 2, sample_weight=[1, 1, 10]).cuts == (2.0,)


@pytest.mark.parametrize("cuts", [(), (2.0, 1.0), (1.0, 1.0), (np.nan,), (np.inf,), (1.0, 1.0 + 1e-13)])
def test_cut_points_that_make_no_ranges_are_refused(cuts: tuple[float, ...]):
    with pytest.raises(InputError, match="Cut points must be"):
        Ranges("price", cuts)


@pytest.mark.parametrize(("numbers", "n_ranges"), [([5.0, 5.0], 2), ([np.nan], 2), ([1.0, 2.0], 1)])
def test_numbers_without_ranges_are_refused(numbers: list[float], n_ranges: int):
    with pytest.raises(InputError):
        Ranges.of_equal_size("price", numbers, n_ranges)
