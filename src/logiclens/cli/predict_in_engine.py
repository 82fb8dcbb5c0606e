"""``logiclens predict --engine``: predictions by rules, read and written by an engine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from logiclens.cli.answers import DEFAULT, MISSING, UNCOVERED, Answers
from logiclens.cli.counting import label_of, values_of
from logiclens.cli.engines import check_apart, files_read, quieten
from logiclens.cli.failing import wrong_usage
from logiclens.cli.models import rules_in
from logiclens.cli.outputs import STDOUT, Outputs, new_names
from logiclens.cli.predict import MOST_CLASSES, say_aside, summary, taken_names
from logiclens.cli.printing import percent
from logiclens.cli.progress import Progress
from logiclens.cli.truth import Truth
from logiclens.concepts.table import Kind
from logiclens.errors import InputError, count
from logiclens.explain.resolution import used_concepts
from logiclens.scale._engine import Table, check_folder, fetch, open_files, write_parquet
from logiclens.scale._expressions import is_missing, kind_of
from logiclens.scale._rule_queries import predict, score

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from logiclens.cli.engines import Engine
    from logiclens.cli.predict import Asked
    from logiclens.evaluation import Evaluation
    from logiclens.explain import ExplanationSet

_LABEL = "logiclens class"  # a column that is added
_ADDED = ("prediction", "mark")
_PARQUET = (".parquet", ".pq")
_ADDRESS = re.compile(r"\w{2,}:/")  # what is left of s3://... in a path


def predict_in_engine(model: str, data: str, engine: Engine, asked: Asked) -> None:
    """Predict all rows in an engine, and write them as Parquet.

    Parameters
    ----------
    model : str
        File of a model, or of rules.
    data : str
        A file, a folder or a pattern.
    engine : Engine
    asked : Asked
    """
    out = asked.out
    _check_usage(asked)
    rules = rules_in(model, asked.literals)
    if engine.name == "spark":
        check_folder(out)
    else:
        Outputs(out=out).check(model, *files_read(data))
    check_apart(out, data)
    quieten(engine)
    progress = Progress.on_terminal()
    with progress.doing(f"predicting {data} in {engine.title}"):
        opened = open_files(data, engine.name, memory=engine.memory, rules=rules)
        table = opened.table
        names = tuple(table.columns)
        truth = None if asked.truth is None else Truth(rules, asked.truth, names)
        answers, added = _answers(rules, table)
        scores = None if truth is None else _scores(rules, table, truth)
        write_parquet(answers, out)
        counts = _counts(rules, out, added)
    for note in (*opened.notes, *taken_names(added), *summary(counts, out)):
        say_aside(note)
    say_aside(f"{engine.title} wrote {_written(engine)}, with prediction and mark, without rule and why.")
    if truth is not None:
        say_aside(truth.summary())
    if scores is not None:
        for line in _by_class(scores):
            say_aside(line)


def _by_class(scores: Evaluation) -> Iterator[str]:
    """How good the rule of each class is, a line each."""
    for label, found in [*scores.by_label.items()][:MOST_CLASSES]:
        rates = found.rates
        yield (
            f"  {label}: precision {percent(rates.precision)}, recall {percent(rates.recall)}, "
            f"{count(int(found.support), 'row')}"
        )
    left = len(scores.by_label) - MOST_CLASSES
    if left > 0:
        yield f"  and {left} more classes"


def _written(engine: Engine) -> str:
    return "a folder of Parquet files" if engine.name == "spark" else "one Parquet file"


def _check_usage(asked: Asked) -> None:
    if asked.network:
        wrong_usage("--network needs rows in memory, and --engine leaves them in the engine. Omit one.")
    if asked.out == STDOUT:
        wrong_usage("--engine writes Parquet. Say where: --out predicted.parquet")
    if asked.out.suffix.lower() not in _PARQUET:
        wrong_usage(f"--engine writes Parquet. Give --out a name that ends in .parquet, not {asked.out}.")
    if _ADDRESS.match(str(asked.out)):
        wrong_usage(
            "--out must be a place on this machine. In Python, logiclens.scale.predict makes a table that "
            "an engine writes anywhere."
        )


def _answers(rules: ExplanationSet, table: Table) -> tuple[Table, dict[str, str]]:
    """The table with its answers, and what the new columns are called."""
    taken = {column.lower(): column for column in table.columns}
    new = new_names(_ADDED, taken)
    if rules.multi_label:
        while any(f"{new['prediction']}_{label}".lower() in taken for label in rules.labels):
            new["prediction"] += "_2"
    if "mark" not in taken:
        return predict(rules, table, name=new["prediction"], marks=True), new
    column, aside = taken["mark"], new_names(["logiclens mark"], taken)["logiclens mark"]
    if column in _needed(rules):
        raise InputError(f"The table has a column {column!r} already, which the rules need. Rename it.")
    moved = predict(rules, table.rename({aside: column}), name=new["prediction"], marks=True)
    return moved.rename({new["mark"]: "mark"}).rename({column: aside}), new


def _needed(rules: ExplanationSet) -> set[str]:
    used = used_concepts([*rules.formulas.values(), *rules.conditions.values()])
    return {*used} if rules.vocabulary is None else {*used, *rules.vocabulary.used_columns(used)}


def _scores(rules: ExplanationSet, table: Table, truth: Truth) -> Evaluation | None:
    """How good the rules are, on rows that have a true class; None where no class of theirs occurs."""
    column, name = table[truth.column], truth.column
    if kind_of(column) is Kind.NUMBER and isinstance(rules.labels[0], str):
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


def _counts(rules: ExplanationSet, out: Path, added: dict[str, str]) -> Answers:
    """How often each answer was given, counted in what was written."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    found = Answers(rules)
    mark = added["mark"]
    names = [mark] if rules.multi_label else [added["prediction"], mark]
    for file in sorted(out.glob("*.parquet")) if out.is_dir() else [out]:
        with pq.ParquetFile(file) as rows:
            for batch in rows.iter_batches(columns=names):
                counts = pa.Table.from_batches([batch]).group_by(names).aggregate([([], "count_all")])
                for row in counts.to_pylist():
                    n = int(row["count_all"])
                    found.n_rows += n
                    found.n_predicted[row[names[0]]] += n
                    found.n_uncovered += n * (DEFAULT in row[mark] or UNCOVERED in row[mark])
                    found.n_missing += n * (MISSING in row[mark])
    return found
