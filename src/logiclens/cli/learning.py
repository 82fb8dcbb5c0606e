"""What ``explain``, ``blackbox`` and ``cluster`` share: the request, the fit, and its files.

Rows lie in memory or in an engine (:class:`~logiclens.cli.selection.SelectedRows`); nothing here depends on
which of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import logiclens
from logiclens.cli.options import Network, RuleKindName, Selection
from logiclens.cli.outputs import (
    Outputs,
    decision_entries,
    front_entries,
    results_json,
    save_model,
    write_text,
)
from logiclens.cli.scores import METRICS, MeanAndError, ModelScores, model_scores
from logiclens.cli.terminal import checked_output, output_console, print_line, short, wrong_usage

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from logiclens.cli.options import Engine
    from logiclens.cli.selection import Dropped, MemoryRows, SelectedRows, TableSource
    from logiclens.cli.terminal import Progress
    from logiclens.estimators.base import LENClassifier
    from logiclens.evaluation._evaluate import LabeledRows
    from logiclens.evaluation._leaks import Leak
    from logiclens.explain import ExplanationSet

_LISTED = 8  # columns of a file that are named
_LONGEST = 60  # where fronts end at least, unless a person asks for more


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
        if self.max_literals is None and (self.literals or 0) <= _LONGEST:
            return "auto"
        return max(self.max_literals or 0, self.literals or 0)


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
