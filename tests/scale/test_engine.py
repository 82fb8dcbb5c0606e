from __future__ import annotations

import gc
import logging
import os
import sys
import warnings
from pathlib import Path

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from logiclens.errors import (
    EngineError,
    FileError,
    InputError,
    MissingDependencyError,
    MissingFileError,
    UnknownColumnError,
    UnknownColumnsError,
)
from logiclens.scale import _engine
from logiclens.scale._engine import (
    check_columns,
    check_table,
    engine_errors,
    fetch,
    ibis_module,
    read,
)
from tests.scale.tables import in_duckdb, in_memory

ROWS = {"age": [62, 30, None], "sex": ["m", None, "f"]}


@pytest.fixture
def folder(tmp_path):
    """Two Parquet files below each other, and a CSV file."""
    (tmp_path / "more").mkdir()
    pq.write_table(pa.table(ROWS), tmp_path / "a.parquet")
    pq.write_table(pa.table(ROWS), tmp_path / "more" / "b.parquet")
    (tmp_path / "c.csv").write_text("age,sex\n62,m\n30,\n,f\n", encoding="utf-8")
    (tmp_path / "t.tsv").write_text("age\tsex\n62\tm\n30\t\n\tf\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("source", "n_rows"),
    [
        ("a.parquet", 3),
        ("*.parquet", 3),
        ("**/*.parquet", 6),
        (".", 6),
        ("c.csv", 3),
        ("[cx].csv", 3),
        ("t.tsv", 3),
    ],
)
def test_files_are_opened(folder, source, n_rows):
    table = read(f"{folder}/{source}", memory="500MB")

    assert table.columns == ("age", "sex")
    assert fetch(table.count(), "Counting").as_py() == n_rows
    assert fetch(table.limit(3), "Reading").to_pydict() == ROWS


def test_folders_of_values_above_the_source_do_not_count(tmp_path):
    path = tmp_path / "run=7" / "day=1" / "a.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table({"age": [10]}), path)

    assert read(path).columns == ("age",)
    assert read(tmp_path / "run=7").columns == ("age", "day")
    assert set(read(tmp_path).columns) == {"age", "run", "day"}
    pq.write_table(pa.table({"age": [3]}), tmp_path / "b.parquet")
    with pytest.raises(
        InputError, match=r"^'.*/b\.parquet' lies in no folder key=value and '.*' in folders of"
    ):
        read(tmp_path)


def test_memory_is_limited_and_what_does_not_fit_goes_to_a_folder_that_is_removed(folder):
    table = read(folder / "a.parquet", memory="1.5 GiB")
    connection = table.get_backend()
    (limit, spill) = connection.raw_sql(
        "SELECT current_setting('memory_limit'), current_setting('temp_directory')"
    ).fetchone()

    assert limit == "1.5 GiB"
    assert Path(spill).is_dir()
    del table, connection
    gc.collect()
    assert not Path(spill).exists()


def test_a_source_that_is_not_there(folder):
    (folder / "empty").mkdir()
    with pytest.raises(MissingFileError, match=r"There is no file or folder '.*/b\.parquet'"):
        read(f"{folder}/b.parquet")
    with pytest.raises(MissingFileError, match="No file fits the pattern "):
        read(f"{folder}/x*.parquet")
    with pytest.raises(FileError, match=r"The folder '.*/empty' holds no Parquet file"):
        read(folder / "empty")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((None,), "source must be the path of a file, of a folder or a"),
        (("",), "source must be the path of a file, of a folder or a"),
        (("c.csv", "dukdb"), "Unknown engine 'dukdb'."),
        (("c.csv", None), "Unknown engine None."),
    ],
)
def test_what_cannot_be_read(arguments, message):
    with pytest.raises(InputError, match=message):
        read(*arguments)


def test_a_query_that_is_stopped_ends(folder):
    """Threads that wrote Parquet while others computed could wait for each other for ever after Ctrl-C."""
    connection = read(folder / "a.parquet").get_backend()

    assert connection.raw_sql("SELECT current_setting('async_threads')").fetchone() == (0,)


@pytest.mark.parametrize("memory", ["lots", "4", 4, "-1GB", "0GB", "4GB of it"])
def test_an_amount_of_memory(memory):
    with pytest.raises(InputError, match="memory must be an amount such as '4GB' or '500MB'"):
        read("c.csv", memory=memory)


def test_a_file_of_another_kind():
    with pytest.raises(InputError, match="An engine reads Parquet"):
        read(__file__)


@pytest.mark.parametrize(
    ("missing", "call", "message"),
    [
        ("ibis", ibis_module, "Tables in an engine need Ibis, which is not installed."),
        ("duckdb", lambda: _engine._duckdb(None), "The engine 'duckdb' needs DuckDB, which is not"),
        ("pyspark.sql", lambda: _engine._spark(None), "The engine 'spark' needs PySpark, which is not"),
    ],
)
def test_an_engine_that_is_not_installed(monkeypatch, missing, call, message):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingDependencyError, match=message):
        call()


def test_a_table_is_a_table_of_ibis():
    table = in_memory(ROWS)
    assert check_table(table) is table
    with pytest.raises(InputError, match="The table must be an Ibis table"):
        check_table(pa.table(ROWS))


def test_columns_that_are_lacking():
    table = in_memory(ROWS)
    check_columns(table, ["sex", "age", "sex"])
    with pytest.raises(UnknownColumnError, match="The data lack the column 'agee'"):
        check_columns(table, ["agee", "sex"], "The rules need it.")
    with pytest.raises(UnknownColumnsError, match="The data lack 2 columns:"):
        check_columns(table, ["a", "b"])


def test_columns_that_differ_in_case_only():
    table = in_memory({"a": [1], "A": [2], "b": [3]})
    check_columns(table, ["b"])
    with pytest.raises(InputError, match="'a' and 'A' are one column in DuckDB"):
        check_columns(table, ["A"])


def test_duckdb_tells_case_of_other_letters_than_those_of_english():
    table = in_duckdb({"É": [1], "é": [2]})
    check_columns(table, ["É", "é"])
    assert fetch(table, "Reading").to_pylist() == [{"É": 1, "é": 2}]


def test_a_file_with_columns_that_differ_in_case_only(tmp_path):
    """DuckDB would call the second one by another name."""
    pq.write_table(pa.table({"b": [3], "a": [1], "A": [2]}), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="'a' and 'A' are one column in DuckDB"):
        read(tmp_path)


class Session:
    """Stands for a Spark session: its settings, and the table that knows it."""

    def __init__(self, *, substitutes: bool = False, tells_case: bool = False) -> None:
        self.conf = self._session = self
        self.name = "pyspark"
        self.columns = ("a", "A", "${b}", "É", "é")
        self.settings = {"spark.sql.variable.substitute": substitutes, "spark.sql.caseSensitive": tells_case}

    def get(self, setting: str) -> str:
        return str(self.settings[setting]).lower()

    def get_backend(self) -> Session:
        return self

    def _find_backends(self):
        return [self], False


def test_a_name_that_spark_would_replace():
    check_columns(Session(), ["${b}"])
    with pytest.raises(InputError, match="' cannot be a column in this Spark session, which"):
        check_columns(Session(substitutes=True), ["${b}"])


def test_spark_can_be_told_to_tell_case():
    check_columns(Session(substitutes=True, tells_case=True), ["a", "A"])
    for column, twins in (("A", "'a' and 'A'"), ("é", "'É' and 'é'")):
        with pytest.raises(InputError) as caught:
            check_columns(Session(), [column])
        assert str(caught.value) == f"{twins} are one column in Spark. Rename one of the columns."


def test_nothing_is_imported_before_it_is_needed():
    """The package itself can be looked at without an engine."""
    import subprocess

    code = (
        "import sys, logiclens.scale._engine; "
        "print({'ibis', 'duckdb', 'pyspark', 'torch'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"


def said(call) -> str:
    with pytest.raises(EngineError) as caught:
        call()
    assert caught.value.__cause__ is not None
    return str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "DROP TABLE t",
            "Catalog Error: Table with name t does not exist! "
            "The table is gone, or is called otherwise now: open it again.",
        ),
        (
            "ALTER TABLE t RENAME COLUMN a TO b",
            'Binder Error: Table "t0" does not have a column named "a". '
            "The table has other columns than when it was opened: open it again.",
        ),
    ],
)
def test_a_table_that_changes(change, message):
    table = in_duckdb({"a": [1]})
    table.get_backend().raw_sql(change)

    assert said(lambda: fetch(table["a"].sum(), "Adding")) == f"Adding failed: {message}"


def test_a_file_that_is_gone(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    table = read(path)
    os.remove(path)

    assert said(lambda: fetch(table.count(), "Counting")) == (
        f'Counting failed: IO Error: No files found that match the pattern "{path}". '
        "Check that the files are still there, and open them again."
    )


def test_a_connection_that_is_closed():
    table = in_duckdb({"a": [1]})
    table.get_backend().disconnect()

    assert said(lambda: fetch(table.count(), "Counting")) == (
        "Counting failed: Connection Error: Connection has already been closed. "
        "Connect again, and open the table anew."
    )


def test_not_enough_memory():
    connection = ibis.duckdb.connect(memory_limit="10MB", temp_directory="", threads=1)
    connection.raw_sql("CREATE VIEW t AS SELECT range AS a, hash(range) AS b FROM range(2000000)")
    with engine_errors("Opening"):
        table = connection.table("t")
    text = said(lambda: fetch(table.order_by("b").limit(1900000, offset=9)["a"].sum(), "Sorting"))

    assert text.startswith("Sorting failed: Out of Memory Error: ")
    assert text.endswith(". Give the engine more memory, or ask for fewer columns.")


class Py4JJavaError(Exception):
    """Stands for what Spark raises; its module is no builtin's."""


JAVA = """An error occurred while calling o170.collectToPython.
: org.apache.spark.SparkException: [FAILED_READ_FILE.FILE_NOT_EXIST] File a.parquet is gone. SQLSTATE: KD001
\tat org.apache.spark.Somewhere(Somewhere.scala:1)"""


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            Py4JJavaError(JAVA),
            "[FAILED_READ_FILE.FILE_NOT_EXIST] File a.parquet is gone. "
            "Check that the files are still there, and open them again.",
        ),
        (
            Py4JJavaError("[JAVA_GATEWAY_EXITED] Java gateway process exited"),
            "[JAVA_GATEWAY_EXITED] Java gateway process exited. "
            "Spark needs Java 17 or later: install it, and set JAVA_HOME.",
        ),
        (ConnectionResetError("gone"), "gone. Connect again, and open the table anew."),
        (OSError("No space left on device"), "No space left on device. Make room on the disk."),
        (MemoryError(), "MemoryError. Give the engine more memory, or ask for fewer columns."),
        (Py4JJavaError("odd\x00\x1b[31m\nmore"), "odd  [31m. Check the table and the state of the engine."),
        (Py4JJavaError("x" * 400), "x" * 300 + "... Check the table and the state of the engine."),
    ],
    ids=["Java", "no Java", "connection", "disk", "memory", "signs", "long"],
)
def test_what_is_said(error, message):
    def fail():
        with engine_errors("Asking"):
            raise error

    assert said(fail) == f"Asking failed: {message}"


def test_a_session_that_is_stopped(tmp_path):
    """What is left of it in Python raises AttributeError, somewhere in pyspark."""
    code = compile_in(tmp_path / "pyspark", "def fail():\n    None.setCallSite\n")

    def fail():
        with engine_errors("Asking"):
            code()

    assert said(fail) == "Asking failed: The SparkSession is stopped. Connect again, and open the table anew."


def compile_in(folder, source):
    """The function ``fail`` of a module in a folder of that name."""
    import importlib.util

    folder.mkdir()
    path = folder / "inside.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("inside", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.fail


@pytest.mark.parametrize("error", [KeyError("k"), TypeError("t"), InputError("i"), KeyboardInterrupt()])
def test_what_is_no_failure_of_an_engine_passes(error):
    with pytest.raises(type(error)) as caught, engine_errors("Asking"):
        raise error
    assert caught.value is error


def test_warnings_of_libraries_are_not_shown_and_logging_is_as_before():
    logger = logging.getLogger("SQLQueryContextLogger")
    with engine_errors("Asking"):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        assert logger.disabled
    assert not logger.disabled
    with pytest.warns(DeprecationWarning, match="old"):
        warnings.warn("old", DeprecationWarning, stacklevel=1)


def test_a_query_that_is_interrupted():
    """What DuckDB raises after Ctrl-C."""
    with pytest.raises(KeyboardInterrupt), engine_errors("Asking"):
        raise RuntimeError("Query interrupted")
