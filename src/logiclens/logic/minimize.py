"""The smallest DNF that agrees with an empirical truth table, exactly or within a budget of errors.

The table says yes or no on the tuples that were seen; on all others the formula may say what it likes.
These don't-cares are what makes formulas short. Two questions are answered:

- *agree with every tuple* (``literal_cost=0`` and no budget): two-level minimization with don't-cares;
- *trade errors for literals* (a cost or a budget): the paper's "satisficing" explanations (Sec. 4.1), as an
  optimization problem: least ``errors / total weight + literal_cost * literals``.

Both are solved with a proof where the table is small enough (:mod:`logiclens.logic.exact`) and by search
otherwise (:mod:`logiclens.logic.expand`, :mod:`logiclens.logic.tradeoff`). ``status`` says which it was.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from logiclens.errors import InputError, shown
from logiclens.logic.arrays import one_thread, quiet_products
from logiclens.logic.data import as_float, check_count
from logiclens.logic.minimizer import Exact, Minimized, Minimizer, Status
from logiclens.logic.problem import Problem
from logiclens.logic.tradeoff import RESTARTS, Budget
from logiclens.logic.truth_table import TruthTable

__all__ = ["Exact", "Minimized", "Status", "minimize", "minimize_path", "prove"]


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
    budget = Budget(_limit(max_terms, "max_terms"), _limit(max_literals, "max_literals"))
    minimizer = Minimizer(Problem(table, order), exact)
    with one_thread():
        if cost == 0 and budget == Budget():
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
    budget, cost = Budget(literals=_limit(max_literals, "max_literals")), _cost(literal_cost)
    minimizer = Minimizer(Problem(table, order), exact, check_count(restarts, "restarts"))
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
    minimizer = Minimizer(Problem(table, order), exact)
    with one_thread():
        return minimizer.prove(found)


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
