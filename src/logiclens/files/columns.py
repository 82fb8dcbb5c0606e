"""Columns of text as values: what numbers, Booleans and gaps look like in a text file.

A column is numbers when all of its values are, whatever the first rows hold. Codes with leading zeros and
whole numbers that are too long to count with are text. This module alone decides it, for training and for
new rows alike.
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

MISSING = ("", "?", "#N/A", "#NA", "-NaN", "-nan", "<NA>", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null")
"""What stands for a value that is missing."""
_GAPS = pa.array(MISSING)
_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
_BOOLEANS = pa.array([*_TRUE, *_FALSE])
_CODE = r"^[+-]?0[0-9xX]"  # 00123 is a code, 0x1F is no number
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_COMMA_NUMBER = r"^[+-]?([0-9]+,[0-9]*|,[0-9]+)$"
_WHOLE = r"^[+-]?[0-9]+$"
_TRIED = (64, 4096)  # rows
_LONG = 19  # digits; int64 has no more
_NUMBER_SIGNS = re.compile(_NUMBER.replace(r"\.", "[.,]"))
_CODE_SIGNS = re.compile(_CODE)


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


def guessed(column: Any, name: str, decimal: str = ".") -> tuple[Any, str]:
    """A column of text as what all of its values are, and what a person should know about it.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
        Null where a value is missing.
    name : str
    decimal : {".", ","}

    Returns
    -------
    pyarrow.ChunkedArray, str
        Whole numbers, floats, Booleans or text; a note, mostly empty.

    Examples
    --------
    >>> found, note = guessed(pa.chunked_array([["1.5", None, " 2"]]), "size")
    >>> found.to_pylist(), note
    ([1.5, None, 2.0], '')
    """
    if column.null_count == len(column):
        return pc.cast(column, pa.float64()), ""
    numbers = _numbers(column, decimal)
    if numbers is None:
        column = trimmed(column)
        if column.null_count == len(column):
            return pc.cast(column, pa.float64()), ""
        numbers = _numbers(column, decimal)
    if numbers is None and _all(pc.is_in(column, value_set=_BOOLEANS), column):
        return pc.cast(column, pa.bool_()), ""
    if numbers is None:
        return column, _note_on_text(column, name)
    if _has_codes(column):
        return column, ""
    if pa.types.is_floating(numbers.type) and (long := _longest_whole(column)):
        return column, (
            f"Column {name!r} is read as text: it holds whole numbers that are too long to count with, such "
            f"as {shown(long)}."
        )
    return numbers, ""


def _has_codes(column: Any) -> bool:
    """Whether some value that could be a number is a code: it has leading zeros, or is hexadecimal."""
    signs = pc.or_(pc.starts_with(column, "-"), pc.starts_with(column, "+"))
    zeros = pc.or_(pc.starts_with(column, "0"), signs)
    return _any(pc.match_substring_regex(column.filter(zeros), _CODE)) if _any(zeros) else False


def _longest_whole(column: Any) -> str:
    """A whole number of so many digits that a float would change it; empty when there is none."""
    long = column.filter(pc.greater_equal(pc.binary_length(column), _LONG))
    found = long.filter(pc.match_substring_regex(long, _WHOLE))
    return str(found[0].as_py()) if len(found) else ""


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


def _note_on_text(column: Any, name: str) -> str:
    """What to say about text that is numbers for the most part."""
    counted = pc.value_counts(column.drop_null())
    values, counts = counted.field("values"), counted.field("counts")
    total = pc.sum(counts).as_py()
    commas = pc.match_substring_regex(values, _COMMA_NUMBER)
    numbers = pc.or_(pc.match_substring_regex(values, _NUMBER), commas)
    n_numbers = pc.sum(counts.filter(numbers)).as_py() or 0
    if 2 * n_numbers <= total:
        return ""
    if n_numbers == total and _any(commas):
        example = values.filter(commas)[0].as_py()
        return (
            f"Column {name!r} is read as text: it holds numbers with a comma, such as {shown(example)}. "
            "If that is the decimal sign, say so with --decimal ','."
        )
    if n_numbers == total:
        return ""
    example = values.filter(pc.invert(numbers))[0].as_py()
    return (
        f"Column {name!r} is read as text: {total - n_numbers} of {total} values are no numbers, such as "
        f"{shown(example)}. Leave them empty if they stand for missing values."
    )


def as_type(column: Any, kind: ValueType, decimal: str = ".") -> tuple[Any, int | None]:
    """Read a column of text as values of one type, each by itself, whatever the other rows hold.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of string
    kind : ValueType
    decimal : {".", ","}

    Returns
    -------
    pyarrow.ChunkedArray or ndarray of object, int or None
        The values, null or None where one is missing, and the first row with a value that is not of that
        type: None when all are.

    Examples
    --------
    >>> found, bad = as_type(pa.chunked_array([["62", "?", "young"]]), ValueType.NUMBER)
    >>> bad
    2
    """
    text = trimmed(column)
    if kind is ValueType.TEXT:
        return text, None
    if kind is ValueType.MIXED:
        return _mixed(text, decimal), None
    if kind is ValueType.FLAG:
        for words, number in ((_TRUE, "1"), (_FALSE, "0")):
            text = pc.if_else(pc.is_in(text, value_set=pa.array(words)), number, text)
    numbers = _numbers(text, decimal)
    if numbers is not None and not (pa.types.is_integer(numbers.type) and _has_codes(text)):
        infinite = pc.index(pc.is_inf(numbers), True).as_py()
        return (numbers, None) if infinite < 0 else (text, infinite)
    plain = pc.replace_substring(text, ",", ".") if decimal == "," else text
    good = pc.match_substring_regex(plain, _NUMBER)
    if decimal == ",":
        good = pc.and_(good, pc.invert(pc.match_substring(text, ".")))
    bad = pc.index(good, False).as_py()
    return (pc.cast(plain, pa.float64()), None) if bad < 0 else (text, bad)


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
