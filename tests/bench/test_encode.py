"""How columns become concepts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler

from logiclens.bench.encode import binned, encoded, equal_width_bins, mean_imputed
from logiclens.errors import InputError
from tests.strategies import HOSTILE_NAMES


def test_the_mean_stands_in_for_what_is_missing():
    values = np.array([1.0, np.nan, 4.0])

    assert mean_imputed(values, "a").tolist() == [1.0, 2.5, 4.0]
    assert np.isnan(values[1])


def test_a_column_without_any_value_has_no_mean():
    with pytest.raises(InputError) as info:
        mean_imputed(np.array([np.nan, np.nan]), "weight")

    assert str(info.value) == (
        "Column 'weight' has no value at all, so none can be imputed. Leave the column out."
    )


@pytest.mark.parametrize(
    ("values", "bins"),
    [
        ([0, 1, 2, 3], [0, 1, 2, 2]),  # an edge belongs to the bin above, the greatest to the last
        ([-3, -2.001, -2, -1.001, -1, 0], [0, 0, 1, 1, 2, 2]),
        ([5, 5, 5], [0, 0, 0]),
        ([0, 1], [0, 2]),
    ],
)
def test_bins(values: list[float], bins: list[int]):
    assert equal_width_bins(np.array(values, dtype=np.float64)).tolist() == bins


@given(st.lists(st.integers(-30, 300).map(lambda n: n / 10), min_size=2, max_size=40))
def test_bins_are_those_of_scikit_learn(values: list[float]):
    """Tenths fall on edges often; scaling and cutting must round as the reference implementation did."""
    if len(set(values)) == 1:  # scikit-learn makes a single bin, with a warning
        return
    column = np.array(values)[:, None]
    cut = KBinsDiscretizer(n_bins=3, encode="ordinal", strategy="uniform")
    expected = cut.fit_transform(MinMaxScaler().fit_transform(column))[:, 0]

    assert equal_width_bins(column[:, 0]).tolist() == expected.tolist()


def test_names_of_bins():
    names, truth = binned("a & b", np.array([0.0, 9.0]))

    assert names == ("a & b_LOW", "a & b_NORMAL", "a & b_HIGH")
    assert truth.tolist() == [[True, False, False], [False, False, True]]


def test_few_numbers_are_categories_and_come_in_order():
    names, truth = encoded("legs", ["10", "2", "2.0", "?", "0.5", "-0.0"])

    assert names == ("legs = 0", "legs = 0.5", "legs = 2", "legs = 10", "legs missing")
    assert truth.argmax(axis=1).tolist() == [3, 2, 2, 4, 1, 0]


@pytest.mark.parametrize(("n_values", "n_names"), [(10, 10), (11, 3)])
def test_many_numbers_are_binned(n_values: int, n_names: int):
    names, _ = encoded("age", [str(value) for value in range(n_values)])

    assert len(names) == n_names
    assert ("age_LOW" in names) == (n_values > 10)


def test_missing_numbers_do_not_move_the_bins():
    names, truth = encoded("age", [*map(str, range(13)), ""])

    assert names == ("age_LOW", "age_NORMAL", "age_HIGH", "age missing")
    assert truth.sum(axis=0).tolist() == [4, 4, 5, 1]
    assert truth[-1].tolist() == [False, False, False, True]


def test_one_word_makes_the_column_text():
    names, _ = encoded("size", ["1", "1.0", "nan", "1_0", "missing"])

    assert names == ("size = 1", "size = 1.0", "size = 1_0", "size = missing", "size = nan")


def test_a_column_of_nothing():
    names, truth = encoded("a", ["", "?"])

    assert names == ("a missing",)
    assert truth.tolist() == [[True], [True]]


@given(
    st.sampled_from(HOSTILE_NAMES),
    st.lists(st.sampled_from(["", "?", "1", "2.5", "x", *HOSTILE_NAMES]), min_size=1, max_size=30),
)
def test_exactly_one_concept_is_true(name: str, cells: list[str]):
    names, truth = encoded(name, cells)

    assert truth.shape == (len(cells), len(names))
    assert len(set(names)) == len(names)
    assert (truth.sum(axis=1) == 1).all()
    assert truth.any(axis=0).all()


@given(st.lists(st.sampled_from(["", *map(str, range(-3, 20))]), min_size=1, max_size=60))
def test_exactly_one_concept_is_true_of_numbers(cells: list[str]):
    _, truth = encoded("a", cells)

    assert (truth.sum(axis=1) == 1).all()
