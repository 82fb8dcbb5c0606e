"""Values in place of negated values: never longer, never wrong more often, and only where it is open."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.concepts import Above, Flag, OneOf, Vocabulary
from logiclens.explain.positive import prefer_values
from logiclens.logic import FALSE, TRUE, And, Formula, Not, Or, TruthTable, Var, minimize

SQUARE = Vocabulary(
    ("square", "age", "flag"),
    (
        *(OneOf("square", (value,)) for value in "xob"),
        Above("age", 30),
        Above("age", 62),
        Flag("flag"),
    ),
)
X, NOUGHT, B = (Var(f"square = {value}") for value in "xob")
FLAG = Var("flag")


@st.composite
def encoded_tables(draw) -> TruthTable:
    """What is said of some rows of the raw table, over all of its concepts."""
    squares = st.sampled_from(["x", "o", "b", "new"])
    row = st.tuples(squares, st.sampled_from([20, 40, 70]), st.booleans())
    rows = draw(st.lists(row, min_size=1, max_size=12))
    columns = dict(zip(SQUARE.columns, map(list, zip(*rows, strict=True)), strict=True))
    concepts = np.column_stack([*SQUARE.encode(columns).values()])
    said = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    weight = draw(st.lists(st.integers(1, 5), min_size=len(rows), max_size=len(rows)))
    return TruthTable.from_data(concepts, said, names=SQUARE.names, sample_weight=weight)


def terms() -> st.SearchStrategy[Formula]:
    """Terms over the concepts of the table, each concept once."""
    names = st.lists(st.sampled_from(SQUARE.names), min_size=1, max_size=3, unique=True)
    signed = names.flatmap(
        lambda found: st.tuples(*(st.sampled_from([Var(name), Not(Var(name))]) for name in found))
    )
    return signed.map(And.of)


def dnfs() -> st.SearchStrategy[Formula]:
    return st.lists(terms(), min_size=1, max_size=3, unique=True).map(Or.of) | st.sampled_from([TRUE, FALSE])


def errors(formula: Formula, table: TruthTable) -> float:
    fired = formula.evaluate(table.to_array(), table.names)
    return float(np.where(fired, table.no, table.yes).sum())


def denials(formula: Formula) -> int:
    """Negated values of the square in a DNF."""
    parts = formula.args if isinstance(formula, Or) else (formula,)
    literals = [each for part in parts for each in (part.args if isinstance(part, And) else (part,))]
    return sum(isinstance(each, Not) and each.concepts[0].startswith("square") for each in literals)


@given(formula=dnfs(), table=encoded_tables())
def test_never_worse_and_never_longer(formula, table):
    found = prefer_values(formula, table, SQUARE)

    assert errors(found, table) <= errors(formula, table)
    assert found.complexity <= formula.complexity
    assert denials(found) <= denials(formula)


@given(formula=dnfs(), table=encoded_tables())
def test_doing_it_again_changes_nothing(formula, table):
    once = prefer_values(formula, table, SQUARE)

    assert prefer_values(once, table, SQUARE) == once


@given(table=encoded_tables())
def test_no_literal_follows_from_the_rest_of_its_term(table):
    """Where none did before: formulas that are minimal on the table."""
    found = prefer_values(minimize(table).formula, table, SQUARE)

    for term in found.args if isinstance(found, Or) else (found,):
        assert SQUARE.simplify(term).complexity == term.complexity


def test_a_value_stands_for_what_it_is_not():
    table = TruthTable.from_data([[1, 0], [0, 1]], [1, 0], names=[X.name, NOUGHT.name])

    assert prefer_values(~NOUGHT, table, SQUARE) == X


def test_the_negated_value_stays_where_it_says_something_else():
    """An empty square is neither, and it occurs."""
    table = TruthTable.from_data(
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 0, 1], names=[X.name, NOUGHT.name, B.name]
    )

    assert prefer_values(~NOUGHT, table, SQUARE) == ~NOUGHT


@pytest.mark.parametrize("formula", [~FLAG, ~Var("age > 62"), ~X & NOUGHT])
def test_other_literals_stay(formula):
    """Booleans and thresholds are no values, and the other value of a column may be there already."""
    rows = [[0, 1, 0, 0, 0, 0], [1, 0, 0, 1, 1, 1]]
    table = TruthTable.from_data(rows, [1, 0], names=SQUARE.names)

    assert prefer_values(formula, table, SQUARE) == formula


@pytest.mark.parametrize("formula", [TRUE, FALSE])
def test_constants_stay(formula):
    table = TruthTable.from_data([[1, 0], [0, 1]], [1, 0], names=[X.name, NOUGHT.name])

    assert prefer_values(formula, table, SQUARE) == formula
