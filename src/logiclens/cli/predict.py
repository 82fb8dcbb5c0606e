"""``logiclens predict``: what rules say about the rows of a file, in a file with more columns."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

import logiclens.cli.options as opt
from logiclens.cli.engines import engine_asked
from logiclens.cli.failing import clear_errors
from logiclens.cli.models import Model
from logiclens.cli.outputs import STDOUT, Outputs, new_names, output

if TYPE_CHECKING:
    from logiclens.cli.answers import Answers
    from logiclens.cli.rows import Needs
    from logiclens.cli.truth import Truth
    from logiclens.files import Batches

_SHORT = ("prediction", "mark")  # of the columns that are added
MOST_CLASSES = 10
"""Classes whose rows are counted aloud."""


def predict(  # noqa: PLR0913 - the options of a command
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
    only_prediction: Annotated[
        bool,
        typer.Option("--only-prediction", help="Leave out rule and why, which make files large."),
    ] = False,
    truth: Annotated[
        str | None,
        typer.Option(help="Column with the true classes: say how often rules are right.", metavar="COLUMN"),
    ] = None,
    literals: opt.SavedLiterals = None,
    delimiter: opt.Delimiter = None,
    encoding: opt.Encoding = None,
    decimal: opt.Decimal = None,
    engine: opt.Engine = None,
    memory: opt.Memory = None,
) -> None:
    """Predict the rows of a table by rules, and say why.

    All columns are written as they are, and four more: prediction; rule, the logic of the step that decides;
    why, a sentence with the condition that is true; and mark, which says "default" where no step is true
    ("uncovered" where a row may have several labels and gets none), and "missing" where there is no value and
    the rules know of no gaps. Rows are read and written in batches, so files may be of any size. Values are
    read as they were when the rules were made; what is no number where one is needed counts as missing, and a
    line says so.

    With --engine, DuckDB or Spark reads, predicts and writes Parquet: DuckDB one file, Spark a new folder of
    files. Of the four columns there are prediction and mark.

    \b
    Examples:
      logiclens predict model.lens new_patients.csv --out predicted.csv
          the table with its predictions, as a new file
      logiclens predict rules.json big.csv.gz --out predicted.parquet
          by rules alone, from a compressed file to Parquet
      logiclens predict model.lens new_patients.csv --network --out predicted.csv
          with the prediction of the network beside that of its rules
      logiclens predict model.lens old.csv --truth outcome --only-prediction --out predicted.csv
          how often are the rules right? A small file, without reasons
      cat new.csv | logiclens predict model.lens - | head
          from a pipe, into a pipe
      logiclens predict model.lens 'data/*.parquet' --engine duckdb --out predicted.parquet
          many files, more than memory holds
    """  # noqa: D301 - \b keeps lines
    with clear_errors():
        layout = {"--delimiter": delimiter, "--encoding": encoding, "--decimal": decimal}
        chosen = engine_asked(engine, memory, data, layout)
        asked = Asked(out, network, only_prediction, truth, literals)
        if chosen is not None:
            from logiclens.cli.predict_in_engine import predict_in_engine

            predict_in_engine(model, data, chosen, asked)
            return
        Outputs(out=out).check(model, data)
        _predict(model, data, asked, delimiter=delimiter, encoding=encoding, decimal=decimal)


class Asked(NamedTuple):
    """What is to be written.

    Attributes
    ----------
    out : Path
        Where to.
    network : bool
        Whether with what the network says.
    only_prediction : bool
        Whether without reasons.
    truth : str, optional
        The column to compare with.
    literals : int, optional
        Most literals of the rules.
    """

    out: Path = STDOUT
    network: bool = False
    only_prediction: bool = False
    truth: str | None = None
    literals: int | None = None


def _predict(model: str, data: str, asked: Asked, **layout: str | None) -> None:
    from logiclens.cli.answers import Answers
    from logiclens.cli.models import rules_in
    from logiclens.cli.progress import Progress
    from logiclens.cli.rows import needs
    from logiclens.cli.truth import Truth
    from logiclens.files import read_batches

    rules = rules_in(model, asked.literals)
    network = _network_of(model) if asked.network else None
    answers = Answers(rules)
    quiet = asked.out == STDOUT and sys.stdout.isatty()  # rows are progress enough
    with (
        read_batches(data, **layout) as batches,
        Progress.on_terminal(quiet).doing(f"reading {batches.name}"),
    ):
        truth = None if asked.truth is None else Truth(rules, asked.truth, batches.names)
        wanted = needs(rules, batches.names, everything=asked.network)
        notes = [*batches.notes, *_write(batches, wanted, answers, (network, truth), asked)]
    for note in (*notes, *summary(answers, asked.out), *([] if truth is None else [truth.summary()])):
        say_aside(note)


def _network_of(path: str) -> Any:
    """The model in a file; a file of rules is refused."""
    from logiclens.cli.models import network_in
    from logiclens.errors import InputError

    found = network_in(path)
    if found is None:
        raise InputError(f"{path!r} holds rules alone. Leave out --network, or name the model's file.")
    return found


def _write(
    batches: Batches, wanted: Needs, answers: Answers, others: tuple[Any, Truth | None], asked: Asked
) -> list[str]:
    """Write all rows with their answers; what a person should know about it."""
    from logiclens.cli.answers import Answer, text_columns
    from logiclens.files._remarks import Remarks
    from logiclens.files._table_writer import table_writer

    layout, out, (network, truth) = batches.layout, asked.out, others
    names: dict[str, str] = {}
    remarks = Remarks()
    with output(out) as stream:
        writer = table_writer(
            stream,
            out,
            delimiter="," if layout is None else layout.delimiter,
            marked=layout is not None and layout.marked,
        )
        for batch in batches:
            values = batch.values(wanted.types, None if wanted.vocabulary is None else remarks)
            n_rows = batch.rows.num_rows
            found, codes = answers.of(wanted.read(values, n_rows), wanted.gaps(values, n_rows))
            if truth is not None:
                truth.compare(batch, [answer.prediction for answer in found], codes)
            columns = text_columns(found, codes, _SHORT if asked.only_prediction else Answer._fields)
            if network is not None:
                columns["network"] = _as_column(network.predict(wanted.named(values)), answers.rules.labels)
            names = names or new_names(columns, batches.names)
            rows = batch.rows
            for name, column in columns.items():
                rows = rows.append_column(names[name], column)
            writer.write(rows)
        writer.close()
        notes = remarks.notes(batches.origin, wanted.never_missing)  # refuses a column of another type
    return [*notes, *taken_names(names)]


def taken_names(names: Mapping[str, str]) -> list[str]:
    """What to say of new columns that could not have their names."""
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


def summary(answers: Answers, out: Path) -> Iterator[str]:
    """How many rows there were, which of them are marked and, of a file, what was predicted how often."""
    from logiclens.cli.printing import percent
    from logiclens.errors import count

    text = count(answers.n_rows, "row")
    if out != STDOUT:
        text = f"Wrote {text} to {out}"
    if answers.n_uncovered and answers.rules.multi_label:
        text += f"; no rule is true of {answers.n_uncovered}"
    elif answers.n_uncovered:
        text += f"; the default decides {answers.n_uncovered}"
    if answers.n_missing:
        text += f"; {answers.n_missing} lack{'s' if answers.n_missing == 1 else ''} a value that rules need"
    yield f"{text}."
    if out == STDOUT or not answers.n_rows or answers.rules.multi_label:
        return
    often = sorted(answers.n_predicted.items(), key=lambda found: (-found[1], str(found[0])))
    told = [f"{label} {n} ({percent(n / answers.n_rows)})" for label, n in often[:MOST_CLASSES]]
    more = f" and {len(often) - MOST_CLASSES} more classes" if len(often) > MOST_CLASSES else ""
    yield f"Predicted: {', '.join(told)}{more}."


def say_aside(note: str) -> None:
    """A line on standard error, which no table is printed to."""
    from logiclens.cli.printing import safe

    typer.echo(safe(note), err=True)
