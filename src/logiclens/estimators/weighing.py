"""What rows weigh as yes and as no, for each output of each fold: what networks are trained with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from logiclens.estimators.balancing import Balance
from logiclens.estimators.counting import Fold
from logiclens.logic.arrays import FloatArray
from logiclens.nn.rows import Rows

_LEAST_ENTROPY = 1e-3


@dataclass(frozen=True, eq=False)
class Answers:
    """Weight of yes and of no on each row, to learn from and to check with, each (groups, n)."""

    yes: Tensor
    no: Tensor
    check_yes: Tensor
    check_no: Tensor

    def weighted(self, rows: Tensor, group: int, balance: Balance) -> Rows:
        """Rows for every member: balanced, and scaled so that a constant answer has loss 1.

        Parameters
        ----------
        rows : Tensor of shape (n, n_concepts)
        group : int
            Members of a group.
        balance : Balance
            What a yes counts against a no.
        """
        factor = balance_factor(self.yes.sum(dim=1), self.no.sum(dim=1), balance)[:, None]
        scaled = [
            part / _uninformed_loss(a.sum(dim=1, keepdim=True), b.sum(dim=1, keepdim=True))
            for a, b in ((self.yes * factor, self.no), (self.check_yes * factor, self.check_no))
            for part in (a, b)
        ]
        return Rows(rows, *(weight.repeat_interleave(group, dim=0) for weight in scaled))


def answers_of(
    outputs: FloatArray,
    folds: Sequence[Fold],
    chunk: Sequence[tuple[int, int]],
    place: Tensor,
    n_rows: int,
) -> Answers:
    """The answers of each group on merged rows; ``place`` says where each row of the data went."""
    fold = torch.tensor([f for f, _ in chunk], device=place.device)
    output = torch.tensor([o for _, o in chunk], device=place.device)
    target = torch.as_tensor(outputs.T, dtype=torch.float32, device=place.device)[output]

    def merged(weight: Tensor) -> Tensor:
        return weight.new_zeros(len(chunk), n_rows).index_add_(1, place, weight)

    parts = []
    for weights in ([f.train for f in folds], [f.check for f in folds]):
        weight = torch.as_tensor(np.stack(weights), dtype=torch.float32, device=place.device)[fold]
        parts += [merged(weight * target), merged(weight * (1.0 - target))]
    return Answers(*parts)


def balance_factor(yes: Tensor, no: Tensor, balance: Balance) -> Tensor:
    """What a yes counts against a no, for the weight of each."""
    return torch.as_tensor(balance.factor(yes.cpu().numpy(), no.cpu().numpy())).to(yes)


def _uninformed_loss(yes: Tensor, no: Tensor) -> Tensor:
    """Cross-entropy of the best constant answer: the total weight times the entropy of the answers."""
    total = (yes + no).clamp(min=1e-12)
    p = yes / total
    entropy = -(torch.special.xlogy(p, p) + torch.special.xlogy(1 - p, 1 - p))
    scaled: Tensor = total * entropy.clamp(min=_LEAST_ENTROPY)
    return scaled
