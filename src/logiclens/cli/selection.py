"""Choose columns, classes and rows of a table; columns that are left out have a reason.

What holds wherever the rows are comes first, then rows in memory; ``engine_rows`` has those of an engine.

The library refuses a table with a column about which a person has to decide, such as dates. A command goes on
without that column; the reason is printed and put into the report.
"""

from __future__ import annotations

import shlex
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from logiclens.cli.column_types import NOTHING_SAID, SaidColumns, said_columns, with_numbers
from logiclens.cli.options import Selection, named_columns
from logiclens.cli.row_split import HeldOutFile, groups_of, named_split, on_both_sides, split, with_test_rows
from logiclens.concepts._columns import (
    Evidence,
    Extent,
    Reading,
    likely_gap,
    look_at,
    looks_like_codes,
    may_be_classes,
    middle_cut,
    named_as_codes,
    spelling_remark,
)
from logiclens.concepts._columns import class_labels as labels_of
from logiclens.concepts.concept import Value, value_text
from logiclens.concepts.ranges import Ranges
from logiclens.concepts.table import Column, Kind, Table
from logiclens.errors import (
    ColumnError,
    InputError,
    Reason,
    UnknownColumnError,
    count,
    did_you_mean,
    listing,
    percent,
)
from logiclens.evaluation import Evaluation
from logiclens.evaluation._evaluate import LabeledRows, Leak, leaking_columns, used_columns
from logiclens.logic.arrays import BoolArray, IndexArray

if TYPE_CHECKING:
    import pyarrow

    from logiclens.cli.options import Engine
    from logiclens.concepts import ConceptEncoder
    from logiclens.estimators.base import LENClassifier
    from logiclens.estimators.inputs_and_targets import Targets
    from logiclens.explain import Explanation, ExplanationSet
    from logiclens.explain.rule import Label
    from logiclens.files import TableFile
    from logiclens.metrics import RuleScores

TRAINING_ROWS = "the training rows"
_MOST_NAMED = 6  # columns in one note


class Dropped(NamedTuple):
    """A column that is not used, and why."""

    name: str
    why: str


class ClassScores(NamedTuple):
    """A class, its rule, and how good that is on the rows scored.

    Attributes
    ----------
    explanation : Explanation
    n_all : int
        Rows of the class among all rows.
    n : int
        Rows of the class among those scored.
    literals : int
        Of its step in a list, 0 for the default; otherwise of its rule.
    rates : RuleScores
        Of the decision for the class, against the class.
    fidelity : float
        Share of the rows on which rules and network agree about the class; NaN where that is not known.
    agreement : float
        Share of the rows on which rules and truth agree about the class.
    """

    explanation: Explanation
    n_all: int
    n: int
    literals: int
    rates: RuleScores
    fidelity: float
    agreement: float

    @property
    def label(self) -> Label:
        """The class."""
        return self.explanation.target


@dataclass(frozen=True, eq=False, kw_only=True)
class SelectedRows(ABC):
    """Columns, classes and rows to learn from and to score on, in memory or in an engine.

    Attributes
    ----------
    name : str
        What was read: a file, a folder or a pattern.
    sha256 : str, optional
        Checksum of the file.
    engine : Engine, optional
        Where the rows are; in memory when missing.
    target : str, optional
        The column that is explained.
    columns : sequence of str
        The columns that are used.
    class_sizes : mapping of label to (int, int)
        Rows of each class that are trained on, and that are held out.
    n_read : int
        Rows of the table.
    dropped : tuple of Dropped
    notes : tuple of str
        What a person should know.
    said : SaidColumns
        What was said of the columns that are used.
    test : HeldOutFile, optional
        Where the rows held out come from, if not from the same table.
    """

    name: str
    sha256: str | None = None
    engine: Engine | None = None
    target: str | None
    columns: Sequence[str]
    class_sizes: Mapping[Label, tuple[int, int]]
    n_read: int
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    said: SaidColumns = NOTHING_SAID
    test: HeldOutFile | None = None

    @property
    def n_train(self) -> int:
        """Rows that are trained on."""
        return sum(train for train, _ in self.class_sizes.values())

    @property
    def n_held(self) -> int:
        """Rows that are held out."""
        return sum(held for _, held in self.class_sizes.values())

    @property
    def n_used(self) -> int:
        """Rows of the table that are used."""
        return self.n_train + self.n_held

    def encoder(self) -> ConceptEncoder:
        """The encoder for these columns, unfitted."""
        from logiclens.concepts import ConceptEncoder

        types, gaps = self.said
        return ConceptEncoder(types=types or None, missing_values=gaps or ())

    @property
    def held_out_numbers(self) -> list[int] | None:
        """Numbers of the rows held out, from 1; None where they are not known."""
        return None if self.n_held else []

    @abstractmethod
    def fit(self, model: LENClassifier) -> LENClassifier:
        """Fit a classifier on the rows that are not held out."""

    @abstractmethod
    def evaluate(self, model: LENClassifier) -> Fit:
        """Score a fitted classifier on the rows held out or, where none are, on all."""

    def fitted(self, model: LENClassifier, scored: LabeledRows, leaks: tuple[Leak, ...]) -> Fit:
        """The fit of a classifier whose true classes and predictions are known."""
        truth, accuracy = scored.against(scored.truth), scored.share_alike(scored.network, scored.truth)
        assert truth is not None
        assert accuracy is not None
        return Fit(self, model, truth, scored.against(scored.network), accuracy, leaks, scored)


class MeanAndError(NamedTuple):
    """Mean of a metric over folds, and its standard error; NaN for what is one figure for all folds."""

    mean: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class Fit:
    """Rows, the model that was fitted on them, and its figures on the rows scored.

    Those are the rows held out or, where there are none, all.

    Attributes
    ----------
    rows : SelectedRows
    model : classifier or clusterer of this package, fitted
    truth : Evaluation
        The rules against the true classes.
    network : Evaluation or None
        The rules against the predictions of the network; None where it was not evaluated.
    network_accuracy : float
        Share of the rows whose class the network predicts; NaN where it was not evaluated.
    leaks : tuple of Leak
        Columns that give the answers away.
    labeled : LabeledRows, optional
        The rows scored, if they have been read.
    metrics : mapping of str to MeanAndError, optional
        Of a cross-validation.
    """

    rows: SelectedRows
    model: Any
    truth: Evaluation
    network: Evaluation | None = None
    network_accuracy: float = np.nan
    leaks: tuple[Leak, ...] = ()
    labeled: LabeledRows | None = None
    metrics: Mapping[str, MeanAndError] | None = None

    @property
    def rules(self) -> ExplanationSet:
        """The rules of the model."""
        rules: ExplanationSet = self.model.explain()
        return rules

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Columns without a use, those included of which the encoder could make no concepts."""
        reasons = {} if self.model.encoder_ is None else self.model.encoder_.reasons()
        return (
            *self.rows.dropped,
            *(Dropped(name, why.text(TRAINING_ROWS)) for name, why in reasons.items()),
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that concepts are about."""
        dropped = {each.name for each in self.dropped}
        return tuple(name for name in self.rows.columns if name not in dropped)

    @property
    def n(self) -> int:
        """Rows scored."""
        return self.truth.n_rows

    @property
    def part(self) -> str:
        """The rows scored, in words."""
        return "held out" if self.rows.n_held else "trained on"

    @property
    def fidelity(self) -> float:
        """Share of the rows scored on which network and rules predict the same class."""
        return np.nan if self.network is None else self.network.accuracy

    @property
    def guess_accuracy(self) -> float:
        """Share of the rows scored that are of the most frequent class of the training rows."""
        most = max(self.rows.class_sizes.values(), key=lambda sizes: sizes[0])
        return most[self.rows.n_held > 0] / self.n

    @cached_property
    def classes(self) -> tuple[ClassScores, ...]:
        """The scores of the rules about each class."""
        rules, sizes = self.rules, self.rows.class_sizes
        literals = {label: formula.literals for label, formula in rules.conditions.items()}
        return tuple(
            ClassScores(
                explanation,
                n_all=sum(sizes.get(label, ())),
                n=int(self.truth.by_label[label].support),
                literals=literals.get(label, 0) if rules.is_list else explanation.literals,
                rates=self.truth.by_label[label].rates,
                fidelity=np.nan if self.network is None else self.network.by_label[label].agreement,
                agreement=self.truth.by_label[label].agreement,
            )
            for label, explanation in rules.items()
        )


# Classes


def check_size(n_rows: int) -> None:
    """Refuse a table with too few rows."""
    if n_rows < 2:
        raise InputError(f"The table has {count(n_rows, 'row')}. At least 2 are needed to compare.")


def refuse_kind(column: str, kind: Kind) -> None:
    """Refuse a target whose type cannot have classes."""
    if kind in (Kind.DATE, Kind.OTHER):
        raise InputError(
            f"Column {column!r} holds {kind}, which are no classes. Name another one as the target."
        )


def class_labels(
    column: Column, ranges: Ranges | None = None, counts: IndexArray | None = None
) -> NDArray[Any]:
    """Classes that a column names, shape (n,); what stands where its value is missing means nothing.

    Parameters
    ----------
    column : Column
    ranges : Ranges, optional
        Those of a column of numbers, as :func:`class_ranges` finds them.
    counts : ndarray of int, shape (n,), optional
        How many rows each value stands for, where values were counted elsewhere.

    Raises
    ------
    InputError
        No values, one class only, or too many.
    """
    if ranges is not None:
        return ranges.label(column.numbers())
    name = column.name
    if column.missing.all():
        raise InputError(f"Column {name!r} has no values. Name another one as the target.")
    rows = np.ones(len(column), dtype=np.intp) if counts is None else counts
    refuse_kind(name, column.kind)
    levels = column.levels
    if len(levels) == 1:
        raise InputError(
            f"Column {name!r} is {levels[0]!r} in every row, so there is nothing to explain. "
            "Name a column with two values or more."
        )
    n_values = int(rows[~column.missing].sum())
    if may_be_classes(column, n_values):
        return labels_of(column)
    if column.kind is Kind.NUMBER:
        raise InputError(
            f"Column {name!r} has {len(levels)} different numbers, too many to be classes. "
            f"Ask what makes it large: --above {middle_cut(column, rows):.10g} (half of its values are)."
        )
    raise InputError(
        f"Column {name!r} has {len(levels)} different texts in {count(n_values, 'row')}, too many to be "
        "classes. Name a column with fewer values as the target."
    )


def class_ranges(
    column: Column, selection: Selection, counts: IndexArray | None = None
) -> tuple[Ranges | None, str]:
    """Ranges of a target of numbers, where the options ask for some, and a note, or nothing.

    Parameters
    ----------
    column : Column
    selection : Selection
    counts : ndarray of int, shape (n,), optional
        As for :func:`class_labels`.

    Raises
    ------
    InputError
        It holds no numbers, or no value lies in a range.
    """
    limits, bins = selection.limits, selection.bins
    if not limits and bins is None:
        return None, ""
    name = column.name
    if column.missing.all():
        raise InputError(f"Column {name!r} has no values. Name another one as the target.")
    refuse_limit(name, column.kind, selection)
    rows = np.ones(len(column), dtype=np.intp) if counts is None else counts
    if bins is None:
        ranges = Ranges(name, limits)
        _refuse_empty(column, ranges, rows)
        return ranges, ""
    ranges = Ranges.of_equal_size(name, column.numbers(), bins, rows)
    n = len(ranges.labels)
    note = f"{n} classes of {name!r} instead of {bins}: many of its values are equal." if n < bins else ""
    return ranges, note


def _refuse_empty(column: Column, ranges: Ranges, rows: IndexArray) -> None:
    numbers = column.numbers()[~column.missing]
    there = np.unique(ranges.codes(numbers))
    if len(there) == len(ranges.labels):
        return
    extent = f"between {numbers.min():.10g} and {numbers.max():.10g}"
    if len(ranges.cuts) > 1:
        empty = next(label for at, label in enumerate(ranges.labels) if at not in there)
        raise InputError(
            f"No row has {empty}. Give limits {extent}, or make classes of equal size: --bins 3."
        )
    side = "above" if there[0] else "at most"
    raise InputError(
        f"All values of {column.name!r} are {side} {ranges.cuts[0]:.10g}. Give a limit {extent}, such as "
        f"--above {middle_cut(column, rows):.10g}."
    )


def refuse_limit(column: str, kind: Kind, selection: Selection) -> None:
    """Refuse limits for a target that has no numbers."""
    if kind is not Kind.NUMBER:
        option = "--above" if selection.above is not None else "--cut" if selection.cut else "--bins"
        raise InputError(f"{option} needs a target of numbers. Column {column!r} holds {kind}; omit it.")


def side_labels(name: str, above: float) -> tuple[str, ...]:
    """The two classes that a limit makes of a column of numbers."""
    return Ranges(name, (above,)).labels


# Columns


def choose_columns(
    names: Sequence[str],
    selection: Selection,
    look: Callable[[Sequence[str]], Iterable[tuple[str, Sequence[str]]]],
) -> tuple[list[str], tuple[Dropped, ...], list[str]]:
    """Columns that are used, those that are not, and remarks.

    Parameters
    ----------
    names : sequence of str
        All columns.
    selection : Selection
    look : callable
        Looks at columns: why each cannot be used, empty where it can, and remarks on one that can.

    Raises
    ------
    InputError
        There is no column to learn from, or none that can be used.
    """
    aside = selection.aside
    wanted = named_columns(selection.use, names, "--use") or names
    ignored = set(named_columns(selection.ignore, names, "--ignore"))
    columns = [name for name in wanted if name not in aside and name not in ignored]
    if not columns:
        others = "" if selection.target is None else f" beside {selection.target!r}"
        raise InputError(f"There is no column to learn from{others}. Pass a table with more columns.")
    used: list[str] = []
    notes: list[str] = []
    dropped = [Dropped(name, "left out by --ignore") for name in names if name in ignored - aside]
    for name, (why, more) in zip(columns, look(columns), strict=True):
        if why:
            dropped.append(Dropped(name, why))
        else:
            used.append(name)
            notes += more
    if not used:
        first = next(each for each in dropped if each.name == columns[0])
        others = f", and so on for {len(columns)} columns" if len(columns) > 1 else ""
        raise InputError(
            f"No column can be used: {first.name!r}: {first.why}{others}. Pass columns whose values differ."
        )
    return used, tuple(dropped), notes


class ColumnUse(NamedTuple):
    """The use of a column.

    Attributes
    ----------
    why : str
        Why not; empty where it can.
    reason : Reason, optional
        The same in parts.
    numbers_as_text : bool
        Whether it can, but its values are numbers written as text.
    """

    why: str
    reason: Reason | None = None
    numbers_as_text: bool = False


def column_use(table: Table, name: str, kind: str | tuple[Value, ...] | None = None) -> ColumnUse:
    """Look at a column of a table in memory, of which its type may have been said."""
    try:
        column = table.column(name)
    except ColumnError as error:
        return ColumnUse(str(error.reason), error.reason)
    return use_of(look_at(column, kind=kind), column)


def use_of(reading: Reading, column: Column, evidence: Evidence | None = None) -> ColumnUse:
    """The use of a column that was looked at; reasons that count rows say of how many."""
    reason = reading.reason
    if reason is None:
        return ColumnUse("", None, reading.as_text == "numbers")
    if reason.n_rows is None:
        return ColumnUse(str(reason), reason)
    extent = Extent.of(column) if evidence is None or evidence.extent is None else evidence.extent
    some = reason.n_rows == extent.present < extent.rows
    return ColumnUse(reason.text(count(extent.rows, "row") if some else ""), reason)


@dataclass(frozen=True, eq=False, kw_only=True)
class MemoryRows(SelectedRows):
    """Columns and classes to learn from, in memory.

    Attributes
    ----------
    inputs : pyarrow.Table
        The columns that are used, all rows.
    labels : ndarray of shape (n,)
        The class of each row; empty texts where there is no target.
    apart : mapping of str to ndarray of shape (n,)
        Other columns that were asked for, missing values as None.
    held_out : ndarray of bool, shape (n,)
        The rows to score on.
    kept : ndarray of int, shape (n,)
        Numbers of the rows in the table that they were read from.
    others : pyarrow.Table
        The columns that are not used, all rows.
    groups : ndarray of int, shape (n,), optional
        A number for each row, equal for rows that no split may part.
    unlabeled : pyarrow.Table, optional
        The columns that are used, of further rows: those to learn from without a class.
    """

    inputs: pyarrow.Table
    labels: NDArray[Any]
    apart: Mapping[str, NDArray[Any]]
    held_out: BoolArray
    kept: NDArray[np.intp]
    others: pyarrow.Table
    groups: IndexArray | None = None
    unlabeled: pyarrow.Table | None = None

    @property
    def held_out_numbers(self) -> list[int]:
        """Numbers of the rows held out, from 1, in the table that they were read from."""
        return [int(number) + 1 for number in self.kept[self.held_out]]

    @property
    def scored(self) -> BoolArray:
        """The rows that scores are about: those held out or, where none are, all."""
        return self.held_out if self.n_held else np.ones_like(self.held_out)

    def part(self, which: BoolArray) -> tuple[pyarrow.Table, NDArray[Any]]:
        """Inputs and classes of some rows."""
        return self.inputs.take(np.flatnonzero(which)), self.labels[which]

    def learned(self, which: BoolArray) -> tuple[pyarrow.Table, Targets]:
        """Inputs and targets of some rows, and of those without a class."""
        import pyarrow as pa

        from logiclens.estimators.inputs_and_targets import read_targets

        inputs, labels = self.part(which)
        present = {*labels.tolist()}
        targets = read_targets(
            labels, len(labels), tuple(each for each in self.class_sizes if each in present)
        )
        if self.groups is not None:
            targets = replace(targets, groups=self.groups[which])
        if self.unlabeled is None:
            return inputs, targets
        none = np.zeros((len(self.unlabeled), targets.outputs.shape[1]))
        return pa.concat_tables([inputs, self.unlabeled]), targets.with_rows(none, labeled=False)

    def fit(self, model: LENClassifier) -> LENClassifier:
        """Fit a classifier on the rows that are not held out."""
        return model.fit(*self.learned(~self.held_out))

    def evaluate(self, model: LENClassifier) -> Fit:
        """Score a fitted classifier on the rows held out or, where none are, on all."""
        from logiclens.reporting._subject import label_rows, subject_of

        groups = None if self.groups is None else self.groups[self.scored]
        labeled = replace(label_rows(subject_of(model), *self.part(self.scored)), groups=groups)
        return self.fitted(model, labeled, self.leaks(model.explain()))

    def leaks(self, rules: ExplanationSet) -> tuple[Leak, ...]:
        """Columns of the rules that alone give nearly all answers."""
        if rules.vocabulary is None or self.inputs.num_columns < 2:
            return ()
        columns = used_columns(rules)
        concepts = rules.vocabulary.encode(Table(self.inputs), list(chain(*columns.values())))
        classes = np.unique(self.labels, return_inverse=True)[1]
        scored, learned = (which.astype(np.float64) for which in (self.scored, ~self.held_out))
        return leaking_columns(columns, concepts, classes, scored, learned)


def select_rows(source: TableFile, selection: Selection, test: TableFile | None = None) -> MemoryRows:
    """Choose columns and rows of a table, and split the rows.

    Parameters
    ----------
    source : TableFile
    selection : Selection
    test : TableFile, optional
        The rows to hold out; columns and classes are chosen without them.

    Raises
    ------
    InputError
        What was selected is not there, or there is nothing to learn.
    """
    table, target = Table(source.table), selection.target
    check_size(table.n_rows)
    for name in (target, *selection.apart, selection.group, selection.split_column):
        if name is not None and name not in table:
            raise UnknownColumnError(name, table.names, "Name one of them.")
    notes = list(source.notes)
    there = np.ones(table.n_rows, dtype=np.bool_)
    labels: NDArray[Any] = np.full(table.n_rows, "", dtype=object)
    ranges = None
    unlabeled = np.zeros(table.n_rows, dtype=np.bool_)
    if target is not None:
        column = _target_column(table, selection)
        if selection.unlabeled is None:
            notes += _without_value(column, there)
        else:
            notes.append(_without_class(table.column(target), column, selection.unlabeled))
            unlabeled, there = column.missing, ~column.missing
        ranges, note = class_ranges(column, selection)
        labels = class_labels(column, ranges)
        notes += filter(None, [note, "" if ranges else spelling_remark(column)])
    if selection.split_column is not None:
        notes += _without_value(table.column(selection.split_column), there)
    kept = np.flatnonzero(there)
    if selection.max_rows is not None and selection.max_rows < len(kept):
        notes.append(f"{selection.max_rows} of {count(len(kept), 'row')} taken, drawn at random.")
        drawn = np.random.default_rng(selection.seed).permutation(kept)[: selection.max_rows]
        kept = np.sort(drawn)
        unlabeled &= np.cumsum(unlabeled) <= selection.max_rows
    labels = labels[kept]
    if target is not None:
        notes += _class_notes(labels, selection)
    said = said_columns(selection.said, table.names, lambda name: table.column(name).levels)
    inputs, dropped, on_columns = choose_columns(
        table.names, selection, lambda columns: _check_columns(table, kept, columns, said)
    )
    if selection.type_notes:
        on_columns += type_notes(map(table.column, inputs), said)
    pool, numbers, of_test = source.table, np.arange(table.n_rows), None
    if test is not None:
        needed = [
            name for name in table.names if name in {*inputs, target, selection.group, *selection.apart}
        ]
        pool, of_test = with_test_rows(source, test, needed)
        numbers = np.concatenate([numbers, np.arange(test.n_rows)])
        column = _target_column(Table(pool), selection)
        missing = column.missing[table.n_rows :]
        held = table.n_rows + np.flatnonzero(~missing)
        kept = np.concatenate([kept, held])
        labels = (labels_of(column) if ranges is None else ranges.label(column.numbers()))[kept]
        notes += [f"{test.name}: {note}" for note in test.notes]
        notes += held_out_notes(len(held), int(missing.sum()), test.name, target)
    cells = Table(pool)
    chosen = pool.select(inputs) if len(kept) == pool.num_rows else pool.select(inputs).take(kept)
    used = {*inputs, target, *selection.apart}
    others = pool.select([name for name in pool.column_names if name not in used])
    own_split = test is not None or selection.split_column is not None
    groups, on_groups = _groups(cells, chosen, kept, selection, own_split=own_split)
    held_out, on_split = _hold_out(
        cells, kept, labels, groups, selection, n_test=0 if test is None else len(held)
    )
    train, held_sizes = (Counter(labels[which].tolist()) for which in (~held_out, held_out))
    found = {*train, *held_sizes}
    order = sorted(found) if ranges is None else [label for label in ranges.labels if label in found]
    return MemoryRows(
        name=source.name,
        sha256=source.sha256,
        target=target,
        columns=tuple(inputs),
        class_sizes={label: (train[label], held_sizes[label]) for label in order},
        inputs=chosen,
        labels=labels,
        apart={name: cells.column(name).values()[kept] for name in selection.apart},
        held_out=held_out,
        kept=numbers[kept],
        others=others.take(kept),
        n_read=table.n_rows,
        dropped=dropped,
        notes=(*notes, *on_columns, *on_groups, *on_split),
        groups=groups,
        unlabeled=source.table.select(inputs).filter(unlabeled) if unlabeled.any() else None,
        test=of_test,
        said=said.among(inputs),
    )


def held_out_notes(n: int, n_missing: int, name: str, target: str | None) -> Iterator[str]:
    """How many rows of another file are held out, and how many are not since they have no class."""
    if n_missing:
        yield f"{count(n_missing, 'row')} of {name} without a value of {target!r} left out."
    yield f"Held out: {count(n, 'row')} of {name}."


def _without_value(column: Column, there: BoolArray) -> Iterator[str]:
    """Mark rows without a value as not there, with a note on how many these are."""
    n = int((there & column.missing).sum())
    there &= ~column.missing
    if n:
        yield f"{count(n, 'row')} without a value of {column.name!r} left out."


def _target_column(table: Table, selection: Selection) -> Column:
    """The target, without the value that means that a row has no class."""
    column = table.column(selection.target or "")
    return column.without(with_numbers([selection.unlabeled])) if selection.unlabeled else column


def _without_class(before: Column, after: Column, value: str) -> str:
    """A note on the rows without a class; a value that no row has is refused."""
    n = int(after.missing.sum())
    if value and n == before.missing.sum():
        near = did_you_mean(value, [value_text(level) for level in before.levels])
        raise InputError(f"No row has {value!r} in {before.name!r}. {near}Name a value that means no class.")
    return f"{count(n, 'row')} without a value of {before.name!r} learned from without a class."


def _groups(
    cells: Table, inputs: pyarrow.Table, kept: NDArray[np.intp], selection: Selection, *, own_split: bool
) -> tuple[IndexArray | None, list[str]]:
    """Rows that no split may part, of one value of --group or copies of one another; and notes."""
    if selection.target is None:
        return None, []
    from logiclens.estimators.groups import group_copies, joined

    notes, groups, found = [], group_copies(inputs), selection.group
    if groups is not None and not own_split:
        n = len(groups) - len(np.unique(groups))
        notes.append(equal_rows_note(n, selection.target))
    if found is not None:
        named, note = groups_of(cells.column(found).take(kept))
        groups = named if groups is None else joined(named, groups)
        notes += filter(None, [note])
    return groups, notes


def equal_rows_note(n: int, target: str) -> str:
    """A note on rows that are copies of others but for the target."""
    return (
        f"{count(n, 'row')} {'equals' if n == 1 else 'equal'} an earlier one in all columns that are learned "
        f"from, whatever their {target!r} is. Such rows are held out together."
    )


def _hold_out(
    cells: Table,
    kept: NDArray[np.intp],
    labels: NDArray[Any],
    groups: IndexArray | None,
    selection: Selection,
    n_test: int,
) -> tuple[BoolArray, list[str]]:
    """The rows to score on, shape (n,), and notes."""
    if not n_test and selection.split_column is None:
        held_out = split(labels, selection.holdout, selection.seed, groups)
        if selection.holdout and not held_out.any():
            few = "rows" if selection.group is None else "groups"
            return held_out, [f"Too few {few} to hold any out: scores are those of the rows trained on."]
        if selection.group is None or not selection.holdout:
            return held_out, []
        share, wanted = float(held_out.mean()), selection.holdout
        far = abs(share - wanted) > 0.01
        instead = f" instead of {percent(wanted)}, as near as such groups allow" if far else ""
        together = f"Rows of the same {selection.group!r} are held out together: {percent(share)} of the rows"
        return held_out, [f"{together}{instead}."]
    notes = []
    if n_test:
        held_out = np.arange(len(kept)) >= len(kept) - n_test
    else:
        column = cells.column(selection.split_column or "").take(kept)
        held_out, note = named_split(column, selection.test_value)
        notes.append(note)
    if groups is not None and (n := int(np.isin(groups, on_both_sides(held_out, groups))[held_out].sum())):
        notes.append(learned_too_note(n, selection))
    only = sorted({*labels[held_out].tolist()} - {*labels[~held_out].tolist()}, key=str)
    if only:
        notes.append(f"Held out, but never learned: {listing(only)}. No rule can be right about such rows.")
    if len({*labels[~held_out].tolist()}) < 2:
        raise InputError(
            f"The rows to learn from have a single class of {selection.target!r}. Hold out other rows."
        )
    return held_out, notes


def learned_too_note(n: int, selection: Selection) -> str:
    """A note on rows held out that equal some that are learned from."""
    more = "" if selection.group is None else f", or have the same {selection.group!r}"
    equal = "equals one that is" if n == 1 else "equal some that are"
    return f"{n} of the rows held out {equal} learned from, but for {selection.target!r}{more}."


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
    table: Table, kept: NDArray[np.intp], columns: Sequence[str], said: SaidColumns
) -> Iterator[tuple[str, Sequence[str]]]:
    """The reason why each column cannot be used, or notes on one that can.

    Reasons are about all rows, or about those that are kept if only these give a reason.
    """
    part = table.take(kept) if len(kept) < table.n_rows else None
    for name in columns:
        kind = said.types.get(name)
        use = column_use(table, name, kind)
        reason = None if use.why or part is None else column_use(part, name, kind).reason
        why = use.why if reason is None else reason.text(TRAINING_ROWS)
        advice = "see --decimal, or remove thousands signs" if use.numbers_as_text else ""
        yield why, [] if why else remarks(table.column(name), advice)


def remarks(column: Column, advice: str) -> list[str]:
    """Remarks on a column that is used; advice where its numbers are written as text."""
    text = f"Column {column.name!r} has numbers written as text: {advice}." if advice else ""
    return [*filter(None, (text, spelling_remark(column)))]


def type_notes(columns: Iterable[Column], said: SaidColumns) -> list[str]:
    """Notes on what columns may hold that was not said: codes, and numbers that stand for gaps."""
    several = [*columns]
    return [*filter(None, map(_gap_note, several)), *_code_notes(several, said)]


def _gap_note(column: Column) -> str:
    """A note on a number that may stand for missing values."""
    gap = likely_gap(column)
    if gap is None:
        return ""
    n, value = int((column.raw[~column.missing] == gap).sum()), value_text(gap)
    option = shlex.quote(f"{column.name if column.name.isprintable() else 'COLUMN'}={value}")
    rows = count(len(column), "row")
    return (
        f"Column {column.name!r} has {value} in {n} of {rows}, far from its other values. If it means that "
        f"there is none, say --missing {option}."
    )


def _code_notes(columns: Iterable[Column], said: SaidColumns) -> list[str]:
    """Notes on columns of whole numbers that may be codes, unless that was said."""
    own = [column for column in columns if column.name not in said.types]
    few = [column.name for column in own if looks_like_codes(column)]
    named = [column.name for column in own if column.name not in few and named_as_codes(column)]
    notes = []
    for names, what in ((few, "few whole numbers"), (named, "whole numbers")):
        head, hold = ("Column", "holds") if len(names) == 1 else ("Columns", "hold")
        notes += [
            f"{head} {listing(names)} {hold} {what}, compared as numbers. If they are codes, say "
            f"--categorical {_as_option(names)}."
        ] * bool(names)
    return notes


def _as_option(names: Sequence[str]) -> str:
    """Columns as one names them in an option."""
    plain = all(name.isprintable() and "," not in name for name in names)
    return shlex.quote(",".join(names)) if plain and len(names) <= _MOST_NAMED else "COLUMNS"
