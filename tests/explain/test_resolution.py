"""How many rows each step decides."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from logiclens.explain import Resolution

LABELS = ["x", "y", "z"]


@given(st.lists(st.integers(0, 3), max_size=8))
def test_every_row_is_decided_once(places):
    found = Resolution.of_list(np.array(places, dtype=np.intp), LABELS)

    assert found.n_rows == len(places)
    assert found.by_label == {label: places.count(at) for at, label in enumerate(LABELS)}
    assert found.n_uncovered == places.count(3)
    assert found.n_decided == sum(found.by_label.values())


@given(st.lists(st.tuples(*[st.booleans()] * 3), max_size=8))
def test_rows_of_several_labels_are_counted_for_each(rows):
    found = Resolution.of_rules(np.array(rows, dtype=bool).reshape(len(rows), 3), LABELS)

    assert found.by_label == {label: sum(row[at] for row in rows) for at, label in enumerate(LABELS)}
    assert found.n_uncovered == sum(not any(row) for row in rows)
    assert found.n_rows == len(rows) == found.n_decided + found.n_uncovered


def test_a_list_without_steps_leaves_all_to_the_default():
    assert Resolution.of_list(np.zeros(3, dtype=np.intp), []) == Resolution(3, {}, 3)
