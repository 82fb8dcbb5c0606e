"""A cascade on V-Dem, from the items to the indices to electoral democracy: ``python -m benchmarks.cascade``.

Needs the data (``LOGICLENS_DATA``, see :mod:`logiclens.bench`). Five folds, stratified and shuffled; nothing
was fitted to the test folds. A line for each level, one for the rules of both levels put together, and beside
them a flat LEN from the items straight to the classes. *Fidelity* of the composed rules is to the cascade.

``python -m benchmarks.cascade --country Hungary --year 2018`` explains one country-year through both levels,
by a cascade that was fitted without it, and says how good such explanations are of all rows held out.
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
from logiclens.bench.datasets import vdem_country_years
from logiclens.errors import InputError
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


def explain_country(country: str, year: int, options: argparse.Namespace) -> None:
    """Explain one country-year through both levels, and score explanations of all rows held out with it."""
    items, indices = load_vdem_items()
    X, C, y = frame(items), frame(indices), np.array(indices.labels)
    known = vdem_country_years()
    if (country, year) not in known:
        raise InputError(f"V-Dem's complete rows have no {country} {year}. Take another country or year.")
    at = known.index((country, year))
    splitter = StratifiedKFold(options.folds, shuffle=True, random_state=options.seed)
    train, test = next(parts for parts in splitter.split(X, y) if at in parts[1])
    cascade = CascadeClassifier(random_state=0).fit(X.iloc[train], y[train], levels=[C.iloc[train]])
    predicted = cascade.predict(X)
    why = cascade.explain_sample(X.iloc[[at]])
    true, alike = why.evaluate(X), predicted == why.target
    console = Console(highlight=False, width=150, markup=False)
    console.print(f"{country} {year}, one of {len(test)} rows held out of {len(X)}; in truth {y[at]}")
    console.print(str(why), soft_wrap=True)
    console.print(
        f"true of the row: {bool(true[at])}; {why.status}: the cascade says the same of "
        f"{(true & alike)[train].sum()} of the {true[train].sum()} training rows that it covers "
        f"(stated: {'none' if why.scores.fidelity is None else f'{why.scores.fidelity:.2%}'}), and of "
        f"{(true & alike)[test].sum()} of {true[test].sum()} held out",
        soft_wrap=True,
    )
    found = pd.DataFrame([_score(cascade, X, predicted, row, train, test) for row in test])
    console.print(f"Over all {len(test)} rows held out:")
    for name, value in found.astype(float).mean().items():
        shown = f"{value:.1f}" if name.startswith("literals") else f"{100 * value:.2f} %"
        console.print(f"  {name:<64} {shown}")


def _score(
    cascade: CascadeClassifier,
    X: pd.DataFrame,
    predicted: np.ndarray,
    at: int,
    train: np.ndarray,
    test: np.ndarray,
) -> dict[str, float]:
    """Whether the composed reason of one row is true of it, and enough on the rows."""
    why = cascade.explain_sample(X.iloc[[at]])
    true, alike = why.evaluate(X), predicted == why.target
    covered, others = train[true[train]], test[(test != at) & true[test]]
    stated = why.scores.fidelity
    below = {name for each in why.levels[0] for name in each.concepts}
    return {
        "the composed reason is true of the row": true[at],
        "no training row that it covers is predicted otherwise": alike[covered].all(),
        "it covers no training row, and says so": not len(covered) and stated is None,
        "the stated fidelity is the one counted": (
            stated is None if not len(covered) else abs(stated - alike[covered].mean()) < 1e-9
        ),
        "training rows that it covers": true[train].mean(),
        "rows held out that it covers, but for its own": len(others) / (len(test) - 1),
        "of these the cascade says the same of": alike[others].mean() if len(others) else np.nan,
        "it needs a literal that no reason below has": not set(why.concepts) <= below,
        "literals of the composed reason": why.complexity,
        "literals of the last level's reason": why.levels[-1][0].complexity,
        "literals of the reasons below it": sum(each.complexity for each in why.levels[0]),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cascade", description=main.__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the folds")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--country", help="explain a country in a year instead")
    parser.add_argument("--year", type=int, default=2018)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", ConvergenceWarning)
    if options.country is not None:
        explain_country(options.country, options.year, options)
        return
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
