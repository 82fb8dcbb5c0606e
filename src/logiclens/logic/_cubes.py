"""Terms as rows of machine words, and what can be computed from the bits alone.

A *cube* is one term in one row of words, ``[positive | negative]``: the left half has a bit for each concept
that the term asks to be true, the right half for each one that it asks to be false, both packed as by
:func:`logiclens.logic.arrays.pack`. A cube without bits is TRUE, and a cube with both bits of a concept is
contradictory. An array of cubes, shape (n_cubes, 2 * n_words), is their disjunction; no row at all is FALSE.
:class:`~logiclens.logic.cover.Cover` gives these arrays names for the concepts.

One cube implies another exactly when it has all the bits of the other, so absorption is a subset test. The
questions that need more than pairs of cubes (is the disjunction always true, what is its complement) split
on one concept at a time, as in the unate recursive paradigm of two-level minimization [1]_.

References
----------
.. [1] R. K. Brayton, G. D. Hachtel, C. T. McMullen, A. L. Sangiovanni-Vincentelli: "Logic Minimization
   Algorithms for VLSI Synthesis". Kluwer, 1984.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from logiclens.errors import InputError, LimitError
from logiclens.logic.arrays import WORD, BoolArray, Words, pack, unpack
from logiclens.logic.data import as_array

MAX_SPLITS = 7_000
"""Most case splits of one question about cubes: some seconds. Joining 50 terms counts as one more split."""

_PAIRS_PER_TERM = 50  # products looked at for each term allowed: bounds time when nearly all of them vanish
_JOINED_PER_SPLIT = 50  # terms of two cases that take as long to join as a case split
_BLOCK = 1 << 18  # pairs handled at once: bounds memory
_INDEX_FROM = 1 << 16  # pairs from which an index by literal beats comparing them one by one
_TABLE_CONCEPTS = 10  # concepts up to which a truth table beats splitting


def n_words(n_concepts: int) -> int:
    """Words that one bit for each concept takes."""
    return -(-n_concepts // WORD)


def checked_words(words: Words, n_concepts: int) -> Words:
    """Return the words, once it is sure that each row holds that many concepts and nothing beyond."""
    array = as_array(words, "The array of words")
    width = n_words(n_concepts)
    if array.dtype != np.uint64 or array.ndim != 2 or array.shape[1] != width:
        raise InputError(
            f"Rows over {n_concepts} concepts must be a uint64 array of shape (rows, {width}). "
            f"Got {array.dtype} of shape {array.shape}; pack Booleans with logiclens.logic.arrays.pack."
        )
    spare = n_concepts % WORD
    if spare and bool((array[:, -1] >> np.uint64(spare)).any()):
        raise InputError(
            f"Rows over {n_concepts} concepts must have no bit set beyond them. "
            "Pack Booleans with logiclens.logic.arrays.pack."
        )
    return array


def checked_cube(positive: Words, negative: Words, n_concepts: int) -> Words:
    """Return one term as a cube, once it is sure that each sign is one row of words."""
    sides = [np.atleast_2d(as_array(words, "The array of words")) for words in (positive, negative)]
    for rows in (checked_words(side, n_concepts) for side in sides):
        if len(rows) != 1:
            raise InputError(f"Give one term. Got {len(rows)} rows.")
    cube: Words = np.concatenate(sides, axis=1)[0]
    return cube


def truth_columns(n_concepts: int) -> Words:
    """Every Boolean tuple of some concepts, one packed column each: shape (n_concepts, ceil(2**n / 64)).

    Fewer than six concepts fill one word all the same, with the tuples repeated.

    Examples
    --------
    >>> unpack(truth_columns(2), 4).astype(int)
    array([[0, 1, 0, 1],
           [0, 0, 1, 1]])
    """
    numbers = np.arange(1 << max(6, n_concepts))
    return pack((numbers >> np.arange(n_concepts)[:, None] & 1).astype(np.bool_))


_columns_of_table = lru_cache(maxsize=_TABLE_CONCEPTS + 1)(truth_columns)


def contradictory(cubes: Words) -> BoolArray:
    """Mark the cubes that ask for a concept and its negation."""
    half = cubes.shape[-1] // 2
    return np.asarray((cubes[..., :half] & cubes[..., half:]).any(axis=-1))


def flip(cube: Words) -> Words:
    """Opposite literal of each literal."""
    return np.roll(cube, cube.shape[-1] // 2, axis=-1)


def sizes(cubes: Words) -> NDArray[np.int64]:
    """Number of literals of each cube."""
    return np.asarray(np.bitwise_count(cubes).sum(axis=1, dtype=np.int64))


def used_columns(cubes: Words) -> NDArray[np.int64]:
    """Concepts that occur in a cube, in either sign."""
    half = cubes.shape[1] // 2
    used = np.bitwise_or.reduce(cubes[:, :half] | cubes[:, half:], axis=0)
    return np.flatnonzero(unpack(used, half * WORD))


def move_columns(
    cubes: Words, source: NDArray[np.int64], target: NDArray[np.int64], n_concepts: int
) -> Words:
    """Cubes over other concepts: column ``source[i]`` becomes column ``target[i]``, the rest is empty."""
    old, new = cubes.shape[1] // 2, n_words(n_concepts)
    result = np.zeros((len(cubes), 2 * new), dtype=np.uint64)
    for at, to in zip(source, target, strict=True):
        for side in (0, 1):
            bits = cubes[:, side * old + at // WORD] >> np.uint64(at % WORD) & np.uint64(1)
            result[:, side * new + to // WORD] |= bits << np.uint64(to % WORD)
    return result


def literals(cubes: Words, n_concepts: int) -> Iterator[Iterator[tuple[int, bool]]]:
    """Column and value of each literal, cube by cube."""
    half = cubes.shape[1] // 2
    for cube in cubes:
        positive, negative = unpack(cube[:half], n_concepts), unpack(cube[half:], n_concepts)
        columns = np.flatnonzero(positive | negative)
        yield zip(columns.tolist(), positive[columns].tolist(), strict=True)


def holds(cubes: Words, rows: Words) -> Iterator[BoolArray]:
    """Yield, for some packed tuples at a time, the cubes that hold on each: shape (some, n_cubes)."""
    step = max(1, _BLOCK // max(1, len(cubes)))
    for start in range(0, max(1, len(rows)), step):  # no tuple at all is one block, too
        some = rows[start : start + step]
        yield _subsets(cubes, np.concatenate([some, ~some], axis=1)).T


def _subsets(small: Words, big: Words) -> BoolArray:
    """Whether row ``i`` of ``small`` has no bit that row ``j`` of ``big`` lacks, shape (small, big)."""
    missing = np.zeros((len(small), len(big)), dtype=np.uint64)
    for word in np.flatnonzero(small.any(axis=0)):
        missing |= small[:, word, None] & ~big[None, :, word]
    return np.asarray(missing == 0)


def implies_some(inner: Words, outer: Words) -> BoolArray:
    """Mark the inner cubes that imply some outer cube."""
    if len(inner) * len(outer) < _INDEX_FROM:
        return np.asarray(_subsets(outer, inner).any(axis=0))
    width = inner.shape[1]
    # Bit i of row l: inner cube i has literal l. The cubes that imply a term are then one AND of rows.
    index = np.concatenate([pack(unpack(inner[:, word, None], WORD).T) for word in range(width)])
    found = np.zeros(index.shape[1], dtype=np.uint64)
    for cube in outer:
        found |= np.bitwise_and.reduce(index[unpack(cube, width * WORD)], axis=0)
    return unpack(found, len(inner))


def absorb(cubes: Words) -> Words:
    """Keep the cubes that imply no other cube, each once."""
    cubes = _distinct(cubes)
    n_literals = sizes(cubes)
    alive = np.ones(len(cubes), dtype=np.bool_)
    for size in np.unique(n_literals)[:-1]:  # distinct cubes of one size never imply one another
        larger = np.flatnonzero(alive & (n_literals > size))
        alive[larger] = ~implies_some(cubes[larger], cubes[alive & (n_literals == size)])
    return cubes[alive]


def _distinct(cubes: Words) -> Words:
    """Drop repeated cubes; the first of them stays where it is."""
    if cubes.shape[1] == 0:
        return cubes[:1]
    order = np.lexsort(cubes.T)
    arranged = cubes[order]
    fresh = np.ones(len(cubes), dtype=np.bool_)
    fresh[1:] = (arranged[1:] != arranged[:-1]).any(axis=1)
    return cubes[np.sort(order[fresh])]


def cofactor(cubes: Words, cube: Words) -> Words:
    """Reduce the cubes to where all literals of one cube hold."""
    return cubes[~(cubes & flip(cube)).any(axis=1)] & ~cube


def product(left: Words, right: Words, limit: int, what: str = "conjunction") -> Words:
    """All products of two cubes, absorbed; ``what`` is being built, for the error message."""
    width = left.shape[1]
    if len(left) * len(right) > limit * _PAIRS_PER_TERM:
        raise _too_many(what, limit)
    kept = np.zeros((0, width), dtype=np.uint64)
    step = max(1, _BLOCK // max(1, len(right)))
    for start in range(0, len(left), step):
        some = left[start : start + step]
        block = (some[:, None] | right[None]).reshape(len(some) * len(right), width)
        kept = absorb(np.concatenate([kept, block[~contradictory(block)]]))
        if len(kept) > limit:
            raise _too_many(what, limit)
    return kept


def complement(cubes: Words, limit: int) -> Words:
    """Absorbed cubes of the complement of absorbed cubes, by case splits.

    The cases wait on a stack of their own, so that thousands of concepts are no problem.
    """
    open_cases: list[tuple[str, Words]] = [("split", cubes)]
    done: list[Words] = []
    splits = 0
    while open_cases:
        task, words = open_cases.pop()
        if task == "merge":
            without, within = done.pop(), done.pop()
            splits = _count_splits(splits, (len(without) + len(within)) // _JOINED_PER_SPLIT)
            done.append(_join_cases(without, within, words))
        elif task == "restrict":
            done.append(done.pop() | words)
        elif (sizes(words) == 1).any():
            opposite, rest = _without_units(words)
            if contradictory(opposite):
                done.append(words[:0])
            else:
                open_cases += [("restrict", opposite), ("split", absorb(rest))]
        elif not _binate(words).any():
            done.append(_unate_complement(words, limit))
        else:
            splits = _count_splits(splits)
            literal = _split_literal(words)
            open_cases.append(("merge", literal))
            for side in (flip(literal), literal):
                open_cases.append(("split", _case(words, side)))
        if done and len(done[-1]) > limit:
            raise _too_many("complement", limit)
    return done.pop()


def _without_units(cubes: Words) -> tuple[Words, Words]:
    """Literals without which the disjunction is true, from terms of one literal, and the rest given those.

    The literals are contradictory when the disjunction is true anyway; the rest means nothing then.
    """
    opposite = np.zeros(cubes.shape[1], dtype=np.uint64)
    while (units := cubes[sizes(cubes) == 1]).size and not contradictory(opposite):
        opposite |= flip(np.bitwise_or.reduce(units, axis=0))
        cubes = cofactor(cubes, opposite)
    return opposite, cubes


def _binate(cubes: Words) -> Words:
    """Literals of the concepts that occur in both signs."""
    present: Words = np.bitwise_or.reduce(cubes, axis=0)
    return present & flip(present)


def _split_literal(cubes: Words) -> Words:
    """Positive literal of the concept to split on: most often in both signs, then most often at all."""
    half = cubes.shape[1] // 2
    counts = unpack(cubes, cubes.shape[1] * WORD).sum(axis=0, dtype=np.int64)
    positive, negative = counts[: half * WORD], counts[half * WORD :]
    column = int(np.argmax(np.minimum(positive, negative) * (2 * len(cubes) + 1) + positive + negative))
    literal = np.zeros(2 * half, dtype=np.uint64)
    literal[column // WORD] = np.uint64(1 << column % WORD)
    return literal


def _case(cubes: Words, literal: Words) -> Words:
    """Cofactor of absorbed cubes, absorbed: only a cube that lost the literal can absorb others anew."""
    cubes = cubes[~(cubes & flip(literal)).any(axis=1)]
    alive = np.asarray((cubes & literal).any(axis=1))
    cubes = cubes & ~literal
    others = np.flatnonzero(~alive)
    alive[others] = ~implies_some(cubes[others], cubes[alive])
    return cubes[alive]


def _unate_complement(cubes: Words, limit: int) -> Words:
    """Complement by De Morgan's law; with one sign for each concept, it has the fewest terms possible."""
    width = cubes.shape[1]
    result = np.zeros((1, width), dtype=np.uint64)
    for cube in cubes[np.argsort(sizes(cubes), kind="stable")]:
        literals = np.flatnonzero(unpack(flip(cube), width * WORD))
        by_column = literals[np.argsort(literals % max(1, width * WORD // 2))]
        clause = pack(by_column[:, None] == np.arange(width * WORD))
        result = product(result, clause, limit, "complement")
    return result


def _join_cases(without: Words, within: Words, literal: Words) -> Words:
    """Join the complements of both cases, both absorbed; what holds in both needs no literal.

    The result is absorbed but for what is in both: if one of its cubes implied another one, then so it did
    before the literals were added.
    """
    parts = []
    for mine, theirs, mark in ((within, without, literal), (without, within, flip(literal))):
        needed = ~implies_some(mine, theirs)
        parts.append(np.where(needed[:, None], mine | mark, mine))
    return _distinct(np.concatenate(parts))


def is_tautology(cubes: Words) -> bool:
    """Whether some cube holds on every tuple."""
    waiting = [cubes]
    splits = 0
    while waiting:
        opposite, cubes = _without_units(waiting.pop())
        cubes = _without_unate(cubes)
        n_literals = sizes(cubes)
        if contradictory(opposite) or not n_literals.all():  # true here: a concept or its negation, or TRUE
            continue
        # A term of k literals holds on 2**-k of all tuples. The slack is for rounding.
        if np.exp2(-n_literals.astype(np.float64)).sum() < 1 - 1e-9:
            return False
        columns = used_columns(cubes)
        if len(columns) <= _TABLE_CONCEPTS:
            if not _true_throughout(cubes, columns):
                return False
            continue
        splits = _count_splits(splits)
        literal = _split_literal(cubes)
        waiting += [cofactor(cubes, literal), cofactor(cubes, flip(literal))]
    return True


def _without_unate(cubes: Words) -> Words:
    """Drop terms with a concept that occurs in one sign only: where it has the other value, they fail."""
    while True:
        one_sided = (cubes & ~_binate(cubes)).any(axis=1)
        if not one_sided.any():
            return cubes
        cubes = cubes[~one_sided]


def _true_throughout(cubes: Words, columns: NDArray[np.int64]) -> bool:
    """Whether few concepts make the cubes true on every row of their truth table."""
    half = cubes.shape[1] // 2
    table = np.full((len(cubes), 1 << max(0, len(columns) - 6)), ~np.uint64(0))
    for column, values in zip(columns, _columns_of_table(len(columns)), strict=True):
        word, bit = column // WORD, np.uint64(column % WORD)
        table[cubes[:, word] >> bit & np.uint64(1) > 0] &= values
        table[cubes[:, half + word] >> bit & np.uint64(1) > 0] &= ~values
    return bool((np.bitwise_or.reduce(table, axis=0) == ~np.uint64(0)).all())


def implies(cube: Words, cubes: Words) -> bool:
    """Whether one cube implies the disjunction of cubes."""
    return bool(contradictory(cube)) or is_tautology(cofactor(cubes, cube))


def primes(cubes: Words) -> Words:
    """Drop literals as long as the larger term still implies the disjunction, term by term."""
    cubes = cubes.copy()
    for row in range(len(cubes)):
        # From the back: negative literals go first, since positive ones read better.
        for at in np.flatnonzero(unpack(cubes[row], cubes.shape[1] * WORD))[::-1]:
            literal = np.zeros(cubes.shape[1], dtype=np.uint64)
            literal[at // WORD] = np.uint64(1 << int(at) % WORD)
            # The term itself is covered, so only its mirror image at this literal is in question.
            if implies((cubes[row] & ~literal) | flip(literal), cubes):
                cubes[row] &= ~literal
    return absorb(cubes)


def irredundant(cubes: Words) -> Words:
    """Drop terms that the others imply, the longest and last ones first."""
    kept = np.ones(len(cubes), dtype=np.bool_)
    for row in np.lexsort((np.arange(len(cubes)), sizes(cubes)))[::-1]:
        kept[row] = False
        kept[row] = not implies(cubes[row], cubes[kept])
    return cubes[kept]


def _count_splits(splits: int, more: int = 1) -> int:
    if splits + more > MAX_SPLITS:
        raise LimitError(
            f"This cover needs more than {MAX_SPLITS} case splits (MAX_SPLITS). "
            "Use fewer concepts or simplify the parts first."
        )
    return splits + more


def _too_many(what: str, limit: int) -> LimitError:
    return LimitError(
        f"The {what} takes more than {limit} terms. Raise the limit, or simplify the parts first."
    )
