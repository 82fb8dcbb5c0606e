"""What networks say about rows, and what is true of them, in the forms that explanations are made from."""

from __future__ import annotations

import numpy as np
import torch

from logiclens.explain.compose import check_layers, forward
from logiclens.logic import TruthTable
from logiclens.logic.arrays import FloatArray
from logiclens.logic.values import THRESHOLD
from logiclens.nn.population import LogicNetwork
from logiclens.nn.psi import PsiNetwork

_BLOCK = 1 << 15  # rows asked at once


@torch.no_grad()
def ask(network: LogicNetwork, x: FloatArray) -> FloatArray:
    """Logits of a network on rows, shape (n, n_outputs), in double precision on the CPU."""
    device = network.l1.device
    parts = [
        network(torch.as_tensor(x[start : start + _BLOCK], dtype=network.l1.dtype, device=device)).T.cpu()
        for start in range(0, len(x), _BLOCK)
    ]
    logits = torch.cat(parts).double().numpy() if parts else np.zeros((0, network.members))
    return _by_neurons(network, x, logits) if isinstance(network, PsiNetwork) else logits


def _by_neurons(network: PsiNetwork, x: FloatArray, logits: FloatArray) -> FloatArray:
    """Logits whose signs are what the neurons, composed as formulas, say: rounding cannot part the two."""
    inputs = x > THRESHOLD
    said = [forward(check_layers(network.neurons(i)), inputs)[:, 0] for i in range(network.members)]
    size = np.maximum(np.abs(logits), np.finfo(float).tiny)
    return np.where(np.column_stack(said), size, -size)


def truth_about(x: FloatArray, truth: FloatArray, weight: FloatArray, names: list[str]) -> TruthTable:
    """Weight of the rows that belong to a target and that do not, by tuple."""
    rows = weight > 0
    yes = truth[rows] * weight[rows]
    return TruthTable.from_counts(x[rows] > THRESHOLD, yes, weight[rows] - yes, names)


def by_tuple(table: TruthTable, x: FloatArray, scores: FloatArray, weight: FloatArray) -> FloatArray:
    """Mean relevance over the rows of each tuple of a table, shape (n_tuples, n_concepts)."""
    powers = 1 << np.arange(x.shape[1], dtype=np.int64)
    code = (x > 0.5) @ powers
    tuples = table.to_array() @ powers
    place = np.full(1 << x.shape[1], -1)
    place[tuples] = np.arange(len(tuples))
    row = place[code]
    seen = (row >= 0) & (weight > 0)
    total = np.zeros((len(tuples), x.shape[1]))
    np.add.at(total, row[seen], weight[seen, None] * scores[seen])
    weights = np.bincount(row[seen], weights=weight[seen], minlength=len(tuples))[:, None]
    return np.asarray(total / np.where(weights > 0, weights, 1.0))
