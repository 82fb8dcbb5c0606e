"""From rows and folds to trained networks: full strength, chosen by validation loss, calibrated, then left alone.

For each fold

    train      penalties x restarts, side by side; several classes share a softmax over the outputs (Sec. 4.2)
    prune      half-way, to each width of a ladder (Sec. 4.3), where networks are pruned to a number of concepts
    choose     least validation loss; of several widths the smallest within one standard error of the best
    calibrate  a temperature on the validation rows, folded into the last layer

A fold is trained on its own rows, in an order that depends on nothing but what they hold, so that a fold among
many is what it is alone, and a row of weight 3 is three rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import entr, expit, log_softmax, softmax
from torch import Tensor

from logiclens.errors import InputError, shown
from logiclens.estimators.asking import ask
from logiclens.estimators.counting import Distinct, Fold, effective_rows
from logiclens.estimators.targets import Problem, Targets, spread_outputs
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.nn.criteria import SoftmaxLoss
from logiclens.nn.plan import History, Plan
from logiclens.nn.population import LogicNetwork, Streams, join
from logiclens.nn.rows import Rows
from logiclens.nn.training import explore

_LEAST_ENTROPY = 1e-3  # of answers that are nearly all the same, in nats

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
    seed : int
    device : str
        "auto", "cpu", "cuda", ...
    widths : tuple of int
        Numbers of concepts to choose from, ascending, where pruning keeps a number of them; empty otherwise.
    joint : bool
        Whether the outputs are classes of which one is true, trained by one softmax over all of them.
    """

    make: NetworkMaker[N]
    penalties: tuple[float, ...]
    restarts: int
    seed: int
    device: str = "auto"
    widths: tuple[int, ...] = ()
    joint: bool = False

    @property
    def starts(self) -> list[tuple[float, int]]:
        """Penalty and number of each start."""
        return [(l1, restart) for l1 in self.penalties for restart in range(self.restarts)]

    def made(self, n_outputs: int, n_concepts: int, width: int) -> N:
        """New networks, start by start.

        The stream of a member is a function of the seed, the output and the restart alone.
        """
        streams = [
            np.random.default_rng(np.random.SeedSequence([self.seed, output, restart]))
            for _, restart in self.starts
            for output in range(n_outputs)
        ]
        penalties = [l1 for l1, _ in self.starts for _ in range(n_outputs)]
        return self.make(streams, n_concepts, penalties, width)

    def generator(self) -> torch.Generator:
        """The source of the order of mini-batches."""
        return torch.Generator().manual_seed(self.seed % 2**63)


@dataclass(frozen=True, eq=False)
class Trained(Generic[N]):
    """The network of a fold, and how its training went.

    Attributes
    ----------
    network : LogicNetwork
        One member for each output, in double precision on the CPU. Its logits are calibrated.
    loss_curve : ndarray of shape (epochs, n_outputs)
        Training loss, the penalty included, as a share of that of a constant answer.
    n_iter : ndarray of int, shape (n_outputs,)
        Epochs.
    converged : ndarray of bool, shape (n_outputs,)
    penalty : ndarray of shape (n_outputs,)
        The penalty that was chosen.
    width : ndarray of int, shape (n_outputs,)
        Most concepts that each was pruned to; 0 where it was not pruned to a number.
    check_loss : ndarray of shape (n_outputs,)
        Cross-entropy on the validation rows, in nats a row, before it was calibrated; of classes together.
    """

    network: N
    loss_curve: FloatArray
    n_iter: NDArray[np.int64]
    converged: NDArray[np.bool_]
    penalty: FloatArray
    width: NDArray[np.int64]
    check_loss: FloatArray


def train_networks(
    population: Population[N],
    plan: Plan,
    x: FloatArray,
    targets: Targets,
    folds: Sequence[Fold],
    progress: Callable[[float], None] | None = None,
) -> list[Trained[N]]:
    """Train a network for each fold.

    Parameters
    ----------
    population : Population
        The networks to train.
    plan : Plan
        How. Where classes are trained together, its criterion and ``together`` are set here.
    x : ndarray of shape (n, n_concepts)
        Concept values.
    targets : Targets
        What to learn; may be soft.
    folds : sequence of Fold
        Row weights of each fold.
    progress : callable, optional
        Told the share of the work that is done.

    Returns
    -------
    list of Trained
        One for each fold.
    """
    report = progress or (lambda _: None)
    rows = Distinct.of(x, targets.outputs)
    x, outputs = x[rows.first], targets.outputs[rows.first]
    trained = []
    for at, fold in enumerate(folds):

        def told(share: float, at: int = at) -> None:
            report((at + share) / len(folds))

        data = _Data.of(x, outputs, rows.add_up(fold.train), rows.add_up(fold.check))
        trained.append(_trained(population, plan, data, told))
    return trained


def probabilities(network: LogicNetwork, x: FloatArray, problem: Problem) -> FloatArray:
    """Probability of each target on each row, (n, n_targets); of single-label problems they add up to 1.

    Parameters
    ----------
    network : LogicNetwork
    x : ndarray of shape (n, n_concepts)
    problem : Problem
    """
    return as_probabilities(ask(network, x), problem)


def as_probabilities(logits: FloatArray, problem: Problem) -> FloatArray:
    """Probability of each target, (n, n_targets), from logits, (n, n_outputs)."""
    if problem is Problem.SINGLE_LABEL:
        return np.asarray(softmax(logits, axis=1))
    values = spread_outputs(expit(logits), problem)
    if problem is Problem.OUTPUT_BY_OUTPUT:
        values = values / np.maximum(values.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return np.asarray(values)


def constant_loss(share: FloatArray, joint: bool) -> FloatArray:
    """Cross-entropy of the best constant answer, (n_outputs,), in nats a row; never quite 0.

    Parameters
    ----------
    share : ndarray of shape (n_outputs,)
        How frequent each output is.
    joint : bool
        Whether the outputs are classes of which one is true.

    Examples
    --------
    >>> constant_loss(np.array([0.5, 1.0]), joint=False).round(3)
    array([0.693, 0.001])
    """
    if joint:
        return np.full(len(share), max(float(entr(share).sum()), _LEAST_ENTROPY))
    return np.asarray(np.maximum(entr(share) + entr(1.0 - share), _LEAST_ENTROPY))


def cross_entropy(logits: FloatArray, outputs: FloatArray, joint: bool) -> FloatArray:
    """Cross-entropy of each row, (n, n_outputs); the same for all classes of which one is true.

    Parameters
    ----------
    logits, outputs : ndarray of shape (n, n_outputs)
    joint : bool
    """
    if joint:
        loss = -(outputs * log_softmax(logits, axis=1)).sum(axis=1)
        return np.repeat(loss[:, None], outputs.shape[1], axis=1)
    return np.asarray(np.logaddexp(0.0, logits) - outputs * logits)


def calibrate(
    network: LogicNetwork, x: FloatArray, outputs: FloatArray, weight: FloatArray, joint: bool
) -> None:
    """Divide the logits by a temperature, the one of least cross-entropy, folded into the last layer.

    Parameters
    ----------
    network : LogicNetwork
        One member for each output.
    x : ndarray of shape (n, n_concepts)
    outputs : ndarray of shape (n, n_outputs)
    weight : ndarray of shape (n,)
    joint : bool
        Whether the outputs are classes of which one is true: they have one temperature.
    """
    _scale(network, _temperatures(ask(network, x), outputs, weight, joint))


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


@dataclass(frozen=True, eq=False)
class _Data:
    """The distinct rows of one fold, with their weights."""

    x: FloatArray
    outputs: FloatArray
    train: FloatArray
    check: FloatArray

    @classmethod
    def of(cls, x: FloatArray, outputs: FloatArray, train: FloatArray, check: FloatArray) -> _Data:
        used = (train + check) > 0
        return cls(x[used], outputs[used], train[used], check[used])

    def checked(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Inputs, outputs and weights of the rows to choose by: all rows where none is held out."""
        weight = self.check if self.check.any() else self.train
        rows = weight > 0
        return self.x[rows], self.outputs[rows], weight[rows]

    def rows(self, joint: bool, repeats: int, device: torch.device) -> Rows:
        """Rows for every member, scaled so that a constant answer has loss 1, in training and validation."""
        weights = []
        for weight in (self.train, self.check):
            total = max(float(weight.sum()), np.finfo(float).tiny)
            scale = (weight / total)[:, None] / constant_loss(weight @ self.outputs / total, joint)
            for part in (self.outputs, 1.0 - self.outputs):
                told = torch.as_tensor((scale * part).T, dtype=torch.float32, device=device)
                weights.append(told.repeat(repeats, 1))
        return Rows(torch.as_tensor(self.x, dtype=torch.float32, device=device), *weights)


@dataclass(frozen=True, eq=False)
class _Choice(Generic[N]):
    """The best member for each output, or for all of them, at one width."""

    network: N  # a member for each output
    history: History
    members: IndexArray  # where they were trained
    width: int
    losses: FloatArray  # cross-entropy of each validation row, (n, n_outputs)


def _trained(of: Population[N], plan: Plan, data: _Data, report: Callable[[float], None]) -> Trained[N]:
    device = resolve_device(of.device)
    n_outputs, n_concepts = data.outputs.shape[1], data.x.shape[1]
    joint = of.joint and n_outputs > 1
    if joint:
        plan = replace(plan, criterion=SoftmaxLoss(n_outputs), together=n_outputs)
    rows = data.rows(joint, len(of.starts), device)
    ladder = [width for width in of.widths if width < n_concepts]
    if of.widths and (not ladder or ladder[-1] < of.widths[-1]):
        ladder.append(min(n_concepts, of.widths[-1]))
    widths = ladder or [0]
    network = of.made(n_outputs, n_concepts, widths[0]).to(device)
    done = 0

    def told(epoch: int) -> None:
        report((done + epoch / plan.epochs) / len(widths))

    explored = explore(network, rows, plan, of.generator(), told)
    choices = []
    for done, width in enumerate(widths):
        network = of.made(n_outputs, n_concepts, width).to(device)
        choices.append(_choice(*explored.tuned(network, told), width, joint, data))
    return _calibrated(_narrowest(choices, data), joint, data, of)


def _choice(network: N, history: History, width: int, joint: bool, data: _Data) -> _Choice[N]:
    """The members of least validation loss: all outputs of one start, or for each output one of its own."""
    x, outputs, weight = data.checked()
    n_outputs = outputs.shape[1]
    loss = history.check_loss.cpu().double().numpy().reshape(-1, n_outputs)
    best = np.full(n_outputs, loss[:, 0].argmin()) if joint else loss.argmin(axis=0)
    members = best * n_outputs + np.arange(n_outputs)
    chosen = network.select(torch.as_tensor(members, device=network.l1.device)).double().cpu()
    return _Choice(chosen, history, members, width, cross_entropy(ask(chosen, x), outputs, joint))


def _narrowest(choices: Sequence[_Choice[N]], data: _Data) -> list[_Choice[N]]:
    """For each output the smallest width whose loss is within one standard error of the least."""
    if len(choices) == 1:
        return [choices[0]] * data.outputs.shape[1]
    weight = data.checked()[2]
    share = weight / weight.sum()
    losses = np.stack([choice.losses for choice in choices])  # (widths, n, outputs)
    means = np.einsum("n,wno->wo", share, losses)
    chosen = []
    for output, mean in enumerate(means.T):
        best = int(mean.argmin())
        spread = share @ np.square(
            losses[:, :, output].T - losses[best, :, output][:, None] - (mean - mean[best])
        )
        error = np.sqrt(spread / effective_rows(weight))
        chosen.append(choices[int(np.flatnonzero(mean - mean[best] <= error)[0])])
    return chosen


def _calibrated(chosen: Sequence[_Choice[N]], joint: bool, data: _Data, of: Population[N]) -> Trained[N]:
    """Put the chosen members together and divide their logits by a temperature."""
    x, outputs, weight = data.checked()
    networks = [choice.network.select(torch.tensor([at])) for at, choice in enumerate(chosen)]
    network = join(networks)
    losses = np.column_stack([choice.losses[:, at] for at, choice in enumerate(chosen)])
    if data.check.any():
        calibrate(network, x, outputs, weight, joint)
    longest = max(len(choice.history.losses) for choice in chosen)

    def of_members(name: str) -> list[Tensor]:
        return [getattr(choice.history, name)[choice.members[at]].cpu() for at, choice in enumerate(chosen)]

    curves = [
        [float(choice.history.loss_at(epoch)[choice.members[at]]) for epoch in range(longest)]
        for at, choice in enumerate(chosen)
    ]
    n_outputs = outputs.shape[1]
    penalties = np.array([l1 for l1, _ in of.starts])
    return Trained(
        network,
        np.array(curves).T,
        np.array(of_members("n_iter"), dtype=np.int64),
        np.array(of_members("converged"), dtype=np.bool_),
        penalties[[choice.members[at] // n_outputs for at, choice in enumerate(chosen)]],
        np.array([choice.width for choice in chosen]),
        weight @ losses / weight.sum(),
    )


def _temperatures(logits: FloatArray, outputs: FloatArray, weight: FloatArray, joint: bool) -> FloatArray:
    """What to multiply the logits of each output by, (n_outputs,), for the least validation loss."""
    share = weight / weight.sum()

    def best(part: slice) -> float:
        def loss(log_scale: float) -> float:
            return float(
                share @ cross_entropy(np.exp(log_scale) * logits[:, part], outputs[:, part], joint)[:, 0]
            )

        return float(np.exp(minimize_scalar(loss, bounds=(-2.0, 2.0), method="bounded").x))

    n_outputs = logits.shape[1]
    if joint:
        return np.full(n_outputs, best(slice(None)))
    return np.array([best(slice(at, at + 1)) for at in range(n_outputs)])


@torch.no_grad()
def _scale(network: LogicNetwork, factors: FloatArray) -> None:
    """Multiply the logits of each member, by way of its last layer."""
    last, by = network.linears[-1], torch.as_tensor(factors).to(network.l1)[:, None, None]
    last.weight.mul_(by)
    last.bias.mul_(by)
