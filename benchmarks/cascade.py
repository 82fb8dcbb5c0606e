"""A cascade on V-Dem, from the items to the indices to electoral democracy: ``python -m benchmarks.cascade``.

Needs the data (``LOGICLENS_DATA``, see :mod:`logiclens.bench`). Five folds, stratified and shuffled; nothing
was fitted to the test folds. A line for each level, one for the rules of both levels put together, and beside
them a flat LEN from the items straight to the classes. *Fidelity* of the composed rules is to the cascade.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from benchmarks.terminal import frame, printed_table
from logiclens.bench import load_vdem_items
from logiclens.estimators import MuClassifier
from logiclens.metrics import complexity, explanation_accuracy, fidelity
from logiclens.pipelines import CascadeClassifier

COLUMNS = ("model accuracy", "explanation macro-F1", "rules accuracy", "literals", "fidelity", "plain", "s")


def line(rules: Any, X: Any, truth: Any, said: np.ndarray, model: float, y: Any = None) -> dict[str, float]:
    """Scores of rules on test rows, against the truth and against what the model says."""
    faithful = fidelity(rules, X, said)
    return {
        "model accuracy": model,
        "explanation macro-F1": explanation_accuracy(rules, X, truth).macro_f1,
        "rules accuracy": np.nan if y is None else rules.score(X, y),
        "literals": complexity(rules),
        "fidelity": faithful.macro_f1,
        "plain": faithful.plain,
    }


def fold(
    X: pd.DataFrame, C: pd.DataFrame, y: np.ndarray, parts: tuple[np.ndarray, np.ndarray], train_on: str
) -> dict[str, dict[str, float]]:
    """Scores of a cascade, and of a flat LEN, on one fold."""
    train, test = parts
    start = time.perf_counter()
    cascade = CascadeClassifier(train_on=train_on, random_state=0)
    cascade.fit(X.iloc[train], y[train], levels=[C.iloc[train]])
    middle = time.perf_counter()
    flat = MuClassifier(random_state=0).fit(X.iloc[train], y[train])
    end = time.perf_counter()
    X, C, y = X.iloc[test], C.iloc[test], y[test]
    lower, upper = cascade.explain_levels()
    scores = cascade.predict_levels(X)[0] > 0.5
    reads = pd.DataFrame(scores, columns=C.columns).astype(float)
    said, right = cascade.decide(X), cascade.score(X, y)
    by_rules = pd.DataFrame(lower.fired(X), columns=C.columns).astype(float)
    found = {
        "items -> indices": line(lower, X, C.to_numpy(), scores, float((scores == C.to_numpy()).mean())),
        "indices -> classes, true indices": line(
            upper, C, y, cascade.estimators_[-1].decide(C), cascade.estimators_[-1].score(C, y), y
        ),
        "indices -> classes, predicted indices": line(upper, reads, y, said, right, y),
        "both rules in turn": line(upper, by_rules, y, said, right, y),
        "composed: items -> classes": line(cascade.explain(), X, y, said, right, y) | {"s": middle - start},
        "flat LEN: items -> classes": line(flat.explain(), X, y, flat.decide(X), flat.score(X, y), y)
        | {"s": end - middle},
    }
    found["both rules in turn"]["literals"] = float(np.mean([f.literals for f in cascade.composed_.values()]))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cascade", description=main.__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the folds")
    parser.add_argument("--folds", type=int, default=5)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", ConvergenceWarning)
    items, indices = load_vdem_items()
    X, C, y = frame(items), frame(indices), np.array(indices.labels)
    console = Console(highlight=False, width=150)
    for train_on in ("concepts", "predictions"):
        splitter = StratifiedKFold(options.folds, shuffle=True, random_state=options.seed)
        rows = [fold(X, C, y, parts, train_on) for parts in splitter.split(X, y)]
        title = f"V-Dem, {options.folds} folds (seed {options.seed}), train_on={train_on!r}"
        table = printed_table(title, "", *COLUMNS)
        for name in rows[0]:
            mean = pd.DataFrame([row[name] for row in rows]).reindex(columns=COLUMNS).mean()
            table.add_row(name, *(_shown(column, mean[column]) for column in COLUMNS))
        console.print(table)


def _shown(column: str, value: float) -> str:
    if np.isnan(value):
        return ""
    return f"{value:.1f}" if column in ("literals", "s") else f"{100 * value:.2f}"


if __name__ == "__main__":
    main()
