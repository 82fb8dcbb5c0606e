"""Which concepts matter most, as numbers: what a caller says of it, in one form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from logiclens.errors import InputError, UnknownConceptError
from logiclens.logic.arrays import FloatArray, Terms, quiet_products
from logiclens.logic.data import as_floats


def relevance_of(order: Sequence[str] | ArrayLike | None, names: tuple[str, ...], n_rows: int) -> FloatArray:
    """Relevance of each concept in [0, 1], shape (1, n_concepts) or (n_rows, n_concepts).

    Parameters
    ----------
    order : sequence of str, or array of shape (n_concepts,) or (n_rows, n_concepts), or None
        Names, the most relevant first (those left out matter least), or scores, larger for more
        relevant. Scores are only compared with one another: within the table, or within each row.
    names : tuple of str
        The concepts.
    n_rows : int
        Number of rows that row-wise scores must have.
    """
    if order is None:
        return np.zeros((1, len(names)))
    if isinstance(order, str):
        raise InputError(f"order must be a sequence of names or scores, not one string. Write [{order!r}].")
    listed = _listed(order)
    if any(isinstance(item, str) for item in listed):
        if not all(isinstance(item, str) for item in listed):
            raise InputError("order must hold names only or numbers only. Got a mixture.")
        return _from_names([str.__str__(name) for name in listed], names)
    return _from_scores(order, len(names), n_rows)


def _listed(order: Any) -> list[Any]:
    """Items of a one-dimensional order; none of a set or a mapping, whose order is an accident."""
    ordered = isinstance(order, Iterable) and not isinstance(order, Set | Mapping)
    return list(order) if ordered and getattr(order, "ndim", 1) == 1 else []


def _from_names(listed: list[str], names: tuple[str, ...]) -> FloatArray:
    if len(set(listed)) < len(listed):
        raise InputError("order names a concept twice. Name each concept once.")
    position = {name: j for j, name in enumerate(names)}
    relevance = np.zeros((1, len(names)))
    for rank, name in enumerate(listed):
        if name not in position:
            raise UnknownConceptError(name, names)
        relevance[0, position[name]] = 1 - rank / len(names)
    return relevance


def _from_scores(order: Any, n_concepts: int, n_rows: int) -> FloatArray:
    scores = as_floats(order, "order")
    if scores.shape not in ((n_concepts,), (n_rows, n_concepts)):
        raise InputError(
            f"order must hold names, or scores of shape ({n_concepts},) or ({n_rows}, {n_concepts}). "
            f"Got shape {scores.shape}."
        )
    if not np.isfinite(scores).all():
        raise InputError("order must hold finite scores. Check for NaN and infinity.")
    scores = np.atleast_2d(scores) / 2  # half, so that the largest minus the smallest is finite
    low, high = scores.min(axis=1, keepdims=True), scores.max(axis=1, keepdims=True)
    relevance: FloatArray = (scores - low) / np.where(high > low, high - low, 1.0)
    return relevance


@quiet_products
def tie_values(terms: Terms, relevance: FloatArray) -> FloatArray:
    """Preference among formulas that are otherwise equal, one number a term; the least sum is preferred.

    More relevant concepts come first, then fewer negations, then fewer terms.

    Parameters
    ----------
    terms : Terms
    relevance : ndarray of float, shape (n_concepts,)
    """
    irrelevance = np.abs(terms).astype(np.float64) @ (1.0 - relevance)
    ties: FloatArray = irrelevance + 1e-2 * (terms < 0).sum(axis=1) + 1e-4
    return ties
