"""The commands together: what ``logiclens`` says without one, and which there are."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

import logiclens
from logiclens.cli.blackbox import blackbox
from logiclens.cli.check import check
from logiclens.cli.cluster import cluster
from logiclens.cli.demo import demo
from logiclens.cli.explain import explain
from logiclens.cli.explain_row import explain_row
from logiclens.cli.export import export
from logiclens.cli.predict import predict

_ABOUT = "Neural networks over named concepts that say what they do in First-Order Logic."

app = typer.Typer(
    name="logiclens",
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
    """Read what comes before a command."""
    if isinstance(sys.stdout, TextIOWrapper):  # a terminal that lacks a sign gets its number, not a traceback
        sys.stdout.reconfigure(errors="backslashreplace")


app.command()(explain)
app.command()(blackbox)
app.command()(cluster)
app.command()(demo)
app.command()(export)
app.command()(check)
app.command()(explain_row)
app.command()(predict)
