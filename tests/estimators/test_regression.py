"""The logistic regression of second opinions, against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from logiclens.estimators.regression import Regression

RANDOM = np.random.default_rng(0)
X = (RANDOM.random((900, 15)) < 0.5) * 1.0
Y = (RANDOM.random(900) < 1.0 / (1.0 + np.exp(-1.6 * (X - 0.5).sum(axis=1)))) * 1.0
WEIGHT = RANDOM.integers(1, 4, len(X)) * 1.0


@pytest.mark.parametrize("ridge", [1.0, 10.0])
@pytest.mark.parametrize("columns", [None, np.array([0, 3, 4, 14])], ids=["all", "few"])
def test_it_is_that_of_scikit_learn(ridge: float, columns: np.ndarray | None):
    read = np.arange(15) if columns is None else columns
    theirs = LogisticRegression(C=1.0 / ridge, tol=1e-10, max_iter=1000).fit(X[:, read], Y, WEIGHT)
    ours = Regression.of(X, Y, WEIGHT, ridge, columns)

    assert ours.weight[read] == pytest.approx(theirs.coef_[0], abs=1e-4)
    assert ours.bias == pytest.approx(theirs.intercept_[0], abs=1e-4)
    assert np.count_nonzero(ours.weight) == len(read)


def test_a_count_is_as_many_rows():
    twice = Regression.of(np.repeat(X, 2, axis=0), np.repeat(Y, 2), np.ones(2 * len(X)), 3.0)
    counted = Regression.of(X, Y, np.full(len(X), 2.0), 3.0)

    assert counted.logits(X) == pytest.approx(twice.logits(X), abs=1e-9)


def test_where_it_starts_does_not_matter():
    few, cold = np.arange(10), Regression.of(X, Y, WEIGHT, 3.0)
    far = Regression(np.linspace(-2.0, 2.0, 15), 1.0)

    for start in (cold, far, Regression.of(X[:700], Y[:700], WEIGHT[:700], 3.0)):
        warm = Regression.of(X, Y, WEIGHT, 3.0, start=start)
        assert warm.logits(X) == pytest.approx(cold.logits(X), abs=1e-4)
        narrow = Regression.of(X, Y, WEIGHT, 3.0, few, start)
        assert narrow.logits(X) == pytest.approx(Regression.of(X, Y, WEIGHT, 3.0, few).logits(X), abs=1e-4)


@pytest.mark.parametrize("count", [1.0, 1e4, 1e7])
def test_counts_of_any_size_leave_weights_that_only_the_penalty_decides(count: float):
    """Concepts and their complements: their weights are of the same size, with opposite signs."""
    both = np.column_stack([X[:, :4], 1.0 - X[:, :4]])
    found = Regression.of(both, Y, count * WEIGHT, 1.0)

    assert found.weight[:4] == pytest.approx(-found.weight[4:], abs=1e-3)
    assert np.abs(found.weight).max() < 2.0
