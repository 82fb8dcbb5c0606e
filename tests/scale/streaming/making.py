"""Parquet folders for tests, with a planted rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

NAMES = ("red", "a & b", "sweet", "x.y", "<script>")
"""Concepts; ``y`` is ``(red & a & b) | ~sweet``, but for some noise."""


def scores(n_rows: int, seed: int = 0) -> dict[str, Any]:
    """Columns of scores, by name, and labels."""
    random = np.random.default_rng(seed)
    true = random.random((n_rows, len(NAMES))) < 0.5
    x = np.where(true, 0.75, 0.25) + random.uniform(-0.24, 0.24, true.shape)
    y = (true[:, 0] & true[:, 1]) | ~true[:, 2]
    wrong = random.random(n_rows) < 0.02
    columns = {name: x[:, at].astype(np.float32) for at, name in enumerate(NAMES)}
    return {**columns, "y": np.where(y ^ wrong, "yes", "no")}


def write(path: Path, columns: Any, rows_of_group: int = 1 << 20) -> Path:
    """Write a Parquet file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pa.parquet.write_table(pa.table(columns), path, row_group_size=rows_of_group)
    return path


def folder_of(path: Path, n_files: int = 3, n_rows: int = 400, rows_of_group: int = 150) -> Path:
    """Write a folder of files, each with some row groups."""
    for at in range(n_files):
        write(path / f"part-{at}.parquet", scores(n_rows, seed=at), rows_of_group)
    return path


def whole(path: Path) -> Any:
    """All rows of a folder, as an Arrow table."""
    return pa.concat_tables([pa.parquet.read_table(file) for file in sorted(path.glob("*.parquet"))])
