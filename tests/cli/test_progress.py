"""What a person sees while a command works."""

from __future__ import annotations

import io
import sys

import pytest

from logiclens.cli.progress import Progress
from tests.cli.running import Terminal


@pytest.mark.parametrize(
    ("stream", "quiet", "shown"),
    [(Terminal, False, True), (Terminal, True, False), (io.StringIO, False, False)],
)
def test_it_is_shown_on_a_terminal_unless_quiet_is_asked_for(stream, quiet, shown, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream())

    assert Progress.on_terminal(quiet).shown is shown


def test_a_pipe_gets_nothing(capsys):
    with Progress(False).doing("reading"):
        pass

    assert capsys.readouterr() == ("", "")


def test_a_terminal_is_told_what_is_being_done(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with Progress(True).doing("reading [odd]\x1b[31m.csv"):
        pass

    assert r"reading [odd]\u001b[31m.csv" in stream.getvalue()


@pytest.mark.parametrize(("shown", "text"), [(True, "\r\x1b[K"), (False, "")])
def test_the_bar_of_training_is_gone_whatever_happens(shown, text, capsys):
    with pytest.raises(KeyboardInterrupt), Progress(shown).training():
        raise KeyboardInterrupt

    assert capsys.readouterr().err == text
