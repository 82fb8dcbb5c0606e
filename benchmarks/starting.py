"""How soon the command is there: ``logiclens --help`` against ``import torch``, each in a new process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.harness import Row, seconds, timed

_REPEAT = 7


def run() -> Iterator[Row]:
    """Help of the command and of one subcommand; the shortest of several starts."""
    importing = _shortest("-c", "import torch")
    for words in ((), ("explain",)):
        helping = _shortest("-m", "logiclens", *words, "--help")
        yield Row(
            " ".join(("start:", "logiclens", *words, "--help")),
            seconds(helping),
            f"{seconds(importing)} (import torch)",
            f"{helping / importing:.2f} of it",
            "a small fraction",
        )


def _shortest(*arguments: str) -> float:
    command = [sys.executable, *arguments]
    took, _ = timed(lambda: subprocess.run(command, capture_output=True, check=True), _REPEAT)
    return took
