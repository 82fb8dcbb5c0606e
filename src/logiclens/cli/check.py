"""``logiclens check``: what is odd about the rules of a saved model."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from logiclens.cli import options as opt
from logiclens.cli.failing import clear_errors, written
from logiclens.cli.models import Model

if TYPE_CHECKING:
    from rich.console import Console

    from logiclens.explain import ExplanationSet, RuleCheck

FOUND = 3
"""Exit code of ``--strict`` when something was found."""


def check(
    model: Model,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with code 3 when rules conflict, leave a gap, or are always or never true.",
        ),
    ] = False,
    literals: opt.SavedLiterals = None,
) -> None:
    """Check the rules of a saved model: conflicts, gaps, rules without content, concepts used.

    No data are needed: what is said holds of every row that there can be. Exit code 0, also where something
    was found; 3 with --strict.

    \b
    Examples:
      logiclens check model.lens
          print the rules and what is odd about them
      logiclens check rules.json --strict > /dev/null || echo look at the rules
          in a script
    """  # noqa: D301 - \b keeps lines
    from logiclens.cli.models import rules_in
    from logiclens.cli.printing import output_console

    with clear_errors():
        rules = rules_in(model, literals)
        found = rules.check()
        with written():
            _print(output_console(), os.path.basename(model), rules, found)
    if strict and not found.clean:
        raise typer.Exit(FOUND)


def _print(console: Console, name: str, rules: ExplanationSet, found: RuleCheck) -> None:
    from logiclens.cli.printing import print_logic, print_rule, say, say_item
    from logiclens.errors import count

    say(console, f"{name}: {count(len(rules), 'rule')}, {count(rules.literals, 'literal')}", "bold")
    if rules.is_list:
        console.print()
        for line in rules.format("unicode" if console.is_terminal else "ascii").split("\n"):
            print_logic(console, line)
        console.print()
        say(console, "Each class by itself:", "bold")
    for explanation in rules.values():
        console.print()
        print_rule(console, explanation, f"{explanation.to_sentence()}.")
    console.print()
    for line in found.lines:
        if line.startswith("  "):
            say_item(console, line.strip())
        else:
            say(console, line)
