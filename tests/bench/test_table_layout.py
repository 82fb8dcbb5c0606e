"""Tables written as Markdown, LaTeX and HTML: names in them are shown and do nothing."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import markdown
from hypothesis import given

from logiclens.bench.table_layout import FORMATS, Cell, ResultTable, as_document, html_text, latex_text
from tests import strategies
from tests.errors import error_of

TABLE = ResultTable(
    "Fidelity (%)",
    ("", "mu", "BRL"),
    (
        (Cell("V-Dem"), Cell("99.9±0.1", best=True, beside="94.7"), Cell("–")),
        (Cell("a|b"), Cell("a ↔ b", math=r"a \leftrightarrow b"), Cell("≥3")),
    ),
    "In brackets: 100 % of it.",
)


class Texts(HTMLParser):
    """Elements of a page, and what it shows."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.shown = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, _: list) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.shown += data


def test_markdown():
    assert TABLE.to_markdown() == (
        "**Fidelity (%)**\n\n"
        "|  | mu | BRL |\n"
        "|---|---|---|\n"
        "| V-Dem | **99.9±0.1** [94.7] | – |\n"
        "| a&#124;b | a ↔ b | ≥3 |\n\n"
        "In brackets: 100 % of it."
    )


def test_latex():
    assert TABLE.to_latex() == (
        "\\begin{table}[ht]\n\\centering\\small\n\\caption{Fidelity (\\%)}\n"
        "\\begin{tabular}{lp{0.6\\textwidth}l}\n\\toprule\n"
        " & mu & BRL \\\\\n\\midrule\n"
        "V-Dem & {\\boldmath\\textbf{99.9$\\pm$0.1}} \\textcolor{gray}{{[}94.7]} & -- \\\\\n"
        "a\\textbar{}b & $a \\leftrightarrow b$ & $\\geq$3 \\\\\n"
        "\\bottomrule\n\\end{tabular}\n\\par\\smallskip In brackets: 100 \\% of it.\n\\end{table}"
    )


def test_html():
    page = Texts(TABLE.to_html())

    assert '<td><strong>99.9±0.1</strong> <span class="beside">[94.7]</span></td>' in TABLE.to_html()
    assert page.tags.count("tr") == 3
    assert "a|b" in page.shown


def test_documents_hold_all_tables():
    for form in FORMATS:
        text = as_document([TABLE, ResultTable("Second", ("x",), ())], form)
        assert text.index("V-Dem") < text.index("Second")
        assert text.endswith("\n")
    page = as_document([TABLE], "html")
    assert page.startswith('<!doctype html>\n<html lang="en">')
    assert "http" not in page  # nothing is loaded


def test_what_cannot_be_written_is_refused():
    line = (Cell("1"),)

    assert "A table is written as 'markdown', 'latex', 'html'" in error_of(as_document, [TABLE], "markdwon")
    assert "Each line must have 2 cells" in error_of(ResultTable, "x", ("a", "b"), (line,))


@given(strategies.names())
def test_markdown_shows_any_name_as_it_is(name: str):
    """As read by the package that makes our documentation, in a cell of a table and beside a bold one."""
    table = ResultTable("t", ("x", "y"), ((Cell(name), Cell("z", best=True)),))
    page = Texts(markdown.markdown(table.to_markdown(), extensions=["tables", "attr_list"]))

    assert page.tags == "p strong table thead tr th th tbody tr td td strong".split()
    assert without_blanks(visible(name)) in without_blanks(page.shown)


@given(strategies.names())
def test_html_shows_any_name_as_it_is(name: str):
    assert html.unescape(html_text(name)) == visible(name)
    assert Texts(f"<p>{html_text(name)}</p>").tags == ["p"]


@given(strategies.names())
def test_latex_leaves_no_sign_that_acts(name: str):
    """What is left when our own macros are taken away is text without special signs."""
    left = re.sub(
        r"\\text(backslash|asciitilde|asciicircum|quotedbl|less|greater|bar)\{\}", "", latex_text(name)
    )
    left = re.sub(r"\\[{}$&#%_]|\$\\?[a-z-]+\$|\{[\[*]\}", "", left)

    assert not set(left) & set('\\{}$&#%_~^\n"<>|[*')


def visible(name: str) -> str:
    """A name as it is shown: what cannot be seen is written as an escape."""
    from logiclens.logic.syntax import escape

    return "".join(char if char.isprintable() else escape(char) for char in name)


def without_blanks(text: str) -> str:
    return "".join(text.split())
