"""The questions about one table: a minimizer that is asked several does not mix them up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from logiclens.errors import LimitError
from logiclens.logic import Cover, TruthTable, equivalent
from logiclens.logic import minimizer as minimizer_module
from logiclens.logic.expand import covered_rows
from logiclens.logic.minimizer import Minimizer, Status
from logiclens.logic.problem import Problem
from logiclens.logic.tradeoff import Budget
from tests.strategies import all_rows


def xor_table() -> TruthTable:
    bits = all_rows(3)
    return TruthTable.from_data(bits, bits[:, 0] ^ bits[:, 1], names=["a", "b", "c"])


def test_one_minimizer_answers_all_questions_and_the_same_each_time():
    minimizer = Minimizer(Problem(xor_table(), None), "auto")
    agreed, path = minimizer.agree(), minimizer.path(Budget())
    traded = minimizer.trade(0.0, Budget(literals=2))

    assert (agreed.literals, agreed.errors, agreed.status) == (4, 0.0, Status.PROVED)
    assert [(point.literals, point.errors) for point in path] == [(0, 4.0), (2, 2.0), (4, 0.0)]
    assert (traded.literals, traded.errors) == (2, 2.0)
    assert minimizer.prove(traded).status is Status.PROVED
    assert minimizer.agree() == agreed


def test_too_many_concepts_for_a_proof_are_refused_at_once():
    random = np.random.default_rng(0)
    table = TruthTable.from_data(random.random((99, 13)) < 0.5, random.random(99) < 0.5)
    with pytest.raises(LimitError, match="No proof within the limits for a table of 13 concepts"):
        Minimizer(Problem(table, None), True)


@pytest.mark.parametrize("n_concepts", [3, 8, 9])  # prime terms of the lattice up to 8, a search beyond
def test_the_start_of_a_search_agrees_with_every_tuple_and_is_not_too_long(n_concepts):
    bits = all_rows(n_concepts)
    gain = np.where((bits[:, 0] & bits[:, 1]) | ~bits[:, 2], 1.0, -1.0)
    minimizer = Minimizer(Problem(TruthTable.from_data(bits, gain > 0), None), False)

    start = minimizer._start(bits, gain, 3)

    assert np.abs(start).sum() == 3
    assert np.array_equal(covered_rows(start, bits), gain > 0)
    assert minimizer._start(bits, gain, 2) is None


def test_long_formulas_of_a_front_are_proved_only_if_they_must_be():
    """At least two of four takes 12 literals."""
    bits = all_rows(4)
    problem = Problem(TruthTable.from_data(bits, bits.sum(axis=1) >= 2), None)
    found = Minimizer(problem, "auto").path(Budget(literals=32))

    assert found[-1].literals == 12
    assert {point.status for point in found if point.literals <= 9} == {Status.PROVED}
    assert {point.status for point in found if point.literals > 9} == {Status.SEARCHED}
    assert Minimizer(problem, "auto").prove(found[-1]) == found[-1]
    assert Minimizer(problem, True).prove(found[-1]).status is Status.PROVED


def test_agreement_is_proved_without_an_integer_program(monkeypatch):
    """Of two formulas that agree with every tuple the shorter one is found; others still need the program."""
    bits = all_rows(3)
    table = TruthTable.from_data(bits, bits[:, 0] | (bits[:, 1] & bits[:, 2]), names=["a", "b", "c"])
    problem = Problem(table, None)
    *_, short = Minimizer(problem, False).path(Budget())
    cover = Cover.from_literals(["a", "b", "c"], [{"a": True}, {"a": False, "b": True, "c": True}])
    poor = replace(short, cover=cover, literals=4)

    def never(*_: object) -> None:
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr(minimizer_module, "best_tradeoff", never)
        for found in (short, poor):
            proof = Minimizer(problem, "auto").prove(found)
            assert (proof.literals, proof.errors, proof.status) == (3, 0.0, Status.PROVED)
            assert equivalent(proof.formula, short.formula)
        with pytest.raises(AssertionError):
            Minimizer(problem, "auto").prove(Minimizer(problem, False).trade(0.0, Budget(literals=1)))


@pytest.mark.parametrize("glance", [1 << 12, 40])
def test_a_formula_that_agrees_is_found_soon_or_not_at_all(monkeypatch, glance):
    """From all tuples at once, or from some and those on which the formula was wrong."""
    monkeypatch.setattr(minimizer_module, "_GLANCE", glance)
    bits = all_rows(10)
    yes = (bits[:, 0] & bits[:, 1]) | ~bits[:, 2]
    minimizer = Minimizer(Problem(TruthTable.from_data(bits, yes), None), False, restarts=1)
    found = minimizer.agree_within(20)

    assert found is not None
    assert (found.literals, found.errors, found.status) == (3, 0.0, Status.SEARCHED)
    assert minimizer.agree_within(2) is None


@pytest.mark.parametrize("answer", [0, 1])
def test_a_table_of_one_answer_needs_no_literal(answer):
    table = TruthTable.from_data(all_rows(2), [answer] * 4)

    assert Minimizer(Problem(table, None), False).agree_within(0).literals == 0


def test_a_formula_that_goes_on_being_wrong_is_given_up(monkeypatch):
    monkeypatch.setattr(minimizer_module, "_GLANCES", 0)

    assert Minimizer(Problem(xor_table(), None), False).agree_within(9) is None
