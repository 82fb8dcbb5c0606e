"""Concepts set by hand: how known values are read, what changes, and the curve."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from logiclens.errors import UnknownConceptError
from logiclens.pipelines import ConceptBottleneckClassifier, intervention_curve
from logiclens.pipelines.bottleneck import ORDERS
from logiclens.pipelines.intervention import Intervention, read_known
from tests.errors import error_of
from tests.pipelines.raw_toys import PLACES, plane, quick, sharp

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y, CONCEPTS = plane()
ROTATED = X[:, ::-1] * np.array([1, -1], dtype=np.float32)  # concepts are seen wrongly on these


@pytest.fixture(scope="module")
def model() -> ConceptBottleneckClassifier:
    return quick(sharp(), train_concepts=False).fit(X, Y, concept_names=PLACES)


# --- known values ---


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 0.25, 1.0, None])] * 2), min_size=1, max_size=6))
def test_known_values_in_any_form(rows):
    """Missing ones are NaN, None, masked or null."""
    expected = np.array([[np.nan if v is None else v for v in row] for row in rows])
    masked = np.ma.masked_invalid(expected)
    columns = {name: expected[:, j] for j, name in enumerate(PLACES)}
    forms = [
        expected,
        rows,
        masked,
        torch.from_numpy(expected),
        columns,
        {name: masked[:, j] for j, name in enumerate(PLACES)},
        pd.DataFrame(columns),
        pl.DataFrame({name: [row[j] for row in rows] for j, name in enumerate(PLACES)}).cast(pl.Float64),
    ]
    for form in forms:
        assert np.array_equal(read_known(form, PLACES, len(rows)), expected, equal_nan=True)


def test_some_concepts_one_value_for_all_rows():
    known = read_known({"up": True}, PLACES, 3)

    assert np.isnan(known[:, 0]).all()
    assert known[:, 1].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"up": 2}, "Known concept values lie in [0, 1]. Got 2; use 0 and 1."),
        ({"up": [1, 0]}, "Concept 'up' must have one value, or one for each of the 3 rows."),
        ([[1, 0]], "values must be a mapping from concept to value, or an array of shape (3, 2)."),
        (1, "values must be a mapping from concept to value, or an array of shape (3, 2). Got 1."),
        ({"up": "yes"}, "Concept 'up' must hold numbers. Got values of type <U3."),
    ],
)
def test_values_that_cannot_be_known(values, text):
    assert text in error_of(read_known, values, PLACES, 3)


def test_an_unknown_concept_is_named():
    with pytest.raises(UnknownConceptError, match="Unknown concept 'down'"):
        read_known({"down": 1}, PLACES, 3)


# --- one intervention ---


def test_what_is_not_known_is_left_to_the_concept_model(model):
    known = np.full((len(X), 2), np.nan)
    known[::2, 0] = 1.0
    change = model.intervene(X, known)

    assert np.array_equal(change.concepts_before, model.predict_concepts(X))
    assert np.array_equal(change.concepts_after[~change.known], change.concepts_before[~change.known])
    assert (change.concepts_after[change.known] == 1.0).all()
    assert change.known.sum() == len(X) / 2


def test_predictions_and_rules_follow(model):
    change = model.intervene(X, {"right": 1, "up": 1})
    moved = (Y == "not both").sum()

    assert (change.predictions_after == "both").all()
    assert change.changed.sum() == moved
    assert change.corrected.sum() == (CONCEPTS == 0).sum()
    assert change.fired_after.tolist() == [[True, False]] * len(X)
    assert (change.fired_before == (Y[:, None] == ["both", "not both"])).all()


def test_a_row_in_words(model):
    change = model.intervene([[1.0, -1.0], [1.0, 1.0]], {"up": [1, np.nan]})

    assert change.describe(0) == (
        "With 'up' from 0.00 to 1.00: 'not both' becomes 'both'; the rules of 'both' now fire; "
        "the rules of 'not both' no longer fire."
    )
    assert change.describe(1) == "Nothing was set: the prediction stays 'both'."
    assert repr(change) == (
        "Intervention(2 rows, 1 concept set, 1 value set to another truth, 1 prediction changed)"
    )
    assert error_of(change.describe, 2) == "row must be a number from 0 to 1. Got 2."
    assert error_of(change.describe, True) == "row must be a number from 0 to 1. Got True."


def test_only_concepts_that_changed_are_named(model):
    change = model.intervene([[1.0, -1.0], [1.0, 1.0]], {"right": 1, "up": 1})

    assert change.describe(0).startswith("With 'up' from 0.00 to 1.00: 'not both' becomes 'both'")
    assert change.describe(1) == "Nothing changed: the prediction stays 'both'."


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (0.2, 1.0, "from 0.20 to 1.00"),
        (0.998, 1.0, "from 0.9980 to 1.0000"),
        (0.5, 0.50001, "from 0.5 to 0.50001"),
    ],
)
def test_a_step_has_as_many_digits_as_it_takes(before, after, text):
    scores, known = np.array([[before, 1.0]]), np.array([[after, 1.0]])
    answer = np.array(["yes"]), np.array([[True]])
    change = Intervention.of(("a", "b"), ("yes",), scores, known, lambda _: answer)

    assert change.describe(0) == f"With 'a' {text}: the prediction stays 'yes'."


# --- the curve ---


@pytest.mark.parametrize("order", ORDERS)
def test_the_curve_runs_from_no_help_to_the_truth(model, order):
    curve = intervention_curve(model, ROTATED, Y, CONCEPTS, order=order, random_state=0)

    assert curve.order == order
    assert curve.n_corrected.tolist() == [0, 1, 2]
    assert curve.accuracy[0] == model.score(ROTATED, Y)
    assert curve.rules_accuracy[0] == model.explain().score(model.predict_concepts(ROTATED), Y)
    assert curve.accuracy[-1] == curve.rules_accuracy[-1] == 1.0
    assert curve.accuracy[0] < 0.9
    assert curve.to_dict() == {
        "order": order,
        "n_corrected": [0, 1, 2],
        "accuracy": curve.accuracy.tolist(),
        "rules_accuracy": curve.rules_accuracy.tolist(),
    }


def test_the_least_certain_concept_comes_first(model):
    points = np.array([[3.0, 0.01], [-0.01, 3.0]], dtype=np.float32)
    truth = np.array([[1.0, 0.0], [1.0, 1.0]])
    curve = intervention_curve(model, points, ["not both", "both"], truth, steps=[1])

    assert curve.accuracy.tolist() == [1.0]


def test_relevance_comes_before_certainty():
    """The second concept has no part in the class, however unsure its score is."""
    y = np.where(X[:, 0] > 0, "yes", "no")
    model = quick(sharp(), train_concepts=False).fit(X, y, concept_names=PLACES)
    points = np.array([[-3.0, 0.01]], dtype=np.float32)
    by_order = [
        intervention_curve(model, points, ["yes"], [[1, 1]], order=order, steps=[1]).accuracy[0]
        for order in ("relevance", "uncertainty")
    ]

    assert by_order == [1.0, 0.0]


def test_the_random_order_repeats_with_its_seed(model):
    one, same, other = (
        intervention_curve(model, ROTATED, Y, CONCEPTS, order="random", steps=[1], random_state=seed).accuracy
        for seed in (0, 0, 1)
    )

    assert one == same
    assert one != other


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"order": "best"}, "order must be one of 'uncertainty', 'relevance', 'random'. Got 'best'."),
        ({"steps": [-1]}, "steps must be whole numbers of at least 0. Got [-1]; write range(5)."),
        ({"steps": 0.5}, "steps must be whole numbers of at least 0. Got 0.5; write range(5)."),
        ({"concepts": CONCEPTS[:2]}, "concepts must have one row for each of the 160 rows of X."),
    ],
)
def test_a_curve_that_cannot_be_drawn(model, settings, text):
    assert text in error_of(intervention_curve, model, X, Y, **{"concepts": CONCEPTS} | settings)
