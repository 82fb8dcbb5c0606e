"""Tables of all sorts of files, as people have them."""

from __future__ import annotations

import datetime
import hashlib
import io
import sys
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.concepts import Table
from logiclens.concepts._text import MISSING
from logiclens.concepts.table import Kind
from logiclens.errors import FileError, InputError
from logiclens.files import ValueType, read_batches, read_table
from logiclens.files._reading import plain_column, with_plain_types
from tests.files.making import packed, parquet
from tests.strategies import HOSTILE_NAMES

TABLE = pa.table({"age": [62, 30], "color": ["red", "blue"]})


def read(path: Path, content: str | bytes, **settings: object) -> dict[str, list]:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(path, **settings).table.to_pydict()


def refusal(path: Path, content: str | bytes, **settings: object) -> str:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        read_table(path, **settings)
    message = str(caught.value)
    assert message.isprintable()
    return message.removeprefix(f"{str(path)!r} ")


@pytest.mark.parametrize(
    "content",
    [
        b"age,color\n62,red\n30,blue\n",
        b"age,color\r\n62,red\r\n30,blue",
        b"age, color\n62, red\n30 , blue\n",
        b"\xef\xbb\xbfage;color\n62;red\n30;blue\n",
        b"age\tcolor\n62\tred\n30\tblue\n",
        b'"age"|"color"\n"62"|"red"\n"30"|"blue"\n',
        b"\n\nage,color\n62,red\n\n30,blue\n\n",
        b"age,color,\n62,red,\n30,blue,\n",
        "age\tcolor\n62\tred\n30\tblue\n".encode("utf-16"),
        packed(b"age,color\n62,red\n30,blue\n"),
        parquet(TABLE),
        packed(parquet(TABLE)),
    ],
)
@pytest.mark.parametrize("where", ["file", "stdin"])
def test_the_same_table_however_it_is_stored(
    path: Path, content: bytes, where: str, monkeypatch: pytest.MonkeyPatch
):
    path.write_bytes(content)
    if where == "stdin":
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    file = read_table(path if where == "file" else "-")

    assert file.table.to_pydict() == TABLE.to_pydict()
    assert file.n_rows == 2
    assert file.sha256 == hashlib.sha256(content).hexdigest()
    assert file.name == ("rows.csv" if where == "file" else "standard input")


def test_a_table_from_europe(path: Path):
    content = 'Größe;Preis;Tag;PLZ\n"groß; rot";3,5;01.02.2020;01067\nklein;4;03.02.2020;80331\n'

    assert read(path, content.encode("cp1252"), encoding="cp1252") == {
        "Größe": ["groß; rot", "klein"],
        "Preis": [3.5, 4.0],
        "Tag": ["01.02.2020", "03.02.2020"],
        "PLZ": ["01067", "80331"],
    }
    assert read(path, content.encode("cp1252"))["Größe"] == ["groß; rot", "klein"]


def test_quotes_and_line_breaks_within_them(path: Path):
    content = 'note,n\n"says ""hi"",\nthen goes",1\n5" pipe,2\n'

    assert read(path, content) == {"note": ['says "hi",\nthen goes', '5" pipe'], "n": [1, 2]}


def test_types_come_from_all_rows_of_a_large_file(path: Path):
    """The last row is many blocks away from the first."""
    n = 400_000
    rows = b"".join(b"%d,%d,abcdefghij\n" % (at, at % 7) for at in range(n))
    path.write_bytes(b"a,b,c\n" + rows + b"0.5,word,x\n" + b"1,other,x\n" * (n // 10))
    table = read_table(path).table

    assert [str(field.type) for field in table.schema] == ["double", "string", "string"]
    assert table.num_rows == n + n // 10 + 1


def test_ten_thousand_columns(path: Path):
    width = 10_000
    header = ",".join(f"c{at}" for at in range(width))
    path.write_text(f"{header}\n" + "\n".join([",".join(["1"] * width)] * 3) + "\n")

    assert read_table(path).table.shape == (3, width)


def test_columns_without_a_name_are_left_out_when_they_are_empty(path: Path):
    path.write_text(",age,\n1,62,\n2,30, \n")
    file = read_table(path)

    assert file.table.to_pydict() == {"Unnamed: 0": [1, 2], "age": [62, 30]}
    assert file.notes == (
        "Columns without a name are called 'Unnamed: 0', 'Unnamed: 2'.",
        "Columns without a name and without values are left out: 'Unnamed: 2'.",
    )


def test_what_stands_for_a_missing_value(path: Path):
    content = "n,text\n1,red\n" + "".join(f"{word},{word}\n" for word in MISSING)

    assert read(path, content) == {"n": [1] + [None] * len(MISSING), "text": ["red"] + [None] * len(MISSING)}


def test_types_can_be_given(path: Path):
    types = {"zip": ValueType.TEXT, "age": ValueType.NUMBER, "smoker": ValueType.FLAG}

    assert read(path, "zip,age,smoker,n\n10115,,true,1\n,62,0,2\n", types=types) == {
        "zip": ["10115", None],
        "age": [None, 62],
        "smoker": [1, 0],
        "n": [1, 2],
    }
    assert read(path, "age,smoker\n62,1\nyoung,maybe\n", types=types) == {
        "age": [62, None],
        "smoker": [1, None],
    }
    assert read_table(path, types=types).notes == (
        "Column 'age': 1 of 2 values is no number ('young', line 3) and counts as missing.",
        "Column 'smoker': 1 of 2 values is no number ('maybe', line 3) and counts as missing.",
    )
    assert refusal(path, "age;n\n62;1\nyoung;1\n6,25;2\n", types=types, decimal=".") == (
        "Column 'age' must hold numbers; line 4 has '6,25'. If the comma "
        "is a decimal sign, say so with --decimal ','."
    )


def test_types_can_be_given_of_parquet_too(path: Path):
    types = {"age": ValueType.NUMBER, "zip": ValueType.TEXT, "code": ValueType.MIXED}
    table = pa.table({"age": ["62", " 30 "], "zip": ["1", ""], "code": ["1", "a"], "n": [1, 2]})

    assert read(path, parquet(table), types=types) == {
        "age": [62, 30],
        "zip": ["1", None],
        "code": ["1", "a"],
        "n": [1, 2],
    }
    assert read(path, parquet(pa.table({"age": ["62", "old"]})), types=types) == {"age": [62, None]}
    assert read_table(path, types=types).notes == (
        "Column 'age': 1 of 2 values is no number ('old', row 2) and counts as missing.",
    )


def test_numbers_as_people_write_them(path: Path):
    content = 'income,rate,n\n"$41,000",3.2%,1 234\n$900,4%,5\n,0.5 %,"1\'234"\n'

    assert read(path, content) == {
        "income": [41000, 900, None],
        "rate": [3.2, 4.0, 0.5],
        "n": [1234, 5, 1234],
    }
    assert read_table(path).notes == (
        "Column 'income': '$41,000' is read as the number 41000.",
        "Column 'rate': '0.5 %' is read as the number 0.5, in percent.",
        "Column 'n': '1 234' is read as the number 1234.",
    )


def test_numbers_as_people_write_them_in_germany(path: Path):
    assert read(path, "Betrag;Zins\n4.704,03 €;3,2 %\n1.000,00 €;10 %\n") == {
        "Betrag": [4704.03, 1000.0],
        "Zins": [3.2, 10.0],
    }
    assert read_table(path).notes == (
        "Columns are separated by ';'.",
        "Numbers have a decimal comma.",
        "Column 'Betrag': '4.704,03 €' is read as the number 4704.03.",
        "Column 'Zins': '3,2 %' is read as the number 3.2, in percent.",
    )


def test_a_slip_among_numbers_counts_as_missing(path: Path):
    lines = [str(100 + at % 60) for at in range(297)]
    lines[15] = "145 mmHg"
    path.write_text(
        "\n".join(["Blutdruck;Alter", *(f"{line};{40 + at % 9}" for at, line in enumerate(lines))])
    )
    file = read_table(path)

    assert file.table.column("Blutdruck").to_pylist()[14:17] == [114, None, 116]
    assert file.notes[1:] == (
        "Column 'Blutdruck': 1 of 297 values is no number ('145 mmHg', line 17) and counts as missing.",
    )


def test_several_slips_are_named_in_one_line_each(path: Path):
    rows = [*(["1,2"] * 20), "x,2", "y,z", *(["3,4"] * 30)]
    path.write_text("a,b\n\n" + "\n".join(rows))

    assert read_table(path).notes == (
        "Column 'a': 2 of 52 values are no numbers (such as 'x', line 23) and count as missing.",
        "Column 'b': 1 of 52 values is no number ('z', line 24) and counts as missing.",
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"age,color\n", "has a header and no rows. Pass a table with rows."),
        (b"age,color", "has a header and no rows. Pass a table with rows."),
        (b"age,color\n" + b"\n" * 100_000, "has a header and no rows. Pass a table with rows."),
        (b"age,color\n\n \n", "has a header and no rows. Pass a table with rows."),
        (
            b"age,color\n62,red\n30,blue,1\n",
            "has 3 values in line 3; the header names 2 columns. Correct that row, or name the sign between "
            "columns with --delimiter.",
        ),
        (
            b'age,color\n"6\n2",red\n30\n',
            "has 1 value in line 4; the header names 2 columns. Correct that row, or name the sign between "
            "columns with --delimiter.",
        ),
        (
            b"age,color\n" + b"62,red\n" * 100_000 + b"30,bl\xe9u\n",
            "is not text in UTF-8, in line 100002. Name its encoding, such as --encoding latin-1.",
        ),
        (
            b'age,color\n62,"red\n30,blue\n31,green\n',
            'ends within a value in quotes. Look for a sign " that opens a value and is never closed.',
        ),
        (
            packed(b"age,color\n62,red\n" * 1000)[:-30],
            "cannot be read to its end: it is damaged. Get it once more.",
        ),
        (
            parquet(TABLE)[:-50],
            "is a Parquet file that cannot be read: it is damaged. Get it once more.",
        ),
        (parquet(TABLE.slice(0, 0)), "has no rows. Pass a table with rows."),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(path: Path, content: bytes, message: str):
    """Also in batches."""
    assert refusal(path, content) == message
    with pytest.raises(FileError) as caught, read_batches(path) as found:
        list(found)
    assert str(caught.value).endswith(message.removeprefix("has no rows."))


def test_a_row_longer_than_a_block_is_a_row(path: Path):
    text = "x" * 5_000_000

    assert read(path, f"a,b\n1,{text}\n2,y\n")["b"] == [text, "y"]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_names_and_values_are_data(path: Path, name: str):
    if name.strip() != name or "\0" in name or not name:
        pytest.skip("blanks around names do not count")
    try:
        quoted = f'"{name.replace(chr(34), chr(34) * 2)}"'.encode()
    except UnicodeEncodeError:
        pytest.skip("no text in UTF-8")
    path.write_bytes(quoted + b",n\n" + quoted + b",1\n")

    assert read_table(path).table.to_pydict()[name] is not None
    assert read_table(path).table.column_names == [name, "n"]


CELLS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Zs", "Cc", "Zl", "Zp"]),
    max_size=6,
).map(lambda text: f"x{text}")


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8), st.sampled_from(",;|\t"))
def test_text_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, rows: list, delimiter: str):
    path = tmp_path_factory.mktemp("csv") / "rows.csv"

    def line(cells: tuple[str, str]) -> str:
        return delimiter.join(f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in cells)

    path.write_text("\n".join(map(line, [("a", "b"), *rows])) + "\n", encoding="utf-8", newline="")
    table = read_table(path, delimiter=delimiter).table

    assert list(zip(*table.to_pydict().values(), strict=True)) == rows


def test_what_was_read_is_a_table_for_the_encoder(path: Path):
    path.write_text("age,color,day\n62,red,2020-01-31\n?,blue,2020-02-28\n30,,2020-03-31\n")
    table = Table(read_table(path).table)

    assert table.column("age").numbers().tolist()[::2] == [62, 30]
    assert np.isnan(table.column("age").numbers()[1])
    assert table.column("color").values().tolist() == ["red", "blue", None]


DATE = datetime.date(2020, 1, 31)


@pytest.mark.parametrize(
    ("column", "kind", "values"),
    [
        (pa.array(["a", None]).dictionary_encode(), Kind.TEXT, ["a", None]),
        (pa.array([Decimal("1.5"), None]), Kind.NUMBER, [1.5, None]),
        (pa.array([1.5, None], pa.float32()).cast(pa.float16()), Kind.NUMBER, [1.5, None]),
        (pa.array(["a", None], pa.large_string()), Kind.TEXT, ["a", None]),
        (pa.array([True, None]), Kind.BOOLEAN, [True, None]),
        (pa.array([2**63, None], pa.uint64()), Kind.NUMBER, [2**63, None]),
        (pa.array([DATE, None]), Kind.DATE, [DATE, None]),
        (pa.array([datetime.datetime(2020, 1, 31), None]), Kind.DATE, [datetime.datetime(2020, 1, 31), None]),
        (pa.array([datetime.timedelta(1), None]), Kind.DATE, [datetime.timedelta(1), None]),
        (pa.array([[1, 2], None]), Kind.OTHER, [[1, 2], None]),
        (pa.array([{"a": 1}, None]), Kind.OTHER, [{"a": 1}, None]),
        (pa.nulls(2), Kind.NUMBER, [None, None]),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_columns_of_all_types_can_be_read(column: pa.Array, kind: Kind, values: list):
    table, notes = with_plain_types(pa.table({"x": column}))
    read = Table(table).column("x")

    assert notes == ()
    assert (read.kind, read.values().tolist()) == (kind, values)


def test_types_that_others_have_made_up_are_what_they_are_stored_as():
    column = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"x" * 16], pa.binary(16)))

    assert plain_column(pa.chunked_array([column])).type == pa.binary(16)


def test_names_are_made_distinct_and_the_index_of_pandas_is_left_out():
    table = pa.table([[1], [2], [3]], names=["a", "a", "__index_level_0__"])
    plain, notes = with_plain_types(table)

    assert plain.to_pydict() == {"a": [1], "a.1": [2]}
    assert notes == (
        "Names that were there already are now 'a.1'.",
        "The index of a pandas frame is left out: '__index_level_0__'.",
    )
