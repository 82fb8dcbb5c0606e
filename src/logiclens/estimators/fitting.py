"""From rows and folds to trained networks: one population for all folds, outputs, penalties and restarts.

Members are ordered by fold, output, penalty, restart. Those of one fold and output are a *group*: the best
members of a group, those that are right about most rows, are the candidates for that fold's network for that
output. Groups are trained in chunks that fit a budget of bytes; no group is ever split, so the chunks do not
change the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor

from logiclens.errors import InputError, shown
from logiclens.estimators.asking import ask
from logiclens.estimators.counting import Fold
from logiclens.estimators.reducing import is_large, reduced
from logiclens.estimators.weighing import Answers, answers_of
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.nn.population import LogicNetwork, Streams, join
from logiclens.nn.rows import merge_rows
from logiclens.nn.training import History, Plan, train

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ASKED = 1 << 16  # rows asked at once
_CPU_BUDGET = 16 << 20  # bytes of one layer's activations: what stays in the cache
_GPU_BUDGET = 2 << 30
_LEAST_LOSS = 0.02  # share of validation rows below which what pruning costs does not matter
_CHANCE = 2.0  # standard errors

N = TypeVar("N", bound=LogicNetwork)
Made = TypeVar("Made", bound=LogicNetwork, covariant=True)


class NetworkMaker(Protocol[Made]):
    """Makes a population: random streams, number of concepts, penalty of each member, concepts to keep."""

    def __call__(self, streams: Streams, n_concepts: int, l1: Sequence[float], width: int) -> Made: ...


@dataclass(frozen=True)
class Population(Generic[N]):
    """What to train.

    Attributes
    ----------
    make : NetworkMaker
    penalties : tuple of float
        Penalties to choose from.
    restarts : int
        Random starts for each penalty.
    candidates : int
        Best members of each group to keep.
    balance : float
        Power of the inverse class frequency that weighs the rows of each output: 0 for none, 1 for balanced.
    seed : int
    device : str
        "auto", "cpu", "cuda", ...
    widths : tuple of int
        Most concepts that a network keeps. Where pruning to the first costs too much, the next is tried.
    """

    make: NetworkMaker[N]
    penalties: tuple[float, ...]
    restarts: int
    candidates: int
    balance: float
    seed: int
    device: str = "auto"
    widths: tuple[int, ...] = (0,)

    @property
    def group(self) -> int:
        """Members for each fold and output."""
        return len(self.penalties) * self.restarts

    def streams(self, outputs: Sequence[int]) -> list[np.random.Generator]:
        """A stream for each member: a function of the seed, the output and the place in the group alone."""
        return [
            np.random.default_rng(np.random.SeedSequence([self.seed, output, place]))
            for output in outputs
            for place in range(self.group)
        ]


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
    """

    network: N
    loss_curve: FloatArray
    n_iter: NDArray[np.int64]
    converged: NDArray[np.bool_]
    penalty: FloatArray

    def select(self, members: NDArray[np.intp]) -> Trained[N]:
        """Some of the members."""
        index = torch.as_tensor(members, device=self.network.l1.device)
        return Trained(
            self.network.select(index),
            self.loss_curve[:, members],
            self.n_iter[members],
            self.converged[members],
            self.penalty[members],
        )


def train_folds(
    population: Population[N],
    plan: Plan,
    x: FloatArray,
    outputs: FloatArray,
    folds: Sequence[Fold],
    progress: Callable[[float], None] | None = None,
) -> list[Trained[N]]:
    """Train all folds as one population.

    Parameters
    ----------
    population : Population
        The networks to train.
    plan : Plan
        How.
    x : ndarray of shape (n, n_concepts)
        Concept values.
    outputs : ndarray of shape (n, n_outputs)
        What to learn, in [0, 1].
    folds : sequence of Fold
        Row weights of each fold.
    progress : callable, optional
        Told the share of the work that is done.

    Returns
    -------
    list of Trained
        One for each fold.
    """
    device = resolve_device(population.device)
    report = progress or (lambda _: None)
    large = [is_large(x, fold) for fold in folds]
    found: dict[tuple[int, int], _Best[N]] = {}
    together = [at for at in range(len(folds)) if not large[at]]
    if together:
        data = _Data.of(x, outputs, [folds[at] for at in together], device)

        def told_of_many(share: float) -> None:
            report(share * len(together) / len(folds))

        best = _train(population, plan, data, None, told_of_many)
        found |= {(together[fold], output): each for (fold, output), each in best.items()}
    for done, at in enumerate(np.flatnonzero(large).tolist(), start=len(together)):

        def told_of_one(share: float, done: int = done) -> None:
            report((done + share) / len(folds))

        fold = folds[at]
        part = reduced(x, outputs, fold, population.seed)
        data = _Data.of(part.x, part.outputs, [part.fold], device)
        whole = _Whole(x, outputs, fold, part.columns)
        best = _train(population, plan, data, whole, told_of_one)
        found |= {(at, output): each for (_, output), each in best.items()}
    return _by_fold([found[group] for group in sorted(found)], population, len(folds))


@dataclass(frozen=True, eq=False)
class _Data:
    """Rows that are trained on: distinct ones, (n, n_concepts), and where each of the given rows went."""

    rows: Tensor
    place: Tensor
    outputs: FloatArray
    folds: Sequence[Fold]

    @classmethod
    def of(cls, x: FloatArray, outputs: FloatArray, folds: Sequence[Fold], device: torch.device) -> _Data:
        rows, place = merge_rows(torch.as_tensor(x, dtype=torch.float32, device=device))
        return cls(rows, place, outputs, folds)


@dataclass(frozen=True, eq=False)
class _Whole:
    """All rows of a fold that is trained on some of them, and the concepts that it is trained on."""

    x: FloatArray
    outputs: FloatArray
    fold: Fold
    columns: IndexArray


def _train(
    population: Population[N],
    plan: Plan,
    data: _Data,
    whole: _Whole | None,
    report: Callable[[float], None],
) -> dict[tuple[int, int], _Best[N]]:
    """The best members for each fold and output; where there is more data, they are chosen on all of it."""
    rows, folds, device = data.rows, data.folds, data.rows.device
    groups = [(fold, output) for fold in range(len(folds)) for output in range(data.outputs.shape[1])]
    scaled = [fold.scaled() for fold in folds]
    found: dict[tuple[int, int], _Best[N]] = {}
    waiting = groups
    for width in population.widths:
        size = _chunk_size(population, plan, len(rows), device)
        for start in range(0, len(waiting), size):
            chunk = waiting[start : start + size]
            network = population.make(
                population.streams([output for _, output in chunk]),
                rows.shape[1],
                [l1 for _ in chunk for l1 in population.penalties for _ in range(population.restarts)],
                width,
            ).to(device)
            answers = answers_of(data.outputs, scaled, chunk, data.place, len(rows))
            generator = torch.Generator().manual_seed(population.seed % 2**63)

            def told(epoch: int, start: int = start, n: int = len(chunk), of: int = len(waiting)) -> None:
                report((start + n * epoch / plan.epochs) / of)

            network, history = train(
                network, answers.weighted(rows, population.group, population.balance), plan, generator, told
            )
            if whole is None:
                scores = _shares_right(network, rows, answers, history)
            else:
                network.widen(torch.as_tensor(whole.columns, device=device), whole.x.shape[1])
                scores = _shares_right_of_all(network, whole, chunk, history)
            best = scores.sort(dim=1, descending=True, stable=True).indices[:, : population.candidates].cpu()
            for at, group in enumerate(chunk):
                new = _Best(network, history, best[at], at * population.group, population.group)
                if group not in found or new.right_after > found[group].right_after:
                    found[group] = new
        waiting = [group for group in waiting if found[group].lost(folds[group[0]].n_checked)]
        if not waiting:
            break
    return found


@dataclass(frozen=True, eq=False)
class _Best(Generic[N]):
    """The best members of one group, within the population they were trained in."""

    network: N
    history: History
    places: Tensor  # of the best within the group
    start: int  # of the group within the population
    size: int

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


@torch.no_grad()
def _shares_right(network: LogicNetwork, rows: Tensor, answers: Answers, history: History) -> Tensor:
    """Share of the rows, trained on or checked with, that each member is right about, (groups, group size).

    Between equals the validation loss decides. All members were already stopped by their validation loss, and
    the rows held out are few: on all rows the better member is told more surely.
    """
    yes, no = answers.yes + answers.check_yes, answers.no + answers.check_no
    said_yes = (network(rows) > 0).view(len(yes), -1, len(rows))
    right = torch.where(said_yes, yes[:, None], no[:, None]).sum(dim=2, dtype=torch.float64)
    share = right / (yes + no).sum(dim=1, keepdim=True, dtype=torch.float64)
    return share - 1e-9 * history.check_loss.view(share.shape).clamp(max=1e3)


@torch.no_grad()
def _shares_right_of_all(
    network: LogicNetwork, whole: _Whole, chunk: Sequence[tuple[int, int]], history: History
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


def _by_fold(found: Sequence[_Best[N]], population: Population[N], n_folds: int) -> list[Trained[N]]:
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
    penalty = np.array(population.penalties)[(best // population.restarts).numpy()]
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
            )
        )
    return folds


def _alike(found: Sequence[_Best[N]]) -> list[list[_Best[N]]]:
    """Groups in runs of the same population."""
    return [list(run) for _, run in groupby(found, key=lambda each: id(each.network))]


def _padded(curve: Tensor, histories: list[tuple[History, Tensor]]) -> Tensor:
    """A loss curve as long as the longest; a chunk that ended early keeps its last values."""
    longest = max(len(h.losses) for h, _ in histories)
    return torch.cat([curve, curve[-1:].expand(longest - len(curve), -1)])


def _chunk_size(population: Population[N], plan: Plan, n_rows: int, device: torch.device) -> int:
    """Groups trained at once."""
    streams, width = population.streams([0])[:1], population.widths[0]
    probe = population.make(streams, 1, population.penalties[:1], width).to(device)
    rows = n_rows if plan.batch_size is None else min(plan.batch_size, n_rows)
    return max(1, members_at_once(probe, rows) // population.group)


def members_at_once(network: LogicNetwork, n_rows: int) -> int:
    """Members whose activations on so many rows stay within the budget of bytes."""
    widest = max(layer.weight.shape[1] for layer in network.linears)
    budget = _CPU_BUDGET if network.l1.device.type == "cpu" else _GPU_BUDGET
    return max(1, budget // (4 * n_rows * widest))


def resolve_device(device: str) -> torch.device:
    """The device by name; "auto" is CUDA where there is one, the CPU otherwise."""
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.zeros(1, device=device)
        return torch.device(device)
    except (AssertionError, NotImplementedError, RuntimeError, TypeError):
        raise InputError(
            f"device must be 'auto', 'cpu' or a device that torch can use here. Got {shown(device)}."
        ) from None
