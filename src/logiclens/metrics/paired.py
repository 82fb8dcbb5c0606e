"""Two ways to answer, compared row by row on the same rows.

Only rows on which exactly one of the two is right say which is better. Where the two are equally good, each
of those rows goes either way with probability one half, so their number gives an exact test (McNemar's, a
sign test).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from logiclens.errors import InputError
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.metrics.agreement import Interval, two_sided_quantile
from logiclens.metrics.design_effect import design_effect

_Z = two_sided_quantile(0.95)
_LEVEL = 0.05  # one-sided


@dataclass(frozen=True)
class Lead:
    """How far one way to answer is ahead of another in accuracy, and whether chance explains it.

    Attributes
    ----------
    n_rows : float
        The rows that both answered.
    wins, losses : float
        Rows on which only the first is right, and only the second.

    Examples
    --------
    >>> lead = Lead(100, wins=12, losses=2)
    >>> f"{lead.size:+.2f} [{lead.interval[0]:+.2f}, {lead.interval[1]:+.2f}], p = {lead.p_value:.4f}"
    '+0.10 [+0.03, +0.17], p = 0.0065'
    """

    n_rows: float
    wins: float
    losses: float

    def __post_init__(self) -> None:
        if min(self.wins, self.losses) < 0 or self.wins + self.losses > self.n_rows:
            raise InputError(
                f"wins and losses are numbers of the {self.n_rows} rows. Got {self.wins} and {self.losses}."
            )

    @classmethod
    def of_answers(
        cls,
        first: BoolArray,
        second: BoolArray,
        counts: FloatArray | None = None,
        groups: IndexArray | None = None,
    ) -> Lead:
        """From whether each of the two is right on each row, (n,).

        A row may stand for several. Rows of a group, such as copies or those of one patient, are no rows of
        their own: all counts are divided by the :func:`~logiclens.metrics.design_effect.design_effect`.
        """
        weight = np.ones(len(first)) if counts is None else counts
        lead = cls(float(weight.sum()), float(weight @ (first & ~second)), float(weight @ (second & ~first)))
        if groups is None:
            return lead
        ahead, sizes = (
            np.bincount(groups, weight * (first.astype(np.float64) - second)),
            np.bincount(groups, weight),
        )
        return lead.thinned(float(ahead @ ahead), float(sizes @ sizes), int((sizes > 0).sum()))

    @classmethod
    def pooled(cls, *parts: Lead | None) -> Lead:
        """The lead on the rows of all parts that are there; without a row where there are none."""
        return sum((part for part in parts if part is not None), cls(0.0, 0.0, 0.0))

    def __add__(self, other: Lead) -> Lead:
        """The lead on the rows of two, which must be different rows."""
        return Lead(self.n_rows + other.n_rows, self.wins + other.wins, self.losses + other.losses)

    def thinned(self, squares: float, sizes_squared: float, n_groups: float) -> Lead:
        """All counts divided by the design effect of groups.

        Parameters
        ----------
        squares : float
            Sum over groups of the square of wins less losses.
        sizes_squared : float
            Sum over groups of the square of their rows.
        n_groups : float
        """
        times = design_effect(squares, self.wins + self.losses, sizes_squared, self.n_rows, n_groups)
        return Lead(self.n_rows / times, self.wins / times, self.losses / times)

    @property
    def size(self) -> float:
        """Difference of the two accuracies."""
        return (self.wins - self.losses) / self.n_rows if self.n_rows else 0.0

    @property
    def interval(self) -> Interval:
        """Interval of 95 % of the difference; Agresti and Min's, which holds on few rows, too."""
        n, wins, losses = self.n_rows + 2, self.wins + 0.5, self.losses + 0.5
        middle = (wins - losses) / n
        half = _Z * sqrt(max(wins + losses - n * middle**2, 0.0)) / n
        return max(middle - half, -1.0), min(middle + half, 1.0)

    @property
    def p_value(self) -> float:
        """Probability of this many wins or more if neither is better; one-sided, exact for whole counts."""
        from scipy.special import betainc  # late: the command need not load it to start

        return float(betainc(self.wins, self.losses + 1, 0.5)) if self.wins else 1.0

    @property
    def is_ahead(self) -> bool:
        """Whether the first is better by more than chance: a p-value of at most 0.05."""
        return self.p_value <= _LEVEL

    @property
    def is_real(self) -> bool:
        """Whether the interval of 95 % excludes 0."""
        low, high = self.interval
        return low > 0 or high < 0


def p_text(p_value: float) -> str:
    """A p-value as people write it.

    Examples
    --------
    >>> p_text(0.0004), p_text(0.0123), p_text(0.456)
    ('p < 0.001', 'p = 0.012', 'p = 0.46')
    """
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}" if p_value < 0.1 else f"p = {p_value:.2f}"
