from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from logiclens import CascadeClassifier, MuClassifier, TruthTable
from logiclens.plots._fitted import Member, rule_of
from tests.errors import error_of
from tests.plots.conftest import bits, black_box, clusterer, fitted, flowers

KINDS = ("Mu", "Psi", "Relu", "Entropy")


def test_the_rule_of_a_target_is_that_of_the_model():
    model = fitted("Mu")

    assert rule_of(model, "setosa") is model.explain()["setosa"]
    assert rule_of(fitted("Mu", "bits")).target == "yes"


def test_an_unfitted_model_says_so_as_scikit_learn_does():
    with pytest.raises(NotFittedError, match="MuClassifier instance is not fitted yet"):
        rule_of(MuClassifier())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", ["no", "yes"])
def test_weights_are_those_of_the_network_of_the_target(kind: str, target: str):
    """Sent through them, rows get the network's own logits; of the first of two classes, turned round."""
    X, _ = bits()
    member = Member.of(fitted(kind, "bits"), target)
    inputs = X.astype(float)
    for depth, (weight, bias) in enumerate(zip(member.weights(), member.biases(), strict=True)):
        if depth:
            inputs = _activated(kind, inputs)
        inputs = inputs @ weight.T + bias

    with torch.no_grad():
        x = torch.as_tensor(X, dtype=member.network.l1.dtype)
        logits = member.network(x)[member.at].double().numpy()
    np.testing.assert_allclose(inputs[:, 0], -logits if member.opposite else logits, rtol=1e-3, atol=1e-4)


def _activated(kind: str, inputs: np.ndarray) -> np.ndarray:
    if kind == "Psi":
        return (inputs > 0).astype(float)
    return np.where(inputs > 0, inputs, 0.0 if kind == "Relu" else 0.01 * inputs)


@pytest.mark.parametrize("kind", KINDS)
def test_relevance_is_that_of_the_classifier(kind: str):
    model = fitted(kind)
    member = Member.of(model, "virginica")

    np.testing.assert_allclose(member.relevance(), model.concept_relevance_[2], rtol=1e-6)
    assert (member.relevance()[~member.kept()] == 0).all()


def test_tables_are_those_of_the_fit_over_the_concepts_of_the_rule():
    model = fitted("Mu")
    member = Member.of(model, "setosa")

    assert member.table() == model.seen_.predictions(0).select(member.explanation.concepts)


def test_tables_of_other_rows_have_the_networks_answers():
    X, _ = flowers()
    model = fitted("Mu")
    table = Member.of(model, "virginica").table(X)

    assert table.yes.sum() == (model.predict(X) == "virginica").sum()
    assert table.total == 150


def test_a_black_box_is_drawn_by_its_imitation():
    member = Member.of(black_box(), "yes")

    assert member.estimator is black_box().estimator_
    assert isinstance(member.table(), TruthTable)


def test_other_rows_are_taken_where_a_model_holds_none(loaded: Any):
    X, _ = flowers()
    member = Member.of(loaded, "setosa")

    assert "A loaded model holds no rows to count. Pass X," in error_of(member.table)
    assert member.table(X) == Member.of(fitted("Mu"), "setosa").table(X)
    table = Member.of(clusterer(), 0).table(X)
    assert table.yes.sum() == (clusterer().predict(X) == 0).sum()


def test_a_cascade_has_a_rule_but_no_single_network():
    cascade = CascadeClassifier(fitted("Mu", "bits")).fit(*bits())

    assert rule_of(cascade).target == "yes"
    assert "; pass one of its estimators_." in error_of(Member.of, cascade)


MODEL = "model must be a fitted classifier, clusterer or pipeline. Got"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rule_of(fitted("Mu")), "There are 3 targets, 'setosa', 'versicolor', 'virginica'. Pass"),
        (lambda: rule_of(fitted("Mu"), "setoso"), "Unknown class 'setoso'. Did you mean 'setosa'?"),
        *((lambda model=model: rule_of(model), MODEL) for model in (None, 3, "model", MuClassifier)),
        (lambda: rule_of(DecisionTreeClassifier()), MODEL),
        (lambda: rule_of(fitted("Mu", "bits").explain()["yes"]), "; use from_explanation."),
        (lambda: Member.of(clusterer(), 0).table(), "A clusterer holds no rows to count. Pass X,"),
        (lambda: Member.of(fitted("Mu"), "setosa").table(NO_ROWS), "There are no rows to count."),
    ],
)
def test_what_has_no_network_or_rows_is_refused(call: Callable[[], Any], message: str):
    assert message in error_of(call)


NO_ROWS = {name: values[:0] for name, values in flowers()[0].items()}
