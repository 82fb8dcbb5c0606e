"""Attention over concepts, for a first layer of your own."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from logiclens.errors import InputError
from logiclens.nn.attention import EntropyLinear, concept_attention
from logiclens.nn.pruning import prune_inputs


def test_attention_sums_to_one_over_what_is_left():
    weight = torch.randn(2, 4, 3, generator=torch.Generator().manual_seed(0))
    pruned = torch.tensor([[False, True, False], [False, False, False]])

    alpha = concept_attention(weight, pruned, 0.7)

    assert torch.allclose(alpha.sum(dim=-1), torch.ones(2))
    assert alpha[0, 1] == 0
    assert torch.allclose(alpha[1], torch.softmax(weight[1].abs().sum(dim=0) / 0.7, dim=0))


def test_the_layer_scales_its_inputs():
    layer = EntropyLinear(3, 2)
    x = torch.rand(5, 3, generator=torch.Generator().manual_seed(0))
    alpha = layer.attention()

    expected = nn.functional.linear(x * alpha / alpha.max(), layer.weight, layer.bias)

    assert torch.allclose(layer(x), expected)


def test_pruned_concepts_get_no_attention():
    model = nn.Sequential(EntropyLinear(4, 3), nn.LeakyReLU(), nn.Linear(3, 1))

    keep = prune_inputs(model, max_concepts=2)

    alpha = model[0].attention()
    assert torch.equal(alpha > 0, keep)
    assert torch.allclose(alpha.sum(), torch.ones(()))
    loss = model(torch.rand(5, 4)).sum() + model[0].entropy()
    loss.backward()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters())


def test_a_layer_of_zeros_attends_to_all_alike():
    layer = EntropyLinear(4, 2)
    nn.init.zeros_(layer.weight)

    assert layer.attention().tolist() == [0.25] * 4


@pytest.mark.parametrize("size", [1e3, 1e6])
def test_huge_weights_stay_finite(size):
    layer = EntropyLinear(3, 2)
    with torch.no_grad():
        layer.weight *= size

    value = layer.entropy()
    value.backward()

    assert torch.isfinite(value)
    assert layer.weight.grad is not None
    assert torch.isfinite(layer.weight.grad).all()


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan"), "warm"])
def test_a_temperature_is_positive(temperature):
    with pytest.raises(InputError) as info:
        EntropyLinear(2, 1, temperature)

    assert str(info.value) == f"temperature must be a number greater than 0. Got {temperature!r}."
