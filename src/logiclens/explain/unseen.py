"""Tuples of concepts that never occurred: which there are, and what a network says about them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from logiclens.errors import InputError, shown
from logiclens.logic.arrays import BoolArray, unpack
from logiclens.logic.data import check_count
from logiclens.logic.truth_table import TruthTable
from logiclens.logic.values import as_answers

UNSEEN_SHARE: Final = 0.01
"""Weight of all unseen tuples together, as a share of the weight of those that were seen."""
_MOST_TUPLES: Final = 1 << 14


def unseen_tuples(table: TruthTable, limit: int = _MOST_TUPLES) -> BoolArray | None:
    """Tuples of a table's concepts that are not in it, to ask a network about them.

    Parameters
    ----------
    table : TruthTable
    limit : int, default 16384
        Most tuples that there may be, seen or not: 2 to the power of the number of concepts.

    Returns
    -------
    ndarray of bool, shape (n_unseen, n_concepts), or None
        In counting order, the first concept changing fastest; None when there are more than ``limit`` tuples.

    Examples
    --------
    >>> table = TruthTable.from_data([[0, 0], [1, 1]], [0, 1], names=["a", "b"])
    >>> unseen_tuples(table).astype(int).tolist()
    [[1, 0], [0, 1]]
    """
    check_table(table, "table")
    n_concepts = len(table.names)
    if n_concepts >= 63 or 1 << n_concepts > check_count(limit, "limit"):
        return None
    new = np.ones(1 << n_concepts, dtype=np.bool_)
    new[table.rows[:, 0].astype(np.intp) if n_concepts else 0] = False
    return all_tuples(n_concepts)[new]


def with_unseen(table: TruthTable, tuples: BoolArray, answers: ArrayLike) -> TruthTable:
    """Add tuples that were never seen to a table, with what the network says about them.

    All of them together weigh :data:`UNSEEN_SHARE` of the table. So a formula that has to agree with every
    tuple minds them, while one that may err gives them up before it gives up rows that occur.

    Parameters
    ----------
    table : TruthTable
    tuples : ndarray of bool, shape (n_unseen, n_concepts)
        As from :func:`unseen_tuples`.
    answers : array of shape (n_unseen,)
        Booleans or numbers in [0, 1].

    Returns
    -------
    TruthTable
    """
    check_table(table, "table")
    if not len(tuples):
        return table
    said = as_answers(answers, len(tuples), 0.5)
    weight = UNSEEN_SHARE * table.total / len(tuples)
    return table.merge(TruthTable.from_counts(tuples, said * weight, ~said * weight, table.names))


def all_tuples(n_concepts: int) -> BoolArray:
    """Every Boolean tuple, shape (2^n_concepts, n_concepts); concept j is bit j of the row's number."""
    numbers = np.arange(1 << n_concepts, dtype=np.uint64)
    return unpack(numbers[:, None], n_concepts) if n_concepts else np.zeros((1, 0), dtype=np.bool_)


def check_table(value: Any, name: str) -> TruthTable:
    """Return a table, once it is sure that it is one."""
    if isinstance(value, TruthTable):
        return value
    raise InputError(
        f"{name} must be a TruthTable. Got {shown(value)}; "
        "build one with TruthTable.from_data(concepts, answers)."
    )
