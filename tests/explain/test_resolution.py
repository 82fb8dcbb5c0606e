"""Rows of which several rules are true, or none."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from logiclens.explain import Resolution
from logiclens.explain.resolution import winners

TABLES = st.lists(st.tuples(*[st.booleans()] * 3), max_size=8).map(
    lambda rows: np.array(rows, dtype=bool).reshape(len(rows), 3)
)


@given(TABLES, st.booleans())
def test_every_row_is_counted_once(fired, multi_label):
    found = Resolution.of(fired, multi_label)

    assert found.n_rows == found.n_decided + found.n_conflicts + found.n_uncovered == len(fired)
    assert found.n_uncovered == sum(not row.any() for row in fired)
    assert found.n_conflicts == (0 if multi_label else sum(row.sum() > 1 for row in fired))


@given(TABLES, st.lists(st.sampled_from([0.1, 0.5, 0.9]), min_size=3, max_size=3), st.integers(0, 2))
def test_the_highest_priority_wins_of_equals_the_first(fired, priority, fallback):
    expected = []
    for row in fired:
        candidates = [at for at in range(3) if row[at]]
        expected.append(max(candidates, key=lambda at: (priority[at], -at), default=fallback))

    assert winners(fired, priority, fallback).tolist() == expected
