"""Fit a classifier to scores in Parquet files that do not fit in memory.

    read      one pass over the targets counts labels, one over all columns checks values and draws a sample
    explore   networks are trained and pruned on the sample, and the best is chosen, as in an ordinary fit
    tune      that network learns from all rows but those that the sample holds out, in mini-batches of the
              columns that it still reads (:func:`fine_tune`); by the rows held out it is
              calibrated, and where its loss on them grew, it keeps the weights that it had
    explain   rules of every length are searched on the sample and scored on the rows held out, and a length
              is chosen, as in an ordinary fit (:func:`~logiclens.estimators.fit.search_front`)

Memory holds the sample, at most 33 million values; two blocks of mini-batches, each of at most 256 MiB or
one row group of the columns that the network still reads; and some rows of all columns, at most 16 million
values or a thousand rows. It does not grow with the files.

Under ``torchrun`` every process runs the same program. The first one alone explores, searches for rules and
writes files; all of them read their part of the rows and train. The loss of a batch is the sum over its
rows in all processes, divided by their number and multiplied by that of all rows, so that the penalty keeps
its strength. Each process has the loss and the gradient of its own rows; their sums, in double precision,
are the step that all of them take. So two processes take the steps of one, but for rounding. The learning
rate starts at a share of the plan's and falls linearly to 0. Where a process group is there already it is
used; otherwise one is made that stays until the program ends: once given up, it could not be made again.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray
from sklearn.base import clone
from torch import Tensor, nn

from logiclens.errors import InputError, LogicLensError, count, listing, shown
from logiclens.estimators._parameters import progress_line, seed_of
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.fit import Fitted, Recipe, search_front
from logiclens.estimators.folds import FEW_ROWS, RowSplit
from logiclens.estimators.inputs_and_targets import Inputs, Problem, Targets, class_weights
from logiclens.estimators.networks import (
    Population,
    Trained,
    calibrate,
    constant_loss,
    criterion_for,
    cross_entropy,
    predict_logits,
    resolve_device,
    train_networks,
)
from logiclens.logic.arrays import FloatArray, IndexArray
from logiclens.logic.data import check_count
from logiclens.nn._descent import AutogradDescent
from logiclens.nn.criteria import Criterion, SoftmaxLoss
from logiclens.nn.population import LogicNetwork, join, threads_for
from logiclens.scale._checkpoint import Checkpoint, StoredPart
from logiclens.scale._parquet_source import (
    ParquetSource,
    TargetColumns,
    check_targets,
    count_targets,
    target_columns,
)
from logiclens.scale._sampling import (
    MiniBatch,
    MiniBatches,
    Sample,
    draw,
    merge_samples,
    restore_sample,
    store_sample,
)

HELD_OUT = 0.25
"""Share of the sample that is held out where the estimator's ``validation_fraction`` is 0."""
_SAMPLE_VALUES = 1 << 25  # values of a sample, at most

E_ = TypeVar("E_", bound=LENClassifier)
RATE = 0.1
"""Learning rate at the start, as a share of the plan's: the network was trained on the sample already."""
_NUMBERS = 1 << 21  # in the largest tensor of a step, which stays near the processor
_FEWEST = 1 << 8  # rows of a step
_HISTORY = ("loss_curve", "n_iter", "converged", "penalty")
_GONE = ("width", "loss")  # of earlier releases

N = TypeVar("N", bound=LogicNetwork)
_PATIENCE = timedelta(days=2)  # the first process explores while the others wait

T = TypeVar("T")


def fit_streaming(  # noqa: PLR0913 - settings of a run
    estimator: E_,
    source: Any,
    target: Any,
    *,
    columns: Sequence[str] | None = None,
    epochs: int = 1,
    batch_rows: int = 1 << 16,
    sample: int = 1 << 16,
    checkpoint: str | os.PathLike[str] | None = None,
    every: int = 100,
) -> E_:
    """Fit a classifier to scores in [0, 1] that lie in Parquet files of any size.

    Under ``torchrun`` all processes call it alike, each reads its part of the rows, and all return the same
    rules; only the first writes files. Losses and formulas are those of one process, but for rounding.

    Parameters
    ----------
    estimator : MuClassifier, EntropyClassifier, PsiClassifier or ReluClassifier
        Its settings are for the sample; fine-tuning starts with a tenth of its learning rate.
    source : str, path, or sequence of them
        Parquet files, folders of them, or patterns such as ``"scores/*.parquet"``.
    target : str, or sequence of str
        The column that holds the labels, or the columns of several outputs in [0, 1].
    columns : sequence of str, optional
        The concepts: columns of Booleans or of scores in [0, 1]; all but the targets when missing.
    epochs : int, default 1
        Passes over all rows.
    batch_rows : int, default 65536
        About as many rows are in a mini-batch, of all processes together.
    sample : int, default 65536
        Most rows to explore, and to search for rules on; fewer where there are more than 512 columns.
    checkpoint : str or path, optional
        A folder for what is not to be done twice. The same call on the same files goes on from there when
        it was killed, and ends as if it had not been.
    every : int, default 100
        Mini-batches between two checkpoints.

    Returns
    -------
    estimator
        The same, fitted. Its ``front_`` is rated on rows of the sample that neither trained nor searched. The
        loss on each mini-batch follows that of the exploration in ``loss_curve_``.

    Raises
    ------
    FileError
        There are no such files, one is not Parquet, was changed meanwhile, or a checkpoint is damaged or in
        use by another process.
    UnknownColumnError
        A column is missing.
    InputError
        A value is missing, outside [0, 1] or no number; there are not enough labels; the checkpoint is of
        another run.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow as pa
    >>> import pyarrow.parquet
    >>> from logiclens.estimators import MuClassifier
    >>> x = np.random.default_rng(0).random((2000, 3)).astype(np.float32)
    >>> y = np.where((x[:, 0] > 0.5) & (x[:, 2] > 0.5), "both", "other")
    >>> table = pa.table({"red": x[:, 0], "round": x[:, 1], "sweet": x[:, 2], "y": y})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pa.parquet.write_table(table, f"{folder}/scores.parquet")
    ...     model = fit_streaming(MuClassifier(random_state=0), folder, "y")
    >>> print(model.explain()["both"])
    forall x: both(x) <-> red(x) & sweet(x)
    """
    check_estimator(estimator)
    for name, value in (("epochs", epochs), ("batch_rows", batch_rows), ("sample", sample), ("every", every)):
        if check_count(value, name) < 1:
            raise InputError(f"{name} must be at least 1. Got {shown(value)}.")
    files = ParquetSource.of(source)
    targets = check_targets(target, files)
    concepts = concepts_of(columns, targets, files)
    with process_group(estimator.device) as processes, ExitStack() as stack:
        run = run_of(estimator, files, targets, concepts)
        run |= {"epochs": int(epochs), "batch_rows": int(batch_rows), "sample": int(sample)}
        check_same(processes.each(lambda: run))
        store = None
        if checkpoint is not None:
            store = processes.once(lambda: _checkpoint(checkpoint, run, files, stack))
        streaming = _StreamingRun(estimator, files, targets, concepts, int(sample), processes, store)
        streaming.read()
        explored = processes.once(streaming.explore)
        tuned, curve = streaming.fine_tune(explored, int(batch_rows), int(epochs), int(every))
        fitted = processes.once(lambda: streaming.search_rules(explored, tuned, curve))
        estimator.adopt(fitted, streaming.inputs, explored.targets)
        estimator.prior_reports_ = ()
    return estimator


@dataclass(frozen=True, eq=False)
class _Exploration:
    """The part of the exploration that all processes need.

    Attributes
    ----------
    trained : Trained
        The network, on the CPU.
    targets : Targets
        Labels and problem, without rows.
    held_out : ndarray of int, ascending
        Positions of the rows held out.
    held_out_truth : ndarray
        Their targets, as they were read.
    """

    trained: Trained[Any]
    targets: Targets
    held_out: NDArray[np.int64]
    held_out_truth: NDArray[Any]


@dataclass(frozen=True, eq=False)
class _SampleRows:
    """The sample, as rows to learn from; the fold has those that are searched, and those held out."""

    x: FloatArray
    targets: Targets
    fold: RowSplit


class _StreamingRun:
    """One run, step by step; the sample is None in all processes but the first."""

    columns: TargetColumns
    seed: int
    learner: LENClassifier
    sample: Sample | None = None

    def __init__(
        self,
        estimator: LENClassifier,
        files: ParquetSource,
        names: tuple[str, ...],
        concepts: tuple[str, ...],
        n_drawn: int,
        processes: Processes,
        checkpoint: Checkpoint | None,
    ) -> None:
        self.estimator = estimator
        self.files = files
        self.names = names
        self.concepts = concepts
        self.n_drawn = min(n_drawn, max(1, _SAMPLE_VALUES // len(concepts)))
        self.processes = processes
        self.checkpoint = checkpoint

    @property
    def inputs(self) -> Inputs:
        """The concepts, without rows."""
        return Inputs(np.zeros((0, len(self.concepts))), self.concepts, True, self.concepts)

    def recipe(self, targets: Targets) -> Recipe:
        """The recipe of the fit."""
        return self.learner.recipe(self.inputs, targets)

    def line(self, title: str) -> Callable[[float], None]:
        """Draws how far a step is, on the terminal of the first process, where that is wanted."""
        line = progress_line(title) if self.estimator.verbose and self.processes.is_first else None
        return line or (lambda _: None)

    def save(self, name: str, stored: StoredPart) -> None:
        """Write a file of the checkpoint, where there is one."""
        if self.checkpoint is not None:
            self.checkpoint.write(name, stored)

    # Read

    def read(self) -> None:
        """Count the targets, check all values, draw the sample; or take them from the checkpoint."""
        known = self.processes.once(self._read_checkpoint)
        if known is None:
            groups = self.files.groups[self.processes.rank :: self.processes.size]
            self.seed = self.processes.once(lambda: seed_of(self.estimator.random_state))
            counted = self.processes.each(lambda: count_targets(self.files, groups, self.names))
            self.columns = target_columns(counted, self.names, self.files.n_rows)
            parts = self.processes.each(
                lambda: draw(
                    self.files,
                    groups,
                    self.concepts,
                    self.columns,
                    self.n_drawn,
                    self.seed,
                    self.line("Reading"),
                )
            )
            if self.processes.is_first:
                self.sample = merge_samples(parts)
                self.save("sample", store_sample(self.sample, self.columns, self.seed))
        else:
            self.columns, self.seed = known
        self.learner = clone(self.estimator).set_params(random_state=self.seed, encoder=None)

    def _read_checkpoint(self) -> tuple[TargetColumns, int] | None:
        stored = None if self.checkpoint is None else self.checkpoint.read("sample")
        if stored is None:
            return None
        self.sample, columns, seed = restore_sample(stored, self.names)
        return columns, seed

    # Explore

    @cached_property
    def rows(self) -> _SampleRows:
        """The sample, for the first process."""
        sample, columns = self.sample, self.columns
        assert sample is not None
        named = dict(zip(self.concepts, sample.x.T, strict=True))
        targets, weight = self.learner.read_data(named, columns.as_y(sample.truth), sample.weight)
        if targets.labels != columns.labels:
            raise InputError(
                f"The sample lacks some of the {count(len(columns.labels), 'label')}. Pass a larger sample=."
            )
        class_weights(self.estimator.class_weight, targets, weight)  # refused before there is work
        x = sample.x.astype(np.float64)
        share = self.estimator.validation_fraction or HELD_OUT
        return _SampleRows(x, targets, targets.hold_out(x, weight, share, self.seed))

    def explore(self) -> _Exploration:
        """The network that exploring the sample finds."""
        sample, rows = self.sample, self.rows
        assert sample is not None
        recipe = self.recipe(rows.targets)
        stored = None if self.checkpoint is None else self.checkpoint.read("network")
        if stored is None:
            fold = rows.fold
            if not self.estimator.validation_fraction:
                fold = replace(fold, check=np.zeros_like(fold.check))
            population = replace(recipe.population, device=str(self.processes.device))
            line = self.line("Exploring")
            trained = train_networks(population, recipe.plan, rows.x, rows.targets, [fold], line)[0]
            self.save("network", store_network(trained))
        else:
            trained = restore_network(stored, recipe.population)
        held_out = rows.fold.check > 0
        return _Exploration(
            trained,
            replace(rows.targets, outputs=rows.targets.outputs[:0]),
            sample.position[held_out],
            sample.truth[..., held_out],
        )

    # Tune

    def fine_tune(
        self, explored: _Exploration, batch_rows: int, epochs: int, every: int
    ) -> tuple[LogicNetwork, FloatArray]:
        """The network once it has seen all rows, and its loss on each mini-batch."""
        plan = self.recipe(explored.targets).plan
        columns = kept_columns(explored.trained.network)
        network = on_columns(explored.trained.network, columns).float().to(self.processes.device)
        names = tuple(self.concepts[j] for j in columns)
        rank, size = self.processes.rank, self.processes.size
        stream = MiniBatches(
            self.files, names, self.columns, batch_rows, self.seed, explored.held_out, rank, size
        )
        problem = explored.targets.problem
        loss = StreamLoss.of(self.columns, problem, explored.held_out_truth, plan.criterion)
        curve = fine_tune(
            network,
            stream,
            loss,
            self.processes,
            rate=RATE * plan.learning_rate,
            epochs=epochs,
            checkpoint=self.checkpoint,
            every=every,
            progress=self.line("Streaming"),
        )
        network = network.double().cpu()
        network.widen(torch.as_tensor(columns), len(self.concepts))
        return network, curve

    # Explain

    def search_rules(self, explored: _Exploration, tuned: LogicNetwork, curve: FloatArray) -> Fitted:
        """The better of both networks, and its rules, from the sample."""
        rows = self.rows
        fold, recipe = rows.fold, self.recipe(rows.targets)
        network = self._better(explored.trained.network, tuned)
        weight = fold.train + fold.check
        folds = [fold]
        if (weight > 0).sum() >= FEW_ROWS:
            folds.append(RowSplit(fold.train, np.zeros_like(weight)))
        front = search_front(recipe, rows.x, rows.targets, folds, [network] * len(folds))
        curve = np.concatenate([explored.trained.loss_curve, curve])
        trained = replace(explored.trained, network=network, loss_curve=curve)
        return Fitted(trained, front)

    def _better(self, before: LogicNetwork, tuned: LogicNetwork) -> LogicNetwork:
        """For each output the network of less loss on the rows held out."""
        rows = self.rows
        weight = rows.fold.check if rows.fold.check.any() else rows.fold.train  # all where none are held out
        x, outputs, weight = rows.x[weight > 0], rows.targets.outputs[weight > 0], weight[weight > 0]
        joint = rows.targets.problem is Problem.SINGLE_LABEL
        calibrate(tuned, x, outputs, weight, joint)
        losses = [
            weight @ cross_entropy(predict_logits(network, x), outputs, joint) / weight.sum()
            for network in (tuned, before)
        ]
        best = np.argmin(losses, axis=0)
        members = [(tuned, before)[which].select(torch.tensor([output])) for output, which in enumerate(best)]
        return join(members)


def _checkpoint(folder: Any, run: dict[str, Any], files: ParquetSource, stack: ExitStack) -> Checkpoint:
    """Open a checkpoint, for this process alone."""
    made = Checkpoint.at(folder, run | {"last change of the files": last_change(files)})
    stack.enter_context(made.lock())
    made.clear_drafts()
    return made


# Settings of a run, by which a checkpoint knows its own


_NOT_PART_OF_A_RUN = ("verbose", "device", "random_state")


def check_estimator(estimator: Any) -> None:
    """Refuse what is no classifier of ours, or is to encode raw columns."""
    if not isinstance(estimator, LENClassifier):
        raise InputError(
            "fit_streaming fits MuClassifier, EntropyClassifier, PsiClassifier or ReluClassifier. "
            f"Got {shown(estimator)}."
        )
    estimator.check_settings()
    if estimator.row_by_row:
        raise InputError(
            f"{type(estimator).__name__} looks at all rows at once, as in the paper. Use a classifier "
            "without the reference settings."
        )
    if estimator.encoder is not None and not isinstance(estimator.encoder, str):
        raise InputError(
            "fit_streaming reads scores in [0, 1] as they are. Use encoder=None, or logiclens.scale.fit, "
            "which makes concepts of raw columns."
        )


def concepts_of(
    columns: Sequence[str] | None, targets: tuple[str, ...], files: ParquetSource
) -> tuple[str, ...]:
    """The columns that are concepts: those named, or all but the targets."""
    if columns is None:
        names = tuple(name for name in files.types if name not in targets)
    elif not isinstance(columns, list | tuple) or not all(isinstance(name, str) for name in columns):
        raise InputError(f"columns must be a list of names. Got {shown(columns)}.")
    else:
        names = tuple(columns)
    if not names:
        raise InputError("There is no column besides the targets. Pass files that have concepts.")
    if len(set(names)) < len(names) or set(names) & set(targets):
        odd = next(name for name in names if names.count(name) > 1 or name in targets)
        raise InputError(f"columns names {odd!r} twice, or the target. Name each concept once.")
    files.check_columns(names)
    return names


def run_of(
    estimator: LENClassifier, files: ParquetSource, targets: tuple[str, ...], concepts: tuple[str, ...]
) -> dict[str, Any]:
    """The identity of a run: a text for each setting and for the data, for messages."""
    settings = {
        name: repr(value)
        for name, value in estimator.get_params(deep=False).items()
        if name not in _NOT_PART_OF_A_RUN
    }
    state = estimator.random_state
    seed = repr(int(state)) if isinstance(state, int | np.integer) else "drawn"
    n_files, n_rows = count(len(files.paths), "file"), count(files.n_rows, "row")
    return {
        "files": f"{n_files} of {n_rows}, {_digest(files.extent)}",
        "target": listing(targets),
        "columns": f"{count(len(concepts), 'column')}, {_digest(concepts)}",
        "estimator": type(estimator).__name__,
        **settings,
        "random_state": seed,
    }


def last_change(files: ParquetSource) -> str:
    """The last change of the files, for a checkpoint: other data may look the same from outside.

    It is not part of :func:`run_of`, as copies of the files on several machines may be of any age.
    """
    latest = np.datetime64(max(files.modified), "ns").astype("datetime64[s]")
    return f"{latest} UTC, {_digest(files.modified)}"


def _digest(value: object) -> str:
    return sha256(repr(value).encode("utf-8", "backslashreplace")).hexdigest()[:12]


def check_same(runs: Sequence[Mapping[str, Any]]) -> None:
    """Refuse processes that were started with different files or settings."""
    for run in runs:
        for key, value in runs[0].items():
            if run.get(key) != value:
                raise InputError(
                    f"The processes disagree on {key}: {value} in one, {run.get(key)} in another. "
                    "Give all of them the same files and settings."
                )


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
            That of a single output; the cross-entropy of exclusive classes is that of a softmax.
        """
        share = targets.shares(held_out, problem)
        criterion = criterion_for(criterion, len(share), problem is Problem.SINGLE_LABEL)
        entropy = constant_loss(share, isinstance(criterion, SoftmaxLoss))
        return cls(targets, problem, criterion, 1.0 / (entropy * (targets.n_rows - held_out.shape[-1])))

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


class _BatchDescent:
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

    def _tensors(self) -> dict[str, Tensor]:
        """The weights and their moments, by name."""
        moments = self.adam.moments
        parts = {"weight": self.adam.parameters, "first": moments.first, "second": moments.second}
        return {f"{name}.{at}": tensor for name, each in parts.items() for at, tensor in enumerate(each)}

    def state(self, curve: list[Tensor]) -> StoredPart:
        """All that the next step depends on."""
        tensors = {name: tensor.detach().cpu().numpy() for name, tensor in self._tensors().items()}
        steps = self.adam.moments.steps
        return StoredPart({"steps": steps}, {**tensors, "curve": torch.stack(curve).numpy()})

    @torch.no_grad()
    def restore(self, stored: StoredPart) -> list[Tensor]:
        """Go on from a state; the loss curve up to there."""
        for name, tensor in self._tensors().items():
            tensor.copy_(torch.tensor(stored.tensors[name]))
        self.adam.moments.steps = int(stored.entries["steps"])
        return list(torch.tensor(stored.tensors["curve"]))


def fine_tune(  # noqa: PLR0913 - settings of a training
    network: LogicNetwork,
    stream: MiniBatches,
    loss: StreamLoss,
    processes: Processes,
    *,
    rate: float,
    epochs: int = 1,
    checkpoint: Checkpoint | None = None,
    every: int = 100,
    progress: Callable[[float], None] = lambda _: None,
) -> FloatArray:
    """Train a network on a stream, in place.

    Parameters
    ----------
    network : LogicNetwork
        Reads the columns of the stream, on the device of the process; one member for each output.
    stream : MiniBatches
    loss : StreamLoss
    processes : Processes
    rate : float
        Learning rate of the first step.
    epochs : int, default 1
        Passes over the rows.
    checkpoint : Checkpoint, optional
        Where the state is kept, under the name "training".
    every : int, default 100
        Batches between two times that it is.
    progress : callable, optional
        Called with the share that is done.

    Returns
    -------
    ndarray of shape (n_batches, members)
        Loss on each batch, before the step, the penalty included; the same in all processes.
    """
    descent = _BatchDescent(network, loss, processes)
    per_epoch = [stream.n_batches(epoch) for epoch in range(epochs)]
    total = sum(per_epoch)
    stored = None if checkpoint is None else processes.once(lambda: checkpoint.read("training"))
    curve = [] if stored is None else descent.restore(stored)
    with threads_for(descent.rows * network.members):
        for epoch in range(epochs):
            end = sum(per_epoch[: epoch + 1])
            if len(curve) >= end:
                continue
            for batch in stream.batches(epoch, len(curve) - (end - per_epoch[epoch])):
                curve.append(descent.step(batch, stream.n_rows, rate * (1.0 - len(curve) / total)))
                progress(len(curve) / total)
                due = len(curve) % every == 0 or len(curve) == end
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
        {name: torch.tensor(array) for name, array in tensors.items() if name not in (*_HISTORY, *_GONE)}
    )
    for name, value in stored.entries["network"].items():
        setattr(network, name, value)
    return Trained(network, (network,), **{name: tensors[name] for name in _HISTORY})


@dataclass(frozen=True, eq=False)
class Processes:
    """The processes that work together.

    Attributes
    ----------
    rank : int
        Which one this is; the first, 0, does what is done once.
    size : int
    device : torch.device
        Where this one computes.
    group : object, optional
        The process group through which they exchange values; None for a single one.

    Examples
    --------
    >>> alone = Processes(0, 1, torch.device("cpu"))
    >>> alone.once(lambda: "rules"), alone.each(lambda: 3), alone.total(torch.ones(1)).tolist()
    ('rules', [3], [1.0])
    """

    rank: int
    size: int
    device: torch.device
    group: Any = None

    @property
    def is_first(self) -> bool:
        """True of the process that does what is done once."""
        return self.rank == 0

    def once(self, make: Callable[[], T]) -> T:
        """The value that the first process makes, in all of them; an error of ours is raised in all, too."""
        if self.group is None:
            return make()
        results: list[Any] = [None]
        if self.is_first:
            results = [_attempt(make)]
        dist.broadcast_object_list(results, src=0, group=self.group)
        made: T = _value(results[0])
        return made

    def each(self, make: Callable[[], T]) -> list[T]:
        """The values that the processes make, in all of them, by rank; an error in one is raised in all."""
        if self.group is None:
            return [make()]
        results: list[Any] = [None] * self.size
        dist.all_gather_object(results, _attempt(make), group=self.group)
        return [_value(each) for each in results]

    def total(self, values: torch.Tensor) -> torch.Tensor:
        """The sum over all processes, on the CPU and in double precision."""
        summed = values.detach().double().cpu()
        if self.group is not None:
            summed = summed.clone()
            dist.all_reduce(summed, group=self.group)
        return summed


@contextmanager
def process_group(device: str) -> Iterator[Processes]:
    """The processes of this run: those that ``torchrun`` started, or of a group that is there; else one.

    Parameters
    ----------
    device : str
        "auto", "cpu", "cuda", ... On CUDA each process of a machine takes a device of its own.
    """
    found = _own_device(resolve_device(device))
    there = dist.is_available() and dist.is_initialized()
    if not there and int(os.environ.get("WORLD_SIZE", "1")) <= 1:
        yield Processes(0, 1, found)
        return
    if not there:
        dist.init_process_group("gloo")
        atexit.register(_leave)
    if dist.get_world_size() == 1:
        yield Processes(0, 1, found)
        return
    group = dist.new_group(backend="gloo", timeout=_PATIENCE)
    try:
        yield Processes(dist.get_rank(), dist.get_world_size(), found, group)
    finally:
        dist.destroy_process_group(group)


def _leave() -> None:
    if dist.is_initialized():
        dist.destroy_process_group()


def _own_device(device: torch.device) -> torch.device:
    if device.type != "cuda" or device.index is not None:
        return device
    own = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count())
    torch.cuda.set_device(own)
    return own


def _attempt(make: Callable[[], T]) -> tuple[T | None, LogicLensError | None]:
    """A value for the other processes, or why it could not be made."""
    try:
        return make(), None
    except LogicLensError as error:
        return None, error


def _value(attempt: tuple[Any, LogicLensError | None]) -> Any:
    value, error = attempt
    if error is not None:
        raise error
    return value
