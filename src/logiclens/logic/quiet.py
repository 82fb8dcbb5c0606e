"""Keep what a solver prints by itself out of the standard output.

HiGHS, which SciPy solves integer programs with, now and then prints a line of its own to the standard output
of the process, whatever it is told. Where the output is a table for another program that is damage. So the
output goes nowhere while a program is solved: below Python, since the line comes from below.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock

_lock = Lock()
_inside = 0  # threads that are solving
_kept = -1  # the standard output, while they are


@contextmanager
def silent_output() -> Iterator[None]:
    """The standard output of the process leads nowhere inside; threads may be inside together.

    Examples
    --------
    >>> with silent_output():
    ...     _ = os.write(1, b"not seen")
    """
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _inside, _kept
    with _lock:
        _inside += 1
        if _inside > 1:
            return
        _flush()
        try:
            _kept = os.dup(1)
        except OSError:  # there is no standard output
            _kept = -1
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)


def _leave() -> None:
    global _inside, _kept
    with _lock:
        _inside -= 1
        if _inside or _kept < 0:
            return
        _flush()
        os.dup2(_kept, 1)
        os.close(_kept)
        _kept = -1


def _flush() -> None:
    """Write out what Python and the C library still hold back."""
    with suppress(AttributeError, OSError, ValueError):  # no output, or one that is closed
        sys.stdout.flush()
    with suppress(AttributeError, OSError, TypeError):  # a platform whose C library is found otherwise
        ctypes.CDLL(None).fflush(None)
