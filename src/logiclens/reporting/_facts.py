"""The facts of a report, as plain values: everything the page shows, and nothing that it has to work out.

The page is drawn from one :class:`Facts`, and holds it as JSON, so that a program can read what a person
reads. All texts are plain: escaping them is the page's matter. Rates lie in [0, 1]; None is a figure that was
not measured or is not defined. Labels are texts, as ``str`` writes them.

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

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any, TypeAlias

import numpy as np

from logiclens.evaluation import LabelScores
from logiclens.metrics.agreement import Interval

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
    """A share with its interval; the ends are None where the number of rows is not known."""

    value: float | None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, share: float, interval: Interval) -> Rate:
        """A share with its interval of 95 %; of nothing, no share.

        Examples
        --------
        >>> Rate.of(0.75, (0.30064, 0.95442))
        Rate(value=0.75, low=0.3006, high=0.9544)
        """
        return NO_RATE if isnan(share) else cls(share, *(round(end, 4) for end in interval))

    @classmethod
    def among(cls, scores: LabelScores, name: str) -> Rate:
        """One of the rates of a rule."""
        return cls.of(getattr(scores.rates, name), getattr(scores.rates, f"{name}_interval"))


NO_RATE = Rate(None)


@dataclass(frozen=True)
class Exports:
    """A rule for other programs; None where a language cannot carry its names."""

    sql: str | None
    python: str | None
    latex: str | None


@dataclass(frozen=True, kw_only=True)
class RuleScoreFacts:
    """The scores of one rule.

    ``accuracy`` is its agreement with the truth, ``fidelity`` that with the model it explains: each as the
    paper's macro-F1, which the scores of a fit lack, and plain, as the share of rows.
    """

    n: int | None = None
    literals: int
    precision: Rate = NO_RATE
    recall: Rate = NO_RATE
    coverage: Rate = NO_RATE
    accuracy: float | None = None
    fidelity: float | None = None
    accuracy_plain: float | None = None
    fidelity_plain: float | None = None


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
    """Rows that a rule is wrong about, alike in its concepts.

    Attributes
    ----------
    what : str
        The rule's own concepts of them, in English.
    kind : {"false alarm", "missed"}
        The formula is true of rows that are not the target, or false of rows that are.
    n : int
        How many.
    of : int
        Among how many rows with the same concepts.
    """

    what: str
    kind: str
    n: int
    of: int


@dataclass(frozen=True)
class Breaks:
    """The rows that break a rule.

    Attributes
    ----------
    against : str
        As in :class:`OverallFacts`.
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
    """The relevance of a concept to the network, 1 for the most relevant one."""

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
    """A concept, as a test of an input: ``column`` is a place in the inputs.

    ``returns`` is the share of the resamples in which the condition returns, where rules were resampled.
    """

    name: str
    words: str
    words_not: str
    column: int
    test: Mapping[str, Any]
    or_missing: bool
    returns: float | None = None


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
    levels: tuple[Plain, ...] = ()
    cuts: tuple[float, ...] = ()
    low: float | None = None
    high: float | None = None
    whole: bool = False
    start: Plain = None
    optional: bool = False


@dataclass(frozen=True)
class ClassFacts:
    """One class: its label, how many rows it has, and their share."""

    label: str
    n: int
    share: float


@dataclass(frozen=True)
class ColumnFacts:
    """One column of the data: what it holds (``number``, ``flag``, ``category`` or ``score``)."""

    name: str
    kind: str
    missing_share: float | None
    used: bool
    note: str = ""


@dataclass(frozen=True)
class DroppedFacts:
    """A column that has no part in the rules, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class DataFacts:
    """The data at a glance.

    Attributes
    ----------
    name : str
        Of the file; empty where there is none.
    n_rows, n_train, n_held_out : int, optional
    n_columns, n_concepts : int
    sha256 : str, optional
        Of the file.
    classes : tuple of ClassFacts
        Of the rows held out where their truth is known, else of the training rows as the network answers
        them: see ``classes_of``.
    columns : tuple of ColumnFacts
        Columns that rules use come first; ``n_columns_left_out`` says how many are not listed.
    dropped : tuple of DroppedFacts
        ``n_dropped_left_out`` says how many are not listed.
    notes : tuple of str
        What there is to know of how the file was read; ``n_notes_left_out`` says how many are not listed.
    """

    name: str
    n_rows: int | None
    n_train: int | None
    n_held_out: int | None
    n_columns: int
    n_concepts: int
    sha256: str | None
    classes: tuple[ClassFacts, ...]
    classes_of: str
    columns: tuple[ColumnFacts, ...]
    n_columns_left_out: int
    dropped: tuple[DroppedFacts, ...]
    n_dropped_left_out: int
    notes: tuple[str, ...]
    n_notes_left_out: int


@dataclass(frozen=True)
class Confusion:
    """Counts of rows by true label (a row of ``counts``) and by the label of the rules (a column)."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Mistake:
    """A label that the rules took for another, and how often."""

    truth: str
    predicted: str
    n: int


@dataclass(frozen=True, kw_only=True)
class OverallFacts:
    """The scores of all rules together.

    Attributes
    ----------
    part : str
        The rows it was measured on: "rows held out", or "training rows" where scores of the fit are shown.
    n : int, optional
        How many there were.
    n_truth : int, optional
        How many of them have a true label that is known.
    lead : LeadFacts, optional
        Of the rules over always predicting the most common class.
    network_lead : LeadFacts, optional
        Of the network over the rules.
    answer_lead : LeadFacts, optional
        Of a black box: of the rules over always giving its most common answer, where its answers are right.
    against : str
        What the rules are compared with: "the truth", "the black box", "the network", "the clusters", or an
        empty text where there is nothing.
    network_accuracy, rules_accuracy, black_box_accuracy : float, optional
        Share of the rows whose true label is predicted by the network, by the rules, by the black box.
    baseline : float, optional
        Share of the rows whose true label is the most common one of the training rows, or of these rows where
        those are not known: what saying it always would be worth.
    joint_fidelity : float, optional
        Share of the rows on which the rules together decide what the network decides, or the black box where
        that is explained.
    fidelity, fidelity_plain : float, optional
        Agreement of formulas with the network, or with the black box where that is explained: macro-F1 and
        plain, means over the targets; ``faithful_to`` says with which.
    explanation_accuracy, explanation_accuracy_plain : float, optional
        Agreement of formulas with the truth: macro-F1 and plain, means over the targets.
    longer : str
        What longer rules would gain, in words; empty where that is not known.
    literals : float
        Literals of a rule as written, mean over the targets.
    n_uncovered : int, optional
        Rows that the default decides; where a row may have several labels, those of which no rule is true.
    confusion : Confusion, optional
        Where labels are not too many.
    mistakes : tuple of Mistake
        The most frequent ones.
    """

    part: str
    n: int | None
    against: str
    faithful_to: str
    n_truth: int | None = None
    network_accuracy: float | None = None
    rules_accuracy: float | None = None
    black_box_accuracy: float | None = None
    baseline: float | None = None
    lead: LeadFacts | None = None
    network_lead: LeadFacts | None = None
    answer_lead: LeadFacts | None = None
    longer: str = ""
    joint_fidelity: float | None = None
    fidelity: float | None = None
    fidelity_plain: float | None = None
    explanation_accuracy: float | None = None
    explanation_accuracy_plain: float | None = None
    literals: float
    n_uncovered: int | None = None
    confusion: Confusion | None = None
    mistakes: tuple[Mistake, ...] = ()


@dataclass(frozen=True)
class StepFacts:
    """One step of the list that decides.

    Attributes
    ----------
    label : str
    rule : int
        Place of the rule of that label.
    logic, sentence : str
        Its line of the list; empty where the list is not printed, or the page has to be small.
    literals : int
    n, n_right : int, optional
        Rows that it decides, and those of them on which it is right.
    precision : Rate
        Share of the rows that it decides on which it is right.
    tree : Tree, optional
        Its formula; None where that is the rule's own, and of a default.
    """

    label: str
    rule: int
    logic: str
    sentence: str
    literals: int
    n: int | None
    n_right: int | None = None
    precision: Rate = NO_RATE
    tree: Tree | None = None


@dataclass(frozen=True)
class LengthFacts:
    """Rules of one length.

    Attributes
    ----------
    literals : int
    chosen : bool
        Whether they are the report's.
    accuracy : Rate
        Share of the rows whose true label they predict, or all of whose true labels.
    fidelity : float, optional
        Share of the rows on which they decide what the network decides, or the black box or the clusters.
    steps : tuple of StepFacts
        The list; where a row may have several labels, the rules that are not never true.
    default : StepFacts, optional
        The last line: what is decided where no step is true.
    """

    literals: int
    chosen: bool
    accuracy: Rate
    fidelity: float | None
    steps: tuple[StepFacts, ...]
    default: StepFacts | None


@dataclass(frozen=True)
class CurvePoint:
    """How good rules of one length are; of more lengths than are listed with their rules."""

    literals: int
    accuracy: Rate
    fidelity: float | None


@dataclass(frozen=True)
class PolicyFacts:
    """The decision of all rules together: see :mod:`logiclens.explain.rule_set`.

    Attributes
    ----------
    steps : tuple of StepFacts
        The first that is true of a row decides.
    default : StepFacts, optional
        The last line: the answer where none is; None where a row may have several labels.
    multi_label : bool
    printed : bool
        Whether the rules are printed as that list.
    exports : Exports, optional
        The list for other programs.
    """

    steps: tuple[StepFacts, ...]
    default: StepFacts | None
    multi_label: bool
    printed: bool
    exports: Exports | None


@dataclass(frozen=True)
class ModelFacts:
    """One way to answer the rows, and the share of them on which it is right."""

    name: str
    title: str
    accuracy: Rate


@dataclass(frozen=True)
class LeadFacts:
    """How far rules are ahead of always predicting the most common class, or the network is ahead of them.

    A paired test of the rows of the report, if they were held out, and where it is ``cross_fitted`` of those
    of the fit, as answered by rules found without them. The lead is ``claimed`` where it is more than chance.
    """

    size: float
    low: float
    high: float
    p_value: float
    claimed: bool
    cross_fitted: bool


@dataclass(frozen=True)
class StabilityFacts:
    """What rules of resamples have in common with those that are shown; see ``returns`` of the concepts."""

    n_resamples: int
    agreement: float


@dataclass(frozen=True)
class GroupFacts:
    """Rows with one value of a column, or in one range of it; tuples have a number for each class.

    Attributes
    ----------
    name : str
    n, n_right : int
        Rows, and those of them on which the rules are right.
    of, predicted, hits : tuple of int
        Rows that are of each class, that are predicted to be, and that are rightly predicted to be.
    alike : float
        How many of the rows say the same at most, on average, where rows are copies or, say, of one patient:
        an interval is as wide as if there were so many times fewer.
    """

    name: str
    n: int
    n_right: int
    of: tuple[int, ...]
    predicted: tuple[int, ...]
    hits: tuple[int, ...]
    alike: float = 1.0


@dataclass(frozen=True)
class GroupedFacts:
    """Rows by the values of a column; ``n_left_out`` are in groups of too few rows to be shown.

    ``alike`` is that of :class:`GroupFacts`, of all groups together.
    """

    column: str
    groups: tuple[GroupFacts, ...]
    n_left_out: int
    alike: float = 1.0


@dataclass(frozen=True)
class ConflictFacts:
    """Two labels whose rules can both be true, with an example in words."""

    labels: tuple[str, str]
    example: str


@dataclass(frozen=True)
class UncoveredFacts:
    """Rows of which no rule is true: which they are, and an example, in words."""

    text: str
    example: str


@dataclass(frozen=True)
class CheckFacts:
    """Findings about the rules together, whatever the data are; None was too much work.

    Of a list, ``dead`` are the steps that never decide, and ``never`` the classes that are never predicted;
    otherwise ``dead`` is None, and ``never`` are the rules that are never true.
    """

    conflicts: tuple[ConflictFacts, ...] | None
    n_conflicts: int | None
    uncovered: UncoveredFacts | None
    covered: bool | None
    always: tuple[str, ...]
    never: tuple[str, ...]
    dead: tuple[str, ...] | None = None


@dataclass(frozen=True)
class RowFacts:
    """A row about which the rules are wrong; ``row`` is its number, counted from 1 or as in the source."""

    row: int
    values: Mapping[str, Plain]
    truth: str
    network: str | None
    rules: str
    mark: str


@dataclass(frozen=True)
class Provenance:
    """All that an audit needs to repeat it."""

    version: str
    created: str
    seed: int | None
    network: str
    settings: Mapping[str, Plain]
    data_sha256: str | None
    rules_sha256: str
    python: str
    packages: Mapping[str, str]
    command: str | None


@dataclass(frozen=True)
class Facts:
    """Everything the page shows; the keys of its JSON are the names of these fields.

    ``lengths`` are the rules to choose from, from short to long, of all ``n_lengths``, and ``curve`` says how
    good these and those between them are; ``lengths_on`` says on which rows they were scored. ``compared``
    are ways to answer the same rows: the rules, the network, and whatever else was tried. ``grouped`` are the
    rows by each column of few values. ``left_out`` says in a sentence what is not listed so that the page
    stays small; mostly it is empty.
    """

    title: str
    question: str
    target: str
    task: str
    kind: str
    kind_words: str
    data: DataFacts
    overall: OverallFacts
    rules: tuple[RuleFacts, ...]
    concepts: tuple[ConceptFacts, ...]
    inputs: tuple[InputFacts, ...]
    policy: PolicyFacts
    lengths: tuple[LengthFacts, ...]
    curve: tuple[CurvePoint, ...]
    n_lengths: int
    lengths_on: str
    check: CheckFacts
    rows: tuple[RowFacts, ...] | None
    n_rows_left_out: int
    left_out: str
    provenance: Provenance
    compared: tuple[ModelFacts, ...]
    stability: StabilityFacts | None
    grouped: tuple[GroupedFacts, ...]
    n_grouped_left_out: int

    def to_json(self) -> str:
        r"""JSON text that can stand inside a script of HTML: ``<``, ``>`` and ``&`` are escapes in it."""
        text = json.dumps(asdict(self), allow_nan=False, separators=(",", ":"))
        for sign in "<>&":  # they occur in strings only, where an escape means the same
            text = text.replace(sign, f"\\u{ord(sign):04x}")
        return text
