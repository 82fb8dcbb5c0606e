"""Which rows break a rule: patterns of the rule's own concepts, so that no value of a row is shown.

Rows about which a rule is wrong and of which its concepts say the same are one pattern: the rule cannot tell
them apart. The heaviest few say where a rule fails.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from logiclens.concepts.states import as_term, without_implied
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.explain.counterfactual import term_in_words
from logiclens.explain.rule import Rule, RuleKind
from logiclens.logic.arrays import BoolArray, Words, pack, unpack
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import FALSE, Formula
from logiclens.reporting.detail import FULL
from logiclens.reporting.measured import Measured
from logiclens.reporting.rates import ones
from logiclens.reporting.rule_facts import BreakPattern, Breaks

FALSE_ALARM, MISSED = "false alarm", "missed"
_BREAKING = {
    RuleKind.IFF: (FALSE_ALARM, MISSED),
    RuleKind.IF: (MISSED,),
    RuleKind.ONLY_IF: (FALSE_ALARM,),
    RuleKind.CLUSTER: (MISSED,),
}


def breaks_of(rule: Rule, at: int, rows: Measured | None, most: int = FULL.patterns) -> Breaks:
    """Rows that break a rule.

    Parameters
    ----------
    rule : Rule
    at : int
        Place of its label.
    rows : Measured, optional
        Where there is nothing to compare it with, nothing is counted.
    most : int
        Patterns of each kind to list.
    """
    kinds = _BREAKING[rule.kind]
    if rows is None or rows.wanted is None:
        return Breaks("", kinds, None, None, (), 0)
    said, wanted = rows.fired(rule.formula), rows.wanted.words[at]
    patterns: list[BreakPattern] = []
    n_patterns = 0
    wrong = {FALSE_ALARM: said & ~wanted, MISSED: wanted & ~said}
    for kind in kinds:
        tuples, counts = _tuples(wrong[kind], rule.concepts, rows)
        n_patterns += len(counts)
        heaviest = np.argsort(-counts, kind="stable")[:most]
        patterns += (
            _pattern(rule, kind, tuples[which], int(counts[which]), rows) for which in heaviest.tolist()
        )
    return Breaks(
        rows.wanted.by, kinds, ones(wrong[FALSE_ALARM]), ones(wrong[MISSED]), tuple(patterns), n_patterns
    )


def in_words(term: Formula, vocabulary: Vocabulary | None) -> str:
    """A conjunction in English, without what follows from the rest of it.

    Examples
    --------
    >>> from logiclens.concepts import Above, Missing
    >>> from logiclens.logic import Var
    >>> words = Vocabulary(("age",), (Above("age", 62), Missing("age")))
    >>> print(in_words(~Var("age > 62") & ~Var("age is missing"), words))
    age at most 62
    """
    if vocabulary is None:
        return to_sentence(term)
    short = without_implied(term, vocabulary.groups(term.concepts))
    return term_in_words(term if short == FALSE else short, vocabulary)


def _pattern(rule: Rule, kind: str, state: BoolArray, n: int, rows: Measured) -> BreakPattern:
    if not rule.concepts:
        return BreakPattern("any row", kind, n, rows.n)
    term = as_term(rule.concepts, state)
    return BreakPattern(in_words(term, rule.vocabulary), kind, n, ones(rows.fired(term)))


def _tuples(
    wrong: Words, concepts: Sequence[str], rows: Measured
) -> tuple[BoolArray, np.ndarray[tuple[int], np.dtype[np.intp]]]:
    """Distinct tuples of some concepts among rows, (n, k), and how often each occurs, (n,)."""
    which = np.flatnonzero(unpack(wrong, rows.n))
    if not which.size:
        return np.zeros((0, len(concepts)), dtype=np.bool_), np.zeros(0, dtype=np.intp)
    if not concepts:
        return np.zeros((1, 0), dtype=np.bool_), np.array([len(which)])
    truth = np.column_stack([unpack(rows.concepts[name], rows.n)[which] for name in concepts])
    distinct, counts = np.unique(pack(truth), axis=0, return_counts=True)
    return unpack(distinct, len(concepts)), counts
