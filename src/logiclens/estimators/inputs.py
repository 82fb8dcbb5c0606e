"""Concept scores for a network, from whatever the caller holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from logiclens.errors import InputError, UnknownConceptError, count
from logiclens.logic.arrays import FloatArray
from logiclens.logic.data import ConceptData


class Inputs(NamedTuple):
    """Concept values, (n, n_concepts), the names of the concepts, and whether the data carried them."""

    values: FloatArray
    names: tuple[str, ...]
    named: bool


def read_concepts(X: Any, names: Sequence[str] | None = None) -> Inputs:
    """Read concepts in [0, 1]: an array, sparse or not, a data frame or a mapping.

    Parameters
    ----------
    X : array, sparse matrix, data frame or mapping
    names : sequence of str, optional
        Names of an array's columns; ``x0``, ``x1``, ... when missing.
    """
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        X = X.toarray()
    if hasattr(X, "detach"):  # a tensor
        X = X.detach().cpu().numpy()
    data = ConceptData(X, names)
    named = names is not None or data.named
    return Inputs(data.scores(), data.names, named)


def read_rows(X: Any, names: tuple[str, ...]) -> FloatArray:
    """Read a fitted model's concepts, (n, n_concepts): by name where the data carry names, else by place."""
    inputs = read_concepts(X)
    if inputs.named:
        place = {name: j for j, name in enumerate(inputs.names)}
        for name in names:
            if name not in place:
                raise UnknownConceptError(name, inputs.names, "The model was fitted with it.")
        return inputs.values[:, [place[name] for name in names]]
    if inputs.values.shape[1] != len(names):
        raise InputError(
            f"The model was fitted on {count(len(names), 'concept')}. "
            f"Got {count(inputs.values.shape[1], 'column')}; pass the same columns in the same order."
        )
    return np.asarray(inputs.values)
