"""Write a table in an engine as Parquet: whole or not at all.

The engine writes under another name beside the target, which takes its place in the end. What is raised
meanwhile, by Ctrl-C or by a connection that is lost, too, leaves what was there. DuckDB writes one file,
Spark a folder of files.
"""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from logiclens.errors import EngineError, FileError
from logiclens.files._atomic import written_whole
from logiclens.scale.engine import Table, asking, engine_of


def write_parquet(table: Table, path: str | os.PathLike[str]) -> None:
    """Write a table to a Parquet file or, in Spark, to a new folder of them.

    Parameters
    ----------
    table : ibis.Table
        In DuckDB or Spark.
    path : str or path
        A file that is there is replaced; a folder is not.

    Raises
    ------
    FileError
        It cannot be written.
    EngineError
        The engine failed; nothing was written.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> from logiclens.scale import read
    >>> folder = tempfile.mkdtemp()
    >>> pq.write_table(pa.table({"age": [62, 30]}), f"{folder}/patients.parquet")
    >>> table = read(f"{folder}/patients.parquet")
    >>> write_parquet(table.filter(table["age"] > 50), f"{folder}/old.parquet")
    >>> pq.read_table(f"{folder}/old.parquet")["age"].to_pylist()
    [62]
    """
    if engine_of(table) == "pyspark":
        _write_folder(table, Path(path))
        return
    with written_whole(path) as file:
        copy_to(table, file.name, f"Writing {os.fspath(path)!r}")


def copy_to(table: Table, path: str, what: str) -> None:
    """Write a table in DuckDB straight to a file.

    Parameters
    ----------
    table : ibis.Table
    path : str
    what : str
        What is being done, to begin the message of an error with.
    """
    with asking(what):
        connection = table.get_backend()
        name = path.replace("'", "''")
        query = f"COPY ({connection.compile(table)}) TO '{name}' (FORMAT parquet, USE_TMP_FILE false)"
        connection.raw_sql(query).fetchall()


def check_folder(path: Path) -> None:
    """Refuse a folder that is there already, or cannot be made."""
    _made(path).rmdir()


def _made(path: Path) -> Path:
    """A new folder beside a path that nothing has yet."""
    name, folder = os.fspath(path), os.fspath(path.parent)
    if os.path.lexists(path):
        raise FileError(
            f"{name!r} is there already, and Spark writes a new folder of files. "
            "Name another one, or remove it.",
            name,
        )
    draft = path.absolute().with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        draft.mkdir()
    except FileNotFoundError:
        raise FileError(
            f"{name!r} cannot be written: there is no folder {folder!r}. Make it first.", name
        ) from None
    except OSError as error:
        raise FileError(
            f"{name!r} cannot be written: {error.strerror or error}. Name a folder in another place.", name
        ) from None
    return draft


def _write_folder(table: Table, path: Path) -> None:
    connection: Any = table.get_backend()
    draft = _made(path)
    try:
        with asking(f"Writing {os.fspath(path)!r}"):
            frame = connection._session.sql(connection.compile(table))
            frame.write.mode("overwrite").parquet(draft.as_uri())
        if not any(draft.glob("*.parquet")):
            raise EngineError(
                f"Writing {os.fspath(path)!r} failed: Spark wrote to the disks of other machines. "
                "Name a folder that all of them share."
            )
        os.rename(draft, path)
    except BaseException:  # Ctrl-C, too
        with suppress(Exception):
            connection._session.sparkContext.cancelAllJobs()
        shutil.rmtree(draft, ignore_errors=True)
        raise
