"""Concepts that matter together are found among many others, no more of them than are asked for."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from logiclens.estimators.inputs import read_concepts
from logiclens.estimators.searching import LONGEST, concepts_of_formulas
from logiclens.estimators.targets import read_targets
from logiclens.estimators.validation import fit_parts
from tests.estimators.toys import hidden_together, quick


def asked(x: np.ndarray, y: np.ndarray, most: int, **settings: int) -> list[list[int]]:
    """Concepts of each column of labels, all rows alike."""
    yes = np.atleast_2d(y.T).astype(float)
    return [
        np.flatnonzero(kept).tolist() for kept in concepts_of_formulas(x, yes, 1.0 - yes, most, **settings)
    ]


@pytest.mark.parametrize("seed", range(3))
def test_a_long_conjunction_is_found_behind_decoys(seed):
    """That the norms of a network miss it: tests of fitting."""
    x, y = hidden_together(seed)

    assert asked(x, y, 5) == [[0, 1, 2, 3, 4]]


def test_each_output_has_concepts_of_its_own():
    x, y = hidden_together(0)
    other = (x[:, 12] > 0.5) & (x[:, 30] < 0.5)
    nothing = np.zeros(len(x))

    assert asked(x, np.column_stack([other, nothing, y]), 5) == [[12, 30], [], [0, 1, 2, 3, 4]]


@pytest.mark.parametrize("most", [1, 2, 4])
def test_no_more_concepts_than_are_allowed(most):
    """A longer formula would be better; the best of those that are short enough is taken."""
    rng = np.random.default_rng(0)
    x = (rng.random((1200, 20)) < 0.5).astype(float)
    y = (x[:, 3] + x[:, 5] + x[:, 8] + x[:, 13] + x[:, 19]) > 2.5
    (kept,) = asked(x, y, most)

    assert len(kept) == most
    assert set(kept) <= {3, 5, 8, 13, 19}


def test_no_more_literals_than_are_allowed():
    x, y = hidden_together(0)

    assert len(asked(x, y, 40, longest=2)[0]) <= 2
    assert len(asked(x, y, 40)[0]) <= LONGEST


def test_nothing_where_nothing_is_better_than_no():
    """Neither where there is no yes, nor where a yes is rare whatever the concepts are."""
    x = np.tile([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], (10, 1))
    rare = np.arange(40) < 4

    assert asked(x, np.zeros(40), 2) == [[]]
    assert asked(x, rare, 2) == [[]]


def test_weights_say_what_a_row_counts():
    """Of rows that are yes and no at once, the heavier answer counts."""
    x = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    yes, no = np.array([[3.0, 1.0, 1.0]]), np.array([[1.0, 2.0, 2.0]])

    assert concepts_of_formulas(x, yes, no, most=1).tolist() == [[True, False]]
    assert concepts_of_formulas(x, yes * [1, 4, 1], no, most=1).tolist() == [[False, True]]


def test_rows_without_weight_say_nothing():
    x, y = hidden_together(1)
    held = np.arange(len(x)) % 3 == 0
    yes = np.where(held, 0.0, y)[None]
    no = np.where(held, 0.0, 1.0 - y)[None]
    upside_down = np.where(held, 1.0 - x.T, x.T).T

    assert (concepts_of_formulas(x, yes, no, 5) == concepts_of_formulas(upside_down, yes, no, 5)).all()


def test_degrees_of_truth_are_true_above_one_half():
    x, y = hidden_together(2)
    degrees = np.where(x > 0.5, 0.51, 0.5)

    assert asked(degrees, y, 5) == asked(x, y, 5)


def test_a_fit_searches_as_a_fold_of_a_cross_validation_does():
    x, y = hidden_together(2)
    labels = y.astype(int)
    searching = quick("mu", candidates=2, restarts=2, max_concepts=5, epochs=60)
    (part,) = fit_parts(clone(searching), x, read_targets(labels, len(x)), [np.ones(len(x))])
    rules = searching.fit(x, labels).explain()

    assert set(rules[1].concepts) == {f"x{j}" for j in range(5)}
    assert rules.formulas == part.rules.formulas


def test_priors_are_not_searched_past():
    """What they tell is more than the rows do, so no network is chosen by a formula of the rows alone."""
    recipe = quick("mu").recipe(read_concepts(hidden_together(0)[0]))

    assert recipe.telling(0).population.searches
    assert not recipe.telling(3).population.searches
