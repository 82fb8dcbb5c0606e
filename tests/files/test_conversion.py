"""CSV files as Parquet for engines: the very columns that reading them in memory gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.concepts.table import ValueType
from logiclens.errors import InputError
from logiclens.files import _reading, read_table
from logiclens.files._open import find_files
from logiclens.files._reading import copy_as_parquet
from tests.concepts.test_text import TEXTS

LINES = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8)


@settings(max_examples=50)
@given(
    LINES,
    st.sampled_from([0, 150]),
    st.sampled_from([None, ValueType.NUMBER, ValueType.FLAG, ValueType.TEXT]),
)
def test_a_copy_is_what_memory_reads(tmp_path_factory, lines, n: int, kind: ValueType | None):
    folder = tmp_path_factory.mktemp("copy")
    path = folder / "rows.csv"
    rows = [*lines, *[("7", "red")] * n]
    path.write_text("a;b;\n" + "".join(f"{a};{b};\n" for a, b in rows), encoding="utf-8")
    types = {} if kind is None else {"a": kind}
    expected = result(lambda: read_table(path, types=types))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_reading, "_BLOCK", 16)
        found = find_files(str(path))
        notes = result(lambda: copy_as_parquet(found, f"{folder}/copy", lambda _: types))

    if isinstance(expected, str):
        assert notes == expected
        return
    copy = pq.read_table(folder / "copy")
    assert copy.schema.types == expected.table.schema.types
    assert copy.to_pydict() == expected.table.to_pydict()
    assert slips(notes) == slips(expected.notes)


def result(make: Callable[[], Any]) -> Any:
    """What is made, or why it cannot be."""
    try:
        return make()
    except InputError as error:
        return str(error)


def slips(notes: Sequence[str]) -> list[str]:
    """How many values of each column count as missing."""
    return [note.partition(" (")[0] for note in notes if "as missing" in note]


def test_files_of_several_folders(tmp_path: Path):
    for day, content in ((1, "a,b\n1,x\n"), (2, "b,a\ny,2.5\n")):
        (tmp_path / f"day={day}").mkdir()
        (tmp_path / f"day={day}" / "rows.csv").write_text(content)
    copy_as_parquet(find_files(f"{tmp_path}/**/*.csv"), f"{tmp_path}/copy")

    assert pq.read_table(tmp_path / "copy") == pa.table({"a": [1.0, 2.5], "b": ["x", "y"], "day": [1, 2]})


def test_files_of_different_columns_are_refused(tmp_path: Path):
    for name, content in (("1.csv", "a,b\n1,x\n"), ("2.csv", "a,c\n1,x\n")):
        (tmp_path / name).write_text(content)
    with pytest.raises(InputError) as caught:
        copy_as_parquet(find_files(f"{tmp_path}/*.csv"), f"{tmp_path}/copy")

    assert str(caught.value) == (
        f"'{tmp_path}/1.csv' and '{tmp_path}/2.csv' have different columns: only one has 'b', 'c'. "
        "Give all files the same columns."
    )
