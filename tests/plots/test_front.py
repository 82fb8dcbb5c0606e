from __future__ import annotations

import pytest
from matplotlib import pyplot as plt

from logiclens import FALSE, Explanation, FrontPoint, Rule, Var
from logiclens.errors import InputError
from logiclens.plots import FrontDisplay
from tests.plots.conftest import black_box, clusterer, fitted

a, b = Var("a"), Var("b")
FRONT = [FrontPoint(a & b, 2, 0.5, 0.9), FrontPoint(FALSE, 0, 9.0, 0.5), FrontPoint(a, 1, 2.0, 0.8)]


def explanation(formula: object = a, front: list[FrontPoint] = FRONT, target: object = "bird") -> Explanation:
    return Explanation(Rule(target, formula), front=front)


def drawn(display: FrontDisplay) -> dict[str, list[tuple[float, float]]]:
    """Points of the lines, by label."""
    lines = [*display.ax_.lines, *([] if display.score_ax_ is None else display.score_ax_.lines)]
    return {line.get_label(): [tuple(point) for point in line.get_xydata().tolist()] for line in lines}


def test_points_stand_at_their_literals_and_errors():
    display = FrontDisplay.from_explanation(explanation())

    assert drawn(display)["errors"] == [(0, 9), (1, 2), (2, 0.5)]
    assert drawn(display)["chosen"] == [(1, 2)]
    assert "chosen: 1 literal, 2 errors" in [text.get_text() for text in display.ax_.texts]


def test_the_line_leaves_out_rules_that_err_more_than_shorter_ones():
    front = [
        FrontPoint(FALSE, 0, 9.0),
        FrontPoint(a, 1, 2.0),
        FrontPoint(b, 1, 7.0),
        FrontPoint(a & b, 2, 4.0),
    ]
    lines = drawn(FrontDisplay.from_explanation(explanation(front=front)))

    assert lines["_steps"] == [(0, 9), (1, 2), (1, 2), (2, 2)]
    assert lines["errors"] == [(0, 9), (1, 2), (1, 7), (2, 4)]


def test_nothing_is_marked_where_the_formula_is_not_on_the_front():
    assert "chosen" not in drawn(FrontDisplay.from_explanation(explanation(b)))


def test_scores_have_axes_of_their_own():
    display = FrontDisplay.from_explanation(explanation(), score=True)

    assert drawn(display)["score"] == [(0, 0.5), (1, 0.8), (2, 0.9)]
    assert display.score_ax_ is not display.ax_
    assert FrontDisplay.from_explanation(explanation()).score_ax_ is None


def test_points_without_a_score_are_left_out_of_the_scores():
    front = [*FRONT, FrontPoint(b, 3, 0.0)]
    display = FrontDisplay.from_explanation(explanation(front=front), score=True)

    assert len(drawn(display)["score"]) == 3
    assert len(drawn(display)["errors"]) == 4


def test_a_single_point_is_a_front():
    display = FrontDisplay.from_explanation(explanation(FALSE, [FrontPoint(FALSE, 0, 0.0)]))

    assert drawn(display)["chosen"] == [(0, 0)]
    assert "chosen: 0 literals, 0 errors" in [text.get_text() for text in display.ax_.texts]


def test_models_are_drawn():
    model = fitted("Mu")
    display = FrontDisplay.from_estimator(model, "virginica")

    expected = [(point.literals, point.errors) for point in model.explain()["virginica"].front]
    assert drawn(display)["errors"] == sorted(expected)
    assert FrontDisplay.from_estimator(black_box()).explanation.target == "yes"
    assert FrontDisplay.from_estimator(clusterer(), 0).explanation.target == 0


def test_loaded_models_keep_their_fronts(loaded: object):
    assert drawn(FrontDisplay.from_estimator(loaded, "setosa")) == drawn(
        FrontDisplay.from_estimator(fitted("Mu"), "setosa")
    )


def test_hostile_targets_are_shown_as_they_are():
    display = FrontDisplay.from_explanation(explanation(target="$y$" * 100))
    display.figure_.draw_without_rendering()

    title = display.ax_.texts[-1]
    assert "“$y$$y$" in title.get_text()
    assert not title.get_parse_math()


def test_the_callers_axes_are_used():
    figure, ax = plt.subplots()
    display = FrontDisplay.from_explanation(explanation(), ax=ax)

    assert (display.ax_, display.figure_) == (ax, figure)


def test_an_explanation_without_a_front_is_refused():
    with pytest.raises(InputError) as info:
        FrontDisplay.from_explanation(explanation(front=[]))

    assert str(info.value) == (
        "This explanation has no front to draw. "
        "Use one that explain() of a classifier made with aggregation='minimal'."
    )


def test_scores_that_are_not_there_are_refused():
    with pytest.raises(InputError) as info:
        FrontDisplay.from_explanation(explanation(front=[FrontPoint(a, 1, 2.0)]), score=True)

    expected = "No point of this front has a score: there were no held-out rows. Use score=False."
    assert str(info.value) == expected


def test_nonsense_is_refused():
    with pytest.raises(InputError, match=r"^explanation must be an Explanation. Got 'a'.$"):
        FrontDisplay.from_explanation("a")
    with pytest.raises(InputError, match=r"^score must be True or False. Got 'yes'.$"):
        FrontDisplay.from_explanation(explanation(), score="yes")
