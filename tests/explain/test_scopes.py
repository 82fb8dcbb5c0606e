"""Explanations of classes and of all data, and tuples that never occurred."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.concepts import Above, Vocabulary
from logiclens.errors import InputError
from logiclens.explain import compose, explain_example, explain_set
from logiclens.explain.explanation import Scope
from logiclens.explain.paper import explain_class_as_in_paper
from logiclens.explain.rule import RuleKind
from logiclens.explain.scopes import (
    ALWAYS,
    MAX_GLOBAL,
    NEVER,
    PRICES,
    UNSEEN_SHARE,
    USELESS,
    GlobalExplanation,
    explain_class,
    explain_global,
    fired_rows,
    unseen_tuples,
    with_unseen,
)
from logiclens.logic import FALSE, TRUE, And, TruthTable, Var, equivalent, minimize, parse_formula, to_cnf
from tests.strategies import HOSTILE_NAMES, all_rows, labelled_rows

KINDS = st.sampled_from(list(RuleKind))


def table_of(text: str, n_concepts: int, weight: float = 1.0) -> TruthTable:
    """Table of a formula over ``a``, ``b``, ... on every tuple."""
    names = list("abcdefg"[:n_concepts])
    rows = all_rows(n_concepts)
    truth = parse_formula(text).evaluate(rows, names)
    return TruthTable.from_counts(rows, weight * truth, weight * ~truth, names)


def test_example_1_of_the_paper():
    """Two samples of XOR and the two others: the class-level explanation is the truth table of XOR."""
    concepts = [[0.2, 0.7], [0.6, 0.3], [0.1, 0.1], [0.9, 0.8]]
    table = TruthTable.from_data(concepts, [1, 1, 0, 0], names=["c1", "c2"])

    found = explain_class(table, 1)

    assert equivalent(found.formula, parse_formula("(~c1 & c2) | (c1 & ~c2)"))
    assert (found.scope, found.kind, found.support) == (Scope.CLASS, RuleKind.IFF, 2.0)
    assert found.status == "proved minimal"
    assert found.scores is None


@given(labelled_rows(3, 12))
def test_without_truth_the_formula_agrees_most(data):
    X, y, weight, names = data
    table = TruthTable.from_data(X, y, names, weight)

    said = explain_class(table, "t").formula.evaluate(table.to_array(), names)
    assert np.where(said, table.no, table.yes).sum() == np.minimum(table.yes, table.no).sum()


@given(labelled_rows(3, 12), labelled_rows(3, 12), KINDS)
def test_scores_and_fidelity_are_what_counting_gives(data, other, kind):
    X, y, weight, names = data
    table = TruthTable.from_data(X, y, names, weight)
    X_other, truth, truth_weight, _ = other
    X_truth = np.resize(X_other, (len(X_other), len(names)))
    found = explain_class(
        table, "t", kind=kind, truth=TruthTable.from_data(X_truth, truth, names, truth_weight)
    )

    said, agreed = found.evaluate(X_truth, names), found.evaluate(X, names) == y
    scores = found.scores
    assert scores.part == "validation"
    assert scores.n_rows == truth_weight.sum()
    assert scores.accuracy == pytest.approx(np.average(said == truth, weights=truth_weight))
    assert scores.coverage == pytest.approx(np.average(said, weights=truth_weight))
    assert scores.fidelity == pytest.approx(np.average(agreed, weights=weight))
    hits = truth_weight[said & truth].sum()
    assert (scores.precision is None) == (not said.any())
    assert (scores.recall is None) == (not truth.any())
    if said.any():
        assert scores.precision == pytest.approx(hits / truth_weight[said].sum())
    if truth.any():
        assert scores.recall == pytest.approx(hits / truth_weight[truth].sum())


@given(labelled_rows(3, 12), KINDS)
def test_no_constant_costs_less_at_the_prices_of_its_kind(data, kind):
    """A miss of an IF rule and a false yes of an ONLY IF rule cost more than anything else."""
    X, y, weight, names = data
    table = TruthTable.from_data(X, y, names, weight)
    false_yes, miss = PRICES.get(kind, (1.0, 1.0))

    def cost(formula):
        said = formula.evaluate(table.to_array(), names)
        return float(np.where(said, false_yes * table.no, miss * table.yes).sum())

    found = explain_class(table, "t", kind=kind)

    assert cost(found.formula) <= min([cost(TRUE), cost(FALSE)]) + 1e-9


def test_never_and_always_predicted():
    rows = all_rows(2)
    for answers, formula, status in (([0] * 4, FALSE, NEVER), ([1] * 4, TRUE, ALWAYS)):
        found = explain_class(TruthTable.from_data(rows, answers), "t")
        assert (found.formula, found.status) == (formula, status)
        assert found.support == sum(answers)


def test_a_or_not_a_is_true():
    """Yes wherever ``a`` is known, on both sides: a tautology must not be printed as ``a | ~a``."""
    table = TruthTable.from_counts([[0], [1]], [5, 5], [1, 1], ["a"])

    assert explain_class(table, "t").formula == TRUE


def test_noise_of_the_network_is_cut_off_by_the_truth():
    """The network says ``a``, but for one tuple; the truth is ``a``: the shorter formula is as good."""
    table = table_of("a & (b | c | d)", 4, 10.0)
    truth = table_of("a", 4, 10.0)

    assert explain_class(table, "t", truth=truth).formula == Var("a")
    assert equivalent(explain_class(table, "t").formula, parse_formula("a & (b | c | d)"))
    assert equivalent(explain_class(table, "t", truth=table).formula, parse_formula("a & (b | c | d)"))


def test_truth_over_more_concepts_in_another_order():
    table = table_of("a & b", 2, 10.0)
    truth = table_of("a & b", 3, 10.0).select(["c", "b", "a"])

    assert equivalent(explain_class(table, "t", truth=truth).formula, parse_formula("a & b"))


def test_truth_on_one_side_alone_does_not_choose():
    """Without a member among the validation rows FALSE would always be right about them."""
    table = table_of("a & b", 2)
    truth = TruthTable.from_data(all_rows(2), [0] * 4, ["a", "b"])

    found = explain_class(table, "t", truth=truth)

    assert equivalent(found.formula, parse_formula("a & b"))
    assert found.scores.recall is None
    assert found.scores.accuracy == 0.75


def test_necessary_and_sufficient_conditions_of_a_toy():
    """Members have ``a``; those with ``a & b`` are always members, the others with ``a`` half of the time."""
    X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], 10, axis=0)
    y = np.repeat([False, False, False, True], 10)
    y[20:25] = True
    table = TruthTable.from_data(X, y, ["a", "b"])
    found = {kind: explain_class(table, "t", kind=kind, truth=table) for kind in RuleKind}

    assert found[RuleKind.IF].formula == Var("a")
    assert equivalent(found[RuleKind.ONLY_IF].formula, parse_formula("a & b"))
    assert found[RuleKind.IF].scores.recall == 1.0
    assert found[RuleKind.ONLY_IF].scores.precision == 1.0


@pytest.mark.parametrize(("kind", "formula"), [(RuleKind.IF, TRUE), (RuleKind.ONLY_IF, FALSE)])
def test_nothing_is_necessary_or_sufficient(kind, formula):
    """The network's answers tell nothing about the members."""
    found = explain_class(table_of("a", 2), "t", kind=kind, truth=table_of("~a", 2))

    assert (found.formula, found.status) == (formula, USELESS[kind])


def test_a_cluster_is_explained_like_an_equivalence():
    table = table_of("a & ~b", 3)

    assert explain_class(table, 0, kind="cluster").formula == explain_class(table, 0).formula


def test_order_decides_between_equals():
    X = np.repeat([[0, 0], [1, 1]], 3, axis=0)
    table = TruthTable.from_data(X, X[:, 0], ["a", "b"])

    assert explain_class(table, "t", order=["b", "a"]).formula == Var("b")
    assert explain_class(table, "t", order=[[1, 0], [1, 0]]).formula == Var("a")


def test_max_literals_bounds_the_formula():
    found = explain_class(table_of("(a & b) | (c & d)", 4), "t", max_literals=2)

    assert found.complexity == 2
    assert found.status.endswith(" within max_literals=2")


def test_names_are_data():
    """In every scope, and in the formulas that layers and the paper's method give."""
    for name in HOSTILE_NAMES:
        table, variable = TruthTable.from_data([[0], [1]], [0, 1], [name]), Var(name)
        everywhere = explain_global(TruthTable.from_data([[1]], [1], [name]))
        layers = compose([([[1.0]], [-0.5]), ([[-1.0]], [0.5])], [name])

        assert explain_class(table, name, truth=table).formula == variable
        assert explain_example([1], table, name).formula == variable
        assert explain_set([[1]], table, name).formula == variable
        assert explain_class_as_in_paper([[0], [1]], [0, 1], name, names=[name]).formula == variable
        assert everywhere.formula == variable
        assert str(everywhere).startswith("forall x: ")
        assert layers.outputs[0].concepts == (name,)
        assert layers.outputs[0].evaluate([[True], [False]], [name]).tolist() == [False, True]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda _: explain_class([[1]], "t"), "table must be a TruthTable"),
        (lambda table: explain_class(table, "t", truth=3), "truth must be a TruthTable"),
        (lambda table: explain_class(table, "t", kind="iif"), "'iif'"),
        (lambda table: explain_class(table, "t", truth=table.select(["a"])), "'b'"),
        (lambda table: unseen_tuples(table, limit=-1), "limit"),
        (lambda _: explain_global("table"), "seen must be a TruthTable"),
    ],
)
def test_what_is_refused(call, word):
    with pytest.raises(InputError, match=word):
        call(table_of("a & b", 2))


@given(labelled_rows(3, 12))
def test_seen_and_unseen_tuples_are_all_tuples(data):
    X, y, weight, names = data
    table = TruthTable.from_data(X, y, names, weight)
    unseen = unseen_tuples(table)

    together = {*map(tuple, unseen.tolist()), *map(tuple, table.to_array().tolist())}
    assert len(together) == 2 ** len(names) == len(unseen) + len(table)


def test_too_many_tuples_are_not_listed():
    assert unseen_tuples(TruthTable.from_data(np.eye(15), np.zeros(15))) is None
    assert unseen_tuples(TruthTable.from_data(np.eye(70), np.zeros(70))) is None
    assert unseen_tuples(table_of("a", 3), limit=7) is None
    assert unseen_tuples(table_of("a", 3), limit=8).shape == (0, 3)


def test_asked_tuples_are_minded_by_an_exact_formula():
    table = TruthTable.from_data([[0, 0], [1, 1]], [0, 1], ["a", "b"], [10, 30])
    unseen = unseen_tuples(table)
    asked = with_unseen(table, unseen, [False, False])

    assert asked.total == pytest.approx(40 * (1 + UNSEEN_SHARE))
    assert minimize(table).literals == 1
    assert equivalent(minimize(asked).formula, parse_formula("a & b"))
    assert with_unseen(asked, unseen_tuples(asked), []) is asked


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


def test_clauses_are_worded_by_a_vocabulary():
    words = Vocabulary(("age",), (Above("age", 62),))

    assert str(GlobalExplanation(~Var("age > 62"), ("age > 62",), "", words)) == "forall x: age(x) <= 62"
