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
from typing import NoReturn

import typer

from logiclens.cli.printing import safe
from logiclens.errors import LogicLensError

WRONG_USAGE = 2
"""Exit code where the command itself makes no sense, as typer has it."""
STOPPED = 130
"""Exit code after Ctrl-C, as shells have it."""


@contextmanager
def clear_errors() -> Iterator[None]:
    """One line on standard error and an exit code for errors of ours; no traceback, no raw warnings."""
    try:
        with _without_remarks():
            yield
    except LogicLensError as error:
        tell(str(error))
        raise typer.Exit(1) from None
    except MemoryError:
        tell("There is not enough memory for this. Take fewer rows or columns.")
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        tell("stopped; no file is half-written.")
        raise typer.Exit(STOPPED) from None


def wrong_usage(message: str) -> NoReturn:
    """Say what is wrong with a command, in one line, and end it."""
    tell(message)
    raise typer.Exit(WRONG_USAGE)


def tell(message: str) -> None:
    """Print one line on standard error."""
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
    except LogicLensError:  # some are about files, and of the kind that the system raises
        raise
    except BrokenPipeError:
        _drop_output()
        raise typer.Exit(1) from None
    except OSError as error:
        raise typer.Exit(output_failed(error)) from None


def output_failed(error: OSError) -> int:
    """Say why the output cannot be written; the exit code."""
    _drop_output()
    tell(f"The output cannot be written: {error.strerror or error}. Send it to another place.")
    return 1


def _drop_output() -> None:
    """What is still waiting to be written goes nowhere; Python would try once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
