"""The mean of several networks as one network: their hidden units side by side.

The mean of the logits of networks with elementwise activations and an affine last layer is a network of the
same kind. Its first layer reads every concept that one of them reads, its deeper layers are block-diagonal,
and its last layer has the weights of all of them, divided by their number.
"""

from __future__ import annotations

import copy
from typing import TypeVar

import torch
from torch import Tensor, nn

from logiclens.nn.mu import MuNetwork
from logiclens.nn.population import LogicNetwork, PopulationLinear
from logiclens.nn.relu import ReluNetwork

_DERIVED_FROM = ("forward", "gather", "leak", "linears", "logits", "prune", "relevance")

N = TypeVar("N", bound=LogicNetwork)


def has_mean(network: LogicNetwork) -> bool:
    """Whether the mean of members is a network of the same kind: of mu and ReLU networks, not overridden.

    Those of mu networks may be pruned by their mean relevance, too.

    Parameters
    ----------
    network : LogicNetwork
    """
    kind = type(network)
    return all(type(layer) is PopulationLinear for layer in network.linears) and any(
        all(getattr(kind, name) is getattr(known, name) for name in _DERIVED_FROM)
        for known in (MuNetwork, ReluNetwork)
    )


@torch.no_grad()
def mean_network(network: N, groups: Tensor) -> N:
    """A network with one member for each group, whose logits are the means of theirs.

    Parameters
    ----------
    network : LogicNetwork
        For which :func:`has_mean` holds.
    groups : Tensor of int, shape (n_groups, size)
        The members of each group.

    Examples
    --------
    >>> import numpy as np
    >>> network = ReluNetwork([np.random.default_rng(seed) for seed in range(4)], 3, (5,), [0.0] * 4)
    >>> mean = mean_network(network, torch.tensor([[0, 1], [2, 3]]))
    >>> x = torch.tensor([[0.0, 1.0, 1.0]])
    >>> torch.allclose(mean(x), network(x).view(2, 2, 1).mean(dim=1))
    True
    """
    size = groups.shape[1]
    if size == 1:
        return network.select(groups[:, 0])
    whole = copy.copy(network)
    whole._modules = {}
    whole._buffers = network._buffers | {"columns": None, "l1": network.l1[groups[:, 0]]}
    first, *others = network.linears
    weight, mask = _by_concept(network, first.kept_weight()), _by_concept(network, first.mask)
    layers = [_layer(weight, mask, first.bias), *(_layer(at.weight, at.mask, at.bias) for at in others)]
    for at, layer in enumerate(layers):
        for name in ("weight", "mask", "bias"):
            values: Tensor = getattr(layer, name)
            parts = [values[groups[:, place]] for place in range(size)]
            if at == len(layers) - 1:
                joined = _mean_of_last(parts, name, hidden=len(layers) > 1)
            elif at == 0 or name == "bias":
                joined = torch.cat(parts, dim=1)
            else:
                blocks = zip(*parts, strict=True)
                joined = torch.stack([torch.block_diag(*each) for each in blocks])  # type: ignore[no-untyped-call]
            setattr(layer, name, nn.Parameter(joined) if name != "mask" else joined)
    whole.layers = nn.ModuleList(layers)
    if network.columns is not None:
        whole.narrow((layers[0].mask != 0).any(dim=1))
    return whole


def _by_concept(network: LogicNetwork, values: Tensor) -> Tensor:
    """Values by column, (members, n_out, m), as values by concept, 0 where a concept is not read."""
    if network.columns is None:
        return values.detach()
    whole = values.new_zeros(*values.shape[:2], network.n_concepts)
    return whole.scatter(2, network.columns[:, None].expand_as(values), values.detach())


def _mean_of_last(parts: list[Tensor], name: str, *, hidden: bool) -> Tensor:
    """Of the last layer: weights side by side where units stand side by side, the mean of all else."""
    if name == "mask":
        return torch.cat(parts, dim=2) if hidden else torch.stack(parts).amax(dim=0)
    if name == "weight" and hidden:
        return torch.cat(parts, dim=2) / len(parts)
    return torch.stack(parts).mean(dim=0)


def _layer(weight: Tensor, mask: Tensor, bias: Tensor) -> PopulationLinear:
    layer = PopulationLinear.__new__(PopulationLinear)
    nn.Module.__init__(layer)
    layer.register_buffer("mask", mask)
    layer.weight, layer.bias = nn.Parameter(weight.detach() * mask), nn.Parameter(bias.detach())
    return layer
