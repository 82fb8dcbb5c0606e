from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.path import Path

from logiclens.plots.layers import curve, place, strengths, ways


@st.composite
def networks(draw: st.DrawFn) -> list[np.ndarray]:
    """Weights of a small network to one output, many of them 0."""
    sizes = [*draw(st.lists(st.integers(1, 6), min_size=1, max_size=3)), 1]
    values = st.sampled_from([0.0, 0.0, 1.0, -2.0, 0.5])
    return [
        np.array(draw(st.lists(values, min_size=a * b, max_size=a * b)), dtype=float).reshape(b, a)
        for a, b in pairwise(sizes)
    ]


@given(networks())
def test_ways_are_the_signs_of_all_products(weights: list[np.ndarray]):
    found = ways(weights)

    assert len(found) == len(weights)
    for depth, layer in enumerate(found):
        for unit, sign in enumerate(layer):
            paths = [(unit, 1.0)]
            for weight in weights[depth + 1 :]:
                paths = [(to, value * w[at]) for at, value in paths for to, w in enumerate(weight)]
            signs = {float(np.sign(value)) for _, value in paths if value}
            assert sign == (signs.pop() if len(signs) == 1 else 0.0)


@given(networks())
def test_a_concept_is_as_strong_as_its_paths(weights: list[np.ndarray]):
    product = np.ones((1, 1))
    for weight in reversed(weights):
        product = product @ np.abs(weight)

    np.testing.assert_allclose(strengths(weights)[0], product[0])


@given(networks(), st.integers(1, 4), st.integers(1, 4))
def test_units_are_chosen_once_and_stand_apart(weights: list[np.ndarray], concepts: int, units: int):
    layers = place(weights, concepts, units)

    assert len(layers) == len(weights) + 1
    assert len(layers[0].units) <= concepts
    assert all(len(layer.units) <= units for layer in layers[1:-1])
    for layer in layers:
        assert len(set(layer.units.tolist())) == len(layer.units) == len(layer.y)
        assert (np.diff(layer.y) > 0.5).all()
        assert (layer.y >= 0).all()
    assert all(left.x < right.x for left, right in pairwise(layers))


@given(networks())
def test_concepts_without_a_connection_are_left_out(weights: list[np.ndarray]):
    layers = place(weights, 100, 100)

    assert set(layers[0].units.tolist()) == set(np.flatnonzero(weights[0].any(axis=0)).tolist())


def test_lines_lead_from_one_point_to_the_other():
    path = curve(0, 1, 2, 3)

    assert path.vertices[[0, -1]].tolist() == [[0, 1], [2, 3]]
    assert path.codes.tolist() == [Path.MOVETO, *[Path.CURVE4] * 3]
