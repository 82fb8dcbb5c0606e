"""Scores of rules: accuracy, fidelity, complexity and consistency as in the paper, and what it leaves out.

Beside each figure of the paper (Sec. 6.2) stands one that is easier to read: plain agreement beside the
macro-F1, fidelity on tuples that were never seen beside fidelity, consistency corrected for chance beside
consistency, and the rates of a single rule with their intervals.

Formulas are evaluated as values, so neither their spelling nor the names of concepts matter; ``TRUE`` and
``FALSE`` are formulas like any other. Rows of weight 0 are left out.
"""

from logiclens.metrics.agreement import (
    Agreement,
    Fidelity,
    RuleScores,
    TargetScores,
    explanation_accuracy,
    fidelity,
    macro_f1,
    rule_scores,
)
from logiclens.metrics.complexity_and_consistency import Consistency, Recurrence, complexity, consistency
from logiclens.metrics.held_out import HeldOut
from logiclens.metrics.paired import Lead

__all__ = [
    "Agreement",
    "Consistency",
    "Fidelity",
    "HeldOut",
    "Lead",
    "Recurrence",
    "RuleScores",
    "TargetScores",
    "complexity",
    "consistency",
    "explanation_accuracy",
    "fidelity",
    "macro_f1",
    "rule_scores",
]
