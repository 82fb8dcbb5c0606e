"""The smallest DNF that agrees with an empirical truth table, exactly or within a budget of errors.

The table says yes or no on the tuples that were seen; on all others the formula may say what it likes.
These don't-cares are what makes formulas short. Two questions are answered:

- *agree with every tuple* (``literal_cost=0`` and no budget): two-level minimization with don't-cares;
- *trade errors for literals* (a cost or a budget): the paper's "satisficing" explanations (Sec. 4.1), as an
  optimization problem: least ``errors / total weight + literal_cost * literals``.

Both are solved with a proof where the table is small enough (``_exact.py``) and by search otherwise
(``_tradeoff.py`` with errors, :func:`agreeing_terms` without). ``status`` says which it was.

The search without errors is the classic loop of two-level minimization, on batches of terms at a time:

- *expand*: from each of many seed tuples at once, take the literals that exclude most of the tuples to
  be avoided for the least loss of tuples to be covered, then drop every literal that is not needed; what
  is left is a prime term;
- *irredundant*: choose the cheapest of the terms found that cover all tuples;
- *reduce*: give up some terms of the choice, look for terms that serve just the tuples which thereby
  lost their cover, and choose again; go on while it gains.

Terms are rows of small integers: 1 for a concept, -1 for its negation, 0 for neither.
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
from logiclens.logic._exact import (
    QUICK,
    THOROUGH,
    Effort,
    Proof,
    best_tradeoff,
    greedy_cover,
    irredundant,
    smallest_agreeing,
)
from logiclens.logic._tradeoff import (
    MAX_CONCEPTS,
    RESTARTS,
    Dense,
    FormulaBudget,
    Side,
    Tradeoff,
    extend,
    tie_values,
)
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

_PATH_CONCEPTS: Final = 6  # concepts up to which points of a front are proved by default
_PATH_LITERALS: Final = 9  # literals up to which they are
_SAME: Final = 1e-9  # share of the weight by which errors may differ that are the same
_LONGEST_START: Final = 1000  # literals of an agreeing formula that is worth shortening
_BLOCK: Final = 1 << 17  # tuples whose coverage is worked out at once
_SAMPLE: Final = 1 << 15  # tuples that a sample of a very long table has

_BATCH: Final = 64  # seeds expanded together
_TEMPERS: Final = (0.5, 1.0, 0.2)  # how much the loss of wanted tuples weighs; each finds other terms
_JITTERS: Final = (0.0, 0.5)  # noise on the worth of a literal, so that other terms are met
_SCREEN: Final = 1e9  # multiplications spent on screening all pairs (or triples) of literals
_SCREEN_ROWS: Final = 64  # tuples without which screening lets too much through
_POOL: Final = 1024  # screened terms kept
_RANKED: Final = 1 << 16  # screened terms ranked at once
_FIRST_BATCHES: Final = 16  # batches of seeds at least within which a formula worth shortening is found
_QUICK: Final = 6_000  # size of table (tuples times concepts) for which shortening is quick
_WORKING_SET: Final = 1 << 14  # tuples of each answer looked at first; more where the terms are wrong
_SMALL_SET: Final = 1 << 12  # the same where a formula is to be found soon
_PATIENCE: Final = 60  # reductions without gain after which the loop ends
_LITTLE_PATIENCE: Final = 6  # the same where a formula is to be found soon

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
    """A formula of at most this many literals that agrees with every tuple; None if none is found soon.

    It is looked for as :func:`minimize` does with ``exact=False``, with less patience.

    Parameters
    ----------
    table : TruthTable
    max_literals : float

    Examples
    --------
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> table = TruthTable.from_data(X, [0, 1, 1, 1], names=["a", "b"], sample_weight=[5, 1, 3, 1])
    >>> print(agreeing_formula(table, 3), "|", agreeing_formula(table, 1))
    a | b  (2 literals, errors 0, best found) | None
    """
    return Minimizer(MinimizationProblem(table, None), exact=False).agree_within(max_literals)


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
        problem, found = self.problem, self._constant()
        if found is None and self.exact and self.small:
            yes = problem.gain > 0
            found = smallest_agreeing(problem.bits[yes], problem.bits[~yes], problem.relevance, self.effort)
        if found is None or not found.proved:
            terms = self._agreeing()
            found = found if found is not None and _size(found.terms) <= _size(terms) else Proof(terms, False)
        return self._result(*found)

    def agree_within(self, max_literals: float) -> Minimized | None:
        """A formula of at most so many literals that agrees with every tuple; None if none is found soon."""
        constant = self._constant()
        if constant is not None:
            return self._result(*constant)
        problem, yes = self.problem, self.problem.gain > 0
        wanted, avoided = problem.bits[yes], problem.bits[~yes]
        terms = agreeing_terms(wanted, avoided, problem.relevance, max_literals, quickly=True)
        return None if terms is None else self._result(terms, False)

    def _constant(self) -> Proof | None:
        """The formula without literals that agrees with every tuple, if there is one."""
        yes = self.problem.gain > 0
        if yes.any() and not yes.all():
            return None
        return Proof(np.zeros((int(yes.any()), self.problem.n_concepts), dtype=np.int8), True)

    def _agreeing(self) -> Terms:
        """A formula that agrees with every tuple, which say yes and no, as short as the search finds it."""
        problem, yes = self.problem, self.problem.gain > 0
        terms = agreeing_terms(problem.bits[yes], problem.bits[~yes], problem.relevance_of_rows(yes))
        assert terms is not None  # without a limit on its literals, there always is one
        return terms

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
            longest = min(affordable, 4 * budget.literals, _LONGEST_START)
            quickly = self.restarts < RESTARTS
            start = agreeing_terms(bits[gain > 0], bits[gain < 0], self.problem.relevance, longest, quickly)
        search.sweep(last_price, start, self.restarts)
        return search

    def _best(self, price: float, budget: FormulaBudget, reached: float) -> Proof | None:
        problem = self.problem
        return best_tradeoff(
            problem.bits, problem.gain, problem.relevance, price, budget, reached, self.effort
        )

    def path(self, budget: FormulaBudget, cost: float = 0.0) -> tuple[Minimized, ...]:
        """Best formulas of every size, up to the one that is best at that cost of a literal."""
        price = self._price(cost)
        search = self._search(budget, price)
        agreement = []
        if cost == 0 and np.isinf(budget.literals) and not self._agrees(search.front.best(0.0)[1]):
            agreement.append(self._agreeing())
            search.offer_shorter(agreement[0])
        covers = [terms for size, (_, terms) in search.front.covers.items() if size <= budget.literals]
        covers = sorted(covers + agreement, key=_size)
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
        proof = self._best(0.0, FormulaBudget(literals=found.literals), won)
        if proof is None:
            if self.exact is True:
                raise self._no_proof()
            return found
        best = self._result(*proof)
        if best.literals == found.literals and best.errors >= errors - _SAME * table.total:
            return replace(found, errors=errors, status=best.status)
        return best

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


@quiet_products
def agreeing_terms(
    wanted: BoolArray,
    avoided: BoolArray,
    relevance: FloatArray,
    max_literals: float = np.inf,
    quickly: bool = False,
) -> Terms | None:
    """Terms of a DNF that is true on every wanted tuple and on no avoided one.

    Some tuples are looked at first, then those on which the formula was wrong.

    Parameters
    ----------
    wanted, avoided : ndarray of bool, shapes (n_wanted, n_concepts) and (n_avoided, n_concepts)
        Tuples without one in common; at least one of each.
    relevance : ndarray of float, shape (n_concepts,) or (n_wanted, n_concepts)
        In [0, 1]: concepts to prefer where the choice is otherwise equal, for all tuples or for each.
    max_literals : float, default infinity
        Literals of a formula that is of use.
    quickly : bool, default False
        Whether to look with less patience.

    Returns
    -------
    ndarray or None
        None when a formula has more literals than that, or is not found soon: then the answers are too noisy
        for a short formula to agree with all of them.
    """
    size = _SMALL_SET if quickly else _WORKING_SET
    every_on, every_off = np.arange(len(wanted)), np.arange(len(avoided))
    on, off = evenly(every_on, size), evenly(every_off, size)
    relevance = np.broadcast_to(relevance, wanted.shape)
    while True:
        terms = _TermPool(Side(wanted[on]), Side(avoided[off]), relevance[on]).search(max_literals, quickly)
        if terms is None:
            return None
        missed = every_on[~covered_rows(terms, wanted)]
        caught = every_off[covered_rows(terms, avoided)]
        if not len(missed) and not len(caught):
            return terms
        size *= 2
        on = np.union1d(on, evenly(missed, size))
        off = np.union1d(off, evenly(caught, size))


def covered_rows(terms: Terms, bits: BoolArray) -> BoolArray:
    """On which tuples some term is true, shape (n_rows,); block by block."""
    covered = np.zeros(len(bits), dtype=np.bool_)
    for start in range(0, len(bits), _WORKING_SET):
        block = slice(start, start + _WORKING_SET)
        covered[block] = Side(bits[block]).covered(terms).any(axis=0)
    return covered


def evenly(rows: IndexArray, size: int) -> IndexArray:
    """At most ``size`` of the rows, spread evenly."""
    step = -(-len(rows) // size) if len(rows) else 1
    return rows[::step]


class _TermPool:
    """Every term found so far, and which wanted tuples each covers."""

    def __init__(self, on: Side, off: Side, relevance: FloatArray) -> None:
        self.on = on
        self.off = off
        self.relevance = relevance
        self.mean_relevance: FloatArray = relevance.mean(axis=0)
        self.random = np.random.default_rng(0)  # spreads seeds and reductions; the same for the same table
        self.pool: Terms = np.zeros((0, on.bits.shape[1]), dtype=np.int8)
        self.covers: BoolArray = np.zeros((0, len(on)), dtype=np.bool_)
        self.costs: FloatArray = np.zeros(0)
        self.known: set[bytes] = set()

    def search(self, max_literals: float, quickly: bool) -> Terms | None:
        """Terms of the shortest DNF found; None if it has too many literals, or is not found soon.

        With a limit on its literals, it is shortened only where that is quick.
        """
        self._screen_pairs()
        if not self._complete(max(_FIRST_BATCHES, max_literals / 10)):
            return None
        chosen = greedy_cover(self.covers.T, self.costs)
        if not quickly and self.costs[chosen].max() >= 4 and self._screen_triples():
            chosen = greedy_cover(self.covers.T, self.costs)
        if np.floor(self.costs[chosen]).sum() > max_literals:
            return None
        if np.isinf(max_literals) or self.on.bits.size + self.off.bits.size <= _QUICK:
            chosen = self._improve(chosen, _LITTLE_PATIENCE if quickly else _PATIENCE)
        return self.pool[chosen]

    def _add(self, terms: Terms) -> int:
        """Put new terms into the pool; how many were new."""
        fresh = []
        for at, term in enumerate(terms):
            key = term.tobytes()
            if key not in self.known:
                self.known.add(key)
                fresh.append(at)
        if fresh:
            terms = terms[fresh]
            self.pool = np.concatenate([self.pool, terms])
            self.covers = np.concatenate([self.covers, self.on.covered(terms)])
            self.costs = np.concatenate([self.costs, self._costs(terms)])
        return len(fresh)

    def _costs(self, terms: Terms) -> FloatArray:
        """Literals, and by a hair what is preferred among equals."""
        hair = 1e-3 / terms.shape[1]
        costs: FloatArray = np.abs(terms).sum(axis=1) + hair * tie_values(terms, self.mean_relevance)
        return costs

    def _complete(self, max_batches: float) -> bool:
        """Find prime terms until every wanted tuple has one; whether so many batches of seeds sufficed."""
        everything = np.ones(len(self.on), dtype=np.float32)
        batches = 0
        while (open_rows := ~self.covers.any(axis=0)).any():
            if batches >= max_batches:
                return False
            seeds = self._spread(np.flatnonzero(open_rows))
            for temper in _TEMPERS[:2]:
                self._add(self._primes(seeds, temper, everything))
            batches += 1
        return True

    def _spread(self, rows: IndexArray) -> IndexArray:
        return rows if len(rows) <= _BATCH else np.sort(self.random.choice(rows, _BATCH, replace=False))

    def _improve(self, chosen: IndexArray, patience: int) -> IndexArray:
        """Reduce and expand again, until that has not gained for a while."""
        failures = attempt = 0
        while failures < min(patience, 3 * len(chosen)):
            rest = chosen[~self._given_up(len(chosen), attempt)]
            open_rows = np.flatnonzero(~self.covers[rest].any(axis=0))
            weight = np.zeros(len(self.on), dtype=np.float32)
            weight[open_rows] = 1
            temper, jitter = _TEMPERS[attempt % len(_TEMPERS)], _JITTERS[attempt % len(_JITTERS)]
            self._add(self._primes(self._spread(open_rows), temper, weight, jitter))
            filled = self._refill(open_rows)
            candidate = irredundant(self.covers.T, self.costs, np.concatenate([rest, filled]))
            gain = self.costs[chosen].sum() - self.costs[candidate].sum()
            if gain >= 0:  # an equal one is taken too: it leads elsewhere
                chosen = candidate
            failures = 0 if gain > 0.5 else failures + 1  # less than a literal is mere preference
            attempt += 1
        return chosen

    def _refill(self, open_rows: IndexArray) -> IndexArray:
        """Cheap terms of the pool that cover these tuples."""
        covers = self.covers[:, open_rows]
        useful = np.flatnonzero(covers.any(axis=1))
        return useful[np.sort(greedy_cover(covers[useful].T, self.costs[useful]))]

    def _given_up(self, n_terms: int, attempt: int) -> BoolArray:
        """Choose the terms to give up: each in turn when they are few, else a random fifth."""
        if n_terms <= 5:
            gone: BoolArray = np.arange(n_terms) == attempt % n_terms
        else:
            gone = self.random.permutation(n_terms) < max(2, n_terms // 5)
        return gone

    def _primes(self, seeds: IndexArray, temper: float, weight: Dense, jitter: float = 0.0) -> Terms:
        """A prime term for each seed: grown literal by literal, then stripped of what is not needed."""
        return self._strip(self._grow(seeds, temper, weight, jitter), seeds, weight)

    def _grow(self, seeds: IndexArray, temper: float, weight: Dense, jitter: float) -> Terms:
        """Literals of each seed, best first, until the term excludes every avoided tuple."""
        bits, bonus = self.on.bits[seeds], 1e-3 * self.relevance[seeds]
        terms = np.zeros(bits.shape, dtype=np.int8)
        on = np.repeat(weight[None, :], len(seeds), axis=0)
        off = np.ones((len(seeds), len(self.off)), dtype=np.float32)
        busy = np.arange(len(seeds))
        while len(busy):
            kept = np.log1p(self.on.weight_matching(on, bits[busy]))
            left = np.log1p(self.off.weight_matching(off, bits[busy]))
            score = temper * kept - left + bonus[busy]
            if jitter:
                score += jitter * self.random.random(score.shape)
            score[terms[busy] != 0] = -np.inf
            best = score.argmax(axis=1)
            sign = bits[busy, best]
            terms[busy, best] = np.where(sign, 1, -1)
            on *= self.on.columns[best] == sign[:, None]
            off *= self.off.columns[best] == sign[:, None]
            unfinished = off.any(axis=1)
            busy, on, off = busy[unfinished], on[unfinished], off[unfinished]
        return terms

    def _strip(self, terms: Terms, seeds: IndexArray, weight: Dense) -> Terms:
        """Drop literals without which no avoided tuple gets in, those first that gain most wanted weight."""
        busy = np.arange(len(terms))
        while True:
            part = terms[busy]
            alone = (self.off.n_broken(part) == 1).astype(np.float32)
            needless = (part != 0) & (self.off.weight_broken(alone, part) == 0)
            loose = needless.any(axis=1)
            if not loose.any():
                return terms
            busy, part, needless = busy[loose], part[loose], needless[loose]
            gain = self.on.weight_broken((self.on.n_broken(part) == 1) * weight, part)
            gain -= 1e-3 * self.relevance[seeds[busy]]
            gain[~needless] = -np.inf
            terms[busy, gain.argmax(axis=1)] = 0

    def _screen_pairs(self) -> None:
        """Add the terms of one or two literals that exclude every avoided tuple.

        Growing term by term cannot see them when neither literal helps alone, as in an exclusive or.
        """
        n_literals = 2 * self.on.bits.shape[1]
        sample = self._sample(n_literals**2)
        if not len(sample):
            return
        literals = np.concatenate([self.off.true[sample], self.off.false[sample]], axis=1)
        pure = np.triu(literals.T @ literals == 0)  # the diagonal: single literals
        first, second = np.nonzero(pure)
        self._add_pure(np.stack([first, second], axis=1))

    def _screen_triples(self) -> int:
        """Add the terms of three literals that exclude every avoided tuple, while that is affordable."""
        n_literals = 2 * self.on.bits.shape[1]
        sample = self._sample(n_literals**3 / 6)
        if not len(sample):
            return 0
        literals = np.concatenate([self.off.true[sample], self.off.false[sample]], axis=1)
        found = []
        for first in range(n_literals - 2):
            rest = literals[literals[:, first] > 0, first + 1 :]
            pairs = np.argwhere(np.triu(rest.T @ rest == 0, 1)) + first + 1
            found.append(np.column_stack([np.full(len(pairs), first), pairs]))
        return self._add_pure(np.concatenate(found))

    def _sample(self, work_a_row: float) -> IndexArray:
        """As many avoided tuples as screening can afford; none when they would be too few to screen."""
        affordable = int(min(len(self.off), _SCREEN / work_a_row))
        if affordable < min(len(self.off), _SCREEN_ROWS):
            return np.empty(0, dtype=np.intp)
        return np.sort(self.random.choice(len(self.off), affordable, replace=False))

    def _add_pure(self, literals: IndexArray) -> int:
        """Add the terms made of these literals that are pure on all avoided tuples; the widest few.

        There may be millions of them, so a sample of the wanted tuples ranks them first.
        """
        sample = self._spread(np.arange(len(self.on)))
        true = np.concatenate([self.on.bits[sample], ~self.on.bits[sample]], axis=1).T  # (literal, tuple)
        n_covered = np.zeros(len(literals), dtype=np.int64)
        for start in range(0, len(literals), _RANKED):
            block = literals[start : start + _RANKED]
            n_covered[start : start + _RANKED] = true[block].all(axis=1).sum(axis=1)
        widest = literals[np.argsort(-n_covered, kind="stable")[: 4 * _POOL]]
        terms = np.zeros((len(widest), self.on.bits.shape[1]), dtype=np.int8)
        for column in widest.T:
            terms = extend(terms, column)
        n_covered = self.on.covered(terms).sum(axis=1)
        terms = terms[np.argsort(-n_covered, kind="stable")[:_POOL]]
        useful = self.on.covered(terms).any(axis=1) & ~self.off.covered(terms).any(axis=1)
        return self._add(terms[useful])
