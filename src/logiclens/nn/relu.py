"""The ReLU network: full capacity, explained example by example (Sec. 5.3, Theorem 4.1).

On the units that fire for a row the network is one affine map, ``f(c) = sigmoid(W^ c + b^)``. Its weights are
how much each concept matters for that row; the network itself is never pruned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from logiclens.nn.population import LogicNetwork
from logiclens.nn.pruning import relative


class AffineMap(NamedTuple):
    """The affine map that a ReLU network is at each row (Theorem 4.1).

    ``weight`` has shape (members, n, n_concepts), ``bias`` (members, n); the logit at row ``c`` is
    ``(weight * c).sum(-1) + bias``. The outputs of a network of your own stand where members do.
    """

    weight: Tensor
    bias: Tensor


class ReluNetwork(LogicNetwork):
    """A population of ReLU networks, with a mild L1 penalty on all layers."""

    leak: ClassVar[float] = 0.0

    def activation(self, inputs: Tensor) -> Tensor:
        return torch.relu(inputs)

    def strengths(self) -> list[Tensor]:
        """One strength on all layers."""
        return [self.l1 for _ in self.linears]

    def prune(self) -> None:
        """Nothing: pruning happens for each example, in the affine map, when rules are extracted."""

    @torch.no_grad()
    def affine_map(self, x: Tensor) -> AffineMap:
        """Reduce the network to its affine map at each row.

        The product runs from the last layer to the first, ``W^ = W_L D_{L-1} W_{L-1} ... D_1 W_1``, where
        ``D`` keeps the units that fire.
        """
        activity, inputs = [], self.gather(x)
        for layer in self.linears[:-1]:
            inputs = torch.relu(layer(inputs))
            activity.append((inputs > 0).transpose(1, 2))  # (members, n, units)
        *hidden, last = self.linears
        return affine_product(
            (last.kept_weight().expand(-1, len(x), -1), last.bias[:, 0].expand(-1, len(x))),
            [(layer.kept_weight(), layer.bias) for layer in hidden],
            activity,
        )

    def relevance(self, x: Tensor) -> Tensor:
        """Absolute weight of each concept in each row's affine map, largest 1, (members, n, n_concepts)."""
        return relative(self.affine_map(x).weight.abs())


def affine_product(
    last: tuple[Tensor, Tensor], hidden: Sequence[tuple[Tensor, Tensor]], fires: Sequence[Tensor]
) -> AffineMap:
    """Multiply the layers of a ReLU network, last to first: ``W^ = W_L D_{L-1} W_{L-1} ... D_1 W_1``.

    Weights and biases of the output layer stand for each row, (..., n, units) and (..., n); those of the
    hidden layers come first to last, (..., n_out, n_in) and (..., n_out, 1). Which units fire on each row is
    the diagonal of ``D``, (..., n, n_out).
    """
    weight, bias = last
    for (layer_weight, layer_bias), active in zip(reversed(hidden), reversed(fires), strict=True):
        weight = weight * active
        bias = bias + (weight @ layer_bias).squeeze(-1)
        weight = weight @ layer_weight
    return AffineMap(weight, bias)
