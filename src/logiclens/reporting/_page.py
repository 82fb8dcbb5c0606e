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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup, escape

from logiclens.concepts.concept import value_text
from logiclens.errors import percent
from logiclens.metrics.paired import p_text

if TYPE_CHECKING:
    from logiclens.reporting._facts import Facts

_UNSEEN = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\x00-\x08\x0b-\x1f\x7f-\x9f]")
_HALF = re.compile("[\ud800-\udfff]")  # no text at all: half of a pair
_LEFTWARD = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_LEFTWARD_RUN = re.compile(f"[{_LEFTWARD}]+(?: +[{_LEFTWARD}]+)*")
_FIRST_PATTERNS = 2
_LONGEST_ANSWER = 1_200
"""Characters of all sentences together up to which they stand at the head of the page."""
MOST_OPEN_STEPS = 8
"""Steps of a list up to which all are open when the page is."""


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
            literals=lambda term: literals(term, chips, given["concepts"]),
            returned=lambda share: round(share * given["stability"]["n_resamples"]),
            picture=front_picture(given["lengths"], given["compared"], given["curve"]),
            most_open=MOST_OPEN_STEPS,
            home=next((at for at, length in enumerate(given["lengths"]) if length["chosen"]), 0),
            lines_of=lambda logic: lines_of(logic, given["kind"]),
            in_short=not given["policy"]["printed"]
            and 0 < sum(len(rule["sentence"]) for rule in given["rules"]) <= _LONGEST_ANSWER,
            rows_called="cluster" if given["task"] == "cluster" else "class",
            style=Markup(_part("style.css")),
            script=Markup(script),
            script_hash=Markup(script_hash(script)),
            json=Markup(text),  # it has no sign that HTML would read
            chips_by_concept=[*map(asdict, chips)],
        )
    )


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
        "p_text": p_text,
        "percent": lambda rate: "–" if rate is None else percent(rate),
        "isolated": isolated,
        "first_patterns": _first_patterns,
        "cell_text": _cell_text,
        "capitalized": lambda text: text[:1].upper() + text[1:],
    }
    return made


@cache
def _part(name: str) -> str:
    """One of the files that the page is made of; its lines end as HTML reads them."""
    return resources.files("logiclens.reporting").joinpath("page", name).read_text(encoding="utf-8")


_WIDTH, _HEIGHT = 460.0, 252.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, 74.0, 28.0, 44.0
_LINE = 13.0  # between two names


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
    """A condition as it stands in a term: the column, and what is required of its value.

    ``returns`` is the share of the resamples in which it returns, where that is known.
    """

    column: str
    asked: str
    returns: float | None = None


def literals(
    term: Mapping[str, Any], chips: Sequence[Chip], concepts: Sequence[Mapping[str, Any]]
) -> list[Literal]:
    """Conditions of a term, a conjunction of literals; one that is none of these is put into words.

    Where one condition takes a value for granted, none of the same column speaks of missing ones, as
    :func:`logiclens.concepts.vocabulary.join_conditions` has it.
    """
    parts = term["args"] if term["op"] == "and" else [term]
    plain = [part for part in parts if "concept" in part.get("arg", part)]
    places = [part.get("arg", part)["concept"] for part in plain]
    signs = [(part["op"] == "var", chips[place]) for part, place in zip(plain, places, strict=True)]
    known = {sign.column for positive, sign in signs if sign.gap not in (None, positive)}
    compared = {sign.column for _, sign in signs if not sign.about_gap}
    found = [Literal(in_words(part, concepts), "") for part in parts if part not in plain]
    for (positive, sign), place in zip(signs, places, strict=True):
        if sign.about_gap and not positive and sign.column in compared:
            continue
        gap = sign.gap is positive and not sign.about_gap and sign.column not in known
        asked = sign.yes if positive else sign.no
        returns = concepts[place]["returns"]
        found.append(Literal(sign.column, f"{asked} or missing" if gap else asked, returns))
    return found


def in_words(tree: Mapping[str, Any], concepts: Sequence[Mapping[str, Any]]) -> str:
    """A formula in plain words."""
    match tree["op"]:
        case "true":
            return "in any case"
        case "false":
            return "never"
        case "var":
            return str(concepts[tree["concept"]]["words"])
        case "not":
            inner = tree["arg"]
            known = inner["op"] == "var"
            return concepts[inner["concept"]]["words_not"] if known else f"not {in_words(inner, concepts)}"
    joined = f" {tree['op']} ".join(in_words(part, concepts) for part in tree["args"])
    return f"({joined})"


@dataclass(frozen=True)
class Line:
    """A rate of rules of every length: its name, its points in the plane of an SVG, the path through them."""

    name: str
    points: tuple[tuple[float, float, int, float], ...]
    path: str


@dataclass(frozen=True)
class Level:
    """A horizontal mark: its height, that of its name, the name, and the rate."""

    y: float
    text_y: float
    name: str
    rate: float


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
    others : tuple of Level
        The accuracy of other models.
    """

    width: float
    height: float
    lines: tuple[Line, ...]
    band: str
    literal_marks: tuple[tuple[float, str], ...]
    rate_marks: tuple[tuple[float, str], ...]
    others: tuple[Level, ...] = ()
    left: float = _LEFT
    right: float = _WIDTH - _RIGHT
    bottom: float = _HEIGHT - _BOTTOM


def front_picture(
    lengths: Sequence[Mapping[str, Any]],
    models: Sequence[Mapping[str, Any]] = (),
    curve: Sequence[Mapping[str, Any]] = (),
) -> FrontPicture | None:
    """Place rules of every length, and other models; None of fewer than two, or where none was scored.

    Points stand where rules are listed; the path between them goes along the curve, where there is one.

    Examples
    --------
    >>> short = {"literals": 0, "accuracy": {"value": 0.5, "low": 0.4, "high": 0.6}, "fidelity": 0.6}
    >>> long = {"literals": 2, "accuracy": {"value": 0.9, "low": 0.8, "high": 1.0}, "fidelity": 1.0}
    >>> [line.path for line in front_picture([short, long]).lines]
    ['M40,178 L386,58', 'M40,148 L386,28']
    """
    curve = curve or lengths
    named: dict[str, Callable[[Mapping[str, Any]], float | None]] = {
        "accuracy": lambda each: each["accuracy"]["value"],
        "fidelity": itemgetter("fidelity"),
    }
    known = {}
    for name, read in named.items():
        values = [rate for each in curve if (rate := read(each)) is not None]
        if len(values) == len(curve):
            known[name] = values
    if len(lengths) < 2 or not known:
        return None
    spread = [each["accuracy"] for each in curve if each["accuracy"]["low"] is not None]
    others = [(each["name"], each["accuracy"]["value"]) for each in models if each["name"] != "rules"]
    drawn = [*(rate for _, rate in others), *itertools.chain(*known.values())]
    least = float(min(*drawn, *(each["low"] for each in spread), 0.99))
    most_literals = max(each["literals"] for each in curve) or 1
    step = next(step for step in (0.002, 0.01, 0.02, 0.05, 0.1, 0.2) if 1 - least <= 6 * step or step == 0.2)
    base = math.floor(least / step + 1e-9) * step
    rate_marks = [base + step * n for n in range(round((1 - base) / step) + 1)]

    def x(literals: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * literals / most_literals, 2)

    def y(rate: float) -> float:
        return round(_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (rate - base) / (1 - base), 2)

    def path(places: Iterable[tuple[float, float]]) -> str:
        return "M" + " L".join(f"{across:g},{down:g}" for across, down in places)

    lines = []
    for name, values in known.items():
        points = tuple(
            (x(length["literals"]), y(rate), at, rate)
            for at, length in enumerate(lengths)
            if (rate := named[name](length)) is not None
        )
        places = ((x(each["literals"]), y(rate)) for each, rate in zip(curve, values, strict=True))
        lines.append(Line(name, points, path(places)))
    band = ""
    if "accuracy" in known and len(spread) == len(curve):
        high, low = (
            [(x(each["literals"]), y(each["accuracy"][end])) for each in curve] for end in ("high", "low")
        )
        band = f"{path([*high, *reversed(low)])} Z"
    return FrontPicture(
        _WIDTH,
        _HEIGHT,
        tuple(lines),
        band,
        tuple((x(mark), f"{mark:g}") for mark in marks(most_literals, whole=True)),
        tuple((y(mark), f"{100 * mark:.1f}".removesuffix(".0") + "%") for mark in rate_marks),
        _levels([(name, rate, y(rate)) for name, rate in others]),
    )


def _levels(found: Sequence[tuple[str, float, float]]) -> tuple[Level, ...]:
    """Marks from top to bottom, with names that do not lie on each other."""
    levels: list[Level] = []
    for name, rate, y in sorted(found, key=itemgetter(2)):
        free = levels[-1].text_y + _LINE if levels else -math.inf
        levels.append(Level(y, round(max(y + 4, free), 2), name, rate))
    return tuple(levels)


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
