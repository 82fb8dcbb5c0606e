"""``logiclens explain``: from a table to rules, scores, and a report, in one command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NoReturn

import typer

from logiclens.cli import options as opt
from logiclens.cli.choices import Kind, Network
from logiclens.cli.engines import columns_of, engine_asked
from logiclens.cli.failing import clear_errors, written, wrong_usage
from logiclens.cli.learning import Settings
from logiclens.cli.outputs import Outputs
from logiclens.cli.printing import short
from logiclens.cli.reports import command_typed, write_report

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from rich.console import Console

    from logiclens.cli.leaks import Telling
    from logiclens.cli.learning import MeanAndError
    from logiclens.cli.outcome import Outcome
    from logiclens.cli.preparing import Dropped, Prepared, Source, Wish
    from logiclens.cli.progress import Progress
    from logiclens.estimators.base import LENClassifier


def explain(  # noqa: PLR0913 - the options of a command
    context: typer.Context,
    data: opt.Data,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            "-t",
            help="Column to explain: its values are the classes.  [required]",
            metavar="COLUMN",
        ),
    ] = None,
    above: Annotated[
        float | None,
        typer.Option(
            help="For a target of numbers: two classes, above this limit and not.", metavar="NUMBER"
        ),
    ] = None,
    network: opt.NetworkOption = Network.MU,
    rule: opt.KindOption = Kind.IFF,
    seed: opt.Seed = 0,
    literals: opt.Literals = None,
    front: Annotated[
        bool,
        typer.Option("--front", help="Also print how accurate rules of each length are."),
    ] = False,
    max_literals: opt.MaxLiterals = None,
    distillation: opt.Distillation = None,
    use: opt.Use = None,
    ignore: opt.Ignore = None,
    holdout: opt.Holdout = 0.3,
    max_rows: opt.MaxRows = None,
    cv: Annotated[
        bool, typer.Option("--cv", help="Also cross-validate: the six metrics of the paper, on all rows.")
    ] = False,
    folds: Annotated[
        int | None,
        typer.Option(
            help="Cross-validate with so many parts of the rows.  [default: 10]", min=2, metavar="NUMBER"
        ),
    ] = None,
    html: opt.Html = None,
    json: opt.Json = None,
    save: opt.Save = None,
    rows: opt.Rows = False,
    more: Annotated[
        bool,
        typer.Option("--more", help="Also print that table, and what would change one row."),
    ] = False,
    quiet: opt.Quiet = False,
    device: opt.Device = "cpu",
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None,
    decimal: opt.Decimal = None,
    engine: opt.Engine = None,
    memory: opt.Memory = None,
) -> None:
    """Learn the rules that decide a column of a table.

    Each value of the column is a class, and gets a rule that says when it holds and how far to trust it.
    Types are guessed, numbers get cut points, missing values are allowed. What cannot be used (dates, free
    text, identifiers) is left out, with a line that says why. Rules come from the training rows and are
    scored on the rows held out.

    With --engine the rows stay in DuckDB or Spark, which count them, and the rules are those of all rows.
    There, rows are held out by their place in their file: about that share, and the same ones every time.
    --html, --cv, --folds and --more need rows in memory: --max-rows draws them in the engine.

    \b
    Examples:
      logiclens explain patients.csv --target outcome
          print a rule for each class, with its scores
      logiclens explain patients.csv --target outcome --html report.html --save model.lens
          write a report to read and send around, and the model for logiclens predict
      logiclens explain patients.csv --target outcome --front
          how accurate are rules of each length?
      logiclens explain patients.csv --target outcome --ignore patient_id,ward --literals 4
          leave columns out, and ask for short rules
      logiclens explain houses.csv --target price --above 250000
          a target of numbers: what makes it large?
      logiclens explain data.tsv.gz --target kind --rule only_if --cv
          sufficient conditions, and cross-validated metrics
      cat data.csv | logiclens explain - --target kind --json - | jq .rules
          from a pipe, into a pipe
      logiclens explain 'data/*.parquet' --target outcome --engine duckdb --memory 4GB
          many files, more than memory holds
    """  # noqa: D301 - \b keeps lines
    from logiclens.cli.preparing import Wish
    from logiclens.cli.progress import Progress

    with clear_errors():
        layout = {"--delimiter": delimiter, "--encoding": encoding, "--decimal": decimal}
        chosen = engine_asked(engine, memory, data, layout)
        check_rows(rows, html)
        if target is None:
            demand = "say which column to explain: --target COLUMN"
            if chosen is not None:
                list_columns(demand, data, columns_of(data, chosen))
            name_a_column(demand, data, delimiter, encoding)
        asked = Asked(
            Wish(target, use or (), ignore or (), (), above, holdout, seed, max_rows),
            Settings(network, rule, seed, max_literals, device, literals, distillation),
            Outputs(html, json, save),
            front=front or more,
            folds=FOLDS if cv and folds is None else folds,
            rows=rows,
            quiet=quiet,
            command=command_typed(context),
            more=more,
        )
        progress = Progress.on_terminal(quiet)
        if chosen is None:
            asked.outputs.check(data)
            run(read(data, progress, delimiter, encoding, decimal), asked, progress)
            return
        from logiclens.cli.in_engine import explain_in_engine

        explain_in_engine(data, chosen, asked, progress)


FOLDS = 10
"""Of a cross-validation, where no other number is asked for."""
_LISTED = 8  # columns of a file that are named


def name_a_column(demand: str, data: str, delimiter: str | None, encoding: str | None) -> NoReturn:
    """End a command that lacks the name of a column, and say which there are."""
    from logiclens.files import read_batches

    with read_batches(data, delimiter=delimiter, encoding=encoding) as batches:
        name, names = batches.name, batches.names
    list_columns(demand, name, names)


def list_columns(demand: str, name: str, names: Sequence[str]) -> NoReturn:
    """End a command with what it lacks, and the columns of a table."""
    from logiclens.errors import count

    listed = ", ".join([*map(short, names[:_LISTED]), *(["..."] if len(names) > _LISTED else [])])
    wrong_usage(f"{demand}. {name} has {listed} ({count(len(names), 'column')}).")


def check_rows(rows: bool, html: Path | None) -> None:
    """End a command that asks for rows in a report, and for no report."""
    if rows and html is None:
        wrong_usage("--rows puts rows into the report. Add --html report.html, or omit it.")


class Asked(NamedTuple):
    """All that a command was asked for.

    Attributes
    ----------
    wish : Wish
        What to take of the table.
    settings : Settings
        How to train.
    outputs : Outputs
        What to write.
    folds : int, optional
        Of a cross-validation, where that is asked for.
    rows : bool
        Whether rows go into the report.
    quiet, more : bool
        Whether to print less, or more.
    front : bool
        Whether to print how good rules of each length are.
    command : str, optional
        The command, as it was typed.
    """

    wish: Wish
    settings: Settings
    outputs: Outputs = Outputs()
    folds: int | None = None
    rows: bool = False
    quiet: bool = False
    more: bool = False
    front: bool = False
    command: str | None = None


class Results(NamedTuple):
    """All that is to be told."""

    prepared: Prepared
    model: LENClassifier
    outcome: Outcome
    dropped: tuple[Dropped, ...]
    metrics: Mapping[str, MeanAndError] | None
    telling: tuple[Telling, ...]


def read(
    data: str, progress: Progress, delimiter: str | None, encoding: str | None, decimal: str | None
) -> Source:
    """Read the table that a command names."""
    from logiclens.files import read_table

    with progress.doing(f"reading {data}"):
        return read_table(data, delimiter=delimiter, encoding=encoding, decimal=decimal)


def run(source: Source, asked: Asked, progress: Progress) -> None:
    """Learn, write what is to be written, and print."""
    from logiclens.cli.as_json import class_entries, overall_entries

    results = learn(source, asked, progress)
    classes = [class_entries(found) for found in results.outcome.classes]
    write(results, asked, progress, classes, overall_entries(results.outcome))
    print_results(asked, results.model.explain(), lambda console: _print(console, results, asked))


def print_results(asked: Asked, rules: Any, in_full: Callable[[Console], None]) -> None:
    """Print results, or the rules alone, or nothing where standard output is taken."""
    from logiclens.cli.printing import output_console, say

    if asked.outputs.to_stdout:
        return
    with written():
        console = output_console()
        if not asked.quiet:
            in_full(console)
            return
        for line in rules.format("unicode" if console.is_terminal else "ascii").split("\n"):
            say(console, line)


def learn(
    source: Source, asked: Asked, progress: Progress, check: Callable[[Prepared], object] | None = None
) -> Results:
    """Prepare the table, train, and score; a check may refuse what was prepared before the long work."""
    from logiclens.cli.leaks import telling_columns
    from logiclens.cli.learning import cross_validated, trained
    from logiclens.cli.outcome import measure
    from logiclens.cli.preparing import prepare

    with progress.doing("looking at the columns"):
        prepared = prepare(source, asked.wish)
        _check_folds(asked.folds, len(prepared.labels))
        if check is not None:
            check(prepared)
    model = trained(prepared, asked.settings, progress)
    outcome = measure(model, prepared)
    dropped = prepared.without_use(model)
    metrics = None
    if asked.folds is not None:
        metrics = cross_validated(prepared, asked.settings, asked.folds, progress)
    return Results(prepared, model, outcome, dropped, metrics, telling_columns(model.explain(), prepared))


def _check_folds(folds: int | None, n_rows: int) -> None:
    from logiclens.errors import InputError

    if folds is not None and folds > n_rows:
        raise InputError(f"--folds must be at most the number of rows, {n_rows}. Got {folds}.")


def write(
    results: Results,
    asked: Asked,
    progress: Progress,
    rules: Sequence[Mapping[str, Any]],
    overall: Mapping[str, Any],
    *,
    task: str = "classify",
) -> None:
    """Write the files that were asked for.

    Parameters
    ----------
    results : Results
    asked : Asked
    progress : Progress
    rules : sequence of mappings
        The rules, for JSON.
    overall : mapping
        Figures about all rules together, for JSON.
    task : {"classify", "black box"}, default "classify"
    """
    from logiclens.cli.as_json import decision_entries, front_entries, results_json
    from logiclens.cli.outputs import save_model, write_text

    outputs = asked.outputs
    save_model(results.model, results.model.explain(), outputs)
    if outputs.html is not None:
        with progress.doing("writing the report"):
            write_report(
                outputs.html,
                results.model,
                results.prepared,
                task=task,
                rows=asked.rows,
                command=asked.command,
            )
    if outputs.json is not None:
        metrics = results.metrics
        text = results_json(
            results.prepared,
            rules,
            decision_entries(results.model.explain()),
            task=task,
            overall=overall,
            settings=setting_entries(asked),
            dropped=results.dropped,
            front=front_entries(results.model.front_),
            cross_validation=metrics and {name: value._asdict() for name, value in metrics.items()},
        )
        write_text(outputs.json, text)


def setting_entries(asked: Asked) -> dict[str, Any]:
    """What was asked for, as far as results depend on it."""
    wish = asked.wish
    return {
        **asked.settings.entries(),
        "above": wish.above,
        "use": list(wish.use),
        "ignore": list(wish.ignore),
        "holdout": wish.holdout,
        "max_rows": wish.max_rows,
        "folds": asked.folds,
    }


def _print(console: Console, results: Results, asked: Asked) -> None:
    from logiclens.cli import results as show
    from logiclens.cli.printing import print_table, say
    from logiclens.errors import count

    prepared, outcome = results.prepared, results.outcome
    target = f"{prepared.target}"
    show.print_heading(
        console,
        prepared,
        f"What decides {target}?",
        f"{type(results.model).__name__} trained on {count(outcome.n_train, 'row')}, "
        f"{count(len(results.model.concept_names_), 'concept')}.",
    )
    headings = show.class_headings(outcome, target, len(prepared.labels))
    show.print_decision(console, results.model.explain(), headings)
    say(console, show.part_words(outcome))
    print_table(console, show.score_table(outcome.classes))
    say(console, show.accuracy_words(outcome))
    show.print_doubt(console, outcome, target)
    show.print_few(console, outcome)
    show.print_telling(console, results.telling, "Is it known only afterwards?")
    console.print()
    if asked.front:
        show.print_front(console, results.model.front_)
    if asked.more:
        show.print_more(console, results.model, prepared)
    if results.metrics is not None:
        say(console, f"Cross-validation, {asked.folds} folds of {len(prepared.labels)} rows:")
        print_table(console, show.metrics_table(results.metrics))
    show.print_dropped(console, results.dropped)
    show.print_files(console, asked.outputs.written(), next_step(asked))


def next_step(asked: Asked) -> str:
    """What to do next, in one line."""
    outputs = asked.outputs
    if outputs.save is not None:
        return f"logiclens predict {outputs.save} new.csv"
    return (
        ""
        if outputs.html is not None
        else "add --html report.html for a report, --save model.lens to predict"
    )
