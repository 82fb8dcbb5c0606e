"""Numbers as people write them: with a currency sign, a percent sign, signs between thousands.

A text has one reading, whatever stands in the rows around it: it is the same number when rules are made and
when they are used. Where a text has two, as ``1,234`` has while nobody knows which sign is the decimal one,
it is no number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_CURRENCY = r"(?:\p{Sc}|USD|EUR|GBP|CHF|JPY)"
_BLANK = "[ \u00a0\u2009\u202f]"
_QUOTE = "['\u2019]"
_PERCENT = "%"
_PLAIN = r"(?:[0-9]+(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"
_OTHER_NOTATION = r"^[+-]?[0-9]*[.,][0-9]+$"
_FEW = 50  # texts that are looked at first
_LIKE_A_CODE = f"[0-9]{_BLANK}[0-9]{{3}}{_BLANK}[0-9]{{3}}"


@dataclass(frozen=True)
class Notation:
    """How numbers are written in a file.

    Attributes
    ----------
    decimal : {".", ","}
        Sign before decimals; the other one may stand between thousands.
    sure : bool
        Whether that is certain; where it is not, ``1,234`` may be either and is no number.

    Examples
    --------
    >>> numbers, good, _ = Notation(",").read(pa.array(["4.704,03 €", "3,2 %", "1.5"]))
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
    def _written(self) -> str:
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
        good = pc.match_substring_regex(texts, self._written)
        bare = self._bare(pc.if_else(good, texts, pa.scalar(None, texts.type)))
        try:
            numbers = pc.cast(bare, pa.int64())
        except pa.ArrowInvalid:
            numbers = pc.cast(bare, pa.float64())
            finite = pc.fill_null(pc.is_finite(numbers), True)
            good = pc.and_(good, finite)
            numbers = pc.if_else(finite, numbers, pa.scalar(None, numbers.type))
        return numbers, good, bare

    def _bare(self, texts: Any) -> Any:
        signs = f"{_CURRENCY}|{_BLANK}|{_QUOTE}|{_PERCENT}|{re.escape(self._other)}"
        found = pc.replace_substring_regex(texts, signs, "")
        return found if self.decimal == "." else pc.replace_substring(found, ",", ".")

    def is_plain(self, texts: Any) -> Any:
        """Where texts are numbers as programs write them, but for the decimal sign."""
        return pc.match_substring_regex(texts, f"^[+-]?{_PLAIN.format(point=re.escape(self.decimal))}$")


def in_percent(texts: Any) -> Any:
    """Where texts have a percent sign."""
    return pc.match_substring(texts, _PERCENT)


def currencies(texts: Any) -> list[str]:
    """The signs of currencies that occur, in the order in which they do; texts are numbers with signs."""
    if len(texts) > _FEW and len(first := currencies(texts.slice(0, _FEW))) == 1:
        others = texts.filter(pc.invert(pc.match_substring(texts, first[0])))  # mostly none
        return [*first, *(sign for sign in currencies(others) if sign not in first)]
    left = pc.replace_substring_regex(texts, f"[0-9.,+%-]|{_BLANK}|{_QUOTE}|[eE][0-9]", "")
    return [sign for sign in pc.unique(left.drop_null()).to_pylist() if sign]


def in_another_notation(texts: Any) -> Any:
    """Where texts that are no numbers would be some if the decimal sign were the other."""
    return pc.match_substring_regex(texts, _OTHER_NOTATION)


def has_two_readings(text: str) -> bool:
    """Whether a text is one number or another, depending on the decimal sign: ``1.234`` and ``1,234`` are."""
    return bool(_EITHER.fullmatch(_AROUND.sub("", text).lstrip("+-")))


def on_commas(text: str, *, sure: bool) -> str:
    """What to do about a number with a comma where the decimal sign is a point."""
    otherwise = ""
    if not sure and has_two_readings(text):
        otherwise = "; if it stands between thousands, with --decimal '.'"
    return f"decimal sign, say so with --decimal ','{otherwise}."


def look_like_codes(texts: Any) -> bool:
    """Whether all texts are equally long and in several groups, as ``030 123 456``: no amounts are."""
    if not len(texts) or not pc.all(pc.match_substring_regex(texts, _LIKE_A_CODE)).as_py():
        return False
    lengths = pc.min_max(pc.utf8_length(texts)).as_py()
    return len(texts) > 1 and lengths["min"] == lengths["max"]


def example(texts: Any) -> str:
    """The text that shows best how numbers are written: the longest of the first few."""
    first: list[str] = texts.slice(0, _FEW).to_pylist()
    return max(first, key=len)


# What tells the decimal sign of a file, a cell at a time.
_AROUND = re.compile(r"[$€£¥₹%\s\u00a0\u2009\u202f'\u2019]|USD|EUR|GBP|CHF|JPY")
_MONEY = re.compile(r"[$€£¥₹]|USD|EUR|GBP|CHF|JPY")
_GROUPS = r"\d{{1,3}}({group}\d{{3}})+{point}\d+|\d{{1,3}}({group}\d{{3}}){{2,}}"
_SURELY = {
    sign: re.compile(_GROUPS.format(point=re.escape(sign), group=re.escape(other)))
    for sign, other in ((".", ","), (",", "."))
}
_ONE = re.compile(r"\d*[.,]\d+")
_EITHER = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")


def decimal_sign(cell: str) -> tuple[str, bool]:
    """The decimal sign that a cell speaks for, empty when for none, and whether no other is possible.

    Examples
    --------
    >>> decimal_sign("4.704,03"), decimal_sign("3.5 %"), decimal_sign("$41,000"), decimal_sign("1,234")
    ((',', True), ('.', True), ('.', False), ('', False))
    """
    if "." not in cell and "," not in cell:
        return "", False
    digits = _AROUND.sub("", cell).lstrip("+-")
    for sign, pattern in _SURELY.items():
        if pattern.fullmatch(digits):
            return sign, True
    if not _ONE.fullmatch(digits):
        return "", False
    sign, other = (".", ",") if "." in digits else (",", ".")
    if not _EITHER.fullmatch(digits):
        return sign, True
    return (other, False) if _MONEY.search(cell) else ("", False)  # no price has three decimals
