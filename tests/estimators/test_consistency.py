"""What different parts of a classifier say must fit together: weights, folds, networks, rules."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from logiclens import MuClassifier, cross_explain
from logiclens.errors import InputError
from tests.estimators.toys import quick

RARE = {"random_state": 0, "epochs": 100, "restarts": 1}


def rare_target() -> tuple[np.ndarray, np.ndarray]:
    """A target of three in ten where two concepts are true, and of one in fifty elsewhere."""
    rng = np.random.default_rng(0)
    X = (rng.random((600, 6)) > 0.5).astype(float)
    return X, (rng.random(600) < np.where(X[:, 0] * X[:, 1] > 0, 0.3, 0.02)).astype(int)


def test_balanced_classes_count_where_rules_are_searched():
    """By plain accuracy nothing is said of the rare target; the network is trained without class weights."""
    X, y = rare_target()
    plain, balanced = (MuClassifier(class_weight=w, **RARE).fit(X, y) for w in (None, "balanced"))

    assert plain.explain().literals == 0
    assert {"x0", "x1"} <= set(balanced.explain()[1].concepts)
    assert balanced.explain().predict(X)[y == 1].mean() > 0.7
    assert (balanced.predict_proba(X) == plain.predict_proba(X)).all()


def test_scores_count_rows_not_weights():
    X, y = rare_target()
    model = MuClassifier(**RARE).fit(X, y, sample_weight=np.full(600, 1 / 64))

    assert {(e.scores.part, e.scores.n_rows) for e in model.explain().values()} == {("training", 600)}


def test_implications_of_two_classes_can_be_ranked():
    X, y = rare_target()
    model = MuClassifier(rule="if", **RARE)

    assert model.fit(X, y).decision_function(X).shape == (600,)
    assert np.isfinite(cross_val_score(model, X, y, cv=2, scoring="roc_auc")).all()


def test_groups_stay_together_when_folds_are_a_number():
    X, y = rare_target()
    groups = np.repeat(np.arange(4), 150)
    frame = cross_explain(quick("mu", epochs=10), X, y, cv=2, groups=groups)

    assert (frame["n_test"] % 150 == 0).all()


def test_a_generator_of_random_numbers_is_left_as_it_was():
    X, y = rare_target()
    state = np.random.RandomState(0)
    cross_explain(quick("mu", epochs=10, random_state=state), X, y, cv=2)

    assert state.randint(1000) == np.random.RandomState(0).randint(1000)


def test_a_class_that_the_network_denies_is_not_explained():
    """Of several classes a psi network may deny all; the nearest one is then no reason to give."""
    rng = np.random.default_rng(0)
    X = (rng.random((120, 4)) > 0.5).astype(float)
    model = quick("psi", epochs=40).fit(X, rng.integers(0, 3, 120))
    denied = X[~model.decide(X).any(axis=1)]
    assert len(denied)
    label = model.predict(denied[:1])[0]

    with pytest.raises(InputError) as info:
        model.explain_sample(denied[:1])

    assert str(info.value) == (
        f"No output is above one half for this row; {label!s} only scores highest. "
        "There is nothing to explain."
    )
