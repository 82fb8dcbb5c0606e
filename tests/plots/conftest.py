"""Small fitted models to draw, made once."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.tree import DecisionTreeClassifier

import logiclens
from logiclens import BlackBoxExplainer, LENClusterer

QUICK = {"epochs": 60, "restarts": 1, "random_state": 0, "device": "cpu"}


@pytest.fixture(autouse=True)
def _no_windows() -> Iterator[None]:
    """Draw in memory, and leave no figure behind."""
    before = mpl.get_backend()
    plt.switch_backend("Agg")
    yield
    plt.close("all")
    plt.switch_backend(before)


def flowers() -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Raw columns with blanks and parentheses in their names, three classes."""
    bunch = load_iris()
    return dict(zip(bunch.feature_names, bunch.data.T, strict=True)), bunch.target_names[bunch.target]


def bits() -> tuple[np.ndarray, np.ndarray]:
    """Twelve concepts, two of which decide between two classes."""
    X = np.random.default_rng(0).random((200, 12)) < 0.5
    return X, np.where(X[:, 3] & ~X[:, 5], "yes", "no")


@cache
def fitted(kind: str, data: str = "flowers") -> Any:
    """A fitted classifier; those who draw do not change it."""
    X, y = flowers() if data == "flowers" else bits()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return getattr(logiclens, f"{kind}Classifier")(**QUICK).fit(X, y)


@cache
def clusterer() -> LENClusterer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LENClusterer(3, **QUICK).fit(flowers()[0])


@cache
def black_box() -> BlackBoxExplainer:
    X, y = bits()
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return BlackBoxExplainer(tree, logiclens.MuClassifier(**QUICK)).fit(X)


@pytest.fixture
def loaded(tmp_path: Path) -> Any:
    """A model that went through a file, and lost its rows there."""
    fitted("Mu").save(tmp_path / "model.lens")
    return logiclens.load(tmp_path / "model.lens")
