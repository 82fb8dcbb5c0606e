"""Explaining black boxes of every kind: who is asked, what is learnt, what the figures mean."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import torch
from benchmarks.blackbox import tree_as_long, tree_literals
from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import logiclens
from logiclens.logic import FALSE, Var, equivalent
from logiclens.pipelines import BlackBoxExplainer
from logiclens.pipelines.black_box import fit_out_of_fold
from tests.errors import error_of
from tests.estimators.toys import NAMES, booleans, frame, quick
from tests.strategies import HOSTILE_NAMES

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y = booleans(8)
FRAME = frame(X)
LABELS = np.where(Y, "yes", "no")
BOTH = Var("a") & Var("b")


def explain(black_box: Any, X: Any = FRAME, y: Any = None, **settings: Any) -> BlackBoxExplainer:
    fit = {name: settings.pop(name) for name in ("sample_weight", "concepts") if name in settings}
    settings = {"estimator": quick(), "random_state": 0} | settings
    return BlackBoxExplainer(black_box, **settings).fit(X, y, **fit)


class Net(torch.nn.Module):
    """Says yes, as one logit or two, where both of the first two inputs are large."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.outputs = outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        logit = 10 * (x[:, :2].sum(dim=1, keepdim=True) - 1.5)
        return logit if self.outputs == 1 else torch.hstack([-logit, logit])


def by_frame(table: pd.DataFrame) -> pd.Series:
    return (table["a"] > 0.5) & (table["b"] > 0.5)


BLACK_BOXES = {
    "labels": (lambda x: np.where((x["a"] > 0.5) & (x["b"] > 0.5), "yes", "no"), "yes"),
    "Booleans": (by_frame, True),
    "probabilities": (lambda x: np.where(by_frame(x), 0.9, 0.2), True),
    "a column": (lambda x: np.where(by_frame(x), 0.9, 0.2)[:, None], True),
    "probabilities of two": (lambda x: np.where(by_frame(x).to_numpy()[:, None], [0.1, 0.9], [0.8, 0.2]), 1),
    "estimator": (DecisionTreeClassifier().fit(FRAME, Y), True),
    "pipeline": (make_pipeline("passthrough", DecisionTreeClassifier()).fit(FRAME, Y), True),
    "one logit": (Net(1), True),
    "two logits": (Net(2), 1),
}


@pytest.mark.parametrize("kind", BLACK_BOXES)
def test_every_kind_of_black_box(kind):
    """The same call for each; the rule says what it does, and held-out rows say that it does."""
    black_box, target = BLACK_BOXES[kind]
    explainer = explain(black_box)

    assert equivalent(explainer.explain()[target].formula, BOTH)
    assert explainer.fidelity_.macro_f1 == 1.0
    assert (explainer.fidelity_.part, explainer.fidelity_.n_rows) == ("held out", len(X) // 4)
    assert ((explainer.ask(FRAME) == target) == Y).all()
    assert (explainer.predict(FRAME) == explainer.ask(FRAME)).all()
    assert explainer.black_box_ is black_box


def test_names_for_numbers():
    explainer = explain(Net(1), classes=["fine", "defect"])

    assert explainer.classes_.tolist() == ["defect", "fine"]
    assert equivalent(explainer.explain()["defect"].formula, BOTH)


def test_a_black_box_of_raw_columns_and_a_len_of_concepts():
    """The pipeline takes text and numbers; the LEN takes what people say about the same rows."""
    rng = np.random.default_rng(0)
    raw = pd.DataFrame({"age": rng.integers(20, 80, 200), "sex": rng.choice(["f", "m"], 200)})
    y = np.where((raw["age"] > 50) & (raw["sex"] == "f"), "ill", "well")
    encode = ColumnTransformer([("sex", OneHotEncoder(), ["sex"])], remainder="passthrough")
    pipeline = make_pipeline(encode, DecisionTreeClassifier()).fit(raw, y)
    concepts = {"old": raw["age"] > 50, "female": raw["sex"] == "f", "noise": rng.random(200) > 0.5}
    explainer = explain(pipeline, raw, y, concepts=concepts)

    assert equivalent(explainer.explain()["ill"].formula, Var("old") & Var("female"))
    assert (explainer.predict(concepts) == y).all()
    assert (explainer.ask(raw) == y).all()
    assert explainer.fidelity_.rules_accuracy == explainer.fidelity_.black_box_accuracy == 1.0
    assert explainer.explain_sample({"old": [1], "female": [1], "noise": [0]}).target == "ill"
    assert explainer.explain(concepts)["ill"].complexity == 2


def test_a_black_box_of_several_labels_a_row():
    table = np.column_stack([Y, X[:, 2] > 0.5]).astype(int)
    explainer = explain(DecisionTreeClassifier().fit(X, table), X, table, estimator=quick("psi"))

    assert explainer.ask(X).tolist() == table.tolist()
    assert explainer.fidelity_.macro_f1 == 1.0
    assert equivalent(explainer.explain()["y1"].formula, Var("x2"))


def test_sparse_rows():
    explainer = explain(lambda x: x.toarray()[:, 0] > 0.5, scipy.sparse.csr_array(X))

    assert equivalent(explainer.explain()[True].formula, Var("x0"))


def test_a_class_that_the_black_box_never_answers():
    """It knows of it, so there is a column for it, and a rule that is never true."""
    model = DecisionTreeClassifier(max_leaf_nodes=3).fit(X, np.where(np.arange(len(X)) == 0, "rare", LABELS))
    explainer = explain(model, X)

    assert explainer.classes_.tolist() == ["no", "rare", "yes"]
    assert list(explainer.explain()) == ["no", "rare", "yes"]
    assert explainer.explain()["rare"].formula == FALSE
    assert (explainer.predict_proba(X)[:, 1] < 0.2).all()
    assert explainer.decide(X)[:, 2].tolist() == Y.tolist()


def test_implications():
    noisy = lambda x: np.where((x["a"] > 0.5) & ((x["b"] > 0.5) | (x["c"] > 0.5)), "yes", "no")  # noqa: E731
    necessary = explain(noisy, estimator=quick("mu", rule="if", max_concepts=1, epochs=100))

    assert equivalent(necessary.explain()["yes"].formula, Var("a"))
    assert str(necessary.explain()["yes"]) == "forall x: yes(x) -> a(x)"


def test_degrees_are_learnt_as_degrees():
    """Where the black box is three quarters sure the network comes to be so, too, instead of certain."""
    unsure = lambda x: np.where(x["a"] > 0.5, 0.75, 0.25)  # noqa: E731
    found = {
        how: explain(unsure, answers=how, estimator=quick("mu", epochs=200))
        for how in ("auto", "labels", "probabilities")
    }
    scores = {how: explainer.predict_proba(FRAME)[:, 1][X[:, 0] > 0.5] for how, explainer in found.items()}

    assert scores["labels"].min() > 0.85
    assert np.abs(scores["probabilities"] - 0.75).max() < 0.1
    assert (scores["auto"] == scores["probabilities"]).all()
    assert equivalent(found["probabilities"].explain()[True].formula, Var("a"))


# --- what the black box has learnt by heart ---


def memorized(noise: float = 0.2, n: int = 400) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Rows of twelve concepts, of which the first decides; noisy labels, and the labels without noise."""
    rng = np.random.default_rng(0)
    x = rng.random((n, 12))
    truth = x[:, 0] > 0.5
    return pd.DataFrame(x, columns=[f"c{j}" for j in range(12)]), truth ^ (rng.random(n) < noise), truth


def test_an_unfitted_black_box_is_fitted_on_the_rows_that_are_not_held_out():
    """So the figures are about rows that neither has seen, though the black box knows its own by heart."""
    table, y, _ = memorized()
    model = KNeighborsClassifier(1)
    explainer = explain(model, table, y, test_fraction=0.5)

    assert not hasattr(model, "classes_")
    assert explainer.black_box_.n_samples_fit_ == 200
    assert explainer.fidelity_.n_rows == 200
    assert explainer.fidelity_.black_box_accuracy < 0.8


def test_out_of_fold_answers_are_not_the_labels_that_were_learnt_by_heart():
    table, y, _ = memorized()
    learnt: dict[Any, np.ndarray] = {}

    class Spy(type(quick())):
        def fit(self, X, y, sample_weight=None):
            learnt["y"] = y.outputs[:, 0]
            return super().fit(X, y, sample_weight)

    spy = Spy(**quick(epochs=5).get_params())
    fitted = KNeighborsClassifier(1).fit(table, y)
    explain(fitted, table, y, estimator=spy, test_fraction=0)
    assert (learnt["y"] == y).all()
    explainer = explain(fitted, table, y, estimator=spy, test_fraction=0, out_of_fold=5)

    assert 0.5 < (learnt["y"] == y).mean() < 0.9
    assert explainer.black_box_ is fitted
    assert explainer.fidelity_.part == "training"
    assert explainer.fidelity_.black_box_accuracy == 1.0  # against the labels that it knows by heart


@pytest.mark.parametrize("settings", [{}, {"out_of_fold": 4}, {"n_fresh": 30}], ids=str)
def test_probabilities_of_the_black_box_are_what_is_learnt(settings):
    """Row by row, also where clones answer fold by fold, and for rows that were made."""
    table, y, _ = memorized()
    learnt: dict[str, Any] = {}

    class Spy(type(quick())):
        def fit(self, X, y, sample_weight=None):
            learnt.update(X=X, y=y)
            return super().fit(X, y, sample_weight)

    fitted = LogisticRegression().fit(table, y)
    spy = Spy(**quick(epochs=5).get_params())
    explain(fitted, table, y, estimator=spy, test_fraction=0, **settings)

    if "out_of_fold" in settings:
        folds = fit_out_of_fold(fitted, table, y, np.ones(len(y)), 4, seed=0)
        expected = np.concatenate([box.predict_proba(rows) for box, rows in folds.held_out])[folds.order]
    else:
        expected = fitted.predict_proba(learnt["X"])
    assert learnt["y"].labels == (False, True)
    assert np.allclose(learnt["y"].truth(), expected)


def test_who_decides_by_another_threshold_is_taken_at_its_word():
    """Half of its answers contradict what it holds to be probable."""
    model = FixedThresholdClassifier(LogisticRegression().fit(FRAME, X[:, 0] > 0.5), threshold=0.001)
    cautious = make_pipeline(model).fit(FRAME, X[:, 0] > 0.5)
    explainer = explain(cautious)

    assert (explainer.ask(FRAME) == explainer.predict(FRAME)).all()
    assert explainer.fidelity_.rules_agree == 1.0


def test_rules_of_every_length():
    explainer = explain(by_frame, estimator=quick("mu"))

    assert [point.literals for point in explainer.front_] == [0, 2]
    assert explainer.explain(literals=1).literals == 0
    assert explainer.explain(FRAME, literals=1).literals == 0
    assert explainer.explain(literals=9) == explainer.explain()


def test_fresh_rows_are_asked_about():
    asked = []

    def spying(table: pd.DataFrame) -> np.ndarray:
        asked.append(table)
        return by_frame(table).to_numpy()

    explainer = explain(spying, n_fresh=50)
    fresh = next(table for table in asked if len(table) == 50)

    assert list(fresh.columns) == list(NAMES)
    assert equivalent(explainer.explain()[True].formula, BOTH)


@pytest.mark.parametrize("answers", ["auto", "labels", "probabilities"])
@pytest.mark.parametrize("y", [None, Y], ids=["no truth", "truth"])
def test_each_row_is_asked_about_once(answers, y):
    asked = []

    def spying(table: pd.DataFrame) -> np.ndarray:
        asked.append(len(table))
        return np.where(by_frame(table), 0.9, 0.2)

    explainer = explain(spying, y=y, answers=answers)

    assert asked == [len(X)]
    assert equivalent(explainer.explain()[True].formula, BOTH)


def test_a_model_that_knows_nothing_of_scikit_learn():
    class Foreign:
        def fit(self, *_: Any) -> Foreign:
            raise AssertionError("it is fitted already")

        def predict(self, table: pd.DataFrame) -> np.ndarray:
            return by_frame(table).to_numpy()

    assert equivalent(explain(Foreign()).explain()[True].formula, BOTH)


# --- what the figures are about ---


def test_rows_of_weight_zero_have_no_say():
    """Half of the rows are answered upside down, and weigh nothing."""
    turned = np.arange(len(X)) < len(X) // 2
    table = FRAME.assign(turned=turned.astype(float))
    black_box = lambda x: by_frame(x) ^ (x["turned"] > 0.5)  # noqa: E731
    explainer = explain(black_box, table, concepts=FRAME, sample_weight=(~turned).astype(float))

    assert explainer.fidelity_.macro_f1 == 1.0
    assert explainer.fidelity_.n_rows == len(X) // 8


def test_the_truth_adds_accuracies():
    explainer = explain(by_frame, y=~Y)

    assert explainer.fidelity_.black_box_accuracy == explainer.fidelity_.rules_accuracy == 0.0
    assert explain(by_frame).fidelity_.black_box_accuracy is None


# --- explanations ---


@pytest.fixture(scope="module")
def explainer() -> BlackBoxExplainer:
    return explain(BLACK_BOXES["labels"][0])


def test_explanations_of_every_scope(explainer):
    row = FRAME[Y].iloc[[0]]

    assert equivalent(explainer.explain_sample(row).formula, BOTH)
    assert explainer.explain_sample(row).target == "yes"
    assert equivalent(explainer.explain_set(FRAME, "yes").formula, BOTH)
    assert explainer.explain_global().formula.concepts == explainer.explain_global(FRAME).formula.concepts
    assert equivalent(explainer.explain(FRAME)["yes"].formula, BOTH)
    assert explainer.decide(FRAME).shape == (len(X), 2)


def test_explaining_a_row_about_which_network_and_black_box_differ():
    """What the black box does at a value that no row had, the network cannot know."""
    odd = lambda x: np.where(by_frame(x) ^ (x["c"] == 0.75), "yes", "no")  # noqa: E731
    explainer = explain(odd)
    row = pd.DataFrame([[1.0, 1.0, 0.75, 0.0]], columns=list(NAMES))

    assert explainer.explain_sample(row).status == (
        "the black box answers 'no'; this is why the network says 'yes'"
    )


def test_hostile_names():
    names = list(HOSTILE_NAMES[12:16])
    table = pd.DataFrame(X, columns=names)
    explainer = explain(lambda x: x[names[0]] > 0.5, table)

    assert explainer.explain()[True].formula == Var(names[0])


def test_what_is_saved_is_the_imitation(explainer, tmp_path):
    explainer.save(tmp_path / "imitation.lens")
    loaded = logiclens.load(tmp_path / "imitation.lens")

    assert (loaded.predict(FRAME) == explainer.predict(FRAME)).all()
    assert loaded.explain() == explainer.explain()


# --- a meta-estimator ---


def test_clones_share_what_is_explained_and_nothing_else():
    fitted, module, raw = DecisionTreeClassifier().fit(X, Y), Net(1), LogisticRegression()

    assert clone(BlackBoxExplainer(fitted)).black_box is fitted
    assert clone(BlackBoxExplainer(module)).black_box is module
    assert clone(BlackBoxExplainer(by_frame)).black_box is by_frame
    assert clone(BlackBoxExplainer(raw)).black_box is not raw
    explainer = BlackBoxExplainer(raw, quick(), out_of_fold=3, n_fresh=7)
    assert clone(explainer).estimator is not explainer.estimator
    assert clone(explainer).get_params()["out_of_fold"] == 3


def test_settings_of_parts_are_reached_by_name():
    explainer = BlackBoxExplainer(LogisticRegression(), quick())
    explainer.set_params(black_box__C=3.0, estimator__epochs=7)

    assert (explainer.black_box.C, explainer.estimator.epochs) == (3.0, 7)
    assert is_classifier(explainer)


def test_cross_validation_of_the_whole():
    scores = cross_val_score(BlackBoxExplainer(DecisionTreeClassifier(), quick(), random_state=0), X, Y, cv=2)

    assert scores.tolist() == [1.0, 1.0]


def test_fitting_leaves_settings_and_black_box_alone():
    estimator, fitted = quick(), DecisionTreeClassifier().fit(X, Y)
    before = pickle.dumps(fitted)
    explain(fitted, X, Y, estimator=estimator, out_of_fold=2, n_fresh=5)

    assert not hasattr(estimator, "network_")
    assert pickle.dumps(fitted) == before


def test_the_same_seed_gives_the_same_rules():
    twice = [explain(KNeighborsClassifier(1), *memorized()[:2], out_of_fold=2, n_fresh=30) for _ in range(2)]

    assert twice[0].explain() == twice[1].explain()
    assert twice[0].fidelity_ == twice[1].fidelity_


def test_the_default_is_a_mu_network():
    explainer = BlackBoxExplainer(by_frame, random_state=0).fit(FRAME)

    assert type(explainer.estimator_).__name__ == "MuClassifier"
    assert explainer.n_features_in_ == 4
    assert explainer.feature_names_in_.tolist() == list(NAMES)


def test_names_of_an_earlier_fit_are_forgotten():
    explainer = explain(lambda x: np.asarray(x)[:, 0] > 0.5)
    assert hasattr(explainer, "feature_names_in_")

    assert not hasattr(explainer.fit(X), "feature_names_in_")


# --- what is refused ---


@pytest.mark.parametrize("method", ["predict", "ask", "explain", "decide", "explain_sample", "save"])
def test_unfitted(method):
    with pytest.raises(NotFittedError, match="BlackBoxExplainer instance is not fitted yet"):
        getattr(BlackBoxExplainer(by_frame), method)(FRAME)


FITTED = LogisticRegression().fit(X, Y)
FOLDS = f"out_of_fold must be a number of folds from 2 to the {len(X)} rows there are, or None. Got"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"black_box": LogisticRegression()}, "BlackBoxExplainer requires y to be passed, but the target"),
        ({"answers": "logits"}, "answers must be 'auto', 'labels' or 'probabilities'. Got 'logits'."),
        ({"test_fraction": 1}, "test_fraction must be a number of at least 0 and less than 1. Got 1."),
        ({"estimator": "mu"}, "estimator must be a classifier of this package, such as MuClassifier()."),
        ({"n_fresh": -1}, "n_fresh must be a whole number of at least 0. Got -1."),
        ({"X": FRAME[:0]}, "There are no rows to predict. Pass at least one."),
        ({"y": [1]}, f"y must have a row for each of the {len(X)} rows of X. Got 1."),
        (
            {"concepts": FRAME[:3]},
            f"concepts must have a row for each of the {len(X)} rows of X. Got 3.",
        ),
        ({"concepts": FRAME, "n_fresh": 5}, "n_fresh makes rows for the black box alone, and concepts="),
        ({"sample_weight": np.zeros(len(X))}, "All weights in sample_weight are zero."),
        ({"black_box": 3}, "black_box must be a model with predict, a"),
        ({"black_box": LogisticRegression}, "black_box must be a model with predict, a"),
        *(({"y": Y, "out_of_fold": n}, FOLDS) for n in (1, len(X) + 1, True, 2.5)),
        ({"y": Y, "out_of_fold": 2}, "out_of_fold fits clones of the black box, so it needs"),
        ({"black_box": FITTED, "out_of_fold": 2}, "out_of_fold fits clones of the black box, so it needs"),
    ],
)
def test_bad_input(settings, message):
    black_box = settings.pop("black_box", by_frame)

    assert message in error_of(explain, black_box, **settings)


# --- the tree beside which the rules are measured ---


def test_the_literals_of_a_tree_are_those_of_its_leaves():
    """x0 & x1 is a tree of three leaves: ~x0, x0 & ~x1, x0 & x1; five literals for two classes."""
    tree = DecisionTreeClassifier(random_state=0).fit(X, Y)

    assert tree.get_n_leaves() == 3
    assert tree_literals(tree) == 2.5


@pytest.mark.parametrize("literals", [0.5, 1.0, 2.0, 2.5])
def test_the_tree_is_no_shorter_than_the_rules(literals):
    tree = tree_as_long(X, Y, literals)

    assert tree_literals(tree) >= literals
    assert tree.get_n_leaves() == (2 if literals <= 1 else 3)
