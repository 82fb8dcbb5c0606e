"""What networks settle on: the rule of each member, and the one rule of two classes.

:mod:`logiclens.explain.aim` chooses the formulas; here they are read off networks, and asked about rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from logiclens.estimators.asking import ask, by_tuple
from logiclens.estimators.counting import Fold
from logiclens.estimators.extraction import Extraction, Reader
from logiclens.estimators.targets import Problem, Targets
from logiclens.explain.aim import formula_of_two_classes, formula_to_settle_on
from logiclens.explain.label import Label
from logiclens.explain.trimming import trimmed
from logiclens.logic import Formula, TruthTable
from logiclens.logic.arrays import BoolArray, FloatArray
from logiclens.nn.population import LogicNetwork


def rules_of_members(
    network: LogicNetwork,
    searched: BoolArray,
    x: FloatArray,
    targets: Targets,
    fold: Fold,
    how: Extraction,
) -> BoolArray:
    """What the rule of each member says about each row, (n, members): several members may share an output.

    A member says yes where its output is above one half. What the truth does not bear out is left out of its
    rule, so that the network, which gives way to it, is right more often. The rule of a ``searched`` member,
    which reads the concepts of a short formula, is such a formula: the truth alone decides about it. Of two
    classes it is short for either.
    """
    said_yes = ask(network, x) > 0
    per_output = network.members // targets.outputs.shape[1]
    reader = Reader(network, x, fold, replace(how, ask=False, exact=False))
    found = np.zeros(said_yes.shape, dtype=np.bool_)
    for member in range(network.members):
        output = member // per_output
        truth = targets.outputs[:, output]
        if searched[member]:
            formula = _searched(reader, member, truth, targets.problem)
        else:
            label = targets.labels[-1 if targets.problem is Problem.BINARY else output]
            formula = _aim(reader, member, said_yes[:, member], truth, label)
        found[:, member] = formula.evaluate(x, names=how.names)
    return found


def rule_of_two_classes(
    network: LogicNetwork,
    said_yes: BoolArray,
    x: FloatArray,
    truth: FloatArray,
    fold: Fold,
    how: Extraction,
) -> BoolArray:
    """What the rule of a network of two classes says about each row, (n,): it is short for either class.

    Parameters
    ----------
    network : LogicNetwork
        Its one member is about the second class.
    said_yes : ndarray of bool, shape (n,)
        What it says.
    x : ndarray of shape (n, n_concepts)
    truth : ndarray of shape (n,)
        How far each row belongs to the second class.
    fold : Fold
    how : Extraction
    """
    reader = Reader(network, x, fold, how)
    table, true, order = _tables(reader, 0, said_yes, truth)
    formula = formula_of_two_classes(table, true, order=order, max_literals=how.max_literals)
    return formula.evaluate(x, names=how.names)


def _searched(reader: Reader, member: int, truth: FloatArray, problem: Problem) -> Formula:
    """The formula of the truth alone, over the concepts that a member reads."""
    columns, _ = reader.columns(member)
    true = reader.counted(truth, reader.rows_over(columns))
    find = formula_of_two_classes if problem is Problem.BINARY else formula_to_settle_on
    return find(true, true, max_literals=reader.how.max_literals)


def _aim(reader: Reader, member: int, said_yes: BoolArray, truth: FloatArray, label: Label) -> Formula:
    """The formula, in any words, that a member settles on."""
    table, true, order = _tables(reader, member, said_yes, truth)
    if reader.how.as_in_paper:
        return trimmed(reader.explain(member, said_yes, truth, label)[0].formula, true)
    found = formula_to_settle_on(table, true, order=order, max_literals=reader.how.max_literals)
    return trimmed(found, true)


def _tables(
    reader: Reader, member: int, said_yes: BoolArray, truth: FloatArray
) -> tuple[TruthTable, TruthTable, FloatArray]:
    """What a member says, the truth, and how the concepts matter, over those that it reads."""
    columns, scores = reader.columns(member)
    rows = reader.rows_over(columns)
    table = rows.answers(said_yes, reader.weight)
    by_row = scores.ndim == 2
    order = by_tuple(table, reader.x[:, columns], scores, reader.weight) if by_row else scores
    return table, reader.counted(truth, rows), order
