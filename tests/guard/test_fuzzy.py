"""Degrees of truth: on truth values they are logic, in between they are the t-norm's."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from logiclens.guard.rule_guard import Circuit, TNorm
from logiclens.logic import FALSE, TRUE, And, Not, Or, Var
from tests.strategies import formulas

NAMES = ["a", "b", "c"]
a, b, c = map(Var, NAMES)
CORNERS = np.array(np.meshgrid(*[[0.0, 1.0]] * 3)).reshape(3, -1).T


def value(formula, row, tnorm):
    """The degree of truth by the definition, one connective after the other."""
    match formula:
        case Var():
            score = row[NAMES.index(formula.name)]
            return float(score > 0.5) if tnorm is TNorm.BOOLEAN else score
        case Not():
            return 1 - value(formula.args[0], row, tnorm)
        case And() | Or():
            degrees = [value(part, row, tnorm) for part in formula.args]
            if isinstance(formula, Or):
                degrees = [1 - degree for degree in degrees]
            total = degrees[0]
            for degree in degrees[1:]:
                total = max(0.0, total + degree - 1) if tnorm is TNorm.LUKASIEWICZ else total * degree
            return total if isinstance(formula, And) else 1 - total
    return float(formula == TRUE)


@given(st.lists(formulas(st.sampled_from(NAMES)), min_size=1, max_size=5))
def test_on_truth_values_every_t_norm_is_logic(several):
    circuit = Circuit.of(several, NAMES)
    expected = np.column_stack([formula.evaluate(CORNERS, NAMES) for formula in several])

    for tnorm in TNorm:
        assert np.array_equal(circuit.truth(CORNERS, tnorm), expected)


@given(st.lists(formulas(st.sampled_from(NAMES)), min_size=1, max_size=5), st.integers(0, 2**32 - 1))
def test_in_between_it_is_the_definition(several, seed):
    rows = np.random.default_rng(seed).random((4, 3))
    circuit = Circuit.of(several, NAMES)

    for tnorm in TNorm:
        expected = [[value(formula, row, tnorm) for formula in several] for row in rows]
        found = circuit.truth(rows, tnorm)
        assert np.allclose(found, expected, atol=1e-12)
        assert np.allclose(circuit.truth(torch.from_numpy(rows), tnorm).numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("tnorm", [TNorm.PRODUCT, TNorm.LUKASIEWICZ])
def test_gradients_are_those_of_differences(tnorm):
    circuit = Circuit.of([(a & ~b) | c, a.iff(b)], NAMES)
    rows = torch.tensor([[0.8, 0.3, 0.1], [0.6, 0.7, 0.2]], dtype=torch.float64, requires_grad=True)

    assert torch.autograd.gradcheck(lambda x: circuit.truth(x, tnorm), rows)


def test_equal_parts_are_worked_out_once():
    shared = a & ~b
    circuit = Circuit.of([shared | c, ~shared, shared], NAMES)

    assert sum(len(level.parts) for level in circuit.levels) == 4  # ~b, shared, ~shared, shared | c


def test_constants():
    assert Circuit.of([TRUE, FALSE], []).truth(np.zeros((2, 0)), TNorm.PRODUCT).tolist() == [[1, 0], [1, 0]]
