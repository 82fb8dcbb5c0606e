"""A sheet of an Excel workbook as CSV, so that it is read as any other text is."""

from __future__ import annotations

import csv
import datetime
import io
from typing import Any
from zipfile import BadZipFile, ZipFile

from logiclens.errors import FileError, InputError, did_you_mean, listing

MARK = b"PK\x03\x04"
"""The first bytes of a workbook, as of any zip archive."""


def sheet_as_csv(content: bytes, label: str, sheet: str | None = None) -> bytes:
    """The cells of a sheet, the first where none is named, in UTF-8; of formulas, the values that were saved.

    Rows without a value are left out, and so are columns at the end. What Excel could not compute is missing.

    Raises
    ------
    FileError
        It is no workbook, or openpyxl is not installed.
    InputError
        There is no such sheet.
    """
    damaged = FileError(f"{label} is a workbook that cannot be read: it is damaged. Get it once more.")
    try:
        parts = ZipFile(io.BytesIO(content)).namelist()
    except BadZipFile:
        raise damaged from None
    if "xl/workbook.xml" not in parts:
        raise FileError(f"{label} is a zip archive. Unpack it, and name the table in it.")
    try:
        import openpyxl
    except ImportError:
        raise FileError(
            f"{label} is an Excel workbook, which needs openpyxl. Run: pip install 'logiclens[excel]', or "
            "save the table as CSV."
        ) from None
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    except (BadZipFile, KeyError, ValueError, OSError):
        raise damaged from None
    names = [each.title for each in book.worksheets]
    if sheet is not None and sheet not in names:
        raise InputError(
            f"{label} has no sheet {sheet!r}. {did_you_mean(sheet, names)}It has {listing(names)}."
        )
    rows = [
        [_text(value) for value in row]
        for row in book.worksheets[names.index(sheet or names[0])].iter_rows(values_only=True)
        if any(value is not None for value in row)
    ]
    if not rows:
        raise FileError(
            f"{label} has no values in the sheet {sheet or names[0]!r}. Name another with --sheet."
        )
    width = max(at + 1 for row in rows for at, value in enumerate(row) if value != "")
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerows([*row[:width], *[""] * (width - len(row))] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _text(value: Any) -> str | int | float:
    """A cell as CSV has it."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int() | float():
            return value
        case datetime.datetime() if value.time() == datetime.time():
            return value.date().isoformat()
        case datetime.datetime():
            return value.isoformat(" ")
        case str() if value.startswith("#") and value.endswith(("!", "?")) and value[1:-1].isupper():
            return ""
    return str(value)
