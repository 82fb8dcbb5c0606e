"""Soft scores larger than memory: rules from Parquet files, in one process and in several.

    python -m benchmarks.streaming FOLDER --gigabytes 20

makes the files in FOLDER, unless those of the same size are there, and fits a classifier to them in processes
of their own, whose largest memory is measured. The labels follow a planted rule but for a few. Beside the
seconds stands how long pyarrow takes to decode all columns once.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from rich import box
from rich.console import Console
from rich.table import Table

from logiclens.estimators import MuClassifier
from logiclens.logic import parse_formula
from logiclens.scale import fit_streaming

PLANTED = parse_formula("(c0 & c1) | (c2 & ~c3)")
RESULTS = Path(__file__).parent / "results" / "streaming.json"
_ROWS = 1 << 18  # of a row group
_GROUPS = 8  # of a file
_WRONG = 0.03  # share of labels


def make(folder: Path, gigabytes: float, n_columns: int, seed: int = 0) -> int:
    """Write files of scores in single precision, so many gigabytes of values; the number of rows."""
    n_rows = int(gigabytes * 1e9 / (4 * n_columns))
    about = folder / "about.json"
    wanted = {"rows": n_rows, "columns": n_columns, "seed": seed}
    if about.exists() and json.loads(about.read_text()) == wanted:
        return n_rows
    folder.mkdir(parents=True, exist_ok=True)
    about.unlink(missing_ok=True)
    for old in folder.glob("part-*.parquet"):
        old.unlink()
    schema = pa.schema([*((f"c{at}", pa.float32()) for at in range(n_columns)), ("y", pa.string())])
    for file, start in enumerate(range(0, n_rows, _GROUPS * _ROWS)):
        with pa.parquet.ParquetWriter(
            folder / f"part-{file:04}.parquet", schema, use_dictionary=["y"]
        ) as writer:
            for first in range(start, min(start + _GROUPS * _ROWS, n_rows), _ROWS):
                rows = _rows(min(_ROWS, n_rows - first), n_columns, np.random.default_rng([seed, first]))
                writer.write_table(pa.table(rows, schema), row_group_size=_ROWS)
    about.write_text(json.dumps(wanted))
    return n_rows


def _rows(n_rows: int, n_columns: int, random: np.random.Generator) -> dict[str, Any]:
    """Scores around what is true, some on the wrong side of one half, and labels."""
    true = random.integers(0, 2, (n_columns, n_rows), dtype=np.uint8)
    x = random.random((n_columns, n_rows), dtype=np.float32)
    x *= 0.55
    x += np.where(true, np.float32(0.45), np.float32(0.0))
    columns = {f"c{at}": x[at] for at in range(n_columns)}
    y = PLANTED.evaluate(columns) ^ (random.random(n_rows) < _WRONG)
    return {**columns, "y": np.where(y, "yes", "no")}


def work(folder: Path, out: Path, options: argparse.Namespace) -> None:
    """Fit in this process, and write down what it took."""
    start = time.perf_counter()
    model = MuClassifier(random_state=0)
    fit_streaming(model, folder, "y", epochs=options.epochs, checkpoint=out / "checkpoint")
    point = model.front_[model.front_.chosen]
    found = {
        "seconds": time.perf_counter() - start,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "rules": str(model.explanations_),
        "accuracy": point.accuracy,
        "curve": model.loss_curve_.mean(axis=1).tolist(),
    }
    (out / f"{os.environ.get('RANK', '0')}.json").write_text(json.dumps(found))


def measure(folder: Path, n_processes: int, options: argparse.Namespace) -> dict[str, Any]:
    """Fit in so many processes; what it took."""
    program = ["--module", "benchmarks.streaming"]
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(n_processes)]
    if n_processes == 1:
        launcher, program = [], ["-m", "benchmarks.streaming"]
    threads = max(1, (os.cpu_count() or 1) // n_processes)
    with tempfile.TemporaryDirectory() as out:
        start = time.perf_counter()
        subprocess.run(
            [
                sys.executable,
                *launcher,
                *program,
                str(folder),
                "--epochs",
                str(options.epochs),
                "--work",
                out,
            ],
            env=os.environ | {"OMP_NUM_THREADS": str(threads)},
            check=True,
        )
        whole = time.perf_counter() - start
        found = [json.loads((Path(out) / f"{rank}.json").read_text()) for rank in range(n_processes)]
    return {
        "processes": n_processes,
        "seconds": whole,
        "seconds_of_the_fit": max(each["seconds"] for each in found),
        "peak_bytes": [each["peak_bytes"] for each in found],
        **{name: found[0][name] for name in ("rules", "accuracy", "curve")},
    }


def decoding(folder: Path) -> float:
    """Seconds in which pyarrow decodes all columns once, row group by row group."""
    start = time.perf_counter()
    for path in sorted(folder.glob("part-*.parquet")):
        with pa.parquet.ParquetFile(path) as file:
            for at in range(file.num_row_groups):
                file.read_row_group(at)
    return time.perf_counter() - start


def main() -> None:
    """Rules from scores that do not fit in memory: time and memory of one process and of several."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streaming", description=main.__doc__)
    parser.add_argument("folder", type=Path, help="where the files are made, or were")
    parser.add_argument("--gigabytes", type=float, default=2.0)
    parser.add_argument("--columns", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work is not None:
        work(options.folder, options.work, options)
        return
    n_rows = make(options.folder, options.gigabytes, options.columns)
    runs = [measure(options.folder, n_processes, options) for n_processes in options.processes]
    found = {
        "gigabytes": options.gigabytes,
        "rows": n_rows,
        "columns": options.columns,
        "epochs": options.epochs,
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "day": time.strftime("%Y-%m-%d"),
        "seconds_of_decoding": decoding(options.folder),
        "runs": runs,
    }
    _show(found)
    options.out.write_text(f"{json.dumps(found, indent=1)}\n")


def _show(found: dict[str, Any]) -> None:
    console = Console(highlight=False, width=140)
    table = Table("processes", "seconds", "memory of each", "accuracy", "losses", box=box.SIMPLE_HEAD)
    first = np.array(found["runs"][0]["curve"])
    for run in found["runs"]:
        curve = np.array(run["curve"])
        same = len(curve) == len(first)
        apart = float(np.abs(curve / first - 1).max()) if same else np.nan
        memory = ", ".join(f"{peak / 1e9:.2f} GB" for peak in run["peak_bytes"])
        loss = f"{curve[-1]:.4f}, apart {apart:.1e}"
        table.add_row(str(run["processes"]), f"{run['seconds']:.1f}", memory, f"{run['accuracy']:.4f}", loss)
    console.print(
        f"{found['gigabytes']:g} GB: {found['rows']} rows of {found['columns']} scores; decoding it once "
        f"takes {found['seconds_of_decoding']:.1f} s"
    )
    console.print(table)
    console.print(found["runs"][0]["rules"], markup=False)


if __name__ == "__main__":
    main()
