"""Where files are looked for, how they are read, and what is said when they cannot be."""

from __future__ import annotations

import copy
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from logiclens.bench._data_files import (
    DataFile,
    DataFileError,
    find_file,
    read_arrays,
    read_names,
    read_table,
)
from tests.errors import error_of

SOURCE = DataFile("toys/toy.csv.gz", "Toys 1.0", "download it from https://toys.example/")
ARRAYS = DataFile("toys/toy.npz", "Toys 1.0", "download it from https://toys.example/")
PART = "part of Toys 1.0: download it from https://toys.example/"
ENDING = f" It is {PART}, or name another folder with data_dir= or LOGICLENS_DATA."
DAMAGED = " cannot be read: it is damaged, or not what its name says."


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOGICLENS_DATA", raising=False)


def put(folder: Path, text: str | bytes, file: str = SOURCE.file) -> Path:
    content = text.encode() if isinstance(text, str) else text
    path = folder / file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(content) if file.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("more", [{}, {"what": "has no rows"}, {"folder": "gone", "by_argument": True}])
def test_the_message_names_the_option_of_a_command(more: dict[str, Any]):
    error = copy.copy(DataFileError(SOURCE, **more))

    assert "data_dir" in str(error)
    assert "data_dir" not in error.text("--data-dir")
    assert "--data-dir or" in error.text("--data-dir")


def test_what_is_missing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    gone = tmp_path / "gone"
    text = (
        f"The data folder {str(gone)!r} (data_dir) does not exist, and 'toys/toy.csv.gz' is needed. "
        f"The file is {PART}, or name another folder with data_dir= or LOGICLENS_DATA."
    )

    assert error_of(find_file, SOURCE, gone) == text
    assert error_of(find_file, SOURCE, 3) == "data_dir must be a path. Got 3; write data_dir='folder'."
    assert error_of(find_file, SOURCE, tmp_path) == (
        f"The file 'toys/toy.csv.gz' is not in the data folder {str(tmp_path)!r}.{ENDING}"
    )
    for folder in (None, ""):
        assert error_of(find_file, SOURCE) == (
            "No data folder is named, and 'toys/toy.csv.gz' is needed. Pass data_dir= or set LOGICLENS_DATA; "
            f"the file is {PART}."
        ), folder
        monkeypatch.setenv("LOGICLENS_DATA", "")
    monkeypatch.setenv("LOGICLENS_DATA", str(gone))
    assert error_of(find_file, SOURCE) == text.replace("(data_dir)", "(LOGICLENS_DATA)")


def test_the_argument_goes_before_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        put(folder, "a\n1\n")
    monkeypatch.setenv("LOGICLENS_DATA", str(there))

    assert find_file(SOURCE, str(here)) == here / "toys" / "toy.csv.gz"
    assert find_file(SOURCE) == there / "toys" / "toy.csv.gz"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("file", ["toys/toy.csv.gz", "toys/toy.csv"])
def test_a_table_is_read_however_its_lines_end(tmp_path: Path, end: str, file: str):
    put(tmp_path, "\ufeff" + end.join(["a,b & c", ' 1 ,"x, y"', "", "?,z"]) + end, file)
    table = read_table(SOURCE, tmp_path)

    assert table.columns == {"a": ("1", "?"), "b & c": ("x, y", "z")}
    assert table.cells("b & c") == ("x, y", "z")
    np.testing.assert_array_equal(table.matrix(["a", "a"]), [[1.0, 1.0], [np.nan, np.nan]])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("a,b\n", " has no rows."),
        ("", " has no rows."),
        ("a,b,a\n1,2,3\n", " names a column twice: 'a'."),
        ("a,b\n1,2\n3\n", " has 1 cells in row 1 (counted from 0) where the header has 2."),
        (b"a\n\xff\n", DAMAGED),
    ],
)
def test_a_table_that_is_none(tmp_path: Path, text: str | bytes, wrong: str):
    put(tmp_path, text)

    assert error_of(read_table, SOURCE, tmp_path) == f"The file 'toys/toy.csv.gz'{wrong}{ENDING}"


@pytest.mark.parametrize(
    "damage", [gzip.decompress, lambda content: content[:-9]], ids=["not compressed", "cut off"]
)
def test_a_damaged_archive(tmp_path: Path, damage: Callable[[bytes], bytes]):
    path = put(tmp_path, "a\n" + "1\n" * 100)
    path.write_bytes(damage(path.read_bytes()))

    assert error_of(read_table, SOURCE, tmp_path) == f"The file 'toys/toy.csv.gz'{DAMAGED}{ENDING}"


@pytest.mark.parametrize("cell", ["x", "inf", "nan", "1_0"])
def test_a_cell_that_is_no_number(tmp_path: Path, cell: str):
    put(tmp_path, f"a,b\n1,1\n1,{cell}\n")

    assert error_of(read_table(SOURCE, tmp_path).numbers, "b") == (
        f"The file 'toys/toy.csv.gz' has {cell!r} where a number belongs "
        f"(column 'b', row 1, counted from 0).{ENDING}"
    )


def test_a_column_that_is_not_there(tmp_path: Path):
    put(tmp_path, "a\n1\n")

    assert "has no column 'b'." in error_of(read_table(SOURCE, tmp_path).cells, "b")


def test_names_are_what_follows_the_number(tmp_path: Path):
    put(tmp_path, "1 has_bill::dagger\n\n2 two words \n")

    assert read_names(SOURCE, tmp_path) == ("has_bill::dagger", "two words")


def test_arrays_are_read_by_name(tmp_path: Path):
    np.savez(put(tmp_path, b"", ARRAYS.file), a=np.arange(3), b=np.array([{}], dtype=object))
    arrays = read_arrays(ARRAYS, ["a"], tmp_path)

    assert {name: values.tolist() for name, values in arrays.items()} == {"a": [0, 1, 2]}
    assert "has no array 'c'." in error_of(read_arrays, ARRAYS, ["a", "c"], tmp_path)
    # Objects are not unpickled.
    assert error_of(read_arrays, ARRAYS, ["b"], tmp_path) == f"The file 'toys/toy.npz'{DAMAGED}{ENDING}"


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no arrays"])
def test_a_damaged_file_of_arrays(tmp_path: Path, content: bytes):
    put(tmp_path, content, ARRAYS.file)

    assert error_of(read_arrays, ARRAYS, ["a"], tmp_path) == f"The file 'toys/toy.npz'{DAMAGED}{ENDING}"
