"""What is said of columns, once for all batches."""

from __future__ import annotations

from logiclens.concepts._text import Odd, Values, Written
from logiclens.files.layout import Layout
from logiclens.files.locating import Rows
from logiclens.files.remarks import Remarks

ROWS = Rows("rows.csv", Layout(",", "utf-8", ".", ("a", "b")), None)


def test_batches_are_added_up():
    remarks = Remarks()
    remarks.add("a", Values(None, 10))
    remarks.add("a", Values(None, 10, Odd(1, "x", 3)), 10)
    remarks.add("a", Values(None, 10, Odd(2, "y", 0)), 20)

    assert remarks.notes(ROWS) == (
        "Column 'a': 3 of 30 values are no numbers (such as 'x', row 14) and count as missing.",
    )


def test_columns_without_gaps_deserve_a_warning():
    remarks = Remarks()
    remarks.add("a", Values(None, 10, Odd(1, "x", 3)))
    remarks.add("b", Values(None, 10, Odd(1, "y", 3)))

    assert remarks.notes(ROWS, gapless={"b"}) == (
        "Column 'a': 1 of 10 values is no number ('x', row 4) and counts as missing.",
        "Column 'b': 1 of 10 values is no number ('y', row 4) and counts as missing. None was missing when "
        "the rules were made: correct these rows, or do not trust what is predicted of them.",
    )


def test_several_currencies_are_named():
    remarks = Remarks()
    remarks.add("a", Values(None, 2, None, Written("$41,000", 41000, False, ("$",))))
    remarks.add("a", Values(None, 2, None, Written("5 €", 5, False, ("€", "$"))))

    assert remarks.notes(ROWS) == (
        "Column 'a': '$41,000' is read as the number 41000. There are several currencies ('$', '€'); nothing "
        "is converted.",
    )


def test_notes_come_column_by_column():
    remarks = Remarks()
    remarks.add("a", Values(None, note="Column 'a' is read as text."))
    remarks.add("b", Values(None, 40, Odd(1, "x", 3), Written("3%", 3, True, ())))

    assert remarks.notes(ROWS) == (
        "Column 'a' is read as text.",
        "Column 'b': '3%' is read as the number 3, in percent.",
        "Column 'b': 1 of 40 values is no number ('x', row 4) and counts as missing.",
    )


def test_nothing_to_say():
    remarks = Remarks()
    remarks.add("a", Values(None, 3))

    assert remarks.notes(ROWS) == ()
