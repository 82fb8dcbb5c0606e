"""Excel workbooks, read as any table is."""

from __future__ import annotations

import datetime
import io
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from logiclens.errors import FileError, InputError
from logiclens.files import read_batches, read_table
from tests.cli.running import STAYS, refused, run

openpyxl = pytest.importorskip("openpyxl")

ROWS = [
    ["age", "color", "code", "smoker", "day", None],
    [62, 'red; "dark", or\nso', "007", True, datetime.datetime(2020, 12, 31), None],
    [None, None, None, None, None, None],
    [30.5, "größe 🐦", "010", False, datetime.datetime(2021, 1, 1, 8, 30), None],
    ["#DIV/0!", "blue", None, True, None, None],
]


def workbook(path: Path, **sheets: list[list[object]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def refusal(path: Path, sheet: str | None = None) -> str:
    """What is said of a file that is refused."""
    with pytest.raises((FileError, InputError)) as caught:
        read_table(path, sheet=sheet)
    return str(caught.value).removeprefix(f"{str(path)!r} ")


def test_a_sheet_is_read_as_other_tables_are(tmp_path: Path):
    path = workbook(tmp_path / "rows.xlsx", first=ROWS, second=[["n"], [1]])
    found = read_table(path)

    assert found.table.to_pydict() == {
        "age": [62.0, 30.5, None],
        "color": ['red; "dark", or\nso', "größe 🐦", "blue"],
        "code": ["007", "010", None],
        "smoker": [True, False, True],
        "day": ["2020-12-31", "2021-01-01 08:30:00", None],
    }
    assert (found.name, found.notes) == ("rows.xlsx", ())
    assert read_table(path, sheet="second").table.to_pydict() == {"n": [1]}
    with read_batches(path, sheet="second") as batches:
        assert [batch.rows.to_pydict() for batch in batches] == [{"n": ["1"]}]


def test_what_is_no_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = workbook(tmp_path / "rows.xlsx", first=ROWS, empty=[[None]])
    text, archive = tmp_path / "rows.csv", io.BytesIO()
    text.write_text("a,b\n1,2\n")
    with ZipFile(archive, "w") as zipped:
        zipped.writestr("rows.csv", "a,b\n1,2\n")
    zip_path = tmp_path / "rows.zip"
    zip_path.write_bytes(archive.getvalue())

    assert refusal(path, "firs") == "has no sheet 'firs'. Did you mean 'first'? It has 'first', 'empty'."
    assert refusal(path, "empty") == "has no values in the sheet 'empty'. Name another with --sheet."
    assert refusal(text, "first").startswith("is no Excel workbook, and has no sheets.")
    assert refusal(zip_path) == "is a zip archive. Unpack it, and name the table in it."
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert refusal(path).startswith("is an Excel workbook, which needs openpyxl. Run: pip install 'logiclens")


def test_the_command_gives_the_same_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    cells = [line.split(",") for line in STAYS.read_text().splitlines()]
    values = [[float(cell) if cell.isdigit() else cell or None for cell in row] for row in cells]
    workbook(Path("stays.xlsx"), about=[["nothing"], [1]], stays=values)
    options = ["--target", "risk", "--no-compare", "--stability", 0]
    from_text = run("explain", STAYS, *options)
    from_sheet = run("explain", "stays.xlsx", *options, "--sheet", "stays", "--save", "model.json")

    assert from_sheet.exit_code == 0, from_sheet.output
    assert from_sheet.stdout.split("\n")[2:9] == from_text.stdout.split("\n")[2:9]
    new = ["stays.xlsx", "--sheet", "stays"]
    assert "Of 500 rows" in run("predict", "model.json", *new, "--truth", "risk", "--out", "out.csv").stderr
    assert "Row 3 of stays.xlsx" in run("explain-row", "model.json", *new, "--row", 3).stdout
    in_engine = run("explain", "stays.xlsx", "--target", "risk", "--engine", "duckdb")
    assert "--engine reads CSV and Parquet. Save the sheet" in in_engine.stderr
    assert refused("explain", "stays.xlsx", "--target", "risk") == (
        "The table has 1 row. At least 2 are needed to compare."
    )
