"""Results as JSON, for programs; the form is described in docs/how-to/use_the_command.md, and has a version.

Rates are numbers in [0, 1]; one that is not defined, such as the precision of a rule that is never true, is
null.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from math import isnan
from typing import Any, Protocol

import logiclens
from logiclens.cli.outcome import ClassOutcome, Outcome
from logiclens.cli.preparing import Dropped
from logiclens.explain import Explanation, ExplanationSet
from logiclens.explain.front import Front
from logiclens.explain.rule import formula_text

FORMAT = "logiclens.results"
VERSION = 3
_PACKAGES = ("numpy", "scikit-learn", "torch")


class Described(Protocol):
    """What is told of a table, be its rows at hand or in an engine."""

    @property
    def name(self) -> str:
        """What the file is called."""

    @property
    def sha256(self) -> str | None:
        """Checksum of the file."""

    @property
    def target(self) -> str | None:
        """The column that is explained."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns that are used."""

    @property
    def n_read(self) -> int:
        """Rows of the table."""

    @property
    def n_used(self) -> int:
        """Rows of it that are used."""

    @property
    def notes(self) -> Sequence[str]:
        """What a person should know."""


def results_json(  # noqa: PLR0913 - the parts of a result
    prepared: Described,
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
    prepared : Described
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
        "target": prepared.target,
        "data": {
            "name": prepared.name,
            "sha256": prepared.sha256,
            "n_rows": prepared.n_read,
            "n_used": prepared.n_used,
            "columns": list(prepared.columns),
            "dropped": [each._asdict() for each in dropped],
            "notes": list(prepared.notes),
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
    return json.dumps(_defined(entries), indent=2, allow_nan=False) + "\n"


def rule_entries(explanation: Explanation) -> dict[str, Any]:
    """A rule in the forms that programs and people read."""
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
    """The lengths that rules may have, each with its rates on rows left out in turn."""
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


def class_entries(found: ClassOutcome) -> dict[str, Any]:
    """A rule of a class, with its figures."""
    scores = found.scores
    rates = {
        name: {
            "value": getattr(scores, name),
            "low": getattr(scores, f"{name}_interval")[0],
            "high": getattr(scores, f"{name}_interval")[1],
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


def overall_entries(outcome: Outcome) -> dict[str, Any]:
    """Figures about all rules together."""
    return {
        "part": "held out" if outcome.held_out else "training",
        "n_train": outcome.n_train,
        "n": outcome.n,
        "network_accuracy": outcome.network_accuracy,
        "rules_accuracy": outcome.rules_accuracy,
        "guess_accuracy": outcome.guess_accuracy,
        "fidelity": outcome.fidelity,
        "n_decided": {str(label): n for label, n in outcome.resolution.by_label.items()},
        "n_uncovered": outcome.resolution.n_uncovered,
    }


def _defined(value: Any) -> Any:
    """The same without NaN, which JSON does not know."""
    if isinstance(value, dict):
        return {key: _defined(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_defined(entry) for entry in value]
    return None if isinstance(value, float) and isnan(value) else value
