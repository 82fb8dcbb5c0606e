"""Models of your own: stacked, penalized, pruned, and read layer by layer."""

from __future__ import annotations

import copy
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn.utils import parametrize

from logiclens.errors import InputError
from logiclens.nn.criteria import iff_loss
from logiclens.nn.own_models import (
    EntropyLinear,
    StackedNetworks,
    StepSigmoid,
    affine_map,
    entropy_penalty,
    input_l1_penalty,
    input_relevance,
    l1_penalty,
    linear_layers,
    parts,
    prune_fan_in,
    prune_inputs,
    psi_layers,
    stack_networks,
)
from logiclens.nn.pruning import largest_weights, most_relevant
from logiclens.nn.psi import STEEPEST, steepness, step_sigmoid


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
        (lambda: stack_networks(make, []), "Networks to stack must be torch.nn.Modules, at least one"),
        (
            lambda: StackedNetworks([make(), nn.Sequential(nn.Linear(2, 1))]),
            "Networks to stack must be of one architecture.",
        ),
        (lambda: stack_networks(make, range(2)).member(2), "A member is a number from 0 to 1."),
    ],
)
def test_errors_tell_the_fix(call, message):
    with pytest.raises(InputError, match=message):
        call()


class Wrapped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inside = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
        self.last = nn.Linear(2, 1)


def test_linear_layers_of_any_model_in_order():
    model = Wrapped()

    assert linear_layers(model) == [model.inside[0], model.last]
    assert linear_layers(model)[0] is model.inside[0]
    assert linear_layers(nn.Sequential(EntropyLinear(3, 2), nn.Linear(2, 1)))[0].in_features == 3


def test_nested_sequentials_are_flat():
    a, b, c = nn.Linear(1, 1), nn.Sigmoid(), nn.Linear(1, 1)

    assert list(parts(nn.Sequential(nn.Sequential(a, b), c))) == [a, b, c]
    assert psi_layers(nn.Sequential(nn.Sequential(a, b), nn.Sequential(c))) == [a, c]


@pytest.mark.parametrize("end", [[], [nn.Sigmoid()]])
def test_layers_with_their_own_activation_are_read(end):
    a, b, c = nn.Linear(3, 2), nn.Linear(2, 2), nn.Linear(2, 1)

    assert psi_layers(nn.Sequential(a, nn.Sigmoid(), b, StepSigmoid(), c, *end)) == [a, b, c]
    assert psi_layers(nn.Sequential(a, *end)) == [a]


def test_pruned_layers_are_linear_layers():
    model = nn.Sequential(nn.Linear(3, 2), nn.Sigmoid(), nn.Linear(2, 1))
    prune_fan_in(model, 1)

    assert len(psi_layers(model)) == 2


def refused(got: str, number: int) -> str:
    return (
        "A psi network has Linear layers with Sigmoid between them and at most a Sigmoid at the end. "
        f"Got {got} as part {number}; leave it out, or use explain_torch, which explains any model."
    )


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1)], refused("Tanh", 1)),
        ([nn.Linear(2, 2), nn.Linear(2, 1)], refused("Linear", 1)),
        ([nn.Sigmoid(), nn.Linear(2, 1)], refused("Sigmoid", 0)),
        ([nn.Linear(2, 2), nn.Sigmoid(), nn.Linear(2, 2), nn.ReLU()], refused("ReLU", 3)),
        ([EntropyLinear(2, 2), nn.Sigmoid(), nn.Linear(2, 1)], refused("EntropyLinear", 0)),
        ([], "A psi network has at least one Linear layer. Got an empty Sequential."),
    ],
)
def test_anything_else_is_refused_in_one_line(layers, message):
    with pytest.raises(InputError) as info:
        psi_layers(nn.Sequential(*layers))

    assert str(info.value) == message


def test_only_a_sequential_can_be_read():
    with pytest.raises(InputError, match="A psi network must be a torch"):
        psi_layers(Wrapped())


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
        (lambda m: prune_fan_in(m, 0), "fan_in must be at least 1."),
        (lambda m: prune_fan_in(m, 1.5), "fan_in must be a whole number of at least 0."),
        (lambda m: prune_inputs(m, max_concepts=0), "max_concepts must be at least 1."),
        (lambda m: prune_inputs(m), "prune_inputs needs to know what stays."),
        (lambda m: prune_inputs(m, tau=2), "tau must be a number in"),
        (lambda _: l1_penalty(nn.Sequential(nn.Sigmoid())), "The model Sequential has no torch.nn.Linear"),
        (lambda _: l1_penalty("model"), "A model must be a torch.nn.Module."),
    ],
)
def test_errors_of_pruning_tell_the_fix(call, message):
    with pytest.raises(InputError, match=message):
        call(model_of(5, 4, 1))


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


def per_class(seed: int = 0) -> nn.Sequential:
    """An entropy network of four concepts with weights for each of three classes."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(EntropyLinear(4, 5, n_classes=3), nn.LeakyReLU(), nn.Linear(5, 1))


@pytest.mark.parametrize("bias", [True, False])
def test_each_class_has_a_layer_of_its_own(bias):
    layer, x = EntropyLinear(4, 5, 0.3, n_classes=3, bias=bias), torch.rand(6, 4)

    for at in range(3):
        alone = EntropyLinear(4, 5, 0.3, bias=bias)
        with torch.no_grad():
            alone.weight.copy_(layer.weight[at])
            if bias:
                alone.bias.copy_(layer.bias[at])
        assert torch.allclose(layer(x)[:, at], alone(x), atol=1e-6)
        assert torch.allclose(layer.attention()[at], alone.attention())
        assert torch.allclose(layer.entropy()[at], alone.entropy())
    assert torch.allclose(entropy_penalty(nn.Sequential(layer)), layer.entropy().sum())


def test_a_lower_temperature_is_sharper():
    warm, cold = EntropyLinear(4, 5, 1.0, n_classes=2), EntropyLinear(4, 5, 0.1, n_classes=2)
    cold.load_state_dict(warm.state_dict())

    assert (cold.attention().amax(dim=1) > warm.attention().amax(dim=1)).all()
    assert entropy_penalty(cold) < entropy_penalty(warm)
    assert "temperature=0.1, n_classes=2" in repr(cold)


def test_each_class_keeps_concepts_of_its_own():
    model = per_class()
    with torch.no_grad():
        model[0].weight.zero_()
        for at, concepts in enumerate(([0, 1], [2], [3, 0])):
            model[0].weight[at][:, concepts] = 1.0

    keep = prune_inputs(model, tau=0.5)

    assert keep.tolist() == [
        [True, True, False, False],
        [False, False, True, False],
        [True, False, False, True],
    ]
    assert torch.equal(model[0].attention() > 0, keep)


def test_stacked_networks_with_classes():
    networks = stack_networks(per_class, range(2))
    alone = [networks.member(at) for at in range(2)]
    x = torch.rand(6, 4)

    keep = prune_inputs(networks, max_concepts=2)

    assert keep.shape == (2, 3, 4)
    assert networks(x).shape == (2, 6, 3, 1)
    for at, model in enumerate(alone):
        assert torch.equal(prune_inputs(model, max_concepts=2), keep[at])
        assert torch.allclose(networks(x)[at], model(x), atol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: EntropyLinear(2, 1, n_classes=0), "n_classes must be at least 1."),
        (lambda: EntropyLinear(2, 1, n_classes="two"), "n_classes must be a whole number of at least 0."),
        (lambda: entropy_penalty(nn.Linear(2, 1)), "The model Linear has no EntropyLinear layer. Put one"),
    ],
)
def test_errors_of_entropy_layers_tell_the_fix(call, message):
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan"), "warm"])
def test_a_temperature_is_positive(temperature):
    with pytest.raises(InputError) as info:
        EntropyLinear(2, 1, temperature)

    assert str(info.value) == f"temperature must be a number greater than 0. Got {temperature!r}."


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
