"""Build step of the documentation: the command-line reference, written by the commands themselves.

The page ``reference/cli.md`` holds a marker; when the site is built the marker is replaced by the
``--help`` text of every command, so the page cannot fall behind the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

MARKER = "<!-- the help of every command -->"
WIDTH = "88"
_COLOR = re.compile(r"\x1b\[[0-9;]*m")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """MkDocs event: fill the marker in, wherever a page has it."""
    return markdown.replace(MARKER, cli_reference()) if MARKER in markdown else markdown


def cli_reference() -> str:
    """Markdown for the whole command line: one section a command, subcommands after their group."""
    from logiclens.cli import app

    sections = []
    for path in command_paths(app):
        words = " ".join(("logiclens", *path))
        sections.append(f"## `{words}`\n\n```text\n{help_text(app, path)}\n```")
    return "\n\n".join(sections)


def command_paths(app: Any) -> list[tuple[str, ...]]:
    """Words after ``logiclens`` that lead to each command; the first entry is the program itself."""
    from typer.main import get_command

    return list(_walk(get_command(app), ()))


def _walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield path
    for name, child in sorted(getattr(command, "commands", {}).items()):
        if not child.hidden:
            yield from _walk(child, (*path, name))


def help_text(app: Any, path: tuple[str, ...]) -> str:
    """Return what ``logiclens ... --help`` prints, at a fixed width and without color."""
    from typer.testing import CliRunner

    environment = {"COLUMNS": WIDTH, "NO_COLOR": "1", "TERM": "dumb"}
    result = CliRunner().invoke(app, [*path, "--help"], env=environment, prog_name="logiclens")
    if result.exit_code:
        raise RuntimeError(f"'logiclens {' '.join(path)} --help' failed: {result.output}")
    lines = [line.rstrip() for line in _COLOR.sub("", result.output).splitlines()]
    return "\n".join(lines).strip("\n")
