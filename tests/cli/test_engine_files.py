"""Which options go with an engine, and which files are read and may be written."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pytest

from logiclens.cli.engine_rows import (
    check_apart,
    draw_rows,
    name_of,
    quieten,
)
from logiclens.cli.options import Engine, EngineName, Selection
from logiclens.cli.terminal import Progress
from logiclens.errors import InputError
from tests.cli.in_files import in_files, stays

SILENT = Progress(False)
DUCKDB = Engine(EngineName.DUCKDB)


def test_names_are_short_and_patterns_whole():
    in_files(stays(), Path("data"))

    assert [name_of(data) for data in ("data/", f"{os.getcwd()}/data/0.parquet", "data/*.parquet", ".")] == [
        "data",
        "0.parquet",
        "data/*.parquet",
        ".",
    ]


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("data/out.parquet", "data"),
        ("data/out.parquet", "data/*.parquet"),
        ("data/a/o.parquet", "data/**/*.parquet"),
    ],
)
def test_what_would_be_read_the_next_time_is_not_written(path: str, data: str):
    Path("data").mkdir()
    with pytest.raises(InputError) as caught:
        check_apart(Path(path), data)

    assert str(caught.value) == (
        f"{path!r} would be read with {data!r} the next time. Name a file in another folder."
    )


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("out.parquet", "data"),
        ("data/a/out.parquet", "data/*.parquet"),
        ("data/out.parquet", "data/in.parquet"),
    ],
)
def test_other_files_are_written(path: str, data: str):
    Path("data").mkdir()
    check_apart(Path(path), data)


def test_rows_are_drawn_once_and_the_same_every_time():
    table = pa.table({"number": range(5000), "file_row_number": range(5000)})
    pattern = in_files(table, Path("data"))
    some, again, others = (
        draw_rows(pattern, DUCKDB, Selection("number", max_rows=100, seed=seed), SILENT) for seed in (3, 3, 4)
    )

    assert some.table.column_names == table.column_names
    assert len(set(some.table["number"].to_pylist())) == 100
    assert some.table.equals(again.table)
    assert not some.table.equals(others.table)
    assert some.notes == ("100 of 5000 rows taken, drawn at random by DuckDB.",)
    assert (some.name, some.sha256) == ("data/*.parquet", None)


def test_spark_is_kept_quiet_unless_a_person_says_otherwise(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "mine")
    quieten(Engine(EngineName.SPARK))
    assert os.environ["PYSPARK_SUBMIT_ARGS"] == "mine"

    monkeypatch.delenv("PYSPARK_SUBMIT_ARGS")
    quieten(DUCKDB)
    assert "PYSPARK_SUBMIT_ARGS" not in os.environ
    quieten(Engine(EngineName.SPARK))
    assert "showConsoleProgress=false" in os.environ["PYSPARK_SUBMIT_ARGS"]
