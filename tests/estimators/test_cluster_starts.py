"""Which concepts the narrow starts of a clustering read."""

from __future__ import annotations

import numpy as np
import pytest

from logiclens.estimators.cluster_starts import Tuples, entropy, few_concepts, group_weights


def tuples(columns: list[list[int]], weight: list[float] | None = None) -> Tuples:
    """Rows given column by column."""
    values = np.array(columns, dtype=float).T
    return Tuples.of(values, np.ones(len(values)) if weight is None else np.array(weight))


def test_two_clusters_start_from_single_concepts_the_most_even_first():
    found = few_concepts(tuples([[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]]), 2, 0.01, 9)

    assert found == [((1,), (1,)), ((0,), (0,))]


def test_a_concept_equal_or_opposite_to_another_is_not_tried_twice():
    a, b = [1, 1, 0, 0, 0], [0, 1, 1, 1, 0]
    opposite = [1 - value for value in a]

    assert few_concepts(tuples([a, a, opposite, b]), 2, 0.01, 9) == [((0,), (0,)), ((3,), (3,))]


def test_weights_decide_what_is_even():
    rows = tuples([[1, 0, 0, 0], [1, 1, 0, 0]], [3.0, 1.0, 1.0, 1.0])

    assert few_concepts(rows, 2, 0.01, 1) == [((0,), (0,))]


def test_rows_without_weight_do_not_make_a_concept_vary():
    assert few_concepts(tuples([[1, 0, 0], [0, 1, 0]], [0.0, 1.0, 1.0]), 2, 0.01, 9) == [((1,), (1,))]


def test_three_clusters_start_from_concepts_that_exclude_one_another():
    """An independent concept splits what is left as evenly, but takes more literals to say so."""
    groups = np.repeat([0, 1, 2], 4)
    columns = [[int(g == k) for g in groups] for k in range(3)]
    coin = [0, 1] * 6

    best = few_concepts(tuples([*columns, coin]), 3, 0.01, 1)[0]

    assert best == ((0,), (1,), (2,))


def test_four_clusters_start_from_the_combinations_of_two_concepts():
    a, b = [0, 0, 1, 1], [0, 1, 0, 1]

    assert ((0, 1),) * 4 in few_concepts(tuples([a, b]), 4, 0.01, 9)


@pytest.mark.parametrize("n_clusters", [2, 3, 5, 9])
def test_there_are_columns_for_every_cluster_and_never_more_starts_than_asked_for(n_clusters):
    bits = np.random.default_rng(0).random((60, 6)) < 0.4
    found = few_concepts(Tuples.of(bits.astype(float), np.ones(60)), n_clusters, 0.01, 4)

    assert 0 < len(found) <= 4
    for reads in found:
        assert len(reads) == n_clusters
        assert all(columns and set(columns) <= set(range(6)) for columns in reads)


@pytest.mark.parametrize(("columns", "n_clusters"), [([[1, 1]], 2), ([[0, 1]], 1)])
def test_nothing_to_tell_apart_gives_no_start(columns, n_clusters):
    assert few_concepts(tuples(columns), n_clusters, 0.01, 9) == []


def test_entropy_of_equal_groups_is_the_logarithm_of_their_number():
    assert entropy(np.full(8, 2.5)) == pytest.approx(np.log(8))
    assert entropy(np.array([4.0, 0.0])) == 0.0
    assert group_weights(np.array([0, 2, 2]), np.array([1.0, 2.0, 4.0]), 4).tolist() == [1, 0, 6, 0]


def test_rows_that_are_equal_once_boolean_are_one_tuple():
    values = np.array([[0.9, 0.1], [0.6, 0.5], [0.0, 1.0]])
    merged = Tuples.of(values, np.array([1.0, 2.0, 4.0]))

    assert merged.total == 7.0
    assert (merged.bits[merged.place] == (values > 0.5)).all()
    assert merged.weight[merged.place].tolist() == [3.0, 3.0, 4.0]
