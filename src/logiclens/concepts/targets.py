"""What cut points are chosen by: the labels of the rows, of one output or of several, as codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from logiclens.concepts.cells import Column, Kind, read_array, read_series
from logiclens.concepts.cuts import quantile_cuts
from logiclens.concepts.table import Table, array_of_cells
from logiclens.errors import InputError
from logiclens.logic.arrays import IndexArray
from logiclens.logic.data import THRESHOLD, check_length, missing_values

_MANY_LABELS = 20  # fractions with more distinct values are measurements, not labels


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
        if len(column.levels) > _MANY_LABELS and (numbers != np.round(numbers)).any():
            return np.searchsorted(quantile_cuts(numbers, 3), numbers)
    return column.codes
