"""Tables in an engine: open them, query them, write them, and report what fails in one line.

An engine is whatever Ibis speaks: DuckDB embedded in this process, Spark on a cluster, a database. Queries
run inside :func:`engine_errors`, so that a table that is gone, a connection that is lost or memory that ran
out is one line of :class:`~logiclens.errors.EngineError`.

A table is written whole or not at all: the engine writes under another name beside the target, which takes
its place in the end. DuckDB writes one file, Spark a folder of files.
"""

from __future__ import annotations

import atexit
import glob
import logging
import os
import re
import secrets
import shutil
import string
import tempfile
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from logiclens.concepts.table import ValueType
from logiclens.errors import (
    EngineError,
    FileError,
    InputError,
    LogicLensError,
    MissingDependencyError,
    MissingFileError,
    UnknownColumnError,
    UnknownColumnsError,
    did_you_mean,
    listing,
    shown,
)
from logiclens.explain import ExplanationSet
from logiclens.files._open import PARQUET, FoundFiles, find_files, is_hidden, keys_in
from logiclens.files._storage import written_whole

Table: TypeAlias = Any
"""An Ibis table expression."""
Expression: TypeAlias = Any
"""An Ibis value expression."""

_log = logging.getLogger("logiclens")
ENGINES = ("duckdb", "spark")
"""Engines that :func:`read` opens files with."""
_CSV = (".csv", ".tsv")
_PACKED = (".gz", ".bz2", ".zst", ".xz")
_HADOOP_SIGNS = re.compile(r"([\\{}\[\]*?])")  # those of patterns, as Spark has them
_MEMORY = re.compile(r"(?P<number>\d+(\.\d+)?)\s*(?P<unit>[KMGT])(I?B)?", re.IGNORECASE)
_MEBIBYTES = {"K": 1 / 1024, "M": 1.0, "G": 1024.0, "T": 1024.0**2}
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_FOLDED: dict[str, Callable[[str], str]] = {"DuckDB": lambda name: name.translate(_LOWER), "Spark": str.lower}
"""Names as engines compare them that ignore case; DuckDB ignores it in ASCII only."""
_TITLES = {"duckdb": "DuckDB", "pyspark": "Spark"}


def ibis_module() -> Any:
    """Ibis, imported when it is first needed.

    Raises
    ------
    MissingDependencyError
        It is not installed.
    """
    return _import("ibis", "Tables in an engine need Ibis", "scale")


def _import(name: str, need: str, extra: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingDependencyError(
            f"{need}, which is not installed. Run: pip install 'logiclens[{extra}]'"
        ) from None


# Opening


def read(
    source: str | os.PathLike[str], engine: str = "duckdb", *, memory: str | None = None, rules: Any = None
) -> Table:
    """Open files as a table in an engine.

    Of Parquet no rows are read before the first query. CSV files on this machine are copied into a Parquet
    file in a temporary folder first, by the reader of :func:`~logiclens.files.read_table`: what a column is
    follows from all of its values, and is the same in an engine as in memory.

    Parameters
    ----------
    source : str or path
        A Parquet or CSV file, a pattern for several of one kind such as ``"data/*.parquet"``, or a folder
        with Parquet files in and below it. Names of files and folders that begin with ``.`` or ``_`` are
        left out, and a folder ``day=1`` is a value of a column ``day``. An address such as ``s3://...`` is
        handed to the engine as it is.
    engine : {"duckdb", "spark"}, default "duckdb"
        DuckDB runs in this process. Spark is the session that is running, else a new one.
    memory : str, optional
        The most memory that the engine takes, such as ``"4GB"``. DuckDB moves what does not fit to a
        temporary folder (below ``TMPDIR``), which is removed in the end. When missing, the engine decides.
    rules : ExplanationSet, or a fitted estimator, optional
        Read CSV files as these rules expect them, as a column of codes may hold nothing but numbers today.

    Returns
    -------
    ibis.Table

    Raises
    ------
    InputError
        The source is neither Parquet nor CSV, there is no such engine, two columns differ in case only, or
        CSV files have different columns, or numbers with the wrong decimal sign.
    MissingFileError
        There is no such file or folder, or a pattern fits none.
    MissingDependencyError
        The engine is not installed.
    EngineError
        The engine cannot open the files.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> pq.write_table(pa.table({"age": [62, 30]}), f"{folder}/patients.parquet")
    >>> table = read(f"{folder}/*.parquet", memory="1GB")
    >>> table.columns
    ('age',)
    """
    opened = open_files(source, engine, memory=memory, rules=rules)
    for note in opened.notes:
        _log.warning("%s", note)
    return opened.table


@dataclass(frozen=True, eq=False)
class OpenedTable:
    """A table, and the files that the engine reads.

    Attributes
    ----------
    table : ibis.Table
    found : FoundFiles
    is_csv : bool
        Whether the engine reads CSV, as it does from addresses.
    notes : tuple of str
        What a person should know of how the files were read, a line for each.
    """

    table: Table
    found: FoundFiles
    is_csv: bool
    notes: tuple[str, ...] = ()


def open_files(source: Any, engine: str, *, memory: str | None = None, rules: Any = None) -> OpenedTable:
    """Open files; see :func:`read`."""
    path = _path_text(source)
    if engine not in ENGINES:
        near = did_you_mean(engine, ENGINES) if isinstance(engine, str) else ""
        raise InputError(f"Unknown engine {shown(engine)}. {near}The engines are {listing(ENGINES)}.")
    limit = None if memory is None else _mebibytes(memory)
    found, is_csv = find_source(path)
    notes: tuple[str, ...] = ()
    with engine_errors(f"Opening {path!r}"):
        connection = _duckdb(limit) if engine == "duckdb" else _spark(limit)
        if is_csv and not _is_address(found):
            found, notes = _csv_as_parquet(connection, found, rules)
            is_csv = False
        if engine == "duckdb":
            return OpenedTable(_in_duckdb(connection, found, is_csv), found, is_csv, notes)
        view = ibis_module().util.gen_name("read")
        spark_frame(connection._session, found, is_csv).createOrReplaceTempView(view)
        return OpenedTable(connection.table(view), found, is_csv, notes)


def _csv_as_parquet(connection: Any, found: FoundFiles, rules: Any) -> tuple[FoundFiles, tuple[str, ...]]:
    """CSV files as a Parquet file, which is removed with the connection; and what to know of it."""
    from logiclens.files._reading import copy_as_parquet

    folder = temporary_folder(connection)
    copy = os.path.join(folder, "rows.parquet")
    known = None if rules is None else rules_of(rules)
    notes = copy_as_parquet(found, copy, None if known is None else partial(expected_types, known))
    return FoundFiles((copy,), folder), notes


def temporary_folder(connection: Any) -> str:
    """A new folder, which is removed with a connection."""
    folder = tempfile.mkdtemp(prefix="logiclens-")
    weakref.finalize(connection, shutil.rmtree, folder, ignore_errors=True)
    return folder


def rules_of(rules: Any) -> ExplanationSet:
    """The rules of an estimator, or the rules themselves."""
    if isinstance(rules, ExplanationSet):
        return rules
    found = None if isinstance(rules, type) else getattr(rules, "explanations_", None)
    if isinstance(found, ExplanationSet):
        return found
    if hasattr(rules, "fit") and not isinstance(rules, type):
        raise InputError(f"This {type(rules).__name__} is not fitted. Fit it first, or pass its rules.")
    raise InputError(
        f"rules must be an ExplanationSet or a fitted estimator. Got {shown(rules)}; "
        "logiclens.load reads what was saved."
    )


def expected_types(rules: ExplanationSet, names: Sequence[str]) -> dict[str, ValueType]:
    """Types to read the columns of a table as, so that the rules can compare their values."""
    words = rules.vocabulary
    concepts = {name: ValueType.FLAG for name in rules.concept_names if name in names}
    if words is None:
        return concepts
    places = words.places(names) or {name: name for name in words.columns}
    return concepts | {places[name]: kind for name, kind in words.types.items() if places[name] in names}


def _path_text(source: Any) -> str:
    if not isinstance(source, str | os.PathLike) or not os.fspath(source):
        raise InputError(
            f"source must be the path of a file, of a folder or a pattern. Got {shown(source)}; "
            "write 'data/*.parquet'."
        )
    return os.fsdecode(source)


def _mebibytes(memory: Any) -> int:
    found = _MEMORY.fullmatch(memory.strip()) if isinstance(memory, str) else None
    amount = 0 if found is None else int(float(found["number"]) * _MEBIBYTES[found["unit"].upper()])
    if not amount:
        raise InputError(f"memory must be an amount such as '4GB' or '500MB'. Got {shown(memory)}.")
    return amount


def find_source(path: str) -> tuple[FoundFiles, bool]:
    """The files that are meant, and whether they are CSV rather than Parquet; an address has no root.

    Raises
    ------
    FileError
        There is no such file.
    """
    if "://" in path:
        return FoundFiles((path,), ""), _is_csv(path)
    found = find_files(path)
    if os.path.isdir(path):
        if not found.paths:
            raise FileError(
                f"The folder {path!r} holds no Parquet file. Write a pattern such as 'folder/*.csv'.", path
            )
        return found, False
    if not found.paths and glob.has_magic(path):
        raise MissingFileError(f"No file fits the pattern {path!r}. Check its name and its folder.", path)
    if not found.paths:
        raise MissingFileError(f"There is no file or folder {path!r}. Check its name.", path)
    return found, _is_csv(path)


def _is_address(found: FoundFiles) -> bool:
    return "://" in found.paths[0]


def duckdb_files(found: FoundFiles) -> tuple[list[str], dict[str, Any]]:
    """Names of files, and the options with which DuckDB reads these alone."""
    if _is_address(found):
        return [*found.paths], {}
    return [glob.escape(path) for path in found.paths], {"hive_partitioning": bool(found.keys())}


def _in_duckdb(connection: Any, found: FoundFiles, is_csv: bool) -> Table:
    names, options = duckdb_files(found)
    if is_csv:
        return connection.read_csv(names, **options)
    columns = _columns(found)
    _refuse_twins(columns, columns, "DuckDB")
    table = connection.read_parquet(names, **options)
    outside = {*keys_in(os.path.abspath(found.root))} - {*columns, *found.keys()}
    return table.drop(*outside.intersection(table.columns)) if options.get("hive_partitioning") else table


def spark_frame(session: Any, found: FoundFiles, is_csv: bool) -> Any:
    """Files as a frame of Spark, each by its name.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
    found : FoundFiles
    is_csv : bool

    Raises
    ------
    InputError
        Spark leaves one of the files out whatever its settings; or two columns differ in case only.
    """
    reader, names = session.read, [*found.paths]
    if not _is_address(found):
        hidden = next((path for path in names if is_hidden(os.path.basename(path))), None)
        if hidden is not None:
            raise InputError(
                f"Spark does not read {hidden!r}, whose name begins with {os.path.basename(hidden)[0]!r}. "
                "Rename the file."
            )
        if not is_csv and not _is_set(session, "spark.sql.caseSensitive"):
            columns = _columns(found)
            _refuse_twins(columns, columns, "Spark")
        if found.keys():
            reader = reader.option("basePath", f"file://{os.path.abspath(found.root)}")
        names = ["file://" + _HADOOP_SIGNS.sub(r"\\\1", os.path.abspath(path)) for path in names]
    if not is_csv:
        return reader.parquet(*names)
    separator = "\t" if ".tsv" in os.path.basename(found.paths[0]).lower() else ","
    return reader.csv(names, header=True, inferSchema=True, sep=separator)


def _columns(found: FoundFiles) -> tuple[str, ...]:
    """The columns of the first Parquet file; none where it is not here, or the engine will refuse it."""
    if _is_address(found):
        return ()
    parquet = _import("pyarrow.parquet", "Parquet files need pyarrow", "scale")
    with suppress(OSError, ValueError):
        return tuple(parquet.read_schema(found.paths[0]).names)
    return ()


def _is_csv(path: str) -> bool:
    name = path.lower()
    for ending in _PACKED:
        name = name.removesuffix(ending)
    if name.endswith(PARQUET) and name == path.lower():
        return False
    if name.endswith(_CSV):
        return True
    raise InputError(
        f"An engine reads Parquet (.parquet) and CSV (.csv, .tsv) files. Got {path!r}; write the ending, too."
    )


def _duckdb(mebibytes: int | None) -> Any:
    """A new database in memory, with a folder of its own for what does not fit."""
    ibis = ibis_module()
    _import("duckdb", "The engine 'duckdb' needs DuckDB", "scale")
    folder = tempfile.mkdtemp(prefix="logiclens-")
    limit = {} if mebibytes is None else {"memory_limit": f"{mebibytes}MiB"}
    # Threads that write while others compute may wait for each other for ever when Ctrl-C ends them.
    connection = ibis.duckdb.connect(temp_directory=folder, async_threads=0, **limit)
    weakref.finalize(connection, shutil.rmtree, folder, ignore_errors=True)
    return connection


def _spark(mebibytes: int | None) -> Any:
    """The session that is running, else a new one."""
    ibis = ibis_module()
    sql = _import("pyspark.sql", "The engine 'spark' needs PySpark", "spark")
    session = sql.SparkSession.getActiveSession()
    if session is None:
        builder = sql.SparkSession.builder.appName("logiclens")
        builder = builder.config("spark.sql.variable.substitute", "false")  # names may hold ${...}
        builder = builder.config("spark.sql.warehouse.dir", _warehouse())
        if mebibytes is not None:
            builder = builder.config("spark.driver.memory", f"{mebibytes}m")
        session = builder.getOrCreate()
    elif mebibytes is not None:
        raise InputError(
            "memory= is for a new Spark session, and one is running. Leave it out, or stop the session first."
        )
    return ibis.pyspark.connect(session)


def _warehouse() -> str:
    """A folder for tables of a new session, which Spark would make where we are; gone if it stays empty."""
    folder = tempfile.mkdtemp(prefix="logiclens-")

    def remove() -> None:
        with suppress(OSError):
            os.rmdir(folder)

    atexit.register(remove)
    return folder


# Checks


def check_table(table: Any) -> Table:
    """Return an Ibis table, once it is sure that it is one; connections and frames are refused."""
    ibis = ibis_module()
    if isinstance(table, ibis.Table):
        return table
    got = shown(table) if isinstance(table, str | int | float | None) else f"a {type(table).__name__}"
    raise InputError(
        f"The table must be an Ibis table. Got {got}; open files with logiclens.scale.read, "
        "others with ibis.connect(...).table(name)."
    )


def engine_of(table: Table) -> str:
    """Ibis' name of the engine that a table lives in: ``"duckdb"``, ``"pyspark"``, ...

    A table in memory lives in the engine that Ibis takes when none is named.
    """
    backends, _ = table._find_backends()
    return str((backends[0] if backends else ibis_module().get_backend()).name)


def check_columns(table: Table, names: Iterable[str], advice: str = "") -> None:
    """Refuse columns that a table lacks, or that its engine confuses with others.

    Parameters
    ----------
    table : ibis.Table
    names : iterable of str
    advice : str, optional
        A sentence to end the message on columns that are lacking with.

    Raises
    ------
    UnknownColumnError
        It names all columns that are lacking, and suggests the nearest for a single one.
    InputError
        Two columns differ in case only, and the engine takes them for one; or Spark would replace a part
        of the name.
    """
    wanted = tuple(dict.fromkeys(names))
    columns = tuple(table.columns)
    lacking = [name for name in wanted if name not in columns]
    if len(lacking) == 1:
        raise UnknownColumnError(lacking[0], columns, advice)
    if lacking:
        raise UnknownColumnsError(lacking, columns, advice)
    engine = engine_of(table)
    if engine == "pyspark":
        with engine_errors("Looking at the Spark session"):
            session = table.get_backend()._session
            tells_case = _is_set(session, "spark.sql.caseSensitive")
            replaces = _is_set(session, "spark.sql.variable.substitute")
        if replaces:
            _refuse_substituted(wanted)
        if tells_case:
            return
    if engine in _TITLES:
        _refuse_twins(wanted, columns, _TITLES[engine])


def _refuse_twins(names: Iterable[str], columns: Iterable[str], engine: str) -> None:
    folded = _FOLDED[engine]
    spellings: dict[str, list[str]] = {}
    for column in columns:
        spellings.setdefault(folded(column), []).append(column)
    for name in names:
        if len(twins := spellings[folded(name)]) > 1:
            raise InputError(
                f"{twins[0]!r} and {twins[1]!r} are one column in {engine}. Rename one of the columns."
            )


def _refuse_substituted(names: Iterable[str]) -> None:
    held = next((name for name in names if "${" in name), None)
    if held is not None:
        raise InputError(
            f"{held!r} cannot be a column in this Spark session, which replaces ${{...}}. Rename the column, "
            "or set spark.sql.variable.substitute to false."
        )


def _is_set(session: Any, setting: str) -> bool:
    """Look up a setting of a Spark session that is true or false."""
    return str(session.conf.get(setting)).lower() == "true"


# Queries, and errors of engines


_PACKAGES = ("ibis", "duckdb", "_duckdb", "pyspark", "py4j", "sqlglot")
_INTERRUPTED = "Query interrupted"
_MOST_SAID = 300  # characters of an engine's message


def fetch(expression: Any, what: str) -> Any:
    """Ask the engine, and return the answer as a table or an array of pyarrow.

    Parameters
    ----------
    expression : Ibis expression
    what : str
        What is being done, to begin the message of an error with: ``"Counting rows"``.
    """
    with engine_errors(what):
        return expression.to_pyarrow()


@contextmanager
def engine_errors(what: str) -> Iterator[None]:
    """Turn what engines raise into :class:`~logiclens.errors.EngineError`: one line, with advice.

    Errors of this package pass, and so do mistakes in its own code. Warnings about how Ibis calls its engines
    are not for the user, and are not shown.

    Parameters
    ----------
    what : str
        What is being done, to begin the message with: ``"Counting rows"``.

    Examples
    --------
    >>> with engine_errors("Counting"):
    ...     raise ConnectionResetError("The peer is gone")
    Traceback (most recent call last):
    logiclens.errors.EngineError: Counting failed: The peer is gone. Connect again, and open the table anew.
    """
    noise = logging.getLogger("SQLQueryContextLogger")  # Spark's; prints each error whole
    silent = noise.disabled
    try:
        noise.disabled = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    except LogicLensError:
        raise
    except Exception as error:
        if _INTERRUPTED in str(error):  # by Ctrl-C, which DuckDB turns into an error of its own
            raise KeyboardInterrupt from None
        if not _is_of_engine(error):
            raise
        message = _first_line(error)
        raise EngineError(f"{what} failed: {message} {_advice(error, message)}") from error
    finally:
        noise.disabled = silent


def _is_of_engine(error: Exception) -> bool:
    """Tell an error of an engine by its type, or because the last step was the engine's."""
    if type(error).__module__.partition(".")[0] in _PACKAGES or isinstance(error, OSError | MemoryError):
        return True
    if type(error).__module__ != "builtins":
        return not type(error).__module__.startswith("logiclens")
    frames = [Path(frame.filename).parts for frame in traceback.extract_tb(error.__traceback__)]
    return bool(frames) and not {*_PACKAGES}.isdisjoint(frames[-1])


def _first_line(error: Exception) -> str:
    """The message of an engine as one sentence: its first line that says something."""
    text = str(error).strip() or type(error).__name__
    if isinstance(error, AttributeError) and "NoneType" in text:  # what is left of a session in Python
        return "The SparkSession is stopped."
    if "An error occurred while calling" in text.partition("\n")[0]:  # Java's own words stand below
        text = text.partition("\n")[2].strip().removeprefix(":").strip() or text
        text = re.sub(r"^([\w$]+\.)+[\w$]+(Exception|Error): ", "", text)
    line = text.partition("\n")[0]
    line = re.sub(r"\s*SQLSTATE: \w+.*$", "", line)
    line = "".join(char if char.isprintable() else " " for char in line).strip()
    if len(line) > _MOST_SAID:
        line = f"{line[:_MOST_SAID].rstrip()}..."
    return line if line.endswith((".", "!", "?")) else f"{line}."


_ADVICE = (
    (
        r"OutOfMemory|Out of Memory|MemoryError|OUT_OF_MEMORY",
        "Give the engine more memory, or ask for fewer columns.",
    ),
    (
        r"JAVA_GATEWAY_EXITED|JAVA_HOME",
        "Spark needs Java 17 or later: install it, and set JAVA_HOME.",
    ),
    (
        r"Connection|SparkContext|SparkSession|setCallSite|Py4JNetwork|gateway|closed",
        "Connect again, and open the table anew.",
    ),
    (
        r"Catalog Error|TABLE_OR_VIEW_NOT_FOUND|TableNotFound|[Tt]able .*(does not exist|not found)",
        "The table is gone, or is called otherwise now: open it again.",
    ),
    (
        r"Binder Error|UNRESOLVED_COLUMN|FIELD_NOT_FOUND",
        "The table has other columns than when it was opened: open it again.",
    ),
    (
        r"No files found|FILE_NOT_EXIST|PATH_NOT_FOUND|FileNotFound|No such file|Cannot open file",
        "Check that the files are still there, and open them again.",
    ),
    (r"No space left|disk full|ENOSPC", "Make room on the disk."),
)


def _advice(error: Exception, message: str) -> str:
    """Advice on an error, by its type and its text."""
    text = f"{' '.join(kind.__name__ for kind in type(error).__mro__)} {message}"
    found = (advice for pattern, advice in _ADVICE if re.search(pattern, text))
    return next(found, "Check the table and the state of the engine.")


# Writing


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
    with engine_errors(what):
        connection = table.get_backend()
        name = path.replace("'", "''")
        query = f"COPY ({connection.compile(table)}) TO '{name}' (FORMAT parquet, USE_TMP_FILE false)"
        connection.raw_sql(query).fetchall()


def check_folder(path: Path) -> None:
    """Refuse a folder that is there already, or cannot be made."""
    _make_folder(path).rmdir()


def _make_folder(path: Path) -> Path:
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
    draft = _make_folder(path)
    try:
        with engine_errors(f"Writing {os.fspath(path)!r}"):
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
