"""Links: what rules demand of the outputs of a model, each as one formula over their names.

A rule ties a target to a formula over concepts. Where a model says both, targets and concepts, a rule can be
broken by what the model says: that is what a guard looks at. A formula written by hand, such as
``robin -> ~blue_wing``, is a link as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from logiclens.errors import InputError, LimitError, shown
from logiclens.explain import Explanation, ExplanationSet, Rule, RuleKind
from logiclens.logic import And, Formula, Var, parse_formula, to_cnf
from logiclens.logic.formula import Const


@dataclass(frozen=True)
class Link:
    """What a rule demands of the outputs.

    Attributes
    ----------
    demand : Formula
        True of outputs that keep the rule.
    rule : Rule, optional
        Where it comes from; None for a formula written by hand.
    """

    demand: Formula
    rule: Rule | None = None

    @classmethod
    def of(cls, rule: Rule) -> Link:
        """The link that a rule is (Eq. 7 to 9)."""
        target, formula = Var(target_name(rule)), rule.formula
        match rule.kind:
            case RuleKind.IF:
                return cls(target >> formula, rule)
            case RuleKind.ONLY_IF:
                return cls(formula >> target, rule)
            case RuleKind.IFF:
                return cls(target.iff(formula), rule)
        raise InputError("The rule of a cluster links no output to a formula. Pass rules of classes.")

    @property
    def clauses(self) -> tuple[Formula, ...]:
        """What has to be true, each by itself: the parts of the demand's CNF.

        A demand whose CNF would be too large is one part.

        Examples
        --------
        >>> for clause in Link.of(Rule("robin", Var("red") & ~Var("blue"), "if")).clauses:
        ...     print(clause)
        ~blue | ~robin
        red | ~robin
        """
        try:
            parts = to_cnf(self.demand)
        except LimitError:
            return (self.demand,)
        return parts.args if isinstance(parts, And) else (parts,)

    def __str__(self) -> str:
        return str(self.demand if self.rule is None else self.rule)


def target_name(rule: Rule) -> str:
    """Name of the output that a rule is about: the label as text."""
    return str(rule.target)


def read_links(rules: Any) -> tuple[Link, ...]:
    """Read rules of any kind: explanations, rules, formulas, texts of formulas, or several of them.

    Rules of targets that never occurred, or always, say nothing that outputs could break; they stay, so that
    links and rules can be told by their number.
    """
    links = tuple(link for part in _several(rules) for link in _links(part))
    if not links:
        raise InputError("A guard needs at least one rule. Got none.")
    for link in links:
        if link.rule is not None and target_name(link.rule) in link.rule.formula.concepts:
            name = target_name(link.rule)
            raise InputError(
                f"The rule of {name!r} speaks of a concept of the same name. Rename one of the two outputs."
            )
    if all(isinstance(link.demand, Const) for link in links):
        raise InputError("No rule can be broken: all are constants. Pass rules that speak of outputs.")
    return links


def _several(rules: Any) -> Iterable[Any]:
    if isinstance(rules, Mapping) and not isinstance(rules, ExplanationSet):
        raise InputError("Rules are a list, not a mapping. Write each, such as 'robin <-> red_breast'.")
    if isinstance(rules, str | Formula | Rule | Explanation | ExplanationSet) or not isinstance(
        rules, Iterable
    ):
        return (rules,)
    return rules


def _links(part: Any) -> list[Link]:
    match part:
        case ExplanationSet():
            return [Link.of(explanation.rule) for explanation in part.explanations]
        case Explanation():
            return [Link.of(part.rule)]
        case Rule():
            return [Link.of(part)]
        case Formula():
            return [Link(part)]
        case str():
            return [Link(parse_formula(part))]
    raise InputError(
        f"Rules are explanations, rules, formulas or texts such as 'robin -> ~blue_wing'. Got {shown(part)}."
    )
