"""``logiclens bench tables``: the methods of the paper's experiments, on any folder of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from logiclens.cli import bench_runs as runs
from logiclens.cli import options as opt
from logiclens.cli.bench_fronts import chosen_peers, run_fronts
from logiclens.cli.failing import clear_errors, tell
from logiclens.errors import InputError, count

if TYPE_CHECKING:
    from logiclens.bench import ResultTable, TableExperiment
    from logiclens.cli.preparing import Dropped, Prepared

_TimeLimit: TypeAlias = Annotated[
    float | None,
    typer.Option(
        help="Seconds after which a fit of a slow method is stopped; with --front, what a fit may take "
        "before no larger size is tried.  [default: 7200, with --front 60]",
        min=1.0,
        metavar="SECONDS",
    ),
]
_FRONT_LIMIT = 60.0
"""Seconds that a fit may take with ``--front``."""
_MOST_COLUMNS = 12
"""Columns without a use that are named, of each table."""


def tables(  # noqa: PLR0913 - the options of a command
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of tables: CSV, TSV or Parquet, also compressed.")
    ],
    target: Annotated[
        str, typer.Option("--target", "-t", help="Column of the classes, in every table.", metavar="COLUMN")
    ] = "target",
    above: Annotated[
        float | None,
        typer.Option(
            help="For a target of numbers: two classes, above this limit and not.", metavar="NUMBER"
        ),
    ] = None,
    front: Annotated[
        bool,
        typer.Option(
            "--front",
            help="Compare rule learners at every length instead: ours, CART, STreeD, FIGS, RIPPER and RUG, "
            "beside models without rules.",
        ),
    ] = False,
    method: runs.MethodNames = None,
    folds: Annotated[int, typer.Option(help="Folds of each table.", min=2, metavar="NUMBER")] = 10,
    fold_seed: runs.FoldSeed = 0,
    out: runs.Out = Path("results"),
    jobs: runs.Jobs = 1,
    scheduler: runs.Scheduler = None,
    time_limit: _TimeLimit = None,
    form: runs.Format = None,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None,
    decimal: opt.Decimal = None,
) -> None:
    """Compare methods on tables of your own: the metrics of the paper, and the mean rank of each method.

    Each table of the folder is drawn into folds, class by class; cut points are learned in each fold from its
    training rows. A table that lacks the target is left out, and so are rows without a value of it and
    columns that cannot be used; a line says so. Each piece of work is kept as soon as it is finished: a
    command that was stopped goes on where it was.

    \b
    Examples:
      logiclens bench tables data/ --target outcome
          all methods that are not slow, on all tables
      logiclens bench tables data/ --target outcome --method mu,tree,ripper --folds 5
          some methods, fewer folds
      logiclens bench tables data/ --target outcome --format latex > tables.tex
          for a paper of your own
      logiclens bench tables data/ --target outcome --front --method mu,cart,figs
          accuracy against length, each method choosing its size up to limits of length
    """  # noqa: D301 - \b keeps lines
    from logiclens.cli.preparing import Wish, prepare
    from logiclens.files import read_table

    with clear_errors():
        methods = chosen_peers(method) if front else runs.chosen_methods(method)
        limit = time_limit or (_FRONT_LIMIT if front else runs.LIMIT)
        asked = runs.Asked(methods, fold_seed, out, jobs, limit, form, scheduler)
        if out.resolve() == folder.resolve():
            raise InputError(f"{str(out)!r} is the folder of tables. Name another one with --out.")
        read = partial(read_table, delimiter=delimiter, encoding=encoding, decimal=decimal)
        wish = Wish(target, above=above, holdout=0.0)
        experiments = _experiments(folder, lambda file: prepare(read(file), wish), folds, fold_seed)
        runs.check_folder(out)
        if front:
            run_fronts(experiments, asked)
            return
        rows = runs.run_all(experiments, asked)
        summary, every = _tables(rows, fold_seed)
        runs.show(summary, every, rows, asked)


def _experiments(
    folder: Path, read: Callable[[Path], Prepared], folds: int, fold_seed: int
) -> list[TableExperiment]:
    """Tables that can be used; a line tells of each that cannot."""
    from logiclens.bench import table_files

    files = table_files(folder)
    found, why = [], {}
    for file in files:
        try:
            found.append(_experiment(file.name, read(file), folds, fold_seed))
        except InputError as error:
            why[file.name] = str(error)
    if not found and len(files) == 1:
        raise InputError(f"{files[0].name}: {why[files[0].name]}")
    for name, reason in why.items():
        tell(f"{name} is left out: {reason}")
    if not found:
        raise InputError(f"None of the {count(len(files), 'table')} in {str(folder)!r} can be used.")
    return found


def _experiment(name: str, prepared: Prepared, folds: int, fold_seed: int) -> TableExperiment:
    from logiclens.bench import TableExperiment

    experiment = TableExperiment(name, prepared.inputs, prepared.labels, folds, fold_seed)
    experiment.folds()  # what no concept can be made of is told now, and not after hours
    for note in (*prepared.notes, *_not_used(prepared.dropped)):
        tell(f"{name}: {note}")
    return experiment


def _not_used(dropped: Sequence[Dropped]) -> Iterator[str]:
    """Columns without a use, and why, in a line."""
    if dropped:
        more = f"; and {len(dropped) - _MOST_COLUMNS} more" if len(dropped) > _MOST_COLUMNS else ""
        named = "; ".join(f"{each.name!r}: {each.why}" for each in dropped[:_MOST_COLUMNS])
        yield f"{count(len(dropped), 'column')} not used: {named}{more}."


def _tables(rows: Sequence[dict[str, Any]], fold_seed: int) -> tuple[list[ResultTable], list[ResultTable]]:
    """Tables to print, and all tables."""
    from logiclens.bench import Scoreboard, ranked_table
    from logiclens.bench.result_tables import (
        FOUR,
        consistency_table,
        experiment_table,
        rules_table,
        time_table,
    )

    board = Scoreboard(rows, fold_seed=fold_seed)
    ranked = [ranked_table(board, column) for column in (*FOUR, "seconds")]
    single = [experiment_table(board, name) for name in board.experiments]
    recurring = [consistency_table(board, adjusted=adjusted) for adjusted in (False, True)]
    every = [*ranked, *recurring, time_table(board), rules_table(board), *single]
    return [table for table in ranked if table.lines], [table for table in every if table.lines]
