"""Read a table in batches, so that a file of any size needs little memory.

Types cannot be guessed from rows that are still to come, and need not be: the caller says what the values of
a column are, as a vocabulary does, and each value is read by itself. A row means the same whatever others are
in its batch.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from logiclens.concepts._text import checked_types
from logiclens.concepts.cells import ValueType
from logiclens.errors import FileError, UnknownColumnError, UnknownColumnsError
from logiclens.files.blocks import LongRecordError, OpenQuoteError, blocks
from logiclens.files.layout import Layout, distinct_names, find_layout
from logiclens.files.locating import Rows
from logiclens.files.native import plain_column
from logiclens.files.opening import Peekable, Source, damage_named, opened
from logiclens.files.reading import csv_options, damaged_parquet, no_rows, parquet_rows, read_as
from logiclens.files.remarks import Remarks

_BLOCK = 1 << 22  # bytes of text in a batch
_ROWS = 1 << 16  # rows of Parquet in a batch


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of a file.

    Attributes
    ----------
    rows : pyarrow.Table
        All columns as the file has them: of a text file, text, gaps and blanks included.
    start : int
        Rows of the file before these.
    origin : Rows
        Where they come from, for messages.
    """

    rows: Any
    start: int
    origin: Rows

    def values(self, types: Mapping[str, ValueType], remarks: Remarks | None = None) -> dict[str, Any]:
        """Columns as values of the given types, by name.

        Parameters
        ----------
        types : mapping of str to ValueType
            The columns that are wanted.
        remarks : Remarks, optional
            Learns which values are no numbers, which then count as missing; without it they are refused.

        Returns
        -------
        dict of str to pyarrow.ChunkedArray or ndarray
            Columns that come with types of their own, as those of Parquet do, keep them unless they are text.

        Raises
        ------
        UnknownColumnError
            The file lacks a column.
        InputError
            A value is not of its type, or a number has the wrong decimal sign; the message names column, line
            and value.
        """
        known = self.rows.column_names
        lacking = [name for name in checked_types(types) if name not in known]
        if lacking:
            raise (
                UnknownColumnError(lacking[0], known)
                if len(lacking) == 1
                else UnknownColumnsError(lacking, known)
            )
        return {
            name: read_as(
                plain_column(self.rows.column(name)), name, kind, self.origin, self.start, remarks=remarks
            )
            for name, kind in types.items()
        }


@dataclass(frozen=True, eq=False)
class Batches:
    """The rows of a file, batch by batch, once.

    Attributes
    ----------
    name : str
        Name of the file, without its folder.
    names : tuple of str
        Its columns.
    layout : Layout or None
        How a text file lays them out.
    notes : tuple of str
        What a person should know of how it is read, a line for each.
    origin : Rows
        Where the rows come from, for messages.
    """

    name: str
    names: tuple[str, ...]
    layout: Layout | None
    notes: tuple[str, ...]
    origin: Rows
    _batches: Iterator[Batch]

    def __iter__(self) -> Iterator[Batch]:
        return self._batches


@contextmanager
def read_batches(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Iterator[Batches]:
    r"""Open a table with a header to read it in batches.

    Parameters
    ----------
    path, delimiter, encoding, decimal
        As for :func:`~logiclens.files.reading.read_table`.

    Yields
    ------
    Batches

    Raises
    ------
    FileError
        As for :func:`~logiclens.files.reading.read_table`, also while the batches are read.

    Examples
    --------
    >>> import pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "rows.csv")
    ...     _ = path.write_text("age,code\n62,007\n ?,010\n")
    ...     with read_batches(path) as batches:
    ...         for batch in batches:
    ...             print(batch.rows.to_pydict())
    ...             print(batch.values({"age": ValueType.NUMBER})["age"].to_pylist())
    {'age': ['62', ' ?'], 'code': ['007', '010']}
    [62, None]
    """
    with opened(path) as source, ExitStack() as stack:
        with damage_named(source.label):
            if source.is_parquet:
                batches = _of_parquet(source, stack)
            else:
                batches = _of_text(source, delimiter, encoding, decimal)
        yield batches


def _of_text(source: Source, *settings: str | None) -> Batches:
    layout, stream = find_layout(source, *settings)
    if not stream.peek(1 << 16).strip():
        raise no_rows(source.label)

    @contextmanager
    def again() -> Iterator[Peekable]:
        with opened(str(source.path)) as other:
            yield find_layout(other, layout.delimiter, *settings[1:])[1]

    origin = Rows(source.label, layout, None if source.path is None else again)
    return Batches(source.name, layout.names, layout, layout.notes, origin, _text_batches(stream, origin))


def _text_batches(stream: Peekable, origin: Rows) -> Iterator[Batch]:
    """Batches of text.

    pyarrow can read CSV as a stream, but it does so in threads that hang when one stops in the middle.
    """
    start = 0
    with damage_named(origin.label):
        try:
            for block in blocks(stream, origin.layout.delimiter, _BLOCK):
                if block.isspace():
                    continue
                options = csv_options(origin.layout, len(block) + 1, quoted=b'"' in block, gaps=False)
                table = pyarrow.csv.read_csv(pa.BufferReader(block), **options)
                yield Batch(table.rename_columns(list(origin.layout.names)), start, origin)
                start += table.num_rows
        except pa.ArrowInvalid as error:
            raise origin.refused(error) from None
        except LongRecordError:
            raise origin.unclosed("has a row that is too long to be one") from None
        except OpenQuoteError:
            raise origin.unclosed() from None
    if not start:
        raise no_rows(origin.label)


def _of_parquet(source: Source, stack: ExitStack) -> Batches:
    whole = source.path is not None and not source.packed
    content = source.path if whole else _spooled(source.stream, stack)
    try:
        file = pyarrow.parquet.ParquetFile(content)
    except (pa.ArrowException, OSError) as error:
        raise damaged_parquet(source.label) from error
    stack.callback(file.close)
    if not file.metadata.num_rows:
        raise no_rows(source.label)
    names, _, notes = distinct_names(file.schema_arrow.names)
    origin = parquet_rows(source.label, names)
    return Batches(source.name, names, None, tuple(notes), origin, _parquet_batches(file, origin))


def _spooled(stream: Peekable, stack: ExitStack) -> Any:
    """A stream as a file on the disk: Parquet is read from its end."""
    file = stack.enter_context(tempfile.TemporaryFile())
    while part := stream.read(1 << 22):
        try:
            file.write(part)
            file.flush()
        except OSError as error:
            folder = tempfile.gettempdir()
            raise FileError(
                f"There is no room in the folder {folder!r} for what comes from a pipe. Make room there, or "
                "set TMPDIR to another one."
            ) from error
    file.seek(0)
    return file


def _parquet_batches(file: Any, origin: Rows) -> Iterator[Batch]:
    start = 0
    try:
        for rows in file.iter_batches(batch_size=_ROWS):
            if rows.num_rows:
                table = pa.Table.from_batches([rows]).rename_columns(list(origin.layout.names))
                yield Batch(table, start, origin)
                start += rows.num_rows
    except (pa.ArrowException, OSError) as error:
        raise damaged_parquet(origin.label) from error
