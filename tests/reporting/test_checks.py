from __future__ import annotations

import pytest

from logiclens.concepts import Above, OneOf, Vocabulary
from logiclens.errors import LimitError
from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.logic import FALSE, TRUE, Var, parse_formula
from logiclens.reporting import _about_rules as checks
from logiclens.reporting._about_rules import check_facts
from logiclens.reporting._facts import CheckFacts, ConflictFacts

WORDS = Vocabulary(("age", "sex"), (Above("age", 30), Above("age", 62), OneOf("sex", ("male",))))


def rules_of(*formulas, multi_label: bool = False) -> ExplanationSet:
    return ExplanationSet(
        [Explanation(Rule(at, formula)) for at, formula in enumerate(formulas)],
        WORDS.names,
        multi_label,
        vocabulary=WORDS,
    )


OLD, GROWN, MALE = Var("age > 62"), Var("age > 30"), Var("sex = male")


@pytest.mark.parametrize("many", [False, True])
def test_conflicts_gaps_and_constants_are_found(many: bool, monkeypatch):
    """The same for few rules and for many, but for the words."""
    monkeypatch.setattr(checks, "_MANY_RULES", 0 if many else 40)

    found = check_facts(rules_of(OLD, GROWN & MALE, ~GROWN & OLD, FALSE))
    covered = check_facts(rules_of(OLD, ~OLD))
    constant = check_facts(rules_of(TRUE, OLD))

    assert [pair.labels for pair in found.conflicts] == [("0", "1")]
    assert found.conflicts[0].example == "age is above 62 and sex is male"
    assert (found.n_conflicts, found.covered, found.never, found.always) == (1, False, ("2", "3"), ())
    if not many:
        assert found.uncovered.example == "age is at most 30" or "at most 62" in found.uncovered.example
        assert "age is at most 62" in found.uncovered.text
    assert (covered.conflicts, covered.covered, covered.uncovered) == ((), True, None)
    assert constant.always == ("0",)


@pytest.mark.parametrize("many", [False, True])
def test_several_labels_exclude_nothing_and_none_is_an_answer(many: bool, monkeypatch):
    monkeypatch.setattr(checks, "_MANY_RULES", 0 if many else 40)

    found = check_facts(rules_of(OLD, GROWN, multi_label=True))

    assert found == CheckFacts((), 0, None, None, (), ())


def test_of_many_conflicts_some_are_listed():
    names = [f"x{j}" for j in range(60)]
    rules = ExplanationSet([Explanation(Rule(name, Var(name))) for name in names], names)

    found = check_facts(rules)

    assert found.n_conflicts == 60 * 59 // 2
    assert len(found.conflicts) == checks.MOST_CONFLICTS
    assert found.conflicts[0] == ConflictFacts(("x0", "x1"), "x0 and x1")
    assert found.uncovered.text == "rows of which none of the 60 formulas is true"


def test_what_is_too_much_work_is_not_known(monkeypatch):
    def refuse(*_: object) -> None:
        raise LimitError("Too hard.")

    monkeypatch.setattr(ExplanationSet, "check", refuse)
    rules = ExplanationSet([Explanation(Rule("a", parse_formula("x & y")))], ["x", "y"])

    assert check_facts(rules) == CheckFacts(None, None, None, None, (), ())


def test_a_list_is_looked_at_step_by_step():
    """However many rules there are, and whatever they say by themselves."""
    explanations = [Explanation(Rule(at, formula)) for at, formula in enumerate([OLD, GROWN, ~GROWN])]
    steps = [Step(1, GROWN), Step(0, OLD)]
    rules = ExplanationSet(explanations, WORDS.names, default=2, steps=steps, vocabulary=WORDS)
    found = check_facts(rules)

    assert (found.conflicts, found.never, found.dead) == ((), ("0",), ("0",))
