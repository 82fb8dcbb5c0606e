from __future__ import annotations

import warnings

import pytest
from sklearn.exceptions import ConvergenceWarning

from logiclens import FALSE, TRUE, Explanation, MuClassifier, Rule, Var, rule_scores
from logiclens.explain.explanation import term_scores
from logiclens.plots import RuleCoverageDisplay
from tests.plots.conftest import bits, fitted, flowers

a, b, c = map(Var, "abc")
X = {"a": [1, 1, 0, 0, 0, 0], "b": [0, 1, 1, 1, 0, 0], "c": [0, 0, 0, 0, 0, 1]}
Y = ["bird", "bird", "bird", "bat", "fish", "bird"]


def learnt(rows: object, y: object) -> MuClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return MuClassifier(epochs=40, restarts=1, l1=0.01, random_state=0, device="cpu").fit(rows, y)


def rule(formula: object, target: object = "bird") -> Explanation:
    return Explanation(Rule(target, formula))


def bars(display: RuleCoverageDisplay) -> list[float]:
    return [bar[0].get_width() for bar in display.ax_.containers]


def points(display: RuleCoverageDisplay, marker: str = "o") -> list[float]:
    return [float(line.get_xdata()[0]) for line in display.ax_.lines if line.get_marker() == marker]


def labels(display: RuleCoverageDisplay) -> list[str]:
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def test_bars_are_coverage_and_points_are_precision():
    display = RuleCoverageDisplay.from_explanation(rule(a | (b & ~a)), X, Y)

    assert labels(display) == ["the rule", "a", "b and not a"]
    assert bars(display) == pytest.approx([4 / 6, 2 / 6, 2 / 6])
    assert points(display) == pytest.approx([3 / 4, 1, 1 / 2])


def test_intervals_are_those_of_the_scores():
    display = RuleCoverageDisplay.from_explanation(rule(a | c), X, Y)
    drawn = [tuple(line.get_xdata()) for line in display.ax_.lines if len(line.get_xdata()) == 2]

    for line in display.lines_:
        assert line.precision_interval in drawn
        assert line.coverage_interval in drawn


def test_the_share_of_the_target_is_a_line():
    display = RuleCoverageDisplay.from_explanation(rule(a), X, Y)
    dashed = [line for line in display.ax_.lines if line.get_linestyle() == "--"]

    assert [line.get_xdata()[0] for line in dashed] == pytest.approx([4 / 6])


def test_a_rule_of_one_term_is_one_line():
    display = RuleCoverageDisplay.from_explanation(rule(a & ~b), X, Y)

    assert labels(display) == ["a and not b"]
    assert points(display) == [1]


@pytest.mark.parametrize(("formula", "text", "covered"), [(TRUE, "always", 6), (FALSE, "never", 0)])
def test_constants_are_one_line(formula: object, text: str, covered: int):
    display = RuleCoverageDisplay.from_explanation(rule(formula), X, Y)

    assert labels(display) == [text]
    assert display.lines_[0].covered == covered
    said = [text.get_text() for text in display.ax_.texts]
    assert ("true of no row" in said) is (covered == 0)


def test_of_many_terms_those_that_cover_most_are_shown():
    display = RuleCoverageDisplay.from_explanation(rule(c | a | b), X, Y, max_terms=2)

    assert labels(display) == ["the rule", "a", "b"]
    assert "not shown: 1 term of less coverage" in [text.get_text() for text in display.ax_.texts]


def test_formulas_that_are_no_dnf_are_brought_into_it():
    display = RuleCoverageDisplay.from_explanation(rule(a & (b | ~c)), X, Y)

    assert sorted(labels(display)) == ["a and b", "a and not c", "the rule"]


def test_models_are_drawn_on_raw_rows():
    model = fitted("Mu")
    rows, y = flowers()
    display = RuleCoverageDisplay.from_estimator(model, rows, y, "virginica")

    expected = rule_scores(model.explain()["virginica"], rows, y == "virginica")
    assert display.lines_[0] == expected
    terms = term_scores(model.explain()["virginica"], rows, y == "virginica")
    assert display.lines_[1:] == (terms if len(terms) > 1 else ())


def test_without_the_truth_the_networks_answers_count():
    model = fitted("Mu")
    rows, _ = flowers()
    display = RuleCoverageDisplay.from_estimator(model, rows, target="setosa")

    assert display.scores.prevalence == (model.predict(rows) == "setosa").mean()


def test_rules_alone_are_drawn_by_models_and_columns_by_place():
    rows, y = bits()
    named = {f"it's {j}": column for j, column in enumerate(rows.T)}
    model = learnt(named, y)
    by_place, by_name = (RuleCoverageDisplay.from_estimator(model, x, y) for x in (rows, named))

    assert by_place.scores == by_name.scores


def test_tables_of_outputs_are_drawn():
    rows, _ = bits()
    table = rows[:, [3, 5]].astype(int)
    model = learnt(rows, table)
    display = RuleCoverageDisplay.from_estimator(model, rows, table, "y0")

    assert display.scores.prevalence == table[:, 0].mean()
