from __future__ import annotations

import datetime
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from logiclens.concepts.table import Column, Kind, Table, array_of_cells, read_array
from logiclens.errors import UnknownColumnError
from tests.errors import error_of
from tests.strategies import HOSTILE_NAMES, distinct_names

DAY = datetime.date(2020, 1, 31)


def column_of(values: object) -> Column:
    return Table({"c": values}).column("c")


KINDS = {
    "Booleans": ([True, False], Kind.BOOLEAN, [True, False]),
    "Booleans with a gap": ([True, None], Kind.BOOLEAN, [True, None]),
    "nullable Booleans": (pd.array([True, None], dtype="boolean"), Kind.BOOLEAN, [True, None]),
    "Booleans of polars": (pl.Series([True, None]), Kind.BOOLEAN, [True, None]),
    "categories of Booleans": (pd.Series(pd.Categorical([True, None])), Kind.BOOLEAN, [True, None]),
    "NumPy's Booleans as objects": (np.array([np.True_, None], dtype=object), Kind.BOOLEAN, [True, None]),
    "whole numbers": ([3, 4], Kind.NUMBER, [3, 4]),
    "whole numbers with a gap": ([3, None], Kind.NUMBER, [3, None]),
    "nullable integers": (pd.Series([3, None], dtype="Int64"), Kind.NUMBER, [3, None]),
    "integers of polars": (pl.Series([3, None]), Kind.NUMBER, [3, None]),
    "fractions with NaN": ([0.5, np.nan], Kind.NUMBER, [0.5, None]),
    "NaN and null of polars": (pl.Series([0.5, np.nan, None]), Kind.NUMBER, [0.5, None, None]),
    "Decimals": ([Decimal("0.5"), None], Kind.NUMBER, [0.5, None]),
    "Decimals of polars": (pl.Series([Decimal("0.5"), None]), Kind.NUMBER, [0.5, None]),
    "Fractions": ([Fraction(1, 2), 2], Kind.NUMBER, [0.5, 2.0]),
    "Booleans and numbers": ([True, 2.5], Kind.NUMBER, [1.0, 2.5]),
    "numbers too large for integers": ([10**30, 1], Kind.NUMBER, [1e30, 1.0]),
    "nothing": ([None, None], Kind.NUMBER, [None, None]),
    "nothing in polars": (pl.Series([None, None]), Kind.NUMBER, [None, None]),
    "text": (["red", None], Kind.TEXT, ["red", None]),
    "text with NaN": (np.array(["red", np.nan], dtype=object), Kind.TEXT, ["red", None]),
    "text of NumPy": (np.array(["red", "blue"]), Kind.TEXT, ["red", "blue"]),
    "text of pandas": (pd.Series(["red", None]), Kind.TEXT, ["red", None]),
    "text with NA": (pd.Series(["red", pd.NA], dtype=object), Kind.TEXT, ["red", None]),
    "text that is numbers": (["3.5", "4"], Kind.TEXT, ["3.5", "4"]),
    "empty text": (["", "a"], Kind.TEXT, ["", "a"]),
    "text and numbers": ([1, "a"], Kind.TEXT, [1, "a"]),
    "text and NumPy's numbers": (np.array([np.int64(1), "a"], dtype=object), Kind.TEXT, [1, "a"]),
    "categories": (pd.Series(pd.Categorical(["red", None])), Kind.TEXT, ["red", None]),
    "categories of integers": (pd.Series(pd.Categorical([2, None, 1])), Kind.TEXT, [2, None, 1]),
    "enumeration": (pl.Series(["a", None], dtype=pl.Enum(["a"])), Kind.TEXT, ["a", None]),
    "dates": ([DAY, None], Kind.DATE, [DAY, None]),
    "dates of polars": (pl.Series([DAY, None]), Kind.DATE, [DAY, None]),
    "durations": ([datetime.timedelta(1)], Kind.DATE, [datetime.timedelta(1)]),
    "times of NumPy": (np.array(["2020-01-31", "NaT"], dtype="M8[D]"), Kind.DATE, [DAY, None]),
    "lists": (pl.Series([[1], None]), Kind.OTHER, [[1], None]),
    "bytes": ([b"a"], Kind.OTHER, [b"a"]),
    "Booleans and text": ([True, "a"], Kind.OTHER, [True, "a"]),
    "complex numbers": (np.array([1j]), Kind.OTHER, [1j]),
}


@pytest.mark.parametrize(("values", "kind", "expected"), KINDS.values(), ids=KINDS)
def test_what_values_are(values, kind, expected):
    column = column_of(values)
    plain = column.values().tolist()

    assert column.kind is kind
    assert plain == expected
    assert [type(value) for value in plain] == [type(value) for value in expected]
    assert column.missing.tolist() == [value is None for value in expected]
    assert len(column) == len(expected)


def test_the_missing_time_of_pandas_is_missing():
    column = column_of(pd.Series(pd.to_datetime(["2020-01-31", None])))

    assert (column.kind, column.missing.tolist()) == (Kind.DATE, [False, True])


def test_numbers_have_nan_for_gaps():
    np.testing.assert_array_equal(column_of([3, None, 4]).numbers(), [3.0, np.nan, 4.0])
    np.testing.assert_array_equal(column_of([True, None, False]).numbers(), [1.0, np.nan, 0.0])


def test_numbers_of_nothing_are_gaps():
    assert np.isnan(column_of([None, None]).numbers()).all()
    assert np.isnan(column_of(["a", None]).take(np.array([1])).numbers()).all()


def test_text_has_no_numbers():
    assert "Column 'c' must hold numbers" in error_of(column_of(["3.5", None]).numbers)


@pytest.mark.parametrize(
    ("infinite", "wrap"), [(np.inf, list), (-np.inf, np.array), (np.inf, pd.Series), (-np.inf, pl.Series)]
)
def test_infinity_is_refused(infinite, wrap):
    message = (
        f"Column 'c' has an infinite value ({infinite}) in row 1 (counted from 0). "
        "Replace it by a number, or by NaN if it is missing."
    )

    assert error_of(column_of, wrap([1.0, infinite, infinite])) == message


def test_infinity_among_objects_is_refused():
    assert "infinite value (inf) in row 0" in error_of(column_of, np.array([np.inf, None], dtype=object))


def test_a_number_too_large_for_a_float_is_refused():
    message = "Column 'c' has a value that is too large for a float. Scale it down."

    assert error_of(column_of, [10**400, 1]) == message


@pytest.mark.parametrize(
    ("values", "levels", "codes"),
    [
        ([30, None, 20, 30], (20, 30), [1, -1, 0, 1]),
        (["b", "a", None, "b"], ("b", "a"), [0, 1, -1, 0]),
        ([True, False, None], (False, True), [1, 0, -1]),
        ([1, "1", 1], (1, "1"), [0, 1, 0]),
        ([None], (), [-1]),
    ],
)
def test_levels_and_codes(values, levels, codes):
    column = column_of(values)

    assert column.levels == levels
    assert column.codes.tolist() == codes


def test_nested_values_have_no_levels():
    message = "Column 'c' has values of type list. Make columns of what is inside, or drop it."

    assert error_of(lambda: column_of(pl.Series([[1], [2]])).levels) == message


@pytest.mark.parametrize(
    ("values", "wanted", "truth"),
    [
        (["a", "b", None], ["b"], [False, True, False]),
        (["a", "b", None], ["b", "c", "a"], [True, True, False]),
        ([1, 2, None], [2.0], [False, True, False]),
        ([1, "a"], [1], [True, False]),
        ([None, None], ["a"], [False, False]),
        (["a"], [], [False]),
    ],
)
def test_is_in(values, wanted, truth):
    assert column_of(values).is_in(wanted).tolist() == truth


def test_numbers_are_not_compared_with_text():
    assert "Column 'c' has the value 2139;" in error_of(column_of([2139, None]).is_in, ["02139"])
    assert "Column 'c' has the value '1';" in error_of(column_of(["1"]).is_in, [1, 2])


def test_a_column_of_an_array_is_not_copied():
    values = np.arange(3.0)

    assert np.shares_memory(read_array(values, "c").raw, values)


TEXTS = ["b", None, "a", "b", "", "c"]


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(TEXTS),
        pd.concat([pd.Series(TEXTS[:2]), pd.Series(TEXTS[2:])]),
        pd.Series(TEXTS, dtype=object),
        pd.Series(TEXTS, dtype="category"),
        pl.Series(TEXTS),
        pl.Series(TEXTS, dtype=pl.Categorical),
        pa.chunked_array([TEXTS[:2], TEXTS[2:]]),
        pa.chunked_array([pa.array(TEXTS, type=pa.string_view())]),
        pa.chunked_array([pa.array(TEXTS[:2]).dictionary_encode(), pa.array(TEXTS[2:]).dictionary_encode()]),
    ],
    ids=lambda values: f"{type(values).__module__} {getattr(values, 'dtype', None) or values.type}",
)
def test_texts_of_frames_come_as_codes_and_mean_the_same(values):
    column, plain = column_of(values), column_of(TEXTS)

    assert column.texts is not None
    for index in (slice(None), np.array([5, 2, 1, 2]), np.array([False, True] + [False] * 4)):
        part, expected = column.take(index), plain.take(index)
        assert part.kind is expected.kind is Kind.TEXT
        assert part.levels == expected.levels
        assert part.codes.tolist() == expected.codes.tolist()
        assert part.missing.tolist() == expected.missing.tolist()
        assert part.values().tolist() == expected.values().tolist()
        assert part.is_in(["b", "c"]).tolist() == expected.is_in(["b", "c"]).tolist()


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(["a", "\ud800"], dtype=object),  # half a character, which Arrow refuses
        pd.Series(pd.Categorical([1, 2])),
        pa.chunked_array([pa.DictionaryArray.from_arrays([0, 1, 2], ["a", "b", "a"])]),
        pd.Series([None, None], dtype="string"),
        pl.Series([], dtype=pl.String),
    ],
    ids=["half a character", "numbers", "repeated categories", "nothing", "no rows"],
)
def test_what_is_not_plain_text_is_read_value_by_value(values):
    one_by_one = column_of(values.to_pylist() if hasattr(values, "to_pylist") else values.to_list())
    column = column_of(values)

    assert column.texts is None
    assert column.levels == one_by_one.levels


ROWS = [[62, "red", None], [None, "blue", True], [30, None, False]]
NAMES = ["age", "color", "smoker"]
COLUMNS = dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True))
MADE = {
    "mapping": lambda: COLUMNS,
    "mapping of arrays": lambda: {name: np.array(values, dtype=object) for name, values in COLUMNS.items()},
    "mapping of series": lambda: {name: pl.Series(values) for name, values in COLUMNS.items()},
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas, nullable": lambda: pd.DataFrame(COLUMNS).convert_dtypes(),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars, lazy": lambda: pl.LazyFrame(COLUMNS),
    "pyarrow": lambda: pa.table(COLUMNS),
    "table": lambda: Table(COLUMNS),
}


def plain(table: Table) -> list[list[object]]:
    return [table.column(name).values().tolist() for name in table.names]


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_every_container_is_the_same_table(make):
    table = Table(make())

    assert (table.names, table.named, table.n_rows) == (tuple(NAMES), True, 3)
    assert plain(table) == [*COLUMNS.values()]
    assert [str(table.column(name).kind) for name in NAMES] == ["numbers", "text", "Booleans"]


@pytest.mark.parametrize("make", [lambda: ROWS, lambda: np.array(ROWS, dtype=object)], ids=["lists", "array"])
def test_rows_of_mixed_values(make):
    table = Table(make())

    assert (table.names, table.named) == (("x0", "x1", "x2"), False)
    assert plain(table) == [*COLUMNS.values()]


def test_sparse_matrices_and_tensors_are_read():
    torch = pytest.importorskip("torch")

    for data in (scipy.sparse.csr_matrix(np.eye(2)), scipy.sparse.coo_array(np.eye(2)), torch.eye(2)):
        assert plain(Table(data)) == [[1.0, 0.0], [0.0, 1.0]]
    assert plain(Table({"a": torch.ones(2, requires_grad=True)})) == [[1.0, 1.0]]


def test_masked_values_are_missing():
    data = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])

    assert plain(Table(data)) == [[1.0, 3.0], [None, 4.0]]


def test_single_values_make_one_row():
    table = Table({"age": 62, "color": "red", "smoker": None})

    assert table.n_rows == 1
    assert plain(table) == [[62], ["red"], [None]]


@pytest.mark.parametrize("data", [pd.DataFrame(np.eye(2)), {0: [1, 0], 1: [0, 1]}], ids=["pandas", "mapping"])
def test_numbers_for_names_are_no_names(data):
    table = Table(data)

    assert (table.names, table.named) == (("0", "1"), False)
    assert plain(table) == [[1.0, 0.0], [0.0, 1.0]]


@given(distinct_names(), st.integers(0, 3))
def test_any_names_will_do(names, n_rows):
    table = Table({name: [place] * n_rows for place, name in enumerate(names)})

    assert table.names == tuple(names)
    for place, name in enumerate(names):
        assert table.column(name).values().tolist() == [place] * n_rows


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_with_any_names(make):
    for name in HOSTILE_NAMES:
        assert Table(make({name: [1, 2]})).column(name).values().tolist() == [1, 2]


def test_a_column_is_read_once():
    table = Table(pd.DataFrame(COLUMNS))

    assert table.column("age") is table.column("age")
    assert "age" in table
    assert "Age" not in table


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_take_by_number(make):
    for index in ([2, 0, 0], np.array([2, 0, 0], dtype=np.uint8), (2, 0, 0)):
        part = Table(make()).take(index)

        assert (part.names, part.named, part.n_rows) == (tuple(NAMES), True, 3)
        assert plain(part) == [[values[row] for row in (2, 0, 0)] for values in COLUMNS.values()]


def test_take_by_mask_and_again():
    part = Table(ROWS).take([True, False, True]).take([1])

    assert (part.n_rows, part.named) == (1, False)
    assert plain(part) == [[30], [None], [False]]


def test_take_none():
    assert plain(Table(ROWS).take([])) == [[], [], []]
    assert Table(ROWS).take([False] * 3).n_rows == 0


@pytest.mark.parametrize("index", [[3], [-1], [0.5], "ab", None, [[0]], [True], 0])
def test_rows_that_are_not_there_are_refused(index):
    assert error_of(Table(ROWS).take, index).startswith(
        "Rows are taken by number, from 0 to 2, or by a mask of 3 Booleans. Got "
    )


def test_a_column_that_is_lacking():
    with pytest.raises(UnknownColumnError, match="The data lack the column 'age'"):
        Table({"Age": [1], "sex": ["f"]}).column("age")


def test_a_column_that_is_lacking_from_an_array():
    with pytest.raises(UnknownColumnError, match="The data lack the column 'age'"):
        Table([[1]]).take([0]).column("age")


@pytest.mark.parametrize("name", [3, None, ["age"]])
def test_a_column_is_asked_for_by_name(name):
    message = f"A column is asked for by its name, a string. Got {name!r}."

    assert error_of(Table(COLUMNS).column, name) == message


SHAPES = "A table must be a data frame, a mapping or an array of shape (rows, columns). Got "
REFUSED = [
    (3, f"{SHAPES}3; write [[...], [...]], one list for each row."),
    ("ab", f"{SHAPES}'ab'; write [[...], [...]], one list for each row."),
    ([1, 2], f"{SHAPES}a list of shape (2,). Reshape your data: reshape(-1, 1) for a single column"),
    (np.zeros((2, 2, 2)), f"{SHAPES}a ndarray of shape (2, 2, 2); use reshape(len(array), -1) to put"),
    ([{"a": 1}, {"a": 2}], f"{SHAPES}a list of mappings; turn it into one mapping from each name"),
    ([[1], [1, 2]], "The table is not rectangular: rows or columns differ in length."),
    ({"a": [1, 2], "b": [1]}, "Columns must have the same number of rows: 'b' has 1, 'a' has 2."),
    ({"a": [[1], [2]]}, "Column 'a' must be one-dimensional. Got shape (2, 1)."),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), "Column names must be distinct; repeated: 'a'."),
    (pa.table([[1], [2]], names=["a", "a"]), "Column names must be distinct; repeated: 'a'."),
    ({1: [1], "1": [2]}, "Column names must be distinct; repeated: '1'."),
    ({"": [1]}, "A column name must not be empty. Give every column a name."),
]


@pytest.mark.parametrize(("data", "message"), REFUSED)
def test_what_is_no_table_is_refused(data, message):
    assert message in error_of(Table, data)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a"], "1 name was given for 3 columns."),
        ("abc", "Column names must be a sequence of strings."),
        (3, "Column names must be a sequence of strings."),
        ([1, 2, 3], "names must be strings."),
        (["a", "a", "b"], "Column names must be distinct;"),
    ],
)
def test_names_of_an_array_that_do_not_fit(names, message):
    assert message in error_of(Table, ROWS, names=names)


@pytest.mark.parametrize(
    ("data", "what"),
    [(COLUMNS, "a mapping"), (pd.DataFrame(COLUMNS), "a data frame"), (Table(COLUMNS), "a table")],
)
def test_names_are_for_arrays(data, what):
    assert error_of(Table, data, names=NAMES) == (
        f"names= is for arrays; {what} carries its own names. Leave it out, or rename the columns."
    )


def test_cells_keep_their_types():
    assert array_of_cells([1, "a"], "y").tolist() == [1, "a"]
    assert array_of_cells([1, 2], "y").dtype == np.int64


def test_columns_that_are_lacking_are_named_together():
    table = Table({"age": [62], "sex": ["f"]})
    table.check_has(["sex"])
    with pytest.raises(UnknownColumnError, match="The data lack the column 'thal'"):
        table.check_has(["sex", "thal"])
    with pytest.raises(UnknownColumnError, match="The data lack 4 columns:"):
        table.check_has([*"abcd"])
    with pytest.raises(UnknownColumnError) as many:
        table.check_has(["chest_pain", "thal", *"abcdefghi"])
    assert str(many.value) == (
        "The data lack 11 columns: 'chest_pain', 'thal' and 9 more. They have 2 columns: 'age', 'sex'."
    )
    again = pickle.loads(pickle.dumps(many.value))
    assert (str(again), again.names) == (str(many.value), many.value.names)
