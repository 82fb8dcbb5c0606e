"""What a person should know of the values of a file: which were no numbers, and how others were written.

A file is read in batches, or whole; what is said of a column is said once, at the end.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from logiclens.concepts._text import Odd, Values, Written
from logiclens.concepts.cells import ValueType
from logiclens.errors import shown
from logiclens.files.locating import Rows


class Remarks:
    """Gathers what there is to say of columns, batch by batch.

    Examples
    --------
    >>> from logiclens.concepts._text import Odd
    >>> from logiclens.files.layout import Layout
    >>> remarks = Remarks()
    >>> remarks.add("pressure", Values(None, 297, Odd(1, "145 mmHg", 15)))
    >>> remarks.notes(Rows("stays.csv", Layout(",", "utf-8", ".", ("pressure",)), None))
    ("Column 'pressure': 1 of 297 values is no number ('145 mmHg', row 16) and counts as missing.",)
    """

    def __init__(self) -> None:
        self._odd: dict[str, Odd] = {}
        self._n: dict[str, int] = {}
        self._written: dict[str, Written] = {}
        self._text: dict[str, str] = {}
        self._kinds: dict[str, ValueType] = {}

    def add(self, name: str, values: Values, start: int = 0, kind: ValueType | None = None) -> None:
        """Gather what there is to say of some rows of a column.

        Parameters
        ----------
        name : str
        values : Values
        start : int, default 0
            Rows of the file before these.
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
        if values.written is not None:
            before = self._written.get(name, values.written)
            self._written[name] = replace(
                before, signs=tuple(dict.fromkeys((*before.signs, *values.written.signs)))
            )

    def notes(self, rows: Rows, gapless: Container[str] = ()) -> tuple[str, ...]:
        """Return what there is to say, a line for each thing, column by column.

        Parameters
        ----------
        rows : Rows
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
                raise rows.bad_value(name, self._odd[name].row, self._odd[name].text, kind)
        places = rows.places([odd.row for odd in self._odd.values()])
        found = []
        for name in self._n:
            if name in self._text:
                found.append(self._text[name])
            if name in self._written:
                found.append(_on_written(name, self._written[name]))
            if name in self._odd:
                odd = self._odd[name]
                warning = (
                    " None was missing when the rules were made: correct these rows, or do not trust what "
                    "is predicted of them."
                )
                found.append(
                    _on_odd(name, odd, self._n[name], places[odd.row]) + (warning if name in gapless else "")
                )
        return tuple(found)


def _on_odd(name: str, odd: Odd, n: int, place: str) -> str:
    what = "is no number (" if odd.n == 1 else "are no numbers (such as "
    end = "counts" if odd.n == 1 else "count"
    return f"Column {name!r}: {odd.n} of {n} values {what}{shown(odd.text)}, {place}) and {end} as missing."


def _on_written(name: str, written: Written) -> str:
    unit = ", in percent" if written.percent else ""
    note = f"Column {name!r}: {shown(written.text)} is read as the number {written.number:.15g}{unit}."
    if len(written.signs) > 1:
        signs = ", ".join(map(repr, written.signs))
        note += f" There are several currencies ({signs}); nothing is converted."
    return note
