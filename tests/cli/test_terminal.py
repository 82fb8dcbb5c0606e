"""What a person sees: text that does no harm, rules, tables, errors in one line, progress."""

from __future__ import annotations

import io
import logging
import sys
import unicodedata
import warnings

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from logiclens import Explanation, Rule, Var
from logiclens.cli.terminal import (
    ListedStep,
    Progress,
    _alternatives,
    checked_output,
    one_line_errors,
    output_console,
    plain_table,
    print_rule,
    print_steps,
    print_table,
    safe,
    text_table,
)
from logiclens.errors import FileError, InputError
from tests.cli.running import FULL, Terminal
from tests.strategies import distinct_names


def console(*, terminal: bool, width: int = 60) -> Console:
    colors = "standard" if terminal else None
    return Console(file=io.StringIO(), force_terminal=terminal, width=width, color_system=colors)


def printed(on: Console) -> str:
    assert isinstance(on.file, io.StringIO)
    return on.file.getvalue()


@given(st.text())
def test_safe_text_is_one_line_that_a_terminal_only_shows(text: str):
    found = safe(text)

    assert len(found.splitlines()) <= 1
    assert not {unicodedata.category(char) for char in found if char not in "\u200c\u200d"} & {
        "Cc",
        "Cf",
        "Cs",
    }
    assert safe(found) == found


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\x1b[31mb", r"a\u001b[31mb"),
        ("a\nb", r"a\u000ab"),
        ("\u202eabc", r"\u202eabc"),
        ("\u2066abc", r"\u2066abc"),
        ("\U000e0041", r"\U000e0041"),
        ("\ud800", r"\ud800"),
        ("\x9b31m", r"\u009b31m"),
        *(
            (name, name)
            for name in ("red wing", "naïve", "Größe", "حجم", "日本", "👩‍🔬", "a\u00a0b", '"; DROP')
        ),
    ],
)
def test_what_a_terminal_would_obey_is_escaped(name: str, shown: str):
    assert safe(name) == shown


def test_a_terminal_gets_a_line_for_each_term_of_a_long_rule():
    rule = Explanation(Rule("robin", (Var("red") & Var("wing ∨ bill")) | Var("y" * 20) | Var("z" * 20)))
    on = Console(file=io.StringIO(), force_terminal=True, width=60, color_system=None)
    print_rule(on, rule, "Of robins.", logic=True)

    assert [line.rstrip() for line in printed(on).splitlines()] == [
        '∀x: robin(x) ↔ (red(x) ∧ "wing ∨ bill"(x))',
        f"    ∨ {'y' * 20}(x)",
        f"    ∨ {'z' * 20}(x)",
        "  Of robins.",
    ]


def test_a_long_term_hangs_below_its_first_line():
    rule = Explanation(Rule("robin", Var("a" * 20) & Var("b" * 20) & Var("c" * 20)))
    on = Console(file=io.StringIO(), force_terminal=True, width=60, color_system=None)
    print_rule(on, rule, "Of robins.", logic=True)
    first, second, *_ = printed(on).splitlines()

    assert first.startswith("∀x: robin(x) ↔ aaa")
    assert second.startswith("      ")
    assert len(first) <= 60


def test_a_rule_in_words_has_a_line_for_each_condition_that_is_enough():
    formula = (Var("red") & Var("small")) | (Var("bill " + "a" * 30) & Var("b" * 30))
    on = console(terminal=False)
    print_rule(on, Explanation(Rule("robin", formula)), "Of robins.", logic=False)
    print_rule(on, Explanation(Rule("robin", Var("red"), "if")), "", logic=False)
    print_rule(on, Explanation(Rule("robin", formula, "only_if")), "", logic=False)

    assert printed(on).splitlines() == [
        "Predicts robin when",
        "     red and small",
        f"  or bill {'a' * 30} and {'b' * 30}.",
        "  Of robins.",
        "Every robin row has: red.",
        "Rows where",
        "     red and small",
        f"  or bill {'a' * 30} and {'b' * 30}",
        "are robin.",
    ]


STEPS = [
    ListedStep(["age > 58 and ward = ICU", f"{'b' * 30} and {'c' * 30}"], "high", "right on 28 of 29 rows"),
    ListedStep(["a\x1b[31m"], "low", ""),
    ListedStep([], "a label that is much longer", "right on 3 of 4 rows"),
]


def test_steps_of_a_list_are_numbered():
    on = console(terminal=False)
    print_steps(on, STEPS)
    print_steps(on, [ListedStep([], "low", "right on 3 of 4 rows")])
    print_steps(on, [ListedStep(["a"], "low")] * 9 + [ListedStep([], "low")])

    assert printed(on).splitlines() == [
        "1. if        age > 58 and ward = ICU",
        f"   or        {'b' * 30} and {'c' * 30}",
        "   then      high   right on 28 of 29 rows",
        r"2. else if   a\u001b[31m",
        "   then      low",
        "3. otherwise a label that is much longer   right on 3 of 4 rows",
        "1. always    low   right on 3 of 4 rows",
        *(" 1. if        a", "    then      low"),
        *(line for at in range(2, 10) for line in (f" {at}. else if   a", "    then      low")),
        "10. otherwise low",
    ]


def test_a_terminal_folds_steps_below_their_text():
    on = Console(file=io.StringIO(), force_terminal=True, width=50, color_system=None)
    print_steps(on, STEPS)

    assert printed(on).splitlines() == [
        "1. if        age > 58 and ward = ICU",
        f"   or        {'b' * 30} and",
        f"             {'c' * 30}",
        "   then      high   right on 28 of 29 rows",
        r"2. else if   a\u001b[31m",
        "   then      low",
        "3. otherwise a label that is much longer",
        "             right on 3 of 4 rows",
    ]


@given(distinct_names(most=4))
def test_terms_are_found_whatever_names_hold(names: list[str]):
    """Signs in names do not break a rule apart."""
    formula = Var(names[0])
    for name in names[1:]:
        formula = formula | Var(name)
    text = Explanation(Rule("robin", formula)).rule.format("unicode")

    assert len(_alternatives(text)) == len(names)
    assert " ∨ ".join(_alternatives(text)) == text


def test_tables_in_a_pipe_have_no_blanks_at_the_ends():
    on = console(terminal=False)
    table = plain_table("class", "n")
    table.add_row("a", "1")
    print_table(on, table)
    print_table(on, text_table("column", "why", rows=[("[x]", "constant"), ("y\n", "an identifier")]))
    lines = printed(on).splitlines()

    assert [line.rstrip() for line in lines] == lines
    assert " [x]      constant" in lines
    assert r" y\u000a  an identifier" in lines


def test_a_pipe_folds_nothing(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    assert output_console().width == 1000


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("There are no rows. Pass some."), 1, "There are no rows. Pass some."),
        (InputError("Column 'a\x1b[31m' is odd."), 1, r"Column 'a\u001b[31m' is odd."),
        (MemoryError(), 1, "There is not enough memory for this. Take fewer rows or columns."),
        (KeyboardInterrupt(), 130, "stopped; no file is half-written."),
    ],
)
def test_errors_are_one_line_and_a_code(error, code, line, capsys):
    with pytest.raises(typer.Exit) as info, one_line_errors():
        raise error

    assert info.value.exit_code == code
    assert capsys.readouterr().err == f"logiclens: {line}\n"


def test_errors_that_are_not_foreseen_are_not_hidden():
    with pytest.raises(ZeroDivisionError), one_line_errors():
        raise ZeroDivisionError


def test_warnings_and_log_lines_stay_off_the_screen(capsys):
    with one_line_errors():
        warnings.warn("raise epochs", stacklevel=1)
        logging.getLogger("logiclens").warning("Column is dropped")

    assert capsys.readouterr() == ("", "")
    assert not logging.getLogger("logiclens").handlers


@pytest.mark.parametrize(
    ("error", "message"), [(OSError(28, "No space left on device"), FULL), (BrokenPipeError(), "")]
)
def test_output_that_cannot_be_written_is_told(error: OSError, message: str, capfd):
    """A reader that went away is no error of ours."""
    with pytest.raises(typer.Exit) as info, checked_output():
        raise error

    assert info.value.exit_code == 1
    assert capfd.readouterr().err == message


def test_errors_about_files_say_what_they_are_about():
    """They are of the kind that the system raises, and no matter of the output."""
    with pytest.raises(FileError, match="is damaged"), checked_output():
        raise FileError("'rows.csv' is damaged. Get it once more.")


@pytest.mark.parametrize(
    ("stream", "quiet", "shown"),
    [(Terminal, False, True), (Terminal, True, False), (io.StringIO, False, False)],
)
def test_it_is_shown_on_a_terminal_unless_quiet_is_asked_for(stream, quiet, shown, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream())

    assert Progress.on_terminal(quiet).shown is shown


def test_a_terminal_is_told_what_is_being_done(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with Progress(True).show("reading [odd]\x1b[31m.csv"):
        pass

    assert r"reading [odd]\u001b[31m.csv" in stream.getvalue()
    assert "0:00:00" in stream.getvalue()


@pytest.mark.parametrize(("shown", "text"), [(True, "\r\x1b[K"), (False, "")])
def test_the_bar_of_training_is_gone_whatever_happens(shown, text, capsys):
    with pytest.raises(KeyboardInterrupt), Progress(shown).training():
        raise KeyboardInterrupt

    assert capsys.readouterr().err == text
