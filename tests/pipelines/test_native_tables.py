"""Rows of tables of every kind: counted, taken out, held out, recombined."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import torch
from sklearn.exceptions import DataConversionWarning

from logiclens.concepts import Table
from logiclens.errors import InputError
from logiclens.pipelines._native_tables import (
    as_labels,
    hold_out,
    number_of_rows,
    recombine,
    take,
)

VALUES = np.arange(12).reshape(6, 2)
KINDS = {
    "array": VALUES,
    "list": VALUES.tolist(),
    "sparse": scipy.sparse.csr_array(VALUES),
    "coo": scipy.sparse.coo_array(VALUES),
    "dok": scipy.sparse.dok_array(VALUES),
    "tensor": torch.as_tensor(VALUES),
    "pandas": pd.DataFrame(VALUES, columns=["a", "b"], index=[5, 4, 3, 2, 1, 0]),
    "polars": pl.DataFrame(VALUES, schema=["a", "b"]),
    "pyarrow": pa.table({"a": VALUES[:, 0], "b": VALUES[:, 1]}),
    "mapping": {"a": VALUES[:, 0], "b": VALUES[:, 1].tolist()},
}


def plain(table: object) -> np.ndarray:
    """The values of a table of any kind."""
    if isinstance(table, dict):
        return np.column_stack(list(table.values()))
    if hasattr(table, "toarray"):
        return table.toarray()
    return table.to_pandas().to_numpy() if isinstance(table, pa.Table) else np.asarray(table)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_taken_by_place_in_the_kind_of_the_table(kind):
    """Also where a frame has an index that says otherwise."""
    part = take(KINDS[kind], np.array([4, 0, 4]))

    assert number_of_rows(KINDS[kind], "X") == 6
    assert isinstance(part, scipy.sparse.csr_array if kind in ("coo", "dok") else type(KINDS[kind]))
    assert plain(part).tolist() == VALUES[[4, 0, 4]].tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_fresh_rows_are_made_of_pieces_of_real_ones(kind):
    both, new = recombine(KINDS[kind], 200, np.random.default_rng(0))
    everything, fresh = plain(both), plain(new)

    assert everything[:6].tolist() == VALUES.tolist()
    assert everything[6:].tolist() == fresh.tolist()
    assert fresh.shape == (200, 2)
    assert all(set(fresh[:, j]) == set(VALUES[:, j]) for j in range(2))
    apart = fresh[:, 1] != fresh[:, 0] + 1
    assert 0.1 < apart.mean() < 0.5  # 2 * 0.25 * 0.75 * 5 / 6 of them have columns of two different rows


def test_fresh_rows_keep_the_types_of_columns():
    frame = pd.DataFrame({"n": [1, 2, 3], "t": pd.Categorical(["x", "y", "x"]), "f": [0.5, 1.5, 2.5]})
    both, new = recombine(frame, 5, np.random.default_rng(0))

    assert both.dtypes.tolist() == new.dtypes.tolist() == frame.dtypes.tolist()


def test_the_same_seed_makes_the_same_rows():
    first, second = (recombine(VALUES, 9, np.random.default_rng(3))[1] for _ in range(2))

    assert (first == second).all()


def numbers(n: int) -> Table:
    return Table(np.arange(float(n))[:, None])


NESTED = np.array([[{"a": 1}], [{"a": 1}], [{"a": 2}], [{}]], dtype=object)


@pytest.mark.parametrize(
    ("table", "labels", "weight", "fraction", "n_test"),
    [
        (numbers(40), np.repeat(["rare", "common"], [8, 32]), np.ones(40), 0.25, 10),
        (numbers(20), np.zeros(20), np.tile([1.0, 0.0], 10), 0.3, 3),
        (numbers(10), np.arange(10), np.ones(10), 0.2, 2),  # all are different
        (numbers(10), np.eye(10), np.ones(10), 0.2, 2),  # a table of labels
        (Table(NESTED), np.zeros(4), np.ones(4), 0.5, 2),
        (numbers(1), np.array([0]), np.ones(1), 0.25, 0),
    ],
)
def test_rows_are_learnt_from_or_held_out(table, labels, weight, fraction, n_test):
    train, test = hold_out(table, labels, weight, fraction, seed=0)

    assert (train + test == weight).all()
    assert set(test) <= {0.0, 1.0}
    assert test.sum() == n_test
    if "rare" in labels:
        assert test[labels == "rare"].sum() == 2


def test_a_row_counted_often_is_held_out_in_proportion():
    table, weight = Table({"a": ["x", "y"]}), np.array([12.0, 4.0])
    train, test = hold_out(table, np.array([0, 1]), weight, 0.25, seed=0)

    assert (train.tolist(), test.tolist()) == ([9, 3], [3, 1])


def test_other_weights_keep_rows_whole():
    weight = np.array([0.5, 1.5, 2.5, 0.0])
    train, test = hold_out(Table([[1], [1], [1], [1]]), np.zeros(4), weight, 0.3, seed=0)

    assert sorted([train.tolist(), test.tolist()]) == [[0, 1.5, 2.5, 0], [0.5, 0, 0, 0]]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (3, "X must be a table of rows:"),
        ("ab", "X must be a table of rows:"),
        (np.array(1.0), "X must be a table of rows:"),
        ({"a": [1], "b": [1, 2]}, "The columns of X must be of one length."),
    ],
)
def test_what_has_no_rows_is_refused(table, message):
    with pytest.raises(InputError, match=message):
        number_of_rows(table, "X")


def test_repeated_columns_are_refused():
    with pytest.raises(InputError, match="The columns of X must have distinct names"):
        take(pd.DataFrame([[1, 2]], columns=["a", "a"]), np.array([0]))


def test_a_column_of_labels_is_flat_with_a_warning():
    with pytest.warns(DataConversionWarning):
        assert as_labels([["a"], ["b"]]).tolist() == ["a", "b"]
    assert as_labels([[0, 1]]).tolist() == [[0, 1]]


def test_what_numpy_can_read_has_rows():
    class Rows:
        def __array__(self, dtype=None, copy=None):
            return VALUES

    assert number_of_rows(Rows(), "X") == 6
    assert take(Rows(), np.array([1])).tolist() == VALUES[[1]].tolist()
