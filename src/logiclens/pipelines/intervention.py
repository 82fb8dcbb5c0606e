"""Concepts set by hand: what a bottleneck predicts then, and how much that helps (Sec. 3.1).

A person who looks at a picture knows better than the network ``g`` whether the bird has a red crown. Known
values are put in the place of the scores of ``g``, and the network on top predicts again.
:class:`Intervention` holds what came of it, row by row; :func:`intervention_curve` shows how accuracy grows
as more and more concepts are put right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, UnknownConceptError, count, listing, shown
from logiclens.explain.rule import Label, plain_label
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import THRESHOLD, as_floats


@dataclass(frozen=True, eq=False, repr=False)
class Intervention:
    """What changes when concepts are set by hand. The arrays have one row for each raw input.

    Attributes
    ----------
    concept_names : tuple of str
    labels : tuple
        The targets.
    known : ndarray of bool, shape (n, n_concepts)
        Which concepts were set.
    concepts_before : ndarray of shape (n, n_concepts)
        Scores of the concept model.
    concepts_after : ndarray of shape (n, n_concepts)
        The same with the known values in their place.
    predictions_before : ndarray of shape (n,), or (n, n_targets) for multi-label problems
        What the classifier predicts by the scores.
    predictions_after : ndarray of the same shape
        What it predicts with the known values.
    fired_before : ndarray of bool, shape (n, n_targets)
        Which rules are true by the scores.
    fired_after : ndarray of bool, shape (n, n_targets)
        Which rules are true with the known values.
    """

    concept_names: tuple[str, ...]
    labels: tuple[Label, ...]
    known: BoolArray
    concepts_before: FloatArray
    concepts_after: FloatArray
    predictions_before: NDArray[Any]
    predictions_after: NDArray[Any]
    fired_before: BoolArray
    fired_after: BoolArray

    @classmethod
    def of(
        cls,
        names: tuple[str, ...],
        labels: tuple[Label, ...],
        concepts: FloatArray,
        values: FloatArray,
        answer: Callable[[FloatArray], tuple[NDArray[Any], BoolArray]],
    ) -> Self:
        """Put known values, NaN where there is none, in the place of concepts.

        ``answer`` gives predictions about concepts, and which rules fire.
        """
        known = ~np.isnan(values)
        after = np.where(known, values, concepts)
        (predicted, fired), (predicted_after, fired_after) = answer(concepts), answer(after)
        return cls(names, labels, known, concepts, after, predicted, predicted_after, fired, fired_after)

    @property
    def corrected(self) -> BoolArray:
        """Concepts whose truth is no longer what the concept model predicted, (n, n_concepts)."""
        return np.asarray((self.concepts_before > THRESHOLD) != (self.concepts_after > THRESHOLD))

    @property
    def changed(self) -> BoolArray:
        """Rows with another prediction than before, (n,)."""
        differs = self.predictions_before != self.predictions_after
        return np.asarray(differs if differs.ndim == 1 else differs.any(axis=1))

    def describe(self, row: int) -> str:
        """What happened to one row, as a sentence; concepts that were so before are not named.

        Parameters
        ----------
        row : int
            Its number, from 0.
        """
        whole = isinstance(row, int | np.integer) and not isinstance(row, bool)
        if not whole or not 0 <= row < len(self.known):
            raise InputError(f"row must be a number from 0 to {len(self.known) - 1}. Got {shown(row)}.")
        steps = map(_step, self.concepts_before[row].tolist(), self.concepts_after[row].tolist())
        moved = [f"{name!r} {step}" for name, step in zip(self.concept_names, steps, strict=True) if step]
        still = "Nothing changed" if self.known[row].any() else "Nothing was set"
        before, after = (
            self._prediction_text(outcome[row])
            for outcome in (self.predictions_before, self.predictions_after)
        )
        outcome = f"the prediction stays {before}" if before == after else f"{before} becomes {after}"
        parts = [f"With {', '.join(moved)}: {outcome}" if moved else f"{still}: {outcome}"]
        for word, fired in (
            ("now fire", self.fired_after[row] & ~self.fired_before[row]),
            ("no longer fire", self.fired_before[row] & ~self.fired_after[row]),
        ):
            if fired.any():
                named = listing(self.labels[i] for i in np.flatnonzero(fired))
                parts.append(f"the rules of {named} {word}")
        return f"{'; '.join(parts)}."

    def _prediction_text(self, prediction: Any) -> str:
        if np.ndim(prediction):
            return f"[{listing(self.labels[i] for i in np.flatnonzero(prediction))}]"
        return repr(plain_label(prediction))

    def __repr__(self) -> str:
        sizes = (
            count(len(self.known), "row"),
            f"{count(int(self.known.any(axis=0).sum()), 'concept')} set",
            f"{count(int(self.corrected.sum()), 'value')} set to another truth",
            f"{count(int(self.changed.sum()), 'prediction')} changed",
        )
        return f"Intervention({', '.join(sizes)})"


def check_possible(words: Vocabulary, names: Sequence[str], known: BoolArray, values: FloatArray) -> None:
    """Refuse values of concepts set by hand, where ``known``, that no value of their column can have."""
    place = {name: j for j, name in enumerate(names)}
    for group in words.groups(names):
        columns = [place[name] for name in group.names]
        states = values[:, columns] > THRESHOLD
        wrong = known[:, columns].any(axis=1) & ~words.possible(states, group.names)
        if wrong.any():
            row = int(wrong.argmax())
            state = ", ".join(
                f"{name!r} = {int(true)}" for name, true in zip(group.names, states[row], strict=True)
            )
            raise InputError(
                f"No value of the column {group.column!r} has the concepts that row {row} (counted from 0) "
                f"would have. Got {state}; set those of one column together, or change the column."
            )


def read_known(values: Any, names: Sequence[str], n_rows: int) -> FloatArray:
    """Known concept values as an array of shape (n_rows, n_concepts), NaN where nothing is known.

    From a mapping or a frame of some of the names to one value, or one for each row; or from an array of all
    concepts. What is masked, missing or NaN is not known.
    """
    known = np.full((n_rows, len(names)), np.nan)
    columns = _columns(values)
    if columns is not None:
        place = {name: j for j, name in enumerate(names)}
        for name, column in columns.items():
            if name not in place:
                raise UnknownConceptError(name, names)
            array = as_floats(_unmask(column), f"Concept {name!r}")
            if array.shape not in ((), (n_rows,)):
                raise InputError(
                    f"Concept {name!r} must have one value, or one for each of the {count(n_rows, 'row')}. "
                    f"Got shape {array.shape}."
                )
            known[:, place[name]] = array
    else:
        array = as_floats(_unmask(values), "values")
        if array.shape != known.shape:
            raise InputError(
                f"values must be a mapping from concept to value, or an array of shape {known.shape}. "
                f"Got {f'shape {array.shape}' if array.ndim else shown(values)}."
            )
        known[:] = array
    outside = known[(known < 0) | (known > 1)]
    if outside.size:
        raise InputError(f"Known concept values lie in [0, 1]. Got {outside[0]:g}; use 0 and 1.")
    return known


def _step(before: float, after: float) -> str:
    """From where to where a score went, with as many digits as it takes; empty where it stayed."""
    for digits in (2, 4):
        one, other = f"{before:.{digits}f}", f"{after:.{digits}f}"
        if one != other:
            return f"from {one} to {other}"
    return f"from {before!r} to {after!r}" if (before > THRESHOLD) != (after > THRESHOLD) else ""


def _columns(values: Any) -> Mapping[str, Any] | None:
    """The columns of a mapping or a frame, by name; None of anything else."""
    if isinstance(values, Mapping):
        return values
    frame = nw.from_native(values, pass_through=True, eager_only=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    return {name: frame[name].cast(nw.Float64).to_numpy() for name in frame.columns}


def _unmask(values: Any) -> Any:
    """Values with NaN in the place of what is masked or None."""
    if hasattr(values, "detach"):  # a tensor
        values = values.detach().cpu().numpy()
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(np.float64), np.nan)
    return values
