"""Other models beside the rules, the lead over a guess, and rules of resamples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from logiclens.errors import InputError
from logiclens.estimators.stability import Stability
from logiclens.logic import Var
from logiclens.metrics.paired import Lead
from logiclens.reporting import report
from logiclens.reporting._facts import Rate
from logiclens.reporting._report import gather_facts
from logiclens.reporting._subject import label_rows, subject_of


def test_rules_stand_beside_the_network_a_guess_and_whatever_is_passed(iris):
    given = [("tree", "a <b> tree", 0.9, 0.8, 0.95), ("mine", "my own", 0.5, None, None)]
    made = report(iris.model, iris.X, iris.y, comparison=given)
    found = {each.name: (each.title, each.accuracy.value) for each in made.facts.compared}

    assert [*found] == ["rules", "network", "tree", "mine", "guess"]
    assert found["rules"][1] == pytest.approx(made.facts.overall.rules_accuracy)
    assert found["network"][1] == pytest.approx(made.facts.overall.network_accuracy)
    assert found["guess"][1] == pytest.approx(made.facts.overall.baseline)
    assert "a &lt;b&gt; tree" in made.html
    assert made.facts.compared[2].accuracy == Rate(0.9, 0.8, 0.95)
    assert gather_facts(iris.model, iris.X, comparison=given).compared == ()  # no truth to compare with


def test_a_comparison_and_a_stability_are_shown_as_they_come(iris):
    other = iris.model.compare(iris.X, iris.y, iris.X, iris.y)
    stable = iris.model.stability(iris.X, iris.y, n_resamples=2)
    found = gather_facts(iris.model, iris.X, iris.y, comparison=other, stability=stable)

    assert [each.name for each in found.compared] == ["rules", "network", "tree", "boosting", "guess"]
    for each in found.compared:
        rate, interval = other.accuracy(each.name)
        assert (each.accuracy.value, each.accuracy.low) == pytest.approx((rate, interval[0]), abs=1e-4)
    assert found.stability.n_resamples == 2
    assert any(concept.returns is not None for concept in found.concepts)


@pytest.mark.parametrize(
    "given", [[("tree", 0.9)], [("a", "b", 2.0, None, None)], [("a", "b", 0.5, -1, 0.6)], ["x"]]
)
def test_what_is_no_comparison_is_refused(iris, given: Any):
    with pytest.raises(InputError, match="comparison must be a sequence"):
        report(iris.model, comparison=given)


def test_the_lead_over_a_guess_is_tested_on_rows_held_out_and_cross_fitted(iris):
    front = replace(iris.model.front_, lead=Lead(100, 60, 10))
    own, more = (gather_facts(each, iris.X, iris.y).overall.lead for each in (iris.model.explain(), front))

    assert own.claimed
    assert more.p_value < own.p_value < 0.05
    assert own.size == pytest.approx(iris.model.explain().score(iris.X, iris.y) - 25 / 75)


def test_conditions_return_in_a_share_of_the_resamples(iris):
    rules = iris.model.explain()
    name = rules.concepts[0]
    stable = Stability(10, {~Var(name): 0.7, Var("gone"): 1.0}, 0.9)
    made = report(iris.model, iris.X, iris.y, stability=stable)

    assert (made.facts.stability.n_resamples, made.facts.stability.agreement) == (10, 0.9)
    assert {each.returns for each in made.facts.concepts if each.name == name} == {0.7}
    assert ">7/10<" in made.html
    assert ">7/10<" not in report(iris.model, iris.X, iris.y).html


def test_a_black_box_is_judged_on_the_rows_whose_truth_is_known(boxed):
    rows = label_rows(subject_of(boxed.model), boxed.X)
    truth = np.array([str(value) for value in boxed.y], dtype=object)
    known = np.arange(len(truth)) % 3 > 0
    truth[~known] = ""
    found = gather_facts(boxed.model, rows.with_some_truth(truth)).overall

    right = boxed.y == boxed.model.explain().predict(boxed.X)
    assert (found.n, found.n_truth) == (len(truth), known.sum())
    assert found.rules_accuracy == pytest.approx(right[known].mean())
    assert found.black_box_accuracy == pytest.approx((boxed.model.ask(boxed.X) == boxed.y)[known].mean())
    assert found.baseline == pytest.approx(max(boxed.y[known].mean(), 1 - boxed.y[known].mean()))
    assert replace(rows, truth=None).with_known_truth().n_rows == len(truth)
