"""The rates of a single rule, each with an interval: how often it is right, how much it covers.

A rate from few rows says little, so each comes with its Wilson score interval, which stays within [0, 1] and
is sound for small numbers and for rates of 0 and 1. With weights, the number of rows is the effective one,
``sum(w)**2 / sum(w**2)``: as many rows of equal weight would tell as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from logiclens.errors import InputError, shown
from logiclens.logic import Formula
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import as_float
from logiclens.logic.formula import check_formula
from logiclens.metrics.answers import weights_of, yes_or_no

Interval: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class RuleScores:
    """The rates of a rule, each with its interval.

    A rate of nothing is NaN, and its interval is (0, 1): precision of a rule that is never true, recall of a
    target that does not occur.

    Attributes
    ----------
    n, covered : float
        Number of rows, and of those for which the formula is true; their weight if weights were given.
    precision, precision_interval : float, (float, float)
        Share of the target among the rows for which the formula is true.
    recall, recall_interval : float, (float, float)
        Share of the rows of the target for which the formula is true.
    coverage, coverage_interval : float, (float, float)
        Share of all rows for which the formula is true.
    prevalence, prevalence_interval : float, (float, float)
        Share of the target among all rows.
    lift : float
        Precision divided by prevalence: how many times as common the target is where the formula is true.
        NaN when either is NaN or the target does not occur.
    """

    n: float
    covered: float
    precision: float
    precision_interval: Interval
    recall: float
    recall_interval: Interval
    coverage: float
    coverage_interval: Interval
    prevalence: float
    prevalence_interval: Interval
    lift: float

    def __str__(self) -> str:
        lines = [f"true for {self.covered:.10g} of {self.n:.10g}, lift {self.lift:.2f}"]
        for name in ("precision", "recall", "coverage", "prevalence"):
            low, high = getattr(self, f"{name}_interval")
            lines.append(f"  {name:<10}  {getattr(self, name):.3f}  [{low:.3f}, {high:.3f}]")
        return "\n".join(lines)


def rule_scores(
    formula: Any,
    X: Any,
    y_is_target: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    confidence: float = 0.95,
) -> RuleScores:
    """Precision, recall, coverage, prevalence and lift of a formula for one target.

    Parameters
    ----------
    formula : Formula, or an Explanation
    X : mapping, data frame or array of shape (n_rows, n_concepts)
        Concepts, true when greater than 0.5; for an explanation that was made from a raw table, its rows.
    y_is_target : array of shape (n_rows,)
        Whether each row is the target: Booleans, or 0 and 1. From labels, ``y == label`` makes them.
    names : sequence of str, optional
        Names of an array's columns; ``x0``, ``x1``, ... when missing.
    sample_weight : array of shape (n_rows,), optional
        Non-negative weights; 1 when missing.
    confidence : float, default 0.95
        Of the intervals, between 0 and 1.

    References
    ----------
    E. B. Wilson: "Probable Inference, the Law of Succession, and Statistical Inference", Journal of the
    American Statistical Association 22 (1927).

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> scores = rule_scores(Var("wings"), {"wings": [1, 1, 1, 0]}, [1, 1, 0, 0])
    >>> scores.recall, scores.coverage
    (1.0, 0.75)
    >>> print(scores)
    true for 3 of 4, lift 1.33
      precision   0.667  [0.208, 0.939]
      recall      1.000  [0.342, 1.000]
      coverage    0.750  [0.301, 0.954]
      prevalence  0.500  [0.150, 0.850]
    """
    if not isinstance(getattr(formula, "formula", None), Formula):
        check_formula(formula, "rule_scores")
    z = normal_quantile(confidence)
    true: BoolArray = formula.evaluate(X, names)
    given = weights_of(sample_weight, len(true))
    weight = np.ones(len(true)) if given is None else given
    target = yes_or_no(y_is_target, "y_is_target", len(true))
    both, every = true & target, np.ones_like(true)
    precision, prevalence = share(both, true, weight, z), share(target, every, weight, z)
    return RuleScores(
        float(weight.sum()),
        float(weight[true].sum()),
        *precision,
        *share(both, target, weight, z),
        *share(true, every, weight, z),
        *prevalence,
        precision[0] / prevalence[0] if prevalence[0] > 0 else np.nan,
    )


def normal_quantile(confidence: float) -> float:
    """How many standard deviations from the middle an interval of that confidence ends."""
    level = as_float(confidence)
    if not 0 < level < 1:
        raise InputError(f"confidence must be a number between 0 and 1. Got {shown(confidence)}.")
    return NormalDist().inv_cdf((1 + level) / 2)


def share(part: BoolArray, whole: BoolArray, weight: FloatArray, z: float) -> tuple[float, Interval]:
    """Share of the weight of ``whole`` that lies in ``part``, and its Wilson score interval."""
    total = weight[whole].sum()
    if total == 0:
        return np.nan, (0.0, 1.0)
    rate = min(float(weight[part].sum() / total), 1.0)  # sums of fractions may be off by the last digit
    scaled = weight[whole] / weight[whole].max()  # squares of large weights would overflow
    n = scaled.sum() ** 2 / (scaled**2).sum()
    return rate, wilson(rate, float(n), z)


def wilson(rate: float, n: float, z: float) -> Interval:
    """Wilson score interval of a rate that was seen on so many rows.

    Examples
    --------
    >>> low, high = wilson(0.75, 4, normal_quantile(0.95))
    >>> f"{low:.3f} to {high:.3f}"
    '0.301 to 0.954'
    """
    center = (rate + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * sqrt(rate * (1 - rate) / n + z**2 / (4 * n**2))
    # At rates of 0 and 1 rounding may put the ends just outside.
    return min(max(center - half, 0.0), rate), max(min(center + half, 1.0), rate)
