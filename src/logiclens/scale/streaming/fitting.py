"""Fit a classifier to scores in Parquet files that do not fit in memory.

1. One pass over the targets counts labels; one over all columns checks values and draws a sample.
2. On the sample networks are explored and pruned, as by an ordinary fit.
3. The candidates are fine-tuned on all rows, in mini-batches of the columns that they still read
   (:mod:`~logiclens.scale.streaming.training`). The rows that the sample held out are held out of that, too;
   a candidate whose loss on them grew clearly keeps its weights.
4. Candidates settle and formulas are found and chosen on the sample.
5. One more pass counts on all rows how good the rules are: support, rates, priorities, the default.

Memory holds the sample, at most 33 million values; two blocks of mini-batches, each of at most 256 MiB or
one row group of the columns that networks still read; and some rows of all columns, at most 16 million values
or a thousand rows. It does not grow with the files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import clone

from logiclens.errors import InputError, count, shown
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.candidates import Trained
from logiclens.estimators.counting import Fold
from logiclens.estimators.explaining import seen_tuples
from logiclens.estimators.fitting import train_folds
from logiclens.estimators.inputs import Inputs
from logiclens.estimators.progress import progress_line
from logiclens.estimators.reducing import CELLS
from logiclens.estimators.runs import Fitted, Recipe, fit_folds
from logiclens.estimators.settings import seed_of
from logiclens.estimators.targets import Problem, Targets
from logiclens.logic import TruthTable
from logiclens.logic.arrays import FloatArray
from logiclens.logic.data import as_float, check_count
from logiclens.nn.population import LogicNetwork
from logiclens.scale.streaming import candidates
from logiclens.scale.streaming.aims import Aim, aim_of, check_targets, count_targets
from logiclens.scale.streaming.batches import Batch, Stream, divided
from logiclens.scale.streaming.checkpoint import Checkpoint, Stored
from logiclens.scale.streaming.judging import count_rules, judged
from logiclens.scale.streaming.processes import Crew, crew_for
from logiclens.scale.streaming.sampling import (
    Sample,
    draw,
    merged,
    sample_from_stored,
    sample_to_stored,
)
from logiclens.scale.streaming.settings import (
    check_estimator,
    check_same,
    concepts_of,
    last_change,
    run_of,
)
from logiclens.scale.streaming.source import ParquetSource
from logiclens.scale.streaming.training import (
    Course,
    Weighing,
    clearly_worse,
    narrowed,
    read_columns,
    tune,
)

E_ = TypeVar("E_", bound=LENClassifier)


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
        Its settings are for exploring the sample; fine-tuning starts with a tenth of its learning rate.
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
        Most rows to explore; fewer where there are more than 512 columns.
    checkpoint : str or path, optional
        A folder for what is not to be done twice. The same call on the same files goes on from there when
        it was killed, and ends as if it had not been.
    every : int, default 100
        Mini-batches between two checkpoints.

    Returns
    -------
    estimator
        The same, fitted. The loss on each mini-batch follows that of the exploration in ``loss_curve_``.

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
    with crew_for(estimator.device) as crew, ExitStack() as held:
        run = run_of(estimator, files, targets, concepts)
        run |= {"epochs": int(epochs), "batch_rows": int(batch_rows), "sample": int(sample)}
        check_same(crew.each(lambda: run))
        store = None if checkpoint is None else crew.once(lambda: _checkpoint(checkpoint, run, files, held))
        work = _Work(estimator, files, targets, concepts, int(sample), crew, store)
        work.look()
        found = work.candidates()
        rows = Stream(
            files,
            tuple(concepts[j] for j in read_columns(found.network)),
            work.aim,
            int(batch_rows),
            work.seed,
            found.held_out,
            crew.rank,
            crew.size,
        )
        course = Course(work.recipe.plan, int(epochs), store, int(every), work.line("Streaming"))
        work.finish(found, rows, course)
    return estimator


@dataclass(frozen=True, eq=False)
class _Found:
    """What all processes need of the exploration.

    Attributes
    ----------
    network : LogicNetwork
        The candidates.
    problem : Problem
    held_out : ndarray of int, ascending
        Positions of the rows held out.
    held_out_targets : ndarray
        Their targets, as the aim reads them.
    """

    network: LogicNetwork
    problem: Problem
    held_out: NDArray[np.int64]
    held_out_targets: NDArray[Any]


class _Work:
    """One run, step by step; what only the first process has is None in the others."""

    aim: Aim
    seed: int
    learner: LENClassifier
    sample: Sample | None = None
    trained: Trained[Any] | None = None
    targets: Targets | None = None
    fold: Fold | None = None

    def __init__(
        self,
        estimator: LENClassifier,
        files: ParquetSource,
        names: tuple[str, ...],
        concepts: tuple[str, ...],
        n_drawn: int,
        crew: Crew,
        checkpoint: Checkpoint | None,
    ) -> None:
        self.estimator = estimator
        self.files = files
        self.names = names
        self.concepts = concepts
        self.n_drawn = min(n_drawn, max(1, CELLS // len(concepts)))
        self.crew = crew
        self.checkpoint = checkpoint
        self.groups = divided(files.groups, crew.rank, crew.size)

    @cached_property
    def recipe(self) -> Recipe:
        """How to fit."""
        return self.learner.recipe(self.inputs(np.zeros((0, len(self.concepts)))))

    def inputs(self, x: FloatArray) -> Inputs:
        """Rows of concepts."""
        return Inputs(x, self.concepts, True, self.concepts)

    def line(self, title: str) -> Callable[[float], None]:
        """Draws how far a step is, on the terminal of the first process, where that is wanted."""
        line = progress_line(title) if self.estimator.verbose and self.crew.is_first else None
        return line or (lambda _: None)

    def rows_told(self, title: str) -> Callable[[int], None]:
        """The same for a pass over the files, told numbers of rows."""
        line, total, done = self.line(title), sum(group.n_rows for group in self.groups), 0

        def told(n_rows: int) -> None:
            nonlocal done
            done += n_rows
            line(done / total)

        return told

    # Looking at all rows

    def look(self) -> None:
        """Count the targets, check all values, draw the sample: read from the checkpoint if it is there."""
        known = self.crew.once(self._looked_before)
        if known is None:
            self.seed = self.crew.once(lambda: seed_of(self.estimator.random_state))
            counted = self.crew.each(lambda: count_targets(self.files, self.groups, self.names))
            self.aim = aim_of(counted, self.names, self.files.n_rows)
            told = self.rows_told("Reading")
            parts = self.crew.each(
                lambda: draw(self.files, self.groups, self.concepts, self.aim, self.n_drawn, self.seed, told)
            )
            if self.crew.is_first:
                self.sample = merged(parts)
                self._keep("sample", sample_to_stored(self.sample, self.aim, self.seed))
        else:
            self.aim, self.seed = known
        self.learner = clone(self.estimator).set_params(random_state=self.seed, encoder=None)

    def _looked_before(self) -> tuple[Aim, int] | None:
        stored = None if self.checkpoint is None else self.checkpoint.read("sample")
        if stored is None:
            return None
        self.sample, aim, seed = sample_from_stored(stored, self.names)
        return aim, seed

    def _keep(self, name: str, stored: Stored) -> None:
        if self.checkpoint is not None:
            self.checkpoint.write(name, stored)

    # Exploring the sample

    def candidates(self) -> _Found:
        """The networks that exploring the sample finds, in all processes."""
        return self.crew.once(self._explored)

    def _explored(self) -> _Found:
        sample, aim = self.sample, self.aim
        assert sample is not None  # this is the first process
        if self.recipe.train is not train_folds:
            raise InputError(
                f"{type(self.estimator).__name__} trains on all rows at once, as in the paper. "
                "Use a classifier without the reference settings."
            )
        rows = dict(zip(self.concepts, sample.x.T, strict=True))
        targets, weight = self.learner.read_data(rows, aim.as_y(sample.read), sample.weight)
        if targets.labels != aim.labels:
            raise InputError(
                f"The sample lacks some of the {count(len(aim.labels), 'label')}. Pass a larger sample=."
            )
        x = sample.x.astype(np.float64)
        self.targets, self.fold = targets, self.learner.hold_out(x, targets, weight)
        stored = None if self.checkpoint is None else self.checkpoint.read("candidates")
        if stored is None:
            of, plan = replace(self.recipe.population, device=str(self.crew.device)), self.recipe.plan
            line = self.line("Exploring")
            self.trained = train_folds(of, plan, x, targets.outputs, [self.fold], line)[0]
            self._keep("candidates", candidates.to_stored(self.trained))
        else:
            self.trained = candidates.from_stored(stored, self.recipe.population, self.crew.device)
        held_out = self.fold.check > 0
        return _Found(
            self.trained.network.cpu(), targets.problem, sample.position[held_out], sample.read[..., held_out]
        )

    # All rows

    def finish(self, found: _Found, stream: Stream, course: Course) -> None:
        """Train on all rows, settle, extract and judge: then the estimator is fitted."""
        by_label = self._by_label()
        balance = self.recipe.population.balance
        weighing = Weighing.of(self.aim, found.problem, by_label, found.held_out_targets, balance)
        network = found.network.to(self.crew.device)
        columns = read_columns(network)
        tuned = narrowed(network, columns)
        curve = tune(tuned, stream, weighing, course, self.crew)
        fitted, targets, seen = self.crew.once(lambda: self._extracted(tuned, curve, weighing))
        told = self.rows_told("Counting")
        parts = self.crew.each(
            lambda: count_rules(
                fitted.rules,
                fitted.network,
                self.files,
                self.groups,
                self.aim,
                found.problem,
                by_label,
                told,
            )
        )
        n_rows, total = self.aim.n_rows, float(self.aim.n_rows)
        if not self.aim.multi_label:
            n_rows, total = int(self.aim.counts[by_label > 0].sum()), float(self.aim.counts @ by_label)
        rules = judged(fitted.rules, np.sum(parts, axis=0), n_rows, total)
        inputs = self.inputs(np.zeros((0, len(self.concepts))))
        self.estimator.adopt(replace(fitted, rules=rules), inputs, targets)
        self.estimator.prior_reports_ = ()
        self.estimator.seen_ = seen

    def _extracted(
        self, tuned: LogicNetwork, curve: FloatArray, weighing: Weighing
    ) -> tuple[Fitted, Targets, TruthTable]:
        """Rules of the tuned candidates, from the sample."""
        sample, trained, fold, targets = self.sample, self.trained, self.fold, self.targets
        assert sample is not None
        assert trained is not None
        assert fold is not None
        assert targets is not None
        network = trained.network.to(self.crew.device)
        columns = read_columns(network)
        rows = fold.check > 0 if fold.check.any() else fold.train > 0
        held_out = Batch(sample.x[rows][:, columns].T, sample.read[..., rows], int(rows.sum()))
        before = narrowed(network, columns)
        worse = clearly_worse(tuned, before, held_out, weighing, self.recipe.plan.criterion)
        better = torch.as_tensor(np.flatnonzero(~worse), device=network.l1.device)
        before.put(better, tuned.select(better))
        before.widen(torch.as_tensor(columns, device=network.l1.device), network.n_concepts)
        done = replace(trained, network=before, loss_curve=np.concatenate([trained.loss_curve, curve]))
        recipe = replace(self.recipe, train=lambda *_: [done])
        x = sample.x.astype(np.float64)
        fitted = fit_folds(recipe, x, targets, [fold])[0]
        seen = seen_tuples(x, fold.train + fold.check, fitted.rules)
        return fitted, replace(targets, outputs=targets.outputs[:0]), seen

    def _by_label(self) -> FloatArray:
        """Weight of the rows of each label."""
        weights = self.estimator.class_weight
        if not isinstance(weights, Mapping):
            return np.ones(len(self.aim.labels))
        return np.array([as_float(weights.get(label, 1.0)) for label in self.aim.labels])


def _checkpoint(folder: Any, run: dict[str, Any], files: ParquetSource, held: ExitStack) -> Checkpoint:
    """Open a checkpoint, for this process alone."""
    made = Checkpoint.at(folder, run | {"last change of the files": last_change(files)})
    held.enter_context(made.held())
    made.clear_drafts()
    return made
