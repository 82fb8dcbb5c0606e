"""Criteria against their formulas, written down naively."""

from __future__ import annotations

import math
import re
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import softplus

from logiclens.errors import InputError
from logiclens.nn import criteria
from logiclens.nn.criteria import (
    SoftmaxLoss,
    entropy,
    find_criterion,
    if_loss,
    iff_loss,
    is_linear,
    loss_and_slope,
    mutual_information_loss,
    name_of_criterion,
    only_if_loss,
    register_criterion,
)

LOSSES = [iff_loss, if_loss, only_if_loss]


def sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))


@st.composite
def answered_rows(draw):
    n = draw(st.integers(1, 6))
    number = st.floats(-8, 8, allow_nan=False)
    share = st.floats(0, 1, allow_nan=False)
    return (
        draw(st.lists(number, min_size=n, max_size=n)),
        draw(st.lists(share, min_size=n, max_size=n)),
        draw(st.lists(share, min_size=n, max_size=n)),
    )


@given(answered_rows())
def test_losses_are_their_formulas_on_soft_targets(rows):
    logits, targets, weights = rows
    f = [sigmoid(logit) for logit in logits]
    cells = list(zip(f, targets, weights, strict=True))
    cross_entropy = -sum(w * (y * math.log(p) + (1 - y) * math.log(1 - p)) for p, y, w in cells)
    missed = sum(w * max(0.0, y - p) for p, y, w in cells)  # Eq. 4
    wrongly = sum(w * max(0.0, p - y) for p, y, w in cells)  # Eq. 5
    z, y, w = (torch.tensor(part, dtype=torch.float64) for part in (logits, targets, weights))

    assert iff_loss(z, w * y, w * (1 - y)).item() == pytest.approx(cross_entropy, abs=1e-9)
    assert if_loss(z, w * y, w * (1 - y)).item() == pytest.approx(missed, abs=1e-9)
    assert only_if_loss(z, w * y, w * (1 - y)).item() == pytest.approx(wrongly, abs=1e-9)
    assert if_loss(z, w * y, w * (1 - y), 0.25).item() == pytest.approx(missed + 0.25 * wrongly, abs=1e-9)
    assert only_if_loss(z, w * y, w * (1 - y), 0.25).item() == pytest.approx(
        wrongly + 0.25 * missed, abs=1e-9
    )


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_large_logits_neither_overflow_nor_lose_their_gradient(loss, dtype):
    """A wrong answer of any certainty has a finite price; a right one costs nothing."""
    z = torch.tensor([-1e4, 1e4, 1e30, -1e30], dtype=dtype, requires_grad=True)
    y = torch.tensor([0.0, 1.0, 1.0, 0.0], dtype=dtype)

    right = loss(z, y, 1 - y)
    wrong = loss(-z[:2], y[:2], 1 - y[:2])  # a miss, and a false yes
    (gradient,) = torch.autograd.grad(right + wrong, z)

    assert right.item() == 0.0
    assert wrong.item() > 0
    assert torch.isfinite(wrong)
    assert torch.isfinite(gradient).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_leading_axes_are_kept(loss):
    z = torch.linspace(-1, 1, 24).view(2, 3, 4)
    y = (z > 0).float()

    together = loss(z, y, 1 - y)

    assert together.shape == (2, 3)
    assert torch.allclose(together[1, 2], loss(z[1, 2], y[1, 2], 1 - y[1, 2]))


@pytest.mark.parametrize("loss", LOSSES)
@given(answered_rows())
def test_slopes_are_those_of_autograd(loss, rows):
    logits, yes, no = (torch.tensor(part, dtype=torch.float64) for part in rows)
    leaf = logits.clone().requires_grad_()
    expected = loss(leaf, yes, no)
    expected.backward()

    with torch.no_grad():
        found, slope = loss_and_slope(loss, logits, yes, no)

    assert torch.allclose(found, expected.detach(), rtol=1e-9, atol=1e-12)
    assert torch.allclose(slope, leaf.grad, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_slopes_of_large_logits_are_finite(dtype):
    logits = torch.tensor([-1e4, 1e4], dtype=dtype)

    loss, slope = loss_and_slope(iff_loss, logits, torch.ones(2, dtype=dtype), torch.ones(2, dtype=dtype))

    assert loss == 2e4
    assert slope.tolist() == [-1.0, 1.0]


def naive_information(p: np.ndarray, weight: np.ndarray) -> float:
    share = weight / weight.sum()
    mean = (p * share).sum(axis=1)
    total = 0.0
    for cluster in range(len(p)):
        for row in range(p.shape[1]):
            if p[cluster, row] > 0:
                total += share[row] * p[cluster, row] * math.log(p[cluster, row] / mean[cluster])
    return total


def test_mutual_information_is_its_formula():
    rng = np.random.default_rng(0)
    logits, weight = rng.normal(size=(3, 7)), rng.random(7)
    p = np.exp(logits) / np.exp(logits).sum(axis=0)

    found = mutual_information_loss(torch.from_numpy(logits), torch.from_numpy(weight))

    assert found.item() == pytest.approx(-naive_information(p, weight), abs=1e-12)


@pytest.mark.parametrize("clusters", [2, 3, 5])
def test_perfect_clusters_have_all_the_information(clusters):
    logits = 200 * torch.eye(clusters).repeat_interleave(4, dim=1)

    assert mutual_information_loss(logits).item() == pytest.approx(-math.log(clusters), abs=1e-5)


def test_a_single_cluster_has_none():
    collapsed = torch.tensor([[200.0] * 6, [0.0] * 6])
    undecided = torch.zeros(2, 6)

    assert mutual_information_loss(collapsed).item() == pytest.approx(0.0, abs=1e-6)
    assert mutual_information_loss(undecided).item() == pytest.approx(0.0, abs=1e-6)


def test_rows_without_weight_do_not_count_for_clusters():
    logits = torch.tensor([[3.0, -2.0, 0.5], [-3.0, 2.0, 0.1]])

    cut = mutual_information_loss(logits, torch.tensor([1.0, 2.0, 0.0]))

    assert torch.allclose(cut, mutual_information_loss(logits[:, :2], torch.tensor([1.0, 2.0])))
    assert torch.isfinite(mutual_information_loss(logits, torch.zeros(3)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_cluster_that_vanished_has_a_finite_gradient(dtype):
    """Its probability is exactly 0 on every row, so 0 log 0 is there."""
    logits = torch.tensor([[5000.0, 5000.0], [0.0, 0.0]], dtype=dtype, requires_grad=True)

    mutual_information_loss(logits).backward()

    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()


def test_entropy_of_certainty_is_zero_with_a_finite_gradient():
    p = torch.tensor([1.0, 0.0, 0.0], requires_grad=True)

    value = entropy(p)
    value.backward()

    assert value.item() == 0.0
    assert p.grad is not None
    assert torch.isfinite(p.grad).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6).filter(lambda p: sum(p) > 0.1))
def test_entropy_is_its_formula(numbers):
    p = [number / sum(numbers) for number in numbers]
    expected = -sum(share * math.log(share) for share in p if share > 0)

    assert entropy(torch.tensor(p, dtype=torch.float64)).item() == pytest.approx(expected, abs=1e-12)


# Criteria by name, and of one's own


def focal(logits, yes, no):
    f = torch.sigmoid(logits)
    return (yes * (1 - f) ** 2 * softplus(-logits) + no * f**2 * softplus(logits)).sum(dim=-1)


@pytest.fixture
def names(monkeypatch):
    """Names that are given here are forgotten afterwards."""
    monkeypatch.setattr(criteria, "_CRITERIA", dict(criteria._CRITERIA))


@pytest.mark.usefixtures("names")
def test_a_criterion_has_a_name():
    assert register_criterion("focal")(focal) is focal

    assert find_criterion("focal") is find_criterion(focal) is focal
    assert name_of_criterion(focal) == name_of_criterion("focal") == "focal"
    assert name_of_criterion(partial(focal)) is None
    assert [find_criterion(name) for name in ("cross_entropy", "if", "only_if")] == LOSSES


@pytest.mark.parametrize("name", ["if", "", 3])
def test_names_of_ours_are_taken(name):
    with pytest.raises(InputError, match="needs a name other than"):
        register_criterion(name)


@pytest.mark.parametrize(("criterion", "expected"), [
    (iff_loss, True),
    (partial(iff_loss), True),
    (SoftmaxLoss(2), True),
    (focal, True),
    (if_loss, False),
    (only_if_loss, False),
    (lambda z, yes, no: (yes + no).sum(-1) * z.std(-1), False),
])  # fmt: skip
def test_rows_of_other_targets_are_merged_where_a_criterion_is_linear(criterion, expected):
    assert is_linear(criterion) is expected


@pytest.mark.parametrize(("criterion", "said"), [
    ("focal", "has to be registered first"),
    ("cros_entropy", "Did you mean 'cross_entropy'"),
    (3, "or a function of .logits, yes, no."),
    (lambda z, *_: z, "must add up the last axis: from .2, 5. to .2,.. Got shape .2, 5."),
    (lambda *_: 0.0, "Got 0.0"),
    (lambda _z, yes, _no: yes.sum(-1), "torch can differentiate"),
    (lambda z, *_: torch.log(-1 - z * z).sum(-1), "finite"),
    (lambda z, yes, _: (yes * (1 - torch.sigmoid(z))).mean(-1), "take no mean"),
    (lambda z, yes, _: (z * (yes > 0.5)).sum(-1), "a row of weight 2 as two rows"),
    (lambda z, yes, no: iff_loss(z, yes, no).mean().expand(len(z)), "a loss of its own"),
])  # fmt: skip
def test_what_is_no_criterion_is_refused(criterion, said):
    with pytest.raises(InputError, match=said):
        find_criterion(criterion)


def divides_by_weight(logits, yes, no):
    weight = yes + no
    return (weight * (yes / weight - torch.sigmoid(logits)) ** 2).sum(dim=-1)


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (torch.nn.BCEWithLogitsLoss(), "raised TypeError: BCEWithLogitsLoss.forward() takes 3 positional"),
        (lambda logits, *_: logits[:, 9], "raised IndexError"),
        (divides_by_weight, "criterion must leave out rows of weight 0"),
    ],
)
def test_a_criterion_that_would_fail_in_training_is_refused_before(criterion, message):
    with pytest.raises(InputError, match=re.escape(message)):
        find_criterion(criterion)
