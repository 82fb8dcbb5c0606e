"""How good rules are on all rows: one more pass, over the columns that they and the network read.

Everything is a sum over rows, so processes count their own and add up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from logiclens.estimators.asking import ask
from logiclens.estimators.targets import Problem, decisions, spread_outputs
from logiclens.explain.decision_list import Step, ranked_steps, simplify_list
from logiclens.explain.explanation import Explanation
from logiclens.explain.front import Scores
from logiclens.explain.rule_set import ExplanationSet
from logiclens.logic.arrays import FloatArray
from logiclens.nn.population import LogicNetwork
from logiclens.scale.streaming.aims import Aim
from logiclens.scale.streaming.source import ParquetSource, RowGroup
from logiclens.scale.streaming.training import narrowed, read_columns

COUNTED = ("covered", "right", "members", "said", "agreed", "agreed_with_truth", "left")
"""What is counted of each target: weight of the rows on which its rule holds, of those that are the target,
of the target, of those the network says yes to, of those on which rule and network agree, on which rule and
truth agree, and of the target where no rule holds."""


def count_rules(
    rules: ExplanationSet,
    network: LogicNetwork,
    source: ParquetSource,
    groups: Iterable[RowGroup],
    aim: Aim,
    problem: Problem,
    by_label: FloatArray,
    told: Callable[[int], None] = lambda _: None,
) -> FloatArray:
    """Count on the rows of some row groups, (counted, n_targets); see :data:`COUNTED`.

    Parameters
    ----------
    rules : ExplanationSet
    network : LogicNetwork
        One member for each output.
    source : ParquetSource
    groups : iterable of RowGroup
    aim : Aim
    problem : Problem
    by_label : ndarray of shape (n_labels,)
        Weight of the rows of each label.
    told : callable, optional
        Told the number of rows that were counted, each time.
    """
    names = rules.concept_names
    spoken_of = {name for formula in rules.formulas.values() for name in formula.concepts}
    read = read_columns(network)
    asked = narrowed(network, read)
    columns = [names[j] for j in read]
    others = [name for name in sorted(spoken_of) if name not in set(columns)]
    dtype = source.dtype([*columns, *others])
    sums = np.zeros((len(COUNTED), len(rules)))
    for group in groups:
        for chunk in source.chunks(group, [*columns, *others, *aim.names]):
            x = chunk.scores([*columns, *others], dtype)
            targets = aim.read(chunk)
            truth = spread_outputs(aim.outputs(targets, problem).T, problem)
            said = decisions(ask(asked, x[: len(columns)].T), problem)
            fired = rules.fired(dict(zip([*columns, *others], x, strict=True)))
            weight = np.ones(len(truth)) if aim.multi_label else by_label[targets]
            left = np.where(fired.any(axis=1, keepdims=True), 0.0, truth)
            right = np.where(fired, truth, 1.0 - truth)
            counted = (fired, truth * fired, truth, said, fired == said, right, left)
            sums += np.stack([weight @ each for each in counted])
            told(chunk.rows.num_rows)
    return sums


def judged(rules: ExplanationSet, sums: FloatArray, n_rows: int, total: float) -> ExplanationSet:
    """The rules with what was counted: support, rates, steps and default.

    Parameters
    ----------
    rules : ExplanationSet
    sums : ndarray of shape (counted, n_targets)
        As :func:`count_rules` returns it, of all rows.
    n_rows : int
    total : float
        Weight of all rows.
    """
    by_name = dict(zip(COUNTED, sums, strict=True))
    explanations = [
        _scored(explanation, {name: float(each[at]) for name, each in by_name.items()}, n_rows, total)
        for at, explanation in enumerate(rules.explanations)
    ]
    covered = np.where(by_name["covered"] > 0, by_name["covered"], 1.0)
    if rules.multi_label:
        return replace(rules, explanations=tuple(explanations))
    precision = np.minimum(by_name["right"] / covered, 1.0).tolist()
    frequency = by_name["left"] if by_name["left"].any() else by_name["members"]
    default = explanations[int(frequency.argmax())].target
    ranked = ranked_steps(precision, [Step(each.target, each.formula) for each in explanations], default)
    steps, default = simplify_list(ranked, default)
    return replace(rules, explanations=tuple(explanations), default=default, steps=steps)


def _scored(explanation: Explanation, counted: dict[str, float], n_rows: int, total: float) -> Explanation:
    def share(part: str, whole: float) -> float | None:
        return min(counted[part] / whole, 1.0) if whole else None

    scores = Scores(
        part="training",
        n_rows=n_rows,
        precision=share("right", counted["covered"]),
        recall=share("right", counted["members"]),
        coverage=share("covered", total),
        accuracy=share("agreed_with_truth", total),
        fidelity=share("agreed", total),
    )
    return replace(explanation, scores=scores, support=counted["said"])
