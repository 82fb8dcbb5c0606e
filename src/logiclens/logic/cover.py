"""Covers: formulas in disjunctive normal form, packed into machine words.

A *cover* is a list of terms over a fixed list of concepts, and a term is two sets of bits: the concepts it
asks to be true and those it asks to be false. No term at all is FALSE, a term without literals is TRUE,
and a term that asks for a concept and its negation is dropped as soon as a cover is built.

A *cube* is one term in one row of words, ``[positive | negative]``: the left half has a bit for each concept
that the term asks to be true, the right half for each one that it asks to be false, both packed as by
:func:`logiclens.logic.arrays.pack`. A cube without bits is TRUE, and a cube with both bits of a concept is
contradictory. An array of cubes, shape (n_cubes, 2 * n_words), is their disjunction; no row at all is FALSE.
The functions below :class:`Cover` work on such arrays, :class:`Cover` gives them names for the concepts.

One cube implies another exactly when it has all the bits of the other, so absorption is a subset test. The
questions that need more than pairs of cubes (is the disjunction always true, what is its complement) split
on one concept at a time, as in the unate recursive paradigm of two-level minimization [1]_.

Work that would grow beyond :data:`MAX_TERMS` or :data:`MAX_SPLITS` is refused with a
:class:`~logiclens.errors.LimitError`.

References
----------
.. [1] R. K. Brayton, G. D. Hachtel, C. T. McMullen, A. L. Sangiovanni-Vincentelli: "Logic Minimization
   Algorithms for VLSI Synthesis". Kluwer, 1984.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from logiclens.errors import InputError, LimitError, UnknownConceptError, shown
from logiclens.logic.arrays import WORD, BoolArray, Words, pack, unpack
from logiclens.logic.data import as_array, check_count, check_name, check_names
from logiclens.logic.formula import TRUE, And, Const, Formula, Not, Or, Var, check_formula, flatten

MAX_TERMS = 100_000
"""Most terms that an operation on covers may produce, by default."""
MAX_SPLITS = 7_000
"""Most case splits of one question about cubes: some seconds. Joining 50 terms counts as one more split."""

_PAIRS_PER_TERM = 50  # products looked at for each term allowed: bounds time when nearly all of them vanish
_JOINED_PER_SPLIT = 50  # terms of two cases that take as long to join as a case split
_BLOCK = 1 << 18  # pairs handled at once: bounds memory
_INDEX_FROM = 1 << 16  # pairs from which an index by literal beats comparing them one by one


@final
class Cover:
    """An immutable disjunction of terms over named concepts.

    Parameters
    ----------
    names : sequence of str
        The concepts; column ``j`` is bit ``j``.
    positive, negative : ndarray of uint64, shape (n_terms, ceil(len(names) / 64))
        The concepts each term asks to be true and to be false, packed as by
        :func:`logiclens.logic.arrays.pack`. Terms that ask for both at once are left out.

    Attributes
    ----------
    names : tuple of str
    positive, negative : ndarray of uint64, read-only
        The terms that were kept, in the order given.

    Examples
    --------
    >>> from logiclens.logic.arrays import pack
    >>> cover = Cover(["a", "b"], pack(np.array([[True, False]])), pack(np.array([[False, True]])))
    >>> cover.to_formula()
    And(Var('a'), Not(Var('b')))
    """

    __slots__ = ("_cubes", "names")
    _cubes: Words
    names: tuple[str, ...]

    def __init__(self, names: Sequence[str], positive: Words, negative: Words) -> None:
        checked = check_names(names)
        positive, negative = (checked_words(words, len(checked)) for words in (positive, negative))
        if len(positive) != len(negative):
            raise InputError(
                f"A cover needs as many positive as negative rows. Got {len(positive)} and {len(negative)}."
            )
        self._store(checked, np.concatenate([positive, negative], axis=1))

    def _store(self, names: tuple[str, ...], words: Words) -> None:
        kept = np.ascontiguousarray(words[~contradictory(words)])
        kept.flags.writeable = False
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "_cubes", kept)

    def _with(self, words: Words, names: tuple[str, ...] | None = None) -> Cover:
        """Build a cover from cubes that are known to fit the names."""
        made = object.__new__(Cover)
        made._store(self.names if names is None else names, words)
        return made

    @classmethod
    def from_literals(cls, names: Sequence[str], terms: Iterable[Mapping[str, bool]]) -> Cover:
        """Cover whose terms are given as mappings from concept to the value asked for.

        Examples
        --------
        >>> Cover.from_literals(["a", "b"], [{"a": True, "b": False}, {"b": True}])
        <Cover: 2 terms, 3 literals, 2 concepts>
        """
        if not isinstance(terms, Iterable):
            raise InputError(f"terms must be several mappings. Got {shown(terms)}; write [{{'a': True}}].")
        return cls._from_pairs(names, [list(_checked_term(term).items()) for term in terms])

    @classmethod
    def from_formula(cls, formula: Formula, names: Sequence[str] | None = None) -> Cover:
        """Cover of a formula that is in disjunctive normal form already.

        Parameters
        ----------
        formula : Formula
            A disjunction of conjunctions of literals; constants may stand anywhere but under a negation.
        names : sequence of str, optional
            The concepts of the cover; those of the formula, sorted, when missing.

        Raises
        ------
        InputError
            The formula is not in disjunctive normal form.
        UnknownConceptError
            The formula has a concept that is not among the names.

        Examples
        --------
        >>> Cover.from_formula((Var("a") & ~Var("b")) | Var("c"))
        <Cover: 2 terms, 3 literals, 3 concepts>
        """
        check_formula(formula, "Cover.from_formula")
        terms = [_term_pairs(term) for term in flatten(Or, formula)]
        return cls._from_pairs(
            formula.concepts if names is None else names, [term for term in terms if term is not None]
        )

    @classmethod
    def _from_pairs(cls, names: Sequence[str], terms: Sequence[Sequence[tuple[str, bool]]]) -> Cover:
        checked = check_names(names)
        position = {name: j for j, name in enumerate(checked)}
        sides = np.zeros((2, len(terms), n_words(len(checked))), dtype=np.uint64)
        for row, term in enumerate(terms):
            for name, value in term:
                if name not in position:
                    raise UnknownConceptError(check_name(name), checked)
                word, bit = divmod(position[name], WORD)
                sides[0 if value else 1, row, word] |= np.uint64(1 << bit)
        return cls(checked, sides[0], sides[1])

    def to_formula(self) -> Formula:
        """Return the cover as a formula: terms in the cover's order, literals in the order of the names.

        Examples
        --------
        >>> Cover.from_literals(["b", "a"], [{"a": True, "b": False}]).to_formula()
        And(Not(Var('b')), Var('a'))
        """
        if bool((~self._cubes.any(axis=1)).any()):
            return TRUE
        signed = [(Not(var), var) for var in map(Var, self.names)]
        terms = literals(self._cubes, len(self.names))
        return Or.of(And.of(signed[j][value] for j, value in term) for term in terms)

    @property
    def positive(self) -> Words:
        """Concepts that each term asks to be true, shape (n_terms, n_words)."""
        return self._cubes[:, : n_words(len(self.names))]

    @property
    def negative(self) -> Words:
        """Concepts that each term asks to be false, shape (n_terms, n_words)."""
        return self._cubes[:, n_words(len(self.names)) :]

    @property
    def literal_counts(self) -> NDArray[np.int64]:
        """Number of literals of each term."""
        return sizes(self._cubes)

    @property
    def n_literals(self) -> int:
        """Number of literals of all terms together."""
        return int(self.literal_counts.sum())

    def __len__(self) -> int:
        return len(self._cubes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cover):
            return NotImplemented
        return self.names == other.names and np.array_equal(self._cubes, other._cubes)

    def __hash__(self) -> int:
        return hash((self.names, self._cubes.tobytes()))

    def __repr__(self) -> str:
        return f"<Cover: {len(self)} terms, {self.n_literals} literals, {len(self.names)} concepts>"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"covers are immutable: cannot set {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return Cover, (self.names, self.positive, self.negative)

    def contains(self, rows: Words) -> BoolArray:
        """Whether each row satisfies the cover.

        Parameters
        ----------
        rows : ndarray of uint64, shape (n_rows, n_words)
            Boolean concept tuples, packed as by :func:`logiclens.logic.arrays.pack`.

        Returns
        -------
        ndarray of bool, shape (n_rows,)

        Examples
        --------
        >>> from logiclens.logic.arrays import pack
        >>> cover = Cover.from_literals(["a", "b"], [{"a": True, "b": False}])
        >>> cover.contains(pack(np.array([[True, False], [True, True]])))
        array([ True, False])
        """
        return np.concatenate([block.any(axis=1) for block in self._blocks(rows)])

    def covered_by_terms(self, rows: Words) -> BoolArray:
        """Whether each term holds on each row, shape (n_rows, n_terms); see :meth:`contains`."""
        return np.concatenate([*self._blocks(rows)])

    def _blocks(self, rows: Words) -> Iterator[BoolArray]:
        return holds(self._cubes, checked_words(rows, len(self.names)))

    def over(self, names: Sequence[str]) -> Cover:
        """Return the same cover over other concepts, which must include those it uses.

        Examples
        --------
        >>> Cover.from_literals(["a"], [{"a": True}]).over(["b", "a"]).names
        ('b', 'a')
        """
        target = check_names(names)
        position = {name: j for j, name in enumerate(target)}
        used = used_columns(self._cubes)
        for j in used:
            if self.names[j] not in position:
                raise UnknownConceptError(self.names[j], target)
        moved = np.array([position[self.names[j]] for j in used], dtype=np.int64)
        return self._with(move_columns(self._cubes, used, moved, len(target)), target)

    def rename(self, mapping: Mapping[str, str]) -> Cover:
        """Return the same cover with other names; those that the mapping lacks stay.

        Examples
        --------
        >>> Cover.from_formula(Var("a") | Var("b")).rename({"a": "z"}).to_formula()
        Or(Var('z'), Var('b'))
        """
        if not isinstance(mapping, Mapping):
            raise InputError(f"New names must be a mapping. Got {shown(mapping)}; write {{'old': 'new'}}.")
        return self._with(self._cubes, check_names([mapping.get(name, name) for name in self.names]))

    def absorb(self) -> Cover:
        """Drop each term that implies another one, and repeated terms; the order stays.

        Examples
        --------
        >>> Cover.from_formula((Var("a") & Var("b")) | Var("a")).absorb().to_formula()
        Var('a')
        """
        return self._with(absorb(self._cubes))

    def union(self, *others: Cover) -> Cover:
        """Disjunction of covers over the same concepts, absorbed.

        Examples
        --------
        >>> cover = Cover.from_formula(Var("a") & Var("b"))
        >>> cover.union(Cover.from_formula(Var("b"), cover.names)).to_formula()
        Var('b')
        """
        return self._with(absorb(np.concatenate([self._cubes, *map(self._matching, others)])))

    def intersect(self, other: Cover, limit: int = MAX_TERMS) -> Cover:
        """Conjunction of two covers over the same concepts: all products of their terms, absorbed.

        Raises
        ------
        LimitError
            More than ``limit`` terms are left after absorption.

        Examples
        --------
        >>> cover = Cover.from_formula(Var("a") | Var("b"))
        >>> cover.intersect(Cover.from_formula(~Var("a"), ["a", "b"])).to_formula()
        And(Not(Var('a')), Var('b'))
        """
        return self._with(product(self._cubes, self._matching(other), check_count(limit, "limit")))

    def complement(self, limit: int = MAX_TERMS) -> Cover:
        """Return a cover that is true exactly where this one is false.

        Raises
        ------
        LimitError
            It takes more than ``limit`` terms or :data:`MAX_SPLITS` case splits.

        Examples
        --------
        >>> Cover.from_formula(Var("a") & ~Var("b")).complement().to_formula()
        Or(Not(Var('a')), Var('b'))
        """
        limit = check_count(limit, "limit")
        used = used_columns(self._cubes)
        dense = np.arange(len(used))
        found = complement(absorb(move_columns(self._cubes, used, dense, len(used))), limit)
        return self._with(move_columns(found, dense, used, len(self.names)))

    def cofactor(self, name: str, value: bool) -> Cover:
        """Return the cover once a concept is known to have that value.

        Examples
        --------
        >>> Cover.from_formula((Var("a") & Var("b")) | ~Var("a")).cofactor("a", True).to_formula()
        Var('b')
        """
        if not isinstance(value, bool | np.bool_):
            raise InputError(f"value must be True or False. Got {shown(value)}.")
        literal = Cover.from_literals(self.names, [{check_name(name): value}])._cubes[0]
        return self._with(cofactor(self._cubes, literal))

    def is_tautology(self) -> bool:
        """Whether the cover is true of every tuple of concepts.

        Raises
        ------
        LimitError
            More than :data:`MAX_SPLITS` case splits would be needed.

        Examples
        --------
        >>> Cover.from_formula(Var("a") | ~Var("a")).is_tautology()
        True
        """
        return is_tautology(self._cubes)

    def covers_term(self, positive: Words, negative: Words) -> bool:
        """Whether a term, given as one row of words for each sign, implies the cover.

        Examples
        --------
        >>> cover = Cover.from_formula(Var("a") | Var("b"))
        >>> cover.covers_term(cover.positive[0], cover.negative[0])
        True
        """
        return implies(checked_cube(positive, negative, len(self.names)), self._cubes)

    def simplify(self) -> Cover:
        """Return an equivalent cover without superfluous literals and terms.

        Every literal, then every term is dropped if the cover stays the same without it. So all terms are
        prime and none is redundant, though a shorter cover may exist. The result depends on the order of
        terms and concepts only.

        Examples
        --------
        >>> p, n = Var("p"), Var("n")
        >>> Cover.from_formula((p & n) | (~p & n)).simplify().to_formula()
        Var('n')
        """
        return self._with(irredundant(primes(absorb(self._cubes))))

    def _matching(self, other: Cover) -> Words:
        if not isinstance(other, Cover):
            raise InputError(f"A Cover is needed. Got {shown(other)}; make one with Cover.from_formula.")
        if other.names != self.names:
            raise InputError(
                "Covers can be combined only when they have the same concepts in the same order. "
                "Bring both to one list with over(names)."
            )
        return other._cubes


def _checked_term(term: Any) -> Mapping[str, bool]:
    if isinstance(term, Mapping) and all(isinstance(value, bool | np.bool_) for value in term.values()):
        return term
    raise InputError(f"A term must map concepts to True or False. Got {shown(term)}; write {{'a': True}}.")


def _term_pairs(term: Formula) -> list[tuple[str, bool]] | None:
    """Literals of a term; None when it holds the constant FALSE."""
    pairs = []
    for part in flatten(And, term):
        match part:
            case Var(name):
                pairs.append((name, True))
            case Not(Var(name)):
                pairs.append((name, False))
            case Const(value):
                if not value:
                    return None
            case _:
                raise InputError(
                    "A cover is made from a disjunction of conjunctions of literals; this formula is none. "
                    "Bring it to that form with to_dnf(formula) first."
                )
    return pairs


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
