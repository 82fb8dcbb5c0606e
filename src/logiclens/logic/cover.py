"""Covers: formulas in disjunctive normal form, packed into machine words.

A *cover* is a list of terms over a fixed list of concepts, and a term is two sets of bits: the concepts it
asks to be true and those it asks to be false. No term at all is FALSE, a term without literals is TRUE,
and a term that asks for a concept and its negation is dropped as soon as a cover is built. How the bits are
laid out and worked on is the subject of ``_cubes.py``.

Work that would grow beyond :data:`MAX_TERMS` or :data:`MAX_SPLITS` is refused with a
:class:`~logiclens.errors.LimitError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from logiclens.errors import InputError, UnknownConceptError, shown
from logiclens.logic import _cubes as cubes
from logiclens.logic._cubes import MAX_SPLITS as MAX_SPLITS
from logiclens.logic.arrays import WORD, BoolArray, Words
from logiclens.logic.data import check_count, check_name, check_names
from logiclens.logic.formula import TRUE, And, Const, Formula, Not, Or, Var, check_formula

MAX_TERMS = 100_000
"""Most terms that an operation on covers may produce, by default."""


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
        positive, negative = (cubes.checked_words(words, len(checked)) for words in (positive, negative))
        if len(positive) != len(negative):
            raise InputError(
                f"A cover needs as many positive as negative rows. Got {len(positive)} and {len(negative)}."
            )
        self._store(checked, np.concatenate([positive, negative], axis=1))

    def _store(self, names: tuple[str, ...], words: Words) -> None:
        kept = np.ascontiguousarray(words[~cubes.contradictory(words)])
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
        terms = [_term_pairs(term) for term in _flat(Or, formula)]
        return cls._from_pairs(
            formula.concepts if names is None else names, [term for term in terms if term is not None]
        )

    @classmethod
    def _from_pairs(cls, names: Sequence[str], terms: Sequence[Sequence[tuple[str, bool]]]) -> Cover:
        checked = check_names(names)
        position = {name: j for j, name in enumerate(checked)}
        sides = np.zeros((2, len(terms), cubes.n_words(len(checked))), dtype=np.uint64)
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
        terms = cubes.literals(self._cubes, len(self.names))
        return Or.of(And.of(signed[j][value] for j, value in term) for term in terms)

    @property
    def positive(self) -> Words:
        """Concepts that each term asks to be true, shape (n_terms, n_words)."""
        return self._cubes[:, : cubes.n_words(len(self.names))]

    @property
    def negative(self) -> Words:
        """Concepts that each term asks to be false, shape (n_terms, n_words)."""
        return self._cubes[:, cubes.n_words(len(self.names)) :]

    @property
    def literal_counts(self) -> NDArray[np.int64]:
        """Number of literals of each term."""
        return cubes.sizes(self._cubes)

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
        return cubes.holds(self._cubes, cubes.checked_words(rows, len(self.names)))

    def over(self, names: Sequence[str]) -> Cover:
        """Return the same cover over other concepts, which must include those it uses.

        Examples
        --------
        >>> Cover.from_literals(["a"], [{"a": True}]).over(["b", "a"]).names
        ('b', 'a')
        """
        target = check_names(names)
        position = {name: j for j, name in enumerate(target)}
        used = cubes.used_columns(self._cubes)
        for j in used:
            if self.names[j] not in position:
                raise UnknownConceptError(self.names[j], target)
        moved = np.array([position[self.names[j]] for j in used], dtype=np.int64)
        return self._with(cubes.move_columns(self._cubes, used, moved, len(target)), target)

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
        return self._with(cubes.absorb(self._cubes))

    def union(self, *others: Cover) -> Cover:
        """Disjunction of covers over the same concepts, absorbed.

        Examples
        --------
        >>> cover = Cover.from_formula(Var("a") & Var("b"))
        >>> cover.union(Cover.from_formula(Var("b"), cover.names)).to_formula()
        Var('b')
        """
        return self._with(cubes.absorb(np.concatenate([self._cubes, *map(self._matching, others)])))

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
        return self._with(cubes.product(self._cubes, self._matching(other), check_count(limit, "limit")))

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
        used = cubes.used_columns(self._cubes)
        dense = np.arange(len(used))
        found = cubes.complement(cubes.absorb(cubes.move_columns(self._cubes, used, dense, len(used))), limit)
        return self._with(cubes.move_columns(found, dense, used, len(self.names)))

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
        return self._with(cubes.cofactor(self._cubes, literal))

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
        return cubes.is_tautology(self._cubes)

    def covers_term(self, positive: Words, negative: Words) -> bool:
        """Whether a term, given as one row of words for each sign, implies the cover.

        Examples
        --------
        >>> cover = Cover.from_formula(Var("a") | Var("b"))
        >>> cover.covers_term(cover.positive[0], cover.negative[0])
        True
        """
        return cubes.implies(cubes.checked_cube(positive, negative, len(self.names)), self._cubes)

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
        return self._with(cubes.irredundant(cubes.primes(cubes.absorb(self._cubes))))

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


def _flat(kind: type[And] | type[Or], formula: Formula) -> Iterator[Formula]:
    if isinstance(formula, kind):
        for part in formula.args:
            yield from _flat(kind, part)
    else:
        yield formula


def _term_pairs(term: Formula) -> list[tuple[str, bool]] | None:
    """Literals of a term; None when it holds the constant FALSE."""
    pairs = []
    for part in _flat(And, term):
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
