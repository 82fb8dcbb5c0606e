"""Weighted set cover: the cheapest columns of a 0/1 matrix that leave no row without a 1.

Choosing the terms of a DNF is this problem: rows are the tuples to be covered, columns the candidate
terms. Classic reductions (essential columns, dominated rows and columns) come first; what they leave is
given to SciPy's branch-and-bound solver under a limit of nodes, never of seconds, so that results repeat.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, NamedTuple

import numpy as np

from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, quiet_products


@dataclass(frozen=True)
class Effort:
    """How much work a proof may take; nodes and sizes, never seconds, so that results repeat."""

    nodes: int
    """Branch-and-bound nodes of one solve."""
    cover_size: int
    """Ones in the matrix of a set cover that is still handed to the solver."""
    program_size: int
    """Coefficients of any other integer program that is still handed to the solver."""


UNPROVED: Final = Effort(nodes=0, cover_size=0, program_size=0)
QUICK: Final = Effort(nodes=300, cover_size=3_000, program_size=60_000)
THOROUGH: Final = Effort(nodes=100_000, cover_size=500_000, program_size=5_000_000)

_DOMINANCE_WORK: Final = 2e8  # multiplications a dominance test may take


class Choice(NamedTuple):
    """Columns chosen, and whether no cheaper choice exists."""

    columns: IndexArray
    proved: bool


def greedy_cover(matrix: BoolArray, costs: FloatArray) -> IndexArray:
    """Columns that cover all rows: again and again the one with most new rows a unit of cost.

    Columns that later ones make superfluous are dropped, the dearest first. Ties go to the column
    that stands first.
    """
    open_rows = np.ones(len(matrix), dtype=np.bool_)
    new = matrix.sum(axis=0)  # open rows that each column covers
    chosen: list[int] = []
    while open_rows.any():
        best = int(np.argmax(new / costs))
        if new[best] == 0:
            raise ValueError("a row has no column that covers it")
        chosen.append(best)
        closed = matrix[:, best] & open_rows
        open_rows &= ~closed
        new -= matrix[closed].sum(axis=0)
    return irredundant(matrix, costs, np.array(chosen, dtype=np.intp))


def irredundant(matrix: BoolArray, costs: FloatArray, chosen: IndexArray) -> IndexArray:
    """Drop chosen columns that the others make superfluous, the dearest first."""
    times = matrix[:, chosen].sum(axis=1)
    keep = np.ones(len(chosen), dtype=np.bool_)
    for at in np.argsort(-costs[chosen], kind="stable"):
        rows = matrix[:, chosen[at]]
        if (times[rows] > 1).all():
            keep[at] = False
            times[rows] -= 1
    return chosen[keep]


@quiet_products
def minimum_cover(matrix: BoolArray, costs: FloatArray, ties: FloatArray, effort: Effort) -> Choice:
    """The cheapest columns that cover all rows.

    Parameters
    ----------
    matrix : ndarray of bool, shape (n_rows, n_columns)
        Which column covers which row; every row must have a column.
    costs : ndarray of float, shape (n_columns,)
        Positive whole numbers.
    ties : ndarray of float, shape (n_columns,)
        Among the cheapest choices, the one with the least sum of these is taken.
    effort : Effort
        Limits; beyond them the best choice found is returned as not proved.
    """
    rows, columns, essential = _reduce(matrix, costs, ties)
    if not len(rows):
        return Choice(np.sort(essential), True)
    core = matrix[np.ix_(rows, columns)]
    found = greedy_cover(core, costs[columns])
    proved = False
    if np.count_nonzero(core) <= effort.cover_size:
        found, proved = _branch_and_bound(core, costs[columns], ties[columns], found, effort.nodes)
    return Choice(np.sort(np.concatenate([essential, columns[found]])), proved)


def _branch_and_bound(
    core: BoolArray, costs: FloatArray, ties: FloatArray, found: IndexArray, node_limit: int
) -> tuple[IndexArray, bool]:
    from scipy.optimize import Bounds, LinearConstraint, milp  # slow to load, and seldom needed
    from scipy.sparse import csr_array

    sparse = csr_array(core.astype(np.float64))
    every_row = LinearConstraint(sparse, lb=1)
    options = {"node_limit": node_limit, "mip_rel_gap": 0.0}
    solve: dict[str, Any] = {"integrality": np.ones(len(costs)), "bounds": Bounds(0, 1), "options": options}
    with silent_output():
        first = milp(costs, constraints=every_row, **solve)
    if first.x is None:
        return found, False
    solution = np.flatnonzero(first.x > 0.5)
    if costs[solution].sum() < costs[found].sum() or first.status == 0:
        found = solution
    if first.status != 0 or not ties.any():
        return found, first.status == 0
    # A second solve among the equally cheap ones makes the answer independent of the solver's path.
    as_cheap = LinearConstraint(costs, ub=costs[found].sum() + 0.5)
    with silent_output():
        second = milp(ties, constraints=[every_row, as_cheap], **solve)
    if second.x is not None:
        solution = np.flatnonzero(second.x > 0.5)
        if costs[solution].sum() <= costs[found].sum() and core[:, solution].any(axis=1).all():
            found = solution
    return found, True


def _reduce(
    matrix: BoolArray, costs: FloatArray, ties: FloatArray
) -> tuple[IndexArray, IndexArray, IndexArray]:
    """Rows and columns still undecided, and the columns every cheapest choice may be taken to hold."""
    rows, columns = np.arange(matrix.shape[0]), np.arange(matrix.shape[1])
    essential: list[IndexArray] = []
    while len(rows):
        size = len(rows), len(columns)
        core = matrix[np.ix_(rows, columns)]
        only = core[core.sum(axis=1) == 1].any(axis=0)
        if only.any():
            essential.append(columns[only])
            rows = rows[~core[:, only].any(axis=1)]
            columns = columns[~only]
            continue
        rows = rows[_needed_rows(core)]
        columns = columns[_useful_columns(matrix[np.ix_(rows, columns)], costs[columns], ties[columns])]
        if size == (len(rows), len(columns)):
            break
    return rows, columns, np.concatenate(essential) if essential else np.empty(0, dtype=np.intp)


def _needed_rows(core: BoolArray) -> IndexArray:
    """Rows that no other row's cover implies: a row is dropped if its columns include another row's."""
    _, first = np.unique(np.packbits(core, axis=1), axis=0, return_index=True)
    first = np.sort(first)
    core = core[first]
    if float(len(core)) ** 2 * core.shape[1] > _DOMINANCE_WORK:
        return first
    dense = core.astype(np.float32)
    common = dense @ dense.T
    includes = common >= dense.sum(axis=1)[None, :]  # row i includes row j
    np.fill_diagonal(includes, False)
    needed: IndexArray = first[~includes.any(axis=1)]
    return needed


def _useful_columns(core: BoolArray, costs: FloatArray, ties: FloatArray) -> IndexArray:
    """Columns that no other column replaces: more rows for no more cost, then the smaller tie value."""
    order = np.lexsort((ties, costs))
    order = order[core[:, order].any(axis=0)]
    _, first = np.unique(np.packbits(core[:, order], axis=0), axis=1, return_index=True)
    order = order[np.sort(first)]
    core, costs = core[:, order], costs[order]
    if float(len(order)) ** 2 * len(core) > _DOMINANCE_WORK:
        return np.sort(order)
    dense = core.astype(np.float32)
    common = dense.T @ dense
    replaced = (common >= dense.sum(axis=0)[:, None]) & (costs[None, :] <= costs[:, None])
    np.fill_diagonal(replaced, False)
    # The columns are all different, so two never replace each other.
    return np.sort(order[~replaced.any(axis=1)])


# HiGHS, which SciPy solves integer programs with, now and then prints a line to the standard output of the
# process, whatever it is told. So that output goes nowhere while a program is solved: below Python, since the
# line comes from below.
_lock = Lock()
_inside = 0  # threads that are solving
_kept = -1  # the standard output, while they are


@contextmanager
def silent_output() -> Iterator[None]:
    """The standard output of the process leads nowhere inside; threads may be inside together.

    Examples
    --------
    >>> with silent_output():
    ...     _ = os.write(1, b"not seen")
    """
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _inside, _kept
    with _lock:
        _inside += 1
        if _inside > 1:
            return
        _flush()
        try:
            _kept = os.dup(1)
        except OSError:  # there is no standard output
            _kept = -1
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)


def _leave() -> None:
    global _inside, _kept
    with _lock:
        _inside -= 1
        if _inside or _kept < 0:
            return
        _flush()
        os.dup2(_kept, 1)
        os.close(_kept)
        _kept = -1


def _flush() -> None:
    """Write out what Python and the C library still hold back."""
    with suppress(AttributeError, OSError, ValueError):  # no output, or one that is closed
        sys.stdout.flush()
    with suppress(AttributeError, OSError, TypeError):  # a platform whose C library is found otherwise
        ctypes.CDLL(None).fflush(None)
