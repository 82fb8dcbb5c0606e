"""Second opinions: heard where they are sure of the opposite, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from logiclens.nn.mu import MuNetwork
from logiclens.nn.opinion import OPINION, Opinion

X = torch.as_tensor(np.random.default_rng(3).random((200, 4)), dtype=torch.get_default_dtype())


def networks(members: int = 2) -> MuNetwork:
    network = MuNetwork(
        [np.random.default_rng(member) for member in range(members)], 4, (5,), [0.01] * members
    )
    network.narrow(torch.tensor([[True, True, False, False]] * members))
    return network


@pytest.fixture
def opinion() -> Opinion:
    return Opinion(np.array([0.0, 4.0, 0.0, -5.0]), 0.5, 1.5)


@torch.no_grad()
def test_it_decides_where_it_is_sure_of_the_opposite(opinion: Opinion):
    network = networks()
    own = network(X).numpy()
    network.hear([None, opinion])
    z = X.numpy() @ opinion.weight + opinion.bias
    decides = (np.abs(z) > 1.5) & ((z > 0) != (own[1] > 0))

    assert 0 < decides.sum() < len(X)
    heard = network(X).numpy()
    assert heard[0] == pytest.approx(own[0])  # this member has none
    assert heard[1] == pytest.approx(np.where(decides, z - 1.5 * np.sign(z), own[1]), abs=1e-5)


@torch.no_grad()
def test_the_network_alone_is_what_it_was(opinion: Opinion):
    network = networks()
    own = network(X)
    network.hear([opinion, opinion])

    assert not torch.equal(network(X), own)
    assert torch.equal(network.alone()(X), own)
    assert network.opinion is not None  # it still hears them


def test_concepts_that_are_read(opinion: Opinion):
    network = networks()
    assert torch.equal(network.read(), network.kept())
    network.hear([None, opinion])

    assert network.kept().tolist() == [[True, True, False, False]] * 2
    assert network.read().tolist() == [[True, True, False, False], [True, True, False, True]]


@torch.no_grad()
def test_members_take_their_opinions_with_them(opinion: Opinion):
    network = networks()
    network.hear([None, opinion])
    one = network.select(torch.tensor([1]))

    assert torch.equal(one(X), network(X)[1:])
    assert all(len(getattr(one, name)) == 1 for name in OPINION)
