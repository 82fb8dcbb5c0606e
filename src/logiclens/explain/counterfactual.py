"""What would have to be different: the fewest changes of a row that turn a rule's formula.

A formula is true where one of the terms of its DNF is, and false where one of the terms of its negation is.
So the nearest row on the other side is the nearest row that satisfies one of those terms; for each term that
is a matter of its own literals, column by column. Nothing is searched, and nothing nearer is missed.

Concepts that hang together are changed together: all concepts of a column of the raw table, or of a group of
which one is true. Such a change counts once, however many concepts it turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from logiclens.concepts.concept import Condition, Relation
from logiclens.concepts.table import Table
from logiclens.concepts.wording import in_english
from logiclens.errors import InputError, count, shown
from logiclens.explain.rule import Rule, RuleKind, label_in_sentence
from logiclens.logic.arrays import BoolArray
from logiclens.logic.data import ConceptData, check_names
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import FALSE, TRUE, And, Formula, Not, Or, Var
from logiclens.logic.normal_form import to_dnf


@dataclass(frozen=True)
class Change:
    """One change of a row.

    Attributes
    ----------
    what : str
        The column of the raw table, the concept, or the group of concepts.
    before, after : str
        What is said of it in plain English, before and after: what the formula asks for, not more.
    concepts : mapping of str to bool
        The concepts that turn, with their values afterwards.
    """

    what: str
    before: str
    after: str
    concepts: Mapping[str, bool] = field(hash=False)


@dataclass(frozen=True)
class Counterfactual:
    """The fewest changes of a row that turn a rule's formula.

    Attributes
    ----------
    rule : Rule
    truth : bool
        Truth of the formula on the row as it is.
    changes : tuple of Change, or None
        What to change so that the formula is true where it was false, or false where it was true. None where
        nothing would: a formula that is always true, or always false.

    Examples
    --------
    >>> from logiclens.logic import parse_formula
    >>> rule = Rule("bird", parse_formula("(wings & beak) | feathers"))
    >>> found = counterfactual(rule, {"wings": [1], "beak": [0], "feathers": [0]})
    >>> print(found)
    The rule of bird would hold if beak were true.
    >>> found.concepts
    {'beak': True}
    """

    rule: Rule
    truth: bool
    changes: tuple[Change, ...] | None

    @property
    def found(self) -> bool:
        """Whether there is a way to turn the formula."""
        return self.changes is not None

    @property
    def concepts(self) -> dict[str, bool]:
        """All concepts that turn, with their values afterwards."""
        turned: dict[str, bool] = {}
        for change in self.changes or ():
            turned |= change.concepts
        return turned

    def to_sentence(self) -> str:
        """Plain English, on one line."""
        if self.changes is None:
            return f"Nothing would change it: the formula is always {'true' if self.truth else 'false'}."
        plain = label_in_sentence(self.rule.target)
        named = plain if isinstance(self.rule.target, str) else f"class {plain}"
        if self.rule.kind is RuleKind.CLUSTER:
            named = f"cluster {plain}"
        turned = "no longer hold" if self.truth else "hold"
        changes = " and ".join(change.after for change in self.changes)
        return f"The rule of {named} would {turned} if {changes}."

    def __str__(self) -> str:
        return self.to_sentence()

    __repr__ = __str__


def counterfactual(rule: Rule, x: Any, *, groups: Iterable[Sequence[str]] = ()) -> Counterfactual:
    """Find the fewest changes of one row that make a rule's formula true, or false where it is true.

    Parameters
    ----------
    rule : Rule
    x : data frame, mapping or array, one row
        Concepts, Booleans or numbers in [0, 1]; with a vocabulary the columns of the raw table. An array
        without a vocabulary has as its columns the rule's own concepts, and those of their groups, in sorted
        order.
    groups : iterable of sequences of str, optional
        Concepts of which exactly one is true. With a vocabulary they are known, and this must be empty.

    Returns
    -------
    Counterfactual
        Of all ways with the fewest changes, one that turns the fewest concepts; of those, the first in the
        order of the terms.

    Examples
    --------
    >>> rule = Rule("stop", ~Var("green"), "iff")
    >>> print(counterfactual(rule, {"green": [1], "red": [0]}, groups=[["green", "red"]]).changes[0].concepts)
    {'green': False, 'red': True}
    """
    if not isinstance(rule, Rule):
        raise InputError(f"A counterfactual is about a Rule. Got {shown(rule)}.")
    grouped = _checked_groups(groups)
    if rule.vocabulary is not None and grouped:
        raise InputError("groups= is for concepts without a vocabulary, which knows them. Leave it out.")
    units, row = _plain_units(rule, x, grouped) if rule.vocabulary is None else _vocabulary_units(rule, x)
    values = np.array([[row[name] for name in rule.concepts]], dtype=np.bool_)
    truth = bool(rule.formula.evaluate(values, rule.concepts)[0])
    wanted = to_dnf(Not(rule.formula) if truth else rule.formula)
    ways = [way for term in _terms(wanted) if (way := _way(term, units, row)) is not None]
    if not ways:
        return Counterfactual(rule, truth, None)
    best = min(ways, key=lambda way: (len(way), sum(len(turned) for _, _, turned in way)))
    return Counterfactual(rule, truth, tuple(_change(rule, *step, row) for step in best))


@dataclass(frozen=True, eq=False)
class _Unit:
    """Concepts that are changed together, with the states they can be in; preferred ones first."""

    what: str
    names: tuple[str, ...]
    states: BoolArray


_Term = dict[str, bool]
_Step = tuple[_Unit, _Term, _Term]  # what changes, what the term asks of it, what turns


def _way(term: _Term, units: Sequence[_Unit], row: Mapping[str, bool]) -> list[_Step] | None:
    """The changes that make a term true; None when no value of some column does."""
    steps: list[_Step] = []
    for unit in units:
        asked = {name: term[name] for name in unit.names if name in term}
        if all(row[name] == value for name, value in asked.items()):
            continue
        at = [unit.names.index(name) for name in asked]
        fits = (unit.states[:, at] == np.array(list(asked.values()))).all(axis=1)
        if not fits.any():
            return None
        now = np.array([row[name] for name in unit.names])
        states = unit.states[fits]
        nearest = states[(states != now).sum(axis=1).argmin()]
        turned = {n: bool(v) for n, v, old in zip(unit.names, nearest, now, strict=True) if v != old}
        steps.append((unit, asked, turned))
    return steps


def _terms(dnf: Formula) -> list[_Term]:
    """The terms of a DNF, each as the values it asks for."""
    if dnf == FALSE:
        return []
    found: list[_Term] = []
    for term in dnf.args if isinstance(dnf, Or) else (dnf,):
        literals = term.args if isinstance(term, And) else () if term == TRUE else (term,)
        found.append({literal.concepts[0]: isinstance(literal, Var) for literal in literals})
    return found


def _vocabulary_units(rule: Rule, x: Any) -> tuple[list[_Unit], dict[str, bool]]:
    words = rule.vocabulary
    assert words is not None
    columns = words.used_columns(rule.concepts)
    names = [name for name in words.names if words[name].column in columns]
    row = _one_row(words.read(x, names), names)
    units = []
    for group in words.groups(names):
        order = np.argsort(~group.given, kind="stable")  # a value that is there, before none
        units.append(_Unit(group.column, group.names, group.states[order]))
    return units, row


def _checked_groups(groups: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise InputError(f"groups must be a sequence of groups. Got {shown(groups)}; write [['a', 'b']].")
    grouped = [check_names(group) for group in groups]
    check_names([name for group in grouped for name in group])  # a concept cannot be in two
    return grouped


def _plain_units(
    rule: Rule, x: Any, groups: Sequence[tuple[str, ...]]
) -> tuple[list[_Unit], dict[str, bool]]:
    members = {name for group in groups for name in group}
    used = [group for group in groups if members.intersection(group, rule.concepts)]
    single = [name for name in rule.concepts if name not in members]
    names = [*single, *(name for group in used for name in group)]
    named = isinstance(x, Mapping) or Table(x).named
    row = _one_row(ConceptData(x) if named else ConceptData(x, sorted(names)), names)
    units = [_Unit(name, (name,), np.array([[False], [True]])) for name in single]
    units += [_Unit(" / ".join(group), group, np.eye(len(group), dtype=np.bool_)) for group in used]
    return units, row


def _one_row(data: ConceptData, names: Sequence[str]) -> dict[str, bool]:
    if data.n_rows != 1:
        raise InputError(f"A counterfactual is about one row. Got {count(data.n_rows, 'row')}.")
    return {name: bool(data.column(name)[0]) for name in names}


def _change(rule: Rule, unit: _Unit, asked: _Term, turned: _Term, row: Mapping[str, bool]) -> Change:
    violated = {name: value for name, value in asked.items() if row[name] != value}
    before = _said(rule, {name: not value for name, value in violated.items()}, were=False)
    return Change(unit.what, before, _said(rule, _telling(unit, asked), were=True), turned)


def _telling(unit: _Unit, asked: _Term) -> _Term:
    """What is asked of a unit, without what follows from the rest of it."""
    kept = dict(asked)
    for name in asked:
        rest = {other: value for other, value in kept.items() if other != name}
        at = [unit.names.index(other) for other in rest]
        left = unit.states[(unit.states[:, at] == np.array(list(rest.values()))).all(axis=1)]
        if rest and (left[:, unit.names.index(name)] == asked[name]).all():
            kept = rest
    return kept


def _joined(conditions: list[Condition]) -> list[Condition]:
    """Conditions of one column, those that deny values as one."""
    denied = [condition for condition in conditions if condition.relation is Relation.IS_NOT]
    if len(denied) < 2:
        return conditions
    values = tuple(value for condition in denied for value in condition.values)
    rest = [condition for condition in conditions if condition.relation is not Relation.IS_NOT]
    return [replace(denied[0], values=values, or_missing=all(each.or_missing for each in denied)), *rest]


def _said(rule: Rule, values: _Term, *, were: bool) -> str:
    """Values of some concepts in plain English."""
    if rule.vocabulary is not None:
        conditions = [rule.vocabulary.condition(name, value) for name, value in values.items()]
        others = [condition for condition in conditions if condition.relation is not Relation.PRESENT]
        if others and (were or len(others) < len(conditions)):  # what a value would have to be, not a gap
            conditions = [replace(condition, or_missing=False) for condition in others]
        return " and ".join(in_english(condition, were=were) for condition in _joined(conditions))
    if were:
        return " and ".join(
            f"{to_sentence(Var(n))} were {'true' if v else 'false'}" for n, v in values.items()
        )
    return " and ".join(to_sentence(Var(n) if v else ~Var(n)) for n, v in values.items())
