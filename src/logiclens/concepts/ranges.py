"""Ordered classes of a column of numbers: ranges between cut points."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from logiclens.concepts._cuts import quantile_cuts
from logiclens.errors import InputError, shown
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.logic.data import check_count, check_name


@dataclass(frozen=True)
class Ranges:
    """Ranges of numbers as classes, in ascending order.

    Parameters
    ----------
    name : str
        The column, for the labels.
    cuts : tuple of float
        Ascending; each is the last number of its range. They are rounded to the digits that labels show.

    Examples
    --------
    >>> ranges = Ranges("price", (120.0, 250.0))
    >>> ranges.labels
    ('price <= 120', '120 < price <= 250', 'price > 250')
    >>> ranges.label([99, 120, 300]).tolist()
    ['price <= 120', 'price <= 120', 'price > 250']
    """

    name: str
    cuts: tuple[float, ...]

    def __post_init__(self) -> None:
        check_name(self.name)
        cuts = _numbers(self.cuts).tolist()
        object.__setattr__(self, "cuts", tuple(float(_text(cut)) for cut in cuts))
        if not self.cuts or not np.isfinite(self.cuts).all():
            raise InputError(f"Cut points must be finite numbers. Got {shown(self.cuts)}.")
        if list(self.cuts) != sorted(self.cuts) or len(set(self._texts)) < len(self.cuts):
            raise InputError(f"Cut points must be in ascending order. Got {', '.join(self._texts)}.")

    @classmethod
    def of_equal_size(cls, name: str, numbers: Any, n_ranges: int, sample_weight: Any = None) -> Self:
        """Ranges of about the same number of rows, with cut points of few digits.

        Parameters
        ----------
        name : str
        numbers : array of shape (n,)
            NaN counts as missing.
        n_ranges : int
            At least 2; where few numbers are common, there are fewer ranges.
        sample_weight : array of shape (n,), optional
            How many rows each number stands for.

        Examples
        --------
        >>> Ranges.of_equal_size("price", np.arange(300), 3).cuts
        (99.0, 199.0)
        """
        check_count(n_ranges, "n_ranges", least=2)
        cuts = quantile_cuts(
            _numbers(numbers),
            n_ranges - 1,
            sample_weight=None if sample_weight is None else _numbers(sample_weight),
        )
        if not cuts.size:
            raise InputError(f"Column {name!r} has less than two different numbers, so it has no ranges.")
        return cls(name, tuple(cuts.tolist()))

    @classmethod
    def of_labels(cls, labels: Iterable[object]) -> Self | None:
        """The ranges that some labels are about; None where these are no labels of ranges.

        Examples
        --------
        >>> Ranges.of_labels(["price > 250", "price <= 120", "120 < price <= 250"]).cuts
        (120.0, 250.0)
        >>> Ranges.of_labels(["high", "low"])
        """
        texts = [str(label) for label in labels]
        for text in texts:
            name, sign, _ = text.rpartition(" > ")
            if not sign or not name:
                continue
            ends = {part for each in texts for part in (each.split(" < ")[0], *each.split(" ")[-1:])}
            try:
                found = cls(name, tuple(sorted({end for end in map(_number, ends) if end is not None})))
            except InputError:
                continue
            if set(found.labels) == set(texts):
                return found
        return None

    @property
    def labels(self) -> tuple[str, ...]:
        """One for each range."""
        texts = self._texts
        between = (f"{low} < {self.name} <= {high}" for low, high in pairwise(texts))
        return f"{self.name} <= {texts[0]}", *between, f"{self.name} > {texts[-1]}"

    @property
    def _texts(self) -> list[str]:
        return [*map(_text, self.cuts)]

    def codes(self, numbers: Any) -> IndexArray:
        """Which range each number is in, shape (n,); what stands for NaN means nothing."""
        return np.searchsorted(np.asarray(self.cuts), _numbers(numbers))

    def label(self, numbers: Any) -> NDArray[Any]:
        """The label of each number, shape (n,); what stands for NaN means nothing."""
        return np.array([*self.labels, ""], dtype=object)[
            np.where(np.isnan(_numbers(numbers)), -1, self.codes(numbers))
        ]


def _text(cut: float) -> str:
    return f"{cut:.10g}"


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _numbers(values: Any) -> FloatArray:
    """Values as numbers, (n,)."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.zeros(())
    if found.ndim != 1:
        raise InputError(f"Expected an array of numbers. Got {shown(values)}.")
    return found
