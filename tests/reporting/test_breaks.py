from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.concepts import Above, Missing, OneOf, Vocabulary
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import FALSE, Formula, Var
from logiclens.reporting._about_rules import breaks_of, pattern_sentence
from logiclens.reporting._subject import Subject, label_rows
from tests.strategies import PLAIN, plain_formulas


def broken(formula: Formula, X, y, kind="iff", **settings):
    rules = ExplanationSet([Explanation(Rule(True, formula, kind))], PLAIN)
    return breaks_of(rules[True].rule, 0, label_rows(Subject(rules), X, y, [formula]), **settings)


@given(plain_formulas(), st.integers(1, 200), st.integers(0, 2**32 - 1))
def test_every_row_that_breaks_the_rule_is_in_one_pattern(formula: Formula, n_rows, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.random((n_rows, len(PLAIN))) < 0.5, rng.random(n_rows) < 0.5
    fired = formula.evaluate(X, PLAIN)

    found = broken(formula, X, y, most=10**6)

    assert found.n_false_alarms == (fired & ~y).sum()
    assert found.n_missed == (y & ~fired).sum()
    assert found.n_patterns == len(found.patterns) == len({(one.what, one.kind) for one in found.patterns})
    for kind, total in (("false alarm", found.n_false_alarms), ("missed", found.n_missed)):
        counts = [one.n for one in found.patterns if one.kind == kind]
        assert sum(counts) == total
        assert counts == sorted(counts, reverse=True)
    assert all(one.n <= one.of for one in found.patterns)


def test_the_heaviest_patterns_are_told_pattern_sentence_not_in_values():
    X = [[1, 0, 0, 0, 0]] * 3 + [[1, 1, 0, 0, 0]] * 2 + [[0, 1, 1, 1, 1]]
    y = [False, False, True, False, False, True]

    found = broken(Var("a") & ~Var("c"), X, y)

    assert (found.n_false_alarms, found.n_missed, found.against) == (4, 1, "the truth")
    assert [(one.what, one.kind, one.n, one.of) for one in found.patterns] == [
        ("a and not c", "false alarm", 4, 5),
        ("not a and c", "missed", 1, 1),
    ]


@pytest.mark.parametrize(
    ("kind", "kinds"),
    [
        ("iff", ("false alarm", "missed")),
        ("if", ("missed",)),
        ("only_if", ("false alarm",)),
        ("cluster", ("missed",)),
    ],
)
def test_what_breaks_a_rule_depends_on_what_it_states(kind, kinds):
    found = broken(Var("a"), [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]], [False, True], kind)

    assert found.kinds == tuple(one.kind for one in found.patterns) == kinds
    assert (found.n_false_alarms, found.n_missed, found.n_patterns) == (1, 1, len(kinds))


def test_a_rule_without_concepts_is_wrong_about_any_row():
    found = broken(FALSE, [[0] * 5, [1] * 5], [True, False])

    assert [(one.what, one.n, one.of) for one in found.patterns] == [("any row", 1, 2)]


def test_many_concepts_make_patterns_too():
    names = [f"x{j}" for j in range(130)]
    formula = Var(names[0])
    for name in names[1:]:
        formula = formula & Var(name)
    rules = ExplanationSet([Explanation(Rule("yes", formula))], names)
    X = np.zeros((4, 130))
    X[3, 129] = 1
    rows = label_rows(Subject(rules), X, ["yes"] * 4, [formula])

    found = breaks_of(rules["yes"].rule, 0, rows)

    assert [one.n for one in found.patterns] == [3, 1]


def test_with_nothing_to_compare_nothing_is_counted():
    assert broken(Var("a"), [[1, 0, 0, 0, 0]], None).n_missed is None
    assert breaks_of(Rule("yes", Var("a")), 0, None).patterns == ()


def test_words_leave_out_what_follows():
    words = Vocabulary(
        ("age", "sex"), (Above("age", 30), Above("age", 62), Missing("age"), OneOf("sex", ("male",)))
    )
    old, grown, gap, male = map(Var, ("age > 62", "age > 30", "age is missing", "sex = male"))

    for term, text in (
        (grown & old & ~gap & male, "age is above 62 and sex is male"),
        (grown & ~old & ~gap, "age is above 30 and at most 62"),
        (~grown & ~old & ~gap & ~male, "age is at most 30 and sex is not male"),
        (~grown & ~old & gap, "age is missing"),
        (~gap, "age is known"),
    ):
        assert pattern_sentence(term, words) == text
