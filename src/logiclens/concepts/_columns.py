"""Concepts of a column of a raw table, its values as classes, or the reason why there are none.

yes and no, 0 and 1          the column itself                      smoker
two other values             one concept                            sex = male
numbers                      one for each cut point, or interval    age > 62
text and categories          one for each common value              color = red
constant, identifiers        none: the column is dropped
dates, free text, nested     refused: a person has to decide; what is said to hold dates becomes their parts

Where values are missing there is a concept for that, or they are taken to be the median or the most common
value. Classes are codes from 0; measurements are cut into four. What kind a column is, ``concepts/table.py``
decides; what the text of a CSV column means, ``concepts/_text.py``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from logiclens.concepts._cuts import (
    class_sums,
    paying_gains,
    quantile_cuts,
    readable,
    reference_cuts,
    supervised_cuts,
    uniform_cuts,
)
from logiclens.concepts.concept import (
    Above,
    AtMost,
    Between,
    Concept,
    Flag,
    Missing,
    OneOf,
    Value,
    value_text,
)
from logiclens.concepts.dates import DatePart, dates_in, days_of, is_date, parts_of_date
from logiclens.concepts.table import Column, Kind, Table, array_of_cells, read_array, read_series
from logiclens.errors import ColumnError, InputError, Reason, UnknownColumnError, count, listing, shown
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.data import THRESHOLD, check_length, missing_values

FEW_ROWS = 20
"""In a table of no more rows, values that are all distinct do not make an identifier."""
CONSTANT = Reason("constant")
"""The reason to drop a column of one value."""
_PARTS = "Name it with --date (types= in Python) to use its year, month, weekday and days"
DATES = Reason("holds dates or times", remedy=_PARTS)
DATES_AS_TEXT = Reason("holds dates or times written as text", remedy=_PARTS)
"""The reasons to refuse dates."""
_WORDS = 6  # values with so many words, on average, are free text
_IDENTIFIER = re.compile(r"(^|[^a-zA-Z])[iI][dD]$|[a-z]I[dD]$")  # id, ID, patient_id, patientId
_INDEX = re.compile(r"Unnamed: 0(\.\d+)*")  # what pandas calls an index that it reads back as a column
_MONTH, _DAY = r"(0?[1-9]|1[0-2])", r"(0?[1-9]|[12]\d|3[01])"
_ISO_DATE = re.compile(rf"\d{{4}}-{_MONTH}-{_DAY}([T ]\d\d:\d\d.*)?")
_TWO, _TIME = r"\d{1,2}", r"([T ,]+\d{1,2}:\d\d.*)?"
_MONTH_NAME = r"(jan|feb|mar|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|mär)[a-z]*\.?"
_OTHER_DATE = re.compile(
    rf"({_TWO}([./-]){_TWO}\2\d{{4}}|\d{{4}}([./-]){_TWO}\3{_TWO}|\d\d([./-])\d\d\4\d\d|"
    rf"{_TWO}/{_TWO}/\d\d|{_TWO}\.?[ -]{_MONTH_NAME}[ -]\d{{4}}|{_MONTH_NAME} {_TWO},? \d{{4}}){_TIME}",
    re.IGNORECASE,
)
_CODE = re.compile(r"[+-]?0\d+")  # with leading zeros, as ZIP codes have them
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_YES = frozenset({"yes", "y", "true", "t", "present", "positive", "pos", "on", "1", "+"})
_NO = frozenset({"no", "n", "false", "f", "absent", "negative", "neg", "off", "0", "-", "none"})


ALL_COLUMNS = ""
"""The name under which settings hold for all columns; no column is called so."""


@dataclass(frozen=True)
class ColumnSettings:
    """Settings that say how columns become concepts: those of the encoder.

    Attributes
    ----------
    cuts : str
        ``"auto"``, ``"quantile"``, ``"uniform"``, ``"supervised"`` or ``"reference"``.
    own_cuts : mapping of str to sequence of float
        Cut points that the user gave, by column.
    max_cuts, max_categories : int
    min_share : float
    intervals : bool
        Intervals instead of thresholds.
    impute : bool
        Whether a missing value is taken to be the median or the most common value.
    types : mapping of str to str or tuple of values
        What the user said columns are: ``"category"``, ``"number"``, ``"date"``, or ordered values, the
        lowest first.
    gaps : mapping of str to tuple of values
        Values that mean that there is none, by column.
    parts : frozenset of str
        Parts of dates but the day itself, which says whether there is a date.
    """

    cuts: str
    own_cuts: Mapping[str, Sequence[float]]
    max_cuts: int
    max_categories: int
    min_share: float
    intervals: bool
    impute: bool
    types: Mapping[str, str | tuple[Value, ...]] = field(default_factory=dict)
    gaps: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    parts: frozenset[str] = frozenset()

    def of_table(
        self, names: Sequence[str], first_day: Callable[[str, Sequence[Value]], str]
    ) -> tuple[ColumnSettings, tuple[DatePart, ...]]:
        """Settings for the columns of a table and for the parts of dates among them, and these parts.

        Parameters
        ----------
        names : sequence of str
            The columns.
        first_day : callable
            The day from which the dates of a column are counted, where none is stated; also gets the values
            that mean that there is none.
        """
        everywhere, parts = self.gaps.get(ALL_COLUMNS, ()), []
        for name, since in dates_in(self.types).items():
            if name not in names:
                raise UnknownColumnError(name, names, "It is named by types.")
            gaps = self.gaps.get(name, everywhere)
            parts += parts_of_date(name, since or first_day(name, gaps), gaps, names)
        kinds = {part.name: part.kind for part in parts}
        types = kinds | {name: kind for name, kind in self.types.items() if not is_date(kind)}
        settings = replace(self, types=types).of_columns([*names, *(kinds.keys() - {*names})])
        own_gaps = {name: some for name, some in settings.gaps.items() if name not in kinds}
        return replace(settings, gaps=own_gaps, parts=frozenset(kinds.keys() - {*names})), tuple(parts)

    def of_columns(self, columns: Sequence[str]) -> ColumnSettings:
        """Settings for these columns, with values that mean a gap in all of them for each by itself.

        Raises
        ------
        UnknownColumnError
            A setting is about another column.
        """
        named = (
            (self.own_cuts, "There are cut points for it in cuts."),
            (self.types, "It is named by types."),
            ({name: gaps for name, gaps in self.gaps.items() if name}, "It is named by missing_values."),
        )
        for settings, where in named:
            for name in settings:
                if name not in columns:
                    raise UnknownColumnError(name, columns, where)
        everywhere = self.gaps.get(ALL_COLUMNS, ())
        gaps = {name: self.gaps.get(name, everywhere) for name in columns}
        return replace(self, gaps={name: some for name, some in gaps.items() if some})


@dataclass(frozen=True)
class Extent:
    """Number of rows and values of a column, in memory or counted in an engine.

    Attributes
    ----------
    rows : int
    present : int
        Rows that have a value.
    values : int
        Distinct values.
    first_number : float, optional
        The number of the first row, where the values are the numbers of the rows.
    """

    rows: int
    present: int
    values: int
    first_number: float | None = None

    @classmethod
    def of(cls, column: Column) -> Extent:
        """Extent of a column with a value for each row."""
        first = float(column.raw[0]) if _counts_rows(column) else None
        return cls(len(column), int((~column.missing).sum()), len(column.levels), first)


@dataclass(frozen=True, eq=False)
class Evidence:
    """Classes, reference group and weights of the rows.

    Attributes
    ----------
    weights : ndarray of float, shape (n,)
    codes : ndarray of int, shape (n, n_outputs), or None
        Codes of the classes.
    is_reference : ndarray of bool, shape (n,), or None
        Which rows are the reference group.
    extent : Extent, optional
        Of the column that the values come from, where they were counted elsewhere and n is no number of rows.
    """

    weights: FloatArray
    codes: IndexArray | None = None
    is_reference: BoolArray | None = None
    extent: Extent | None = None

    def take(self, rows: BoolArray) -> Evidence:
        """Evidence of some of the rows."""
        codes = None if self.codes is None else self.codes[rows]
        reference = None if self.is_reference is None else self.is_reference[rows]
        return Evidence(self.weights[rows], codes, reference, self.extent)


@dataclass(frozen=True)
class Reading:
    """Result of reading a column: its concepts, or the reason why it has none.

    Attributes
    ----------
    column : str
    kind : Kind
        What its values are.
    missing : float
        Share of the weight of the rows without a value.
    concepts : tuple of Concept
        None at all when it was dropped.
    reason : Reason, optional
        Why it was dropped.
    note : str
        What else there is to say, in one phrase.
    as_text : {"", "numbers", "dates"}
        What is written as text there.
    values : tuple of values
        All categories that it has, if these are few enough to be told.
    """

    column: str
    kind: Kind
    missing: float
    concepts: tuple[Concept, ...] = ()
    reason: Reason | None = None
    note: str = ""
    as_text: str = ""
    values: tuple[Value, ...] = ()


def read_column(column: Column, recipe: ColumnSettings, evidence: Evidence) -> Reading:
    """Decide what becomes of a column.

    Examples
    --------
    >>> from logiclens.concepts import Table
    >>> recipe = ColumnSettings("quantile", {}, 2, 12, 0.01, False, False)
    >>> age = Table({"age": [20, 30, 40, 50, 60, None]}).column("age")
    >>> [concept.name for concept in read_column(age, recipe, Evidence(np.ones(6))).concepts]
    ['age > 30', 'age > 40', 'age is missing']
    """
    kind, gaps = recipe.types.get(column.name), recipe.gaps.get(column.name, ())
    if gaps and column.kind in (Kind.NUMBER, Kind.TEXT):
        texts = {isinstance(level, str) for level in column.levels}
        gaps = tuple(gap for gap in gaps if isinstance(gap, str) in texts)
        column = column.without(gaps)
    refuse_kind(column)
    extent = Extent.of(column) if evidence.extent is None else evidence.extent
    in_bins = column.is_numeric and extent.values > len(column.levels)
    if kind is None:
        _refuse_free_text(column, extent)
    elif not column.missing.all():
        column = _as_said(column, kind)
    share = float(evidence.weights @ column.missing) / float(evidence.weights.sum())
    as_text = "" if kind else _as_text(column)
    listed = column.kind is Kind.TEXT and len(column.levels) <= MOST_TEXTS
    values = column.levels if listed and column.name not in recipe.parts else ()
    reading = partial(Reading, column.name, column.kind, share, as_text=as_text, values=values)
    said_elsewhere = recipe.impute or column.name in recipe.parts
    gap = (Missing(column.name),) if column.missing.any() and not said_elsewhere else ()
    concepts: Sequence[Concept] = ()
    reason: Reason | None = None
    if column.missing.all():
        return reading(reason=Reason("all values missing"))
    if column.name in recipe.own_cuts:
        concepts = _of_cuts(
            column, np.asarray(recipe.own_cuts[column.name], dtype=np.float64), recipe, evidence
        )
    elif len(column.levels) == 1:
        reason = CONSTANT
    elif kind is None and (reason := _identifies(column, extent)):
        return reading(reason=reason)
    elif kind == "category" and in_bins:
        return reading(reason=Reason(f"too many different values: {extent.values}", extent.rows))
    elif isinstance(kind, tuple):
        concepts = _of_order(column, kind, recipe, evidence)
    elif column.is_numeric:
        if kind is None or column.kind is Kind.BOOLEAN:
            concepts = _of_numbers(column, recipe, evidence)
        else:
            concepts = _of_cuts(column, _cut_points(column, recipe, evidence), recipe, evidence)
        reason = None if concepts else CONSTANT  # as floats, which large whole numbers may share
    elif not (concepts := _of_categories(column, recipe, evidence)):
        rare = f", each in less than {recipe.min_share:.0%} of them{_in_brackets(column)}"
        reason = Reason(f"too many different values: {extent.values}", extent.rows, rare)
    if not concepts and not gap:
        return reading(reason=reason)
    note = str(reason) if reason else "" if kind else _in_brackets(column).strip(" ()")
    made = (*concepts, *gap)
    return reading(tuple(replace(each, gaps=gaps) for each in made) if gaps else made, note=note)


def _as_said(column: Column, kind: str | tuple[Value, ...]) -> Column:
    """A column as what the user said that it is."""
    if kind == "category":
        return column.as_categories()
    if kind == "number":
        column.numbers()  # refuses text
    elif lacking := [level for level in column.levels if level not in kind]:
        raise InputError(
            f"Column {column.name!r} has the value {shown(lacking[0])}, which its order {listing(kind)} "
            "lacks. Name every value, the lowest first."
        )
    return column


def _of_order(
    column: Column, order: tuple[Value, ...], recipe: ColumnSettings, evidence: Evidence
) -> Sequence[Concept]:
    """A concept for each value but the lowest that occurs: a value is this one or a higher one."""
    usual = _usual(column, evidence.weights)
    occurring = [at for at, value in enumerate(order) if value in column.levels]
    higher = [order[at:] for at in occurring[1:]]
    return [OneOf(column.name, values, recipe.impute and usual in values) for values in higher]


_ROUGH = ColumnSettings("uniform", {}, 1, 1, 0.0, False, False)  # enough to see whether a column can be used


def look_at(
    column: Column, evidence: Evidence | None = None, kind: str | tuple[Value, ...] | None = None
) -> Reading:
    """Read a column without settings but its type; where a person has to decide, the reason says why.

    Examples
    --------
    >>> from logiclens.concepts import Table
    >>> day = Table({"day": ["3 May 2025", "4 May 2025"]}).column("day")
    >>> print(look_at(day).reason.what)
    holds dates or times written as text
    """
    if is_date(kind):
        if not column.missing.all():
            days_of(column)  # refuses what is none
            return Reading(column.name, column.kind, float(column.missing.mean()))
        kind = None
    recipe = _ROUGH if kind is None else replace(_ROUGH, types={column.name: kind})
    try:
        reading = read_column(column, recipe, evidence or Evidence(np.ones(len(column))))
    except ColumnError as error:
        return Reading(column.name, column.kind, float("nan"), reason=error.reason)
    return replace(reading, reason=DATES_AS_TEXT) if reading.as_text == "dates" else reading


_MOST_SPELLINGS = 10_000  # of more texts no one would look at how they are spelled


def spelling_remark(column: Column) -> str:
    """A remark on texts that differ only in capitals or blanks; empty where there are none.

    Examples
    --------
    >>> from logiclens.concepts import Table
    >>> spelling_remark(Table({"sex": ["Male", "male", "female"]}).column("sex"))
    "Column 'sex' has values that differ only in capitals: 'Male', 'male'. They count as different."
    """
    if column.kind is not Kind.TEXT or len(column.levels) > _MOST_SPELLINGS:
        return ""
    alike: dict[str, list[str]] = {}
    for text in column.levels:
        if isinstance(text, str):
            alike.setdefault("".join(text.casefold().split()), []).append(text)
    groups = [texts for texts in alike.values() if len(texts) > 1]
    if not groups:
        return ""
    capitals = any(len({"".join(text.split()) for text in texts}) > 1 for texts in groups)
    blanks = any(len({text.casefold() for text in texts}) > 1 for texts in groups)
    what = " or ".join(["capitals"] * capitals + ["blanks"] * blanks)
    named = "; ".join(map(listing, groups[:3])) + ("; and so on" if len(groups) > 3 else "")
    return f"Column {column.name!r} has values that differ only in {what}: {named}. They count as different."


_MOST_CODES, _ROWS_PER_CODE = 10, 5


def looks_like_codes(column: Column) -> bool:
    """True of few whole numbers that occur again and again: they may be names of categories.

    Examples
    --------
    >>> from logiclens.concepts import Table
    >>> looks_like_codes(Table({"region": [1, 2, 3, 3, 2] * 4}).column("region"))
    True
    """
    if column.kind is not Kind.NUMBER or not 3 <= len(column.levels) <= _MOST_CODES:
        return False
    n_values = int((~column.missing).sum())
    return n_values >= _ROWS_PER_CODE * len(column.levels) and column.levels[0] >= 0 and _is_whole(column)


_CODE_NAMES = re.compile(r"(?<![a-z])(zip|postal|postcode|plz|codes?)(?![a-z])|zip_?code", re.IGNORECASE)


def named_as_codes(column: Column) -> bool:
    """True of whole numbers in a column that is called a code, such as a postal one.

    Examples
    --------
    >>> from logiclens.concepts import Table
    >>> table = Table({"zip_code": [*range(10115, 10135)], "unicode": [*range(10115, 10135)]})
    >>> named_as_codes(table.column("zip_code")), named_as_codes(table.column("unicode"))
    (True, False)
    """
    named = column.kind is Kind.NUMBER and _CODE_NAMES.search(column.name) is not None
    return named and len(column.levels) > 2 and column.levels[0] >= 0 and _is_whole(column)


_NINES = re.compile(r"-?9{2,}|-9")
_OFTEN = 0.005  # share of the values
_NEAR = 10


def likely_gap(column: Column) -> float | None:
    """A number that may stand for missing values: nines, often, far from the other numbers; mostly None.

    Examples
    --------
    >>> from logiclens.concepts import Table
    >>> likely_gap(Table({"age": [62, 30, 45, 999, 999, 999]}).column("age"))
    999
    """
    if column.kind is not Kind.NUMBER or len(column.levels) < 3:
        return None
    low, second, second_last, high = *column.levels[:2], *column.levels[-2:]
    if high - second_last >= max(_NEAR, second_last - low):
        found: float = high
    elif second - low >= max(_NEAR, high - second) or low < 0 <= second:
        found = low
    else:
        return None
    numbers = column.raw[~column.missing]
    often = int((numbers == found).sum()) >= max(3, _OFTEN * len(numbers))
    return found if often and _NINES.fullmatch(value_text(found)) else None


def refuse_kind(column: Column) -> None:
    """Refuse what no rule of thumb can turn into concepts."""
    if column.kind is Kind.DATE:
        raise ColumnError(column.name, DATES, "which are no concepts")
    if column.kind is Kind.TEXT and _mostly(_ISO_DATE, column):
        raise ColumnError(column.name, DATES_AS_TEXT, "which are no concepts")
    if column.kind is Kind.OTHER:
        kinds = sorted({type(value).__name__ for value in column.raw[~column.missing]})
        if kinds == ["complex"]:
            raise InputError(
                f"Complex data not supported. Column {column.name!r} has complex numbers; split it."
            )
        raise nested_values(column.name, ", ".join(kinds))


def nested_values(name: str, kinds: str) -> ColumnError:
    """The error about a column of lists and the like."""
    remedy = "Make columns of numbers or text of what is inside"
    return ColumnError(name, Reason(f"has values of type {kinds}", remedy=remedy))


def _refuse_free_text(column: Column, extent: Extent) -> None:
    texts = [level for level in column.levels if isinstance(level, str)] if column.kind is Kind.TEXT else []
    n_texts = extent.values - len(column.levels) + len(texts)
    many = bool(texts) and n_texts > max(FEW_ROWS, extent.present / 2)
    if many and sum(len(text.split()) for text in texts) >= _WORDS * len(texts):
        what = f"holds free text: {extent.values} different texts"
        raise ColumnError(column.name, Reason(what, extent.rows, remedy="Turn it into categories"))


def _identifies(column: Column, extent: Extent) -> Reason | None:
    """The reason to drop a column that only says which row it is; None for others."""
    if _INDEX.fullmatch(column.name):
        return Reason("the index of a pandas frame")
    n_values, n_rows = extent.values, extent.present
    if n_values <= FEW_ROWS:
        return None
    named = _IDENTIFIER.search(column.name) and (not column.is_numeric or _is_whole(column))
    if named or (n_values == n_rows and not column.is_numeric):
        return Reason(f"an identifier: {count(n_values, 'value')}", n_rows, _in_brackets(column))
    return None if extent.first_number is None else Reason(f"row numbers from {extent.first_number:.0f}")


def _counts_rows(column: Column) -> bool:
    """True of the numbers of the rows, from 0 or from 1."""
    if not len(column) or not column.is_numeric or column.missing.any() or column.raw[0] not in (0, 1):
        return False
    return bool((column.numbers() == np.arange(len(column)) + column.raw[0]).all())


def _is_whole(column: Column) -> bool:
    return all(level == int(level) for level in column.levels)


def _as_text(column: Column) -> str:
    """Kind of values that a column holds as text: "numbers", "dates" or, mostly, nothing."""
    texts = [level for level in column.levels if isinstance(level, str)] if column.kind is Kind.TEXT else []
    if texts and all(map(_is_number, texts)):
        return "" if any(_CODE.fullmatch(text.strip()) for text in texts) else "numbers"
    return "dates" if texts and _mostly(_OTHER_DATE, column) else ""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return _THOUSANDS.fullmatch(text.strip()) is not None
    return True


def _mostly(pattern: re.Pattern[str], column: Column) -> bool:
    """True where more than half of the different values look like this."""
    alike = sum(isinstance(value, str) and bool(pattern.fullmatch(value.strip())) for value in column.levels)
    return 2 * alike > len(column.levels)


def _in_brackets(column: Column) -> str:
    """A remark on numbers and dates that are written as text."""
    written = _as_text(column)
    return f" ({written} written as text)" if written else ""


def _of_numbers(column: Column, recipe: ColumnSettings, evidence: Evidence) -> Sequence[Concept]:
    if column.levels == (0, 1):
        typical = _usual(column, evidence.weights) == 1
        return [Flag(column.name, column.kind is Kind.NUMBER, typical and recipe.impute)]
    if len(column.levels) == 2 and _is_whole(column):
        larger = column.levels[1]
        typical = _usual(column, evidence.weights) == larger
        return [OneOf(column.name, (larger,), typical and recipe.impute)]
    return _of_cuts(column, _cut_points(column, recipe, evidence), recipe, evidence)


def _cut_points(column: Column, recipe: ColumnSettings, evidence: Evidence) -> FloatArray:
    numbers, weights = column.numbers(), evidence.weights
    limits: dict[str, Any] = {
        "max_cuts": recipe.max_cuts,
        "min_share": recipe.min_share,
        "sample_weight": weights,
    }
    match recipe.cuts:
        case "quantile":
            cuts = quantile_cuts(numbers, **limits)
        case "uniform":
            cuts = uniform_cuts(numbers, **limits)
        case "supervised":
            cuts = supervised_cuts(numbers, evidence.codes, **limits)
        case _:
            cuts = reference_cuts(numbers, evidence.is_reference, sample_weight=weights)
    # A column that is not constant is cut somewhere: it may matter together with others.
    return cuts if cuts.size else quantile_cuts(numbers, 1, sample_weight=weights)


def _of_cuts(
    column: Column, cuts: FloatArray, recipe: ColumnSettings, evidence: Evidence
) -> Sequence[Concept]:
    """Thresholds or intervals; a missing value is as the median is, where it is imputed."""
    points = [float(cut) for cut in np.unique(cuts)]
    median = _median(column.numbers(), evidence.weights) if recipe.impute else np.nan

    def typical(low: float, high: float) -> bool:
        return low < median <= high  # of NaN, where nothing is imputed, neither

    name = column.name
    if not recipe.intervals or len(points) < 2:
        return [Above(name, cut, typical(cut, np.inf)) for cut in points]
    return [
        AtMost(name, points[0], typical(-np.inf, points[0])),
        *(Between(name, low, high, typical(low, high)) for low, high in pairwise(points)),
        Above(name, points[-1], typical(points[-1], np.inf)),
    ]


def _median(numbers: FloatArray, weights: FloatArray) -> float:
    present = ~np.isnan(numbers)
    order = np.argsort(numbers[present], kind="stable")
    below = np.cumsum(weights[present][order])
    return float(numbers[present][order][np.searchsorted(below, below[-1] / 2)])


def _of_categories(column: Column, recipe: ColumnSettings, evidence: Evidence) -> Sequence[Concept]:
    """A concept for each common value, the most common first; one for two values.

    A rare value that tells the classes apart counts as common, and where there are too many values those that
    do it best are taken.
    """
    sums = _level_weights(column, evidence.weights)
    usual = _usual(column, evidence.weights)
    gains = _level_gains(column, recipe, evidence)
    taken = np.flatnonzero((sums >= recipe.min_share * evidence.weights.sum()) | (gains > 0))
    by_weight = _by_weight(column, sums)
    rank = {level: at for at, level in enumerate(by_weight)}
    order = sorted(taken, key=lambda at: (-gains[at], rank[column.levels[at]]))
    best = {column.levels[at] for at in order[: recipe.max_categories]}
    chosen = [level for level in by_weight if level in best]
    if len(column.levels) == 2:
        chosen = [_rarer_level(column.levels, usual)]
    return [OneOf(column.name, (level,), recipe.impute and level == usual) for level in chosen]


def _level_gains(column: Column, recipe: ColumnSettings, evidence: Evidence) -> FloatArray:
    """Bits that telling each value from the others says about the classes, 0 where it says nothing sure."""
    if recipe.cuts not in ("auto", "supervised") or evidence.codes is None or len(column.levels) < 3:
        return np.zeros(len(column.levels))
    present = ~column.missing
    sums = class_sums(
        column.codes[present], len(column.levels), evidence.codes[present], evidence.weights[present]
    )
    return paying_gains(sums, sums.sum(axis=0))


def _rarer_level(levels: tuple[Any, ...], usual: Any) -> Any:
    """Choose which of two values names the concept: yes rather than no, else the less common."""
    words = [str(level).strip().lower() for level in levels]
    for at, (word, other) in enumerate((words, words[::-1])):
        if word in _YES and other in _NO:
            return levels[at]
    return next(level for level in levels if level != usual)


def _level_weights(column: Column, weights: FloatArray) -> FloatArray:
    present = ~column.missing
    sums = np.bincount(column.codes[present], weights[present], minlength=len(column.levels))
    return sums.astype(np.float64)


def _by_weight(column: Column, sums: FloatArray) -> list[Any]:
    """The values, the most common first; equally common ones in the order of their text."""
    order = sorted(range(len(sums)), key=lambda at: (-sums[at], str(column.levels[at])))
    return [column.levels[at] for at in order]


def _usual(column: Column, weights: FloatArray) -> Any:
    return _by_weight(column, _level_weights(column, weights))[0]


MOST_NUMBERS = 20
"""Distinct numbers that may be classes; more are measurements."""
MOST_TEXTS = 100
"""Distinct texts that may be classes."""


def read_targets(y: Any, n_rows: int) -> list[Column]:
    """Return the columns of ``y``: none, one of labels, or one for each output.

    Examples
    --------
    >>> [column.levels for column in read_targets(["well", "ill", "well"], 3)]
    [('well', 'ill')]
    """
    if y is None:
        return []
    series = nw.from_native(y, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series):
        columns = [read_series(series, "y")]
    elif isinstance(series, (nw.DataFrame, nw.LazyFrame, Mapping)):
        columns = _columns(y)
    elif (labels := array_of_cells(y, "y")).ndim == 2:
        columns = _columns(labels)
    else:
        check_length(labels, "y", n_rows)
        columns = [read_array(labels, "y")]
    for column in columns:
        check_length(column.missing, "y", n_rows)
        if column.missing.any():
            raise missing_values("y", column.missing)
    return columns


def _columns(y: Any) -> list[Column]:
    table = Table(y)
    if not table.names:
        raise InputError("y has no columns. Pass labels, one for each row.")
    return [table.column(name) for name in table.names]


def class_codes(targets: Sequence[Column]) -> IndexArray | None:
    """Codes of the classes from 0, shape (n, n_outputs); None where there are no outputs.

    Scores of several outputs say yes above one half; measurements are cut into four classes.

    Examples
    --------
    >>> class_codes(read_targets(["well", "ill", "well"], 3)).tolist()
    [[0], [1], [0]]
    """
    if not targets:
        return None
    return np.column_stack([_code(column, alone=len(targets) == 1) for column in targets])


def _code(column: Column, *, alone: bool) -> IndexArray:
    if column.kind is Kind.NUMBER and column.raw.dtype.kind == "f":
        numbers = column.numbers()
        if not alone and 0 <= numbers.min() and numbers.max() <= 1:
            return (numbers > THRESHOLD).astype(np.intp)
        if len(column.levels) > MOST_NUMBERS and (numbers != np.round(numbers)).any():
            return np.searchsorted(quantile_cuts(numbers, 3), numbers)
    return column.codes


def may_be_classes(column: Column, n_values: int) -> bool:
    """True where a column's values, of which there are so many, are few enough to be classes."""
    n = len(column.levels)
    if column.kind is Kind.NUMBER or 2 * n > n_values:
        return n <= MOST_NUMBERS
    return n <= MOST_TEXTS


def class_labels(column: Column) -> NDArray[Any]:
    """A column as labels of one type, shape (n,); what stands where its value is missing means nothing.

    Numbers are whole where all of them are; with decimals they are written out.

    Examples
    --------
    >>> class_labels(Table({"y": [1.0, 2.0]}).column("y")), class_labels(Table({"y": [0.5, 1]}).column("y"))
    (array([1, 2]), array(['0.5', '1'], dtype=object))
    """
    if column.kind is Kind.BOOLEAN:
        return column.raw
    if column.kind is Kind.NUMBER:
        numbers = np.where(column.missing, 0.0, column.numbers())
        if (numbers == np.round(numbers)).all() and np.abs(numbers).max() < 2**53:
            return numbers.astype(np.int64)
    names = np.array([level if isinstance(level, str) else f"{level:.10g}" for level in column.levels] + [""])
    return names.astype(object)[column.codes]


def middle_cut(column: Column, counts: IndexArray) -> float:
    """A number with few digits that about half of the rows are above; ``counts`` has the rows of each value.

    Examples
    --------
    >>> middle_cut(Table({"x": [1.0, 2.0, 3.0, 4.0]}).column("x"), np.ones(4, dtype=int))
    2.0
    """
    present = ~column.missing
    levels, places = np.unique(column.numbers()[present], return_inverse=True)
    up_to = np.cumsum(np.bincount(places, counts[present]))
    at = min(int(np.searchsorted(up_to, (up_to[-1] + 1) // 2)), len(levels) - 2)
    whole = bool((levels == np.round(levels)).all())
    return float(readable(levels[at : at + 1], levels[at + 1 : at + 2], whole=whole)[0])
