"""Rules from tables that do not fit: a hundred million rows of Parquet, counted by DuckDB.

    python -m benchmarks.scale FOLDER --rows 100000000 --memory 4GB

makes tables of 10^6, 10^7, ... rows in FOLDER, unless they are there, and in processes of their own, in turn,
asks DuckDB for its GROUP BY over the same Boolean columns and fits a classifier. Labels follow a planted rule
but for a few. ``python -m benchmarks.scale`` without a folder writes the figure and the tables of the page
*How far does it go* from what is kept, those of streaming (``python -m benchmarks.streaming``) included.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from logiclens.logic import equivalent, parse_formula

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLANTED = parse_formula("(c00 & c01) | (c02 & ~c03 & c04)")
N_COLUMNS = 40
RESULTS = Path(__file__).parent / "results"
KEPT, STREAMED = RESULTS / "scale.json", RESULTS / "streaming.json"
_FREE = 14  # columns that have nothing to do with each other
_FLIPS = 2  # hidden flags, true of one row in eight, that others are wrong with
_CODES = 1 << (_FREE + _FLIPS)  # distinct rows that there can be
_GROUP, _GROUPS = 500_000, 20  # rows of a row group, row groups of a file
_WRONG = 8 / 256  # share of labels
_SMALL = 10**5  # rows that are fitted in memory, too


# Tables


def distinct_rows() -> np.ndarray:
    """All rows that can occur, (2**16, 40) Booleans.

    The first 14 columns are free. The others are functions of two of them: those of columns that the planted
    rule is about are wrong now and then, by two flags that stand in no column, so that it cannot be written
    in other words.
    """
    codes = np.arange(_CODES)
    bits = (codes[:, None] >> np.arange(_FREE + _FLIPS) & 1).astype(bool)
    columns = list(bits[:, :_FREE].T)
    flips = bits[:, _FREE:].T
    made: list[Callable[[np.ndarray, np.ndarray], np.ndarray]] = [
        lambda a, b: a,
        lambda a, b: a & b,
        lambda a, b: a | ~b,
        lambda a, b: a ^ b,
    ]
    for at in range(N_COLUMNS - _FREE):
        a, b = columns[at % _FREE], columns[(3 * at + 1) % _FREE]
        columns.append(made[at % len(made)](a, b) ^ flips[at % _FLIPS])
    return np.column_stack(columns)


def make(folder: Path, n_rows: int, seed: int = 0) -> Path:
    """Write so many rows as Parquet files into a folder of their own, which is returned."""
    table = folder / f"{n_rows}"
    about = table / "about.json"
    wanted = {"rows": n_rows, "columns": N_COLUMNS, "seed": seed, "group": _GROUP, "planted": str(PLANTED)}
    if about.exists() and json.loads(about.read_text()) == wanted:
        return table
    table.mkdir(parents=True, exist_ok=True)
    about.unlink(missing_ok=True)
    for old in table.glob("*.parquet"):
        old.unlink()
    rows = distinct_rows()
    columns = {f"c{at:02}": np.ascontiguousarray(rows[:, at]) for at in range(N_COLUMNS)}
    answers = PLANTED.evaluate(columns)
    schema = pa.schema([(name, pa.bool_()) for name in (*columns, "y")])
    for file, start in enumerate(range(0, n_rows, _GROUP * _GROUPS)):
        with pa.parquet.ParquetWriter(table / f"part-{file:03}.parquet", schema) as writer:
            for first in range(start, min(start + _GROUP * _GROUPS, n_rows), _GROUP):
                codes, wrong = _drawn(min(_GROUP, n_rows - first), np.random.default_rng([seed, first]))
                part = {name: column[codes] for name, column in columns.items()}
                part["y"] = answers[codes] ^ wrong
                writer.write_table(pa.table(part, schema), row_group_size=_GROUP)
    about.write_text(json.dumps(wanted))
    return table


def _drawn(n_rows: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Which of the distinct rows each is, and whether its label is wrong."""
    raw = random.integers(0, 1 << 32, n_rows, dtype=np.uint32)
    codes = raw & ((1 << _FREE) - 1)
    for at in range(_FLIPS):
        codes |= ((raw >> (_FREE + 3 * at) & 7) == 7).astype(np.uint32) << (_FREE + at)
    wrong = (raw >> (_FREE + 3 * _FLIPS) & 255) < 256 * _WRONG
    return codes.astype(np.intp), wrong


# What is measured, each in a process of its own


def peak_bytes() -> int:
    """The most memory that this process has had."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def group_by(table: Path, memory: str) -> dict[str, Any]:
    """DuckDB's own GROUP BY over all columns, into a table of the database."""
    import duckdb

    start = time.perf_counter()
    database = duckdb.connect(config={"memory_limit": memory})
    names = ", ".join(f'"c{at:02}"' for at in range(N_COLUMNS))
    pattern = str(table / "*.parquet").replace("'", "''")
    database.execute(
        f"CREATE TABLE t AS SELECT {names}, y, count(*) AS n FROM read_parquet('{pattern}') GROUP BY ALL"
    )
    seconds = time.perf_counter() - start
    found = database.execute("SELECT count(*), sum(n) FROM t").fetchone()
    assert found is not None
    return {"seconds": seconds, "peak_bytes": peak_bytes(), "tuples": found[0], "rows": int(found[1])}


def fit(table: Path, memory: str) -> dict[str, Any]:
    """Rules by ``scale.fit``, and their scores by ``scale.score``."""
    from logiclens import scale
    from logiclens.estimators import MuClassifier

    start = time.perf_counter()
    with _clocked() as clock:
        opened = scale.read(table, memory=memory)
        model = scale.fit(MuClassifier(random_state=0), opened, "y")
    seconds = time.perf_counter() - start
    peak = peak_bytes()
    start = time.perf_counter()
    scores = scale.score(model, opened, "y")
    formula = model.explanations_[True].formula
    return {
        "seconds": seconds,
        "seconds_of_the_engine": seconds - clock["fit_inputs"],
        "seconds_of_collapsing": clock["collapse"],
        "seconds_of_training": clock["fit_inputs"],
        "peak_bytes": peak,
        "peak_bytes_of_the_engine": clock["peak_bytes"],
        "tuples": clock["tuples"],
        "rule": str(formula),
        "is_planted": equivalent(formula, PLANTED),
        "seconds_of_scoring": time.perf_counter() - start,
        "accuracy": scores.accuracy,
        "rows": scores.n_rows,
    }


@contextmanager
def _clocked() -> Iterator[dict[str, Any]]:
    """How long the parts of a fit take, and what is known when the engine is done."""
    from logiclens.estimators.base import LENClassifier
    from logiclens.scale import fitting

    clock: dict[str, Any] = {}

    def timed(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def clocked(*args: Any, **options: Any) -> Any:
            if name == "fit_inputs":
                clock["peak_bytes"] = peak_bytes()
            start = time.perf_counter()
            found = work(*args, **options)
            clock[name] = time.perf_counter() - start
            if name == "collapse":
                clock["tuples"] = len(found.bits)
            return found

        return clocked

    with (
        mock.patch.object(fitting, "collapse", timed("collapse", fitting.collapse)),
        mock.patch.object(LENClassifier, "fit_inputs", timed("fit_inputs", LENClassifier.fit_inputs)),
    ):
        yield clock


def in_memory(table: Path, memory: str) -> dict[str, Any]:
    """The rules of an ordinary fit to all rows, and of ``scale.fit`` to the same."""
    from logiclens import scale
    from logiclens.estimators import MuClassifier

    rows = pa.parquet.read_table(sorted(table.glob("*.parquet")))
    start = time.perf_counter()
    ordinary = MuClassifier(random_state=0).fit(rows.drop_columns(["y"]), rows.column("y"))
    between = time.perf_counter()
    collapsed = scale.fit(MuClassifier(random_state=0), scale.read(table, memory=memory), "y")
    return {
        "rows": len(rows),
        "seconds_in_memory": between - start,
        "seconds": time.perf_counter() - between,
        "rules_in_memory": str(ordinary.explanations_),
        "rules": str(collapsed.explanations_),
    }


WORKS = {"group_by": group_by, "fit": fit, "in_memory": in_memory}


def measured(work: str, table: Path, memory: str) -> dict[str, Any]:
    """What one of :data:`WORKS` found, in a process of its own."""
    asked = [sys.executable, "-m", "benchmarks.scale", str(table), "--memory", memory, "--work", work]
    done = subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(folder: Path, n_rows: int, memory: str, tell: Callable[[str], None] = print) -> dict[str, Any]:
    """All tables up to so many rows, each asked in turn."""
    sizes = []
    n = min(10**6, n_rows)
    while n <= n_rows:
        table = make(folder, n)
        runs: list[dict[str, Any]] = []
        for _ in range(3 if n < 10**8 else 2):
            runs.append({work: measured(work, table, memory) for work in ("group_by", "fit")})
            tell(f"{n} rows: {json.dumps(runs[-1])}")
        n_bytes = sum(file.stat().st_size for file in table.glob("*.parquet"))
        sizes.append({"rows": n, "bytes": n_bytes, "runs": runs})
        n *= 10
    return {
        "columns": N_COLUMNS,
        "planted": str(PLANTED),
        "memory": memory,
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "day": time.strftime("%Y-%m-%d"),
        "versions": {name: version(name) for name in ("duckdb", "ibis-framework", "numpy", "torch")},
        "sizes": sizes,
        "in_memory": measured("in_memory", make(folder, min(_SMALL, n_rows)), memory),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Rules from tables of up to so many rows: time and memory, beside DuckDB's own GROUP BY."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=main.__doc__)
    parser.add_argument("folder", type=Path, help="where the tables are made, or were")
    parser.add_argument("--rows", type=int, default=10**8, help="of the largest table")
    parser.add_argument("--memory", default="4GB", help="the most that DuckDB takes")
    parser.add_argument("--out", type=Path, default=KEPT)
    parser.add_argument("--work", choices=WORKS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.work is not None:
        print(json.dumps(WORKS[options.work](options.folder, options.memory)))
        return
    found = measure(options.folder, options.rows, options.memory)
    options.out.write_text(f"{json.dumps(found, indent=1)}\n")


if __name__ == "__main__":
    main()
