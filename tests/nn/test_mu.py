"""The mu network: a penalty on its inputs, few of which stay."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from logiclens.nn.mu import FINE_TUNING_SHARE, MuNetwork
from logiclens.nn.training import train
from tests.nn.populations import make, plan, random_x, some_rows, streams


def test_it_is_a_leaky_network():
    network = make("mu", 2, hidden=(4, 3))
    x = random_x(boolean=False)
    first, second, last = network.linears

    for member in range(2):
        values = x
        for layer in (first, second):
            values = nn.functional.leaky_relu(values @ layer.weight[member].T + layer.bias[member].T)
        expected = values @ last.weight[member].T + last.bias[member].T
        assert torch.allclose(network(x)[member], expected[:, 0])


def test_the_penalty_is_on_the_first_layer_then_a_little_on_all():
    network = make("mu", l1=[0.1, 0.2, 0.3])
    first = network.linears[0].weight.abs().sum(dim=(1, 2))
    assert torch.allclose(network.penalty(), torch.tensor([0.1, 0.2, 0.3]).double() * first)

    network.prune()

    total = sum(layer.weight.abs().sum(dim=(1, 2)) for layer in network.linears)
    assert torch.allclose(
        network.penalty(), FINE_TUNING_SHARE * torch.tensor([0.1, 0.2, 0.3]).double() * total
    )


@pytest.mark.parametrize("max_concepts", [1, 3, 5, 50])
def test_the_concepts_of_largest_norm_stay(max_concepts):
    network = make("mu", max_concepts=max_concepts)
    norms = network.linears[0].weight.detach().norm(dim=1)

    network.prune()

    kept = network.kept()
    assert kept.sum(dim=1).tolist() == [min(max_concepts, 5)] * 3
    for member in range(3):
        cut = norms[member][~kept[member]]
        assert not len(cut) or norms[member][kept[member]].min() > cut.max()


def test_tau_drops_what_hardly_matters():
    network = make("mu", 1, max_concepts=5, tau=0.5)
    with torch.no_grad():
        network.linears[0].weight.zero_()
        network.linears[0].weight[0, 0] = torch.tensor([1.0, 0.6, 0.4, 0.5, 0.0])

    network.prune()

    assert network.kept().tolist() == [[True, True, False, True, False]]


def test_relevance_is_relative_to_the_largest_and_zero_for_what_was_cut():
    network, _ = train(make("mu"), some_rows(), plan())

    relevance = network.relevance(random_x())

    assert torch.allclose(relevance.max(dim=1).values, torch.ones(3).double())
    assert torch.equal(relevance > 0, network.kept())


def test_relevance_differs_between_targets():
    """And of concepts 0 and 1; or of 1 and 2: what matters is what the target depends on."""
    network, _ = train(make("mu", max_concepts=2, hidden=(8,)), some_rows(n=200), plan(epochs=100))

    assert network.kept()[:2].tolist() == [
        [True, True, False, False, False],
        [False, True, True, False, False],
    ]


def test_a_network_without_weights_has_a_relevance_of_zero():
    network = MuNetwork(streams(1), 3, [2], [0.1])
    with torch.no_grad():
        network.linears[0].weight.zero_()

    assert network.relevance(torch.zeros(1, 3)).tolist() == [[0.0, 0.0, 0.0]]
