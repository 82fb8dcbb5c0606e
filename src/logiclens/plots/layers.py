"""Where the units of a sketched network stand, and the lines between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.path import Path

from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray

_GAP = 2.0  # between neighboring layers, where neighboring concepts are 1 apart
_APART = 0.9  # between neighboring hidden units
_TINY = 1e-300


@dataclass(frozen=True)
class Layer:
    """What is drawn of one layer.

    Attributes
    ----------
    units : ndarray of int
        Positions of its units, from top to bottom.
    y : ndarray of float
        Where they stand, larger is lower.
    x : float
        Where the layer stands.
    """

    units: IndexArray
    y: FloatArray
    x: float


def ways(weights: Sequence[FloatArray]) -> list[FloatArray]:
    """Whether the ways from a unit to the output speak for it: the signs of the products of their weights.

    Activations between layers never turn a sign, so a unit whose ways all have the same sign raises the
    output (1) or lowers it (-1). Where they differ, or there is none, nothing can be said (0).

    Parameters
    ----------
    weights : sequence of ndarray of float, shape (n_out, n_in)
        From the concepts to a single output.

    Returns
    -------
    list of ndarray of float
        One for each layer but the concepts, hidden layers first; the output has 1.

    Examples
    --------
    >>> first, second = np.array([[1.0], [-1.0]]), np.array([[1.0, 2.0], [1.0, 0.0]])
    >>> [layer.tolist() for layer in ways([first, second, np.array([[1.0, -1.0]])])]
    [[0.0, 1.0], [1.0, -1.0], [1.0]]
    """
    up: BoolArray = np.ones(1, dtype=np.bool_)
    down = ~up
    found = [np.ones(1)]
    for weight in reversed(weights[1:]):
        more, less = (weight > 0).T, (weight < 0).T
        raised = (more & up) | (less & down)
        lowered = (more & down) | (less & up)
        up, down = np.asarray(raised.any(axis=1)), np.asarray(lowered.any(axis=1))
        found.append(up.astype(np.float64) - down)
    found.reverse()
    return found


def strengths(weights: Sequence[FloatArray]) -> list[FloatArray]:
    """How much each unit of each layer matters: the sum over its paths of the products of absolute weights.

    Parameters
    ----------
    weights : sequence of ndarray of float, shape (n_out, n_in)
        From the concepts to a single output.

    Returns
    -------
    list of ndarray of float
        One for each layer, concepts and output included; 0 for hidden units that no input reaches.

    Examples
    --------
    >>> hidden, output = np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[2.0, 3.0]])
    >>> [layer.tolist() for layer in strengths([hidden, output])]
    [[2.0, 0.0], [2.0, 0.0], [1.0]]
    """
    found = [np.ones(1)]
    for weight in reversed(weights):
        found.append(np.abs(weight).T @ found[-1])
    found.reverse()
    reached = np.ones(len(found[0]), dtype=np.bool_)
    for depth, weight in enumerate(weights[:-1], start=1):
        reached = (np.abs(weight) @ reached) > 0
        found[depth] = np.where(reached, found[depth], 0.0)
    return found


def place(
    weights: Sequence[FloatArray], max_concepts: int, max_units: int, *, spread: float = 1.0
) -> list[Layer]:
    """Choose the strongest units of each layer, and where to draw them.

    Parameters
    ----------
    weights : sequence of ndarray of float, shape (n_out, n_in)
        From the concepts to a single output.
    max_concepts, max_units : int
        Most concepts, and most units of each hidden layer.
    spread : float, default 1
        Multiplies the distances between hidden units.

    Returns
    -------
    list of Layer
        Concepts from the strongest to the weakest, those without a connection left out; hidden units near
        what they read.
    """
    forces = strengths(weights)
    last = len(weights)
    chosen = []
    for depth, force in enumerate(forces[:-1]):
        alive = np.flatnonzero(weights[0].any(axis=0) if depth == 0 else force > 0)
        order = alive[np.argsort(-force[alive], kind="stable")]
        chosen.append(order[: max_units if depth else max_concepts])
    chosen.append(np.zeros(1, dtype=np.int64))
    spans = [
        max(len(units) - 1, 0) * (_APART * spread if depth else 1.0) for depth, units in enumerate(chosen)
    ]
    middle = max(*spans, 2.0) / 2
    layers: list[Layer] = []
    for depth, (units, span) in enumerate(zip(chosen, spans, strict=True)):
        order = units
        if 0 < depth < last:  # lines cross less where units stand near what they read
            weight = np.abs(weights[depth - 1][np.ix_(units, layers[-1].units)])
            pull = weight @ layers[-1].y / np.maximum(weight.sum(axis=1), _TINY)
            order = units[np.argsort(pull, kind="stable")]
        y = (
            middle + np.linspace(-span / 2, span / 2, len(order))
            if len(order) > 1
            else np.full(len(order), middle)
        )
        layers.append(Layer(order, y, _GAP * depth))
    return layers


def curve(x: float, y: float, end_x: float, end_y: float) -> Path:
    """A line that leaves and arrives level."""
    bend = 0.5 * (end_x - x)
    points = [(x, y), (x + bend, y), (end_x - bend, end_y), (end_x, end_y)]
    return Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
