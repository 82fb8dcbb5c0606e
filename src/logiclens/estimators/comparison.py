"""What one would get otherwise: a guess, a small tree and boosting, scored on the same rows as the rules.

They learn from the raw columns of the training rows. The tree has at most as many splits as the rules have
literals, so both take about as long to read. Nobody can read boosting: it shows what the columns can tell.
The command compares in ``cli/headlines.py``, by the same functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from logiclens.concepts.table import Table
from logiclens.errors import InputError, percent
from logiclens.estimators.inputs_and_targets import read_groups, read_known_targets
from logiclens.explain.rule import label_array
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.metrics.agreement import Interval, wilson
from logiclens.metrics.design_effect import grouped_share
from logiclens.metrics.paired import Lead

MOST_VALUES: Final = 50
"""Most values of a text column that get a column of 0 and 1."""
_LARGEST: Final = 3e38  # trees compare in single precision
_MOST_ROWS: Final = 50_000  # of more training rows, a sample of this many


@dataclass(frozen=True, eq=False)
class Numbers:
    """Raw columns as numbers for trees.

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
    >>> Numbers.fit(columns).transform(columns).tolist()
    [[20.0, 0.0, 1.0, 0.0], [30.0, 1.0, 0.0, 1.0], [40.0, 0.0, 1.0, 0.0]]
    """

    medians: Mapping[str, float]
    values: Mapping[str, tuple[Any, ...]]
    missing: tuple[str, ...]

    @classmethod
    def fit(cls, data: Any) -> Numbers:
        """Learn the encoding from a table of training rows."""
        table, medians, values, missing = Table(data), {}, {}, []
        for name in table.names:
            column = table.column(name)
            if column.is_numeric:
                numbers = column.numbers()
                medians[name] = 0.0 if column.missing.all() else float(np.nanmedian(numbers))
                missing += [name] if column.missing.any() else []
            else:
                counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.levels))
                order = np.argsort(-counts, kind="stable")[:MOST_VALUES]
                values[name] = tuple(column.levels[at] for at in order.tolist())
        return cls(medians, values, tuple(missing))

    def transform(self, data: Any) -> FloatArray:
        """The numbers of some rows, (n, n_numbers)."""
        table, found = Table(data), []
        for name in table.names:
            column = table.column(name)
            if name in self.medians:
                numbers = column.numbers()
                filled = np.where(np.isnan(numbers), self.medians[name], numbers)
                found.append(np.clip(filled, -_LARGEST, _LARGEST))
                found += [np.isnan(numbers).astype(np.float64)] if name in self.missing else []
            else:
                cells = column.values()
                found += [(cells == value).astype(np.float64) for value in self.values[name]]
        return np.column_stack(found)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Several ways to answer the same rows, and whether each is right.

    Attributes
    ----------
    right : mapping of str to ndarray of bool, shape (n,)
        By name: "rules", "network", "tree", "boosting", "guess", ...
    counts : ndarray of shape (n,), optional
        How many rows each stands for.
    groups : ndarray of int, shape (n,), optional
        Equal for rows that are no rows of their own, such as those of one patient.
    splits : int, default 0
        Of the tree; 0 where there is none.
    """

    right: Mapping[str, BoolArray]
    counts: FloatArray | None = None
    groups: IndexArray | None = None
    splits: int = 0

    def accuracy(self, name: str) -> tuple[float, Interval]:
        """Share of the rows on which one is right, and its interval of 95 %."""
        right = self.right[name].astype(np.float64)
        weight = np.ones(len(right)) if self.counts is None else self.counts
        if self.groups is None:
            rate = float(weight @ right) / float(weight.sum())
            return rate, wilson(rate, float(weight.sum()))
        return grouped_share(right, weight, self.groups)

    def lead(self, first: str, second: str) -> Lead:
        """How far the first is ahead of the second."""
        return Lead.of_answers(self.right[first], self.right[second], self.counts, self.groups)

    def __str__(self) -> str:
        width = max(map(len, self.right))
        lines = [f"{'':<{width}}  accuracy  95 % interval"]
        for name in self.right:
            rate, (low, high) = self.accuracy(name)
            lines.append(f"{name:<{width}}  {percent(rate):>8}  {percent(low)} to {percent(high)}")
        return "\n".join(lines)


def compare(
    model: Any, X: Any, y: Any, X_train: Any, y_train: Any, groups: ArrayLike | None = None
) -> Comparison:
    """Compare rules and network of a fitted classifier with a tree, boosting and a guess.

    ``groups``, (n,), says which of the rows to score on are no rows of their own.

    Examples
    --------
    >>> from logiclens import MuClassifier
    >>> y = np.array([0, 1] * 50)
    >>> X = {"wings": y, "fur": np.arange(100) % 3 > 0}
    >>> print(MuClassifier(random_state=0).fit(X, y).compare(X, y, X, y))
              accuracy  95 % interval
    rules       100.0%  96.3% to 100.0%
    network     100.0%  96.3% to 100.0%
    tree        100.0%  96.3% to 100.0%
    boosting    100.0%  96.3% to 100.0%
    guess        50.0%  40.4% to 59.6%
    """
    rules = model.explain()
    if rules.multi_label:
        raise InputError("compare is for problems with one label per row.")
    true, known = (
        label_array(rules.labels)[_codes(rows, each, model)] for rows, each in ((X, y), (X_train, y_train))
    )
    plain = Table if rules.vocabulary is None else rules.vocabulary.with_parts
    rivals = fit_rivals(plain(X_train), known, plain(X), splits=rules.literals)
    answers = {"rules": rules.predict(X), "network": model.predict(X)}
    right = {name: np.asarray(each == true, dtype=np.bool_) for name, each in answers.items()}
    right |= {each.name: each.right(true) for each in rivals}
    together = None if groups is None else read_groups(groups, len(true))
    return Comparison(right, groups=together, splits=sum(each.splits for each in rivals))


def _codes(X: Any, y: Any, model: Any) -> IndexArray:
    """The place of each label among those of the model, (n,)."""
    targets = read_known_targets(y, Table(X).n_rows, model.explain().labels, model.problem_)
    return targets.strata()


class Rival(NamedTuple):
    """Another way to answer, and what it answered.

    Attributes
    ----------
    name : {"tree", "boosting", "guess"}
    predicted : ndarray of shape (n,)
        Its labels of the rows to score on.
    splits : int, default 0
        Of the tree.
    """

    name: str
    predicted: NDArray[Any]
    splits: int = 0

    def right(self, y: NDArray[Any]) -> BoolArray:
        """Whether each label is the true one, (n,)."""
        return np.asarray(self.predicted == y, dtype=np.bool_)


def fit_rivals(
    X_train: Any, y_train: NDArray[Any], X_test: Any, *, splits: int, seed: int = 0
) -> tuple[Rival, ...]:
    """Train a tree and boosting, and guess the most common class; each answers the rows to score on.

    Parameters
    ----------
    X_train, X_test : data frame, table or mapping
        Raw columns, the same in both.
    y_train : ndarray of shape (n_train,)
        Labels.
    splits : int
        Most splits of the tree; at least one is allowed. Of rows of one class only the guess remains.
    seed : int, default 0

    Examples
    --------
    >>> y = np.array(["a", "b"] * 20)
    >>> found = fit_rivals({"b": y == "b"}, y, {"b": np.array([True])}, splits=1)
    >>> [(each.name, each.predicted.tolist()) for each in found]
    [('tree', ['b']), ('boosting', ['b']), ('guess', ['a'])]
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.tree import DecisionTreeClassifier

    labels, codes = np.unique(y_train, return_inverse=True)
    numbers = Numbers.fit(X_train)
    x, x_test = numbers.transform(X_train), numbers.transform(X_test)
    rows = np.random.default_rng(seed).permutation(len(x))[:_MOST_ROWS]
    tree = DecisionTreeClassifier(max_leaf_nodes=max(splits, 1) + 1, random_state=seed)
    boosting = HistGradientBoostingClassifier(random_state=seed)
    guess = labels[np.full(len(x_test), np.bincount(codes).argmax())]
    if np.sum(np.bincount(codes[rows]) > 1) < 2:  # the sample lacks all classes but one
        return (Rival("guess", guess),)
    tree.fit(x[rows], codes[rows])
    common = rows[np.bincount(codes[rows], minlength=len(labels))[codes[rows]] > 1]  # it holds some out
    boosting.fit(x[common], codes[common])
    return (
        Rival("tree", labels[tree.predict(x_test)], int(tree.get_n_leaves()) - 1),
        Rival("boosting", labels[boosting.predict(x_test)]),
        Rival("guess", guess),
    )
