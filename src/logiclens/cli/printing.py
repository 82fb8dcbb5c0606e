"""How results look: rules as logic, tables without lines, shares in percent."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from logiclens.explain import Explanation


def print_rule(console: Console, explanation: Explanation, remark: str) -> None:
    """The rule as logic, and a remark; on a terminal with the signs of logic, wrapped."""
    from rich.text import Text

    fancy = console.is_terminal
    console.print(Text(explanation.rule.format("unicode" if fancy else "ascii"), "bold"), soft_wrap=not fancy)
    console.print(Text(f"  {remark}\n"), soft_wrap=not fancy)


def plain_table(*headings: str, first: Literal["left", "right"] = "left") -> Table:
    """A table without lines between its columns; numbers stand to the right and are never cut."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(headings[0], justify=first, overflow="fold")
    for heading in headings[1:]:
        table.add_column(heading, justify="right", overflow="fold", no_wrap=True)
    return table


def percent(rate: float) -> str:
    """A share as a person reads it."""
    return "-" if isnan(rate) else f"{rate:.1%}"
