"""Columns that give the answers away: each alone says nearly all that there is to say.

Such a column is often known only after the fact, as the day of a death is in a table about deaths. Then it
makes a short, perfect, useless rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from logiclens.explain import ExplanationSet
from logiclens.explain.resolution import used_concepts
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray

NEARLY_ALL = 0.98
"""Share of the answers that a column must give to be named."""
_FEWER_ERRORS = 5  # times as many are made by the most common class
_FEWEST = 30  # rows scored, and rows of a group scored on itself: of fewer, a column says much by chance
_FEWEST_OTHERS = 5  # rows scored that are not of the most common class


class Leak(NamedTuple):
    """A column, and the share of the rows scored whose class it alone gives."""

    column: str
    share: float


def used_columns(rules: ExplanationSet) -> dict[str, tuple[str, ...]]:
    """The columns that rules with a vocabulary look at, each with all of its concepts."""
    words = rules.vocabulary
    if words is None:
        return {}
    columns = words.used_columns(used_concepts([*rules.formulas.values(), *rules.conditions.values()]))
    return {column: tuple(name for name in words.names if words[name].column == column) for column in columns}


def leaking_columns(
    columns: Mapping[str, tuple[str, ...]],
    concepts: Mapping[str, BoolArray],
    classes: IndexArray,
    scored: FloatArray,
    learned: FloatArray | None = None,
) -> tuple[Leak, ...]:
    """Columns that alone give nearly all answers, the one that gives most first.

    Rows about which all concepts of a column say the same get the class that is most common among them.

    Parameters
    ----------
    columns : mapping of str to tuple of str
        Each column with its concepts, as :func:`used_columns` finds them.
    concepts : mapping of str to ndarray of bool, shape (n,)
    classes : ndarray of int, shape (n,)
        Codes of the true classes.
    scored : ndarray of float, shape (n,)
        How many rows each stands for among those scored.
    learned : ndarray of float, shape (n,), optional
        The same among the rows that show which class is most common. When missing, the rows scored show it
        themselves, and columns with small groups are left out.

    Examples
    --------
    >>> day = np.arange(100) < 40
    >>> leaking_columns({"day": ("day",)}, {"day": day}, day.astype(int), np.ones(100))
    (Leak(column='day', share=1.0),)
    """
    n_rows = scored.sum()
    if n_rows < _FEWEST:
        return ()
    shown = scored if learned is None else learned
    everything = np.zeros(len(classes), dtype=np.intp)
    guess = _share(everything, classes, shown, scored)
    if not _says_more(1.0, guess, n_rows):
        return ()
    found = []
    for column, names in columns.items():
        groups = _groups([concepts[name] for name in names])
        if learned is None and (groups.max() + 1) * _FEWEST > n_rows:
            continue
        share = _share(groups, classes, shown, scored)
        if share >= NEARLY_ALL and _says_more(share, guess, n_rows):
            found.append(Leak(column, share))
    return tuple(sorted(found, key=lambda each: -each.share))


def _says_more(share: float, guess: float, n_rows: float) -> bool:
    """Whether a column that gives a share of the answers says clearly more than the most common class."""
    return (1 - guess) * n_rows >= _FEWEST_OTHERS and (1 - share) * _FEWER_ERRORS <= 1 - guess


def _groups(truths: list[BoolArray]) -> IndexArray:
    """Numbers of the groups of rows about which all concepts say the same, shape (n,)."""
    groups = np.zeros(len(truths[0]), dtype=np.intp)
    for truth in truths:
        groups = np.unique(2 * groups + truth, return_inverse=True)[1].reshape(-1)
    return groups


def _share(groups: IndexArray, classes: IndexArray, learned: FloatArray, scored: FloatArray) -> float:
    """Share of the rows scored that are of the most common class of their group among those learned."""
    counts = np.zeros((int(groups.max()) + 1, int(classes.max()) + 1))
    np.add.at(counts, (groups, classes), learned)
    counts[counts.sum(axis=1) == 0] = counts.sum(axis=0)  # nothing is known of it
    right = counts.argmax(axis=1)[groups] == classes
    return float(scored[right].sum() / scored.sum())
