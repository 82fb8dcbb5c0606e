"""Blocks of CSV end where records do, as pyarrow and Python see it."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.files import blocks as module
from logiclens.files.blocks import LongRecordError, OpenQuoteError, blocks, ends_between_quotes, last_end


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


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("", 0),
        ("a,b", 0),
        ("a\nb\nc", 4),
        ('"a\nb"\nc', 6),
        ('"a\nb', 0),
        ('5" pipe\n6" pipe\nx', 16),
        ('5" pipe\n"a\nb', 8),
        ("a\rb\r", 2),
        ("a\r\nb\r", 3),
        ('"a""\n"\nb', 7),
        ("a;b\n", 4),
    ],
)
def test_the_last_record_that_is_whole(text: str, end: int):
    assert last_end(text.encode(), ",") == end


def test_lines_that_end_in_a_return_alone():
    assert "".join(cut("a\rb\rc\r", 2)) == "a\rb\rc\r"
    assert len(cut("a\rb\rc\r", 2)) > 1


@pytest.mark.parametrize(
    ("text", "open_"),
    [('"a', True), ('"a"', False), ('a"', False), ('a,"b\nc', True), ('"a""', True), ("a", False)],
)
def test_quotes_that_are_never_closed(text: str, open_: bool):
    assert ends_between_quotes(text.encode(), ",") == open_


def test_a_record_without_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_LONGEST", 100)
    with pytest.raises(LongRecordError):
        cut('"' + "a\n" * 200, 10)
    with pytest.raises(OpenQuoteError):
        cut('"' + "a\n" * 20, 10)
