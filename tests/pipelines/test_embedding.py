"""Concept embeddings: what the network decides beyond its concepts, and what rules say of that."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from torch import nn

from logiclens.estimators import MuClassifier
from logiclens.logic import equivalent, parse_formula
from logiclens.nn.embedding import EmbeddingNetwork
from logiclens.pipelines import ConceptBottleneckClassifier, intervention_curve
from tests.errors import error_of
from tests.pipelines.raw_toys import PLACES, plane, quick

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y, CONCEPTS = plane(300)
SUM = np.where(X.sum(axis=1) > 0.3, "much", "little")
"""Classes that the concepts *right* and *up* do not decide."""


def backbone(seed: int = 0, n_out: int = 16) -> nn.Sequential:
    """Features of points whose first weights repeat."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(2, n_out), nn.LeakyReLU())


def embedded(concept_model: nn.Module | None = None, **settings: object) -> ConceptBottleneckClassifier:
    chosen = {"embedding": 4, "learning_rate": 0.02, "epochs": 40, "batch_size": 32}
    return quick(backbone() if concept_model is None else concept_model, **chosen | settings)


@pytest.fixture(scope="module")
def fitted() -> ConceptBottleneckClassifier:
    return embedded().fit(X, SUM, CONCEPTS, PLACES)


# --- the network ---


def test_a_score_chooses_between_two_vectors():
    torch.manual_seed(0)
    network, x = EmbeddingNetwork(nn.Linear(3, 6), 6, 2, 3, 5), torch.rand(7, 3)
    vectors = network(x)
    active, inactive = vectors.unbind(2)

    for score, wanted in ((1.0, active), (0.0, inactive), (0.25, 0.25 * active + 0.75 * inactive)):
        found = network.outputs(vectors, torch.full((7, 2), score))
        assert torch.allclose(found, network.head(wanted.flatten(1)), atol=1e-6)


def test_effects_are_what_scores_change():
    torch.manual_seed(0)
    network, x = EmbeddingNetwork(nn.Linear(3, 6), 6, 2, 3, 5), torch.rand(7, 3)
    vectors, low, high = network(x), torch.zeros(7, 2), torch.zeros(7, 2)
    high[:, 1] = 1.0

    moved = network.outputs(vectors, high) - network.outputs(vectors, low)

    assert torch.allclose(network.effects(vectors)[:, :, 1], moved, atol=1e-6)


# --- what it predicts ---


def test_classes_that_concepts_do_not_decide(fitted):
    """The rules cannot see the vectors, and say so; their fidelity is that to the network."""
    scores = fitted.predict_concepts(X)
    rules = fitted.explain()
    point = fitted.front_[fitted.front_.chosen]

    assert fitted.score(X, SUM) > 0.95
    assert fitted.concept_accuracy(X, CONCEPTS) > 0.95
    assert rules.score(scores, SUM) < 0.9
    assert point.fidelity < 0.93
    assert (rules.predict(scores) == fitted.predict(X)).mean() == pytest.approx(point.fidelity, abs=0.07)
    assert all("which rules cannot see" in each.status for each in rules.values())
    assert fitted.concept_names_ == PLACES
    assert fitted.history_.check[fitted.history_.best] == fitted.history_.check.min()


def test_answers_agree_with_one_another(fitted):
    shares = fitted.predict_proba(X)

    assert np.allclose(shares.sum(axis=1), 1.0)
    assert (fitted.classes_[shares.argmax(axis=1)] == fitted.predict(X)).all()
    assert (fitted.decide(X)[:, 1] == (fitted.predict(X) == "much")).all()
    assert ((fitted.decision_function(X) > 0) == fitted.decide(X)[:, 1]).all()
    assert np.allclose(copy.deepcopy(fitted).set_params(batch_size=7).predict_proba(X), shares)


def test_rules_where_concepts_say_it_all():
    model = embedded().fit(X, Y, CONCEPTS, PLACES)

    assert model.score(X, Y) > 0.95
    assert equivalent(model.explain()["both"].formula, parse_formula("right & up"))
    assert model.front_[model.front_.chosen].fidelity > 0.95


@pytest.mark.parametrize("rule", ["iff", "if", "only_if"])
def test_several_classes(rule):
    three = np.where(X.sum(axis=1) > 1, "a", np.where(X[:, 0] > 0, "b", "c"))
    model = embedded(estimator=MuClassifier(rule=rule)).fit(X, three, CONCEPTS, PLACES)

    assert model.score(X, three) > 0.9
    assert model.explain().labels == ("a", "b", "c")
    assert {str(each.kind) for each in model.explain().values()} == {rule}


def test_a_table_of_targets():
    outputs = np.column_stack([CONCEPTS.any(axis=1), X[:, 0] > X[:, 1]]).astype(int)
    model = embedded().fit(X, outputs, CONCEPTS, PLACES)

    assert model.predict(X).shape == (len(X), 2)
    assert model.score(X, outputs) > 0.85
    assert model.intervene(X[:3], {"right": 1}).predictions_after[:, 0].tolist() == [1, 1, 1]


# --- interventions ---


def test_scores_that_are_set_reach_the_classes():
    """As the truth took the place of scores while training, concepts that are set are heeded."""
    blurred = (X + np.random.default_rng(5).normal(0, 0.7, X.shape)).astype("float32")
    model = embedded().fit(blurred[:200], Y[:200], CONCEPTS[:200], PLACES)
    rest, y, truth = blurred[200:], Y[200:], CONCEPTS[200:]

    for order in ("uncertainty", "relevance", "random"):
        curve = intervention_curve(model, rest, y, truth, order=order, random_state=0)
        assert curve.accuracy[0] == model.score(rest, y)
        assert curve.accuracy[-1] > curve.accuracy[0] + 0.03
        assert curve.accuracy[-1] == (model.intervene(rest, truth).predictions_after == y).mean()
        assert curve.rules_accuracy[0] == model.explain().score(model.predict_concepts(rest), y)


def test_setting_scores_as_they_are_changes_nothing(fitted):
    change = fitted.intervene(X, fitted.predict_concepts(X))

    assert not change.changed.any()
    assert (change.predictions_before == fitted.predict(X)).all()


# --- explanations ---


def test_explanations_of_rows(fitted):
    rules = fitted.explain(literals=1)
    row = X[fitted.predict(X) == "much"][:1]
    one = fitted.explain_sample(row)

    assert rules.literals <= 1
    assert "which rules cannot see" in rules["much"].status
    for each in (one, fitted.explain_set(X, "much")):
        assert each.status.count("which rules cannot see") == 1
    assert one.target == "much"
    assert set(one.concepts) <= set(PLACES)
    assert one.evaluate(fitted.predict_concepts(row), names=PLACES).tolist() == [True]
    assert set(fitted.explain_set(X, "much").concepts) <= set(PLACES)
    assert set(fitted.explain_global().formula.concepts) <= set(PLACES)
    found = fitted.explain(X, SUM)
    assert found.literals <= fitted.explain().literals
    assert found["much"].status.count("which rules cannot see") == 1
    assert fitted.explain(X)["much"].scores.fidelity > 0.8


# --- training ---


def test_the_same_seed_gives_the_same_network(fitted):
    again = embedded().fit(X, SUM, CONCEPTS, PLACES)
    other = embedded(random_state=1).fit(X, SUM, CONCEPTS, PLACES)

    assert np.array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert not np.array_equal(other.predict_proba(X), fitted.predict_proba(X))


def test_a_trained_network_keeps_its_weights():
    below = nn.Sequential(backbone(), nn.BatchNorm1d(16), nn.Dropout(0.5))
    before = copy.deepcopy(below.state_dict())
    model = embedded(below, train_concepts=False).fit(X, SUM, CONCEPTS, PLACES)

    after = model.concept_model_.features.state_dict()
    assert all(torch.equal(value, after[name]) for name, value in before.items())
    assert below.training
    assert all(parameter.requires_grad for parameter in below.parameters())
    assert model.score(X, SUM) > 0.9


def test_frozen_weights_stay_frozen():
    model = backbone()
    model[0].requires_grad_(False)
    fitted = embedded(nn.Sequential(model, nn.Linear(16, 8)), epochs=3).fit(X, Y, CONCEPTS)
    features = fitted.concept_model_.features

    assert torch.equal(features[0][0].weight, model[0].weight)


def test_soft_targets_of_interventions():
    soft = 0.8 * np.column_stack([Y == Y[0], CONCEPTS[:, 0]]) + 0.1
    model = embedded(epochs=3).fit(X, soft, CONCEPTS)
    curves = [intervention_curve(model, X, each, CONCEPTS) for each in (soft, np.round(soft))]

    assert np.array_equal(curves[0].accuracy, curves[1].accuracy)


def test_rows_of_weight_zero_teach_nothing():
    weight = np.where(np.arange(len(X)) < 60, 0.0, 1.0)
    spoilt, swapped = (
        np.where(weight[:, None] > 0, CONCEPTS, 1 - CONCEPTS),
        np.where(weight > 0, SUM, "much"),
    )
    plain = embedded(epochs=4).fit(X, SUM, CONCEPTS, sample_weight=weight)
    other = embedded(epochs=4).fit(X, swapped, spoilt, sample_weight=weight)

    assert np.array_equal(plain.predict_proba(X), other.predict_proba(X))
    assert plain.front_.points == other.front_.points


@pytest.mark.parametrize("settings", [{"validation_fraction": 0.0}, {"concept_model": backbone().double()}])
def test_ways_of_training(settings):
    model = embedded(**settings).fit(X, SUM, CONCEPTS, PLACES)

    assert model.score(X, SUM) > 0.9


def test_few_rows():
    model = embedded(epochs=2).fit(X[:6], SUM[:6], CONCEPTS[:6], PLACES)

    assert model.predict(X[:6]).shape == (6,)


def test_it_is_cloned_copied_and_pickled(fitted):
    twin = clone(fitted)
    again = pickle.loads(pickle.dumps(fitted))

    assert twin.embedding == 4
    assert not hasattr(twin, "estimator_")
    assert np.array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_weights_and_rules_are_saved(fitted, tmp_path):
    """As :doc:`save_and_load` says: rules as rules, the network as weights."""
    torch.save(fitted.concept_model_.state_dict(), tmp_path / "weights.pt")
    network = EmbeddingNetwork(backbone(1), 16, 2, 1, 4)
    network.load_state_dict(torch.load(tmp_path / "weights.pt", weights_only=True))
    rows = torch.from_numpy(X)
    vectors = network(rows)
    logits = network.outputs(vectors, torch.sigmoid(network.concept_logits(vectors)))

    assert np.allclose(logits.detach().numpy()[:, 0], fitted.decision_function(X), atol=1e-5)
    fitted.explain().save(tmp_path / "rules.json")


def test_a_second_fit_without_an_embedding():
    model = embedded().fit(X, Y, CONCEPTS, PLACES)
    model.set_params(concept_model=nn.Linear(2, 2), embedding=None).fit(X, Y, CONCEPTS, PLACES)

    assert isinstance(model.estimator_, MuClassifier)
    assert model.predict(X).shape == (len(X),)


# --- what is refused ---


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: embedded().fit(X, Y), "Concept labels are needed to train concept_model"),
        (lambda: embedded(train_concepts=False).fit(X, Y), "Concept labels are needed to train"),
        (lambda: quick(embedding=4).fit(CONCEPTS, Y), "embedding needs a network that gives features"),
        (
            lambda: embedded(joint=True).fit(X, Y, CONCEPTS),
            "With embedding, concepts and classes are trained",
        ),
        (lambda: embedded(embedding=0).fit(X, Y, CONCEPTS), "embedding must be a whole number of at least 1"),
        (
            lambda: embedded(nn.Unflatten(1, (2, 1))).fit(X, Y, CONCEPTS),
            "concept_model must map n rows to features of shape (n, n_features). Got shape (2, 2, 1)",
        ),
        (lambda: embedded().fit(X, Y, CONCEPTS, ["a"]), "name"),
        (
            lambda: embedded(epochs=1).fit(X, Y, CONCEPTS).estimator_.save("model.lens"),
            "A network with concept embeddings has no file of its own",
        ),
        (
            lambda: embedded(epochs=1).fit(X, Y, CONCEPTS).estimator_.stability(X, Y),
            "A network with concept embeddings is not fitted to resamples",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(call, text):
    assert text in error_of(call)
