"""How sure black boxes are of their answers."""

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

from logiclens.errors import InputError
from logiclens.pipelines.asking import Answers, Form, ask
from logiclens.pipelines.degrees import class_names, confidence, doubts, probabilities

X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def read(black_box: object) -> Answers:
    said = ask(black_box, X)
    return Answers.of(black_box, said, len(said))


def error_of(call, *args) -> str:
    with pytest.raises(InputError) as info:
        call(*args)
    assert "\n" not in str(info.value)
    return str(info.value)


def linear(*weights: list[float]) -> torch.nn.Linear:
    """A layer without bias and with those weights, one list for each output."""
    layer = torch.nn.Linear(2, len(weights), bias=False)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(weights))
    return layer


def confidence_of(black_box: object) -> list[float]:
    answers = read(black_box)
    labels = answers.labels(ask(black_box, X))
    found = confidence(black_box, X, answers, labels)
    assert (found == confidence(black_box, X, answers, labels, ask(black_box, X))).all()
    return found.tolist()


def test_degrees_of_every_kind_of_black_box():
    one, several = linear([1.0, -1.0]), linear([1.0, 0.0], [0.0, 2.0])
    model = LogisticRegression().fit(X, ["n", "y", "n"])

    labels, degrees = probabilities(one, X, read(one))
    assert labels.tolist() == [False, True]
    assert np.allclose(degrees[:, 1], expit([-1.0, 1.0, 0.0]))
    assert np.allclose(probabilities(several, X, read(several))[1], softmax(X * [1.0, 2.0], axis=1))
    labels, degrees = probabilities(model, X, read(model))
    assert labels.tolist() == ["n", "y"]
    assert np.allclose(degrees, model.predict_proba(X))
    assert np.allclose(probabilities(lambda x: x[:, 0], X, read(lambda x: x[:, 0]))[1][:, 1], X[:, 0])
    table = probabilities(lambda x: x * 3, X, read(lambda x: x * 3))[1]
    assert np.allclose(table, [[0, 1], [1, 0], [0.5, 0.5]])


def test_degrees_that_are_none():
    negative = lambda x: x - 2  # noqa: E731

    assert error_of(probabilities, lambda _: ["a", "b", "a"], X, Answers(Form.LABELS)) == (
        "answers='probabilities' needs a black box that gives them, and this one gives labels. "
        "Use answers='labels'."
    )
    assert error_of(probabilities, negative, X, read(negative)) == (
        "answers='probabilities' needs probabilities. The black box gave a negative number, or zeros alone; "
        "use answers='labels'."
    )


def test_class_names():
    assert class_names(linear([1.0, 1.0]), Answers(Form.ONE, ("no", "yes"), True)).tolist() == ["no", "yes"]


def test_confidence_is_the_degree_of_the_label():
    model = LogisticRegression().fit(X, ["n", "y", "n"])

    assert confidence_of(model) == model.predict_proba(X).max(axis=1).tolist()
    assert np.allclose(confidence_of(linear([1.0, -1.0])), expit([1.0, 1.0, 0.0]))
    assert np.allclose(
        confidence_of(linear([1.0, 0.0], [0.0, 2.0])), softmax(X * [1.0, 2.0], axis=1).max(axis=1)
    )
    assert confidence_of(lambda x: x[:, 0] * 0.75) == [1.0, 0.75, 0.75]
    assert confidence_of(lambda x: np.column_stack([x[:, 0] * 0.4, 1 - x[:, 0] * 0.4])) == [1.0, 0.6, 0.6]


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


def test_a_model_may_hold_its_label_to_be_less_probable():
    assert confidence_of(Says(0.25)) == [0.25, 0.25, 0.25]


def test_who_contradicts_itself_now_and_then_is_torn_there():
    sure = np.array([0.9] * 199 + [0.25])

    assert doubts(sure).tolist() == [0.9] * 199 + [0.5]
    assert doubts(np.append(sure, [0.25, 0.25])) is None  # by another threshold
    assert doubts(np.ones(3)) is None


@pytest.mark.parametrize(
    "kind", [torch.as_tensor, pd.DataFrame, scipy.sparse.csr_array], ids=["tensor", "frame", "sparse"]
)
def test_probabilities_of_any_kind(kind):
    class Other(Says):
        def predict_proba(self, X: np.ndarray) -> Any:
            return kind(super().predict_proba(X))

    assert confidence_of(Other(0.75)) == [0.75, 0.75, 0.75]


@pytest.mark.parametrize(
    "black_box",
    [
        Perceptron().fit(X, ["n", "y", "n"]),  # gives no probabilities
        KNeighborsClassifier(1).fit(X, ["a", "b", "c"]),  # three classes
        KNeighborsClassifier(1).fit(X, X.astype(int)),  # two labels a row
        lambda _: ["a", "b", "a"],
        lambda x: x * 3.0,  # the largest decides, and that is all
        lambda x: x - 2.0,
        Says(np.nan),
        Broken(),
        Foreign(0.75),
        Ragged(0.75),
    ],
    ids=["perceptron", "several", "table", "labels", "scores", "negative", "nan", "broken", "foreign", "odd"],
)
def test_who_does_not_say_is_taken_at_its_word(black_box: object):
    assert confidence_of(black_box) == [1.0, 1.0, 1.0]
