"""Concept values from whatever the caller holds: a mapping, a data frame or a 2-D array.

All of the package reads concepts through :class:`ConceptData`. What counts as true is decided in
:mod:`logiclens.logic.values`. Columns of an array that comes without names are called ``x0``, ``x1``, ...
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
from logiclens.logic.arrays import WORD, BoolArray, FloatArray, Words
from logiclens.logic.values import THRESHOLD, as_array, as_floats, booleanize, missing_values

_BLOCK = 1 << 16  # rows checked at a time


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
