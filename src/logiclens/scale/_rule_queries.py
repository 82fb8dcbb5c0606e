"""Rules on a table in an engine: predictions as a column, and how good the rules are, counted in one pass.

A prediction is what :meth:`ExplanationSet.predict <logiclens.explain.ExplanationSet.predict>` says of the
same row. ``CASE`` takes the first condition that is true: with the steps in their order, and the default at
the end, that is a decision list. The engine runs it on demand.

For scores the engine groups rows by their true label and by the step that decides them, and counts in each
group on how many rows every rule fires. All scores follow from these counts and are those of the same rows in
memory: an :class:`~logiclens.evaluation.Evaluation`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from logiclens.concepts.concept import Value
from logiclens.errors import InputError, count, shown
from logiclens.evaluation._evaluate import NOTHING, Evaluation, StepScores
from logiclens.explain import ExplanationSet, Resolution
from logiclens.explain.resolution import DEFAULT, MISSING, PRECISION_DIGITS, UNCOVERED, used_concepts
from logiclens.explain.rule import Label, true_labels
from logiclens.logic.data import THRESHOLD
from logiclens.logic.formula import Formula
from logiclens.metrics.agreement import Total
from logiclens.scale._engine import (
    Expression,
    Table,
    check_columns,
    check_table,
    fetch,
    ibis_module,
    rules_of,
)
from logiclens.scale._expressions import (
    as_label,
    as_number,
    concept_columns,
    faults,
    formula_expression,
    is_missing,
    is_one_of,
    join_balanced,
    label_literal,
    raw_places,
    refuse_gaps,
    truth_expression,
    without,
)
from logiclens.scale._training_rows import MOST_LABELS, MOST_WEIGHT, weight_fault, weights_name

MARK = "mark"
"""The column of marks."""
PRECISION = "precision"
"""The column of precisions."""
_MOST_UNSEEN = 1000  # new values of a column that are counted


# Predictions


def predict(
    rules: Any,
    table: Table,
    *,
    name: str = "prediction",
    marks: bool = False,
    precision: bool = False,
    threshold: float = THRESHOLD,
) -> Table:
    """Add what rules say of each row to a table, as a new expression; nothing is executed.

    Parameters
    ----------
    rules : ExplanationSet, or a fitted estimator
        Of an estimator its ``explanations_``.
    table : ibis.Table
        The columns that the rules are about, found as in
        :meth:`ExplanationSet.predict <logiclens.explain.ExplanationSet.predict>`. Other columns are kept.
    name : str, default "prediction"
        The column to add. A multi-label set adds a Boolean column for each label, called ``name_label``.
    marks : bool, default False
        Whether to add the column ``mark``, too: ``"default"`` where no step is true, so that the default
        decides (in a multi-label set ``"uncovered"``, where no rule is true), ``"missing"`` where a value is
        missing and the rules know of no gaps, with a comma between two; else an empty text.
    precision : bool, default False
        Whether to add the column ``precision``, too: how often the step that decides was right on rows held
        out from the fit, to four digits; NULL where the rules do not know.
    threshold : float, default 0.5
        A column of scores that is a concept itself is true when greater. Rules with a vocabulary take no
        part in it.

    Returns
    -------
    ibis.Table

    Raises
    ------
    UnknownColumnError
        The table lacks a column that rules need.
    InputError
        Columns do not hold what they are compared with, or the table has a column of the new name, or two new
        columns have one name.
    LimitError
        A formula is nested too deep, or too long.

    Notes
    -----
    Rows that NumPy would refuse have an answer here, since nothing is checked before the engine runs: in a
    column that is a concept itself a missing value counts as false (and is marked), and an infinite number is
    larger or smaller than all others. :func:`~logiclens.scale.score` refuses both.

    Examples
    --------
    >>> import ibis, pyarrow as pa
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet(
    ...     [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", Var("fins")))],
    ...     concept_names=["wings", "fins"],
    ...     default="fish",
    ... )
    >>> table = ibis.memtable(pa.table({"wings": [True, True, False], "fins": [False, True, False]}))
    >>> answers = predict(rules, table, marks=True)
    >>> answers["prediction"].to_list(), answers["mark"].to_list()
    (['bird', 'bird', 'fish'], ['', '', 'default'])
    """
    known = rules_of(rules)
    check_table(table)
    true = truth_expressions(known, known.conditions, table, threshold)
    if not isinstance(marks, bool | np.bool_):
        raise InputError(f"marks must be True or False. Got {shown(marks)}.")
    added = _prediction_columns(known, _check_name(name), true)
    if marks and MARK in map(str.lower, added):
        raise InputError(
            f"The column {MARK!r} is for marks. Pass another name than {name!r}, or marks=False."
        )
    if marks:
        added[MARK] = _mark(known, table, list(true.values()))
    if not isinstance(precision, bool | np.bool_):
        raise InputError(f"precision must be True or False. Got {shown(precision)}.")
    if precision and PRECISION in map(str.lower, added):
        raise InputError(f"The column {PRECISION!r} is for precisions. Pass another name than {name!r}.")
    if precision:
        added[PRECISION] = _precision(known, list(true.values()))
    _refuse_taken(added, table)
    return table.mutate(*(column.name(called) for called, column in added.items()))


def _prediction_columns(
    rules: ExplanationSet, name: str, true: Mapping[Label, Expression]
) -> dict[str, Expression]:
    """Columns of predictions, by name."""
    if not rules.multi_label:
        values = {label: label_literal(label) for label in (*true, default_of(rules))}
        cases = [(true[label], values[label]) for label in true]
        default = values[default_of(rules)]
        return {name: ibis_module().cases(*cases, else_=default) if cases else default}
    spelled: dict[str, Label] = {}
    for label in rules.labels:
        other = spelled.setdefault(str(label).lower(), label)
        if other is not label:
            raise InputError(
                f"The labels {other!r} and {label!r} differ in case only, and so would their columns, which "
                "engines take for one. Rename one of the labels."
            )
    return {f"{name}_{label}": each for label, each in true.items()}


def truth_expressions(
    rules: ExplanationSet,
    formulas: Mapping[Label, Formula],
    table: Table,
    threshold: float = THRESHOLD,
    *,
    columns: Sequence[str] | None = None,
) -> dict[Label, Expression]:
    """Truth of formulas on every row, Boolean expressions that are never NULL.

    Parameters
    ----------
    rules : ExplanationSet
        Whose concepts the formulas are about.
    formulas : mapping of label to Formula
    table, threshold, columns
        As for :func:`~logiclens.scale._expressions.concept_columns`.
    """
    used = used_concepts(formulas.values())
    concepts = concept_columns(table, rules.vocabulary, used, threshold, columns=columns)
    return {label: formula_expression(formula, concepts) for label, formula in formulas.items()}


def default_of(rules: ExplanationSet) -> Label:
    """The label of rows of which no step is true."""
    if rules.default is None:
        raise InputError("Rules of several labels per row have no default. Ask for each label.")
    return rules.default


def any_true(true: Sequence[Expression]) -> Expression:
    """True where any condition is."""
    if not true:
        return ibis_module().literal(False)
    return join_balanced([(each, 0) for each in true], operator.or_)[0]


def _mark(rules: ExplanationSet, table: Table, true: Sequence[Expression]) -> Expression:
    """The mark of each row."""
    ibis = ibis_module()
    marks = ["", UNCOVERED if rules.multi_label else DEFAULT]
    code = ibis.ifelse(any_true(true), 0, 1)
    gaps = [is_missing(cells) for cells in _never_missing(rules, table)]
    if gaps:
        code = code + ibis.ifelse(any_true(gaps), 2, 0)
        marks += [", ".join(filter(None, (mark, MISSING))) for mark in marks]
    return code.cases(*enumerate(marks), else_="")


def _precision(rules: ExplanationSet, true: Sequence[Expression]) -> Expression:
    """The precision of the step that decides each row."""
    ibis = ibis_module()
    if rules.held_out is None:
        return ibis.null("float64")
    *steps, default = (
        ibis.null("float64") if rate is None else ibis.literal(round(rate, PRECISION_DIGITS), "float64")
        for rate in rules.held_out.precision
    )
    cases = [*zip(true, steps, strict=True)]
    found = ibis.cases(*cases, else_=default) if cases else default
    return found.cast("float64")  # DuckDB reads a number with a point as a decimal


def _never_missing(rules: ExplanationSet, table: Table) -> list[Expression]:
    """Columns of the table that the rules know no gaps in."""
    used = rules.concepts
    places = raw_places(table, rules.vocabulary, used)
    if places is None or rules.vocabulary is None:
        return [table[name] for name in used]
    words = rules.vocabulary
    known = (column for column in places if column not in words.optional)
    return [without(table[places[column]], words.gaps.get(column, ())) for column in known]


def unseen_values(rules: ExplanationSet, table: Table) -> dict[tuple[str, Value], int]:
    """Categories that were not there when the concepts were made, by column, with the rows that have them.

    Parameters
    ----------
    rules : ExplanationSet
    table : ibis.Table
    """
    words = rules.vocabulary
    places = raw_places(table, words, rules.concepts)
    found: dict[tuple[str, Value], int] = {}
    if words is None or places is None:
        return found
    for name, known in words.values:
        if name not in places:
            continue
        cells = without(table[places[name]], words.gaps.get(name, ()))
        keyed = table.select(v=cells).filter(~is_missing(cells) & ~is_one_of(cells, known))
        rows = fetch(
            keyed.group_by("v").aggregate(n=keyed.count()).limit(_MOST_UNSEEN), "Looking for new values"
        )
        found |= {(places[name], row["v"]): int(row["n"]) for row in rows.sort_by("v").to_pylist()}
    return found


def _check_name(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise InputError(f"name must be the name of the column to add. Got {shown(name)}.")
    return name


def _refuse_taken(added: Iterable[str], table: Table) -> None:
    """Refuse new columns that the table has, whatever their case, and what the engine cannot carry."""
    check_columns(table, table.columns)
    taken = {column.lower(): column for column in table.columns}
    for column in added:
        if column.lower() in taken:
            remedy = (
                "Rename it" if column in (MARK, PRECISION) else "Pass name= for another one, or rename it"
            )
            raise InputError(f"The table has a column {taken[column.lower()]!r} already. {remedy}.")


# Scores


_LEAST_WEIGHT = 1 / MOST_WEIGHT


def score(
    rules: Any,
    table: Table,
    target: str | Sequence[str],
    *,
    weights: str | None = None,
    threshold: float = THRESHOLD,
) -> Evaluation:
    """Score rules on a table in one pass of the engine.

    Parameters
    ----------
    rules : ExplanationSet, or a fitted estimator
        Of an estimator its ``explanations_``.
    table : ibis.Table
        The columns that the rules are about, and the true labels.
    target : str, or sequence of str for a multi-label set
        The column of true labels; or a column of yes and no for each label, called like the labels, or in
        their order where labels are no text.
    weights : str, optional
        The column of non-negative weights; 1 when missing.
    threshold : float, default 0.5
        A column of scores that is a concept itself is true when greater.

    Returns
    -------
    Evaluation

    Raises
    ------
    UnknownColumnError
        The table lacks a column.
    InputError
        There are no rows, labels are missing or of another type, or values are such as NumPy refuses, too.
    EngineError
        The engine failed: the table is gone, the connection is lost, there is not enough memory.

    Examples
    --------
    >>> import ibis, pyarrow as pa
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet(
    ...     [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", ~Var("wings")))],
    ...     concept_names=["wings"],
    ... )
    >>> table = ibis.memtable(pa.table({"wings": [1, 1, 0, 0], "animal": ["bird", "bird", "fish", "bird"]}))
    >>> print(score(rules, table, "animal"))
    accuracy 0.750 [0.301, 0.954], macro-F1 0.733, explanation accuracy 0.733
    4 rows: a step decides 4, the default 0
              precision             recall                macro-F1  support
      'bird'  1.000 [0.342, 1.000]  0.667 [0.208, 0.939]  0.733     3
      'fish'  0.500 [0.095, 0.905]  1.000 [0.207, 1.000]  0.733     1
    """
    known = rules_of(rules)
    check_table(table)
    targets = _targets(known, target)
    check_columns(table, [*targets, *([] if weights is None else [weights_name(weights)])])
    rows = _ScoreQuery(known, table, targets, weights, threshold)
    return _several_labels(rows) if known.multi_label else _one_label(rows)


def _targets(rules: ExplanationSet, target: Any) -> list[str]:
    """The columns with the truth, in the order of the labels where there are several."""
    if not rules.multi_label:
        if not isinstance(target, str) or not target:
            raise InputError(f"target must be the name of the column of true labels. Got {shown(target)}.")
        return [target]
    names = list(target) if isinstance(target, list | tuple) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError(
            f"target must be a list of columns, one for each of the {count(len(rules), 'label')}. "
            f"Got {shown(target)}."
        )
    wanted = [str(label) for label in rules.labels]
    if set(wanted) <= set(names):
        return wanted
    if isinstance(rules.labels[0], str):
        lacking = next(label for label in wanted if label not in names)
        raise InputError(
            f"target has no column for the label {lacking!r}. Name its columns after the labels."
        )
    if len(names) != len(wanted):
        raise InputError(
            f"target must have one column for each of the {count(len(rules), 'label')}. Got {len(names)}."
        )
    return names


class _ScoreQuery:
    """The query for scores: expressions for each row, and counts."""

    def __init__(
        self,
        rules: ExplanationSet,
        table: Table,
        targets: Sequence[str],
        weights: str | None,
        threshold: float,
    ) -> None:
        self.rules, self.targets, self.weights = rules, targets, weights
        apart = {*targets, weights}
        columns = [column for column in table.columns if column not in apart]
        fired, steps = (
            list(truth_expressions(rules, formulas, table, threshold, columns=columns).values())
            for formulas in (rules.formulas, {} if rules.multi_label else rules.conditions)
        )
        used = used_concepts([*rules.formulas.values(), *rules.conditions.values()])
        self.faults = faults(table, rules.vocabulary, used, columns=columns)
        expressions = {f"fired{at}": each for at, each in enumerate(fired)}
        expressions |= {f"step{at}": each for at, each in enumerate(steps)}
        if rules.multi_label:
            self.faults += faults(table, None, targets)
            expressions |= {f"true{at}": truth_expression(table, name) for at, name in enumerate(targets)}
        else:
            expressions["label"] = as_label(table[targets[0]])
        if weights is not None:
            expressions["weight"] = as_number(table[weights])
            self.faults.append(weight_fault(table[weights]))
        expressions |= {f"fault{at}": fault.where for at, fault in enumerate(self.faults)}
        self.each = table.select(**expressions)
        self.fired = [self.each[f"fired{at}"] for at in range(len(fired))]
        self.steps = [self.each[f"step{at}"] for at in range(len(steps))]

    def sums(self, parts: Mapping[str, Expression | None]) -> dict[str, Expression]:
        """Weight of the rows where conditions are true, and its squares; None is true everywhere."""
        if self.weights is None:
            return {
                name: self.each.count() if part is None else self.each.count(where=part)
                for name, part in parts.items()
            }
        weight = self.each["weight"]
        found = {}
        for name, part in parts.items():
            found[name] = weight.sum(where=part).fill_null(0.0)
            found[f"{name} squared"] = (weight * weight).sum(where=part).fill_null(0.0)
        return found

    def sum_in(self, row: Mapping[str, Any], name: str) -> Total:
        """One of the sums of :meth:`sums`, in a row of the answer."""
        weight = float(row[name])
        return Total(weight, weight if self.weights is None else float(row[f"{name} squared"]))

    def counts(self) -> dict[str, Expression]:
        """Counts that do not depend on the labels."""
        found = {"rows": self.each.count()}
        if len(self.fired) > 1:
            n_true = join_balanced([(each.cast("int32"), 0) for each in self.fired], operator.add)[0]
            found["several"] = self.each.count(where=n_true > 1)
        if self.rules.multi_label:
            found["none"] = self.each.count(where=~any_true(self.fired))
            found |= {f"fires{at}": self.each.count(where=each) for at, each in enumerate(self.fired)}
        for at in range(len(self.faults)):
            found[f"fault{at}"] = self.each.count(where=self.each[f"fault{at}"])
        return found

    def check(self, answer: Sequence[Mapping[str, Any]]) -> int:
        """Refuse what NumPy refuses; else how many rows there are."""
        n_rows = _total(answer, "rows")
        if not n_rows:
            raise InputError("A score needs at least one row of data. Got none.")
        for at, fault in enumerate(self.faults):
            if number := _total(answer, f"fault{at}"):
                raise fault.error(number)
        self._check_weight(reduce(Total.plus, (self.sum_in(row, "all") for row in answer)))
        return n_rows

    def _check_weight(self, weight: Total) -> None:
        if weight.weight == 0:
            raise InputError(f"Scores need some weight. All weights of {self.weights!r} are 0.")
        if self.weights is not None and not _LEAST_WEIGHT < weight.weight < MOST_WEIGHT:
            raise InputError(
                f"The weights of {self.weights!r} add up to {weight.weight:g}. Scale them, so that their sum "
                f"lies between {_LEAST_WEIGHT:g} and {MOST_WEIGHT:g}."
            )


def _total(answer: Sequence[Mapping[str, Any]], name: str) -> int:
    """A count, over all groups of the answer."""
    return sum(int(row.get(name, 0)) for row in answer)


def _one_label(rows: _ScoreQuery) -> Evaluation:
    """Scores where each row has one label."""
    ibis = ibis_module()
    rules, n_labels = rows.rules, len(rows.rules)
    steps = [step.label for step in rules.steps]
    decided = [rules.labels.index(label) for label in (*steps, default_of(rules))]
    places = [ibis.literal(at, type="int32") for at in range(len(decided))]
    sums = rows.sums({"all": None, **{f"sum{at}": fired for at, fired in enumerate(rows.fired)}})
    cases = list(zip(rows.steps, places[:-1], strict=True))
    step = ibis.cases(*cases, else_=places[-1]) if cases else places[-1]
    grouped = rows.each.group_by(rows.each["label"], step=step)
    query = grouped.aggregate(**rows.counts(), **sums).limit((MOST_LABELS + 1) * len(places))
    answer = fetch(query, "Scoring the rules").to_pylist()
    n_rows = rows.check(answer)
    true = _true_labels(rows, answer)
    labels = (*rules.labels, *(label for label in true if label not in rules))
    place = {label: at for at, label in enumerate(labels)}
    confusion = np.zeros((len(labels), len(labels)))
    n_decided = [0] * len(places)
    by_step, right = [NOTHING] * len(places), [0.0] * len(places)
    everything, by_label = NOTHING, [NOTHING] * len(labels)
    by_rule, given, both = [NOTHING] * n_labels, [NOTHING] * n_labels, [0.0] * n_labels
    for row in answer:
        at, weight = place[row["label"]], rows.sum_in(row, "all")
        taken = int(row["step"])
        label = decided[taken]
        confusion[at, label] += weight.weight
        n_decided[taken] += int(row["rows"])
        by_step[taken], right[taken] = (
            by_step[taken].plus(weight),
            right[taken] + weight.weight * (at == label),
        )
        everything, by_label[at] = everything.plus(weight), by_label[at].plus(weight)
        given[label] = given[label].plus(weight)
        for rule in range(n_labels):
            fired = rows.sum_in(row, f"sum{rule}")
            by_rule[rule] = by_rule[rule].plus(fired)
            both[rule] += fired.weight * (rule == at)
    return Evaluation.of_counts(
        labels,
        Resolution(n_rows, dict(zip(steps, n_decided[:-1], strict=True)), n_decided[-1]),
        everything,
        by_label[:n_labels],
        by_rule,
        both,
        given=given if rules.is_list else None,
        confusion=confusion,
        n_conflicts=_total(answer, "several"),
        steps=[
            StepScores.of_counts(rules.labels[label], total, hits)
            for label, total, hits in zip(decided, by_step, right, strict=True)
            if rules.is_list
        ],
    )


def _true_labels(rows: _ScoreQuery, answer: Sequence[Mapping[str, Any]]) -> list[Label]:
    """The labels that occur, in order; missing ones and those of another type than the rules' are refused."""
    column = rows.targets[0]
    missing = sum(int(row["rows"]) for row in answer if row["label"] is None or row["label"] != row["label"])
    refuse_gaps(column, missing)
    found = sorted({row["label"] for row in answer})
    if len(found) > MOST_LABELS:
        raise InputError(
            f"Column {column!r} has more than {MOST_LABELS} distinct values. Name the column of the classes."
        )
    true_labels(found, rows.rules.labels, len(found))  # refuses those of another type
    return found


def _several_labels(rows: _ScoreQuery) -> Evaluation:
    """Scores where each row may have several labels."""
    rules, n_labels = rows.rules, len(rows.rules)
    true = [rows.each[f"true{at}"] for at in range(n_labels)]
    pairs = list(zip(true, rows.fired, strict=True))
    right = join_balanced([(truth == fired, 0) for truth, fired in pairs], operator.and_)[0]
    parts: dict[str, Expression | None] = {"all": None, "right": right}
    for at, (truth, fired) in enumerate(pairs):
        parts |= {f"label{at}": truth, f"sum{at}": fired, f"both{at}": truth & fired}
    query = rows.each.aggregate(**rows.counts(), **rows.sums(parts))
    answer = fetch(query, "Scoring the rules").to_pylist()
    n_rows = rows.check(answer)
    (row,) = answer
    fires = {label: int(row[f"fires{at}"]) for at, label in enumerate(rules.labels)}
    everything = rows.sum_in(row, "all")
    true_sums = [rows.sum_in(row, f"label{at}") for at in range(n_labels)]
    said_sums = [rows.sum_in(row, f"sum{at}") for at in range(n_labels)]
    return Evaluation.of_counts(
        rules.labels,
        Resolution(n_rows, fires, int(row["none"])),
        everything,
        true_sums,
        said_sums,
        [rows.sum_in(row, f"both{at}").weight for at in range(n_labels)],
        right=rows.sum_in(row, "right").weight,
        n_conflicts=_total(answer, "several"),
    )
