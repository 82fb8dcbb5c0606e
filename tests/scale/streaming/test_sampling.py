"""The sample does not depend on who reads what, and stands for all rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from logiclens.errors import InputError
from logiclens.scale.streaming.batches import divided
from logiclens.scale.streaming.checkpoint import Checkpoint
from logiclens.scale.streaming.sampling import (
    Sample,
    draw,
    merged,
    sample_from_stored,
    sample_to_stored,
    shares,
    uniforms,
)
from logiclens.scale.streaming.source import ParquetSource
from logiclens.scale.streaming.targets import TargetColumns, count_targets, target_columns
from tests.scale.streaming.making import NAMES, whole, write


def drawn(folder: Path, n_drawn: int, size: int = 1, seed: int = 0) -> tuple[Sample, TargetColumns]:
    source = ParquetSource.of(folder)
    parts = [divided(source.groups, rank, size) for rank in range(size)]
    targets = target_columns([count_targets(source, part, ("y",)) for part in parts], ("y",), source.n_rows)
    return merged([draw(source, part, NAMES, targets, n_drawn, seed) for part in parts]), targets


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


def test_few_rows_are_all_drawn(folder: Path):
    sample, _ = drawn(folder, 1200)

    assert sample.position.tolist() == list(range(1200))
    assert (sample.weight == 1).all()


def test_another_seed_draws_others(folder: Path):
    assert drawn(folder, 300)[0].position.tolist() != drawn(folder, 300, seed=1)[0].position.tolist()


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


def test_a_sample_is_kept(folder: Path, tmp_path: Path):
    sample, targets = drawn(folder, 300)
    checkpoint = Checkpoint.at(tmp_path, {})
    checkpoint.write("sample", sample_to_stored(sample, targets, 7))
    stored = checkpoint.read("sample")
    assert stored is not None

    again, other, seed = sample_from_stored(stored, ("y",))

    assert seed == 7
    assert (other.labels, other.multi_label, other.n_rows) == (targets.labels, False, 1200)
    assert again.weight.tolist() == sample.weight.tolist()
    np.testing.assert_array_equal(again.x, sample.x)
    assert again.x.dtype == sample.x.dtype
