"""Rules of every length, as the page shows them: what they are, and how right and how faithful they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from logiclens.explain.front import Front, Point
from logiclens.explain.resolution import list_sentence, list_text
from logiclens.explain.rule import Rule, target_named
from logiclens.logic.arrays import unpack
from logiclens.logic.formula import FALSE
from logiclens.reporting.facts import LengthFacts, StepFacts
from logiclens.reporting.inputs import tree_of
from logiclens.reporting.measured import Answers, Measured
from logiclens.reporting.rates import NO_RATE, ones, rate
from logiclens.reporting.rule_facts import Rate
from logiclens.reporting.subject import BLACK_BOX, Subject

LEFT_OUT = "training rows left out in turn"
"""The rows that lengths are scored on where a report has none."""


def shown_points(front: Front | None, most_literals: int) -> tuple[int, ...]:
    """Places of the points that are shown: in even steps, the first, the last and the chosen one among them.

    Parameters
    ----------
    front : Front, optional
    most_literals : int
        Of all points that are shown, all together; none is shown where there is room for one only.

    Examples
    --------
    >>> from logiclens.explain.resolution import Step
    >>> from logiclens.logic import And, Var
    >>> formulas = [And.of(Var(f"x{j}") for j in range(n + 1)) for n in range(9)]
    >>> points = tuple(Point((Step("yes", formula),), "no") for formula in formulas)
    >>> front = Front(points, ("no", "yes"), tuple(f"x{j}" for j in range(9)), chosen=3)
    >>> shown_points(front, 100), shown_points(front, 20), shown_points(front, 0)
    ((0, 1, 2, 3, 4, 5, 6, 7, 8), (0, 3, 5, 8), ())
    """
    if front is None:
        return ()
    for n_points in range(len(front), 1, -1):
        kept = {*np.linspace(0, len(front) - 1, n_points).round().astype(int).tolist(), front.chosen}
        if sum(front[at].literals for at in kept) <= most_literals:
            return tuple(sorted(kept))
    return ()


def lengths_facts(
    subject: Subject, shown: Sequence[int], places: Mapping[str, int], rows: Measured | None
) -> tuple[LengthFacts, ...]:
    """What is said of rules of each length.

    Parameters
    ----------
    subject : Subject
    shown : sequence of int
        Places of the points of the front.
    places : mapping of str to int
        Place of each concept among those of the page.
    rows : Measured, optional
        Rows to score them on; the scores of the fit are shown when missing.
    """
    front = subject.front
    return () if front is None else tuple(_length(subject, front, at, places, rows) for at in shown)


def _length(
    subject: Subject, front: Front, at: int, places: Mapping[str, int], rows: Measured | None
) -> LengthFacts:
    point = front[at]
    steps = tuple(step for step in point.steps if step.formula != FALSE)
    counts: list[int | None] = [None] * (len(steps) + 1)
    if rows is None:
        accuracy, fidelity = _stored(point, subject.task)
    else:
        accuracy, fidelity, counts[:] = _measured(front, replace(point, steps=steps), rows)
    words = front.vocabulary
    if subject.rules.is_list and point.default is not None:
        logic = list_text(steps, point.default, words, "unicode").split("\n")
        rules = subject.rules
        named = {label: target_named(explanation.rule) for label, explanation in rules.items()}
        sentences = list_sentence(steps, point.default, named.__getitem__, words).split("\n")
    else:
        made = [Rule(step.label, step.formula, front.kind, vocabulary=words) for step in steps]
        logic = [*(rule.format("unicode") for rule in made), ""]
        sentences = [*(f"{rule.to_sentence()}." for rule in made), ""]
    return LengthFacts(
        literals=point.literals,
        chosen=at == front.chosen,
        accuracy=accuracy,
        fidelity=fidelity,
        steps=tuple(
            StepFacts(
                label=str(step.label),
                rule=front.labels.index(step.label),
                logic=logic[place],
                sentence=sentences[place],
                literals=step.literals,
                n=counts[place],
                tree=tree_of(step.formula, places),
            )
            for place, step in enumerate(steps)
        ),
        default=None if point.default is None else front.labels.index(point.default),
        default_logic=logic[-1],
        default_sentence=sentences[-1],
        n_default=None if front.multi_label else counts[-1],
    )


def _stored(point: Point, task: str) -> tuple[Rate, float | None]:
    """Scores of the fit; for a black box its answers are what was to be met."""
    low, high = point.interval or (None, None)
    if task == BLACK_BOX:
        return NO_RATE, point.accuracy
    return Rate(point.accuracy, low, high), point.fidelity


def _measured(front: Front, point: Point, rows: Measured) -> tuple[Rate, float | None, list[int]]:
    """How right and how faithful rules are on rows, and how many rows each step decides.

    Where a row may have several labels, all of them have to be met, and steps are counted where they are
    true.
    """
    fired = [rows.fired(step.formula) for step in point.steps]
    if front.multi_label:
        own = {step.label: words for step, words in zip(point.steps, fired, strict=True)}
        nothing = rows.fired(FALSE)
        said = Answers("the rules", tuple(own.get(label, nothing) for label in front.labels), None)
        counts = [*map(ones, fired), 0]
    else:
        place = np.full(rows.n, len(fired), dtype=np.intp)
        for at in reversed(range(len(fired))):  # the one that decides comes last
            place[unpack(fired[at], rows.n)] = at
        labels = [*(step.label for step in point.steps), point.default]
        codes = np.array([front.labels.index(label) for label in labels], dtype=np.intp)[place]
        said = Answers("the rules", (), codes)
        counts = np.bincount(place, minlength=len(labels)).tolist()
    right, same = rows.n_alike(said, rows.truth), rows.n_alike(said, rows.model)
    accuracy = NO_RATE if right is None else rate(right, rows.n)
    return accuracy, None if same is None else same / rows.n, counts
