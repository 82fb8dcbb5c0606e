"""Rules as one SQL expression that answers as the rules do, so that a database can predict.

A rule alone is a Boolean expression (:meth:`Explanation.to_sql <logiclens.explain.Explanation.to_sql>`). A
decision list is a ``CASE``: that, too, takes the first condition that is true, and the default at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from logiclens.errors import InputError
from logiclens.explain.label import Label
from logiclens.logic.sql import Dialect, check_columns, dialect_named, sql_number, sql_text, to_sql

if TYPE_CHECKING:
    from logiclens.explain.rule_set import ExplanationSet

_LEAST, _MOST = -(2**63), 2**63 - 1  # what the integers of databases hold


def rules_to_sql(
    rules: ExplanationSet, dialect: str = "ansi", threshold: float | None = None
) -> str | dict[Label, str]:
    """Return an expression that gives the label exactly as :meth:`ExplanationSet.predict` does.

    Parameters
    ----------
    rules : ExplanationSet
    dialect : {"ansi", "duckdb", "sqlite", "postgresql", "mysql", "spark", "bigquery"}, default "ansi"
        As for :func:`logiclens.logic.to_sql`.
    threshold : float, optional
        For columns of scores, as for :func:`logiclens.logic.to_sql`. With a vocabulary the expression is
        about the columns of the raw table, and the threshold has no part in it.

    Returns
    -------
    str, or dict of label to str
        A ``CASE`` expression; of a multi-label set a Boolean expression for each label.

    Raises
    ------
    InputError
        Unknown dialect, or a concept, a column or a label that it cannot carry.
    LimitError
        A formula is nested too deep, or too long.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet(
    ...     [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))],
    ...     concept_names=["wings", "fins"],
    ...     default="fish",
    ... )
    >>> print(rules_to_sql(rules))
    CASE WHEN "wings" IS TRUE THEN 'bird' WHEN "fins" IS TRUE THEN 'fish' ELSE 'fish' END
    """
    words = dialect_named(dialect)
    vocabulary, used = rules.vocabulary, rules.concepts
    check_columns(used if vocabulary is None else vocabulary.used_columns(used), words)
    conditions = {
        label: to_sql(formula, dialect, threshold)
        if vocabulary is None
        else vocabulary.to_sql(formula, dialect)
        for label, formula in rules.conditions.items()
    }
    if rules.multi_label or rules.default is None:
        return conditions
    otherwise = _label(rules.default, words)
    if not conditions:
        return otherwise
    cases = " ".join(f"WHEN {test} THEN {_label(label, words)}" for label, test in conditions.items())
    return f"CASE {cases} ELSE {otherwise} END"


def _label(label: Label, dialect: Dialect) -> str:
    """A label as a value of its type; an exponent makes a number a double, not a decimal."""
    if isinstance(label, str):
        return sql_text(label, dialect)
    if isinstance(label, bool):
        return dialect.true if label else dialect.false
    if isinstance(label, float):
        if dialect.name == "postgresql":  # to which a number with an exponent is a decimal, too
            return f"CAST({label!r} AS DOUBLE PRECISION)"
        return sql_number(label, dialect, repr(label) if "e" in repr(label) else f"{label!r}e0")
    if not _LEAST <= label <= _MOST:
        raise InputError(
            f"The label {label} cannot be a whole number in {dialect.name}: it takes more than 64 bits. "
            "Rename the class."
        )
    return str(label)
