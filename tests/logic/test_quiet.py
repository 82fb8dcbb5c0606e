"""What a solver prints below Python stays out of the output, and nothing else does."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Barrier, Thread

import pytest

from logiclens.logic.quiet import silent_output


def test_only_what_is_inside_is_lost(capfd: pytest.CaptureFixture[str]):
    sys.stdout.write("before\n")
    with silent_output():
        os.write(1, b"inside")
        os.write(2, b"warnings are seen")
    sys.stdout.write("after\n")

    seen = capfd.readouterr()
    assert seen.out == "before\nafter\n"
    assert seen.err == "warnings are seen"


def test_an_error_inside_brings_the_output_back(capfd: pytest.CaptureFixture[str]):
    with pytest.raises(ZeroDivisionError), silent_output():
        raise ZeroDivisionError
    os.write(1, b"back")

    assert capfd.readouterr().out == "back"


def test_threads_may_be_inside_together(capfd: pytest.CaptureFixture[str]):
    """The one that leaves first must not bring the output back for the other, nor the last one lose it."""
    meeting = Barrier(2)

    def solve(first: bool) -> None:
        with silent_output():
            meeting.wait()
            if not first:
                meeting.wait()
                os.write(1, b"inside")
        if first:
            meeting.wait()

    threads = [Thread(target=solve, args=(first,)) for first in (True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.write(1, b"after")

    assert capfd.readouterr().out == "after"


def test_text_held_back_by_python_is_not_lost():
    code = (
        "from logiclens.logic.quiet import silent_output\nprint('before')\n"
        "with silent_output(): pass\nprint('after')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)

    assert done.stdout == "before\nafter\n"


def test_a_process_without_output():
    code = (
        "import os\nos.close(1)\nfrom logiclens.logic.quiet import silent_output\n"
        "with silent_output(): pass\nos.write(2, b'fine')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)

    assert done.stderr.startswith("fine")
