"""Which formulas of a front a report shows, so that pages of many rules stay small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from logiclens.explain.explanation import Explanation
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.formula import MAX_DEPTH, Formula
from logiclens.logic.notation import check_writable
from logiclens.reporting.detail import FULL

_FEWEST, _MOST = 1, 40  # of one front
_LONGEST = 2_000  # literals and connectives of a formula that is one choice among others


@dataclass(frozen=True)
class Point:
    """A formula to choose from; errors and score are None where the fit did not measure them."""

    formula: Formula
    errors: float | None
    score: float | None
    chosen: bool


@dataclass(frozen=True)
class Front:
    """The points of a front that are shown, by their literals, and how many there are in all."""

    points: tuple[Point, ...]
    n: int


def fronts_of(rules: ExplanationSet, most_points: int = FULL.points) -> tuple[Front, ...]:
    """The front of each rule, in the order of the rules.

    Each has the rule itself as the point that is chosen, also where the rule has no front. Of a long front
    the chosen one is shown, and others in even steps from the shortest to the longest.

    Raises
    ------
    LimitError
        A rule is too long to be written out.
    """
    most = int(np.clip(most_points // len(rules), _FEWEST, _MOST))
    return tuple(_front(explanation, most) for explanation in rules.values())


def _front(explanation: Explanation, most: int) -> Front:
    check_writable(explanation.formula, MAX_DEPTH)
    points: dict[Formula, Point] = {}
    for point in sorted(explanation.front, key=lambda point: (point.literals, point.errors)):
        chosen = point.formula == explanation.formula
        if chosen or point.formula.size <= _LONGEST:
            points.setdefault(point.formula, Point(point.formula, point.errors, point.score, chosen))
    if explanation.formula not in points:
        points[explanation.formula] = Point(explanation.formula, None, None, True)
    every = sorted(points.values(), key=lambda point: point.formula.complexity)
    return Front(_spread(every, most), len(every))


def _spread(points: Sequence[Point], most: int) -> tuple[Point, ...]:
    """At most so many points, in even steps, the chosen one among them."""
    if len(points) <= most:
        return tuple(points)
    kept = {int(at) for at in np.linspace(0, len(points) - 1, most).round()}
    chosen = next(at for at, point in enumerate(points) if point.chosen)
    if chosen not in kept:
        kept.remove(min(kept, key=lambda at: abs(at - chosen)))
        kept.add(chosen)
    return tuple(points[at] for at in sorted(kept))
