"""Concept bottlenecks on pictures: ``python -m benchmarks.pictures mnist|cub --device cuda --out FOLDER``.

A ResNet10 is trained from scratch to see the concepts (ten digits, or 108 attributes of birds) and a mu
network on top of it predicts the classes and says how (Eq. 10). All is judged on the pictures of
``split_test``, which nothing was trained on. Beside it stands the same mu network on the concept scores that
come with the data, trained and judged on the same rows. Then the true values of more and more concepts are
filled in on the test pictures: the curve of interventions.

Needs the data (``LOGICLENS_DATA``, see :mod:`logiclens.bench`). What is found is printed, and written to
``FOLDER/pictures_<data>.json``, as soon as it is known. ``figure pictures_mnist.json pictures_cub.json --out
curves.svg`` draws the curves.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning

from benchmarks.scenes import RandomView
from logiclens.bench import Dataset, Pictures, load_cub, load_cub_pictures, load_mnist, load_mnist_pictures
from logiclens.estimators import MuClassifier
from logiclens.metrics import explanation_accuracy, fidelity
from logiclens.nn.resnet import resnet10
from logiclens.pipelines import ConceptBottleneckClassifier, intervention_curve


@dataclass(frozen=True)
class Setting:
    """How the ResNet10 of one data set is trained."""

    epochs: int
    batch_size: int
    learning_rate: float
    weight_decay: float
    stem: str
    dropout: float
    view: RandomView


SETTINGS = {
    "mnist": Setting(12, 256, 2e-3, 1e-2, "small", 0.0, RandomView((0.9, 1.1), turn=10.0, shift=0.1)),
    "cub": Setting(150, 128, 1e-3, 5e-2, "medium", 0.2, RandomView((0.6, 1.0), mirror=True, light=0.3)),
}


class Findings:
    """What was found so far: printed line by line, and in a JSON file that is whole after each."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.values: dict[str, Any] = {}
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)

    def add(self, name: str, value: Any, shown: str | None = None) -> None:
        """Print and store one finding."""
        self.values[name] = value
        print(f"{name}: {value if shown is None else shown}", flush=True)
        if self.path is not None:
            self.path.write_text(json.dumps(self.values, indent=1, ensure_ascii=False), encoding="utf-8")


class TimedMu(MuClassifier):
    """A mu classifier that says when its training begins: the concept model is done then."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TimedMu:
        """Fit, and keep the times."""
        self.began_ = time.perf_counter()
        print("the concept scores of the training pictures are there; the classes follow", flush=True)
        super().fit(X, y, sample_weight=sample_weight)
        self.ended_ = time.perf_counter()
        return self


def load(name: str, rows: int | None) -> tuple[Pictures, Dataset, np.ndarray, np.ndarray]:
    """Pictures, stored scores, and the rows to train on and to test on; a few of them when told so."""
    scores = load_mnist() if name == "mnist" else load_cub()
    if name == "mnist":
        pictures = load_mnist_pictures()
        train, test = _few(pictures.split_train, rows), _few(pictures.split_test, rows)
    else:
        seen = np.setdiff1d(np.arange(len(scores.labels)), scores.split_test)
        train, test = _few(seen, rows), _few(np.asarray(scores.split_test), rows)
        pictures = load_cub_pictures(rows=None if rows is None else [*train, *test])
    return pictures, scores, train, test


def _few(rows: np.ndarray, number: int | None) -> np.ndarray:
    """Some rows, spread evenly, or all."""
    if number is None or number >= len(rows):
        return np.sort(rows)
    return np.sort(rows)[np.linspace(0, len(rows) - 1, number).astype(int)]


def judge(
    estimator: MuClassifier, scores: np.ndarray, y: np.ndarray, names: Sequence[str]
) -> dict[str, float]:
    """Figures of a fitted LEN and of its rules on rows of concept scores."""
    rules = estimator.explain()
    lengths = [explanation.complexity for explanation in rules.values()]
    predicted = estimator.predict(scores)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes that do not occur among few rows
        agreement = explanation_accuracy(rules, scores, y, names=names)
        faithful = fidelity(rules, scores, estimator.decide(scores), names=names)
    return {
        "class_accuracy": float((predicted == y).mean()),
        "rules_accuracy": float(rules.score(scores, y)),
        "rules_macro_f1": float(agreement.macro_f1),
        "fidelity_macro_f1": float(faithful.macro_f1),
        "fidelity_plain": float(faithful.plain),
        "n_rules": int(sum(length > 0 for length in lengths)),
        "mean_literals": float(np.mean(lengths)),
    }


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Train, judge, compare and intervene; everything found so far is on disk at any moment."""
    name, setting = options.data, SETTINGS[options.data]
    changed = {key: getattr(options, key) for key in ("epochs", "batch_size", "learning_rate", "stem")}
    setting = replace(setting, **{key: value for key, value in changed.items() if value is not None})
    found = Findings(options.out and options.out / f"pictures_{name}.json")
    start = time.perf_counter()
    pictures, stored, train, test = load(name, options.rows)
    found.add("pictures", repr(pictures))
    found.add("rows", {"train": len(train), "test": len(test)})
    found.add("seconds_loading", time.perf_counter() - start)
    found.add("setting", {key: str(value) for key, value in vars(setting).items()})
    found.add("torch", f"{torch.__version__}, {options.device}: {_device_name(options.device)}")
    X, y, concepts = pictures.pictures, np.array(pictures.labels), pictures.concepts.astype(float)
    estimator = TimedMu(random_state=options.seed, device=options.device, **options.len)
    model = ConceptBottleneckClassifier(
        resnet10(
            len(pictures.concept_names),
            X.shape[1],
            width=options.width,
            stem=setting.stem,
            dropout=setting.dropout,
            random_state=options.seed,
        ),
        estimator,
        joint=options.joint,
        epochs=setting.epochs,
        batch_size=setting.batch_size,
        learning_rate=setting.learning_rate,
        weight_decay=setting.weight_decay,
        patience=setting.epochs,
        validation_fraction=options.validation,
        augment=setting.view,
        device=options.device,
        random_state=options.seed,
        verbose=True,
    )
    start = time.perf_counter()
    model.fit(X[train], y[train], concepts[train], pictures.concept_names)
    found.add("seconds_concept_model", model.estimator_.began_ - start)
    found.add("seconds_len", model.estimator_.ended_ - model.estimator_.began_)
    found.add("loss_of_concepts", model.history_.train.tolist(), f"{model.history_.train[-1]:.4f} at the end")
    if model.history_.best >= 0 and np.isfinite(model.history_.check).any():
        found.add("validation_loss", model.history_.check.tolist(), f"best in epoch {model.history_.best}")
    if options.joint:
        found.add("joint_loss", model.joint_loss_.tolist())
    start = time.perf_counter()
    scores = model.predict_concepts(X[test])
    found.add("seconds_predicting", time.perf_counter() - start)
    truth = concepts[test] > 0.5
    found.add("concept_accuracy", float(((scores > 0.5) == truth).mean()))
    found.add("concept_accuracy_train", model.concept_accuracy(X[train], concepts[train]))
    found.add("bottleneck", judge(model.estimator_, scores, y[test], pictures.concept_names))
    found.add(
        "rules", [str(rule) for rule in model.explain().values()], str(next(iter(model.explain().values())))
    )
    for order in ("uncertainty", "relevance", "random"):
        curve = intervention_curve(model, X[test], y[test], concepts[test], order=order, random_state=0)
        steps = [0, len(curve.accuracy) // 4, len(curve.accuracy) // 2, -1]
        line = ", ".join(f"{curve.n_corrected[j]}: {curve.accuracy[j]:.4f}" for j in steps)
        found.add(f"intervention_{order}", curve.to_dict(), line)
    given = np.asarray(stored.concepts)
    found.add("stored_concept_accuracy", float(((given[test] > 0.5) == truth).mean()))
    beside = TimedMu(random_state=options.seed, device=options.device, **options.len)
    beside.fit(dict(zip(pictures.concept_names, given[train].T, strict=True)), y[train])
    found.add("stored_seconds_len", beside.ended_ - beside.began_)
    found.add("stored", judge(beside, given[test], y[test], pictures.concept_names))
    return found.values


COLORS = {"uncertainty": "#3f51b5", "relevance": "#00897b", "random": "#9e9e9e"}
"""Of the three orders in which concepts are put right."""


def figure(findings: Sequence[Path], out: Path) -> None:
    """Draw the curves of interventions, one panel for each file of findings, as an SVG file."""
    width, height, left, top = 330, 230, 55, 40
    panels = []
    for at, path in enumerate(findings):
        stored = json.loads(path.read_text(encoding="utf-8"))
        curves = {order: stored[f"intervention_{order}"] for order in COLORS}
        most = max(max(curve["n_corrected"]) for curve in curves.values())
        low = min(min(curve["accuracy"]) for curve in curves.values())
        high = max(max(curve["accuracy"]) for curve in curves.values())
        span = max(high - low, 1e-6)
        x0 = left + at * (width + 80)
        name = path.stem.removeprefix("pictures_").upper()
        parts = [
            f'<text x="{x0}" y="22" font-weight="bold">{name}: accuracy on held-out pictures</text>',
            f'<path d="M{x0} {top}v{height}h{width}" fill="none" stroke="#888"/>',
        ]
        for share in (0.0, 0.5, 1.0):
            y = top + height * (1 - share)
            label = f"{100 * (low + share * span):.1f} %"
            parts.append(f'<text x="{x0 - 6}" y="{y + 4:.0f}" text-anchor="end">{label}</text>')
            x = x0 + width * share
            label = f"{most * share:.0f}"
            parts.append(f'<text x="{x:.0f}" y="{top + height + 18}" text-anchor="middle">{label}</text>')
        middle = x0 + width / 2
        parts.append(
            f'<text x="{middle:.0f}" y="{top + height + 36}" text-anchor="middle">concepts put right</text>'
        )
        for line, (order, curve) in enumerate(curves.items()):
            points = " ".join(
                f"{x0 + width * n / most:.1f},{top + height * (1 - (value - low) / span):.1f}"
                for n, value in zip(curve["n_corrected"], curve["accuracy"], strict=True)
            )
            color = COLORS[order]
            parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
            y = top + height - 12 - 16 * line
            parts.append(
                f'<text x="{x0 + width - 6}" y="{y}" text-anchor="end" fill="{color}">by {order}</text>'
            )
        panels.extend(parts)
    size = f"{left + len(findings) * (width + 80)} {top + height + 50}"
    text = "\n".join(panels)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif" '
        f'font-size="12">\n<rect width="100%" height="100%" fill="#fff"/>\n{text}\n</svg>\n',
        encoding="utf-8",
    )
    print(out)


def _device_name(device: str) -> str:
    return torch.cuda.get_device_name() if device.startswith("cuda") else "CPU"


def main(arguments: Sequence[str] | None = None) -> dict[str, Any] | None:
    """Train on pictures, and compare with the stored concept scores."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pictures", description=main.__doc__)
    parser.add_argument("data", choices=["mnist", "cub", "figure"])
    parser.add_argument("what", nargs="*", help="the files of findings to draw")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path, help="folder for the findings; the file, for figure")
    parser.add_argument("--rows", type=int, help="at most this many pictures to train on, and to test on")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--batch-size", type=int)
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--stem", choices=["small", "medium", "large"])
    parser.add_argument("--width", type=int, default=64, help="channels of the first stage")
    parser.add_argument("--validation", type=float, default=0.0, help="share of the training rows held out")
    parser.add_argument("--joint", action="store_true", help="move the concepts for the sake of the classes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--len", type=json.loads, default={}, help="settings of the mu network, as '{\"max_concepts\": 7}'"
    )
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", ConvergenceWarning)
    if options.data == "figure":
        if not options.what or options.out is None:
            sys.exit("benchmarks: write figure pictures_mnist.json pictures_cub.json --out FILE.svg")
        figure([Path(file) for file in options.what], options.out)
        return None
    return run(options)


if __name__ == "__main__":
    main()
