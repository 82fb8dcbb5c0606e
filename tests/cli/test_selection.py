"""Which columns and classes of a table are used, and rows in memory."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.cli.options import Selection
from logiclens.cli.row_split import split
from logiclens.cli.selection import (
    TRAINING_ROWS,
    Dropped,
    class_labels,
    class_ranges,
    column_use,
    select_rows,
)
from logiclens.concepts import Table
from logiclens.errors import InputError, Reason
from logiclens.files import TableFile
from tests.cli.running import check_golden

N = 40


def source(**columns: Any) -> TableFile:
    return TableFile(pa.table(columns), "rows.csv", "ab12", ("A note.",))


def table(**more: Any) -> TableFile:
    columns = {
        "age": list(range(20, 20 + N)),
        "ward": ["ICU", "surgery"] * (N // 2),
        "risk": ["high", "low", "low", "low"] * (N // 4),
    }
    return source(**(columns | more))


def test_columns_and_rows_are_taken_as_they_are():
    found = select_rows(table(), Selection("risk"))

    assert found.inputs.column_names == ["age", "ward"]
    assert found.labels.tolist() == ["high", "low", "low", "low"] * (N // 4)
    assert (found.name, found.sha256, found.target) == ("rows.csv", "ab12", "risk")
    assert found.held_out.sum() == 12
    assert found.notes == ("A note.",)
    assert found.dropped == ()


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("country", ["Utopia"] * N, "constant"),
        ("gone", [None] * N, "all values missing"),
        ("patient", [f"P{at}" for at in range(N)], "an identifier: 40 values in 40 rows"),
        ("n", list(range(1, N + 1)), "row numbers from 1"),
        (
            "day",
            [datetime.date(2025, 1, 1 + at % 28) for at in range(N)],
            "holds dates or times. Name it with --date (types= in Python) to use its year, month, weekday "
            "and days",
        ),
        (
            "when",
            [f"2025-01-{1 + at % 28:02}" for at in range(N)],
            "holds dates or times written as text. Name it with --date (types= in Python) to use its "
            "year, month, weekday and days",
        ),
        (
            "note",
            [f"the patient was seen on ward {at}" for at in range(N // 2)]
            + [f"he came to us at {at} h" for at in range(N // 2)],
            "holds free text: 40 different texts in 40 rows. Turn it into categories",
        ),
        (
            "list",
            [[at] for at in range(N)],
            "has values of type list. Make columns of numbers or text of what is inside",
        ),
        (
            "ratio",
            [float("inf")] + [1.5, 2.5, 3.5] * (N // 3),
            "has an infinite value (inf) in row 0 (counted from 0). Replace it by a number, or by NaN if it "
            "is missing",
        ),
    ],
)
def test_what_cannot_be_used_is_left_out_and_the_reason_given(name: str, values: list[Any], why: str):
    found = select_rows(table(**{name: values}), Selection("risk"))

    assert found.dropped == (Dropped(name, why),)
    assert found.inputs.column_names == ["age", "ward"]


def test_numbers_written_as_text_get_a_note():
    found = select_rows(table(price=["1,000", "2,000"] * (N // 2)), Selection("risk"))

    assert found.notes[1:] == (
        "Column 'price' has numbers written as text: see --decimal, or remove thousands signs.",
    )
    assert "price" in found.inputs.column_names


def test_spellings_of_a_used_column_and_of_the_target_get_a_note():
    found = select_rows(
        table(
            sex=["Male", "male", "Female", "Female"] * (N // 4),
            risk=["High", "high", "low", "low"] * (N // 4),
            name=[f"{'Pp'[at % 2]}{at // 2}" for at in range(N)],
        ),
        Selection("risk"),
    )

    assert found.notes[1:] == (
        "Column 'risk' has values that differ only in capitals: 'High', 'high'. They count as different.",
        "Column 'sex' has values that differ only in capitals: 'Male', 'male'. They count as different.",
    )
    assert [each.name for each in found.dropped] == ["name"]


def test_reasons_count_all_rows_of_the_table():
    """Also where rows are left out or drawn; what only those kept show is said of them."""
    found = select_rows(
        table(
            patient=[f"P{at}" for at in range(N)],
            late=[*["a"] * (N - 1), "b"],
            risk=[*["high", "low", "low"] * 13, None],
        ),
        Selection("risk"),
    )

    assert found.dropped == (
        Dropped("patient", "an identifier: 40 values in 40 rows"),
        Dropped("late", "constant in the training rows"),
    )


def test_rows_without_a_target_are_left_out():
    risk = [None, *["high", "low", "low"] * 13]
    found = select_rows(table(risk=risk), Selection("risk"))

    assert found.notes[1:] == ("1 row without a value of 'risk' left out.",)
    assert found.inputs["age"].to_pylist() == list(range(21, 20 + N))
    assert found.kept.tolist() == list(range(1, N))
    assert len(found.labels) == N - 1


def test_a_class_of_one_row_is_learned_and_not_scored():
    found = select_rows(table(risk=["odd", *["high", "low", "low"] * 13]), Selection("risk"))

    assert found.notes[1:] == ("The class 'odd' has a single row: it is learned, and not scored.",)
    assert not found.held_out[0]


def test_columns_are_chosen_by_name():
    wide = table(**{"height, in cm": list(range(N, 0, -1)), "sex": ["m", "f"] * (N // 2)})

    assert select_rows(wide, Selection("risk", use=["sex", "height, in cm"])).inputs.column_names == [
        "sex",
        "height, in cm",
    ]
    assert select_rows(wide, Selection("risk", use=["age, risk"])).inputs.column_names == ["age"]
    found = select_rows(wide, Selection("risk", ignore=["height, in cm", "sex,ward"]))
    assert found.inputs.column_names == ["age"]
    assert [each.why for each in found.dropped] == ["left out by --ignore"] * 3


def test_some_rows_are_drawn_the_same_every_time():
    one, other = (select_rows(table(), Selection("risk", max_rows=20)) for _ in range(2))

    assert len(one.labels) == 20
    assert one.kept.tolist() == other.kept.tolist() == sorted(one.kept)
    assert one.notes[1:] == ("20 of 40 rows taken, drawn at random.",)
    assert select_rows(table(), Selection("risk", max_rows=20, seed=1)).kept.tolist() != one.kept.tolist()


def test_a_column_apart_is_no_input():
    found = select_rows(table(), Selection("risk", apart=["ward"]))

    assert found.inputs.column_names == ["age"]
    assert found.apart["ward"].tolist() == ["ICU", "surgery"] * (N // 2)


def test_without_a_target_all_rows_are_taken():
    found = select_rows(table(), Selection(None, holdout=0.0))

    assert found.inputs.column_names == ["age", "ward", "risk"]
    assert found.scored.all()


REFUSED: list[tuple[dict[str, Any], Selection]] = [
    ({}, Selection("rsk")),
    ({}, Selection("risk", use=["agee"])),
    ({}, Selection("risk", ignore=["age", "ward"])),
    ({"risk": ["low"] * N}, Selection("risk")),
    ({"risk": [None] * N}, Selection("risk")),
    ({}, Selection("age")),
    ({"risk": [f"r{at}" for at in range(N)]}, Selection("risk")),
    ({"risk": [datetime.date(2025, 1, 1 + at % 28) for at in range(N)]}, Selection("risk")),
    ({}, Selection("risk", above=3)),
    ({}, Selection("age", above=100)),
    ({}, Selection("age", above=10)),
    ({"age": [1] * N, "ward": ["a"] * N}, Selection("risk")),
    ({"age": [1] * N}, Selection("risk", use=["age"])),
    ({"risk": ["low"] * (N - 1) + ["high"]}, Selection("risk", max_rows=2)),
]


def test_what_cannot_be_explained_is_refused_in_one_line():
    """The golden file has a line for each."""
    lines = []
    for columns, wish in REFUSED:
        with pytest.raises(InputError) as info:
            select_rows(table(**columns), wish)
        lines.append(f"{info.value}\n")

    check_golden("refused_tables.txt", "".join(lines))


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([True, False, None], [True, False]),
        ([0, 1, None], [0, 1]),
        ([0.0, 1.0, None], [0, 1]),
        ([0.5, 1.0, None], ["0.5", "1"]),
        (["a", "b", None], ["a", "b"]),
    ],
)
def test_labels_are_of_one_type(values: list[Any], labels: list[Any]):
    found = class_labels(Table(pa.table({"y": values})).column("y"))[:2].tolist()

    assert found == labels
    assert [type(label) for label in found] == [type(label) for label in labels]


def test_a_limit_makes_two_classes():
    column = Table({"price": [1.0, 2.5, 3.0, None]}).column("price")

    ranges, _ = class_ranges(column, Selection("price", above=2.5))

    assert class_labels(column, ranges)[:3].tolist() == ["price <= 2.5", "price <= 2.5", "price > 2.5"]


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=60), st.floats(0.05, 0.9), st.integers(0, 9))
def test_a_split_has_every_class_on_both_sides(labels: list[str], share: float, seed: int):
    held_out = split(np.array(labels), share, seed)

    for label in set(labels):
        of_class = held_out[np.array(labels) == label]
        assert not of_class.all()
        assert of_class.any() == (len(of_class) > 1)
        assert abs(of_class.mean() - share) <= 1 / len(of_class)
    assert (split(np.array(labels), share, seed) == held_out).all()


def test_rows_without_a_value_are_counted_too():
    some, every = ([*(f"P{at}" for at in range(97)), *gaps] for gaps in ([None] * 3, []))
    found = [column_use(Table({"c": values}), "c").why for values in (some, every)]

    assert found == ["an identifier: 97 values in 97 of 100 rows", "an identifier: 97 values in 97 rows"]


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (
            Reason("too many different values: 280", 294, ", each in less than 1% of them"),
            "too many different values: 280 in 294 of the training rows, each in less than 1% of them",
        ),
        (Reason("holds dates", remedy="Drop it"), "holds dates in the training rows. Drop it"),
    ],
)
def test_a_reason_says_which_rows_it_is_about(reason: Reason, text: str):
    assert reason.text(TRAINING_ROWS) == text
