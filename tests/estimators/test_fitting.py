"""Populations: how they are divided, weighed and chosen from does not change what comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from logiclens.errors import InputError
from logiclens.estimators import fitting, reducing
from logiclens.estimators.balancing import Balance
from logiclens.estimators.counting import Fold
from logiclens.estimators.fitting import Population, resolve_device, train_folds
from logiclens.estimators.settings import Widths
from logiclens.nn.criteria import iff_loss
from logiclens.nn.mu import MuNetwork
from logiclens.nn.plan import Plan
from tests.estimators.toys import booleans, hidden_together

X, Y = booleans()
OUTPUTS = np.column_stack([Y, X[:, 2]]).astype(float)
PLAN = Plan(criterion=iff_loss, epochs=10, learning_rate=0.1)
ODD = np.arange(len(X)) % 2 == 1


def make(streams: Any, n_concepts: int, l1: Any, width: int) -> MuNetwork:
    return MuNetwork(streams, n_concepts, (4,), l1, max_concepts=width)


def population(**settings: Any) -> Population[MuNetwork]:
    defaults: dict[str, Any] = {
        "make": make,
        "widths": Widths((4,), (4,)),
        "penalties": (0.001, 0.01),
        "restarts": 2,
        "candidates": 1,
        "balance": Balance(power=0.2),
        "seed": 3,
        "device": "cpu",
    }
    return Population(**defaults | settings)


def folds() -> list[Fold]:
    return [Fold((~ODD).astype(float), ODD.astype(float)), Fold(ODD.astype(float), np.zeros(len(X)))]


def logits(trained: Any) -> np.ndarray:
    with torch.no_grad():
        return trained.network(torch.as_tensor(X, dtype=torch.float32)).numpy()


def test_folds_trained_together_are_folds_trained_alone():
    together = train_folds(population(), PLAN, X, OUTPUTS, folds())
    for one, fold in zip(together, folds(), strict=True):
        (alone,) = train_folds(population(), PLAN, X, OUTPUTS, [fold])
        assert np.allclose(logits(one), logits(alone), atol=1e-4)
        assert (one.penalty == alone.penalty).all()
        assert (one.n_iter == alone.n_iter).all()


def test_chunks_do_not_change_the_result(monkeypatch):
    whole = train_folds(population(), PLAN, X, OUTPUTS, folds())
    monkeypatch.setattr(fitting, "_CPU_BUDGET", 1)
    parts = train_folds(population(), PLAN, X, OUTPUTS, folds())
    for one, other in zip(whole, parts, strict=True):
        assert np.allclose(logits(one), logits(other), atol=1e-4)
        assert one.loss_curve.shape == other.loss_curve.shape == (10, 2)


def test_outputs_do_not_depend_on_one_another():
    (both,) = train_folds(population(), PLAN, X, OUTPUTS, folds()[:1])
    (first,) = train_folds(population(), PLAN, X, OUTPUTS[:, :1], folds()[:1])

    assert np.allclose(logits(both)[0], logits(first)[0], atol=1e-4)


def test_candidates_come_best_first():
    (few,) = train_folds(population(), PLAN, X, OUTPUTS, folds()[:1])
    (many,) = train_folds(population(candidates=3), PLAN, X, OUTPUTS, folds()[:1])

    assert many.network.members == 6
    assert np.allclose(logits(many)[[0, 3]], logits(few))
    assert np.allclose(logits(many.select(np.array([0, 3]))), logits(few))
    assert (many.select(np.array([3])).penalty == many.penalty[[3]]).all()


def test_more_candidates_than_members_are_all_of_them():
    (all_of_them,) = train_folds(population(candidates=99), PLAN, X, OUTPUTS, folds()[:1])

    assert all_of_them.network.members == 8
    assert sorted(set(all_of_them.penalty)) == [0.001, 0.01]


def test_a_stream_is_the_seed_the_output_and_the_place_alone():
    first = [stream.random() for stream in population().streams([0, 1])]
    second = [stream.random() for stream in population().streams([1])]

    assert first[4:] == second
    assert len(set(first)) == 8
    assert [s.random() for s in population(seed=4).streams([1])] != second


def test_progress_is_told_from_0_to_1(monkeypatch):
    monkeypatch.setattr(fitting, "_CPU_BUDGET", 1)
    told: list[float] = []
    train_folds(population(), PLAN, X, OUTPUTS, folds(), told.append)

    assert told == sorted(told)
    assert told[-1] == 1.0
    assert told[0] > 0


def test_an_output_that_is_never_or_always_true_is_learned():
    constant = np.column_stack([np.zeros(len(X)), np.ones(len(X))])
    (trained,) = train_folds(population(), PLAN, X, constant, folds()[:1])

    assert (logits(trained)[0] < 0).all()
    assert (logits(trained)[1] > 0).all()


def test_devices():
    assert resolve_device("cpu").type == "cpu"
    assert resolve_device("auto").type == ("cuda" if torch.cuda.is_available() else "cpu")
    with pytest.raises(InputError) as info:
        resolve_device("abacus")
    assert str(info.value) == (
        "device must be 'auto', 'cpu' or a device that torch can use here. Got 'abacus'."
    )


# --- widths ---

LONGER = Plan(criterion=iff_loss, epochs=60, learning_rate=0.1)
A_AND_B, C = OUTPUTS[:, :1], OUTPUTS[:, 1:]
LATE = np.arange(len(X)) >= 48  # every tuple is among the first rows and among the last
PARTS = [Fold((~LATE).astype(float), LATE.astype(float))]


def recording(tried: list[int], **settings: Any) -> Population[MuNetwork]:
    """A population that notes the widths of the networks that are made for all concepts."""

    def noted(streams: Any, n_concepts: int, l1: Any, width: int) -> MuNetwork:
        if n_concepts == X.shape[1]:  # others are made to measure their size
            tried.append(width)
        return make(streams, n_concepts, l1, width)

    return population(make=noted, penalties=(0.001,), **settings)


def kept(trained: Any) -> list[int]:
    return trained.network.kept().sum(dim=1).tolist()


def test_one_width_is_enough_where_pruning_costs_nothing():
    tried: list[int] = []
    (trained,) = train_folds(recording(tried, widths=Widths((1, 4), (1, 4))), LONGER, X, C, PARTS)

    assert tried == [1]
    assert kept(trained) == [1]


def test_a_second_width_is_tried_where_pruning_costs():
    tried: list[int] = []
    (trained,) = train_folds(recording(tried, widths=Widths((1, 4), (1, 4))), LONGER, X, A_AND_B, PARTS)

    assert tried == [1, 4]
    assert kept(trained) == [4]
    assert ((logits(trained)[0] > 0) == Y).all()


@pytest.mark.parametrize("budget", [1, fitting._CPU_BUDGET])
@pytest.mark.parametrize("ladder", [(1, 4), (1, 3, 4), (4, 4)])
def test_only_the_outputs_that_need_it_have_another_width(ladder, budget, monkeypatch):
    """Whichever of them these are, and however many widths there are."""
    monkeypatch.setattr(fitting, "_CPU_BUDGET", budget)
    outputs = np.column_stack([C, A_AND_B, C])
    (trained,) = train_folds(recording([], widths=Widths(ladder, ladder)), LONGER, X, outputs, PARTS)

    first = 1 if ladder[0] == 1 else 4
    assert kept(trained)[::2] == [first, first]
    assert kept(trained)[1] > 1
    for at, truth in enumerate(outputs.T):
        assert ((logits(trained)[at] > 0) == (truth > 0.5)).all()


def test_targets_that_may_keep_as_many_concepts_are_trained_together():
    tried: list[int] = []
    rare = X[:, :4].all(axis=1).astype(float) * (np.arange(len(X)) % 2)
    both = np.column_stack([rare, C])
    train_folds(recording(tried, widths=Widths((2,), (2,))), LONGER, X, both, PARTS)

    assert tried == [2]


def test_concepts_are_explored_once_whatever_is_kept_of_them(monkeypatch):
    explored, told = [], list[float]()
    explore = fitting.explore

    def watched(network: Any, *others: Any) -> Any:
        explored.append(network.members)
        return explore(network, *others)

    monkeypatch.setattr(fitting, "explore", watched)
    tried: list[int] = []
    train_folds(recording(tried, widths=Widths((1, 4), (1, 4))), LONGER, X, OUTPUTS, PARTS, told.append)

    assert tried == [1, 4]
    assert explored == [4]
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_a_second_width_that_is_no_better_is_not_chosen():
    """Neither two concepts nor one can tell where all of three are true."""
    tried: list[int] = []
    rare = X[:, :3].all(axis=1, keepdims=True).astype(float)
    (trained,) = train_folds(recording(tried, widths=Widths((2, 1), (2, 1))), LONGER, X, rare, PARTS)

    assert tried == [2, 1]
    assert kept(trained) == [2]


def test_each_output_has_the_width_it_needs():
    """Networks of different widths stand side by side, each as if it had been trained alone."""
    (both,) = train_folds(recording([], widths=Widths((1, 4), (1, 4))), LONGER, X, OUTPUTS, PARTS)

    assert kept(both) == [4, 1]
    for at, output in enumerate((A_AND_B, C)):
        # The other output has a stream of its own: the first one's is that of the place 0.
        part = np.column_stack([output, output])
        (alone,) = train_folds(recording([], widths=Widths((1, 4), (1, 4))), LONGER, X, part, PARTS)
        assert np.allclose(logits(both)[at], logits(alone)[at], atol=1e-4)
        assert np.allclose(both.loss_curve[-1, at], alone.loss_curve[-1, at], atol=1e-4)


def test_a_rare_target_among_several_has_widths_of_its_own():
    tried: list[int] = []
    rare = X[:, :4].all(axis=1).astype(float) * (np.arange(len(X)) % 2)
    both = np.column_stack([rare, C])
    widths = Widths(common=(1,), rare=(3,))
    (trained,) = train_folds(recording(tried, widths=widths), LONGER, X, both, PARTS)

    assert 0 < rare.mean() < 0.1
    assert sorted(tried) == [1, 3]
    assert kept(trained) == [3, 1]


def test_one_target_alone_is_not_told_from_others_however_rare_it_is():
    tried: list[int] = []
    rare = (X[:, :4].all(axis=1) * (np.arange(len(X)) % 2)).astype(float)[:, None]
    train_folds(recording(tried, widths=Widths(common=(1,), rare=(3,))), LONGER, X, rare, PARTS)

    assert tried == [1]


# --- concepts that matter together ---

TOGETHER = [0, 1, 2, 3, 4]
SOME = Plan(criterion=iff_loss, epochs=40, learning_rate=0.1)


def searching(**settings: Any) -> Population[MuNetwork]:
    return population(**{"candidates": 2, "widths": Widths((5,), (7,)), "searches": True} | settings)


def fifth_held_out(n_rows: int) -> Fold:
    held = np.arange(n_rows) % 5 == 0
    return Fold((~held).astype(float), held.astype(float))


def concepts_read(trained: Any) -> list[list[int]]:
    return [np.flatnonzero(keep).tolist() for keep in trained.network.kept().numpy()]


@pytest.mark.parametrize("seed", range(3))
def test_concepts_that_norms_miss_are_searched_for(seed):
    """The last candidate reads them, and is right more often; the first is what it was."""
    x, y = hidden_together(seed)
    (plain,) = train_folds(searching(searches=False), SOME, x, y[:, None], [fifth_held_out(len(x))])
    (both,) = train_folds(searching(), SOME, x, y[:, None], [fifth_held_out(len(x))])
    said = both.network(torch.as_tensor(x, dtype=torch.float32)).detach().numpy() > 0

    assert TOGETHER not in concepts_read(plain)
    assert concepts_read(both) == [concepts_read(plain)[0], TOGETHER]
    right = (said == (y > 0.5)).mean(axis=1)
    assert right[1] > right[0] + 0.05


def test_networks_that_were_searched_for_stand_in_their_place():
    """By fold and output, as many candidates for each, in chunks as well as at once."""
    x, y = hidden_together(0)
    outputs = np.column_stack([y, x[:, 12], y])
    both = [fifth_held_out(len(x)), fifth_held_out(len(x))]
    found = train_folds(searching(candidates=3), SOME, x, outputs, both)

    for trained in found:
        assert trained.network.members == 9
        assert trained.loss_curve.shape[1] == len(trained.penalty) == len(trained.n_iter) == 9
        read = concepts_read(trained)
        assert read[2] == read[8] == TOGETHER
        assert TOGETHER not in read[:2] + read[3:6]


def test_the_network_of_a_rare_target_reads_more_than_the_formula(monkeypatch):
    """As many more as there is room for: those that matter most to the network that norms have pruned."""

    def first_two(x: np.ndarray, yes: np.ndarray, *_: Any) -> np.ndarray:
        return np.tile(np.arange(x.shape[1]) < 2, (len(yes), 1))

    monkeypatch.setattr(fitting, "concepts_of_formulas", first_two)
    x, y = hidden_together(0)
    rare = ((x[:, 0] + x[:, 1] == 0) ^ (np.arange(len(x)) % 100 == 0)).astype(float)
    (found,) = train_folds(searching(), SOME, x, np.column_stack([rare, y]), [fifth_held_out(len(x))])
    pruned, searched, _, common = concepts_read(found)

    assert 0.0 < rare.mean() < 0.1
    assert common == [0, 1]
    assert len(searched) == 7
    assert {0, 1} < {*searched} <= {0, 1, *pruned}


def test_chunks_do_not_change_what_is_searched_for(monkeypatch):
    x, y = hidden_together(1)
    outputs = np.column_stack([y, 1.0 - y])
    (whole,) = train_folds(searching(), SOME, x, outputs, [fifth_held_out(len(x))])
    monkeypatch.setattr(fitting, "_CPU_BUDGET", 1)
    (parts,) = train_folds(searching(), SOME, x, outputs, [fifth_held_out(len(x))])

    assert concepts_read(whole) == concepts_read(parts)
    assert (whole.penalty == parts.penalty).all()


def nothing_searched_for(x: np.ndarray, y: np.ndarray, **settings: Any) -> bool:
    """Whether the candidates are those that there are without a search."""
    fold = fifth_held_out(len(x))
    (one,) = train_folds(searching(**settings), SOME, x, y[:, None], [fold])
    (other,) = train_folds(searching(**settings, searches=False), SOME, x, y[:, None], [fold])
    values = torch.as_tensor(x, dtype=torch.float32)
    return torch.equal(one.network(values), other.network(values))


def test_nothing_is_searched_for_in_few_rows():
    x, y = hidden_together(0)

    assert nothing_searched_for(x[:999], y[:999])
    assert not nothing_searched_for(x[:1000], y[:1000])


def test_nothing_is_searched_for_where_there_is_nothing_to_gain():
    """The best network is right about all rows."""
    x, _ = hidden_together(0)

    assert nothing_searched_for(x, x[:, 12])


def test_an_only_candidate_is_not_given_up_for_a_search():
    assert nothing_searched_for(*hidden_together(0), candidates=1)


def test_large_data_are_searched_in_the_sample(monkeypatch):
    """What is read is counted among all concepts, not among those of the sample."""
    x, y = hidden_together(0, n=3000)
    x = np.concatenate([np.random.default_rng(5).random((3000, 10)) < 0.5, x], axis=1).astype(float)
    monkeypatch.setattr(reducing, "MOST_CONCEPTS", 30)
    (trained,) = train_folds(searching(), SOME, x, y[:, None], [fifth_held_out(len(x))])

    assert concepts_read(trained)[-1] == [10, 11, 12, 13, 14]


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_of_many_concepts_those_of_rare_targets_are_told_among_all(monkeypatch, n_outputs):
    """Networks read all concepts by then, the search some of them."""
    x, y = hidden_together(0, n=3000)
    rare = ((x[:, 5] + x[:, 6] == 0) ^ (np.arange(len(x)) % 100 == 0)).astype(float)
    monkeypatch.setattr(reducing, "MOST_CONCEPTS", 30)
    monkeypatch.setattr(reducing, "TELLING", (12, 12, 24))
    outputs = np.column_stack([rare, y])[:, :n_outputs]
    (trained,) = train_folds(searching(), SOME, x, outputs, [fifth_held_out(len(x))])

    assert {5, 6} <= {*concepts_read(trained)[1]}
    assert trained.network.n_concepts == x.shape[1]


def test_rounded_scores_are_sampled_when_they_are_still_many(monkeypatch):
    random = np.random.default_rng(0)
    x = np.repeat(random.random((300, 4)), 3, axis=0)
    x = np.clip(np.round(15 * x) / 15 + 1e-3 * random.random(x.shape), 0.0, 1.0)
    monkeypatch.setattr(reducing, "MOST_ROWS", 100)
    trained_on = []
    explore = fitting.explore

    def watched(network: Any, rows: Any, *others: Any) -> Any:
        trained_on.append(len(rows.x))
        return explore(network, rows, *others)

    monkeypatch.setattr(fitting, "explore", watched)
    y = (x[:, :1] > 0.5).astype(float)
    (trained,) = train_folds(population(), PLAN, x, y, [Fold(np.ones(len(x)), np.zeros(len(x)))])

    assert trained.coarse
    assert max(trained_on) <= 110
