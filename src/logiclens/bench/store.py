"""Results on disk: one file per piece of work, written atomically, and tables of all of them.

A folder of results holds ``units/`` with a JSON file per piece of work: one method on one fold or, for
methods that train all folds at once, on all folds of an experiment. Beside its rows each file has a key:
experiment, method, folds, seeds, data, settings and release. Only a file with exactly the same key counts
as done. So a run that was killed continues where it stopped, and a run with other settings starts anew.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import math
import os
import platform
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from logiclens.bench.experiments import Fold
from logiclens.bench.fold_scores import Row
from logiclens.bench.method import DONE
from logiclens.errors import FileError, InputError, shown
from logiclens.files._storage import read_whole, written_whole

PACKAGES = (*"imodels joblib numpy pystreed ruleopt scikit-learn scipy torch wittgenstein".split(),)
"""Packages that figures depend on."""

FORMAT = 1
"""Format of the files; those of another are not taken as done."""


@dataclass(frozen=True)
class Key:
    """Identifies a piece of work, so that it is done once.

    Attributes
    ----------
    experiment, method : str
        Their names.
    fold_seed, seed : int
        Of the split, and of the method.
    folds : tuple of int
        Numbers of the folds.
    together : bool
        Whether the method trains all folds of an experiment at once.
    version : str
        Release of this package.
    checksum : str
        Of the settings of the method and of the rows of the folds.
    """

    experiment: str
    method: str
    fold_seed: int
    seed: int
    folds: tuple[int, ...]
    together: bool
    version: str
    checksum: str

    @property
    def file(self) -> str:
        """Name of its file: the same for other settings and data, which replace what was there."""
        which = "all" if self.together else self.folds[0]
        place = json.dumps([self.experiment, self.method, self.fold_seed, self.seed, which])
        readable = "-".join(
            re.sub(r"[^A-Za-z0-9_-]+", "_", str(part))[:40]
            for part in (self.experiment, self.method, f"seed{self.fold_seed}", which)
        )
        return f"{readable}-{hashlib.blake2b(place.encode(), digest_size=6).hexdigest()}.json"


@dataclass(frozen=True)
class FinishedPiece:
    """A finished piece of work and its rows.

    Attributes
    ----------
    key : Key
    rows : tuple of rows
        Of plain numbers and texts, as they are read back; what is not a number is None.
    timed : bool
        Whether it had the machine to itself, so that its seconds count.
    limit : float, optional
        Seconds after which it would have been stopped; None without a limit.
    """

    key: Key
    rows: tuple[Row, ...]
    timed: bool
    limit: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(map(_plain, self.rows)))

    @property
    def finished(self) -> bool:
        """True if it finished within the time limit."""
        return all(row["status"] == DONE for row in self.rows)


class Results:
    """A folder of results, created when something is stored.

    Parameters
    ----------
    folder : path

    Examples
    --------
    >>> import tempfile
    >>> key = Key("mimic2", "tree", 0, 0, (3,), False, "1.0", "abc")
    >>> row = {"experiment": "mimic2", "fold_seed": 0, "method": "tree", "fold": 3, "part": ""}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = Results(folder)
    ...     results.store(FinishedPiece(key, ({**row, "status": "done"},), timed=True))
    ...     results.stored(key).finished, len(results.rows())
    (True, 1)
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        if not isinstance(folder, str | os.PathLike):
            raise InputError(f"The folder of results must be a path. Got {shown(folder)}; write 'results'.")
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise FileError(f"{str(self.folder)!r} is a file. Name a folder for results.")

    def __repr__(self) -> str:
        return f"Results({str(self.folder)!r})"

    @property
    def _units(self) -> Path:
        return self.folder / "units"

    def stored(self, key: Key) -> FinishedPiece | None:
        """The piece stored under exactly this key, or None."""
        path = self._units / key.file
        unit = _read_unit(path) if path.is_file() else None
        return unit if unit is not None and unit.key == key else None

    def store(self, unit: FinishedPiece) -> None:
        """Store a piece atomically; it replaces one of the same name unless that one has more folds."""
        self._units.mkdir(parents=True, exist_ok=True)
        path = self._units / unit.key.file
        there = _read_unit(path) if path.is_file() else None
        if there and there.key.version == unit.key.version and {*unit.key.folds} < {*there.key.folds}:
            return
        content = {"format": FORMAT} | asdict(unit)
        with written_whole(path) as file:
            file.write(f"{_json(content, indent=1)}\n".encode())

    def rows(self) -> list[Row]:
        """All rows in the folder, in order.

        Raises
        ------
        FileError
            A file is damaged.
        """
        found: list[Row] = []
        for path in sorted(self._units.glob("*.json")):
            unit = _read_unit(path)
            if unit is None:
                raise FileError(f"{str(path)!r} is damaged. Remove it, and run its experiment again.")
            found.extend(unit.rows)
        return in_order(found)

    def save_table(self, rows: Iterable[Row] | None = None) -> None:
        """Write ``rows.csv``, ``rows.jsonl`` and, about the machine, ``about.json``.

        Parameters
        ----------
        rows : iterable of rows, optional
            All in the folder when missing.
        """
        chosen = self.rows() if rows is None else in_order(rows)
        self.folder.mkdir(parents=True, exist_ok=True)
        write_rows(self.folder / "rows.jsonl", chosen)
        columns = list(dict.fromkeys(name for row in chosen for name in row))
        text = io.StringIO(newline="")
        table = csv.DictWriter(text, columns, lineterminator="\n")
        table.writeheader()
        table.writerows({name: _cell(value) for name, value in row.items()} for row in chosen)
        with written_whole(self.folder / "rows.csv") as file:
            file.write(text.getvalue().encode())
        with written_whole(self.folder / "about.json") as file:
            file.write(f"{_json(about(), indent=1)}\n".encode())


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Rows by experiment, fold seed, method, fold and part."""
    columns = ("experiment", "fold_seed", "method", "fold", "part")
    return sorted(rows, key=lambda row: tuple(row[name] for name in columns))


def write_rows(path: str | os.PathLike[str], rows: Iterable[Row]) -> None:
    """Write rows as JSON, one a line, in order; the same rows give the same bytes.

    Parameters
    ----------
    path : path
        Compressed when it ends in ``.gz``.
    rows : iterable of rows
    """
    content = "".join(f"{_json(row)}\n" for row in in_order(rows)).encode()
    if os.fspath(path).endswith(".gz"):
        content = gzip.compress(content, mtime=0)
    with written_whole(path) as file:
        file.write(content)


def read_rows(path: str | os.PathLike[str]) -> list[Row]:
    """Read rows that :func:`write_rows` wrote.

    Raises
    ------
    FileError
        The file is missing or damaged.

    Examples
    --------
    >>> import tempfile
    >>> row = {"experiment": "vdem", "part": "", "method": "mu", "fold": 0, "fold_seed": 0, "fidelity": None}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_rows(f"{folder}/rows.jsonl.gz", [row])
    ...     read_rows(f"{folder}/rows.jsonl.gz") == [row]
    True
    """
    content = read_whole(path)
    try:
        text = (gzip.decompress(content) if os.fspath(path).endswith(".gz") else content).decode()
        rows = [json.loads(line) for line in text.split("\n")[:-1]]
    except (ValueError, OSError, EOFError):
        rows = [None]
    if not all(isinstance(row, dict) and "experiment" in row for row in rows):
        raise FileError(f"{os.fspath(path)!r} does not hold rows of results. Make it again.")
    return rows


def key_of(experiment: str, method: Any, folds: Sequence[int], seeds: tuple[int, int], data: str) -> Key:
    """Key of a method on some folds.

    Parameters
    ----------
    experiment : str
    method : Method
    folds : sequence of int
    seeds : (int, int)
        Of the split, and of the method.
    data : str
        Checksums of the folds' rows, one after the other.
    """
    checksum = hashlib.blake2b(f"{fingerprint(method)}\n{data}".encode(), digest_size=16).hexdigest()
    fold_seed, seed = seeds
    release = _version("logiclens") or ""
    return Key(
        experiment, method.name, fold_seed, seed, tuple(folds), bool(method.together), release, checksum
    )


def fold_checksum(fold: Fold) -> str:
    """Checksum of all that a fold holds.

    Examples
    --------
    >>> x, y = np.array([[1.0], [0.0]]), np.array([1, 0])
    >>> first, again = (fold_checksum(Fold(0, ("a",), ("no", "yes"), x, y, x, y)) for _ in range(2))
    >>> first == again, first == fold_checksum(Fold(0, ("a",), ("no", "yes"), x, 1 - y, x, y))
    (True, False)
    """
    names = [fold.concept_names, fold.class_names, list(fold.parts), list(fold.also)]
    total = hashlib.blake2b(json.dumps(names).encode(), digest_size=16)
    arrays = (fold.x_train, fold.y_train, fold.x_test, fold.y_test, *fold.parts.values(), *fold.also.values())
    if fold.confidence is not None:
        arrays = (*arrays, fold.confidence.round(6))  # computed, so machines agree about some digits
    for array in arrays:
        total.update(f"{array.shape}".encode())
        kind = array.dtype.kind  # of one width, so that machines agree
        total.update(np.ascontiguousarray(array, dtype={"f": "<f8", "b": "?"}.get(kind, "<i8")).tobytes())
    for name, values in (*fold.columns_train.items(), *fold.columns_test.items()):
        total.update(json.dumps([name, [str(each) for each in values.tolist()]]).encode())
    return total.hexdigest()


def fingerprint(value: Any) -> str:
    """Settings as text, equal for equal settings in any process.

    Examples
    --------
    >>> fingerprint({"depth": 5, "kinds": ("a", 1.5)})
    "{'depth': 5, 'kinds': ['a', 1.5]}"
    """
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, np.ndarray | np.generic):
        return fingerprint(value.tolist())
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{fingerprint(name)}: {fingerprint(each)}' for name, each in value.items())}}}"
    if isinstance(value, set | frozenset):
        return fingerprint(sorted(map(fingerprint, value)))
    if isinstance(value, Iterable):
        return f"[{', '.join(map(fingerprint, value))}]"
    if isinstance(value, partial):
        return fingerprint([value.func, value.args, value.keywords])
    kind = value if callable(value) and hasattr(value, "__qualname__") else type(value)
    name = getattr(kind, "__dict__", {}).get("identity") or f"{kind.__module__}.{kind.__qualname__}"
    if kind is value:
        return name
    if hasattr(value, "get_params"):
        return f"{name}({fingerprint(dict(sorted(value.get_params(deep=False).items())))})"
    if is_dataclass(value):
        compared = [each.name for each in fields(value) if each.compare]
        return f"{name}({fingerprint({each: getattr(value, each) for each in compared})})"
    return f"{name}({fingerprint(dict(sorted(getattr(value, '__dict__', {}).items())))})"


def about() -> dict[str, Any]:
    """Release, packages, machine and day, on which figures depend."""
    return {
        "logiclens": _version("logiclens"),
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": _memory(),
        "gpu": _gpu(),
        "date": datetime.now(UTC).date().isoformat(),
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.processor()


def _memory() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, OSError, ValueError):  # not every system says
        return None


def _gpu() -> str | None:
    """Name of the GPU that networks could use, if any."""
    torch = sys.modules.get("torch")
    return torch.cuda.get_device_name() if torch is not None and torch.cuda.is_available() else None


def _read_unit(path: Path) -> FinishedPiece | None:
    """A piece of work as it was stored; None where the file is damaged or of another format."""
    try:
        content = json.loads(read_whole(path))
        key = Key(**(content["key"] | {"folds": tuple(content["key"]["folds"])}))
        if content["format"] != FORMAT or not all(isinstance(row, dict) for row in content["rows"]):
            return None
        return FinishedPiece(key, tuple(content["rows"]), bool(content["timed"]), content["limit"])
    except (ValueError, TypeError, KeyError):
        return None


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(_plain(value), indent=indent, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """A value as JSON knows it; NaN becomes None."""
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
