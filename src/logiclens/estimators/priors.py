"""Priors: formulas that are known to hold, honoured as a penalty while fitting.

A prior is a formula over concepts and targets, such as ``stroke & ~"age > 50" -> ~death``. On a row whose
concepts are known it forbids some targets. So it is told to the network as rows that no one observed, each
with the answer that the priors leave: the rows of the data, and fresh ones whose columns are drawn one by one
from the data, so that priors also speak of what was never seen together. Together they weigh as much as is
asked for. That is a penalty like any other: a cross-entropy, linear in the weights of yes and no.

A prior that the labels contradict is still only a penalty. How far each one holds is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from logiclens.concepts.concept import Above, AtMost, Concept, OneOf
from logiclens.concepts.table import Table
from logiclens.errors import InputError, UnknownConceptError, shown
from logiclens.estimators.inputs import Inputs, concept_matrix
from logiclens.estimators.targets import Problem, Targets
from logiclens.explain.label import label_array
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic import Formula, parse_formula
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import as_float
from logiclens.logic.values import THRESHOLD

if TYPE_CHECKING:
    from logiclens.estimators.fitting import Fold

_FRESH = (500, 20_000)  # least and most fresh rows
_CONDITION = re.compile(r"(?P<column>.+?) (?P<sign>>|<=|=) (?P<value>.+)", re.DOTALL)


@dataclass(frozen=True)
class PriorReport:
    """How far a prior holds, each as a share of the rows of the fit.

    Attributes
    ----------
    prior : Formula
    data : float
        By the labels.
    network : float
        By what the network says.
    rules : float
        By what the rules say.
    fresh : float
        By what the network says about rows that no one observed, drawn column by column.

    Examples
    --------
    >>> from logiclens.logic import Var
    >>> print(PriorReport(Var("stroke") >> Var("death"), data=0.9, network=1.0, rules=1.0, fresh=0.99))
    ~stroke | death: violated by the labels of 10.0% of the rows; holds for 100.0% by the network, \
100.0% by the rules, 99.0% of fresh rows
    """

    prior: Formula
    data: float
    network: float
    rules: float
    fresh: float

    @property
    def violated(self) -> bool:
        """Whether the labels of some rows contradict the prior."""
        return self.data < 1.0

    def __str__(self) -> str:
        start = (
            f"violated by the labels of {1 - self.data:.1%} of the rows"
            if self.violated
            else "holds for all labels"
        )
        return (
            f"{self.prior}: {start}; holds for {self.network:.1%} by the network, {self.rules:.1%} by the "
            f"rules, {self.fresh:.1%} of fresh rows"
        )


@dataclass(frozen=True, eq=False)
class Task:
    """Rows to learn from, with what priors tell at the end.

    Attributes
    ----------
    x : ndarray of shape (n + n_told, n_concepts)
    targets : Targets
    fold : Fold
    n_told : int
    """

    x: FloatArray
    targets: Targets
    fold: Fold
    n_told: int


class Priors:
    """Formulas that are known to hold, made ready for a problem.

    Parameters
    ----------
    formulas : Formula or text, or several
        Over concepts, conditions on columns of the raw table such as ``"age > 62"``, and targets, which are
        called by their labels as text.
    table : Table
        The data of the fit.
    inputs : Inputs
        The same as concepts.
    targets : Targets
    """

    def __init__(self, formulas: Any, table: Table, inputs: Inputs, targets: Targets) -> None:
        self.formulas = _formulas(formulas)
        self.table = table
        self.inputs = inputs
        self.targets = targets
        self.labels = tuple(map(str, targets.labels))
        self._conditions: dict[str, Concept] = {}
        for name in dict.fromkeys(name for formula in self.formulas for name in formula.concepts):
            self._check(name)

    def _check(self, name: str) -> None:
        """Refuse a name that stands for nothing, or for two things."""
        known = name in self.inputs.names
        if name in self.labels and known:
            raise InputError(f"{name!r} is both a concept and a target. Rename the column.")
        if name in self.labels or known:
            return
        condition = _condition(name, self.table)
        if condition is None:
            raise UnknownConceptError(name, (*self.inputs.names, *self.labels), "A prior names it.")
        self._conditions[name] = condition

    def allowed(self, formula: Formula, table: Table, x: FloatArray, labels: BoolArray) -> BoolArray:
        """Whether a prior holds on rows that have some labels, (n,); ``labels`` is (n, n_targets)."""
        columns: dict[str, Any] = {}
        for name in formula.concepts:
            if name in self.labels:
                columns[name] = labels[:, self.labels.index(name)]
            elif name in self._conditions:
                columns[name] = self._conditions[name].truth(table.column(self._conditions[name].column))
            else:
                columns[name] = x[:, self.inputs.names.index(name)]
        if not columns:
            return formula.evaluate(np.zeros((len(x), 0)), ())
        return formula.evaluate(columns)

    def fresh(self, n_rows: int, seed: int) -> tuple[Table, FloatArray]:
        """Rows whose columns are drawn one by one from the data, raw and as concepts."""
        random = np.random.default_rng(seed)
        size = int(np.clip(2 * n_rows, *_FRESH))
        drawn = {
            name: self.table.column(name).values()[random.integers(self.table.n_rows, size=size)]
            for name in self.table.names
        }
        table = Table(drawn)
        words = self.inputs.vocabulary
        if words is not None:
            return table, concept_matrix(words, table)
        return table, np.column_stack([table.column(name).numbers() for name in table.names])

    def join(self, fold: Fold, weight: FloatArray, share: float, seed: int) -> Task:
        """The data, with what the priors tell about its rows and about fresh ones.

        Parameters
        ----------
        fold : Fold
            The rows to learn from and to check with; what is told is learned from.
        weight : ndarray of shape (n,)
            Weight of the rows of the data.
        share : float
            Weight of all that is told, as a multiple of the weight of the data.
        seed : int
            Of the fresh rows.
        """
        if not self.formulas or share == 0:
            return Task(self.inputs.values, self.targets, fold, 0)
        rows = np.flatnonzero(weight > 0)
        own, own_x = self.table.take(rows), self.inputs.values[rows]
        fresh, fresh_x = self.fresh(len(rows), seed)
        parts = [
            (own_x, self._leave(own, own_x, self.targets.outputs[rows])),
            (fresh_x, self._leave(fresh, fresh_x, None)),
        ]
        x = np.concatenate([values[speaks] for values, (_, speaks) in parts])
        outputs = np.concatenate([outputs[speaks] for _, (outputs, speaks) in parts])
        each = np.full(len(x), share * weight.sum() / max(len(x), 1))
        return Task(
            np.concatenate([self.inputs.values, x]),
            replace(self.targets, outputs=np.concatenate([self.targets.outputs, outputs])),
            replace(
                fold, train=np.concatenate([fold.train, each]), check=np.concatenate([fold.check, each * 0])
            ),
            len(x),
        )

    def _leave(self, table: Table, x: FloatArray, known: FloatArray | None) -> tuple[FloatArray, BoolArray]:
        """What the priors leave of each output, (n, n_outputs), and on which rows they say anything."""
        if self.targets.problem is Problem.MULTI_LABEL:
            return self._leave_outputs(table, x, known)
        n_targets = len(self.labels)
        possible = np.ones((len(x), n_targets), dtype=np.bool_)
        for at in range(n_targets):
            labels = np.tile(np.arange(n_targets) == at, (len(x), 1))
            for formula in self.formulas:
                possible[:, at] &= self.allowed(formula, table, x, labels)
        frequency = self.targets.truth().mean(axis=0) + 1e-12
        left = np.where(possible, frequency, 0.0)
        total = left.sum(axis=1, keepdims=True)
        truth = left / np.where(total > 0, total, 1.0)
        speaks: BoolArray = np.asarray((~possible).any(axis=1) & possible.any(axis=1))
        binary = self.targets.problem is Problem.BINARY
        return (truth[:, 1:] if binary else truth), speaks

    def _leave_outputs(
        self, table: Table, x: FloatArray, known: FloatArray | None
    ) -> tuple[FloatArray, BoolArray]:
        """The same for outputs of which several may be true; the others of a row count as they are."""
        frequency = self.targets.outputs.mean(axis=0)
        base = np.tile(frequency, (len(x), 1)) if known is None else known
        said = base > THRESHOLD
        left = base.copy()
        speaks: BoolArray = np.zeros(len(x), dtype=np.bool_)
        for formula in self.formulas:
            named = [at for at, label in enumerate(self.labels) if label in formula.concepts]
            if known is None and len(named) != 1:
                continue  # what the other targets of a fresh row are is not known
            for at in named:
                able = []
                for value in (False, True):
                    labels = said.copy()
                    labels[:, at] = value
                    able.append(self.allowed(formula, table, x, labels))
                decided = able[0] != able[1]
                left[decided, at] = able[1][decided]
                speaks = speaks | decided
        return left, speaks

    def report(
        self,
        weight: FloatArray,
        seed: int,
        answers: Callable[[FloatArray], BoolArray],
        rules: ExplanationSet,
    ) -> tuple[PriorReport, ...]:
        """How far each prior holds.

        Parameters
        ----------
        weight : ndarray of shape (n,)
        seed : int
            Of the fresh rows.
        answers : callable
            What the network says: from concepts (n, n_concepts) to answers (n, n_targets).
        rules : ExplanationSet
        """
        if not self.formulas:
            return ()
        rows = np.flatnonzero(weight > 0)
        table, x = self.table.take(rows), self.inputs.values[rows]
        fresh, fresh_x = self.fresh(len(rows), seed)
        share = weight[rows] / weight[rows].sum()
        truth = self.targets.truth()[rows] > THRESHOLD
        said = (truth, answers(x), _answers_of(rules, x))
        unseen = answers(fresh_x)
        found = []
        for formula in self.formulas:
            held = [float(share @ self.allowed(formula, table, x, labels)) for labels in said]
            apart = float(self.allowed(formula, fresh, fresh_x, unseen).mean())
            found.append(PriorReport(formula, *map(_exact, (*held, apart))))
        return tuple(found)


def _answers_of(rules: ExplanationSet, x: FloatArray) -> BoolArray:
    """What rules say about each target, (n, n_targets)."""
    if rules.multi_label:
        return rules.fired(x, rules.concept_names)
    predicted = rules.predict(x, rules.concept_names)
    return np.asarray(predicted[:, None] == label_array(rules.labels))


def _exact(share: float) -> float:
    """A share of which rounding makes nothing out of one."""
    return 1.0 if share > 1.0 - 1e-12 else share


def check_prior_weight(value: Any) -> float:
    """What all priors weigh together, as a multiple of the data."""
    number = as_float(value)
    if not 0.0 <= number < np.inf:
        raise InputError(f"prior_weight must be a number of at least 0. Got {shown(value)}.")
    return number


def _formulas(priors: Any) -> tuple[Formula, ...]:
    several: Sequence[Any] = [priors] if isinstance(priors, str | Formula) else priors
    if not isinstance(several, Iterable):
        raise InputError(f"priors must be formulas, or their text. Got {shown(priors)}.")
    found = []
    for prior in several:
        if not isinstance(prior, str | Formula):
            raise InputError(f"A prior must be a formula, or its text. Got {shown(prior)}.")
        found.append(parse_formula(prior) if isinstance(prior, str) else prior)
    return tuple(found)


def _condition(name: str, table: Table) -> Concept | None:
    """The condition on a column that a name reads as, if it does."""
    match = _CONDITION.fullmatch(name)
    if match is None or match["column"] not in table:
        return None
    column, value = match["column"], match["value"]
    number = _number(value)
    if match["sign"] == "=":
        text = not table.column(column).is_numeric
        return OneOf(column, (value if text or np.isnan(number) else number,))
    if np.isnan(number):
        return None
    return Above(column, number) if match["sign"] == ">" else AtMost(column, number)


def _number(text: str) -> float:
    """The finite number that a text states, NaN when it states none."""
    try:
        number = float(text)
    except ValueError:
        return float("nan")
    return number if np.isfinite(number) else float("nan")
