"""The ``logiclens`` command: a module for each command reads options, calls the library and prints.

All commands are registered here. Heavy packages are imported when a command runs, so that
``logiclens --help`` is quick.
"""

from __future__ import annotations

import os
import signal
import sys
from errno import ENOSPC
from io import TextIOWrapper
from threading import current_thread, main_thread
from types import FrameType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import logiclens
from logiclens.cli.bench_command import bench
from logiclens.cli.blackbox_command import blackbox
from logiclens.cli.cluster_command import cluster
from logiclens.cli.explain_command import demo, explain
from logiclens.cli.explain_row_command import explain_row
from logiclens.cli.predict_command import predict
from logiclens.cli.saved_rules import check, export
from logiclens.cli.terminal import output_failed

__all__ = ["app"]

_ABOUT = "Neural networks over named concepts that say what they do in First-Order Logic."


class Commands(TyperGroup):
    """The commands; they also work where streams are closed, or the disk is full while help is written."""

    def main(self, *args: Any, **settings: Any) -> Any:
        """Run a command, and end the program."""
        _open_streams()
        try:
            return super().main(*args, **settings)
        except OSError as error:
            if error.errno != ENOSPC:
                raise
            sys.exit(output_failed(error))


app = typer.Typer(
    name="logiclens",
    cls=Commands,
    help=_ABOUT,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"logiclens {logiclens.__version__}")
        raise typer.Exit


@app.callback(help=_ABOUT)
def main(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Prepare for a command."""
    _end_in_order()
    if isinstance(sys.stdout, TextIOWrapper):  # a terminal that lacks a sign gets its number, not a traceback
        sys.stdout.reconfigure(errors="backslashreplace")


def _open_streams() -> None:
    """Replace closed streams: the next file would take their number, and get what is printed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))


def _end_in_order() -> None:
    """Let signals end a command in order, so that it removes unfinished files."""
    if current_thread() is main_thread():
        for name in ("SIGTERM", "SIGHUP"):  # not every system has both
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _stop)


def _stop(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


app.command()(explain)
app.command()(blackbox)
app.command()(cluster)
app.command()(demo)
app.command()(export)
app.command()(check)
app.command()(explain_row)
app.command()(predict)
app.add_typer(bench)
