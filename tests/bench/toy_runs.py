"""Small experiments and quick methods for the tests of the harness, and a run that is killed."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from logiclens.bench._run import PieceReport, run
from logiclens.bench.experiments import Fold
from logiclens.bench.fold_scores import SECONDS, Row
from logiclens.bench.method import Outcome
from logiclens.bench.store import Results
from logiclens.logic import FALSE, Formula, Var

CONCEPTS = ("red", "red_wing", "a & b")
CLASSES = ("no", "<script>")


def toy_fold(number: int = 0, seed: int = 0, **changes: Any) -> Fold:
    """Twenty training rows and ten test rows; the class is mostly the first concept."""
    random = np.random.default_rng([seed, number])
    x = random.random((30, 3))
    y = ((x[:, 0] > 0.5) ^ (random.random(30) < 0.1)).astype(np.intp)
    fields: dict[str, Any] = {
        "number": number,
        "concept_names": CONCEPTS,
        "class_names": CLASSES,
        "x_train": x[:20],
        "y_train": y[:20],
        "x_test": x[20:],
        "y_test": y[20:],
    }
    return Fold(**(fields | changes))


@dataclass(frozen=True)
class Toy:
    """An experiment of folds from random numbers, the last rows of each a part of their own."""

    name: str = "toy"
    n_folds: int = 3
    seed: int = 0
    supervised: bool = True
    tree_depth: int = 5

    @property
    def title(self) -> str:
        return self.name

    def folds(self, data_dir: object = None, which: Sequence[int] | None = None) -> list[Fold]:
        del data_dir
        last = np.arange(10) >= 5
        return [
            toy_fold(number, self.seed, parts={"last rows": last})
            for number in (range(self.n_folds) if which is None else which)
        ]


@dataclass(frozen=True)
class FirstConcept:
    """Says that the second class is the concept that agrees with it most often in training."""

    name: str = "first"
    together: bool = False
    slow: bool = False
    has_rules: bool = True
    sleep: float = 0.0
    calls: list[tuple[int, ...]] = field(default_factory=list, compare=False)
    package = ""

    @property
    def title(self) -> str:
        return self.name

    def fit(self, folds: Sequence[Fold], seed: int) -> list[Outcome]:
        del seed
        self.calls.append(tuple(fold.number for fold in folds))
        start = time.perf_counter()
        time.sleep(self.sleep)
        return [self._outcome(fold, time.perf_counter() - start) for fold in folds]

    def _outcome(self, fold: Fold, seconds: float) -> Outcome:
        agreement = ((fold.x_train > 0.5) == fold.y_train[:, None]).mean(axis=0)
        chosen = int(agreement.argmax())
        answers = (fold.x_test[:, chosen] > 0.5).astype(np.intp)
        rules: dict[str, Formula] = {CLASSES[0]: ~Var(CONCEPTS[chosen]), CLASSES[1]: Var(CONCEPTS[chosen])}
        said = answers[:, None] == np.arange(2)
        return Outcome(answers, said, rules if self.has_rules else None, seconds, seconds / 2)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"calls": []}


@dataclass(frozen=True)
class Failing(FirstConcept):
    """Raises an error for one fold."""

    name: str = "failing"
    at: int = field(default=1, compare=False)
    error: type[BaseException] = field(default=ValueError, compare=False)

    def fit(self, folds: Sequence[Fold], seed: int) -> list[Outcome]:
        if any(fold.number == self.at for fold in folds):
            raise self.error("no such\nluck")
        return super().fit(folds, seed)


@dataclass(frozen=True)
class Dying(FirstConcept):
    """Ends its process without a word."""

    name: str = "dying"
    slow: bool = True

    def fit(self, folds: Sequence[Fold], seed: int) -> list[Outcome]:
        del folds, seed
        os._exit(3)


def without_seconds(row: Row) -> Row:
    """A row without the columns that differ from run to run."""
    return {name: value for name, value in row.items() if name not in SECONDS}


def nothing(fold: Fold) -> Outcome:
    """An outcome of a model that always says the first class, without any rule that is true."""
    answers = np.zeros(len(fold.y_test), dtype=np.intp)
    said = np.zeros((len(answers), len(fold.class_names)), dtype=np.bool_)
    return Outcome(answers, said, dict.fromkeys(fold.class_names, FALSE), 1.0, 0.5)


KILLED_EXPERIMENTS = (Toy("one", 8), Toy("two", 8, seed=7))
KILLED_METHODS = (
    FirstConcept("single", sleep=0.02, has_rules=False),
    FirstConcept("other", sleep=0.02, has_rules=False),
    FirstConcept("population", sleep=0.02, has_rules=False, together=True),
)
"""34 pieces of work; without rules, so that the process need not import networks."""
MOMENTS = 10
MOST = 3
"""Pieces after which a run waits to be killed: all ten together do not come to the end."""


def killed(folder: str, seed: int) -> list[int]:
    """Start a run ten times, and kill it each time; signals that ended it.

    Half of the moments lie anywhere after the start, half after the first piece, so that runs get somewhere
    on the busiest machine.
    """
    moments = random.Random(seed)
    signals = []
    for at in range(MOMENTS):
        told, tell = os.pipe()
        child = os.fork()
        if child == 0:
            pieces: list[PieceReport] = []

            def report(step: PieceReport, pieces: list[PieceReport] = pieces, tell: int = tell) -> None:
                pieces.extend([] if step.kept else [step])
                os.write(tell, b"." * len(pieces[:1]))
                if len(pieces) == MOST:
                    signal.pause()

            run(KILLED_EXPERIMENTS, KILLED_METHODS, results=Results(folder), progress=report)
            os._exit(0)
        os.close(tell)
        if at % 2:
            os.read(told, 1)
        os.close(told)
        time.sleep(moments.uniform(0.0, 0.1))
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        signals.append(os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0)
    return signals
