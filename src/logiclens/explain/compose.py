"""Formulas of a network of thresholds, neuron by neuron: the psi network's explanation (Sec. 5.1).

A neuron of such a network is true or false, and so are its inputs. So each neuron *is* a Boolean formula of
the neurons before it, and the outputs are formulas of the concepts. They are exact: true of a tuple if and
only if the network says yes, whether or not the tuple was ever seen.

A single neuron is a threshold of a weighted sum, which moves in one direction with each input. The shortest
DNF of such a function is unique: all of its prime terms. They are read off its truth table, so pruning to a
small fan-in is what makes this feasible.

What a sum that is rounded to zero means depends on the order of summation. :func:`fires` fixes it: float64,
input by input, the bias last. Neither inputs without weight nor the number of rows matter to it, as they may
to a matrix product. Who decides with :func:`forward` gets the decision of the formulas, ties included.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from logiclens.errors import InputError, LimitError, count, shown
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, pack, unpack
from logiclens.logic.cover import Cover
from logiclens.logic.data import as_floats, check_names
from logiclens.logic.formula import FALSE, TRUE, Formula, Not, Var
from logiclens.logic.minimize import minimize
from logiclens.logic.normal_form import conjuncts, dnf_terms
from logiclens.logic.truth_table import TruthTable

MAX_FAN_IN: Final = 16
"""Most inputs of a neuron that have a weight."""
MAX_TUPLES_OF: Final = 14
"""Most concepts whose tuples are all sent through the network; formulas are put into formulas beyond."""
MAX_TERMS: Final = 2000
"""Most terms of a formula, and of those it is made of on the way."""
_SIMPLIFIED: Final = 500  # terms up to which superfluous ones are looked for
_TOO_LONG: Final = f"The formula of the network has more than {MAX_TERMS} terms."
_SMALLER: Final = "For exact rules use a smaller fan_in, fewer hidden units or a larger l1."

Layer: TypeAlias = tuple[FloatArray, FloatArray]
"""Weights, shape (n_out, n_in), and biases, shape (n_out,)."""


@dataclass(frozen=True)
class Composition:
    """Formulas of all neurons of a network.

    Attributes
    ----------
    neurons : tuple of tuple of Formula
        For each layer, the formula of each neuron over the outputs of the layer before: over the concepts in
        the first layer, over :attr:`hidden_names` in the others (Fig. 8a).
    outputs : tuple of Formula
        The formula of each output over the concepts, in DNF.
    hidden_names : tuple of tuple of str
        Names of the hidden neurons, layer by layer: ``h1_0``, ``h1_1``, ..., ``h2_0``, ...
    """

    neurons: tuple[tuple[Formula, ...], ...]
    outputs: tuple[Formula, ...]
    hidden_names: tuple[tuple[str, ...], ...]


def compose(layers: Iterable[tuple[ArrayLike, ArrayLike]], names: Sequence[str]) -> Composition:
    """Formulas of a network whose neurons are true when ``w x + b > 0``.

    Parameters
    ----------
    layers : sequence of (weights, biases)
        Arrays of shape (n_out, n_in) and (n_out,), from the concepts to the outputs. A weight of 0 is an
        input that was pruned.
    names : sequence of str
        The concepts, one for each input of the first layer.

    Returns
    -------
    Composition
        Outputs of up to 12 concepts are proved to be minimal where that is quick.

    Raises
    ------
    InputError
        The layers do not fit together, or a weight is not finite.
    LimitError
        A neuron has more than 16 inputs, or the formula of an output more than 2000 terms.

    Examples
    --------
    Exclusive or takes a hidden layer: one neuron for "or", one for "and".

    >>> hidden = [[1.0, 1.0], [1.0, 1.0]], [-0.5, -1.5]
    >>> output = [[1.0, -1.0]], [-0.5]
    >>> found = compose([hidden, output], ["x1", "x2"])
    >>> for layer in found.neurons:
    ...     print(*layer, sep=", ")
    x1 | x2, x1 & x2
    h1_0 & ~h1_1
    >>> print(found.outputs[0])
    (~x1 & x2) | (x1 & ~x2)

    References
    ----------
    Sec. 5.1 and Fig. 8a of Ciravegna et al., *Logic Explained Networks*.
    """
    checked, concepts = check_layers(layers), check_names(names)
    width = checked[0][0].shape[1]
    if len(concepts) != width:
        raise InputError(
            f"The first layer reads {count(width, 'input')}. Got {count(len(concepts), 'name')}; "
            "give one name for each."
        )
    called = (concepts, *_hidden_names([len(biases) for _, biases in checked], set(concepts)))
    neurons = tuple(
        tuple(neuron_formula(checked[: depth + 1], at, called[depth]) for at in range(len(biases)))
        for depth, (_, biases) in enumerate(checked)
    )

    @cache
    def over_concepts(depth: int, at: int, value: bool) -> Cover:
        """Where a neuron is true, or where it is false, as terms over the concepts."""
        rule = neurons[depth][at] if value else neuron_formula(checked[: depth + 1], at, called[depth], False)
        if depth == 0:
            return Cover.from_formula(rule, concepts)
        reached, part = _leading_to(checked[: depth + 1], at)
        if len(reached) <= MAX_TUPLES_OF:
            truth = forward(part, all_tuples(len(reached)))[:, 0]
            smallest = smallest_formula(truth == value, [concepts[j] for j in reached])
            return Cover.from_formula(smallest, concepts)
        before = {name: place for place, name in enumerate(called[depth])}
        found = Cover.from_formula(FALSE, concepts)
        for term in dnf_terms(rule):
            product = Cover.from_formula(TRUE, concepts)
            for literal in conjuncts(term):
                name, said = (literal.arg, False) if isinstance(literal, Not) else (literal, True)
                assert isinstance(name, Var)
                product = product.intersect(over_concepts(depth - 1, before[name.name], said), MAX_TERMS)
            found = found.union(product)
            if len(found) > MAX_TERMS:
                raise LimitError(_TOO_LONG)
        return found.simplify() if len(found) <= _SIMPLIFIED else found

    last = len(checked) - 1
    try:
        covers = [over_concepts(last, at, True) for at in range(len(neurons[last]))] if last else []
    except LimitError:
        raise LimitError(_TOO_LONG, _SMALLER) from None
    outputs = tuple(cover.to_formula() for cover in covers) if last else neurons[0]
    return Composition(neurons, outputs, called[1:-1])


def fires(inputs: BoolArray, weights: FloatArray, biases: FloatArray) -> BoolArray:
    """Which neurons of a layer are true: ``w x + b > 0``, summed in float64, input by input, the bias last.

    From (n_rows, n_in) to (n_rows, n_out).

    Examples
    --------
    >>> fires(np.array([[True, True], [True, False]]), np.array([[1.0, 1.0]]), np.array([-1.0]))
    array([[ True],
           [False]])
    """
    total = np.zeros((len(inputs), len(biases)))
    for j in np.flatnonzero(weights.any(axis=0)):  # adding 0 changes nothing
        total += np.where(inputs[:, j, None], weights[:, j], 0.0)
    truth: BoolArray = total + biases > 0
    return truth


def forward(layers: Sequence[Layer], inputs: BoolArray) -> BoolArray:
    """Outputs of a network of thresholds, (n_rows, n_outputs): :func:`fires`, layer by layer."""
    for weights, biases in layers:
        inputs = fires(inputs, weights, biases)
    return inputs


def check_layers(layers: Iterable[tuple[ArrayLike, ArrayLike]]) -> tuple[Layer, ...]:
    """Return layers as arrays of float64, once it is sure that they fit together."""
    if not isinstance(layers, Iterable):
        raise InputError(f"layers must be pairs of weights and biases. Got {shown(layers)}.")
    checked: list[Layer] = []
    for number, layer in enumerate(layers, start=1):
        if not isinstance(layer, (tuple, list)) or len(layer) != 2:
            raise InputError(f"Layer {number} must be a pair of weights and biases. Got {shown(layer)}.")
        weights = as_floats(layer[0], f"weights of layer {number}")
        biases = as_floats(layer[1], f"biases of layer {number}")
        if weights.ndim != 2 or biases.shape != weights.shape[:1]:
            raise InputError(
                f"Layer {number} must have weights of shape (n_out, n_in) and biases of shape (n_out,). "
                f"Got {weights.shape} and {biases.shape}."
            )
        if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
            raise InputError(f"Layer {number} has weights that are not finite. Check the training for NaN.")
        if checked and weights.shape[1] != len(checked[-1][1]):
            raise InputError(
                f"Layer {number} reads {count(weights.shape[1], 'input')}; the layer before it has "
                f"{count(len(checked[-1][1]), 'output')}. Pass the layers in order."
            )
        checked.append((weights, biases))
    if not checked:
        raise InputError("A network needs at least one layer. Got none.")
    return tuple(checked)


def all_tuples(n_concepts: int) -> BoolArray:
    """Every Boolean tuple, shape (2^n_concepts, n_concepts); concept j is bit j of the row's number."""
    numbers = np.arange(1 << n_concepts, dtype=np.uint64)
    return unpack(numbers[:, None], n_concepts) if n_concepts else np.zeros((1, 0), dtype=np.bool_)


def neuron_formula(layers: Sequence[Layer], at: int, names: Sequence[str], value: bool = True) -> Formula:
    """Where a neuron of the last layer is true, or where it is false, over the outputs of the layer before.

    Outputs that no concepts bring about together are don't-cares, as far as all tuples can be looked at.
    """
    weights, biases = layers[-1][0][at], layers[-1][1][[at]]
    used = np.flatnonzero(weights)
    if len(used) > MAX_FAN_IN:
        raise LimitError(
            f"Neuron {at} of layer {len(layers)} has {len(used)} inputs; formulas are made of "
            f"{MAX_FAN_IN} at most. Prune the network first."
        )
    weights, called = weights[used], [names[j] for j in used.tolist()]
    reached, part = _leading_to(layers, at)
    if len(layers) > 1 and len(reached) <= MAX_TUPLES_OF:
        possible = np.unique(forward(part[:-1], all_tuples(len(reached))), axis=0)
        if len(possible) < 1 << len(used):
            truth = fires(possible, weights[None], biases)[:, 0] == value
            if truth.all() or not truth.any():
                return TRUE if truth[0] else FALSE
            return minimize(TruthTable.from_counts(possible, truth, ~truth, called)).formula
    truth = fires(all_tuples(len(used)), weights[None], biases)[:, 0] == value
    return threshold_formula(truth, (weights > 0) == value, called)


def _leading_to(layers: Sequence[Layer], at: int) -> tuple[IndexArray, list[Layer]]:
    """Concepts from which a path of weights leads to a neuron of the last layer, and the layers it takes."""
    wanted, part = np.array([at]), []
    for weights, biases in reversed(layers):
        used = np.flatnonzero(weights[wanted].any(axis=0))
        part.append((weights[np.ix_(wanted, used)], biases[wanted]))
        wanted = used
    return wanted, part[::-1]


def threshold_formula(truth: BoolArray, rising: BoolArray, names: Sequence[str]) -> Formula:
    """Smallest DNF of a function that only rises with some concepts and only falls with the others.

    Its truth on every tuple is (2^n_concepts,), in the order of :func:`all_tuples`; which concepts it rises
    with, (n_concepts,).

    Examples
    --------
    >>> print(threshold_formula(np.array([False, True, False, False]), np.array([True, False]), ["a", "b"]))
    a & ~b
    """
    cube = truth.reshape((2,) * len(names)) if names else truth
    minimal = cube.copy()
    for j, rises in enumerate(rising):  # concept j is bit j of the row, so the j-th axis from the end
        axis = len(names) - 1 - j
        low, high = (0, 1) if rises else (1, 0)
        without = cube.take(low, axis=axis)
        np.moveaxis(minimal, axis, 0)[high] &= ~without
    points = np.flatnonzero(minimal.reshape(-1))
    kept = all_tuples(len(names))[points] == rising  # what a minimal true tuple has beyond the falsest one
    kept = kept[np.argsort(kept.sum(axis=1), kind="stable")]
    cover = Cover(names, pack(kept & rising), pack(kept & ~rising)) if names else None
    if cover is None:
        return TRUE if truth[0] else FALSE
    if np.array_equal(cover.contains(pack(all_tuples(len(names)))), truth):
        return cover.to_formula()
    return smallest_formula(truth, names)


def smallest_formula(truth: BoolArray, names: Sequence[str]) -> Formula:
    """Smallest DNF of any function, proved where that is quick; truth is as for :func:`threshold_formula`.

    Examples
    --------
    >>> print(smallest_formula(np.array([False, True, True, True]), ["a", "b"]))
    a | b
    """
    if truth.all() or not truth.any():
        return TRUE if truth[0] else FALSE
    used = []
    cube = truth.reshape((2,) * len(names))
    for axis in reversed(range(cube.ndim)):  # concepts that never matter go
        first, second = cube.take([0], axis=axis), cube.take([1], axis=axis)
        if np.array_equal(first, second):
            cube = first
        else:
            used.append(names[len(names) - 1 - axis])
    kept = cube.reshape(-1)
    table = TruthTable.from_counts(all_tuples(len(used)), kept, ~kept, used)
    return minimize(table).formula


def _hidden_names(widths: Sequence[int], taken: set[str]) -> tuple[tuple[str, ...], ...]:
    """Names of the neurons of each layer, none of which is a concept's."""
    prefix = "h"
    while True:
        found = tuple(
            tuple(f"{prefix}{depth}_{at}" for at in range(width))
            for depth, width in enumerate(widths, start=1)
        )
        if taken.isdisjoint(name for layer in found for name in layer):
            return found
        prefix = f"_{prefix}"
