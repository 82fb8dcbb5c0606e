"""Our networks as methods: the pool of rows, and a fold is what a fit on its rows would be; clusters."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from logiclens.bench.experiments import Fold
from logiclens.bench.methods import Clusterer, LENMethod, match_clusters, pool_rows
from logiclens.estimators import classifiers, clusterer
from logiclens.logic import equivalent
from tests.bench.toys import CLASSES, NAMES, check, held, same, several_classes, two_classes
from tests.estimators.toys import quick

ignoring_epochs = pytest.mark.filterwarnings(
    f"ignore::{ConvergenceWarning.__module__}.{ConvergenceWarning.__name__}"
)


@pytest.fixture
def quickly(monkeypatch) -> None:
    """Classifiers that are trained for a few epochs."""

    def make(self: LENMethod, seed: int) -> Any:
        return quick(self.kind, epochs=20, encoder=None, random_state=seed)

    monkeypatch.setattr(LENMethod, "_classifier", make)


# --- the pool ---


def rows(fold_x: np.ndarray, fold_y: np.ndarray) -> list[tuple[float, ...]]:
    return sorted(map(tuple, np.column_stack([fold_x, fold_y]).tolist()))


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1), min_size=1, max_size=4)
)
@settings(max_examples=60, deadline=None)
def test_the_pool_holds_the_rows_of_every_fold(parts):
    """Each fold finds exactly its rows, and no row is there more often than the fold that has most of it."""
    folds = []
    for number, part in enumerate(parts):
        x = np.array([[value / 2.0] for value, _ in part])
        y = np.array([label for _, label in part])
        folds.append(Fold(number, ("a",), ("p", "q"), x, y, x, y))
    x, y, weights = pool_rows(folds)
    for fold, weight in zip(folds, weights, strict=True):
        assert set(np.unique(weight)) <= {0.0, 1.0}
        assert rows(x[weight > 0], y[weight > 0]) == rows(fold.x_train, fold.y_train)
    for row in set(rows(x, y)):
        most = max(rows(fold.x_train, fold.y_train).count(row) for fold in folds)
        assert rows(x, y).count(row) == most


def test_folds_of_one_table_share_their_rows():
    folds = two_classes(n=90, n_folds=3)

    assert len(pool_rows(folds)[0]) == 90
    x, y, _ = pool_rows(folds[1:2])
    assert (x == folds[1].x_train).all()  # in their order, which is that of probabilities, too
    assert (y == folds[1].y_train).all()
    assert [int(weight.sum()) for weight in pool_rows(folds)[2]] == [60, 60, 60]


def test_networks_are_told_how_probable_labels_are():
    """What two concepts decide, unless thirteen others outweigh them."""
    random = np.random.default_rng(0)
    x = (random.random((4000, 15)) < 0.5) * 1.0
    logit = 4.0 * (2.0 * x[:, 0] * x[:, 1] - 1.0) + 1.6 * (x[:, 2:] - 0.5).sum(axis=1)
    y, sure = (logit > 0).astype(np.intp), 1.0 / (1.0 + np.exp(-np.abs(logit)))
    fold = Fold(0, tuple("abcdefghijklmno"), ("no", "yes"), x[:700], y[:700], x[700:], y[700:])
    (plain,), (told,) = (
        LENMethod("mu", "mu").fit([each], 0) for each in (fold, replace(fold, confidence=sure[:700]))
    )

    by_plain, by_told = ((each.answers == fold.y_test).mean() for each in (plain, told))
    assert (plain.answers != told.answers).any()
    assert min(by_plain, by_told) > 0.95
    assert {"a", "b"} <= {name for rule in told.rules.values() for name in rule.concepts}


# --- a fold is a fit ---


@ignoring_epochs
@pytest.mark.usefixtures("quickly")
@pytest.mark.parametrize(
    ("kind", "make"),
    [("mu", two_classes), ("psi", several_classes), ("relu", two_classes), ("entropy", several_classes)],
)
def test_a_fold_is_a_fit_on_its_rows(kind, make):
    folds = make(n=60)
    found = LENMethod(kind, kind).fit(folds, seed=3)
    for outcome, fold in zip(found, folds, strict=True):
        twin = quick(kind, epochs=20, encoder=None, random_state=3)
        twin.fit(dict(zip(fold.concept_names, fold.x_train.T, strict=True)), fold.y_train)
        check(outcome, fold)
        assert list(outcome.rules.values()) == list(twin.explain().formulas.values())
        assert (outcome.answers == twin.predict(fold.x_test)).all()
        chances = twin.predict_proba(fold.x_test)
        if len(fold.class_names) == 2 and kind != "psi":
            assert (outcome.said[:, 1] == (chances[:, 1] > 0.5)).all()
        assert outcome.seconds_extract == 0.0


@ignoring_epochs
@pytest.mark.usefixtures("quickly")
def test_psi_is_said_word_for_word():
    """What psi's outputs say, each by itself, is what its formulas say: also where they disagree."""
    for make in (two_classes, several_classes):
        folds = make(n=90)
        for outcome, fold in zip(LENMethod("psi", "psi").fit(folds, seed=0), folds, strict=True):
            assert (held(outcome.rules, fold) == outcome.said).all()


@ignoring_epochs
@pytest.mark.usefixtures("quickly")
def test_a_class_that_no_fold_learns_is_never_said():
    fold = two_classes(n=60)[0]
    wider = Fold(0, NAMES, ("absent", *CLASSES), fold.x_train, fold.y_train + 1, fold.x_test, fold.y_test)
    narrow, wide = (LENMethod("psi", "psi").fit([each], seed=0)[0] for each in (fold, wider))

    check(wide, wider)
    assert str(wide.rules["absent"]) == "FALSE"
    assert [wide.rules[name] for name in CLASSES] == list(narrow.rules.values())
    assert (wide.answers == narrow.answers + 1).all()
    assert not wide.said[:, 0].any()
    assert (wide.said[:, 1:] == narrow.said).all()


@ignoring_epochs
@pytest.mark.usefixtures("quickly")
def test_the_same_seed_gives_the_same():
    folds = two_classes(n=60)
    one, other = (LENMethod("psi", "psi").fit(folds, seed=1) for _ in range(2))

    assert all(map(same, one, other))


@ignoring_epochs
@pytest.mark.usefixtures("quickly")
def test_folds_with_concepts_of_their_own_are_trained_apart():
    """Each outcome is that of its fold alone, also where folds with the same concepts are not in a row."""
    first, second, third = two_classes(n=60, n_folds=3)
    narrow = ("zebra", *NAMES[1:4])
    apart = Fold(
        1, narrow, CLASSES, second.x_train[:, :4], second.y_train, second.x_test[:, :4], second.y_test
    )
    folds = [first, apart, third]
    found = LENMethod("psi", "psi").fit(folds, seed=2)

    for outcome, fold in zip(found, folds, strict=True):
        check(outcome, fold)
        assert same(outcome, LENMethod("psi", "psi").fit([fold], seed=2)[0])
        assert all({*rule.concepts} <= {*fold.concept_names} for rule in outcome.rules.values())


@ignoring_epochs
def test_a_fold_of_the_paper_has_its_number_as_seed(monkeypatch):
    """A fold is the same whether all are fitted or some, and it is what the preset makes of its rows.

    The last class comes first: such networks draw the weights of the last output first.
    """
    make = classifiers.ReluClassifier.reference
    monkeypatch.setattr(
        LENMethod, "_classifier", lambda _, seed: make(encoder=None, random_state=seed, epochs=5)
    )
    paper = LENMethod("relu-reference", "ReLU (reference)", reference=True)
    folds = two_classes(n=36)
    every, some = paper.fit(folds, seed=4), paper.fit(folds[1:], seed=4)

    assert same(every[1], some[0])
    for outcome, fold in zip(every, folds, strict=True):
        twin = make(encoder=None, random_state=4 + fold.number, epochs=5)
        twin.fit(dict(zip(fold.concept_names, fold.x_train.T, strict=True)), 1 - fold.y_train)
        check(outcome, fold)
        assert list(outcome.rules.values()) == list(twin.explain().formulas.values())[::-1]
        assert (outcome.answers == 1 - twin.predict(fold.x_test)).all()


def test_defaults_and_the_settings_of_the_paper():
    plain = LENMethod("relu", "ReLU")._classifier(seed=4)
    assert type(plain) is classifiers.ReluClassifier
    assert plain.get_params() == classifiers.ReluClassifier(encoder=None, random_state=4).get_params()
    paper = LENMethod("mu-reference", "mu (reference)", reference=True)
    assert paper.kind == "mu"
    expected = classifiers.MuClassifier.reference(encoder=None, random_state=4).get_params()
    assert paper._classifier(seed=4).get_params() == expected


CONCEPTS = ("even", "max", "a & b")


def clustered(flip: bool = False) -> Fold:
    """Two even groups, told apart by the first concept; the classes are called so, or the other way round."""
    x = np.random.default_rng(0).random((120, 3)) * [1.0, 0.45, 0.45]
    y = ((x[:, 0] > 0.5) ^ flip).astype(np.intp)
    return Fold(0, CONCEPTS, ("odd", "even"), x, y, x, y)


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
    found = match_clusters(clusters, classes, n)

    assert sorted(found) == list(range(n))
    best = max((np.array(other)[clusters] == classes).sum() for other in permutations(range(n)))
    assert (found[clusters] == classes).sum() == best
