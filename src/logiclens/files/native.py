"""Columns that come with types of their own, as those of Parquet do, as types that the rest of us knows."""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from logiclens.errors import listing
from logiclens.files.layout import distinct_names

_INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls an index without a name


def plain_table(table: Any) -> tuple[Any, tuple[str, ...]]:
    """A table with distinct names and plain types, and notes on what was changed.

    Categories of text become text, decimals floats. Dates, times and nested values stay what they are.

    Parameters
    ----------
    table : pyarrow.Table

    Returns
    -------
    pyarrow.Table, tuple of str

    Examples
    --------
    >>> table, notes = plain_table(pa.table({"size": pa.array(["S", "M"]).dictionary_encode()}))
    >>> table.schema.field("size").type, notes
    (DataType(string), ())
    """
    index = [name for name in table.column_names if _INDEX.fullmatch(name)]
    table = table.drop_columns(index)
    names, _, notes = distinct_names(table.column_names)
    columns = [plain_column(column) for column in table.columns]
    if index:
        notes.append(f"The index of a pandas frame is left out: {listing(index)}.")
    return pa.table(columns, names=list(names)), tuple(notes)


def plain_column(column: Any) -> Any:
    """A column with a plain type; see :func:`plain_table`."""
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], type=kind.storage_type)
        kind = column.type
    if pa.types.is_dictionary(kind) and is_text(kind.value_type):
        return pc.cast(column, pa.string())
    if pa.types.is_decimal(kind) or pa.types.is_null(kind):
        return pc.cast(column, pa.float64())
    if pa.types.is_float16(kind):
        return pc.cast(column, pa.float32())
    return pc.cast(column, pa.string()) if is_text(kind) else column


def is_text(kind: Any) -> bool:
    """Whether a type of pyarrow is one of those for text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
