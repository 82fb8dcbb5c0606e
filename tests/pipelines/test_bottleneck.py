"""From raw inputs to rules about what is seen in them: fitting, asking, explaining, refusing."""

from __future__ import annotations

import copy
import random

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from torch import nn

from logiclens.estimators import MuClassifier, PsiClassifier
from logiclens.logic import equivalent, exactly_one, parse_formula
from logiclens.pipelines import ConceptBottleneckClassifier, intervention_curve
from tests.errors import error_of
from tests.estimators.toys import booleans
from tests.pipelines.raw_toys import DIGITS, PLACES, digits, linear, plane, quick, sharp, small_cnn
from tests.strategies import HOSTILE_NAMES

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y, CONCEPTS = plane()
NO_WEIGHTS = "concept_model has no weights that can be trained"


@pytest.fixture(scope="module")
def fitted() -> ConceptBottleneckClassifier:
    """A bottleneck of points of a plane."""
    return quick(linear()).fit(X, Y, CONCEPTS, PLACES)


# --- pictures of digits ---


@pytest.fixture(scope="module")
def seen() -> tuple[ConceptBottleneckClassifier, np.ndarray, np.ndarray, np.ndarray]:
    """A fitted bottleneck of digits; and pictures, parity and digits that it was not fitted on."""
    pictures, y, concepts, train, test = digits()
    model = ConceptBottleneckClassifier(
        small_cnn(), epochs=20, batch_size=32, learning_rate=0.005, device="cpu", random_state=0
    )
    model.fit(pictures[train], y[train], concepts[train], DIGITS)
    return model, pictures[test], y[test], concepts[test]


def test_even_and_odd_digits_are_told_apart_by_five_literals(seen):
    model, pictures, y, concepts = seen
    rules = model.explain()
    one_digit = exactly_one(DIGITS)

    assert model.score(pictures, y) >= 0.97
    assert model.concept_accuracy(pictures, concepts) >= 0.98
    assert rules.score(model.predict_concepts(pictures), y) >= 0.97
    assert [rules[label].complexity for label in ("even", "odd")] == [5, 5]
    even = parse_formula("zero | two | four | six | eight")
    odd = parse_formula("one | three | five | seven | nine")
    assert equivalent(rules["even"].formula, even, given=one_digit)
    assert equivalent(rules["odd"].formula, odd, given=one_digit)


def test_rules_quantify_over_the_raw_input(seen):
    """Eq. (10): the concepts are predicates of x, seen in it by the concept model."""
    text = str(seen[0].explain()["even"])

    assert text.startswith("forall x: even(x) <-> ")
    assert text.count("(x)") == 6


def test_putting_concepts_right_raises_accuracy(seen):
    model, pictures, y, concepts = seen
    curve = intervention_curve(model, pictures, y, concepts)

    assert curve.accuracy[0] == model.score(pictures, y) < 1.0
    assert curve.accuracy[-1] == 1.0
    assert (np.diff(curve.accuracy) > -0.01).all()


def test_a_wrong_picture_is_put_right_by_hand(seen):
    model, pictures, y, concepts = seen
    wrong = np.flatnonzero(model.predict(pictures) != y)[:1]
    named = dict(zip(DIGITS, concepts[wrong].T, strict=True))
    change = model.intervene(pictures[wrong], named)

    assert change.changed.tolist() == [True]
    assert change.predictions_after.tolist() == y[wrong].tolist()
    right = change.labels.index(y[wrong][0])
    assert change.fired_after[0].tolist() == [at == right for at in range(2)]


def test_explanations_of_pictures(seen):
    model, pictures, y, _ = seen
    row = np.flatnonzero((model.predict(pictures) == y) & (y == "even"))[:1]
    one = model.explain_sample(pictures[row])

    assert one.target == "even"
    assert one.evaluate(model.predict_concepts(pictures[row]), names=DIGITS).tolist() == [True]
    assert set(model.explain_set(pictures, "odd").concepts) <= set(DIGITS)
    assert set(model.explain_global(pictures[:50]).formula.concepts) <= set(DIGITS)
    assert model.explain(pictures, y)["even"].complexity <= 5


# --- points of a plane: what comes back ---


def test_concepts_and_classes_are_learnt(fitted):
    assert fitted.concept_accuracy(X, CONCEPTS) > 0.95
    assert fitted.score(X, Y) > 0.95
    assert equivalent(fitted.explain()["both"].formula, parse_formula("right & up"))
    assert fitted.concept_names_ == PLACES
    assert fitted.history_.check[fitted.history_.best] == fitted.history_.check.min()


def test_answers_agree_with_one_another(fitted):
    shares = fitted.predict_proba(X)

    assert np.allclose(shares.sum(axis=1), 1.0)
    assert (fitted.classes_[shares.argmax(axis=1)] == fitted.predict(X)).all()
    assert (fitted.decide(X)[:, 1] == (fitted.predict(X) == "not both")).all()
    assert ((fitted.decision_function(X) > 0) == fitted.decide(X)[:, 1]).all()
    scores = fitted.predict_concepts(X)
    assert scores.shape == (len(X), 2)
    assert scores.min() >= 0.0
    assert scores.max() <= 1.0


@pytest.mark.parametrize(
    "convert", [np.asarray, torch.from_numpy, pd.DataFrame, pl.DataFrame, list], ids=lambda f: f.__module__
)
def test_raw_inputs_in_any_container(fitted, convert):
    assert np.array_equal(fitted.predict_concepts(convert(X)), fitted.predict_concepts(X))


def test_bytes_are_pictures():
    """Their values are divided by 255."""
    pictures = np.random.default_rng(0).integers(0, 256, (60, 2), dtype=np.uint8)
    model = quick(sharp(), train_concepts=False)
    model.fit(pictures, pictures[:, 0] > 127)

    assert np.allclose(model.predict_concepts(pictures), 1 / (1 + np.exp(-20 * (pictures / 255))), atol=1e-6)


def test_batches_do_not_change_the_scores(fitted):
    other = copy.deepcopy(fitted).set_params(batch_size=7)

    assert np.allclose(other.predict_concepts(X), fitted.predict_concepts(X), atol=1e-6)


def test_names_of_a_frame_of_labels_are_used():
    labels = pd.DataFrame(CONCEPTS, columns=["to the right", "higher"])
    model = quick(linear()).fit(X, Y, labels)

    assert model.concept_names_ == ("to the right", "higher")
    assert str(model.explain()["both"]).count('"to the right"(x)') == 1


def test_concepts_without_names_are_numbered():
    assert quick(linear()).fit(X, Y, CONCEPTS).concept_names_ == ("x0", "x1")


@pytest.mark.parametrize("start", range(0, len(HOSTILE_NAMES) - 1, 8))
def test_hostile_names(start):
    names = HOSTILE_NAMES[start : start + 2]
    model = quick(sharp(), train_concepts=False).fit(X, Y, concept_names=names)

    assert set(model.explain()["both"].concepts) == set(names)
    assert model.intervene(X, {names[0]: 0.0}).concepts_after[:, 0].max() == 0.0


def test_a_table_of_targets():
    outputs = pd.DataFrame({"right or up": CONCEPTS.any(axis=1), "both": CONCEPTS.all(axis=1)}).astype(int)
    model = quick(linear()).fit(X, outputs, CONCEPTS, PLACES)

    assert model.predict(X).shape == (len(X), 2)
    assert equivalent(model.explain()["right or up"].formula, parse_formula("right | up"))
    assert model.intervene(X[:3], {"right": 1, "up": 1}).predictions_after.tolist() == [[1, 1]] * 3


# --- what is left alone ---


def test_the_concept_model_passed_is_not_changed():
    model = linear()
    before = copy.deepcopy(model.state_dict())
    quick(model).fit(X, Y, CONCEPTS)

    assert model.training
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


def test_global_random_numbers_go_on_as_if_nothing_had_happened():
    torch.manual_seed(3)
    np.random.seed(3)
    random.seed(3)
    states = torch.get_rng_state(), np.random.get_state()[1].copy(), random.getstate()
    flags = torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark
    dropping = nn.Sequential(linear(), nn.Dropout(0.1))
    quick(dropping, joint=True, epochs=2, augment=lambda batch: batch + torch.randn_like(batch)).fit(
        X, Y, CONCEPTS
    )

    assert torch.equal(states[0], torch.get_rng_state())
    assert np.array_equal(states[1], np.random.get_state()[1])
    assert states[2] == random.getstate()
    assert flags == (torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark)


def test_lazy_layers_draw_their_weights_by_the_seed():
    torch.manual_seed(3)
    state = torch.get_rng_state()
    one, same, other = (
        quick(nn.LazyLinear(2), epochs=1, random_state=seed).fit(X, Y, CONCEPTS).predict_concepts(X)
        for seed in (0, 0, 1)
    )

    assert torch.equal(state, torch.get_rng_state())
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("joint", [False, True])
def test_a_concept_model_in_double_precision(joint):
    model = quick(linear().double(), joint=joint).fit(X, Y, CONCEPTS)

    assert model.concept_accuracy(X, CONCEPTS) > 0.95
    assert next(model.concept_model_.parameters()).dtype == torch.float64


def test_the_same_seed_gives_the_same_scores():
    def noisy(batch: torch.Tensor) -> torch.Tensor:
        return batch + 0.1 * torch.randn_like(batch)

    one, same, other = (
        quick(nn.Sequential(linear(), nn.Dropout(0.2)), augment=noisy, random_state=seed, epochs=4)
        .fit(X, Y, CONCEPTS)
        .predict_concepts(X)
        for seed in (0, 0, 1)
    )

    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_clone_keeps_the_settings():
    model = quick(linear(), batch_size=7)
    twin = clone(model)

    assert twin.get_params()["batch_size"] == 7
    assert twin.concept_model is not model.concept_model
    assert torch.equal(twin.concept_model.weight, model.concept_model.weight)


# --- ways of training ---


def test_a_trained_concept_model_is_used_as_it_is():
    model = quick(sharp(), train_concepts=False).fit(X, Y, concept_names=PLACES)

    assert np.allclose(model.predict_concepts(X), 1 / (1 + np.exp(-20.0 * X)), atol=1e-5)
    assert model.history_ is None
    assert equivalent(model.explain()["both"].formula, parse_formula("right & up"))


def test_rows_of_weight_zero_teach_nothing():
    weight = np.ones(len(X))
    weight[:40] = 0.0
    spoilt = np.where(weight[:, None] > 0, CONCEPTS, 1 - CONCEPTS)
    swapped = np.where(weight > 0, Y, Y[::-1])
    plain = quick(linear()).fit(X, Y, CONCEPTS, sample_weight=weight)
    other = quick(linear()).fit(X, swapped, spoilt, sample_weight=weight)

    assert np.array_equal(plain.predict_concepts(X), other.predict_concepts(X))
    assert np.array_equal(plain.predict_proba(X), other.predict_proba(X))


@pytest.mark.parametrize("kind", [None, PsiClassifier(epochs=200, restarts=3, random_state=0)])
def test_joint_training_lowers_the_loss_of_the_classes(kind):
    """Labels of the concept *right* are shifted: they are not what the classes need."""
    points, y, _ = plane(400)
    new, new_y, _ = plane(400, seed=1)
    shifted = np.column_stack([points[:, 0] > 0.4, points[:, 1] > 0]).astype(float)
    settings = {"concept_weight": 0.1, "learning_rate": 1.0, "epochs": 40, "rounds": 2}
    before = quick(linear(), kind, **settings).fit(points, y, shifted)
    after = quick(linear(), kind, joint=True, **settings).fit(points, y, shifted)

    assert before.joint_loss_.size == 0
    assert len(after.joint_loss_) >= 2
    assert (np.diff(after.joint_loss_) < 0).all()
    assert after.score(new, new_y) > before.score(new, new_y) + 0.01


def test_joint_training_of_a_trained_concept_model_holds_on_to_its_scores():
    model = sharp()
    with torch.no_grad():
        model.bias.copy_(torch.tensor([-6.0, 0.0]))
    points, y, _ = plane(400)
    loose, tight = (
        quick(model, joint=True, train_concepts=False, concept_weight=weight, learning_rate=0.5)
        .fit(points, y)
        .predict_concepts(points)
        for weight in (0.0, 100.0)
    )
    first = 1 / (1 + np.exp(-(20 * points + [-6.0, 0.0])))

    assert np.abs(loose - first).mean() > 2 * np.abs(tight - first).mean()


# --- without a concept model ---


def test_without_a_concept_model_it_is_the_estimator_alone():
    estimator = quick().estimator
    table = pd.DataFrame(CONCEPTS, columns=list(PLACES))
    model = quick().fit(table, Y)
    alone = clone(estimator).fit(table, Y)

    assert np.array_equal(model.predict_proba(table), alone.predict_proba(table))
    assert model.n_features_in_ == 2
    assert list(model.feature_names_in_) == list(PLACES)
    assert np.array_equal(model.predict_concepts(table), CONCEPTS)
    assert model.intervene(table, {"right": 0}).predictions_after.tolist() == ["not both"] * len(X)


def test_concepts_of_an_encoded_table_are_not_set_by_hand():
    table = pd.DataFrame({"age": np.linspace(20, 90, 60)})
    model = quick().fit(table, np.where(table["age"] > 60, "old", "young"))

    assert model.predict_concepts(table).shape == (60, len(model.concept_names_))
    assert "These concepts follow from the columns of the table, so" in error_of(
        model.intervene, table, {model.concept_names_[0]: 1}
    )


def test_a_second_fit_forgets_the_first():
    model = quick().fit(pd.DataFrame(CONCEPTS, columns=list(PLACES)), Y)
    model.set_params(concept_model=linear()).fit(X, Y, CONCEPTS, PLACES)

    assert not hasattr(model, "n_features_in_")
    assert not hasattr(model, "feature_names_in_")
    assert model.score(X, Y) > 0.95


def test_an_estimator_without_a_seed_takes_that_of_the_bottleneck():
    model = quick(sharp(), MuClassifier(epochs=4), train_concepts=False, random_state=5).fit(X, Y)
    chosen = quick(sharp(), MuClassifier(epochs=4, random_state=6), train_concepts=False).fit(X, Y)

    assert model.estimator_.random_state == 5
    assert model.estimator is not model.estimator_
    assert model.estimator.random_state is None
    assert chosen.estimator_.random_state == 6


# --- what is refused ---


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda _: quick(linear()).fit(X, Y), "Concept labels are needed to train concept_model"),
        (lambda _: quick().fit(CONCEPTS, Y, CONCEPTS), "concepts and concept_names are for a concept model"),
        (lambda _: quick(linear()).fit(X[:0], Y[:0], CONCEPTS[:0]), "There are no rows to learn from"),
        (lambda _: quick(linear()).fit(X, Y, CONCEPTS[:5]), "concepts must have one row for each of the 160"),
        (lambda _: quick(linear(n_out=3)).fit(X, Y, CONCEPTS), "concept_model gives 3 concepts"),
        (
            lambda _: quick(sharp(), train_concepts=False).fit(X, Y, concept_names=["a"]),
            "1 name was given for",
        ),
        (lambda _: quick(nn.Identity()).fit(X, Y, CONCEPTS), NO_WEIGHTS),
        (lambda _: quick(nn.Identity(), train_concepts=False, joint=True).fit(X, Y, CONCEPTS), NO_WEIGHTS),
        (
            lambda model: model.predict(np.zeros((3, 5))),
            "The concept model was fitted on inputs of shape (2,)",
        ),
        (lambda model: model.concept_accuracy(X, CONCEPTS[:3]), "concepts must have one row for each of the"),
    ],
)
def test_rows_and_labels_that_do_not_fit(fitted, call, text):
    assert text in error_of(call, fitted)


def test_targets_are_looked_at_before_anything_is_trained():
    class Untouched(nn.Linear):
        def forward(self, *_: torch.Tensor) -> torch.Tensor:
            raise AssertionError

    assert "y must have one value for each of the 160 rows of" in error_of(
        quick(Untouched(2, 2)).fit, X, Y[:3], CONCEPTS
    )


def test_a_bottleneck_that_failed_to_fit_is_not_fitted():
    model = quick(linear())
    error_of(model.fit, X, Y)
    with pytest.raises(NotFittedError):
        model.predict(X)


METHODS = (
    "predict predict_proba decision_function decide predict_concepts explain explain_sample explain_global"
)


@pytest.mark.parametrize("method", METHODS.split())
def test_an_unfitted_bottleneck_says_so(method):
    with pytest.raises(NotFittedError, match="ConceptBottleneckClassifier instance is not fitted yet"):
        getattr(quick(linear()), method)(X)


def test_rules_of_every_length():
    table = pd.DataFrame(booleans(5)[0], columns=list("abcd"))
    model = ConceptBottleneckClassifier(random_state=0).fit(table, table["a"] * table["b"])

    assert model.front_ is model.estimator_.front_
    assert model.explain(literals=0).literals == 0
    assert model.explain(literals=2).score(table, table["a"] * table["b"]) == 1.0
