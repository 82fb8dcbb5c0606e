"""Clusters, and what they are called afterwards."""

from __future__ import annotations

from functools import partial
from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from logiclens.bench.experiments import Fold
from logiclens.bench.methods.clusterers import Clusterer, matching
from logiclens.estimators import clusterer
from logiclens.logic import equivalent
from tests.bench.methods.toys import check, held, same

NAMES = ("even", "max", "a & b")


def clustered(flip: bool = False) -> Fold:
    """Two even groups, told apart by the first concept; the classes are called so, or the other way round."""
    x = np.random.default_rng(0).random((120, 3)) * [1.0, 0.45, 0.45]
    y = ((x[:, 0] > 0.5) ^ flip).astype(np.intp)
    return Fold(0, NAMES, ("odd", "even"), x, y, x, y)


def test_clusters_get_the_names_of_classes(monkeypatch):
    """The labels name clusters, and change nothing about them."""
    monkeypatch.setattr(clusterer, "LENClusterer", partial(clusterer.LENClusterer, epochs=60, restarts=1))
    fold, flipped = clustered(), clustered(flip=True)
    method = Clusterer("mu", "mu")
    (found,), (other,) = method.fit([fold], seed=0), method.fit([flipped], seed=0)

    check(found, fold)
    assert (found.answers == fold.y_test).all()
    assert (other.answers == flipped.y_test).all()
    assert (held(found.rules, fold) == found.said).all()
    assert equivalent(found.rules["even"], other.rules["odd"])
    assert found.rules["even"].concepts == ("even",)


def test_the_same_seed_gives_the_same_and_folds_have_seeds_of_their_own(monkeypatch):
    seeds = []
    kind = clusterer.LENClusterer

    def spy(*args, random_state, **settings):
        seeds.append(random_state)
        return kind(*args, random_state=random_state, epochs=20, restarts=1, **settings)

    monkeypatch.setattr(clusterer, "LENClusterer", spy)
    first = clustered()
    second = Fold(3, *(getattr(first, name) for name in ("concept_names", "class_names")),
                  first.x_train, first.y_train, first.x_test, first.y_test)  # fmt: skip
    one, other = (Clusterer("relu", "ReLU").fit([first, second], seed=2) for _ in range(2))

    assert seeds == [2, 5] * 2
    assert all(map(same, one, other))


@given(st.integers(2, 4).flatmap(lambda n: st.tuples(
    st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), min_size=1)
)))  # fmt: skip
def test_no_other_names_fit_more_rows(case):
    n, pairs = case
    clusters, classes = map(np.array, zip(*pairs, strict=True))
    found = matching(clusters, classes, n)

    assert sorted(found) == list(range(n))
    best = max((np.array(other)[clusters] == classes).sum() for other in permutations(range(n)))
    assert (found[clusters] == classes).sum() == best
