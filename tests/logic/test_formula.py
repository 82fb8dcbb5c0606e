from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.errors import InputError, LimitError, TruthValueError
from logiclens.logic.formula import FALSE, MAX_DEPTH, TRUE, And, Const, Formula, Not, Or, Var
from tests.strategies import HOSTILE_NAMES, PLAIN, all_rows, distinct_names, formulas, plain_formulas

a, b, c = Var("a"), Var("b"), Var("c")
ROWS = all_rows(len(PLAIN))
COLUMNS = dict(zip(PLAIN, ROWS.T, strict=True))


def naive(formula: Formula, row: dict[str, bool]) -> bool:
    """What a formula says of one row, by the definition and nothing else."""
    match formula:
        case Const(value):
            return value
        case Var(name):
            return row[name]
        case Not(arg):
            return not naive(arg, row)
        case And():
            return all(naive(part, row) for part in formula.args)
        case _:
            return any(naive(part, row) for part in formula.args)


def naive_rows(formula: Formula, X: np.ndarray, concepts: list[str]) -> list[bool]:
    return [naive(formula, dict(zip(concepts, map(bool, row), strict=True))) for row in X]


def renamed(formula: Formula, mapping: dict[str, str]) -> Formula:
    match formula:
        case Const():
            return formula
        case Var(name):
            return Var(mapping[name])
        case Not(arg):
            return Not(renamed(arg, mapping))
        case _:
            return type(formula)(*(renamed(part, mapping) for part in formula.args))


def rebuilt(formula: Formula) -> Formula:
    """An equal formula that shares no object with the first."""
    return renamed(formula, {name: "".join(name) for name in formula.concepts})


def ladder(levels: int) -> Formula:
    """A formula of few objects, each level using the last one twice, whose text no memory could hold."""
    formula = Var("a") | Var("b")
    for level in range(levels):
        formula = Or(formula, formula) if level % 2 else And(formula, formula)
    return formula


def truth(formula: Formula) -> np.ndarray:
    return formula.evaluate(COLUMNS)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (a & b & c, And(a, b, c)),
        (a & (b & c), And(a, b, c)),
        ((a | b) & c, And(Or(a, b), c)),
        (a | (b | c), Or(a, b, c)),
        ((a & b) | c, Or(And(a, b), c)),
        (~~a, Not(Not(a))),
        (a >> b, Or(Not(a), b)),
        (a >> (b | c), Or(Not(a), b, c)),
        (a.iff(b), And(Or(Not(a), b), Or(Not(b), a))),
        (And.of([]), TRUE),
        (Or.of([]), FALSE),
        (And.of([a]), a),
        (Or.of(iter([a, b, c])), Or(a, b, c)),
    ],
)
def test_operators_build_these(made, expected):
    assert made == expected


def test_nothing_is_simplified_or_regrouped():
    assert And(And(a, b), c).args == (And(a, b), c)
    assert (a & a).args == (a, a)
    assert (a & TRUE).args == (a, TRUE)


def test_patterns_match():
    match Or(Not(Var("x")), TRUE).args:
        case (Not(Var(name)), Const(value)):
            assert (name, value) == ("x", True)
        case _:
            pytest.fail("the pattern does not match")


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (TRUE, "TRUE"),
        (FALSE, "FALSE"),
        (Var("it's"), 'Var("it\'s")'),
        ((a & ~b) | c, "Or(And(Var('a'), Not(Var('b'))), Var('c'))"),
    ],
)
def test_repr(formula, text):
    assert repr(formula) == text


@given(formulas())
def test_repr_is_the_python_that_builds_it(formula):
    scope = {"TRUE": TRUE, "FALSE": FALSE, "Var": Var, "Not": Not, "And": And, "Or": Or}

    assert eval(repr(formula), scope) == formula


def test_a_name_is_a_plain_string():
    """NumPy's strings, which names of arrays come in, do not show."""
    assert type(Var(np.str_("a")).name) is str
    assert repr(Var(np.str_("a"))) == "Var('a')"


@pytest.mark.parametrize(
    ("formula", "literals", "size", "depth"),
    [
        (TRUE, 0, 1, 1),
        (a, 1, 1, 1),
        (~a, 1, 2, 2),
        (a & b, 2, 3, 2),
        ((a & ~b) | a, 3, 6, 4),
        (Or(TRUE, a, a, a), 3, 5, 2),
    ],
)
def test_literals_size_depth(formula, literals, size, depth):
    assert (formula.literals, formula.size, formula.depth) == (literals, size, depth)


@given(formulas())
def test_measures_follow_from_the_parts(formula):
    parts, met = formula.args, list(formula.walk())

    assert formula.size == 1 + sum(part.size for part in parts)
    assert formula.depth == 1 + max((part.depth for part in parts), default=0)
    assert formula.literals == (sum(p.literals for p in parts) if parts else isinstance(formula, Var))
    assert formula.concepts == tuple(sorted({part.name for part in met if isinstance(part, Var)}))

    assert met[0] is formula
    assert len({id(part) for part in met}) == len(met)
    assert {id(part) for node in met for part in node.args} <= {id(part) for part in met}


def test_nesting_is_limited():
    formula = a
    while formula.depth < MAX_DEPTH:
        formula = ~formula

    with pytest.raises(LimitError, match="A formula may be nested 200 levels deep at most"):
        Not(formula)


def test_the_deepest_formula_can_be_used():
    formula = a
    while formula.depth < MAX_DEPTH:
        formula = ~formula

    assert formula.evaluate({"a": [True, False]}).tolist() == [False, True]
    assert pickle.loads(pickle.dumps(formula)) == formula
    assert copy.deepcopy(formula) == formula
    assert repr(formula).count("Not(") == MAX_DEPTH - 1
    assert not formula < formula
    assert str(formula) == "~" * (MAX_DEPTH - 1) + "a"


@given(formulas())
def test_equal_structure_is_equal(formula):
    other = rebuilt(formula)

    assert formula == other
    assert hash(formula) == hash(other)
    assert not formula < other
    assert not other < formula


@given(formulas(), formulas())
def test_equality_is_that_of_the_written_form(f, g):
    assert (f == g) == (repr(f) == repr(g))
    assert (f != g) == (repr(f) != repr(g))


def test_structure_is_compared():
    """Equivalence is the subject of test_entail.py."""
    assert a & b != b & a
    assert And(a, b) != Or(a, b)
    assert Var("TRUE") != TRUE
    assert all(a != other for other in ("a", None, True, ("a",)))


def test_kinds_come_in_the_documented_order():
    """Constants, literals by name, conjunctions, disjunctions, other negations."""
    expected = [
        FALSE,
        TRUE,
        a,
        ~a,
        b,
        ~b,
        a & b,
        a & ~b,
        b & a,
        b & c,
        a & b & c,
        a | b,
        a | ~b,
        ~~b,
        ~(a & b),
    ]

    assert sorted(reversed(expected)) == expected


@given(st.lists(formulas(max_leaves=5), max_size=8), st.randoms(use_true_random=False))
def test_the_order_is_total(items, random):
    shuffled = random.sample(items, len(items))
    in_order = sorted(items)

    assert sorted(shuffled) == in_order
    for f, g in pairwise(in_order):
        assert (f < g) + (f == g) + (g < f) == 1
        assert not g < f


def test_the_order_does_not_depend_on_hashes():
    """Strings hash differently in each process; sorted formulas come out the same."""
    code = (
        "from logiclens import Var, And\n"
        "v = [Var(c) for c in 'dbca']\n"
        "f = [x & ~y | z for x in v for y in v for z in v]\n"
        "print([str(x) for x in sorted(set(f))])"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "12"
    ]

    assert runs[0] == runs[1] != b""


@given(formulas())
def test_copies_are_equal(formula):
    assert pickle.loads(pickle.dumps(formula)) == formula
    assert copy.copy(formula) == formula
    assert copy.deepcopy(formula) == formula


def test_a_pickle_can_be_read_in_another_process():
    """The stored hash is made anew there, so that the formula is found in sets."""
    code = (
        "import pickle, sys\n"
        "from logiclens import Var\n"
        "f = pickle.load(sys.stdin.buffer)\n"
        "print(f in {Var('a') & ~Var('b')}, hash(f) == hash(Var('a') & ~Var('b')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(a & ~b), capture_output=True, check=True
    )

    assert done.stdout.split() == [b"True", b"True"]


@pytest.mark.parametrize("formula", [TRUE, a, ~a, a & b, a | b], ids=str)
def test_nothing_can_be_set_or_deleted(formula):
    with pytest.raises(AttributeError, match=r"^formulas are immutable: cannot set 'name'$"):
        formula.name = "b"
    with pytest.raises(AttributeError, match=r"^formulas are immutable: cannot delete '_hash'$"):
        del formula._hash


@pytest.mark.parametrize(
    "use",
    [
        bool,
        lambda f: f and b,
        lambda f: f or b,
        lambda f: not f,
        lambda f: 1 if f else 2,
    ],
    ids=["bool", "and", "or", "not", "if"],
)
def test_a_formula_has_no_truth_value(use):
    with pytest.raises(TruthValueError, match="A formula is neither true nor false by itself"):
        use(a & b)


@given(st.data(), distinct_names(1, 5), st.sampled_from([0, 1, 2, 63, 64, 65, 129]))
def test_agrees_with_the_definition_for_any_names_and_lengths(data, concepts, n_rows):
    formula = data.draw(formulas(st.sampled_from(concepts)))
    seed = data.draw(st.integers(0, 9))
    X = np.random.default_rng(seed).random((n_rows, len(concepts))) < 0.5
    result = formula.evaluate(X, concepts)

    assert result.dtype == np.bool_
    assert result.shape == (n_rows,)
    assert result.tolist() == naive_rows(formula, X, concepts)


def test_shared_parts_cost_nothing():
    """The text of this formula would fill no memory."""
    f, g = ladder(150), ladder(150)

    assert f.literals == 2**151
    assert len(list(f.walk())) == 153
    assert f == g
    assert hash(f) == hash(g)
    assert sorted([~f, f, ladder(149), g]) == [ladder(149), f, g, ~f]
    assert len(pickle.dumps(f)) < 10_000
    assert pickle.loads(pickle.dumps(f)) == copy.deepcopy(f) == f
    assert f.evaluate({"a": [1, 0], "b": [0, 0]}).tolist() == [True, False]
    assert f.iff(g).evaluate({"a": [1, 0], "b": [0, 0]}).all()
    assert repr(ladder(20)) == f"<Or of {2**21} literals>"
    with pytest.raises(LimitError, match="more than 200000 literals"):
        str(f)


@given(plain_formulas(), plain_formulas())
def test_connectives_mean_what_numpy_means(f, g):
    x, y = truth(f), truth(g)

    assert np.array_equal(truth(f & g), x & y)
    assert np.array_equal(truth(f | g), x | y)
    assert np.array_equal(truth(~f), ~x)
    assert np.array_equal(truth(f >> g), ~x | y)
    assert np.array_equal(truth(f.iff(g)), x == y)


@given(plain_formulas(), distinct_names(5, 5))
def test_renaming_concepts_changes_nothing(formula, others):
    """The reference libraries replaced ``red`` inside ``red_wing``."""
    assert truth(formula).tolist() == naive_rows(formula, ROWS, PLAIN)
    result = renamed(formula, dict(zip(PLAIN, others, strict=True))).evaluate(ROWS, others)

    assert np.array_equal(result, truth(formula))


def test_a_hostile_name_is_a_name():
    """Nothing is evaluated or substituted: each name only ever means its own column."""
    for name in HOSTILE_NAMES:
        formula = Var(name) & ~Var("other")
        data = {"other": [False, False, True], name: [True, False, True]}

        assert formula.evaluate(data).tolist() == [True, False, False]
        assert formula.evaluate(np.array([[0, 1]]), ["other", name]).tolist() == [True]


def test_threshold():
    assert a.evaluate({"a": [0.0, 0.2, 0.3]}, threshold=0.2).tolist() == [False, False, True]
    assert a.evaluate({"a": [0.0, 0.2, 0.3]}, threshold=0).tolist() == [False, True, True]
    assert Var("x1").evaluate([[1, 0.5], [0, 0.6]]).tolist() == [False, True]


def test_columns_that_are_not_needed_are_not_looked_at():
    frame = pd.DataFrame({"a": [1, 0], "id": ["x", "y"], "age": [90, np.nan]})

    assert a.evaluate(frame).tolist() == [True, False]
    assert a.evaluate(frame.to_dict("list")).tolist() == [True, False]


def test_constants_have_the_length_of_the_data():
    assert TRUE.evaluate(np.zeros((65, 1))).tolist() == [True] * 65
    assert FALSE.evaluate({"a": [1, 2]}).tolist() == [False] * 2
    assert TRUE.evaluate({}).tolist() == []


def test_the_result_is_the_callers_own():
    column = np.array([True, False])
    result = a.evaluate({"a": column})
    result[:] = False

    assert column.tolist() == [True, False]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Var(""), "must not be empty"),
        (lambda: Var(3), "must be a string"),
        (lambda: Not(np.zeros((3, 3))), "Not takes formulas"),
        (lambda: And(a, True), "And takes formulas"),
        (lambda: And(a), "And takes at least 2 formulas"),
        (lambda: And.of(["a"]), "And.of takes formulas"),
        (lambda: And.of(None), "an iterable of formulas"),
        (lambda: Or.of(a), "an iterable of formulas"),
        (lambda: a.iff("b"), "iff takes formulas"),
        (lambda: a & "", "& takes formulas"),
        (lambda: a | "b & c", r"write parse_formula\('b & c'\)"),
        (lambda: a >> "age > 62", r"write Var\('age > 62'\)"),
        (lambda: a.evaluate({"b": [1]}), "Unknown concept 'a'"),
    ],
)
def test_misuse_is_explained(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("operate", [lambda: a & 1, lambda: a | True, lambda: a >> None, lambda: a < "b"])
def test_operators_leave_other_types_to_python(operate):
    """As Python wants it: the other type may know what to do."""
    with pytest.raises(TypeError):
        operate()


def test_a_formula_has_to_be_of_some_kind():
    with pytest.raises(TypeError):
        Formula()
