"""What goes wrong ends in one line on standard error and an exit code, never in a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from logiclens.errors import LogicLensError


@contextmanager
def clear_errors() -> Iterator[None]:
    """One line on standard error and exit code 1 for errors of ours; no traceback."""
    try:
        yield
    except LogicLensError as error:
        typer.echo(f"logiclens: {error}", err=True)
        raise typer.Exit(1) from None


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
