"""What attackers want, and how PGD and APGD reach it."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.functional import cross_entropy

from logiclens.errors import InputError
from logiclens.guard import RuleGuard
from logiclens.guard.attack import Budget, Evade, Misclassify, Mislabel, apgd, pgd
from logiclens.pipelines._concept_training import seeded

LOGITS = torch.tensor([[3.0, 0.0, 9.0], [-1.0, 2.0, -9.0]], dtype=torch.float64)
Y = torch.tensor([0, 0])


def test_only_the_classes_count():
    attack = Misclassify([0, 1])

    assert torch.equal(attack.loss(LOGITS, Y), cross_entropy(LOGITS[:, :2], Y, reduction="none"))
    assert attack.reached(LOGITS, Y).tolist() == [False, True]
    assert Misclassify().reached(LOGITS, Y).tolist() == [True, True]


def test_any_wrong_label_counts():
    truth = torch.tensor([[1, 0, 1], [0, 1, 1]])

    assert Mislabel().reached(LOGITS, truth).tolist() == [False, True]
    assert Mislabel().reached(LOGITS - 0.5, torch.tensor([[1, 0, 1], [0, 1, 0]])).tolist() == [False, False]
    assert Mislabel().loss(LOGITS, truth)[1] > 9


def test_evading_takes_both_another_class_and_no_alarm():
    guard = RuleGuard("jay -> blue", names=["robin", "jay", "blue"]).fit([[1, 0, 0], [0, 1, 0.9]] * 50)
    attack = Evade(guard, Misclassify([0, 1]))
    caught = torch.tensor([[-5.0, 5.0, -5.0]], dtype=torch.float64)
    through = torch.tensor([[-5.0, 5.0, 5.0]], dtype=torch.float64)
    right = torch.tensor([[5.0, -5.0, -5.0]], dtype=torch.float64)

    assert [attack.reached(row, Y[:1]).item() for row in (caught, through, right)] == [False, True, False]
    assert attack.loss(through, Y[:1]).item() == 0
    assert attack.loss(caught, Y[:1]) < 0
    assert attack.loss(right, Y[:1]) < 0


ATTACKS = {"pgd": pgd, "apgd": apgd}


@pytest.fixture(scope="module")
def digits():
    """A small network that knows digits, and 400 it has not seen."""
    data = load_digits()
    x, y = torch.from_numpy(data.images).float()[:, None] / 16, torch.from_numpy(data.target)
    with seeded(0, torch.device("cpu")):
        model = nn.Sequential(nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for _ in range(60):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x[:1200]), y[:1200]).backward()
            optimizer.step()
    return model, x[-400:], y[-400:]


def size(change, norm):
    flat = change.flatten(1)
    return flat.abs().amax(1) if norm == "linf" else flat.norm(dim=1)


@pytest.mark.parametrize("norm", ["linf", "l2"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_changes_stay_within_the_budget(digits, attack, norm):
    model, x, y = digits
    found = ATTACKS[attack](model, x, y, Budget(0.2, norm, steps=10))

    assert size(found.x - x, norm).max() <= 0.2 + 1e-6
    assert found.x.min() >= 0
    assert found.x.max() <= 1
    assert torch.equal(found.reached, model(found.x).argmax(1) != y)


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_a_linear_model_is_attacked_as_far_as_can_be(norm):
    """Of a linear model the worst point is known: along the difference of the weights."""
    with seeded(0, torch.device("cpu")):
        x, y = 0.3 + 0.4 * torch.rand(100, 5), torch.zeros(100, dtype=torch.long)
        model = nn.Linear(5, 2)
    step = model.weight[1] - model.weight[0]
    unit = step.sign() if norm == "linf" else step / step.norm()
    worst = model(x + 0.1 * unit)

    assert torch.equal(apgd(model, x, y, Budget(0.1, norm, steps=20)).reached, worst.argmax(1) != y)


def test_apgd_is_no_weaker_than_pgd(digits):
    model, x, y = digits
    strength = [
        ATTACKS[attack](model, x, y, Budget(0.5, "l2", steps=30)).reached.float().mean() for attack in ATTACKS
    ]

    assert strength[1] >= strength[0] > (model(x).argmax(1) != y).float().mean()


@pytest.mark.parametrize(("norm", "eps"), [("linf", 0.05), ("linf", 0.1), ("l2", 0.4)])
def test_robust_accuracy_is_that_of_an_established_library(digits, norm, eps):
    evasion = pytest.importorskip("art.attacks.evasion", reason="the adversarial robustness toolbox")
    from art.estimators.classification import PyTorchClassifier

    model, x, y = digits
    wrapped = PyTorchClassifier(
        model, nn.CrossEntropyLoss(), (1, 8, 8), 10, clip_values=(0.0, 1.0), device_type="cpu"
    )
    oracle = evasion.AutoProjectedGradientDescent(
        wrapped,
        norm={"linf": "inf", "l2": 2}[norm],
        eps=eps,
        eps_step=2 * eps,
        max_iter=50,
        nb_random_init=1,
        batch_size=400,
        loss_type="cross_entropy",
        verbose=False,
    )
    np.random.seed(0)
    changed = torch.from_numpy(oracle.generate(x.numpy(), y.numpy()))
    expected = (model(changed).argmax(1) == y).float().mean()
    found = 1 - apgd(model, x, y, Budget(eps, norm, steps=50)).reached.float().mean()

    assert abs(found - expected) <= 0.01 + 1e-6


def test_the_same_seed_gives_the_same_attack_and_the_model_stays_as_it_was(digits):
    model, x, y = digits
    model.train()
    before = torch.get_rng_state()
    one, same, other = (
        apgd(model, x[:20], y[:20], Budget(0.2, steps=5), seed=seed, batch_size=7) for seed in (0, 0, 1)
    )

    assert model.training
    assert torch.equal(before, torch.get_rng_state())
    assert all(parameter.grad is None or parameter.requires_grad for parameter in model.parameters())
    assert torch.equal(one.x, same.x)
    assert not torch.equal(one.x, other.x)


def test_a_row_that_is_wrong_already_counts_as_reached(digits):
    model, x, y = digits

    assert apgd(model, x[:5], (y[:5] + 1) % 10, Budget(0.0, steps=1)).reached.all()


def test_restarts_only_add(digits):
    model, x, y = digits
    once = apgd(model, x, y, Budget(0.3, "l2", steps=5)).reached
    thrice = apgd(model, x, y, Budget(0.3, "l2", steps=5, restarts=3)).reached

    assert (thrice | ~once).all()


def test_several_labels(digits):
    model, x, _ = digits
    truth = (model(x) > 0).float()
    found = apgd(model, x, truth, Budget(0.1, steps=10), objective=Mislabel())

    assert found.reached.float().mean() > 0.5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Budget(-1), "eps must be a finite number of at least 0. Got -1."),
        (lambda: Budget(1, "l1"), "Unknown norm 'l1'. There are 'linf', 'l2'."),
        (lambda: Budget(1, steps=0), "steps must be at least 1. Got 0."),
        (
            lambda: apgd(nn.Linear(2, 2), torch.zeros(2, 2), torch.zeros(1), Budget(1)),
            "x and y must have the same number of rows. Got 2 and 1.",
        ),
        (
            lambda: pgd(nn.Linear(2, 2), torch.full((1, 2), 2.0), torch.zeros(1), Budget(1)),
            "Inputs must lie in [0, 1]. Scale them, and let the model undo it.",
        ),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        call()


def test_parts_of_a_model_that_do_not_train_stay_so():
    """A part that is frozen, such as a normalization, is not set to training by an attack."""
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(2), torch.nn.Linear(2, 2))
    model.train()
    model[0].eval()
    apgd(model, torch.full((2, 2), 0.5), torch.tensor([0, 1]), Budget(0.1, "linf", 2))

    assert [part.training for part in model.modules()] == [True, False, True]
