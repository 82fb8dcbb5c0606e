"""How good rules are on rows that were held out: figures for the screen and for JSON, computed once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from logiclens.cli.preparing import Prepared
from logiclens.explain import Explanation, ExplanationSet, Resolution
from logiclens.explain.rule import Label
from logiclens.logic.arrays import BoolArray
from logiclens.metrics import RuleScores, rule_scores


class ClassOutcome(NamedTuple):
    """A class, its rule, and how good that is on the rows scored.

    Attributes
    ----------
    label : str, int, float or bool
    explanation : Explanation
    n_all : int
        Rows of the class among all rows.
    n : int
        Rows of the class among those scored.
    scores : RuleScores
        Of the rule's formula, against the class.
    fidelity : float
        Share of the rows on which the formula says what the network says.
    agreement : float
        Share of the rows on which the formula says what is true.
    """

    label: Label
    explanation: Explanation
    n_all: int
    n: int
    scores: RuleScores
    fidelity: float
    agreement: float


@dataclass(frozen=True)
class Outcome:
    """All classes, and network and rules as classifiers.

    Attributes
    ----------
    classes : tuple of ClassOutcome
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

    classes: tuple[ClassOutcome, ...]
    held_out: bool
    n_train: int
    n: int
    network_accuracy: float
    rules_accuracy: float
    guess_accuracy: float
    fidelity: float
    resolution: Resolution


def outcome_of(
    explanation: Explanation,
    rows: Any,
    is_target: Any,
    said: BoolArray | None = None,
    n_all: int | None = None,
) -> ClassOutcome:
    """Score one rule.

    Parameters
    ----------
    explanation : Explanation
    rows : pyarrow.Table, n rows
    is_target : array of bool, shape (n,)
        Which rows are the class.
    said : array of bool, shape (n,), optional
        Which the network says are; those that are when missing.
    n_all : int, optional
        Rows of the class among all rows; those among these when missing.
    """
    truth = np.asarray(is_target, dtype=np.bool_)
    fired = explanation.evaluate(rows)
    return ClassOutcome(
        explanation.target,
        explanation,
        n_all=int(truth.sum()) if n_all is None else n_all,
        n=int(truth.sum()),
        scores=rule_scores(explanation, rows, truth),
        fidelity=_share(fired == (truth if said is None else said)),
        agreement=_share(fired == truth),
    )


def measure(model: Any, prepared: Prepared) -> Outcome:
    """Score the rules and the network of a fitted classifier.

    Parameters
    ----------
    model : classifier of this package, fitted
    prepared : Prepared
        What it was fitted on, and the rows to score it on.
    """
    which = prepared.scored
    rows, truth = prepared.rows(which)
    rules: ExplanationSet = model.explain()
    said: BoolArray = model.decide(rows)
    by_rules, by_network = rules.predict(rows), model.predict(rows)
    train = prepared.labels[~which] if prepared.held_out.any() else prepared.labels
    return Outcome(
        classes=tuple(
            outcome_of(explanation, rows, truth == label, said[:, at], int((prepared.labels == label).sum()))
            for at, (label, explanation) in enumerate(rules.items())
        ),
        held_out=bool(prepared.held_out.any()),
        n_train=len(train),
        n=len(truth),
        network_accuracy=_share(by_network == truth),
        rules_accuracy=_share(by_rules == truth),
        guess_accuracy=_share(truth == _most_frequent(train)),
        fidelity=_share(by_rules == by_network),
        resolution=rules.coverage_counts(rows),
    )


def _share(agree: Any) -> float:
    return float(np.mean(agree))


def _most_frequent(labels: NDArray[Any]) -> Any:
    found, sizes = np.unique(labels, return_counts=True)
    return found[sizes.argmax()]
