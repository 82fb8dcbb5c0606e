"""Arrays of concept values, answers and weights: what is read, what counts as true, what is refused.

A concept value is a Boolean or a number in [0, 1]; it counts as true when it is greater than the threshold,
0.5 unless set. (The paper writes both ``>= 0.5`` and ``> 0.5``; we take ``>``, the definition of its
predicates in Sec. 4.2.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.errors import InputError, count, shown
from logiclens.logic.arrays import BoolArray, FloatArray

THRESHOLD = 0.5
_MOST_WEIGHT = 1e300
ROUNDING = 1e-9
"""How far outside [0, 1] a scaled value may fall by rounding."""


def booleanize(values: NDArray[Any], label: str, threshold: float = THRESHOLD) -> BoolArray:
    """Truth of concept values: ``values > threshold``.

    Parameters
    ----------
    values : ndarray
        Booleans or numbers in [0, 1], of any shape.
    label : str
        What the values are, for error messages: ``"Column 'age'"``.
    threshold : float, default 0.5
        A value counts as true when it is greater.
    """
    if values.dtype == np.bool_:
        return values
    if values.dtype == object:
        values = _unboxed(values, label)
        if values.dtype == np.bool_:
            return values
    if values.dtype.kind not in "iuf":
        raise InputError(
            f"{label} has values of type {values.dtype}; concepts are Booleans or numbers in [0, 1]. "
            "Encode the column first."
        )
    if values.size == 0:
        return np.zeros(values.shape, dtype=np.bool_)
    low, high = values.min(), values.max()
    if np.isnan(low):  # min() is NaN as soon as one value is
        raise missing_values(label, np.isnan(values), " (NaN)")
    if low < -ROUNDING or high > 1 + ROUNDING:
        wrong = low if low < 0 else high
        raise InputError(
            f"{label} has the value {wrong!s}, outside [0, 1]. Turn it into concepts first, "
            "for instance by comparing it with a cut point."
        )
    truth: BoolArray = values > threshold
    return truth


def _unboxed(values: NDArray[Any], label: str) -> NDArray[Any]:
    """An object array of Booleans or of numbers, as an array of that type."""
    kinds = {type(value) for value in values.ravel()}
    if kinds <= {bool, np.bool_}:
        return values.astype(np.bool_)
    if any(map(_is_missing, values.ravel())):
        missing = np.array([_is_missing(value) for value in values.ravel()]).reshape(values.shape)
        raise missing_values(label, missing, " (None or NaN)")
    if all(issubclass(kind, (int, float, np.integer, np.floating, np.bool_)) for kind in kinds):
        return _as_floats(values, label)
    named = sorted(kind.__name__ for kind in kinds)
    raise InputError(
        f"{label} has values of type {', '.join(named)}; concepts are Booleans or numbers in [0, 1]. "
        "Encode the column first."
    )


def missing_values(label: str, missing: BoolArray, kind: str = "") -> InputError:
    """What to say of missing values, given where they are."""
    first = np.argwhere(missing)[0][:1].tolist()  # none when there is a single value
    place = f", the first in row {first[0]} (counted from 0)" if first else ""
    number = count(int(missing.sum()), "missing value")
    return InputError(f"{label} has {number}{kind}{place}. Impute or drop those rows first.")


def _is_missing(value: object) -> bool:
    """Whether a value is None, or unlike itself as NaN, NaT and the NA of pandas are."""
    try:
        return value is None or not bool(value == value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def as_array(values: Any, label: str) -> NDArray[Any]:
    """Return values as an array; the label says in error messages what they are."""
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise InputError("Sparse matrices are not read here. Convert with X.toarray().")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise missing_values(label, np.ma.getmaskarray(values), " (masked)")
    try:
        return np.asarray(values)
    except (ValueError, TypeError):
        raise InputError(
            f"{label} is not rectangular: rows or columns differ in length. Make all of them equally long."
        ) from None


def as_answers(predictions: Any, length: int, threshold: float) -> BoolArray:
    """Truth of that many answers; labels of several classes are told from answers about one."""
    answers = as_array(predictions, "predictions")
    check_length(answers, "predictions", length)
    wrong = _class_label(answers)
    if wrong is None:
        return booleanize(answers, "The prediction array", threshold)
    example = answers.max() if answers.dtype.kind in "iuf" else wrong
    raise InputError(
        "predictions must say yes or no for one class: Booleans or numbers in [0, 1]. "
        f"Got the label {_plain(wrong)}; for the class {_plain(example)} write y == {_plain(example)}."
    )


def _plain(label: Any) -> str:
    """A class label as a person would type it: no type of NumPy, no ``.0``."""
    value = label.item() if isinstance(label, np.generic) else label
    return shown(int(value) if isinstance(value, float) else value)


def _class_label(answers: NDArray[Any]) -> Any:
    """A value that can only be the label of a class, a text or a whole number, or None."""
    if answers.dtype.kind in "US":
        return answers[0] if answers.size else None
    if answers.dtype == object:
        return next((value for value in answers if isinstance(value, str)), None)
    if answers.dtype.kind not in "iuf" or not answers.size or not np.isfinite(answers).all():
        return None
    outside = answers[(answers < 0) | (answers > 1)]
    return outside[0] if outside.size and (answers == np.round(answers)).all() else None


def as_floats(values: Any, label: str) -> FloatArray:
    """Return values as an array of floats; text, dates and complex numbers are refused, not converted."""
    array = as_array(values, label)
    if array.dtype.kind not in "biufO":
        raise InputError(f"{label} must hold numbers. Got values of type {array.dtype}.")
    return _as_floats(array, label)


def _as_floats(array: NDArray[Any], label: str) -> FloatArray:
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise InputError(f"{label} has a value that is too large for a float. Scale it down.") from None
    except (TypeError, ValueError):
        raise InputError(f"{label} must hold numbers. Got values of type {array.dtype}.") from None


def as_weights(values: Any, label: str, length: int) -> FloatArray:
    """Return values as that many weights: finite, not negative, and not so large that sums overflow."""
    weights = as_floats(values, label)
    check_length(weights, label, length)
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise InputError(
            f"{label} must be finite and not negative. Check for NaN, infinity and negative values."
        )
    with np.errstate(over="ignore"):
        total = weights.sum()
    if total > _MOST_WEIGHT:
        raise InputError(f"{label} adds up to more than {_MOST_WEIGHT:g}. Scale the weights down.")
    return weights


def as_shares(values: Any, label: str, length: int) -> FloatArray:
    """Return values as that many numbers in [0, 1]."""
    shares = as_floats(values, label)
    check_length(shares, label, length)
    if np.isnan(shares).any():
        raise missing_values(label, np.isnan(shares), " (NaN)")
    wrong = shares[(shares < -ROUNDING) | (shares > 1 + ROUNDING)]
    if len(wrong):
        raise InputError(
            f"{label} must be numbers in [0, 1]. Got {wrong[0]:g}; of percentages take a hundredth."
        )
    return np.clip(shares, 0.0, 1.0)


def check_length(vector: NDArray[Any], label: str, length: int) -> None:
    """Refuse an array that is not a vector of that length."""
    if vector.shape != (length,):
        remedy = "; pass it flat, with .ravel()" if vector.shape in ((length, 1), (1, length)) else ""
        raise InputError(
            f"{label} must have one value for each of the {length} rows. Got shape {vector.shape}{remedy}."
        )
