"""``logiclens explain``: from a table to rules, scores and a report.

``logiclens demo`` does the same with a table that scikit-learn carries.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from logiclens.cli import options as opt
from logiclens.cli.headlines import headline_entries, measure, print_headlines, print_stability
from logiclens.cli.learning import (
    Request,
    Settings,
    check_mirror,
    check_rows,
    cross_validate,
    fit,
    goal_entries,
    name_a_column,
    next_step,
    part_words,
    print_goal,
    print_heading,
    print_rest,
    print_results,
    print_scored_rules,
    read,
    read_test,
    select,
    with_positive,
    write,
)
from logiclens.cli.options import (
    ColumnOptions,
    FileOptions,
    NetworkKind,
    RuleKindName,
    Selection,
    check_classes,
    command_line,
    cut_points,
    engine_of_options,
    goal_of_options,
    one_of,
    refuse_whole_rows,
    share_held_out,
)
from logiclens.cli.outputs import Outputs
from logiclens.cli.terminal import Progress, one_line_errors, wrong_usage

if TYPE_CHECKING:
    from rich.console import Console

    from logiclens.cli.headlines import Headlines
    from logiclens.cli.options import Engine
    from logiclens.cli.selection import Fit, SelectedRows
    from logiclens.files import TableFile

FOLDS = 10
"""Of a cross-validation, where no other number is asked for."""


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
            help="For a target of numbers: two classes, above this limit and not (--cut with one number).",
            metavar="NUMBER",
        ),
    ] = None,
    cut: opt.Cut = None,
    bins: opt.Bins = None,
    goal: opt.GoalOption = None,
    positive: opt.Positive = None,
    network: opt.NetworkOption = NetworkKind.MU,
    rule: opt.KindOption = RuleKindName.IFF,
    seed: opt.Seed = 0,
    literals: opt.Literals = None,
    front: opt.FrontOption = False,
    max_literals: opt.MaxLiterals = None,
    distillation: opt.Distillation = None,
    use: opt.Use = None,
    ignore: opt.Ignore = None,
    categorical: opt.Categorical = None,
    numeric: opt.Numeric = None,
    ordered: opt.Ordered = None,
    missing: opt.MissingValues = None,
    date: opt.Date = None,
    unlabeled: opt.Unlabeled = None,
    holdout: opt.Holdout = 0.3,
    test: opt.TestOption = None,
    split_column: opt.SplitColumn = None,
    test_value: opt.TestValue = None,
    group: opt.Group = None,
    max_rows: opt.MaxRows = None,
    cv: Annotated[
        bool, typer.Option("--cv", help="Also cross-validate: the six metrics of the paper, on all rows.")
    ] = False,
    folds: Annotated[
        int | None,
        typer.Option(
            help="Cross-validate with this many parts of the rows.  [default: 10]", min=2, metavar="NUMBER"
        ),
    ] = None,
    html: opt.Html = None,
    json: opt.Json = None,
    save: opt.Save = None,
    rows: opt.Rows = False,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare/--no-compare",
            help="Compare the rules with a tree and boosting on the same rows.",
            show_default=False,
        ),
    ] = True,
    stability: Annotated[
        int,
        typer.Option(
            help="Fit to this many resamples of the rows, to see which conditions return; 0 for none.",
            min=0,
            max=1000,
            metavar="NUMBER",
        ),
    ] = 10,
    more: Annotated[
        bool,
        typer.Option("--more", help="Also print that table, and what would change one row."),
    ] = False,
    logic: opt.Logic = False,
    mirror: opt.Mirror = False,
    quiet: opt.Quiet = False,
    device: opt.Device = "cpu",
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None,
    decimal: opt.Decimal = None,
    skip_lines: opt.SkipLines = None,
    sheet: opt.Sheet = None,
    engine: opt.EngineOption = None,
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
      logiclens explain houses.csv --target price --bins 3
          a target of numbers as three classes of equal size
      logiclens explain patients.csv --target outcome --goal recall=0.9 --positive ill
          the most accurate rules that find nine of ten who are ill
      logiclens explain visits.csv --target outcome --group patient
          no patient is both learned from and held out
      logiclens explain patients.csv --target outcome --unlabeled ''
          patients whose outcome is not known yet are learned from, too
      logiclens explain train.csv --target outcome --test test.csv
          score on rows of your own
      logiclens explain data.tsv.gz --target kind --rule only_if --cv
          sufficient conditions, and cross-validated metrics
      cat data.csv | logiclens explain - --target kind --json - | jq .rules
          from a pipe, into a pipe
      logiclens explain 'data/*.parquet' --target outcome --engine duckdb --memory 4GB
          many files, more than memory holds
    """  # noqa: D301 - \b keeps lines
    with one_line_errors():
        layout = FileOptions(delimiter, encoding, decimal, skip_lines, sheet)
        chosen = engine_of_options(engine, memory, data, layout)
        check_rows(rows, html)
        check_mirror(mirror, rule)
        said = ColumnOptions.of(categorical, numeric, ordered, missing, date)
        check_classes(above, cut, bins)
        holdout = share_held_out(context, holdout, test, split_column, test_value)
        if target is None:
            demand = "say which column to explain: --target COLUMN"
            name_a_column(demand, data, delimiter, encoding, chosen)
        request = Request(
            Selection(
                target,
                use or (),
                ignore or (),
                above=above,
                holdout=holdout,
                seed=seed,
                max_rows=max_rows,
                cut=cut_points(cut),
                bins=bins,
                group=group,
                split_column=split_column,
                test_value=test_value,
                unlabeled=unlabeled,
                said=said,
            ),
            Settings(
                network,
                rule,
                seed,
                max_literals,
                literals,
                distillation,
                device,
                goal_of_options(goal, positive),
                positive,
            ),
            Outputs(html, json, save),
            front=front or more,
            folds=FOLDS if cv and folds is None else folds,
            rows=rows,
            logic=logic,
            mirror=mirror,
            quiet=quiet,
            command=command_line(context),
            more=more,
            compare=compare,
            stability=stability,
        )
        progress = Progress.on_terminal(quiet)
        if chosen is None:
            request.outputs.check(*([data] if test is None else [data, test]))
            source = read(data, progress, layout, said)
            held = None if test is None else read_test(test, source, progress, layout, said)
            run(select(source, request, progress, held), request, progress)
        else:
            if unlabeled is not None:
                wrong_usage(
                    "--unlabeled needs rows in memory, and --engine leaves them in the engine. "
                    "Omit one of them."
                )
            if test is not None and max_rows is not None:
                wrong_usage(
                    "--max-rows reads rows into memory, and --test into the engine. Omit one of them."
                )
            run(select_in_engine(data, chosen, request, progress, test), request, progress)


def select_in_engine(
    data: str, engine: Engine, request: Request, progress: Progress, test: str | None
) -> SelectedRows:
    """Columns and rows of files in an engine; in memory, where the engine draws few enough of them."""
    selection, outputs = request.selection, request.outputs
    needs = {
        "--html": outputs.html,
        "Cross-validation": request.folds is not None,
        "--more": request.more,
        "--split-column": selection.split_column,
        "--group": selection.group,
    }
    refuse_whole_rows(selection.max_rows, needs)
    from logiclens.cli.engine_rows import (
        NamedRows,
        draw_rows,
        input_files,
        name_of,
        open_rows,
        select_engine_rows,
    )

    outputs.check(*input_files(data), *(() if test is None else input_files(test)))
    if selection.max_rows is not None:
        source = draw_rows(data, engine, selection, progress)
        return select(source, request, progress)
    rows = open_rows(data, engine, progress)
    held = None if test is None else NamedRows(open_rows(test, engine, progress), name_of(test))
    with progress.show("looking at the columns"):
        return select_engine_rows(rows, name_of(data), engine, selection, held)


def run(rows: SelectedRows, request: Request, progress: Progress) -> None:
    """Learn, write what is to be written, and print."""
    from logiclens.cli.outputs import class_entries, overall_entries
    from logiclens.cli.selection import MemoryRows

    request = with_positive(request, rows)
    found = fit(rows, request.settings, progress)
    lines = measure(found, progress, compare=request.compare, resamples=request.stability)
    if request.folds is not None and isinstance(rows, MemoryRows):
        metrics = cross_validate(rows, request.settings, request.folds, progress)
        found = replace(found, metrics=metrics)
    overall = overall_entries(found) | headline_entries(found, lines) | goal_entries(found)
    shown = {"comparison": overall["comparison"], "lead": lines.over_guess, "stability": lines.stability}
    write(found, request, progress, [class_entries(each) for each in found.classes], overall, shown=shown)
    print_results(request, found.rules, lambda console: _print(console, found, lines, request))


def _print(console: Console, found: Fit, lines: Headlines, request: Request) -> None:
    from logiclens.errors import count
    from logiclens.reporting._subject import CLASSIFY, question_of

    rows = found.rows
    where = "" if rows.engine is None else f" in {rows.engine.title}"
    trained = f"trained on {count(rows.n_train, 'row')}{where}"
    print_heading(console, found, question_of(CLASSIFY, rows.target), trained)

    def figures() -> None:
        print_headlines(console, found, lines)
        print_goal(console, found, request.settings)

    print_scored_rules(
        console,
        found,
        request,
        f"On the {part_words(found)}:",
        figures,
        "Is it known only afterwards?",
        doubt=not (lines.beats_a_guess or lines.knows_more) and found.model.front_.goal is None,
    )
    print_stability(console, found, lines.stability)
    print_rest(console, found, request, next_step(request, rows.engine))


class DemoData(StrEnum):
    """The data sets of the demonstration; scikit-learn carries them."""

    WINE = "wine"
    IRIS = "iris"
    CANCER = "breast_cancer"


TARGETS = {DemoData.WINE: "cultivar", DemoData.IRIS: "species", DemoData.CANCER: "diagnosis"}
"""The name of the column of classes of each."""


def demo(
    data: Annotated[
        DemoData,
        typer.Option(help="Data set to learn.", parser=one_of(DemoData), metavar="|".join(DemoData)),
    ] = DemoData.WINE,
    network: opt.NetworkOption = NetworkKind.MU,
    html: opt.Html = None,
    save: opt.Save = None,
) -> None:
    """Show what explain does, on a data set that is already here.

    A network is trained on 70 % of the rows, and the rules that say what it does are scored on the others.
    How good shorter and longer rules are follows, and what would change the class of one row.

    \b
    Examples:
      logiclens demo
      logiclens demo --data breast_cancer --network psi
      logiclens demo --html report.html
    """  # noqa: D301 - \b keeps lines
    with one_line_errors():
        request = Request(
            Selection(TARGETS[data]), Settings(network), Outputs(html, save=save), more=True, front=True
        )
        request.outputs.check()
        progress = Progress.on_terminal()
        run(select(demo_table(data), request, progress), request, progress)


def demo_table(data: DemoData) -> TableFile:
    """The columns of a data set, and its classes as one more column."""
    import pyarrow as pa
    from sklearn import datasets

    from logiclens.files import TableFile

    bunch = getattr(datasets, f"load_{data.value}")()
    columns = dict(zip(map(str, bunch.feature_names), bunch.data.T, strict=True))
    columns[TARGETS[data]] = bunch.target_names[bunch.target].tolist()
    return TableFile(pa.table(columns), data.value)
