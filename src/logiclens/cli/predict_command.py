"""``logiclens predict``: what rules say about the rows of a file, in a file with more columns.

Rows are read and written here in batches, or by an engine.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from logiclens.cli import options as opt
from logiclens.cli.options import FileOptions, engine_of_options
from logiclens.cli.outputs import STDOUT, Outputs, new_names, output
from logiclens.cli.saved_rules import network_in, rules_in
from logiclens.cli.terminal import (
    Progress,
    one_line_errors,
    output_console,
    percent,
    plain_table,
    print_note,
    print_table,
    short,
    wrong_usage,
)
from logiclens.errors import InputError, count

if TYPE_CHECKING:
    from logiclens.cli.options import Engine
    from logiclens.cli.predictions import ClassFigures, RowPredictions, TrueClasses
    from logiclens.concepts.concept import Value
    from logiclens.evaluation import Evaluation, LabelScores
    from logiclens.explain import ExplanationSet
    from logiclens.explain.rule import Label
    from logiclens.scale._engine import Table

MOST_CLASSES = 10
"""Classes whose predictions are counted in the summary."""
_SHORT = ("prediction", "mark", "precision")  # of the columns that are added
_PARQUET = (".parquet", ".pq")
_ADDRESS = re.compile(r"\w{2,}:/")  # what is left of s3://... in a path
_LABEL = "logiclens class"  # a column that is added in an engine


def predict(  # noqa: PLR0913 - the options of a command
    model: opt.Model,
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
    skip_lines: opt.SkipLines = None,
    sheet: opt.Sheet = None,
    engine: opt.EngineOption = None,
    memory: opt.Memory = None,
) -> None:
    """Predict the rows of a table by rules, and say why.

    All columns are written as they are, and five more: prediction; rule, the logic of the step that decides;
    why, a sentence with the condition that is true; mark, which says "default" where no step is true
    ("uncovered" where a row may have several labels and gets none), and "missing" where there is no value and
    the rules know of no gaps; and precision, the share of the held-out rows of the fit that this step decided
    rightly (empty where it decided none, or none were held out). Rows are read and written in batches, so
    files may be of any size. Values are read as they were when the rules were made; what is no number where
    one is needed counts as missing, and a line says so.

    With --engine, DuckDB or Spark reads, predicts and writes Parquet: DuckDB one file, Spark a new folder of
    files. Of the five columns there are prediction, mark and precision.

    \b
    Examples:
      logiclens predict model.lens new_patients.csv --out predicted.csv
          the table with its predictions, as a new file
      logiclens predict rules.json big.csv.gz --out predicted.parquet
          by rules alone, from a compressed file to Parquet
      logiclens predict model.lens new_patients.csv --network --out predicted.csv
          with the prediction of the network beside that of its rules
      logiclens predict model.lens old.csv --truth outcome --only-prediction --out predicted.csv
          how often are the rules right, on each class? A small file, without reasons
      cat new.csv | logiclens predict model.lens - | head
          from a pipe, into a pipe
      logiclens predict model.lens 'data/*.parquet' --engine duckdb --out predicted.parquet
          many files, more than memory holds
    """  # noqa: D301 - \b keeps lines
    with one_line_errors():
        layout = FileOptions(delimiter, encoding, decimal, skip_lines, sheet)
        chosen = engine_of_options(engine, memory, data, layout)
        request = PredictRequest(out, network, only_prediction, truth)
        if chosen is None:
            Outputs(out=out).check(model, data)
            rules = rules_in(model, literals)
            teacher = network_in(model) if network else None
            if network and teacher is None:
                raise InputError(
                    f"{model!r} holds rules alone. Leave out --network, or name the model's file."
                )
            predictions, notes, comparison, classes = _in_memory(rules, teacher, data, request, layout)
        else:
            _check_usage(request)
            rules = rules_in(model, literals)
            _check_place(model, data, chosen, out)
            predictions, notes, comparison, classes = _in_engine(rules, data, chosen, request)
        for line in (*notes, *summary(predictions, out), *comparison):
            print_note(line)
        print_classes(classes)


class PredictRequest(NamedTuple):
    """The options that say what is written.

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
    """

    out: Path = STDOUT
    network: bool = False
    only_prediction: bool = False
    truth: str | None = None


# Rows read and written here


def _in_memory(
    rules: ExplanationSet, network: Any, data: str, request: PredictRequest, layout: FileOptions
) -> tuple[RowPredictions, list[str], list[str], list[ClassFigures]]:
    """Write all rows with their predictions.

    Returns
    -------
    RowPredictions
        How often each was made.
    list of str
        What a person should know about the rows.
    list of str
        How often the rules are right.
    list of ClassFigures
        The same for each class.
    """
    from logiclens.cli.predictions import (
        Prediction,
        RowPredictions,
        TrueClasses,
        needed_columns,
        text_columns,
        unseen_notes,
    )
    from logiclens.files import read_batches
    from logiclens.files._remarks import Remarks
    from logiclens.files._table_writer import table_writer

    out, predictions, remarks = request.out, RowPredictions(rules), Remarks()
    fields = [
        name
        for name in (_SHORT if request.only_prediction else Prediction._fields)
        if name != "precision" or not rules.multi_label
    ]
    new: dict[str, str] = {}
    unseen: Counter[tuple[str, Value]] = Counter()
    quiet = out == STDOUT and sys.stdout.isatty()  # rows are progress enough
    with (
        read_batches(data, **layout.entries()) as batches,
        Progress.on_terminal(quiet).show(f"reading {batches.name}"),
    ):
        truth = None if request.truth is None else TrueClasses(rules, request.truth, batches.names)
        needed = needed_columns(rules, batches.names, everything=network is not None)
        with output(out) as stream:
            delimiter = "," if batches.layout is None else batches.layout.delimiter
            marked = batches.layout is not None and batches.layout.marked
            comma = (
                batches.layout is not None
                and batches.layout.decimal == ","
                and out.suffix.lower() not in _PARQUET
            )
            writer = table_writer(stream, out, delimiter=delimiter, marked=marked)
            for batch in batches:
                values = batch.values(needed.types, None if needed.vocabulary is None else remarks)
                rows = batch.rows
                for place, value, n in needed.unseen(values, rows.num_rows):
                    unseen[place, value] += n
                found, codes = predictions.of(
                    needed.read(values, rows.num_rows), needed.missing(values, rows.num_rows)
                )
                if truth is not None:
                    truth.compare(batch, [each.prediction for each in found], codes)
                columns = text_columns(found, codes, fields)
                precision = columns.pop("precision", None)  # the last one
                if network is not None:
                    columns["network"] = _as_column(network.predict(needed.named(values)), rules.labels)
                if precision is not None:
                    columns["precision"] = _with_comma(precision) if comma else precision
                new = new or new_names(columns, batches.names)
                for name, column in columns.items():
                    rows = rows.append_column(new[name], column)
                writer.write(rows)
            writer.close()
            notes = remarks.notes(batches.origin, needed.never_missing)  # refuses a column of another type
    comparison, classes = ([], []) if truth is None else ([truth.summary()], truth.by_class())
    lines = [*batches.notes, *notes, *unseen_notes(unseen), *name_notes(new)]
    return predictions, lines, comparison, classes


def _with_comma(numbers: Any) -> Any:
    """Numbers of pyarrow as text with a decimal comma, for a file whose numbers have one."""
    import pyarrow as pa
    from pyarrow import compute

    return compute.replace_substring(numbers.cast(pa.string()), ".", ",")


def _as_column(predicted: Any, labels: Sequence[Any]) -> Any:
    """Predictions of a network as an array of pyarrow; of several labels per row, a text with commas."""
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


# Rows read and written by an engine


def _check_usage(request: PredictRequest) -> None:
    if request.network:
        wrong_usage("--network needs rows in memory, and --engine leaves them in the engine. Omit one.")
    if request.out == STDOUT:
        wrong_usage("--engine writes Parquet. Say where: --out predicted.parquet")
    if request.out.suffix.lower() not in _PARQUET:
        wrong_usage(f"--engine writes Parquet. Give --out a name that ends in .parquet, not {request.out}.")
    if _ADDRESS.match(str(request.out)):
        wrong_usage(
            "--out must be a place on this machine. In Python, logiclens.scale.predict makes a table that "
            "an engine writes anywhere."
        )


def _check_place(model: str, data: str, engine: Engine, out: Path) -> None:
    """Check that the output can be written, and is not among the files that are read."""
    from logiclens.cli.engine_rows import check_apart, input_files

    if engine.name == "spark":
        from logiclens.scale._engine import check_folder

        check_folder(out)
    else:
        Outputs(out=out).check(model, *input_files(data))
    check_apart(out, data)


def _in_engine(
    rules: ExplanationSet, data: str, engine: Engine, request: PredictRequest
) -> tuple[RowPredictions, list[str], list[str], list[ClassFigures]]:
    """As :func:`_in_memory`, by an engine."""
    from logiclens.cli.engine_rows import quieten
    from logiclens.cli.predictions import TrueClasses, unseen_notes
    from logiclens.scale._engine import open_files, write_parquet
    from logiclens.scale._rule_queries import unseen_values

    quieten(engine)
    with Progress.on_terminal().show(f"predicting {data} in {engine.title}"):
        files = open_files(data, engine.name, memory=engine.memory, rules=rules)
        table = files.table
        truth = None if request.truth is None else TrueClasses(rules, request.truth, tuple(table.columns))
        predicted, added = _predicted(rules, table)
        scores = None if truth is None else _scores(rules, table, truth)
        unseen = unseen_notes(unseen_values(rules, table))
        write_parquet(predicted, request.out)
        predictions = _counts(rules, request.out, added)
    what = "a folder of Parquet files" if engine.name == "spark" else "one Parquet file"
    written = "prediction and mark" if rules.multi_label else "prediction, mark and precision"
    lines = [f"{engine.title} wrote {what}, with {written}, without rule and why."]
    if truth is not None:
        lines.append(truth.summary())
    classes = [] if scores is None else [_figures(label, each) for label, each in scores.by_label.items()]
    return predictions, [*files.notes, *unseen, *name_notes(added)], lines, classes


def _predicted(rules: ExplanationSet, table: Table) -> tuple[Table, dict[str, str]]:
    """The table with its predictions, and what the new columns are called."""
    from logiclens.scale._rule_queries import predict as predict_table

    taken = {column.lower(): column for column in table.columns}
    new = new_names(_SHORT[: 2 if rules.multi_label else 3], taken)
    if rules.multi_label:
        while any(f"{new['prediction']}_{label}".lower() in taken for label in rules.labels):
            new["prediction"] += "_2"
    aside: dict[str, str] = {}  # columns that have the name of a new one
    for name in set(new) - {"prediction"}:
        if (column := taken.get(name)) is None:
            continue
        if column in _needed(rules):
            raise InputError(f"The table has a column {column!r} already, which the rules need. Rename it.")
        aside[column] = new_names([f"logiclens {name}"], taken)[f"logiclens {name}"]
    moved = table.rename({away: column for column, away in aside.items()})
    predicted = predict_table(rules, moved, name=new["prediction"], marks=True, precision="precision" in new)
    numbered = {new[column.lower()]: column.lower() for column in aside}
    return predicted.rename(numbered).rename(aside), new


def _needed(rules: ExplanationSet) -> set[str]:
    from logiclens.explain.resolution import used_concepts

    used = used_concepts([*rules.formulas.values(), *rules.conditions.values()])
    return {*used} if rules.vocabulary is None else {*used, *rules.vocabulary.used_columns(used)}


def _scores(rules: ExplanationSet, table: Table, truth: TrueClasses) -> Evaluation | None:
    """Scores of the rules on rows that have a true class; None where no class of theirs occurs."""
    from logiclens.cli.engine_rows import label_of, label_of_range, values_of
    from logiclens.concepts.table import Kind
    from logiclens.scale._engine import fetch
    from logiclens.scale._expressions import is_missing, kind_of
    from logiclens.scale._rule_queries import score

    column, name = table[truth.column], truth.column
    if kind_of(column) is Kind.NUMBER and truth.ranges is not None:
        table, name = table.mutate(label_of_range(column, truth.ranges).name(_LABEL)), _LABEL
    elif kind_of(column) is Kind.NUMBER and isinstance(rules.labels[0], str):
        values, _, _ = values_of(table, truth.column)
        column = label_of(column, values, [f"{value:.10g}" for value in values.raw.tolist()])
        table, name = table.mutate(column.name(_LABEL)), _LABEL
    known = table.filter(~is_missing(table[truth.column]))
    n_rows = int(fetch(known.count(), "Counting rows").as_py())
    if not n_rows:
        return None
    scores = score(rules, known, name)
    truth.n = scores.n_rows
    truth.n_known = int(sum(each.support for each in scores.by_label.values()))
    truth.n_right = round(scores.accuracy * scores.n_rows)
    return scores if truth.n_known else None


def _counts(rules: ExplanationSet, out: Path, added: dict[str, str]) -> RowPredictions:
    """The number of times that each prediction was made, counted in the file that was written."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from logiclens.cli.predictions import RowPredictions

    found = RowPredictions(rules)
    mark = added["mark"]
    names = [mark] if rules.multi_label else [added["prediction"], mark]
    for file in sorted(out.glob("*.parquet")) if out.is_dir() else [out]:
        with pq.ParquetFile(file) as rows:
            for batch in rows.iter_batches(columns=names):
                counts = pa.Table.from_batches([batch]).group_by(names).aggregate([([], "count_all")])
                for row in counts.to_pylist():
                    found.count(row[names[0]], row[mark], int(row["count_all"]))
    return found


def _figures(label: Label, scores: LabelScores) -> ClassFigures:
    from logiclens.cli.predictions import ClassFigures

    return ClassFigures(label, scores.rates.precision, scores.rates.recall, int(scores.support))


# Messages


def name_notes(names: Mapping[str, str]) -> list[str]:
    """Notes on new columns whose names were taken."""
    return [
        f"The table has a column {name!r} already: the answers are in {new!r}."
        for name, new in names.items()
        if new != name
    ]


def print_classes(classes: Sequence[ClassFigures]) -> None:
    """Print precision, recall and rows of each class on standard error, apart from tables."""
    if not classes:
        return
    console, table = output_console(stderr=True), plain_table("class", "precision", "recall", "rows")
    for each in classes:
        table.add_row(short(each.label), percent(each.precision), percent(each.recall), f"{each.n}")
    print_table(console, table)


def summary(predictions: RowPredictions, out: Path) -> Iterator[str]:
    """Lines with the number of rows, of marked rows and, for a file, of each prediction."""
    text = count(predictions.n_rows, "row")
    if out != STDOUT:
        text = f"Wrote {text} to {out}"
    if predictions.n_uncovered and predictions.rules.multi_label:
        text += f"; no rule is true of {predictions.n_uncovered}"
    elif predictions.n_uncovered:
        text += f"; the default decides {predictions.n_uncovered}"
    if predictions.n_missing:
        verb = "lacks" if predictions.n_missing == 1 else "lack"
        text += f"; {predictions.n_missing} {verb} a value that rules need"
    yield f"{text}."
    if out == STDOUT or not predictions.n_rows or predictions.rules.multi_label:
        return
    often = sorted(predictions.n_predicted.items(), key=lambda found: (-found[1], str(found[0])))
    counted = [f"{label} {n} ({percent(n / predictions.n_rows)})" for label, n in often[:MOST_CLASSES]]
    left = len(often) - MOST_CLASSES
    more = f" and {left} more {'class' if left == 1 else 'classes'}" if left > 0 else ""
    yield f"Predicted: {', '.join(counted)}{more}."
