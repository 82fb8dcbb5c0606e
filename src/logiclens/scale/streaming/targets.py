"""Targets in the columns of files: labels in one, or outputs in several.

A label is a number from here on, its place among the sorted labels, so that rows need little room.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from logiclens.errors import FileError, InputError, count, shown
from logiclens.estimators.inputs_and_targets import Problem, read_targets
from logiclens.explain.rule import Label, label_array
from logiclens.logic.arrays import FloatArray
from logiclens.logic.data import THRESHOLD
from logiclens.scale.streaming.source import Chunk, ParquetSource, RowGroup

MOST_LABELS = 1 << 12
"""Labels of a target, at most; each has a network."""


@dataclass(frozen=True, eq=False)
class TargetColumns:
    """Targets in the columns of files.

    Attributes
    ----------
    names : tuple of str
        The columns: one that holds labels, or one for each output.
    labels : tuple
        The classes in sorted order, or the names of the outputs.
    multi_label : bool
    counts : ndarray of shape (n_labels,)
        Rows of each label, or total of each output.
    n_rows : int
    """

    names: tuple[str, ...]
    labels: tuple[Label, ...]
    multi_label: bool
    counts: FloatArray
    n_rows: int

    def read(self, chunk: Chunk) -> NDArray[Any]:
        """Places of the labels of rows, (n,), or their outputs, (n_outputs, n)."""
        if self.multi_label:
            return chunk.scores(self.names)
        values, places = _encoded(chunk, self.names[0])
        known = {label: at for at, label in enumerate(self.labels)}
        try:
            return np.array([known[value] for value in values], dtype=np.intp)[places]
        except KeyError:
            raise FileError(
                f"{chunk.path!r} was changed while it was being read. Start again once it stays as it is.",
                chunk.path,
            ) from None

    def outputs(self, truth: NDArray[Any], problem: Problem) -> FloatArray:
        """What networks learn, (n_outputs, n), from what :meth:`read` returned."""
        if self.multi_label:
            return truth
        return np.asarray(self.table(problem)[:, truth])

    def shares(self, held_out: NDArray[Any], problem: Problem) -> FloatArray:
        """How frequent each output is among the rows that are not held out, (n_outputs,).

        Parameters
        ----------
        held_out : ndarray of shape (n,) or (n_outputs, n)
            Targets of the others, as :meth:`read` returned them.
        problem : Problem
        """
        if self.multi_label:
            left = self.counts - held_out.sum(axis=1)
        else:
            left = self.table(problem) @ (self.counts - np.bincount(held_out, minlength=len(self.labels)))
        return np.asarray(np.clip(left / (self.n_rows - held_out.shape[-1]), 0.0, 1.0))

    def table(self, problem: Problem) -> FloatArray:
        """What networks learn of each label, (n_outputs, n_labels)."""
        whole = np.eye(len(self.labels))
        return whole[1:] if problem is Problem.BINARY else whole

    def strata(self, truth: NDArray[Any]) -> NDArray[np.intp]:
        """What a sample is stratified by, (n,): the class, or the rarest output that is true."""
        if not self.multi_label:
            return truth
        order = np.argsort(self.counts, kind="stable")
        true = truth[order] > THRESHOLD
        return np.where(true.any(axis=0), order[true.argmax(axis=0)], len(order)).astype(np.intp)

    def as_y(self, truth: NDArray[Any]) -> Any:
        """The same as a caller would pass it to ``fit``: labels, or a table of outputs by name."""
        if not self.multi_label:
            return label_array(self.labels)[truth]
        return pa.table({name: column for name, column in zip(self.names, truth, strict=True)})


def check_targets(target: Any, source: ParquetSource) -> tuple[str, ...]:
    """Names of the columns that hold the targets."""
    names = (target,) if isinstance(target, str) else target
    if not isinstance(names, Sequence) or not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"target must be the name of a column, or several. Got {shown(target)}.")
    if len(set(names)) < len(names):
        raise InputError(f"target names a column twice. Got {shown(target)}.")
    source.check_columns(names)
    if len(names) == 1:
        _check_kinds(names[0], source)
    return tuple(names)


def _check_kinds(name: str, source: ParquetSource) -> None:
    """Refuse labels that are text in one file and numbers in another."""
    kinds: dict[str, str] = {}
    for kind, path in source.types.get(name, {}).items():
        if not pa.types.is_null(kind):  # its missing values are told of later
            kinds.setdefault(_kind(kind), path)
    if len(kinds) > 1:
        (one, here), (other, there) = list(kinds.items())[:2]
        raise InputError(
            f"Column {name!r} holds {one} in {here!r} and {other} in {there!r}. Write the labels alike in "
            "all files."
        )


def _kind(kind: Any) -> str:
    """What the values of a column are, in a word."""
    if pa.types.is_dictionary(kind):
        return _kind(kind.value_type)
    if pa.types.is_boolean(kind):
        return "Booleans"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numbers"
    return "text" if pa.types.is_string(kind) or pa.types.is_large_string(kind) else f"the type {kind}"


def count_targets(
    source: ParquetSource, groups: Iterable[RowGroup], names: tuple[str, ...]
) -> dict[Label, float]:
    """Rows of each label, or the total of each output, in some row groups.

    Only the columns of the targets are read.

    Raises
    ------
    InputError
        A label is missing, or there are too many.
    """
    found: dict[Label, float] = {}
    floats = len(names) == 1 and _has_floats(source.types.get(names[0], {}))
    for group in groups:
        for chunk in source.chunks(group, names):
            if len(names) > 1:
                _add(found, zip(names, chunk.scores(names).sum(axis=1), strict=True))
                continue
            values, places = _encoded(chunk, names[0])
            sizes = np.bincount(places, minlength=len(values))
            _add(found, zip(map(float, values) if floats else values, sizes, strict=True))
            if len(found) > MOST_LABELS:
                raise InputError(
                    f"Column {names[0]!r} has more than {MOST_LABELS} labels. Name a column of classes as "
                    "target."
                )
    return found


def target_columns(
    counted: Sequence[Mapping[Label, float]], names: tuple[str, ...], n_rows: int
) -> TargetColumns:
    """The targets, from what was counted in all parts.

    Raises
    ------
    InputError
        Rows cannot be told apart: there is one label only, or labels are of several types.
    """
    found: dict[Label, float] = {}
    for part in counted:
        _add(found, part.items())
    if len(names) > 1:
        return TargetColumns(names, names, True, np.array([found[name] for name in names]), n_rows)
    values = list(found)
    plain = np.array(values, dtype=object if any(isinstance(value, str) for value in values) else None)
    labels = read_targets(plain, len(values)).labels
    if len(labels) < 2:
        raise InputError(
            f"Column {names[0]!r} has one label only, {labels[0]!r}, in all {count(n_rows, 'row')}. "
            "Name a target with at least 2."
        )
    return TargetColumns(names, labels, False, np.array([found[label] for label in labels]), n_rows)


def _has_floats(types: Iterable[Any]) -> bool:
    """Whether labels are floats in some file: then they are in all, since 1 and 1.0 are one label."""
    return any(pa.types.is_floating(kind) or pa.types.is_decimal(kind) for kind in types)


def _add(found: dict[Label, float], more: Iterable[tuple[Label, float]]) -> None:
    """Add numbers up by label; labels that are equal may come several times."""
    for label, number in more:
        found[label] = found.get(label, 0.0) + float(number)


def _encoded(chunk: Chunk, name: str) -> tuple[list[Any], NDArray[np.intp]]:
    """Values of a column, and which of them each row has; zero may be there twice, but without a sign."""
    column = chunk.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    missing = column.is_null(nan_is_null=True).to_numpy()
    if missing.any():
        raise chunk.missing(name, int(missing.argmax()))
    coded = column.combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    values = [value + 0.0 if isinstance(value, float) else value for value in coded.dictionary.to_pylist()]
    return values, coded.indices.to_numpy(zero_copy_only=False).astype(np.intp)
