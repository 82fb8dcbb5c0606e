"""Printing of results, for all commands that learn."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any

from logiclens.cli.terminal import (
    percent,
    plain_table,
    print_item,
    print_line,
    print_logic,
    print_rule,
    print_table,
    short,
    text_table,
)
from logiclens.errors import count
from logiclens.explain.rule import target_in_sentence
from logiclens.logic.formula import FALSE

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from logiclens.cli.scores import ClassScores, MeanAndError, ModelScores
    from logiclens.cli.selection import Dropped, MemoryRows, SelectedRows
    from logiclens.evaluation._leaks import Leak
    from logiclens.explain import Explanation, ExplanationSet
    from logiclens.explain.front import Front

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
    table = plain_table(first, "n", "literals", "precision", "recall", "coverage", "fidelity")
    listed = [*classes]
    if sum(found.explanation.formula == FALSE for found in listed) > MOST_LINES:  # they were named
        listed = [found for found in listed if found.explanation.formula != FALSE]
    for found in listed:
        rule = found.rates
        same = found.fidelity if by_network else found.agreement
        rates = map(percent, (rule.precision, rule.recall, rule.coverage, same))
        table.add_row(short(found.label), f"{found.n}", f"{found.explanation.complexity}", *rates)
    return table


def part_words(scores: ModelScores) -> str:
    """The rows that scores are about."""
    return f"On the {count(scores.n, 'row')} {'held out' if scores.held_out else 'trained on'}:"


def coverage_words(scores: ModelScores) -> str:
    """How many rows the default decides."""
    return f"The default decides {scores.resolution.n_uncovered} of them."


def accuracy_words(scores: ModelScores) -> str:
    """How often network and rules are right, and a guess; without the network if it was not evaluated."""
    guess = f"always saying the most common class, about {percent(scores.guess_accuracy)}"
    rules = f"about {percent(scores.rules_accuracy)}"
    if isnan(scores.network_accuracy):
        return f"The rules are right {rules} of these rows; {guess}. {coverage_words(scores)}"
    return (
        f"The network is right about {percent(scores.network_accuracy)} of these rows, the rules {rules}; "
        f"{guess}. Rules and network say the same about {percent(scores.fidelity)} (fidelity). "
        f"{coverage_words(scores)}"
    )


def print_doubt(console: Console, scores: ModelScores, target: str) -> None:
    """Print a note if the rules are no better than always guessing the most common class."""
    if scores.rules_accuracy > scores.guess_accuracy:
        return
    informative = [
        each for each in scores.classes if each.rates.precision_interval[0] > each.rates.prevalence
    ]
    if not informative:
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
    rules = model.explain()
    inputs, labels = rows.part(rows.scored)
    row = inputs.slice(0, 1)
    found = model.explain_sample(row)
    part = "held out" if rows.n_held else "of all"
    true = target_in_sentence(replace(found.rule, target=labels[0]))
    print_line(console, f"Why the network gives the first row {part} its class:")
    print_rule(console, found, f"{found.to_sentence()}. In truth it is {true}.")
    console.print()
    print_line(console, "The least that would turn the rule of that class:")
    print_item(console, str(rules[found.target].counterfactual(row)))
    console.print()


def metrics_table(metrics: Mapping[str, MeanAndError]) -> Table:
    """The metrics of the paper: mean and standard error over folds."""
    from logiclens.cli.scores import METRICS

    table = plain_table("metric", "mean", "standard error")
    for name, values in metrics.items():
        share = name not in ("complexity", "time")
        table.add_row(METRICS[name], *(_metric(value, share) for value in values))
    return table


def _metric(value: float, share: bool) -> str:
    if isnan(value):
        return ""
    return percent(value) if share else f"{value:.2f}"
