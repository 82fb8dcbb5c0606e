from __future__ import annotations

import datetime
import decimal
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st

from logiclens.errors import UnknownConceptError
from logiclens.logic.arrays import unpack
from logiclens.logic.data import (
    ConceptData,
    as_answers,
    as_array,
    as_float,
    as_floats,
    booleanize,
    check_count,
    check_names,
    check_threshold,
)
from tests.errors import error_of
from tests.strategies import HOSTILE_NAMES, distinct_names

X = np.array([[True, False, True], [False, False, True]])
NAMES = ["a", "b", "c"]


# --- names and thresholds ---


@given(distinct_names(0, 8))
def test_names_come_back_as_a_tuple(names):
    assert check_names(names) == tuple(names)
    assert check_names(iter(names)) == tuple(names)


def test_names_from_numpy_and_pandas_become_plain_strings():
    for names in (np.array(["a", "b"]), pd.Index(["a", "b"]), np.array(["a", "b"], dtype=object)):
        assert check_names(names) == ("a", "b")
        assert {type(name) for name in check_names(names)} == {str}


def test_many_repeated_names_are_found_in_no_time():
    """Counting each name among all would take minutes."""
    names = [f"n{j // 2}" for j in range(200_000)]

    assert error_of(check_names, names).endswith(" and 99992 more. Rename the columns.")


@pytest.mark.parametrize("threshold", [0, 0.0, 0.5, np.float32(0.25), np.nextafter(1, 0)])
def test_thresholds(threshold):
    assert check_threshold(threshold) == threshold
    assert type(check_threshold(threshold)) is float


def test_as_float_is_nan_for_what_is_no_number():
    assert as_float(2) == 2.0
    assert all(np.isnan(as_float(value)) for value in (None, "1", b"1", 10**400, 1j, [1, 2], object()))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("ab", "a sequence of strings"),
        (3, "a sequence of strings"),
        (["a", ""], "must not be empty"),
        ([b"a"], "must be a string. Got b'a'; convert it with str()"),
        ([SimpleNamespace(name="a")], "pass its .name"),
        (list("abcab"), "must be distinct; repeated: 'a', 'b'"),
    ],
)
def test_bad_names(names, message):
    assert message in error_of(check_names, names)


@pytest.mark.parametrize("threshold", [1, -0.1, np.nan, "0.5", [0.5], 10**400])
def test_bad_thresholds(threshold):
    assert "The threshold must be a number in [0, 1)" in error_of(check_threshold, threshold)
    assert "The threshold must be a number in [0, 1)" in error_of(ConceptData, X, threshold=threshold)


# --- values ---


OUTSIDE = "outside [0, 1]. Turn it into concepts first, for instance by comparing it with a cut point."
ENCODE = "concepts are Booleans or numbers in [0, 1]. Encode the column first."
IMPUTE = "Impute or drop those rows first."
FIRST_IS_1 = "the first in row 1 (counted from 0)"
BAD_VALUES = [
    ([0.0, np.nan, 1.0, np.nan], f"has 2 missing values (NaN), {FIRST_IS_1}. {IMPUTE}"),
    ([True, None], f"has 1 missing value (None or NaN), {FIRST_IS_1}. {IMPUTE}"),
    (np.array([1, np.nan], dtype=object), f"has 1 missing value (None or NaN), {FIRST_IS_1}. {IMPUTE}"),
    ([True, pd.NA], f"has 1 missing value (None or NaN), {FIRST_IS_1}. {IMPUTE}"),
    (np.array([True, pd.NaT], dtype=object), f"has 1 missing value (None or NaN), {FIRST_IS_1}. {IMPUTE}"),
    ([0.0, np.inf], f"has the value inf, {OUTSIDE}"),
    ([0.0, -0.1], f"has the value -0.1, {OUTSIDE}"),
    ([0, 2], f"has the value 2, {OUTSIDE}"),
    (np.array([1.0000001], dtype=np.float32), f"has the value 1.0000001, {OUTSIDE}"),
    (np.array([2, True], dtype=object), f"has the value 2.0, {OUTSIDE}"),
    ([10**400, 0], "has a value that is too large for a float. Scale it down."),
    (["yes", "no"], f"has values of type <U3; {ENCODE}"),
    ([1j, 0], f"has values of type complex128; {ENCODE}"),
    (np.array(["2020"], dtype="M8[Y]"), f"has values of type datetime64[Y]; {ENCODE}"),
    (np.array(["yes", True], dtype=object), f"has values of type bool, str; {ENCODE}"),
    ([datetime.date(2020, 1, 1)], f"has values of type date; {ENCODE}"),
    ([decimal.Decimal(1)], f"has values of type Decimal; {ENCODE}"),
]


@pytest.mark.parametrize(("values", "text"), BAD_VALUES)
def test_bad_values_are_told_with_their_column(values, text):
    mapping = ConceptData({"good": np.ones(len(values)), "age": values})
    array = np.asarray(values)
    array = np.column_stack([np.ones(len(array), dtype=array.dtype), array])

    assert mapping.column("good").all()
    assert error_of(mapping.column, "age") == f"Column 'age' {text}"
    assert error_of(ConceptData(array, ["good", "age"]).column, "age") == f"Column 'age' {text}"


@pytest.mark.parametrize("good", [0, 1])
def test_blocks_say_which_column_is_bad(good):
    array = np.ones((5, 2))
    array[3, 1 - good] = np.nan
    names = ["age", "good"] if good else ["good", "age"]
    blocks = ConceptData(array, names).blocks([0, 1], 2)

    assert next(blocks).all()
    assert error_of(next, blocks) == (
        f"Column 'age' has 1 missing value (NaN), the first in row 3 (counted from 0). {IMPUTE}"
    )


def test_columns_left_out_are_not_looked_at():
    data = ConceptData(np.array([[1, np.nan, 0]]), NAMES)

    assert [block.tolist() for block in data.blocks([2, 0], 10)] == [[[False, True]]]


# --- tables ---

READERS = {
    "mapping": lambda: {"a": [True, False], "b": [0, 0], "c": (1.0, 0.9)},
    "array": lambda: X,
    "lists": lambda: X.tolist(),
    "pandas": lambda: pd.DataFrame(X, columns=NAMES),
    "pandas with nullable columns": lambda: pd.DataFrame(X, columns=NAMES).astype("boolean"),
    "pandas with arrow columns": lambda: pd.DataFrame(X, columns=NAMES).astype("bool[pyarrow]"),
    "pandas with sparse columns": lambda: pd.DataFrame(X, columns=NAMES).astype(pd.SparseDtype(bool)),
    "pandas categories": lambda: pd.DataFrame(X, columns=NAMES).astype("category"),
    "polars": lambda: pl.DataFrame(X, schema=NAMES),
    "lazy polars": lambda: pl.LazyFrame(X, schema=NAMES),
    "pyarrow": lambda: pa.table([pa.array(x) for x in X.T], names=NAMES),
}


@pytest.fixture(params=READERS.values(), ids=READERS)
def data(request) -> ConceptData:
    table = request.param()
    own_names = isinstance(table, np.ndarray | list)
    return ConceptData(table, NAMES if own_names else None)


def test_a_table_of_any_kind(data):
    assert data.names == ("a", "b", "c")
    assert data.n_rows == 2
    assert [data.position(name) for name in NAMES] == [0, 1, 2]
    assert np.array_equal(np.column_stack([data.column(name) for name in NAMES]), X)


def test_blocks_of_any_kind_of_table(data):
    for positions in ([0, 1, 2], [2, 0], [1], []):
        for size in (1, 2, 7):
            blocks = list(data.blocks(positions, size))

            assert [len(block) for block in blocks] == ([1, 1] if size == 1 else [2])
            assert np.array_equal(np.concatenate(blocks), X[:, positions])
            assert all(block.flags.c_contiguous and block.dtype == np.bool_ for block in blocks)


def test_packed_columns_of_any_kind_of_table(data):
    packed = data.packed_columns(["c", "a"])

    assert [*packed] == ["c", "a"]
    assert {name: unpack(words, 2).tolist() for name, words in packed.items()} == {
        "c": [True, True],
        "a": [True, False],
    }


def test_an_unknown_column(data):
    for ask in (data.position, data.column, lambda name: data.packed_columns([name])):
        with pytest.raises(UnknownConceptError, match="Unknown concept 'd'"):
            ask("d")
    with pytest.raises(UnknownConceptError, match="Pass names= for an array"):
        ConceptData(X).column("a")


@given(distinct_names(1, 5))
@example(list(HOSTILE_NAMES))
def test_any_names_in_any_kind_of_table(names):
    row = np.arange(len(names)) % 2 == 0
    tables = [
        ConceptData(row[None], names),
        ConceptData(dict(zip(names, row[:, None], strict=True))),
        ConceptData(pd.DataFrame(row[None], columns=names)),
        ConceptData(pl.DataFrame(row[None], schema=names)),
        ConceptData(pa.table([pa.array([bool(value)]) for value in row], names=names)),
    ]

    for table in tables:
        assert table.names == tuple(names)
        assert [bool(table.column(name)[0]) for name in names] == row.tolist()


@pytest.mark.parametrize(
    "empty",
    [
        {"a": []},
        np.zeros((0, 1)),
        pd.DataFrame({"a": []}),
        pl.DataFrame({"a": pl.Series([], dtype=pl.Boolean)}),
    ],
    ids=["mapping", "array", "pandas", "polars"],
)
def test_no_rows(empty):
    table = ConceptData(empty)

    assert table.n_rows == 0
    assert table.column(table.names[0]).shape == (0,)
    assert table.packed_columns(table.names)[table.names[0]].shape == (0,)
    assert list(table.blocks([0], 10)) == []


def test_names_and_sizes():
    assert ConceptData(X).names == ("x0", "x1", "x2")
    assert [ConceptData(table).n_rows for table in ({"a": True, "b": 0.2}, {}, np.zeros((3, 0)))] == [1, 0, 3]


def test_the_caller_keeps_the_data():
    array = np.array([[0.2, 0.8]])
    table = ConceptData(array)
    table.column("x0")
    list(table.blocks([0, 1], 1))

    assert array.tolist() == [[0.2, 0.8]]
    assert array.flags.writeable


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (None, "Got None; write [[...], [...]]"),
        (np.array(1.0), "Got array(1.); write [[...], [...]]"),
        ([1, 0], "Got a list of shape (2,); use reshape(-1, 1)"),
        (pd.Series([1, 0]), "Got a Series of shape (2,); use reshape(-1, 1)"),
        (np.zeros((1, 2, 3)), "Got a ndarray of shape (1, 2, 3); use reshape(len(array), -1)"),
        ([{"a": 1}, {"a": 0}], "Got a list of mappings; turn it into one mapping"),
        ([[1, 0], [1]], "The concept array is not rectangular"),
        ({"a": [[1, 0], [1]]}, "Column 'a' is not rectangular"),
        ({"a": X}, "Column 'a' must be one-dimensional"),
        ({"a": [1, 0, 1], "b": [1, 0, 1], "c": [1, 0]}, "the same number of rows: 'c' has 2, 'a' has 3"),
        (scipy.sparse.eye(3), "Sparse matrices are not read here"),
        ({"a": scipy.sparse.csr_array(X)}, "Sparse matrices are not read here"),
        (np.ma.array(X, mask=~X), "The concept array has 3 missing values (masked), the first in row 0"),
        ({"a": np.ma.array([1, 0], mask=[0, 1])}, f"Column 'a' has 1 missing value (masked), {FIRST_IS_1}."),
        ({0: [1]}, "must be a string. Got 0"),
        (pd.DataFrame(X), "must be a string. Got 0"),
        (pd.DataFrame(X, columns=["a", "b", "a"]), "must be distinct; repeated: 'a'"),
        (pa.table([[True], [False]], names=["a", "a"]), "must be distinct; repeated: 'a'"),
    ],
)
def test_bad_tables(table, message):
    assert message in error_of(ConceptData, table)


@pytest.mark.parametrize(
    ("table", "names", "message"),
    [
        (X, ["a"], "1 name was given for 3 columns"),
        (X[:, :0], ["a"], "1 name was given for 0 columns"),
        (X, ["a", "b", "a"], "must be distinct; repeated: 'a'"),
        ({"a": [1]}, ["a"], "a mapping carries its own names"),
        (pd.DataFrame({"a": [1]}), ["a"], "a data frame carries its own names"),
    ],
)
def test_names_that_do_not_fit(table, names, message):
    assert message in error_of(ConceptData, table, names=names)


MISSING = f"has 1 missing value, {FIRST_IS_1}"


@pytest.mark.parametrize(
    ("frame", "column", "message"),
    [
        (pd.DataFrame, [1.0, np.nan], MISSING),
        (pd.DataFrame, pd.array([True, None], dtype="boolean"), MISSING),
        (pd.DataFrame, pd.array([1.0, None], dtype="Float64"), MISSING),
        (pd.DataFrame, pd.Categorical([True, None]), MISSING),
        (pd.DataFrame, np.array([True, None], dtype=object), MISSING),
        (pl.DataFrame, [True, None], MISSING),
        (pl.LazyFrame, [True, None], MISSING),
        (pa.table, [True, None], MISSING),
        (pl.DataFrame, [1.0, np.nan], f"has 1 missing value (NaN), {FIRST_IS_1}"),
        (dict, pd.Series([True, None], dtype="boolean"), f"has 1 missing value (None or NaN), {FIRST_IS_1}"),
        (pd.DataFrame, [0, 90], "has the value 90, outside"),
        (pl.DataFrame, [-1, 0], "has the value -1, outside"),
        (pd.DataFrame, np.array(["x", "y"], dtype=object), "has values of type str"),
        (pd.DataFrame, pd.Categorical(["x", "y"]), "has values of type str"),
        (pl.DataFrame, [[1], [0]], "has values of type ndarray"),
        (pd.DataFrame, np.array(["2020", "2021"], dtype="M8[s]"), "has values of type datetime64[s]"),
    ],
)
def test_bad_values_in_a_frame(frame, column, message):
    table = ConceptData(frame({"age": column}))

    assert f"Column 'age' {message}" in error_of(table.column, "age")
    assert f"Column 'age' {message}" in error_of(list, table.blocks([0], 10))


def test_a_series_is_not_taken_for_a_masked_array():
    """Attributes of a pandas series may be its own labels."""
    table = ConceptData({"a": pd.Series([1.0, 0.0], index=["_mask", "nnz"])})

    assert table.column("a").tolist() == [True, False]


# --- counts ---


@pytest.mark.parametrize("value", [0, 3, 10**400, np.uint8(3)])
def test_counts_become_plain_integers(value):
    assert check_count(value, "limit") == value
    assert type(check_count(value, "limit")) is int


@pytest.mark.parametrize("value", [-1, 1.0, True, np.True_, None, "3", [3], np.array(3)])
def test_what_is_no_count_is_refused(value):
    assert error_of(check_count, value, "limit", ", or 'all'") == (
        f"limit must be a whole number of at least 0, or 'all'. Got {value!r}."
    )


# --- truth of concepts ---


@pytest.mark.parametrize(
    "dtype", [bool, np.int8, np.uint8, np.int64, np.uint64, np.float16, np.float32, float, object]
)
def test_zeros_and_ones_of_any_type(dtype):
    truth = booleanize(np.array([[0, 1], [1, 0]], dtype=dtype), "Column 'a'")

    assert truth.dtype == np.bool_
    assert truth.tolist() == [[False, True], [True, False]]


def test_a_half_is_not_true():
    """The definition of Sec. 4.2 is ``> 0.5``."""
    values = np.array([0.0, 0.5, np.nextafter(0.5, 1), 1.0, -0.0])

    assert booleanize(values, "Column 'a'").tolist() == [False, False, True, True, False]


@given(st.lists(st.floats(0, 1), max_size=20), st.floats(0, 1, exclude_max=True))
def test_values_above_the_threshold_are_true(values, threshold):
    truth = booleanize(np.array(values, dtype=float), "Column 'a'", threshold)

    assert truth.tolist() == [value > threshold for value in values]


def test_objects_of_mixed_numbers():
    values = np.array([True, 1, 0.2, np.float32(0.7), np.bool_(False)], dtype=object)

    assert booleanize(values, "Column 'a'").tolist() == [True, True, False, True, False]


# --- answers ---


@pytest.mark.parametrize(
    "predictions", [[True, False, True], [1, 0, 1], [1.0, 0.2, 0.51], np.array([1, False, 0.7], dtype=object)]
)
def test_answers(predictions):
    assert as_answers(predictions, 3, 0.5).tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        ([0, 1, 2], "Got the label 2; for the class 2 write y == 2"),
        ([1.0, 3.0, 2.0], "Got the label 3; for the class 3 write y == 3"),
        ([-1, 1, 1], "Got the label -1; for the class 1 write y == 1"),
        (["cat", "dog", "cat"], "Got the label 'cat'; for the class 'cat' write y == 'cat'"),
        (np.array(["cat", 1, 0], dtype=object), "Got the label 'cat'; for the class 'cat' write y == 'cat'"),
        ([0.5, 1.5, 0.0], "The prediction array has the value 1.5, outside"),
        ([1, np.nan, np.nan], "The prediction array has 2 missing values (NaN)"),
        ([[1], [0], [1]], "one value for each of the 3 rows. Got shape (3, 1); pass it flat, with .ravel()"),
        ([1, 0], "one value for each of the 3 rows. Got shape (2,)."),
    ],
)
def test_answers_that_are_refused(predictions, message):
    assert message in error_of(as_answers, predictions, 3, 0.5)


def test_a_single_missing_value_has_no_row():
    assert "has 1 missing value (NaN). Impute" in error_of(booleanize, np.array(np.nan), "Column 'a'")


# --- numbers ---


def test_numbers_become_floats():
    for values in ([1, 2], (True, 2.0), np.array([1, 2], dtype=np.uint8), np.array([1, 2.0], dtype=object)):
        assert as_floats(values, "weight").tolist() == [1.0, 2.0]
        assert as_floats(values, "weight").dtype == np.float64


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1", "2"], "must hold numbers. Got values of type <U1"),
        (np.array(["2020"], dtype="M8[Y]"), "must hold numbers. Got values of type datetime64"),
        ([object()], "must hold numbers. Got values of type object"),
        ([pd.NA], "must hold numbers. Got values of type object"),
        ([10**400], "too large for a float"),
        ([[1], [2, 3]], "not rectangular"),
    ],
)
def test_what_is_no_number_is_refused(values, message):
    assert message in error_of(as_floats, values, "weight")


def test_a_masked_array_without_masked_values_is_read():
    assert as_array(np.ma.array([1, 0], mask=False), "weight").tolist() == [1, 0]
