"""Which formula of a front is taken: literals that earn their reading, and leads that may be chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.explain.choosing import LITERAL_WORTH, STANDARD_ERRORS, USUAL, choose_point, reading_cost
from logiclens.explain.front import FrontPoint
from logiclens.logic import Var


def paired(right: np.ndarray) -> tuple[list[FrontPoint], np.ndarray]:
    """Front of formulas that are right on those rows, (n_points, n_rows), each longer than the one before."""
    scores = right.mean(axis=1)
    front = [FrontPoint(Var(f"f{at}"), at, 0.0, score) for at, score in enumerate(scores)]
    return front, (right - scores[:, None]) / right.shape[1]


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_standard_error_of_the_difference(corrected, spoiled, shared):
    """The shorter formula stays if and only if d is within the margin, whatever both get right."""
    n = corrected + spoiled + shared + 1
    short = np.arange(n) >= corrected
    long = (np.arange(n) < corrected + shared) | (np.arange(n) == n - 1)
    front, influence = paired(np.array([short, long]))
    d, q = (corrected - spoiled) / n, (corrected + spoiled) / n
    margin = STANDARD_ERRORS * np.sqrt(max(q - d * d, 0.0) / n) + LITERAL_WORTH

    if abs(d - margin) > 1e-9:
        assert choose_point(front, influence, np.ones(n)) == (1 if d > margin else 0)


@given(st.lists(st.floats(0.5, 1.0), min_size=1, max_size=20))
def test_every_literal_must_earn_its_reading(scores):
    """Without chance, none is worth more than the one that is taken: its score less what reading it costs."""
    front = [FrontPoint(Var(f"f{at}"), at, 0.0, score) for at, score in enumerate(scores)]
    value = scores - LITERAL_WORTH * reading_cost(np.arange(len(scores)))

    taken = choose_point(front, np.zeros((len(scores), 1)), np.ones(1))

    assert value[taken] == pytest.approx(max(value), abs=1e-9)


def test_a_literal_costs_the_more_the_longer_the_formula_up_to_twice():
    further = np.diff(reading_cost(np.arange(40)))

    assert (np.diff(further) >= 0).all()
    assert further[:USUAL].tolist() == [1.0] * USUAL
    assert further[2 * USUAL :].tolist() == pytest.approx([2.0] * (39 - 2 * USUAL))


def test_what_a_long_formula_gains_makes_no_shorter_one_worse():
    """A formula that is not worth its length changes nothing about the others."""
    front = [FrontPoint(Var(f"f{n}"), n, 0.0, score) for n, score in ((1, 0.81), (4, 0.84), (32, 0.86))]

    assert choose_point(front, np.zeros((3, 1)), np.ones(1)) == 1
    assert choose_point(front[:2], np.zeros((2, 1)), np.ones(1)) == 1


def test_weights_are_as_good_as_repeated_rows():
    right = np.array([[True, True, False, False], [True, False, True, True]])
    weight = np.array([50, 8, 9, 4])
    repeated = np.repeat(right, weight, axis=1)
    front, influence = paired(repeated)
    scores = repeated.mean(axis=1)

    weighted = choose_point(front, (right - scores[:, None]) / weight.sum(), weight.astype(float))

    assert weighted == choose_point(front, influence, np.ones(weight.sum()))
