"""The entropy network: attention over concepts, sharpened by an entropy penalty (Barbiero et al., 2022).

For each target the first layer's weights from concept ``j`` have the norm ``gamma_j = ||W_j||_1``;
``alpha = softmax(gamma / temperature)`` is how much attention each concept gets, and the network sees
``c_j alpha_j / max alpha`` . The penalty is the entropy of ``alpha``:
attention gathers on few concepts. Half-way through training the others are pruned, so that the truth table of
the kept ones is all there is to know.

For a model of your own such a layer is :class:`~logiclens.nn.own_models.EntropyLinear`.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.functional import leaky_relu

from logiclens.nn.criteria import entropy
from logiclens.nn.population import LogicNetwork, Streams
from logiclens.nn.pruning import most_relevant


class EntropyNetwork(LogicNetwork):
    """A population of entropy-based networks.

    Parameters
    ----------
    streams, n_concepts, hidden
        As for :class:`~logiclens.nn.population.LogicNetwork`.
    l1 : sequence of float
        Strength of the entropy penalty, one for each member.
    max_concepts : int, default 8
        Most concepts kept.
    tau : float, default 0.5
        Least ``alpha / max alpha`` of a concept that is kept.
    temperature : float, default 0.7
        Smaller is sharper.
    """

    def __init__(
        self,
        streams: Streams,
        n_concepts: int,
        hidden: Sequence[int],
        l1: Sequence[float],
        *,
        max_concepts: int = 8,
        tau: float = 0.5,
        temperature: float = 0.7,
    ) -> None:
        super().__init__(streams, n_concepts, hidden, l1)
        self.max_concepts = max_concepts
        self.tau = float(tau)
        self.temperature = float(temperature)

    def attention(self) -> Tensor:
        """``alpha``, shape (members, columns); sums to 1 over the columns that are not pruned."""
        first = self.linears[0]
        return concept_attention(first.kept_weight(), (first.mask == 0).all(dim=1), self.temperature)

    def logits(self, inputs: Tensor) -> Tensor:
        *hidden, last = self.linears
        alpha = self.attention()
        scale = alpha / alpha.amax(dim=1, keepdim=True)
        if inputs.dim() == 2:  # scaling the weights instead of the inputs keeps the inputs shared
            first = hidden[0] if hidden else last
            weight = first.kept_weight() * scale[:, None, :]
            members, n_out, n_in = weight.shape
            out = (weight.reshape(members * n_out, n_in) @ inputs).view(members, n_out, -1) + first.bias
        else:
            out = (hidden[0] if hidden else last)(inputs * scale[:, :, None])
        for layer in hidden[1:]:
            out = layer(leaky_relu(out))
        logits: Tensor = last(leaky_relu(out)) if hidden else out
        return logits.squeeze(1)

    def penalty(self) -> Tensor:
        """``lambda H(alpha)``, with ``0 log 0 = 0``."""
        return self.l1 * entropy(self.attention())

    def prune(self) -> None:
        """Keep the concepts whose attention is at least ``tau`` of the largest."""
        alpha = self.spread(self.attention().detach())
        self.narrow(most_relevant(alpha, self.max_concepts, self.tau))

    def relevance(self, x: Tensor) -> Tensor:  # noqa: ARG002 - the same for every row
        """``alpha / max alpha``, shape (members, n_concepts)."""
        alpha = self.spread(self.attention().detach())
        return alpha / alpha.max(dim=1, keepdim=True).values


def concept_attention(weight: Tensor, pruned: Tensor, temperature: float) -> Tensor:
    """``alpha``, shape (..., n_concepts): sums to 1 over the concepts that are not pruned.

    From weights (..., n_out, n_concepts); a smaller temperature is sharper.

    Examples
    --------
    >>> weight = torch.tensor([[1.0, -2.0, 9.0]])
    >>> alpha = concept_attention(weight, torch.tensor([False, False, True]), 1.0)
    >>> [round(float(share), 3) for share in alpha]
    [0.269, 0.731, 0.0]
    """
    gamma = weight.abs().sum(dim=-2) / temperature
    return torch.softmax(gamma.masked_fill(pruned, -torch.inf), dim=-1)  # torch shifts by the maximum
