from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError
from logiclens.logic.values import as_answers, as_array, as_floats, booleanize, check_length
from tests.logic.test_data import error_of

# --- truth of concepts ---


@pytest.mark.parametrize(
    "dtype", [bool, np.int8, np.uint8, np.int64, np.uint64, np.float16, np.float32, float, object]
)
def test_zeros_and_ones_of_any_type(dtype):
    truth = booleanize(np.array([[0, 1], [1, 0]], dtype=dtype), "Column 'a'")

    assert truth.dtype == np.bool_
    assert truth.tolist() == [[False, True], [True, False]]


def test_a_half_is_not_true():
    """The definition of Sec. 4.2 is ``> 0.5``."""
    values = np.array([0.0, 0.5, np.nextafter(0.5, 1), 1.0, -0.0])

    assert booleanize(values, "Column 'a'").tolist() == [False, False, True, True, False]


@given(st.lists(st.floats(0, 1), max_size=20), st.floats(0, 1, exclude_max=True))
def test_values_above_the_threshold_are_true(values, threshold):
    truth = booleanize(np.array(values, dtype=float), "Column 'a'", threshold)

    assert truth.tolist() == [value > threshold for value in values]


def test_objects_of_mixed_numbers():
    values = np.array([True, 1, 0.2, np.float32(0.7), np.bool_(False)], dtype=object)

    assert booleanize(values, "Column 'a'").tolist() == [True, True, False, True, False]


# --- answers ---


@pytest.mark.parametrize(
    "predictions", [[True, False, True], [1, 0, 1], [1.0, 0.2, 0.51], np.array([1, False, 0.7], dtype=object)]
)
def test_answers(predictions):
    assert as_answers(predictions, 3, 0.5).tolist() == [True, False, True]


YES_OR_NO = "predictions must say yes or no for one class: Booleans or numbers in [0, 1]."


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        ([0, 1, 2], f"{YES_OR_NO} Got the label 2; for the class 2 write y == 2."),
        ([1.0, 3.0, 2.0], f"{YES_OR_NO} Got the label 3; for the class 3 write y == 3."),
        ([-1, 1, 1], f"{YES_OR_NO} Got the label -1; for the class 1 write y == 1."),
        (["cat", "dog", "cat"], f"{YES_OR_NO} Got the label 'cat'; for the class 'cat' write y == 'cat'."),
        (
            np.array(["cat", "dog", "cat"], dtype=object),
            f"{YES_OR_NO} Got the label 'cat'; for the class 'cat' write y == 'cat'.",
        ),
        (
            [0.5, 1.5, 0.0],
            "The prediction array has the value 1.5, outside [0, 1]. Turn it into concepts first, "
            "for instance by comparing it with a cut point.",
        ),
        (
            [1, np.nan, np.nan],
            "The prediction array has 2 missing values (NaN), the first in row 1 (counted from 0). "
            "Impute or drop those rows first.",
        ),
        (
            [[1], [0], [1]],
            "predictions must have one value for each of the 3 rows. Got shape (3, 1); pass it flat, "
            "with .ravel().",
        ),
        ([1, 0], "predictions must have one value for each of the 3 rows. Got shape (2,)."),
    ],
)
def test_answers_that_are_refused(predictions, message):
    assert error_of(as_answers, predictions, 3, 0.5) == message


def test_a_single_missing_value_has_no_row():
    assert error_of(booleanize, np.array(np.nan), "Column 'a'") == (
        "Column 'a' has 1 missing value (NaN). Impute or drop those rows first."
    )


def test_a_length():
    check_length(np.zeros(3), "weight", 3)
    with pytest.raises(InputError, match=r"Got shape \(1, 3\); pass it flat, with \.ravel\(\)\.$"):
        check_length(np.zeros((1, 3)), "weight", 3)


# --- numbers ---


def test_numbers_become_floats():
    for values in ([1, 2], (True, 2.0), np.array([1, 2], dtype=np.uint8), np.array([1, 2.0], dtype=object)):
        assert as_floats(values, "weight").tolist() == [1.0, 2.0]
        assert as_floats(values, "weight").dtype == np.float64


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1", "2"], "weight must hold numbers. Got values of type <U1."),
        ([1j], "weight must hold numbers. Got values of type complex128."),
        (np.array(["2020"], dtype="M8[Y]"), "weight must hold numbers. Got values of type datetime64[Y]."),
        ([object()], "weight must hold numbers. Got values of type object."),
        ([pd.NA], "weight must hold numbers. Got values of type object."),
        ([10**400], "weight has a value that is too large for a float. Scale it down."),
        (
            [[1], [2, 3]],
            "weight is not rectangular: rows or columns differ in length. Make all of them equally long.",
        ),
    ],
)
def test_what_is_no_number_is_refused(values, message):
    assert error_of(as_floats, values, "weight") == message


def test_a_masked_array_without_masked_values_is_read():
    assert as_array(np.ma.array([1, 0], mask=False), "weight").tolist() == [1, 0]
