"""RIPPER (Cohen, 1995), by the package wittgenstein: a set of rules for one class against the rest.

Of two classes the rarer one is learned and the other is its complement. Of more, each is learned; where the
rules of several fire, those decide that are right most often on the training rows, and where none fires, the
class that is most frequent among the training rows where none does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from logiclens.bench.methods.decision_list import condition, list_formula
from logiclens.bench.methods.method import FoldByFold, Outcome, Stopwatch
from logiclens.bench.methods.packages import package_for, secluded
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.data import THRESHOLD
from logiclens.logic.formula import Formula

if TYPE_CHECKING:
    from logiclens.bench.experiments import Fold


@dataclass(frozen=True)
class Ripper(FoldByFold):
    """Rules that are grown, pruned and optimized one by one."""

    name: str = "ripper"
    title: str = "RIPPER"
    slow: bool = True
    package: str = "wittgenstein"

    def fit_fold(self, fold: Fold, seed: int) -> Outcome:
        package = package_for(self.title, self.package)
        watch = Stopwatch()
        names, n_classes = fold.concept_names, len(fold.class_names)
        found = learn_rules(package, fold.x_train > THRESHOLD, fold.y_train, n_classes, seed)
        seconds = watch.lap()
        if n_classes == 2:
            formulas = [found.sets[0].formula(names, at == found.learned[0]) for at in range(2)]
        else:
            formulas = [each.formula(names) for each in found.sets]
        extracting = watch.lap()
        fired = found.fired(fold.x_test > THRESHOLD)
        said = fired
        if n_classes == 2:
            said = np.hstack([~fired, fired])[:, :: 1 if found.learned[0] else -1]
        return Outcome(
            found.decide(fired),
            said,
            dict(zip(fold.class_names, formulas, strict=True)),
            seconds,
            extracting,
            list_literals=float(np.mean([each.n_literals for each in found.sets])),
        )


@dataclass(frozen=True)
class LiteralRules:
    """Rules of which any may fire.

    Parameters
    ----------
    rules : tuple of tuple of (int, bool)
        Positions of concepts and the values they must have for each rule to fire.

    Examples
    --------
    >>> found = LiteralRules((((0, True), (1, False)), ((2, True),)))
    >>> str(found.formula(("a", "b", "c"))), str(found.formula(("a", "b", "c"), value=False))
    ('(a & ~b) | c', '(~a & ~c) | (b & ~c)')
    """

    rules: tuple[tuple[tuple[int, bool], ...], ...]

    @property
    def n_literals(self) -> int:
        """Literals of all rules."""
        return sum(map(len, self.rules))

    def formula(self, names: Sequence[str], value: bool = True) -> Formula:
        """Where some rule fires, or where none does."""
        conditions = [condition({names[at]: wanted for at, wanted in rule}) for rule in self.rules]
        return list_formula(conditions, [value] * len(conditions), not value)

    def fires(self, x: BoolArray) -> BoolArray:
        """Whether some rule fires on each row, (n,)."""
        found = np.zeros(len(x), dtype=np.bool_)
        for rule in self.rules:
            found |= np.logical_and.reduce([x[:, at] == wanted for at, wanted in rule], axis=0)
        return found


@dataclass(frozen=True, eq=False)
class ClassRules:
    """Rules of classes, and who decides.

    Parameters
    ----------
    sets : tuple of LiteralRules
        Those of each class that was learned: of two classes, of the rarer one.
    learned : tuple of int
        Which classes these are.
    precision : ndarray of shape (n_sets,)
        How often the rules of each were right where they fired in training.
    fallback : int
        The class where none fires.
    """

    sets: tuple[LiteralRules, ...]
    learned: tuple[int, ...]
    precision: FloatArray
    fallback: int

    def fired(self, x: BoolArray) -> BoolArray:
        """Whether the rules of each set fire on each row, (n, n_sets)."""
        return np.column_stack([each.fires(x) for each in self.sets])

    def decide(self, fired: BoolArray) -> IndexArray:
        """The class of each row, (n,): of the sets that fire, the most precise one decides."""
        best = np.array(self.learned)[np.where(fired, self.precision, -1.0).argmax(axis=1)]
        return np.where(fired.any(axis=1), best, self.fallback)


def learn_rules(
    package: Any, x: BoolArray, y: IndexArray, n_classes: int, seed: int, **limits: int | None
) -> ClassRules:
    """Rules of the rarer of two classes, or of each of more against all others.

    Parameters
    ----------
    package : module
        wittgenstein.
    x : ndarray of bool, shape (n, n_concepts)
    y : ndarray of int, shape (n,)
    n_classes, seed : int
    **limits : int or None
        Settings of the package's RIPPER, such as ``max_rules``.
    """
    if n_classes == 2:
        rarer = int(2 * np.count_nonzero(y) <= len(y))
        found = (_learn(package, x, y == rarer, seed, limits),)
        return ClassRules(found, (rarer,), np.ones(1), 1 - rarer)
    sets = tuple(_learn(package, x, y == at, seed, limits) for at in range(n_classes))
    fired = np.column_stack([each.fires(x) for each in sets])
    return ClassRules(sets, tuple(range(n_classes)), *_trust(fired, y))


def _learn(
    package: Any, x: BoolArray, y: BoolArray, seed: int, limits: Mapping[str, int | None]
) -> LiteralRules:
    """Rules for the rows where ``y`` is true."""
    if y.all() or not y.any():
        return LiteralRules(((),) if y.all() else ())
    pandas = package_for("RIPPER", "pandas")
    with secluded(seed):
        model = package.RIPPER(random_state=seed, n_discretize_bins=None, **limits)
        # Names are positions: their hashes are the same in every process, and so are the rules.
        model.fit(pandas.DataFrame(x.astype(np.int64)), y.astype(np.int64), pos_class=1)
    return read_rules(model)


def read_rules(model: Any) -> LiteralRules:
    """The rules of a fitted model of wittgenstein.

    Parameters
    ----------
    model : RIPPER
        Fitted on 0 and 1, in columns that are named by their positions.
    """
    return LiteralRules(
        tuple(
            tuple((int(each.feature), bool(each.val)) for each in rule.conds) for rule in model.ruleset_.rules
        )
    )


def _trust(fired: BoolArray, y: IndexArray) -> tuple[FloatArray, int]:
    """How precise the rules of each class were in training, and the class to fall back on."""
    n_classes = fired.shape[1]
    right = fired & (y[:, None] == np.arange(n_classes))
    left = y[~fired.any(axis=1)]
    fallback = np.bincount(left if len(left) else y, minlength=n_classes).argmax()
    return (right.sum(axis=0) + 1.0) / (fired.sum(axis=0) + 2.0), int(fallback)
