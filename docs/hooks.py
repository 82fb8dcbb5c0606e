"""Build step of the documentation: pages that are made of something else.

A page holds a marker, which is filled in when the site is built. ``reference/cli.md`` gets the ``--help``
text of every command, so that it cannot fall behind the program; the page of a notebook gets its cells and
what they printed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
MARKER = "<!-- the help of every command -->"
NOTEBOOK = re.compile(r"<!-- the cells of (?P<path>[\w/-]+\.ipynb) -->")
"""Marker of a notebook; the path is one below docs/."""
WIDTH = "88"
_COLOR = re.compile(r"\x1b\[[0-9;]*m")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """MkDocs event: fill the markers in, wherever a page has them."""
    if MARKER in markdown:
        markdown = markdown.replace(MARKER, cli_reference())
    return NOTEBOOK.sub(lambda marker: notebook_page(DOCS / marker["path"]), markdown)


def notebook_page(path: Path) -> str:
    """Markdown of a notebook: its text, its code, and the text that is stored as its output."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(_fenced(source, "python"))
        printed = "".join(map(output_text, cell["outputs"]))
        if printed.strip():
            parts.append(_fenced(printed, "text"))
    return "\n\n".join(parts)


def output_text(output: dict[str, Any]) -> str:
    """What an output of a cell is without its pictures and HTML: what was printed, or the value as text."""
    return "".join(output.get("text", output.get("data", {}).get("text/plain", "")))


def _fenced(text: str, language: str) -> str:
    return f"```{language}\n{text.rstrip()}\n```"


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
