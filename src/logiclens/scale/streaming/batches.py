"""Mini-batches from Parquet: the same rows in the same order, however many processes share them.

In each epoch the row groups come in another order, and as many as fit a buffer make a *block*. The rows of a
block are shuffled and cut into batches of about equal size. All of that follows from the seed, the epoch and
the metadata, so batch k can be found without decoding what lies before its block. A process decodes its own
part of each block only, and has those rows of a batch that fall into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.scale.streaming.source import ParquetSource, RowGroup
from logiclens.scale.streaming.targets import TargetColumns

BLOCK = 8
"""Batches in a block, where row groups are no larger and :data:`BYTES` allow it."""
BYTES = 1 << 28
"""Bytes of values in a block, unless one row group has more."""

_Block = tuple[RowGroup, ...]


@dataclass(frozen=True, eq=False)
class Batch:
    """One process's rows of a batch.

    Attributes
    ----------
    x : ndarray of shape (n_columns, n)
        Values of the columns that are read.
    truth : ndarray of shape (n,) or (n_outputs, n)
        Targets, as :meth:`~logiclens.scale.streaming.targets.TargetColumns.read` returns them.
    n_rows : int
        Rows of the batch in all processes together.
    """

    x: NDArray[Any]
    truth: NDArray[Any]
    n_rows: int


@dataclass(frozen=True, eq=False)
class Stream:
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

    def _held(self, group: RowGroup) -> NDArray[np.int64]:
        """Positions within a row group that are left out."""
        first, last = np.searchsorted(self.held_out, [group.start, group.start + group.n_rows])
        return np.asarray(self.held_out[first:last] - group.start)

    def _sizes(self, block: _Block) -> NDArray[np.int64]:
        """Rows of each of the batches of a block."""
        n_rows = sum(group.n_rows - len(self._held(group)) for group in block)
        n_batches = max(1, round(n_rows / self.batch_rows))
        return np.diff(np.arange(n_batches + 1) * n_rows // n_batches)

    def batches(self, epoch: int, start: int = 0) -> Iterator[Batch]:
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
            waiting = pool.submit(self._decoded, blocks[at]) if at < len(blocks) else None
            while waiting is not None:
                values = waiting.result()
                ahead = at + 1 < len(blocks)
                waiting = pool.submit(self._decoded, blocks[at + 1]) if ahead else None
                yield from self._cut(epoch, at, blocks[at], values, start - int(firsts[at]))
                at += 1
        finally:
            pool.shutdown(cancel_futures=True)

    def _share(self, block: _Block) -> tuple[int, int]:
        """The rows of a block that this process has: from one to before the other."""
        n_rows = sum(group.n_rows for group in block)
        return n_rows * self.rank // self.size, n_rows * (self.rank + 1) // self.size

    def _decoded(self, block: _Block) -> tuple[NDArray[Any], NDArray[Any]]:
        """Values and targets of this process's rows of a block."""
        first, last = self._share(block)
        x = np.empty((len(self.columns), last - first), dtype=np.float32)
        truth: list[NDArray[Any]] = []
        before = 0
        for group in block:
            begin, end = max(first - before, 0), min(last - before, group.n_rows)  # within the group
            if begin < end:
                self._fill(group, begin, end, x[:, before + begin - first :], truth)
            before += group.n_rows
        if not truth:  # more processes than rows
            truth.append(
                np.zeros((len(self.targets.names), 0)) if self.targets.multi_label else np.zeros(0, np.intp)
            )
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
    ) -> Iterator[Batch]:
        """The batches of a block, from the given one on."""
        x, truth = values
        starts = np.cumsum([0, *(group.n_rows for group in block)])
        order = np.random.default_rng([self.seed, epoch, at]).permutation(starts[-1])
        if len(self.held_out):
            left_out = np.zeros(starts[-1], dtype=np.bool_)
            for first, group in zip(starts, block, strict=False):
                left_out[first + self._held(group)] = True
            order = order[~left_out[order]]
        first, last = self._share(block)
        sizes = self._sizes(block)
        for end, size in list(zip(np.cumsum(sizes), sizes, strict=True))[max(start, 0) :]:
            rows = order[end - size : end]
            # Sums do not depend on the order of the rows, and reading them in order is quicker.
            own = np.sort(rows[(rows >= first) & (rows < last)]) - first
            yield Batch(x[:, own], truth[..., own], int(size))


def divided(groups: Sequence[RowGroup], rank: int, size: int) -> Sequence[RowGroup]:
    """The row groups that one of several processes reads in a pass where order does not matter."""
    return groups[rank::size]
