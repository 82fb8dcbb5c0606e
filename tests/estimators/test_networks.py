"""Networks at full strength: held out, averaged, calibrated, the same whatever stands beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from scipy.special import expit, log_softmax
from sklearn.metrics import log_loss

from logiclens.errors import InputError
from logiclens.estimators import MuClassifier, PsiClassifier, ReluClassifier
from logiclens.estimators.folds import RowSplit, leave_out
from logiclens.estimators.inputs_and_targets import Problem, read_concepts
from logiclens.estimators.networks import (
    as_probabilities,
    calibrate,
    constant_loss,
    cross_entropy,
    logit_scales,
    plan_for_rows,
    predict_logits,
    resolve_device,
    train_networks,
)
from logiclens.nn.training import Plan

NAMES = tuple("abcdef")
QUICK: dict[str, Any] = {"epochs": 30, "learning_rate": 0.05, "l1": (0.002, 0.01), "encoder": None}


def noisy(n: int = 240, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Six concepts; ``a and b`` in nine rows of ten."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, 6)) < 0.5).astype(float)
    return X, ((X[:, 0] > 0.5) & (X[:, 1] > 0.5)) ^ (rng.random(n) < 0.1)


def several(n: int = 240) -> tuple[np.ndarray, np.ndarray]:
    X, y = noisy(n)
    return X, np.where(y, "one", np.where(X[:, 2] > 0.5, "two", "three"))


def work(classifier: Any, X: np.ndarray, y: np.ndarray, parts: int = 2) -> tuple[Any, ...]:
    """What :func:`train_networks` needs: population, plan, concepts, targets, and a fold of several parts."""
    targets, weight = classifier.read_data(X, y, None)
    recipe = classifier.recipe(read_concepts(X, NAMES), targets)
    left = leave_out(X, targets.outputs, targets.strata(), weight, parts, 0)
    return recipe.population, recipe.plan, X, targets, RowSplit(weight, np.zeros_like(weight), 0, tuple(left))


def trained(classifier: Any, X: np.ndarray, y: np.ndarray, parts: int = 2) -> Any:
    population, plan, x, targets, fold = work(classifier, X, y, parts)
    return train_networks(population, plan, x, targets, [fold])[0]


@pytest.mark.parametrize("make", [MuClassifier, ReluClassifier])
@pytest.mark.parametrize("data", [noisy, several])
def test_the_network_is_the_mean_of_its_restarts(make: Any, data: Any):
    """Where restarts read the same concepts, their mean is exactly that of their logits."""
    X, y = data()
    settings = QUICK | ({"max_concepts": 6} if make is MuClassifier else {})
    found = trained(make(restarts=3, random_state=0, **settings), X, y, parts=3)
    mean = np.mean([predict_logits(each, X) for each in found.restarts], axis=0)

    assert len(found.restarts) == 3
    if make is MuClassifier:
        np.testing.assert_allclose(predict_logits(found.network, X), mean, atol=1e-5)
    assert not np.allclose(predict_logits(found.restarts[0], X), mean, atol=1e-3)


def test_restarts_know_rows_that_they_left_out():
    """No two rows are equal, so each is left out by one restart."""
    X, y = noisy()
    X = np.abs(X - 0.3 * np.random.default_rng(1).random(X.shape))
    population, plan, x, targets, fold = work(ReluClassifier(restarts=2, random_state=0, **QUICK), X, y)
    found = train_networks(population, plan, x, targets, [fold])[0]
    logits = np.zeros(len(X))
    for part, network in zip(fold.parts, found.restarts, strict=True):
        logits = np.where(part > 0, predict_logits(network, X)[:, 0], logits)
    calibrated = log_loss(y, expit(logits))

    assert calibrated < constant_loss(np.array([y.mean()]), joint=False)[0]


@pytest.mark.parametrize("make", [MuClassifier, PsiClassifier, ReluClassifier])
def test_a_fold_among_many_is_what_it_is_alone(make: Any):
    X, y = noisy()
    population, plan, x, targets, fold = work(make(restarts=2, random_state=0, **QUICK), X, y)
    half = np.arange(len(X)) % 3 > 0
    other = RowSplit(fold.train * half, np.zeros(len(X)), 1, tuple(part * half for part in fold.parts))
    (alone,) = train_networks(population, plan, x, targets, [fold])
    _, beside = train_networks(population, plan, x, targets, [other, fold])

    assert (predict_logits(alone.network, X) == predict_logits(beside.network, X)).all()


@pytest.mark.parametrize(("data", "joint"), [(noisy, False), (several, True)])
def test_calibration_finds_the_scale_of_logits_again(data: Any, joint: bool):
    X, y = data()
    model = ReluClassifier(restarts=1, random_state=0, **QUICK).fit(X, y)
    targets, weight = model.read_data(X, y, None)
    calibrate(model.network_, X, targets.outputs, weight, joint)
    before = predict_logits(model.network_, X)
    with torch.no_grad():
        model.network_.linears[-1].weight.mul_(3.0)
        model.network_.linears[-1].bias.mul_(3.0)
    calibrate(model.network_, X, targets.outputs, weight, joint)

    np.testing.assert_allclose(predict_logits(model.network_, X), before, rtol=1e-3, atol=1e-3)
    scales = logit_scales(before, targets.outputs, weight / weight.sum(), joint)
    np.testing.assert_allclose(scales, 1.0, atol=1e-3)


def test_cross_entropy_is_that_of_the_field():
    rng = np.random.default_rng(0)
    logits, y = rng.normal(size=(50, 3)), rng.integers(0, 3, 50)
    outputs = np.eye(3)[y]
    together, apart = cross_entropy(logits, outputs, joint=True), cross_entropy(logits, outputs, joint=False)

    np.testing.assert_allclose(together[:, 0], -log_softmax(logits, axis=1)[np.arange(50), y])
    assert (together == together[:, :1]).all()
    for at in range(3):
        assert apart[:, at].mean() == pytest.approx(log_loss(outputs[:, at], expit(logits[:, at])))


def test_a_constant_answer_has_the_entropy_of_the_shares():
    share = np.array([0.2, 0.3, 0.5])
    y = np.repeat([0, 1, 2], [20, 30, 50])

    assert constant_loss(share, joint=True) == pytest.approx([log_loss(y, np.tile(share, (100, 1)))] * 3)
    assert constant_loss(share, joint=False)[0] == pytest.approx(log_loss(y == 0, [0.2] * 100))


@pytest.mark.parametrize("problem", [Problem.SINGLE_LABEL, Problem.OUTPUT_BY_OUTPUT, Problem.BINARY])
def test_probabilities_of_exclusive_classes_add_up(problem: Problem):
    logits = np.random.default_rng(0).normal(size=(20, 1 if problem is Problem.BINARY else 3))
    found = as_probabilities(logits, problem)

    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert ((found >= 0) & (found <= 1)).all()


def test_steps_grow_with_the_square_root_of_the_rows():
    plan = Plan(criterion=lambda *_: torch.zeros(1), epochs=300)

    assert plan_for_rows(plan, 511) is plan
    for n_rows in (2048, 8192):
        fewer = plan_for_rows(plan, n_rows)
        steps = fewer.epochs * n_rows / 256
        assert fewer.batch_size == 256
        assert steps == pytest.approx(300 * 2 * (n_rows / 512) ** 0.5, rel=0.01)


def test_a_device_that_is_not_there_is_refused():
    assert resolve_device("cpu") == torch.device("cpu")
    with pytest.raises(InputError, match="device must be 'auto', 'cpu' or a device that torch can"):
        resolve_device("toaster")
