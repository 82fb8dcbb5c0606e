"""Global explanations: true of what was seen, and of nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from logiclens.concepts import Above, Vocabulary
from logiclens.errors import InputError
from logiclens.explain.classwise import fired_rows
from logiclens.explain.whole import MAX_GLOBAL, GlobalExplanation, explain_global
from logiclens.logic import FALSE, TRUE, And, TruthTable, Var, equivalent, parse_formula, to_cnf
from tests.strategies import HOSTILE_NAMES, all_rows, labelled_rows

XOR = TruthTable.from_data(all_rows(2), [0, 1, 1, 0], ["c1", "c2"])


@given(labelled_rows(max_concepts=5))
def test_global_is_true_of_what_was_seen_alone(data):
    X, y, _, names = data
    table = TruthTable.from_data(X, y, names)

    found = explain_global(table)

    rows = all_rows(len(names))
    seen = (rows[:, None] == X).all(axis=2).any(axis=1)
    assert np.array_equal(found.formula.evaluate(rows, names), seen)
    assert equivalent(to_cnf(found.formula), found.formula)
    assert all(clause.evaluate(X, names).all() for clause in found.clauses)
    assert found.concepts == tuple(names)


def test_global_joins_the_class_formulas():
    """Eq. (3) on XOR, all of whose tuples are seen: clauses of the one class that has a formula."""
    phi = parse_formula("(~c1 & c2) | (c1 & ~c2)")

    found = explain_global(XOR, {1: phi})

    assert equivalent(found.formula, phi)
    assert isinstance(found.formula, And)
    assert str(found) == "forall x: c1(x) | c2(x)\nforall x: ~c1(x) | ~c2(x)"
    assert explain_global(XOR, {1: phi, 0: ~phi}) == GlobalExplanation(
        TRUE, ("c1", "c2"), "every combination occurs"
    )
    assert str(explain_global(XOR)) == "forall x: TRUE"
    assert explain_global(XOR, {1: FALSE}).formula == FALSE


def test_global_takes_the_concepts_that_most_rules_use():
    X = np.eye(9, dtype=bool)
    table = TruthTable.from_data(X, np.ones(9))
    rules = {0: parse_formula("x7 & ~x8"), 1: parse_formula("x8 | ~x3"), 2: parse_formula("x8 | ~x7")}

    found = explain_global(table, rules, max_concepts=2)

    assert found.concepts == ("x7", "x8")
    assert found.status == "2 of 3 concepts"
    assert equivalent(found.formula, parse_formula("~x7 | ~x8"))


def test_global_keeps_the_shortest_clauses():
    table = TruthTable.from_data([[1, 1, 0], [1, 0, 1]], [1, 1], ["a", "b", "c"])

    found = explain_global(table, max_clauses=1)

    assert found.formula == Var("a")
    assert found.status == "1 of 3 clauses"
    assert len(explain_global(table).clauses) == 3


def test_global_of_many_concepts_stays_feasible():
    table = TruthTable.from_data(np.eye(60), np.ones(60))

    found = explain_global(table)

    assert len(found.concepts) == 8
    assert found.status == "8 of 60 concepts"
    assert fired_rows(found.formula, table).all()
    assert len(explain_global(table, max_concepts=60).concepts) == MAX_GLOBAL


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_names_are_data(name):
    found = explain_global(TruthTable.from_data([[1]], [1], [name]))

    assert found.formula == Var(name)
    assert str(found).startswith("forall x: ")


def test_clauses_are_worded_by_a_vocabulary():
    words = Vocabulary(("age",), (Above("age", 62),))

    assert str(GlobalExplanation(~Var("age > 62"), ("age > 62",), "", words)) == "forall x: age(x) <= 62"


def test_a_table_is_needed():
    with pytest.raises(InputError) as info:
        explain_global("table")

    assert str(info.value) == (
        "seen must be a TruthTable. Got 'table'; build one with TruthTable.from_data(concepts, answers)."
    )
