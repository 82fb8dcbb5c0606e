"""The values of a column in an engine: what they are, where there is none, and constants to compare with.

What counts as missing is what :mod:`logiclens.concepts.cells` says: NULL and NaN. Constants are written so
that every engine reads back the value that was meant, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from logiclens.concepts.table import Kind
from logiclens.errors import InputError
from logiclens.explain.rule import Label
from logiclens.logic.data import ROUNDING
from logiclens.scale.engine import Expression, ibis_module

_EXACT_DIGITS = 15  # decimals up to this precision are divided exactly when they become floats
_LEAST, _MOST = -(2**63), 2**63 - 1  # what the integers of engines hold


def kind_of(column: Expression) -> Kind:
    """What the values of a column are, as :class:`~logiclens.concepts.Column` would say."""
    dtype = column.type()
    if dtype.is_boolean():
        return Kind.BOOLEAN
    if dtype.is_numeric() or dtype.is_null():
        return Kind.NUMBER
    if dtype.is_string() and not dtype.is_json():
        return Kind.TEXT
    return Kind.DATE if dtype.is_temporal() or dtype.is_interval() else Kind.OTHER


def is_missing(column: Expression) -> Expression:
    """Whether there is no value: NULL or, of floats, NaN; a Boolean expression that is never NULL.

    Examples
    --------
    >>> import ibis, pyarrow as pa
    >>> table = ibis.memtable(pa.table({"age": [62.0, None]}))
    >>> is_missing(table["age"]).to_list()
    [False, True]
    """
    if column.type().is_null():
        return ibis_module().literal(True)
    missing = column.isnull()
    if not column.type().is_floating():
        return missing
    # Parquet files keep no account of NaN, and DuckDB takes isnan of a column there for never true.
    return missing.ifelse(float_literal(np.nan), column).isnan()


def as_number(column: Expression) -> Expression:
    """A column of numbers or Booleans as floats of double precision; others are refused.

    Decimals of many digits go by their text, which every engine rounds once.
    """
    dtype = column.type()
    if kind_of(column) not in (Kind.BOOLEAN, Kind.NUMBER):
        raise InputError(
            f"Column {column.get_name()!r} must hold numbers. Got {kind_of(column)}, of type {dtype}."
        )
    if dtype.is_float64():
        return column
    if dtype.is_decimal() and (dtype.precision is None or dtype.precision > _EXACT_DIGITS):
        column = column.cast("string")
    return column.cast("float64")


def infinite(column: Expression) -> Expression:
    """Whether a number is infinite; a Boolean expression that is never NULL."""
    if not column.type().is_floating():
        return ibis_module().literal(False)
    # Ibis writes isinf for Spark in a way that is never true.
    either = (column == float_literal(np.inf)) | (column == float_literal(-np.inf))
    return either.fill_null(False)


def outside(column: Expression) -> Expression:
    """Whether a number lies outside [0, 1], and not by rounding; a Boolean expression that is never NULL."""
    numbers = as_number(column)
    either = (numbers < float_literal(-ROUNDING)) | (numbers > float_literal(1 + ROUNDING))
    return either.fill_null(False) & ~is_missing(column)


def as_label(column: Expression) -> Expression:
    """A column of labels in a type that labels can have: decimals as floats, and -0.0 as 0.0.

    Examples
    --------
    >>> import ibis, pyarrow as pa
    >>> as_label(ibis.memtable(pa.table({"y": [-0.0, 1.0]}))["y"]).to_list()
    [0.0, 1.0]
    """
    dtype = column.type()
    if kind_of(column) in (Kind.DATE, Kind.OTHER):
        raise InputError(
            f"Labels must be text, numbers or Booleans. Column {column.get_name()!r} holds "
            f"{kind_of(column)}, of type {dtype}."
        )
    if not dtype.is_floating() and not dtype.is_decimal():
        return column
    numbers = as_number(column)
    return (numbers == float_literal(0)).ifelse(float_literal(0), numbers)  # one zero for all engines


def float_literal(value: float) -> Expression:
    """A float, exactly: engines would take its digits for a decimal, and round that once more."""
    return ibis_module().literal(repr(float(value))).cast("float64")


def text_literal(text: str) -> Expression:
    """A text; ``${`` is cut in two, which Spark would take for a variable."""
    ibis = ibis_module()
    if "\0" in text or not is_carried(text):
        raise InputError(
            f"{text!r} cannot be a text in an engine: it holds a NUL character or half a character. "
            "Replace the value."
        )
    first, *rest = text.split("${")
    found = ibis.literal(first + "$" if rest else first)
    for place, part in enumerate(rest, start=1):
        found = found + ibis.literal("{" + part + ("$" if place < len(rest) else ""))
    return found


def label_literal(label: Label) -> Expression:
    """A label as a value of its own type: text, Boolean, 64-bit integer or float."""
    if isinstance(label, str):
        return text_literal(label)
    if isinstance(label, bool):
        return ibis_module().literal(label)
    if isinstance(label, float):
        return float_literal(label)
    if not _LEAST <= label <= _MOST:
        raise InputError(
            f"The label {label} cannot be a whole number in an engine: it takes more than 64 bits. "
            "Rename the class."
        )
    return ibis_module().literal(label, type="int64")


def whole_literals(values: Iterable[str | int | float], dtype: Any) -> list[Expression]:
    """Those of some numbers that a column of whole numbers, or of Booleans, can hold."""
    unsigned = dtype.is_unsigned_integer()
    least, most = (0, 2**64 - 1) if unsigned else (_LEAST, _MOST)
    whole = [int(value) for value in values if not isinstance(value, str) and value == int(value)]
    kind = "uint64" if unsigned else "int64"
    return [ibis_module().literal(value, type=kind) for value in whole if least <= value <= most]


def is_carried(text: str) -> bool:
    """Whether some text of an engine can equal it: half a character cannot stand in one."""
    return not any("\ud800" <= char <= "\udfff" for char in text)
