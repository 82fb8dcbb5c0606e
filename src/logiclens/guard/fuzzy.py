"""Formulas as functions of numbers in [0, 1]: how far a formula is true of what a model says.

A t-norm says how true ``a & b`` is when ``a`` and ``b`` are true to some degree; with ``~a`` as ``1 - a`` it
says the same of every formula:

    product        a & b = a * b                   a | b = 1 - (1 - a) * (1 - b)
    lukasiewicz    a & b = max(0, a + b - 1)       a | b = min(1, a + b)
    boolean        both after ``a > 0.5``

All formulas are made into one circuit whose parts are worked out level by level, equal parts once. So the
work is a few operations on arrays however many formulas there are, and it is the same work for NumPy arrays
and for torch tensors, through which gradients flow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from logiclens.logic.arrays import IndexArray
from logiclens.logic.formula import FALSE, TRUE, And, Const, Formula, Not, Or, Var
from logiclens.logic.values import THRESHOLD


class TNorm(StrEnum):
    """How degrees of truth are combined; see the module's description."""

    PRODUCT = "product"
    LUKASIEWICZ = "lukasiewicz"
    BOOLEAN = "boolean"


class _Level(NamedTuple):
    """Parts of one kind that need earlier parts only.

    Attributes
    ----------
    kind : type
        Not, And or Or.
    parts : ndarray of shape (n_parts, most_arguments)
        Numbers of the arguments, about as many in each row; short rows are filled up with TRUE (And) or FALSE
        (Or), which change nothing.
    """

    kind: type[Formula]
    parts: IndexArray


@dataclass(frozen=True, eq=False)
class Circuit:
    """Several formulas over the columns of a table, made ready to be evaluated together.

    Attributes
    ----------
    n_columns : int
    levels : tuple
        What is worked out one after the other. Part 0 is FALSE and part 1 TRUE, then come the columns.
    outputs : ndarray of int, shape (n_formulas,)
        The part that each formula is.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> a, b = Var("a"), Var("b")
    >>> circuit = Circuit.of([a & b, a >> b], ["a", "b"])
    >>> circuit.truth(np.array([[0.5, 0.25]]), TNorm.PRODUCT)
    array([[0.125, 0.625]])
    """

    n_columns: int
    levels: tuple[_Level, ...]
    outputs: IndexArray

    @classmethod
    def of(cls, formulas: Sequence[Formula], names: Sequence[str]) -> Circuit:
        """Make a circuit of formulas whose concepts are among the names of the columns."""
        place: dict[Formula, int] = {FALSE: 0, TRUE: 1}
        place |= {Var(name): at + 2 for at, name in enumerate(names)}
        waiting = {
            part for formula in formulas for part in formula.walk() if not isinstance(part, Const | Var)
        }
        levels: list[_Level] = []
        for alike in _alike(waiting):
            kind, widest = type(alike[0]), max(len(part.args) for part in alike)
            arguments = np.full((len(alike), widest), 1 if kind is And else 0, dtype=np.intp)
            for row, part in zip(arguments, alike, strict=True):
                row[: len(part.args)] = [place[argument] for argument in part.args]
            levels.append(_Level(kind, arguments))
            place |= {part: len(place) + at for at, part in enumerate(alike)}
        return cls(
            len(names), tuple(levels), np.array([place[formula] for formula in formulas], dtype=np.intp)
        )

    @property
    def n_parts(self) -> int:
        """How many values are worked out for each row."""
        return 2 + self.n_columns + sum(len(level.parts) for level in self.levels)

    def truth(self, values: Any, tnorm: TNorm) -> Any:
        """Degrees of truth of the formulas, shape (n, n_formulas).

        Parameters
        ----------
        values : ndarray or torch.Tensor of shape (n, n_columns)
            In [0, 1].
        tnorm : TNorm
        """
        space = _Arrays() if isinstance(values, np.ndarray) else _tensors()
        columns = values.T if tnorm is not TNorm.BOOLEAN else (values.T > THRESHOLD) * 1.0
        found = space.with_constants(columns)
        for level in self.levels:
            found = space.joined(found, self._worked_out(level, found, space, tnorm))
        return found[self.outputs].T

    @staticmethod
    def _worked_out(level: _Level, found: Any, space: Any, tnorm: TNorm) -> Any:
        """Degrees of truth of the parts of a level, shape (n_parts, n)."""
        if level.kind is Not:
            return 1.0 - found[level.parts[:, 0]]
        arguments = [found[place] for place in level.parts.T]
        if level.kind is Or:  # a | b is ~(~a & ~b) for every t-norm here
            arguments = [1.0 - argument for argument in arguments]
        total = arguments[0]
        for argument in arguments[1:]:
            total = (
                total * argument if tnorm is not TNorm.LUKASIEWICZ else space.positive(total + argument - 1.0)
            )
        return total if level.kind is And else 1.0 - total


def _alike(parts: Iterable[Formula]) -> list[list[Formula]]:
    """Parts of one depth, one kind and about as many arguments together, the shallow ones first."""
    groups: dict[tuple[int, str, int], list[Formula]] = {}
    for part in sorted(parts):
        key = part.depth, type(part).__name__, (len(part.args) - 1).bit_length()
        groups.setdefault(key, []).append(part)
    return [groups[key] for key in sorted(groups)]


class _Arrays:
    """The few operations that NumPy and torch spell differently, for NumPy."""

    @staticmethod
    def with_constants(columns: Any) -> Any:
        n = columns.shape[1]
        return np.concatenate([np.zeros((1, n)), np.ones((1, n)), columns])

    @staticmethod
    def joined(one: Any, other: Any) -> Any:
        return np.concatenate([one, other])

    @staticmethod
    def positive(values: Any) -> Any:
        return np.maximum(values, 0.0)


def _tensors() -> Any:
    """The same for torch, which is imported only where there is a tensor."""
    import torch

    class Tensors:
        @staticmethod
        def with_constants(columns: Any) -> Any:
            ends = columns.new_tensor([[0.0], [1.0]])
            return torch.cat([ends.expand(2, columns.shape[1]), columns])

        @staticmethod
        def joined(one: Any, other: Any) -> Any:
            return torch.cat([one, other])

        @staticmethod
        def positive(values: Any) -> Any:
            return values.clamp(min=0.0)

    return Tensors
