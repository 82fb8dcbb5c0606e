"""How a population is trained, and how that went."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from logiclens.nn.criteria import Criterion


@dataclass(frozen=True)
class Plan:
    """How to train.

    Attributes
    ----------
    criterion : Criterion
        See :mod:`logiclens.nn.criteria`.
    exploration : Criterion, optional
        Criterion of the first half; the same when missing. Hinges with a small counterweight start from a
        constant too easily, so they explore with balanced ones.
    epsilon : float
        Of Adam: gradients much smaller than this do not move weights. Where most rows are learnt already, it
        must be larger than rounding errors.
    epochs : int
        In all; pruning comes after half of them.
    learning_rate : float
        Of Adam; it falls linearly to 0 over the second half of each half.
    batch_size : int, optional
        Rows in a mini-batch; all of them when missing.
    patience : int
        Epochs without a better validation loss after which a member is done.
    prune : bool
        Whether to prune half-way; otherwise all epochs are fine-tuning.
    together : int
        Members that the criterion compares row by row, such as the clusters of one start: each so many, one
        after the other. They must get the same loss, so that they stop together; their rows are not merged
        once more after pruning, when each reads other concepts.
    """

    criterion: Criterion
    epochs: int = 300
    learning_rate: float = 0.02
    batch_size: int | None = None
    patience: int = 60
    prune: bool = True
    exploration: Criterion | None = None
    epsilon: float = 1e-8
    together: int = 1

    @property
    def explored(self) -> int:
        """Epochs of the first half; none where nothing is pruned and the criterion stays the same."""
        return self.epochs // 2 if self.prune or self.exploration else 0


@dataclass
class History:
    """What happened while training.

    Attributes
    ----------
    losses : list of Tensor, each of shape (members,)
        Training loss of each epoch, the penalty included; a member that is done keeps its last one.
    n_iter : Tensor of shape (members,)
        Epochs each member was trained.
    converged : Tensor of shape (members,)
        Whether the validation loss stopped getting better before the epochs ran out.
    check_loss : Tensor of shape (members,)
        Least validation loss.
    right_before, right_after : Tensor of shape (members,)
        Share of the validation rows that each member was right about before it was pruned, and in the end.
    """

    losses: list[Tensor] = field(default_factory=list)
    n_iter: Tensor = field(default_factory=lambda: torch.zeros(0))
    converged: Tensor = field(default_factory=lambda: torch.zeros(0))
    check_loss: Tensor = field(default_factory=lambda: torch.zeros(0))
    right_before: Tensor = field(default_factory=lambda: torch.zeros(0))
    right_after: Tensor = field(default_factory=lambda: torch.zeros(0))

    def select(self, members: Tensor) -> History:
        """That of some of the members, on the CPU."""

        def part(values: Tensor) -> Tensor:
            return values[members].cpu() if len(values) else values

        return History(
            [part(loss) for loss in self.losses],
            part(self.n_iter),
            part(self.converged),
            part(self.check_loss),
            part(self.right_before),
            part(self.right_after),
        )

    def loss_at(self, epoch: int) -> Tensor:
        """Training loss of an epoch, the last one of those that were over by then, shape (members,)."""
        return self.losses[min(epoch, len(self.losses) - 1)]

    def curve(self) -> Tensor:
        """All losses, shape (epochs, members)."""
        return torch.stack(self.losses)
