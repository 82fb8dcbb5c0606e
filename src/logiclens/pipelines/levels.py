"""The levels of a cascade: their tables of concepts, and the classifiers that stand between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from logiclens.errors import InputError, shown
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.inputs_and_targets import read_concepts
from logiclens.explain import ExplanationSet
from logiclens.logic.arrays import FloatArray
from logiclens.logic.values import THRESHOLD


def level_classifiers(estimator: Any, n_levels: int, seed: int) -> list[LENClassifier]:
    """A classifier to be fitted for each level above the first.

    Parameters
    ----------
    estimator : classifier of this package, or sequence of them, or None
        Clones of one, or one for each, the last for the classes; None for ``MuClassifier``.
    n_levels : int
        How many there are.
    seed : int
        Of the default.
    """
    if estimator is None:
        from logiclens.estimators import MuClassifier

        estimator = MuClassifier(random_state=seed)
    several = isinstance(estimator, Sequence) and not isinstance(estimator, str)
    given = list(estimator) if several else [estimator] * n_levels
    if len(given) != n_levels:
        raise InputError(
            f"estimator must be one classifier, or one for each of the {n_levels} levels above the first. "
            f"Got {len(given)}."
        )
    for each in given:
        if not isinstance(each, LENClassifier):
            raise InputError(
                "A cascade is made of classifiers of this package, such as MuClassifier(). "
                f"Got {shown(each)}."
            )
    chain: list[LENClassifier] = [clone(each) for each in given]
    for at, each in enumerate(chain):
        if at < n_levels - 1:
            if several and each.get_params()["rule"] != "iff":
                raise InputError(
                    f"The rules of level {at + 2} must be equivalences, or they cannot be put into those "
                    f"above. Got rule={shown(each.get_params()['rule'])}; use 'iff'."
                )
            each.set_params(rule="iff")
        if at:
            each.set_params(encoder=None)  # what a level says is concepts already
    return chain


def read_levels(levels: Any) -> list[tuple[tuple[str, ...], FloatArray]]:
    """Names and values of the concepts of each level above the first."""
    if levels is None:
        return []
    if isinstance(levels, str | Mapping) or not isinstance(levels, Sequence):
        raise InputError(
            "levels must be a sequence of tables, one for each level above the first. "
            f"Got {shown(levels)}; write [table]."
        )
    found = []
    for at, table in enumerate(levels):
        inputs = read_concepts(table)
        width = inputs.values.shape[1]
        if not width:
            raise InputError(f"Level {at + 2} has no concepts. Leave it out, or pass at least one column.")
        names = inputs.names if inputs.named else tuple(f"c{at + 2}_{j}" for j in range(width))
        found.append((names, inputs.values))
    return found


def fit_concepts(
    estimator: LENClassifier, X: Any, values: FloatArray, sample_weight: ArrayLike | None
) -> LENClassifier:
    """Fit a multi-label LEN. A single concept has its complement beside it: one column would be labels."""
    if values.shape[1] == 1:
        values = np.hstack([values, 1.0 - values])
    return estimator.fit(X, values, sample_weight=sample_weight)


def as_columns(names: Sequence[str], scores: FloatArray) -> dict[str, FloatArray]:
    """What the next level reads of scores: yes or no."""
    return {name: (scores[:, j] > THRESHOLD).astype(np.float64) for j, name in enumerate(names)}


def renamed(rules: ExplanationSet, names: Sequence[str]) -> ExplanationSet:
    """The rules of a level, called after its concepts."""
    found = [
        replace(explanation, rule=replace(explanation.rule, target=name))
        for explanation, name in zip(rules.explanations, names, strict=False)  # without a complement
    ]
    return replace(rules, explanations=tuple(found))
