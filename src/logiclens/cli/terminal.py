"""The screen: rules and tables on standard output, errors and progress on standard error.

On a terminal there are colors, and lines that fit its width; in a pipe, plain text that is never folded.
Names come from files and cannot do harm. What goes wrong ends in one line and an exit code, never in a
traceback: 0 all is well, 1 refused or failed, 2 wrong usage (as typer has it), 130 stopped by Ctrl-C. While a
command works, a line on a terminal says what it does; training draws a bar of its own.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, NoReturn

import typer

from logiclens.errors import LogicLensError
from logiclens.errors import percent as percent

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from logiclens.explain import Explanation


_JOINERS = "\u200c\u200d"  # some scripts, and emoji, need them within words
_PIPE = 1000  # columns of a pipe, where nothing needs to be folded
_CELL = 48  # most letters of a name among figures
_HANGING = 6  # blanks before what does not fit on the first line of a term
_CONNECTIVES = re.compile(r"[∀∧∨¬↔→]")
_NAME = re.compile(r'"(?:[^"\\]|\\.)*"|.', re.DOTALL)  # a name in quotes, or one sign


def safe(text: object) -> str:
    r"""Text that a terminal shows and does not obey, on one line.

    Names come from files, and may hold anything: what is not a sign to be seen, such as escape sequences,
    line breaks and marks that turn the direction of writing, is replaced by its number.

    Examples
    --------
    >>> print(safe("red\x1b[31m wing\n"))
    red\u001b[31m wing\u000a
    """
    return "".join(map(_escape, str(text)))


def _escape(char: str) -> str:
    if char.isprintable() or char in _JOINERS or unicodedata.category(char) == "Zs":
        return char
    return f"\\u{ord(char):04x}" if ord(char) <= 0xFFFF else f"\\U{ord(char):08x}"


def short(text: object) -> str:
    """Safe text for a cell of a table of figures: a very long name is cut.

    Examples
    --------
    >>> short("long " * 60)
    'long long long long long long long long long lo…'
    """
    name = safe(text)
    return name if len(name) <= _CELL else f"{name[: _CELL - 1]}…"


def output_console(*, stderr: bool = False) -> Console:
    """Where results go: standard output, colored if it is a terminal, as wide as need be if it is not."""
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _PIPE
    return console


def print_line(console: Console, text: str = "", style: str = "") -> None:
    """Print a line of text that may hold names; wrapped on a terminal only."""
    from rich.text import Text

    console.print(Text(safe(text), style), soft_wrap=not console.is_terminal)


def print_item(console: Console, text: str) -> None:
    """Print an item of a list, indented."""
    from rich.padding import Padding
    from rich.text import Text

    if console.is_terminal:
        console.print(Padding(Text(safe(text)), (0, 0, 0, 2)))
    else:
        console.print(Text(f"  {safe(text)}"), soft_wrap=True)


def print_rule(console: Console, explanation: Explanation, remark: str, *, logic: bool) -> None:
    """The rule in plain words or as logic, and a remark, if any."""
    if logic:
        print_logic(console, explanation.rule.format("unicode" if console.is_terminal else "ascii"))
    else:
        _print_words(console, explanation)
    if remark:
        print_item(console, remark)


def _print_words(console: Console, explanation: Explanation) -> None:
    """A rule in plain words; where one of several conditions is enough, each on a line."""
    from rich.text import Text

    from logiclens.explain.rule import alternatives

    rule = explanation.rule
    cases = [safe(case) for case in alternatives(rule.formula, rule.vocabulary, "plain")]
    before, found, after = rule.format("plain").partition(", or ".join(cases))
    if len(cases) == 1 or not found:
        print_line(console, f"{rule.format('plain')}.", "bold")
        return
    print_line(console, before.rstrip(), "bold")
    room = max(console.width - 5, 20) if console.is_terminal else _PIPE
    for at, case in enumerate(cases):
        text = Text(case if after or at < len(cases) - 1 else f"{case}.", "bold")
        for number, part in enumerate(text.wrap(console, room) if console.is_terminal else [text]):
            start = Text("  or " if at and not number else "     ", "magenta")
            part.rstrip()
            console.print(start + part, soft_wrap=True)
    if after:
        print_line(console, f"{after.lstrip()}.", "bold")


class ListedStep(NamedTuple):
    """A step of a decision list, as it is printed.

    Attributes
    ----------
    cases : sequence of str
        Conditions of which one is enough; none for the default.
    label : str
        What is decided.
    remark : str
        How often it is right.
    """

    cases: Sequence[str]
    label: str
    remark: str = ""


_KEYWORD = 10  # columns of "otherwise" and a blank
_LABELS = 24  # most columns up to which labels are padded, so that remarks stand below one another


def print_steps(console: Console, steps: Sequence[ListedStep]) -> None:
    """A decision list with its numbers, each alternative on a line; folded on a terminal only."""
    from rich.cells import cell_len
    from rich.text import Text

    margin = len(f"{len(steps)}. ")
    indent = margin + _KEYWORD
    room = max(console.width - indent, 20) if console.is_terminal else _PIPE
    widths = [cell_len(safe(step.label)) for step in steps]
    width = max((each for each in widths if each <= _LABELS), default=0)

    def line(number: str, keyword: str, text: Text) -> None:
        start = Text.assemble(f"{number:>{margin - 1}} ", (f"{keyword:<{_KEYWORD}}", "magenta"))
        for at, part in enumerate(text.wrap(console, room) if console.is_terminal else [text]):
            part.rstrip()
            console.print((Text(" " * indent) if at else start) + part, soft_wrap=True)

    for number, step in enumerate(steps, 1):
        first = "else if" if number > 1 else "if"
        for at, case in enumerate(step.cases):
            line("" if at else f"{number}.", "or" if at else first, Text(safe(case), "bold"))
        label, remark = Text(safe(step.label), "bold cyan"), safe(step.remark)
        apart = not remark or label.cell_len + 3 + cell_len(remark) > room
        if not apart:
            label.append(" " * (max(width - label.cell_len, 0) + 3) + remark, "not bold default")
        alone = "otherwise" if number > 1 else "always"
        line("" if step.cases else f"{number}.", "then" if step.cases else alone, label)
        if remark and apart:
            line("", "", Text(remark))


def print_logic(console: Console, line: str) -> None:
    """A line of logic; on a terminal, where it is long, a term of its formula on each line."""
    from rich.cells import cell_len
    from rich.text import Text

    if not console.is_terminal:
        console.print(Text(safe(line)), soft_wrap=True)
        return
    head, *others = [line] if cell_len(line) <= console.width - _HANGING else _alternatives(line)
    for part in (head, *(f"    ∨ {other}" for other in others)):
        first, *folded = _color(part).wrap(console, console.width - _HANGING)
        console.print(first)
        for rest in folded:
            console.print(Text(" " * _HANGING) + rest)


def _color(line: str) -> Text:
    """A line of a rule, its connectives apart from what they connect."""
    from rich.text import Text

    text = Text(safe(line), "bold")
    text.highlight_regex(_CONNECTIVES, "magenta")
    return text


def _alternatives(rule: str) -> list[str]:
    """Parts of a rule between the signs for "or" that stand in no parentheses, and in no name."""
    parts, depth = [""], 0
    for match in _NAME.finditer(rule):
        piece = match[0]
        depth += (piece == "(") - (piece == ")")
        if piece == "∨" and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    return [part.strip() for part in parts]


def print_table(console: Console, table: Table) -> None:
    """Print a table that has rows; in a pipe without blanks at the ends of lines."""
    if not table.row_count:
        return
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as captured:
        console.print(table)
    console.file.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def plain_table(*headings: str, first: Literal["left", "right"] = "left") -> Table:
    """A table without lines between its columns; numbers stand to the right and are never cut."""
    table = _table()
    table.add_column(short(headings[0]), justify=first, overflow="fold")
    for heading in headings[1:]:
        table.add_column(short(heading), justify="right", overflow="fold", no_wrap=True)
    return table


def text_table(*headings: str, rows: Iterable[tuple[str, str]]) -> Table:
    """A table of two columns of text; the second is wrapped."""
    from rich.text import Text

    table = _table()
    for heading in headings:
        table.add_column(safe(heading), overflow="fold")
    for row in rows:
        table.add_row(*(Text(safe(cell)) for cell in row))
    return table


def _table() -> Table:
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")


WRONG_USAGE = 2
"""Exit code where the command itself makes no sense, as typer has it."""
STOPPED = 130
"""Exit code after Ctrl-C, as shells have it."""


@contextmanager
def one_line_errors() -> Iterator[None]:
    """One line on standard error and an exit code for errors of ours; no traceback, no raw warnings."""
    try:
        with _without_remarks():
            yield
    except LogicLensError as error:
        print_error(str(error))
        raise typer.Exit(1) from None
    except MemoryError:
        print_error("There is not enough memory for this. Take fewer rows or columns.")
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        print_error("stopped; no file is half-written.")
        raise typer.Exit(STOPPED) from None


def wrong_usage(message: str) -> NoReturn:
    """Print what is wrong with a command in one line, and end it."""
    print_error(message)
    raise typer.Exit(WRONG_USAGE)


def print_error(message: str) -> None:
    """Print an error in one line on standard error."""
    typer.echo(f"logiclens: {safe(message)}", err=True)


def print_note(note: str) -> None:
    """Print a note on standard error, apart from tables."""
    typer.echo(safe(note), err=True)


@contextmanager
def _without_remarks() -> Iterator[None]:
    """Keep warnings and log lines, which are for programmers, off the screen."""
    log, nowhere = logging.getLogger("logiclens"), logging.NullHandler()
    log.addHandler(nowhere)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.removeHandler(nowhere)


@contextmanager
def checked_output() -> Iterator[None]:
    """End without a traceback if output cannot be written: the reader is gone, or the disk is full."""
    try:
        yield
        sys.stdout.flush()
    except LogicLensError:  # some are about files, and of the kind that the system raises
        raise
    except BrokenPipeError:
        _drop_output()
        raise typer.Exit(1) from None
    except OSError as error:
        raise typer.Exit(output_failed(error)) from None


def output_failed(error: OSError) -> int:
    """Print why the output cannot be written; return the exit code."""
    _drop_output()
    print_error(f"The output cannot be written: {error.strerror or error}. Send it to another place.")
    return 1


def _drop_output() -> None:
    """Drop what is still to be written; Python would try once more when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@dataclass(frozen=True)
class Progress:
    """Progress on a terminal.

    Attributes
    ----------
    shown : bool
        On a terminal, unless a person asked for quiet.
    """

    shown: bool

    @classmethod
    def on_terminal(cls, quiet: bool = False) -> Progress:
        """Progress if standard error is a terminal."""
        return cls(not quiet and sys.stderr.isatty())

    @contextmanager
    def show(self, what: str) -> Iterator[None]:
        """Show what is being done while it is, and for how long; the line is gone afterwards."""
        if not self.shown:
            yield
            return
        from rich.console import Console
        from rich.progress import Progress as Line
        from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
        with Line(*columns, console=Console(stderr=True), transient=True) as line:
            line.add_task(safe(what), total=None)
            yield

    @contextmanager
    def training(self) -> Iterator[None]:
        """Clear the line of the training bar afterwards."""
        try:
            yield
        finally:
            if self.shown:
                sys.stderr.write("\r\x1b[K")  # to the beginning of the line, and empty it
                sys.stderr.flush()
