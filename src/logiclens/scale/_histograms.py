"""Histograms of columns in an engine: how often each value goes with each class.

The engine counts, with one GROUP BY for each column, by value and target. The result is a small column, each
value once for each class, with the counts as weights. What concepts become of it is decided as in memory, in
:mod:`logiclens.concepts._columns`, so they are those that NumPy finds on the same rows.

Numbers of more than :data:`MOST_VALUES` distinct values are counted in bins, each class in each bin standing
for its largest value there; of texts with more values the most common ones are used. Bins are narrow where
there are many rows: the range is divided evenly, and counted in one pass; a bin that holds too many of the
rows is divided again, over the range of its own values, until none does. So an outlier does not spoil the
rest, and no engine has to sort. Each value lies in one bin, in order; the least value has one of its own.

A table has no order here: whole numbers from 0 or 1 on that stand in one row each are row numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from logiclens.concepts._columns import (
    ColumnSettings,
    Evidence,
    Extent,
    Reading,
    nested_values,
    read_column,
    refuse_kind,
)
from logiclens.concepts.encoder import ConceptEncoder
from logiclens.concepts.table import Column, Kind, infinite_value, read_array, read_series
from logiclens.errors import ColumnError, InputError
from logiclens.scale._engine import Expression, Table, fetch, ibis_module
from logiclens.scale._expressions import as_number, float_literal, is_missing, kind_of
from logiclens.scale._training_rows import Totals, TrainingRows, numbers_of

MOST_VALUES = 1 << 16
"""Distinct values of a column that are counted one by one."""
_SURELY_MORE = 2 * MOST_VALUES  # by a number that the engine only estimates
_EXACTLY = 1 << 24  # rows up to which distinct values are counted, not estimated
_NEARLY_ALL = 0.9  # a share of distinct values, estimated, that is as good as all
_LOOKED_AT = 100  # values that are fetched to say what is wrong with a column


@dataclass(frozen=True)
class ColumnSummary:
    """A few numbers about a column, of rows that weigh something.

    Attributes
    ----------
    name : str
    kind : Kind
    rows : int
        All rows.
    present : int
        Rows with a value.
    values : int
        Distinct values, as the engine estimates them.
    low, high : float
        Least and greatest number; NaN where there is none.
    only_flags : bool
        Whether there are Booleans, or no other numbers than 0 and 1.
    """

    name: str
    kind: Kind
    rows: int
    present: int
    values: int
    low: float
    high: float
    only_flags: bool

    def sketch(self) -> Column:
        """A column with the same least and greatest value, and a gap if there is one."""
        gap = self.present < self.rows
        ends = np.array([self.low, self.high, self.low])
        missing = np.array([False, False, gap]) | (self.present == 0)
        return Column(self.name, self.kind if self.present else Kind.NUMBER, missing, ends)


def summarize_columns(rows: TrainingRows) -> list[ColumnSummary]:
    """A few numbers about each column, in one pass.

    Raises
    ------
    InputError
        A column has infinite values.
    """
    table = rows.weighted
    kinds = {name: kind_of(table[name]) for name in rows.columns}
    aggregates: dict[str, Expression] = {}
    for at, (name, kind) in enumerate(kinds.items()):
        column = table[name]
        if column.type().is_null():
            continue
        missing = is_missing(column)
        aggregates[f"present{at}"] = (~missing).sum() if column.type().is_floating() else column.count()
        if kind in (Kind.NUMBER, Kind.TEXT):
            aggregates[f"values{at}"] = column.approx_nunique()
        if kind is Kind.NUMBER:
            numbers = missing.ifelse(ibis_module().null("float64"), as_number(column))
            other = (numbers != float_literal(0)) & (numbers != float_literal(1))
            aggregates |= {f"low{at}": numbers.min(), f"high{at}": numbers.max(), f"other{at}": other.sum()}
    found = fetch(table.aggregate(n=table.count(), **aggregates), "Looking at the columns").to_pylist()[0]
    summaries = []
    for at, (name, kind) in enumerate(kinds.items()):
        ends = [found.get(f"{end}{at}") for end in ("low", "high")]
        low, high = (np.nan if end is None else float(end) for end in ends)
        if np.isinf([low, high]).any():
            wrong = low if np.isinf(low) else high
            raise ColumnError(name, infinite_value(wrong), droppable=False)
        if kind is Kind.BOOLEAN:
            low, high = 0.0, 1.0
        flags = kind is Kind.BOOLEAN or (f"other{at}" in found and not found[f"other{at}"])
        present = int(found.get(f"present{at}") or 0)
        values = int(found.get(f"values{at}") or 0)
        summaries.append(ColumnSummary(name, kind, found["n"], present, values, low, high, flags))
    return summaries


@dataclass(frozen=True, eq=False)
class Histogram:
    """The values of a column, each once for each class, and how often they occur.

    Attributes
    ----------
    column : Column
        Values, n of them.
    evidence : Evidence
        Their weights and classes, and the extent of the whole column.
    """

    column: Column
    evidence: Evidence

    def read(self, recipe: ColumnSettings, encoder: ConceptEncoder) -> Reading:
        """Concepts of the column, or why it has none."""
        codes, is_reference = self.evidence.codes, None
        if codes is not None and encoder.reference is not None:
            is_reference = encoder.is_reference([read_array(each, "y") for each in codes.T])
        return read_column(self.column, recipe, replace(self.evidence, is_reference=is_reference))


def histogram(rows: TrainingRows, totals: Totals, summary: ColumnSummary) -> Histogram:
    """Count the values of a column by class.

    Parameters
    ----------
    rows : TrainingRows
    totals : Totals
        What the rows add up to.
    summary : ColumnSummary
        What is known of the column.

    Raises
    ------
    InputError
        The column holds dates, nested values or other things that are no concepts.
    """
    column = rows.weighted[summary.name]
    many = summary.values > _SURELY_MORE
    found: Any = None
    no_concepts = summary.kind in (Kind.DATE, Kind.OTHER)
    if no_concepts and summary.present:
        raise _no_concepts(rows, summary.name)
    if no_concepts or column.type().is_null():
        column = ibis_module().null("float64")
    elif column.type().is_decimal():
        column = as_number(column)
    if not many:
        query = rows.count_by(rows.select_keys(rows.weighted, v=column), ["v"], by_targets=totals.by_targets)
        found = fetch(query, f"Counting the values of {summary.name!r}")
        many = len(found.column("v").unique()) > MOST_VALUES
    if many and summary.kind is Kind.TEXT:
        found = _most_common(rows, totals, summary.name)
    elif many:
        numbers = is_missing(column).ifelse(ibis_module().null("float64"), as_number(column))
        found = bin_counts(rows, numbers, summary.low, summary.high, by_targets=totals.by_targets)
    places, weights, codes = totals.expand(rows, found)
    values = read_series(nw.from_native(found.column("v"), series_only=True), summary.name)
    lines = np.unique(places)
    counts, missing = numbers_of(found, "n")[lines], values.missing[lines]
    n_rows, present = int(counts.sum()), int(counts[~missing].sum())
    if many:  # not all texts were counted
        n_rows, present = summary.rows, summary.present
    column = values.take(places)
    extent = Extent(n_rows, present, len(column.levels))
    if many and present <= _EXACTLY:
        exactly = fetch(
            rows.weighted[summary.name].nunique(), f"Counting the values of {summary.name!r}"
        ).as_py()
        extent = replace(extent, values=exactly)
    elif many:
        once = summary.kind is Kind.TEXT and numbers_of(found, "k").max(initial=0) == 1
        extent = replace(extent, values=present if once else min(summary.values, present - 1))
    return Histogram(column, Evidence(weights, codes, extent=_with_first_number(column, extent)))


def _with_first_number(column: Column, extent: Extent) -> Extent:
    """The extent with its first number, where whole numbers from 0 or 1 on stand in one row each."""
    least = extent.rows if extent.rows <= _EXACTLY else _NEARLY_ALL * extent.rows
    if not column.is_numeric or extent.present < extent.rows or extent.values < least:
        return extent
    numbers = np.array(column.levels, dtype=np.float64)
    numbered = numbers[0] in (0, 1) and numbers[-1] - numbers[0] + 1 == extent.rows
    if numbered and (numbers == np.round(numbers)).all():
        return replace(extent, first_number=float(numbers[0]))
    return extent


def _most_common(rows: TrainingRows, totals: Totals, name: str) -> Any:
    """Counts of the most common texts, each with the rows that have it (``k``), and of rows without one."""
    import pyarrow as pa

    ibis = ibis_module()
    keyed = rows.select_keys(rows.weighted, v=rows.weighted[name])
    there = keyed.filter(keyed["v"].notnull())
    common = there.group_by("v").aggregate(k=there.count())
    common = common.order_by([ibis.desc("k"), "v"]).limit(MOST_VALUES).rename(of="v")
    joined = there.join(common, there["v"] == common["of"])
    gaps = keyed.filter(keyed["v"].isnull())
    parts = [
        fetch(
            rows.count_by(part, ["v"], by_targets=totals.by_targets, k=k), f"Counting the values of {name!r}"
        )
        for part, k in ((joined, joined["k"].max()), (gaps, gaps.count()))
    ]
    return pa.concat_tables([part.cast(parts[0].schema) for part in parts])


def _no_concepts(rows: TrainingRows, name: str) -> InputError:
    """The error for a column of dates or of nested values, as in memory."""
    cells = rows.weighted[name]
    if kind_of(cells) is Kind.DATE:  # some of them cannot be fetched
        column = Column(name, Kind.DATE, np.zeros(1, dtype=np.bool_), np.zeros(1, dtype=object))
    else:
        found = fetch(
            rows.weighted.select(v=cells).filter(cells.notnull()).limit(_LOOKED_AT), f"Looking at {name!r}"
        )
        column = read_series(nw.from_native(found.column("v"), series_only=True), name)
    try:
        refuse_kind(column)
    except InputError as error:
        return error
    return nested_values(name, f"{cells.type()}")


# Bins, where there are too many values


FINENESS = 1 << 12
"""A bin of more than one in so many rows is divided, unless it holds a single value."""
_FIRST = 1 << 14  # bins at first, and about as many in each later pass
_LEAST = 16  # parts that a bin is divided into
_PASSES = 8


def bin_counts(rows: TrainingRows, values: Expression, low: float, high: float, *, by_targets: bool) -> Any:
    """Count rows by bin and target.

    Parameters
    ----------
    rows : TrainingRows
    values : expression
        Numbers of rows of ``rows.weighted``, NULL where one is missing.
    low, high : float
        The least and the greatest of them.
    by_targets : bool
        Whether to count by the classes of the target.

    Returns
    -------
    pyarrow.Table
        As :meth:`TrainingRows.count_by` has it, with the largest number in the column ``v``, NULL for rows
        without one: that of each class in each bin, so that a clear border between classes stays where it is.
    """
    import pyarrow as pa

    ibis = ibis_module()
    keyed = rows.select_keys(rows.weighted, v=values)
    done = [
        fetch(rows.count_by(keyed.filter(keyed["v"].isnull()), ["v"], by_targets=by_targets), "Counting gaps")
    ]
    edges = pa.table(
        {"bin": np.zeros(1, np.int64), "low": [low], "step": [_step(low, high, _FIRST)], "start": [0]}
    )
    keyed = keyed.filter(keyed["v"].notnull()).mutate(bin=ibis.literal(0, type="int64"))
    total: float | None = None
    for last in (at == _PASSES - 1 for at in range(_PASSES)):
        keyed = _split_bins(keyed, edges)
        query = rows.count_by(
            keyed, ["bin"], by_targets=by_targets, low=keyed["v"].min(), high=keyed["v"].max()
        )
        part = fetch(query, "Counting numbers in bins")
        bins, place = np.unique(numbers_of(part, "bin").astype(np.int64), return_inverse=True)
        counts = np.bincount(place, numbers_of(part, "s"), minlength=len(bins))
        least, greatest = np.full(len(bins), np.inf), np.full(len(bins), -np.inf)
        np.minimum.at(least, place, numbers_of(part, "low"))
        np.maximum.at(greatest, place, numbers_of(part, "high"))
        total = float(counts.sum()) if total is None else total
        heavy = (counts * FINENESS > total) & (least < greatest) & (not last)
        kept = ~heavy[place]
        part = part.append_column("v", part.column("high")).filter(pa.array(kept))
        done.append(part.drop_columns(["bin", "low", "high"]))
        if not heavy.any():
            break
        n_parts = max(_LEAST, _FIRST // int(heavy.sum()))
        ends = zip(least[heavy], greatest[heavy], strict=True)
        edges = pa.table(
            {
                "bin": bins[heavy],
                "low": least[heavy],
                "step": [_step(a, b, n_parts) for a, b in ends],
                "start": np.arange(int(heavy.sum()), dtype=np.int64) * (n_parts + 2),
            }
        )
    names = done[-1].column_names
    schema = done[-1].schema
    return pa.concat_tables([part.select(names).cast(schema) for part in done])


def _step(low: float, high: float, n_parts: int) -> float:
    return float(high / n_parts - low / n_parts) or 1.0  # the difference may be too large for a float


def _split_bins(keyed: Table, edges: Any) -> Table:
    """The rows of some bins, with the number of the smaller bin that each is in."""
    ibis = ibis_module()
    right = ibis.memtable(edges).rename(of="bin")
    joined = keyed.join(right, keyed["bin"] == right["of"])
    place = (joined["v"] / joined["step"] - joined["low"] / joined["step"]).floor().cast("int64")
    place = (joined["v"] > joined["low"]).ifelse(place + 1, 0) + joined["start"]
    return joined.mutate(bin=place).drop("of", "low", "step", "start")
