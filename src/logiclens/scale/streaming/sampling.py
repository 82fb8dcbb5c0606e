"""A sample of rows on which networks are explored and rules searched; on the way all values are checked.

A row is drawn by a number that a hash of its position gives: the same rows whoever reads which files in what
order. Of rare targets more are drawn, and weights make up for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.logic.arrays import FloatArray
from logiclens.scale.streaming.checkpoint import Stored
from logiclens.scale.streaming.source import ParquetSource, RowGroup
from logiclens.scale.streaming.targets import TargetColumns

_LEAST = 64  # rows of a target that are drawn in any case, where there are so many
_HALVINGS = 60


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows that were drawn, in the order of their positions.

    Attributes
    ----------
    x : ndarray of shape (n_drawn, n_concepts)
    truth : ndarray of shape (n_drawn,) or (n_outputs, n_drawn)
        Their targets, as :meth:`~logiclens.scale.streaming.targets.TargetColumns.read` returns them.
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
        """How many rows each stands for, (n_drawn,), in units that add up to as many as were drawn."""
        drawn = np.bincount(self.stratum, minlength=len(self.sizes))
        rows = (self.sizes / np.maximum(drawn, 1))[self.stratum]
        return np.asarray(rows * (len(rows) / rows.sum()))


def draw(
    source: ParquetSource,
    groups: Iterable[RowGroup],
    columns: Sequence[str],
    targets: TargetColumns,
    n_drawn: int,
    seed: int,
    told: Callable[[int], None] = lambda _: None,
) -> Sample:
    """Draw from some row groups, and look at all their values.

    Parameters
    ----------
    source : ParquetSource
    groups : iterable of RowGroup
    columns : sequence of str
        The concepts.
    targets : TargetColumns
    n_drawn : int
        Most rows to draw of all row groups.
    seed : int
    told : callable, optional
        Told the number of rows that were looked at, each time.

    Raises
    ------
    InputError
        A value is missing, outside [0, 1] or no number.
    """
    share = shares(targets, n_drawn)
    sizes = np.zeros(len(share))
    dtype = source.dtype(columns)
    x, truth, position, stratum = [], [], [], []
    for group in groups:
        for chunk in source.chunks(group, [*columns, *targets.names]):
            values, true = chunk.scores(columns, dtype), targets.read(chunk)
            strata = targets.strata(true)
            sizes += np.bincount(strata, minlength=len(sizes))
            place = chunk.start + np.arange(chunk.rows.num_rows)
            chosen = np.flatnonzero(uniforms(place, seed) < share[strata])
            x.append(values[:, chosen].T)
            truth.append(true[..., chosen])
            position.append(place[chosen])
            stratum.append(strata[chosen])
            told(chunk.rows.num_rows)
    if not x:  # more processes than row groups
        width = (len(targets.names), 0) if targets.multi_label else (0,)
        none = np.zeros(0, dtype=np.intp)
        empty = np.zeros(width, dtype=np.float64 if targets.multi_label else np.intp)
        return Sample(np.zeros((0, len(columns)), dtype), empty, none.astype(np.int64), none, sizes)
    return Sample(
        np.concatenate(x),
        np.concatenate(truth, axis=-1),
        np.concatenate(position),
        np.concatenate(stratum),
        sizes,
    )


def merged(parts: Sequence[Sample]) -> Sample:
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


def sample_to_stored(sample: Sample, targets: TargetColumns, seed: int) -> Stored:
    """A sample and what was counted on the way to it, for a checkpoint."""
    entries = {"seed": seed, "labels": list(targets.labels), "multi_label": targets.multi_label}
    arrays = {name: getattr(sample, name) for name in ("x", "truth", "position", "stratum", "sizes")}
    return Stored(entries | {"rows": targets.n_rows}, {**arrays, "counts": targets.counts})


def sample_from_stored(stored: Stored, names: tuple[str, ...]) -> tuple[Sample, TargetColumns, int]:
    """Inverse of :func:`sample_to_stored`, where the targets are in those columns."""
    entries, arrays = stored.entries, dict(stored.tensors)
    counts = arrays.pop("counts")
    targets = TargetColumns(names, tuple(entries["labels"]), entries["multi_label"], counts, entries["rows"])
    return Sample(**arrays), targets, entries["seed"]
