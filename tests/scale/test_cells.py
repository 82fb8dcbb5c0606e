from __future__ import annotations

import struct
from decimal import Decimal
from pathlib import Path

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.concepts import Above, Kind, Table
from logiclens.errors import InputError
from logiclens.scale.cells import (
    as_number,
    float_literal,
    infinite,
    is_carried,
    is_missing,
    kind_of,
    label_literal,
    text_literal,
    whole_literals,
)
from logiclens.scale.engine import fetched, read
from logiclens.scale.expressions import concept_expression
from tests.scale.tables import TYPES, answers, columns, in_memory
from tests.strategies import HOSTILE_NAMES, names

KINDS = {
    **dict.fromkeys(TYPES, Kind.NUMBER),
    pa.bool_(): Kind.BOOLEAN,
    pa.string(): Kind.TEXT,
    pa.dictionary(pa.int32(), pa.string()): Kind.TEXT,
    pa.null(): Kind.NUMBER,
    pa.date32(): Kind.DATE,
    pa.timestamp("us"): Kind.DATE,
    pa.time64("us"): Kind.DATE,
    pa.binary(): Kind.OTHER,
    pa.list_(pa.int64()): Kind.OTHER,
}


@pytest.mark.parametrize(("kind", "expected"), KINDS.items(), ids=str)
def test_the_kind_of_a_column_is_that_of_a_table_in_memory(kind, expected):
    assert (
        kind_of(ibis.table({"a": ibis.Schema.from_pyarrow(pa.schema({"a": kind}))["a"]}, name="t")["a"])
        is expected
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6).flatmap(lambda n: st.lists(columns(n), min_size=4, max_size=4)))
def test_missing_values_and_numbers_are_those_of_a_table_in_memory(several):
    table = pa.table({f"c{at}": each for at, each in enumerate(several)})
    read = Table(table)
    memory = in_memory(table)
    asked = {f"{name} missing": is_missing(memory[name]) for name in table.column_names}
    numeric = [name for name in table.column_names if kind_of(memory[name]) is not Kind.TEXT]
    asked |= {f"{name} number": as_number(memory[name]) for name in numeric}
    found = fetched(memory.select(**asked), "Asking")

    for name in table.column_names:
        assert found[f"{name} missing"].to_pylist() == read.column(name).missing.tolist()
    for name in numeric:
        numbers = read.column(name).numbers()
        ours = found[f"{name} number"].to_numpy().astype(float)
        assert np.array_equal(ours, numbers, equal_nan=True)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_a_float_arrives_to_the_last_bit(values):
    asked = in_memory({"x": [1]}).select(**{f"v{at}": float_literal(each) for at, each in enumerate(values)})
    (row,) = fetched(asked, "Asking").to_pylist()

    assert [struct.pack("d", each) for each in row.values()] == [struct.pack("d", each) for each in values]


@settings(max_examples=40, deadline=None)
@given(st.lists(names().filter(lambda name: "\0" not in name), min_size=1, max_size=20))
def test_a_text_arrives_as_it_is(values):
    texts = [*values, *HOSTILE_NAMES, "${x}", "a${b}${", "$", "$${", ""]
    asked = in_memory({"x": [1]}).select(**{f"v{at}": text_literal(each) for at, each in enumerate(texts)})
    (row,) = fetched(asked, "Asking").to_pylist()

    assert list(row.values()) == texts


def test_no_text_holds_what_spark_takes_for_a_variable():
    assert "${" not in ibis.to_sql(text_literal("a${b}${c}"))


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_a_text_that_no_engine_carries(text):
    with pytest.raises(InputError) as caught:
        text_literal(text)
    assert str(caught.value) == (
        f"{text!r} cannot be a text in an engine: it holds a NUL character or half a character. "
        "Replace the value."
    )
    assert is_carried(text) == ("\0" in text)


@pytest.mark.parametrize(
    "label", ["death", True, False, 0, -3, 2**63 - 1, -(2**63), 0.1, -0.0, 1e300], ids=repr
)
def test_a_label_keeps_its_type(label):
    (found,) = answers(in_memory({"x": [1]}).select(y=label_literal(label))["y"])

    assert (type(found), found) == (type(label), label)


def test_a_label_beyond_64_bits():
    with pytest.raises(InputError, match="The label 9223372036854775808 cannot be a whole number"):
        label_literal(2**63)


def test_whole_numbers_that_a_column_can_hold():
    signed, unsigned = ibis.dtype("int8"), ibis.dtype("uint64")
    values = ["a", 1.5, 2.0, -1, 2**64 - 1, 2**64]

    assert [each.op().value for each in whole_literals(values, signed)] == [2, -1]
    assert [each.op().value for each in whole_literals(values, unsigned)] == [2, 2**64 - 1]


def test_infinite_numbers():
    table = in_memory({"a": [1.0, np.inf, -np.inf, np.nan, None], "n": [1, 2, 3, 4, None]})

    assert answers(infinite(table["a"])) == [False, True, True, False, False]
    assert not any(fetched(table.select(n=infinite(table["n"])), "Asking")["n"].to_pylist())


def test_nan_in_a_parquet_file_is_missing(tmp_path: Path):
    """The file keeps no account of NaN, from which DuckDB takes it that there is none."""
    pq.write_table(pa.table({"a": [np.nan, 1.0, 2.0], "b": [np.nan, 1.0, None]}), tmp_path / "a.parquet")
    table = read(tmp_path / "a.parquet")

    for name, wanted in (("a", [True, False, False]), ("b", [True, False, True])):
        missing = is_missing(table[name])
        assert answers(missing) == wanted
        assert fetched(table.filter(missing).count(), "Counting").as_py() == sum(wanted)
        assert answers(concept_expression(table, Above(name, 0.0))) == [not each for each in wanted]


def test_text_is_no_number():
    with pytest.raises(InputError, match="Column 'a' must hold numbers"):
        as_number(in_memory({"a": ["x"]})["a"])


def test_a_decimal_of_many_digits_is_rounded_once():
    """DuckDB rounds some of them twice when it makes floats of them itself."""
    digits = "36418639326191803577485313029754955862"
    table = in_memory({"a": pa.array([Decimal(digits)], pa.decimal128(38, 0))})

    assert answers(as_number(table["a"])) == [float(digits)]
