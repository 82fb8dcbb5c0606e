"""What would change it, within limits: ``python -m benchmarks.counterfactuals FOLDER``.

FOLDER has raw tables as CSV, their target last. Rules of each are learned; then each row, drawn with
replacement, gets limits at random: columns that are fixed, that may only increase or decrease, ranges between
quantiles, prices. The values of each way are put into the row.

*Broken*: ways that break a limit; *not turned*: after which the rules predict the same, or not what was said;
*forbidden*: rows that have a way, but none within the limits; *cheaper*: of up to 100 rows with a way, those
for which other values of one or two columns would cost less, by brute force over all values that rules and
limits tell apart.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console

from benchmarks.terminal import printed_table
from logiclens import MuClassifier
from logiclens.explain import ExplanationSet, Limits

TABLES = "saheart automobile contraceptive wdbc marketing".split()
MOST_TRAINED, CHECKED, MOST_TRIED = 1500, 100, 200_000


def some_limits(table: pd.DataFrame, columns: list[str], random: np.random.Generator) -> Limits:
    """Limits of some columns, drawn anew for each row."""
    numeric = [name for name in columns if pd.api.types.is_numeric_dtype(table[name])]
    ranges: dict[str, Any] = {}
    for name in columns:
        if random.random() < 0.2:
            values = table[name].dropna()
            if name in numeric:
                low, high = np.quantile(values, np.sort(random.random(2))).tolist()
                ranges[name] = (low, high) if random.random() < 0.5 else (low, None)
            else:
                ranges[name] = set(random.choice(values, 3).tolist())
    drawn = {name: random.random() for name in columns}
    return Limits(
        [name for name in columns if drawn[name] < 0.2],
        [name for name in numeric if 0.2 < drawn[name] < 0.4],
        [name for name in numeric if 0.4 < drawn[name] < 0.5],
        ranges,
        {name: float(random.integers(1, 4)) for name in columns if random.random() < 0.3},
    )


def obeys(limits: Limits, name: str, old: Any, new: Any) -> bool:
    """Whether a value may become another, without any code of the package."""
    if old == new or (pd.isna(old) and pd.isna(new)):
        return True
    known = not pd.isna(old) and not pd.isna(new)
    if name in limits.fixed:
        return False
    if name in limits.increasing and not (known and new > old):
        return False
    if name in limits.decreasing and not (known and new < old):
        return False
    told = limits.ranges.get(name)
    if isinstance(told, frozenset):
        return new in told
    if told is None:
        return True
    return (
        not pd.isna(new)
        and not (told[0] is not None and new < told[0])
        and not (told[1] is not None and new > told[1])
    )


def values_of(rules: ExplanationSet, name: str, limits: Limits, old: Any) -> list[Any]:
    """Values of a column that rules and limits tell apart, of those that are allowed."""
    words = rules.vocabulary
    assert words is not None
    names = [each for each in words.names if words[each].column == name]
    more = [end for end in limits.ranges.get(name, ()) if end is not None]
    more += [] if pd.isna(old) else [old]
    values = words.probe(name, names, {name: more})[0].values()
    return [value for value in values if obeys(limits, name, old, value)]


def cheaper(rules: ExplanationSet, row: pd.DataFrame, limits: Limits, cost: float, before: Any) -> bool:
    """Whether a change of one or two columns would do for less."""
    words = rules.vocabulary
    assert words is not None
    old = row.iloc[0]
    options = {name: values_of(rules, name, limits, old[name]) for name in words.used_columns(rules.concepts)}
    for size in (1, 2):
        for names in combinations(options, size):
            if sum(limits.price([name]) for name in names) >= cost - 1e-9:
                continue
            tried = [*product(*(options[name] for name in names))][:MOST_TRIED]
            trial = pd.concat([row] * len(tried), ignore_index=True)
            for at, name in enumerate(names):
                trial[name] = pd.Series(
                    [each[at] for each in tried],
                    dtype=trial[name].dtype if not pd.api.types.is_integer_dtype(trial[name]) else float,
                )
            if len(tried) and (rules.predict(trial) != before).any():
                return True
    return False


def counts_of(table: pd.DataFrame, n_rows: int, n_ways: int, random: np.random.Generator) -> Counter[str]:
    """What happened, over rows."""
    training = table.sample(min(len(table), MOST_TRAINED), random_state=0)
    X, y = training.iloc[:, :-1], training.iloc[:, -1].astype(str)
    rules = MuClassifier(random_state=0).fit(X, y).explain(literals=20)
    assert rules.vocabulary is not None
    columns = [*rules.vocabulary.used_columns(rules.concepts)]
    counts: Counter[str] = Counter(rows=n_rows)
    changed, before, after = [], [], []
    rows = table.iloc[random.integers(0, len(table), n_rows), :-1]
    for at in range(n_rows):
        row, limits = rows.iloc[[at]], some_limits(table, columns, random)
        start = time.perf_counter()
        found = rules.counterfactual(row, limits=limits, n=n_ways)
        counts["seconds"] += time.perf_counter() - start
        counts["forbidden"] += bool(found.forbidden)
        if not found.found:
            continue
        old = row.iloc[0]
        for way in (found, *found.alternatives):
            counts["ways"] += 1
            values = {change.what: change.value for change in way.changes}
            counts["broken"] += any(not obeys(limits, name, old[name], new) for name, new in values.items())
            changed.append({**old.to_dict(), **values})
            before.append(found.before)
            after.append(way.after)
        if counts["checked"] < CHECKED:
            counts["checked"] += 1
            cost = sum(limits.price([change.what]) for change in found.changes)
            counts["cheaper"] += cheaper(rules, row, limits, cost, found.before)
    said = rules.predict(pd.DataFrame(changed))
    counts["not turned"] += int((said == np.array(before)).sum() + (said != np.array(after)).sum())
    return counts


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what happened on each table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.counterfactuals", description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", nargs="*", default=TABLES)
    parser.add_argument("--rows", type=int, default=20_000, help="rows of each table")
    parser.add_argument("--ways", type=int, default=2)
    options = parser.parse_args(arguments)
    heads = ["rows", "ways", "broken", "not turned", "forbidden", "cheaper", "ms a row"]
    shown = printed_table("Counterfactuals within limits", "table", *heads, n_words=1)
    for name in options.tables:
        table = pd.read_csv(options.folder / f"{name}.csv.gz")
        n = counts_of(table, options.rows, options.ways, np.random.default_rng(0))
        shown.add_row(
            name,
            *(str(int(n[each])) for each in ("rows", "ways", "broken", "not turned", "forbidden")),
            f"{n['cheaper']} of {n['checked']}",
            f"{1e3 * n['seconds'] / n['rows']:.1f}",
        )
    Console(highlight=False).print(shown)


if __name__ == "__main__":
    main()
