"""From formulas to explanations: rules in First-Order Logic, how far to trust them, what they predict."""

from logiclens.explain.cascade_explanation import CascadeExplanation
from logiclens.explain.compose import Composition, compose
from logiclens.explain.counterfactual import Change, Counterfactual, PredictionCounterfactual, counterfactual
from logiclens.explain.explanation import Explanation, Scope, Scores, SufficientReason, TermScore, term_scores
from logiclens.explain.front import Front, Point
from logiclens.explain.limits import Limits
from logiclens.explain.paper import explain_class_as_in_paper
from logiclens.explain.resolution import HeldOutScores, Resolution, Step
from logiclens.explain.rule import Rule, RuleKind
from logiclens.explain.rule_check import RuleCheck
from logiclens.explain.rule_set import ExplanationSet, load_rules
from logiclens.explain.scopes import (
    GlobalExplanation,
    class_formulas,
    explain_class,
    explain_example,
    explain_examples,
    explain_global,
    explain_set,
    unseen_tuples,
    with_unseen,
)

__all__ = [
    "CascadeExplanation",
    "Change",
    "Composition",
    "Counterfactual",
    "Explanation",
    "ExplanationSet",
    "Front",
    "GlobalExplanation",
    "HeldOutScores",
    "Limits",
    "Point",
    "PredictionCounterfactual",
    "Resolution",
    "Rule",
    "RuleCheck",
    "RuleKind",
    "Scope",
    "Scores",
    "Step",
    "SufficientReason",
    "TermScore",
    "class_formulas",
    "compose",
    "counterfactual",
    "explain_class",
    "explain_class_as_in_paper",
    "explain_example",
    "explain_examples",
    "explain_global",
    "explain_set",
    "load_rules",
    "term_scores",
    "unseen_tuples",
    "with_unseen",
]
