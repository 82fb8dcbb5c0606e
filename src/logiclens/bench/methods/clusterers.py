"""Our networks without labels: clusters first, then a match of clusters and classes (Sec. 6.1, ICLU)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from logiclens.bench.methods.method import FoldByFold, Outcome, Stopwatch, one_hot
from logiclens.logic.arrays import IndexArray
from logiclens.logic.formula import FALSE

if TYPE_CHECKING:
    from logiclens.bench.experiments import Fold


@dataclass(frozen=True)
class Clusterer(FoldByFold):
    """As many clusters of a fold's training rows as there are classes, by a network of that name.

    The labels are looked at when clusters and rules are made: to say which cluster is called what. Folds are
    trained with seeds one after another.
    """

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
        class_of = matching(clusterer.labels_, fold.y_train, n_classes)
        answers = class_of[clusterer.predict(fold.x_test)]
        cluster_of = np.argsort(class_of)
        formulas = clusterer.explain().formulas
        rules = {
            name: formulas.get(int(cluster), FALSE)
            for name, cluster in zip(fold.class_names, cluster_of, strict=True)
        }
        return Outcome(answers, one_hot(answers, n_classes), rules, seconds, 0.0)


def matching(clusters: IndexArray, classes: IndexArray, n: int) -> IndexArray:
    """For each of n clusters a class of its own, so that as many rows as can be are in the class of theirs.

    Parameters
    ----------
    clusters, classes : ndarray of int, shape (n_rows,)
        From 0 to n - 1.
    n : int

    Examples
    --------
    >>> matching(np.array([0, 0, 1, 1]), np.array([1, 1, 1, 0]), 2)
    array([1, 0])
    """
    from scipy.optimize import linear_sum_assignment

    together = np.bincount(clusters * n + classes, minlength=n * n).reshape(n, n)
    found: IndexArray = linear_sum_assignment(together, maximize=True)[1]
    return found
