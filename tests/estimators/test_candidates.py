"""Candidates: the best of groups that were trained here and there become one network for each fold."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from logiclens.estimators.candidates import (
    Best,
    Trained,
    Whole,
    by_fold,
    shares_right,
    shares_right_of_all,
)
from logiclens.estimators.counting import Fold
from logiclens.estimators.weighing import answers_of
from logiclens.nn.mu import MuNetwork
from logiclens.nn.plan import History

ROWS = torch.rand(7, 4, generator=torch.Generator().manual_seed(0))


def network_of(members: int, seed: int = 0) -> MuNetwork:
    streams = [np.random.default_rng([seed, at]) for at in range(members)]
    return MuNetwork(streams, 4, (3,), [0.0] * members, max_concepts=2)


def history_of(members: int, epochs: int, first: float = 0.0) -> History:
    """Losses that tell which member and epoch they are of."""
    member = first + torch.arange(members, dtype=torch.float32)
    return History(
        losses=[member + epoch / 100 for epoch in range(epochs)],
        n_iter=torch.arange(members) + epochs,
        converged=torch.arange(members) % 2 == 0,
        right_before=torch.zeros(members),
        right_after=torch.zeros(members),
    )


def best_of(network: MuNetwork, history: History, places: list[int], start: int) -> Best[MuNetwork]:
    return Best(network, history, torch.tensor(places), start, size=3, wrong=0.25)


ONE, OTHER = (network_of(6), history_of(6, 4)), (network_of(3, seed=1), history_of(3, 2, first=10.0))
FOUND = [
    best_of(*ONE, [2, 0], start=0),  # fold 0, output 0
    best_of(*ONE, [1], start=3),  # fold 0, output 1, and one more from elsewhere
    best_of(*OTHER, [0], start=0),
    best_of(*ONE, [1, 2], start=3),  # fold 1, output 0
    best_of(*OTHER, [2, 1], start=0),  # fold 1, output 1
]
PENALTIES = np.array([0.1, 0.2, 0.3])


def by_two_folds() -> list[Trained[MuNetwork]]:
    return by_fold(FOUND, PENALTIES, 2)


def test_networks_are_those_of_their_places():
    one, other = ONE[0](ROWS), OTHER[0](ROWS)
    first, second = by_two_folds()

    assert torch.equal(first.network(ROWS), torch.stack([one[2], one[0], one[4], other[0]]))
    assert torch.equal(second.network(ROWS), torch.stack([one[4], one[5], other[2], other[1]]))


def test_how_training_went_goes_along():
    first, second = by_two_folds()

    assert first.n_iter.tolist() == [6, 4, 8, 2]
    assert first.converged.tolist() == [True, True, True, True]
    assert second.converged.tolist() == [True, False, True, False]
    assert first.penalty.tolist() == [0.3, 0.1, 0.2, 0.1]
    assert second.penalty.tolist() == [0.2, 0.3, 0.3, 0.2]


def test_a_short_loss_curve_keeps_its_last_value():
    first, second = by_two_folds()

    assert first.loss_curve.shape == second.loss_curve.shape == (4, 4)
    assert first.loss_curve[:, 0] == pytest.approx([2.0, 2.01, 2.02, 2.03])
    assert first.loss_curve[:, 3] == pytest.approx([10.0, 10.01, 10.01, 10.01])


def test_some_members_of_what_was_trained():
    first = by_two_folds()[0]
    some = first.select(np.array([3, 0]))

    assert torch.equal(some.network(ROWS), first.network(ROWS)[[3, 0]])
    assert (some.loss_curve == first.loss_curve[:, [3, 0]]).all()
    assert some.n_iter.tolist() == [2, 6]
    assert some.penalty.tolist() == [0.1, 0.3]


def test_the_first_of_the_best():
    best = FOUND[0]

    assert best.members.tolist() == [2, 0]
    assert best.first(1).members.tolist() == [2]
    assert best.first(1).wrong == best.wrong == 0.25
    assert FOUND[3].members.tolist() == [4, 5]


def test_right_after_is_about_the_whole_group():
    """Also about members that are not among the best, but not about other groups."""
    history = History(right_after=torch.tensor([0.9, 0.2, 0.4, 0.3, 0.8]))
    best = Best(network_of(5), history, torch.tensor([0]), start=1, size=3, wrong=0.0)

    assert best.right_after == pytest.approx(0.4)


def test_nothing_is_lost_without_pruning():
    history = History(right_after=torch.tensor([0.1]))

    assert not Best(network_of(1), history, torch.tensor([0]), start=0, size=1, wrong=0.0).lost(10**6)


@pytest.mark.parametrize(
    ("before", "after", "n_rows", "lost"),
    [
        (0.9, 0.75, 10, False),
        (0.9, 0.75, 100, True),
        (1.0, 0.85, 1, False),  # even where all were right, a few rows prove little
        (1.0, 0.85, 10, True),
        (0.99, 0.93, 10**6, False),
        (0.8, 0.9, 100, False),
    ],
)
def test_chance_and_trifles_are_no_reason_for_a_second_width(before, after, n_rows, lost):
    """Shares of the rows held out, of the best member of a group each: the others do not matter."""
    history = History(
        right_before=torch.tensor([0.0, before, 0.1]), right_after=torch.tensor([1.0, 0.2, after])
    )
    network = network_of(1)
    best = Best(network, history, torch.tensor([0]), start=1, size=2, wrong=0.0)

    assert best.lost(n_rows) is lost


def test_the_rows_that_members_are_right_about_are_counted():
    """Trained on or checked with, on merged rows as on all rows of a fold; of equals the loss decides."""
    network, history = network_of(6), history_of(6, 1)
    history.check_loss = torch.arange(6, dtype=torch.float32)
    random = np.random.default_rng(0)
    outputs = (random.random((7, 2)) < 0.5).astype(float)
    fold = Fold(random.random(7), random.random(7))
    groups = [(0, 0), (0, 1)]
    answers = answers_of(outputs, [fold], groups, torch.arange(7), 7)

    merged = shares_right(network, ROWS, answers, history)
    whole = Whole(ROWS.numpy().astype(float), outputs, fold, np.arange(4))
    of_all = shares_right_of_all(network, whole, groups, history)

    said = (network(ROWS) > 0).numpy()  # three members for each output
    weight = fold.train + fold.check
    for member in range(6):
        right = weight @ (said[member] == (outputs[:, member // 3] > 0.5)) / weight.sum()
        for shares in (merged, of_all):
            assert shares.flatten()[member].item() == pytest.approx(right, abs=1e-6)
    history.check_loss = torch.ones(6)
    later = shares_right(network, ROWS, answers, history)
    assert (later < merged).flatten().tolist() == [True] + [False] * 5
