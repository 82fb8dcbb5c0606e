"""Second opinions: a regression whose say about unseen rows is known, heard where that gains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

import logiclens.estimators.second_opinion as module
from logiclens.estimators import EntropyClassifier, MuClassifier, ReluClassifier
from logiclens.estimators.asking import ask
from logiclens.estimators.second_opinion import Regression, best_margin, second_opinion
from logiclens.loading import load
from logiclens.scale.streaming.training import narrowed, read_columns

NAMES = [f"c{at}" for at in range(15)]


def added_up(n: int = 900, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two concepts decide, unless thirteen others outweigh them together: no short formula says when."""
    random = np.random.default_rng(seed)
    x = (random.random((n, 15)) < 0.5) * 1.0
    logit = 4.0 * (2.0 * x[:, 0] * x[:, 1] - 1.0) + 1.6 * (x[:, 2:] - 0.5).sum(axis=1)
    return x, (random.random(n) < 1.0 / (1.0 + np.exp(-logit))) * 1.0


X, Y = added_up()
TABLE = dict(zip(NAMES, X.T, strict=True))


@pytest.fixture(scope="module")
def model() -> MuClassifier:
    return MuClassifier(random_state=0, encoder=None).fit(TABLE, Y.astype(int))


# The regression


@pytest.mark.parametrize("ridge", [1.0, 10.0])
def test_the_regression_is_that_of_scikit_learn(ridge: float):
    weight = np.random.default_rng(1).integers(1, 4, len(X)) * 1.0
    theirs = LogisticRegression(C=1.0 / ridge, tol=1e-10, max_iter=1000).fit(X, Y, weight)
    ours = Regression.of(X, Y, weight, ridge)

    assert ours.weight == pytest.approx(np.append(theirs.coef_[0], theirs.intercept_), abs=1e-4)


def test_what_it_says_about_a_row_that_it_has_not_seen():
    x, y = X[:80, :6], Y[:80]
    ours = Regression.of(x, y, np.ones(80), 3.0)
    others = [np.arange(80) != at for at in range(80)]
    weights = [Regression.of(x[kept], y[kept], np.ones(79), 3.0).weight for kept in others]
    exact = np.array([np.append(row, 1.0) @ found for row, found in zip(x, weights, strict=True)])
    seen = x @ ours.weight[:-1] + ours.weight[-1]

    assert np.abs(ours.unseen - exact).max() < 0.1 * np.abs(seen - exact).max()


def test_a_count_is_as_many_rows():
    """Leaving one out leaves the others in."""
    twice = Regression.of(np.repeat(X, 2, axis=0), np.repeat(Y, 2), np.ones(2 * len(X)), 3.0)
    counted = Regression.of(X, Y, np.full(len(X), 2.0), 3.0)

    assert counted.unseen == pytest.approx(twice.unseen[::2], abs=1e-6)
    assert counted.loss == pytest.approx(twice.loss, abs=1e-9)


# The margin


@given(seed=st.integers(0, 10_000), least=st.sampled_from([0.7, 0.9, 0.98]), ties=st.booleans())
def test_of_all_margins_the_one_that_gains_most_is_taken(seed: int, least: float, ties: bool):
    random = np.random.default_rng(seed)
    truth = (random.random(60) < 0.4) * 1.0
    rules = np.stack([truth, truth]).astype(bool) ^ (random.random((2, 60)) < 0.15)
    said = rules[0] ^ (random.random(60) < 0.02)
    logit = np.where(truth > 0.5, 1.0, -1.0) * random.normal(1.0, 1.2, 60)
    logit = np.round(logit) if ties else logit
    weight = random.integers(1, 4, 60) * 1.0
    best = -np.inf
    for margin in [module.SURE, *(size for size in np.abs(logit) if size > module.SURE)]:
        moved = (np.abs(logit) > margin) & ((logit > 0) != said)
        now = np.where(moved, logit > 0, said)
        gain = weight @ ((now == truth) * 1.0 - (said == truth))
        agrees = np.mean([f1_score(now, rule, average="macro", sample_weight=weight) for rule in rules])
        if moved.any() and agrees >= least and gain > module.STANDARD_ERRORS * np.sqrt(weight[moved].sum()):
            best = max(best, gain)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LEAST_FIDELITY", least)
        found = best_margin(logit, truth, weight, said, rules)

    if best == -np.inf:
        assert found is None
    else:
        assert found is not None
        now = np.where((np.abs(logit) > found) & ((logit > 0) != said), logit > 0, said)
        assert weight @ ((now == truth) * 1.0 - (said == truth)) == best


def test_it_is_not_heard_where_it_is_right_as_often_as_wrong():
    truth = np.tile([1.0, 0.0], 50)
    said = np.repeat([True, False], 50)
    logit = np.where(said, -3.0, 3.0)

    assert best_margin(logit, truth, np.ones(100), said, said[None]) is None


# One output


def test_it_reads_what_the_network_reads_and_a_few_more():
    kept, said = np.array([13, 14]), X[:, 0] * X[:, 1] > 0.5
    found = second_opinion(X, Y, np.ones(len(X)), kept, said, said[None], 12)

    assert found is not None
    read = np.flatnonzero(found.weight)
    assert {0, 1, 13, 14} < {*read.tolist()}  # the first two weigh most
    assert len(read) == 12


def test_of_very_many_concepts_those_are_weighed_that_go_with_the_target(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_CONCEPTS", 8)
    wide = np.hstack([np.random.default_rng(5).random((len(X), 40)), X])
    kept, said = np.array([54]), X[:, 14] > 0.5
    found = second_opinion(wide, Y, np.ones(len(X)), kept, said, said[None], 6)

    assert found is not None
    assert (np.flatnonzero(found.weight) >= 40).all()


def test_of_very_many_rows_some_stand_for_all(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_ROWS", 100)
    counts = np.random.default_rng(0).integers(0, 5, 1000) * 1.0
    drawn = module._drawn(counts)

    assert (drawn > 0).sum() <= 100
    assert drawn.sum() == pytest.approx(counts.sum())
    assert (counts[drawn > 0] > 0).all()
    assert module._drawn(counts[:100]) is not None
    assert (module._drawn(counts[:100]) == counts[:100]).all()


# Classifiers


@pytest.mark.parametrize("classifier", [MuClassifier, EntropyClassifier])
def test_a_network_that_hears_one_is_right_more_often(classifier: type):
    fitted = classifier(random_state=0, encoder=None).fit(TABLE, Y.astype(int))
    x, y = added_up(4000, seed=1)

    assert fitted.network_.opinion is not None
    own, heard = ask(fitted.network_.alone(), x)[:, 0] > 0, ask(fitted.network_, x)[:, 0] > 0
    assert (heard == y).mean() > (own == y).mean()
    assert (heard != own).mean() < 0.05  # not everywhere


def test_rules_are_those_of_the_network_alone(model: MuClassifier):
    again = model.explain(TABLE, Y.astype(int))

    assert again.formulas == model.explanations_.formulas
    for label, rule in model.explanations_.items():
        said = model.predict(TABLE) == label
        agreement = (rule.formula.evaluate(X, NAMES) == said).mean()
        assert rule.scores is not None
        assert rule.scores.fidelity == pytest.approx(agreement)
        assert rule.support == said.sum()


def test_rows_that_it_decides_about_are_explained_with_its_concepts(model: MuClassifier):
    moved = np.flatnonzero((ask(model.network_.alone(), X) > 0)[:, 0] != (ask(model.network_, X) > 0)[:, 0])
    own = {NAMES[at] for at in np.flatnonzero(model.network_.kept()[0].numpy())}
    explained = [model.explain_sample(X[[at]]) for at in moved]

    assert len(moved)
    assert {each.status for each in explained} == {"sufficient on the data"}
    assert any(not {*each.concepts} <= own for each in explained)
    for at, each in zip(moved, explained, strict=True):
        alike = each.formula.evaluate(X, NAMES)
        assert (model.predict(X[alike]) == model.predict(X[[at]])).all()


@pytest.mark.parametrize(
    "settings", [{"settle": False}, {"aggregation": "paper", "settle": False}, {"rule": "only_if"}]
)
def test_networks_that_do_not_settle_hear_none(settings: dict[str, Any]):
    fitted = MuClassifier(random_state=0, encoder=None, epochs=60, restarts=1, **settings)
    assert fitted.fit(TABLE, Y.astype(int)).network_.opinion is None


def test_networks_that_read_all_concepts_hear_none():
    fitted = ReluClassifier(random_state=0, encoder=None, epochs=60, restarts=1).fit(TABLE, Y.astype(int))
    assert fitted.network_.opinion is None


def test_priors_are_not_overruled():
    labels = np.where(Y > 0.5, "yes", "no")
    fitted = MuClassifier(random_state=0, encoder=None).fit(TABLE, labels, priors="(c0 & c1) -> yes")
    assert fitted.network_.opinion is None


def test_of_several_classes_none_is_heard():
    fitted = MuClassifier(random_state=0, encoder=None, epochs=60).fit(TABLE, Y + X[:, 0] * X[:, 1])
    assert fitted.network_.members == 3
    assert fitted.network_.opinion is None


def test_of_several_outputs_each_has_its_own():
    y = np.column_stack([Y, X[:, 0] * X[:, 1]])
    fitted = MuClassifier(random_state=0, encoder=None).fit(TABLE, y)

    assert fitted.network_.opinion is not None
    assert fitted.network_.opinion[0].any()
    assert not fitted.network_.opinion[1].any()  # a rule that is right has nothing to gain


def test_no_more_concepts_than_were_asked_for(model: MuClassifier):
    few = MuClassifier(random_state=0, encoder=None, max_concepts=4).fit(TABLE, Y.astype(int))

    assert few.network_.read().sum() <= 4
    assert 6 < model.network_.read().sum() <= 14


def test_it_is_saved(model: MuClassifier, tmp_path: Path):
    model.save(tmp_path / "model.len")
    again = load(tmp_path / "model.len")

    assert (again.predict_proba(TABLE) == model.predict_proba(TABLE)).all()
    assert again.network_.opinion is not None
    sample = again.explain_sample(X[:1])  # from all combinations of what is read
    assert sample.formula.evaluate(X[:1], NAMES).all()


@torch.no_grad()
def test_a_stream_reads_its_columns(model: MuClassifier):
    columns = read_columns(model.network_)
    few = narrowed(model.network_, columns)

    assert columns.tolist() == np.flatnonzero(model.network_.read()[0].numpy()).tolist()
    assert ask(few, X[:, columns]) == pytest.approx(ask(model.network_, X))
