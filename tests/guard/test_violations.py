"""Broken rules in words."""

from __future__ import annotations

import numpy as np

from logiclens.explain import Rule
from logiclens.guard.rule_guard import Link, Violation, Violations
from logiclens.logic import Var, parse_formula

red, blue = Var("red"), Var("blue")


def sentence(kind, target, formula):
    return str(Violation(Link.of(Rule("robin", red & ~blue, kind)), 0.9, target, formula))


def test_the_direction_that_is_broken_is_told():
    taken = "It is said to be robin (0.97), but not what that takes (0.04): red and not blue."
    made = "It is said to be what makes robin (0.95): red and not blue; but not robin (0.02)."

    assert sentence("iff", 0.97, 0.04) == sentence("if", 0.97, 0.04) == taken
    assert sentence("iff", 0.02, 0.95) == sentence("only_if", 0.02, 0.95) == made


def test_a_formula_by_hand_is_told_as_it_stands():
    link = Link(parse_formula("red -> ~blue"))

    assert str(Violation(link, 0.5, float("nan"), float("nan"))) == (
        "Outputs break a rule (by 0.50): not red or not blue."
    )


def test_the_worst_come_first_and_small_ones_are_left_out():
    links = (Link(red >> blue), Link(red | blue), Link(~red))
    nothing = np.full((2, 3), np.nan)
    found = Violations(links, np.array([[0.2, 0.001, 0.7], [0.0, 0.0, 0.0]]), nothing, nothing)

    assert [violation.penalty for violation in found[0]] == [0.7, 0.2]
    assert found[1] == ()
    assert len(found) == 2
    assert [len(row) for row in found] == [2, 0]
    assert len(found[1:]) == 1
    assert str(found) == (
        "row 0:\n"
        "  Outputs break a rule (by 0.70): not red.\n"
        "  Outputs break a rule (by 0.20): not red or blue.\n"
        "row 1: all rules are kept"
    )
