"""How many independent rows some rows are worth, where rows come in groups: copies, or the rows of a patient.

Every interval and every test about grouped rows divides the number of rows by the *design effect*, so that
six copies of each row count once, and rows of a patient who differ as strangers do count in full.
"""

from __future__ import annotations

import numpy as np

from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.metrics.agreement import Interval, wilson


def design_effect(squares: float, variance: float, sizes_squared: float, n: float, n_groups: float) -> float:
    """How many times the variance of a sum over rows is as large as if the rows were independent.

    It is estimated from the groups, as cluster-robust standard errors are, and drawn a little towards its
    value if all rows of a group said the same, ``sizes_squared / n``: as if one more group, and one more row
    at least, had been seen to do so. So few groups, and rates of 0 and 1, do not look surer than they are.

    Parameters
    ----------
    squares : float
        Sum over groups of the square of the sum over their rows of what is added up, less its mean.
    variance : float
        The variance of the sum if rows were independent.
    sizes_squared : float
        Sum over groups of the square of their number of rows.
    n, n_groups : float
        Numbers of rows and of groups.

    References
    ----------
    E. L. Korn and B. I. Graubard: "Confidence Intervals for Proportions With Small Expected Number of
    Positive Counts Estimated From Survey Data", Survey Methodology 24 (1998).

    Examples
    --------
    Ten rows, each six times, of which five are right:

    >>> design_effect(squares=360 / 4, variance=60 / 4, sizes_squared=360, n=60, n_groups=10)
    6.0
    """
    if n_groups >= n or n <= 0:
        return 1.0
    drawn = max(variance / n_groups, 1.0)
    return max((squares + drawn * sizes_squared / n) / (variance + drawn), 1.0)


def grouped_share(right: FloatArray, weight: FloatArray, groups: IndexArray) -> tuple[float, Interval]:
    """Share of some rows that are right, (n,), and its Wilson score interval, where rows come in groups.

    A row counts as many times as its weight says.

    Examples
    --------
    >>> right, groups = np.repeat([1.0, 0.0], [5, 5]), np.arange(10)
    >>> once = grouped_share(right, np.ones(10), groups)
    >>> once == grouped_share(np.repeat(right, 6), np.ones(60), np.repeat(groups, 6))
    True
    """
    n = float(weight.sum())
    if not n:
        return np.nan, (0.0, 1.0)
    rate = min(float(weight @ right) / n, 1.0)
    apart, sizes = np.bincount(groups, weight * (right - rate)), np.bincount(groups, weight)
    n_groups, variance = int((sizes > 0).sum()), n * rate * (1.0 - rate)
    effect = design_effect(float(apart @ apart), variance, float(sizes @ sizes), n, n_groups)
    return rate, wilson(rate, n / effect)
