"""The report as one HTML file that needs nothing else: no network, no fonts, no libraries.

The template is ``page/page.html``, with ``page/words.html`` for its sentences; ``page/style.css`` and
``page/script.js`` are put into it. Every text is escaped, and the page's own policy lets no script run but
the one whose hash it names, so that the names of columns and classes may be anything.

The small pictures are worked out here as places, sizes and words, which the template draws and escapes:
conditions as chips, the front as a chart.

The template reads the facts as JSON has them. Names are data: signs that are not seen, or that turn the
direction of writing, are shown as their number; words from right to left are kept apart.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup, escape

from logiclens.concepts.concept import value_text

if TYPE_CHECKING:
    from logiclens.reporting._facts import Facts

_UNSEEN = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f-\x9f]")
_HALF = re.compile("[\ud800-\udfff]")  # no text at all: half of a pair
_LEFTWARD = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_LEFTWARD_RUN = re.compile(f"[{_LEFTWARD}]+(?: +[{_LEFTWARD}]+)*")
_FIRST_PATTERNS = 2
_LONGEST_ANSWER = 1_200
"""Characters of all sentences together up to which they stand at the head of the page."""


def percent(rate: float | None) -> str:
    """Return a rate as people read it; only all is 100%, and only none is 0%.

    Examples
    --------
    >>> percent(0.9333), percent(1.0), percent(0.99996), percent(None)
    ('93.3%', '100%', '>99.9%', '–')
    """
    if rate is None:
        return "–"
    text = f"{100 * rate:.1f}".removesuffix(".0")
    if text in ("0", "100") and rate not in (0, 1):
        text = "<0.1" if text == "0" else ">99.9"
    return f"{text}%"


def amount(number: float | None) -> str:
    """Return a number as people read it.

    Examples
    --------
    >>> amount(12000), amount(3.25), amount(None)
    ('12,000', '3.2', '–')
    """
    return "–" if number is None else f"{number:,.1f}".removesuffix(".0")


def most_lifted(rules: Sequence[Mapping[str, Any]]) -> tuple[str | None, float]:
    """The class that is most times as common where its rule holds, and how many times.

    None where no rule finds its class more often than chance would.
    """
    best, most = None, 0.0
    for rule in rules:
        precision, recall, coverage = (rule["scores"][rate] for rate in ("precision", "recall", "coverage"))
        if precision["low"] is not None and recall["value"]:
            lift = recall["value"] / coverage["value"]
            if lift > most and precision["low"] * lift > precision["value"]:
                best, most = rule["label"], lift
    return best, most


def visible(text: str) -> str:
    r"""Return text with signs shown that are not seen, or that turn the direction of writing.

    Examples
    --------
    >>> visible("a\u202eb"), visible("café\n")
    ('a⟨202E⟩b', 'café\n')
    """
    return _HALF.sub("\ufffd", _UNSEEN.sub(lambda found: f"⟨{ord(found[0]):04X}⟩", text))


def isolated(text: str) -> Markup:
    """Escape text, and put words written from right to left into elements of their own.

    Examples
    --------
    >>> print(isolated("<b> or שלום"))
    &lt;b&gt; or <bdi>שלום</bdi>
    """
    escaped = str(escape(visible(text)))
    return Markup(_LEFTWARD_RUN.sub(lambda found: f"<bdi>{found[0]}</bdi>", escaped))


def led_by(text: str, label: str) -> Markup:
    """Isolate a sentence, and set the label off that it begins with, if it does.

    Examples
    --------
    >>> print(led_by("bird if wings", "bird"), led_by("class 0 if fins", "0"), led_by("No case is 0", "0"))
    <strong>bird</strong> if wings <strong>class 0</strong> if fins No case is 0
    """
    for start in (label, f"“{label}”", f"class {label}"):
        if text.startswith(f"{start} "):
            return Markup("<strong>{}</strong>{}").format(isolated(start), isolated(text[len(start) :]))
    return isolated(text)


def script_hash(script: str) -> str:
    """Return how a content security policy names a script.

    Examples
    --------
    >>> script_hash("alert(1)")
    'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='
    """
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


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
        environment()
        .get_template("page.html")
        .render(
            facts=given,
            literals=lambda term: literals(term, chips),
            picture=front_picture(given["lengths"]),
            home=next((at for at, length in enumerate(given["lengths"]) if length["chosen"]), 0),
            lines_of=lambda logic: lines_of(logic, given["kind"]),
            in_short=0 < sum(map(len, _sentences(given))) <= _LONGEST_ANSWER,
            rows_called="cluster" if given["task"] == "cluster" else "class",
            style=Markup(_part("style.css")),
            script=Markup(script),
            script_hash=Markup(script_hash(script)),
            json=Markup(text),  # it has no sign that HTML would read
            chips_by_concept=[*map(asdict, chips)],
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
    by_kind = itertools.groupby(patterns, key=itemgetter("kind"))
    return [pattern for _, alike in by_kind for pattern in itertools.islice(alike, _FIRST_PATTERNS)]


def _cell_text(value: object) -> str:
    """A cell of a table, as people write it."""
    return value_text(value) if isinstance(value, float) else str(value)


@cache
def environment() -> Environment:
    """The templates, and what they can call."""
    made = Environment(
        loader=DictLoader({name: _part(name) for name in ("page.html", "words.html")}),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    made.globals["most_lifted"] = most_lifted
    made.filters |= {
        "amount": amount,
        "percent": percent,
        "isolated": isolated,
        "led_by": led_by,
        "first_patterns": _first_patterns,
        "cell_text": _cell_text,
        "without": str.removesuffix,
        "capitalized": lambda text: text[:1].upper() + text[1:],
    }
    return made


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


def literals(term: Mapping[str, Any], chips: Sequence[Chip]) -> list[Literal]:
    """Conditions of a term, a conjunction of literals.

    Where one condition takes a value for granted, none of the same column speaks of missing ones, as
    :func:`logiclens.concepts.vocabulary.join_conditions` has it.
    """
    if term["op"] == "true":
        return [Literal("always", "")]
    parts = term["args"] if term["op"] == "and" else [term]
    signs = [(part["op"] == "var", chips[part.get("arg", part)["concept"]]) for part in parts]
    known = {sign.column for positive, sign in signs if sign.gap not in (None, positive)}
    compared = {sign.column for _, sign in signs if not sign.about_gap}
    found = []
    for positive, sign in signs:
        if sign.about_gap and not positive and sign.column in compared:
            continue
        gap = sign.gap is positive and not sign.about_gap and sign.column not in known
        asked = sign.yes if positive else sign.no
        found.append(Literal(sign.column, f"{asked} or missing" if gap else asked))
    return found


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
