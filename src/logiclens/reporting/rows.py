"""Rows about which the rules are wrong, with their values: only for readers who ask for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from logiclens.concepts.table import Table
from logiclens.errors import InputError, count
from logiclens.logic.arrays import IndexArray, unpack
from logiclens.reporting.facts import RowFacts
from logiclens.reporting.measured import Answers, Measured
from logiclens.reporting.rule_facts import InputFacts, Plain, plain_value

MOST_ROWS = 100
"""Rows that are listed."""
MOST_VALUES = 40
"""Columns of a row that are."""


def row_facts(
    rows: Measured | None, inputs: Sequence[InputFacts], numbers: Sequence[int] | None = None
) -> tuple[tuple[RowFacts, ...], int]:
    """The first rows about which the rules are wrong, and how many more there are.

    Parameters
    ----------
    rows : Measured, optional
    inputs : sequence of InputFacts
        Columns that formulas use: they are shown first.
    numbers : sequence of int, length n, optional
        What the rows are called; they are counted from 1 when missing.

    Raises
    ------
    InputError
        There is nothing to compare the rules with, or there are more numbers than rows, or fewer.
    """
    if rows is None or rows.wanted is None:
        raise InputError("rows=True shows rows about which the rules are wrong. Pass X and y.")
    if numbers is not None and len(numbers) != rows.n:
        raise InputError(
            f"row_numbers must have a number for each of {count(rows.n, 'row')}. Got {len(numbers)}; pass "
            "those of the rows of X."
        )
    said = Answers("the rules", tuple(rows.fired(e.formula) for e in rows.rules.values()), None)
    default = np.zeros(rows.n, dtype=np.bool_)
    if rows.rules.multi_label:
        wrong = np.zeros_like(said.words[0])
        for one, other in zip(said.words, rows.wanted.words, strict=True):
            wrong |= one ^ other
        every = np.flatnonzero(unpack(wrong, rows.n))
    else:
        said = Answers("the rules", said.words, rows.predicted())
        every = np.flatnonzero(said.codes != rows.wanted.codes)
        default = rows.decided_by() == len(rows.rules.steps)
    which = every[:MOST_ROWS]
    truth, rules = _texts(rows.wanted, rows, which), _texts(said, rows, which)
    network = [None] * len(which) if rows.network is None else _texts(rows.network, rows, which)
    values = _values(rows.table, which, [one.name for one in inputs])
    marks = ["default" if each else "" for each in default[which]]
    called = [at + 1 if numbers is None else numbers[at] for at in which.tolist()]
    found = map(RowFacts, called, values, truth, network, rules, marks)
    return tuple(found), len(every) - len(which)


def _texts(answers: Answers, rows: Measured, which: IndexArray) -> list[str]:
    """Labels of some rows; several of a row stand side by side."""
    labels = [str(label) for label in (*rows.rules.labels, *answers.others)]
    if answers.codes is not None:
        return [labels[code] for code in answers.codes[which]]
    said = np.column_stack([unpack(words, rows.n)[which] for words in answers.words])
    return [", ".join(label for label, true in zip(labels, row, strict=True) if true) for row in said]


def _values(table: Table | None, which: IndexArray, first: Sequence[str]) -> list[dict[str, Plain]]:
    if table is None:
        return [{} for _ in which]
    names = [name for name in first if name in table]
    names += [name for name in table.names if name not in set(names)]
    cells = {name: table.column(name).take(which).values() for name in names[:MOST_VALUES]}
    return [{name: plain_value(cells[name][at]) for name in cells} for at in range(len(which))]
