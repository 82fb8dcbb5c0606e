"""Fine-tune a network on all rows of a stream, in one process or several.

The loss of a batch is the sum over its rows in all processes, divided by their number and multiplied by that
of all rows, so that the penalty keeps its strength. Each process has the loss and the gradient of its own
rows; their sums, in double precision, are the step that all of them take. So two processes take the steps of
one, but for rounding. The learning rate starts at a share of the plan's and falls linearly to 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from logiclens.estimators.inputs_and_targets import Problem
from logiclens.estimators.networks import Population, Trained, constant_loss
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.nn._descent import AutogradDescent
from logiclens.nn.criteria import Criterion, SoftmaxLoss
from logiclens.nn.population import LogicNetwork, threads_for
from logiclens.nn.training import Plan
from logiclens.scale._checkpoint import Checkpoint, StoredPart
from logiclens.scale._parquet_source import TargetColumns
from logiclens.scale._processes import Processes
from logiclens.scale._sampling import MiniBatch, MiniBatches

RATE = 0.1
"""Learning rate at the start, as a share of the plan's: the network was trained on the sample already."""
_NUMBERS = 1 << 21  # in the largest tensor of a step, which stays near the processor
_FEWEST = 1 << 8  # rows of a step
_HISTORY = ("loss_curve", "n_iter", "converged", "penalty", "width", "loss")

N = TypeVar("N", bound=LogicNetwork)


@dataclass(frozen=True, eq=False)
class StreamLoss:
    """The loss of rows that are streamed: 1 for a constant answer, over all rows that are trained on.

    Attributes
    ----------
    targets : TargetColumns
    problem : Problem
    criterion : Criterion
    weight : ndarray of shape (n_outputs,)
        What each row weighs.
    """

    targets: TargetColumns
    problem: Problem
    criterion: Criterion
    weight: FloatArray

    @classmethod
    def of(
        cls, targets: TargetColumns, problem: Problem, held_out: NDArray[Any], criterion: Criterion
    ) -> StreamLoss:
        """The loss of networks that one member for each output makes up.

        Parameters
        ----------
        targets : TargetColumns
        problem : Problem
        held_out : ndarray
            Targets of the rows that are not trained on, as they were read.
        criterion : Criterion
            That of a single output; classes of which one is true share a softmax.
        """
        share = targets.shares(held_out, problem)
        joint = problem is Problem.SINGLE_LABEL
        weight = 1.0 / (constant_loss(share, joint) * (targets.n_rows - held_out.shape[-1]))
        return cls(targets, problem, SoftmaxLoss(len(share)) if joint else criterion, weight)

    def yes_and_no(self, truth: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        """Weight of some rows as examples of yes and of no, each (n_outputs, n)."""
        outputs = self.targets.outputs(truth, self.problem)
        return self.weight[:, None] * outputs, self.weight[:, None] * (1.0 - outputs)


def kept_columns(network: LogicNetwork) -> IndexArray:
    """Concepts that some member reads, in ascending order; all where none was pruned."""
    if network.columns is None:
        return np.arange(network.n_concepts)
    return np.flatnonzero(network.kept().any(dim=0).cpu().numpy())


@torch.no_grad()
def on_columns(network: N, columns: IndexArray) -> N:
    """A copy of a network that takes rows of those concepts alone that its members read.

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
    twin.narrow(kept)
    return twin


class _Descent:
    """Adam on a network, batch by batch."""

    def __init__(self, network: LogicNetwork, loss: StreamLoss, processes: Processes) -> None:
        self.network = network
        self.loss = loss
        self.processes = processes
        self.adam = AutogradDescent(network)
        wide = max(network.linears[0].weight.shape[2], network.activations(1) // network.members)
        self.rows = max(_FEWEST, _NUMBERS // (network.members * wide))

    def step(self, batch: MiniBatch, n_rows: int, rate: float) -> Tensor:
        """One step; the loss of each member on the batch before it, the penalty included, (members,)."""
        network, parameters = self.network, self.adam.parameters

        def tensor(values: NDArray[Any]) -> Tensor:
            return torch.as_tensor(values, dtype=network.l1.dtype, device=network.l1.device)

        x = tensor(batch.x).T
        yes, no = (tensor(part * (n_rows / batch.n_rows)) for part in self.loss.yes_and_no(batch.truth))
        sums = [torch.zeros(each.shape, dtype=torch.float64) for each in (network.l1, *parameters)]
        for start in range(0, len(x), self.rows):
            part = slice(start, start + self.rows)
            losses = self.loss.criterion(network.logits(network.gather(x[part])), yes[:, part], no[:, part])
            slopes = torch.autograd.grad(losses.sum(), parameters)
            for total, value in zip(sums, (losses.detach(), *slopes), strict=True):
                total += value.double().cpu()
        whole = self.processes.total(torch.cat([total.ravel() for total in sums]))
        loss, *parts = torch.split(whole, [total.numel() for total in sums])
        penalty = network.penalty()
        of_penalty = torch.autograd.grad(penalty.sum(), parameters, materialize_grads=True)
        gradients = [
            part.view(each.shape).to(each) + each for part, each in zip(parts, of_penalty, strict=True)
        ]
        self.adam.moments.move(parameters, gradients, rate)
        return torch.as_tensor(loss + penalty.detach().double().cpu())

    def state(self, curve: list[Tensor]) -> StoredPart:
        """All that the next step depends on."""
        moments = self.adam.moments
        parts = {"weight": self.adam.parameters, "first": moments.first, "second": moments.second}
        tensors = {
            f"{name}.{at}": tensor.detach().cpu().numpy()
            for name, several in parts.items()
            for at, tensor in enumerate(several)
        }
        return StoredPart({"steps": moments.steps}, {**tensors, "curve": torch.stack(curve).numpy()})

    @torch.no_grad()
    def restore(self, stored: StoredPart) -> list[Tensor]:
        """Go on from a state; the loss curve up to there."""
        moments = self.adam.moments
        parts = {"weight": self.adam.parameters, "first": moments.first, "second": moments.second}
        for name, several in parts.items():
            for at, tensor in enumerate(several):
                tensor.copy_(torch.tensor(stored.tensors[f"{name}.{at}"]))
        moments.steps = int(stored.entries["steps"])
        return list(torch.tensor(stored.tensors["curve"]))


@dataclass(frozen=True, eq=False)
class Schedule:
    """Length of the training, and where its state is kept on the way.

    Attributes
    ----------
    plan : Plan
        Its learning rate is taken.
    epochs : int
        Passes over the rows.
    checkpoint : Checkpoint, optional
        Where the state is kept, under the name "training".
    every : int
        Batches between two times that it is.
    progress : callable
        Called with the share that is done.
    """

    plan: Plan
    epochs: int
    checkpoint: Checkpoint | None = None
    every: int = 100
    progress: Callable[[float], None] = lambda _: None


def fine_tune(
    network: LogicNetwork, stream: MiniBatches, loss: StreamLoss, schedule: Schedule, processes: Processes
) -> FloatArray:
    """Train a network on a stream, in place.

    Parameters
    ----------
    network : LogicNetwork
        Reads the columns of the stream, on the device of the process; one member for each output.
    stream : MiniBatches
    loss : StreamLoss
    schedule : Schedule
    processes : Processes

    Returns
    -------
    ndarray of shape (n_batches, members)
        Loss on each batch, before the step, the penalty included; the same in all processes.
    """
    descent = _Descent(network, loss, processes)
    per_epoch = [stream.n_batches(epoch) for epoch in range(schedule.epochs)]
    total, first = sum(per_epoch), RATE * schedule.plan.learning_rate
    checkpoint = schedule.checkpoint
    stored = None if checkpoint is None else processes.once(lambda: checkpoint.read("training"))
    curve = [] if stored is None else descent.restore(stored)
    with threads_for(descent.rows * network.members):
        for epoch in range(schedule.epochs):
            end = sum(per_epoch[: epoch + 1])
            if len(curve) >= end:
                continue
            for batch in stream.batches(epoch, len(curve) - (end - per_epoch[epoch])):
                rate = first * (1.0 - len(curve) / total)
                curve.append(descent.step(batch, stream.n_rows, rate))
                schedule.progress(len(curve) / total)
                due = len(curve) % schedule.every == 0 or len(curve) == end
                if checkpoint is not None and processes.is_first and due:
                    checkpoint.write("training", descent.state(curve))
    return torch.stack(curve).numpy()


def store_network(trained: Trained[Any]) -> StoredPart:
    """A trained network as tensors, and what these do not say: numbers such as the steepness of steps.

    Parameters
    ----------
    trained : Trained
    """
    network = trained.network
    tensors = {name: tensor.detach().cpu().numpy() for name, tensor in network.state_dict().items()}
    settings = {
        name: value
        for name, value in vars(network).items()
        if isinstance(value, bool | int | float) and not name.startswith("_")
    }
    history = {name: np.asarray(getattr(trained, name)) for name in _HISTORY}
    return StoredPart({"network": settings}, {**tensors, **history})


def restore_network(stored: StoredPart, population: Population[N]) -> Trained[N]:
    """Inverse of :func:`store_network`, for a network of the same kind.

    Parameters
    ----------
    stored : StoredPart
    population : Population
        How such networks are made.
    """
    tensors = stored.tensors
    l1, n_inputs = tensors["l1"].tolist(), tensors["layers.0.weight"].shape[2]
    streams = [np.random.default_rng(0)] * len(l1)  # for weights that are replaced below
    network = population.make(streams, n_inputs, l1, max(population.widths, default=0)).double()
    if "columns" in tensors:
        network.columns = torch.tensor(tensors["columns"])
    for name, tensor in (*network.named_parameters(), *network.named_buffers()):
        if name in tensors:  # the mean of several networks has more hidden units than each
            tensor.data = tensor.new_empty(tensors[name].shape)
    network.load_state_dict(
        {name: torch.tensor(array) for name, array in tensors.items() if name not in _HISTORY}
    )
    for name, value in stored.entries["network"].items():
        setattr(network, name, value)
    return Trained(network, (network,), **{name: tensors[name] for name in _HISTORY})
