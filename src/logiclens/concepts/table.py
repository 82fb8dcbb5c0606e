"""Raw tables: columns of numbers, text and the rest, from whatever the caller holds.

Concepts are Booleans; a raw table is what people have before that, with ages, colors and gaps. Everything
that reads raw data reads it through :class:`Table`, so that a pandas, polars or pyarrow frame, a mapping, an
array and a list of lists of the same values are the same table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from logiclens.concepts.cells import Column as Column
from logiclens.concepts.cells import Kind as Kind
from logiclens.concepts.cells import read_array, read_series
from logiclens.errors import InputError, UnknownColumnError, UnknownColumnsError, count, listing, shown


class Table:
    """A raw table: named columns of equal length, each read when it is first asked for.

    Parameters
    ----------
    data : data frame, mapping, array of shape (n_rows, n_columns) or the like
        Any data frame that narwhals knows (pandas, polars, pyarrow, ...; lazy ones are collected), a mapping
        from each name to a column (or to a single value, for one row), a 2-D array or list of lists, also of
        mixed values, a SciPy sparse matrix or a torch tensor.
    names : sequence of str, optional
        Names of an array's columns; ``x0``, ``x1``, ... when missing. Not for mappings and frames, which
        carry their own.

    Attributes
    ----------
    names : tuple of str
    named : bool
        Whether the names mean something. They do not where they were made up here, nor where a frame counts
        its columns instead of naming them.
    labelled : bool
        Whether the data labelled their columns in any way, if only by counting them: then they can be told
        apart, whatever their order.
    n_rows : int

    Examples
    --------
    >>> table = Table([[62, "red"], [30, None]], names=["age", "color"])
    >>> table.names, table.n_rows, table.column("color").kind.value
    (('age', 'color'), 2, 'text')
    """

    def __init__(self, data: Any, names: Sequence[str] | None = None) -> None:
        self._cache: dict[str, Column] = {}
        self._read: Callable[[int], Column]
        self._advice = ""
        self.names: tuple[str, ...]
        self.named: bool
        self.labelled = True
        self.n_rows: int
        if isinstance(data, Table):
            _refuse_names(names, "a table")
            self.names, self.named, self.n_rows = data.names, data.named, data.n_rows
            self.labelled = data.labelled
            self._read = lambda place: data.column(data.names[place])
        elif isinstance(data, Mapping):
            _refuse_names(names, "a mapping")
            self.names, self.named = _names_of([*data])
            columns = [_vector(values, name) for name, values in zip(self.names, data.values(), strict=True)]
            self.n_rows = _common_length(self.names, columns)
            self._read = columns.__getitem__
        elif (frame := _as_frame(data)) is not None:
            _refuse_names(names, "a data frame")
            labels = [*frame.columns]  # a list that some frames make anew each time
            self.names, self.named = _names_of(labels)
            self.n_rows = len(frame)
            self._read = lambda place: read_series(frame.get_column(labels[place]), self.names[place])
        else:
            matrix = _as_matrix(data)
            self.n_rows, width = matrix.shape
            self.names, strings = _names_of([f"x{j}" for j in range(width)] if names is None else names)
            if not strings:
                raise InputError(f"names must be strings. Got {shown(names)}; convert them with str().")
            self.named = self.labelled = names is not None
            self._advice = "" if self.named else "Pass names= for an array."
            if len(self.names) != width:
                given = f"{count(len(self.names), 'name')} {'was' if len(self.names) == 1 else 'were'} given"
                raise InputError(f"{given} for {count(width, 'column')}. Give one name for each column.")
            self._read = lambda place: read_array(matrix[:, place], self.names[place])
        self._place = {name: place for place, name in enumerate(self.names)}

    def column(self, name: str) -> Column:
        """Return a column; one that the data lack raises :class:`~logiclens.errors.UnknownColumnError`."""
        if not isinstance(name, str):
            raise InputError(f"A column is asked for by its name, a string. Got {shown(name)}.")
        if name not in self._cache:
            if name not in self._place:
                raise UnknownColumnError(name, self.names, self._advice)
            self._cache[name] = self._read(self._place[name])
        return self._cache[name]

    def check_has(self, names: Iterable[str]) -> None:
        """Raise :class:`~logiclens.errors.UnknownColumnError`, which names all columns that are lacking."""
        lacking = [name for name in names if name not in self._place]
        if len(lacking) == 1:
            raise UnknownColumnError(lacking[0], self.names, self._advice)
        if lacking:
            raise UnknownColumnsError(lacking, self.names, self._advice)

    def __contains__(self, name: object) -> bool:
        return name in self._place

    def take(self, index: Any) -> Table:
        """Return some of the rows, by number, as often as it is named, or by a mask of shape (n_rows,)."""
        rows = array_of_cells(index, "index")
        if rows.dtype == np.bool_ and rows.shape == (self.n_rows,):
            rows = np.flatnonzero(rows)
        elif not rows.size:
            rows = np.zeros(0, dtype=np.intp)
        if rows.dtype.kind not in "iu" or rows.ndim != 1 or not np.isin(rows, np.arange(self.n_rows)).all():
            raise InputError(
                f"Rows are taken by number, from 0 to {self.n_rows - 1}, or by a mask of {self.n_rows} "
                f"Booleans. Got {shown(index)}."
            )
        part = Table(self)
        part.n_rows = len(rows)
        part._advice = self._advice
        part._read = lambda place: self.column(self.names[place]).take(rows)
        return part


def _refuse_names(names: Sequence[str] | None, what: str) -> None:
    if names is not None:
        raise InputError(
            f"names= is for arrays; {what} carries its own names. Leave it out, or rename the columns."
        )


def _names_of(given: Sequence[object]) -> tuple[tuple[str, ...], bool]:
    """Names as distinct strings, and whether all of them were."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"Column names must be a sequence of strings. Got {shown(given)}; write ['a', 'b'].")
    given = [*given]
    names = tuple(str.__str__(name) if isinstance(name, str) else str(name) for name in given)
    if "" in names:
        raise InputError("A column name must not be empty. Give every column a name.")
    if len(set(names)) < len(names):
        repeated = sorted(name for name, times in Counter(names).items() if times > 1)
        raise InputError(_repeated(repeated))
    return names, all(isinstance(name, str) for name in given)


def _repeated(names: Iterable[object]) -> str:
    return f"Column names must be distinct; repeated: {listing(names)}. Rename the columns."


def _as_frame(data: Any) -> nw.DataFrame[Any] | None:
    """Return the data as a narwhals frame, collected if lazy; None when they are no frame."""
    try:
        frame = nw.from_native(data, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
    except DuplicateError:
        names = getattr(data, "column_names", None) or list(data.columns)  # pyarrow's, or the others'
        raise InputError(_repeated(name for name, times in Counter(names).items() if times > 1)) from None
    return frame if isinstance(frame, nw.DataFrame) else None


def _plain(data: Any) -> Any:
    """What is no array but can be one: sparse matrices and tensors."""
    if hasattr(data, "toarray") and hasattr(data, "nnz"):
        return data.toarray()
    return data.detach().cpu().numpy() if hasattr(data, "detach") else data


def array_of_cells(data: Any, label: str) -> NDArray[Any]:
    """Return values as an array that leaves each as it is: 1 beside "a" stays a number.

    Examples
    --------
    >>> array_of_cells([1, "a"], "Column 'x'")
    array([1, 'a'], dtype=object)
    """
    data = _plain(data)
    if isinstance(data, np.ma.MaskedArray):
        cells = np.array(data.data, dtype=object)
        cells[np.ma.getmaskarray(data)] = None
        return cells
    try:
        array = np.asarray(data)
        if array.dtype.kind in "US" and not isinstance(data, np.ndarray):
            array = np.array(data, dtype=object)
    except (ValueError, TypeError):
        raise InputError(
            f"{label} is not rectangular: rows or columns differ in length. Make all of them equally long."
        ) from None
    return array


def _as_matrix(data: Any) -> NDArray[Any]:
    matrix = array_of_cells(data, "The table")
    if matrix.ndim == 2:
        return matrix
    if matrix.ndim == 0:
        got, remedy = shown(data), "write [[...], [...]], one list for each row"
    elif matrix.dtype == object and any(isinstance(row, Mapping) for row in matrix.flat):
        got = f"a {type(data).__name__} of mappings"
        remedy = "turn it into one mapping from each name to its column"
    else:
        got = f"a {type(data).__name__} of shape {matrix.shape}"
        # scikit-learn's checks look for the words "Reshape your data".
        remedy = "Reshape your data: reshape(-1, 1) for a single column, reshape(1, -1) for a single row"
        if matrix.ndim > 2:
            remedy = "use reshape(len(array), -1) to put all columns of a row side by side"
    raise InputError(
        "A table must be a data frame, a mapping or an array of shape (rows, columns). "
        f"Got {got}{'. ' if remedy[0].isupper() else '; '}{remedy}."
    )


def _common_length(names: Sequence[str], columns: Sequence[Column]) -> int:
    lengths: dict[int, str] = {}
    for name, column in zip(names, columns, strict=True):
        lengths.setdefault(len(column), name)
    if len(lengths) > 1:
        (short, a), (long, b) = sorted(lengths.items())[:2]
        raise InputError(
            f"Columns must have the same number of rows: {a!r} has {short}, {b!r} has {long}. "
            "Cut or fill them to one length."
        )
    return next(iter(lengths), 0)


def _vector(values: Any, name: str) -> Column:
    """Read one value of a mapping: a series, an array, a list or a single value."""
    series = nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series):
        return read_series(series, name)
    array = np.atleast_1d(array_of_cells(values, f"Column {name!r}"))
    if array.ndim != 1:
        raise InputError(f"Column {name!r} must be one-dimensional. Got shape {array.shape}.")
    return read_array(array, name)


def check_tells_apart(n_rows: int, names: Sequence[str]) -> None:
    """Refuse tables without enough to tell rows apart; scikit-learn's checks look for some of the words."""
    if not names:
        raise InputError(
            f"Found array with 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required. "
            "Pass a table with columns."
        )
    if n_rows < 2:
        raise InputError(f"At least 2 rows are needed to tell values apart. Got n_samples = {n_rows}.")
