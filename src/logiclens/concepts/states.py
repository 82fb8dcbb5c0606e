"""The concepts of one column, and which of them can be true together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any

import numpy as np

from logiclens.concepts.concept import Concept, Flag, Relation
from logiclens.logic.arrays import BoolArray
from logiclens.logic.formula import FALSE, And, Formula, Not, Var

_MANY = float(np.finfo(np.float64).max)  # stands for a number beyond all cut points


@dataclass(frozen=True, eq=False)
class Group:
    """The concepts of one column, and which of them can be true together.

    Attributes
    ----------
    column : str
    names : tuple of str, length k
        The concepts.
    states : ndarray of bool, shape (n_states, k)
        Every combination of their truth that some value of the column gives or, where values are known to
        be missing sometimes, that no value gives.
    given : ndarray of bool, shape (n_states,)
        Which states some value gives.
    """

    column: str
    names: tuple[str, ...]
    states: BoolArray
    given: BoolArray


def telling_values(concepts: Sequence[Concept]) -> list[Any]:
    """Values of a column that give every combination of truth there can be."""
    if any(isinstance(concept, Flag) for concept in concepts):
        return [0.0, 1.0]
    compared = [value for concept in concepts for value in concept.condition().values]
    numbers = sorted({value for value in compared if not isinstance(value, str)})
    texts = sorted({value for value in compared if isinstance(value, str)})
    if texts:
        return [*texts, *numbers, "\0".join(texts) + "\0"]  # the last is unlike all of them
    if all(concept.condition().relation in (Relation.IS, Relation.MISSING) for concept in concepts):
        other = next(number for number in count(0) if number not in numbers)
        return [*numbers, other]  # whole ones stay so, however large
    between = [low / 2 + high / 2 for low, high in pairwise(numbers)]
    return [-_MANY, *numbers, *between, _MANY]


def every_combination(groups: Sequence[Group]) -> tuple[BoolArray, tuple[str, ...]]:
    """Every combination of the states of some groups, (n, k), and the names of the concepts."""
    rows = np.zeros((1, 0), dtype=np.bool_)
    for group in groups:
        left = np.repeat(rows, len(group.states), axis=0)
        rows = np.hstack([left, np.tile(group.states, (len(rows), 1))])
    return rows, tuple(name for group in groups for name in group.names)


def without_implied(term: Formula, groups: Sequence[Group]) -> Formula:
    """A term without literals that follow from its others; FALSE when no row satisfies it."""
    if term == FALSE:
        return FALSE
    parts = term.args if isinstance(term, And) else (term,)
    literals = {part.concepts[0]: part for part in parts if part.concepts}
    for group in groups:
        mine = {name: isinstance(literals[name], Var) for name in group.names if name in literals}
        for name in [*mine, None]:
            rest = {other: value for other, value in mine.items() if other != name}
            at = [group.names.index(other) for other in rest]
            left = group.states[
                (group.states[:, at] == np.array(list(rest.values()), dtype=bool)).all(axis=1)
            ]
            if not len(left):
                return FALSE
            if name is not None and rest and (left[:, group.names.index(name)] == mine[name]).all():
                mine = rest
                del literals[name]
    return And.of(literals.values())


def as_term(names: Sequence[str], state: BoolArray) -> Formula:
    """A combination of truth as a conjunction of literals."""
    return And.of(Var(name) if true else Not(Var(name)) for name, true in zip(names, state, strict=True))
