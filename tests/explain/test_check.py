"""What is odd about rules: compared with looking at every row that there can be."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from logiclens.concepts import Above, OneOf, Vocabulary
from logiclens.concepts.concept import every_combination
from logiclens.errors import InputError
from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.explain.rule_check import Region
from logiclens.logic import FALSE, TRUE, And, Formula, Or, Var, exactly_one, parse_formula
from logiclens.logic.normal_form import dnf_terms
from tests.concepts.strategies import raw_tables
from tests.explain.strategies import explanation_sets
from tests.strategies import all_rows, formulas

a, b, c = Var("a"), Var("b"), Var("c")


def rules_of(made: dict[Any, Formula], names=("a", "b", "c"), **settings: Any) -> ExplanationSet:
    explanations = [Explanation(Rule(label, formula)) for label, formula in made.items()]
    return ExplanationSet(explanations, list(names), **settings)


def compare(rules: ExplanationSet, rows: np.ndarray, names: tuple[str, ...]) -> None:
    """Every finding is what a look at all rows shows."""
    found = rules.check()
    fired = {label: f.evaluate(rows, names) for label, f in rules.formulas.items()}
    table = np.column_stack(list(fired.values()))

    together = [pair for pair in combinations(rules, 2) if (fired[pair[0]] & fired[pair[1]]).any()]
    assert [(one.first, one.second) for one in found.conflicts] == ([] if rules.multi_label else together)
    for one in found.conflicts:
        example = one.region.example.evaluate(rows, names)
        assert example.any()
        both = fired[one.first] & fired[one.second]
        assert not (example & ~both).any()
        assert (one.region.formula.evaluate(rows, names) == both).all()
    uncovered = ~table.any(axis=1)
    assert (found.uncovered is not None) == uncovered.any()
    if found.uncovered is not None:
        assert (found.uncovered.formula.evaluate(rows, names) == uncovered).all()
        example = found.uncovered.example.evaluate(rows, names)
        assert example.any()
        assert not (example & ~uncovered).any()
    assert found.always == tuple(label for label in rules if fired[label].all())
    assert found.never == tuple(label for label in rules if not fired[label].any())
    for label, terms in found.superfluous.items():
        left = list(dnf_terms(rules[label].formula))
        for term in terms:
            left.remove(term)
        assert (Or.of(left).evaluate(rows, names) == fired[label]).all()
    used = {name for formula in rules.formulas.values() for name in formula.concepts}
    assert set(found.used) == used
    assert [*found.used.values()] == sorted(found.used.values(), reverse=True)
    assert set(found.unused) == set(rules.concept_names) - used
    for line in found.lines:
        assert line.isprintable()


@settings(max_examples=60)
@given(explanation_sets())
def test_on_all_tuples_of_concepts(rules):
    assume(not rules.is_resolved)  # the steps of a list are checked, not the formulas of classes
    compare(rules, all_rows(len(rules.concept_names)), rules.concept_names)


@settings(max_examples=60)
@given(st.data())
def test_on_all_rows_that_a_raw_table_can_have(data):
    words = data.draw(raw_tables()).vocabulary
    made = {label: data.draw(formulas(st.sampled_from(words.names), 4)) for label in ("x", "y", "z")}
    rules = rules_of(made, words.names, vocabulary=words, multi_label=data.draw(st.booleans()))

    compare(rules, *every_combination(words.groups(words.names)))


def test_terms_that_add_nothing():
    """Of equal terms the later goes; what never is true goes; the last of them stays."""
    rule = (a & b) | a | a | (c & ~c & b)

    assert rules_of({"x": rule}).check().superfluous == {"x": (a & b, a, c & ~c & b)}
    assert rules_of({"x": Or(a, a & ~b)}).check().superfluous == {"x": (a & ~b,)}
    assert rules_of({"x": a | b}).check().superfluous == {}
    assert rules_of({"x": FALSE, "y": TRUE}).check().superfluous == {}


WORDS = Vocabulary(("age", "ward"), (Above("age", 30), Above("age", 62), OneOf("ward", ("ICU",))))


def test_the_text_speaks_of_columns():
    rules = rules_of(
        {
            "well": parse_formula('~"age > 30"'),
            "ill": parse_formula('("age > 62" & "age > 30") | "ward = ICU" | ("age > 62" & "ward = ICU")'),
        },
        WORDS.names,
        vocabulary=WORDS,
        default="well",
    )

    assert str(rules.check()) == (
        "Conflicts: 1 pair of rules can be true together.\n"
        "  well and ill, for example: age is at most 30 and ward is ICU\n"
        "Gap: no rule is true where age is above 30 and at most 62 and ward is not ICU.\n"
        "  The prediction is then well.\n"
        "Always or never true: no rule.\n"
        "Superfluous terms: 1.\n"
        "  ill: age is above 62 and ward is ICU\n"
        "Concepts: 3 of 3 are used: age is above 30 (2 rules), age is above 62 (1 rule), "
        "ward is ICU (1 rule)."
    )


def test_nothing_to_find():
    found = rules_of({0: a, 1: ~a}, default=0).check()

    assert found.clean
    assert (
        str(found)
        == repr(found)
        == (
            "Conflicts: none; no two rules can be true together.\n"
            "Gap: none; at least one rule is true of each row.\n"
            "Always or never true: no rule.\n"
            "Superfluous terms: none.\n"
            "Concepts: 1 of 3 are used: a (2 rules)."
        )
    )
    assert found.unused == ("b", "c")


def test_rules_without_content():
    found = rules_of({"x": FALSE, "y": FALSE}, default="y").check()

    assert not found.clean
    assert found.lines == (
        "Conflicts: none; no two rules can be true together.",
        "Gap: no rule is true of any row.",
        "  The prediction is then y.",
        "Never true: the rules of x, y.",
        "Superfluous terms: none.",
        "Concepts: 0 of 3 are used.",
    )
    assert "Always true: the rule of x." in rules_of({"x": TRUE, "y": a}).check().lines


def test_several_labels_are_no_conflict():
    found = rules_of({"x": a, "y": a & b}, multi_label=True).check()

    assert found.lines[:3] == (
        "Conflicts: none, since a row may have several labels.",
        "Gap: no rule is true where not a.",
        "  No label is then predicted.",
    )
    assert found.clean
    assert not rules_of({"x": a, "y": TRUE}, multi_label=True).check().clean


def test_what_is_known_is_given():
    rules = rules_of({"x": a, "y": b, "z": c}, default="x")

    assert rules.check(given=exactly_one(["a", "b", "c"])).clean
    assert rules.check([exactly_one(["a", "b"])]).conflicts != ()
    with pytest.raises(InputError, match="What is given contradicts itself"):
        rules.check([a, ~a])


def test_a_long_region_is_told_by_an_example():
    """Its DNF would have 3**30 terms."""
    names = [f"c{i}" for i in range(90)]
    made = {f"class {i}": Var(f"c{i}") & Var(f"c{30 + i}") & Var(f"c{60 + i}") for i in range(30)}
    found = rules_of(made, names, default="class 0").check()

    assert len(found.conflicts) == 30 * 29 // 2
    assert found.lines[31] == "  and 405 more pairs"
    gap = found.lines.index("Gap: no rule is true in cases that take 90 literals to describe.")
    assert found.lines[gap + 1].startswith("  For example: not c0 and not c1 and")
    assert found.uncovered.example.literals == 30
    assert "and 78 more" in str(found)


def test_the_words_of_a_region():
    region = Region(a | (b & ~c), {"a": True})

    assert (region.text, region.example_text) == ("a, or b and not c", "a")
    assert region.cases == (a, b & ~c)
    assert Region((a | b) & c, {}).text == "a and c, or b and c"
    long = Region(Or.of([Var(f"c{i}") for i in range(61)]), {"c0": True})
    assert (long.text, long.example_text) == ("cases that take 61 literals to describe", "c0")
    longer = Region(And.of([Var(f"c{i}") | Var(f"d{i}") for i in range(30)]), {})
    assert (longer.text, longer.cases) == ("cases that take 60 literals to describe", ())


def test_cases_of_a_gap_are_listed():
    assert rules_of({"x": a & b}, default="x").check().lines[1:4] == (
        "Gap: no rule is true in 2 cases.",
        "  not a",
        "  not b",
    )


def test_necessary_conditions_may_overlap_and_sufficient_ones_leave_gaps():
    """Only rules that claim both can be at fault for it."""
    overlap = {"x": a, "y": b | ~a}
    gap = {"x": a & b, "y": ~a & b}

    def found(formulas, kind):
        explanations = [Explanation(Rule(label, formula, kind)) for label, formula in formulas.items()]
        return ExplanationSet(explanations, ["a", "b"]).check()

    assert not found(overlap, "iff").clean
    assert found(overlap, "if").clean
    assert found(overlap, "if").lines[0] == (
        "Conflicts: 1 pair of rules can be true together, as conditions that are only necessary may."
    )
    assert not found(gap, "iff").clean
    assert found(gap, "only_if").clean


@pytest.mark.parametrize(
    ("steps", "default", "dead", "never", "lines"),
    [
        ([("x", a), ("y", b)], "z", (), (), ["Default: z where not a and not b."]),
        ([("x", a), ("y", a & b)], "z", ("y",), ("y",), ["Default: z where not a."]),
        ([("x", a), ("y", ~a)], "z", (), ("z",), ["Default: z decides no row; some step is true of each."]),
        ([("x", a & b), ("y", b & c), ("z", b)], "y", (), (), ["Default: y where not b."]),
        ([], "z", (), ("x", "y"), ["Default: z decides every row."]),
        ([("x", a & b)], "y", (), ("z",), ["Default: y in 2 cases.", "  not a", "  not b"]),
    ],
)
def test_the_steps_of_a_list_are_read_in_order(steps, default, dead, never, lines):
    """They cannot conflict, whatever the rules of its labels say of rows that were not seen."""
    own = [Explanation(Rule(label, f)) for label, f in (("x", a), ("y", b), ("z", a | b))]
    listed = [Step(label, formula) for label, formula in steps]
    rules = ExplanationSet(own, ["a", "b", "c"], default=default, steps=listed)
    found = rules.check()

    assert rules.conflicts()
    assert (found.is_list, found.conflicts, found.dead, found.never) == (True, (), dead, never)
    assert found.clean == (not dead and not never)
    assert found.lines[0] == "Conflicts: none; steps are read in order, and the first that is true decides."
    assert [*found.lines[1 : 1 + len(lines)]] == lines
    rows = all_rows(3)
    place = rules.decided_by(rows)
    decided = {steps[at][0] for at in set(place.tolist()) if at < len(steps)}
    assert {label for label, _ in steps} - decided == set(dead)
    assert set(rules) - set(rules.predict(rows).tolist()) == set(never)


def test_terms_that_earlier_steps_take_are_superfluous():
    own = [Explanation(Rule(label, f)) for label, f in (("x", a), ("y", b & ~a))]
    steps = [Step("x", a), Step("y", (a & c) | b)]
    found = ExplanationSet(own, ["a", "b", "c"], default="x", steps=steps).check()

    assert found.superfluous == {"y": (a & c,)}
    assert "  y: a and c" in found.lines
    assert found.lines[-1] == ("Concepts: 3 of 3 are used: a (2 steps), b (1 step), c (1 step).")


def test_long_examples_and_many_findings_are_cut_short():
    """Each says how much more there is."""
    names = [f"c{i}" for i in range(80)]
    wide = And.of([Var(name) for name in names[:40]])
    found = rules_of({"x": wide, "y": wide & Var("c79")}, names, default="x").check()
    conflict = next(line for line in found.lines if "for example" in line)
    assert conflict.endswith(" and 29 more conditions")
    assert conflict.count(" and c") == 11

    terms = [Var("c0"), *(Var("c0") & Var(name) for name in names[1:])]
    lines = rules_of({"x": Or(*terms), "y": ~Var("c0")}, names, default="x").check().lines
    start = lines.index("Superfluous terms: 79.")
    assert lines[start + 31] == "  and 49 more"
