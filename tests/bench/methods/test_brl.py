"""Bayesian rule lists: formulas and answers are those of the package's own model."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from logiclens.bench.experiments import Fold
from logiclens.bench.methods.brl import BayesianRuleList, ProbabilityList, read_list
from logiclens.bench.methods.packages import secluded
from logiclens.logic import FALSE, TRUE
from tests.bench.methods.toys import CLASSES, check, held, same, several_classes, two_classes

METHOD = BayesianRuleList(iterations=1500)


# --- without the package ---


def test_the_first_rule_that_fires_decides():
    found = ProbabilityList(((0, 1), (2,)), (0.2, 0.5, 0.1))
    x = ((np.arange(8)[:, None] >> np.arange(3)) & 1).astype(bool)
    expected = [0.2 if a and b else 0.5 if c else 0.1 for a, b, c in x]

    assert found.chances(x).tolist() == expected
    assert found.n_literals == 3
    for value in (True, False):
        formula = found.formula(("a", "b", "c"), value)
        said = formula.evaluate(dict(zip("abc", x.T, strict=True)))
        assert (said == ((found.chances(x) >= 0.5) == value)).all()


@pytest.mark.parametrize("share", [0.2, 0.8])
def test_rules_are_about_a_tenth_of_the_rarer_side(share, monkeypatch):
    """Of two classes as of many; imodels counts among all rows."""
    asked = []

    class Model:
        def __init__(self, **settings):
            asked.append(settings["minsupport"])

        def fit(self, *_):
            raise ValueError

    class Package:
        BayesianRuleListClassifier = Model

    monkeypatch.setattr("logiclens.bench.methods.brl.package_for", lambda *_: Package)
    x, y = np.zeros((10, 1)), (np.arange(10) < 10 * share).astype(int)
    METHOD.fit_fold(Fold(0, ("a",), ("no", "yes"), x, y, x, y), seed=0)

    assert asked == [pytest.approx(0.02)]


def test_a_list_without_rules():
    assert ProbabilityList((), (0.7,)).formula(("a",)) == TRUE
    assert ProbabilityList((), (0.2,)).formula(("a",)) == FALSE
    assert ProbabilityList((), (0.2,)).chances(np.zeros((2, 1), dtype=bool)).tolist() == [0.2, 0.2]


# --- with it ---


@pytest.fixture(scope="module")
def imodels() -> Any:
    return pytest.importorskip("imodels")


@pytest.mark.usefixtures("imodels")
def test_two_classes_share_a_list():
    folds = two_classes()
    for outcome, fold in zip(METHOD.fit(folds, seed=0), folds, strict=True):
        check(outcome, fold)
        assert (held(outcome.rules, fold) == outcome.said).all()
        assert (outcome.said.sum(axis=1) == 1).all()
        assert (outcome.said[:, 1] == outcome.answers).all()
        assert (outcome.answers == fold.y_test).mean() > 0.7
        assert outcome.list_literals > 0


@pytest.mark.parametrize("seed", [0, 1])
def test_the_formula_is_what_the_model_predicts(imodels, seed):
    """On every combination of the concepts, not only on those of the data."""
    fold = two_classes(seed=seed, noise=0.1)[0]
    with secluded(seed):
        model = imodels.BayesianRuleListClassifier(max_iter=1500, random_state=seed)
        model.fit((fold.x_train > 0.5).astype(float), fold.y_train)
        x = ((np.arange(64)[:, None] >> np.arange(6)) & 1).astype(bool)
        predicted = model.predict(x.astype(float)).astype(bool)
        chances = model.predict_proba(x.astype(float))[:, 1]
    found = read_list(model)

    assert found.chances(x).tolist() == chances.tolist()
    for value in (True, False):
        formula = found.formula(fold.concept_names, value)
        said = formula.evaluate(dict(zip(fold.concept_names, x.T, strict=True)))
        assert (np.broadcast_to(said, 64) == (predicted == value)).all()
    (outcome,) = METHOD.fit([fold], seed=seed)
    assert outcome.rules[CLASSES[1]] == found.formula(fold.concept_names)


@pytest.mark.usefixtures("imodels")
def test_several_classes_have_a_list_each():
    fold = several_classes()[0]
    (outcome,) = METHOD.fit([fold], seed=0)

    check(outcome, fold)
    assert (held(outcome.rules, fold) == outcome.said).all()
    assert (outcome.answers == fold.y_test).mean() > 0.7


@pytest.mark.usefixtures("imodels")
def test_a_class_without_rows_and_concepts_that_are_never_true():
    x = np.zeros((20, 2))
    y = np.array([0] * 12 + [2] * 8)
    fold = Fold(0, ("a", "b"), ("p", "q", "r"), x, y, x, y)
    (outcome,) = METHOD.fit([fold], seed=0)

    assert [str(rule) for rule in outcome.rules.values()] == ["TRUE", "FALSE", "FALSE"]
    assert (outcome.answers == 0).all()
    assert outcome.list_literals == 0.0


@pytest.mark.usefixtures("imodels")
def test_the_same_seed_gives_the_same_and_nothing_is_left_behind(capfd):
    fold = two_classes()[0]
    random.seed(7)
    np.random.seed(7)
    expected = random.random(), np.random.random()
    random.seed(7)
    np.random.seed(7)
    one, other = (METHOD.fit([fold], seed=3)[0] for _ in range(2))

    assert (random.random(), np.random.random()) == expected
    assert same(one, other)
    assert capfd.readouterr() == ("", "")
