"""Tables in DuckDB, and Hypothesis strategies for columns of every type."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from logiclens.concepts import Above, AtMost, Between, Flag, Missing, OneOf
from logiclens.scale._engine import engine_errors, fetch

SMALL = st.sampled_from(
    [-2.0, -1.0, -0.0, 0.0, 0.1, 0.3, 0.30000000000000004, 0.5, 1.0, 2.0, 3.5, 1e16, 5e-324]
)
WHOLE = st.sampled_from([-3, -1, 0, 1, 2, 3, 100])
TEXTS = st.sampled_from(
    ["", "a", "A", "a ", "it's", 'say "hi"', "back\\slash", "${x}", "a${", "%s", "größe", "🐦", "\n"]
)

TYPES: dict[pa.DataType, st.SearchStrategy] = {
    pa.bool_(): st.booleans(),
    pa.int8(): WHOLE,
    pa.int16(): WHOLE,
    pa.int32(): WHOLE,
    pa.int64(): WHOLE | st.sampled_from([2**53, 2**53 + 1, -(2**63), 2**63 - 1]),
    pa.uint8(): WHOLE.map(abs),
    pa.uint32(): WHOLE.map(abs),
    pa.uint64(): WHOLE.map(abs) | st.sampled_from([2**53 + 1, 2**63, 2**64 - 1]),
    pa.float32(): SMALL.map(np.float32).map(float) | st.just(float("nan")),
    pa.float64(): SMALL | st.just(float("nan")),
    pa.decimal128(9, 2): st.sampled_from(["-1", "0", "0.1", "0.3", "0.5", "1", "3.5"]).map(Decimal),
    pa.decimal128(30, 20): st.sampled_from(["0.3", "0.30000000000000004441", "-0.1", "1", "3.5"]).map(
        Decimal
    ),
    pa.string(): TEXTS,
    pa.dictionary(pa.int32(), pa.string()): TEXTS,
}
"""Types of columns, and their values."""


def in_duckdb(columns: Any, connection: Any = None, name: str = "t") -> Any:
    """A table that DuckDB holds, of a mapping or a table of pyarrow."""
    connection = ibis.duckdb.connect() if connection is None else connection
    connection.con.register("given", pa.table(columns))
    connection.raw_sql(f'CREATE OR REPLACE TABLE "{name}" AS FROM given')
    with engine_errors("Opening a table"):
        return connection.table(name)


def in_memory(columns: Any) -> Any:
    """A table without an engine of its own; a mapping would become a frame of pandas on its way."""
    return ibis.memtable(pa.table(columns))


def answers(expression: Any) -> list[Any]:
    """What an expression says of each row."""
    return fetch(expression, "Asking").to_pylist()


@st.composite
def columns(draw, n_rows: int) -> pa.Array:
    """A column of any type, with gaps."""
    kind = draw(st.sampled_from(list(TYPES)))
    cells = draw(st.lists(st.none() | TYPES[kind], min_size=n_rows, max_size=n_rows))
    if pa.types.is_dictionary(kind):
        return pa.array(cells, pa.string()).dictionary_encode()
    return pa.array(cells, kind)


@st.composite
def gap_values(draw, cells: pa.Array) -> tuple[Any, ...]:
    """Some values of a column, to mean that there is none, and one of another kind."""
    values = [each for each in cells.to_pylist() if isinstance(each, str | int | float) and each == each]
    among = st.sampled_from([*values, 1, "a"]) if values else st.sampled_from([1, "a"])
    return tuple(draw(st.just([]) | st.lists(among, max_size=2)))


@st.composite
def conditions(draw, column: str, cells: pa.Array) -> Any:
    """A concept about a column that its values can be compared with."""
    missing = draw(st.booleans())
    if draw(st.integers(0, 5)) == 0:
        return Missing(column)
    if pa.types.is_string(cells.type) or pa.types.is_dictionary(cells.type):
        values = draw(st.lists(TEXTS, min_size=1, max_size=3))
        extra = draw(st.sampled_from([(), (1,)]))
        return OneOf(column, (*values, *extra), if_missing=missing)
    number = SMALL | WHOLE.map(float)
    match draw(st.sampled_from(["flag", "above", "at most", "between", "one of"])):
        case "flag":
            return Flag(column, if_missing=missing)
        case "above":
            return Above(column, draw(number), if_missing=missing)
        case "at most":
            return AtMost(column, draw(number), if_missing=missing)
        case "between":
            low, high = sorted(draw(st.lists(number, min_size=2, max_size=2, unique=True)))
            return Between(column, low, high, if_missing=missing)
    large = st.sampled_from([2**53 + 1, 2**63, 2**64, 10**400, -(2**63)])
    return OneOf(
        column, tuple(draw(st.lists(number | WHOLE | large, min_size=1, max_size=3))), if_missing=missing
    )
