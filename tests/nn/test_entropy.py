"""The entropy network: attention that gathers on few concepts."""

from __future__ import annotations

import pytest
import torch

from logiclens.nn.criteria import iff_loss
from logiclens.nn.training import train
from tests.nn.populations import make, plan, random_x, some_rows


def test_attention_is_a_softmax_of_norms():
    network = make("entropy", temperature=0.5)
    gamma = network.linears[0].weight.abs().sum(dim=1)

    assert torch.allclose(network.attention(), torch.softmax(gamma / 0.5, dim=1))


def test_inputs_are_scaled_by_attention():
    """Scaling the first layer's weights (shared inputs) and its inputs (gathered ones) is the same."""
    network = make("entropy", hidden=(4, 3))
    x = random_x(boolean=False)

    shared = network.logits(x.T)
    repeated = network.logits(x.T.expand(3, -1, -1))

    assert torch.allclose(shared, repeated)
    alpha = network.attention()
    scaled = make("mu", hidden=(4, 3))
    with torch.no_grad():
        scaled.linears[0].weight *= (alpha / alpha.amax(dim=1, keepdim=True))[:, None, :]
    assert torch.allclose(shared, scaled(x))


def test_the_penalty_is_the_entropy():
    network = make("entropy", l1=[0.1, 0.2, 0.3])
    alpha = network.attention()

    expected = -torch.tensor([0.1, 0.2, 0.3]).double() * (alpha * alpha.log()).sum(dim=1)

    assert torch.allclose(network.penalty(), expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("size", [1e2, 1e4, 1e6])
def test_huge_weights_have_finite_attention_and_gradients(dtype, size):
    network = make("entropy").to(dtype)
    with torch.no_grad():
        network.linears[0].weight *= size
    rows = some_rows()

    loss = iff_loss(network(rows.x.to(dtype)), rows.yes.to(dtype), rows.no.to(dtype)) + network.penalty()
    gradients = torch.autograd.grad(loss.sum(), list(network.parameters()))

    assert torch.allclose(network.attention().sum(dim=1), torch.ones(3, dtype=dtype))
    assert torch.isfinite(loss).all()
    assert all(torch.isfinite(gradient).all() for gradient in gradients)


def test_members_that_keep_fewer_concepts_go_on_training():
    """Their masked columns have an attention of exactly 0, whose logarithm must not spoil the gradient."""
    network = make("entropy")
    keep = torch.tensor([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0]], dtype=torch.bool)
    network.narrow(keep)

    trained, history = train(network, some_rows(), plan(prune=False))

    assert torch.isfinite(torch.stack(history.losses)).all()
    assert (history.losses[-1] < history.losses[0]).all()
    assert torch.equal(trained.kept(), keep)


@pytest.mark.parametrize("tau", [0.0, 0.5, 1.0])
def test_what_stays_has_enough_attention(tau):
    network = make("entropy", max_concepts=4, tau=tau)
    alpha = network.attention().detach()

    network.prune()

    kept = network.kept()
    relative = alpha / alpha.amax(dim=1, keepdim=True)
    assert kept.any(dim=1).all()
    assert (kept.sum(dim=1) <= 4).all()
    assert (relative[kept] >= tau).all()
    assert torch.allclose(network.attention().sum(dim=1), torch.ones(3).double())


def test_a_strong_penalty_gathers_attention():
    rows = some_rows(2)
    rows = rows.select(torch.tensor([0, 0]))

    free, _ = train(make("entropy", 2, l1=[0.0, 0.3], max_concepts=5, tau=0.0), rows, plan(epochs=100))

    alpha = free.attention()
    spread = -(alpha * alpha.log()).sum(dim=1)
    assert spread[1] < 0.7 * spread[0]


def test_relevance_is_relative_attention():
    network, _ = train(make("entropy"), some_rows(), plan())

    relevance = network.relevance(random_x())

    assert torch.equal(relevance > 0, network.kept())
    assert relevance.max(dim=1).values.tolist() == [1.0, 1.0, 1.0]
