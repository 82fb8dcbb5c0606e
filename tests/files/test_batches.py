"""Rows in batches are the rows of the whole file, each read by itself."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from logiclens.errors import InputError, UnknownColumnError, UnknownColumnsError
from logiclens.files import ValueType, _csv, _reading, read_batches, read_table
from logiclens.files._remarks import Remarks
from tests.files.making import packed, parquet

NUMBER, TEXT = ValueType.NUMBER, ValueType.TEXT


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of a few rows."""
    monkeypatch.setattr(_reading, "_BLOCK", 4000)
    monkeypatch.setattr(_reading, "_ROWS", 100)
    monkeypatch.setattr(_csv, "_HEAD", 1000)


def rows_of(path: Path | str, **settings: str) -> list[pa.Table]:
    with read_batches(path, **settings) as found:
        return [batch.rows for batch in found]


def values_of(path: Path | str, types: dict[str, ValueType], **settings: str) -> dict[str, list]:
    values: dict[str, list] = {name: [] for name in types}
    with read_batches(path, **settings) as found:
        for batch in found:
            for name, column in batch.values(types).items():
                values[name] += column.to_pylist()
    return values


def refusal(path: Path | str, types: dict[str, ValueType]) -> str:
    with pytest.raises(InputError) as caught:
        values_of(path, types)
    return str(caught.value).removeprefix(f"{str(path)!r} ")


N = 1000
LINES = "".join(f"{at}, c{at % 3} ,007\n" for at in range(N))
FILES = {
    "csv": f"n,color,code\n{LINES}".encode(),
    "gz": packed(f"n,color,code\n{LINES}".encode()),
    "utf-16": f"n,color,code\n{LINES}".encode("utf-16"),
}
NATIVE = pa.table({"n": range(N), "color": [f"c{at % 3}" for at in range(N)], "code": ["007"] * N})
EXPECTED = {"n": list(range(N)), "color": [f"c{at % 3}" for at in range(N)]}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("where", ["file", "stdin"])
def test_all_rows_come_as_they_are(path: Path, kind: str, where: str, monkeypatch: pytest.MonkeyPatch):
    path.write_bytes(FILES[kind])
    place: Path | str = path
    if where == "stdin":
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(FILES[kind])))
        place = "-"
    parts = rows_of(place)

    assert len(parts) > 2
    assert pa.concat_tables(parts).to_pydict() == {
        "n": [str(at) for at in range(N)],
        "color": [f" c{at % 3} " for at in range(N)],
        "code": ["007"] * N,
    }


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("content", [*FILES.values(), parquet(NATIVE, 150), packed(parquet(NATIVE, 150))])
@pytest.mark.parametrize("where", ["file", "stdin"])
def test_values_are_read_as_they_were(
    path: Path, content: bytes, where: str, monkeypatch: pytest.MonkeyPatch
):
    path.write_bytes(content)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))

    assert values_of(path if where == "file" else "-", {"n": NUMBER, "color": TEXT}) == EXPECTED


@pytest.mark.usefixtures("small")
def test_rows_are_counted(path: Path):
    path.write_bytes(FILES["csv"])
    with read_batches(path) as found:
        starts = [(batch.start, batch.rows.num_rows) for batch in found]

    assert starts[0][0] == 0
    assert [start + length for start, length in starts] == [*(start for start, _ in starts[1:]), N]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("where", ["file", "stdin"])
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            b"old,red,1\n",
            "Column 'n' must hold numbers; {place} has 'old'. Correct "
            "it, or leave it empty if it is missing.",
        ),
        (
            b"1,2\n",
            "{label}has {what}; the header names 3 columns. Correct that row, or name the sign between "
            "columns with --delimiter.",
        ),
        (b"1,\xe9,2\n", "{label}is not text in UTF-8{line}. Name its encoding, such as --encoding latin-1."),
        (
            b'1,2,"3\n',
            '{label}ends within a value in quotes. Look for a sign " that opens a value and is never closed.',
        ),
    ],
)
def test_what_is_wrong_far_below_is_named(
    path: Path, bad: bytes, message: str, where: str, monkeypatch: pytest.MonkeyPatch
):
    content = b'n,"a\ncolor",code\n' + LINES.encode() + bad + b"1,2,3\n"
    path.write_bytes(content)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    again = where == "file"
    expected = message.format(
        place=f"line {N + 3}" if again else f"row {N + 1}",
        label="" if again else "standard input ",
        what=f"2 values in line {N + 3}" if again else "another number of values in a row",
        line=f", in line {N + 3}" if again else "",
    )

    assert refusal(path if again else "-", {"n": NUMBER}) == expected


def test_columns_that_are_lacking(path: Path):
    path.write_text("age,sex\n62,m\n")
    with pytest.raises(UnknownColumnError), read_batches(path) as found:
        next(iter(found)).values({"Age": NUMBER})
    with pytest.raises(UnknownColumnsError), read_batches(path) as found:
        next(iter(found)).values({"Age": NUMBER, "Sex": TEXT})


def test_what_is_known_before_the_first_row(path: Path):
    path.write_bytes(b"\xef\xbb\xbfage;size\n62;1,5\n")
    with read_batches(path) as found:
        assert (found.name, found.names) == ("rows.csv", ("age", "size"))
        assert found.notes == ("Columns are separated by ';'.", "Numbers have a decimal comma.")
        assert found.layout is not None
        assert found.layout.marked


def test_text_in_parquet_is_read_where_numbers_are_wanted(path: Path):
    pq.write_table(pa.table({"n": ["1.5", None, "NA"]}), path)

    assert values_of(path, {"n": NUMBER}) == {"n": [1.5, None, None]}
    pq.write_table(pa.table({"n": ["1.5", "x"]}), path)
    assert "Column 'n' must hold numbers" in refusal(path, {"n": NUMBER})


@pytest.mark.usefixtures("small")
def test_a_number_of_parquet_that_is_not_finite_is_named_by_its_row(path: Path):
    """Counted from the first row of the file, not of its batch."""
    ages = [1.0] * 250 + [float("inf")] + [float("nan")] * 3
    path.write_bytes(parquet(pa.table({"age": ages}), 150))

    assert "Column 'age' must hold numbers; row" in refusal(path, {"age": NUMBER})
    assert len(values_of(path, {"age": TEXT})["age"]) == 254


def test_parquet_from_a_pipe_needs_room(monkeypatch: pytest.MonkeyPatch):
    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(28, "No space left on device")

    content = parquet(pa.table({"age": [62]}))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    monkeypatch.setattr(_reading.tempfile, "TemporaryFile", Full)
    monkeypatch.setattr(_reading.tempfile, "gettempdir", lambda: "/full")

    assert "There is no room in the folder '/full' for what comes" in refusal("-", {"age": NUMBER})


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("where", ["file", "stdin"])
def test_what_is_no_number_counts_as_missing_where_remarks_are_made(
    path: Path, where: str, monkeypatch: pytest.MonkeyPatch
):
    content = f"n,color,code\nold,red,1\n{LINES}{LINES}young,red,$7\n".encode()
    path.write_bytes(content)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    remarks, values = Remarks(), []
    with read_batches(path if where == "file" else "-") as found:
        for batch in found:
            values += batch.values({"n": NUMBER, "code": NUMBER}, remarks)["n"].to_pylist()
        notes = remarks.notes(found.origin, gapless=["n"])
    place = "line 2" if where == "file" else "row 1"

    assert values == [None, *range(N), *range(N), None]
    assert notes == (
        f"Column 'n': 2 of 2002 values are no numbers (such as 'old', {place}) and count as missing. None "
        "was missing when the rules were made: correct these rows, or do not trust what is predicted of "
        "them.",
        "Column 'code': '$7' is read as the number 7.",
    )


def test_a_number_with_the_wrong_decimal_sign_is_refused_all_the_same(path: Path):
    path.write_text('n,a\nold,1\n"1,5",2\n')
    with pytest.raises(InputError) as caught, read_batches(path) as found:
        next(iter(found)).values({"n": NUMBER}, Remarks())

    assert str(caught.value) == (
        "Column 'n' must hold numbers; line 3 has '1,5'. If the comma is "
        "a decimal sign, say so with --decimal ','."
    )


@pytest.mark.usefixtures("small")
def test_the_same_text_is_the_same_number_in_a_table_and_in_batches(path: Path):
    texts = ["$41,000", "900 €", "3.2%", "1 234", "1'234.5", "-$5", "CHF 7", "12", "2,345,678"]
    path.write_text("n;x\n" + "".join(f"{text};0.5\n" for text in texts * 100))
    types = {"n": NUMBER}
    expected = [41000, 900, 3.2, 1234, 1234.5, -5, 7, 12, 2345678] * 100

    assert read_table(path, types=types).table.column("n").to_pylist() == expected
    assert values_of(path, types)["n"] == expected
