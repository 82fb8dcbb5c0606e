"""The psi network: every neuron is a Boolean formula (Sec. 5.1).

Sigmoids everywhere, an L1 penalty on all layers, and node-level pruning half-way through training: no neuron
keeps more than ``fan_in`` connections. While the network is fine-tuned its sigmoids are made steeper, then
turned into steps that keep the slope of the sigmoid as gradient, so that training goes on. Inputs are
Booleanised. So in the end each neuron says yes or no, and composing the neurons' truth tables gives exactly
what the network decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import torch
from torch import Tensor

from logiclens.logic.data import THRESHOLD
from logiclens.nn.population import LogicNetwork, PopulationLinear, Streams
from logiclens.nn.pruning import largest_weights, relative

STEEPEST = 8.0
"""Slope of the sigmoids when they turn into steps."""


class PsiNetwork(LogicNetwork):
    """A population of psi networks.

    Parameters
    ----------
    streams, n_concepts, hidden, l1
        As for :class:`~logiclens.nn.population.LogicNetwork`.
    fan_in : int, default 3
        Most connections into a neuron after pruning, the paper's zeta (2 to 9).

    Attributes
    ----------
    slope : float
        Steepness of the hidden sigmoids.
    hard : bool
        Whether they are steps, the gradient still that of a sigmoid of that slope.
    """

    def __init__(
        self,
        streams: Streams,
        n_concepts: int,
        hidden: Sequence[int],
        l1: Sequence[float],
        *,
        fan_in: int = 3,
    ) -> None:
        super().__init__(streams, n_concepts, hidden, l1)
        self.fan_in = int(fan_in)
        self.slope, self.hard = steepness(0.0)
        for layer in self.linears:
            spread_widely(layer)

    def train(self, mode: bool = True) -> Self:
        """Begin or end training, in which neurons see their inputs as -1/2 and 1/2; neither changes outputs.

        The mean of an input is then about 0. So a weight says nothing about the threshold of its neuron: both
        are learned more easily, and pruning a weight leaves the threshold where it is.
        """
        if mode != self.training:
            with torch.no_grad():
                for layer in self.linears:
                    layer.bias.add_(centers(layer), alpha=1.0 if mode else -1.0)
        return super().train(mode)

    def gather(self, x: Tensor) -> Tensor:
        return super().gather((x > THRESHOLD).to(x.dtype))

    def logits(self, inputs: Tensor) -> Tensor:
        *hidden, last = self.linears
        for layer in hidden:
            inputs = self.activation(self._sums(layer, inputs))
        return self._sums(last, inputs).squeeze(1)

    def _sums(self, layer: PopulationLinear, inputs: Tensor) -> Tensor:
        """Weighted sums of a layer's inputs, which are between 0 and 1."""
        sums: Tensor = layer(inputs)
        return sums - centers(layer) if self.training else sums

    def activation(self, inputs: Tensor) -> Tensor:
        return step_sigmoid(inputs, self.slope, self.hard)

    def strengths(self) -> list[Tensor]:
        """One strength on all layers; a tenth of it after pruning."""
        return [self.l1 * (1.0 if self.columns is None else 0.1) for _ in self.linears]

    def prune(self) -> None:
        """Node-level pruning: each neuron keeps its ``fan_in`` largest weights."""
        for layer in self.linears:
            layer.prune(largest_weights(layer.kept_weight().detach(), self.fan_in))
        self.narrow(self.spread(self._reachable()))

    def _reachable(self) -> Tensor:
        """Columns from which some path leads to the output, Boolean (members, columns)."""
        reached = torch.ones_like(self.linears[-1].mask[:, :, 0], dtype=torch.bool)  # (members, 1)
        for layer in reversed(self.linears):
            reached = ((layer.mask != 0) & reached[:, :, None]).any(dim=1)
        return reached

    def anneal(self, progress: float) -> None:
        """Make the sigmoids steeper over the first half of the fine-tuning, then turn them into steps."""
        self.slope, self.hard = steepness(progress)

    def relevance(self, x: Tensor) -> Tensor:  # noqa: ARG002 - the same for every row
        """Sum over all paths of the product of absolute weights, largest 1, (members, n_concepts)."""
        sums = self.linears[-1].kept_weight().detach().abs()
        for layer in reversed(self.linears[:-1]):
            sums = sums @ layer.kept_weight().detach().abs()
        return relative(self.spread(sums.squeeze(1)))

    def neurons(self, member: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Weights and biases of one member, layer by layer, over all concepts, as float64 arrays."""
        found = []
        for at, layer in enumerate(self.linears):
            weight = layer.kept_weight().detach()[member]
            if at == 0 and self.columns is not None:
                whole = torch.zeros(len(weight), self.n_concepts, dtype=weight.dtype, device=weight.device)
                weight = whole.scatter(1, self.columns[member].expand(len(weight), -1), weight)
            bias = (layer.bias - centers(layer) if self.training else layer.bias).detach()[member, :, 0]
            found.append((weight.double().cpu().numpy(), bias.double().cpu().numpy()))
        return found


def centers(layer: PopulationLinear) -> Tensor:
    """What inputs of one half add to the weighted sums of a layer, (members, n_out, 1)."""
    return 0.5 * layer.kept_weight().sum(dim=2, keepdim=True)


@torch.no_grad()
def spread_widely(layer: PopulationLinear) -> None:
    """Make the first weights of a layer as large as sigmoids need them: up to ``4 sqrt(6 / (n_in + n_out))``.

    A sigmoid is four times as flat as the hyperbolic tangent, whose weights the root is for (Glorot and
    Bengio, 2010). With smaller ones what a row says fades from layer to layer: outputs hardly depend on it,
    and the penalty wins.
    """
    _, n_out, n_in = layer.weight.shape
    larger = 4.0 * (6.0 / (n_in + n_out)) ** 0.5 * max(n_in, 1) ** 0.5
    layer.weight.mul_(larger)
    layer.bias.mul_(0.5 * larger)  # as an input of one half


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
