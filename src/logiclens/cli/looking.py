"""Whether a column of a table can be used: why not, and what a person should know of one that can."""

from __future__ import annotations

import numpy as np

from logiclens.concepts._columns import Evidence, Extent, Reading, look_at
from logiclens.concepts.table import Column, Table
from logiclens.errors import ColumnError, Reason, count

ENOUGH = 100_000
"""Rows that are enough to see that a column is of use."""
LEARNED = "the rows it was learned from"


def reading_of(table: Table, name: str) -> tuple[Reason | None, str, str]:
    """Why a column cannot be used, if so, the same in words, and a remark on one that can.

    Of a long table the first rows can show that a column is of use; that it is of none, all rows must show.
    """
    try:
        column = table.column(name)
    except ColumnError as error:
        return error.reason, str(error.reason), ""
    few = column.take(np.arange(ENOUGH)) if len(column) > ENOUGH else column
    reading = look_at(few)
    if reading.reason is not None and few is not column:
        few, reading = column, look_at(column)
    return reading.reason, why_not(reading, few), remark_on(reading)


def why_not(reading: Reading, column: Column, evidence: Evidence | None = None) -> str:
    """Why a column cannot be used, in words; a reason that counts the rows with a value says of how many."""
    if reading.reason is None or reading.reason.n_rows is None:
        return str(reading.reason or "")
    extent = Extent.of(column) if evidence is None or evidence.extent is None else evidence.extent
    some = reading.reason.n_rows == extent.present < extent.rows
    return reading.reason.text(count(extent.rows, "row") if some else "")


def remark_on(reading: Reading) -> str:
    """What there is to say of a column that can be used."""
    if reading.reason is not None or reading.as_text != "numbers":
        return ""
    return f"Column {reading.column!r} has numbers written as text: see --decimal, or remove thousands signs."
