"""The progress line: drawn on a terminal, and nowhere else."""

from __future__ import annotations

import io
import sys

import pytest

from logiclens.estimators._parameters import progress_line
from tests.estimators.toys import booleans, quick


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_without_a_terminal(capsys):
    assert progress_line("MuClassifier") is None
    assert capsys.readouterr() == ("", "")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_bar_on_a_terminal(monkeypatch, capsys):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    X, y = booleans()
    quick(verbose=True, epochs=10).fit(X, y)
    drawn = screen.getvalue().split("\r")

    assert drawn[-1] == "PsiClassifier [####################] 100%\n"
    assert drawn[1].startswith("PsiClassifier [")
    assert len(drawn) <= 22  # once for each step, not for each epoch
    assert capsys.readouterr().out == ""


def test_each_step_is_drawn_once(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    draw = progress_line("Mu")
    for share in (0.0, 0.01, 0.5, 0.5, 1.0):
        draw(share)

    assert screen.getvalue() == (
        "\rMu [....................]   0%\rMu [##########..........]  50%\rMu [####################] 100%\n"
    )
