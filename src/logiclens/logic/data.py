"""Concept values from whatever the caller holds: a mapping, a data frame or a 2-D array.

All of the package reads concepts through :class:`ConceptData`, so one place decides what a concept
value is. A value is a Boolean or a number in [0, 1]; it counts as true when it is greater than the
threshold, 0.5 unless set. (The paper writes both ``>= 0.5`` and ``> 0.5``; we take ``>``, the
definition of its predicates in Sec. 4.2.) Columns of an array that comes without names are called
``x0``, ``x1``, ...
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from logiclens.errors import InputError, UnknownConceptError, listing

BoolArray: TypeAlias = NDArray[np.bool_]
Words: TypeAlias = NDArray[np.uint64]
"""Bits packed into 64-bit words along the last axis, bit ``j`` of the whole in word ``j // 64``."""
FloatArray: TypeAlias = NDArray[np.float64]

THRESHOLD = 0.5
WORD = 64


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """Concept names as a tuple, once it is sure that they are distinct, non-empty strings."""
    if isinstance(names, str):
        raise InputError(f"Concept names must be a sequence of strings, not one string. Got {names!r}.")
    checked = tuple(names)
    for name in checked:
        if not isinstance(name, str):
            raise InputError(f"A concept name must be a string. Got {name!r}; convert it with str().")
        if not name:
            raise InputError("A concept name must not be empty. Give every column a name.")
    if len(set(checked)) < len(checked):
        repeated = sorted({name for name in checked if checked.count(name) > 1})
        raise InputError(f"Concept names must be distinct; repeated: {listing(repeated)}. Rename the columns.")
    return checked


def check_threshold(threshold: float) -> float:
    """The threshold as a float in [0, 1)."""
    try:
        value = float(threshold)
    except (TypeError, ValueError):
        value = np.nan
    if not 0.0 <= value < 1.0:
        raise InputError(f"The threshold must be a number in [0, 1). Got {threshold!r}.")
    return value


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
            f"{label} has the value {wrong:g}, outside [0, 1]. Turn it into concepts first, "
            "for instance by comparing it with a cut point."
        )
    truth: BoolArray = values > threshold
    return truth


def _unboxed(values: NDArray[Any], label: str) -> NDArray[Any]:
    """An object array of Booleans or of numbers, as an array of that type."""
    kinds = {type(value) for value in values.ravel()}
    if any(value is None or value != value for value in values.ravel()):
        raise InputError(f"{label} has missing values (None or NaN). Impute or drop those rows first.")
    if kinds <= {bool, np.bool_}:
        return values.astype(np.bool_)
    if all(issubclass(kind, (bool, int, float, np.number, np.bool_)) for kind in kinds):
        return values.astype(np.float64)
    named = sorted(kind.__name__ for kind in kinds)
    raise InputError(
        f"{label} has values of type {', '.join(named)}; concepts are Booleans or numbers in [0, 1]. "
        "Encode the column first."
    )


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
            self._columns = {name: np.atleast_1d(_as_array(data[name])) for name in check_names([*data])}
            self.names = tuple(self._columns)
            self.n_rows = self._common_length()
        elif (frame := _as_frame(data)) is not None:
            self._refuse_names(names, "a data frame")
            self.names = check_names([*frame.columns])
            self.n_rows = len(frame)
            self._frame = frame
        else:
            self._matrix = _as_array(data)
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
        lengths = {}
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

    def packed_column(self, name: str) -> Words:
        """Truth of one concept, rows packed into words, shape (ceil(n_rows / 64),)."""
        return pack(self.column(name))

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


def pack(bits: BoolArray) -> Words:
    """Pack Booleans into 64-bit words along the last axis; the bits beyond the end are 0."""
    n_words = -(-bits.shape[-1] // WORD)
    packed = np.zeros((*bits.shape[:-1], n_words * 8), dtype=np.uint8)
    as_bytes = np.packbits(bits, axis=-1, bitorder="little")
    packed[..., : as_bytes.shape[-1]] = as_bytes
    return packed.view(np.uint64)


def unpack(words: Words, n_bits: int) -> BoolArray:
    """Undo :func:`pack`."""
    as_bytes = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(as_bytes, axis=-1, count=n_bits, bitorder="little").view(np.bool_)


def _as_array(values: Any) -> NDArray[Any]:
    if hasattr(values, "toarray") and hasattr(values, "nnz"):
        raise InputError("Sparse matrices are not read here. Convert with X.toarray().")
    try:
        return np.asarray(values)
    except (ValueError, TypeError):
        raise InputError(
            "The values do not form a rectangular array: rows or columns differ in length. "
            "Give a 2-D array, a data frame or a mapping from names to columns."
        ) from None


def _as_frame(data: Any) -> nw.DataFrame[Any] | None:
    """Return the data as a narwhals frame, collected if lazy; None when they are no frame."""
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return frame if isinstance(frame, nw.DataFrame) else None


def _series_values(series: nw.Series[Any], name: str) -> NDArray[Any]:
    if series.null_count():
        raise InputError(f"Column {name!r} has missing values. Impute or drop those rows first.")
    return series.to_numpy()
