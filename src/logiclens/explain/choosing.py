"""Which formula of a front is taken: the one whose literals all earn their reading.

A longer formula is right about more rows, of which some are right by chance. What a literal is worth, and how
much of a lead may be chance, decides how long a rule is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import ArrayLike

from logiclens.logic.arrays import BoolArray, FloatArray, quiet_products
from logiclens.logic.truth_table import TruthTable

STANDARD_ERRORS: Final = 0.35
"""A shorter formula is taken unless it is worse than the best by more than this many standard errors."""
LITERAL_WORTH: Final = 0.00175
"""What a literal less is worth, as a share of the rows, in a formula of :data:`USUAL` literals for a target
that is as frequent as not. With very many rows nothing is due to chance."""
USUAL: Final = 5
"""Literals of a formula that is read at a glance. In one of twice as many or more, a literal is worth twice
as much."""


class Rated(Protocol):
    """A formula of so many literals, or two of its forms, each with its own; and its score."""

    @property
    def literals(self) -> int | tuple[int, ...]: ...
    @property
    def score(self) -> float | None: ...


@quiet_products
def choose_point(
    front: Sequence[Rated],
    influence: FloatArray,
    weight: FloatArray,
    standard_errors: float = STANDARD_ERRORS,
    worth: float = LITERAL_WORTH,
) -> int:
    """Position of the shortest formula of a front that is not clearly worse than the best one.

    A formula is worth its score less what reading it costs: ``worth`` times :func:`reading_cost`, of several
    forms the mean. The best is worth most, of equals it has the fewest literals. Another is clearly worse
    when it is worth less by more than ``standard_errors`` times the standard error of the *difference* of the
    two scores. Each score is a ratio of sums over rows,
    ``s = sum(w u) / sum(w v)``: accuracy with ``u`` = right and ``v`` = 1. So a row's influence on it is
    ``psi = (u - s v) / sum(w v)``, and the variance of the difference of two scores is
    ``sum(w (psi_a - psi_b)^2)``. For accuracy, with the total weight ``n``, the weight ``q`` of the rows on
    which the formulas differ and the difference ``d`` of the scores, that is ``(q / n - d^2) / n``.

    Parameters
    ----------
    front : sequence of FrontPoint, or of whatever has ``literals`` and a ``score``
    influence : ndarray of float, shape (n_points, n_rows)
        Influence of each validation row on each score.
    weight : ndarray of float, shape (n_rows,)
    standard_errors : float, default :data:`STANDARD_ERRORS`
    worth : float, default :data:`LITERAL_WORTH`
        Of a literal less in a formula of :data:`USUAL` literals, as a share of the rows; see
        :func:`literal_worth`.

    Returns
    -------
    int

    Examples
    --------
    On 100 rows ``a`` is right about 50. A longer formula corrects 46 of the others and spoils 45, or none.

    >>> from logiclens.explain import FrontPoint
    >>> from logiclens.logic import Var
    >>> a, b = Var("a"), Var("b")
    >>> row = np.arange(100)
    >>> for long in ((row < 5) | (row >= 54), row < 96):
    ...     right = np.array([row < 50, long])
    ...     scores = right.mean(axis=1)
    ...     front = [FrontPoint(a, 1, 50, scores[0]), FrontPoint(a & b, 2, 0, scores[1])]
    ...     print(choose_point(front, (right - scores[:, None]) / 100, np.ones(100)))
    0
    1
    """
    scores = np.array([point.score for point in front], dtype=np.float64)
    forms = np.array([point.literals for point in front]).reshape(len(front), -1)
    literals = forms.sum(axis=1)
    value = scores - worth * reading_cost(forms).mean(axis=1)
    best = np.lexsort((literals, -value))[0]
    variance = np.square(influence - influence[best]) @ weight
    good = value >= value[best] - standard_errors * np.sqrt(variance) - 1e-12  # equals but for rounding
    return int(np.lexsort((-scores, literals, ~good))[0])


def reading_cost(literals: ArrayLike) -> FloatArray:
    """What it costs to read formulas of so many literals.

    Each of the first :data:`USUAL` literals costs 1. A further one costs the more the longer the formula is,
    as it is read beside all others, and never more than 2, as long formulas are read part by part.

    Examples
    --------
    >>> reading_cost([0, 1, 5, 10, 11, 20]).tolist()
    [0.0, 1.0, 5.0, 12.5, 14.5, 32.5]
    """
    given = np.asarray(literals, dtype=np.float64)
    first, up_to_twice = np.minimum(given, USUAL), np.clip(given, USUAL, 2 * USUAL)
    dearer = (np.square(up_to_twice) - USUAL**2) / (2 * USUAL)
    return np.asarray(first + dearer + 2.0 * np.maximum(given - 2 * USUAL, 0.0))


def literal_worth(yes: float, no: float) -> float:
    """What a literal less is worth in a formula of :data:`USUAL` literals, as a share of the rows.

    The rarer the target, the fewer rows there are to be right about: the worth goes with the standard
    deviation ``sqrt(p (1 - p))`` of the target.

    Parameters
    ----------
    yes, no : float
        Weight of the target and of the rest.

    Examples
    --------
    >>> round(literal_worth(50.0, 50.0), 5), round(literal_worth(1.0, 99.0), 5)
    (0.00175, 0.00035)
    """
    share = yes / (yes + no)
    return float(2.0 * LITERAL_WORTH * np.sqrt(share * (1.0 - share)))


@dataclass(frozen=True)
class Measured:
    """Scores of formulas on the rows of a table, and how far each row matters.

    The rows of one tuple are the target (yes) or not (no), so each tuple counts as two rows here.
    """

    scores: FloatArray  # (n_formulas,)
    influence: FloatArray  # (n_formulas, 2 * n_rows)
    weight: FloatArray  # (2 * n_rows,)

    @classmethod
    @quiet_products
    def of(cls, fired: BoolArray, table: TruthTable, measure: str) -> Measured:
        """Accuracy, precision or recall of formulas with that truth on the tuples, (n_formulas, n_rows)."""
        said = np.concatenate([fired, fired], axis=1)
        belongs = np.repeat([True, False], table.n_rows)
        weight = np.concatenate([table.yes, table.no])
        counted = {
            "accuracy": np.ones_like(said),
            "precision": said,
            "recall": np.broadcast_to(belongs, said.shape),
        }[measure].astype(np.float64)
        right = ((said == belongs) & (counted > 0)).astype(np.float64)
        whole = counted @ weight
        whole[whole == 0] = 1.0  # nothing is counted, so nothing is right
        scores = np.minimum(right @ weight / whole, 1.0)
        return cls(scores, (right - scores[:, None] * counted) / whole[:, None], weight)

    def select(self, index: Sequence[int]) -> Measured:
        """Those of some of the formulas."""
        return Measured(self.scores[index], self.influence[index], self.weight)
