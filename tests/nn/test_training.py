"""The training loop: members train as if alone, keep their best weights, and touch nothing global."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from logiclens.nn._descent import PopulationRows
from logiclens.nn.criteria import if_loss, iff_loss, mutual_information_loss, only_if_loss
from logiclens.nn.training import Plan, explore, train
from tests.nn.populations import KINDS, make, plan, random_x, rows_of, some_rows

ALONE = {"rtol": 1e-6, "atol": 1e-8}


def weights(network) -> list[torch.Tensor]:
    return [parameter.detach().clone() for parameter in network.parameters()]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("boolean", [True, False])
def test_a_population_is_its_members_trained_alone(kind, boolean):
    """Pruning, early stopping and compaction included."""
    rows = some_rows(boolean=boolean)
    x = random_x(boolean=boolean)
    together, history = train(make(kind), rows, plan())

    for member in range(3):
        index = torch.tensor([member])
        alone, own = train(make(kind).select(index), rows.select(index), plan())
        assert torch.allclose(together(x)[member], alone(x)[0], **ALONE)
        assert torch.equal(together.kept()[member], alone.kept()[0])
        assert history.n_iter[member] == own.n_iter[0]
        assert torch.allclose(history.check_loss[member], own.check_loss[0], **ALONE)


def test_members_that_leave_do_not_change_the_others():
    """Three of four are done at once, so the population is compacted while the fourth goes on."""
    rows = some_rows(4)
    flat = replace(
        rows, check_yes=rows.check_yes.clone(), check_no=rows.check_no.clone()
    )  # the first three are checked on what they cannot get better at
    flat.check_yes[:3], flat.check_no[:3] = 1e-3, 1e-3
    settings = plan(epochs=80, patience=15, learning_rate=0.02)

    together, history = train(make("mu", 4), flat, settings)
    index = torch.tensor([3])
    alone, own = train(make("mu", 4).select(index), flat.select(index), settings)

    assert (history.n_iter[:3] < history.n_iter[3]).all()
    assert torch.allclose(together(rows.x)[3], alone(rows.x)[0], **ALONE)
    assert torch.equal(history.n_iter[3:], own.n_iter)


@pytest.mark.parametrize("batch_size", [None, 7])
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_explored_once_is_tuned_as_if_from_the_start(kind, batch_size):
    """All members twice, then some of them: each is what training alone gives."""
    rows, settings = some_rows(3), plan(batch_size=batch_size)
    explored = explore(make(kind), rows, settings)
    before = weights(explored.network)

    for index in (torch.tensor([0, 1, 2]), torch.tensor([0, 1, 2]), torch.tensor([2, 0])):
        some = explored if len(index) == 3 else explored.select(index)
        given = make(kind).select(index)
        tuned, history = some.tuned(given)
        alone, own = train(make(kind).select(index), rows.select(index), settings)

        assert tuned is given
        assert torch.equal(tuned.kept(), alone.kept())
        assert torch.allclose(tuned(rows.x), alone(rows.x), **ALONE)
        assert torch.equal(history.n_iter, own.n_iter)
        assert torch.allclose(torch.stack(history.losses), torch.stack(own.losses), **ALONE)
    assert all(torch.equal(*pair) for pair in zip(before, weights(explored.network), strict=True))


def test_what_was_explored_once_is_pruned_to_what_a_network_keeps():
    rows = some_rows(3)
    explored = explore(make("mu"), rows, plan())

    for width in (2, 4, 1):
        network = make("mu")
        network.max_concepts = width
        tuned, _ = explored.tuned(network)
        assert tuned.kept().sum(dim=1).tolist() == [width] * 3


@pytest.mark.parametrize("kind", KINDS)
def test_each_member_ends_with_its_best_weights(kind):
    rows = some_rows()

    network, history = train(make(kind), rows, plan(learning_rate=0.3, epochs=60, patience=1000))

    with torch.no_grad():
        loss = iff_loss(network(rows.x), rows.check_yes, rows.check_no)
    assert torch.allclose(loss, history.check_loss)


def test_a_member_that_is_done_keeps_its_weights():
    """It leaves long before the epochs are over, with the weights of its least loss."""
    rows = some_rows(1)
    settings = plan(patience=5, learning_rate=0.5, prune=False, epochs=200)
    network, history = train(make("relu", 1), rows, settings)

    assert history.n_iter[0] < 200
    assert history.converged.tolist() == [True]
    assert len(history.losses) == history.n_iter[0]
    with torch.no_grad():
        loss = iff_loss(network(rows.x), rows.check_yes, rows.check_no)
    assert torch.allclose(loss, history.check_loss)


def test_a_member_that_is_done_does_not_come_back():
    """It stays in the batch as long as most others go on, but what happens to it no longer counts."""
    looks = []

    def scheduled(logits, yes, no):
        loss = iff_loss(logits, yes, no)
        if torch.is_grad_enabled():
            return loss
        looks.append(loss)
        late = 0.1 if len(looks) > 5 else 2.0
        first = 1.0 if len(looks) == 1 else late  # worse for a while, then better than ever
        return torch.tensor([first, *[10.0 / len(looks)] * (len(loss) - 1)], dtype=loss.dtype)

    _, history = train(
        make("relu", 4), some_rows(4), plan(criterion=scheduled, prune=False, patience=10, epochs=50)
    )

    assert history.n_iter.tolist() == [10, 50, 50, 50]
    assert history.check_loss[0] == 1.0


def test_without_validation_rows_the_last_weights_are_best():
    rows = some_rows(share=1.1)
    short, history = train(make("relu"), rows, plan(prune=False, epochs=30, patience=5))
    assert not (rows.check_yes + rows.check_no).any()

    with torch.no_grad():
        before = iff_loss(make("relu")(rows.x), rows.yes, rows.no)
        after = iff_loss(short(rows.x), rows.yes, rows.no)
    assert (after < before).all()
    assert torch.allclose(history.check_loss, after)


def test_members_with_and_without_validation_rows_train_together():
    rows = some_rows(2)
    rows.check_yes[0], rows.check_no[0] = 0.0, 0.0

    both, _ = train(make("relu", 2), rows, plan())
    index = torch.tensor([0])
    alone, _ = train(make("relu", 2).select(index), rows.select(index), plan())

    assert torch.allclose(both(rows.x)[0], alone(rows.x)[0], **ALONE)


@pytest.mark.parametrize("kind", ["mu", "psi", "entropy"])
def test_pruned_weights_are_zero_after_training(kind):
    network, _ = train(make(kind), some_rows(), plan())

    for layer in network.linears:
        assert (layer.weight[layer.mask == 0] == 0).all()
    assert (network.linears[0].mask == 0).any() or network.linears[0].weight.shape[2] < network.n_concepts


@pytest.mark.parametrize("kind", KINDS)
def test_merged_rows_train_the_same_weights(kind):
    """Each row five times, or once with five times the weight."""
    x = random_x(40)
    targets = some_rows(3, 40).yes.gt(0).double()
    once = rows_of(x, targets)
    five = PopulationRows(
        x.repeat(5, 1), *(w.repeat(1, 5) / 5 for w in (once.yes, once.no, once.check_yes, once.check_no))
    )

    assert len(five.merged().x) < len(five.x)
    few, short = train(make(kind), once, plan())
    many, long = train(make(kind), five, plan())

    assert torch.allclose(torch.stack(short.losses)[0], torch.stack(long.losses)[0], rtol=1e-12)
    for mine, other in zip(weights(few), weights(many), strict=True):
        assert torch.allclose(mine, other, **ALONE)


@pytest.mark.parametrize("kind", KINDS)
def test_mini_batches_learn(kind):
    rows = some_rows(n=60, boolean=False)

    network, history = train(make(kind), rows, plan(batch_size=16, epochs=60))

    assert torch.isfinite(torch.stack(history.losses)).all()
    assert (history.losses[-1] < history.losses[0]).all()
    assert network(rows.x).shape == (3, 60)


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_of_all_rows_is_the_full_batch(kind):
    rows = some_rows(boolean=False)

    batched, _ = train(make(kind), rows, plan(batch_size=len(rows.x)))
    whole, _ = train(make(kind), rows, plan())

    assert all(torch.equal(a, b) for a, b in zip(weights(batched), weights(whole), strict=True))


def test_the_generator_decides_the_batches():
    rows = some_rows(boolean=False)

    def run(seed: int | None) -> torch.Tensor:
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        return train(make("mu"), rows, plan(batch_size=8, epochs=6), generator)[0](rows.x)

    assert torch.equal(run(1), run(1))
    assert not torch.equal(run(1), run(2))
    assert torch.equal(run(None), run(None))


@pytest.mark.parametrize("batch_size", [None, 8])
def test_nothing_global_is_touched(batch_size):
    torch_state, numpy_state = torch.get_rng_state(), np.random.get_state()
    threads = torch.get_num_threads()

    train(make("mu"), some_rows(boolean=False), plan(batch_size=batch_size, epochs=6))

    assert torch.equal(torch.get_rng_state(), torch_state)
    assert np.array_equal(np.random.get_state()[1], numpy_state[1])
    assert np.random.get_state()[2] == numpy_state[2]
    assert torch.get_num_threads() == threads


@pytest.mark.parametrize("criterion", [if_loss, only_if_loss])
def test_every_criterion_trains(criterion):
    rows = some_rows()

    _, history = train(make("mu"), rows, plan(criterion=criterion))

    assert (history.losses[-1] < history.losses[0]).all()


def test_a_loss_below_zero_stops_when_it_no_longer_falls():
    """A criterion that is constantly negative is done at the first look after the patience, not never."""

    def constant(logits, yes, no):
        return -1.0 + 0.0 * (logits * (yes + no)).sum(dim=-1)

    _, history = train(make("relu"), some_rows(), plan(criterion=constant, prune=False, patience=10))

    assert history.n_iter.tolist() == [12, 12, 12]  # looked at in every fourth epoch


def test_history_is_complete():
    told = []
    network, history = train(make("mu"), some_rows(), plan(epochs=21, patience=1000), progress=told.append)

    assert torch.stack(history.losses).shape == (21, 3)
    assert told == list(range(1, 22))
    assert history.n_iter.tolist() == [21, 21, 21]
    assert history.converged.dtype == torch.bool
    assert not network.training


@pytest.mark.parametrize("epochs", [0, 1])
def test_hardly_any_epochs(epochs):
    network, history = train(make("mu"), some_rows(), plan(epochs=epochs))

    assert len(history.losses) == epochs
    assert history.converged.shape == (3,)
    assert network.kept().sum(dim=1).tolist() == [3, 3, 3]


@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_trains_too(kind):
    rows = some_rows()
    single = PopulationRows(
        *(getattr(rows, name).float() for name in ("x", "yes", "no", "check_yes", "check_no"))
    )

    network, history = train(make(kind).float(), single, plan())

    assert network(single.x).dtype == torch.float32
    assert torch.isfinite(torch.stack(history.losses)).all()


def test_adam_is_that_of_torch():
    """Full batch, no pruning, a rate that stays: the first steps are those of torch's own optimizer."""
    rows = some_rows(share=1.1)
    mine, other = make("relu"), make("relu")
    optimizer = torch.optim.Adam(other.parameters(), lr=0.05)

    train(mine, rows, Plan(iff_loss, epochs=4, learning_rate=0.05, prune=False))
    for epoch in range(4):
        for group in optimizer.param_groups:
            group["lr"] = 0.05 * min(1.0, 2.0 * (1.0 - epoch / 4))
        optimizer.zero_grad()
        (iff_loss(other(rows.x), rows.yes, rows.no) + other.penalty()).sum().backward()
        optimizer.step()

    for a, b in zip(weights(mine), weights(other), strict=True):
        assert torch.allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_members_that_are_compared_row_by_row_train_as_their_group_does_alone(kind):
    """Two groups of two; each pair is one clustering, so both have one loss and stop together."""

    def compared(logits, yes, no):  # noqa: ARG001 - there are no labels
        pairs = logits.view(-1, 2, logits.shape[-1])
        return mutual_information_loss(pairs, yes.view(pairs.shape)[:, 0]).repeat_interleave(2)

    x = random_x(n=60)
    weight = torch.full((4, 60), 1 / 60, dtype=torch.float64)
    rows = PopulationRows(x, weight, 0 * weight, weight, 0 * weight)
    settings = replace(plan(epochs=60, patience=10), criterion=compared, together=2)
    penalties = [1e-4] * 4

    whole, history = train(make(kind, 4, l1=penalties), rows, settings)

    for first in (0, 2):
        index = torch.tensor([first, first + 1])
        assert history.n_iter[first] == history.n_iter[first + 1]
        alone, own = train(make(kind, 4, l1=penalties).select(index), rows.select(index), settings)
        assert torch.allclose(whole(x)[index], alone(x), **ALONE)
        assert torch.equal(history.n_iter[index], own.n_iter)


# --- what pruning costs ---
