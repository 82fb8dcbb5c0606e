"""What a report says of each rule: its texts, its scores, its terms, who breaks it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from logiclens.errors import InputError, LimitError
from logiclens.explain.explanation import Explanation, Scores
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import FloatArray
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import Const, Formula, Var
from logiclens.logic.normal_form import dnf_terms
from logiclens.logic.syntax import format_formula
from logiclens.reporting.breaks import breaks_of
from logiclens.reporting.detail import FULL, Detail
from logiclens.reporting.inputs import tree_of
from logiclens.reporting.measured import Measured
from logiclens.reporting.rates import NO_RATE, ones, rate
from logiclens.reporting.rule_facts import (
    Exports,
    Rate,
    RelevanceFacts,
    RuleFacts,
    RuleScoreFacts,
    TermFacts,
)
from logiclens.reporting.subject import Subject


def rules_facts(
    subject: Subject,
    places: Mapping[str, int],
    rows: Measured | None,
    detail: Detail = FULL,
) -> tuple[RuleFacts, ...]:
    """What is said of each rule.

    Parameters
    ----------
    subject : Subject
    places : mapping of str to int
        Place of each concept among those of the page.
    rows : Measured, optional
        Without them the scores of the fit are shown.
    detail : Detail
        How much is listed.
    """
    return tuple(
        replace(
            _rule(explanation, at, places, rows, detail),
            relevance=_relevance(subject, at, detail.relevant),
        )
        for at, explanation in enumerate(subject.rules.values())
    )


def _rule(
    explanation: Explanation,
    at: int,
    places: Mapping[str, int],
    rows: Measured | None,
    detail: Detail,
) -> RuleFacts:
    terms = _terms(explanation, at, places, rows)
    scores = _stored(explanation.scores) if rows is None else _measured(explanation.formula, at, rows)
    return RuleFacts(
        label=str(explanation.target),
        logic=explanation.rule.format("unicode"),
        logic_ascii=explanation.rule.format() if detail.exports else "",
        sentence=explanation.to_sentence(),
        status=explanation.status,
        support=explanation.support,
        tree=tree_of(explanation.formula, places),
        exports=exports_of(explanation) if detail.exports else Exports(None, None, None),
        scores=RuleScoreFacts(
            literals=explanation.complexity,
            **{each.name: getattr(scores, each.name) for each in fields(scores)},
        ),
        terms=terms[: detail.terms],
        n_terms=len(terms),
        breaks=breaks_of(explanation.rule, at, rows, detail.patterns),
        relevance=(),
    )


def exports_of(rules: Explanation | ExplanationSet) -> Exports:
    """A rule, or a list, in other languages; None in one that cannot carry its names."""
    return Exports(_tried(rules.to_sql), _tried(rules.to_python), _tried(rules.to_latex))


def _tried(write: Callable[[], Any]) -> str | None:
    try:
        return str(write())
    except (InputError, LimitError):
        return None


@dataclass(frozen=True)
class _Scores:
    """The scores of one formula, measured or stored."""

    n: int | None = None
    precision: Rate = NO_RATE
    recall: Rate = NO_RATE
    coverage: Rate = NO_RATE
    accuracy: float | None = None
    fidelity: float | None = None
    accuracy_plain: float | None = None
    fidelity_plain: float | None = None


def _measured(formula: Formula, at: int, rows: Measured) -> _Scores:
    wanted, truth, model = (
        rows.cells(formula, answers, at) for answers in (rows.wanted, rows.truth, rows.model)
    )
    return _Scores(
        rows.n,
        NO_RATE if wanted is None else wanted.precision,
        NO_RATE if wanted is None else wanted.recall,
        rate(ones(rows.fired(formula)), rows.n),
        None if truth is None else truth.macro_f1,
        None if model is None else model.macro_f1,
        None if truth is None else truth.plain,
        None if model is None else model.plain,
    )


def _stored(scores: Scores | None) -> _Scores:
    """The scores of the fit, which have no intervals."""
    if scores is None:
        return _Scores()
    return _Scores(
        scores.n_rows,
        Rate(scores.precision),
        Rate(scores.recall),
        Rate(scores.coverage),
        accuracy_plain=scores.accuracy,
        fidelity_plain=scores.fidelity,
    )


def _terms(
    explanation: Explanation, at: int, places: Mapping[str, int], rows: Measured | None
) -> tuple[TermFacts, ...]:
    """Each term of a rule in DNF, in its order; none of a constant, or of a form that would be too large."""
    formula = explanation.formula
    if isinstance(formula, Const):
        return ()
    try:
        terms = dnf_terms(formula)
    except LimitError:
        return ()
    words = explanation.vocabulary
    found = []
    for term in terms:
        scores = _Scores() if rows is None else _measured(term, at, rows)
        covered = None if rows is None else ones(rows.fired(term))
        found.append(
            TermFacts(
                format_formula(term, "unicode") if words is None else words.format(term, "unicode"),
                to_sentence(term) if words is None else words.to_sentence(term),
                tree_of(term, places),
                covered,
                scores.coverage,
                scores.precision,
            )
        )
    return tuple(found)


def _relevance(subject: Subject, at: int, most: int) -> tuple[RelevanceFacts, ...]:
    """The concepts that matter most to a target, the most relevant first."""
    if subject.relevance is None:
        return ()
    values: FloatArray = np.clip(subject.relevance[at], 0.0, 1.0)
    words = subject.rules.vocabulary
    order = np.argsort(-values, kind="stable")[:most]
    names = subject.rules.concept_names
    return tuple(
        RelevanceFacts(
            to_sentence(Var(names[j])) if words is None else words.to_sentence(Var(names[j])),
            float(values[j]),
        )
        for j in order
        if values[j] > 0
    )
