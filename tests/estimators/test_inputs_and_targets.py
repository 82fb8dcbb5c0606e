"""What a fit reads: concepts and targets, from whatever the caller holds."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import DataConversionWarning

from logiclens.errors import InputError
from logiclens.estimators.inputs_and_targets import (
    Problem,
    Targets,
    decisions,
    predicted_index,
    read_concepts,
    read_known_targets,
    read_rows,
    read_targets,
    spread_outputs,
)
from tests.strategies import distinct_names


def error_of(y: object, n_rows: int = 3, **settings: object) -> str:
    with pytest.raises(InputError) as info:
        read_targets(y, n_rows, **settings)
    assert "\n" not in str(info.value)
    return str(info.value)


@given(st.lists(st.sampled_from(["a", "b", "c"]) | st.text(max_size=3), min_size=1, max_size=20))
def test_labels_are_sorted_and_found_again(labels):
    targets = read_targets(np.array(labels, dtype=object), len(labels))
    truth = targets.truth()

    assert list(targets.labels) == sorted(set(labels))
    assert [targets.labels[at] for at in truth.argmax(axis=1)] == labels
    assert (truth.sum(axis=1) == 1).all()
    assert targets.problem is (Problem.BINARY if len(set(labels)) == 2 else Problem.SINGLE_LABEL)


def test_two_classes_share_an_output():
    targets = read_targets([3, 5, 3], 3)

    assert targets.outputs.tolist() == [[0.0], [1.0], [0.0]]
    assert targets.truth().tolist() == [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    assert targets.strata().tolist() == [0, 1, 0]


def test_output_by_output():
    targets = read_targets([3, 5, 3], 3).output_by_output()

    assert targets.problem is Problem.OUTPUT_BY_OUTPUT
    assert targets.outputs.shape == (3, 2)
    table = read_targets(np.eye(3)[:, :2], 3)
    assert table.output_by_output() is table


def test_table_of_outputs():
    targets = read_targets(pl.DataFrame({"p": [True, False, True], "q": [False, False, True]}), 3)

    assert targets.labels == ("p", "q")
    assert targets.problem is Problem.MULTI_LABEL
    assert targets.truth() is targets.outputs
    assert targets.strata().tolist() == [0, 0, 0]
    assert read_targets(scipy.sparse.csr_matrix(np.eye(3)), 3).labels == ("y0", "y1", "y2")
    assert read_targets(pd.DataFrame({"p": [0.2, 0.7, 1.0]}), 3).labels == ("p",)


@pytest.mark.parametrize("values", [["b", "a", "b"], [2, 1, 2], [1, 0, 1]])
def test_a_frame_of_one_column_holds_labels(values):
    targets = read_targets(pl.DataFrame({"p": values}), 3)

    assert targets.labels == tuple(sorted(set(values)))
    assert targets.problem is Problem.BINARY


def test_classes_may_be_given():
    targets = read_targets(["b", "b", "a"], 3, labels=("a", "b", "c"))

    assert targets.outputs.tolist() == [[0, 1, 0], [0, 1, 0], [1, 0, 0]]
    assert (
        error_of(["b", "b", "d"], labels=("a", "b")) == "y has the label 'd', which is not among the classes."
    )


def test_a_single_column_is_flat_with_a_warning():
    with pytest.warns(DataConversionWarning):
        targets = read_targets(np.array([["a"], ["b"], ["a"]]), 3)

    assert (targets.labels, targets.outputs[:, 0].tolist()) == (("a", "b"), [0, 1, 0])


def test_whatever_numpy_can_read_is_read():
    class Labels:
        def __array__(self, dtype=None, copy=None):
            return np.array([1, 0, 1], dtype=dtype)

    assert read_targets(Labels(), 3).labels == (0, 1)


FLAT = "y must be a vector of labels or a table of outputs. Got "
LABEL = "A label must be text, a Boolean, a finite number or a whole number of 64 bits at most. Got "


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan, 0.0], "y has 1 missing value (NaN), the first in row 1 (counted from 0)."),
        (["a", None, None], "y has 2 missing values, the first in row 1 (counted from 0)."),
        (np.array(["a", np.nan, "b"], dtype=object), "y has 1 missing value, the first in row 1 (counted"),
        (pd.Series(["a", pd.NA, "b"], dtype="string"), "y has 1 missing value, the first in row 1"),
        ([0.0, 0.5, 1.0], "Unknown label type: continuous. y must hold the labels of classes."),
        ([0.0, np.inf, 1.0], "Unknown label type: continuous. y must hold the labels of classes."),
        ([1, 2], "y must have one value for each of the 3 rows of concepts. Got 2 values."),
        (np.array([1j, 0, 1]), "Complex data not supported. y must hold the labels of classes. Got 1j;"),
        (np.zeros((3, 2, 2)), FLAT + "shape (3, 2, 2)."),
        ("abc", FLAT + "'abc'."),
        (None, "A classifier requires y to be passed, but the target y is None. Pass the labels."),
        (3, FLAT + "3."),
        (np.array([1, "a", 2.0], dtype=object), "The labels in y must be of one type. Got float, int, str."),
        ([datetime.date(2020, 1, 1)] * 3, LABEL + "datetime.date(2020, 1, 1)."),
        (np.array([[0, 2], [1, 0], [1, 1]]), "A table of outputs must hold Booleans or numbers in [0, 1]."),
        (np.array([[0, np.nan], [1, 0], [1, 1]]), "y has 1 missing value (NaN), the first in row 0"),
        (np.array([["a", "b"]] * 3), "y must hold numbers. Got values of type <U1."),
        (np.zeros((3, 0)), "y has no columns. Pass one for each target."),
        (pd.DataFrame(np.zeros((3, 2)), columns=["p", "p"]), "The columns of y must have distinct names."),
        (pd.DataFrame(np.zeros((3, 2)), columns=[1, "1"]), "Labels must be distinct; repeated: '1'."),
    ],
)
def test_unusable_targets_are_refused(y, message):
    assert message in error_of(y)


# --- answers ---


def test_two_classes_are_complementary():
    logits = np.array([[-1.0], [0.0], [2.0]])

    assert decisions(logits, Problem.BINARY).tolist() == [[True, False], [True, False], [False, True]]
    assert predicted_index(logits, Problem.BINARY).tolist() == [0, 0, 1]
    assert spread_outputs(np.array([[0.25]]), Problem.BINARY).tolist() == [[0.75, 0.25]]


def test_the_largest_output_decides_between_several_classes():
    logits = np.array([[-3.0, -1.0, -2.0], [1.0, 5.0, 6.0]])

    assert decisions(logits, Problem.SINGLE_LABEL).tolist() == [[False, True, False], [False, False, True]]
    assert predicted_index(logits, Problem.SINGLE_LABEL).tolist() == [1, 2]


@pytest.mark.parametrize("problem", [Problem.MULTI_LABEL, Problem.OUTPUT_BY_OUTPUT])
def test_outputs_may_answer_by_themselves(problem):
    logits = np.array([[-3.0, -1.0], [1.0, 0.0]])

    assert decisions(logits, problem).tolist() == [[False, False], [True, False]]


# --- targets of a fitted model ---


def test_known_classes():
    targets = read_known_targets(["b", "b"], 2, ("a", "b"), Problem.BINARY)

    assert targets.outputs.tolist() == [[1.0], [1.0]]
    assert isinstance(targets, Targets)
    singly = read_known_targets(["b", "b"], 2, ("a", "b"), Problem.OUTPUT_BY_OUTPUT)
    assert singly.outputs.tolist() == [[0.0, 1.0], [0.0, 1.0]]


def test_known_outputs_are_matched_by_name():
    frame = pd.DataFrame({"q": [1, 0], "p": [0, 0]})

    assert read_known_targets(frame, 2, ("p", "q"), Problem.MULTI_LABEL).outputs.tolist() == [[0, 1], [0, 0]]
    array = read_known_targets(frame.to_numpy(), 2, ("p", "q"), Problem.MULTI_LABEL)
    assert (array.labels, array.outputs.tolist()) == (("p", "q"), [[1, 0], [0, 0]])


X = np.array([[0.25, 1.0], [0.5, 0.0]])


def test_tensors_that_take_part_in_training_are_read():
    assert (read_concepts(torch.tensor(X, requires_grad=True)).values == X).all()


def test_names_of_an_array_may_be_given():
    inputs = read_concepts(X, ["a", "b"])

    assert (inputs.names, inputs.named) == (("a", "b"), True)


@given(distinct_names(2, 6))
def test_rows_are_read_in_the_order_of_the_model(names):
    """Whatever the names, and however the columns stand."""
    columns = {name: np.array([at / 10, 1.0]) for at, name in enumerate(names)}
    turned = dict(reversed(columns.items()))

    assert (read_rows(turned, tuple(names)) == read_rows(columns, tuple(names))).all()
    assert read_rows(turned, tuple(names[:1])).tolist() == [[0.0], [1.0]]


def test_columns_that_are_not_needed_are_not_looked_at():
    data = pd.DataFrame({"name": ["x", "y"], "legs": [8, 4], "a": [0.0, 1.0]})

    assert read_rows(data, ("a",)).tolist() == [[0.0], [1.0]]


def test_columns_that_are_counted_are_told_apart_by_their_numbers():
    """The order of a frame's columns does not matter, be they strings or not."""
    data = pd.DataFrame({2020: [0.0, 1.0], 2021: [1.0, 1.0]})

    assert read_rows(data[[2021, 2020]], ("2020", "2021")).tolist() == [[0.0, 1.0], [1.0, 1.0]]
