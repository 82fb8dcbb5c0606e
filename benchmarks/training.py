"""Training and extraction as one population, against a plain PyTorch loop over folds, classes and members.

``python -m benchmarks training`` compares the two and shows how ours grows with classes and rows.
``python -m benchmarks.training --device cuda --classes 200 --folds 5 --epochs 400`` times the training of one
large population on a device of choice.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from torch import nn

from benchmarks.experiments import (
    CUB_ROWS,
    Table,
    cub_like,
    distinct_rows,
    many_classes,
    many_rows,
    mimic2_like,
)
from benchmarks.harness import Row, faster, seconds, timed
from logiclens.estimators import MuClassifier, cross_explain
from logiclens.estimators.counting import Fold
from logiclens.estimators.fitting import train_folds
from logiclens.estimators.inputs import read_concepts
from logiclens.estimators.settings import BALANCE, penalties, widths
from logiclens.estimators.targets import Problem, Targets
from logiclens.estimators.weighing import balance_factor
from logiclens.explain import explain_class_as_in_paper

SAMPLED = 5  # members of the plain loop that are timed
FINE_TUNING_SHARE = 0.1  # of the penalty that stays after pruning, as in MuNetwork


def run() -> Iterator[Row]:
    """Ten folds of MIMIC-II with all defaults, CUB's 200 classes as Booleans and as scores, then growth."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield compare(mimic2_like(), MuClassifier(random_state=0), n_folds=10)
        light = MuClassifier(candidates=1, restarts=1, l1=0.008, random_state=0)
        yield compare(cub_like(boolean=True), light)
        yield compare(cub_like(boolean=False), light)
        yield from growth(light)


# Against a plain loop


def compare(table: Table, classifier: MuClassifier, n_folds: int = 1, sampled: int = SAMPLED) -> Row:
    """Training plus extraction: all folds (or one fit on all rows) by us, some members by the plain loop."""
    if n_folds == 1:
        ours, _ = timed(lambda: classifier.fit(table.X, table.y))
    else:
        ours, _ = timed(lambda: cross_explain(classifier, table.X, table.y, cv=n_folds))
    targets, folds = _folds(classifier, table, n_folds)
    plain = plain_loop(classifier, table.X, targets, folds, sampled)
    folded = f"{n_folds} folds" if n_folds > 1 else "1 fit"
    return faster(
        f"train + explain: {table.name} ({table.size}), {len(targets.labels)} classes, {folded}, "
        f"{torch.get_num_threads()} threads",
        ours,
        plain.total,
        "plain loop 20x",
        notes=(
            "",
            f"(scaled up from {plain.sampled} of {plain.members} members: {plain.training:.2f} s "
            f"to train one, {plain.extraction * 1e3:.0f} ms to explain one of {plain.explanations} classes)",
        ),
    )


@dataclass(frozen=True)
class PlainTime:
    """What the plain loop takes: median time to train a member and to explain a class, and how many."""

    training: float
    members: int
    extraction: float
    explanations: int
    sampled: int

    @property
    def total(self) -> float:
        """Seconds of the whole loop."""
        return self.training * self.members + self.extraction * self.explanations


def plain_loop(
    classifier: MuClassifier, X: np.ndarray, targets: Targets, folds: Sequence[Fold], sampled: int = SAMPLED
) -> PlainTime:
    """Time the usual loop over folds, outputs, penalties and restarts on some of its members.

    The members are those of the classifier. Each is trained by itself on its fold's rows, for all epochs; the
    classes of each fold and output are explained once, by the paper's aggregation. The members that are timed
    lie evenly over the loop, and the median of each time counts, since all do the same work; a short run goes
    before them, so that nothing is paid for the first time.
    """
    members = [
        (fold, output, l1)
        for fold in folds
        for output in range(targets.outputs.shape[1])
        for l1 in penalties(classifier.l1)
        for _ in range(classifier.restarts)
    ]
    per_output = 2 if targets.problem is Problem.BINARY else 1
    chosen = np.linspace(0, len(members) - 1, min(sampled, len(members))).round().astype(int)
    _plain_member(classifier, X, targets, members[0], epochs=4)
    training, extraction = [], []
    for at in chosen:
        start = time.perf_counter()
        network, kept = _plain_member(classifier, X, targets, members[at], epochs=classifier.epochs)
        trained = time.perf_counter()
        _plain_explanations(network, kept, X, targets, members[at])
        training.append(trained - start)
        extraction.append((time.perf_counter() - trained) / per_output)
    n_groups = len(folds) * targets.outputs.shape[1]
    return PlainTime(
        float(np.median(training)),
        len(members),
        float(np.median(extraction)),
        n_groups * per_output,
        len(chosen),
    )


def _plain_member(
    classifier: MuClassifier, X: np.ndarray, targets: Targets, member: tuple[Fold, int, float], epochs: int
) -> tuple[nn.Sequential, np.ndarray]:
    """One network, full batches, pruned half-way, best state by validation loss; and the concepts it keeps.

    The rate stays the same, where ours falls, and nothing stops early.
    """
    fold, output, l1 = member
    parts = []
    for weight in (fold.train, fold.check):
        rows = weight > 0
        x = torch.as_tensor(X[rows], dtype=torch.float32)
        parts.append((x, torch.as_tensor(targets.outputs[rows, output], dtype=torch.float32)))
    (x, y), (x_check, y_check) = parts
    network = nn.Sequential(nn.Linear(X.shape[1], 10), nn.LeakyReLU(), nn.Linear(10, 1))
    first, last = network[0], network[2]
    positive = balance_factor(y.sum(), (1.0 - y).sum(), BALANCE)
    criterion = nn.BCEWithLogitsLoss(pos_weight=positive)
    optimizer = torch.optim.Adam(network.parameters(), lr=classifier.learning_rate)
    constant = torch.logit(
        (positive * y.sum() / (positive * y.sum() + (1.0 - y).sum())).clamp(1e-6, 1 - 1e-6)
    )
    scale = 1.0 / criterion(constant.expand_as(y), y).item()  # so that a constant answer has loss 1
    mask = torch.ones(X.shape[1])
    least, best = float("inf"), network.state_dict()
    for epoch in range(epochs):
        optimizer.zero_grad()
        loss = scale * criterion(network(x).squeeze(1), y)
        if epoch < epochs // 2:
            loss = loss + l1 * first.weight.abs().sum()
        else:
            loss = loss + FINE_TUNING_SHARE * l1 * (first.weight.abs().sum() + last.weight.abs().sum())
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            if epoch == epochs // 2:
                norms = first.weight.norm(dim=0)
                mask = torch.zeros_like(norms).scatter(
                    0, norms.topk(min(widths(classifier.max_concepts)[0], len(norms))).indices, 1.0
                )
                least = float("inf")
            first.weight.mul_(mask)
            check_loss = criterion(network(x_check).squeeze(1), y_check).item()
        if check_loss < least:
            least = check_loss
            best = {name: value.clone() for name, value in network.state_dict().items()}
    network.load_state_dict(best)
    return network, np.flatnonzero(mask.numpy())


def _plain_explanations(
    network: nn.Sequential,
    kept: np.ndarray,
    X: np.ndarray,
    targets: Targets,
    member: tuple[Fold, int, float],
) -> None:
    """Explain the classes of one output by the paper's aggregation."""
    fold, output, _ = member
    rows, check = fold.train > 0, fold.check > 0
    with torch.no_grad():
        said_yes = (network(torch.as_tensor(X[rows], dtype=torch.float32)).squeeze(1) > 0).numpy()
    truth = targets.outputs[check, output] > 0.5
    names = [f"c{j}" for j in kept]
    answers = (
        [(said_yes, truth)]
        if targets.problem is not Problem.BINARY
        else [(said_yes, truth), (~said_yes, ~truth)]
    )
    for said, true in answers:
        explain_class_as_in_paper(
            X[np.ix_(rows, kept)], said, "class", names=names, validation=(X[np.ix_(check, kept)], true)
        )


def _folds(classifier: MuClassifier, table: Table, n_folds: int) -> tuple[Targets, list[Fold]]:
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


# One large population on a device of choice


@dataclass(frozen=True)
class PopulationTime:
    """How long the training of one population took."""

    members: int
    seconds: float
    one_fold: float
    epochs: float
    peak: int

    def __str__(self) -> str:
        return (
            f"{self.members} members in {self.seconds:.2f} s, {self.seconds / self.one_fold:.2f} times "
            f"that of one fold ({self.one_fold:.2f} s); {self.epochs:.0f} epochs a member; "
            f"peak memory {self.peak / 2**20:.0f} MiB"
        )


def gpu_population(
    device: str = "cuda", n_classes: int = 200, n_folds: int = 5, epochs: int = 400, n_rows: int = CUB_ROWS
) -> PopulationTime:
    """Train float scores of CUB's size, classes x folds as one population, without extraction.

    Real scores are used when there are some and all 200 classes are asked for. Members train for all
    epochs: none leaves early.
    """
    whole = (n_classes, n_rows) == (200, CUB_ROWS)
    table = cub_like(boolean=False) if whole else many_classes(n_rows, n_classes, boolean=False)
    classifier = MuClassifier(
        candidates=1, restarts=1, l1=0.008, epochs=epochs, patience=epochs, device=device, random_state=0
    )
    targets, folds = _folds(classifier, table, n_folds)
    _train_population(
        classifier, table, targets, folds, epochs=6
    )  # so that nothing is paid for the first time
    one_fold, _ = _train_population(classifier, table, targets, folds[:1], epochs)
    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats(device)
    duration, trained = _train_population(classifier, table, targets, folds, epochs)
    if device.startswith("cuda"):
        peak = torch.cuda.max_memory_allocated(device)
    else:
        peak = (
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        )  # of the whole process, in KiB on Linux
    return PopulationTime(len(targets.labels) * n_folds, duration, one_fold, trained, peak)


def _train_population(
    classifier: MuClassifier, table: Table, targets: Targets, folds: Sequence[Fold], epochs: int
) -> tuple[float, float]:
    """Seconds, and the mean number of epochs that the members were trained."""
    recipe = classifier.set_params(epochs=epochs).recipe(
        read_concepts(table.X, [f"c{j}" for j in range(table.X.shape[1])])
    )
    cuda = recipe.population.device.startswith("cuda")

    def train() -> float:
        found = train_folds(recipe.population, recipe.plan, table.X, targets.outputs, folds)
        if cuda:
            torch.cuda.synchronize()
        return float(np.mean([run.n_iter.mean() for run in found]))

    return timed(train)


def main(arguments: Sequence[str] | None = None) -> None:
    """Time one population, and print one line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training", description=main.__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--classes", type=int, default=20)
    parser.add_argument("--folds", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--rows", type=int, default=CUB_ROWS)
    given = parser.parse_args(arguments)
    print(gpu_population(given.device, given.classes, given.folds, given.epochs, given.rows))


if __name__ == "__main__":
    main()
