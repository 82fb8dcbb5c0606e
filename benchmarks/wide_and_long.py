"""Raw tables as people have them, of a million rows and of ten thousand columns: from the table to rules.

Each table has a planted rule and a few wrong labels. Beside the seconds stands how often the rules found say
of new rows what the planted rule says, and for comparison the boosted trees of scikit-learn on the same
table.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.harness import Row, seconds, timed
from logiclens.estimators import MuClassifier

LONG, ASKED = 1_000_000, 300_000
WIDE_ROWS, WIDE = 1000, 10_000
_WRONG = 0.03  # share of labels


@dataclass(frozen=True, eq=False)
class RawTable:
    """A raw table, what the planted rule says of each row, and labels, some of them wrong."""

    X: pd.DataFrame
    planted: np.ndarray
    y: np.ndarray

    @classmethod
    def of(cls, X: pd.DataFrame, planted: np.ndarray, random: np.random.Generator) -> RawTable:
        """With labels that are wrong now and then."""
        return cls(X, planted, np.where(planted ^ (random.random(len(X)) < _WRONG), "yes", "no"))


def long_table(n_rows: int, seed: int) -> RawTable:
    """Twelve columns of numbers, text and flags, all of which have to do with the label; no row twice."""
    random = np.random.default_rng(seed)
    age, income = random.integers(18, 95, n_rows), random.lognormal(10, 0.6, n_rows).round(2)
    smoker, gold = random.random(n_rows) < 0.3, random.random(n_rows) < 0.1
    region = random.choice(["north", "south", "east", "west", "center"], n_rows)
    pressure = random.normal(120, 15, n_rows)
    planted = ((age > 62) & smoker) | ((income > 30_000) & (region == "south")) | (gold & (pressure > 130))
    nudge = planted & (random.random(n_rows) < 0.3)
    pressure[random.random(n_rows) < 0.05] = np.nan
    X = pd.DataFrame(
        {
            "age": age,
            "income": income,
            "height": (random.normal(170, 10, n_rows) + 3 * planted).round(1),
            "weight": (random.normal(75, 14, n_rows) + 4 * planted).round(1),
            "visits": random.poisson(3, n_rows) + nudge,
            "score": random.random(n_rows) ** np.where(planted, 0.8, 1.0),
            "pressure": pressure,
            "region": region,
            "plan": np.where(gold, "gold", random.choice(["basic", "plus"], n_rows)),
            "smoker": smoker,
            "city": np.where(nudge, random.integers(0, 8, n_rows), random.integers(0, 40, n_rows)).astype(
                str
            ),
            "member": np.where(nudge | (random.random(n_rows) < 0.5), "yes", "no"),
        }
    )
    X["city"] = "city " + X["city"]
    return RawTable.of(X, planted, random)


def wide_table(n_rows: int, n_columns: int, seed: int, *, flags: bool) -> RawTable:
    """Numbers or flags; the rule is about four of the columns, and sixteen more have to do with them."""
    random = np.random.default_rng(seed)
    values = random.normal(size=(n_rows, n_columns))
    truth = values > 0
    planted = (truth[:, 0] & truth[:, 1]) | (truth[:, 2] & truth[:, 3])
    values[:, 4:20] += 0.5 * values[:, np.arange(16) % 4]
    X = pd.DataFrame((values > 0).astype(int) if flags else values)
    return RawTable.of(X.rename(columns="c{}".format), planted, random)


def compare(what: str, table: RawTable, new: RawTable) -> Row:
    """Fit and explain, then predict new rows with the rules and with the network."""
    fitted, model = timed(lambda: MuClassifier(random_state=0).fit(table.X, table.y))
    rules = model.explain()
    by_rules, said = timed(lambda: rules.predict(new.X))
    by_network, _ = timed(lambda: model.decide(new.X))
    agrees = float(np.mean((said == "yes") == new.planted))
    coded = table.X.apply(
        lambda column: pd.factorize(column)[0] if column.dtype.kind not in "bif" else column
    )
    trees, _ = timed(lambda: HistGradientBoostingClassifier(random_state=0).fit(coded, table.y))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # KiB on Linux
    asked = f"{len(new.X)} new rows: rules {seconds(by_rules)}, network {seconds(by_network)}"
    return Row(
        f"raw table to rules: {what}",
        f"fit {seconds(fitted)}; {asked}; peak {peak:.1f} GiB; planted rule: {agrees:.1%}",
        f"{seconds(trees)} boosted trees",
        f"{trees / fitted:.2f}x",
        "60 s, 6 GiB",
    )


def run() -> Iterator[Row]:
    """Wide tables first, since the peak of memory is that of the process so far."""
    for flags, kind in ((True, "flags"), (False, "numbers")):
        table, new = (wide_table(WIDE_ROWS, WIDE, seed, flags=flags) for seed in (0, 1))
        yield compare(f"{WIDE_ROWS} x {WIDE} {kind}", table, new)
    yield compare(f"{LONG} x 12 mixed", long_table(LONG, 0), long_table(ASKED, 1))
