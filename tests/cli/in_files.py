"""Tables as Parquet files, for commands that leave rows in an engine."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from logiclens.files import read_table
from tests.cli.running import STAYS


def stays() -> pa.Table:
    """The stays in a hospital."""
    return read_table(STAYS).table


def in_files(table: pa.Table, folder: Path, n_files: int = 2) -> str:
    """Write a table as several Parquet files; the pattern of their names."""
    folder.mkdir(exist_ok=True)
    size = -(-table.num_rows // n_files)
    for at in range(n_files):
        pq.write_table(table.slice(at * size, size), folder / f"{at}.parquet")
    return f"{folder.name}/*.parquet"


def in_file(columns: dict, name: str = "rows.parquet") -> str:
    """Write columns as one Parquet file; its name."""
    pq.write_table(pa.table(columns), name)
    return name
