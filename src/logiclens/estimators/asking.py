"""What networks say about rows, and what is true of them, in the forms that explanations are made from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from logiclens.explain.compose import check_layers, forward
from logiclens.logic import TruthTable
from logiclens.logic.arrays import BoolArray, FloatArray, pack
from logiclens.logic.values import THRESHOLD
from logiclens.nn.population import LogicNetwork
from logiclens.nn.psi import PsiNetwork

_BLOCK, _SMALL_BLOCK = 1 << 15, 1 << 8  # most rows asked at once, and fewest
_ON_CPU = 1 << 21  # numbers in a layer of all members on such rows that stay in the cache
_ON_GPU = 1 << 27  # and that take little of a device's memory
_FEW = 1 << 12  # tuples up to which a table is made without looking at them again
_CODED = 16  # concepts up to which tuples are looked up by number


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


class Grouped:
    """Rows by their tuple over some concepts: every table over these is then a sum over the rows of a tuple.

    Parameters
    ----------
    x : ndarray of shape (n, m)
        Scores of the concepts, or whether they are true.
    names : sequence of str
        Of the concepts.

    Examples
    --------
    >>> rows = Grouped(np.array([[0.9, 0.1], [0.8, 0.0], [0.2, 0.7]]), ["a", "b"])
    >>> table = rows.truth(np.array([1.0, 0.0, 1.0]), np.array([1.0, 4.0, 2.0]))
    >>> table.to_array().astype(int).tolist(), table.yes.tolist(), table.no.tolist()
    ([[1, 0], [0, 1]], [1.0, 2.0], [4.0, 0.0])
    """

    def __init__(self, x: FloatArray | BoolArray, names: Sequence[str]) -> None:
        bits = x > THRESHOLD
        if bits.shape[1] <= _CODED:
            code = bits @ (1 << np.arange(bits.shape[1]))
            row_of = np.full(1 << bits.shape[1], -1)
            row_of[code] = np.arange(len(bits))  # some row of each tuple
            found = row_of >= 0
            tuples, place = bits[row_of[found]], (np.cumsum(found) - 1)[code]
        else:
            packed = np.ascontiguousarray(np.packbits(bits, axis=1))
            whole = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
            _, first, place = np.unique(whole, return_index=True, return_inverse=True)
            tuples = bits[first]
        words = pack(tuples)
        order = np.lexsort(words.T) if words.shape[1] else np.arange(len(words))
        self._tuples, self._words, self._place = tuples[order], words[order], np.argsort(order)[place]
        self.names = tuple(names)

    def table(self, yes: FloatArray, no: FloatArray) -> TruthTable:
        """Weight of yes and of no, by tuple, from that of each row."""
        said_yes: FloatArray = np.bincount(self._place, yes, len(self._words)).astype(np.float64)
        said_no: FloatArray = np.bincount(self._place, no, len(self._words)).astype(np.float64)
        seen = said_yes + said_no > 0
        if len(self._words) > _FEW or not seen.any():
            return TruthTable.from_counts(self._tuples, said_yes, said_no, self.names)
        return TruthTable(self.names, self._words[seen], said_yes[seen], said_no[seen])  # quicker

    def answers(self, said_yes: BoolArray, weight: FloatArray) -> TruthTable:
        """Weight of the rows about which yes was said, and no, by tuple."""
        return self.table(np.where(said_yes, weight, 0.0), np.where(said_yes, 0.0, weight))

    def truth(self, truth: FloatArray, weight: FloatArray) -> TruthTable:
        """Weight of the rows that belong to a target and that do not, by tuple."""
        return self.table(truth * weight, weight - truth * weight)


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
