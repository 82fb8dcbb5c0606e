from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from logiclens.concepts.readable import readable

NUMBERS = st.floats(-1e12, 1e12, allow_subnormal=False)


def cut(low: float, high: float, *, whole: bool = False) -> float:
    return float(readable(np.array([low]), np.array([high]), whole=whole)[0])


def digits(number: float) -> int:
    """Significant digits of the shortest text that reads as the number; none for zero."""
    figures = Decimal(repr(number)).normalize().as_tuple().digits
    return 0 if number == 0 else len(figures)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (61, 62.3, 62),
        (0.1, 0.9, 0.5),
        (1.5, 1.52, 1.51),
        (-3, 10, 0),
        (-62.3, -61, -62),
        (95, 105, 100),
        (60, 70, 65),
        (0, 1, 0.5),
        (-1, 0, -0.5),
        (1e-12, 3e-12, 2e-12),
        (123456, 123457, 123456.5),
        (1e20, 3e20, 2e20),
        (0.1, 0.3, 0.2),
        (0.3 * 3, 0.918, 0.9),  # a little less than 0.9
        (1.89, np.nextafter(1.9, 2.0), 1.9),
    ],
)
def test_the_fewest_digits(low, high, expected):
    assert cut(low, high) == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (62, 63, 62),
        (59, 64, 60),
        (60, 70, 60),
        (61, 70, 65),
        (0, 1, 0),
        (-1, 0, -1),
        (-1, 1, 0),
        (-5, -4, -5),
        (99, 101, 100),
    ],
)
def test_whole_numbers_are_cut_at_whole_numbers(low, high, expected):
    assert cut(low, high, whole=True) == expected


@given(NUMBERS, NUMBERS)
@example(1.0, np.nextafter(1.0, 2.0))
@example(5e-324, 1e-323)
@example(-1e308, 1e308)
def test_a_cut_separates(low, high):
    assume(low < high)
    found = cut(low, high)

    assert low <= found < high
    assert low < found or np.nextafter(low, high) == high


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**6))
def test_a_whole_cut_separates(low, gap):
    found = cut(low, low + gap, whole=True)

    assert low <= found < low + gap
    assert found == int(found)


@given(st.integers(-9999, 9999), st.integers(2, 3000), st.sampled_from([1, 10, 1000]))
@example(4600, 50, 1000)  # 4.65 * 100 is more than 465
@example(1150, 40, 1000)  # 1.15 * 100 is less than 115
def test_no_number_between_has_fewer_digits(low, gap, scale):
    """All numbers with as many decimals as the two ends are tried."""
    least = min(digits(number / scale) for number in range(low + 1, low + gap))

    assert digits(cut(low / scale, (low + gap) / scale)) <= least


def test_pairs_are_looked_at_one_by_one():
    low, high = np.array([61.0, 0.1, -3.0]), np.array([62.3, 0.9, 10.0])

    assert readable(low, high).tolist() == [cut(a, b) for a, b in zip(low, high, strict=True)]
    assert readable(np.array([]), np.array([])).shape == (0,)
