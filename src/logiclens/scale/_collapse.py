"""Rows of a table in an engine, collapsed: each distinct tuple of concepts once, with how often it occurs.

A truth table is one GROUP BY. Its keys are not the concepts one by one but words of 48 of them: DuckDB packs
fastest by adding up floats (24 Booleans, as powers of two, make a whole number that single precision holds
exactly; two of these make one of double precision), and other engines do that as well.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from logiclens.concepts.vocabulary import Vocabulary
from logiclens.errors import InputError, LimitError, count, shown
from logiclens.estimators.folds import Distinct
from logiclens.logic.arrays import BoolArray, FloatArray, IndexArray
from logiclens.logic.data import THRESHOLD, as_weights, check_count, check_threshold
from logiclens.logic.truth_table import TruthTable
from logiclens.scale._engine import (
    Expression,
    Table,
    check_columns,
    check_table,
    engine_errors,
    fetch,
    ibis_module,
)
from logiclens.scale._expressions import (
    Fault,
    as_number,
    concept_columns,
    faults,
    float_literal,
    is_missing,
    is_outside,
    join_balanced,
    kind_of,
)
from logiclens.scale._training_rows import TrainingRows, numbers_of, weight_fault, weights_name

MOST_ROWS = 1 << 20
"""Distinct tuples fetched at most, by default."""
_HALF = 24  # Booleans that a float of single precision holds
_WORD = 2 * _HALF


@dataclass(frozen=True, eq=False)
class CollapsedRows:
    """Distinct tuples.

    Attributes
    ----------
    bits : ndarray of bool, shape (n, n_bits)
    found : pyarrow.Table
        The other columns, n rows: counts (``n``), sums of weights (``s``), targets (``t0``, ...).
    """

    bits: BoolArray
    found: Any

    @property
    def counts(self) -> FloatArray:
        """Rows that each stands for, (n,)."""
        return numbers_of(self.found, "n")

    @property
    def sums(self) -> FloatArray:
        """Weight of those rows, (n,)."""
        return numbers_of(self.found, "s")

    def tuples(self) -> IndexArray:
        """A number for each, equal where all concepts are, whatever the targets, (n,)."""
        return Distinct.of(np.packbits(self.bits, axis=1)).place


def collapse(
    rows: TrainingRows,
    bits: Sequence[Expression],
    max_rows: int = MOST_ROWS,
    *,
    by_weight: bool = False,
    key: Expression | None = None,
) -> CollapsedRows:
    """Count rows by some Booleans and the targets.

    Parameters
    ----------
    rows : TrainingRows
    bits : sequence of Boolean expressions
        On the rows of ``rows.table``; never NULL.
    max_rows : int, default 2**20
        The most distinct tuples.
    by_weight : bool, default False
        Whether rows of different weights are counted apart.
    key : expression, optional
        Rows with different values of it are counted apart, too; it is found as column ``key``.

    Raises
    ------
    LimitError
        There are more distinct tuples.
    """
    words = pack_bits(bits)
    if key is not None:
        words["key"] = key
    keyed = rows.select_keys(rows.table, **words)
    keys = [*words, "w"] if by_weight else [*words]
    query = rows.count_by(keyed, keys, by_targets=True).limit(max_rows + 1)
    found = fetch(query, "Collapsing the table")
    if len(found) > max_rows:
        n_rows = fetch(rows.table.count(), "Counting rows").as_py()
        raise LimitError(
            f"The table does not collapse enough: its {n_rows} rows have more than "
            f"{count(max_rows, 'distinct combination')} of concepts and target.",
            "Use fewer columns (columns=), coarser bins (encoder=ConceptEncoder(max_cuts=1)) or a sample of "
            "the rows (sample=100000).",
        )
    return CollapsedRows(unpack_bits(found, len(bits)), found)


def check_max_rows(max_rows: int) -> int:
    """A limit on distinct tuples, once it is sure that it allows some."""
    if check_count(max_rows, "max_rows") == 0:
        raise InputError("max_rows must be at least 1. Got 0.")
    return int(max_rows)


def pack_bits(bits: Sequence[Expression]) -> dict[str, Expression]:
    """Words of 48 Booleans each, by their own names.

    Parameters
    ----------
    bits : sequence of Boolean expressions
        Never NULL.
    """
    ibis = ibis_module()
    halves = []
    for start in range(0, len(bits), _HALF):
        part = bits[start : start + _HALF]
        powers = [ibis.literal(float(1 << place), type="float32") for place in range(len(part))]
        # By way of integers, since not all engines turn a Boolean into a float.
        terms = [bit.cast("int32").cast("float32") * power for bit, power in zip(part, powers, strict=True)]
        halves.append(join_balanced([(term, 0) for term in terms], operator.add)[0].cast("float64"))
    words = {}
    for at in range(0, len(halves), 2):
        high = [half * ibis.literal(float(1 << _HALF), type="float64") for half in halves[at + 1 : at + 2]]
        words[f"b{at // 2}"] = sum(high, start=halves[at]).cast("int64")
    return words


def unpack_bits(found: Any, n_bits: int) -> BoolArray:
    """The Booleans again, shape (n, n_bits), from the words in a pyarrow table."""
    bits = np.zeros((len(found), n_bits), dtype=np.bool_)
    for start in range(0, n_bits, _WORD):
        words = found.column(f"b{start // _WORD}").to_numpy().astype(np.int64)
        width = min(_WORD, n_bits - start)
        octets = words.astype("<i8").view(np.uint8).reshape(-1, 8)
        bits[:, start : start + width] = np.unpackbits(octets, axis=1, count=width, bitorder="little")
    return bits


def truth_table(
    table: Table,
    answers: str | Expression,
    *,
    concepts: Sequence[str] | None = None,
    vocabulary: Vocabulary | None = None,
    weights: str | None = None,
    threshold: float = THRESHOLD,
    max_rows: int = MOST_ROWS,
) -> TruthTable:
    """Count the answers on each distinct tuple of concepts, in one pass of the engine.

    Parameters
    ----------
    table : ibis.Table
        Concepts, Booleans or numbers in [0, 1], or with a vocabulary the raw columns.
    answers : str or Ibis expression
        The answers about one class: a column of the table or an expression on it, Boolean or in [0, 1].
        From labels of several classes, ``table["y"] == label`` makes them.
    concepts : sequence of str, optional
        The concepts, in this order; when missing all of the vocabulary or, without one, all columns but those
        of the answers and the weights.
    vocabulary : Vocabulary, optional
        What the concepts mean in the columns of the table.
    weights : str, optional
        Column of non-negative weights; 1 when missing. Rows of weight 0 are left out.
    threshold : float, default 0.5
        Concepts and answers count as true when greater.
    max_rows : int, default 2**20
        The most distinct tuples.

    Returns
    -------
    TruthTable
        What :meth:`TruthTable.from_data <logiclens.logic.TruthTable.from_data>` makes of the same rows.

    Raises
    ------
    LimitError
        There are more distinct tuples.

    Examples
    --------
    >>> import ibis
    >>> import pyarrow as pa
    >>> columns = {"a": [True, True, False], "b": [1, 0, 0], "y": ["ill", "ill", "well"]}
    >>> table = ibis.memtable(pa.table(columns))
    >>> truth_table(table, table["y"] == "ill")
    TruthTable(2 concepts, 3 rows, weight 2 yes, 1 no)
    """
    ibis = ibis_module()
    check_table(table)
    limit, most = check_threshold(threshold), check_max_rows(max_rows)
    if vocabulary is not None and not isinstance(vocabulary, Vocabulary):
        raise InputError(f"vocabulary must be a Vocabulary. Got {shown(vocabulary)}.")
    cells = _answer_values(table, answers)
    if weights is not None:
        check_columns(table, [weights_name(weights)])
    names = _concept_names(table, cells, concepts, vocabulary, weights)
    bits = [*concept_columns(table, vocabulary, names, limit).values()]
    wrong = [*faults(table, vocabulary, names), *_answer_faults(cells)]
    if weights is not None:
        wrong.append(weight_fault(table[weights]))
    yes = cells if cells.type().is_boolean() else as_number(cells) > float_literal(limit)
    words = pack_bits(bits)
    with engine_errors("Collapsing the table"):
        keyed = table.select(
            **words,
            yes=yes.fill_null(False),
            w=ibis.literal(1) if weights is None else as_number(table[weights]),
            wrong=join_balanced([(fault.where, 0) for fault in wrong], operator.or_)[0],
        )
    sums = {
        "yes": keyed["yes"].ifelse(keyed["w"], 0).sum(),
        "no": keyed["yes"].ifelse(0, keyed["w"]).sum(),
        "wrong": keyed["wrong"].sum(),
    }
    grouped = keyed.group_by([*words]).aggregate(**sums) if words else keyed.aggregate(**sums)
    found = fetch(grouped.limit(most + 1), "Collapsing the table")
    if numbers_of(found, "wrong").any():
        raise _first_error(table, wrong)
    if len(found) > most:
        n_rows = fetch(table.count(), "Counting rows").as_py()
        raise LimitError(
            f"The table does not collapse enough: its {n_rows} rows have more than "
            f"{count(most, 'distinct combination')} of {count(len(names), 'concept')}. Name fewer concepts "
            "(concepts=), or raise max_rows."
        )
    if found.num_rows == 0 or found.column("yes").null_count:
        raise InputError("A truth table needs at least one row of data. Got none.")
    counts = numbers_of(found, "yes"), numbers_of(found, "no")
    if weights is not None:  # refuse what adds up to too much
        as_weights(np.concatenate(counts), f"Column {weights!r}", 2 * len(found))
    return TruthTable.from_counts(unpack_bits(found, len(names)), *counts, names)


def _answer_values(table: Table, answers: Any) -> Expression:
    ibis = ibis_module()
    if isinstance(answers, str):
        check_columns(table, [answers])
        answers = table[answers]
    if not isinstance(answers, ibis.Value):
        raise InputError(
            f"answers must be the name of a column or an Ibis expression. Got {shown(answers)}; "
            "write table['y'] == label."
        )
    kind = answers.type()
    if not kind.is_boolean() and not kind.is_numeric():
        name = answers.get_name()
        raise InputError(
            "answers must say yes or no for one class: Booleans or numbers in [0, 1]. "
            f"Column {name!r} holds {kind_of(answers)}; write table[{name!r}] == label."
        )
    return answers


def _concept_names(
    table: Table,
    cells: Expression,
    concepts: Sequence[str] | None,
    vocabulary: Vocabulary | None,
    weights: str | None,
) -> tuple[str, ...]:
    if concepts is not None:
        if isinstance(concepts, str):
            raise InputError(
                f"concepts must be a sequence of names. Got {shown(concepts)}; write ['a', 'b']."
            )
        return tuple(concepts)
    if vocabulary is not None:
        return vocabulary.names
    used = {field.name for field in cells.op().find(ibis_module().expr.operations.Field)} | {weights}
    return tuple(name for name in table.columns if name not in used)


def _answer_faults(cells: Expression) -> list[Fault]:
    found = [Fault(cells.get_name(), is_missing(cells), "missing value", "Impute or drop those rows first.")]
    if not cells.type().is_boolean():
        advice = "Answers say yes or no for one class: write table['y'] == label."
        found.append(Fault(cells.get_name(), is_outside(cells), "value", advice))
    return found


def _first_error(table: Table, wrong: Sequence[Fault]) -> InputError:
    """The error of the first column that has a fault."""
    sums = {f"f{at}": fault.where.sum() for at, fault in enumerate(wrong)}
    found = fetch(table.aggregate(**sums), "Looking at the columns")
    numbers = [int(numbers_of(found, name).sum()) for name in sums]
    return next(fault.error(number) for fault, number in zip(wrong, numbers, strict=True) if number)
