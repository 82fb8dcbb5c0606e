"""Settings of estimators: what makes no sense is refused, in one line each; what they mean is worked out."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from time import monotonic
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from logiclens.constants import LITERAL_COST, MAX_LITERALS, WIDTHS
from logiclens.errors import InputError, shown
from logiclens.estimators.inputs_and_targets import Problem, Targets
from logiclens.explain.compose import MAX_FAN_IN
from logiclens.logic.data import as_float
from logiclens.metrics.goal import Goal

_STEPS = 20  # of a line that shows progress
_COUNTS = ("epochs", "restarts", "patience", "fan_in")
_COUNTS_OR_AUTO = ("max_concepts", "max_literals", "n_clusters")
CROSS_ENTROPY = "cross_entropy"
"""Name of the criterion that networks are trained by unless another is set."""
_POSITIVE = ("learning_rate", "temperature")


class ProgressLine:
    """A line on standard error that says what is being done, how far it is, and for how many seconds.

    It is called with the share done, and drawn again when that has grown by a step or a second has passed.

    Parameters
    ----------
    title : str
        Who works.
    doing : str, default ""
        What is being done.
    more : bool, default False
        Whether another piece of work follows; otherwise the line ends when all is done.
    """

    def __init__(self, title: str, doing: str = "", *, more: bool = False) -> None:
        self.title, self.doing, self.more = title, doing, more
        self._began = self._drawn_at = monotonic()
        self._steps, self._width = -1, 0

    def __call__(self, share: float) -> None:
        """Draw the share done."""
        steps = int(share * _STEPS)
        if steps != self._steps or monotonic() - self._drawn_at >= 1.0:
            self._steps = steps
            bar = "#" * steps + "." * (_STEPS - steps)
            self._draw(f"{self._head()} [{bar}] {share:4.0%}", end=steps == _STEPS and not self.more)

    def go_on(self, doing: str) -> None:
        """Say what is done now; how far it is is not known."""
        self.doing, self._steps = doing, -1
        self._draw(f"{self._head()} ...")

    def end(self, done: str) -> None:
        """Say what has been done."""
        self.doing = done
        self._draw(self._head(), end=True)

    def _head(self) -> str:
        return f"{self.title}: {self.doing}" if self.doing else self.title

    def _draw(self, text: str, *, end: bool = False) -> None:
        self._drawn_at = monotonic()
        line = f"{text}, {self._drawn_at - self._began:.0f} s"
        sys.stderr.write(f"\r{line.ljust(self._width)}" + ("\n" if end else ""))
        sys.stderr.flush()
        self._width = len(line)


def progress_line(title: str, doing: str = "", *, more: bool = False) -> ProgressLine | None:
    """Return what draws the share done, for a caller to call; None where nobody watches.

    A terminal is watched, and so is a notebook; a pipe or a log would get a line for each step.
    """
    notebook = type(sys.stderr).__module__.partition(".")[0] == "ipykernel"
    return ProgressLine(title, doing, more=more) if notebook or sys.stderr.isatty() else None


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse settings that make no sense, in one line each; an estimator need not have them all."""
    for name in _COUNTS:
        if name in settings:
            check_whole(settings[name], name)
    for name in _COUNTS_OR_AUTO:
        if name in settings and not is_auto(settings[name]):
            check_whole(settings[name], name, otherwise=", or 'auto'")
    if settings["batch_size"] is not None:
        check_whole(settings["batch_size"], "batch_size", otherwise=", or None for as many as suit the table")
    fraction = settings.get("validation_fraction", 0.0)
    if not 0.0 <= as_number(fraction) < 1.0:
        raise InputError(
            f"validation_fraction must be a number of at least 0 and less than 1. Got {shown(fraction)}."
        )
    for name in _POSITIVE:
        if name in settings and not 0.0 < as_number(settings[name]) < np.inf:
            raise InputError(f"{name} must be a positive number. Got {shown(settings[name])}.")
    check_encoder(settings["encoder"])
    for name, otherwise in (("distillation", ""), ("tau", ""), ("literal_cost", ", or 'auto'")):
        value = settings.get(name, 0.0)
        if not (otherwise and is_auto(value)) and not 0.0 <= as_number(value) <= 1.0:
            raise InputError(f"{name} must be a number in [0, 1]{otherwise}. Got {shown(value)}.")
    if not is_auto(settings.get("literals", "auto")):
        check_whole(settings["literals"], "literals", least=0, otherwise=", or 'auto'")
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
        check_whole(size, "The size of a hidden layer")
    penalties(settings["l1"])
    check_criterion(settings.get("criterion", CROSS_ENTROPY))
    _check_goal(settings.get("goal"), settings.get("positive"))
    weights = settings.get("class_weight")
    if not (
        weights is None
        or isinstance(weights, Mapping)
        or (isinstance(weights, str) and weights == "balanced")
    ):
        raise InputError(
            f"class_weight must be 'balanced', None or a mapping from label to weight. Got {shown(weights)}."
        )


def check_criterion(criterion: Any) -> None:
    """Refuse what no network can be trained by; torch is needed for any but cross-entropy."""
    if not (isinstance(criterion, str) and criterion == CROSS_ENTROPY):
        from logiclens.nn.criteria import find_criterion

        find_criterion(criterion)


def _check_goal(goal: Any, positive: Any) -> None:
    """Refuse what is no goal, and a class without one."""
    if goal is not None:
        Goal.parse(goal)
    elif positive is not None:
        raise InputError("positive is the class of a goal. Set goal='recall=0.9', or leave it out.")


def as_number(value: Any) -> float:
    """Return a setting as a float, NaN when it is no number, as True and False are none."""
    return np.nan if isinstance(value, bool | np.bool_) else as_float(value)


def check_whole(value: Any, name: str, *, least: int = 1, otherwise: str = "") -> None:
    """Refuse what is no whole number of at least so much; ``otherwise`` says what else is allowed."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}{otherwise}. Got {shown(value)}.")


def is_auto(value: Any) -> bool:
    """True if a setting is the word "auto"; an array is not."""
    return isinstance(value, str) and value == "auto"


def check_encoder(encoder: Any) -> None:
    """Refuse what cannot turn columns into concepts."""
    if encoder is None or is_auto(encoder):
        return
    from logiclens.concepts.encoder import ConceptEncoder

    if not isinstance(encoder, ConceptEncoder):
        raise InputError(
            "encoder must be 'auto', a ConceptEncoder, or None for inputs that are concepts in [0, 1]. "
            f"Got {shown(encoder)}."
        )


def penalties(l1: Any) -> tuple[float, ...]:
    """The penalties to choose from."""
    values = tuple(map(as_number, [l1] if np.ndim(l1) == 0 else l1))
    if not values or not all(0.0 <= value < np.inf for value in values):
        raise InputError(f"l1 must be a number of at least 0, or several to choose from. Got {shown(l1)}.")
    return values


def widths(max_concepts: Any) -> tuple[int, ...]:
    """Numbers of concepts to choose from; the last of them may be all."""
    return (*WIDTHS, sys.maxsize) if is_auto(max_concepts) else (int(max_concepts),)


def seed_of(random_state: Any) -> int:
    """One number from what scikit-learn calls a random state."""
    is_whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if is_whole and random_state >= 0:
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


def most_literals(setting: Any, targets: Targets, literals: Any = "auto") -> int:
    """Length of the longest rules on the front; "auto" reaches at least the length that is asked for."""
    if not is_auto(setting):
        return int(setting)
    of_two, of_each = MAX_LITERALS
    most = of_each * len(targets.labels) if _has_many(targets) else of_two
    return max(most, 0 if is_auto(literals) else int(literals))


def price_of_literal(setting: Any, targets: Targets) -> float:
    """Price of a literal; "auto" shares it among the targets if there are more than two classes."""
    if not is_auto(setting):
        return float(setting)
    return LITERAL_COST / len(targets.labels) if _has_many(targets) else LITERAL_COST


def _has_many(targets: Targets) -> bool:
    """True if there is more to explain than one formula and its opposite."""
    return len(targets.labels) != 2 or targets.problem is Problem.MULTI_LABEL
