"""What a person sees while a command works: a line on standard error, on a terminal only.

Training draws a bar of its own (:mod:`logiclens.estimators.base`); all else shows what is being done.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """Whether to show progress.

    Attributes
    ----------
    shown : bool
        On a terminal, unless a person asked for quiet.
    """

    shown: bool

    @classmethod
    def on_terminal(cls, quiet: bool = False) -> Progress:
        """Progress if standard error is a terminal."""
        return cls(not quiet and sys.stderr.isatty())

    @contextmanager
    def doing(self, what: str) -> Iterator[None]:
        """Show what is being done while it is; the line is gone afterwards."""
        if not self.shown:
            yield
            return
        from rich.console import Console
        from rich.text import Text

        from logiclens.cli.printing import safe

        with Console(stderr=True).status(Text(safe(what))):
            yield

    @contextmanager
    def training(self) -> Iterator[None]:
        """Leave room for the bar of training, which may end anywhere: what comes next begins a line."""
        try:
            yield
        finally:
            if self.shown:
                sys.stderr.write("\r\x1b[K")  # to the beginning of the line, and empty it
                sys.stderr.flush()
