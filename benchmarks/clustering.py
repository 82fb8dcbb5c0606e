"""Clusters of MNIST's concepts against even and odd: ``python -m benchmarks.clustering [--seeds 10]``.

Needs the data (``LOGICLENS_DATA``, see :mod:`logiclens.bench`): 70000 rows of twelve concept scores, ten
digits, even and odd. Clusters are made of all rows, without labels; afterwards they are matched with even and
odd, whichever way round agrees more. The bar is the concept ``even`` itself, cut at one half.

The last column of each row says in how many seeds the rules speak of the concepts that most seeds speak of.
Starts that read few concepts are the same for every seed, so the second half of the table is without them.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np
from rich.console import Console

from benchmarks.terminal import frame, printed_table
from logiclens.bench import Dataset, load_mnist
from logiclens.estimators.clusterer import PENALTIES, LENClusterer

COLUMNS = (
    "network",
    "starts",
    "clusters, all",
    "clusters, test",
    "rules, all",
    "rules, test",
    "longest rule",
    "fidelity",
    "s a fit",
    "same concepts",
)


def matched(clusters: np.ndarray, even: np.ndarray) -> float:
    """Share of the rows on which two clusters are even and odd, the better way round."""
    share = float((clusters == even).mean())
    return max(share, 1.0 - share)


def row(name: str, data: Dataset, seeds: Sequence[int], narrow: int) -> list[str]:
    """Cells of one line."""
    X = frame(data)
    even, test = np.array(data.labels) == "even", np.asarray(data.split_test)
    shares, literals, fidelity, seconds = [], [], [], []
    spoken: Counter[tuple[str, ...]] = Counter()
    for seed in seeds:
        start = time.perf_counter()
        clusterer = LENClusterer(2, network=name, narrow_restarts=narrow, random_state=seed).fit(X)
        seconds.append(time.perf_counter() - start)
        rules = clusterer.explain()
        by_rules = rules.predict(X)
        shares.append(
            [
                matched(each[part], even[part])
                for each in (clusterer.labels_, by_rules)
                for part in (slice(None), test)
            ]
        )
        literals.append(max(each.complexity for each in rules.values()))
        fidelity.append(float((by_rules == clusterer.labels_).mean()))
        spoken[tuple(sorted({concept for each in rules.values() for concept in each.concepts}))] += 1
    means = np.mean(shares, axis=0)
    concepts, times = spoken.most_common(1)[0]
    return [
        name,
        "all" if narrow else "random",
        *(f"{100 * mean:.2f}" for mean in means),
        str(max(literals)),
        f"{100 * min(fidelity):.2f}",
        f"{np.median(seconds):.1f}",
        f"{times} of {len(shares)}: {', '.join(concepts)}",
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clustering", description=main.__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="seeds, from 0")
    options = parser.parse_args(arguments)
    console = Console(highlight=False, width=150)
    data = load_mnist(parity=True)
    even = np.array(data.labels) == "even"
    by_concept = np.array(data.concepts)[:, data.concept_names.index("even")] > 0.5
    test = np.asarray(data.split_test)
    title = f"MNIST, two clusters, seeds 0 to {options.seeds - 1}"
    table = printed_table(title, *COLUMNS, n_words=2)
    table.add_row(
        "the concept even",
        "",
        *(f"{100 * matched(by_concept[part], even[part]):.2f}" for part in (slice(None), test)),
    )
    for narrow in (16, 0):
        for name in PENALTIES:
            table.add_row(*row(name, data, range(options.seeds), narrow))
    console.print(table)


if __name__ == "__main__":
    main()
