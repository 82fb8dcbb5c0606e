"""Find where in a text file something is wrong, so that a message can name the line.

The fast reader does not say it. Only what is refused is read again, slowly.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from logiclens.concepts._text import on_commas
from logiclens.concepts.cells import ValueType
from logiclens.errors import FileError, InputError, count, shown
from logiclens.files.layout import Layout, wrong_encoding

Again = Callable[[], AbstractContextManager[Any]]
"""Opens the rows below the header once more, in UTF-8."""


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a text file, for messages about them.

    Attributes
    ----------
    label : str
        How messages call the file.
    layout : Layout
    again : callable or None
        Opens the rows once more; None where they have gone by, as those of standard input.
    """

    label: str
    layout: Layout
    again: Again | None

    def refused(self, error: pa.ArrowInvalid) -> FileError:
        """What to say about rows that pyarrow refuses."""
        reason = str(error)
        if "UTF8" in reason:
            return wrong_encoding(self.label, "utf-8", self._line_of_bad_text())
        if "Expected" in reason and "columns" in reason:
            return self._ragged()
        if "straddl" in reason:
            return self.unclosed("has a row that is too long to be one")
        return FileError(f"{self.label} cannot be read as a table: {reason.splitlines()[0]}.")

    def unclosed(self, what: str = "ends within a value in quotes") -> FileError:
        """What to say about a quote that is opened and never closed."""
        return FileError(f'{self.label} {what}. Look for a sign " that opens a value and is never closed.')

    def bad_value(self, name: str, row: int, value: str, kind: ValueType) -> InputError:
        """What to say about a value that is not of the type that its column had.

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
        return InputError(
            f"Column {name!r} must hold {what}, as it did when the rules were made; {self.place(row)} has "
            f"{shown(value)}. {advice}"
        )

    def place(self, row: int) -> str:
        """Where a row is, counted from 0: its line where the file can be read again, else its number."""
        return self.places([row])[row]

    def places(self, rows: Sequence[int]) -> dict[int, str]:
        """Where rows are, as :meth:`place` says it, in one pass."""
        if rows and self.again is not None and self._each_line_is_a_row(max(rows) + 1):
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
        """Whether the first rows have neither quotes nor empty lines among them, which is quickly seen."""
        assert self.again is not None
        before, n_lines = b"\n", 0
        with self.again() as stream:
            while n_lines < n_rows and (part := stream.read(1 << 22)):
                text = before + part
                lone = text.count(b"\r") - text.count(b"\r\n") - text.endswith(b"\r")
                if b'"' in text or b"\n\n" in text or b"\n\r" in text or lone:
                    return False
                n_lines += part.count(b"\n")
                before = part[-1:]
        return True

    def _ragged(self) -> FileError:
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
        if self.again is None:
            return
        with self.again() as stream:
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
        if self.again is None:
            return None
        with self.again() as stream:
            line = self.layout.n_lines + 1
            for text in io.BufferedReader(stream, 1 << 20):
                try:
                    text.decode()
                except UnicodeDecodeError:
                    return line
                line += 1
        return None
