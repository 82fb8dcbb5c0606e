"""From a model and rows to everything a report says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from logiclens.errors import InputError, shown
from logiclens.explain.explanation import check_text
from logiclens.explain.rule import RuleKind
from logiclens.logic.formula import MAX_DEPTH, Formula, check_writable
from logiclens.reporting.checks import check_facts
from logiclens.reporting.columns import Source, data_facts
from logiclens.reporting.detail import DETAILS, FULL, Detail
from logiclens.reporting.facts import Facts
from logiclens.reporting.inputs import concepts_and_inputs, used_concepts
from logiclens.reporting.lengths import LEFT_OUT, lengths_facts, shown_points
from logiclens.reporting.measured import Measured, measure
from logiclens.reporting.overall import overall_facts
from logiclens.reporting.policy import policy_facts
from logiclens.reporting.provenance import provenance_of
from logiclens.reporting.rows import row_facts
from logiclens.reporting.rules import rules_facts
from logiclens.reporting.subject import CLUSTER, Subject, subject_of

MOST_CHARACTERS = 800_000
"""Characters of the facts as JSON beyond which less is listed; fewer where many rules fill the page."""
_FEWEST_CHARACTERS = 300_000
_FEW_RULES, _RULE_CHARACTERS = 40, 500  # what each rule beyond the few takes from them
_LESS = "To keep the page small, shorter lists are shown of each rule."
_LEAST = (
    "To keep the page small, shorter lists are shown of each rule, and no SQL, Python or LaTeX: "
    "logiclens export writes them."
)
_KIND_WORDS = {
    RuleKind.IFF: "if and only if: a necessary and sufficient condition",
    RuleKind.IF: "a necessary condition: every row of the class is said to satisfy it",
    RuleKind.ONLY_IF: "a sufficient condition: every row that satisfies it is said to be of the class",
    RuleKind.CLUSTER: "a necessary condition: every row of the cluster is said to satisfy it",
}


def gather_facts(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    title: str | None = None,
    target: str | None = None,
    rows: bool = False,
    source: Source | None = None,
) -> Facts:
    """Everything a report says; the parameters are those of :func:`~logiclens.reporting.report`.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet([Explanation(Rule("bird", Var("wings")))], ["wings", "fins"])
    >>> facts = gather_facts(rules, [[1, 0], [0, 1]], ["bird", "bird"], target="animal")
    >>> facts.question, facts.rules[0].scores.precision.value, facts.rules[0].breaks.n_missed
    ('What decides animal?', 1.0, 1)
    """
    subject = subject_of(model)
    source = _checked(source, title, target)
    if not isinstance(rows, bool | np.bool_):
        raise InputError(f"rows must be True or False. Got {shown(rows)}.")
    if X is None and y is not None:
        raise InputError("y is the truth about rows. Pass the rows as X, too.")
    if source.task is not None:
        subject = replace(subject, task=source.task)
    if source.held_out is not None:
        subject = replace(subject, part="rows held out" if source.held_out else "training rows")
    for explanation in subject.rules.values():
        check_writable(explanation.formula, MAX_DEPTH)
    shown_at = shown_points(subject.front, FULL.literals)
    measured = None if X is None else measure(subject, X, y, _formulas(subject, shown_at))
    if target is None:
        named = getattr(y, "name", None)
        target = named if isinstance(named, str) and named else None
    what = target or ("the cluster" if subject.task == CLUSTER else "the class")
    facts = _facts(subject, source, shown_at, measured, (title or f"What decides {what}?", what))
    if rows:
        listed, more = row_facts(measured, facts.inputs, source.row_numbers)
        facts = replace(facts, rows=listed, n_rows_left_out=more)
    less = 0
    most = MOST_CHARACTERS - _RULE_CHARACTERS * max(len(facts.rules) - _FEW_RULES, 0)
    most = max(most, min(_FEWEST_CHARACTERS, MOST_CHARACTERS))
    while (n := len(facts.to_json())) > most and less < len(DETAILS) - 1:
        less = min(less + (1 if n < 2 * most else 2), len(DETAILS) - 1)
        facts = _with_less(facts, subject, measured, DETAILS[less])
    return facts


def _checked(source: Source | None, title: str | None, target: str | None) -> Source:
    if source is not None and not isinstance(source, Source):
        raise InputError(f"source must be a Source. Got {shown(source)}; write Source('patients.csv').")
    for name, text in (("title", title), ("target", target)):
        if text is not None:
            check_text(text, name)
    return Source() if source is None else source


def _formulas(subject: Subject, shown_at: Sequence[int]) -> list[Formula]:
    """All formulas of the page: of the rules, of what decides, and of the other lengths."""
    rules, front = subject.rules, subject.front
    points = [] if front is None else [front[at] for at in shown_at]
    others = (step.formula for point in points for step in point.steps)
    return [*rules.formulas.values(), *rules.conditions.values(), *others]


def _facts(
    subject: Subject,
    source: Source,
    shown_at: Sequence[int],
    measured: Measured | None,
    called: tuple[str, str],
) -> Facts:
    rules = subject.rules
    names = used_concepts(rules, _formulas(subject, shown_at))
    places = {name: at for at, name in enumerate(names)}
    concepts, inputs = concepts_and_inputs(rules, names, None if measured is None else measured.table)
    kind = next(iter(rules.values())).kind
    title, what = called
    return Facts(
        title=title,
        question=f"What decides {what}?",
        target=what,
        task=subject.task,
        kind=str(kind),
        kind_words=_KIND_WORDS[kind],
        data=data_facts(subject, source, inputs, measured),
        overall=overall_facts(subject, measured),
        rules=rules_facts(subject, places, measured),
        concepts=concepts,
        inputs=inputs,
        policy=policy_facts(rules, places, measured),
        lengths=lengths_facts(subject, shown_at, places, measured),
        n_lengths=0 if subject.front is None else len(subject.front),
        lengths_on=LEFT_OUT if measured is None else subject.part,
        check=check_facts(rules),
        rows=None,
        n_rows_left_out=0,
        left_out="",
        provenance=provenance_of(subject, source),
    )


def _with_less(facts: Facts, subject: Subject, measured: Measured | None, detail: Detail) -> Facts:
    """The same facts with less listed; fewer lengths may use fewer concepts."""
    shown_at = shown_points(subject.front, detail.literals)
    names = used_concepts(subject.rules, _formulas(subject, shown_at))
    table = None if measured is None else measured.table
    concepts, inputs = concepts_and_inputs(subject.rules, names, table)
    places = {name: at for at, name in enumerate(names)}
    rules = rules_facts(subject, places, measured, detail)
    policy = policy_facts(subject.rules, places, measured, detail)
    left_out = _LESS if detail.exports else _LEAST
    lengths = lengths_facts(subject, shown_at, places, measured)
    shorter = replace(facts, rules=rules, concepts=concepts, inputs=inputs, policy=policy, lengths=lengths)
    return replace(shorter, left_out=left_out)
