"""Every estimator is one of scikit-learn's: its own checks, and the company that estimators keep."""

from __future__ import annotations

import pickle
import re
from inspect import cleandoc
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from logiclens import (
    BlackBoxExplainer,
    CascadeClassifier,
    ConceptBottleneckClassifier,
    ConceptEncoder,
    EntropyClassifier,
    LENClusterer,
    MuClassifier,
    PsiClassifier,
    ReluClassifier,
)
from logiclens.errors import LogicLensError

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning"),
    pytest.mark.filterwarnings("ignore:y holds the class"),
]

QUICK: dict[str, Any] = {"epochs": 30, "restarts": 1, "l1": 0.005, "random_state": 0, "device": "cpu"}


def quick_mu(**settings: Any) -> MuClassifier:
    """The one that the others are made of."""
    return MuClassifier(**QUICK | {"max_concepts": 7, "learning_rate": 0.1} | settings)


ESTIMATORS = {
    "mu": quick_mu(),
    "mu of concepts": quick_mu(encoder=None),
    "psi": PsiClassifier(**QUICK | {"epochs": 40, "learning_rate": 0.1, "l1": 0.001, "restarts": 2}),
    "relu": ReluClassifier(**QUICK),
    "entropy": EntropyClassifier(
        **QUICK | {"epochs": 60, "learning_rate": 0.05, "l1": 0.001}, max_concepts=7
    ),
    "clusterer": LENClusterer(**QUICK),
    "encoder": ConceptEncoder(),
    "bottleneck": ConceptBottleneckClassifier(estimator=quick_mu(), random_state=0),
    "cascade": CascadeClassifier(quick_mu(), random_state=0),
    "black box": BlackBoxExplainer(GaussianNB(), quick_mu(), random_state=0),
}
"""Few epochs: the checks are about manners, not about rules."""
CLASSIFIERS = [name for name in ESTIMATORS if name not in ("clusterer", "encoder", "mu of concepts")]
SETTINGS = {
    "clusterer": {"n_clusters": [2, 3]},
    "bottleneck": {"estimator__max_literals": [2, 4]},
    "cascade": {"estimator__max_literals": [2, 4]},
    "black box": {"estimator__max_literals": [2, 4]},
}


def against_the_design(estimator: Any) -> dict[str, str]:
    """Checks that an estimator fails on purpose, and why."""
    if not isinstance(estimator, MuClassifier | PsiClassifier | ReluClassifier | EntropyClassifier):
        return {}
    reason = "weights of classes count where rules are searched for; networks stay calibrated"
    return {"check_class_weight_classifiers": reason}


@parametrize_with_checks(
    [each for name, each in ESTIMATORS.items() if name != "mu of concepts"],
    expected_failed_checks=against_the_design,
)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_each_setting_has_an_entry_of_its_own(name):
    kind = type(ESTIMATORS[name])
    documented = re.search(
        r"Parameters\n-+\n(.*?)(?:\n\n\w+\n--|\Z)", cleandoc(kind.__doc__ or ""), re.DOTALL
    )

    assert documented is not None
    assert sorted(re.findall(r"^(\w+) :", documented[1], re.MULTILINE)) == sorted(kind._get_param_names())


def people(n: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers that say who is ill."""
    rng = np.random.default_rng(0)
    age, weight = rng.integers(20, 80, n), rng.normal(70, 10, n).round(1)
    return pd.DataFrame({"age": age, "weight": weight}), np.where(age > 50, "ill", "well")


def answers_of(estimator: Any, X: Any) -> np.ndarray:
    """What a fitted estimator makes of rows."""
    return np.asarray(
        estimator.transform(X) if hasattr(estimator, "transform") else estimator.predict_proba(X)
    )


@pytest.fixture(scope="module")
def fitted() -> dict[str, Any]:
    """All estimators for raw tables, fitted on the same one."""
    X, y = people()
    return {name: clone(each).fit(X, y) for name, each in ESTIMATORS.items() if name != "mu of concepts"}


RAW = [name for name in ESTIMATORS if name != "mu of concepts"]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_clones_have_the_same_settings(name):
    estimator = ESTIMATORS[name]
    copy = clone(estimator)

    assert type(copy) is type(estimator)
    assert repr(copy.get_params()) == repr(estimator.get_params())
    assert copy is not estimator


@pytest.mark.parametrize("name", RAW)
def test_clones_fit_alike(name, fitted):
    X, y = people()

    assert (answers_of(clone(fitted[name]).fit(X, y), X) == answers_of(fitted[name], X)).all()


@pytest.mark.parametrize("name", RAW)
def test_pickles_answer_alike(name, fitted):
    X, _ = people()
    again = pickle.loads(pickle.dumps(fitted[name]))

    assert (answers_of(again, X) == answers_of(fitted[name], X)).all()
    if hasattr(again, "explain"):
        assert again.explain() == fitted[name].explain()


@pytest.mark.parametrize("name", RAW)
def test_columns_are_found_by_name(name, fitted):
    X, _ = people()

    assert fitted[name].feature_names_in_.tolist() == ["age", "weight"]
    assert fitted[name].n_features_in_ == 2
    if name == "black box":
        return  # what it asks wants its own order
    assert (answers_of(fitted[name], X[["weight", "age"]]) == answers_of(fitted[name], X)).all()
    with pytest.raises(LogicLensError, match="'age'"):
        answers_of(fitted[name], X[["weight"]])


@pytest.mark.parametrize("name", RAW)
def test_arrays_are_found_by_place(name):
    X, y = people()
    estimator = clone(ESTIMATORS[name]).fit(X.to_numpy(), y)

    assert not hasattr(estimator, "feature_names_in_")
    with pytest.raises(ValueError, match=r"X has 1 features, but \w+ is expecting 2 features as input"):
        answers_of(estimator, X.to_numpy()[:, :1])


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_cross_validation_and_search(name):
    X, y = people()
    estimator = clone(ESTIMATORS[name])

    assert cross_val_score(estimator, X, y, cv=2, error_score="raise").shape == (2,)
    search = GridSearchCV(estimator, SETTINGS.get(name, {"max_literals": [2, 4]}), cv=2, error_score="raise")
    assert search.fit(X, y).best_estimator_.predict(X).shape == (60,)


@pytest.mark.parametrize(
    ("name", "frames"),
    [*((each, "pandas") for each in ESTIMATORS if each != "encoder"), ("mu", "polars"), ("mu", None)],
)
def test_an_encoder_in_front(name, frames):
    """The rules are about the concepts that the encoder names, where it hands on frames."""
    X, y = people()
    encoder = ConceptEncoder(max_cuts=1)
    if frames:
        encoder.set_output(transform=frames)
    pipeline = make_pipeline(encoder, clone(ESTIMATORS[name])).fit(X, y)

    assert len(pipeline.predict(X)) == 60
    said = {concept for each in pipeline[-1].explain().values() for concept in each.concepts}
    assert said <= (set(encoder.get_feature_names_out()) if frames else {"x0", "x1"})


@pytest.mark.parametrize(
    ("kind", "rule"),
    [*((kind, "iff") for kind in ("mu", "psi", "relu", "entropy")), ("mu", "if"), ("psi", "only_if")],
)
def test_a_row_counted_twice_is_two_rows(kind, rule):
    X, y = people()
    counts = np.random.default_rng(1).integers(0, 4, 60)
    order = np.random.default_rng(2).permutation(counts.sum())
    many = np.repeat(np.arange(60), counts)[order]
    estimator = clone(ESTIMATORS[kind]).set_params(rule=rule)

    counted = clone(estimator).fit(X, y, sample_weight=counts)
    repeated = clone(estimator).fit(X.iloc[many], y[many])

    assert counted.explain() == repeated.explain()
    assert np.allclose(counted.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)
