"""Which columns can be used, and what is said of them."""

from __future__ import annotations

from typing import Any

import pytest

from logiclens.cli.looking import look_at, of_some_rows, spellings
from logiclens.concepts import Table

DATES = "holds dates or times written as text. Turn it into a number such as the age in days"


def why(values: list[Any]) -> str:
    return look_at(Table({"c": values}), "c")[0]


@pytest.mark.parametrize(
    "form",
    [
        "2023-04-{:02}",
        "2023-04-{:02} 12:00",
        "2023-04-{:02}T12:00:30Z",
        "2023/04/{:02}",
        "{:02}.04.2023",
        "{}.4.2023",
        "{:02}.04.23",
        "{:02}.04.2023 12:00",
        "04/{:02}/2023",
        "4/{}/23",
        "{:02}-04-2023",
        "{} Apr 2023",
        "{}. April 2023",
        "April {}, 2023",
    ],
)
def test_dates_are_dates_however_they_are_written(form: str):
    assert why([form.format(1 + at % 28) for at in range(100)]) == DATES


@pytest.mark.parametrize("form", ["1.2.{}", "{}/3", "3-{}", "{}:30"])
def test_versions_shares_and_ranges_are_no_dates(form: str):
    assert why([form.format(1 + at % 8) for at in range(100)]) == ""


def test_rows_without_a_value_are_counted_too():
    assert (
        why([*(f"P{at}" for at in range(97)), None, None, None])
        == "an identifier: 97 values in 97 of 100 rows"
    )
    assert why([f"P{at}" for at in range(97)]) == "an identifier: 97 values in 97 rows"


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("", ""),
        ("constant", "constant in the rows it was learned from"),
        (
            "too many values: 280 in 294 rows, none in 1% of them",
            "too many values: 280 in 294 of the rows it was learned from, none in 1% of them",
        ),
        (
            "an identifier: 97 values in 97 of 100 rows",
            "an identifier: 97 values in 97 of the rows it was learned from",
        ),
        ("holds dates. Drop it", "holds dates in the rows it was learned from. Drop it"),
    ],
)
def test_a_reason_says_which_rows_it_is_about(reason: str, told: str):
    assert of_some_rows(reason) == told


@pytest.mark.parametrize(
    ("values", "note"),
    [
        (["Male", "male", "female"], "capitals: 'Male', 'male'"),
        (["New York", "NewYork", "Rome"], "blanks: 'New York', 'NewYork'"),
        (["a b", "AB"], "capitals or blanks: 'a b', 'AB'"),
        (["a", "A", "b", "B"], "capitals: 'a', 'A'; 'b', 'B'"),
        (list("aAbBcCdD"), "capitals: 'a', 'A'; 'b', 'B'; 'c', 'C'; and so on"),
    ],
)
def test_spellings_that_differ_in_little(values: list[str], note: str):
    assert spellings(Table({"sex": values}).column("sex")) == [
        f"Column 'sex' has values that differ only in {note}. They count as different."
    ]


@pytest.mark.parametrize("values", [["Male", "Female"], [1, 2], [True, False], [None, None], ["a", 1]])
def test_other_values_get_no_remark(values: list[Any]):
    assert spellings(Table({"sex": values}).column("sex")) == []
