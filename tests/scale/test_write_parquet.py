"""Tables are written whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from logiclens.errors import EngineError, FileError
from logiclens.scale import _engine
from logiclens.scale._engine import check_folder, write_parquet
from tests.scale.tables import in_duckdb

ROWS = pa.table({"a": [1, 2, 3], "it's": ["x", None, '"']})


class Spark:
    """As much of a Spark as writing takes."""

    def __init__(self, write: Any) -> None:
        self.write_to, self.stopped = write, False
        self._session = self.sparkContext = self.write = self

    def compile(self, table: Any) -> str:
        """The query."""
        return f"{table}"

    def sql(self, _: str) -> Spark:
        """The frame."""
        return self

    def mode(self, name: str) -> Spark:
        """What becomes of what is there."""
        assert name == "overwrite"
        return self

    def parquet(self, uri: str) -> None:
        """Write the files."""
        self.write_to(Path(uri.removeprefix("file://")))

    def cancelAllJobs(self) -> None:
        """Stop the work."""
        self.stopped = True

    def get_backend(self) -> Spark:
        """The connection."""
        return self


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> type[Spark]:
    """A Spark that does what it is told."""
    monkeypatch.setattr(_engine, "engine_of", lambda _: "pyspark")
    return Spark


@pytest.mark.parametrize("name", ["out.parquet", "o'ut [x] \\ \".parquet"])
def test_a_file_is_written_and_replaced(tmp_path: Path, name: str):
    path = tmp_path / name
    path.write_text("old")
    write_parquet(in_duckdb(ROWS), path)

    assert pq.read_table(path).to_pydict() == ROWS.to_pydict()
    assert os.listdir(tmp_path) == [name]


def test_what_fails_leaves_what_was_there(tmp_path: Path):
    path = tmp_path / "out.parquet"
    path.write_text("old")
    table = in_duckdb(ROWS)
    wrong = table.mutate(b=table["it's"].cast("int64"))
    with pytest.raises(EngineError, match=r"Writing '.*out.parquet' failed: Conversion Error"):
        write_parquet(wrong, path)

    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.parquet"]


def test_spark_writes_a_new_folder(tmp_path: Path, spark: type[Spark]):
    def write(folder: Path) -> None:
        pq.write_table(ROWS, folder / "part-0.parquet")

    write_parquet(spark(write), tmp_path / "out.parquet")

    assert pq.read_table(tmp_path / "out.parquet").to_pydict() == ROWS.to_pydict()
    assert os.listdir(tmp_path) == ["out.parquet"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ConnectionResetError("gone")])
def test_spark_that_is_stopped_leaves_nothing(tmp_path: Path, spark: type[Spark], error: Any):
    def write(folder: Path) -> None:
        pq.write_table(ROWS, folder / "part-0.parquet")
        raise error

    session = spark(write)
    with pytest.raises((KeyboardInterrupt, EngineError)):
        write_parquet(session, tmp_path / "out.parquet")

    assert session.stopped
    assert os.listdir(tmp_path) == []


def test_spark_on_machines_that_share_no_folder(tmp_path: Path, spark: type[Spark]):
    path = tmp_path / "out.parquet"
    with pytest.raises(EngineError, match="Spark wrote to the disks of other machines"):
        write_parquet(spark(lambda _: None), path)

    assert os.listdir(tmp_path) == []


def test_folders_that_cannot_be_made(tmp_path: Path):
    (tmp_path / "file").write_text("")
    for path, message in (
        (tmp_path, "is there already, and Spark writes a new folder of files"),
        (tmp_path / "no" / "out", "cannot be written: there is no folder"),
        (tmp_path / "file" / "out", "cannot be written: Not a directory"),
    ):
        with pytest.raises(FileError, match=message):
            check_folder(path)
    check_folder(tmp_path / "new")

    assert os.listdir(tmp_path) == ["file"]
