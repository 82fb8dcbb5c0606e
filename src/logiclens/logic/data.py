"""Concept values from a mapping, a data frame or a 2-D array: what counts as true, and what is refused.

All of the package reads concepts through :class:`ConceptData`. Columns of an array that comes without names
are called ``x0``, ``x1``, ... A concept value is a Boolean or a number in [0, 1]; it counts as true when it
is greater than the threshold, 0.5 unless set. (The paper writes both ``>= 0.5`` and ``> 0.5``; we take ``>``,
the definition of its predicates in Sec. 4.2.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from logiclens.errors import InputError, UnknownConceptError, count, listing, shown
from logiclens.logic.arrays import BoolArray, FloatArray, Words, pack

THRESHOLD = 0.5
_MOST_WEIGHT = 1e300
ROUNDING = 1e-9
"""How far outside [0, 1] a scaled value may fall by rounding."""
_BLOCK = 1 << 16  # rows checked at a time


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
    """The error about missing values, given where they are."""
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
    """Truth of that many answers; labels of several classes are recognized."""
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


def check_name(name: str) -> str:
    """Return a concept's name, once it is sure that it is a non-empty string."""
    if not isinstance(name, str):
        remedy = "pass its .name" if isinstance(getattr(name, "name", None), str) else "convert it with str()"
        raise InputError(f"A concept name must be a string. Got {shown(name)}; {remedy}.")
    if not name:
        raise InputError("A concept name must not be empty. Give every column a name.")
    return str.__str__(name)  # a plain one: NumPy's strings show up in messages as np.str_('a')


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """Concept names as a tuple, once it is sure that they are distinct, non-empty strings."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(
            f"Concept names must be a sequence of strings. Got {shown(names)}; write ['a', 'b']."
        )
    checked = tuple(map(check_name, names))
    if len(set(checked)) < len(checked):
        repeated = sorted(name for name, times in Counter(checked).items() if times > 1)
        raise InputError(_repeated(repeated))
    return checked


def check_one_name_each(names: Sequence[str], width: int) -> None:
    """Refuse more or fewer names than columns."""
    if len(names) != width:
        given = f"{count(len(names), 'name')} {'was' if len(names) == 1 else 'were'} given"
        raise InputError(f"{given} for {count(width, 'column')}. Give one name for each column.")


def _repeated(names: Iterable[str]) -> str:
    return f"Concept names must be distinct; repeated: {listing(names)}. Rename the columns."


def check_threshold(threshold: float) -> float:
    """The threshold as a float in [0, 1)."""
    value = as_float(threshold)
    if not 0.0 <= value < 1.0:
        raise InputError(f"The threshold must be a number in [0, 1). Got {shown(threshold)}.")
    return value


def check_count(value: int, name: str, otherwise: str = "", *, least: int = 0) -> int:
    """Return a limit as an int, once it is sure that it is a whole number of at least ``least``.

    ``otherwise`` ends the sentence about what is allowed: ``", or None for no limit"``.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(f"{name} must be a whole number of at least {least}{otherwise}. Got {shown(value)}.")
    return int(value)  # NumPy's integers overflow


def as_float(value: Any) -> float:
    """Return a setting as a float, NaN when it is no number."""
    if isinstance(value, (str, bytes)):
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return np.nan


class ConceptData:
    """Rows of named concepts, read column by column or block by block.

    Parameters
    ----------
    data : mapping, data frame or array of shape (n_rows, n_concepts)
        Booleans or numbers in [0, 1]. A mapping takes each name to a column (or to a single value,
        for one row). Any data frame that narwhals knows will do: pandas, polars, pyarrow, ...
    names : sequence of str, optional
        Names of an array's columns; ``x0``, ``x1``, ... when missing. Not for mappings and frames,
        which carry their own.
    threshold : float, default 0.5
        Values greater than this count as true.

    Attributes
    ----------
    names : tuple of str
    n_rows : int
    """

    def __init__(self, data: Any, names: Sequence[str] | None = None, threshold: float = THRESHOLD) -> None:
        self.threshold = check_threshold(threshold)
        self._advice = ""
        self._matrix: NDArray[Any] | None = None
        self._columns: dict[str, NDArray[Any]] = {}
        if isinstance(data, Mapping):
            self._refuse_names(names, "a mapping")
            self.names = check_names([*data])
            arrays = (as_array(data[name], f"Column {name!r}") for name in self.names)
            self._columns = dict(zip(self.names, map(np.atleast_1d, arrays), strict=True))
            self.n_rows = self._common_length()
        elif not isinstance(data, np.ndarray) and (frame := _as_frame(data)) is not None:
            self._refuse_names(names, "a data frame")
            self.names = check_names([*frame.columns])
            self.n_rows = len(frame)
            self._frame = frame
        else:
            self._matrix = _as_matrix(data)
            self.n_rows, width = self._matrix.shape
            self.names = check_names([f"x{j}" for j in range(width)] if names is None else names)
            self._advice = "Pass names= for an array." if names is None else ""
            check_one_name_each(self.names, width)
        self._position = {name: j for j, name in enumerate(self.names)}

    @staticmethod
    def _refuse_names(names: Sequence[str] | None, what: str) -> None:
        if names is not None:
            raise InputError(
                f"names= is for arrays; {what} carries its own names. Leave it out, or rename the columns."
            )

    def _common_length(self) -> int:
        lengths: dict[int, str] = {}
        for name, column in self._columns.items():
            if column.ndim != 1:
                raise InputError(f"Column {name!r} must be one-dimensional. Got shape {column.shape}.")
            lengths.setdefault(len(column), name)
        if len(lengths) > 1:
            (short, a), (long, b) = sorted(lengths.items())[:2]
            raise InputError(
                f"Columns must have the same number of rows: {a!r} has {short}, {b!r} has {long}. "
                "Cut or fill them to one length."
            )
        return next(iter(lengths), 0)

    def position(self, name: str) -> int:
        """Index of a concept; an unknown one raises :class:`UnknownConceptError`."""
        try:
            return self._position[name]
        except (KeyError, TypeError):
            raise UnknownConceptError(name, self.names, self._advice) from None

    def positions(self, columns: Iterable[str | int]) -> list[int]:
        """Indices of some concepts, given by name or by index."""
        if isinstance(columns, str) or not isinstance(columns, Iterable):
            raise InputError(f"columns must be a sequence of names. Got {shown(columns)}; write ['a', 'b'].")
        found = []
        for column in columns:
            is_index = isinstance(column, (int, np.integer)) and not isinstance(column, bool)  # no mask
            if isinstance(column, str):
                found.append(self.position(column))
            elif is_index and 0 <= column < len(self.names):
                found.append(int(column))
            else:
                raise InputError(
                    f"columns takes names, or positions from 0 to {len(self.names) - 1}. Got {shown(column)}."
                )
        if len(set(found)) < len(found):
            raise InputError("columns names a concept twice. Name each concept once.")
        return found

    def column(self, name: str) -> BoolArray:
        """Truth of one concept, shape (n_rows,)."""
        position = self.position(name)
        if self._matrix is not None:
            raw = self._matrix[:, position]
        elif name in self._columns:
            raw = self._columns[name]
        else:
            raw = self._columns[name] = _series_values(self._frame[name], name)
        return booleanize(raw, f"Column {name!r}", self.threshold)

    @property
    def named(self) -> bool:
        """Whether the data carried names of their own."""
        return self._matrix is None

    def scores(self, names: Sequence[str] | None = None) -> FloatArray:
        """Concept values as numbers in [0, 1], shape (n_rows, n_concepts), once it is sure that they are.

        Parameters
        ----------
        names : sequence of str, optional
            The concepts, in this order; all of them when missing. No others are looked at.
        """
        chosen = self.names if names is None else tuple(names)
        positions = [self.position(name) for name in chosen]
        for _ in self.blocks(positions, _BLOCK):  # each block is checked as it is read
            pass
        if self._matrix is not None:
            return np.clip(self._matrix[:, positions].astype(np.float64), 0.0, 1.0)
        columns = [as_floats(self._columns[name], f"Column {name!r}") for name in chosen]
        return np.clip(np.column_stack(columns), 0.0, 1.0) if columns else np.zeros((self.n_rows, 0))

    def packed_columns(self, names: Sequence[str]) -> dict[str, Words]:
        """Truth of some concepts, rows packed into words, each of shape (ceil(n_rows / 64),)."""
        return {name: pack(self.column(name)) for name in names}

    def blocks(self, positions: Sequence[int], size: int) -> Iterator[BoolArray]:
        """Truth of the columns at ``positions``, ``size`` rows at a time, as C-ordered arrays."""
        everything = list(positions) == list(range(len(self.names)))
        if self._matrix is not None:
            for start in range(0, self.n_rows, size):
                block = self._matrix[start : start + size]
                block = np.ascontiguousarray(block if everything else block[:, positions])
                yield self._checked(block, positions)
            return
        columns = [self.column(self.names[j]) for j in positions]
        for start in range(0, self.n_rows, size):
            parts = [column[start : start + size] for column in columns]
            stop = min(start + size, self.n_rows)
            yield np.stack(parts, axis=1) if parts else np.zeros((stop - start, 0), dtype=np.bool_)

    def _checked(self, block: NDArray[Any], positions: Sequence[int]) -> BoolArray:
        try:
            return booleanize(block, "The concept array", self.threshold)
        except InputError:
            for j in positions:  # say which column, and where in all of it
                self.column(self.names[j])
            raise


def _as_matrix(data: Any) -> NDArray[Any]:
    """Return what is neither a mapping nor a frame as a 2-D array."""
    matrix = as_array(data, "The concept array")
    if matrix.ndim == 2:
        return matrix
    if matrix.ndim == 0:
        got = shown(data)
        remedy = "write [[...], [...]], one list for each row"
    elif matrix.dtype.names:
        got = f"a {type(data).__name__} with the fields {', '.join(matrix.dtype.names)}"
        remedy = "turn it into a data frame: pandas.DataFrame(records)"
    elif matrix.ndim == 1 and matrix.dtype == object and any(isinstance(row, Mapping) for row in matrix):
        got = f"a {type(data).__name__} of mappings"
        remedy = "turn it into one mapping from each name to its column"
    else:
        got = f"a {type(data).__name__} of shape {matrix.shape}"
        remedy = "use reshape(-1, 1) for a single concept, reshape(1, -1) for a single row"
        if matrix.ndim > 2:
            remedy = "use reshape(len(array), -1) to put all concepts of a row side by side"
    raise InputError(
        "Concepts must be a mapping, a data frame or an array of shape (rows, concepts). "
        f"Got {got}; {remedy}."
    )


def _as_frame(data: Any) -> nw.DataFrame[Any] | None:
    """Return the data as a narwhals frame, collected if lazy; None when they are no frame."""
    try:
        frame = nw.from_native(data, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
    except DuplicateError:
        names = getattr(data, "column_names", None) or list(data.columns)  # pyarrow's, or the others'
        repeated = [name for name, times in Counter(names).items() if times > 1]
        raise InputError(_repeated(repeated)) from None
    return frame if isinstance(frame, nw.DataFrame) else None


def _series_values(series: nw.Series[Any], name: str) -> NDArray[Any]:
    if series.null_count():
        raise missing_values(f"Column {name!r}", series.is_null().to_numpy())
    return series.to_numpy()
