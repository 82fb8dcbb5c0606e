"""How probable black boxes hold their classes to be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import torch
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.neighbors import KNeighborsClassifier

from logiclens.pipelines.black_box import (
    OutputFormat,
    OutputKind,
    class_names,
    gives_probabilities,
    predict_with,
    probabilities,
)
from tests.errors import error_of

X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def read(black_box: object) -> OutputFormat:
    said = predict_with(black_box, X)
    return OutputFormat.of(black_box, said, len(said))


def linear(*weights: list[float]) -> torch.nn.Linear:
    """A layer without bias and with those weights, one list for each output."""
    layer = torch.nn.Linear(2, len(weights), bias=False)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(weights))
    return layer


def found(black_box: Any, answers: OutputFormat | None = None) -> np.ndarray:
    answers = read(black_box) if answers is None else answers
    return probabilities(black_box, X, answers, predict_with(black_box, X))


def gives(black_box: Any) -> bool:
    return gives_probabilities(black_box, X, read(black_box), predict_with(black_box, X))


def test_degrees_of_every_kind_of_black_box():
    one, several = linear([1.0, -1.0]), linear([1.0, 0.0], [0.0, 2.0])
    model = LogisticRegression().fit(X, ["n", "y", "n"])

    assert class_names(one, read(one)).tolist() == [False, True]
    assert np.allclose(found(one)[:, 1], expit([-1.0, 1.0, 0.0]))
    assert np.allclose(found(several), softmax(X * [1.0, 2.0], axis=1))
    assert class_names(model, read(model)).tolist() == ["n", "y"]
    assert np.allclose(found(model), model.predict_proba(X))
    assert np.allclose(found(lambda x: x[:, 0])[:, 1], X[:, 0])
    assert np.allclose(found(lambda x: x * 3), [[0, 1], [1, 0], [0.5, 0.5]])


def test_degrees_that_are_none():
    negative = lambda x: x - 2  # noqa: E731

    assert "answers='probabilities' needs a black box that gives" in error_of(
        found, lambda _: ["a", "b", "a"], OutputFormat(OutputKind.LABELS)
    )
    assert "answers='probabilities' needs probabilities" in error_of(found, negative)


def test_class_names():
    assert class_names(linear([1.0, 1.0]), OutputFormat(OutputKind.ONE, ("no", "yes"), True)).tolist() == [
        "no",
        "yes",
    ]


@pytest.mark.parametrize(
    "black_box",
    [
        LogisticRegression().fit(X, ["n", "y", "n"]),
        KNeighborsClassifier(1).fit(X, ["a", "b", "c"]),
        linear([1.0, -1.0]),
        linear([1.0, 0.0], [0.0, 2.0]),
        lambda x: x[:, 0] * 0.75,
        lambda x: np.column_stack([x[:, 0] * 0.4, 1 - x[:, 0] * 0.4]),
    ],
    ids=["model", "several", "logit", "logits", "yes", "shares"],
)
def test_who_gives_probabilities(black_box: object):
    assert gives(black_box)


class Says:
    """A model that says yes, whatever it holds to be probable."""

    classes_ = np.array(["n", "y"])

    def __init__(self, *probable: float) -> None:
        self.probable = probable

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.repeat("y", len(X))

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        yes = np.resize(self.probable, len(X))
        return np.column_stack([1.0 - yes, yes])


class Broken(Says):
    """A model that cannot say how probable it is."""

    def predict_proba(self, _: np.ndarray) -> np.ndarray:
        raise RuntimeError("no probabilities on this server")


class Foreign(Says):
    """A model whose classes are not what it says."""

    classes_ = np.array([0, 1])


class Ragged(Says):
    classes_ = ([1], [2, 3])


def test_who_contradicts_itself_decides_by_something_else():
    many = np.ones((200, 2))

    def agrees(*probable: float) -> bool:
        box = Says(*probable)
        return gives_probabilities(box, many, OutputFormat(OutputKind.LABELS), box.predict(many))

    assert agrees(0.75)
    assert agrees(*[0.9] * 199, 0.25)  # now and then
    assert not agrees(*[0.9] * 197, 0.25, 0.25, 0.25)
    assert not agrees(0.25)


@pytest.mark.parametrize(
    "kind", [torch.as_tensor, pd.DataFrame, scipy.sparse.csr_array], ids=["tensor", "frame", "sparse"]
)
def test_probabilities_of_any_kind(kind):
    class Other(Says):
        def predict_proba(self, X: np.ndarray) -> Any:
            return kind(super().predict_proba(X))

    assert gives(Other(0.75))


@pytest.mark.parametrize(
    "black_box",
    [
        Perceptron().fit(X, ["n", "y", "n"]),  # gives no probabilities
        KNeighborsClassifier(1).fit(X, X.astype(int)),  # two labels a row
        lambda _: ["a", "b", "a"],
        lambda x: x * 3.0,  # the largest decides, and that is all
        lambda x: x - 2.0,
        Says(np.nan),
        Broken(),
        Foreign(0.75),
        Ragged(0.75),
    ],
    ids=["perceptron", "table", "labels", "scores", "negative", "nan", "broken", "foreign", "odd"],
)
def test_who_does_not_say_is_taken_at_its_word(black_box: object):
    assert not gives(black_box)
