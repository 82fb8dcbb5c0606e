"""Checkpoints: a folder from which a run that was killed goes on as if nothing had happened.

It has a file for each thing that is not to be done twice: the sample, the candidates that were found on it,
and how far the training is. Each is written whole or not at all, and says which run it belongs to: one of
another run is refused, and so is a second process while a first one is at it. Files are safetensors with one
JSON text in the header; reading them runs no code.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from logiclens.errors import FileError, InputError, shown
from logiclens.files._storage import read_saved, read_whole, write_saved, written_whole

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_KEY = "logiclens"
_FORMAT = "logiclens.checkpoint"
_VERSION = 1
_LOCK = ".lock"

Tensors = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class StoredPart:
    """The content of one file of a checkpoint.

    Attributes
    ----------
    entries : dict of str to object
        Values that JSON can carry.
    tensors : dict of str to ndarray
    """

    entries: dict[str, Any]
    tensors: Tensors


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A folder of files that belong to one run.

    Attributes
    ----------
    folder : str
    run : dict of str to object
        What makes the run what it is: settings and data, as values that JSON can carry.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     checkpoint = Checkpoint(folder, {"epochs": 2})
    ...     checkpoint.write("training", StoredPart({"done": 7}, {"weight": np.zeros(2)}))
    ...     checkpoint.read("training").entries, checkpoint.read("sample")
    ({'done': 7}, None)
    """

    folder: str
    run: Mapping[str, Any]

    @classmethod
    def at(cls, folder: str | os.PathLike[str], run: Mapping[str, Any]) -> Checkpoint:
        """A checkpoint in a folder, which is made where it is not there yet.

        Raises
        ------
        FileError
            It cannot be made, or is a file.
        """
        if not isinstance(folder, str | os.PathLike):
            raise InputError(f"checkpoint must be the path of a folder. Got {shown(folder)}.")
        name = os.fspath(folder)
        try:
            os.makedirs(name, exist_ok=True)
        except FileExistsError:
            raise FileError(
                f"checkpoint must be a folder, and {name!r} is a file. Name another one.", name
            ) from None
        except OSError as error:
            raise FileError(
                f"The folder {name!r} cannot be made: {error.strerror or error}. Name another one.", name
            ) from error
        return cls(name, dict(run))

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes out, by a lock on a file in the folder; it ends with this one at the latest.

        Where the system has no locks, none is kept out.

        Raises
        ------
        FileError
            Another process is at it, or nothing can be written there.
        """
        path = os.path.join(self.folder, _LOCK)
        try:
            file = _open_locked(path)
        except OSError as error:
            raise FileError(
                f"Nothing can be written to the folder {self.folder!r}: {error.strerror or error}. "
                "Name another one.",
                self.folder,
            ) from error
        if file is None:
            holder = ""
            with suppress(OSError), open(path, encoding="utf-8", errors="replace") as other:
                holder = other.read()
            holder = holder or "another process"
            raise FileError(
                f"The checkpoint {self.folder!r} is in use by {holder}. Wait until that ends, or name "
                "another folder.",
                self.folder,
            )
        try:
            os.truncate(file, 0)
            os.write(file, f"process {os.getpid()} on {socket.gethostname()!r}".encode())
            yield
        finally:
            with suppress(OSError):
                os.unlink(path)
            os.close(file)

    def clear_drafts(self) -> None:
        """Remove what a run that was killed had only begun to write; no other process may be at it."""
        for draft in Path(self.folder).glob(f".{'[0-9a-f]' * 16}.tmp"):
            draft.unlink(missing_ok=True)

    def write(self, name: str, stored: StoredPart) -> None:
        """Write one of the files, in place of what it held before."""
        tensors = {key: np.ascontiguousarray(array) for key, array in stored.tensors.items()}
        entries = {"run": dict(self.run), "entries": stored.entries}
        text = write_saved(_FORMAT, _VERSION, {"checksum": _checksum(entries, tensors), **entries})
        with written_whole(self._path(name)) as file:
            file.write(safetensors.numpy.save(tensors, {_KEY: text}))

    def read(self, name: str) -> StoredPart | None:
        """Read one of the files; None where there is none.

        Raises
        ------
        FileError
            It is damaged.
        InputError
            It belongs to another run.
        """
        path = self._path(name)
        if not path.exists():
            return None
        content = read_whole(path)
        try:
            header = int.from_bytes(content[:8], "little")
            text = json.loads(content[8 : 8 + header])["__metadata__"][_KEY]
            saved = read_saved(text, _FORMAT, _VERSION, ("checksum", "run", "entries"))
            tensors = safetensors.numpy.load(content)
        except (ValueError, KeyError, TypeError, RecursionError, safetensors.SafetensorError):
            raise self._damage(path) from None
        if saved.pop("checksum") != _checksum(saved, tensors):
            raise self._damage(path)
        self._check(saved["run"])
        return StoredPart(saved["entries"], tensors)

    def _path(self, name: str) -> Path:
        return Path(self.folder, f"{name}.safetensors")

    def _damage(self, path: Path) -> FileError:
        return FileError(f"{os.fspath(path)!r} is no checkpoint, or a damaged one. Remove it.", str(path))

    def _check(self, run: Any) -> None:
        """Refuse what belongs to another run, and say what is different."""
        for key, value in self.run.items():
            if not isinstance(run, dict) or run.get(key) != value:
                before = run.get(key) if isinstance(run, dict) else None
                raise InputError(
                    f"The checkpoint {self.folder!r} is of another run: {key} was {shown(before)} and is "
                    f"{shown(value)}. Name another folder, or remove this one."
                )


def _open_locked(path: str) -> int | None:
    """Open a file and take its lock; None where another process has it."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return None
        except OSError:  # a file system without locks
            return file
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file), os.stat(path)):
                return file
        os.close(file)  # who had the lock has just removed the file


def _checksum(entries: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> str:
    """SHA-256 over entries and tensors. It finds damage, not deceit."""
    total = sha256(json.dumps(entries, sort_keys=True).encode("ascii"))
    for name in sorted(tensors):
        total.update(json.dumps([name, tensors[name].dtype.str, tensors[name].shape]).encode("ascii"))
        total.update(tensors[name].tobytes())
    return total.hexdigest()
