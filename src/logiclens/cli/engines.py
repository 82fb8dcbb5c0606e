"""Engines that commands leave rows in: what can be asked for together, and which files are read."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from logiclens.cli.choices import EngineName
from logiclens.cli.failing import wrong_usage
from logiclens.errors import InputError, count

if TYPE_CHECKING:
    import pyarrow

    from logiclens.cli.progress import Progress
    from logiclens.scale._numbered_rows import NumberedRows

_TITLES = {EngineName.DUCKDB: "DuckDB", EngineName.SPARK: "Spark"}
_MARGIN = 1.2  # times as many rows as are wanted are looked at, so that there are enough


class Engine(NamedTuple):
    """An engine, and how much memory it may take.

    Attributes
    ----------
    name : EngineName
    memory : str, optional
        Such as ``"4GB"``.
    """

    name: EngineName
    memory: str | None = None

    @property
    def title(self) -> str:
        """What the engine is called."""
        return _TITLES[self.name]

    def entries(self) -> dict[str, Any]:
        """The settings, for JSON."""
        return {"engine": str(self.name), "memory": self.memory}


class Drawn(NamedTuple):
    """Rows that an engine drew, as a table that was read."""

    table: pyarrow.Table
    name: str
    notes: tuple[str, ...]
    sha256: None = None


def engine_asked(
    name: EngineName | None, memory: str | None, data: str, others: Mapping[str, Any]
) -> Engine | None:
    """The engine that a command asks for, if any.

    Parameters
    ----------
    name : EngineName, optional
    memory : str, optional
    data : str
        What is read.
    others : mapping of str to any
        Options that are about reading without an engine, by their names.

    Raises
    ------
    typer.Exit
        What is asked for makes no sense together.
    """
    if name is None:
        if memory is not None:
            wrong_usage("--memory is for an engine. Add --engine duckdb, or omit it.")
        if stands_for_several(data):
            wrong_usage(
                f"{data!r} stands for several files. Add --engine duckdb to read them all, or name one."
            )
        return None
    if data == "-":
        wrong_usage(
            "--engine reads files, and - is standard input. Name a file, or a pattern: 'data/*.parquet'."
        )
    for option, value in others.items():
        if value not in (None, False):
            wrong_usage(f"{option} is not for an engine, which reads files its own way. Omit it.")
    return Engine(name, memory)


def stands_for_several(data: str) -> bool:
    """Whether a path is a folder, or a pattern and no file."""
    return os.path.isdir(data) or (glob.has_magic(data) and not os.path.exists(data))


def refuse_whole_rows(max_rows: int | None, others: Mapping[str, Any]) -> None:
    """Refuse what needs rows at hand, unless few enough are drawn.

    Parameters
    ----------
    max_rows : int, optional
    others : mapping of str to any
        Options that need rows, by their names.
    """
    for option, value in others.items():
        if max_rows is None and value not in (None, False):
            wrong_usage(
                f"{option} needs rows in memory, and --engine leaves them in the engine. "
                "Draw some with --max-rows 100000, or leave out --engine."
            )


def files_read(data: str) -> tuple[str, ...]:
    """Files that a path, a folder or a pattern stands for, as far as they are on this machine."""
    from logiclens.files._find_files import find_files

    return find_files(data).paths


def opened(data: str, engine: Engine, progress: Progress) -> NumberedRows:
    """Open files in an engine, with places of their rows."""
    from logiclens.scale._numbered_rows import read_numbered_rows

    quieten(engine)
    with progress.doing(f"opening {data} in {engine.title}"):
        return read_numbered_rows(data, engine.name, memory=engine.memory)


def drawn(data: str, engine: Engine, max_rows: int, seed: int, progress: Progress) -> Drawn:
    """Draw rows in an engine, to be read as a table in memory.

    Parameters
    ----------
    data : str
        What is read.
    engine : Engine
    max_rows : int
        Rows to draw at most.
    seed : int
    progress : Progress
    """
    from logiclens.scale._engine import fetch

    rows = opened(data, engine, progress)
    table, columns = rows.table, list(rows.columns)
    with progress.doing(f"drawing rows in {engine.title}"):
        n_rows = int(fetch(table.count(), "Counting rows").as_py())
        notes = [*rows.notes]
        if max_rows < n_rows:
            share = min(1.0, _MARGIN * (max_rows + 1000) / n_rows)
            part = table.filter(rows.is_drawn(share, seed, stream=1))
            table = part.order_by(rows.order(seed, stream=1)).limit(max_rows)
            notes.append(f"{max_rows} of {count(n_rows, 'row')} taken, drawn at random by {engine.title}.")
        found = fetch(
            table.select(**{f"c{at}": table[name] for at, name in enumerate(columns)}), "Drawing rows"
        )
    return Drawn(found.rename_columns(columns), name_of(data), tuple(notes))


def quieten(engine: Engine) -> None:
    """Keep a Spark that is yet to be started from drawing bars, and from remarks for programmers."""
    if engine.name is EngineName.SPARK:
        settings = "--conf spark.ui.showConsoleProgress=false --conf spark.log.level=ERROR pyspark-shell"
        os.environ.setdefault("PYSPARK_SUBMIT_ARGS", settings)


def name_of(data: str) -> str:
    """What is read, in a few letters: the name of a file or folder, or the pattern.

    Examples
    --------
    >>> name_of("data/*.parquet")
    'data/*.parquet'
    """
    return Path(data).name or data if os.path.exists(data) else data


def columns_of(data: str, engine: Engine) -> tuple[str, ...]:
    """The columns of the files."""
    from logiclens.files import read_batches
    from logiclens.scale._engine import find_source, read

    found, is_csv = find_source(data)
    if is_csv and "://" not in data:
        with read_batches(found.paths[0]) as batches:
            return (*batches.names, *(key for key in found.keys() if key not in batches.names))
    quieten(engine)
    return tuple(read(data, engine.name, memory=engine.memory).columns)


def check_apart(path: Path, data: str) -> None:
    """Refuse to write a file that would be read as data the next time.

    Parameters
    ----------
    path : Path
        What is to be written.
    data : str
        What is read.
    """
    real, source = os.path.realpath(path), os.path.realpath(data)
    if os.path.isdir(data):
        fits = Path(real).is_relative_to(source)
    else:
        fits = not os.path.exists(data) and _fits(real, source)
    if fits:
        raise InputError(
            f"{os.fspath(path)!r} would be read with {data!r} the next time. Name a file in another folder."
        )


def _fits(path: str, pattern: str) -> bool:
    """Whether a path fits a pattern, as far as one can tell by its letters."""
    if "**" in pattern:
        return fnmatchcase(path, pattern.replace("**", "*"))
    parts, wanted = Path(path).parts, Path(pattern).parts
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))
