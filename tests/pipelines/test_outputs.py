"""Black boxes of every kind are asked, and their answers read as labels and as probabilities."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import torch
from scipy.special import expit, softmax
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from logiclens.pipelines.black_box import (
    OutputFormat,
    OutputKind,
    class_names,
    fit_black_box,
    fit_out_of_fold,
    gives_probabilities,
    is_fitted,
    predict_with,
    probabilities,
)
from tests.errors import error_of

X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


class Foreign:
    """A model that knows nothing of scikit-learn."""

    def fit(self, *_: np.ndarray) -> Foreign:
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X[:, 0] > 0.5


def read(black_box: object, X: object = X, classes: object = None) -> OutputFormat:
    said = predict_with(black_box, X)
    return OutputFormat.of(black_box, said, len(said), classes)


def linear(*weights: list[float]) -> torch.nn.Linear:
    """A layer without bias and with those weights, one list for each output."""
    layer = torch.nn.Linear(2, len(weights), bias=False)
    with torch.no_grad():
        layer.weight[:] = torch.tensor(weights)
    return layer


# --- forms of answers ---


@pytest.mark.parametrize(
    ("answers", "form", "labels"),
    [
        (["a", "b", "a"], OutputKind.LABELS, ["a", "b", "a"]),
        ([2, 0, 1], OutputKind.LABELS, [2, 0, 1]),
        ([0, 1, 1], OutputKind.LABELS, [0, 1, 1]),
        ([True, False, True], OutputKind.LABELS, [True, False, True]),
        ([1.0, 2.0, 1.0], OutputKind.LABELS, [1.0, 2.0, 1.0]),
        ([0.5, 0.51, 0.2], OutputKind.ONE, [False, True, False]),
        ([[0.5], [0.51], [0.2]], OutputKind.ONE, [False, True, False]),
        ([0.0, 1.0, 1.0], OutputKind.ONE, [False, True, True]),
        ([[0.2, 0.8], [0.9, 0.1], [0.5, 0.5]], OutputKind.SEVERAL, [1, 0, 0]),
        ([["a"], ["b"], ["a"]], OutputKind.LABELS, ["a", "b", "a"]),
        ([[True, True], [False, True], [False, False]], OutputKind.TABLE, [[1, 1], [0, 1], [0, 0]]),
        ([[1, 1], [0, 1], [0, 0]], OutputKind.TABLE, [[1, 1], [0, 1], [0, 0]]),
        ([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], OutputKind.SEVERAL, [0, 1, 1]),
        ([[3, 1], [0, 2], [0, 1]], OutputKind.SEVERAL, [0, 1, 1]),
    ],
)
def test_callables(answers, form, labels):
    box = read(lambda _: answers)

    assert box.form is form
    assert box.labels(predict_with(lambda _: answers, X)).tolist() == labels


@pytest.mark.parametrize(
    ("model", "form", "labels"),
    [
        (KNeighborsClassifier(1).fit(X, [0.0, 1.0, 1.0]), OutputKind.LABELS, [0.0, 1.0, 1.0]),
        (KNeighborsClassifier(1).fit(X, X.astype(int)), OutputKind.TABLE, [[0, 1], [1, 0], [1, 1]]),
        (linear([1.0, -1.0]), OutputKind.ONE, [False, True, False]),  # a logit is yes above zero
        (linear([1.0, 0.0], [0.0, 1.0], [0.7, 0.7]), OutputKind.SEVERAL, [1, 0, 2]),
    ],
)
def test_models(model, form, labels):
    box = read(model)

    assert box.form is form
    assert box.labels(predict_with(model, X)).tolist() == labels
    assert box.logits is isinstance(model, torch.nn.Module)


@pytest.mark.parametrize("kind", [pd.Series, torch.as_tensor, np.asarray], ids=["series", "tensor", "array"])
def test_answers_come_in_any_container(kind):
    assert predict_with(lambda _: kind([0.25, 0.5, 0.75]), X).tolist() == [0.25, 0.5, 0.75]


def test_the_form_is_settled_once():
    """A later batch of nothing but 0.0 and 1.0, or of one class, is read as the first one was."""
    box = read(lambda _: [0.0, 1.0, 2.0])

    assert box.labels(np.array([0.0, 1.0])).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    "table", [X, X.tolist(), pd.DataFrame(X), torch.as_tensor(X)], ids=["array", "list", "frame", "tensor"]
)
def test_a_module_is_asked_with_tensors_of_its_own_kind(table):
    module = linear([1.0, -1.0]).to(torch.float64)

    assert predict_with(module, table).tolist() == [-1.0, 1.0, 0.0]


def test_a_module_is_asked_in_evaluation_mode_and_left_as_it_was():
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.BatchNorm1d(2), linear([1.0, -1.0]))
    module[0].eval()
    before = [parameter.clone() for parameter in module.state_dict().values()]
    twice = [predict_with(module, X).tolist() for _ in range(2)]

    assert twice[0] == twice[1]
    assert [part.training for part in module] == [False, True, True]
    assert all(torch.equal(a, b) for a, b in zip(before, module.state_dict().values(), strict=True))


def test_a_module_may_be_asked_about_very_many_rows():
    rows = np.random.default_rng(0).random((40_000, 2))

    assert np.allclose(predict_with(linear([1.0, -1.0]), rows), rows[:, 0] - rows[:, 1], atol=1e-6)


def test_a_module_fed_with_nan_is_refused_with_a_word_about_the_input():
    rows = np.array([[0.0, 1.0], [np.nan, 0.0]])

    assert "row 1 (counted from 0). Look there for missing values in X" in error_of(
        read, linear([1, -1]), rows
    )


# --- fitting ---


@pytest.mark.parametrize(
    ("black_box", "fitted"),
    [
        (LogisticRegression(), False),
        (make_pipeline(StandardScaler(), LogisticRegression()), False),
        (LogisticRegression().fit(X, [0, 1, 1]), True),
        (make_pipeline(StandardScaler(), LogisticRegression()).fit(X, [0, 1, 1]), True),
        (linear([1.0, 1.0]), True),
        (len, True),
        (Foreign(), True),
    ],
    ids=["estimator", "pipeline", "fitted estimator", "fitted pipeline", "module", "function", "foreign"],
)
def test_who_is_fitted(black_box, fitted):
    assert is_fitted(black_box) is fitted


def test_weights_are_handed_on_where_they_are_taken():
    rows, y = np.array([[0.0], [0.0]]), np.array(["a", "b"])
    model = fit_black_box(DummyClassifier(strategy="most_frequent"), rows, y, np.array([1.0, 3.0]))
    nearest = fit_black_box(KNeighborsClassifier(1), rows, y, np.array([1.0, 3.0]))

    assert model.predict(rows)[0] == "b"
    assert nearest.predict(rows)[0] == "a"


def test_out_of_fold_answers_come_from_those_who_have_not_seen_the_row():
    """The nearest neighbour knows every row by heart; out of fold it has to guess, and guesses another."""
    rows = np.arange(20.0)[:, None]
    y = np.arange(20)
    folds = fit_out_of_fold(KNeighborsClassifier(1), rows, y, np.ones(20), 5, 0)
    said = np.concatenate([box.predict(part) for box, part in folds.held_out])[folds.order]

    assert len(folds.held_out) == 5
    assert (said != y).all()
    assert np.abs(said - y).max() <= 5


def test_out_of_fold_uses_weights():
    rows, y = np.zeros((20, 1)), np.tile(["a", "b"], 10)
    folds = fit_out_of_fold(DummyClassifier(), rows, y, np.where(y == "a", 1.0, 2.0), 2, 0)

    assert all((box.predict(part) == "b").all() for box, part in folds.held_out)


# --- what is refused ---


@pytest.mark.parametrize(
    ("black_box", "classes", "message"),
    [
        (lambda _: ["a"] * 3, ["a", "b"], "classes names the numbers of a black box;"),
        (lambda _: [0.5] * 3, ["a"], "classes must name the 2 classes that the black box"),
        (lambda _: [0.5] * 3, "ab", "classes must be a sequence of labels."),
        (lambda _: [0.5] * 3, ["a", "a"], "Labels must be distinct;"),
        (lambda _: [0.5, np.nan, 0.1], None, "The black box answers NaN about 1 row, the first of"),
        (
            lambda _: [[0.5, 0.5], [np.nan, np.nan], [np.nan, 1.0]],
            None,
            "The black box answers NaN about 2 rows, the first of",
        ),
        (
            torch.nn.Sequential(linear([1.0, -1.0]), torch.nn.Sigmoid()),
            None,
            "The output of the module lies in [0, 1] on every row,",
        ),
        (KNeighborsRegressor(1).fit(X, [0.0, 0.5, 0.25]), None, "The black box predicts numbers such as"),
        (lambda x: x[:, 0] * 1.5, None, "The black box answers with numbers such as 1.5, neither"),
    ],
)
def test_answers_that_cannot_be_read(black_box, classes, message):
    assert message in error_of(read, black_box, X, classes)


def test_probabilities_may_be_rounded():
    box = lambda x: np.float32(1.0000001) * x[:, 0].astype(np.float32)  # noqa: E731
    answers = read(box)

    assert answers.form is OutputKind.ONE
    assert answers.degrees(predict_with(box, X)).max() == 1.0


@pytest.mark.parametrize("answers", [["a"], [0.5] * 4, np.zeros((3, 2, 2))], ids=["fewer", "more", "3-D"])
def test_each_row_has_one_answer(answers):
    shape = np.shape(answers)

    assert error_of(OutputFormat.of, len, np.asarray(answers), 3) == (
        f"The black box must give an answer for each of the 3 rows. Got shape {shape}."
    )


def test_prediction_needs_no_torch():
    code = (
        "import sys; from logiclens.pipelines.black_box import predict_with; "
        "predict_with(lambda X: [1], [[0]]); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)

    assert done.stdout == "False\n", done.stderr


# --- how probable classes are held to be ---


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


class ForeignClasses(Says):
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
    ("black_box", "expected"),
    [
        (LogisticRegression().fit(X, ["n", "y", "n"]), True),
        (KNeighborsClassifier(1).fit(X, ["a", "b", "c"]), True),
        (linear([1.0, -1.0]), True),
        (linear([1.0, 0.0], [0.0, 2.0]), True),
        (lambda x: x[:, 0] * 0.75, True),
        (lambda x: np.column_stack([x[:, 0] * 0.4, 1 - x[:, 0] * 0.4]), True),
        (Perceptron().fit(X, ["n", "y", "n"]), False),  # has none
        (KNeighborsClassifier(1).fit(X, X.astype(int)), False),  # two labels per row
        (lambda _: ["a", "b", "a"], False),
        (lambda x: x * 3.0, False),  # the largest decides, and that is all
        (lambda x: x - 2.0, False),
        (Says(np.nan), False),
        (Broken(), False),
        (ForeignClasses(0.75), False),
        (Ragged(0.75), False),
    ],
)
def test_who_gives_probabilities(black_box: object, expected: bool):
    assert gives(black_box) is expected
