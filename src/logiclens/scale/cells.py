"""The values of a column in an engine: what they are, where there is none, and constants to compare with.

What counts as missing is what :mod:`logiclens.concepts.cells` says: NULL and NaN. Constants are written so
that every engine reads back the value that was meant, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from logiclens.concepts.table import Kind
from logiclens.errors import InputError
from logiclens.explain.label import Label
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
    return missing | column.isnan() if column.type().is_floating() else missing


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
    return column.isinf().fill_null(False)


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
