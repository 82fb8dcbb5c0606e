"""Which columns and classes of a table are used, wherever its rows are; what is left out has a reason.

The library refuses a table with a column about which a person has to decide, such as dates. A command goes on
without that column; the reason is printed and put into the report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from logiclens.cli.options import Selection, named_columns
from logiclens.concepts._columns import Evidence, Extent, Reading, look_at, may_be_classes, middle_cut
from logiclens.concepts._columns import class_labels as labels_of
from logiclens.concepts.table import Column, Kind, Table
from logiclens.errors import ColumnError, InputError, Reason, count
from logiclens.logic.arrays import IndexArray

if TYPE_CHECKING:
    from logiclens.cli.options import Engine
    from logiclens.cli.scores import HeldOutScores
    from logiclens.estimators.base import LENClassifier
    from logiclens.explain.rule import Label

ENOUGH = 100_000
"""Rows that are enough to see that a column is of use."""
LEARNED = "the rows it was learned from"


class Dropped(NamedTuple):
    """A column that is not used, and why."""

    name: str
    why: str


class SelectedRows(Protocol):
    """Columns, classes and rows to learn from and to score on, in memory or in an engine."""

    @property
    def name(self) -> str:
        """What the file is called."""

    @property
    def sha256(self) -> str | None:
        """Checksum of the file."""

    @property
    def engine(self) -> Engine | None:
        """Where the rows are; None is memory."""

    @property
    def target(self) -> str | None:
        """The column that is explained."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns that are used."""

    @property
    def class_sizes(self) -> Mapping[Label, tuple[int, int]]:
        """Rows of each class that are trained on, and that are held out."""

    @property
    def n_read(self) -> int:
        """Rows of the table."""

    @property
    def n_used(self) -> int:
        """Rows of it that are used."""

    @property
    def n_train(self) -> int:
        """Rows that are trained on."""

    @property
    def n_held(self) -> int:
        """Rows that are held out."""

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Columns that are not used."""

    @property
    def notes(self) -> Sequence[str]:
        """What a person should know."""

    def fit(self, model: LENClassifier) -> LENClassifier:
        """Fit a classifier on the rows that are not held out."""

    def evaluate(self, model: LENClassifier) -> HeldOutScores:
        """Score a fitted classifier on the rows held out or, where none are, on all."""


def unused_columns(model: Any) -> tuple[Dropped, ...]:
    """Columns of which the encoder of a fitted model could make no concepts."""
    found = {} if model.encoder_ is None else model.encoder_.reasons()
    return tuple(Dropped(name, why.text(LEARNED)) for name, why in found.items())


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
    column: Column, above: float | None = None, counts: IndexArray | None = None
) -> NDArray[Any]:
    """Classes that a column names, shape (n,); what stands where its value is missing means nothing.

    Parameters
    ----------
    column : Column
    above : float, optional
        Two classes: numbers above this limit, and the others.
    counts : ndarray of int, shape (n,), optional
        How many rows each value stands for, where values were counted elsewhere.

    Raises
    ------
    InputError
        No values, one class only, or too many.
    """
    name = column.name
    if column.missing.all():
        raise InputError(f"Column {name!r} has no values. Name another one as the target.")
    rows = np.ones(len(column), dtype=np.intp) if counts is None else counts
    if above is not None:
        return _two_sides(column, above, rows)
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


def _two_sides(column: Column, above: float, rows: IndexArray) -> NDArray[Any]:
    name = column.name
    refuse_limit(name, column.kind)
    larger = column.numbers() > above
    present = ~column.missing
    if larger[present].all() or not larger[present].any():
        numbers = column.numbers()[present]
        side = "above" if larger[present].all() else "at most"
        raise InputError(
            f"All values of {name!r} are {side} {above:.10g}. Give a limit between {numbers.min():.10g} and "
            f"{numbers.max():.10g}, such as --above {middle_cut(column, rows):.10g}."
        )
    return np.array(side_labels(name, above), dtype=object)[larger.astype(np.intp)]


def refuse_limit(column: str, kind: Kind) -> None:
    """Refuse a limit for a target that has no numbers."""
    if kind is not Kind.NUMBER:
        raise InputError(f"--above needs a target of numbers. Column {column!r} holds {kind}; omit it.")


def side_labels(name: str, above: float) -> tuple[str, str]:
    """The two classes that a limit makes of a column of numbers."""
    return f"{name} <= {above:.10g}", f"{name} > {above:.10g}"


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
    aside = {selection.target, *selection.apart}
    wanted = named_columns(selection.use, names, "--use") or names
    ignored = set(named_columns(selection.ignore, names, "--ignore"))
    columns = [name for name in wanted if name not in aside and name not in ignored]
    if not columns:
        others = "" if selection.target is None else f" beside {selection.target!r}"
        raise InputError(f"There is no column to learn from{others}. Pass a table with more columns.")
    used: list[str] = []
    remarks: list[str] = []
    dropped = [Dropped(name, "left out by --ignore") for name in names if name in ignored - aside]
    for name, (why, more) in zip(columns, look(columns), strict=True):
        if why:
            dropped.append(Dropped(name, why))
        else:
            used.append(name)
            remarks += more
    if not used:
        first = next(each for each in dropped if each.name == columns[0])
        others = f", and so on for {len(columns)} columns" if len(columns) > 1 else ""
        raise InputError(
            f"No column can be used: {first.name!r}: {first.why}{others}. Pass columns whose values differ."
        )
    return used, tuple(dropped), remarks


class ColumnUse(NamedTuple):
    """Whether a column can be used.

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


def column_use(table: Table, name: str) -> ColumnUse:
    """Whether a column can be used.

    Of a long table the first rows can show that a column is of use; that it is of none, all rows must show.
    """
    try:
        column = table.column(name)
    except ColumnError as error:
        return ColumnUse(str(error.reason), error.reason)
    few = column.take(np.arange(ENOUGH)) if len(column) > ENOUGH else column
    reading = look_at(few)
    if reading.reason is not None and few is not column:
        few, reading = column, look_at(column)
    return use_of(reading, few)


def use_of(reading: Reading, column: Column, evidence: Evidence | None = None) -> ColumnUse:
    """Whether a column can be used, by what was read of it; reasons that count rows say of how many."""
    reason = reading.reason
    if reason is None:
        return ColumnUse("", None, reading.as_text == "numbers")
    if reason.n_rows is None:
        return ColumnUse(str(reason), reason)
    extent = Extent.of(column) if evidence is None or evidence.extent is None else evidence.extent
    some = reason.n_rows == extent.present < extent.rows
    return ColumnUse(reason.text(count(extent.rows, "row") if some else ""), reason)
