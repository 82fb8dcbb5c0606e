"""Rows of files held out, or drawn, in an engine: the same ones every time.

A table in an engine has no order, and rows that are equal must not all go to one side. But the rows of a file
have numbers: a row is drawn by a hash of its number and of the name of its file, with that of its partition
(``day=1/part.parquet``), by arithmetic that all engines do alike. So DuckDB and Spark draw the same rows of
the same Parquet files, wherever these are, if their names are plain: Spark writes a blank as ``%20``.
"""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from logiclens.errors import InputError, shown
from logiclens.scale._engine import (
    Expression,
    OpenedTable,
    Table,
    copy_to,
    duckdb_files,
    engine_errors,
    ibis_module,
    open_files,
    spark_frame,
)

_MANY = 2**31  # products of two numbers below it are whole numbers of 64 bits
_LETTERS = 7  # of a checksum of a file's name
_FILE = r"(?:[^/\\=]+=[^/\\]*[/\\])*[^/\\]+$"  # the end of a path, with folders such as day=1
_ROW_OF_DUCKDB = "file_row_number"  # DuckDB's name for it


@dataclass(frozen=True, eq=False)
class NumberedRows:
    """A table whose rows have places.

    Attributes
    ----------
    table : ibis.Table
        All columns of the files, and others that the places are made of.
    columns : tuple of str
        The columns of the files.
    place : Ibis expression
        Whole numbers from 0 to 2**31 - 1, nearly all of them different.
    notes : tuple of str
        What a person should know of how the files were read, a line for each.
    """

    table: Table
    columns: tuple[str, ...]
    place: Expression
    notes: tuple[str, ...] = ()

    def is_drawn(self, share: float, seed: int = 0, *, stream: int = 0) -> Expression:
        """Whether a row is drawn: a Boolean expression that is never NULL.

        Parameters
        ----------
        share : float
            About how many of the rows, in [0, 1].
        seed : int, default 0
        stream : int, default 0
            Another number draws other rows of the same seed.
        """
        if not 0 <= share <= 1:
            raise InputError(f"share must lie between 0 and 1. Got {shown(share)}.")
        return self.order(seed, stream=stream) < _int64(round(share * _MANY))

    def order(self, seed: int = 0, *, stream: int = 0) -> Expression:
        """Whole numbers from 0 to 2**31 - 1 that put rows into an order drawn at random."""
        a, b, c = np.random.default_rng([seed, stream]).integers(1, _MANY, 3).tolist()
        inner = _low_bits(self.place * _int64(a | 1) + _int64(b | 1))
        return _low_bits(self.place * inner + _int64(c))


def read_numbered_rows(
    source: str | os.PathLike[str], engine: str = "duckdb", *, memory: str | None = None
) -> NumberedRows:
    """Open files as :func:`~logiclens.scale.read` does, with places of the rows.

    Notes
    -----
    CSV from an address is copied into a Parquet file by DuckDB, since it is read many times; in Spark the
    places of its rows depend on how it divides the files.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> pq.write_table(pa.table({"age": list(range(1000))}), f"{folder}/patients.parquet")
    >>> rows = read_numbered_rows(f"{folder}/*.parquet")
    >>> rows.columns, rows.table.filter(rows.is_drawn(0.3)).count().to_pyarrow().as_py()
    (('age',), 307)
    """
    opened = open_files(source, engine, memory=memory)
    with engine_errors(f"Opening {os.fsdecode(source)!r}"):
        return (_in_duckdb if engine == "duckdb" else _in_spark)(opened)


def _in_duckdb(opened: OpenedTable) -> NumberedRows:
    plain, columns = opened.table, tuple(opened.table.columns)
    connection = plain.get_backend()
    names, options = duckdb_files(opened.found)
    if opened.is_csv:
        folder = tempfile.mkdtemp(prefix="logiclens-")
        weakref.finalize(connection, shutil.rmtree, folder, ignore_errors=True)
        copy = os.path.join(folder, "rows.parquet")
        copy_to(plain, copy, "Copying the files")
        names, options = [glob.escape(copy)], {}
        plain = connection.read_parquet(names)
    taken = {column.lower() for column in columns}
    if _ROW_OF_DUCKDB in taken:  # rows are counted one by one, which takes longer
        name = _free_name("row", taken)
        table = plain.mutate(ibis_module().row_number().name(name))
        return NumberedRows(table, columns, _low_bits(table[name].cast("int64")), opened.notes)
    name = _free_name("file", taken)
    table = connection.read_parquet(names, filename=name, file_row_number=True, **options)
    return NumberedRows(table, columns, _place(table[_ROW_OF_DUCKDB], table[name]), opened.notes)


def _in_spark(opened: OpenedTable) -> NumberedRows:
    from pyspark.sql import functions

    plain, is_csv, columns = opened.table, opened.is_csv, tuple(opened.table.columns)
    connection = plain.get_backend()
    session = connection._session
    taken = {column.lower() for column in columns}
    row, file = _free_name("row", taken), _free_name("file", taken)
    if is_csv:
        number = functions.monotonically_increasing_id()
        frame = session.table(plain.get_name()).withColumn(row, number)
    else:
        frame = spark_frame(session, opened.found, False)
        known: Any = frame.metadataColumn("_metadata")
        frame = frame.select("*", known["row_index"].alias(row), known["file_path"].alias(file))
    view = ibis_module().util.gen_name("numbered")
    frame.createOrReplaceTempView(view)
    table = connection.table(view)
    if is_csv:
        return NumberedRows(table, columns, _low_bits(table[row]), opened.notes)
    return NumberedRows(table, columns, _place(table[row], table[file]), opened.notes)


def _place(row: Expression, file: Expression) -> Expression:
    """The place of a row: its number, moved by a checksum of the name of its file and its partition."""
    checksum = file.re_extract(_FILE, 0).hexdigest("md5")
    offset = _int64(0)
    for at in range(_LETTERS):
        offset = offset * _int64(128) + checksum.substr(at, 1).ascii_str().cast("int64")
    return _low_bits(row.cast("int64") + offset)


def _low_bits(number: Expression) -> Expression:
    """The last 31 bits of a whole number."""
    return number & _int64(_MANY - 1)


def _int64(number: int) -> Expression:
    return ibis_module().literal(number, type="int64")


def _free_name(name: str, taken: Iterable[str]) -> str:
    """A name that no column has, whatever its case."""
    found = f"logiclens {name}"
    while found in taken:
        found += "_"
    return found
