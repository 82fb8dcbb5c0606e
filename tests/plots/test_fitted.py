from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from logiclens import CascadeClassifier, MuClassifier, TruthTable
from logiclens.errors import InputError, UnknownConceptError, UnknownTargetError
from logiclens.plots._fitted import Member, check_rule, check_words, rule_of
from tests.plots.conftest import bits, black_box, clusterer, fitted, flowers

KINDS = ("Mu", "Psi", "Relu", "Entropy")


def test_the_rule_of_a_target_is_that_of_the_model():
    model = fitted("Mu")

    assert rule_of(model, "setosa") is model.explain()["setosa"]
    assert rule_of(fitted("Mu", "bits")).target == "yes"


def test_of_three_targets_one_must_be_named():
    with pytest.raises(InputError) as info:
        rule_of(fitted("Mu"))

    expected = "There are 3 targets, 'setosa', 'versicolor', 'virginica'. Pass target=, one of them."
    assert str(info.value) == expected


def test_an_unknown_target_is_refused():
    with pytest.raises(UnknownTargetError, match=r"Unknown target 'setoso'. Did you mean 'setosa'\?"):
        rule_of(fitted("Mu"), "setoso")


@pytest.mark.parametrize("model", [None, 3, "model", MuClassifier, DecisionTreeClassifier()])
def test_what_is_no_model_is_refused(model: object):
    with pytest.raises(InputError, match=r"^model must be a fitted classifier, clusterer or pipeline. Got "):
        rule_of(model)


def test_an_explanation_is_sent_elsewhere():
    explanation = fitted("Mu", "bits").explain()["yes"]

    with pytest.raises(InputError, match=re.escape("; use from_explanation.")):
        rule_of(explanation)


def test_an_unfitted_model_says_so_as_scikit_learn_does():
    with pytest.raises(NotFittedError, match="MuClassifier instance is not fitted yet"):
        rule_of(MuClassifier())


def test_a_cascade_has_no_single_network():
    X, y = bits()
    cascade = CascadeClassifier(fitted("Mu", "bits")).fit(X, y)

    assert rule_of(cascade).target == "yes"
    with pytest.raises(InputError) as info:
        Member.of(cascade)
    expected = "model must hold one network. Got 'CascadeClassifier'; pass one of its estimators_."
    assert str(info.value) == expected


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


def test_a_clusterer_holds_no_rows_but_takes_some():
    X, _ = flowers()
    member = Member.of(clusterer(), 0)

    assert member.table(X).yes.sum() == (clusterer().predict(X) == 0).sum()
    with pytest.raises(InputError) as info:
        member.table()
    expected = "A clusterer holds no rows to count. Pass X, the rows to ask the network about."
    assert str(info.value) == expected


def test_a_loaded_model_holds_no_rows_but_takes_some(loaded: Any):
    member = Member.of(loaded, "setosa")

    with pytest.raises(InputError) as info:
        member.table()
    expected = "A loaded model holds no rows to count. Pass X, the rows to ask the network about."
    assert str(info.value) == expected
    X, _ = flowers()
    assert member.table(X) == Member.of(fitted("Mu"), "setosa").table(X)


def test_no_rows_are_refused():
    X, _ = flowers()
    none = {name: values[:0] for name, values in X.items()}

    with pytest.raises(InputError, match=r"There are no rows to count. Pass at least one."):
        Member.of(fitted("Mu"), "setosa").table(none)


def test_words_are_those_of_the_rule_unless_others_are_given():
    model = fitted("Mu")
    rule, names = model.explain()["setosa"], tuple(model.concept_names_)

    assert check_words(None, rule, names) is model.vocabulary_
    assert check_words(None, None, names) is None
    with pytest.raises(InputError, match=r"^vocabulary must be a Vocabulary or None. Got 'English'.$"):
        check_words("English", rule, names)
    with pytest.raises(UnknownConceptError, match="Unknown concept 'beak'"):
        check_words(model.vocabulary_, None, ("beak",))


def test_rules_speak_of_known_concepts():
    rule = fitted("Mu", "bits").explain()["yes"]

    assert check_rule(None, ()) is None
    assert check_rule(rule, tuple(fitted("Mu", "bits").concept_names_)) is rule
