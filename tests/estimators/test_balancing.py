"""What a row of a target counts against a row of the rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.estimators.balancing import COUNTED, EVEN, Balance
from logiclens.logic.beam import RARE

weights = st.floats(0.5, 1e6)
powers = st.floats(0.0, 1.0)


@given(weights, weights)
def test_rows_are_counted_or_made_even(yes, no):
    assert COUNTED.factor(yes, no) == 1.0
    assert EVEN.factor(yes, no) * yes == pytest.approx(no)


@given(weights, weights, powers, powers)
def test_target_and_rest_are_treated_alike(yes, no, power, rare):
    balance = Balance(power, rare)

    assert balance.factor(yes, no) * balance.factor(no, yes) == pytest.approx(1.0)


@given(st.floats(1 / RARE, RARE), powers)
def test_what_is_not_rare_is_left_to_the_first_power(ratio, power):
    assert Balance(power, 0.7).factor(1.0, ratio) == pytest.approx(Balance(power).factor(1.0, ratio))


def test_what_is_rarer_counts_more():
    factors = Balance(0.05, 0.3).factor([1.0, 1.0, 1.0], [RARE, 2 * RARE, 20 * RARE])

    assert factors.tolist() == pytest.approx([RARE**0.05, RARE**0.05 * 2**0.3, RARE**0.05 * 20**0.3])
    assert (np.diff(factors) > 0).all()


def test_nothing_of_either_leaves_rows_as_they_are():
    assert EVEN.factor([0.0, 3.0], [3.0, 0.0]).tolist() == [1.0, 1.0]


@given(st.integers(1, 40), st.integers(1, 40), powers, powers)
def test_rows_weigh_as_much_as_before_and_a_class_as_its_complement(yes, no, power, rare):
    truth, weight = np.repeat([1.0, 0.0], [yes, no]), np.full(yes + no, 0.7)
    counts = Balance(power, rare).of_rows(truth, weight)

    assert weight @ counts == pytest.approx(weight.sum())
    assert Balance(power, rare).of_rows(1.0 - truth, weight) == pytest.approx(counts)


def test_rows_of_a_target():
    truth, weight = np.array([1.0, 0.0, 0.5, 0.0]), np.array([1.0, 1.0, 0.0, 2.0])

    assert EVEN.of_rows(truth, weight).tolist() == pytest.approx([2.0, 2 / 3, 4 / 3, 2 / 3])
    assert COUNTED.of_rows(truth, weight).tolist() == [1.0] * 4
    assert EVEN.of_rows(np.ones(4), weight).tolist() == [1.0] * 4
