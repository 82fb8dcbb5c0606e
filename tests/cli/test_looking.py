"""What is said of columns that cannot be used."""

from __future__ import annotations

import pytest

from logiclens.cli.looking import LEARNED, reading_of
from logiclens.concepts import Table
from logiclens.errors import Reason


def test_rows_without_a_value_are_counted_too():
    some, every = ([*(f"P{at}" for at in range(97)), *gaps] for gaps in ([None] * 3, []))
    found = [reading_of(Table({"c": values}), "c")[1] for values in (some, every)]

    assert found == ["an identifier: 97 values in 97 of 100 rows", "an identifier: 97 values in 97 rows"]


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (Reason("constant"), "constant in the rows it was learned from"),
        (
            Reason("too many values: 280", 294, ", none in 1% of them"),
            "too many values: 280 in 294 of the rows it was learned from, none in 1% of them",
        ),
        (Reason("holds dates", remedy="Drop it"), "holds dates in the rows it was learned from. Drop it"),
    ],
)
def test_a_reason_says_which_rows_it_is_about(reason: Reason, said: str):
    assert reason.text(LEARNED) == said
