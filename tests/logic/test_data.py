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
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError, UnknownConceptError
from logiclens.logic.arrays import unpack
from logiclens.logic.data import (
    ConceptData,
    as_answers,
    as_array,
    as_float,
    as_floats,
    booleanize,
    check_count,
    check_length,
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


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("ab", "Concept names must be a sequence of strings. Got 'ab'; write ['a', 'b']."),
        (3, "Concept names must be a sequence of strings. Got 3; write ['a', 'b']."),
        (["a", ""], "A concept name must not be empty. Give every column a name."),
        (["a", 0], "A concept name must be a string. Got 0; convert it with str()."),
        ([b"a"], "A concept name must be a string. Got b'a'; convert it with str()."),
        ([SimpleNamespace(name="a")], "A concept name must be a string. Got namespace(name='a'); pass its"),
        ([("a", "b")], "A concept name must be a string. Got ('a', 'b'); convert it with str()."),
        (list("abcab"), "Concept names must be distinct; repeated: 'a', 'b'. Rename the columns."),
    ],
)
def test_bad_names(names, message):
    assert message in error_of(check_names, names)


def test_many_repeated_names_are_found_in_no_time():
    """Counting each name among all would take minutes."""
    names = [f"n{j // 2}" for j in range(200_000)]

    assert error_of(check_names, names).endswith(" and 99992 more. Rename the columns.")


@pytest.mark.parametrize("threshold", [0, 0.0, 0.5, np.float32(0.25), np.nextafter(1, 0)])
def test_thresholds(threshold):
    assert check_threshold(threshold) == threshold
    assert type(check_threshold(threshold)) is float


@pytest.mark.parametrize(
    ("threshold", "shown"),
    [
        (1, "1"),
        (-0.1, "-0.1"),
        (np.nan, "nan"),
        ("0.5", "'0.5'"),
        ([0.5], "[0.5]"),
        (10**400, "a value of type int"),
    ],
)
def test_bad_thresholds(threshold, shown):
    message = f"The threshold must be a number in [0, 1). Got {shown}."

    assert error_of(check_threshold, threshold) == message
    assert error_of(ConceptData, X, threshold=threshold) == message


def test_as_float_is_nan_for_what_is_no_number():
    assert as_float(2) == 2.0
    assert all(np.isnan(as_float(value)) for value in (None, "1", b"1", 10**400, 1j, [1, 2], object()))


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
        with pytest.raises(UnknownConceptError) as info:
            ask("d")
        assert str(info.value) == "Unknown concept 'd'. The 3 known concepts are 'a', 'b', 'c'."


def test_an_unknown_column_of_an_array_without_names():
    with pytest.raises(UnknownConceptError) as info:
        ConceptData(X).column("a")

    assert str(info.value) == (
        "Unknown concept 'a'. The 3 known concepts are 'x0', 'x1', 'x2'. Pass names= for an array."
    )


@given(distinct_names(1, 5))
def test_any_names_in_any_kind_of_table(names):
    row = np.arange(len(names)) % 2 == 0
    tables = [
        ConceptData(row[None], names),
        ConceptData(dict(zip(names, row[:, None], strict=True))),
        ConceptData(pd.DataFrame(row[None], columns=names)),
        ConceptData(pa.table([pa.array([bool(value)]) for value in row], names=names)),
    ]

    for table in tables:
        assert table.names == tuple(names)
        assert [bool(table.column(name)[0]) for name in names] == row.tolist()


def test_hostile_names_in_polars():
    frame = pl.DataFrame({name: [j % 2] for j, name in enumerate(HOSTILE_NAMES)})
    table = ConceptData(frame)

    assert [int(table.column(name)[0]) for name in HOSTILE_NAMES] == [
        j % 2 for j in range(len(HOSTILE_NAMES))
    ]


def test_an_array_without_names():
    assert ConceptData(X).names == ("x0", "x1", "x2")


def test_single_values_are_one_row():
    assert ConceptData({"a": True, "b": 0.2}).n_rows == 1


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


def test_no_columns():
    assert ConceptData({}).n_rows == 0
    assert ConceptData(np.zeros((3, 0))).n_rows == 3


def test_the_caller_keeps_the_data():
    array = np.array([[0.2, 0.8]])
    table = ConceptData(array)
    table.column("x0")
    list(table.blocks([0, 1], 1))

    assert array.tolist() == [[0.2, 0.8]]
    assert array.flags.writeable


SHAPE = "Concepts must be a mapping, a data frame or an array of shape (rows, concepts). Got"
NESTED = "write [[...], [...]], one list for each row."
RESHAPE = "use reshape(-1, 1) for a single concept, reshape(1, -1) for a single row."
RAGGED = "is not rectangular: rows or columns differ in length."
SPARSE = "Sparse matrices are not read here. Convert with X.toarray()."


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (None, f"{SHAPE} None; {NESTED}"),
        ("a,b", f"{SHAPE} 'a,b'; {NESTED}"),
        (np.array(1.0), f"{SHAPE} array(1.); {NESTED}"),
        ([1, 0], f"{SHAPE} a list of shape (2,); {RESHAPE}"),
        (pd.Series([1, 0]), f"{SHAPE} a Series of shape (2,); {RESHAPE}"),
        (pl.Series([1, 0]), f"{SHAPE} a Series of shape (2,); {RESHAPE}"),
        (np.zeros((1, 2, 3)), f"{SHAPE} a ndarray of shape (1, 2, 3); use reshape(len(array), -1)"),
        ([{"a": 1}, {"a": 0}], f"{SHAPE} a list of mappings; turn it into one mapping from each name"),
        ([[1, 0], [1]], f"The concept array {RAGGED}"),
        ({"a": [[1, 0], [1]]}, f"Column 'a' {RAGGED}"),
        ({"a": X}, "Column 'a' must be one-dimensional. Got shape (2, 3)."),
        (
            {"a": [1, 0, 1], "b": [1, 0, 1], "c": [1, 0]},
            "Columns must have the same number of rows: 'c' has 2, 'a' has 3. Cut or fill them to one",
        ),
        (scipy.sparse.eye(3), SPARSE),
        ({"a": scipy.sparse.csr_array(X)}, SPARSE),
        (np.ma.array(X, mask=~X), "The concept array has 3 missing values (masked), the first in row 0"),
        ({"a": np.ma.array([1, 0], mask=[0, 1])}, f"Column 'a' has 1 missing value (masked), {FIRST_IS_1}."),
        ({0: [1]}, "A concept name must be a string. Got 0; convert it with str()."),
        (pd.DataFrame(X), "A concept name must be a string. Got 0; convert it with str()."),
        (pd.DataFrame(X, columns=["a", "", "b"]), "A concept name must not be empty."),
        (pd.DataFrame(X, columns=["a", "b", "a"]), "Concept names must be distinct; repeated: 'a'."),
        (pa.table([[True], [False]], names=["a", "a"]), "Concept names must be distinct; repeated: 'a'."),
    ],
)
def test_bad_tables(table, message):
    assert message in error_of(ConceptData, table)


CARRIES = "carries its own names. Leave it out, or rename the columns."


@pytest.mark.parametrize(
    ("table", "names", "message"),
    [
        (X, ["a"], "1 name was given for 3 columns. Give one name for each column."),
        (X[:, :0], ["a"], "1 name was given for 0 columns. Give one name for each column."),
        (X, ["a", "b", "a"], "Concept names must be distinct; repeated: 'a'. Rename the columns."),
        ({"a": [1]}, ["a"], f"names= is for arrays; a mapping {CARRIES}"),
        (pd.DataFrame({"a": [1]}), ["a"], f"names= is for arrays; a data frame {CARRIES}"),
    ],
)
def test_names_that_do_not_fit(table, names, message):
    assert error_of(ConceptData, table, names=names) == message


MISSING = f"Column 'age' has 1 missing value, {FIRST_IS_1}. {IMPUTE}"
BAD_FRAMES = {
    "pandas NaN": (pd.DataFrame({"age": [1.0, np.nan]}), MISSING),
    "pandas nullable with NA": (pd.DataFrame({"age": pd.array([True, None], dtype="boolean")}), MISSING),
    "pandas Float64 with NA": (pd.DataFrame({"age": pd.array([1.0, None], dtype="Float64")}), MISSING),
    "pandas categories, one missing": (pd.DataFrame({"age": pd.Categorical([True, None])}), MISSING),
    "pandas None": (pd.DataFrame({"age": np.array([True, None], dtype=object)}), MISSING),
    "polars null": (pl.DataFrame({"age": [True, None]}), MISSING),
    "lazy polars null": (pl.LazyFrame({"age": [True, None]}), MISSING),
    "pyarrow null": (pa.table({"age": [True, None]}), MISSING),
    "polars NaN": (
        pl.DataFrame({"age": [1.0, np.nan]}),
        f"Column 'age' has 1 missing value (NaN), {FIRST_IS_1}. {IMPUTE}",
    ),
    "pandas out of range": (pd.DataFrame({"age": [0, 90]}), f"Column 'age' has the value 90, {OUTSIDE}"),
    "polars out of range": (pl.DataFrame({"age": [-1, 0]}), f"Column 'age' has the value -1, {OUTSIDE}"),
    "pandas text": (
        pd.DataFrame({"age": ["x"]}, dtype=object),
        f"Column 'age' has values of type str; {ENCODE}",
    ),
    "pandas categories": (
        pd.DataFrame({"age": pd.Categorical(["x", "y"])}),
        f"Column 'age' has values of type str; {ENCODE}",
    ),
    "polars lists": (pl.DataFrame({"age": [[1], [0]]}), f"Column 'age' has values of type ndarray; {ENCODE}"),
    "pandas dates": (
        pd.DataFrame({"age": np.array(["2020"], dtype="M8[s]")}),
        f"Column 'age' has values of type datetime64[s]; {ENCODE}",
    ),
}


@pytest.mark.parametrize(("frame", "message"), BAD_FRAMES.values(), ids=BAD_FRAMES)
def test_bad_values_in_a_frame(frame, message):
    table = ConceptData(frame)

    assert error_of(table.column, "age") == message
    assert error_of(list, table.blocks([0], 10)) == message


def test_a_series_is_not_taken_for_a_masked_array():
    """Attributes of a pandas series may be its own labels."""
    table = ConceptData({"a": pd.Series([1.0, 0.0], index=["_mask", "nnz"])})

    assert table.column("a").tolist() == [True, False]


def test_missing_values_of_pandas_series_in_a_mapping():
    table = ConceptData({"age": pd.Series([True, None], dtype="boolean")})

    assert error_of(table.column, "age") == (
        f"Column 'age' has 1 missing value (None or NaN), {FIRST_IS_1}. {IMPUTE}"
    )


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


YES_OR_NO = "predictions must say yes or no for one class: Booleans or numbers in [0, 1]."


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        ([0, 1, 2], f"{YES_OR_NO} Got the label 2; for the class 2 write y == 2."),
        ([1.0, 3.0, 2.0], f"{YES_OR_NO} Got the label 3; for the class 3 write y == 3."),
        ([-1, 1, 1], f"{YES_OR_NO} Got the label -1; for the class 1 write y == 1."),
        (["cat", "dog", "cat"], f"{YES_OR_NO} Got the label 'cat'; for the class 'cat' write y == 'cat'."),
        (
            np.array(["cat", "dog", "cat"], dtype=object),
            f"{YES_OR_NO} Got the label 'cat'; for the class 'cat' write y == 'cat'.",
        ),
        (
            [0.5, 1.5, 0.0],
            "The prediction array has the value 1.5, outside [0, 1]. Turn it into concepts first, "
            "for instance by comparing it with a cut point.",
        ),
        (
            [1, np.nan, np.nan],
            "The prediction array has 2 missing values (NaN), the first in row 1 (counted from 0). "
            "Impute or drop those rows first.",
        ),
        (
            [[1], [0], [1]],
            "predictions must have one value for each of the 3 rows. Got shape (3, 1); pass it flat, "
            "with .ravel().",
        ),
        ([1, 0], "predictions must have one value for each of the 3 rows. Got shape (2,)."),
    ],
)
def test_answers_that_are_refused(predictions, message):
    assert error_of(as_answers, predictions, 3, 0.5) == message


def test_a_single_missing_value_has_no_row():
    assert error_of(booleanize, np.array(np.nan), "Column 'a'") == (
        "Column 'a' has 1 missing value (NaN). Impute or drop those rows first."
    )


def test_a_length():
    check_length(np.zeros(3), "weight", 3)
    with pytest.raises(InputError, match=r"Got shape \(1, 3\); pass it flat, with \.ravel\(\)\.$"):
        check_length(np.zeros((1, 3)), "weight", 3)


# --- numbers ---


def test_numbers_become_floats():
    for values in ([1, 2], (True, 2.0), np.array([1, 2], dtype=np.uint8), np.array([1, 2.0], dtype=object)):
        assert as_floats(values, "weight").tolist() == [1.0, 2.0]
        assert as_floats(values, "weight").dtype == np.float64


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1", "2"], "weight must hold numbers. Got values of type <U1."),
        ([1j], "weight must hold numbers. Got values of type complex128."),
        (np.array(["2020"], dtype="M8[Y]"), "weight must hold numbers. Got values of type datetime64[Y]."),
        ([object()], "weight must hold numbers. Got values of type object."),
        ([pd.NA], "weight must hold numbers. Got values of type object."),
        ([10**400], "weight has a value that is too large for a float. Scale it down."),
        (
            [[1], [2, 3]],
            "weight is not rectangular: rows or columns differ in length. Make all of them equally long.",
        ),
    ],
)
def test_what_is_no_number_is_refused(values, message):
    assert error_of(as_floats, values, "weight") == message


def test_a_masked_array_without_masked_values_is_read():
    assert as_array(np.ma.array([1, 0], mask=False), "weight").tolist() == [1, 0]
