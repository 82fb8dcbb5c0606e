"""Text as values: the same text is the same value, in a whole column, in any batch of it, and on its own."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.concepts._text import (
    MISSING,
    NumberNotation,
    OddValues,
    TextColumn,
    TextProfile,
    as_type,
    decimal_signs,
    guess_type,
    trim,
)
from logiclens.concepts.table import ValueType


def column(*values: str | None) -> pa.ChunkedArray:
    middle = len(values) // 2
    return pa.chunked_array([values[:middle], values[middle:]], type=pa.string())


def found(*values: str | None, decimal: str = ".") -> list:
    return guess_type(column(*values), "x", NumberNotation(decimal)).column.to_pylist()


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
    assert found("1.234,5", "1", decimal=",") == [1234.5, 1.0]


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
        (
            ["145 mmHg", "120 mmHg", "99.5 mmHg"],
            "Column 'x' is read as text: it holds numbers with a unit, such as '145 mmHg'. Write the unit "
            "into the name of the column, and the numbers alone into its rows.",
        ),
        (
            ["3%", "0.5", "1%", "2"],
            "Column 'x' is read as text: 2 of 4 values are in percent, the others not. Write all in one way.",
        ),
        (["3 a", "4 b"], ""),
        (["030 123 456", "1"], ""),
        (["555 123 456", "555 123 457"], ""),
        (["1", "red", "blue"], ""),
        (["007", "1"], ""),
        (["1", "2"], ""),
    ],
)
def test_what_a_person_should_know(texts: list[str], note: str):
    assert guess_type(column(*texts), "x").note == note


def test_a_number_with_a_comma_has_two_readings_while_the_decimal_sign_is_not_known():
    unsure = NumberNotation(sure=False)

    assert guess_type(column("1,234", "5,678"), "x", unsure).note == (
        "Column 'x' is read as text: it holds numbers with a comma, such as '1,234'. If that is the decimal "
        "sign, say so with --decimal ','; if it stands between thousands, with --decimal '.'."
    )
    assert guess_type(column("1,234", "5,678"), "x").column.to_pylist() == [1234, 5678]
    assert guess_type(column("1,234", "5,678"), "x", NumberNotation(",")).column.to_pylist() == [1.234, 5.678]
    assert as_type(column("1,234"), ValueType.NUMBER, unsure).odd == OddValues(1, "1,234", 0, other_sign=True)


def test_a_type_is_found_in_the_last_of_many_rows():
    """The first rows do not decide."""
    numbers = [str(at) for at in range(10_000)]

    assert guess_type(column(*numbers, "2.5"), "x").column.type == pa.float64()
    assert guess_type(column(*numbers, *["b"] * 1000), "x").column.type == pa.string()


@pytest.mark.parametrize(
    ("n", "others", "odd"),
    [
        (19, ["x"], None),  # too few numbers
        (20, ["x"], OddValues(1, "x", 20)),
        (95, ["a", "b", "c", "d", "e"], OddValues(5, "a", 95)),
        (94, ["a", "b", "c", "d", "e"], None),  # too many others
        (40, ["inf"], OddValues(1, "inf", 40)),
        (40, ["x", "1,5"], OddValues(2, "1,5", 41, other_sign=True)),
    ],
)
def test_a_few_values_among_numbers_are_slips(n: int, others: list[str], odd: OddValues | None):
    values = guess_type(column(*map(str, range(n)), *others), "x")

    assert values.odd == odd
    if odd is not None:
        assert values.n == n + len(others)
        assert values.column.to_pylist() == [*range(n), *[None] * len(others)]
    else:
        assert values.column.to_pylist() == [*map(str, range(n)), *others]


def test_codes_stay_codes_where_one_is_misspelled():
    codes = [f"0{at}" for at in range(1000, 1100)]

    assert found(*codes, "D-1") == [*codes, "D-1"]


TEXTS = st.sampled_from(
    [
        *("1", "2.5", " 3", "007", "0x1F", "true", "False", "red", " red", "?", "", "NA", "1,5", "+5", "-0"),
        *("$5", "-€1,234.5", "3.2%", "1 234", "1'234", "1.234", "1,234,567", "4.704,03", "5 mmHg"),
        *("1e5", ".5", "12345678901234567890", "inf", "1.", "0", "yes", "-", "1 2", "١"),
    ]
)


@given(
    st.lists(TEXTS, min_size=1, max_size=6),
    st.sampled_from([".", ","]),
    st.booleans(),
    st.sampled_from([0, 150]),
)
def test_a_row_means_the_same_whatever_the_others_are(texts: list[str], decimal: str, sure: bool, n: int):
    """What a column was guessed to be when rules were made is how each of its values is read later."""
    notation = NumberNotation(decimal, sure)
    whole = guess_type(column(*texts, *["7"] * n), "x", notation).column
    kind = {"string": ValueType.TEXT, "bool": ValueType.FLAG}.get(str(whole.type), ValueType.NUMBER)
    for text, value in zip(texts, whole.to_pylist()[: len(texts)], strict=True):
        alone = as_type(column(text), kind, notation)
        if value is not None and value in (np.inf, -np.inf):
            assert alone.odd is not None
        else:
            assert alone.column.to_pylist() == [value]
        if kind is ValueType.NUMBER and value is None:
            assert (alone.odd is None) == (text.strip() in MISSING)


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["62", "?", " 1.5"], ValueType.NUMBER, [62.0, None, 1.5]),
        (["007", "1"], ValueType.NUMBER, [7.0, 1.0]),
        (["$1,234", "5 %", "1 234.5", "1'234"], ValueType.NUMBER, [1234, 5, 1234.5, 1234]),
        (["1", "true", "FALSE", "0", "NA"], ValueType.FLAG, [1, 1, 0, 0, None]),
        (["yes", "N", "t", " No"], ValueType.FLAG, [1, 0, 1, 0]),
        (["1", " red", "?"], ValueType.TEXT, ["1", "red", None]),
        (["1", "1.5", " red", "?", "007"], ValueType.MIXED, [1, 1.5, "red", None, "007"]),
        (["1,5", "1,234"], ValueType.MIXED, ["1,5", "1,234"]),  # these were errors
    ],
)
def test_values_of_a_given_type(texts: list[str], kind: ValueType, values: list):
    read = as_type(column(*texts), kind)
    got = read.column

    assert read.odd is None
    assert (got.tolist() if isinstance(got, np.ndarray) else got.to_pylist()) == values


@pytest.mark.parametrize(
    ("texts", "kind", "decimal", "row"),
    [
        (["1", "?", "young", "old"], ValueType.NUMBER, ".", 2),
        (["1", "0x1F"], ValueType.NUMBER, ".", 1),
        (["007", "0x1F"], ValueType.NUMBER, ".", 1),
        (["1", "1,5"], ValueType.NUMBER, ".", 1),
        (["x", "1,5"], ValueType.NUMBER, ".", 1),
        (["1,5", "1.5"], ValueType.NUMBER, ",", 1),
        (["1", "inf"], ValueType.NUMBER, ".", 1),
        (["1", "true"], ValueType.NUMBER, ".", 1),
        (["1", "perhaps"], ValueType.FLAG, ".", 1),
    ],
)
def test_the_first_value_that_is_not_of_its_type(texts: list, kind: ValueType, decimal: str, row: int):
    odd = as_type(column(*texts), kind, NumberNotation(decimal)).odd

    assert odd is not None
    assert (odd.row, odd.text) == (row, texts[row])


@given(
    st.lists(st.lists(TEXTS, min_size=1, max_size=5), min_size=1, max_size=4),
    st.sampled_from([".", ","]),
    st.booleans(),
)
def test_profiles_of_batches_add_up(batches: list[list[str]], decimal: str, amounts: bool):
    """Batch by batch, a column is what it is as a whole."""
    notation = NumberNotation(decimal)
    batches += [["7"] * 100] * amounts
    whole = guess_type(column(*(text for batch in batches for text in batch)), "x", notation).column
    parts = [TextColumn(trim(column(*batch)), notation) for batch in batches]
    profile = sum((part.profile for part in parts), TextProfile())

    assert profile.type == whole.type
    values = [value for part in parts for value in part.values(profile).column.to_pylist()]
    assert values == whole.to_pylist()


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["$1", "$2"], True),
        (["$1", "two"], False),
        (["$007", "$2"], False),
        (["5%"] * 95 + ["5"] * 5, True),
        (["5%"] * 5 + ["5"] * 95, True),
        (["5%"] * 50 + ["5"] * 50, False),
        (["123 456 789", "987 654 321"], False),
        (["123 456 789", "5 321"], True),
        (["1,234,567,890,123,456,789,012"], False),
    ],
)
def test_amounts_are_told_from_codes(texts: list[str], numbers: bool):
    assert TextColumn(column(*texts), NumberNotation()).profile.are_amounts == numbers


def read(text: str, decimal: str = ".", sure: bool = True) -> float | None:
    return NumberNotation(decimal, sure).read(pa.array([text]))[0].to_pylist()[0]


@pytest.mark.parametrize(
    ("text", "point", "comma"),
    [
        ("$41,000", 41000, 41),
        ("$41,000.50", 41000.5, None),
        ("-$5", -5, -5),
        ("$-5", -5, -5),
        ("5 €", 5, 5),
        ("CHF 1\u2019234", 1234, 1234),
        ("EUR5", 5, 5),
        ("3.2%", 3.2, None),
        ("3,2 %", None, 3.2),
        ("1,234,567", 1234567, None),
        ("4.704,03", None, 4704.03),
        ("1.234", 1.234, 1234),
        ("1 234", 1234, 1234),
        ("1\u202f234\u202f567", 1234567, 1234567),
        ("1'234.5", 1234.5, None),
        ("1 23", None, None),
        ("12,34", None, 12.34),
        ("0,123", None, 0.123),
        ("1234,567", None, 1234.567),
        ("145 mmHg", None, None),
        ("23.04.2023", None, None),
        ("1e999", None, None),
        ("inf", None, None),
        ("--5", None, None),
        ("$", None, None),
        ("5%%", None, None),
    ],
)
def test_one_text_is_one_number(text: str, point: float | None, comma: float | None):
    assert read(text) == point
    assert read(text, ",") == comma


@pytest.mark.parametrize(
    ("text", "number"),
    [("1,234", None), ("1,234,567", 1234567), ("1,234.5", 1234.5), ("1.234", 1.234), ("1 234", 1234)],
)
def test_what_has_two_readings_is_no_number(text: str, number: float | None):
    assert read(text, sure=False) == number


@given(st.integers(-(10**12), 10**12), st.sampled_from(["{}", "${}", "{} €", "{}%", "USD {}"]))
def test_thousands_are_read_as_they_were_written(number: int, form: str):
    assert read(form.format(f"{number:,}")) == number
    assert read(form.format(f"{number:,}".replace(",", ".")), ",") == number
    assert read(form.format(f"{number:,}".replace(",", " "))) == number


@given(st.floats(-1e9, 1e9).map(lambda number: round(number, 2)))
def test_decimals_are_read_as_they_were_written(number: float):
    text = f"{number:,.2f}"

    assert read(text) == number
    assert read(text.translate(str.maketrans(".,", ",.")), ",") == number


@pytest.mark.parametrize(
    ("cell", "sign"),
    [
        ("3.5", (".", True)),
        ("-3,5", (",", True)),
        (".5", (".", True)),
        ("0,125", (",", True)),
        ("1.234,5", (",", True)),
        ("1.234.567", (",", True)),
        ("1,234.5", (".", True)),
        ("3,2 %", (",", True)),
        ("41.000 €", (",", False)),
        ("$41,000", (".", False)),
        ("1.234", ("", False)),
        ("1,234", ("", False)),
        ("23.04.2023", ("", False)),
        ("a,b", ("", False)),
        ("62", ("", False)),
    ],
)
def test_what_a_cell_says_of_the_decimal_sign(cell: str, sign: tuple[str, bool]):
    assert decimal_signs(pa.array([cell])) == ({sign} if sign[0] else set())
