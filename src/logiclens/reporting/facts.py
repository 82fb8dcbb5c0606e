"""What a report says, as plain values: everything the page shows, and nothing that it has to work out.

The page is drawn from one :class:`Facts`, and holds it as JSON, so that a program can read what a person
reads. All texts are plain: escaping them is the page's matter. Rates lie in [0, 1]; None is a figure that was
not measured or is not defined. Labels are texts, as ``str`` writes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from logiclens.reporting.rule_facts import ConceptFacts, Exports, InputFacts, Plain, Rate, RuleFacts, Tree


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
        them; ``classes_of`` says which.
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
    """How often each true label (a row of ``counts``) was predicted as each label (a column) by the rules."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Mistake:
    """A label that the rules took for another, and how often."""

    truth: str
    predicted: str
    n: int


@dataclass(frozen=True)
class OverallFacts:
    """How good all rules are together.

    Attributes
    ----------
    part : str
        The rows it was measured on: "rows held out", or "training rows" where scores of the fit are shown.
    n : int, optional
        How many there were.
    against : str
        What the rules are compared with: "the truth", "the black box", "the network", "the clusters", or an
        empty text where there is nothing.
    network_accuracy, rules_accuracy, black_box_accuracy : float, optional
        Share of the rows whose true label is predicted by the network, by the rules, by the black box.
    baseline : float, optional
        Share of the rows whose true label is the most common one: what saying it always would be worth.
    joint_fidelity : float, optional
        Share of the rows on which the rules together decide what the network decides, or the black box where
        that is explained.
    fidelity, fidelity_plain : float, optional
        Agreement of formulas with the network, or with the black box where that is explained: macro-F1 and
        plain, means over the targets; ``faithful_to`` says with which.
    explanation_accuracy, explanation_accuracy_plain : float, optional
        Agreement of formulas with the truth: macro-F1 and plain, means over the targets.
    complexity : float
        Literals of a rule, mean over the targets.
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
    network_accuracy: float | None
    rules_accuracy: float | None
    black_box_accuracy: float | None
    baseline: float | None
    joint_fidelity: float | None
    fidelity: float | None
    fidelity_plain: float | None
    explanation_accuracy: float | None
    explanation_accuracy_plain: float | None
    complexity: float
    n_uncovered: int | None
    confusion: Confusion | None
    mistakes: tuple[Mistake, ...]


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
    n : int, optional
        Rows that it decides.
    tree : Tree, optional
        Its formula; None where that is the rule's own.
    """

    label: str
    rule: int
    logic: str
    sentence: str
    literals: int
    n: int | None
    tree: Tree | None


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
    default : int, optional
        Place of the rule of the label that is decided where no step is true.
    default_logic, default_sentence : str
        The last line, where rules are printed as a list.
    n_default : int, optional
        Rows that the default decides.
    """

    literals: int
    chosen: bool
    accuracy: Rate
    fidelity: float | None
    steps: tuple[StepFacts, ...]
    default: int | None
    default_logic: str
    default_sentence: str
    n_default: int | None


@dataclass(frozen=True)
class PolicyFacts:
    """How the rules predict together: see :mod:`logiclens.explain.rule_set`.

    Attributes
    ----------
    steps : tuple of StepFacts
        The first that is true of a row decides.
    default : str, optional
        The answer where none is; None where a row may have several labels.
    multi_label : bool
    printed : bool
        Whether the rules are printed as that list.
    default_logic, default_sentence : str
        The last line of the list.
    n_default : int, optional
        Rows that the default decides.
    exports : Exports, optional
        The list for other programs.
    """

    steps: tuple[StepFacts, ...]
    default: str | None
    multi_label: bool
    printed: bool
    default_logic: str
    default_sentence: str
    n_default: int | None
    exports: Exports | None


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
    """What the rules say when looked at together, whatever the data are; None was too much work."""

    conflicts: tuple[ConflictFacts, ...] | None
    n_conflicts: int | None
    uncovered: UncoveredFacts | None
    covered: bool | None
    always: tuple[str, ...]
    never: tuple[str, ...]


@dataclass(frozen=True)
class RowFacts:
    """A row about which the rules are wrong; ``row`` is its number, counted from 1 or as the source says."""

    row: int
    values: Mapping[str, Plain]
    truth: str
    network: str | None
    rules: str
    mark: str


@dataclass(frozen=True)
class Provenance:
    """What an audit needs to repeat it."""

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

    ``lengths`` are the rules to choose from, from short to long, of all ``n_lengths``; ``lengths_on`` says on
    which rows they were scored. ``left_out`` says in a sentence what is not listed so that the page stays
    small; mostly it is empty.
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
    n_lengths: int
    lengths_on: str
    check: CheckFacts
    rows: tuple[RowFacts, ...] | None
    n_rows_left_out: int
    left_out: str
    provenance: Provenance

    def to_json(self) -> str:
        r"""JSON text that can stand inside a script of HTML: ``<``, ``>`` and ``&`` are escapes in it."""
        text = json.dumps(asdict(self), allow_nan=False, separators=(",", ":"))
        for sign in "<>&":  # they occur in strings only, where an escape means the same
            text = text.replace(sign, f"\\u{ord(sign):04x}")
        return text
