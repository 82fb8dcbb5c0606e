"""Networks of thresholds as formulas: exact on every tuple, neuron by neuron."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError, LimitError
from logiclens.explain import compose as public_compose
from logiclens.explain.compose import (
    Composition,
    compose,
    fires,
    forward,
    smallest_formula,
    threshold_formula,
)
from logiclens.logic import FALSE, TRUE, TruthTable, equivalent, minimize, parse_formula
from tests.strategies import all_rows, plain_formulas


@st.composite
def networks(draw, most_concepts: int = 8):
    """Layers with few inputs a neuron; weights of tenths, so that sums are often rounded to nearly 0."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = [draw(st.integers(1, most_concepts)), *draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))]
    layers = []
    for n_in, n_out in pairwise(sizes):
        weights = rng.integers(-5, 6, size=(n_out, n_in)) / 10
        weights[rng.random(weights.shape) < 0.3] = 0.0
        layers.append((weights, rng.integers(-9, 10, size=n_out) / 10))
    return layers


@given(networks())
def test_outputs_are_the_network_on_every_tuple(layers):
    names = [f"c{j}" for j in range(layers[0][0].shape[1])]
    rows = all_rows(len(names))

    outputs = compose(layers, names).outputs

    assert np.array_equal(
        np.stack([formula.evaluate(rows, names) for formula in outputs], axis=1), forward(layers, rows)
    )


@given(networks(5))
def test_neurons_fit_together(layers):
    """The formulas of the neurons, evaluated layer by layer, give the same outputs."""
    names = [f"c{j}" for j in range(layers[0][0].shape[1])]
    found = compose(layers, names)
    values, called = all_rows(len(names)), tuple(names)

    for depth, formulas in enumerate(found.neurons):
        values = np.stack([formula.evaluate(values, called) for formula in formulas], axis=1)
        called = (*found.hidden_names, [f"out{j}" for j in range(len(formulas))])[depth]

    assert np.array_equal(values, forward(layers, all_rows(len(names))))


@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_the_forward_pass_is_a_matrix_product(n_layers):
    """Where nothing is rounded to 0, ``x @ W.T + b > 0`` says the same."""
    rng = np.random.default_rng(n_layers)
    sizes = [8, 5, 4, 3][: n_layers + 1]
    layers = [(rng.normal(size=(n_out, n_in)), rng.normal(size=n_out)) for n_in, n_out in pairwise(sizes)]
    rows = all_rows(8)
    values = rows
    for weights, biases in layers:
        values = values @ weights.T + biases > 0

    assert np.array_equal(values, forward(layers, rows))


def test_exclusive_or_as_in_section_5_1():
    """Hidden nodes ``~c1 & c2`` and ``c1 & ~c2``, the output their disjunction."""
    found = compose([([[-1, 1], [1, -1]], [-0.5, -0.5]), ([[1, 1]], [-0.5])], ["c1", "c2"])

    assert found.hidden_names == (("h1_0", "h1_1"),)
    first, second = found.neurons
    assert [str(formula) for formula in first] == ["~c1 & c2", "c1 & ~c2"]
    assert [str(formula) for formula in second] == ["h1_0 | h1_1"]
    assert equivalent(found.outputs[0], parse_formula("(~c1 & c2) | (c1 & ~c2)"))
    assert isinstance(public_compose([([[1.0]], [0.0])], ["a"]), Composition)


def test_zero_is_false():
    """A sum of exactly 0 does not fire, and one that is not exactly 0 goes by its sign."""
    assert compose([([[1, 1]], [-1])], ["a", "b"]).outputs[0] == parse_formula("a & b")
    assert compose([([[0.1, 0.2, -0.3]], [0])], ["a", "b", "c"]).outputs == (
        parse_formula("(a & ~c) | (b & ~c) | (a & b)"),  # 0.1 + 0.2 - 0.3 is rounded up
    )


@given(networks())
def test_columns_without_weight_and_other_rows_do_not_matter(layers):
    weights, biases = layers[0]
    rows = all_rows(weights.shape[1])
    wider = np.concatenate([np.zeros((len(weights), 3)), weights, np.zeros((len(weights), 40))], axis=1)
    wide_rows = np.ones((len(rows), wider.shape[1]), dtype=bool)
    wide_rows[:, 3 : 3 + weights.shape[1]] = rows

    whole = fires(rows, weights, biases)

    assert np.array_equal(fires(wide_rows, wider, biases), whole)
    assert np.array_equal(np.concatenate([fires(row[None], weights, biases) for row in rows]), whole)


def test_constants_fold():
    """A neuron that is always or never true leaves no trace in the outputs."""
    hidden = [[1, 0], [0, 0], [0, 0]], [-0.5, 1, -1]
    found = compose([hidden, ([[1, 1, 1], [0, 1, 0], [0, 0, 1], [1, -1, 0]], [-1.5, 0, 0, 0])], ["a", "b"])

    assert found.neurons[0][1:] == (TRUE, FALSE)
    assert found.outputs == (parse_formula("a"), TRUE, FALSE, FALSE)


def test_a_or_not_a_is_true():
    found = compose([([[1], [-1]], [-0.5, 0.5]), ([[1, 1]], [-0.5])], ["a"])

    assert found.outputs == (TRUE,)


def test_concepts_beyond_enumeration_are_composed_by_substitution():
    """Five groups of four concepts, each of which needs two; at least two groups."""
    weights = np.kron(np.eye(5), np.ones(4))
    layers = [(weights, np.full(5, -1.5)), (np.ones((1, 5)), np.array([-1.5]))]
    names = [f"c{j}" for j in range(20)]
    rows = np.random.default_rng(0).random((4000, 20)) < 0.3

    formula = compose(layers, names).outputs[0]

    truth = (rows.reshape(-1, 5, 4).sum(axis=2) >= 2).sum(axis=1) >= 2
    assert 0.1 < truth.mean() < 0.9
    assert np.array_equal(formula.evaluate(rows, names), truth)


def test_negated_groups_are_substituted_as_well():
    weights = np.kron(np.eye(5), np.ones(4))
    layers = [(weights, np.full(5, -3.5)), (-np.ones((1, 5)), np.array([0.5]))]
    names = [f"c{j}" for j in range(20)]

    formula = compose(layers, names).outputs[0]

    rows = np.random.default_rng(0).random((4000, 20)) < 0.7
    assert np.array_equal(formula.evaluate(rows, names), forward(layers, rows)[:, 0])


def test_what_no_concepts_bring_about_is_a_dont_care():
    """Of "at least one" and "both", the second implies the first: the third neuron need not ask for it."""
    hidden = [[1, 1], [1, 1]], [-0.5, -1.5]
    found = compose([hidden, ([[1, 1]], [-1.5])], ["a", "b"])

    assert [str(formula) for formula in found.neurons[1]] == ["h1_1"]
    assert found.outputs == (parse_formula("a & b"),)


@pytest.mark.parametrize("value", [True, False])
def test_deep_networks_over_many_concepts_are_composed_layer_by_layer(value):
    """Twenty-seven concepts, three inputs a neuron: "two of three", three layers deep."""
    three = [np.kron(np.eye(3**depth), np.ones(3)) for depth in (2, 1, 0)]
    layers = [(weights, np.full(len(weights), -1.5)) for weights in three]
    last = layers[-1] if value else (-layers[-1][0], -layers[-1][1])
    names = [f"c{j}" for j in range(27)]
    rows = np.random.default_rng(0).random((3000, 27)) < 0.5

    with pytest.raises(LimitError, match="more than 2000 terms"):
        compose([*layers[:2], last], names)

    layers[0] = (layers[0][0], np.full(9, -0.5))  # "one of three"
    last = (np.ones((1, 3)), np.array([-0.5])) if value else (-np.ones((1, 3)), np.array([0.5]))
    formula = compose([*layers[:2], last], names).outputs[0]
    assert np.array_equal(formula.evaluate(rows, names), forward([*layers[:2], last], rows)[:, 0])


def test_a_concept_called_like_a_hidden_neuron():
    found = compose([([[1, 0], [0, 1]], [0, 0]), ([[1, -1]], [0])], ["h1_1", "_h1_0"])

    assert found.hidden_names == (("__h1_0", "__h1_1"),)
    assert found.outputs[0] == parse_formula("h1_1 & ~_h1_0")


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_a_neuron_has_the_smallest_formula(n_inputs, seed):
    rng = np.random.default_rng(seed)
    weights, bias = rng.integers(-4, 5, size=(1, n_inputs)) + 0.0, rng.integers(-6, 7, size=1) + 0.0
    rows, names = all_rows(n_inputs), list("abcdef"[:n_inputs])
    truth = fires(rows, weights, bias)[:, 0]

    formula = compose([(weights, bias)], names).outputs[0]

    assert np.array_equal(formula.evaluate(rows, names), truth)
    smallest = minimize(TruthTable.from_counts(rows, truth, ~truth, names))
    assert formula.literals == smallest.literals


@given(plain_formulas())
def test_a_function_that_does_not_rise_is_minimized_all_the_same(formula):
    """Directions that are wrong, as rounding might make them, cost time and nothing else."""
    rows, names = all_rows(5), list("abcde")
    truth = formula.evaluate(rows, names)

    assert equivalent(threshold_formula(truth, np.ones(5, dtype=bool), names), formula)
    assert equivalent(smallest_formula(truth, names), formula)


def test_too_many_inputs_are_refused():
    with pytest.raises(LimitError, match="Neuron 0 of layer 1 has 17 inputs;"):
        compose([(np.ones((2, 17)), np.zeros(2))], [f"c{j}" for j in range(17)])


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([], "A network needs at least one layer."),
        (3, "layers must be pairs of weights and biases."),
        ([3], "Layer 1 must be a pair of weights and biases."),
        ([([1.0, 2.0], [0.0])], "Layer 1 must have weights of shape"),
        ([([[1.0, np.nan]], [0.0])], "Layer 1 has weights that are not finite."),
        ([([[1.0, 2.0]], [0.0]), ([[1.0, 2.0]], [0.0])], "Layer 2 reads 2 inputs;"),
        ([([[1.0]], [0.0])], "The first layer reads 1 input."),
        ([([["x"]], [0.0])], "weights of layer 1 must hold numbers."),
    ],
)
def test_what_is_refused(layers, message):
    with pytest.raises(InputError, match=message):
        compose(layers, ["a", "b"])
