"""How far formulas agree with answers: with the truth (accuracy) or with a model (fidelity).

The paper's score is a macro-F1: each target's formula, on concepts that count as true above 0.5, is compared
with "is this target", and the F1 of yes and of no are averaged; then comes the plain mean over the targets.
The formulas are not combined into one prediction.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from logiclens.errors import count
from logiclens.logic import Formula
from logiclens.logic.arrays import WORD, BoolArray, FloatArray, Words, pack, unpack
from logiclens.logic.data import ConceptData
from logiclens.logic.values import as_array
from logiclens.metrics.answers import (
    Answers,
    Rules,
    answers_of,
    carries_names,
    cells_of,
    formulas_of,
    plain_label,
    rows_of,
    weights_of,
    yes_or_no,
)

_BLOCK: Final = 1 << 17  # rows packed at a time
_PRINTED: Final = 10  # targets listed by str()


class TargetScores(NamedTuple):
    """Agreement of one target's formula with the answers."""

    macro_f1: float
    plain: float


@dataclass(frozen=True)
class Agreement:
    """How far formulas agree with answers: means over the targets, and each target.

    Attributes
    ----------
    macro_f1 : float
        The paper's score: the F1 of yes and of no, averaged; see :func:`macro_f1`.
    plain : float
        Share of the rows on which formula and answer are the same. With many targets this is close to 1
        even for ``FALSE``, as each target is rare.
    by_target : mapping of label to TargetScores, read-only
    """

    macro_f1: float
    plain: float
    by_target: Mapping[Any, TargetScores] = field(hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_target", MappingProxyType(dict(self.by_target)))

    def __reduce__(self) -> tuple[Any, ...]:  # a mapping proxy cannot be pickled
        values = [getattr(self, each.name) for each in fields(self)]
        return type(self), tuple(dict(v) if isinstance(v, MappingProxyType) else v for v in values)

    def __str__(self) -> str:
        return "\n".join([f"{self._means()}, {count(len(self.by_target), 'target')}", *self._lines()])

    def _means(self) -> str:
        return f"macro-F1 {self.macro_f1:.3f}, plain {self.plain:.3f}"

    def _lines(self) -> list[str]:
        labels = [repr(plain_label(label)) for label in list(self.by_target)[:_PRINTED]]
        width = max(map(len, labels), default=0)
        pairs = zip(labels, self.by_target.values(), strict=False)
        lines = [f"  {label:<{width}}  {s.macro_f1:.3f}  {s.plain:.3f}" for label, s in pairs]
        left = len(self.by_target) - len(labels)
        return [*lines, f"  and {left} more"] if left else lines


@dataclass(frozen=True)
class Fidelity(Agreement):
    """Agreement with a model's predictions, also on tuples of concepts that were never seen.

    Attributes
    ----------
    unseen : Agreement or None
        Agreement on the rows whose tuple of concepts does not occur in ``seen``; None where there are none.
    n_unseen : int
        Number of those rows.
    """

    unseen: Agreement | None = None
    n_unseen: int = 0

    def _lines(self) -> list[str]:
        if self.unseen is None:
            return super()._lines()
        return [*super()._lines(), f"  unseen tuples, {count(self.n_unseen, 'row')}: {self.unseen._means()}"]


def explanation_accuracy(
    rules: Rules,
    X: Any,
    y: Any,
    *,
    names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
) -> Agreement:
    """How well each target's formula tells the target from the rest, on true labels.

    Parameters
    ----------
    rules : mapping of label to Formula, or to an object with a Formula as ``.formula``
        Not every label of ``y`` needs a rule, and a target need not occur in ``y``.
    X : mapping, data frame or array of shape (n_rows, n_concepts)
        Concepts, true when greater than 0.5. Columns that no formula uses are not looked at. For rules that
        were made from a raw table, its rows.
    y : array of shape (n_rows,), or array or data frame of shape (n_rows, n_targets)
        Labels; or, where a row can have several, a column of Booleans or of 0 and 1 for each target. Columns
        stand in the order of the rules, unless those of a frame are named after the targets.
    names : sequence of str, optional
        Names of an array's columns; ``x0``, ``x1``, ... when missing.
    sample_weight : array of shape (n_rows,), optional
        Non-negative weights; 1 when missing.

    Raises
    ------
    InputError
        ``y`` does not fit the rows or the targets.

    References
    ----------
    *Explanation accuracy* in Sec. 6.2 of Ciravegna et al., *Logic Explained Networks*.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> X = {"wings": [1, 1, 0, 0], "fins": [0, 0, 1, 0]}
    >>> rules = {"bird": Var("wings"), "fish": ~Var("wings")}
    >>> print(explanation_accuracy(rules, X, ["bird", "bird", "fish", "cat"]))
    macro-F1 0.867, plain 0.875, 2 targets
      'bird'  1.000  1.000
      'fish'  0.733  0.750
    """
    formulas = formulas_of(rules)
    data = rows_of(rules, X, names)
    weight = weights_of(sample_weight, data.n_rows)
    answers = answers_of(y, list(formulas), data.n_rows, "y")
    return Agreement(*_agreement(formulas, _cells(formulas, data, answers, [weight])[0]))


def fidelity(
    rules: Rules,
    X: Any,
    predictions: Any,
    *,
    names: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    seen: Any = None,
) -> Fidelity:
    """How well each target's formula says what a model says; see :func:`explanation_accuracy`.

    Parameters
    ----------
    rules, X, names, sample_weight
        As for :func:`explanation_accuracy`.
    predictions : array of shape (n_rows,), or array or data frame of shape (n_rows, n_targets)
        The model's answers, in the form of ``y`` there.
    seen : mapping, data frame or array of shape (n_seen, n_concepts), optional
        The data the rules were made from. On tuples that do not occur there the formulas promise nothing, so
        agreement on them is worth knowing. A tuple holds all concepts of ``seen``, also those that no
        formula uses; an array has the names of the columns of ``X``.

    References
    ----------
    *Fidelity* in Sec. 6.2 of Ciravegna et al., *Logic Explained Networks*.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> print(fidelity({1: Var("x0")}, [[1, 0], [0, 0], [1, 1]], [1, 0, 0], seen=[[1, 0], [0, 0]]))
    macro-F1 0.667, plain 0.667, 1 target
      1  0.667  0.667
      unseen tuples, 1 row: macro-F1 0.000, plain 0.000
    """
    formulas = formulas_of(rules)
    data = rows_of(rules, X, names)
    weight = weights_of(sample_weight, data.n_rows)
    answers = answers_of(predictions, list(formulas), data.n_rows, "predictions")
    weights = [weight]
    n_unseen = 0
    if seen is not None:
        known = rows_of(rules, seen, None if carries_names(seen) else names or data.names)
        unseen = np.where(_not_in(data, known), 1.0 if weight is None else weight, 0.0)
        n_unseen = int(np.count_nonzero(unseen))
        weights.append(unseen)
    cells = _cells(formulas, data, answers, weights)
    rest = Agreement(*_agreement(formulas, cells[1])) if n_unseen else None
    return Fidelity(*_agreement(formulas, cells[0]), rest, n_unseen)


def macro_f1(truth: ArrayLike, predicted: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
    """Mean of the F1 of yes and of no; an answer that neither side ever gives is left out.

    Parameters
    ----------
    truth, predicted : array of shape (n_rows,)
        Booleans, or 0 and 1.
    sample_weight : array of shape (n_rows,), optional
        Non-negative weights.

    Returns
    -------
    float
        What scikit-learn's ``f1_score(average="macro", zero_division=0)`` gives, but that rows of weight 0
        do not count as occurrences.

    Examples
    --------
    >>> round(macro_f1([1, 1, 0, 0], [1, 0, 0, 0]), 3), macro_f1([0, 0], [0, 0])
    (0.733, 1.0)
    """
    length = np.size(as_array(truth, "truth"))
    yes, said = yes_or_no(truth, "truth", length), yes_or_no(predicted, "predicted", length)
    return float(_macro_f1(cells_of(yes, said, weights_of(sample_weight, length))))


def _cells(
    formulas: Mapping[Hashable, Formula],
    data: ConceptData,
    answers: Answers,
    weights: Sequence[FloatArray | None],
) -> FloatArray:
    """The table of answer against formula for each weighting and target, shape (n_weightings, n_targets, 4).

    Each column is read once and each formula evaluated once.
    """
    used = sorted({name for formula in formulas.values() for name in formula.concepts})
    columns = data.packed_columns(used)
    n_words = -(-data.n_rows // WORD)
    cells = np.empty((len(weights), len(formulas), 4))
    for at, formula in enumerate(formulas.values()):
        said = unpack(formula.evaluate_words(columns, n_words), data.n_rows)
        for which, weight in enumerate(weights):
            cells[which, at] = cells_of(answers(at), said, weight)
    return cells


def _agreement(
    formulas: Mapping[Hashable, Formula], cells: FloatArray
) -> tuple[float, float, dict[Hashable, TargetScores]]:
    f1 = _macro_f1(cells)  # (n_targets,)
    plain = (cells[:, 0] + cells[:, 3]) / cells.sum(axis=1)
    scores = map(TargetScores, f1.tolist(), plain.tolist())
    return float(f1.mean()), float(plain.mean()), dict(zip(formulas, scores, strict=True))


def _macro_f1(cells: FloatArray) -> FloatArray:
    """Macro-F1 of tables of shape (..., 4)."""
    right = cells[..., [0, 3]]  # (..., no and yes)
    possible = 2 * right + cells[..., [1]] + cells[..., [2]]
    occurs = possible > 0
    f1 = np.divide(2 * right, possible, out=np.zeros_like(possible), where=occurs)
    mean: FloatArray = f1.sum(axis=-1) / occurs.sum(axis=-1)
    return mean


def _not_in(data: ConceptData, known: ConceptData) -> BoolArray:
    """Whether the tuple of each row does not occur in others, whose concepts are all compared."""
    if not known.names:
        return np.full(data.n_rows, known.n_rows == 0)
    rows = _packed(data, data.positions(known.names))
    old = _packed(known, range(len(known.names)))
    whole_row = np.dtype((np.void, rows.shape[1] * rows.itemsize))  # compared byte by byte
    return np.isin(rows.view(whole_row).ravel(), old.view(whole_row).ravel(), invert=True)


def _packed(data: ConceptData, positions: Sequence[int]) -> Words:
    """Tuples of some concepts, packed, shape (n_rows, n_words)."""
    none = np.zeros((0, -(-len(positions) // WORD)), dtype=np.uint64)
    return np.concatenate([none, *map(pack, data.blocks(positions, _BLOCK))])
