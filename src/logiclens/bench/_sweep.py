"""A method at every size: what all peers share.

A peer has one or more ladders of sizes, each from small to large. We fit every size twice: on three
quarters of the training rows, to rate it on the fourth, and on all of them, to measure and test it. A model
that always predicts the most frequent class stands before all ladders, so that every limit of length has a
model. The size for a limit is chosen later, from the rows alone (:mod:`logiclens.bench.fronts`). A model
without rules has one size and is not rated.

A ladder ends once formulas are longer than :data:`LONGEST`, or once a fit took longer than the peer allows;
in the second case the outcome says that the sweep was cut short.

Peers learn from raw columns with classes, encoded as numbers for trees and as concepts for the rest.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from logiclens.bench._formula_length import class_literals
from logiclens.bench.experiments import Fold, split_common_rows
from logiclens.bench.fold_scores import row_head
from logiclens.bench.method import DONE, FoldByFold, Method, Outcome, Stopwatch, one_hot, package_for
from logiclens.concepts.table import Table
from logiclens.errors import InputError
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, Terms

if TYPE_CHECKING:
    from logiclens.bench.experiments import HasFolds
    from logiclens.concepts.encoder import ConceptEncoder


@dataclass(frozen=True, eq=False)
class RawRows:
    """Some rows of a raw table, and their classes.

    Parameters
    ----------
    columns : mapping of str to ndarray of shape (n,)
    y : ndarray of int, shape (n,)
        Class of each row, by position.
    n_classes : int
    """

    columns: Mapping[str, NDArray[Any]]
    y: IndexArray
    n_classes: int

    @classmethod
    def training(cls, fold: Fold) -> RawRows:
        """The training rows of a fold.

        Raises
        ------
        InputError
            The fold has no raw columns.
        """
        return cls(_columns(fold, fold.columns_train), fold.y_train, len(fold.class_names))

    @classmethod
    def test(cls, fold: Fold) -> RawRows:
        """The test rows of a fold."""
        return cls(_columns(fold, fold.columns_test), fold.y_test, len(fold.class_names))

    def take(self, rows: IndexArray) -> RawRows:
        """Some of the rows, by number."""
        return RawRows(
            {name: each[rows] for name, each in self.columns.items()}, self.y[rows], self.n_classes
        )

    def hold_out_quarter(self, seed: int) -> tuple[RawRows, RawRows]:
        """Split the rows, stratified: three quarters to fit, a quarter to validate.

        Rows of classes that have fewer than four are all fitted to.

        Examples
        --------
        >>> part = RawRows({"age": np.arange(8)}, np.array([0, 1] * 4), 2)
        >>> fitted, held_out = part.hold_out_quarter(0)
        >>> len(fitted.y), np.bincount(held_out.y).tolist()
        (6, [1, 1])
        """
        folds = split_common_rows(self.y, _QUARTERS, seed, fewest=_QUARTERS)
        if not folds:
            raise InputError("No class has four rows, so none can be held out to validate on.")
        fit, validate = folds[0]
        return self.take(fit), self.take(validate)


_QUARTERS: Final = 4


def _columns(fold: Fold, columns: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
    if not columns:
        raise InputError(f"Fold {fold.number} has no raw columns. Make it of a table, by TableExperiment.")
    return columns


@dataclass(frozen=True, eq=False)
class Concepts:
    """Encode raw columns as concepts, by our encoder with its defaults or with few cuts.

    Parameters
    ----------
    encoder : ConceptEncoder
    kept : ndarray of int, optional
        Which of its concepts; all when missing.
    """

    encoder: ConceptEncoder
    kept: IndexArray | None = None

    @classmethod
    def fit(cls, part: RawRows, most: int | None = None) -> Concepts:
        """Learn the encoding from training rows.

        Parameters
        ----------
        part : RawRows
        most : int, optional
            Concepts to keep at most: those that say most about the class, each by itself. Numbers are then
            cut where the classes differ most, or neighboring cuts of one column would take all places.
        """
        from logiclens.concepts.encoder import ConceptEncoder

        how = ConceptEncoder() if most is None else ConceptEncoder(cuts="supervised", max_cuts=4)
        encoder = how.fit(Table(part.columns), part.y)
        whole = cls(encoder)
        if most is None:
            return whole
        gains = _information(whole.transform(part.columns), part.y, part.n_classes)
        return cls(encoder, np.sort(np.argsort(-gains, kind="stable")[:most]))

    def transform(self, columns: Mapping[str, NDArray[Any]]) -> BoolArray:
        """The concepts of some rows, (n, n_concepts)."""
        truth: BoolArray = self.encoder.transform(Table(columns))
        return truth if self.kept is None else truth[:, self.kept]


def _information(truth: BoolArray, y: IndexArray, n_classes: int) -> FloatArray:
    """Mutual information of each concept and the class, (n_concepts,)."""
    one_hot = y[:, None] == np.arange(n_classes)
    yes = truth.T.astype(np.float64) @ one_hot / len(y)
    each = one_hot.mean(axis=0)
    found = np.zeros(truth.shape[1])
    for joint in (yes, each - yes):
        expected = joint.sum(axis=1, keepdims=True) * each
        with np.errstate(divide="ignore", invalid="ignore"):
            found += np.where(joint > 0, joint * np.log(joint / expected), 0.0).sum(axis=1)
    return found


LONGEST: Final = 100.0
"""Literals a class beyond which no larger size is tried."""
DEFAULT: Final = "default"
"""Name of the point that a method itself starts with, where it has one."""

Columns: TypeAlias = Mapping[str, NDArray[Any]]
"""Raw columns of some rows, by name."""
Size: TypeAlias = Mapping[str, Any]
"""Settings that say how large a model may be."""
Ladders: TypeAlias = Sequence[Sequence[Size]]
"""Sizes to try, each ladder from small to large."""


Reader: TypeAlias = Callable[[Columns], Any]
"""Makes of raw columns what a peer learns from."""


@dataclass(frozen=True, eq=False)
class SizedModel:
    """A fitted model of some size, about rows as its peer reads them.

    Parameters
    ----------
    predict : callable
        From rows to the class of each, (n,).
    conditions : callable, optional
        From rows to the conditions that the model asks about, (n, n_conditions), which determine what it
        predicts; None for a model without rules.
    printed : float, optional
        Its size as it is printed: the splits of trees, the literals of rules.
    ways : mapping of int to ndarray of int8, optional
        For each class its ways through a tree, over the conditions; see :func:`.class_literals`.
    """

    predict: Callable[[Any], IndexArray]
    conditions: Callable[[Any], BoolArray] | None = None
    printed: float | None = None
    ways: Mapping[int, Terms] | None = None


class SizeScore(NamedTuple):
    """One size of a method on one fold: columns of its row.

    Attributes
    ----------
    part : str
        The size, as text.
    literals, printed : float or None
        Literals of each class's formula, mean over classes, and size as printed; None without rules.
    validation_accuracy, test_accuracy : float or None
        Share of the rows that are predicted right: of the quarter that was held out, and of the test rows.
    cut : bool
        Whether the sweep ended because a fit took too long.
    seconds : float
        Of the fit to all training rows, preparation included.
    """

    part: str
    literals: float | None
    printed: float | None
    validation_accuracy: float | None
    test_accuracy: float | None
    cut: bool
    seconds: float


@dataclass(frozen=True, eq=False)
class SweepOutcome(Outcome):
    """All sizes of a method on one fold; its answers are those of the size that validates best.

    Parameters
    ----------
    points : tuple of SizeScore
    """

    points: tuple[SizeScore, ...] = ()


@dataclass(frozen=True)
class Peer(FoldByFold):
    """A method with a size.

    Parameters
    ----------
    fit_seconds : float, default 60
        What a size may take, beyond what all sizes share; after one that took longer no larger one is tried.
    """

    fit_seconds: float = 60.0
    sizes: ClassVar[Ladders] = ()

    def ladders(self, n_classes: int) -> Ladders:
        """Sizes to try for so many classes; none where there are no rules."""
        del n_classes
        return self.sizes

    def reader(self, part: RawRows) -> Reader:
        """Learn from training rows how rows are read; raw columns stay as they are."""
        del part
        return dict

    def prepare(self, x: Any, part: RawRows, seed: int) -> Any:
        """Prepare what the fits of all sizes share, from training rows as they are read."""
        del part, seed
        return x

    @abstractmethod
    def fit_size(self, shared: Any, part: RawRows, size: Size, seed: int) -> SizedModel:
        """Fit the model of one size."""

    def default(self, shared: Any, part: RawRows, seed: int) -> SizedModel | None:
        """The model of the size that the method chooses by itself, if it does."""
        del shared, part, seed
        return None

    def fit_fold(self, fold: Fold, seed: int) -> SweepOutcome:
        whole, test = RawRows.training(fold), RawRows.test(fold)
        points, answers = _sweep(self, whole, test, seed)
        seconds = sum(each.seconds for each in points)
        return SweepOutcome(
            answers, one_hot(answers, whole.n_classes), None, seconds, 0.0, points=tuple(points)
        )

    def score(
        self, experiment: HasFolds, method: Method, fold: Fold, outcome: Outcome, *, seed: int = 0
    ) -> list[dict[str, Any]]:
        """Rows of one fold, one for each size; see :mod:`logiclens.bench.fronts`."""
        shared = row_head(experiment, method, fold, seed)
        shared |= {"n_classes": len(fold.class_names), "status": outcome.status}
        if outcome.status != DONE or not isinstance(outcome, SweepOutcome):
            unfinished = SizeScore("", None, None, None, None, cut=True, seconds=outcome.seconds_train)
            return [shared | unfinished._asdict()]
        return [shared | point._asdict() for point in outcome.points]


class _SweepRows:
    """A peer that is prepared for some training rows, and the rows that its models are scored on."""

    def __init__(self, peer: Peer, part: RawRows, scored: RawRows, seed: int) -> None:
        self.peer, self.part, self.scored, self.seed = peer, part, scored, seed
        self.reader = peer.reader(part)
        self.x = self.reader(part.columns)
        self.shared = peer.prepare(self.x, part, seed)
        self.measured: dict[bytes, float] = {}  # larger sizes may give the model of a smaller one again

    @cached_property
    def x_scored(self) -> Any:
        return self.reader(self.scored.columns)

    def fit(self, size: Size) -> SizedModel:
        return self.peer.fit_size(self.shared, self.part, size, self.seed)

    def score(self, model: SizedModel) -> tuple[IndexArray, float]:
        """Answers for the rows to score, and the share of them that is right."""
        answers = model.predict(self.x_scored)
        return answers, float(np.mean(answers == self.scored.y))

    def literals(self, model: SizedModel) -> float | None:
        """Literals of each class's formula, mean over classes."""
        if model.conditions is None:
            return None
        conditions, answers = model.conditions(self.x), model.predict(self.x)
        key = hashlib.blake2b(np.packbits(conditions).tobytes() + answers.tobytes()).digest()
        if key not in self.measured:
            lengths = class_literals(conditions, answers, self.part.n_classes, model.ways)
            self.measured[key] = float(np.mean(lengths))
        return self.measured[key]


def _sweep(peer: Peer, whole: RawRows, test: RawRows, seed: int) -> tuple[list[SizeScore], IndexArray]:
    """All points of a peer on one fold, and the answers of the best one."""
    fitted, held_out = whole.hold_out_quarter(seed)
    if peer.package:
        package_for(peer.title, peer.package)
    watch = Stopwatch("sklearn.model_selection", "sklearn.tree")
    trained = _SweepRows(peer, whole, test, seed)
    beginning = watch.lap()
    points: list[SizeScore] = []
    answers: list[IndexArray] = []

    def add(name: str, model: SizedModel, seconds: float, validation: float | None = None) -> SizeScore:
        said, right = trained.score(model)
        literals = trained.literals(model)
        points.append(SizeScore(name, literals, model.printed, validation, right, False, beginning + seconds))
        answers.append(said)
        return points[-1]

    if not peer.has_rules:
        model = trained.fit({})
        add("", model, watch.lap())
        return points, answers[0]
    always, first = (np.bincount(part.y, minlength=part.n_classes).argmax() for part in (whole, fitted))
    answers.append(np.full(len(test.y), always))
    validation, right = float(np.mean(held_out.y == first)), float(np.mean(test.y == always))
    points.append(SizeScore("majority", 0.0, 0.0, validation, right, False, 0.0))
    rated = _SweepRows(peer, fitted, held_out, seed)
    cut = False
    for ladder in peer.ladders(whole.n_classes):
        for size in ladder:
            watch.lap()
            model = trained.fit(size)
            seconds = watch.lap()
            _, validation = rated.score(rated.fit(size))
            point = add(size_text(size), model, seconds, validation)
            if seconds > peer.fit_seconds:
                cut = True
                break
            if point.literals is not None and point.literals > LONGEST:
                break
    watch.lap()
    chosen = peer.default(trained.shared, whole, seed)
    if chosen is not None:
        add(DEFAULT, chosen, watch.lap())
    best = max(range(len(points)), key=lambda at: points[at].validation_accuracy or 0.0)
    return [point._replace(cut=cut) for point in points], answers[best]


def size_text(size: Size) -> str:
    """A size as text.

    Examples
    --------
    >>> size_text({"max_depth": 3, "max_num_nodes": 7})
    'max_depth=3, max_num_nodes=7'
    """
    return ", ".join(f"{name}={value}" for name, value in size.items())
