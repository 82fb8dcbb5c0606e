"""A table that drifts: ``python -m benchmarks.drift [--seeds 5]``.

Rules between the columns of MIMIC-II (``LOGICLENS_DATA``) are learnt on half of the rows; a guard is set on a
quarter to reject 5 %, and asked about the last quarter: as it is, and with the values of every column
shuffled among its rows. Printed: the share of alarms, with 95 % intervals, for several splits, and the share
to be expected of clean rows (:meth:`RuleGuard.alarm_interval`).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np
import pandas as pd

from logiclens.bench._data_files import find_file
from logiclens.bench.datasets import MIMIC2
from logiclens.guard import RuleGuard, mutual_rules
from logiclens.metrics.agreement import wilson

OUTCOMES = [
    *("day_icu_intime", "service_unit", "day_28_flg", "hospital_los_day", "icu_exp_flg", "hosp_exp_flg"),
    *("censor_flg", "mort_day_censored"),
]
"""Columns that the paper leaves out, too."""


def alarms(guard: RuleGuard, table: pd.DataFrame) -> str:
    """Share of the rows that are rejected, in percent, with its interval."""
    rejected = guard.predict(table) < 0
    rate = float(rejected.mean())
    low, high = wilson(rate, len(rejected))
    return f"{rate:.1%} ({low:.1%} to {high:.1%})"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the share of alarms on clean and on shuffled rows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drift", description=main.__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args(arguments)
    table = pd.read_csv(find_file(MIMIC2)).drop(columns=OUTCOMES)
    for seed in range(options.seeds):
        rng = np.random.default_rng(seed)
        learn, calibrate, test = np.split(rng.permutation(len(table)), [len(table) // 2, 3 * len(table) // 4])
        start = time.perf_counter()
        rules = mutual_rules(table.iloc[learn])
        seconds = time.perf_counter() - start
        guard = RuleGuard(rules).fit(table.iloc[calibrate])
        clean = table.iloc[test]
        low, high = guard.alarm_interval(len(clean))
        mixed = clean.apply(lambda column, rng=rng: rng.permutation(column.to_numpy()))
        print(
            f"seed {seed}: {len(rules)} rules in {seconds:.0f} s; alarms on {len(test)} rows: "
            f"clean {alarms(guard, clean)}, to be expected {low:.1%} to {high:.1%}; "
            f"shuffled {alarms(guard, mixed)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
