"""Which rows are held out: drawn at random, named by a column, or those of another file.

``_hold_out`` in ``cli/selection.py`` says which of the three. Engines draw by ``scale/_training_rows.py``;
what a fit leaves out in turn is drawn in ``estimators/folds.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from logiclens.concepts.table import Column, Kind, Table
from logiclens.errors import InputError, count, did_you_mean, listing
from logiclens.logic.arrays import BoolArray, IndexArray

if TYPE_CHECKING:
    import pyarrow

    from logiclens.files import TableFile

_LEARN = {"train", "training", "learn", "0", "false", "no"}
_HOLD_OUT = {"test", "testing", "held out", "heldout", "hold out", "holdout", "1", "true", "yes"}


_NEAR = 0.01  # of the rows that a share may be off where groups are drawn
_OF_CLASSES = 0.01  # how much the share of each class counts beside that of all
_MOST_CHOSEN = 12  # groups of which every subset is tried


class HeldOutFile(NamedTuple):
    """The file that held-out rows come from.

    Attributes
    ----------
    name : str
    sha256 : str, optional
    n_rows : int
    """

    name: str
    sha256: str | None
    n_rows: int


def split(labels: NDArray[Any], share: float, seed: int, groups: IndexArray | None = None) -> BoolArray:
    """Rows to hold out, in proportion from each class, drawn at random, shape (n,).

    A class of two rows or more has rows on both sides; of one row, it is learned. Rows of a group stay
    together, and groups are drawn whose rows are as nearly that share as can be: then every class is learned,
    and may not be held out.

    Examples
    --------
    >>> split(np.array(["a", "a", "b", "b", "b", "c"]), 0.4, seed=0).sum()
    np.int64(2)
    >>> split(np.array(["a", "b"] * 3), 0.4, seed=0, groups=np.array([0, 0, 1, 1, 2, 2]))
    array([ True,  True, False, False, False, False])
    """
    held_out = np.zeros(len(labels), dtype=np.bool_)
    if not share:
        return held_out
    codes = np.unique(labels, return_inverse=True)[1]
    if groups is not None:
        return _split_groups(codes, share, seed, groups)
    generator = np.random.default_rng(seed)
    for code in range(codes.max(initial=-1) + 1):
        rows = generator.permutation(np.flatnonzero(codes == code))
        n = min(max(round(len(rows) * share), 1), len(rows) - 1)
        held_out[rows[:n]] = True
    return held_out


def _split_groups(codes: IndexArray, share: float, seed: int, groups: IndexArray) -> BoolArray:
    """Groups whose rows are about that share, of each class, too; every class is learned, shape (n,).

    Groups are drawn at random. Where large ones make the share another one, that subset of the largest is
    held out with which it comes nearest.
    """
    from logiclens.estimators.folds import group_places

    sizes = np.zeros((int(groups.max(initial=-1)) + 1, int(codes.max(initial=0)) + 1))
    np.add.at(sizes, (groups, codes), 1.0)
    total, drawn = sizes.sum(axis=0), np.zeros(len(sizes), dtype=np.bool_)
    drawn[groups] = group_places(groups, codes, np.ones(len(codes)), seed) < share
    drawn &= ~(sizes[:, drawn @ sizes == total] > 0).any(axis=1)
    held = float((drawn @ sizes).sum())
    if held and abs(held - share * len(codes)) <= _NEAR * len(codes):
        return np.asarray(drawn[groups])
    large = np.argsort(-sizes.sum(axis=1), kind="stable")[:_MOST_CHOSEN]
    subsets = (np.arange(1 << len(large))[:, None] >> np.arange(len(large))) & 1 > 0
    others = drawn.copy()
    others[large] = False
    of_class = others @ sizes + subsets @ sizes[large]  # rows held out of each class, by subset
    away = np.abs(of_class.sum(axis=1) - share * len(codes))
    away += _OF_CLASSES * np.abs(of_class - share * total).sum(axis=1)
    away[(of_class == total).any(axis=1)] = np.inf  # a class would not be learned
    away[of_class.sum(axis=1) == 0] = np.inf
    drawn[large] = subsets[away.argmin()] & np.isfinite(away.min())
    return np.asarray(drawn[groups])


def named_split(column: Column, value: str | None) -> tuple[BoolArray, str]:
    """Rows to hold out by the values of a column, shape (n,), and a note that says which.

    Parameters
    ----------
    column : Column
        Without missing values.
    value : str, optional
        That of the rows to hold out; values such as train and test, 0 and 1 are plain.

    Raises
    ------
    InputError
        It is not plain which rows are held out, or one side is empty.

    Examples
    --------
    >>> held_out, note = named_split(Table({"part": ["train", "test", "train"]}).column("part"), None)
    >>> held_out.tolist(), note
    ([False, True, False], "Held out: the rows whose 'part' is 'test'.")
    """
    texts = [_text(level) for level in column.levels]
    words = [text.strip().casefold().replace("_", " ").replace("-", " ") for text in texts]
    if value is None:
        if not set(words) <= _LEARN | _HOLD_OUT:
            raise InputError(
                f"It is not plain which values of {column.name!r} are held out: {listing(texts)}. "
                "Name one: --test-value VALUE."
            )
        test = [text for text, word in zip(texts, words, strict=True) if word in _HOLD_OUT]
    elif value in texts:
        test = [value]
    else:
        raise InputError(f"Column {column.name!r} has no value {value!r}. It has {listing(texts)}.")
    held_out = np.array([text in test for text in texts])[column.codes]
    if held_out.all() or not held_out.any():
        which = "All" if held_out.all() else "None"
        raise InputError(
            f"{which} of the rows would be held out: {column.name!r} is {listing(texts)}. "
            "Name a column with two values, or choose rows at random with --holdout."
        )
    return held_out, f"Held out: the rows whose {column.name!r} is {' or '.join(map(repr, test))}."


def _text(level: object) -> str:
    """A value as one would write it for --test-value."""
    return f"{level:.10g}" if isinstance(level, float) else f"{level}"


def with_test_rows(
    source: TableFile, test: TableFile, columns: Sequence[str]
) -> tuple[pyarrow.Table, HeldOutFile]:
    """The columns of a table, with the rows of another one below.

    Parameters
    ----------
    source, test : TableFile
    columns : sequence of str
        The columns that are needed of both.

    Raises
    ------
    InputError
        The other one lacks a column, or one holds something else there.
    """
    import pyarrow as pa

    here, there = Table(source.table), Table(test.table)
    if lacking := [name for name in columns if name not in there]:
        raise InputError(
            f"{test.name} lacks {listing(lacking)}, which {source.name} has. "
            f"{did_you_mean(lacking[0], there.names)}Name columns alike in both, or leave them out: --ignore."
        )
    parts = []
    for name in columns:
        mine, its = here.column(name), there.column(name)
        if mine.kind is not its.kind and not its.missing.all():
            raise InputError(
                f"Column {name!r} holds {its.kind} in {test.name}, and {mine.kind} in {source.name}. "
                "Write it in the same way in both, or leave it out with --ignore."
            )
        parts.append(_below(source.table.column(name), test.table.column(name), its))
    return pa.table(parts, names=[*columns]), HeldOutFile(test.name, test.sha256, test.n_rows)


def _below(mine: Any, its: Any, column: Column) -> Any:
    """One column below the other, of a type that holds both."""
    import pyarrow as pa

    if column.missing.all():
        its = pa.chunked_array([pa.nulls(len(its), mine.type)])
    if mine.type == its.type:
        return pa.chunked_array([*mine.chunks, *its.chunks])
    if column.kind is Kind.NUMBER:
        return pa.chunked_array([*mine.cast("float64").chunks, *its.cast("float64").chunks])
    return pa.array([*mine.to_pylist(), *its.to_pylist()])


def groups_of(column: Column) -> tuple[IndexArray, str]:
    """A number for each row, equal where the values of a column are, and a note, or nothing.

    Rows without a value are groups by themselves.
    """
    missing = column.missing
    groups = column.codes.copy()
    groups[missing] = len(column.levels) + np.arange(missing.sum())
    n = int(missing.sum())
    note = f"{count(n, 'row')} without a value of {column.name!r}: each is a group by itself." if n else ""
    return np.unique(groups, return_inverse=True)[1], note


def on_both_sides(held_out: BoolArray, groups: IndexArray) -> IndexArray:
    """The groups that have rows on both sides of a split."""
    return np.intersect1d(groups[held_out], groups[~held_out])
