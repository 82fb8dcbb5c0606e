"""Tables that are written are the tables that are read again."""

from __future__ import annotations

import csv
import gzip
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.files._table_writer import as_cells, table_writer


def written(*tables: pa.Table, **settings: object) -> bytes:
    stream = io.BytesIO()
    writer = table_writer(stream, **settings)
    for table in tables:
        writer.write(table)
    writer.close()
    return stream.getvalue()


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5)


@given(
    st.integers(1, 3).flatmap(
        lambda width: st.lists(st.lists(TEXTS, min_size=width, max_size=width), min_size=1)
    ),
    st.sampled_from([",", ";", "\t", "|", "^", "."]),
)
def test_any_text_comes_back(rows: list[list[str]], delimiter: str):
    names = [f'na"me{delimiter}{at}' for at in range(len(rows[0]))]
    table = pa.table([list(column) for column in zip(*rows, strict=True)], names=names)
    text = written(table, delimiter=delimiter).decode()

    assert list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)) == [names, *rows]


def test_quotes_are_written_where_they_must_be():
    table = pa.table({"a": ["plain", "007", "b,c", 'd"e', "f\ng", "", None]})

    assert written(table).decode() == 'a\nplain\n007\n"b,c"\n"d""e"\n"f\ng"\n""\n""\n'


def test_values_of_all_types_become_text():
    table = pa.table(
        {
            "n": pa.array([1, None]),
            "x": pa.array([0.1, None]),
            "yes": pa.array([True, None]),
            "list": pa.array([[1, 2], None]),
            "code": pa.array(["a,b", None]).dictionary_encode(),
            "bytes": pa.array([b"a", None]),
            "wide": pa.array(["a", None], pa.large_string()),
        }
    )

    assert written(table).decode().splitlines()[1:] == ['1,0.1,True,"[1, 2]","a,b","""b\'a\'""",a', ",,,,,,"]


def test_a_piece_of_an_array_is_written_as_that_piece():
    table = pa.table({"a": [f"v{at}" for at in range(10)], "b": range(10)}).slice(3, 2)

    assert written(table).decode() == "a,b\nv3,3\nv4,4\n"
    assert as_cells(table.column("a").chunk(0)).to_pylist() == ["v3", "v4"]


def test_many_rows_in_several_batches_are_one_table():
    tables = [pa.table({"a": range(start, start + 20_000)}) for start in (0, 20_000)]

    assert written(*tables).decode().split() == ["a", *map(str, range(40_000))]


def test_the_name_says_the_form():
    table = pa.table({"a": ["x", "y"], "b": [1, 2]})

    assert gzip.decompress(written(table, path="x.csv.gz")) == b"a,b\nx,1\ny,2\n"
    assert written(table, path="x.tsv") == b"a\tb\nx\t1\ny\t2\n"
    assert written(table, delimiter=";", marked=True) == b"\xef\xbb\xbfa;b\nx;1\ny;2\n"
    for name in ("x.parquet", "X.PQ"):
        content = written(table, table, path=name)
        assert pq.read_table(io.BytesIO(content)).to_pydict() == {"a": ["x", "y"] * 2, "b": [1, 2] * 2}


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.csv.gz"])
def test_no_batches_are_no_error(name: str):
    written(path=name)
