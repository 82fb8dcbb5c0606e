"""Rounded scores: the same truths, fewer rows, and networks that are as good on the scores themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from logiclens import MuClassifier
from logiclens.estimators import fitting
from logiclens.estimators.asking import ask
from logiclens.estimators.counting import Fold
from logiclens.estimators.inputs import read_concepts
from logiclens.estimators.rounding import makes_equal, rounded
from logiclens.estimators.runs import fit_folds
from logiclens.nn.rows import DEGREES


def saturated(n: int = 400, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores of five concepts, all within 0.03 of 0 or 1, and a rule about them."""
    random = np.random.default_rng(seed)
    truth = random.random((n, 5)) < 0.5
    scores = np.abs(truth - 0.03 * random.random(truth.shape))
    return scores, (truth[:, 0] & truth[:, 1]) | truth[:, 2]


@given(arrays(np.float64, (7, 3), elements=st.floats(0.0, 1.0)))
def test_rounding_moves_by_half_a_degree_at_most_and_keeps_every_truth(x):
    coarse = rounded(x)

    assert (np.abs(coarse - x) <= 0.5 / DEGREES + 1e-12).all()
    assert np.array_equal(coarse > 0.5, x > 0.5)
    assert np.array_equal(rounded(coarse), coarse)


def test_zeros_and_ones_stay_as_they_are_and_no_zero_is_negative():
    coarse = rounded(np.array([0.0, 1.0, 1e-9]))

    assert coarse.tolist() == [0.0, 1.0, 0.0]
    assert not np.signbit(coarse).any()


def test_only_scores_that_become_equal_are_rounded():
    scores, _ = saturated()
    whole = Fold(np.ones(len(scores)), np.zeros(len(scores)))
    spread = np.random.default_rng(1).random(scores.shape)

    assert makes_equal(scores, whole)
    assert not makes_equal(spread, whole)
    assert not makes_equal(rounded(scores), whole)


def test_how_rows_lie_in_memory_does_not_matter():
    scores, _ = saturated()
    weight = np.ones(len(scores))

    assert makes_equal(np.asfortranarray(scores), Fold(weight, 0 * weight))


def test_rows_that_weigh_nothing_do_not_decide():
    scores, _ = saturated()
    spread = np.random.default_rng(1).random((3 * len(scores), scores.shape[1]))
    x = np.concatenate([scores, spread])
    weight = np.r_[np.ones(len(scores)), np.zeros(len(spread))]

    assert makes_equal(x, Fold(weight, 0 * weight))
    assert not makes_equal(x, Fold(np.ones(len(x)), 0 * weight))


def test_a_fit_on_rounded_scores_finds_the_rule_and_trains_on_few_rows(monkeypatch):
    x, y = saturated()
    trained_on = []
    explore = fitting.explore

    def watched(network, rows, *others):
        trained_on.append(len(rows.x))
        return explore(network, rows, *others)

    monkeypatch.setattr(fitting, "explore", watched)
    model = MuClassifier(random_state=0, encoder=None).fit(x, y)

    assert max(trained_on) <= 32
    assert (model.predict(x) == y).all()
    names = list(model.concept_names_)
    assert (model.explain()[True].formula.evaluate(x, names=names) == y).all()


@pytest.mark.parametrize("others", ["saturated", "spread"])
def test_a_fold_is_trained_as_by_itself_whatever_the_other_rows_are(others):
    """Whether scores are rounded is decided fold by fold."""
    x, y = saturated(300)
    more, answers = saturated(300, seed=2)
    if others == "spread":
        more = np.random.default_rng(3).random(more.shape)
        answers = more[:, 0] > 0.5
    x, y = np.concatenate([x, more]), np.concatenate([y, answers]).astype(float)
    first, both = np.r_[np.ones(300), np.zeros(300)], np.ones(600)
    folds = [Fold(first, 0 * first), Fold(both, 0 * both)]
    recipe = MuClassifier(random_state=0).recipe(read_concepts(x))
    together = fitting.train_folds(recipe.population, recipe.plan, x, y[:, None], folds)
    (alone,) = fitting.train_folds(recipe.population, recipe.plan, x, y[:, None], folds[:1])

    assert [run.coarse for run in together] == [True, others == "saturated"]
    np.testing.assert_allclose(ask(together[0].network, x), ask(alone.network, x), atol=1e-3)


def test_progress_goes_up_to_one_when_some_folds_are_rounded_and_others_are_not():
    x, y = saturated(300)
    x = np.concatenate([x, np.random.default_rng(3).random(x.shape)])
    y = np.concatenate([y, y]).astype(float)
    first = np.r_[np.ones(300), np.zeros(300)]
    folds = [Fold(first, 0 * first), Fold(1 - first, 0 * first)]
    recipe = MuClassifier(random_state=0, epochs=20).recipe(read_concepts(x))
    told: list[float] = []
    fitting.train_folds(recipe.population, recipe.plan, x, y[:, None], folds, told.append)

    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)


def test_a_fold_that_is_rounded_is_what_a_fit_on_its_rows_is():
    """Settled and explained, too: formulas and logits."""
    x, y = saturated(600)
    wrong = np.random.default_rng(5).random(len(y)) < 0.1
    targets, weight = MuClassifier().read_data(x, (y ^ wrong).astype(int), None)
    model = MuClassifier(random_state=0)
    recipe = model.recipe(read_concepts(x))
    parts = [np.arange(len(x)) % 3 != fold for fold in range(3)]
    folds = [model.hold_out(x, targets, weight * part) for part in parts]
    for part, fitted in zip(parts, fit_folds(recipe, x, targets, folds), strict=True):
        own = replace(targets, outputs=targets.outputs[part])
        fold = model.hold_out(x[part], own, weight[part])
        (alone,) = fit_folds(recipe, x[part], own, [fold])
        assert fitted.trained.coarse
        assert alone.trained.coarse
        np.testing.assert_allclose(ask(fitted.network, x), ask(alone.network, x), atol=1e-3)
        assert {k: str(v) for k, v in fitted.rules.formulas.items()} == {
            k: str(v) for k, v in alone.rules.formulas.items()
        }
