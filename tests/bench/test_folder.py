"""Experiments on tables of one's own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from logiclens.bench.folder import TableExperiment, mean_ranks, ranked_table, table_files
from logiclens.bench.results import fold_checksum
from logiclens.bench.scoreboard import Scoreboard
from logiclens.bench.table_layout import Table
from logiclens.errors import InputError, MissingFileError
from tests.strategies import HOSTILE_NAMES


@pytest.fixture(scope="module")
def flowers() -> TableExperiment:
    data = load_iris()
    table = dict(zip(data.feature_names, data.data.T, strict=True))
    return TableExperiment("iris", table, data.target_names[data.target], n_folds=5)


def test_each_row_is_tested_once_and_never_where_it_was_learned(flowers: TableExperiment):
    folds = flowers.folds()

    assert [fold.number for fold in folds] == [0, 1, 2, 3, 4]
    assert sum(len(fold.y_test) for fold in folds) == 150
    for fold in folds:
        assert fold.class_names == ("setosa", "versicolor", "virginica")
        assert np.bincount(fold.y_train).tolist() == [40, 40, 40]
        assert fold.x_train.shape == (120, len(fold.concept_names))
        assert fold.x_test.shape == (30, len(fold.concept_names))


def test_some_folds_are_the_same_as_among_all(flowers: TableExperiment):
    every = flowers.folds()
    (third,) = flowers.folds(None, [3])

    assert third.number == 3
    assert third.concept_names == every[3].concept_names
    assert (third.x_test == every[3].x_test).all()
    assert (third.y_train == every[3].y_train).all()


def test_cut_points_are_those_of_the_training_rows():
    """What test rows hold changes nothing in a fold: the encoder has not seen them."""
    ages = np.arange(40.0)
    labels = np.where(ages > 19, "old", "young")
    plain = TableExperiment("ages", {"age": ages, "row": np.arange(40) % 2}, labels, n_folds=4)
    fold = plain.folds()[0]
    tested = np.isin(ages, _tested(plain, ages))
    moved = np.where(tested, ages + 1000, ages)
    other = TableExperiment("ages", {"age": moved, "row": np.arange(40) % 2}, labels, n_folds=4).folds()[0]

    assert other.concept_names == fold.concept_names
    assert (other.x_train == fold.x_train).all()


def _tested(experiment: TableExperiment, values: np.ndarray) -> np.ndarray:
    y = (np.asarray(experiment.labels) == "young").astype(np.intp)
    return values[experiment._parts(y)[0][1]]


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
        (["a"] * 4, 2, "There must be two classes or more. Got 1: pass other labels."),
        (["a", "b"], 2, "labels must have shape (4,), one for each row. Got shape (2,)."),
        (["a", "b", "a", "b"], 3, "The largest class has 2 rows, too few for 3 folds. Ask for fewer folds."),
        (["a", "b", "a", "b"], 1, "n_folds must be a whole number from 2 on. Got 1."),
        (["a", "b", "a", "b"], True, "n_folds must be a whole number from 2 on. Got True."),
    ],
)
def test_what_cannot_be_an_experiment_is_refused(labels: list[str], n_folds: int, message: str):
    with pytest.raises(InputError) as caught:
        TableExperiment("few", {"x": [1, 2, 3, 4]}, labels, n_folds)

    assert str(caught.value) == message


def test_tables_of_a_folder(tmp_path: Path):
    for name in (
        "b.csv",
        "b.parquet",
        "a.TSV.gz",
        ".hidden.csv",
        "notes.txt",
        ".csv",
        "c.pq",
        "d.csv.zst",
        "e.gz",
    ):
        (tmp_path / name).touch()
    (tmp_path / "folder.csv").mkdir()

    assert table_files(tmp_path) == [
        tmp_path / name for name in ("a.TSV.gz", "b.csv", "b.parquet", "c.pq", "d.csv.zst")
    ]


def test_a_folder_without_tables_is_refused(tmp_path: Path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(InputError) as caught:
        table_files(tmp_path)

    assert str(caught.value) == (
        f"The folder {str(tmp_path)!r} has no tables. Put files into it that end in .csv, .tsv, .parquet, "
        ".pq; they may be compressed."
    )


def test_what_is_no_folder_is_refused(tmp_path: Path):
    file = tmp_path / "a.csv"
    file.touch()
    with pytest.raises(MissingFileError) as missing:
        table_files(tmp_path / "nowhere")
    with pytest.raises(InputError) as a_file:
        table_files(file)

    assert str(missing.value) == f"There is no folder {str(tmp_path / 'nowhere')!r}. Check its name."
    assert str(a_file.value) == f"{str(file)!r} is a file. Name the folder that it is in."


ROW = {"fold": 0, "fold_seed": 0, "status": "done"}


def scored(column: str, scores: dict[str, dict[str, float | None]]) -> Scoreboard:
    """A board of one fold; a score of None is of a method that was stopped."""
    rows = [
        ROW
        | {"experiment": table, "method": method, column: score}
        | ({} if score is not None else {"status": "not finished in 2 h"})
        for table, found in scores.items()
        for method, score in found.items()
    ]
    return Scoreboard(rows)


def cells(table: Table) -> list[list[str]]:
    return [[cell.text for cell in line] for line in table.lines]


def test_a_table_of_one_metric_ends_with_mean_ranks():
    scores = {"a.csv": {"mu": 0.91, "tree": 0.8}, "b.csv": {"mu": 0.5, "tree": 0.50001}}
    table = ranked_table(scored("explanation_accuracy", scores), "explanation_accuracy")

    assert cells(table) == [
        ["a.csv", "80.0", "91.0"],
        ["b.csv", "50.0", "50.0"],
        ["Mean rank", "1.75", "1.25"],
    ]
    assert [[cell.best for cell in line] for line in table.lines][:2] == [
        [False, False, True],
        [False, True, True],
    ]


def test_where_less_is_better_the_least_is_first():
    scores = {"a.csv": {"mu": 2.0, "tree": 9.0}, "b.csv": {"mu": 3.0, "tree": 4.0}}

    assert cells(ranked_table(scored("complexity", scores), "complexity"))[-1] == [
        "Mean rank",
        "2.00",
        "1.00",
    ]


def test_a_method_that_was_stopped_comes_last_and_says_so():
    scores = {"a.csv": {"mu": 0.2, "brl": None}, "b.csv": {"mu": 0.2, "brl": 0.9}}
    table = ranked_table(scored("model_accuracy", scores), "model_accuracy")

    assert cells(table) == [
        ["a.csv", "not finished in 2 h", "20.0"],
        ["b.csv", "90.0", "20.0"],
        ["Mean rank", "1.50", "1.50"],
    ]


def test_one_table_has_no_ranks():
    assert cells(ranked_table(scored("complexity", {"a.csv": {"mu": 2.0}}), "complexity")) == [
        ["a.csv", "2.0"]
    ]


def bold(table: Table) -> list[str]:
    return [cell.text for line in table.lines for cell in line if cell.best]


def test_of_fidelity_the_best_network_is_in_bold_and_it_is_said_why():
    scores = {"a.csv": {"mu": 0.97, "psi": 0.9, "tree": 1.0}}
    table = ranked_table(scored("fidelity", scores), "fidelity")

    assert bold(table) == ["97.0"]
    assert table.note == (
        "Trees and lists of rules are their own explanations: their fidelity is never in bold."
    )


def test_a_method_alone_is_not_the_best():
    assert bold(ranked_table(scored("complexity", {"a.csv": {"mu": 2.0}}), "complexity")) == []
    scores = {"a.csv": {"mu": 2.0, "brl": None}}
    assert bold(ranked_table(scored("complexity", scores), "complexity")) == ["2.0"]


def test_methods_without_rules_are_not_the_best():
    rows = [
        ROW | {"experiment": "a.csv", "method": method, "model_accuracy": score} | rules
        for method, score, rules in (("mu", 0.9, {"complexity": 3.0}), ("logistic", 0.95, {}))
    ]
    table = ranked_table(Scoreboard(rows), "model_accuracy")

    assert bold(table) == ["90.0"]
    assert (
        table.note
        == "Logistic regression, perceptrons and boosting give no rules: their accuracy is never in bold."
    )


def test_what_ranks_are_of_must_be_known():
    board = scored("complexity", {"a.csv": {"mu": 2.0}})
    with pytest.raises(InputError) as caught:
        ranked_table(board, "complexit")

    assert str(caught.value).startswith(
        "There is no table of 'complexit'. Did you mean 'complexity'? There are "
    )


def test_places_are_shared_and_a_missing_score_comes_last():
    scores = {"one": {"mu": 0.9, "tree": 0.5, "brl": 0.9}, "two": {"mu": 0.1, "tree": 0.3}}

    assert mean_ranks(scores) == {"mu": 1.75, "tree": 2.0, "brl": 2.25}


@given(st.lists(st.dictionaries(st.sampled_from("abcd"), st.floats(0, 1), min_size=1), min_size=1))
def test_places_add_up(rows: list[dict[str, float]]):
    """Whoever wins, the places of n methods are 1 to n."""
    ranks = mean_ranks({str(at): row for at, row in enumerate(rows)})
    n = len(ranks)

    assert sum(ranks.values()) == pytest.approx(n * (n + 1) / 2)
    assert all(1 <= rank <= n for rank in ranks.values())


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
