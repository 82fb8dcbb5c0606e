"""Every exception this package raises on purpose.

    LogicLensError
    ├── InputError (ValueError)                 data, names or settings that cannot be used
    │   ├── UnknownConceptError (KeyError)      a formula speaks of a concept the data do not have
    │   ├── UnknownColumnError (KeyError)       a raw table lacks a column that a model or a rule needs
    │   │   └── UnknownColumnsError             several of them
    │   ├── UnknownTargetError (KeyError)       a class, cluster or output that has no rule
    │   ├── ColumnError                         a column about which a person has to decide, such as dates
    │   ├── FileError (OSError)                 a file that cannot be read or written
    │   │   ├── MissingFileError (FileNotFoundError)    it, or its folder, is not there
    │   │   └── ForbiddenFileError (PermissionError)    this user may not
    │   └── FormulaSyntaxError                  text that is not a formula; points at the column
    ├── LimitError (OverflowError)              work that would blow up, refused before it starts to hurt
    ├── TruthValueError (TypeError)             ``f and g`` or ``if f`` on formulas
    ├── EngineError (RuntimeError)              a database or a cluster that failed, or is gone
    └── MissingDependencyError (ImportError)    an optional package is not installed

Each is also the built-in type a caller would catch anyway. A message says what was wrong, what was
got and what to do about it, in one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, ClassVar, NamedTuple

_LISTED = 8
_SHOWN = 100
_COMPARABLE = 100
_NAMED = 4  # lacking columns up to which each is named
_OPERATOR = re.compile(r"[&|~!()¬∧∨→↔⊤⊥]|->|>>|^\s*\"|^(TRUE|FALSE)$")


class LogicLensError(Exception):
    """Base of all errors of this package."""


class InputError(LogicLensError, ValueError):
    """Data, names or settings that cannot be used as they are."""


class _UnknownError(InputError, KeyError):
    """A name that is none of those known; subclasses have the sentences for it."""

    _unknown: ClassVar[str]
    _none: ClassVar[str]
    _only: ClassVar[str]
    _several: ClassVar[str]

    def __init__(self, name: str, known: Iterable[str], advice: str = "") -> None:
        self.name = name
        self.known: tuple[Any, ...] = tuple(known)
        self.advice = advice
        text = f"{self._unknown.format(repr(name))} {did_you_mean(name, self.known)}{self._listing()}"
        super().__init__(f"{text} {advice}" if advice else text)

    def _listing(self) -> str:
        if not self.known:
            return self._none
        if len(self.known) == 1:
            return self._only.format(repr(self.known[0]))
        return self._several.format(len(self.known), listing(self.known))

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0])

    def __reduce__(self) -> Any:
        return type(self), (self.name, self.known, self.advice)


class UnknownConceptError(_UnknownError):
    """A concept that the data do not have.

    Parameters
    ----------
    name : str
        The concept that is not there.
    known : iterable of str
        The concepts that exist; the nearest one is suggested.
    advice : str, optional
        One more sentence.

    Examples
    --------
    >>> print(UnknownConceptError("red_wings", ["red", "red_wing"]))
    Unknown concept 'red_wings'. Did you mean 'red_wing'? The 2 known concepts are 'red', 'red_wing'.
    """

    _unknown = "Unknown concept {}."
    _none = "There are no concepts at all."
    _only = "The only known concept is {}."
    _several = "The {} known concepts are {}."


class UnknownColumnError(_UnknownError):
    """A column that a model or a rule needs and the data lack.

    Parameters
    ----------
    name : str
        The column needed.
    known : iterable of str
        The columns that the data have; the nearest one is suggested.
    advice : str, optional
        One more sentence.

    Examples
    --------
    >>> print(UnknownColumnError("age", ["Age", "sex"], "The rules need it."))
    The data lack the column 'age'. Did you mean 'Age'? They have 2 columns: 'Age', 'sex'. The rules need it.
    """

    _unknown = "The data lack the column {}."
    _none = "They have no columns at all."
    _only = "Their only column is {}."
    _several = "They have {} columns: {}."


class UnknownColumnsError(UnknownColumnError):
    """Several columns that a model or a rule needs and the data lack.

    Parameters
    ----------
    names : sequence of str
        The columns needed, at least two.
    known : iterable of str
        The columns that the data have.
    advice : str, optional
        One more sentence.

    Examples
    --------
    >>> print(UnknownColumnsError(["age", "sex"], ["color"]))
    The data lack 2 columns: 'age', 'sex'. Their only column is 'color'.
    """

    def __init__(self, names: Sequence[str], known: Iterable[str], advice: str = "") -> None:
        super().__init__(names[0], known, advice)
        self.names = tuple(names)
        few = ", ".join(map(repr, names if len(names) <= _NAMED else names[:2]))
        more = f" and {len(names) - 2} more" if len(names) > _NAMED else ""
        text = f"The data lack {len(names)} columns: {few}{more}. {self._listing()}"
        self.args = (f"{text} {advice}" if advice else text,)

    def __reduce__(self) -> Any:
        return type(self), (self.names, self.known, self.advice)


class UnknownTargetError(_UnknownError):
    """A class, cluster or output that was never explained.

    Parameters
    ----------
    target : object
        The label that is not there.
    known : iterable of str, int, float or bool
        The labels that exist; the one that reads most alike is suggested.

    Examples
    --------
    >>> print(UnknownTargetError("1", [0, 1]))
    Unknown class '1'. Did you mean 1? The 2 known classes are 0, 1.
    """

    _none = "There are no classes at all."
    _only = "The only known class is {}."
    _several = "The {} known classes are {}."

    def __init__(self, target: object, known: Iterable[object]) -> None:
        self.target = target
        self.known = tuple(known)
        texts = {str(label): label for label in self.known}
        near = _nearest(str(target), texts)
        advice = "" if near is None else f"Did you mean {texts[near]!r}? "
        InputError.__init__(self, f"Unknown class {shown(target)}. {advice}{self._listing()}")

    def __reduce__(self) -> Any:
        return type(self), (self.target, self.known)


class Reason(NamedTuple):
    """Why no concepts are made of a column, in parts.

    Attributes
    ----------
    what : str
        Such as ``"constant"``, or ``"an identifier: 97 values"``.
    n_rows : int, optional
        Rows that were counted for it.
    more : str
        What else is known of them.
    remedy : str
        What to do, without the stop.

    Examples
    --------
    >>> reason = Reason("an identifier: 97 values", 97)
    >>> str(reason), reason.text(among="100 rows")
    ('an identifier: 97 values in 97 rows', 'an identifier: 97 values in 97 of 100 rows')
    """

    what: str
    n_rows: int | None = None
    more: str = ""
    remedy: str = ""

    def text(self, among: str = "") -> str:
        """The whole reason; ``among`` names the rows that were looked at."""
        if self.n_rows is None:
            where = f" in {among}" if among else ""
        else:
            where = f" in {self.n_rows} of {among}" if among else f" in {count(self.n_rows, 'row')}"
        return f"{self.what}{where}{self.more}" + (f". {self.remedy}" if self.remedy else "")

    def __str__(self) -> str:
        return self.text()


class ColumnError(InputError):
    """A column that cannot be used before a person has decided what to do with it.

    Parameters
    ----------
    name : str
        The column.
    reason : Reason
        With a remedy.
    aside : str, optional
        What else is known of such columns.
    droppable : bool, default True
        Whether the column could be dropped instead.

    Examples
    --------
    >>> reason = Reason("holds dates", remedy="Turn it into the age in days")
    >>> print(ColumnError("birth", reason, "which are no concepts"))
    Column 'birth' holds dates, which are no concepts. Turn it into the age in days, or drop it.
    """

    def __init__(self, name: str, reason: Reason, aside: str = "", droppable: bool = True) -> None:
        self.name = name
        self.reason = reason
        self.aside = aside
        self.droppable = droppable
        what = reason._replace(remedy="").text() + (f", {aside}" if aside else "")
        super().__init__(f"Column {name!r} {what}. {reason.remedy}{', or drop it' if droppable else ''}.")

    def __reduce__(self) -> tuple[type[ColumnError], tuple[str, Reason, str, bool]]:
        return ColumnError, (self.name, self.reason, self.aside, self.droppable)


class FileError(OSError, InputError):
    """A file or folder that cannot be read or written: not there, not allowed, damaged, no space left.

    Parameters
    ----------
    message : str
    filename : str, optional
        The file.
    """

    def __init__(self, message: str, filename: str | None = None) -> None:
        super().__init__(message)
        self.filename = filename

    def __str__(self) -> str:  # OSError would show a number
        return str(self.args[0])

    def __reduce__(self) -> tuple[type[FileError], tuple[str, str | None]]:
        return type(self), (str(self), self.filename)


class MissingFileError(FileError, FileNotFoundError):
    """A file, or the folder that it should be in, is not there."""


class ForbiddenFileError(FileError, PermissionError):
    """A file or folder that this user may not read or write."""


class FormulaSyntaxError(InputError):
    """Text that is not a formula.

    Parameters
    ----------
    reason : str
        What is wrong, as a sentence.
    text : str
        The whole text.
    position : int
        Where, counted from 0; the message counts columns from 1, and lines where there are several.
    """

    def __init__(self, reason: str, text: str, position: int) -> None:
        self.reason = reason
        self.text = text
        self.position = position
        row = text.count("\n", 0, position) + 1
        line = f"line {row}, " if "\n" in text else ""
        column = position - text.rfind("\n", 0, position)  # rfind is -1 on the first line
        super().__init__(f"{reason} ({line}column {column}: {_excerpt(text, position)})")

    def __reduce__(self) -> tuple[type[FormulaSyntaxError], tuple[str, str, int]]:
        return FormulaSyntaxError, (self.reason, self.text, self.position)


class LimitError(LogicLensError, OverflowError):
    """Work that would grow beyond a stated limit.

    Parameters
    ----------
    problem : str
        What is too much, a sentence or more.
    remedy : str, optional
        What to do in Python, a sentence; others who ran into the limit may know another way.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{problem} {remedy}" if remedy else problem)

    def __reduce__(self) -> tuple[type[LimitError], tuple[str, str]]:
        return LimitError, (self.problem, self.remedy)


class TruthValueError(LogicLensError, TypeError):
    """A formula was used where Python wants True or False."""


class EngineError(LogicLensError, RuntimeError):
    """A database or a cluster that failed: table gone, connection lost, no memory."""


class MissingDependencyError(LogicLensError, ImportError):
    """An optional package that a function needs is not installed."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``"Did you mean 'x'? "`` for the nearest known name, or an empty string."""
    near = _nearest(name, known)
    return "" if near is None else f"Did you mean {near!r}? "


def _nearest(name: str, known: Iterable[str]) -> str | None:
    if len(name) > _COMPARABLE:  # the time to compare grows with the square of the length
        return None
    others = {other: other.casefold() for other in known if len(other) <= 2 * _COMPARABLE}
    alike = [other for other, plain in others.items() if plain == name.casefold()]
    close = alike or get_close_matches(name, others, n=1)
    return close[0] if close else None


def listing(items: Iterable[object]) -> str:
    """Items in quotes, the first few only: ``'a', 'b' and 3 more``."""
    shown = [repr(item) for item in items]
    if len(shown) <= _LISTED:
        return ", ".join(shown)
    return f"{', '.join(shown[:_LISTED])} and {len(shown) - _LISTED} more"


def shown(value: object) -> str:
    """Return a value's repr where it is one short line, as a table's is not, and its type otherwise."""
    text = repr(value)
    return text if len(text) <= _SHOWN and text.isprintable() else f"a value of type {type(value).__name__}"


def as_code(text: object) -> str:
    """Python for the formula that a text was meant to be, an empty string when there is none to suggest."""
    if not isinstance(text, str) or not text or shown(text) != repr(text):
        return ""
    return f"parse_formula({text!r})" if _OPERATOR.search(text) else f"Var({text!r})"


def count(number: int, noun: str) -> str:
    """``"1 row"``, ``"2 rows"``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def percent(rate: float | None) -> str:
    """A rate as people read it: only all is 100.0%, and only none is 0.0%; what is not known is a dash.

    Examples
    --------
    >>> percent(0.9333), percent(1.0), percent(0.99996), percent(0.0001), percent(None)
    ('93.3%', '100.0%', '>99.9%', '<0.1%', '-')
    """
    if rate is None or rate != rate:
        return "-"
    text = f"{rate:.1%}"
    for end, near in (("0.0%", "<0.1%"), ("100.0%", ">99.9%")):
        if text == end and abs(rate - float(end[:-1]) / 100) > _ROUNDING:
            return near
    return text


_ROUNDING = 1e-12  # what sums of floats are off by


def _excerpt(text: str, position: int, width: int = 12) -> str:
    """The neighbourhood of a position, with the place marked: ``'a & ▸!b'``."""
    before = text[max(0, position - width) : position]
    after = text[position : position + width]
    head = "..." if position > width else ""
    tail = "..." if position + width < len(text) else ""
    return repr(f"{head}{before}▸{after}{tail}")
