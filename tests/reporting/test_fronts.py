from __future__ import annotations

import pytest
from hypothesis import given

from logiclens.errors import LimitError
from logiclens.explain import Explanation, ExplanationSet, FrontPoint, Rule
from logiclens.logic import And, Var
from logiclens.reporting.fronts import fronts_of
from tests.explain.strategies import explanation_sets

NAMES = [f"x{j}" for j in range(100)]


@given(explanation_sets())
def test_each_front_has_its_rule_once_and_goes_from_short_to_long(rules: ExplanationSet):
    fronts = fronts_of(rules)

    for front, explanation in zip(fronts, rules.values(), strict=True):
        chosen = [point.formula for point in front.points if point.chosen]
        literals = [point.formula.complexity for point in front.points]
        assert chosen == [explanation.formula]
        assert literals == sorted(literals)
        assert len({point.formula for point in front.points}) == len(front.points) == front.n


def with_front(n_points: int) -> ExplanationSet:
    formulas = [And.of(map(Var, NAMES[: n + 1])) for n in range(n_points)]
    front = tuple(FrontPoint(formula, formula.complexity, 1.0) for formula in formulas)
    return ExplanationSet([Explanation(Rule("yes", formulas[n_points // 3]), front=front)], NAMES)


@pytest.mark.parametrize("most", [1, 2, 7, 40])
def test_of_a_long_front_some_points_are_shown_the_rule_among_them(most: int):
    front = fronts_of(with_front(90), most)[0]

    assert len(front.points) == most
    assert front.n == 90
    assert [point.formula.complexity for point in front.points if point.chosen] == [31]
    if most > 2:
        assert {front.points[0].formula.complexity, front.points[-1].formula.complexity} == {1, 90}


def test_many_rules_share_the_points():
    explanations = [Explanation(Rule(j, Var("x0")), front=with_front(9)["yes"].front) for j in range(200)]

    fronts = fronts_of(ExplanationSet(explanations, NAMES))

    assert {len(front.points) for front in fronts} == {3}


def test_a_rule_that_cannot_be_written_is_refused():
    large = Var("x0")
    for j in range(18):
        large = (large & Var(NAMES[j + 1])) | (large & Var(NAMES[j + 20]))

    with pytest.raises(LimitError, match=r"^The formula has more than 200000 literals and connectives when"):
        fronts_of(ExplanationSet([Explanation(Rule("yes", large))], NAMES))


def test_a_choice_that_is_very_long_is_left_out():
    """Only the rule itself has to be there."""
    long = And.of([Var(f"y{j}") for j in range(3000)])
    explanation = Explanation(Rule("yes", Var("y0")), front=(FrontPoint(long, 3000, 0.0),))

    front = fronts_of(ExplanationSet([explanation], [f"y{j}" for j in range(3000)]))[0]

    assert [point.formula for point in front.points] == [Var("y0")]
