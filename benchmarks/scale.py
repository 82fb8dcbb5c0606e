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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from benchmarks.harness import filled
from logiclens.logic import equivalent, parse_formula

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLANTED = parse_formula("(c00 & c01) | (c02 & ~c03 & c04)")
N_COLUMNS = 40
ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "explanation" / "figures_on_real_data.md"
FIGURE = ROOT / "docs" / "how-to" / "images" / "scale.svg"
KEPT, STREAMED = RESULTS / "scale.json", RESULTS / "streaming.json"
_FREE = 14  # columns that have nothing to do with each other
_FLIPS = 2  # hidden flags, true of one row in four, that others are wrong with
_CODES = 1 << (_FREE + _FLIPS)  # distinct rows that there can be
_GROUP, _GROUPS = 500_000, 20  # rows of a row group, row groups of a file
_WRONG = 1 / 16  # share of labels
_PAIRS, _FEW = 4, 2  # how often the engine is measured, and how often all, or a large table
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
        lambda a, _: a,
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
    wanted = {
        "rows": n_rows,
        "columns": N_COLUMNS,
        "seed": seed,
        "group": _GROUP,
        "planted": str(PLANTED),
        "wrong": _WRONG,
    }
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
        codes |= ((raw >> (_FREE + 2 * at) & 3) == 3).astype(np.uint32) << (_FREE + at)
    wrong = (raw >> (_FREE + 2 * _FLIPS) & 255) < 256 * _WRONG
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

    start, worked = time.perf_counter(), time.process_time()
    database = duckdb.connect(config={"memory_limit": memory})
    names = ", ".join(f'"c{at:02}"' for at in range(N_COLUMNS))
    pattern = str(table / "*.parquet").replace("'", "''")
    database.execute(
        f"CREATE TABLE t AS SELECT {names}, y, count(*) AS n FROM read_parquet('{pattern}') GROUP BY ALL"
    )
    seconds, worked = time.perf_counter() - start, time.process_time() - worked
    found = database.execute("SELECT count(*), sum(n) FROM t").fetchone()
    assert found is not None
    counts = {"tuples": found[0], "rows": int(found[1])}
    return {"seconds": seconds, "processor_seconds": worked, "peak_bytes": peak_bytes(), **counts}


def engine(table: Path, memory: str) -> dict[str, Any]:
    """The engine's part of ``scale.fit`` alone: all that comes before training."""
    from logiclens import scale
    from logiclens.estimators import MuClassifier

    def until_training(*_: Any) -> None:
        raise _EngineDone

    _import_all()
    with mock.patch.object(MuClassifier, "fit_inputs", until_training):
        start, worked = time.perf_counter(), time.process_time()
        with suppress(_EngineDone):
            scale.fit(MuClassifier(random_state=0), scale.read(table, memory=memory), "y")
        seconds, worked = time.perf_counter() - start, time.process_time() - worked
    return {"seconds": seconds, "processor_seconds": worked, "peak_bytes": peak_bytes()}


class _EngineDone(Exception):
    """The engine's part of a fit is over."""


def _import_all() -> None:
    """Import what is imported late: that is not timed."""
    import narwhals as nw

    for module in ("ibis.backends.duckdb", "logiclens.scale._engine_fit", "logiclens.scale._rule_queries"):
        import_module(module)
    nw.from_native(pa.table({"v": [0]}))


def fit(table: Path, memory: str) -> dict[str, Any]:
    """Rules by ``scale.fit``, and their scores by ``scale.score``."""
    from logiclens import scale
    from logiclens.estimators import MuClassifier

    _import_all()
    train, trained = MuClassifier.fit_inputs, {}

    def clocked(model: MuClassifier, *args: Any) -> Any:
        start = time.perf_counter()
        done = train(model, *args)
        trained.update(seconds=time.perf_counter() - start, tuples=len(args[0].values))
        return done

    with mock.patch.object(MuClassifier, "fit_inputs", clocked):
        start = time.perf_counter()
        opened = scale.read(table, memory=memory)
        model = scale.fit(MuClassifier(random_state=0), opened, "y")
        seconds, peak = time.perf_counter() - start, peak_bytes()
    start = time.perf_counter()
    scores = scale.score(model, opened, "y")
    formula = model.explanations_[True].formula
    return {
        "seconds": seconds,
        "seconds_of_training": trained["seconds"],
        "seconds_of_scoring": time.perf_counter() - start,
        "peak_bytes": peak,
        "tuples": trained["tuples"],
        "rule": str(formula),
        "is_planted": equivalent(formula, PLANTED),
        "accuracy": scores.accuracy,
        "rows": scores.n_rows,
    }


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


WORKS = {"group_by": group_by, "engine": engine, "fit": fit, "in_memory": in_memory}


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
        pairs, fits = [], []
        for at in range(_PAIRS if n < 10**8 else _FEW):
            pairs.append({work: measured(work, table, memory) for work in ("group_by", "engine")})
            tell(f"{n} rows: {json.dumps(pairs[-1])}")
            if at < _FEW:
                fits.append(measured("fit", table, memory))
                tell(f"{n} rows: {json.dumps(fits[-1])}")
        n_bytes = sum(file.stat().st_size for file in table.glob("*.parquet"))
        sizes.append({"rows": n, "bytes": n_bytes, "pairs": pairs, "fits": fits})
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


# What is shown of it


def tables(found: Mapping[str, Any], streamed: Mapping[str, Any]) -> dict[str, str]:
    """The tables of the page, by name."""
    sizes = [summary(size) for size in found["sizes"]]
    lines = [
        [
            f"{size['rows']:,}".replace(",", " "),
            f"{size['tuples']:,}".replace(",", " "),
            _seconds(size["group_by"]),
            _seconds(size["engine"]),
            f"{size['ratio']:.2f}",
            f"{size['processor_ratio']:.2f}",
            _seconds(size["training"]),
            _seconds(size["fit"]),
            _seconds(size["scoring"]),
            f"{size['group_by_memory']:.2f} GB",
            f"{size['fit_memory']:.2f} GB",
            "yes" if size["is_planted"] else "no",
        ]
        for size in sizes
    ]
    heads = [
        "rows",
        "distinct tuples",
        "DuckDB's GROUP BY",
        "engine's part of the fit",
        "ratio",
        "of processor time",
    ]
    heads += [
        "training",
        "whole fit",
        "`scale.score`",
        "memory, GROUP BY",
        "memory, fit",
        "planted rule found",
    ]
    first = np.array(streamed["runs"][0]["curve"])
    apart = [np.abs(np.array(run["curve"]) / first - 1).max() for run in streamed["runs"]]
    streams = [
        [
            str(run["processes"]),
            _seconds(run["seconds"]),
            ", ".join(f"{peak / 1e9:.2f} GB" for peak in run["peak_bytes"]),
            f"{run['accuracy']:.4f}",
            f"{run['curve'][-1]:.4f}",
            f"{far:.0e}" if at else "",
        ]
        for at, (run, far) in enumerate(zip(streamed["runs"], apart, strict=True))
    ]
    stream_heads = ["processes", "whole fit", "memory of each", "accuracy", "last loss", "losses apart"]
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    machines = [
        ["a GROUP BY", found["machine"], found["day"], versions],
        ["streaming", streamed["machine"], streamed["day"], ""],
    ]
    return {
        "rows": _markdown(heads, lines),
        "streaming": _markdown(stream_heads, streams),
        "machines": _markdown(["", "machine", "day", "versions"], machines),
    }


def _markdown(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *lines))


def _seconds(duration: float) -> str:
    return f"{duration:.2g} s" if duration < 10 else f"{duration:.0f} s"


def summary(size: Mapping[str, Any]) -> dict[str, Any]:
    """Medians over the runs of one table; the ratio is that of each pair, which ran one after the other."""
    pairs, fits = size["pairs"], size["fits"]
    return {
        "rows": size["rows"],
        "tuples": fits[0]["tuples"],
        "group_by": median(pair["group_by"]["seconds"] for pair in pairs),
        "engine": median(pair["engine"]["seconds"] for pair in pairs),
        "ratio": _ratio(pairs, "seconds"),
        "processor_ratio": _ratio(pairs, "processor_seconds"),
        "training": median(fit["seconds_of_training"] for fit in fits),
        "fit": median(fit["seconds"] for fit in fits),
        "scoring": median(fit["seconds_of_scoring"] for fit in fits),
        "group_by_memory": max(pair["group_by"]["peak_bytes"] for pair in pairs) / 1e9,
        "fit_memory": max(fit["peak_bytes"] for fit in fits) / 1e9,
        "is_planted": all(fit["is_planted"] for fit in fits),
    }


def _ratio(pairs: Sequence[Mapping[str, Any]], name: str) -> float:
    return float(median(pair["engine"][name] / pair["group_by"][name] for pair in pairs))


_LINES = {
    "group_by": ("DuckDB's GROUP BY", "#333333", "X"),
    "engine": ("scale.fit, in the engine", "#0072B2", "o"),
    "training": ("scale.fit, training", "#CC79A7", "D"),
    "scoring": ("scale.score", "#009E73", "^"),
}


def curves(found: Mapping[str, Any]) -> Figure:
    """Seconds and memory against rows, both axes of the seconds logarithmic."""
    from matplotlib.figure import Figure

    sizes = [summary(size) for size in found["sizes"]]
    rows = [size["rows"] for size in sizes]
    drawn = Figure(figsize=(8.4, 3.4), layout="constrained")
    time_axes, memory_axes = drawn.subplots(1, 2)
    for name, (words, color, marker) in _LINES.items():
        look = {"color": color, "marker": marker, "markersize": 6, "linewidth": 1.2}
        time_axes.plot(rows, [size[name] for size in sizes], label=words, **look)
    time_axes.set_yscale("log")
    time_axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    time_axes.set_ylabel("seconds")
    for name, line in (("group_by_memory", "group_by"), ("fit_memory", "engine")):
        words, color, marker = _LINES[line]
        look = {"color": color, "marker": marker, "markersize": 6, "linewidth": 1.2}
        memory_axes.plot(
            rows, [size[name] for size in sizes], label=words if line == "group_by" else "scale.fit", **look
        )
    memory_axes.axhline(4, color="#777777", linestyle=":", linewidth=1.2, label="limit")
    memory_axes.set_ylim(0, 4.4)
    memory_axes.set_ylabel("largest memory of the process, GB")
    for axes in (time_axes, memory_axes):
        axes.set_xscale("log")
        axes.set_xlabel("rows")
        axes.grid(alpha=0.25)
        axes.minorticks_off()
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize="small")
    return drawn


def kept() -> tuple[dict[str, Any], dict[str, Any]]:
    """What is kept of both benchmarks."""
    found, streamed = (json.loads(path.read_text(encoding="utf-8")) for path in (KEPT, STREAMED))
    return found, streamed


def show() -> None:
    """Write the tables of the page and its figure."""
    from logiclens.bench.result_figures import as_svg

    found, streamed = kept()
    PAGE.write_text(filled(PAGE, tables(found, streamed)), encoding="utf-8")
    FIGURE.write_bytes(as_svg(curves(found)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Rules from tables of up to so many rows: time and memory, beside DuckDB's own GROUP BY."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=main.__doc__)
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        help="where the tables are made, or were; without it, the page is written from what is kept",
    )
    parser.add_argument("--rows", type=int, default=10**8, help="of the largest table")
    parser.add_argument("--memory", default="4GB", help="the most that DuckDB takes")
    parser.add_argument("--out", type=Path, default=KEPT)
    parser.add_argument("--work", choices=WORKS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.folder is None:
        show()
    elif options.work is not None:
        print(json.dumps(WORKS[options.work](options.folder, options.memory)))
    else:
        found = measure(options.folder, options.rows, options.memory)
        options.out.write_text(f"{json.dumps(found, indent=1)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
