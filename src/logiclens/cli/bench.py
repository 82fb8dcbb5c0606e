"""``logiclens bench``: experiments of the paper, to be run by anyone."""

from __future__ import annotations

import typer

from logiclens.cli.bench_paper import paper
from logiclens.cli.bench_tables import tables

bench = typer.Typer(
    name="bench",
    help="Experiments of the paper, to be run by anyone.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@bench.callback()
def _bench() -> None:
    """Experiments of the paper, to be run by anyone."""


bench.command()(paper)
bench.command()(tables)
