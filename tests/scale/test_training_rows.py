"""Rows to learn from: what is asked of the engine about targets and weights."""

from typing import Any

import ibis
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.concepts._cuts import class_sums
from logiclens.errors import InputError, UnknownColumnError
from logiclens.estimators.folds import are_counts, effective_rows
from logiclens.estimators.inputs_and_targets import Problem
from logiclens.scale._engine import engine_errors, fetch
from logiclens.scale._training_rows import check_rows, count_rows
from tests.scale.tables import in_memory

TABLE = {"a": [1, 2, 3, 4], "y": ["p", "q", "p", "p"], "w": [1.0, 0.0, 2.0, 0.5]}


def test_all_columns_but_target_and_weights():
    rows = check_rows(in_memory(TABLE), "y", weights="w")

    assert rows.columns == ("a",)
    assert rows.targets == ("y",)
    assert not rows.in_list
    assert fetch(rows.weighted.count(), "Counting").as_py() == 3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"target": "z"}, UnknownColumnError,
         "The data lack the column 'z'."),
        ({"target": []}, InputError, "target must be the name of a column, or several in a"),
        ({"target": 3}, InputError, "target must be the name of a column, or several in a"),
        ({"target": ["y", "y"]}, InputError, "target names a column twice."),
        ({"target": "y", "columns": [1]}, InputError,
         "columns must be the name of a column, or several in a"),
        ({"target": "y", "columns": "a"}, InputError,
         "columns must be a list of names."),
        ({"target": "y", "weights": 3}, InputError, "weights must be the name of a column."),
        ({"target": "y", "weights": "y"}, InputError,
         "target and weights name a column twice:"),
    ],
)  # fmt: skip
def test_what_is_refused(options: dict[str, Any], error: type[Exception], message: str):
    with pytest.raises(error, match=message):
        check_rows(in_memory(TABLE), **options)


@pytest.mark.parametrize(
    ("kind", "value", "holds"),
    [
        ("uuid", "uuid()", "other values, of type uuid"),
        ("bit", "'101'::bit", "other values, of type"),
        ("json", "'{}'::json", "other values, of type json"),
        ("blob", "'x'::blob", "other values, of type binary"),
        ("date", "'2026-01-01'::date", "dates or times, of type date"),
        ("interval", "to_days(3)", "dates or times, of type interval"),
    ],
)
def test_targets_of_odd_types(kind: str, value: str, holds: str):
    connection = ibis.duckdb.connect()
    connection.raw_sql(f"CREATE TABLE t AS SELECT 1 AS a, {value} AS y")

    with engine_errors("Opening a table"):
        table = connection.table("t")

    with pytest.raises(InputError) as info:
        check_rows(table, "y")

    assert str(info.value).startswith(
        f"Labels must be text, numbers or Booleans. Column 'y' holds {holds}"
    ), kind


@settings(max_examples=20)
@given(
    st.lists(st.sampled_from([0.0, 0.25, 1.0, 2.0, 3.0, 2.0**63, 1e100]), min_size=1, max_size=12).filter(any)
)
def test_weights_stand_for_as_many_rows_as_in_memory(weights: list[float]):
    array = np.array(weights)
    table = in_memory({"a": array, "y": ["p"] * len(array), "w": array})

    totals = count_rows(check_rows(table, "y", weights="w"))

    assert totals.all_rows == len(array)
    assert totals.rows == (array > 0).sum()
    assert np.isclose(totals.weight, array.sum())
    assert totals.are_counts == are_counts(array)
    assert np.isclose(totals.effective, effective_rows(array))


@pytest.mark.parametrize(
    ("table", "target", "message"),
    [
        ({"a": [1], "y": [None]}, "y",
         "Column 'y' has 1 missing value."),
        ({"a": [1, 2], "y": [1.0, float("nan")]}, "y",
         "Column 'y' has 1 missing value."),
        ({"a": [1, 2], "y": [1, 0], "z": [1, None]}, ["y", "z"],
         "Column 'z' has 1 missing value."),
        ({"a": np.arange(70_000), "y": np.arange(70_000)}, "y",
         "Column 'y' has more than 65536 different values, too"),
    ],
)  # fmt: skip
def test_targets_that_are_refused(table: Any, target: Any, message: str):
    with pytest.raises(InputError, match=message):
        count_rows(check_rows(in_memory(table), target))


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=30
    )
)
def test_sums_of_several_outputs_are_those_of_the_rows(lines: list[tuple[int, bool, bool, bool]]):
    value, *outputs = (np.array(column) for column in zip(*lines, strict=True))
    table = in_memory(
        {"v": value, "p": outputs[0], "q": outputs[1].astype(float), "r": outputs[2].astype(int)}
    )
    rows = check_rows(table, ["p", "q", "r"])
    totals = count_rows(rows)

    found = fetch(rows.count_by(rows.select_keys(table, v=table["v"]), ["v"], by_targets=False), "Counting")
    places, weights, codes = totals.expand(rows, found)

    assert not totals.by_targets
    assert codes is not None
    assert weights.sum() == len(lines)
    bins = found.column("v").to_numpy()[places]
    expected = class_sums(value, 3, np.column_stack(outputs).astype(np.intp), np.ones(len(value)))
    assert (class_sums(bins, 3, codes, weights) == expected).all()


def test_one_output_in_a_list_is_a_label_unless_it_is_soft():
    table = in_memory({"a": [1, 2], "y": [0, 1], "s": [0.2, 0.7]})

    labels = count_rows(check_rows(table, ["y"])).targets
    soft = count_rows(check_rows(table, ["s"])).targets

    assert labels is not None
    assert labels.problem is Problem.BINARY
    assert soft is not None
    assert soft.problem is Problem.MULTI_LABEL
