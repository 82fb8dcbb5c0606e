"""Numbers in buckets: none too full, all in order, nothing lost."""

from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest

from logiclens.scale.buckets import FINENESS, bucket_counts
from logiclens.scale.rows import check_rows, numbers_of

RANDOM = np.random.default_rng(0)
MANY = 40_000
SHAPES = {
    "uniform": RANDOM.random(MANY),
    "normal": RANDOM.normal(1e9, 1.0, MANY),
    "heavy tail": RANDOM.lognormal(0, 5, MANY),
    "outliers": np.append(RANDOM.random(MANY), [-1e300, 1e300, 1.7e308, -1.7e308]),
    "ties": np.where(RANDOM.random(MANY) < 0.5, 3.0, RANDOM.normal(0, 1, MANY)),
    "small": RANDOM.random(MANY) * 1e-300,
    "whole": RANDOM.integers(-(10**6), 10**6, MANY).astype(float),
    "gaps": np.where(RANDOM.random(MANY) < 0.1, np.nan, RANDOM.random(MANY)),
}


def buckets(values: np.ndarray, y: np.ndarray, by_targets: bool) -> Any:
    table = ibis.memtable(pa.table({"v": pa.array(values, from_pandas=True), "y": y}))
    rows = check_rows(table, "y")
    low, high = np.nanmin(values), np.nanmax(values)
    return bucket_counts(rows, table["v"], float(low), float(high), by_targets=by_targets)


@pytest.mark.parametrize("shape", SHAPES)
def test_buckets_hold_all_rows_and_few_each(shape: str):
    values = SHAPES[shape]
    y = RANDOM.random(len(values)) < 0.5

    found = buckets(values, y, by_targets=False)

    ends = found.column("v").to_numpy()
    counts, gaps = numbers_of(found, "n"), np.isnan(ends)
    order = np.argsort(ends[~gaps])
    edges, held = ends[~gaps][order], counts[~gaps][order]
    assert counts[gaps].sum() == np.isnan(values).sum()
    assert np.isin(edges, values).all()
    assert edges[0] == np.nanmin(values)
    assert edges[-1] == np.nanmax(values)
    places = np.searchsorted(edges, values[~np.isnan(values)])
    assert (np.bincount(places, minlength=len(edges)) == held).all()
    low = np.full(len(edges), np.inf)
    np.minimum.at(low, places, values[~np.isnan(values)])
    assert (held[low < edges] <= len(values) / FINENESS).all()
    yes = np.bincount(places, y[~np.isnan(values)], minlength=len(edges))
    assert (numbers_of(found, "y0")[~gaps][order] == yes).all()


def test_a_border_between_classes_stays_where_it_is():
    values = RANDOM.random(MANY)

    found = buckets(values, values > 0.3, by_targets=True)

    ends, above = found.column("v").to_numpy(), found.column("t0").to_numpy(zero_copy_only=False)
    assert ends[~above].max() == values[values <= 0.3].max()
    assert ends[above].min() > 0.3
    assert numbers_of(found, "n").sum() == MANY
