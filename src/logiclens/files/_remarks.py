"""Messages about the values of a file: lines that are wrong, values that are no numbers.

The fast reader names no lines, so what it refuses is read again, slowly, to find them. Whether a file is read
in batches or whole, there is one note for each thing about a column, at the end.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from logiclens.concepts._text import NumberSpelling, OddValues, Values, on_commas
from logiclens.concepts.table import ValueType
from logiclens.errors import FileError, InputError, count, shown
from logiclens.files._csv import Layout, wrong_encoding

Reopen = Callable[[], AbstractContextManager[Any]]
"""Opens the rows below the header once more, in UTF-8."""


@dataclass(frozen=True, eq=False)
class Origin:
    """The rows of a text file, for messages about them.

    Attributes
    ----------
    label : str
        How messages call the file.
    layout : Layout
    reopen : callable or None
        Opens the rows once more; None where they have gone by, as those of standard input.
    """

    label: str
    layout: Layout
    reopen: Reopen | None

    def csv_error(self, error: pa.ArrowInvalid) -> FileError:
        """The error for rows that pyarrow refuses."""
        reason = str(error)
        if "UTF8" in reason:
            return wrong_encoding(self.label, "utf-8", self._line_of_bad_text())
        if "Expected" in reason and "columns" in reason:
            return self._ragged_error()
        return FileError(f"{self.label} cannot be read as a table: {reason.splitlines()[0]}.")

    def open_quote_error(self, what: str = "ends within a value in quotes") -> FileError:
        """The error for a quote that is opened and never closed."""
        return FileError(f'{self.label} {what}. Look for a sign " that opens a value and is never closed.')

    def bad_value(self, name: str, row: int, value: str, kind: ValueType) -> InputError:
        """The error for a value that is not of the type that its column had.

        Parameters
        ----------
        name : str
            The column.
        row : int
            Counted from 0.
        value : str
        kind : ValueType
            What it should have been.
        """
        what = "numbers" if kind is ValueType.NUMBER else "true or false, or 1 and 0"
        advice = "Correct it, or leave it empty if it is missing."
        if "," in value and self.layout.decimal == ".":
            advice = f"If the comma is a {on_commas(value, sure=self.layout.sure)}"
        return InputError(f"Column {name!r} must hold {what}; {self.place(row)} has {shown(value)}. {advice}")

    def place(self, row: int) -> str:
        """Place of a row, counted from 0: its line where the file can be read again, else its number."""
        return self.places([row])[row]

    def places(self, rows: Sequence[int]) -> dict[int, str]:
        """Places of rows, as :meth:`place` gives them, in one pass."""
        if rows and self.reopen is not None and self._each_line_is_a_row(max(rows) + 1):
            return {row: f"line {self.layout.n_lines + 1 + row}" for row in rows}
        found, wanted = {row: f"row {row + 1}" for row in rows}, set(rows)
        for number, (line, _) in enumerate(self._records() if wanted else ()):
            if number in wanted:
                found[number] = f"line {line}"
                wanted.discard(number)
                if not wanted:
                    break
        return found

    def _each_line_is_a_row(self, n_rows: int) -> bool:
        """True if there are neither quotes nor empty lines among the first rows: a quick check."""
        assert self.reopen is not None
        before, n_lines = b"\n", 0
        with self.reopen() as stream:
            while n_lines < n_rows and (part := stream.read(1 << 22)):
                text = before + part
                lone = text.count(b"\r") - text.count(b"\r\n") - text.endswith(b"\r")
                if b'"' in text or b"\n\n" in text or b"\n\r" in text or lone:
                    return False
                n_lines += part.count(b"\n")
                before = part[-1:]
        return True

    def _ragged_error(self) -> FileError:
        width = len(self.layout.names)
        for line, record in self._records():
            if len(record) != width:
                where, found = f"line {line}", count(len(record), "value")
                break
        else:
            where, found = "a row", "another number of values"
        return FileError(
            f"{self.label} has {found} in {where}; the header names {count(width, 'column')}. Correct that "
            "row, or name the sign between columns with --delimiter."
        )

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Line and values of each row that is not empty."""
        if self.reopen is None:
            return
        with self.reopen() as stream:
            lines = io.TextIOWrapper(io.BufferedReader(stream), "utf-8", errors="replace", newline="")
            reader = csv.reader(lines, delimiter=self.layout.delimiter)
            line = self.layout.n_lines + 1
            try:
                for record in reader:
                    if record:
                        yield line, record
                    line = self.layout.n_lines + 1 + reader.line_num
            except csv.Error:  # a value too long for this reader
                return

    def _line_of_bad_text(self) -> int | None:
        if self.reopen is None:
            return None
        with self.reopen() as stream:
            line = self.layout.n_lines + 1
            for text in io.BufferedReader(stream, 1 << 20):
                try:
                    text.decode()
                except UnicodeDecodeError:
                    return line
                line += 1
        return None


class Remarks:
    """Gathers what there is to say of columns, batch by batch.

    Examples
    --------
    >>> from logiclens.concepts._text import OddValues
    >>> from logiclens.files._csv import Layout
    >>> remarks = Remarks()
    >>> remarks.add("pressure", Values(None, 297, OddValues(1, "145 mmHg", 15)))
    >>> remarks.notes(Origin("stays.csv", Layout(",", "utf-8", ".", ("pressure",)), None))
    ("Column 'pressure': 1 of 297 values is no number ('145 mmHg', row 16) and counts as missing.",)
    """

    def __init__(self) -> None:
        self._odd: dict[str, OddValues] = {}
        self._n: dict[str, int] = {}
        self._spelling: dict[str, NumberSpelling] = {}
        self._text: dict[str, str] = {}
        self._kinds: dict[str, ValueType] = {}

    def add(self, name: str, values: Values, start: int = 0, kind: ValueType | None = None) -> None:
        """Gather what there is to say of some rows of a column.

        Parameters
        ----------
        name : str
        values : Values
        start : int, default 0
            Origin of the file before these.
        kind : ValueType, optional
            What the values should be; the type was guessed when missing.
        """
        if kind is not None:
            self._kinds[name] = kind
        self._n[name] = self._n.get(name, 0) + values.n
        if values.note:
            self._text[name] = values.note
        if values.odd is not None:
            first = self._odd.get(name, replace(values.odd, n=0, row=start + values.odd.row))
            self._odd[name] = replace(first, n=first.n + values.odd.n)
        if values.spelling is not None:
            before = self._spelling.get(name, values.spelling)
            self._spelling[name] = replace(
                before, signs=tuple(dict.fromkeys((*before.signs, *values.spelling.signs)))
            )

    def notes(self, origin: Origin, gapless: Container[str] = ()) -> tuple[str, ...]:
        """Return what there is to say, a line for each thing, column by column.

        Parameters
        ----------
        origin : Origin
            Where the values come from.
        gapless : container of str
            Columns without a gap when rules were made; what counts as missing there deserves a warning.

        Raises
        ------
        InputError
            No value of a column is of the type that it should have.
        """
        for name, kind in self._kinds.items():
            if name in self._odd and self._odd[name].n == self._n[name]:
                raise origin.bad_value(name, self._odd[name].row, self._odd[name].text, kind)
        places = origin.places([odd.row for odd in self._odd.values()])
        found = []
        for name in self._n:
            if name in self._text:
                found.append(self._text[name])
            if name in self._spelling:
                found.append(_spelling_note(name, self._spelling[name]))
            if name in self._odd:
                odd = self._odd[name]
                warning = (
                    " None was missing when the rules were made: correct these rows, or do not trust what "
                    "is predicted of them."
                )
                found.append(
                    _odd_note(name, odd, self._n[name], places[odd.row])
                    + (warning if name in gapless else "")
                )
        return tuple(found)


def _odd_note(name: str, odd: OddValues, n: int, place: str) -> str:
    what = "is no number (" if odd.n == 1 else "are no numbers (such as "
    end = "counts" if odd.n == 1 else "count"
    return f"Column {name!r}: {odd.n} of {n} values {what}{shown(odd.text)}, {place}) and {end} as missing."


def _spelling_note(name: str, spelling: NumberSpelling) -> str:
    unit = ", in percent" if spelling.percent else ""
    note = f"Column {name!r}: {shown(spelling.text)} is read as the number {spelling.number:.15g}{unit}."
    if len(spelling.signs) > 1:
        signs = ", ".join(map(repr, spelling.signs))
        note += f" There are several currencies ({signs}); nothing is converted."
    return note
