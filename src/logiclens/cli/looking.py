"""Whether a column of a table can be used: why not, and what a person should know of one that can."""

from __future__ import annotations

import re

import numpy as np

from logiclens.concepts.cells import Column, Kind
from logiclens.concepts.columns import Evidence, Extent, Recipe, read_column
from logiclens.concepts.table import Table
from logiclens.errors import InputError, count, listing

ENOUGH = 100_000
"""Rows that are enough to see that a column is of use."""

_MOST_SPELLINGS = 10_000  # of more texts no one would look at how they are spelled
_MOST_DATES = 1000  # texts that are enough to see that they are dates
_LEARNED = "the rows it was learned from"
_DATES = "holds dates or times written as text. Turn it into a number such as the age in days"
_DAY, _TIME = r"\d{1,2}", r"([T ,]+\d{1,2}:\d\d.*)?"
_MONTH = r"(jan|feb|mar|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|mär)[a-z]*\.?"
_DATE = re.compile(
    rf"({_DAY}([./-]){_DAY}\2\d{{4}}|\d{{4}}([./-]){_DAY}\3{_DAY}|\d\d([./-])\d\d\4\d\d|{_DAY}/{_DAY}/\d\d|"
    rf"{_DAY}\.?[ -]{_MONTH}[ -]\d{{4}}|{_MONTH} {_DAY},? \d{{4}}){_TIME}",
    re.IGNORECASE,
)
_ROUGH = Recipe("uniform", {}, 1, 1, 0.0, False, False)  # enough to see whether a column can be used


def look_at(table: Table, name: str) -> tuple[str, str]:
    """Why a column cannot be used, empty when it can, and a remark on one that can.

    Parameters
    ----------
    table : Table
    name : str
        The column.

    Notes
    -----
    Of a long table the first rows can show that a column is of use; that it is of none, all rows must show.
    """
    try:
        column = table.column(name)
        few = column.take(np.arange(ENOUGH)) if len(column) > ENOUGH else column
        why, remark = look_at_values(few)
        if why and few is not column:
            why, remark = look_at_values(column)
    except InputError as error:  # what a person has to decide
        return reason_of(error, name), ""
    return why, remark


def look_at_values(column: Column, evidence: Evidence | None = None) -> tuple[str, str]:
    """The same of values at hand.

    Parameters
    ----------
    column : Column, n values
    evidence : Evidence, optional
        How often each value occurs, and how many there are, where they were counted elsewhere.
    """
    try:
        if _are_dates(column):
            return _DATES, ""
        reading = read_column(column, _ROUGH, evidence or Evidence(np.ones(len(column))))
    except InputError as error:
        return reason_of(error, column.name), ""
    extent = Extent.of(column) if evidence is None or evidence.extent is None else evidence.extent
    if reading.reason:
        return _of_all_rows(reading.reason, extent), ""
    if reading.as_text == "numbers":
        return "", (
            f"Column {column.name!r} has numbers written as text: see --decimal, or remove thousands signs."
        )
    return "", ""


def reason_of(error: InputError, name: str) -> str:
    """What the library refuses a column for, without what is clear here: that the column is dropped."""
    message = str(error).removeprefix(f"Column {name!r} ")
    for words in (", or drop it", ", which are no concepts"):
        message = message.replace(words, "")
    return message.rstrip(".")


def _are_dates(column: Column) -> bool:
    """Whether most of the texts are dates, however they are written."""
    texts = column.levels[:_MOST_DATES] if column.kind is Kind.TEXT else ()
    dates = [text for text in texts if isinstance(text, str) and _DATE.fullmatch(text.strip())]
    return 2 * len(dates) > len(texts)


def _of_all_rows(why: str, extent: Extent) -> str:
    """A reason that counts the rows with a value, beside all rows."""
    n, n_all = extent.present, extent.rows
    rows = f" in {count(n, 'row')}"
    if n < n_all and why.startswith("an identifier"):
        return why.replace(rows, f" in {n} of {count(n_all, 'row')}", 1)
    return why


def of_some_rows(why: str) -> str:
    """A reason that was found on some rows, and says so.

    Examples
    --------
    >>> of_some_rows("an identifier: 21 values in 21 rows")
    'an identifier: 21 values in 21 of the rows it was learned from'
    >>> of_some_rows("constant")
    'constant in the rows it was learned from'
    """
    if not why:
        return ""
    told, n = re.subn(r" in (\d+)( of \d+)? rows?\b", rf" in \1 of {_LEARNED}", why, count=1)
    first, stop, advice = why.partition(". ")
    return told if n else f"{first} in {_LEARNED}{stop}{advice}"


def spellings(column: Column) -> list[str]:
    """A remark on texts that differ only in capitals or blanks."""
    if column.kind is not Kind.TEXT or len(column.levels) > _MOST_SPELLINGS:
        return []
    alike: dict[str, list[str]] = {}
    for text in column.levels:
        if isinstance(text, str):
            alike.setdefault("".join(text.casefold().split()), []).append(text)
    groups = [texts for texts in alike.values() if len(texts) > 1]
    if not groups:
        return []
    differences = {word for texts in groups for word in _differences(texts)}
    what = " or ".join(sorted(differences, reverse=True))
    named = "; ".join(listing(texts) for texts in groups[:3]) + ("; and so on" if len(groups) > 3 else "")
    return [
        f"Column {column.name!r} has values that differ only in {what}: {named}. They count as different."
    ]


def _differences(texts: list[str]) -> set[str]:
    """In what texts differ that are the same but for capitals and blanks."""
    found = set()
    if len({"".join(text.split()) for text in texts}) > 1:
        found.add("capitals")
    if len({text.casefold() for text in texts}) > 1:
        found.add("blanks")
    return found
