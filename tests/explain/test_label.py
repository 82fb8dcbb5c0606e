"""Labels: plain values of one type, and true labels read from whatever holds them."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import pandas as pd
import polars as pl
import pytest

from logiclens.errors import InputError
from logiclens.explain.rule import (
    check_labels,
    column_names,
    label_array,
    plain_label,
    true_answers,
    true_labels,
)
from logiclens.logic import Status
from tests.strategies import HOSTILE_NAMES


class Digit(IntEnum):
    TWO = 2


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("death", "death"),
        ("", ""),
        (np.str_("death"), "death"),
        (Status.PROVED, "proved minimal"),
        (3, 3),
        (np.int8(-3), -3),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (Digit.TWO, 2),
        (True, True),
        (np.False_, False),
        (1.0, 1.0),
        (-0.0, 0.0),
        (np.float32(0.5), 0.5),
    ],
)
def test_a_label_becomes_a_plain_value(value, plain):
    found = plain_label(value)

    assert repr(found) == repr(plain)


@pytest.mark.parametrize(
    "value", [None, np.nan, np.inf, b"death", 2**64, ("a",), np.datetime64("2020-01-01")]
)
def test_what_is_no_label_is_refused(value):
    with pytest.raises(InputError, match=r"^A label must be text, a Boolean"):
        plain_label(value)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", 1], "of one type. Got text"),
        ([1, True], "of one type. Got whole numbers"),
        ([0, 2.5], "of one type. Got whole numbers"),
        (["b", "a", "b"], "distinct; repeated:"),
    ],
)
def test_labels_are_distinct_and_of_one_type(labels, message):
    with pytest.raises(InputError, match=message):
        check_labels(labels)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["a", "bcd"], "U"),
        (list(HOSTILE_NAMES), "U"),
        (["a", "cut\0"], "O"),
        ([True, False], "b"),
        ([1, 2], "i"),
        ([2**63], "u"),
        ([-1, 2**63], "O"),
        ([1.0, 2.5], "f"),
    ],
)
def test_an_array_of_labels_holds_exactly_the_labels(labels, kind):
    array = label_array(labels)

    assert array.dtype.kind == kind
    assert array.tolist() == labels
    assert list(map(type, array.tolist())) == list(map(type, labels))


@pytest.mark.parametrize(
    "y",
    [
        ["a", "b"],
        np.array(["a", "b"]),
        np.array(["a", "b"], dtype=object),
        np.array(["a", "b"], dtype=np.dtypes.StringDType()),
        pd.Series(["a", "b"]),
        pd.Series(["a", "b"], dtype="category"),
        pl.Series(["a", "b"]),
    ],
    ids=["list", "U", "object", "StringDType", "pandas", "category", "polars"],
)
def test_true_labels_are_read_from_anything(y):
    assert (true_labels(y, ["a", "b"], 2) == label_array(["a", "b"])).tolist() == [True, True]


@pytest.mark.parametrize(
    ("y", "labels", "message"),
    [
        ([0, 1], ["a"], "y has labels such as 0;"),
        (["a", "b"], [0, 1], "y has labels such as 'a';"),
        ([0.0, np.nan], [0.0], "y has 1 missing value"),
        (["a", None], ["a"], "A label must be text, a Boolean, a finite number or a"),
        (["a"], ["a"], "y must have one value for each of the 2 rows."),
        ([["a"], ["b"]], ["a"], "y must have one value for each of the 2 rows."),
    ],
)
def test_true_labels_that_cannot_be_compared_are_refused(y, labels, message):
    with pytest.raises(InputError, match=message):
        true_labels(y, labels, 2)


@pytest.mark.parametrize(
    "y",
    [
        [[1, 0], [1, 1]],
        {"a": [1, 1], "b": [0, 1]},
        {"b": [0, 1], "more": [0, 0], "a": [1, 1]},
        pd.DataFrame({"b": [False, True], "a": [True, True]}),
        pl.DataFrame({"b": [0, 1], "a": [1, 1]}),
    ],
    ids=["list", "mapping", "mapping, swapped", "pandas, swapped", "polars, swapped"],
)
def test_true_answers_are_found_by_name_where_there_are_names(y):
    assert true_answers(y, ["a", "b"], 2).tolist() == [[True, False], [True, True]]


def test_true_answers_to_numbered_labels():
    """A frame's own numbers are names when they are the labels, and mere positions otherwise."""
    swapped = pd.DataFrame({1: [0, 1], 0: [1, 1]})

    assert true_answers(swapped, [0, 1], 2).tolist() == [[True, False], [True, True]]
    assert true_answers(swapped, [7, 8], 2).tolist() == [[False, True], [True, True]]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([[1, 0, 1], [1, 1, 1]], "y must have a row for each row of data and a column for"),
        ({"a": [1, 1], "c": [0, 1]}, "y has no column for the label 'b'."),
        ([[1, 2], [0, 0]], "y has the value 2, outside"),
    ],
)
def test_true_answers_that_do_not_fit_are_refused(y, message):
    with pytest.raises(InputError, match=message):
        true_answers(y, ["a", "b"], 2)


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"b": [1], "a": [1]}, ["b", "a"]),
        (pd.DataFrame({"b": [1], "a": [1]}), ["b", "a"]),
        (pl.LazyFrame({"b": [1], "a": [1]}), ["b", "a"]),
        (np.zeros((2, 2)), None),
        ([[1, 2]], None),
    ],
)
def test_column_names(data, found):
    assert column_names(data) == found


def test_repeated_column_names_are_refused():
    with pytest.raises(InputError, match="Columns must have distinct names"):
        column_names(pd.DataFrame([[1, 2]], columns=["a", "a"]))
