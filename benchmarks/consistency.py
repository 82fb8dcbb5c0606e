"""Consistency against accuracy: ``python -m benchmarks.consistency [--write]``.

Rules that are shorter than the best ones return more often when the rows change. How much more, and what it
costs, is read off the fronts of the default method: on each of the first five folds of an experiment rules
are those of at most this many literals, and their scores are those on the fold's test rows. Data are those of
``LOGICLENS_DATA``. ``--write`` keeps the curve in ``benchmarks/results/consistency.json``, and ``python -m
benchmarks.page`` makes a table and a figure of it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from logiclens.bench.experiments import EXPERIMENTS
from logiclens.bench.methods import pool_rows
from logiclens.bench.reference_figures import FOLDS_OF_CONSISTENCY
from logiclens.bench.scoreboard import experiment_title
from logiclens.estimators import MuClassifier
from logiclens.estimators.validation import fit_parts
from logiclens.metrics import complexity, consistency, explanation_accuracy, fidelity

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVE = Path(__file__).parent / "results" / "consistency.json"
MEASURED = ("mimic2", "mimic2-ebb", "vdem")
"""Experiments on which another method is more consistent."""
LENGTHS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30)
"""Most literals of the rules as printed."""
POINTS = {
    "consistency": "consistency",
    "adjusted": "adjusted for chance",
    "explanation_accuracy": "macro-F1",
    "fidelity": "fidelity",
}
"""What a point of the curve says, in percent, and how people call it."""


def curve(experiment: str) -> list[dict[str, Any]]:
    """Figures of one experiment, one entry for each length."""
    folds = EXPERIMENTS[experiment].folds(None, range(FOLDS_OF_CONSISTENCY))
    x, y, weights = pool_rows(folds)
    names = list(folds[0].concept_names)
    classifier = MuClassifier(encoder=None, random_state=0)
    columns = dict(zip(names, x.T, strict=True))
    targets, _ = classifier.read_data(columns, y, None)
    parts = fit_parts(classifier, columns, targets, weights)
    found = []
    for literals in LENGTHS:
        rules = [part.front.rules(literals).formulas for part in parts]
        scores = []
        for part, said, fold in zip(parts, rules, folds, strict=True):
            rows = fold.x_test.copy()
            truth = fold.y_test[:, None] == np.array(list(said))
            scores.append(
                (
                    explanation_accuracy(said, rows, truth, names=names).macro_f1,
                    fidelity(said, rows, part.predict(rows).decided, names=names).macro_f1,
                    complexity(said),
                )
            )
        returning = consistency(rules, n_concepts=len(names))
        accuracy, faithful, length = np.mean(scores, axis=0).tolist()
        found.append(
            {
                "experiment": experiment,
                "at_most": literals,
                "literals": length,
                "consistency": returning.plain,
                "adjusted": returning.adjusted,
                "explanation_accuracy": accuracy,
                "fidelity": faithful,
            }
        )
    return found


def curve_figure(points: Sequence[Mapping[str, Any]]) -> Figure:
    """Consistency against macro-F1, an experiment a panel; beside each point the most literals of a rule."""
    from matplotlib.figure import Figure

    experiments = dict.fromkeys(point["experiment"] for point in points)
    drawn = Figure(figsize=(2.6 * len(experiments) + 0.4, 2.7), layout="constrained")
    for ax, name in zip(drawn.subplots(1, len(experiments), squeeze=False)[0], experiments, strict=True):
        here = [point for point in points if point["experiment"] == name]
        x, y = ([100 * point[key] for point in here] for key in ("explanation_accuracy", "consistency"))
        ax.plot(x, y, color="#0072B2", marker="o", linewidth=1, markersize=4)
        for place in dict.fromkeys(zip(x, y, strict=True)):
            first = next(p["at_most"] for p, *at in zip(here, x, y, strict=True) if tuple(at) == place)
            ax.annotate(str(first), place, textcoords="offset points", xytext=(4, 4), fontsize=8)
        ax.set_title(experiment_title(name), fontsize=9)
        ax.set_xlabel("macro-F1 of the rules, %")
        ax.set_ylabel("consistency, %")
        ax.margins(0.15)
        ax.spines[["top", "right"]].set_visible(False)
    return drawn


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the curve of each experiment; keep it where that is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.consistency", description=main.__doc__)
    parser.add_argument("--write", action="store_true", help="keep the curve in benchmarks/results")
    options = parser.parse_args(arguments)
    found = []
    for experiment in MEASURED:
        for point in curve(experiment):
            found.append({name: round(v, 4) if isinstance(v, float) else v for name, v in point.items()})
            print("  ".join(f"{name} {value}" for name, value in found[-1].items()), flush=True)
    if options.write:
        CURVE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
