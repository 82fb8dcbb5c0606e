"""Rows to learn from, for a whole population: equal ones merged.

Equal rows of zeros and ones become one row of their added weights. All criteria are linear in the weights of
yes and no, so the loss is the same to rounding. Once pruning has left a member few concepts, its rows are
merged once more, over those: the ones that it learns from, and apart from these the others, such as those
that it is checked with.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from logiclens.nn.population import LogicNetwork

_CODED = 40  # bits up to which tuples are numbered by them
_WORTH_MERGING = 0.75  # share of the rows that some member learns from up to which tuples take their place


@dataclass(frozen=True)
class Rows:
    """Rows to learn from, for a whole population; weights are (members, n)."""

    x: Tensor
    """Concept values in [0, 1], (n, n_concepts); (n_concepts, n) or (members, m, n) once gathered."""
    yes: Tensor
    """Weight of each row as an example of yes, and ``no`` of no."""
    no: Tensor
    check_yes: Tensor
    """The same for validation, with ``check_no``."""
    check_no: Tensor
    by_batch: bool = False
    """Whether ``x`` of shape (n_concepts, n) is gathered by each mini-batch, when it is due."""

    @property
    def n_rows(self) -> int:
        """Number of rows; where each member has its own, of the one that has most."""
        return self.yes.shape[1]

    def map_weights(self, change: Callable[[Tensor], Tensor], x: Tensor | None = None) -> Rows:
        """Rows whose four weights went through ``change``."""
        return Rows(
            self.x if x is None else x,
            change(self.yes),
            change(self.no),
            change(self.check_yes),
            change(self.check_no),
            self.by_batch,
        )

    def merged(self) -> Rows:
        """Equal rows of zeros and ones as one; as they are with other values."""
        distinct, place = merge_rows(self.x)
        if distinct is self.x:
            return self

        def add_up(weight: Tensor) -> Tensor:
            total = weight.new_zeros(len(weight), len(distinct))
            return total.index_add_(1, place, weight)

        return self.map_weights(add_up, distinct)

    def gathered(self, network: LogicNetwork) -> Rows:
        """What the network reads, (members, m, n), with equal tuples of each member merged."""
        inputs = network.inputs(self.x)
        if inputs.dim() == 2:
            return replace(self, x=inputs)
        members, columns, _ = inputs.shape
        if columns > _CODED or not _are_bits(inputs):
            return replace(self, x=inputs)
        learned = self.yes + self.no > 0
        code = sum(inputs[:, at].long() << at for at in range(columns))
        code += (
            ~learned
        ).long() << columns  # what is learned from comes first, much the same for all members
        code += torch.arange(members, device=inputs.device)[:, None] << columns + 1
        tuples, place = torch.unique(code, return_inverse=True)
        owner, is_learned = tuples >> columns + 1, (tuples >> columns) & 1 == 0
        n_tuples = int(torch.bincount(owner[is_learned], minlength=members).max())
        if n_tuples > _WORTH_MERGING * int(learned.any(dim=0).sum()):
            return replace(self, x=inputs)
        sizes = torch.bincount(owner, minlength=members)
        longest = int(sizes.max())
        starts = torch.cumsum(sizes, dim=0) - sizes
        position = torch.arange(len(tuples), device=inputs.device) - starts[owner] + owner * longest
        table = inputs.new_zeros(members * longest, columns)
        shifts = torch.arange(columns, device=inputs.device)
        table[position] = ((tuples[:, None] >> shifts) & 1).to(inputs.dtype)
        flat = position[place].reshape(-1)

        def add_up(weight: Tensor) -> Tensor:
            total = weight.new_zeros(members * longest)
            return total.index_add_(0, flat, weight.reshape(-1)).view(members, longest)

        return self.map_weights(add_up, table.view(members, longest, columns).transpose(1, 2).contiguous())

    def select(self, index: Tensor) -> Rows:
        """The rows of some members."""
        return self.map_weights(lambda weight: weight[index], self.x[index] if self.x.dim() == 3 else self.x)

    def where(self, used: Tensor) -> Rows:
        """The rows, gathered, at which ``used``, Boolean (n,), is true."""
        if bool(used.all()):
            return self
        index = torch.nonzero(used).squeeze(1)
        return self.map_weights(lambda weight: weight[:, index], self.x[..., index])


def merge_rows(x: Tensor) -> tuple[Tensor, Tensor]:
    """Distinct rows, and which of them each row is; the rows as they are where merging does not halve them.

    Only rows of zeros and ones are merged: other scores hardly ever coincide.
    """
    if x.numel() and _are_bits(x):
        # NumPy sorts rows that are packed into bytes many times faster than torch sorts rows of numbers.
        packed = np.ascontiguousarray(np.packbits(x.cpu().numpy() > 0, axis=1))
        whole = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
        _, first, place = np.unique(whole, return_index=True, return_inverse=True)
        if 2 * len(first) <= len(x):
            return x[torch.as_tensor(first, device=x.device)], torch.as_tensor(place, device=x.device)
    return x, torch.arange(len(x), device=x.device)


def _are_bits(x: Tensor) -> bool:
    """Whether all values are zeros and ones."""
    return bool(((x == 0) | (x == 1)).all())
