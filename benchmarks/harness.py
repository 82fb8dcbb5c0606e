"""What every benchmark shares: timing a call, and one row of the printed table."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Row(NamedTuple):
    """One comparison."""

    what: str
    ours: str
    other: str
    ratio: str
    aim: str


def timed(work: Callable[[], T], repeat: int = 1) -> tuple[float, T]:
    """Shortest time of some calls, in seconds, and the last result."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def seconds(duration: float) -> str:
    """A duration in a readable unit."""
    return f"{duration * 1e3:.2f} ms" if duration < 1 else f"{duration:.1f} s"


def faster(what: str, ours: float, other: float, aim: str, *, notes: tuple[str, str] = ("", "")) -> Row:
    """A row that says how many times faster ours is; the notes stand behind the two times."""
    return Row(
        what,
        f"{seconds(ours)} {notes[0]}".strip(),
        f"{seconds(other)} {notes[1]}".strip(),
        f"{other / ours:.1f}x",
        aim,
    )


def filled(page: Path, tables: Mapping[str, str]) -> str:
    """Text of a page with its tables made anew, each below the comment that names it."""
    text = page.read_text(encoding="utf-8")
    for name, table in tables.items():
        pattern = rf"(<!-- table: {name} -->\n)(?:\|.*\n)*"
        text, n = re.subn(pattern, lambda found, table=table: f"{found[1]}{table}\n", text)
        if n != 1:
            raise SystemExit(f"benchmarks: {page.name} has {n} tables {name!r}; it should have one")
    return text
