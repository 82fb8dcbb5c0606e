"""Data of a fit: concepts, from whatever the caller holds, and what there is to learn, as outputs.

Rows are concept scores, or a raw table to be encoded. Targets are labels of classes or a table of outputs:

labels of two classes      one output, the second class; the first is its complement
labels of several classes  one output for each; the largest decides
a table of 0/1 or [0, 1]   one output for each column (several may be true)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from narwhals.dependencies import is_pandas_like_dataframe
from narwhals.exceptions import DuplicateError
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import InputTags, column_or_1d

from logiclens.concepts.table import Table
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, UnknownColumnError, UnknownTargetError, count, listing, shown
from logiclens.estimators.folds import RowSplit, as_counts, hold_out
from logiclens.explain.rule import Label, check_labels, plain_label
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.data import (
    THRESHOLD,
    ConceptData,
    as_array,
    as_float,
    as_floats,
    as_weights,
    missing_values,
)

if TYPE_CHECKING:
    from logiclens.concepts.encoder import ConceptEncoder


class Problem(StrEnum):
    """How outputs stand for targets."""

    BINARY = "binary"
    SINGLE_LABEL = "single-label"
    OUTPUT_BY_OUTPUT = "output by output"
    """One label per row, but each output decides by itself: implications, and psi networks."""
    MULTI_LABEL = "multi-label"


@dataclass(frozen=True, eq=False)
class Targets:
    """Targets of a problem and, for each row, which are true."""

    labels: tuple[Label, ...]
    """Classes in sorted order, or the names of the outputs."""
    problem: Problem
    outputs: FloatArray
    """What the networks learn, (n, n_outputs); in [0, 1]."""
    groups: IndexArray | None = None
    """A number for each row, equal for rows that no split may part, (n,)."""
    unlabeled: BoolArray | None = None
    """The rows whose label is not known, (n,); None where all are. Their outputs mean nothing."""
    n_prior_rows: int = 0
    """Rows at the end that come from priors and not from data."""

    def observed(self, weight: FloatArray) -> FloatArray:
        """The weights of rows, 0 for those without a label and those of priors: scores are about others."""
        labeled = np.arange(len(weight)) < len(weight) - self.n_prior_rows
        return np.where(labeled if self.unlabeled is None else labeled & ~self.unlabeled, weight, 0.0)

    def known(self) -> FloatArray:
        """1 for rows with a label, of data or of priors, else 0, (n, 1)."""
        unlabeled = np.zeros(len(self.outputs)) if self.unlabeled is None else self.unlabeled
        return np.asarray(1.0 - unlabeled[:, None], dtype=np.float64)

    def take(self, rows: IndexArray) -> Targets:
        """Those of some rows; the rows of priors, which stay at the end, are among them."""
        groups = None if self.groups is None else self.groups[rows]
        unlabeled = None if self.unlabeled is None else self.unlabeled[rows]
        return replace(self, outputs=self.outputs[rows], groups=groups, unlabeled=unlabeled)

    def truth(self) -> FloatArray:
        """How far each row belongs to each target, shape (n, n_targets)."""
        return spread_outputs(self.outputs, self.problem)

    def hold_out(self, x: FloatArray, weight: FloatArray, share: float, seed: int) -> RowSplit:
        """Set labeled rows aside to check with (:func:`logiclens.estimators.folds.hold_out`)."""
        observed = self.observed(weight)
        split = hold_out(x, self.outputs, self.strata(), observed, share, seed, self.groups)
        return replace(split, train=split.train + (weight - observed))

    def with_rows(self, outputs: FloatArray, *, labeled: bool = True) -> Targets:
        """The same with more rows at the end, each a group by itself."""
        groups, unlabeled = self.groups, self.unlabeled
        if groups is not None:
            groups = np.append(groups, groups.max(initial=-1) + 1 + np.arange(len(outputs)))
        if unlabeled is not None or not labeled:
            before = np.zeros(len(self.outputs), dtype=np.bool_) if unlabeled is None else unlabeled
            unlabeled = np.append(before, np.full(len(outputs), not labeled))
        every = np.concatenate([self.outputs, outputs])
        return replace(self, outputs=every, groups=groups, unlabeled=unlabeled)

    def output_by_output(self) -> Targets:
        """The same targets with an output for each that answers by itself."""
        if self.problem is Problem.MULTI_LABEL:
            return self
        return replace(self, problem=Problem.OUTPUT_BY_OUTPUT, outputs=self.truth())

    def codes(self) -> NDArray[Any]:
        """Targets to choose cut points by: the class of each row, (n,), or the outputs, (n, k)."""
        if self.problem is Problem.MULTI_LABEL:
            return (self.outputs > THRESHOLD).astype(np.intp)
        return self.strata()

    def strata(self) -> NDArray[np.intp]:
        """A number for each row by which to stratify splits: its class, or 0 for multi-label problems.

        Rows without a label are a stratum of their own.
        """
        classes: NDArray[np.intp] = np.zeros(len(self.outputs), dtype=np.intp)
        if self.problem is not Problem.MULTI_LABEL:
            classes = self.truth().argmax(axis=1)
        return classes if self.unlabeled is None else np.where(self.unlabeled, len(self.labels), classes)


def spread_outputs(outputs: FloatArray, problem: Problem) -> FloatArray:
    """Values by output as values by target: a binary problem has a second target, the complement."""
    return np.hstack([1.0 - outputs, outputs]) if problem is Problem.BINARY else outputs


def decisions(logits: FloatArray, problem: Problem) -> BoolArray:
    """The targets that a network predicts, (n, n_targets), from logits (n, n_outputs), to measure fidelity.

    The target of the largest output, in single-label problems; every target whose output is above one half,
    in all others.
    """
    if problem is Problem.BINARY:
        return np.hstack([logits <= 0.0, logits > 0.0])
    if problem is not Problem.SINGLE_LABEL:
        return np.asarray(logits > 0.0)
    chosen = np.zeros(logits.shape, dtype=np.bool_)
    chosen[np.arange(len(logits)), logits.argmax(axis=1)] = True
    return chosen


def known_target(target: Label, labels: Sequence[Label]) -> Label:
    """A target as a plain label, once it is sure that it is one of them."""
    label = plain_label(target)
    if label not in labels:
        raise UnknownTargetError(label, labels)
    return label


def explained_target(
    predicted: BoolArray, labels: Sequence[Label], target: Label | None, *, several: bool
) -> Label | None:
    """The target that an explanation of one row is about: the one asked for, or the only one predicted.

    ``predicted`` is the network's yes and no to each target, (n_targets,), and ``several`` whether several
    targets may be true. None where they exclude one another and none was asked for: it is what is predicted.
    """
    if target is not None:
        label = known_target(target, labels)
        if not predicted[list(labels).index(label)]:
            instead = (
                "Pass one that it says yes to" if several else "Leave target out to explain what it predicts"
            )
            raise InputError(f"The network says no to {label!r} about this row. {instead}.")
        return label
    if not several:
        return None
    if predicted.sum() != 1:
        if not predicted.any():
            raise InputError("The network says yes to no target about this row: nothing to explain.")
        number = count(int(predicted.sum()), "target")
        raise InputError(f"The network says yes to {number} about this row. Pass target=.")
    return labels[int(predicted.argmax())]


def explained_rows(predicted: BoolArray, labels: Sequence[Label], target: Label) -> tuple[Label, BoolArray]:
    """The target that an explanation of rows is about, and for which of them it is predicted, (n,)."""
    label = known_target(target, labels)
    rows = predicted[:, list(labels).index(label)]
    if not rows.any():
        raise InputError(
            f"The network says no to {label!r} on all of the {count(len(rows), 'row')}. "
            "Pass rows for which it predicts this target, or name another target."
        )
    return label, rows


def decided_targets(answers: BoolArray, labels: tuple[Label, ...], problem: Problem) -> Targets:
    """What a model says, yes or no to each target, (n, n_targets), as targets."""
    outputs = answers.astype(np.float64)
    return Targets(labels, problem, outputs[:, 1:] if problem is Problem.BINARY else outputs)


def predicted_index(logits: FloatArray, problem: Problem) -> NDArray[np.intp]:
    """Position of the predicted label of each row, (n,), from logits (n, n_outputs)."""
    if problem is Problem.BINARY:
        return (logits[:, 0] > 0.0).astype(np.intp)
    return np.asarray(logits.argmax(axis=1))


def read_targets(y: Any, n_rows: int, labels: tuple[Label, ...] | None = None) -> Targets:
    """Read labels of classes, or a table with 0 / 1 or a number in [0, 1] for each output.

    Targets that were read before stay. ``labels`` are the classes, when some may be missing from ``y``.
    """
    if isinstance(y, Targets):
        return y
    names = _column_names(y)
    return _read_array(_as_plain_array(y), names, y, n_rows, labels)


def read_partial_targets(y: Any, n_rows: int, unlabeled: Any = None) -> Targets:
    """Read targets of which some rows have none: None, NaN, NaT, or the value that is said to mean that.

    A row of a table of outputs has none if it has none in any column.
    """
    if isinstance(y, Targets):
        return y
    names, array = _column_names(y), _as_plain_array(y)
    if array.ndim not in (1, 2) or len(array) != n_rows:
        return read_targets(y, n_rows)  # which says what is wrong
    gaps = _missing(array)
    if unlabeled is not None:
        gaps |= np.asarray(array == plain_label(unlabeled), dtype=np.bool_)
    none: BoolArray = np.asarray(gaps if array.ndim == 1 else gaps.all(axis=1))
    partly = np.zeros_like(none) if array.ndim == 1 else gaps.any(axis=1) & ~none
    if partly.any():
        raise InputError(
            f"Row {int(partly.argmax())} of y (counted from 0) has some labels and lacks others. "
            "Give each row all of them or none, or drop it."
        )
    if not none.any():
        return read_targets(y, n_rows)
    if none.all():
        raise InputError(
            "No row has a label. Pass labels for some rows, or look for groups with LENClusterer."
        )
    known = array[~none]
    if known.dtype.kind == "f" and known.ndim == 1 and (known == np.round(known)).all():
        known = known.astype(np.int64)  # a gap turns whole numbers into others
    targets = _read_array(known, names, y, len(known), None)
    outputs = np.zeros((n_rows, targets.outputs.shape[1]))
    outputs[~none] = targets.outputs
    return replace(targets, outputs=outputs, unlabeled=none)


def _read_array(
    array: NDArray[Any], names: tuple[str, ...] | None, y: Any, n_rows: int, labels: tuple[Label, ...] | None
) -> Targets:
    if array.ndim == 0:
        raise InputError(f"y must be an array, a series or a frame of {n_rows} rows. Got {shown(y)}.")
    if len(array) != n_rows:
        raise InputError(
            f"y must have one value for each of the {n_rows} rows of concepts. "
            f"Got {count(len(array), 'value')}."
        )
    if array.ndim == 2 and array.shape[1] == 1 and not _has_fractions(array):
        array = column_or_1d(array, warn=names is None)  # a frame's one column is a vector of labels
    if array.ndim == 2:
        return _read_table(array, names)
    if array.ndim != 1:
        raise InputError(f"y must be a vector of labels or a table of outputs. Got shape {array.shape}.")
    return _read_labels(array, labels)


def _has_fractions(array: NDArray[Any]) -> bool:
    """True if there are soft targets among numbers."""
    return array.dtype.kind == "f" and bool((np.isfinite(array) & (array != np.round(array))).any())


def read_known_targets(y: Any, n_rows: int, labels: tuple[Label, ...], problem: Problem) -> Targets:
    """Read the truth about the targets of a fitted model: columns by name where ``y`` carries names."""
    if problem is not Problem.MULTI_LABEL:
        targets = read_targets(y, n_rows, labels)
        if targets.problem is Problem.MULTI_LABEL:
            raise InputError("The model has one label per row. Pass y as a vector of labels.")
        return (
            targets
            if targets.problem is problem
            else replace(targets, problem=problem, outputs=targets.truth())
        )
    if len(labels) == 1 and np.shape(y) == (n_rows, 1):  # a column of 0 and 1 is no vector of labels here
        targets = _read_table(_as_plain_array(y), _column_names(y))
    else:
        targets = read_targets(y, n_rows)
    named = _column_names(y) is not None
    fits = set(targets.labels) == set(labels) if named else len(targets.labels) == len(labels)
    if targets.problem is not Problem.MULTI_LABEL or not fits:
        raise InputError(f"y must be a table with a column for each target: {listing(labels)}.")
    order = [targets.labels.index(label) for label in labels] if named else list(range(len(labels)))
    return Targets(labels, problem, targets.outputs[:, order])


def _read_labels(array: NDArray[Any], labels: tuple[Label, ...] | None) -> Targets:
    if array.dtype.kind == "c":
        raise InputError(
            "Complex data not supported. y must hold the labels of classes. "
            f"Got {shown(array[0].item())}; pass text, Booleans or whole numbers."
        )
    if array.dtype.kind == "f":
        if np.isnan(array).any():
            raise missing_values("y", np.isnan(array), " (NaN)")
        if not np.isfinite(array).all() or (array != np.round(array)).any():
            wrong = array[~np.isfinite(array) | (array != np.round(array))][0]
            raise InputError(
                f"Unknown label type: continuous. y must hold the labels of classes. Got the number {wrong}; "
                "for soft targets in [0, 1] pass a table with one column for each target, such as y[:, None]."
            )
    if array.dtype == object:
        missing = _missing(array)
        if missing.any():
            raise missing_values("y", missing)
    try:
        found, index = _distinct(array)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in array})
        raise InputError(f"The labels in y must be of one type. Got {', '.join(kinds)}.") from None
    present = tuple(plain_label(label) for label in found)
    if labels is None:
        labels = present
    elif not set(present) <= set(labels):
        odd = next(label for label in present if label not in labels)
        raise InputError(f"y has the label {shown(odd)}, which is not among the classes.")
    place = np.array([labels.index(label) for label in present])[index]
    if len(labels) == 2:
        return Targets(labels, Problem.BINARY, place[:, None].astype(np.float64))
    return Targets(labels, Problem.SINGLE_LABEL, np.eye(len(labels))[place])


def _distinct(array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Distinct labels in ascending order, and which of them each is; texts are looked up, not sorted."""
    if array.dtype != object or set(map(type, array)) != {str}:
        found, index = np.unique(array, return_inverse=True)
        return found, index
    levels = sorted(set(array.tolist()))
    place = {level: at for at, level in enumerate(levels)}
    return np.array(levels, dtype=object), np.fromiter(map(place.__getitem__, array), np.intp, len(array))


def check_labeled(y: Any) -> None:
    """Refuse labels of which some are missing: what has no truth cannot be scored."""
    if missing := int(_missing(_as_plain_array(y)).sum()):
        raise InputError(f"y has {count(missing, 'missing value')}. Score rows that have a label.")


def _missing(array: NDArray[Any]) -> BoolArray:
    """Which values are missing, in the array's shape."""
    if array.dtype.kind != "O":
        return np.asarray(array != array, dtype=np.bool_)
    return np.array([_is_missing(value) for value in array.ravel()], dtype=np.bool_).reshape(array.shape)


def _is_missing(value: object) -> bool:
    """True if a value is None, or unlike itself as NaN is, or leaves it open as the NA of pandas does."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _read_table(array: NDArray[Any], names: tuple[str, ...] | None) -> Targets:
    if not array.shape[1]:
        raise InputError("y has no columns. Pass one for each target.")
    values = as_floats(array, "y")
    if np.isnan(values).any():
        raise missing_values("y", np.isnan(values), " (NaN)")
    if values.size and (values.min() < 0 or values.max() > 1):
        raise InputError(
            "A table of outputs must hold Booleans or numbers in [0, 1]. Check the columns of y."
        )
    labels = tuple(f"y{j}" for j in range(values.shape[1])) if names is None else names
    return Targets(labels, Problem.MULTI_LABEL, values)


def _as_plain_array(y: Any) -> NDArray[Any]:
    if hasattr(y, "toarray") and hasattr(y, "nnz"):
        y = y.toarray()
    wrapped = nw.from_native(y, pass_through=True, allow_series=True)
    if isinstance(wrapped, nw.Series | nw.DataFrame):
        return np.asarray(wrapped.to_numpy())
    if y is None:  # scikit-learn's checks look for these words
        raise InputError("A classifier requires y to be passed, but the target y is None. Pass the labels.")
    if isinstance(y, str) or not (hasattr(y, "__len__") or hasattr(y, "__array__")):
        raise InputError(f"y must be a vector of labels or a table of outputs. Got {shown(y)}.")
    return as_array(y, "y")


def _column_names(y: Any) -> tuple[str, ...] | None:
    try:
        frame = nw.from_native(y, pass_through=True)
    except DuplicateError:
        raise InputError(
            "The columns of y must have distinct names. Rename those that are repeated."
        ) from None
    if not isinstance(frame, nw.DataFrame):
        return None
    names = tuple(map(str, frame.columns))
    check_labels(names)
    return names


def read_weights(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray:
    """Weights of rows, (n,): ones when missing; all zero are refused."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = as_weights(sample_weight, "sample_weight", n_rows)
    if not weight.any():
        raise InputError("All weights in sample_weight are zero. Give some row a positive weight.")
    return weight


def read_groups(groups: ArrayLike, n_rows: int) -> IndexArray:
    """A number for each row, equal where the values are, (n,); rows without a value are together, too."""
    array = np.asarray(groups, dtype=object)
    if array.shape != (n_rows,):
        raise InputError(
            f"groups must be an array with a value for each of {n_rows} rows. Got {shown(groups)}."
        )
    return np.unique(array.astype(str), return_inverse=True)[1].reshape(-1)


def class_weights(class_weight: Any, targets: Targets, weight: FloatArray) -> FloatArray:
    """``c_k``: what a row of each target counts where rules are searched for, (n_targets,).

    "balanced": the inverse of how frequent a target is. Labels that a mapping does not name weigh 1. Only
    ratios matter: the mean over rows is 1.
    """
    if class_weight is None:
        return np.ones(len(targets.labels))
    if targets.problem is Problem.MULTI_LABEL:
        raise InputError("class_weight is for problems with one label per row. Use sample_weight.")
    if isinstance(class_weight, str):
        total = weight @ targets.truth()
        return np.asarray(total.sum() / (len(total) * np.where(total > 0, total, total.sum())))
    for label in class_weight:
        if plain_label(label) not in targets.labels:
            raise UnknownTargetError(plain_label(label), targets.labels)
    by_class = np.array([as_float(class_weight.get(label, 1.0)) for label in targets.labels])
    if not (np.isfinite(by_class) & (by_class >= 0)).all():
        raise InputError(f"Class weights must be finite and not negative. Got {shown(dict(class_weight))}.")
    if not by_class.any():
        raise InputError("class_weight leaves every row with weight 0. Give some class a positive weight.")
    total = weight @ targets.truth()
    mean = float(total @ by_class) / max(float(total.sum()), np.finfo(float).tiny)
    return by_class / mean if mean > 0 else by_class


@dataclass(frozen=True, eq=False)
class Inputs:
    """Concept values in [0, 1], (n, n_concepts), with their names."""

    values: FloatArray
    names: tuple[str, ...]
    named: bool
    """Whether the data carried names."""
    columns: tuple[str, ...]
    """The columns of the data: the concepts themselves, unless they were encoded."""
    vocabulary: Vocabulary | None = None
    """What the concepts mean in the columns, where they were encoded."""
    encoder: ConceptEncoder | None = None

    def note_on(self, estimator: Any) -> None:
        """Set the attributes of a fitted estimator that are about its inputs."""
        estimator.concept_names_ = self.names
        estimator.vocabulary_ = self.vocabulary
        estimator.encoder_ = self.encoder
        estimator.n_features_in_ = len(self.columns)
        vars(estimator).pop("feature_names_in_", None)  # of an earlier fit
        if self.named:
            estimator.feature_names_in_ = np.array(self.columns, dtype=object)


def read_concepts(X: Any, names: Sequence[str] | None = None) -> Inputs:
    """Read concepts in [0, 1]: an array, sparse or not, a data frame or a mapping.

    ``names`` are those of an array's columns; ``x0``, ``x1``, ... when missing.
    """
    data, named = _concept_data(X, names)
    return Inputs(data.scores(), data.names, named, data.names)


def _concept_data(X: Any, names: Sequence[str] | None = None) -> tuple[ConceptData, bool]:
    """Concepts, and whether the data carried their names."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        X = X.toarray()
    if hasattr(X, "detach"):  # a tensor
        X = X.detach().cpu().numpy()
    if names is None and _counts_columns(X):
        table = Table(X)
        return ConceptData({name: table.column(name).numbers() for name in table.names}), False
    data = ConceptData(X, names)
    return data, names is not None or data.named


def _counts_columns(X: Any) -> bool:
    """True if the data are a frame that counts its columns instead of naming them."""
    return is_pandas_like_dataframe(X) and any(not isinstance(name, str) for name in X.columns)


def check_extent(table: Table) -> None:
    """Refuse a table without rows or without columns."""
    if table.n_rows == 0:
        raise InputError("There are no rows to learn from. Pass at least one.")
    if not table.names:  # scikit-learn's checks look for these words
        raise InputError(
            f"Found array with 0 feature(s) (shape=({table.n_rows}, 0)) while a minimum of 1 is required. "
            "Pass a table with columns."
        )


def input_tags(tags: InputTags, encoder: Any) -> InputTags:
    """Tags for scikit-learn about the tables that a model reads: with an encoder, text and gaps, too."""
    raw = encoder is not None
    return replace(tags, sparse=True, allow_nan=raw, string=raw, categorical=raw)


def learn_inputs(
    X: Any, encoder: Any, targets: Targets | None = None, weight: FloatArray | None = None
) -> Inputs:
    """Read what a model is to be fitted on, and encode it where that is set or needed.

    With the encoder "auto", the rows are concepts where the values look like it, otherwise a raw table
    (:func:`logiclens.concepts.encoder.auto_encoder`). Cut points are chosen by the targets, and by the rows
    that weigh something and have a label. Without targets, columns are cut into parts of equal width unless
    the encoder says otherwise: gaps between groups of values are seen then.
    """
    table = Table(X)
    weight = np.ones(table.n_rows) if weight is None else weight
    made = needed_encoder(table, encoder, weight)
    if made is None:
        return read_concepts(X)
    weight = weight if targets is None else targets.observed(weight)
    rows = weight > 0
    if targets is None and isinstance(made.cuts, str) and made.cuts == "auto":
        made.set_params(cuts="uniform")
    truth = None if targets is None else targets.codes()[rows]
    made.fit(_weighty(table, weight), truth, as_counts(weight[rows]))
    return _encode(table, made)


def needed_encoder(table: Table, encoder: Any, weight: FloatArray) -> ConceptEncoder | None:
    """An encoder that is still to be fitted; None where the rows that weigh something are concepts."""
    if encoder is None:
        return None
    if not isinstance(encoder, str):
        return clone(encoder)  # type: ignore[no-any-return]
    from logiclens.concepts.encoder import auto_encoder

    return auto_encoder(_weighty(table, weight))


def _weighty(table: Table, weight: FloatArray) -> Table:
    """The rows that weigh something."""
    return table if (weight > 0).all() else table.take(weight > 0)


def _encode(table: Table, encoder: ConceptEncoder) -> Inputs:
    words = encoder.vocabulary_
    values = concept_matrix(words, table)
    return Inputs(values, words.names, table.named, table.names, words, encoder)


def concept_matrix(vocabulary: Vocabulary, table: Table) -> FloatArray:
    """All concepts of a vocabulary on the rows of a raw table, shape (n, n_concepts)."""
    columns = list(vocabulary.encode(table).values())
    if not columns:
        return np.zeros((table.n_rows, 0))
    return np.column_stack(columns).astype(np.float64)


def read_rows(
    X: Any, names: tuple[str, ...], vocabulary: Vocabulary | None = None, model: str = "LEN"
) -> FloatArray:
    """Read a fitted model's concepts, (n, n_concepts): by name where the data carry names, else by place.

    With a vocabulary the rows are those of the raw table. ``model`` names the model in error messages.
    """
    if vocabulary is not None:
        table = Table(X)
        if not vocabulary.finds_by_name(table):
            _check_width(len(table.names), len(vocabulary.columns), model)
        return concept_matrix(vocabulary, table)
    data, named = _concept_data(X)
    if named or (_counts_columns(X) and set(names) <= set(data.names)):
        for name in names:
            if name not in data.names:
                raise UnknownColumnError(name, data.names)
        return data.scores(names)
    _check_width(len(data.names), len(names), model)
    return data.scores()


def _check_width(width: int, expected: int, model: str) -> None:
    if width != expected:  # scikit-learn's checks look for these words
        raise InputError(
            f"X has {width} features, but {model} is expecting {expected} features as input. "
            "Pass the same columns in the same order."
        )
