"""Write tables to a stream, batch by batch: as CSV or as Parquet.

Text goes to CSV as it is, in quotes only where it must be, so that what was read from a CSV file and is
written again looks as it did.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Sequence
from typing import Any, BinaryIO, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

_ROWS = 1 << 13  # rows that become one piece of text, which must stay below 2 GB
_PARQUET = (".parquet", ".pq")
_MARK = "\ufeff"


class TableWriter(Protocol):
    """Writes batches of one table."""

    def write(self, table: Any) -> None:
        """Write some rows, a ``pyarrow.Table`` with the same columns each time."""

    def close(self) -> None:
        """Write what is still to be written; the stream stays open."""


def table_writer(
    stream: BinaryIO, path: str | os.PathLike[str] = "", *, delimiter: str = ",", marked: bool = False
) -> TableWriter:
    r"""A writer of tables; the name of a file says in which form.

    Parameters
    ----------
    stream : binary stream
    path : str or path, default ""
        Parquet where it ends in ``.parquet`` or ``.pq``, otherwise CSV, compressed where it ends in ``.gz``.
    delimiter : str, default ","
        What separates the columns of a CSV file; a tab where the name has ``.tsv``.
    marked : bool, default False
        Whether CSV starts with a byte order mark, by which Excel knows UTF-8.

    Examples
    --------
    >>> import io
    >>> stream = io.BytesIO()
    >>> writer = table_writer(stream)
    >>> writer.write(pa.table({"name": ["Ann", 'B "Bob" C', None], "age": [62, None, 3]}))
    >>> writer.close()
    >>> print(stream.getvalue().decode())
    name,age
    Ann,62
    "B ""Bob"" C",
    ,3
    <BLANKLINE>
    """
    name = os.fspath(path).lower()
    if name.endswith(_PARQUET):
        return _ParquetWriter(stream)
    packed = name.endswith(".gz")
    if name.removesuffix(".gz").endswith(".tsv"):
        delimiter = "\t"
    return _CsvWriter(stream, delimiter, _MARK if marked else "", packed=packed)


class _CsvWriter:
    """Writes CSV in UTF-8."""

    def __init__(self, stream: BinaryIO, delimiter: str, head: str, *, packed: bool) -> None:
        self._delimiter = delimiter
        self._head = head
        self._started = False
        self._stream: Any = stream
        self._packed = packed
        if packed:
            self._stream = gzip.GzipFile(fileobj=stream, mode="wb", compresslevel=6, mtime=0)

    def write(self, table: Any) -> None:
        if not self._started:
            self._stream.write(self._head.encode())
            self._write_lines([pa.array([name]) for name in table.column_names])
            self._started = True
        for batch in table.to_batches(max_chunksize=_ROWS):
            if batch.num_rows:
                self._write_lines(batch.columns)

    def _write_lines(self, columns: Sequence[Any]) -> None:
        cells = [as_cells(column, self._delimiter) for column in columns]
        if len(cells) == 1:  # a line without anything would be no row
            cells = [pc.if_else(pc.equal(cells[0], ""), '""', cells[0])]
        cells[-1] = pc.binary_join_element_wise(cells[-1], "\n", "")
        self._stream.write(_content(pc.binary_join_element_wise(*cells, self._delimiter)))

    def close(self) -> None:
        if self._packed:
            self._stream.close()


class _ParquetWriter:
    """Writes Parquet; the first batch decides the types."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._writer: Any = None

    def write(self, table: Any) -> None:
        if self._writer is None:
            self._writer = pyarrow.parquet.ParquetWriter(self._stream, table.schema)
        self._writer.write_table(table.cast(self._writer.schema))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def _content(column: Any) -> memoryview:
    """The characters of an array of text, one after the other."""
    _, ends, content = column.buffers()
    offsets = np.frombuffer(ends, dtype=np.int32)[column.offset : column.offset + len(column) + 1]
    return memoryview(content if content is not None else b"")[offsets[0] : offsets[-1]]


def as_cells(column: Any, delimiter: str = ",") -> Any:
    """An array of any type as CSV has it: text, empty where a value is missing, in quotes where it must be.

    Examples
    --------
    >>> as_cells(pa.array(["a", "b,c", None])).to_pylist()
    ['a', '"b,c"', '']
    """
    kind = column.type
    if pa.types.is_dictionary(kind):  # the same few texts, many times
        cells = as_cells(column.dictionary, delimiter)
        return pc.fill_null(cells.take(column.indices), "")
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        texts = [None if value is None else json.dumps(value, default=str) for value in column.to_pylist()]
        column = pa.array(texts, type=pa.string())
    if pa.types.is_boolean(kind):  # as Python and pandas write them
        column = pc.if_else(column, "True", "False")
    text = pc.fill_null(pc.cast(column, pa.string()), "")
    content = bytes(_content(text))
    if not any(sign in content for sign in (b'"', b"\n", b"\r", delimiter.encode())):
        return text
    needed = pc.match_substring_regex(text, f'["\r\n]|{re.escape(delimiter)}')
    inside = pc.replace_substring(text, '"', '""')
    return pc.if_else(needed, pc.binary_join_element_wise('"', inside, '"', ""), text)
