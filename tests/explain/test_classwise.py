"""Class-level explanations: choice on validation rows, kinds of rules, constants, unseen tuples."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.errors import InputError
from logiclens.explain.classwise import (
    ALWAYS,
    NEVER,
    PRICES,
    USELESS,
    explain_class,
)
from logiclens.explain.explanation import Scope
from logiclens.explain.rule import RuleKind
from logiclens.logic import FALSE, TRUE, TruthTable, Var, equivalent, parse_formula
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
    assert found.chosen.errors == 0


@given(labelled_rows(max_concepts=4, max_rows=30), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_the_front_falls_strictly_with_the_proved_formula_in_it(data, seed):
    """Wherever the proof put the formula that was taken, and whether or not there is a truth to choose by."""
    X, y, weight, names = data
    table = TruthTable.from_data(X, y, names, weight)
    answers = np.random.default_rng(seed).integers(0, 5, (2, table.n_rows)).astype(float)
    answers[0, 0] += 1.0  # a table needs some weight
    truth = TruthTable(table.names, table.rows, *answers)
    for known in (None, truth):
        found = explain_class(table, "y", truth=known)
        if found.front:
            points = [(point.literals, point.errors) for point in found.front]
            assert points == sorted(points)
            assert all(a[1] > b[1] for a, b in pairwise(points))
            assert [point.formula for point in found.front].count(found.formula) == 1


@given(labelled_rows(3, 12))
def test_without_truth_the_end_of_the_front_is_taken(data):
    X, y, weight, names = data
    table = TruthTable.from_data(X, y, names, weight)

    found = explain_class(table, "t")

    if found.front:
        assert found.chosen == found.front[-1]
        assert found.chosen.errors == min(point.errors for point in found.front)
        best = np.where(table.yes > table.no, table.no, table.yes).sum()
        assert found.chosen.errors == best


@given(labelled_rows(3, 12), labelled_rows(3, 12), KINDS)
def test_errors_scores_and_fidelity_are_what_counting_gives(data, other, kind):
    """The front says of each formula what rows say, and the chosen one is on the front."""
    X, y, weight, names = data
    table = TruthTable.from_data(X, y, names, weight)
    X_other, truth, truth_weight, _ = other
    X_truth = np.resize(X_other, (len(X_other), len(names)))
    found = explain_class(
        table, "t", kind=kind, truth=TruthTable.from_data(X_truth, truth, names, truth_weight)
    )

    for point in found.front:
        said = point.formula.evaluate(X, names)
        assert point.errors == pytest.approx(weight[said != y].sum())
        assert point.literals == point.formula.complexity
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
    if found.front:
        assert found.chosen is not None
        if kind in (RuleKind.IFF, RuleKind.CLUSTER) and truth.any() and not truth.all():
            assert found.chosen.score == pytest.approx(scores.accuracy)


@given(labelled_rows(3, 12), KINDS)
def test_no_formula_of_the_front_costs_less_at_the_prices_of_its_kind(data, kind):
    """A miss of an IF rule and a false yes of an ONLY IF rule cost more than anything else."""
    X, y, weight, names = data
    table = TruthTable.from_data(X, y, names, weight)
    false_yes, miss = PRICES.get(kind, (1.0, 1.0))

    def cost(formula):
        said = formula.evaluate(table.to_array(), names)
        return float(np.where(said, false_yes * table.no, miss * table.yes).sum())

    found = explain_class(table, "t", kind=kind)

    assert cost(found.formula) <= min([cost(TRUE), cost(FALSE)]) + 1e-9
    if found.front:
        assert cost(found.formula) == min(cost(point.formula) for point in found.front)
        assert all(cost(a.formula) > cost(b.formula) for a, b in pairwise(found.front))


def test_never_and_always_predicted():
    rows = all_rows(2)
    for answers, formula, status in (([0] * 4, FALSE, NEVER), ([1] * 4, TRUE, ALWAYS)):
        found = explain_class(TruthTable.from_data(rows, answers), "t")
        assert (found.formula, found.status, found.front) == (formula, status, ())
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
    assert found[RuleKind.IF].chosen.errors == 5.0
    assert found[RuleKind.IF].shorter(0).formula == TRUE


def test_nothing_is_necessary():
    """The network's answers tell nothing about the members: only TRUE holds on all of them."""
    table = table_of("a", 2)
    truth = table_of("~a", 2)

    found = explain_class(table, "t", kind="if", truth=truth)

    assert (found.formula, found.status) == (TRUE, USELESS[RuleKind.IF])


def test_nothing_is_sufficient():
    table = table_of("a", 2)
    truth = table_of("~a", 2)

    found = explain_class(table, "t", kind="only_if", truth=truth)

    assert (found.formula, found.status) == (FALSE, USELESS[RuleKind.ONLY_IF])


def test_a_cluster_is_explained_like_an_equivalence():
    table = table_of("a & ~b", 3)

    assert explain_class(table, 0, kind="cluster").formula == explain_class(table, 0).formula


def test_order_decides_between_equals():
    X = np.repeat([[0, 0], [1, 1]], 3, axis=0)
    table = TruthTable.from_data(X, X[:, 0], ["a", "b"])

    assert explain_class(table, "t", order=["b", "a"]).formula == Var("b")
    assert explain_class(table, "t", order=[[1, 0], [1, 0]]).formula == Var("a")


def test_max_literals_bounds_the_front():
    found = explain_class(table_of("(a & b) | (c & d)", 4), "t", max_literals=2)

    assert max(point.literals for point in found.front) == 2


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_names_are_data(name):
    table = TruthTable.from_data([[0], [1]], [0, 1], [name])

    assert explain_class(table, name, truth=table).formula == Var(name)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda _: explain_class([[1]], "t"),
            "table must be a TruthTable. Got [[1]]; build one with TruthTable.from_data(concepts, answers).",
        ),
        (
            lambda table: explain_class(table, "t", truth=3),
            "truth must be a TruthTable. Got 3; build one with TruthTable.from_data(concepts, answers).",
        ),
        (
            lambda table: explain_class(table, "t", kind="iif"),
            "Unknown kind of rule 'iif'. Did you mean 'if'? There are 'if', 'only_if', 'iff', 'cluster'.",
        ),
        (
            lambda table: explain_class(table, "t", truth=table.select(["a"])),
            "Unknown concept 'b'. The only known concept is 'a'.",
        ),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(InputError) as info:
        call(table_of("a & b", 2))

    assert str(info.value) == message
