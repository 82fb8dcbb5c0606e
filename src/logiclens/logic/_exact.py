"""Proofs: the cheapest set cover, the best trade of errors for literals, and the formulas they make.

Choosing the terms of a DNF is a weighted set cover: rows are the tuples to be covered, columns the candidate
terms. Classic reductions (essential columns, dominated rows and columns) come first. Trading errors for
literals is an integer program: it maximizes the gains of the covered tuples minus the price of the literals.

For tables of a few concepts the candidates are all terms that can belong to a best formula, so the solution
is a proof. SciPy's branch-and-bound solver works under a limit of nodes, never of seconds, so that results
repeat; a second solve, among the formulas that are equally good, settles ties.
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

from logiclens.logic._tradeoff import (
    FormulaBudget,
    Side,
    needs_every_literal,
    read_terms,
    term_sizes,
    term_sums,
    tie_values,
)
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, Terms, quiet_products


@dataclass(frozen=True)
class Effort:
    """Limits on the work for a proof: nodes and sizes, never seconds, so that results repeat."""

    nodes: int
    """Branch-and-bound nodes of one solve."""
    cover_size: int
    """Ones in the matrix of a set cover that is still handed to the solver."""
    program_size: int
    """Coefficients of any other integer program that is still handed to the solver."""


QUICK: Final = Effort(nodes=300, cover_size=3_000, program_size=60_000)
THOROUGH: Final = Effort(nodes=100_000, cover_size=500_000, program_size=5_000_000)

_SCALE: Final = 1024.0  # what the gains add up to before the solver, about
_RESOLUTION: Final = 1e-6  # share of all gains that the solver is trusted to tell from nothing
_INFEASIBLE: Final = 2  # status of SciPy's solver
_CELLS: Final = 20_000_000  # terms times tuples that are laid out as a matrix
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
    from scipy.optimize import LinearConstraint  # slow to load, and seldom needed
    from scipy.sparse import csr_array

    every_row = LinearConstraint(csr_array(core.astype(np.float64)), lb=1)
    integral = np.ones(len(costs))
    first = _solution(costs, [every_row], integral, node_limit)
    if first.x is None:
        return found, False
    solution = np.flatnonzero(first.x > 0.5)
    if costs[solution].sum() < costs[found].sum() or first.status == 0:
        found = solution
    if first.status != 0 or not ties.any():
        return found, first.status == 0
    # A second solve among the equally cheap ones makes the answer independent of the solver's path.
    as_cheap = LinearConstraint(costs, ub=costs[found].sum() + 0.5)
    second = _solution(ties, [every_row, as_cheap], integral, node_limit)
    if second.x is not None:
        solution = np.flatnonzero(second.x > 0.5)
        if costs[solution].sum() <= costs[found].sum() and core[:, solution].any(axis=1).all():
            found = solution
    return found, True


def _solution(
    objective: FloatArray, constraints: list[Any], integral: FloatArray, nodes: int, presolve: bool = True
) -> Any:
    """Solve a program over [0, 1] with SciPy's solver."""
    from scipy.optimize import Bounds, milp

    options = {"node_limit": nodes, "mip_rel_gap": 0.0, "presolve": presolve}
    with silent_output():
        return milp(
            objective, constraints=constraints, integrality=integral, bounds=Bounds(0, 1), options=options
        )


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


_output = Lock()


@contextmanager
def silent_output() -> Iterator[None]:
    """The standard output of the process leads nowhere inside; one thread at a time.

    HiGHS, which SciPy solves integer programs with, now and then prints a line to the standard output of the
    process, whatever its settings. So that output is turned off below Python, where the line comes from.

    Examples
    --------
    >>> with silent_output():
    ...     _ = os.write(1, b"not seen")
    """
    with _output:
        _flush()
        try:
            kept = os.dup(1)
        except OSError:  # there is no standard output
            yield
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)
        try:
            yield
        finally:
            _flush()
            os.dup2(kept, 1)
            os.close(kept)


def _flush() -> None:
    """Write out what Python and the C library still hold back."""
    with suppress(AttributeError, OSError, ValueError):  # no output, or one that is closed
        sys.stdout.flush()
    with suppress(AttributeError, OSError, TypeError):  # a platform whose C library is found otherwise
        ctypes.CDLL(None).fflush(None)


class TradeoffProgram:
    """Variables: each term (taken or not), then each group of tuples (covered or not).

    Tuples that the same terms cover form one group. A group that wins may count as covered only if one of its
    terms is taken; a group that costs must count as covered as soon as one of its terms is taken.
    """

    def __init__(
        self, terms: Terms, covered: BoolArray, gain: FloatArray, price: float, budget: FormulaBudget
    ) -> None:
        from scipy.sparse import csr_array

        self.terms = terms
        self.price = price
        self.sizes = np.abs(terms).sum(axis=1).astype(np.float64)
        _, first, group = np.unique(
            np.packbits(covered, axis=0), axis=1, return_index=True, return_inverse=True
        )
        gains = np.bincount(group.ravel(), gain, len(first))
        reachable = covered[:, first].any(axis=0) & (gains != 0)
        self.gains = gains[reachable]
        incidence = csr_array(covered[:, first[reachable]].T.astype(np.float64))  # (n_groups, n_terms)
        self.wins, self.costs = np.flatnonzero(self.gains > 0), np.flatnonzero(self.gains < 0)
        self.incidence = incidence
        self.budget = budget
        self.n_coefficients = incidence.nnz + 2 * int(incidence[self.costs].nnz)

    def solve(self, ties: FloatArray, reached: float, nodes: int) -> Choice | None:
        """The terms to take; None when the solver finds nothing that wins at least ``reached``."""
        from scipy.optimize import LinearConstraint

        n_terms, n_groups = len(self.terms), len(self.gains)
        if not n_groups:  # whatever is covered wins as much as it costs
            return Choice(np.empty(0, dtype=np.intp), True)
        # Minimized: minus what is won. Scaled so that the solver's tolerances, which are absolute, are far
        # below the resolution that is asked for.
        objective = _SCALE * np.concatenate([self.price * self.sizes, -self.gains])
        slack = _RESOLUTION / 10 * _SCALE
        constraints = [*self._constraints(), LinearConstraint(objective, ub=-_SCALE * reached + slack)]
        first = self._solve(objective, constraints, nodes)
        if first.x is None:
            return None
        chosen = np.flatnonzero(first.x[:n_terms] > 0.5)
        if first.status != 0:
            return Choice(chosen, False)
        # Among equally good formulas: fewest literals, then the tie values.
        literals = np.concatenate([self.sizes + 1e-3 * ties, np.zeros(n_groups)])
        constraints[-1] = LinearConstraint(objective, ub=first.fun + slack)
        second = self._solve(literals, constraints, nodes)
        if second.status != 0:
            return Choice(chosen, False)
        shorter = np.flatnonzero(second.x[:n_terms] > 0.5)
        if self._won(shorter) < self._won(chosen) - 1e-12:  # it only seemed as good to the solver
            return Choice(chosen, False)
        return Choice(shorter, self._fine_enough())

    def _solve(self, objective: FloatArray, constraints: list[Any], nodes: int) -> Any:
        """The solver's answer; its presolve at times calls a program infeasible that has a solution."""
        integral = np.concatenate([np.ones(len(self.terms)), np.zeros(len(self.gains))])
        for presolve in (True, False):
            answer = _solution(objective, constraints, integral, nodes, presolve)
            if answer.status != _INFEASIBLE:
                break
        return answer

    def _won(self, chosen: IndexArray) -> float:
        """Compute what the terms win, without the solver's rounding."""
        covered = np.asarray(self.incidence[:, chosen].sum(axis=1)).ravel() > 0
        return float(self.gains[covered].sum() - self.price * self.sizes[chosen].sum())

    def _fine_enough(self) -> bool:
        """Whether the solver tells the lightest group from nothing; if not, its word is no proof."""
        return bool(np.abs(self.gains).min() > _RESOLUTION * np.abs(self.gains).sum())

    def _constraints(self) -> list[Any]:
        from scipy.optimize import LinearConstraint

        n_terms, n_groups = len(self.terms), len(self.gains)
        limits = []
        for weights, most in ((self.sizes, self.budget.literals), (np.ones(n_terms), self.budget.terms)):
            if np.isfinite(most):
                limits.append(LinearConstraint(np.concatenate([weights, np.zeros(n_groups)]), ub=most))
        if len(self.wins):
            limits.append(LinearConstraint(self._covered_by_some(), ub=0))
        if len(self.costs):
            limits.append(LinearConstraint(self._covered_by_any(), ub=0))
        return limits

    def _covered_by_some(self) -> Any:
        """For each group that wins: covered - (sum of its terms), which must not exceed 0."""
        from scipy.sparse import block_array, csr_array, eye_array

        identity = eye_array(len(self.gains), format="csr")
        return csr_array(block_array([[-self.incidence[self.wins], identity[self.wins]]]))

    def _covered_by_any(self) -> Any:
        """For each group that costs and each of its terms: taken - covered, which must not exceed 0."""
        from scipy.sparse import coo_array, csr_array

        n_terms, n_groups = len(self.terms), len(self.gains)
        pairs = coo_array(self.incidence[self.costs])
        at, term = pairs.coords
        row = np.arange(len(at))
        shape = (len(at), n_terms + n_groups)
        lost = csr_array((np.ones(len(at)), (row, term)), shape=shape)
        lost -= csr_array((np.ones(len(at)), (row, n_terms + self.costs[at])), shape=shape)
        return lost


class Proof(NamedTuple):
    """Terms of a formula, and whether it is proved that none is better."""

    terms: Terms
    proved: bool


def smallest_agreeing(
    wanted: BoolArray, avoided: BoolArray, relevance: FloatArray, effort: Effort
) -> Proof | None:
    """The DNF with fewest literals that is true on every wanted tuple and on no avoided one.

    Only prime terms matter: a term with a literal that excludes nothing is beaten by the one without it.
    None when there are too many of them to lay out.
    """
    n_concepts = wanted.shape[1]
    on = term_sums(wanted, np.ones(len(wanted)))
    off = term_sums(avoided, np.ones(len(avoided)))
    prime = (on > 0) & (off == 0) & needs_every_literal(off, n_concepts, 0.0)
    index = np.flatnonzero(prime)
    if len(index) * len(wanted) > _CELLS:
        return None
    terms = read_terms(index, n_concepts)
    sizes = term_sizes(n_concepts)[index].astype(np.float64)
    choice = minimum_cover(Side(wanted).covered(terms).T, sizes, tie_values(terms, relevance), effort)
    return Proof(terms[choice.columns], choice.proved)


def best_tradeoff(
    bits: BoolArray,
    gain: FloatArray,
    relevance: FloatArray,
    price: float,
    budget: FormulaBudget,
    reached: float,
    effort: Effort,
) -> Proof | None:
    """The DNF that wins most: covered gains minus ``price`` a literal, within the budget.

    Parameters
    ----------
    bits, gain : ndarray, shapes (n_rows, n_concepts) and (n_rows,)
        The tuples and what covering each wins (or, negative, costs).
    relevance : ndarray of float, shape (n_concepts,)
        Settles ties.
    price : float
        Price of a literal, in units of gain.
    budget : Budget
        Most terms and literals.
    reached : float
        What a known formula wins; only terms of better or equal ones are looked at.
    effort : Effort
        Limits of the proof.

    Returns
    -------
    Proof or None
        None when the program is too large, or the solver found nothing as good as ``reached``.
    """
    terms = _candidates(bits, gain, price, budget, reached)
    if not len(terms):  # only FALSE, the formula without terms, is left; it wins 0
        return Proof(terms, True) if reached <= 0 else None
    if len(terms) * len(bits) > _CELLS:
        return None
    covered = Side(bits).covered(terms)
    terms, covered = _distinct(terms, covered, relevance)
    program = TradeoffProgram(terms, covered, gain, price, budget)
    if program.n_coefficients > effort.program_size:
        return None
    solution = program.solve(tie_values(terms, relevance), reached, effort.nodes)
    return None if solution is None else Proof(terms[solution.columns], solution.proved)


def _candidates(
    bits: BoolArray, gain: FloatArray, price: float, budget: FormulaBudget, reached: float
) -> Terms:
    """Terms that can be part of a formula that wins at least ``reached``."""
    n_concepts = bits.shape[1]
    on = term_sums(bits, np.maximum(gain, 0))
    off = term_sums(bits, np.maximum(-gain, 0))
    sizes = term_sizes(n_concepts)
    slack = 1e-9 * float(np.abs(gain).sum())
    # A term must pay for its literals; each literal must exclude more than its price (else the term
    # without it, which covers more, is as good); and what the term costs must leave room to win.
    useful = (on > price * sizes + slack) & (sizes <= budget.literals)
    useful &= needs_every_literal(off, n_concepts, price + slack)
    useful &= float(np.maximum(gain, 0).sum()) - off - price * sizes >= reached - slack
    return read_terms(np.flatnonzero(useful), n_concepts)


def _distinct(terms: Terms, covered: BoolArray, relevance: FloatArray) -> tuple[Terms, BoolArray]:
    """Keep, of terms that cover the same tuples, the one with the fewest literals."""
    order = np.lexsort((tie_values(terms, relevance), np.abs(terms).sum(axis=1)))
    _, first = np.unique(np.packbits(covered[order], axis=1), axis=0, return_index=True)
    kept = order[np.sort(first)]
    return terms[kept], covered[kept]
