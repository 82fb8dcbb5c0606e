"""Concepts that matter together: those of a short formula that is right about the rows.

Network-level pruning keeps the concepts whose connections have the largest norms, one by one. Concepts that
say something only together, as in a long conjunction, have small norms as long as many others compete with
them. So beside the networks that are pruned by norms there are some that read the concepts of a short
formula, searched for in the rows (:mod:`logiclens.logic.beam`); which of them is taken is decided as among
all others. Such a network is trained as any other is after pruning, and need not become that formula.
"""

from __future__ import annotations

import numpy as np

from logiclens.estimators.asking import Grouped
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.beam import short_formulas

LONGEST = 8
"""Literals of the longest formula that is searched for."""
LEAST_ROWS = 1000
"""Rows below which nothing is searched for: of the many short formulas, the best would be best by luck."""


def concepts_of_formulas(
    x: FloatArray, yes: FloatArray, no: FloatArray, most: int, longest: int = LONGEST
) -> BoolArray:
    """Which concepts the best short formula of each output speaks of, Boolean (n_outputs, n_concepts).

    Parameters
    ----------
    x : ndarray of shape (n, n_concepts)
    yes, no : ndarray of shape (n_outputs, n)
        Weight of each row as yes and as no.
    most : int
        Most concepts of a formula.
    longest : int, default :data:`LONGEST`
        Most literals of a formula.

    Returns
    -------
    ndarray of bool
        No concept where no formula is better than ``FALSE``.
    """
    rows = Grouped(x, [str(j) for j in range(x.shape[1])])
    kept = np.zeros((len(yes), x.shape[1]), dtype=np.bool_)
    for output in range(len(yes)):
        for formula in short_formulas(rows.table(yes[output], no[output]), longest, max_concepts=most)[-1:]:
            kept[output, [int(name) for name in formula.concepts]] = True
    return kept
