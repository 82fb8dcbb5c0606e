"""Rules of given clusters: what the rows of each have in common."""

from __future__ import annotations

import numpy as np
import pytest

from logiclens.estimators.cluster_rules import (
    NO_FORMULA,
    NO_ROWS,
    Reading,
    Tuples,
    explain_clusters,
    read_columns,
)
from logiclens.explain import RuleKind
from logiclens.logic import FALSE, TRUE, Var, equivalent
from tests.nn.populations import make
from tests.strategies import all_rows

A, B, C = Var("a"), Var("b"), Var("c")
READING = Reading(("a", "b", "c"), 7, 10, 0.01)


def network(n_clusters: int = 2, kind: str = "relu", n_concepts: int = 3):
    """Networks that read all concepts; what they say is not asked."""
    return make(kind, n_clusters, n_concepts=n_concepts)


def every_row(weight: np.ndarray | None = None) -> Tuples:
    rows = all_rows(3).astype(float)
    return Tuples.of(rows, np.ones(len(rows)) if weight is None else weight)


def test_rows_that_are_equal_once_boolean_are_one_tuple():
    values = np.array([[0.9, 0.1], [0.6, 0.5], [0.0, 1.0]])
    merged = Tuples.of(values, np.array([1.0, 2.0, 4.0]))

    assert merged.total == 7.0
    assert (merged.bits[merged.place] == (values > 0.5)).all()
    assert merged.weight[merged.place].tolist() == [3.0, 3.0, 4.0]


def test_a_rule_is_a_statement_about_its_own_cluster():
    tuples = every_row()
    clusters = np.where(tuples.bits[:, 0] & tuples.bits[:, 1], 1, 0)

    rules = explain_clusters(network(), tuples, clusters, READING)

    assert equivalent(rules[1].formula, A & B)
    assert equivalent(rules[0].formula, ~(A & B))
    assert {each.kind for each in rules.values()} == {RuleKind.CLUSTER}
    assert str(rules[1]) == "forall x in O_1: a(x) & b(x)"
    assert (rules[1].support, rules[0].support) == (2.0, 6.0)
    assert rules.predict(tuples.bits).tolist() == clusters.tolist()


def test_scores_are_about_the_clusters_since_there_is_no_truth():
    tuples = every_row()
    scores = explain_clusters(network(), tuples, tuples.bits[:, 2].astype(int), READING)[1].scores

    assert scores is not None
    assert scores.accuracy is None
    assert (scores.fidelity, scores.precision, scores.recall, scores.n_rows) == (1.0, 1.0, 1.0, 8)


def test_scores_count_all_rows_that_were_merged():
    tuples = Tuples.of(np.repeat(all_rows(3).astype(float), 3, axis=0), np.ones(24))
    rules = explain_clusters(network(), tuples, tuples.bits[:, 2].astype(int), READING)

    assert [each.scores.n_rows for each in rules.values()] == [24, 24]


def test_a_cluster_without_rows_is_false_and_says_so():
    tuples = every_row()
    rules = explain_clusters(network(3), tuples, tuples.bits[:, 0].astype(int), READING)

    assert rules[2].formula == FALSE
    assert rules[2].status == NO_ROWS == "no rows in this cluster"
    assert rules[2].support == 0.0
    assert rules[2].to_sentence() == "Cluster 2 has no members"


def test_one_cluster_of_all_rows_is_true():
    rules = explain_clusters(network(), every_row(), np.zeros(8, dtype=int), READING)

    assert (rules[0].formula, rules[0].status) == (TRUE, "always predicted on the data")


def test_a_literal_must_be_worth_its_price():
    """The cluster is a, but for one tuple of little weight."""
    weight = np.where(all_rows(3).all(axis=1), 0.05, 1.0)
    tuples = every_row(weight)
    clusters = (tuples.bits[:, 0] & ~tuples.bits.all(axis=1)).astype(int)

    dear = explain_clusters(network(), tuples, clusters, READING)
    free = explain_clusters(network(), tuples, clusters, Reading(("a", "b", "c"), 7, 10, 0.0))

    assert dear[1].formula == A
    assert equivalent(free[1].formula, A & ~(B & C))
    assert {point.literals for point in dear[1].front} >= {1}
    assert dear[1].scores.fidelity < 1.0 == free[1].scores.fidelity


def test_a_small_cluster_still_gets_a_formula():
    """Saying nothing would be wrong about few rows only."""
    weight = np.where(all_rows(3).all(axis=1), 1e-3, 1.0)
    tuples = every_row(weight)

    rule = explain_clusters(network(), tuples, tuples.bits.all(axis=1).astype(int), READING)[1]

    assert rule.formula != FALSE
    assert rule.evaluate(tuples.bits, names=["a", "b", "c"])[tuples.bits.all(axis=1)].all()


def test_a_formula_that_the_limit_cut_short_says_so():
    tuples = every_row()
    parity = (tuples.bits.sum(axis=1) % 2).astype(int)

    rule = explain_clusters(network(), tuples, parity, Reading(("a", "b", "c"), 7, 4, 0.0))[1]

    assert rule.complexity <= 4
    assert rule.status.endswith("within max_literals=4")


def test_concepts_that_cannot_tell_a_cluster_give_no_rule():
    """Of two concepts that matter only the first may be in the table."""
    tuples = every_row()
    clusters = (tuples.bits[:, 1] & tuples.bits[:, 2]).astype(int)
    reading = Reading(("a", "b", "c"), 1, 10, 0.01)
    net = network()
    net.linears[0].prune(np_keep([True, False, False]))

    rule = explain_clusters(net, tuples, clusters, reading)[1]

    assert (rule.formula, rule.status) == (FALSE, NO_FORMULA)
    assert rule.support == 2.0


def np_keep(keep: list[bool]):
    """A mask of the first layer's connections."""
    import torch

    return torch.tensor(keep)


@pytest.mark.parametrize("kind", ["mu", "psi", "entropy"])
def test_tables_are_over_what_the_networks_of_all_clusters_keep(kind):
    net = make(kind, 2)
    net.prune()

    columns = read_columns(net, Tuples.of(all_rows(5).astype(float), np.ones(32)), 7)

    assert columns.tolist() == np.flatnonzero(net.kept().any(dim=0).numpy()).tolist()


def test_of_a_network_that_keeps_all_the_most_relevant_are_read():
    net = make("relu", 2)
    with_less = net.linears[0].weight
    with_less.data[:, :, [0, 3]] *= 100.0

    columns = read_columns(net, Tuples.of(all_rows(5).astype(float), np.ones(32)), 2)

    assert columns.tolist() == [0, 3]
