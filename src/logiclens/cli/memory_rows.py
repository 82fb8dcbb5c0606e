"""Rows in memory: columns and classes of a table that was read, rows to learn from and rows to score on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from logiclens.cli.options import Selection
from logiclens.cli.scores import HeldOutScores
from logiclens.cli.selection import (
    LEARNED,
    Dropped,
    check_size,
    choose_columns,
    class_labels,
    column_use,
)
from logiclens.concepts._columns import spelling_remark
from logiclens.concepts.table import Table
from logiclens.errors import InputError, UnknownColumnError, count, listing
from logiclens.evaluation._leaks import Leak, leaking_columns, used_columns
from logiclens.logic.arrays import BoolArray

if TYPE_CHECKING:
    import pyarrow

    from logiclens.estimators.base import LENClassifier
    from logiclens.explain import ExplanationSet
    from logiclens.explain.rule import Label

_MOST = 100_000  # rows that leaks are looked for in, of those trained on and of those scored


class TableSource(NamedTuple):
    """A table that was read, or drawn by an engine.

    Attributes
    ----------
    table : pyarrow.Table
        All columns and rows.
    name : str
        What the file is called.
    sha256 : str, optional
        Checksum of the file.
    notes : tuple of str
        What a person should know about the reading.
    """

    table: pyarrow.Table
    name: str
    sha256: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class MemoryRows:
    """Columns and classes to learn from, in memory.

    Attributes
    ----------
    name : str
        What the file is called.
    sha256 : str, optional
    target : str, optional
    inputs : pyarrow.Table
        The columns that are used, all rows.
    labels : ndarray of shape (n,)
        The class of each row; empty texts where there is no target.
    apart : mapping of str to ndarray of shape (n,)
        Other columns that were asked for, missing values as None.
    held_out : ndarray of bool, shape (n,)
        The rows to score on.
    kept : ndarray of int, shape (n,)
        Numbers of the rows in the table that was read.
    n_read : int
        Rows of that table.
    dropped : tuple of Dropped
    notes : tuple of str
    engine : None
    """

    name: str
    sha256: str | None
    target: str | None
    inputs: pyarrow.Table
    labels: NDArray[Any]
    apart: Mapping[str, NDArray[Any]]
    held_out: BoolArray
    kept: NDArray[np.intp]
    n_read: int
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    engine: None = None

    @property
    def columns(self) -> list[str]:
        """The columns that are used."""
        return list(self.inputs.column_names)

    @property
    def n_used(self) -> int:
        """Rows that are used."""
        return len(self.labels)

    @property
    def n_held(self) -> int:
        """Rows held out."""
        return int(self.held_out.sum())

    @property
    def n_train(self) -> int:
        """Rows trained on."""
        return self.n_used - self.n_held

    @cached_property
    def class_sizes(self) -> Mapping[Label, tuple[int, int]]:
        """Rows of each class trained on, and held out."""
        train, held = (Counter(self.labels[which].tolist()) for which in (~self.held_out, self.held_out))
        return {label: (train[label], held[label]) for label in sorted({*train, *held})}

    @property
    def scored(self) -> BoolArray:
        """The rows that scores are about: those held out or, where none are, all."""
        return self.held_out if self.n_held else np.ones_like(self.held_out)

    def part(self, which: BoolArray) -> tuple[pyarrow.Table, NDArray[Any]]:
        """Inputs and classes of some rows."""
        return self.inputs.take(np.flatnonzero(which)), self.labels[which]

    def fit(self, model: LENClassifier) -> LENClassifier:
        """Fit a classifier on the rows that are not held out."""
        return model.fit(*self.part(~self.held_out))

    def evaluate(self, model: LENClassifier) -> HeldOutScores:
        """Score a fitted classifier on the rows held out or, where none are, on all."""
        from logiclens.reporting._subject import label_rows, subject_of

        labeled = label_rows(subject_of(model), *self.part(self.scored))
        return HeldOutScores.of(labeled, self.leaks(model.explain()))

    def leaks(self, rules: ExplanationSet) -> tuple[Leak, ...]:
        """Columns of the rules that alone give nearly all answers."""
        if rules.vocabulary is None or self.inputs.num_columns < 2:
            return ()
        columns = used_columns(rules)
        learned, scored = _some(~self.held_out), _some(self.scored)
        both = np.concatenate([learned, scored])
        is_scored = np.arange(len(both)) >= len(learned)
        concepts = rules.vocabulary.encode(Table(self.inputs.take(both)), list(chain(*columns.values())))
        classes = np.unique(self.labels, return_inverse=True)[1][both]
        return leaking_columns(
            columns, concepts, classes, is_scored.astype(np.float64), (~is_scored).astype(np.float64)
        )


def _some(which: BoolArray) -> NDArray[np.intp]:
    """Places of the selected rows; of very many, every other or third one and so on."""
    rows = np.flatnonzero(which)
    return rows[:: -(-len(rows) // _MOST)] if len(rows) > _MOST else rows


def select_rows(source: TableSource, selection: Selection) -> MemoryRows:
    """Choose columns and rows of a table, and split the rows.

    Raises
    ------
    InputError
        What was selected is not there, or there is nothing to learn.
    """
    table = Table(source.table)
    check_size(table.n_rows)
    for name in (selection.target, *selection.apart):
        if name is not None and name not in table:
            raise UnknownColumnError(name, table.names, "Name one of them.")
    notes = list(source.notes)
    kept = np.arange(table.n_rows)
    labels: NDArray[Any] = np.full(table.n_rows, "", dtype=object)
    if selection.target is not None:
        column = table.column(selection.target)
        kept = np.flatnonzero(~column.missing)
        if len(kept) < table.n_rows:
            n = table.n_rows - len(kept)
            notes.append(f"{count(n, 'row')} without a value of {selection.target!r} left out.")
        labels = class_labels(column, selection.above)
    if selection.max_rows is not None and selection.max_rows < len(kept):
        notes.append(f"{selection.max_rows} of {count(len(kept), 'row')} taken, drawn at random.")
        drawn = np.random.default_rng(selection.seed).permutation(kept)[: selection.max_rows]
        kept = np.sort(drawn)
    labels = labels[kept]
    if selection.target is not None:
        notes += _class_notes(labels, selection)
        if selection.above is None:
            notes += filter(None, [spelling_remark(table.column(selection.target))])
    inputs, dropped, remarks = choose_columns(
        table.names, selection, lambda columns: _check_columns(table, kept, columns)
    )
    held_out = split(labels, selection.holdout, selection.seed)
    if selection.holdout and not held_out.any():
        notes.append("Too few rows to hold any out: scores are those of the rows trained on.")
    chosen = source.table.select(inputs)
    return MemoryRows(
        name=source.name,
        sha256=source.sha256,
        target=selection.target,
        inputs=chosen if len(kept) == table.n_rows else chosen.take(kept),
        labels=labels,
        apart={name: table.column(name).values()[kept] for name in selection.apart},
        held_out=held_out,
        kept=kept,
        n_read=table.n_rows,
        dropped=dropped,
        notes=(*notes, *remarks),
    )


def _class_notes(labels: NDArray[Any], selection: Selection) -> Iterator[str]:
    """Notes on classes that are too rare to be scored; a single class is refused."""
    found, sizes = np.unique(labels, return_counts=True)
    if len(found) < 2:
        raise InputError(
            f"Of column {selection.target!r} only the class {found[0]!r} is left. "
            "Take more rows, with --max-rows."
        )
    single = [label for label, size in zip(found.tolist(), sizes, strict=True) if size == 1]
    if single and selection.holdout:
        if len(single) == 1:
            yield f"The class {single[0]!r} has a single row: it is learned, and not scored."
        else:
            yield f"{len(single)} classes have a single row, and are not scored: {listing(single)}."


def _check_columns(
    table: Table, kept: NDArray[np.intp], columns: Sequence[str]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Why each column cannot be used, or notes on one that can.

    Reasons are about all rows, or about those that are kept if only these give a reason.
    """
    part = table.take(kept) if len(kept) < table.n_rows else None
    for name in columns:
        use = column_use(table, name)
        reason = None if use.why or part is None else column_use(part, name).reason
        why = use.why if reason is None else reason.text(LEARNED)
        yield why, [] if why else [*_remarks(table, name, use.numbers_as_text)]


def _remarks(table: Table, name: str, numbers_as_text: bool) -> Iterator[str]:
    if numbers_as_text:
        yield f"Column {name!r} has numbers written as text: see --decimal, or remove thousands signs."
    if remark := spelling_remark(table.column(name)):
        yield remark


def split(labels: NDArray[Any], share: float, seed: int) -> BoolArray:
    """Rows to hold out, in proportion from each class, drawn at random, shape (n,).

    A class of two rows or more has rows on both sides; of one row, it is learned.

    Examples
    --------
    >>> split(np.array(["a", "a", "b", "b", "b", "c"]), 0.4, seed=0).sum()
    np.int64(2)
    """
    held_out = np.zeros(len(labels), dtype=np.bool_)
    if not share:
        return held_out
    codes = np.unique(labels, return_inverse=True)[1]
    generator = np.random.default_rng(seed)
    for code in range(codes.max(initial=-1) + 1):
        rows = generator.permutation(np.flatnonzero(codes == code))
        n = min(max(round(len(rows) * share), 1), len(rows) - 1)
        held_out[rows[:n]] = True
    return held_out
