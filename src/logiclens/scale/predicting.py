"""Predictions by rules as columns of a table in an engine: an expression, which the engine runs when asked.

The answer is what :meth:`ExplanationSet.predict <logiclens.explain.ExplanationSet.predict>` says of the same
rows. ``CASE`` takes the first condition that is true: with the steps in their order, and the default at the
end, that is a decision list.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from logiclens.errors import InputError, shown
from logiclens.explain import ExplanationSet
from logiclens.explain.resolution import used_concepts
from logiclens.explain.rule import Label
from logiclens.logic.data import THRESHOLD
from logiclens.logic.formula import Formula
from logiclens.scale.engine import Expression, Table, check_columns, check_table, ibis_module, rules_of
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
DEFAULT, UNCOVERED, MISSING = "default", "uncovered", "missing"
"""Marks of rows that the default decides, of rows that get no label where there may be several, and of rows
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
        Whether to add the column ``mark``, too: ``"default"`` where no step is true, so that the default
        decides (in a multi-label set ``"uncovered"``, where no rule is true), ``"missing"`` where a value is
        missing and the rules know of no gaps, with a comma between two; else an empty text.
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
    ... )
    >>> table = ibis.memtable(pa.table({"wings": [True, True, False], "fins": [False, True, False]}))
    >>> answers = predict(rules, table, marks=True)
    >>> answers["prediction"].to_list(), answers["mark"].to_list()
    (['bird', 'bird', 'fish'], ['', '', 'default'])
    """
    known = rules_of(rules)
    check_table(table)
    true = truth_expressions(known, known.conditions, table, threshold)
    if not isinstance(marks, bool | np.bool_):
        raise InputError(f"marks must be True or False. Got {shown(marks)}.")
    added = _named(known, _checked_name(name), true)
    if marks and MARK in map(str.lower, added):
        raise InputError(
            f"The column {MARK!r} is for marks. Pass another name than {name!r}, or marks=False."
        )
    if marks:
        added[MARK] = _mark(known, table, list(true.values()))
    _refuse_taken(added, table)
    return table.mutate(*(column.name(called) for called, column in added.items()))


def _named(rules: ExplanationSet, name: str, true: Mapping[Label, Expression]) -> dict[str, Expression]:
    """What rules say, by the name of its column."""
    if not rules.multi_label:
        values = {label: label_literal(label) for label in (*true, default_of(rules))}
        return {name: first_of([(true[label], values[label]) for label in true], values[default_of(rules)])}
    spelled: dict[str, Label] = {}
    for label in rules.labels:
        other = spelled.setdefault(str(label).lower(), label)
        if other is not label:
            raise InputError(
                f"The labels {other!r} and {label!r} differ in case only, and so would their columns, which "
                "engines take for one. Rename one of the labels."
            )
    return {f"{name}_{label}": each for label, each in true.items()}


def truth_expressions(
    rules: ExplanationSet,
    formulas: Mapping[Label, Formula],
    table: Table,
    threshold: float = THRESHOLD,
    *,
    columns: Sequence[str] | None = None,
) -> dict[Label, Expression]:
    """Truth of formulas on every row, Boolean expressions that are never NULL.

    Parameters
    ----------
    rules : ExplanationSet
        Whose concepts the formulas are about.
    formulas : mapping of label to Formula
    table, threshold, columns
        As for :func:`~logiclens.scale.expressions.concept_columns`.
    """
    used = used_concepts(formulas.values())
    concepts = concept_columns(table, rules.vocabulary, used, threshold, columns=columns)
    return {label: formula_expression(formula, concepts) for label, formula in formulas.items()}


def first_of(cases: Sequence[tuple[Expression, Expression]], otherwise: Expression) -> Expression:
    """The value of the first condition that is true of each row, or another one where none is."""
    return ibis_module().cases(*cases, else_=otherwise) if cases else otherwise


def default_of(rules: ExplanationSet) -> Label:
    """The label of rows of which no step is true."""
    if rules.default is None:
        raise InputError("Rules of several labels a row have no default. Ask for each label.")
    return rules.default


def any_true(true: Sequence[Expression]) -> Expression:
    """Whether any condition is true of each row."""
    if not true:
        return ibis_module().literal(False)
    return balanced([(each, 0) for each in true], operator.or_)[0]


def _mark(rules: ExplanationSet, table: Table, true: Sequence[Expression]) -> Expression:
    """The mark of each row."""
    ibis = ibis_module()
    marks = ["", UNCOVERED if rules.multi_label else DEFAULT]
    code = ibis.ifelse(any_true(true), 0, 1)
    gaps = [is_missing(table[column]) for column in _never_missing(rules, table)]
    if gaps:
        code = code + ibis.ifelse(any_true(gaps), 2, 0)
        marks += [", ".join(filter(None, (mark, MISSING))) for mark in marks]
    return code.cases(*enumerate(marks), else_="")


def _never_missing(rules: ExplanationSet, table: Table) -> list[str]:
    """Columns of the table that the rules know no gaps in."""
    used = rules.concepts
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
