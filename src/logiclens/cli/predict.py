"""``logiclens predict``: what rules say about the rows of a file, in a file with more columns."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import logiclens.cli.options as opt
from logiclens.cli.failing import clear_errors
from logiclens.cli.models import Model
from logiclens.cli.outputs import STDOUT, Outputs, new_names, output

if TYPE_CHECKING:
    from logiclens.cli.answers import Answers
    from logiclens.cli.rows import Needs
    from logiclens.files import Batches


def predict(
    model: Model,
    data: opt.Data,
    out: Annotated[
        Path,
        typer.Option(
            help="File to write: CSV, also .gz, or Parquet if it ends in .parquet.  [default: print CSV]",
            show_default=False,
        ),
    ] = STDOUT,
    network: Annotated[
        bool, typer.Option("--network", help="Add what the network of the model says, too.")
    ] = False,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None,
    decimal: opt.Decimal = None,
) -> None:
    """Predict the rows of a table by rules, and say why.

    All columns are written as they are, and four more: prediction; rule, the logic that fired; why, a
    sentence with the condition that is true; and mark, which says "conflict" where several rules fired and
    "uncovered" where none did. Rows are read and written in batches, so files may be of any size. Values are
    read as they were when the rules were made: what is not of its column's type is refused, with its line.

    \b
    Examples:
      logiclens predict model.lens new_patients.csv --out predicted.csv
          the table with its predictions, as a new file
      logiclens predict rules.json big.csv.gz --out predicted.parquet
          by rules alone, from a compressed file to Parquet
      logiclens predict model.lens new_patients.csv --network --out predicted.csv
          with the prediction of the network beside that of its rules
      cat new.csv | logiclens predict model.lens - | head
          from a pipe, into a pipe
    """  # noqa: D301 - \b keeps lines
    with clear_errors():
        Outputs(out=out).check(model, data)
        _predict(model, data, out, network, delimiter=delimiter, encoding=encoding, decimal=decimal)


def _predict(model: str, data: str, out: Path, network: bool, **layout: str | None) -> None:
    from logiclens.cli.answers import Answers
    from logiclens.cli.models import rules_in
    from logiclens.cli.progress import Progress
    from logiclens.cli.rows import needs
    from logiclens.files import read_batches

    rules = rules_in(model)
    asked = _network_of(model) if network else None
    answers = Answers(rules)
    progress = Progress.on_terminal(quiet=out == STDOUT and sys.stdout.isatty())  # rows are progress enough
    with read_batches(data, **layout) as batches, progress.doing(f"reading {batches.name}"):
        wanted = needs(rules, batches.names, everything=network)
        notes = [*batches.notes, *_write(batches, wanted, answers, asked, out)]
    for note in notes:
        _tell(note)
    _tell(_summary(answers))


def _network_of(path: str) -> Any:
    """The model in a file; a file of rules is refused."""
    from logiclens.cli.models import network_in
    from logiclens.errors import InputError

    found = network_in(path)
    if found is None:
        raise InputError(f"{path!r} holds rules alone. Leave out --network, or name the model's file.")
    return found


def _write(batches: Batches, wanted: Needs, answers: Answers, network: Any, out: Path) -> list[str]:
    """Write all rows with their answers; what a person should know about it."""
    from logiclens.cli.answers import text_columns
    from logiclens.files.tables import table_writer

    layout = batches.layout
    names: dict[str, str] = {}
    with output(out) as stream:
        writer = table_writer(
            stream,
            out,
            delimiter="," if layout is None else layout.delimiter,
            marked=layout is not None and layout.marked,
        )
        for batch in batches:
            values = batch.values(wanted.types)
            columns = text_columns(*answers.of(wanted.read(values, batch.rows.num_rows)))
            if network is not None:
                columns["network"] = _as_column(network.predict(wanted.named(values)), answers.rules.labels)
            names = names or new_names(columns, batches.names)
            rows = batch.rows
            for name, column in columns.items():
                rows = rows.append_column(names[name], column)
            writer.write(rows)
        writer.close()
    return [
        f"The table has a column {name!r} already: the answers are in {new!r}."
        for name, new in names.items()
        if new != name
    ]


def _as_column(predicted: Any, labels: Sequence[Any]) -> Any:
    """Predictions of a network as an array of pyarrow; of several labels a row, a text with commas."""
    import numpy as np
    import pyarrow as pa

    if predicted.ndim == 1:
        return pa.array(predicted.tolist())
    distinct, places = np.unique(predicted, axis=0, return_inverse=True)
    texts = [
        ", ".join(str(label) for label, yes in zip(labels, row, strict=True) if yes)
        for row in distinct.tolist()
    ]
    return pa.DictionaryArray.from_arrays(pa.array(places.reshape(-1)), pa.array(texts))


def _summary(answers: Answers) -> str:
    from logiclens.errors import count

    text = count(answers.n_rows, "row")
    if answers.n_uncovered:
        text += f"; no rule fired on {answers.n_uncovered}"
    if answers.n_conflicts:
        text += f"; more than one fired on {answers.n_conflicts}"
    return f"{text}."


def _tell(note: str) -> None:
    """A line on standard error, which no table is printed to."""
    from logiclens.cli.printing import safe

    typer.echo(safe(note), err=True)
