"""The report of a command: the model, the rows scored, and where all of it comes from."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from pathlib import Path

    from logiclens.cli.preparing import Prepared


def write_report(
    path: Path,
    model: Any,
    prepared: Prepared,
    *,
    task: str = "classify",
    rows: bool = False,
    command: str | None = None,
) -> None:
    """Write the report of a model to a file.

    Parameters
    ----------
    path : Path
    model : classifier or clusterer of this package, fitted
    prepared : Prepared
        What it was fitted on, and the rows to score it on.
    task : {"classify", "black box", "cluster"}, default "classify"
    rows : bool, default False
        Whether rows on which rules are wrong are put into it.
    command : str, optional
        The command that makes the report again.
    """
    from logiclens.reporting import Source, report

    inputs, labels = prepared.rows(prepared.scored)
    source = Source(
        prepared.name,
        command=command,
        n_train=int((~prepared.held_out).sum()),
        data_sha256=prepared.sha256,
        dropped=dict(prepared.dropped),
        task=task,
        held_out=bool(prepared.held_out.any()),
        row_numbers=(prepared.kept[prepared.scored] + 1).tolist() if rows else None,
        notes=prepared.notes,
    )
    truth = None if prepared.target is None else labels
    report(model, inputs, truth, path=path, target=prepared.target, rows=rows, source=source)


def command_typed(context: typer.Context) -> str:
    """The running command as it can be typed again, without what stands for itself."""
    return shlex.join(["logiclens", f"{context.info_name}", *_words(context)])


def _words(context: typer.Context) -> Iterator[str]:
    for parameter in context.command.params:
        name = f"{parameter.name}"
        value, origin = context.params.get(name), context.get_parameter_source(name)
        if origin is None or origin.name != "COMMANDLINE":
            continue
        for each in value if isinstance(value, list | tuple) else [value]:
            if parameter.param_type_name != "argument":
                yield parameter.opts[0]
            if each is not True:
                yield f"{each}"
