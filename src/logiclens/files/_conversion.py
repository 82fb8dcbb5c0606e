"""Copy CSV files of any size into one Parquet file, so that engines find the types that we find in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from logiclens.concepts._text import TextColumn, TextProfile, trim
from logiclens.concepts.table import ValueType
from logiclens.errors import InputError, listing
from logiclens.files._find_files import FoundFiles
from logiclens.files._reading import Batch, read_as, read_batches
from logiclens.files._remarks import Remarks

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
Expected = Callable[[Sequence[str]], Mapping[str, ValueType]]


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
        self.notes: list[str] = []

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
