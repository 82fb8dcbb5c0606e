from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError
from logiclens.logic import entail
from logiclens.logic.entail import Conflict, at_most_one, conflicts, equivalent, exactly_one, implies, ordered
from logiclens.logic.formula import FALSE, TRUE, And, Or, Var
from tests.strategies import PLAIN, all_rows, distinct_names, plain_formulas

a, b, c, d, e = (Var(name) for name in PLAIN)
ROWS = all_rows(5)


def truth(formula):
    return formula.evaluate(ROWS, PLAIN)


@given(plain_formulas(), plain_formulas())
def test_equivalent_and_implies_agree_with_the_truth_table(f, g):
    assert equivalent(f, g) == np.array_equal(truth(f), truth(g))
    assert implies(f, g) == (truth(f) <= truth(g)).all()


@given(plain_formulas(), plain_formulas(), st.lists(plain_formulas(6), min_size=1, max_size=3))
def test_only_what_is_given_is_looked_at(f, g, given):
    known = truth(And.of(given))
    if not known.any():
        with pytest.raises(InputError, match="What is given contradicts itself"):
            equivalent(f, g, given)
        return
    assert equivalent(f, g, given) == np.array_equal(truth(f)[known], truth(g)[known])
    assert implies(f, g, iter(given)) == (truth(f) <= truth(g))[known].all()


def test_many_concepts():
    names = [f"c{j}" for j in range(200)]
    every, none = And.of(map(Var, names)), And.of(~Var(name) for name in names)

    assert equivalent(~every, Or.of(~Var(name) for name in names))
    assert not equivalent(every, ~none)
    assert implies(every, ~none)
    assert implies(Var("c0"), ~Var("c199"), exactly_one(names))
    assert not equivalent(none, ~Var("c0"), ordered(names))
    assert equivalent(none, ~Var("c199"), ordered(names))


@given(st.lists(plain_formulas(8), max_size=5), st.lists(plain_formulas(6), max_size=2), st.booleans())
def test_conflicts_are_real_and_complete(formulas, given, opaque):
    known = truth(And.of(given))
    if not known.any():
        return
    rules = dict(enumerate(formulas))
    with pytest.MonkeyPatch.context() as patch:
        if opaque:
            patch.setattr(entail, "_RULE_TERMS", 1)
        found = conflicts(rules, given)

    pairs = combinations(rules, 2)
    expected = [(i, j) for i, j in pairs if (truth(rules[i]) & truth(rules[j]) & known).any()]
    assert [(conflict.first, conflict.second) for conflict in found] == expected
    for conflict in found:
        together = [rules[conflict.first], rules[conflict.second], *given]
        columns = {name: [value] for name, value in conflict.witness.items()} | {"other": [True]}
        assert And.of(together).evaluate(columns)[0]
        assert set(conflict.witness) == {name for part in together for name in part.concepts}


def test_given_rules_out_conflicts():
    rules = {"red bird": Var("red"), "blue bird": Var("blue") & Var("big"), "large": Var("big")}

    assert [(f.first, f.second) for f in conflicts(rules)] == [
        ("red bird", "blue bird"),
        ("red bird", "large"),
        ("blue bird", "large"),
    ]
    found = conflicts(rules, at_most_one(["red", "blue", "green"]))
    assert found == [
        Conflict("red bird", "large", {"red": True, "blue": False, "green": False, "big": True}),
        Conflict("blue bird", "large", {"red": False, "blue": True, "green": False, "big": True}),
    ]


def test_groups_that_overlap_are_one():
    given = [at_most_one(["a", "b"]), at_most_one(["b", "c"]), Or(a, c, d)]

    assert conflicts({1: a, 2: c}, given)[0].witness == {"a": True, "b": False, "c": True, "d": False}
    assert conflicts({1: b, 2: Or(a, c)}, given) == []
    assert conflicts({1: b, 2: ~d}, given) == []


def test_rules_that_never_or_always_fire():
    assert conflicts({1: FALSE, 2: TRUE, 3: a & ~a}) == []
    assert conflicts({1: TRUE, 2: TRUE}) == [Conflict(1, 2, {})]
    assert conflicts({}) == []
    assert conflicts({1: a}, b) == []


def test_a_witness_is_read_only():
    conflict = conflicts({1: a, 2: b})[0]

    with pytest.raises(TypeError):
        conflict.witness["a"] = False
    with pytest.raises(AttributeError):
        conflict.first = 3
    assert hash(conflict) == hash(conflicts({1: a, 2: b})[0])
    assert pickle.loads(pickle.dumps(conflict)) == conflict


def class_rules(n_rules, n_terms, groups, seed):
    rng = np.random.default_rng(seed)

    def literal(group):
        variable = Var(groups[group][rng.integers(len(groups[group]))])
        return variable if rng.random() < 0.7 else ~variable

    def term():
        return And.of(literal(group) for group in rng.choice(len(groups), 5, replace=False))

    return {f"class {i}": Or.of(term() for _ in range(n_terms)) for i in range(n_rules)}


@pytest.mark.parametrize("n_terms", [1, 3])
def test_conflicts_among_hundreds_of_rules(n_terms):
    groups = [[f"g{g} is {k}" for k in range(10)] for g in range(30)]
    rules = class_rules(200, n_terms, groups, seed=n_terms)
    known = [exactly_one(group) for group in groups]
    found = conflicts(rules, known)

    assert 1000 < len(found) <= len(conflicts(rules))
    for conflict in found[::2000]:
        columns = {name: [value] for name, value in conflict.witness.items()}
        assert And(rules[conflict.first], rules[conflict.second], *known).evaluate(columns)[0]
    missing = {*combinations(rules, 2)} - {(conflict.first, conflict.second) for conflict in found}
    for first, second in sorted(missing)[::5000]:
        assert implies(rules[first], ~rules[second], known)


@given(distinct_names(0, 6))
def test_at_most_one_and_exactly_one(names):
    rows = all_rows(len(names))
    columns = dict(zip(names, rows.T, strict=True)) | {"no such name at all": np.zeros(len(rows), dtype=bool)}

    assert np.array_equal(at_most_one(names).evaluate(columns), rows.sum(axis=1) <= 1)
    assert np.array_equal(exactly_one(names).evaluate(columns), rows.sum(axis=1) == 1)
    kept = [row for row in rows if (row[:-1] <= row[1:]).all()]
    assert ordered(names).evaluate(columns).sum() == len(kept)


def test_groups_of_thousands_stay_small():
    names = [f"c{j}" for j in range(1024)]
    group = exactly_one(names)

    assert group.literals <= 1024 * 12
    assert group.depth <= 30
    assert implies(Var("c17") & Var("c1000"), FALSE, at_most_one(names))


def test_each_threshold_implies_the_next():
    ages = ["age > 62", "age > 30", "age > 18"]

    assert implies(Var("age > 62"), Var("age > 18"), ordered(ages))
    assert not implies(Var("age > 18"), Var("age > 62"), ordered(ages))
    assert ordered(ages[:1]) == ordered([]) == TRUE


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: implies(a, b, given=["a"]), "given takes a formula"),
        (lambda: implies(a, b, given=3), "given takes a formula"),
        (lambda: implies(a, "b"), "implies takes formulas"),
        (lambda: equivalent(None, b), "equivalent takes formulas"),
        (lambda: conflicts([a, b]), "rules must be a mapping"),
        (lambda: conflicts({1: a, 2: "b"}), "rule of 2 must be a formula"),
        (lambda: exactly_one([Var("a")]), "must be a string"),
        (lambda: exactly_one(["a", "b", "a"]), "must be distinct"),
        (lambda: implies(a, b, [exactly_one(["a", "b"]), a & b]), "contradicts itself"),
        (lambda: conflicts({1: a, 2: b}, [exactly_one(["a", "b"]), a & b]), "contradicts itself"),
    ],
)
def test_misuse_is_explained(call, message):
    with pytest.raises(InputError, match=message):
        call()
