"""What columns are, where a person says it: categories, numbers, an order, dates, values that mean a gap.

Names and values are matched with those of the table, so that any sign may occur in them: a name ends at the
first ``=`` or ``:`` that leaves the name of a column, and values of an order are those that the column has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from logiclens.cli.options import ColumnOptions, named_columns
from logiclens.concepts.concept import Value, value_text
from logiclens.concepts.dates import day_of
from logiclens.concepts.table import ValueType
from logiclens.errors import InputError, UnknownColumnError, listing, shown

_ORDER = ("--ordered", "size:low<mid<high")  # the option, and an example


class SaidColumns(NamedTuple):
    """What was said of columns, as the encoder takes it.

    Attributes
    ----------
    types : mapping of str to str or tuple of values
    gaps : mapping of str to tuple of values
        Values that mean that there is none.
    """

    types: Mapping[str, str | tuple[Value, ...]] = {}
    gaps: Mapping[str, tuple[Value, ...]] = {}

    def among(self, columns: Sequence[str]) -> SaidColumns:
        """What was said of some of them."""
        return SaidColumns(
            {name: kind for name, kind in self.types.items() if name in columns},
            {name: some for name, some in self.gaps.items() if name in columns},
        )


NOTHING_SAID = SaidColumns()


def kinds_of(said: ColumnOptions, names: Sequence[str]) -> dict[str, ValueType]:
    """How the columns of a file are read.

    Raises
    ------
    UnknownColumnError
        A name that is not among them.

    Examples
    --------
    >>> kinds_of(ColumnOptions(["region"], ordered=["size: small<large"]), ["region", "size", "age"])
    {'region': <ValueType.CATEGORY: 'categories'>, 'size': <ValueType.CATEGORY: 'categories'>}
    """
    categories = named_columns(said.categorical, names, "--categorical")
    numbers = named_columns(said.numeric, names, "--numeric")
    ordered = [_split_name(text, ":", names, *_ORDER)[0] for text in said.ordered]
    dates = _dates(said, names)
    every = [*categories, *numbers, *ordered, *dates]
    if twice := [name for name in dict.fromkeys(every) if every.count(name) > 1]:
        raise InputError(
            f"--categorical, --numeric, --ordered and --date name {listing(twice)} twice. "
            "Name each column once."
        )
    types = dict.fromkeys((*categories, *ordered), ValueType.CATEGORY)
    return types | dict.fromkeys(numbers, ValueType.NUMBER) | dict.fromkeys(dates, ValueType.TEXT)


def _dates(said: ColumnOptions, names: Sequence[str]) -> dict[str, str]:
    """The columns of dates, each with its type."""
    found = {}
    for text in said.date:
        if "=" in text and text not in names:
            name, day = _split_name(text, "=", names, "--date", "admitted=2024-01-31")
            if day_of(day) != day.strip():
                raise InputError(f"--date counts from a day such as {name}=2024-01-31. Got {shown(text)}.")
            found[name] = f"date since {day.strip()}"
        else:
            found |= dict.fromkeys(named_columns([text], names, "--date"), "date")
    return found


def gaps_of(said: ColumnOptions, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Texts that mean a gap, by column.

    Examples
    --------
    >>> gaps_of(ColumnOptions(missing=["-9", "age=999"]), ["age", "size"])
    {'age': ('-9', '999'), 'size': ('-9',)}
    """
    found: dict[str, dict[str, None]] = {}
    for text in said.missing:
        columns, value = names, text
        if "=" in text:
            name, value = _split_name(text, "=", names, "--missing", "age=-999")
            columns = [name]
        for name in columns:
            found.setdefault(name, {})[value.strip()] = None
    return {name: tuple(texts) for name, texts in found.items()}


def said_columns(
    said: ColumnOptions, names: Sequence[str], values: Callable[[str], Sequence[object]]
) -> SaidColumns:
    """What the encoder has to know of what was said.

    Parameters
    ----------
    said : ColumnOptions
    names : sequence of str
        The columns of the table.
    values : callable
        The distinct values of a column.

    Examples
    --------
    >>> said = ColumnOptions(ordered=["size:small<large"], missing=["-9"])
    >>> said_columns(said, ["size"], lambda name: ["large", "small"])
    SaidColumns(types={'size': ('small', 'large')}, gaps={'size': ('-9', -9)})
    """
    types: dict[str, str | tuple[Value, ...]] = {
        name: "number" if kind is ValueType.NUMBER else "category"
        for name, kind in kinds_of(said, names).items()
    }
    types |= _dates(said, names)
    for text in said.ordered:
        name, order = _split_name(text, ":", names, *_ORDER)
        types[name] = _in_order(name, order, values(name))
    gaps = {name: tuple(with_numbers(texts)) for name, texts in gaps_of(said, names).items()}
    return SaidColumns(types, gaps)


def _split_name(text: str, sign: str, names: Sequence[str], option: str, example: str) -> tuple[str, str]:
    """A column and what follows after a sign; of several names that fit, the longest."""
    heads = [text[:at] for at, char in enumerate(text) if char == sign]
    for head in reversed(heads):
        for name in (head, head.strip()):
            if name in names:
                return name, text[len(head) + 1 :]
    if not heads:
        raise InputError(f"{option} {shown(text)} has no {sign!r}. Write {option} {example!r}.")
    raise UnknownColumnError(heads[0].strip(), names, f"It is named by {option}.")


def _in_order(name: str, text: str, values: Sequence[object]) -> tuple[Value, ...]:
    """The values of an order; those that the column has may have signs ``<`` in them."""
    known = {
        value if isinstance(value, str) else value_text(value): value
        for value in values
        if isinstance(value, str | int | float)
    }
    parts: list[str] = []
    for part in text.split("<"):
        joined = f"{parts[-1]}<{part}" if parts else part
        if parts and parts[-1].strip() not in known and any(_begins(each, joined) for each in known):
            parts[-1] = joined
        else:
            parts.append(part)
    order = [known.get(part.strip(), part.strip()) for part in parts]
    if len(order) < 2 or len({*order}) < len(order) or "" in order:
        raise InputError(
            f"--ordered must name two values or more of {name!r}, each once, the lowest first. Got "
            f"{shown(text)}; write --ordered 'size:low<mid<high'."
        )
    return tuple(order)


def _begins(value: str, text: str) -> bool:
    return value.startswith(text.strip())


def with_numbers(texts: Sequence[str]) -> list[Value]:
    """Texts, and the numbers that they are."""
    found: list[Value] = [*texts]
    for text in texts:
        try:
            number = float(text)
        except ValueError:
            continue
        if number == number and abs(number) != float("inf"):
            found.append(int(number) if number.is_integer() else number)
    return found
