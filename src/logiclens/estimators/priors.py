"""Priors: formulas that are known to hold, honored as a penalty while fitting.

A prior is a formula over concepts and targets, such as ``stroke & ~"age > 50" -> ~death``. On a row whose
concepts are known it forbids some targets. So the network learns it from rows that nobody observed, each with
the targets that the priors allow: the rows of the data, and fresh ones whose columns are drawn one by one
from the data, so that priors also hold for what was never seen together. All of them together weigh
``prior_weight``. That is a penalty like any other: a cross-entropy, linear in the weights of yes and no.

A row of weight 3 is three rows here, too, and one of weight 0 is none: values are drawn as often as they are
counted, in an order of their own, and a row made by the priors weighs as the row that it comes from.

A prior that the labels contradict is still only a penalty. How far each one holds is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.concepts.concept import Above, AtMost, Between, Concept, OneOf
from logiclens.concepts.table import Column, Kind, Table
from logiclens.errors import InputError, UnknownColumnError, UnknownConceptError, did_you_mean, listing, shown
from logiclens.estimators._parameters import as_number
from logiclens.estimators.folds import Distinct, RowSplit, as_counts, number_of_rows
from logiclens.estimators.inputs_and_targets import Inputs, Problem, Targets, concept_matrix
from logiclens.explain.rule import label_array
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic import Formula, parse_formula
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.logic.data import THRESHOLD

_FRESH = (500, 20_000)  # least and most fresh rows
_SIGN = re.compile(r"(?= (<=|>=|!=|<|>|=) )")  # looks ahead, so that signs may share a space
_INTERVAL = re.compile(r"(?s)(?P<low>\S+) (?P<after><=?) (?P<column>.+) (?P<until><=?) (?P<high>\S+)")


@dataclass(frozen=True)
class PriorReport:
    """How far a prior holds, each as a share of the rows of the fit.

    Attributes
    ----------
    prior : Formula
    data : float
        By the labels.
    network : float
        By the network's predictions.
    rules : float
        By the rules' predictions.
    fresh : float
        By the network's predictions for rows that nobody observed, drawn column by column.

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
        """True if the labels of some rows contradict the prior."""
        return self.data < 1.0

    def __str__(self) -> str:
        broken = f"violated by the labels of {1 - self.data:.1%} of the rows"
        start = broken if self.violated else "holds for all labels"
        return (
            f"{self.prior}: {start}; holds for {self.network:.1%} by the network, {self.rules:.1%} by the "
            f"rules, {self.fresh:.1%} of fresh rows"
        )


@dataclass(frozen=True, eq=False)
class TrainingTask:
    """Rows to learn from; those of the priors are at the end."""

    x: FloatArray  # (n + n_prior_rows, n_concepts)
    targets: Targets
    fold: RowSplit


class Priors:
    """Formulas that are known to hold, made ready for a problem.

    Parameters
    ----------
    formulas : Formula or text, or several
        Over concepts, conditions on columns of the raw table, and targets, which are called by their labels
        as text. Conditions are ``age > 62``, ``age >= 62``, ``age < 62``, ``age <= 62``, ``ward = A``,
        ``ward != A`` and intervals such as ``40 < age <= 60``; none is true where there is no value.
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
        self._conditions: dict[str, _Inequality] = {}
        for name in dict.fromkeys(name for formula in self.formulas for name in formula.concepts):
            self._check(name)

    def _check(self, name: str) -> None:
        """Refuse a name that stands for nothing, or for two things."""
        if name in self.labels and name in self.inputs.names:
            raise InputError(f"{name!r} is both a concept and a target. Rename the column.")
        if name not in self.labels and name not in self.inputs.names:
            condition = _condition(name, self.table)
            if condition is None:
                raise self._unknown_name(name)
            self._conditions[name] = condition

    def _unknown_name(self, name: str) -> InputError:
        """The error about a name that stands for nothing: the column of a condition, or all of it."""
        columns = [column for column, *_ in _readings(name)]
        is_concept = self.inputs.vocabulary is None and did_you_mean(name, self.inputs.names)
        if columns and not is_concept and not any(column in self.table for column in columns):
            return UnknownColumnError(columns[0], self.table.names, "A prior names it.")
        near = did_you_mean(name, self.labels)
        advice = f"It is none of the targets either: {listing(self.labels)}. {near}A prior names it."
        return UnknownConceptError(name, self.inputs.names, advice)

    def _refuse_new_values(self, weight: FloatArray) -> None:
        """Refuse ``=`` with a text that no row has; a row of weight 0 is none."""
        for condition in self._conditions.values():
            column = self.table.column(condition.concept.column).take(weight > 0)
            if column.kind is Kind.TEXT and isinstance(condition.concept, OneOf) and not condition.negated:
                value = condition.concept.values[0]
                if value not in column.levels:
                    texts = [str(level) for level in column.levels]
                    advice = did_you_mean(str(value), texts).strip() or f"The column has {listing(texts)}."
                    raise InputError(f"No row has {column.name} = {value!r}. {advice}")

    def holds(self, formula: Formula, table: Table, x: FloatArray, labels: BoolArray) -> BoolArray:
        """True where a prior holds on rows that have some labels, (n,); ``labels`` is (n, n_targets)."""
        columns: dict[str, Any] = {}
        for name in formula.concepts:
            if name in self.labels:
                columns[name] = labels[:, self.labels.index(name)]
            elif name in self._conditions:
                columns[name] = self._conditions[name].truth(table)
            else:
                columns[name] = x[:, self.inputs.names.index(name)]
        if not columns:
            return formula.evaluate(np.zeros((len(x), 0)), ())
        return formula.evaluate(columns)

    def fresh(self, weight: FloatArray, seed: int) -> tuple[Table, FloatArray]:
        """Rows whose columns are drawn one by one from the data, raw and as concepts; ``weight`` is (n,)."""
        random = np.random.default_rng(seed)
        size = int(np.clip(2 * number_of_rows(weight), *_FRESH))
        words = self.inputs.vocabulary
        read = {*(self.table.names if words is None else words.used_columns(words.names))}
        read |= {condition.concept.column for condition in self._conditions.values()}
        drawn: dict[str, Any] = {name: [None] * size for name in self.table.names}
        for name in filter(read.__contains__, self.table.names):
            drawn[name] = _draw(self.table.column(name), weight, size, random)
        table = Table(drawn)
        if words is not None:
            return table, concept_matrix(words, table)
        return table, np.column_stack([table.column(name).numbers() for name in table.names])

    def join(self, fold: RowSplit, weight: FloatArray, share: float, seed: int) -> TrainingTask:
        """The data, and rows from the priors to learn from, which weigh ``share`` times what the data weigh.

        A fresh row counts as one; the seed is theirs.
        """
        self._refuse_new_values(weight)
        if not self.formulas or share == 0:
            return TrainingTask(self.inputs.values, self.targets, fold)
        rows, observed = np.flatnonzero(weight > 0), self.targets.observed(weight)
        own, own_x = self.table.take(rows), self.inputs.values[rows]
        fresh, fresh_x = self.fresh(weight, seed)
        distinct = Distinct.of(self.targets.outputs[rows])
        truth = self.targets.truth()[rows[distinct.first]]
        usual = distinct.add_up(observed[rows]) @ truth / observed.sum()  # how common each target is
        known = np.where(
            observed[rows, None] > 0, self.targets.outputs[rows], usual[-self.targets.outputs.shape[1] :]
        )
        parts = [
            (own_x, as_counts(weight[rows]), self._leave(own, own_x, usual, known)),
            (fresh_x, np.ones(len(fresh_x)), self._leave(fresh, fresh_x, usual, None)),
        ]
        x = np.concatenate([values[restricted] for values, _, (_, restricted) in parts])
        outputs = np.concatenate([left[restricted] for _, _, (left, restricted) in parts])
        distinct = Distinct.of(x, outputs)
        each = distinct.add_up(np.concatenate([counts[restricted] for _, counts, (_, restricted) in parts]))
        each *= share * observed.sum() / (each.sum() or 1.0)
        x, outputs = x[distinct.first], outputs[distinct.first]
        train, check = np.append(fold.train, each), np.append(fold.check, each * 0)
        return TrainingTask(
            np.concatenate([self.inputs.values, x]),
            replace(self.targets.with_rows(outputs), n_prior_rows=len(outputs)),
            replace(fold, train=train, check=check),
        )

    def _leave(
        self, table: Table, x: FloatArray, usual: FloatArray, known: FloatArray | None
    ) -> tuple[FloatArray, BoolArray]:
        """The outputs that the priors allow, (n, n_outputs), and the rows that they restrict."""
        if self.targets.problem is Problem.MULTI_LABEL:
            base = np.tile(usual, (len(x), 1)) if known is None else known
            return self._leave_outputs(table, x, base, known is None)
        n_targets = len(self.labels)
        possible = np.ones((len(x), n_targets), dtype=np.bool_)
        for at in range(n_targets):
            labels = np.tile(np.arange(n_targets) == at, (len(x), 1))
            for formula in self.formulas:
                possible[:, at] &= self.holds(formula, table, x, labels)
        left = np.where(possible, usual + 1e-12, 0.0)
        total = left.sum(axis=1, keepdims=True)
        truth = left / np.where(total > 0, total, 1.0)
        restricted: BoolArray = np.asarray((~possible).any(axis=1) & possible.any(axis=1))
        return (truth[:, 1:] if self.targets.problem is Problem.BINARY else truth), restricted

    def _leave_outputs(
        self, table: Table, x: FloatArray, base: FloatArray, is_fresh: bool
    ) -> tuple[FloatArray, BoolArray]:
        """What is left where several outputs may be true; others stay, also those allowed neither value."""
        stated = base > THRESHOLD
        able = np.ones((2, *base.shape), dtype=np.bool_)  # to be false, to be true
        for formula in self.formulas:
            named = [at for at, label in enumerate(self.labels) if label in formula.concepts]
            if is_fresh and len(named) != 1:
                continue  # what the other targets of a fresh row are is not known
            for at in named:
                for value in (0, 1):
                    labels = stated.copy()
                    labels[:, at] = value
                    able[value, :, at] &= self.holds(formula, table, x, labels)
        decided = able[0] != able[1]
        return np.where(decided, able[1], base), decided.any(axis=1)

    def report(
        self, weight: FloatArray, seed: int, answers: Callable[[FloatArray], BoolArray], rules: ExplanationSet
    ) -> tuple[PriorReport, ...]:
        """How far each prior holds; ``answers`` predicts, from (n, n_concepts) to (n, n_targets)."""
        if not self.formulas:
            return ()
        rows = np.flatnonzero(weight > 0)
        table, x = self.table.take(rows), self.inputs.values[rows]
        fresh, fresh_x = self.fresh(weight, seed)
        every = weight[rows]
        shares = (self.targets.observed(weight)[rows], every, every)  # of the labels, network and rules
        truth = self.targets.truth()[rows] > THRESHOLD
        stated = (truth, answers(x), _predictions(rules, x))
        unseen = answers(fresh_x)
        found = []
        for formula in self.formulas:
            held = [
                counts @ self.holds(formula, table, x, labels) / counts.sum()
                for counts, labels in zip(shares, stated, strict=True)
            ]
            apart = self.holds(formula, fresh, fresh_x, unseen).mean()
            found.append(PriorReport(formula, *(round(float(part), 12) for part in (*held, apart))))
        return tuple(found)


def _predictions(rules: ExplanationSet, x: FloatArray) -> BoolArray:
    """The rules' predictions for each target, (n, n_targets)."""
    if rules.multi_label:
        return rules.fired(x, rules.concept_names)
    predicted = rules.predict(x, rules.concept_names)
    return np.asarray(predicted[:, None] == label_array(rules.labels))


def check_prior_weight(value: Any) -> float:
    """Weight of all priors together, as a multiple of the data."""
    number = as_number(value)
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


def _draw(column: Column, weight: FloatArray, size: int, random: np.random.Generator) -> NDArray[np.object_]:
    """Values of a column, (size,), as often as they weigh; equal whatever the order of the rows."""
    cells = np.array([None, *column.levels], dtype=object)  # code -1 comes first
    sums = np.bincount(column.codes + 1, weight, minlength=len(cells))
    rank = [(isinstance(cell, str), 0 if cell is None else cell) for cell in cells]
    order = np.array(sorted(np.flatnonzero(sums), key=rank.__getitem__))
    way = np.cumsum(sums[order])
    drawn = np.searchsorted(way, random.random(size) * way[-1], side="right")
    return np.asarray(cells[order[np.minimum(drawn, len(order) - 1)]])


@dataclass(frozen=True)
class _Inequality:
    """A concept, or where it is not: then ``if_missing`` of the concept keeps it false of missing values."""

    concept: Concept
    negated: bool = False

    def truth(self, table: Table) -> BoolArray:
        return self.concept.truth(table.column(self.concept.column)) ^ self.negated


def _readings(name: str) -> list[tuple[str, tuple[str, ...]]]:
    """All ways to read a name as a condition: the column, and signs and values; names may hold signs."""
    interval = _INTERVAL.fullmatch(name)
    if interval and np.isfinite([_number(interval["low"]), _number(interval["high"])]).all():
        return [(interval["column"], interval.group("low", "after", "until", "high"))]
    splits = [(name[: at.start()], (at[1], name[at.end(1) + 1 :])) for at in _SIGN.finditer(name)]
    return [(column, rest) for column, rest in splits if column and rest[1]]


def _condition(name: str, table: Table) -> _Inequality | None:
    """The condition on a column that a name reads as, if it does."""
    for column, rest in reversed(_readings(name)):  # the longest column first
        if column in table and (found := _comparison(table.column(column), *rest)) is not None:
            return found
    return None


def _comparison(column: Column, *stated: str) -> _Inequality | None:
    """A sign and a value, or the ends of an interval with their signs, as a condition on a column."""
    if len(stated) == 4:
        low, high = float(stated[0]), float(stated[3])
        ends = (low if stated[1] == "<" else _below(low), high if stated[2] == "<=" else _below(high))
        return _Inequality(Between(column.name, *ends))
    sign, value = stated
    number, other = _number(value), sign == "!="
    if sign in ("=", "!=") and column.kind is Kind.TEXT:
        same = (level for level in column.levels if level == (value if isinstance(level, str) else number))
        return _Inequality(OneOf(column.name, (next(same, value),), other), other)
    if np.isnan(number) or not (column.is_numeric or column.kind is Kind.TEXT):
        return None
    if sign in ("=", "!="):
        return _Inequality(OneOf(column.name, (number,), other), other)
    kind = Above if sign in (">", ">=") else AtMost
    return _Inequality(kind(column.name, number if sign in (">", "<=") else _below(number)))


def _below(number: float) -> float:
    """The next smaller float: greater than that is at least the number, and at most that is less than it."""
    return float(np.nextafter(number, -np.inf))


def _number(text: str) -> float:
    """The finite number that a text states, NaN when it states none."""
    try:
        number = float(text)
    except ValueError:
        return float("nan")
    return number if np.isfinite(number) else float("nan")
