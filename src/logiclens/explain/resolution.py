"""What becomes of rows of which several rules are true, or none: how often that is, and who decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from logiclens.logic.arrays import BoolArray, IndexArray


@dataclass(frozen=True)
class Resolution:
    """On how many rows the rules agree on an answer.

    Attributes
    ----------
    n_rows : int
        All rows: the sum of the three others.
    n_decided : int
        Rows on which one rule fires; in a multi-label set, one or more.
    n_conflicts : int
        Rows on which several rules fire that exclude one another; none in a multi-label set.
    n_uncovered : int
        Rows on which no rule fires.
    """

    n_rows: int
    n_decided: int
    n_conflicts: int
    n_uncovered: int

    @classmethod
    def of(cls, fired: BoolArray, multi_label: bool) -> Resolution:
        """Count the rows of a table of which rule fired where, shape (n_rows, n_labels).

        Examples
        --------
        >>> Resolution.of(np.array([[True, True], [False, True]]), multi_label=False)
        Resolution(n_rows=2, n_decided=1, n_conflicts=1, n_uncovered=0)
        """
        n_fired = fired.sum(axis=1)
        uncovered = int((n_fired == 0).sum())
        several = 0 if multi_label else int((n_fired > 1).sum())
        return cls(len(n_fired), len(n_fired) - several - uncovered, several, uncovered)


def winners(fired: BoolArray, priority: Sequence[float], fallback: int) -> IndexArray:
    """Place of the label that each row gets, shape (n_rows,).

    Parameters
    ----------
    fired : ndarray of bool, shape (n_rows, n_labels)
    priority : sequence of float, length n_labels
        The highest decides where several fire, of equals the first.
    fallback : int
        Place of the label of rows on which none fires.

    Examples
    --------
    >>> winners(np.array([[True, True], [False, False]]), [0.1, 0.2], fallback=0).tolist()
    [1, 0]
    """
    order = np.argsort(-np.array(priority), kind="stable")
    first = order[fired[:, order].argmax(axis=1)]
    return np.asarray(np.where(fired.any(axis=1), first, fallback))
