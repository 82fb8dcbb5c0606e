"""Best formulas by trying all of them: the oracle for tables of very few concepts."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from logiclens.logic._tradeoff import Side, read_terms
from logiclens.logic.arrays import BoolArray


def best_errors(bits: BoolArray, yes: np.ndarray, no: np.ndarray, max_terms: int = 4) -> dict[int, float]:
    """Least errors of a DNF of at most ``max_terms`` terms, for each number of literals that occurs."""
    n_concepts = bits.shape[1]
    terms = read_terms(np.arange(3**n_concepts), n_concepts)
    covered = Side(bits).covered(terms)
    sizes = np.abs(terms).sum(axis=1)
    best: dict[int, float] = {}
    for n_terms in range(max_terms + 1):
        for chosen in combinations(range(len(terms)), n_terms):
            true = covered[list(chosen)].any(axis=0)
            literals = int(sizes[list(chosen)].sum())
            errors = float(np.where(true, no, yes).sum())
            best[literals] = min(best.get(literals, np.inf), errors)
    return best
