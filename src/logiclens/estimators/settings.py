"""Settings of the classifiers: what is allowed, and what the words mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from logiclens.errors import InputError, shown
from logiclens.estimators.balancing import COUNTED, EVEN, Balance
from logiclens.explain.compose import MAX_FAN_IN
from logiclens.logic.data import as_float


class Balances(NamedTuple):
    """How rows are weighed: where networks learn, and where the formula of a rule is chosen."""

    learning: Balance
    choosing: Balance


AUTO = Balances(Balance(power=0.05, rare_power=0.35), Balance(power=0.4))
"""How rows are weighed under ``class_weight="auto"``.

A network that is taught the rarer side with more weight is a worse network. A rule is one formula out of a
front, and its score, macro-F1, counts both sides the same: of formulas that are right about as many rows, the
one that finds more of the rarer side is better.
"""


@dataclass(frozen=True)
class Widths:
    """Most concepts that a network keeps. Where pruning to the first costs too much, the next is tried.

    Attributes
    ----------
    common : tuple of int
    rare : tuple of int
        The same for a target that is rare, and so has to be told from many others.
    heard : int, default 0
        Concepts that a network reads together with its second opinion, unless it reads more by itself.
    """

    common: tuple[int, ...]
    rare: tuple[int, ...]
    heard: int = 0


ALL = Widths(common=(0,), rare=(0,))
"""All concepts."""

WIDTHS = Widths(common=(6, 20), rare=(10, 20), heard=30)
"""Concepts that a network keeps under ``max_concepts="auto"``."""

_COUNTS = ("epochs", "restarts", "candidates", "patience", "fan_in")
_COUNTS_OR_AUTO = ("max_concepts", "max_literals")


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse settings that make no sense, in one line each."""
    for name in _COUNTS:
        if name in settings:
            _check_positive(settings[name], name)
    for name in _COUNTS_OR_AUTO:
        if name in settings and not _is_auto(settings[name]):
            _check_positive(settings[name], name, ", or 'auto'")
    if settings["batch_size"] is not None:
        _check_positive(settings["batch_size"], "batch_size", ", or None for all rows at once")
    fraction = as_float(settings["validation_fraction"])
    if not 0.0 <= fraction < 1.0:
        raise InputError(
            "validation_fraction must be a number of at least 0 and less than 1. "
            f"Got {shown(settings['validation_fraction'])}."
        )
    if not 0.0 < as_float(settings["learning_rate"]) < np.inf:
        raise InputError(f"learning_rate must be a positive number. Got {shown(settings['learning_rate'])}.")
    check_encoder(settings["encoder"])
    if settings["unseen"] not in ("ignore", "ask"):
        raise InputError(f"unseen must be 'ignore' or 'ask'. Got {shown(settings['unseen'])}.")
    if settings["aggregation"] not in ("minimal", "paper"):
        raise InputError(f"aggregation must be 'minimal' or 'paper'. Got {shown(settings['aggregation'])}.")
    if settings["aggregation"] == "paper" and settings["rule"] != "iff":
        raise InputError("aggregation='paper' makes equivalences. Use rule='iff', or aggregation='minimal'.")
    if settings.get("fan_in", 0) > MAX_FAN_IN:
        raise InputError(
            f"fan_in must be at most {MAX_FAN_IN}. Got {settings['fan_in']}; 2 to 9 are readable."
        )
    hidden = settings["hidden"]
    if isinstance(hidden, str) or not hasattr(hidden, "__iter__"):
        raise InputError(
            f"hidden must be the sizes of the hidden layers, such as (10,). Got {shown(hidden)}."
        )
    for size in hidden:
        _check_positive(size, "The size of a hidden layer")
    if not 0.0 <= as_float(settings.get("tau", 0.0)) <= 1.0:
        raise InputError(f"tau must be a number in [0, 1]. Got {shown(settings['tau'])}.")
    if not 0.0 < as_float(settings.get("temperature", 1.0)) < np.inf:
        raise InputError(f"temperature must be a positive number. Got {shown(settings['temperature'])}.")
    penalties(settings["l1"])
    balances_of(settings["class_weight"])


def _is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == "auto"


def check_encoder(encoder: Any) -> None:
    """Refuse what cannot turn columns into concepts."""
    if encoder is None or _is_auto(encoder):
        return
    from logiclens.concepts.encoder import ConceptEncoder

    if not isinstance(encoder, ConceptEncoder):
        raise InputError(
            "encoder must be 'auto', a ConceptEncoder, or None for inputs that are concepts in [0, 1]. "
            f"Got {shown(encoder)}."
        )


def _check_positive(value: Any, name: str, otherwise: str = "") -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InputError(f"{name} must be a whole number of at least 1{otherwise}. Got {shown(value)}.")


def penalties(l1: Any) -> tuple[float, ...]:
    """The penalties to choose from."""
    values = tuple(map(as_float, [l1] if np.ndim(l1) == 0 else l1))
    if not values or not all(0.0 <= value < np.inf for value in values):
        raise InputError(f"l1 must be a number of at least 0, or several to choose from. Got {shown(l1)}.")
    return values


def widths(max_concepts: Any) -> Widths:
    """Numbers of concepts to keep."""
    return WIDTHS if _is_auto(max_concepts) else Widths((max_concepts,), (max_concepts,), max_concepts)


def balances_of(class_weight: Any) -> Balances:
    """How rows are weighed."""
    known = {None: Balances(COUNTED, COUNTED), "auto": AUTO, "balanced": Balances(EVEN, EVEN)}
    if isinstance(class_weight, Mapping):
        return known[None]  # the weights are in the rows
    if isinstance(class_weight, str | None) and class_weight in known:
        return known[class_weight]
    raise InputError(
        "class_weight must be 'auto', 'balanced', None or a mapping from label to weight. "
        f"Got {shown(class_weight)}."
    )


def seed_of(random_state: Any) -> int:
    """One number from what scikit-learn calls a random state."""
    if (
        isinstance(random_state, int | np.integer)
        and not isinstance(random_state, bool)
        and random_state >= 0
    ):
        return int(random_state)
    if random_state is None:  # from the operating system: NumPy's global generator is left alone
        return int(np.random.SeedSequence().generate_state(1)[0])
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except ValueError:
        raise InputError(
            "random_state must be a whole number of at least 0, None or a RandomState. "
            f"Got {shown(random_state)}."
        ) from None
