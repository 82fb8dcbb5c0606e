"""The layout of a CSV file, found in its first lines, and blocks of whole records to read it in.

The layout is encoding, delimiter, decimal sign and header. A line break ends a record unless it stands
between quotes. A quote opens a value only where the value starts; elsewhere, as in ``5" pipe``, it is a
character like others.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from logiclens.concepts._text import NumberNotation, decimal_signs, two_readings
from logiclens.errors import FileError, InputError, listing, shown
from logiclens.files._open import OpenFile, Peekable, Readable
from logiclens.logic.arrays import IndexArray
from logiclens.logic.data import check_count

DELIMITERS = "\t;|,"
"""Delimiters to look for; of two that fit equally well, the first."""
_HEAD = 1 << 18
_LONGEST_HEADER = 1 << 27
_LONGEST = 1 << 26  # bytes of one record
_QUOTE, _LINE, _RETURN = 34, 10, 13
_ROWS = 200  # read to find the delimiter
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_SEPARATOR = re.compile(r"sep=(.)(\r\n?|\n)")  # a line that Excel writes and reads
_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")
_MOST_ABOVE = 20  # lines above a header that are found
_WESTERN = "cp1252"
_NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f\x81\x8d\x8f\x90\x9d]")  # signs that it lacks, or texts do
_WORDS = {"tab": "\t", r"\t": "\t"}  # a tab is hard to type
_NAMES = {"\t": "tab", ";": "';'", "|": "'|'", ",": "','", " ": "space"}


@dataclass(frozen=True)
class Layout:
    """Layout of a table in a text file.

    Attributes
    ----------
    delimiter : str
        One character.
    encoding : str
    decimal : str
        ``"."`` or ``","``.
    names : tuple of str
        Names of the columns, distinct and not empty.
    unnamed : tuple of str
        Those among them that had no name.
    n_lines : int
        Lines above the first row: the header and what stands before it.
    marked : bool
        Whether the file starts with a byte order mark.
    notes : tuple of str
        What a person should know, a line for each.
    sure : bool
        Whether the decimal sign was given or seen, and not only taken to be the usual one.
    """

    delimiter: str
    encoding: str
    decimal: str
    names: tuple[str, ...]
    unnamed: tuple[str, ...] = ()
    n_lines: int = 1
    marked: bool = False
    notes: tuple[str, ...] = ()
    sure: bool = True

    @property
    def notation(self) -> NumberNotation:
        """Notation of its numbers."""
        return NumberNotation(self.decimal, self.sure)


def find_layout(
    source: OpenFile,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    skip_lines: int | None = None,
) -> tuple[Layout, Peekable]:
    """Find the layout of a text file; what the caller gives is taken as it is.

    Lines above the header are found where it is plain: some with few values, then all with more.

    Returns
    -------
    Layout
    Peekable
        The rows below the header, in UTF-8.

    Raises
    ------
    InputError
        The settings make no sense, or the text cannot be read with them.
    """
    delimiter = _WORDS.get(delimiter, delimiter) if isinstance(delimiter, str) else delimiter
    _check_settings(delimiter, decimal)
    start = source.stream.peek(4)
    mark = next((mark for mark in _MARKS if start.startswith(mark)), b"")
    codec = _MARKS.get(mark, "utf-8") if encoding is None else _codec(encoding)
    notes = [f"The text is in {codec.upper()}."] if encoding is None and codec != "utf-8" else []
    if encoding is None and not mark and _is_western(source.stream.peek(_HEAD)):
        codec = _WESTERN
        notes = ["The text is not in UTF-8. It is read as CP1252; where letters look wrong, say --encoding."]
    stream = source.stream
    if codec != "utf-8":
        stream = Peekable(_InUtf8(stream, codec, source.label))
    if stream.peek(3) == codecs.BOM_UTF8:
        stream.read(3)
    text = _header_text(stream, source.label)
    if separator := _SEPARATOR.match(text):
        delimiter = delimiter or separator[1]
        stream.read(len(separator[0].encode()))
        text = text[separator.end() :]
    n_above = _lines_above(text, delimiter) if skip_lines is None else check_count(skip_lines, "skip_lines")
    if n_above:
        above = [*islice(io.StringIO(text, newline=""), n_above)]
        stream.read(len("".join(above).encode()))
        text = text[len("".join(above)) :]
        if skip_lines is None:
            few = "The line" if n_above == 1 else f"The {n_above} lines"
            notes.append(
                f"{few} above the header {'is' if n_above == 1 else 'are'} skipped, from "
                f"{shown(above[0].strip())} on. If that is wrong, say --skip-lines 0."
            )
    if delimiter is None:
        delimiter = _guess_delimiter(text)
        if delimiter != ",":
            notes.append(f"Columns are separated by {_NAMES[delimiter]}.")
    lines = [*io.StringIO(text, newline="")]
    reader = csv.reader(lines, delimiter=delimiter)
    header = next((record for record in _readable(reader) if record), [])
    if not header:
        raise FileError(f"{source.label} holds nothing but empty lines. Pass a table with a header and rows.")
    n_lines = reader.line_num
    stream.read(len("".join(lines[:n_lines]).encode()))
    sure = True
    if decimal is None:
        decimal, sure, either = _guess_decimal(islice(_readable(reader), _ROWS), delimiter)
        if either:
            notes.append(
                f"Numbers such as {either!r} are taken to have a decimal point. If it stands between "
                "thousands, say so with --decimal ','."
            )
        if decimal == ",":
            notes.append("Numbers have a decimal comma.")
    elif decimal == delimiter:
        raise InputError(
            f"{decimal!r} cannot both separate columns and mark decimals. Name another delimiter or decimal."
        )
    names, unnamed, remarks = distinct_names(header)
    n_lines += bool(separator) + n_above
    layout = Layout(delimiter, codec, decimal, names, unnamed, n_lines, bool(mark), (*notes, *remarks), sure)
    return layout, stream


def _lines_above(text: str, delimiter: str | None) -> int:
    """How many lines stand above the header, where that is plain; mostly none."""
    best, found = 0, 0
    for sign in DELIMITERS if delimiter is None else delimiter:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
        records = [(reader.line_num, record) for record in islice(_readable(reader), _ROWS) if record]
        if len(records) == _ROWS or not text.endswith(("\n", "\r")):
            records = records[:-1] if len(records) > 3 else records  # the last may be cut off
        widths = [len(record) for _, record in records]
        width = widths[-1] if widths else 0
        n_above = len(widths)
        while n_above and widths[n_above - 1] == width:
            n_above -= 1
        if not n_above and width > 1:
            return 0
        header = records[n_above][1] if len(widths) - n_above > 1 else []
        named = all(name.strip() and not _NUMBER.fullmatch(name.strip()) for name in header)
        few = n_above <= _MOST_ABOVE and all(2 * other <= width for other in widths[:n_above])
        if header and named and few and width > max(best, 2):
            best, found = width, records[n_above - 1][0]
    return found


def _is_western(head: bytes) -> bool:
    """True of the start of a text that is not in UTF-8, and may be in the encoding of Western Europe."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
        return False
    except UnicodeDecodeError:
        return not _NO_TEXT.search(head)


def _readable(records: Iterable[list[str]]) -> Iterator[list[str]]:
    """Records up to the first one that Python cannot read."""
    with suppress(csv.Error):
        yield from records


def _check_settings(delimiter: str | None, decimal: str | None) -> None:
    if delimiter is not None and (
        not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n' or ord(delimiter) > 127
    ):
        raise InputError(f"A delimiter is one ASCII character such as ',' or ';'. Got {shown(delimiter)}.")
    if decimal is not None and decimal not in (".", ","):
        raise InputError(f"decimal must be '.' or ','. Got {shown(decimal)}.")


def _codec(encoding: str) -> str:
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except (LookupError, TypeError, ValueError):
        raise InputError(
            f"Unknown encoding {shown(encoding)}. Names are such as 'utf-8', 'latin-1', 'cp1252', 'utf-16'."
        ) from None
    return {"utf-8-sig": "utf-8", "iso8859-1": "latin-1", "ascii": "utf-8"}.get(name, name)


class _InUtf8:
    """A stream of text in another encoding, in UTF-8."""

    def __init__(self, inner: Peekable, codec: str, label: str) -> None:
        self._inner = inner
        self._codec = codec
        self._label = label
        self._decoder = codecs.getincrementaldecoder(codec)()
        self._n_lines = 0

    def read(self, size: int, /) -> bytes:
        while block := self._inner.read(size):
            text = self._decode(block, final=False)
            self._n_lines += text.count("\n")
            if text:
                return text.encode("utf-8", "surrogatepass")
        return self._decode(b"", final=True).encode("utf-8", "surrogatepass")

    def _decode(self, block: bytes, *, final: bool) -> str:
        try:
            return self._decoder.decode(block, final=final)
        except UnicodeError as error:
            line = self._n_lines + 1
            if isinstance(error, UnicodeDecodeError):  # there may be no next line, but in what was decoded
                line += block[: error.start].count(b"\n")
            raise wrong_encoding(self._label, self._codec, line) from None


def _header_text(stream: Peekable, label: str) -> str:
    """The first lines, the whole header among them."""
    size = _HEAD
    while True:
        head = stream.peek(size)
        whole = len(head) < size
        try:
            text = codecs.getincrementaldecoder("utf-8")().decode(head, final=whole)
        except UnicodeDecodeError as error:
            if b"\0" in head:
                raise FileError(f"{label} is no text. Pass a table as CSV, TSV or Parquet.") from None
            raise wrong_encoding(label, "utf-8", head.count(b"\n", 0, error.start) + 1) from None
        if "\0" in text:
            raise FileError(
                f"{label} is no text in UTF-8. Pass CSV, TSV or Parquet; of UTF-16, say so with --encoding "
                "utf-16."
            )
        if whole or _has_record(text) or size >= _LONGEST_HEADER:
            return text
        size *= 4


def wrong_encoding(label: str, codec: str, line: int | None = None) -> FileError:
    """The error for bytes that are no text in an encoding."""
    where = "" if line is None else f", in line {line}"
    other = "latin-1" if codec == "utf-8" else "utf-8"
    return FileError(
        f"{label} is not text in {codec.upper()}{where}. Name its encoding, such as --encoding {other}."
    )


def _has_record(text: str) -> bool:
    """True if at least one record ends in the text."""
    n_quotes = 0
    for line in io.StringIO(text, newline=""):
        n_quotes += line.count('"')
        if n_quotes % 2 == 0 and line.strip() and line[-1] in "\r\n":
            return True
    return False


def _lines(text: str) -> list[str]:
    """The first records by counting quotes alone, whatever the delimiter; the last may be cut off."""
    records: list[str] = []
    parts: list[str] = []
    n_quotes = 0
    for line in io.StringIO(text, newline=""):
        parts.append(line)
        n_quotes += line.count('"')
        if n_quotes % 2 == 0:
            records.append("".join(parts))
            parts.clear()
            if len(records) > _ROWS:
                break
    found = [record for record in records if record.strip()]
    return found[:-1] if len(found) > 2 else found


def _guess_delimiter(text: str) -> str:
    """The delimiter that cuts the lines into equally many columns, as many as possible."""
    outside = ["".join(record.split('"')[::2]) for record in _lines(text)]
    best, best_rank = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        counts = [record.count(delimiter) for record in outside]
        if counts and counts[0]:
            rank = (sum(count == counts[0] for count in counts) / len(counts), counts[0])
            if rank > best_rank:
                best, best_rank = delimiter, rank
    return best


def _guess_decimal(rows: Iterable[Sequence[str]], delimiter: str) -> tuple[str, bool, str]:
    """The decimal sign, whether it is certain, and a number with a point that may be another if it is not.

    A comma where there are numbers with one and none with a point. Where all may be thousands, money decides.
    """
    if delimiter == ",":
        return ".", True, ""
    cells = dict.fromkeys(cell.strip() for row in rows for cell in row)
    texts = pa.array(list(cells), type=pa.string())
    found = decimal_signs(texts)
    for certain in (True, False):
        for sign in ".,":
            if (sign, certain) in found:
                return sign, True, ""
    unclear = texts.filter(pc.and_(two_readings(texts), pc.match_substring(texts, ".")))
    return ".", False, unclear[0].as_py() if len(unclear) else ""


def distinct_names(header: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...], list[str]]:
    """Names of columns, those that had none, and notes; renamed as pandas does it."""
    given = [name.strip() for name in header]
    named = [name or f"Unnamed: {at}" for at, name in enumerate(given)]
    taken, found = set(named), list[str]()
    seen: set[str] = set()
    for name in named:
        new, number = name, 0
        while new in seen or (number and new in taken):
            number += 1
            new = f"{name}.{number}"
        seen.add(new)
        found.append(new)
    unnamed = tuple(new for new, name in zip(found, given, strict=True) if not name)
    notes = []
    if unnamed:
        notes.append(f"Columns without a name are called {listing(unnamed)}.")
    if again := [new for new, name in zip(found, named, strict=True) if new != name]:
        notes.append(f"Names that were there already are now {listing(again)}.")
    if all(_NUMBER.fullmatch(name) or not name for name in given):
        notes.append(
            "The first row holds numbers and was taken to be the header. If it is data, put a row of names "
            "above it."
        )
    return tuple(found), unnamed, notes


# Blocks of whole records


class LongRecordError(Exception):
    """There is a record that is too long to be one."""


class OpenQuoteError(Exception):
    """The text ends between quotes."""


def blocks(stream: Readable, delimiter: str, size: int) -> Iterator[bytes]:
    r"""Blocks of whole records, in order; together they are all of the stream.

    Parameters
    ----------
    stream : stream of bytes
    delimiter : str
    size : int
        Bytes of a block, more or less.

    Raises
    ------
    LongRecordError
        A record is longer than 64 MB.
    OpenQuoteError
        The stream ends between quotes.

    Examples
    --------
    >>> import io
    >>> [*blocks(io.BytesIO(b'1,a\n2,"b\nc"\n3,d\n'), ",", 9)]
    [b'1,a\n', b'2,"b\nc"\n3,d\n']
    """
    rest = b""
    while part := stream.read(size):
        rest += part
        end = last_end(rest, delimiter)
        if end:
            yield rest[:end]
            rest = rest[end:]
        elif len(rest) > _LONGEST:
            raise LongRecordError
    if ends_between_quotes(rest, delimiter):
        raise OpenQuoteError
    if rest:
        yield rest


def last_end(text: bytes, delimiter: str) -> int:
    """End of the last record that is whole, 0 when there is none; the text starts with a record."""
    for sign in (b"\n", b"\r"):
        if b'"' not in text:
            end = text.rfind(sign, 0, len(text) - (sign == b"\r")) + 1  # a last \r may be half of \r\n
        else:
            end = _last_outside(text, sign, delimiter)
        if end:
            return end
    return 0


def ends_between_quotes(text: bytes, delimiter: str) -> bool:
    """True if a quote is opened and never closed in a text that starts with a record."""
    return b'"' in text and len(_changes(text, delimiter)) % 2 == 1


def _last_outside(text: bytes, sign: bytes, delimiter: str) -> int:
    changes = _changes(text, delimiter)
    signs = np.frombuffer(text, dtype=np.uint8, count=len(text) - (sign == b"\r"))
    places = np.flatnonzero(signs == sign[0])
    outside = places[np.searchsorted(changes, places) % 2 == 0]
    return int(outside[-1]) + 1 if outside.size else 0


def _changes(text: bytes, delimiter: str) -> IndexArray:
    """Places at which the text goes into quotes and out of them, in turn."""
    signs = np.frombuffer(text, dtype=np.uint8)
    quotes = np.flatnonzero(signs == _QUOTE)
    before = np.where(quotes > 0, signs[quotes - 1], _LINE)
    starts = np.isin(before, [ord(delimiter), _LINE, _RETURN])
    # Mostly each other quote opens a value, or is the second of two that stand for one.
    doubled = np.zeros(len(quotes), dtype=np.bool_)
    doubled[1:] = np.diff(quotes) == 1
    if (starts | doubled)[::2].all():
        return quotes
    return _walk(quotes, starts)


def _walk(quotes: IndexArray, starts: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> IndexArray:
    """Like :func:`_changes`, quote by quote, where quotes stand within values."""
    places, opening = quotes.tolist(), starts.tolist()
    found: list[int] = []
    inside = False
    at = 0
    while at < len(places):
        if not inside:
            inside = opening[at]
            found += [places[at]] if inside else []
        elif at + 1 < len(places) and places[at + 1] == places[at] + 1:
            at += 1  # two stand for one
        else:
            inside = False
            found.append(places[at])
        at += 1
    return np.array(found, dtype=np.intp)
