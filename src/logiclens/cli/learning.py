"""Shared by ``explain``, ``blackbox`` and ``cluster``: the request, the fit, its files and its results.

Rows lie in memory or in an engine (:class:`~logiclens.cli.selection.SelectedRows`); nothing here depends on
which of the two.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isnan, nan
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import logiclens
from logiclens.cli.options import BALANCED, ColumnOptions, FileOptions, NetworkKind, RuleKindName, Selection
from logiclens.cli.outputs import METRICS, Outputs, results_json, rule_words, write_text
from logiclens.cli.terminal import (
    ListedStep,
    checked_output,
    output_console,
    percent,
    plain_table,
    print_item,
    print_line,
    print_logic,
    print_rule,
    print_steps,
    print_table,
    short,
    text_table,
    wrong_usage,
)
from logiclens.errors import count

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from rich.console import Console
    from rich.table import Table

    from logiclens.cli.options import Engine
    from logiclens.cli.selection import (
        ClassScores,
        Dropped,
        Fit,
        MeanAndError,
        MemoryRows,
        SelectedRows,
    )
    from logiclens.cli.terminal import Progress
    from logiclens.estimators.base import LENClassifier
    from logiclens.estimators.stability import Stability
    from logiclens.evaluation import StepScores
    from logiclens.explain import Explanation, ExplanationSet
    from logiclens.explain.front import Front
    from logiclens.explain.rule import Label
    from logiclens.files import TableFile
    from logiclens.metrics.goal import Goal
    from logiclens.metrics.paired import Lead

_LISTED = 8  # columns of a file that are named


class Settings(NamedTuple):
    """Settings of the training.

    Attributes
    ----------
    network : NetworkKind
    rule : RuleKindName
    seed : int
    max_literals : int, optional
        Literals of the longest rules on the front.
    literals : int, optional
        Literals of the rules that are shown.
    distillation : float, optional
    device : str
    goal : str, optional
        ``"balanced"``, or a recall or precision to reach.
    positive : label, optional
        The class of the goal.
    """

    network: NetworkKind = NetworkKind.MU
    rule: RuleKindName = RuleKindName.IFF
    seed: int = 0
    max_literals: int | None = None
    literals: int | None = None
    distillation: float | None = None
    device: str = "cpu"
    goal: str | None = None
    positive: Label | None = None

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
    logic : bool
        Whether to print First-Order Logic, rather than plain words.
    mirror : bool
        Whether to print the formula of each class beside the list.
    command : str, optional
        The command, as it was typed.
    compare : bool
        Whether to train a tree and boosting on the same rows.
    stability : int
        How many resamples to fit to.
    """

    selection: Selection
    settings: Settings
    outputs: Outputs = Outputs()
    folds: int | None = None
    rows: bool = False
    quiet: bool = False
    more: bool = False
    front: bool = False
    logic: bool = False
    mirror: bool = False
    command: str | None = None
    compare: bool = True
    stability: int = 10

    def entries(self) -> dict[str, Any]:
        """The settings that results depend on, for JSON."""
        selection = self.selection
        return {
            **self.settings._asdict(),
            "above": selection.above,
            "cut": list(selection.cut) or None,
            "bins": selection.bins,
            "use": list(selection.use),
            "ignore": list(selection.ignore),
            **selection.said.entries(),
            "holdout": selection.holdout,
            "split_column": selection.split_column,
            "test_value": selection.test_value,
            "group": selection.group,
            "max_rows": selection.max_rows,
            "folds": self.folds,
            "compare": self.compare,
            "stability": self.stability,
        }


def check_rows(rows: bool, html: Path | None) -> None:
    """Refuse --rows without --html."""
    if rows and html is None:
        wrong_usage("--rows puts rows into the report. Add --html report.html, or omit it.")


def check_mirror(mirror: bool, rule: RuleKindName) -> None:
    """Refuse --mirror where there is no list."""
    if mirror and rule is not RuleKindName.IFF:
        wrong_usage("--mirror prints the formula of each class beside the list. Omit it, or --rule.")


def name_a_column(
    demand: str, data: str, delimiter: str | None, encoding: str | None, engine: Engine | None = None
) -> NoReturn:
    """End a command that needs the name of a column, and list the columns of the table."""
    if engine is not None:
        from logiclens.cli.engine_rows import columns_of

        name, names = data, columns_of(data, engine)
    else:
        from logiclens.files import read_batches

        with read_batches(data, delimiter=delimiter, encoding=encoding) as batches:
            name, names = batches.name, batches.names
    listed = ", ".join([*map(short, names[:_LISTED]), *(["..."] if len(names) > _LISTED else [])])
    wrong_usage(f"{demand}. {name} has {listed} ({count(len(names), 'column')}).")


def read(
    data: str,
    progress: Progress,
    layout: FileOptions,
    said: ColumnOptions | None = None,
) -> TableFile:
    """Read the table that a command names."""
    from logiclens.cli.column_types import gaps_of, kinds_of
    from logiclens.files import read_table

    said = said or ColumnOptions()
    with progress.show(f"reading {data}"):
        return read_table(
            data, **layout.entries(), types=partial(kinds_of, said), missing=partial(gaps_of, said)
        )


def read_test(
    path: str,
    source: TableFile,
    progress: Progress,
    layout: FileOptions,
    said: ColumnOptions,
) -> TableFile:
    """Read the rows to hold out, by the types of the table itself: what is text there is text."""
    from logiclens.cli.column_types import gaps_of, kinds_of
    from logiclens.concepts import Kind, Table
    from logiclens.files import ValueType, read_table

    table, names = Table(source.table), source.table.column_names
    types = {name: ValueType.TEXT for name in names if table.column(name).kind is Kind.TEXT}
    types |= kinds_of(said, names)
    gaps = gaps_of(said, names)
    if not path.lower().endswith(".xlsx"):
        layout = layout._replace(sheet=None)
    with progress.show(f"reading {path}"):
        return read_table(
            path,
            **layout.entries(),
            types=lambda there: {name: types[name] for name in there if name in types},
            missing=lambda there: {name: gaps[name] for name in there if name in gaps},
        )


def select(
    source: TableFile, request: Request, progress: Progress, test: TableFile | None = None
) -> MemoryRows:
    """Columns and rows of a table; those of a second one are held out."""
    from logiclens.cli.selection import select_rows
    from logiclens.errors import InputError

    with progress.show("looking at the columns"):
        rows = select_rows(source, request.selection, test)
    if request.folds is not None and request.folds > rows.n_used:
        raise InputError(f"--folds must be at most the number of rows, {rows.n_used}. Got {request.folds}.")
    return rows


# Training


def classifier(rows: SelectedRows, settings: Settings, *, verbose: bool = False) -> LENClassifier:
    """An unfitted classifier; every column is encoded, so that rules speak of columns."""
    make = getattr(logiclens, f"{settings.network.value.capitalize()}Classifier")
    model: LENClassifier = make(
        rule=str(settings.rule),
        max_literals=settings.longest,
        literals="auto" if settings.literals is None else settings.literals,
        encoder=rows.encoder(),
        device=settings.device,
        class_weight="balanced" if settings.goal == BALANCED else None,
        goal=None if settings.goal == BALANCED else settings.goal,
        positive=settings.positive,
        random_state=settings.seed,
        verbose=verbose,
        **({} if settings.distillation is None else {"distillation": settings.distillation}),
    )
    return model


def with_positive(request: Request, rows: SelectedRows) -> Request:
    """The request with the class of its goal: a label in place of its text."""
    from logiclens.errors import UnknownTargetError

    text = request.settings.positive
    if text is None:
        return request
    for label in rows.class_sizes:
        if text == f"{label}" or (isinstance(label, bool) and text == f"{label}".lower()):
            return request._replace(settings=request.settings._replace(positive=label))
    raise UnknownTargetError(f"{text}", tuple(rows.class_sizes))


def train(rows: SelectedRows, settings: Settings, progress: Progress) -> LENClassifier:
    """A classifier fitted on the rows that are not held out."""
    with progress.training():
        return rows.fit(classifier(rows, settings, verbose=progress.shown))


def cross_validate(
    rows: MemoryRows, settings: Settings, folds: int, progress: Progress
) -> dict[str, MeanAndError]:
    """The six metrics of the paper over folds of all rows."""
    import numpy as np

    from logiclens.cli.selection import MeanAndError

    with progress.show(f"cross-validation, {folds} folds"):
        inputs, targets = rows.learned(np.ones_like(rows.held_out))
        scores = logiclens.cross_explain(
            classifier(rows, settings), inputs, targets, cv=folds, groups=targets.groups
        )
    found = {}
    for metric in METRICS:
        values = np.asarray(scores[metric], dtype=np.float64)
        shared = metric in ("consistency", "time")
        error = np.nan if shared else values.std(ddof=1) / np.sqrt(len(values))
        found[metric] = MeanAndError(float(values.mean()), float(error))
    return found


def fit(rows: SelectedRows, settings: Settings, progress: Progress) -> Fit:
    """Train, and score network and rules."""
    model = train(rows, settings, progress)
    with progress.show("scoring the rules"):
        found = rows.evaluate(model)
    if rows.n_held:  # the steps are saved with their scores
        model.explanations_ = replace(found.rules, held_out=found.truth.held_out(rows.target))
    return found


# Files


def write(
    found: Fit,
    request: Request,
    progress: Progress,
    rules: Sequence[Mapping[str, Any]],
    overall: Mapping[str, Any],
    *,
    settings: Mapping[str, Any] | None = None,
    task: str = "classify",
    shown: Mapping[str, Any] | None = None,
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
    settings : mapping, optional
        Settings of this command, beside those of the request, for JSON.
    task : {"classify", "black box", "cluster"}, default "classify"
    shown : mapping, optional
        Arguments of :func:`write_report`.
    """
    outputs = request.outputs
    if outputs.save is not None:
        (found.rules if outputs.saves_rules else found.model).save(outputs.save)
    if outputs.html is not None:
        with progress.show("writing the report"):
            write_report(outputs.html, found, request, task, **(shown or {}))
    if outputs.json is not None:
        entries = {**request.entries(), **(settings or {})}
        write_text(outputs.json, results_json(found, rules, overall, entries, task))


def write_report(
    path: Path,
    found: Fit,
    request: Request,
    task: str = "classify",
    *,
    comparison: Iterable[Mapping[str, Any]] = (),
    lead: Lead | None = None,
    stability: Stability | None = None,
    truth: NDArray[Any] | None = None,
) -> None:
    """Write the report of a model on rows in memory to a file.

    Of a black box there may be the truth, (n,), with empty texts where it is missing.
    """
    from logiclens.cli.selection import MemoryRows
    from logiclens.reporting import Source, report

    rows = found.rows
    assert isinstance(rows, MemoryRows)
    source = Source(
        rows.name,
        command=request.command,
        n_train=rows.n_train,
        data_sha256=rows.sha256,
        dropped=dict(rows.dropped),
        task=task,
        held_out=rows.n_held > 0,
        row_numbers=(rows.kept[rows.scored] + 1).tolist() if request.rows else None,
        notes=rows.notes,
    )
    inputs: Any = rows.inputs if found.labeled is None else found.labeled
    if task == "black box":
        inputs = inputs.with_black_box()
        if truth is not None and (truth[rows.scored] != "").any():
            inputs = inputs.with_some_truth(truth[rows.scored])
    compared = [
        (each["name"], each["title"], each["accuracy"], each["low"], each["high"]) for each in comparison
    ]
    others = rows.others
    report(
        found.model,
        inputs,
        path=path,
        target=rows.target,
        rows=request.rows,
        source=source,
        comparison=compared,
        lead=lead,
        stability=stability,
        groups=others.filter(rows.scored) if others.num_columns else None,
    )


def print_results(request: Request, rules: ExplanationSet, in_full: Callable[[Console], None]) -> None:
    """Print results, or the rules alone; nothing if JSON or a table goes to standard output."""
    if request.outputs.to_stdout:
        return
    with checked_output():
        console = output_console()
        if not request.quiet:
            in_full(console)
            return
        logic = "unicode" if console.is_terminal else "ascii"
        for line in rules.format(logic if request.logic else "plain").split("\n"):
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


def print_goal(console: Console, found: Fit, settings: Settings) -> None:
    """Print how near the rules come to what they were chosen for, if that is not accuracy."""
    result = found.model.front_.goal
    if settings.goal == BALANCED:
        recalls = [each.rates.recall for each in found.classes if each.n]
        mean = sum(recalls) / len(recalls)
        print_line(console, f"All classes count alike: the mean of their recalls is {percent(mean)}.")
    elif result is not None:
        rarest = "" if settings.positive is not None else f"{short(result.goal.label)} is the rarest class. "
        print_line(console, f"{rarest}{result}", "" if result.is_reached else "yellow")
        if found.rows.n_held:
            print_line(console, _goal_held_out(found, result.goal))


def _goal_held_out(found: Fit, goal: Goal) -> str:
    """Whether a goal holds on the rows held out."""
    rates = next(each.rates for each in found.classes if each.label == goal.label)
    rate, interval = getattr(rates, goal.metric), getattr(rates, f"{goal.metric}_interval")
    named = short(goal.label)
    if isnan(rate):
        return f"On the rows held out the {goal.metric} of {named} is not known."
    spread = " to ".join(map(percent, interval))
    verdict = "the goal holds there, too" if rate >= goal.least else "the goal is missed there"
    return f"On the rows held out the {goal.metric} of {named} is {percent(rate)} ({spread}): {verdict}."


def goal_entries(found: Fit) -> dict[str, Any]:
    """The same, for JSON."""
    result = found.model.front_.goal
    if result is None:
        return {"goal": None}
    goal = {"metric": result.goal.metric, "least": result.goal.least, "label": result.goal.label}
    return {
        "goal": goal
        | {"rate": result.rate, "n": round(result.n), "reached": result.is_reached, "weight": result.weight}
    }


MOST_LINES = 12
"""Columns left out, and classes, that are listed one by one; the report has all."""
MOST_LEAKS = 3
"""Columns that give the answers away which are named."""
FEW_ROWS, FEW_OF_A_CLASS = 30, 10
"""Fewer rows scored, or fewer rows of a class to learn from, say little."""


def print_heading(console: Console, found: Fit, question: str, trained: str) -> None:
    """Print the question, the size of the table, and how rules were learned."""
    rows, model = found.rows, found.model
    print_line(console, question, "bold")
    columns = f"{count(len(found.columns), 'column')} used"
    concepts = count(len(model.concept_names_), "concept")
    print_line(
        console,
        f"{rows.name}: {count(rows.n_read, 'row')}, {columns}. {type(model).__name__} {trained}, {concepts}.",
    )
    for note in rows.notes:
        print_line(console, f"Note: {note}", "yellow")
    console.print()


def print_scored_rules(
    console: Console,
    found: Fit,
    request: Request,
    title: str,
    accuracy: Callable[[], None],
    question: str,
    *,
    doubt: bool,
    by_network: bool = True,
) -> None:
    """Print the list that decides, the figures of each class and of all together, and what to doubt.

    Parameters
    ----------
    console : Console
    found : Fit
    request : Request
    title : str
        A line above the figures.
    accuracy : callable
        Prints how often rules and others are right.
    question : str
        Asked of columns that give the answers away.
    doubt : bool
        Whether it is not shown that the rules are better than a guess.
    by_network : bool, default True
        As for :func:`score_table`.
    """
    rules, logic = found.rules, request.logic
    if rules.is_list:
        most = request.settings.literals or 0
        if rules.literals < most:
            asked, fewer = (count(n, "literal") for n in (most, rules.literals))
            print_line(console, f"Note: no rules of {asked} were found; these have {fewer}.", "yellow")
            console.print()
        order = "The first step that is true decides. " if rules.steps else ""
        print_line(console, f"{order}Figures are of the {part_words(found)}.")
        console.print()
        right = "right" if by_network else "the model's answer"
        print_decision(console, rules, found.truth.steps, logic=logic, right=right)
        if request.mirror:
            print_mirror(console, rules, logic=logic)
    else:
        print_rules(console, ((each.explanation, rule_words(each)) for each in found.classes), logic=logic)
        print_line(console, found.rules.decision_sentence())
        console.print()
    print_line(console, title)
    accuracy()
    if doubt:
        print_doubt(console, found)
    print_few(console, found)
    print_leaks(console, found, question)
    console.print()
    print_line(console, "By class:")
    print_table(console, score_table(found.classes, by_network=by_network))


def print_rest(console: Console, found: Fit, request: Request, hint: str) -> None:
    """Print what was asked for besides, columns that are not used, files, and what to do next."""
    if request.front:
        print_front(console, found.model.front_)
    if request.more:
        print_more(console, found, request)
    if found.metrics is not None:
        print_line(console, f"Cross-validation, {request.folds} folds of {found.rows.n_used} rows:")
        print_table(console, metrics_table(found.metrics))
    print_dropped(console, found.dropped)
    print_files(console, request.outputs.listed(), hint)


def print_rules(console: Console, rules: Iterable[tuple[Explanation, str]], *, logic: bool = False) -> None:
    """Each rule with a remark; classes without one in a line at the end.

    Parameters
    ----------
    console : Console
    rules : iterable of (Explanation, str)
        Each rule, and how often it holds.
    logic : bool, default False
        Whether in First-Order Logic, rather than in plain words.
    """
    from logiclens.logic.formula import FALSE

    without = []
    for explanation, remark in rules:
        if explanation.formula == FALSE:
            without.append(explanation.target)
            continue
        print_rule(console, explanation, remark, logic=logic)
        console.print()
    if without:
        n = f"{len(without)} {'class' if len(without) == 1 else 'classes'}"
        print_line(console, f"No rule for {n}: {_named(without)}.")
        console.print()


def print_decision(
    console: Console, rules: ExplanationSet, steps: Sequence[StepScores], *, logic: bool, right: str = "right"
) -> None:
    """The list that decides, each step with how often it is right.

    Parameters
    ----------
    console : Console
    rules : ExplanationSet
        Printed as a list.
    steps : sequence of StepScores
        Figures of the steps and of the default; empty where there are none.
    logic : bool
        Whether in First-Order Logic, rather than in plain words.
    right : str, default "right"
        What a step is where it is right: "right", or "the model's answer".
    """
    from logiclens.explain.resolution import step_words
    from logiclens.explain.rule import alternatives, label_text

    assert rules.default is not None
    remarks = [step_words(each, right, last=at == len(rules.steps)) for at, each in enumerate(steps)]
    remarks = remarks or [""] * (len(rules.steps) + 1)
    if logic:
        lines = rules.format("unicode" if console.is_terminal else "ascii").split("\n")
        for line, remark in zip(lines, remarks, strict=True):
            print_logic(console, line)
            if remark:
                print_item(console, remark)
    else:
        cases = [alternatives(step.formula, rules.vocabulary, "plain") for step in rules.steps]
        labels = [label_text(label, "plain") for label in rules.answers]
        print_steps(console, list(map(ListedStep, [*cases, []], labels, remarks)))
    console.print()
    if never := [label for label in rules if label not in rules.answers]:
        print_line(console, f"Never predicted: {_named(never)}.")
        console.print()


def print_mirror(console: Console, rules: ExplanationSet, *, logic: bool) -> None:
    """The formula of each class, and whether it says the same as the list."""
    print_line(console, "Each class by itself:", "bold")
    print_rules(console, ((each, _as_sentence(each.status)) for each in rules.values()), logic=logic)


def _as_sentence(status: str) -> str:
    return f"{status[:1].upper()}{status[1:]}." if status else ""


def _named(labels: Sequence[Any]) -> str:
    """Labels, the first few only."""
    more = f" and {len(labels) - MOST_LINES} more" if len(labels) > MOST_LINES else ""
    return f"{', '.join(map(short, labels[:MOST_LINES]))}{more}"


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

    table = plain_table(first, "share", "n", "literals", "precision", "recall", "coverage", "fidelity")
    listed = [*classes]
    n_all = sum(found.n_all for found in listed)
    if sum(found.explanation.formula == FALSE for found in listed) > MOST_LINES:  # they were named
        listed = [found for found in listed if found.explanation.formula != FALSE]
    for found in listed:
        rule = found.rates
        same = found.fidelity if by_network else found.agreement
        rates = map(percent, (rule.precision, rule.recall, rule.coverage, same))
        share = percent(found.n_all / n_all)
        table.add_row(short(found.label), share, f"{found.n}", f"{found.literals}", *rates)
    return table


def part_words(found: Fit) -> str:
    """The rows that scores are about."""
    return f"{count(found.n, 'row')} {found.part}"


def coverage_words(found: Fit) -> str:
    """Number of rows that the default decides, in words."""
    return f"The default decides {found.truth.resolution.n_uncovered} of them."


def print_doubt(console: Console, found: Fit) -> None:
    """Print what rules still tell that are not shown to be better than a guess."""
    informative = [each for each in found.classes if each.rates.precision_interval[0] > each.rates.prevalence]
    if not any(each.literals or each.explanation.kind != "iff" for each in found.classes):
        note = (
            f"these columns may not decide {found.rows.target}. More rows or other columns may help; --front "
            "lists rules of every length, --literals shows those of one."
        )
    elif not informative:
        note = f"these columns may not decide {found.rows.target}."
    else:
        best = max(informative, key=lambda each: each.rates.lift)
        note = (
            "rules may know more than a guess that is right as often: "
            f"{short(best.label)} is {best.rates.lift:.1f} times as common where its rule fires "
            "as among all rows."
        )
    print_line(console, f"Note: {note}", "yellow")


def print_few(console: Console, found: Fit) -> None:
    """Print a note if figures come from few rows."""
    doubts = [f"{count(found.n, 'row')} {found.part}"] if found.n < FEW_ROWS else []
    sizes = found.rows.class_sizes
    if rare := [label for label in found.rules if sizes[label][0] < FEW_OF_A_CLASS]:
        doubts.append(f"fewer than {FEW_OF_A_CLASS} training rows of {_named(rare)}")
    if doubts:
        print_line(console, f"Note: figures from so few rows say little: {', '.join(doubts)}.", "yellow")


def print_leaks(console: Console, found: Fit, question: str) -> None:
    """Print a note on each column that gives the answers away."""
    words = found.rules.vocabulary
    for column, share in found.leaks[:MOST_LEAKS]:
        source = column if words is None else words.source(column)
        print_line(
            console,
            f"Note: column {column!r} alone gives {percent(share)} of the answers. {question} Then leave it "
            f"out: --ignore {shlex.quote(source)}",
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


def print_front(console: Console, front: Front) -> None:
    """Accuracy and fidelity of rules of each length; a star marks the length that is shown."""
    from logiclens.explain.front import LISTED

    if all(point.accuracy is None for point in front):
        scored = "; no rows were left out to score them (*: those above):"
    else:
        scored = ", scored on training rows left out in turn (*: those above; --literals for others):"
    print_line(console, f"Rules by their length{scored}")
    table = plain_table("literals", "accuracy", "95 % interval", "fidelity", first="right")
    for at, point in enumerate(front):
        spread = "" if point.interval is None else " to ".join(map(percent, point.interval))
        mark = "*" if at == front.chosen else ""
        accuracy, fidelity = (
            percent(nan if rate is None else rate) for rate in (point.accuracy, point.fidelity)
        )
        table.add_row(f"{mark}{point.literals}", accuracy, spread, fidelity)
    print_table(console, table)
    if front.kind not in LISTED:
        print_line(
            console,
            "Accuracy and fidelity are means over the classes here: how often the rule of a class "
            "rightly says whether a row is of the class. Above, all rules decide together.",
        )


def print_more(console: Console, found: Fit, request: Request) -> None:
    """One row: why it has its class and what would change that."""
    from logiclens.cli.selection import MemoryRows
    from logiclens.explain.rule import target_in_sentence

    rows = found.rows
    assert isinstance(rows, MemoryRows)
    inputs, labels = rows.part(rows.scored)
    row = inputs.slice(0, 1)
    why = found.model.explain_sample(row)
    part = "held-out row" if rows.n_held else "row"
    true = target_in_sentence(replace(why.rule, target=labels[0]))
    print_line(console, f"Why the network gives the first {part} its class:")
    print_rule(console, why, f"In truth it is {true}.", logic=request.logic)
    console.print()
    print_line(console, "The smallest change that makes this class's rule false:")
    print_item(console, str(found.rules[why.target].counterfactual(row)))
    console.print()


def metrics_table(metrics: Mapping[str, MeanAndError]) -> Table:
    """The metrics of the paper: mean and standard error over folds."""
    table = plain_table("metric", "mean", "standard error")
    for name, values in metrics.items():
        written = "{:.2f}".format if name in ("complexity", "time") else percent
        table.add_row(METRICS[name], *("" if isnan(value) else written(value) for value in values))
    return table
