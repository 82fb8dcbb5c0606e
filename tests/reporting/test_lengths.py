from __future__ import annotations

import json

import numpy as np
import pytest

from logiclens.explain import Step
from logiclens.explain.front import Front, Point
from logiclens.explain.rule import RuleKind
from logiclens.logic import Var
from logiclens.reporting import _report as gathering
from logiclens.reporting._about_rules import LEFT_OUT
from logiclens.reporting._page import front_picture
from logiclens.reporting._report import gather_facts
from tests.reporting.evaluator import concept_truth, tree_holds

A, B = Var("a"), Var("b")


def test_each_length_is_scored_on_the_rows_of_the_report(iris):
    facts = gather_facts(iris.model, iris.X, iris.y)
    front = iris.model.front_

    assert facts.n_lengths == len(facts.lengths) == len(front) > 1
    assert facts.lengths_on == "rows held out"
    for length, point in zip(facts.lengths, front, strict=True):
        rules = front.rule_set(point)
        predicted = rules.predict(iris.X)
        assert length.literals == point.literals
        assert length.accuracy.value == pytest.approx((predicted == iris.y).mean())
        assert length.accuracy.low < length.accuracy.value <= length.accuracy.high
        assert length.fidelity == pytest.approx((predicted == iris.model.predict(iris.X)).mean())
        steps = [*length.steps, length.default]
        lines = [step.logic for step in steps]
        assert "\n".join(lines) == rules.format("unicode")
        sentences = [step.sentence for step in steps]
        assert "\n".join(sentences) == rules.to_sentence()
        assert sum(step.n_right for step in steps) == (predicted == iris.y).sum()
        assert [step.n for step in steps] == [
            *rules.coverage_counts(iris.X).by_label.values(),
            rules.coverage_counts(iris.X).n_uncovered,
        ]
    assert [length.chosen for length in facts.lengths].index(True) == front.chosen


def test_the_facts_of_a_length_predict_as_it_does(iris):
    facts = json.loads(gather_facts(iris.model, iris.X, iris.y).to_json())
    front = iris.model.front_

    for length, point in zip(facts["lengths"], front, strict=True):
        found = []
        for row in iris.X.to_dict("records"):
            truth = concept_truth(facts, row)
            true = [step["rule"] for step in length["steps"] if tree_holds(step["tree"], truth)]
            found.append(facts["rules"][[*true, length["default"]["rule"]][0]]["label"])
        assert found == front.rule_set(point).predict(iris.X).tolist()


def test_without_rows_the_scores_of_the_fit_are_shown(iris):
    facts = gather_facts(iris.model)

    assert facts.lengths_on == LEFT_OUT
    for length, point in zip(facts.lengths, iris.model.front_, strict=True):
        assert (length.accuracy.value, length.fidelity) == (point.accuracy, point.fidelity)
        assert (length.accuracy.low, length.accuracy.high) == point.interval
        assert {step.n for step in length.steps} <= {None}


def test_several_labels_are_right_together(several):
    facts = gather_facts(several.model, several.X, several.y)

    for length, point in zip(facts.lengths, several.model.front_, strict=True):
        rules = several.model.front_.rule_set(point)
        assert length.accuracy.value == pytest.approx(rules.score(several.X, several.y))
        assert length.default is None


def test_lengths_that_are_not_listed_are_drawn(iris, monkeypatch):
    front = iris.model.front_
    monkeypatch.setattr(gathering, "shown_points", lambda front, *_: (0, front.chosen))
    facts = gather_facts(iris.model, iris.X, iris.y)

    assert len(facts.lengths) == 2 < facts.n_lengths == len(facts.curve)
    assert [each.literals for each in facts.curve] == [point.literals for point in front]
    picture = front_picture(*(json.loads(facts.to_json())[name] for name in ("lengths", "compared", "curve")))
    assert [len(line.points) for line in picture.lines] == [2, 2]
    assert [line.path.count(",") for line in picture.lines] == [len(front)] * 2
    assert [level.name for level in picture.others] == ["network", "guess"]


def test_rules_alone_have_no_lengths(iris):
    facts = gather_facts(iris.model.explain(), iris.X, iris.y)

    assert (facts.lengths, facts.n_lengths, facts.curve) == ((), 0, ())


def test_sufficient_conditions_are_a_rule_a_line():
    points = Point((), "no"), Point((Step("yes", A),), "no"), Point((Step("yes", A & B),), "no")
    front = Front(points, ("no", "yes"), ("a", "b"), RuleKind.ONLY_IF, chosen=1)
    facts = gather_facts(front, [[1, 1], [1, 0], [0, 0]], ["yes", "no", "no"])

    assert [[step.logic for step in length.steps] for length in facts.lengths] == [
        [],
        ["∀x: a(x) → yes(x)"],
        ["∀x: (a(x) ∧ b(x)) → yes(x)"],
    ]
    np.testing.assert_allclose([length.accuracy.value for length in facts.lengths], [2 / 3, 2 / 3, 1])
