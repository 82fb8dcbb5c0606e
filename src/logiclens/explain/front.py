"""The front: rule sets of every length, with how good each is, and the one that is shown.

A fit finds decision lists of every length. A point of the front is one of them, with its accuracy and
fidelity on held-out rows (cross-fitted: they rate the method at that length). Any point can be made a rule
set, without training again. Which length is shown is decided where the rules are scored, by
``FrontSearch.choose`` in ``estimators/fit.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import (
    InputError,
    UnknownConceptError,
    UnknownTargetError,
    count,
    percent,
    shown,
)
from logiclens.explain.explanation import Explanation, Scope, check_rate, check_text
from logiclens.explain.resolution import Step, used_concepts
from logiclens.explain.rule import Label, Rule, RuleKind, check_labels, member, plain_label
from logiclens.explain.rule_set import ExplanationSet, made_frame
from logiclens.explain.scopes import ALWAYS, NEVER, USELESS, class_formulas, rates_on
from logiclens.files._storage import fields, formula_from_saved, formula_to_saved, items, storable
from logiclens.logic.arrays import FloatArray, Words
from logiclens.logic.data import check_count
from logiclens.logic.formula import FALSE, TRUE, Formula, Or
from logiclens.logic.normal_form import disjuncts
from logiclens.logic.truth_table import TruthTable
from logiclens.metrics.goal import GoalResult
from logiclens.metrics.paired import Lead

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from logiclens.plots._front_display import FrontDisplay


LISTED: Final = (RuleKind.IFF, RuleKind.CLUSTER)
"""Kinds of rules that are one list, where targets exclude one another."""
ALWAYS_DECIDED, NEVER_DECIDED = "always predicted by these rules", "never predicted by these rules"
"""Status of the rule of a class that rules of this length always or never predict, unlike the network."""
NO_ROWS: Final = "no rows in this cluster"
"""Status of the rule of an empty cluster."""
NO_FORMULA: Final = "no formula over the concepts is worth its literals for this cluster"
"""Status of a cluster that has rows, and for which the rules never decide."""


@dataclass(frozen=True)
class Point:
    """One length of the front.

    Attributes
    ----------
    steps : tuple of Step
        The decision list; where several targets may be true, the formula of each target that has one.
    default : label, optional
        What the list decides where no step is true; None where several targets may be true.
    accuracy : float, optional
        Share of held-out rows on which the rules are right; None where too few rows could be held out. Of
        soft labels, right is what they hold most probable. Where each target has a formula of its own, the
        mean over targets.
    fidelity : float, optional
        Share of held-out rows on which the rules predict what the network predicts; a mean over targets, too.
    interval : tuple of float, optional
        95 % confidence interval of the accuracy.
    status : str
        How the formulas were found, if that is worth a word.
    formulas : tuple of Formula
        The formula of each class, where it is known by itself; otherwise it is what the list decides.
    """

    steps: tuple[Step, ...]
    default: Label | None = None
    accuracy: float | None = None
    fidelity: float | None = None
    interval: tuple[float, float] | None = None
    status: str = ""
    formulas: tuple[Formula, ...] = ()

    @property
    def literals(self) -> int:
        """Literals of all steps."""
        return sum(step.literals for step in self.steps)


@dataclass(frozen=True, eq=False)
class Seen:
    """The distinct tuples of concepts among the rows of a fit, with truth and predictions."""

    names: tuple[str, ...]
    rows: Words  # packed, (n_tuples, n_words)
    truth: FloatArray
    """Weight of the rows that belong to each target, (n_tuples, n_targets)."""
    answers: FloatArray
    """Weight of the rows for which the network predicts each target, (n_tuples, n_targets)."""
    weight: FloatArray
    n_rows: int
    """Rows of the fit."""

    def table(self) -> TruthTable:
        """The tuples that occur, with their weight."""
        return TruthTable(self.names, self.rows, self.weight, np.zeros_like(self.weight))

    def predictions(self, target: int) -> TruthTable:
        """The network's yes and no about a target."""
        yes = self.answers[:, target]
        return TruthTable(self.names, self.rows, yes, self.weight - yes)

    def labels(self, target: int) -> TruthTable:
        """The rows that are a target, and those that are not."""
        yes = np.minimum(self.truth[:, target], self.weight)
        return TruthTable(self.names, self.rows, yes, self.weight - yes)


@dataclass(frozen=True, repr=False, eq=False)
class Front(Sequence[Point]):
    """Rule sets of every length.

    Attributes
    ----------
    points : tuple of Point
        From the shortest to the longest; the composed formulas of a psi network come last.
    labels : tuple
        All targets.
    concept_names : tuple of str
    kind : RuleKind
    multi_label : bool
        Whether several targets may be true of a row: then points have a formula for each, and no list.
    chosen : int
        Position of the point that is shown.
    vocabulary : Vocabulary, optional
    seen : Seen, optional
        The rows of the fit; not in files.
    lead : Lead, optional
        How far the rules are ahead of a constant, by the truth of rows that had no say in the rules nor in
        their length; not in files.
    goal : GoalResult, optional
        How near the rules come to the goal that was asked for; not in files.
    """

    points: tuple[Point, ...]
    labels: tuple[Label, ...]
    concept_names: tuple[str, ...]
    kind: RuleKind = RuleKind.IFF
    multi_label: bool = False
    chosen: int = 0
    vocabulary: Vocabulary | None = None
    seen: Seen | None = field(default=None, compare=False)
    lead: Lead | None = field(default=None, compare=False)
    goal: GoalResult | None = field(default=None, compare=False)

    @classmethod
    def of(cls, rules: ExplanationSet) -> Front:
        """A front of one length, that of a rule set."""
        if not isinstance(rules, ExplanationSet):
            raise InputError(f"rules must be an ExplanationSet. Got {shown(rules)}.")
        formulas = tuple(rules.formulas.values())
        steps = tuple(map(Step, rules.labels, formulas)) if rules.multi_label else rules.steps
        kind = next(iter(rules.values())).kind
        return cls(
            (Point(steps, rules.default, formulas=formulas),),
            rules.labels,
            rules.concept_names,
            kind,
            rules.multi_label,
            0,
            rules.vocabulary,
        )

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, at: Any) -> Any:
        return self.points[at]

    def at(self, literals: int | str | None = None) -> int:
        """Position of the longest point of at most this many literals; of the chosen one for None or "auto".

        Parameters
        ----------
        literals : int, "auto" or None
        """
        if literals is None or (isinstance(literals, str) and literals == "auto"):
            return self.chosen
        if isinstance(literals, str):
            raise InputError(f"literals must be a whole number, or 'auto'. Got {shown(literals)}.")
        most = check_count(literals, "literals")
        fitting = [at for at, point in enumerate(self.points) if point.literals <= most]
        return max(fitting, key=lambda at: (self.points[at].literals, at)) if fitting else 0

    def rules(self, literals: int | str | None = None) -> ExplanationSet:
        """The rule set at a length; nothing is trained or searched.

        Parameters
        ----------
        literals : int, "auto" or None
            Most literals of all steps; "auto" and None: the length that was chosen.
        """
        return self.rule_set(self.points[self.at(literals)])

    def rule_set(self, point: Point) -> ExplanationSet:
        """The rule set of a point: its list decides; the rule of each class states what it decides."""
        listed = not self.multi_label and self.kind in LISTED
        formulas: dict[Label, tuple[Formula, str]]
        if point.formulas:
            formulas = {label: (each, "") for label, each in zip(self.labels, point.formulas, strict=True)}
        elif listed and point.default is not None:
            words, table = self.vocabulary, None if self.seen is None else self.seen.table()
            used = used_concepts(step.formula for step in point.steps)
            given = () if words is None else words.given(used)
            wide = self.kind is RuleKind.CLUSTER  # about all that the rows of a cluster have in common
            formulas = class_formulas(point.steps, point.default, self.labels, table, given=given, wide=wide)
            if table is None and words is not None:  # a loaded front: every tuple counts as seen
                formulas = {
                    label: (words.simplify(each), status) for label, (each, status) in formulas.items()
                }
        else:
            own = {step.label: step.formula for step in point.steps}
            formulas = {label: (own.get(label, FALSE), point.status) for label in self.labels}
        explanations = (
            self._explanation(at, label, formula, point.status or status)
            for at, (label, (formula, status)) in enumerate(formulas.items())
        )
        return ExplanationSet(
            tuple(explanations),
            self.concept_names,
            multi_label=self.multi_label,
            default=None if self.multi_label else point.default,
            steps=() if self.multi_label else point.steps,
            vocabulary=self.vocabulary,
        )

    def _explanation(self, at: int, label: Label, formula: Formula, status: str) -> Explanation:
        if formula in (TRUE, FALSE):
            status = USELESS.get(self.kind) or self._constant(at, formula == TRUE)
        rule = Rule(label, formula, self.kind)
        if self.seen is None:
            return Explanation(rule, scope=Scope.CLASS, status=status)
        cluster, predicted = self.kind is RuleKind.CLUSTER, self.seen.predictions(at)
        support = float(predicted.yes.sum())
        true = predicted if cluster else self.seen.labels(at)  # of clusters the network decides what is true
        scores = rates_on(formula, predicted, true, "training", self.seen.n_rows)
        if cluster:
            scores = replace(scores, accuracy=None)
            if formula == FALSE:
                status = NO_FORMULA if support else NO_ROWS
        return Explanation(rule, scope=Scope.CLASS, status=status, support=support, scores=scores)

    def _constant(self, at: int, always: bool) -> str:
        """Status of a formula that is always true, or never: the network may predict otherwise."""
        if self.seen is not None:
            predicted = self.seen.predictions(at)
            if (predicted.no if always else predicted.yes).any():
                return ALWAYS_DECIDED if always else NEVER_DECIDED
        return ALWAYS if always else NEVER

    def records(self) -> list[dict[str, Any]]:
        """A mapping for each point: literals, those of each target, accuracy with its interval, fidelity."""
        rows = []
        for point in self.points:
            low, high = point.interval or (None, None)
            rows.append(
                {"literals": point.literals, "accuracy": point.accuracy, "low": low, "high": high}
                | {"fidelity": point.fidelity}
                | {f"literals {label}": 0 for label in self.labels}
                | {f"literals {step.label}": step.literals for step in point.steps}
            )
        return rows

    def to_frame(self, backend: Any = "pandas") -> Any:
        """A data frame with a row for each length.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default "pandas"
            What holds it.
        """
        return made_frame(self.records(), backend)

    def __str__(self) -> str:
        lines = ["literals  accuracy    95 % interval  fidelity"]
        for at, point in enumerate(self.points):
            spread = _spread(point.interval)
            accuracy, fidelity = _percent(point.accuracy), _percent(point.fidelity)
            mark = "  <- shown" if at == self.chosen else ""
            lines.append(f"{point.literals:8d}  {accuracy:>8}  {spread:>15}  {fidelity:>8}{mark}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        shown_at = self.points[self.chosen].literals
        return f"<Front: {len(self)} lengths up to {self.points[-1].literals} literals, {shown_at} shown>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{point.literals}</td><td>{_percent(point.accuracy)}</td>"
            f"<td>{_spread(point.interval)}</td><td>{_percent(point.fidelity)}</td>"
            f"<td>{'shown' if at == self.chosen else ''}</td></tr>"
            for at, point in enumerate(self.points)
        )
        heads = ("literals", "accuracy", "95 % interval", "fidelity", "")
        head = "".join(f"<th>{name}</th>" for name in heads)
        return f"<table><tr>{head}</tr>{rows}</table>"

    def plot(self, ax: Axes | None = None) -> FrontDisplay:
        """Draw accuracy and fidelity against literals; see :class:`~logiclens.plots.FrontDisplay`.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure when missing.
        """
        from logiclens.plots._front_display import FrontDisplay

        return FrontDisplay(self).plot(ax)

    def to_json(self) -> dict[str, Any]:
        """Everything but the rows: a pool of terms, and for each point the places of its own.

        The inverse is :meth:`from_json`.
        """
        pool: dict[Formula, int] = {}
        points = []
        for point in self.points:
            steps = [
                [
                    storable(step.label),
                    [pool.setdefault(term, len(pool)) for term in disjuncts(step.formula)],
                ]
                for step in point.steps
            ]
            points.append(
                {"steps": steps, "default": storable(point.default), "accuracy": point.accuracy}
                | {"fidelity": point.fidelity, "status": point.status}
                | {"interval": None if point.interval is None else list(point.interval)}
                | {"formulas": list(map(formula_to_saved, point.formulas))}
            )
        return {
            "terms": [formula_to_saved(term) for term in pool],
            "points": points,
            "labels": list(map(storable, self.labels)),
            "kind": str(self.kind),
            "multi_label": self.multi_label,
            "chosen": self.chosen,
        }

    @classmethod
    def from_json(
        cls, saved: Mapping[str, Any], concept_names: Sequence[str], vocabulary: Vocabulary | None = None
    ) -> Front:
        """Read what :meth:`to_json` wrote."""
        entries = fields(saved, _ENTRIES, '"front"')
        terms = [formula_from_saved(term) for term in items(entries["terms"], '"terms"')]
        points = [fields(each, _POINT, "a point") for each in items(entries["points"], '"points"')]
        chosen = entries["chosen"]
        if type(chosen) is not int or not 0 <= chosen < len(points):
            raise InputError(f'"chosen" must be the position of a point. Got {shown(chosen)}.')
        several = entries["multi_label"]
        if type(several) is not bool:
            raise InputError(f'"multi_label" must be true or false. Got {shown(several)}.')
        labels = tuple(map(plain_label, items(entries["labels"], '"labels"')))
        check_labels(labels)
        found = tuple(_point(point, terms) for point in points)
        for point in found:
            _check_point(point, labels, concept_names, several)
        kind = member(RuleKind, entries["kind"], "kind of rule")
        return cls(found, labels, tuple(concept_names), kind, several, chosen, vocabulary)


_ENTRIES = ("terms", "points", "labels", "kind", "multi_label", "chosen")
_POINT = ("steps", "default", "accuracy", "fidelity", "interval", "status", "formulas")


def _point(saved: Mapping[str, Any], terms: Sequence[Formula]) -> Point:
    """A point from its entries, whose steps have the places of their terms."""
    steps = []
    for pair in items(saved["steps"], '"steps"'):
        if not isinstance(pair, list) or len(pair) != 2:
            raise InputError(f"A step must be a label and places of terms. Got {shown(pair)}.")
        places = items(pair[1], "places of terms")
        if not all(type(at) is int and 0 <= at < len(terms) for at in places):
            raise InputError(
                f"Places of terms must be whole numbers below {len(terms)}. Got {shown(places)}."
            )
        steps.append(Step(pair[0], Or.of(terms[at] for at in places)))
    rates = {
        name: None if saved[name] is None else check_rate(saved[name], name)
        for name in ("accuracy", "fidelity")
    }
    interval = None
    if saved["interval"] is not None:
        ends = [check_rate(value, "interval") for value in items(saved["interval"], '"interval"')]
        if len(ends) != 2:
            raise InputError(f"An interval must be two numbers. Got {shown(ends)}.")
        interval = (ends[0], ends[1])
    formulas = tuple(map(formula_from_saved, items(saved["formulas"], '"formulas"')))
    status = check_text(saved["status"], "status")
    return Point(
        tuple(steps), saved["default"], rates["accuracy"], rates["fidelity"], interval, status, formulas
    )


def _check_point(point: Point, labels: Sequence[Label], names: Sequence[str], several: bool) -> None:
    """Refuse a point about other targets or other concepts."""
    own = [step.label for step in point.steps] + ([] if several else [point.default])
    known = set(map(repr, labels))
    for label in own:
        if repr(label) not in known:
            raise UnknownTargetError(label, labels)
    if len(set(map(repr, own[: len(point.steps)]))) < len(point.steps):
        raise InputError("A point has two steps for one label.")
    if several and point.default is not None:
        raise InputError(f"Targets of which several may be true have no default. Got {shown(point.default)}.")
    if point.formulas and len(point.formulas) != len(labels):
        raise InputError(
            f"A point must have a formula for each of the {count(len(labels), 'label')}, or none. "
            f"Got {len(point.formulas)}."
        )
    for formula in (*(step.formula for step in point.steps), *point.formulas):
        unknown = sorted(set(formula.concepts) - set(names))
        if unknown:
            raise UnknownConceptError(unknown[0], names)


def _spread(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"{percent(interval[0])} to {percent(interval[1])}"


def _percent(rate: float | None) -> str:
    return "" if rate is None else percent(rate)


_TEN = 10  # literals more, whose gain is told
_LEAST_GAIN = 0.0005  # less reads as nothing


def ten_more(front: Front) -> float | None:
    """What ten literals more would gain in accuracy; None without longer rules, or without scores."""
    shown, longer = front[front.chosen], front[front.at(front[front.chosen].literals + _TEN)]
    if longer.literals <= shown.literals or longer.accuracy is None or shown.accuracy is None:
        return None
    return float(longer.accuracy - shown.accuracy)


def longer_words(front: Front, rules: ExplanationSet, *, none: bool = False) -> str:
    """What longer rules would gain, in words; where none are shown, what the best of ten literals would.

    Empty without longer rules, or without scores.
    """
    gain, shown = ten_more(front), front[front.chosen].accuracy
    if gain is None or shown is None:
        return ""
    if none:
        rated = [(point.accuracy, -point.literals) for point in front.points if point.literals <= _TEN]
        accuracy, fewest = max((rate, size) for rate, size in rated if rate is not None)
        if accuracy - shown >= _LEAST_GAIN:
            points, size = 100 * (accuracy - shown), count(-fewest, "literal")
            return (
                f"Rules of {size} were right on {points:.1f} points more of the training rows, left out in "
                "turn; that may be chance"
            )
    mean = "" if rules.is_list else " in the mean accuracy of the classes"
    if gain < _LEAST_GAIN:
        return f"Ten more literals would gain nothing{mean}"
    return f"Ten more literals would gain about {100 * gain:.1f} points{mean}"
