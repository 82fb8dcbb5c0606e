"""Sigmoids that become steps."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from logiclens.nn.steps import STEEPEST, StepSigmoid, steepness, step_sigmoid


def test_it_starts_as_a_sigmoid():
    z = torch.linspace(-3, 3, 13)

    assert torch.equal(StepSigmoid()(z), nn.Sigmoid()(z))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_hard_one_is_a_step_with_the_gradient_of_a_sigmoid(dtype):
    z = torch.tensor([-2.0, -0.1, 0.0, 0.1, 2.0], dtype=dtype, requires_grad=True)

    step = step_sigmoid(z, 4.0, hard=True)
    (gradient,) = torch.autograd.grad(step.sum(), z)
    (expected,) = torch.autograd.grad(torch.sigmoid(4.0 * z).sum(), z)

    assert torch.allclose(step, (z > 0).to(dtype))
    assert torch.allclose(gradient, expected)


def test_steepness_grows_and_then_it_is_hard():
    slopes = [steepness(progress)[0] for progress in (0.0, 0.1, 0.3, 0.5)]

    assert slopes == sorted(slopes)
    assert (slopes[0], slopes[-1]) == (1.0, STEEPEST)
    assert [steepness(progress)[1] for progress in (0.0, 0.49, 0.5, 1.0)] == [False, False, True, True]


def test_annealing_a_layer():
    layer = StepSigmoid()

    layer.anneal(0.75)

    assert layer(torch.tensor([-0.2, 0.2])).tolist() == [0.0, 1.0]
    assert repr(layer) == "StepSigmoid(slope=8, hard=True)"
