"""``criterion=`` of the classifiers: what networks are trained by, ours by name or a function."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning
from torch.nn.functional import softplus

from logiclens.estimators import MuClassifier
from logiclens.estimators.networks import predict_logits
from logiclens.estimators.validation import cross_explain
from logiclens.nn.criteria import if_loss, only_if_loss
from logiclens.nn.training import Plan
from tests.errors import error_of
from tests.estimators.toys import CLASSIFIERS, booleans, quick

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y = booleans()
NOISY = np.where(np.random.default_rng(0).random(len(Y)) < 0.2, ~Y, Y)


def by_hand(logits, yes, no):
    """Cross-entropy again, differentiated by autograd."""
    return (yes * softplus(-logits) + no * softplus(logits)).sum(dim=-1)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_cross_entropy_written_again_learns_the_same(kind):
    ours, own = (quick(kind, criterion=each).fit(X, NOISY) for each in ("cross_entropy", by_hand))

    assert np.allclose(ours.predict_proba(X), own.predict_proba(X), atol=1e-3)
    assert str(ours.explain()) == str(own.explain())


def test_a_function_and_its_name_are_the_same():
    function, name = (quick("mu", criterion=each).fit(X, NOISY) for each in (if_loss, "if"))

    assert np.array_equal(function.predict_proba(X), name.predict_proba(X))


@pytest.mark.parametrize(("name", "answer"), [("if", True), ("only_if", False)])
@pytest.mark.parametrize("make", [quick, lambda _, **settings: MuClassifier.reference(**settings)])
def test_the_hinges_of_the_paper_alone_are_solved_by_a_constant(name, answer, make):
    """Eq. 4 asks for a yes wherever the class may be, and for nothing else; Eq. 5 for a no."""
    settings = {"epochs": 100, "learning_rate": 0.05, "hidden": (8,), "random_state": 0}
    network = make("mu", criterion=name, **settings).fit(X, NOISY).network_

    assert ((predict_logits(network, X) > 0) == answer).all()


def test_a_counterweight_is_an_addition():
    criterion = partial(if_loss, counterweight=0.5)

    predicted = quick("mu", criterion=criterion, epochs=100).fit(X, NOISY).predict(X)

    assert predicted[Y].all()
    assert 0 < predicted.mean() < 1


def test_exclusive_classes_are_learned_one_against_the_rest():
    classes = 2 * X[:, 0] + X[:, 1]

    found = quick("mu", criterion=by_hand, epochs=100).fit(X, classes)

    assert np.array_equal(found.predict(X), classes)
    assert np.allclose(found.predict_proba(X).sum(axis=1), 1.0)


def squares(logits, yes, no):
    """``w (y - f)^2`` is not linear in y."""
    weight = yes + no
    return (weight * (yes / weight.clamp(min=1e-9) - torch.sigmoid(logits)) ** 2).sum(dim=-1)


def test_rows_of_different_labels_are_not_merged_where_that_would_change_the_loss():
    seen = []

    def spy(logits, yes, no):
        if logits.dtype is torch.float32:  # not while the criterion is looked at
            seen.append(bool(((yes > 0) & (no > 0)).any()))
        return squares(logits, yes, no)

    assert not Plan(squares).merges
    quick("mu", criterion=spy, epochs=4).fit(X, NOISY)

    assert seen
    assert not any(seen)


def test_a_row_of_weight_two_counts_as_two_rows():
    twice = quick("mu", criterion=only_if_loss).fit(np.vstack([X, X]), np.append(NOISY, NOISY))
    weighted = quick("mu", criterion=only_if_loss).fit(X, NOISY, sample_weight=np.full(len(X), 2))

    assert np.allclose(twice.predict_proba(X), weighted.predict_proba(X))


def test_cross_validation_uses_it():
    mu, own = (cross_explain(quick("mu", criterion=each), X, NOISY, cv=2) for each in ("if", if_loss))

    assert mu.drop(columns="time").equals(own.drop(columns="time"))


@pytest.mark.parametrize("value", ["focal", 3, lambda logits, *_: logits])
def test_what_is_no_criterion_is_refused_before_anything_is_read(value):
    assert "criterion" in error_of(quick("mu", criterion=value).fit, None, None)
