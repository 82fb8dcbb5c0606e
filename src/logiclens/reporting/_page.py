"""The report as one HTML file that needs nothing else: no network, no fonts, no libraries.

The template is ``page/page.html``; ``page/style.css`` and ``page/script.js`` are put into it. Every text is
escaped, and the page's own policy lets no script run but the one whose hash it names, so that the names of
columns and classes may be anything.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from logiclens.concepts.concept import value_text
from logiclens.reporting._picture import chip, front_picture, lines_of, literals, shades
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
