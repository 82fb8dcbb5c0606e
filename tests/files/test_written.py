"""Numbers as people write them have one reading."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.files.written import Notation, currencies, decimal_sign, in_another_notation, on_commas


def read(text: str, decimal: str = ".", sure: bool = True) -> float | None:
    return Notation(decimal, sure).read(pa.array([text]))[0].to_pylist()[0]


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


def test_signs_of_currencies():
    assert currencies(pa.array(["$5", "1,000.5 €", "CHF 1'234", "$7", "8%"])) == ["$", "€", "CHF"]
    assert currencies(pa.array(["$5"] * 100 + ["5 €"])) == ["$", "€"]
    assert currencies(pa.array(["5%"])) == []


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
    assert decimal_sign(cell) == sign


def test_numbers_with_the_other_sign():
    texts = pa.array(["1,5", "1.5", "old", "1,5 kg"])

    assert in_another_notation(texts).to_pylist() == [True, True, False, False]
    assert on_commas("1,5", sure=False) == "decimal sign, say so with --decimal ','."
    assert on_commas("$1,500", sure=False) == (
        "decimal sign, say so with --decimal ','; if it stands between thousands, with --decimal '.'."
    )
