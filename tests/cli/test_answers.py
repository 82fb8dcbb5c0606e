"""Answers are those of the rules themselves, with the term that is true."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.cli import answers as module
from logiclens.cli.answers import DEFAULT, UNCOVERED, Answers, _coded, text_columns
from logiclens.cli.rows import Gaps
from logiclens.concepts import Above, Vocabulary
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import FALSE, TRUE, Var, parse_formula
from logiclens.logic.data import ConceptData
from tests.cli.saved import rules_of
from tests.strategies import formulas

NAMES = ["a", "b", "c"]


def data(rows: np.ndarray) -> ConceptData:
    return ConceptData(np.asarray(rows, dtype=bool), NAMES)


EVERY = np.array(list(np.ndindex(2, 2, 2)), dtype=bool)


@given(st.lists(formulas(st.sampled_from(NAMES)), min_size=1, max_size=4), st.booleans())
def test_answers_are_those_of_the_rules(found: list, multi_label: bool):
    made = {f"c{at}": formula for at, formula in enumerate(found)}
    rules = rules_of(made, NAMES, multi_label=multi_label)
    answers = Answers(rules)
    told, codes = answers.of(data(EVERY))
    predicted = rules.predict(EVERY)
    counts = rules.coverage_counts(EVERY)

    for row, code in enumerate(codes):
        if multi_label:
            labels = [label for label, yes in zip(rules, predicted[row], strict=True) if yes]
            assert told[code].prediction == ", ".join(labels)
        else:
            assert told[code].prediction == predicted[row]
        fired = rules.fired(EVERY[row : row + 1]).any()
        assert told[code].mark == ("" if fired else UNCOVERED if multi_label else DEFAULT)
    assert (answers.n_rows, answers.n_uncovered) == (8, counts.n_uncovered)


def told(rules: ExplanationSet, *row: int) -> tuple:
    found, codes = Answers(rules).of(data(np.array([row])))
    return tuple(found[codes[0]])


def test_the_first_term_that_is_true_is_the_reason():
    rules = rules_of({"x": parse_formula("(a & ~b) | c"), 'y"z': parse_formula("b")}, NAMES, default="x")

    assert told(rules, 1, 0, 1) == ("x", "(a & ~b) | c", "The prediction is x because a and not b.", "")
    assert told(rules, 0, 0, 1) == ("x", "(a & ~b) | c", "The prediction is x because c.", "")
    assert told(rules, 0, 1, 1) == (
        "x",
        "(a & ~b) | c",
        "The prediction is x because c.",
        "",
    )
    assert told(rules, 0, 1, 0) == (
        'y"z',
        "b",
        'The prediction is “y"z” because b. No earlier step is true of it.',
        "",
    )
    assert told(rules, 0, 0, 0) == ("x", "", "No step is true of it; the default is x.", DEFAULT)


def test_several_labels_have_several_reasons():
    rules = rules_of({"x": Var("a"), "y": Var("b")}, NAMES, multi_label=True)

    assert told(rules, 1, 1, 0) == (
        "x, y",
        "a; b",
        "The prediction is x because a. The prediction is y because b.",
        "",
    )
    assert told(rules, 0, 0, 0) == ("", "", "No rule is true of it.", UNCOVERED)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("iff", "The prediction is class 3 because a."),
        ("only_if", "The prediction is class 3 because a."),
        ("if", "The prediction is class 3, all of which satisfy: a."),
        ("cluster", "The prediction is cluster 3, all of which satisfy: a."),
    ],
)
def test_the_kind_of_rule_is_heard(kind: str, why: str):
    rules = ExplanationSet([Explanation(Rule(3, Var("a"), kind))], NAMES)

    assert told(rules, 1, 0, 0)[:3] == (3, "a", why)


def test_rules_that_are_always_true_or_never():
    rules = rules_of({"x": FALSE, "y": TRUE}, NAMES)

    assert told(rules, 1, 0, 0) == ("y", "TRUE", "The prediction is y, whatever the row.", "")


def test_the_words_are_those_of_the_vocabulary():
    words = Vocabulary(("age",), (Above("age", 62),))
    rules = rules_of({"old": Var("age > 62")}, words.names, vocabulary=words)
    found, _ = Answers(rules).of(ConceptData({"age > 62": [True]}))

    assert found[0].rule == "age(x) > 62"
    assert found[0].why == "The prediction is old because age above 62."


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=30), st.booleans())
def test_rows_are_numbered(rows: list[list[int]], few: bool):
    which = np.array(rows, dtype=np.int32)
    with pytest.MonkeyPatch.context() as patch:
        if few:
            patch.setattr(module, "_MOST_CODES", 5)
        codes, firsts = _coded(which, [4, 4, 4])

    assert (which[firsts][codes] == which).all()
    assert len(firsts) == len(np.unique(which, axis=0))


def test_answers_become_columns():
    rules = rules_of({1: Var("a"), 2: ~Var("a")}, NAMES)
    columns = text_columns(*Answers(rules).of(data(EVERY[[0, 7, 0]])))

    assert columns["prediction"].to_pylist() == [2, 1, 2]
    assert columns["mark"].to_pylist() == ["", "", ""]
    assert [*columns] == ["prediction", "rule", "why", "mark"]


def test_a_gap_that_the_rules_know_nothing_of_is_told():
    rules = rules_of({"x": parse_formula("a"), "y": parse_formula("~a & b")}, NAMES, default="x")
    answers = Answers(rules)
    rows = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 1, 0]])
    gaps = Gaps(("a", "it's"), np.array([0, 1, 2, 3], dtype=np.int32))
    found, codes = answers.of(data(rows), gaps)

    assert [found[code].mark for code in codes] == ["", "missing", "default, missing", "missing"]
    assert [found[code].why for code in codes] == [
        "The prediction is x because a.",
        "The prediction is y because not a and b. No earlier step is true of it. Its 'a' is missing, and the "
        "rules know nothing of that.",
        "No step is true of it; the default is x. Its 'a' and other values are missing, and the rules know "
        "nothing of that.",
        'The prediction is y because not a and b. No earlier step is true of it. Its "it\'s" is missing, and '
        "the rules know nothing of that.",
    ]
    assert (answers.n_missing, answers.n_uncovered, answers.n_rows) == (3, 1, 4)
    assert answers.n_predicted == {"x": 2, "y": 2}
    answers.of(data(rows))
    assert (answers.n_missing, answers.n_rows) == (3, 8)
