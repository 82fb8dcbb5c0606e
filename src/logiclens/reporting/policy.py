"""What a report says of how the rules decide together: the list, step by step."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from logiclens.explain.rule_set import ExplanationSet
from logiclens.reporting.detail import FULL, Detail
from logiclens.reporting.facts import PolicyFacts, StepFacts
from logiclens.reporting.inputs import tree_of
from logiclens.reporting.measured import Measured
from logiclens.reporting.rules import exports_of


def policy_facts(
    rules: ExplanationSet, places: Mapping[str, int], rows: Measured | None, detail: Detail = FULL
) -> PolicyFacts:
    """How rules decide together.

    Parameters
    ----------
    rules : ExplanationSet
    places : mapping of str to int
        Place of each concept among those of the page.
    rows : Measured, optional
        Whose rows are counted, step by step.
    detail : Detail
        How much is listed.

    Examples
    --------
    >>> from logiclens.explain import Explanation, Rule
    >>> from logiclens.logic import Var
    >>> found = [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))]
    >>> facts = policy_facts(ExplanationSet(found, ["wings", "fins"]), {"wings": 0, "fins": 1}, None)
    >>> [step.logic for step in facts.steps], facts.default_logic
    (['if wings(x) then bird', 'else if fins(x) then fish'], 'otherwise bird')
    """
    if rules.multi_label:
        return PolicyFacts((), None, True, False, "", "", None, None)
    printed = rules.is_list
    blank = [""] * (len(rules.steps) + 1)
    logic = rules.format("unicode").split("\n") if printed else blank
    sentences = rules.to_sentence().split("\n") if printed and detail.repeated else blank
    counts = None if rows is None else np.bincount(rows.decided_by(), minlength=len(blank)).tolist()
    steps = tuple(
        StepFacts(
            label=str(step.label),
            rule=rules.labels.index(step.label),
            logic=logic[at],
            sentence=sentences[at],
            literals=step.literals,
            n=None if counts is None else counts[at],
            tree=None if step.formula == rules[step.label].formula else tree_of(step.formula, places),
        )
        for at, step in enumerate(rules.steps)
    )
    return PolicyFacts(
        steps,
        str(rules.default),
        False,
        printed,
        logic[-1],
        sentences[-1],
        None if counts is None else counts[-1],
        exports_of(rules) if printed and detail.repeated else None,
    )
