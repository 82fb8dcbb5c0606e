"""Columns that give the answers away: each alone says nearly all that there is to say.

Such a column is often known only after the fact, as the day of a death is in a table about deaths. Then it
makes a short, perfect, useless rule.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from logiclens.cli.preparing import Prepared
from logiclens.concepts.table import Table
from logiclens.explain import ExplanationSet
from logiclens.explain.resolution import used_concepts
from logiclens.logic.arrays import BoolArray, IndexArray

NEARLY_ALL = 0.98
"""Share of the answers that a column must give to be named."""
_FEWER_ERRORS = 5  # times as many are made by the most common class
_FEWEST = 30  # rows scored: of fewer, many a column says all by chance
_FEWEST_OTHERS = 5  # of them that are not of the most common class
_MOST = 100_000  # rows that are looked at, of those trained on and of those scored


class Telling(NamedTuple):
    """A column, and the share of the rows scored whose class it alone gives."""

    column: str
    share: float


def telling_columns(rules: ExplanationSet, prepared: Prepared) -> tuple[Telling, ...]:
    """Columns of the rules that alone give nearly all answers, the most telling first.

    Each is asked by itself: rows of which its concepts say the same get the class that is most common among
    the rows trained on.

    Parameters
    ----------
    rules : ExplanationSet
        With a vocabulary; without one nothing is known of columns, and none is found.
    prepared : Prepared
        The rows trained on, and those scored.
    """
    words = rules.vocabulary
    scored = _some(prepared.scored)
    if words is None or len(scored) < _FEWEST or prepared.inputs.num_columns < 2:
        return ()
    trained = _some(~prepared.held_out)
    labels, classes = np.unique(prepared.labels, return_inverse=True)
    both = np.concatenate([trained, scored])
    rows = Table(prepared.inputs.take(both))
    is_scored: BoolArray = np.arange(len(both)) >= len(trained)
    guess = _share(np.zeros(len(both), dtype=np.intp), classes[both], is_scored, len(labels))
    if not says_more(1.0, guess, len(scored)):
        return ()
    used = used_concepts([*rules.formulas.values(), *rules.conditions.values()])
    found = []
    for column in words.used_columns(used):
        names = [name for name in words.names if words[name].column == column]
        share = _share(_groups([*words.encode(rows, names).values()]), classes[both], is_scored, len(labels))
        if share >= NEARLY_ALL and says_more(share, guess, len(scored)):
            found.append(Telling(column, share))
    return tuple(sorted(found, key=lambda each: -each.share))


def says_more(share: float, guess: float, n_rows: float) -> bool:
    """Whether a column that gives a share of the answers says clearly more than the most common class."""
    return (1 - guess) * n_rows >= _FEWEST_OTHERS and (1 - share) * _FEWER_ERRORS <= 1 - guess


def _some(which: BoolArray) -> IndexArray:
    """Rows that are true, some of very many."""
    rows = np.flatnonzero(which)
    return rows[:: -(-len(rows) // _MOST)] if len(rows) > _MOST else rows


def _groups(truths: list[BoolArray]) -> IndexArray:
    """Numbers of the groups of rows about which all concepts say the same, shape (n,)."""
    groups = np.zeros(len(truths[0]), dtype=np.intp)
    for truth in truths:
        groups = np.unique(2 * groups + truth, return_inverse=True)[1].reshape(-1)
    return groups


def _share(groups: IndexArray, classes: NDArray[Any], scored: BoolArray, n_classes: int) -> float:
    """Share of the rows scored that are of the most common class of their group among the others."""
    counts = np.zeros((int(groups.max()) + 1, n_classes), dtype=np.intp)
    np.add.at(counts, (groups[~scored], classes[~scored]), 1)
    counts[counts.sum(axis=1) == 0] = counts.sum(axis=0)  # nothing is known of it
    return float((counts.argmax(axis=1)[groups[scored]] == classes[scored]).mean())
