"""Tables and figure of fronts, of rows that nobody measured."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from logiclens.bench.front_tables import front_figure, front_tables
from logiclens.bench.paper_figures import as_svg


def made_up(**cut: bool) -> list[dict[str, Any]]:
    """Three methods on two tables: ours two points ahead on one and four on the other."""
    rows = []
    for table, lead in (("a", 0.02), ("<b>", 0.04)):
        for method, ahead in (("mu", lead), ("cart", 0.0), ("boosting", 0.1)):
            for fold in (0, 1):
                for literals in (0.0, 4.0, 8.0, 30.0):
                    rate = 0.5 + literals / 100 + ahead + fold / 100
                    base = {"experiment": table, "method": method, "fold": fold, "status": "done"}
                    size = None if method == "boosting" else literals
                    base |= {"literals": size, "printed": size and 2 * size, "validation_accuracy": rate}
                    base |= {"test_accuracy": rate, "cut": cut.get(method, False) and table == "a"}
                    rows.append(base | {"part": "default" if literals == 30.0 else str(literals)})
    return rows


def test_tables():
    defaults, accuracy, leads, lengths, by_print, _, printed = front_tables(made_up())

    assert accuracy.title == "Accuracy (%) by literals of each class's formula, 2 tables"
    assert by_print.title == "Accuracy (%) by size as printed, 2 tables"
    assert accuracy.heads == ("", *(f"up to {limit}" for limit in (5, 10, 20, 40, 80)))
    cells = {str(line[0]): [str(cell) for cell in line[1:]] for line in accuracy.lines}
    assert cells["mu"] == ["57.50", "61.50", "61.50", "83.50", "83.50"]
    assert [str(cell) for cell in leads.lines[0]] == ["CART", *["+3.00±12.71 [2]"] * 5]
    assert [str(line[0]) for line in lengths.lines] == ["mu", "CART"]
    assert [str(cell) for cell in by_print.lines[0][1:]] == ["53.50", "57.50", "61.50", "61.50", "83.50"]
    assert [str(cell) for cell in printed.lines[1][1:]] == ["0.0", "8.0", "16.0", "16.0", "60.0"]
    assert [str(cell) for cell in defaults.lines[1]] == ["CART", "80.50", "30.0", "60.0", "+3.00±12.71 [2]"]


def test_who_took_too_long_is_told():
    _, accuracy, leads, *_ = front_tables(made_up(cart=True))

    assert "CART took too long, and is left out, of a (from 40 literals on)." in accuracy.note
    assert str(accuracy.lines[1][-1]) == "80.50 [1 tables]"
    assert str(leads.lines[0][-1]) == "+4.00 [1]"


def test_without_ours_there_are_no_leads():
    tables = front_tables([row for row in made_up() if row["method"] != "mu"])

    assert not any(table.title.startswith("Lead") for table in tables)


def test_figure():
    drawn = front_figure(made_up())
    ax, by_print = drawn.axes

    names = [text.get_text() for text in by_print.get_legend().get_texts()]
    assert names == ["mu", "CART", "gradient boosting"]
    assert ax.get_title() == "Mean over 2 tables that every method has"
    assert ElementTree.fromstring(as_svg(drawn)).tag.endswith("svg")
    assert as_svg(front_figure([])).startswith(b"<?xml")
    assert front_figure(made_up(cart=True)).axes[0].get_title() == "Mean over 1 table that every method has"
