"""Fine-tune a population on all rows of a stream, in one process or several.

The loss of a batch is the sum over its rows in all processes, divided by their number and multiplied by that
of all rows, so that the penalty keeps its strength; the gradient is the gradient of that sum
(``DistributedDataParallel`` averages over processes, hence the factor). So two processes take the steps of
one, but for rounding. The learning rate starts at a share of the plan's and falls linearly to 0.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from logiclens.estimators.balancing import Balance
from logiclens.estimators.targets import Problem
from logiclens.estimators.weighing import Answers
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.nn.criteria import Criterion
from logiclens.nn.descent import AutogradDescent
from logiclens.nn.plan import Plan
from logiclens.nn.population import LogicNetwork
from logiclens.nn.threads import threads_for
from logiclens.scale.streaming.aims import Aim
from logiclens.scale.streaming.batches import Batch, Stream
from logiclens.scale.streaming.checkpoint import Checkpoint, Stored
from logiclens.scale.streaming.processes import Crew

RATE = 0.1
"""Learning rate at the start, as a share of the plan's: the networks were trained on the sample already."""
STANDARD_ERRORS = 3.0
"""A network whose loss on the rows held out grew by more standard errors keeps its old weights.

Its old weights were those of least loss on these very rows, so a little worse is no worse."""
_NUMBERS = 1 << 21  # in the largest tensor of a step, which stays near the processor
_FEWEST = 1 << 8  # rows of a step

N = TypeVar("N", bound=LogicNetwork)


@dataclass(frozen=True, eq=False)
class Weighing:
    """What a row weighs as an example of yes and of no, so that a constant answer has loss 1 on all rows.

    Attributes
    ----------
    yes, no : ndarray of shape (n_outputs, n_labels), of outputs of their own (n_outputs, 1)
    multi_label : bool
    """

    yes: FloatArray
    no: FloatArray
    multi_label: bool

    @classmethod
    def of(
        cls, aim: Aim, problem: Problem, by_label: FloatArray, held_out: NDArray[Any], balance: Balance
    ) -> Weighing:
        """The weights of rows that are trained on.

        Parameters
        ----------
        aim : Aim
        problem : Problem
        by_label : ndarray of shape (n_labels,)
            Weight of the rows of each label.
        held_out : ndarray
            Targets of the rows that are not trained on, as the aim reads them.
        balance : Balance
        """
        if aim.multi_label:
            counts = aim.counts - held_out.sum(axis=1)
            table, rows = np.eye(len(counts)), aim.n_rows - held_out.shape[1]
            totals = counts, rows - counts
        else:
            table = aim.table(problem)
            counts = (aim.counts - np.bincount(held_out, minlength=len(aim.labels))) * by_label
            totals = table @ counts, (1.0 - table) @ counts
        yes, no = (np.maximum(total, 0.0) for total in totals)
        parts = [torch.as_tensor(part)[:, None] for part in (yes, no)]
        scaled = Answers(*parts, *parts).weighted(torch.zeros(1, 1), 1, balance)
        scale = [
            (part.numpy() / np.maximum(total, 1e-12)[:, None])
            for part, total in ((scaled.yes, yes), (scaled.no, no))
        ]
        if aim.multi_label:
            return cls(scale[0], scale[1], True)
        return cls(scale[0] * table * by_label, scale[1] * (1.0 - table) * by_label, False)

    def answers(self, read: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        """Weights of yes and of no of some rows, each (n_outputs, n)."""
        if self.multi_label:
            return self.yes * read, self.no * (1.0 - read)
        return self.yes[:, read], self.no[:, read]


def read_columns(network: LogicNetwork) -> IndexArray:
    """Concepts that some member reads, in ascending order; all where none was pruned."""
    if network.columns is None:
        return np.arange(network.n_concepts)
    return np.flatnonzero(network.read().any(dim=0).cpu().numpy())


@torch.no_grad()
def narrowed(network: N, columns: IndexArray) -> N:
    """A copy of a population that takes rows of those concepts alone that its members read.

    The inverse is :meth:`~logiclens.nn.population.LogicNetwork.widen`.
    """
    twin = network.select(torch.arange(network.members, device=network.l1.device))
    if twin.columns is None:
        return twin
    kept = network.kept()[:, columns]
    first = twin.linears[0]
    place = twin.columns[:, None, :].expand_as(first.weight)
    for name in ("weight", "mask"):
        part = getattr(first, name) * first.mask
        whole = part.new_zeros(*part.shape[:2], network.n_concepts).scatter(2, place, part)[:, :, columns]
        setattr(first, name, nn.Parameter(whole) if name == "weight" else whole)
    twin.columns, twin.n_concepts = None, len(columns)
    twin.opinion = None if twin.opinion is None else twin.opinion[:, columns]
    twin.narrow(kept)
    return twin


class _Objective(nn.Module):
    """The loss of some rows of a batch, for all members."""

    def __init__(self, network: LogicNetwork, criterion: Criterion, n_processes: int) -> None:
        super().__init__()
        self.weights = nn.ParameterList(network.parameters())
        self.ask = [network]  # in a list, or its buffers, which never change, would be told around each time
        self.criterion = criterion
        self.n_processes = n_processes

    def forward(self, x: Tensor, yes: Tensor, no: Tensor, with_penalty: bool) -> tuple[Tensor, Tensor]:
        """What to go downhill on, and the loss of each member without its penalty, (members,)."""
        (network,) = self.ask
        losses = self.criterion(network.outputs(network.inputs(x)), yes, no)
        whole = self.n_processes * losses.sum()
        return whole + network.penalty().sum() if with_penalty else whole, losses.detach()


class _Descent:
    """Adam on a population, batch by batch."""

    def __init__(self, network: LogicNetwork, weighing: Weighing, plan: Plan, crew: Crew) -> None:
        self.network = network
        self.weighing = weighing
        self.crew = crew
        objective: nn.Module = _Objective(network, plan.criterion, crew.size)
        if crew.size > 1:
            objective = DistributedDataParallel(objective)
        self.objective = objective
        self.adam = AutogradDescent(network)
        self.epsilon = plan.epsilon
        wide = max(network.linears[0].weight.shape[2], network.activations(1) // network.members)
        self.rows = max(_FEWEST, _NUMBERS // (network.members * wide))
        self.per_output = network.members // len(weighing.yes)

    def step(self, batch: Batch, n_rows: int, rate: float) -> Tensor:
        """One step; the loss of each member on the batch before it, the penalty included, (members,)."""
        device, dtype = self.crew.device, self.network.l1.dtype
        yes, no = (
            torch.as_tensor(part * (n_rows / batch.n_rows), dtype=dtype, device=device)
            for part in self.weighing.answers(batch.read)
        )
        x = torch.as_tensor(batch.x, dtype=dtype, device=device).T
        self.network.zero_grad()
        total = torch.zeros(self.network.members, dtype=torch.float64, device=device)
        starts = range(0, max(len(x), 1), self.rows)
        for start in starts:
            last = start == starts[-1]
            part = slice(start, start + self.rows)
            with self._alone(not last):
                whole, losses = self.objective(
                    x[part],
                    yes[:, part].repeat_interleave(self.per_output, dim=0),
                    no[:, part].repeat_interleave(self.per_output, dim=0),
                    last,
                )
                whole.backward()
            total += losses.double()
        losses = self.crew.total(total) + self.network.penalty().detach().double().cpu()
        gradients = [parameter.grad for parameter in self.network.parameters() if parameter.grad is not None]
        self.adam.moments.move(self.adam.parameters, gradients, rate, self.epsilon)
        return losses

    def _alone(self, alone: bool) -> AbstractContextManager[None]:
        """Whether the gradient of this part is kept to this process for now."""
        if alone and isinstance(self.objective, DistributedDataParallel):
            return self.objective.no_sync()
        return nullcontext()

    def state(self, curve: list[Tensor]) -> Stored:
        """All that the next step depends on."""
        moments = self.adam.moments
        parts = {"weight": self.adam.parameters, "first": moments.first, "second": moments.second}
        tensors = {
            f"{name}.{at}": tensor.detach().cpu().numpy()
            for name, several in parts.items()
            for at, tensor in enumerate(several)
        }
        return Stored({"steps": moments.steps}, {**tensors, "curve": torch.stack(curve).numpy()})

    @torch.no_grad()
    def restore(self, stored: Stored) -> list[Tensor]:
        """Go on from a state; the loss curve up to there."""
        moments = self.adam.moments
        parts = {"weight": self.adam.parameters, "first": moments.first, "second": moments.second}
        for name, several in parts.items():
            for at, tensor in enumerate(several):
                tensor.copy_(torch.tensor(stored.tensors[f"{name}.{at}"]))
        moments.steps = int(stored.entries["steps"])
        return list(torch.tensor(stored.tensors["curve"]))


@dataclass(frozen=True, eq=False)
class Course:
    """How long to train, and what is kept on the way.

    Attributes
    ----------
    plan : Plan
        Criterion, learning rate and epsilon are taken from it.
    epochs : int
        Passes over the rows.
    checkpoint : Checkpoint, optional
        Where the state is kept, under the name "training".
    every : int
        Batches between two times that it is.
    told : callable
        Told the share that is done.
    """

    plan: Plan
    epochs: int
    checkpoint: Checkpoint | None = None
    every: int = 100
    told: Callable[[float], None] = lambda _: None


def tune(network: LogicNetwork, stream: Stream, weighing: Weighing, course: Course, crew: Crew) -> FloatArray:
    """Train a population on a stream, in place.

    Parameters
    ----------
    network : LogicNetwork
        Reads the columns of the stream, on the device of the process. The candidates of an output are next to
        each other, as many for each.
    stream : Stream
    weighing : Weighing
    course : Course
    crew : Crew

    Returns
    -------
    ndarray of shape (n_batches, members)
        Loss on each batch, before the step, the penalty included; the same in all processes.
    """
    descent = _Descent(network, weighing, course.plan, crew)
    per_epoch = [stream.n_batches(epoch) for epoch in range(course.epochs)]
    total, first = sum(per_epoch), RATE * course.plan.learning_rate
    checkpoint = course.checkpoint
    stored = None if checkpoint is None else crew.once(lambda: checkpoint.read("training"))
    curve = [] if stored is None else descent.restore(stored)
    with threads_for(descent.rows * network.members):
        for epoch in range(course.epochs):
            end = sum(per_epoch[: epoch + 1])
            if len(curve) >= end:
                continue
            for batch in stream.batches(epoch, len(curve) - (end - per_epoch[epoch])):
                rate = first * (1.0 - len(curve) / total)
                curve.append(descent.step(batch, stream.n_rows, rate))
                course.told(len(curve) / total)
                due = len(curve) % course.every == 0 or len(curve) == end
                if checkpoint is not None and crew.is_first and due:
                    checkpoint.write("training", descent.state(curve))
    return torch.stack(curve).numpy()


@torch.no_grad()
def clearly_worse(
    now: LogicNetwork, before: LogicNetwork, batch: Batch, weighing: Weighing, criterion: Criterion
) -> NDArray[np.bool_]:
    """Members whose loss on some rows grew by more than chance explains, (members,).

    Parameters
    ----------
    now, before : LogicNetwork
        The same members, with other weights.
    batch : Batch
        Rows that neither was trained on.
    weighing : Weighing
    criterion : Criterion
    """
    device, dtype = now.l1.device, now.l1.dtype
    per_output = now.members // len(weighing.yes)
    x = torch.as_tensor(batch.x, dtype=dtype, device=device).T
    yes, no = (
        torch.as_tensor(part, dtype=dtype, device=device).repeat_interleave(per_output, dim=0)[..., None]
        for part in weighing.answers(batch.read)
    )
    losses = [criterion(network(x)[..., None], yes, no).double() for network in (now, before)]  # row by row
    growth = losses[0] - losses[1]
    error = growth.square().sum(dim=1).sqrt()
    return (growth.sum(dim=1) > STANDARD_ERRORS * error).cpu().numpy()
