"""The one training loop: a population, full-batch or in mini-batches, pruned half-way, best weights kept.

    first half    every concept, with the network's penalty
    pruning       the network's own strategy (Sec. 4.3), after half of the epochs (Sec. 5.2)
    second half   fine-tuning on what is left; each member keeps the weights of least validation loss, and
                  members that no longer improve leave the population

Equal rows of zeros and ones are merged before training and, member by member, once more after pruning, where
the criterion is linear in the weights of yes and no.
Nothing global is changed: no seed, no file; the number of threads is what it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from logiclens.logic.arrays import BoolArray
from logiclens.nn._descent import AutogradDescent, Examples, PopulationRows, RectifierDescent, descent_of
from logiclens.nn.criteria import Criterion, is_linear
from logiclens.nn.population import EpochCount, LogicNetwork, for_each, threads_for


@dataclass(frozen=True)
class Plan:
    """How to train.

    Attributes
    ----------
    criterion : Criterion
        See :mod:`logiclens.nn.criteria`.
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
        Members that the criterion compares row by row, such as the clusters of one start: each this many, one
        after the other. They must get the same loss, so that they stop together; their rows are not merged
        once more after pruning, when each reads other concepts.
    """

    criterion: Criterion
    epochs: int = 300
    learning_rate: float = 0.02
    batch_size: int | None = None
    patience: int = 60
    prune: bool = True
    together: int = 1

    @cached_property
    def merges(self) -> bool:
        """True if rows with equal inputs may be merged, whatever their targets."""
        return self.together > 1 or is_linear(self.criterion)

    @property
    def explored(self) -> int:
        """Epochs of the first half; none where nothing is pruned."""
        return self.epochs // 2 if self.prune else 0


@dataclass
class History:
    """Record of a training, member by member; the tensors are (members,)."""

    losses: list[Tensor]
    """Training loss of each epoch, the penalty included; a member that is done keeps its last one."""
    n_iter: Tensor
    """Epochs each member was trained."""
    converged: Tensor
    """Whether the validation loss stopped getting better before the epochs ran out."""
    check_loss: Tensor
    """Least validation loss."""

    def select(self, members: Tensor) -> History:
        """That of some of the members, on the CPU."""
        losses = [loss[members].cpu() for loss in self.losses]
        return History(
            losses, *(part[members].cpu() for part in (self.n_iter, self.converged, self.check_loss))
        )

    def loss_at(self, epoch: int) -> Tensor:
        """Training loss of an epoch, the last one of those that were over by then, shape (members,)."""
        return self.losses[min(epoch, len(self.losses) - 1)]


_IN_CACHE = 1 << 19  # numbers in the largest tensor of a step that stay in the cache
_FEWEST = 4  # parts of what would fill the cache more than twice: there may be as many threads
_SMALL = 1 << 17  # numbers up to which a step costs about the same, however many there are
_ALIKE = 1.2  # rows computed for each one learned from, up to which members learn from much the same

_EVERY = 5  # epochs between two looks at the validation loss, at most
_LEAST_LOOKS = 10  # at the validation loss, however few epochs there are
_BLOCK = 1 << 10  # rows that are answered at once, where they are gathered by batch
_TOLERANCE = 1e-4  # share by which a loss must fall to count as better

_LOW = 0.1  # share of its first value at which a loss is low, whether it still falls or not
_LEVEL = 0.02  # share of its first value that a loss may still fall by over the last tenth of the epochs

N = TypeVar("N", bound=LogicNetwork)
R = TypeVar("R")

Progress = Callable[[int], None]
"""Called with the number of epochs done."""


def train(
    network: N,
    rows: PopulationRows,
    plan: Plan,
    generator: torch.Generator | None = None,
    progress: Progress = lambda _: None,
) -> tuple[N, History]:
    """Train a population, which is changed: in the end it is pruned, and each member has its best weights.

    The generator draws the order of mini-batches; the second half goes on with a copy of it.
    """
    return explore(network, rows, plan, generator, progress).tuned(network, progress)


@dataclass(frozen=True, eq=False)
class Explored:
    """Half-way: members that have seen every concept and are not pruned yet.

    What they are pruned to does not matter before this, so several networks may be fine-tuned from here. The
    losses are those of the first half; the generator draws the order of mini-batches.
    """

    network: LogicNetwork
    rows: PopulationRows
    plan: Plan
    losses: list[Tensor]
    generator: torch.Generator

    def select(self, index: Tensor) -> Explored:
        """Some of the members, copied."""
        return replace(
            self,
            network=self.network.select(index),
            rows=self.rows.select(index),
            losses=[loss[index] for loss in self.losses],
        )

    def tuned(
        self, network: N, progress: Progress = lambda _: None, prune: Callable[[N], None] | None = None
    ) -> tuple[N, History]:
        """Give a network of as many members these weights, prune it, and fine-tune it; it is changed.

        It is pruned by ``prune``, or in its own way. Where it is the one that was explored, there is no
        second time.
        """
        rows, plan = self.rows, self.plan
        network.train()
        if network is not self.network:
            network.put(torch.arange(network.members, device=rows.yes.device), self.network)
        with threads_for(0):  # what is done once is too little to wait for a second thread
            if plan.prune:
                network.prune() if prune is None else prune(network)
            left = _read(network, rows, plan, merge=plan.together == 1 and plan.merges)
        count = EpochCount(progress, network.members, plan.explored)
        history = _fine_tune(network, left, plan, self.generator.clone_state(), count)
        history.losses = [*self.losses, *history.losses]
        network.eval()
        return network, history


def explore(
    network: LogicNetwork,
    rows: PopulationRows,
    plan: Plan,
    generator: torch.Generator | None = None,
    progress: Progress = lambda _: None,
) -> Explored:
    """The first half of :func:`train`, with the same arguments."""
    rows = rows.merged() if plan.merges else rows
    generator = torch.Generator().manual_seed(0) if generator is None else generator
    network.train()
    count = EpochCount(progress, network.members)

    def work(part: LogicNetwork, own: PopulationRows) -> Tensor:
        run, losses = _Run(part, _learning_rows(own, plan), plan, generator), []
        for epoch in range(plan.explored):
            losses.append(run.epoch(_rate(plan, epoch, plan.explored)))
            count.add(part.members)
        return torch.stack(losses)

    losses: list[Tensor] = []
    if plan.explored:
        found = _side_by_side(network, _read(network, rows, plan), plan, work)
        losses = list(torch.cat(found, dim=1))
    return Explored(network, rows, plan, losses, generator.clone_state())


def _fine_tune(
    network: LogicNetwork, rows: PopulationRows, plan: Plan, generator: torch.Generator, count: EpochCount
) -> History:
    """The second half."""

    def work(part: LogicNetwork, own: PopulationRows) -> History:
        epochs = plan.epochs - plan.explored
        return _FineTuning(part, own, plan).run(epochs, generator, lambda: count.add(part.members))

    histories = _side_by_side(network, rows, plan, work)
    network.anneal(1.0)
    longest = max(len(history.losses) for history in histories)
    return History(
        [torch.cat([history.loss_at(epoch) for history in histories]) for epoch in range(longest)],
        *(
            torch.cat([getattr(history, name) for history in histories])
            for name in ("n_iter", "converged", "check_loss")
        ),
    )


def _side_by_side(
    network: LogicNetwork, rows: PopulationRows, plan: Plan, work: Callable[[LogicNetwork, PopulationRows], R]
) -> list[R]:
    """Results of ``work`` for parts of the members and their rows; the network takes over their weights.

    All members are one part where they share mini-batches, or are compared.
    """
    parts = [torch.arange(network.members, device=rows.yes.device)]
    if plan.together == 1 and not _in_batches(rows, plan):
        parts = parts_of(network, rows)

    def work_on(index: Tensor) -> tuple[LogicNetwork, R]:
        part = network.select(index)
        return part, work(part, rows.select(index))

    largest = network.activations(_n_batch(rows, plan)) * max(map(len, parts)) // network.members
    done = for_each(parts, work_on, largest)
    for index, (part, _) in zip(parts, done, strict=True):
        network.put(index, part)
    return [result for _, result in done]


def parts_of(network: LogicNetwork, rows: PopulationRows) -> list[Tensor]:
    """Members to train side by side, as positions, one part after the other.

    Those of one part learn from much the same rows, so that few are computed in vain; where the work is small
    anyway, others join them. Parts that follow one another and could be one are of one size, so that threads
    are done at the same time. How many threads there are does not matter: which members share a matrix
    product decides about last bits. On an accelerator all members are one part.
    """
    members = torch.arange(network.members, device=rows.yes.device)
    if rows.yes.device.type != "cpu":
        return [members]
    wide = network.activations(1) // network.members
    learned = rows.learned.numpy()
    in_cache = min(_IN_CACHE, max(_IN_CACHE // 2, int(learned.sum()) * wide // _FEWEST))
    cuts, joint, n_learned = [0], learned[0], 0
    for member, own in enumerate(learned):
        both, n_own = joint | own, int(own.sum())
        computed = (member - cuts[-1] + 1) * int(both.sum())
        most = in_cache if computed <= _ALIKE * (n_learned + n_own) else _SMALL
        if computed * wide > most and member:
            cuts.append(member)
            both, n_learned = own, 0
        joint, n_learned = both, n_learned + n_own
    return [
        part for run, n_parts in _runs(cuts, learned) for part in torch.tensor_split(members[run], n_parts)
    ]


def _runs(cuts: Sequence[int], learned: BoolArray) -> Iterator[tuple[slice, int]]:
    """Members of parts that could be one, and how many parts these are: several are an even number.

    Parts begin at the cuts; ``learned`` is which rows each member learns from, (members, n).
    """
    ends = [*cuts[1:], len(learned)]
    rows, counts = np.logical_or.reduceat(learned, cuts), np.add.reduceat(learned.sum(axis=1), cuts)
    start, joint, n_parts = 0, rows[0], 1
    for at in range(1, len(cuts) + 1):
        if at < len(cuts):
            both = joint | rows[at]
            computed = (ends[at] - cuts[start]) * int(both.sum())
            if computed <= _ALIKE * counts[start : at + 1].sum():
                joint, n_parts = both, n_parts + 1
                continue
            joint = rows[at]
        run = slice(cuts[start], ends[at - 1])
        yield run, min(n_parts + n_parts % 2 if n_parts > 1 else 1, run.stop - run.start)
        start, n_parts = at, 1


def _learning_rows(rows: PopulationRows, plan: Plan) -> PopulationRows:
    """The gathered rows that some member learns from; all where mini-batches are drawn from them."""
    if _in_batches(rows, plan):
        return rows
    return rows.where(rows.learned.any(dim=0))


def _read(network: LogicNetwork, rows: PopulationRows, plan: Plan, *, merge: bool = False) -> PopulationRows:
    """Rows as the network reads them, once for all steps; of mini-batches each is gathered when it is due."""
    if merge:
        merged = rows.gathered(network)
        if merged.n_rows < rows.n_rows:
            return merged
    if _in_batches(rows, plan):
        return replace(rows, x=rows.x.T.contiguous(), by_batch=True)
    return replace(rows, x=network.inputs(rows.x))


def _outputs(network: LogicNetwork, rows: PopulationRows) -> Tensor:
    """Logits on rows that were read, (members, n)."""
    if not rows.by_batch:
        return network.outputs(rows.x)
    blocks = torch.split(rows.x, _BLOCK, dim=1)
    return torch.cat([network.outputs(network.inputs(block.T)) for block in blocks], dim=1)


def _in_batches(rows: PopulationRows, plan: Plan) -> bool:
    """True if steps are taken on mini-batches: where there are more rows than one holds."""
    return _n_batch(rows, plan) < rows.n_rows


def _n_batch(rows: PopulationRows, plan: Plan) -> int:
    """Rows of one step."""
    return min(rows.n_rows, plan.batch_size or rows.n_rows)


def _rate(plan: Plan, epoch: int, epochs: int) -> float:
    return plan.learning_rate * min(1.0, 2.0 * (1.0 - epoch / epochs))


class _Run:
    """Epochs of a population on its gathered rows."""

    def __init__(
        self,
        network: LogicNetwork,
        rows: PopulationRows,
        plan: Plan,
        generator: torch.Generator,
        descent: AutogradDescent | RectifierDescent | None = None,
    ) -> None:
        self.network = network
        self.rows = rows
        self.plan = plan
        self.generator = generator
        self.descent = descent or descent_of(network)
        self.whole = None if _in_batches(rows, plan) else self.descent.read(rows)

    def epoch(self, rate: float) -> Tensor:
        """One pass over the rows; the training loss of each member."""
        if self.whole is not None:
            return self._step(self.whole, rate)
        order = torch.randperm(self.rows.n_rows, generator=self.generator).to(self.rows.x.device)
        batches = torch.split(order, _n_batch(self.rows, self.plan))
        losses = [self._step(self.descent.read(self._batch(index)), rate) for index in batches]
        return torch.stack(losses).mean(dim=0)

    def _batch(self, index: Tensor) -> PopulationRows:
        """Some of the rows, their weights scaled to those of all: the penalty keeps its strength."""
        rows, scale = self.rows, self.rows.n_rows / len(index)
        x = rows.x[..., index]
        yes, no = rows.yes[:, index] * scale, rows.no[:, index] * scale
        unlabeled = None if rows.unlabeled is None else rows.unlabeled[:, index] * scale
        x = self.network.inputs(x.T) if rows.by_batch else x
        return PopulationRows(x, yes, no, yes[:, :0], no[:, :0], unlabeled=unlabeled)

    def _step(self, examples: Examples, rate: float) -> Tensor:
        return self.descent.step(examples, self.plan.criterion, rate, self.plan.together)

    def select(self, index: Tensor, network: LogicNetwork) -> _Run:
        """Go on with some members, which are now this network."""
        descent = self.descent.select(index, network)
        return _Run(network, self.rows.select(index), self.plan, self.generator, descent)


class _FineTuning:
    """The second half: members leave when they are done, and keep their best weights."""

    def __init__(self, network: LogicNetwork, rows: PopulationRows, plan: Plan) -> None:
        self.network = network
        self.checked = (rows.check_yes + rows.check_no).sum(dim=1) > 0
        self.learned = _learning_rows(rows, plan)
        held_out = _with_checks(rows, self.checked)
        self.held_out = held_out.where((held_out.check_yes + held_out.check_no > 0).any(dim=0))
        self.plan = plan
        members = network.members
        self.active = torch.arange(members, device=rows.yes.device)
        self.best = [p.detach().clone() for p in network.parameters()]
        self.least = rows.yes.new_full((members,), torch.inf)
        self.looks: list[Tensor] = []  # the least validation loss at each look
        self.since = torch.zeros(members, dtype=torch.long, device=rows.yes.device)
        self.done_at = torch.full((members,), plan.epochs, device=rows.yes.device)

    def run(self, epochs: int, generator: torch.Generator, report: Callable[[], None]) -> History:
        """Train; in the end the whole population has its best weights."""
        member, losses, last = self.network, [], self.least.new_zeros(len(self.least))
        run = _Run(member, self.learned, self.plan, generator)
        stays = torch.ones_like(self.active, dtype=torch.bool)
        every = min(_EVERY, max(epochs // _LEAST_LOOKS, 1))
        settled = 0.5 if getattr(member, "hard", None) is not None else 0.0  # a psi network counts once hard
        for epoch in range(epochs):
            member.anneal(epoch / epochs)
            if epoch % every == 0 and epoch >= settled * epochs:
                self._look(member, epoch, every)
                stays = self.since[self.active] < self.plan.patience
                if not stays.any():
                    break
                if 2 * int(stays.sum()) <= len(stays):
                    index = torch.nonzero(stays).squeeze(1)
                    member = member.select(index)
                    run = run.select(index, member)
                    self.held_out, self.active, stays = (
                        self.held_out.select(index),
                        self.active[index],
                        stays[index],
                    )
            last[self.active] = torch.where(
                stays, run.epoch(_rate(self.plan, epoch, epochs)), last[self.active]
            )
            losses.append(last.clone())
            report()
        member.anneal(1.0)
        self._look(member, epochs, every)
        with torch.no_grad():
            for parameter, best in zip(self.network.parameters(), self.best, strict=True):
                parameter.copy_(best)
        converged = self.since >= self.plan.patience
        if losses:
            enough = len(self.looks) > _LEAST_LOOKS // 2
            converged |= _has_levelled(self.looks if enough else losses, losses[0].abs())
        return History(losses, self.done_at, converged, self.least)

    @torch.no_grad()
    def _look(self, member: LogicNetwork, epoch: int, every: int) -> None:
        """Compare the validation losses with the best so far; without validation rows the last is best."""
        rows, active = self.held_out, self.active
        loss = self.plan.criterion(_outputs(member, rows), rows.check_yes, rows.check_no)
        least = self.least[active]
        margin = torch.where(least.isinf(), 0.0, _TOLERANCE * least.abs())  # losses may be negative
        better = (loss < least - margin) | ~self.checked[active]
        going = self.since[active] < self.plan.patience
        better &= going
        winners = active[better]
        self.least[winners] = loss[better]
        for best, parameter in zip(self.best, member.parameters(), strict=True):
            best[winners] = parameter.detach()[better]
        waited = torch.where(better, 0, self.since[active] + every)
        finished = going & (waited >= self.plan.patience)
        self.done_at[active[finished]] = self.plan.explored + epoch
        self.since[active] = torch.where(going, waited, self.since[active])
        self.looks.append(self.least.clone())


def _has_levelled(losses: Sequence[Tensor], first: Tensor) -> Tensor:
    """Members whose loss hardly fell over the last tenth of the losses, or is low.

    That is the least validation loss at each look: whether the best weights were still getting better. The
    training loss, which goes up and down, stands in where there were few looks. ``first`` is that of the
    first epoch.
    """
    before = losses[-1 - min(len(losses) - 1, max(1, len(losses) // 10))]
    return (before - losses[-1] <= _LEVEL * first) | (losses[-1] <= _LOW * first)


def _with_checks(rows: PopulationRows, checked: Tensor) -> PopulationRows:
    """Rows on which members without validation rows are looked at with those they learn from."""
    if checked.all():
        return rows
    own = checked[:, None]
    return replace(
        rows,
        check_yes=torch.where(own, rows.check_yes, rows.yes),
        check_no=torch.where(own, rows.check_no, rows.no),
    )
