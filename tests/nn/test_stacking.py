"""Models of your own as a population: the same as one by one."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from logiclens.errors import InputError
from logiclens.nn.criteria import iff_loss
from logiclens.nn.stacking import StackedNetworks, stack_networks
from logiclens.nn.steps import StepSigmoid


def make() -> nn.Module:
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


X = torch.from_numpy(np.random.default_rng(0).random((6, 3)))
Y = (X[:, :2] > 0.5).double()


def test_outputs_have_a_leading_axis():
    networks = stack_networks(make, range(4)).double()

    assert networks.members == 4
    assert networks(X).shape == (4, 6, 2)
    for at in range(4):
        assert torch.allclose(networks(X)[at], networks.member(at)(X))


def test_training_together_is_training_alone():
    networks = stack_networks(make, range(3)).double()
    alone = [networks.member(at) for at in range(3)]

    def train(model: nn.Module) -> None:
        optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
        for _ in range(10):
            optimizer.zero_grad()
            iff_loss(model(X).mT, Y.T, 1 - Y.T).sum().backward()
            optimizer.step()

    train(networks)
    for at, model in enumerate(alone):
        train(model)
        assert torch.allclose(networks(X)[at], model(X), rtol=1e-9)


def test_a_member_depends_on_its_seed_alone():
    state = torch.get_rng_state()
    many, one = stack_networks(make, [5, 6, 7]), stack_networks(make, [7])
    x = X.float()

    assert torch.allclose(many(x)[2], one(x)[0])
    assert not torch.allclose(many(x)[0], many(x)[1])
    assert torch.equal(torch.get_rng_state(), state)


def test_what_layers_remember_is_shared_by_all_members():
    networks = stack_networks(lambda: nn.Sequential(nn.Linear(3, 2), StepSigmoid()), range(3))

    for part in networks.modules():
        if isinstance(part, StepSigmoid):
            part.anneal(1.0)

    assert set(networks(X.float()).unique().tolist()) <= {0.0, 1.0}
    assert networks.member(1)[1].hard


def test_dropout_and_normalization_follow_the_mode():
    networks = stack_networks(
        lambda: nn.Sequential(nn.BatchNorm1d(3), nn.Dropout(0.5), nn.Linear(3, 1)), range(2)
    )
    x = X.float()

    networks.eval()

    assert torch.equal(networks(x), networks(x))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        networks.train()
        assert not torch.equal(networks(x), networks(x))


def test_members_are_copies():
    networks = stack_networks(make, range(2))
    before = networks(X.float())

    with torch.no_grad():
        for parameter in networks.member(0).parameters():
            parameter += 1.0

    assert torch.equal(networks(X.float()), before)


def test_states_are_saved_and_loaded():
    first, second = stack_networks(make, [1, 2]), stack_networks(make, [3, 4])

    second.load_state_dict(first.state_dict())

    assert torch.equal(first(X.float()), second(X.float()))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: stack_networks(make, []),
            "Networks to stack must be torch.nn.Modules, at least one. Got [].",
        ),
        (
            lambda: StackedNetworks([make(), nn.Sequential(nn.Linear(2, 1))]),
            "Networks to stack must be of one architecture. Number 1 has other layers than number 0.",
        ),
        (
            lambda: stack_networks(make, range(2)).member(2),
            "A member is a number from 0 to 1. Got 2; the population has 2 members.",
        ),
    ],
)
def test_errors_tell_the_fix(call, message):
    with pytest.raises(InputError) as info:
        call()

    assert str(info.value) == message
