"""A truth table made ready for minimization: the tuples with an answer, the concepts that tell them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, Terms, unpack
from logiclens.logic.relevance import relevance_of
from logiclens.logic.truth_table import TruthTable

_SAMPLE: Final = 1 << 15  # tuples that a sample of a very long table has


class Problem:
    """What there is to decide about a table.

    Concepts that are constant on the decided tuples, or that repeat or negate another one there, are left
    out: a formula over the others can say all that one over all concepts can, with as many literals.

    Parameters
    ----------
    table : TruthTable
    order : sequence of str, or array of shape (n_concepts,) or (n_rows, n_concepts), or None
        Which concepts matter; see :func:`logiclens.logic.minimize`.

    Attributes
    ----------
    bits : ndarray of bool, shape (n_decided, n_concepts)
        The tuples with more of one answer than of the other, over the concepts that are left.
    gain : ndarray of float, shape (n_decided,)
        Weight of yes minus weight of no, over ``scale``: what is won when a formula is true there.
    decided : ndarray of uint64, shape (n_decided, n_words)
        The same tuples over all concepts, packed.
    scale : float
        A power of two, so that the gains add up to between 1 and 2 (in size) whatever the unit of weight.
    relevance : ndarray of float, shape (n_concepts,)
        In [0, 1].
    """

    def __init__(self, table: TruthTable, order: Sequence[str] | ArrayLike | None) -> None:
        self.table = table
        relevance = relevance_of(order, table.names, table.n_rows)
        gain = table.yes - table.no
        decided = gain != 0
        self.decided = table.rows[decided]
        bits = unpack(self.decided, len(table.names))
        self.scale = float(2.0 ** np.floor(np.log2(np.abs(gain).sum() or 1.0)))
        self.gain: FloatArray = gain[decided] / self.scale
        self._columns, self._opposites = _telling_columns(bits, relevance.mean(axis=0))
        self.bits: BoolArray = bits[:, self._columns]
        self._row_relevance = relevance[:, self._columns]
        if len(relevance) > 1:
            self._row_relevance = self._row_relevance[decided]
        self.relevance: FloatArray = (
            self._row_relevance.mean(axis=0) if len(self.gain) else np.zeros(self.n_concepts)
        )

    @property
    def n_concepts(self) -> int:
        """Number of concepts that are left."""
        return len(self._columns)

    def relevance_of_rows(self, rows: BoolArray) -> FloatArray:
        """Relevance for each of these tuples, or one row for all of them."""
        return self._row_relevance if len(self._row_relevance) == 1 else self._row_relevance[rows]

    def sample(self) -> tuple[BoolArray, FloatArray]:
        """Tuples and gains to search on: all, or of a very long table a sample by weight.

        A tuple is taken as often as an evenly spaced grid over the added-up weights hits it, so heavy tuples
        keep their weight and the result repeats.
        """
        if len(self.gain) <= _SAMPLE:
            return self.bits, self.gain
        reach = np.cumsum(np.abs(self.gain))
        grid = (np.arange(_SAMPLE) + 0.5) * (reach[-1] / _SAMPLE)
        taken, times = np.unique(np.searchsorted(reach, grid), return_counts=True)
        return self.bits[taken], np.sign(self.gain[taken]) * times * (reach[-1] / _SAMPLE)

    def over_all_concepts(self, terms: Terms) -> Terms:
        """The terms over the table's columns; a negation becomes the concept that says the opposite."""
        whole = np.zeros((len(terms), len(self.table.names)), dtype=np.int8)
        plain = (terms < 0) & (self._opposites >= 0)
        whole[:, self._columns] = np.where(plain, 0, terms)
        at, column = np.nonzero(plain)
        whole[at, self._opposites[column]] = 1
        return whole


def _telling_columns(bits: BoolArray, relevance: FloatArray) -> tuple[IndexArray, IndexArray]:
    """Columns that are not constant, and of those that say the same (or the opposite) the most relevant.

    Beside each stands a column that says the opposite and is as relevant, or -1 where there is none.
    """
    columns = np.ascontiguousarray(bits.T)
    candidates = np.flatnonzero(columns.any(axis=1) & ~columns.all(axis=1))
    candidates = candidates[np.argsort(-relevance[candidates], kind="stable")]
    flipped = columns[candidates, :1]
    same = np.packbits(columns[candidates] ^ flipped, axis=1)  # a column and its negation look the same
    _, first, group = np.unique(same, axis=0, return_index=True, return_inverse=True)
    kept = candidates[first]
    representative = first[group.ravel()]
    opposes = (flipped != flipped[representative]).ravel()
    opposes &= relevance[candidates] == relevance[candidates[representative]]
    opposite = np.full(len(kept), -1)
    for at in np.flatnonzero(opposes)[::-1]:  # the first one stays
        opposite[group.ravel()[at]] = candidates[at]
    order = np.argsort(kept)
    return kept[order], opposite[order]
