"""A small fold with raw columns for the tests of peers."""

from __future__ import annotations

import numpy as np

from logiclens.bench.experiments import Fold, TableExperiment


def people(n: int = 160, seed: int = 0, classes: int = 2) -> TableExperiment:
    """A table of a number with gaps, a number and a color; the class is told by all, but for noise."""
    random = np.random.default_rng(seed)
    age, size = random.integers(20, 80, n).astype(float), random.random(n)
    color = np.array(["red", "blue", "green"], dtype=object)[random.integers(0, 3, n)]
    old = (age > 50) & (size > 0.3) | (color == "red")
    labels = np.where(old, "old", np.where((size > 0.7) & (classes > 2), "wide", "young"))
    labels = np.where(random.random(n) < 0.05, "young", labels)
    age[:5] = np.nan
    return TableExperiment("people", {"age": age, "size": size, "color": color}, labels, n_folds=3)


def one_fold(classes: int = 2) -> Fold:
    """The first fold of such a table."""
    return people(classes=classes).folds(which=[0])[0]
