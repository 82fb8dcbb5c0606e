"""Labels of targets: what may name a class, a cluster or an output, and how labels stand in arrays.

A label is a text, a whole number, a number or a Boolean, and always a plain value of Python: the scalars
of NumPy that labels usually come as are unpacked. The labels of one problem are all of one type, since
``1``, ``1.0`` and ``True`` would otherwise be one label with three faces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from logiclens.errors import InputError, listing, shown
from logiclens.logic.arrays import BoolArray
from logiclens.logic.values import as_array, booleanize, check_length, missing_values

Label: TypeAlias = str | int | float
"""A Boolean is an int to Python."""

_LEAST, _MOST = -(2**63), 2**64 - 1  # what NumPy's integers hold
_KINDS = {str: "text", bool: "Booleans", int: "whole numbers", float: "numbers"}


def plain_label(value: Any) -> Label:
    """Return a label as a plain str, bool, int or float.

    Examples
    --------
    >>> import numpy as np
    >>> plain_label(np.str_("death")), plain_label(np.int64(3)), plain_label(np.True_)
    ('death', 3, True)
    """
    match value:
        case str():
            return str.__str__(value)
        case bool() | np.bool_():
            return bool(value)
        case int() | np.integer() if _LEAST <= value <= _MOST:
            return int(value)
        case float() | np.floating() if isfinite(value):
            return float(value) + 0.0  # -0.0 is 0.0
    raise InputError(
        "A label must be text, a Boolean, a finite number or a whole number of 64 bits at most. "
        f"Got {shown(value)}."
    )


def check_labels(labels: Sequence[Label]) -> None:
    """Refuse plain labels that are repeated or of several types."""
    kinds = {type(label): label for label in reversed(labels)}
    if len(kinds) > 1:
        named = " and ".join(f"{_KINDS[kind]} ({shown(label)})" for kind, label in reversed(kinds.items()))
        raise InputError(f"Labels must be of one type. Got {named}; convert them to one, such as str.")
    if len(set(labels)) < len(labels):
        repeated = sorted({label for label in labels if labels.count(label) > 1})
        raise InputError(f"Labels must be distinct; repeated: {listing(repeated)}. Give each target its own.")


def label_array(labels: Sequence[Label]) -> NDArray[Any]:
    r"""Plain labels of one type as an array of that type, or of objects where NumPy would change them.

    Examples
    --------
    >>> label_array([3, 5]).dtype.kind, label_array(["a", "b"]).dtype.kind
    ('i', 'U')
    >>> label_array(["NumPy cuts this", "off here: \0"]).dtype.kind
    'O'
    """
    array = np.array(labels)
    kept = array.tolist()
    if kept == list(labels) and all(
        type(mine) is type(other) for mine, other in zip(kept, labels, strict=True)
    ):
        return array
    return np.array(labels, dtype=object)


def true_labels(y: Any, labels: Sequence[Label], n_rows: int) -> NDArray[Any]:
    """Return that many true labels as an array that can be compared with :func:`label_array`.

    Parameters
    ----------
    y : array of shape (n_rows,)
        Labels that are not among ``labels`` are allowed, those of another type and missing ones are not.
    labels : sequence of labels
        What they will be compared with.
    n_rows : int
    """
    truth = as_array(y, "y")
    check_length(truth, "y", n_rows)
    if truth.dtype.kind == "f" and np.isnan(truth).any():
        raise missing_values("y", np.isnan(truth), " (NaN)")
    if truth.dtype.kind not in "biufU":  # objects, strings of variable length, what has no labels in it
        truth = truth.astype(object)
        for label in set(truth.tolist()):
            plain_label(label)
    is_text = isinstance(labels[0], str)
    odd = [label for label in truth[:1].tolist() if isinstance(label, str) != is_text]
    if odd:
        raise InputError(
            f"y has labels such as {shown(odd[0])}; the rules are about labels such as {shown(labels[0])}. "
            "Convert y to their type."
        )
    return truth


def true_answers(y: Any, labels: Sequence[Label], n_rows: int) -> BoolArray:
    """Truth of every label on that many rows, shape (n_rows, n_labels).

    Parameters
    ----------
    y : mapping, data frame or array of shape (n_rows, n_labels)
        Booleans or numbers in [0, 1]. Columns that are called like the labels may stand in any order.
    labels : sequence of labels
    n_rows : int
    """
    columns = column_names(y)
    truth = as_array(list(y.values()), "y").T if isinstance(y, Mapping) else as_array(y, "y")
    if columns is not None and set(labels) <= set(columns):
        truth = truth[:, [columns.index(label) for label in labels]]
    elif columns is not None and isinstance(labels[0], str):
        missing = next(label for label in labels if label not in columns)
        raise InputError(f"y has no column for the label {missing!r}. Name its columns after the labels.")
    if truth.shape != (n_rows, len(labels)):
        raise InputError(
            f"y must have a row for each row of data and a column for each label, shape "
            f"{(n_rows, len(labels))}. Got shape {truth.shape}."
        )
    return booleanize(truth, "y")


def column_names(data: Any) -> list[Any] | None:
    """Return the names that the columns of a mapping or a data frame carry; None for an array."""
    if isinstance(data, Mapping):
        return list(data)
    try:
        frame = nw.from_native(data, pass_through=True)
    except DuplicateError:
        raise InputError("Columns must have distinct names. Rename those that are repeated.") from None
    return frame.collect_schema().names() if isinstance(frame, (nw.DataFrame, nw.LazyFrame)) else None
