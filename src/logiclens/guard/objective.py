"""What an attacker wants: a loss to raise, and when the attack has succeeded.

The outputs of a model that is attacked are logits. Those of the classes exclude one another, so the attack
raises their cross-entropy, as if nothing else were said; or, where rows have several labels, the binary
cross-entropy of all outputs. Against a guard, an attacker who knows it also lowers the penalty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, relu

from logiclens.guard.rule_guard import RuleGuard


class Objective(Protocol):
    """What an attacker wants of the logits of some rows."""

    def loss(self, logits: Tensor, y: Tensor) -> Tensor:
        """What is to be raised, shape (n,)."""

    def reached(self, logits: Tensor, y: Tensor) -> Tensor:
        """Whether the attack has succeeded, shape (n,)."""


@dataclass(frozen=True)
class Misclassify:
    """Another class: the cross-entropy of the classes is raised.

    Attributes
    ----------
    classes : sequence of int, optional
        Which outputs are the classes; all of them when missing. ``y`` counts within them.
    """

    classes: Sequence[int] | None = None

    def of(self, logits: Tensor) -> Tensor:
        """The logits of the classes, shape (n, n_classes)."""
        return logits if self.classes is None else logits[:, list(self.classes)]

    def loss(self, logits: Tensor, y: Tensor) -> Tensor:
        return cross_entropy(self.of(logits), y, reduction="none")

    def reached(self, logits: Tensor, y: Tensor) -> Tensor:
        return self.of(logits).argmax(dim=1) != y


@dataclass(frozen=True)
class Mislabel:
    """Any label wrong, where rows have several: the binary cross-entropy of all outputs is raised."""

    def loss(self, logits: Tensor, y: Tensor) -> Tensor:
        return binary_cross_entropy_with_logits(logits, y.to(logits.dtype), reduction="none").sum(dim=1)

    def reached(self, logits: Tensor, y: Tensor) -> Tensor:
        return ((logits > 0) != (y > 0.5)).any(dim=1)


@dataclass(frozen=True)
class Evade:
    """Another class, and no alarm: an attacker who knows the guard.

    The margin of the true class over the best other one is brought below zero and no further, and what the
    guard's score lacks to its threshold is lowered at the same time; raising the cross-entropy without end
    would only set off the alarm.

    Attributes
    ----------
    guard : RuleGuard
        Fitted; of a t-norm that has gradients.
    misclassify : Misclassify
    weight : float
        What the alarm counts beside the class.
    margin : float
        How far another class is to be ahead, in logits.
    """

    guard: RuleGuard
    misclassify: Misclassify
    weight: float = 1.0
    margin: float = 0.5

    def loss(self, logits: Tensor, y: Tensor) -> Tensor:
        values = self.misclassify.of(logits)
        own = values.gather(1, y[:, None])[:, 0]
        others = values.scatter(1, y[:, None], -torch.inf).amax(dim=1)
        alarm: Tensor = relu(-self._above(logits))
        return -relu(own - others + self.margin) - self.weight * alarm

    def reached(self, logits: Tensor, y: Tensor) -> Tensor:
        quiet: Tensor = self._above(logits) >= 0
        return self.misclassify.reached(logits, y) & quiet

    def _above(self, logits: Tensor) -> Any:
        return self.guard.decision_function(torch.sigmoid(logits.double()))
