"""Rows are drawn by their places: the same ones every time, about as many as asked for, of all kinds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from logiclens.scale._engine import fetch
from logiclens.scale._training_rows import NumberedRows, read_numbered_rows

N = 20_000


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two Parquet files."""
    folder = tmp_path_factory.mktemp("files")
    for at in range(2):
        pq.write_table(
            pa.table({"n": range(at * N, (at + 1) * N), "same": [1] * N}), folder / f"{at}.parquet"
        )
    return folder


def numbers(rows: NumberedRows, share: float = 0.3, seed: int = 0, **more: Any) -> list[int]:
    """The rows that are drawn."""
    return sorted(fetch(rows.table.filter(rows.is_drawn(share, seed, **more)), "Drawing")["n"].to_pylist())


def test_about_the_share_that_is_asked_for(files: Path):
    rows = read_numbered_rows(files)

    assert rows.columns == ("n", "same")
    for share in (0.1, 0.3, 0.9):
        assert len(numbers(rows, share)) == pytest.approx(2 * N * share, abs=4 * np.sqrt(2 * N * share))
    assert numbers(rows, 0.0) == []
    assert len(numbers(rows, 1.0)) == 2 * N


def test_the_same_rows_every_time_and_others_by_another_seed(files: Path):
    first = numbers(read_numbered_rows(files))

    assert first == numbers(read_numbered_rows(f"{files}/*.parquet"))
    others = [numbers(read_numbered_rows(files), seed=1), numbers(read_numbered_rows(files), stream=1)]
    for other in others:
        assert len(set(first) & set(other)) == pytest.approx(0.09 * 2 * N, rel=0.1)


def test_rows_of_different_files_are_drawn_apart(files: Path):
    found = numbers(read_numbered_rows(files))
    low = {n for n in found if n < N}
    high = {n - N for n in found if n >= N}

    assert len(low & high) == pytest.approx(0.09 * N, rel=0.15)


@pytest.mark.parametrize("step", [2, 3, 16, 1000])
def test_rows_at_a_steady_distance_are_drawn_like_others(files: Path, step: int):
    """A class that comes in every second row must be on both sides."""
    found = np.array(numbers(read_numbered_rows(files)))
    there = (found % step == 0).sum()

    assert there == pytest.approx(0.3 * 2 * N / step, abs=4 * np.sqrt(0.3 * 2 * N / step))


def test_names_that_the_engine_uses_itself(tmp_path: Path):
    columns = {"n": range(N), "FILE_row_number": [0] * N, "filename": ["x"] * N, "logiclens file": [1] * N}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    rows = read_numbered_rows(tmp_path)

    assert rows.columns == tuple(columns)
    assert len(numbers(rows)) == pytest.approx(0.3 * N, rel=0.1)
    assert numbers(rows) == numbers(read_numbered_rows(tmp_path))


def test_csv_files_are_read_once(tmp_path: Path):
    for at in range(2):
        pc.write_csv(pa.table({"n": range(at * 100, (at + 1) * 100)}), tmp_path / f"{at}.csv")
    rows = read_numbered_rows(tmp_path / "*.csv")
    found = numbers(rows)
    for file in tmp_path.glob("*.csv"):
        file.unlink()

    assert 30 < len(found) < 90
    assert numbers(rows) == found


def test_an_order_drawn_at_random(files: Path):
    rows = read_numbered_rows(files)
    found = fetch(rows.table.order_by(rows.order(3)).limit(50), "Drawing")["n"].to_pylist()

    assert len(set(found)) == 50
    assert min(found) < N < max(found)


def test_partitions_do_not_share_their_places(tmp_path: Path):
    """Files of one name in two partitions: what is drawn of one says nothing of the other."""
    for day in (1, 2):
        (tmp_path / f"day={day}").mkdir()
        pq.write_table(pa.table({"n": range(N)}), tmp_path / f"day={day}" / "part.parquet")
    rows = read_numbered_rows(tmp_path)
    found = fetch(rows.table.filter(rows.is_drawn(0.3)), "Drawing")
    by_day = [
        {n for n, at in zip(found["n"].to_pylist(), found["day"].to_pylist(), strict=True) if at == day}
        for day in (1, 2)
    ]

    assert len(by_day[0] & by_day[1]) < 0.5 * len(by_day[0])
