"""Sweeps: what is common to all peers, and the rows that they learn from."""

from __future__ import annotations

import pickle
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from logiclens.bench._sweep import LONGEST, Columns, Concepts, Peer, RawRows, Size, SizedModel
from logiclens.bench.fold_scores import unfinished_outcome
from logiclens.bench.method import DONE, Outcome
from logiclens.errors import InputError
from logiclens.estimators.comparison import Numbers
from tests.bench.people import one_fold, people
from tests.bench.toys import two_classes


def test_a_fold_of_a_table_has_its_columns():
    fold = pickle.loads(pickle.dumps(one_fold()))
    part, test = RawRows.training(fold), RawRows.test(fold)

    assert [*part.columns] == ["age", "size", "color"]
    assert {len(each) for each in part.columns.values()} == {len(fold.y_train)}
    assert {len(each) for each in test.columns.values()} == {len(fold.y_test)}


def test_a_fold_without_a_table_is_refused():
    with pytest.raises(InputError, match="no raw columns"):
        RawRows.training(two_classes()[0])


def test_a_quarter_is_held_out_class_by_class():
    y = np.repeat([0, 1, 2], [40, 20, 3])
    fitted, held_out = RawRows({"row": np.arange(63)}, y, 3).hold_out_quarter(0)

    assert np.bincount(held_out.y, minlength=3).tolist() == [10, 5, 0]
    assert sorted([*fitted.columns["row"], *held_out.columns["row"]]) == [*range(63)]
    with pytest.raises(InputError, match="No class has four rows"):
        RawRows({"row": np.arange(3)}, np.array([0, 1, 2]), 3).hold_out_quarter(0)


def test_values_that_were_not_seen_are_no_value():
    columns = {"age": np.array([1.0, 2.0, 4.0]), "color": np.array(["a", "b", "a"], dtype=object)}
    later = {"age": np.array([np.nan]), "color": np.array(["c"], dtype=object)}

    assert Numbers.fit(columns).transform(later).tolist() == [[2.0, 0.0, 0.0]]


def test_the_most_informative_concepts_are_kept():
    fold = one_fold()
    part = RawRows.training(fold)
    reader = Concepts.fit(part, 2)
    few, every = reader.transform(part.columns), Concepts(reader.encoder).transform(part.columns)
    names, kept = reader.encoder.get_feature_names_out().tolist(), reader.kept

    assert few.shape[1] == 2
    assert kept is not None
    assert (few == every[:, kept]).all()
    assert "color = red" in [names[at] for at in kept]


@dataclass(frozen=True)
class Ages(Peer):
    """Says yes above an age; the larger the later."""

    name: str = "ages"
    title: str = "ages"
    sleep: float = 0.0

    def ladders(self, n_classes: int) -> Sequence[Sequence[Size]]:
        assert n_classes == 2
        return [[{"age": 30}, {"age": 50}, {"age": 70}], [{"age": 40}]]

    def fit_size(self, shared: Any, part: RawRows, size: Size, seed: int) -> SizedModel:
        del part
        assert (set(shared), seed) == ({"age", "size", "color"}, 0)
        time.sleep(self.sleep)

        def conditions(columns: Columns) -> np.ndarray:
            return (np.asarray(columns["age"], dtype=float) <= size["age"])[:, None]

        def predict(columns: Columns) -> np.ndarray:
            return conditions(columns)[:, 0].astype(int)

        return SizedModel(predict, conditions, 1.0)


@dataclass(frozen=True)
class Sizes(Ages):
    """Says yes and no in turn, from size to size: no formula of it is short."""

    def fit_size(self, shared: Any, part: RawRows, size: Size, seed: int) -> SizedModel:
        del shared, size, seed
        limits = np.unique(part.columns["size"])

        def conditions(columns: Columns) -> np.ndarray:
            return np.asarray(columns["size"])[:, None] <= limits

        return SizedModel(lambda columns: conditions(columns).sum(axis=1) % 2, conditions, 1.0)


def test_every_size_is_rated_measured_and_tested():
    fold = one_fold()
    (outcome,) = Ages().fit([fold], 0)
    sizes = ["majority", "age=30", "age=50", "age=70", "age=40"]

    assert [point.part for point in outcome.points] == sizes
    assert [point.literals for point in outcome.points] == [0.0, 1.0, 1.0, 1.0, 1.0]
    assert not outcome.points[0].cut
    said = (np.asarray(fold.columns_test["age"], dtype=float) <= 50).astype(int)
    assert outcome.points[2].test_accuracy == (said == fold.y_test).mean()
    best = max(outcome.points, key=lambda point: point.validation_accuracy)
    assert (outcome.answers == fold.y_test).mean() == best.test_accuracy


def test_a_ladder_ends_where_formulas_are_long_or_a_fit_takes_long():
    fold = one_fold()
    (long,) = Sizes().fit([fold], 0)
    (slow,) = Ages(sleep=0.02, fit_seconds=0.01).fit([fold], 0)

    assert [point.part for point in long.points] == ["majority", "age=30", "age=40"]
    assert long.points[1].literals > LONGEST
    assert not long.points[0].cut
    assert [point.part for point in slow.points] == ["majority", "age=30", "age=40"]
    assert all(point.cut for point in slow.points)


def test_rows():
    experiment, fold, peer = people(), one_fold(), Ages()
    (outcome,) = peer.fit([fold], 0)
    rows = peer.score(experiment, peer, fold, outcome)

    assert [row["part"] for row in rows] == [point.part for point in outcome.points]
    assert {row["status"] for row in rows} == {DONE}
    assert rows[1]["test_accuracy"] == outcome.points[1].test_accuracy
    stopped: Outcome = unfinished_outcome(fold, "not finished in 90 s", 90.0)
    (row,) = peer.score(experiment, peer, fold, stopped)
    assert (row["status"], row["test_accuracy"], row["part"]) == ("not finished in 90 s", None, "")
    assert row.keys() == rows[0].keys()
