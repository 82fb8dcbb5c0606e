"""The ReLU network: at each row it is its affine map."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from logiclens.nn.training import train
from tests.nn.populations import make, plan, random_x, some_rows


@given(st.lists(st.integers(1, 6), max_size=4), st.integers(0, 10_000))
def test_the_affine_map_is_the_network(hidden, seed):
    """Bias included, any number of hidden layers."""
    network = make("relu", hidden=hidden, seed=seed)
    x = random_x(8, boolean=False, seed=seed)

    weight, bias = network.affine_map(x)

    assert weight.shape == (3, 8, 5)
    assert bias.shape == (3, 8)
    assert torch.allclose((weight * x).sum(dim=-1) + bias, network(x), rtol=1e-12, atol=1e-12)


def test_the_bias_is_part_of_the_map():
    network = make("relu")
    x = torch.zeros(1, 5, dtype=torch.float64)

    assert torch.allclose(network.affine_map(x).bias, network(x))
    assert network(x).abs().min() > 0


def test_the_map_is_the_gradient():
    network = make("relu", hidden=(6, 4))
    x = random_x(6, boolean=False).requires_grad_()

    (gradient,) = torch.autograd.grad(network(x)[1].sum(), x)

    assert torch.allclose(network.affine_map(x).weight[1], gradient)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_relevance_is_by_row_and_by_output(dtype):
    network, _ = train(make("relu", hidden=(8,)), some_rows(n=200), plan(epochs=100))
    network = network.to(dtype)
    x = random_x(200).to(dtype)

    relevance = network.relevance(x)

    assert relevance.shape == (3, 200, 5)
    assert relevance.dtype == dtype
    silent = (network.affine_map(x).weight == 0).all(dim=2)  # rows on which no unit fires
    assert torch.allclose(relevance.amax(dim=2), (~silent).to(dtype))
    first, second = relevance[0].mean(dim=0), relevance[1].mean(dim=0)
    assert first[0] > first[2]  # and of concepts 0 and 1
    assert second[2] > second[0]  # or of concepts 1 and 2


def test_nothing_is_pruned():
    network = make("relu")
    x = random_x()
    before = network(x)

    network.prune()

    assert torch.equal(network(x), before)
    assert network.kept().all()


def test_the_penalty_is_on_all_layers():
    network = make("relu", l1=[0.1, 0.2, 0.3], hidden=(4, 3))
    total = sum(layer.weight.abs().sum(dim=(1, 2)) for layer in network.linears)

    assert torch.allclose(network.penalty(), torch.tensor([0.1, 0.2, 0.3]).double() * total)
