from __future__ import annotations

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from logiclens.concepts.cells import Column, Kind, read_array
from logiclens.concepts.table import Table
from logiclens.errors import InputError

DAY = datetime.date(2020, 1, 31)


def column_of(values: object) -> Column:
    return Table({"c": values}).column("c")


def error_of(call, *args) -> str:
    with pytest.raises(InputError) as info:
        call(*args)
    return str(info.value)


KINDS = {
    "Booleans": ([True, False], Kind.BOOLEAN, [True, False]),
    "Booleans with a gap": ([True, None], Kind.BOOLEAN, [True, None]),
    "nullable Booleans": (pd.array([True, None], dtype="boolean"), Kind.BOOLEAN, [True, None]),
    "Booleans of polars": (pl.Series([True, None]), Kind.BOOLEAN, [True, None]),
    "categories of Booleans": (pd.Series(pd.Categorical([True, None])), Kind.BOOLEAN, [True, None]),
    "NumPy's Booleans as objects": (np.array([np.True_, None], dtype=object), Kind.BOOLEAN, [True, None]),
    "whole numbers": ([3, 4], Kind.NUMBER, [3, 4]),
    "whole numbers with a gap": ([3, None], Kind.NUMBER, [3, None]),
    "nullable integers": (pd.Series([3, None], dtype="Int64"), Kind.NUMBER, [3, None]),
    "integers of polars": (pl.Series([3, None]), Kind.NUMBER, [3, None]),
    "fractions with NaN": ([0.5, np.nan], Kind.NUMBER, [0.5, None]),
    "NaN and null of polars": (pl.Series([0.5, np.nan, None]), Kind.NUMBER, [0.5, None, None]),
    "Decimals": ([Decimal("0.5"), None], Kind.NUMBER, [0.5, None]),
    "Decimals of polars": (pl.Series([Decimal("0.5"), None]), Kind.NUMBER, [0.5, None]),
    "Fractions": ([Fraction(1, 2), 2], Kind.NUMBER, [0.5, 2.0]),
    "Booleans and numbers": ([True, 2.5], Kind.NUMBER, [1.0, 2.5]),
    "numbers too large for integers": ([10**30, 1], Kind.NUMBER, [1e30, 1.0]),
    "nothing": ([None, None], Kind.NUMBER, [None, None]),
    "nothing in polars": (pl.Series([None, None]), Kind.NUMBER, [None, None]),
    "text": (["red", None], Kind.TEXT, ["red", None]),
    "text with NaN": (np.array(["red", np.nan], dtype=object), Kind.TEXT, ["red", None]),
    "text of NumPy": (np.array(["red", "blue"]), Kind.TEXT, ["red", "blue"]),
    "text of pandas": (pd.Series(["red", None]), Kind.TEXT, ["red", None]),
    "text with NA": (pd.Series(["red", pd.NA], dtype=object), Kind.TEXT, ["red", None]),
    "text that is numbers": (["3.5", "4"], Kind.TEXT, ["3.5", "4"]),
    "empty text": (["", "a"], Kind.TEXT, ["", "a"]),
    "text and numbers": ([1, "a"], Kind.TEXT, [1, "a"]),
    "text and NumPy's numbers": (np.array([np.int64(1), "a"], dtype=object), Kind.TEXT, [1, "a"]),
    "categories": (pd.Series(pd.Categorical(["red", None])), Kind.TEXT, ["red", None]),
    "categories of integers": (pd.Series(pd.Categorical([2, None, 1])), Kind.TEXT, [2, None, 1]),
    "enumeration": (pl.Series(["a", None], dtype=pl.Enum(["a"])), Kind.TEXT, ["a", None]),
    "dates": ([DAY, None], Kind.DATE, [DAY, None]),
    "dates of polars": (pl.Series([DAY, None]), Kind.DATE, [DAY, None]),
    "durations": ([datetime.timedelta(1)], Kind.DATE, [datetime.timedelta(1)]),
    "times of NumPy": (np.array(["2020-01-31", "NaT"], dtype="M8[D]"), Kind.DATE, [DAY, None]),
    "lists": (pl.Series([[1], None]), Kind.OTHER, [[1], None]),
    "bytes": ([b"a"], Kind.OTHER, [b"a"]),
    "Booleans and text": ([True, "a"], Kind.OTHER, [True, "a"]),
    "complex numbers": (np.array([1j]), Kind.OTHER, [1j]),
}


@pytest.mark.parametrize(("values", "kind", "expected"), KINDS.values(), ids=KINDS)
def test_what_values_are(values, kind, expected):
    column = column_of(values)
    plain = column.values().tolist()

    assert column.kind is kind
    assert plain == expected
    assert [type(value) for value in plain] == [type(value) for value in expected]
    assert column.missing.tolist() == [value is None for value in expected]
    assert len(column) == len(expected)


def test_the_missing_time_of_pandas_is_missing():
    column = column_of(pd.Series(pd.to_datetime(["2020-01-31", None])))

    assert (column.kind, column.missing.tolist()) == (Kind.DATE, [False, True])


def test_numbers_have_nan_for_gaps():
    np.testing.assert_array_equal(column_of([3, None, 4]).numbers(), [3.0, np.nan, 4.0])
    np.testing.assert_array_equal(column_of([True, None, False]).numbers(), [1.0, np.nan, 0.0])


def test_numbers_of_nothing_are_gaps():
    assert np.isnan(column_of([None, None]).numbers()).all()
    assert np.isnan(column_of(["a", None]).take(np.array([1])).numbers()).all()


def test_text_has_no_numbers():
    assert "Column 'c' must hold numbers" in error_of(column_of(["3.5", None]).numbers)


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
@pytest.mark.parametrize("wrap", [list, np.array, pd.Series, pl.Series])
def test_infinity_is_refused(infinite, wrap):
    message = (
        f"Column 'c' has an infinite value ({infinite}) in row 1 (counted from 0). "
        "Replace it by a number, or by NaN if it is missing."
    )

    assert error_of(column_of, wrap([1.0, infinite, infinite])) == message


def test_infinity_among_objects_is_refused():
    assert "infinite value (inf) in row 0" in error_of(column_of, np.array([np.inf, None], dtype=object))


def test_a_number_too_large_for_a_float_is_refused():
    message = "Column 'c' has a value that is too large for a float. Scale it down."

    assert error_of(column_of, [10**400, 1]) == message


@pytest.mark.parametrize(
    ("values", "levels", "codes"),
    [
        ([30, None, 20, 30], (20, 30), [1, -1, 0, 1]),
        (["b", "a", None, "b"], ("b", "a"), [0, 1, -1, 0]),
        ([True, False, None], (False, True), [1, 0, -1]),
        ([1, "1", 1], (1, "1"), [0, 1, 0]),
        ([None], (), [-1]),
    ],
)
def test_levels_and_codes(values, levels, codes):
    column = column_of(values)

    assert column.levels == levels
    assert column.codes.tolist() == codes


def test_nested_values_have_no_levels():
    message = "Column 'c' has values of type list. Make columns of what is inside, or drop it."

    assert error_of(lambda: column_of(pl.Series([[1], [2]])).levels) == message


@pytest.mark.parametrize(
    ("values", "wanted", "truth"),
    [
        (["a", "b", None], ["b"], [False, True, False]),
        (["a", "b", None], ["b", "c", "a"], [True, True, False]),
        ([1, 2, None], [2.0], [False, True, False]),
        ([1, "a"], [1], [True, False]),
        ([None, None], ["a"], [False, False]),
        (["a"], [], [False]),
    ],
)
def test_is_in(values, wanted, truth):
    assert column_of(values).is_in(wanted).tolist() == truth


def test_numbers_are_not_compared_with_text():
    assert "Column 'c' has the value 2139;" in error_of(column_of([2139, None]).is_in, ["02139"])
    assert "Column 'c' has the value '1';" in error_of(column_of(["1"]).is_in, [1, 2])


def test_the_first_value_is_an_example():
    assert column_of([None, "b", "a"]).example() == "b"
    assert column_of([None]).example() is None


def test_take_keeps_kind_and_gaps():
    part = column_of(["a", None, "b"]).take(np.array([2, 1, 2]))

    assert (part.kind, part.values().tolist()) == (Kind.TEXT, ["b", None, "b"])


def test_a_column_of_an_array_is_not_copied():
    values = np.arange(3.0)

    assert np.shares_memory(read_array(values, "c").raw, values)


TEXTS = ["b", None, "a", "b", "", "c"]


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(TEXTS),
        pd.concat([pd.Series(TEXTS[:2]), pd.Series(TEXTS[2:])]),
        pd.Series(TEXTS, dtype=object),
        pd.Series(TEXTS, dtype="category"),
        pl.Series(TEXTS),
        pl.Series(TEXTS, dtype=pl.Categorical),
        pa.chunked_array([TEXTS[:2], TEXTS[2:]]),
        pa.chunked_array([pa.array(TEXTS, type=pa.string_view())]),
        pa.chunked_array([pa.array(TEXTS[:2]).dictionary_encode(), pa.array(TEXTS[2:]).dictionary_encode()]),
    ],
    ids=lambda values: f"{type(values).__module__} {getattr(values, 'dtype', None) or values.type}",
)
def test_texts_of_frames_come_as_codes_and_mean_the_same(values):
    column, plain = column_of(values), column_of(TEXTS)

    assert column.texts is not None
    for index in (slice(None), np.array([5, 2, 1, 2]), np.array([False, True] + [False] * 4)):
        part, expected = column.take(index), plain.take(index)
        assert part.kind is expected.kind is Kind.TEXT
        assert part.levels == expected.levels
        assert part.codes.tolist() == expected.codes.tolist()
        assert part.missing.tolist() == expected.missing.tolist()
        assert part.values().tolist() == expected.values().tolist()
        assert part.is_in(["b", "c"]).tolist() == expected.is_in(["b", "c"]).tolist()


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(["a", "\ud800"], dtype=object),  # half a character, which Arrow refuses
        pd.Series(pd.Categorical([1, 2])),
        pa.chunked_array([pa.DictionaryArray.from_arrays([0, 1, 2], ["a", "b", "a"])]),
        pd.Series([None, None], dtype="string"),
        pl.Series([], dtype=pl.String),
    ],
    ids=["half a character", "numbers", "repeated categories", "nothing", "no rows"],
)
def test_what_is_not_plain_text_is_read_value_by_value(values):
    one_by_one = column_of(values.to_pylist() if hasattr(values, "to_pylist") else values.to_list())
    column = column_of(values)

    assert column.texts is None
    assert column.levels == one_by_one.levels
