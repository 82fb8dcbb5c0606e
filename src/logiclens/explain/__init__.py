"""From formulas to explanations: rules in First-Order Logic, how far to trust them, what they predict."""

from logiclens.explain.classwise import choose_point, explain_class, unseen_tuples, with_unseen
from logiclens.explain.compose import Composition, compose
from logiclens.explain.explanation import Explanation, FrontPoint, Scope, Scores
from logiclens.explain.local import (
    GlobalExplanation,
    explain_example,
    explain_examples,
    explain_global,
    explain_set,
)
from logiclens.explain.paper import explain_class_as_in_paper
from logiclens.explain.rule import Rule, RuleKind
from logiclens.explain.rule_set import ExplanationSet, Resolution, load_rules

__all__ = [
    "Composition",
    "Explanation",
    "ExplanationSet",
    "FrontPoint",
    "GlobalExplanation",
    "Resolution",
    "Rule",
    "RuleKind",
    "Scope",
    "Scores",
    "choose_point",
    "compose",
    "explain_class",
    "explain_class_as_in_paper",
    "explain_example",
    "explain_examples",
    "explain_global",
    "explain_set",
    "load_rules",
    "unseen_tuples",
    "with_unseen",
]
