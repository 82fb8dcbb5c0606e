"""Minimization of truth tables: promises that hold for every table, known answers, and the parts of it."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial
from importlib import import_module

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logiclens.errors import InputError, LimitError
from logiclens.logic import (
    FALSE,
    TRUE,
    Cover,
    Status,
    TruthTable,
    Var,
    equivalent,
    minimize,
    minimize_path,
    parse_formula,
    prove,
)
from logiclens.logic.minimize import MinimizationProblem, agreeing_formula, relevance_of
from tests.logic.brute_force import best_errors
from tests.strategies import all_rows, distinct_names, labelled_rows

minimize_module = import_module("logiclens.logic.minimize")  # the package has the function of that name

DIGITS = "zero one two three four five six seven eight nine".split()


def table_of(rows) -> TruthTable:
    X, y, weight, names = rows
    return TruthTable.from_data(X, y, names=names, sample_weight=weight)


def majority(table: TruthTable):
    """Rows that have a definite answer, and the answer."""
    decided = table.yes != table.no
    return decided, (table.yes > table.no)[decided]


# --- agreeing with every tuple ------------------------------------------------------------------------


@given(labelled_rows(), st.sampled_from(["auto", False]))
def test_agrees_with_every_seen_tuple_in_no_more_literals_than_the_minterms(rows, exact):
    table = table_of(rows)
    found = minimize(table, exact=exact)
    decided, answer = majority(table)
    values = found.formula.evaluate(table.to_array(), table.names)

    assert np.array_equal(values[decided], answer)
    assert found.errors == np.minimum(table.yes, table.no).sum()
    assert found.literals <= (table.yes > table.no).sum() * len(table.names)

    assert found.formula.literals == found.literals == found.cover.n_literals
    assert found.cover == Cover.from_formula(found.formula, table.names)
    assert np.array_equal(found.cover.contains(table.rows), values)


@given(labelled_rows(), st.data())
@settings(max_examples=40)
def test_renaming_concepts_renames_the_result_and_nothing_else(rows, data):
    table = table_of(rows)
    others = data.draw(distinct_names(len(table.names), len(table.names)))
    renamed = minimize(table.rename(others))
    original = minimize(table)

    assert renamed.formula == original.cover.rename(dict(zip(table.names, others, strict=True))).to_formula()
    assert (renamed.errors, renamed.literals, renamed.status) == (
        original.errors,
        original.literals,
        original.status,
    )


@given(labelled_rows(), st.data(), st.sampled_from([0.0, 0.03, 0.1]))
@settings(max_examples=60)
def test_permuting_columns_keeps_errors_and_literals_when_proved(rows, data, literal_cost):
    X, y, weight, names = rows
    order = data.draw(st.permutations(range(len(names))))
    first = minimize(table_of(rows), literal_cost=literal_cost)
    second = minimize(
        table_of((X[:, order], y, weight, [names[j] for j in order])), literal_cost=literal_cost
    )

    if first.status == second.status == Status.PROVED:
        assert second.literals == first.literals
        assert second.errors == pytest.approx(first.errors)


@given(labelled_rows(max_concepts=3, max_rows=12))
@settings(max_examples=40)
def test_proved_minimal_is_minimal(rows):
    """No DNF of up to four terms over three concepts has fewer literals and as few errors."""
    table = table_of(rows)
    found = minimize(table)
    best = best_errors(table.to_array(), table.yes, table.no)

    assert found.status == Status.PROVED
    assert found.literals == min(n for n, errors in best.items() if errors == min(best.values()))


@given(labelled_rows(max_concepts=3, max_rows=12), st.sampled_from([0.01, 0.05, 0.2]))
@settings(max_examples=40)
def test_proved_trade_off_is_best(rows, literal_cost):
    table = table_of(rows)
    found = minimize(table, literal_cost=literal_cost)
    price = literal_cost * table.total
    best = best_errors(table.to_array(), table.yes, table.no)

    assert found.status == Status.PROVED
    assert found.errors + price * found.literals == pytest.approx(
        min(errors + price * n for n, errors in best.items())
    )


@given(labelled_rows(max_concepts=3, max_rows=12))
@settings(max_examples=40)
def test_proved_front_is_the_front(rows):
    table = table_of(rows)
    front = minimize_path(table)
    best = best_errors(table.to_array(), table.yes, table.no)
    expected, least = [], np.inf
    for literals in sorted(best):
        if best[literals] < least:
            least = best[literals]
            expected.append((literals, least))

    assert {point.status for point in front} == {Status.PROVED}
    assert [(point.literals, point.errors) for point in front] == expected


@given(labelled_rows(max_concepts=3, max_rows=12))
@settings(max_examples=40)
def test_a_proof_gives_the_best_formula_of_that_many_literals(rows):
    table = table_of(rows)
    best = best_errors(table.to_array(), table.yes, table.no)
    for found in minimize_path(table, exact=False):
        proof = prove(table, found)
        assert proof.status == Status.PROVED
        assert proof.literals <= found.literals
        assert proof.errors == pytest.approx(min(e for n, e in best.items() if n <= found.literals))


def test_a_proof_of_a_poor_formula_finds_the_better_one():
    """The best of one literal, offered as one of two."""
    table = TruthTable.from_data(all_rows(2), [False, True, True, True], names=["a", "b"])
    poor = replace(minimize_path(table, max_literals=1, exact=False)[-1], literals=2)
    proof = prove(table, poor)

    assert (str(proof.formula), proof.errors, proof.status) == ("a | b", 0.0, Status.PROVED)


def test_nothing_is_proved_where_that_is_not_wanted_or_too_much():
    random = np.random.default_rng(0)
    table = TruthTable.from_data(random.random((200, 40)) < 0.5, random.random(200) < 0.5)
    found = minimize_path(table, max_literals=3, exact=False)[-1]

    assert prove(table, found) is found
    assert prove(table, found, exact=False) is found
    with pytest.raises(LimitError, match="No proof within the limits for a table of 40 concepts"):
        prove(table, found, exact=True)


def test_a_formula_that_nothing_beats_is_the_one_that_is_proved():
    """Of equals the one that was asked about stays."""
    table = TruthTable.from_data(all_rows(2), [False, False, False, True], names=["a", "b"])
    table = TruthTable(table.names, table.rows, 3 * table.yes, table.no)
    for text in ("a", "b"):
        found = replace(minimize_path(table, exact=False)[0], literals=1, errors=99.0)
        formula = parse_formula(text)
        found = replace(found, cover=Cover.from_formula(formula, table.names))
        proof = prove(table, found)
        assert (str(proof.formula), proof.errors, proof.status) == (text, 1.0, Status.PROVED)


def test_only_formulas_for_the_table_are_proved():
    table = TruthTable.from_data(all_rows(2), [False, True, True, True], names=["a", "b"])
    other = TruthTable.from_data(all_rows(2), [False, True, True, True], names=["c", "b"])
    for found, message in ((None, "Got None"), ("a | b", "Got 'a | b'"), (minimize(other), r"\['c', 'b'\]")):
        with pytest.raises(InputError, match=message):
            prove(table, found)


def test_a_result_prints_as_a_line():
    found = minimize(TruthTable.from_data([[0], [1]], [0, 1], names=["a"]))

    assert str(found) == "a  (1 literal, errors 0, proved minimal)"
    assert repr(found) == "Minimized(formula=Var('a'), errors=0.0, literals=1, status='proved minimal')"


def test_exclusive_or_among_a_hundred_concepts():
    X = np.random.default_rng(0).random((4000, 100)) < 0.5
    found = minimize(TruthTable.from_data(X, X[:, 3] ^ X[:, 50]))

    assert found.literals == 4
    assert equivalent(found.formula, parse_formula("(x3 & ~x50) | (~x3 & x50)"))


@pytest.mark.parametrize("seed", range(2))
def test_planted_rule_among_a_hundred_concepts(seed):
    planted = parse_formula("(x3 & x17) | (x42 & ~x60) | (x5 & x71 & ~x88)")
    random = np.random.default_rng(seed)
    X = random.random((2000, 100)) < 0.5
    y = planted.evaluate(X)
    noisy = y ^ (random.random(2000) < 0.05)

    assert equivalent(minimize(TruthTable.from_data(X, y)).formula, planted)
    assert equivalent(minimize(TruthTable.from_data(X, noisy), literal_cost=0.005).formula, planted)


def test_a_tuple_with_both_answers_goes_by_the_larger_weight():
    X, y = [[0], [1], [1]], [0, 1, 0]

    assert minimize(TruthTable.from_data(X, y, names=["a"], sample_weight=[1, 3, 2])).formula == Var("a")
    assert minimize(TruthTable.from_data(X, y, names=["a"], sample_weight=[1, 2, 3])).formula == FALSE


def test_an_exact_tie_is_a_dont_care():
    table = TruthTable.from_data([[1, 0], [1, 1], [1, 1], [0, 0], [0, 1]], [1, 1, 0, 0, 1], names=["a", "b"])

    assert minimize(table).literals == 2
    assert minimize(table).errors == 1


@pytest.mark.parametrize(("answers", "formula"), [([1, 1], TRUE), ([0, 0], FALSE)])
def test_one_answer_only_gives_a_constant(answers, formula):
    table = TruthTable.from_data([[0, 1], [1, 0]], answers, names=["a", "b"])

    ways = (minimize(table), minimize(table, literal_cost=0.1), agreeing_formula(table, 0))
    for found in (*ways, *minimize_path(table)):
        assert (found.formula, found.literals, found.errors) == (formula, 0, 0.0)


def test_ties_everywhere_give_a_constant():
    found = minimize(TruthTable.from_data([[0], [0], [1], [1]], [0, 1, 0, 1], names=["a"]))

    assert (found.formula, found.errors) == (FALSE, 2.0)


def test_no_concepts_at_all():
    table = TruthTable.from_data([[0], [1], [1]], [0, 1, 1], names=["a"], columns=[])

    assert (minimize(table).formula, minimize(table).errors) == (TRUE, 1.0)


@pytest.mark.parametrize("n_concepts", [64, 65, 300])
def test_wide_tables(n_concepts):
    X = np.random.default_rng(0).random((500, n_concepts)) < 0.5
    table = TruthTable.from_data(X, X[:, n_concepts - 1] & ~X[:, 0])

    assert minimize(table).formula == parse_formula(f"~x0 & x{n_concepts - 1}")


# --- errors against literals --------------------------------------------------------------------------


@given(labelled_rows(), st.sampled_from([0.0, 0.01, 0.1, 1.0]), st.sampled_from(["auto", False]))
@settings(max_examples=60)
def test_a_dearer_literal_never_lengthens_the_formula(rows, literal_cost, exact):
    table = table_of(rows)
    cheap = minimize(table, literal_cost=literal_cost, exact=exact)
    dear = minimize(table, literal_cost=literal_cost + 0.05, exact=exact)

    if cheap.status == dear.status == Status.PROVED:
        assert dear.literals <= cheap.literals
        assert dear.errors >= cheap.errors - 1e-9


@given(labelled_rows(), st.integers(0, 6), st.integers(0, 3), st.sampled_from(["auto", False]))
@settings(max_examples=60)
def test_budgets_are_kept(rows, max_literals, max_terms, exact):
    table = table_of(rows)
    found = minimize(table, max_literals=max_literals, max_terms=max_terms, exact=exact)

    assert found.literals <= max_literals
    assert len(found.cover) <= max_terms
    assert minimize_path(table, max_literals=max_literals, exact=exact)[-1].literals <= max_literals


@given(labelled_rows())
@settings(max_examples=40)
def test_a_budget_that_does_not_bind_changes_no_error(rows):
    table = table_of(rows)

    assert minimize(table, max_literals=1000).errors == minimize(table).errors


@given(labelled_rows(), st.sampled_from(["auto", False]))
@settings(max_examples=60)
def test_front_falls_strictly_and_ends_in_agreement(rows, exact):
    table = table_of(rows)
    front = minimize_path(table, exact=exact)

    assert front[0].literals == 0
    assert front[-1].errors == np.minimum(table.yes, table.no).sum()
    for shorter, longer in itertools.pairwise(front):
        assert shorter.literals < longer.literals
        assert shorter.errors > longer.errors


@given(labelled_rows(), st.sampled_from([True, False]), st.sampled_from([0.01, 0.05, 0.2, 2.0]))
@settings(max_examples=40)
def test_front_ends_where_literals_are_not_worth_their_cost(rows, exact, cost):
    table = table_of(rows)
    front = minimize_path(table, exact=exact, literal_cost=cost)
    whole = minimize_path(table, exact=exact)

    def loss(found):
        return found.errors / table.total + cost * found.literals

    assert loss(front[-1]) == pytest.approx(min(map(loss, front)))
    if exact:  # as all of these are proved
        assert loss(front[-1]) <= min(map(loss, whole)) + 1e-9
    assert front[-1].literals <= whole[-1].literals


def test_front_of_the_digits_has_every_length():
    table = TruthTable.from_data(np.eye(10), np.arange(10) % 2 == 0, names=DIGITS)

    assert [(point.literals, point.errors) for point in minimize_path(table)] == [
        (0, 5.0), (1, 4.0), (2, 3.0), (3, 2.0), (4, 1.0), (5, 0.0)
    ]  # fmt: skip


def test_search_is_as_good_as_the_proof_on_noisy_rules():
    """The search alone reaches the proved optimum on all of these tables."""
    for seed in range(3):
        random = np.random.default_rng(seed)
        X = random.random((800, 8)) < 0.5
        y = (X[:, 0] & X[:, 1] | X[:, 2] & ~X[:, 3] | X[:, 4] & X[:, 1] & ~X[:, 2]) ^ (
            random.random(800) < 0.1
        )
        table = TruthTable.from_data(X, y)
        for literal_cost in (0.02, 0.005):
            proved = minimize(table, literal_cost=literal_cost, exact=True)
            searched = minimize(table, literal_cost=literal_cost, exact=False)

            assert searched.errors + literal_cost * table.total * searched.literals == pytest.approx(
                proved.errors + literal_cost * table.total * proved.literals
            )


# --- order, exact and bad settings --------------------------------------------------------------------

TWINS = TruthTable.from_data(all_rows(3)[:, [0, 0, 1, 2]], all_rows(3)[:, 0], names=["a", "twin", "b", "c"])


@pytest.mark.parametrize(
    ("order", "formula"),
    [
        (None, "a"),
        (["twin", "a"], "twin"),
        ([0.1, 0.9, 0.0, 0.0], "twin"),
        (np.array([5, 1, 0, 0]), "a"),
        (np.tile([0.0, 1.0, 0.0, 0.0], (8, 1)), "twin"),
    ],
)
def test_relevance_decides_between_equals(order, formula):
    assert minimize(TWINS, order=order).formula == Var(formula)
    assert minimize(TWINS, order=order, literal_cost=0.01).formula == Var(formula)
    assert minimize_path(TWINS, order=order)[-1].formula == Var(formula)


@pytest.mark.parametrize(("order", "formula"), [(None, "even"), (["odd"], "~odd"), (["even"], "even")])
def test_a_concept_is_preferred_to_the_negation_of_its_opposite(order, formula):
    digits = np.arange(10)
    table = TruthTable.from_data(
        {"odd": digits % 2 == 1, "big": digits > 4, "even": digits % 2 == 0}, digits % 2 == 0
    )

    for found in (minimize(table, order=order), minimize_path(table, order=order, exact=False)[-1]):
        assert found.formula == parse_formula(formula)
        assert found.errors == 0


def test_exact_insists_on_a_proof():
    random = np.random.default_rng(0)
    table = TruthTable.from_data(random.random((200, 40)) < 0.5, random.random(200) < 0.5)
    with pytest.raises(LimitError, match="No proof within the limits for a table of 40 concepts"):
        minimize(table, exact=True)


def test_exact_counts_only_concepts_that_differ():
    """Forty columns that repeat, negate or do not vary are three concepts."""
    base = all_rows(3)
    X = np.column_stack([base] * 6 + [~base] * 6 + [np.ones((8, 4), dtype=bool)])
    found = minimize(TruthTable.from_data(X, base[:, 0] ^ base[:, 1] ^ base[:, 2]), exact=True)

    assert (found.literals, found.status) == (12, Status.PROVED)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"literal_cost": -1}, "literal_cost must be a number"),
        ({"literal_cost": float("nan")}, "literal_cost must be a number"),
        ({"max_literals": -1}, "max_literals must be a whole number"),
        ({"max_terms": True}, "max_terms must be a whole number"),
        ({"exact": np.zeros(2)}, "exact must be 'auto', True or False"),
        ({"order": ["bb"]}, "Unknown concept 'bb'"),
    ],
)
def test_settings_that_make_no_sense(settings, message):
    with pytest.raises(InputError, match=message):
        minimize(TWINS, **settings)


def test_only_tables_are_minimized():
    for function in (minimize, minimize_path, partial(prove, found=None)):
        with pytest.raises(InputError, match="A TruthTable is needed"):
            function([[0, 1]])


# --- Espresso as an outside opinion -------------------------------------------------------------------


def espresso_literals(X, y) -> int:
    """Literals of PyEDA's Espresso on the same tuples; what it is not told is a don't-care to it, too."""
    espresso = pytest.importorskip("pyeda.boolalg.espresso", reason="PyEDA compiles C code")
    cubes = {(tuple(2 if bit else 1 for bit in row), (int(yes),)) for row, yes in zip(X, y, strict=True)}
    answer = espresso.espresso(X.shape[1], 1, cubes, espresso.FTYPE | espresso.RTYPE)
    return sum(value != 3 for inputs, _ in answer for value in inputs)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n_rows", "n_concepts"), [(40, 6), (80, 10), (150, 30)])
def test_no_more_literals_than_espresso(n_rows, n_concepts, seed):
    random = np.random.default_rng(seed)
    X = np.unique(random.random((n_rows, n_concepts)) < 0.5, axis=0)
    y = (X[:, 0] & X[:, 1]) | (X[:, 2] & ~X[:, 3] & X[:, 4])
    y ^= random.random(len(X)) < 0.1

    assert minimize(TruthTable.from_data(X, y)).literals <= espresso_literals(X, y)


# --- weights of any size ------------------------------------------------------------------------------

RULE = parse_formula("x0 | (x1 & x2)")


@given(labelled_rows(max_concepts=4), st.sampled_from([2.0**-40, 2.0**-10, 2.0**13, 2.0**27, 2.0**332]))
@settings(max_examples=30)
def test_the_unit_of_weight_changes_nothing(rows, unit):
    """Powers of two, so that the sums are the same to the last bit and ties stay ties."""
    X, y, weight, names = rows
    for setting in ({}, {"literal_cost": 0.03}, {"max_literals": 3}):
        plain = minimize(table_of(rows), **setting)
        scaled = minimize(table_of((X, y, weight * unit, names)), **setting)

        assert scaled.literals == plain.literals
        assert scaled.errors == pytest.approx(plain.errors * unit)


@pytest.mark.parametrize("heavy", [1e3, 1e6, 3e6, 1e8])
def test_a_light_tuple_beside_heavy_ones_is_not_forgotten(heavy):
    """With absolute tolerances the solver once called ``x0``, wrong on the light tuple, proved minimal."""
    X = all_rows(3)
    weight = np.where((X == [False, True, True]).all(axis=1), 1.0, heavy)
    table = TruthTable.from_data(X, RULE.evaluate(X), sample_weight=weight)

    assert equivalent(minimize(table, max_literals=10).formula, RULE)
    assert equivalent(minimize_path(table)[-1].formula, RULE)


@pytest.mark.parametrize("seed", range(6))
def test_proofs_hold_for_weights_of_all_sizes(seed):
    random = np.random.default_rng(seed)
    X, y = all_rows(3), random.random(8) < 0.5
    weight = np.exp(random.normal(0, 4, 8))
    table = TruthTable.from_data(X, y, sample_weight=weight)
    best = best_errors(table.to_array(), table.yes, table.no)
    for point in minimize_path(table):
        if point.status == Status.PROVED:
            least = min(errors for literals, errors in best.items() if literals <= point.literals)

            assert point.errors <= least + 2e-6 * table.total


@pytest.mark.parametrize("sigma", [3, 8])
def test_search_ends_on_weights_of_all_sizes(sigma):
    """Rounding once made a term that covered nothing new look like a gain, again and again."""
    random = np.random.default_rng(0)
    X, y = random.random((60, 14)) < 0.5, random.random(60) < 0.5
    front = minimize_path(TruthTable.from_data(X, y, sample_weight=np.exp(random.normal(0, sigma, 60))))

    assert front[-1].errors == 0


# --- one search behind all questions -------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_no_point_of_the_front_beats_a_cost_or_a_budget(seed):
    """And neither does the formula that agrees with every tuple."""
    random = np.random.default_rng(seed)
    X = random.random((80, 14)) < 0.5
    y = ((X[:, 0] & X[:, 1]) | (X[:, 2] & ~X[:, 3] & X[:, 4])) ^ (random.random(80) < 0.05)
    table = TruthTable.from_data(X, y)
    known = [*minimize_path(table), minimize(table)]
    for literal_cost in (1e-6, 0.005):
        found = minimize(table, literal_cost=literal_cost)
        price = literal_cost * table.total

        assert (
            found.errors + price * found.literals <= min(p.errors + price * p.literals for p in known) + 1e-9
        )
    for max_literals in (2, 5):
        within = [point.errors for point in known if point.literals <= max_literals]

        assert minimize(table, max_literals=max_literals).errors <= min(within)


def test_eight_lines_are_found_at_any_price():
    """Tic-tac-toe: each of the eight terms pays only once the others are there."""
    random = np.random.default_rng(0)
    X = random.random((700, 18)) < 0.45
    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
    y = np.any([X[:, list(line)].all(axis=1) for line in lines], axis=0)
    table = TruthTable.from_data(X, y)

    for setting in ({}, {"max_literals": 24}, {"max_literals": 50}, {"literal_cost": 1e-6}, {"max_terms": 8}):
        found = minimize(table, **setting)
        assert (found.literals, found.errors) == (24, 0.0)


def test_a_long_front_ends_in_agreement_with_all_tuples(monkeypatch):
    """The search sees a sample of a long table; a single odd tuple counts all the same."""
    monkeypatch.setattr(minimize_module, "_SAMPLE", 128)
    random = np.random.default_rng(0)
    X = np.unique(random.random((1500, 16)) < 0.5, axis=0)
    y = X[:, 0] & X[:, 1]
    y[700] ^= True

    assert minimize_path(TruthTable.from_data(X, y))[-1].errors == 0


def test_tiny_tables_are_always_proved():
    """The solver's presolve called some of these programs infeasible, right after it had solved them."""
    random = np.random.default_rng(0)
    for _ in range(60):
        X, y = all_rows(3), random.random(8) < 0.5
        table = TruthTable.from_data(X, y, sample_weight=np.exp(random.normal(0, 1, 8)))
        for max_literals in (2, 3, 4):
            assert minimize(table, max_literals=max_literals, exact=True).status == Status.PROVED


def test_long_formulas_of_a_front_are_proved_only_if_they_must_be():
    """At least two of four takes 12 literals."""
    bits = all_rows(4)
    table = TruthTable.from_data(bits, bits.sum(axis=1) >= 2)
    found = minimize_path(table, max_literals=32)

    assert found[-1].literals == 12
    assert {point.status for point in found if point.literals <= 9} == {Status.PROVED}
    assert {point.status for point in found if point.literals > 9} == {Status.SEARCHED}
    assert prove(table, found[-1]) == found[-1]
    assert prove(table, found[-1], exact=True).status is Status.PROVED


@pytest.mark.parametrize("size", [1 << 12, 40])
def test_a_formula_that_agrees_is_found_soon_or_not_at_all(monkeypatch, size):
    """From all tuples at once, or from some and those on which the formula was wrong."""
    monkeypatch.setattr(minimize_module, "_SMALL_SET", size)
    bits = all_rows(10)
    table = TruthTable.from_data(bits, (bits[:, 0] & bits[:, 1]) | ~bits[:, 2])
    found = agreeing_formula(table, 20)

    assert (found.literals, found.errors, found.status) == (3, 0.0, Status.SEARCHED)
    assert agreeing_formula(table, 2) is None


@given(labelled_rows())
def test_terms_mean_the_same_over_all_concepts(rows):
    X, y, weight, names = rows
    table = TruthTable.from_data(X, y, names=names, sample_weight=weight)
    ready = MinimizationProblem(table, None)
    decided = table.to_array()[table.yes != table.no]
    for sign in (1, -1):
        whole = ready.over_all_concepts(sign * np.eye(ready.n_concepts, dtype=np.int8))
        for at, term in enumerate(whole):
            (column,) = np.flatnonzero(term)

            assert np.array_equal(decided[:, column] == (term[column] > 0), ready.bits[:, at] == (sign > 0))


def test_long_tables_are_sampled_by_weight(monkeypatch):
    """A tuple with a tenth of the weight has a tenth of the sample's; the total stays."""
    monkeypatch.setattr(minimize_module, "_SAMPLE", 100)
    weight = np.r_[100.0, np.full(899, 1.0)]
    table = TruthTable.from_data(all_rows(10)[:900], np.arange(900) % 2, sample_weight=weight)
    ready = MinimizationProblem(table, None)
    bits, gain = ready.sample()

    assert len(bits) <= 100
    assert np.abs(gain).sum() * ready.scale == pytest.approx(table.total)
    assert np.abs(gain).max() * ready.scale == pytest.approx(100, rel=0.1)


NAMES = ("a", "b", "c")


def relevance(order, n_rows=2):
    return relevance_of(order, NAMES, n_rows).tolist()


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (None, [[0, 0, 0]]),
        (["c", "a"], [[1 - 1 / 3, 0, 1]]),
        *((kind(["c", "a"]), [[1 - 1 / 3, 0, 1]]) for kind in (tuple, np.array, pd.Index, pl.Series, iter)),
        ([1, 3, 2], [[0, 1, 0.5]]),
        ([True, False, True], [[1, 0, 1]]),
        ([1.7e308, -1.7e308, 0], [[1, 0, 0.5]]),  # the largest floats
        ([7, 7, 7], [[0, 0, 0]]),
        ([[1, 3, 2], [10, 0, 5]], [[0, 1, 0.5], [1, 0, 0.5]]),  # each row by itself
        (pd.DataFrame([[1, 3, 2], [10, 0, 5]]), [[0, 1, 0.5], [1, 0, 0.5]]),
    ],
)
def test_relevance(order, expected):
    assert relevance(order) == expected


def test_names_that_look_like_numbers_are_names():
    assert relevance_of(np.array(["10", "2"]), ("2", "10"), 1).tolist() == [[0.5, 1]]


@given(distinct_names(1, 6), st.data())
def test_the_order_of_names_is_the_order_of_relevance(names, data):
    listed = data.draw(st.permutations(names))
    found = relevance_of(listed, tuple(names), 1)

    assert found.shape == (1, len(names))
    assert [names[j] for j in np.argsort(-found[0])] == listed
    assert found.min() > 0
    assert found.max() == 1


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
def test_scores_keep_their_order_whatever_their_size(scores):
    (found,) = relevance(scores)

    assert all(0 <= value <= 1 for value in found)
    for i in range(3):
        for j in range(3):
            assert scores[i] < scores[j] or found[i] >= found[j]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ("ab", "not one string"),
        (["a", "b", "a"], "names a concept twice"),
        (["a", 1, 2], "names only or numbers only"),
        (5, "scores of shape"),
        ([], "scores of shape"),
        (np.zeros((3, 3)), "scores of shape"),
        ([1, np.inf, 2], "finite scores"),
        ([1, None, 2], "finite scores"),
        ([1, 1j, 2], "must hold numbers"),
        ({"a": 1, "b": 2, "c": 3}, "must hold numbers"),
        ({"a", "b"}, "must hold numbers"),
        ([["a", "b"], ["c", "d"]], "must hold numbers"),
        ([10**400, 1, 2], "too large for a float"),
        ([[1, 2, 3], [1]], "not rectangular"),
    ],
)
def test_bad_orders(order, message):
    with pytest.raises(InputError, match=message):
        relevance(order)
