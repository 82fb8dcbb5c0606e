"""Sigmoids that become steps: how hidden neurons learn to say yes or no (Sec. 5.1).

A network of sigmoids is only nearly a network of truth values. While it is fine-tuned its sigmoids are made
steeper, then turned into steps that keep the slope of the sigmoid as gradient, so that training goes on. In
the end each hidden neuron is true or false, and the formula made of the neurons is what the network decides.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from logiclens.logic.values import THRESHOLD

STEEPEST = 8.0
"""Slope of the sigmoids when they turn into steps."""


def step_sigmoid(z: Tensor, slope: float, hard: bool) -> Tensor:
    """``sigmoid(slope * z)`` or, when hard, the step with its gradient; of any shape.

    Examples
    --------
    >>> step_sigmoid(torch.tensor([-0.1, 0.1]), 8.0, hard=True)
    tensor([0., 1.])
    """
    soft = torch.sigmoid(slope * z)
    # The value is the step, the gradient that of the sigmoid.
    return soft + ((soft > THRESHOLD).to(soft.dtype) - soft).detach() if hard else soft


def steepness(progress: float) -> tuple[float, bool]:
    """Slope and hardness when that share of the fine-tuning is done.

    The slope grows over the first half; steps come with the second.

    Examples
    --------
    >>> steepness(0.0), steepness(0.5)
    ((1.0, False), (8.0, True))
    """
    return STEEPEST ** min(2.0 * progress, 1.0), progress >= 0.5


class StepSigmoid(nn.Module):
    """An activation for a psi network of your own: a sigmoid that becomes a step.

    It starts as :class:`torch.nn.Sigmoid`. Call :meth:`anneal` while fine-tuning; from half-way on its values
    are 0 and 1.

    Attributes
    ----------
    slope : float
    hard : bool

    Examples
    --------
    >>> activation = StepSigmoid()
    >>> activation(torch.tensor([-1.0, 1.0]))
    tensor([0.2689, 0.7311])
    >>> activation.anneal(1.0)
    >>> activation(torch.tensor([-1.0, 1.0]))
    tensor([0., 1.])
    """

    def __init__(self) -> None:
        super().__init__()
        self.slope, self.hard = steepness(0.0)

    def anneal(self, progress: float) -> None:
        """Tell the activation how much of the fine-tuning is done, from 0 to 1."""
        self.slope, self.hard = steepness(progress)

    def forward(self, z: Tensor) -> Tensor:
        """Values in [0, 1], shaped as the inputs."""
        return step_sigmoid(z, self.slope, self.hard)

    def extra_repr(self) -> str:
        """What ``repr`` shows."""
        return f"slope={self.slope:g}, hard={self.hard}"
