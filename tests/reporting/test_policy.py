from __future__ import annotations

import numpy as np

from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.logic import Var
from logiclens.metrics.agreement import Total, share_of
from logiclens.reporting._about_rules import DETAILS, policy_facts
from logiclens.reporting._facts import Rate
from logiclens.reporting._report import gather_facts

a, b = Var("a"), Var("b")
FOUND = [Explanation(Rule("x", a)), Explanation(Rule("y", b & ~a))]
RULES = ExplanationSet(FOUND, ["a", "b"], default="x", steps=[Step("y", b), Step("x", a)])
PLACES = {"a": 0, "b": 1}


def test_a_list_is_told_step_by_step():
    found = policy_facts(RULES, PLACES, None)

    assert [(step.label, step.rule, step.literals, step.n) for step in found.steps] == [
        ("y", 1, 1, None),
        ("x", 0, 1, None),
    ]
    assert [step.tree for step in found.steps] == [{"op": "var", "concept": 1}, None]  # one is the rule's own
    assert [step.sentence for step in found.steps] == ["If b, then y;", "otherwise if a, then x;"]
    assert (found.default.label, found.default.logic, found.default.sentence) == (
        "x",
        "otherwise x",
        "otherwise x.",
    )
    assert found.exports.sql == RULES.to_sql()
    least = policy_facts(RULES, PLACES, None, DETAILS[-1])
    assert (least.exports, least.steps[0].sentence, least.steps[0].logic) == (None, "", "if b(x) then y")


def test_rows_are_counted_by_the_step_that_decides_them():
    rows = np.array([[0, 0], [0, 1], [1, 1], [1, 0], [1, 0]])
    found = gather_facts(RULES, rows).policy

    assert [step.n for step in found.steps] == [2, 2]
    assert found.default.n == RULES.coverage_counts(rows).n_uncovered == 1
    assert {step.n_right for step in (*found.steps, found.default)} == {None}  # nobody says what is right


def test_steps_are_right_about_the_rows_that_they_decide(iris):
    policy = gather_facts(iris.model, iris.X, iris.y).policy
    places = iris.model.explain().decided_by(iris.X)

    for at, step in enumerate([*policy.steps, policy.default]):
        right = (iris.y[places == at] == step.label).sum()
        assert (step.n, step.n_right) == ((places == at).sum(), right)
        assert step.precision == Rate.of(*share_of(right, Total.of_rows(step.n)))


def test_several_labels_have_no_list():
    found = policy_facts(ExplanationSet(FOUND, ["a", "b"], multi_label=True), PLACES, None)

    assert (found.steps, found.default, found.printed, found.multi_label) == ((), None, False, True)


def test_conditions_of_one_kind_are_not_printed_as_a_list():
    several = [Explanation(Rule(label, formula, "if")) for label, formula in (("x", a), ("y", b))]
    found = policy_facts(ExplanationSet(several, ["a", "b"], default="x"), PLACES, None)

    assert (found.printed, found.default.logic, found.exports) == (False, "", None)
    assert [step.logic for step in found.steps] == ["", ""]
