"""The integer program of errors against literals.

Maximize the gains of the covered tuples minus the price of the literals taken, for given candidate terms.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import block_array, coo_array, csr_array, eye_array

from logiclens.logic._set_cover import Choice, silent_output
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, Terms
from logiclens.logic.tradeoff import Budget

_SCALE: Final = 1024.0  # what the gains add up to before the solver, about
_RESOLUTION: Final = 1e-6  # share of all gains that the solver is trusted to tell from nothing
_INFEASIBLE: Final = 2  # status of SciPy's solver


class TradeoffProgram:
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

    def solve(self, ties: FloatArray, reached: float, nodes: int) -> Choice | None:
        """The terms to take; None when the solver finds nothing that wins at least ``reached``."""
        n_terms, n_groups = len(self.terms), len(self.gains)
        if not n_groups:  # whatever is covered wins as much as it costs
            return Choice(np.empty(0, dtype=np.intp), True)
        # Minimized: minus what is won. Scaled so that the solver's tolerances, which are absolute, are far
        # below the resolution that is asked for.
        objective = _SCALE * np.concatenate([self.price * self.sizes, -self.gains])
        slack = _RESOLUTION / 10 * _SCALE
        constraints = [*self._constraints(), LinearConstraint(objective, ub=-_SCALE * reached + slack)]
        first = self._solved(objective, constraints, nodes)
        if first.x is None:
            return None
        chosen = np.flatnonzero(first.x[:n_terms] > 0.5)
        if first.status != 0:
            return Choice(chosen, False)
        # Among equally good formulas: fewest literals, then the tie values.
        literals = np.concatenate([self.sizes + 1e-3 * ties, np.zeros(n_groups)])
        constraints[-1] = LinearConstraint(objective, ub=first.fun + slack)
        second = self._solved(literals, constraints, nodes)
        if second.status != 0:
            return Choice(chosen, False)
        shorter = np.flatnonzero(second.x[:n_terms] > 0.5)
        if self._won(shorter) < self._won(chosen) - 1e-12:  # it only seemed as good to the solver
            return Choice(chosen, False)
        return Choice(shorter, self._fine_enough())

    def _solved(self, objective: FloatArray, constraints: list[LinearConstraint], nodes: int) -> Any:
        """The solver's answer; its presolve at times calls a program infeasible that has a solution."""
        integral = np.concatenate([np.ones(len(self.terms)), np.zeros(len(self.gains))])
        for presolve in (True, False):
            options = {"node_limit": nodes, "mip_rel_gap": 0.0, "presolve": presolve}
            with silent_output():
                answer = milp(
                    objective,
                    constraints=constraints,
                    integrality=integral,
                    bounds=Bounds(0, 1),
                    options=options,
                )
            if answer.status != _INFEASIBLE:
                break
        return answer

    def _won(self, chosen: IndexArray) -> float:
        """What the terms really win, without the solver's rounding."""
        covered = np.asarray(self.incidence[:, chosen].sum(axis=1)).ravel() > 0
        return float(self.gains[covered].sum() - self.price * self.sizes[chosen].sum())

    def _fine_enough(self) -> bool:
        """Whether the solver tells the lightest group from nothing; if not, its word is no proof."""
        return bool(np.abs(self.gains).min() > _RESOLUTION * np.abs(self.gains).sum())

    def _constraints(self) -> list[LinearConstraint]:
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

    def _covered_by_some(self) -> csr_array:
        """For each group that wins: covered - (sum of its terms), which must not exceed 0."""
        identity = eye_array(len(self.gains), format="csr")
        return csr_array(block_array([[-self.incidence[self.wins], identity[self.wins]]]))

    def _covered_by_any(self) -> csr_array:
        """For each group that costs and each of its terms: taken - covered, which must not exceed 0."""
        n_terms, n_groups = len(self.terms), len(self.gains)
        pairs = coo_array(self.incidence[self.costs])
        at, term = pairs.coords
        row = np.arange(len(at))
        shape = (len(at), n_terms + n_groups)
        lost = csr_array((np.ones(len(at)), (row, term)), shape=shape)
        lost -= csr_array((np.ones(len(at)), (row, n_terms + self.costs[at])), shape=shape)
        return lost
