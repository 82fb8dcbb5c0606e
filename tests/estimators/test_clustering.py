"""Clusterings: groups to start from, training, rules, and the choice of a start."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, silhouette_score

from logiclens.estimators import LENClusterer, _clustering
from logiclens.estimators._clustering import (
    DistinctRows,
    Starts,
    alike_groups,
    certainty,
    cluster,
    cluster_loss,
    clusters_of,
    explain_clusters,
    information,
    number_of_clusters,
    read_concepts,
    silhouette,
)
from logiclens.estimators.fit import SearchSettings
from logiclens.explain import RuleKind
from logiclens.explain.front import NO_FORMULA
from logiclens.logic import FALSE, TRUE, Var, equivalent
from logiclens.nn.criteria import mutual_information_loss
from logiclens.nn.mu import MuNetwork
from logiclens.nn.population import LogicNetwork
from logiclens.nn.training import Plan
from tests.nn.populations import make
from tests.strategies import all_rows

PLAN = Plan(criterion=cluster_loss, epochs=60, learning_rate=0.1, patience=30)


def made(streams, n_concepts, l1):
    return MuNetwork(streams, n_concepts, (5,), l1, max_concepts=3)


def starts(n_clusters: int = 2, **changed) -> Starts:
    given = {"penalties": (0.001,), "restarts": 2, "seed": 0, "device": "cpu"} | changed
    return Starts(made, n_clusters, **given)


def tuples_of(bits: np.ndarray, weight: np.ndarray | None = None) -> DistinctRows:
    return DistinctRows.of(bits.astype(float), np.ones(len(bits)) if weight is None else weight)


def search(n_concepts: int, **changed) -> SearchSettings:
    names = tuple(f"x{j}" for j in range(n_concepts))
    given = {"distillation": 1.0, "literal_cost": 0.01, "max_literals": 20} | changed
    return SearchSettings(RuleKind.CLUSTER, names, **given)


def biased(n: int = 300, seed: int = 0) -> DistinctRows:
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


def test_the_most_even_concept_makes_the_two_clusters():
    found = cluster(starts(), PLAN, biased(), search(4), 3)

    assert {concept for each in found.rules.values() for concept in each.concepts} == {"x2"}
    assert found.rules.complexity == 1.0
    assert found.network.members == 2


def test_the_network_the_rules_and_the_clusters_have_the_same_numbers():
    tuples = biased()
    found = cluster(starts(), PLAN, tuples, search(4), 3)

    assert (clusters_of(found.network, tuples, 2)[0] == found.clusters).all()
    assert (found.rules.predict(tuples.bits) == found.clusters).all()


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_clusters_are_numbered_from_the_largest_on(n_clusters):
    tuples = biased()
    found = cluster(starts(n_clusters), PLAN, tuples, search(4), 3)

    sizes = np.bincount(found.clusters, weights=tuples.weight, minlength=n_clusters)
    assert (np.diff(sizes) <= 0).all()
    assert [each.support for each in found.rules.values()] == sizes.tolist()


def test_equally_large_clusters_are_numbered_by_their_formulas():
    tuples = tuples_of(np.repeat([[0, 1], [1, 1]], 5, axis=0))
    rules = [cluster(starts(seed=seed), PLAN, tuples, search(2), 3).rules for seed in range(4)]

    formulas = [each.formula for each in rules[0].values()]
    assert formulas == sorted(formulas)
    assert all(each.formulas == rules[0].formulas for each in rules)


def test_between_equal_clusterings_the_seed_has_no_say():
    tuples = tuples_of(np.tile(all_rows(3), (3, 1)))  # any of three concepts is as good
    found = [cluster(starts(seed=seed), PLAN, tuples, search(3), 3).rules.formulas for seed in range(4)]

    assert all(each == found[0] for each in found)


def test_merged_rows_are_their_weights():
    bits = np.random.default_rng(1).random((80, 3)) < [0.3, 0.5, 0.8]
    copies = np.random.default_rng(2).integers(1, 4, 80)

    weighted = cluster(starts(), PLAN, tuples_of(bits, copies.astype(float)), search(3), 3)
    repeated = cluster(starts(), PLAN, tuples_of(np.repeat(bits, copies, axis=0)), search(3), 3)

    assert weighted.rules.formulas == repeated.rules.formulas
    assert weighted.value == pytest.approx(repeated.value, abs=1e-12)


def test_the_value_is_information_and_silhouette_less_errors_and_literals():
    tuples = biased()
    found = cluster(starts(), PLAN, tuples, search(4), 3)

    wrong = tuples.weight @ (found.rules.predict(tuples.bits) != found.clusters) / tuples.total
    separate = information(found.clusters, tuples) / np.log(2) + silhouette(found.clusters, tuples)
    assert found.value == pytest.approx(separate - wrong - 0.01 * found.rules.literals)


def test_progress_goes_from_some_to_all():
    told: list[float] = []
    cluster(starts(), PLAN, biased(), search(4), 3, told.append)

    assert told == sorted(told)
    assert told[0] > 0.0
    assert told[-1] <= 1.0


def test_clusters_that_tell_nothing_are_certain():
    tuples = tuples_of(np.ones((5, 2)))
    found = cluster(starts(), PLAN, tuples, search(2), 3)

    assert information(found.clusters, tuples) == 0.0
    assert certainty(found, tuples) == 1.0


# --- rules of given clusters ---

A, B, C = Var("x0"), Var("x1"), Var("x2")


class Given(LogicNetwork):
    """What puts tuples of three concepts into clusters that a function names, all but certainly."""

    def __init__(self, clusters, n_clusters: int) -> None:
        super().__init__([np.random.default_rng(0)] * n_clusters, 3, (2,), [0.0] * n_clusters)
        self.of = clusters

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        chosen = torch.as_tensor(self.of(x > 0.5)).long()
        return 20.0 * torch.nn.functional.one_hot(chosen, self.members).T.to(x.dtype)


def explained(clusters, n_clusters: int = 2, tuples: DistinctRows | None = None, most: int = 7, **changed):
    tuples = tuples_of(all_rows(3)) if tuples is None else tuples
    return explain_clusters(Given(clusters, n_clusters), tuples, search(3, **changed), most).rules()


def test_a_rule_is_a_statement_about_its_own_cluster():
    rules = explained(lambda x: x[:, 0] & x[:, 1])

    assert equivalent(rules[1].formula, A & B)
    assert equivalent(rules[0].formula, ~(A & B))
    assert {each.kind for each in rules.values()} == {RuleKind.CLUSTER}
    assert str(rules[1]) == "forall x in O_1: x0(x) & x1(x)"
    assert (rules[1].support, rules[0].support) == (2.0, 6.0)
    assert rules.literals == 2, "one step, and otherwise the other cluster"


def test_scores_are_about_the_clusters_since_there_is_no_truth():
    scores = explained(lambda x: x[:, 2])[1].scores

    assert scores is not None
    assert scores.accuracy is None
    assert (scores.fidelity, scores.precision, scores.recall, scores.n_rows) == (1.0, 1.0, 1.0, 8)


@pytest.mark.parametrize("weight", [1.0, 0.5])
def test_scores_count_all_rows_that_were_merged(weight):
    tuples = tuples_of(np.repeat(all_rows(3), 3, axis=0), np.full(24, weight))

    assert [each.scores.n_rows for each in explained(lambda x: x[:, 2], tuples=tuples).values()] == [24, 24]


def test_one_cluster_of_all_rows_is_true():
    rules = explained(lambda x: 0 * x[:, 0])

    assert (rules[0].formula, rules[0].status) == (TRUE, "always predicted on the data")


def test_a_literal_must_be_worth_its_price():
    """The cluster is x0, but for one tuple of less weight."""
    tuples = tuples_of(all_rows(3), np.where(all_rows(3).all(axis=1), 0.5, 1.0))

    def clusters(x):
        return x[:, 0] & ~x.all(dim=1)

    dear, free = (explained(clusters, tuples=tuples, literal_cost=cost) for cost in (0.05, 0.0))

    assert dear[1].formula == A
    assert equivalent(free[1].formula, A & ~(B & C))
    assert dear[1].scores.fidelity < 1.0 == free[1].scores.fidelity


def test_concepts_that_cannot_tell_a_cluster_give_no_rule():
    tuples = tuples_of(all_rows(3))
    network = Given(lambda x: x[:, 1] & x[:, 2], 2)
    network.linears[0].prune(torch.tensor([True, False, False]))

    rule = explain_clusters(network, tuples, search(3), 7).rules()[1]

    assert (rule.formula, rule.status, rule.support) == (FALSE, NO_FORMULA, 2.0)


@pytest.mark.parametrize("kind", ["mu", "psi", "entropy"])
def test_rules_are_about_what_the_networks_of_all_clusters_keep(kind):
    net = make(kind, 2)
    net.prune()

    assert (read_concepts(net, tuples_of(all_rows(5)), 7) == net.kept().any(dim=0).numpy()).all()


def test_of_a_network_that_keeps_all_the_most_relevant_are_read():
    net = make("relu", 2)
    net.linears[0].weight.data[:, :, [0, 3]] *= 100.0

    assert np.flatnonzero(read_concepts(net, tuples_of(all_rows(5)), 2)).tolist() == [0, 3]


def prototypes(
    n_groups: int, seed: int, n: int = 300, flipped: float = 0.05
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of Booleans, and the group of each: copies of a random row for each group, with flipped bits."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % n_groups
    return (rng.random((n_groups, 4 * n_groups)) < 0.5)[group] ^ (
        rng.random((n, 4 * n_groups)) < flipped
    ), group


def test_groups_to_start_from_hold_rows_that_are_alike():
    bits, group = prototypes(5, seed=0)
    rows = tuples_of(bits)

    assert adjusted_rand_score(group, alike_groups(rows, 5, seed=3)[rows.place]) > 0.95


def test_there_are_no_more_groups_than_distinct_rows():
    rows = tuples_of(np.repeat([[0, 1], [1, 1]], 5, axis=0))

    assert sorted(alike_groups(rows, 4, seed=0)) == [0, 1]


@given(st.integers(2, 5), st.integers(5, 40), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_the_silhouette_is_that_of_scikit_learn(n_clusters, n, seed):
    rng = np.random.default_rng(seed)
    bits, copies = rng.random((n, 6)) < 0.5, rng.integers(1, 4, n).astype(float)
    rows = tuples_of(bits, copies)
    place = np.arange(len(rows.weight))
    clusters = rng.integers(n_clusters, size=len(place))
    own = np.repeat(clusters, rows.weight.astype(int))
    each = np.repeat(rows.bits, rows.weight.astype(int), axis=0)
    if not 2 <= len(set(own)) < len(own):
        return

    expected = silhouette_score(each.astype(float), own, metric="manhattan")
    assert silhouette(clusters, rows) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("scale", [0.5, 0.01, 1 / 3])
def test_what_all_rows_weigh_does_not_change_the_silhouette(scale):
    bits, group = prototypes(3, seed=0, n=60)
    once = tuples_of(bits)
    scaled = DistinctRows.of(bits.astype(float), np.full(len(bits), scale))
    clusters = np.zeros(len(once.weight), dtype=int)
    clusters[once.place] = group

    assert silhouette(clusters, scaled) == pytest.approx(silhouette(clusters, once), abs=1e-9)


def test_one_cluster_is_not_separate():
    assert silhouette(np.zeros(4, dtype=int), tuples_of(all_rows(2))) == 0.0


@pytest.mark.parametrize("n_groups", [2, 3, 5, 8, 10])
def test_the_number_of_groups_is_found(n_groups):
    rows = tuples_of(prototypes(n_groups, seed=5, n=200)[0])

    assert number_of_clusters(rows, lambda k: search(4 * n_groups, max_literals=10 * k)) == n_groups


def test_equal_rows_are_one_cluster():
    assert number_of_clusters(tuples_of(np.ones((5, 2))), lambda _: search(2)) == 1


def test_networks_learn_from_a_sample_of_many_rows(monkeypatch):
    """Clusters and rules are those of all rows."""
    monkeypatch.setattr(_clustering, "LEARNED", 64)
    X = np.random.default_rng(0).random((600, 8)) < [0.5, 0.5, 0.4, 0.4, 0.3, 0.3, 0.5, 0.5]
    model = LENClusterer(2, random_state=0, device="cpu", epochs=60).fit(X)

    assert model.n_learned_ == 64
    assert len(model.labels_) == 600
    assert (model.predict(X) == model.labels_).all()
    assert [each.support for each in model.explain().values()] == np.bincount(model.labels_).tolist()


def test_a_sample_has_the_weight_of_all_rows():
    bits = np.random.default_rng(0).random((500, 10)) < 0.5
    rows = DistinctRows.of(bits.astype(float), np.arange(500.0))
    few = rows.sample(100)

    assert len(few.weight) <= 100
    assert few.total == pytest.approx(rows.total)
    assert rows.sample(len(rows.weight)) is rows
