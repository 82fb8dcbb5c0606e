"""What rules demand of outputs."""

from __future__ import annotations

import re

import pytest

from logiclens.errors import InputError
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.guard.rule_guard import Link, read_links
from logiclens.logic import TRUE, Var, equivalent, parse_formula

red, blue = Var("red"), Var("blue")


@pytest.mark.parametrize(
    ("kind", "demand"),
    [("iff", "robin <-> red & ~blue"), ("if", "robin -> red & ~blue"), ("only_if", "red & ~blue -> robin")],
)
def test_a_rule_demands_what_its_kind_says(kind, demand):
    link = Link.of(Rule("robin", red & ~blue, kind))

    assert equivalent(link.demand, parse_formula(demand))
    assert str(link) == str(Rule("robin", red & ~blue, kind))


def test_rules_of_any_kind_are_read():
    rule = Rule("robin", red)
    explanation = Explanation(rule)
    rules = ExplanationSet([explanation, Explanation(Rule("jay", blue))], ["red", "blue"])

    assert [str(link) for link in read_links(rules)] == [str(rule), str(Rule("jay", blue))]
    assert read_links(rule) == read_links(explanation) == read_links([rule])
    assert read_links(["red -> ~blue", red >> ~blue])[0] == Link(red >> ~blue) == read_links(red >> ~blue)[0]
    assert len(read_links([rules, "red | blue"])) == 3


def test_labels_that_are_numbers_stand_for_outputs_of_that_name():
    assert read_links(Rule(3, red))[0].demand == Var("3").iff(red)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([], "A guard needs at least one rule. Got none."),
        (
            [7],
            "Rules are explanations, rules, formulas or texts such as 'robin -> ~blue_wing'. Got 7.",
        ),
        (
            Rule("red", red),
            "The rule of 'red' speaks of a concept of the same name. Rename one of the two outputs.",
        ),
        (
            Rule(0, red, "cluster"),
            "The rule of a cluster links no output to a formula. Pass rules of classes.",
        ),
        (TRUE, "No rule can be broken: all are constants. Pass rules that speak of outputs."),
    ],
)
def test_what_is_refused(rules, message):
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        read_links(rules)
