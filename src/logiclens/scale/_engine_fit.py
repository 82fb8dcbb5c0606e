"""Fit a classifier on a table in an engine: the engine collapses the table, the rest is the ordinary fit.

Concepts are learned from counts (:mod:`logiclens.scale._histograms`), rows become distinct tuples of concepts
with how often they occur (:mod:`logiclens.scale._collapse`), and a row of weight 3 is three rows to every
classifier. So the result is that of a fit on all rows, and what leaves the engine is the collapsed table.

Columns of Booleans, and of 0 and 1, are collapsed as they are, with their gaps, and encoded afterwards: one
pass takes all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone

from logiclens.concepts._columns import ColumnSettings, Evidence, Extent, Reading, read_column
from logiclens.concepts.concept import Value
from logiclens.concepts.dates import DatePart, first_day
from logiclens.concepts.encoder import ConceptEncoder, encoder_for
from logiclens.concepts.table import Column, Kind, check_tells_apart
from logiclens.errors import InputError, LimitError, listing, shown
from logiclens.estimators._parameters import seed_of
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.groups import group_copies
from logiclens.estimators.inputs_and_targets import Inputs, Targets
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import ROUNDING, check_count
from logiclens.scale._collapse import MOST_ROWS, CollapsedRows, check_max_rows, collapse
from logiclens.scale._engine import Expression, Table, fetch
from logiclens.scale._expressions import (
    concept_expression,
    is_missing,
    part_expression,
    refuse_gaps,
    truth_expression,
    with_parts,
    without_gaps,
)
from logiclens.scale._histograms import ColumnSummary, histogram, summarize_columns
from logiclens.scale._training_rows import Totals, TrainingRows, check_rows, count_rows

MOST_OUTPUTS = 1 << 27
"""Distinct rows times classes that are learned at most: a gigabyte."""

E = TypeVar("E", bound=LENClassifier)


def fit(
    estimator: E,
    table: Table,
    target: str | Sequence[str],
    *,
    columns: Sequence[str] | None = None,
    weights: str | None = None,
    sample: int | None = None,
    max_rows: int = MOST_ROWS,
    copies: bool = False,
) -> E:
    """Fit a classifier on a table in an engine, as on the same rows in memory.

    Parameters
    ----------
    estimator : classifier of this package
        It is fitted, and returned.
    table : ibis.Table
        Raw columns, or concepts.
    target : str, or sequence of str
        The column of labels; or several columns of outputs, 0 and 1 or in [0, 1], any of which may be true.
        Decimals count as floats; in memory they are refused.
    columns : sequence of str, optional
        What to learn from; all but the target and the weights when missing.
    weights : str, optional
        Column of non-negative weights: a row of weight 2 counts as two rows, one of weight 0 as none. The
        latter is not read; in memory, an infinite number is refused even there. Weights that are not
        whole are rounded, tuple by tuple, to the rows that they stand for, where there are more rows than
        ``max_rows``.
    sample : int, optional
        Learn from about this many rows, which the engine draws and hands out as they are.
    max_rows : int, default 2**20
        The most distinct combinations of concepts and target that are fetched from the engine.
    copies : bool, default False
        Whether the table has copies of rows. Then rows that are equal in all concepts are held out together,
        so that scores and the choice of a length are about rows that were not seen before.

    Returns
    -------
    estimator
        The same, fitted.

    Raises
    ------
    LimitError
        There are more distinct combinations, or columns of scores, which do not collapse by yes and no.

    Examples
    --------
    >>> import ibis
    >>> import pyarrow as pa
    >>> from logiclens import MuClassifier
    >>> bird, penguin = [True, True, False, False] * 25, [True, False, False, False] * 25
    >>> flies = [a and not b for a, b in zip(bird, penguin)]
    >>> table = ibis.memtable(pa.table({"bird": bird, "penguin": penguin, "flies": flies}))
    >>> print(fit(MuClassifier(random_state=0), table, "flies").explain()[True].formula)
    bird & ~penguin
    """
    if not isinstance(estimator, LENClassifier):
        raise InputError(
            f"scale.fit needs a classifier of this package, such as MuClassifier(). Got {shown(estimator)}."
        )
    estimator.check_settings()
    check_max_rows(max_rows)
    if target is None:
        raise InputError("target must be the name of a column, or several in a list. Got None.")
    rows = check_rows(table, target, columns, weights)
    if sample is not None:
        drawn = _draw_sample(rows, sample, seed_of(estimator.random_state))
        places = [f"c{at}" for at in range(len(rows.columns))]
        frame = drawn.select(places).rename_columns(list(rows.columns))
        groups = group_copies(frame) if copies else None
        weight = None if weights is None else drawn.column("w")
        return estimator.fit(frame, rows.answers(drawn), weight, groups=groups)
    return estimator.fit_inputs(*_read_collapsed(estimator, rows, max_rows, copies))


def _draw_sample(rows: TrainingRows, sample: int, seed: int) -> Any:
    """About so many of the rows, a pyarrow table of columns (``c0``, ...), targets and weights."""
    if check_count(sample, "sample", ", or None for all rows") == 0:
        raise InputError("sample must be at least 1, or None for all rows. Got 0.")
    columns = {f"c{at}": rows.table[name] for at, name in enumerate(rows.columns)}
    drawn = rows.select_keys(rows.table, **columns)
    n_rows = fetch(drawn.count(), "Counting rows").as_py()
    if sample < n_rows:
        drawn = drawn.sample(sample / n_rows, method="row", seed=seed % 2**31)
    return fetch(drawn, "Drawing a sample")


def _read_collapsed(
    estimator: LENClassifier, rows: TrainingRows, max_rows: int, copies: bool
) -> tuple[Inputs, Targets, FloatArray]:
    """Concepts, targets and weights of the collapsed table."""
    named: tuple[str, ...] = rows.columns
    parts: tuple[DatePart, ...] = ()
    recipe: ColumnSettings | None = None
    if isinstance(estimator.encoder, ConceptEncoder):
        settings = estimator.encoder.recipe(has_targets=bool(rows.targets))
        recipe, parts = settings.of_table(named, partial(_first_day, rows))
        table = with_parts(without_gaps(rows.table, recipe.gaps), parts)
        by_column = ([part.name for part in parts if part.column == name] or [name] for name in named)
        rows = replace(rows, table=table, columns=tuple(chain.from_iterable(by_column)))
    totals, summaries = count_rows(rows), summarize_columns(rows)
    encoder = _encoder(estimator.encoder, summaries)
    readings: dict[str, Reading] = {}
    if encoder is None:
        _refuse_scores(rows, summaries)
    else:
        recipe = recipe or encoder.recipe(has_targets=bool(rows.targets)).of_columns(rows.columns)
        readings = _read_columns(encoder, recipe, rows, totals, summaries)
    bits: list[Expression] = []
    places: dict[str, int] = {}
    for each in summaries:
        places[each.name] = len(bits)
        if each.name in readings:
            bits += [concept_expression(rows.table, it) for it in readings[each.name].concepts]
        else:
            bits.append(truth_expression(rows.table, each.name))
            bits += [is_missing(rows.table[each.name])] * (each.present < each.rows)
    one_by_one = estimator.row_by_row
    if one_by_one and totals.all_rows > max_rows:
        raise LimitError(
            f"The reference settings look at rows one by one, and there are {totals.all_rows}, more than "
            f"{max_rows}.",
            "Use a classifier without them, or a sample of the rows (sample=100000).",
        )
    whole = (totals.are_counts and not one_by_one) or totals.all_rows > max_rows
    collapsed = collapse(rows, bits, max_rows, by_weight=not whole and rows.weights is not None)
    if not whole:
        collapsed = _row_by_row(collapsed, rows)
    n_classes = 1 if totals.targets is None else len(totals.targets.labels)
    if len(collapsed.bits) * n_classes > MOST_OUTPUTS:
        raise LimitError(
            f"{n_classes} classes on {len(collapsed.bits)} distinct rows are too many to learn.",
            "Name a target of fewer classes, fewer columns (columns=), or draw rows (sample=).",
        )
    any_concept = np.zeros((len(collapsed.bits), 1), dtype=np.bool_)  # only their number is read
    targets, weight = estimator.read_data(any_concept, rows.answers(collapsed.found), collapsed.sums)
    if copies:
        targets = replace(targets, groups=collapsed.tuples())
    if whole and not totals.are_counts:
        weight = np.round(weight * (totals.effective / totals.weight))
    if encoder is None:
        return Inputs(collapsed.bits.astype(np.float64), rows.columns, True, rows.columns), targets, weight
    assert recipe is not None
    truths: list[BoolArray] = []
    for each in summaries:
        start = places[each.name]
        if each.only_flags:
            flags = _flags(collapsed, each, start)
            readings[each.name] = _read_flags(flags, collapsed, recipe)
            truths += [concept.truth(flags) for concept in readings[each.name].concepts]
        else:
            truths += [*collapsed.bits[:, start : start + len(readings[each.name].concepts)].T]
    encoder.adopt([readings[name] for name in rows.columns], named, parts=parts)
    words = encoder.vocabulary_
    values = np.column_stack(truths).astype(np.float64)
    return Inputs(values, words.names, True, words.columns, words, encoder), targets, weight


def _read_columns(
    encoder: ConceptEncoder,
    recipe: ColumnSettings,
    rows: TrainingRows,
    totals: Totals,
    summaries: Sequence[ColumnSummary],
) -> dict[str, Reading]:
    """Concepts of the columns that are no flags, from counts of their values."""
    check_tells_apart(totals.rows, rows.columns)
    counted = [each for each in summaries if not each.only_flags]
    return {each.name: histogram(rows, totals, each).read(recipe, encoder) for each in counted}


def _first_day(rows: TrainingRows, name: str, gaps: Sequence[Value]) -> str:
    """The first day of the earliest year of a column of dates that weighs something."""
    part = DatePart(name, "year", gaps=tuple(gap for gap in gaps if isinstance(gap, str)))
    years = rows.weighted.select(v=part_expression(rows.weighted[name], part))
    found = fetch(years.aggregate(first=years["v"].min()), f"Looking at {name!r}").column("first")[0].as_py()
    return first_day(2000 if found is None else found)


def _flags(collapsed: CollapsedRows, summary: ColumnSummary, at: int) -> Column:
    """A column of Booleans, or of 0 and 1, on the collapsed rows, from its bit and that of its gaps."""
    truth = collapsed.bits[:, at]
    complete = summary.present == summary.rows
    missing = np.zeros(len(truth), dtype=np.bool_) if complete else collapsed.bits[:, at + 1]
    return Column(
        summary.name, summary.kind, missing, truth if summary.kind is Kind.BOOLEAN else truth.astype(np.int64)
    )


def _read_flags(flags: Column, collapsed: CollapsedRows, recipe: ColumnSettings) -> Reading:
    """Concepts of such a column; classes have no part in them."""
    used = collapsed.sums > 0
    column, counts = flags.take(used), collapsed.counts[used]
    present = int(counts[~column.missing].sum())
    extent = Extent(int(counts.sum()), present, len(column.levels))
    return read_column(column, recipe, Evidence(collapsed.sums[used], extent=extent))


def _encoder(encoder: Any, summaries: Sequence[ColumnSummary]) -> ConceptEncoder | None:
    """The encoder that is needed, not fitted yet; None where columns are concepts."""
    if encoder is None:
        return None
    if not isinstance(encoder, str):
        return clone(encoder)  # type: ignore[no-any-return]
    return encoder_for(each.sketch() for each in summaries)


def _refuse_scores(rows: TrainingRows, summaries: Sequence[ColumnSummary]) -> None:
    """Refuse what is no concept, and scores: rows are collapsed by yes and no."""
    for each in summaries:
        truth_expression(rows.table, each.name)  # refuses what holds no numbers
        refuse_gaps(each.name, each.rows - each.present)
        if each.low < -ROUNDING or each.high > 1 + ROUNDING:
            wrong = each.low if each.low < 0 else each.high
            raise InputError(
                f"Column {each.name!r} has the value {wrong}, outside [0, 1]. Turn it into concepts first, "
                "for instance by comparing it with a cut point."
            )
    scores = [each.name for each in summaries if not each.only_flags]
    if scores:
        one = len(scores) == 1
        raise LimitError(
            f"{'Column' if one else 'Columns'} {listing(scores)} {'holds' if one else 'hold'} scores between "
            "0 and 1, and rows collapse by yes and no only.",
            "Stream them with scale.fit_streaming, or cut them with encoder=ConceptEncoder().",
        )


def _row_by_row(collapsed: CollapsedRows, rows: TrainingRows) -> CollapsedRows:
    """Each row by itself, in an order of their own: weights that are not whole say how much a row matters."""
    keys = [name for name in collapsed.found.column_names if name not in ("n", "s")]
    found = collapsed.found
    order = found.append_column("at", [np.arange(len(found))]).sort_by([(key, "ascending") for key in keys])
    at = np.repeat(order.column("at").to_numpy(), order.column("n").to_numpy())
    part = found.take(at)
    weight = np.ones(len(at)) if rows.weights is None else part.column("w").to_numpy()
    return CollapsedRows(collapsed.bits[at], part.drop_columns(["s"]).append_column("s", [weight]))
