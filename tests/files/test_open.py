"""What a path names is open_source by what it holds, and refused in one line."""

from __future__ import annotations

import bz2
import hashlib
import io
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import FileError, InputError
from logiclens.files._open import Peekable, open_source
from tests.files.making import packed

TEXT = b"age,color\n62,red\n"
PACKED = {
    "plain": TEXT,
    "gz": packed(TEXT),
    "two gz in one": packed(TEXT[:5]) + packed(TEXT[5:]),
    "bz2": bz2.compress(TEXT),
    "zst": pa.compress(TEXT, "zstd", asbytes=True),
}


@given(st.binary(max_size=50), st.lists(st.integers(1, 20), max_size=8))
def test_looking_ahead_takes_nothing(content: bytes, sizes: list[int]):
    seen = bytearray()
    stream = Peekable(io.BytesIO(content), seen.extend)
    taken = b""
    for size in sizes:
        assert stream.peek(size) == content[len(taken) : len(taken) + size]
        taken += stream.read(size // 2)

    assert taken + stream.read() == content == bytes(seen)


def test_a_stream_is_read_into_buffers():
    assert io.BufferedReader(Peekable(io.BytesIO(TEXT))).readline() == b"age,color\n"


@pytest.mark.parametrize("kind", PACKED)
def test_a_file_is_unpacked_whatever_it_is_called(tmp_path: Path, kind: str):
    path = tmp_path / "rows.csv"
    path.write_bytes(PACKED[kind])
    with open_source(path) as source:
        assert source.stream.read() == TEXT
        assert (source.name, source.label, source.path) == ("rows.csv", repr(str(path)), str(path))
        assert source.packed == (kind != "plain")
        assert source.digest() == hashlib.sha256(PACKED[kind]).hexdigest()


@pytest.mark.parametrize("kind", PACKED)
def test_standard_input_is_a_file_too(kind: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(PACKED[kind])))
    with open_source("-") as source:
        assert source.stream.read() == TEXT
        assert (source.name, source.label, source.path) == ("standard input", "standard input", None)


def test_a_pipe_with_a_name_is_read():
    reading, writing = os.pipe()
    os.write(writing, TEXT)
    os.close(writing)
    with open_source(f"/dev/fd/{reading}") as source:
        assert source.path is None
        assert source.stream.read() == TEXT
    os.close(reading)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty. Pass a table with a header and rows."),
        (packed(b""), "is empty once it is unpacked. Pass a table with a header and rows."),
        (b"PK\x03\x04.......", "is a workbook that cannot be read: it is damaged. Get it once more."),
        (b"\xd0\xcf\x11\xe0...", "is an Excel workbook of an old kind. Save the table as CSV or Parquet."),
        (b"SQLite format 3\0", "is an SQLite database. Save the table as CSV or Parquet."),
        (packed(b"%PDF-1.4"), "is a PDF document. Save the table as CSV or Parquet."),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, content: bytes, message: str):
    path = tmp_path / "rows.csv"
    path.write_bytes(content)
    with pytest.raises(FileError) as caught, open_source(path):
        pass

    assert str(caught.value) == f"{str(path)!r} {message}"


def test_paths_that_are_no_files(tmp_path: Path):
    (tmp_path / "patients.csv").write_bytes(TEXT)
    for path, message in [
        (tmp_path, f"{str(tmp_path)!r} is a folder. Name a file in it."),
        (
            tmp_path / "patient.csv",
            f"There is no file {str(tmp_path / 'patient.csv')!r}. Did you mean 'patients.csv'?",
        ),
        (
            tmp_path / "no" / "x.csv",
            f"There is no file {str(tmp_path / 'no' / 'x.csv')!r}. Check its name and folder.",
        ),
    ]:
        with pytest.raises(FileError) as caught, open_source(path):
            pass
        assert str(caught.value) == message
    with pytest.raises(InputError) as wrong, open_source(3):  # type: ignore[arg-type]
        pass
    assert str(wrong.value) == "A path must be a text or a path object. Got 3; write 'data.csv'."


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may read anything")
def test_a_file_that_may_not_be_read(tmp_path: Path):
    path = tmp_path / "rows.csv"
    path.write_bytes(TEXT)
    path.chmod(0)
    with pytest.raises(PermissionError) as caught, open_source(path):
        pass

    assert str(caught.value) == f"{str(path)!r} may not be read. Ask its owner for the right to."


def test_errors_of_the_caller_are_left_alone(tmp_path: Path):
    """What goes wrong with the rows after they were read says nothing about the file."""
    path = tmp_path / "rows.csv"
    path.write_bytes(TEXT)
    with pytest.raises(BrokenPipeError), open_source(path):
        raise BrokenPipeError
