"""What ``explain``, ``blackbox`` and ``cluster`` share: the request, the fit, its files and its results.

Rows lie in memory or in an engine (:class:`~logiclens.cli.selection.SelectedRows`); nothing here depends on
which of the two.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import logiclens
from logiclens.cli.options import Network, RuleKindName, Selection
from logiclens.cli.outputs import (
    METRICS,
    MeanAndError,
    ModelScores,
    Outputs,
    decision_entries,
    front_entries,
    model_scores,
    results_json,
    save_model,
    write_text,
)
from logiclens.cli.terminal import (
    checked_output,
    output_console,
    percent,
    plain_table,
    print_item,
    print_line,
    print_logic,
    print_rule,
    print_table,
    short,
    text_table,
    wrong_usage,
)
from logiclens.errors import count

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console
    from rich.table import Table

    from logiclens.cli.options import Engine
    from logiclens.cli.outputs import ClassScores
    from logiclens.cli.selection import Dropped, MemoryRows, SelectedRows, TableSource
    from logiclens.cli.terminal import Progress
    from logiclens.estimators.base import LENClassifier
    from logiclens.evaluation._evaluate import LabeledRows, Leak
    from logiclens.explain import Explanation, ExplanationSet
    from logiclens.explain.front import Front

_LISTED = 8  # columns of a file that are named


class Settings(NamedTuple):
    """How to train.

    Attributes
    ----------
    network : Network
    rule : RuleKindName
    seed : int
    max_literals : int, optional
        Literals of the longest rules on the front.
    device : str
    literals : int, optional
        Literals of the rules that are shown.
    distillation : float, optional
    """

    network: Network = Network.MU
    rule: RuleKindName = RuleKindName.IFF
    seed: int = 0
    max_literals: int | None = None
    device: str = "cpu"
    literals: int | None = None
    distillation: float | None = None

    def entries(self) -> dict[str, Any]:
        """The settings, for JSON."""
        return {
            "network": str(self.network),
            "rule": str(self.rule),
            "seed": self.seed,
            "max_literals": self.max_literals,
            "literals": self.literals,
            "distillation": self.distillation,
            "device": self.device,
        }

    @property
    def longest(self) -> int | str:
        """Where the front ends: at the requested length or beyond."""
        return "auto" if self.max_literals is None else max(self.max_literals, self.literals or 0)


class Request(NamedTuple):
    """The options of a command.

    Attributes
    ----------
    selection : Selection
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

    selection: Selection
    settings: Settings
    outputs: Outputs = Outputs()
    folds: int | None = None
    rows: bool = False
    quiet: bool = False
    more: bool = False
    front: bool = False
    command: str | None = None

    def entries(self) -> dict[str, Any]:
        """The settings that results depend on, for JSON."""
        selection = self.selection
        return {
            **self.settings.entries(),
            "above": selection.above,
            "use": list(selection.use),
            "ignore": list(selection.ignore),
            "holdout": selection.holdout,
            "max_rows": selection.max_rows,
            "folds": self.folds,
        }


def check_rows(rows: bool, html: Path | None) -> None:
    """Refuse --rows without --html."""
    if rows and html is None:
        wrong_usage("--rows puts rows into the report. Add --html report.html, or omit it.")


def name_a_column(demand: str, data: str, delimiter: str | None, encoding: str | None) -> NoReturn:
    """End a command that needs the name of a column, and list the columns of the file."""
    from logiclens.files import read_batches

    with read_batches(data, delimiter=delimiter, encoding=encoding) as batches:
        name, names = batches.name, batches.names
    list_columns(demand, name, names)


def list_columns(demand: str, name: str, names: Sequence[str]) -> NoReturn:
    """End a command with a demand and the columns of a table."""
    from logiclens.errors import count

    listed = ", ".join([*map(short, names[:_LISTED]), *(["..."] if len(names) > _LISTED else [])])
    wrong_usage(f"{demand}. {name} has {listed} ({count(len(names), 'column')}).")


def read(
    data: str, progress: Progress, delimiter: str | None, encoding: str | None, decimal: str | None
) -> TableSource:
    """Read the table that a command names."""
    from logiclens.cli.selection import TableSource
    from logiclens.files import read_table

    with progress.show(f"reading {data}"):
        file = read_table(data, delimiter=delimiter, encoding=encoding, decimal=decimal)
    return TableSource(file.table, file.name, file.sha256, file.notes)


def select(
    source: TableSource,
    request: Request,
    progress: Progress,
    check: Callable[[MemoryRows], object] | None = None,
) -> MemoryRows:
    """Columns and rows of a table; a check may refuse them before the long work."""
    from logiclens.cli.selection import select_rows
    from logiclens.errors import InputError

    with progress.show("looking at the columns"):
        rows = select_rows(source, request.selection)
        if request.folds is not None and request.folds > rows.n_used:
            raise InputError(
                f"--folds must be at most the number of rows, {rows.n_used}. Got {request.folds}."
            )
        if check is not None:
            check(rows)
    return rows


# Training


def classifier(settings: Settings, *, verbose: bool = False) -> LENClassifier:
    """An unfitted classifier; every column is encoded, so that rules speak of columns."""
    from logiclens.concepts import ConceptEncoder

    make = getattr(logiclens, f"{settings.network.value.capitalize()}Classifier")
    model: LENClassifier = make(
        rule=str(settings.rule),
        max_literals=settings.longest,
        literals="auto" if settings.literals is None else settings.literals,
        encoder=ConceptEncoder(),
        device=settings.device,
        random_state=settings.seed,
        verbose=verbose,
        **({} if settings.distillation is None else {"distillation": settings.distillation}),
    )
    return model


def train(rows: SelectedRows, settings: Settings, progress: Progress) -> LENClassifier:
    """A classifier fitted on the rows that are not held out."""
    with progress.training():
        return rows.fit(classifier(settings, verbose=progress.shown))


def cross_validate(
    rows: MemoryRows, settings: Settings, folds: int, progress: Progress
) -> dict[str, MeanAndError]:
    """The six metrics of the paper over folds of all rows."""
    import numpy as np

    with progress.show(f"cross-validation, {folds} folds"):
        scores = logiclens.cross_explain(classifier(settings), rows.inputs, rows.labels, cv=folds)
    found = {}
    for metric in METRICS:
        values = np.asarray(scores[metric], dtype=np.float64)
        shared = metric in ("consistency", "time")
        error = np.nan if shared else values.std(ddof=1) / np.sqrt(len(values))
        found[metric] = MeanAndError(float(values.mean()), float(error))
    return found


class Fit(NamedTuple):
    """Rows, the model that was fitted on them, and its figures.

    Attributes
    ----------
    rows : SelectedRows
    model : LENClassifier
    scores : ModelScores
    dropped : tuple of Dropped
        All columns without a use, those included of which the encoder could make nothing.
    leaks : tuple of Leak
    labeled : LabeledRows, optional
        The rows scored, if they have been read.
    metrics : mapping of str to MeanAndError, optional
        Of a cross-validation.
    """

    rows: SelectedRows
    model: LENClassifier
    scores: ModelScores
    dropped: tuple[Dropped, ...]
    leaks: tuple[Leak, ...]
    labeled: LabeledRows | None = None
    metrics: Mapping[str, MeanAndError] | None = None

    @property
    def rules(self) -> ExplanationSet:
        """The rules of the model."""
        return self.model.explain()


def fit(rows: SelectedRows, settings: Settings, progress: Progress) -> Fit:
    """Train, and score network and rules."""
    from logiclens.cli.selection import unused_columns

    model = train(rows, settings, progress)
    with progress.show("scoring the rules"):
        found = rows.evaluate(model)
    scores = model_scores(model.explain(), found, rows.class_sizes)
    return Fit(rows, model, scores, (*rows.dropped, *unused_columns(model)), found.leaks, found.labeled)


# Files


def write(
    found: Fit,
    request: Request,
    progress: Progress,
    rules: Sequence[Mapping[str, Any]],
    overall: Mapping[str, Any],
    *,
    task: str = "classify",
) -> None:
    """Write the model, the report and JSON, as requested.

    Parameters
    ----------
    found : Fit
    request : Request
    progress : Progress
    rules : sequence of mappings
        The rules, for JSON.
    overall : mapping
        Figures about all rules together, for JSON.
    task : {"classify", "black box"}, default "classify"
    """
    from logiclens.cli.selection import MemoryRows

    outputs, rows, metrics = request.outputs, found.rows, found.metrics
    save_model(found.model, found.rules, outputs)
    if outputs.html is not None and isinstance(rows, MemoryRows):
        with progress.show("writing the report"):
            write_report(
                outputs.html,
                found.model,
                rows,
                found.labeled,
                task=task,
                rows=request.rows,
                command=request.command,
            )
    if outputs.json is not None:
        text = results_json(
            rows,
            rules,
            decision_entries(found.rules),
            task=task,
            overall=overall,
            settings=request.entries() | ({} if rows.engine is None else rows.engine.entries()),
            dropped=found.dropped,
            front=front_entries(found.model.front_),
            cross_validation=metrics and {name: value._asdict() for name, value in metrics.items()},
        )
        write_text(outputs.json, text)


def write_report(
    path: Path,
    model: Any,
    selected: MemoryRows,
    labeled: LabeledRows | None = None,
    *,
    task: str = "classify",
    rows: bool = False,
    command: str | None = None,
) -> None:
    """Write the report of a model to a file.

    Parameters
    ----------
    path : Path
    model : classifier or clusterer of this package, fitted
    selected : MemoryRows
        What it was fitted on, and the rows to score it on.
    labeled : LabeledRows, optional
        These rows, where they have been read already.
    task : {"classify", "black box", "cluster"}, default "classify"
    rows : bool, default False
        Whether rows on which rules are wrong are put into it.
    command : str, optional
        The command that makes the report again.
    """
    from logiclens.reporting import Source, report

    source = Source(
        selected.name,
        command=command,
        n_train=selected.n_train,
        data_sha256=selected.sha256,
        dropped=dict(selected.dropped),
        task=task,
        held_out=selected.n_held > 0,
        row_numbers=(selected.kept[selected.scored] + 1).tolist() if rows else None,
        notes=selected.notes,
    )
    inputs: Any = labeled
    truth = None
    if labeled is None:
        inputs, labels = selected.part(selected.scored)
        truth = None if selected.target is None else labels
    elif task == "black box":
        inputs = labeled.with_black_box()
    report(model, inputs, truth, path=path, target=selected.target, rows=rows, source=source)


def print_results(request: Request, rules: ExplanationSet, in_full: Callable[[Console], None]) -> None:
    """Print results, or the rules alone; nothing if JSON or a table goes to standard output."""
    if request.outputs.to_stdout:
        return
    with checked_output():
        console = output_console()
        if not request.quiet:
            in_full(console)
            return
        for line in rules.format("unicode" if console.is_terminal else "ascii").split("\n"):
            print_line(console, line)


def next_step(request: Request, engine: Engine | None = None) -> str:
    """A hint: the command to run next."""
    outputs = request.outputs
    if engine is not None:
        if outputs.save is None:
            return "add --save model.lens to predict"
        return (
            f"logiclens predict {outputs.save} 'new/*.parquet' --engine {engine.name} --out predicted.parquet"
        )
    if outputs.save is not None:
        return f"logiclens predict {outputs.save} new.csv"
    if outputs.html is not None:
        return ""
    return "add --html report.html for a report, --save model.lens to predict"


MOST_LINES = 12
"""Columns left out, and classes, that are listed one by one; the report has all."""
MOST_LEAKS = 3
"""Columns that give the answers away which are named."""
FEW_ROWS, FEW_OF_A_CLASS = 30, 10
"""Fewer rows scored, or fewer rows of a class to learn from, say little."""


def print_heading(console: Console, rows: SelectedRows, question: str, trained: str) -> None:
    """Print the question, the size of the table, and how rules were learned."""
    print_line(console, question, "bold")
    columns = f"{count(len(rows.columns), 'column')} used"
    print_line(console, f"{rows.name}: {count(rows.n_read, 'row')}, {columns}. {trained}")
    for note in rows.notes:
        print_line(console, f"Note: {note}", "yellow")
    console.print()


def print_rules(console: Console, rules: Iterable[tuple[str, Any]]) -> None:
    """Each rule under a heading, as logic and as a sentence; classes without one in a line at the end."""
    from logiclens.logic.formula import FALSE

    without = []
    for heading, explanation in rules:
        if explanation.formula == FALSE:
            without.append(explanation.target)
            continue
        print_line(console, heading, "bold cyan")
        print_rule(console, explanation, f"{explanation.to_sentence()}.")
        console.print()
    if without:
        n = f"{len(without)} {'class' if len(without) == 1 else 'classes'}"
        print_line(console, f"No rule for {n}: {_named(without)}.")
        console.print()


def print_decision(
    console: Console, rules: ExplanationSet, headings: Iterable[tuple[str, Explanation]]
) -> None:
    """The list that decides, each step under the heading of its class; rules where they are printed as such.

    Parameters
    ----------
    console : Console
    rules : ExplanationSet
    headings : iterable of (str, Explanation)
        A heading for each class, with its rule.
    """
    headed = [*headings]
    if not rules.is_list or rules.default is None:
        print_rules(console, headed)
        return
    heading_of = {explanation.target: heading for heading, explanation in headed}
    labels = [*(step.label for step in rules.steps), rules.default]
    ascii_lines, unicode_lines = (rules.format(style).split("\n") for style in ("ascii", "unicode"))
    sentences = rules.to_sentence().split("\n")
    for label, plain, signs, sentence in zip(labels, ascii_lines, unicode_lines, sentences, strict=True):
        if label in heading_of:  # the default may have a step, too
            print_line(console, heading_of.pop(label), "bold cyan")
        print_logic(console, signs if console.is_terminal else plain)
        if len(rules.steps) and sentence is not sentences[-1]:
            print_item(console, sentence)
        console.print()
    if never := [label for label in rules if label not in labels]:
        print_line(console, f"Never predicted: {_named(never)}.")
        console.print()


def _named(labels: Sequence[Any]) -> str:
    """Labels, the first few only."""
    more = f" and {len(labels) - MOST_LINES} more" if len(labels) > MOST_LINES else ""
    return f"{', '.join(map(short, labels[:MOST_LINES]))}{more}"


def class_headings(scores: ModelScores, target: str, n_rows: int) -> Iterable[tuple[str, Any]]:
    """A heading for each class, with its rule."""
    for found in scores.classes:
        share = percent(found.n_all / n_rows)
        named = f"{found.label}" if f"{found.label}".startswith(f"{target} ") else f"{target} = {found.label}"
        yield f"{named} ({count(found.n_all, 'row')}, {share})", found.explanation


def score_table(classes: Iterable[ClassScores], *, first: str = "class", by_network: bool = True) -> Table:
    """A line of figures for each class.

    Parameters
    ----------
    classes : iterable of ClassScores
    first : str, default "class"
        What the lines are about.
    by_network : bool, default True
        Whether fidelity is to the network; otherwise to the labels themselves, such as those of a black box.
    """
    from logiclens.logic.formula import FALSE

    table = plain_table(first, "n", "literals", "precision", "recall", "coverage", "fidelity")
    listed = [*classes]
    if sum(found.explanation.formula == FALSE for found in listed) > MOST_LINES:  # they were named
        listed = [found for found in listed if found.explanation.formula != FALSE]
    for found in listed:
        rule = found.rates
        same = found.fidelity if by_network else found.agreement
        rates = map(percent, (rule.precision, rule.recall, rule.coverage, same))
        table.add_row(short(found.label), f"{found.n}", f"{found.literals}", *rates)
    return table


def part_words(scores: ModelScores) -> str:
    """The rows that scores are about."""
    return f"On the {count(scores.n, 'row')} {'held out' if scores.held_out else 'trained on'}:"


def coverage_words(scores: ModelScores) -> str:
    """How many rows the default decides."""
    return f"The default decides {scores.resolution.n_uncovered} of them."


def accuracy_words(scores: ModelScores) -> str:
    """How often network and rules are right, and a guess; without the network if it was not evaluated."""
    guess = f"always predicting the most common class, on {percent(scores.guess_accuracy)}"
    rules = f"on {percent(scores.rules_accuracy)}"
    if isnan(scores.network_accuracy):
        return f"The rules are right {rules} of these rows; {guess}. {coverage_words(scores)}"
    return (
        f"The network is right on {percent(scores.network_accuracy)} of these rows, the rules {rules}; "
        f"{guess}. Rules and network agree on {percent(scores.fidelity)} (fidelity). "
        f"{coverage_words(scores)}"
    )


def print_doubt(console: Console, scores: ModelScores, target: str) -> None:
    """Print a note if the rules are no better than always guessing the most common class."""
    if scores.rules_accuracy > scores.guess_accuracy:
        return
    informative = [
        each for each in scores.classes if each.rates.precision_interval[0] > each.rates.prevalence
    ]
    if not any(each.literals or each.explanation.kind != "iff" for each in scores.classes):
        note = (
            "no rules beat always predicting the most common class by more than chance. --front lists rules "
            "of every length, --literals shows those of one."
        )
    elif not informative:
        note = f"that is no better than a guess: these columns may not decide {target}."
    else:
        best = max(informative, key=lambda each: each.rates.lift)
        note = (
            "a guess is right as often or more, but knows less: "
            f"{short(best.label)} is {best.rates.lift:.1f} times as common where its rule fires "
            "as among all rows."
        )
    print_line(console, f"Note: {note}", "yellow")


def print_few(console: Console, scores: ModelScores) -> None:
    """Print a note if figures come from few rows."""
    part = "held out" if scores.held_out else "trained on"
    found = [f"{count(scores.n, 'row')} {part}"] if scores.n < FEW_ROWS else []
    rare = [
        each.label
        for each in scores.classes
        if each.n_all - (each.n if scores.held_out else 0) < FEW_OF_A_CLASS
    ]
    if rare:
        found.append(f"fewer than {FEW_OF_A_CLASS} to learn {_named(rare)} from")
    if found:
        print_line(console, f"Note: figures from so few rows say little: {', '.join(found)}.", "yellow")


def print_leaks(console: Console, columns: Sequence[Leak], question: str) -> None:
    """Print a note on each column that gives the answers away."""
    for column, share in columns[:MOST_LEAKS]:
        print_line(
            console,
            f"Note: column {column!r} alone gives {percent(share)} of the answers. {question} Then leave it "
            f"out: --ignore {shlex.quote(column)}",
            "yellow",
        )


def print_dropped(console: Console, dropped: Sequence[Dropped]) -> None:
    """Columns that are not used, and why."""
    if not dropped:
        return
    print_line(console, f"Not used: {count(len(dropped), 'column')}.")
    print_table(
        console, text_table("column", "why", rows=[(each.name, each.why) for each in dropped[:MOST_LINES]])
    )
    if len(dropped) > MOST_LINES:
        print_item(console, f"and {len(dropped) - MOST_LINES} more.")


def print_files(console: Console, written: Iterable[tuple[str, str]], hint: str) -> None:
    """Where files were written, and what to do next."""
    for path, what in written:
        print_line(console, f"Wrote the {what} to {path}", "green")
    if hint:
        print_line(console, f"Next: {hint}")


def front_table(front: Front) -> Table:
    """Accuracy and fidelity of rules of each length; a star marks the length that is shown."""
    table = plain_table("literals", "accuracy", "95 % interval", "fidelity", first="right")
    for at, point in enumerate(front):
        low, high = point.interval or (nan, nan)
        spread = "" if point.interval is None else f"{percent(low)} to {percent(high)}"
        mark = "*" if at == front.chosen else ""
        rates = (percent(nan if rate is None else rate) for rate in (point.accuracy, point.fidelity))
        accuracy, fidelity = rates
        table.add_row(f"{mark}{point.literals}", accuracy, spread, fidelity)
    return table


def print_front(console: Console, front: Front) -> None:
    """How good rules of each length are."""
    if all(point.accuracy is None for point in front):
        print_line(console, "Rules by their length; no rows were left out to score them (*: those above):")
    else:
        print_line(
            console,
            "Rules by their length, scored on training rows left out in turn (*: those above; --literals for "
            "others):",
        )
    print_table(console, front_table(front))


def print_more(console: Console, model: Any, rows: MemoryRows) -> None:
    """One row: why it has its class and what would change that."""
    from logiclens.explain.rule import target_in_sentence

    rules = model.explain()
    inputs, labels = rows.part(rows.scored)
    row = inputs.slice(0, 1)
    found = model.explain_sample(row)
    part = "held-out row" if rows.n_held else "row"
    true = target_in_sentence(replace(found.rule, target=labels[0]))
    print_line(console, f"Why the network gives the first {part} its class:")
    print_rule(console, found, f"{found.to_sentence()}. In truth it is {true}.")
    console.print()
    print_line(console, "The smallest change that makes this class's rule false:")
    print_item(console, str(rules[found.target].counterfactual(row)))
    console.print()


def metrics_table(metrics: Mapping[str, MeanAndError]) -> Table:
    """The metrics of the paper: mean and standard error over folds."""
    table = plain_table("metric", "mean", "standard error")
    for name, values in metrics.items():
        share = name not in ("complexity", "time")
        table.add_row(METRICS[name], *(_metric(value, share) for value in values))
    return table


def _metric(value: float, share: bool) -> str:
    if isnan(value):
        return ""
    return percent(value) if share else f"{value:.2f}"
