"""The distinct texts of a column: whether they are numbers, and what to say where they are not.

A column of a million rows often has but few texts, and each is looked at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from logiclens.errors import shown
from logiclens.files.written import (
    Notation,
    currencies,
    example,
    in_another_notation,
    in_percent,
    look_like_codes,
    on_commas,
)
from logiclens.logic.arrays import BoolArray, IndexArray

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
class Written:
    """How the numbers of a column are written, where not as programs write them.

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
class Odd:
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
    odd : Odd, optional
    written : Written, optional
    note : str
        What a person should know about a column that was guessed to be text; mostly empty.
    """

    column: Any
    n: int = 0
    odd: Odd | None = None
    written: Written | None = None
    note: str = ""


class Levels:
    """The distinct texts of a column that are there, and which of them are numbers."""

    def __init__(self, column: Any, notation: Notation) -> None:
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

    def are_numbers(self) -> bool:
        """Whether nearly all are amounts, and neither codes nor partly in percent."""
        if self.n_good < self.n and (self.n_good < ENOUGH or self.n_good < NEARLY_ALL * self.n):
            return False
        if has_codes(self.bare) or longest_whole(self.bare):
            return False
        if look_like_codes(self.texts.filter(pa.array(self.good))):
            return False
        return not self.partly_in_percent

    @property
    def partly_in_percent(self) -> bool:
        """Whether so many are in percent, and so many are not, that neither can be a slip."""
        share = self.n_percent / max(self.n_good, 1)
        return 1 - NEARLY_ALL < share < NEARLY_ALL

    @property
    def n_percent(self) -> int:
        """Values that are numbers in percent."""
        return int(self.counts[self.good & in_percent(self.texts).to_numpy(zero_copy_only=False)].sum())

    def values(self) -> Values:
        """The column as numbers; null where a text is none."""
        numbers = self.numbers.take(pa.array(self.codes, mask=self.codes == len(self.texts)))
        return Values(pa.chunked_array([numbers]), self.n, self._odd(), self._written())

    def _odd(self) -> Odd | None:
        if self.n_good == self.n:
            return None
        others = in_another_notation(self.texts).to_numpy(zero_copy_only=False) & ~self.good
        wanted = others if others.any() else ~self.good
        row = int(np.argmax(np.append(wanted, False)[self.codes]))
        text = self.texts[int(self.codes[row])].as_py()
        return Odd(self.n - self.n_good, text, row, bool(others.any()))

    def _written(self) -> Written | None:
        signs = pa.array(self.good & ~self.notation.is_plain(self.texts).to_numpy(zero_copy_only=False))
        texts = self.texts.filter(signs)
        if not len(texts):
            return None
        text = example(texts)
        number = self.numbers[pc.index(self.texts, text).as_py()].as_py()
        return Written(text, number, "%" in text, tuple(currencies(texts)))


def has_codes(column: Any) -> bool:
    """Whether some value that could be a number is a code: it has leading zeros, or is hexadecimal."""
    signs = pc.or_(pc.starts_with(column, "-"), pc.starts_with(column, "+"))
    zeros = pc.or_(pc.starts_with(column, "0"), signs)
    if not pc.any(zeros).as_py():
        return False
    return bool(pc.any(pc.match_substring_regex(column.filter(zeros), _CODE)).as_py())


def longest_whole(column: Any) -> str:
    """A whole number of so many digits that a float would change it; empty when there is none."""
    long = column.filter(pc.greater_equal(pc.binary_length(column), _LONG))
    found = long.filter(pc.match_substring_regex(long, _WHOLE))
    return str(found[0].as_py()) if len(found) else ""


def note_on_text(levels: Levels, name: str) -> str:
    """What to say about text that is numbers for the most part."""
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
    if levels.partly_in_percent:
        return (
            f"{head}{levels.n_percent} of {levels.n} values are in percent, the others not. "
            "Write all in one way."
        )
    if n_numbers == levels.n or has_codes(levels.bare):
        return ""
    if long := longest_whole(levels.bare):
        return note_on_long(name, long)
    text = values[int(np.argmin(good | commas))].as_py()
    return (
        f"{head}{levels.n - n_numbers} of {levels.n} values are no numbers, such as {shown(text)}. "
        "Leave them empty if they stand for missing values."
    )


def _note_on_units(texts: Any) -> str:
    """What to say where all are numbers with the same unit."""
    units = pc.replace_substring_regex(texts, r"^[+-]?[0-9][0-9.,]*[ \x{00a0}]?", "")
    if pc.any(pc.equal(units, texts)).as_py() or pc.count_distinct(units).as_py() != 1:
        return ""
    if len(texts) < 2 or not pc.match_substring_regex(units[0:1], _UNIT)[0].as_py():
        return ""
    return (
        f"it holds numbers with a unit, such as {shown(texts[0].as_py())}. Write the unit into the name of "
        "the column, and the numbers alone into its rows."
    )


def note_on_long(name: str, text: str) -> str:
    """What to say about whole numbers that a float would change."""
    return (
        f"Column {name!r} is read as text: it holds whole numbers that are too long to count with, such as "
        f"{shown(text)}."
    )
