"""The command, as a person types it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import logiclens
from logiclens.cli import app

runner = CliRunner()


def run(*arguments: str):
    return runner.invoke(app, list(arguments))


@pytest.mark.parametrize("data", ["wine", "iris", "breast_cancer"])
def test_demo_prints_a_rule_for_each_class(data):
    result = run("demo", "--data", data)

    assert result.exit_code == 0, result.output
    assert result.output.count("forall x: ") == (2 if data == "breast_cancer" else 3)
    assert "The rules, one against the rest" in result.output
    assert "Training errors of the best rule by length" in result.output


def test_demo_is_the_same_every_time():
    assert run("demo", "--data", "iris").output == run("demo", "--data", "iris").output


def test_rules_of_iris():
    output = run("demo", "--data", "iris").output

    assert 'forall x: setosa <-> ~"petal length (cm) > 2.63"' in output
    assert "setosa if and only if not “petal length (cm) > 2.63”." in output


def test_a_dearer_literal_gives_shorter_rules():
    cheap, dear = (run("demo", "--literal-cost", cost).output for cost in ("0", "0.2"))
    length = [sum(line.count('"') for line in text.splitlines() if "<->" in line) for text in (cheap, dear)]

    assert length[1] < length[0]


def test_a_pipe_gets_plain_text():
    assert "\x1b" not in run("demo", "--data", "iris").output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "--literal-cost", "-1"], "'--literal-cost'"),
        (["demo", "--literal-cost", "nan"], "'--literal-cost'"),
        (["demo", "--literal-cost", "inf"], "literal_cost must be a number of at least 0"),
        (["demo", "--data", "mnist"], "'--data'"),
        (["explode"], "No such command 'explode'"),
    ],
)
def test_bad_arguments_get_a_clear_line_and_no_traceback(arguments, message):
    result = run(*arguments)

    assert result.exit_code != 0
    assert message in result.output
    assert "Traceback" not in result.output
    assert not result.output.startswith(
        "wine:"
    )  # nothing is printed before the settings are known to be good


def test_version():
    assert run("--version").output == f"logiclens {logiclens.__version__}\n"


def test_help_says_what_there_is():
    assert "demo" in run("--help").output
    assert "logiclens demo --data breast_cancer" in run("demo", "--help").output


def test_signs_a_terminal_lacks_are_escaped():
    """A terminal that knows ASCII only gets escapes, not a traceback."""
    command = [sys.executable, "-m", "logiclens", "demo", "--data", "iris"]
    result = subprocess.run(command, capture_output=True, env={"PYTHONIOENCODING": "ascii"}, check=True)

    assert b"\\u201cpetal length (cm) > 2.63\\u201d" in result.stdout
