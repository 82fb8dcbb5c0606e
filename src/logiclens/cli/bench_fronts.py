"""``logiclens bench tables --front``: rule learners over the whole front of accuracy against length."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from logiclens.cli import bench_runs as runs
from logiclens.cli.failing import STOPPED, tell, written
from logiclens.cli.outputs import write_text
from logiclens.cli.printing import output_console, say
from logiclens.files._atomic import written_whole

if TYPE_CHECKING:
    from logiclens.bench import ResultTable, TableExperiment

FOLDER = "fronts"
"""Folder of the results, within that of all results: a method may have the same name elsewhere."""
FIGURE = "front.svg"


def chosen_peers(given: Sequence[str] | None) -> tuple[str, ...]:
    """Methods that were asked for; a line tells which of the others are left out.

    Raises
    ------
    InputError
        An unknown method.
    MissingDependencyError
        A method that was named needs a package that is not installed.
    """
    from logiclens.bench import PEERS
    from logiclens.bench.fronts import available

    names = runs.chosen(given or (), (*PEERS, runs.ALL), "method")
    return available(() if runs.ALL in names else names, tell)


def run_fronts(experiments: Sequence[TableExperiment], asked: runs.Asked) -> None:
    """Sweep all methods over all tables, write tables, figure and rows, and print the tables.

    Parameters
    ----------
    experiments : sequence of TableExperiment
    asked : Asked
        Its time limit is that of one fit.

    Raises
    ------
    typer.Exit
        With code 1, where a method failed; Ctrl-C was pressed.
    """
    from logiclens.bench import Results, as_document, as_svg, front_figure, front_tables, fronts

    folder = asked.out / FOLDER
    results = Results(folder)
    try:
        with runs.work_on(asked.scheduler), runs.progress_bar() as report:
            rows = fronts.run_fronts(
                experiments,
                asked.methods,
                results=results,
                fit_seconds=asked.time_limit,
                n_jobs=asked.jobs if asked.scheduler is None else -1,
                progress=report,
            )
        results.save_table(rows)
    except KeyboardInterrupt:
        tell(f"stopped; what is finished is kept in {str(folder)!r}. The same command goes on from there.")
        raise typer.Exit(STOPPED) from None
    tables = front_tables(rows)
    for form, name in runs.FILES.items():
        write_text(folder / name, as_document(tables, form))
    with written_whole(folder / FIGURE) as file:
        file.write(as_svg(front_figure(rows)))
    with written():
        if asked.form is not None:
            typer.echo(as_document(tables, asked.form), nl=False)
        else:
            _print(tables, folder)
    runs.tell_failures(rows)


def _print(tables: Sequence[ResultTable], folder: Path) -> None:
    console = output_console()
    for table in tables:
        if console.is_terminal:
            runs.print_shown(console, table)
        else:
            typer.echo(f"{table.to_markdown()}\n")
    files = (*runs.FILES.values(), FIGURE, "rows.csv")
    say(console, f"All tables, the figure and rows are in {str(folder)!r}: {', '.join(files)}.")
