"""A goal for rules beside accuracy: a recall or a precision that one class has to reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from logiclens.errors import InputError, percent, shown

METRICS = ("recall", "precision")
"""What can be asked for."""
FEW = 10
"""A share of fewer rows reaches no goal."""


@dataclass(frozen=True)
class Goal:
    """The least recall or precision of a class.

    Attributes
    ----------
    metric : {"recall", "precision"}
    least : float
        In (0, 1].
    label : label, optional
        The class; the rarest one where it is None.

    Examples
    --------
    >>> Goal.parse("recall=0.9", "ill")
    Goal(metric='recall', least=0.9, label='ill')
    """

    metric: str
    least: float
    label: Any = None

    @classmethod
    def parse(cls, text: Any, label: Any = None) -> Self:
        """Read ``"recall=0.9"`` or ``"precision=0.9"``."""
        metric, _, rate = text.partition("=") if isinstance(text, str) else ("", "", "")
        try:
            least = float(rate)
        except ValueError:
            least = 0.0
        if metric not in METRICS or not 0.0 < least <= 1.0:
            raise InputError(
                f"goal must be such as 'recall=0.9' or 'precision=0.9', with a number up to 1. "
                f"Got {shown(text)}."
            )
        return cls(metric, least, label)

    def rate(self, decided: float, true: float, both: float) -> tuple[float, float]:
        """Recall or precision, and how many rows it is a share of; 0 of none.

        Parameters
        ----------
        decided, true, both : float
            Rows that are decided to be of the class, that are, and that are both.
        """
        n = true if self.metric == "recall" else decided
        return (float(both / n) if n else 0.0), float(n)


@dataclass(frozen=True)
class GoalResult:
    """How near the rules that are shown come to a goal.

    Attributes
    ----------
    goal : Goal
        With its class.
    rate : float
        On training rows, the smaller of two: of rules that had not seen them (cross-fitted), and of the rules
        themselves.
    n : float
        How many rows that is a share of.
    weight : float
        What a row of the class counts in the search, where others count 1.

    Examples
    --------
    >>> print(GoalResult(Goal("recall", 0.9, "ill"), 0.84, 50, 16.0))
    No rules reach a recall of 90 % for ill; these come nearest: 84.0 % of 50 training rows.
    """

    goal: Goal
    rate: float
    n: float
    weight: float

    @property
    def is_reached(self) -> bool:
        """Whether the goal is reached, on rows that are not too few."""
        return self.rate >= self.goal.least and self.n >= FEW

    def __str__(self) -> str:
        goal = self.goal
        what = f"a {goal.metric} of {100 * goal.least:g} % for {goal.label}"
        rate = f"{percent(self.rate).replace('%', ' %')} of {round(self.n)} training rows"
        if self.is_reached:
            return f"Of the rules that reach {what}, these are the most accurate: {rate}."
        if not self.n:
            return f"No rules reach {what}; these never predict it."
        return f"No rules reach {what}; these come nearest: {rate}."
