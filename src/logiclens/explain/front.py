"""How good a formula is, and the front of formulas to choose from."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from logiclens.errors import InputError, shown
from logiclens.logic.data import as_float, check_count
from logiclens.logic.formula import Formula, check_formula

RATES = ("precision", "recall", "coverage", "accuracy", "fidelity")


@dataclass(frozen=True)
class Scores:
    """How good a formula is, each in [0, 1]; None where it was not measured or is not defined.

    Attributes
    ----------
    part : str
        The rows it was measured on: ``"training"``, ``"validation"``, ``"test"``, ...
    n_rows : int
        How many there were.
    precision : float, optional
        Of the rows on which the formula is true, the share that is the target.
    recall : float, optional
        Of the rows that are the target, the share on which the formula is true.
    coverage : float, optional
        The share of all rows on which the formula is true.
    accuracy : float, optional
        Agreement of the formula with the truth.
    fidelity : float, optional
        Agreement of the formula with the network.

    Examples
    --------
    >>> Scores("validation", 200, precision=0.9, fidelity=0.99).precision
    0.9
    """

    part: str
    n_rows: int
    precision: float | None = None
    recall: float | None = None
    coverage: float | None = None
    accuracy: float | None = None
    fidelity: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "part", check_text(self.part, "part"))
        object.__setattr__(self, "n_rows", check_count(self.n_rows, "n_rows"))
        for name in RATES:
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else check_rate(value, name))


@dataclass(frozen=True)
class FrontPoint:
    """One of the formulas that were found for a target.

    Attributes
    ----------
    formula : Formula
    literals : int
        Number of its literals.
    errors : float
        Weight of the network's answers that it gets wrong, on the table that it was made from.
    score : float, optional
        In [0, 1], larger is better, on validation data; None when there were none.
    """

    formula: Formula
    literals: int
    errors: float
    score: float | None = None

    def __post_init__(self) -> None:
        check_formula(self.formula, "FrontPoint")
        object.__setattr__(self, "literals", check_count(self.literals, "literals"))
        object.__setattr__(self, "errors", check_weight(self.errors, "errors"))
        if self.score is not None:
            object.__setattr__(self, "score", check_rate(self.score, "score"))


def check_rate(value: float, name: str) -> float:
    """Return a share as a float, once it is sure that it lies in [0, 1]."""
    rate = as_float(value)
    if not 0.0 <= rate <= 1.0:
        raise InputError(f"{name} must be a number in [0, 1]. Got {shown(value)}.")
    return rate


def check_weight(value: float, name: str) -> float:
    """Return a weight as a float, once it is sure that it is finite and not negative."""
    weight = as_float(value)
    if not 0.0 <= weight < inf:
        raise InputError(f"{name} must be a finite number of at least 0. Got {shown(value)}.")
    return weight


def check_text(value: str, name: str) -> str:
    """Return a text as a plain string, of an enumeration's member too."""
    if not isinstance(value, str):
        raise InputError(f"{name} must be a string. Got {shown(value)}.")
    return str.__str__(value)
