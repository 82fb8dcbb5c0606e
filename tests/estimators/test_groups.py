"""Rows that no split may part."""

from __future__ import annotations

import numpy as np
import pytest

from logiclens import MuClassifier, cross_explain
from logiclens.estimators import group_copies

RANDOM = np.random.default_rng(0)
NUMBERS = RANDOM.normal(size=(100, 4))
COARSE = RANDOM.integers(3, size=(300, 3)).astype(float)
ONE = np.column_stack([RANDOM.normal(size=600), RANDOM.integers(3, size=(600, 4))])
MANY = RANDOM.integers(9, size=(100, 6)).astype(float)


@pytest.mark.parametrize(
    ("rows", "n_groups"),
    [
        (np.repeat(NUMBERS, 6, axis=0), 100),
        (np.repeat(MANY, 6, axis=0), 100),  # six columns of nine values each
        (np.repeat(NUMBERS, 40, axis=0), 100),  # however often each is there
        (np.repeat(NUMBERS[:10], 6, axis=0), None),  # too few to hold some out
        (np.vstack([NUMBERS, NUMBERS[:2]]), 100),
        (np.vstack([np.where(np.arange(4) == 2, np.nan, NUMBERS)] * 2), 100),  # gaps are equal
        (np.vstack([ONE, ONE[:12]]), 600),  # one column of measurements tells copies
        (np.vstack([NUMBERS, NUMBERS[:1]]), None),  # less than one percent
        (NUMBERS, None),
        (COARSE, None),  # equal by chance
        (np.repeat(np.eye(4), 50, axis=0), None),  # four distinct rows
        (np.repeat(RANDOM.integers(2, size=(8, 20)), 50, axis=0).astype(float), None),
    ],
)
def test_copies_are_told_from_rows_that_are_equal_by_chance(rows: np.ndarray, n_groups: int | None):
    found = group_copies(rows)

    if n_groups is None:
        assert found is None
    else:
        assert found is not None
        assert len(np.unique(found)) == n_groups
        for group in np.unique(found):
            np.testing.assert_array_equal(
                *np.broadcast_arrays(rows[found == group], rows[found == group][:1])
            )


def test_text_and_numbers_count_together():
    table = {"who": [f"P{at}" for at in range(50)] * 2, "n": [*range(50), *range(50)]}

    found = group_copies(table)
    assert found is not None
    assert (found[:50] == found[50:]).all()
    assert group_copies(table | {"n": list(range(100))}) is None


def test_folds_of_a_cross_validation_keep_groups_together_inside():
    """With random labels and six copies of each row, the lengths inside of folds were rated by copies."""
    x, y = np.repeat(NUMBERS, 6, axis=0), np.repeat(RANDOM.integers(2, size=100), 6)
    model = MuClassifier(random_state=0, epochs=20, restarts=2)

    scores = cross_explain(model, x, y, cv=2, groups=group_copies(x))
    assert (scores["literals"] == 0).all()
    assert (cross_explain(model, x, y, cv=2)["literals"] > 0).any()
