"""Predictions by rules as columns of a table in an engine: an expression, which the engine runs when asked.

The answer is what :meth:`ExplanationSet.predict <logiclens.explain.ExplanationSet.predict>` says of the same
rows. ``CASE`` takes the first condition that is true: with the rules in the order of their priority, and the
default at the end, that is the policy where several rules fire, or none.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from logiclens.errors import InputError, shown
from logiclens.explain import ExplanationSet
from logiclens.explain.label import Label
from logiclens.logic.values import THRESHOLD
from logiclens.scale.engine import Expression, Table, check_columns, check_table, ibis_module
from logiclens.scale.expressions import (
    balanced,
    concept_columns,
    formula_expression,
    is_missing,
    label_literal,
    raw_places,
)

MARK = "mark"
"""The column of marks."""
CONFLICT, UNCOVERED, MISSING = "conflict", "uncovered", "missing"
"""Marks of rows on which several rules fire that exclude one another, of rows on which none does, and of rows
without a value where the rules know of no gaps."""


def predict(
    rules: Any, table: Table, *, name: str = "prediction", marks: bool = False, threshold: float = THRESHOLD
) -> Table:
    """Add what rules say of each row to a table, as a new expression; nothing is executed.

    Parameters
    ----------
    rules : ExplanationSet, or a fitted estimator
        Of an estimator its ``explanations_``.
    table : ibis.Table
        The columns that the rules are about, found as in
        :meth:`ExplanationSet.predict <logiclens.explain.ExplanationSet.predict>`. Other columns are kept.
    name : str, default "prediction"
        The column to add. A multi-label set adds a Boolean column for each label, called ``name_label``.
    marks : bool, default False
        Whether to add the column ``mark``, too: ``"conflict"`` where several rules fire, ``"uncovered"``
        where none does, ``"missing"`` where a value is missing and the rules know of no gaps, with a comma
        between two; else an empty text.
    threshold : float, default 0.5
        A column of scores that is a concept itself is true when greater. Rules with a vocabulary take no
        part in it.

    Returns
    -------
    ibis.Table

    Raises
    ------
    UnknownColumnError
        The table lacks a column that rules need.
    InputError
        Columns do not hold what they are compared with, or the table has a column of the new name, or two new
        columns have one name.
    LimitError
        A formula is nested too deep, or too long.

    Notes
    -----
    Rows that NumPy would refuse have an answer here, since nothing is looked at before the engine runs: in a
    column that is a concept itself a missing value counts as false (and is marked), and an infinite number is
    larger or smaller than all others. :func:`~logiclens.scale.scoring.score` refuses both.

    Examples
    --------
    >>> import ibis, pyarrow as pa
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet(
    ...     [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))],
    ...     concept_names=["wings", "fins"],
    ...     default="fish",
    ...     priority=[0.9, 0.95],
    ... )
    >>> table = ibis.memtable(pa.table({"wings": [True, True, False], "fins": [False, True, False]}))
    >>> answers = predict(rules, table, marks=True)
    >>> answers["prediction"].to_list(), answers["mark"].to_list()
    (['bird', 'fish', 'fish'], ['', 'conflict', 'uncovered'])
    """
    known = rules_of(rules)
    check_table(table)
    fired = fired_expressions(known, table, threshold)
    if not isinstance(marks, bool | np.bool_):
        raise InputError(f"marks must be True or False. Got {shown(marks)}.")
    added = _named(known, _checked_name(name), fired)
    if marks and MARK in map(str.lower, added):
        raise InputError(
            f"The column {MARK!r} is for marks. Pass another name than {name!r}, or marks=False."
        )
    if marks:
        added[MARK] = _mark(known, table, fired)
    _refuse_taken(added, table)
    return table.mutate(*(column.name(called) for called, column in added.items()))


def _named(rules: ExplanationSet, name: str, fired: Sequence[Expression]) -> dict[str, Expression]:
    """What rules say, by the name of its column."""
    if not rules.multi_label:
        return {name: chosen(rules, fired, [label_literal(label) for label in rules.labels])}
    spelled: dict[str, Label] = {}
    for label in rules.labels:
        other = spelled.setdefault(str(label).lower(), label)
        if other is not label:
            raise InputError(
                f"The labels {other!r} and {label!r} differ in case only, and so would their columns, which "
                "engines take for one. Rename one of the labels."
            )
    return {f"{name}_{label}": each for label, each in zip(rules.labels, fired, strict=True)}


def rules_of(rules: Any) -> ExplanationSet:
    """The rules of an estimator, or the rules themselves."""
    if isinstance(rules, ExplanationSet):
        return rules
    found = None if isinstance(rules, type) else getattr(rules, "explanations_", None)
    if isinstance(found, ExplanationSet):
        return found
    if hasattr(rules, "fit") and not isinstance(rules, type):
        raise InputError(f"This {type(rules).__name__} is not fitted. Fit it first, or pass its rules.")
    raise InputError(
        f"rules must be an ExplanationSet or a fitted estimator. Got {shown(rules)}; "
        "logiclens.load reads what was saved."
    )


def used_concepts(rules: ExplanationSet) -> tuple[str, ...]:
    """The concepts that rules use, sorted."""
    return tuple(sorted({name for explanation in rules.explanations for name in explanation.concepts}))


def fired_expressions(
    rules: ExplanationSet,
    table: Table,
    threshold: float = THRESHOLD,
    *,
    columns: Sequence[str] | None = None,
) -> list[Expression]:
    """Truth of every rule's formula on every row, one Boolean expression for each label; never NULL.

    Parameters
    ----------
    rules : ExplanationSet
    table, threshold, columns
        As for :func:`~logiclens.scale.expressions.concept_columns`.
    """
    concepts = concept_columns(table, rules.vocabulary, used_concepts(rules), threshold, columns=columns)
    return [formula_expression(explanation.formula, concepts) for explanation in rules.explanations]


def chosen(rules: ExplanationSet, fired: Sequence[Expression], values: Sequence[Expression]) -> Expression:
    """The value of the label that each row gets, by priority; that of the default where no rule fires.

    Parameters
    ----------
    rules : ExplanationSet
    fired : sequence of Boolean expressions, one for each label
    values : sequence of expressions, one for each label
    """
    order = np.argsort(-np.array(rules.priority), kind="stable").tolist()  # of equals the first stays first
    fallback = rules.labels.index(default_of(rules))
    cases = [(fired[at], values[at]) for at in order]
    return ibis_module().cases(*cases, else_=values[fallback])


def default_of(rules: ExplanationSet) -> Label:
    """The label of rows on which no rule fires."""
    if rules.default is None:
        raise InputError("Rules of several labels a row have no default. Ask for each label.")
    return rules.default


def number_fired(fired: Sequence[Expression]) -> Expression:
    """How many rules fire on each row."""
    return balanced([(each.cast("int64"), 0) for each in fired], operator.add)[0]


def _mark(rules: ExplanationSet, table: Table, fired: Sequence[Expression]) -> Expression:
    """The mark of each row; the rules are written out once."""
    ibis = ibis_module()
    marks = [UNCOVERED, "", "" if rules.multi_label else CONFLICT]  # by the number of rules, up to two
    code = ibis.least(number_fired(fired), 2)
    gaps = [is_missing(table[column]) for column in _never_missing(rules, table)]
    if gaps:
        gap = balanced([(each, 0) for each in gaps], operator.or_)[0]
        code = code + ibis.ifelse(gap, 3, 0)
        marks += [", ".join(filter(None, (mark, MISSING))) for mark in marks]
    return code.cases(*enumerate(marks), else_="")


def _never_missing(rules: ExplanationSet, table: Table) -> list[str]:
    """Columns of the table that the rules know no gaps in."""
    used = used_concepts(rules)
    places = raw_places(table, rules.vocabulary, used)
    if places is None or rules.vocabulary is None:
        return list(used)
    return [place for column, place in places.items() if column not in rules.vocabulary.optional]


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise InputError(f"name must be the name of the column to add. Got {shown(name)}.")
    return name


def _refuse_taken(added: Iterable[str], table: Table) -> None:
    """Refuse new columns that the table has, whatever their case, and what the engine cannot carry."""
    check_columns(table, table.columns)
    taken = {column.lower(): column for column in table.columns}
    for column in added:
        if column.lower() in taken:
            remedy = "Rename it" if column == MARK else "Pass name= for another one, or rename it"
            raise InputError(f"The table has a column {taken[column.lower()]!r} already. {remedy}.")
