from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from logiclens.evaluation._evaluate import label_scores, mean_f1
from logiclens.logic import Var
from logiclens.metrics import explanation_accuracy, macro_f1, rule_scores
from logiclens.metrics.agreement import Total, share_of
from tests.strategies import labelled_rows


def sum_of(weight: np.ndarray) -> Total:
    return Total(float(weight.sum()), float((weight**2).sum()))


@given(labelled_rows(names_from=None))
def test_scores_from_sums_are_those_from_rows(drawn):
    X, y, weight, _ = drawn
    fired = X[:, 0]
    found = label_scores(
        sum_of(weight), sum_of(weight[y]), sum_of(weight[fired]), float(weight[y & fired].sum())
    )
    rates = rule_scores(Var("a"), {"a": fired}, y, sample_weight=weight)
    agreement = explanation_accuracy({1: Var("a")}, {"a": fired}, y.astype(int), sample_weight=weight)

    assert found.macro_f1 == pytest.approx(macro_f1(y, fired, weight))
    assert found.plain == pytest.approx(agreement.plain)
    assert found.support == weight[y].sum()
    for name in ("precision", "recall", "coverage", "prevalence", "lift", "n", "covered"):
        assert getattr(found.rates, name) == pytest.approx(getattr(rates, name), nan_ok=True)
    for name in ("precision", "recall", "coverage", "prevalence"):
        assert getattr(found.rates, f"{name}_interval") == pytest.approx(getattr(rates, f"{name}_interval"))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_the_mean_of_f1_is_that_of_scikit_learn(pairs):
    true, said = np.array(pairs).T
    labels = np.arange(4)[:, None]
    right = ((true == said) & (true == labels)).sum(axis=1)
    found = mean_f1(right.astype(float), (true == labels).sum(axis=1), (said == labels).sum(axis=1))

    assert found == pytest.approx(f1_score(true, said, average="macro", zero_division=0))


def test_a_share_of_nothing():
    rate, interval = share_of(0.0, Total(0, 0))

    assert np.isnan(rate)
    assert interval == (0.0, 1.0)


def test_a_share_of_large_weights():
    """Squares of weights are not squared once more."""
    rate, (low, high) = share_of(1e149, Total(2e149, 2e298))

    assert (rate, low < 0.5 < high) == (0.5, True)


def test_scores_can_be_pickled():
    found = label_scores(Total(4, 4), Total(2, 2), Total(3, 3), 2.0)

    assert pickle.loads(pickle.dumps(found)) == found
