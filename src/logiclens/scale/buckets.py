"""Numbers of very many distinct values in buckets: narrow where there are many rows, each with its ends.

The range is divided evenly, and counted in one pass; a bucket that holds too many of the rows is divided
again, over the range of its own values, until none does. So an outlier does not spoil the rest, and no engine
has to sort. All values lie in one bucket each, in order, and the least value has one of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.scale.engine import Expression, Table, fetched, ibis_module
from logiclens.scale.rows import Rows, numbers_of

FINENESS = 1 << 12
"""A bucket of more than one in so many rows is divided, unless it holds a single value."""
_FIRST = 1 << 14  # buckets at first, and about as many in each later pass
_LEAST = 16  # parts that a bucket is divided into
_PASSES = 8


def bucket_counts(rows: Rows, values: Expression, low: float, high: float, *, by_targets: bool) -> Any:
    """Count rows by bucket and target.

    Parameters
    ----------
    rows : Rows
    values : expression
        Numbers of rows of ``rows.weighty``, NULL where one is missing.
    low, high : float
        The least and the greatest of them.
    by_targets : bool
        Whether to count by the classes of the target.

    Returns
    -------
    pyarrow.Table
        As :meth:`Rows.grouped` has it, with the largest number in the column ``v``, NULL for rows without
        one: that of each class in each bucket, so that a clear border between classes stays where it is.
    """
    import pyarrow as pa

    ibis = ibis_module()
    keyed = rows.keyed(rows.weighty, v=values)
    done = [
        fetched(
            rows.grouped(keyed.filter(keyed["v"].isnull()), ["v"], by_targets=by_targets), "Counting gaps"
        )
    ]
    edges = pa.table(
        {"bin": np.zeros(1, np.int64), "low": [low], "step": [_step(low, high, _FIRST)], "start": [0]}
    )
    keyed = keyed.filter(keyed["v"].notnull()).mutate(bin=ibis.literal(0, type="int64"))
    total: float | None = None
    for last in (at == _PASSES - 1 for at in range(_PASSES)):
        keyed = _divided(keyed, edges)
        part = _counted(rows, keyed, by_targets)
        bins, counts = numbers_of(part, "bin").astype(np.int64), numbers_of(part, "s")
        ends = _Ends.of(bins, counts, numbers_of(part, "low"), numbers_of(part, "high"))
        total = float(counts.sum()) if total is None else total
        heavy = (ends.counts * FINENESS > total) & (ends.low < ends.high) & (not last)
        place = np.searchsorted(ends.bins, bins)
        kept = ~heavy[place]
        part = part.append_column("v", part.column("high")).filter(pa.array(kept))
        done.append(part.drop_columns(["bin", "low", "high"]))
        if not heavy.any():
            break
        n_parts = max(_LEAST, _FIRST // int(heavy.sum()))
        edges = pa.table(
            {
                "bin": ends.bins[heavy],
                "low": ends.low[heavy],
                "step": [
                    _step(a, b, n_parts) for a, b in zip(ends.low[heavy], ends.high[heavy], strict=True)
                ],
                "start": np.arange(int(heavy.sum()), dtype=np.int64) * (n_parts + 2),
            }
        )
    names = done[-1].column_names
    schema = done[-1].schema
    return pa.concat_tables([part.select(names).cast(schema) for part in done])


def _step(low: float, high: float, n_parts: int) -> float:
    return float(high / n_parts - low / n_parts) or 1.0  # the difference may be too large for a float


def _divided(keyed: Table, edges: Any) -> Table:
    """The rows of some buckets, with the number of the smaller bucket that each is in."""
    ibis = ibis_module()
    right = ibis.memtable(edges).rename(of="bin")
    joined = keyed.join(right, keyed["bin"] == right["of"])
    place = (joined["v"] / joined["step"] - joined["low"] / joined["step"]).floor().cast("int64")
    place = (joined["v"] > joined["low"]).ifelse(place + 1, 0) + joined["start"]
    return joined.mutate(bin=place).drop("of", "low", "step", "start")


def _counted(rows: Rows, keyed: Table, by_targets: bool) -> Any:
    """Counts by bucket, with the least and greatest value of each group."""
    query = rows.grouped(keyed, ["bin"], by_targets=by_targets, low=keyed["v"].min(), high=keyed["v"].max())
    return fetched(query, "Counting numbers in buckets")


class _Ends:
    """Buckets: their numbers, what they hold, and their least and greatest value, each (n,)."""

    def __init__(self, bins: IndexArray, counts: FloatArray, low: FloatArray, high: FloatArray) -> None:
        self.bins, self.counts, self.low, self.high = bins, counts, low, high

    @classmethod
    def of(cls, bins: IndexArray, counts: FloatArray, low: FloatArray, high: FloatArray) -> _Ends:
        """From those of each bucket and target."""
        found, place = np.unique(bins, return_inverse=True)
        least, greatest = np.full(len(found), np.inf), np.full(len(found), -np.inf)
        np.minimum.at(least, place, low)
        np.maximum.at(greatest, place, high)
        held = np.bincount(place, counts, minlength=len(found)).astype(np.float64)
        return cls(found, held, least, greatest)
