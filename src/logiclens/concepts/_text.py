"""Columns of text as values: one typing for every reader of text files, in memory and in engines.

What a column is follows from all of its values: numbers when all are, or nearly all of many, and those that
are not count as missing; Booleans where all are true or false; else text. The first rows do not decide. Codes
with leading zeros and whole numbers that are too long to count with are text. What decides is summed up in
:class:`Evidence`, a batch of rows at a time, so a file need not be in memory.

A text has one reading, whatever stands in the rows around it: it is the same number when rules are made and
when they are used. It may have a currency sign, a percent sign or signs between thousands. Where a text has
two readings, as ``1,234`` has while nobody knows which sign is the decimal one, it is no number.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from logiclens.concepts.table import ValueType
from logiclens.errors import InputError, shown
from logiclens.logic.arrays import BoolArray, IndexArray

# Numbers as people write them

_CURRENCY = r"(?:\p{Sc}|USD|EUR|GBP|CHF|JPY)"
_BLANK = "[ \u00a0\u2009\u202f]"
_QUOTE = "['\u2019]"
_PERCENT = "%"
_PLAIN = r"(?:[0-9]+(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
_OTHER_NOTATION = r"^[+-]?[0-9]*[.,][0-9]+$"  # a number with one decimal sign or the other
_SIGNS = ".,"
_HAS_SIGN = r"[.,][0-9]+([^0-9eE]|$)"  # an ordinal such as 5. says nothing
_FEW = 50  # texts that are looked at first
_LIKE_A_CODE = f"[0-9]{_BLANK}[0-9]{{3}}{_BLANK}[0-9]{{3}}"


@dataclass(frozen=True)
class NumberNotation:
    """The way a file writes numbers.

    Attributes
    ----------
    decimal : {".", ","}
        Sign before decimals; the other one may stand between thousands.
    sure : bool
        Whether that is certain; where it is not, ``1,234`` may be either and is no number.

    Examples
    --------
    >>> numbers, good, _ = NumberNotation(",").read(pa.array(["4.704,03 €", "3,2 %", "1.5"]))
    >>> numbers.to_pylist(), good.to_pylist()
    ([4704.03, 3.2, None], [True, True, False])
    """

    decimal: str = "."
    sure: bool = True

    @property
    def _other(self) -> str:
        return "," if self.decimal == "." else "."

    @cached_property
    def _body(self) -> str:
        """Pattern of a number without what stands before and after it."""
        point, other = re.escape(self.decimal), re.escape(self._other)
        first, decimals = "[1-9][0-9]{0,2}", f"(?:{point}[0-9]*)?"
        forms = [_PLAIN.format(point=point)]
        forms += [f"{first}(?:{sign}[0-9]{{3}})+{decimals}" for sign in (_BLANK, _QUOTE)]
        forms.append(f"{first}(?:{other}[0-9]{{3}}){'+' if self.sure else '{2,}'}{decimals}")
        if not self.sure:
            forms.append(f"{first}{other}[0-9]{{3}}{point}[0-9]*")
        return "(?:" + "|".join(forms) + ")"

    @cached_property
    def _pattern(self) -> str:
        before = f"(?:[+-]?{_CURRENCY}{_BLANK}?|{_CURRENCY}{_BLANK}?[+-])"
        after = f"{_BLANK}?(?:{_CURRENCY}|{_PERCENT})"
        return f"^(?:{before}{self._body}|[+-]?{self._body}(?:{after})?)$"

    def read(self, texts: Any) -> tuple[Any, Any, Any]:
        """Numbers of texts, null where one is none, where they are, and how programs write them.

        Parameters
        ----------
        texts : pyarrow.Array of string
            Without blanks around them.

        Returns
        -------
        pyarrow.Array of int64 or double
        pyarrow.Array of bool
            Null where a text is.
        pyarrow.Array of string
            Null where a text is no number.
        """
        good = self.matches(texts)
        bare = self._bare(pc.if_else(good, texts, pa.scalar(None, texts.type)))
        try:
            numbers = pc.cast(bare, pa.int64())
        except pa.ArrowInvalid:
            numbers = pc.cast(bare, pa.float64())
            finite = pc.fill_null(pc.is_finite(numbers), True)
            good = pc.and_(good, finite)
            numbers = pc.if_else(finite, numbers, pa.scalar(None, numbers.type))
        return numbers, good, bare

    def matches(self, texts: Any) -> Any:
        """Mark the texts that are numbers."""
        return pc.match_substring_regex(texts, self._pattern)

    def _bare(self, texts: Any) -> Any:
        signs = f"{_CURRENCY}|{_BLANK}|{_QUOTE}|{_PERCENT}|{re.escape(self._other)}"
        found = pc.replace_substring_regex(texts, signs, "")
        return found if self.decimal == "." else pc.replace_substring(found, ",", ".")

    def is_plain(self, texts: Any) -> Any:
        """Mark the texts that are numbers as programs write them, but for the decimal sign."""
        return pc.match_substring_regex(texts, f"^[+-]?{_PLAIN.format(point=re.escape(self.decimal))}$")


def currencies(texts: Any) -> list[str]:
    """The signs of currencies that occur, in the order in which they do; texts are numbers with signs."""
    if len(texts) > _FEW and len(first := currencies(texts.slice(0, _FEW))) == 1:
        others = texts.filter(pc.invert(pc.match_substring(texts, first[0])))  # mostly none
        return [*first, *(sign for sign in currencies(others) if sign not in first)]
    left = pc.replace_substring_regex(texts, f"[0-9.,+%-]|{_BLANK}|{_QUOTE}|[eE][0-9]", "")
    return [sign for sign in pc.unique(left.drop_null()).to_pylist() if sign]


def on_commas(text: str, *, sure: bool) -> str:
    """Advice about a number with a comma where the decimal sign is a point."""
    otherwise = ""
    if not sure and two_readings(pa.array([text]))[0].as_py():
        otherwise = "; if it stands between thousands, with --decimal '.'"
    return f"decimal sign, say so with --decimal ','{otherwise}."


def two_readings(texts: Any) -> Any:
    """Mark the texts that are one number or another, depending on the decimal sign, as ``1,234`` is."""
    point, comma = (NumberNotation(sign).matches(texts) for sign in _SIGNS)
    return pc.and_(pc.and_(point, comma), pc.match_substring_regex(texts, _HAS_SIGN))


def decimal_signs(texts: Any) -> set[tuple[str, bool]]:
    """The decimal signs that some texts speak for, and whether no other is possible.

    Examples
    --------
    >>> decimal_signs(pa.array(["4.704,03"])), decimal_signs(pa.array(["$41,000"]))
    ({(',', True)}, {('.', False)})
    >>> decimal_signs(pa.array(["1,234", "23.04.2023", "62"]))
    set()
    """
    texts = texts.filter(pc.match_substring_regex(texts, _HAS_SIGN))
    point, comma = (NumberNotation(sign).matches(texts) for sign in _SIGNS)
    found = set()
    for sign, one, other in ((".", point, comma), (",", comma, point)):
        if _any(pc.and_not(one, other)):
            found.add((sign, True))
    money = texts.filter(pc.and_(pc.and_(point, comma), pc.match_substring_regex(texts, _CURRENCY)))
    for sign, other in ((".", ","), (",", ".")):  # no price has three decimals
        if _any(pc.match_substring(money, other)):
            found.add((sign, False))
    return found


# The distinct texts of a column

ENOUGH = 20
"""Numbers that a column must have before other values in it are taken to be slips."""
NEARLY_ALL = 0.95
"""Share of the values that must be numbers then."""
_CODE = r"^[+-]?0[0-9xX]"  # 00123 is a code, 0x1F is no number
_COMMA_NUMBER = r"^[+-]?([0-9]+,[0-9]*|,[0-9]+)$"
_WHOLE = r"^[+-]?[0-9]+$"
_LONG = 19  # digits; int64 has no more
_UNIT = r"^[\p{L}°µ][\p{L}\p{N}°µ/²³^.·-]*$"


@dataclass(frozen=True)
class NumberSpelling:
    """Spelling of the numbers of a column that are not written as programs write them.

    Attributes
    ----------
    text : str
        One of them.
    number : float
        What it is read as.
    percent : bool
        Whether it has a percent sign.
    signs : tuple of str
        Signs of currencies in the column.
    """

    text: str
    number: float
    percent: bool
    signs: tuple[str, ...]


@dataclass(frozen=True)
class OddValues:
    """Values of a column that are not of its type.

    Attributes
    ----------
    n : int
        How many there are.
    text : str
        The first of them, or the first that is a number with the other decimal sign.
    row : int
        Where it is, counted from 0.
    other_sign : bool
        Whether it is such a number.
    """

    n: int
    text: str
    row: int
    other_sign: bool = False


@dataclass(frozen=True, eq=False)
class Values:
    """A column as values.

    Attributes
    ----------
    column : pyarrow.ChunkedArray or ndarray of object
        Null or None where a value is missing, or odd.
    n : int
        Values that are there, the odd ones among them.
    odd : OddValues, optional
    spelling : NumberSpelling, optional
    note : str
        What a person should know about a column that was guessed to be text; mostly empty.
    """

    column: Any
    n: int = 0
    odd: OddValues | None = None
    spelling: NumberSpelling | None = None
    note: str = ""


class Levels:
    """The distinct texts of a column that are there, and which of them are numbers."""

    def __init__(self, column: Any, notation: NumberNotation) -> None:
        coded = column.dictionary_encode()
        self.notation = notation
        self.texts = coded.chunk(0).dictionary
        codes = [chunk.indices.fill_null(len(self.texts)).to_numpy() for chunk in coded.chunks]
        self.codes: IndexArray = np.concatenate(codes).astype(np.intp)
        self.counts = np.bincount(self.codes, minlength=len(self.texts) + 1)[:-1]
        self.numbers, good, bare = notation.read(self.texts)
        self.bare = bare.drop_null()
        self.good: BoolArray = good.to_numpy(zero_copy_only=False)
        self.n = int(self.counts.sum())
        self.n_good = int(self.counts[self.good].sum())

    @property
    def n_percent(self) -> int:
        """Values that are numbers in percent."""
        return int(
            self.counts[
                self.good & pc.match_substring(self.texts, _PERCENT).to_numpy(zero_copy_only=False)
            ].sum()
        )

    def values(self) -> Values:
        """The column as numbers; null where a text is none."""
        numbers = self.numbers.take(pa.array(self.codes, mask=self.codes == len(self.texts)))
        return Values(pa.chunked_array([numbers]), self.n, self._odd(), self._spelling())

    def _odd(self) -> OddValues | None:
        if self.n_good == self.n:
            return None
        others = pc.match_substring_regex(self.texts, _OTHER_NOTATION).to_numpy(zero_copy_only=False)
        others &= ~self.good
        wanted = others if others.any() else ~self.good
        row = int(np.argmax(np.append(wanted, False)[self.codes]))
        text = self.texts[int(self.codes[row])].as_py()
        return OddValues(self.n - self.n_good, text, row, bool(others.any()))

    def _spelling(self) -> NumberSpelling | None:
        signs = pa.array(self.good & ~self.notation.is_plain(self.texts).to_numpy(zero_copy_only=False))
        texts = self.texts.filter(signs)
        if not len(texts):
            return None
        text = max(texts.slice(0, _FEW).to_pylist(), key=len)  # shows best how numbers are written
        number = self.numbers[pc.index(self.texts, text).as_py()].as_py()
        return NumberSpelling(text, number, "%" in text, tuple(currencies(texts)))


def has_codes(column: Any) -> bool:
    """True where a value that could be a number is a code: it has leading zeros, or is hexadecimal."""
    return _any(pc.match_substring_regex(column, _CODE))


def longest_whole(column: Any) -> str:
    """A whole number of this many digits that a float would change it; empty when there is none."""
    long = column.filter(pc.greater_equal(pc.binary_length(column), _LONG))
    found = long.filter(pc.match_substring_regex(long, _WHOLE))
    return str(found[0].as_py()) if len(found) else ""


# Columns

MISSING = ("", "?", "#N/A", "#NA", "-NaN", "-nan", "<NA>", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null")
"""Texts that stand for a missing value."""
_GAPS = pa.array(MISSING)
_BOOLEANS = pa.array(["true", "True", "TRUE", "false", "False", "FALSE"])
_YES, _NO = pa.array(["true", "t", "yes", "y"]), pa.array(["false", "f", "no", "n"])
_TRIED = (64, 4096)  # rows


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


def trim(column: Any) -> Any:
    """Values without the blanks around them, null where one is missing."""
    bare = pc.utf8_trim_whitespace(column)
    gap = pc.is_in(bare, value_set=_GAPS)
    return pc.if_else(gap, pa.scalar(None, bare.type), bare)


@dataclass(frozen=True)
class TextProfile:
    """Evidence about the type of a column of text; profiles of its parts add up to that of the whole.

    Amounts are texts that :class:`NumberNotation` reads as numbers.

    Attributes
    ----------
    n : int
        Values that are there.
    whole, floats, boolean : bool
        Whether programs read all of them as integers, as floats, and as true or false.
    infinite, codes : bool
        Whether some are infinite, and whether some that programs read as numbers are codes.
    n_amounts, n_percent : int
        Amounts, and those of them in percent.
    whole_amounts, coded_amounts, grouped_amounts : bool
        Whether all amounts are integers, some are codes, and all are in groups of three digits.
    long : str
        An amount of too many digits, if there is one.
    lengths : (int, int)
        Least and greatest length of an amount.
    amount : str
        One of them.
    several : bool
        Whether there are others.
    """

    n: int = 0
    whole: bool = True
    floats: bool = True
    boolean: bool = True
    infinite: bool = False
    codes: bool = False
    n_amounts: int = 0
    n_percent: int = 0
    whole_amounts: bool = True
    coded_amounts: bool = False
    grouped_amounts: bool = True
    long: str = ""
    lengths: tuple[int, int] = (sys.maxsize, 0)
    amount: str = ""
    several: bool = False

    def __add__(self, other: TextProfile) -> TextProfile:
        return TextProfile(
            n=self.n + other.n,
            whole=self.whole and other.whole,
            floats=self.floats and other.floats,
            boolean=self.boolean and other.boolean,
            infinite=self.infinite or other.infinite,
            codes=self.codes or other.codes,
            n_amounts=self.n_amounts + other.n_amounts,
            n_percent=self.n_percent + other.n_percent,
            whole_amounts=self.whole_amounts and other.whole_amounts,
            coded_amounts=self.coded_amounts or other.coded_amounts,
            grouped_amounts=self.grouped_amounts and other.grouped_amounts,
            long=self.long or other.long,
            lengths=(min(self.lengths[0], other.lengths[0]), max(self.lengths[1], other.lengths[1])),
            amount=self.amount or other.amount,
            several=self.several
            or other.several
            or bool(self.amount and other.amount and self.amount != other.amount),
        )

    @property
    def plain(self) -> bool:
        """True where programs read all values as numbers."""
        return self.whole or self.floats

    @property
    def partly_in_percent(self) -> bool:
        """True where so many are in percent, and so many are not, that neither can be a slip."""
        return 1 - NEARLY_ALL < self.n_percent / max(self.n_amounts, 1) < NEARLY_ALL

    @property
    def are_amounts(self) -> bool:
        """True where nearly all are amounts, and neither codes nor partly in percent."""
        if self.n_amounts < max(NEARLY_ALL * self.n, min(ENOUGH, self.n)):
            return False
        codes = self.grouped_amounts and self.several and self.lengths[0] == self.lengths[1]
        return not (self.coded_amounts or self.long or codes or self.partly_in_percent)

    @property
    def by_amounts(self) -> bool:
        """True where values are read as amounts, not as programs write numbers."""
        return (self.infinite or (not self.plain and not self.boolean)) and self.are_amounts

    @property
    def type(self) -> Any:
        """The type of pyarrow that the column becomes."""
        if not self.n:
            return pa.float64()
        if self.by_amounts:
            return pa.int64() if self.whole_amounts else pa.float64()
        if self.plain and self.infinite:
            return pa.float64()
        if self.plain and not self.codes and (self.whole or not self.long):
            return pa.int64() if self.whole else pa.float64()
        return pa.bool_() if self.boolean else pa.string()


class TextColumn:
    """Some rows of a column of text, null where a value is missing: their profile, and their values.

    Examples
    --------
    >>> column = TextColumn(pa.chunked_array([["$900", "$41,000"]]), NumberNotation())
    >>> column.profile.type, column.values(column.profile).column.to_pylist()
    (DataType(int64), [900, 41000])
    """

    def __init__(self, column: Any, notation: NumberNotation) -> None:
        self.notation = notation
        self.text = column
        self.numbers = _numbers(column, notation.decimal)
        if self.numbers is None:
            self.text = trim(column)
            self.numbers = _numbers(self.text, notation.decimal)

    @cached_property
    def levels(self) -> Levels:
        """The distinct texts."""
        return Levels(self.text, self.notation)

    @cached_property
    def profile(self) -> TextProfile:
        """Evidence of these rows about the type of the column."""
        text, numbers = self.text, self.numbers
        n = len(text) - text.null_count
        if not n:
            return TextProfile()
        plain = numbers is not None
        whole = plain and pa.types.is_integer(numbers.type)
        codes = plain and has_codes(text)
        if plain and not codes and (whole or _all(pc.is_finite(numbers), numbers)):
            return TextProfile(
                n,
                whole=whole,
                boolean=False,
                n_amounts=n,
                whole_amounts=whole,
                grouped_amounts=False,
                long=longest_whole(text),
            )
        levels = self.levels
        amounts = levels.texts.filter(pa.array(levels.good))
        lengths = pc.min_max(pc.utf8_length(amounts)).as_py() if len(amounts) else None
        return TextProfile(
            n,
            whole=whole,
            floats=plain and not (whole and _any(pc.match_substring_regex(text, "[xX]"))),
            boolean=not plain and _all(pc.is_in(text, value_set=_BOOLEANS), text),
            infinite=plain and not whole and _any(pc.is_inf(numbers)),
            codes=codes,
            n_amounts=levels.n_good,
            n_percent=levels.n_percent,
            whole_amounts=pa.types.is_integer(levels.numbers.type),
            coded_amounts=has_codes(levels.bare),
            grouped_amounts=_all(pc.match_substring_regex(amounts, _LIKE_A_CODE), amounts),
            long=longest_whole(levels.bare),
            lengths=TextProfile.lengths if lengths is None else (lengths["min"], lengths["max"]),
            amount=amounts[0].as_py() if len(amounts) else "",
            several=len(amounts) > 1,
        )

    def values(self, profile: TextProfile) -> Values:
        """The rows as values of the type that the profile of the whole column says."""
        if profile.by_amounts:
            found = self.levels.values()
            return replace(found, column=pc.cast(found.column, profile.type))
        if profile.type == pa.string():
            return Values(self.text)
        if self.numbers is None:
            return Values(pc.cast(self.text, profile.type))
        return Values(pc.cast(self.numbers, profile.type))


def guess_type(column: Any, name: str, notation: NumberNotation | None = None) -> Values:
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
        Integers, floats, Booleans or text.

    Examples
    --------
    >>> guess_type(pa.chunked_array([["1.5", None, " 2"]]), "size").column.to_pylist()
    [1.5, None, 2.0]
    """
    found = TextColumn(column, notation or NumberNotation())
    values = found.values(found.profile)
    return replace(values, note=_note_on_text(found, name) if found.profile.type == pa.string() else "")


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
    """True where something is true of all values that are there."""
    return bool(pc.all(pc.or_(mask, pc.is_null(column))).as_py())


def as_type(column: Any, kind: ValueType, notation: NumberNotation | None = None) -> Values:
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
    ([62, None, None, 1234], OddValues(n=1, text='young', row=2, other_sign=False))
    """
    notation = notation or NumberNotation()
    text = trim(column)
    if kind is ValueType.TEXT:
        return Values(text)
    if kind is ValueType.MIXED:
        return Values(_mixed(text, notation))
    if kind is ValueType.FLAG:
        word = pc.utf8_lower(text)
        for words, number in ((_YES, "1"), (_NO, "0")):
            text = pc.if_else(pc.is_in(word, value_set=words), number, text)
    numbers = _numbers(text, notation.decimal)
    coded = numbers is not None and pa.types.is_integer(numbers.type) and has_codes(text)
    if numbers is not None and not coded and not _any(pc.is_inf(numbers)):
        return Values(numbers, len(text) - text.null_count)
    return Levels(text, notation).values()


def _mixed(text: Any, notation: NumberNotation) -> Any:
    """Each value a number where it is one as programs write it and no code, else text."""
    coded = text.combine_chunks().dictionary_encode()
    levels = coded.dictionary
    plain = pc.and_not(notation.is_plain(levels), pc.match_substring_regex(levels, _CODE)).to_pylist()
    values = levels.to_pylist()
    for at in np.flatnonzero(plain):
        number = float(values[at].replace(notation.decimal, "."))
        values[at] = int(number) if number.is_integer() else number
    return np.array([*values, None], dtype=object)[coded.indices.fill_null(len(levels)).to_numpy()]


def _note_on_text(column: TextColumn, name: str) -> str:
    """Note about text that is mostly numbers."""
    profile = column.profile
    if profile.plain:
        return "" if profile.codes else _note_on_long(name, profile.long)
    levels = column.levels
    values, counts, good = levels.texts, levels.counts, levels.good
    head = f"Column {name!r} is read as text: "
    commas = pc.match_substring_regex(values, _COMMA_NUMBER).to_numpy(zero_copy_only=False) & ~good
    n_numbers = int(counts[good | commas].sum())
    if 2 * n_numbers <= levels.n:
        return head + unit if (unit := _note_on_units(values)) else ""
    if n_numbers == levels.n and commas.any():
        text = values[int(np.argmax(commas))].as_py()
        return (
            f"{head}it holds numbers with a comma, such as {shown(text)}. "
            f"If that is the {on_commas(text, sure=levels.notation.sure)}"
        )
    if profile.partly_in_percent:
        return (
            f"{head}{profile.n_percent} of {levels.n} values are in percent, the others not. "
            "Write all in one way."
        )
    if n_numbers == levels.n or profile.coded_amounts:
        return ""
    if profile.long:
        return _note_on_long(name, profile.long)
    text = values[int(np.argmin(good | commas))].as_py()
    return (
        f"{head}{levels.n - n_numbers} of {levels.n} values are no numbers, such as {shown(text)}. "
        "Leave them empty if they stand for missing values."
    )


def _note_on_units(texts: Any) -> str:
    """Note about numbers that all have the same unit."""
    units = pc.replace_substring_regex(texts, r"^[+-]?[0-9][0-9.,]*[ \x{00a0}]?", "")
    if pc.any(pc.equal(units, texts)).as_py() or pc.count_distinct(units).as_py() != 1:
        return ""
    if len(texts) < 2 or not pc.match_substring_regex(units[0:1], _UNIT)[0].as_py():
        return ""
    return (
        f"it holds numbers with a unit, such as {shown(texts[0].as_py())}. Write the unit into the name of "
        "the column, and the numbers alone into its rows."
    )


def _note_on_long(name: str, text: str) -> str:
    """Note about whole numbers that a float would change."""
    return (
        f"Column {name!r} is read as text: it holds whole numbers that are too long to count with, such as "
        f"{shown(text)}."
    )
