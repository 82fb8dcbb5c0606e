"""Parts of dates: year, month, weekday and days since a stated day, as columns that concepts are about.

A date is no concept, and no number either. Its parts are: a rule says ``admitted year > 2020``, or ``admitted
weekday = Sunday``. A part is a value that knows its column, so that it is the same in memory, as an SQL
expression and in generated Python; engines have it in ``scale/_expressions.py``. The time of day and the time
zone are left out: the day is the one that is written.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.concepts.concept import Value, value_text
from logiclens.concepts.table import Column, Kind, Texts
from logiclens.errors import InputError, shown
from logiclens.logic.data import check_name
from logiclens.logic.sql import Dialect, sql_text

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
PARTS = ("day", "year", "month", "weekday", "days since")
_DAY, _YEAR, _MONTH, _WEEKDAY, _SINCE = PARTS
_DATE = re.compile(r"(\d{4}-\d\d-\d\d)([T ].*)?")
_SETTING = re.compile(r"date( since (\d{4}-\d\d-\d\d))?")
_EPOCH = np.datetime64("1970-01-01", "D")
_LAST = datetime.date.max.toordinal()

Days = NDArray[np.datetime64]
"""Days, shape (n,), NaT where there is none."""


def day_of(text: str) -> str:
    """The day that a text begins with, as YYYY-MM-DD; empty where it is no date.

    Examples
    --------
    >>> day_of("2024-02-29T10:30"), day_of("2023-02-29"), day_of("3 May 2024")
    ('2024-02-29', '', '')
    """
    found = _DATE.fullmatch(text.strip())
    try:
        return datetime.date.fromisoformat(found[1]).isoformat() if found else ""
    except ValueError:
        return ""


def days_of(column: Column) -> Days:
    """The day of each date of a column; anything else is refused.

    Examples
    --------
    >>> from logiclens.concepts import Table
    >>> days_of(Table({"on": ["2024-02-29 10:30", None]}).column("on"))
    array(['2024-02-29',        'NaT'], dtype='datetime64[D]')
    """
    if column.missing.all():
        return np.full(len(column), np.datetime64("NaT", "D"))
    if column.kind is Kind.DATE and column.raw.dtype.kind == "M":
        days: Days = np.where(column.missing, np.datetime64("NaT"), column.raw).astype("datetime64[D]")
        return days
    if column.kind not in (Kind.DATE, Kind.TEXT):
        raise InputError(f"Column {column.name!r} holds {column.kind}, which are no dates.")
    found = [day_of(str(level)) for level in column.levels]
    if "" in found:
        wrong = shown(str(column.levels[found.index("")]))
        raise InputError(
            f"Column {column.name!r} has the value {wrong}, which is no date. Write dates as 2024-01-31; "
            "if it means that there is none, say so (--missing, in Python missing_values=)."
        )
    return np.array([*found, "NaT"], dtype="datetime64[D]")[column.codes]


@dataclass(frozen=True)
class DatePart:
    """A part of the dates of a column, which is a column to concepts.

    Attributes
    ----------
    column : str
        The column of dates.
    part : {"day", "year", "month", "weekday", "days since"}
        The day itself is 1, where there is one: it is only ever known or missing.
    since : str, default ""
        The day from which days are counted, as YYYY-MM-DD.
    gaps : tuple of str, default ()
        Values of the column that mean that there is no date.
    name : str
        Name of the part; of the day, that of the column.

    Examples
    --------
    >>> from logiclens.concepts import Table
    >>> on = Table({"on": ["2024-02-29", None]}).column("on")
    >>> part = DatePart("on", "days since", "2024-01-01")
    >>> part.name, part.of(on).values().tolist()
    ('on days since 2024-01-01', [59, None])
    """

    column: str
    part: str
    since: str = ""
    gaps: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_name(self.column)
        if self.part not in PARTS:
            raise InputError(f"A part of a date is one of {', '.join(PARTS)}. Got {shown(self.part)}.")
        since = self.since if isinstance(self.since, str) else ""
        if (self.part == _SINCE) != bool(since) or since != day_of(since):
            raise InputError(f"Days are counted since a day such as 2024-01-31. Got {shown(self.since)}.")
        gaps = self.gaps
        if not isinstance(gaps, list | tuple) or not all(isinstance(gap, str) for gap in gaps):
            raise InputError(f"The gaps of a date must be a sequence of texts. Got {shown(gaps)}.")
        object.__setattr__(self, "gaps", tuple(gaps))

    @property
    def name(self) -> str:
        return " ".join(filter(None, (self.column, "" if self.part == _DAY else self.part, self.since)))

    @property
    def kind(self) -> str:
        """What the part is to an encoder."""
        return "category" if self.part == _WEEKDAY else "number"

    @property
    def gap_days(self) -> list[str]:
        """The gaps that are days."""
        return [gap for gap in self.gaps if day_of(gap) == gap]

    @property
    def _gap_texts(self) -> list[str]:
        return [gap for gap in self.gaps if day_of(gap) != gap]

    def of(self, column: Column) -> Column:
        """The part of each date of a column."""
        days = days_of(column.without(self.gaps))
        missing = np.isnat(days) | np.isin(days, np.array(self.gap_days, dtype="datetime64[D]"))
        known = np.where(missing, _EPOCH, days)
        if self.part == _DAY:
            return Column(self.name, Kind.NUMBER, missing, np.ones(len(days), dtype=np.int64))
        if self.part == _WEEKDAY:
            numbers = (known - _EPOCH).astype(np.int64) + 3  # 1970 began on a Thursday
            return Texts(WEEKDAYS, np.where(missing, -1, numbers % 7)).take(slice(None)).column(self.name)
        if self.part == _SINCE:
            found = (known - np.datetime64(self.since, "D")).astype(np.int64)
        elif self.part == _YEAR:
            found = known.astype("datetime64[Y]").astype(np.int64) + 1970
        else:
            found = known.astype("datetime64[M]").astype(np.int64) % 12 + 1
        return Column(self.name, Kind.NUMBER, missing, found)

    def in_sql(self, dialect: Dialect, values: Sequence[Value]) -> tuple[str, list[str]]:
        """The part as an SQL expression, and the literals that it is compared with.

        Days since another are compared as dates, which databases agree on.

        Examples
        --------
        >>> from logiclens.logic.sql import dialect_named
        >>> duckdb = dialect_named("duckdb")
        >>> DatePart("on", "days since", "2024-01-01").in_sql(duckdb, [30.5])
        ('CAST("on" AS DATE)', ["DATE '2024-01-31'"])
        >>> DatePart("on", "weekday").in_sql(duckdb, ["Sunday"])
        ('EXTRACT(ISODOW FROM CAST("on" AS DATE))', ['7'])
        """
        cell = dialect.quote(self.column)
        for gap in self._gap_texts:
            cell = f"NULLIF(CAST({cell} AS {dialect.text_type}), {sql_text(gap, dialect)})"
        day = dialect.date.format(cell)
        for gap in self.gap_days:
            day = f"NULLIF({day}, {dialect.day.format(gap)})"
        if self.part == _SINCE:
            return day, [dialect.day.format(self.day_after(value)) for value in values]
        forms = {_DAY: "{}", _YEAR: dialect.year, _MONTH: dialect.month, _WEEKDAY: dialect.weekday}
        return forms[self.part].format(day), [value_text(value) for value in self.as_numbers(values)]

    def in_python(self) -> str:
        """The part as an expression of Python on ``row``; ``nan`` where there is no date.

        Examples
        --------
        >>> DatePart("on", "month").in_python()
        "nan if row['on'] is None or row['on'] != row['on'] else day(row['on']).month"
        """
        cell = f"row[{self.column!r}]"
        missing = f"{cell} is None or {cell} != {cell}"
        for text, gaps in (("str({}).strip()", self._gap_texts), ("str({}).strip()[:10]", self.gap_days)):
            if gaps:
                missing += f" or {text.format(cell)} in ({', '.join(map(repr, gaps))},)"
        day = f"day({cell})"
        form = {_DAY: "1", _YEAR: f"{day}.year", _MONTH: f"{day}.month"}
        form[_WEEKDAY] = f"WEEKDAYS[{day}.weekday()]"
        found = form.get(self.part) or f"({day} - day({self.since!r})).days"
        return f"nan if {missing} else {found}"

    def as_numbers(self, values: Sequence[Value]) -> list[Value]:
        """Values with weekdays as their numbers, Monday being 1; 0 stands for a text that is none."""
        if self.part != _WEEKDAY:
            return [*values]
        return [WEEKDAYS.index(value) + 1 if value in WEEKDAYS else 0 for value in map(str, values)]

    def day_after(self, n_days: Value) -> str:
        """So many days after the stated one, as YYYY-MM-DD."""
        first = datetime.date.fromisoformat(self.since).toordinal()
        return datetime.date.fromordinal(int(np.clip(first + floor(float(n_days)), 1, _LAST))).isoformat()

    def to_saved(self) -> dict[str, Any]:
        """Return the part as an object of JSON."""
        return {"column": self.column, "part": self.part, "since": self.since, "gaps": [*self.gaps]}

    @classmethod
    def from_saved(cls, saved: Any) -> DatePart:
        """Inverse of :meth:`to_saved`."""
        if not isinstance(saved, dict) or set(saved) != {"column", "part", "since", "gaps"}:
            raise InputError(
                f"A part of a date must have a column, part, since and gaps. Got {shown(saved)}."
            )
        return cls(**saved)


def representative_days(
    compared: Iterable[tuple[DatePart, Sequence[Value]]], more: Iterable[str] = ()
) -> Days:
    """Days that give every combination of truth of conditions on parts of one date.

    Parameters
    ----------
    compared : iterable of (DatePart, sequence of values)
        What each condition compares.
    more : iterable of str
        Days that are among them.

    Notes
    -----
    In a whole year each month has every weekday. So whole years are enough: those of the days and years that
    something is compared with, and their neighbors.
    """
    years = {2000, *(int(day[:4]) for day in more)}
    gaps: set[str] = set()
    for part, values in compared:
        gaps.update(part.gap_days)
        if part.part == _YEAR:
            years.update(floor(float(value)) for value in values)
        elif part.part == _SINCE:
            years.update(int(part.day_after(value)[:4]) for value in values)
    near = {year + step for year in years for step in (-1, 0, 1)}
    known = [year for year in sorted(near) if datetime.MINYEAR <= year < datetime.MAXYEAR]
    days = np.concatenate([np.arange(first_day(year), first_day(year + 1), dtype="M8[D]") for year in known])
    return days[~np.isin(days, np.array([*gaps], dtype="M8[D]"))]


def is_date(kind: object) -> bool:
    """True of the type that says that a column holds dates."""
    return isinstance(kind, str) and _SETTING.fullmatch(kind) is not None


def stated_day(kind: str) -> str:
    """The day that such a type counts from; empty where it states none.

    Examples
    --------
    >>> stated_day("date since 2024-01-01"), stated_day("date")
    ('2024-01-01', '')
    """
    found = _SETTING.fullmatch(kind)
    return (found[2] if found else "") or ""


def first_of_year(column: Column, gaps: Sequence[Value]) -> str:
    """The first day of the earliest year of a column of dates; of 2000 where there are none.

    Examples
    --------
    >>> from logiclens.concepts import Table
    >>> first_of_year(Table({"on": ["2021-05-03", "2020-12-31"]}).column("on"), ())
    '2020-01-01'
    """
    years = DatePart(column.name, _YEAR, gaps=_texts(gaps)).of(column)
    return first_day(min(years.levels, default=2000))


def first_day(year: int) -> str:
    """The first day of a year, as YYYY-MM-DD."""
    return f"{year:04d}-01-01"


def _texts(values: Sequence[Value]) -> tuple[str, ...]:
    return tuple(value for value in values if isinstance(value, str))


def parts_of_date(name: str, since: str, gaps: Sequence[Value], names: Iterable[str]) -> list[DatePart]:
    """All parts of the dates of a column, the day first; refused where another column has the name of one."""
    parts = [DatePart(name, part, since if part == _SINCE else "", _texts(gaps)) for part in PARTS]
    for part in parts[1:]:
        if part.name in names:
            raise InputError(
                f"Column {name!r} holds dates, and there is a column {part.name!r} already. Rename that one."
            )
    return parts


PYTHON = """from datetime import date

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def day(value):
    return date.fromisoformat(str(value).strip()[:10])


"""
"""Source of the function ``day`` that expressions of Python call."""


def dates_in(types: Mapping[str, object]) -> dict[str, str]:
    """The columns that hold dates, each with the day that is stated for it, if any."""
    return {name: stated_day(str(kind)) for name, kind in types.items() if is_date(kind)}
