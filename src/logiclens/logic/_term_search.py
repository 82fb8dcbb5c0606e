"""Terms that gain much: a beam search for many gains at once, and short steps from terms that are there.

A *context* is a gain for each row. What a term wins there is the sum over the rows that it covers, less its
price. Terms are found in three ways, each a few matrix products for all contexts together:

- *beams* add a literal at a time to the terms that win most.
- *seeds* are rows with much to gain. A term on its way to one may lose more than it wins; it takes the
  literals that make it surer, by the gain of Quinlan's FOIL (1990).
- *neighbors* of a term lack one of its literals, have another in its place, or one more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray

TermArray: TypeAlias = NDArray[np.int32]
"""Literals of terms, (n_terms, LONGEST), ascending: ``j`` for concept ``j``, ``m + j`` for its negation,
:data:`NONE` for none."""

_Dense: TypeAlias = NDArray[np.float32]

LONGEST: Final = 8
"""Most literals of a term."""
NONE: Final = np.iinfo(np.int32).max
"""What stands for no literal; it is larger than any."""

_WIDTH: Final = 4  # terms of a beam that go on
_DEPTH: Final = 4  # literals that a beam adds
_SEEDED_DEPTH: Final = 6  # literals that a term takes that contains a row with much to gain
_BEST: Final = 8  # terms of all that were found that are passed on, for each context
_ROWS: Final = 1 << 12  # rows on which terms are looked for
_CELLS: Final = 1 << 24  # entries of one matrix product
_TINY: Final = 1e-9


class Literals:
    """Where each literal holds.

    Parameters
    ----------
    bits : ndarray of bool, shape (n, n_concepts)
    allowed : ndarray of bool, shape (n_parts, n_concepts), optional
        Concepts that each part may use; all when missing. One that none may use is left out.
    """

    def __init__(self, bits: BoolArray, allowed: BoolArray | None = None) -> None:
        allowed = np.ones((1, bits.shape[1]), dtype=np.bool_) if allowed is None else allowed
        self.columns = _informative(bits & allowed.any(axis=0), allowed)
        self.n_all = bits.shape[1]
        bits = bits[:, self.columns]
        n, self.n_concepts = bits.shape
        self.n_rows = n
        always = np.ones((1, n), dtype=np.bool_)
        self.held = np.concatenate([bits.T, ~bits.T, always])  # (2 m + 1, n); the last is no literal
        self.sample = np.arange(n)
        if n > _ROWS:
            self.sample = np.sort(np.random.default_rng(0).choice(n, _ROWS, replace=False))
        self.dense = np.ascontiguousarray(self.held[:-1, self.sample].T, dtype=np.float32)  # (rows, 2 m)
        self.rows_of = np.ascontiguousarray(self.dense.T)  # (2 m, rows)
        self.held_by_sample = self.held if n <= _ROWS else np.ascontiguousarray(self.held[:, self.sample])

    def nothing(self) -> TermArray:
        """No terms."""
        return np.empty((0, LONGEST), dtype=np.int32)

    def covers(self, terms: TermArray) -> BoolArray:
        """Where each term holds, (n_terms, n)."""
        return _covers(self.held, terms)

    def sampled(self, terms: TermArray) -> BoolArray:
        """Where each term holds on the sample, (n_terms, n_sampled)."""
        return _covers(self.held_by_sample, terms)

    def signs(self, terms: TermArray) -> NDArray[np.int8]:
        """The terms over all concepts: 1 for a concept, -1 for its negation, (n_terms, n_concepts)."""
        signs = np.zeros((len(terms), self.n_all), dtype=np.int8)
        term, place = np.nonzero(terms != NONE)
        literal = terms[term, place]
        signs[term, self.columns[literal % self.n_concepts]] = np.where(literal < self.n_concepts, 1, -1)
        return signs


def sizes_of(terms: TermArray) -> IndexArray:
    """Number of literals of each term."""
    return np.asarray((terms != NONE).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Contexts:
    """What terms are to be found for: the contexts of one list.

    Attributes
    ----------
    gains : ndarray of shape (n_contexts, n)
        What is won on each row.
    owners : ndarray of int, shape (n_contexts,)
        The step that each belongs to.
    terms : ndarray of shape (n_contexts, LONGEST)
        The term that stands there now; a row of :data:`NONE` where there is none.
    price : float
        Of a literal.
    forbidden : ndarray of bool, shape (2 n_concepts,)
        Literals that may not be used.
    """

    gains: FloatArray
    owners: IndexArray
    terms: TermArray
    price: float
    forbidden: BoolArray


def find_terms(literals: Literals, several: Sequence[Contexts]) -> list[dict[int, TermArray]]:
    """Terms that may win something, for each step of each of several lists.

    Parameters
    ----------
    literals : Literals
    several : sequence of Contexts
        Those of each list.

    Returns
    -------
    list of dict of int to ndarray
        For each list, by step: terms, best of each context first.
    """
    if not several:
        return []
    scale = literals.n_rows / len(literals.sample)
    gains = np.concatenate([each.gains[:, literals.sample] for each in several]) * scale
    price = np.repeat([each.price for each in several], [len(each.gains) for each in several])
    origin = np.repeat(np.arange(len(several)), [len(each.gains) for each in several])
    owners = np.concatenate([each.owners for each in several])
    terms = np.concatenate([each.terms for each in several])
    forbidden = np.stack([each.forbidden for each in several])
    # Numbered per list, so that its draws do not depend on other lists.
    draws = np.concatenate([np.arange(len(each.gains)) for each in several])
    live = np.flatnonzero(np.maximum(gains, 0.0).sum(axis=1) > price)
    found_in, found = [], []
    share = max(1, _CELLS // (_WIDTH * max(len(literals.sample), 2 * literals.n_concepts)))
    for first in range(0, len(live), share):
        part = live[first : first + share]
        gain, bans = gains[part].astype(np.float32), forbidden[origin[part]]
        for way in (
            _beam(literals, gain, price[part], bans),
            _seeded(literals, gain, draws[part], bans),
            _neighbors(literals, gain, terms[part], bans),
        ):
            for context, new in way:
                found_in.append(part[context])
                found.append(new)
    result: list[dict[int, TermArray]] = [{} for _ in several]
    if not found:
        return result
    context, pool = np.concatenate(found_in), np.concatenate(found)
    group = origin[context] * (int(owners.max()) + 1) + owners[context]
    places = np.lexsort((*pool.T[::-1], group))
    pool, group, context = pool[places], group[places], context[places]
    new = np.ones(len(pool), dtype=np.bool_)
    new[1:] = (pool[1:] != pool[:-1]).any(axis=1) | (group[1:] != group[:-1])
    pool, group = pool[new], group[new]
    starts = np.flatnonzero(np.diff(group, prepend=-1)).tolist()
    for start, stop in pairwise([*starts, len(pool)]):
        at, step = divmod(int(group[start]), int(owners.max()) + 1)
        mine = np.flatnonzero((origin == at) & (owners == step))
        result[at][step] = _best(literals, pool[start:stop], gains[mine], several[at].price)
    return result


def _best(literals: Literals, terms: TermArray, gains: FloatArray, price: float) -> TermArray:
    """Those of the terms that win most in some context."""
    if len(terms) <= _BEST:
        return terms
    values = literals.sampled(terms).astype(np.float32) @ gains.T.astype(np.float32)
    values -= price * sizes_of(terms)[:, None]
    return terms[np.unique(_largest(values.T, _BEST)[0])]


_Found: TypeAlias = Iterator[tuple[IndexArray, TermArray]]
"""Contexts, and a term for each."""


def _beam(literals: Literals, gains: _Dense, price: FloatArray, forbidden: BoolArray) -> _Found:
    """Terms that grow by the literal that wins most."""
    n_contexts = len(gains)
    inside = gains[:, None, :]
    terms = np.empty((n_contexts, 1, 0), dtype=np.int32)
    least = 1e-6 * np.abs(gains).sum(axis=1)[:, None]
    open_ = np.ones((n_contexts, 1), dtype=np.bool_)
    for length in range(1, _DEPTH + 1):
        values = _sums(inside, literals, terms, forbidden)
        values[~open_] = -np.inf  # do not extend what is no term, or cannot pay
        terms, parent, wins = _grown(values, terms, least, literals, _WIDTH)
        context, place = np.nonzero(np.isfinite(wins))
        yield context, _padded(terms[context, place])
        inside = np.take_along_axis(inside, parent[:, :, None], axis=1) * literals.rows_of[terms[:, :, -1]]
        open_ = np.isfinite(wins) & (np.maximum(inside, 0).sum(axis=2) > (length + 1) * price[:, None])
        if not open_.any():
            return


def _seeded(literals: Literals, gains: _Dense, draws: IndexArray, forbidden: BoolArray) -> _Found:
    """Terms that contain a row with much to gain, one for each context, and get surer by each literal."""
    wins = np.maximum(gains, 0)
    reach = np.cumsum(wins, axis=1, dtype=np.float64)
    # Draws are multiples of the golden ratio, spread evenly over the gains, so that results repeat.
    share = np.mod(0.5 + draws * 0.6180339887, 1.0)
    seeds = np.minimum((reach < (share * reach[:, -1])[:, None]).sum(axis=1), gains.shape[1] - 1)
    forbidden = forbidden | (literals.dense[seeds] == 0)
    covered = np.ones((len(gains), 1, gains.shape[1]), dtype=np.float32)
    terms = np.empty((len(gains), 1, 0), dtype=np.int32)
    least = np.zeros((len(gains), 1))
    for _ in range(_SEEDED_DEPTH):
        won, lost = covered * wins[:, None], covered * np.maximum(-gains, 0)[:, None]
        before_won, before_lost = won.sum(axis=2)[..., None], lost.sum(axis=2)[..., None]
        won, lost = (np.maximum(_sums(part, literals, terms, forbidden), 0) for part in (won, lost))
        # Quinlan's gain: what is still won, times how much surer it is.
        surer = np.log((won + _TINY) / (won + lost + _TINY))
        surer -= np.log((before_won + _TINY) / (before_won + before_lost + _TINY))
        values = np.where(lost < before_lost - 1e-6 * (before_won + before_lost), won * surer, -np.inf)
        values[won <= 0] = -np.inf
        terms, parent, value = _grown(values, terms, least, literals, 2)
        context, place = np.nonzero(np.isfinite(value))
        if not len(context):
            return
        yield context, _padded(terms[context, place])
        covered = np.take_along_axis(covered, parent[:, :, None], axis=1)
        covered = covered * literals.rows_of[terms[:, :, -1]] * np.isfinite(value)[:, :, None]


def _neighbors(literals: Literals, gains: _Dense, terms: TermArray, forbidden: BoolArray) -> _Found:
    """Terms like those that are there: without a literal, with another in its place, with one more."""
    sizes = sizes_of(terms)
    times = np.where(sizes > 0, sizes + 1, 0)
    context = np.repeat(np.arange(len(terms)), times)
    if not len(context):
        return
    dropped = np.arange(len(context)) - (np.cumsum(times) - times)[context]  # none the last time
    rest = terms[context]
    shorter = np.flatnonzero(dropped < sizes[context])
    rest[shorter, dropped[shorter]] = NONE
    rest.sort(axis=1)
    some = sizes_of(rest) > 0
    yield context[some], rest[some]
    inside = literals.sampled(rest) * gains[context]
    values = inside @ literals.dense
    values[forbidden[context]] = -np.inf
    place, column = np.nonzero(rest != NONE)
    used = rest[place, column]
    values[place, used] = values[place, (used + literals.n_concepts) % (2 * literals.n_concepts)] = -np.inf
    best, value = _largest(values, 2)
    room = sizes_of(rest) < LONGEST
    for literal, win in zip(best.T, value.T, strict=True):
        fits = room & np.isfinite(win)
        longer = rest[fits].copy()
        longer[:, -1] = literal[fits]
        longer.sort(axis=1)
        yield context[fits], longer


def _sums(inside: _Dense, literals: Literals, terms: TermArray, forbidden: BoolArray) -> _Dense:
    """Sums over the rows where each literal holds, (n_contexts, width, 2 m); minus infinity where banned."""
    n_contexts, width, n = inside.shape
    values = (inside.reshape(-1, n) @ literals.dense).reshape(n_contexts, width, -1)
    values[np.broadcast_to(forbidden[:, None], values.shape)] = -np.inf
    if terms.shape[2]:
        context, place = np.ogrid[:n_contexts, :width]
        opposite = (terms + literals.n_concepts) % (2 * literals.n_concepts)
        values[context[..., None], place[..., None], terms] = -np.inf
        values[context[..., None], place[..., None], opposite] = -np.inf
    return values


def _grown(
    values: _Dense, terms: TermArray, least: FloatArray, literals: Literals, width: int
) -> tuple[TermArray, IndexArray, FloatArray]:
    """The best terms with one literal more, (n_contexts, width, length), their parents and values.

    Of terms that win the same to rounding, which are mostly the same term, the first stays.
    """
    flat = values.reshape(len(values), -1)
    place, win = _largest(flat, 4 * width)
    same = np.zeros(win.shape, dtype=np.bool_)
    with np.errstate(invalid="ignore"):  # infinity less infinity
        same[:, 1:] = win[:, :-1] - win[:, 1:] <= least
    win = np.where(same, -np.inf, win)
    order = np.argsort(-win, axis=1, kind="stable")[:, :width]
    place, win = np.take_along_axis(place, order, axis=1), np.take_along_axis(win, order, axis=1)
    parent, literal = np.divmod(place, 2 * literals.n_concepts)
    before = np.take_along_axis(terms, parent[:, :, None], axis=1)
    return np.concatenate([before, literal[:, :, None].astype(np.int32)], axis=2), parent, win


def _largest(values: NDArray[Any], number: int) -> tuple[IndexArray, NDArray[Any]]:
    """Places of the largest values of each row, the largest first, and these values."""
    number = min(number, values.shape[1])
    place = np.argpartition(-values, number - 1, axis=1)[:, :number]
    place.sort(axis=1)  # of equals the first
    value = np.take_along_axis(values, place, axis=1)
    order = np.argsort(-value, axis=1, kind="stable")
    return np.take_along_axis(place, order, axis=1), np.take_along_axis(value, order, axis=1)


def _padded(terms: TermArray) -> TermArray:
    """Terms of one length, (n, length), as terms of any, in ascending order."""
    whole = np.full((len(terms), LONGEST), NONE, dtype=np.int32)
    whole[:, : terms.shape[1]] = np.sort(terms, axis=1)
    return whole


def _covers(held: BoolArray, terms: TermArray) -> BoolArray:
    last = len(held) - 1
    covered = held[np.minimum(terms[:, 0], last)]
    for column in terms.T[1:]:
        if (column == NONE).all():  # literals stand in ascending order
            break
        covered &= held[np.minimum(column, last)]
    return covered


def _informative(bits: BoolArray, allowed: BoolArray) -> IndexArray:
    """Columns that are not constant; of those that say the same, or the opposite, the first.

    Columns stand for one another only where the same parts allow them.
    """
    if not len(bits):
        return np.empty(0, dtype=np.intp)
    columns = np.ascontiguousarray(bits.T)
    varying = np.flatnonzero(columns.any(axis=1) & ~columns.all(axis=1))
    said = np.packbits(columns[varying] ^ columns[varying, :1], axis=1)
    alike = np.concatenate([said, np.packbits(allowed[:, varying].T, axis=1)], axis=1)
    _, first = np.unique(alike, axis=0, return_index=True)
    return varying[np.sort(first)]
