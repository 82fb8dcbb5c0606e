"""Run ``python -m benchmarks.chance [N_RANDOM] [N_PLANTED]``: how often ``explain`` claims more than chance.

Random tables have labels that nothing decides: 30 to 1000 rows, 2 to 10 columns, 10, 30 or 50 % of a class.
At the level of 5 % at most one in twenty may be claimed to be better than a guess. Planted tables have 300
rows, of which a rule of three literals decides 80 % (the other labels are flipped); its class has 40 to 60 %
of the rows. Nearly all of them should be claimed.
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


def claim(table: Table) -> dict[str, Any]:
    """What ``logiclens explain`` says of a table about rules and a guess."""
    frame, y = table
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        frame.assign(y=y).to_csv(path, index=False)
        options = ["--target", "y", "--json", "-", "--no-compare", "--stability", "0"]
        done = CliRunner().invoke(app, ["explain", str(path), *options])
    if done.exit_code:
        sys.exit(done.output)
    found: dict[str, Any] = json.loads(done.stdout)["overall"]["better_than_guess"]
    return found


def run(make: Callable[[int], Table], number: int) -> int:
    """How many of this many tables are claimed to have rules that are better than a guess."""
    return sum(claim(make(seed))["claimed"] for seed in range(number))


def main() -> None:
    """Print how many are claimed."""
    n_random, n_planted = (int(each) for each in [*sys.argv[1:], "200", "100"][:2])
    print(f"random labels: {run(random_table, n_random)} of {n_random} claimed (aim: at most 9 %)")
    print(f"planted rules: {run(planted_table, n_planted)} of {n_planted} claimed (aim: at least 95 %)")


if __name__ == "__main__":
    main()
