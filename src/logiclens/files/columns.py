"""Columns of text as values: what numbers, Booleans and gaps look like in a text file.

A column is numbers when all of its values are, or nearly all of many: those that are not count as missing.
The first rows do not decide. Codes with leading zeros and whole numbers that are too long to count with are
text. This module alone decides it, for training and for new rows alike; :mod:`logiclens.files.written` says
what a number is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from logiclens.errors import InputError, shown
from logiclens.files.levels import Levels, Values, has_codes, longest_whole, note_on_long, note_on_text
from logiclens.files.written import Notation

MISSING = ("", "?", "#N/A", "#NA", "-NaN", "-nan", "<NA>", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null")
"""What stands for a value that is missing."""
_GAPS = pa.array(MISSING)
_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
_BOOLEANS = pa.array([*_TRUE, *_FALSE])
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_TRIED = (64, 4096)  # rows
_NUMBER_SIGNS = re.compile(_NUMBER.replace(r"\.", "[.,]"))
_CODE_SIGNS = re.compile(r"[+-]?0[0-9xX]")


class ValueType(StrEnum):
    """What the values of a column are to be read as."""

    NUMBER = "numbers"
    FLAG = "yes or no"
    """Booleans, 0 and 1, or other numbers."""
    TEXT = "text"
    MIXED = "text and numbers"
    """Each value a number where it is one, else text."""


def checked_types(types: Any) -> Mapping[str, ValueType]:
    """Types by column, once it is sure that they are."""
    if not isinstance(types, Mapping) or not all(
        isinstance(name, str) and isinstance(kind, ValueType) for name, kind in types.items()
    ):
        raise InputError(
            f"types must map names of columns to a ValueType. Got {shown(types)}; write "
            "{'age': ValueType.NUMBER}."
        )
    return types


def trimmed(column: Any) -> Any:
    """Values without the blanks around them, null where one is missing."""
    bare = pc.utf8_trim_whitespace(column)
    gap = pc.is_in(bare, value_set=_GAPS)
    return pc.if_else(gap, pa.scalar(None, bare.type), bare)


def guessed(column: Any, name: str, notation: Notation | None = None) -> Values:
    """A column of text as what all of its values are, or nearly all.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
        Null where a value is missing.
    name : str
        For the note.
    notation : Notation, optional
        How numbers are written; with a decimal point when missing.

    Returns
    -------
    Values
        Whole numbers, floats, Booleans or text.

    Examples
    --------
    >>> guessed(pa.chunked_array([["1.5", None, " 2"]]), "size").column.to_pylist()
    [1.5, None, 2.0]
    >>> guessed(pa.chunked_array([["$900", "$41,000"]]), "income").column.to_pylist()
    [900, 41000]
    """
    notation = notation or Notation()
    if column.null_count == len(column):
        return Values(pc.cast(column, pa.float64()))
    numbers = _numbers(column, notation.decimal)
    if numbers is None:
        column = trimmed(column)
        if column.null_count == len(column):
            return Values(pc.cast(column, pa.float64()))
        numbers = _numbers(column, notation.decimal)
    if numbers is None and _all(pc.is_in(column, value_set=_BOOLEANS), column):
        return Values(pc.cast(column, pa.bool_()))
    if numbers is None:
        levels = Levels(column, notation)
        found = levels.values() if levels.are_numbers() else None
        return found or Values(column, note=note_on_text(levels, name))
    if pa.types.is_floating(numbers.type) and _any(pc.is_inf(numbers)):
        levels = Levels(trimmed(column), notation)
        return levels.values() if levels.are_numbers() else Values(numbers)
    if has_codes(column):
        return Values(column)
    if pa.types.is_floating(numbers.type) and (long := longest_whole(column)):
        return Values(column, note=note_on_long(name, long))
    return Values(numbers)


def _numbers(column: Any, decimal: str) -> Any:
    """The values as whole numbers or else floats; None when some are neither."""
    whole = _cast(column, pa.int64())
    if whole is not None:
        return whole
    if decimal == ",":
        if _any(pc.match_substring(column, ".")):
            return None
        column = pc.replace_substring(column, ",", ".")
    return _cast(column, pa.float64())


def _cast(column: Any, kind: Any) -> Any:
    """The values as numbers of a type; None when some are not.

    Each that is not costs much more time than one that is, so a few are tried first, then more.
    """
    try:
        for n_rows in _TRIED:
            if n_rows < len(column):
                pc.cast(column.slice(0, n_rows), kind)
        return pc.cast(column, kind)
    except pa.ArrowInvalid:
        return None


def _any(mask: Any) -> bool:
    return bool(pc.any(mask).as_py())


def _all(mask: Any, column: Any) -> bool:
    """Whether something is true of all values that are there."""
    return bool(pc.all(pc.or_(mask, pc.is_null(column))).as_py())


def as_type(column: Any, kind: ValueType, notation: Notation | None = None) -> Values:
    """Read a column of text as values of one type, each by itself, whatever the other rows hold.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
    kind : ValueType
    notation : Notation, optional
        How numbers are written; with a decimal point when missing.

    Returns
    -------
    Values
        Null or None where one is missing or not of that type.

    Examples
    --------
    >>> found = as_type(pa.chunked_array([["62", "?", "young", "1,234"]]), ValueType.NUMBER)
    >>> found.column.to_pylist(), found.odd
    ([62, None, None, 1234], Odd(n=1, text='young', row=2, other_sign=False))
    """
    notation = notation or Notation()
    text = trimmed(column)
    if kind is ValueType.TEXT:
        return Values(text)
    if kind is ValueType.MIXED:
        return Values(_mixed(text, notation.decimal))
    if kind is ValueType.FLAG:
        for words, number in ((_TRUE, "1"), (_FALSE, "0")):
            text = pc.if_else(pc.is_in(text, value_set=pa.array(words)), number, text)
    numbers = _numbers(text, notation.decimal)
    coded = numbers is not None and pa.types.is_integer(numbers.type) and has_codes(text)
    if numbers is not None and not coded and not _any(pc.is_inf(numbers)):
        return Values(numbers, len(text) - text.null_count)
    return Levels(text, notation).values()


def _mixed(text: Any, decimal: str) -> Any:
    """Each value a number where it is one, else text."""
    coded = text.combine_chunks().dictionary_encode()
    levels = [_number_or_text(level, decimal) for level in coded.dictionary.to_pylist()]
    values = np.array([*levels, None], dtype=object)
    return values[coded.indices.fill_null(len(levels)).to_numpy()]


def _number_or_text(level: str, decimal: str) -> str | int | float:
    if not _NUMBER_SIGNS.fullmatch(level) or _CODE_SIGNS.match(level):
        return level
    number = float(level.replace(decimal, "."))
    return int(number) if number.is_integer() else number
