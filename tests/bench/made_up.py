"""Rows of results that nobody measured, for tests of tables, figures and verdicts."""

from __future__ import annotations

from typing import Any

import numpy as np

from logiclens.bench.experiments import EXPERIMENTS
from logiclens.bench.methods import CLUSTERERS, METHODS
from logiclens.bench.reference_figures import CLASS_SHOWN

RATES = ("model_accuracy", "explanation_accuracy", "fidelity")
WITHOUT_RULES = ("logistic", "mlp", "boosting")


def row(experiment: str = "mimic2", method: str = "mu", fold: int = 0, **columns: Any) -> dict[str, Any]:
    """One row with what every row has, and the columns given."""
    always = {"experiment": experiment, "part": "", "method": method, "fold": fold, "fold_seed": 0, "seed": 0}
    return always | {"status": "done"} | columns


def column(
    name: str, values: list[float], experiment: str = "mimic2", method: str = "mu"
) -> list[dict[str, Any]]:
    """A row for each fold, with one figure."""
    return [row(experiment, method, fold, **{name: value}) for fold, value in enumerate(values)]


def made_up_rows(fold_seed: int = 0) -> list[dict[str, Any]]:
    """Rows of every experiment and method, of random figures."""
    random = np.random.default_rng(fold_seed)
    rows = []
    for name, experiment in EXPERIMENTS.items():
        for method in METHODS if experiment.supervised else CLUSTERERS:
            for fold in range(experiment.n_folds):
                rows.append(row(name, method, fold, fold_seed=fold_seed, **_figures(random, name, method)))
                if name == "cub":
                    lower = {each: rows[-1][each] and rows[-1][each] / 2 for each in RATES}
                    rows.append(rows[-1] | lower | {"part": "unseen pictures", "used": {}, "formulas": {}})
    return rows


def _figures(random: np.random.Generator, experiment: str, method: str) -> dict[str, Any]:
    seconds, rates = float(random.uniform(0.1, 100.0)), random.uniform(0.6, 1.0, 7).tolist()
    made: dict[str, Any] = {"n_concepts": 20, "model_accuracy": rates[0], "used": {}, "formulas": {}}
    made |= {"seconds": seconds, "seconds_train": seconds, "seconds_extract": 0.0}
    columns = ("explanation_accuracy", "fidelity", "fidelity_outputs")
    of_rules = dict(zip([*columns, *(f"{each}_plain" for each in columns)], rates[1:], strict=True))
    of_rules |= {"complexity": float(random.uniform(1.0, 60.0)), "n_without_rule": 0}
    if method in WITHOUT_RULES:
        return made | dict.fromkeys(of_rules)
    concepts = [f"c{at}" for at in sorted(random.choice(20, size=4, replace=False).tolist())]
    classes = ("other", CLASS_SHOWN[experiment])
    texts = [f"{concepts[0]} & ~{concepts[1]} | {concepts[2]}", " | ".join(concepts)]
    rules = {"used": dict.fromkeys(classes, concepts), "formulas": dict(zip(classes, texts, strict=True))}
    return made | of_rules | rules
