"""Distinct texts of a column as numbers."""

from __future__ import annotations

import pyarrow as pa
import pytest

from logiclens.files.levels import Levels, Odd, Written, has_codes, longest_whole, note_on_long
from logiclens.files.written import Notation


def levels(*texts: str | None) -> Levels:
    middle = len(texts) // 2
    return Levels(pa.chunked_array([texts[:middle], texts[middle:]], type=pa.string()), Notation())


def test_texts_are_counted_over_all_chunks():
    found = levels("$5", None, "x", "$5", "7", None, "x", "x")

    assert (found.n, found.n_good) == (6, 3)
    assert found.values().column.to_pylist() == [5, None, None, 5, 7, None, None, None]
    assert found.values().odd == Odd(3, "x", 2)
    assert found.values().written == Written("$5", 5, False, ("$",))


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
    assert levels(*texts).are_numbers() == numbers


def test_codes_and_long_numbers():
    assert has_codes(pa.array(["5", "-007"]))
    assert has_codes(pa.array(["0x1F"]))
    assert not has_codes(pa.array(["0", "0.5", "-1"]))
    assert longest_whole(pa.array(["1", "12345678901234567890"])) == "12345678901234567890"
    assert longest_whole(pa.array(["1", "0.12345678901234567890"])) == ""
    assert note_on_long("x", "1" * 20) == (
        "Column 'x' is read as text: it holds whole numbers that are too long to count with, such as "
        "'11111111111111111111'."
    )
