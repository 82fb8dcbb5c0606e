from __future__ import annotations

import numpy as np
import pytest

from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import Var
from logiclens.metrics import explanation_accuracy, fidelity
from logiclens.reporting._facts import Mistake
from logiclens.reporting._report import gather_facts


def test_figures_are_those_of_the_metrics(iris):
    found = gather_facts(iris.model, iris.X, iris.y).overall
    rules = iris.model.explain()
    accuracy, faithful = (
        explanation_accuracy(rules, iris.X, iris.y),
        fidelity(rules, iris.X, iris.model.decide(iris.X)),
    )
    counts = rules.coverage_counts(iris.X)

    assert (found.part, found.n, found.against, found.faithful_to) == (
        "rows held out",
        75,
        "the truth",
        "the network",
    )
    assert found.network_accuracy == pytest.approx(iris.model.score(iris.X, iris.y))
    assert found.rules_accuracy == pytest.approx(rules.score(iris.X, iris.y))
    assert (found.fidelity, found.fidelity_plain) == pytest.approx((faithful.macro_f1, faithful.plain))
    assert found.joint_fidelity == pytest.approx((rules.predict(iris.X) == iris.model.predict(iris.X)).mean())
    assert (found.explanation_accuracy, found.explanation_accuracy_plain) == pytest.approx(
        (accuracy.macro_f1, accuracy.plain)
    )
    assert found.literals == rules.complexity
    assert found.n_uncovered == counts.n_uncovered
    assert found.black_box_accuracy is None
    assert found.baseline == pytest.approx(np.unique(iris.y, return_counts=True)[1].max() / 75)


def test_the_table_counts_what_the_rules_take_for_what(iris):
    found = gather_facts(iris.model, iris.X, iris.y).overall
    predicted = iris.model.explain().predict(iris.X)

    table = np.array(found.confusion.counts)

    for at, truth in enumerate(found.confusion.labels):
        for other, label in enumerate(found.confusion.labels):
            assert table[at, other] == ((iris.y == truth) & (predicted == label)).sum()
    assert sum(mistake.n for mistake in found.mistakes) == table.sum() - np.trace(table)


def test_a_black_box_is_judged_beside_its_rules(boxed):
    found = gather_facts(boxed.model, boxed.X, boxed.y).overall

    assert (found.against, found.faithful_to) == ("the black box", "the black box")
    assert found.black_box_accuracy == pytest.approx((boxed.model.ask(boxed.X) == boxed.y).mean())
    assert found.rules_accuracy == pytest.approx(boxed.model.explain().score(boxed.X, boxed.y))
    assert found.fidelity == pytest.approx(
        fidelity(boxed.model.explain(), boxed.X, boxed.model.ask(boxed.X)).macro_f1
    )


def test_without_rows_a_black_box_is_judged_as_when_it_was_fitted(boxed):
    found, stored = gather_facts(boxed.model).overall, boxed.model.fidelity_

    assert (found.part, found.n, found.faithful_to) == ("rows held out", stored.n_rows, "the black box")
    assert (found.fidelity, found.fidelity_plain) == (stored.macro_f1, stored.plain)
    assert found.joint_fidelity == stored.rules_agree


def test_without_rows_the_scores_of_the_fit_are_averaged(iris):
    found = gather_facts(iris.model).overall
    scores = [explanation.scores for explanation in iris.model.explain().values()]

    assert found.part == f"{scores[0].part} rows"
    assert found.fidelity_plain == pytest.approx(np.mean([score.fidelity for score in scores]))
    assert found.explanation_accuracy_plain == pytest.approx(np.mean([score.accuracy for score in scores]))
    assert (found.fidelity, found.rules_accuracy, found.n_uncovered, found.confusion) == (None,) * 4


def test_several_labels_are_right_together(several):
    found = gather_facts(several.model, several.X, several.y).overall
    rules = several.model.explain()

    assert found.rules_accuracy == pytest.approx(rules.score(several.X, several.y))
    assert found.network_accuracy == pytest.approx(
        (several.model.predict(several.X) == several.y).all(axis=1).mean()
    )
    assert (found.confusion, found.mistakes) == (None, ())
    assert found.n_uncovered == rules.coverage_counts(several.X).n_uncovered


def test_clusters_have_no_truth(clusters):
    found = gather_facts(clusters.model, clusters.X).overall

    assert (found.against, found.rules_accuracy, found.explanation_accuracy) == ("the clusters", None, None)
    assert found.baseline is None
    assert found.fidelity is not None


def test_of_many_labels_the_most_frequent_mistakes_are_listed():
    labels = [f"c{j}" for j in range(50)]
    rules = ExplanationSet(
        [Explanation(Rule(label, Var("a") if label == "c7" else Var("b"))) for label in labels],
        ["a", "b"],
        default="c7",
    )

    found = gather_facts(rules, [[0, 0]] * 5, ["c3", "c3", "c4", "c7", "unheard of"]).overall

    assert found.confusion is None
    assert found.mistakes[0] == Mistake("c3", "c7", 2)
    assert Mistake("unheard of", "c7", 1) in found.mistakes
    assert found.rules_accuracy == 0.2
