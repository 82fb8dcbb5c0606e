"""Raw tables: columns of numbers, text and the rest, from whatever the caller holds.

Concepts are Booleans; a raw table is what people have before that, with ages, colors and gaps. Everything
that reads raw data reads it through :class:`Table`, so that a pandas, polars or pyarrow frame, a mapping, an
array and a list of lists of the same values are the same table.

What counts as missing is decided here and nowhere else: ``None``, NaN, NaT, pandas' ``NA`` and the null of a
data frame. An infinite number is refused.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from logiclens.errors import (
    ColumnError,
    InputError,
    Reason,
    UnknownColumnError,
    UnknownColumnsError,
    count,
    listing,
    shown,
)
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.data import ROUNDING, THRESHOLD

_NUMBERS = (int, float, np.integer, np.floating, np.bool_, Decimal, Fraction)
_LABELS = (str, int, float, np.integer, np.floating)
_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
_NEVER_MISSING = {str, int, bool}


class Kind(StrEnum):
    """Kind of values in a column."""

    BOOLEAN = "Booleans"
    NUMBER = "numbers"
    TEXT = "text"
    """Text, and the values of categorical columns, which may be numbers."""
    DATE = "dates or times"
    OTHER = "other values"


class ValueType(StrEnum):
    """Type that the values of a column are read as."""

    NUMBER = "numbers"
    FLAG = "yes or no"
    """Booleans, 0 and 1, or other numbers; in text also yes and no."""
    TEXT = "text"
    MIXED = "text and numbers"
    """Each value a number where it is one, else text."""
    CATEGORY = "categories"
    """Numbers where all values are, else text: none is a slip, as it may be one of a column of numbers."""


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts as codes, so that no Python object is made of each.

    Attributes
    ----------
    levels : tuple of str
        The distinct texts in the order in which they appear.
    codes : ndarray of int, shape (n,)
        Which of them each value is, -1 where it is missing.

    Examples
    --------
    >>> part = Texts(("a", "b", "c"), np.array([0, 1, 2, -1, 1])).take(np.array([2, 3, 1]))
    >>> part.levels, part.codes.tolist()
    (('c', 'b'), [0, -1, 1])
    """

    levels: tuple[str, ...]
    codes: IndexArray

    def take(self, index: NDArray[Any] | slice) -> Texts:
        """Texts of some rows."""
        codes = self.codes[index]
        used, first = np.unique(codes, return_index=True)
        used = used[np.argsort(first)]
        used = used[used >= 0]
        new = np.full(len(self.levels) + 1, -1)  # code -1 is the last
        new[used] = np.arange(len(used))
        return Texts(tuple(self.levels[code] for code in used), new[codes])

    def column(self, name: str) -> Column:
        """A column of them."""
        values = np.array([*self.levels, None], dtype=object)
        return Column(name, Kind.TEXT, self.codes < 0, values[self.codes], self)


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a raw table.

    Attributes
    ----------
    name : str
    kind : Kind
    missing : ndarray of bool, shape (n,)
        Where there is no value.
    raw : ndarray, shape (n,)
        The values as they were read; what stands where one is missing means nothing.
    texts : Texts, optional
        The same as codes, of a column of text that came with them or from a frame that makes them.

    Examples
    --------
    >>> from logiclens.concepts import Table
    >>> age = Table({"age": [62, None, 30]}).column("age")
    >>> age.kind, age.missing.tolist(), age.values().tolist()
    (<Kind.NUMBER: 'numbers'>, [False, True, False], [62, None, 30])
    """

    name: str
    kind: Kind
    missing: BoolArray
    raw: NDArray[Any]
    texts: Texts | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.missing)

    @property
    def is_numeric(self) -> bool:
        """True of numbers and Booleans, which :meth:`numbers` returns."""
        return self.kind in (Kind.BOOLEAN, Kind.NUMBER)

    def numbers(self) -> FloatArray:
        """Return the values as floats, shape (n,), NaN where one is missing; Booleans are 0 and 1.

        Raises
        ------
        InputError
            When the column holds something else, and not only gaps.
        """
        return self._numbers

    @cached_property
    def _numbers(self) -> FloatArray:
        if self.missing.all():
            return np.full(len(self), np.nan)
        if not self.is_numeric:
            raise InputError(
                f"Column {self.name!r} must hold numbers. Got {self.kind}, such as {shown(self.example())}."
            )
        numbers = self.raw.astype(np.float64)
        numbers[self.missing] = np.nan
        return numbers

    def values(self) -> NDArray[np.object_]:
        """Return plain Python values, shape (n,), None where one is missing."""
        values = self.raw.astype(object)
        values[self.missing] = None
        return values

    def example(self) -> object:
        """The first value, None when all are missing."""
        present = np.flatnonzero(~self.missing)
        return self.raw[present[:1]].astype(object)[0] if present.size else None

    @cached_property
    def levels(self) -> tuple[Any, ...]:
        """The distinct values that are not missing: numbers in ascending order, others as they appear."""
        return self._coded[0]

    @property
    def codes(self) -> IndexArray:
        """Place of each value among the levels, shape (n,), -1 where it is missing."""
        return self._coded[1]

    @cached_property
    def _coded(self) -> tuple[tuple[Any, ...], IndexArray]:
        if self.texts is not None:
            return self.texts.levels, self.texts.codes
        codes = np.full(len(self), -1, dtype=np.intp)
        present = self.raw[~self.missing]
        if self.raw.dtype != object:
            distinct, codes[~self.missing] = np.unique(present, return_inverse=True)
            return tuple(distinct.tolist()), codes
        places: dict[Any, int] = {}
        try:
            codes[~self.missing] = [places.setdefault(value, len(places)) for value in present.tolist()]
        except TypeError:
            kind = type(present[0]).__name__
            remedy = "Make columns of what is inside"
            raise ColumnError(self.name, Reason(f"has values of type {kind}", remedy=remedy)) from None
        return tuple(places), codes

    def is_in(self, values: Iterable[object]) -> BoolArray:
        """Return where the value is one of these, shape (n,); False where it is missing.

        Raises
        ------
        InputError
            When numbers are compared with nothing but text, or text with nothing but numbers.
        """
        wanted = list(values)
        self._refuse_other_kind(wanted)
        among = np.array([*map(set(wanted).__contains__, self.levels), False])  # code -1 is the last
        truth: BoolArray = among[self.codes]
        return truth

    def without(self, gaps: Iterable[object]) -> Column:
        """Return the column where some values count as missing; those of another kind occur nowhere.

        Examples
        --------
        >>> Table({"age": [62, -999]}).column("age").without([-999, "?"]).missing.tolist()
        [False, True]
        """
        wanted = [*gaps]
        if not wanted or self.kind not in (Kind.NUMBER, Kind.TEXT):
            return self
        if self.raw.dtype != object:
            found = np.isin(self.raw, [each for each in wanted if isinstance(each, int | float)])
        else:
            found = np.array([*map(set(wanted).__contains__, self.levels), False])[self.codes]
        found &= ~self.missing
        if not found.any():
            return self
        if self.texts is not None:
            codes = np.where(found, -1, self.texts.codes)
            return Texts(self.texts.levels, codes).take(slice(None)).column(self.name)
        if self.raw.dtype != object:
            return Column(self.name, self.kind, self.missing | found, self.raw)
        categories = not any(isinstance(level, str) for level in self.levels)
        raw = self.raw.copy()
        raw[found | self.missing] = None
        return _read_objects(raw, self.name, categories=categories)

    def as_categories(self) -> Column:
        """Return the column with numbers as names of categories, as those of a categorical column are."""
        return replace(self, kind=Kind.TEXT) if self.kind is Kind.NUMBER else self

    def _refuse_other_kind(self, wanted: Sequence[object]) -> None:
        here = {isinstance(level, str) for level in self.levels}
        there = {isinstance(value, str) for value in wanted}
        if here and there and not here & there:
            remedy = "text" if there == {True} else "numbers"
            raise InputError(
                f"Column {self.name!r} has the value {shown(self.levels[0])}; it is compared with "
                f"{shown(wanted[0])}. Convert the column to {remedy}, as it was before."
            )

    def take(self, index: NDArray[Any]) -> Column:
        """Return some of the rows, by number or by a mask of shape (n,)."""
        if self.texts is None:
            return Column(self.name, self.kind, self.missing[index], self.raw[index])
        return self.texts.take(index).column(self.name)


def read_series(series: nw.Series[Any], name: str) -> Column:
    """Read a column of a data frame; integers with gaps stay integers, which ``to_numpy`` would not do."""
    if series.dtype == nw.Boolean or (series.dtype.is_numeric() and not series.dtype.is_decimal()):
        missing = series.is_null().to_numpy().astype(np.bool_)
        filled = series.fill_null(False if series.dtype == nw.Boolean else 0) if missing.any() else series
        return _checked(name, filled.to_numpy(), missing)
    if (texts := _texts(series)) is not None and texts.levels:
        return texts.column(name)
    cells = np.empty(len(series), dtype=object)
    cells[:] = series.to_list()
    if series.dtype == nw.Categorical or series.dtype == nw.Enum:
        return _read_objects(cells, name, categories=True)
    return _read_objects(cells, name)


def _texts(series: nw.Series[Any]) -> Texts | None:
    """A column of text as codes; None for other columns, and where Arrow is not there or cannot read it."""
    if series.dtype not in (nw.String, nw.Categorical, nw.Enum):
        return None
    try:
        coded = series.to_arrow()
        if not hasattr(coded, "dictionary"):
            coded = coded.cast("large_string").dictionary_encode()
        if hasattr(coded, "combine_chunks"):
            coded = coded.combine_chunks()
        levels = coded.dictionary.to_pylist()
        codes = coded.indices.cast("int64").fill_null(-1).to_numpy().astype(np.intp)
    except (ImportError, UnicodeError, ValueError, TypeError, NotImplementedError):
        return None
    if set(map(type, levels)) != {str} or len(set(levels)) < len(levels):
        return None
    return Texts(tuple(levels), codes).take(slice(None))


def read_array(values: NDArray[Any], name: str) -> Column:
    """Read a column of an array, shape (n,)."""
    if values.dtype.kind in "biuf":
        return _checked(name, values, np.zeros(len(values), dtype=np.bool_))
    if values.dtype.kind in "mM":
        if values.dtype.kind == "M" and np.datetime_data(values.dtype)[0] == "ns":
            values = values.astype("datetime64[us]")  # Python has plain values for these
        return Column(name, Kind.DATE, np.isnat(values), values)
    return _read_objects(values.astype(object), name)


def infinite_value(value: float, where: str = "") -> Reason:
    """The reason to refuse a column with an infinite value."""
    remedy = "Replace it by a number, or by NaN if it is missing"
    return Reason(f"has an infinite value ({value}){where}", remedy=remedy)


def _checked(name: str, values: NDArray[Any], missing: BoolArray) -> Column:
    """Return a column of Booleans or numbers, once it is sure that all of them are finite."""
    if values.dtype == np.bool_:
        return Column(name, Kind.BOOLEAN, missing, values)
    if values.dtype == object:  # nullable Booleans of some libraries
        values = values.copy()
        values[missing] = None
        return _read_objects(values, name)
    if values.dtype.kind == "f":
        missing = missing | np.isnan(values)
        if (infinite := np.isinf(values) & ~missing).any():
            row = int(np.argmax(infinite))
            where = f" in row {row} (counted from 0)"
            raise ColumnError(name, infinite_value(values[row], where), droppable=False)
    return Column(name, Kind.NUMBER, missing, values)


def _read_objects(values: NDArray[Any], name: str, *, categories: bool = False) -> Column:
    """Read a column of Python objects, which may be anything."""
    kinds = set(map(type, values))
    if kinds <= _NEVER_MISSING:
        missing = np.zeros(len(values), dtype=np.bool_)
    else:
        missing = np.array([_is_missing(value) for value in values], dtype=np.bool_)
        kinds = set(map(type, values[~missing]))
    if not kinds:
        return Column(name, Kind.NUMBER, missing, np.full(len(values), np.nan))
    if all(issubclass(kind, (bool, np.bool_)) for kind in kinds):
        return Column(name, Kind.BOOLEAN, missing, np.where(missing, False, values).astype(np.bool_))
    if all(issubclass(kind, _NUMBERS) for kind in kinds) and not categories:
        return _checked(name, _unboxed(np.where(missing, 0, values), name), missing)
    if bool not in kinds and all(issubclass(kind, _LABELS) for kind in kinds):
        return Column(name, Kind.TEXT, missing, values if kinds == {str} else _items(values))
    dates = all(issubclass(kind, _DATES) for kind in kinds)
    return Column(name, Kind.DATE if dates else Kind.OTHER, missing, values)


def _unboxed(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Numbers in an array of objects, as an array of integers where all are, else of floats."""
    whole = all(issubclass(kind, (int, np.integer, np.bool_)) for kind in set(map(type, values)))
    try:
        return values.astype(np.int64 if whole else np.float64)
    except OverflowError:
        pass
    try:
        return values.astype(np.float64)
    except OverflowError:
        raise InputError(
            f"Column {name!r} has a value that is too large for a float. Scale it down."
        ) from None


def _items(values: NDArray[Any]) -> NDArray[Any]:
    """Plain Python values in place of NumPy's."""
    plain = np.empty(len(values), dtype=object)
    plain[:] = [value.item() if isinstance(value, np.generic) else value for value in values]
    return plain


def _is_missing(value: object) -> bool:
    """True of None, and of what is unlike itself as NaN, NaT and the NA of pandas are."""
    try:
        return value is None or not bool(value == value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def why_no_concept(column: Column) -> str:
    """The reason why a column is no concept already, in a few words; an empty string when it is one."""
    if column.missing.any():
        return "has missing values"
    if not column.is_numeric:
        return f"holds {column.kind}"
    numbers = column.numbers()
    low, high = numbers.min(initial=1.0), numbers.max(initial=0.0)
    if low < -ROUNDING or high > 1 + ROUNDING:
        return "has values outside [0, 1]"
    one_sided = low > THRESHOLD or high <= THRESHOLD
    return "has no values on both sides of 0.5" if low < high and one_sided else ""


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

    def replaced(self, columns: Mapping[str, Sequence[Column]]) -> Table:
        """The table with other columns in place of some.

        Examples
        --------
        >>> table = Table({"on": ["2024-02-29"], "age": [62]})
        >>> table.replaced({"on": [Table({"on year": [2024]}).column("on year")]}).names
        ('on year', 'age')
        """
        new = {column.name: column for several in columns.values() for column in several}
        found = Table(self)
        kept = ([each.name for each in columns[name]] if name in columns else [name] for name in self.names)
        found.names = tuple(name for several in kept for name in several)
        found._place = {name: place for place, name in enumerate(found.names)}
        found._cache = dict(new)
        found._read = lambda place: self.column(found.names[place])
        return found


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
    """Turn sparse matrices and tensors into arrays."""
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
