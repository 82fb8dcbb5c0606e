"""The classes of rows: labels as codes, which cut points are chosen by, and columns of a table as labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from logiclens.concepts.cells import Column, Kind, read_array, read_series
from logiclens.concepts.cuts import quantile_cuts
from logiclens.concepts.readable import readable
from logiclens.concepts.table import Table, array_of_cells
from logiclens.errors import InputError
from logiclens.logic.arrays import IndexArray
from logiclens.logic.data import THRESHOLD, check_length, missing_values

MOST_NUMBERS = 20
"""Distinct numbers that may be classes; more are measurements."""
MOST_TEXTS = 100
"""Distinct texts that may be classes."""


def read_targets(y: Any, n_rows: int) -> list[Column]:
    """Return the columns of ``y``: none, one of labels, or one for each output.

    Examples
    --------
    >>> [column.levels for column in read_targets(["well", "ill", "well"], 3)]
    [('well', 'ill')]
    """
    if y is None:
        return []
    series = nw.from_native(y, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series):
        columns = [read_series(series, "y")]
    elif isinstance(series, (nw.DataFrame, nw.LazyFrame, Mapping)):
        columns = _columns(y)
    elif (labels := array_of_cells(y, "y")).ndim == 2:
        columns = _columns(labels)
    else:
        check_length(labels, "y", n_rows)
        columns = [read_array(labels, "y")]
    for column in columns:
        check_length(column.missing, "y", n_rows)
        if column.missing.any():
            raise missing_values("y", column.missing)
    return columns


def _columns(y: Any) -> list[Column]:
    table = Table(y)
    if not table.names:
        raise InputError("y has no columns. Pass labels, one for each row.")
    return [table.column(name) for name in table.names]


def class_codes(targets: Sequence[Column]) -> IndexArray | None:
    """Codes of the classes from 0, shape (n, n_outputs); None where there are no outputs.

    Scores of several outputs say yes above one half; measurements are cut into four classes.

    Examples
    --------
    >>> class_codes(read_targets(["well", "ill", "well"], 3)).tolist()
    [[0], [1], [0]]
    """
    if not targets:
        return None
    return np.column_stack([_code(column, alone=len(targets) == 1) for column in targets])


def _code(column: Column, *, alone: bool) -> IndexArray:
    if column.kind is Kind.NUMBER and column.raw.dtype.kind == "f":
        numbers = column.numbers()
        if not alone and 0 <= numbers.min() and numbers.max() <= 1:
            return (numbers > THRESHOLD).astype(np.intp)
        if len(column.levels) > MOST_NUMBERS and (numbers != np.round(numbers)).any():
            return np.searchsorted(quantile_cuts(numbers, 3), numbers)
    return column.codes


def may_be_classes(column: Column, n_values: int) -> bool:
    """Whether a column's values, of which there are so many, are few enough to be classes."""
    n = len(column.levels)
    if column.kind is Kind.NUMBER or 2 * n > n_values:
        return n <= MOST_NUMBERS
    return n <= MOST_TEXTS


def class_labels(column: Column) -> NDArray[Any]:
    """A column as labels of one type, shape (n,); what stands where its value is missing means nothing.

    Numbers are whole where all of them are; with decimals they are written out.

    Examples
    --------
    >>> class_labels(Table({"y": [1.0, 2.0]}).column("y")), class_labels(Table({"y": [0.5, 1]}).column("y"))
    (array([1, 2]), array(['0.5', '1'], dtype=object))
    """
    if column.kind is Kind.BOOLEAN:
        return column.raw
    if column.kind is Kind.NUMBER:
        numbers = np.where(column.missing, 0.0, column.numbers())
        if (numbers == np.round(numbers)).all() and np.abs(numbers).max() < 2**53:
            return numbers.astype(np.int64)
    names = np.array([level if isinstance(level, str) else f"{level:.10g}" for level in column.levels] + [""])
    return names.astype(object)[column.codes]


def middle_cut(column: Column, counts: IndexArray) -> float:
    """A number with few digits that about half of the rows are above; ``counts`` has the rows of each value.

    Examples
    --------
    >>> middle_cut(Table({"x": [1.0, 2.0, 3.0, 4.0]}).column("x"), np.ones(4, dtype=int))
    2.0
    """
    present = ~column.missing
    levels, places = np.unique(column.numbers()[present], return_inverse=True)
    up_to = np.cumsum(np.bincount(places, counts[present]))
    at = min(int(np.searchsorted(up_to, (up_to[-1] + 1) // 2)), len(levels) - 2)
    whole = bool((levels == np.round(levels)).all())
    return float(readable(levels[at : at + 1], levels[at + 1 : at + 2], whole=whole)[0])
