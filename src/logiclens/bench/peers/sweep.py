"""A method at every size: what is common to all peers, whatever they learn.

A peer has one or more ladders of sizes, each from small to large. At every size it is fitted twice: to three
quarters of the training rows, to be rated on the fourth, and to all of them, to be measured and tested. A
model that always says the most frequent class stands before all ladders, so that every limit of length has a
model. Which size is chosen for which limit is decided later, from the rows alone
(:mod:`logiclens.bench.fronts`). A model without rules has one size and is not rated.

A ladder ends where formulas are longer than :data:`LONGEST`, and where a fit took longer than the peer may
take; then the sweep is cut short, and says so.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from logiclens.bench.methods.method import DONE, FoldByFold, Method, Outcome, Stopwatch, one_hot
from logiclens.bench.methods.packages import package_for
from logiclens.bench.peers.part import Part
from logiclens.bench.peers.shortening import class_literals
from logiclens.logic.arrays import BoolArray, IndexArray, Terms

if TYPE_CHECKING:
    from logiclens.bench.experiments import Fold, HasFolds

LONGEST: Final = 100.0
"""Literals a class beyond which no larger size is tried."""
DEFAULT: Final = "default"
"""Name of the point that a method itself starts with, where it has one."""

Columns: TypeAlias = Mapping[str, NDArray[Any]]
"""Raw columns of some rows, by name."""
Knob: TypeAlias = Mapping[str, Any]
"""Settings that say how large a model may be."""


@dataclass(frozen=True, eq=False)
class Learned:
    """A fitted model of some size.

    Parameters
    ----------
    predict : callable
        From raw columns to the class of each row, (n,).
    asks : callable, optional
        From raw columns to the conditions that the model asks about, (n, n_conditions), which determine what
        it predicts; None for a model without rules.
    printed : float, optional
        Its size as it is printed: the splits of trees, the literals of rules.
    ways : mapping of int to ndarray of int8, optional
        For each class its ways through a tree, over the conditions; see :func:`.class_literals`.
    """

    predict: Callable[[Columns], IndexArray]
    asks: Callable[[Columns], BoolArray] | None = None
    printed: float | None = None
    ways: Mapping[int, Terms] | None = None


@dataclass(frozen=True)
class Point:
    """One size of a method on one fold.

    Parameters
    ----------
    knob : str
        The size, as text.
    literals, printed : float or None
        Literals of each class's formula, mean over classes, and size as printed; None without rules.
    validation, test : float or None
        Share of the rows that are predicted right: of the quarter that was held out, and of the test rows.
    seconds : float
        Of the fit to all training rows, preparation included.
    """

    knob: str
    literals: float | None
    printed: float | None
    validation: float | None
    test: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Swept(Outcome):
    """All sizes of a method on one fold; its answers are those of the size that validates best.

    Parameters
    ----------
    points : tuple of Point
    cut : bool
        Whether the sweep ended because a fit took too long.
    """

    points: tuple[Point, ...] = ()
    cut: bool = False


@dataclass(frozen=True)
class Peer(FoldByFold):
    """A method with a size.

    Parameters
    ----------
    fit_seconds : float, default 60
        What a size may take, beyond what all sizes share; after one that took longer no larger one is tried.
    """

    fit_seconds: float = 60.0

    def ladders(self, part: Part) -> Sequence[Sequence[Knob]]:
        """Sizes to try on these rows, each ladder from small to large; none where there are no rules."""
        del part
        return ()

    def begin(self, part: Part, seed: int) -> Any:
        """What all sizes share of a fit to these rows."""
        del seed
        return part

    @abstractmethod
    def learn(self, begun: Any, part: Part, knob: Knob, seed: int) -> Learned:
        """The model of one size, from what was begun."""

    def default(self, begun: Any, part: Part, seed: int) -> Learned | None:
        """The model of the size that the method chooses by itself, if it does."""
        del begun, part, seed
        return None

    def fit_fold(self, fold: Fold, seed: int) -> Swept:
        whole, test = Part.training(fold), Part.test(fold)
        sweep = _Sweep(self, whole, *whole.halves(seed), test, seed)
        points, answers = sweep.run()
        return Swept(
            answers,
            one_hot(answers, whole.n_classes),
            None,
            sum(each.seconds for each in points),
            0.0,
            points=tuple(points),
            cut=sweep.cut,
        )

    def score(
        self, experiment: HasFolds, method: Method, fold: Fold, outcome: Outcome, *, seed: int = 0
    ) -> list[dict[str, Any]]:
        """Rows of one fold, one for each size; see :mod:`logiclens.bench.fronts`."""
        shared = {
            "experiment": experiment.name,
            "part": "",
            "method": method.name,
            "fold": fold.number,
            "fold_seed": experiment.seed,
            "seed": seed,
            "n_train": len(fold.y_train),
            "n_test": len(fold.y_test),
            "n_classes": len(fold.class_names),
            "status": outcome.status,
        }
        if outcome.status != DONE or not isinstance(outcome, Swept):
            return [shared | dict.fromkeys(_FIGURES) | {"cut": True, "seconds": outcome.seconds_train}]
        return [
            shared
            | {
                "part": point.knob,
                "literals": point.literals,
                "printed": point.printed,
                "validation_accuracy": point.validation,
                "test_accuracy": point.test,
                "cut": outcome.cut,
                "seconds": point.seconds,
            }
            for point in outcome.points
        ]


_FIGURES = ("literals", "printed", "validation_accuracy", "test_accuracy")


class _Sweep:
    """The sweep of a peer over one fold."""

    def __init__(self, peer: Peer, whole: Part, fitted: Part, held_out: Part, test: Part, seed: int) -> None:
        self.peer, self.seed, self.cut = peer, seed, False
        self.whole, self.fitted, self.held_out, self.test = whole, fitted, held_out, test
        self.measured: dict[bytes, float] = {}  # larger sizes may give the model of a smaller one again

    def run(self) -> tuple[list[Point], IndexArray]:
        """All points, and the answers of the one that validates best."""
        points: list[Point] = []
        answers: list[IndexArray] = []

        def add(point: Point, said: IndexArray) -> None:
            points.append(point)
            answers.append(said)

        if self.peer.package:
            package_for(self.peer.title, self.peer.package)
        watch = Stopwatch("sklearn.model_selection", "sklearn.tree")
        begun = self.peer.begin(self.whole, self.seed)
        beginning = watch.lap()
        if not self.peer.has_rules:
            learned = self.peer.learn(begun, self.whole, {}, self.seed)
            point, said = self._point("", None, learned, beginning + watch.lap())
            return [point], said
        majority = [_majority(part) for part in (self.fitted, self.whole)]
        add(*self._point("majority", majority[0], majority[1], 0.0))
        half = self.peer.begin(self.fitted, self.seed)
        for ladder in self.peer.ladders(self.whole):
            for knob in ladder:
                watch.lap()
                learned = self.peer.learn(begun, self.whole, knob, self.seed)
                seconds = watch.lap()
                rated = self.peer.learn(half, self.fitted, knob, self.seed)
                point, said = self._point(knob_text(knob), rated, learned, beginning + seconds)
                add(point, said)
                if seconds > self.peer.fit_seconds:
                    self.cut = True
                    break
                if point.literals is not None and point.literals > LONGEST:
                    break
        watch.lap()
        chosen = self.peer.default(begun, self.whole, self.seed)
        if chosen is not None:
            add(*self._point(DEFAULT, None, chosen, beginning + watch.lap()))
        best = max(range(len(points)), key=lambda at: points[at].validation or 0.0)
        return points, answers[best]

    def _point(
        self, name: str, rated: Learned | None, learned: Learned, seconds: float
    ) -> tuple[Point, IndexArray]:
        said = learned.predict(self.test.columns)
        validation = None if rated is None else _share(rated.predict(self.held_out.columns), self.held_out.y)
        point = Point(
            name, self._literals(learned), learned.printed, validation, _share(said, self.test.y), seconds
        )
        return point, said

    def _literals(self, learned: Learned) -> float | None:
        if learned.asks is None:
            return None
        part = self.whole
        asked, said = learned.asks(part.columns), learned.predict(part.columns)
        key = hashlib.blake2b(np.packbits(asked).tobytes() + said.tobytes()).digest()
        if key not in self.measured:
            lengths = class_literals(asked, said, part.n_classes, learned.ways)
            self.measured[key] = float(np.mean(lengths))
        return self.measured[key]


def _majority(part: Part) -> Learned:
    """A model that always says the most frequent class."""
    label = int(np.bincount(part.y, minlength=part.n_classes).argmax())

    def predict(columns: Columns) -> IndexArray:
        return np.full(len(next(iter(columns.values()))), label, dtype=np.intp)

    def asks(columns: Columns) -> BoolArray:
        return np.zeros((len(next(iter(columns.values()))), 0), dtype=np.bool_)

    return Learned(predict, asks, printed=0.0)


def _share(said: IndexArray, y: IndexArray) -> float:
    return float(np.mean(np.asarray(said) == y))


def knob_text(knob: Knob) -> str:
    """A size as text.

    Examples
    --------
    >>> knob_text({"max_depth": 3, "max_num_nodes": 7})
    'max_depth=3, max_num_nodes=7'
    """
    return ", ".join(f"{name}={value}" for name, value in knob.items())
