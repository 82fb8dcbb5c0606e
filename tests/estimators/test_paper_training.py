"""The paper's training: the same as a plain loop over networks of torch, written out here."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from logiclens.estimators._paper_training import (
    PaperRows,
    draw_as_torch,
    one_by_one,
    train_as_in_paper,
    with_outputs,
)
from logiclens.nn.criteria import iff_loss
from logiclens.nn.population import LogicNetwork
from logiclens.nn.training import Plan
from tests.nn.populations import N_CONCEPTS, make, random_x

HIDDEN = (6, 4)
L1 = 0.01


def plan(epochs: int, learning_rate: float = 1e-4, prune: bool = True) -> Plan:
    return Plan(iff_loss, epochs, learning_rate, prune=prune)


def network(kind: str, members: int, **settings: int) -> LogicNetwork:
    return make(kind, members, HIDDEN, l1=[L1] * members, **settings).float()


def sequential(n_outputs: int, activation: type[nn.Module]) -> nn.Sequential:
    first, second = HIDDEN
    parts = (nn.Linear(N_CONCEPTS, first), activation(), nn.Linear(first, second), activation())
    return nn.Sequential(*parts, nn.Linear(second, n_outputs))


def examples(n: int, seed: int = 1) -> PaperRows:
    """Exclusive or, with a target for each of its two values."""
    x = random_x(n, seed=seed).float()
    odd = (x[:, 0] > 0.5) ^ (x[:, 1] > 0.5)
    return PaperRows(x, torch.stack([~odd, odd], dim=1).float(), torch.ones(n), exclusive=True)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def logits_of(networks: list[nn.Sequential], x: Tensor) -> Tensor:
    return torch.hstack([each(x) for each in networks])


def plain_loop(
    networks: list[nn.Sequential], data: PaperRows, held_out: PaperRows, plan: Plan, n_kept: int
) -> Tensor:
    """The paper's steps, one by one; the logits of the weights that were best, on the rows of the data."""
    kept = [torch.ones(N_CONCEPTS) for _ in networks]

    def answers(x: Tensor) -> Tensor:
        return torch.hstack([each(x * mask) for each, mask in zip(networks, kept, strict=True)])

    parameters = [p for each in networks for p in each.parameters()]
    adam: torch.optim.Optimizer = torch.optim.Adam(parameters, lr=plan.learning_rate, weight_decay=1e-4)
    half = plan.epochs // 2 if plan.prune else 0
    most, best = -1.0, torch.empty(0)
    for epoch in range(plan.epochs):
        loss = cross_entropy(answers(data.x), data.y.argmax(dim=1))
        if not plan.prune:
            loss = loss + L1 * sum(p.abs().sum() for p in parameters if p.dim() == 2)
        elif epoch < half:
            loss = loss + L1 * sum(p.abs().sum() for each in networks for p in each[0].parameters())
        adam.zero_grad()
        loss.backward()
        adam.step()
        if epoch >= half:
            right = float((answers(held_out.x).argmax(dim=1) == held_out.y.argmax(dim=1)).float().mean())
            if right >= most:
                most, best = right, answers(data.x).detach()
        if plan.prune and epoch + 1 == half:
            for each, mask in zip(networks, kept, strict=True):
                order = each[0].weight.detach().norm(dim=0).argsort(descending=True)
                mask[order[n_kept:]] = 0.0
            adam = torch.optim.AdamW(parameters, lr=plan.learning_rate, weight_decay=1e-2)
    return best.T


def test_first_weights_are_those_of_torch():
    """Of the same seed; the last output is drawn first."""
    made = network("mu", 2)
    draw_as_torch(made, seeded(7))

    with torch.random.fork_rng():
        torch.manual_seed(7)
        theirs = [sequential(1, nn.LeakyReLU) for _ in range(2)]
    x = random_x(20).float()
    assert torch.allclose(made(x), logits_of(theirs[::-1], x).T, atol=1e-6)


@pytest.mark.parametrize("epochs", [2, 9, 40])
def test_mu_networks_are_trained_as_in_a_plain_loop(epochs: int):
    made, how = network("mu", 2, max_concepts=2), plan(epochs, learning_rate=0.02)
    data, held_out = examples(60), examples(30, seed=2)
    with torch.random.fork_rng():
        torch.manual_seed(3)
        theirs = [sequential(1, nn.LeakyReLU) for _ in range(2)][::-1]

    losses = train_as_in_paper(made, data, held_out, how, seeded(3))

    assert torch.allclose(made(data.x), plain_loop(theirs, data, held_out, how, 2), atol=1e-4)
    assert made.kept().sum(dim=1).tolist() == [2, 2]
    assert losses.shape == (epochs,)


def test_relu_networks_share_hidden_layers_as_in_a_plain_loop():
    made, how = with_outputs(network("relu", 2), 2), plan(30, learning_rate=0.02, prune=False)
    data, held_out = examples(60), examples(30, seed=2)
    with torch.random.fork_rng():
        torch.manual_seed(3)
        theirs = sequential(2, nn.ReLU)
    with torch.no_grad():  # the last output is drawn first
        theirs[-1].weight.copy_(theirs[-1].weight.flip(0))
        theirs[-1].bias.copy_(theirs[-1].bias.flip(0))

    train_as_in_paper(made, data, held_out, how, seeded(3))
    expected = plain_loop([theirs], data, held_out, how, N_CONCEPTS)

    assert torch.allclose(one_by_one(made, 2)(data.x), expected, atol=1e-4)
    assert torch.allclose(one_by_one(made, 1)(data.x), expected[1:] - expected[:1], atol=1e-4)


def test_dropout_is_drawn_from_the_generator_and_only_in_training():
    data = examples(60)
    runs = []
    for seed, dropout in ((0, 0.3), (0, 0.3), (0, 0.0)):
        made = with_outputs(network("relu", 1), 2)
        before = torch.get_rng_state()
        losses = train_as_in_paper(made, data, examples(0), plan(5, 0.01, prune=False), seeded(seed), dropout)
        assert torch.equal(torch.get_rng_state(), before)
        assert torch.equal(made(data.x), made(data.x))
        runs.append(losses)

    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])


def test_without_validation_rows_the_last_weights_stay():
    """The loss of the next step is that of the weights that are returned."""
    data = examples(60)
    short, long = network("mu", 2), network("mu", 2)
    train_as_in_paper(short, data, examples(0), plan(10, 0.02, prune=False), seeded())
    losses = train_as_in_paper(long, data, examples(0), plan(11, 0.02, prune=False), seeded())

    next_loss = data.loss(short(data.x)) + short.penalty().sum()
    assert next_loss.item() == pytest.approx(losses[-1].item())


def test_losses_are_those_of_torch():
    data, logits = examples(20), torch.randn(2, 20, generator=seeded())
    several = PaperRows(data.x, data.y, data.weight, exclusive=False)

    assert torch.allclose(data.loss(logits), cross_entropy(logits.T, data.y.argmax(dim=1)))
    assert torch.allclose(several.loss(logits), binary_cross_entropy_with_logits(logits.T, data.y))
    assert data.share_right(data.y.T) == 1.0
    assert several.share_right(torch.ones(2, 20)) == 0.5


def test_a_row_of_weight_two_is_two_rows():
    once, logits = examples(20), torch.randn(2, 20, generator=seeded())
    twice = PaperRows(once.x, once.y, 1.0 + (torch.arange(20) < 5).float(), exclusive=True)
    rows = torch.cat([torch.arange(20), torch.arange(5)])
    written_out = PaperRows(once.x[rows], once.y[rows], torch.ones(25), exclusive=True)

    assert torch.allclose(twice.loss(logits), written_out.loss(logits[:, rows]))
    assert twice.share_right(logits) == pytest.approx(written_out.share_right(logits[:, rows]))


def test_progress_is_told():
    told: list[int] = []
    train_as_in_paper(network("mu", 2), examples(20), examples(9), plan(4), seeded(), report=told.append)

    assert told == [1, 2, 3, 4]
