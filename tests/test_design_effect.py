"""How many rows some rows are worth that come in groups."""

from __future__ import annotations

import numpy as np
import pytest

from logiclens.metrics.agreement import wilson
from logiclens.metrics.design_effect import design_effect, grouped_share

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("rate", [0.0, 0.02, 0.4, 1.0])
@pytest.mark.parametrize("times", [2, 6, 40])
def test_copies_count_once(rate: float, times: int):
    right = np.arange(50) < 50 * rate
    found = grouped_share(np.repeat(right, times) * 1.0, np.ones(50 * times), np.repeat(np.arange(50), times))
    weighed = grouped_share(right * 1.0, np.full(50, float(times)), np.arange(50))

    assert found[0] == pytest.approx(rate)
    assert found[1] == pytest.approx(wilson(rate, 50))
    assert weighed[1] == pytest.approx(wilson(rate, 50))


def test_rows_of_groups_that_have_nothing_in_common_count_in_full():
    right = (RANDOM.random(3000) < 0.3) * 1.0
    rate, interval = grouped_share(right, np.ones(3000), np.repeat(np.arange(600), 5))

    assert interval == pytest.approx(wilson(rate, 3000), abs=0.004)


def test_rows_of_weight_zero_and_groups_without_rows_say_nothing():
    groups = np.array([0, 0, 5, 5, 9])
    one = grouped_share(np.array([1.0, 0, 1, 1, 0]), np.array([1.0, 1, 1, 1, 0]), groups)

    assert one == grouped_share(np.array([1.0, 0, 1, 1]), np.ones(4), groups[:4])
    assert grouped_share(np.zeros(2), np.zeros(2), np.arange(2))[1] == (0.0, 1.0)
    assert design_effect(4.0, 4.0, 4.0, 4.0, 4.0) == 1.0


@pytest.mark.parametrize(("n_groups", "size", "least"), [(60, 5, 0.93), (12, 10, 0.9)])
def test_intervals_cover_what_is_true(n_groups: int, size: int, least: float):
    """Rows of a patient are right or wrong together, mostly; rows by themselves were far too sure."""
    groups, covered = np.repeat(np.arange(n_groups), size), 0
    for _ in range(300):
        patient = np.repeat(RANDOM.random(n_groups) < 0.7, size)
        own = RANDOM.random(n_groups * size) < 0.7
        right = np.where(RANDOM.random(n_groups * size) < 0.8, patient, own) * 1.0
        low, high = grouped_share(right, np.ones(len(right)), groups)[1]
        covered += low <= 0.7 <= high

    assert covered >= least * 300
