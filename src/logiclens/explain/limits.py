"""Limits of a counterfactual: what of a row may be changed, which way, how far, and at what price.

A limit is about a column that changes; a column that stays as it is breaks none. Each is asked of the values
that a column could have instead, so that a change obeys it where some value does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from logiclens.concepts.concept import Value, value_text
from logiclens.concepts.dates import day_of, days_of
from logiclens.concepts.table import Column, Kind, ValueType
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, UnknownColumnError, UnknownConceptError, did_you_mean, shown
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import as_float, check_names
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import Var

Range = tuple[Any, Any] | frozenset[Value]
"""The ends of an interval, None where it has none, or values."""


@dataclass(frozen=True)
class Limits:
    """What a counterfactual may change, and at what price.

    Columns are those of the raw table, or parts of a date such as ``"admitted weekday"``; where rules have no
    vocabulary, concepts, of which false is 0 and true is 1. Limits of columns that no rule reads are kept
    anyway.

    Attributes
    ----------
    fixed : iterable of str, default ()
        What stays as it is.
    increasing, decreasing : iterable of str, default ()
        Numbers and dates that may only become greater, or less.
    ranges : mapping of str to (low, high), or to a set of values, default {}
        What a column that changes may become: numbers or dates (as 2024-01-31) from ``low`` to ``high``, both
        included, None for no end; or one of some values. A limited column cannot become missing.
    costs : mapping of str to float, default {}
        Price of a change of a column, positive; 1 where there is none. A date has the highest price of its
        parts, a group of concepts that of its members.

    Examples
    --------
    >>> Limits(fixed="sex")
    Traceback (most recent call last):
        ...
    logiclens.errors.InputError: fixed must be a sequence of columns. Got 'sex'; write ['sex'].
    >>> Limits(increasing=["age"], ranges={"income": (1000, 3000), "ward": {"ICU", "ER"}}).increasing
    ('age',)
    """

    fixed: Iterable[str] = ()
    increasing: Iterable[str] = ()
    decreasing: Iterable[str] = ()
    ranges: Mapping[str, Any] = field(default_factory=dict, hash=False)
    costs: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for entry in ("fixed", "increasing", "decreasing"):
            names = getattr(self, entry)
            if isinstance(names, str) or not isinstance(names, Iterable):
                written = [names] if isinstance(names, str) else ["age"]
                raise InputError(
                    f"{entry} must be a sequence of columns. Got {shown(names)}; write {written}."
                )
            object.__setattr__(self, entry, check_names([*dict.fromkeys(names)]))
        for entry, example in (("ranges", "{'age': (18, 65)}"), ("costs", "{'age': 2}")):
            if not isinstance(getattr(self, entry), Mapping):
                raise InputError(
                    f"{entry} must be a mapping. Got {shown(getattr(self, entry))}; write {example}."
                )
        check_names([*self.ranges])
        check_names([*self.costs])
        object.__setattr__(self, "ranges", {name: _range(name, told) for name, told in self.ranges.items()})
        prices = {name: as_float(price) for name, price in self.costs.items()}
        for name, price in prices.items():
            if not 0 < price < np.inf:
                raise InputError(
                    f"The cost of {name!r} must be a positive number. Got {shown(self.costs[name])}."
                )
        object.__setattr__(self, "costs", prices)

    def check(self, vocabulary: Vocabulary | None, known: Sequence[str]) -> None:
        """Refuse names that are not known, and limits that a column cannot have."""
        orders = dict.fromkeys((*self.increasing, *self.decreasing), False)
        for name in (*self.fixed, *orders, *self.ranges, *self.costs):
            if name not in known:
                error = UnknownConceptError if vocabulary is None else UnknownColumnError
                raise error(name, known, "The limits name it.")
        for name, told in (*orders.items(), *self.ranges.items()):
            kind = ValueType.NUMBER if vocabulary is None else _type_of(vocabulary, name)
            if isinstance(told, frozenset):
                _check_values(
                    name, told, kind, dict(() if vocabulary is None else vocabulary.values).get(name)
                )
            elif kind in (ValueType.TEXT, ValueType.MIXED):
                raise InputError(
                    f"The values of {name!r} have no order. Say what it may become as a set: "
                    f"ranges={{{name!r}: {{'a', 'b'}}}}."
                )
            elif told and (kind == _DATE) != isinstance(next(end for end in told if end is not None), str):
                raise InputError(
                    f"{name!r} holds {'dates' if kind == _DATE else 'numbers'}. Got the range {shown(told)}."
                )

    def price(self, names: Iterable[str]) -> float:
        """Price of changing some columns that change together."""
        return max((self.costs[name] for name in names if name in self.costs), default=1.0)

    def values(self, name: str) -> Iterator[Value]:
        """The values that the range of a column speaks of."""
        yield from (value for value in self.ranges.get(name, ()) if value is not None)

    @property
    def columns(self) -> frozenset[str]:
        """What is limited; a price is no limit."""
        return frozenset((*self.fixed, *self.increasing, *self.decreasing, *self.ranges))

    def obeyed(self, name: str, values: Column, now: BoolArray) -> Iterator[tuple[str, BoolArray]]:
        """Each limit of a column in plain English, and by which of some values it is obeyed, shape (n,).

        Parameters
        ----------
        name : str
        values : Column, of n values
        now : ndarray of bool, shape (n,)
            Which of the values the column may have now; one if it is known.
        """
        said = to_sentence(Var(name))
        if name in self.fixed:
            yield f"{said} is fixed", np.isin(values.codes, values.codes[now])
        numbers = as_numbers(values)
        least, greatest = (numbers[now].max(), numbers[now].min()) if now.any() else (np.nan, np.nan)
        if name in self.increasing:
            yield f"{said} may only increase", numbers >= least
        if name in self.decreasing:
            yield f"{said} may only decrease", numbers <= greatest
        told = self.ranges.get(name)
        if isinstance(told, frozenset):
            among = np.array([*map(told.__contains__, values.levels), False])  # code -1 is the last
            yield f"{said} may only become {_listed(told)}", among[values.codes]
        elif told is not None:
            low, high = (_end(end, or_else) for end, or_else in zip(told, (-np.inf, np.inf), strict=True))
            yield f"{said} may only become {_interval(told)}", (low <= numbers) & (numbers <= high)


NO_LIMITS = Limits()
"""Anything may change, at the same price."""

_DATE = "date"


def _type_of(words: Vocabulary, name: str) -> ValueType | str | None:
    """Type of a column, or of a part of a date."""
    if name in words.columns and any(part.column == name for part in words.dates):
        return _DATE
    if name in words.parts:
        return ValueType.TEXT if words.parts[name].kind == "category" else ValueType.NUMBER
    return words.types.get(name)


def _range(name: str, told: Any) -> Range:
    if isinstance(told, set | frozenset | list) and told:
        values = tuple(value.item() if isinstance(value, np.generic) else value for value in told)
        if all(isinstance(value, str | int | float) for value in values):
            return frozenset(values)
    elif isinstance(told, tuple) and len(told) == 2 and told != (None, None):
        ends = [None if end is None else day_of(str(end)) or as_float(end) for end in told]
        known: list[Any] = [end for end in ends if end is not None]
        if all(end == end for end in known) and len({*map(type, known)}) == 1 and known == sorted(known):
            return ends[0], ends[1]
    raise InputError(f"The range of {name!r} must be (low, high) or a set of values. Got {shown(told)}.")


def _check_values(
    name: str, told: frozenset[Value], kind: ValueType | str | None, known: Iterable[Value] | None
) -> None:
    if kind == _DATE:
        raise InputError(
            f"The range of the date {name!r} must be (first, last), such as ('2024-01-31', None)."
        )
    texts = kind in (ValueType.TEXT, ValueType.MIXED)
    for value in told:
        if isinstance(value, str) != texts and kind not in (None, ValueType.MIXED):
            raise InputError(f"{name!r} holds {'text' if texts else 'numbers'}. It cannot become {value!r}.")
        if known is not None and value not in known:
            near = (
                did_you_mean(value, [each for each in known if isinstance(each, str)])
                if isinstance(value, str)
                else ""
            )
            raise InputError(f"{name!r} had no value {value!r}. {near}The limits name it.")


def as_numbers(values: Column) -> FloatArray:
    """Values that have an order as numbers, dates as days since 1970, NaN where there is none."""
    if values.kind is Kind.DATE:
        days = days_of(values)
        return np.where(np.isnat(days), np.nan, days.astype(np.int64))
    return values.numbers() if values.is_numeric else np.full(len(values), np.nan)


def _end(end: Any, or_else: float) -> float:
    if end is None:
        return or_else
    return float(np.datetime64(end, "D").astype(np.int64)) if isinstance(end, str) else float(end)


def _interval(ends: tuple[Any, Any]) -> str:
    low, high = (None if end is None else value_text(end) for end in ends)
    if low is None or high is None:
        return f"at most {high}" if low is None else f"at least {low}"
    return f"{low} to {high}"


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else value_text(value)


def _listed(values: frozenset[Value]) -> str:
    *most, last = sorted(map(_text, values))
    return f"{', '.join(most)} or {last}" if most else last
