"""Pruning strategies: what stays of a network half-way through training (Sec. 4.3).

- Network-level: the concepts with the largest scores stay, for all neurons alike. mu and entropy networks do
  that (:func:`most_relevant`).
- Neuron-level: each neuron keeps its largest weights. psi networks do that (:func:`largest_weights`).

A network applies one of them in its :meth:`~logiclens.nn.population.LogicNetwork.prune`. A new strategy is a
function here that says what stays, as Booleans, and a network that calls it. Restarts that are averaged keep
the same concepts, those most relevant in the mean (``estimators/networks.py``). Where a subclass overrides
``prune``, restarts are not averaged: the best one is taken.
"""

from __future__ import annotations

import torch
from torch import Tensor


def most_relevant(scores: Tensor, n_kept: int, tau: float) -> Tensor:
    """The concepts that network-level pruning keeps, Boolean, shaped as the scores (Sec. 4.3).

    Scores are divided by each member's largest, ``w' = w / max_j w_j``; at most ``n_kept`` concepts of at
    least ``tau`` stay, and at least one.

    Parameters
    ----------
    scores : Tensor of shape (..., n_concepts)
        Not negative; larger for concepts that matter more.
    n_kept : int
        Most concepts to keep, the paper's zeta.
    tau : float
        Least relative score of a concept that stays, from 0 to 1.

    Examples
    --------
    >>> most_relevant(torch.tensor([1.0, 4.0, 3.0]), 2, 0.5)
    tensor([False,  True,  True])
    """
    shares = relative(scores)
    ranked = shares.sort(dim=-1, descending=True, stable=True).indices[..., :n_kept]
    keep = torch.zeros_like(shares, dtype=torch.bool).scatter(-1, ranked, True) & (shares >= tau)
    return keep.scatter(-1, ranked[..., :1], True)  # even where all scores are 0


def relative(scores: Tensor) -> Tensor:
    """Scores divided by the largest of each row, ``w' = w / max_j w_j``; zeros stay zeros."""
    return scores / scores.max(dim=-1, keepdim=True).values.clamp(min=torch.finfo(scores.dtype).tiny)


def largest_weights(weight: Tensor, fan_in: int) -> Tensor:
    """Where the ``fan_in`` largest absolute weights into each neuron are, Boolean, shaped as the weights.

    Examples
    --------
    >>> largest_weights(torch.tensor([[0.1, -3.0, 2.0], [5.0, 0.0, 1.0]]), 1)
    tensor([[False,  True, False],
            [ True, False, False]])
    """
    n_in = weight.shape[-1]
    ranked = weight.abs().sort(dim=-1, descending=True, stable=True).indices[..., : min(fan_in, n_in)]
    return torch.zeros_like(weight, dtype=torch.bool).scatter(-1, ranked, True)
