from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError, LimitError
from logiclens.logic.formula import FALSE, TRUE, And, Not, Or, Var
from logiclens.logic.normal_form import simplify, substitute, to_cnf, to_dnf, to_nnf
from tests.strategies import HOSTILE_NAMES, PLAIN, all_rows, formulas, plain_formulas

a, b, c, d, e = (Var(name) for name in PLAIN)
ROWS = all_rows(5)


def truth(formula):
    return formula.evaluate(ROWS, PLAIN)


def is_literal(formula):
    return isinstance(formula, Var) or (isinstance(formula, Not) and isinstance(formula.arg, Var))


def is_two_level(formula, outer, inner):
    parts = formula.args if isinstance(formula, outer) else (formula,)
    return formula in (TRUE, FALSE) or all(
        all(map(is_literal, part.args if isinstance(part, inner) else (part,))) for part in parts
    )


@pytest.mark.parametrize("convert", [to_nnf, to_dnf, to_cnf, simplify])
@given(formula=plain_formulas(24))
def test_results_are_equivalent(convert, formula):
    assert np.array_equal(truth(convert(formula)), truth(formula))


@given(formulas())
def test_nnf_negates_concepts_only_and_holds_no_constant_inside(formula):
    result = to_nnf(formula)

    assert result.literals <= formula.literals
    assert result in (TRUE, FALSE) or not {TRUE, FALSE} & set(result.walk())
    assert all(is_literal(node) for node in result.walk() if isinstance(node, Not))
    for node in result.walk():
        assert not any(type(part) is type(node) for part in node.args if isinstance(node, And | Or))


@given(formulas())
def test_dnf_and_cnf_have_their_shape(formula):
    assert is_two_level(to_dnf(formula), Or, And)
    assert is_two_level(to_cnf(formula), And, Or)


@given(plain_formulas())
def test_no_term_and_no_clause_implies_another(formula):
    for result, outer, positive in ((to_dnf(formula), Or, True), (to_cnf(formula), And, False)):
        parts = [truth(part) == positive for part in (result.args if isinstance(result, outer) else ())]
        pairs = [(p, q) for i, p in enumerate(parts) for j, q in enumerate(parts) if i != j]
        assert all((p & ~q).any() for p, q in pairs)


@given(formulas())
def test_simplify_is_never_longer_and_settles(formula):
    result = simplify(formula)

    assert result.literals <= formula.literals
    assert simplify(result).literals == result.literals
    assert simplify(formula) == result


@given(plain_formulas())
def test_constant_functions_become_constants(formula):
    if truth(formula).all():
        assert simplify(formula) == TRUE
    if not truth(formula).any():
        assert simplify(formula) == to_dnf(formula) == FALSE


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (~(a & b), ~a | ~b),
        (~(a | ~b), ~a & b),
        (Or(a, ~a), TRUE),
        (And(a, b, ~a), FALSE),
        (And(a, TRUE, Or(b, FALSE)), a & b),
        (Or(a, And(a, b)), a),
        (And(a, Or(b, a, c)), a),
        (Or(a, Or(b, Or(c, a))), Or(a, b, c)),
        (~(a >> b), a & ~b),
    ],
)
def test_nnf_folds(formula, expected):
    assert to_nnf(formula) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ((a & b) | (~a & b), b),
        ((a & b) | (a & b & c), a & b),
        ((a & b) | (~a & c) | (b & c), (a & b) | (~a & c)),
        (a | (~a & b), a | b),
        (a & (b | c), a & (b | c)),
        (Or(And(a, ~a), b), b),
        (a.iff(a), TRUE),
        (And(a | b, a | ~b), a),
    ],
)
def test_simplify(formula, expected):
    assert simplify(formula) == expected


def test_order_of_terms_and_literals():
    assert to_dnf(Or(c & b, a)) == Or(And(b, c), a)
    assert to_cnf(Or(a & ~b, ~a & b)) == And(Or(~a, ~b), Or(a, b))


def test_global_explanation_of_exclusive_or():
    """Eq. (3) on the classes of Example 4.1: xor and its negation cover everything."""
    xor, same = Or(~a & b, a & ~b), Or(a & b, ~a & ~b)

    assert to_cnf(Or(xor, same)) == TRUE
    assert to_cnf(xor) == And(Or(~a, ~b), Or(a, b))


def clauses(n, outer=And, inner=Or):
    return outer.of(inner(Var(f"a{k}"), Var(f"b{k}")) for k in range(n))


@pytest.mark.parametrize(
    ("convert", "which", "formula"),
    [(to_dnf, "disjunctive", clauses(40)), (to_cnf, "conjunctive", clauses(40, Or, And))],
)
def test_a_blow_up_is_refused(convert, which, formula):
    start = time.perf_counter()
    with pytest.raises(LimitError, match=f"No {which} normal form with max_terms=100000"):
        convert(formula)
    assert time.perf_counter() - start < 10


def test_products_and_plain_disjunctions_are_limited_too():
    nested = And.of(Or(Var(f"a{k}") & Var(f"b{k}"), Var(f"c{k}")) for k in range(8))
    with pytest.raises(
        LimitError, match=r"No disjunctive normal form with max_terms=50\. The conjunction takes"
    ):
        to_dnf(nested, max_terms=50)
    assert len(to_dnf(nested).args) == 256
    with pytest.raises(LimitError, match="No disjunctive normal form with max_terms=5:"):
        to_dnf(clauses(9, Or, And), max_terms=5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *((lambda f=f: f("a"), f"{f.__name__} takes formulas") for f in (to_nnf, to_dnf, to_cnf, simplify)),
        *((lambda f=f: f(a, max_terms=-1), "max_terms must be a whole number") for f in (to_dnf, to_cnf)),
        (lambda: substitute("a", {}), "formulas. Got 'a'"),
        (lambda: substitute(a, {"a": "b"}), "formulas. Got 'b'"),
        (lambda: substitute(a, [a]), "a mapping from concepts to formulas"),
    ],
)
def test_misuse_is_explained(call, message):
    with pytest.raises(InputError, match=message):
        call()


def parity(n):
    """Odd number of true concepts; written out, it has more than 2**n literals."""
    result = Var("v0")
    for k in range(1, n):
        result = ~result.iff(Var(f"v{k}"))
    return result


def test_shared_parts_do_not_explode():
    formula = parity(40)

    assert to_nnf(formula).literals <= formula.literals
    assert simplify(formula).literals <= formula.literals
    with pytest.raises(LimitError):
        to_dnf(formula, max_terms=2000)
    assert len(to_dnf(parity(8)).args) == 128


def test_thousands_of_concepts():
    wide = Or.of(And(Var(f"c{j}"), ~Var(f"c{j + 1}")) for j in range(0, 4000, 2))

    assert simplify(wide).literals == 4000
    assert len(to_dnf(wide).args) == 2000
    assert to_cnf(And.of(Var(f"c{j}") for j in range(3000))).literals == 3000


def test_the_deepest_formula_has_a_cnf():
    deep = a
    for k in range(199):
        deep = Not(deep) if k % 2 else And(deep, b)

    assert deep.depth == 200
    assert np.array_equal(truth(to_cnf(deep)), truth(deep))


# --- substitute ---


@given(plain_formulas(), st.lists(plain_formulas(6), min_size=5, max_size=5))
def test_a_substituted_formula_says_what_the_parts_say(formula, parts):
    """Its truth is that of the formula on the truths of what stands for the concepts."""
    columns = np.column_stack([truth(part) for part in parts])
    put = substitute(formula, dict(zip(PLAIN, parts, strict=True)))

    assert np.array_equal(truth(put), formula.evaluate(columns, PLAIN))


def test_substitution_is_simultaneous_and_leaves_other_concepts():
    assert substitute(a & ~b | c, {"a": b, "b": a}) == (b & ~a) | c
    assert substitute(a | TRUE, {}) == a | TRUE
    assert substitute(a, {"a": FALSE}) == FALSE


def test_names_are_not_substituted_as_text():
    mapping = {name: Var(f"new {at}") for at, name in enumerate(HOSTILE_NAMES)}
    put = substitute(And(*map(Var, HOSTILE_NAMES)), mapping)

    assert put == And(*mapping.values())


def test_shared_parts_stay_shared():
    """Written out, this formula would have 2^60 literals."""
    formula = a
    for _ in range(60):
        formula = And(formula, Not(formula))
    put = substitute(formula, {"a": b})

    assert put.literals == 2**60
    assert put.concepts == ("b",)


def test_what_would_be_nested_too_deeply_is_refused():
    deep = a
    for _ in range(150):
        deep = Not(deep)
    with pytest.raises(LimitError, match="nested 200 levels deep at most"):
        substitute(deep, {"a": deep})
