"""Each term of a rule by itself."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given

from logiclens.concepts import Above, OneOf, Vocabulary
from logiclens.errors import InputError
from logiclens.explain import Explanation, Rule, term_scores
from logiclens.logic import FALSE, TRUE, Or, Var, equivalent, parse_formula
from logiclens.metrics import rule_scores
from tests.strategies import PLAIN, all_rows, plain_formulas

a, b = Var("a"), Var("b")


def explanation(formula, **settings):
    return Explanation(Rule("yes", formula, **settings))


@given(plain_formulas(8))
def test_terms_are_scored_as_rules_are(formula):
    X = all_rows(len(PLAIN))
    y = np.arange(len(X)) % 3 == 0
    found = term_scores(explanation(formula), X, y, names=PLAIN, confidence=0.9)

    assert equivalent(Or.of([score.formula for score in found]), formula)
    true = [score.formula.evaluate(X, PLAIN) for score in found]
    for at, score in enumerate(found):
        other = rule_scores(score.formula, X, y, names=PLAIN, confidence=0.9)
        assert (score.n, score.covered) == (other.n, other.covered)
        assert (score.coverage, score.coverage_interval) == (other.coverage, other.coverage_interval)
        assert np.array_equal([score.precision], [other.precision], equal_nan=True)
        assert score.precision_interval == other.precision_interval
        others = np.any(
            [each for place, each in enumerate(true) if place != at] or [np.zeros(32, bool)], axis=0
        )
        assert score.alone == (true[at] & ~others).sum()


def test_a_formula_in_dnf_keeps_its_order():
    rule = explanation(parse_formula("(c & a) | b | (a & ~b)"))
    X = {"a": [1, 1], "b": [0, 1], "c": [1, 0]}

    assert [score.format() for score in term_scores(rule, X)] == ["c & a", "b", "a & ~b"]


def test_without_the_target_there_is_no_precision():
    (score,) = term_scores(explanation(a & b), {"a": [1, 1, 0, 1], "b": [1, 0, 0, 1]})

    assert (score.n, score.covered, score.alone, score.coverage) == (4, 2, 2, 0.5)
    assert (score.precision, score.precision_interval) == (None, None)
    assert str(score) == "a & b: true for 2 of 4"


def test_a_raw_table_is_read_and_told_by_the_vocabulary():
    words = Vocabulary(("age", "ward"), (Above("age", 62), OneOf("ward", ("ICU",))))
    rule = explanation(parse_formula('~"age > 62" | "ward = ICU"'), vocabulary=words)
    old, ward = term_scores(rule, {"age": [70, 20, 30], "ward": ["ICU", "x", "ICU"]}, [0, 1, 1])

    assert (old.format("unicode"), old.to_sentence()) == ("age(x) ≤ 62", "age is at most 62")
    assert (old.covered, old.precision, ward.covered, ward.precision) == (2, 1.0, 2, 0.5)
    assert str(ward) == "ward(x) = ICU: true for 2 of 3, precision 0.500"
    (concept, _) = term_scores(rule, [[1, 0], [0, 1]], names=["age > 62", "ward = ICU"])
    assert concept.covered == 1


def test_constants_and_empty_tables():
    assert term_scores(explanation(FALSE), {"a": [1]}) == ()
    (everything,) = term_scores(explanation(TRUE), {"a": [1, 0]}, [1, 0])
    assert (everything.covered, everything.precision, everything.to_sentence()) == (2, 0.5, "always")
    (nothing,) = term_scores(explanation(a), {"a": []}, [])
    assert isnan(nothing.coverage)
    assert isnan(nothing.precision)
    assert nothing.coverage_interval == nothing.precision_interval == (0.0, 1.0)


def test_names_are_data():
    (score,) = term_scores(explanation(Var("<b>\x1b")), {"<b>\x1b": [1]})

    assert score.format() == '"<b>\\u001b"'
    assert score.to_sentence() == "‹<b>\\u001b›"


def test_nonsense_is_refused():
    with pytest.raises(InputError, match="about an Explanation"):
        term_scores(a, {"a": [1]})
    with pytest.raises(InputError, match="confidence"):
        term_scores(explanation(a), {"a": [1]}, confidence=1)
    with pytest.raises(InputError, match="y_is_target"):
        term_scores(explanation(a), {"a": [1]}, [1, 0])
