"""Building a truth table, as a multiple of one ``np.packbits`` pass over the same array."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import numpy as np

from benchmarks.harness import Row, seconds, timed
from logiclens import TruthTable

CONCEPTS = 100
LARGEST = 10_000_000


def run() -> Iterator[Row]:
    """Few and all-distinct rows, from 10^4 to 10^7 of them; memory at the largest size."""
    random = np.random.default_rng(0)
    for kind, distinct in (("few distinct", 1000), ("all distinct", None)):
        X = _rows(random, LARGEST, distinct)
        y = random.random(LARGEST) < 0.5
        for n_rows in (10_000, 100_000, 1_000_000, LARGEST):
            yield _against_packbits(f"{n_rows:.0e}".replace("e+0", "0^"), kind, X[:n_rows], y[:n_rows])
        yield _memory(kind, X, y)
        del X


def _rows(random: np.random.Generator, n_rows: int, distinct: int | None) -> np.ndarray:
    """Random rows, made in pieces to keep memory low; of few different ones, if told so."""
    X = np.empty((n_rows, CONCEPTS), dtype=np.bool_)
    pool = random.random((distinct or 1, CONCEPTS)) < 0.5
    for start in range(0, n_rows, 500_000):
        part = X[start : start + 500_000]
        if distinct is None:
            part[:] = random.integers(0, 2, part.shape, dtype=np.uint8)
        else:
            part[:] = pool[random.integers(0, distinct, len(part))]
    return X


def _against_packbits(size: str, kind: str, X: np.ndarray, y: np.ndarray) -> Row:
    repeat = 5 if len(X) <= 100_000 else 3
    packing, _ = timed(lambda: np.packbits(X, axis=1), repeat)
    building, _ = timed(lambda: TruthTable.from_data(X, y), repeat)
    per_row = building / len(X) * 1e9
    return Row(
        f"table: {size} rows x {CONCEPTS}, {kind}",
        f"{seconds(building)} ({per_row:.0f} ns a row)",
        seconds(packing),
        f"{building / packing:.1f} passes",
        "5 passes, linear",
    )


def _memory(kind: str, X: np.ndarray, y: np.ndarray) -> Row:
    tracemalloc.start()
    table = TruthTable.from_data(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Row(
        f"table: peak memory beyond the input, {kind} ({table.n_rows} rows)",
        f"{peak / 2**20:.0f} MiB",
        f"{X.nbytes / 2**20:.0f} MiB",
        f"{peak / X.nbytes:.2f} of the input",
        "under 1",
    )
