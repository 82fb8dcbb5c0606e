"""The empirical truth table: distinct Boolean concept tuples, and how often the answer was yes and no.

This is the one value that stands between a network and a formula (Sec. 4.1 of the paper, Fig. 7).
Tuples that were never seen are not in the table: whoever reads it decides what they mean;
:func:`logiclens.logic.minimize` takes them as don't-cares.

Building a table is a GROUP BY. Rows are packed 64 concepts to a word, grouped block by block by a
radix sort on 32 bits of a hash, and the groups of all blocks are grouped once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from logiclens.errors import InputError, UnknownConceptError, count, shown
from logiclens.logic.arrays import WORD, BoolArray, FloatArray, Words, pack, unpack
from logiclens.logic.data import (
    THRESHOLD,
    ConceptData,
    as_answers,
    as_weights,
    check_name,
    check_names,
    check_one_name_each,
)

_BLOCK: Final = 1 << 17  # rows packed and grouped at a time: a block's words stay in the cache
_READABLE: Final = 1 << 16  # tables up to this size are put in counting order, larger ones in hash order


@dataclass(frozen=True, eq=False, repr=False)
class TruthTable:
    """Distinct concept tuples with the total weight of yes and of no.

    Build it with :meth:`from_data`, or with :meth:`from_counts` when the counting was done elsewhere.
    The order of the rows depends on their content alone, so equal tables have equal arrays, however
    and in whatever pieces they were built.

    Attributes
    ----------
    names : tuple of str
        The concepts, one for each column.
    rows : ndarray of uint64, shape (n_rows, n_words)
        The tuples, 64 concepts to a word: concept ``j`` is bit ``j % 64`` of word ``j // 64``.
    yes, no : ndarray of float, shape (n_rows,)
        Total weight of each answer; the number of samples unless weights were given.

    Examples
    --------
    >>> table = TruthTable.from_data([[0, 1], [1, 0], [1, 0], [1, 1]], [1, 1, 0, 0], names=["a", "b"])
    >>> table
    TruthTable(2 concepts, 3 rows, weight 2 yes, 2 no)
    >>> table.to_array().astype(int).tolist(), table.yes.tolist(), table.no.tolist()
    ([[1, 0], [0, 1], [1, 1]], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0])

    References
    ----------
    Sec. 4.1 and Fig. 7 of Ciravegna et al., *Logic Explained Networks*.
    """

    names: tuple[str, ...]
    rows: Words
    yes: FloatArray
    no: FloatArray

    @classmethod
    def from_data(
        cls,
        concepts: Any,
        predictions: ArrayLike,
        names: Sequence[str] | None = None,
        sample_weight: ArrayLike | None = None,
        columns: Sequence[str | int] | None = None,
        threshold: float = THRESHOLD,
    ) -> TruthTable:
        """Count the answers on each distinct tuple.

        Parameters
        ----------
        concepts : mapping, data frame or array of shape (n_samples, n_concepts)
            Booleans or numbers in [0, 1].
        predictions : array of shape (n_samples,)
            The answers about one class: Booleans or numbers in [0, 1]. From labels ``y`` of several
            classes, ``y == label`` makes them.
        names : sequence of str, optional
            Names of an array's columns; ``x0``, ``x1``, ... when missing.
        sample_weight : array of shape (n_samples,), optional
            Non-negative weights; 1 when missing. Rows of weight 0 are left out.
        columns : sequence of str or int, optional
            The concepts to keep, by name or by position, in this order; all when missing.
        threshold : float, default 0.5
            Concepts and predictions count as true when greater.

        Returns
        -------
        TruthTable
        """
        data = ConceptData(concepts, names, threshold)
        if data.n_rows == 0:
            raise InputError("A truth table needs at least one row of data. Got none.")
        positions = data.positions(range(len(data.names)) if columns is None else columns)
        answers = as_answers(predictions, data.n_rows, data.threshold)
        given = np.ones(data.n_rows) if sample_weight is None else sample_weight
        weight = as_weights(given, "sample_weight", data.n_rows)
        words, yes, no = _group_blocks(_packed_blocks(data, positions, answers, weight))
        return cls._of_groups(tuple(data.names[j] for j in positions), words, yes, no)

    @classmethod
    def from_counts(
        cls, concepts: Any, yes: ArrayLike, no: ArrayLike, names: Sequence[str] | None = None
    ) -> TruthTable:
        """Build a table from tuples that were counted elsewhere, in a database for instance.

        Parameters
        ----------
        concepts : mapping, data frame or array of shape (n_rows, n_concepts)
            The tuples; repeated ones are added up.
        yes, no : array of shape (n_rows,)
            Non-negative total weight of each answer.
        names : sequence of str, optional
            Names of an array's columns.
        """
        data = ConceptData(concepts, names)
        counts = as_weights(yes, "yes", data.n_rows), as_weights(no, "no", data.n_rows)
        if data.n_rows == 0:
            raise InputError("A truth table needs at least one row of data. Got none.")
        words = np.concatenate([pack(block) for block in data.blocks(range(len(data.names)), _BLOCK)])
        return cls._of_groups(data.names, *_group_blocks([(words, *counts)]))

    @classmethod
    def _of_groups(cls, names: tuple[str, ...], words: Words, yes: FloatArray, no: FloatArray) -> TruthTable:
        present = (yes + no) > 0
        if not present.any():
            raise InputError("A truth table needs some weight. All weights are 0.")
        if not present.all():
            words, yes, no = words[present], yes[present], no[present]
        if names and len(words) <= _READABLE:  # without concepts there is one row
            order = np.lexsort(words.T)
            words, yes, no = words[order], yes[order], no[order]
        return cls(names, words, yes, no)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", check_names(self.names))
        n_rows, n_words = np.size(self.yes), -(-len(self.names) // WORD)
        for field, dtype, expected in (
            ("rows", np.uint64, (n_rows, n_words)),
            ("yes", np.float64, (n_rows,)),
            ("no", np.float64, (n_rows,)),
        ):
            array = getattr(self, field)
            if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != expected:
                raise InputError(
                    "The arrays of a truth table do not fit together. Build it with TruthTable.from_data or "
                    "TruthTable.from_counts."
                )
            array = array.view()
            array.flags.writeable = False
            object.__setattr__(self, field, array)

    def __reduce__(self) -> tuple[Any, ...]:  # so that the arrays of a copy are read-only, too
        return TruthTable, (self.names, self.rows, self.yes, self.no)

    @property
    def n_rows(self) -> int:
        """Number of distinct tuples."""
        return len(self.rows)

    @property
    def total(self) -> float:
        """Weight of all answers."""
        return float(self.yes.sum() + self.no.sum())

    def __len__(self) -> int:
        return self.n_rows

    def to_array(self) -> BoolArray:
        """The tuples, one a row, shape (n_rows, n_concepts)."""
        return unpack(self.rows, len(self.names))

    def merge(self, other: TruthTable) -> TruthTable:
        """Add up two tables over the same concepts.

        The columns of ``other`` may stand in another order. Merging the tables of two parts of the
        data gives the table of the whole.
        """
        if not isinstance(other, TruthTable):
            raise InputError(f"Only a truth table can be merged into another. Got {shown(other)}.")
        if set(self.names) != set(other.names):
            odd = sorted(set(self.names) ^ set(other.names))
            raise InputError(
                f"Only tables over the same concepts can be merged; {odd[0]!r} is in one alone. "
                "Use select(names) on both first."
            )
        if self.names != other.names:
            other = other.select(self.names)
        blocks = [(table.rows, table.yes, table.no) for table in (self, other)]
        return self._of_groups(self.names, *_group_blocks(blocks))

    def select(self, columns: Sequence[str]) -> TruthTable:
        """Keep some concepts only, in the order given; tuples that become equal are added up.

        This is the restriction to the ``m_i <= k`` concepts of an explanation (Sec. 4.1).
        """
        data = ConceptData(self.to_array(), self.names)
        positions = data.positions(columns)
        words = np.concatenate([pack(block) for block in data.blocks(positions, _BLOCK)])
        kept = tuple(self.names[j] for j in positions)
        return self._of_groups(kept, *_group_blocks([(words, self.yes, self.no)]))

    def rename(self, names: Sequence[str] | Mapping[str, str]) -> TruthTable:
        """Give the columns other names: all of them in order, or some by a mapping from old to new.

        Examples
        --------
        >>> table = TruthTable.from_data([[0, 1], [1, 0]], [1, 0], names=["a", "b"])
        >>> table.rename(["c", "d"]).names, table.rename({"b": "d"}).names
        (('c', 'd'), ('a', 'd'))
        """
        if isinstance(names, Mapping):
            for old in map(check_name, names):
                if old not in self.names:
                    raise UnknownConceptError(old, self.names)
            names = [names.get(name, name) for name in self.names]
        renamed = check_names(names)
        check_one_name_each(renamed, len(self.names))
        return TruthTable(renamed, self.rows, self.yes, self.no)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TruthTable):
            return NotImplemented
        return (
            self.names == other.names
            and np.array_equal(self.rows, other.rows)
            and np.array_equal(self.yes, other.yes)
            and np.array_equal(self.no, other.no)
        )

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __repr__(self) -> str:
        return (
            f"TruthTable({count(len(self.names), 'concept')}, {count(self.n_rows, 'row')}, "
            f"weight {self.yes.sum():g} yes, {self.no.sum():g} no)"
        )


Groups = tuple[Words, FloatArray, FloatArray]


def _packed_blocks(
    data: ConceptData, positions: list[int], answers: BoolArray, weight: FloatArray
) -> Iterator[Groups]:
    """Packed rows with their weight of yes and of no, a block at a time."""
    start = 0
    for block in data.blocks(positions, _BLOCK):
        stop = start + len(block)
        yes = np.where(answers[start:stop], weight[start:stop], 0.0)
        yield pack(block), yes, weight[start:stop] - yes
        start = stop


def _group_blocks(blocks: Iterable[Groups]) -> Groups:
    """Group each block, then the groups of all blocks."""
    groups = [_group(*block) for block in blocks]
    if len(groups) == 1:
        return groups[0]
    words, yes, no = (np.concatenate(column) for column in zip(*groups, strict=True))
    return _group(words, yes, no)


def _group(words: Words, yes: FloatArray, no: FloatArray) -> Groups:
    """Distinct rows in the order of their hash, with the sums of their weights."""
    hashes = _hash(words)
    order = _radix_order(hashes)
    words, hashes = words.take(order, axis=0), hashes[order]
    new = _differs_from_previous(words)
    clash = np.flatnonzero(new[1:] & (hashes[1:] == hashes[:-1]))
    if clash.size:  # different rows with one hash: put those runs in counting order
        ends = np.zeros(len(hashes) + 1, dtype=np.int8)
        ends[np.searchsorted(hashes, hashes[clash], "left")] = 1
        ends[np.searchsorted(hashes, hashes[clash], "right")] -= 1
        tied = np.flatnonzero(np.cumsum(ends[:-1], dtype=np.int8))
        by_content = tied[np.lexsort((*words[tied].T, hashes[tied]))]
        order[tied], words[tied] = order[by_content], words[by_content]
        new = _differs_from_previous(words)
    yes, no = yes[order], no[order]
    if new.all():
        return words, yes, no
    starts = np.flatnonzero(new)
    return words[starts], np.add.reduceat(yes, starts), np.add.reduceat(no, starts)


def _differs_from_previous(words: Words) -> BoolArray:
    new = np.zeros(len(words), dtype=np.bool_)
    new[:1] = True
    for j in range(words.shape[1]):
        new[1:] |= words[1:, j] != words[:-1, j]
    return new


def _hash(words: Words) -> NDArray[np.uint32]:
    """32 well-mixed bits of each row (multiply and fold, word by word)."""
    state = np.full(len(words), 0x243F6A8885A308D3, dtype=np.uint64)
    for j in range(words.shape[1]):
        state ^= words[:, j]
        state *= np.uint64(0x9E3779B97F4A7C15)
        state ^= state >> np.uint64(32)
    state *= np.uint64(0xC2B2AE3D27D4EB4F)
    return (state >> np.uint64(WORD // 2)).astype(np.uint32)


def _radix_order(hashes: NDArray[np.uint32]) -> NDArray[np.intp]:
    """Order that sorts the hashes: two passes of NumPy's stable sort, a radix sort on 16 bits."""
    by_low = np.argsort(hashes.astype(np.uint16), kind="stable")
    high = (hashes >> np.uint32(16)).astype(np.uint16)
    return by_low[np.argsort(high[by_low], kind="stable")]
