"""``logiclens cluster``: groups of rows that nobody named, each with a rule."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from logiclens.cli import options as opt
from logiclens.cli.learning import (
    Request,
    Settings,
    check_rows,
    print_heading,
    print_rest,
    print_results,
    print_rules,
    read,
    score_table,
    select,
    write,
)
from logiclens.cli.options import ColumnOptions, FileOptions, NetworkKind, Selection, command_line
from logiclens.cli.outputs import Outputs
from logiclens.cli.terminal import Progress, one_line_errors, print_error

if TYPE_CHECKING:
    from rich.console import Console

    from logiclens.cli.selection import ClassScores, Fit
    from logiclens.files import TableFile


_FEWEST, _MOST = 2, 100  # clusters that one may ask for


def cluster(  # noqa: PLR0913 - the options of a command
    context: typer.Context,
    data: opt.Data,
    clusters: Annotated[
        str,
        typer.Option(
            help="Most clusters to make; 'auto': as many as there are separate groups, from 2 to 10.",
            metavar="NUMBER",
        ),
    ] = "2",
    out: Annotated[
        Path | None,
        typer.Option(help="Write the table with one more column, cluster; .csv or .parquet.", metavar="FILE"),
    ] = None,
    network: opt.NetworkOption = NetworkKind.MU,
    seed: opt.Seed = 0,
    front: opt.FrontOption = False,
    max_literals: Annotated[
        int | None,
        typer.Option(
            help="Literals of the longest rules that are looked for.  [default: 10 per cluster]",
            min=1,
            metavar="NUMBER",
        ),
    ] = None,
    use: opt.Use = None,
    ignore: opt.Ignore = None,
    categorical: opt.Categorical = None,
    numeric: opt.Numeric = None,
    ordered: opt.Ordered = None,
    missing: opt.MissingValues = None,
    date: opt.Date = None,
    max_rows: opt.MaxRows = None,
    html: opt.Html = None,
    json: opt.Json = None,
    save: Annotated[Path | None, typer.Option(help="Write the rules for later use.", metavar="FILE")] = None,
    rows: opt.Rows = False,
    logic: opt.Logic = False,
    quiet: opt.Quiet = False,
    device: opt.Device = "cpu",
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None,
    decimal: opt.Decimal = None,
    skip_lines: opt.SkipLines = None,
    sheet: opt.Sheet = None,
) -> None:
    """Group the rows of a table, with a rule for each group.

    A rule says what the rows of a group have in common. No label is needed. Rows of a group are alike, and
    groups are even in size, as far as short rules can tell them apart; the largest is cluster 0.

    \b
    Examples:
      logiclens cluster customers.csv --clusters 4
          rules and sizes of four groups
      logiclens cluster customers.csv --ignore customer_id,city --out grouped.csv
          write the table with the group of each row
    """  # noqa: D301 - \b keeps lines
    with one_line_errors():
        layout = FileOptions(delimiter, encoding, decimal, skip_lines, sheet)
        check_rows(rows, html)
        said = ColumnOptions.of(categorical, numeric, ordered, missing, date)
        request = Request(
            Selection(None, use or (), ignore or (), holdout=0.0, seed=seed, max_rows=max_rows, said=said),
            Settings(network, seed=seed, max_literals=max_literals, device=device),
            Outputs(html, json, save, out, no_model=True),
            front=front,
            rows=rows,
            logic=logic,
            quiet=quiet,
            command=command_line(context),
        )
        request.outputs.check(data)
        progress = Progress.on_terminal(quiet)
        _run(
            read(data, progress, layout, said),
            request,
            _number(clusters),
            progress,
        )


def _number(text: str) -> int | str:
    """The number of clusters, or "auto"."""
    from logiclens.errors import InputError, shown

    if text == "auto":
        return text
    if not (text.isdecimal() and _FEWEST <= int(text) <= _MOST):
        raise InputError(
            f"--clusters must be a whole number from {_FEWEST} to {_MOST}, or auto. Got {shown(text)}."
        )
    return int(text)


def _run(source: TableFile, request: Request, n_clusters: int | str, progress: Progress) -> None:
    from logiclens.cli.outputs import class_entries, write_table

    found, out = _fit(source, request, n_clusters, progress), request.outputs.out
    if out is not None:
        clusters = found.model.predict(source.table.select(found.rows.columns))
        name = write_table(out, source.table, "cluster", clusters)
        if name != "cluster":
            print_error(f"The table has a column 'cluster' already: the clusters are in {name!r}.")
    write(
        found,
        request,
        progress,
        [class_entries(each) for each in found.classes],
        {"part": "training", "n": found.n},
        settings={"rule": "cluster", "clusters": found.model.n_clusters_},
        task="cluster",
    )
    print_results(request, found.rules, lambda console: _print(console, found, request))


def _fit(source: TableFile, request: Request, n_clusters: int | str, progress: Progress) -> Fit:
    from logiclens import LENClusterer
    from logiclens.cli.selection import Fit
    from logiclens.estimators._clustering import LEARNED
    from logiclens.evaluation import evaluate
    from logiclens.explain.rule_set import as_list

    rows, settings = select(source, request, progress), request.settings
    model = LENClusterer(
        n_clusters,
        network=str(settings.network),
        encoder=rows.encoder(),
        device=settings.device,
        random_state=settings.seed,
        verbose=progress.shown,
        max_literals="auto" if settings.max_literals is None else settings.max_literals,
    )
    with progress.training():
        model.fit(rows.inputs)
    found = evaluate(as_list(model.explain()), rows.inputs, model.labels_)
    sizes = {label: (int(each.support), 0) for label, each in found.by_label.items()}
    if model.n_learned_ < len(model.labels_) and model.n_learned_ == LEARNED:
        note = (
            f"The networks learned from {LEARNED} different rows, drawn at random; clusters and rules are "
            "those of all rows."
        )
        rows = replace(rows, notes=(*rows.notes, note))
    leaks = replace(rows, labels=model.labels_).leaks(model.explain())
    return Fit(replace(rows, class_sizes=sizes), model, found, found, leaks=leaks)


def _print(console: Console, found: Fit, request: Request) -> None:
    from logiclens.cli.terminal import percent, print_line, print_table
    from logiclens.errors import count
    from logiclens.reporting._subject import CLUSTER, question_of

    parts = {label: formula.literals for label, formula in found.rules.conditions.items()}
    filled = [each._replace(literals=parts.get(each.label, 0)) for each in found.classes if each.n]
    print_heading(
        console,
        found,
        question_of(CLUSTER, None),
        f"made {count(len(filled), 'cluster')} of {count(found.n, 'row')}",
    )
    if empty := found.model.empty_clusters_:
        print_line(
            console,
            f"Note: there is less to tell apart than {found.model.n_clusters_} clusters: {_are(len(empty))} "
            "empty.",
        )
        console.print()
    if request.logic or not found.truth.steps:
        print_rules(console, ((each.explanation, _holds(each)) for each in filled), logic=request.logic)
    else:
        _print_list(console, found)
    for column, share in found.leaks[:1]:
        words = found.rules.vocabulary
        source = column if words is None else words.source(column)
        print_line(
            console,
            f"Note: the clusters follow the column {column!r}, which alone gives {percent(share)} of them. "
            f"For groups in the other columns: --ignore {shlex.quote(source)}",
            "yellow",
        )
        console.print()
    print_line(console, "How well rules tell the clusters apart:")
    print_table(console, score_table(filled, first="cluster", by_network=False))
    print_rest(console, found, request, _next_step(request))


def _print_list(console: Console, found: Fit) -> None:
    """The list that puts rows into clusters, and how often it does so as the network."""
    from logiclens.cli.terminal import ListedStep, print_line, print_steps
    from logiclens.explain.resolution import step_words
    from logiclens.explain.rule import alternatives

    rules, scores = found.rules, found.truth.steps
    print_line(console, "The first step that is true decides. It is right where the network says the same.")
    console.print()
    cases = [alternatives(step.formula, rules.vocabulary, "plain") for step in rules.steps]
    labels = [f"cluster {label}" for label in rules.answers]
    remarks = [step_words(each, last=at == len(rules.steps)) for at, each in enumerate(scores)]
    print_steps(console, list(map(ListedStep, [*cases, []], labels, remarks)))
    console.print()


def _holds(found: ClassScores) -> str:
    """How many rows of a cluster its rule is true of, in words."""
    from logiclens.cli.terminal import percent
    from logiclens.errors import count

    return f"True of {percent(found.rates.recall)} of its {count(found.n, 'row')}."


def _next_step(request: Request) -> str:
    outputs = request.outputs
    if outputs.save is not None:
        return f"logiclens predict {outputs.save} new.csv"
    return "" if outputs.out is not None else "add --out grouped.csv for the cluster of each row"


def _are(n: int) -> str:
    return "1 is" if n == 1 else f"{n} are"
