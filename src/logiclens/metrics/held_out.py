"""Metrics of one's own: functions of rules and a model on rows that neither learned from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from logiclens.errors import InputError, listing, shown
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.metrics.agreement import Rules


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What a metric of your own is a function of: rules, a model's predictions, and the rows of a fold.

    Attributes
    ----------
    rules : mapping of label to Formula, or to an object with a Formula as ``.formula``
        In :func:`~logiclens.estimators.cross_explain` an ``ExplanationSet``.
    names : tuple of str
        The concepts, the columns of ``x``.
    x : ndarray of shape (n, n_concepts)
        The rows; a concept is true above 0.5.
    truth : ndarray of bool, shape (n, n_targets)
        Which targets are true of each row, in the order of the rules.
    predicted : ndarray of bool, shape (n, n_targets)
        Which targets the model predicts.
    decided : ndarray of bool, shape (n, n_targets)
        Which targets the rules decide for.
    probability : ndarray of shape (n, n_targets), or None
        How probable the model says that each target is, where it says so.
    network : LogicNetwork or None
        The network, where the model is one and it is at hand: in ``cross_explain``.

    Examples
    --------
    >>> import numpy as np
    >>> from logiclens.logic import Var
    >>> yes = np.array([[True], [False]])
    >>> fold = HeldOut({"bird": Var("wings")}, ("wings",), np.array([[1.0], [0.0]]), yes, yes, yes)
    >>> float((fold.decided == fold.truth).mean())
    1.0
    """

    rules: Rules
    names: tuple[str, ...]
    x: FloatArray
    truth: BoolArray
    predicted: BoolArray
    decided: BoolArray
    probability: FloatArray | None = None
    network: Any = None


Scoring: TypeAlias = Mapping[str, Callable[[HeldOut], float]]
"""Metrics by the names of their columns."""


def check_scoring(scoring: Any, taken: Collection[str]) -> Scoring:
    """Metrics by name, none of which is among those taken; none where ``scoring`` is None.

    Raises
    ------
    InputError
        Something else was passed.
    """
    if scoring is None:
        return {}
    if not isinstance(scoring, Mapping) or not all(map(callable, scoring.values())):
        raise InputError(
            f"scoring must be a mapping from a name to a function of a HeldOut. Got {shown(scoring)}; "
            "write {'name': function}."
        )
    for name in scoring:
        if not isinstance(name, str) or not name or name in taken:
            raise InputError(
                f"A metric needs a name of its own, other than {listing(taken)}. Got {shown(name)}."
            )
    return scoring


def score_held_out(scoring: Scoring, fold: HeldOut) -> dict[str, float]:
    """The figure of each metric.

    Raises
    ------
    InputError
        A metric is no number.

    Examples
    --------
    >>> import numpy as np
    >>> none = np.zeros((2, 0), dtype=bool)
    >>> score_held_out({"rows": lambda fold: len(fold.x)}, HeldOut({}, (), none, none, none, none))
    {'rows': 2.0}
    """
    found = {}
    for name, metric in scoring.items():
        value = metric(fold)
        try:
            found[name] = float(value)
        except (TypeError, ValueError, RuntimeError):
            raise InputError(f"The metric {name!r} must be a number. Got {shown(value)}.") from None
    return found
