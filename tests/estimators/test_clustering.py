"""Training for mutual information, and the choice of the best start."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.estimators.cluster_rules import Reading, Tuples
from logiclens.estimators.clustering import (
    Starts,
    certainty,
    cluster,
    cluster_loss,
    clusters_of,
    information,
)
from logiclens.nn.criteria import mutual_information_loss
from logiclens.nn.mu import MuNetwork
from logiclens.nn.plan import Plan
from tests.strategies import all_rows

PLAN = Plan(criterion=cluster_loss, epochs=60, learning_rate=0.1, patience=30)


def made(streams, n_concepts, l1):
    return MuNetwork(streams, n_concepts, (5,), l1, max_concepts=3)


def starts(n_clusters: int = 2, **changed) -> Starts:
    given = {"penalties": (0.001,), "restarts": 2, "narrow": 4, "seed": 0, "device": "cpu"} | changed
    return Starts(made, n_clusters, **given)


def tuples_of(bits: np.ndarray, weight: np.ndarray | None = None) -> Tuples:
    return Tuples.of(bits.astype(float), np.ones(len(bits)) if weight is None else weight)


def reading(n_concepts: int) -> Reading:
    return Reading(tuple(f"x{j}" for j in range(n_concepts)), 3, 10, 0.01)


def biased(n: int = 300, seed: int = 0) -> Tuples:
    """Four independent concepts, of which the third is the most even."""
    return tuples_of(np.random.default_rng(seed).random((n, 4)) < [0.2, 0.35, 0.5, 0.7])


@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_the_loss_of_each_start_is_that_of_its_own_clusters(n_clusters, n_starts, seed):
    logits = torch.randn(n_starts * n_clusters, 6, generator=torch.Generator().manual_seed(seed))
    weight = torch.rand(6, generator=torch.Generator().manual_seed(seed + 1)).expand_as(logits)

    loss = cluster_loss(logits, weight, 0 * weight, n_clusters)

    assert loss.shape == (n_starts * n_clusters,)
    for start in range(n_starts):
        own = slice(start * n_clusters, (start + 1) * n_clusters)
        alone = mutual_information_loss(logits[own], weight[0]) / np.log(max(n_clusters, 2))
        assert torch.allclose(loss[own], alone.expand(n_clusters))
        assert len(set(loss[own].tolist())) == 1, "clusters of a start stop together"


def test_the_loss_of_a_sure_even_split_is_minus_one_for_any_number_of_clusters():
    for n_clusters in (2, 3, 5):
        logits = 50.0 * torch.eye(n_clusters)
        loss = cluster_loss(logits, torch.ones_like(logits), torch.zeros_like(logits), n_clusters)
        assert torch.allclose(loss, torch.tensor(-1.0))


def test_the_most_even_concept_makes_the_two_clusters():
    found = cluster(starts(), PLAN, biased(), reading(4))

    assert {concept for each in found.rules.values() for concept in each.concepts} == {"x2"}
    assert found.rules.complexity == 1.0
    assert found.network.members == 2


def test_the_network_the_rules_and_the_clusters_have_the_same_numbers():
    tuples = biased()
    found = cluster(starts(), PLAN, tuples, reading(4))

    assert (clusters_of(found.network, tuples, 2)[0] == found.clusters).all()
    assert (found.rules.predict(tuples.bits) == found.clusters).all()


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_clusters_are_numbered_from_the_largest_on(n_clusters):
    tuples = biased()
    found = cluster(starts(n_clusters), PLAN, tuples, reading(4))

    sizes = np.bincount(found.clusters, weights=tuples.weight, minlength=n_clusters)
    assert (np.diff(sizes) <= 0).all()
    assert [each.support for each in found.rules.values()] == sizes.tolist()


def test_equally_large_clusters_are_numbered_by_their_formulas():
    tuples = tuples_of(np.repeat([[0, 1], [1, 1]], 5, axis=0))
    rules = [cluster(starts(seed=seed), PLAN, tuples, reading(2)).rules for seed in range(4)]

    formulas = [each.formula for each in rules[0].values()]
    assert formulas == sorted(formulas)
    assert all(each.formulas == rules[0].formulas for each in rules)


def test_between_equal_clusterings_the_seed_has_no_say():
    tuples = tuples_of(np.tile(all_rows(3), (3, 1)))  # any of three concepts is as good
    found = [cluster(starts(seed=seed), PLAN, tuples, reading(3)).rules.formulas for seed in range(4)]

    assert all(each == found[0] for each in found)


def test_a_chunk_more_or_less_changes_nothing(monkeypatch: pytest.MonkeyPatch):
    tuples = biased()
    whole = cluster(starts(), PLAN, tuples, reading(4))
    monkeypatch.setattr("logiclens.estimators.clustering.members_at_once", lambda *_: 1)

    parts = cluster(starts(), PLAN, tuples, reading(4))

    assert parts.rules.formulas == whole.rules.formulas
    assert (parts.clusters == whole.clusters).all()


def test_merged_rows_are_their_weights():
    bits = np.random.default_rng(1).random((80, 3)) < [0.3, 0.5, 0.8]
    copies = np.random.default_rng(2).integers(1, 4, 80)

    weighted = cluster(starts(), PLAN, tuples_of(bits, copies.astype(float)), reading(3))
    repeated = cluster(starts(), PLAN, tuples_of(np.repeat(bits, copies, axis=0)), reading(3))

    assert weighted.rules.formulas == repeated.rules.formulas
    assert weighted.value == pytest.approx(repeated.value, abs=1e-12)


def test_the_value_is_the_information_less_errors_and_literals():
    tuples = biased()
    found = cluster(starts(), PLAN, tuples, reading(4))

    share = information(found.clusters, tuples) / np.log(2)
    wrong = sum(1.0 - each.scores.fidelity for each in found.rules.values())
    literals = sum(each.complexity for each in found.rules.values())
    assert found.value == pytest.approx(share - wrong - 0.01 * literals)


def test_progress_goes_from_some_to_all():
    told: list[float] = []
    cluster(starts(), PLAN, biased(), reading(4), told.append)

    assert told == sorted(told)
    assert told[0] > 0.0
    assert told[-1] <= 1.0


def test_a_network_that_was_hardly_trained_is_not_certain():
    tuples = biased()
    short = cluster(starts(), Plan(criterion=cluster_loss, epochs=2, learning_rate=1e-4), tuples, reading(4))

    assert certainty(short, tuples) < 0.5
    assert certainty(cluster(starts(), PLAN, tuples, reading(4)), tuples) > 0.9


def test_clusters_that_tell_nothing_are_certain():
    tuples = tuples_of(np.ones((5, 2)))
    found = cluster(starts(), PLAN, tuples, reading(2))

    assert information(found.clusters, tuples) == 0.0
    assert certainty(found, tuples) == 1.0
