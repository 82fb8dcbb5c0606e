"""What ``logiclens`` says without a command, and which there are."""

from __future__ import annotations

import pytest

import logiclens
from tests.cli.running import run

COMMANDS = ("explain", "blackbox", "cluster", "demo")


def test_version():
    assert run("--version").output == f"logiclens {logiclens.__version__}\n"


def test_help_says_what_there_is():
    output = run("--help").output

    assert "Neural networks over named concepts that say what they do" in output
    for command in COMMANDS:
        assert f"\n  {command} " in output


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_examples_on_lines_of_their_own(command: str):
    lines = run(command, "--help").output.splitlines()

    assert "  Examples:" in lines
    assert any(line.startswith(f"    logiclens {command}") for line in lines)


def test_no_command_is_a_call_for_help():
    assert "Usage: logiclens" in run().output


def test_an_unknown_command_is_refused():
    result = run("explode")

    assert result.exit_code == 2
    assert "No such command 'explode'" in result.output
