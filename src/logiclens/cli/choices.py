"""Options that are one of several words."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

import typer

from logiclens.errors import listing


class Network(StrEnum):
    """The networks there are."""

    MU = "mu"
    PSI = "psi"
    RELU = "relu"
    ENTROPY = "entropy"


Choice = TypeVar("Choice", bound=StrEnum)


def one_of(options: type[Choice]) -> Callable[[str], Choice]:
    """Reader of one of several words; typer's own says "Value error, ..." when it fails."""

    def read(text: str) -> Choice:
        if text not in set(options):
            raise typer.BadParameter(f"{text!r} is not one of {listing(map(str, options))}.")
        return options(text)

    return read
