"""What is said when an engine fails: one line of :class:`~logiclens.errors.EngineError`, with advice."""

from __future__ import annotations

import logging
import re
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from logiclens.errors import EngineError, LogicLensError

_PACKAGES = ("ibis", "duckdb", "_duckdb", "pyspark", "py4j", "sqlglot")
_INTERRUPTED = "Query interrupted"
_MOST_SAID = 300  # characters of an engine's message


def fetched(expression: Any, what: str) -> Any:
    """Ask the engine, and return the answer as a table or an array of pyarrow.

    Parameters
    ----------
    expression : Ibis expression
    what : str
        What is being done, to begin the message of an error with: ``"Counting rows"``.
    """
    with asking(what):
        return expression.to_pyarrow()


@contextmanager
def asking(what: str) -> Iterator[None]:
    """Turn what engines raise into :class:`~logiclens.errors.EngineError`: one line, with advice.

    Errors of this package pass, and so do mistakes in its own code. Warnings about how Ibis calls its engines
    are not for the user, and are not shown.

    Parameters
    ----------
    what : str
        What is being done, to begin the message with: ``"Counting rows"``.

    Examples
    --------
    >>> with asking("Counting"):
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
        said = _first_line(error)
        raise EngineError(f"{what} failed: {said} {_advice(error, said)}") from error
    finally:
        noise.disabled = silent


def _is_of_engine(error: Exception) -> bool:
    """Whether an engine raised it: by its type, or because the last step was the engine's."""
    if type(error).__module__.partition(".")[0] in _PACKAGES or isinstance(error, OSError | MemoryError):
        return True
    if type(error).__module__ != "builtins":
        return not type(error).__module__.startswith("logiclens")
    frames = [Path(frame.filename).parts for frame in traceback.extract_tb(error.__traceback__)]
    return bool(frames) and not {*_PACKAGES}.isdisjoint(frames[-1])


def _first_line(error: Exception) -> str:
    """What the engine said, as one sentence: the first line that says something."""
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


def _advice(error: Exception, said: str) -> str:
    """What to do about an error, by its type and its text."""
    text = f"{' '.join(kind.__name__ for kind in type(error).__mro__)} {said}"
    found = (advice for pattern, advice in _ADVICE if re.search(pattern, text))
    return next(found, "Check the table and the state of the engine.")
