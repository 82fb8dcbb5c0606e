"""Read a table from a file, CSV, TSV or Parquet, compressed or not: whole, or in batches.

Of a whole table, types are guessed from all rows. In batches they cannot be guessed from rows that are still
to come, and need not be: the caller says what the values of a column are, as a vocabulary does, and each
value is read by itself. So a row means the same in any batch, and a file of any size needs little memory.

CSV files for an engine are copied into one Parquet file first, so that engines find the types that we find in
memory.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from logiclens.concepts._text import (
    TextColumn,
    TextProfile,
    as_type,
    checked_types,
    guess_type,
    trim,
)
from logiclens.concepts.table import ValueType
from logiclens.errors import (
    FileError,
    InputError,
    UnknownColumnError,
    UnknownColumnsError,
    count,
    listing,
    shown,
)
from logiclens.files._csv import (
    Layout,
    LongRecordError,
    OpenQuoteError,
    blocks,
    distinct_names,
    find_layout,
)
from logiclens.files._open import FoundFiles, OpenFile, Peekable, Readable, name_damage, open_source
from logiclens.files._remarks import Origin, Remarks

_BLOCK = 1 << 22  # bytes of text in a batch
_ROWS = 1 << 16  # rows of Parquet in a batch
_INDEX = re.compile(r"__index_level_\d+__")  # what pandas calls an index without a name


# Whole tables
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
Expected = Callable[[Sequence[str]], Mapping[str, ValueType]]


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table that was read from a file.

    Attributes
    ----------
    table : pyarrow.Table
        Its columns, with types; null where a value is missing.
    name : str
        Name of the file, without its folder.
    sha256 : str, optional
        Hash of the file as it is on the disk, compressed or not, in hexadecimal digits; None where there is
        no file.
    notes : tuple of str
        What a person should know of how it was read, a line for each.
    """

    table: Any
    name: str
    sha256: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Origin, the header not counted."""
        return int(self.table.num_rows)


def read_table(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    skip_lines: int | None = None,
    sheet: str | None = None,
    types: Mapping[str, ValueType] | Expected | None = None,
    missing: Mapping[str, Sequence[str]]
    | Callable[[Sequence[str]], Mapping[str, Sequence[str]]]
    | None = None,
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
        CSV, TSV or Parquet, plain or compressed with gzip, bzip2 or zstandard, or an Excel workbook (extra
        ``excel``); ``"-"`` is standard input.
    delimiter : str, optional
        What separates columns; when missing, whichever of tab, ``;``, ``|`` and ``,`` fits the first lines.
    encoding : str, optional
        How letters are stored; when missing, UTF-8, UTF-16 where the file says so, or CP1252 where its start
        is not in UTF-8.
    decimal : {".", ","}, optional
        Sign before the decimals of a number; found in the first lines when missing.
    skip_lines : int, optional
        Lines above the header; found, where it is plain, when missing.
    sheet : str, optional
        Of an Excel workbook, the sheet to read; the first when missing.
    types : mapping of str to ValueType, optional
        What the values of some columns are; the others are guessed, or have types of their own. A text that
        is no number counts as missing where numbers are wanted, and a note says so. Also a function from the
        names of the columns to such a mapping.
    missing : mapping of str to sequence of str, optional
        Values that mean that there is none, by column, such as ``{"age": ["-999"]}``; a note says how many
        there are. Also a function from the names of the columns to such a mapping.

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
    if not callable(types):
        checked_types({} if types is None else types)
    if not callable(missing):
        _check_missing({} if missing is None else missing)
    with open_source(path, sheet) as source, name_damage(source.label):
        if source.is_parquet:
            table, notes = _read_parquet(source, types)
            found = Counter[tuple[str, str]]()
        else:
            table, notes, found = _read_text(source, types, missing, delimiter, encoding, decimal, skip_lines)
        gaps = _by_column(missing, table.column_names)
        table, more = without_values(table, gaps)
        notes = (*notes, *notes_on_missing(gaps, found + more))
        return TableFile(table, source.name, source.digest(), notes)


def _check_missing(missing: Any) -> None:
    if not isinstance(missing, Mapping) or not all(
        isinstance(some, list | tuple) and all(isinstance(text, str) for text in some)
        for some in missing.values()
    ):
        raise InputError(
            f"missing must map names of columns to texts. Got {shown(missing)}; write {{'age': ['-999']}}."
        )


_T = TypeVar("_T")


def _by_column(
    settings: Mapping[str, _T] | Callable[[Sequence[str]], Mapping[str, _T]] | None, names: Sequence[str]
) -> Mapping[str, _T]:
    return settings(names) if callable(settings) else settings or {}


def without_values(table: Any, missing: Mapping[str, Sequence[str]]) -> tuple[Any, Counter[tuple[str, str]]]:
    """A table in which some values are missing, and how often each column had which of them.

    Parameters
    ----------
    table : pyarrow.Table
    missing : mapping of str to sequence of str
        Values by column, as a file of text has them.

    Examples
    --------
    >>> table, found = without_values(pa.table({"age": [62, -999]}), {"age": ["-999"]})
    >>> table.to_pydict(), found
    ({'age': [62, None]}, Counter({('age', '-999'): 1}))
    """
    counts = Counter[tuple[str, str]]()
    for at, name in enumerate(table.column_names):
        column = table.column(at)
        for text in missing.get(name, ()):
            found = _equal(column, text)
            if n := 0 if found is None else pc.sum(found).as_py() or 0:
                counts[name, text] += n
                column = pc.if_else(found, pa.scalar(None, column.type), column)
        table = table.set_column(at, name, column)
    return table, counts


def _equal(column: Any, text: str) -> Any:
    """Where a value is what a text says; None where none can be."""
    if is_text(column.type):
        return pc.equal(pc.utf8_trim_whitespace(column), text)
    if not pa.types.is_integer(column.type) and not pa.types.is_floating(column.type):
        return None
    try:
        return pc.equal(pc.cast(column, pa.float64(), safe=False), float(text))
    except ValueError:
        return None


def notes_on_missing(missing: Mapping[str, Sequence[str]], found: Counter[tuple[str, str]]) -> list[str]:
    """Notes on values that count as missing, and on those that no column has."""
    notes = [
        f"{count(n, 'value')} of {name!r} {'counts' if n == 1 else 'count'} as missing: {text!r}."
        for (name, text), n in found.items()
    ]
    texts = dict.fromkeys(text for some in missing.values() for text in some)
    present = {text for _, text in found}
    for text in (text for text in texts if text not in present):
        names = [name for name, some in missing.items() if text in some]
        where = f"No value of {names[0]!r}" if len(names) == 1 else "No value of any column"
        notes.append(f"{where} is {text!r}: nothing there counts as missing by it.")
    return notes


def _read_parquet(
    source: OpenFile, settings: Mapping[str, ValueType] | Expected | None
) -> tuple[Any, tuple[str, ...]]:
    try:
        table = pyarrow.parquet.read_table(pa.BufferReader(source.stream.read()))
    except (pa.ArrowException, OSError) as error:
        raise damaged_parquet(source.label) from error
    table, notes = with_plain_types(table)
    if not table.num_rows or not table.num_columns:
        raise FileError(f"{source.label} has no rows. Pass a table with rows.")
    origin, remarks = parquet_origin(source.label, table.column_names), Remarks()
    types = checked_types(_by_column(settings, table.column_names))
    for at, name in enumerate(table.column_names):
        if types.get(name, ValueType.MIXED) not in _OF_THE_FILE:
            found = read_as(table.column(at), name, types[name], origin, remarks=remarks)
            table = table.set_column(at, name, found)
    return table, (*notes, *remarks.notes(origin))


def parquet_origin(label: str, names: Sequence[str]) -> Origin:
    """The rows of a Parquet file, for messages: they have numbers and no lines."""
    return Origin(label, Layout(",", "utf-8", ".", tuple(names)), None)


def damaged_parquet(label: str) -> FileError:
    """The error for a Parquet file that cannot be read."""
    return FileError(f"{label} is a Parquet file that cannot be read: it is damaged. Get it once more.")


_OF_THE_FILE = (ValueType.MIXED, ValueType.CATEGORY)  # the types that the file has, or the text


def _read_text(
    source: OpenFile,
    types: Mapping[str, ValueType] | Expected | None,
    missing: Any,
    *settings: Any,
) -> tuple[Any, tuple[str, ...], Counter[tuple[str, str]]]:
    layout, stream = find_layout(source, *settings)
    wanted, gaps = checked_types(_by_column(types, layout.names)), _by_column(missing, layout.names)
    content = stream.read()
    origin = Origin(source.label, layout, lambda: nullcontext(io.BytesIO(content)))
    raw = pa.concat_tables(batch.rows for batch in _text_batches(io.BytesIO(content), origin))
    raw, absent = without_values(raw.rename_columns(list(layout.names)), gaps)
    remarks = Remarks()
    names, columns, empty = [], [], []
    for name, column in zip(layout.names, raw.columns, strict=True):
        kind = wanted.get(name, ValueType.MIXED)
        if kind not in _OF_THE_FILE:  # there is no mixed column of pyarrow
            found = read_as(column, name, kind, origin, remarks=remarks)
        else:
            values = guess_type(column, name, layout.notation)
            if kind is ValueType.CATEGORY and (values.odd or values.spelling):
                values = as_type(column, ValueType.TEXT)
            remarks.add(name, values)
            found = values.column
        if name in layout.unnamed and found.null_count == len(found):
            empty.append(name)
            continue
        names.append(name)
        columns.append(found)
    notes = [*layout.notes, *remarks.notes(origin)]
    if empty:
        notes.append(f"Columns without a name and without values are left out: {listing(empty)}.")
    return pa.table(columns, names=names), tuple(notes), absent


def no_rows(label: str) -> FileError:
    """The error for a file that has a header and nothing else."""
    return FileError(f"{label} has a header and no rows. Pass a table with rows.")


def read_as(
    column: Any, name: str, kind: ValueType, origin: Origin, start: int = 0, *, remarks: Remarks | None = None
) -> Any:
    """A column as values of a type.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        Text is read; what has a type of its own stays as it is, if its numbers are finite.
    name : str
    kind : ValueType
    origin : Origin
        Where it comes from.
    start : int, default 0
        Origin before it.
    remarks : Remarks, optional
        Learns which values are no numbers, which then count as missing; without it they are refused with
        their line. A number with the wrong decimal sign is always refused.
    """
    if not is_text(column.type):
        infinite = pc.index(pc.is_inf(column), True).as_py() if pa.types.is_floating(column.type) else -1
        if infinite >= 0 and kind in (ValueType.NUMBER, ValueType.FLAG):
            raise origin.bad_value(name, start + infinite, f"{column[infinite]}", kind)
        return column
    found = as_type(column, kind, origin.layout.notation)
    odd = found.odd
    if odd is not None and (remarks is None or odd.other_sign):
        raise origin.bad_value(name, start + odd.row, odd.text, kind)
    if remarks is not None:
        remarks.add(name, found, start, kind)
    return found.column


def _parse(block: bytes, layout: Layout) -> Any:
    """Whole records as a table: all columns are text, gaps included, and called by their number."""
    places = [str(at) for at in range(len(layout.names))]
    return pyarrow.csv.read_csv(
        pa.BufferReader(block),
        pyarrow.csv.ReadOptions(column_names=places, block_size=len(block) + 1),
        pyarrow.csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=b'"' in block),
        pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(places, pa.string())),
    )


# Batches


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of a file.

    Attributes
    ----------
    rows : pyarrow.Table
        All columns as the file has them: of a text file, text, gaps and blanks included.
    start : int
        Origin of the file before these.
    origin : Origin
        Where they come from, for messages.
    """

    rows: Any
    start: int
    origin: Origin

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
    origin : Origin
        Where the rows come from, for messages.
    """

    name: str
    names: tuple[str, ...]
    layout: Layout | None
    notes: tuple[str, ...]
    origin: Origin
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
    skip_lines: int | None = None,
    sheet: str | None = None,
) -> Iterator[Batches]:
    r"""Open a table with a header to read it in batches.

    Parameters
    ----------
    path, delimiter, encoding, decimal, skip_lines, sheet
        As for :func:`~logiclens.files.read_table`.

    Yields
    ------
    Batches

    Raises
    ------
    FileError
        As for :func:`~logiclens.files.read_table`, also while the batches are read.

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
    with open_source(path, sheet) as source, ExitStack() as stack:
        with name_damage(source.label):
            if source.is_parquet:
                batches = _of_parquet(source, stack)
            else:
                batches = _of_text(source, delimiter, encoding, decimal, skip_lines)
        yield batches


def _of_text(source: OpenFile, *settings: Any) -> Batches:
    layout, stream = find_layout(source, *settings)
    if not stream.peek(1 << 16).strip():
        raise no_rows(source.label)

    @contextmanager
    def reopen() -> Iterator[Peekable]:
        with open_source(str(source.path)) as other:
            yield find_layout(other, layout.delimiter, *settings[1:])[1]

    origin = Origin(source.label, layout, None if source.path is None else reopen)
    return Batches(source.name, layout.names, layout, layout.notes, origin, _text_batches(stream, origin))


def _text_batches(stream: Readable, origin: Origin) -> Iterator[Batch]:
    """Batches of text.

    pyarrow can read CSV as a stream, but it does so in threads that hang when one stops in the middle.
    """
    start = 0
    with name_damage(origin.label):
        try:
            for block in blocks(stream, origin.layout.delimiter, _BLOCK):
                if block.isspace():
                    continue
                table = _parse(block, origin.layout)
                yield Batch(table.rename_columns(list(origin.layout.names)), start, origin)
                start += table.num_rows
        except pa.ArrowInvalid as error:
            raise origin.csv_error(error) from None
        except LongRecordError:
            raise origin.open_quote_error("has a row that is too long to be one") from None
        except OpenQuoteError:
            raise origin.open_quote_error() from None
    if not start:
        raise no_rows(origin.label)


def _of_parquet(source: OpenFile, stack: ExitStack) -> Batches:
    whole = source.path is not None and not source.packed
    content = source.path if whole else _spool(source.stream, stack)
    try:
        file = pyarrow.parquet.ParquetFile(content)
    except (pa.ArrowException, OSError) as error:
        raise damaged_parquet(source.label) from error
    stack.callback(file.close)
    if not file.metadata.num_rows:
        raise no_rows(source.label)
    names, _, notes = distinct_names(file.schema_arrow.names)
    origin = parquet_origin(source.label, names)
    return Batches(source.name, names, None, tuple(notes), origin, _parquet_batches(file, origin))


def _spool(stream: Peekable, stack: ExitStack) -> Any:
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


def _parquet_batches(file: Any, origin: Origin) -> Iterator[Batch]:
    start = 0
    try:
        for rows in file.iter_batches(batch_size=_ROWS):
            if rows.num_rows:
                table = pa.Table.from_batches([rows]).rename_columns(list(origin.layout.names))
                yield Batch(table, start, origin)
                start += rows.num_rows
    except (pa.ArrowException, OSError) as error:
        raise damaged_parquet(origin.label) from error


# Columns that come with types of their own, as those of Parquet do


def with_plain_types(table: Any) -> tuple[Any, tuple[str, ...]]:
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
    >>> table, notes = with_plain_types(pa.table({"size": pa.array(["S", "M"]).dictionary_encode()}))
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
    """A column with a plain type; see :func:`with_plain_types`."""
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
    """True of the types of pyarrow for text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def copy_as_parquet(found: FoundFiles, path: str, expected: Expected | None = None) -> tuple[str, ...]:
    """Copy CSV files, typed over all of their rows as :func:`~logiclens.files.read_table` types them.

    Parameters
    ----------
    found : FoundFiles
        Files with the same columns. Keys of their folders become columns.
    path : str
        The Parquet file to write.
    expected : callable, optional
        From the names of the columns to the types of some of them; types of the others are guessed.

    Returns
    -------
    tuple of str
        What a person should know of how they were read, a line for each.
    """
    files = _CsvFiles(found, expected)
    files.find_types()
    return files.copy(path)


class _CsvFiles:
    def __init__(self, found: FoundFiles, expected: Expected | None) -> None:
        self.found, self.expected = found, expected
        self.keys = found.keys()
        self.names: tuple[str, ...] = ()
        self.types: Mapping[str, ValueType] = {}
        self.profiles: dict[str, TextProfile] = {}
        self.whole: dict[str, bool] = {}
        self.unnamed: set[str] = set()

    def _batches(self) -> Iterator[tuple[str, Batch]]:
        """All rows with the keys of their folders; after the last ones of a file, no batch of it is read."""
        for path in self.found.paths:
            with read_batches(path) as batches:
                self._check(path, batches.names)
                for batch in batches:
                    rows = batch.rows
                    for key, value in _values_of_keys(path, self.found.root).items():
                        if key not in batches.names:
                            rows = rows.append_column(key, pa.array([value] * rows.num_rows, pa.string()))
                    yield path, Batch(rows.select(self.names), batch.start, batch.origin)

    def _check(self, path: str, names: tuple[str, ...]) -> None:
        columns = (*names, *(key for key in self.keys if key not in names))
        if not self.names:
            self.names = columns
            self.types = {} if self.expected is None else self.expected(columns)
        if sorted(columns) != sorted(self.names):
            other = sorted({*columns} ^ {*self.names})
            raise InputError(
                f"{self.found.paths[0]!r} and {path!r} have different columns: only one has "
                f"{listing(other)}. Give all files the same columns."
            )

    def _has_known_type(self, name: str) -> bool:
        return self.types.get(name, ValueType.MIXED) is not ValueType.MIXED

    def find_types(self) -> None:
        """Find out the types."""
        for _, batch in self._batches():
            layout = batch.origin.layout
            self.unnamed.update(layout.unnamed)
            for name in self.names:
                column = batch.rows.column(name)
                if self._has_known_type(name):
                    values = self._read(batch, name, Remarks())
                    self.whole[name] = self.whole.get(name, True) and pa.types.is_integer(values.type)
                else:
                    profile = TextColumn(trim(column), layout.notation).profile
                    self.profiles[name] = self.profiles.get(name, TextProfile()) + profile

    def _read(self, batch: Batch, name: str, remarks: Remarks) -> Any:
        column, kind = batch.rows.column(name), self.types[name]
        return read_as(column, name, kind, batch.origin, batch.start, remarks=remarks)

    def _type(self, name: str) -> Any:
        if not self._has_known_type(name):
            return self.profiles[name].type
        if self.types[name] is ValueType.TEXT:
            return pa.string()
        return pa.int64() if self.whole[name] else pa.float64()

    def copy(self, path: str) -> tuple[str, ...]:
        """Write all rows; what a person should know."""
        names = [
            name
            for name in self.names
            if name not in self.unnamed or self._has_known_type(name) or self.profiles[name].n
        ]
        schema = pa.schema([(name, self._type(name)) for name in names])
        remarks: dict[str, Remarks] = {}
        origins = {}
        with pyarrow.parquet.ParquetWriter(path, schema) as writer:
            for file, batch in self._batches():
                origins[file] = batch.origin
                mine = remarks.setdefault(file, Remarks())
                columns = [self._values(batch, name, mine, schema) for name in names]
                writer.write_table(pa.table(columns, schema=schema))
        several = len(origins) > 1
        notes = []
        for file, origin in origins.items():
            lines = (*origin.layout.notes, *remarks[file].notes(origin))
            notes += [f"{os.path.basename(file)}: {note}" if several else note for note in lines]
        return tuple(notes)

    def _values(self, batch: Batch, name: str, remarks: Remarks, schema: Any) -> Any:
        kind = schema.field(name).type
        if self._has_known_type(name):
            return pc.cast(self._read(batch, name, remarks), kind)
        values = TextColumn(trim(batch.rows.column(name)), batch.origin.layout.notation).values(
            self.profiles[name]
        )
        remarks.add(name, values, batch.start)
        return values.column


def _values_of_keys(path: str, root: str) -> dict[str, str | None]:
    """Values that the folders below a root give to all rows of a file."""
    folder = os.path.relpath(os.path.dirname(path) or os.curdir, root or os.curdir)
    pairs = [part.partition("=") for part in Path(folder).parts if "=" in part]
    return {key: None if value == _NO_VALUE else unquote(value) for key, _, value in pairs}
