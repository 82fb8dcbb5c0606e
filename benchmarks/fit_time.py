r"""How long a default fit with its whole front takes, beside FIGS, boosting and, if asked, an older version.

    python -m benchmarks.fit_time FOLDER ... [--before SRC] [--tables a,b] [--growth]

For each table one method after the other is fitted to four fifths of the rows, in a process of its own that
has loaded everything before; seconds are those of the second of two fits where that is quick. ``--before``
names the folder of an older version's package. ``--growth`` times made-up tables of more and more rows,
concepts and classes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

METHODS = ("mu", "figs", "boosting")
QUICK = 5.0
"""Seconds up to which a fit is done once more, warm."""
GROWTH = {"rows": (500, 2000, 8000, 32000, 128000), "concepts": (10, 40, 160, 640), "classes": (2, 4, 8, 16)}


def made_up(rows: int = 2000, concepts: int = 40, classes: int = 2) -> tuple[Mapping[str, Any], Any]:
    """A table whose classes depend on eight Boolean concepts, with a tenth of the labels at random."""
    random = np.random.default_rng(0)
    x = random.random((rows, concepts)) < 0.5
    score = (x[:, :8] @ random.normal(size=(8, classes))).argmax(axis=1)
    noise = random.random(rows) < 0.1
    y = np.where(noise, random.integers(0, classes, rows), score)
    return {f"c{j}": x[:, j] for j in range(concepts)}, np.array([f"k{each}" for each in y])


def read(file: str) -> tuple[Mapping[str, Any], Any]:
    """Columns and labels of four fifths of a table."""
    import pandas as pd

    table = pd.read_csv(file)
    labels = table.pop("target").astype(str).to_numpy()
    kept = np.random.default_rng(0).permutation(len(labels))[: len(labels) * 4 // 5]
    return {name: table[name].to_numpy()[kept] for name in table}, labels[kept]


def fits(method: str, columns: Mapping[str, Any], labels: Any) -> Callable[[], object]:
    """What is timed: encoding and fitting."""
    if method == "mu":
        from logiclens.estimators import MuClassifier

        return lambda: MuClassifier(random_state=0).fit(columns, labels).explain()
    import pandas as pd
    from sklearn.ensemble import HistGradientBoostingClassifier

    def encoded() -> Any:
        frame = pd.get_dummies(pd.DataFrame(dict(columns)))
        return frame.fillna(frame.median()).to_numpy(dtype=float)

    if method == "boosting":
        return lambda: HistGradientBoostingClassifier(random_state=0).fit(encoded(), labels)
    from imodels import FIGSClassifier

    codes = np.unique(labels, return_inverse=True)[1]

    def figs() -> object:
        x = encoded()
        return [
            FIGSClassifier(max_rules=30).fit(x, codes == k) for k in range(max(codes) + (codes.max() > 1))
        ]

    return figs


def seconds(method: str, columns: Mapping[str, Any], labels: Any) -> float:
    """Of one fit."""
    work = fits(method, columns, labels)
    took = []
    for _ in range(2):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
        if took[-1] > QUICK:
            break
    return took[-1]


def worker(method: str, source: str, **shape: int) -> None:
    """Time one method on one table, and print the seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        small, labels = made_up(100, 10)
        fits(method, small, labels)()
        print(json.dumps(seconds(method, *(made_up(**shape) if shape else read(source)))))


def timed(method: str, source: str, package: str = "", **shape: int) -> float:
    """Seconds of a method in a process of its own; NaN where it fails."""
    arguments = [sys.executable, __file__, "--worker", method, source, json.dumps(shape)]
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        arguments, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    return float(done.stdout.splitlines()[-1]) if done.returncode == 0 else float("nan")


def main(arguments: Sequence[str] | None = None) -> None:
    """Time all tables, one after the other, and print a table in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_time", description=main.__doc__)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="tables whose classes are in 'target'")
    parser.add_argument("--before", default="", metavar="SRC", help="folder of an older version's package")
    parser.add_argument("--tables", default="")
    parser.add_argument("--growth", action="store_true")
    options = parser.parse_args(arguments)
    names = {each for each in options.tables.split(",") if each}
    files = sorted((f for each in options.folders for f in Path(each).glob("*.csv.gz")), key=_size)
    columns = [*METHODS, *(["before"] if options.before else [])]
    print("| table | " + " | ".join(columns) + " |\n|---|" + "---:|" * len(columns))
    ratios: dict[str, list[float]] = {name: [] for name in columns}
    for file in files:
        table = file.name.partition(".")[0]
        if names and table not in names:
            continue
        found = {name: timed(name, str(file)) for name in METHODS}
        if options.before:
            found["before"] = timed("mu", str(file), options.before)
        for name, took in found.items():
            ratios[name].append(found["mu"] / took)
        print(f"| {table} | " + " | ".join(f"{took:.2f}" for took in found.values()) + " |", flush=True)
    for name in columns[1:] if files else []:
        known = [each for each in ratios[name] if np.isfinite(each)]
        print(
            f"\nmu takes {statistics.median(known):.2f} times as long as {name} in the median ({len(known)})."
        )
    if options.growth:
        print("\n| what grows | to | " + " | ".join(METHODS) + " |\n|---|---:|" + "---:|" * len(METHODS))
        for what, steps in GROWTH.items():
            for step in steps:
                took = [timed(name, "", **{what: step}) for name in METHODS]
                print(f"| {what} | {step} | " + " | ".join(f"{each:.2f}" for each in took) + " |", flush=True)


def _size(file: Path) -> int:
    return file.stat().st_size


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(sys.argv[2], sys.argv[3], **json.loads(sys.argv[4]))
    else:
        main()
