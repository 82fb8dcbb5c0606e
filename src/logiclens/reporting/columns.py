"""The data at a glance: how many rows of which classes, what each column holds, what was dropped and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from logiclens.concepts.cells import Column
from logiclens.concepts.concept import Above, AtMost, Between, Flag, Missing
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, shown
from logiclens.explain.explanation import check_text
from logiclens.logic.data import check_count
from logiclens.reporting.facts import ClassFacts, ColumnFacts, DataFacts, DroppedFacts
from logiclens.reporting.measured import Measured
from logiclens.reporting.rates import ones
from logiclens.reporting.rule_facts import InputFacts
from logiclens.reporting.subject import CLUSTER, TASKS, Subject

MOST_COLUMNS = 200
"""Columns that are listed, and columns dropped and notes that are."""
_KINDS = {"Booleans": "flag", "numbers": "number"}


@dataclass(frozen=True)
class Source:
    """Where data come from, as far as the report cannot see it for itself.

    Attributes
    ----------
    name : str
        Of the file.
    command : str, optional
        What makes the report again.
    n_train : int, optional
        Rows that the model was fitted on.
    data_sha256 : str, optional
        Of the file.
    dropped : mapping of str to str
        Columns that were left out before the model saw the data, and why.
    task : {"classify", "black box", "cluster"}, optional
        What the rules are for, where the model does not show it: a classifier may have learned the answers
        of a black box.
    held_out : bool, optional
        Whether the rows that are passed are others than those of the fit; False for the rows of the fit
        themselves. When missing they are said to be held out, but for clusters.
    row_numbers : sequence of int, optional
        What each row that is passed is called where rows are shown, such as its place in the file, counted
        from 1. When missing, rows are counted as they are passed.
    notes : sequence of str
        What there is to know of how the file was read: a decimal comma, values that were no numbers.

    Examples
    --------
    >>> Source("patients.csv", n_train=750, dropped={"patient": "left out by --ignore"}).n_train
    750
    """

    name: str = ""
    command: str | None = None
    n_train: int | None = None
    data_sha256: str | None = None
    dropped: Mapping[str, str] = field(default_factory=dict, hash=False)
    task: str | None = None
    held_out: bool | None = None
    row_numbers: Sequence[int] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_text(self.name, "name")
        for name in ("command", "data_sha256"):
            if getattr(self, name) is not None:
                check_text(getattr(self, name), name)
        if self.n_train is not None:
            check_count(self.n_train, "n_train")
        if not isinstance(self.dropped, Mapping):
            raise InputError(
                f"dropped must be a mapping from columns to reasons. Got {shown(self.dropped)}; "
                "write {'patient': 'an identifier'}."
            )
        if self.task is not None and self.task not in TASKS:
            raise InputError(f"task must be 'classify', 'black box' or 'cluster'. Got {shown(self.task)}.")
        if not (self.held_out is None or isinstance(self.held_out, bool)):
            raise InputError(f"held_out must be True, False or None. Got {shown(self.held_out)}.")
        if self.row_numbers is not None:
            object.__setattr__(self, "row_numbers", _as_row_numbers(self.row_numbers))
        object.__setattr__(self, "notes", _as_notes(self.notes))


def _as_row_numbers(given: Sequence[int]) -> tuple[int, ...]:
    numbers: list[Any] = [*given] if isinstance(given, list | tuple | range | np.ndarray) else [None]
    if not all(isinstance(number, int | np.integer) for number in numbers):
        raise InputError(
            f"row_numbers must be a whole number for each row. Got {shown(given)}; write [3, 7, 8]."
        )
    return tuple(int(number) for number in numbers)


def _as_notes(given: Sequence[str]) -> tuple[str, ...]:
    notes = [*given] if isinstance(given, list | tuple) else [None]
    if not all(isinstance(note, str) for note in notes):
        raise InputError(
            f"notes must be a sequence of strings. Got {shown(given)}; write ['Decimal commas were read.']."
        )
    return tuple(map(str, notes))


def data_facts(
    subject: Subject, source: Source, inputs: tuple[InputFacts, ...], rows: Measured | None
) -> DataFacts:
    """The data at a glance.

    Parameters
    ----------
    subject : Subject
    source : Source
    inputs : tuple of InputFacts
        Columns that some formula uses.
    rows : Measured, optional
    """
    columns = _columns(subject, inputs, rows)
    dropped = [*(_dropped(subject) | dict(source.dropped)).items()]
    held_out = subject.task != CLUSTER if source.held_out is None else source.held_out
    n_held_out = rows.n if rows is not None and held_out else None
    n_rows = None if n_held_out is None or source.n_train is None else n_held_out + source.n_train
    if not held_out:
        n_rows = source.n_train
    classes, classes_of = _classes(subject, rows)
    return DataFacts(
        name=source.name,
        n_rows=n_rows,
        n_train=source.n_train,
        n_held_out=n_held_out,
        n_columns=len(columns) + len(dropped),
        n_concepts=len(subject.rules.concept_names),
        sha256=source.data_sha256,
        classes=classes,
        classes_of=classes_of,
        columns=tuple(columns[:MOST_COLUMNS]),
        n_columns_left_out=max(len(columns) - MOST_COLUMNS, 0),
        dropped=tuple(DroppedFacts(name, str(why)) for name, why in dropped[:MOST_COLUMNS]),
        n_dropped_left_out=max(len(dropped) - MOST_COLUMNS, 0),
        notes=source.notes[:MOST_COLUMNS],
        n_notes_left_out=max(len(source.notes) - MOST_COLUMNS, 0),
    )


def _classes(subject: Subject, rows: Measured | None) -> tuple[tuple[ClassFacts, ...], str]:
    """How many rows each class has, and which rows these are."""
    rules = subject.rules
    if rows is None or rows.wanted is None:
        total = sum(explanation.support for explanation in rules.values())
        return tuple(
            ClassFacts(str(e.target), round(e.support), e.support / total if total else 0.0)
            for e in rules.values()
        ), "training rows, by the network's answers" if total else ""
    counts = {str(label): ones(words) for label, words in zip(rules.labels, rows.wanted.words, strict=True)}
    codes = rows.wanted.codes
    if codes is not None:
        for at, label in enumerate(rows.wanted.others):
            counts[str(label)] = int((codes == len(rules) + at).sum())
    by = rows.wanted.by
    whose = {"the truth": "", "the clusters": ", by their cluster"}.get(by, f", by the answers of {by}")
    of = f"{subject.part}{whose}"
    return tuple(ClassFacts(label, n, n / rows.n) for label, n in counts.items()), of


def _dropped(subject: Subject) -> dict[str, str]:
    """Columns without concepts, and why."""
    if subject.encoder is not None:
        return dict(subject.encoder.dropped_)
    words = subject.rules.vocabulary
    if words is None:
        return {}
    kept = {concept.column for concept in words.concepts}
    return {column: "dropped when concepts were made" for column in words.columns if column not in kept}


def _columns(subject: Subject, inputs: tuple[InputFacts, ...], rows: Measured | None) -> list[ColumnFacts]:
    """The columns that have concepts, those that rules use first."""
    kinds = {one.name: one.kind for one in inputs}
    words = subject.rules.vocabulary
    concepts = {name for formula in subject.rules.formulas.values() for name in formula.concepts}
    used = concepts if words is None else set(words.used_columns(concepts))
    if words is None:
        names = subject.rules.concept_names
        found = [ColumnFacts(name, kinds.get(name, "score"), 0.0, name in used) for name in names]
    elif subject.encoder is not None:
        kinds = _kinds(words) | kinds
        found = [
            ColumnFacts(
                reading["column"],
                kinds.get(reading["column"], _KINDS.get(reading["values"], "category")),
                reading["missing"],
                reading["column"] in used,
                reading["remark"],
            )
            for reading in subject.encoder.describe()
            if reading["concepts"]
        ]
    else:
        found = _of_vocabulary(words, kinds, used, rows)
    found.sort(key=lambda column: not column.used)
    return found


def _kinds(words: Vocabulary) -> dict[str, str]:
    """What columns hold, as far as their concepts tell: that a value may be missing says nothing."""
    kinds: dict[str, str] = {}
    for concept in words.concepts:
        if isinstance(concept, Missing):
            continue
        numbers = isinstance(concept, Above | AtMost | Between)
        kind = "number" if numbers else "flag" if isinstance(concept, Flag) else "category"
        if kinds.get(concept.column, "category") == "category":
            kinds[concept.column] = kind
    return kinds


def _of_vocabulary(
    words: Vocabulary, known: Mapping[str, str], used: Collection[str], rows: Measured | None
) -> list[ColumnFacts]:
    """Columns of a model that was loaded, as far as their concepts tell."""
    kinds = _kinds(words) | dict(known)
    found = []
    for column in words.used_columns(words.names):
        cells = _cells(words, column, rows)
        share = None if cells is None else float(cells.missing.mean())
        found.append(ColumnFacts(column, kinds.get(column, "category"), share, column in used))
    return found


def _cells(words: Vocabulary, column: str, rows: Measured | None) -> Column | None:
    if rows is None or rows.table is None or not words.finds_by_name(rows.table):
        return None
    return rows.table.column(column) if column in rows.table else None
