"""What scikit-learn wants to know of a model that is made of others: its columns, and what it can be fed."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any


def adopt_features(model: Any, part: Any) -> None:
    """Give a model the columns of the fitted part that reads them; names of an earlier fit are forgotten."""
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(part, name):
            setattr(model, name, getattr(part, name))
        elif hasattr(model, name):
            delattr(model, name)


def shared_input(estimator: Any, other: Any = None) -> Any:
    """Input tags of a classifier of this package, less what another model that reads the rows cannot take.

    Parameters
    ----------
    estimator : classifier, optional
        ``MuClassifier`` when missing.
    other : object, optional
        Has a say where it is an estimator of scikit-learn.
    """
    from sklearn.utils import get_tags

    if not hasattr(estimator, "__sklearn_tags__"):
        from logiclens.estimators import MuClassifier

        estimator = MuClassifier()
    tags = get_tags(estimator).input_tags
    if not hasattr(other, "__sklearn_tags__"):
        return tags
    narrow = get_tags(other).input_tags
    both = {each.name: getattr(tags, each.name) and getattr(narrow, each.name) for each in fields(tags)}
    return replace(tags, **both | {"positive_only": narrow.positive_only, "pairwise": narrow.pairwise})
