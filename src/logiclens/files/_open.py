"""Find files, and open one of them or standard input, compressed or not: text, Parquet, a workbook.

A path stands for one file, for a folder of Parquet files, or is a pattern like ``"data/*.parquet"``.
Engines do not agree on it: one reads below folders, or what is hidden, and another one does not. So the
files are found here, and engines get their names. What programs hide is left out: all that has a part which
begins with ``.`` or ``_``, such as the draft of a file, or ``_temporary``. A folder ``day=1`` is a value of
a column ``day``, in every row below it; so is ``_day=1``.

The first bytes of a file, not its name, say what it is: a compressed one may be called ``.csv``.
"""

from __future__ import annotations

import glob
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from logiclens.errors import FileError, InputError, listing, shown
from logiclens.files._storage import unreadable
from logiclens.files._workbook import MARK, sheet_as_csv

STDIN = "-"
"""The path that means standard input."""
_BLOCK = 1 << 22
_COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
_PAR1 = b"PAR1"
_OTHERS = {
    b"\xd0\xcf\x11\xe0": "an Excel workbook of an old kind",
    b"\xfd7zXZ\x00": "compressed with xz",
    b"ARROW1": "an Arrow file",
    b"\x89HDF": "an HDF5 file",
    b"SQLite format 3": "an SQLite database",
    b"%PDF": "a PDF document",
}
PARQUET = (".parquet", ".pq")
"""Endings of the names of Parquet files."""


@dataclass(frozen=True)
class FoundFiles:
    """Files that were found.

    Attributes
    ----------
    paths : tuple of str
        In the order of their names, each once.
    root : str
        The folder that they lie in or below.

    Examples
    --------
    >>> FoundFiles(("data/day=1/a.parquet", "data/day=2/a.parquet"), "data").keys()
    ('day',)
    """

    paths: tuple[str, ...]
    root: str

    def keys(self) -> tuple[str, ...]:
        """Columns whose values stand in the names of folders below the root.

        Raises
        ------
        InputError
            Not all files have them.
        """
        first: tuple[str, ...] | None = None
        for path in self.paths:
            found = keys_in(os.path.relpath(os.path.dirname(path) or os.curdir, self.root or os.curdir))
            first = found if first is None else first
            if found != first:
                raise InputError(
                    f"{self.paths[0]!r} lies in {_folders(first)} and {path!r} in {_folders(found)}. "
                    "Put all files into folders of the same keys."
                )
        return first or ()


def keys_in(folder: str) -> tuple[str, ...]:
    """The keys of the parts of a path that look like ``key=value``, from the first to the last.

    Examples
    --------
    >>> keys_in("data/year=2026/month=11")
    ('year', 'month')
    """
    return tuple(part.partition("=")[0] for part in Path(folder).parts if "=" in part)


def _folders(keys: tuple[str, ...]) -> str:
    return f"folders of {listing(keys)}" if keys else "no folder key=value"


def find_files(path: str) -> FoundFiles:
    """Find the files that a path stands for; none where there are none.

    Parameters
    ----------
    path : str
        A file, whatever its name; a folder, for all Parquet files in and below it; or a pattern, in which
        ``**`` stands for folders below each other. A folder that fits a pattern stands for its files.

    Returns
    -------
    FoundFiles

    Raises
    ------
    FileError
        A folder may not be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.parquet", "_draft.parquet", "notes.txt", "a/c.parquet", "a/.d/e.parquet"):
    ...         file = Path(folder, name)
    ...         file.parent.mkdir(parents=True, exist_ok=True)
    ...         file.touch()
    ...     [os.path.relpath(path, folder) for path in find_files(folder).paths]
    ['a/c.parquet', 'b.parquet']
    """
    if os.path.isdir(path):
        return FoundFiles(tuple(sorted(_below(path, set()))), path)
    if os.path.exists(path):
        return FoundFiles((path,), os.path.dirname(path))
    found: set[str] = set()
    seen: set[str] = set()
    for match in glob.iglob(path, recursive=True):
        if _is_meant(match, path):
            found.update(_below(match, seen) if os.path.isdir(match) else (match,))
    return FoundFiles(tuple(sorted(found)), _fixed_folder(path))


def is_hidden(name: str) -> bool:
    """True of files and folders that are left out unless they are asked for by name."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _below(folder: str, seen: set[str]) -> Iterator[str]:
    """Parquet files in and below a folder; no folder is read twice, as links may lead back."""
    real = os.path.realpath(folder)
    if real in seen:
        return
    seen.add(real)
    try:
        entries = [entry for entry in os.scandir(folder) if not is_hidden(entry.name)]
    except OSError as error:
        raise unreadable(folder, error) from error
    for entry in entries:
        if entry.is_dir():
            yield from _below(entry.path, seen)
        elif entry.name.lower().endswith(PARQUET):
            yield entry.path


def _is_meant(path: str, pattern: str) -> bool:
    """True of a path that fits a pattern, unless it is hidden: ``_*`` fits ``_a``, and ``*`` does not."""
    literal = [part for part in Path(pattern).parts if part[0] not in "*?"]
    hidden = [part for part in Path(path).parts if is_hidden(part)]
    return all(any(fnmatchcase(part, each) for each in literal) for part in hidden)


def _fixed_folder(pattern: str) -> str:
    """The folder of a pattern: its parts before the first one that stands for several."""
    folder = os.path.dirname(pattern)
    while glob.has_magic(folder):
        folder = os.path.dirname(folder)
    return folder


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes: ...


class Peekable(io.RawIOBase):
    """A stream whose first bytes can be seen before they are read.

    Parameters
    ----------
    inner : stream of bytes
    seen : callable, optional
        Called with all that is read of it, once.

    Examples
    --------
    >>> stream = Peekable(io.BytesIO(b"age,color"))
    >>> stream.peek(3), stream.read(9)
    (b'age', b'age,color')
    """

    def __init__(self, inner: Readable, seen: Callable[[bytes], Any] = len) -> None:
        self._inner = inner
        self._seen = seen
        self._ahead = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def peek(self, size: int) -> bytes:
        """Return the next bytes, fewer at the end of the stream, without taking them."""
        parts = [self._ahead]
        lacking = size - len(self._ahead)
        while lacking > 0 and (part := self._next(max(lacking, 1 << 16))):
            parts.append(part)
            lacking -= len(part)
        self._ahead = b"".join(parts)
        return self._ahead[:size]

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            return b"".join(iter(lambda: self.read(_BLOCK), b""))
        if self._ahead:
            part, self._ahead = self._ahead[:size], self._ahead[size:]
            return part
        return self._next(size) if size else b""

    def readinto(self, buffer: Any, /) -> int:
        part = self.read(len(buffer))
        buffer[: len(part)] = part
        return len(part)

    def _next(self, size: int) -> bytes:
        part = b"" if self._ended else bytes(self._inner.read(size) or b"")
        self._ended = not part
        self._seen(part)
        return part


@dataclass(frozen=True, eq=False)
class OpenFile:
    """A file that is being read.

    Attributes
    ----------
    name : str
        Name of the file, without its folder.
    label : str
        How messages call it: the path in quotes, or standard input.
    stream : Peekable
        What it holds, no longer compressed.
    is_parquet : bool
    path : str or None
        Where it can be read again; None for a stream, and for a workbook.
    packed : bool
        Whether it is compressed as a whole.
    digest : callable
        SHA-256 of the bytes that were read of it so far, compressed as they are.
    """

    name: str
    label: str
    stream: Peekable
    is_parquet: bool
    path: str | None
    packed: bool
    digest: Callable[[], str]


def is_stdin(path: str | os.PathLike[str]) -> bool:
    """True of the path that means standard input."""
    return isinstance(path, str | os.PathLike) and os.fspath(path) == STDIN


@contextmanager
def open_source(path: str | os.PathLike[str], sheet: str | None = None) -> Iterator[OpenFile]:
    """Open a file to read, or standard input for ``"-"``.

    Parameters
    ----------
    path : str or path
    sheet : str, optional
        Of a workbook, the sheet to read; the first when missing.

    Yields
    ------
    OpenFile

    Raises
    ------
    FileError
        There is no such file, it may not be read, is a folder, empty or damaged, or no table.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(f"{folder}/rows.csv").write_text("age,color")
    ...     with open_source(f"{folder}/rows.csv") as source:
    ...         print(source.name, source.is_parquet, source.stream.read())
    rows.csv False b'age,color'
    """
    label = label_of(path)
    file = _open(path)
    try:
        with name_damage(label):
            source = _open_file(path, label, file, sheet)
        yield source
    finally:
        if not is_stdin(path):
            file.close()


def label_of(path: str | os.PathLike[str]) -> str:
    """Name of a file in messages."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"A path must be a text or a path object. Got {shown(path)}; write 'data.csv'.")
    return "standard input" if is_stdin(path) else repr(os.fspath(path))


@contextmanager
def name_damage(label: str) -> Iterator[None]:
    """Name the file in errors that are raised while it is read."""
    try:
        yield
    except FileError:
        raise
    except (OSError, EOFError) as error:
        if getattr(error, "filename", None) is not None:
            raise  # it was about another file
        raise FileError(f"{label} cannot be read to its end: it is damaged. Get it once more.") from error


def _open(path: str | os.PathLike[str]) -> Any:
    if is_stdin(path):
        return sys.stdin.buffer
    try:
        return open(path, "rb")
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def _open_file(path: str | os.PathLike[str], label: str, file: Any, sheet: str | None) -> OpenFile:
    digest = sha256()
    stream = raw = Peekable(file, digest.update)
    head = raw.peek(16)
    if not head:
        raise FileError(f"{label} is empty. Pass a table with a header and rows.")
    for mark, method in _COMPRESSED.items():
        if head.startswith(mark):
            stream = Peekable(_decompress(raw, method))
            head = stream.peek(16)
            if not head:
                raise FileError(f"{label} is empty once it is unpacked. Pass a table with a header and rows.")
    for mark, what in _OTHERS.items():
        if head.startswith(mark):
            raise FileError(f"{label} is {what}. Save the table as CSV or Parquet.")
    is_workbook = head.startswith(MARK)
    if is_workbook:
        stream = Peekable(io.BytesIO(sheet_as_csv(stream.read(), label, sheet)))
    elif sheet is not None:
        raise InputError(f"{label} is no Excel workbook, and has no sheets. Leave out the name of the sheet.")
    is_file = not is_workbook and not is_stdin(path) and stat.S_ISREG(os.stat(path).st_mode)
    again = os.fspath(path) if is_file else None
    name = "standard input" if is_stdin(path) else Path(path).name

    def whole_digest() -> str:
        while raw.read(_BLOCK):
            pass
        return digest.hexdigest()

    return OpenFile(name, label, stream, head.startswith(_PAR1), again, stream is not raw, whole_digest)


def _decompress(raw: Peekable, method: str) -> Readable:
    stream: Readable = pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), method)
    return stream
