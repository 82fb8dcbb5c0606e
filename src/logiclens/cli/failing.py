"""What goes wrong ends in one line on standard error and an exit code, never in a traceback.

Exit codes: 0 all is well, 1 refused or failed, 2 wrong usage (typer says so), 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from logiclens.cli.printing import safe
from logiclens.errors import LogicLensError

STOPPED = 130
"""Exit code after Ctrl-C, as shells have it."""


@contextmanager
def clear_errors() -> Iterator[None]:
    """One line on standard error and an exit code for errors of ours; no traceback, no raw warnings."""
    try:
        with _without_remarks():
            yield
    except LogicLensError as error:
        _tell(str(error))
        raise typer.Exit(1) from None
    except MemoryError:
        _tell("There is not enough memory for this. Take fewer rows or columns.")
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        _tell("stopped; no file is half-written.")
        raise typer.Exit(STOPPED) from None


def _tell(message: str) -> None:
    typer.echo(f"logiclens: {safe(message)}", err=True)


@contextmanager
def _without_remarks() -> Iterator[None]:
    """Keep warnings and log lines, which are for programmers, off the screen."""
    log, nowhere = logging.getLogger("logiclens"), logging.NullHandler()
    log.addHandler(nowhere)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.removeHandler(nowhere)


@contextmanager
def written() -> Iterator[None]:
    """No traceback when the output cannot be written: a reader that went away, or a full disk."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        raise typer.Exit(1) from None
    except OSError as error:
        _drop_output()
        typer.echo(f"logiclens: the output cannot be written: {error.strerror}.", err=True)
        raise typer.Exit(1) from None


def _drop_output() -> None:
    """What is still waiting to be written goes nowhere; Python would try once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
