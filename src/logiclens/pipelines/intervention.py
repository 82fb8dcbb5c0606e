"""Concepts set by hand: what a bottleneck says then, and how much that helps (Sec. 3.1).

A person who looks at a picture knows better than the network ``g`` whether the bird has a red crown. Known
values are put in the place of the scores of ``g``, and the network on top is asked again.
:class:`Intervention` holds what came of it, row by row; :func:`intervention_curve` says how accuracy grows as
more and more concepts are put right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from logiclens.errors import InputError, UnknownConceptError, count, listing, shown
from logiclens.estimators.base import seed_of
from logiclens.estimators.inputs_and_targets import read_rows
from logiclens.explain.rule import Label, plain_label
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import THRESHOLD, as_floats

if TYPE_CHECKING:
    from logiclens.concepts.vocabulary import Vocabulary
    from logiclens.pipelines.bottleneck import ConceptBottleneckClassifier

ORDERS = ("uncertainty", "relevance", "random")
"""In which order concepts can be put right."""


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
    concepts_before, concepts_after : ndarray of shape (n, n_concepts)
        Scores of the concept model, and the same with the known values in their place.
    predictions_before, predictions_after : ndarray of shape (n,), or (n, n_targets) for multi-label problems
        What the classifier predicts.
    fired_before, fired_after : ndarray of bool, shape (n, n_targets)
        Which rules are true.
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

    @property
    def corrected(self) -> BoolArray:
        """Concepts whose truth is no longer what the concept model said, (n, n_concepts)."""
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
        before, after = (self._said(said[row]) for said in (self.predictions_before, self.predictions_after))
        said = f"the prediction stays {before}" if before == after else f"{before} becomes {after}"
        parts = [f"With {', '.join(moved)}: {said}" if moved else f"{still}: {said}"]
        for word, fired in (
            ("now fire", self.fired_after[row] & ~self.fired_before[row]),
            ("no longer fire", self.fired_before[row] & ~self.fired_after[row]),
        ):
            if fired.any():
                named = listing(self.labels[i] for i in np.flatnonzero(fired))
                parts.append(f"the rules of {named} {word}")
        return f"{'; '.join(parts)}."

    def _said(self, prediction: Any) -> str:
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


@dataclass(frozen=True, eq=False)
class InterventionCurve:
    """Accuracy as concepts are put right, one after the other.

    Attributes
    ----------
    order : str
        In which order: see :func:`intervention_curve`.
    n_corrected : ndarray of int, shape (n_steps,)
        Concepts of each row whose true value was filled in.
    accuracy : ndarray of shape (n_steps,)
        Share of rows that the classifier then predicts rightly.
    rules_accuracy : ndarray of shape (n_steps,)
        The same of the rules alone.
    """

    order: str
    n_corrected: NDArray[np.intp]
    accuracy: FloatArray
    rules_accuracy: FloatArray

    def to_dict(self) -> dict[str, Any]:
        """The curve as plain lists, for JSON."""
        return {
            "order": self.order,
            "n_corrected": self.n_corrected.tolist(),
            "accuracy": self.accuracy.tolist(),
            "rules_accuracy": self.rules_accuracy.tolist(),
        }


def intervention_curve(
    model: ConceptBottleneckClassifier,
    X: Any,
    y: Any,
    concepts: Any,
    *,
    order: str = "uncertainty",
    steps: Iterable[int] | None = None,
    random_state: Any = None,
) -> InterventionCurve:
    """How accuracy grows as the true values of more and more concepts are filled in.

    Parameters
    ----------
    model : ConceptBottleneckClassifier
        Fitted.
    X : array, tensor or frame, n rows
        Raw inputs, best such that the model was not fitted on.
    y : array of shape (n,), or (n, n_targets)
        The true targets.
    concepts : array, frame or mapping, (n, n_concepts)
        The true concepts.
    order : {"uncertainty", "relevance", "random"}, default "uncertainty"
        Which concepts of a row come first: those whose scores are nearest to one half; those that matter
        most to the class that is predicted without help, the less certain first among equals; or any.
    steps : iterable of int, optional
        How many concepts to fill in; from none to all, at most about 20 steps, when missing.
    random_state : int, RandomState or None
        Decides the random order.

    Returns
    -------
    InterventionCurve
    """
    check_is_fitted(model)
    check_free(model)
    if not isinstance(order, str) or order not in ORDERS:
        raise InputError(f"order must be one of {listing(ORDERS)}. Got {shown(order)}.")
    names = model.concept_names_
    scores = model.predict_concepts(X)
    truth = read_rows(concepts, names)
    if len(truth) != len(scores):
        raise InputError(
            f"concepts must have one row for each of the {count(len(scores), 'row')} of X. "
            f"Got {count(len(truth), 'row')}."
        )
    chosen = _steps(steps, len(names))
    rank = _rank(model, scores, order, random_state)
    accuracy, by_rules = [], []
    for step in chosen:
        filled = np.where(rank < step, truth, scores)
        accuracy.append(model.estimator_.score(filled, y))
        by_rules.append(model.explain().score(filled, y))
    return InterventionCurve(order, chosen, np.array(accuracy), np.array(by_rules))


def check_free(model: ConceptBottleneckClassifier) -> None:
    """Refuse concepts that follow from the columns of a table: they cannot be set by themselves."""
    if model.estimator_.vocabulary_ is not None:
        raise InputError(
            "These concepts follow from the columns of the table, so they cannot be set by hand. "
            "Change the columns, or pass a concept_model."
        )


def check_possible(words: Vocabulary, names: Sequence[str], known: BoolArray, values: FloatArray) -> None:
    """Refuse values of concepts set by hand that no value of their column can have.

    Parameters
    ----------
    words : Vocabulary
        What the concepts say of the columns of a table.
    names : sequence of str
        All concepts.
    known : ndarray of bool, shape (n, n_concepts)
        Which were set.
    values : ndarray of shape (n, n_concepts)
        All of them, those set by hand among them.
    """
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

    Parameters
    ----------
    values : mapping, data frame, masked array or array of shape (n_rows, n_concepts)
        A mapping or a frame from some of the names to one value, or one for each row; an array of all
        concepts. What is masked, missing or NaN is not known.
    names : sequence of str
        All concepts.
    n_rows : int
    """
    known = np.full((n_rows, len(names)), np.nan)
    columns = _columns(values)
    if columns is not None:
        place = {name: j for j, name in enumerate(names)}
        for name, column in columns.items():
            if name not in place:
                raise UnknownConceptError(name, names)
            array = as_floats(_unmasked(column), f"Concept {name!r}")
            if array.shape not in ((), (n_rows,)):
                raise InputError(
                    f"Concept {name!r} must have one value, or one for each of the {count(n_rows, 'row')}. "
                    f"Got shape {array.shape}."
                )
            known[:, place[name]] = array
    else:
        array = as_floats(_unmasked(values), "values")
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


def _unmasked(values: Any) -> Any:
    """Values with NaN in the place of what is masked or None."""
    if hasattr(values, "detach"):  # a tensor
        values = values.detach().cpu().numpy()
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(np.float64), np.nan)
    return values


def _steps(steps: Iterable[int] | None, n_concepts: int) -> NDArray[np.intp]:
    if steps is None:
        return np.unique(np.linspace(0, n_concepts, min(n_concepts, 20) + 1).round().astype(np.intp))
    chosen = np.asarray(list(steps) if isinstance(steps, Iterable) else [steps])
    if chosen.ndim != 1 or not chosen.size or chosen.dtype.kind not in "iu" or (chosen < 0).any():
        raise InputError(f"steps must be whole numbers of at least 0. Got {shown(steps)}; write range(5).")
    return chosen.astype(np.intp)


def _rank(
    model: ConceptBottleneckClassifier, scores: FloatArray, order: str, random_state: Any
) -> NDArray[np.intp]:
    """The place of each concept in the order of its row, (n, n_concepts)."""
    doubt = -np.abs(scores - THRESHOLD)
    if order == "random":
        first = np.random.default_rng(seed_of(random_state)).random(scores.shape)
        by_row = np.argsort(first, axis=1)
    elif order == "uncertainty":
        by_row = np.argsort(-doubt, axis=1, kind="stable")
    else:
        by_row = np.lexsort((-doubt, -_row_relevance(model, scores)), axis=1)
    rank = np.empty_like(by_row)
    np.put_along_axis(rank, by_row, np.arange(scores.shape[1])[None, :], axis=1)
    return rank


def _row_relevance(model: ConceptBottleneckClassifier, scores: FloatArray) -> FloatArray:
    """How much each concept matters to what is predicted for each row, (n, n_concepts)."""
    relevance = np.asarray(model.estimator_.concept_relevance_)
    answers = model.estimator_.decide(scores).astype(float)  # (n, n_targets)
    if len(relevance) == 1:
        return np.repeat(relevance, len(scores), axis=0)
    return np.asarray(answers @ relevance)
