"""How good rules are on rows in an engine: the figures of :mod:`logiclens.cli.outcome`, from counts.

Rules are scored in the engine, in one pass. What the network says is asked about the distinct tuples of
concepts alone, each with the number of its rows; where there are too many of these, nothing is said of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.cli.counting import Counted
from logiclens.cli.leaks import NEARLY_ALL, Telling, says_more
from logiclens.cli.outcome import ClassOutcome, Outcome
from logiclens.errors import LimitError
from logiclens.estimators.inputs_and_targets import decisions, predicted_index
from logiclens.estimators.networks import ask
from logiclens.explain import ExplanationSet
from logiclens.explain.resolution import used_concepts
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.scale._collapse import collapse
from logiclens.scale._expressions import concept_expression
from logiclens.scale._rule_queries import score
from logiclens.scale._training_rows import check_rows

_ROWS_OF_A_GROUP = 30  # of fewer, on average, a column says much by chance


@dataclass(frozen=True, eq=False)
class Tuples:
    """Distinct tuples of concepts and class among the rows scored.

    Attributes
    ----------
    values : ndarray of bool, shape (n, n_concepts)
    labels : ndarray of shape (n,)
    counts : ndarray of float, shape (n,)
        Rows that each stands for.
    """

    values: BoolArray
    labels: NDArray[Any]
    counts: FloatArray

    def share(self, where: Any) -> float:
        """Share of the rows of which something is true."""
        return float(self.counts @ np.asarray(where, dtype=np.float64) / self.counts.sum())


def scored_tuples(model: Any, counted: Counted) -> Tuples | None:
    """The rows scored, collapsed; None where they do not collapse enough.

    Parameters
    ----------
    model : classifier of this package, fitted
        With a vocabulary.
    counted : Counted
    """
    rows = check_rows(counted.scored, counted.label, counted.columns)
    bits = [concept_expression(rows.table, concept) for concept in model.explain().vocabulary.concepts]
    try:
        found = collapse(rows, bits)
    except LimitError:
        return None
    labels = np.array(rows.answers(found.found).to_pylist(), dtype=object)
    return Tuples(found.bits, labels, found.counts)


def measure(model: Any, counted: Counted, tuples: Tuples | None) -> Outcome:
    """Score the rules and the network of a fitted classifier.

    Parameters
    ----------
    model : classifier of this package, fitted
    counted : Counted
        What it was fitted on, and the rows to score it on.
    tuples : Tuples or None
        The rows scored, collapsed; without them, nothing is known of the network.
    """
    rules: ExplanationSet = model.explain()
    scores = score(rules, counted.scored, counted.label)
    sizes = counted.sizes
    n_scored = {label: held if counted.n_held else train for label, (train, held) in sizes.items()}
    guess = max(sizes, key=lambda label: sizes[label][0])
    network = _Network.of(model, rules, tuples)
    return Outcome(
        classes=tuple(
            ClassOutcome(
                label,
                explanation,
                n_all=sum(sizes[label]),
                n=n_scored[label],
                scores=scores.by_label[label].rates,
                fidelity=network.by_class[at],
                agreement=scores.by_label[label].plain,
            )
            for at, (label, explanation) in enumerate(rules.items())
        ),
        held_out=bool(counted.n_held),
        n_train=counted.n_train,
        n=scores.n_rows,
        network_accuracy=network.accuracy,
        rules_accuracy=scores.accuracy,
        guess_accuracy=n_scored[guess] / scores.n_rows,
        fidelity=network.fidelity,
        resolution=scores.resolution,
    )


@dataclass(frozen=True)
class _Network:
    """How often the network is right, and agrees with the rules together and with each."""

    accuracy: float
    fidelity: float
    by_class: tuple[float, ...]

    @classmethod
    def of(cls, model: Any, rules: ExplanationSet, tuples: Tuples | None) -> _Network:
        if tuples is None:
            return cls(np.nan, np.nan, (np.nan,) * len(rules))
        x = tuples.values.astype(np.float64)
        logits = ask(model.network_, x)
        said = decisions(logits, model.problem_)
        predicted = model.classes_[predicted_index(logits, model.problem_)]
        names = rules.concept_names
        fired = rules.fired(tuples.values, names)
        return cls(
            tuples.share(predicted == tuples.labels),
            tuples.share(predicted == rules.predict(tuples.values, names)),
            tuple(tuples.share(fired[:, at] == said[:, at]) for at in range(len(rules))),
        )


def telling_columns(rules: ExplanationSet, counted: Counted, tuples: Tuples | None) -> tuple[Telling, ...]:
    """Columns of the rules that alone give nearly all answers, the most telling first.

    Rows of which the concepts of a column say the same get the class that is most common among them.
    """
    words = rules.vocabulary
    if words is None or tuples is None or len(counted.columns) < 2:
        return ()
    classes = np.unique(tuples.labels.astype(str), return_inverse=True)[1]
    everything = np.zeros(len(classes), dtype=np.intp)
    guess = _share(everything, classes, tuples.counts)
    used = used_concepts([*rules.formulas.values(), *rules.conditions.values()])
    found = []
    for column in words.used_columns(used):
        at = [place for place, concept in enumerate(words.concepts) if concept.column == column]
        groups = np.unique(tuples.values[:, at], axis=0, return_inverse=True)[1].reshape(-1)
        if (groups.max() + 1) * _ROWS_OF_A_GROUP > tuples.counts.sum():
            continue
        share = _share(groups, classes, tuples.counts)
        if share >= NEARLY_ALL and says_more(share, guess, tuples.counts.sum()):
            found.append(Telling(column, share))
    return tuple(sorted(found, key=lambda each: -each.share))


def _share(groups: IndexArray, classes: IndexArray, counts: FloatArray) -> float:
    """Share of the rows that are of the most common class of their group."""
    cells = np.zeros((int(groups.max()) + 1, int(classes.max()) + 1))
    np.add.at(cells, (groups, classes), counts)
    return float(cells.max(axis=1).sum() / counts.sum())
