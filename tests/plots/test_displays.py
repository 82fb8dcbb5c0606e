"""What holds of every display: whom it draws, where, with which names, and what it refuses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Text

from logiclens import Explanation, Rule, TruthTable, Var, rule_scores
from logiclens.errors import InputError, UnknownConceptError
from logiclens.explain.front import Front, Point
from logiclens.plots import (
    ConceptRelevanceDisplay,
    FrontDisplay,
    NetworkDisplay,
    RuleCoverageDisplay,
    TruthTableDisplay,
)
from tests.plots.conftest import bits, black_box, clusterer, fitted, flowers
from tests.strategies import HOSTILE_NAMES

FROM_ESTIMATOR: dict[str, Callable[..., Any]] = {
    "network": lambda model, target, _, ax: NetworkDisplay.from_estimator(model, target, ax=ax),
    "relevance": lambda model, target, _, ax: ConceptRelevanceDisplay.from_estimator(model, target, ax=ax),
    "table": lambda model, target, X, ax: TruthTableDisplay.from_estimator(model, target, X, ax=ax),
    "coverage": lambda model, target, X, ax: RuleCoverageDisplay.from_estimator(
        model, X, None, target, ax=ax
    ),
    "front": lambda model, _, __, ax: FrontDisplay.from_estimator(model, ax=ax),
}


def texts(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.findobj(Text)]


@pytest.mark.parametrize("kind", FROM_ESTIMATOR)
def test_models_of_every_kind_are_drawn_on_the_callers_axes(kind: str, loaded: Any):
    X, _ = flowers()
    drawn = []
    for model, target, rows in (
        (fitted("Mu"), "setosa", X),
        (loaded, "setosa", X),
        (black_box(), "yes", bits()[0]),
        (clusterer(), 1, X),
        *((fitted(network), "setosa", X) for network in ("Psi", "Relu", "Entropy")),
    )[: 3 if kind == "front" else None]:  # fronts of the others have no scores to draw
        figure, ax = plt.subplots()
        display = FROM_ESTIMATOR[kind](model, target, rows, ax)
        assert (display.ax_, display.figure_) == (ax, figure)
        drawn.append(texts(figure))

    assert drawn[0] == drawn[1]  # a loaded model is drawn as before it was saved
    if kind != "front":
        assert any("setosa" in text for text in drawn[0])
        assert any("cluster 1" in text for text in drawn[3])


NAMES = [name for name in HOSTILE_NAMES if name not in ("🐦", "中文")]  # not in matplotlib's own font
HOSTILE_ROWS = np.random.default_rng(0).random((30, len(NAMES))) < 0.5
HOSTILE_RULE = Explanation(Rule("$y$" * 100, Var("$x$")))
HOSTILE: dict[str, Callable[[], Any]] = {
    "network": lambda: NetworkDisplay([np.ones((1, len(NAMES)))], NAMES, explanation=HOSTILE_RULE).plot(
        max_concepts=100
    ),
    "relevance": lambda: ConceptRelevanceDisplay(NAMES, np.ones(len(NAMES))).plot(max_concepts=100),
    "table": lambda: TruthTableDisplay.from_table(
        TruthTable.from_data(HOSTILE_ROWS, HOSTILE_ROWS[:, 0], names=NAMES),
        HOSTILE_RULE,
        max_concepts=len(NAMES),
    ),
    "coverage": lambda: RuleCoverageDisplay.from_explanation(
        Explanation(Rule("$y$" * 100, Var(NAMES[0]) | Var("$x$"))),
        dict(zip(NAMES, HOSTILE_ROWS.T, strict=True)),
        ["$y$" * 100] * 30,
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_names_are_shown_as_they_are(kind: str):
    figure = HOSTILE[kind]().figure_
    figure.draw_without_rendering()
    hostile = [text for text in figure.findobj(Text) if "$" in text.get_text()]

    assert "$x$" in [text.get_text() for text in hostile]
    assert not any(text.get_parse_math() for text in hostile)


WEIGHTS = [np.array([[1.0, -2.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]), np.array([[2.0, -1.0, 3.0]])]
BIRD = Explanation(Rule("bird", Var("a")))
X, Y = {"a": [1, 0]}, ["bird", "bat"]
SCORES = rule_scores(Var("a"), X, np.array([True, False]))
LAYERS = "The layers must lead from 3 concepts to one output. Got"
NEURONS = "neurons must be a formula for each unit of each layer, as compose makes them. Got"
RELEVANCE = "relevance must be a number of at least 0 for each of the 2 concepts. Got"
KEPT = "kept must be a Boolean for each of the 2 concepts. Got"
EXPLANATION = "explanation must be an Explanation"


def network(weights: Any, **settings: Any) -> NetworkDisplay:
    return NetworkDisplay(weights, ["a", "b", "c"], **settings)


def relevance(values: Any, **settings: Any) -> ConceptRelevanceDisplay:
    return ConceptRelevanceDisplay(["a", "b"], values, **settings)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: network(3), "weights must be a sequence of arrays, one a layer. Got 3."),
        (lambda: network([[1.0, 2.0, 3.0]]), "Weights of layer 1 must be of shape (n_out, n_in). Got (3,)."),
        (lambda: network([np.ones((2, 3))]), f"{LAYERS} 3 inputs and 2 outputs."),
        (lambda: network([np.ones((1, 2))]), f"{LAYERS} 2 inputs and 1 output."),
        (lambda: network([]), "A network needs at least one layer. Got none."),
        (lambda: network([np.ones((2, 3)), np.ones((1, 3))]), "Layer 2 reads 3 inputs; the layer before it"),
        *(
            (lambda neurons=neurons: network(WEIGHTS, neurons=neurons), NEURONS)
            for neurons in (3, "ab", [3], [[Var("a")]], [["a", "b", "c"], ["d"]])
        ),
        (lambda: network(WEIGHTS, vocabulary="English"), "vocabulary must be a Vocabulary or None. Got"),
        *(
            (lambda values=values: relevance(values), RELEVANCE)
            for values in ([1.0], [1.0, -1.0], [1.0, np.nan], [[1.0, 1.0]])
        ),
        *((lambda kept=kept: relevance([1, 1], kept=kept), KEPT) for kept in ([True], [1, 0], "ab")),
        (lambda: relevance([1, 1], explanation="a"), f"{EXPLANATION} or None. Got 'a'."),
        *(
            (lambda table=table: TruthTableDisplay.from_table(table), "table must be a TruthTable. Got")
            for table in (None, [[0, 1]], "table")
        ),
        (lambda: RuleCoverageDisplay.from_explanation("a", X, Y), f"{EXPLANATION}. Got 'a'."),
        (lambda: RuleCoverageDisplay("a", SCORES, ()), f"{EXPLANATION}. Got 'a'."),
        (lambda: RuleCoverageDisplay(BIRD, 3, ()), "scores must be RuleScores, as rule_scores makes them."),
        (lambda: RuleCoverageDisplay(BIRD, SCORES, 3), "terms must be TermScores, as term_scores makes"),
        (lambda: RuleCoverageDisplay.from_explanation(BIRD, X, [1, 0]), "y has labels such as 1; the rules"),
        (
            lambda: network(WEIGHTS).plot(max_units=0),
            "max_units must be a whole number of at least 1. Got 0.",
        ),
        (
            lambda: relevance([1, 1]).plot(max_concepts=True),
            "max_concepts must be a whole number of at least",
        ),
        (
            lambda: RuleCoverageDisplay(BIRD, SCORES, ()).plot(max_terms="3"),
            "max_terms must be a whole number",
        ),
        (lambda: FrontDisplay.from_front("a"), "front must be a Front, such as front_ of a classifier. Got"),
        (
            lambda: FrontDisplay.from_front(Front((Point((), "bat"),), ("bat", "bird"), ("a",), chosen=0)),
            "No length of this front was scored, so there is nothing to draw: no rows were held out.",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(call: Callable[[], Any], message: str):
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        call()


@pytest.mark.parametrize(
    "draw",
    [
        lambda rule: relevance([1, 1], explanation=rule),
        lambda rule: TruthTableDisplay.from_table(
            TruthTable.from_data([[0, 1], [1, 0]], [1, 0], names=["a", "b"]), rule
        ),
    ],
    ids=["relevance", "table"],
)
def test_a_rule_about_other_concepts_is_refused(draw: Callable[[Explanation], Any]):
    with pytest.raises(UnknownConceptError, match=r"Unknown concept 'beak'.* The rule speaks of it\."):
        draw(Explanation(Rule("bird", Var("beak"))))
