"""What would have to be different: the fewest changes of a row that turn a rule, or a prediction.

**A rule.** A formula is true where one of the terms of its DNF is, and false where one of the terms of its
negation is. So the nearest row on the other side is the nearest row that satisfies one of those terms; for
each term that is a matter of its own literals, column by column. Nothing is searched, and nothing nearer is
missed.

**A prediction.** A list predicts a label where its step is true and no earlier one is; the default also where
no step is true. So there is something that must be true (a term of the step) and much that must not be (terms
of earlier steps). The search takes the neighbors of the row in the order of their distance. Each is stated by
what it requires of the columns; a term that could be true under that is taken up next, one branch for each of
its literals that can be denied. The distance never falls along a branch, so the first neighbor under which
nothing is left open is a nearest one, and what it requires is enough, whatever the other values are.

Concepts that hang together are changed together: all concepts of a column of the raw table, or of a group of
which one is true. Such a change counts once, or its price, however many concepts it turns.

**Limits.** Of each column it is known which of its states some allowed value gives. A row with a change to
another state breaks a limit, and comes after all that break fewer. So the first neighbor that would do is a
nearest one within the limits or, where there is none, shows which limits forbid it.

**Other ways.** The search goes on, without the neighbors that change all columns of an earlier answer: each
way leaves something alone that an earlier one changes.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import islice
from math import floor, fsum
from typing import Any, TypeAlias

import numpy as np

from logiclens.concepts.concept import Concept, Condition, Flag, Relation, Value
from logiclens.concepts.table import Column, Kind, Table
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, LimitError, count, shown
from logiclens.explain.limits import NO_LIMITS, Limits, as_numbers
from logiclens.explain.resolution import resolve, truth_of, used_concepts
from logiclens.explain.rule import (
    Label,
    Rule,
    formula_sentence,
    html_box,
    html_part,
    html_table,
    target_in_sentence,
)
from logiclens.logic.arrays import BoolArray, IndexArray
from logiclens.logic.data import ConceptData, check_count, check_names
from logiclens.logic.export import to_sentence
from logiclens.logic.formula import FALSE, TRUE, Formula, Not, Var
from logiclens.logic.normal_form import conjuncts, disjuncts, to_dnf

Term = dict[str, bool]
"""The values that a term requires, by concept."""


@dataclass(frozen=True)
class Change:
    """One change of a row.

    Attributes
    ----------
    what : str
        The column of the raw table, the concept, or the group of concepts.
    before : str
        Its state now, in plain English.
    after : str
        What the formula requires of it, not more.
    concepts : mapping of str to bool
        The concepts that turn, with their values afterwards.
    value : str, int, float, bool or None
        A value of the column that would do, within the limits and near to the present one; a day as
        YYYY-MM-DD. None is a missing value. Concepts without a column have none.
    """

    what: str
    before: str
    after: str
    concepts: Mapping[str, bool] = field(hash=False)
    value: Value | None = field(default=None, compare=False)


def _term_values(dnf: Formula) -> list[Term]:
    """The terms of a DNF, each as the values it requires."""
    if dnf == FALSE:
        return []
    return [
        {literal.concepts[0]: isinstance(literal, Var) for literal in conjuncts(term) if literal != TRUE}
        for term in disjuncts(dnf)
    ]


@dataclass(frozen=True, eq=False)
class _Unit:
    """What changes together: the concepts of a column, of a group of which one is true, or a single one.

    Attributes
    ----------
    what : str
    names : tuple of str, length k
        The concepts.
    states : ndarray of bool, shape (n_states, k)
        Every combination of their truth that there can be; those that a value gives come first.
    limits : mapping of str to ndarray of bool, shape (n_states,)
        What each limit says, and the states that it allows.
    broken : ndarray of int, shape (n_states,)
        How many limits the values that give a state break at least.
    price : float
    values : sequence of values, length n_states
        A value that gives each state; empty where there is no column.
    """

    what: str
    names: tuple[str, ...]
    states: BoolArray
    limits: Mapping[str, BoolArray]
    broken: IndexArray
    price: float
    values: Sequence[Value | None]

    def fitting(self, required: Term) -> IndexArray:
        """The states in which concepts have the required values."""
        at = [self.names.index(name) for name in required]
        wanted = np.array(list(required.values()), dtype=np.bool_)
        return np.flatnonzero((self.states[:, at] == wanted).all(axis=1))

    def forbidding(self, state: int) -> list[str]:
        """The limits that forbid a state: all of them where each by itself would allow it."""
        if not self.broken[state]:
            return []
        return [said for said, allowed in self.limits.items() if not allowed[state]] or [*self.limits]


@dataclass(frozen=True, eq=False)
class _Asked:
    """What a search is about: the units, the truth of their concepts on the row, columns without a value."""

    units: Sequence[_Unit]
    row: Term
    gaps: Collection[str] = ()


def _asked(
    concepts: Iterable[str],
    words: Vocabulary | None,
    groups: Iterable[Sequence[str]],
    limits: Limits,
    x: Any,
    read: Callable[[list[str]], ConceptData],
    known: Iterable[str],
) -> _Asked:
    """Columns of a vocabulary, groups of which one is true and single concepts, on the only row there is.

    ``known`` are names that limits may have where there is no vocabulary.
    """
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise InputError(f"groups must be a sequence of groups. Got {shown(groups)}; write [['a', 'b']].")
    if not isinstance(limits, Limits):
        raise InputError(f"limits must be Limits. Got {shown(limits)}; write Limits(fixed=['sex']).")
    grouped = [check_names(group) for group in groups]
    members = check_names([name for group in grouped for name in group])  # a concept cannot be in two
    wanted = tuple(concepts)
    if words is None:
        limits.check(None, tuple(dict.fromkeys((*wanted, *members, *known))))
        together = [(name,) for name in wanted if name not in members]
        used = [group for group in grouped if not set(group).isdisjoint(wanted)]
        row = _read_row([name for names in (*together, *used) for name in names], read)
        switch = np.array([[False], [True]])
        return _Asked(
            [_unit_of_concepts(names, switch, limits, row) for names in together]
            + [_unit_of_concepts(names, np.eye(len(names), dtype=np.bool_), limits, row) for names in used],
            row,
        )
    if grouped:
        raise InputError("groups= is for concepts without a vocabulary, which knows them. Leave it out.")
    limits.check(words, words.inputs)
    inputs = words.used_inputs(wanted)
    names = [name for name in words.names if words[name].column in inputs]
    row = _read_row(names, read)
    cells = words.raw_columns(x, names)
    units = []
    for column in words.used_columns(names):
        mine = tuple(name for name in names if words.source(words[name].column) == column)
        units.append(_unit_of_column(column, mine, words, limits, row, cells.get(column)))
    return _Asked(units, row, [column for column, cell in cells.items() if cell.missing.any()])


def _unit_of_concepts(names: tuple[str, ...], states: BoolArray, limits: Limits, row: Term) -> _Unit:
    """A concept by itself, or a group of which one is true; each concept is a column of 0 and 1."""
    known = np.zeros(len(states), dtype=np.bool_)
    now = (states == np.array([row[name] for name in names])).all(axis=1)
    obeyed = [
        pair
        for at, name in enumerate(names)
        for pair in limits.obeyed(name, Column(name, Kind.BOOLEAN, known, states[:, at]), now)
    ]
    broken = _n_broken(obeyed, len(states))
    return _Unit(" / ".join(names), names, states, dict(obeyed), broken, limits.price(names), ())


def _unit_of_column(
    column: str, names: tuple[str, ...], words: Vocabulary, limits: Limits, row: Term, cell: Column | None
) -> _Unit:
    """The concepts of a column, or of the parts of a date; ``cell`` is what the row has there, if known."""
    concepts = [words[name] for name in names]
    inputs = [name for name in words.inputs if words.source(name) == column]
    known = dict(words.values).get(column, ())
    present = np.nan if cell is None else as_numbers(cell)[0]
    more: dict[str, list[Value]] = {name: [*limits.values(name)] for name in inputs}
    if cell is not None and not cell.missing[0]:
        more[column] += _present(cell, present, concepts)
    more[column] += known
    probe, truth = words.probe(column, names, more)
    probe = probe.without(words.gaps.get(column, ()))
    numbers = as_numbers(probe)
    now = (truth == np.array([row[name] for name in names])).all(axis=1)
    if not np.isnan(present) and (numbers == present).any():
        now = numbers == present
    elif cell is not None and cell.missing[0]:
        now &= probe.missing
    elif cell is not None and cell.kind is Kind.TEXT:
        now = probe.is_in(cell.levels)
    cells = {name: words.cells(name, lambda _: probe) for name in inputs if name in limits.columns}
    cells |= {column: probe}  # of a date the days, not whether there is one
    obeyed = [pair for name, values in cells.items() for pair in limits.obeyed(name, values, now)]
    broken = _n_broken(obeyed, len(truth))
    strange = np.array([bool(known) and value not in known for value in probe.values()])
    odd = (present % 1 == 0) & (numbers % 1 != 0)
    away = np.nan_to_num(np.abs(numbers - present))
    near = np.lexsort((away, odd, strange, probe.missing, broken))
    states, first, place = np.unique(truth[near], axis=0, return_index=True, return_inverse=True)
    of_state = np.empty(len(truth), dtype=np.intp)
    of_state[near] = place.reshape(-1)
    by = np.argsort(~np.isin(np.arange(len(states)), of_state[~probe.missing]), kind="stable")
    best = near[first][by]  # a value before none
    allowed = {said: np.isin(np.arange(len(states)), of_state[obeys])[by] for said, obeys in obeyed}
    values = [_as_written(value, concepts) for value in probe.values()[best]]
    return _Unit(column, names, states[by], allowed, broken[best], limits.price(inputs), values)


def _n_broken(obeyed: Iterable[tuple[str, BoolArray]], n: int) -> IndexArray:
    """How many limits each of some values breaks."""
    broken = np.zeros(n, dtype=np.intp)
    for _, obeys in obeyed:
        broken += ~obeys
    return broken


def _present(cell: Column, number: float, concepts: Iterable[Concept]) -> list[Value]:
    """The value that a row has; with a whole one, cut points that are to be whole, too."""
    if cell.kind is Kind.DATE:
        return [str(cell.raw[0])]
    if np.isnan(number):
        return [str(cell.raw[0])]
    if number % 1:
        return [float(number)]
    cuts = [value for concept in concepts for value in concept.condition().values]
    return [int(number), *(floor(cut) for cut in cuts if not isinstance(cut, str) and abs(cut) < _WHOLE)]


_WHOLE = 2.0**53  # floats below it have a next whole number


def _as_written(value: Any, concepts: Iterable[Concept]) -> Value | None:
    """A value as the column has it."""
    if isinstance(value, datetime.date):
        return value.isoformat()
    flags = [concept for concept in concepts if isinstance(concept, Flag)]
    if flags and value is not None:
        return int(value) if flags[0].numeric else bool(value)
    return int(value) if isinstance(value, float) and value % 1 == 0 else value


def _read_row(names: list[str], read: Callable[[list[str]], ConceptData]) -> Term:
    """Truth of concepts on the only row there is."""
    data = read(names)
    if data.n_rows != 1:
        raise InputError(f"A counterfactual is about one row. Got {count(data.n_rows, 'row')}.")
    return {name: bool(data.column(name)[0]) for name in names}


def _changes(steps: Iterable[_Step], asked: _Asked, words: Vocabulary | None) -> tuple[Change, ...]:
    """Changes in words: the values required of each unit, and those that turned."""
    return tuple(_change_of(step, asked.row, words, gap=step.unit.what in asked.gaps) for step in steps)


def _change_of(step: _Step, row: Term, words: Vocabulary | None, *, gap: bool) -> Change:
    unit, required = step.unit, step.required
    violated = {name: not value for name, value in required.items() if row[name] != value}
    before = _now_in_words(words, violated, gap=gap)
    after = _in_words(words, _without_implied(required, unit), were=True)
    return Change(unit.what, before, after, step.turned, unit.values[step.state] if unit.values else None)


def _without_implied(required: Term, unit: _Unit) -> Term:
    """The required values of a unit, without those that follow from the others."""
    kept = dict(required)
    for name in required:
        rest = {other: value for other, value in kept.items() if other != name}
        states = unit.states[unit.fitting(rest)]
        if rest and (states[:, unit.names.index(name)] == required[name]).all():
            kept = rest
    return kept


def term_in_words(term: Formula, words: Vocabulary | None, gaps: Collection[str] = ()) -> str:
    """A conjunction of literals in plain English; conditions on one column stand together.

    It may be said of one row, of which it is true, and which lacks the values of the columns ``gaps``.

    Examples
    --------
    >>> from logiclens.concepts import Above, Flag
    >>> words = Vocabulary(("age", "ill"), (Above("age", 30), Above("age", 62), Flag("ill")))
    >>> term_in_words(~Var("age > 62") & Var("ill") & Var("age > 30"), words)
    'age is above 30 and at most 62 and ill'
    """
    if words is None or not term.concepts:
        return formula_sentence(term, None)
    (values,) = _term_values(term)
    columns = dict.fromkeys(words[name].column for name in values)
    by_column = [{n: v for n, v in values.items() if words[n].column == column} for column in columns]
    return " and ".join(
        _now_in_words(words, mine, gap=column in gaps)
        for column, mine in zip(columns, by_column, strict=True)
    )


def _now_in_words(words: Vocabulary | None, values: Term, *, gap: bool) -> str:
    """Values of some concepts of a row as it is; of one column whose value is missing, what that means."""
    if words is not None and gap:
        return words.gap_in_english(values)
    return _in_words(words, values, were=False)


def _join_conditions(conditions: list[Condition]) -> list[Condition]:
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


def _in_words(words: Vocabulary | None, values: Term, *, were: bool) -> str:
    """Values of some concepts in plain English."""
    if words is not None:
        conditions = list(words.conditions(values))
        if were:  # what a value would have to be, not a gap
            conditions = [replace(condition, or_missing=False) for condition in conditions]
        return " and ".join(words.in_english(condition, were) for condition in _join_conditions(conditions))
    if were:
        return " and ".join(
            f"{to_sentence(Var(n))} were {'true' if v else 'false'}" for n, v in values.items()
        )
    return " and ".join(to_sentence(Var(n) if v else ~Var(n)) for n, v in values.items())


class _Turn:
    """What both counterfactuals have: changes, or none where nothing would do."""

    changes: tuple[Change, ...] | None
    alternatives: tuple[_Turn, ...]

    @property
    def found(self) -> bool:
        """Whether there are such changes."""
        return self.changes is not None

    @property
    def concepts(self) -> dict[str, bool]:
        """All concepts that turn, with their values afterwards."""
        return {name: value for change in self.changes or () for name, value in change.concepts.items()}

    def to_sentence(self) -> str:
        """Plain English, on one line."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.to_sentence()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [[html_part("span", text) for text in (c.what, c.before, c.after)] for c in self.changes or ()]
        table = [html_table(("what", "as it is", "it would change if"), rows)] if rows else []
        others = [html_part("div", other.to_sentence()) for other in self.alternatives]
        return html_box(html_part("div", self.to_sentence()), *table, *others)


@dataclass(frozen=True, repr=False)
class Counterfactual(_Turn):
    """The fewest changes of a row that turn a rule's formula.

    Attributes
    ----------
    rule : Rule
    truth : bool
        Truth of the formula on the row as it is.
    changes : tuple of Change, or None
        What to change so that the formula is true where it was false, or false where it was true. None where
        nothing would: a formula that is always true, or always false, or limits forbid it.
    forbidden : tuple of str
        The limits that do: those that the nearest change breaks, of all that break the fewest.
    beyond : tuple of Change
        That change.
    alternatives : tuple of Counterfactual
        Other ways, nearest first; each leaves something alone that an earlier one changes.

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
    forbidden: tuple[str, ...] = ()
    beyond: tuple[Change, ...] = ()
    alternatives: tuple[Counterfactual, ...] = ()

    def to_sentence(self) -> str:
        """Plain English, on one line."""
        if self.forbidden:
            return _within(self.forbidden, self._if(self.beyond) if self.beyond else "")
        if self.changes is None:
            return f"Nothing would change it: the formula is always {'true' if self.truth else 'false'}."
        return self._if(self.changes)

    def _if(self, changes: Iterable[Change]) -> str:
        turned = "no longer hold" if self.truth else "hold"
        said = " and ".join(change.after for change in changes)
        return f"The rule of {target_in_sentence(self.rule)} would {turned} if {said}."


def _within(forbidden: Iterable[str], beyond: str) -> str:
    """That limits forbid every change, and what would do without them, if that is known."""
    text = f"No change within the limits would do: {'; '.join(forbidden)}."
    return f"{text} But for that: {beyond}" if beyond else text


def counterfactual(
    rule: Rule, x: Any, *, groups: Iterable[Sequence[str]] = (), limits: Limits = NO_LIMITS, n: int = 1
) -> Counterfactual:
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
    limits : Limits, optional
        What may be changed, and at what price.
    n : int, default 1
        How many ways to look for, in all; the others are :attr:`Counterfactual.alternatives`.

    Returns
    -------
    Counterfactual
        Of all ways with the least cost, one with the fewest changes that turns the fewest concepts; of those,
        the first in the order of the terms.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> rule = Rule("stop", ~Var("green"), "iff")
    >>> print(counterfactual(rule, {"green": [1], "red": [0]}, groups=[["green", "red"]]).changes[0].concepts)
    {'green': False, 'red': True}
    """
    if not isinstance(rule, Rule):
        raise InputError(f"A counterfactual is about a Rule. Got {shown(rule)}.")
    check_count(n, "n", least=1)
    words = rule.vocabulary
    named = isinstance(x, Mapping) or Table(x).named
    known = Table(x).names if named else ()
    read = (lambda names: _read(x, names)) if words is None else (lambda names: words.read(x, names))
    asked = _asked(rule.concepts, words, groups, limits, x, read, known)
    values = np.array([[asked.row[name] for name in rule.concepts]], dtype=np.bool_)
    truth = bool(rule.formula.evaluate(values, rule.concepts)[0])
    wanted = to_dnf(Not(rule.formula) if truth else rule.formula)
    terms = ({name: term[name] for name in asked.row if name in term} for term in _term_values(wanted))
    ways = islice(_nearest([_WantedAnswer(rule.target, term, []) for term in terms], asked), n)
    found = [
        Counterfactual(rule, truth, None, way.forbidden, changes)
        if way.forbidden
        else Counterfactual(rule, truth, changes)
        for way in ways
        for changes in [_changes(way.steps, asked, words)]
    ]
    return replace(found[0], alternatives=tuple(found[1:])) if found else Counterfactual(rule, truth, None)


def _read(x: Any, names: Sequence[str]) -> ConceptData:
    named = isinstance(x, Mapping) or Table(x).named
    return ConceptData(x) if named else ConceptData(x, sorted(names))


MAX_STEPS = 20_000
"""Neighbours that are looked at before the search is given up."""

Predicted: TypeAlias = Label | tuple[Label, ...]
"""A label; in a multi-label set all labels whose rules are true."""


@dataclass(frozen=True, repr=False)
class PredictionCounterfactual(_Turn):
    """The fewest changes of a row that turn what a set of rules predicts.

    Attributes
    ----------
    before : label, or tuple of labels in a multi-label set
        The prediction for the row as it is.
    after : label, tuple of labels, or None
        The prediction after the changes; None where there are none.
    target : label, or None
        The label that was wanted, or that was found: the one predicted afterwards; in a multi-label set
        the one that joins or leaves the prediction.
    changes : tuple of Change, or None
        What to change; empty where the target is predicted already. None where nothing would do.
    sentence : str
        All of this in plain English.
    forbidden : tuple of str
        Where limits forbid every change: those that the nearest change breaks, of all that break the fewest.
    beyond : tuple of Change
        That change.
    alternatives : tuple of PredictionCounterfactual
        Other ways, nearest first; each leaves something alone that an earlier one changes.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet(
    ...     [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))],
    ...     concept_names=["wings", "fins"],
    ...     default="fish",
    ... )
    >>> found = rules.counterfactual([[1, 1]], target="fish")
    >>> print(found)
    The prediction would be fish if wings were false.
    >>> found.before, found.after, found.concepts
    ('bird', 'fish', {'wings': False})
    """

    before: Predicted
    after: Predicted | None
    target: Label | None
    changes: tuple[Change, ...] | None
    sentence: str
    forbidden: tuple[str, ...] = ()
    beyond: tuple[Change, ...] = ()
    alternatives: tuple[PredictionCounterfactual, ...] = ()

    def to_sentence(self) -> str:
        """Plain English, on one line."""
        return self.sentence


@dataclass(frozen=True, eq=False)
class Decision:
    """What decides about a row: conditions in order, then the default; without it each label by itself."""

    rules: Mapping[Label, Rule]
    conditions: Mapping[Label, Formula]
    default: Label | None
    vocabulary: Vocabulary | None

    @property
    def concepts(self) -> list[str]:
        """Names of the concepts that predictions depend on."""
        return used_concepts(self.conditions.values())

    def predicted(self, row: Term) -> Predicted:
        """The prediction for a row of concepts."""
        names = self.concepts
        values = ConceptData(np.array([[row[name] for name in names]], dtype=np.bool_), names)
        true, labels = truth_of(self.conditions.values(), values), [*self.conditions]
        if self.default is None:
            return tuple(label for label, holds in zip(labels, true[0], strict=True) if holds)
        return [*labels, self.default][int(resolve(true)[0])]

    def goals(self, before: Predicted, wanted: Label | None) -> Iterator[_WantedAnswer]:
        """The ways to the wanted label, or to any that changes the prediction."""
        terms_of = {label: _term_values(to_dnf(formula)) for label, formula in self.conditions.items()}
        for label in self.rules if wanted is None else [wanted]:
            avoided: list[Term] = []
            if isinstance(before, tuple):
                if label in before:
                    yield _WantedAnswer(label, {}, terms_of[label])
                else:
                    yield from (_WantedAnswer(label, term, []) for term in terms_of[label])
            elif label != before:
                for other, terms in terms_of.items():  # of a list: no earlier step is true
                    if other == label:
                        yield from (_WantedAnswer(label, term, list(avoided)) for term in terms)
                    avoided += terms
                if label == self.default:
                    yield _WantedAnswer(label, {}, avoided)

    def named(self, label: Label) -> str:
        """A label in a sentence."""
        return target_in_sentence(self.rules[label])

    def sentence(self, before: Predicted, label: Label, changes: Sequence[Change]) -> str:
        """What the changes would bring, in plain English."""
        if isinstance(before, tuple):
            turned = "no longer be" if label in before else "be"
            text = f"{self.named(label)} would {turned} predicted"
        else:
            text = f"The prediction would be {self.named(label)}"
        return f"{text} if {' and '.join(change.after for change in changes)}."

    def impossible(self, before: Predicted, wanted: Label | None) -> str:
        """Why there is no way, in plain English."""
        if isinstance(before, tuple):
            return "Nothing would change it: the rules predict the same labels for every row."
        if wanted is None:
            return f"Nothing would change it: the rules predict {self.named(before)} for every row."
        return f"No change would make it {self.named(wanted)}: the rules never predict that."


def prediction_counterfactual(
    decision: Decision,
    target: Label | None,
    x: Any,
    read: Callable[[list[str]], ConceptData],
    *,
    groups: Iterable[Sequence[str]] = (),
    limits: Limits = NO_LIMITS,
    n: int = 1,
    known: Iterable[str] = (),
) -> PredictionCounterfactual:
    """Find the fewest changes of one row that turn a decision.

    ``read`` reads the concepts of the row; ``known`` are the concepts there are.
    """
    check_count(n, "n", least=1)
    words = decision.vocabulary
    asked = _asked(decision.concepts, words, groups, limits, x, read, known)
    before = decision.predicted(asked.row)
    if target is not None and target == before:
        sentence = f"The prediction is {decision.named(target)} already."
        return PredictionCounterfactual(before, before, target, (), sentence)
    found = []
    for way in islice(_nearest(decision.goals(before, target), asked), n):
        changes = _changes(way.steps, asked, words)
        sentence = decision.sentence(before, way.label, changes) if changes else ""
        if way.forbidden:
            sentence = _within(way.forbidden, sentence)
            found.append(
                PredictionCounterfactual(before, None, target, None, sentence, way.forbidden, changes)
            )
        else:
            turned = {name: value for step in way.steps for name, value in step.turned.items()}
            after = decision.predicted(asked.row | turned)
            found.append(PredictionCounterfactual(before, after, way.label, changes, sentence))
    if not found:
        return PredictionCounterfactual(before, None, target, None, decision.impossible(before, target))
    return replace(found[0], alternatives=tuple(found[1:]))


@dataclass(frozen=True, eq=False)
class _Step:
    """A unit that changes, the values required of it, and the nearest state that has them."""

    unit: _Unit
    required: Term
    turned: Term
    state: int


@dataclass(frozen=True)
class _WantedAnswer:
    """A way to predict a label: what must be true, and terms that must not be."""

    label: Label
    must: Term
    avoided: list[Term]


@dataclass(frozen=True, eq=False)
class _Way:
    """A label, the changes that lead to it, and the limits that they break."""

    label: Label
    steps: Sequence[_Step]
    forbidden: tuple[str, ...]


def _nearest(goals: Iterable[_WantedAnswer], asked: _Asked) -> Iterator[_Way]:
    """The nearest row that reaches a goal, then others that leave something alone that each earlier changes.

    Where limits forbid all, one way that breaks the fewest.
    """
    waiting: list[tuple[int, float, int, int, int, int, Term, list[_Step]]] = []
    reached, number = list(goals), itertools.count()
    seen: set[tuple[int, frozenset[tuple[str, bool]]]] = set()
    unit_of = {name: unit for unit in asked.units for name in unit.names}

    def add(at: int, required: Term) -> None:
        key = (at, frozenset(required.items()))
        if key in seen:
            return
        seen.add(key)
        steps = []
        for unit, mine in _by_unit(required, unit_of):
            if any(asked.row[name] != value for name, value in mine.items()):
                step = _nearest_step(mine, unit, asked.row)
                if step is None:
                    return
                steps.append(step)
        broken = sum(int(step.unit.broken[step.state]) for step in steps)
        cost = round(fsum(step.unit.price for step in steps), 9)
        n_turned = sum(len(step.turned) for step in steps)
        heappush(waiting, (broken, cost, len(steps), n_turned, at, next(number), required, steps))

    for at, goal in enumerate(reached):
        add(at, goal.must)
    found: list[set[str]] = []
    looked_at = 0
    while waiting:
        broken, *_, at, _, required, steps = heappop(waiting)
        if broken and found:
            return
        looked_at += 1
        if looked_at > MAX_STEPS:
            if broken:
                said = {said: None for unit in asked.units for said in unit.limits}
                yield _Way(reached[at].label, (), tuple(said))
            if broken or found:
                return
            raise LimitError(
                f"No nearest change was found among the first {MAX_STEPS} neighbors of the row. "
                "Ask for a single rule instead: rules[label].counterfactual(x)."
            )
        changed = {step.unit.what for step in steps}
        if any(earlier <= changed for earlier in found):
            continue
        possible = {step.unit.names: _possible_states(step) for step in steps}
        terms = reached[at].avoided
        undecided = next((t for t in terms if not _is_denied(t, unit_of, asked.row, possible)), None)
        if undecided is None:
            forbidden = (said for step in steps for said in step.unit.forbidding(step.state))
            yield _Way(reached[at].label, steps, tuple(forbidden))
            found.append(changed)
            looked_at = 0
            continue
        for name, value in undecided.items():
            if name not in required:
                add(at, required | {name: not value})


def _nearest_step(required: Term, unit: _Unit, row: Term) -> _Step | None:
    """The change to the nearest state that fits, of those that break the fewest limits; None without one."""
    fitting = unit.fitting(required)
    if not len(fitting):
        return None
    now = np.array([row[name] for name in unit.names])
    differs = unit.states[fitting] != now
    best = int(np.lexsort((differs.sum(axis=1), unit.broken[fitting]))[0])
    turned = {unit.names[at]: not row[unit.names[at]] for at in np.flatnonzero(differs[best])}
    return _Step(unit, required, turned, int(fitting[best]))


def _possible_states(step: _Step) -> BoolArray:
    """The states that a change may lead to: those that fit, within the limits if the nearest is."""
    fitting = step.unit.fitting(step.required)
    if not step.unit.broken[step.state]:
        fitting = fitting[step.unit.broken[fitting] == 0]
    return np.asarray(step.unit.states[fitting])


def _is_denied(
    term: Term, unit_of: dict[str, _Unit], row: Term, changed: dict[tuple[str, ...], BoolArray]
) -> bool:
    """Whether a term is false: by a column that stays, or in every state that a changed one may take."""
    for unit, mine in _by_unit(term, unit_of):
        now = np.array([[row[name] for name in unit.names]])
        states = changed.get(unit.names, now)
        at = [unit.names.index(name) for name in mine]
        if not (states[:, at] == np.array(list(mine.values()))).all(axis=1).any():
            return True
    return False


def _by_unit(term: Term, unit_of: dict[str, _Unit]) -> list[tuple[_Unit, Term]]:
    """The values that a term requires of each unit, in the order of the term."""
    found: dict[tuple[str, ...], Term] = {}
    for name, value in term.items():
        found.setdefault(unit_of[name].names, {})[name] = value
    return [(unit_of[names[0]], mine) for names, mine in found.items()]
