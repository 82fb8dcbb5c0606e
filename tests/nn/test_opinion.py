"""Second opinions: heard where they are sure of the opposite, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from logiclens.nn.mu import MuNetwork
from logiclens.nn.opinion import OPINION, CommonOpinion, Opinion

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


# An opinion in common


def of_three() -> MuNetwork:
    """Networks of which none, one, two or all say yes."""
    network = networks(3)
    with torch.no_grad():
        for layer in network.linears:
            layer.weight *= 4.0
        network.linears[-1].bias -= torch.quantile(network(X), 0.4, dim=1)[:, None, None]
    return network


def common(members: int = 3) -> CommonOpinion:
    random = np.random.default_rng(5)
    return CommonOpinion(random.normal(0, 3, (members, 4)), random.normal(0, 1, members))


@torch.no_grad()
def test_an_opinion_in_common_decides_where_not_exactly_one_says_yes():
    network, opinion = of_three(), common()
    own = network(X).numpy()
    network.hear(opinion)
    heard, z = network(X).numpy(), opinion.weight @ X.numpy().T + opinion.bias[:, None]
    n_yes = (own > 0).sum(axis=0)

    assert {*n_yes.tolist()} == {0, 1, 2, 3}
    assert ((heard > 0) == (own > 0)).all()  # none changes its mind
    assert heard[:, n_yes == 1] == pytest.approx(own[:, n_yes == 1])
    allowed = np.where((own > 0) | (n_yes == 0), z, -np.inf)
    assert (heard.argmax(axis=0) == allowed.argmax(axis=0))[n_yes != 1].all()
    several = (own > 0) & (n_yes > 1)
    assert heard[(own <= 0) & (n_yes > 1)] == pytest.approx(own[(own <= 0) & (n_yes > 1)])
    assert heard[several].min() > 0


@torch.no_grad()
def test_one_that_leaves_no_doubt_changes_no_mind():
    """Shares of 0 and of 1 are still a no and a yes, and finite."""
    network = of_three()
    own = network(X).numpy()
    sure = CommonOpinion(np.zeros((3, 4)), np.array([500.0, 0.0, -500.0]))
    network.hear(sure)
    heard = network(X).numpy()

    assert np.isfinite(heard).all()
    assert ((heard > 0) == (own > 0)).all()


def test_gradients_are_finite():
    network = of_three()
    network.hear(CommonOpinion(common().weight * 100.0, common().bias))
    x = X.clone().requires_grad_()
    network(x).sum().backward()

    assert x.grad is not None
    assert torch.isfinite(x.grad).all()


@torch.no_grad()
def test_members_have_it_together(opinion: Opinion):
    network = networks(3)
    network.hear([opinion] * 3)
    assert not network.has_opinion_in_common

    network.hear(common())
    assert network.has_opinion_in_common
    assert network.heard_by(0) is None
    assert network.alone().opinion is None
    assert not network.alone().has_opinion_in_common
    assert network.read().all()
