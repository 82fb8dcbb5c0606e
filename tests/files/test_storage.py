"""Files are written whole or not at all, and what goes wrong is said in one line."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from logiclens.errors import FileError, ForbiddenFileError, InputError, MissingFileError
from logiclens.files import _storage
from logiclens.files._storage import as_file, is_stream, read_whole, written_whole


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
        monkeypatch.setattr(_storage.os, step, fail)
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
    assert refusal(tmp_path / ("x" * 300)).endswith("its name is too long. Shorten it.")
    with pytest.raises(InputError, match="A path must be a text or a path object"):
        as_file(3)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may write anywhere")
def test_a_folder_that_cannot_be_written_to(tmp_path: Path):
    tmp_path.chmod(0o500)
    try:
        message = refusal(tmp_path / "rows.csv")
    finally:
        tmp_path.chmod(0o700)

    assert "nothing may be written to the folder" in message


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("content", [b"x", b"x" * 1_000_000], ids=["at the end", "meanwhile"])
def test_a_disk_that_is_full_for_real(content: bytes):
    with pytest.raises(FileError, match="'/dev/full' cannot be written:"):
        write("/dev/full", content)
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


@pytest.mark.skipif(os.name == "nt", reason="there is no limit to the size of a file")
@pytest.mark.parametrize("n_bytes", [100, 1_000_000])
def test_what_cannot_be_written_when_the_file_is_closed(tmp_path: Path, n_bytes: int):
    """Python tries once more what it could not write, and fails once more."""
    code = (
        "import resource\n"
        "from logiclens.files import written_whole\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))\n"
        "try:\n"
        "    with written_whole('rows.csv') as file:\n"
        f"        file.write(b'x' * {n_bytes})\n"
        "except Exception as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )

    assert done.stdout == (
        "FileError 'rows.csv' cannot be written: File too large. Name a file in another place.\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="links need rights")
def test_a_link_stays_a_link_and_a_file_keeps_its_permissions(tmp_path: Path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_bytes(b"old")
    real.chmod(0o600)
    link.symlink_to("real.csv")
    write(link)

    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        write(pipe)
        assert reader.communicate(timeout=600)[0] == b"new"

    assert is_stream(pipe)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
    assert not is_stream(tmp_path)
    assert not is_stream(tmp_path / "none")
    assert not is_stream("a\0b")


def test_files_are_read_whole_or_refused(tmp_path: Path):
    (tmp_path / "rows.csv").write_bytes(b"a")
    (tmp_path / "typos.csv").write_bytes(b"a")

    assert read_whole(tmp_path / "rows.csv") == b"a"
    with pytest.raises(MissingFileError) as caught:
        read_whole(tmp_path / "row.csv")
    assert str(caught.value) == f"There is no file {str(tmp_path / 'row.csv')!r}. Did you mean 'rows.csv'?"
    with pytest.raises(MissingFileError) as other:  # the same ending makes no likeness
        read_whole(tmp_path / "nosuch.csv")
    assert str(other.value) == (
        f"There is no file {str(tmp_path / 'nosuch.csv')!r}. Check its name and folder."
    )
    with pytest.raises(FileError):
        read_whole("a\0b")


def test_writing_a_file_needs_no_pyarrow():
    code = "import sys, logiclens.files; logiclens.files.written_whole; print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
