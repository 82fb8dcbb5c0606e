"""Example-level and set-level explanations: sufficient, minimal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError
from logiclens.explain.explanation import Scope
from logiclens.explain.rule import RuleKind
from logiclens.explain.scopes import (
    CONTRADICTED,
    CONTRADICTED_NO,
    SUFFICIENT,
    UNOPPOSED,
    UNSUPPORTED,
    cover_of,
    explain_example,
    explain_examples,
    explain_set,
    fired_rows,
)
from logiclens.logic import TRUE, Or, TruthTable, Var, equivalent, parse_formula
from tests.strategies import all_rows, labelled_rows

XOR = TruthTable.from_data(all_rows(2), [0, 1, 1, 0], ["c1", "c2"])


@st.composite
def tables_and_samples(draw):
    """A table, and rows of which some are in it and some are not."""
    X, y, weight, names = draw(labelled_rows(max_concepts=5))
    bits = draw(st.lists(st.booleans(), min_size=3 * len(names), max_size=3 * len(names)))
    samples = np.concatenate([X[:3], np.array(bits, dtype=bool).reshape(3, -1)])
    return TruthTable.from_data(X, y, names, weight), samples


def contrary_of(table: TruthTable, sample: np.ndarray) -> np.ndarray:
    """Tuples to which the network says no, but for the example's own."""
    rows = table.to_array()
    return rows[(table.no > table.yes) & (rows != sample).any(axis=1)]


def holds(term: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return ((term == 0) | ((term > 0) == rows)).all(axis=1)


def test_example_1_of_the_paper():
    """The samples (0.2, 0.7) and (0.6, 0.3) of XOR give ``~c1 & c2`` and ``c1 & ~c2``."""
    first = explain_example([0.2, 0.7], XOR, 1)
    second = explain_example([0.6, 0.3], XOR, 1, relevance=[0.1, 0.9])

    assert first.formula == parse_formula("~c1 & c2")
    assert second.formula == parse_formula("c1 & ~c2")
    assert (first.scope, first.kind, first.status) == (Scope.EXAMPLE, RuleKind.ONLY_IF, SUFFICIENT)
    assert first.support == 1.0
    assert equivalent(
        explain_set([[0.2, 0.7], [0.6, 0.3]], XOR, 1).formula, Or(first.formula, second.formula)
    )


@given(tables_and_samples(), st.sampled_from(["none", "one", "each"]), st.integers(0, 2**32 - 1))
def test_terms_are_sufficient_and_minimal(data, relevance, seed):
    """No contrary tuple satisfies a term, the example does, and no literal can go."""
    table, samples = data
    rng = np.random.default_rng(seed)
    shape = {"none": None, "one": samples.shape[1:], "each": samples.shape}[relevance]
    scores = None if shape is None else rng.integers(0, 3, size=shape)

    terms = explain_examples(samples, table, relevance=scores)

    assert terms.shape == samples.shape
    assert explain_examples(samples[:0], table).shape == (0, samples.shape[1])
    for sample, term in zip(samples, terms, strict=True):
        contrary = contrary_of(table, sample)
        assert holds(term, sample[None]).all()
        assert not holds(term, contrary).any()
        for j in np.flatnonzero(term):
            shorter = term.copy()
            shorter[j] = 0
            assert holds(shorter, contrary).any()


@given(tables_and_samples(), st.integers(0, 2**32 - 1))
def test_relevance_decides_as_in_the_plain_procedure(data, seed):
    """Take literals by falling relevance until nothing contrary is left; drop from the least relevant on."""
    table, samples = data
    scores = np.random.default_rng(seed).random(samples.shape)

    terms = explain_examples(samples, table, relevance=scores)

    for sample, term, score in zip(samples, terms, scores, strict=True):
        contrary, taken = contrary_of(table, sample), []
        for j in np.argsort(-score):
            if (contrary[:, taken] == sample[taken]).all(axis=1).any():
                taken.append(j)
        for j in reversed(list(taken)):
            others = [i for i in taken if i != j]
            if not (contrary[:, others] == sample[others]).all(axis=1).any():
                taken = others
        assert sorted(np.flatnonzero(term)) == sorted(taken)


def test_without_relevance_the_literal_that_excludes_most_comes_first():
    """``b`` excludes weight 9 of the contrary, ``a`` 2, and all of it takes ``b`` alone."""
    table = TruthTable.from_counts(
        [[1, 1, 1], [1, 0, 0], [0, 0, 1]], [1, 0, 0], [0, 7, 2], names=["a", "b", "c"]
    )

    assert explain_example([1, 1, 1], table, "t").formula == Var("b")
    assert explain_example([1, 1, 1], table, "t", relevance=[2, 0, 1]).formula == parse_formula("a & c")


def test_more_than_one_word_of_concepts_and_tuples():
    X = np.eye(200, dtype=bool)
    table = TruthTable.from_data(X, np.arange(200) == 130)

    found = explain_example(X[130], table, "t")

    assert found.formula == Var("x130")


def test_scores_are_counted_on_the_table():
    """How many rows the term covers, and how many of these the network answers alike; of a no, too."""
    table = TruthTable.from_counts([[1, 1], [1, 0], [0, 1], [0, 0]], [6, 3, 0, 0], [0, 1, 8, 2], ["a", "b"])

    yes = explain_example([1, 1], table, "t", part="training")
    no = explain_example([0, 0], table, "t", answer=False)

    assert (yes.formula, str(no)) == (Var("a"), "forall x: t(x) -> a(x)")
    assert (yes.scores.part, yes.scores.n_rows, yes.scores.coverage, yes.scores.fidelity) == (
        "training",
        20,
        0.5,
        0.9,
    )
    assert (no.scores.coverage, no.scores.fidelity) == (0.5, 1.0)
    assert yes.status == "sufficient on the data but for 10.0% of the rows that it covers"
    assert no.status == "sufficient on the data"
    assert explain_example([1, 0], table, "t", answer=False).status == CONTRADICTED_NO


def test_statuses():
    always = TruthTable.from_data([[0], [1]], [1, 1], ["a"])
    mostly_no = TruthTable.from_counts([[0, 1], [1, 0]], [1, 3], [3, 0], ["a", "b"])

    assert (explain_example([1], always, "t").formula, explain_example([1], always, "t").status) == (
        TRUE,
        UNOPPOSED,
    )
    assert explain_example([0, 1], mostly_no, "t").status == CONTRADICTED
    assert explain_example([1, 0], mostly_no, "t", kind="iff").kind == RuleKind.IFF
    beside = TruthTable.from_data([[1, 0], [0, 1]], [0, 0], ["a", "b"])
    assert explain_example([1, 1], beside, "t").status == UNSUPPORTED
    assert explain_example([1, 1], beside, "t").scores.fidelity is None
    assert explain_set([[1]], always, "t").status == UNOPPOSED
    assert explain_set([[1, 0]], mostly_no, "t").status == "proved minimal"


@given(tables_and_samples())
def test_a_set_is_covered_and_nothing_contrary(data):
    table, samples = data

    found = explain_set(samples, table, "t")

    rows = table.to_array()
    given = (rows[:, None] == samples).all(axis=2).any(axis=1)
    assert found.scope == Scope.SET
    assert found.support == len(samples)
    assert found.evaluate(samples, table.names).all()
    assert not fired_rows(found.formula, table)[(table.no > table.yes) & ~given].any()


@given(tables_and_samples())
def test_a_set_is_no_longer_than_its_members_joined(data):
    """Eq. (2) joins example-level terms; the minimized formula never has more literals."""
    table, _ = data
    rows = table.to_array()
    yes = rows[table.yes > table.no]
    if len(yes):
        joined = cover_of(explain_examples(yes, table), table.names).absorb()

        assert explain_set(yes, table, "t").complexity <= joined.n_literals


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: explain_example([1, 0, 1], XOR, 1), "2 names were given for 3 columns."),
        (lambda: explain_example([1, 0], XOR, 1, relevance=[1]), "relevance must have a score for each"),
        (
            lambda: explain_examples([[1, 0]], XOR, relevance=[np.nan, 1]),
            "relevance must hold finite scores.",
        ),
        (lambda: explain_set(np.zeros((0, 2)), XOR, 1), "A set of examples needs at least one row."),
        (lambda: explain_set([[1, 0]], XOR, 1, kind="or"), "Unknown kind of rule 'or'."),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
