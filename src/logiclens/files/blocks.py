"""Cut a stream of CSV into blocks of whole records, however long it is.

A line break ends a record unless it stands between quotes. A quote opens a value only where the value starts;
elsewhere, as in ``5" pipe``, it is a sign like others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from logiclens.logic.arrays import IndexArray

_LONGEST = 1 << 26  # bytes of one record
_QUOTE, _LINE, _RETURN = 34, 10, 13


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class LongRecordError(Exception):
    """There is a record that is too long to be one."""


class OpenQuoteError(Exception):
    """The text ends between quotes."""


def blocks(stream: _Readable, delimiter: str, size: int) -> Iterator[bytes]:
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
    """Where the last record that is whole ends, 0 when there is none; the text starts with a record."""
    for sign in (b"\n", b"\r"):
        if b'"' not in text:
            end = text.rfind(sign, 0, len(text) - (sign == b"\r")) + 1  # a last \r may be half of \r\n
        else:
            end = _last_outside(text, sign, delimiter)
        if end:
            return end
    return 0


def ends_between_quotes(text: bytes, delimiter: str) -> bool:
    """Whether a quote is opened and never closed in a text that starts with a record."""
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
    return _walked(quotes, starts)


def _walked(quotes: IndexArray, starts: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> IndexArray:
    """The same one by one, where quotes stand within values."""
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
