"""Run ``python -m benchmarks.chance [SHARE]``: how often ``explain`` claims more than chance.

Random tables have labels that nothing decides: 30 to 1000 rows, 2 to 10 columns, 10, 30 or 50 % of a class.
At the level of 5 % at most one in twenty may be claimed to be better than a guess. Tables of copies are
random ones of which each row is there 2 to 40 times. Tables of patients have 5 rows of each, nearly the same
and of one label, which is random, and name the patient (``--group``). Planted tables have 300 rows, of which
a rule of three literals decides 80 % (the other labels are flipped); its class has 40 to 60 % of the rows.
Nearly all of them should be claimed. SHARE is that of the tables to try, 1 when missing.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from logiclens.cli import app

Table = tuple[pd.DataFrame, np.ndarray]


def columns(random: np.random.Generator, n: int, width: int) -> pd.DataFrame:
    """Columns of numbers, and of a few values, in turn."""
    found = {
        f"x{j}": random.normal(size=n).round(3) if j % 2 else random.choice(["a", "b", "c"], n)
        for j in range(width)
    }
    return pd.DataFrame(found)


def random_table(seed: int) -> Table:
    """A table whose labels have nothing to do with its columns."""
    random = np.random.default_rng(seed)
    n = int(random.choice([30, 60, 100, 300, 1000]))
    frame = columns(random, n, int(random.integers(2, 11)))
    y = random.random(n) < random.choice([0.1, 0.3, 0.5])
    y[:2] = True, False
    return frame, np.where(y, "yes", "no")


def planted_table(seed: int) -> Table:
    """A table whose labels follow a rule of three literals, but for one in five."""
    random = np.random.default_rng(seed)
    frame = columns(random, 300, int(random.integers(4, 13)))
    while True:
        names = random.choice(frame.columns, 3, replace=False)
        a, b, c = (
            frame[name] == random.choice(["a", "b", "c"])
            if frame[name].dtype == object or frame[name].dtype == "string"
            else frame[name] > frame[name].quantile(random.uniform(0.3, 0.7))
            for name in names
        )
        truth = [(a & b) | c, (a | b) & c, (a & b) | ~c][int(random.integers(3))].to_numpy()
        if 0.4 <= truth.mean() <= 0.6:
            break
    return frame, np.where(truth ^ (random.random(300) < 0.2), "yes", "no")


def copied_table(seed: int) -> Table:
    """A random table of at most 100 rows, each of them as many times."""
    random = np.random.default_rng(seed)
    frame = columns(random, n := int(random.choice([30, 60, 100])), int(random.integers(4, 9)))
    drawn = random.permutation(np.repeat(np.arange(n), int(random.choice([2, 6, 40]))))
    y = np.where(random.permutation(n) < n * random.choice([0.3, 0.5]), "yes", "no")
    return frame.iloc[drawn], y[drawn]


def patients_table(seed: int) -> Table:
    """Five rows of each patient, whose numbers differ by a little, with one label drawn at random."""
    random = np.random.default_rng(seed)
    n = int(random.choice([20, 40, 80, 160]))
    frame = columns(random, n, int(random.integers(2, 9)))
    patients = np.repeat(np.arange(n), 5)
    rows = frame.iloc[patients].reset_index(drop=True)
    numbers = rows.select_dtypes("number").columns
    rows[numbers] += 0.02 * random.normal(size=(len(rows), len(numbers)))
    y = np.where(random.permutation(n) < n * random.choice([0.3, 0.5]), "yes", "no")
    return rows.assign(patient=[f"P{at}" for at in patients]), y[patients]


def claim(table: Table) -> dict[str, Any]:
    """What ``logiclens explain`` says of a table about rules and a guess."""
    frame, y = table
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        frame.assign(y=y).to_csv(path, index=False)
        options = ["--target", "y", "--json", "-", "--no-compare", "--stability", "0"]
        options += ["--group", "patient", "--ignore", "patient"] if "patient" in frame else []
        done = CliRunner().invoke(app, ["explain", str(path), *options])
    if done.exit_code:
        sys.exit(done.output)
    found: dict[str, Any] = json.loads(done.stdout)["overall"]["better_than_guess"]
    return found


KINDS: dict[str, tuple[Callable[[int], Table], int, str]] = {
    "random labels": (random_table, 200, "at most 9 %"),
    "copies of rows with random labels": (copied_table, 100, "at most 9 %"),
    "patients with random labels": (patients_table, 100, "at most 9 %"),
    "planted rules": (planted_table, 100, "at least 95 %"),
}


def main() -> None:
    """Print how many tables of each kind are claimed to have rules that are better than a guess."""
    share = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    for kind, (make, number, aim) in KINDS.items():
        n = max(round(share * number), 1)
        claimed = [claim(make(seed))["claimed"] for seed in range(n)]
        print(f"{kind}: {sum(claimed)} of {n} claimed (aim: {aim})", flush=True)


if __name__ == "__main__":
    main()
