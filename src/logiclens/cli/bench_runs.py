"""What ``logiclens bench paper`` and ``bench tables`` share: methods, a run that can be stopped, files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import typer

from logiclens.cli.options import one_of
from logiclens.cli.outputs import Outputs, write_text
from logiclens.cli.terminal import (
    STOPPED,
    Progress,
    checked_output,
    output_console,
    plain_table,
    print_error,
    print_line,
    print_table,
    safe,
)
from logiclens.errors import FileError, ForbiddenFileError, InputError, did_you_mean
from logiclens.files._atomic import written_whole

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from logiclens.bench import Cell, HasFolds, PieceReport, ResultTable

ALL = "all"
"""The word for every method there is."""
LIMIT = 7200.0


class TableFormat(StrEnum):
    """How tables can be printed."""

    MARKDOWN = "markdown"
    LATEX = "latex"
    HTML = "html"


FILES = {TableFormat.MARKDOWN: "tables.md", TableFormat.LATEX: "tables.tex", TableFormat.HTML: "tables.html"}
"""Where all tables are written, by how."""
_FIGURES = {"time.svg": "time_figure", "errors.svg": "error_figure", "lengths.svg": "length_figure"}

MethodNames: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        help="Methods to run: name,name,...; the option can be repeated. all: the slow ones, too.  "
        "[default: all that are not slow]",
        metavar="NAMES",
    ),
]
FoldSeed: TypeAlias = Annotated[
    int, typer.Option(help="Draws the folds.", min=0, max=2**32 - 1, metavar="NUMBER")
]
Out: TypeAlias = Annotated[
    Path,
    typer.Option(help="Folder for results; what is there already is not done again.", metavar="FOLDER"),
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


class RunRequest(NamedTuple):
    """How to run methods, and where results go.

    Attributes
    ----------
    methods : tuple of str
        Names of methods.
    fold_seed : int
        Draws the folds.
    out : Path
        Folder of results.
    jobs : int
        Pieces of work at a time.
    time_limit : float
        Seconds for a fit of a slow method.
    form : TableFormat, optional
        How tables are printed; a summary when missing.
    scheduler : str, optional
        Address of a Dask scheduler whose workers do the work.
    """

    methods: tuple[str, ...]
    fold_seed: int = 0
    out: Path = Path("results")
    jobs: int = 1
    time_limit: float = LIMIT
    form: TableFormat | None = None
    scheduler: str | None = None


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
    found = dict.fromkeys(name for text in given for each in text.split(",") if (name := each.strip()))
    for name in found:
        if name not in names:
            raise InputError(
                f"Unknown {what} {name!r}. {did_you_mean(name, names)}The known ones are {', '.join(names)}."
            )
    if given and not found:
        raise InputError(f"No {what} is named. Name some of {', '.join(names)}, or leave the option out.")
    return tuple(found)


def choose_methods(given: Sequence[str] | None) -> tuple[str, ...]:
    """The methods named by the options; prints a line about those that are left out by default.

    Raises
    ------
    InputError
        An unknown method.
    MissingDependencyError
        A method that was named needs a package that is not installed.
    """
    from logiclens.bench import METHODS
    from logiclens.bench.method import is_installed, package_for

    names = choose_names(given or (), (*METHODS, ALL), "method")
    if names and ALL not in names:
        for name in names:
            if METHODS[name].package:
                package_for(METHODS[name].title, METHODS[name].package)
        return names
    slow = [name for name, method in METHODS.items() if method.slow and ALL not in names]
    lacking = {
        name: method.package
        for name, method in METHODS.items()
        if name not in slow and not is_installed(method.package)
    }
    for name, package in lacking.items():
        print_error(f"{name} is left out: it needs {package}. Run: pip install 'logiclens[bench]'")
    return tuple(name for name in METHODS if name not in slow and name not in lacking)


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


def run_all(
    experiments: Sequence[HasFolds], request: RunRequest, data_dir: Path | None = None
) -> list[dict[str, Any]]:
    """Run all methods on all experiments; finished work is kept when the command is stopped.

    Parameters
    ----------
    experiments : sequence of experiments
    request : RunRequest
    data_dir : Path, optional
        Folder of the data, for experiments that need it.

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
    from logiclens.bench import Results, run

    results = Results(request.out)
    try:
        with work_on(request.scheduler), progress_bar() as report:
            rows = run(
                experiments,
                request.methods,
                results=results,
                data_dir=data_dir,
                n_jobs=request.jobs if request.scheduler is None else -1,
                time_limit=request.time_limit,
                timings=request.scheduler is None,
                progress=report,
            )
        results.save_table(rows)
    except KeyboardInterrupt:
        print_error(
            f"stopped; what is finished is kept in {str(request.out)!r}. The same command goes on from there."
        )
        raise typer.Exit(STOPPED) from None
    return rows


def work_on(scheduler: str | None) -> AbstractContextManager[None]:
    """Work on the workers of a scheduler, or here."""
    if scheduler is None:
        return nullcontext()
    from logiclens.bench import on_cluster

    return on_cluster(scheduler)


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


def failures(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Failures by their status, each with the experiments and methods that failed.

    Examples
    --------
    >>> failures([{"experiment": "vdem", "method": "brl", "fold": 0, "status": "not finished in 2 h"}])
    {'not finished in 2 h': ['vdem, brl']}
    """
    from logiclens.bench import DONE

    found: dict[str, dict[str, None]] = {}
    for row in rows:
        if row["status"] != DONE:
            found.setdefault(row["status"], {})[f"{row['experiment']}, {row['method']}"] = None
    return {status: [*places] for status, places in found.items()}


def show(
    summary: Sequence[ResultTable],
    tables: Sequence[ResultTable],
    rows: Sequence[Mapping[str, Any]],
    request: RunRequest,
) -> None:
    """Write tables and figures to files, print a summary or all tables, and :func:`print_failures`."""
    from logiclens.bench import as_document, result_figures

    for form, name in FILES.items():
        write_text(request.out / name, as_document(tables, form))
    for name, make in _FIGURES.items():
        figure = getattr(result_figures, make)(rows, request.fold_seed)
        with written_whole(request.out / name) as file:
            file.write(result_figures.as_svg(figure))
    with checked_output():
        if request.form is not None:
            typer.echo(as_document(tables, request.form), nl=False)
        else:
            _print_summary(output_console(), summary, request.out)
    print_failures(rows)


def print_failures(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print failures; exit with code 1 if a method failed."""
    from logiclens.bench import FAILED

    wrong = failures(rows)
    for status, places in wrong.items():
        print_error(f"{'; '.join(places)}: {status}")
    if any(status.startswith(FAILED) for status in wrong):
        raise typer.Exit(1)


def _print_summary(console: Console, tables: Sequence[ResultTable], out: Path) -> None:
    for table in map(_brief, tables):
        if console.is_terminal:
            print_shown(console, table)
        else:
            typer.echo(f"{table.to_markdown()}\n")
    files = (*FILES.values(), *_FIGURES, "rows.csv")
    print_line(console, f"All tables, figures and rows are in {str(out)!r}: {', '.join(files)}.")


def _brief(table: ResultTable) -> ResultTable:
    """The same table without the messages of errors, which are printed below it."""
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
