"""``logiclens cluster``: groups of rows that nobody named, each with a rule."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from logiclens.cli import options as opt
from logiclens.cli.learning import (
    Request,
    Settings,
    check_rows,
    print_dropped,
    print_files,
    print_front,
    print_heading,
    print_results,
    print_rules,
    read,
    score_table,
    select,
    write_report,
)
from logiclens.cli.options import Network, Selection, command_line
from logiclens.cli.outputs import ClassScores, Outputs, class_scores
from logiclens.cli.terminal import Progress, one_line_errors, print_error

if TYPE_CHECKING:
    from rich.console import Console

    from logiclens.cli.selection import Dropped, MemoryRows, TableSource
    from logiclens.estimators import LENClusterer


def cluster(  # noqa: PLR0913 - the options of a command
    context: typer.Context,
    data: opt.Data,
    clusters: Annotated[
        int, typer.Option(help="Most clusters to make.", min=2, max=100, metavar="NUMBER")
    ] = 2,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the table with one more column, cluster; .csv or .parquet.", metavar="FILE"),
    ] = None,
    network: opt.NetworkOption = Network.MU,
    seed: opt.Seed = 0,
    front: Annotated[
        bool,
        typer.Option("--front", help="Also print how rules of each length do."),
    ] = False,
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
    max_rows: opt.MaxRows = None,
    html: opt.Html = None,
    json: opt.Json = None,
    save: Annotated[Path | None, typer.Option(help="Write the rules for later use.", metavar="FILE")] = None,
    rows: opt.Rows = False,
    quiet: opt.Quiet = False,
    device: opt.Device = "cpu",
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None,
    decimal: opt.Decimal = None,
) -> None:
    """Group the rows of a table, with a rule for each group.

    A rule says what the rows of a group have in common. No label is needed. Groups are even in size and
    sure, as far as short rules can tell them apart; the largest is cluster 0.

    \b
    Examples:
      logiclens cluster customers.csv --clusters 4
          rules and sizes of four groups
      logiclens cluster customers.csv --ignore customer_id,city --out grouped.csv
          write the table with the group of each row
    """  # noqa: D301 - \b keeps lines
    with one_line_errors():
        check_rows(rows, html)
        request = Request(
            Selection(None, use or (), ignore or (), holdout=0.0, seed=seed, max_rows=max_rows),
            Settings(network, seed=seed, max_literals=max_literals, device=device),
            Outputs(html, json, save, out),
            front=front,
            rows=rows,
            quiet=quiet,
            command=command_line(context),
        )
        request.outputs.check(data)
        progress = Progress.on_terminal(quiet)
        _run(read(data, progress, delimiter, encoding, decimal), request, clusters, progress)


class ClusterFit(NamedTuple):
    """Rows, the clusterer that was fitted on them, and how good its rules are."""

    rows: MemoryRows
    model: LENClusterer
    classes: tuple[ClassScores, ...]
    dropped: tuple[Dropped, ...]


def _run(source: TableSource, request: Request, n_clusters: int, progress: Progress) -> None:
    found = _fit(source, request, n_clusters, progress)
    _write(source, found, request, n_clusters, progress)
    print_results(request, found.model.explain(), lambda console: _print(console, found, request, n_clusters))


def _fit(source: TableSource, request: Request, n_clusters: int, progress: Progress) -> ClusterFit:
    from logiclens import LENClusterer
    from logiclens.cli.selection import unused_columns
    from logiclens.concepts import ConceptEncoder
    from logiclens.evaluation import evaluate

    rows, settings = select(source, request, progress), request.settings
    model = LENClusterer(
        n_clusters,
        network=str(settings.network),
        encoder=ConceptEncoder(),
        device=settings.device,
        random_state=settings.seed,
        verbose=progress.shown,
        max_literals="auto" if settings.max_literals is None else settings.max_literals,
    )
    with progress.training():
        model.fit(rows.inputs)
    rules = model.explain()
    found = evaluate(rules, rows.inputs, model.labels_)
    sizes = {label: int(each.support) for label, each in found.by_label.items()}
    classes = class_scores(rules, found, found, sizes)
    return ClusterFit(rows, model, classes, (*rows.dropped, *unused_columns(model)))


def _write(
    source: TableSource, found: ClusterFit, request: Request, n_clusters: int, progress: Progress
) -> None:
    from logiclens.cli.outputs import (
        class_entries,
        decision_entries,
        front_entries,
        results_json,
        write_table,
        write_text,
    )

    outputs, model = request.outputs, found.model
    if outputs.save is not None:
        model.explain().save(outputs.save)
    if outputs.out is not None:
        inputs = source.table.select(found.rows.columns)
        name = write_table(outputs.out, source.table, "cluster", model.predict(inputs))
        if name != "cluster":
            print_error(f"The table has a column 'cluster' already: the clusters are in {name!r}.")
    if outputs.html is not None:
        with progress.show("writing the report"):
            write_report(
                outputs.html, model, found.rows, task="cluster", rows=request.rows, command=request.command
            )
    if outputs.json is not None:
        write_text(
            outputs.json,
            results_json(
                found.rows,
                [class_entries(each) for each in found.classes],
                decision_entries(found.model.explain()),
                task="cluster",
                overall={"part": "training", "n": found.rows.n_used},
                settings={**request.entries(), "rule": "cluster", "clusters": n_clusters},
                dropped=found.dropped,
                front=front_entries(found.model.front_),
            ),
        )


def _print(console: Console, found: ClusterFit, request: Request, n_clusters: int) -> None:
    from logiclens.cli.terminal import percent, print_line, print_table
    from logiclens.errors import count

    rows, n_rows = found.rows, found.rows.n_used
    print_heading(
        console,
        rows,
        "Which groups are there?",
        f"LENClusterer made {count(sum(each.n > 0 for each in found.classes), 'cluster')} of "
        f"{count(n_rows, 'row')}, {count(len(found.model.concept_names_), 'concept')}.",
    )
    if empty := found.model.empty_clusters_:
        print_line(
            console,
            f"Note: there is less to tell apart than {n_clusters} clusters: {_are(len(empty))} empty.",
        )
        console.print()
    filled = [each for each in found.classes if each.n]
    headings = [
        f"cluster {each.label} ({count(each.n, 'row')}, {percent(each.n / n_rows)})" for each in filled
    ]
    print_rules(console, zip(headings, (each.explanation for each in filled), strict=True))
    print_line(console, "How well rules tell the clusters apart:")
    print_table(console, score_table(filled, first="cluster", by_network=False))
    if request.front:
        print_front(console, found.model.front_)
    print_dropped(console, found.dropped)
    print_files(console, request.outputs.listed(), _next_step(request))


def _next_step(request: Request) -> str:
    outputs = request.outputs
    if outputs.save is not None:
        return f"logiclens predict {outputs.save} new.csv"
    return "" if outputs.out is not None else "add --out grouped.csv for the cluster of each row"


def _are(n: int) -> str:
    return "1 is" if n == 1 else f"{n} are"
