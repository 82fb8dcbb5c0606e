from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from logiclens.errors import FileError
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import Var
from logiclens.reporting import report
from logiclens.reporting._report import gather_facts

RULES = ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings", "fins"])


def test_a_report_is_written_to_a_file(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    path = tmp_path / "report.html"

    made = report(RULES, [[1, 0]], ["bird"], path=path, title="Birds")
    made.save(tmp_path / "again.html")

    assert path.read_text(encoding="utf-8") == made.html == (tmp_path / "again.html").read_text("utf-8")
    assert made.facts == gather_facts(RULES, [[1, 0]], ["bird"], title="Birds")
    assert "<title>Birds" in made.html
    assert sorted(each.name for each in tmp_path.iterdir()) == ["again.html", "report.html"]


def test_the_same_report_is_the_same_file(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")

    assert report(RULES).html == report(RULES).html


def test_a_notebook_shows_the_page():
    made = report(RULES, title='<b>"Birds"</b>')

    shown = made._repr_html_()

    page = re.search(r'srcdoc="([^"]*)"', shown)
    assert page is not None
    assert html.unescape(page[1]) == made.html
    assert "<b>" not in shown


def test_a_report_says_what_it_is():
    size = round(len(report(RULES, title="it's <b>").html.encode()) / 1000)

    assert repr(report(RULES, title="it's <b>")) == f"""Report("it's <b>", 1 rule, {size} KB)"""


def test_nothing_is_left_behind_where_the_page_cannot_be_written(tmp_path: Path):
    for path, message in (
        (tmp_path, f"{str(tmp_path)!r} is a folder. Name a file in it."),
        (
            tmp_path / "no" / "report.html",
            f"{str(tmp_path / 'no' / 'report.html')!r} cannot be written: there is no folder "
            f"{str(tmp_path / 'no')!r}. Make it first.",
        ),
    ):
        with pytest.raises(FileError) as caught:
            report(RULES, path=path)
        assert str(caught.value) == message
    assert list(tmp_path.iterdir()) == []
