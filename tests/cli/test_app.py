"""What ``logiclens`` says without a command, and which there are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import logiclens
from tests.cli.running import FULL, run

COMMANDS = ("explain", "blackbox", "cluster", "demo", "export", "check", "explain-row", "predict")


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


def in_a_shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        f"{sys.executable} -m logiclens {command}", shell=True, capture_output=True, text=True, timeout=600
    )


@pytest.mark.skipif(os.name == "nt", reason="there is no such shell")
def test_streams_that_are_closed_lead_nowhere():
    assert in_a_shell("--version >&-").returncode == 0
    assert in_a_shell("--version 2>&-").returncode == 0
    done = in_a_shell("explain - --target x <&-")

    assert done.returncode == 1
    assert done.stderr == "logiclens: standard input is empty. Pass a table with a header and rows.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("command", ["--help", "explain --help"])
def test_help_that_cannot_be_written(command: str):
    done = in_a_shell(f"{command} > /dev/full")

    assert done.returncode == 1
    assert done.stderr == FULL
