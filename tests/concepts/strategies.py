"""Hypothesis strategies for concepts, vocabularies and the raw tables that they are about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from logiclens.concepts import Above, AtMost, Between, Concept, Flag, Missing, OneOf, Vocabulary
from logiclens.logic import Formula
from tests.strategies import HOSTILE_NAMES, formulas

NUMBERS = st.integers(-3, 3) | st.sampled_from(
    [0.1, 0.5, -0.25, 1e-7, 62.5, 1e20, 2.0**60, 0.931507922123123, 3.298435685860118e-302]
)
TEXTS = st.sampled_from(
    [*HOSTILE_NAMES, "red (1)", "a (b c)", "1", "1.5", "missing", "known", "above", "either", "NULL", ""]
)
COLUMN_NAMES = st.sampled_from([*HOSTILE_NAMES, "size (mm)", "missing", "x", "at", "Red", "1", "row"])


@dataclass(frozen=True)
class Raw:
    """A vocabulary, and a table that it is about."""

    vocabulary: Vocabulary
    kinds: dict[str, str]
    """Of each column: number, text, Boolean or 0/1."""
    table: dict[str, list[Any]]

    @property
    def n_rows(self) -> int:
        return len(next(iter(self.table.values())))

    def rows(self) -> list[dict[str, Any]]:
        """The rows, each as a mapping from columns to values."""
        return [{name: self.table[name][at] for name in self.table} for at in range(self.n_rows)]


@st.composite
def concepts_of(draw, column: str, kind: str) -> Concept:
    """One concept about a column of a kind."""
    if draw(st.integers(0, 5)) == 0:
        return Missing(column)
    if_missing = draw(st.booleans())
    if kind == "Boolean":
        return Flag(column, False, if_missing)
    if kind == "0/1":
        return Flag(column, True, if_missing)
    if kind == "text":
        values = draw(st.lists(TEXTS, min_size=1, max_size=3, unique=True))
        return OneOf(column, tuple(values), if_missing)
    low, high = sorted(draw(st.lists(NUMBERS, min_size=2, max_size=2, unique=True)))
    return draw(
        st.sampled_from(
            [
                Above(column, low, if_missing),
                AtMost(column, low, if_missing),
                Between(column, low, high, if_missing),
                OneOf(column, (low,), if_missing),
                OneOf(column, (high, low), if_missing),
            ]
        )
    )


@st.composite
def raw_tables(
    draw,
    most_columns: int = 3,
    most_concepts: int = 3,
    gaps_anywhere: bool = False,
    gap_values: bool = False,
) -> Raw:
    """Vocabularies with hostile names and values, and tables of values that they tell apart.

    Values are missing only where the vocabulary knows that some are, or anywhere; there may be values that
    mean that there is none.
    """
    columns = draw(st.lists(COLUMN_NAMES, min_size=1, max_size=most_columns, unique_by=str.lower))
    kinds = {name: draw(st.sampled_from(["number", "text", "Boolean", "0/1"])) for name in columns}
    concepts = [
        concept
        for name in columns
        for concept in draw(st.lists(concepts_of(name, kinds[name]), min_size=1, max_size=most_concepts))
    ]
    if gap_values:
        of_kind = {"number": NUMBERS, "text": TEXTS, "Boolean": st.nothing(), "0/1": st.integers(1, 3)}
        gaps = {
            name: tuple(draw(st.lists(of_kind[kind], max_size=0 if kind == "Boolean" else 2)))
            for name, kind in kinds.items()
        }
        concepts = [replace(concept, gaps=gaps[concept.column]) for concept in concepts]
    vocabulary = Vocabulary(tuple(columns), tuple(draw(st.permutations(concepts))))
    n_rows = draw(st.integers(1, 6))
    table = {}
    for name in columns:
        compared = [v for c in concepts if c.column == name for v in (*c.condition().values, *c.gaps)]
        values = {
            "number": st.sampled_from([*compared, 0]).map(float) | NUMBERS.map(float),
            "text": st.sampled_from([*compared, "other"]) | TEXTS,
            "Boolean": st.booleans(),
            "0/1": st.sampled_from([0, 1, *compared]),
        }[kinds[name]]
        if gaps_anywhere or name in vocabulary.optional:
            values = values | st.none()
        table[name] = draw(st.lists(values, min_size=n_rows, max_size=n_rows))
    return Raw(vocabulary, kinds, table)


@st.composite
def raw_formulas(draw, max_leaves: int = 6, **settings: Any) -> tuple[Raw, Formula]:
    """Such a table, and a formula over its concepts."""
    raw = draw(raw_tables(**settings))
    formula = draw(formulas(st.sampled_from(raw.vocabulary.names), max_leaves))
    return raw, formula
