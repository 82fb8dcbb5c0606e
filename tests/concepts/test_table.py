from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from logiclens.concepts.table import Table, array_of_cells
from logiclens.errors import InputError, UnknownColumnError
from tests.strategies import HOSTILE_NAMES, distinct_names

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


def error_of(call, *args, **kwargs) -> str:
    with pytest.raises(InputError) as info:
        call(*args, **kwargs)
    return str(info.value)


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


def test_names_given_to_an_array_count():
    table = Table(ROWS, names=NAMES)

    assert (table.names, table.named) == (tuple(NAMES), True)


def test_rows_without_gaps_keep_their_types():
    assert plain(Table([[1, "a"], [2, "b"]])) == [[1, 2], ["a", "b"]]


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


def test_the_index_of_a_frame_plays_no_part():
    frame = pd.DataFrame({"age": [62, 30]}, index=["a", "a"])

    assert plain(Table(frame)) == [[62, 30]]


@given(distinct_names(), st.integers(0, 3))
def test_any_names_will_do(names, n_rows):
    table = Table({name: [place] * n_rows for place, name in enumerate(names)})

    assert table.names == tuple(names)
    for place, name in enumerate(names):
        assert table.column(name).values().tolist() == [place] * n_rows


@pytest.mark.parametrize("name", HOSTILE_NAMES)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_with_any_names(make, name):
    assert Table(make({name: [1, 2]})).column(name).values().tolist() == [1, 2]


def test_a_column_is_read_once():
    table = Table(pd.DataFrame(COLUMNS))

    assert table.column("age") is table.column("age")
    assert "age" in table
    assert "Age" not in table


@pytest.mark.parametrize("index", [[2, 0, 0], np.array([2, 0, 0], dtype=np.uint8), (2, 0, 0)])
@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_take_by_number(make, index):
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
REFUSED = {
    "number": (3, f"{SHAPES}3; write [[...], [...]], one list for each row."),
    "None": (None, f"{SHAPES}None; write [[...], [...]], one list for each row."),
    "text": ("ab", f"{SHAPES}'ab'; write [[...], [...]], one list for each row."),
    "vector": (
        [1, 2],
        f"{SHAPES}a list of shape (2,). Reshape your data: reshape(-1, 1) for a single column, "
        "reshape(1, -1) for a single row.",
    ),
    "cube": (
        np.zeros((2, 2, 2)),
        f"{SHAPES}a ndarray of shape (2, 2, 2); "
        "use reshape(len(array), -1) to put all columns of a row side by side.",
    ),
    "mappings": (
        [{"a": 1}, {"a": 2}],
        f"{SHAPES}a list of mappings; turn it into one mapping from each name to its column.",
    ),
    "ragged": (
        [[1], [1, 2]],
        "The table is not rectangular: rows or columns differ in length. Make all of them equally long.",
    ),
    "lengths": (
        {"a": [1, 2], "b": [1]},
        "Columns must have the same number of rows: 'b' has 1, 'a' has 2. Cut or fill them to one length.",
    ),
    "columns of columns": ({"a": [[1], [2]]}, "Column 'a' must be one-dimensional. Got shape (2, 1)."),
    "repeated, pandas": (
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        "Column names must be distinct; repeated: 'a'. Rename the columns.",
    ),
    "repeated, pyarrow": (
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
        "Column names must be distinct; repeated: 'a'. Rename the columns.",
    ),
    "repeated as text": (
        {1: [1], "1": [2]},
        "Column names must be distinct; repeated: '1'. Rename the columns.",
    ),
    "empty name": ({"": [1]}, "A column name must not be empty. Give every column a name."),
}


@pytest.mark.parametrize(("data", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_table_is_refused(data, message):
    assert error_of(Table, data) == message


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
