"""Attention over concepts: how the entropy network weighs its inputs (Barbiero et al., 2022).

For each target the first layer's weights from concept ``j`` have the norm ``gamma_j = ||W_j||_1``;
``alpha = softmax(gamma / temperature)`` is how much attention each concept gets, and the network sees
``c_j alpha_j / max alpha``. :class:`EntropyLinear` is such a first layer for a network of your own;
:class:`~logiclens.nn.entropy.EntropyNetwork` has one for each member of a population.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from logiclens.errors import InputError, shown
from logiclens.logic.data import as_float
from logiclens.nn.criteria import entropy


def concept_attention(weight: Tensor, pruned: Tensor, temperature: float) -> Tensor:
    """``alpha``, shape (..., n_concepts): sums to 1 over the concepts that are not pruned.

    Parameters
    ----------
    weight : Tensor of shape (..., n_out, n_concepts)
    pruned : Tensor of bool, shape (..., n_concepts)
    temperature : float
        Smaller is sharper.

    Examples
    --------
    >>> weight = torch.tensor([[1.0, -2.0, 9.0]])
    >>> alpha = concept_attention(weight, torch.tensor([False, False, True]), 1.0)
    >>> [round(float(share), 3) for share in alpha]
    [0.269, 0.731, 0.0]
    """
    gamma = weight.abs().sum(dim=-2) / temperature
    return torch.softmax(gamma.masked_fill(pruned, -torch.inf), dim=-1)  # torch shifts by the maximum


class EntropyLinear(nn.Linear):
    """The first layer of an entropy network of your own: a linear layer that attends to its inputs.

    Add ``strength * layer.entropy()`` to the loss, so that attention gathers on few concepts, and drop the
    others with :func:`~logiclens.nn.pruning.prune_inputs`. All outputs of a model share one attention; for
    concepts of each target's own train a model for each.

    Parameters
    ----------
    in_features, out_features : int
        As for :class:`torch.nn.Linear`.
    temperature : float, default 0.7
        Smaller is sharper.

    Examples
    --------
    >>> layer = EntropyLinear(3, 4)
    >>> layer(torch.ones(5, 3)).shape, layer.attention().shape
    (torch.Size([5, 4]), torch.Size([3]))
    """

    def __init__(self, in_features: int, out_features: int, temperature: float = 0.7) -> None:
        super().__init__(in_features, out_features)
        if not as_float(temperature) > 0:
            raise InputError(f"temperature must be a number greater than 0. Got {shown(temperature)}.")
        self.temperature = float(temperature)

    def attention(self) -> Tensor:
        """``alpha``, shape (in_features,), of stacked networks (members, in_features); 0 where pruned."""
        weight = self.weight
        unused = (weight == 0).all(dim=-2)  # by training alone no column gets to be exactly zero
        unused = unused & ~unused.all(dim=-1, keepdim=True)
        return concept_attention(weight, unused, self.temperature)

    def entropy(self) -> Tensor:
        """Entropy of the attention, the penalty of the entropy network; a scalar, or shape (members,)."""
        return entropy(self.attention())

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., in_features) to (..., out_features), the inputs scaled by ``alpha / max alpha``."""
        alpha = self.attention()
        return super().forward(x * (alpha / alpha.max()))
