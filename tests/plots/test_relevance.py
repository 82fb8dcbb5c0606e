from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import same_color

from logiclens import FALSE, Explanation, Rule, Var
from logiclens.plots import ConceptRelevanceDisplay
from logiclens.plots._style import Look
from tests.plots.conftest import fitted

NAMES = [f"c{j}" for j in range(20)]
RELEVANCE = [1.0, 0.5, 0.25, *[0.0] * 17]


def lengths(display: ConceptRelevanceDisplay) -> list[float]:
    return [bar.get_width() for bar in display.ax_.containers[0]]


def texts(display: ConceptRelevanceDisplay) -> list[str]:
    return [text.get_text() for text in display.ax_.texts]


def test_bars_are_as_long_as_concepts_are_relevant():
    display = ConceptRelevanceDisplay(["a", "b", "c"], [0.2, 1.0, 0.0]).plot()

    assert display.names_ == ("b", "a", "c")
    assert lengths(display) == [1.0, 0.2, 0.0]
    assert texts(display).count("pruned") == 1


def test_pruned_concepts_are_few_and_the_others_counted():
    display = ConceptRelevanceDisplay(NAMES, RELEVANCE).plot()

    assert len(display.names_) == 3 + 6
    assert "not shown: 11 concepts, all pruned" in texts(display)
    assert "3 of 20 concepts kept by the network" in texts(display)


def test_of_many_concepts_the_most_relevant_are_shown():
    display = ConceptRelevanceDisplay(NAMES, np.arange(1, 21)).plot(max_concepts=3)

    assert display.names_ == ("c19", "c18", "c17")
    assert "not shown: 17 concepts" in texts(display)


def test_concepts_of_the_rule_are_shown_in_any_case_and_dark():
    rule = Explanation(Rule("bird", Var("c0")))
    display = ConceptRelevanceDisplay(NAMES, np.arange(1, 21), explanation=rule).plot(max_concepts=3)
    look = Look.of(display.ax_)

    assert display.names_ == ("c19", "c18", "c0")
    colors = [bar.get_facecolor() for bar in display.ax_.containers[0]]
    assert [same_color(color, look.yes) for color in colors] == [False, False, True]
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == [
        "in the rule",
        "kept by the network",
    ]


def test_a_network_that_reads_nothing_is_drawn():
    display = ConceptRelevanceDisplay(
        ["a", "b"], [0.0, 0.0], explanation=Explanation(Rule("bird", FALSE))
    ).plot()

    assert lengths(display) == [0.0, 0.0]
    assert "0 of 2 concepts kept by the network" in texts(display)


@pytest.mark.parametrize("kind", ["Mu", "Psi", "Relu", "Entropy"])
def test_every_network_is_drawn(kind: str):
    model = fitted(kind)
    display = ConceptRelevanceDisplay.from_estimator(model, "setosa", max_concepts=100)

    known = dict(zip(model.concept_names_, model.concept_relevance_[0], strict=True))
    np.testing.assert_allclose(lengths(display), [known[name] for name in display.names_], rtol=1e-6)
    assert set(model.explain()["setosa"].concepts) <= set(display.names_)


def test_concepts_stand_in_words():
    display = ConceptRelevanceDisplay.from_estimator(fitted("Mu"), "setosa")
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]

    assert any(label.startswith("petal length (cm) is above ") for label in labels)
