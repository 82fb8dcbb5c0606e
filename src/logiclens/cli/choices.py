"""Options that are one of several words, and columns that are named on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import TypeVar

import typer

from logiclens.errors import UnknownColumnError, listing


class Network(StrEnum):
    """The networks there are."""

    MU = "mu"
    PSI = "psi"
    RELU = "relu"
    ENTROPY = "entropy"


class Kind(StrEnum):
    """The kinds of rules of a class."""

    IFF = "iff"
    IF = "if"
    ONLY_IF = "only_if"


class EngineName(StrEnum):
    """The engines that rows can be left in."""

    DUCKDB = "duckdb"
    SPARK = "spark"


Choice = TypeVar("Choice", bound=StrEnum)


def one_of(options: type[Choice]) -> Callable[[str], Choice]:
    """Reader of one of several words; typer's own says "Value error, ..." when it fails."""

    def read(text: str) -> Choice:
        if text not in set(options):
            raise typer.BadParameter(f"{text!r} is not one of {listing(map(str, options))}.")
        return options(text)

    return read


def named_columns(given: Iterable[str], known: Sequence[str], option: str) -> tuple[str, ...]:
    """Columns that an option names: each text is a column's name, or several with commas between them.

    Parameters
    ----------
    given : iterable of str
        The texts, one for each time that the option was given.
    known : sequence of str
        The columns there are.
    option : str
        What the option is called, for the error message.

    Raises
    ------
    UnknownColumnError
        A name that is not among them.

    Examples
    --------
    >>> named_columns(["age, sex", "height, in cm"], ["age", "sex", "height, in cm"], "--use")
    ('age', 'sex', 'height, in cm')
    """
    found: dict[str, None] = {}
    for text in given:
        for name in (text,) if text in known else text.split(","):
            column = name if name in known else name.strip()
            if column and column not in known:
                raise UnknownColumnError(column, known, f"It is named by {option}.")
            if column:
                found[column] = None
    return tuple(found)
