"""Smallest formulas with a proof, for tables of a few concepts.

All terms over the concepts are weighed at once (:mod:`logiclens.logic.lattice`); those that can belong to a
best formula become the variables of an integer program for SciPy's branch-and-bound solver, under a limit of
nodes. A second solve, among the formulas that are equally good, settles ties.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import block_array, coo_array, csr_array

from logiclens.logic.data import BoolArray, FloatArray
from logiclens.logic.expand import Side, Terms
from logiclens.logic.lattice import needs_every_literal, read_terms, term_sizes, term_sums
from logiclens.logic.set_cover import Effort, minimum_cover
from logiclens.logic.tradeoff import Budget

_CELLS: Final = 20_000_000  # terms times tuples that are laid out as a matrix


class Proof(NamedTuple):
    """Terms of a formula, and whether it is proved that none is better."""

    terms: Terms
    proved: bool


def tie_values(terms: Terms, relevance: FloatArray) -> FloatArray:
    """Preference among equals: more relevant concepts, then fewer negations, then fewer terms."""
    irrelevance = np.abs(terms).astype(np.float64) @ (1.0 - relevance)
    return irrelevance + 1e-2 * (terms < 0).sum(axis=1) + 1e-4


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


def best_tradeoff(  # noqa: PLR0913 - the parts of one optimization problem
    bits: BoolArray,
    gain: FloatArray,
    relevance: FloatArray,
    price: float,
    budget: Budget,
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
    if len(terms) * len(bits) > _CELLS:
        return None
    covered = Side(bits).covered(terms)
    terms, covered = _distinct(terms, covered, relevance)
    program = _Program(terms, covered, gain, price, budget)
    if program.n_coefficients > effort.program_size:
        return None
    return program.solve(tie_values(terms, relevance), reached, effort.nodes)


def _candidates(bits: BoolArray, gain: FloatArray, price: float, budget: Budget, reached: float) -> Terms:
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
    """Of terms that cover the same tuples, the one with fewest literals."""
    order = np.lexsort((tie_values(terms, relevance), np.abs(terms).sum(axis=1)))
    _, first = np.unique(np.packbits(covered[order], axis=1), axis=0, return_index=True)
    kept = order[np.sort(first)]
    return terms[kept], covered[kept]


class _Program:
    """Variables: each term (taken or not), then each group of tuples (covered or not).

    Tuples that the same terms cover form one group. A group that wins may count as covered only if one of its
    terms is taken; a group that costs must count as covered as soon as one of its terms is taken.
    """

    def __init__(
        self, terms: Terms, covered: BoolArray, gain: FloatArray, price: float, budget: Budget
    ) -> None:
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

    def solve(self, ties: FloatArray, reached: float, nodes: int) -> Proof | None:
        n_terms, n_groups = len(self.terms), len(self.gains)
        objective = np.concatenate([self.price * self.sizes, -self.gains])  # minimized: minus what is won
        slack = 1e-7 * max(1.0, float(np.abs(self.gains).sum()))
        constraints = [*self._constraints(), LinearConstraint(objective, ub=-reached + slack)]
        settings: dict[str, Any] = {
            "integrality": np.concatenate([np.ones(n_terms), np.zeros(n_groups)]),
            "bounds": Bounds(0, 1),
            "options": {"node_limit": nodes, "mip_rel_gap": 0.0},
        }
        first = milp(objective, constraints=constraints, **settings)
        if first.x is None:
            return None
        solution, proved = first, first.status == 0
        if proved:
            # Among equally good formulas: fewest literals, then the tie values.
            literals = np.concatenate([self.sizes + 1e-3 * ties, np.zeros(n_groups)])
            constraints[-1] = LinearConstraint(objective, ub=first.fun + slack)
            second = milp(literals, constraints=constraints, **settings)
            solution = second if second.status == 0 else first
        return Proof(self.terms[solution.x[:n_terms] > 0.5], proved)

    def _constraints(self) -> list[LinearConstraint]:
        n_terms, n_groups = len(self.terms), len(self.gains)
        identity = csr_array((np.ones(n_groups), (np.arange(n_groups), np.arange(n_groups))))
        # covered - (sum of its terms) <= 0
        won = block_array([[-self.incidence[self.wins], identity[self.wins]]])
        # each of its terms - covered <= 0
        pairs = coo_array(self.incidence[self.costs])
        at, term = pairs.coords
        row = np.arange(len(at))
        shape = (len(at), n_terms + n_groups)
        lost = csr_array((np.ones(len(at)), (row, term)), shape=shape)
        lost -= csr_array((np.ones(len(at)), (row, n_terms + self.costs[at])), shape=shape)
        limits = [LinearConstraint(csr_array(won), ub=0), LinearConstraint(csr_array(lost), ub=0)]
        for weights, most in ((self.sizes, self.budget.literals), (np.ones(n_terms), self.budget.terms)):
            if np.isfinite(most):
                limits.append(LinearConstraint(np.concatenate([weights, np.zeros(n_groups)]), ub=most))
        return limits
