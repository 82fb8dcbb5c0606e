"""Train what a command asks for, with its settings, and without a word to the screen but progress."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import logiclens
from logiclens.cli.choices import Kind, Network

if TYPE_CHECKING:
    from logiclens.cli.preparing import Prepared
    from logiclens.cli.progress import Progress
    from logiclens.estimators.base import LENClassifier

METRICS = {
    "model_accuracy": "accuracy of the network",
    "explanation_accuracy": "accuracy of the rules (macro-F1)",
    "complexity": "literals of a rule",
    "fidelity": "fidelity of the rules (macro-F1)",
    "consistency": "consistency of the concepts",
    "time": "seconds for a fold",
}
"""The six metrics of the paper (Sec. 6.2), as ``cross_explain`` calls them and in words."""


_LONGEST = 60  # where fronts end at least, unless told otherwise


class Settings(NamedTuple):
    """How to train.

    Attributes
    ----------
    network : Network
    rule : Kind
    seed : int
    max_literals : int, optional
        Literals of the longest rules on the front.
    device : str
    literals : int, optional
        Literals of the rules that are shown.
    distillation : float, optional
    """

    network: Network = Network.MU
    rule: Kind = Kind.IFF
    seed: int = 0
    max_literals: int | None = None
    device: str = "cpu"
    literals: int | None = None
    distillation: float | None = None

    def entries(self) -> dict[str, Any]:
        """The settings, for JSON."""
        return {
            "network": str(self.network),
            "rule": str(self.rule),
            "seed": self.seed,
            "max_literals": self.max_literals,
            "literals": self.literals,
            "distillation": self.distillation,
            "device": self.device,
        }

    @property
    def longest(self) -> int | str:
        """Where the front ends: not before the length that is asked for."""
        if self.max_literals is None and (self.literals or 0) <= _LONGEST:
            return "auto"
        return max(self.max_literals or 0, self.literals or 0)


class MeanAndError(NamedTuple):
    """Mean of a metric over folds, and its standard error; NaN for what is one figure for all folds."""

    mean: float
    standard_error: float


def classifier(settings: Settings, *, verbose: bool = False) -> LENClassifier:
    """An unfitted classifier; every column is encoded, so that rules speak of columns."""
    from logiclens.concepts import ConceptEncoder

    make = getattr(logiclens, f"{settings.network.value.capitalize()}Classifier")
    model: LENClassifier = make(
        rule=str(settings.rule),
        max_literals=settings.longest,
        literals="auto" if settings.literals is None else settings.literals,
        encoder=ConceptEncoder(),
        device=settings.device,
        random_state=settings.seed,
        verbose=verbose,
        **({} if settings.distillation is None else {"distillation": settings.distillation}),
    )
    return model


def trained(prepared: Prepared, settings: Settings, progress: Progress) -> LENClassifier:
    """A classifier fitted on the rows that are not held out."""
    rows, labels = prepared.rows(~prepared.held_out)
    with progress.training():
        return classifier(settings, verbose=progress.shown).fit(rows, labels)


def cross_validated(
    prepared: Prepared, settings: Settings, folds: int, progress: Progress
) -> dict[str, MeanAndError]:
    """The six metrics of the paper over folds of all rows."""
    import numpy as np

    with progress.doing(f"cross-validation, {folds} folds"):
        scores = logiclens.cross_explain(classifier(settings), prepared.inputs, prepared.labels, cv=folds)
    found = {}
    for metric in METRICS:
        values = np.asarray(scores[metric], dtype=np.float64)
        shared = metric in ("consistency", "time")
        error = np.nan if shared else values.std(ddof=1) / np.sqrt(len(values))
        found[metric] = MeanAndError(float(values.mean()), float(error))
    return found
