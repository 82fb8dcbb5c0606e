"""Every Hypothesis strategy of the tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from logiclens.logic.formula import FALSE, TRUE, And, Not, Or, Var

# Awkward on purpose: prefixes of one another, builtins, operators, quotes, blanks, line breaks,
# markup, code. Each of these broke a library that keeps formulas as text.
HOSTILE_NAMES = (
    "red",
    "red_wing",
    "x1",
    "x10",
    "a & b",
    "max",
    "lambda",
    "TRUE",
    "false",
    "not",
    "S",
    "it's",
    'say "hi"',
    "back`tick",
    "back\\slash",
    " leading blank",
    "two\nlines",
    "tab\there",
    "größe",
    "🐦",
    "中文",
    "\u200fשלום",
    "__import__('os').system('x')",
    '"; DROP TABLE x',
    "<script>alert(1)</script>",
    "age > 62",
    "~a",
    "∧",
    "1st",
    "_",
    "{0}",
    "%s",
    "$x$",
    "n" * 300,
)


def names() -> st.SearchStrategy[str]:
    """Concept names: the hostile ones and arbitrary text that can be encoded."""
    text = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
    return st.sampled_from(HOSTILE_NAMES) | text


def distinct_names(least: int = 1, most: int = 6) -> st.SearchStrategy[list[str]]:
    """Lists of different concept names."""
    return st.lists(names(), min_size=least, max_size=most, unique=True)


def formulas(concepts: st.SearchStrategy[str] | None = None, max_leaves: int = 12) -> st.SearchStrategy:
    """Formulas of every kind, constants inside included."""
    variables = (names() if concepts is None else concepts).map(Var)
    leaves = variables | st.sampled_from([TRUE, FALSE])

    def grow(parts: st.SearchStrategy) -> st.SearchStrategy:
        several = st.lists(parts, min_size=2, max_size=4)
        return parts.map(Not) | several.map(lambda p: And(*p)) | several.map(lambda p: Or(*p))

    return st.recursive(leaves, grow, max_leaves=max_leaves)


PLAIN = ("a", "b", "c", "d", "e")


def plain_formulas(max_leaves: int = 12) -> st.SearchStrategy:
    """Formulas over five concepts, for exhaustive comparison on :func:`all_rows`."""
    return formulas(st.sampled_from(PLAIN), max_leaves)


def all_rows(n_concepts: int) -> np.ndarray:
    """Every Boolean tuple of that many concepts, one a row."""
    return (np.arange(2**n_concepts)[:, None] >> np.arange(n_concepts) & 1).astype(bool)


@st.composite
def labelled_rows(draw, max_concepts: int = 6, max_rows: int = 40, names_from=None):
    """``(X, y, weight, names)``: Boolean rows, repeated and contradictory ones included."""
    n_concepts = draw(st.integers(1, max_concepts))
    n_rows = draw(st.integers(1, max_rows))
    bits = st.lists(st.booleans(), min_size=n_rows * n_concepts, max_size=n_rows * n_concepts)
    X = np.array(draw(bits), dtype=bool).reshape(n_rows, n_concepts)
    y = np.array(draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)), dtype=bool)
    weight = np.array(draw(st.lists(st.integers(1, 4), min_size=n_rows, max_size=n_rows)), dtype=float)
    concept_names = draw(names_from or distinct_names(n_concepts, n_concepts))
    return X, y, weight, concept_names
