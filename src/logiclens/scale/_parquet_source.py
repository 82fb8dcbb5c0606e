"""Parquet files larger than memory: scores and targets, row group by row group, only the columns needed.

Rows are counted over all files in the order of their names, so each has a position. What lies where is read
from the metadata alone; values are decoded a few thousand rows at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from numpy.typing import NDArray

from logiclens.errors import FileError, InputError, MissingFileError, UnknownColumnError, count, shown
from logiclens.estimators.inputs_and_targets import Problem, read_targets
from logiclens.explain.rule import Label, label_array
from logiclens.files._open import find_files
from logiclens.files._reading import damaged_parquet, plain_column
from logiclens.files._storage import unreadable
from logiclens.logic.arrays import FloatArray
from logiclens.logic.data import ROUNDING, THRESHOLD

CHUNK_ROWS = 1 << 16
"""Rows decoded at a time, at most."""
CHUNK_VALUES = 1 << 24
"""Values decoded at a time, at most, unless a thousand rows have more."""
_FEWEST = 1 << 10
_BUFFER = 1 << 17  # bytes of a column that are read from the disk at a time
_INDEX = "__index_level_"  # what pandas calls an index without a name

REMEDY = "Leave it out with columns=, or use logiclens.scale.fit, which makes concepts of raw columns."


@dataclass(frozen=True)
class RowGroup:
    """Some rows of a file that lie together.

    Attributes
    ----------
    file : int
        Which of the files.
    at : int
        Which of its row groups.
    start : int
        Rows before it, in all files.
    within : int
        Rows before it in its file.
    n_rows : int
    """

    file: int
    at: int
    start: int
    within: int
    n_rows: int


@dataclass(frozen=True, eq=False)
class Chunk:
    """Rows that were decoded.

    Attributes
    ----------
    rows : pyarrow.RecordBatch
    start : int
        Rows before them, in all files.
    within : int
        Rows before them in their file.
    path : str
        Their file.
    """

    rows: Any
    start: int
    within: int
    path: str

    def column(self, name: str) -> Any:
        """A column, with a plain type."""
        return plain_column(pa.chunked_array([self.rows.column(name)]))

    def scores(self, names: Sequence[str], dtype: Any = np.float64) -> NDArray[Any]:
        """Columns of scores in [0, 1], (n_columns, n).

        Raises
        ------
        InputError
            A value is missing, lies outside [0, 1] or is no number.
        """
        values = np.empty((len(names), self.rows.num_rows), dtype=dtype)
        for at, name in enumerate(names):
            column = self.column(name)
            if not _is_number(column.type):
                raise InputError(
                    f"Column {name!r} of {self.path!r} has the type {column.type}; scores are Booleans or "
                    f"numbers in [0, 1]. {REMEDY}"
                )
            values[at] = column.to_numpy()
            low, high = values[at].min(), values[at].max()
            if not (low >= 0.0 and high <= 1.0):  # min() is NaN as soon as one value is
                self._refuse(name, values[at])
                np.clip(values[at], 0.0, 1.0, out=values[at])
        return values

    def _refuse(self, name: str, values: NDArray[Any]) -> None:
        missing = np.isnan(values)
        wrong = missing | (values < -ROUNDING) | (values > 1 + ROUNDING)
        if not wrong.any():
            return
        at = int(wrong.argmax())
        if missing[at]:
            raise self.missing_value(name, at)
        raise InputError(
            f"Column {name!r} of {self.path!r} has the value {values[at]:g}, outside [0, 1], in row "
            f"{self.within + at} (counted from 0). {REMEDY}"
        )

    def missing_value(self, name: str, at: int) -> InputError:
        """The error for a missing value."""
        return InputError(
            f"Column {name!r} of {self.path!r} has a missing value in row {self.within + at} (counted from "
            "0). Impute or drop such rows first."
        )


@dataclass(frozen=True, eq=False)
class ParquetSource:
    """Parquet files as one table.

    Attributes
    ----------
    paths : tuple of str
        The files, by name.
    extent : list of list
        Name, bytes, rows and checksum of each file: what a later run must find again. The checksum is of what
        the file says of itself: where its values lie, and statistics of them.
    modified : tuple of int
        When they were last written, in nanoseconds.
    groups : tuple of RowGroup
        In the order of the rows.
    types : dict of str to dict of pyarrow.DataType to str
        The columns of the first file that has rows; for each type that one has, the first file in which it
        has it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in ("a", "b"):
    ...         table = pa.table({"red": [0.1, 0.9], "y": ["no", "yes"]})
    ...         pa.parquet.write_table(table, f"{folder}/{part}.parquet")
    ...     source = ParquetSource.of(folder)
    ...     [chunk.scores(["red"]).tolist() for chunk in source.chunks(source.groups[1], ["red"])]
    [[[0.1, 0.9]]]
    """

    paths: tuple[str, ...]
    extent: list[list[Any]]
    modified: tuple[int, ...]
    groups: tuple[RowGroup, ...]
    types: dict[str, dict[Any, str]]

    @classmethod
    def of(cls, source: Any) -> ParquetSource:
        """Find out what is where.

        Parameters
        ----------
        source : str, path, or sequence of them
            Parquet files, folders of them, or patterns such as ``"scores/*.parquet"``, as
            ``find_files`` understands them.

        Raises
        ------
        MissingFileError
            There are no such files.
        FileError
            One is not Parquet, or may not be read.
        InputError
            They hold no rows.
        """
        paths = _paths(source)
        groups: list[RowGroup] = []
        start = 0
        extent, modified = [], []
        types: dict[str, dict[Any, str]] = {}
        for file, path in enumerate(paths):
            with _open_parquet(path) as opened:
                schema, metadata, stat = opened.schema_arrow, opened.metadata, os.stat(path)
                extent.append([os.path.basename(path), stat.st_size, metadata.num_rows, _footer(path)])
                modified.append(stat.st_mtime_ns)
                if metadata.num_rows:
                    _add_types(types, schema, path)
                before = start
                for at in range(metadata.num_row_groups):
                    n_rows = metadata.row_group(at).num_rows
                    if n_rows:
                        groups.append(RowGroup(file, at, start, start - before, n_rows))
                    start += n_rows
        if not start:
            raise InputError(f"The Parquet files of {shown(source)} hold no rows. Pass files that do.")
        return cls(tuple(paths), extent, tuple(modified), tuple(groups), types)

    @property
    def n_rows(self) -> int:
        """Rows in all files."""
        return self.groups[-1].start + self.groups[-1].n_rows

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse columns that a file lacks."""
        for path in self.paths:
            with _open_parquet(path) as opened:
                known = opened.schema_arrow.names
            for name in names:
                if name not in known:
                    raise UnknownColumnError(name, known, f"That is the file {path!r}.")

    def dtype(self, names: Sequence[str]) -> Any:
        """Single precision, unless a column has values that it cannot hold, in any of the files."""
        exact = {pa.bool_(), pa.float32(), pa.float16(), pa.int8(), pa.uint8(), pa.int16(), pa.uint16()}
        types = (self.types.get(name) or {None} for name in names)
        return np.float32 if all(exact.issuperset(each) for each in types) else np.float64

    def chunks(self, group: RowGroup, names: Sequence[str]) -> Iterator[Chunk]:
        """The rows of a row group, some at a time.

        Parameters
        ----------
        group : RowGroup
        names : sequence of str
            Columns to decode.

        Raises
        ------
        FileError
            The file is gone, was damaged, or does not have as many rows as before.
        """
        path = self.paths[group.file]
        size = min(CHUNK_ROWS, max(_FEWEST, CHUNK_VALUES // max(len(names), 1)))
        with _open_parquet(path) as opened:
            metadata = opened.metadata
            n_rows = metadata.row_group(group.at).num_rows if group.at < metadata.num_row_groups else 0
            if n_rows != group.n_rows or os.path.getsize(path) != self.extent[group.file][1]:
                raise FileError(
                    f"{path!r} was changed while it was being read. Start again once it stays as it is.", path
                )
            done = 0
            try:
                for rows in opened.iter_batches(size, row_groups=[group.at], columns=list(names)):
                    yield Chunk(rows, group.start + done, group.within + done, path)
                    done += rows.num_rows
            except (pa.ArrowException, OSError) as error:
                raise damaged_parquet(repr(path)) from error


def _open_parquet(path: str) -> Any:
    try:
        return pa.parquet.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False)
    except pa.ArrowException:
        raise FileError(
            f"{path!r} is not a Parquet file, or a damaged one. Name Parquet files alone.", path
        ) from None
    except OSError as error:
        raise unreadable(path, error) from error


def _paths(source: Any) -> list[str]:
    """Files by name, each once."""
    several = list(source) if isinstance(source, list | tuple) else [source]
    found: set[str] = set()
    for each in several:
        if not isinstance(each, str | os.PathLike):
            raise InputError(
                f"source must be the path of a Parquet file, of a folder or a pattern. Got {shown(each)}."
            )
        name = os.fsdecode(each)
        matches = find_files(name).paths
        found.update(matches)
        if not matches:
            raise MissingFileError(
                f"There are no Parquet files at {name!r}. Name a file, a folder, or a pattern such as "
                "'scores/*.parquet'.",
                name,
            )
    return sorted(found)


def _footer(path: str) -> str:
    """A checksum of the end of a Parquet file, which says what lies where."""
    with open(path, "rb") as file:
        file.seek(-8, os.SEEK_END)
        length = int.from_bytes(file.read(4), "little")
        file.seek(-8 - length, os.SEEK_END)
        return sha256(file.read(length)).hexdigest()


def _add_types(types: dict[str, dict[Any, str]], schema: Any, path: str) -> None:
    """Add the types of the columns of one more file; columns are those of the first."""
    if len(set(schema.names)) < len(schema.names):
        twice = next(name for name in schema.names if schema.names.count(name) > 1)
        raise InputError(f"{path!r} has several columns called {twice!r}. Rename them.")
    columns = [name for name in schema.names if not name.startswith(_INDEX)]
    for name in [name for name in columns if name in types] if types else columns:
        types.setdefault(name, {}).setdefault(schema.field(name).type, path)


def _is_number(kind: Any) -> bool:
    return bool(pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind))


# Targets: a label is a number from here on, its place among the sorted labels, so that rows need little room


MOST_LABELS = 1 << 12
"""Labels of a target, at most; each has a network."""


@dataclass(frozen=True, eq=False)
class TargetColumns:
    """Targets in the columns of files.

    Attributes
    ----------
    names : tuple of str
        The columns: one that holds labels, or one for each output.
    labels : tuple
        The classes in sorted order, or the names of the outputs.
    multi_label : bool
    counts : ndarray of shape (n_labels,)
        Rows of each label, or total of each output.
    n_rows : int
    """

    names: tuple[str, ...]
    labels: tuple[Label, ...]
    multi_label: bool
    counts: FloatArray
    n_rows: int

    @property
    def no_rows(self) -> NDArray[Any]:
        """Targets of a chunk without rows."""
        return np.zeros((len(self.names), 0)) if self.multi_label else np.zeros(0, dtype=np.intp)

    def read(self, chunk: Chunk) -> NDArray[Any]:
        """Places of the labels of rows, (n,), or their outputs, (n_outputs, n)."""
        if self.multi_label:
            return chunk.scores(self.names)
        values, places = _encode(chunk, self.names[0])
        known = {label: at for at, label in enumerate(self.labels)}
        try:
            return np.array([known[value] for value in values], dtype=np.intp)[places]
        except KeyError:
            raise FileError(
                f"{chunk.path!r} was changed while it was being read. Start again once it stays as it is.",
                chunk.path,
            ) from None

    def outputs(self, truth: NDArray[Any], problem: Problem) -> FloatArray:
        """Outputs to learn, (n_outputs, n), from what :meth:`read` returned."""
        if self.multi_label:
            return truth
        return np.asarray(self.table(problem)[:, truth])

    def shares(self, held_out: NDArray[Any], problem: Problem) -> FloatArray:
        """Frequency of each output among the rows that are not held out, (n_outputs,).

        Parameters
        ----------
        held_out : ndarray of shape (n,) or (n_outputs, n)
            Targets of the others, as :meth:`read` returned them.
        problem : Problem
        """
        if self.multi_label:
            left = self.counts - held_out.sum(axis=1)
        else:
            left = self.table(problem) @ (self.counts - np.bincount(held_out, minlength=len(self.labels)))
        return np.asarray(np.clip(left / (self.n_rows - held_out.shape[-1]), 0.0, 1.0))

    def table(self, problem: Problem) -> FloatArray:
        """Outputs to learn for each label, (n_outputs, n_labels)."""
        whole = np.eye(len(self.labels))
        return whole[1:] if problem is Problem.BINARY else whole

    def strata(self, truth: NDArray[Any]) -> NDArray[np.intp]:
        """Strata of a sample, (n,): the class, or the rarest output that is true."""
        if not self.multi_label:
            return truth
        order = np.argsort(self.counts, kind="stable")
        true = truth[order] > THRESHOLD
        return np.where(true.any(axis=0), order[true.argmax(axis=0)], len(order)).astype(np.intp)

    def as_y(self, truth: NDArray[Any]) -> Any:
        """Targets as a caller would pass them to ``fit``: labels, or a table of outputs by name."""
        if not self.multi_label:
            return label_array(self.labels)[truth]
        return pa.table({name: column for name, column in zip(self.names, truth, strict=True)})


def check_targets(target: Any, source: ParquetSource) -> tuple[str, ...]:
    """Names of the columns that hold the targets."""
    names = (target,) if isinstance(target, str) else target
    if not isinstance(names, Sequence) or not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"target must be the name of a column, or several. Got {shown(target)}.")
    if len(set(names)) < len(names):
        raise InputError(f"target names a column twice. Got {shown(target)}.")
    source.check_columns(names)
    if len(names) == 1:
        _check_kinds(names[0], source)
    return tuple(names)


def _check_kinds(name: str, source: ParquetSource) -> None:
    """Refuse labels that are text in one file and numbers in another."""
    kinds: dict[str, str] = {}
    for kind, path in source.types.get(name, {}).items():
        if not pa.types.is_null(kind):  # its missing values are refused later
            kinds.setdefault(_kind(kind), path)
    if len(kinds) > 1:
        (one, here), (other, there) = list(kinds.items())[:2]
        raise InputError(
            f"Column {name!r} holds {one} in {here!r} and {other} in {there!r}. Write the labels alike in "
            "all files."
        )


def _kind(kind: Any) -> str:
    """Kind of the values of a column, in a word."""
    if pa.types.is_dictionary(kind):
        return _kind(kind.value_type)
    if pa.types.is_boolean(kind):
        return "Booleans"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numbers"
    return "text" if pa.types.is_string(kind) or pa.types.is_large_string(kind) else f"the type {kind}"


def count_targets(
    source: ParquetSource, groups: Iterable[RowGroup], names: tuple[str, ...]
) -> dict[Label, float]:
    """Rows of each label, or the total of each output, in some row groups.

    Only the columns of the targets are read.

    Raises
    ------
    InputError
        A label is missing, or there are too many.
    """
    found: dict[Label, float] = {}
    floats = len(names) == 1 and _has_floats(source.types.get(names[0], {}))
    for group in groups:
        for chunk in source.chunks(group, names):
            if len(names) > 1:
                _add(found, zip(names, chunk.scores(names).sum(axis=1), strict=True))
                continue
            values, places = _encode(chunk, names[0])
            sizes = np.bincount(places, minlength=len(values))
            _add(found, zip(map(float, values) if floats else values, sizes, strict=True))
            if len(found) > MOST_LABELS:
                raise InputError(
                    f"Column {names[0]!r} has more than {MOST_LABELS} labels. Name a column of classes as "
                    "target."
                )
    return found


def target_columns(
    counted: Sequence[Mapping[Label, float]], names: tuple[str, ...], n_rows: int
) -> TargetColumns:
    """The targets, from what was counted in all parts.

    Raises
    ------
    InputError
        Rows cannot be told apart: there is one label only, or labels are of several types.
    """
    found: dict[Label, float] = {}
    for part in counted:
        _add(found, part.items())
    if len(names) > 1:
        return TargetColumns(names, names, True, np.array([found[name] for name in names]), n_rows)
    values = list(found)
    plain = np.array(values, dtype=object if any(isinstance(value, str) for value in values) else None)
    labels = read_targets(plain, len(values)).labels
    if len(labels) < 2:
        raise InputError(
            f"Column {names[0]!r} has one label only, {labels[0]!r}, in all {count(n_rows, 'row')}. "
            "Name a target with at least 2."
        )
    return TargetColumns(names, labels, False, np.array([found[label] for label in labels]), n_rows)


def _has_floats(types: Iterable[Any]) -> bool:
    """True of labels that are floats in some file: then they are in all, since 1 and 1.0 are one label."""
    return any(pa.types.is_floating(kind) or pa.types.is_decimal(kind) for kind in types)


def _add(found: dict[Label, float], more: Iterable[tuple[Label, float]]) -> None:
    """Add numbers up by label; labels that are equal may come several times."""
    for label, number in more:
        found[label] = found.get(label, 0.0) + float(number)


def _encode(chunk: Chunk, name: str) -> tuple[list[Any], NDArray[np.intp]]:
    """Values of a column, and which of them each row has; zero may be there twice, but without a sign."""
    column = chunk.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    missing = column.is_null(nan_is_null=True).to_numpy()
    if missing.any():
        raise chunk.missing_value(name, int(missing.argmax()))
    coded = column.combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    values = [value + 0.0 if isinstance(value, float) else value for value in coded.dictionary.to_pylist()]
    return values, coded.indices.to_numpy(zero_copy_only=False).astype(np.intp)
