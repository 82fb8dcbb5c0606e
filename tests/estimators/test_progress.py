"""The progress line: drawn on a terminal, and nowhere else."""

from __future__ import annotations

import io
import re
import sys

import pytest

from logiclens.estimators import _parameters
from logiclens.estimators._parameters import progress_line
from tests.estimators.toys import booleans, quick


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_without_a_terminal(capsys):
    assert progress_line("MuClassifier") is None
    assert capsys.readouterr() == ("", "")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_line_on_a_terminal(monkeypatch, capsys):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    X, y = booleans()
    quick(verbose=True, epochs=10).fit(X, y)
    drawn = [line.rstrip(" ") for line in screen.getvalue().split("\r")]

    assert re.fullmatch(r"PsiClassifier: trained, with rules of every length, \d+ s *\n", drawn[-1])
    assert drawn[1].startswith("PsiClassifier: training [")
    assert re.fullmatch(r"PsiClassifier: searching for rules \.\.\., \d+ s", drawn[-2])
    assert "PsiClassifier: training [####################] 100%" in drawn[-3]
    assert screen.getvalue().count("\n") == 1
    assert len(drawn) <= 26  # once for each step, not for each epoch
    assert capsys.readouterr().out == ""


def test_each_step_is_drawn_once_and_each_second(monkeypatch):
    screen, clock = Terminal(), [0.0]
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(_parameters, "monotonic", lambda: clock[0])
    draw = progress_line("Mu")
    for share, seconds in ((0.0, 0.0), (0.01, 0.4), (0.5, 12.0), (0.5, 12.1), (0.5, 13.2), (1.0, 14.0)):
        clock[0] = seconds
        draw(share)

    assert screen.getvalue() == (
        "\rMu [....................]   0%, 0 s\rMu [##########..........]  50%, 12 s"
        "\rMu [##########..........]  50%, 13 s\rMu [####################] 100%, 14 s\n"
    )


def test_a_shorter_line_covers_the_one_before(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    line = progress_line("Mu", "training", more=True)
    line(1.0)
    line.go_on("searching")
    line.end("done")
    first, second, third = screen.getvalue().split("\r")[1:]

    assert len(first) == len(second)
    assert (second.rstrip(), third.rstrip()) == ("Mu: searching ..., 0 s", "Mu: done, 0 s")


def test_a_notebook_is_watched(monkeypatch):
    kernel = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})
    monkeypatch.setattr(sys, "stderr", kernel())

    assert progress_line("Mu") is not None
