"""What a report says of each rule, and what it takes to evaluate rules in the page.

Formulas are trees of plain objects, which the page evaluates::

    {"op": "true"}, {"op": "false"}, {"op": "var", "concept": 3}, {"op": "not", "arg": tree},
    {"op": "and", "args": [tree, ...]}, {"op": "or", "args": [tree, ...]}

where ``concept`` is a place in the facts' concepts. The tests of concepts are those of
:mod:`logiclens.concepts.concept`::

    {"kind": "above", "cut": c}                value > c
    {"kind": "at_most", "cut": c}              value <= c
    {"kind": "between", "low": a, "high": b}   a < value <= b
    {"kind": "one_of", "values": [...]}        value is one of them; 1 and "1" differ
    {"kind": "flag"}                           value > 0.5, of a Boolean: it is true
    {"kind": "missing"}                        there is no value
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

Tree: TypeAlias = Mapping[str, Any]
"""A formula, as the page evaluates it; see the module's description."""
Plain: TypeAlias = str | int | float | bool | None
"""A value that JSON knows."""


def plain_value(value: Any) -> Plain:
    """A cell of a table as JSON knows it; what it does not know, as text.

    Examples
    --------
    >>> plain_value(np.int64(3)), plain_value("red")
    (3, 'red')
    """
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


@dataclass(frozen=True)
class Rate:
    """A share with its interval; the ends are None where there is no number of rows to say."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Exports:
    """A rule for other programs; None where a language cannot carry its names."""

    sql: str | None
    python: str | None
    latex: str | None


@dataclass(frozen=True)
class RuleScoreFacts:
    """How good one rule is.

    ``accuracy`` is its agreement with the truth, ``fidelity`` that with the model it explains: each as the
    paper's macro-F1, which the scores of a fit lack, and plain, as the share of rows.
    """

    n: int | None
    literals: int
    precision: Rate
    recall: Rate
    coverage: Rate
    accuracy: float | None
    fidelity: float | None
    accuracy_plain: float | None
    fidelity_plain: float | None


@dataclass(frozen=True)
class TermFacts:
    """One term of a rule in DNF: enough by itself to make the formula true."""

    logic: str
    sentence: str
    tree: Tree
    n: int | None
    coverage: Rate
    precision: Rate


@dataclass(frozen=True)
class BreakPattern:
    """Rows that a rule is wrong about and that it cannot tell apart.

    Attributes
    ----------
    what : str
        What the rule's own concepts say of them, in English.
    kind : {"false alarm", "missed"}
        The formula is true of rows that are not the target, or false of rows that are.
    n : int
        How many.
    of : int
        Among how many rows of which the concepts say the same.
    """

    what: str
    kind: str
    n: int
    of: int


@dataclass(frozen=True)
class Breaks:
    """Which rows break a rule.

    Attributes
    ----------
    against : str
        As in :class:`~logiclens.reporting.facts.OverallFacts`.
    kinds : tuple of str
        Kinds that break the rule as it is stated: a necessary condition promises nothing about false alarms,
        a sufficient one nothing about rows missed.
    n_false_alarms, n_missed : int, optional
    patterns : tuple of BreakPattern
        The heaviest few of each kind that breaks the rule; ``n_patterns`` is the number of all.
    """

    against: str
    kinds: tuple[str, ...]
    n_false_alarms: int | None
    n_missed: int | None
    patterns: tuple[BreakPattern, ...]
    n_patterns: int


@dataclass(frozen=True)
class RelevanceFacts:
    """How much a concept matters to the network, the most relevant one 1."""

    concept: str
    value: float


@dataclass(frozen=True)
class RuleFacts:
    """One rule: how it reads, how good it is, and who breaks it."""

    label: str
    logic: str
    logic_ascii: str
    sentence: str
    status: str
    support: float
    tree: Tree
    exports: Exports
    scores: RuleScoreFacts
    terms: tuple[TermFacts, ...]
    n_terms: int
    breaks: Breaks
    relevance: tuple[RelevanceFacts, ...]


@dataclass(frozen=True)
class ConceptFacts:
    """A concept, as a test of an input: ``column`` is a place in the inputs."""

    name: str
    words: str
    words_not: str
    column: int
    test: Mapping[str, Any]
    or_missing: bool


@dataclass(frozen=True)
class InputFacts:
    """Something a reader can set in the page: a column that some formula uses.

    Attributes
    ----------
    name : str
    kind : {"number", "flag", "category", "score"}
    levels : tuple
        Of a category: the values that concepts name, and after them the most common one.
    cuts : tuple of float
        The cut points that concepts have, of a number.
    low, high : float, optional
        A rounded range, which holds the cut points.
    whole : bool
        Whether the numbers are whole ones.
    start : value, optional
        Typical: a rounded median, or the most common value; None is any value that is none of the levels.
    optional : bool
        Whether a value may be missing.
    """

    name: str
    kind: str
    levels: tuple[Plain, ...]
    cuts: tuple[float, ...]
    low: float | None
    high: float | None
    whole: bool
    start: Plain
    optional: bool
