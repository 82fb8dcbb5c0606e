"""Fitted models that several tests report on; each is fitted once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.datasets import load_iris

from logiclens.estimators import LENClusterer, MuClassifier
from logiclens.pipelines import BlackBoxExplainer


class Fitted(NamedTuple):
    """A model, and rows that it was not fitted on."""

    model: Any
    X: Any
    y: Any


def quick(**settings: Any) -> MuClassifier:
    """A classifier that is fitted in a second."""
    return MuClassifier(epochs=100, restarts=1, l1=0.01, random_state=0, **settings)


@pytest.fixture(scope="session")
def iris() -> Fitted:
    """A classifier of three classes, from raw columns with names."""
    data = load_iris(as_frame=True)
    labels = data.target_names[data.target]
    return Fitted(quick().fit(data.data[::2], labels[::2]), data.data[1::2], labels[1::2])


@pytest.fixture(scope="session")
def boxed() -> Fitted:
    """An explainer of a black box that knows one cut point; the truth is another one."""
    data = load_iris(as_frame=True)
    explainer = BlackBoxExplainer(lambda X: np.asarray(X)[:, 2] > 3, quick(), random_state=0).fit(data.data)
    return Fitted(explainer, data.data, data.target.to_numpy() == 2)


@pytest.fixture(scope="session")
def clusters() -> Fitted:
    """Two clusters."""
    data = load_iris(as_frame=True).data
    made = LENClusterer(2, epochs=60, restarts=1, random_state=0).fit(data)
    return Fitted(made, data, None)


@pytest.fixture(scope="session")
def several() -> Fitted:
    """A classifier of rows with several labels, from columns without names."""
    X = np.random.default_rng(0).normal(size=(300, 3)).round(2)
    Y = np.column_stack([X[:, 0] > 0.2, X[:, 1] > -0.3])
    return Fitted(quick().fit(X[:200], Y[:200]), X[200:], Y[200:])
