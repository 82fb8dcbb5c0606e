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
from logiclens.estimators.counting import effective_rows
from logiclens.logic.arrays import FloatArray
from logiclens.nn.population import LogicNetwork, Streams, join
from logiclens.nn.rows import Rows, merge_rows
from logiclens.nn.training import History, Plan, train

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CPU_BUDGET = 16 << 20  # bytes of one layer's activations: what stays in the cache
_GPU_BUDGET = 2 << 30
_LEAST_ENTROPY = 1e-3
_LEAST_LOSS = 0.02  # share of validation rows below which what pruning costs does not matter
_CHANCE = 2.0  # standard errors

N = TypeVar("N", bound=LogicNetwork)
Made = TypeVar("Made", bound=LogicNetwork, covariant=True)


class NetworkMaker(Protocol[Made]):
    """Makes a population: random streams, number of concepts, penalty of each member, concepts to keep."""

    def __call__(self, streams: Streams, n_concepts: int, l1: Sequence[float], width: int) -> Made: ...


@dataclass(frozen=True, eq=False)
class Fold:
    """Weights of the rows to learn from and of those to check with, each of shape (n,)."""

    train: FloatArray
    check: FloatArray

    def scaled(self) -> Fold:
        """The same with a largest weight of about 1, which single precision can hold: a power of two less."""
        power = np.frexp(max(self.train.max(), self.check.max()))[1] - 1
        return Fold(np.ldexp(self.train, -power), np.ldexp(self.check, -power))

    @property
    def n_checked(self) -> float:
        """Number of rows that are held out, of all rows where none is."""
        return effective_rows(self.check if self.check.any() else self.train)


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
    rows, place = merge_rows(torch.as_tensor(x, dtype=torch.float32, device=device))
    groups = [(fold, output) for fold in range(len(folds)) for output in range(outputs.shape[1])]
    scaled = [fold.scaled() for fold in folds]
    report = progress or (lambda _: None)
    found: dict[tuple[int, int], _Best[N]] = {}
    waiting = groups
    for width in population.widths:
        size = _chunk_size(population, plan, len(rows), device)
        for start in range(0, len(waiting), size):
            chunk = waiting[start : start + size]
            network = population.make(
                population.streams([output for _, output in chunk]),
                x.shape[1],
                [l1 for _ in chunk for l1 in population.penalties for _ in range(population.restarts)],
                width,
            ).to(device)
            answers = _answers(outputs, scaled, chunk, place, len(rows))
            generator = torch.Generator().manual_seed(population.seed % 2**63)

            def told(epoch: int, start: int = start, n: int = len(chunk), of: int = len(waiting)) -> None:
                report((start + n * epoch / plan.epochs) / of)

            network, history = train(network, answers.weighted(rows, population), plan, generator, told)
            scores = _shares_right(network, rows, answers, history)
            best = scores.sort(dim=1, descending=True, stable=True).indices[:, : population.candidates].cpu()
            for at, group in enumerate(chunk):
                new = _Best(network, history, best[at], at * population.group, population.group)
                if group not in found or new.right_after > found[group].right_after:
                    found[group] = new
        waiting = [group for group in waiting if found[group].lost(folds[group[0]].n_checked)]
        if not waiting:
            break
    return _by_fold([found[group] for group in groups], population, len(folds))


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


@dataclass(frozen=True, eq=False)
class _Answers:
    """Weight of yes and of no on each row, to learn from and to check with, each (groups, n)."""

    yes: Tensor
    no: Tensor
    check_yes: Tensor
    check_no: Tensor

    def weighted(self, rows: Tensor, population: Population[N]) -> Rows:
        """Rows for every member: balanced, and scaled so that a constant answer has loss 1."""
        factor = balance_factor(self.yes.sum(dim=1), self.no.sum(dim=1), population.balance)[:, None]
        scaled = [
            part / _uninformed_loss(a.sum(dim=1, keepdim=True), b.sum(dim=1, keepdim=True))
            for a, b in ((self.yes * factor, self.no), (self.check_yes * factor, self.check_no))
            for part in (a, b)
        ]
        return Rows(rows, *(weight.repeat_interleave(population.group, dim=0) for weight in scaled))


def _answers(
    outputs: FloatArray,
    folds: Sequence[Fold],
    chunk: Sequence[tuple[int, int]],
    place: Tensor,
    n_rows: int,
) -> _Answers:
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
    return _Answers(*parts)


@torch.no_grad()
def _shares_right(network: LogicNetwork, rows: Tensor, answers: _Answers, history: History) -> Tensor:
    """Share of the rows, trained on or checked with, that each member is right about, (groups, group size).

    Between equals the validation loss decides. All members were already stopped by their validation loss, and
    the rows held out are few: on all rows the better member is told more surely.
    """
    yes, no = answers.yes + answers.check_yes, answers.no + answers.check_no
    said_yes = (network(rows) > 0).view(len(yes), -1, len(rows))
    right = torch.where(said_yes, yes[:, None], no[:, None]).sum(dim=2, dtype=torch.float64)
    share = right / (yes + no).sum(dim=1, keepdim=True, dtype=torch.float64)
    return share - 1e-9 * history.check_loss.view(share.shape).clamp(max=1e3)


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


def balance_factor(yes: Tensor, no: Tensor, power: float) -> Tensor:
    """What a yes counts against a no: their inverse frequency to a power, 1 when either is missing."""
    usable = (yes > 0) & (no > 0)
    ratio = torch.where(usable, no / yes.clamp(min=1e-12), 1.0)
    return torch.pow(ratio, power)


def _uninformed_loss(yes: Tensor, no: Tensor) -> Tensor:
    """Cross-entropy of the best constant answer: the total weight times the entropy of the answers."""
    total = (yes + no).clamp(min=1e-12)
    p = yes / total
    entropy = -(torch.special.xlogy(p, p) + torch.special.xlogy(1 - p, 1 - p))
    scaled: Tensor = total * entropy.clamp(min=_LEAST_ENTROPY)
    return scaled


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
