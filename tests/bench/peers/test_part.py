"""Rows that peers learn from."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from logiclens.bench.peers.part import Concepts, Numbers, Part
from logiclens.errors import InputError
from tests.bench.methods.toys import two_classes
from tests.bench.peers.rows import one_fold


def test_a_fold_of_a_table_has_its_columns():
    fold = pickle.loads(pickle.dumps(one_fold()))
    part, test = Part.training(fold), Part.test(fold)

    assert [*part.columns] == ["age", "size", "color"]
    assert {len(each) for each in part.columns.values()} == {len(fold.y_train)}
    assert {len(each) for each in test.columns.values()} == {len(fold.y_test)}


def test_a_fold_without_a_table_is_refused():
    with pytest.raises(InputError, match="no raw columns"):
        Part.training(two_classes()[0])


def test_a_quarter_is_held_out_class_by_class():
    y = np.repeat([0, 1, 2], [40, 20, 3])
    fitted, held_out = Part({"row": np.arange(63)}, y, 3).halves(0)

    assert np.bincount(held_out.y, minlength=3).tolist() == [10, 5, 0]
    assert sorted([*fitted.columns["row"], *held_out.columns["row"]]) == [*range(63)]
    with pytest.raises(InputError, match="No class has four rows"):
        Part({"row": np.arange(3)}, np.array([0, 1, 2]), 3).halves(0)


def test_values_that_were_not_seen_are_no_value():
    columns = {"age": np.array([1.0, 2.0, 4.0]), "color": np.array(["a", "b", "a"], dtype=object)}
    later = {"age": np.array([np.nan]), "color": np.array(["c"], dtype=object)}

    assert Numbers.learn(columns).of(later).tolist() == [[2.0, 0.0, 0.0]]


def test_the_most_informative_concepts_are_kept():
    fold = one_fold()
    part = Part.training(fold)
    reader = Concepts.learn(part, 2)
    few, every = reader.of(part.columns), Concepts(reader.encoder).of(part.columns)
    names, kept = reader.encoder.get_feature_names_out().tolist(), reader.kept

    assert few.shape[1] == 2
    assert kept is not None
    assert (few == every[:, kept]).all()
    assert "color = red" in [names[at] for at in kept]
