"""From formulas to explanations: rules in First-Order Logic, how far to trust them, what they predict."""

from logiclens.explain.changes import Change
from logiclens.explain.classwise import explain_class
from logiclens.explain.compose import Composition, compose
from logiclens.explain.counterfactual import Counterfactual, counterfactual
from logiclens.explain.decision_list import Step, class_formulas
from logiclens.explain.explanation import Explanation, Scope
from logiclens.explain.front import FrontPoint, Scores
from logiclens.explain.local import explain_example, explain_examples, explain_set
from logiclens.explain.paper import explain_class_as_in_paper
from logiclens.explain.prediction_counterfactual import PredictionCounterfactual
from logiclens.explain.resolution import Resolution
from logiclens.explain.rule import Rule, RuleKind
from logiclens.explain.rule_check import RuleCheck
from logiclens.explain.rule_file import load_rules
from logiclens.explain.rule_front import Front, Point
from logiclens.explain.rule_set import ExplanationSet
from logiclens.explain.term_scores import TermScore, term_scores
from logiclens.explain.unseen import unseen_tuples, with_unseen
from logiclens.explain.whole import GlobalExplanation, explain_global

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
