from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from logiclens.concepts._cuts import (
    paying_gains,
    quantile_cuts,
    readable,
    reference_cuts,
    supervised_cuts,
    uniform_cuts,
)

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


AGE = np.arange(20, 80)
OLD = (AGE > 62).astype(int)


WAYS = {
    "quantile": lambda values, **kwargs: quantile_cuts(values, 3, **kwargs),
    "uniform": lambda values, **kwargs: uniform_cuts(values, 3, **kwargs),
    "supervised": lambda values, **kwargs: supervised_cuts(values, np.arange(len(values)) % 2, 3, **kwargs),
    "supervised, no y": lambda values, **kwargs: supervised_cuts(values, None, 3, **kwargs),
    "reference": lambda values, **kwargs: reference_cuts(values, np.arange(len(values)) % 2 == 0, **kwargs),
}
COLUMNS = st.lists(
    st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float) | st.just(np.nan), min_size=1, max_size=40
)


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def way(request: pytest.FixtureRequest):
    return request.param


@pytest.mark.parametrize("way", WAYS)
@given(values=COLUMNS)
def test_every_cut_separates_observed_values(way, values):
    """Cuts ascend, have values on both sides, and lie strictly between neighbors where not all are whole."""
    cuts = WAYS[way](values)
    present = np.array(values)[~np.isnan(values)]

    assert len(cuts) <= 3
    assert (np.diff(cuts) > 0).all()
    for cut in cuts:
        assert (present > cut).any()
        assert (present <= cut).any()
    parts = np.searchsorted(cuts, present)
    assert len(set(parts.tolist())) == len(cuts) + (1 if present.size else 0)
    if (present != np.round(present)).any():
        adjacent = np.isin(np.nextafter(cuts, np.inf), present)
        assert (~np.isin(cuts, present) | adjacent).all()
    else:
        assert (cuts == np.round(cuts)).all()


@pytest.mark.parametrize("values", [[], [np.nan, np.nan], [3.0, 3.0, np.nan]])
def test_what_does_not_vary_is_not_cut(way, values):
    assert way(values).size == 0


@pytest.mark.parametrize("way", WAYS)
@given(values=COLUMNS, seed=st.integers(0, 5))
def test_weights_count_as_repetitions(way, values, seed):
    """The labels of the repeated rows are theirs, so the pattern of WAYS is made by hand."""
    weights = np.random.default_rng(seed).integers(0, 3, len(values))
    rows = np.repeat(np.arange(len(values)), weights)
    repeated, labels = np.array(values)[rows], rows % 2
    calls = {
        "quantile": lambda: quantile_cuts(repeated, 3),
        "uniform": lambda: uniform_cuts(repeated, 3),
        "supervised": lambda: supervised_cuts(repeated, labels, 3),
        "supervised, no y": lambda: supervised_cuts(repeated, None, 3),
        "reference": lambda: reference_cuts(repeated, labels == 0),
    }

    assert WAYS[way](values, sample_weight=weights).tolist() == calls[way]().tolist()


def test_quantiles_have_equal_shares():
    cuts = quantile_cuts(np.arange(1000) ** 2, 3)
    shares = np.diff([0, *np.searchsorted(np.arange(1000) ** 2, cuts, side="right"), 1000]) / 1000

    np.testing.assert_allclose(shares, 0.25, atol=0.01)


def test_quantiles_of_many_equal_values_are_few():
    assert quantile_cuts([0] * 90 + [*range(1, 11)], 4).tolist() == [0]


def test_uniform_cuts_have_equal_widths():
    np.testing.assert_allclose(uniform_cuts(np.linspace(0, 100, 5001), 4), [20, 40, 60, 80], atol=1)


def test_rare_sides_are_left_out():
    values = [*range(100), 1000]

    assert uniform_cuts(values, 1).tolist() == [500]
    assert uniform_cuts(values, 1, min_share=0.05).size == 0
    assert quantile_cuts([0] * 99 + [1], 2, min_share=0.05).size == 0


def test_many_distinct_values_still_make_short_numbers():
    values = np.random.default_rng(0).normal(size=20_000)

    for cut in [*quantile_cuts(values), *uniform_cuts(values)]:
        assert len(f"{abs(cut):.10g}") <= 4, cut


def test_classes_are_told_apart_where_they_change():
    assert supervised_cuts(AGE, OLD).tolist() == [62]


def test_two_changes_make_two_cuts():
    assert supervised_cuts(AGE, (AGE > 30) & (AGE <= 62)).tolist() == [30, 62]
    assert len(supervised_cuts(AGE, (AGE > 30) & (AGE <= 62), 1)) == 1


def test_gains_of_several_outputs_are_added():
    both = np.column_stack([AGE > 30, AGE > 62])

    assert supervised_cuts(AGE, both).tolist() == [30, 62]
    assert supervised_cuts(AGE, both[:, 1:]).tolist() == [62]


def test_more_classes_than_powers_of_three_can_tell():
    assert supervised_cuts(np.arange(80), np.arange(80) // 2, 2).size >= 1


def test_a_column_that_says_nothing_is_not_cut():
    noise = np.random.default_rng(0).integers(0, 2, 60)

    assert supervised_cuts(AGE, noise).tolist() == []


def test_few_values_are_all_told_apart():
    """Y = (z == 2) XOR f: alone z says nothing about y, and with f it takes both cuts to say all."""
    z, f = np.array([(z, f) for z in (1, 2, 3) for f in (0, 1)] * 50).T
    y = (z == 2) ^ (f == 1)

    assert supervised_cuts(z, y).tolist() == supervised_cuts(z, y, 2).tolist() == [1, 2]
    assert supervised_cuts(z, y, 1).tolist() == []
    assert supervised_cuts([*z, 9], [*y, 0]).tolist() == [1, 2]  # one row in 301 is too few
    assert supervised_cuts([*z, 9], [*y, 0], min_share=0.0).tolist() == [1, 2, 5]


def test_each_part_of_a_supervised_cut_is_large_enough():
    y = (np.arange(1000) < 8).astype(int)

    assert supervised_cuts(np.arange(1000), y, min_share=0.001).tolist() == [7]
    assert supervised_cuts(np.arange(1000), y).tolist() != [7]


def test_a_shorter_number_is_taken_where_classes_are_blurred():
    rng = np.random.default_rng(0)
    values = rng.normal(size=20_000)

    for cut in supervised_cuts(values, values + rng.normal(size=20_000) > 0.3):
        assert len(f"{abs(cut):.10g}") <= 5, cut


def test_very_many_classes_are_looked_at_in_intervals(monkeypatch):
    monkeypatch.setattr("logiclens.concepts._cuts._MOST_CELLS", 1000)
    values = np.arange(2000)

    assert np.abs(supervised_cuts(values, values > 700) - 700).min() <= 2000 / 256


def test_a_finer_cut_is_made_where_it_pays():
    """Of a clean change between two of thousands of values none is lost, however long the number."""
    values = np.linspace(0, 1, 5001)
    (cut,) = supervised_cuts(values, values > 0.3333)

    assert ((values > cut) == (values > 0.3333)).all()


def test_limits_of_a_reference_group():
    values = np.array([*range(100, 200), 20, 30, 300, 310])
    controls = (values >= 100) & (values < 200)

    assert reference_cuts(values, controls).tolist() == [104, 194]
    assert reference_cuts(values, controls, share=0.0).tolist() == [50, 200]


def test_a_limit_that_nothing_lies_beyond_is_left_out():
    assert reference_cuts([1, 2, 3, 4], [True, True, False, False], share=0.0).tolist() == [2]
    assert reference_cuts([1, 2], [True, True], share=0.0).size == 0
    assert reference_cuts([1, 2, np.nan], [False, False, True]).size == 0


def test_only_sure_gains_pay():
    """Twenty rows of one class tell it for sure, two do not; the gain is N times the mutual information."""
    whole = np.array([[50.0, 50.0]])
    parts = np.array([[[20.0, 0.0]], [[2.0, 0.0]], [[10.0, 10.0]]])
    entropy_of_rest = -(3 / 8 * np.log2(3 / 8) + 5 / 8 * np.log2(5 / 8))

    np.testing.assert_allclose(paying_gains(parts, whole), [100 - 80 * entropy_of_rest, 0, 0])


@pytest.mark.parametrize("max_cuts", [1, 4])
def test_few_values_are_cut_between_all_of_them(max_cuts: int):
    values = np.repeat(np.arange(max_cuts + 1.0), [990, *[10] * max_cuts])

    assert quantile_cuts(values, max_cuts).size == max_cuts
    assert supervised_cuts(values, np.zeros(len(values), int), max_cuts, min_share=0).size == max_cuts
