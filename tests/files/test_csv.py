"""What the first lines of a text file say about all of it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import FileError, InputError
from logiclens.files import _csv
from logiclens.files._csv import (
    Layout,
    LongRecordError,
    OpenQuoteError,
    blocks,
    distinct_names,
    find_layout,
)
from logiclens.files._open import open_source


def layout_of(path: Path, content: str | bytes, *settings: str | None) -> Layout:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with open_source(path) as source:
        return find_layout(source, *settings)[0]


def rest_of(path: Path, content: str | bytes, *settings: str | None) -> bytes:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with open_source(path) as source:
        return find_layout(source, *settings)[1].read()


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb c\n1\t2,3\n", "\t"),
        ("a|b\nx,y|z\n", "|"),
        ('"a;1","b;2"\n"x;y",2\n', ","),
        ("a,b;c\n1,5;2\n3,5;4\n", ";"),
        ("a\n1\n2\n", ","),
        ("a\n1,5\n2,5\n", ","),
        ('"a\nb";c\n"1;2\n3";4\n', ";"),
        ("id,genres\n1,a|b|c\n2,a|b\n", ","),
        ("a,b,c\n1,2,3\n4,5\n7,8,9\n", ","),
        ("sep=|\na,b|c\n1,2|3\n", "|"),
        ("a,b", ","),
    ],
)
def test_the_delimiter_is_found(path: Path, content: str, delimiter: str):
    assert layout_of(path, content).delimiter == delimiter


@pytest.mark.parametrize(("word", "delimiter"), [("tab", "\t"), (r"\t", "\t"), (" ", " "), ("^", "^")])
def test_the_delimiter_can_be_named(path: Path, word: str, delimiter: str):
    found = layout_of(path, f"a{delimiter}b\n1{delimiter}2\n", word)

    assert (found.delimiter, found.names, found.notes) == (delimiter, ("a", "b"), ())


@pytest.mark.parametrize(
    ("content", "decimal", "sure"),
    [
        ("a;b\n1,5;2\n", ",", True),
        ("a\tb\n,5\t2\n", ",", True),
        ("a;b\n1.5;2,5\n", ".", True),
        ("a;b\n1,500;2,000\n", ".", False),  # may be thousands
        ("a;b\n1,500;2,5\n", ",", True),
        ("a;b\n1;2\n", ".", False),
        ('a,b\n"1,5",2\n', ".", True),
        ("a;b\n01.02.2020;2,5\n", ",", True),
        ("a;b\nx,5;y\n", ".", False),
        ("a;b\n4.704,03;1.000,00\n", ",", True),
        ("a;b\n1.234;2,5\n", ",", True),  # the points may be thousands, the comma cannot
        ("a;b\n41.000 €;2\n", ",", True),
        ("a;b\n$41,000;1.234\n", ".", True),
        ("a;b\n1.234.567;3\n", ",", True),
        ("a;b\n3,2%;3\n", ",", True),
        ("a;b\n1.500;2\n", ".", False),
        ("a;b\n$1,500;2,000\n", ".", True),
        ('a,b\n"1,500",2\n', ".", True),
    ],
)
def test_the_decimal_sign_is_found(path: Path, content: str, decimal: str, sure: bool):
    found = layout_of(path, content)

    assert (found.decimal, found.sure, found.notation.sure) == (decimal, sure, sure)


def test_a_point_that_may_stand_between_thousands_gets_a_note(path: Path):
    note = (
        "Numbers such as '1.500' are taken to have a decimal point. If it stands between thousands, say so "
        "with --decimal ','."
    )

    assert note in layout_of(path, "a;b\n1.500;2\n").notes
    assert note not in layout_of(path, "a;b\n1.500;2.5\n").notes
    assert note not in layout_of(path, "a,b\n1.500,2\n").notes


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_rows_below_the_header_are_left(path: Path, end: str):
    header, rows = f'{end}"a{end}b",c{end}', f"{end}1,2{end}"

    assert rest_of(path, header + rows) == rows.encode()
    assert layout_of(path, header + rows).n_lines == 3


def test_a_byte_order_mark_is_not_part_of_a_name(path: Path):
    found = layout_of(path, b'\xef\xbb\xbf"age",b\n1,2\n')

    assert (found.names, found.marked) == (("age", "b"), True)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1", "cp1252", "utf-8-sig", "UTF8"])
def test_other_encodings(path: Path, encoding: str):
    content = "größe,b\ngrün,2\n".encode(encoding)

    assert layout_of(path, content, None, encoding).names == ("größe", "b")
    assert rest_of(path, content, None, encoding).decode() == "grün,2\n"


def test_utf_16_says_so_itself(path: Path):
    found = layout_of(path, "größe\tb\n1\t2\n".encode("utf-16"))

    assert found.names == ("größe", "b")
    assert found.notes == ("The text is in UTF-16.", "Columns are separated by tab.")


@pytest.mark.parametrize(
    ("above", "table", "n"),
    [
        ("Sales, 2026\n\n", "shop;kind;size\n1;a;2,5\n2;b;3\n", 2),
        ('Report of shops\n"Made on\n3 May"\n', "shop,kind,size\n1,a,2\n", 3),
        ("sep=;\nA report\n", "shop;kind;size\n1;a;2\n", 1),
        ("", "shop,kind\n1,a\n", 0),
        ("", "shop,kind\n1,2,a\n2,3,b\n", 0),  # a column of row names, as R writes it
        ("", "note\n1,2,3\n4,5,6\n", 0),  # numbers are no names
        ("", "shop\na b\n", 0),
    ],
)
def test_lines_above_the_header_are_found_where_that_is_plain(path: Path, above: str, table: str, n: int):
    found = layout_of(path, (above + table).encode())

    assert found.names[0] in ("shop", "note")
    assert found.n_lines == (above + table).count("\n") - table.count("\n") + 1
    assert sum("skipped" in note for note in found.notes) == (n > 0)
    if n:
        said = layout_of(path, (above + table).encode(), None, None, None, n)
        assert (said.names, said.n_lines) == (found.names, found.n_lines)
        assert rest_of(path, (above + table).encode()).decode() == table.split("\n", 1)[1]


def test_lines_above_the_header_can_be_said(path: Path):
    content = b"a,b\n1,2\n3,4\n"

    assert layout_of(path, content, None, None, None, 1).names == ("1", "2")
    assert layout_of(path, b"A report\na,b,c\n1,2,3\n", None, None, None, 0).names == ("A report",)
    with pytest.raises(FileError, match="holds nothing but empty lines"):
        layout_of(path, content, None, None, None, 9)
    with pytest.raises(InputError, match="skip_lines must be a whole number"):
        layout_of(path, content, None, None, None, -1)


def test_what_is_not_in_utf_8_is_read_as_cp1252(path: Path):
    """As Excel writes it in Western Europe; a euro sign is none in latin-1."""
    content = "größe,b\n5 €,2\n".encode("cp1252")
    found = layout_of(path, content)

    assert (found.names, found.encoding) == (("größe", "b"), "cp1252")
    assert found.notes == (
        "The text is not in UTF-8. It is read as CP1252; where letters look wrong, say --encoding.",
    )
    assert rest_of(path, content).decode() == "5 €,2\n"


@pytest.mark.parametrize(
    ("content", "settings", "message"),
    [
        (
            b"a,b\n1,\xe9\n",
            (None, "utf-8"),
            "is not text in UTF-8, in line 2. Name its encoding, such as --encoding latin-1.",
        ),
        (
            b"a,b\n1,\xe9\x81\n",
            (),
            "is not text in UTF-8, in line 2. Name its encoding, such as --encoding latin-1.",
        ),
        (
            "é,b\n".encode("utf-16-le")[1:],
            (None, "utf-16"),
            "is not text in UTF-16, in line 1. Name its encoding, such as --encoding utf-8.",
        ),
        (
            "a,b\n1,2\n".encode("utf-16-le"),
            (),
            "is no text in UTF-8. Pass CSV, TSV or Parquet; of UTF-16, say so with --encoding utf-16.",
        ),
        (b"\xff\x00\x80\x81" * 8, (), "is no text. Pass a table as CSV, TSV or Parquet."),
        (b"\n\r\n\n", (), "holds nothing but empty lines. Pass a table with a header and rows."),
    ],
)
def test_what_is_no_text_is_refused(path: Path, content: bytes, settings: tuple, message: str):
    with pytest.raises(FileError) as caught:
        layout_of(path, content, *settings)

    assert str(caught.value) == f"{str(path)!r} {message}"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ((";;",), "A delimiter is one ASCII character such as ',' or ';'."),
        (('"',), "A delimiter is one ASCII character such as ',' or ';'."),
        ((3,), "A delimiter is one ASCII character such as ',' or ';'."),
        ((None, "latin1000"), "Unknown encoding 'latin1000'."),
        ((None, "base64"), "Unknown encoding 'base64'."),
        ((None, None, "'"), "decimal must be '.' or ','."),
        ((",", None, ","), "',' cannot both separate columns and mark decimals."),
    ],
)
def test_settings_that_make_no_sense(path: Path, settings: tuple, message: str):
    with pytest.raises(InputError, match=message):
        layout_of(path, "a,b\n1,2\n", *settings)


def test_a_header_of_any_length_is_read(path: Path):
    names = [f"a column with a rather long name, number {at}" for at in range(10_000)]
    header = ",".join(f'"{name}"' for name in names)
    found = layout_of(path, f"{header}\n{',' * 9_999}\n")

    assert found.names == tuple(names)


def test_names_are_made_distinct_as_pandas_does_it():
    names, unnamed, notes = distinct_names(["", "a", " a ", "a.1", "", "a"])

    assert names == ("Unnamed: 0", "a", "a.2", "a.1", "Unnamed: 4", "a.3")
    assert unnamed == ("Unnamed: 0", "Unnamed: 4")
    assert notes == [
        "Columns without a name are called 'Unnamed: 0', 'Unnamed: 4'.",
        "Names that were there already are now 'a.2', 'a.3'.",
    ]


@given(st.lists(st.sampled_from(["", "a", "a.1", "a.1.1", "b", " b", "Unnamed: 1"]), max_size=12))
def test_names_are_distinct_whatever_they_were(header: list[str]):
    names, _, _ = distinct_names(header)

    assert len(set(names)) == len(names) == len(header)
    assert all(names)


def test_a_header_of_numbers_gets_a_note():
    assert distinct_names(["1", "2.5", "-3e4"])[2] == [
        "The first row holds numbers and was taken to be the header. If it is data, put a row of names "
        "above it."
    ]
    assert distinct_names(["1", "x"])[2] == []


def cut(text: str, size: int, delimiter: str = ",") -> list[str]:
    return [block.decode() for block in blocks(io.BytesIO(text.encode()), delimiter, size)]


def records(text: str, delimiter: str = ",") -> list[list[str]]:
    return [*csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)]


CELLS = st.text(st.sampled_from('ab",\n'), max_size=5)


@given(
    st.lists(st.lists(CELLS, min_size=1, max_size=3), min_size=1, max_size=8),
    st.integers(1, 40),
    st.sampled_from(["\n", "\r\n"]),
)
def test_records_are_whole_wherever_blocks_end(rows: list[list[str]], size: int, end: str):
    stream = io.StringIO(newline="")
    csv.writer(stream, lineterminator=end).writerows(rows)
    text = stream.getvalue()
    found = cut(text, size)

    assert "".join(found) == text
    assert [record for block in found for record in records(block)] == rows


SIGNS = st.text(st.sampled_from('a",\n'), max_size=30)


@given(SIGNS, st.integers(1, 10))
def test_any_text_is_cut_as_python_cuts_it(text: str, size: int):
    """Also where quotes stand within values."""
    try:
        found = cut(text, size)
    except OpenQuoteError:
        assert records(text) == records(text + '"')
        return

    assert "".join(found) == text
    assert [record for block in found for record in records(block)] == records(text)


def test_lines_that_end_in_a_return_alone():
    assert "".join(cut("a\rb\rc\r", 2)) == "a\rb\rc\r"
    assert len(cut("a\rb\rc\r", 2)) > 1


def test_a_record_without_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_csv, "_LONGEST", 100)
    with pytest.raises(LongRecordError):
        cut('"' + "a\n" * 200, 10)
    with pytest.raises(OpenQuoteError):
        cut('"' + "a\n" * 20, 10)
