"""Concept values from whatever the caller holds: a mapping, a data frame or a 2-D array.

All of the package reads concepts through :class:`ConceptData`, so one place decides what a concept
value is. A value is a Boolean or a number in [0, 1]; it counts as true when it is greater than the
threshold, 0.5 unless set. (The paper writes both ``>= 0.5`` and ``> 0.5``; we take ``>``, the
definition of its predicates in Sec. 4.2.) Columns of an array that comes without names are called
``x0``, ``x1``, ...
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from logiclens.errors import InputError, UnknownConceptError, listing, shown
from logiclens.logic.arrays import WORD, BoolArray, FloatArray, Words

THRESHOLD = 0.5
_MOST_WEIGHT = 1e300


def check_name(name: str) -> str:
    """Return a concept's name, once it is sure that it is a non-empty string."""
    if not isinstance(name, str):
        raise InputError(f"A concept name must be a string. Got {shown(name)}; convert it with str().")
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


def _repeated(names: Iterable[str]) -> str:
    return f"Concept names must be distinct; repeated: {listing(names)}. Rename the columns."


def check_threshold(threshold: float) -> float:
    """The threshold as a float in [0, 1)."""
    value = as_float(threshold)
    if not 0.0 <= value < 1.0:
        raise InputError(f"The threshold must be a number in [0, 1). Got {shown(threshold)}.")
    return value


def check_count(value: int, name: str, otherwise: str = "") -> int:
    """Return a limit as an int, once it is sure that it is a whole number and not negative.

    ``otherwise`` ends the sentence about what is allowed: ``", or None for no limit"``.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise InputError(f"{name} must be a whole number of at least 0{otherwise}. Got {shown(value)}.")
    return int(value)  # NumPy's integers overflow


def as_float(value: Any) -> float:
    """Return a setting as a float, NaN when it is no number."""
    if isinstance(value, (str, bytes)):
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return np.nan


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
        raise InputError(f"{label} has missing values (NaN). Impute or drop those rows first.")
    if low < 0 or high > 1:
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
        raise InputError(f"{label} has missing values (None or NaN). Impute or drop those rows first.")
    if all(issubclass(kind, (int, float, np.integer, np.floating, np.bool_)) for kind in kinds):
        return _as_floats(values, label)
    named = sorted(kind.__name__ for kind in kinds)
    raise InputError(
        f"{label} has values of type {', '.join(named)}; concepts are Booleans or numbers in [0, 1]. "
        "Encode the column first."
    )


def _is_missing(value: object) -> bool:
    """Whether a value is None, or unlike itself as NaN, NaT and the NA of pandas are."""
    try:
        return value is None or not bool(value == value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


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
        self._matrix: NDArray[Any] | None = None
        self._columns: dict[str, NDArray[Any]] = {}
        if isinstance(data, Mapping):
            self._refuse_names(names, "a mapping")
            self.names = check_names([*data])
            arrays = (as_array(data[name], f"Column {name!r}") for name in self.names)
            self._columns = dict(zip(self.names, map(np.atleast_1d, arrays), strict=True))
            self.n_rows = self._common_length()
        elif (frame := _as_frame(data)) is not None:
            self._refuse_names(names, "a data frame")
            self.names = check_names([*frame.columns])
            self.n_rows = len(frame)
            self._frame = frame
        else:
            self._matrix = as_array(data, "The concept array")
            if self._matrix.ndim != 2:
                raise InputError(
                    f"Concepts must be a table of shape (rows, concepts). Got an array of shape "
                    f"{self._matrix.shape}; use reshape(-1, 1) for a single concept."
                )
            self.n_rows, width = self._matrix.shape
            self.names = check_names([f"x{j}" for j in range(width)] if names is None else names)
            if len(self.names) != width:
                raise InputError(
                    f"{len(self.names)} names were given for {width} columns. Give one name for each column."
                )
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
            raise UnknownConceptError(name, self.names) from None

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

    def packed_columns(self, names: Sequence[str]) -> dict[str, Words]:
        """Truth of some concepts, rows packed into words, each of shape (ceil(n_rows / 64),)."""
        n_bytes = -(-self.n_rows // 8)
        packed = np.zeros((len(names), -(-self.n_rows // WORD) * 8), dtype=np.uint8)
        for at, name in enumerate(names):
            # packbits is several times slower on strided input than copying it first.
            column = np.ascontiguousarray(self.column(name))
            packed[at, :n_bytes] = np.packbits(column, bitorder="little")
        return dict(zip(names, packed.view(np.uint64), strict=True))

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
            for at, j in enumerate(positions):  # say which column
                booleanize(block[:, at], f"Column {self.names[j]!r}", self.threshold)
            raise


def as_array(values: Any, label: str) -> NDArray[Any]:
    """Return values as an array; the label says in error messages what they are."""
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise InputError("Sparse matrices are not read here. Convert with X.toarray().")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InputError(f"{label} has missing values (masked). Impute or drop those rows first.")
    try:
        return np.asarray(values)
    except (ValueError, TypeError):
        raise InputError(
            f"{label} is not rectangular: rows or columns differ in length. Make all of them equally long."
        ) from None


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


def check_length(vector: NDArray[Any], label: str, length: int) -> None:
    """Refuse an array that is not a vector of that length."""
    if vector.shape != (length,):
        raise InputError(
            f"{label} must have one value for each of the {length} rows. Got shape {vector.shape}."
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
        raise InputError(f"Column {name!r} has missing values. Impute or drop those rows first.")
    return series.to_numpy()
