"""What the page needs to evaluate rules by itself: formulas as trees, concepts as tests, columns as inputs.

A concept's test is exactly that of :mod:`logiclens.concepts.concept`. Without a vocabulary the concepts
themselves are the inputs, numbers in [0, 1] that are true above one half.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, inf, log10, nextafter
from typing import Any

import numpy as np

from logiclens.concepts.cells import Column, Kind
from logiclens.concepts.concept import Above, AtMost, Between, Concept, Flag, Missing, OneOf
from logiclens.concepts.table import Table
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.data import THRESHOLD
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import And, Const, Formula, Not, Var
from logiclens.reporting.rule_facts import ConceptFacts, InputFacts, Plain, Tree, plain_value

_LARGEST = float(np.finfo(np.float64).max)


def tree_of(formula: Formula, places: Mapping[str, int]) -> Tree:
    """A formula as plain objects, with the places of its concepts.

    Examples
    --------
    >>> tree_of(Var("b") & ~Var("a"), {"a": 0, "b": 1})["args"][0]
    {'op': 'var', 'concept': 1}
    """
    match formula:
        case Const(value):
            return {"op": "true" if value else "false"}
        case Var(name):
            return {"op": "var", "concept": places[name]}
        case Not(arg):
            return {"op": "not", "arg": tree_of(arg, places)}
    sign = "and" if isinstance(formula, And) else "or"
    return {"op": sign, "args": [tree_of(arg, places) for arg in formula.args]}


def used_concepts(rules: ExplanationSet, formulas: Iterable[Formula]) -> tuple[str, ...]:
    """The concepts that formulas use, in the order of the data."""
    used = {name for formula in formulas for name in formula.concepts}
    return tuple(name for name in rules.concept_names if name in used)


def concepts_and_inputs(
    rules: ExplanationSet, names: Sequence[str], table: Table | None = None
) -> tuple[tuple[ConceptFacts, ...], tuple[InputFacts, ...]]:
    """Some concepts as tests of inputs, and those inputs.

    Parameters
    ----------
    rules : ExplanationSet
    names : sequence of str
        The concepts.
    table : Table, optional
        Rows to take ranges and typical values from.
    """
    words = rules.vocabulary
    if words is None:
        return _scores(names, rules, table)
    columns = words.used_columns(names)
    place = {column: at for at, column in enumerate(columns)}
    concepts = tuple(
        ConceptFacts(
            name,
            words.to_sentence(Var(name)),
            words.to_sentence(~Var(name)),
            place[words[name].column],
            as_test(words[name]),
            words[name].condition().or_missing,
        )
        for name in names
    )
    inputs = tuple(
        _input(
            words,
            [words[name] for name in names if words[name].column == column],
            _column(table, words, column),
        )
        for column in columns
    )
    return concepts, inputs


def as_test(concept: Concept) -> dict[str, Any]:
    """What a concept asks of a value that is there; see :mod:`logiclens.reporting.rule_facts`."""
    match concept:
        case Flag():
            return {"kind": "flag"}
        case Above():
            return {"kind": "above", "cut": concept.cut}
        case AtMost():
            return {"kind": "at_most", "cut": concept.cut}
        case Between():
            return {"kind": "between", "low": concept.low, "high": concept.high}
        case OneOf():
            return {"kind": "one_of", "values": list(concept.values)}
        case Missing():
            return {"kind": "missing"}
    raise InputError(f"The page knows no test for the concept {concept.name!r}.")


def _scores(
    names: Sequence[str], rules: ExplanationSet, table: Table | None
) -> tuple[tuple[ConceptFacts, ...], tuple[InputFacts, ...]]:
    """Concepts that are their own inputs."""
    concepts, inputs = [], []
    for at, name in enumerate(names):
        column = _own_column(table, rules, name)
        kind = "flag" if column is not None and _is_zero_one(column) else "score"
        test = {"kind": "flag"} if kind == "flag" else {"kind": "above", "cut": THRESHOLD}
        concepts.append(
            ConceptFacts(name, to_sentence(Var(name)), to_sentence(~Var(name)), at, test, or_missing=False)
        )
        start: Plain = False if kind == "flag" else 0.0
        if column is not None and len(column):
            middle = float(np.median(column.numbers()))
            start = middle > THRESHOLD if kind == "flag" else round(middle, 2)
        cuts = () if kind == "flag" else (THRESHOLD,)
        low, high = (None, None) if kind == "flag" else (0.0, 1.0)
        inputs.append(InputFacts(name, kind, (), cuts, low, high, False, start, optional=False))
    return tuple(concepts), tuple(inputs)


def _own_column(table: Table | None, rules: ExplanationSet, name: str) -> Column | None:
    if table is None:
        return None
    if name in table:
        return table.column(name)
    if len(table.names) == len(rules.concept_names) and not table.named:
        return table.column(table.names[rules.concept_names.index(name)])
    return None


def _is_zero_one(column: Column) -> bool:
    numbers = column.numbers()
    return bool(((numbers == 0) | (numbers == 1)).all())


def _column(table: Table | None, words: Vocabulary, name: str) -> Column | None:
    if table is None:
        return None
    if words.finds_by_name(table):
        return table.column(name) if name in table else None
    same = len(table.names) == len(words.columns)
    return table.column(table.names[words.columns.index(name)]) if same else None


def _input(words: Vocabulary, concepts: Sequence[Concept], column: Column | None) -> InputFacts:
    name = concepts[0].column
    optional = name in words.optional or (column is not None and bool(column.missing.any()))
    kind = _kind(concepts, column)
    levels = dict.fromkeys(v for c in concepts if isinstance(c, OneOf) for v in c.values)
    if kind == "number":
        compared = {value for concept in concepts for value in concept.condition().values}
        cuts = sorted(float(value) for value in compared if not isinstance(value, str))
        low, high, start, whole = _range(cuts, column)
        return InputFacts(name, kind, tuple(levels), tuple(cuts), low, high, whole, start, optional)
    usual = _usual(kind, tuple(levels), column)
    if usual is not None and kind == "category":
        levels.setdefault(usual)  # the reader starts from it, also where no concept names it
    return InputFacts(name, kind, tuple(levels), (), None, None, False, usual, optional)


def _kind(concepts: Sequence[Concept], column: Column | None) -> str:
    if any(isinstance(concept, Above | AtMost | Between) for concept in concepts):
        return "number"
    if any(isinstance(concept, OneOf) for concept in concepts):
        return "category"
    if any(isinstance(concept, Flag) for concept in concepts) or column is None:
        return "flag"
    return {Kind.NUMBER: "number", Kind.BOOLEAN: "flag"}.get(column.kind, "category")


def _usual(kind: str, levels: tuple[Plain, ...], column: Column | None) -> Plain:
    """The most common value; None where concepts name no values, so that none has to be told."""
    if kind == "flag":
        if column is None or not column.is_numeric or column.missing.all():
            return False
        return bool(np.nanmean(column.numbers() > THRESHOLD) > THRESHOLD)
    if not levels:
        return None
    if column is None or column.missing.all():
        return levels[0]
    usual = column.levels[int(np.bincount(column.codes[~column.missing]).argmax())]
    return next((level for level in levels if level == usual), plain_value(usual))


def _range(cuts: Sequence[float], column: Column | None) -> tuple[float | None, float | None, float, bool]:
    """A rounded range around cut points and values, a typical value, and whether values are whole numbers."""
    if column is None or column.missing.all() or not column.is_numeric:
        return None, None, float(np.median(cuts)) if cuts else 0.0, False
    numbers = column.numbers()[~column.missing]
    least, most = min([float(numbers.min()), *cuts]), max([float(numbers.max()), *cuts])
    digits = 1 - _magnitude(most - least) if most > least else 2 - _magnitude(abs(most) or 1.0)
    step = 10.0**-digits
    low, high = round(floor(least / step) * step, digits), round(ceil(most / step) * step, digits)
    high = high if high > most else round(high + step, digits)  # one can go beyond the last cut point
    whole = bool((numbers == np.round(numbers)).all())
    start = round(float(np.median(numbers)), 0 if whole else digits + 1)
    return (
        max(min(low, least), -_LARGEST),
        min(max(high, nextafter(most, inf)), _LARGEST),
        start,
        whole,
    )


def _magnitude(number: float) -> int:
    """The power of ten below a positive number, far enough from both ends of what floats can hold."""
    return floor(log10(min(max(number, 1e-290), 1e290)))
