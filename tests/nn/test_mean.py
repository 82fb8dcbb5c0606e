"""The mean of networks as one network."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from logiclens.nn._descent import has_mean
from logiclens.nn.mu import MuNetwork
from logiclens.nn.population import LogicNetwork, mean_network
from logiclens.nn.relu import ReluNetwork
from tests.nn.populations import KINDS, make, random_x, streams

GROUPS = torch.tensor([[0, 2, 4], [1, 3, 5]])


def mean_of(network: LogicNetwork, x: Tensor) -> Tensor:
    """The means of the logits of the groups, (2, n)."""
    return network(x)[GROUPS].mean(dim=1)


@pytest.mark.parametrize("kind", ["mu", "relu"])
@pytest.mark.parametrize("hidden", [(), (4,), (4, 3), (3, 3, 2)])
def test_its_logits_are_the_mean_of_theirs(kind: str, hidden: tuple[int, ...]):
    network, x = make(kind, 6, hidden), random_x(boolean=False)
    mean = mean_network(network, GROUPS)

    assert type(mean) is type(network)
    assert mean.members == 2
    assert torch.allclose(mean(x), mean_of(network, x))


@pytest.mark.parametrize("kind", ["mu", "relu"])
@pytest.mark.parametrize("alike", [True, False])
def test_networks_that_were_pruned_have_a_mean_too(kind: str, alike: bool):
    """It reads each concept that one of them reads."""
    network, x = make(kind, 6, (4, 3)), random_x(boolean=False)
    kept = torch.tensor([[1, 0, 1, 0, 1]] * 6 if alike else [[1, 0, 1, 0, 0]] * 3 + [[0, 0, 1, 1, 0]] * 3)
    network.narrow(kept.bool())
    mean = mean_network(network, GROUPS)

    assert torch.allclose(mean(x), mean_of(network, x))
    assert (mean.kept() == network.kept()[GROUPS].any(dim=1)).all()


def test_a_group_of_one_is_that_member():
    network, x = make("mu", 3), random_x()

    assert torch.equal(mean_network(network, torch.tensor([[2], [0]]))(x), network(x)[[2, 0]])


def test_the_networks_themselves_stay_as_they_are():
    network, x = make("relu", 6), random_x()
    before = {name: value.clone() for name, value in network.state_dict().items()}
    mean = mean_network(network, GROUPS)
    with torch.no_grad():
        for layer in mean.linears:
            layer.weight.zero_()

    assert all(torch.equal(value, before[name]) for name, value in network.state_dict().items())
    assert network(x).shape == (6, len(x))


@pytest.mark.parametrize(
    ("kind", "expected"), [("mu", True), ("relu", True), ("psi", False), ("entropy", False)]
)
def test_which_kinds_have_one(kind: str, expected: bool):
    assert set(KINDS) == {"mu", "relu", "psi", "entropy"}
    assert has_mean(make(kind)) is expected


class Tanh(MuNetwork):
    """Its logits are not linear in the last layer's weights of another activation."""

    def logits(self, x: Tensor) -> Tensor:
        return torch.tanh(super().logits(x))


class OwnPenalty(ReluNetwork):
    def penalty(self) -> Tensor:
        return 2.0 * super().penalty()


def test_what_is_overridden_decides():
    """Logits that are not linear in the last layer have another mean; a penalty has no part in it."""
    assert not has_mean(Tanh(streams(2), 3, (4,), [0.0] * 2))
    assert has_mean(OwnPenalty(streams(2), 3, (4,), [0.0] * 2))
