"""What networks say about rows: their logits."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from logiclens.explain.compose import check_layers, forward
from logiclens.logic.arrays import FloatArray
from logiclens.logic.data import THRESHOLD
from logiclens.nn.population import LogicNetwork
from logiclens.nn.psi import PsiNetwork

_BLOCK, _SMALL_BLOCK = 1 << 15, 1 << 8  # most rows asked at once, and fewest
_ON_CPU = 1 << 21  # numbers in a layer of all members on such rows that stay in the cache
_ON_GPU = 1 << 27  # and that take little of a device's memory


@torch.no_grad()
def ask(network: LogicNetwork, x: FloatArray) -> FloatArray:
    """Logits of a network on rows, shape (n, n_outputs), in double precision on the CPU."""
    parts = [logits_on(network, x[start : start + _BLOCK]).T.cpu() for start in range(0, len(x), _BLOCK)]
    logits = torch.cat(parts).double().numpy() if parts else np.zeros((0, network.members))
    return _by_neurons(network, x, logits) if isinstance(network, PsiNetwork) else logits


@torch.no_grad()
def logits_on(network: LogicNetwork, x: FloatArray | Tensor) -> Tensor:
    """Logits of a network on rows, shape (members, n), where the network is, a block of rows at a time."""
    rows = torch.as_tensor(x).to(network.l1)
    numbers = _ON_CPU if rows.device.type == "cpu" else _ON_GPU
    size = min(max(numbers // network.activations(1), _SMALL_BLOCK), _BLOCK)
    if len(rows) <= size:
        return torch.as_tensor(network(rows))
    return torch.cat([network(block) for block in torch.split(rows, size)], dim=1)


def _by_neurons(network: PsiNetwork, x: FloatArray, logits: FloatArray) -> FloatArray:
    """Logits whose signs are what the neurons, composed as formulas, say: rounding cannot part the two."""
    inputs = x > THRESHOLD
    said = [forward(check_layers(network.neurons(i)), inputs)[:, 0] for i in range(network.members)]
    size = np.maximum(np.abs(logits), np.finfo(float).tiny)
    return np.where(np.column_stack(said), size, -size)
