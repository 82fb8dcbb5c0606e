"""What the rules say when looked at together: conflicts, gaps, rules that are always or never true."""

from __future__ import annotations

from collections.abc import Mapping

from logiclens.errors import LimitError
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.entail import Conflict, conflicts
from logiclens.logic.formula import And, Formula
from logiclens.logic.normal_form import dnf_terms, to_nnf
from logiclens.logic.sat import find_assignment
from logiclens.reporting.breaks import in_words
from logiclens.reporting.facts import CheckFacts, ConflictFacts, UncoveredFacts

MOST_CONFLICTS = 20
"""Pairs of rules that are listed."""
_MANY_RULES = 40  # from here on, what is not listed is not put into words either


def check_facts(rules: ExplanationSet) -> CheckFacts:
    """Conflicts, gaps and constant rules, from the rules alone; nothing where that is too much work.

    Examples
    --------
    >>> from logiclens.explain import Explanation, Rule
    >>> from logiclens.logic import Var
    >>> rules = [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))]
    >>> check_facts(ExplanationSet(rules, ["wings", "fins"])).conflicts[0].example
    'wings and fins'
    """
    try:
        return _of_many(rules) if len(rules) >= _MANY_RULES else _of_few(rules)
    except LimitError:
        return CheckFacts(None, None, None, None, (), ())


def _of_few(rules: ExplanationSet) -> CheckFacts:
    found = rules.check()
    gap = None if rules.multi_label else found.uncovered  # there, no label at all is an answer
    return CheckFacts(
        conflicts=tuple(
            ConflictFacts((str(pair.first), str(pair.second)), pair.region.example_text)
            for pair in found.conflicts[:MOST_CONFLICTS]
        ),
        n_conflicts=len(found.conflicts),
        uncovered=None if gap is None else UncoveredFacts(gap.text, gap.example_text),
        covered=None if rules.multi_label else gap is None,
        always=tuple(map(str, found.always)),
        never=tuple(map(str, found.never)),
    )


def _of_many(rules: ExplanationSet) -> CheckFacts:
    known, formulas = rules.known(), rules.formulas
    pairs = [] if rules.multi_label else conflicts(formulas, known)
    gap = None if rules.multi_label else find_assignment(known, formulas.values())
    told = f"rows of which none of the {len(rules)} formulas is true"
    return CheckFacts(
        conflicts=tuple(_pair(rules, pair) for pair in pairs[:MOST_CONFLICTS]),
        n_conflicts=len(pairs),
        uncovered=None if gap is None else UncoveredFacts(told, ""),
        covered=None if rules.multi_label else gap is None,
        always=tuple(str(label) for label, f in formulas.items() if find_assignment(known, [f]) is None),
        never=tuple(str(label) for label, f in formulas.items() if find_assignment([*known, f]) is None),
    )


def _pair(rules: ExplanationSet, pair: Conflict) -> ConflictFacts:
    """Two rules that can be true together, with terms of both for an example."""
    terms = [
        _true_term(rules[label].formula, pair.witness)  # type: ignore[index]
        for label in (pair.first, pair.second)
    ]
    return ConflictFacts(
        (str(pair.first), str(pair.second)), in_words(to_nnf(And.of(terms)), rules.vocabulary)
    )


def _true_term(formula: Formula, witness: Mapping[str, bool]) -> Formula:
    """The shortest term of a formula that is true of a witness."""
    row = {name: [value] for name, value in witness.items()}
    return min((t for t in dnf_terms(formula) if t.evaluate(row)[0]), key=lambda term: term.complexity)
