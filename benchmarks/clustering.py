"""Clusters beside the groups that are known: ``python -m benchmarks.clustering [--seeds 10] [--groups]``.

With ``--groups``: made-up groups, 2 to 10 of them, 600 rows. Groups of numbers are Gaussian, their means at
least eight standard deviations apart; groups of Booleans are copies of a random row for each, one bit in
twenty flipped. The table holds adjusted Rand indices of the clusters, mean and least over the seeds, and how
often ``n_clusters="auto"`` finds the number.

Without: MNIST, which needs the data (``LOGICLENS_DATA``, see :mod:`logiclens.bench`): 70000 rows of twelve
concept scores, ten digits, even and odd. Clusters are made of all rows, without labels; afterwards they are
matched with even and odd, whichever way round agrees more. The bar is the concept ``even`` itself, cut at one
half. The last column of each row says in how many seeds the rules speak of the concepts that most seeds speak
of.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from rich.console import Console
from sklearn.metrics import adjusted_rand_score

from benchmarks.terminal import frame, printed_table
from logiclens.bench import Dataset, load_mnist
from logiclens.estimators.clusterer import PENALTIES, LENClusterer

COLUMNS = (
    "network",
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


def row(name: str, data: Dataset, seeds: Sequence[int]) -> list[str]:
    """Cells of one line."""
    X = frame(data)
    even, test = np.array(data.labels) == "even", np.asarray(data.split_test)
    shares, literals, fidelity, seconds = [], [], [], []
    spoken: Counter[tuple[str, ...]] = Counter()
    for seed in seeds:
        start = time.perf_counter()
        clusterer = LENClusterer(2, network=name, random_state=seed).fit(X)
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
    parser.add_argument("--groups", action="store_true", help="made-up groups in place of MNIST")
    options = parser.parse_args(arguments)
    console = Console(highlight=False, width=150)
    if options.groups:
        groups_found(console, range(options.seeds))
        return
    data = load_mnist(parity=True)
    even = np.array(data.labels) == "even"
    by_concept = np.array(data.concepts)[:, data.concept_names.index("even")] > 0.5
    test = np.asarray(data.split_test)
    title = f"MNIST, two clusters, seeds 0 to {options.seeds - 1}"
    table = printed_table(title, *COLUMNS, n_words=2)
    table.add_row(
        "the concept even",
        *(f"{100 * matched(by_concept[part], even[part]):.2f}" for part in (slice(None), test)),
    )
    for name in PENALTIES:
        table.add_row(*row(name, data, range(options.seeds)))
    console.print(table)


def gaussian(n_groups: int, n_columns: int, seed: int, n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """Rows of numbers, and the group of each."""
    rng = np.random.default_rng(seed)
    side = 10.4 * max(1.0, n_groups ** (1 / n_columns))
    means: list[np.ndarray] = []
    while len(means) < n_groups:
        mean = rng.uniform(0, side, n_columns)
        if all(np.linalg.norm(mean - other) >= 8.0 for other in means):
            means.append(mean)
    group = np.arange(n) % n_groups
    return np.array(means)[group] + rng.normal(size=(n, n_columns)), group


def boolean(n_groups: int, n_columns: int, seed: int, n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """Rows of Booleans, and the group of each."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % n_groups
    rows = rng.random((n_groups, n_columns)) < 0.5
    return rows[group] ^ (rng.random((n, n_columns)) < 0.05), group


def groups_found(console: Console, seeds: Sequence[int]) -> None:
    """Print adjusted Rand indices of clusters and made-up groups."""
    table = printed_table(
        f"Groups found, {len(seeds)} seeds",
        "groups",
        "rows",
        "clusters, mean",
        "clusters, least",
        "rules, mean",
        "fidelity",
        "literals",
        "auto",
        "s a fit",
        n_words=2,
    )
    for n_groups in range(2, 11):
        kinds: dict[str, Callable[[int], tuple[np.ndarray, np.ndarray]]] = {
            f"{d} numbers": partial(gaussian, n_groups, d) for d in (2, 4, 8)
        }
        kinds[f"{4 * n_groups} Booleans"] = partial(boolean, n_groups, 4 * n_groups)
        for name, make in kinds.items():
            found = []
            for seed in seeds:
                X, group = make(seed)
                start = time.perf_counter()
                clusterer = LENClusterer(n_groups, random_state=seed).fit(X)
                seconds = time.perf_counter() - start
                rules = clusterer.explain()
                by_rules = rules.predict(X)
                number = LENClusterer("auto", restarts=1, l1=0.001, epochs=2, random_state=seed)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    number.fit(X)
                found.append(
                    [
                        adjusted_rand_score(group, clusterer.labels_),
                        adjusted_rand_score(group, by_rules),
                        (by_rules == clusterer.labels_).mean(),
                        rules.literals,
                        number.n_clusters_ == n_groups,
                        seconds,
                    ]
                )
            clusters, by_rules, same, literals, auto, seconds = np.array(found, dtype=float).T
            table.add_row(
                str(n_groups),
                name,
                f"{clusters.mean():.3f}",
                f"{clusters.min():.3f}",
                f"{by_rules.mean():.3f}",
                f"{100 * same.mean():.1f}",
                f"{literals.mean():.1f}",
                f"{int(auto.sum())} of {len(seeds)}",
                f"{np.median(seconds):.1f}",
            )
    console.print(table)


if __name__ == "__main__":
    main()
