"""Tables and the figure of the adversarial experiment."""

from __future__ import annotations

import pytest

from logiclens.bench.adversarial_tables import figure, markdown_table, strength

NONE = {"attack": "apgd-ce", "norm": "l2", "eps": 0.5, "towers": 2, "tnorm": "none", "rules": "none"}
NONE |= {"robust": 0.03, "low": 0.02, "high": 0.04}
ROWS = [
    NONE,
    NONE | {"rules": "mu", "tnorm": "product", "robust": 0.5, "low": 0.45, "high": 0.55},
    NONE | {"rules": "mu", "tnorm": "boolean", "robust": 0.7},
    NONE | {"rules": "mu", "tnorm": "product", "attack": "adaptive", "robust": 0.1, "low": 0.05, "high": 0.2},
    NONE | {"norm": "linf", "eps": 2 / 255},
]


def test_strengths_are_written_as_people_do():
    assert strength(NONE) == "L2 0.5"
    assert strength(ROWS[-1]) == "L-infinity 2/255"


def test_a_line_for_each_attack_and_a_column_for_each_set():
    assert markdown_table(ROWS, "product") == (
        "| towers | attack | strength | no rules | mu |\n"
        "|---|---|---|---|---|\n"
        "| 2 | apgd-ce | L2 0.5 | 3.0 (2.0 to 4.0) | 50.0 (45.0 to 55.0) |\n"
        "| 2 | adaptive | L2 0.5 |  | 10.0 (5.0 to 20.0) |\n"
        "| 2 | apgd-ce | L-infinity 2/255 | 3.0 (2.0 to 4.0) |  |"
    )


def test_a_panel_for_each_norm_and_a_line_for_each_set():
    drawn = figure(ROWS, "product")
    first, second = drawn.axes
    lines = {container.get_label(): container.lines[0].get_ydata().tolist() for container in first.containers}

    assert lines == {"no rules": [3.0], "mu": [50.0]}
    assert second.get_xlabel() == "L-infinity, in 255ths"
    rings = [line for line in first.lines if line.get_markerfacecolor() == "none"]
    assert [line.get_ydata()[0] for line in rings if len(line.get_ydata())] == [pytest.approx(10.0)]
