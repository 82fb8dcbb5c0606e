"""Which concepts matter most, as numbers: what a caller says of it, in one form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from logiclens.errors import InputError, UnknownConceptError
from logiclens.logic.data import FloatArray


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
    listed = list(order) if not isinstance(order, (str, np.ndarray)) and np.ndim(order) == 1 else None
    if isinstance(order, str):
        raise InputError(f"order must be a sequence of names or scores, not one string. Write [{order!r}].")
    if listed and all(isinstance(item, str) for item in listed):
        return _from_names(listed, names)
    return _from_scores(np.asarray(order), len(names), n_rows)


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


def _from_scores(scores: np.ndarray, n_concepts: int, n_rows: int) -> FloatArray:
    if scores.shape not in ((n_concepts,), (n_rows, n_concepts)):
        raise InputError(
            f"order must hold names, or scores of shape ({n_concepts},) or ({n_rows}, {n_concepts}). "
            f"Got shape {scores.shape}."
        )
    try:
        scores = np.atleast_2d(scores.astype(np.float64))
    except (TypeError, ValueError):
        raise InputError("order must hold names only or numbers only.") from None
    if not np.isfinite(scores).all():
        raise InputError("order must hold finite scores. Check for NaN and infinity.")
    low, high = scores.min(axis=1, keepdims=True), scores.max(axis=1, keepdims=True)
    relevance: FloatArray = (scores - low) / np.where(high > low, high - low, 1.0)
    return relevance
