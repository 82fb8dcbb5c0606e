"""What networks settle on: rules of members, and the one rule of two classes."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning

from logiclens import MuClassifier
from logiclens.estimators.aiming import rule_of_two_classes, rules_of_members
from logiclens.estimators.asking import ask
from logiclens.estimators.counting import Fold
from logiclens.estimators.inputs import read_concepts
from logiclens.estimators.targets import Problem, Targets
from tests.estimators.toys import NAMES, booleans, frame, quick
from tests.strategies import all_rows

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y = booleans()
THREE = (X[:, 0] + X[:, 1]).astype(int)


def test_rules_of_members_are_what_their_formulas_say():
    clf = quick("mu").fit(frame(X), THREE)
    targets = Targets((0, 1, 2), Problem.SINGLE_LABEL, np.eye(3)[THREE])
    fold = Fold(np.ones(len(X)), np.zeros(len(X)))
    how = clf.recipe(read_concepts(X, NAMES)).extraction
    said = rules_of_members(clf.network_, np.zeros(3, dtype=bool), X, targets, fold, how)

    assert said.shape == (len(X), 3)
    assert (said == (ask(clf.network_, X) > 0)).all()


def test_rules_of_searched_members_are_borne_out_by_the_labels():
    """Over the concepts that a member reads, whatever it says of them itself."""
    clf = quick("mu", max_concepts=2).fit(frame(X), Y)
    network = clf.network_
    with torch.no_grad():
        network.linears[-1].weight.zero_()
        network.linears[-1].bias.fill_(-1.0)  # it says no to everything
    targets = Targets((False, True), Problem.BINARY, Y[:, None].astype(float))
    fold = Fold(np.ones(len(X)), np.zeros(len(X)))
    how = clf.recipe(read_concepts(X, NAMES)).extraction
    own, searched = (rules_of_members(network, np.array([s]), X, targets, fold, how) for s in (False, True))

    assert network.kept()[0].tolist() == [True, True, False, False]
    assert not own.any()
    assert (searched[:, 0] == Y).all()


@pytest.mark.parametrize("searched", [False, True])
def test_rules_of_members_are_short(searched):
    """Of one literal at most: the rule is a concept, its negation, or a constant."""
    rng = np.random.default_rng(1)
    x, y = (rng.random((80, 4)) > 0.5).astype(float), rng.random(80) > 0.5
    clf = quick("mu", max_literals=1).fit(x, y)
    targets = Targets((False, True), Problem.BINARY, y[:, None].astype(float))
    how = clf.recipe(read_concepts(x, NAMES)).extraction
    said = rules_of_members(
        clf.network_, np.array([searched]), x, targets, Fold(np.ones(80), np.zeros(80)), how
    )[:, 0]

    literals = np.column_stack([x > 0.5, x <= 0.5, np.zeros(80, dtype=bool), np.ones(80, dtype=bool)])
    assert any((said == literal).all() for literal in literals.T)


def test_the_rule_of_two_classes_is_what_the_network_says_where_the_labels_bear_it_out():
    clf = quick("mu").fit(frame(X), Y)
    how = clf.recipe(read_concepts(X, NAMES)).extraction
    said_yes = ask(clf.network_, X)[:, 0] > 0
    fold = Fold(np.ones(len(X)), np.zeros(len(X)))

    said = rule_of_two_classes(clf.network_, said_yes, X, Y.astype(float), fold, how)

    assert said.any()
    assert (said == Y).all()


def test_the_rule_of_a_searched_member_is_short_for_either_of_two_classes():
    """``d`` matters for 6 of 1208 rows, and takes three more literals to say the opposite."""
    rows = all_rows(4)
    x = np.repeat(rows, np.where(rows[:, 2] > rows[:, 3], 2, 100), axis=0)
    y = (x[:, 0] * x[:, 1] + x[:, 2] * x[:, 3] > 0).astype(float)
    clf = quick("mu", max_concepts=4, settle=False).fit(x, y)
    targets = Targets((0, 1), Problem.BINARY, y[:, None])
    how = clf.recipe(read_concepts(x, NAMES)).extraction
    fold = Fold(np.ones(len(x)), np.zeros(len(x)))
    said = rules_of_members(clf.network_, np.array([True]), x, targets, fold, how)[:, 0]

    assert clf.network_.kept().all()
    assert (said == (x[:, 0] * x[:, 1] + x[:, 2] > 0)).all()


def test_of_the_rules_of_two_classes_nearly_always_one_holds():
    """Weights that add up, with noise; of the shortest formula of each class, both or none held for 3.7 %."""
    apart = []
    for seed in (1, 7, 8, 11, 15):
        rng = np.random.default_rng(seed)
        x = rng.random((1200, 10)) < rng.uniform(0.15, 0.6, 10)
        points = (x - 0.35) @ rng.normal(0, 1.2, 10)
        y = rng.random(1200) < 1 / (1 + np.exp(-2 * (points - np.quantile(points, 0.7))))
        rules = MuClassifier(random_state=0).fit(x, y).explain()
        apart.append((rules.fired(x.astype(float)).sum(axis=1) != 1).mean())

    assert np.mean(apart) < 0.005
