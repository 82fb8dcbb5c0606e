"""What tests of the command share: a runner, a table, and files that hold what is printed.

Golden files hold output letter by letter. After a change that is meant, write them again and read the
difference before it is committed:

    LOGICLENS_RENEW_GOLDEN=1 .venv/bin/python -m pytest tests/cli
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from click.testing import Result
from typer.testing import CliRunner

from logiclens.cli import app

FULL = "logiclens: The output cannot be written: No space left on device. Send it to another place.\n"
"""What is said when the disk is full."""
GOLDEN = Path(__file__).parent / "golden"
STAYS = Path(__file__).parents[2] / "docs" / "data" / "stays.csv"
SCORED = STAYS.with_name("scored_stays.csv")
PIPE = {"COLUMNS": "88", "NO_COLOR": "1", "TERM": "dumb"}
TERMINAL = {
    "COLUMNS": "88",
    "FORCE_COLOR": "1",
    "TERM": "xterm-256color",
    "NO_COLOR": None,
    "COLORTERM": None,
}
"""A terminal that is 88 columns wide and knows colors."""


class Terminal(io.StringIO):
    """A terminal, as far as a program can tell."""

    def isatty(self) -> bool:
        return True


def run(*arguments: object, env: dict[str, str | None] = PIPE, **more: object) -> Result:
    """Run a command, as if its output went into a pipe."""
    return CliRunner().invoke(app, [str(word) for word in arguments], env=env, prog_name="logiclens", **more)


def report_facts(name: str) -> dict[str, Any]:
    """The facts that a report holds."""
    page = Path(name).read_text(encoding="utf-8")
    held = page.split('<script type="application/json" id="facts">')[1].split("</script>")[0]
    found: dict[str, Any] = json.loads(held)
    return found


def check_golden(name: str, text: str) -> None:
    """Compare with a golden file, or write it where that is asked for."""
    path = GOLDEN / name
    if os.environ.get("LOGICLENS_RENEW_GOLDEN"):
        path.write_text(text, encoding="utf-8")

    assert text == path.read_text(encoding="utf-8")


def refused(*arguments: object, **more: object) -> str:
    """The one line that a command is refused with."""
    result = run(*arguments, **more)

    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("logiclens: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("logiclens: ").rstrip("\n")


def copied(path: Path, folder: Path) -> Path:
    """A copy of a file in a folder."""
    return Path(shutil.copy(path, folder))


def on_a_terminal(*arguments: str) -> tuple[int, str]:
    """Exit code and what a terminal gets, standard error included."""
    import pty  # not on every system

    mine, its = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "logiclens", *arguments],
        stdout=its,
        stderr=its,
        env=os.environ | {"COLUMNS": "80"},
    )
    os.close(its)
    shown = b""
    while True:
        try:
            piece = os.read(mine, 1 << 16)
        except OSError:  # the terminal is gone with the process
            break
        if not piece:
            break
        shown += piece
    os.close(mine)
    return process.wait(), shown.decode().replace("\r\n", "\n")


def wait_for(happened: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until something has happened that a process does; it may take minutes, but not end before."""
    until = time.monotonic() + 600
    while not happened():
        assert process.poll() is None, f"it ended too early, with exit code {process.returncode}"
        assert time.monotonic() < until, "it has not happened in ten minutes"
        time.sleep(0.002)


def half_written(folder: str = ".") -> bool:
    """Whether something stands in a file there that is not whole yet."""
    sizes = []
    for path in Path(folder).glob(".*.tmp"):
        with suppress(FileNotFoundError):  # it has just become whole
            sizes.append(path.stat().st_size)
    return any(sizes)
