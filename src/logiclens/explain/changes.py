"""Changes of one row: which concepts hang together, which states they can be in, how a change is told.

Concepts that hang together are changed together: all concepts of a column of the raw table, or of a group of
which one is true. Such a change counts once, however many concepts it turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from logiclens.concepts.concept import Condition, Relation
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.concepts.wording import in_english
from logiclens.errors import InputError, count, shown
from logiclens.explain.rule import Rule, RuleKind, label_in_sentence
from logiclens.logic.arrays import BoolArray
from logiclens.logic.data import ConceptData, check_names
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import FALSE, TRUE, And, Formula, Or, Var

Term = dict[str, bool]
"""The values that a term asks for."""


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


@dataclass(frozen=True, eq=False)
class Unit:
    """Concepts that are changed together, with the states they can be in; preferred ones first.

    Attributes
    ----------
    what : str
    names : tuple of str, length k
    states : ndarray of bool, shape (n_states, k)
    """

    what: str
    names: tuple[str, ...]
    states: BoolArray

    def fitting(self, asked: Term) -> BoolArray:
        """The states in which concepts have the values asked for, shape (n, k)."""
        at = [self.names.index(name) for name in asked]
        fits = (self.states[:, at] == np.array(list(asked.values()), dtype=np.bool_)).all(axis=1)
        return np.asarray(self.states[fits])

    def nearest(self, asked: Term, row: Mapping[str, bool]) -> Term | None:
        """The concepts that turn on the way to the nearest state with the values asked for; None without one.

        Where the row has those values nothing turns.
        """
        if all(row[name] == value for name, value in asked.items()):
            return {}
        states = self.fitting(asked)
        if not len(states):
            return None
        now = np.array([row[name] for name in self.names])
        best = states[(states != now).sum(axis=1).argmin()]
        return {name: bool(v) for name, v, old in zip(self.names, best, now, strict=True) if v != old}

    def telling(self, asked: Term) -> Term:
        """What is asked, without what follows from the rest of it."""
        kept = dict(asked)
        for name in asked:
            rest = {other: value for other, value in kept.items() if other != name}
            left = self.fitting(rest)
            if rest and (left[:, self.names.index(name)] == asked[name]).all():
                kept = rest
        return kept


def terms_asked(dnf: Formula) -> list[Term]:
    """The terms of a DNF, each as the values it asks for.

    Examples
    --------
    >>> terms_asked((Var("a") & ~Var("b")) | Var("c"))
    [{'a': True, 'b': False}, {'c': True}]
    """
    if dnf == FALSE:
        return []
    found: list[Term] = []
    for term in dnf.args if isinstance(dnf, Or) else (dnf,):
        literals = term.args if isinstance(term, And) else () if term == TRUE else (term,)
        found.append({literal.concepts[0]: isinstance(literal, Var) for literal in literals})
    return found


def column_units(words: Vocabulary, concepts: Iterable[str], x: Any) -> tuple[list[Unit], Term]:
    """The columns that some concepts are about, and the truth of all concepts of those columns on one row."""
    columns = words.used_columns(concepts)
    names = [name for name in words.names if words[name].column in columns]
    row = one_row(words.read(x, names), names)
    units = []
    for group in words.groups(names):
        order = np.argsort(~group.given, kind="stable")  # a value that is there, before none
        units.append(Unit(group.column, group.names, group.states[order]))
    return units, row


def plain_units(concepts: Iterable[str], groups: Sequence[tuple[str, ...]]) -> list[Unit]:
    """Concepts that are changed one by one, and those of their groups, of which one is true."""
    members = {name for group in groups for name in group}
    wanted = tuple(concepts)
    used = [group for group in groups if members.intersection(group, wanted)]
    single = [name for name in wanted if name not in members]
    units = [Unit(name, (name,), np.array([[False], [True]])) for name in single]
    return units + [Unit(" / ".join(group), group, np.eye(len(group), dtype=np.bool_)) for group in used]


def check_groups(groups: Iterable[Sequence[str]], words: Vocabulary | None) -> list[tuple[str, ...]]:
    """Groups of concepts as tuples, once it is sure that no concept is in two."""
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise InputError(f"groups must be a sequence of groups. Got {shown(groups)}; write [['a', 'b']].")
    grouped = [check_names(group) for group in groups]
    check_names([name for group in grouped for name in group])  # a concept cannot be in two
    if words is not None and grouped:
        raise InputError("groups= is for concepts without a vocabulary, which knows them. Leave it out.")
    return grouped


def one_row(data: ConceptData, names: Iterable[str]) -> Term:
    """Truth of some concepts on the only row there is."""
    if data.n_rows != 1:
        raise InputError(f"A counterfactual is about one row. Got {count(data.n_rows, 'row')}.")
    return {name: bool(data.column(name)[0]) for name in names}


def told(words: Vocabulary | None, unit: Unit, asked: Term, turned: Term, row: Mapping[str, bool]) -> Change:
    """A change in words: what was asked of a unit, and what turned."""
    violated = {name: value for name, value in asked.items() if row[name] != value}
    before = _said(words, {name: not value for name, value in violated.items()}, were=False)
    return Change(unit.what, before, _said(words, unit.telling(asked), were=True), turned)


def term_in_words(term: Formula, words: Vocabulary | None) -> str:
    """A conjunction of literals in plain English; what is said of one column stands together.

    Examples
    --------
    >>> from logiclens.concepts import Above, Flag
    >>> words = Vocabulary(("age", "ill"), (Above("age", 30), Above("age", 62), Flag("ill")))
    >>> term_in_words(~Var("age > 62") & Var("ill") & Var("age > 30"), words)
    'age above 30 and at most 62 and ill'
    """
    if words is None or not term.concepts:
        return to_sentence(term)
    (values,) = terms_asked(term)
    columns = dict.fromkeys(words[name].column for name in values)
    by_column = [{n: v for n, v in values.items() if words[n].column == column} for column in columns]
    return " and ".join(_said(words, mine, were=False) for mine in by_column)


def target_named(rule: Rule) -> str:
    """What a rule is about, in a sentence: ``bird``, ``class 3``, ``cluster 3``."""
    plain = label_in_sentence(rule.target)
    if rule.kind is RuleKind.CLUSTER:
        return f"cluster {plain}"
    return plain if isinstance(rule.target, str) else f"class {plain}"


def _joined(conditions: list[Condition]) -> list[Condition]:
    """Conditions of one column, those that deny values as one, and two ends as an interval."""
    denied = [condition for condition in conditions if condition.relation is Relation.IS_NOT]
    if len(denied) > 1:
        values = tuple(value for condition in denied for value in condition.values)
        rest = [condition for condition in conditions if condition.relation is not Relation.IS_NOT]
        gap = all(each.or_missing for each in denied)
        conditions = [replace(denied[0], values=values, or_missing=gap), *rest]
    ends = {condition.relation: condition for condition in conditions if not condition.or_missing}
    if len(conditions) == 2 and set(ends) == {Relation.ABOVE, Relation.AT_MOST}:
        low, high = ends[Relation.ABOVE], ends[Relation.AT_MOST]
        return [replace(low, relation=Relation.BETWEEN, values=low.values + high.values)]
    return conditions


def _said(words: Vocabulary | None, values: Term, *, were: bool) -> str:
    """Values of some concepts in plain English."""
    if words is not None:
        conditions = list(words.conditions(values))
        if were:  # what a value would have to be, not a gap
            conditions = [replace(condition, or_missing=False) for condition in conditions]
        return " and ".join(in_english(condition, were=were) for condition in _joined(conditions))
    if were:
        return " and ".join(
            f"{to_sentence(Var(n))} were {'true' if v else 'false'}" for n, v in values.items()
        )
    return " and ".join(to_sentence(Var(n) if v else ~Var(n)) for n, v in values.items())
