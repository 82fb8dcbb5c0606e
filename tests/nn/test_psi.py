"""The psi network: what its neurons say is what it decides."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from logiclens.explain.compose import compose
from logiclens.nn.population import join
from logiclens.nn.psi import PsiNetwork
from logiclens.nn.training import train
from tests.nn.populations import make, plan, random_x, rows_of, some_rows, streams
from tests.strategies import all_rows

NAMES = [f"c{j}" for j in range(5)]


@pytest.mark.parametrize("hidden", [(), (4,), (4, 3)])
@pytest.mark.parametrize("fan_in", [1, 2, 3, 9])
def test_composed_neurons_are_the_network_on_every_tuple(hidden, fan_in):
    """Of random weights, hardened, and of trained ones."""
    fresh = make("psi", 4, hidden, fan_in=fan_in, seed=fan_in)
    fresh.prune()
    fresh.anneal(1.0)
    trained, _ = train(make("psi", 4, hidden, fan_in=fan_in), some_rows(4), plan(epochs=20))
    tuples = all_rows(5)

    for network in (fresh, trained, join([fresh, trained])):
        said = (network(torch.from_numpy(tuples.astype(float))) > 0).numpy()
        for member in range(network.members):
            formula = compose(network.neurons(member), NAMES).outputs[0]
            assert np.array_equal(formula.evaluate(tuples, NAMES), said[member])


@pytest.mark.parametrize("fan_in", [1, 2, 3, 50])
def test_no_neuron_keeps_more_than_its_fan_in(fan_in):
    """Before and after further training; a fan-in beyond the number of inputs keeps them all."""
    network, _ = train(make("psi", fan_in=fan_in, hidden=(6, 4)), some_rows(), plan(epochs=20))

    for member in range(3):
        for weights, _ in network.neurons(member):
            assert (np.count_nonzero(weights, axis=1) <= min(fan_in, weights.shape[1])).all()
    if fan_in == 50:
        assert network.kept().all()


def test_the_largest_weights_stay():
    network = make("psi", 1, fan_in=2)
    before = network.linears[0].weight.detach().abs()[0]

    network.prune()

    weights, _ = network.neurons(0)[0]
    for row, old in zip(weights, before.numpy(), strict=True):
        kept = np.flatnonzero(row)
        assert set(kept) <= set(np.argsort(-old)[:2])


def test_concepts_from_which_no_path_leads_out_are_cut():
    """The output reads one hidden neuron, which reads one concept."""
    network = make("psi", 1, fan_in=1)

    network.prune()

    assert network.kept().sum() == 1
    x = random_x()
    (read,) = torch.nonzero(network.kept()[0])[0].tolist()
    other = x.clone()
    other[:, [j for j in range(5) if j != read]] = 0.0
    assert torch.equal(network(x), network(other))


def test_inputs_are_booleanized():
    network = make("psi")
    x = random_x(boolean=False)

    assert torch.equal(network(x), network((x > 0.5).double()))


def test_steps_come_half_way_and_stay():
    network = make("psi")

    for progress, hard in ((0.0, False), (0.49, False), (0.5, True), (1.0, True)):
        network.anneal(progress)
        assert network.hard is hard

    hidden = network.linears[0](random_x().T)
    assert set(torch.unique((hidden > 0).double()).tolist()) == {0.0, 1.0}
    trained, _ = train(network, some_rows(), plan(epochs=4))
    assert trained.hard


def test_the_penalty_is_on_all_layers_and_a_tenth_after_pruning():
    network = make("psi", l1=[0.1, 0.2, 0.3])
    strength = torch.tensor([0.1, 0.2, 0.3]).double()

    def total() -> torch.Tensor:
        return sum(layer.weight.abs().sum(dim=(1, 2)) for layer in network.linears)

    assert torch.allclose(network.penalty(), strength * total())
    network.prune()
    assert torch.allclose(network.penalty(), 0.1 * strength * total())


def test_training_begins_and_ends_without_a_change_of_outputs():
    """In training neurons see inputs as -1/2 and 1/2; what they say of them stays."""
    network, x = make("psi", hidden=(6, 4), fan_in=3), random_x()
    before = network(x)
    network.prune()
    pruned, neurons = network(x), network.neurons(1)

    network.eval()

    assert torch.allclose(network(x), pruned)
    for (_, ours), (_, theirs) in zip(network.neurons(1), neurons, strict=True):
        assert np.allclose(ours, theirs)
    assert torch.allclose(network.train()(x), pruned)
    assert not torch.allclose(before, pruned)


def test_pruning_a_weight_leaves_the_mean_of_a_neuron_where_it_is():
    """Over all tuples, a sum is on average what it was, so its threshold keeps its meaning."""
    network = make("psi", hidden=(), fan_in=2)
    tuples = torch.from_numpy(all_rows(5).astype(float))
    before = network(tuples).mean(dim=1)

    network.prune()

    assert torch.allclose(network(tuples).mean(dim=1), before)


@pytest.mark.parametrize("hidden", [(10, 4), (12, 8, 5)])
def test_several_layers_learn_exclusive_or(hidden):
    """Outputs of first weights that are too small for sigmoids hardly depend on the row."""
    tuples = all_rows(2).astype(float)
    y = torch.from_numpy((tuples[:, 0] != tuples[:, 1]).astype(float)).expand(4, 4)
    rows = rows_of(torch.from_numpy(tuples), y, share=1.0)
    network = make("psi", 4, hidden, n_concepts=2, l1=[0.001] * 4, fan_in=3)

    network, _ = train(network, rows, plan(epochs=400, learning_rate=0.1, patience=100))

    right = (network(torch.from_numpy(tuples)) > 0) == (y > 0.5)
    assert right.all(dim=1).sum() >= 3


def test_relevance_is_positive_where_a_path_leads():
    network, _ = train(make("psi"), some_rows(), plan(epochs=10))

    relevance = network.relevance(random_x())

    assert relevance.max(dim=1).values.tolist() == [1.0, 1.0, 1.0]
    assert (relevance[~network.kept()] == 0).all()


def test_relevance_of_a_single_layer_is_its_weights():
    network = PsiNetwork(streams(1), 3, [], [0.0])
    with torch.no_grad():
        network.linears[0].weight.copy_(torch.tensor([[[1.0, -4.0, 2.0]]]))

    assert network.relevance(torch.zeros(1, 3)).tolist() == [[0.25, 1.0, 0.5]]
