"""From a table as it was read to rows to learn from and rows to score on; what is left out has a reason.

The library refuses a table with a column about which a person has to decide, such as dates. A command goes on
without that column, and says so: each column and row that is not used has its reason, which is printed and
put into the report.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from logiclens.cli.choices import named_columns
from logiclens.cli.looking import LEARNED, reading_of
from logiclens.concepts._columns import class_labels as labels_of
from logiclens.concepts._columns import may_be_classes, middle_cut, spelling_remark
from logiclens.concepts.table import Column, Kind, Table
from logiclens.errors import InputError, UnknownColumnError, count, listing
from logiclens.logic.arrays import BoolArray, IndexArray

if TYPE_CHECKING:
    import pyarrow


class Source(Protocol):
    """A table that was read, as :func:`logiclens.files.read_table` returns it."""

    @property
    def table(self) -> pyarrow.Table:
        """All columns and rows."""

    @property
    def name(self) -> str:
        """What the file is called."""

    @property
    def sha256(self) -> str | None:
        """Checksum of the file."""

    @property
    def notes(self) -> Sequence[str]:
        """What a person should know about the reading."""


class Wish(NamedTuple):
    """What to take of a table.

    Attributes
    ----------
    target : str, optional
        The column to explain; None where there is none, as for clusters.
    use, ignore : sequence of str
        Columns as they were named; no ``use`` means all.
    apart : sequence of str
        Columns that are neither inputs nor left out, such as the truth beside predictions.
    above : float, optional
        Limit that makes two classes of a target of numbers.
    holdout : float
        Share of the rows to hold out.
    seed : int
    max_rows : int, optional
        Rows to take at most, drawn at random.
    """

    target: str | None
    use: Sequence[str] = ()
    ignore: Sequence[str] = ()
    apart: Sequence[str] = ()
    above: float | None = None
    holdout: float = 0.3
    seed: int = 0
    max_rows: int | None = None


class Dropped(NamedTuple):
    """A column that is not used, and why."""

    name: str
    why: str


@dataclass(frozen=True, eq=False)
class Prepared:
    """Columns and classes to learn from.

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
    n_columns : int
        Columns of that table.
    dropped : tuple of Dropped
    notes : tuple of str
    """

    name: str
    sha256: str | None
    target: str | None
    inputs: pyarrow.Table
    labels: NDArray[Any]
    apart: dict[str, NDArray[Any]]
    held_out: BoolArray
    kept: NDArray[np.intp]
    n_read: int
    n_columns: int
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]

    @property
    def columns(self) -> list[str]:
        """The columns that are used."""
        return list(self.inputs.column_names)

    @property
    def n_used(self) -> int:
        """Rows that are used."""
        return len(self.labels)

    @property
    def scored(self) -> BoolArray:
        """The rows that scores are about: those held out or, where none are, all."""
        return self.held_out if self.held_out.any() else np.ones_like(self.held_out)

    def rows(self, which: BoolArray) -> tuple[pyarrow.Table, NDArray[Any]]:
        """Inputs and classes of some rows."""
        return self.inputs.take(np.flatnonzero(which)), self.labels[which]

    def without_use(self, model: Any) -> tuple[Dropped, ...]:
        """All columns without a use, those included of which a fitted model's encoder could make nothing."""
        return (*self.dropped, *dropped_by(model))


def dropped_by(model: Any) -> tuple[Dropped, ...]:
    """Columns of which a fitted model's encoder could make nothing."""
    found = {} if model.encoder_ is None else model.encoder_.reasons()
    return tuple(Dropped(name, why.text(LEARNED)) for name, why in found.items())


def prepare(source: Source, wish: Wish) -> Prepared:
    """Choose columns and rows of a table, and split the rows.

    Raises
    ------
    InputError
        What was wished for is not there, or there is nothing to learn.
    """
    table = Table(source.table)
    _check_size(table)
    for name in (wish.target, *wish.apart):
        if name is not None and name not in table:
            raise UnknownColumnError(name, table.names, "Name one of them.")
    notes = list(source.notes)
    kept = np.arange(table.n_rows)
    labels: NDArray[Any] = np.full(table.n_rows, "", dtype=object)
    if wish.target is not None:
        column = table.column(wish.target)
        kept = np.flatnonzero(~column.missing)
        if len(kept) < table.n_rows:
            n = table.n_rows - len(kept)
            notes.append(f"{count(n, 'row')} without a value of {wish.target!r} left out.")
        labels = class_labels(column, wish.above)
    if wish.max_rows is not None and wish.max_rows < len(kept):
        notes.append(f"{wish.max_rows} of {count(len(kept), 'row')} taken, drawn at random.")
        kept = np.sort(np.random.default_rng(wish.seed).permutation(kept)[: wish.max_rows])
    labels = labels[kept]
    if wish.target is not None:
        notes += _class_notes(labels, wish)
        notes += filter(None, [spelling_remark(table.column(wish.target))] if wish.above is None else [])
    inputs, dropped, remarks = _inputs(table, kept, wish)
    held_out = split(labels, wish.holdout, wish.seed)
    if wish.holdout and not held_out.any():
        notes.append("Too few rows to hold any out: scores are those of the rows trained on.")
    return Prepared(
        name=source.name,
        sha256=source.sha256,
        target=wish.target,
        inputs=_rows(source.table.select(inputs), kept),
        labels=labels,
        apart={name: table.column(name).values()[kept] for name in wish.apart},
        held_out=held_out,
        kept=kept,
        n_read=table.n_rows,
        n_columns=len(table.names),
        dropped=tuple(dropped),
        notes=(*notes, *remarks),
    )


def _rows(table: pyarrow.Table, kept: NDArray[np.intp]) -> pyarrow.Table:
    return table if len(kept) == table.num_rows else table.take(kept)


def _check_size(table: Table) -> None:
    if table.n_rows < 2:
        raise InputError(f"The table has {count(table.n_rows, 'row')}. At least 2 are needed to compare.")


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
    if column.kind in (Kind.DATE, Kind.OTHER):
        raise InputError(
            f"Column {name!r} holds {column.kind}, which are no classes. Name another one as the target."
        )
    levels = column.levels
    if len(levels) == 1:
        raise InputError(
            f"Column {name!r} is {levels[0]!r} in every row, so there is nothing to explain. "
            "Name a column with two values or more."
        )
    n_values = int(rows[~column.missing].sum())
    few = may_be_classes(column, n_values)
    if not few and column.kind is Kind.NUMBER:
        raise InputError(
            f"Column {name!r} has {len(levels)} different numbers, too many to be classes. "
            f"Ask what makes it large: --above {middle_cut(column, rows):.10g} (half of its values are)."
        )
    if not few:
        raise InputError(
            f"Column {name!r} has {len(levels)} different texts in {count(n_values, 'row')}, too many to be "
            "classes. Name a column with fewer values as the target."
        )
    return labels_of(column)


def _two_sides(column: Column, above: float, rows: IndexArray) -> NDArray[Any]:
    name = column.name
    if column.kind is not Kind.NUMBER:
        raise InputError(f"--above needs a target of numbers. Column {name!r} holds {column.kind}; omit it.")
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


def side_labels(name: str, above: float) -> tuple[str, str]:
    """The two classes that a limit makes of a column of numbers."""
    return f"{name} <= {above:.10g}", f"{name} > {above:.10g}"


def _class_notes(labels: NDArray[Any], wish: Wish) -> Iterator[str]:
    """Remarks on classes that are too rare; one class alone is refused."""
    found, sizes = np.unique(labels, return_counts=True)
    if len(found) < 2:
        raise InputError(
            f"Of column {wish.target!r} only the class {found[0]!r} is left. Take more rows, with --max-rows."
        )
    single = [label for label, size in zip(found.tolist(), sizes, strict=True) if size == 1]
    if single and wish.holdout:
        if len(single) == 1:
            yield f"The class {single[0]!r} has a single row: it is learned, and not scored."
        else:
            yield f"{len(single)} classes have a single row, and are not scored: {listing(single)}."


def _inputs(table: Table, kept: NDArray[np.intp], wish: Wish) -> tuple[list[str], list[Dropped], list[str]]:
    """Columns that can be used, those that cannot, and remarks.

    Reasons speak of all rows. What only the rows that are kept show is said of them.
    """
    part = table.take(kept) if len(kept) < table.n_rows else None
    aside = {wish.target, *wish.apart}
    wanted = named_columns(wish.use, table.names, "--use") or table.names
    ignored = set(named_columns(wish.ignore, table.names, "--ignore"))
    columns = [name for name in wanted if name not in aside and name not in ignored]
    if not columns:
        others = "" if wish.target is None else f" beside {wish.target!r}"
        raise InputError(f"There is no column to learn from{others}. Pass a table with more columns.")
    used: list[str] = []
    remarks: list[str] = []
    dropped = [Dropped(name, "left out by --ignore") for name in table.names if name in ignored - aside]
    for name in columns:
        _, why, remark = reading_of(table, name)
        if not why and part is not None and (reason := reading_of(part, name)[0]) is not None:
            why = reason.text(LEARNED)
        if why:
            dropped.append(Dropped(name, why))
            continue
        used.append(name)
        remarks += filter(None, (remark, spelling_remark(table.column(name))))
    if not used:
        first = next(each for each in dropped if each.name == columns[0])
        more = f", and so on for {len(columns)} columns" if len(columns) > 1 else ""
        raise InputError(
            f"No column can be used: {first.name!r}: {first.why}{more}. Pass columns whose values differ."
        )
    return used, dropped, remarks


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
