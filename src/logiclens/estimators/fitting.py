"""From rows and folds to trained networks: one population for all folds, outputs, penalties and restarts.

Members are ordered by fold, output, penalty, restart. Those of one fold and output are a *group*: the best
members of a group, those that are right about most rows, are the candidates for that fold's network for that
output. Groups are trained in chunks that fit a budget of bytes; no group is ever split, so the chunks do not
change the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor

from logiclens.errors import InputError, shown
from logiclens.estimators.balancing import Balance, is_rare
from logiclens.estimators.candidates import (
    Best,
    Trained,
    Whole,
    by_fold,
    shares_right,
    shares_right_of_all,
)
from logiclens.estimators.counting import Fold, effective_rows
from logiclens.estimators.reducing import is_large, reduced
from logiclens.estimators.rounding import makes_equal, rounded
from logiclens.estimators.searching import LEAST_ROWS, concepts_of_formulas
from logiclens.estimators.settings import ALL, Widths
from logiclens.estimators.weighing import Answers, answers_of, balance_factor
from logiclens.explain.choosing import LITERAL_WORTH
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.nn.plan import History, Plan
from logiclens.nn.population import LogicNetwork, Streams
from logiclens.nn.rows import Rows, merge_rows
from logiclens.nn.training import explore, train, untold

_CPU_BUDGET = 16 << 20  # bytes of one layer's activations: what stays in the cache
_GPU_BUDGET = 2 << 30

_Group = tuple[int, int]  # fold and output
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
    balance : Balance
        How the rows of each output are weighed.
    seed : int
    device : str
        "auto", "cpu", "cuda", ...
    widths : Widths
        Most concepts that a network keeps.
    searches : bool
        Whether the last candidate is a network that reads the concepts of a short formula
        (:mod:`~logiclens.estimators.searching`), where there is something to gain.
    """

    make: NetworkMaker[N]
    penalties: tuple[float, ...]
    restarts: int
    candidates: int
    balance: Balance
    seed: int
    device: str = "auto"
    widths: Widths = ALL
    searches: bool = False

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

    def generator(self) -> torch.Generator:
        """The source of the order of mini-batches."""
        return torch.Generator().manual_seed(self.seed % 2**63)


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
    coarse = np.array([makes_equal(x, fold) for fold in folds])
    read = {False: x, True: rounded(x) if coarse.any() else x}  # by whether a fold is rounded
    large = np.array([is_large(read[few], fold) for few, fold in zip(coarse.tolist(), folds, strict=True)])
    found: dict[_Group, list[Best[N]]] = {}
    done = 0
    for rough, values in read.items():
        together = np.flatnonzero((coarse == rough) & ~large).tolist()
        if not together:
            continue

        def told_of_many(share: float, done: int = done, n: int = len(together)) -> None:
            report((done + share * n) / len(folds))

        data = _Data.of(values, outputs, [folds[at] for at in together], device)
        best = _train(population, plan, data, None, told_of_many)
        found |= {(together[fold], output): each for (fold, output), each in best.items()}
        done += len(together)
    for at in np.flatnonzero(large).tolist():

        def told_of_one(share: float, done: int = done) -> None:
            report((done + share) / len(folds))

        fold = folds[at]
        part = reduced(read[bool(coarse[at])], outputs, fold, population.seed)
        data = _Data.of(part.x, part.outputs, [part.fold], device)
        whole = Whole(x, outputs, fold, part.columns)
        best = _train(population, plan, data, whole, told_of_one)
        found |= {(at, output): each for (_, output), each in best.items()}
        done += 1
    in_order = [each for group in sorted(found) for each in found[group]]
    by_itself = by_fold(in_order, np.repeat(population.penalties, population.restarts), len(folds))
    return [replace(run, coarse=bool(few)) for run, few in zip(by_itself, coarse, strict=True)]


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


def _train(
    population: Population[N],
    plan: Plan,
    data: _Data,
    whole: Whole | None,
    report: Callable[[float], None],
) -> dict[_Group, list[Best[N]]]:
    """The best members for each fold and output; where there is more data, they are chosen on all of it."""
    size = _chunk_size(population, plan, len(data.rows), data.rows.device)
    groups = [(fold, output) for fold in range(len(data.folds)) for output in range(data.outputs.shape[1])]
    rare = _rare(data)
    widths = population.widths
    found: dict[_Group, Best[N]] = {}
    ladders = {group: widths.rare if group in rare else widths.common for group in groups}
    for ladder in dict.fromkeys((widths.common, widths.rare)):
        alike = [group for group in groups if ladders[group] == ladder]
        for start in range(0, len(alike), size):
            work = _Work(population, plan, data, whole, alike[start : start + size])

            def told(epoch: int, done: int = len(found), n: int = len(work.groups)) -> None:
                report((done + n * epoch / plan.epochs) / len(groups))

            found |= work.climbed(ladder, told)
    chosen = {group: [best] for group, best in found.items()}
    n_best = min(population.candidates, population.group)
    if population.searches and n_best > 1:
        many = [effective_rows(fold.train + fold.check) >= LEAST_ROWS for fold in data.folds]
        unsure = [group for group in groups if many[group[0]] and found[group].wrong > LITERAL_WORTH]
        tuning = replace(plan, prune=False, epochs=plan.epochs - plan.explored)
        for start in range(0, len(unsure), size):
            work, kept = _Work(population, tuning, data, whole, unsure[start : start + size]).with_formulas()
            if not work.groups:
                continue
            room = [widths.rare[0] if group in rare else 0 for group in work.groups]
            columns = None if whole is None else whole.columns
            kept = _filled(kept, [found[group] for group in work.groups], room, columns)
            network = work.made(widths.common[0])
            network.narrow(kept.repeat_interleave(population.group, dim=0))
            for group, new in work.done(network).items():
                chosen[group] = [found[group].first(n_best - 1), replace(new.first(1), searched=True)]
    return chosen


def _rare(data: _Data) -> set[_Group]:
    """Groups whose target is rare, and one of several."""
    if data.outputs.shape[1] == 1:
        return set()
    weight = np.stack([fold.train + fold.check for fold in data.folds])
    yes = weight @ data.outputs
    fold, output = np.nonzero(is_rare(yes, weight.sum(axis=1, keepdims=True) - yes))
    return {*zip(fold.tolist(), output.tolist(), strict=True)}


def _filled(kept: Tensor, best: Sequence[Best[N]], room: Sequence[int], columns: IndexArray | None) -> Tensor:
    """Concepts of formulas and, as far as there is room, those that matter most to the best network.

    The formula of a rare target says what it is; the others help to tell it from all that it is not. Where
    not all concepts are trained on, the best networks already read all, and ``columns`` says which those are.
    """
    nothing = torch.zeros(1, best[0].network.n_concepts, device=kept.device)
    relevance = {id(each.network): each.network.relevance(nothing) for each in best}
    scores = torch.cat([relevance[id(each.network)][each.members[:1]] for each in best])
    if columns is not None:
        scores = scores[:, torch.as_tensor(columns, device=kept.device)]
    ranked = torch.where(kept, torch.inf, scores).argsort(dim=1, descending=True, stable=True)
    first = torch.arange(kept.shape[1], device=kept.device) < torch.tensor(room, device=kept.device)[:, None]
    return kept | (torch.zeros_like(kept).scatter(1, ranked, first) & (scores > 0))


@dataclass(frozen=True, eq=False)
class _Work(Generic[N]):
    """Groups to be trained as one population."""

    population: Population[N]
    plan: Plan
    data: _Data
    whole: Whole | None
    groups: Sequence[_Group]

    @cached_property
    def answers(self) -> Answers:
        """What the groups learn."""
        data = self.data
        scaled = [fold.scaled() for fold in data.folds]
        return answers_of(data.outputs, scaled, self.groups, data.place, len(data.rows))

    def made(self, width: int) -> N:
        """New networks, to be pruned to so many concepts."""
        of = self.population
        penalties = [l1 for _ in self.groups for l1 in of.penalties for _ in range(of.restarts)]
        streams = of.streams([output for _, output in self.groups])
        return of.make(streams, self.data.rows.shape[1], penalties, width).to(self.data.rows.device)

    def with_formulas(self) -> tuple[_Work[N], Tensor]:
        """The groups that have a short formula, and its concepts, Boolean (groups, n_concepts)."""
        answers, of = self.answers, self.population
        factor = balance_factor(answers.yes.sum(dim=1), answers.no.sum(dim=1), of.balance)[:, None]
        yes, no = (answers.yes + answers.check_yes) * factor, answers.no + answers.check_no
        rows, yes, no = (part.double().cpu() for part in (self.data.rows, yes, no))
        kept = concepts_of_formulas(rows.numpy(), yes.numpy(), no.numpy(), of.widths.common[0])
        found = np.flatnonzero(kept.any(axis=1))
        groups = [self.groups[at] for at in found.tolist()]
        return replace(self, groups=groups), torch.as_tensor(kept[found], device=self.data.rows.device)

    def done(self, network: N) -> dict[_Group, Best[N]]:
        """The best of each group, once trained."""
        return self._best(*train(network, self._weighted(), self.plan, self.population.generator()))

    def climbed(self, ladder: Sequence[int], told: Callable[[int], None]) -> dict[_Group, Best[N]]:
        """The best of each group, pruned to so many concepts; where that costs too much, to the next number.

        All concepts are explored once, whatever is kept of them.
        """
        work, found, progress = self, dict[_Group, Best[N]](), told
        network = self.made(ladder[0])
        explored = explore(network, self._weighted(), self.plan, self.population.generator(), told)
        if len(ladder) > 1:
            network = network.select(torch.arange(network.members, device=self.data.rows.device))
        for next_width in (*ladder[1:], None):
            for group, new in work._best(*explored.tuned(network, progress)).items():
                if group not in found or new.right_after > found[group].right_after:
                    found[group] = new
            lost = [
                at
                for at, group in enumerate(work.groups)
                if found[group].lost(self.data.folds[group[0]].n_checked)
            ]
            if next_width is None or not lost:
                break
            of_groups = torch.arange(network.members, device=self.data.rows.device).view(len(work.groups), -1)
            work, progress = replace(work, groups=[work.groups[at] for at in lost]), untold
            network, explored = work.made(next_width), explored.select(of_groups[lost].flatten())
        return found

    def _weighted(self) -> Rows:
        """What the members learn from."""
        return self.answers.weighted(self.data.rows, self.population.group, self.population.balance)

    def _best(self, network: N, history: History) -> dict[_Group, Best[N]]:
        """The best of each group of trained members."""
        of, rows = self.population, self.data.rows
        if self.whole is None:
            scores = shares_right(network, rows, self.answers, history)
        else:
            network.widen(torch.as_tensor(self.whole.columns, device=rows.device), self.whole.x.shape[1])
            scores = shares_right_of_all(network, self.whole, self.groups, history)
        ranked = scores.sort(dim=1, descending=True, stable=True)
        best = ranked.indices[:, : of.candidates].cpu()
        return {
            group: Best(network, history, best[at], at * of.group, of.group, 1 - float(ranked.values[at, 0]))
            for at, group in enumerate(self.groups)
        }


def _chunk_size(population: Population[N], plan: Plan, n_rows: int, device: torch.device) -> int:
    """Groups trained at once."""
    streams, width = population.streams([0])[:1], population.widths.common[0]
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
