"""The paper's metrics on MIMIC-II and V-Dem: ``python -m benchmarks.accuracy [--seeds 5]``.

Needs the data (``LOGICLENS_DATA``, see :mod:`logiclens.bench`). Folds are stratified and shuffled, as in the
paper: MIMIC-II in ten, V-Dem in five. All classifiers have their defaults; nothing was fitted to the test
folds. The last lines are implications, scored on the held-out rows of all folds together.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from benchmarks.terminal import frame, printed_table
from logiclens.bench import Dataset, load_mimic2, load_vdem
from logiclens.estimators import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier, cross_explain
from logiclens.estimators.validation import fit_parts
from logiclens.logic import Var
from logiclens.metrics import RuleScores, rule_scores

_FIRED = Var("fired")

COLUMNS = (
    "model_accuracy",
    "model_auc",
    "model_brier",
    "explanation_accuracy",
    "rules_accuracy",
    "complexity",
    "literals",
    "fidelity",
    "fidelity_joint",
    "consistency",
)


def classifiers() -> dict[str, Any]:
    """All networks with their defaults."""
    return {
        "mu": MuClassifier(random_state=0),
        "psi": PsiClassifier(random_state=0),
        "ReLU": ReluClassifier(random_state=0),
        "entropy": EntropyClassifier(random_state=0),
    }


def scores(classifier: Any, data: Dataset, n_folds: int, seeds: Sequence[int]) -> pd.DataFrame:
    """One row for each fold of each seed."""
    X, y = frame(data), np.array(data.labels)
    return pd.concat(
        cross_explain(classifier, X, y, cv=StratifiedKFold(n_folds, shuffle=True, random_state=seed))
        for seed in seeds
    )


def implications(data: Dataset, kind: str, seed: int = 0) -> Iterator[tuple[str, RuleScores]]:
    """Each class's rule of ten folds, scored on the rows held out from each, all together."""
    X, y = frame(data), np.array(data.labels)
    classifier = MuClassifier(random_state=0, rule=kind)
    targets, weight = classifier.read_data(X, y, None)
    tests = [test for _, test in StratifiedKFold(10, shuffle=True, random_state=seed).split(X, y)]
    weights = [np.where(np.isin(np.arange(len(y)), test), 0.0, weight) for test in tests]
    parts = fit_parts(classifier, X, targets, weights)
    for label in targets.labels:
        fired = np.zeros(len(y), dtype=bool)
        for part, test in zip(parts, tests, strict=True):
            fired[test] = part.rules[label].evaluate(X.iloc[test])
        yield str(label), rule_scores(_FIRED, {"fired": fired}, y == label)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=main.__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="fold seeds of MIMIC-II, from 0")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", ConvergenceWarning)
    console = Console(highlight=False, width=150)
    mimic2, vdem = load_mimic2(), load_vdem()
    seeds = range(options.seeds)
    for title, data, n_folds, chosen in (
        (f"MIMIC-II, 10 folds, fold seeds 0 to {options.seeds - 1}", mimic2, 10, seeds),
        ("V-Dem, 5 folds, fold seed 0", vdem, 5, [0]),
    ):
        heads = (each.replace("_", " ") for each in COLUMNS)
        table = printed_table(title, "classifier", *heads, "s a fold")
        for name, classifier in classifiers().items():
            start = time.perf_counter()
            mean = scores(classifier, data, n_folds, chosen).mean()
            spent = (time.perf_counter() - start) / (n_folds * len(chosen))
            table.add_row(name, *(_shown(column, mean[column]) for column in COLUMNS), f"{spent:.2f}")
        if data is mimic2:
            first = scores(MuClassifier.reference(random_state=0), data, n_folds, [0]).iloc[:5].mean()
            table.add_row("mu, reference settings, 5 folds", *(_shown(c, first[c]) for c in COLUMNS), "")
        console.print(table)
    for kind in ("if", "only_if"):
        for label, rates in implications(mimic2, kind):
            console.print(
                f"MIMIC-II {kind} {label}: precision {rates.precision:.1%}, recall {rates.recall:.1%}, "
                f"coverage {rates.coverage:.1%}, prevalence {rates.prevalence:.1%}"
            )


def _shown(column: str, value: float) -> str:
    return f"{value:.2f}" if column in ("complexity", "literals") else f"{100 * value:.2f}"


if __name__ == "__main__":
    main()
