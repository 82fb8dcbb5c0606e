"""From formulas to explanations: rules in First-Order Logic, how far to trust them, what they predict."""

from logiclens.explain.check import RuleCheck
from logiclens.explain.compose import Composition, compose
from logiclens.explain.counterfactual import Change, Counterfactual, PredictionCounterfactual, counterfactual
from logiclens.explain.decision_list import Resolution, Step, class_formulas
from logiclens.explain.explanation import Explanation, FrontPoint, Scope, Scores
from logiclens.explain.front import Front, Point
from logiclens.explain.paper import explain_class_as_in_paper
from logiclens.explain.rule import Rule, RuleKind
from logiclens.explain.rule_set import ExplanationSet, load_rules
from logiclens.explain.scopes import (
    GlobalExplanation,
    explain_class,
    explain_example,
    explain_examples,
    explain_global,
    explain_set,
    unseen_tuples,
    with_unseen,
)
from logiclens.explain.terms import TermScore, term_scores

__all__ = [
    "Change",
    "Composition",
    "Counterfactual",
    "Explanation",
    "ExplanationSet",
    "Front",
    "FrontPoint",
    "GlobalExplanation",
    "Point",
    "PredictionCounterfactual",
    "Resolution",
    "Rule",
    "RuleCheck",
    "RuleKind",
    "Scope",
    "Scores",
    "Step",
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
