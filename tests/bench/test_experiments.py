"""Folds: of the paper's experiments, on small files of the real layout, and of any table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

from logiclens.bench import load_mimic2
from logiclens.bench.datasets import Dataset, impute_mean, three_bins
from logiclens.bench.experiments import (
    EXPERIMENTS,
    Experiment,
    Fold,
    TableExperiment,
    class_index,
    split_rows,
    table_files,
)
from logiclens.bench.store import fold_checksum
from tests.bench.test_datasets import FLAGS, MEASURED, MID_LEVEL, put, put_columns
from tests.bench.toy_runs import toy_fold
from tests.errors import error_of
from tests.strategies import HOSTILE_NAMES

N_ROWS = 80


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of all experiments, with few rows of random numbers."""
    folder, random = tmp_path_factory.mktemp("data"), np.random.default_rng(0)
    died = random.random(N_ROWS) < 0.4
    flags = {name: random.integers(0, 2, N_ROWS).tolist() for name in FLAGS}
    measured: dict[str, Sequence[object]] = {
        name: (random.random(N_ROWS) + died).round(3).tolist() for name in MEASURED
    }
    measured["age"] = ["", 1000, *measured["age"][2:]]
    outcome = {"day_28_flg": died.astype(int).tolist(), "hosp_exp_flg": [0] * N_ROWS}
    outcome |= {"icu_exp_flg": [0] * N_ROWS, "censor_flg": [1] * N_ROWS}
    put_columns(folder, "mimic2/full_cohort_data.csv.gz", flags | measured | outcome)
    indices = {name: random.random(N_ROWS).round(3).tolist() for name in (*MID_LEVEL, "v2x_polyarchy")}
    put_columns(folder, "vdem/vdem_core_post2000.csv.gz", indices)
    digits = np.arange(N_ROWS) % 10
    scores = (np.eye(12)[digits] * 0.9).astype(np.float16)
    scores[:, 10], scores[:, 11] = digits % 2 == 0, digits % 2 == 1
    (folder / "mnist").mkdir()
    np.savez(
        folder / "mnist" / "mnist_concepts.npz",
        labels=digits,
        concepts_digits=scores[:, :10],
        concepts_digits_parity=scores,
        split_test=np.arange(40),
    )
    put(folder, "cub/attributes.txt.gz", ["1 red", "2 red_wing"])
    put(folder, "cub/classes.txt.gz", ["1 001.Wren", "2 002.Auklet", "3 003.Tern"])
    np.savez(
        folder / "cub" / "cub_concepts.npz",
        concepts_resnet10=random.random((N_ROWS, 2)).astype(np.float16),
        labels=np.arange(N_ROWS) % 3,
        attr_index=np.array([0, 1]),
        split_test=np.arange(0, N_ROWS, 5),
    )
    return folder


# --- Fold


def test_a_fold_is_read_only_and_says_how_large_it_is():
    fold = toy_fold()

    assert repr(fold) == "Fold(0: 20 training rows, 10 test rows, 3 concepts, 2 classes)"
    with pytest.raises(ValueError, match="read-only"):
        fold.x_train[0, 0] = 1.0


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"y_test": np.zeros(9, dtype=np.intp)}, "Got shapes (10, 3) and (9,)."),
        ({"x_train": np.zeros((0, 3)), "y_train": np.zeros(0, dtype=np.intp)}, "x_train must have shape"),
        ({"parts": {"some": np.ones(3, dtype=np.bool_)}}, "'some' must have one value for each of the 10"),
        ({"also": {"black box": np.ones(3, dtype=np.intp)}}, "'black box' must have one value"),
        ({"confidence": np.ones(3)}, "confidence must have one value"),
    ],
)
def test_a_fold_is_consistent(changes: dict[str, object], text: str):
    assert text in error_of(toy_fold, **changes)


# --- Experiment


def test_the_experiments_of_the_paper_and_one_more():
    sizes = {name: each.n_folds for name, each in EXPERIMENTS.items()}
    five = {"vdem": 5, "cub": 5}

    assert sizes == dict.fromkeys(("mimic2", "mimic2-ebb", "mnist", "mnist-iclu", "mimic2-infold"), 10) | five
    assert [name for name, each in EXPERIMENTS.items() if not each.supervised] == ["mnist-iclu"]
    assert {name: each.tree_depth for name, each in EXPERIMENTS.items() if each.tree_depth != 5} == {
        "cub": 30
    }
    assert all(each.name == name and each.seed == 0 for name, each in EXPERIMENTS.items())


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_gives_its_folds(name: str, data: Path):
    experiment = EXPERIMENTS[name]
    folds = experiment.folds(data)
    again = experiment.folds(data, [1])

    assert [fold.number for fold in folds] == list(range(experiment.n_folds))
    assert [fold.number for fold in replace(experiment, first=2).folds(data)] == [0, 1]
    for fold in folds:
        assert fold.x_train.min() >= 0
        assert fold.x_train.max() <= 1
        assert set(np.unique(fold.y_test)) <= set(range(len(fold.class_names)))
    for field in ("x_train", "y_train", "x_test", "y_test"):
        np.testing.assert_array_equal(getattr(folds[1], field), getattr(again[0], field))


@pytest.mark.parametrize("name", ["mimic2", "vdem", "mnist", "cub", "mimic2-infold"])
def test_every_row_is_tested_once(name: str, data: Path):
    folds = EXPERIMENTS[name].folds(data)

    assert sum(len(fold.y_test) for fold in folds) == N_ROWS
    assert {len(fold.y_test) + len(fold.y_train) for fold in folds} == {N_ROWS}


def test_folds_are_stratified_and_shuffled_with_the_seed(data: Path):
    table = load_mimic2(data)
    for seed in (0, 5):
        splitter = StratifiedKFold(10, shuffle=True, random_state=seed)
        expected = [table.concepts[test] for _, test in splitter.split(table.concepts, table.labels)]
        folds = replace(EXPERIMENTS["mimic2"], seed=seed).folds(data)

        for fold, rows in zip(folds, expected, strict=True):
            np.testing.assert_array_equal(fold.x_test, rows)


def test_folds_that_there_are_not():
    experiment = EXPERIMENTS["mimic2"]

    for which in ([10], [0, -1]):
        text = f"MIMIC-II has the folds 0 to 9. Got {which[-1]}; leave them out."
        assert error_of(experiment.folds, "nowhere", which) == text
    for first in (0, 11, -1):
        text = f"MIMIC-II has 10 folds. Got {first} of them; ask for 1 to 10."
        assert error_of(replace, experiment, first=first) == text


def test_an_experiment_of_ones_own():
    def make(experiment: Experiment, data_dir: object, which: Sequence[int]) -> list[Fold]:
        del data_dir
        return [toy_fold(number, experiment.seed) for number in which]

    own = Experiment("own", "Own", 4, make, seed=2, first=3)

    assert [fold.number for fold in own.folds()] == [0, 1, 2]


# --- what is special about each


def test_a_black_box_labels_the_training_rows_alone(data: Path):
    plain, boxed = EXPERIMENTS["mimic2"].folds(data), EXPERIMENTS["mimic2-ebb"].folds(data)

    for fold, answered in zip(plain, boxed, strict=True):
        np.testing.assert_array_equal(fold.x_train, answered.x_train)
        np.testing.assert_array_equal(fold.y_test, answered.y_test)
        assert list(answered.also) == ["black box"]
        assert fold.confidence is None
        assert 0.5 <= answered.confidence.min() < answered.confidence.max() <= 1.0
        assert not answered.confidence.flags.writeable
    assert any((fold.y_train != each.y_train).any() for fold, each in zip(plain, boxed, strict=True))
    agreement = [(fold.also["black box"] == fold.y_test).mean() for fold in boxed]
    assert np.mean(agreement) > 0.8


def test_inside_the_fold_means_and_bins_come_from_its_training_rows(data: Path):
    """Row 1 has an age of 1000, which makes all others LOW wherever it is learned from."""
    low = load_mimic2(data).concept_names.index("age_LOW")
    folds = EXPERIMENTS["mimic2-infold"].folds(data)
    whole = EXPERIMENTS["mimic2"].folds(data)
    apart = [fold for fold, each in zip(folds, whole, strict=True) if each.x_train[:, low].all()]
    held_out = [fold for fold, each in zip(folds, whole, strict=True) if not each.x_test[:, low].all()]

    assert len(held_out) == 1
    assert held_out[0] in apart
    assert 0 < held_out[0].x_train[:, low].mean() < 1
    for fold, each in zip(folds, whole, strict=True):
        np.testing.assert_array_equal(fold.y_test, each.y_test)
        np.testing.assert_array_equal(fold.x_train[:, : len(FLAGS)], each.x_train[:, : len(FLAGS)])


def test_values_beyond_the_range_that_was_learned():
    values = np.array([0.0, 3.0, 9.0, -50.0, 80.0, 4.0])
    names, truth = three_bins("age", values, np.array([0, 1, 2]))

    assert names == ("age_LOW", "age_NORMAL", "age_HIGH")
    assert truth.argmax(axis=1).tolist() == [0, 1, 2, 0, 2, 1]
    assert impute_mean(np.array([1.0, np.nan, 9.0]), "age", np.array([0, 1])).tolist() == [1, 1, 9]
    assert "has no value at all" in error_of(impute_mean, np.array([1.0, np.nan]), "age", np.array([1]))


def test_clusters_are_made_of_all_rows_without_folds(data: Path):
    folds = EXPERIMENTS["mnist-iclu"].folds(data)

    assert len(folds[0].concept_names) == 12
    assert {len(fold.y_test) for fold in folds} == {N_ROWS}
    np.testing.assert_array_equal(folds[0].x_train, folds[9].x_test)
    assert EXPERIMENTS["mnist"].folds(data)[0].concept_names == folds[0].concept_names[:10]


def test_pictures_that_the_network_never_saw_are_a_part(data: Path):
    folds = EXPERIMENTS["cub"].folds(data)

    assert all(list(fold.parts) == ["unseen pictures"] for fold in folds)
    assert sum(int(fold.parts["unseen pictures"].sum()) for fold in folds) == N_ROWS / 5
    scores = np.load(data / "cub" / "cub_concepts.npz")["concepts_resnet10"].astype(np.float64)
    unseen = np.concatenate([fold.x_test[fold.parts["unseen pictures"]] for fold in folds])
    assert sorted(unseen.tolist()) == sorted(scores[::5].tolist())


def test_classes_stand_in_the_order_of_the_targets():
    table = Dataset("t", np.zeros((3, 1)), ("a",), np.array(["z", "b", "z"]), ("z", "y", "b"))

    assert class_index(table).tolist() == [0, 2, 0]


def test_splits_do_not_depend_on_the_numbers_of_classes():
    labels = np.array([0, 1, 1, 0, 1, 0, 0, 1])

    for (train, test), (other_train, other) in zip(
        split_rows(labels, 2, 0), split_rows(5 * labels, 2, 0), strict=True
    ):
        assert train.tolist() == other_train.tolist()
        assert test.tolist() == other.tolist()


@pytest.fixture(scope="module")
def flowers() -> TableExperiment:
    data = load_iris()
    table = dict(zip(data.feature_names, data.data.T, strict=True))
    return TableExperiment("iris", table, data.target_names[data.target], n_folds=5)


def test_each_row_is_tested_once_and_never_where_it_was_learned(flowers: TableExperiment):
    folds = flowers.folds()
    (third,) = flowers.folds(None, [3])

    assert third.concept_names == folds[3].concept_names
    assert (third.x_test == folds[3].x_test).all()
    assert [fold.number for fold in folds] == [0, 1, 2, 3, 4]
    assert sum(len(fold.y_test) for fold in folds) == 150
    for fold in folds:
        assert fold.class_names == ("setosa", "versicolor", "virginica")
        assert np.bincount(fold.y_train).tolist() == [40, 40, 40]
        assert fold.x_train.shape == (120, len(fold.concept_names))
        assert fold.x_test.shape == (30, len(fold.concept_names))


def test_cut_points_are_those_of_the_training_rows():
    """What test rows hold changes nothing in a fold: the encoder has not seen them."""
    ages = np.arange(40.0)
    labels = np.where(ages > 19, "old", "young")
    plain = TableExperiment("ages", {"age": ages, "row": np.arange(40) % 2}, labels, n_folds=4)
    fold = plain.folds()[0]
    tested = np.isin(ages, fold.columns_test["age"])
    moved = np.where(tested, ages + 1000, ages)
    other = TableExperiment("ages", {"age": moved, "row": np.arange(40) % 2}, labels, n_folds=4).folds()[0]

    assert other.concept_names == fold.concept_names
    assert (other.x_train == fold.x_train).all()


def test_the_only_row_of_a_class_is_learned_everywhere():
    labels = ["a"] * 6 + ["b"] * 5 + ["c"]
    folds = TableExperiment("rare", {"x": np.arange(12.0)}, labels, n_folds=3).folds()

    assert all(fold.class_names == ("a", "b", "c") for fold in folds)
    assert all((fold.y_train == 2).sum() == 1 for fold in folds)
    assert all((fold.y_test == 2).sum() == 0 for fold in folds)
    assert sum(len(fold.y_test) for fold in folds) == 11


def test_other_seeds_draw_other_folds():
    rows = np.arange(40)
    labels = np.where(rows * 7 % 11 > 5, "a", "b")
    one, other = (TableExperiment("x", {"x": rows % 9}, labels, n_folds=4, seed=seed) for seed in (0, 1))
    pairs = zip(one.folds(), other.folds(), strict=True)

    assert any((a.y_test.tolist() != b.y_test.tolist()) for a, b in pairs)


def test_names_are_data():
    table = {name: np.arange(20) % (at + 2) > 0 for at, name in enumerate(HOSTILE_NAMES)}
    labels = np.array([*HOSTILE_NAMES[:2]], dtype=object)[np.arange(20) % 2]
    fold = TableExperiment("a & b", table, labels, n_folds=2).folds()[0]

    assert sorted(fold.class_names) == sorted(HOSTILE_NAMES[:2])
    assert set(fold.concept_names) <= set(HOSTILE_NAMES)


@pytest.mark.parametrize(
    ("labels", "n_folds", "message"),
    [
        ("aaaa", 2, "There must be two classes or more. Got 1: pass other labels."),
        ("ab", 2, "labels must have shape (4,), one for each row. Got shape (2,)."),
        ("abab", 3, "The largest class has 2 rows, too few for 3 folds. Ask for fewer folds."),
        ("abab", 1, "n_folds must be a whole number from 2 on. Got 1."),
        ("abab", True, "n_folds must be a whole number from 2 on. Got True."),
    ],
)
def test_what_cannot_be_an_experiment_is_refused(labels: str, n_folds: int, message: str):
    assert error_of(TableExperiment, "few", {"x": [1, 2, 3, 4]}, [*labels], n_folds) == message


def test_tables_of_a_folder(tmp_path: Path):
    tables = ["a.TSV.gz", "b.csv", "b.parquet", "c.pq", "d.csv.zst"]
    for name in (*tables, ".hidden.csv", "notes.txt", ".csv", "e.gz"):
        (tmp_path / name).touch()
    (tmp_path / "folder.csv").mkdir()

    assert [path.name for path in table_files(tmp_path)] == tables
    assert "has no tables. Put files into it that end in .csv," in error_of(
        table_files, tmp_path / "folder.csv"
    )
    assert "There is no folder" in error_of(table_files, tmp_path / "nowhere")
    assert error_of(table_files, tmp_path / "b.csv").endswith(" is a file. Name the folder that it is in.")


def test_folds_have_the_columns_of_the_table():
    """As they were, so that methods can make conditions of their own."""
    columns = {
        "age": [float(at) for at in range(12)],
        "color": [None, *"rg" * 5, "b"],
        "flag": [True, False] * 6,
    }
    fold = TableExperiment("few", columns, ["a", "b", "b"] * 4, n_folds=2).folds()[0]
    both = {name: [*fold.columns_train[name], *fold.columns_test[name]] for name in columns}

    assert fold.columns_train["age"].dtype == np.float64
    assert sorted(both["age"]) == columns["age"]
    assert sorted(map(str, both["color"])) == sorted(map(str, columns["color"]))
    assert fold_checksum(fold) != fold_checksum(replace(fold, columns_train={}))
