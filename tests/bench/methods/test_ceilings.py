"""Models without rules: they see degrees, and answer."""

from __future__ import annotations

import numpy as np
import pytest

from logiclens.bench.experiments import Fold
from logiclens.bench.methods.ceilings import Boosting, Logistic
from tests.bench.methods.toys import CLASSES, check, same, several_classes


@pytest.mark.parametrize("method", [Logistic(), Boosting()], ids=lambda each: each.name)
def test_they_see_degrees(method):
    """A class that lies above 0.8 is learned: on truth values it could not be."""
    x = np.random.default_rng(0).random((300, 2))
    y = (x[:, 0] > 0.8).astype(np.intp)
    fold = Fold(0, ("a", "b"), CLASSES, x[:200], y[:200], x[200:], y[200:])
    (outcome,) = method.fit([fold], seed=0)

    check(outcome, fold)
    assert (outcome.answers == fold.y_test).mean() > 0.9
    assert outcome.rules is None
    assert (outcome.said.argmax(axis=1) == outcome.answers).all()
    assert outcome.seconds_extract == 0.0


@pytest.mark.parametrize("method", [Logistic(), Boosting()], ids=lambda each: each.name)
def test_the_same_seed_gives_the_same(method):
    folds = several_classes(n=90)

    assert all(map(same, method.fit(folds, seed=2), method.fit(folds, seed=2)))
