"""Asking networks about rows, and weighing the truth."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning

from logiclens.errors import InputError
from logiclens.estimators.asking import Grouped, ask, by_tuple
from logiclens.logic import TruthTable
from tests.estimators.toys import booleans, quick

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y = booleans()
THREE = (X[:, 0] + X[:, 1]).astype(int)


def test_asking_in_blocks_is_asking_at_once(monkeypatch):
    clf = quick("mu").fit(X, THREE)
    whole = ask(clf.network_, X)
    for name, value in (("_BLOCK", 7), ("_SMALL_BLOCK", 3), ("_ON_CPU", 0)):  # blocks of seven, then of three
        monkeypatch.setattr(f"logiclens.estimators.asking.{name}", value)

        assert np.allclose(ask(clf.network_, X), whole, rtol=1e-12)
    assert ask(clf.network_, X[:0]).shape == (0, 3)
    assert whole.dtype == np.float64
    assert not torch.is_tensor(whole)


def test_truth_is_weighed_by_tuple():
    rows = Grouped(np.array([[0.9, 0.1], [0.8, 0.0], [0.2, 0.7]]), ["a", "b"])
    table = rows.truth(np.array([1.0, 0.25, 1.0]), np.array([1.0, 4.0, 0.0]))

    assert table.to_array().tolist() == [[True, False]]
    assert (table.yes.tolist(), table.no.tolist()) == ([2.0], [3.0])


@pytest.mark.parametrize("n_concepts", [0, 1, 5, 16, 17, 70])
def test_tables_of_grouped_rows_are_tables_of_the_rows(n_concepts):
    """Few concepts are numbered, many are packed; either way the table is that of the rows one by one."""
    random = np.random.default_rng(n_concepts)
    x = np.repeat(random.random((40, n_concepts)), 3, axis=0)
    weight = random.integers(0, 4, len(x)).astype(float)
    said_yes = random.random(len(x)) < 0.4
    names = [f"c{j}" for j in range(n_concepts)]

    expected = TruthTable.from_data(x, said_yes, names=names, sample_weight=weight)
    for laid_out in (x, np.asfortranarray(x)):
        assert Grouped(laid_out, names).answers(said_yes, weight) == expected


def test_relevance_is_the_mean_over_the_rows_of_a_tuple():
    x = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    table = TruthTable.from_data(x, [1, 1, 0])
    scores = np.array([[1.0, 0.0], [4.0, 1.0], [0.5, 0.5]])

    found = by_tuple(table, x, scores, np.array([2.0, 1.0, 1.0]))

    expected = {(True, False): [2.0, 1 / 3], (False, True): [0.5, 0.5]}
    for row, mean in zip(table.to_array().tolist(), found, strict=True):
        assert mean == pytest.approx(expected[tuple(row)])


def test_rows_without_weight_make_no_table():
    rows = Grouped(np.array([[0.9], [0.1]]), ["a"])

    with pytest.raises(InputError, match=r"^A truth table needs some weight\. All weights are 0\.$"):
        rows.truth(np.array([1.0, 0.0]), np.zeros(2))


def test_very_many_tuples_make_the_same_table():
    x = np.random.default_rng(0).random((80_000, 40))
    names, truth = [f"c{at}" for at in range(40)], np.arange(80_000) % 2

    assert Grouped(x, names).truth(truth * 1.0, np.ones(80_000)) == TruthTable.from_data(x, truth, names)
