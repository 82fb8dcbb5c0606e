"""Columns that give the answers away are named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from logiclens.cli.options import Selection
from logiclens.cli.selection import MemoryRows, select_rows
from logiclens.concepts import Above, OneOf, Vocabulary
from logiclens.evaluation._evaluate import Leak, leaking_columns
from logiclens.explain import ExplanationSet
from logiclens.files import TableFile
from logiclens.logic import parse_formula
from tests.cli.saved import rules_of

WORDS = Vocabulary(("day", "age", "ward"), (Above("day", 30), Above("age", 60), OneOf("ward", ("ICU",))))


def rules(formula: str = '"day > 30" | "age > 60"', words: Vocabulary | None = WORDS) -> ExplanationSet:
    yes = parse_formula(formula)
    return rules_of({"yes": yes, "no": ~yes}, WORDS.names, vocabulary=words)


def table(n: int = 400, wrong: int = 0, rare: int = 2) -> MemoryRows:
    """One of this many rows is yes; the day tells them all, but for some."""
    day = np.where(np.arange(n) % rare == 0, 50, 10)
    outcome = np.where(day > 30, "yes", "no")
    outcome[:wrong] = np.where(outcome[:wrong] == "yes", "no", "yes")
    age = np.arange(n) % 97
    columns = {"day": day, "age": age, "ward": ["ICU", "B", "C"] * (n // 3) + ["B"] * (n % 3), "y": outcome}
    return select_rows(TableFile(pa.table(columns), "t"), Selection("y", holdout=0.5))


def test_a_column_that_says_it_all_is_found():
    assert table().leaks(rules()) == (Leak("day", 1.0),)


def test_it_must_be_in_a_rule():
    assert table().leaks(rules('"age > 60"')) == ()


def test_errors_count():
    assert table(wrong=40).leaks(rules()) == ()


@pytest.mark.parametrize(("rare", "found"), [(20, ("day",)), (400, ())], ids=["rare", "a single row"])
def test_a_guess_must_be_much_worse(rare: int, found: tuple[str, ...]):
    assert tuple(each.column for each in table(rare=rare).leaks(rules())) == found


def test_of_few_rows_nothing_is_said():
    day = np.arange(60) % 2 == 0
    columns = {"day": ("day",)}
    found = [
        leaking_columns(columns, {"day": day[:n]}, day[:n].astype(int), np.ones(n)) for n in (29, 59, 60)
    ]

    assert found == [(), (), (Leak("day", 1.0),)]


def test_without_a_vocabulary_nothing_is_known_of_columns():
    assert table().leaks(rules(words=None)) == ()


def test_one_column_is_no_leak():
    prepared = table()
    alone = replace(prepared, inputs=prepared.inputs.select(["day"]))

    assert alone.leaks(rules('"day > 30"')) == ()
