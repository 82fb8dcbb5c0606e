"""``logiclens cluster``: groups of rows that nobody named, each with a rule."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from logiclens.cli import options as opt
from logiclens.cli.choices import Network
from logiclens.cli.explain import Asked, check_rows, print_results, read, setting_entries
from logiclens.cli.failing import clear_errors, tell
from logiclens.cli.learning import Settings
from logiclens.cli.outputs import Outputs
from logiclens.cli.reports import command_typed, write_report

if TYPE_CHECKING:
    from rich.console import Console

    from logiclens.cli.outcome import ClassOutcome
    from logiclens.cli.preparing import Dropped, Prepared, Source
    from logiclens.cli.progress import Progress
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
            help="Literals of the longest rules that are looked for.  [default: 10 a cluster]",
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
    from logiclens.cli.preparing import Wish
    from logiclens.cli.progress import Progress

    with clear_errors():
        check_rows(rows, html)
        asked = Asked(
            Wish(None, use or (), ignore or (), holdout=0.0, seed=seed, max_rows=max_rows),
            Settings(network, seed=seed, max_literals=max_literals, device=device),
            Outputs(html, json, save, out),
            front=front,
            rows=rows,
            quiet=quiet,
            command=command_typed(context),
        )
        asked.outputs.check(data)
        progress = Progress.on_terminal(quiet)
        _run(read(data, progress, delimiter, encoding, decimal), asked, clusters, progress)


class Clusters(NamedTuple):
    """All that is to be told."""

    prepared: Prepared
    model: LENClusterer
    classes: tuple[ClassOutcome, ...]
    dropped: tuple[Dropped, ...]


def _run(source: Source, asked: Asked, n_clusters: int, progress: Progress) -> None:
    found = _learn(source, asked, n_clusters, progress)
    _write(source, found, asked, n_clusters, progress)
    print_results(asked, found.model.explain(), lambda console: _print(console, found, asked, n_clusters))


def _learn(source: Source, asked: Asked, n_clusters: int, progress: Progress) -> Clusters:
    from logiclens import LENClusterer
    from logiclens.cli.outcome import outcome_of
    from logiclens.cli.preparing import prepare
    from logiclens.concepts import ConceptEncoder

    with progress.doing("looking at the columns"):
        prepared = prepare(source, asked.wish)
    settings = asked.settings
    longest = "auto" if settings.max_literals is None else settings.max_literals
    model = LENClusterer(
        n_clusters,
        network=str(settings.network),
        encoder=ConceptEncoder(),
        device=settings.device,
        random_state=settings.seed,
        verbose=progress.shown,
        max_literals=longest,
    )
    with progress.training():
        model.fit(prepared.inputs)
    rules = model.explain()
    classes = tuple(
        outcome_of(explanation, prepared.inputs, model.labels_ == label)
        for label, explanation in rules.items()
    )
    return Clusters(prepared, model, classes, prepared.without_use(model))


def _write(source: Source, found: Clusters, asked: Asked, n_clusters: int, progress: Progress) -> None:
    from logiclens.cli.as_json import class_entries, decision_entries, front_entries, results_json
    from logiclens.cli.outputs import write_table, write_text

    outputs, model = asked.outputs, found.model
    if outputs.save is not None:
        model.explain().save(outputs.save)
    if outputs.out is not None:
        inputs = source.table.select(found.prepared.inputs.column_names)
        name = write_table(outputs.out, source.table, "cluster", model.predict(inputs))
        if name != "cluster":
            tell(f"The table has a column 'cluster' already: the clusters are in {name!r}.")
    if outputs.html is not None:
        with progress.doing("writing the report"):
            write_report(
                outputs.html, model, found.prepared, task="cluster", rows=asked.rows, command=asked.command
            )
    if outputs.json is not None:
        write_text(
            outputs.json,
            results_json(
                found.prepared,
                [class_entries(each) for each in found.classes],
                decision_entries(found.model.explain()),
                task="cluster",
                overall={"part": "training", "n": len(found.prepared.labels)},
                settings={**setting_entries(asked), "rule": "cluster", "clusters": n_clusters},
                dropped=found.dropped,
                front=front_entries(found.model.front_),
            ),
        )


def _print(console: Console, found: Clusters, asked: Asked, n_clusters: int) -> None:
    from logiclens.cli import results as show
    from logiclens.cli.printing import percent, print_table, say
    from logiclens.errors import count

    prepared, n_rows = found.prepared, len(found.prepared.labels)
    show.print_heading(
        console,
        prepared,
        "Which groups are there?",
        f"LENClusterer made {count(sum(each.n > 0 for each in found.classes), 'cluster')} of "
        f"{count(n_rows, 'row')}, {count(len(found.model.concept_names_), 'concept')}.",
    )
    if empty := found.model.empty_clusters_:
        say(
            console,
            f"Note: there is less to tell apart than {n_clusters} clusters: {_are(len(empty))} empty.",
        )
        console.print()
    filled = [each for each in found.classes if each.n]
    headings = [
        f"cluster {each.label} ({count(each.n, 'row')}, {percent(each.n / n_rows)})" for each in filled
    ]
    show.print_rules(console, zip(headings, (each.explanation for each in filled), strict=True))
    say(console, "How well rules tell the clusters apart:")
    print_table(console, show.score_table(filled, first="cluster", by_network=False))
    if asked.front:
        show.print_front(console, found.model.front_)
    show.print_dropped(console, found.dropped)
    show.print_files(console, asked.outputs.written(), _next_step(asked))


def _next_step(asked: Asked) -> str:
    outputs = asked.outputs
    if outputs.save is not None:
        return f"logiclens predict {outputs.save} new.csv"
    return "" if outputs.out is not None else "add --out grouped.csv for the cluster of each row"


def _are(n: int) -> str:
    return "1 is" if n == 1 else f"{n} are"
