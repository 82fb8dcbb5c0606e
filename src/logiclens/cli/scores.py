"""How good rules and network are: figures of each class and of all, as they are printed and written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from logiclens.evaluation import Evaluation
    from logiclens.evaluation._evaluate import LabeledRows
    from logiclens.evaluation._leaks import Leak
    from logiclens.explain import Explanation, ExplanationSet, Resolution
    from logiclens.explain.rule import Label
    from logiclens.metrics import RuleScores

METRICS = {
    "model_accuracy": "accuracy of the network",
    "explanation_accuracy": "accuracy of the rules (macro-F1)",
    "complexity": "literals of a rule",
    "fidelity": "fidelity of the rules (macro-F1)",
    "consistency": "consistency of the concepts",
    "time": "seconds for a fold",
}
"""The six metrics of the paper (Sec. 6.2), as ``cross_explain`` calls them and in words."""


class MeanAndError(NamedTuple):
    """Mean of a metric over folds, and its standard error; NaN for what is one figure for all folds."""

    mean: float
    standard_error: float


class HeldOutScores(NamedTuple):
    """How good rules and network are on the rows scored.

    Attributes
    ----------
    truth : Evaluation
        The rules against the true classes.
    network : Evaluation or None
        The rules against the predictions of the network; None where it was not evaluated.
    network_accuracy : float
        NaN where it was not evaluated.
    leaks : tuple of Leak
        Columns that give the answers away.
    labeled : LabeledRows, optional
        The rows scored, if they have been read.
    """

    truth: Evaluation
    network: Evaluation | None
    network_accuracy: float
    leaks: tuple[Leak, ...]
    labeled: LabeledRows | None = None

    @classmethod
    def of(cls, rows: LabeledRows, leaks: tuple[Leak, ...]) -> HeldOutScores:
        """From rows with their true classes and the predictions of a network."""
        truth, accuracy = rows.against(rows.truth), rows.share_alike(rows.network, rows.truth)
        assert truth is not None
        assert accuracy is not None
        return cls(truth, rows.against(rows.network), accuracy, leaks, rows)


class ClassScores(NamedTuple):
    """A class, its rule, and how good that is on the rows scored.

    Attributes
    ----------
    label : str, int, float or bool
    explanation : Explanation
    n_all : int
        Rows of the class among all rows.
    n : int
        Rows of the class among those scored.
    rates : RuleScores
        Of the rule's formula, against the class.
    fidelity : float
        Share of the rows on which the formula says what the network says; NaN where that is not known.
    agreement : float
        Share of the rows on which the formula says what is true.
    """

    label: Label
    explanation: Explanation
    n_all: int
    n: int
    rates: RuleScores
    fidelity: float
    agreement: float


@dataclass(frozen=True)
class ModelScores:
    """All classes, and network and rules as classifiers.

    Attributes
    ----------
    classes : tuple of ClassScores
    held_out : bool
        Whether the rows scored were held out; otherwise they were trained on.
    n_train, n : int
        Rows trained on, and rows scored.
    network_accuracy, rules_accuracy : float
        Share of the rows scored whose class is predicted.
    guess_accuracy : float
        The same of a guess: the most frequent class of the training rows.
    fidelity : float
        Share of the rows scored on which network and rules predict the same class.
    resolution : Resolution
        How many of them each step of the rules decides, and how many the default.
    """

    classes: tuple[ClassScores, ...]
    held_out: bool
    n_train: int
    n: int
    network_accuracy: float
    rules_accuracy: float
    guess_accuracy: float
    fidelity: float
    resolution: Resolution


def class_scores(
    rules: ExplanationSet, truth: Evaluation, network: Evaluation | None, sizes: Mapping[Label, int]
) -> tuple[ClassScores, ...]:
    """How good the rule of each class is.

    Parameters
    ----------
    rules : ExplanationSet
    truth : Evaluation
        The rules against the true classes.
    network : Evaluation or None
        The rules against what the network says, where that is known.
    sizes : mapping of label to int
        Rows of each class, those that are not scored included.
    """
    return tuple(
        ClassScores(
            label,
            explanation,
            n_all=sizes.get(label, 0),
            n=int(truth.by_label[label].support),
            rates=truth.by_label[label].rates,
            fidelity=float("nan") if network is None else network.by_label[label].plain,
            agreement=truth.by_label[label].plain,
        )
        for label, explanation in rules.items()
    )


def model_scores(
    rules: ExplanationSet, found: HeldOutScores, sizes: Mapping[Label, tuple[int, int]]
) -> ModelScores:
    """The figures of a fitted classifier and its rules.

    Parameters
    ----------
    rules : ExplanationSet
    found : HeldOutScores
    sizes : mapping of label to (int, int)
        Rows of each class that were trained on, and that were held out.
    """
    truth, network = found.truth, found.network
    n_train, n_held = map(sum, zip(*sizes.values(), strict=True))
    guess = max(sizes, key=lambda label: sizes[label][0])
    return ModelScores(
        classes=class_scores(rules, truth, network, {label: sum(both) for label, both in sizes.items()}),
        held_out=n_held > 0,
        n_train=n_train,
        n=truth.n_rows,
        network_accuracy=found.network_accuracy,
        rules_accuracy=truth.accuracy,
        guess_accuracy=sizes[guess][n_held > 0] / truth.n_rows,
        fidelity=float("nan") if network is None else network.accuracy,
        resolution=truth.resolution,
    )
