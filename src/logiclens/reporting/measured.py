"""Rows to measure rules on: concepts, the truth, what the network and a black box say, each read once.

Everything is kept packed, 64 rows to a word, so that the formulas of two hundred classes and of their fronts
can be tried on a million rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from logiclens.concepts.table import Table
from logiclens.errors import InputError
from logiclens.explain.resolution import used_concepts
from logiclens.explain.rule import Label, label_array, true_answers, true_labels
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import BoolArray, IndexArray, Words, pack, unpack
from logiclens.logic.formula import Formula
from logiclens.reporting.rates import Cells, cells_of
from logiclens.reporting.subject import BLACK_BOX, CLUSTER, Subject

_BLACK_BOX = "the black box"
_BLOCK = 1 << 17  # rows that a network is asked about at a time


@dataclass(frozen=True, eq=False)
class Answers:
    """What somebody says about rows.

    Attributes
    ----------
    by : str
        Who says it: "the truth", "the network", "the black box", "the clusters".
    words : tuple of Words
        Whether each row is each target, packed, in the order of the labels.
    codes : ndarray of int, shape (n,), optional
        The place of each row's label, where rows have one; ``len(labels)`` and above are labels without a
        rule.
    others : tuple of label
        Those.
    """

    by: str
    words: tuple[Words, ...]
    codes: IndexArray | None
    others: tuple[Label, ...] = ()


@dataclass(frozen=True, eq=False)
class Measured:
    """Rows, and what is said about them.

    Attributes
    ----------
    rules : ExplanationSet
    n : int
    table : Table, optional
        The raw columns, where the rules have a vocabulary or the data are a frame.
    concepts : mapping of str to Words
        Truth of each concept that some formula uses, packed.
    truth, network, black_box : Answers, optional
    wanted : Answers, optional
        What the rules are compared with: the truth, or what they explain.
    model : Answers, optional
        What they explain.
    """

    rules: ExplanationSet
    n: int
    table: Table | None
    concepts: Mapping[str, Words]
    truth: Answers | None
    network: Answers | None
    black_box: Answers | None
    wanted: Answers | None
    model: Answers | None

    def fired(self, formula: Formula) -> Words:
        """Truth of a formula on each row, packed; bits beyond the rows are 0."""
        words = formula.evaluate_words(self.concepts, -(-self.n // 64))
        return words & self._rows

    @cached_property
    def _rows(self) -> Words:
        return pack(np.ones(self.n, dtype=np.bool_))

    def cells(self, formula: Formula, answers: Answers | None, at: int) -> Cells | None:
        """How a formula fares as the rule of a label, in the eyes of somebody."""
        return None if answers is None else cells_of(self.fired(formula), answers.words[at], self.n)

    def n_alike(self, one: Answers | None, other: Answers | None) -> int | None:
        """Of how many rows two say the same; of several labels, the same of all of them."""
        if one is None or other is None:
            return None
        if one.codes is not None and other.codes is not None:
            known = other.codes < len(self.rules)  # a label without a rule is nobody's
            return int(((one.codes == other.codes) & known).sum())
        if not one.words or not other.words:
            return None
        apart = np.bitwise_or.reduce([a ^ b for a, b in zip(one.words, other.words, strict=True)])
        return self.n - int(np.bitwise_count(apart).sum())

    def decided_by(self) -> IndexArray:
        """Place of the step that decides each row, as :meth:`ExplanationSet.decided_by` says it."""
        steps = self.rules.steps
        found = np.full(self.n, len(steps), dtype=np.intp)
        for at in reversed(range(len(steps))):  # the one that decides comes last
            found[unpack(self.fired(steps[at].formula), self.n)] = at
        return found

    def predicted(self) -> IndexArray:
        """Place of the label that the rules predict, shape (n,), as :meth:`ExplanationSet.predict` does."""
        labels = [*(step.label for step in self.rules.steps), self.rules.default]
        places = np.array([self.rules.labels.index(label) for label in labels], dtype=np.intp)
        return np.asarray(places[self.decided_by()])


def measure(subject: Subject, X: Any, y: Any, formulas: Iterable[Formula]) -> Measured:
    """Read rows, and what is said about them.

    Parameters
    ----------
    subject : Subject
    X : data frame, array, sparse matrix or mapping
    y : array, optional
        The truth; or, where a black box cannot be asked, what it answers.
    formulas : iterable of Formula
        All that will be evaluated, beside what decides.

    Raises
    ------
    InputError
        There are no rows, or ``y`` does not fit them.
    """
    rules = subject.rules
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        X = X.toarray()
    used = used_concepts([*rules.conditions.values(), *formulas])
    rows = _as_table(X, rules, used)
    data = rules.read(rows, used=used)
    n = data.n_rows
    if not n:
        raise InputError("A report needs at least one row to measure rules on. Pass rows, or leave X out.")
    if y is not None and subject.task == CLUSTER:
        raise InputError("Clusters have no truth to be compared with. Leave y out.")
    truth = None if y is None else _truth(y, rules, n)
    network = _network(subject, rows, n)
    black_box = None
    if subject.ask is not None:
        black_box = _answers(_BLACK_BOX, np.asarray(subject.ask(X)), rules)
    elif subject.task == BLACK_BOX and truth is not None:
        black_box, truth = replace(truth, by=_BLACK_BOX), None
    model = black_box or network
    wanted = model if subject.task in (BLACK_BOX, CLUSTER) and model is not None else truth or model
    return Measured(
        rules,
        n,
        rows if isinstance(rows, Table) else _raw(X),
        data.packed_columns(used),
        truth,
        network,
        black_box,
        wanted,
        model,
    )


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


def _truth(y: Any, rules: ExplanationSet, n: int) -> Answers:
    if rules.multi_label:
        return _answers("the truth", true_answers(y, rules.labels, n), rules)
    return _answers("the truth", true_labels(y, rules.labels, n), rules)


def _network(subject: Subject, rows: Any, n: int) -> Answers | None:
    """What the network says, asked in blocks where rows can be taken."""
    if subject.decide is None or subject.predict is None:
        return None
    parts = [_decided(subject.decide, subject.predict, block, subject.rules) for block in _blocks(rows, n)]
    decided = np.concatenate([part[0] for part in parts])
    codes = None if subject.rules.multi_label else np.concatenate([part[1] for part in parts])
    by = "the clusters" if subject.task == CLUSTER else "the network"
    return Answers(by, _packed(decided), codes)


def _blocks(rows: Any, n: int) -> list[Any]:
    """Rows to ask a network about at a time, where they can be taken."""
    if not isinstance(rows, Table) or n <= _BLOCK:
        return [rows]
    return [rows.take(np.arange(at, min(at + _BLOCK, n))) for at in range(0, n, _BLOCK)]


def _decided(
    decide: Callable[[Any], BoolArray],
    predict: Callable[[Any], NDArray[Any]],
    rows: Any,
    rules: ExplanationSet,
) -> tuple[BoolArray, IndexArray]:
    """What the network says of each target, and the place of the label it predicts."""
    said = decide(rows)
    if rules.multi_label or (said.sum(axis=1) == 1).all():
        return said, said.argmax(axis=1)
    return said, _places(predict(rows), rules.labels)[0]


def _answers(by: str, values: NDArray[Any], rules: ExplanationSet) -> Answers:
    if values.ndim == 2:
        return Answers(by, _packed(values > 0), None)
    codes, others = _places(values, rules.labels)
    return Answers(by, tuple(pack(codes == at) for at in range(len(rules))), codes, others)


def _packed(said: BoolArray) -> tuple[Words, ...]:
    return tuple(pack(said[:, at]) for at in range(said.shape[1]))


def _places(values: NDArray[Any], labels: Sequence[Label]) -> tuple[IndexArray, tuple[Label, ...]]:
    """Place of each value among the labels, and the labels that have none, which come after them."""
    known = label_array(labels)
    codes = np.full(len(values), -1, dtype=np.intp)
    for at in range(len(known)):
        codes[values == known[at]] = at
    others: list[Label] = []
    while (left := np.flatnonzero(codes < 0)).size:
        other = values[left[0]]
        codes[values == other] = len(known) + len(others)
        others.append(other.item() if isinstance(other, np.generic) else other)
    return codes, tuple(others)
