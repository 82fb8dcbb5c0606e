"""Rules and rows for the tests of the report: every kind of column, missing values, awkward names."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np

from logiclens.concepts import Above, AtMost, Between, Flag, Missing, OneOf, Vocabulary
from logiclens.concepts.concept import representative_values
from logiclens.explain import Explanation, ExplanationSet, Rule, Step
from logiclens.explain.front import Front, Point
from logiclens.logic import FALSE, Formula, Var, parse_formula, substitute

LONG = "x" * 300
SCRIPT = "<script>alert(1)</script>"
DROP = '"; DROP TABLE x'
HEBREW = "שלום עולם"
TURNED = "a\u202eb"
HOSTILE = (SCRIPT, DROP, HEBREW, LONG, TURNED)

CONCEPTS = {
    "young": AtMost("age", 30),
    "old": Above("age", 62),
    "middle": Between("age", 30, 62),
    "ageless": Missing("age"),
    "dear": Above("fare", 38.5),
    "cheap": Above("fare", 7.25, if_missing=True),
    "male": OneOf("sex", ("male",)),
    "south": OneOf("port", ("Southampton", "Queenstown"), if_missing=True),
    "second": OneOf("deck", (2,)),
    "crew": Flag("crew"),
    "ill": Flag("ill", numeric=True, if_missing=True),
}
"""Short names for concepts of every kind."""

COLUMNS = ("age", "fare", "sex", "port", "deck", "crew", "ill")


def vocabulary() -> Vocabulary:
    """The concepts, about a table in which any value but one can be missing."""
    return Vocabulary(COLUMNS, tuple(CONCEPTS.values()), optional=frozenset(COLUMNS[:-2]))


def formula(text: str) -> Formula:
    """A formula in short names, as one over the names of the vocabulary."""
    return substitute(parse_formula(text), {short: Var(concept.name) for short, concept in CONCEPTS.items()})


RULES = {
    "died": [
        "old",
        "(old & male) | (second & ~dear & ~ill)",
        "(old & male) | (second & ~dear) | (crew & ~ill)",
    ],
    "lived": ["FALSE", "(middle & dear & south) | (second & ~male)", "(young & ~cheap) | (ageless & ~male)"],
    "unknown": ["crew", "(ill & young & second & ~south) | (old & cheap & dear & ~male)"],
}
"""Formulas of each class, from short to long; the second one is that of the rules."""


def rules(labels: tuple[str, ...] = tuple(RULES)) -> ExplanationSet:
    """Rules over every kind of concept; some are true together, and some rows are left to none."""
    words = vocabulary()
    explanations = []
    for label, texts in zip(labels, RULES.values(), strict=True):
        rule = Rule(label, formula(texts[1]), vocabulary=words)
        explanations.append(Explanation(rule, support=10, status="best found"))
    order = (explanations[at] for at in (1, 2, 0))
    steps = [Step(each.target, each.formula) for each in order]
    return ExplanationSet(explanations, words.names, steps=steps, default=labels[2])


def front(given: ExplanationSet) -> Front:
    """Rules of three lengths, as one list each; the middle one are the rules given, whatever their names."""
    words = given.vocabulary
    assert words is not None
    names = {old: Var(name) for old, name in zip(vocabulary().names, words.names, strict=True)}
    order = [given.labels.index(step.label) for step in given.steps]
    made = [[formula(text) if text != "FALSE" else FALSE for text in texts] for texts in RULES.values()]
    points = [
        Point(
            tuple(
                Step(given.labels[at], substitute(made[at][min(place, len(made[at]) - 1)], names))
                for at in order
            ),
            given.default,
        )
        for place in (0, 2)
    ]
    own = Point(given.steps, given.default, status="best found", formulas=tuple(given.formulas.values()))
    return Front((points[0], own, points[1]), given.labels, given.concept_names, chosen=1, vocabulary=words)


def renamed(given: ExplanationSet) -> ExplanationSet:
    """The same rules with hostile names of columns, values and labels."""
    words = given.vocabulary
    assert words is not None
    new = dict(zip(COLUMNS, (*HOSTILE, "crew", "ill"), strict=True))
    concepts = tuple(replace(concept, column=new[concept.column]) for concept in words.concepts)
    hostile = Vocabulary(
        tuple(new.values()), concepts, optional=frozenset(new[column] for column in words.optional)
    )
    names = {old: Var(name) for old, name in zip(words.names, hostile.names, strict=True)}

    def moved(explanation: Explanation, label: str) -> Explanation:
        rule = Rule(label, substitute(explanation.formula, names), vocabulary=hostile)
        return replace(explanation, rule=rule)

    labels = (SCRIPT, DROP, HEBREW)
    explanations = [moved(one, label) for one, label in zip(given.values(), labels, strict=True)]
    renamed_label = dict(zip(given, labels, strict=True))
    steps = [Step(renamed_label[step.label], substitute(step.formula, names)) for step in given.steps]
    return ExplanationSet(explanations, hostile.names, steps=steps, default=DROP)


def table(n: int, seed: int, words: Vocabulary) -> dict[str, list[Any]]:
    """Random rows: values at cut points and right beside them, unseen categories, missing values."""
    random = np.random.default_rng(seed)
    return {column: [_cell(column, words, random) for _ in range(n)] for column in words.columns}


def _cell(column: str, words: Vocabulary, random: np.random.Generator) -> Any:
    concepts = [concept for concept in words.concepts if concept.column == column]
    if column in words.optional and random.random() < 0.15:
        return None
    if any(isinstance(concept, Flag) for concept in concepts):
        return int(random.integers(2))
    if any(isinstance(concept, OneOf) for concept in concepts):
        levels = [value for concept in concepts for value in concept.condition().values]
        return random.choice(np.array([*levels, 7 if levels == [2] else "elsewhere"], dtype=object))
    cuts = [value for concept in concepts for value in concept.condition().values]
    cut = float(random.choice(cuts))
    way = random.integers(4)
    return [
        cut,
        math.nextafter(cut, math.inf),
        math.nextafter(cut, -math.inf),
        round(random.uniform(0, 90), 2),
    ][way]


def fewest_changes(given: ExplanationSet, row: dict[str, Any], most: int = 3) -> int | None:
    """By trying everything: how many columns must change for the rules to predict something else."""
    words = given.vocabulary
    assert words is not None
    before = given.predict({column: [value] for column, value in row.items()})[0]
    choices = {
        column: representative_values([concept for concept in words.concepts if concept.column == column])
        + ([None] if column in words.optional else [])
        for column in words.columns
    }
    for size in range(1, most + 1):
        trials = [
            {**row, **dict(zip(columns, values, strict=True))}
            for columns in combinations(words.columns, size)
            for values in product(*(choices[column] for column in columns))
        ]
        rows = {column: [trial[column] for trial in trials] for column in words.columns}
        if (given.predict(rows) != before).any():
            return size
    return None
