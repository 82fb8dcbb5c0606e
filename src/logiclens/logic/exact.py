"""Smallest formulas with a proof, for tables of a few concepts.

All terms over the concepts are weighed at once (:mod:`logiclens.logic.lattice`); those that can belong to a
best formula become the variables of an integer program for SciPy's branch-and-bound solver, under a limit of
nodes. A second solve, among the formulas that are equally good, settles ties.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from logiclens.logic._set_cover import Effort, minimum_cover
from logiclens.logic.arrays import BoolArray, FloatArray, Terms
from logiclens.logic.expand import Side
from logiclens.logic.lattice import needs_every_literal, read_terms, term_sizes, term_sums
from logiclens.logic.relevance import tie_values
from logiclens.logic.tradeoff import Budget

_CELLS: Final = 20_000_000  # terms times tuples that are laid out as a matrix


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
    if not len(terms):  # only FALSE, the formula without terms, is left; it wins 0
        return Proof(terms, True) if reached <= 0 else None
    if len(terms) * len(bits) > _CELLS:
        return None
    covered = Side(bits).covered(terms)
    terms, covered = _distinct(terms, covered, relevance)
    from logiclens.logic.program import TradeoffProgram  # loads SciPy's solver, which is slow

    program = TradeoffProgram(terms, covered, gain, price, budget)
    if program.n_coefficients > effort.program_size:
        return None
    solution = program.solve(tie_values(terms, relevance), reached, effort.nodes)
    return None if solution is None else Proof(terms[solution.columns], solution.proved)


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
