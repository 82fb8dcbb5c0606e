"""Fronts: runs, the size that is chosen for each limit, tables and figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from logiclens.bench.fronts import LIMITS, Fronts, choose_size, front_figure, front_tables, lead, run_fronts
from logiclens.bench.result_figures import as_svg
from logiclens.bench.store import Results, read_rows
from logiclens.errors import InputError
from tests.bench.people import people


def size(literals: float | None, validation: float | None, **more: Any) -> dict[str, Any]:
    row = {"experiment": "a", "method": "cart", "fold": 0, "part": str(literals), "status": "done"}
    row |= {"cut": False, "literals": literals, "printed": literals, "validation_accuracy": validation}
    return row | {"test_accuracy": validation} | more


def test_the_best_on_validation_rows_is_chosen_within_the_limit():
    rows = [size(0.0, 0.5), size(4.0, 0.8), size(5.0, 0.8), size(8.0, 0.7), size(12.0, 0.9), size(3.0, None)]
    picked = [choose_size(rows, limit) for limit in LIMITS]

    assert [row and row["literals"] for row in picked] == [4.0, 4.0, 12.0, 12.0, 12.0]


def test_what_took_too_long_is_left_out_beyond_its_reach():
    cut = [size(0.0, 0.5, cut=True), size(12.0, 0.9, cut=True)]
    stopped = size(None, None, status="not finished in 1 s", method="figs")
    found = Fronts([*cut, stopped])

    assert [choose_size(cut, limit) is None for limit in LIMITS] == [False, False, True, True, True]
    assert found.left_out() == {"cart": {"a": 20}, "figs": {"a": 5}}
    assert found.means("figs", 5) == {}


def test_means_are_over_all_folds_or_none():
    rows = [size(2.0, 0.8, fold=0), size(2.0, 0.9, fold=1), size(2.0, 0.9, fold=0, method="figs")]
    found = Fronts(rows)

    assert found.mean("a", "cart", 5) == pytest.approx(0.85)
    assert found.mean("a", "figs", 5) is None
    assert found.methods == ("cart", "figs")


def test_default_points_are_by_themselves():
    found = Fronts([size(2.0, 0.8), size(9.0, None, part="default", test_accuracy=0.7)])

    assert found.means("cart", None) == {"a": 0.7}
    assert found.means("cart", 80) == {"a": 0.8}


def test_leads_have_an_interval():
    mine, theirs = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.1}, {"a": 0.8, "b": 0.8, "c": 0.6, "e": 0.0}
    mean, spread, n = lead(mine, theirs)

    assert (n, mean) == (3, pytest.approx(0.2 / 3))
    assert spread == pytest.approx(4.302653 * np.std([0.1, 0.0, 0.1], ddof=1) / np.sqrt(3))
    assert lead({"a": 1.0}, {})[2] == 0
    assert np.isnan(lead({"a": 1.0}, {"a": 0.5})[1])


def test_a_run_is_kept_and_not_done_again(tmp_path: Path):
    steps = []
    for _ in range(2):
        results = Results(tmp_path)
        rows = run_fronts([people()], ["cart", "logistic"], results=results, progress=steps.append)
    results.save_table(rows)

    assert [step.kept for step in steps] == [False] * 6 + [True] * 6
    assert read_rows(tmp_path / "rows.jsonl") == rows
    found = Fronts(rows)
    assert found.methods == ("cart", "logistic")
    assert found.mean("people", "cart", 10) > 0.8
    assert [found.has_rules(name) for name in found.methods] == [True, False]


def test_another_time_for_a_fit_is_another_run(tmp_path: Path):
    steps = []
    for seconds in (60.0, 30.0):
        run_fronts(
            [people()], ["logistic"], results=Results(tmp_path), fit_seconds=seconds, progress=steps.append
        )

    assert not any(step.kept for step in steps)


def test_a_method_that_there_is_not():
    with pytest.raises(InputError, match="Unknown method 'tree'"):
        run_fronts([], ["tree"], results=Results("nowhere"))


def made_up(**cut: bool) -> list[dict[str, Any]]:
    """Three methods on two tables: ours two points ahead on one and four on the other."""
    rows = []
    for table, ours in (("a", 0.02), ("<b>", 0.04)):
        for method, ahead in (("mu", ours), ("cart", 0.0), ("boosting", 0.1)):
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

    assert "CART took too long and is left out on a (from 40 literals)." in accuracy.note
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
    assert ax.get_title() == "Mean over the 2 tables that all methods finished"
    assert ElementTree.fromstring(as_svg(drawn)).tag.endswith("svg")
    assert as_svg(front_figure([])).startswith(b"<?xml")
    title = front_figure(made_up(cart=True)).axes[0].get_title()
    assert title == "Mean over the 1 table that all methods finished"
