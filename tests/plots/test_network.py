from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import PathCollection
from matplotlib.colors import same_color
from matplotlib.legend import Legend

from logiclens import Var
from logiclens.plots import NetworkDisplay
from logiclens.plots._network_display import path_signs, place_units, unit_strengths
from logiclens.plots._style import Look
from tests.plots.conftest import fitted


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
    found = path_signs(weights)

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

    np.testing.assert_allclose(unit_strengths(weights)[0], product[0])


@given(networks(), st.integers(1, 4), st.integers(1, 4))
def test_units_are_chosen_once_and_stand_apart(weights: list[np.ndarray], concepts: int, units: int):
    layers = place_units(weights, concepts, units)

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
    layers = place_units(weights, 100, 100)

    assert set(layers[0].units.tolist()) == set(np.flatnonzero(weights[0].any(axis=0)).tolist())


WEIGHTS = [np.array([[1.0, -2.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]), np.array([[2.0, -1.0, 3.0]])]
NAMES = ["a", "b", "c"]


def lines(display: NetworkDisplay) -> list[PathCollection]:
    """The connections, layer by layer."""
    return [
        part
        for part in display.ax_.collections
        if isinstance(part, PathCollection) and len(part.get_facecolor()) == 0 and part.get_zorder() == 1
    ]


def texts(display: NetworkDisplay) -> list[str]:
    return [text.get_text() for text in display.ax_.texts]


def test_lines_are_as_thick_as_weights_are_large():
    display = NetworkDisplay(WEIGHTS, NAMES).plot()
    first, second = lines(display)

    assert [values.tolist() for values in display.connections_] == [[0.5, 1.0, -2.0], [-1.0, 2.0]]
    assert (np.diff(first.get_linewidths()) > 0).all()
    np.testing.assert_allclose(first.get_linewidths(), 0.3 + 3.4 * np.array([0.25, 0.5, 1.0]))
    assert len(second.get_paths()) == 2


def colors_of(part: PathCollection, display: NetworkDisplay) -> list[str]:
    """What each line says, by its color."""
    look = Look.of(display.ax_)
    words = {"for": look.yes, "against": look.against, "both": look.no}
    edges = part.get_edgecolor()
    return [next(word for word in words if same_color(edge[:3], words[word])) for edge in edges]


def test_colors_say_what_speaks_for_the_target():
    display = NetworkDisplay(WEIGHTS, NAMES).plot()

    assert [colors_of(part, display) for part in lines(display)] == [
        ["against", "for", "against"],  # 0.5 * -1, 1 * 2, -2 * 2
        ["against", "for"],
    ]
    assert [part.tolist() for part in display.speaks_] == [[-1, 1, -1], [-1, 1]]


def test_lines_whose_ways_differ_have_a_color_of_their_own():
    weights = [np.array([[1.0]]), np.array([[1.0], [2.0]]), np.array([[1.0, -1.0]])]
    display = NetworkDisplay(weights, ["a"]).plot()

    first, second, _ = lines(display)
    assert colors_of(first, display) == ["both"]
    assert colors_of(second, display) == ["for", "against"]
    assert key(display) == ["speaks for", "speaks against", "both"]
    assert key(NetworkDisplay(WEIGHTS, NAMES).plot()) == ["speaks for", "speaks against"]


def key(display: NetworkDisplay) -> list[str]:
    found = [*display.ax_.figure.findobj(Legend)]
    return [text.get_text() for text in found[0].get_texts()]


def test_pruned_concepts_stand_without_lines():
    display = NetworkDisplay(WEIGHTS, NAMES).plot()

    assert (display.kept_, display.pruned_) == (("b", "a"), ("c",))
    assert {"a", "b", "c", "pruned", "output"} <= set(texts(display))


def test_units_that_nothing_reaches_are_not_drawn():
    display = NetworkDisplay(WEIGHTS, NAMES).plot()

    assert "not drawn: 1 of 3 hidden units" in texts(display)


def test_of_many_the_strongest_are_drawn():
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=(30, 40)), rng.normal(size=(1, 30))]
    display = NetworkDisplay(weights, [f"c{j}" for j in range(40)]).plot(max_concepts=5, max_units=4)

    strengths = np.abs(weights[1]) @ np.abs(weights[0])
    assert display.kept_ == tuple(f"c{j}" for j in np.argsort(-strengths[0])[:5])
    assert [len(part) for part in display.connections_] == [20, 4]
    assert "not drawn: 35 weaker concepts, 26 of 30 hidden units" in texts(display)


def test_many_pruned_concepts_are_counted():
    weights = [np.eye(1, 20)]
    display = NetworkDisplay(weights, [f"c{j}" for j in range(20)]).plot()

    assert len(display.pruned_) == 5
    assert "and 14 more" in texts(display)


def test_a_network_without_connections_is_drawn():
    display = NetworkDisplay([np.zeros((2, 3)), np.zeros((1, 2))], NAMES).plot()

    assert display.kept_ == ()
    assert [part.tolist() for part in display.connections_] == [[], []]


@pytest.mark.parametrize("kind", ["Mu", "Psi", "Relu", "Entropy"])
def test_every_network_is_drawn(kind: str):
    model = fitted(kind)
    display = NetworkDisplay.from_estimator(model, "virginica", max_concepts=100, max_units=100)

    kept = {name for name, keep in zip(model.concept_names_, model.network_.kept()[2], strict=True) if keep}
    assert set(display.kept_) == kept
    assert "virginica" in texts(display)


def test_units_of_a_psi_network_have_their_formulas():
    display = NetworkDisplay.from_estimator(fitted("Psi", "bits"), "yes")

    assert any(text.startswith("h₁ = ") for text in texts(display))
    assert "c₁" in texts(display)
    assert not any(" = " in text for text in texts(NetworkDisplay.from_estimator(fitted("Mu", "bits"))))


def test_formulas_speak_of_what_is_drawn():
    hidden = (Var("a") & ~Var("b"), Var("a"), Var("b"))
    output = (Var("h1_0") | ~Var("h1_1"),)
    display = NetworkDisplay(WEIGHTS, NAMES, neurons=(hidden, output)).plot()

    assert display.kept_ == ("b", "a")  # so b is c1
    assert "h₁ = c₂ ∧ ¬c₁" in texts(display)
    assert "h₂ = c₂" in texts(display)
    assert "h₁ ∨ ¬h₂" in texts(display)


def test_the_first_of_two_classes_is_the_second_turned_round():
    model = fitted("Mu", "bits")
    yes, no = (NetworkDisplay.from_estimator(model, target) for target in ("yes", "no"))

    np.testing.assert_array_equal(yes.connections_[-1], -no.connections_[-1])
    np.testing.assert_array_equal(yes.connections_[0], no.connections_[0])
    np.testing.assert_array_equal(yes.speaks_[0], -no.speaks_[0])
