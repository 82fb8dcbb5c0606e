"""Tables of results in the paper's layout, from rows, with the paper's figures beside ours (Tables 4 to 10).

A figure is the mean over folds with its standard error. The two best of a line are in bold, as in the paper,
and all that print alike; of fidelity it is the best network, since trees and lists of rules are their own
explanations. A method that did not finish all folds is never in bold and says how many it finished.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from logiclens.bench.measures import (
    FOUR,
    MEASURES,
    NOTHING,
    Measure,
    figure,
    may_be_bold,
    remark_on,
    three_digits,
)
from logiclens.bench.methods import DEFAULT
from logiclens.bench.published import REFERENCE, plain_name, published
from logiclens.bench.rule_tables import rules_table
from logiclens.bench.scoreboard import Mean, Row, Scoreboard, experiment_title, method_title
from logiclens.bench.table_layout import Cell, Table
from logiclens.errors import InputError, did_you_mean, listing

__all__ = [
    "FOUR",
    "MEASURES",
    "NOTHING",
    "UNSEEN",
    "Measure",
    "at_least",
    "consistency_table",
    "experiment_table",
    "honest_tables",
    "metric_table",
    "paper_tables",
    "time_ratio",
    "time_table",
]

UNSEEN: Final = "unseen pictures"
"""The part of CUB's test rows that the network behind the concepts never saw."""


def paper_tables(rows: Iterable[Row], fold_seed: int | None = None, default: str = DEFAULT) -> list[Table]:
    """All tables of a run: one for each of the paper's metrics, one for each experiment, times and rules.

    Parameters
    ----------
    rows : iterable of rows
    fold_seed : int, optional
        Which folds; needed where there are rows of several seeds.
    default : str, default "mu"
        The method that times are compared with.

    Examples
    --------
    >>> row = {"experiment": "vdem", "method": "mu", "fold": 0, "fold_seed": 0, "complexity": 3.5}
    >>> print(paper_tables([row])[0].to_markdown())
    **Complexity of explanations (literals)**
    <BLANKLINE>
    |  | mu |
    |---|---|
    | V-Dem | 3.50 [9.10±0.94] |
    <BLANKLINE>
    In brackets: the paper.
    """
    kept = list(rows)
    board = Scoreboard(kept, fold_seed=fold_seed)
    tables = [metric_table(board, column) for column in FOUR]
    tables += [consistency_table(board, adjusted=False), consistency_table(board, adjusted=True)]
    tables += [time_table(board, default), rules_table(board), *honest_tables(kept, board.fold_seed)]
    tables += [experiment_table(board, name) for name in board.experiments]
    return [table for table in tables if table.lines]


# One metric: experiments down, methods across


def metric_table(board: Scoreboard, column: str) -> Table:
    """One metric: a line for each experiment, and one below it for the networks with the paper's settings.

    Parameters
    ----------
    board : Scoreboard
    column : str
        One of :data:`MEASURES`.

    Raises
    ------
    InputError
        There is no such metric.
    """
    measure = _measure(column)
    lines = [(board, name, experiment_title(name)) for name in board.main_experiments]
    return _across(measure, lines, _note(board, measure))


def honest_tables(rows: Iterable[Row], fold_seed: int | None = None) -> list[Table]:
    """What the paper's protocol flatters: preprocessing outside of folds, pictures that a CNN was trained on.

    Each variant stands below the experiment that it is a variant of.
    """
    kept = list(rows)
    board = Scoreboard(kept, fold_seed=fold_seed)
    lines = []
    if "mimic2-infold" in board.experiments:
        lines += [(board, name, experiment_title(name)) for name in ("mimic2", "mimic2-infold")]
    if any(row.get("part") == UNSEEN and row["fold_seed"] == board.fold_seed for row in kept):
        unseen = Scoreboard(kept, UNSEEN, board.fold_seed)
        lines += [(board, "cub", "CUB"), (unseen, "cub", f"CUB, {UNSEEN}")]
    if not lines:
        return []
    titles = {column: f"Honest variants: {_lowered(MEASURES[column].title)}" for column in FOUR}
    return [_across(MEASURES[column]._replace(title=titles[column]), lines, "") for column in FOUR]


def _lowered(title: str) -> str:
    return title[0].lower() + title[1:]


def _across(measure: Measure, experiments: Sequence[tuple[Scoreboard, str, str]], note: str) -> Table:
    """A column for each method that has any figure; the paper's settings are on lines of their own."""
    found = {
        name: None
        for board, experiment, _ in experiments
        for name in board.methods
        if _has_figure(board, experiment, name, measure.column)
    }
    heads = list(dict.fromkeys(map(plain_name, found)))
    lines = []
    for board, experiment, title in experiments:
        best = _best(board, experiment, measure)
        for mark, suffix in (("", ""), (REFERENCE, ", reference")):
            names = [name + mark for name in heads]
            if any(_has_figure(board, experiment, name, measure.column) for name in names):
                cells = [
                    _cell(board, experiment, name, measure, name in best)
                    if not mark or board.folds(experiment, name)
                    else Cell("")
                    for name in names
                ]
                lines.append((Cell(title + suffix), *cells))
    return Table(measure.title, ("", *map(method_title, heads)), tuple(lines), note)


def _has_figure(board: Scoreboard, experiment: str, method: str, column: str) -> bool:
    """Whether a cell has something to say: a figure, or that there is none for want of time."""
    if board.mean(experiment, method, column) is not None:
        return True
    return bool(board.statuses(experiment, method))


def _cell(board: Scoreboard, experiment: str, method: str, measure: Measure, best: bool) -> Cell:
    mean = board.mean(experiment, method, measure.column)
    theirs = published(measure.column, experiment, method) if not board.part else None
    beside = figure(theirs, measure) if theirs else ""
    if mean is None:
        return Cell("; ".join(board.statuses(experiment, method)) or NOTHING, beside=beside)
    text = figure(mean, measure)
    if measure.column == "seconds":
        text = at_least(board, experiment, method) + text
    if mean.n < mean.of:
        text += f" ({mean.n} of {mean.of} folds)"
    return Cell(text, best, beside)


def _best(board: Scoreboard, experiment: str, measure: Measure) -> set[str]:
    """Methods in bold: those with one of the best figures as printed, over all folds."""
    sign = 1 if measure.low else -1
    means = {}
    for name in board.methods:
        mean = board.mean(experiment, name, measure.column)
        whole = mean and mean.n == mean.of and not board.statuses(experiment, name)
        if mean and whole and may_be_bold(board, experiment, name, measure):
            means[name] = sign * round(mean.value, 4 if measure.rate else 2)
    alone = sum(bool(board.folds(experiment, name)) for name in board.methods) == 1
    if not means or alone or not measure.n_best:  # to be the best of one is nothing
        return set()
    # Of two methods one is the best; both in bold would say nothing.
    limit = sorted(means.values())[: max(1, min(measure.n_best, len(means) - 1))][-1]
    return {name for name, value in means.items() if value <= limit}


def _measure(column: str) -> Measure:
    if column not in MEASURES:
        raise InputError(
            f"There is no table of {column!r}. {did_you_mean(column, MEASURES)}There are {listing(MEASURES)}."
        )
    return MEASURES[column]


def _note(board: Scoreboard, measure: Measure) -> str:
    remarks = []
    if any(published(measure.column, *key) for key in _pairs(board)):
        remarks.append("In brackets: the paper.")
    remarks.append(remark_on(measure.column, board.methods))
    return " ".join(filter(None, remarks))


def _pairs(board: Scoreboard) -> list[tuple[str, str]]:
    return [(experiment, method) for experiment in board.experiments for method in board.methods]


# Consistency


def consistency_table(board: Scoreboard, *, adjusted: bool) -> Table:
    """How far concepts return over five folds: of the class whose rules the paper prints, and of all classes.

    Parameters
    ----------
    board : Scoreboard
    adjusted : bool
        Corrected for chance, or the paper's index (Table 8).
    """
    title = f"Rule consistency{', adjusted for chance' if adjusted else ''} (%)"
    measure = Measure("consistency", title)
    heads = [
        name
        for name in board.methods
        if any(board.consistency(experiment, name) for experiment in board.experiments)
    ]
    lines = []
    for experiment in board.main_experiments:
        shown_class = board.class_shown(experiment)
        for label, title in ((shown_class, f", {shown_class}"), (None, ", mean over classes")):
            found = {name: board.consistency(experiment, name, label) for name in heads}
            values = {name: each[int(adjusted)] for name, each in found.items() if each}
            known = {name: round(value, 4) for name, value in values.items() if value == value}
            if not known:
                continue
            limit = sorted(known.values())[-2:][0] if len(known) > 2 else max(known.values())
            compared = len(known) > 1
            cells = []
            for name in heads:
                theirs = published("consistency", experiment, name) if label and not adjusted else None
                text = _signed(known[name]) if name in known else NOTHING
                beside = figure(theirs, measure) if theirs else ""
                cells.append(Cell(text, compared and name in known and known[name] >= limit, beside))
            lines.append((Cell(f"{experiment_title(experiment)}{title}"), *cells))
    remarks = []
    if adjusted and lines:
        remarks.append("100: the same concepts in every fold; 0: as many drawn at random, on average.")
    if any(cell.beside for line in lines for cell in line):  # tables of one's own are not in the paper
        remarks.append("In brackets: the paper, which does not say of which class.")
    note = " ".join(remarks)
    return Table(measure.title, ("", *map(method_title, heads)), tuple(lines), note)


def _signed(rate: float) -> str:
    """A rate that may be negative, in percent."""
    return f"{100 * rate + 0.0:.2f}".replace("-", "−")


# One experiment: methods down, metrics across


def experiment_table(board: Scoreboard, experiment: str) -> Table:
    """All metrics of one experiment: a line for each method, a column for each metric that has figures."""
    names = [name for name in board.methods if board.folds(experiment, name)]
    measures = [
        measure
        for measure in MEASURES.values()
        if any(_worth_showing(board.mean(experiment, name, measure.column), measure) for name in names)
    ]
    best = {measure.column: _best(board, experiment, measure) for measure in measures}
    lines = []
    for name in names:
        cells = [_cell(board, experiment, name, each, name in best[each.column]) for each in measures]
        lines.append((Cell(method_title(name)), *cells))
    heads = ("", *(measure.title for measure in measures))
    remarks = [remark_on(measure.column, names) for measure in measures]
    if any(best.values()):
        best_of = "two best" if len(names) > 2 else "best"
        remarks.insert(0, f"In bold: the {best_of} of a column, of fidelity the best network.")
    return Table(experiment_title(experiment), heads, tuple(lines), " ".join(filter(None, remarks)))


def _worth_showing(mean: Mean | None, measure: Measure) -> bool:
    """Whether a column says something: that no class lacks a rule needs none."""
    return mean is not None and (measure.n_best > 0 or mean.value > 0)


# Time


def time_table(board: Scoreboard, default: str = DEFAULT) -> Table:
    """Seconds of all folds, training and extraction, and how the default compares with BRL and with the tree.

    A fold that was stopped counts with the time it had; such a sum is a lower bound.
    """
    heads = [
        name for name in board.methods if any(board.values(e, name, "seconds") for e in board.experiments)
    ]
    compared = [
        (slow, quick) for slow, quick in (("brl", default), (default, "tree")) if {slow, quick} <= {*heads}
    ]
    lines = []
    for experiment in board.experiments:
        cells = [_total(board, experiment, name) for name in heads]
        for slow, quick in compared:
            ratio = time_ratio(board, experiment, slow, quick)
            cells.append(
                Cell(
                    NOTHING if ratio is None else f"{at_least(board, experiment, slow)}{three_digits(ratio)}"
                )
            )
        lines.append((Cell(experiment_title(experiment)), *cells))
    ratios = [f"{method_title(slow)} / {method_title(quick)}" for slow, quick in compared]
    note = "Measured one after the other; times of other machines cannot be compared." if lines else ""
    titles = ("", *map(method_title, heads), *ratios)
    return Table("Seconds of all folds, training and extraction", titles, tuple(lines), note)


def time_ratio(board: Scoreboard, experiment: str, method: str, other: str) -> float | None:
    """How many times as long a method takes as another, on the folds that both have; None if none."""
    mine, theirs = (board.values(experiment, name, "seconds") for name in (method, other))
    shared = sorted(mine.keys() & theirs.keys())
    total = sum(theirs[fold] for fold in shared)
    return sum(mine[fold] for fold in shared) / total if total else None


def at_least(board: Scoreboard, experiment: str, method: str) -> str:
    """A sign before times of a method that was stopped in some folds."""
    return "≥" if board.statuses(experiment, method) else ""


def _total(board: Scoreboard, experiment: str, method: str) -> Cell:
    values = board.values(experiment, method, "seconds")
    if not values:
        return Cell("; ".join(board.statuses(experiment, method)) or NOTHING)
    of = board.n_folds(experiment)
    few = f" ({len(values)} of {of} folds)" if len(values) < of else ""
    return Cell(f"{at_least(board, experiment, method)}{three_digits(sum(values.values()))}{few}")
