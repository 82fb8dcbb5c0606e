"""Tables of results in the paper's layout, from rows, with the paper's figures beside ours (Tables 4 to 10).

A figure is the mean over folds with its standard error. As in the paper, the two best of a line are in
bold, with all that print alike. For fidelity that is the best network, since trees and rule lists are their
own explanations. A method that did not finish all folds is never in bold, and its cell says how many it
finished.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Final, NamedTuple

import numpy as np

from logiclens.bench.methods import DEFAULT
from logiclens.bench.reference_figures import REFERENCE, Published, plain_name, published
from logiclens.bench.scoreboard import Mean, Row, Scoreboard, experiment_title, is_network, method_title
from logiclens.bench.table_layout import Cell, ResultTable
from logiclens.errors import InputError, did_you_mean, listing
from logiclens.logic import Formula, Var, format_formula, parse_formula
from logiclens.logic.syntax import latex_name
from logiclens.metrics import complexity

NOTHING: Final = "–"
"""A cell without a figure."""


class Measure(NamedTuple):
    """A column of the rows, and how its figures are shown."""

    column: str
    title: str
    rate: bool = True
    """True if it is shown in percent."""
    low: bool = False
    """True if less is better."""
    n_best: int = 2
    """Number of figures of a line in bold."""
    networks: bool = False
    """True if only networks can be in bold."""


MEASURES: Final = {
    each.column: each
    for each in (
        Measure("model_accuracy", "Model accuracy (%)"),
        Measure("model_auc", "Area under the ROC curve of the model (%)", n_best=0),
        Measure("model_brier", "Brier score of the model", rate=False, low=True, n_best=0),
        Measure("explanation_accuracy", "Explanation accuracy (macro-F1, %)"),
        Measure("complexity", "Complexity of explanations (literals)", rate=False, low=True),
        Measure("fidelity", "Fidelity of explanations (macro-F1, %)", n_best=1, networks=True),
        Measure("rules_accuracy", "Accuracy of the rules alone (%)"),
        Measure("list_literals", "Literals of the list as it is read", rate=False, low=True),
        Measure("explanation_accuracy_plain", "Explanation accuracy (plain agreement, %)"),
        Measure("fidelity_plain", "Fidelity (plain agreement, %)", n_best=1, networks=True),
        Measure(
            "fidelity_outputs", "Fidelity to each thresholded output (macro-F1, %)", n_best=1, networks=True
        ),
        Measure(
            "fidelity_outputs_plain",
            "Fidelity to each thresholded output (plain agreement, %)",
            n_best=1,
            networks=True,
        ),
        Measure("agreement_model_black_box", "Agreement of the model with the black box (%)"),
        Measure("agreement_rules_black_box", "Agreement of the rules with the black box (macro-F1, %)"),
        Measure("n_without_rule", "Classes without a rule", rate=False, n_best=0),
        Measure("seconds", "Seconds a fold, training and extraction", rate=False, low=True),
    )
}
"""Measures that tables show, by column."""
FOUR: Final = ("model_accuracy", "explanation_accuracy", "complexity", "fidelity")
"""Columns that the paper has a table of."""


def may_be_bold(board: Scoreboard, experiment: str, method: str, measure: Measure) -> bool:
    """True if a method competes for bold: networks for fidelity, methods with rules for accuracy."""
    if measure.networks:
        return is_network(method)
    return measure.column != "model_accuracy" or board.explains(experiment, method)


def remark_on(column: str, methods: Iterable[str]) -> str:
    """A remark on who is never in bold for a metric, and why; empty if there is nothing to say.

    Examples
    --------
    >>> remark_on("fidelity", ["mu", "tree"])
    'Trees and lists of rules are their own explanations: their fidelity is never in bold.'
    >>> remark_on("model_accuracy", ["mu", "tree", "logistic"])
    'Logistic regression, perceptrons and boosting give no rules: their accuracy is never in bold.'
    """
    present = {*methods}
    if column == "fidelity" and present & {"tree", "brl", "ripper"}:
        return "Trees and lists of rules are their own explanations: their fidelity is never in bold."
    if column == "model_accuracy" and present & {"logistic", "mlp", "boosting"}:
        return "Logistic regression, perceptrons and boosting give no rules: their accuracy is never in bold."
    return ""


def figure(mean: Mean | Published, measure: Measure) -> str:
    """A mean and its error as tables print them.

    Examples
    --------
    >>> figure(Published(0.7184, 0.0182), MEASURES["explanation_accuracy"])
    '71.84±1.82'
    """
    value, error = mean[:2]
    if measure.column == "seconds":
        # Folds that were trained at once have equal shares of the time, which is no spread.
        return three_digits(value) + ("" if error != error or not error else f"±{error:.2g}")
    scale = 100 if measure.rate else 1
    return f"{scale * value:.2f}" + ("" if error != error else f"±{scale * error:.2f}")


def three_digits(value: float) -> str:
    """A positive number with three significant digits.

    Examples
    --------
    >>> three_digits(0.03123), three_digits(12.345), three_digits(43210.0)
    ('0.0312', '12.3', '43210')
    """
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


UNSEEN: Final = "unseen pictures"
"""The part of CUB's test rows that the network behind the concepts never saw."""


def paper_tables(
    rows: Iterable[Row], fold_seed: int | None = None, default: str = DEFAULT
) -> list[ResultTable]:
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


def metric_table(board: Scoreboard, column: str) -> ResultTable:
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
    pairs = product(board.experiments, board.methods)
    paper = "In brackets: the paper." if any(published(column, *pair) for pair in pairs) else ""
    return _across(measure, lines, _joined([paper, remark_on(column, board.methods)]))


def honest_tables(rows: Iterable[Row], fold_seed: int | None = None) -> list[ResultTable]:
    """Variants without the paper's leaks: preprocessing outside folds, pictures that the CNN was trained on.

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
    measures = [MEASURES[column] for column in FOUR]
    titles = [f"Honest variants: {title[0].lower()}{title[1:]}" for _, title, *_ in measures]
    return [_across(each._replace(title=title), lines) for each, title in zip(measures, titles, strict=True)]


def _joined(sentences: Iterable[str]) -> str:
    return " ".join(filter(None, sentences))


def _across(
    measure: Measure, experiments: Sequence[tuple[Scoreboard, str, str]], note: str = ""
) -> ResultTable:
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
    return ResultTable(measure.title, ("", *map(method_title, heads)), tuple(lines), note)


def _has_figure(board: Scoreboard, experiment: str, method: str, column: str) -> bool:
    """True if a cell is not empty: it has a figure, or says why there is none."""
    return board.mean(experiment, method, column) is not None or bool(board.statuses(experiment, method))


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


# Consistency


def consistency_table(board: Scoreboard, *, adjusted: bool) -> ResultTable:
    """Consistency of concepts over five folds: of the class whose rules the paper prints, and of all classes.

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
                text = f"{100 * known[name] + 0.0:.2f}".replace("-", "−") if name in known else NOTHING
                beside = figure(theirs, measure) if theirs else ""
                cells.append(Cell(text, compared and name in known and known[name] >= limit, beside))
            lines.append((Cell(f"{experiment_title(experiment)}{title}"), *cells))
    chance = "100: the same concepts in every fold; 0: as many drawn at random, on average."
    paper = "In brackets: the paper, which does not say of which class."
    in_paper = any(cell.beside for line in lines for cell in line)  # tables of one's own are not in the paper
    note = _joined([chance if adjusted and lines else "", paper if in_paper else ""])
    return ResultTable(measure.title, ("", *map(method_title, heads)), tuple(lines), note)


# One experiment: methods down, metrics across


def experiment_table(board: Scoreboard, experiment: str) -> ResultTable:
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
    return ResultTable(experiment_title(experiment), heads, tuple(lines), _joined(remarks))


def _worth_showing(mean: Mean | None, measure: Measure) -> bool:
    """True if a column is worth a place: "no class lacks a rule" is not."""
    return mean is not None and (measure.n_best > 0 or mean.value > 0)


# Time


def time_table(board: Scoreboard, default: str = DEFAULT) -> ResultTable:
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
    return ResultTable("Seconds of all folds, training and extraction", titles, tuple(lines), note)


def time_ratio(board: Scoreboard, experiment: str, method: str, other: str) -> float | None:
    """Seconds of a method divided by those of another, on the folds that both have; None if none."""
    mine, theirs = (board.values(experiment, name, "seconds") for name in (method, other))
    shared = sorted(mine.keys() & theirs.keys())
    total = sum(theirs[fold] for fold in shared)
    return sum(mine[fold] for fold in shared) / total if total else None


def at_least(board: Scoreboard, experiment: str, method: str) -> str:
    """``"≥"`` for a method that was stopped in some folds."""
    return "≥" if board.statuses(experiment, method) else ""


def _total(board: Scoreboard, experiment: str, method: str) -> Cell:
    values = board.values(experiment, method, "seconds")
    if not values:
        return Cell("; ".join(board.statuses(experiment, method)) or NOTHING)
    of = board.n_folds(experiment)
    few = f" ({len(values)} of {of} folds)" if len(values) < of else ""
    return Cell(f"{at_least(board, experiment, method)}{three_digits(sum(values.values()))}{few}")


# Example rules


LONGEST: Final = 20
"""Most literals of a rule that is printed."""


def rules_table(board: Scoreboard, longest: int = LONGEST) -> ResultTable:
    """One rule for each method of each experiment, of the class that the paper prints, where rows keep it.

    A rule is good when the fold it is of is at least as accurate as the method's mean; of these the shortest
    is shown, and of equally short ones that of the first fold.

    Parameters
    ----------
    board : Scoreboard
    longest : int, default 20
        Most literals of a rule that is printed; of a longer one, the number of its literals is.

    Examples
    --------
    >>> row = {"experiment": "vdem", "method": "mu", "fold": 0, "fold_seed": 0, "explanation_accuracy": 0.9}
    >>> print(rules_table(Scoreboard([row | {"formulas": {"free": "fair & ~egal"}}])).to_markdown())
    **Example rules**
    <BLANKLINE>
    |  | Model | Rule | Literals |
    |---|---|---|---|
    | V-Dem | mu | free ↔ fair ∧ ¬egal | 2 |
    <BLANKLINE>
    The shortest rule of the folds that are at least as accurate as the method's mean.
    """
    lines = []
    for experiment in board.main_experiments:
        for method in board.methods:
            found = good_rule(board, experiment, method)
            if found is not None:
                lines.append(
                    (Cell(experiment_title(experiment)), Cell(method_title(method)), *_cells(*found, longest))
                )
    note = (
        "The shortest rule of the folds that are at least as accurate as the method's mean." if lines else ""
    )
    return ResultTable("Example rules", ("", "Model", "Rule", "Literals"), tuple(lines), note)


def good_rule(board: Scoreboard, experiment: str, method: str) -> tuple[str, Formula] | None:
    """The class and the formula of the shortest good rule; None where rows keep no rules."""
    mean = board.mean(experiment, method, "explanation_accuracy")
    accuracy = board.values(experiment, method, "explanation_accuracy")
    rows = [
        row
        for row in board.folds(experiment, method)
        if formulas_of_row(row) and mean is not None and accuracy.get(row["fold"], -1.0) >= mean.value - 1e-12
    ]
    if not rows:
        return None
    wanted, kept = board.class_shown(experiment), [str(label) for label in formulas_of_row(rows[0])]
    label = wanted if wanted in kept and wanted is not None else kept[-1]
    texts = [formulas_of_row(row) for row in rows]
    formulas = [parse_formula(each[label]) for each in texts if label in each]
    return label, min(formulas, key=complexity)


def formulas_of_row(row: Row) -> Mapping[str, str]:
    """Formulas by class; rows of earlier releases keep those of three classes, as ``example``."""
    return row.get("formulas") or row.get("example") or {}


def _cells(label: str, formula: Formula, longest: int) -> tuple[Cell, Cell]:
    literals = round(complexity(formula))
    name = format_formula(Var(label), "unicode")
    if literals > longest:
        return Cell(
            f"{name} ↔ (too long)", math=rf"{latex_name(label)} \leftrightarrow \text{{(too long)}}"
        ), Cell(str(literals))
    text = f"{name} ↔ {format_formula(formula, 'unicode')}"
    math = rf"{latex_name(label)} \leftrightarrow {format_formula(formula, 'latex')}"
    return Cell(text, math=math), Cell(str(literals))


# Tables of one's own: experiments down, methods across, and who is best on average


def ranked_table(board: Scoreboard, column: str) -> ResultTable:
    """A table of one metric: a line for each table and, where there are several, each method's mean rank.

    Parameters
    ----------
    board : Scoreboard
        Of rows of results.
    column : str
        One of :data:`MEASURES`.

    Examples
    --------
    >>> row = {"fold": 0, "fold_seed": 0}
    >>> scores = [("a.csv", "mu", 2.0), ("a.csv", "tree", 5.0), ("b.csv", "mu", 3.0), ("b.csv", "tree", 3.0)]
    >>> rows = [row | {"experiment": e, "method": m, "complexity": score} for e, m, score in scores]
    >>> print(ranked_table(Scoreboard(rows), "complexity").to_markdown())
    **Complexity of explanations (literals)**
    <BLANKLINE>
    |  | decision tree | mu |
    |---|---|---|
    | a.csv | 5.0 | **2.0** |
    | b.csv | **3.0** | **3.0** |
    | Mean rank | 1.75 | 1.25 |
    """
    measure, lines = _measure(column), []
    means = {table: _printed_means(board, table, measure) for table in board.experiments}
    methods = [
        name
        for name in board.methods
        if any(name in found or board.statuses(table, name) for table, found in means.items())
    ]
    for table, found in means.items():
        competing = [found[name] for name in found if may_be_bold(board, table, name, measure)]
        best = max(competing, default=0.0) if len(methods) > 1 else None
        cells = [
            Cell(
                _short_figure(abs(found[name]), measure, scaled=True),
                found[name] == best and may_be_bold(board, table, name, measure),
            )
            if name in found
            else Cell("; ".join(board.statuses(table, name)) or NOTHING)
            for name in methods
        ]
        lines.append((Cell(experiment_title(table)), *cells))
    if len(lines) > 1 and methods:
        ranks = mean_ranks({name: dict.fromkeys(methods, -np.inf) | found for name, found in means.items()})
        lines.append((Cell("Mean rank"), *(Cell(f"{ranks[name]:.2f}") for name in methods)))
    heads = ("", *map(method_title, methods))
    return ResultTable(measure.title, heads, tuple(lines), remark_on(column, methods))


def _printed_means(board: Scoreboard, experiment: str, measure: Measure) -> dict[str, float]:
    """Printed mean of each method that finished all folds; more is better."""
    found = {name: board.mean(experiment, name, measure.column) for name in board.methods}
    sign = -1 if measure.low else 1
    return {
        name: sign * float(_short_figure(mean.value, measure))
        for name, mean in found.items()
        if mean is not None and mean.n == mean.of and not board.statuses(experiment, name)
    }


def _short_figure(value: float, measure: Measure, *, scaled: bool = False) -> str:
    """A figure of few digits; a rate in percent."""
    if measure.column == "seconds":
        return three_digits(value)
    return f"{100 * value if measure.rate and not scaled else value:.1f}"


def mean_ranks(scores: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Mean rank of each method over tables, 1 is best; methods that do equally well share a rank.

    Parameters
    ----------
    scores : mapping from table to a mapping from method to score
        More is better. A method without a score comes last.

    Returns
    -------
    dict of str to float

    Examples
    --------
    >>> mean_ranks({"birds": {"mu": 0.9, "tree": 0.8}, "zoo": {"mu": 0.7, "tree": 0.7}})
    {'mu': 1.25, 'tree': 1.75}
    """
    from scipy.stats import rankdata

    methods = list(dict.fromkeys(method for row in scores.values() for method in row))
    values = np.array([[row.get(method, -np.inf) for method in methods] for row in scores.values()])
    return dict(zip(methods, rankdata(-values, axis=1).mean(axis=0).tolist(), strict=True))
