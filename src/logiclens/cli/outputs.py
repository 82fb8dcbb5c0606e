"""What a command writes: figures and results as JSON, and files, tried before the work and written after it.

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
from itertools import chain, count
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

import logiclens
from logiclens.cli.terminal import checked_output, print_error, safe
from logiclens.errors import InputError
from logiclens.files._storage import is_stream, written_whole

if TYPE_CHECKING:
    import pyarrow
    from numpy.typing import NDArray

    from logiclens.cli.selection import Dropped, HeldOutScores, SelectedRows
    from logiclens.evaluation import Evaluation
    from logiclens.explain import Explanation, ExplanationSet, Resolution
    from logiclens.explain.front import Front
    from logiclens.explain.rule import Label
    from logiclens.metrics import RuleScores

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
    """

    html: Path | None = None
    json: Path | None = None
    save: Path | None = None
    out: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files."""
        given = (self.html, self.json, self.save, self.out)
        return tuple(path for path in given if path is not None and path != STDOUT)

    @property
    def to_stdout(self) -> bool:
        """Whether JSON or a table takes standard output, so that nothing else may be printed there."""
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
        for path in self.paths:
            if is_stream(path):  # to open it is to write to it
                continue
            if (use := seen.get(_real(path))) is not None:
                raise InputError(f"{os.fspath(path)!r} is {use}, too. Give each file a name of its own.")
            seen[_real(path)] = "written"
            with suppress(_Tried), written_whole(path):
                raise _Tried

    @property
    def saves_rules(self) -> bool:
        """Whether rules alone are saved, not the model."""
        return self.save is not None and self.save.suffix.lower() == ".json"

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
            yield from _terminal_stream()
            return
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()


def _terminal_stream() -> Iterator[BinaryIO]:
    """A stream to the terminal that escapes control characters, and says so."""
    terminal = _Terminal()
    yield cast("BinaryIO", terminal)
    if terminal.changed:
        sys.stdout.flush()
        print_error("what cannot be seen is shown by its number; --out FILE writes it as it is.")


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


def save_model(model: Any, rules: Any, outputs: Outputs) -> None:
    """Save a model or its rules, if there is a file for them."""
    if outputs.save is not None:
        (rules if outputs.saves_rules else model).save(outputs.save)


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
        numbered = (f"{name}_{number}" for number in count(2))
        found[name] = next(new for new in chain([name], numbered) if new not in known)
    return found


# Results as JSON, for programs; the form is described in docs/how-to/use_the_command.md, and has a version

FORMAT = "logiclens.results"
VERSION = 3
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


class MeanAndError(NamedTuple):
    """Mean of a metric over folds, and its standard error; NaN for what is one figure for all folds."""

    mean: float
    standard_error: float


class ClassScores(NamedTuple):
    """A class, its rule, and how good that is on the rows scored.

    Attributes
    ----------
    label : str, int, float or bool
    explanation : Explanation
    n_all : int
        Rows of the class among all rows.
    n : int
        Rows of the class among those scored.
    literals : int
        Of its step in a list, 0 for the default; otherwise of its rule.
    rates : RuleScores
        Of the decision for the class, against the class.
    fidelity : float
        Share of the rows on which rules and network agree about the class; NaN where that is not known.
    agreement : float
        Share of the rows on which rules and truth agree about the class.
    """

    label: Label
    explanation: Explanation
    n_all: int
    n: int
    literals: int
    rates: RuleScores
    fidelity: float
    agreement: float


@dataclass(frozen=True)
class ModelScores:
    """All classes, and network and rules as classifiers.

    Attributes
    ----------
    classes : tuple of ClassScores
    held_out : bool
        Whether the rows scored were held out; otherwise they were trained on.
    n_train, n : int
        Rows trained on, and rows scored.
    network_accuracy, rules_accuracy : float
        Share of the rows scored whose class is predicted.
    guess_accuracy : float
        The same of a guess: the most frequent class of the training rows.
    fidelity : float
        Share of the rows scored on which network and rules predict the same class.
    resolution : Resolution
        How many of them each step of the rules decides, and how many the default.
    """

    classes: tuple[ClassScores, ...]
    held_out: bool
    n_train: int
    n: int
    network_accuracy: float
    rules_accuracy: float
    guess_accuracy: float
    fidelity: float
    resolution: Resolution


def class_scores(
    rules: ExplanationSet, truth: Evaluation, network: Evaluation | None, sizes: Mapping[Label, int]
) -> tuple[ClassScores, ...]:
    """How good the rules are about each class.

    Parameters
    ----------
    rules : ExplanationSet
    truth : Evaluation
        The rules against the true classes.
    network : Evaluation or None
        The rules against what the network says, where that is known.
    sizes : mapping of label to int
        Rows of each class, those that are not scored included.
    """
    literals = {label: formula.complexity for label, formula in rules.conditions.items()}
    return tuple(
        ClassScores(
            label,
            explanation,
            n_all=sizes.get(label, 0),
            n=int(truth.by_label[label].support),
            literals=literals.get(label, 0) if rules.is_list else explanation.complexity,
            rates=truth.by_label[label].rates,
            fidelity=float("nan") if network is None else network.by_label[label].agreement,
            agreement=truth.by_label[label].agreement,
        )
        for label, explanation in rules.items()
    )


def model_scores(
    rules: ExplanationSet, found: HeldOutScores, sizes: Mapping[Label, tuple[int, int]]
) -> ModelScores:
    """The figures of a fitted classifier and its rules.

    Parameters
    ----------
    rules : ExplanationSet
    found : HeldOutScores
    sizes : mapping of label to (int, int)
        Rows of each class that were trained on, and that were held out.
    """
    truth, network = found.truth, found.network
    n_train, n_held = map(sum, zip(*sizes.values(), strict=True))
    guess = max(sizes, key=lambda label: sizes[label][0])
    return ModelScores(
        classes=class_scores(rules, truth, network, {label: sum(both) for label, both in sizes.items()}),
        held_out=n_held > 0,
        n_train=n_train,
        n=truth.n_rows,
        network_accuracy=found.network_accuracy,
        rules_accuracy=truth.accuracy,
        guess_accuracy=sizes[guess][n_held > 0] / truth.n_rows,
        fidelity=float("nan") if network is None else network.accuracy,
        resolution=truth.resolution,
    )


def results_json(  # noqa: PLR0913 - the parts of a result
    rows: SelectedRows,
    rules: Sequence[Mapping[str, Any]],
    decision: Mapping[str, Any] | None,
    *,
    task: str,
    overall: Mapping[str, Any],
    settings: Mapping[str, Any],
    dropped: Sequence[Dropped],
    front: Sequence[Mapping[str, Any]] | None = None,
    cross_validation: Mapping[str, Any] | None = None,
) -> str:
    """The whole result as JSON text.

    Parameters
    ----------
    rows : SelectedRows
    rules : sequence of mappings
        As :func:`rule_entries` makes them.
    decision : mapping or None
        As :func:`decision_entries` makes it.
    task : {"classify", "black box", "cluster"}
    overall : mapping
        Figures about all rules together.
    settings : mapping
        What the command was asked for.
    dropped : sequence of Dropped
    front : sequence of mappings, optional
        As :func:`front_entries` makes it.
    cross_validation : mapping, optional
        Metric to mean and standard error.
    """
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
            "columns": list(rows.columns),
            "dropped": [each._asdict() for each in dropped],
            "notes": list(rows.notes),
        },
        "rules": list(rules),
        "decision": None if decision is None else dict(decision),
        "front": None if front is None else [*map(dict, front)],
        "overall": dict(overall),
        "cross_validation": None if cross_validation is None else dict(cross_validation),
        "settings": dict(settings),
        "versions": {
            "logiclens": logiclens.__version__,
            "python": platform.python_version(),
            **{name: version(name) for name in _PACKAGES},
        },
    }
    return json.dumps(_without_nan(entries), indent=2, allow_nan=False) + "\n"


def rule_entries(explanation: Explanation) -> dict[str, Any]:
    """A rule as logic, sentence and SQL."""
    return {
        "label": explanation.target,
        "kind": str(explanation.kind),
        "logic": explanation.rule.format("ascii"),
        "sentence": explanation.to_sentence(),
        "sql": explanation.to_sql(),
        "literals": explanation.complexity,
        "status": explanation.status,
    }


def decision_entries(rules: ExplanationSet) -> dict[str, Any] | None:
    """The list that decides, step by step; None where a row may have several labels."""
    from logiclens.explain.rule import formula_text

    if rules.multi_label:
        return None
    steps = [
        {
            "label": step.label,
            "logic": formula_text(step.formula, rules.vocabulary, "ascii"),
            "literals": step.literals,
        }
        for step in rules.steps
    ]
    return {
        "steps": steps,
        "default": rules.default,
        "literals": rules.literals,
        "sentence": rules.to_sentence(),
        "sql": rules.to_sql(),
    }


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
    return {
        **rule_entries(found.explanation),
        "n_all": found.n_all,
        "n": found.n,
        **rates,
        "accuracy": found.agreement,
        "fidelity": found.fidelity,
    }


def overall_entries(scores: ModelScores) -> dict[str, Any]:
    """Figures about all rules together."""
    return {
        "part": "held out" if scores.held_out else "training",
        "n_train": scores.n_train,
        "n": scores.n,
        "network_accuracy": scores.network_accuracy,
        "rules_accuracy": scores.rules_accuracy,
        "guess_accuracy": scores.guess_accuracy,
        "fidelity": scores.fidelity,
        "n_decided": {str(label): n for label, n in scores.resolution.by_label.items()},
        "n_uncovered": scores.resolution.n_uncovered,
    }


def _without_nan(value: Any) -> Any:
    """Replace NaN, which JSON does not know, by None."""
    if isinstance(value, dict):
        return {key: _without_nan(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_without_nan(entry) for entry in value]
    return None if isinstance(value, float) and isnan(value) else value
