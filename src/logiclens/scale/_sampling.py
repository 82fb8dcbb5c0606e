"""Rows of Parquet files in random order: a sample to search on, and mini-batches to train on.

A row is in the sample by a number that a hash of its position gives: the same rows whoever reads which files
in what order. Of rare targets more are drawn, and weights make up for it. On the way all values are checked.

Mini-batches are the same rows in the same order, however many processes share them. In each epoch the row
groups come in another order, and as many as fit a buffer make a *block*. The rows of a block are shuffled
and cut into batches of about equal size. All of that follows from the seed, the epoch and the metadata, so
batch k can be found without decoding what lies before its block. A process decodes its own part of each block
only, and has those rows of a batch that fall into it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.logic.arrays import FloatArray
from logiclens.scale._checkpoint import StoredPart
from logiclens.scale._parquet_source import ParquetSource, RowGroup, TargetColumns

_LEAST = 64  # rows of a target that are drawn in any case, where there are so many
_HALVINGS = 60


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows that were drawn, in the order of their positions.

    Attributes
    ----------
    x : ndarray of shape (n_drawn, n_concepts)
    truth : ndarray of shape (n_drawn,) or (n_outputs, n_drawn)
        Their targets, as :meth:`~logiclens.scale._parquet_source.TargetColumns.read` returns them.
    position : ndarray of int, shape (n_drawn,)
    stratum : ndarray of int, shape (n_drawn,)
    sizes : ndarray of shape (n_strata,)
        Rows of each stratum, drawn or not.
    """

    x: NDArray[Any]
    truth: NDArray[Any]
    position: NDArray[np.int64]
    stratum: NDArray[np.intp]
    sizes: FloatArray

    @property
    def weight(self) -> FloatArray:
        """Rows that each stands for, (n_drawn,), scaled to add up to as many as were drawn."""
        drawn = np.bincount(self.stratum, minlength=len(self.sizes))
        rows = (self.sizes / np.maximum(drawn, 1))[self.stratum]
        return np.asarray(rows * (len(rows) / rows.sum()))


def draw(
    source: ParquetSource,
    groups: Sequence[RowGroup],
    columns: Sequence[str],
    targets: TargetColumns,
    n_drawn: int,
    seed: int,
    progress: Callable[[float], None] = lambda _: None,
) -> Sample:
    """Draw rows from some row groups, and check all their values.

    Parameters
    ----------
    source : ParquetSource
    groups : sequence of RowGroup
    columns : sequence of str
        The concepts.
    targets : TargetColumns
    n_drawn : int
        Most rows to draw of all row groups.
    seed : int
    progress : callable, optional
        Called with the share of the rows that were read, each time.

    Raises
    ------
    InputError
        A value is missing, outside [0, 1] or no number.
    """
    share = shares(targets, n_drawn)
    dtype = source.dtype(columns)
    none = np.zeros(0, dtype=np.int64)
    parts = [Sample(np.zeros((0, len(columns)), dtype), targets.no_rows, none, none, np.zeros(len(share)))]
    n_rows, done = sum(group.n_rows for group in groups), 0
    for group in groups:
        for chunk in source.chunks(group, [*columns, *targets.names]):
            values, truth = chunk.scores(columns, dtype), targets.read(chunk)
            strata = targets.strata(truth)
            position = chunk.start + np.arange(chunk.rows.num_rows)
            at = np.flatnonzero(uniforms(position, seed) < share[strata])
            sizes = np.bincount(strata, minlength=len(share)).astype(np.float64)
            parts.append(Sample(values[:, at].T, truth[..., at], position[at], strata[at], sizes))
            done += chunk.rows.num_rows
            progress(done / n_rows)
    return merge_samples(parts)


def merge_samples(parts: Sequence[Sample]) -> Sample:
    """One sample of those of several parts of the files."""
    position = np.concatenate([part.position for part in parts])
    order = np.argsort(position)
    return Sample(
        np.concatenate([part.x for part in parts])[order],
        np.concatenate([part.truth for part in parts], axis=-1)[..., order],
        position[order],
        np.concatenate([part.stratum for part in parts])[order],
        np.sum([part.sizes for part in parts], axis=0),
    )


def shares(targets: TargetColumns, n_drawn: int) -> FloatArray:
    """Share of each stratum that is drawn, so that the sample has hardly ever more than ``n_drawn`` rows.

    A stratum gets the more of it the larger it is, but only by the square root.

    Examples
    --------
    >>> targets = TargetColumns(("y",), ("a", "b"), False, np.array([100.0, 9900.0]), 10000)
    >>> shares(targets, 1000).round(3).tolist()
    [0.798, 0.08]
    """
    counts = np.append(targets.counts, targets.n_rows) if targets.multi_label else targets.counts
    if n_drawn >= targets.n_rows:
        return np.ones(len(counts))
    roots = np.sqrt(np.maximum(counts, 1.0))
    expected = n_drawn - 4.0 * np.sqrt(n_drawn)  # chance seldom adds four standard deviations
    low, high = 0.0, float(roots.max())
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if np.minimum(counts, middle * roots).sum() > expected:
            high = middle
        else:
            low = middle
    return np.asarray(np.minimum(1.0, np.maximum(low, _LEAST / roots) / roots))


def uniforms(position: NDArray[np.int64], seed: int) -> FloatArray:
    """A number in [0, 1) for each position, by a hash of it and the seed (the finalizer of SplitMix64).

    Examples
    --------
    >>> uniforms(np.arange(3), seed=0).round(3).tolist()
    [0.901, 0.023, 0.4]
    """
    mixed = np.uint64(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    with np.errstate(over="ignore"):
        z = position.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + mixed
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.asarray((z >> np.uint64(11)) * 2.0**-53)


def store_sample(sample: Sample, targets: TargetColumns, seed: int) -> StoredPart:
    """A sample and what was counted on the way to it, for a checkpoint."""
    entries = {"seed": seed, "labels": list(targets.labels), "multi_label": targets.multi_label}
    arrays = {name: getattr(sample, name) for name in ("x", "truth", "position", "stratum", "sizes")}
    return StoredPart(entries | {"rows": targets.n_rows}, {**arrays, "counts": targets.counts})


def restore_sample(stored: StoredPart, names: tuple[str, ...]) -> tuple[Sample, TargetColumns, int]:
    """Inverse of :func:`store_sample`, where the targets are in those columns."""
    entries, arrays = stored.entries, dict(stored.tensors)
    counts = arrays.pop("counts")
    targets = TargetColumns(names, tuple(entries["labels"]), entries["multi_label"], counts, entries["rows"])
    return Sample(**arrays), targets, entries["seed"]


# Mini-batches


BLOCK = 8
"""Batches in a block, where row groups are no larger and :data:`BYTES` allow it."""
BYTES = 1 << 28
"""Bytes of values in a block, unless one row group has more."""

_Block = tuple[RowGroup, ...]


@dataclass(frozen=True, eq=False)
class MiniBatch:
    """One process's rows of a batch.

    Attributes
    ----------
    x : ndarray of shape (n_columns, n)
        Values of the columns that are read.
    truth : ndarray of shape (n,) or (n_outputs, n)
        Targets, as :meth:`~logiclens.scale._parquet_source.TargetColumns.read` returns them.
    n_rows : int
        Rows of the batch in all processes together.
    """

    x: NDArray[Any]
    truth: NDArray[Any]
    n_rows: int


@dataclass(frozen=True, eq=False)
class MiniBatches:
    """Mini-batches of some columns.

    Attributes
    ----------
    source : ParquetSource
    columns : tuple of str
        Those that are read, besides the targets.
    targets : TargetColumns
    batch_rows : int
        About as many rows are in a batch.
    seed : int
    held_out : ndarray of int, ascending
        Positions of rows that are left out.
    rank, size : int
        Which process this is, and of how many.
    """

    source: ParquetSource
    columns: tuple[str, ...]
    targets: TargetColumns
    batch_rows: int
    seed: int
    held_out: NDArray[np.int64]
    rank: int = 0
    size: int = 1

    @property
    def n_rows(self) -> int:
        """Rows of an epoch."""
        return self.source.n_rows - len(self.held_out)

    @cached_property
    def _rows_of_block(self) -> int:
        width = np.dtype(np.float32).itemsize * max(len(self.columns), 1)
        return max(self.batch_rows, min(BLOCK * self.batch_rows, BYTES // width))

    def n_batches(self, epoch: int) -> int:
        """Batches of an epoch."""
        return sum(len(self._sizes(block)) for block in self.blocks(epoch))

    def blocks(self, epoch: int) -> list[_Block]:
        """Row groups that are shuffled together, in the order of an epoch."""
        random = np.random.default_rng([self.seed, epoch])
        groups = [self.source.groups[at] for at in random.permutation(len(self.source.groups))]
        blocks: list[list[RowGroup]] = [[]]
        n_rows = 0
        for group in groups:
            if n_rows >= self._rows_of_block:
                blocks.append([])
                n_rows = 0
            blocks[-1].append(group)
            n_rows += group.n_rows
        if len(blocks) > 1 and 2 * n_rows < self._rows_of_block:  # too few for batches of their own
            last = blocks.pop()
            blocks[-1] += last
        return [tuple(block) for block in blocks]

    def _held_positions(self, group: RowGroup) -> NDArray[np.int64]:
        """Positions within a row group that are left out."""
        first, last = np.searchsorted(self.held_out, [group.start, group.start + group.n_rows])
        return np.asarray(self.held_out[first:last] - group.start)

    def _sizes(self, block: _Block) -> NDArray[np.int64]:
        """Rows of each of the batches of a block."""
        n_rows = sum(group.n_rows - len(self._held_positions(group)) for group in block)
        n_batches = max(1, round(n_rows / self.batch_rows))
        return np.diff(np.arange(n_batches + 1) * n_rows // n_batches)

    def batches(self, epoch: int, start: int = 0) -> Iterator[MiniBatch]:
        """The batches of an epoch, from the given one on.

        A block is decoded while the batches of the one before are used.

        Raises
        ------
        FileError
            A file was changed meanwhile.
        """
        blocks = self.blocks(epoch)
        firsts = np.cumsum([0, *(len(self._sizes(block)) for block in blocks)])
        at = int(np.searchsorted(firsts, start, side="right")) - 1
        pool = ThreadPoolExecutor(1)
        try:
            waiting = pool.submit(self._decode, blocks[at]) if at < len(blocks) else None
            while waiting is not None:
                values = waiting.result()
                ahead = at + 1 < len(blocks)
                waiting = pool.submit(self._decode, blocks[at + 1]) if ahead else None
                yield from self._cut(epoch, at, blocks[at], values, start - int(firsts[at]))
                at += 1
        finally:
            pool.shutdown(cancel_futures=True)

    def _share(self, block: _Block) -> tuple[int, int]:
        """The rows of a block that this process has: from one to before the other."""
        n_rows = sum(group.n_rows for group in block)
        return n_rows * self.rank // self.size, n_rows * (self.rank + 1) // self.size

    def _decode(self, block: _Block) -> tuple[NDArray[Any], NDArray[Any]]:
        """Values and targets of this process's rows of a block."""
        first, last = self._share(block)
        x = np.empty((len(self.columns), last - first), dtype=np.float32)
        truth = [self.targets.no_rows]
        before = 0
        for group in block:
            begin, end = max(first - before, 0), min(last - before, group.n_rows)  # within the group
            if begin < end:
                self._fill(group, begin, end, x[:, before + begin - first :], truth)
            before += group.n_rows
        return x, np.concatenate(truth, axis=-1)

    def _fill(
        self, group: RowGroup, begin: int, end: int, x: NDArray[Any], truth: list[NDArray[Any]]
    ) -> None:
        """Decode some rows of a row group."""
        dtype = self.source.dtype(self.columns)
        for chunk in self.source.chunks(group, [*self.columns, *self.targets.names]):
            offset = chunk.start - group.start
            part = slice(max(begin - offset, 0), max(min(end - offset, chunk.rows.num_rows), 0))
            if part.start < part.stop:
                values = chunk.scores(self.columns, dtype)[:, part]
                at = offset + part.start - begin
                x[:, at : at + values.shape[1]] = values
                truth.append(self.targets.read(chunk)[..., part])
            if offset + chunk.rows.num_rows >= end:
                break

    def _cut(
        self, epoch: int, at: int, block: _Block, values: tuple[NDArray[Any], NDArray[Any]], start: int
    ) -> Iterator[MiniBatch]:
        """The batches of a block, from the given one on."""
        x, truth = values
        starts = np.cumsum([0, *(group.n_rows for group in block)])
        order = np.random.default_rng([self.seed, epoch, at]).permutation(starts[-1])
        if len(self.held_out):
            left_out = np.zeros(starts[-1], dtype=np.bool_)
            for first, group in zip(starts, block, strict=False):
                left_out[first + self._held_positions(group)] = True
            order = order[~left_out[order]]
        first, last = self._share(block)
        sizes = self._sizes(block)
        for end, size in list(zip(np.cumsum(sizes), sizes, strict=True))[max(start, 0) :]:
            rows = order[end - size : end]
            # Sums do not depend on the order of the rows, and reading them in order is quicker.
            own = np.sort(rows[(rows >= first) & (rows < last)]) - first
            yield MiniBatch(x[:, own], truth[..., own], int(size))
