"""Save values: files whole or not at all, and JSON with a format and a version.

A failure, a full disk or Ctrl-C while a file is written leaves what was there. A saved value is one JSON
object whose entries ``format`` and ``version`` say what it is. Reading runs no code, and refuses with one
line what is damaged, comes from elsewhere or from a later release.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar

from logiclens.errors import (
    FileError,
    ForbiddenFileError,
    InputError,
    MissingFileError,
    did_you_mean,
    listing,
    shown,
)
from logiclens.logic import export
from logiclens.logic.formula import Formula


def as_file(path: str | os.PathLike[str]) -> Path:
    """A path that may be a file's: no folder."""
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"A path must be a text or a path object. Got {shown(path)}; write 'rules.json'.")
    target = Path(path)
    if os.path.isdir(target):  # False of names that the system does not take
        raise FileError(f"{os.fspath(path)!r} is a folder. Name a file in it.")
    return target


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """All bytes of a file; one that cannot be read raises :class:`~logiclens.errors.FileError`."""
    target = as_file(path)
    try:
        return target.read_bytes()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def unreadable(path: str | os.PathLike[str], error: Exception) -> FileError:
    """The error for a file that the system does not let us read, in one line."""
    name = os.fspath(path)
    match getattr(error, "errno", None):
        case errno.ENOENT | errno.ENOTDIR:
            folder = Path(path).parent
            advice = _near_file(Path(path), os.listdir(folder) if folder.is_dir() else [])
            return MissingFileError(f"There is no file {name!r}. {advice}", name)
        case errno.EISDIR:
            return FileError(f"{name!r} is a folder. Name a file in it.", name)
        case errno.EACCES | errno.EPERM:
            return ForbiddenFileError(f"{name!r} may not be read. Ask its owner for the right to.", name)
    return FileError(
        f"{name!r} cannot be read: {getattr(error, 'strerror', None) or error}. Check its name.", name
    )


def _near_file(path: Path, others: list[str]) -> str:
    """A file that may have been meant; that both end in ``.csv`` does not make two names alike."""
    alike = [other for other in others if did_you_mean(path.stem, [Path(other).stem])]
    return did_you_mean(path.name, alike).rstrip() or "Check its name and folder."


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write bytes to: it is there with all of them afterwards, or is as it was before.

    They go to a new file in the same folder, which takes the place of the old one, and its permissions, at
    the end. Whatever is raised meanwhile, by Ctrl-C, too, removes it again. A link stays one: what it points
    to is written. A device or a pipe is written to directly.

    Parameters
    ----------
    path : str or path

    Yields
    ------
    binary stream

    Raises
    ------
    FileError
        The path is a folder, its folder is not there or cannot be written to, or the disk is full.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_whole(f"{folder}/rows.csv") as file:
    ...         _ = file.write(b"age,color")
    ...         before = os.path.exists(f"{folder}/rows.csv")
    ...     print(before, Path(f"{folder}/rows.csv").read_text())
    False age,color
    """
    target = as_file(path)
    if is_stream(target):
        with _name_failures(target):
            stream = open(target, "wb")
        with _name_failures(target, of_caller=True), stream:
            yield stream
        return
    real = Path(os.path.realpath(target))
    draft = real.with_name(f".{secrets.token_hex(8)}.tmp")  # not the target's name: it may be too long
    try:
        with _name_failures(target):
            file = open(draft, "xb")
        try:
            with _name_failures(target, of_caller=True):
                yield file
            with _name_failures(target):
                file.flush()
                os.fsync(file.fileno())
        finally:
            with suppress(OSError):  # what could not be written is tried once more
                file.close()
        with _name_failures(target):
            with suppress(OSError):  # there is none, or it has permissions of another kind
                os.chmod(draft, stat.S_IMODE(os.stat(real).st_mode))
            os.replace(draft, real)
    except BaseException:  # Ctrl-C, too
        with suppress(OSError):
            draft.unlink()
        raise


def is_stream(path: str | os.PathLike[str]) -> bool:
    """True of a device or a pipe: what is written there is gone, and nothing can replace it."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextmanager
def _name_failures(target: Path, *, of_caller: bool = False) -> Iterator[None]:
    """Name the file in errors of the system, of which the caller may raise some about other files."""
    try:
        yield
    except OSError as error:
        if of_caller and (isinstance(error, FileError) or error.filename is not None):
            raise
        raise _unwritable(target, error) from error


def _unwritable(target: Path, error: OSError) -> FileError:
    """The error for a file that cannot be written, with advice."""
    name, folder = os.fspath(target), os.fspath(target.parent)
    head = f"{name!r} cannot be written:"
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return MissingFileError(f"{head} there is no folder {folder!r}. Make it first.", name)
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return ForbiddenFileError(
                f"{head} nothing may be written to the folder {folder!r}. Name a file in another one.", name
            )
        case errno.ENOSPC | errno.EDQUOT:
            return FileError(f"{head} the disk is full. Make room, or name a file on another one.", name)
        case errno.ENAMETOOLONG:
            return FileError(f"{head} its name is too long. Shorten it.", name)
    return FileError(f"{head} {error.strerror or error}. Name a file in another place.", name)


Stored = TypeVar("Stored")


def storable(value: Stored) -> Stored:
    """Return a value that JSON carries unchanged; in a text a split surrogate pair would be one character."""
    if isinstance(value, str) and json.loads(json.dumps(value)) != value:
        raise InputError(f"JSON cannot carry the text {value!r}: it holds a split surrogate pair. Rename it.")
    return value


def formula_to_saved(formula: Formula) -> Any:
    """Return what :func:`logiclens.logic.to_json` writes under ``"formula"``."""
    return json.loads(export.to_json(formula))["formula"]


def formula_from_saved(value: Any) -> Formula:
    """Inverse of :func:`formula_to_saved`."""
    return export.from_json(json.dumps({"format": "logiclens.formula", "version": 1, "formula": value}))


def write_saved(kind: str, version: int, entries: dict[str, Any]) -> str:
    """JSON text of a value, on one line of ASCII."""
    return json.dumps({"format": kind, "version": version, **entries}, allow_nan=False)


def read_saved(
    text: str,
    kind: str,
    version: int,
    keys: Collection[str],
    older: Mapping[int, Collection[str]] | None = None,
) -> dict[str, Any]:
    """Entries of a value that :func:`write_saved` wrote, besides ``format`` and ``version``.

    Exactly ``keys`` must be there, or the keys of one of the ``older`` versions.

    Examples
    --------
    >>> read_saved(write_saved("tea", 1, {"cups": 3}), "tea", 1, ["cups"])
    {'cups': 3}
    """
    if not isinstance(text, str):
        raise InputError(f"{kind} is read from a string. Got {type(text).__name__}.")
    try:
        with report_damage():
            saved = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{kind} is saved as JSON; this text is not: {error}. Save it again.") from None
    except RecursionError:
        raise InputError("This text is nested too deep to have been saved here. Save it again.") from None
    if not isinstance(saved, dict) or saved.get("format") != kind:
        raise InputError(f'The text must be a JSON object with "format": "{kind}". Got {_format_of(saved)}.')
    got = saved.get("version")
    known = {**(older or {}), version: keys}
    if type(got) is not int or got not in known:
        found = f"version {got}" if type(got) is int else "no version"
        raise InputError(
            f"The text has {found} of {kind}; this release reads version {version}. "
            "Update logiclens, or save it again."
        )
    with report_damage():
        del saved["format"], saved["version"]
        return fields(saved, known[got], kind)


@contextmanager
def report_damage() -> Iterator[None]:
    """While a saved value is put together: say of whatever is refused that the text is damaged."""
    try:
        yield
    except InputError as error:
        raise InputError(f"This text is damaged: {error} Save it again.") from None


def fields(value: Any, keys: Collection[str], what: str) -> dict[str, Any]:
    """Entries of a JSON object, in the order of the keys, once it is sure that they are those expected."""
    if not isinstance(value, dict):
        raise InputError(f"{what} must be an object. Got {shown(value)}.")
    odd = sorted(set(keys) ^ set(value))
    if odd:
        problem = "lacks the entry" if odd[0] in keys else "has an unknown entry"
        raise InputError(f"{what} {problem} {shown(odd[0])}.")
    return {key: value[key] for key in keys}


def items(value: Any, what: str) -> list[Any]:
    """Return a JSON list, once it is sure that it is one."""
    if not isinstance(value, list):
        raise InputError(f"{what} must be a list. Got {shown(value)}.")
    return value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise InputError(f"an entry is repeated in {listing(key for key, _ in pairs)}.")
    return entries


def _refuse_constant(name: str) -> NoReturn:
    raise InputError(f"it holds {name}, which is no number.")


def _format_of(saved: Any) -> str:
    if not isinstance(saved, dict):
        return f"a {type(saved).__name__}"
    return f'"format": {shown(saved["format"])}' if "format" in saved else "an object without it"
