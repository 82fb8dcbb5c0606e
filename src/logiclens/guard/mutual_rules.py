"""Rules that the columns of a table keep with each other: what a guard needs where there is no model.

Each column is explained by all the others: a LEN learns each of its concepts from the concepts of the other
columns. What comes out holds of the table as it was: ``weight > 72.8 <-> bmi > 28 | ...``. A guard set on
such rules notices when columns no longer go together: a sensor that stands still, a changed unit, rows that
were joined wrongly.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from logiclens.concepts.encoder import ConceptEncoder
from logiclens.concepts.table import Table
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, shown
from logiclens.estimators import MuClassifier
from logiclens.estimators.base import LENClassifier
from logiclens.explain import Explanation, Rule
from logiclens.explain.explanation import check_rate
from logiclens.logic.arrays import BoolArray

_OTHER = ""  # label of the rows on which a concept is false


def mutual_rules(X: Any, estimator: Any = None, *, min_share: float = 0.01) -> list[Explanation]:
    """Learn what each column of a table says about the others.

    Parameters
    ----------
    X : data frame, mapping or array, n rows
        A raw table; its columns are made concepts by a :class:`~logiclens.concepts.ConceptEncoder`.
    estimator : classifier of this package, optional
        What learns each column; ``MuClassifier(random_state=0)`` when missing.
    min_share : float, default 0.01
        Concepts that are true or false of a smaller share of the rows get no rule.

    Returns
    -------
    list of Explanation
        In the words of the table's columns; the target of each is a concept of its vocabulary. For
        :class:`~logiclens.guard.RuleGuard`, which then reads raw tables.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> celsius = rng.uniform(0, 40, 400)
    >>> table = {"celsius": celsius, "fahrenheit": 32 + 1.8 * celsius, "day": rng.integers(0, 7, 400)}
    >>> rules = mutual_rules(table)
    >>> print(rules[0])
    forall x: "celsius > 2.65"(x) <-> fahrenheit(x) > 36.8
    """
    model = MuClassifier(random_state=0) if estimator is None else estimator
    if not isinstance(model, LENClassifier):
        raise InputError(f"mutual_rules needs a classifier such as MuClassifier(). Got {shown(estimator)}.")
    check_rate(min_share, "min_share")
    model = clone(model).set_params(encoder=None)
    table = Table(X)
    vocabulary: Vocabulary = ConceptEncoder().fit(X).vocabulary_
    truth = vocabulary.encode(table)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for column in vocabulary.used_columns(vocabulary.names):
            found.extend(_of_column(column, model, vocabulary, truth, min_share))
    if not found:
        raise InputError(
            "The columns say nothing about each other. Pass a table whose columns hang together."
        )
    return found


def _of_column(
    column: str, model: LENClassifier, vocabulary: Vocabulary, truth: dict[str, BoolArray], min_share: float
) -> list[Explanation]:
    """Rules of the concepts of one column, over those of the others."""
    mine = [
        name
        for name in vocabulary.names
        if vocabulary[name].column == column and min_share <= truth[name].mean() <= 1 - min_share
    ]
    others = {name: truth[name] for name in vocabulary.names if vocabulary[name].column != column}
    if not mine or not others:
        return []
    if len(mine) == 1:
        y = np.where(truth[mine[0]], mine[0], _OTHER)
        found = [clone(model).fit(others, y).explain()[mine[0]]]
    else:  # labels of an array are 0, 1, ...
        y = np.column_stack([truth[name] for name in mine]).astype(int)
        found = list(clone(model).fit(others, y).explain().values())
    return [
        replace(explanation, rule=Rule(name, explanation.formula, explanation.kind, vocabulary))
        for name, explanation in zip(mine, found, strict=True)
        if explanation.complexity
    ]
