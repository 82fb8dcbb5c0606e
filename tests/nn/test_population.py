"""Populations: layers with a leading axis, members that come, go and are put together."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from logiclens.nn.population import LogicNetwork, PopulationLinear, join
from logiclens.nn.training import train
from tests.nn.populations import KINDS, N_CONCEPTS, make, plan, random_x, some_rows, streams


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_layer_is_one_linear_layer_for_each_member(dtype):
    layer = PopulationLinear(streams(3), 4, 2).to(dtype)
    x = random_x(7, 4, boolean=False).to(dtype)

    found = layer(x.T)

    for member in range(3):
        expected = nn.functional.linear(x, layer.weight[member], layer.bias[member, :, 0])
        assert torch.allclose(found[member].T, expected)
    assert found.dtype == dtype


def test_shared_inputs_are_the_same_as_repeated_ones():
    layer = PopulationLinear(streams(3), 4, 2).double()
    x = random_x(7, 4, boolean=False)

    assert torch.allclose(layer(x.T), layer(x.T.expand(3, -1, -1)))


def test_members_do_not_depend_on_how_many_there_are():
    many, few = PopulationLinear(streams(5), 4, 2), PopulationLinear(streams(2), 4, 2)

    assert torch.equal(many.weight[:2], few.weight)
    assert torch.equal(many.bias[:2], few.bias)
    assert not torch.equal(many.weight[0], many.weight[1])


def test_first_weights_are_as_large_as_those_of_torch():
    layer = PopulationLinear(streams(50), 16, 4)

    assert 0.24 < layer.weight.abs().max() <= 0.25
    assert abs(layer.weight.mean()) < 0.01


def test_a_pruned_layer_ignores_what_was_cut():
    layer = PopulationLinear(streams(2), 3, 2).double()
    keep = torch.tensor([True, False, True])

    layer.prune(keep)
    with torch.no_grad():
        layer.weight += 1.0  # as an optimizer might

    x = random_x(6, 3, boolean=False)
    other = x.clone()
    other[:, 1] = 9.0
    assert torch.equal(layer(x.T), layer(other.T))
    assert (layer.kept_weight()[:, :, 1] == 0).all()


def test_pruning_twice_keeps_what_both_keep():
    layer = PopulationLinear(streams(1), 3, 1)

    layer.prune(torch.tensor([True, False, True]))
    layer.prune(torch.tensor([True, True, False]))

    assert layer.mask.tolist() == [[[1.0, 0.0, 0.0]]]


def test_narrowing_changes_nothing_but_the_cost():
    """Cutting columns is masking them; each member has its own."""
    narrow, masked = make("mu"), make("mu")
    keep = torch.tensor([[1, 0, 1, 0, 0], [0, 0, 0, 0, 1], [1, 1, 0, 1, 0]], dtype=torch.bool)
    x = random_x(boolean=False)

    narrow.narrow(keep)
    masked.linears[0].prune(keep[:, None, :])

    assert torch.allclose(narrow(x), masked(x))
    assert narrow.linears[0].weight.shape == (3, 4, 3)
    assert torch.equal(narrow.kept(), keep)


def test_narrowing_to_nothing_leaves_a_constant():
    network = make("mu")

    network.narrow(torch.zeros(3, N_CONCEPTS, dtype=torch.bool))

    answers = network(random_x(boolean=False))
    assert torch.equal(answers, answers[:, :1].expand_as(answers))
    assert not network.kept().any()


def test_narrowing_again_keeps_positions():
    network = make("mu", members=1)
    x = random_x(boolean=False)

    network.narrow(torch.tensor([[False, True, True, False, True]]))
    network.narrow(torch.tensor([[False, True, False]]))

    assert network.kept().tolist() == [[False, False, True, False, False]]
    other = x.clone()
    other[:, [0, 1, 3, 4]] = 0.0
    assert torch.equal(network(x), network(other))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("trained", [False, True])
def test_selected_members_are_copies_of_their_own(kind, trained):
    network = make(kind)
    if trained:
        network, _ = train(network, some_rows(), plan(epochs=4))
    x = random_x(boolean=False)
    before = network(x)

    part = network.select(torch.tensor([2, 0]))

    assert torch.allclose(part(x), before[[2, 0]])
    assert torch.equal(part.l1, network.l1[[2, 0]])
    with torch.no_grad():
        for parameter in part.parameters():
            parameter += 1.0
    assert torch.equal(network(x), before)


@pytest.mark.parametrize("kind", KINDS)
def test_joined_members_are_what_they_were(kind):
    """Also when they keep different numbers of concepts."""
    first, _ = train(make(kind, 2), some_rows(2), plan(epochs=4))
    wide = {} if kind in {"relu", "psi"} else {"max_concepts": 4, "tau": 0.0}
    second, _ = train(make(kind, 3, seed=9, **wide), some_rows(3), plan(epochs=4))
    x = random_x(boolean=False)

    whole = join([first, second])

    assert whole.members == 5
    assert torch.allclose(whole(x), torch.cat([first(x), second(x)]))
    assert torch.equal(whole.kept(), torch.cat([first.kept(), second.kept()]))
    assert torch.allclose(whole.relevance(x), torch.cat([first.relevance(x), second.relevance(x)]))
    again = whole.select(torch.arange(2, 5))
    assert torch.allclose(again(x), second(x))


def test_members_with_all_concepts_join_pruned_ones():
    whole, pruned = make("mu", 1), make("mu", 2, seed=4)
    pruned.prune()
    x = random_x(boolean=False)

    joined = join([whole, pruned])

    assert torch.allclose(joined(x), torch.cat([whole(x), pruned(x)]))


def test_the_base_leaves_the_rest_to_the_networks():
    base = LogicNetwork(streams(1), 2, [3], [0.1])

    for method in (base.penalty, base.prune):
        with pytest.raises(NotImplementedError):
            method()
    for method in (base, base.relevance):
        with pytest.raises(NotImplementedError):
            method(torch.zeros(1, 2))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hidden", [(), (4,), (4, 3)])
def test_any_number_of_hidden_layers_will_do(kind, hidden):
    network, history = train(make(kind, hidden=hidden), some_rows(), plan(epochs=6))

    assert network(random_x()).shape == (3, 40)
    assert torch.isfinite(torch.stack(history.losses)).all()


@pytest.mark.parametrize("trained", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_widened_network_says_what_it_said(kind, trained):
    """It learned from some concepts, and reads them among others."""
    network = make(kind)
    if trained:
        network, _ = train(network, some_rows(), plan(epochs=6))
    x = random_x(boolean=False)
    before, kept = network(x), network.kept()
    chosen = torch.tensor([1, 2, 4, 7, 8])
    whole = random_x(n_concepts=10, boolean=False, seed=5)
    whole[:, chosen] = x

    network.widen(chosen, 10)

    assert network.n_concepts == 10
    assert torch.allclose(network(whole), before)
    assert torch.equal(network.kept()[:, chosen], kept)
    assert network.kept().sum() == kept.sum()
    relevance = network.relevance(whole)
    left_out = [j for j in range(10) if j not in chosen]
    assert relevance.shape[-1] == 10
    assert not relevance[..., left_out].any()
