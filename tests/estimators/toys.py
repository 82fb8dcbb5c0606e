"""Small problems and quick settings for the tests of the classifiers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from logiclens.estimators import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier
from logiclens.estimators.base import LENClassifier
from tests.strategies import all_rows

CLASSIFIERS = {
    "mu": MuClassifier,
    "psi": PsiClassifier,
    "relu": ReluClassifier,
    "entropy": EntropyClassifier,
}

_QUICK: dict[str, Any] = {
    "epochs": 40,
    "learning_rate": 0.1,
    "restarts": 1,
    "l1": 0.002,
    "device": "cpu",
    "random_state": 0,
}
_OWN: dict[str, dict[str, Any]] = {
    "psi": {"restarts": 2},
    "entropy": {"temperature": 2.0},
}

NAMES = ("a", "b", "c", "d")


def quick(kind: str = "psi", **settings: Any) -> LENClassifier:
    """A classifier that learns :func:`booleans` in a few dozen epochs."""
    return CLASSIFIERS[kind](**_QUICK | _OWN.get(kind, {}) | settings)


def booleans(repeats: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Every tuple of four concepts, several times, and ``a & b``."""
    X = np.tile(all_rows(4), (repeats, 1)).astype(float)
    return X, (X[:, 0] > 0.5) & (X[:, 1] > 0.5)


def frame(X: np.ndarray) -> pd.DataFrame:
    """The rows as a frame whose columns are a, b, c, d."""
    return pd.DataFrame(X, columns=list(NAMES[: X.shape[1]]))


def xor(seed: int, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Six concepts, uniform on [0, 1], of which the first two decide: exactly one of them is true."""
    X = np.random.default_rng(seed).uniform(size=(n, 6))
    return X, (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)


def hidden_together(seed: int, n: int = 1500) -> tuple[np.ndarray, np.ndarray]:
    """Forty concepts, of which the first five decide together; the next six go along with what they decide.

    One label in ten is wrong.
    """
    rng = np.random.default_rng(seed)
    X = (rng.random((n, 40)) < 0.5).astype(float)
    X[:, :5] = rng.random((n, 5)) < 0.8
    y = X[:, :5].all(axis=1)
    wrong = rng.random(n) < 0.1
    for j in range(5, 11):
        X[:, j] = np.where(rng.random(n) < 0.3, y, rng.random(n) < 0.5)
    return X, (y ^ wrong).astype(float)
