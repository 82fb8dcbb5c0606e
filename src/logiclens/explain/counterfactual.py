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
which one is true. Such a change counts once, however many concepts it turns.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Any, TypeAlias

import numpy as np

from logiclens.concepts.concept import ConceptGroup, Condition, Relation
from logiclens.concepts.table import Table
from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, LimitError, count, shown
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
from logiclens.logic.arrays import BoolArray
from logiclens.logic.data import ConceptData, check_names
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
    """

    what: str
    before: str
    after: str
    concepts: Mapping[str, bool] = field(hash=False)


def _term_values(dnf: Formula) -> list[Term]:
    """The terms of a DNF, each as the values it requires."""
    if dnf == FALSE:
        return []
    return [
        {literal.concepts[0]: isinstance(literal, Var) for literal in conjuncts(term) if literal != TRUE}
        for term in disjuncts(dnf)
    ]


def _units_of(
    concepts: Iterable[str], words: Vocabulary | None, groups: Iterable[Sequence[str]]
) -> list[ConceptGroup]:
    """What is changed together: columns of a vocabulary, groups of which one is true, single concepts."""
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise InputError(f"groups must be a sequence of groups. Got {shown(groups)}; write [['a', 'b']].")
    grouped = [check_names(group) for group in groups]
    members = check_names([name for group in grouped for name in group])  # a concept cannot be in two
    if words is not None:
        if grouped:
            raise InputError("groups= is for concepts without a vocabulary, which knows them. Leave it out.")
        columns = words.used_inputs(concepts)
        found = words.groups([name for name in words.names if words[name].column in columns])
        orders = [np.argsort(~group.given, kind="stable") for group in found]  # a value before none
        return [
            replace(group, states=group.states[order]) for group, order in zip(found, orders, strict=True)
        ]
    wanted = tuple(concepts)
    switch = np.array([[False], [True]])
    single = [ConceptGroup(name, (name,), switch, switch[:, 0]) for name in wanted if name not in members]
    used = [group for group in grouped if not set(group).isdisjoint(wanted)]
    return single + [
        ConceptGroup(
            " / ".join(group), group, np.eye(len(group), dtype=np.bool_), np.ones(len(group), np.bool_)
        )
        for group in used
    ]


def _states_with(required: Term, unit: ConceptGroup) -> BoolArray:
    """The states in which the concepts of a unit have the required values, shape (n_states, n_names)."""
    at = [unit.names.index(name) for name in required]
    fits = (unit.states[:, at] == np.array(list(required.values()), dtype=np.bool_)).all(axis=1)
    return np.asarray(unit.states[fits])


def _nearest_state(required: Term, unit: ConceptGroup, row: Term) -> Term | None:
    """The concepts that turn on the way to the nearest state that fits, None without one."""
    if all(row[name] == value for name, value in required.items()):
        return {}
    states = _states_with(required, unit)
    if not len(states):
        return None
    now = np.array([row[name] for name in unit.names])
    best = states[(states != now).sum(axis=1).argmin()]
    return {name: bool(v) for name, v, old in zip(unit.names, best, now, strict=True) if v != old}


def _without_implied(required: Term, unit: ConceptGroup) -> Term:
    """The required values of a unit, without those that follow from the others."""
    kept = dict(required)
    for name in required:
        rest = {other: value for other, value in kept.items() if other != name}
        if rest and (_states_with(rest, unit)[:, unit.names.index(name)] == required[name]).all():
            kept = rest
    return kept


def _read_row(units: Iterable[ConceptGroup], read: Callable[[list[str]], ConceptData]) -> Term:
    """Truth of the concepts of all units on the only row there is."""
    names = [name for unit in units for name in unit.names]
    data = read(names)
    if data.n_rows != 1:
        raise InputError(f"A counterfactual is about one row. Got {count(data.n_rows, 'row')}.")
    return {name: bool(data.column(name)[0]) for name in names}


def _change_of(step: _Step, row: Term, words: Vocabulary | None, gaps: Collection[str]) -> Change:
    """A change in words: the values required of a unit, and those that turned."""
    unit, required, turned = step
    violated = {name: not value for name, value in required.items() if row[name] != value}
    needed = _without_implied(required, unit)
    before = _now_in_words(words, violated, gap=unit.column in gaps)
    return Change(unit.column, before, _in_words(words, needed, were=True), turned)


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
        return html_box(html_part("div", self.to_sentence()), *table)


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

    def to_sentence(self) -> str:
        """Plain English, on one line."""
        if self.changes is None:
            return f"Nothing would change it: the formula is always {'true' if self.truth else 'false'}."
        turned = "no longer hold" if self.truth else "hold"
        changes = " and ".join(change.after for change in self.changes)
        return f"The rule of {target_in_sentence(self.rule)} would {turned} if {changes}."


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
    >>> from logiclens.logic import Var
    >>> rule = Rule("stop", ~Var("green"), "iff")
    >>> print(counterfactual(rule, {"green": [1], "red": [0]}, groups=[["green", "red"]]).changes[0].concepts)
    {'green': False, 'red': True}
    """
    if not isinstance(rule, Rule):
        raise InputError(f"A counterfactual is about a Rule. Got {shown(rule)}.")
    words = rule.vocabulary
    units = _units_of(rule.concepts, words, groups)
    row = _read_row(units, lambda names: _read(x, names) if words is None else words.read(x, names))
    values = np.array([[row[name] for name in rule.concepts]], dtype=np.bool_)
    truth = bool(rule.formula.evaluate(values, rule.concepts)[0])
    wanted = to_dnf(Not(rule.formula) if truth else rule.formula)
    terms = ({name: term[name] for name in row if name in term} for term in _term_values(wanted))
    found = _nearest([_WantedAnswer(rule.target, term, []) for term in terms], units, row)
    gaps = () if words is None else words.missing_columns(x, row)
    changes = None if found is None else tuple(_change_of(step, row, words, gaps) for step in found[1])
    return Counterfactual(rule, truth, changes)


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
    groups: Iterable[Sequence[str]],
    read: Callable[[list[str]], ConceptData],
    gaps: Collection[str] = (),
) -> PredictionCounterfactual:
    """Find the fewest changes of one row that turn a decision.

    ``read`` reads the concepts of the row; ``gaps`` are the columns of which it has no value.
    """
    units = _units_of(decision.concepts, decision.vocabulary, groups)
    row = _read_row(units, read)
    before = decision.predicted(row)
    if target is not None and target == before:
        sentence = f"The prediction is {decision.named(target)} already."
        return PredictionCounterfactual(before, before, target, (), sentence)
    found = _nearest(decision.goals(before, target), units, row)
    if found is None:
        return PredictionCounterfactual(before, None, target, None, decision.impossible(before, target))
    label, steps = found
    changes = tuple(_change_of(step, row, decision.vocabulary, gaps) for step in steps)
    turned = {name: value for change in changes for name, value in change.concepts.items()}
    sentence = decision.sentence(before, label, changes)
    return PredictionCounterfactual(before, decision.predicted(row | turned), label, changes, sentence)


_Step: TypeAlias = tuple[ConceptGroup, Term, Term]  # what changes, the values required of it, what turns


@dataclass(frozen=True)
class _WantedAnswer:
    """A way to predict a label: what must be true, and terms that must not be."""

    label: Label
    must: Term
    avoided: list[Term]


def _nearest(
    goals: Iterable[_WantedAnswer], units: Sequence[ConceptGroup], row: Term
) -> tuple[Label, list[_Step]] | None:
    """The label and the changes of a nearest row that reaches a goal."""
    waiting: list[tuple[int, int, int, int, Term, list[_Step]]] = []
    reached, number = list(goals), itertools.count()
    seen: set[tuple[int, frozenset[tuple[str, bool]]]] = set()
    unit_of = {name: unit for unit in units for name in unit.names}

    def add(at: int, required: Term) -> None:
        key = (at, frozenset(required.items()))
        if key in seen:
            return
        seen.add(key)
        steps = []
        for unit, mine in _by_unit(required, unit_of):
            turned = _nearest_state(mine, unit, row)
            if turned is None:
                return
            if turned:
                steps.append((unit, mine, turned))
        n_turned = sum(len(turned) for _, _, turned in steps)
        heappush(waiting, (len(steps), n_turned, at, next(number), required, steps))

    for at, goal in enumerate(reached):
        add(at, goal.must)
    for _ in range(MAX_STEPS):
        if not waiting:
            return None
        _, _, at, _, required, steps = heappop(waiting)
        changed = {unit.names: _states_with(mine, unit) for unit, mine, _ in steps}
        undecided = next((t for t in reached[at].avoided if not _is_denied(t, unit_of, row, changed)), None)
        if undecided is None:
            return reached[at].label, steps
        for name, value in undecided.items():
            if name not in required:
                add(at, required | {name: not value})
    raise LimitError(
        f"No nearest change was found among the first {MAX_STEPS} neighbors of the row. "
        "Ask for a single rule instead: rules[label].counterfactual(x)."
    )


def _is_denied(
    term: Term, unit_of: dict[str, ConceptGroup], row: Term, changed: dict[tuple[str, ...], BoolArray]
) -> bool:
    """Whether a term is false: by a column that stays, or in every state that a changed one may take."""
    for unit, mine in _by_unit(term, unit_of):
        now = np.array([[row[name] for name in unit.names]])
        states = changed.get(unit.names, now)
        at = [unit.names.index(name) for name in mine]
        if not (states[:, at] == np.array(list(mine.values()))).all(axis=1).any():
            return True
    return False


def _by_unit(term: Term, unit_of: dict[str, ConceptGroup]) -> list[tuple[ConceptGroup, Term]]:
    """The values that a term requires of each unit, in the order of the term."""
    found: dict[tuple[str, ...], Term] = {}
    for name, value in term.items():
        found.setdefault(unit_of[name].names, {})[name] = value
    return [(unit_of[names[0]], mine) for names, mine in found.items()]
