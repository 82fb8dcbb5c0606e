"""The small pictures of the page: conditions as chips, the front as a chart, counts as shades.

What is worked out here are places, sizes and words; the template draws them. Everything is a plain value, and
texts are not escaped: that is the template's matter.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from logiclens.concepts.concept import value_text

_WIDTH, _HEIGHT = 400.0, 232.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, 12.0, 28.0, 44.0
_TINY = 1e-6  # weights of errors below it are none


@dataclass(frozen=True)
class Chip:
    """A condition in two parts: the column, and what is asked of its value, which may be nothing.

    Attributes
    ----------
    column : str
    yes, no : str
        What is asked where the concept is true, and where it is false.
    gap : bool, optional
        The truth of the concept where the value is missing; None where it never is.
    about_gap : bool
        Whether nothing is asked but that there is a value.
    """

    column: str
    yes: str
    no: str
    gap: bool | None = None
    about_gap: bool = False


def chip(concept: Mapping[str, Any], inputs: Sequence[Mapping[str, Any]]) -> Chip:
    """Return a concept as a chip.

    Parameters
    ----------
    concept : mapping
        One of the ``concepts`` of :class:`~logiclens.reporting.facts.Facts`, as JSON has it.
    inputs : sequence of mappings
        Its ``inputs``.

    Examples
    --------
    >>> age = {"column": 0, "test": {"kind": "above", "cut": 62.0}, "or_missing": False}
    >>> chip(age, [{"name": "age", "kind": "number", "optional": True}])
    Chip(column='age', yes='> 62', no='≤ 62', gap=False, about_gap=False)
    """
    column = inputs[concept["column"]]
    test = concept["test"]
    if column["kind"] == "score":
        return Chip(column["name"], "yes", "no")
    if test["kind"] == "missing":
        return Chip(column["name"], "is missing", "is known", True, about_gap=True)
    return Chip(column["name"], *_asked(test), concept["or_missing"] if column["optional"] else None)


def _asked(test: Mapping[str, Any]) -> tuple[str, str]:
    match test["kind"]:
        case "flag":
            return "yes", "no"
        case "above":
            return f"> {value_text(test['cut'])}", f"≤ {value_text(test['cut'])}"
        case "at_most":
            return f"≤ {value_text(test['cut'])}", f"> {value_text(test['cut'])}"
        case "between":
            low, high = value_text(test["low"]), value_text(test["high"])
            return f"> {low} and ≤ {high}", f"≤ {low} or > {high}"
    values = [value_text(value) for value in test["values"]]
    if len(values) == 1:
        return f"= {values[0]}", f"≠ {values[0]}"
    return f"∈ {{{', '.join(values)}}}", f"∉ {{{', '.join(values)}}}"


@dataclass(frozen=True)
class Literal:
    """A condition as it stands in a term: the column, and what is asked of its value."""

    column: str
    asked: str


def literals(
    tree: Mapping[str, Any], concepts: Sequence[Mapping[str, Any]], chips: Sequence[Chip]
) -> list[Literal]:
    """Conditions of a term, nothing said twice; a part of it that is no literal is one condition, in words.

    Where one condition takes a value for granted, none of the same column speaks of missing ones, as
    :func:`logiclens.concepts.wording.joined` has it.

    Parameters
    ----------
    tree : mapping
        The term, as :mod:`logiclens.reporting.facts` describes trees.
    concepts : sequence of mappings
    chips : sequence of Chip
        Of each concept.
    """
    parts = tree["args"] if tree["op"] == "and" else [tree]
    signs = [_signed(part, chips) for part in parts]
    known = {sign.column for sign, positive in filter(None, signs) if sign.gap not in (None, positive)}
    compared = {sign.column for sign, _ in filter(None, signs) if not sign.about_gap}
    found = []
    for part, signed in zip(parts, signs, strict=True):
        if signed is None:
            found.append(Literal(in_words(part, concepts), ""))
            continue
        sign, positive = signed
        if sign.about_gap and not positive and sign.column in compared:
            continue
        gap = sign.gap is positive and not sign.about_gap and sign.column not in known
        found.append(
            Literal(sign.column, (sign.yes if positive else sign.no) + (" or missing" if gap else ""))
        )
    return found


def _signed(tree: Mapping[str, Any], chips: Sequence[Chip]) -> tuple[Chip, bool] | None:
    """The chip of a literal, and whether it is positive; None of what is no literal."""
    positive = tree["op"] == "var"
    if not positive and (tree["op"] != "not" or tree["arg"]["op"] != "var"):
        return None
    return chips[(tree if positive else tree["arg"])["concept"]], positive


def in_words(tree: Mapping[str, Any], concepts: Sequence[Mapping[str, Any]]) -> str:
    """A tree in plain English, with parentheses around all that is joined."""
    match tree["op"]:
        case "true":
            return "always"
        case "false":
            return "never"
        case "var":
            return str(concepts[tree["concept"]]["words"])
        case "not" if tree["arg"]["op"] == "var":
            return str(concepts[tree["arg"]["concept"]]["words_not"])
        case "not":
            return f"not {in_words(tree['arg'], concepts)}"
    joined = f" {tree['op']} ".join(in_words(part, concepts) for part in tree["args"])
    return f"({joined})"


@dataclass(frozen=True)
class Point:
    """One formula of the front in the chart."""

    x: float
    y: float
    literals: int
    errors: float
    chosen: bool


@dataclass(frozen=True)
class FrontPicture:
    """Errors against literals: points in the plane of an SVG, the line of the best, marks of the axes."""

    width: float
    height: float
    points: tuple[Point, ...]
    line: str
    literal_marks: tuple[tuple[float, str], ...]
    error_marks: tuple[tuple[float, str], ...]
    left: float = _LEFT
    right: float = _WIDTH - _RIGHT
    bottom: float = _HEIGHT - _BOTTOM


def front_picture(front: Sequence[Mapping[str, Any]]) -> FrontPicture | None:
    """Place the points of a front; None where there are fewer than two, or errors are not known.

    Examples
    --------
    >>> short = {"literals": 0, "errors": 40, "chosen": False}
    >>> long = {"literals": 2, "errors": 3, "chosen": True}
    >>> front_picture([short, long]).line
    'M40,28 H338.29 V176'
    """
    if len(front) < 2 or any(point["errors"] is None for point in front):
        return None
    most_literals = max(point["literals"] for point in front) or 1
    most_errors = max(point["errors"] for point in front)
    most_errors = most_errors if most_errors > _TINY else 1.0
    literal_marks, error_marks = marks(most_literals, whole=True), marks(most_errors, whole=most_errors >= 4)

    def x(literals: float) -> float:
        right = max(most_literals * (1 + 1 / 6), literal_marks[-1])
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * literals / right, 2)

    def y(errors: float) -> float:
        top = max(most_errors, error_marks[-1])
        return round(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * errors / top, 2)

    placed = tuple(
        Point(x(point["literals"]), y(point["errors"]), point["literals"], point["errors"], point["chosen"])
        for point in front
    )
    best = [placed[0]]
    for point in placed[1:]:  # a longer rule that errs more is beside the line
        if point.errors < best[-1].errors:
            best.append(point)
    steps = "".join(f" H{point.x:g} V{point.y:g}" for point in best[1:])
    return FrontPicture(
        _WIDTH,
        _HEIGHT,
        placed,
        f"M{placed[0].x:g},{placed[0].y:g}{steps}",
        tuple((x(mark), f"{mark:g}") for mark in literal_marks),
        tuple((y(mark), f"{mark:,g}") for mark in error_marks),
    )


def marks(most: float, *, whole: bool = False) -> list[float]:
    """Round numbers from 0 to about ``most``, three to six of them.

    Examples
    --------
    >>> marks(17), marks(3, whole=True)
    ([0.0, 5.0, 10.0, 15.0], [0.0, 1.0, 2.0, 3.0])
    """
    step = 10.0 ** math.floor(math.log10(most / 5)) if most > 0 else 1.0
    while most / step > 5:
        step *= 2.5 if f"{step:e}".startswith("2") else 2
    if whole:
        step = max(1.0, math.ceil(step))
    return [round(step * place, 12) for place in range(int(most / step + 1e-9) + 1)]


def shades(counts: Sequence[Sequence[int]]) -> list[list[float]]:
    """How dark each cell of a table of counts is: its share of its row, in [0, 1]."""
    return [[n / total if (total := sum(row)) else 0.0 for n in row] for row in counts]


_SIGNS = re.compile(r"[()]| ∨ | [↔→] ")


def lines_of(logic: str, kind: str = "iff") -> list[str]:
    """Split a rule in logic before each "∨" that joins its terms, for one term to a line.

    Joined by blanks they are the rule again. A name that holds such signs can lead to another split, which
    does no harm: the text is the same.

    Parameters
    ----------
    logic : str
    kind : str, default "iff"
        Of the rule; the terms of a sufficient condition stand in parentheses.

    Examples
    --------
    >>> lines_of("∀x: y(x) ↔ (a(x) ∧ b(x)) ∨ c(x)")
    ['∀x: y(x) ↔', '(a(x) ∧ b(x))', '∨ c(x)']
    >>> lines_of("∀x: (a(x) ∨ b(x)) → y(x)", "only_if")
    ['∀x:', '(a(x)', '∨ b(x)) → y(x)']
    """
    inside = 1 if kind == "only_if" else 0
    depth, cuts, first = 0, [], logic.find(": ") + 2 if inside else 0
    for found in _SIGNS.finditer(logic):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth > inside:
            continue
        if found[0] == " ∨ ":
            cuts.append(found.start() + 1)
        elif found[0] not in "()" and not cuts and not first:
            first = found.end()
    ends = [0, *([first] if first and cuts else []), *cuts, len(logic)]
    return [logic[low:high].rstrip(" ") for low, high in itertools.pairwise(ends)]
