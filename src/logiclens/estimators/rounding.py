"""Scores to the nearest of sixteen degrees, for training, where that makes most rows equal.

Concepts that a network finds in pictures are nearly all nearly 0 or nearly 1: rows that say the same differ
in digits that say nothing. Rounded, such rows become one row of their added weights, and training, whose time
grows with the rows, takes a fraction of it: the 63 000 digits of MNIST have some 500 rows of degrees.

Networks learn, are ranked and settle on degrees. Which of the settled ones is taken, what its rules say and
how good they are is decided on the scores as they are; rounded or not, a concept is true of a row or is not.
Rows of scores that differ stay as they are.
"""

from __future__ import annotations

import numpy as np

from logiclens.estimators.counting import Distinct, Fold
from logiclens.logic.arrays import FloatArray
from logiclens.nn.rows import DEGREES


def rounded(x: FloatArray) -> FloatArray:
    """The nearest of the degrees 0, 1/15, ... 1; of two that are as near, the lower one.

    Parameters
    ----------
    x : ndarray of any shape
        Scores in [0, 1].

    Examples
    --------
    >>> (15 * rounded(np.array([0.01, 0.5, 0.51, 0.98]))).round(6)
    array([ 0.,  7.,  8., 15.])
    """
    return np.asarray(np.ceil(DEGREES * x - 0.5) / DEGREES) + 0.0


def makes_equal(x: FloatArray, fold: Fold) -> bool:
    """Whether rounding leaves at most half of the distinct rows of a fold.

    Parameters
    ----------
    x : ndarray of shape (n, n_concepts)
        Scores in [0, 1].
    fold : Fold

    Examples
    --------
    >>> x = np.random.default_rng(0).random((100, 2))
    >>> whole = Fold(np.ones(100), np.zeros(100))
    >>> makes_equal(x, whole), makes_equal((x > 0.5) + 0.01 * (0.5 - x), whole)
    (False, True)
    """
    rows = x[(fold.train + fold.check) > 0]
    n_coarse = len(Distinct.of(np.rint(DEGREES * rounded(rows)).astype(np.uint8)).first)
    # Rows are no fewer than distinct rows, and many times quicker to count.
    return 2 * n_coarse <= len(rows) and 2 * n_coarse <= len(Distinct.of(rows).first)
