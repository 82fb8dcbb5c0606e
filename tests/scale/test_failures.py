from __future__ import annotations

import logging
import os
import warnings

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from logiclens.errors import EngineError, InputError
from logiclens.scale.engine import read
from logiclens.scale.failures import asking, fetched
from tests.scale.tables import in_duckdb


def said(call) -> str:
    with pytest.raises(EngineError) as caught:
        call()
    assert caught.value.__cause__ is not None
    return str(caught.value)


def test_a_table_that_is_gone():
    table = in_duckdb({"a": [1]})
    table.get_backend().raw_sql("DROP TABLE t")

    assert said(lambda: fetched(table.count(), "Counting")) == (
        "Counting failed: Catalog Error: Table with name t does not exist! "
        "The table is gone, or is called otherwise now: open it again."
    )


def test_a_column_that_is_gone():
    table = in_duckdb({"a": [1]})
    table.get_backend().raw_sql("ALTER TABLE t RENAME COLUMN a TO b")

    assert said(lambda: fetched(table["a"].sum(), "Adding")) == (
        'Adding failed: Binder Error: Table "t0" does not have a column named "a". '
        "The table has other columns than when it was opened: open it again."
    )


def test_a_file_that_is_gone(tmp_path):
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    table = read(path)
    os.remove(path)

    assert said(lambda: fetched(table.count(), "Counting")) == (
        f'Counting failed: IO Error: No files found that match the pattern "{path}". '
        "Check that the files are still there, and open them again."
    )


def test_a_connection_that_is_closed():
    table = in_duckdb({"a": [1]})
    table.get_backend().disconnect()

    assert said(lambda: fetched(table.count(), "Counting")) == (
        "Counting failed: Connection Error: Connection has already been closed. "
        "Connect again, and open the table anew."
    )


def test_not_enough_memory():
    connection = ibis.duckdb.connect(memory_limit="10MB", temp_directory="", threads=1)
    connection.raw_sql("CREATE VIEW t AS SELECT range AS a, hash(range) AS b FROM range(2000000)")
    with asking("Opening"):
        table = connection.table("t")
    text = said(lambda: fetched(table.order_by("b").limit(1900000, offset=9)["a"].sum(), "Sorting"))

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
        with asking("Asking"):
            raise error

    assert said(fail) == f"Asking failed: {message}"


def test_a_session_that_is_stopped(tmp_path):
    """What is left of it in Python raises AttributeError, somewhere in pyspark."""
    code = compile_in(tmp_path / "pyspark", "def fail():\n    None.setCallSite\n")

    def fail():
        with asking("Asking"):
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
    with pytest.raises(type(error)) as caught, asking("Asking"):
        raise error
    assert caught.value is error


def test_warnings_of_libraries_are_not_shown_and_logging_is_as_before():
    logger = logging.getLogger("SQLQueryContextLogger")
    with asking("Asking"):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        assert logger.disabled
    assert not logger.disabled
    with pytest.warns(DeprecationWarning, match="old"):
        warnings.warn("old", DeprecationWarning, stacklevel=1)


def test_a_query_that_is_interrupted():
    """What DuckDB raises after Ctrl-C."""
    with pytest.raises(KeyboardInterrupt), asking("Asking"):
        raise RuntimeError("Query interrupted")
