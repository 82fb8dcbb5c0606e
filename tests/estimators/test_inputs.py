"""Concepts for a network: values, names and whether the data carried them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import torch
from hypothesis import given

from logiclens.errors import InputError, UnknownColumnError
from logiclens.estimators.inputs import read_concepts, read_rows
from tests.strategies import distinct_names

X = np.array([[0.25, 1.0], [0.5, 0.0]])


@pytest.mark.parametrize(
    "data", [X, X.tolist(), scipy.sparse.csr_matrix(X), scipy.sparse.coo_array(X), torch.tensor(X)], ids=type
)
def test_arrays_have_numbered_names(data):
    inputs = read_concepts(data)

    assert (inputs.values == X).all()
    assert inputs.values.dtype == np.float64
    assert inputs.names == ("x0", "x1")
    assert not inputs.named


def test_tensors_that_take_part_in_training_are_read():
    assert (read_concepts(torch.tensor(X, requires_grad=True)).values == X).all()


@pytest.mark.parametrize(
    "data",
    [pd.DataFrame(X, columns=["a", "b"]), pl.DataFrame(X, schema=["a", "b"]), {"a": X[:, 0], "b": X[:, 1]}],
)
def test_frames_and_mappings_carry_names(data):
    inputs = read_concepts(data)

    assert (inputs.values == X).all()
    assert inputs.names == ("a", "b")
    assert inputs.named


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


def test_arrays_are_read_by_position():
    assert (read_rows(X, ("a", "b")) == X).all()


def test_unknown_concepts_are_named():
    with pytest.raises(UnknownColumnError) as info:
        read_rows({"red": [1.0]}, ("red_wing",))

    assert str(info.value) == "The data lack the column 'red_wing'. Their only column is 'red'."


def test_columns_that_are_not_needed_are_not_looked_at():
    data = pd.DataFrame({"name": ["x", "y"], "legs": [8, 4], "a": [0.0, 1.0]})

    assert read_rows(data, ("a",)).tolist() == [[0.0], [1.0]]


def test_columns_that_are_counted_are_told_apart_by_their_numbers():
    """The order of a frame's columns does not matter, be they strings or not."""
    data = pd.DataFrame({2020: [0.0, 1.0], 2021: [1.0, 1.0]})

    assert read_rows(data[[2021, 2020]], ("2020", "2021")).tolist() == [[0.0, 1.0], [1.0, 1.0]]


def test_other_widths_are_refused():
    with pytest.raises(InputError) as info:
        read_rows(X, ("a",))

    assert str(info.value) == (
        "X has 2 features, but LEN is expecting 1 features as input. Pass the same columns in the same order."
    )
