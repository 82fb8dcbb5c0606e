"""Two ways to answer, compared on the same rows."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError
from logiclens.metrics.paired import Lead

COUNTS = st.integers(0, 60)


@given(COUNTS, COUNTS)
def test_the_test_is_the_exact_sign_test(wins: int, losses: int):
    n = wins + losses
    tail = sum(comb(n, k) for k in range(wins, n + 1)) / 2**n

    assert Lead(n + 5, wins, losses).p_value == pytest.approx(tail)


@given(COUNTS, COUNTS, COUNTS)
def test_the_interval_holds_the_size(wins: int, losses: int, others: int):
    lead = Lead(wins + losses + others, wins, losses)
    low, high = lead.interval

    assert -1 <= low <= high <= 1
    if lead.n_rows >= 10:
        assert low <= lead.size <= high


def test_answers_are_compared_row_by_row():
    first, second = np.array([True, True, False, True]), np.array([True, False, False, False])

    assert Lead.of_answers(first, second) == Lead(4, 2, 0)
    assert Lead(4, 2, 0) + Lead(6, 0, 1) == Lead(10, 2, 1)


def test_the_interval_covers_what_is_true():
    random = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        wins, losses, _ = random.multinomial(80, [0.25, 0.15, 0.6])
        low, high = Lead(80, wins, losses).interval
        covered += low <= 0.1 <= high

    assert covered >= 0.93 * 400


def test_more_wins_than_rows_are_refused():
    with pytest.raises(InputError, match="wins and losses"):
        Lead(3, 2, 2)


def test_copies_count_once():
    random = np.random.default_rng(0)
    first, second = random.random(50) < 0.8, random.random(50) < 0.6
    copies = Lead.of_answers(np.repeat(first, 6), np.repeat(second, 6), groups=np.repeat(np.arange(50), 6))

    assert copies == Lead.of_answers(first, second)
    assert Lead.of_answers(first, second, groups=np.arange(50)) == Lead.of_answers(first, second)
