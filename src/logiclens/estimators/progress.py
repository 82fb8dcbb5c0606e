"""A line that shows how far training is, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Callable

_STEPS = 20


def progress_line(title: str) -> Callable[[float], None] | None:
    """Make a function that is told the share done and draws it on standard error; None without a terminal."""
    if not sys.stderr.isatty():
        return None
    drawn = -1

    def draw(share: float) -> None:
        nonlocal drawn
        steps = int(share * _STEPS)
        if steps != drawn:
            drawn = steps
            bar = "#" * steps + "." * (_STEPS - steps)
            sys.stderr.write(f"\r{title} [{bar}] {share:4.0%}" + ("\n" if steps == _STEPS else ""))
            sys.stderr.flush()

    return draw
