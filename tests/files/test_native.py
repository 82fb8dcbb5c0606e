"""Types that files bring along become those that the rest of the package knows."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from logiclens.concepts import Table
from logiclens.concepts.cells import Kind
from logiclens.files.native import is_text, plain_column, plain_table

DATE = datetime.date(2020, 1, 31)


@pytest.mark.parametrize(
    ("column", "kind", "values"),
    [
        (pa.array(["a", None]).dictionary_encode(), Kind.TEXT, ["a", None]),
        (pa.array([Decimal("1.5"), None]), Kind.NUMBER, [1.5, None]),
        (pa.array([1.5, None], pa.float32()).cast(pa.float16()), Kind.NUMBER, [1.5, None]),
        (pa.array(["a", None], pa.large_string()), Kind.TEXT, ["a", None]),
        (pa.array([True, None]), Kind.BOOLEAN, [True, None]),
        (pa.array([2**63, None], pa.uint64()), Kind.NUMBER, [2**63, None]),
        (pa.array([DATE, None]), Kind.DATE, [DATE, None]),
        (pa.array([datetime.datetime(2020, 1, 31), None]), Kind.DATE, [datetime.datetime(2020, 1, 31), None]),
        (pa.array([datetime.timedelta(1), None]), Kind.DATE, [datetime.timedelta(1), None]),
        (pa.array([[1, 2], None]), Kind.OTHER, [[1, 2], None]),
        (pa.array([{"a": 1}, None]), Kind.OTHER, [{"a": 1}, None]),
        (pa.nulls(2), Kind.NUMBER, [None, None]),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_columns_of_all_types_can_be_read(column: pa.Array, kind: Kind, values: list):
    table, notes = plain_table(pa.table({"x": column}))
    read = Table(table).column("x")

    assert notes == ()
    assert (read.kind, read.values().tolist()) == (kind, values)


def test_types_that_others_have_made_up_are_what_they_are_stored_as():
    column = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"x" * 16], pa.binary(16)))

    assert plain_column(pa.chunked_array([column])).type == pa.binary(16)


def test_names_are_made_distinct_and_the_index_of_pandas_is_left_out():
    table = pa.table([[1], [2], [3]], names=["a", "a", "__index_level_0__"])
    plain, notes = plain_table(table)

    assert plain.to_pydict() == {"a": [1], "a.1": [2]}
    assert notes == (
        "Names that were there already are now 'a.1'.",
        "The index of a pandas frame is left out: '__index_level_0__'.",
    )


def test_what_is_text():
    assert all(map(is_text, [pa.string(), pa.large_string(), pa.string_view()]))
    assert not any(map(is_text, [pa.binary(), pa.int64(), pa.dictionary(pa.int32(), pa.string())]))
