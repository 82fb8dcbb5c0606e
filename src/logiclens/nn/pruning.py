"""Which connections stay: the three pruning strategies (Sec. 4.3), for populations and models of your own.

    node level      each neuron keeps its ``fan_in`` largest weights                       psi networks
    network level   the network keeps the concepts whose connections have the largest norm  mu networks
    example level   nothing is removed; at each row the network is one affine map            ReLU networks

The rules themselves, :func:`largest_weights`, :func:`most_relevant` and :func:`affine_product`, work on
tensors with a leading population axis. The populations of this package use them, and so do
:func:`prune_fan_in`, :func:`prune_inputs` and :func:`affine_map`, which take a model that you wrote and train
yourself. What those prune stays zero whatever the optimizer does: the layer's weight is ``weight * mask``
each time it is read. The L1 penalties that prepare a network for pruning are here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from logiclens.errors import InputError, shown
from logiclens.logic.data import as_float, check_count
from logiclens.nn.attention import EntropyLinear
from logiclens.nn.sequential import first_linear, linear_layers, relu_layers


class AffineMap(NamedTuple):
    """The affine map that a ReLU network is at each row (Theorem 4.1).

    ``weight`` has shape (members, n, n_concepts), ``bias`` (members, n); the logit at row ``c`` is
    ``(weight * c).sum(-1) + bias``. The outputs of a network of your own stand where members do.
    """

    weight: Tensor
    bias: Tensor


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
    relative = scores / _largest(scores)
    ranked = relative.sort(dim=-1, descending=True, stable=True).indices[..., :n_kept]
    keep = torch.zeros_like(relative, dtype=torch.bool).scatter(-1, ranked, True) & (relative >= tau)
    return keep.scatter(-1, ranked[..., :1], True)  # even where all scores are 0


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


def affine_product(
    last: tuple[Tensor, Tensor], hidden: Sequence[tuple[Tensor, Tensor]], fires: Sequence[Tensor]
) -> AffineMap:
    """Multiply the layers of a ReLU network, last to first: ``W^ = W_L D_{L-1} W_{L-1} ... D_1 W_1``.

    Parameters
    ----------
    last : (weight, bias)
        Of the output layer, for each row: (..., n, units) and (..., n).
    hidden : sequence of (weight, bias)
        Of the hidden layers, first to last: (..., n_out, n_in) and (..., n_out, 1).
    fires : sequence of Tensor
        Which units of each hidden layer are active on each row, the diagonal of ``D``: (..., n, n_out).

    Returns
    -------
    AffineMap
    """
    weight, bias = last
    for (layer_weight, layer_bias), active in zip(reversed(hidden), reversed(fires), strict=True):
        weight = weight * active
        bias = bias + (weight @ layer_bias).squeeze(-1)
        weight = weight @ layer_weight
    return AffineMap(weight, bias)


def l1_penalty(model: nn.Module) -> Tensor:
    """``||W||_1`` over the weights of all linear layers, biases aside; a scalar (Sec. 4.3).

    Examples
    --------
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 1))
    >>> _ = torch.nn.init.constant_(model[0].weight, -0.5)
    >>> l1_penalty(model).item()
    1.0
    """
    return torch.stack([layer.weight.abs().sum() for layer in linear_layers(model)]).sum()


def input_l1_penalty(model: nn.Module) -> Tensor:
    """``||W_1||_1`` over the connections that leave the concepts: the first linear layer's; a scalar."""
    return first_linear(model).weight.abs().sum()


def prune_fan_in(model: nn.Module, fan_in: int) -> None:
    """Node-level pruning of a model of your own, in place (Sec. 4.3).

    Each neuron of each linear layer keeps its ``fan_in`` largest absolute weights. The others are zero from
    now on. An optimizer that already holds the parameters goes on with the same ones.

    Parameters
    ----------
    model : torch.nn.Module
        Of stacked networks each member is pruned for itself.
    fan_in : int
        The paper's zeta, at least 1; neurons with fewer inputs keep them all.

    Examples
    --------
    >>> model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Sigmoid(), torch.nn.Linear(3, 1))
    >>> prune_fan_in(model, 2)
    >>> [(layer.weight != 0).sum(dim=1).tolist() for layer in (model[0], model[2])]
    [[2, 2, 2], [2]]
    """
    most = _at_least_one(fan_in, "fan_in")
    for layer in linear_layers(model):
        _keep(layer, largest_weights(layer.weight.detach(), most))


def prune_inputs(model: nn.Module, *, max_concepts: int | None = None, tau: float | None = None) -> Tensor:
    """Network-level pruning of a model of your own, in place (Sec. 4.3).

    Concepts are ranked by :func:`input_relevance`; the connections of those that do not stay are zero from
    now on.

    Parameters
    ----------
    model : torch.nn.Module
    max_concepts : int, optional
        Most concepts that stay, the paper's zeta.
    tau : float, optional
        Least relevance, between 0 and 1, of a concept that stays.

    Returns
    -------
    Tensor of bool, shape (n_concepts,), of stacked networks (members, n_concepts)
        Which concepts stay.

    Examples
    --------
    >>> model = torch.nn.Sequential(torch.nn.Linear(3, 1))
    >>> with torch.no_grad():
    ...     _ = model[0].weight.copy_(torch.tensor([[2.0, -0.1, 1.5]]))
    >>> prune_inputs(model, tau=0.5)
    tensor([ True, False,  True])
    """
    if max_concepts is None and tau is None:
        raise InputError("prune_inputs needs to know what stays. Got neither; pass max_concepts or tau.")
    scores = input_relevance(model)
    most = scores.shape[-1] if max_concepts is None else _at_least_one(max_concepts, "max_concepts")
    least = 0.0 if tau is None else as_float(tau)
    if not 0.0 <= least <= 1.0:
        raise InputError(f"tau must be a number in [0, 1]. Got {shown(tau)}.")
    keep = most_relevant(scores, most, least)
    _keep(first_linear(model), keep[..., None, :])
    return keep


@torch.no_grad()
def input_relevance(model: nn.Module) -> Tensor:
    """How much each concept matters to a model of your own, the largest 1.

    That is the L2 norm of the connections that leave the concept, ``w'_j = w_j / max_i w_i``; where the first
    layer is an :class:`~logiclens.nn.attention.EntropyLinear`, its attention.

    Parameters
    ----------
    model : torch.nn.Module

    Returns
    -------
    Tensor of shape (n_concepts,), of stacked networks (members, n_concepts)
    """
    first = first_linear(model)
    scores = first.attention() if isinstance(first, EntropyLinear) else first.weight.norm(dim=-2)
    return scores / _largest(scores)


@torch.no_grad()
def affine_map(model: nn.Module, x: Tensor) -> AffineMap:
    """Example-level pruning of a model of your own: the affine map that it is at each row (Theorem 4.1).

    Parameters
    ----------
    model : torch.nn.Sequential
        Linear layers with ReLU between them, and perhaps a Sigmoid at the end, which is left out of the map.
    x : Tensor of shape (n, n_concepts)

    Returns
    -------
    AffineMap
        Weights of shape (n_outputs, n, n_concepts), biases of shape (n_outputs, n).

    Examples
    --------
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 3)).double()
    >>> x = torch.tensor([[0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
    >>> weight, bias = affine_map(model, x)
    >>> torch.allclose((weight * x).sum(dim=-1) + bias, model(x).T)
    True
    """
    *hidden, last = relu_layers(model)
    fires, inputs = [], x
    for layer in hidden:
        inputs = torch.relu(layer(inputs))
        fires.append(inputs > 0)  # (n, units)
    return affine_product(
        (last.weight[:, None, :].expand(-1, len(x), -1), _bias(last)[:, None].expand(-1, len(x))),
        [(layer.weight, _bias(layer)[:, None]) for layer in hidden],
        fires,
    )


class Kept(nn.Module):
    """A parametrization of weights: those whose connection is pruned are zero.

    Attributes
    ----------
    mask : buffer, shaped as the weights
        0 where a connection is pruned, 1 elsewhere.
    """

    mask: Tensor

    def __init__(self, mask: Tensor) -> None:
        super().__init__()
        self.register_buffer("mask", mask)

    def forward(self, weight: Tensor) -> Tensor:
        """The weights that are left."""
        return weight * self.mask


def _keep(layer: nn.Linear, keep: Tensor) -> None:
    """Keep only the connections where ``keep`` (broadcast to the weights) is true, for good."""
    mask = keep.expand_as(layer.weight).to(layer.weight.dtype)
    for part in layer.modules():
        if isinstance(part, Kept):
            part.mask.mul_(mask)
            return
    parametrize.register_parametrization(layer, "weight", Kept(mask.clone()))


def _bias(layer: nn.Linear) -> Tensor:
    bias: Tensor | None = layer.bias  # None without one, whatever torch declares
    return layer.weight.new_zeros(layer.out_features) if bias is None else bias


def _largest(scores: Tensor) -> Tensor:
    """The largest score of each row, never 0."""
    return scores.max(dim=-1, keepdim=True).values.clamp(min=torch.finfo(scores.dtype).tiny)


def _at_least_one(value: int, name: str) -> int:
    if check_count(value, name) < 1:
        raise InputError(f"{name} must be at least 1. Got {shown(value)}.")
    return int(value)
