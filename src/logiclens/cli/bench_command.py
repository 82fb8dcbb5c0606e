"""``logiclens bench``: the paper's experiments (Sec. 6), and the same methods on any folder of tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from logiclens.cli import options as opt
from logiclens.cli.learning import read
from logiclens.cli.options import Selection, one_of
from logiclens.cli.outputs import Outputs, write_text
from logiclens.cli.terminal import (
    STOPPED,
    Progress,
    checked_output,
    one_line_errors,
    output_console,
    plain_table,
    print_error,
    print_line,
    print_table,
    safe,
    text_table,
)
from logiclens.errors import FileError, ForbiddenFileError, InputError, count, did_you_mean
from logiclens.files._storage import written_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import Console
    from rich.text import Text

    from logiclens.bench import Cell, Experiment, PieceReport, ResultTable, Scoreboard, TableExperiment
    from logiclens.bench.fold_scores import Row
    from logiclens.bench.method import Method
    from logiclens.cli.selection import Dropped, MemoryRows

ALL = "all"
"""The word for every method there is."""
LIMIT = 7200.0


class TableFormat(StrEnum):
    """Forms of printed tables."""

    MARKDOWN = "markdown"
    LATEX = "latex"
    HTML = "html"


FILES = {TableFormat.MARKDOWN: "tables.md", TableFormat.LATEX: "tables.tex", TableFormat.HTML: "tables.html"}
"""File of all tables in each form."""

MethodNames: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        help="Methods to run: name,name,...; the option can be repeated. all: the slow ones, too. "
        "module:Class: a method or classifier of your own.  [default: all that are not slow]",
        metavar="NAMES",
    ),
]
Metrics: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--scoring",
        help="Metrics of your own, as columns of the rows: module:function,...; a function of a HeldOut.",
        metavar="NAMES",
    ),
]
FoldSeed: TypeAlias = Annotated[
    int, typer.Option(help="Draws the folds.", min=0, max=2**32 - 1, metavar="NUMBER")
]
Out: TypeAlias = Annotated[
    Path, typer.Option(help="Folder for results; what is there already is not done again.", metavar="FOLDER")
]
Jobs: TypeAlias = Annotated[
    int,
    typer.Option(
        help="Pieces of work at a time; beyond 1, each is fitted once more by itself for its seconds.",
        min=1,
        metavar="NUMBER",
    ),
]
Scheduler: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Let all workers of this Dask scheduler do the work, such as tcp://host:8786. Seconds are then "
        "those of the workers, whatever else they did.",
        metavar="ADDRESS",
    ),
]
TimeLimit: TypeAlias = Annotated[
    float,
    typer.Option(help="Seconds after which a fit of a slow method is stopped.", min=1.0, metavar="SECONDS"),
]
Format: TypeAlias = Annotated[
    TableFormat | None,
    typer.Option(
        "--format",
        help="Print all tables so, instead of a summary.",
        parser=one_of(TableFormat),
        metavar="|".join(TableFormat),
    ),
]
List: TypeAlias = Annotated[bool, typer.Option("--list", help="Say what can be run, and what it lacks.")]


def choose_names(given: Iterable[str], known: Iterable[str], what: str) -> tuple[str, ...]:
    """Split names at commas, and drop repeated ones.

    Parameters
    ----------
    given : iterable of str
        The texts, one for each time that the option was given.
    known : iterable of str
        The names there are.
    what : str
        What they are names of.

    Raises
    ------
    InputError
        A name that is not among them, or texts without a name.

    Examples
    --------
    >>> choose_names(["mu, tree", "mu"], ["mu", "psi", "tree"], "method")
    ('mu', 'tree')
    """
    names, given = tuple(known), tuple(given)
    found = _split(given)
    for name in found:
        if name not in names:
            raise InputError(
                f"Unknown {what} {name!r}. {did_you_mean(name, names)}The known ones are {', '.join(names)}."
            )
    if given and not found:
        raise InputError(f"No {what} is named. Name some of {', '.join(names)}, or leave the option out.")
    return tuple(found)


def choose_methods(
    given: Sequence[str] | None, known: Mapping[str, Method], *, slow: bool = False, own: bool = False
) -> tuple[Any, ...]:
    """The methods named by the options; prints a line about those that are left out by default.

    Parameters
    ----------
    given : sequence of str, optional
        The texts, one for each time that the option was given.
    known : mapping of str to Method
    slow : bool, default False
        Whether slow methods run without being named.
    own : bool, default False
        Whether ``module:Class`` is a method of one's own; it is returned as such.

    Raises
    ------
    InputError
        An unknown method.
    MissingDependencyError
        A method that was named needs a package that is not installed.
    """
    from logiclens.bench.method import available, object_at
    from logiclens.bench.methods import METHODS, as_method

    places = [name for name in _split(given) if own and ":" in name]
    names = choose_names((name for name in _split(given) if name not in places), (*known, ALL), "method")
    if (names or places) and ALL not in names:
        chosen = available(known, names, print_error) if names else ()
    else:
        offered = {name: method for name, method in known.items() if slow or ALL in names or not method.slow}
        chosen = available(offered, (), print_error)
    found = (name if name in METHODS or not own else known[name] for name in chosen)
    return (*found, *(as_method(object_at(place)) for place in places))


def choose_metrics(given: Sequence[str] | None) -> dict[str, Any]:
    """The metrics that ``module:function`` says, by the names of the functions."""
    from logiclens.bench.method import object_at

    return {place.rpartition(":")[2]: object_at(place) for place in _split(given)}


def _split(given: Iterable[str] | None) -> list[str]:
    """Texts, split at commas, once each."""
    names = (each.strip() for text in given or () for each in text.split(","))
    return [*dict.fromkeys(name for name in names if name)]


def check_folder(out: Path) -> None:
    """Make the folder of results, and check that files can be written to it.

    Raises
    ------
    FileError
        It cannot.
    """
    if out.exists() and not out.is_dir():
        raise FileError(f"{str(out)!r} is a file. Name a folder for results with --out.")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"The folder {str(out)!r} cannot be made: {error.strerror}. Name another one with --out."
        ) from None
    try:
        Outputs(out=out / "rows.csv").check()
    except ForbiddenFileError:
        raise ForbiddenFileError(
            f"The folder {str(out)!r} may not be written to. Name another one with --out.", str(out)
        ) from None


def run_all(work: Callable[..., list[Row]], out: Path, jobs: int, scheduler: str | None = None) -> list[Row]:
    """Do all pieces of work; what is finished is kept when the command is stopped.

    Parameters
    ----------
    work : callable
        Gives all rows, from where results are kept (``results``), how many pieces are worked on at a time
        (``n_jobs``) and whom to tell of each (``progress``).
    out : Path
        Folder of results.
    jobs : int
        Pieces of work at a time, here.
    scheduler : str, optional
        Address of a Dask scheduler whose workers do the work.

    Returns
    -------
    list of rows
        Of this run and, where it went on with another, of that. They are in ``rows.csv``, too.

    Raises
    ------
    typer.Exit
        Ctrl-C was pressed.
    EngineError
        No scheduler answers at the address that was given, or it is gone.
    """
    from logiclens.bench import Results, on_cluster

    results = Results(out)
    try:
        with on_cluster(scheduler) if scheduler is not None else nullcontext(), progress_bar() as report:
            rows = work(results=results, n_jobs=jobs if scheduler is None else -1, progress=report)
        results.save_table(rows)
    except KeyboardInterrupt:
        print_error(
            f"stopped; what is finished is kept in {str(out)!r}. The same command goes on from there."
        )
        raise typer.Exit(STOPPED) from None
    return rows


@contextmanager
def progress_bar() -> Iterator[Callable[[PieceReport], None] | None]:
    """Show a progress bar on standard error if that is a terminal."""
    if not Progress.on_terminal().shown:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    words = TextColumn("{task.description}", markup=False)
    columns = (BarColumn(24), MofNCompleteColumn(), TimeElapsedColumn(), words)
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading the data", total=None)

        def report(step: PieceReport) -> None:
            bar.update(task, completed=step.done, total=step.total, description=safe(step_words(step)))

        yield report


def step_words(step: PieceReport) -> str:
    """Describe a finished piece of work.

    Examples
    --------
    >>> from logiclens.bench import PieceReport
    >>> step_words(PieceReport("mimic2", "tree", (3,), "done", False, False, 4, 10))
    'mimic2, tree, fold 3'
    >>> step_words(PieceReport("mimic2", "mu", (0, 1, 2), "done", True, False, 4, 10))
    'mimic2, mu: was done before'
    """
    place = f", fold {step.folds[0]}" if len(step.folds) == 1 else ""
    end = ": was done before" if step.kept else ", timed" if step.timing else ""
    return f"{step.experiment}, {step.method}{place}{end}"


def show(
    rows: Sequence[Row],
    tables: Sequence[ResultTable],
    figures: Mapping[str, Figure],
    out: Path,
    form: TableFormat | None = None,
    summary: Sequence[ResultTable] | None = None,
) -> None:
    """Write tables and figures to files, print tables, and :func:`print_failures`.

    Parameters
    ----------
    rows, tables, figures
        All there is; figures by the names of their files.
    out : Path
        Folder of results.
    form : TableFormat, optional
        Prints all tables so.
    summary : sequence of ResultTable, optional
        What is printed otherwise; all tables when missing.
    """
    from logiclens.bench import as_document, result_figures

    for each, name in FILES.items():
        write_text(out / name, as_document(tables, each))
    for name, figure in figures.items():
        with written_whole(out / name) as file:
            file.write(result_figures.as_svg(figure))
    with checked_output():
        if form is not None:
            typer.echo(as_document(tables, form), nl=False)
        else:
            _print_tables(tables if summary is None else summary)
            what = "figures" if len(figures) > 1 else "the figure"
            names = ", ".join([*FILES.values(), *figures, "rows.csv"])
            print_line(output_console(), f"All tables, {what} and rows are in {str(out)!r}: {names}.")
    print_failures(rows)


def print_failures(rows: Iterable[Row]) -> None:
    """Print what did not finish, a line for each reason; exit with code 1 if a method failed."""
    from logiclens.bench import DONE, FAILED

    places: dict[str, dict[str, None]] = {}
    for row in rows:
        if row["status"] != DONE:
            places.setdefault(row["status"], {})[f"{row['experiment']}, {row['method']}"] = None
    for status, found in places.items():
        print_error(f"{'; '.join(found)}: {status}")
    if any(status.startswith(FAILED) for status in places):
        raise typer.Exit(1)


def _print_tables(tables: Iterable[ResultTable]) -> None:
    console = output_console()
    for table in map(_brief, tables):
        if console.is_terminal:
            print_shown(console, table)
        else:
            typer.echo(f"{table.to_markdown()}\n")


def _brief(table: ResultTable) -> ResultTable:
    """A table without the messages of errors, which are printed below it."""
    from logiclens.bench import FAILED

    word = FAILED.rstrip(": ")
    lines = (
        tuple(replace(cell, text=word) if cell.text.startswith(FAILED) else cell for cell in line)
        for line in table.lines
    )
    return replace(table, lines=tuple(lines))


def print_shown(console: Console, table: ResultTable) -> None:
    """A table for a terminal: the best figures bold, those of others below ours."""
    print_line(console, table.title, "bold")
    drawn = plain_table(*table.heads)
    for line in table.lines:
        drawn.add_row(*map(_text, line))
    print_table(console, drawn)
    if table.note:
        print_line(console, table.note, "dim")
    console.print()


def _text(cell: Cell) -> Text:
    from rich.text import Text

    text = Text(safe(cell.text), "bold" if cell.best else "")
    if cell.beside:
        text.append(f"\n[{safe(cell.beside)}]", "dim not bold")
    return text


bench = typer.Typer(
    name="bench",
    help="Experiments of the paper, to be run by anyone.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@bench.callback()
def _bench() -> None:
    """Experiments of the paper, to be run by anyone."""


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
"""Descriptions of methods, networks apart."""


@bench.command()
def paper(  # noqa: PLR0913 - the options of a command
    experiment: Annotated[
        list[str] | None,
        typer.Option(
            help="Experiments to run: name,name,...; the option can be repeated.  [default: all whose data "
            "are there]",
            metavar="NAMES",
        ),
    ] = None,
    method: MethodNames = None,
    scoring: Metrics = None,
    folds: Annotated[
        int | None,
        typer.Option(
            help="Run only this many folds of each experiment, from the first.  [default: all]",
            min=1,
            metavar="NUMBER",
        ),
    ] = None,
    fold_seed: FoldSeed = 0,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of the data; LOGICLENS_DATA by default.", metavar="FOLDER")
    ] = None,
    out: Out = Path("results"),
    jobs: Jobs = 1,
    scheduler: Scheduler = None,
    time_limit: TimeLimit = 7200.0,
    form: Format = None,
    what_there_is: List = False,
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
    from logiclens.bench import Scoreboard, paper_tables, run
    from logiclens.bench.methods import every_method

    with one_line_errors():
        if what_there_is:
            _print_what_there_is(data_dir)
            return
        methods = choose_methods(method, every_method(print_error), own=True)
        metrics = choose_metrics(scoring)
        experiments = _choose_experiments(experiment, data_dir, folds, fold_seed)
        check_folder(out)
        work = partial(run, experiments, methods, data_dir=data_dir, time_limit=time_limit, scoring=metrics)
        rows = run_all(partial(work, timings=scheduler is None), out, jobs, scheduler)
        board = Scoreboard(rows, fold_seed=fold_seed)
        summary = [_summary(board, name) for name in board.experiments]
        show(rows, paper_tables(rows, fold_seed), _figures(rows, fold_seed), out, form, summary)


def _figures(rows: Sequence[Row], fold_seed: int) -> dict[str, Figure]:
    """Figures of a run, by the names of their files."""
    from logiclens.bench import FIGURES

    return {f"{name}.svg": draw(rows, fold_seed) for name, draw in FIGURES.items()}


def _choose_experiments(
    given: Sequence[str] | None, data_dir: Path | None, folds: int | None, fold_seed: int
) -> list[Experiment]:
    """The experiments named by the options; by default all whose data are there."""
    from logiclens.bench import EXPERIMENTS

    names = choose_names(given or (), EXPERIMENTS, "experiment")
    wanted = [replace(EXPERIMENTS[name], seed=fold_seed, first=folds) for name in names or EXPERIMENTS]
    lacking = {each.name: why for each in wanted if (why := _missing_data(each, data_dir))}
    if lacking and (names or len(lacking) == len(wanted)):
        raise InputError(next(iter(lacking.values())))
    for name, why in lacking.items():
        print_error(f"{name} is left out. {why}")
    return [each for each in wanted if each.name not in lacking]


def _missing_data(experiment: Experiment, data_dir: Path | None) -> str:
    """The message about the data file that an experiment lacks; empty if all are there."""
    from logiclens.bench import DataFileError

    try:
        experiment.folds(data_dir, ())  # no fold: the data are read, and that is all
    except DataFileError as error:
        return error.text("--data-dir")
    except InputError as error:
        return str(error)
    return ""


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
    from logiclens.bench import EXPERIMENTS
    from logiclens.bench.methods import every_method

    with Progress.on_terminal().show("looking for the data"):
        lacking = {each.name: _missing_data(each, data_dir) for each in EXPERIMENTS.values()}
    experiments = [
        (each.name, f"{each.title}, {each.n_folds} folds. {lacking[each.name] or 'The data are there.'}")
        for each in EXPERIMENTS.values()
    ]
    methods = [(name, _method_words(method)) for name, method in every_method(print_error).items()]
    with checked_output():
        console = output_console()
        print_table(console, text_table("experiment", "what it is", rows=experiments))
        print_table(console, text_table("method", "what it is", rows=methods))


def _method_words(method: Method) -> str:
    """Describe a method, and name the package that it needs."""
    from logiclens.bench.method import is_installed
    from logiclens.bench.scoreboard import is_network

    how = "settings and extraction of the paper" if method.name.endswith("-reference") else "our defaults"
    network = f"{method.name.partition('-')[0]} network, {how}" if is_network(method.name) else method.title
    words = [_METHODS.get(method.name, network)]
    words += ["slow"] * method.slow
    if not is_installed(method.package):
        words.append(f"needs {method.package}: pip install 'logiclens[bench]'")
    return "; ".join(words)


_TimeLimitOfTables: TypeAlias = Annotated[
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


@bench.command()
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
    method: MethodNames = None,
    scoring: Metrics = None,
    folds: Annotated[int, typer.Option(help="Folds of each table.", min=2, metavar="NUMBER")] = 10,
    fold_seed: FoldSeed = 0,
    out: Out = Path("results"),
    jobs: Jobs = 1,
    scheduler: Scheduler = None,
    time_limit: _TimeLimitOfTables = None,
    form: Format = None,
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
    from logiclens.bench import PEERS, Scoreboard, front_figure, front_tables, run, run_fronts
    from logiclens.bench.methods import every_method
    from logiclens.cli.selection import select_rows

    with one_line_errors():
        if front and scoring:
            raise InputError("--scoring is for rows of methods, not for --front. Leave one of them out.")
        known = PEERS if front else every_method(print_error)
        methods = choose_methods(method, known, slow=front, own=not front)
        metrics = choose_metrics(scoring)
        if out.resolve() == folder.resolve():
            raise InputError(f"{str(out)!r} is the folder of tables. Name another one with --out.")
        selection = Selection(target, above=above, holdout=0.0, type_notes=False)

        def select(file: Path) -> MemoryRows:
            layout = opt.FileOptions(delimiter, encoding, decimal)
            return select_rows(read(str(file), Progress(False), layout), selection)

        experiments = _experiments(folder, select, folds, fold_seed)
        check_folder(out)
        if front:
            # In a folder of their own: a method of the same name is another one here.
            work = partial(run_fronts, experiments, methods, fit_seconds=time_limit or _FRONT_LIMIT)
            rows = run_all(work, out / "fronts", jobs, scheduler)
            show(rows, front_tables(rows), {"front.svg": front_figure(rows)}, out / "fronts", form)
            return
        limit = time_limit or LIMIT
        work = partial(
            run, experiments, methods, time_limit=limit, timings=scheduler is None, scoring=metrics
        )
        rows = run_all(work, out, jobs, scheduler)
        summary, every = _ranked_tables(Scoreboard(rows, fold_seed=fold_seed))
        show(rows, every, _figures(rows, fold_seed), out, form, summary)


def _experiments(
    folder: Path, select: Callable[[Path], MemoryRows], folds: int, fold_seed: int
) -> list[TableExperiment]:
    """The tables that can be used; prints a line about each of the others."""
    from logiclens.bench import TableExperiment, table_files

    files = table_files(folder)
    found, why = [], {}
    for file in files:
        try:
            rows = select(file)
            experiment = TableExperiment(file.name, rows.inputs, rows.labels, folds, fold_seed)
            experiment.folds()  # tables without usable columns fail now, not after hours
        except InputError as error:
            why[file.name] = str(error)
        else:
            found.append(experiment)
            for note in (*rows.notes, *_not_used(rows.dropped)):
                print_error(f"{file.name}: {note}")
    if not found and len(files) == 1:
        raise InputError(f"{files[0].name}: {why[files[0].name]}")
    for name, reason in why.items():
        print_error(f"{name} is left out: {reason}")
    if not found:
        raise InputError(f"None of the {count(len(files), 'table')} in {str(folder)!r} can be used.")
    return found


def _not_used(dropped: Sequence[Dropped]) -> Iterator[str]:
    """One line about the columns that are not used."""
    if dropped:
        more = f"; and {len(dropped) - _MOST_COLUMNS} more" if len(dropped) > _MOST_COLUMNS else ""
        named = "; ".join(f"{each.name!r}: {each.why}" for each in dropped[:_MOST_COLUMNS])
        yield f"{count(len(dropped), 'column')} not used: {named}{more}."


def _ranked_tables(board: Scoreboard) -> tuple[list[ResultTable], list[ResultTable]]:
    """Tables to print, and all tables."""
    from logiclens.bench import ranked_table
    from logiclens.bench.result_tables import (
        FOUR,
        consistency_table,
        experiment_table,
        rules_table,
        time_table,
    )

    ranked = [ranked_table(board, column) for column in (*FOUR, "seconds")]
    single = [experiment_table(board, name) for name in board.experiments]
    recurring = [consistency_table(board, adjusted=adjusted) for adjusted in (False, True)]
    every = [*ranked, *recurring, time_table(board), rules_table(board), *single]
    return [table for table in ranked if table.lines], [table for table in every if table.lines]
