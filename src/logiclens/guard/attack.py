"""Attacks on torch models: PGD, and APGD, which chooses its steps by itself.

Both look for a change of an input, no larger than ``eps``, that reaches an attacker's objective. PGD takes
steps of one size along the gradient. APGD (Croce and Hein, 2020, Algorithm 1) adds momentum, starts with
large steps, and halves them, going back to the best point, whenever progress since the last checkpoint was
poor; it has no step size to tune, which makes it the customary test.

An objective is a loss to raise, and when the attack has succeeded. The outputs of a model that is attacked
are logits. Those of the classes exclude one another, so the attack raises their cross-entropy, as if nothing
else were said; or, where rows have several labels, the binary cross-entropy of all outputs. Against a guard,
an attacker who knows it also lowers the penalty.

Inputs lie in [0, 1]. All rows of a batch are attacked at once, each with a step size of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, relu

from logiclens.errors import InputError, shown
from logiclens.explain.rule import member
from logiclens.guard.rule_guard import RuleGuard
from logiclens.logic.data import as_float, check_count


class Objective(Protocol):
    """An attacker's aim, given the logits of some rows."""

    def loss(self, logits: Tensor, y: Tensor) -> Tensor:
        """Loss that the attack raises, shape (n,)."""

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


_MOMENTUM = 0.75  # alpha of Eq. (4)
_PROGRESS = 0.75  # rho: the least share of steps that raise the loss
_TINY = 1e-12


class Norm(StrEnum):
    """Measure of the size of a change."""

    LINF = "linf"
    L2 = "l2"


@dataclass(frozen=True, eq=False)
class Attacked:
    """Rows after an attack.

    Attributes
    ----------
    x : Tensor
        Changed inputs: of the rows where the objective was reached, the point of highest loss among those
        that reach it; of the others, the point of highest loss.
    reached : Tensor of bool, shape (n,)
        Where the objective was reached.
    loss : Tensor of shape (n,)
        Of the attacker's objective at ``x``.
    """

    x: Tensor
    reached: Tensor
    loss: Tensor


@dataclass(frozen=True)
class Budget:
    """Limits of an attack.

    Attributes
    ----------
    eps : float
        Largest change.
    norm : Norm
        Or its text, ``"linf"`` or ``"l2"``.
    steps : int
    restarts : int
        Attacks from different first points; the first is drawn at random, too.
    """

    eps: float
    norm: Norm = Norm.LINF
    steps: int = 100
    restarts: int = 1

    def __post_init__(self) -> None:
        eps = as_float(self.eps)
        if not 0 <= eps < math.inf:
            raise InputError(f"eps must be a finite number of at least 0. Got {shown(self.eps)}.")
        object.__setattr__(self, "eps", eps)
        object.__setattr__(self, "norm", member(Norm, self.norm, "norm"))
        for name in ("steps", "restarts"):
            if check_count(getattr(self, name), name) < 1:
                raise InputError(f"{name} must be at least 1. Got {getattr(self, name)}.")


def apgd(
    model: nn.Module,
    x: Tensor,
    y: Tensor,
    budget: Budget,
    *,
    objective: Objective | None = None,
    seed: int = 0,
    batch_size: int = 256,
) -> Attacked:
    """Attack a model by APGD.

    Parameters
    ----------
    model : torch.nn.Module
        From inputs to logits; it is used in evaluation mode, and left as it was.
    x : Tensor of shape (n, ...)
        Inputs in [0, 1].
    y : Tensor of shape (n,), or (n, n_outputs) for several labels
        The truth.
    budget : Budget
    objective : Objective, optional
        :class:`~logiclens.guard.attack.Misclassify` over all outputs when missing: APGD-CE.
    seed : int, default 0
        Decides the first points.
    batch_size : int, default 256

    Returns
    -------
    Attacked

    Examples
    --------
    >>> model = nn.Linear(2, 2)
    >>> _ = model.load_state_dict({"weight": torch.tensor([[1.0, 0.0], [0.0, 1.0]]), "bias": torch.zeros(2)})
    >>> x, y = torch.tensor([[0.6, 0.5], [0.9, 0.1]]), torch.tensor([0, 0])
    >>> apgd(model, x, y, Budget(0.1, steps=10)).reached
    tensor([ True, False])

    References
    ----------
    Croce and Hein, *Reliable Evaluation of Adversarial Robustness with an Ensemble of Diverse Parameter-free
    Attacks*, 2020.
    """
    return _attack(_apgd, model, x, y, budget, objective, seed, batch_size)


def pgd(
    model: nn.Module,
    x: Tensor,
    y: Tensor,
    budget: Budget,
    *,
    objective: Objective | None = None,
    seed: int = 0,
    batch_size: int = 256,
) -> Attacked:
    """Attack a model by PGD, with steps of ``2.5 * eps / steps``; the parameters are those of :func:`apgd`.

    References
    ----------
    Madry et al., *Towards Deep Learning Models Resistant to Adversarial Attacks*, 2018.
    """
    return _attack(_pgd, model, x, y, budget, objective, seed, batch_size)


class _AttackedRows:
    """Rows that are attacked together: the points allowed, near them and in [0, 1], and the best ones so far.

    The best have the highest loss; those that reach the objective come first.
    """

    def __init__(self, model: nn.Module, objective: Objective, x: Tensor, y: Tensor, budget: Budget) -> None:
        self.model, self.objective, self.y, self.budget = model, objective, y, budget
        self.center = self.x = x
        self.loss = torch.full((len(x),), -math.inf, dtype=x.dtype, device=x.device)
        self.reached = torch.zeros(len(x), dtype=torch.bool, device=x.device)

    def evaluate(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Loss at some points, and its gradient; the best points are kept."""
        x = x.detach().requires_grad_()
        logits = self.model(x)
        raised = self.objective.loss(logits, self.y)
        (gradient,) = torch.autograd.grad(raised.sum(), x)
        x, loss = x.detach(), raised.detach().to(x.dtype)
        reached = self.objective.reached(logits.detach(), self.y)
        better = (reached & ~self.reached) | ((reached == self.reached) & (loss > self.loss))
        self.x = torch.where(_wide(better, x), x, self.x)
        self.loss = torch.where(better, loss, self.loss)
        self.reached = self.reached | reached
        return loss, gradient

    def random(self, generator: torch.Generator) -> Tensor:
        """Some point on the border of those allowed, as far as [0, 1] allows."""
        if self.budget.norm is Norm.LINF:
            draw = 2.0 * torch.rand(self.center.shape, generator=generator) - 1.0
        else:
            draw = torch.randn(self.center.shape, generator=generator)
        return self.step(self.center, draw.to(self.center), self.budget.eps, signs=False)

    def step(self, x: Tensor, direction: Tensor, size: Tensor | float, *, signs: bool = True) -> Tensor:
        """Go that far in a direction, and back to the nearest allowed point."""
        if self.budget.norm is Norm.LINF:
            unit = direction.sign() if signs else direction / _wide(direction.abs().flatten(1).amax(1), x)
        else:
            unit = direction / _wide(direction.flatten(1).norm(dim=1) + _TINY, x)
        return self.back(x + size * unit)

    def back(self, x: Tensor) -> Tensor:
        """The allowed point for a point anywhere."""
        change, eps = x - self.center, self.budget.eps
        if self.budget.norm is Norm.LINF:
            change = change.clamp(-eps, eps)
        else:
            length = change.flatten(1).norm(dim=1)
            change = change * _wide((eps / (length + _TINY)).clamp(max=1.0), x)
        return (self.center + change).clamp(0.0, 1.0)


def _pgd(batch: _AttackedRows, x: Tensor) -> None:
    steps = batch.budget.steps
    for _ in range(steps):
        _, gradient = batch.evaluate(x)
        x = batch.step(x, gradient, 2.5 * batch.budget.eps / steps)
    batch.evaluate(x)


def _apgd(batch: _AttackedRows, x: Tensor) -> None:
    """Algorithm 1 of Croce and Hein, for all rows at once."""
    steps = batch.budget.steps
    checkpoints = set(_checkpoints(steps))
    before = x
    loss, gradient = batch.evaluate(x)
    top, top_x, top_gradient = loss, x, gradient  # f_max, x_max and the gradient there
    size = torch.full((len(x),), 2.0 * batch.budget.eps, dtype=x.dtype, device=x.device)  # eta
    raised = torch.zeros_like(size)  # steps since the last checkpoint that raised the loss
    since, last_top, last_halved = 0, top, torch.ones_like(size, dtype=torch.bool)
    for step in range(1, steps + 1):
        ahead = batch.step(x, gradient, _wide(size, x))
        share = _MOMENTUM if step > 1 else 1.0
        x, before = batch.back(x + share * (ahead - x) + (1.0 - share) * (x - before)), x
        previous = loss
        loss, gradient = batch.evaluate(x)
        raised, since = raised + (loss > previous), since + 1
        higher = loss > top
        top_x = torch.where(_wide(higher, x), x, top_x)
        top_gradient = torch.where(_wide(higher, x), gradient, top_gradient)
        top = torch.where(higher, loss, top)
        if step in checkpoints:
            stuck = (top <= last_top) & ~last_halved  # condition 2
            halve = (raised < _PROGRESS * since) | stuck  # condition 1
            size = torch.where(halve, size / 2.0, size)
            x = torch.where(_wide(halve, x), top_x, x)
            gradient = torch.where(_wide(halve, x), top_gradient, gradient)
            loss = torch.where(halve, top, loss)
            raised, since = torch.zeros_like(raised), 0
            last_top, last_halved = top, halve


def _checkpoints(steps: int) -> list[int]:
    """Steps after which progress is looked at: after 22 %, then in ever shorter intervals, Eq. (6)."""
    shares = [0.0, 0.22]
    while shares[-1] < 1.0:
        shares.append(shares[-1] + max(shares[-1] - shares[-2] - 0.03, 0.06))
    return [math.ceil(share * steps) for share in shares[1:] if share <= 1.0]


def _attack(
    search: Callable[[_AttackedRows, Tensor], None],
    model: nn.Module,
    x: Tensor,
    y: Tensor,
    budget: Budget,
    objective: Objective | None,
    seed: int,
    batch_size: int,
) -> Attacked:
    """Search batch by batch, from one or several first points each."""
    if len(x) != len(y):
        raise InputError(f"x and y must have the same number of rows. Got {len(x)} and {len(y)}.")
    if not bool(((x >= 0) & (x <= 1)).all()):
        raise InputError("Inputs must lie in [0, 1]. Scale them, and let the model undo it.")
    generator = torch.Generator().manual_seed(seed)
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    done = []
    try:
        for rows, truth in zip(torch.split(x, batch_size), torch.split(y, batch_size), strict=True):
            batch = _AttackedRows(model, objective or Misclassify(), rows, truth, budget)
            batch.evaluate(rows)  # to change nothing is allowed, too
            for _ in range(budget.restarts):
                search(batch, batch.random(generator))
            done.append(batch)
    finally:
        for module, mode in modes:
            module.training = mode
    return Attacked(
        torch.cat([batch.x for batch in done]),
        torch.cat([batch.reached for batch in done]),
        torch.cat([batch.loss for batch in done]),
    )


def _wide(values: Tensor, like: Tensor) -> Tensor:
    """Values of rows, (n,), in a shape that goes with rows of any shape."""
    return values.reshape(-1, *[1] * (like.dim() - 1))
