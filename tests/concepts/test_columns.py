from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from logiclens.concepts._columns import (
    ColumnSettings,
    Evidence,
    Reading,
    class_codes,
    look_at,
    read_column,
    read_targets,
    spelling_remark,
)
from logiclens.concepts.concept import Above, AtMost, Between, Flag, Missing, OneOf
from logiclens.concepts.table import Table
from tests.errors import error_of

RECIPE = ColumnSettings("quantile", {}, 2, 12, 0.01, False, False)
IMPUTE = replace(RECIPE, impute=True)


def read(values: object, recipe: ColumnSettings = RECIPE, name: str = "c", **evidence: object) -> Reading:
    column = Table({name: values}).column(name)
    weights = evidence.pop("weights", np.ones(len(column)))
    return read_column(column, recipe, Evidence(weights, **evidence))


def texts(n: int) -> list[str]:
    return [f"v{number}" for number in range(n)]


# --- yes and no ---


@pytest.mark.parametrize(
    ("values", "concept"),
    [
        ([True, False], Flag("c")),
        ([0, 1, 1], Flag("c", numeric=True)),
        ([0.0, 1.0], Flag("c", numeric=True)),
        ([1, 2, 2], OneOf("c", (2,))),
        ([-1, 1], OneOf("c", (1,))),
        ([0.5, 0.25], Above("c", 0.4)),
    ],
)
def test_two_values_are_one_concept(values, concept):
    assert read(values).concepts == (concept,)


@pytest.mark.parametrize(
    ("values", "value"),
    [
        (["yes", "no", "yes"], "yes"),
        (["No", "YES", "No"], "YES"),
        (["t", "f", "t"], "t"),
        (["a", "b", "a"], "b"),
        (["b", "a", "b"], "a"),
        (["b", "a"], "b"),
        (pd.Series(pd.Categorical([7, 8, 7])), 8),
    ],
)
def test_of_two_texts_the_telling_one(values, value):
    """Yes rather than no; else the rarer."""
    assert read(values).concepts == (OneOf("c", (value,)),)


# --- numbers ---


def test_numbers_are_cut():
    assert read([*range(9)]).concepts == (Above("c", 2), Above("c", 5))


def test_intervals_exclude_each_other():
    recipe = replace(RECIPE, intervals=True)

    assert read([*range(9)], recipe).concepts == (AtMost("c", 2), Between("c", 2, 5), Above("c", 5))
    assert read([*range(9)], replace(recipe, max_cuts=1)).concepts == (Above("c", 3),)


def test_a_column_without_any_cut_is_cut_at_its_median():
    everyone = np.ones(4, dtype=bool)
    recipe = replace(RECIPE, cuts="reference")

    assert read([1, 2, 3, 4], recipe, is_reference=everyone).concepts[0].column == "c"
    assert read([0] * 199 + [1, 2]).concepts == (Above("c", 0),)
    noise = np.random.default_rng(0).integers(0, 2, (60, 1))
    assert read(np.arange(20, 80), replace(RECIPE, cuts="supervised"), codes=noise).concepts == (
        Above("c", 49),
    )


# --- text ---


def test_common_values_have_concepts_the_most_common_first():
    values = ["b"] * 50 + ["a"] * 50 + ["c"] * 99 + ["rare"]

    assert read(values).concepts == tuple(OneOf("c", (value,)) for value in "cab")


def test_there_are_at_most_so_many():
    values = ["b"] * 3 + ["a"] * 2 + ["c"]

    assert read(values, replace(RECIPE, max_categories=2)).concepts == (
        OneOf("c", ("b",)),
        OneOf("c", ("a",)),
    )


def test_a_rare_value_that_tells_the_classes_apart_has_a_concept():
    values = ["a"] * 1000 + ["b"] * 980 + ["rare"] * 20 + ["odd"] * 3
    codes = np.array([[value == "rare"] for value in values]).astype(int)
    recipe = replace(RECIPE, min_share=0.05, cuts="supervised")
    names = [concept.values[0] for concept in read(values, recipe, codes=codes).concepts]

    assert names == ["a", "b", "rare"]
    assert len(read(values, replace(recipe, cuts="quantile"), codes=codes).concepts) == 2


def test_of_too_many_values_those_that_tell_the_classes_apart():
    values = ["a"] * 40 + ["b"] * 30 + ["c"] * 20
    codes = np.array([[value == "c"] for value in values]).astype(int)
    recipe = replace(RECIPE, max_categories=1, cuts="supervised")

    assert read(values, recipe, codes=codes).concepts == (OneOf("c", ("c",)),)
    assert read(values, recipe).concepts == (OneOf("c", ("a",)),)


def test_numbers_and_text_in_one_column():
    assert read([1, "a", 1, "b"]).concepts == (OneOf("c", (1,)), OneOf("c", ("a",)), OneOf("c", ("b",)))


def test_numbers_written_as_text_are_remarked_on():
    assert read(["3.5", "4", "4", "5"]).note == "numbers written as text"
    assert read(["1,234.50", "83", "-12,000"]).note == "numbers written as text"
    assert read(["3.5", "4", "4", "x"]).note == ""
    assert read(["1,2", "3,4", "3,4"]).note == ""


# --- missing values ---


@pytest.mark.parametrize("values", [[True, False, None], [1, 2, 3, None], ["a", "b", "c", None]])
def test_missing_values_are_a_concept(values):
    *others, last = read(values).concepts

    assert last == Missing("c")
    assert others
    assert not any(concept.if_missing for concept in others)


@pytest.mark.parametrize(
    ("values", "concepts"),
    [
        ([True, True, False, None], (Flag("c", False, True),)),
        ([1, 0, 0, None], (Flag("c", True, False),)),
        ([2, 2, 1, None], (OneOf("c", (2,), True),)),
        ([*range(9), None], (Above("c", 2, True), Above("c", 5, False))),
        (["a", "a", "b", "c", None], (OneOf("c", ("a",), True), OneOf("c", ("b",)), OneOf("c", ("c",)))),
    ],
)
def test_missing_values_are_as_the_usual_one(values, concepts):
    assert read(values, IMPUTE).concepts == concepts


def test_imputed_intervals():
    recipe = replace(IMPUTE, intervals=True)

    assert [concept.if_missing for concept in read([*range(9), None], recipe).concepts] == [
        False,
        True,
        False,
    ]


def test_the_share_of_missing_values_is_weighted():
    assert read([1, 2, 3, None], weights=np.array([1.0, 1.0, 1.0, 3.0])).missing == 0.5


# --- dropped ---


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([None, None], "all values missing"),
        ([3, 3], "constant"),
        (np.array([2**63, 2**63 + 1, 2**63 + 2], dtype=np.uint64), "constant"),  # as floats
        (["a", "a"], "constant"),
        ([False, False], "constant"),
        (texts(21), "an identifier: 21 values in 21 rows"),
        ([*texts(21), None], "an identifier: 21 values in 21 rows"),
        ([str(n) for n in range(21)], "an identifier: 21 values in 21 rows (numbers written as text)"),
        (texts(200) * 2, "too many different values: 200 in 400 rows, each in less than 1% of them"),
    ],
)
def test_columns_that_say_nothing(values, reason):
    reading = read(values)

    assert (reading.concepts, str(reading.reason)) == ((), reason)


@pytest.mark.parametrize(
    "name", ["id", "ID", "Id", "patient_id", "patient ID", "patientId", "patientID", "x.id"]
)
def test_numbers_may_be_identifiers_by_name(name):
    assert str(read([*range(30)], name=name).reason) == "an identifier: 30 values in 30 rows"


@pytest.mark.parametrize("name", ["paid", "humid", "ids", "acid", "GRID", "width"])
def test_most_numbers_are_no_identifiers(name):
    assert read([*range(30)][::-1], name=name).concepts


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("kind", [int, float])
def test_the_numbers_of_the_rows_are_no_concepts(first, kind):
    numbers = [kind(number + first) for number in range(30)]

    assert str(read(numbers).reason) == f"row numbers from {first}"
    assert read(numbers[:20]).concepts
    assert read([*numbers[:-1], None]).concepts
    assert read([*numbers[1:], numbers[0]]).concepts
    assert read([number + 2 for number in numbers]).concepts
    assert read(numbers, replace(RECIPE, own_cuts={"c": [7]})).concepts == (Above("c", 7),)


@pytest.mark.parametrize("values", [[*range(40, 61)] * 3, texts(21) * 3], ids=["numbers", "text"])
def test_identifiers_by_name_may_repeat(values):
    assert str(read(values, name="patient_id").reason) == "an identifier: 21 values in 63 rows"
    assert read(values, name="patient").concepts


@pytest.mark.parametrize(
    "values",
    [[n + 0.5 for n in range(30)], [*range(20)] * 2, [*range(20)]],
    ids=["fractions", "few that repeat", "few"],
)
def test_numbers_called_id_that_are_none(values):
    assert read(values, name="id").concepts


@pytest.mark.parametrize(
    ("values", "note"),
    [
        (["a", None], "constant"),
        (
            [*texts(200), *texts(200), None],
            "too many different values: 200 in 401 rows, each in less than 1% of them",
        ),
    ],
)
def test_what_is_missing_may_be_all_there_is_to_say(values, note):
    reading = read(values)

    assert (reading.concepts, reading.reason, reading.note) == ((Missing("c"),), None, note)
    assert read(values, IMPUTE).concepts == ()


# --- refused ---


def test_dates_are_refused():
    assert error_of(read, [datetime.date(2020, 1, 31), None]) == (
        "Column 'c' holds dates or times, which are no concepts. "
        "Name it with --date (types= in Python) to use its year, month, weekday and days, or drop it."
    )


@pytest.mark.parametrize("date", ["2020-01-31", "2020-01-31T12:30:00Z", " 2020-01-31 12:30 "])
def test_dates_written_as_text_are_refused(date):
    assert error_of(read, [date, "2021-12-01", None, "unknown"]) == (
        "Column 'c' holds dates or times written as text, which are no concepts. "
        "Name it with --date (types= in Python) to use its year, month, weekday and days, or drop it."
    )
    assert read([date, "unknown", "2020-13-01", "2020-01"]).concepts


def test_free_text_is_refused():
    notes = [f"The patient was seen on day {n} and sent home again" for n in range(30)]

    assert error_of(read, [*notes, None]) == (
        "Column 'c' holds free text: 30 different texts in 31 rows. Turn it into categories, or drop it."
    )
    assert read(notes[:3] * 20).concepts
    assert read(notes[:20]).concepts


def test_other_values_are_refused():
    assert error_of(read, [b"a", frozenset()]) == (
        "Column 'c' has values of type bytes, frozenset. "
        "Make columns of numbers or text of what is inside, or drop it."
    )
    assert error_of(read, np.array([1j, 2])) == (
        "Complex data not supported. Column 'c' has complex numbers; split it."
    )


def test_ties_do_not_depend_on_the_order_of_the_rows():
    texts = ["b", "a", "d", "c"] * 10
    recipe = ColumnSettings("quantile", {}, 4, 2, 0.01, False, False)

    readings = [
        read_column(Table({"x": column}).column("x"), recipe, Evidence(np.ones(40)))
        for column in (texts, texts[::-1])
    ]

    assert [concept.name for concept in readings[0].concepts] == ["x = a", "x = b"]
    assert readings[0].concepts == readings[1].concepts


DATES = (
    "holds dates or times written as text. Name it with --date (types= in Python) to use its "
    "year, month, weekday and days"
)


def why(values: list[Any]) -> str:
    return str(look_at(Table({"c": values}).column("c")).reason or "")


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
    assert spelling_remark(Table({"sex": values}).column("sex")) == (
        f"Column 'sex' has values that differ only in {note}. They count as different."
    )


@pytest.mark.parametrize("values", [["Male", "Female"], [1, 2], [True, False], [None, None], ["a", 1]])
def test_other_values_get_no_remark(values: list[Any]):
    assert spelling_remark(Table({"sex": values}).column("sex")) == ""


def codes(y: object, n_rows: int) -> list[list[int]]:
    found = class_codes(read_targets(y, n_rows))
    assert found is not None
    return found.tolist()


@pytest.mark.parametrize(
    "y",
    [
        ["ill", "well", "ill"],
        np.array(["ill", "well", "ill"]),
        pd.Series(["ill", "well", "ill"], index=[7, 7, 7]),
        pl.Series(["ill", "well", "ill"]),
        pd.DataFrame({"outcome": ["ill", "well", "ill"]}),
        [["ill"], ["well"], ["ill"]],
        [False, True, False],
        [1, 2, 1],
        np.array([0.5, 1.5, 0.5]),
        ["1", 2, "1"],
    ],
    ids=str,
)
def test_labels_of_one_output(y):
    assert codes(y, 3) == [[0], [1], [0]]


def test_no_labels():
    assert read_targets(None, 3) == []
    assert class_codes([]) is None


@pytest.mark.parametrize(
    "make", [list, np.array, pd.DataFrame, lambda rows: pl.DataFrame(rows, ["a", "b"], orient="row")]
)
def test_labels_of_several_outputs(make):
    assert codes(make([[0, 1], [1, 1], [1, 0]]), 3) == [[0, 1], [1, 1], [1, 0]]


def test_scores_of_several_outputs_say_yes_above_one_half():
    assert codes([[0.2, 0.9], [0.7, 0.5]], 2) == [[0, 1], [1, 0]]


def test_measurements_are_cut_into_four():
    y = np.linspace(0.5, 99.7, 100)

    assert np.bincount(np.ravel(codes(y, 100))).tolist() == [25, 25, 25, 25]


def test_whole_numbers_are_labels_however_many():
    assert np.ravel(codes(np.arange(40.0), 40)).tolist() == [*range(40)]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 2], "y must have one value for each of the 3 rows."),
        (3, "y must have one value for each of the 3 rows."),
        ([1, None, 2], "y has 1 missing value, the first in row 1 (counted from"),
        ([[1], [1, 2], []], "y is not rectangular:"),
        (np.zeros((3, 0)), "y has no columns."),
        ([1.0, np.inf, 2.0], "Column 'y' has an infinite value (inf) in row 1"),
    ],
)
def test_what_is_no_label_is_refused(y, message):
    assert message in error_of(read_targets, y, 3)
