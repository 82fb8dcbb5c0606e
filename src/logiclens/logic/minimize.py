"""The smallest DNF that agrees with an empirical truth table, exactly or within a budget of errors.

The table says yes or no on the tuples that were seen; on all others the formula may say what it likes.
These don't-cares are what makes formulas short. Two questions are answered:

- *agree with every tuple* (``literal_cost=0`` and no budget): two-level minimization with don't-cares;
- *trade errors for literals* (a cost or a budget): the paper's "satisficing" explanations (Sec. 4.1), as an
  optimization problem: least ``errors / total weight + literal_cost * literals``.

Both are solved with a proof where the table is small enough (``_exact.py``) and by search otherwise
(``_expand.py`` without errors, ``_tradeoff.py`` with them). ``status`` says which it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from logiclens.errors import InputError, LimitError, UnknownConceptError, shown
from logiclens.logic._exact import QUICK, THOROUGH, UNPROVED, Effort, Proof, best_tradeoff, smallest_agreeing
from logiclens.logic._expand import agreeing_terms, covered_rows, evenly, first_agreeing_terms
from logiclens.logic._terms import MAX_CONCEPTS
from logiclens.logic._tradeoff import RESTARTS, FormulaBudget, Tradeoff
from logiclens.logic.arrays import (
    BoolArray,
    FloatArray,
    IndexArray,
    Terms,
    one_thread,
    pack,
    quiet_products,
    unpack,
)
from logiclens.logic.cover import Cover
from logiclens.logic.data import as_float, as_floats, check_count
from logiclens.logic.formula import Formula
from logiclens.logic.truth_table import TruthTable

__all__ = ["Exact", "Minimized", "Status", "agreeing_formula", "minimize", "minimize_path", "prove"]

_PRIME_CONCEPTS: Final = 8  # concepts up to which all prime terms are found sooner than a few
_PATH_CONCEPTS: Final = 6  # concepts up to which points of a front are proved by default
_PATH_LITERALS: Final = 9  # literals up to which they are
_SAME: Final = 1e-9  # share of the weight by which errors may differ that are the same
_LONGEST_START: Final = 1000  # literals of an agreeing formula that is worth shortening
_LOOK: Final = 1 << 14  # tuples up to which the terms of an agreeing formula are looked at once more
_GLANCE: Final = 1 << 12  # tuples of each answer that are looked at first for a formula that is found soon
_GLANCES: Final = 4  # times that tuples are looked at for one
_BLOCK: Final = 1 << 17  # tuples whose coverage is worked out at once
_SAMPLE: Final = 1 << 15  # tuples that a sample of a very long table has

Exact = Literal["auto", True, False]


class Status(StrEnum):
    """How a formula was found."""

    PROVED = "proved minimal"
    """No formula does better."""
    SEARCHED = "best found"
    """The search found none that does better."""


@dataclass(frozen=True)
class Minimized:
    """A formula for a truth table, with what it costs.

    Attributes
    ----------
    cover : Cover
        A DNF, packed, over all concepts of the table; the term that covers most of the yes-weight stands
        first.
    formula : Formula
        The same as a formula, made when it is asked for.
    errors : float
        Weight of the answers the formula gets wrong.
    literals : int
        Number of literals.
    status : Status
        ``"proved minimal"``: no formula does better (by more than a millionth of the weight, where errors are
        traded). ``"best found"``: the search found none better.
    """

    cover: Cover
    errors: float
    literals: int
    status: Status

    @cached_property
    def formula(self) -> Formula:
        """The cover as a formula, made when it is asked for."""
        return self.cover.to_formula()

    def __repr__(self) -> str:
        return (
            f"Minimized(formula={self.formula!r}, errors={self.errors!r}, literals={self.literals!r}, "
            f"status={str(self.status)!r})"
        )

    def __str__(self) -> str:
        literals = f"{self.literals} literal{'' if self.literals == 1 else 's'}"
        return f"{self.formula}  ({literals}, errors {self.errors:g}, {self.status})"


@quiet_products
def minimize(
    table: TruthTable,
    *,
    literal_cost: float = 0.0,
    max_terms: int | None = None,
    max_literals: int | None = None,
    exact: Exact = "auto",
    order: Sequence[str] | ArrayLike | None = None,
) -> Minimized:
    """Find the smallest DNF that agrees with a table, tuples not in it being don't-cares.

    Parameters
    ----------
    table : TruthTable
        What is known.
    literal_cost : float, default 0
        Price of a literal as a share of the table's total weight: at 0.01, a literal must save more than
        1 % of the weight in errors to be worth it. With 0 and no budget the formula agrees with every
        tuple; a tuple with both answers goes by the larger weight, and an exact tie is a don't-care.
    max_terms, max_literals : int, optional
        Budget. Within it errors come first, literals second (both weighed by the cost if one is given).
    exact : {"auto", True, False}, default "auto"
        "auto" proves the result minimal where that is quick: tables of up to 12 concepts that differ. True
        insists: what cannot be proved raises :class:`~logiclens.errors.LimitError`. False never tries.
    order : sequence of str, or array of shape (n_concepts,) or (n_rows, n_concepts), optional
        Which concepts matter: names, the most relevant first, or relevance scores, larger for more
        relevant, for the table as a whole or for each of its rows. Between formulas that are otherwise
        equally good, the more relevant concepts win.

    Returns
    -------
    Minimized

    Raises
    ------
    InputError
        A setting makes no sense.
    LimitError
        ``exact=True`` and no proof within the limits.

    Examples
    --------
    Ten digits, one concept each; which are even?

    >>> import numpy as np
    >>> names = "zero one two three four five six seven eight nine".split()
    >>> table = TruthTable.from_data(np.eye(10), np.arange(10) % 2 == 0, names=names)
    >>> even = minimize(table)
    >>> print(even.formula, "-", even.literals, "literals,", even.status)
    zero | two | four | six | eight - 5 literals, proved minimal
    """
    _check(table, exact)
    cost = _cost(literal_cost)
    budget = FormulaBudget(_limit(max_terms, "max_terms"), _limit(max_literals, "max_literals"))
    minimizer = Minimizer(MinimizationProblem(table, order), exact)
    with one_thread():
        if cost == 0 and budget == FormulaBudget():
            return minimizer.agree()
        return minimizer.trade(cost, budget)


@quiet_products
def minimize_path(
    table: TruthTable,
    *,
    max_literals: int | None = None,
    exact: Exact = "auto",
    order: Sequence[str] | ArrayLike | None = None,
    restarts: int = RESTARTS,
    literal_cost: float = 0.0,
) -> tuple[Minimized, ...]:
    """Find the whole front of errors against literals.

    Parameters
    ----------
    table : TruthTable
        What is known.
    max_literals : int, optional
        Where to stop; without it and a ``literal_cost`` the front ends with a formula that agrees with every
        tuple.
    exact : {"auto", True, False}, default "auto"
        "auto" proves every point for tables of up to 6 concepts, True for up to 12 (or raises
        :class:`~logiclens.errors.LimitError`), False none.
    order : sequence of str, or array of shape (n_concepts,) or (n_rows, n_concepts), optional
        Which concepts matter, as for :func:`minimize`.
    restarts : int, default 8
        How often the search starts again on gains that were shaken a little. Fewer are quicker, and less is
        tried on the way.
    literal_cost : float, default 0
        Price of a literal, as for :func:`minimize`. With one, the front ends with the formula that is best at
        that price, and is found sooner.

    Returns
    -------
    tuple of Minimized
        From a constant upwards; each has more literals and fewer errors than the one before.

    Examples
    --------
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> table = TruthTable.from_data(X, [0, 1, 1, 1], names=["a", "b"], sample_weight=[5, 1, 3, 1])
    >>> for point in minimize_path(table):
    ...     print(point.literals, point.errors, point.formula)
    0 5.0 FALSE
    1 1.0 a
    2 0.0 a | b
    """
    _check(table, exact)
    budget, cost = FormulaBudget(literals=_limit(max_literals, "max_literals")), _cost(literal_cost)
    minimizer = Minimizer(MinimizationProblem(table, order), exact, check_count(restarts, "restarts"))
    with one_thread():
        return minimizer.path(budget, cost)


@quiet_products
def prove(
    table: TruthTable,
    found: Minimized,
    *,
    exact: Exact = "auto",
    order: Sequence[str] | ArrayLike | None = None,
) -> Minimized:
    """The best formula of at most as many literals as one that was found, with a proof.

    Parameters
    ----------
    table : TruthTable
        What is known.
    found : Minimized
        A formula for that table, such as a point of a front that was only searched for.
    exact : {"auto", True, False}, default "auto"
        "auto" tries for tables of up to 6 concepts, True for up to 12 (or raises
        :class:`~logiclens.errors.LimitError`), False never.
    order : sequence of str, or array of shape (n_concepts,) or (n_rows, n_concepts), optional
        Which concepts matter, as for :func:`minimize`.

    Returns
    -------
    Minimized
        The same formula where no proof was tried, where none succeeded, and where none is better.

    Raises
    ------
    InputError
        ``found`` is no formula for that table.
    LimitError
        ``exact=True`` and no proof within the limits.

    Examples
    --------
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> table = TruthTable.from_data(X, [0, 1, 1, 1], names=["a", "b"], sample_weight=[5, 1, 3, 1])
    >>> searched = minimize_path(table, exact=False)[1]
    >>> print(searched.status, "-", prove(table, searched).status)
    best found - proved minimal
    """
    _check(table, exact)
    if not isinstance(found, Minimized):
        raise InputError(
            f"A Minimized is needed. Got {shown(found)}; minimize and minimize_path make such results."
        )
    if found.cover.names != table.names:
        raise InputError(
            f"The formula is about the concepts {shown(list(found.cover.names))}, the table about "
            f"{shown(list(table.names))}. Pass a formula that was found for this table."
        )
    minimizer = Minimizer(MinimizationProblem(table, order), exact)
    with one_thread():
        return minimizer.prove(found)


def agreeing_formula(table: TruthTable, max_literals: float) -> Minimized | None:
    """A formula of at most so many literals that agrees with every tuple; None if none is found soon.

    It is looked for as :func:`minimize` does with ``exact=False``, with less patience.

    Parameters
    ----------
    table : TruthTable
    max_literals : float

    Examples
    --------
    >>> table = TruthTable.from_data([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1], names=["a", "b"])
    >>> print(agreeing_formula(table, 3), "|", agreeing_formula(table, 1))
    a | b  (2 literals, errors 0, best found) | None
    """
    return Minimizer(MinimizationProblem(table, None), exact=False, restarts=1).agree_within(max_literals)


def _check(table: TruthTable, exact: Exact) -> None:
    if not isinstance(table, TruthTable):
        raise InputError(
            f"A TruthTable is needed. Got {type(table).__name__}; build one with "
            "TruthTable.from_data(concepts, predictions)."
        )
    if not isinstance(exact, bool) and not (isinstance(exact, str) and exact == "auto"):
        raise InputError(f"exact must be 'auto', True or False. Got {shown(exact)}.")


def _cost(literal_cost: float) -> float:
    cost = as_float(literal_cost)
    if not 0.0 <= cost < np.inf:
        raise InputError(
            "literal_cost must be a number of at least 0, as a share of the total weight. "
            f"Got {shown(literal_cost)}."
        )
    return cost


def _limit(value: int | None, name: str) -> float:
    if value is None:
        return np.inf
    try:
        return float(check_count(value, name, ", or None for no limit"))
    except OverflowError:  # larger than any float
        return np.inf


class Minimizer:
    """Answers to the questions about one problem, with a proof where one is wanted and affordable."""

    def __init__(self, problem: MinimizationProblem, exact: Exact, restarts: int = RESTARTS) -> None:
        self.restarts = restarts
        self.problem = problem
        self.exact = exact
        self.effort: Effort = THOROUGH if exact is True else QUICK
        self.small = problem.n_concepts <= MAX_CONCEPTS
        if exact is True and not self.small:
            raise self._no_proof()

    def agree(self) -> Minimized:
        """The shortest formula that agrees with every tuple."""
        return self._result(*self._agreeing(prove=bool(self.exact)))

    def agree_within(self, max_literals: float) -> Minimized | None:
        """A formula of at most so many literals that agrees with every tuple; None if none is found soon.

        Some tuples are looked at first, then those on which the formula was wrong.
        """
        bits, yes = self.problem.bits, self.problem.gain > 0
        if not yes.any() or not (~yes).any():
            return self.agree()
        rows = np.concatenate([evenly(np.flatnonzero(yes), _GLANCE), evenly(np.flatnonzero(~yes), _GLANCE)])
        for _ in range(_GLANCES):
            terms = self._start(bits[rows], self.problem.gain[rows], max_literals, triples=False)
            if terms is None:
                return None
            wrong = np.flatnonzero(covered_rows(terms, bits) != yes)
            if not len(wrong):
                return self._result(terms, False)
            rows = np.union1d(rows, evenly(wrong, _GLANCE))
        return None

    def _agreeing(self, prove: bool) -> Proof:
        problem = self.problem
        yes, no = problem.gain > 0, problem.gain < 0
        if not yes.any() or not no.any():
            return Proof(np.zeros((int(yes.any()), problem.n_concepts), dtype=np.int8), True)
        wanted, avoided = problem.bits[yes], problem.bits[no]
        proof = None
        if prove and self.small:
            proof = smallest_agreeing(wanted, avoided, problem.relevance, self.effort)
            if proof is not None and proof.proved:
                return proof
        found = self._shortened(agreeing_terms(wanted, avoided, problem.relevance_of_rows(yes)))
        return proof if proof is not None and _size(proof.terms) <= _size(found) else Proof(found, False)

    def _shortened(self, terms: Terms) -> Terms:
        """Shorten a formula that agrees with every tuple by improving each of its terms once more."""
        problem = self.problem
        if len(problem.gain) > _LOOK:
            return terms
        search = Tradeoff(problem.bits, problem.gain, problem.relevance, FormulaBudget())
        won = search.offer(terms)
        search.polish_cover(terms, search.finest_price)
        return next(found for _, (value, found) in sorted(search.front.covers.items()) if value >= won)

    def trade(self, cost: float, budget: FormulaBudget) -> Minimized:
        """The formula of least errors plus cost of the literals, within the budget."""
        price = self._price(cost)
        front = self._search(budget, price).front
        won, terms = front.best(price, budget.literals)
        proof = None
        if self.exact and self.small:
            reached = won - price * _size(terms)
            proof = self._best(price, budget, reached)
        return self._result(*(proof or Proof(terms, False)))

    def _price(self, cost: float) -> float:
        """A share of the weight as gain. What costs the whole weight never pays, nor does what costs more."""
        return min(cost, 1.0) * self.problem.table.total / self.problem.scale

    def _search(self, budget: FormulaBudget, last_price: float) -> Tradeoff:
        """The search for the front, helped by a formula that agrees with every tuple if one is short."""
        bits, gain = self.problem.sample()
        search = Tradeoff(bits, gain, self.problem.relevance, budget)
        start = None
        if (gain > 0).any() and (gain < 0).any():
            affordable = gain[gain > 0].sum() / last_price if last_price else _LONGEST_START
            start = self._start(bits, gain, min(affordable, 4 * budget.literals, _LONGEST_START))
        search.sweep(last_price, start, self.restarts)
        return search

    def _start(self, bits: BoolArray, gain: FloatArray, longest: float, triples: bool = True) -> Terms | None:
        """A formula of at most so many literals that agrees with every tuple; None if none is found soon."""
        wanted, avoided, relevance = bits[gain > 0], bits[gain < 0], self.problem.relevance
        if self.problem.n_concepts > _PRIME_CONCEPTS:
            quickly = self.restarts < RESTARTS
            return first_agreeing_terms(wanted, avoided, relevance, longest, quickly, triples)
        found = smallest_agreeing(wanted, avoided, relevance, UNPROVED)
        return found.terms if found is not None and _size(found.terms) <= longest else None

    def _best(self, price: float, budget: FormulaBudget, reached: float) -> Proof | None:
        problem = self.problem
        return best_tradeoff(
            problem.bits, problem.gain, problem.relevance, price, budget, reached, self.effort
        )

    def path(self, budget: FormulaBudget, cost: float = 0.0) -> tuple[Minimized, ...]:
        """Best formulas of every size, up to the one that is best at that cost of a literal."""
        price = self._price(cost)
        search = self._search(budget, price)
        ends = cost > 0 and self._longest_proved() < 0  # what is proved may be better than what was found
        most = _size(search.front.best(price, budget.literals)[1]) if ends else budget.literals
        agreement = None
        if cost == 0 and np.isinf(most) and not self._agrees(search.front.best(0.0)[1]):
            agreement = self._agreeing(prove=False).terms
            search.offer_shorter(agreement)
        covers = [terms for size, (_, terms) in sorted(search.front.covers.items()) if size <= most]
        if agreement is not None:
            covers.append(agreement)
        covers.sort(key=_size)
        longest = max((size for size in map(_size, covers) if size <= self._longest_proved()), default=-1)
        proved = self._proved_path(search, longest)
        others = (self._result(terms, False) for terms in covers if _size(terms) > longest)
        points = tuple(_improving(chain(proved, others)))
        losses = [point.errors + cost * self.problem.table.total * point.literals for point in points]
        return points[: int(np.argmin(losses)) + 1] if cost else points

    def _longest_proved(self) -> float:
        """Literals up to which the points of a front are proved; -1 for none."""
        if self.exact is True:
            return np.inf
        return _PATH_LITERALS if self.exact and self.problem.n_concepts <= _PATH_CONCEPTS else -1

    def prove(self, found: Minimized) -> Minimized:
        """The best formula of at most as many literals; the same where none is proved, or better."""
        if found.literals > self._longest_proved():
            return found
        table = self.problem.table
        errors = _weigh(found.cover, table)[1]
        won = (float(table.yes.sum()) - errors) / self.problem.scale
        proof = self._best_within(found, won)
        if proof is None:
            if self.exact is True:
                raise self._no_proof()
            return found
        best = self._result(*proof)
        if best.literals == found.literals and best.errors >= errors - _SAME * table.total:
            return replace(found, errors=errors, status=best.status)
        return best

    def _best_within(self, found: Minimized, won: float) -> Proof | None:
        """The best formula no longer than a known one, given what that one wins."""
        problem, yes = self.problem, self.problem.gain > 0
        if np.array_equal(found.cover.contains(problem.decided), yes):
            # Agreement wins most. Whether a shorter formula agrees, too, shows without an integer program.
            proof = smallest_agreeing(problem.bits[yes], problem.bits[~yes], problem.relevance, self.effort)
            if proof is not None and proof.proved:
                return proof
        return self._best(0.0, FormulaBudget(literals=found.literals), won)

    def _agrees(self, terms: Terms) -> bool:
        """Whether a formula agrees with every tuple of the whole table."""
        return np.array_equal(covered_rows(terms, self.problem.bits), self.problem.gain > 0)

    def _proved_path(self, search: Tradeoff, longest: int) -> Iterator[Minimized]:
        """The best formula of at most 0, 1, 2, ... literals."""
        for size in range(longest + 1):
            won, terms = search.front.best(0.0, size)
            proof = self._best(0.0, FormulaBudget(literals=size), won) or Proof(terms, False)
            search.offer(proof.terms)
            yield self._result(*proof)

    def _result(self, terms: Terms, proved: bool) -> Minimized:
        if self.exact is True and not proved:
            raise self._no_proof()
        whole = self.problem.over_all_concepts(terms)
        table = self.problem.table
        cover = Cover(table.names, pack(whole > 0), pack(whole < 0))
        order, errors = _weigh(cover, table)
        return Minimized(
            cover=Cover(table.names, cover.positive[order], cover.negative[order]),
            errors=errors,
            literals=_size(terms),
            status=Status.PROVED if proved else Status.SEARCHED,
        )

    def _no_proof(self) -> LimitError:
        table = self.problem.table
        return LimitError(
            f"No proof within the limits for a table of {len(table.names)} concepts and "
            f"{table.n_rows} rows. Use exact='auto' for the best formula found, or fewer concepts."
        )


def _improving(points: Iterator[Minimized]) -> Iterator[Minimized]:
    """Yield the points of a front, by length, that have fewer errors than all shorter ones."""
    least = np.inf
    for point in points:
        if point.errors < least:
            least = point.errors
            yield point


def _weigh(cover: Cover, table: TruthTable) -> tuple[IndexArray, float]:
    """Order of the terms for reading, the one that covers most of the yes-weight first; and the errors."""
    weight, errors = np.zeros(len(cover)), 0.0
    for start in range(0, table.n_rows, _BLOCK):
        block = slice(start, start + _BLOCK)
        covered = cover.covered_by_terms(table.rows[block])
        weight += table.yes[block] @ covered
        errors += float(np.where(covered.any(axis=1), table.no[block], table.yes[block]).sum())
    return np.lexsort((cover.literal_counts, -weight)), errors


def _size(terms: Terms) -> int:
    return int(np.abs(terms).sum())


class MinimizationProblem:
    """The tuples of a table that need an answer, over the concepts that tell them apart.

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
        self._columns, self._opposites = _informative_columns(bits, relevance.mean(axis=0))
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


def _informative_columns(bits: BoolArray, relevance: FloatArray) -> tuple[IndexArray, IndexArray]:
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


def relevance_of(order: Sequence[str] | ArrayLike | None, names: tuple[str, ...], n_rows: int) -> FloatArray:
    """Relevance of each concept in [0, 1], shape (1, n_concepts) or (n_rows, n_concepts).

    Parameters
    ----------
    order : sequence of str, or array of shape (n_concepts,) or (n_rows, n_concepts), or None
        Names, the most relevant first (those left out matter least), or scores, larger for more
        relevant. Scores are only compared with one another: within the table, or within each row.
    names : tuple of str
        The concepts.
    n_rows : int
        Number of rows that row-wise scores must have.
    """
    if order is None:
        return np.zeros((1, len(names)))
    if isinstance(order, str):
        raise InputError(f"order must be a sequence of names or scores, not one string. Write [{order!r}].")
    listed = _listed(order)
    if any(isinstance(item, str) for item in listed):
        if not all(isinstance(item, str) for item in listed):
            raise InputError("order must hold names only or numbers only. Got a mixture.")
        return _from_names([str.__str__(name) for name in listed], names)
    return _from_scores(order, len(names), n_rows)


def _listed(order: Any) -> list[Any]:
    """Items of a one-dimensional order; none of a set or a mapping, whose order is an accident."""
    ordered = isinstance(order, Iterable) and not isinstance(order, Set | Mapping)
    return list(order) if ordered and getattr(order, "ndim", 1) == 1 else []


def _from_names(listed: list[str], names: tuple[str, ...]) -> FloatArray:
    if len(set(listed)) < len(listed):
        raise InputError("order names a concept twice. Name each concept once.")
    position = {name: j for j, name in enumerate(names)}
    relevance = np.zeros((1, len(names)))
    for rank, name in enumerate(listed):
        if name not in position:
            raise UnknownConceptError(name, names)
        relevance[0, position[name]] = 1 - rank / len(names)
    return relevance


def _from_scores(order: Any, n_concepts: int, n_rows: int) -> FloatArray:
    scores = as_floats(order, "order")
    if scores.shape not in ((n_concepts,), (n_rows, n_concepts)):
        raise InputError(
            f"order must hold names, or scores of shape ({n_concepts},) or ({n_rows}, {n_concepts}). "
            f"Got shape {scores.shape}."
        )
    if not np.isfinite(scores).all():
        raise InputError("order must hold finite scores. Check for NaN and infinity.")
    scores = np.atleast_2d(scores) / 2  # half, so that the largest minus the smallest is finite
    low, high = scores.min(axis=1, keepdims=True), scores.max(axis=1, keepdims=True)
    relevance: FloatArray = (scores - low) / np.where(high > low, high - low, 1.0)
    return relevance
