"""Our networks as methods: folds with the same concepts are trained as one population.

Such folds share most of their rows, so the rows of all are pooled: a row that several folds have is one row,
with a weight in each of them. Folds that are encoded each by its own training rows may differ in their
concepts; those that do not share them are trained one after the other.

Networks with the settings of the paper are fitted fold by fold, as there: fold k has k as its seed. They draw
the weights of their last output first, so classes are handed over in reverse: the first class is the first to
draw, as in the paper, and with the same seed has the same weights.

Without labels (Sec. 6.1, ICLU), clusters come first, then a match of clusters and classes.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from logiclens.bench.method import FoldByFold, Outcome, Stopwatch, one_hot
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.logic.formula import FALSE, Formula

if TYPE_CHECKING:
    from logiclens.bench.experiments import Fold
    from logiclens.estimators.base import LENClassifier
    from logiclens.estimators.validation import FittedPart


@dataclass(frozen=True)
class LENMethod:
    """One of our classifiers with its defaults or, as ``reference``, with the settings of the paper.

    Parameters
    ----------
    name : str
        "mu", "psi", "relu" or "entropy", whatever follows a hyphen.
    title : str
    reference : bool, default False
    """

    identity: ClassVar[str] = "logiclens.bench.methods.networks.Network"
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
        """Train and explain all folds, and predict their test rows; see :meth:`Method.fit`."""
        found: dict[int, Outcome] = {}
        for alike in self._groups(folds):
            outcomes = self._fit_alike([folds[at] for at in alike], seed)
            found |= dict(zip(alike, outcomes, strict=True))
        return [found[at] for at in range(len(folds))]

    def _groups(self, folds: Sequence[Fold]) -> list[list[int]]:
        """Positions of folds that are trained as one population, together."""
        if self.reference or any(fold.confidence is not None for fold in folds):
            return [[at] for at in range(len(folds))]
        names = [(fold.concept_names, fold.class_names) for fold in folds]
        return [[at for at, each in enumerate(names) if each == shared] for shared in dict.fromkeys(names)]

    def _fit_alike(self, folds: Sequence[Fold], seed: int) -> list[Outcome]:
        """Train folds with the same concepts and classes at once."""
        from logiclens.estimators.validation import fit_parts

        watch = Stopwatch("logiclens.estimators.fit")
        x, y, weights = pool_rows(folds)
        columns = dict(zip(folds[0].concept_names, x.T, strict=True))
        classifier = self._classifier(seed + folds[0].number if self.reference else seed)
        sign = -1 if self.reference else 1
        targets, _ = classifier.read_data(columns, sign * y, None)
        if folds[0].confidence is not None:
            targets = replace(targets, outputs=_soft_targets(targets.outputs, folds[0].confidence))
        parts = fit_parts(classifier, columns, targets, weights)
        seconds = watch.lap() / len(folds)
        present = sign * np.asarray(targets.labels, dtype=np.intp)
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


def _soft_targets(outputs: FloatArray, confidence: FloatArray) -> FloatArray:
    """Soft targets: the probability of each label, the rest shared equally among the other labels."""
    others = max(outputs.shape[1] - 1, 1)
    return np.asarray(outputs * confidence[:, None] + (1.0 - outputs) * (1.0 - confidence[:, None]) / others)


def pool_rows(folds: Sequence[Fold]) -> tuple[FloatArray, IndexArray, list[FloatArray]]:
    """The training rows of all folds in their order; a row that several folds share appears once.

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
    from logiclens.estimators.folds import Distinct

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
    order = np.argsort(first)
    return x[first[order]], y[first[order]], list(weights[:, order])


def _outcome(part: FittedPart, fold: Fold, present: IndexArray, seconds: float) -> Outcome:
    """A network's predictions and rules for a fold's test rows; classes it never saw are never predicted."""
    said = part.predict(fold.x_test.copy())  # torch wants arrays that it may write to
    by_class = np.zeros((len(fold.y_test), len(fold.class_names)), dtype=np.bool_)
    by_class[:, present] = said.above
    probability = np.zeros(by_class.shape)
    probability[:, present] = said.probability
    formulas = dict(zip(present.tolist(), part.rules.formulas.values(), strict=True))
    rules: dict[str, Formula] = {name: formulas.get(at, FALSE) for at, name in enumerate(fold.class_names)}
    place = {label: at for label, at in zip(part.rules.labels, present.tolist(), strict=True)}
    decided = [place[label] for label in part.rules.predict(fold.x_test, fold.concept_names).tolist()]
    return Outcome(
        present[said.chosen],
        by_class,
        rules,
        seconds,
        0.0,
        list_literals=part.rules.literals / len(rules),
        decided=np.array(decided, dtype=np.intp),
        probability=probability,
    )


@dataclass(frozen=True)
class Clusterer(FoldByFold):
    """Cluster a fold's training rows into as many clusters as there are classes.

    The labels are looked at when clusters and rules are made: to say which cluster is called what. Folds are
    trained with seeds one after another.
    """

    identity: ClassVar[str] = "logiclens.bench.methods.clusterers.Clusterer"

    def fit_fold(self, fold: Fold, seed: int) -> Outcome:
        from sklearn.exceptions import ConvergenceWarning

        from logiclens.estimators.clusterer import LENClusterer

        n_classes = len(fold.class_names)
        watch = Stopwatch("logiclens.estimators._clustering")
        clusterer = LENClusterer(n_classes, network=self.name, encoder=None, random_state=seed + fold.number)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            clusterer.fit(dict(zip(fold.concept_names, fold.x_train.T, strict=True)))
        seconds = watch.lap()
        class_of = match_clusters(clusterer.labels_, fold.y_train, n_classes)
        answers = class_of[clusterer.predict(fold.x_test)]
        cluster_of = np.argsort(class_of)
        formulas = clusterer.explain().formulas
        rules = {
            name: formulas.get(int(cluster), FALSE)
            for name, cluster in zip(fold.class_names, cluster_of, strict=True)
        }
        return Outcome(answers, one_hot(answers, n_classes), rules, seconds, 0.0)


def match_clusters(clusters: IndexArray, classes: IndexArray, n: int) -> IndexArray:
    """Assign a class to each of n clusters, one to one, so that most rows are in the right class.

    Parameters
    ----------
    clusters, classes : ndarray of int, shape (n_rows,)
        From 0 to n - 1.
    n : int

    Examples
    --------
    >>> match_clusters(np.array([0, 0, 1, 1]), np.array([1, 1, 1, 0]), 2)
    array([1, 0])
    """
    from scipy.optimize import linear_sum_assignment

    together = np.bincount(clusters * n + classes, minlength=n * n).reshape(n, n)
    found: IndexArray = linear_sum_assignment(together, maximize=True)[1]
    return found
