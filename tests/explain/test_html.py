"""Explanations in a notebook: complete in themselves, readable, inert."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings

from logiclens.concepts import Above, Vocabulary
from logiclens.explain import Explanation, ExplanationSet, Rule, Scores, explain_global
from logiclens.logic import TruthTable, Var, parse_formula
from tests.explain.strategies import explanation_sets
from tests.explain.test_export import Reader
from tests.strategies import HOSTILE_NAMES

TAGS = {"div", "table", "tr", "th", "td", "b", "span"}
WORDS = Vocabulary(("age <i>",), (Above("age <i>", 62),))


def shows(value: object) -> Reader:
    """What a value looks like, once it is sure that it is safe."""
    page = value._repr_html_()
    found = Reader(page)
    assert found.tags <= TAGS
    assert found.attributes <= {"style", "dir"}
    assert page.isprintable()
    assert not re.search(r"\bon\w+=|url\(|https?:|color:(?!.*rgba)", re.sub(r">[^<]*<", "><", page))
    return found


@settings(max_examples=50)
@given(explanation_sets())
def test_rules_with_any_names_are_inert_and_readable(rules):
    page = shows(rules)

    for line in (*rules.format("unicode").splitlines(), *rules.to_sentence().splitlines()):
        assert line in page.text
    for explanation in rules.values():
        assert explanation.rule.format("unicode") in shows(explanation).text


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_every_kind_of_value_shows_a_hostile_name(name):
    rules = ExplanationSet([Explanation(Rule(name, Var(name)))], [name])
    table = TruthTable.from_data(np.array([[True], [True]]), [1, 1], names=[name])
    escaped = rules[name].to_sentence().split(" when ")[1]

    assert escaped in shows(rules).text
    assert escaped in shows(rules[name]).text
    assert escaped in shows(rules.check()).text
    assert escaped in shows(rules[name].counterfactual({name: [0]})).text
    changed = ExplanationSet([Explanation(Rule("x", Var(name))), Explanation(Rule("y", ~Var(name)))], [name])
    assert escaped in shows(changed.counterfactual({name: [0]})).text
    assert explain_global(table).formula == Var(name)
    assert shows(explain_global(table)).text.startswith("∀x: ")


def test_an_explanation():
    scores = Scores("test", 40, precision=0.5, recall=0.25)
    rule = Rule("old", Var("age <i> > 62"), vocabulary=WORDS)
    page = shows(Explanation(rule, status="proved minimal", support=12, scores=scores))

    assert page.text == (
        '∀x: old(x) ↔ "age <i>"(x) > 62'
        "Predicts old when age <i> is above 62."
        "1 literal · proved minimal · support 12 · on 40 rows (test): precision 50.0%, recall 25.0%"
    )


def test_a_set_is_the_list_that_decides():
    rules = ExplanationSet(
        [Explanation(Rule("x", Var("a"))), Explanation(Rule("y", Var("b")))], ["a", "b"], default="x"
    )

    assert shows(rules).text == (
        "if a(x) then xelse if b(x) then yotherwise x"
        "If a, then x;otherwise if b, then y;otherwise x."
        "targetrule of its ownx1 literaly1 literal"
    )


def test_rules_of_several_labels_say_who_decides():
    found = [Explanation(Rule("x", Var("a"))), Explanation(Rule("y", Var("b")))]
    rules = ExplanationSet(found, ["a", "b"], multi_label=True)

    assert shows(rules).text.endswith(
        "Each label is predicted where its rule is true; a row may have several, or none."
    )


def test_a_counterfactual_is_a_table_of_changes():
    rule = Explanation(Rule("yes", parse_formula("a & ~b")))
    page = shows(rule.counterfactual({"a": [0], "b": [1]}))

    assert page.text == (
        "The rule of yes would hold if a were true and b were false."
        "whatas it isit would change ifanot aa were truebbb were false"
    )
    assert (
        "table"
        not in shows(Explanation(Rule("yes", parse_formula("a | ~a"))).counterfactual({"a": [0]})).tags
    )


def test_clauses_and_what_was_left_out():
    table = TruthTable.from_data(np.array([[True, False]]), [1], names=["a", "b"])

    assert shows(explain_global(table)).text == "∀x: a(x)∀x: ¬b(x)"
    assert shows(explain_global(table, max_clauses=1)).text == "∀x: a(x)1 of 2 clauses."


def test_details_of_a_check_are_set_in():
    rules = ExplanationSet(
        [Explanation(Rule("x", Var("a"))), Explanation(Rule("<b>", Var("b")))], ["a", "b"], default="x"
    )
    page = rules.check()._repr_html_()

    assert page.count("margin-left") == sum(line.startswith("  ") for line in rules.check().lines)
    assert "&lt;b&gt;" in page


def test_marks_that_turn_the_direction_are_shown():
    rules = ExplanationSet([Explanation(Rule("x", Var("a")), status="\u202egood\x1b[31m\n")], ["a"])

    assert "\\u202egood\\u001b[31m\\n" in shows(rules).text
