"""How good rules are on labeled rows: the rows, read once, and the figures, all of them from counts.

Counts of rows, or sums of their weights and of the squares of these, are all that the figures need, so rows
at hand and rows in an engine have the same ones: those of :mod:`logiclens.metrics` on the rows themselves.

A leaking column predicts the target almost perfectly by itself. It is often known only after
the fact, as the day of a death is in a table about deaths. Then it makes a short, perfect, useless rule.

Everything is kept packed, 64 rows to a word, so that the formulas of two hundred classes and of their fronts
can be tried on a million rows. A row may stand for several equal ones, as those do that an engine counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from logiclens.concepts.table import Table
from logiclens.errors import InputError, count
from logiclens.explain.resolution import HeldOutScores, Resolution, used_concepts
from logiclens.explain.rule import Label, label_array, true_answers, true_labels
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray, Words, pack, unpack
from logiclens.logic.formula import Formula
from logiclens.metrics.agreement import (
    Interval,
    ReadOnly,
    RuleScores,
    Total,
    macro_f1_of,
    rates_of,
    share_of,
)
from logiclens.metrics.design_effect import grouped_share
from logiclens.metrics.paired import Lead

_PRINTED = 10  # labels listed by str()


NOTHING = Total(0.0, 0.0)
"""That of no rows."""


class LabelScores(NamedTuple):
    """How one label's rule does against its class.

    Attributes
    ----------
    support : float
        Rows of the label, or their weight.
    macro_f1 : float
        The paper's score of the label's formula: mean of the F1 of yes and of no, as
        :func:`logiclens.metrics.macro_f1` gives it.
    plain : float
        Share of the rows on which the formula alone is rightly true or rightly false.
    rates : logiclens.metrics.RuleScores
        Precision, recall, coverage and prevalence, each with its interval of 95 %, and lift: of the rows that
        a list gives the label; of those the formula is true of, where rules are no list.
    agreement : float
        Share of the rows that the list rightly gives the label or rightly does not; as ``plain`` where rules
        are no list.
    """

    support: float
    macro_f1: float
    plain: float
    rates: RuleScores
    agreement: float


class StepScores(NamedTuple):
    """How often a step of a list is right about the rows that it decides.

    Attributes
    ----------
    label : str, int, float or bool
        What it decides.
    n_rows, n_right : float
        Rows of which no earlier step is true and this one is, and those of them that have the label; or
        their weight.
    precision : float
        Share of the rows that have the label; NaN where the step decides none.
    interval : (float, float)
        Its interval of 95 %.
    """

    label: Label
    n_rows: float
    n_right: float
    precision: float
    interval: Interval

    @classmethod
    def of_counts(cls, label: Label, rows: Total, n_right: float) -> StepScores:
        """From the rows that the step decides, and those of them on which it is right."""
        return cls(label, float(rows.weight), float(n_right), *share_of(n_right, rows))


@dataclass(frozen=True, eq=False)
class Evaluation(ReadOnly):
    """How good rules are on some rows: together, and about each label.

    The rules are compared with labels: mostly the truth. Compared with what a model predicts, ``accuracy`` is
    their joint fidelity, and the figures of :attr:`by_label` are the fidelity of each rule.

    Attributes
    ----------
    labels : tuple of label
        Those of the rules, then others that occur among the rows, which are never predicted.
    n_rows : int
    weight : float
        Their weight; the number of rows without weights.
    accuracy : float
        Share of the rows on which the rules together are right; in a multi-label set, right about all labels.
    accuracy_interval : (float, float)
        Its interval of 95 %.
    confusion : ndarray of float, shape (n_labels, n_labels)
        Weight of the rows of each true label, by row, that get each label, by column. In a multi-label set
        of shape (n_labels, 2, 2): no and yes of each label.
    resolution : Resolution
        How many rows each step decides, and how many the default.
    by_label : mapping of label to LabelScores, read-only
        Each label by itself.
    n_conflicts : int
        Rows of which the formulas of several labels are true.
    steps : tuple of StepScores
        Each step of the list, the default last; empty where rules are no list.
    """

    labels: tuple[Label, ...]
    n_rows: int
    weight: float
    accuracy: float
    accuracy_interval: Interval
    confusion: FloatArray
    resolution: Resolution
    by_label: Mapping[Label, LabelScores] = field(hash=False)
    n_conflicts: int
    steps: tuple[StepScores, ...] = ()

    @classmethod
    def of_counts(  # noqa: PLR0913 - what is counted
        cls,
        labels: Sequence[Label],
        resolution: Resolution,
        rows: Total,
        true: Sequence[Total],
        fired: Sequence[Total],
        both: Sequence[float],
        *,
        given: Sequence[Total] | None = None,
        confusion: FloatArray | None = None,
        right: float = 0.0,
        n_conflicts: int = 0,
        steps: Sequence[StepScores] = (),
    ) -> Evaluation:
        """All figures from counts.

        Labels of rules come first. For each there are the rows that have it (``true``), those its formula is
        true of (``fired``), and the weight of ``both``; of a list, those that are ``given`` the label. A
        multi-label set has no ``confusion``, but the weight of the rows all of whose labels are ``right``.
        """
        scores = [label_scores(rows, *each) for each in zip(true, fired, both, strict=True)]
        if given is not None and confusion is not None:
            decided = zip(true, given, np.diag(confusion).tolist(), strict=False)
            scores = [
                each._replace(rates=by_list.rates, agreement=by_list.agreement)
                for each, by_list in zip(scores, (label_scores(rows, *each) for each in decided), strict=True)
            ]
        if confusion is None:
            yes, predicted = (np.array([each.weight for each in sums]) for sums in (true, fired))
            hits = np.array(both)
            cells = np.array([rows.weight - yes - predicted + hits, predicted - hits, yes - hits, hits])
            confusion = np.maximum(cells, 0.0).T.reshape(len(hits), 2, 2)
        else:
            right = float(np.trace(confusion))
        return cls(
            tuple(labels),
            resolution.n_rows,
            rows.weight,
            *share_of(right, rows),
            confusion,
            resolution,
            dict(zip(labels, scores, strict=False)),
            n_conflicts,
            tuple(steps),
        )

    @property
    def macro_f1(self) -> float:
        """Of the rules as a classifier: mean over the labels of the F1 of each.

        A label that neither occurs nor is predicted is left out.
        """
        table = self.confusion
        if table.ndim == 3:
            return mean_f1(table[:, 1, 1], table[:, 1].sum(axis=1), table[:, :, 1].sum(axis=1))
        return mean_f1(np.diag(table), table.sum(axis=1), table.sum(axis=0))

    @property
    def explanation_accuracy(self) -> float:
        """The paper's score: mean over the rules of the macro-F1 of each rule against its class."""
        return float(np.mean([each.macro_f1 for each in self.by_label.values()]))

    @property
    def explanation_accuracy_plain(self) -> float:
        """Mean over the rules of the share of the rows about which each is right."""
        return float(np.mean([each.plain for each in self.by_label.values()]))

    def held_out(self, target: str | None = None) -> HeldOutScores | None:
        """The scores of the steps to keep with rules; None where rules are no list.

        Parameters
        ----------
        target : str, optional
            The column that is predicted.

        Examples
        --------
        >>> from dataclasses import replace
        >>> from logiclens.explain import Explanation, ExplanationSet, Rule
        >>> from logiclens.logic import Var
        >>> found = [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", ~Var("wings")))]
        >>> rules = ExplanationSet(found, ["wings"], default="fish")
        >>> scores = evaluate(rules, {"wings": [1, 1, 0]}, ["bird", "fish", "fish"]).held_out("kind")
        >>> replace(rules, held_out=scores).held_out.precision
        (0.5, 1.0, None)
        """
        if not self.steps:
            return None
        n_rows, n_right = (
            tuple(getattr(step, name) for step in self.steps) for name in ("n_rows", "n_right")
        )
        return HeldOutScores(n_rows, n_right, target)

    def prevalence_of(self, label: Label) -> float:
        """Share of the rows that have a label, which is right as often if it is always predicted."""
        return float(self.confusion[self.labels.index(label)].sum() / self.weight)

    def lead_over(self, label: Label) -> Lead:
        """How far the rules are ahead of always answering one label, on rows without weights.

        Labels must exclude one another.
        """
        at = self.labels.index(label)
        right = np.diag(self.confusion)
        return Lead(
            self.weight,
            float(right.sum() - right[at]),
            float(self.confusion[at].sum() - right[at]),
        )

    @property
    def n_decided(self) -> int:
        """Rows that a step decides; in a multi-label set those of which a rule is true."""
        return self.resolution.n_decided

    @property
    def n_uncovered(self) -> int:
        """Rows that the default decides; in a multi-label set those of which no rule is true."""
        return self.resolution.n_uncovered

    def __str__(self) -> str:
        low, high = self.accuracy_interval
        head = [
            f"accuracy {self.accuracy:.3f} [{low:.3f}, {high:.3f}], macro-F1 {self.macro_f1:.3f}, "
            f"explanation accuracy {self.explanation_accuracy:.3f}",
            f"{count(self.n_rows, 'row')}: {self._decision_text()}",
        ]
        shortened = list(self.by_label.items())[:_PRINTED]
        names = [repr(label) for label, _ in shortened]
        width = max(map(len, names))
        titles = f"  {'':<{width}}  {'precision':<20}  {'recall':<20}  macro-F1  support"
        lines = [
            f"  {name:<{width}}  {_text(scores.rates, 'precision')}  {_text(scores.rates, 'recall')}"
            f"  {scores.macro_f1:<8.3f}  {scores.support:.10g}"
            for name, (_, scores) in zip(names, shortened, strict=True)
        ]
        left = len(self.by_label) - len(shortened)
        return "\n".join([*head, titles, *lines, *([f"  and {left} more"] if left else [])])

    def _decision_text(self) -> str:
        if self.confusion.ndim == 3:
            return f"a rule is true of {self.n_decided}, none of {self.n_uncovered}"
        return f"a step decides {self.n_decided}, the default {self.n_uncovered}"


def _text(rates: RuleScores, name: str) -> str:
    low, high = getattr(rates, f"{name}_interval")
    return f"{getattr(rates, name):.3f} [{low:.3f}, {high:.3f}]"


def label_scores(rows: Total, label: Total, fired: Total, both: float) -> LabelScores:
    """Scores of one rule, from all rows, those of the label, those where it fires, and the weight of both."""
    wrong_yes, wrong_no = max(fired.weight - both, 0.0), max(label.weight - both, 0.0)
    right_no = max(rows.weight - label.weight - wrong_yes, 0.0)
    macro_f1 = float(macro_f1_of(np.array([right_no, wrong_yes, wrong_no, both], dtype=np.float64)))
    agreement = min((both + right_no) / rows.weight, 1.0)
    return LabelScores(label.weight, macro_f1, agreement, rates_of(rows, label, fired, both), agreement)


def mean_f1(right: FloatArray, true: FloatArray, predicted: FloatArray) -> float:
    """Mean of the F1 of labels; one that neither occurs nor is predicted is left out, NaN where none is left.

    ``right`` is the weight of the rows of each label that get it.

    Examples
    --------
    >>> mean_f1(np.array([1.0, 0.0]), np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    1.0
    """
    possible = true + predicted
    occurs = possible > 0
    return float((2 * right[occurs] / possible[occurs]).mean()) if occurs.any() else np.nan


TRUTH, NETWORK, BLACK_BOX, CLUSTERS = "the truth", "the network", "the black box", "the clusters"
"""Who gives labels to rows."""
_BLOCK = 1 << 17  # rows at a time


@dataclass(frozen=True, eq=False)
class RowLabels:
    """The labels that somebody gives to rows."""

    by: str
    """Who: "the truth", "the network", "the black box", "the clusters"."""
    words: tuple[Words, ...]
    """Whether each row is each target, packed, in the order of the labels."""
    codes: IndexArray | None
    """The place of each row's label, where rows have one; from ``len(labels)`` on, labels without a rule."""
    others: tuple[Label, ...] = ()
    """Those without a rule."""
    known: BoolArray | None = None
    """Whether the label of each row is known, (n,); of all when missing."""

    @classmethod
    def of(cls, by: str, values: NDArray[Any], labels: Sequence[Label]) -> RowLabels:
        """From labels, (n,), or a column of yes and no for each target, (n, n_labels)."""
        if values.ndim == 2:
            return cls(by, tuple(pack(column > 0) for column in values.T), None)
        known = label_array(labels)
        codes = np.full(len(values), -1, dtype=np.intp)
        for at in range(len(known)):
            codes[values == known[at]] = at
        others: list[Label] = []
        while (left := np.flatnonzero(codes < 0)).size:
            other = values[left[0]]
            codes[values == other] = len(known) + len(others)
            others.append(other.item() if isinstance(other, np.generic) else other)
        return cls(by, tuple(pack(codes == at) for at in range(len(known))), codes, tuple(others))


@dataclass(frozen=True, eq=False)
class LabeledRows:
    """Rows, and the labels that they have."""

    rules: ExplanationSet
    concepts: Mapping[str, Words]
    """Truth of each concept that some formula uses, packed."""
    n_distinct: int
    """How many distinct rows there are."""
    table: Table | None = None
    """The raw columns, where the rules have a vocabulary or the data are a frame."""
    truth: RowLabels | None = None
    network: RowLabels | None = None
    black_box: RowLabels | None = None
    clusters: bool = False
    """Whether the labels are clusters, so that the network is what rules are compared with."""
    counts: FloatArray | None = None
    """How many rows each stands for, (n_distinct,); 1 when missing."""
    groups: IndexArray | None = None
    """A number for each, equal for rows that are no rows of their own, such as those of a patient."""

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.n_distinct if self.counts is None else int(self.counts.sum())

    @property
    def model(self) -> RowLabels | None:
        """What the rules explain."""
        return self.black_box or self.network

    @property
    def reference(self) -> RowLabels | None:
        """What the rules are compared with: the truth, or what they explain."""
        explained = self.model if self.black_box or self.clusters else None
        return explained or self.truth or self.model

    def with_black_box(self) -> LabeledRows:
        """The same rows, whose true labels are the predictions of a black box."""
        if self.truth is None:
            return self
        return replace(self, truth=None, black_box=replace(self.truth, by=BLACK_BOX))

    def with_some_truth(self, labels: NDArray[np.object_]) -> LabeledRows:
        """The same rows with their true labels as text, (n,); those that are not known are empty."""
        named = {str(label): label for label in self.rules.labels}
        values = np.array([named.get(text, text) for text in labels.tolist()], dtype=object)
        truth = RowLabels.of(TRUTH, values, self.rules.labels)
        return replace(self, truth=replace(truth, known=labels != ""))

    def with_known_truth(self) -> LabeledRows:
        """The same rows, of which those whose true label is not known stand for none."""
        if self.truth is None or self.truth.known is None:
            return self
        counts = np.ones(self.n_distinct) if self.counts is None else self.counts
        return replace(self, counts=counts * self.truth.known)

    def fired(self, formula: Formula) -> Words:
        """Truth of a formula on each row, packed; bits beyond the rows are 0."""
        return formula.evaluate_words(self.concepts, -(-self.n_distinct // 64)) & self._every

    @cached_property
    def _every(self) -> Words:
        return pack(np.ones(self.n_distinct, dtype=np.bool_))

    def count(self, words: Words) -> int:
        """How many rows are true."""
        if self.counts is None:
            return int(np.bitwise_count(words).sum())
        return int(self.counts[unpack(words, self.n_distinct)].sum())

    def tally(self, places: IndexArray, n_places: int) -> IndexArray:
        """How many rows have each place, from 0 on, shape (n_places,)."""
        return np.bincount(places, self.counts, n_places).astype(np.intp)

    def share(self, part: Words, whole: Words | None = None) -> tuple[float, Interval]:
        """Share of some rows, of all when missing, that are in a part; its interval knows of groups."""
        whole = self._every if whole is None else whole
        if self.groups is None:
            return share_of(self.count(part & whole), Total.of_rows(self.count(whole)))
        counts = np.ones(self.n_distinct) if self.counts is None else self.counts
        right, weight = (unpack(words, self.n_distinct) for words in (part, whole))
        return grouped_share(right.astype(np.float64), counts * weight, self.groups)

    def alike(self, one: RowLabels | None, other: RowLabels | None) -> Words | None:
        """Rows that get the same labels from both, packed."""
        if one is None or other is None:
            return None
        if one.codes is not None and other.codes is not None:
            known = other.codes < len(self.rules)  # a label without a rule is nobody's
            return pack((one.codes == other.codes) & known)
        if not one.words or not other.words:
            return None
        apart = np.bitwise_or.reduce([a ^ b for a, b in zip(one.words, other.words, strict=True)])
        return np.asarray(self._every & ~apart)

    def share_alike(self, one: RowLabels | None, other: RowLabels | None) -> float | None:
        """Share of the rows that get the same labels from both."""
        alike = self.alike(one, other)
        return None if alike is None else self.count(alike) / self.n_rows

    def lead_over(self, label: int) -> Lead | None:
        """How far the rules are ahead of always answering one label, by its place; None without one truth."""
        if self.truth is None or self.truth.codes is None or self.predicted.codes is None:
            return None
        judged = self.with_known_truth()
        true = self.truth.codes
        return Lead.of_answers(self.predicted.codes == true, true == label, judged.counts, self.groups)

    def lead_of_network(self) -> Lead | None:
        """How far the network is ahead of the rules; None without one truth or one answer of both."""
        truth, network, rules = self.truth, self.network, self.predicted.codes
        if truth is None or network is None or truth.codes is None or network.codes is None or rules is None:
            return None
        right = (network.codes == truth.codes, rules == truth.codes)
        return Lead.of_answers(*right, self.with_known_truth().counts, self.groups)

    @cached_property
    def decided_by(self) -> IndexArray:
        """Place of the step that decides each row, as by :meth:`ExplanationSet.decided_by`."""
        return self.first_true([step.formula for step in self.rules.steps])

    def first_true(self, formulas: Sequence[Formula]) -> IndexArray:
        """Place of the first formula that is true of each row; their number where none is."""
        found = np.full(self.n_distinct, len(formulas), dtype=np.intp)
        for at in reversed(range(len(formulas))):  # the one that decides comes last
            found[unpack(self.fired(formulas[at]), self.n_distinct)] = at
        return found

    @cached_property
    def predicted(self) -> RowLabels:
        """What the rules predict, as :meth:`ExplanationSet.predict` does; words are where each is true."""
        words = tuple(self.fired(explanation.formula) for explanation in self.rules.values())
        if self.rules.multi_label:
            return RowLabels("the rules", words, None)
        places = np.array([self.rules.labels.index(label) for label in self.rules.answers])
        return RowLabels("the rules", words, places[self.decided_by])

    @cached_property
    def given(self) -> tuple[Words, ...]:
        """Rows that get each label, packed: as a list decides; otherwise those of which its rule is true."""
        codes = self.predicted.codes
        if codes is None or not self.rules.is_list:
            return self.predicted.words
        return tuple(pack(codes == at) for at in range(len(self.rules)))

    @cached_property
    def resolution(self) -> Resolution:
        """How many rows each step decides, and how many the default."""
        if self.rules.multi_label:
            fired = self.predicted.words
            counts = dict(zip(self.rules.labels, map(self.count, fired), strict=True))
            return Resolution(self.n_rows, counts, self.n_rows - self.count(np.bitwise_or.reduce(fired)))
        return Resolution.of_list(self.decided_by, list(self.rules.conditions), self.counts)

    @cached_property
    def n_conflicts(self) -> int:
        """Rows of which the formulas of several labels are true."""
        once = twice = np.zeros_like(self._every)
        for words in self.predicted.words:
            once, twice = once | words, twice | (once & words)
        return self.count(twice)

    def against(self, labels: RowLabels | None) -> Evaluation | None:
        """The rules compared with the labels that somebody gives."""
        return None if labels is None else self._evaluations[labels.by]

    @cached_property
    def _evaluations(self) -> dict[str, Evaluation]:
        given = filter(None, (self.network, self.black_box))
        found = {labels.by: self.evaluate(labels) for labels in given}
        if self.truth is not None:
            found[self.truth.by] = self.with_known_truth().evaluate(self.truth)
        return found

    def evaluate(self, wanted: RowLabels) -> Evaluation:
        """Compare the rules with labels."""
        confusion = None
        if wanted.codes is not None and self.predicted.codes is not None:
            width = len(self.rules) + len(wanted.others)
            pairs = self.tally(wanted.codes * width + self.predicted.codes, width * width)
            confusion = pairs.reshape(width, width).astype(np.float64)
        alike = self.alike(self.predicted, wanted)
        found = Evaluation.of_counts(
            (*self.rules.labels, *wanted.others),
            self.resolution,
            Total.of_rows(self.n_rows),
            [Total.of_rows(self.count(words)) for words in wanted.words],
            [Total.of_rows(self.count(words)) for words in self.predicted.words],
            [self.count(a & b) for a, b in zip(wanted.words, self.predicted.words, strict=True)],
            given=[Total.of_rows(self.count(words)) for words in self.given] if self.rules.is_list else None,
            confusion=confusion,
            right=0 if alike is None else self.count(alike),
            n_conflicts=self.n_conflicts,
            steps=self._steps(wanted),
        )
        return found if self.groups is None else self._with_groups(found, wanted, alike)

    def _with_groups(self, found: Evaluation, wanted: RowLabels, alike: Words | None) -> Evaluation:
        """The same figures, with intervals that know that rows come in groups."""
        by_label = {}
        for label, given, true in zip(self.rules.labels, self.given, wanted.words, strict=True):
            parts = {"precision": (true, given), "recall": (given, true)}
            parts |= {"coverage": (given, self._every), "prevalence": (true, self._every)}
            intervals: dict[str, Any] = {
                f"{name}_interval": self.share(*each)[1] for name, each in parts.items()
            }
            scores = found.by_label[label]
            by_label[label] = scores._replace(rates=replace(scores.rates, **intervals))
        steps = found.steps
        if steps and alike is not None:
            steps = tuple(
                step._replace(interval=self.share(alike, pack(self.decided_by == at))[1])
                for at, step in enumerate(steps)
            )
        interval = found.accuracy_interval if alike is None else self.share(alike)[1]
        return replace(found, accuracy_interval=interval, by_label=by_label, steps=steps)

    def _steps(self, wanted: RowLabels) -> list[StepScores]:
        """How often each step is right about the rows that it decides; the default comes last."""
        predicted = self.predicted.codes
        if not self.rules.is_list or wanted.codes is None or predicted is None:
            return []
        labels = [*(step.label for step in self.rules.steps), self.rules.default]
        places = self.tally(2 * self.decided_by + (predicted == wanted.codes), 2 * len(labels))
        counts = places.reshape(-1, 2).tolist()
        return [
            StepScores.of_counts(label, Total.of_rows(wrong + right), right)
            for label, (wrong, right) in zip(labels, counts, strict=True)
            if label is not None
        ]


class ModelFunctions(NamedTuple):
    """The network of a model: concepts of rows, and predictions for these."""

    read: Callable[[Any], FloatArray]
    """From rows to concepts, (n, n_concepts)."""
    answer: Callable[[FloatArray], tuple[BoolArray, IndexArray]]
    """From concepts to yes or no for each target, (n, n_labels), and the place of the label, (n,)."""
    of_concepts: bool = True
    """Whether all that is read are the concepts of the rules' vocabulary, where there is one."""


def read_rows(
    rules: ExplanationSet,
    X: Any,
    formulas: Iterable[Formula] = (),
    network: ModelFunctions | None = None,
    by: str = NETWORK,
) -> LabeledRows:
    """Read rows, and encode them, once for all formulas and the network, which is called ``by``.

    The formulas are all that will be evaluated beside the rules and their steps.
    """
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        X = X.toarray()
    used = used_concepts([*rules.conditions.values(), *rules.formulas.values(), *formulas])
    rows = _as_table(X, rules, used)
    encoded = isinstance(rows, Table) and network is not None and network.of_concepts
    names = rules.vocabulary.names if encoded and rules.vocabulary is not None else used
    data = rules.read(rows, used=names)
    if not data.n_rows:
        raise InputError("A score needs at least one row of data. Got none.")
    table = rows if isinstance(rows, Table) else _raw(X)
    found = LabeledRows(rules, data.packed_columns(names), data.n_rows, table, clusters=by == CLUSTERS)
    if network is None:
        return found
    if encoded:
        blocks = (block.astype(np.float64) for block in data.blocks(data.positions(names), _BLOCK))
    else:
        x = network.read(X)
        blocks = (x[at : at + _BLOCK] for at in range(0, len(x), _BLOCK))
    predicted, codes = map(np.concatenate, zip(*map(network.answer, blocks), strict=True))
    return replace(found, network=labels_by_network(by, predicted, codes, rules))


def with_truth(rows: LabeledRows, y: Any) -> LabeledRows:
    """The rows with their true labels, (n,), or a column of yes and no for each, (n, n_labels)."""
    read = true_answers if rows.rules.multi_label else true_labels
    values = read(y, rows.rules.labels, rows.n_distinct)
    return replace(rows, truth=RowLabels.of(TRUTH, values, rows.rules.labels))


def labels_by_network(by: str, predicted: BoolArray, codes: IndexArray, rules: ExplanationSet) -> RowLabels:
    """Labels by the predictions of a network, (n, n_labels), and the places of its labels, (n,)."""
    return RowLabels(by, tuple(map(pack, predicted.T)), None if rules.multi_label else codes)


def evaluate(rules: ExplanationSet, X: Any, y: Any) -> Evaluation:
    """Compare rules with labels of rows, mostly the true ones.

    Parameters
    ----------
    rules : ExplanationSet
    X : data frame, array, sparse matrix or mapping, n rows
        As for :meth:`ExplanationSet.predict <logiclens.explain.ExplanationSet.predict>`.
    y : array of shape (n,), or of shape (n, n_labels) in a multi-label set
        The labels.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        There are no rows, or ``y`` does not fit them.

    Examples
    --------
    >>> from logiclens.explain import Explanation, ExplanationSet, Rule
    >>> from logiclens.logic import Var
    >>> rules = ExplanationSet(
    ...     [Explanation(Rule("bird", Var("wings"))), Explanation(Rule("fish", ~Var("wings")))],
    ...     concept_names=["wings"],
    ... )
    >>> print(evaluate(rules, {"wings": [1, 1, 0, 0]}, ["bird", "bird", "fish", "bird"]))
    accuracy 0.750 [0.301, 0.954], macro-F1 0.733, explanation accuracy 0.733
    4 rows: a step decides 4, the default 0
              precision             recall                macro-F1  support
      'bird'  1.000 [0.342, 1.000]  0.667 [0.208, 0.939]  0.733     3
      'fish'  0.500 [0.095, 0.905]  1.000 [0.207, 1.000]  0.733     1
    """
    rows = with_truth(read_rows(rules, X), y)
    assert rows.truth is not None
    return rows.evaluate(rows.truth)


def _as_table(X: Any, rules: ExplanationSet, used: Sequence[str]) -> Any:
    """Rows as a table whose columns are read once, where the rules read columns."""
    words = rules.vocabulary
    if words is None:
        return X
    table = Table(X)
    concepts = table.named and any(column not in table for column in words.used_columns(used))
    return X if concepts and all(name in table for name in used) else table


def _raw(X: Any) -> Table | None:
    try:
        return Table(X)
    except InputError:
        return None


NEARLY_ALL = 0.98
"""Share of the answers that a column must give to be named."""
_FEWER_ERRORS = 5  # times as many are made by the most common class
_FEWEST = 30  # rows scored, and rows of a group scored on itself: of fewer, a column says much by chance
_FEWEST_OTHERS = 5  # rows scored that are not of the most common class


class Leak(NamedTuple):
    """A column, and the share of the rows scored whose class it alone gives."""

    column: str
    share: float


def used_columns(rules: ExplanationSet) -> dict[str, tuple[str, ...]]:
    """The columns that rules with a vocabulary look at, each with all of its concepts."""
    words = rules.vocabulary
    if words is None:
        return {}
    columns = words.used_inputs(used_concepts([*rules.formulas.values(), *rules.conditions.values()]))
    return {column: tuple(name for name in words.names if words[name].column == column) for column in columns}


def leaking_columns(
    columns: Mapping[str, tuple[str, ...]],
    concepts: Mapping[str, BoolArray],
    classes: IndexArray,
    scored: FloatArray,
    learned: FloatArray | None = None,
) -> tuple[Leak, ...]:
    """Columns that alone give nearly all answers, the one that gives most first.

    Rows about which all concepts of a column say the same get the class that is most common among them.

    Parameters
    ----------
    columns : mapping of str to tuple of str
        Each column with its concepts, as :func:`used_columns` finds them.
    concepts : mapping of str to ndarray of bool, shape (n,)
    classes : ndarray of int, shape (n,)
        Codes of the true classes.
    scored : ndarray of float, shape (n,)
        How many rows each stands for among those scored.
    learned : ndarray of float, shape (n,), optional
        The same among the rows that show which class is most common. When missing, the rows scored show it
        themselves, and columns with small groups are left out.

    Examples
    --------
    >>> day = np.arange(100) < 40
    >>> leaking_columns({"day": ("day",)}, {"day": day}, day.astype(int), np.ones(100))
    (Leak(column='day', share=1.0),)
    """
    n_rows = scored.sum()
    if n_rows < _FEWEST:
        return ()
    shown = scored if learned is None else learned
    everything = np.zeros(len(classes), dtype=np.intp)
    guess = _share(everything, classes, shown, scored)
    if not _says_more(1.0, guess, n_rows):
        return ()
    found = []
    for column, names in columns.items():
        groups = _groups([concepts[name] for name in names])
        if learned is None and (groups.max() + 1) * _FEWEST > n_rows:
            continue
        share = _share(groups, classes, shown, scored)
        if share >= NEARLY_ALL and _says_more(share, guess, n_rows):
            found.append(Leak(column, share))
    return tuple(sorted(found, key=lambda each: -each.share))


def _says_more(share: float, guess: float, n_rows: float) -> bool:
    """Whether a column that gives a share of the answers says clearly more than the most common class."""
    return (1 - guess) * n_rows >= _FEWEST_OTHERS and (1 - share) * _FEWER_ERRORS <= 1 - guess


def _groups(truths: list[BoolArray]) -> IndexArray:
    """Numbers of the groups of rows about which all concepts say the same, shape (n,)."""
    groups = np.zeros(len(truths[0]), dtype=np.intp)
    for truth in truths:
        groups = np.unique(2 * groups + truth, return_inverse=True)[1].reshape(-1)
    return groups


def _share(groups: IndexArray, classes: IndexArray, learned: FloatArray, scored: FloatArray) -> float:
    """Share of the rows scored that are of the most common class of their group among those learned."""
    counts = np.zeros((int(groups.max()) + 1, int(classes.max()) + 1))
    np.add.at(counts, (groups, classes), learned)
    counts[counts.sum(axis=1) == 0] = counts.sum(axis=0)  # nothing is known of it
    right = counts.argmax(axis=1)[groups] == classes
    return float(scored[right].sum() / scored.sum())
