"""Pruning of models of your own: by the rules of the populations, and for good."""

from __future__ import annotations

import copy
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn.utils import parametrize

from logiclens.errors import InputError
from logiclens.nn.pruning import (
    affine_map,
    input_l1_penalty,
    input_relevance,
    l1_penalty,
    largest_weights,
    most_relevant,
    prune_fan_in,
    prune_inputs,
)
from logiclens.nn.stacking import stack_networks


def model_of(*sizes: int, seed: int = 0, activation: type[nn.Module] = nn.Sigmoid) -> nn.Sequential:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers: list[nn.Module] = []
        for n_in, n_out in pairwise(sizes):
            layers += [nn.Linear(n_in, n_out), activation()]
        return nn.Sequential(*layers[:-1])


def linears(model: nn.Sequential) -> list[nn.Linear]:
    return [layer for layer in model if isinstance(layer, nn.Linear)]


def train_on(model: nn.Module, optimizer: torch.optim.Optimizer, steps: int = 5) -> None:
    x = torch.rand(8, 5, generator=torch.Generator().manual_seed(1))
    for _ in range(steps):
        optimizer.zero_grad()
        (model(x) ** 2).sum().add(1.0).sqrt().backward()
        optimizer.step()


OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.1),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.1),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("before", [True, False])
def test_pruned_weights_stay_zero_and_the_others_train(name, before):
    """With an optimizer that was there before, momentum and all, and with a new one."""
    model = model_of(5, 4, 1)
    optimizer = OPTIMIZERS[name](model.parameters())
    train_on(model, optimizer)
    prune_fan_in(model, 2)
    cut = [layer.weight == 0 for layer in linears(model)]
    kept = [layer.weight.detach().clone() for layer in linears(model)]
    if not before:
        optimizer = OPTIMIZERS[name](model.parameters())

    train_on(model, optimizer)

    for layer, zero, old in zip(linears(model), cut, kept, strict=True):
        assert zero.any()
        assert (layer.weight[zero] == 0).all()
        assert (layer.weight[~zero] != old[~zero]).all()


@pytest.mark.parametrize("fan_in", [1, 2, 3])
def test_each_neuron_keeps_its_largest_weights(fan_in):
    model = model_of(5, 4, 3, 1)
    before = [layer.weight.detach().clone() for layer in linears(model)]

    prune_fan_in(model, fan_in)

    for layer, old in zip(linears(model), before, strict=True):
        assert (layer.weight != 0).sum(dim=1).tolist() == [min(fan_in, old.shape[1])] * len(old)
        for row, was in zip(layer.weight, old, strict=True):
            assert row.abs().sum().item() == pytest.approx(was.abs().sort().values[-fan_in:].sum().item())


def test_a_fan_in_beyond_the_inputs_keeps_all():
    model = model_of(5, 4, 1)
    before = copy.deepcopy(model)

    prune_fan_in(model, 100)

    assert all(torch.equal(a.weight, b.weight) for a, b in zip(linears(model), linears(before), strict=True))


def test_pruning_again_cuts_more_and_brings_nothing_back():
    model = model_of(5, 4, 1)

    keep = prune_inputs(model, max_concepts=3)
    prune_fan_in(model, 2)

    assert (model[0].weight[:, ~keep] == 0).all()
    assert ((model[0].weight != 0).sum(dim=1) <= 2).all()


def test_removing_the_parametrization_leaves_the_pruned_weights():
    """For those who want a plain model to save."""
    model = model_of(5, 4, 1)
    x = torch.rand(3, 5, generator=torch.Generator().manual_seed(0))
    prune_fan_in(model, 2)
    before = model(x)

    for layer in linears(model):
        parametrize.remove_parametrizations(layer, "weight")

    assert type(model[0]) is nn.Linear
    assert torch.equal(model(x), before)


def test_a_pruned_model_is_copied_saved_and_cast():
    model, other = model_of(5, 4, 1), model_of(5, 4, 1, seed=8)
    x = torch.rand(3, 5, generator=torch.Generator().manual_seed(0))
    prune_fan_in(model, 2)
    prune_fan_in(other, 2)

    other.load_state_dict(model.state_dict())

    assert torch.equal(other(x), model(x))
    assert torch.equal(copy.deepcopy(model)(x), model(x))
    assert model.double()(x.double()).dtype == torch.float64


def test_inputs_of_largest_norm_stay():
    model = model_of(5, 4, 1)
    with torch.no_grad():
        model[0].weight.zero_()
        model[0].weight[0] = torch.tensor([1.0, -4.0, 0.0, 2.0, 1.9])

    assert input_relevance(model).tolist() == pytest.approx([0.25, 1.0, 0.0, 0.5, 0.475])
    assert prune_inputs(copy.deepcopy(model), max_concepts=3).tolist() == [False, True, False, True, True]
    assert prune_inputs(copy.deepcopy(model), tau=0.5).tolist() == [False, True, False, True, False]
    assert prune_inputs(copy.deepcopy(model), max_concepts=1, tau=0.2).sum() == 1
    assert prune_inputs(copy.deepcopy(model), max_concepts=99).all()


def test_inputs_that_are_cut_no_longer_matter():
    model = model_of(5, 4, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    keep = prune_inputs(model, max_concepts=2)
    train_on(model, optimizer)
    x = torch.rand(4, 5, generator=torch.Generator().manual_seed(0))
    other = torch.where(keep, x, 1 - x)

    assert torch.equal(model(x), model(other))
    assert torch.equal(input_relevance(model) > 0, keep)


@given(st.lists(st.floats(0, 9), min_size=1, max_size=6), st.integers(1, 8), st.floats(0, 1))
def test_something_always_stays(scores, n_kept, tau):
    keep = most_relevant(torch.tensor([scores, scores], dtype=torch.float64), n_kept, tau)

    assert torch.equal(keep[0], keep[1])
    assert 1 <= keep[0].sum() <= min(n_kept, len(scores))


def test_equal_weights_go_by_position():
    assert largest_weights(torch.ones(1, 4), 2).tolist() == [[True, True, False, False]]
    assert most_relevant(torch.ones(1, 4), 2, 0.0).tolist() == [[True, True, False, False]]


def test_penalties_are_sums_of_absolute_weights():
    model = model_of(5, 4, 1)
    prune_fan_in(model, 2)

    assert torch.allclose(l1_penalty(model), model[0].weight.abs().sum() + model[2].weight.abs().sum())
    assert torch.allclose(input_l1_penalty(model), model[0].weight.abs().sum())
    l1_penalty(model).backward()
    original = model[0].parametrizations.weight.original
    assert torch.equal(original.grad != 0, model[0].weight != 0)


@given(st.lists(st.integers(1, 5), max_size=3), st.integers(1, 3), st.booleans(), st.integers(0, 9999))
def test_the_affine_map_is_the_model(hidden, outputs, bias, seed):
    model = model_of(5, *hidden, outputs, seed=seed, activation=nn.ReLU).double()
    if not bias:
        for layer in linears(model):
            layer.bias = None
    x = torch.rand(6, 5, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)

    weight, shift = affine_map(model, x)

    assert weight.shape == (outputs, 6, 5)
    assert torch.allclose((weight * x).sum(dim=-1) + shift, model(x).T, rtol=1e-12, atol=1e-12)


def test_affine_maps_of_two_outputs_differ():
    """Each output has concepts of its own that matter."""
    model = model_of(5, 8, 2, activation=nn.ReLU)
    x = torch.rand(6, 5, generator=torch.Generator().manual_seed(0))

    first, second = affine_map(model, x).weight

    assert not torch.allclose(first, second)


def test_a_sigmoid_at_the_end_is_left_out_of_the_map():
    model = model_of(5, 4, 1, activation=nn.ReLU)
    x = torch.rand(6, 5, generator=torch.Generator().manual_seed(0))

    plain, ended = affine_map(model, x), affine_map(nn.Sequential(*model, nn.Sigmoid()), x)

    assert torch.equal(plain.weight, ended.weight)
    assert torch.equal(plain.bias, ended.bias)


def test_each_member_of_stacked_networks_is_pruned_for_itself():
    networks = stack_networks(lambda: nn.Sequential(nn.Linear(5, 4), nn.Sigmoid(), nn.Linear(4, 1)), range(3))
    alone = [networks.member(at) for at in range(3)]

    keep = prune_inputs(networks, max_concepts=3)
    prune_fan_in(networks, 2)
    for model in alone:
        prune_inputs(model, max_concepts=3)
        prune_fan_in(model, 2)

    x = torch.rand(6, 5, generator=torch.Generator().manual_seed(0))
    assert keep.shape == (3, 5)
    assert len({tuple(row) for row in keep.tolist()}) > 1
    for at, model in enumerate(alone):
        assert torch.allclose(networks(x)[at], model(x))
        assert torch.allclose(networks.member(at)(x), model(x))
    assert torch.allclose(l1_penalty(networks), sum(l1_penalty(model) for model in alone))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: prune_fan_in(m, 0), "fan_in must be at least 1. Got 0."),
        (lambda m: prune_fan_in(m, 1.5), "fan_in must be a whole number of at least 0. Got 1.5."),
        (lambda m: prune_inputs(m, max_concepts=0), "max_concepts must be at least 1. Got 0."),
        (
            lambda m: prune_inputs(m),
            "prune_inputs needs to know what stays. Got neither; pass max_concepts or tau.",
        ),
        (lambda m: prune_inputs(m, tau=2), "tau must be a number in [0, 1]. Got 2."),
        (
            lambda _: l1_penalty(nn.Sequential(nn.Sigmoid())),
            "The model Sequential has no torch.nn.Linear layer. Use at least one.",
        ),
        (lambda _: l1_penalty("model"), "A model must be a torch.nn.Module. Got 'model'."),
    ],
)
def test_errors_tell_the_fix(call, message):
    with pytest.raises(InputError) as info:
        call(model_of(5, 4, 1))

    assert str(info.value) == message
