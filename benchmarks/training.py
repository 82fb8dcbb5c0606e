"""Training and extraction as one population, against a plain PyTorch loop over folds, classes and members.

``python -m benchmarks training`` compares the two and shows how ours grows with classes and rows. It counts:

- The plain loop is what one writes from the paper: for each fold, class, penalty and restart a small
  ``nn.Sequential`` and ``torch.optim.Adam``, full batches of all training rows, pruned half-way, the best
  weights by the validation loss after each epoch from then on; then each class's formula by the paper's
  aggregation. Two classes are two networks, as in the paper's mu; what one network for both would take is
  told beside it. It has one thread, on which it is quickest.
- Ours is ``cross_explain`` or ``fit`` from the first line to the last, scores and all, with the same folds,
  penalties, restarts and epochs. Networks that no longer improve leave before the last epoch. Rules of every
  length are searched once for the whole fold and once for each part that is left out in turn.
- Before either is timed it runs for a few epochs, ours on a small table, so that nothing is paid for the
  first time.

The plain loop is timed on some of its members, some before ours and some after, and scaled up; ours is timed
three times, on all of CUB once. Of both the median counts. On a busy machine wall-clock times say little, so
the ratio of processor times stands beside theirs.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from torch import nn

from benchmarks.experiments import (
    Table,
    cub_like,
    distinct_rows,
    has_real_data,
    many_classes,
    many_rows,
    mimic2_like,
)
from benchmarks.harness import Row, faster, seconds, timed
from logiclens.bench import load_cub, load_vdem
from logiclens.estimators import MuClassifier, cross_explain
from logiclens.estimators._parameters import penalties, widths
from logiclens.estimators.folds import RowSplit
from logiclens.estimators.inputs_and_targets import Targets
from logiclens.explain import explain_class_as_in_paper
from logiclens.nn.population import threads_for

SAMPLED = 5  # members of the plain loop that are timed
REPEATED = 9  # times that ours is timed
FINE_TUNING_SHARE = 0.1  # of the penalty that stays after pruning, as in MuNetwork


def run() -> Iterator[Row]:
    """All defaults on MIMIC-II, V-Dem and CUB; one network a class on its training pictures; then growth."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield compare(mimic2_like(), MuClassifier(random_state=0), n_folds=10)
        if has_real_data():
            data = load_vdem()
            table = Table("V-Dem", np.array(data.concepts, dtype=float), np.array(data.labels))
            yield compare(table, MuClassifier(random_state=0), n_folds=5)
        light = MuClassifier(restarts=1, l1=0.008, random_state=0)
        yield compare(cub_like(boolean=True), light)
        yield compare(cub_like(boolean=False), light)
        if has_real_data():
            birds = load_cub()
            table = Table("all of CUB", np.array(birds.concepts, dtype=float), np.array(birds.labels))
            yield compare(table, MuClassifier(random_state=0), n_folds=5, repeated=1)
        yield from growth(light)


# Against a plain loop


@dataclass(frozen=True)
class Seconds:
    """Time by the clock on the wall, and of the processor."""

    wall: float
    processor: float

    @classmethod
    def of(cls, work: Callable[[], Any]) -> tuple[Seconds, Any]:
        """Time one call; with its result."""
        wall, processor = time.perf_counter(), time.process_time()
        result = work()
        return cls(time.perf_counter() - wall, time.process_time() - processor), result

    @classmethod
    def median(cls, times: Sequence[Seconds]) -> Seconds:
        """The median of each."""
        return cls(
            float(np.median([each.wall for each in times])),
            float(np.median([each.processor for each in times])),
        )

    def __add__(self, other: Seconds) -> Seconds:
        return Seconds(self.wall + other.wall, self.processor + other.processor)

    def __mul__(self, times: int) -> Seconds:
        return Seconds(self.wall * times, self.processor * times)


def compare(
    table: Table, classifier: MuClassifier, n_folds: int = 1, sampled: int = SAMPLED, repeated: int = REPEATED
) -> Row:
    """Training plus extraction: all folds (or one fit on all rows) by us, some members by the plain loop."""
    targets, folds = _folds(classifier, table, n_folds)
    loop = PlainLoop(classifier, table.X, targets, folds)
    small = many_classes(400, min(loop.n_classes, 4), boolean=False)
    _ours(clone(classifier).set_params(epochs=4), small, n_folds)
    loop.time(sampled // 2)
    ours = Seconds.median([Seconds.of(lambda: _ours(classifier, table, n_folds))[0] for _ in range(repeated)])
    loop.time(sampled - sampled // 2)
    plain = loop.total()
    folded = f"{n_folds} folds" if n_folds > 1 else "1 fit"
    alike = f"{loop.n_alike} networks" if loop.n_alike > 1 else "1 network"
    shared = (
        f"; one network for both classes {plain.wall / 2 / ours.wall:.0f}x" if loop.n_classes == 2 else ""
    )
    return faster(
        f"train + explain: {table.name} ({table.size}), {loop.n_classes} classes, {folded}, "
        f"{alike} for each, {torch.get_num_threads()} threads",
        ours.wall,
        plain.wall,
        "plain loop 20x",
        notes=(
            "",
            f"(scaled up from {len(loop.training)} of {len(loop.members)} members; "
            f"processor time {plain.processor / ours.processor:.0f}x{shared})",
        ),
    )


def _ours(classifier: MuClassifier, table: Table, n_folds: int) -> None:
    """All folds, or one fit on all rows."""
    if n_folds == 1:
        classifier.fit(table.X, table.y)
    else:
        cross_explain(classifier, table.X, table.y, cv=n_folds)


@dataclass(frozen=True)
class _Member:
    """One network of the plain loop: what it learns from, for which class, with which penalty."""

    fold: RowSplit
    is_class: np.ndarray
    l1: float


class PlainLoop:
    """The usual loop over folds, classes, penalties and restarts, timed on some of its members.

    The members are those of the classifier, one network for each class. Each is trained by itself on its
    fold's rows, for all epochs; each class of each fold is explained once, by the paper's aggregation. The
    members that are timed lie evenly over the loop, and the median of each time counts, since all do the same
    work; a short run goes before them, so that nothing is paid for the first time.
    """

    def __init__(
        self, classifier: MuClassifier, X: np.ndarray, targets: Targets, folds: Sequence[RowSplit]
    ) -> None:
        self.classifier = classifier
        self.X = X
        truth = targets.truth()
        self.n_classes = truth.shape[1]
        self.n_explanations = len(folds) * self.n_classes
        self.n_alike = len(penalties(classifier.l1)) * classifier.restarts
        self.members = [
            _Member(fold, is_class, l1)
            for fold in folds
            for is_class in truth.T
            for l1 in penalties(classifier.l1)
            for _ in range(classifier.restarts)
        ]
        self.training: list[Seconds] = []
        self.extraction: list[Seconds] = []
        _plain_member(classifier, X, self.members[0], epochs=4)

    def time(self, sampled: int) -> None:
        """Train and explain some more members, on one thread: to networks this small a second is a burden."""
        with threads_for(0):
            for at in np.linspace(0, len(self.members) - 1, max(sampled, 1)).round().astype(int):
                self.time_member(self.members[at])

    def time_member(self, member: _Member) -> None:
        """Train and explain one."""
        trained, (network, kept) = Seconds.of(
            lambda: _plain_member(self.classifier, self.X, member, epochs=self.classifier.epochs)
        )
        explained, _ = Seconds.of(lambda: _plain_explanation(network, kept, self.X, member))
        self.training.append(trained)
        self.extraction.append(explained)

    def total(self) -> Seconds:
        """The whole loop."""
        training, extraction = Seconds.median(self.training), Seconds.median(self.extraction)
        return training * len(self.members) + extraction * self.n_explanations


def _plain_member(
    classifier: MuClassifier, X: np.ndarray, member: _Member, epochs: int
) -> tuple[nn.Sequential, np.ndarray]:
    """One network, full batches, pruned half-way, best state by validation loss; and the concepts it keeps.

    The rate stays the same, where ours falls, and nothing stops early.
    """
    parts = []
    for weight in (member.fold.train, member.fold.check):
        rows = weight > 0
        x = torch.as_tensor(X[rows], dtype=torch.float32)
        parts.append((x, torch.as_tensor(member.is_class[rows], dtype=torch.float32)))
    (x, y), (x_check, y_check) = parts
    network = nn.Sequential(nn.Linear(X.shape[1], 10), nn.LeakyReLU(), nn.Linear(10, 1))
    first, last = network[0], network[2]
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(network.parameters(), lr=classifier.learning_rate)
    constant = torch.logit(y.mean().clamp(1e-6, 1 - 1e-6))
    scale = 1.0 / criterion(constant.expand_as(y), y).item()  # so that a constant answer has loss 1
    mask = torch.ones(X.shape[1])
    least, best = float("inf"), network.state_dict()
    for epoch in range(epochs):
        exploring = epoch < epochs // 2
        optimizer.zero_grad()
        loss = scale * criterion(network(x).squeeze(1), y)
        if exploring:
            loss = loss + member.l1 * first.weight.abs().sum()
        else:
            loss = loss + FINE_TUNING_SHARE * member.l1 * (first.weight.abs().sum() + last.weight.abs().sum())
        loss.backward()
        optimizer.step()
        if exploring:
            continue
        with torch.no_grad():
            if epoch == epochs // 2:
                norms = first.weight.norm(dim=0)
                mask = torch.zeros_like(norms).scatter(
                    0, norms.topk(min(widths(classifier.max_concepts)[0], len(norms))).indices, 1.0
                )
            first.weight.mul_(mask)
            check_loss = criterion(network(x_check).squeeze(1), y_check).item()
        if check_loss < least:
            least = check_loss
            best = {name: value.clone() for name, value in network.state_dict().items()}
    network.load_state_dict(best)
    return network, np.flatnonzero(mask.numpy())


def _plain_explanation(network: nn.Sequential, kept: np.ndarray, X: np.ndarray, member: _Member) -> None:
    """Explain a class by the paper's aggregation."""
    rows, check = member.fold.train > 0, member.fold.check > 0
    with torch.no_grad():
        said = (network(torch.as_tensor(X[rows], dtype=torch.float32)).squeeze(1) > 0).numpy()
    explain_class_as_in_paper(
        X[np.ix_(rows, kept)],
        said,
        "class",
        names=[f"c{j}" for j in kept],
        validation=(X[np.ix_(check, kept)], member.is_class[check] > 0.5),
    )


def _folds(classifier: MuClassifier, table: Table, n_folds: int) -> tuple[Targets, list[RowSplit]]:
    """Targets, and the rows to learn from and to check with in each fold; all rows when there is one."""
    targets, weight = classifier.read_data(table.X, table.y, None)
    if n_folds == 1:
        return targets, [classifier.hold_out(table.X, targets, weight)]
    folds = []
    for _, test in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(table.X, targets.strata()):
        learned = weight.copy()
        learned[test] = 0.0
        folds.append(classifier.hold_out(table.X, targets, learned))
    return targets, folds


# Growth


def growth(classifier: MuClassifier) -> Iterator[Row]:
    """Time of a fit as classes and rows become more; at best the time of each is the same."""
    for boolean, kind in ((True, "Booleans"), (False, "floats")):
        for n_classes in (20, 50, 100, 200):
            table = many_classes(2000, n_classes, boolean)
            yield _growth(classifier, table, f"{n_classes} classes, {kind} {table.size}", n_classes, "class")
    for boolean, largest in ((True, 6), (False, 5)):
        for power in range(3, largest + 1):
            table = many_rows(10**power, boolean)
            kind = f"Booleans, {distinct_rows(table.X)} distinct" if boolean else "distinct floats"
            yield _growth(classifier, table, f"10^{power} rows x 20, {kind}", 10**power, "row")


def _growth(classifier: MuClassifier, table: Table, what: str, units: int, unit: str) -> Row:
    duration, _ = timed(lambda: classifier.fit(table.X, table.y))
    return Row(f"fit: {what}", seconds(duration), "", f"{_short(duration / units)} a {unit}", "no growth")


def _short(duration: float) -> str:
    return f"{duration * 1e3:.1f} ms" if duration >= 1e-3 else f"{duration * 1e6:.1f} us"
