"""Rows of whatever a black box takes: frames of any library, arrays, sparse matrices, tensors, mappings.

A black box takes the kind of table that it was made for, so rows are taken out and put together in that kind.
Here is also what scikit-learn wants to know of a model that is made of others: its columns, and its input.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from logiclens.concepts.table import Column, Table
from logiclens.errors import InputError, shown
from logiclens.estimators.folds import Distinct, are_counts, draw_rows
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.data import as_array

SWAPPED = 0.25
"""Share of a fresh row's columns that come from another row than the rest."""


def number_of_rows(table: Any, name: str) -> int:
    """Rows of a table, or values of a vector; ``name`` is what it is called in an error message."""
    if _is_mapping(table):
        lengths = {np.size(as_array(column, f"Column {key!r}")) for key, column in table.items()}
        if len(lengths) != 1:
            raise InputError(f"The columns of {name} must be of one length. Got {sorted(lengths)}.")
        return int(lengths.pop())
    if _only_array(table):
        return len(np.asarray(table))
    shape = getattr(table, "shape", None)
    if isinstance(table, str) or shape == () or not (shape or hasattr(table, "__len__")):
        raise InputError(f"{name} must be a table of rows: a data frame or an array. Got {shown(table)}.")
    return int(shape[0]) if shape else len(table)


def check_rows(table: Any, name: str, n_rows: int) -> None:
    """Refuse a table or vector, where there is one, of another length than the rows of ``X``."""
    if table is not None and number_of_rows(table, name) != n_rows:
        raise InputError(
            f"{name} must have a row for each of the {n_rows} rows of X. Got {number_of_rows(table, name)}."
        )


def take(table: Any, rows: IndexArray) -> Any:
    """Those rows of a table, in the table's own kind.

    Examples
    --------
    >>> take({"a": [1, 2, 3]}, np.array([2, 0]))
    {'a': array([3, 1])}
    """
    if _is_mapping(table):
        return {name: as_array(column, f"Column {name!r}")[rows] for name, column in table.items()}
    frame = _frame(table)
    if frame is not None:
        return frame[rows].to_native()
    if _only_array(table):
        return np.asarray(table)[rows]
    if isinstance(table, list | tuple):
        return [table[row] for row in rows.tolist()]
    return (table.tocsr() if hasattr(table, "tocsr") else table)[rows]


def hold_out(
    table: Table, labels: NDArray[Any], weight: FloatArray, fraction: float, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Weights of the rows to learn from and of those to measure on, each (n,): in proportion by label.

    A row that is counted several times may be on both sides, as equal rows may; rows of weight 0 are on
    neither. Rows that differ in the table are distinct.
    """
    rows = np.flatnonzero(weight > 0)
    counts = weight[rows] if are_counts(weight) else np.ones(len(rows))
    n_test = round(counts.sum() * float(fraction))
    test = np.zeros_like(weight)
    if 0 < n_test < counts.sum():
        strata = np.zeros(len(rows), dtype=np.intp)
        if labels.ndim == 1:
            strata = np.unique(labels[rows], return_inverse=True)[1]
        known = table.take(rows)
        columns = [_codes(known.column(name)) for name in known.names]
        distinct = Distinct.of(np.column_stack([*columns, strata]).astype(np.float64))
        drawn = draw_rows(distinct, counts, strata, n_test, seed)
        test[rows] = weight[rows] * (drawn / counts)
    return weight - test, test


def _codes(column: Column) -> IndexArray:
    """A number for each value, equal where the values are; nested values are all taken for different."""
    try:
        return column.codes
    except InputError:
        return np.arange(len(column))


def recombine(table: Any, n_fresh: int, random: np.random.Generator) -> tuple[Any, Any]:
    """A table with fresh rows below it, and the fresh rows alone, in the table's own kind.

    A fresh row is a row of the table, drawn at random, in which each column has the value of another row with
    the probability :data:`SWAPPED`: most of what goes together in real rows still does.

    Examples
    --------
    >>> both, new = recombine(np.array([[1, 2], [3, 4]]), 3, np.random.default_rng(0))
    >>> both.shape, new.shape
    ((5, 2), (3, 2))
    """
    n_rows = number_of_rows(table, "X")
    base, donor = random.integers(0, n_rows, (2, n_fresh))
    frame = _frame(table)
    if _is_mapping(table):
        names = list(table)
        swapped = random.random((n_fresh, len(names))) < SWAPPED
        columns = {name: as_array(column, f"Column {name!r}") for name, column in table.items()}
        new: Any = {
            name: np.where(swapped[:, j], columns[name][donor], columns[name][base])
            for j, name in enumerate(names)
        }
        return {name: np.concatenate([columns[name], new[name]]) for name in names}, new
    if frame is not None:
        swapped = random.random((n_fresh, len(frame.columns))) < SWAPPED
        fresh = _mix_rows(frame, base, donor, swapped)
        return nw.concat([frame, fresh]).to_native(), fresh.to_native()
    if hasattr(table, "detach"):  # a tensor
        import torch

        swapped = random.random((n_fresh, *table.shape[1:])) < SWAPPED
        new = torch.where(torch.as_tensor(swapped, device=table.device), table[donor], table[base])
        return torch.cat([table, new]), new
    array = table.toarray() if hasattr(table, "toarray") else as_array(table, "X")
    new = np.where(random.random((n_fresh, *array.shape[1:])) < SWAPPED, array[donor], array[base])
    return np.concatenate([array, new]), new


def as_labels(y: Any) -> NDArray[Any]:
    """Labels as an array; a single column is flat, with the warning that scikit-learn gives."""
    labels = as_array(y, "y")
    return np.asarray(column_or_1d(labels, warn=True)) if labels.shape[1:] == (1,) else labels


def _is_mapping(table: Any) -> bool:
    """True for a mapping from names to columns; some sparse matrices are dictionaries, too."""
    return isinstance(table, Mapping) and not hasattr(table, "nnz")


def _only_array(table: Any) -> bool:
    """True for what NumPy can make an array of, and that is nothing more."""
    return hasattr(table, "__array__") and not hasattr(table, "shape")


def _mix_rows(
    frame: nw.DataFrame[Any], base: IndexArray, donor: IndexArray, swapped: BoolArray
) -> nw.DataFrame[Any]:
    """Rows of a frame, some of their columns from other rows; types of columns stay what they are."""
    first, second = (nw.maybe_reset_index(frame[rows]) for rows in (base, donor))
    backend = frame.implementation
    masks = [nw.new_series("", column, nw.Boolean, backend=backend) for column in swapped.T]
    return first.with_columns(
        second[name].zip_with(mask, first[name]) for name, mask in zip(frame.columns, masks, strict=True)
    )


def _frame(table: Any) -> nw.DataFrame[Any] | None:
    try:
        frame = nw.from_native(table, pass_through=True, eager_only=True)
    except DuplicateError:
        raise InputError(
            "The columns of X must have distinct names. Rename those that are repeated."
        ) from None
    return frame if isinstance(frame, nw.DataFrame) else None


def adopt_features(model: Any, part: Any) -> None:
    """Give a model the columns of the fitted part that reads them; names of an earlier fit are forgotten."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(part, name):
            setattr(model, name, getattr(part, name))
        elif hasattr(model, name):
            delattr(model, name)


def shared_input(estimator: Any, other: Any = None) -> Any:
    """Input tags of a classifier of this package, less what another model that reads the rows cannot take."""
    from sklearn.utils import get_tags

    if not hasattr(estimator, "__sklearn_tags__"):
        from logiclens.estimators import MuClassifier

        estimator = MuClassifier()
    tags = get_tags(estimator).input_tags
    if not hasattr(other, "__sklearn_tags__"):
        return tags
    narrow = get_tags(other).input_tags
    both = {each.name: getattr(tags, each.name) and getattr(narrow, each.name) for each in fields(tags)}
    return replace(tags, **both | {"positive_only": narrow.positive_only, "pairwise": narrow.pairwise})
