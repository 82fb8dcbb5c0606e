"""Bytes of files for tests."""

from __future__ import annotations

import gzip
import io

import pyarrow as pa
import pyarrow.parquet as pq


def packed(content: bytes) -> bytes:
    """The content as gzip packs it, the same at any time: names of tests are made of it."""
    return gzip.compress(content, mtime=0)


def parquet(table: pa.Table, rows_of_group: int | None = None) -> bytes:
    """A Parquet file."""
    stream = io.BytesIO()
    pq.write_table(table, stream, row_group_size=rows_of_group)
    return stream.getvalue()
