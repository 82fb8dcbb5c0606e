"""What unlabeled rows are worth: network and rules with and without them, over ten random draws of labels.

The digits of scikit-learn as pixels that are on or off, their ten classes and their parity; its measurements
of tumors; and, where the file is there, the scores of ten digits on MNIST and their parity. Half of the rows
are held out to score on, of the others 1, 5 or 10 % have a label, ten at least. Differences are paired: the
same rows, labels and seeds.

    python benchmarks/semi_supervised.py [--mnist mnist_concepts.npz] [--seeds 10] [--jobs 2]
"""

from __future__ import annotations

import argparse
import logging
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import load_breast_cancer, load_digits

SHARES = (0.01, 0.05, 0.1)
MOST = 20_000  # rows of a data set, to learn from and to score on


class Scores(NamedTuple):
    """Accuracies on the rows held out, in percent, and literals of the rules."""

    network: float
    rules: float
    literals: float


def load(name: str, mnist: Path | None) -> tuple[Any, Any]:
    """Columns, and labels."""
    if name.startswith("MNIST"):
        assert mnist is not None
        with np.load(mnist) as data:
            rows = np.sort(np.random.default_rng(0).permutation(len(data["labels"]))[:MOST])
            return data["concepts_digits"][rows].astype(float), data["labels"][rows] % 2
    if name == "tumors":
        return load_breast_cancer(return_X_y=True)
    digits = load_digits()
    return (digits.data > 7).astype(float), digits.target % 2 if "parity" in name else digits.target


def measure(
    name: str, share: float, seed: int, with_unlabeled: bool, mnist: Path | None, device: str = "cpu"
) -> Scores:
    """Fit once, and score on the other half of the rows."""
    import torch

    from logiclens import MuClassifier

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.disable()
    x, y = load(name, mnist)
    order = np.random.default_rng([seed, 97]).permutation(len(y))
    learned, held_out = np.array_split(order, 2)
    labeled, others = np.split(learned, [max(round(share * len(learned)), 10)])
    model = MuClassifier(random_state=seed, device=device)
    if with_unlabeled:
        known = np.concatenate([y[labeled].astype(object), np.full(len(others), None)])
        model.fit(x[learned], known)
    else:
        model.fit(x[labeled], y[labeled])
    rules = model.explain()
    network, decided = (100 * (each.predict(x[held_out]) == y[held_out]).mean() for each in (model, rules))
    return Scores(float(network), float(decided), float(rules.literals))


def interval(values: Sequence[float]) -> str:
    """Mean and the half-width of its 95 % interval."""
    from scipy.stats import t

    width = t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{np.mean(values):.1f} ± {width:.1f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--mnist", type=Path, help="file of concept scores")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    names = ["digits", "digits, parity", "tumors", *(["MNIST, parity"] if arguments.mnist else [])]
    cells = [(name, share) for name in names for share in SHARES]
    work = [
        (*cell, seed, both) for cell in cells for both in (False, True) for seed in range(arguments.seeds)
    ]
    found = Parallel(n_jobs=arguments.jobs)(delayed(measure)(*each, arguments.mnist) for each in work)
    scores = np.array(found).reshape(len(cells), 2, arguments.seeds, len(Scores._fields))
    print("| data | labels | network | with unlabeled | rules | with unlabeled | literals | with unlabeled |")
    print("|---|---|---|---|---|---|---|---|")
    for (name, share), (alone, both) in zip(cells, scores, strict=True):
        columns = []
        for at in range(2):
            columns += [f"{alone[:, at].mean():.1f}", interval(both[:, at] - alone[:, at])]
        literals = [f"{each[:, 2].mean():.0f}" for each in (alone, both)]
        print("| " + " | ".join([name, f"{share:.0%}", *columns, *literals]) + " |")


if __name__ == "__main__":
    main()
