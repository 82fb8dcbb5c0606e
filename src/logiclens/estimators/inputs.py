"""Concepts for a network, from whatever the caller holds: concept scores, or a raw table to be encoded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from narwhals.dependencies import is_pandas_like_dataframe
from sklearn.base import clone
from sklearn.utils import InputTags

from logiclens.concepts.table import Table
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, UnknownColumnError
from logiclens.estimators.counting import as_counts
from logiclens.logic.arrays import FloatArray
from logiclens.logic.data import ConceptData

if TYPE_CHECKING:
    from logiclens.concepts.encoder import ConceptEncoder
    from logiclens.estimators.targets import Targets


@dataclass(frozen=True, eq=False)
class Inputs:
    """Concept values and what they are called.

    Attributes
    ----------
    values : ndarray of float, shape (n, n_concepts)
        In [0, 1].
    names : tuple of str
        The concepts.
    named : bool
        Whether the data carried names.
    columns : tuple of str
        The columns of the data: the concepts themselves, unless they were encoded.
    vocabulary : Vocabulary, optional
        What the concepts mean in the columns, where they were encoded.
    encoder : ConceptEncoder, optional
        The encoder that made them.
    """

    values: FloatArray
    names: tuple[str, ...]
    named: bool
    columns: tuple[str, ...]
    vocabulary: Vocabulary | None = None
    encoder: ConceptEncoder | None = None


def read_concepts(X: Any, names: Sequence[str] | None = None) -> Inputs:
    """Read concepts in [0, 1]: an array, sparse or not, a data frame or a mapping.

    Parameters
    ----------
    X : array, sparse matrix, data frame or mapping
    names : sequence of str, optional
        Names of an array's columns; ``x0``, ``x1``, ... when missing.
    """
    data, named = _concept_data(X, names)
    return Inputs(data.scores(), data.names, named, data.names)


def _concept_data(X: Any, names: Sequence[str] | None = None) -> tuple[ConceptData, bool]:
    """Concepts, and whether the data carried their names."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        X = X.toarray()
    if hasattr(X, "detach"):  # a tensor
        X = X.detach().cpu().numpy()
    if names is None and _counts_columns(X):
        table = Table(X)
        return ConceptData({name: table.column(name).numbers() for name in table.names}), False
    data = ConceptData(X, names)
    return data, names is not None or data.named


def _counts_columns(X: Any) -> bool:
    """Whether the data are a frame that counts its columns instead of naming them."""
    return is_pandas_like_dataframe(X) and any(not isinstance(name, str) for name in X.columns)


def check_extent(table: Table) -> None:
    """Refuse a table without rows or without columns."""
    if table.n_rows == 0:
        raise InputError("There are no rows to learn from. Pass at least one.")
    if not table.names:  # scikit-learn's checks look for these words
        raise InputError(
            f"Found array with 0 feature(s) (shape=({table.n_rows}, 0)) while a minimum of 1 is required. "
            "Pass a table with columns."
        )


def input_tags(tags: InputTags, encoder: Any) -> InputTags:
    """What scikit-learn is told about the tables that a model reads: with an encoder, text and gaps, too."""
    raw = encoder is not None
    return replace(tags, sparse=True, allow_nan=raw, string=raw, categorical=raw)


def learn_inputs(
    X: Any, encoder: Any, targets: Targets | None = None, weight: FloatArray | None = None
) -> Inputs:
    """Read what a model is to be fitted on, and encode it where that is asked for or needed.

    Parameters
    ----------
    X : data frame, array, sparse matrix or mapping, n rows
    encoder : {"auto", None} or ConceptEncoder
        None: concepts in [0, 1]. "auto": concepts where the values look like it, otherwise a raw table
        (:func:`logiclens.concepts.encoder.auto_encoder`).
    targets : Targets, optional
        What the model is to learn: cut points are chosen by it.
    weight : ndarray of shape (n,), optional
        Weights of the rows: the encoder looks at no others than those that weigh something.
    """
    table = Table(X)
    weight = np.ones(table.n_rows) if weight is None else weight
    made = needed_encoder(table, encoder, weight)
    if made is None:
        return read_concepts(X)
    rows = weight > 0
    truth = None if targets is None else targets.codes()[rows]
    made.fit(_weighty(table, weight), truth, as_counts(weight[rows]))
    return _encoded(table, made)


def needed_encoder(table: Table, encoder: Any, weight: FloatArray) -> ConceptEncoder | None:
    """An encoder that is still to be fitted; None where the rows that weigh something are concepts.

    Parameters
    ----------
    table : Table
    encoder : {"auto", None} or ConceptEncoder
    weight : ndarray of shape (n,)
    """
    if encoder is None:
        return None
    if not isinstance(encoder, str):
        return clone(encoder)  # type: ignore[no-any-return]
    from logiclens.concepts.encoder import auto_encoder

    return auto_encoder(_weighty(table, weight))


def _weighty(table: Table, weight: FloatArray) -> Table:
    """The rows that weigh something."""
    return table if (weight > 0).all() else table.take(weight > 0)


def _encoded(table: Table, encoder: ConceptEncoder) -> Inputs:
    words = encoder.vocabulary_
    values = concept_matrix(words, table)
    return Inputs(values, words.names, table.named, table.names, words, encoder)


def concept_matrix(vocabulary: Vocabulary, table: Table) -> FloatArray:
    """All concepts of a vocabulary on the rows of a raw table, shape (n, n_concepts)."""
    columns = list(vocabulary.encode(table).values())
    if not columns:
        return np.zeros((table.n_rows, 0))
    return np.column_stack(columns).astype(np.float64)


def read_rows(
    X: Any, names: tuple[str, ...], vocabulary: Vocabulary | None = None, model: str = "LEN"
) -> FloatArray:
    """Read a fitted model's concepts, (n, n_concepts): by name where the data carry names, else by place.

    Parameters
    ----------
    X : data frame, array, sparse matrix or mapping, n rows
        Concepts, or with a vocabulary the raw table.
    names : tuple of str
        The concepts.
    vocabulary : Vocabulary, optional
        What they mean in the columns of the raw table.
    model : str, default "LEN"
        What the model is called in error messages.
    """
    if vocabulary is not None:
        table = Table(X)
        if not vocabulary.finds_by_name(table):
            _check_width(len(table.names), len(vocabulary.columns), model)
        return concept_matrix(vocabulary, table)
    data, named = _concept_data(X)
    if named or (_counts_columns(X) and set(names) <= set(data.names)):
        for name in names:
            if name not in data.names:
                raise UnknownColumnError(name, data.names)
        return data.scores(names)
    _check_width(len(data.names), len(names), model)
    return data.scores()


def _check_width(width: int, expected: int, model: str) -> None:
    if width != expected:  # scikit-learn's checks look for these words
        raise InputError(
            f"X has {width} features, but {model} is expecting {expected} features as input. "
            "Pass the same columns in the same order."
        )
