"""Two classes explained together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.explain import two_classes
from logiclens.explain.choosing import literal_worth, reading_cost
from logiclens.explain.classwise import explain_class
from logiclens.explain.explanation import Explanation
from logiclens.explain.two_classes import explain_two_classes, flipped
from logiclens.logic import FALSE, TRUE, TruthTable, parse_formula
from tests.strategies import all_rows

NAMES = list("abcd")
ROWS = all_rows(4)


def drawn(seed: int, noise: float, n_rows: int = 2000) -> tuple[TruthTable, TruthTable]:
    """What a network says about some tuples, and the truth, which differs about a share of the rows."""
    random = np.random.default_rng(seed)
    said = random.random(len(ROWS)) < 0.5
    said[:2] = True, False
    weight = np.round(random.gamma(0.5, n_rows / 8, len(ROWS))) + 1.0
    wrong = np.round(weight * noise * random.random(len(ROWS)))
    table = TruthTable.from_counts(ROWS, weight * said, weight * ~said, NAMES)
    yes = np.where(said, weight - wrong, wrong)
    return table, TruthTable.from_counts(ROWS, yes, weight - yes, NAMES)


def value(found: tuple[Explanation, ...], truth: TruthTable) -> float:
    """How often formulas are right, less what reading them costs, of both classes the mean."""
    worth = literal_worth(float(truth.yes.sum()), float(truth.no.sum()))
    total = []
    for each, of in zip(found, (flipped(truth), truth), strict=True):
        fired = each.formula.evaluate(of.to_array(), of.names)
        right = np.where(fired, of.yes, of.no).sum() / of.total
        total.append(right - worth * float(reading_cost(each.formula.complexity)))
    return float(np.mean(total))


def are_opposites(found: tuple[Explanation, ...], table: TruthTable) -> bool:
    one, other = (each.formula.evaluate(table.to_array(), table.names) for each in found)
    return bool((one != other).all())


def alone(table: TruthTable, truth: TruthTable) -> tuple[Explanation, Explanation]:
    return (
        explain_class(flipped(table), "no", truth=flipped(truth), exact=False),
        explain_class(table, "yes", truth=truth, exact=False),
    )


@given(seed=st.integers(0, 10_000), noise=st.sampled_from([0.0, 0.1, 0.4, 0.8]))
def test_rules_are_opposites_or_much_better_than_any(seed: int, noise: float):
    table, truth = drawn(seed, noise)
    one_by_one = alone(table, truth)
    worth = literal_worth(float(truth.yes.sum()), float(truth.no.sum()))

    found = explain_two_classes(table, ("no", "yes"), truth, exact=False)
    least = value(one_by_one, truth) - two_classes.OPPOSITE_WORTH * worth

    assert [each.target for each in found] == ["no", "yes"]
    assert value(found, truth) >= least - 1e-9
    if are_opposites(found, table):
        return
    assert [each.formula for each in found] == [each.formula for each in one_by_one]
    for first in found[0].front:
        for second in found[1].front:
            pair = (
                replace(found[0], rule=replace(found[0].rule, formula=first.formula)),
                replace(found[1], rule=replace(found[1].rule, formula=second.formula)),
            )
            assert not are_opposites(pair, table) or value(pair, truth) < least + 1e-9


def test_two_rules_that_contradict_each_other_become_one_formula():
    """Most of them: where a pair would be longer by more than it is worth, they stay as they are."""
    contradicted = contradict = 0
    for seed in range(60):
        table, truth = drawn(seed, 0.3)
        contradicted += not are_opposites(alone(table, truth), table)
        contradict += not are_opposites(explain_two_classes(table, ("no", "yes"), truth), table)

    assert contradicted > 15
    assert contradict < contradicted / 3


def test_where_no_pair_is_as_good_each_class_has_its_own_rule(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(two_classes, "OPPOSITE_WORTH", -1e9)
    for seed in range(10):
        table, truth = drawn(seed, 0.3)
        found = explain_two_classes(table, ("no", "yes"), truth, exact=False)
        assert [each.formula for each in found] == [each.formula for each in alone(table, truth)]


def test_formulas_are_proved_and_stay_opposites():
    proved = 0
    for seed in range(30):
        table, truth = drawn(seed, 0.2)
        searched = explain_two_classes(table, ("no", "yes"), truth, exact=False)
        found = explain_two_classes(table, ("no", "yes"), truth, exact="auto")
        assert are_opposites(found, table) >= are_opposites(searched, table)
        proved += all(each.status == "proved minimal" for each in found)
        for each in found:
            assert each.formula in [point.formula for point in each.front]
            literals = [point.literals for point in each.front]
            assert literals == sorted(literals)

    assert proved > 20


def test_scores_and_support_are_those_of_each_class():
    formula = parse_formula("a | (b & c)")
    said = formula.evaluate(ROWS, NAMES)
    table = TruthTable.from_counts(ROWS, 10.0 * said, 10.0 * ~said, NAMES)

    first, second = explain_two_classes(table, (0, 1), table)

    assert second.support == 100.0
    assert first.support == 60.0
    assert second.scores is not None
    assert first.scores is not None
    assert (first.scores.precision, second.scores.precision) == (1.0, 1.0)
    assert (first.scores.coverage, second.scores.coverage) == (60 / 160, 100 / 160)


@pytest.mark.parametrize("yes", [True, False])
def test_a_network_that_gives_one_answer_only(yes: bool):
    truth = TruthTable.from_counts(ROWS, np.ones(16), np.ones(16), NAMES)
    table = TruthTable.from_counts(ROWS, 2.0 * np.full(16, yes), 2.0 * np.full(16, not yes), NAMES)

    first, second = explain_two_classes(table, ("no", "yes"), truth)

    assert second.formula == (TRUE if yes else FALSE)
    assert first.formula == (FALSE if yes else TRUE)


def test_the_longest_formula_is_said_to_be_the_longest():
    said = parse_formula("(a & ~b) | (~a & b)").evaluate(ROWS, NAMES)
    table = TruthTable.from_counts(ROWS, 100.0 * said, 100.0 * ~said, NAMES)

    found = explain_two_classes(table, ("no", "yes"), table, max_literals=2)

    assert all(each.formula.complexity <= 2 for each in found)
    assert {each.status for each in found} == {"proved minimal within max_literals=2"}
