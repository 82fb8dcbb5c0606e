"""Text as values: the same text is the same value, in a whole column and on its own."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.files.columns import MISSING, ValueType, as_type, guessed


def column(*values: str | None) -> pa.ChunkedArray:
    middle = len(values) // 2
    return pa.chunked_array([values[:middle], values[middle:]], type=pa.string())


def found(*values: str | None, decimal: str = ".") -> list:
    return guessed(column(*values), "x", decimal)[0].to_pylist()


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["1", "-2", " 3 "], [1, -2, 3]),
        (["1", "2.5", "1e3", "+.5"], [1.0, 2.5, 1000.0, 0.5]),
        (["true", "False", "TRUE", None], [True, False, True, None]),
        (["yes", "no"], ["yes", "no"]),
        (["true", "1"], ["true", "1"]),
        (["00123", "45"], ["00123", "45"]),
        (["-007", "1"], ["-007", "1"]),
        (["0x1F", "1"], ["0x1F", "1"]),
        (["0", "0.5", "-0.5"], [0.0, 0.5, -0.5]),
        (["1", "unknown"], ["1", "unknown"]),
        (["12345678901234567890123", "1"], ["12345678901234567890123", "1"]),
        (["9223372036854775807", "1"], [9223372036854775807, 1]),
        (["1_000", "1"], ["1_000", "1"]),
        (["2020-01-31", "2020-02-28"], ["2020-01-31", "2020-02-28"]),
        ([None, "?"], [None, None]),
        (["\u00a0red\t", "blue"], ["red", "blue"]),
    ],
)
def test_a_column_is_what_all_of_its_values_are(texts: list, values: list):
    got = found(*texts)

    assert got == values
    assert [type(value) for value in got] == [type(value) for value in values]


@pytest.mark.parametrize("word", MISSING)
def test_words_that_stand_for_a_missing_value(word: str):
    """Without the blanks the reader has seen them already."""
    text = f" {word}\t"

    assert found("1", text) == [1, None]
    assert found("red", text) == ["red", None]
    assert found("true", text) == [True, None]


def test_a_decimal_comma():
    assert found("1,5", "2", decimal=",") == [1.5, 2.0]
    assert found("1,5", "2.5", decimal=",") == ["1,5", "2.5"]
    assert found("1.234,5", "1", decimal=",") == ["1.234,5", "1"]


@pytest.mark.parametrize(
    ("texts", "note"),
    [
        (
            ["1", "2", "3", "unknown"],
            "Column 'x' is read as text: 1 of 4 values are no numbers, such as 'unknown'. Leave them empty "
            "if they stand for missing values.",
        ),
        (
            ["1,5", "2"],
            "Column 'x' is read as text: it holds numbers with a comma, such as '1,5'. If that is the "
            "decimal sign, say so with --decimal ','.",
        ),
        (
            ["12345678901234567890123", "1"],
            "Column 'x' is read as text: it holds whole numbers that are too long to count with, such as "
            "'12345678901234567890123'.",
        ),
        (["1", "red", "blue"], ""),
        (["007", "1"], ""),
        (["1", "2"], ""),
    ],
)
def test_what_a_person_should_know(texts: list[str], note: str):
    assert guessed(column(*texts), "x")[1] == note


def test_a_type_is_found_in_the_last_of_many_rows():
    """The first rows do not decide."""
    numbers = [str(at) for at in range(10_000)]

    assert guessed(column(*numbers, "2.5"), "x")[0].type == pa.float64()
    assert guessed(column(*numbers, "b"), "x")[0].type == pa.string()


TEXTS = st.sampled_from(
    [
        *("1", "2.5", " 3", "007", "0x1F", "true", "False", "red", " red", "?", "", "NA", "1,5", "+5", "-0"),
        *("1e5", ".5", "12345678901234567890", "inf", "1.", "0", "yes", "-", "1 2", "١"),
    ]
)


@given(st.lists(TEXTS, min_size=1, max_size=6), st.sampled_from([".", ","]))
def test_a_row_means_the_same_whatever_the_others_are(texts: list[str], decimal: str):
    """What a column was guessed to be when rules were made is how each of its values is read later."""
    whole, _ = guessed(column(*texts), "x", decimal)
    kind = {"string": ValueType.TEXT, "bool": ValueType.FLAG}.get(str(whole.type), ValueType.NUMBER)
    for text, value in zip(texts, whole.to_pylist(), strict=True):
        alone, bad = as_type(column(text), kind, decimal)
        if value is not None and value in (np.inf, -np.inf):
            assert bad == 0
        else:
            assert bad is None
            assert alone.to_pylist() == [value]


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["62", "?", " 1.5"], ValueType.NUMBER, [62.0, None, 1.5]),
        (["007", "1"], ValueType.NUMBER, [7.0, 1.0]),
        (["1", "true", "FALSE", "0", "NA"], ValueType.FLAG, [1, 1, 0, 0, None]),
        (["1", " red", "?"], ValueType.TEXT, ["1", "red", None]),
        (["1", "1.5", " red", "?", "007"], ValueType.MIXED, [1, 1.5, "red", None, "007"]),
    ],
)
def test_values_of_a_given_type(texts: list[str], kind: ValueType, values: list):
    got, bad = as_type(column(*texts), kind)

    assert bad is None
    assert (got.tolist() if isinstance(got, np.ndarray) else got.to_pylist()) == values


@pytest.mark.parametrize(
    ("texts", "kind", "decimal", "row"),
    [
        (["1", "?", "young", "old"], ValueType.NUMBER, ".", 2),
        (["1", "0x1F"], ValueType.NUMBER, ".", 1),
        (["007", "0x1F"], ValueType.NUMBER, ".", 1),
        (["1", "1,5"], ValueType.NUMBER, ".", 1),
        (["1,5", "1.5"], ValueType.NUMBER, ",", 1),
        (["1", "inf"], ValueType.NUMBER, ".", 1),
        (["1", "true"], ValueType.NUMBER, ".", 1),
        (["1", "yes"], ValueType.FLAG, ".", 1),
    ],
)
def test_the_first_value_that_is_not_of_its_type(texts: list, kind: ValueType, decimal: str, row: int):
    assert as_type(column(*texts), kind, decimal)[1] == row
