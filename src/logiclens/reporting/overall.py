"""How good all rules are together: accuracy, fidelity, complexity, and what they mix up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import IndexArray, unpack
from logiclens.reporting.facts import Confusion, Mistake, OverallFacts
from logiclens.reporting.measured import Answers, Measured
from logiclens.reporting.rates import Cells
from logiclens.reporting.subject import BLACK_BOX, CLUSTER, Subject

MOST_LABELS = 24
"""Labels up to which every pair is counted in a table."""
MOST_MISTAKES = 12
"""Pairs of labels mixed up that are listed."""


def overall_facts(subject: Subject, rows: Measured | None) -> OverallFacts:
    """How good all rules are together, on rows or, without them, as the fit found."""
    return _stored(subject) if rows is None else _measured(subject, rows)


def _measured(subject: Subject, rows: Measured) -> OverallFacts:
    rules = subject.rules
    predicted = None if rules.multi_label else rows.predicted()
    confusion, mistakes = _confused(rules, rows.wanted, predicted)
    said = _said(rows, predicted)
    same = rows.n_alike(said, rows.model)
    fidelity = _cells(rows, rows.model)
    truth = _cells(rows, rows.truth)
    return OverallFacts(
        part=subject.part,
        n=rows.n,
        against="" if rows.wanted is None else rows.wanted.by,
        faithful_to="" if rows.model is None else rows.model.by,
        network_accuracy=_same(rows, rows.network),
        rules_accuracy=_same(rows, said),
        black_box_accuracy=_same(rows, rows.black_box),
        baseline=_baseline(rows),
        joint_fidelity=None if same is None else same / rows.n,
        fidelity=_mean([cells.macro_f1 for cells in fidelity]),
        fidelity_plain=_mean([cells.plain for cells in fidelity]),
        explanation_accuracy=_mean([cells.macro_f1 for cells in truth]),
        explanation_accuracy_plain=_mean([cells.plain for cells in truth]),
        complexity=rules.complexity,
        n_uncovered=_uncovered(rows),
        confusion=confusion,
        mistakes=mistakes,
    )


def _uncovered(rows: Measured) -> int:
    """Rows of which no step is true, or no rule where there may be several labels."""
    if not rows.rules.multi_label:
        return int((rows.decided_by() == len(rows.rules.steps)).sum())
    fired = [unpack(rows.fired(explanation.formula), rows.n) for explanation in rows.rules.values()]
    return int((~np.any(fired, axis=0)).sum())


def _cells(rows: Measured, answers: Answers | None) -> list[Cells]:
    found = (rows.cells(e.formula, answers, at) for at, e in enumerate(rows.rules.values()))
    return [cells for cells in found if cells is not None]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _same(rows: Measured, answers: Answers | None) -> float | None:
    """Share of the rows whose true label, or all of whose true labels, somebody gives."""
    right = rows.n_alike(answers, rows.truth)
    return None if right is None else right / rows.n


def _baseline(rows: Measured) -> float | None:
    """How often the most common label is right; not asked of rows that may have several."""
    if rows.truth is None or rows.truth.codes is None:
        return None
    return float(np.bincount(rows.truth.codes).max()) / rows.n


def _said(rows: Measured, predicted: IndexArray | None) -> Answers:
    """What the rules say."""
    words = tuple(rows.fired(explanation.formula) for explanation in rows.rules.values())
    return Answers("the rules", words, predicted)


def _confused(
    rules: ExplanationSet, wanted: Answers | None, predicted: IndexArray | None
) -> tuple[Confusion | None, tuple[Mistake, ...]]:
    """The table of what the rules take for what, and its largest entries off the diagonal."""
    if wanted is None or wanted.codes is None or predicted is None:
        return None, ()
    labels = [str(label) for label in (*rules.labels, *wanted.others)]
    width = len(labels)
    pairs, counts = np.unique(wanted.codes * width + predicted, return_counts=True)
    found = [
        Mistake(labels[pair // width], labels[pair % width], int(n))
        for pair, n in zip(pairs.tolist(), counts.tolist(), strict=True)
        if pair // width != pair % width
    ]
    found.sort(key=lambda mistake: -mistake.n)
    mistakes = tuple(found[:MOST_MISTAKES])
    if width > MOST_LABELS:
        return None, mistakes
    table = np.zeros(width * width, dtype=np.intp)
    table[pairs] = counts
    return Confusion(tuple(labels), tuple(map(tuple, table.reshape(width, width).tolist()))), mistakes


def _stored(subject: Subject) -> OverallFacts:
    """What the fit found: of a black box on rows held out, else the means of the rules' own scores."""
    rules, box = subject.rules, subject.imitation
    scores = [explanation.scores for explanation in rules.values() if explanation.scores is not None]
    parts = {f"{scores.part} rows" for scores in scores}
    part = parts.pop() if len(parts) == 1 else ""
    fidelity = _mean([score.fidelity for score in scores])
    accuracy = _mean([score.accuracy for score in scores])
    model = "" if fidelity is None else "the clusters" if subject.task == CLUSTER else "the network"
    n: int | None = max((score.n_rows for score in scores), default=None)
    if box is not None:
        part, n, model = f"rows {box.part}", box.n_rows, "the black box"
    return OverallFacts(
        part=part,
        n=n,
        against="the truth" if accuracy is not None and subject.task != BLACK_BOX else model,
        faithful_to=model,
        network_accuracy=None,
        rules_accuracy=None if box is None else box.rules_accuracy,
        black_box_accuracy=None if box is None else box.black_box_accuracy,
        baseline=None,
        joint_fidelity=None if box is None else box.rules_agree,
        fidelity=None if box is None else box.macro_f1,
        fidelity_plain=fidelity if box is None else box.plain,
        explanation_accuracy=None,
        explanation_accuracy_plain=accuracy if box is None else None,
        complexity=rules.complexity,
        n_uncovered=None,
        confusion=None,
        mistakes=(),
    )
