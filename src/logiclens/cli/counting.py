"""From files in an engine to rows to learn from and rows to score on, counted there.

This is what :mod:`logiclens.cli.preparing` does with rows at hand, by the same rules of thumb and in the same
words. The engine counts; what comes out are classes, a few rows to look at, and counts of the values of
columns that those rows say nothing of.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from logiclens.cli.choices import named_columns
from logiclens.cli.looking import reading_of, why_not
from logiclens.cli.preparing import Dropped, Wish, class_labels, side_labels
from logiclens.concepts._columns import look_at, spelling_remark
from logiclens.concepts.concept import value_text
from logiclens.concepts.table import Column, Kind, infinite_value, read_array, read_series
from logiclens.concepts.table import Table as Cells
from logiclens.errors import ColumnError, InputError, UnknownColumnError, count, listing
from logiclens.explain.rule import Label
from logiclens.scale._engine import Expression, Table, check_columns, fetch, ibis_module
from logiclens.scale._expressions import as_number, float_literal, is_missing, kind_of, label_literal
from logiclens.scale._histograms import histogram, summarize_columns
from logiclens.scale._numbered_rows import NumberedRows
from logiclens.scale._training_rows import Totals, check_rows, count_rows

LOOKED_AT = 10_000
"""Rows that are looked at first: they can show that a column is of use; that it is of none, all must show."""
_MOST_VALUES = 1 << 16  # of a target that are counted
_LABEL, _HELD = "logiclens class", "logiclens held out"  # columns that are added


@dataclass(frozen=True, eq=False)
class Counted:
    """Columns and classes to learn from, in an engine.

    Attributes
    ----------
    name : str
        What was read: a file, a folder or a pattern.
    target : str
    table : ibis.Table
        The rows that have a class.
    label : str
        The column of the classes.
    held_out : Ibis expression
        Whether a row is held out.
    columns : tuple of str
        The columns that are used.
    n_read : int
        Rows of the files.
    sizes : dict of label to (int, int)
        Rows of each class trained on, and held out.
    dropped : tuple of Dropped
    notes : tuple of str
    sha256 : None
        Files in an engine have no checksum.
    """

    name: str
    target: str
    table: Table
    label: str
    held_out: Expression
    columns: tuple[str, ...]
    n_read: int
    sizes: dict[Label, tuple[int, int]]
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    sha256: None = None

    @property
    def n_train(self) -> int:
        """Rows trained on."""
        return sum(train for train, _ in self.sizes.values())

    @property
    def n_held(self) -> int:
        """Rows held out."""
        return sum(held for _, held in self.sizes.values())

    @property
    def n_used(self) -> int:
        """Rows that have a class."""
        return self.n_train + self.n_held

    @property
    def trained_on(self) -> Table:
        """The rows trained on."""
        return self.table.filter(~self.held_out) if self.n_held else self.table

    @property
    def scored(self) -> Table:
        """The rows that scores are about: those held out or, where none are, all."""
        return self.table.filter(self.held_out) if self.n_held else self.table


def count_table(rows: NumberedRows, name: str, wish: Wish) -> Counted:
    """Choose columns and rows of a table in an engine, and split the rows.

    Parameters
    ----------
    rows : NumberedRows
    name : str
        What was read.
    wish : Wish
        Without columns that are kept apart, and without a limit of rows.

    Raises
    ------
    InputError
        What was wished for is not there, or there is nothing to learn.
    """
    named = wish.target or ""
    if named not in rows.columns:
        raise UnknownColumnError(named, rows.columns, "Name one of them.")
    check_columns(rows.table, rows.columns)
    n_rows = int(fetch(rows.table.count(), "Counting rows").as_py())
    if n_rows < 2:
        raise InputError(f"The table has {count(n_rows, 'row')}. At least 2 are needed to compare.")
    target = _Target.of(rows.table, named, wish.above)
    notes = [*rows.notes]
    if target.n_missing:
        notes.append(f"{count(target.n_missing, 'row')} without a value of {named!r} left out.")
    held = rows.is_drawn(wish.holdout, wish.seed)
    table = rows.table.mutate(target.label.name(_LABEL), held.name(_HELD)).filter(
        ~is_missing(rows.table[named])
    )
    sizes, lost = _sizes(table)
    held_out = table[_HELD]
    if lost:
        held_out &= ~table[_LABEL].isin([label_literal(label) for label in lost])
    if wish.holdout:
        notes += _unscored(sizes)
    notes += target.remarks
    columns, dropped, remarks = _inputs(rows.table, rows.columns, wish)
    return Counted(
        name=name,
        target=named,
        table=table,
        label=_LABEL,
        held_out=held_out,
        columns=columns,
        n_read=n_rows,
        sizes=sizes,
        dropped=dropped,
        notes=(*notes, *remarks),
    )


@dataclass(frozen=True)
class _Target:
    """The classes: an expression, rows without one, and remarks."""

    label: Expression
    n_missing: int
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: Table, name: str, above: float | None) -> _Target:
        column = table[name]
        if above is not None:
            return cls._of_sides(table, name, above)
        if kind_of(column) in (Kind.DATE, Kind.OTHER):
            raise InputError(
                f"Column {name!r} holds {kind_of(column)}, which are no classes. "
                "Name another one as the target."
            )
        values, rows, complete = values_of(table, name)
        if not complete:
            _refuse_many(table, values)
        labels = class_labels(values, counts=rows)
        label = _label(column, values, labels)
        return cls(label, int(rows[values.missing].sum()), (*filter(None, [spelling_remark(values)]),))

    @classmethod
    def _of_sides(cls, table: Table, name: str, above: float) -> _Target:
        column = table[name]
        if kind_of(column) is not Kind.NUMBER:
            raise InputError(
                f"--above needs a target of numbers. Column {name!r} holds {kind_of(column)}; omit it."
            )
        missing, numbers = is_missing(column), as_number(column)
        larger = (numbers > float_literal(above)) & ~missing
        there = ~missing
        asked = {
            "n": table.count(),
            "missing": missing.sum(),
            "larger": larger.sum(),
            "low": numbers.min(where=there),
            "high": numbers.max(where=there),
        }
        found = fetch(table.aggregate(**asked), f"Looking at {name!r}").to_pylist()[0]
        n_rows, n_missing, n_larger = (int(found[each] or 0) for each in ("n", "missing", "larger"))
        if n_missing == n_rows or n_larger in (0, n_rows - n_missing):
            values = values_of(table, name)[0]
            ends = [end for end in (found["low"], found["high"]) if end is not None]
            both = np.concatenate([values.numbers()[~values.missing], np.array(ends, dtype=np.float64)])
            class_labels(read_array(both if len(both) else np.array([np.nan]), name), above)  # refuses it
        low, high = map(label_literal, side_labels(name, above))
        return cls(larger.ifelse(high, low), n_missing)


def values_of(table: Table, name: str) -> tuple[Column, Any, bool]:
    """Distinct values of a column, the number of rows that have each, and whether these are all of them."""
    column = table[name]
    plain = as_number(column) if column.type().is_decimal() else column
    keyed = table.select(v=plain)
    query = keyed.group_by("v").aggregate(n=keyed.count()).limit(_MOST_VALUES + 1)
    found = fetch(query, f"Counting the values of {name!r}")
    found = found.sort_by("v")
    values = read_series(nw.from_native(found.column("v"), series_only=True), name)
    return values, found.column("n").to_numpy().astype(np.intp), len(found) <= _MOST_VALUES


def _refuse_many(table: Table, values: Column) -> None:
    if values.kind is Kind.NUMBER:
        numbers = table.filter(~is_missing(table[values.name])).select(v=as_number(table[values.name]))
        middle = fetch(numbers.aggregate(m=numbers["v"].approx_median()), f"Looking at {values.name!r}")
        limit = value_text(float(f"{middle.column('m')[0].as_py():.3g}"))
        raise InputError(
            f"Column {values.name!r} has more than {_MOST_VALUES} different numbers, too many to be classes. "
            f"Ask what makes it large: --above {limit} (about half of its values are)."
        )
    raise InputError(
        f"Column {values.name!r} has more than {_MOST_VALUES} different texts, too many to be classes. "
        "Name a column with fewer values as the target."
    )


def _label(column: Expression, values: Column, labels: Any) -> Expression:
    """The classes of a column, as an expression."""
    if values.kind is not Kind.NUMBER:
        return column
    if labels.dtype.kind == "i":
        # No engine turns NaN into a whole number.
        return is_missing(column).ifelse(ibis_module().null("float64"), as_number(column)).cast("int64")
    return label_of(column, values, labels.tolist())


def label_of(column: Expression, values: Column, labels: Sequence[Label]) -> Expression:
    """The label of each number of a column, as an expression.

    Parameters
    ----------
    column : Ibis expression
    values : Column, n values
    labels : sequence of label
        One for each value.
    """
    ibis = ibis_module()
    numbers = as_number(column)
    pairs = {float(level): label for level, label in zip(values.raw, labels, strict=True)}
    cases = [
        (numbers == float_literal(level), label_literal(label))
        for level, label in pairs.items()
        if level == level
    ]
    return ibis.cases(*cases, else_=ibis.null("string"))


def _sizes(table: Table) -> tuple[dict[Label, tuple[int, int]], list[Label]]:
    """Rows of each class trained on and held out, and classes of which all rows would be held out."""
    query = table.group_by([_LABEL, _HELD]).aggregate(n=table.count())
    found = fetch(query, "Counting classes").to_pylist()
    sizes: dict[Label, list[int]] = {}
    for row in sorted(found, key=lambda row: row[_LABEL]):
        sizes.setdefault(row[_LABEL], [0, 0])[bool(row[_HELD])] += int(row["n"])
    lost = [label for label, (train, _) in sizes.items() if not train]
    whole = {label: (train or held, held if train else 0) for label, (train, held) in sizes.items()}
    return whole, lost


def _unscored(sizes: dict[Label, tuple[int, int]]) -> Iterable[str]:
    """Remarks on classes without rows to score on."""
    if not any(held for _, held in sizes.values()):
        yield "Too few rows to hold any out: scores are those of the rows trained on."
        return
    none = [label for label, (_, held) in sizes.items() if not held]
    if len(none) == 1:
        n = sizes[none[0]][0]
        rows = "a single row" if n == 1 else f"{n} rows, none of them held out"
        yield f"The class {none[0]!r} has {rows}: it is learned, and not scored."
    elif none:
        yield f"{len(none)} classes have no row held out, and are not scored: {listing(none)}."


def _inputs(
    table: Table, names: Sequence[str], wish: Wish
) -> tuple[tuple[str, ...], tuple[Dropped, ...], list[str]]:
    """Columns that can be used, those that cannot, and remarks."""
    wanted = named_columns(wish.use, names, "--use") or tuple(names)
    ignored = set(named_columns(wish.ignore, names, "--ignore"))
    columns = [name for name in wanted if name != wish.target and name not in ignored]
    if not columns:
        raise InputError(
            f"There is no column to learn from beside {wish.target!r}. Pass a table with more columns."
        )
    dropped = [
        Dropped(name, "left out by --ignore") for name in names if name in ignored and name != wish.target
    ]
    looking = _Looking(table, columns)
    used, remarks = [], []
    for name in columns:
        why, remark = looking.at(name)
        if why:
            dropped.append(Dropped(name, why))
            continue
        used.append(name)
        remarks += remark
    if not used:
        first = next(each for each in dropped if each.name == columns[0])
        more = f", and so on for {len(columns)} columns" if len(columns) > 1 else ""
        raise InputError(
            f"No column can be used: {first.name!r}: {first.why}{more}. Pass columns whose values differ."
        )
    return tuple(used), tuple(dropped), remarks


class _Looking:
    """Looks at columns: at a few rows first, and at all where those do not show that a column is of use."""

    def __init__(self, table: Table, columns: Sequence[str]) -> None:
        self.table = table
        self.infinite = _infinite(table, columns)
        plain = [name for name in columns if kind_of(table[name]) not in (Kind.DATE, Kind.OTHER)]
        self.few: Cells | None = None
        if plain:
            query = table.select(**{f"c{at}": table[name] for at, name in enumerate(plain)})
            found = fetch(query.limit(LOOKED_AT), "Looking at the columns")
            self.few = Cells(found.rename_columns(plain))
        self._totals: Totals | None = None

    def at(self, name: str) -> tuple[str, list[str]]:
        """Why a column cannot be used, empty when it can, and remarks on one that can."""
        if name in self.infinite:
            return str(infinite_value(self.infinite[name])), []
        if self.few is not None and name in self.few:
            _, why, remark = reading_of(self.few, name)
            if why and self.few.n_rows == LOOKED_AT:
                why, remark = self._at_all(name)
            if why:
                return why, []
            told = [f"Column {name!r} has numbers written as text: they count as text."] if remark else []
            return "", [*told, *filter(None, [spelling_remark(self.few.column(name))])]
        return self._at_all(name)[0], []

    def _at_all(self, name: str) -> tuple[str, str]:
        rows = check_rows(self.table, None, [name])
        if self._totals is None:
            self._totals = count_rows(rows)
        try:
            found = histogram(rows, self._totals, summarize_columns(rows)[0])
        except ColumnError as error:
            return str(error.reason), ""
        return why_not(look_at(found.column, found.evidence), found.column, found.evidence), ""


def _infinite(table: Table, columns: Sequence[str]) -> dict[str, float]:
    """Columns with infinite values, each with one of them."""
    floats = [name for name in columns if table[name].type().is_floating()]
    if not floats:
        return {}
    asked = {}
    for at, name in enumerate(floats):
        numbers = as_number(table[name])
        asked[f"high{at}"] = (numbers == float_literal(np.inf)).sum()
        asked[f"low{at}"] = (numbers == float_literal(-np.inf)).sum()
    found = fetch(table.aggregate(**asked), "Looking at the columns").to_pylist()[0]
    ends = {"high": np.inf, "low": -np.inf}
    return {name: ends[end] for end in ends for at, name in enumerate(floats) if found[f"{end}{at}"]}
