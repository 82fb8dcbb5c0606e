"""Messages name the line in which something is wrong, whatever stands above it."""

from __future__ import annotations

import io
from contextlib import nullcontext

import pyarrow as pa
import pytest

from logiclens.concepts._text import NumberSpelling, OddValues, Values
from logiclens.concepts.table import ValueType
from logiclens.files._csv import Layout
from logiclens.files._remarks import Origin, Remarks

ROWS = b'1,"a\nb"\n\n2,c\n3,d,e\n\xff,f\n'


def origin(content: bytes | None = ROWS, decimal: str = ".") -> Origin:
    reopen = None if content is None else lambda: nullcontext(io.BytesIO(content))
    return Origin("'x.csv'", Layout(",", "utf-8", decimal, ("n", "t"), n_lines=2), reopen)


@pytest.mark.parametrize(("row", "place"), [(0, "line 3"), (1, "line 6"), (2, "line 7"), (99, "row 100")])
def test_the_line_of_a_row(row: int, place: str):
    assert origin().place(row) == place


@pytest.mark.parametrize(
    "content",
    [
        b"1,a\n2,b\n3,c\n",
        b"1,a\r\n2,b\r\n3,c",
        b"\n1,a\n2,b\n\n3,c\n",
        b"1,a\r2,b\r3,c\r",
        b'1,"a\nb"\n2,b\n3,c\n',
    ],
)
def test_rows_are_located_in_one_pass(content: bytes):
    """Quickly where each line is a row, and one by one where not."""
    lines = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    expected = {
        row: f"line {3 + lines.index(start)}" for row, start in ((0, lines[lines[0] == b""]), (2, b"3,c"))
    }

    assert origin(content).places([2, 0]) == expected
    assert origin(content).places([]) == {}


@pytest.mark.parametrize(
    ("content", "reason", "message"),
    [
        (ROWS, "CSV parse error: Expected 2 columns, got 3: 3,d,e", "has 3 values in line 7; the header"),
        (None, "CSV parse error: Expected 2 columns, got 3: 3,d,e", "has another number of values in a row;"),
        (ROWS, "CSV conversion error to string: invalid UTF8 data", "is not text in UTF-8, in line 8."),
        (None, "CSV conversion error to string: invalid UTF8 data", "is not text in UTF-8."),
        (ROWS, "Something else\nand more", "cannot be read as a table: Something else."),
    ],
)
def test_what_the_fast_reader_refuses_is_put_into_words(content: bytes | None, reason: str, message: str):
    assert str(origin(content).csv_error(pa.ArrowInvalid(reason))).startswith(f"'x.csv' {message}")


def test_a_comma_may_stand_between_thousands():
    unsure = Origin("'x.csv'", Layout(";", "utf-8", ".", ("n",), sure=False), None)

    assert str(unsure.bad_value("n", 0, "1,234", ValueType.NUMBER)) == (
        "Column 'n' must hold numbers; row 1 has '1,234'. If the comma "
        "is a decimal sign, say so with --decimal ','; if it stands between thousands, with --decimal '.'."
    )


ORIGIN = Origin("rows.csv", Layout(",", "utf-8", ".", ("a", "b")), None)


def test_batches_are_added_up():
    remarks = Remarks()
    remarks.add("a", Values(None, 10))
    remarks.add("a", Values(None, 10, OddValues(1, "x", 3)), 10)
    remarks.add("a", Values(None, 10, OddValues(2, "y", 0)), 20)

    assert remarks.notes(ORIGIN) == (
        "Column 'a': 3 of 30 values are no numbers (such as 'x', row 14) and count as missing.",
    )


def test_several_currencies_are_named():
    remarks = Remarks()
    remarks.add("a", Values(None, 2, None, NumberSpelling("$41,000", 41000, False, ("$",))))
    remarks.add("a", Values(None, 2, None, NumberSpelling("5 €", 5, False, ("€", "$"))))

    assert remarks.notes(ORIGIN) == (
        "Column 'a': '$41,000' is read as the number 41000. There are several currencies ('$', '€'); nothing "
        "is converted.",
    )


def test_notes_come_column_by_column():
    remarks = Remarks()
    remarks.add("a", Values(None, note="Column 'a' is read as text."))
    remarks.add("b", Values(None, 40, OddValues(1, "x", 3), NumberSpelling("3%", 3, True, ())))

    assert remarks.notes(ORIGIN) == (
        "Column 'a' is read as text.",
        "Column 'b': '3%' is read as the number 3, in percent.",
        "Column 'b': 1 of 40 values is no number ('x', row 4) and counts as missing.",
    )
