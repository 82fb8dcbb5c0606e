"""Rows to learn from: raw columns with classes, as numbers for trees and as concepts for the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from logiclens.bench.experiments import Fold, split_rows
from logiclens.concepts.table import Table
from logiclens.errors import InputError
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray

if TYPE_CHECKING:
    from logiclens.concepts.encoder import ConceptEncoder

MOST_VALUES = 50
"""Values of a column of text that become numbers of their own, the most frequent first."""


@dataclass(frozen=True, eq=False)
class Part:
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
    def training(cls, fold: Fold) -> Part:
        """The training rows of a fold.

        Raises
        ------
        InputError
            The fold has no raw columns.
        """
        return cls(_columns(fold, fold.columns_train), fold.y_train, len(fold.class_names))

    @classmethod
    def test(cls, fold: Fold) -> Part:
        """The test rows of a fold."""
        return cls(_columns(fold, fold.columns_test), fold.y_test, len(fold.class_names))

    def take(self, rows: IndexArray) -> Part:
        """Some of the rows, by number."""
        return Part({name: each[rows] for name, each in self.columns.items()}, self.y[rows], self.n_classes)

    def halves(self, seed: int) -> tuple[Part, Part]:
        """Three quarters to fit to and a quarter to validate on, class by class.

        Rows of classes that have fewer than four are all fitted to.

        Examples
        --------
        >>> part = Part({"age": np.arange(8)}, np.array([0, 1] * 4), 2)
        >>> fitted, validated = part.halves(0)
        >>> len(fitted.y), np.bincount(validated.y).tolist()
        (6, [1, 1])
        """
        rare = np.bincount(self.y, minlength=self.n_classes)[self.y] < _QUARTERS
        shared = np.flatnonzero(~rare)
        if not len(shared):
            raise InputError("No class has four rows, so none can be held out to validate on.")
        fit, validate = split_rows(self.y[shared], _QUARTERS, seed)[0]
        return self.take(np.union1d(shared[fit], np.flatnonzero(rare))), self.take(shared[validate])


_QUARTERS = 4


def _columns(fold: Fold, columns: Mapping[str, NDArray[Any]]) -> Mapping[str, NDArray[Any]]:
    if not columns:
        raise InputError(f"Fold {fold.number} has no raw columns. Make it of a table, by TableExperiment.")
    return columns


@dataclass(frozen=True, eq=False)
class Numbers:
    """A way from raw columns to numbers, as trees want them.

    Numbers stay as they are, missing ones become the median, with a column that says so; a column of text
    becomes a 0 or 1 for each of its values.

    Parameters
    ----------
    medians : mapping of str to float
        Of the columns of numbers.
    values : mapping of str to tuple
        The values of the other columns that have a number of their own.
    missing : tuple of str
        Columns of numbers that lacked some.

    Examples
    --------
    >>> columns = {"age": np.array([20.0, np.nan, 40.0]), "color": np.array(["red", "blue", "red"])}
    >>> Numbers.learn(columns).of(columns).tolist()
    [[20.0, 0.0, 1.0, 0.0], [30.0, 1.0, 0.0, 1.0], [40.0, 0.0, 1.0, 0.0]]
    """

    medians: Mapping[str, float]
    values: Mapping[str, tuple[Any, ...]]
    missing: tuple[str, ...]

    @classmethod
    def learn(cls, columns: Mapping[str, NDArray[Any]]) -> Numbers:
        """From the columns that a method learns from."""
        table, medians, values, missing = Table(columns), {}, {}, []
        for name in table.names:
            column = table.column(name)
            if column.is_numeric:
                numbers = column.numbers()
                medians[name] = float(np.nanmedian(numbers))
                missing += [name] if column.missing.any() else []
            else:
                counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.levels))
                order = np.argsort(-counts, kind="stable")[:MOST_VALUES]
                values[name] = tuple(column.levels[at] for at in order.tolist())
        return cls(medians, values, tuple(missing))

    def of(self, columns: Mapping[str, NDArray[Any]]) -> FloatArray:
        """The numbers of some rows, (n, n_numbers)."""
        table, found = Table(columns), []
        for name in table.names:
            column = table.column(name)
            if name in self.medians:
                numbers = column.numbers()
                found.append(np.where(np.isnan(numbers), self.medians[name], numbers))
                found += [np.isnan(numbers).astype(np.float64)] if name in self.missing else []
            else:
                cells = column.values()
                found += [(cells == value).astype(np.float64) for value in self.values[name]]
        return np.column_stack(found)


@dataclass(frozen=True, eq=False)
class Concepts:
    """A way from raw columns to concepts: our encoder with its defaults, or with few cuts for few concepts.

    Parameters
    ----------
    encoder : ConceptEncoder
    kept : ndarray of int, optional
        Which of its concepts; all when missing.
    """

    encoder: ConceptEncoder
    kept: IndexArray | None = None

    @classmethod
    def learn(cls, part: Part, most: int | None = None) -> Concepts:
        """From the rows that a method learns from.

        Parameters
        ----------
        part : Part
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
        gains = _information(whole.of(part.columns), part.y, part.n_classes)
        return cls(encoder, np.sort(np.argsort(-gains, kind="stable")[:most]))

    def of(self, columns: Mapping[str, NDArray[Any]]) -> BoolArray:
        """The concepts of some rows, (n, n_concepts)."""
        truth: BoolArray = self.encoder.transform(Table(columns))
        return truth if self.kept is None else truth[:, self.kept]


def _information(truth: BoolArray, y: IndexArray, n_classes: int) -> FloatArray:
    """What each concept says about the class, (n_concepts,): mutual information."""
    one_hot = y[:, None] == np.arange(n_classes)
    yes = truth.T.astype(np.float64) @ one_hot / len(y)
    each = one_hot.mean(axis=0)
    found = np.zeros(truth.shape[1])
    for joint in (yes, each - yes):
        expected = joint.sum(axis=1, keepdims=True) * each
        with np.errstate(divide="ignore", invalid="ignore"):
            found += np.where(joint > 0, joint * np.log(joint / expected), 0.0).sum(axis=1)
    return found
