"""How figures are printed."""

from __future__ import annotations

import math

import pytest

from logiclens.bench.measures import FOUR, MEASURES, figure, three_digits
from logiclens.bench.published import Published
from logiclens.bench.scoreboard import Mean


@pytest.mark.parametrize(
    ("mean", "column", "text"),
    [
        (Mean(0.98765, 0.0123, 10, 10), "fidelity", "98.77±1.23"),
        (Mean(7.0, math.nan, 1, 1), "complexity", "7.00"),
        (Mean(0.0312345, 0.00123, 10, 10), "seconds", "0.0312±0.0012"),
        (Mean(4321.4, math.nan, 1, 1), "seconds", "4321"),
        (Mean(2.5, 0.0, 5, 5), "seconds", "2.5"),
        (Published(0.4049, math.nan), "fidelity", "40.49"),
    ],
)
def test_means_and_errors(mean: Mean, column: str, text: str):
    assert figure(mean, MEASURES[column]) == text


def test_the_four_are_measures():
    assert all(column in MEASURES for column in FOUR)
    assert three_digits(99.96) == "100"
