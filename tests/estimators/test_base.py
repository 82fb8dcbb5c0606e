"""Fitting and predicting: what may be passed, what comes back, what is left alone."""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
import torch
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from logiclens.errors import UnknownColumnError, UnknownTargetError
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.inputs_and_targets import Problem
from logiclens.estimators.validation import cross_explain
from logiclens.logic import FALSE, TRUE, equivalent, parse_formula
from tests.errors import error_of
from tests.estimators.toys import CLASSIFIERS, NAMES, booleans, frame, quick
from tests.strategies import HOSTILE_NAMES

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y = booleans()
FRAME = frame(X)
KINDS = list(CLASSIFIERS)

NO_COLUMNS = (
    "Found array with 0 feature(s) (shape=(80, 0)) while a minimum of 1 is required. "
    "Pass a table with columns."
)


@pytest.fixture(scope="module", params=KINDS)
def fitted(request: pytest.FixtureRequest) -> LENClassifier:
    """Each classifier, fitted on the conjunction."""
    return quick(request.param).fit(FRAME, Y)


@pytest.fixture(scope="module")
def psi() -> LENClassifier:
    return quick().fit(FRAME, Y)


# --- what is left alone ---


@pytest.mark.parametrize("kind", KINDS)
def test_fit_leaves_global_state_and_the_working_directory_alone(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random.seed(3)
    np.random.seed(3)
    torch.manual_seed(3)
    before = random.getstate(), np.random.get_state(), torch.get_rng_state(), torch.get_num_threads()
    clf = quick(kind, batch_size=20).fit(FRAME, Y)
    clf.predict(FRAME)
    clf.explain(FRAME)
    after = random.getstate(), np.random.get_state(), torch.get_rng_state(), torch.get_num_threads()

    assert before[0] == after[0]
    assert all(np.array_equal(a, b) for a, b in zip(before[1], after[1], strict=True))
    assert torch.equal(before[2], after[2])
    assert before[3] == after[3]
    assert os.listdir(tmp_path) == []


def test_fit_changes_neither_its_data_nor_its_settings():
    x, y, weight = X.copy(), Y.copy(), np.ones(len(Y))
    clf = quick(hidden=[3])
    before = clf.get_params()
    clf.fit(x, y, weight)

    assert (x == X).all()
    assert (y == Y).all()
    assert (weight == 1).all()
    assert clf.get_params() == before


# --- the same again ---


@pytest.mark.parametrize("kind", KINDS)
def test_same_seed_gives_the_same_formulas(kind):
    """On noise, where runs that differ would show it."""
    rng = np.random.default_rng(5)
    x, y = rng.random((50, 6)), rng.random(50) > 0.5
    twice = [quick(kind, random_state=7, epochs=20).fit(x, y) for _ in range(2)]

    assert twice[0].explain() == twice[1].explain()
    assert (twice[0].decision_function(x) == twice[1].decision_function(x)).all()
    assert (twice[0].loss_curve_ == twice[1].loss_curve_).all()


def test_other_seeds_give_other_networks():
    rng = np.random.default_rng(5)
    x, y = rng.random((50, 6)), rng.random(50) > 0.5
    scores = [quick(random_state=seed, epochs=20).fit(x, y).decision_function(x) for seed in (0, 1)]

    assert (scores[0] != scores[1]).any()


@pytest.mark.parametrize(
    "seed",
    [np.int64(3), 2**40, 2**70, None, np.random.RandomState(3)],
    ids=["numpy", "large", "huge", "none", "state"],
)
def test_random_states_of_any_kind(seed):
    clf = quick(random_state=seed, epochs=5).fit(X, Y)

    assert clf.predict(X).shape == Y.shape


def test_predictions_of_a_row_do_not_depend_on_the_others(fitted):
    rows = X[:5]
    alone = np.concatenate([fitted.decision_function(row[None]) for row in rows])

    assert np.allclose(alone, fitted.decision_function(rows), rtol=1e-12)


@pytest.mark.parametrize(
    "ask",
    [
        lambda clf: clf.predict(X),
        lambda clf: clf.predict_proba(X),
        lambda clf: clf.decide(X),
        lambda clf: clf.explain(),
        lambda clf: clf.explain_sample(X[:1]),
        lambda clf: clf.explain_set(X, True),
        lambda clf: clf.explain_global(),
        lambda clf: clf.save("model.lens"),
    ],
)
def test_nothing_is_asked_of_an_unfitted_model(ask):
    with pytest.raises(NotFittedError, match="This PsiClassifier instance is not fitted yet"):
        ask(quick())


# --- labels ---


@pytest.mark.parametrize(
    "labels",
    [
        ("no", "yes"),
        (0, 1),
        (-3, 8),
        (False, True),
        (1.0, 2.0),
        ('"; DROP TABLE x', "<script>"),
        ("0", "1"),
    ],
    ids=repr,
)
def test_binary_labels_of_any_type(labels):
    """Labels go in and the same labels come out, of the same type."""
    y = np.where(Y, labels[1], labels[0])
    clf = quick().fit(FRAME, y)

    assert clf.classes_.tolist() == list(labels)
    assert clf.classes_.dtype.kind == y.dtype.kind
    assert (clf.predict(FRAME) == y).all()
    assert clf.score(FRAME, y) == 1.0
    assert list(clf.explain()) == list(labels)
    assert equivalent(clf.explain()[labels[1]].formula, parse_formula("a & b"))
    assert (clf.explain().predict(FRAME) == y).all()


@pytest.mark.parametrize("kind", KINDS)
def test_several_classes(kind):
    y = np.array(["none", "one", "both"])[(X[:, 0] + X[:, 1]).astype(int)]
    clf = quick(kind, restarts=4).fit(FRAME, y)
    rules = clf.explain()

    assert clf.classes_.tolist() == ["both", "none", "one"]
    assert clf.score(FRAME, y) == 1.0
    assert clf.decision_function(FRAME).shape == (len(X), 3)
    assert equivalent(rules["both"].formula, parse_formula("a & b"))
    assert equivalent(rules["none"].formula, parse_formula("~a & ~b"))
    if kind != "psi":  # each of whose outputs answers by itself: the largest may decide against it
        assert equivalent(rules["one"].formula, parse_formula("(a & ~b) | (~a & b)"))
        assert rules.score(FRAME, y) == 1.0
        assert (clf.decide(FRAME).sum(axis=1) == 1).all()


def test_iris_by_cut_points():
    """Real data, cut at simple points: right about nine rows of ten, network and rules alike."""
    data = load_iris(as_frame=True)
    cuts = {"petal length (cm)": (2.5, 4.8), "petal width (cm)": (0.8, 1.7)}
    concepts = pd.DataFrame(
        {f"{name} > {cut}": data.data[name] > cut for name, at in cuts.items() for cut in at}
    )
    y = data.target_names[data.target]
    clf = quick("mu", epochs=100).fit(concepts, y)
    rules = clf.explain()

    assert clf.score(concepts, y) > 0.9
    assert rules.score(concepts, y) > 0.9
    assert rules["setosa"].complexity == 1
    assert set(rules["setosa"].concepts) <= set(concepts.columns)


@pytest.mark.parametrize("kind", KINDS)
def test_several_labels_a_row(kind):
    """A frame of Booleans: an output for each column, each explained."""
    targets = pd.DataFrame({"and": Y, "not b": X[:, 1] < 0.5, "c": X[:, 2] > 0.5})
    clf = quick(kind).fit(FRAME, targets)

    assert clf.problem_ is Problem.MULTI_LABEL
    assert clf.classes_.tolist() == ["and", "not b", "c"]
    assert (clf.predict(FRAME) == targets.to_numpy()).all()
    assert (clf.decide(FRAME) == targets.to_numpy()).all()
    assert clf.predict_proba(FRAME).shape == (len(X), 3)
    assert equivalent(clf.explain()["and"].formula, parse_formula("a & b"))
    assert equivalent(clf.explain()["not b"].formula, parse_formula("~b"))
    assert equivalent(clf.explain()["c"].formula, parse_formula("c"))
    assert (clf.explain().predict(FRAME) == targets.to_numpy()).all()


def test_soft_targets_of_one_output():
    """A column of soft targets is a table of one output, in an array as in a frame, as the message says."""
    soft = 0.1 + 0.8 * X[:, 0]

    array, named = (quick().fit(FRAME, each) for each in (soft[:, None], pd.DataFrame({"y0": soft})))

    assert array.classes_.tolist() == named.classes_.tolist() == ["y0"]
    assert np.array_equal(array.predict_proba(FRAME), named.predict_proba(FRAME))
    assert str(array.explain(FRAME, soft[:, None])["y0"].formula) == "a"
    assert cross_explain(quick(), FRAME, soft[:, None], cv=2)["model_accuracy"].mean() == 1.0
    for truth in (soft, X[:, 0]):
        assert array.score(FRAME, truth[:, None]) == named.score(FRAME, pd.DataFrame({"y0": truth})) == 1.0
    assert array.score(FRAME, 1.0 - soft[:, None], sample_weight=np.arange(len(X))) == 0.0
    assert "such as y[:, None]" in error_of(quick().fit, FRAME, soft)


def test_soft_targets():
    """Shares in [0, 1]: what is likelier than not is learned."""
    soft = np.column_stack([0.1 + 0.8 * X[:, 0], 0.7 - 0.4 * X[:, 2]])
    clf = quick().fit(FRAME, soft)

    assert clf.classes_.tolist() == ["y0", "y1"]
    assert equivalent(clf.explain()["y0"].formula, parse_formula("a"))
    assert equivalent(clf.explain()["y1"].formula, parse_formula("~c"))


@pytest.mark.filterwarnings("ignore:y holds the class")
@pytest.mark.parametrize("kind", KINDS)
def test_one_class_alone(kind):
    clf = quick(kind, epochs=10).fit(FRAME, np.full(len(X), "all"))

    assert clf.explain()["all"].formula == TRUE
    assert clf.explain()["all"].status == "always predicted on the data"
    assert (clf.predict(FRAME) == "all").all()
    assert (clf.predict_proba(FRAME) == 1.0).all()
    assert clf.score(FRAME, np.full(len(X), "all")) == 1.0


def test_class_of_one_row():
    y = np.where(Y, "a", "b").astype(object)
    y[0] = "rare"
    clf = quick().fit(FRAME, y)

    assert clf.classes_.tolist() == ["a", "b", "rare"]
    assert set(clf.predict(FRAME)) >= {"a", "b"}
    assert list(clf.explain()) == ["a", "b", "rare"]


# --- the shape of data ---


@pytest.mark.parametrize("kind", KINDS)
def test_one_concept(kind):
    clf = quick(kind).fit(X[:, :1], X[:, 0] > 0.5)

    assert equivalent(clf.explain()[True].formula, parse_formula("x0"))


@pytest.mark.parametrize("kind", KINDS)
def test_constant_columns_are_never_spoken_of(kind):
    x = np.column_stack([X[:, :2], np.ones(len(X)), np.zeros(len(X))])
    clf = quick(kind).fit(frame(x), Y)

    if kind != "psi":  # whose formulas are the network's own: a constant may stand in them
        assert set(clf.explain()[True].concepts) == {"a", "b"}
    assert clf.score(frame(x), Y) == 1.0
    assert clf.explain().score(frame(x), Y) == 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_tell_rows_apart_by(kind):
    """The most frequent class, as a rule that says why."""
    clf = quick(kind, epochs=20).fit(np.ones((len(X), 2)), Y)

    assert not clf.predict(np.ones((1, 2)))[0]
    assert clf.explain()[True].formula == FALSE
    assert clf.explain()[True].status == "never predicted on the data"
    assert clf.explain()[False].formula == TRUE


@pytest.mark.parametrize("kind", KINDS)
def test_more_concepts_than_rows(kind):
    rng = np.random.default_rng(0)
    x = (rng.random((20, 40)) > 0.5).astype(float)
    clf = quick(kind, max_literals=4).fit(x, x[:, 7] > 0.5)

    assert clf.predict(x).shape == (20,)
    assert clf.n_features_in_ == 40
    assert set(clf.explain()[True].concepts) <= set(clf.concept_names_)


def test_no_rows_to_predict(fitted):
    assert fitted.predict(X[:0]).shape == (0,)
    assert fitted.predict_proba(X[:0]).shape == (0, 2)
    assert fitted.decide(X[:0]).shape == (0, 2)


def test_hostile_names_work_everywhere():
    for start in range(0, len(HOSTILE_NAMES) - 3, 4):
        names = list(HOSTILE_NAMES[start : start + 4])
        data = pd.DataFrame(X, columns=names)
        clf = quick(epochs=20).fit(data, Y)
        assert set(clf.explain()[True].concepts) <= set(names)
        assert (clf.explain().fired(data) == clf.decide(data)).all()


# --- kinds of frame ---


def kinds_of_table() -> dict[str, Any]:
    return {
        "pandas": FRAME,
        "polars": pl.DataFrame(dict(zip(NAMES, X.T, strict=True))),
        "polars, lazy": pl.DataFrame(dict(zip(NAMES, X.T, strict=True))).lazy(),
        "pyarrow": pa.table(dict(zip(NAMES, X.T, strict=True))),
        "mapping": dict(zip(NAMES, X.T, strict=True)),
        "Booleans": FRAME > 0.5,
        "nullable": (FRAME > 0.5).astype("boolean"),
        "whole numbers": FRAME.astype(int),
    }


@pytest.mark.parametrize("table", kinds_of_table().values(), ids=kinds_of_table())
def test_every_kind_of_frame_gives_the_same_rules(psi, table):
    clf = quick().fit(table, Y)

    assert clf.explain() == psi.explain()
    assert clf.feature_names_in_.tolist() == list(NAMES)
    assert (clf.predict(table) == psi.predict(FRAME)).all()


@pytest.mark.parametrize(
    "table",
    [
        X,
        X.astype(np.float32),
        X.astype(bool),
        X.tolist(),
        scipy.sparse.csr_matrix(X),
        scipy.sparse.csc_array(X),
        torch.tensor(X),
    ],
    ids=["array", "single precision", "Booleans", "lists", "sparse matrix", "sparse array", "tensor"],
)
def test_every_kind_of_array_gives_the_same_rules(psi, table):
    clf = quick().fit(table, Y)

    assert clf.concept_names_ == ("x0", "x1", "x2", "x3")
    assert not hasattr(clf, "feature_names_in_")
    assert str(clf.explain()[True].formula) == "x0 & x1"
    assert (clf.predict(table) == psi.predict(FRAME)).all()


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series(np.where(Y, "a", "b")),
        pd.Series(np.where(Y, "a", "b"), dtype="category"),
        pl.Series(np.where(Y, "a", "b")),
        pa.chunked_array([np.where(Y, "a", "b").tolist()]),
        np.where(Y, "a", "b").tolist(),
        np.where(Y, "a", "b").astype(object),
    ],
    ids=["pandas", "categories", "polars", "pyarrow", "list", "objects"],
)
def test_every_kind_of_label_vector(labels):
    clf = quick(epochs=5).fit(X, labels)

    assert clf.classes_.tolist() == ["a", "b"]


def test_columns_are_matched_by_name(fitted):
    shuffled = FRAME[["d", "b", "a", "c"]]

    assert (fitted.predict(shuffled) == fitted.predict(FRAME)).all()
    assert (fitted.decide(shuffled.assign(more=3.0 > 2.0)) == fitted.decide(FRAME)).all()


def test_columns_of_an_array_are_matched_by_position(fitted):
    assert (fitted.predict(X) == fitted.predict(FRAME)).all()


def test_missing_column_is_named(fitted):
    with pytest.raises(UnknownColumnError, match="The data lack the column 'a'"):
        fitted.predict(FRAME.rename(columns={"a": "A"}))


def test_wrong_number_of_columns(fitted):
    assert error_of(fitted.predict, X[:, :3]) == (
        f"X has 3 features, but {type(fitted).__name__} is expecting 4 features as input. "
        "Pass the same columns in the same order."
    )


def test_names_of_an_earlier_fit_are_forgotten():
    clf = quick(epochs=5).fit(FRAME, Y)
    assert clf.feature_names_in_.tolist() == list(NAMES)
    clf.fit(X, Y)

    assert not hasattr(clf, "feature_names_in_")
    assert clf.concept_names_ == ("x0", "x1", "x2", "x3")


# --- data that cannot be used ---


def with_value(row: int, column: int, value: float) -> np.ndarray:
    x = X.copy()
    x[row, column] = value
    return x


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (with_value(3, 2, np.nan), "Column 'x2' has 1 missing value (NaN), the first in row 3 (counted"),
        (frame(with_value(3, 2, np.nan)), "Column 'c' has 1 missing value, the first in row 3 (counted"),
        (scipy.sparse.csr_matrix(with_value(3, 2, np.nan)), "Column 'x2' has 1 missing value (NaN), the"),
        (
            frame(with_value(5, 1, 90.0)).rename(columns={"b": "age"}),
            "Column 'age' has the value 90.0, outside [0, 1].",
        ),
        (with_value(5, 1, -0.5), "Column 'x1' has the value -0.5, outside [0, 1]."),
        (X[:0], "There are no rows to learn from. Pass at least one."),
        (X[:, :0], NO_COLUMNS),
        (X[:3], "y must have one value for each of the 3 rows of concepts. Got 80 values."),
        (FRAME.rename(columns={"b": "a"}), "Column names must be distinct; repeated: 'a'."),
        (X[0], "A table must be a data frame, a mapping or an array of shape (rows, columns)."),
    ],
    ids=[
        "NaN",
        "NaN in a frame",
        "NaN, sparse",
        "90",
        "-0.5",
        "empty",
        "no columns",
        "short",
        "twice",
        "flat",
    ],
)
def test_unusable_concepts_are_refused(data, message):
    assert message in error_of(quick(encoder=None).fit, data, Y)


def test_rows_to_predict_are_checked_as_well(psi):
    assert "Column 'x2' has 1 missing value (NaN), the first in row" in error_of(
        psi.predict, with_value(3, 2, np.nan)
    )


# --- weights ---


def test_weights_decide_between_contradictory_rows():
    x = np.repeat([[0.0], [1.0]], 20, axis=0)
    y = np.tile([0, 1], 20)
    weight = np.where(y == x[:, 0], 3.0, 1.0)

    assert (quick().fit(x, y, weight).predict([[0.0], [1.0]]) == [0, 1]).all()
    assert (quick().fit(x, y, 4.0 - weight).predict([[0.0], [1.0]]) == [1, 0]).all()


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(5), "sample_weight must have one value for each of the 80"),
        (-np.ones(80), "sample_weight must be finite and not negative."),
        (np.full(80, np.nan), "sample_weight must be finite and not negative."),
        (np.zeros(80), "All weights in sample_weight are zero."),
        (["a"] * 80, "sample_weight must hold numbers."),
    ],
    ids=["short", "negative", "NaN", "zero", "text"],
)
def test_unusable_weights_are_refused(weight, message):
    assert message in error_of(quick().fit, X, Y, weight)


def test_class_weights_shift_what_rules_decide():
    """Undecidable rows: the rules decide for the heavier class; the network is trained without weights."""
    x, y = np.ones((40, 1)), np.array(["a", "b"] * 20)
    found = [quick("mu", class_weight={label: 3.0}).fit(x, y) for label in "ab"]

    assert [clf.explain().predict(x[:1]).item() for clf in found] == ["a", "b"]
    assert (found[0].predict_proba(x) == found[1].predict_proba(x)).all()


@pytest.mark.parametrize(
    ("class_weight", "message"),
    [
        ({True: -1}, "Class weights must be finite and not negative."),
        ({True: "a"}, "Class weights must be finite and not negative."),
        ({True: 0, False: 0}, "class_weight leaves every row with weight 0."),
    ],
)
def test_unusable_class_weights_are_refused(class_weight, message):
    assert message in error_of(quick(class_weight=class_weight).fit, X, Y)


def test_class_weights_of_unknown_classes_are_refused():
    with pytest.raises(UnknownTargetError, match="Unknown class 'q'"):
        quick(class_weight={"q": 2.0}).fit(X, Y)


def test_class_weights_are_for_one_label_a_row():
    for class_weight in ({"y0": 2.0}, "balanced"):
        message = error_of(quick(class_weight=class_weight).fit, X, np.column_stack([Y, ~Y]))
        assert message == "class_weight is for problems with one label per row. Use sample_weight."


# --- how training goes ---


def test_training_is_on_record(fitted):
    assert fitted.loss_curve_.shape == (40, 1)
    assert fitted.loss_curve_[-1, 0] < fitted.loss_curve_[0, 0]
    assert fitted.n_iter_.tolist() == [40]
    assert fitted.l1_.tolist() == [0.002]


def test_the_best_penalty_is_on_record():
    clf = quick("mu", l1=[50.0, 0.001]).fit(X, Y)

    assert clf.l1_.tolist() == [0.001]


@pytest.mark.parametrize("kind", KINDS)
def test_too_few_epochs_are_said(kind):
    with pytest.warns(ConvergenceWarning) as caught:
        quick(kind, epochs=6).fit(X, Y)

    assert [str(warning.message) for warning in caught] == [
        f"{CLASSIFIERS[kind].__name__} was still getting better after 6 epochs. "
        "Raise epochs, or learning_rate."
    ]


@pytest.mark.filterwarnings("error")
def test_enough_epochs_are_not_complained_about():
    quick("mu", epochs=200).fit(X, Y)


@pytest.mark.parametrize("kind", KINDS)
def test_mini_batches(kind):
    clf = quick(kind, batch_size=16).fit(frame(X), Y)

    assert equivalent(clf.explain()[True].formula, parse_formula("a & b"))


def test_verbose_draws_nothing_without_a_terminal(capfd):
    quick(verbose=True, epochs=5).fit(X, Y)

    assert capfd.readouterr() == ("", "")


def test_device_is_the_one_asked_for(psi):
    clf = quick(device="auto").fit(FRAME, Y)

    assert psi.network_.l1.device.type == "cpu"
    assert clf.network_.l1.device.type == "cpu"  # wherever it was trained
    assert equivalent(clf.explain()[True].formula, parse_formula("a & b"))


# --- predicting ---


def test_probabilities(fitted):
    p = fitted.predict_proba(FRAME)

    assert p.shape == (len(X), 2)
    assert ((p >= 0) & (p <= 1)).all()
    assert np.allclose(p.sum(axis=1), 1)
    assert (fitted.classes_[p.argmax(axis=1)] == fitted.predict(FRAME)).all()


def test_extreme_scores_are_probabilities_as_well(psi, monkeypatch):
    """No overflow, whatever the logits."""
    monkeypatch.setattr(psi, "_logits", lambda _: np.array([[-1e5], [0.0], [1e5]]))

    assert psi.predict_proba(None).tolist() == [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]


def test_predictions_decisions_and_scores_agree(fitted):
    scores = fitted.decision_function(FRAME)

    assert scores.shape == (len(X),)
    assert (fitted.predict(FRAME) == (scores > 0)).all()
    assert (fitted.decide(FRAME)[:, 1] == (scores > 0)).all()
    assert (fitted.decide(FRAME)[:, 0] == ~(scores > 0)).all()


def test_rules_alone_predict_what_the_network_does(fitted):
    assert (fitted.explain().predict(FRAME) == fitted.predict(FRAME)).all()
    assert fitted.explain().score(FRAME, Y) == 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_that_were_read_before_are_fitted_as_they_are(kind):
    part = quick(kind)
    part.check_settings()
    targets, weight = part.read_data(FRAME, Y, None)

    part.fit_inputs(part.read_inputs(FRAME, targets, weight), targets, weight)

    whole = quick(kind).fit(FRAME, Y)
    assert part.explain() == whole.explain()
    assert (part.decision_function(FRAME) == whole.decision_function(FRAME)).all()
