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
_Chosen = list[tuple[int, int, int, BoolArray]]  # begins a term, formula, literal, where the open term holds


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
    rows = table.to_array()
    literals = np.concatenate([rows, ~rows], axis=1)
    worths = _worths(table)
    beam = _Beam.empty(table.n_rows)
    best, found = 0.0, []
    with one_thread():
        for _ in range(max_literals):
            beam = beam.grown(literals, worths, width, max_concepts or len(table.names))
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
    def grown(self, literals: BoolArray, worths: _Floats, width: int, most: int) -> _Beam:
        """The best formulas with one literal more, by each of the worths, each truth of them once.

        They speak of ``most`` concepts at most. Those that do already go on with their own.
        """
        closed = np.stack([self.closed, self.closed | self.open])  # to go on with the term, or to begin one
        begun = self.open & ~self.closed
        left = np.stack([begun, ~closed[1]])
        held_by = literals.astype(np.float32)
        gains = [(closed @ worth)[:, :, None] + (left * worth) @ held_by for worth in worths]
        chosen: _Chosen = []
        seen: set[tuple[bytes, bytes]] = set()
        unspoken = self._beyond(most, literals.shape[1] // 2)
        for gain in gains:
            gain[0, ~begun.any(axis=1)] = -np.inf  # a term that adds no row: there is none to go on with
            gain[:, unspoken] = -np.inf
            enough = len(chosen) + width
            for place in _best_first(gain.ravel(), 4 * width):
                new, formula, literal = np.unravel_index(place, gain.shape)
                if gain[new, formula, literal] == -np.inf or len(chosen) == enough:
                    break
                held = literals[:, literal] & (self.open[formula] if new == 0 else True)
                key = (np.packbits(held).tobytes(), np.packbits(closed[new, formula]).tobytes())
                if key in seen or not (held & ~closed[new, formula]).any():
                    continue
                seen.add(key)
                chosen.append((int(new), int(formula), int(literal), held))
        return self._with(chosen, closed, gains[0], literals.shape[1] // 2)

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
        held = np.array([c[3] for c in chosen], dtype=np.bool_).reshape(len(chosen), self.open.shape[1])
        return _Beam(closed[new, formula], held, gains[index], tuple(terms))


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
