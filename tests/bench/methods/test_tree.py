"""The decision tree: its formulas are its leaves, and say what it says."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from logiclens.bench.experiments import Fold
from logiclens.bench.methods.tree import Tree, tree_ways
from logiclens.metrics import complexity
from tests.bench.methods.toys import CLASSES, NAMES, check, held, same, several_classes, two_classes


@pytest.mark.parametrize("depth", [1, 3, 5, 30])
@pytest.mark.parametrize("make", [two_classes, several_classes])
def test_formulas_say_what_the_tree_says(make, depth):
    folds = make(noise=0.2)
    for outcome, fold in zip(Tree(max_depth=depth).fit(folds, seed=0), folds, strict=True):
        check(outcome, fold)
        assert (held(outcome.rules, fold) == outcome.said).all()
        assert (outcome.said.argmax(axis=1) == outcome.answers).all()
        twin = DecisionTreeClassifier(max_depth=depth, random_state=0)
        twin.fit(fold.x_train > 0.5, fold.y_train)
        assert (outcome.answers == twin.predict(fold.x_test > 0.5)).all()


def test_ways_are_counted_as_they_are_read():
    """The literals of all classes are the depths of all leaves: nothing is merged."""
    (fold, _) = two_classes(noise=0.3)
    (outcome,) = Tree(max_depth=4).fit([fold], seed=0)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(fold.x_train > 0.5, fold.y_train)
    path = tree.decision_path((np.arange(64)[:, None] >> np.arange(6)) & 1)
    leaves = {row.tobytes(): row.sum() - 1 for row in path.toarray()}

    assert complexity(outcome.rules) * 2 == sum(leaves.values())
    assert sum(map(len, tree_ways(tree, NAMES).values())) == tree.get_n_leaves()


def test_a_tree_of_one_leaf():
    x = np.array([[1.0], [0.0]])
    fold = Fold(0, ("a",), CLASSES, x, np.array([1, 1]), x, np.array([0, 1]))
    (outcome,) = Tree().fit([fold], seed=0)

    assert [str(rule) for rule in outcome.rules.values()] == ["FALSE", "TRUE"]
    assert outcome.answers.tolist() == [1, 1]


def test_the_same_seed_gives_the_same():
    folds = several_classes(noise=0.3)

    assert all(map(same, Tree().fit(folds, seed=2), Tree().fit(folds, seed=2)))
