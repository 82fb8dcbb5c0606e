from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from logiclens.concepts.targets import class_codes, read_targets
from logiclens.errors import InputError


def codes(y: object, n_rows: int) -> list[list[int]]:
    found = class_codes(read_targets(y, n_rows))
    assert found is not None
    return found.tolist()


def error_of(call, *args) -> str:
    with pytest.raises(InputError) as info:
        call(*args)
    return str(info.value)


@pytest.mark.parametrize(
    "y",
    [
        ["ill", "well", "ill"],
        np.array(["ill", "well", "ill"]),
        pd.Series(["ill", "well", "ill"], index=[7, 7, 7]),
        pl.Series(["ill", "well", "ill"]),
        pd.DataFrame({"outcome": ["ill", "well", "ill"]}),
        [["ill"], ["well"], ["ill"]],
        [False, True, False],
        [1, 2, 1],
        np.array([0.5, 1.5, 0.5]),
        ["1", 2, "1"],
    ],
    ids=str,
)
def test_labels_of_one_output(y):
    assert codes(y, 3) == [[0], [1], [0]]


def test_no_labels():
    assert read_targets(None, 3) == []
    assert class_codes([]) is None


@pytest.mark.parametrize(
    "make", [list, np.array, pd.DataFrame, lambda rows: pl.DataFrame(rows, ["a", "b"], orient="row")]
)
def test_labels_of_several_outputs(make):
    assert codes(make([[0, 1], [1, 1], [1, 0]]), 3) == [[0, 1], [1, 1], [1, 0]]


def test_scores_of_several_outputs_say_yes_above_one_half():
    assert codes([[0.2, 0.9], [0.7, 0.5]], 2) == [[0, 1], [1, 0]]


def test_measurements_are_cut_into_four():
    y = np.linspace(0.5, 99.7, 100)

    assert np.bincount(np.ravel(codes(y, 100))).tolist() == [25, 25, 25, 25]


def test_whole_numbers_are_labels_however_many():
    assert np.ravel(codes(np.arange(40.0), 40)).tolist() == [*range(40)]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 2], "y must have one value for each of the 3 rows."),
        (3, "y must have one value for each of the 3 rows."),
        ([1, None, 2], "y has 1 missing value, the first in row 1 (counted from"),
        ([[1], [1, 2], []], "y is not rectangular:"),
        (np.zeros((3, 0)), "y has no columns."),
        ([1.0, np.inf, 2.0], "Column 'y' has an infinite value (inf) in row 1"),
    ],
)
def test_what_is_no_label_is_refused(y, message):
    assert message in error_of(read_targets, y, 3)
