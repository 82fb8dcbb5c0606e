from __future__ import annotations

import json

import numpy as np
import pandas as pd

from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.explain.front import Front, Point
from logiclens.logic import And, Or, Var
from logiclens.logic.normal_form import disjuncts
from logiclens.reporting import Source
from logiclens.reporting import _report as gathering
from logiclens.reporting._report import gather_facts
from tests.reporting.evaluator import predicted


def test_a_classifier_is_reported_on_and_its_facts_predict_as_it_does(iris):
    facts = gather_facts(iris.model, iris.X, pd.Series(iris.y, name="species", index=iris.X.index))

    assert (facts.title, facts.question) == ("What decides species?", "What decides species?")
    assert (facts.target, facts.task, facts.kind) == ("species", "classify", "iff")
    assert facts.kind_words == ""
    assert facts.policy.default.label in iris.model.classes_
    assert facts.left_out == ""
    written = json.loads(facts.to_json())
    rows = iris.X.to_dict("records")
    assert [predicted(written, row) for row in rows] == iris.model.explain().predict(iris.X).tolist()


def test_a_title_and_a_target_may_be_given(iris):
    facts = gather_facts(iris.model, title="Flowers", target="kind of flower")

    assert (facts.title, facts.question) == ("Flowers", "What decides kind of flower?")


def test_clusters_and_black_boxes_say_what_they_are(clusters, boxed, several):
    cluster, box, many = (gather_facts(one.model, one.X) for one in (clusters, boxed, several))

    assert (cluster.task, cluster.kind, cluster.target) == ("cluster", "cluster", "the cluster")
    assert (box.task, box.rules[0].label) == ("black box", "False")
    assert (many.policy.multi_label, many.policy.default) == (True, None)


def test_a_source_may_say_what_rules_are_for(iris):
    facts = gather_facts(iris.model, iris.X, iris.y, source=Source(task="black box"))

    assert (facts.task, facts.overall.faithful_to) == ("black box", "the black box")


def large_rules(n_labels: int, n_terms: int) -> ExplanationSet:
    """Long rules over many concepts with long names."""
    rng = np.random.default_rng(0)
    names = [f"has_wing_color::attribute {j}" for j in range(112)]
    explanations = []
    for at in range(n_labels):
        terms = [
            And.of(
                [Var(names[j]) if rng.random() < 0.4 else ~Var(names[j]) for j in rng.choice(112, 4, False)]
            )
            for _ in range(n_terms)
        ]
        explanations.append(Explanation(Rule(f"{at:03}.Black_footed_Albatross", Or.of(terms))))
    return ExplanationSet(explanations, names)


def of_lengths(rules: ExplanationSet, n_points: int) -> Front:
    """Rules of several lengths, the longest of which are those given."""
    points = []
    for n in range(1, n_points):
        steps = [Step(step.label, Or.of(disjuncts(step.formula)[:n])) for step in rules.steps]
        points.append(Point(tuple(steps), rules.default))
    points.append(Point(rules.steps, rules.default, formulas=tuple(rules.formulas.values())))
    return Front(tuple(points), rules.labels, rules.concept_names, chosen=n_points - 1)


def test_facts_of_many_long_rules_stay_small(monkeypatch):
    """Two hundred rules in a page that can be sent around: here, sixty in two fifths of the room."""
    monkeypatch.setattr(gathering, "MOST_CHARACTERS", 2 * gathering.MOST_CHARACTERS // 5)
    rules = large_rules(60, 3)
    X = np.random.default_rng(1).random((100, 112)) < 0.3
    y = [rules.labels[at % 60] for at in range(100)]

    facts = gather_facts(of_lengths(rules, 3), X, y)

    assert len(facts.to_json()) < gathering.MOST_CHARACTERS
    assert facts.left_out == (
        "To keep the page small, shorter lists are shown of each rule, and no SQL, Python or LaTeX: "
        "logiclens export writes them."
    )
    written = json.loads(facts.to_json())
    assert (written["n_lengths"], len(written["lengths"])) == (3, 0)
    rows = [dict(zip(rules.concept_names, row, strict=True)) for row in X.tolist()]
    assert [predicted(written, row) for row in rows] == rules.predict(X).tolist()


def test_only_as_much_is_left_out_as_has_to_be(monkeypatch):
    rules = of_lengths(large_rules(4, 6), 6)
    full = gather_facts(rules)
    monkeypatch.setattr(gathering, "MOST_CHARACTERS", len(full.to_json()) - 1)

    less = gather_facts(rules)

    assert len(full.lengths) == 6
    assert less.left_out == "To keep the page small, shorter lists are shown of each rule."
    assert less.rules[0].exports == full.rules[0].exports
    assert less.data == full.data
