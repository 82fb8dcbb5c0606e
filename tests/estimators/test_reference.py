"""The reference presets: the paper's settings, its split, its seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import train_test_split

import logiclens
from logiclens.errors import InputError
from logiclens.estimators import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier, cross_explain
from logiclens.estimators.classifiers import (
    ReferenceEntropyClassifier,
    ReferenceMuClassifier,
    ReferenceReluClassifier,
)
from logiclens.estimators.inputs_and_targets import Problem
from tests.estimators.toys import booleans, frame

REFERENCE = {"mu": ReferenceMuClassifier, "relu": ReferenceReluClassifier}
QUICK: dict[str, Any] = {"epochs": 60, "learning_rate": 0.02, "hidden": (8, 4), "device": "cpu"}
X, Y = booleans()
THREE = X[:, 0].astype(int) + X[:, 1].astype(int)


def quick(kind: str, **settings: Any) -> Any:
    made = {"mu": MuClassifier, "relu": ReluClassifier}[kind]
    return made.reference(**QUICK | {"random_state": 0} | settings)


@pytest.fixture(params=REFERENCE)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


# The settings of the paper's MIMIC-II runs, as facts


@pytest.mark.parametrize(
    ("made", "own"),
    [
        (MuClassifier, {"max_concepts": 5, "hidden": (100, 30, 10)}),
        (ReluClassifier, {"hidden": (100, 50, 30, 10)}),
    ],
)
def test_settings_are_those_of_the_paper(made: Any, own: dict[str, Any]):
    paper = {
        "rule": "iff",
        "class_weight": None,
        "l1": 1e-4,
        "restarts": 1,
        "epochs": 1000,
        "learning_rate": 1e-4,
        "batch_size": None,
        "validation_fraction": 0.3,
    }
    found = made.reference().get_params()

    assert {name: found[name] for name in paper | own} == paper | own
    assert ReferenceReluClassifier.dropout == 0.3


def test_settings_of_psi_and_entropy_are_those_of_their_authors():
    psi = PsiClassifier.reference().get_params()
    entropy = EntropyClassifier.reference().get_params()

    assert (psi["fan_in"], psi["hidden"], psi["l1"]) == (3, (10, 5), 1e-4)
    assert (psi["learning_rate"], psi["epochs"], psi["validation_fraction"]) == (0.01, 1000, 0.3)
    assert (entropy["hidden"], entropy["temperature"], entropy["tau"]) == ((20,), 0.7, 0.5)
    assert (entropy["l1"], entropy["learning_rate"], entropy["epochs"]) == (1e-3, 0.01, 200)
    assert entropy["validation_fraction"] == 0.2


def test_settings_may_be_changed(kind: str):
    twin = clone(quick(kind, epochs=3))

    assert type(twin) is REFERENCE[kind]
    assert twin.epochs == 3
    assert isinstance(twin, MuClassifier if kind == "mu" else ReluClassifier)


@pytest.mark.parametrize(
    ("made", "own"), [(PsiClassifier, PsiClassifier), (EntropyClassifier, ReferenceEntropyClassifier)]
)
def test_presets_of_our_own_training_are_fitted(made: Any, own: Any):
    clf = made.reference(epochs=40, learning_rate=0.1, device="cpu", random_state=0)

    assert type(clf) is own
    assert clf.fit(frame(X), Y).score(frame(X), Y) > 0.7


# What is done with them


def test_the_rule_is_found(kind: str):
    clf = quick(kind).fit(frame(X), Y)

    assert clf.score(frame(X), Y) == 1.0
    assert (clf.explain()[True].evaluate(frame(X)) == Y).all()
    assert (clf.explain()[False].evaluate(frame(X)) == ~Y).mean() > 0.7  # validation lacks some terms
    assert "example-level explanation" in clf.explain()[True].status
    assert clf.explain(frame(X), Y).labels == clf.explain().labels


def test_two_classes_have_a_mu_network_each_and_one_relu_network():
    mu, relu = quick("mu", max_concepts=2).fit(X, Y), quick("relu").fit(X, Y)

    assert (mu.problem_, mu.network_.members) == (Problem.SINGLE_LABEL, 2)
    assert mu.network_.kept().sum(dim=1).tolist() == [2, 2]
    assert (relu.problem_, relu.network_.members) == (Problem.BINARY, 1)


def test_several_classes_share_the_hidden_layers_of_a_relu_network():
    clf = quick("relu").fit(X, THREE)
    first = clf.network_.linears[0].weight

    assert clf.network_.members == 3
    assert (first == first[:1]).all()
    assert clf.score(X, THREE) == 1.0


@pytest.mark.parametrize("y", [Y, THREE, np.column_stack([Y, THREE > 0, X[:, 2] > 0.5])])
def test_methods_agree(kind: str, y: np.ndarray):
    clf = quick(kind, epochs=8).fit(X, y)
    said, values = clf.predict(X), clf.predict_proba(X)

    if y.ndim == 2:
        assert (said == (values > 0.5)).all()
        return
    assert np.allclose(values.sum(axis=1), 1.0)
    assert (clf.classes_[values.argmax(axis=1)] == said).all()
    if len(clf.classes_) == 2:
        assert ((clf.decision_function(X) > 0) == said).all()
    assert (clf.decide(X).argmax(axis=1) == np.searchsorted(clf.classes_, said)).all()


def test_rows_are_held_out_as_scikit_learn_does(kind: str):
    """Whatever the seed, and whatever the classes; ``train_test_split`` of seed 0."""
    weight = np.ones(len(X))
    weight[::7] = 0.0
    clf = quick(kind, random_state=5)
    targets, _ = clf.read_data(X, Y, None)
    train, check = train_test_split(np.flatnonzero(weight), test_size=0.3, random_state=0)

    fold = clf.hold_out(X, targets, weight)

    assert np.flatnonzero(fold.train).tolist() == sorted(train)
    assert np.flatnonzero(fold.check).tolist() == sorted(check)
    assert not quick(kind, validation_fraction=0.0).hold_out(X, targets, weight).check.any()
    lonely = np.eye(len(X))[0]
    assert quick(kind).hold_out(X, targets, lonely).train.tolist() == lonely.tolist()


def test_each_fold_has_its_number_as_seed(kind: str):
    """Fold k of a cross-validation is a fit with ``random_state`` + k."""
    rows = np.arange(len(X))
    noisy = Y ^ (np.random.default_rng(0).random(len(Y)) < 0.2)
    folds = [(rows[rows % 3 != k], rows[rows % 3 == k]) for k in range(3)]

    scores = cross_explain(quick(kind, epochs=12), frame(X), noisy, cv=folds)
    for k, (train, test) in enumerate(folds):
        clf = quick(kind, epochs=12, random_state=k).fit(frame(X[train]), noisy[train])
        assert scores["model_accuracy"][k] == clf.score(frame(X[test]), noisy[test])
        lengths = [rule.complexity for rule in clf.explain().values()]
        assert scores["complexity"][k] == np.mean(lengths)


def test_nothing_global_is_changed(kind: str):
    import torch

    before = torch.get_rng_state()
    first, second = (quick(kind, epochs=5).fit(X, THREE) for _ in range(2))

    assert torch.equal(torch.get_rng_state(), before)
    assert (first.decision_function(X) == second.decision_function(X)).all()


@pytest.mark.parametrize("y", [Y, THREE])
def test_a_loaded_model_does_what_the_saved_one_did(kind: str, y: np.ndarray, tmp_path: Path):
    clf = quick(kind, epochs=8).fit(frame(X), y)
    clf.save(tmp_path / "model.lens")
    twin = logiclens.load(tmp_path / "model.lens")

    assert type(twin) is type(clf)
    assert (twin.decision_function(frame(X)) == clf.decision_function(frame(X))).all()
    assert twin.explain() == clf.explain()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"rule": "if"},
            "The reference settings make equivalences. Got rule='if'; use 'iff'.",
        ),
        *(
            (
                settings,
                "The reference settings train one network on all rows at once. "
                "Use one l1, restarts=1 and batch_size=None.",
            )
            for settings in ({"restarts": 2}, {"l1": (0.1, 0.2)}, {"batch_size": 8})
        ),
    ],
)
def test_what_is_refused(kind: str, settings: dict[str, Any], message: str):
    with pytest.raises(InputError) as info:
        quick(kind, **settings).fit(X, Y)

    assert str(info.value) == message
