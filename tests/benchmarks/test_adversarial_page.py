"""Tables and the figure of the adversarial experiment, and those of the page, which the results give."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.adversarial_page import (
    PAGE,
    figure,
    guard_table,
    markdown_table,
    pooled,
    strength,
    tnorm_table,
)
from benchmarks.harness import filled

from benchmarks import adversarial_page as page
from logiclens.metrics.agreement import wilson

NONE = {"attack": "apgd-ce", "norm": "l2", "eps": 0.5, "towers": 2, "tnorm": "none", "rules": "none"}
NONE |= {"robust": 0.03, "low": 0.02, "high": 0.04}
NONE |= {"rejected": 0.0, "clean_rejected": 0.0, "clean_right": 0.5, "literals": 0.0, "n": 100, "seed": 2}
MU = NONE | {"rules": "mu", "tnorm": "product", "robust": 0.5, "low": 0.45, "high": 0.55}
MU |= {"literals": 2.5, "clean_rejected": 0.06}
ROWS = [
    NONE,
    MU,
    MU | {"tnorm": "boolean", "robust": 0.7},
    MU | {"attack": "adaptive", "robust": 0.1, "low": 0.05, "high": 0.2},
    NONE | {"norm": "linf", "eps": 2 / 255},
]


def test_strengths_are_written_as_people_do():
    assert strength(NONE) == "L2 0.5"
    assert strength(ROWS[-1]) == "L-infinity 2/255"


def test_a_line_for_each_attack_and_a_column_for_each_set():
    assert markdown_table(ROWS, "product") == (
        "| networks | attack | strength | no rules | mu |\n"
        "|---|---|---|---|---|\n"
        "| 2 | APGD-CE | L2 0.5 | 3.0 (2.0 to 4.0) | 50.0 (45.0 to 55.0) |\n"
        "| 2 | knows the guard | L2 0.5 |  | 10.0 (5.0 to 20.0) |\n"
        "| 2 | APGD-CE | L-infinity 2/255 | 3.0 (2.0 to 4.0) |  |"
    )


def test_seeds_are_taken_together_by_the_number_of_their_pictures():
    rows = [MU, MU | {"seed": 3, "n": 300, "robust": 0.1}, NONE | {"eps": 0.25}, NONE | {"towers": 1}]
    weak, both, single = pooled(rows)

    assert (weak["eps"], single["towers"]) == (0.25, 1)
    assert (both["n"], both["seeds"]) == (400, (2, 3))
    assert both["robust"] == pytest.approx(0.2)
    assert (both["low"], both["high"]) == pytest.approx(wilson(0.2, 400))


def test_t_norms_side_by_side():
    assert tnorm_table(ROWS, 2, "l2", 0.5) == (
        "| t-norm | mu |\n|---|---|\n| product | 50.0 |\n| boolean | 70.0 |"
    )


def test_what_guards_do_to_clean_pictures_and_cost():
    costs = {"cuda": {"forward": 50.0, "mu product": 2.0}, "cpu": {"forward": 8000.0, "mu product": 10.0}}
    about = {"classes_with_a_rule": {"mu": 190}, "microseconds_2": costs}

    assert guard_table([{"about": about, "rows": ROWS}], 2, "product").splitlines()[0::2] == [
        "| rules | seed | classes with one | literals per class | clean rejected | clean right and kept "
        "| cost, cuda | cost, cpu |",
        "| mu | 2 | 190 | 2.5 | 6.0 (2.8 to 12.5) | 50.0 | 2.0 (4 %) | 10.0 (0.12 %) |",
    ]


def test_bars_at_the_strength_of_the_paper_and_a_panel_for_each_norm():
    drawn = figure(ROWS, "product")
    bars, first, second = drawn.axes

    assert [bar.get_height() for bar in bars.patches] == pytest.approx([3.0, 50.0])
    assert [label.get_text() for label in bars.get_xticklabels()] == ["no rules", "mu"]
    lines = {part.get_label(): part.lines[0].get_ydata().tolist() for part in first.containers}
    assert lines == {"no rules": [3.0], "mu": [50.0]}
    assert second.get_xlabel() == "L-infinity, in 255ths"
    for ax in (bars, first):
        rings = [line for line in ax.lines if line.get_markerfacecolor() == "white" and len(line.get_ydata())]
        assert [line.get_ydata()[0] for line in rings] == [pytest.approx(10.0)]


def test_the_tables_of_the_page_are_those_of_the_results():
    assert filled(PAGE, page.tables(page.read_runs())) == PAGE.read_text(encoding="utf-8")
    assert page.FIGURE.exists()


def test_a_page_without_a_place_for_a_table(tmp_path):
    (tmp_path / "page.md").write_text("# A page\n")
    with pytest.raises(SystemExit, match=r"page.md has 0 tables 'strengths'; it should have one"):
        filled(tmp_path / "page.md", {"strengths": ""})


def test_findings_are_joined_and_put_on_the_page(tmp_path, monkeypatch):
    (run, _) = page.read_runs()
    (tmp_path / "a.json").write_text(page.json.dumps(run), encoding="utf-8")
    for name in ("RESULTS", "PAGE", "FIGURE"):
        monkeypatch.setattr(page, name, tmp_path / getattr(page, name).name)
    page.PAGE.write_text("".join(f"<!-- table: {name} -->\n\n" for name in page.tables([run])))
    page.main([str(tmp_path / "a.json")])

    assert page.read_runs(page.RESULTS) == [run]
    assert page.tables([run])["strengths"] in page.PAGE.read_text(encoding="utf-8")
    assert page.FIGURE.read_text(encoding="utf-8").startswith("<?xml")


def test_every_set_of_rules_helps_the_birds():
    """What the page says of the results."""
    rows = pooled(row for run in page.read_runs() for row in run["rows"])
    (bare,) = (
        row
        for row in rows
        if (row["towers"], row["norm"], row["eps"], row["rules"]) == (2, "l2", 0.5, "none")
    )
    guarded = {
        (row["attack"], row["rules"]): row
        for row in rows
        if (row["towers"], row["norm"], row["eps"], row["tnorm"]) == (2, "l2", 0.5, page.TNORM)
    }
    gains = {
        rules: row["robust"] - bare["robust"] for (how, rules), row in guarded.items() if how == "apgd-ce"
    }

    assert set(gains) == {"psi", "mu", "relu", "entropy"}
    assert all(guarded["apgd-ce", rules]["low"] > bare["high"] + 0.1 for rules in gains)
    assert np.isclose(max(gains.values()), gains["mu"])
    assert gains["mu"] > 0.2
    assert all(guarded["adaptive", rules]["robust"] < bare["robust"] + 0.01 for rules in gains)
