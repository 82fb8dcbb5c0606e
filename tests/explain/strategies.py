"""Hypothesis strategies for rules, explanations and sets of them."""

from __future__ import annotations

from hypothesis import strategies as st

from logiclens.explain import Explanation, ExplanationSet, Rule, RuleKind, Scope, Scores, Step
from tests.strategies import distinct_names, formulas, names

RATES = st.floats(0, 1)
WEIGHTS = st.floats(0, 1e12)
TEXTS = st.just("") | names()


def label_lists(most: int = 3) -> st.SearchStrategy:
    """Distinct labels of one type: hostile texts, whole numbers, numbers or Booleans."""
    kinds = [TEXTS, st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False)]
    lists = [st.lists(kind, min_size=1, max_size=most, unique=True) for kind in kinds]
    return st.one_of(*lists, st.permutations([False, True]))


@st.composite
def explanations(draw, targets=None, concepts=None) -> Explanation:
    """Explanations with everything in them."""
    formula = formulas(concepts, max_leaves=3)
    target = draw(label_lists(1).map(lambda found: found[0]) if targets is None else targets)
    rates = draw(st.lists(st.none() | RATES, min_size=5, max_size=5))
    return Explanation(
        Rule(target, draw(formula), draw(st.sampled_from(RuleKind))),
        draw(st.sampled_from(Scope)),
        draw(TEXTS),
        draw(WEIGHTS),
        draw(st.sampled_from([None, Scores(draw(TEXTS), draw(st.integers(0, 10**9)), *rates)])),
    )


@st.composite
def explanation_sets(draw) -> ExplanationSet:
    """Sets over hostile concepts with hostile labels of any type."""
    labels = draw(label_lists())
    concept_names = draw(distinct_names(most=4))
    concepts = st.sampled_from(concept_names)
    multi_label = draw(st.booleans())
    return ExplanationSet(
        [draw(explanations(st.just(label), concepts)) for label in labels],
        concept_names,
        multi_label,
        None if multi_label else draw(st.sampled_from(labels)),
        None if multi_label else draw(st.none() | steps(labels, formulas(concepts, max_leaves=3))),
    )


@st.composite
def steps(draw, labels, of_formulas) -> list[Step]:
    """Steps of some of the labels, in any order."""
    order = draw(st.permutations(labels))[: draw(st.integers(0, len(labels)))]
    return [Step(label, draw(of_formulas)) for label in order]
