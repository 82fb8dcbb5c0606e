"""``logiclens bench paper``: the paper's experiments, with its figures beside ours (Sec. 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from logiclens.cli import bench_runs as runs
from logiclens.cli.failing import clear_errors, tell, written
from logiclens.errors import InputError, count

if TYPE_CHECKING:
    from logiclens.bench import Experiment, ResultTable, Scoreboard
    from logiclens.bench.method import Method

_SUMMARY = {
    "model_accuracy": "model",
    "explanation_accuracy": "rules, macro-F1",
    "complexity": "literals",
    "fidelity": "fidelity",
    "seconds": "seconds",
}
"""Columns of the rows that a summary shows, and what they are called there."""
_METHODS = {
    "tree": "a decision tree, as deep as the experiment has it",
    "brl": "Bayesian rule lists",
    "ripper": "RIPPER: rules grown and pruned one by one",
    "logistic": "logistic regression: no rules, for comparison",
    "mlp": "a multilayer perceptron: no rules, for comparison",
    "boosting": "gradient boosting: no rules, for comparison",
}
"""What methods are, networks apart."""


def paper(  # noqa: PLR0913 - the options of a command
    experiment: Annotated[
        list[str] | None,
        typer.Option(
            help="Experiments to run: name,name,...; the option can be repeated.  [default: all whose data "
            "are there]",
            metavar="NAMES",
        ),
    ] = None,
    method: runs.MethodNames = None,
    folds: Annotated[
        int | None,
        typer.Option(
            help="Run the first so many folds of each experiment.  [default: all]", min=1, metavar="NUMBER"
        ),
    ] = None,
    fold_seed: runs.FoldSeed = 0,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of the data; LOGICLENS_DATA by default.", metavar="FOLDER")
    ] = None,
    out: runs.Out = Path("results"),
    jobs: runs.Jobs = 1,
    scheduler: runs.Scheduler = None,
    time_limit: runs.TimeLimit = 7200.0,
    form: runs.Format = None,
    what_there_is: runs.List = False,
) -> None:
    """Run the experiments of the paper: the same folds for all methods, the paper's figures beside ours.

    Data are not part of the package; a line says where a file that is missing comes from. Each piece of work
    is kept as soon as it is finished: a command that was stopped goes on where it was. Printed is a table for
    each experiment; all tables (Markdown, LaTeX, HTML), figures and one row for each fold go to the folder of
    results.

    \b
    Examples:
      logiclens bench paper --list
          which experiments and methods there are, and what they lack
      logiclens bench paper --experiment vdem --method mu,tree --data-dir data
          one experiment, two methods
      logiclens bench paper --method all --jobs 8
          everything, side by side; slow methods are stopped after two hours a fit
      logiclens bench paper --method all --scheduler tcp://10.0.0.7:8786
          the same, on the workers of a Dask cluster
      logiclens bench paper --fold-seed 1 --out fresh
          other folds than the paper's
    """  # noqa: D301 - \b keeps lines
    with clear_errors():
        if what_there_is:
            _print_what_there_is(data_dir)
            return
        asked = runs.Asked(runs.chosen_methods(method), fold_seed, out, jobs, time_limit, form, scheduler)
        experiments = _chosen_experiments(experiment, data_dir, folds, fold_seed)
        runs.check_folder(out)
        rows = runs.run_all(experiments, asked, data_dir)
        summary, tables = _tables(rows, fold_seed)
        runs.show(summary, tables, rows, asked)


def _chosen_experiments(
    given: Sequence[str] | None, data_dir: Path | None, folds: int | None, fold_seed: int
) -> list[Experiment]:
    """Experiments that were asked for; of all, those whose data are there."""
    from logiclens.bench import EXPERIMENTS

    names = runs.chosen(given or (), EXPERIMENTS, "experiment")
    wanted = [replace(EXPERIMENTS[name], seed=fold_seed, first=folds) for name in names or EXPERIMENTS]
    lacking = {each.name: why for each in wanted if (why := _lacks(each, data_dir))}
    if lacking and (names or len(lacking) == len(wanted)):
        raise InputError(next(iter(lacking.values())))
    for name, why in lacking.items():
        tell(f"{name} is left out. {why}")
    return [each for each in wanted if each.name not in lacking]


def _lacks(experiment: Experiment, data_dir: Path | None) -> str:
    """What keeps an experiment from being run: a file that is missing, and where it comes from."""
    from logiclens.bench import DataFileError

    try:
        experiment.folds(data_dir, ())  # no fold: the data are read, and that is all
    except DataFileError as error:
        return error.text("--data-dir")
    except InputError as error:
        return str(error)
    return ""


def _tables(rows: Sequence[dict[str, Any]], fold_seed: int) -> tuple[list[ResultTable], list[ResultTable]]:
    """Tables to print, and all tables."""
    from logiclens.bench import Scoreboard, paper_tables

    board = Scoreboard(rows, fold_seed=fold_seed)
    return [_summary(board, name) for name in board.experiments], paper_tables(rows, fold_seed)


def _summary(board: Scoreboard, experiment: str) -> ResultTable:
    """A table of one experiment that fits a terminal."""
    from logiclens.bench import MEASURES, ResultTable
    from logiclens.bench.result_tables import experiment_table

    whole = experiment_table(board, experiment)
    titles = {MEASURES[column].title: short for column, short in _SUMMARY.items()}
    kept = [0, *(at for at, head in enumerate(whole.heads) if head in titles)]
    heads = tuple(titles.get(whole.heads[at], "") for at in kept)
    lines = tuple(tuple(line[at] for at in kept) for line in whole.lines)
    n_folds = max(len(board.folds(experiment, name)) for name in board.methods)
    errors = ", and their standard errors" if n_folds > 1 else ""
    note = f"Rates in percent; means over {count(n_folds, 'fold')}{errors}."
    if any(cell.beside for line in lines for cell in line):
        note += " In brackets: the paper."
    return ResultTable(whole.title, heads, lines, f"{note} {whole.note}".rstrip())


def _print_what_there_is(data_dir: Path | None) -> None:
    from logiclens.bench import EXPERIMENTS, METHODS
    from logiclens.cli.printing import output_console, print_table, text_table
    from logiclens.cli.progress import Progress

    with Progress.on_terminal().doing("looking for the data"):
        lacking = {each.name: _lacks(each, data_dir) for each in EXPERIMENTS.values()}
    experiments = [
        (each.name, f"{each.title}, {each.n_folds} folds. {lacking[each.name] or 'The data are there.'}")
        for each in EXPERIMENTS.values()
    ]
    methods = [(name, _method_words(method)) for name, method in METHODS.items()]
    with written():
        console = output_console()
        print_table(console, text_table("experiment", "what it is", rows=experiments))
        print_table(console, text_table("method", "what it is", rows=methods))


def _method_words(method: Method) -> str:
    """What a method is, and what it lacks."""
    from logiclens.bench.method import is_installed

    how = "settings and extraction of the paper" if method.name.endswith("-reference") else "our defaults"
    words = [_METHODS.get(method.name, f"{method.name.partition('-')[0]} network, {how}")]
    words += ["slow"] * method.slow
    if not is_installed(method.package):
        words.append(f"needs {method.package}: pip install 'logiclens[bench]'")
    return "; ".join(words)
