"""What would have to be different for another prediction: the fewest changes of a row, for a set of rules.

A list predicts a label where its step is true and no earlier one is; the default also where no step is true.
So there is something that must be true (a term of the step) and much that must not be (terms of earlier
steps). The search takes the row's nearest neighbors in the order of their distance. Each is stated by
what is asked of the columns; a term that could be true under that is taken up next, one branch for each of
its literals that can be denied. The distance never falls along a branch, so the first neighbor under which
nothing is left open is a nearest one, and what is asked is enough, whatever else the columns say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from logiclens.errors import LimitError
from logiclens.explain.changes import (
    Change,
    Term,
    Unit,
    check_groups,
    column_units,
    one_row,
    plain_units,
    target_named,
    terms_asked,
    told,
)
from logiclens.explain.html import counterfactual_html
from logiclens.explain.label import Label
from logiclens.logic.arrays import BoolArray
from logiclens.logic.normal_form import to_dnf

if TYPE_CHECKING:
    from logiclens.explain.rule_set import ExplanationSet

MAX_STEPS = 20_000
"""Neighbours that are looked at before the search is given up."""

Predicted: TypeAlias = Label | tuple[Label, ...]
"""A label; in a multi-label set all labels whose rules are true."""


@dataclass(frozen=True)
class PredictionCounterfactual:
    """The fewest changes of a row that turn what a set of rules predicts.

    Attributes
    ----------
    before : label, or tuple of labels in a multi-label set
        The prediction for the row as it is.
    after : label, tuple of labels, or None
        The prediction after the changes; None where there are none.
    target : label, or None
        The label that was asked for, or that was found: the one predicted afterwards; in a multi-label set
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

    @property
    def found(self) -> bool:
        """Whether there is a way to that prediction."""
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
        return self.sentence

    def __str__(self) -> str:
        return self.sentence

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return counterfactual_html(self.sentence, self.changes)


def prediction_counterfactual(
    rules: ExplanationSet, x: Any, target: Label | None = None, *, groups: Iterable[Sequence[str]] = ()
) -> PredictionCounterfactual:
    """Find the fewest changes of one row that turn what a set of rules predicts for it.

    Parameters
    ----------
    rules : ExplanationSet
    x : data frame, mapping or array, one row
        As for :meth:`ExplanationSet.predict <logiclens.explain.ExplanationSet.predict>`.
    target : label, optional
        The label that is to be predicted; any other than now when missing. In a multi-label set the label
        that is to join the prediction, or to leave it.
    groups : iterable of sequences of str, optional
        Concepts of which exactly one is true; a vocabulary knows its own.

    Returns
    -------
    PredictionCounterfactual
        Of all ways with the fewest changes, one that turns the fewest concepts; of those, one of the label
        that stands first.

    Raises
    ------
    UnknownTargetError
        No rule is about the target.
    InputError
        Not one row, or one that the rules cannot read.
    LimitError
        The search looked at too many neighbors.
    """
    wanted = None if target is None else rules[target].target
    grouped = check_groups(groups, rules.vocabulary)
    concepts = rules.concepts
    if rules.vocabulary is None:
        units = plain_units(concepts, grouped)
        names = [name for unit in units for name in unit.names]
        row = one_row(rules.read(x, used=names), names)
    else:
        units, row = column_units(rules.vocabulary, concepts, x)
    asking = _Asking(rules, concepts)
    before = asking.predicted(row)
    if wanted is not None and wanted == before and not rules.multi_label:
        return PredictionCounterfactual(
            before, before, wanted, (), f"The prediction is {asking.named(wanted)} already."
        )
    found = _nearest(asking.goals(before, wanted), units, row)
    if found is None:
        return PredictionCounterfactual(before, None, wanted, None, asking.impossible(before, wanted))
    label, steps = found
    after = asking.predicted(row | {name: value for _, _, turned in steps for name, value in turned.items()})
    changes = tuple(told(rules.vocabulary, *step, row) for step in steps)
    return PredictionCounterfactual(before, after, label, changes, asking.sentence(before, label, changes))


_Step: TypeAlias = tuple[Unit, Term, Term]  # what changes, what is asked of it, what turns


@dataclass(frozen=True)
class _Goal:
    """A way to predict a label: what must be true, and terms that must not be."""

    label: Label
    must: Term
    avoided: list[Term]


class _Asking:
    """What a set of rules asks of a row for each prediction, and how that is said."""

    def __init__(self, rules: ExplanationSet, concepts: Sequence[str]) -> None:
        self._rules = rules
        self._concepts = list(concepts)
        self._terms = {label: terms_asked(to_dnf(f)) for label, f in rules.conditions.items()}

    def predicted(self, row: Term) -> Predicted:
        """The prediction for a row of concepts."""
        values = np.array([[row[name] for name in self._concepts]], dtype=np.bool_)
        conditions = self._rules.conditions.items()
        true = [label for label, formula in conditions if formula.evaluate(values, self._concepts)[0]]
        if self._rules.multi_label or self._rules.default is None:
            return tuple(true)
        return true[0] if true else self._rules.default

    def goals(self, before: Predicted, wanted: Label | None) -> Iterator[_Goal]:
        """The ways to the wanted label, or to any that changes the prediction."""
        for label in self._rules if wanted is None else [wanted]:
            if isinstance(before, tuple):
                if label in before:
                    yield _Goal(label, {}, self._terms[label])
                else:
                    yield from (_Goal(label, term, []) for term in self._terms[label])
            elif label != before:
                yield from self._decided(label)

    def _decided(self, label: Label) -> Iterator[_Goal]:
        """The ways to the label of a step, or to the default."""
        earlier: list[Term] = []
        for other, terms in self._terms.items():
            if other == label:
                yield from (_Goal(label, term, list(earlier)) for term in terms)
            earlier += terms
        if label == self._rules.default:
            yield _Goal(label, {}, earlier)

    def named(self, label: Label) -> str:
        """A label in a sentence."""
        return target_named(self._rules[label].rule)

    def sentence(self, before: Predicted, label: Label, changes: Sequence[Change]) -> str:
        """What the changes would bring, in plain English."""
        if isinstance(before, tuple):
            turned = "no longer be" if label in before else "be"
            said = f"{self.named(label)} would {turned} predicted"
        else:
            said = f"The prediction would be {self.named(label)}"
        return f"{said} if {' and '.join(change.after for change in changes)}."

    def impossible(self, before: Predicted, wanted: Label | None) -> str:
        """Why there is no way, in plain English."""
        if isinstance(before, tuple):
            return "Nothing would change it: the rules predict the same labels for every row."
        if wanted is None:
            return f"Nothing would change it: the rules predict {self.named(before)} for every row."
        return f"Nothing would do: the rules predict {self.named(wanted)} for no row."


_Names: TypeAlias = tuple[str, ...]  # of a unit: no two share a concept


def _nearest(goals: Iterable[_Goal], units: Sequence[Unit], row: Term) -> tuple[Label, list[_Step]] | None:
    """The label and the changes of a nearest row that reaches a goal."""
    waiting: list[tuple[int, int, int, int, Term, list[_Step]]] = []
    reached, number = list(goals), count()
    seen: set[tuple[int, frozenset[tuple[str, bool]]]] = set()
    unit_of = {name: unit for unit in units for name in unit.names}

    def add(at: int, asked: Term) -> None:
        key = (at, frozenset(asked.items()))
        if key in seen:
            return
        seen.add(key)
        steps = _steps(asked, unit_of, row)
        if steps is not None:
            n_turned = sum(len(turned) for _, _, turned in steps)
            heappush(waiting, (len(steps), n_turned, at, next(number), asked, steps))

    for at, goal in enumerate(reached):
        add(at, goal.must)
    for _ in range(MAX_STEPS):
        if not waiting:
            return None
        _, _, at, _, asked, steps = heappop(waiting)
        changed = {unit.names: unit.fitting(mine) for unit, mine, _ in steps}
        unsure = next((t for t in reached[at].avoided if not _denied(t, unit_of, row, changed)), None)
        if unsure is None:
            return reached[at].label, steps
        for name, value in unsure.items():
            if name not in asked:
                add(at, asked | {name: not value})
    raise LimitError(
        f"No nearest change was found among the first {MAX_STEPS} neighbors of the row. "
        "Ask for a single rule instead: rules[label].counterfactual(x)."
    )


def _steps(asked: Term, unit_of: dict[str, Unit], row: Term) -> list[_Step] | None:
    """The changes of the nearest row with the values asked for; None when there is no such row."""
    steps: list[_Step] = []
    for names, mine in _by_unit(asked, unit_of).items():
        unit = unit_of[names[0]]
        turned = unit.nearest(mine, row)
        if turned is None:
            return None
        if turned:
            steps.append((unit, mine, turned))
    return steps


def _denied(term: Term, unit_of: dict[str, Unit], row: Term, changed: dict[_Names, BoolArray]) -> bool:
    """Whether a term is false: by a column that stays, or in every state that a changed one may take."""
    for names, mine in _by_unit(term, unit_of).items():
        if names not in changed:
            if any(row[name] != value for name, value in mine.items()):
                return True
            continue
        at = [names.index(name) for name in mine]
        if not (changed[names][:, at] == np.array(list(mine.values()))).all(axis=1).any():
            return True
    return False


def _by_unit(term: Term, unit_of: dict[str, Unit]) -> dict[_Names, Term]:
    """What a term asks of each unit."""
    found: dict[_Names, Term] = {}
    for name, value in term.items():
        found.setdefault(unit_of[name].names, {})[name] = value
    return found
