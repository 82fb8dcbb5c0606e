"""The same batches whoever reads them, and none before the one asked for is decoded."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logiclens.scale.streaming import batches
from logiclens.scale.streaming.batches import Stream, divided
from logiclens.scale.streaming.source import ParquetSource
from logiclens.scale.streaming.targets import TargetColumns, count_targets, target_columns
from tests.scale.streaming.making import NAMES, whole


@cache
def looked_at(folder: Path) -> tuple[ParquetSource, TargetColumns]:
    """A folder that does not change, and its targets."""
    source = ParquetSource.of(folder)
    return source, target_columns([count_targets(source, source.groups, ("y",))], ("y",), source.n_rows)


def stream_of(folder: Path, batch_rows: int = 100, **settings: Any) -> Stream:
    source, targets = looked_at(folder)
    held_out = np.array(settings.pop("held_out", []), dtype=np.int64)
    return Stream(source, NAMES, targets, batch_rows, settings.pop("seed", 0), held_out, **settings)


def rows_of(stream: Stream, epoch: int = 0, start: int = 0) -> list[set[tuple[float, ...]]]:
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
        patch.setattr(batches, "BLOCK", block)
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
    monkeypatch.setattr(batches, "BLOCK", 2)
    stream = stream_of(folder)

    assert stream.n_batches(0) == 11
    assert rows_of(stream, 0, start) == rows_of(stream)[start:]


def test_what_lies_before_is_not_decoded(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(batches, "BLOCK", 2)
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


def test_row_groups_are_divided():
    groups: Any = list(range(7))

    assert sorted(each for rank in range(3) for each in divided(groups, rank, 3)) == groups
