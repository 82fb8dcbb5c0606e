"""The files that a path stands for: one, a folder of Parquet files, or a pattern like ``"data/*.parquet"``.

Engines do not agree on it: one reads below folders, or what is hidden, and another one does not. So the files
are found here, and engines get their names. What programs hide is left out: all that has a part which
begins with ``.`` or ``_``, such as the draft of a file, or ``_temporary``. A folder ``day=1`` is a value of a
column ``day``, in every row below it; so is ``_day=1``.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from logiclens.errors import InputError, listing
from logiclens.files._atomic import unreadable

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
    """Whether a file or folder of that name is left out, unless it is asked for by name."""
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
    """Whether what fits a pattern is not hidden, or is asked for: ``_*`` fits ``_a``, and ``*`` does not."""
    literal = [part for part in Path(pattern).parts if part[0] not in "*?"]
    hidden = [part for part in Path(path).parts if is_hidden(part)]
    return all(any(fnmatchcase(part, each) for each in literal) for part in hidden)


def _fixed_folder(pattern: str) -> str:
    """The folder of a pattern: its parts before the first one that stands for several."""
    folder = os.path.dirname(pattern)
    while glob.has_magic(folder):
        folder = os.path.dirname(folder)
    return folder
