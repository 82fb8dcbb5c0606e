"""How the columns of a raw table become concepts, by one fixed recipe.

A number becomes three concepts, LOW, NORMAL and HIGH, for three bins of equal width; categories become one
concept each. That is how the reference implementation makes the 90 concepts of MIMIC-II; the paper (Sec. 6.1)
speaks of five bins of blood pressure, which would not give 90. The recipe is kept apart from any encoder with
settings, so that the tables of the experiments never change.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from logiclens.bench.files import MISSING, as_number
from logiclens.errors import InputError
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray

BINS = ("LOW", "NORMAL", "HIGH")
"""What the three bins of a number are called."""

MOST_VALUES = 10
"""Numbers with at most so many distinct values are taken as categories."""


def mean_imputed(values: FloatArray, name: str, learn_from: IndexArray | None = None) -> FloatArray:
    """Values of a column, shape (n_rows,), NaN replaced by the mean of the others.

    With ``learn_from``, positions of rows, the mean is that of those rows alone.

    Examples
    --------
    >>> mean_imputed(np.array([1.0, np.nan, 2.0]), "weight")
    array([1. , 1.5, 2. ])
    """
    known = values if learn_from is None else values[learn_from]
    if np.isnan(known).all():
        raise InputError(
            f"Column {name!r} has no value at all, so none can be imputed. Leave the column out."
        )
    return np.where(np.isnan(values), known[~np.isnan(known)].mean(), values)


def equal_width_bins(values: FloatArray) -> IndexArray:
    """Bin 0, 1 or 2 of each finite number, for three bins of equal width between the least and the greatest.

    A value on the edge between two bins belongs to the upper one; the greatest value belongs to the last
    bin. When all values are equal they are in bin 0.

    Parameters
    ----------
    values : array of shape (n_rows,)

    Returns
    -------
    array of shape (n_rows,)

    Examples
    --------
    >>> equal_width_bins(np.array([0.0, 1.0, 2.9, 3.0, 6.0, 9.0]))
    array([0, 0, 0, 1, 2, 2])
    """
    least, greatest = values.min(), values.max()
    if least == greatest:
        return np.zeros(len(values), dtype=np.intp)
    # The same arithmetic as scaling with scikit-learn's MinMaxScaler, so that values on an edge fall alike.
    scale = 1.0 / (greatest - least)
    scaled = values * scale - least * scale
    edges = np.linspace(scaled.min(), scaled.max(), len(BINS) + 1)[1:-1]
    bins: IndexArray = np.searchsorted(edges, scaled, side="right")
    return bins


def one_hot(codes: IndexArray, n_values: int) -> BoolArray:
    """Truth of "the code is j" for j from 0, shape (n_rows, n_values)."""
    truth: BoolArray = codes[:, None] == np.arange(n_values)
    return truth


def binned(
    name: str, values: FloatArray, learn_from: IndexArray | None = None
) -> tuple[tuple[str, ...], BoolArray]:
    """Names and truth of the three concepts of a column of finite numbers.

    With ``learn_from``, positions of rows, the range is that of those rows alone; what lies beyond it belongs
    to the nearest bin.

    Examples
    --------
    >>> names, truth = binned("age", np.array([20.0, 50.0, 80.0]))
    >>> names
    ('age_LOW', 'age_NORMAL', 'age_HIGH')
    >>> truth.astype(int).tolist()
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    """
    if learn_from is not None:
        values = np.clip(values, values[learn_from].min(), values[learn_from].max())
    return tuple(f"{name}_{bin_}" for bin_ in BINS), one_hot(equal_width_bins(values), len(BINS))


def encoded(name: str, cells: Sequence[str]) -> tuple[tuple[str, ...], BoolArray]:
    """Names and truth of the concepts of a column of text; in each row exactly one of them is true.

    A column of numbers with more than ten distinct values is cut into three bins. Any other column gets a
    concept ``name = value`` for each value, in order. Missing cells have a concept of their own, the last:
    ``name missing``.

    Parameters
    ----------
    name : str
        Name of the column.
    cells : sequence of str, length n_rows

    Returns
    -------
    names : tuple of str
    truth : array of shape (n_rows, n_names)

    Examples
    --------
    >>> names, truth = encoded("color", ["red", "", "blue"])
    >>> names
    ('color = blue', 'color = red', 'color missing')
    >>> truth.astype(int).tolist()
    [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    """
    missing = np.array([cell in MISSING for cell in cells], dtype=np.bool_)
    present = [cell for cell in cells if cell not in MISSING]
    stated = [as_number(cell) for cell in present]
    numbers = [number for number in stated if number is not None]
    is_numeric = len(numbers) == len(present)
    values: FloatArray | NDArray[np.str_] = np.array(numbers) if is_numeric else np.array(present)
    distinct, codes = np.unique(values, return_inverse=True)
    if is_numeric and len(distinct) > MOST_VALUES:
        names, truth = binned(name, np.array(numbers))
    else:
        names = tuple(f"{name} = {_written(value)}" for value in distinct.tolist())
        truth = one_hot(codes, len(distinct))
    if not missing.any():
        return names, truth
    whole = np.zeros((len(cells), len(names) + 1), dtype=np.bool_)
    whole[~missing, :-1] = truth
    whole[:, -1] = missing
    return (*names, f"{name} missing"), whole


def _written(value: float | str) -> str:
    """A value as part of a name; whole numbers without ``.0``, so that 1 and 1.0 are the same."""
    return value if isinstance(value, str) else repr(value + 0.0).removesuffix(".0")  # + 0.0: no -0
