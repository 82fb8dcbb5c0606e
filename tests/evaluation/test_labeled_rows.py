"""Rows in memory: the rules are evaluated on them as they predict elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError
from logiclens.evaluation import evaluate
from logiclens.evaluation._evaluate import RowLabels, read_rows, with_truth
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import Var
from logiclens.logic.arrays import unpack
from logiclens.metrics import explanation_accuracy, rule_scores
from tests.explain.strategies import explanation_sets

drawn_rows = given(explanation_sets(), st.integers(1, 130), st.integers(0, 2**32 - 1))


def labels_for(rules: ExplanationSet, n_rows: int, random: np.random.Generator) -> np.ndarray:
    if rules.multi_label:
        return random.random((n_rows, len(rules))) < 0.5
    return np.array(rules.labels, dtype=object)[random.integers(len(rules), size=n_rows)]


@drawn_rows
def test_rules_predict_as_they_do_elsewhere(rules: ExplanationSet, n_rows, seed):
    X = np.random.default_rng(seed).random((n_rows, len(rules.concept_names)))
    rows = read_rows(rules, X)
    fired = np.column_stack([unpack(rows.fired(formula), n_rows) for formula in rules.formulas.values()])

    assert np.array_equal(fired, rules.fired(X))
    assert rows.fired(~rules.explanations[0].formula)[-1] >> np.uint64((n_rows - 1) % 64) <= 1
    assert rows.resolution == rules.coverage_counts(X)
    assert rows.n_conflicts == (fired.sum(axis=1) > 1).sum()
    if not rules.multi_label:
        assert [rules.labels[at] for at in rows.predicted.codes] == rules.predict(X).tolist()


@drawn_rows
def test_figures_are_those_of_the_metrics(rules: ExplanationSet, n_rows, seed):
    random = np.random.default_rng(seed)
    X = random.random((n_rows, len(rules.concept_names)))
    y = labels_for(rules, n_rows, random)
    found = evaluate(rules, X, y)

    assert found.accuracy == pytest.approx(rules.score(X, y))
    for at, (label, scores) in enumerate(found.by_label.items()):
        truth = y[:, at] if rules.multi_label else y == label
        fired = rules.fired(X)[:, at]
        given = rules.predict(X) == label if rules.is_list else fired
        rates = rule_scores(Var("given"), {"given": given}, truth)
        for name, value in vars(rates).items():
            assert getattr(scores.rates, name) == pytest.approx(value, nan_ok=True)
        assert scores.plain == pytest.approx((fired == truth).mean())
        assert scores.agreement == pytest.approx((given == truth).mean())
    if rules.multi_label:
        agreement = explanation_accuracy(rules.formulas, X, y, names=rules.concept_names)
        assert found.explanation_accuracy == pytest.approx(agreement.macro_f1)


@drawn_rows
def test_a_row_may_stand_for_several(rules: ExplanationSet, n_rows, seed):
    random = np.random.default_rng(seed)
    X = random.random((n_rows, len(rules.concept_names)))
    y, counts = labels_for(rules, n_rows, random), random.integers(1, 4, size=n_rows)
    rows = replace(with_truth(read_rows(rules, X), y), counts=counts.astype(float))
    found, expected = rows.evaluate(rows.truth), evaluate(rules, X.repeat(counts, 0), y.repeat(counts, 0))

    assert str(found) == str(expected)
    assert np.array_equal(found.confusion, expected.confusion)
    assert found.n_conflicts == expected.n_conflicts


def test_labels_without_a_rule_are_kept_apart():
    truth = RowLabels.of("the truth", np.array(["x", "other", "other"]), ["x", "y"])
    rules = ExplanationSet([Explanation(Rule(label, Var("a"))) for label in "xy"], ["a"])

    assert truth.codes.tolist() == [0, 2, 2]
    assert truth.others == ("other",)
    assert evaluate(rules, [[1], [1], [0]], ["x", "other", "other"]).accuracy == pytest.approx(1 / 3)


def test_without_rows_there_is_nothing_to_evaluate():
    rules = ExplanationSet([Explanation(Rule("x", Var("a")))], ["a"])

    with pytest.raises(InputError, match="A score needs at least one row of data"):
        evaluate(rules, np.zeros((0, 1)), [])


@drawn_rows
def test_steps_are_right_about_the_rows_that_they_decide(rules: ExplanationSet, n_rows, seed):
    random = np.random.default_rng(seed)
    X = random.random((n_rows, len(rules.concept_names)))
    y = labels_for(rules, n_rows, random)
    found = evaluate(rules, X, y).steps

    if not rules.is_list:
        assert found == ()
        return
    place = rules.decided_by(X)
    labels = [*(step.label for step in rules.steps), rules.default]
    for at, (label, step) in enumerate(zip(labels, found, strict=True)):
        decided = place == at
        assert (step.label, step.n_rows, step.n_right) == (label, decided.sum(), (y[decided] == label).sum())
