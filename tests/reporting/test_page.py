"""The page as text; what it does in a browser is tested in test_browser.py."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from importlib import resources

import numpy as np
import pytest

from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import FALSE, TRUE, Var
from logiclens.reporting import Source, report
from logiclens.reporting._page import render, script_hash
from tests.reporting import pages


class Reader(HTMLParser):
    """Elements that are open, ids, and attributes that would reach out or run something."""

    VOID = frozenset({"meta", "link", "input", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.outside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if key == "id":
                self.ids.append(value or "")
            if key.startswith("on") or (
                key in ("src", "href") and not (value or "").startswith(("#", "data:,"))
            ):
                self.outside.append(f"{tag} {key}={value}")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Elements of SVG close themselves."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module", params=["own", "hostile"])
def page(request: pytest.FixtureRequest) -> str:
    rules = pages.rules() if request.param == "own" else pages.renamed(pages.rules())
    rows = pages.table(60, 0, rules.vocabulary)
    return report(rules, rows, rules.predict(pages.table(60, 1, rules.vocabulary)), rows=True).html


def test_the_page_is_well_formed_and_reaches_out_for_nothing(page: str):
    reader = Reader(page)

    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))
    assert reader.outside == []
    assert not re.search(r"url\(|@import|https?://", page.split('<script type="application/json"')[0])


def test_the_policy_names_the_script(page: str):
    script = resources.files("logiclens.reporting").joinpath("page", "script.js").read_text(encoding="utf-8")

    assert (
        "default-src 'none'; style-src 'unsafe-inline'; "
        f"script-src '{script_hash(script)}'; img-src data:; base-uri 'none'; form-action 'none'"
    ) in page
    assert f"<script>{script}</script>" in page


def test_the_script_makes_no_html_of_data():
    script = resources.files("logiclens.reporting").joinpath("page", "script.js").read_text(encoding="utf-8")

    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function", script)
    assert not re.search(r"fetch\(|XMLHttp|import\(|sendBeacon|WebSocket", script)
    assert script.startswith("'use strict';")
    assert "</" not in script


def test_the_page_holds_its_facts():
    made = report(pages.rules())
    held = re.search(r'<script type="application/json" id="facts">(.*?)</script>', made.html)

    assert held is not None
    assert json.loads(held[1]) == json.loads(made.facts.to_json())
    assert render(made.facts) == made.html


def test_names_of_a_page_are_escaped_everywhere():
    rules = pages.renamed(pages.rules())
    text = report(rules, title="</title><b>").html

    assert "<script>alert" not in text
    assert "<title>&lt;/title&gt;&lt;b&gt;</title>" in text
    assert f"<bdi>{pages.HEBREW}</bdi>" in text
    assert "\u202e" not in text


@pytest.mark.parametrize("formula", [TRUE, FALSE], ids=str)
def test_rules_that_say_nothing_have_a_page(formula: object):
    text = report(
        ExplanationSet([Explanation(Rule("a", formula)), Explanation(Rule("b", Var("x")))], ["x"])
    ).html

    assert "The rule of <bdi>a</bdi> is" in text


def test_rows_are_in_the_page_only_when_asked_for():
    rules = pages.rules()
    rows = pages.table(30, 0, rules.vocabulary)
    truth = rules.predict(pages.table(30, 1, rules.vocabulary))

    assert "Rows the rules are wrong about" not in report(rules, rows, truth).html
    assert "Rows the rules are wrong about" in report(rules, rows, truth, rows=True).html


def test_a_necessary_condition_is_not_broken_by_false_alarms():
    rules = ExplanationSet([Explanation(Rule(label, Var("x"), "if")) for label in "ab"], ["x"])
    page = report(rules, [[1], [1], [0]], ["a", "b", "b"]).html
    first, second = page.split("<h4>Rows that break the rule</h4>")[1:]

    assert first.lstrip().startswith("<p>None of the rows held out.</p>")
    assert second.lstrip().startswith("<p>1 missed, against the truth.</p>")
    assert "false alarm</span>" not in page


def test_what_was_not_measured_is_not_shown():
    rules = pages.rules()
    rows = pages.table(30, 0, rules.vocabulary)
    alone, covered = report(rules).html, report(rules, rows).html
    measured = report(rules, rows, rules.predict(rows)).html

    for page, rates, breaks in ((alone, 0, 0), (covered, 1, 0), (measured, 4, 3)):
        card = page.split('<div class="scores">')[1].split("</dl>")[0]
        assert card.count('class="rate"') == rates
        assert page.count("<h4>Rows that break the rule</h4>") == breaks
    assert "Not measured: there were no rows to measure it on." in alone
    assert "Not measured" not in covered


def test_the_rules_stand_at_the_head_of_the_page_unless_they_are_long():
    def head(n: int, name: str) -> int:
        rules = [Explanation(Rule(f"class {at}", Var(name), "if")) for at in range(n)]
        return report(ExplanationSet(rules, [name])).html.split("</header>")[0].count("data-answer=")

    assert head(7, "short") == 7
    assert head(2, "long" * 300) == 0


@pytest.mark.parametrize("name", ["c", "a concept with a name of some length "])
def test_two_hundred_classes_stay_below_two_megabytes(name: str):
    x = [Var(f"{name}{at}") for at in range(30)]
    rules = ExplanationSet(
        [
            Explanation(
                Rule(
                    f"class number {at}",
                    (x[at % 30] & ~x[(at + 7) % 30]) | (x[(at + 1) % 30] & x[at // 30]) | ~x[(at + 9) % 30],
                )
            )
            for at in range(200)
        ],
        [var.name for var in x],
    )
    rows = np.random.default_rng(0).integers(2, size=(300, 30))
    text = report(rules, rows, [f"class number {at % 200}" for at in range(300)]).html

    assert len(text.encode()) < 2_000_000
    assert text.count('<details class="rule"') == 200
    assert len(re.findall(r"<details[^>]* open", text)) == 0
    assert 'id="picker"' in text


@pytest.mark.parametrize("kind", ["if", "only_if", "iff", "cluster"])
def test_rules_of_every_kind_have_a_page(kind: str):
    explanations = [
        Explanation(Rule("a", Var("x") | ~Var("y"), kind)),
        Explanation(Rule("b", Var("y"), kind)),
    ]
    truth = None if kind == "cluster" else ["a", "b", "a"]
    made = report(ExplanationSet(explanations, ["x", "y"]), [[0, 0], [1, 1], [0, 1]], truth)

    assert Reader(made.html).open == []
    assert made.facts.kind_words[1:] in made.html


def test_figures_and_what_rules_state_have_one_name_and_stand_where_they_are_explained():
    rules = pages.rules()
    rows = pages.table(30, 0, rules.vocabulary)
    head, rest = report(rules, rows, rules.predict(rows)).html.split("</header>")
    card = rest.split('<div class="scores">')[1].split("</dl>")[0]
    reading = rest.split('id="reading"')[1].split("</section>")[0]
    macro = "Explanation accuracy (macro-F1, as in the paper)"
    stated = "Each rule says when the list predicts its class"

    assert [part.count(stated) for part in (head, rest.split('<details class="rule"')[0], reading)] == [
        0,
        1,
        1,
    ]
    assert re.findall(r"<dt[^>]*>([^<]*)</dt>", card) == ["Precision", "Recall", "Coverage", macro]
    fidelity = {"Fidelity to the network", "Fidelity (macro-F1, as in the paper)"}
    assert set(re.findall(r"<dt>([^<]*)</dt>", reading)) >= {"Accuracy", macro, *fidelity}


def test_the_page_says_how_the_file_was_read():
    rules = pages.rules()

    assert "How the file was read" not in report(rules).html
    text = report(rules, source=Source(notes=("Numbers have a decimal comma.", "Column '<b>': text."))).html
    data = text.split('id="data"')[1].split("</section>")[0]
    assert "<h3>How the file was read</h3>" in data
    assert "<li>Numbers have a decimal comma.</li>" in data
    assert "<li>Column &#39;&lt;b&gt;&#39;: text.</li>" in data


def test_the_page_words_how_a_rule_was_found():
    status = "best found within max_literals=10"
    text = report(ExplanationSet([Explanation(Rule("a", Var("x")), status=status)], ["x"])).html

    assert "Status: the best found of at most 10 literals." in text
    assert "max_literals" not in text.split('<script type="application/json"')[0]
