"""Files are written whole or not at all, and what goes wrong is said in one line."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from logiclens.errors import FileError, ForbiddenFileError, InputError, MissingFileError
from logiclens.files import writing
from logiclens.files.writing import as_file, read_whole, written_whole


def write(path: Path | str, content: bytes = b"new") -> None:
    with written_whole(path) as file:
        file.write(content)


def write_and_raise(path: Path, error: BaseException | None) -> None:
    with written_whole(path) as file:
        file.write(b"new")
        if error is not None:
            raise error


def refusal(path: Path | str) -> str:
    with pytest.raises(FileError) as caught:
        write(path)
    return str(caught.value)


def test_a_file_is_there_once_it_is_whole(tmp_path: Path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"old")
    with written_whole(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"

    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["rows.csv"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, SystemExit])
def test_whatever_is_raised_leaves_what_was_there(tmp_path: Path, error: type[BaseException]):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"old")
    with pytest.raises(error):
        write_and_raise(path, error())

    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["rows.csv"]


@pytest.mark.parametrize(
    ("number", "kind", "message"),
    [
        (errno.ENOSPC, FileError, "the disk is full. Make room, or name a file on another one."),
        (errno.EDQUOT, FileError, "the disk is full. Make room, or name a file on another one."),
        (
            errno.EROFS,
            ForbiddenFileError,
            "nothing may be written to the folder {folder!r}. Name a file in another one.",
        ),
        (errno.EIO, FileError, "Input/output error. Name a file in another place."),
    ],
)
@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_what_the_system_refuses_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type, message: str, step: str
):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    if step != "write":
        monkeypatch.setattr(writing.os, step, fail)
    with pytest.raises(kind) as caught:
        write_and_raise(path, OSError(number, os.strerror(number)) if step == "write" else None)

    expected = message.format(folder=str(tmp_path))
    assert str(caught.value) == f"{str(path)!r} cannot be written: {expected}"
    assert caught.value.filename == str(path)
    assert {name.name: name.read_bytes() for name in tmp_path.iterdir()} == {"rows.csv": b"old"}


def test_an_error_about_another_file_stays_what_it_was(tmp_path: Path):
    with pytest.raises(FileNotFoundError) as caught, written_whole(tmp_path / "rows.csv"):
        open(tmp_path / "other.csv")

    assert caught.value.filename == str(tmp_path / "other.csv")
    assert list(tmp_path.iterdir()) == []


def test_paths_that_cannot_be_written(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")

    assert refusal(tmp_path) == f"{str(tmp_path)!r} is a folder. Name a file in it."
    missing = tmp_path / "nowhere" / "rows.csv"
    assert refusal(missing) == (
        f"{str(missing)!r} cannot be written: there is no folder {str(missing.parent)!r}. Make it first."
    )
    below = tmp_path / "file" / "rows.csv"
    assert refusal(below) == (
        f"{str(below)!r} cannot be written: there is no folder {str(tmp_path / 'file')!r}. Make it first."
    )
    with pytest.raises(InputError) as caught:
        as_file(3)  # type: ignore[arg-type]
    assert str(caught.value) == "A path must be a text or a path object. Got 3; write 'rules.json'."


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may write anywhere")
def test_a_folder_that_cannot_be_written_to(tmp_path: Path):
    tmp_path.chmod(0o500)
    try:
        message = refusal(tmp_path / "rows.csv")
    finally:
        tmp_path.chmod(0o700)

    assert "nothing may be written to the folder" in message


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_disk_that_is_full_for_real():
    with pytest.raises(OSError, match="No space left") as caught, open("/dev/full", "wb") as file:
        file.write(b"x" * 1_000_000)

    assert "the disk is full" in str(writing._unwritable(Path("rows.csv"), caught.value))


def test_files_are_read_whole_or_refused(tmp_path: Path):
    (tmp_path / "rows.csv").write_bytes(b"a")

    assert read_whole(tmp_path / "rows.csv") == b"a"
    with pytest.raises(MissingFileError) as caught:
        read_whole(tmp_path / "row.csv")
    assert str(caught.value) == f"There is no file {str(tmp_path / 'row.csv')!r}. Did you mean 'rows.csv'?"
    with pytest.raises(FileError):
        read_whole("a\0b")


def test_a_hundred_characters_and_more_are_no_name_for_a_file(tmp_path: Path):
    assert refusal(tmp_path / ("x" * 300)).endswith("its name is too long. Shorten it.")


def test_writing_a_file_needs_no_pyarrow():
    code = "import sys, logiclens.files; logiclens.files.written_whole; print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
