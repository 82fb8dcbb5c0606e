"""Files that a command writes: tried before the long work, written whole after it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from logiclens.errors import InputError
from logiclens.files.writing import written_whole

if TYPE_CHECKING:
    import pyarrow
    from numpy.typing import NDArray

STDOUT = Path("-")
"""The file that stands for standard output."""


class _Tried(Exception):
    """Ends a trial: nothing is written."""


@dataclass(frozen=True)
class Outputs:
    """Where to write what.

    Attributes
    ----------
    html : Path, optional
        The report.
    json : Path, optional
        Rules, scores and settings; ``-`` is standard output.
    save : Path, optional
        The model or, where the name ends in ``.json``, its rules.
    out : Path, optional
        A table.
    """

    html: Path | None = None
    json: Path | None = None
    save: Path | None = None
    out: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files."""
        given = (self.html, self.json, self.save, self.out)
        return tuple(path for path in given if path is not None and path != STDOUT)

    @property
    def to_stdout(self) -> bool:
        """Whether JSON takes standard output, so that nothing else may be printed there."""
        return self.json == STDOUT

    def check(self, data: str) -> None:
        """Try whether all of it can be written, before any work is done.

        Parameters
        ----------
        data : str
            The file that is read, which must not be replaced.

        Raises
        ------
        InputError
            The same file twice, or the one that is read.
        FileError
            A file that cannot be written.
        """
        seen = {_real(Path(data)): "read"} if data != os.fspath(STDOUT) else {}
        for path in self.paths:
            if (use := seen.get(_real(path))) is not None:
                raise InputError(f"{os.fspath(path)!r} is {use}, too. Give each file a name of its own.")
            seen[_real(path)] = "written"
            with suppress(_Tried), written_whole(path):
                raise _Tried

    @property
    def saves_rules(self) -> bool:
        """Whether rules alone are saved, not the model."""
        return self.save is not None and self.save.suffix.lower() == ".json"

    def written(self) -> Iterator[tuple[str, str]]:
        """Files that were written, each with what it holds."""
        for path, what in (
            (self.html, "report"),
            (self.json if self.json != STDOUT else None, "rules and scores as JSON"),
            (self.save, "rules" if self.saves_rules else "model"),
            (self.out, "table"),
        ):
            if path is not None:
                yield os.fspath(path), what


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, whole, or to standard output."""
    if path == STDOUT:
        sys.stdout.write(text)
        return
    with written_whole(path) as file:
        file.write(text.encode("utf-8", errors="backslashreplace"))


def save_model(model: Any, rules: Any, outputs: Outputs) -> None:
    """Save a model, or its rules, where that is asked for."""
    if outputs.save is not None:
        (rules if outputs.saves_rules else model).save(outputs.save)


def write_table(path: Path, table: pyarrow.Table, name: str, values: NDArray[Any]) -> None:
    """Write a table with one more column, as Parquet where the file is called so, else as CSV.

    Parameters
    ----------
    path : Path
    table : pyarrow.Table, n rows
    name : str
        Of the new column; one that is taken gets a number.
    values : ndarray of shape (n,)
    """
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    names = chain([name], (f"{name}_{at}" for at in count(2)))
    free = next(each for each in names if each not in table.column_names)
    whole = table.append_column(free, pa.array(values))
    with written_whole(path) as file:
        if path.suffix.lower() in (".parquet", ".pq"):
            pyarrow.parquet.write_table(whole, file)
        else:
            pyarrow.csv.write_csv(whole, file, pyarrow.csv.WriteOptions(quoting_style="needed"))
