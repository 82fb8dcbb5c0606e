"""Output of commands: figures and results as JSON, and files, tried before the work and written after it.

In JSON, rates are numbers in [0, 1]; one that is not defined, such as the precision of a rule that is never
true, is null.
"""

from __future__ import annotations

import io
import json
import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain
from itertools import count as numbers_from
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import logiclens
from logiclens.cli.terminal import checked_output, percent, print_error, safe, short
from logiclens.errors import InputError, count
from logiclens.files._storage import is_stream, written_whole

if TYPE_CHECKING:
    import pyarrow
    from numpy.typing import NDArray

    from logiclens.cli.selection import ClassScores, Fit
    from logiclens.evaluation import StepScores
    from logiclens.explain import ExplanationSet
    from logiclens.explain.front import Front

STDOUT = Path("-")
"""The file that stands for standard output."""


class _Tried(Exception):
    """Ends a trial: nothing is written."""


@dataclass(frozen=True)
class Outputs:
    """Where to write what.

    Attributes
    ----------
    html : Path, optional
        The report.
    json : Path, optional
        Rules, scores and settings; ``-`` is standard output.
    save : Path, optional
        The model or, where the name ends in ``.json``, its rules.
    out : Path, optional
        A table, or text; ``-`` is standard output.
    no_model : bool, default False
        Whether rules are saved whatever the name.
    """

    html: Path | None = None
    json: Path | None = None
    save: Path | None = None
    out: Path | None = None
    no_model: bool = False

    @property
    def to_stdout(self) -> bool:
        """True if JSON or a table takes standard output, so that nothing else may be printed there."""
        return STDOUT in (self.json, self.out)

    def check(self, *read: str) -> None:
        """Check that all files can be written, before any work is done.

        Parameters
        ----------
        *read : str
            Files that are read, which must not be replaced.

        Raises
        ------
        InputError
            The same file twice, or one that is read; a report or a model on standard output.
        FileError
            A file that cannot be written.
        """
        if STDOUT in (self.html, self.save) or self.json == self.out == STDOUT:
            raise InputError("Either JSON or a table can go to standard output. Name files for the others.")
        seen = {_real(Path(path)): "read" for path in read if path != os.fspath(STDOUT)}
        for path in (self.html, self.json, self.save, self.out):
            if path is None or path == STDOUT or is_stream(path):  # to open a stream is to write to it
                continue
            if (use := seen.get(_real(path))) is not None:
                raise InputError(f"{os.fspath(path)!r} is {use}, too. Give each file a name of its own.")
            seen[_real(path)] = "written"
            with suppress(_Tried), written_whole(path):
                raise _Tried

    @property
    def saves_rules(self) -> bool:
        """True if rules alone are saved, not the model."""
        return self.no_model or (self.save is not None and self.save.suffix.lower() == ".json")

    def listed(self) -> Iterator[tuple[str, str]]:
        """Files that were written, each with what it holds."""
        for path, what in (
            (self.html, "report"),
            (self.json, "rules and scores as JSON"),
            (self.save, "rules" if self.saves_rules else "model"),
            (self.out, "table"),
        ):
            if path is not None and path != STDOUT:
                yield os.fspath(path), what


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, whole, or to standard output."""
    with output(path) as stream:
        stream.write(text.encode("utf-8", errors="backslashreplace"))


@contextmanager
def output(path: Path) -> Iterator[BinaryIO]:
    """The file to write bytes to, whole or not at all, or standard output."""
    if path != STDOUT:
        with written_whole(path) as file:
            yield file
        return
    with checked_output():
        if sys.stdout.isatty():
            terminal = _Terminal()
            yield cast("BinaryIO", terminal)
            if terminal.changed:
                sys.stdout.flush()
                print_error("what cannot be seen is shown by its number; --out FILE writes it as it is.")
            return
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()


class _Terminal(io.RawIOBase):
    """Writes text in UTF-8 to a terminal, with control characters escaped."""

    def __init__(self) -> None:
        self.changed = False

    def writable(self) -> bool:
        return True

    def write(self, content: Any, /) -> int:
        text = bytes(content).decode("utf-8", errors="backslashreplace")
        shown = "".join(part if part in "\t\n" else safe(part) for part in re.split(r"([\t\n])", text))
        self.changed |= shown != text
        sys.stdout.write(shown)
        return len(content)


def write_table(path: Path, table: pyarrow.Table, name: str, values: NDArray[Any]) -> str:
    """Write a table with one more column, as Parquet where the file is called so, else as CSV.

    Parameters
    ----------
    path : Path
    table : pyarrow.Table, n rows
    name : str
        Of the new column; one that is taken gets a number.
    values : ndarray of shape (n,)

    Returns
    -------
    str
        What the new column is called.
    """
    import pyarrow as pa

    from logiclens.files._table_writer import table_writer

    new = new_names([name], table.column_names)[name]
    with output(path) as stream:
        writer = table_writer(stream, path)
        writer.write(table.append_column(new, pa.array(values)))
        writer.close()
    return new


def new_names(names: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Names of new columns: one that is taken gets a number.

    Examples
    --------
    >>> new_names(["rule", "why"], ["rule", "rule_2"])
    {'rule': 'rule_3', 'why': 'why'}
    """
    known = set(taken)
    found = {}
    for name in names:
        numbered = (f"{name}_{number}" for number in numbers_from(2))
        found[name] = next(new for new in chain([name], numbered) if new not in known)
    return found


# Results as JSON, for programs; the form is described in docs/how-to/use_the_command.md, and has a version

FORMAT = "logiclens.results"
VERSION = 4
_PACKAGES = ("numpy", "scikit-learn", "torch")


METRICS = {
    "model_accuracy": "accuracy of the network",
    "explanation_accuracy": "accuracy of the rules (macro-F1)",
    "complexity": "literals of a rule",
    "fidelity": "fidelity of the rules (macro-F1)",
    "consistency": "consistency of the concepts",
    "time": "seconds for a fold",
}
"""The six metrics of the paper (Sec. 6.2), as ``cross_explain`` calls them and in words."""


def results_json(
    found: Fit,
    rules: Sequence[Mapping[str, Any]],
    overall: Mapping[str, Any],
    settings: Mapping[str, Any],
    task: str,
) -> str:
    """The whole result as JSON text.

    Parameters
    ----------
    found : Fit
    rules : sequence of mappings
        As :func:`class_entries` makes them.
    overall : mapping
        Figures about all rules together.
    settings : mapping
        What the command was asked for, the engine left out.
    task : {"classify", "black box", "cluster"}
    """
    rows, metrics = found.rows, found.metrics
    engine = {} if rows.engine is None else {"engine": str(rows.engine.name), "memory": rows.engine.memory}
    entries = {
        "format": FORMAT,
        "version": VERSION,
        "task": task,
        "target": rows.target,
        "data": {
            "name": rows.name,
            "sha256": rows.sha256,
            "n_rows": rows.n_read,
            "n_used": rows.n_used,
            "columns": list(found.columns),
            "dropped": [each._asdict() for each in found.dropped],
            "test": None if rows.test is None else rows.test._asdict(),
            "held_out": rows.held_out_numbers,
            "notes": list(rows.notes),
        },
        "rules": list(rules),
        "decision": decision_entries(found.rules, found.truth.steps),
        "front": front_entries(found.model.front_),
        "overall": overall,
        "cross_validation": None if metrics is None else {name: metrics[name]._asdict() for name in metrics},
        "settings": {**settings, **engine},
        "versions": {
            "logiclens": logiclens.__version__,
            "python": platform.python_version(),
            **{name: version(name) for name in _PACKAGES},
        },
    }
    return json.dumps(_without_nan(entries), indent=2, allow_nan=False) + "\n"


def decision_entries(rules: ExplanationSet, scores: Sequence[StepScores]) -> dict[str, Any] | None:
    """The list that decides, step by step; None where a row may have several labels.

    Scores are those of the steps, and of the default as the last; there are none where rules are no list.
    """
    from logiclens.explain.rule import formula_text

    if rules.multi_label:
        return None
    figures = [_step_figures(each) for each in scores] or [{}] * (len(rules.steps) + 1)
    steps = [
        {
            "label": step.label,
            "text": formula_text(step.formula, rules.vocabulary, "plain"),
            "logic": formula_text(step.formula, rules.vocabulary, "ascii"),
            "literals": step.literals,
            **rates,
        }
        for step, rates in zip(rules.steps, figures, strict=False)
    ]
    return {
        "steps": steps,
        "default": {"label": rules.default, **figures[-1]},
        "literals": rules.literals,
        "sentence": rules.to_sentence(),
        "sql": rules.to_sql(),
    }


def _step_figures(found: StepScores) -> dict[str, Any]:
    low, high = found.interval
    precision = {"value": found.precision, "low": low, "high": high}
    return {"n_rows": round(found.n_rows), "n_right": round(found.n_right), "precision": precision}


def front_entries(front: Front) -> list[dict[str, Any]]:
    """The points of a front, each with its rates on rows left out in turn."""
    return [
        {
            "literals": point.literals,
            "accuracy": point.accuracy,
            "low": None if point.interval is None else point.interval[0],
            "high": None if point.interval is None else point.interval[1],
            "fidelity": point.fidelity,
            "shown": at == front.chosen,
        }
        for at, point in enumerate(front)
    ]


def class_entries(found: ClassScores) -> dict[str, Any]:
    """A rule of a class, with its figures."""
    rates = {
        name: {
            "value": getattr(found.rates, name),
            "low": getattr(found.rates, f"{name}_interval")[0],
            "high": getattr(found.rates, f"{name}_interval")[1],
        }
        for name in ("precision", "recall", "coverage")
    }
    rule = found.explanation
    return {
        "label": rule.target,
        "kind": str(rule.kind),
        "logic": rule.rule.format("ascii"),
        "text": rule.rule.format("plain"),
        "sentence": f"{rule.rule.to_sentence()}. {rule_words(found)}".rstrip(),
        "sql": rule.to_sql(),
        "literals": rule.literals,
        "status": rule.status,
        "n_all": found.n_all,
        "n": found.n,
        **rates,
        "accuracy": found.agreement,
        "fidelity": found.fidelity,
    }


def rule_words(found: ClassScores) -> str:
    """How often a rule holds by itself, in words; nothing is said of one that is always or never true."""
    from logiclens.logic.formula import Const

    if isinstance(found.explanation.formula, Const):
        return ""
    rates, named = found.rates, short(found.label)
    rows = f"{count(found.n, 'row')} of {named}"
    match found.explanation.kind:
        case "iff":
            return f"Rightly says of {percent(found.agreement)} of the rows scored whether they are {named}."
        case "only_if":
            return f"Right on {percent(rates.precision)} of the rows of which it is true."
    return f"True of {percent(rates.recall)} of the {rows}."


def overall_entries(found: Fit) -> dict[str, Any]:
    """Figures about all rules together."""
    return {
        "part": "held out" if found.rows.n_held else "training",
        "n_train": found.rows.n_train,
        "n": found.n,
        "network_accuracy": found.network_accuracy,
        "rules_accuracy": found.truth.accuracy,
        "guess_accuracy": found.guess_accuracy,
        "fidelity": found.fidelity,
        "n_decided": {str(label): n for label, n in found.truth.resolution.by_label.items()},
        "n_uncovered": found.truth.resolution.n_uncovered,
    }


def _without_nan(value: Any) -> Any:
    """Replace NaN, which JSON does not know, by None."""
    if isinstance(value, dict):
        return {key: _without_nan(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_without_nan(entry) for entry in value]
    return None if isinstance(value, float) and isnan(value) else value
