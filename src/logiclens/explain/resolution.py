"""What decides about rows, and how often: which step of a list, or the default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from logiclens.explain.label import Label
from logiclens.logic.arrays import BoolArray, IndexArray


@dataclass(frozen=True)
class Resolution:
    """How many rows each step decides.

    Attributes
    ----------
    n_rows : int
        All rows.
    by_label : dict of label to int
        Rows that each step decides, in the order of the steps; in a multi-label set rows of which each rule
        is true.
    n_uncovered : int
        Rows of which no step is true: the default decides; in a multi-label set they get no label.
    """

    n_rows: int
    by_label: Mapping[Label, int] = field(hash=False)
    n_uncovered: int

    @property
    def n_decided(self) -> int:
        """Rows of which a step is true."""
        return self.n_rows - self.n_uncovered

    @classmethod
    def of_list(cls, place: IndexArray, labels: Sequence[Label]) -> Resolution:
        """Count rows by the place of the step that decides them; by the number of steps where none does.

        Examples
        --------
        >>> Resolution.of_list(np.array([0, 2, 0]), ["bird", "fish"])
        Resolution(n_rows=3, by_label={'bird': 2, 'fish': 0}, n_uncovered=1)
        """
        counts = np.bincount(place, minlength=len(labels) + 1).tolist()
        return cls(len(place), dict(zip(labels, counts[:-1], strict=True)), counts[-1])

    @classmethod
    def of_rules(cls, fired: BoolArray, labels: Sequence[Label]) -> Resolution:
        """Count the rows of a table of which rule of a multi-label set is true where, (n_rows, n_labels).

        Examples
        --------
        >>> Resolution.of_rules(np.array([[True, True], [False, False]]), ["bird", "fish"])
        Resolution(n_rows=2, by_label={'bird': 1, 'fish': 1}, n_uncovered=1)
        """
        counts = fired.sum(axis=0).tolist()
        uncovered = int((~fired.any(axis=1)).sum())
        return cls(len(fired), dict(zip(labels, counts, strict=True)), uncovered)
