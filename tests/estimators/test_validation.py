"""Cross-validation: figures, folds, and workers that share them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
from joblib import parallel_config
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from logiclens.errors import InputError
from logiclens.estimators import ReluClassifier, cross_explain, validation
from logiclens.estimators.validation import area_under_curve, has_workers, share_out
from logiclens.metrics import HeldOut, complexity, explanation_accuracy, fidelity
from tests.clusters import small_cluster
from tests.estimators.toys import CLASSIFIERS, NAMES, booleans, frame, quick

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y = booleans()
FRAME = frame(X)
COLUMNS = [
    "fold",
    "n_train",
    "n_test",
    "model_accuracy",
    "model_auc",
    "model_brier",
    "explanation_accuracy",
    "explanation_accuracy_plain",
    "rules_accuracy",
    "complexity",
    "literals",
    "fidelity",
    "fidelity_plain",
    "fidelity_joint",
    "fidelity_unseen",
    "consistency",
    "consistency_adjusted",
    "time",
]
RATES = [
    name for name in COLUMNS if any(word in name for word in ("accuracy", "fidelity", "consistency", "auc"))
]


def error_of(*args: Any, **kwargs: Any) -> str:
    with pytest.raises(InputError) as info:
        cross_explain(*args, **kwargs)
    assert "\n" not in str(info.value)
    return str(info.value)


def quickly(X: Any = FRAME, y: Any = Y, **settings: Any) -> Any:
    return cross_explain(quick(epochs=20), X, y, **{"cv": 2} | settings)


# --- a fold is a fit ---


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("y", ["two classes", "three classes"])
def test_a_fold_is_a_clone_fitted_on_its_rows(kind, y, monkeypatch):
    """The same formulas and the same predictions, on data with noise; the scores are those of the clone."""
    rng = np.random.default_rng(0)
    x = rng.random((60, 4))
    labels = (
        (x[:, 0] > 0.5) & (x[:, 1] > 0.5)
        if y == "two classes"
        else np.digitize(x[:, 0] + x[:, 1], [0.7, 1.3])
    )
    labels = np.where(rng.random(60) < 0.05, np.roll(labels, 1), labels)
    parts = list(StratifiedKFold(2, shuffle=True, random_state=0).split(x, labels))
    folds: list[Any] = []
    fit_parts = validation.fit_parts
    monkeypatch.setattr(validation, "fit_parts", lambda *args: folds.extend(fit_parts(*args)) or folds)
    clf = quick(kind, epochs=20)
    scores = cross_explain(clf, x, labels, cv=parts)
    monkeypatch.undo()
    for at, (train, test) in enumerate(parts):
        twin = clone(clf).fit(x[train], labels[train])
        assert twin.explain().formulas == folds[at].rules.formulas
        assert (folds[at].predict(x).decided == twin.decide(x)).all()
        assert np.allclose(folds[at].predict(x).probability, twin.predict_proba(x))
        assert scores["model_accuracy"][at] == twin.score(x[test], labels[test])
        assert scores["complexity"][at] == complexity(twin.explain())
        assert scores["literals"][at] == twin.explain().literals
        same = twin.explain().predict(x[test]) == twin.predict(x[test])
        assert scores["fidelity_joint"][at] == same.mean()
        probability = twin.predict_proba(x[test])
        truth = labels[test][:, None] == twin.classes_
        assert scores["model_brier"][at] == pytest.approx(((probability - truth) ** 2).sum(axis=1).mean() / 2)
        assert scores["model_auc"][at] == pytest.approx(area_under_curve(probability, truth))
        assert scores["rules_accuracy"][at] == twin.explain().score(x[test], labels[test])
        names = twin.concept_names_
        accuracy = explanation_accuracy(twin.explain(), x[test], labels[test], names=names)
        assert scores["explanation_accuracy"][at] == accuracy.macro_f1
        assert scores["explanation_accuracy_plain"][at] == accuracy.plain
        faithful = fidelity(twin.explain(), x[test], twin.decide(x[test]), names=names)
        assert scores["fidelity"][at] == faithful.macro_f1
        assert scores["fidelity_plain"][at] == faithful.plain
    assert not hasattr(clf, "network_")


@pytest.mark.parametrize("kind", ["mu", "psi"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_a_part_says(kind, n_classes):
    """The largest output chooses; each by itself says yes above one half."""
    x = np.random.default_rng(1).random((40, 3))
    y = np.digitize(x[:, 0] + x[:, 1], [0.8, 1.2][: n_classes - 1])
    clf = quick(kind, epochs=20, encoder=None)
    targets, weight = clf.read_data(x, y, None)
    (part,) = validation.fit_parts(clf, x, targets, [weight])
    said, twin = part.predict(x), quick(kind, epochs=20, encoder=None).fit(x, y)
    assert (said.chosen == twin.predict(x)).all()
    assert (said.decided == twin.decide(x)).all()
    if n_classes == 2:
        assert (said.above == said.decided).all()
    else:
        assert (said.above == (twin.decision_function(x) > 0)).all()
    assert (part.inputs.values == x).all()


# --- the frame ---


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    return cross_explain(quick(), FRAME, Y, cv=4)


def test_one_row_for_each_fold(scores):
    assert list(scores.columns) == COLUMNS
    assert scores["fold"].tolist() == [0, 1, 2, 3]
    assert scores["n_train"].tolist() == [60] * 4
    assert scores["n_test"].tolist() == [20] * 4


def test_rates_are_rates(scores):
    rates = scores[RATES].drop(columns="fidelity_unseen").to_numpy()

    assert ((rates >= 0) & (rates <= 1)).all()
    assert scores["fidelity_unseen"].isna().all()  # every tuple occurs in training
    assert (scores["time"] > 0).all()
    assert scores["consistency"].nunique() == 1


def test_perfect_rules_have_perfect_scores(scores):
    perfect = ["model_accuracy", "model_auc", "explanation_accuracy", "rules_accuracy"]
    perfect += ["fidelity", "fidelity_joint", "consistency"]

    assert (scores[perfect] == 1.0).all(axis=None)
    assert (scores["model_brier"] < 0.1).all()
    assert (scores["literals"] == 2.0).all()
    assert (scores["complexity"] == 2.0).all()


def test_fidelity_on_tuples_that_training_did_not_have():
    part = X[:, 0] > 0.5
    found = quickly(cv=[(np.flatnonzero(~part), np.flatnonzero(part))])

    assert found["fidelity_unseen"].tolist() == [1.0]  # psi is exact everywhere


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (X, pd.DataFrame),
        (FRAME, pd.DataFrame),
        (dict(zip(NAMES, X.T, strict=True)), pd.DataFrame),
        (pl.DataFrame(dict(zip(NAMES, X.T, strict=True))), pl.DataFrame),
        (pl.DataFrame(dict(zip(NAMES, X.T, strict=True))).lazy(), pl.DataFrame),
        (pa.table(dict(zip(NAMES, X.T, strict=True))), pa.Table),
    ],
    ids=["array", "pandas", "mapping", "polars", "polars, lazy", "pyarrow"],
)
def test_the_frame_is_of_the_kind_of_the_data(table, kind):
    assert isinstance(quickly(table), kind)


# --- splitting ---


def test_a_number_means_stratified_folds_of_the_seed():
    parts = list(StratifiedKFold(2, shuffle=True, random_state=0).split(X, Y))
    by_number, by_hand = quickly(cv=np.int64(2)), quickly(cv=parts)

    assert by_number.drop(columns="time").equals(by_hand.drop(columns="time"))


@pytest.mark.parametrize("seed", [2**40, np.random.RandomState(0), None], ids=["large", "state", "none"])
def test_folds_of_any_seed(seed):
    assert cross_explain(quick(epochs=5, random_state=seed), X, Y, cv=2)["n_test"].tolist() == [40, 40]


def test_generators_and_iterables_and_masks():
    first = np.arange(80) < 30

    assert quickly(cv=KFold(4))["n_test"].tolist() == [20] * 4
    assert quickly(cv=iter([(np.flatnonzero(first), np.flatnonzero(~first))]))["n_train"].tolist() == [30]
    assert quickly(cv=[(list(range(30)), list(range(30, 80)))])["n_test"].tolist() == [50]
    assert quickly(cv=[(first, ~first)])[["n_train", "n_test"]].to_numpy().tolist() == [[30, 50]]


def test_groups_stay_together():
    sizes = np.repeat(np.arange(4), [40, 20, 10, 10])

    assert sorted(quickly(cv=GroupKFold(3), groups=sizes)["n_test"]) == [20, 20, 40]


def test_a_class_may_be_missing_from_a_fold():
    """One row of it: it is never predicted where it was not learned, and nothing fails."""
    y = np.where(Y, "a", "b").astype(object)
    y[0] = "rare"
    found = cross_explain(quick(), FRAME, y, cv=3)

    assert (found["model_accuracy"] > 0.9).all()
    for kind in ("mu", "relu"):
        part = [(np.arange(1, 80), np.arange(0, 80))]
        found = cross_explain(quick(kind), FRAME, y, cv=part)
        assert found["model_accuracy"].tolist() == [79 / 80]


def test_all_of_a_class_may_be_missing_from_training():
    found = quickly(cv=[(np.flatnonzero(~Y), np.flatnonzero(Y))])

    assert found["model_accuracy"].tolist() == [0.0]


def test_several_labels_a_row():
    targets = pd.DataFrame({"p": Y, "q": X[:, 2] > 0.5})
    found = cross_explain(quick(epochs=80), FRAME, targets, cv=2)

    assert found["model_accuracy"].tolist() == [1.0, 1.0]
    assert found["complexity"].tolist() == [1.5, 1.5]


def test_weights_of_the_training_rows():
    """Rows of weight 0 are not learned from, but predicted all the same."""
    weight = (X[:, 0] > 0.5).astype(float)
    found = cross_explain(quick(), FRAME, Y, cv=2, sample_weight=weight)

    assert found["n_test"].tolist() == [40, 40]
    assert (found["model_accuracy"] < 1.0).all()  # a is always true where anything was learned


# --- messages ---


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cv": 1}, "cv must be a number of folds from 2 to the 80 rows there are. Got 1."),
        ({"cv": 81}, "cv must be a number of folds from 2 to the 80 rows there are. Got 81."),
        ({"cv": []}, "cv has no folds. Pass at least one pair of training and test rows."),
        ({"cv": [([0, 1], [])]}, "A fold has no training or no test rows. Use fewer folds."),
        ({"cv": [([0, 1], [80])]}, "The data cannot be split: index 80 is out of bounds for axis 0 with"),
        ({"cv": GroupKFold(2)}, "The data cannot be split: The 'groups' parameter should not be None."),
        ({"sample_weight": np.eye(80)[0]}, "All training rows of a fold have weight 0."),
        ({"sample_weight": np.zeros(80)}, "All weights in sample_weight are zero."),
    ],
)
def test_what_cannot_be_split_is_refused(settings, message):
    assert message in error_of(quick(), X, Y, **settings)


def test_settings_and_data_are_checked():
    assert error_of(quick(epochs=0), X, Y) == "epochs must be a whole number of at least 1. Got 0."
    assert error_of(quick(), X[:0], Y[:0]) == "There are no rows to learn from. Pass at least one."
    assert error_of(quick(random_state=-1), X, Y) == (
        "random_state must be a whole number of at least 0, None or a RandomState. Got -1."
    )


# --- metrics of one's own ---


def rules_are_right(fold: HeldOut) -> float:
    assert list(fold.rules) == [False, True]
    assert fold.network.members == 1
    assert fold.probability.shape == fold.truth.shape == (len(fold.x), 2)
    return float((fold.decided & fold.truth).any(axis=1).mean())


def network_is_right(fold: HeldOut) -> np.ndarray:
    return (fold.predicted & fold.truth).any(axis=1).mean()


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_metric_is_a_column(n_jobs):
    scoring = {"rules are right": rules_are_right, "network is right": network_is_right}
    found = quickly(scoring=scoring, n_jobs=n_jobs)

    assert found["rules are right"].tolist() == found["rules_accuracy"].tolist()
    assert found["network is right"].tolist() == found["model_accuracy"].tolist()
    assert [*found.columns][-3:] == [*scoring, "time"]


def test_a_metric_of_several_labels():
    y = np.column_stack([Y, ~Y])
    found = quickly(y=y, scoring={"decided": lambda fold: fold.decided.mean(axis=0)[0]})

    assert 0 < found["decided"].mean() < 1


def test_the_names_of_columns_are_taken(scores):
    assert [*scores.columns] == [*validation._COLUMNS]
    for name in scores.columns:
        assert "needs a name of its own" in error_of(quick(), X, Y, scoring={name: rules_are_right})
    assert "must be a number" in error_of(quick(epochs=4), X, Y, cv=2, scoring={"x": lambda fold: fold.names})


def test_other_classifiers_are_refused():
    assert "cross_explain needs a classifier of this package, such as MuClassifier()." in error_of(
        LogisticRegression(), X, Y
    )


def test_the_area_under_the_curve_is_that_of_scikit_learn():
    """Also with ties; targets that all rows belong to, or none, are left out."""
    rng = np.random.default_rng(0)
    scores, truth = rng.integers(0, 6, (50, 3)) / 5, rng.random((50, 3)) < 0.4
    expected = roc_auc_score(truth, scores, average=None)

    assert area_under_curve(scores, truth) == pytest.approx(expected.mean())
    truth[:, 1] = True
    assert area_under_curve(scores, truth) == pytest.approx(expected[[0, 2]].mean())
    assert np.isnan(area_under_curve(scores, np.zeros_like(truth)))


@pytest.mark.parametrize("odd", [2.0, np.nan])
def test_one_row_that_is_no_concept_is_enough_to_encode(odd):
    """Whether columns are concepts is decided on all rows: some fold holds the odd one out."""
    rng = np.random.default_rng(0)
    X = (rng.random((40, 3)) < 0.5).astype(float)
    y = X[:, 0] > 0.5
    X[7, 1] = odd

    assert len(cross_explain(quick("mu"), X, y, cv=4)) == 4


RANDOM = np.random.default_rng(0)
SCORES = RANDOM.random((90, 4))
NOISY = ((SCORES[:, 0] > 0.5) & (SCORES[:, 1] > 0.5)) ^ (RANDOM.random(90) < 0.1)
RAW = pd.DataFrame({"age": RANDOM.integers(20, 90, 90), "color": RANDOM.choice(["red", "blue"], 90)})
OLD = np.where((RAW["age"] > 50) & (RAW["color"] == "red"), "yes", "no")
TABLES: dict[str, tuple[Any, Any]] = {"scores": (SCORES, NOISY), "raw": (RAW, OLD)}


def figures(table: str = "scores", kind: str = "mu", **settings: Any) -> pd.DataFrame:
    """All columns but time, which is nobody's but the machine's."""
    X, y = TABLES[table]
    clf = quick(kind, epochs=20, l1=(0.002, 0.02))
    return cross_explain(clf, X, y, **{"cv": 3} | settings).drop(columns="time")


@pytest.fixture(scope="module")
def by_itself() -> dict[str, pd.DataFrame]:
    """Fold after fold, in this process."""
    return {table: figures(table, n_jobs=1) for table in TABLES}


# --- the same figures ---


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_fold_is_to_the_last_bit_a_fit_on_its_rows(kind: str, monkeypatch: pytest.MonkeyPatch):
    fitted: list[validation.FittedPart] = []
    fit_parts = validation.fit_parts
    monkeypatch.setattr(
        validation, "fit_parts", lambda *args, **more: fitted.extend(fit_parts(*args, **more)) or fitted[-1:]
    )
    parts = [(np.arange(60), np.arange(60, 90)), (np.arange(30, 90), np.arange(30))]
    figures(kind=kind, cv=parts, n_jobs=1)

    clf = quick(kind, epochs=20, l1=(0.002, 0.02))
    for part, (train, _) in zip(fitted, parts, strict=True):
        twin = clone(clf).fit(SCORES[train], NOISY[train])
        assert part.rules.formulas == twin.explain().formulas
        pairs = zip(part.network.parameters(), twin.network_.parameters(), strict=True)
        assert all(torch.equal(one, other) for one, other in pairs)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_give_the_same_figures(table: str, n_jobs: int, by_itself: dict[str, pd.DataFrame]):
    before = torch.get_num_threads()
    with parallel_config(backend="threading"):
        found = figures(table, n_jobs=n_jobs)

    pd.testing.assert_frame_equal(found, by_itself[table], check_exact=True)
    assert torch.get_num_threads() == before


def test_processes_give_the_same_figures(by_itself: dict[str, pd.DataFrame]):
    for table, expected in by_itself.items():
        pd.testing.assert_frame_equal(figures(table, n_jobs=2), expected, check_exact=True)


def test_a_configuration_in_force_is_enough(by_itself: dict[str, pd.DataFrame]):
    with parallel_config(backend="threading", n_jobs=2):
        found = figures()

    pd.testing.assert_frame_equal(found, by_itself["scores"], check_exact=True)


def test_without_workers_all_folds_are_one_population(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(validation, "share_out", lambda *_: pytest.fail("nothing is to be shared out"))
    sizes = []
    fit_parts = validation.fit_parts
    monkeypatch.setattr(
        validation, "fit_parts", lambda *args: (sizes.append(len(args[3])), fit_parts(*args))[1]
    )

    assert len(figures(n_jobs=None)) == 3
    assert sizes == [3]


def test_one_population_has_the_same_figures_but_for_rounding(by_itself: dict[str, pd.DataFrame]):
    """Of this table even to the last bit: each fold has concepts of its own, so it is a population anyway."""
    pd.testing.assert_frame_equal(figures("raw"), by_itself["raw"], check_exact=True)


def test_seeds_of_the_paper_count_up_with_the_fold():
    """Its ReLU networks are trained with dropout, so another seed is another network."""
    clf = ReluClassifier.reference(epochs=12, hidden=(8,), random_state=3, device="cpu")
    whole, apart = (
        cross_explain(clf, SCORES, NOISY, cv=3, n_jobs=n_jobs).drop(columns="time") for n_jobs in (None, 1)
    )

    pd.testing.assert_frame_equal(whole, apart, check_exact=True)


@pytest.mark.parametrize(
    "table",
    [
        dict(zip(NAMES, SCORES.T, strict=True)),
        pl.DataFrame(dict(zip(NAMES, SCORES.T, strict=True))),
        pl.DataFrame(dict(zip(NAMES, SCORES.T, strict=True))).lazy(),
    ],
    ids=["mapping", "polars", "polars, lazy"],
)
def test_any_kind_of_table_travels(table: Any, by_itself: dict[str, pd.DataFrame]):
    with parallel_config(backend="threading"):
        found = cross_explain(quick("mu", epochs=20, l1=(0.002, 0.02)), table, NOISY, cv=3, n_jobs=2)
    columns = by_itself["scores"].columns

    assert {name: [*found[name]] for name in columns if name != "fidelity_unseen"} == {
        name: [*by_itself["scores"][name]] for name in columns if name != "fidelity_unseen"
    }


def test_each_fold_has_its_own_seconds():
    seconds = cross_explain(quick("mu", epochs=20), SCORES, NOISY, cv=3, n_jobs=1)["time"]

    assert (seconds > 0).all()
    assert seconds.nunique() == 3


# --- on a cluster ---


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with small_cluster() as client:
        yield client


@pytest.mark.parametrize("table", TABLES)
def test_a_cluster_gives_the_same_figures(table: str, cluster: Any, by_itself: dict[str, pd.DataFrame]):
    with parallel_config(backend="dask"):
        found = figures(table)

    assert len(cluster.nthreads()) == 2
    pd.testing.assert_frame_equal(found, by_itself[table], check_exact=True)


@pytest.mark.usefixtures("cluster")
def test_work_is_done_by_the_workers_of_a_cluster():
    with parallel_config(backend="dask"):
        found = share_out(_process, [], [[at] for at in range(4)], None)

    assert [at for at, _ in found] == [0, 1, 2, 3]
    assert os.getpid() not in {process for _, process in found}


@pytest.mark.usefixtures("cluster")
def test_an_error_on_a_cluster_comes_back_as_it_is():
    with parallel_config(backend="dask"), pytest.raises(InputError) as info:
        share_out(_refuse, [], [[at] for at in range(4)], None)

    assert str(info.value) == "No luck."


def _process(at: int) -> tuple[int, int]:
    return at, os.getpid()


def _refuse(at: int) -> None:
    del at
    raise InputError("No luck.")


# --- sharing out ---


def test_threads_of_a_chunk(monkeypatch: pytest.MonkeyPatch):
    """One for each, so that workers do not fight for processors; in other processes, too."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)

    assert share_out(_threads, [], [[]] * 2, 1) == [1, 1]
    assert share_out(_threads, [], [[]] * 2, 2) == [1, 1]


def _threads() -> int:
    return torch.get_num_threads()


def test_large_arrays_can_be_written_to_in_other_processes():
    """They are mapped into memory, and torch warns of such that cannot be written to."""
    shared = np.zeros(1 << 18)

    assert share_out(_total, [shared], [[1], [2]], 2) == [1.0, 2.0]
    assert not shared.any()


def _total(array: np.ndarray, value: float) -> float:
    array[0] = value
    return float(torch.as_tensor(array).sum())


def test_an_error_in_another_process_comes_back_as_it_is():
    with pytest.raises(InputError) as info:
        share_out(_refuse, [], [[1], [2]], 2)

    assert str(info.value) == "No luck."


def test_when_work_has_workers():
    assert not has_workers(None)
    assert has_workers(1)
    with parallel_config(backend="threading", n_jobs=1):
        assert not has_workers(None)
    with parallel_config(backend="threading", n_jobs=2):
        assert has_workers(None)


@pytest.mark.parametrize("n_jobs", [0, 2.0, "2", True])
def test_what_is_no_number_of_workers_is_refused(n_jobs: Any):
    with pytest.raises(InputError) as info:
        has_workers(n_jobs)

    assert str(info.value) == f"n_jobs must be a whole number other than 0, or None. Got {n_jobs!r}."
