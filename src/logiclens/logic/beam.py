"""Short formulas that are right about most of a table, searched for literal by literal.

Minimization (:mod:`logiclens.logic.minimize`) shortens what a table says, over concepts that someone has
chosen. This is the step before it: of *many* concepts, which few make a short formula right? Ranking concepts
one by one misses those that matter only together, so formulas grow here as a whole, a literal at a time, and
the best of each length go on (a beam search).

A formula under construction is a union of finished terms and one open term. A literal is added to the open
term, or starts the next one. All additions to all formulas are scored at once, by one matrix product::

    gain(f) = sum over rows of f(row) (yes - no)

the weight that a formula is right about, up to a constant. Of a rare target, short formulas hold on more no
than yes, and the one that holds nowhere would look best: there formulas go on, too, that are best where a yes
counts as much as all the no to it, and half-way between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from logiclens.errors import InputError
from logiclens.logic.arrays import BoolArray, IndexArray, quiet_products
from logiclens.logic.data import check_count
from logiclens.logic.formula import And, Formula, Not, Or, Var
from logiclens.logic.threads import one_thread
from logiclens.logic.truth_table import TruthTable

WIDTH = 40
"""Formulas of a length that are kept to grow further."""
RARE = 9.0
"""Times as much no as yes beyond which a target is rare."""

_Floats = NDArray[np.float32]
_Terms = tuple[tuple[int, ...], ...]  # literals of each term: j is concept j, -j - 1 its negation
_Packed = NDArray[np.uint8]
_Chosen = list[tuple[int, int, int, _Packed]]  # begins a term, formula, literal, where the open term holds


def short_formulas(
    table: TruthTable, max_literals: int, *, max_concepts: int | None = None, width: int = WIDTH
) -> tuple[Formula, ...]:
    """Best formula found of each length from one literal on: right about the most weight of a table.

    Parameters
    ----------
    table : TruthTable
        Over any number of concepts.
    max_literals : int
        Longest formula.
    max_concepts : int, optional
        Most concepts that a formula speaks of; no limit when missing.
    width : int, default :data:`WIDTH`
        Formulas of each length that are kept to grow further: more is slower and sometimes better.

    Returns
    -------
    tuple of Formula
        In disjunctive normal form; each is right about more weight than all shorter ones, so lengths at which
        nothing is gained are left out. Empty where no formula is better than ``FALSE``. ``TRUE`` is found as
        a literal or its negation.

    Examples
    --------
    >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0], [1, 1, 1], [0, 0, 0]]
    >>> table = TruthTable.from_data(X, [0, 0, 0, 1, 1, 0], names=["a", "b", "c"])
    >>> [str(formula) for formula in short_formulas(table, 3)]
    ['a', 'a & b']
    """
    if check_count(max_literals, "max_literals") < 1:
        raise InputError(f"max_literals must be at least 1. Got {max_literals}.")
    if max_concepts is not None and check_count(max_concepts, "max_concepts") < 1:
        raise InputError(f"max_concepts must be at least 1. Got {max_concepts}.")
    if check_count(width, "width") < 1:
        raise InputError(f"width must be at least 1. Got {width}.")
    if not table.names or not table.n_rows:
        return ()
    literals = _Literals.of(table.to_array())
    worths = _worths(table)
    beam = _Beam.empty(table.n_rows)
    best, found = 0.0, []
    with one_thread():
        for _ in range(max_literals):
            beam = beam.grown(literals, worths, width, max_concepts or literals.n_concepts)
            if not len(beam.gain):
                break
            at = int(beam.gain.argmax())
            if beam.gain[at] > best + 1e-6 * abs(worths[0]).sum():
                best = float(beam.gain[at])
                found.append(_formula(beam.terms[at], table.names))
    return tuple(found)


def _worths(table: TruthTable) -> _Floats:
    """What a formula gains by holding on each tuple, (n, n_tuples); of a rare target also with yes dearer."""
    yes, no = float(table.yes.sum()), float(table.no.sum())
    ratio = no / yes if yes > 0 else 1.0
    rates = np.array([1.0] if ratio <= RARE else [1.0, np.sqrt(ratio), ratio])
    return (rates[:, None] * table.yes - table.no).astype(np.float32)


@dataclass(frozen=True, eq=False)
class _Literals:
    """Where each literal holds, the concepts first and then their negations."""

    held_by: _Floats  # (n_rows, 2 n_concepts)
    packed: _Packed  # (2 n_concepts, n_bytes)

    @classmethod
    def of(cls, rows: BoolArray) -> _Literals:
        held = np.concatenate([rows, ~rows], axis=1)
        return cls(held.astype(np.float32), np.packbits(held.T, axis=1))

    @property
    def n_concepts(self) -> int:
        return len(self.packed) // 2


@dataclass(frozen=True, eq=False)
class _Beam:
    """Formulas of one length; the first was best as formulas are judged in the end."""

    closed: BoolArray  # (n_formulas, n_rows): where the finished terms hold
    open: BoolArray  # (n_formulas, n_rows): where the open term holds
    gain: _Floats  # (n_formulas,)
    terms: tuple[_Terms, ...]

    @classmethod
    def empty(cls, n_rows: int) -> _Beam:
        """The formula without a term."""
        nowhere = np.zeros((1, n_rows), dtype=np.bool_)
        return cls(nowhere, nowhere, np.zeros(1, dtype=np.float32), ((),))

    @quiet_products
    def grown(self, literals: _Literals, worths: _Floats, width: int, most: int) -> _Beam:
        """The best formulas with one literal more, by each of the worths, each truth of them once.

        They speak of ``most`` concepts at most. Those that do already go on with their own.
        """
        closed = np.stack([self.closed, self.closed | self.open])  # to go on with the term, or to begin one
        begun = self.open & ~self.closed
        left = np.stack([begun, ~closed[1]])
        gains = [(closed @ worth)[:, :, None] + (left * worth) @ literals.held_by for worth in worths]
        packed_closed, packed_open = np.packbits(closed, axis=2), np.packbits(self.open, axis=1)
        chosen: _Chosen = []
        seen: set[tuple[bytes, bytes]] = set()
        unspoken = self._beyond(most, literals.n_concepts)
        for gain in gains:
            gain[0, ~begun.any(axis=1)] = -np.inf  # a term that adds no row: there is none to go on with
            gain[:, unspoken] = -np.inf
            enough = len(chosen) + width
            for place in _best_first(gain.ravel(), 4 * width):
                row, literal = divmod(place, gain.shape[2])
                new, formula = divmod(row, gain.shape[1])
                if gain[new, formula, literal] == -np.inf or len(chosen) == enough:
                    break
                held, shut = literals.packed[literal], packed_closed[new, formula]
                if new == 0:
                    held = held & packed_open[formula]
                key = (held.tobytes(), shut.tobytes())
                if key in seen or not (held & ~shut).any():
                    continue
                seen.add(key)
                chosen.append((new, formula, literal, held))
        return self._with(chosen, closed, gains[0], literals.n_concepts)

    def _beyond(self, most: int, n_concepts: int) -> BoolArray:
        """Literals that would bring in a concept too many, (n_formulas, 2 n_concepts)."""
        spoken = np.zeros((len(self.terms), n_concepts), dtype=np.bool_)
        for formula, terms in enumerate(self.terms):
            spoken[formula, [j if j >= 0 else -j - 1 for term in terms for j in term]] = True
        beyond = ~spoken & (spoken.sum(axis=1) >= most)[:, None]
        return np.concatenate([beyond, beyond], axis=1)

    def _with(self, chosen: _Chosen, closed: BoolArray, gains: _Floats, n_concepts: int) -> _Beam:
        index: tuple[IndexArray, ...] = tuple(
            np.array([c[:3] for c in chosen], dtype=np.intp).reshape(-1, 3).T
        )
        new, formula, _ = index
        terms = []
        for start, at, literal, _ in chosen:
            signed = literal if literal < n_concepts else n_concepts - literal - 1
            before = self.terms[at]
            terms.append((*before, (signed,)) if start else (*before[:-1], (*before[-1], signed)))
        n_rows = self.open.shape[1]
        held = np.array([c[3] for c in chosen], dtype=np.uint8).reshape(len(chosen), -(-n_rows // 8))
        opened = np.unpackbits(held, axis=1, count=n_rows).view(np.bool_)
        return _Beam(closed[new, formula], opened, gains[index], tuple(terms))


def _best_first(values: _Floats, soon: int) -> Iterator[int]:
    """Positions of values, the largest first, of equals the first; most are sorted only when needed."""
    least = np.partition(values, -soon)[-soon] if soon < len(values) else -np.inf
    for part in (values >= least, values < least):
        places = np.flatnonzero(part)
        yield from places[np.argsort(-values[places], kind="stable")].tolist()


def _formula(terms: _Terms, names: tuple[str, ...]) -> Formula:
    return Or.of(And.of(_literal(j, names) for j in term) for term in terms)


def _literal(j: int, names: tuple[str, ...]) -> Formula:
    return Var(names[j]) if j >= 0 else Not(Var(names[-j - 1]))
