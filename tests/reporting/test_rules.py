from __future__ import annotations

from dataclasses import astuple
from itertools import pairwise

import numpy as np
import pytest

from logiclens.concepts import OneOf, Vocabulary
from logiclens.explain import Explanation, ExplanationSet, Rule, Scores, term_scores
from logiclens.logic import TRUE, Var, parse_formula
from logiclens.metrics import explanation_accuracy, fidelity, rule_scores
from logiclens.metrics.agreement import Total, share_of
from logiclens.reporting._about_rules import DETAILS, exports_of, rules_facts
from logiclens.reporting._facts import NO_RATE, Rate
from logiclens.reporting._report import gather_facts
from logiclens.reporting._subject import Subject, label_rows


def test_scores_are_those_of_the_metrics(iris):
    facts = gather_facts(iris.model, iris.X, iris.y)
    rules = iris.model.explain()
    accuracy = explanation_accuracy(rules, iris.X, iris.y)
    faithful = fidelity(rules, iris.X, iris.model.decide(iris.X))

    for found in facts.rules:
        expected = rule_scores(rules[found.label], iris.X, iris.y == found.label)
        assert found.scores.precision.value == pytest.approx(expected.precision)
        assert found.scores.recall.value == pytest.approx(expected.recall)
        assert found.scores.accuracy == pytest.approx(accuracy.by_target[found.label].macro_f1)
        assert found.scores.fidelity == pytest.approx(faithful.by_target[found.label].macro_f1)
        assert found.scores.fidelity_plain == pytest.approx(faithful.by_target[found.label].plain)
        assert found.scores.literals == rules[found.label].literals


def test_terms_are_scored_one_by_one(iris):
    facts = gather_facts(iris.model, iris.X, iris.y)

    for found in facts.rules:
        scores = term_scores(iris.model.explain()[found.label], iris.X, iris.y == found.label)
        assert [(term.logic, term.sentence, term.n) for term in found.terms] == [
            (score.format("unicode"), score.to_sentence(), score.covered) for score in scores
        ]
        for term, score in zip(found.terms, scores, strict=True):
            assert term.coverage.value == pytest.approx(score.coverage)
            assert term.precision.low == pytest.approx(score.precision_interval[0], abs=1e-4)


def test_texts_and_exports_are_the_explanations_own(iris):
    facts = gather_facts(iris.model, iris.X, iris.y)

    for found, explanation in zip(facts.rules, iris.model.explain().values(), strict=True):
        assert found.logic == explanation.rule.format("unicode")
        assert found.logic_ascii == str(explanation)
        assert found.sentence == explanation.to_sentence()
        assert (found.status, found.support) == (explanation.status, explanation.support)
        assert found.exports == exports_of(explanation)
        assert (found.exports.sql, found.exports.python) == (explanation.to_sql(), explanation.to_python())


def test_concepts_are_listed_by_how_much_they_matter(iris):
    facts = gather_facts(iris.model)

    for found in facts.rules:
        values = [one.value for one in found.relevance]
        assert values == sorted(values, reverse=True)
        assert values[0] == 1.0
        assert all(value > 0 for value in values)
    assert any("petal" in one.concept for one in facts.rules[0].relevance)


A, B = Var("a"), Var("b")


def test_without_rows_the_scores_of_the_fit_are_shown():
    scores = Scores("training", 80, precision=0.9, recall=0.8, coverage=0.3, accuracy=0.7, fidelity=0.6)
    rules = ExplanationSet([Explanation(Rule("yes", A & B), scores=scores)], ["a", "b"])

    found = gather_facts(rules).rules[0]

    assert (found.scores.n, found.scores.precision.value, found.scores.precision.low) == (80, 0.9, None)
    assert (found.scores.accuracy, found.scores.accuracy_plain, found.scores.fidelity_plain) == (
        None,
        0.7,
        0.6,
    )
    assert found.breaks.n_missed is None
    assert found.terms[0].n is None


def test_rows_without_answers_have_a_coverage_alone():
    rules = ExplanationSet([Explanation(Rule("yes", A | B))], ["a", "b"])

    found = gather_facts(rules, [[1, 0], [0, 0], [1, 1], [0, 0]]).rules[0]

    assert found.scores.coverage.value == 0.5
    assert found.scores.precision == NO_RATE
    assert [term.n for term in found.terms] == [2, 1]


def test_a_constant_has_no_terms_and_a_name_that_sql_cannot_carry_no_sql():
    words = Vocabulary(("a\0",), (OneOf("a\0", ("x",)),))
    rules = ExplanationSet(
        [Explanation(Rule("yes", TRUE)), Explanation(Rule("no", Var(words.names[0])))],
        words.names,
        vocabulary=words,
    )

    yes, no = gather_facts(rules).rules

    assert (yes.terms, yes.n_terms) == ((), 0)
    assert no.exports.sql is None
    assert no.exports.python is not None


def test_less_detail_lists_less_and_says_how_much_there_is():
    formula = parse_formula(" | ".join(f"(a{j} & b{j})" for j in range(9)))
    names = formula.concepts
    X = np.random.default_rng(0).random((60, len(names))) < 0.4
    rules = ExplanationSet([Explanation(Rule(1, formula)), Explanation(Rule(0, Var("a0")))], names)
    rows = label_rows(Subject(rules), X, np.arange(60) % 2, rules.formulas.values())
    places = {name: at for at, name in enumerate(names)}

    for detail in DETAILS:
        found = rules_facts(Subject(rules), places, rows, detail)[0]
        assert len(found.terms) == min(detail.terms, 9)
        assert found.n_terms == 9
        assert len(found.breaks.patterns) <= 2 * detail.patterns
        assert (found.exports.sql is None) == (not detail.exports)


def test_each_detail_lists_less_of_something_and_more_of_nothing():
    for more, less in pairwise(map(astuple, DETAILS)):
        assert all(one >= other for one, other in zip(more, less, strict=True))
        assert more != less


def test_of_nothing_there_is_no_share():
    assert Rate.of(*share_of(0, Total(0, 0))) == NO_RATE
