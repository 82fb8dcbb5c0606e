"""The report as one HTML file that needs nothing else: no network, no fonts, no libraries.

The template is ``page/page.html``; ``page/style.css`` and ``page/script.js`` are put into it. Every text is
escaped, and the page's own policy lets no script run but the one whose hash it names, so that the names of
columns and classes may be anything.

The small pictures are worked out here as places, sizes and words, which the template draws and escapes:
conditions as chips, the front as a chart, counts as shades.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from logiclens.concepts.concept import value_text
from logiclens.reporting._sentences import (
    answer,
    figures,
    findings,
    inert,
    isolated,
    kind_note,
    lead_in,
    led_by,
    meaning,
    percent,
    provenance,
    script_hash,
    status_words,
    visible,
)

if TYPE_CHECKING:
    from logiclens.reporting._facts import Facts

_FIRST_PATTERNS = 2
_LONGEST_ANSWER = 1_200
"""Characters of all sentences together up to which they stand at the head of the page."""


def render(facts: Facts) -> str:
    """Write a report as HTML.

    Returns
    -------
    str
        One HTML document. Its element ``facts`` holds the facts as JSON.

    Examples
    --------
    >>> from logiclens import Explanation, ExplanationSet, Rule, Var
    >>> from logiclens.reporting import report
    >>> rules = ExplanationSet([Explanation(Rule("bird", Var("<wings>")))], ["<wings>", "fins"])
    >>> page = render(report(rules).facts)
    >>> page.startswith("<!DOCTYPE html>"), "<wings>" in page
    (True, False)
    """
    text = facts.to_json()
    given = json.loads(text)
    chips = [chip(concept, given["inputs"]) for concept in given["concepts"]]
    script = _part("script.js")
    return (
        _environment()
        .get_template("page.html")
        .render(
            facts=given,
            answer=answer(given),
            figures=figures(given),
            findings=findings(given),
            kind_note=kind_note(given),
            lead_in=lead_in(given),
            meaning=meaning(given),
            status_words=status_words,
            provenance=provenance(given),
            literals=lambda tree: literals(tree, given["concepts"], chips),
            picture=front_picture(given["lengths"]),
            home=next((at for at, length in enumerate(given["lengths"]) if length["chosen"]), 0),
            first_patterns=_first_patterns,
            rest_of=lambda listed, first: [pattern for pattern in listed if pattern not in first],
            lines_of=lambda logic: lines_of(logic, given["kind"]),
            in_short=0 < sum(map(len, _sentences(given))) <= _LONGEST_ANSWER,
            rows_called="cluster" if given["task"] == "cluster" else "class",
            percent=percent,
            shades=shades,
            style=Markup(_part("style.css")),
            script=Markup(script),
            script_hash=Markup(script_hash(script)),
            json=Markup(inert(text)),
            chips_json=Markup(inert(json.dumps([*map(asdict, chips)]))),
        )
    )


def _sentences(given: Mapping[str, Any]) -> list[str]:
    """The list in words, or the rules where they are not printed as one."""
    policy = given["policy"]
    if policy["printed"]:
        return [*(step["sentence"] for step in policy["steps"]), policy["default_sentence"]]
    return [rule["sentence"] for rule in given["rules"]]


def _first_patterns(patterns: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The first few of each kind; the page shows the others on demand."""
    seen: Counter[str] = Counter()
    first = []
    for pattern in patterns:
        seen[pattern["kind"]] += 1
        if seen[pattern["kind"]] <= _FIRST_PATTERNS:
            first.append(pattern)
    return first


def _plain(value: object) -> str:
    """A cell of a table, as people write it."""
    return value_text(value) if isinstance(value, float) else str(value)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=DictLoader({"page.html": _part("page.html")}),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    environment.filters["isolated"] = isolated
    environment.filters["led_by"] = led_by
    environment.filters["plain"] = _plain
    environment.filters["without"] = str.removesuffix
    environment.filters["capitalized"] = lambda text: text[:1].upper() + text[1:]
    return environment


@cache
def _part(name: str) -> str:
    """One of the files that the page is made of; its lines end as HTML reads them."""
    return resources.files("logiclens.reporting").joinpath("page", name).read_text(encoding="utf-8")


_WIDTH, _HEIGHT = 400.0, 232.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, 12.0, 28.0, 44.0


@dataclass(frozen=True)
class Chip:
    """A condition in two parts: the column, and what is required of its value, which may be nothing.

    Attributes
    ----------
    column : str
    yes, no : str
        What is required where the concept is true, and where it is false.
    gap : bool, optional
        The truth of the concept where the value is missing; None where it never is.
    about_gap : bool
        Whether nothing is required but that there is a value.
    """

    column: str
    yes: str
    no: str
    gap: bool | None = None
    about_gap: bool = False


def chip(concept: Mapping[str, Any], inputs: Sequence[Mapping[str, Any]]) -> Chip:
    """Return a concept as a chip.

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
    return Chip(column["name"], *_requirement(test), concept["or_missing"] if column["optional"] else None)


def _requirement(test: Mapping[str, Any]) -> tuple[str, str]:
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
    """A condition as it stands in a term: the column, and what is required of its value."""

    column: str
    asked: str


def literals(
    tree: Mapping[str, Any], concepts: Sequence[Mapping[str, Any]], chips: Sequence[Chip]
) -> list[Literal]:
    """Conditions of a term, without repetition; a part of it that is no literal is one condition, in words.

    Where one condition takes a value for granted, none of the same column speaks of missing ones, as
    :func:`logiclens.concepts._wording.join_conditions` has it.
    """
    parts = tree["args"] if tree["op"] == "and" else [tree]
    signs = [_sign(part, chips) for part in parts]
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


def _sign(tree: Mapping[str, Any], chips: Sequence[Chip]) -> tuple[Chip, bool] | None:
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
class Line:
    """A rate of rules of every length: its name, its points in the plane of an SVG, the path through them."""

    name: str
    points: tuple[tuple[float, float, int, float], ...]
    path: str


@dataclass(frozen=True)
class FrontPicture:
    """Rates against literals.

    Attributes
    ----------
    width, height : float
    lines : tuple of Line
        Accuracy and fidelity, as far as they are known; a point has its place, the place of its length on the
        front, and its rate.
    band : str
        Path around the interval of the accuracy; empty where it is not known.
    literal_marks, rate_marks : tuple of (float, str)
    """

    width: float
    height: float
    lines: tuple[Line, ...]
    band: str
    literal_marks: tuple[tuple[float, str], ...]
    rate_marks: tuple[tuple[float, str], ...]
    left: float = _LEFT
    right: float = _WIDTH - _RIGHT
    bottom: float = _HEIGHT - _BOTTOM


def front_picture(lengths: Sequence[Mapping[str, Any]]) -> FrontPicture | None:
    """Place rules of every length; None where there are fewer than two, or none was scored.

    Examples
    --------
    >>> short = {"literals": 0, "accuracy": {"value": 0.5, "low": 0.4, "high": 0.6}, "fidelity": 0.6}
    >>> long = {"literals": 2, "accuracy": {"value": 0.9, "low": 0.8, "high": 1.0}, "fidelity": 1.0}
    >>> [line.path for line in front_picture([short, long]).lines]
    ['M40,161.33 L388,54.67', 'M40,134.67 L388,28']
    """
    named = {
        "accuracy": [length["accuracy"]["value"] for length in lengths],
        "fidelity": [length["fidelity"] for length in lengths],
    }
    rates = {name: values for name, values in named.items() if None not in values}
    if len(lengths) < 2 or not rates:
        return None
    spread = [length["accuracy"] for length in lengths if length["accuracy"]["low"] is not None]
    least = float(min(min(map(min, rates.values())), *(each["low"] for each in spread), 0.99))
    most_literals = max(length["literals"] for length in lengths) or 1
    step = next(step for step in (0.002, 0.01, 0.02, 0.05, 0.1, 0.2) if 1 - least <= 6 * step or step == 0.2)
    base = math.floor(least / step + 1e-9) * step
    rate_marks = [base + step * n for n in range(round((1 - base) / step) + 1)]

    def x(literals: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * literals / most_literals, 2)

    def y(rate: float) -> float:
        return round(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (rate - base) / (1 - base), 2)

    def path(places: Sequence[tuple[float, float]]) -> str:
        return "M" + " L".join(f"{across:g},{down:g}" for across, down in places)

    lines = []
    for name, values in rates.items():
        points = [
            (x(length["literals"]), y(rate), at, rate)
            for at, (length, rate) in enumerate(zip(lengths, values, strict=True))
        ]
        lines.append(Line(name, tuple(points), path([point[:2] for point in points])))
    band = ""
    if "accuracy" in rates and len(spread) == len(lengths):
        high, low = (
            [(x(length["literals"]), y(length["accuracy"][end])) for length in lengths]
            for end in ("high", "low")
        )
        band = f"{path([*high, *reversed(low)])} Z"
    return FrontPicture(
        _WIDTH,
        _HEIGHT,
        tuple(lines),
        band,
        tuple((x(mark), f"{mark:g}") for mark in marks(most_literals, whole=True)),
        tuple((y(mark), f"{100 * mark:.1f}".removesuffix(".0") + "%") for mark in rate_marks),
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
