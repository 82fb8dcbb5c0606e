"""Figures of results."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.bench.result_figures import FIGURES, as_svg, error_figure, length_figure, pareto, time_figure
from tests.bench.made_up import row

ROWS = [
    row(method="mu", fold=0, seconds=1.0, model_accuracy=0.9, explanation_accuracy=0.8, complexity=2.0),
    row(method="mu", fold=1, seconds=3.0, model_accuracy=0.9, explanation_accuracy=0.8, complexity=4.0),
    row(method="mu-reference", seconds=30.0, model_accuracy=0.95, explanation_accuracy=0.7, complexity=9.0),
    row(method="tree", seconds=0.1, model_accuracy=0.8, explanation_accuracy=0.7, complexity=60.0),
    row(method="brl", seconds=900.0, status="not finished in 900 s"),
    row(method="boosting", seconds=1.0, model_accuracy=0.99),
    row("a $x$ <b>", seconds=1.0, model_accuracy=1.0, explanation_accuracy=1.0, complexity=1.0),
]


def drawn_points(ax: Any) -> dict[str, tuple[float, float]]:
    return {
        line.get_label(): (round(float(line.get_xdata()[0]), 6), round(float(line.get_ydata()[0]), 6))
        for line in ax.lines
        if line.get_marker() not in ("None", "")
    }


def test_errors_with_their_front():
    first, second = error_figure(ROWS).axes

    assert drawn_points(first) == {"mu": (10, 20), "mu (reference)": (5, 30), "decision tree": (20, 30)}
    (front,) = [line for line in first.lines if line.get_linestyle() == ":"]
    assert [*zip(front.get_xdata().round(6), front.get_ydata().round(6), strict=True)] == [(5, 30), (10, 20)]
    assert drawn_points(second) == {"mu": (0, 0)}


def test_lengths_against_accuracy():
    first, _ = length_figure(ROWS).axes

    assert drawn_points(first) == {"mu": (3, 80), "mu (reference)": (9, 70), "decision tree": (60, 70)}
    assert first.get_xscale() == "log"


def test_settings_of_the_paper_are_hollow():
    first, _ = length_figure(ROWS).axes
    inside = {
        line.get_label(): line.get_markerfacecolor() for line in first.lines if line.get_marker() == "o"
    }

    assert inside["mu (reference)"] == "white"
    assert inside["mu"] != "white"


def test_times_with_intervals_and_what_was_stopped():
    first, _ = time_figure(ROWS).axes
    names = [label.get_text() for label in first.get_yticklabels()]
    centers = {
        names[int(box.lines[0].get_ydata()[0])]: float(box.lines[0].get_xdata()[0])
        for box in first.containers
    }

    assert centers == {
        "decision tree": 0.1,
        "BRL": 900.0,
        "mu": 2.0,
        "mu (reference)": 30.0,
        "gradient boosting": 1.0,
    }
    assert time_figure(ROWS).get_supxlabel() == (
        "Bars: 95 % intervals of the mean. With an arrow on its right: stopped before the end."
    )
    (arrow,) = first.texts  # at BRL
    assert arrow.xy[0] > 900
    assert arrow.xy[0] < first.get_xlim()[1]


def test_next_to_nothing_does_not_look_like_much():
    rows = [
        row(method="mu", model_accuracy=0.95001, explanation_accuracy=0.95, complexity=2.0),
        row(method="tree", model_accuracy=0.95, explanation_accuracy=0.95001, complexity=3.0),
    ]
    (errors,), (lengths,) = error_figure(rows).axes, length_figure(rows).axes

    for low, high in (errors.get_xlim(), errors.get_ylim(), lengths.get_ylim()):
        assert high - low == pytest.approx(0.5)
    assert error_figure(ROWS).axes[0].get_xlim()[1] > 20  # others are as wide as they were


def test_methods_without_rules_leave_nothing_to_draw():
    rows = [row(method="logistic", model_accuracy=0.9)]

    for figure in (error_figure(rows), length_figure(rows)):
        assert figure.get_suptitle() == "No method gives rules."
        assert not figure.legends


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_rows_give_the_same_bytes(name: str):
    first, again = (as_svg(FIGURES[name](ROWS)) for _ in range(2))

    assert first == again
    assert b"<dc:date>" not in first
    assert b"a $x$ &lt;b&gt;" in first  # no mathematics, no markup


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1), st.booleans())
def test_the_front_is_of_points_that_no_other_one_beats(points: list[tuple[int, int]], high: bool):
    sign = -1 if high else 1
    front = pareto(points, high=high)

    beaten = {
        point
        for point in points
        for other in points
        if other != point and other[0] <= point[0] and sign * other[1] <= sign * point[1]
    }
    assert set(front) == set(points) - beaten
    assert front == sorted(front)
