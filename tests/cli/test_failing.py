"""What goes wrong ends in one line."""

from __future__ import annotations

import logging
import warnings

import pytest
import typer

from logiclens.cli.failing import clear_errors, written, wrong_usage
from logiclens.errors import FileError, InputError
from tests.cli.running import FULL


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
    with pytest.raises(typer.Exit) as info, clear_errors():
        raise error

    assert info.value.exit_code == code
    assert capsys.readouterr().err == f"logiclens: {line}\n"


def test_errors_that_are_not_foreseen_are_not_hidden():
    with pytest.raises(ZeroDivisionError), clear_errors():
        raise ZeroDivisionError


def test_warnings_and_log_lines_stay_off_the_screen(capsys):
    with clear_errors():
        warnings.warn("raise epochs", stacklevel=1)
        logging.getLogger("logiclens").warning("Column is dropped")

    assert capsys.readouterr() == ("", "")
    assert not logging.getLogger("logiclens").handlers


def test_output_that_cannot_be_written_is_told(capfd):
    with pytest.raises(typer.Exit) as info, written():
        raise OSError(28, "No space left on device")

    assert info.value.exit_code == 1
    assert capfd.readouterr().err == FULL


def test_errors_about_files_say_what_they_are_about():
    """They are of the kind that the system raises, and no matter of the output."""
    with pytest.raises(FileError, match="is damaged"), written():
        raise FileError("'rows.csv' is damaged. Get it once more.")


def test_a_reader_that_went_away_is_no_error_of_ours(capfd):
    with pytest.raises(typer.Exit) as info, written():
        raise BrokenPipeError

    assert info.value.exit_code == 1
    assert capfd.readouterr().err == ""


def test_wrong_usage_is_one_line_and_a_code(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(typer.Exit) as caught:
        wrong_usage("say\nmore")

    assert caught.value.exit_code == 2
    assert capsys.readouterr().err == "logiclens: say\\u000amore\n"
