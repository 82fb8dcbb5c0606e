"""What torchrun starts in test_fitting.py: one process of several that fit together.

Arguments: a folder of Parquet files, a folder for results.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from logiclens.errors import InputError
from logiclens.estimators import MuClassifier, PsiClassifier
from logiclens.scale import fit_streaming
from logiclens.scale.streaming.processes import crew_for


def refused_in_one() -> str:
    """An error of the second process alone."""
    with crew_for("cpu") as crew:
        try:
            crew.each(lambda: 1 if crew.is_first else _refuse())
        except InputError as error:
            return str(error)
    return "not refused"


def _refuse() -> int:
    raise InputError("This is wrong. Do that.")


def main() -> None:
    """Fit two classifiers, and write what came out."""
    folder, results = sys.argv[1:]
    found = {"refused": refused_in_one()}
    for classifier in (MuClassifier, PsiClassifier):
        model = classifier(random_state=0, epochs=40, restarts=1, device="cpu")
        fit_streaming(
            model,
            folder,
            "y",
            batch_rows=90,
            epochs=2,
            sample=600,
            checkpoint=f"{results}/{classifier.__name__}",
        )
        found[classifier.__name__] = {
            "curve": model.loss_curve_.tolist(),
            "rules": model.explanations_.to_json(),
            "files": sorted(os.listdir(f"{results}/{classifier.__name__}")),
        }
    Path(results, f"{os.environ['RANK']}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main()
