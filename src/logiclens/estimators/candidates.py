"""Candidates for the network of an output: the best members of what was trained, and what is kept of them.

Members are trained in populations of many groups (:mod:`~logiclens.estimators.fitting`). The best of a group
stay where they were trained until all groups have theirs; then the candidates of each fold become a network
of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor

from logiclens.estimators.asking import ask, logits_on
from logiclens.estimators.counting import Fold
from logiclens.estimators.weighing import Answers
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.nn.plan import History
from logiclens.nn.population import LogicNetwork, join

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST_LOSS = 0.07  # share of validation rows below which what pruning costs does not matter
_CHANCE = 2.0  # standard errors
_ASKED = 1 << 16  # rows asked at once

N = TypeVar("N", bound=LogicNetwork)


@dataclass(frozen=True, eq=False)
class Trained(Generic[N]):
    """The best networks of each group, with how their training went.

    Attributes
    ----------
    network : LogicNetwork
        The candidates for each output, best first: members ``i * candidates`` and on are those of output
        ``i``.
    loss_curve : ndarray of shape (epochs, members)
    n_iter : ndarray of shape (members,)
    converged : ndarray of bool, shape (members,)
    penalty : ndarray of shape (members,)
        The penalty of each.
    searched : ndarray of bool, shape (members,)
        Whether each reads the concepts of a short formula (:mod:`~logiclens.estimators.searching`).
    coarse : bool
        Whether it was trained on rounded scores (:mod:`~logiclens.estimators.rounding`).
    """

    network: N
    loss_curve: FloatArray
    n_iter: NDArray[np.int64]
    converged: NDArray[np.bool_]
    penalty: FloatArray
    searched: BoolArray
    coarse: bool = field(default=False, kw_only=True)

    def select(self, members: NDArray[np.intp]) -> Trained[N]:
        """Some of the members."""
        index = torch.as_tensor(members, device=self.network.l1.device)
        return Trained(
            self.network.select(index),
            self.loss_curve[:, members],
            self.n_iter[members],
            self.converged[members],
            self.penalty[members],
            self.searched[members],
            coarse=self.coarse,
        )


@dataclass(frozen=True, eq=False)
class Best(Generic[N]):
    """The best members of one group, within the population they were trained in.

    Attributes
    ----------
    network : LogicNetwork
        The population.
    history : History
        How its training went.
    places : Tensor of shape (n,)
        Places of the best within the group, best first.
    start, size : int
        Where the group begins within the population, and its members.
    wrong : float
        Share of the rows that the very best is wrong about.
    searched : bool
        Whether the members read the concepts of a short formula.
    """

    network: N
    history: History
    places: Tensor
    start: int
    size: int
    wrong: float
    searched: bool = False

    def first(self, n: int) -> Best[N]:
        """Only so many of them."""
        return replace(self, places=self.places[:n])

    @property
    def members(self) -> Tensor:
        """The best, within the population."""
        return (self.places + self.start).to(self.network.l1.device)

    @property
    def right_after(self) -> float:
        """Largest share of validation rows that a member of the group is right about."""
        return float(self.history.right_after[self.start : self.start + self.size].max())

    def lost(self, n_rows: float) -> bool:
        """Whether pruning cost more than chance explains, on that many validation rows."""
        if not len(self.history.right_before):
            return False
        before = float(self.history.right_before[self.start : self.start + self.size].max())
        chance = np.sqrt(max(before * (1.0 - before), 0.01) / n_rows)
        return bool(before - self.right_after > max(_LEAST_LOSS, _CHANCE * chance))


@dataclass(frozen=True, eq=False)
class Whole:
    """All rows of a fold that is trained on some of them, and the concepts that it is trained on."""

    x: FloatArray
    outputs: FloatArray
    fold: Fold
    columns: IndexArray


@torch.no_grad()
def shares_right(network: LogicNetwork, rows: Tensor, answers: Answers, history: History) -> Tensor:
    """Share of the rows, trained on or checked with, that each member is right about, (groups, group size).

    Between equals the validation loss decides. All members were already stopped by their validation loss, and
    the rows held out are few: on all rows the better member is told more surely.
    """
    yes, no = answers.yes + answers.check_yes, answers.no + answers.check_no
    said_yes = (logits_on(network, rows) > 0).view(len(yes), -1, len(rows))
    right = torch.where(said_yes, yes[:, None], no[:, None]).sum(dim=2, dtype=torch.float64)
    share = right / (yes + no).sum(dim=1, keepdim=True, dtype=torch.float64)
    return share - 1e-9 * history.check_loss.view(share.shape).clamp(max=1e3)


@torch.no_grad()
def shares_right_of_all(
    network: LogicNetwork, whole: Whole, chunk: Sequence[tuple[int, int]], history: History
) -> Tensor:
    """The same on all rows of a fold, part by part."""
    weight = whole.fold.train + whole.fold.check
    outputs = whole.outputs[:, [output for _, output in chunk]]
    right = torch.zeros(len(chunk), network.members // len(chunk), dtype=torch.float64)
    for start in range(0, len(weight), _ASKED):
        part = slice(start, start + _ASKED)
        said_yes = torch.as_tensor(ask(network, whole.x[part]) > 0).view(-1, *right.shape)
        yes = torch.as_tensor(weight[part, None] * outputs[part])
        no = torch.as_tensor(weight[part, None]) - yes
        right += torch.where(said_yes, yes[:, :, None], no[:, :, None]).sum(dim=0)
    share = right / float(weight.sum())
    return share - 1e-9 * history.check_loss.cpu().view(share.shape).clamp(max=1e3)


def by_fold(found: Sequence[Best[N]], penalties: FloatArray, n_folds: int) -> list[Trained[N]]:
    """The candidates of each fold.

    Parameters
    ----------
    found : sequence of Best
        Ordered by fold and output, as many candidates for one as for another.
    penalties : ndarray of shape (group size,)
        Penalty of each place in a group.
    n_folds : int
        Folds that they belong to.

    Returns
    -------
    list of Trained
        One for each fold.
    """
    runs = [  # groups side by side that were trained in one population
        (first.network, first.history, torch.cat([each.members for each in (first, *others)]))
        for first, *others in _alike(found)
    ]
    whole = join([network.select(members) for network, _, members in runs])
    histories = [(history, members) for _, history, members in runs]
    curves = torch.cat([_padded(h.curve()[:, i], histories) for h, i in histories], dim=1).cpu().numpy()
    n_iter = torch.cat([h.n_iter[i] for h, i in histories]).cpu().numpy()
    converged = torch.cat([h.converged[i] for h, i in histories]).cpu().numpy()
    best = torch.cat([each.places for each in found])
    penalty = penalties[best.numpy()]
    searched = np.repeat([each.searched for each in found], [len(each.places) for each in found])
    n_members = len(best) // n_folds
    folds = []
    for fold in range(n_folds):
        part = slice(fold * n_members, (fold + 1) * n_members)
        index = torch.arange(part.start, part.stop, device=whole.l1.device)
        folds.append(
            Trained(
                whole.select(index),
                curves[:, part].astype(float),
                n_iter[part],
                converged[part],
                penalty[part],
                searched[part],
            )
        )
    return folds


def _alike(found: Sequence[Best[N]]) -> list[list[Best[N]]]:
    """Groups in runs of the same population."""
    return [list(run) for _, run in groupby(found, key=lambda each: id(each.network))]


def _padded(curve: Tensor, histories: list[tuple[History, Tensor]]) -> Tensor:
    """A loss curve as long as the longest; a chunk that ended early keeps its last values."""
    longest = max(len(h.losses) for h, _ in histories)
    return torch.cat([curve, curve[-1:].expand(longest - len(curve), -1)])
