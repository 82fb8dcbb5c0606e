"""The sample does not depend on who reads what, and stands for all rows."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logiclens.errors import InputError
from logiclens.scale import _sampling
from logiclens.scale._parquet_source import ParquetSource, TargetColumns, count_targets, target_columns
from logiclens.scale._sampling import (
    MiniBatches,
    Sample,
    draw,
    merge_samples,
    shares,
    uniforms,
)
from tests.scale.streaming.making import NAMES, whole, write


def drawn(folder: Path, n_drawn: int, size: int = 1, seed: int = 0) -> tuple[Sample, TargetColumns]:
    source = ParquetSource.of(folder)
    parts = [source.groups[rank::size] for rank in range(size)]
    targets = target_columns([count_targets(source, part, ("y",)) for part in parts], ("y",), source.n_rows)
    return merge_samples([draw(source, part, NAMES, targets, n_drawn, seed) for part in parts]), targets


@pytest.mark.parametrize("size", [2, 3, 11])
def test_processes_draw_together_what_one_draws(folder: Path, size: int):
    one, targets = drawn(folder, 300)
    several, other = drawn(folder, 300, size)

    assert targets.counts.tolist() == other.counts.tolist()
    for name in ("x", "truth", "position", "stratum", "sizes"):
        np.testing.assert_array_equal(getattr(one, name), getattr(several, name))


def test_rows_are_those_at_their_positions(folder: Path):
    sample, targets = drawn(folder, 300)
    rows = whole(folder).take(pa.array(sample.position))

    assert 100 < len(sample.x) < 300
    np.testing.assert_array_equal(sample.x, np.column_stack([rows[name].to_numpy() for name in NAMES]))
    assert targets.as_y(sample.truth).tolist() == rows["y"].to_pylist()


def test_weights_stand_for_all_rows_of_each_label(folder: Path):
    sample, targets = drawn(folder, 300)

    share = np.bincount(sample.truth, sample.weight) / sample.weight.sum()
    assert share == pytest.approx(targets.counts / 1200)
    assert sample.weight.mean() == pytest.approx(1.0)


def test_of_rare_labels_more_are_drawn():
    targets = TargetColumns(("y",), ("a", "b", "c"), False, np.array([20.0, 1000.0, 1e6]), 1001020)
    share = shares(targets, 10_000)

    assert share[0] == 1.0
    assert share[1] > 10 * share[2]
    assert (share * targets.counts).sum() <= 10_000


def test_of_outputs_the_rarest_that_is_true_counts(tmp_path: Path):
    random = np.random.default_rng(0)
    y = random.random((2, 4000)) < np.array([[0.5], [0.01]])
    columns = {"red": random.random(4000), "common": y[0], "rare": y[1]}
    source = ParquetSource.of(write(tmp_path / "a.parquet", columns, 900))
    names = ("common", "rare")
    targets = target_columns([count_targets(source, source.groups, names)], names, 4000)

    sample = draw(source, source.groups, ["red"], targets, 400, 0)

    assert sample.truth[1].sum() == y[1].sum()  # all of them
    assert sample.truth[0] @ sample.weight / sample.weight.sum() == pytest.approx(y[0].mean(), abs=0.1)
    assert len(sample.x) <= 400


def test_uniforms_are_even_and_differ_by_seed():
    numbers = uniforms(np.arange(100_000), seed=3)

    assert 0.0 <= numbers.min()
    assert numbers.max() < 1.0
    assert np.histogram(numbers, 10, (0, 1))[0] == pytest.approx(10_000, rel=0.05)
    assert not np.array_equal(numbers, uniforms(np.arange(100_000), seed=4))


def test_values_are_looked_at_even_where_no_row_is_drawn(tmp_path: Path):
    n = 5000
    red = np.full(n, 0.5, dtype=np.float32)
    red[4321] = 1.5
    path = write(tmp_path / "a.parquet", {**dict.fromkeys(NAMES, red), "y": ["a", "b"] * (n // 2)}, 1000)

    with pytest.raises(InputError, match=r"has the value 1\.5, outside \[0, 1\], in row 4321 "):
        drawn(path, 10)


@cache
def looked_at(folder: Path) -> tuple[ParquetSource, TargetColumns]:
    """A folder that does not change, and its targets."""
    source = ParquetSource.of(folder)
    return source, target_columns([count_targets(source, source.groups, ("y",))], ("y",), source.n_rows)


def stream_of(folder: Path, batch_rows: int = 100, **settings: Any) -> MiniBatches:
    source, targets = looked_at(folder)
    held_out = np.array(settings.pop("held_out", []), dtype=np.int64)
    return MiniBatches(source, NAMES, targets, batch_rows, settings.pop("seed", 0), held_out, **settings)


def rows_of(stream: MiniBatches, epoch: int = 0, start: int = 0) -> list[set[tuple[float, ...]]]:
    """The rows of each batch; no two rows of the folder are equal."""
    return [{tuple(row) for row in batch.x.T.tolist()} for batch in stream.batches(epoch, start)]


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([37, 100, 333, 5000]),
    st.sampled_from([2, 5]),
    st.integers(0, 3),
    st.sets(st.integers(0, 1199), max_size=300),
    st.sampled_from([1, 2, 8]),
)
def test_processes_share_the_batches_of_one(
    folder: Path, batch_rows: int, size: int, epoch: int, held_out: set[int], block: int
):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_sampling, "BLOCK", block)
        kept = {"held_out": sorted(held_out)}
        one = stream_of(folder, batch_rows, **kept)
        expected = rows_of(one, epoch)
        several = [
            rows_of(stream_of(folder, batch_rows, rank=rank, size=size, **kept), epoch)
            for rank in range(size)
        ]
        sizes = [batch.n_rows for batch in one.batches(epoch)]

    assert len(expected) == one.n_batches(epoch)
    assert [set().union(*parts) for parts in zip(*several, strict=True)] == expected
    assert sum(len(rows) for part in several for rows in part) == one.n_rows == 1200 - len(held_out)
    assert sizes == [len(rows) for rows in expected]


def test_an_epoch_has_each_row_once_but_those_held_out(folder: Path):
    table = whole(folder)
    rows = list(zip(*(table[name].to_pylist() for name in NAMES), strict=True))
    seen = [row for batch in rows_of(stream_of(folder, held_out=[3, 700]), epoch=1) for row in batch]

    assert sorted(seen) == sorted(row for at, row in enumerate(rows) if at not in (3, 700))


def test_targets_stay_with_their_rows(folder: Path):
    table = whole(folder)
    rows = zip(*(table[name].to_pylist() for name in NAMES), strict=True)
    label = dict(zip(rows, table["y"].to_pylist(), strict=True))
    stream = stream_of(folder, rank=1, size=2)

    for batch in stream.batches(0):
        assert stream.targets.as_y(batch.truth).tolist() == [label[tuple(row)] for row in batch.x.T.tolist()]


def test_epochs_and_seeds_have_an_order_of_their_own(folder: Path):
    first = rows_of(stream_of(folder))

    assert rows_of(stream_of(folder)) == first
    assert rows_of(stream_of(folder), epoch=1) != first
    assert rows_of(stream_of(folder, seed=1)) != first


@pytest.mark.parametrize("start", [0, 1, 5, 10, 11])
def test_a_stream_goes_on_from_any_batch(folder: Path, monkeypatch: pytest.MonkeyPatch, start: int):
    monkeypatch.setattr(_sampling, "BLOCK", 2)
    stream = stream_of(folder)

    assert stream.n_batches(0) == 11
    assert rows_of(stream, 0, start) == rows_of(stream)[start:]


def test_what_lies_before_is_not_decoded(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_sampling, "BLOCK", 2)
    decoded: list[Any] = []
    original = ParquetSource.chunks
    monkeypatch.setattr(ParquetSource, "chunks", lambda *args: decoded.append(args[1]) or original(*args))
    stream = stream_of(folder)
    decoded.clear()

    rows_of(stream, 0, start=10)

    assert decoded == list(stream.blocks(0)[-1])


def test_a_process_decodes_its_part_alone(folder: Path, monkeypatch: pytest.MonkeyPatch):
    decoded: list[Any] = []
    original = ParquetSource.chunks
    stream = stream_of(folder, 1200, rank=0, size=2)
    monkeypatch.setattr(ParquetSource, "chunks", lambda *args: decoded.append(args[1]) or original(*args))

    rows_of(stream)

    assert len(decoded) <= 5  # of nine
