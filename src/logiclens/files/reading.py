"""Read a whole table from a file: CSV, TSV or Parquet, compressed or not; types are guessed from all rows."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from logiclens.concepts._text import MISSING, as_type, checked_types, guessed
from logiclens.concepts.cells import ValueType
from logiclens.errors import FileError, listing
from logiclens.files.blocks import ends_between_quotes
from logiclens.files.layout import Layout, find_layout
from logiclens.files.locating import Rows
from logiclens.files.native import is_text, plain_table
from logiclens.files.opening import Source, damage_named, opened
from logiclens.files.remarks import Remarks

_LONGEST_ROW = 1 << 30
_MANY = 1000  # columns
_SMALLEST_BLOCK, _LARGEST_BLOCK = 1 << 22, 1 << 28


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table that was read from a file.

    Attributes
    ----------
    table : pyarrow.Table
        Its columns, with types; null where a value is missing.
    name : str
        Name of the file, without its folder.
    sha256 : str
        Hash of the file as it is on the disk, compressed or not, in hexadecimal digits.
    notes : tuple of str
        What a person should know of how it was read, a line for each.
    """

    table: Any
    name: str
    sha256: str
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Rows, the header not counted."""
        return int(self.table.num_rows)


def read_table(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    types: Mapping[str, ValueType] | None = None,
) -> TableFile:
    r"""Read a table with a header.

    What the file is, is seen from its first bytes. In text, a column is whole numbers, floats or Booleans
    (true and false) when all of its values are, otherwise text; codes such as ``00123`` are text. Numbers may
    have a currency sign, a percent sign or signs between thousands. Where 95 % of the values, and 20 or more,
    are numbers, the others count as missing; notes say so. Blanks around values do not count;
    ``?``, ``NA``, ``NULL`` and the like stand for a missing one. Columns without a name, and
    names that are there twice, are renamed as pandas does it.

    Parameters
    ----------
    path : str or path
        CSV, TSV or Parquet, plain or compressed with gzip, bzip2 or zstandard; ``"-"`` is standard input.
    delimiter : str, optional
        What separates columns; when missing, whichever of tab, ``;``, ``|`` and ``,`` fits the first lines.
    encoding : str, optional
        How letters are stored; UTF-8 when missing, or UTF-16 where the file says so.
    decimal : {".", ","}, optional
        Sign before the decimals of a number; found in the first lines when missing.
    types : mapping of str to ValueType, optional
        What the values of some columns are; the others are guessed, or have types of their own. A text that
        is no number counts as missing where numbers are wanted, and a note says so.

    Returns
    -------
    TableFile

    Raises
    ------
    FileError
        There is no such file, it may not be read, is damaged or empty, has rows of different lengths or is
        text in another encoding; the message names the line.
    InputError
        A setting makes no sense, or a number has the wrong decimal sign or is not finite.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "rows.csv")
    ...     _ = path.write_text("age;size;code\n62;1,5;007\n?;2;010\n")
    ...     file = read_table(path)
    >>> file.table.to_pydict()
    {'age': [62, None], 'size': [1.5, 2.0], 'code': ['007', '010']}
    >>> file.notes
    ("Columns are separated by ';'.", 'Numbers have a decimal comma.')
    """
    wanted = checked_types({} if types is None else types)
    with opened(path) as source, damage_named(source.label):
        if source.is_parquet:
            table, notes = _read_parquet(source, wanted)
        else:
            table, notes = _read_text(source, *find_layout(source, delimiter, encoding, decimal), wanted)
        return TableFile(table, source.name, source.digest(), notes)


def _read_parquet(source: Source, types: Mapping[str, ValueType]) -> tuple[Any, tuple[str, ...]]:
    try:
        table = pyarrow.parquet.read_table(pa.BufferReader(source.stream.read()))
    except (pa.ArrowException, OSError) as error:
        raise damaged_parquet(source.label) from error
    table, notes = plain_table(table)
    if not table.num_rows or not table.num_columns:
        raise FileError(f"{source.label} has no rows. Pass a table with rows.")
    rows, remarks = parquet_rows(source.label, table.column_names), Remarks()
    for at, name in enumerate(table.column_names):
        if types.get(name, ValueType.MIXED) is not ValueType.MIXED:
            found = read_as(table.column(at), name, types[name], rows, remarks=remarks)
            table = table.set_column(at, name, found)
    return table, (*notes, *remarks.notes(rows))


def parquet_rows(label: str, names: Sequence[str]) -> Rows:
    """The rows of a Parquet file, for messages: they have numbers and no lines."""
    return Rows(label, Layout(",", "utf-8", ".", tuple(names)), None)


def damaged_parquet(label: str) -> FileError:
    """The error for a Parquet file that cannot be read."""
    return FileError(f"{label} is a Parquet file that cannot be read: it is damaged. Get it once more.")


def _read_text(
    source: Source, layout: Layout, stream: Any, types: Mapping[str, ValueType]
) -> tuple[Any, tuple[str, ...]]:
    content = stream.read()
    if not content or content.isspace():
        raise no_rows(source.label)
    rows = Rows(source.label, layout, lambda: nullcontext(io.BytesIO(content)))
    raw = _parsed(content, rows)
    remarks = Remarks()
    names, columns, empty = [], [], []
    for name, column in zip(layout.names, raw.columns, strict=True):
        if name in types and types[name] is not ValueType.MIXED:  # of which there is no column of pyarrow
            found = read_as(column, name, types[name], rows, remarks=remarks)
        else:
            values = guessed(column, name, layout.notation)
            remarks.add(name, values)
            found = values.column
        if name in layout.unnamed and found.null_count == len(found):
            empty.append(name)
            continue
        names.append(name)
        columns.append(found)
    notes = [*layout.notes, *remarks.notes(rows)]
    if empty:
        notes.append(f"Columns without a name and without values are left out: {listing(empty)}.")
    return pa.table(columns, names=names), tuple(notes)


def no_rows(label: str) -> FileError:
    """The error for a file that has a header and nothing else."""
    return FileError(f"{label} has a header and no rows. Pass a table with rows.")


def read_as(
    column: Any, name: str, kind: ValueType, rows: Rows, start: int = 0, *, remarks: Remarks | None = None
) -> Any:
    """A column as values of a type.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        Text is read; what has a type of its own stays as it is, if its numbers are finite.
    name : str
    kind : ValueType
    rows : Rows
        Where it comes from.
    start : int, default 0
        Rows before it.
    remarks : Remarks, optional
        Learns which values are no numbers, which then count as missing; without it they are refused with
        their line. A number with the wrong decimal sign is always refused.
    """
    if not is_text(column.type):
        infinite = pc.index(pc.is_inf(column), True).as_py() if pa.types.is_floating(column.type) else -1
        if infinite >= 0 and kind in (ValueType.NUMBER, ValueType.FLAG):
            raise rows.bad_value(name, start + infinite, f"{column[infinite]}", kind)
        return column
    found = as_type(column, kind, rows.layout.notation)
    odd = found.odd
    if odd is not None and (remarks is None or odd.other_sign):
        raise rows.bad_value(name, start + odd.row, odd.text, kind)
    if remarks is not None:
        remarks.add(name, found, start, kind)
    return found.column


def _parsed(content: bytes, rows: Rows) -> Any:
    """All columns as text, null where a value is missing."""
    n_blocks = 8 if len(rows.layout.names) < _MANY else 2  # each costs time for each column
    block = min(max(_SMALLEST_BLOCK, len(content) // n_blocks), _LARGEST_BLOCK)
    while True:
        try:
            table = pyarrow.csv.read_csv(
                pa.BufferReader(content), **csv_options(rows.layout, block, quoted=b'"' in content)
            )
        except pa.ArrowInvalid as error:
            if "straddl" in str(error) and block < min(len(content), _LONGEST_ROW):
                block = min(len(content) + 1, _LONGEST_ROW)  # there is a row that is longer than a block
                continue
            raise rows.refused(error) from None
        if ends_between_quotes(content, rows.layout.delimiter):
            raise rows.unclosed()
        return table


def csv_options(layout: Layout, block: int, *, quoted: bool = True, gaps: bool = True) -> dict[str, Any]:
    """Options for pyarrow's reader of CSV: all columns are text, called by their number.

    Parameters
    ----------
    layout : Layout
    block : int
        Bytes that are read at a time.
    quoted : bool, default True
        Whether there may be quotes, and line breaks within them.
    gaps : bool, default True
        Whether what stands for a missing value becomes null.
    """
    places = [str(at) for at in range(len(layout.names))]
    return {
        "read_options": pyarrow.csv.ReadOptions(column_names=places, block_size=block),
        "parse_options": pyarrow.csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=quoted),
        "convert_options": pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(places, pa.string()), null_values=MISSING, strings_can_be_null=gaps
        ),
    }
