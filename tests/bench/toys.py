"""Small folds for the tests of the methods."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from logiclens.bench.experiments import Fold
from logiclens.bench.methods import Outcome
from logiclens.logic import Formula

NAMES = ("red", "red_wing", "a & b", "max", '"; DROP TABLE x', "<script>")
CLASSES = ("not both", "either's")


def two_classes(
    n: int = 160, noise: float = 0.05, seed: int = 0, n_folds: int = 2, names: tuple[str, ...] = NAMES
) -> list[Fold]:
    """Folds of degrees in [0, 1]: the second class is ``x0 & ~x2 | x4 & x5``, but for noise."""
    rng = np.random.default_rng(seed)
    x = rng.random((n, 6))
    b = x > 0.5
    y = ((b[:, 0] & ~b[:, 2]) | (b[:, 4] & b[:, 5])) ^ (rng.random(n) < noise)
    return crossed(x, y.astype(np.intp), names, CLASSES, n_folds)


def several_classes(n: int = 240, noise: float = 0.03, seed: int = 0, n_folds: int = 2) -> list[Fold]:
    """Folds of three classes, told apart by the first three concepts."""
    rng = np.random.default_rng(seed)
    x = rng.random((n, 6))
    b = x > 0.5
    y = np.where(b[:, 0] & b[:, 1], 2, np.where(b[:, 2], 1, 0))
    y = np.where(rng.random(n) < noise, rng.integers(0, 3, n), y)
    return crossed(x, y, NAMES, ("zero", "one", "max"), n_folds)


def crossed(
    x: np.ndarray, y: np.ndarray, names: tuple[str, ...], classes: tuple[str, ...], n_folds: int
) -> list[Fold]:
    """Every ``n_folds``-th row is for the test."""
    place = np.arange(len(y)) % n_folds
    return [
        Fold(at, names, classes, x[place != at], y[place != at], x[place == at], y[place == at])
        for at in range(n_folds)
    ]


def held(rules: Mapping[str, Formula] | None, fold: Fold) -> np.ndarray:
    """Where the formula of each class is true, (n_test, n_classes)."""
    assert rules is not None
    assert tuple(rules) == fold.class_names
    rows = dict(zip(fold.concept_names, (fold.x_test > 0.5).T, strict=True))
    n = len(fold.y_test)
    return np.column_stack([np.broadcast_to(rule.evaluate(rows), n) for rule in rules.values()])


def check(outcome: Outcome, fold: Fold) -> None:
    """What every outcome must be."""
    n, k = len(fold.y_test), len(fold.class_names)
    assert outcome.answers.shape == (n,)
    assert outcome.answers.dtype.kind == "i"
    assert set(outcome.answers.tolist()) <= set(range(k))
    assert outcome.said.shape == (n, k)
    assert outcome.said.dtype == np.bool_
    assert outcome.seconds_train >= 0.0
    assert outcome.seconds_extract >= 0.0
    assert outcome.status == "done"


def same(one: Outcome, other: Outcome) -> bool:
    """Whether two outcomes are the same, seconds apart."""
    return (
        (one.answers == other.answers).all()
        and (one.said == other.said).all()
        and one.rules == other.rules
        and one.list_literals == other.list_literals
        and one.status == other.status
    )
