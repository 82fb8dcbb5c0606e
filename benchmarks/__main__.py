"""Run ``python -m benchmarks [part ...]``: all parts, or the ones named, as one table of ratios."""

from __future__ import annotations

import sys

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks import evaluation, minimization, starting, tables, training, wide_and_long

PARTS = {
    "evaluation": evaluation,
    "minimization": minimization,
    "starting": starting,
    "tables": tables,
    "training": training,
    "wide_and_long": wide_and_long,
}


def main() -> None:
    """Print each row as soon as it is measured, then the whole table."""
    wanted = sys.argv[1:] or list(PARTS)
    if unknown := [name for name in wanted if name not in PARTS]:
        sys.exit(f"benchmarks: no part called {unknown[0]!r}; there are {', '.join(PARTS)}.")
    console = Console(highlight=False, width=170)
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("what", "ours", "other", "ratio", "aim"):
        table.add_column(heading)
    for name in wanted:
        for row in PARTS[name].run():
            console.print(" | ".join(row), soft_wrap=True)
            table.add_row(*row)
    console.print(table)


if __name__ == "__main__":
    main()
