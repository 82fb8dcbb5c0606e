from __future__ import annotations

from logiclens import Step, Var
from logiclens.explain.front import Front, Point
from logiclens.plots import FrontDisplay
from tests.plots.conftest import black_box, fitted

a, b = Var("a"), Var("b")
POINTS = (
    Point((), "cat", 0.5, 0.6, (0.4, 0.6)),
    Point((Step("bird", a),), "cat", 0.8, 0.9, (0.7, 0.88)),
    Point((Step("bird", a & b),), "cat", 0.81, 0.95, (0.71, 0.89)),
)


def front(points: tuple[Point, ...] = POINTS, chosen: int = 1) -> Front:
    return Front(points, ("bird", "cat"), ("a", "b"), chosen=chosen)


def drawn(display: FrontDisplay) -> dict[str, list[tuple[float, float]]]:
    """Points of the lines, by label."""
    return {line.get_label(): [tuple(xy) for xy in line.get_xydata().tolist()] for line in display.ax_.lines}


def test_points_stand_at_their_literals_and_rates():
    display = FrontDisplay.from_front(front())

    assert drawn(display)["accuracy"] == [(0, 0.5), (1, 0.8), (2, 0.81)]
    assert drawn(display)["fidelity"] == [(0, 0.6), (1, 0.9), (2, 0.95)]
    assert drawn(display)["shown"] == [(1, 0.8)]
    assert "shown: 1 literal, accuracy 80.0%" in [text.get_text() for text in display.ax_.texts]


def test_the_band_is_the_interval_of_the_accuracy():
    (band,) = FrontDisplay.from_front(front()).ax_.collections
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices.tolist()}

    assert {(0, 0.4), (0, 0.6), (1, 0.7), (1, 0.88), (2, 0.71), (2, 0.89)} <= corners


def test_points_that_were_not_scored_are_left_out():
    """The formulas of a network's own neurons, for one, are not scored."""
    display = FrontDisplay.from_front(front((*POINTS, Point((Step("bird", a | b),), "cat")), chosen=3))

    assert len(drawn(display)["accuracy"]) == 3
    assert "shown" not in drawn(display)


def test_models_are_drawn():
    model = fitted("Mu")
    expected = [(point.literals, point.accuracy) for point in model.front_]

    assert drawn(FrontDisplay.from_estimator(model))["accuracy"] == expected
    assert drawn(model.front_.plot())["accuracy"] == expected


def test_a_black_box_is_drawn_by_its_imitation():
    assert FrontDisplay.from_estimator(black_box()).front is black_box().estimator_.front_
