"""Columns that give the answers away are named."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from logiclens.cli import leaks
from logiclens.cli.demo import Carried
from logiclens.cli.leaks import Telling, telling_columns
from logiclens.cli.preparing import Prepared, Wish, prepare
from logiclens.concepts import Above, OneOf, Vocabulary
from logiclens.explain import ExplanationSet
from logiclens.logic import parse_formula
from tests.cli.saved import rules_of

WORDS = Vocabulary(("day", "age", "ward"), (Above("day", 30), Above("age", 60), OneOf("ward", ("ICU",))))


def rules(formula: str = '"day > 30" | "age > 60"', words: Vocabulary | None = WORDS) -> ExplanationSet:
    yes = parse_formula(formula)
    return rules_of({"yes": yes, "no": ~yes}, WORDS.names, vocabulary=words)


def table(n: int = 400, wrong: int = 0, rare: int = 2) -> Prepared:
    """One of so many rows is yes; the day tells them all, but for some."""
    day = np.where(np.arange(n) % rare == 0, 50, 10)
    outcome = np.where(day > 30, "yes", "no")
    outcome[:wrong] = np.where(outcome[:wrong] == "yes", "no", "yes")
    age = np.arange(n) % 97
    columns = {"day": day, "age": age, "ward": ["ICU", "B", "C"] * (n // 3) + ["B"] * (n % 3), "y": outcome}
    return prepare(Carried(pa.table(columns), "t"), Wish("y", holdout=0.5))


def test_a_column_that_says_it_all_is_found():
    assert telling_columns(rules(), table()) == (Telling("day", 1.0),)


def test_it_must_be_in_a_rule():
    assert telling_columns(rules('"age > 60"'), table()) == ()


def test_errors_count():
    assert telling_columns(rules(), table(wrong=40)) == ()


@pytest.mark.parametrize(("rare", "found"), [(20, ("day",)), (400, ())], ids=["rare", "a single row"])
def test_a_guess_must_be_much_worse(rare: int, found: tuple[str, ...]):
    assert tuple(each.column for each in telling_columns(rules(), table(rare=rare))) == found


def test_of_few_rows_nothing_is_said():
    assert telling_columns(rules(), table(n=40)) == ()


def test_without_a_vocabulary_nothing_is_known_of_columns():
    assert telling_columns(rules(words=None), table()) == ()


def test_one_column_is_no_leak():
    prepared = table()
    alone = Prepared(**{**vars(prepared), "inputs": prepared.inputs.select(["day"])})

    assert telling_columns(rules('"day > 30"'), alone) == ()


def test_some_of_very_many_rows_are_enough(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(leaks, "_MOST", 37)

    assert telling_columns(rules(), table()) == (Telling("day", 1.0),)
