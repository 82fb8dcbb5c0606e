"""From rows and folds to networks: trained without regard to rules, chosen, calibrated, never changed.

For each fold

    split      each restart learns from all rows but those of one part
    train      penalties x restarts x outputs, side by side; several classes share a softmax (Eq. 6), unless
               another criterion is set: then each class is learned against the rest
               rows without a label add their mutual information (Eq. 12), times a weight: 0, or another one
    prune      half-way (Sec. 4.3); where networks keep a number of concepts, to each width of a ladder
    choose     penalty, weight and width by the cross-entropy, once calibrated, of each row under networks
               that did not learn from it. One restart is enough to choose by where it leaves out many rows
    average    the restarts: their mean is one network of the same kind (:mod:`logiclens.nn.population`)
    calibrate  one temperature (one per output unless classes share a softmax), fitted to the same held-out
               answers and folded into the last layer

So every row is learned from, and every row is held out once. A fold is trained on its own rows, in an order
that depends only on their values: its result does not depend on the other folds, and a row of weight 3 counts
as three copies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Final, Generic, Protocol, TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import entr, expit, log_softmax, softmax
from torch import Tensor

from logiclens.errors import InputError, listing, shown
from logiclens.estimators.folds import Distinct, RowSplit, effective_rows, systematic_sample
from logiclens.estimators.inputs_and_targets import Problem, Targets, spread_outputs
from logiclens.explain.compose import check_layers, forward
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.logic.data import THRESHOLD
from logiclens.metrics.agreement import two_sided_quantile
from logiclens.nn._descent import PopulationRows, has_mean
from logiclens.nn.criteria import Criterion, SoftmaxLoss, iff_loss
from logiclens.nn.population import LogicNetwork, Streams, for_each, join, mean_network
from logiclens.nn.pruning import most_relevant
from logiclens.nn.psi import PsiNetwork
from logiclens.nn.training import Explored, History, Plan, explore

BATCH = 256
"""Rows of a mini-batch, where there are at least twice as many."""
MOST_ROWS = 1 << 16
"""Distinct rows that are trained on; of more, a sample of about as many is drawn."""
UNLABELED = 1000
"""Unlabeled rows that are trained on, or as many as there are with a label; of more, a sample is drawn."""
ENOUGH = 1000
"""Rows of a part on which one restart is enough to choose penalty and width by."""
_LEAST_ENTROPY = 1e-3  # of answers that are nearly all the same, in nats
ONE_SIDED: Final = two_sided_quantile(0.90)
"""Standard errors by which a one-sided test at 95 % wants one thing to be better than another."""
_CHECKED = 256  # rows on which to check that a last layer scales logits
_LOG_SCALES = (-2.0, 2.0)  # bounds of the logarithm of what logits are multiplied by

_BLOCK, _SMALL_BLOCK = 1 << 15, 1 << 8  # most rows in a block, and fewest
_ON_CPU = 1 << 21  # numbers in a layer of all members on such rows that stay in the cache
_ON_GPU = 1 << 27  # and that take little of a device's memory

N = TypeVar("N", bound=LogicNetwork)
Made = TypeVar("Made", bound=LogicNetwork, covariant=True)


class NetworkMaker(Protocol[Made]):
    """Makes a population: random streams, number of concepts, penalty of each member, concepts to keep."""

    def __call__(self, streams: Streams, n_concepts: int, l1: Sequence[float], width: int) -> Made: ...


@dataclass(frozen=True)
class Population(Generic[N]):
    """The networks to train.

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
        Whether the outputs are exclusive classes: cross-entropy is that of one softmax over all of them.
    information : tuple of float
        What the mutual information of unlabeled rows counts beside the cross-entropy of labeled ones, to
        choose from; 0 is among them.
    """

    make: NetworkMaker[N]
    penalties: tuple[float, ...]
    restarts: int
    seed: int
    device: str = "auto"
    widths: tuple[int, ...] = ()
    joint: bool = False
    information: tuple[float, ...] = (0.0,)

    def new_networks(self, penalties: FloatArray, n_concepts: int, width: int) -> N:
        """New networks, by penalty, restart, output.

        The stream of a member is a function of the seed, the output and the restart alone.

        Parameters
        ----------
        penalties : ndarray of shape (n_penalties, n_outputs)
        n_concepts, width : int
        """
        n_penalties, n_outputs = penalties.shape
        streams = [
            np.random.default_rng(np.random.SeedSequence([self.seed, output, restart]))
            for _ in range(n_penalties)
            for restart in range(self.restarts)
            for output in range(n_outputs)
        ]
        each = np.repeat(penalties[:, None], self.restarts, axis=1).ravel().tolist()
        network = self.make(streams, n_concepts, each, width)
        if not isinstance(network, LogicNetwork):
            raise InputError(f"make_network must return a LogicNetwork. Got {shown(network)}.")
        if own := sorted(name for name, _ in network.named_children() if name != "layers"):
            raise InputError(
                f"The modules of a network are its layers; {listing(own)} would not follow its members. Keep "
                "weights of your own in nn.Parameter, with a row for each member."
            )
        with torch.no_grad():
            found = network(torch.zeros(3, n_concepts)), network.penalty()
        for name, each, wanted in zip(
            ("logits", "penalty"), found, ((len(streams), 3), (len(streams),)), strict=True
        ):
            shape = tuple(np.shape(each))
            if shape != wanted:
                raise InputError(
                    f"{name} of {type(network).__name__} must be of shape {wanted}: the first axis is the "
                    f"member. Got shape {shape}."
                )
        return network

    def generator(self) -> torch.Generator:
        """The source of the order of mini-batches."""
        return torch.Generator().manual_seed(self.seed % 2**63)

    def ladder(self, n_concepts: int) -> list[int]:
        """The widths to try with this many concepts; a single 0 where nothing is pruned to a number."""
        return sorted({min(width, n_concepts) for width in self.widths}) or [0]


@dataclass(frozen=True, eq=False)
class Trained(Generic[N]):
    """The network of a fold, and how its training went.

    Attributes
    ----------
    network : LogicNetwork
        One member for each output, in double precision on the CPU. Its logits are calibrated.
    restarts : tuple of LogicNetwork
        The networks that were chosen, each of which left out a part, calibrated as it is. It is their mean,
        once they are pruned to the same concepts, or the best of them.
    loss_curve : ndarray of shape (epochs, n_outputs)
        Training loss, the penalty included, as a share of that of a constant answer; mean of the restarts.
    n_iter : ndarray of int, shape (n_outputs,)
        Epochs, of the restart that took most.
    converged : ndarray of bool, shape (n_outputs,)
        Whether all restarts stopped getting better before the epochs ran out.
    penalty : ndarray of shape (n_outputs,)
        The penalty that was chosen.
    """

    network: N
    restarts: tuple[N, ...]
    loss_curve: FloatArray
    n_iter: NDArray[np.int64]
    converged: NDArray[np.bool_]
    penalty: FloatArray


def train_networks(
    population: Population[N],
    plan: Plan,
    x: FloatArray,
    targets: Targets,
    folds: Sequence[RowSplit],
    progress: Callable[[float], None] | None = None,
) -> list[Trained[N]]:
    """Train a network for each fold.

    Parameters
    ----------
    population : Population
        The networks to train.
    plan : Plan
        How. The cross-entropy of exclusive classes becomes that of a softmax over them, and ``together`` is
        set to match; any other criterion is about each class against the rest. Its epochs are those of a
        small table (:func:`plan_for_rows`).
    x : ndarray of shape (n, n_concepts)
        Concept values.
    targets : Targets
        What to learn; may be soft.
    folds : sequence of RowSplit
        Row weights of each fold. The restarts take turns in leaving out its parts; where it has none, all of
        them leave out its rows to check with.
    progress : callable, optional
        Called with the share of the work that is done.

    Returns
    -------
    list of Trained
        One for each fold.
    """
    distinct = Distinct.of(x, targets.outputs, targets.known())
    x, outputs, strata = x[distinct.first], targets.outputs[distinct.first], targets.strata()[distinct.first]
    known = targets.known()[distinct.first, 0]
    shares, lock = np.zeros(len(folds)), Lock()

    def work(at: Tensor) -> Trained[N]:
        fold = folds[int(at)]

        def report(share: float) -> None:
            with lock:
                shares[at] = share
                if progress is not None:
                    progress(float(shares.mean()))

        whole = distinct.add_up(fold.train + fold.check)
        weight = _sample_rows(known * whole, strata, population.seed)
        left = [distinct.add_up(part) for part in fold.parts or (fold.check,)]
        choices = population.information if any(part.any() for part in left) else (0.0,)
        unlabeled = (1.0 - known) * whole * any(choices)
        most = max(int(np.count_nonzero(weight)), UNLABELED)
        unlabeled = _sample_rows(unlabeled, strata, population.seed, most)
        rows = np.flatnonzero(weight + unlabeled > 0)
        pairs = [
            (l1, share) for share in (choices if unlabeled.any() else (0.0,)) for l1 in population.penalties
        ]
        penalties, information = np.repeat(np.array(pairs).T[:, :, None], outputs.shape[1], axis=2)
        trained = _Work(
            population,
            plan,
            x[rows],
            outputs[rows],
            weight[rows],
            np.array([part[rows] * (weight[rows] / whole[rows]) for part in left]),
            unlabeled[rows],
            penalties,
            information,
            population.ladder(x.shape[1]),
        ).train(report)
        report(1.0)  # also where the widest networks need not be tried
        return trained

    return for_each(list(torch.arange(len(folds))), work, 0)  # results do not depend on how many threads


def as_probabilities(logits: FloatArray, problem: Problem) -> FloatArray:
    """Probability of each target, (n, n_targets), from logits, (n, n_outputs); single labels add up to 1."""
    if problem is Problem.SINGLE_LABEL:
        return np.asarray(softmax(logits, axis=1))
    values = spread_outputs(expit(logits), problem)
    if problem is Problem.OUTPUT_BY_OUTPUT:
        values = values / np.maximum(values.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    return np.asarray(values)


def plan_for_rows(plan: Plan, n_rows: int) -> Plan:
    """The plan for this many rows: mini-batches where there are many, and then fewer epochs.

    The number of steps grows with the square root of the rows.

    Parameters
    ----------
    plan : Plan
        For small tables.
    n_rows : int
        Distinct rows.
    """
    if plan.batch_size is not None or n_rows < 2 * BATCH:
        return plan
    epochs = max(round(plan.epochs * (2 * BATCH / n_rows) ** 0.5), 2)
    return replace(plan, batch_size=BATCH, epochs=epochs)


def longest_path(plan: Plan, n_rows: int) -> float:
    """How far Adam can move a weight, which it does by about the learning rate in each step.

    Parameters
    ----------
    plan : Plan
        For small tables.
    n_rows : int
        Rows; where some are equal, there are fewer steps.

    Examples
    --------
    >>> from logiclens.nn.criteria import iff_loss
    >>> longest_path(Plan(iff_loss, epochs=100, learning_rate=0.01), 150)
    0.75
    """
    plan = plan_for_rows(plan, n_rows)
    n_steps = plan.epochs * -(-n_rows // (plan.batch_size or n_rows))
    return 0.75 * plan.learning_rate * n_steps  # the rate falls to 0 over half of the steps


def constant_loss(share: FloatArray, joint: bool) -> FloatArray:
    """Cross-entropy of the best constant answer, (n_outputs,), in nats a row; never quite 0.

    Parameters
    ----------
    share : ndarray of shape (n_outputs,)
        How frequent each output is.
    joint : bool
        Whether the outputs are exclusive classes.

    Examples
    --------
    >>> constant_loss(np.array([0.5, 1.0]), joint=False).round(3)
    array([0.693, 0.001])
    """
    if joint:
        return np.full(len(share), max(float(entr(share).sum()), _LEAST_ENTROPY))
    return np.asarray(np.maximum(entr(share) + entr(1.0 - share), _LEAST_ENTROPY))


def criterion_for(criterion: Criterion, n_outputs: int, joint: bool) -> Criterion:
    """The criterion for so many outputs: the cross-entropy of exclusive classes is that of a softmax."""
    return SoftmaxLoss(n_outputs) if joint and criterion is iff_loss else criterion


def cross_entropy(logits: FloatArray, outputs: FloatArray, joint: bool) -> FloatArray:
    """Cross-entropy of each row, (n, n_outputs); the same for all exclusive classes.

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
        Whether the outputs are exclusive classes: they have one temperature.
    """
    scales = logit_scales(predict_logits(network, x), outputs, weight / weight.sum(), joint)
    _scale(network, scales, x[:_CHECKED])


def logit_scales(logits: FloatArray, outputs: FloatArray, share: FloatArray, joint: bool) -> FloatArray:
    """Factors of the logits, one for each output, that give the least cross-entropy, (n_outputs,).

    Parameters
    ----------
    logits, outputs : ndarray of shape (n, n_outputs)
    share : ndarray of shape (n,)
        What each row counts.
    joint : bool
    """

    def best(part: slice) -> float:
        def loss(log_scale: float) -> float:
            scaled = np.exp(log_scale) * logits[:, part]
            return float(share @ cross_entropy(scaled, outputs[:, part], joint)[:, 0])

        return float(np.exp(minimize_scalar(loss, bounds=_LOG_SCALES, method="bounded").x))

    n_outputs = logits.shape[1]
    if joint:
        return np.full(n_outputs, best(slice(None)))
    return np.array([best(slice(at, at + 1)) for at in range(n_outputs)])


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


def _sample_rows(weight: FloatArray, strata: IndexArray, seed: int, most: int = MOST_ROWS) -> FloatArray:
    """Weights of the rows to train on: a sample, in proportion from every stratum, where there are many."""
    if np.count_nonzero(weight) <= most:
        return weight
    random = np.random.default_rng(seed)
    order = np.lexsort((random.random(len(weight)), strata))
    return systematic_sample(weight, order, most, random.random())


# Training


@dataclass(frozen=True, eq=False)
class _Rung(Generic[N]):
    """Networks of one width, and for each output the penalty of least held-out loss."""

    network: N
    history: History
    width: int
    place: IndexArray
    penalty: FloatArray
    """Place of the penalty among those to choose from, and the penalty, by output."""
    scale: FloatArray
    """Factors of the logits that calibrate them, by output."""
    loss: FloatArray
    """Cross-entropy of the held-out answers, calibrated, by output."""


@dataclass(frozen=True, eq=False)
class _Work(Generic[N]):
    """The training of one fold, on its distinct rows with a positive weight."""

    population: Population[N]
    plan: Plan
    x: FloatArray
    outputs: FloatArray
    weight: FloatArray
    left_out: FloatArray
    """Weights of the rows in each part, (n_parts, n)."""
    unlabeled: FloatArray
    """Weights of the rows without a label, (n,)."""
    penalties: FloatArray
    """To choose from, by output: (n_penalties, n_outputs)."""
    information: FloatArray
    """What unlabeled rows count with each of them, (n_penalties, n_outputs)."""
    ladder: Sequence[int]
    """The widths to choose from."""

    @property
    def joint(self) -> bool:
        """True if the outputs share a softmax."""
        return self.population.joint and self.outputs.shape[1] > 1

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of penalties, restarts and outputs: how members are ordered."""
        return len(self.penalties), self.population.restarts, self.outputs.shape[1]

    @cached_property
    def held_out(self) -> FloatArray:
        """Weights of the rows that each restart does not learn from, (restarts, n)."""
        return self.left_out[np.arange(self.population.restarts) % len(self.left_out)]

    @cached_property
    def share(self) -> FloatArray:
        """Share of each row in the held-out loss, (n,); in that on all rows where none is held out."""
        held_out = self.held_out.sum(axis=0)
        weight = np.where(held_out > 0, self.weight, 0.0) if held_out.any() else self.weight
        return np.asarray(weight / weight.sum())

    @cached_property
    def rows(self) -> PopulationRows:
        """Rows for all members, weighted so that the cross-entropy of a constant answer is 1."""
        device = resolve_device(self.population.device)
        together = self.outputs_plan.together > 1
        entropy = constant_loss(self.weight @ self.outputs / self.weight.sum(), together)
        weights = []
        for part in (self.weight - self.held_out, self.held_out):
            total = np.maximum(part.sum(axis=1, keepdims=True), np.finfo(float).tiny)
            scaled = (part / total)[:, None] / entropy[:, None]
            for answer in (self.outputs.T, 1.0 - self.outputs.T):
                part_weights = torch.as_tensor(scaled * answer, dtype=torch.float32, device=device)
                weights.append(part_weights.flatten(0, 1).repeat(len(self.penalties), 1))
        unlabeled = None
        if self.information.any():
            each = np.repeat(self.information[:, None], self.population.restarts, axis=1).reshape(-1, 1)
            share = each * (self.unlabeled / self.unlabeled.sum())
            unlabeled = torch.as_tensor(share, dtype=torch.float32, device=device)
        x = torch.as_tensor(self.x, dtype=torch.float32, device=device)
        rows = PopulationRows(x, *weights, unlabeled=unlabeled)
        return rows.merged() if self.outputs_plan.merges else rows

    @cached_property
    def outputs_plan(self) -> Plan:
        """The plan for these outputs, and a small table."""
        n_outputs = self.outputs.shape[1]
        criterion = criterion_for(self.plan.criterion, n_outputs, self.joint)
        together = n_outputs if isinstance(criterion, SoftmaxLoss) else self.plan.together
        return replace(self.plan, criterion=criterion, together=together)

    @cached_property
    def schedule(self) -> Plan:
        """The plan for these rows and outputs."""
        n_labeled = int(np.count_nonzero(self.weight)) if self.information.any() else len(self.rows.x)
        plan = plan_for_rows(self.outputs_plan, n_labeled)
        if plan.batch_size is None:
            return plan
        return replace(plan, batch_size=round(plan.batch_size * len(self.rows.x) / n_labeled))

    def new_networks(self, width: int) -> N:
        """New networks, to be pruned to this many concepts; none reads one that is the same in all rows."""
        network = self.population.new_networks(self.penalties, self.x.shape[1], width)
        varies = (self.x != self.x[:1]).any(axis=0)
        if varies.any() and not varies.all():
            network.linears[0].prune(torch.as_tensor(varies))
        return network.to(self.rows.x.device)

    def train(self, report: Callable[[float], None]) -> Trained[N]:
        """Train, choose, average and calibrate."""
        work, tried = self, 0.0
        if self._is_large() and len(self.ladder) * len(self.penalties) > 1:
            tried = 0.5
            one = replace(self, population=replace(self.population, restarts=1))
            chosen, _ = one.choose(lambda share: report(tried * share))
            penalty, information = (
                np.array([[each[rung.place[at], at] for at, rung in enumerate(chosen)]])
                for each in (self.penalties, self.information)
            )
            ladder = sorted({rung.width for rung in chosen})
            work = replace(self, penalties=penalty, information=information, ladder=ladder)
        chosen, explored = work.choose(lambda share: report(tried + (1.0 - tried) * share))
        return work._calibrate(work._average(chosen, explored), chosen)

    def _is_large(self) -> bool:
        """True if what one restart leaves out is enough to choose by."""
        return self.population.restarts > 1 and effective_rows(self.left_out[0]) >= ENOUGH

    def choose(self, report: Callable[[float], None]) -> tuple[list[_Rung[N]], Explored]:
        """For each output the rung that is chosen, and the networks before they were pruned."""
        rungs: list[_Rung[N]] = []

        def report_epoch(epoch: int) -> None:
            report((len(rungs) + epoch / self.schedule.epochs) / (len(self.ladder) + 1))

        first, order = self.new_networks(self.ladder[0]), self.population.generator()
        explored = explore(first, self.rows, self.schedule, order, report_epoch)
        for width in self.ladder:
            rungs.append(self._rung(*explored.tuned(self.new_networks(width), report_epoch), width))
            if len(rungs) > 1 and not (rungs[-1].loss < rungs[-2].loss).any():
                break
        best = np.argmin([rung.loss for rung in rungs], axis=0)
        return [rungs[at] for at in best], explored

    def _members(self, rung: _Rung[N], output: int) -> Tensor:
        """The restarts of an output with the chosen penalty."""
        members = torch.arange(len(rung.history.n_iter), device=self.rows.x.device).view(self.shape)
        return members[rung.place[output], :, output]

    def _average(self, chosen: Sequence[_Rung[N]], explored: Explored) -> N:
        """One network for each output: the mean of its restarts, or the best where there is no mean."""
        restarts = [rung.network.select(self._members(rung, at)) for at, rung in enumerate(chosen)]
        if not has_mean(restarts[0]):
            return self._best([each.double().cpu() for each in restarts])
        if self.plan.prune:
            restarts = self._prune_alike(chosen, explored)
        means = [mean_network(each.double().cpu(), torch.arange(self.shape[1])[None]) for each in restarts]
        return join(means)

    def _prune_alike(self, chosen: Sequence[_Rung[N]], explored: Explored) -> list[N]:
        """The restarts of each output, pruned to the same concepts: the most relevant in the mean.

        Each was pruned by itself when it was chosen, since this uses all rows.
        """
        every = self.x.shape[1]
        restarts = {
            at: rung.network.select(self._members(rung, at))
            for at, rung in enumerate(chosen)
            if rung.width == every
        }
        for width in {rung.width for rung in chosen} - {every}:
            outputs = [at for at, rung in enumerate(chosen) if rung.width == width]
            groups = torch.stack([self._members(chosen[at], at) for at in outputs], dim=1)
            index = groups.flatten()  # by restart, output

            def prune(network: N, n_outputs: int = len(outputs), width: int = width) -> None:
                scores = network.relevance(self.rows.x[:1]).view(-1, n_outputs, network.n_concepts)
                scores = scores.mean(dim=0, keepdim=True).expand_as(scores).flatten(0, 1)
                network.narrow(most_relevant(scores, width, cast(float, network.tau)))

            network, _ = explored.select(index).tuned(self.new_networks(width).select(index), prune=prune)
            for place, at in enumerate(outputs):
                members = torch.arange(place, len(index), len(outputs), device=index.device)
                restarts[at] = network.select(members)
        return [restarts[at] for at in range(len(chosen))]

    def _rung(self, network: N, history: History, width: int) -> _Rung[N]:
        logits = self._held_out_logits(network)  # (penalties, n, outputs)
        scales = np.stack([self._scales(each) for each in logits])
        losses = np.stack([self._cross_entropy(each) for each in logits * scales[:, None]])
        means = np.tensordot(losses, self.share, axes=(1, 0))  # (penalties, outputs)
        best, outputs = self._best_candidates(losses, means), np.arange(means.shape[1])
        penalty, scale = self.penalties[best, outputs], scales[best, outputs]
        return _Rung(network, history, width, best, penalty, scale, self.share @ losses[best, :, outputs].T)

    def _best_candidates(self, losses: FloatArray, means: FloatArray) -> IndexArray:
        """The candidate of least held-out loss for each output, of losses (candidates, n, n_outputs).

        One that is trained on unlabeled rows has to be better by more than chance (a one-sided test at 95 %).
        """
        best, outputs, plain = means.argmin(axis=0), np.arange(means.shape[1]), self.information == 0
        if plain.all() or not plain.any():
            return np.asarray(best)
        without = np.where(plain, means, np.inf).argmin(axis=0)
        better = losses[without, :, outputs] - losses[best, :, outputs]  # (n_outputs, n)
        mean = better @ self.share
        variance = (
            np.square(better - mean[:, None]) @ self.share / effective_rows(self.weight[self.share > 0])
        )
        return np.asarray(np.where(mean > ONE_SIDED * np.sqrt(variance), best, without))

    def _scales(self, logits: FloatArray) -> FloatArray:
        """Factors that calibrate held-out logits, (n_outputs,); ones where nothing is held out."""
        if not self.held_out.any():
            return np.ones(logits.shape[1])
        return logit_scales(logits, self.outputs, self.share, self.joint)

    def _held_out_logits(self, network: N) -> FloatArray:
        """Logits of each row under the restarts that did not learn from it, (penalties, n, n_outputs)."""
        n_penalties, restarts, n_outputs = self.shape
        held_out = self.held_out if self.held_out.any() else np.tile(self.weight, (restarts, 1))
        members = torch.arange(network.members).view(self.shape)
        logits = np.zeros((n_penalties, len(self.x), n_outputs))
        for restart, weight in enumerate(held_out):
            rows = np.flatnonzero(weight)
            if not len(rows):
                continue
            part = network.select(members[:, restart].flatten().to(self.rows.x.device))
            predicted = logits_on(part, self.x[rows]).double().cpu().numpy()
            logits[:, rows] += weight[rows, None] * predicted.reshape(n_penalties, n_outputs, -1).swapaxes(
                1, 2
            )
        total = held_out.sum(axis=0)
        return np.asarray(logits / np.where(total > 0, total, 1.0)[:, None])

    def _cross_entropy(self, logits: FloatArray) -> FloatArray:
        """Cross-entropy of each row, (n, n_outputs)."""
        return cross_entropy(logits, self.outputs, self.joint)

    def _best(self, restarts: Sequence[N]) -> N:
        """Of each output the restart with the least cross-entropy on all rows; classes share theirs."""
        logits = np.stack(
            [predict_logits(each, self.x) for each in restarts], axis=2
        )  # (n, restarts, outputs)
        share = self.weight / self.weight.sum()
        best = np.argmin([share @ self._cross_entropy(each) for each in logits.swapaxes(0, 1)], axis=0)
        return join([each.select(torch.tensor([at])) for each, at in zip(restarts, best, strict=True)])

    def _calibrate(self, network: N, chosen: Sequence[_Rung[N]]) -> Trained[N]:
        """The network with its logits divided by a temperature, and what is known about it."""
        scales = np.array([rung.scale[at] for at, rung in enumerate(chosen)])
        groups = [rung.network.select(self._members(rung, at)) for at, rung in enumerate(chosen)]
        restarts = tuple(
            join([group.select(torch.tensor([turn])).double().cpu() for group in groups])
            for turn in range(self.shape[1])
        )
        for each in (network, *restarts):
            _scale(each, scales, self.x[:_CHECKED])
        histories = [rung.history.select(self._members(rung, at)) for at, rung in enumerate(chosen)]
        longest = max(len(history.losses) for history in histories)
        curves = [[float(each.loss_at(epoch).mean()) for epoch in range(longest)] for each in histories]
        return Trained(
            network,
            restarts,
            np.array(curves).T,
            np.array([int(history.n_iter.max()) for history in histories]),
            np.array([bool(history.converged.all()) for history in histories]),
            np.array([rung.penalty[at] for at, rung in enumerate(chosen)]),
        )


@torch.no_grad()
def _scale(network: LogicNetwork, scales: FloatArray, x: FloatArray) -> None:
    """Multiply the logits of each member by way of its last layer, where that is what the last layer does.

    The logits of a subclass may depend on it in another way; such a network is left as it is.
    """
    last, by = network.linears[-1], torch.as_tensor(scales).to(network.l1)[:, None, None]
    before, old = predict_logits(network, x), (last.weight.clone(), last.bias.clone())
    last.weight.mul_(by)
    last.bias.mul_(by)
    if not np.allclose(predict_logits(network, x), before * scales, rtol=1e-3, atol=1e-4):
        last.weight.copy_(old[0])
        last.bias.copy_(old[1])


# Logits


@torch.no_grad()
def predict_logits(network: LogicNetwork, x: FloatArray) -> FloatArray:
    """Logits of a network on rows, shape (n, n_outputs), in double precision on the CPU."""
    parts = [logits_on(network, x[start : start + _BLOCK]).T.cpu() for start in range(0, len(x), _BLOCK)]
    logits = torch.cat(parts).double().numpy() if parts else np.zeros((0, network.members))
    return _by_neurons(network, x, logits) if isinstance(network, PsiNetwork) else logits


@torch.no_grad()
def logits_on(network: LogicNetwork, x: FloatArray | Tensor) -> Tensor:
    """Logits of a network on rows, shape (members, n), where the network is, a block of rows at a time."""
    rows = torch.as_tensor(x).to(network.l1)
    numbers = _ON_CPU if rows.device.type == "cpu" else _ON_GPU
    size = min(max(numbers // network.activations(1), _SMALL_BLOCK), _BLOCK)
    if len(rows) <= size:
        return torch.as_tensor(network(rows))
    return torch.cat([network(block) for block in torch.split(rows, size)], dim=1)


def _by_neurons(network: PsiNetwork, x: FloatArray, logits: FloatArray) -> FloatArray:
    """Logits whose signs are what the neurons, composed as formulas, decide, whatever rounding does."""
    inputs = x > THRESHOLD
    fired = [forward(check_layers(network.neurons(i)), inputs)[:, 0] for i in range(network.members)]
    size = np.maximum(np.abs(logits), np.finfo(float).tiny)
    return np.where(np.column_stack(fired), size, -size)
