"""What a report is about: rules, where there is one the model that they were made of, and labeled rows.

Rules alone need neither torch nor scikit-learn. A model adds the predictions of its network, how much each
concept matters to it, and the settings that an audit needs.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.errors import InputError, shown
from logiclens.evaluation._evaluate import (
    BLACK_BOX as THE_BLACK_BOX,
)
from logiclens.evaluation._evaluate import (
    CLUSTERS,
    NETWORK,
    LabeledRows,
    ModelFunctions,
    RowLabels,
    read_rows,
    with_truth,
)
from logiclens.explain.explanation import check_text
from logiclens.explain.front import Front
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.data import check_count
from logiclens.logic.formula import Formula
from logiclens.reporting._facts import Plain, Provenance

CLASSIFY, BLACK_BOX, CLUSTER = "classify", "black box", "cluster"
TASKS = (CLASSIFY, BLACK_BOX, CLUSTER)
"""The tasks of rules."""


def question_of(task: str, target: str | None) -> str:
    """What rules answer, at the head of the report and of what a command prints.

    Examples
    --------
    >>> question_of(CLASSIFY, "risk")
    'What decides risk?'
    >>> question_of(BLACK_BOX, "score")
    'What does the model behind score do?'
    """
    if task == CLUSTER:
        return "Which groups are there?"
    if task == BLACK_BOX:
        return f"What does the model behind {target} do?" if target else "What does the black box do?"
    return f"What decides {target or 'the class'}?"


PACKAGES = ("narwhals", "numpy", "pyarrow", "scikit-learn", "scipy", "torch")
"""Packages that results depend on."""


@dataclass(frozen=True, eq=False)
class Subject:
    """Rules, and what is known of the model that they were made of."""

    rules: ExplanationSet
    task: str = CLASSIFY
    model: str = ""
    """The name of the model; empty for rules alone."""
    network: ModelFunctions | None = None
    front: Front | None = None
    """Rules of every length, :attr:`rules` among them."""
    black_box: Callable[[Any], NDArray[Any]] | None = None
    """Predicts the labels of the black box that is explained."""
    relevance: FloatArray | None = None  # (n_labels, n_concepts)
    encoder: Any = None
    """The encoder that made the concepts, where it is still there."""
    imitation: Any = None
    """The fidelity to a black box when the model was fitted."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    part: str = "rows held out"
    """The name of the rows that rules are measured on."""


def subject_of(model: Any) -> Subject:
    """Read a fitted classifier, black-box explainer or clusterer, or rules alone, of one length or more.

    Raises
    ------
    InputError
        It is none of them.

    Examples
    --------
    >>> from logiclens.explain import Explanation, Rule
    >>> from logiclens.logic import Var
    >>> subject_of(ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings"])).task
    'classify'
    """
    if isinstance(model, ExplanationSet):
        kinds = {str(explanation.kind) for explanation in model.values()}
        return Subject(model, CLUSTER if kinds == {"cluster"} else CLASSIFY)
    if isinstance(model, Front):
        return replace(subject_of(model.rules()), front=model)
    from logiclens.estimators.base import LENClassifier

    if isinstance(model, LENClassifier):
        return _of_classifier(model)
    from logiclens.estimators.clusterer import LENClusterer

    if isinstance(model, LENClusterer):
        return _of_clusterer(model)
    from logiclens.pipelines.black_box import BlackBoxExplainer

    if isinstance(model, BlackBoxExplainer):
        return _of_black_box(model)
    raise InputError(
        "A report is about a fitted classifier, BlackBoxExplainer or LENClusterer, or about their rules. "
        f"Got {shown(model)}; for other models pass what their explain() returns."
    )


def _of_classifier(model: Any, task: str = CLASSIFY) -> Subject:
    rules = model.explain()
    relevance = model.concept_relevance_
    if len(relevance) == 1:  # one output for two classes: what matters to one matters to the other
        relevance = np.repeat(relevance, len(rules), axis=0)

    def answer(x: FloatArray) -> tuple[BoolArray, IndexArray]:
        from logiclens.estimators.inputs_and_targets import decisions, predicted_index
        from logiclens.estimators.networks import predict_logits

        logits = predict_logits(model.network_, x)
        return decisions(logits, model.problem_), predicted_index(logits, model.problem_)

    return Subject(
        rules,
        task,
        type(model).__name__,
        ModelFunctions(model._rows, answer),
        front=model.front_,
        relevance=relevance,
        encoder=model.encoder_,
        settings=model.get_params(deep=False),
        seed=_seed(model.random_state),
    )


def _of_clusterer(model: Any) -> Subject:
    rules = model.explain()

    def answer(clusters: FloatArray) -> tuple[BoolArray, IndexArray]:
        predicted = clusters == np.array(rules.labels)
        return predicted, predicted.argmax(axis=1)

    return Subject(
        rules,
        CLUSTER,
        type(model).__name__,
        ModelFunctions(lambda X: model.predict(X)[:, None], answer, of_concepts=False),
        front=getattr(model, "front_", None),
        encoder=model.encoder_,
        settings=model.get_params(deep=False),
        seed=_seed(model.random_state),
        part="rows given",  # clusters are mostly looked at on the rows that they were made of
    )


def _of_black_box(model: Any) -> Subject:
    model.explain()  # one that is not fitted says so
    fitted = _of_classifier(model.estimator_, BLACK_BOX)
    mine = {name: value for name, value in model.get_params(deep=False).items() if name != "estimator"}
    return replace(
        fitted,
        # Rows of a table of its own mean nothing to the black box.
        black_box=None if model._own_table else model.ask,
        imitation=model.fidelity_,
        settings={**mine, **fitted.settings},
        seed=_seed(model.random_state) if model.random_state is not None else fitted.seed,
    )


def _seed(random_state: Any) -> int | None:
    """The seed, where it is a number that can be passed again."""
    return int(random_state) if isinstance(random_state, int | np.integer) else None


def label_rows(subject: Subject, X: Any, y: Any = None, formulas: Iterable[Formula] = ()) -> LabeledRows:
    """Read rows once, with truth and predictions.

    Raises
    ------
    InputError
        There are no rows, or ``y`` does not fit them.
    """
    clusters = subject.task == CLUSTER
    if y is not None and clusters:
        raise InputError("Clusters have no truth to be compared with. Leave y out.")
    by = CLUSTERS if clusters else NETWORK
    rows = read_rows(subject.rules, X, formulas, subject.network, by)
    if y is not None:
        rows = with_truth(rows, y)
    if subject.black_box is not None:
        answers = RowLabels.of(THE_BLACK_BOX, np.asarray(subject.black_box(X)), subject.rules.labels)
        return replace(rows, black_box=answers)
    return rows.with_black_box() if subject.task == BLACK_BOX else rows


@dataclass(frozen=True)
class Source:
    """Where data come from, as far as the report cannot see it for itself.

    Attributes
    ----------
    name : str
        Of the file.
    command : str, optional
        What makes the report again.
    n_train : int, optional
        Rows that the model was fitted on.
    data_sha256 : str, optional
        Of the file.
    dropped : mapping of str to str
        Columns that were left out before the model saw the data, and why.
    task : {"classify", "black box", "cluster"}, optional
        What the rules are for, where the model does not show it: a classifier may have learned the answers
        of a black box.
    held_out : bool, optional
        Whether the rows that are passed are others than those of the fit; False for the rows of the fit
        themselves. When missing they count as held out, but for clusters.
    row_numbers : sequence of int, optional
        What each row that is passed is called where rows are shown, such as its place in the file, counted
        from 1. When missing, rows are counted as they are passed.
    notes : sequence of str
        What there is to know of how the file was read: a decimal comma, values that were no numbers.

    Examples
    --------
    >>> Source("patients.csv", n_train=750, dropped={"patient": "left out by --ignore"}).n_train
    750
    """

    name: str = ""
    command: str | None = None
    n_train: int | None = None
    data_sha256: str | None = None
    dropped: Mapping[str, str] = field(default_factory=dict, hash=False)
    task: str | None = None
    held_out: bool | None = None
    row_numbers: Sequence[int] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_text(self.name, "name")
        for name in ("command", "data_sha256"):
            if getattr(self, name) is not None:
                check_text(getattr(self, name), name)
        if self.n_train is not None:
            check_count(self.n_train, "n_train")
        if not isinstance(self.dropped, Mapping):
            raise InputError(
                f"dropped must be a mapping from columns to reasons. Got {shown(self.dropped)}; "
                "write {'patient': 'an identifier'}."
            )
        if self.task is not None and self.task not in TASKS:
            raise InputError(f"task must be 'classify', 'black box' or 'cluster'. Got {shown(self.task)}.")
        if not (self.held_out is None or isinstance(self.held_out, bool)):
            raise InputError(f"held_out must be True, False or None. Got {shown(self.held_out)}.")
        if self.row_numbers is not None:
            object.__setattr__(self, "row_numbers", _as_row_numbers(self.row_numbers))
        object.__setattr__(self, "notes", _as_notes(self.notes))


def _as_row_numbers(given: Sequence[int]) -> tuple[int, ...]:
    numbers: list[Any] = [*given] if isinstance(given, list | tuple | range | np.ndarray) else [None]
    if not all(isinstance(number, int | np.integer) for number in numbers):
        raise InputError(
            f"row_numbers must be a whole number for each row. Got {shown(given)}; write [3, 7, 8]."
        )
    return tuple(int(number) for number in numbers)


def _as_notes(given: Sequence[str]) -> tuple[str, ...]:
    notes = [*given] if isinstance(given, list | tuple) else [None]
    if not all(isinstance(note, str) for note in notes):
        raise InputError(
            f"notes must be a sequence of strings. Got {shown(given)}; write ['Decimal commas were read.']."
        )
    return tuple(map(str, notes))


def provenance_of(subject: Subject, source: Source) -> Provenance:
    """All that an audit needs to repeat it.

    Raises
    ------
    InputError
        ``SOURCE_DATE_EPOCH`` is set, and no number of seconds.
    """
    return Provenance(
        version=_version("logiclens") or "",
        created=created(),
        seed=subject.seed,
        network=subject.model,
        settings=plain_settings(subject.settings),
        data_sha256=source.data_sha256,
        rules_sha256=hashlib.sha256(subject.rules.to_json().encode()).hexdigest(),
        python=platform.python_version(),
        packages={name: found for name in PACKAGES if (found := _version(name))},
        command=source.command,
    )


def created() -> str:
    """The time, in UTC, to the second."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.now(UTC).isoformat(timespec="seconds")
    try:
        return datetime.fromtimestamp(int(epoch), UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        raise InputError(
            f"SOURCE_DATE_EPOCH must be a whole number of seconds since 1970. Got {shown(epoch)}."
        ) from None


def plain_settings(settings: Mapping[str, Any]) -> dict[str, Plain]:
    """Settings as JSON knows them: what is neither a number nor a word, as it would be written.

    Examples
    --------
    >>> plain_settings({"l1": (0.1, 0.2), "verbose": False, "model": object})
    {'l1': '(0.1, 0.2)', 'verbose': False, 'model': 'type'}
    """
    return {name: _setting(value) for name, value in settings.items()}


def _setting(value: Any) -> Plain:
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, tuple | list | dict) or hasattr(value, "get_params"):
        text = " ".join(repr(value).split())
        return text if len(text) <= 200 else f"{text[:199]}…"
    return type(value).__name__  # the text of others may hold an address, which would differ each time


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
