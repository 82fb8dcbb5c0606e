"""Rates from counts of rows: how often a formula is right, and how sure that is.

The figures are those of :mod:`logiclens.metrics`, for rows that all weigh the same: here they are counted in
packed words, so that hundreds of formulas can be measured on a million rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from logiclens.logic.arrays import Words
from logiclens.metrics.agreement import macro_f1, normal_quantile, wilson
from logiclens.reporting.rule_facts import Rate

_Z = normal_quantile(0.95)
NO_RATE = Rate(None)


@dataclass(frozen=True)
class Cells:
    """Rows that a formula calls rightly yes, wrongly yes, wrongly no and rightly no.

    Examples
    --------
    >>> cells = Cells(hits=8, false_alarms=2, missed=0, rest=10)
    >>> cells.precision.value, cells.recall.value, cells.coverage.value
    (0.8, 1.0, 0.5)
    """

    hits: int
    false_alarms: int
    missed: int
    rest: int

    @property
    def n(self) -> int:
        """All rows."""
        return self.hits + self.false_alarms + self.missed + self.rest

    @property
    def precision(self) -> Rate:
        """Of the rows for which the formula is true, the share that is the target."""
        return rate(self.hits, self.hits + self.false_alarms)

    @property
    def recall(self) -> Rate:
        """Of the rows that are the target, the share for which the formula is true."""
        return rate(self.hits, self.hits + self.missed)

    @property
    def coverage(self) -> Rate:
        """The share of all rows for which the formula is true."""
        return rate(self.hits + self.false_alarms, self.n)

    @property
    def macro_f1(self) -> float:
        """Mean of the F1 of yes and of no, as :func:`logiclens.metrics.macro_f1` gives it."""
        weight = [self.rest, self.false_alarms, self.missed, self.hits]
        return macro_f1([0, 0, 1, 1], [0, 1, 0, 1], weight)

    @property
    def plain(self) -> float:
        """The share of all rows on which formula and target agree."""
        return (self.hits + self.rest) / self.n


def cells_of(said: Words, wanted: Words, n_rows: int) -> Cells:
    """Count rows by what a formula says of them and what is wanted; bits beyond the rows are 0 in both."""
    hits, yes, target = ones(said & wanted), ones(said), ones(wanted)
    return Cells(hits, yes - hits, target - hits, n_rows - yes - target + hits)


def ones(words: Words) -> int:
    """How many bits are set."""
    return int(np.bitwise_count(words).sum())


def rate(part: int, whole: int) -> Rate:
    """A share with its Wilson score interval of 95 %; of nothing, no share.

    Examples
    --------
    >>> rate(3, 4)
    Rate(value=0.75, low=0.3006, high=0.9544)
    """
    if not whole:
        return NO_RATE
    share = part / whole
    low, high = wilson(share, whole, _Z)
    return Rate(share, round(low, 4), round(high, 4))
