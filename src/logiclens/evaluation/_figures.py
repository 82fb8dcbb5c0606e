"""The figures of rules on some rows, all of them from counts.

Counts of rows, or sums of their weights and of the squares of these, are all that is needed, so rows at hand
and rows in an engine have the same figures: those of :mod:`logiclens.metrics` on the rows themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from logiclens.errors import count
from logiclens.explain import Resolution
from logiclens.explain.rule import Label
from logiclens.logic.arrays import FloatArray
from logiclens.metrics import RuleScores, macro_f1
from logiclens.metrics.agreement import Interval, normal_quantile, wilson

_Z = normal_quantile(0.95)
_PRINTED = 10  # labels listed by str()


class Sum(NamedTuple):
    """Weight of some rows, and the sum of its squares; both the number of rows without weights."""

    weight: float
    squares: float

    def plus(self, other: Sum) -> Sum:
        """That of both."""
        return Sum(self.weight + other.weight, self.squares + other.squares)

    @classmethod
    def of_rows(cls, n_rows: float) -> Sum:
        """That of rows without weights."""
        return cls(n_rows, n_rows)


NOTHING = Sum(0.0, 0.0)
"""That of no rows."""


class LabelScores(NamedTuple):
    """How one label's rule does against its class.

    Attributes
    ----------
    support : float
        Rows of the label, or their weight.
    macro_f1 : float
        Mean of the F1 of yes and of no, as :func:`logiclens.metrics.macro_f1` gives it.
    plain : float
        Share of the rows on which the rule is rightly true or rightly false.
    rates : logiclens.metrics.RuleScores
        Precision, recall, coverage and prevalence, each with its interval of 95 %, and lift.
    """

    support: float
    macro_f1: float
    plain: float
    rates: RuleScores


@dataclass(frozen=True, eq=False)
class Evaluation:
    """How good rules are on some rows: as a classifier, and each of them by itself.

    The rules are compared with labels: mostly the truth. Compared with what a model predicts, ``accuracy`` is
    their joint fidelity, and the figures of :attr:`by_label` are the fidelity of each rule.

    Attributes
    ----------
    labels : tuple of label
        Those of the rules, then others that occur among the rows, which are never predicted.
    n_rows : int
    weight : float
        Their weight; the number of rows without weights.
    accuracy : float
        Share of the rows on which the rules together are right; in a multi-label set, right about all labels.
    accuracy_interval : (float, float)
        Its interval of 95 %.
    confusion : ndarray of float, shape (n_labels, n_labels)
        Weight of the rows of each true label, by row, that get each label, by column. In a multi-label set
        of shape (n_labels, 2, 2): no and yes of each label.
    resolution : Resolution
        How many rows each step decides, and how many the default.
    by_label : mapping of label to LabelScores, read-only
        Each rule by itself.
    n_conflicts : int
        Rows of which the formulas of several labels are true.
    """

    labels: tuple[Label, ...]
    n_rows: int
    weight: float
    accuracy: float
    accuracy_interval: Interval
    confusion: FloatArray
    resolution: Resolution
    by_label: Mapping[Label, LabelScores] = field(hash=False)
    n_conflicts: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_label", MappingProxyType(dict(self.by_label)))

    def __reduce__(self) -> tuple[Any, ...]:  # a mapping proxy cannot be pickled
        values = [getattr(self, each.name) for each in fields(self)]
        return type(self), tuple(dict(v) if isinstance(v, MappingProxyType) else v for v in values)

    @classmethod
    def of_counts(  # noqa: PLR0913 - what is counted
        cls,
        labels: Sequence[Label],
        resolution: Resolution,
        rows: Sum,
        true: Sequence[Sum],
        fired: Sequence[Sum],
        both: Sequence[float],
        *,
        confusion: FloatArray | None = None,
        right: float = 0.0,
        n_conflicts: int = 0,
    ) -> Evaluation:
        """All figures from counts.

        Labels of rules come first. For each rule there are the rows of its label (``true``), those of which
        its formula is true (``fired``), and the weight of ``both``. A multi-label set has no ``confusion``,
        but the weight of the rows all of whose labels are ``right``.
        """
        scores = [label_scores(rows, *each) for each in zip(true, fired, both, strict=True)]
        if confusion is None:
            yes, predicted = (np.array([each.weight for each in sums]) for sums in (true, fired))
            hits = np.array(both)
            cells = np.array([rows.weight - yes - predicted + hits, predicted - hits, yes - hits, hits])
            confusion = np.maximum(cells, 0.0).T.reshape(len(hits), 2, 2)
        else:
            right = float(np.trace(confusion))
        return cls(
            tuple(labels),
            resolution.n_rows,
            rows.weight,
            *share_of(right, rows),
            confusion,
            resolution,
            dict(zip(labels, scores, strict=False)),
            n_conflicts,
        )

    @property
    def macro_f1(self) -> float:
        """Of the rules as a classifier: mean over the labels of the F1 of each.

        A label that neither occurs nor is predicted is left out.
        """
        table = self.confusion
        if table.ndim == 3:
            return mean_f1(table[:, 1, 1], table[:, 1].sum(axis=1), table[:, :, 1].sum(axis=1))
        return mean_f1(np.diag(table), table.sum(axis=1), table.sum(axis=0))

    @property
    def explanation_accuracy(self) -> float:
        """The paper's score: mean over the rules of the macro-F1 of each rule against its class."""
        return float(np.mean([each.macro_f1 for each in self.by_label.values()]))

    @property
    def explanation_accuracy_plain(self) -> float:
        """Mean over the rules of the share of the rows about which each is right."""
        return float(np.mean([each.plain for each in self.by_label.values()]))

    def accuracy_of(self, label: Label) -> float:
        """How often this label would be right whatever the row; for labels that exclude one another."""
        return float(self.confusion[self.labels.index(label)].sum() / self.weight)

    @property
    def n_decided(self) -> int:
        """Rows that a step decides; in a multi-label set those of which a rule is true."""
        return self.resolution.n_decided

    @property
    def n_uncovered(self) -> int:
        """Rows that the default decides; in a multi-label set those of which no rule is true."""
        return self.resolution.n_uncovered

    def __str__(self) -> str:
        low, high = self.accuracy_interval
        head = [
            f"accuracy {self.accuracy:.3f} [{low:.3f}, {high:.3f}], macro-F1 {self.macro_f1:.3f}, "
            f"explanation accuracy {self.explanation_accuracy:.3f}",
            f"{count(self.n_rows, 'row')}: {self._decision_text()}",
        ]
        shortened = list(self.by_label.items())[:_PRINTED]
        names = [repr(label) for label, _ in shortened]
        width = max(map(len, names))
        titles = f"  {'':<{width}}  {'precision':<20}  {'recall':<20}  macro-F1  support"
        lines = [
            f"  {name:<{width}}  {_text(scores.rates, 'precision')}  {_text(scores.rates, 'recall')}"
            f"  {scores.macro_f1:<8.3f}  {scores.support:.10g}"
            for name, (_, scores) in zip(names, shortened, strict=True)
        ]
        left = len(self.by_label) - len(shortened)
        return "\n".join([*head, titles, *lines, *([f"  and {left} more"] if left else [])])

    def _decision_text(self) -> str:
        if self.confusion.ndim == 3:
            return f"a rule is true of {self.n_decided}, none of {self.n_uncovered}"
        return f"a step decides {self.n_decided}, the default {self.n_uncovered}"


def _text(rates: RuleScores, name: str) -> str:
    low, high = getattr(rates, f"{name}_interval")
    return f"{getattr(rates, name):.3f} [{low:.3f}, {high:.3f}]"


def share_of(part: float, whole: Sum) -> tuple[float, Interval]:
    """Share of a weight that lies in a part, and its Wilson score interval of 95 %.

    Examples
    --------
    >>> rate, (low, high) = share_of(3.0, Sum(4.0, 4.0))
    >>> f"{rate}: {low:.3f} to {high:.3f}"
    '0.75: 0.301 to 0.954'
    """
    if whole.weight == 0:
        return np.nan, (0.0, 1.0)
    rate = min(part / whole.weight, 1.0)  # sums of fractions may be off by the last digit
    return rate, wilson(rate, whole.weight * (whole.weight / whole.squares), _Z)


def label_scores(rows: Sum, label: Sum, fired: Sum, both: float) -> LabelScores:
    """Scores of one rule, from all rows, those of the label, those where it fires, and the weight of both."""
    wrong_yes, wrong_no = max(fired.weight - both, 0.0), max(label.weight - both, 0.0)
    right_no = max(rows.weight - label.weight - wrong_yes, 0.0)
    precision, prevalence = share_of(both, fired), share_of(label.weight, rows)
    rates = RuleScores(
        rows.weight,
        fired.weight,
        *precision,
        *share_of(both, label),
        *share_of(fired.weight, rows),
        *prevalence,
        precision[0] / prevalence[0] if prevalence[0] > 0 else np.nan,
    )
    cells = [right_no, wrong_yes, wrong_no, both]
    return LabelScores(
        label.weight,
        macro_f1([0, 0, 1, 1], [0, 1, 0, 1], cells),
        min((both + right_no) / rows.weight, 1.0),
        rates,
    )


def mean_f1(right: FloatArray, true: FloatArray, predicted: FloatArray) -> float:
    """Mean of the F1 of labels; one that neither occurs nor is predicted is left out, NaN where none is left.

    ``right`` is the weight of the rows of each label that get it.

    Examples
    --------
    >>> mean_f1(np.array([1.0, 0.0]), np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    1.0
    """
    possible = true + predicted
    occurs = possible > 0
    return float((2 * right[occurs] / possible[occurs]).mean()) if occurs.any() else np.nan
