"""Our networks as methods: all folds of an experiment are trained as one population.

Folds share most of their rows, so the rows of all are pooled: a row that several folds have is one row, with
a weight in each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from logiclens.bench.methods.method import Outcome, Stopwatch
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.logic.formula import FALSE, Formula

if TYPE_CHECKING:
    from logiclens.bench.experiments import Fold
    from logiclens.estimators.base import LENClassifier
    from logiclens.estimators.validation import Part


@dataclass(frozen=True)
class Network:
    """One of our classifiers with its defaults or, as ``reference``, with the settings of the paper.

    Parameters
    ----------
    name : str
        "mu", "psi", "relu" or "entropy", whatever follows a hyphen.
    title : str
    reference : bool, default False
    """

    name: str
    title: str
    reference: bool = False

    together = True
    has_rules = True
    slow = False
    package = ""

    @property
    def kind(self) -> str:
        """Which network it is."""
        return self.name.partition("-")[0]

    def fit(self, folds: Sequence[Fold], seed: int) -> list[Outcome]:
        """Train all folds at once, explain each, and ask each about its test rows; see :meth:`Method.fit`."""
        from logiclens.estimators.validation import fit_parts

        watch = Stopwatch()
        x, y, weights = pooled(folds)
        columns = dict(zip(folds[0].concept_names, x.T, strict=True))
        classifier = self._classifier(seed)
        targets, _ = classifier.read_data(columns, y, None)
        parts = fit_parts(classifier, columns, targets, weights)
        seconds = watch.lap() / len(folds)
        present = np.asarray(targets.labels, dtype=np.intp)
        return [_outcome(part, fold, present, seconds) for part, fold in zip(parts, folds, strict=True)]

    def _classifier(self, seed: int) -> LENClassifier:
        from logiclens.estimators import classifiers

        kinds: dict[str, Any] = {
            "mu": classifiers.MuClassifier,
            "psi": classifiers.PsiClassifier,
            "relu": classifiers.ReluClassifier,
            "entropy": classifiers.EntropyClassifier,
        }
        make = kinds[self.kind].reference if self.reference else kinds[self.kind]
        made: LENClassifier = make(encoder=None, random_state=seed)
        return made


def pooled(folds: Sequence[Fold]) -> tuple[FloatArray, IndexArray, list[FloatArray]]:
    """The training rows of all folds, those that folds share only once.

    A row that a fold has twice is in the pool twice, so every weight is 0 or 1.

    Parameters
    ----------
    folds : sequence of Fold
        With the same concepts.

    Returns
    -------
    x : ndarray of shape (n, n_concepts)
    y : ndarray of int, shape (n,)
    weights : list of ndarray of shape (n,)
        1 for the rows that the fold has.
    """
    from logiclens.estimators.counting import Distinct

    sizes = [len(fold.y_train) for fold in folds]
    x = np.concatenate([fold.x_train for fold in folds])
    y = np.concatenate([fold.y_train for fold in folds])
    of_fold = np.repeat(np.arange(len(folds)), sizes)
    place = Distinct.of(x, y[:, None].astype(np.float64)).place
    # Rows that are equal to others of their fold are told apart by counting them.
    order = np.lexsort((of_fold, place))
    is_first = np.ones(len(y), dtype=np.bool_)
    is_first[1:] = (np.diff(place[order]) != 0) | (np.diff(of_fold[order]) != 0)
    starts = np.maximum.accumulate(np.where(is_first, np.arange(len(y)), 0))
    copy = np.empty(len(y), dtype=np.intp)
    copy[order] = np.arange(len(y)) - starts
    _, first, row = np.unique(place * (copy.max() + 1) + copy, return_index=True, return_inverse=True)
    weights = np.zeros((len(folds), len(first)))
    weights[of_fold, row] = 1.0
    return x[first], y[first], list(weights)


def _outcome(part: Part, fold: Fold, present: IndexArray, seconds: float) -> Outcome:
    """What a part says about a fold's test rows; classes that no fold learned are never said."""
    said = part.say(fold.x_test.copy())  # torch wants arrays that it may write to
    by_class = np.zeros((len(fold.y_test), len(fold.class_names)), dtype=np.bool_)
    by_class[:, present] = said.above
    formulas = part.rules.formulas
    rules: dict[str, Formula] = {name: formulas.get(at, FALSE) for at, name in enumerate(fold.class_names)}
    return Outcome(present[said.chosen], by_class, rules, seconds, 0.0)
