"""One table over every public callable: nonsense in, an error of our own tree out, with advice."""

from __future__ import annotations

import inspect
import re
import signal
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from logiclens import logic
from logiclens.errors import LogicLensError
from logiclens.logic import (
    And,
    Cover,
    Formula,
    Not,
    Or,
    TruthTable,
    Var,
    at_most_one,
    conflicts,
    equivalent,
    exactly_one,
    format_formula,
    from_json,
    implies,
    minimize,
    minimize_path,
    ordered,
    parse_formula,
    satisfying_assignment,
    simplify,
    to_cnf,
    to_dnf,
    to_json,
    to_nnf,
    to_python,
    to_sentence,
    to_sql,
    to_sympy,
)

SECONDS = 20
"""After this long a call counts as hanging."""

Call = Callable[[], object]

a, b = Var("a"), Var("b")
BITS = np.array([[0, 1], [1, 0], [1, 1]], dtype=bool)
TABLE = TruthTable.from_data(BITS, [1, 0, 0], names=["a", "b"])
COVER = Cover.from_formula(a & ~b)
MATRIX = np.zeros((3, 3))
WORDS = np.zeros((1, 1), dtype=np.uint64)

NOT_A_FORMULA = {"None": None, "number": 3, "text": "a", "list": [a, b], "array": MATRIX, "type": Var}
NOT_A_TABLE = {"None": None, "number": 3, "text": "a", "array": MATRIX, "formula": a, "dict": {"a": [1]}}
NOT_NAMES = {
    "None": None,
    "number": 3,
    "text": "ab",
    "empty name": ["a", ""],
    "numbers": [1, 2],
    "repeated": ["a", "a"],
    "None inside": ["a", None],
    "array of numbers": MATRIX,
    "lists inside": [["a"], ["b"]],
}
NOT_A_COUNT = {
    "text": "3",
    "negative": -1,
    "fraction": 1.5,
    "NaN": np.nan,
    "list": [1],
    "array": MATRIX,
    "flag": True,
}
NOT_DATA = {
    "None": None,
    "number": 3,
    "text": "ab",
    "1-D": [1, 0],
    "3-D": np.zeros((1, 2, 3)),
    "ragged": [[1, 0], [1]],
    "NaN": [[np.nan, 0.0]],
    "None inside": [[None, 1]],
    "infinite": [[np.inf, 0]],
    "negative": [[-0.1, 0]],
    "too large": [[2, 0]],
    "far too large": [[10**400, 0]],
    "strings": [["x", "y"]],
    "complex": [[1j, 0]],
    "dates": np.array([["2020", "2021"]], dtype="M8[Y]"),
    "mapping of two lengths": {"x0": [1], "x1": [1, 0]},
    "object": object(),
}


def ladder(levels: int) -> Formula:
    """Few objects, astronomically long as text."""
    formula = a | b
    for _ in range(levels):
        formula = And(formula, formula) if isinstance(formula, Or) else Or(formula, formula)
    return formula


def parity(n_concepts: int) -> Formula:
    """True of an odd number of concepts; its normal forms have 2**(n - 1) terms."""
    formula: Formula = Var("p0")
    for j in range(1, n_concepts):
        other = Var(f"p{j}")
        formula = (formula & ~other) | (~formula & other)
    return formula


def pigeons(holes: int) -> Formula:
    """One pigeon more than holes, each in a hole of its own: false, and hard to see."""
    sits = [[Var(f"{p} in {h}") for h in range(holes)] for p in range(holes + 1)]
    housed = [Or(*row) for row in sits]
    alone = [
        ~(x & y)
        for h in range(holes)
        for i, x in enumerate(c[h] for c in sits)
        for y in (c[h] for c in sits[:i])
    ]
    return And(*housed, *alone)


def each(call: Callable[[object], object], values: dict[str, object]) -> dict[str, Call]:
    """One case for each value."""
    return {label: lambda value=value: call(value) for label, value in values.items()}


def prefixed(prefix: str, cases: dict[str, Call]) -> dict[str, Call]:
    return {f"{prefix}: {label}": call for label, call in cases.items()}


def too_long(call: Callable[[Formula], object]) -> dict[str, Call]:
    return {"absurdly long": lambda: call(ladder(60))}


def settings(function: Callable[..., object]) -> dict[str, Call]:
    """Nonsense for what minimize and minimize_path have in common."""
    return {
        **prefixed("table", each(function, NOT_A_TABLE)),
        **prefixed("max_literals", each(lambda value: function(TABLE, max_literals=value), NOT_A_COUNT)),
        **prefixed(
            "exact",
            each(
                lambda value: function(TABLE, exact=value),
                {"text": "yes", "None": None, "number": 2, "array": MATRIX, "list": ["auto"]},
            ),
        ),
        **prefixed(
            "order",
            each(
                lambda value: function(TABLE, order=value),
                {
                    "number": 3,
                    "text": "a",
                    "unknown": ["c"],
                    "repeated": ["a", "a"],
                    "mixed": ["a", 1],
                    "shape": [1, 2, 3],
                    "NaN": [1, np.nan],
                    "complex": [1, 1j],
                    "ragged": [[1, 2], [1]],
                    "huge": [10**400, 1],
                    "dict": {"a": 1},
                },
            ),
        ),
        "no proof possible": lambda: function(
            TruthTable.from_data(np.random.default_rng(0).random((300, 40)), np.arange(300) % 2), exact=True
        ),
    }


CASES: dict[str, dict[str, Call]] = {
    "Var": each(Var, {"None": None, "number": 3, "empty": "", "bytes": b"a", "list": ["a"], "array": MATRIX}),
    "Not": each(Not, NOT_A_FORMULA),
    "And": {
        **each(lambda value: And(a, value), NOT_A_FORMULA),
        "too few": lambda: And(a),
        "nothing": lambda: And(),
    },
    "And.of": {
        **each(lambda value: And.of([value]), NOT_A_FORMULA),
        **prefixed(
            "parts", each(And.of, {"None": None, "number": 3, "text": "a", "formula": a, "array": MATRIX})
        ),
    },
    "Or": {
        **each(lambda value: Or(value, a), NOT_A_FORMULA),
        "too few": lambda: Or(a),
        "nothing": lambda: Or(),
    },
    "Or.of": {
        **each(lambda value: Or.of([value]), NOT_A_FORMULA),
        **prefixed(
            "parts", each(Or.of, {"None": None, "number": 3, "text": "a", "formula": a, "array": MATRIX})
        ),
    },
    "Formula.iff": each(a.iff, NOT_A_FORMULA),
    "Formula.evaluate": {
        **prefixed("data", each((Var("x0") & Var("x1")).evaluate, NOT_DATA)),
        **prefixed("names", each(lambda value: a.evaluate(BITS, value), NOT_NAMES | {"None": ["b", "c"]})),
        **prefixed(
            "threshold",
            each(
                lambda value: a.evaluate({"a": [1]}, threshold=value),
                {
                    "None": None,
                    "text": "0.5",
                    "one": 1,
                    "negative": -1,
                    "NaN": np.nan,
                    "array": MATRIX,
                    "huge": 10**400,
                },
            ),
        ),
        "unknown concept": lambda: Var("c").evaluate({"a": [1]}),
        "truth value": lambda: bool(a),
        "text as operand": lambda: a & "b",
        "too deep": lambda: [f := a, *(f := ~f for _ in range(300))],
    },
    "TruthTable": {
        "None": lambda: TruthTable(None, None, None, None),
        "lists": lambda: TruthTable(["a"], [[1]], [1.0], [0.0]),
        "shapes": lambda: TruthTable(("a",), WORDS, np.zeros(2), np.zeros(1)),
        "numbers": lambda: TruthTable(("a",), WORDS, np.array(1.0), np.array(1.0)),
        "names": lambda: TruthTable("a", WORDS, np.zeros(1), np.zeros(1)),
    },
    "TruthTable.from_data": {
        **prefixed("concepts", each(lambda value: TruthTable.from_data(value, [1]), NOT_DATA)),
        **prefixed(
            "predictions",
            each(
                lambda value: TruthTable.from_data(BITS, value),
                {
                    "None": None,
                    "number": 1,
                    "text": "101",
                    "length": [1, 0],
                    "shape": [[1], [0], [1]],
                    "ragged": [[1], [0, 1], [1]],
                    "NaN": [1, np.nan, 0],
                    "classes": [0, 1, 2],
                    "strings": ["y", "n", "y"],
                    "huge": [10**400, 0, 1],
                },
            ),
        ),
        **prefixed(
            "sample_weight",
            each(
                lambda value: TruthTable.from_data(BITS, [1, 0, 1], sample_weight=value),
                {
                    "number": 1,
                    "text": "111",
                    "length": [1, 1],
                    "ragged": [[1], [1, 1], [1]],
                    "NaN": [1, np.nan, 1],
                    "negative": [1, -1, 1],
                    "zero": [0, 0, 0],
                    "strings": ["1", "1", "1"],
                    "complex": [1j, 1, 1],
                    "huge": [1e308, 1e308, 1e308],
                    "far too large": [10**400, 1, 1],
                },
            ),
        ),
        **prefixed(
            "names", each(lambda v: TruthTable.from_data(BITS, [1, 0, 1], v), NOT_NAMES | {"None": ["a"]})
        ),
        **prefixed(
            "columns",
            each(
                lambda value: TruthTable.from_data(BITS, [1, 0, 1], columns=value),
                {
                    "number": 1,
                    "text": "x0",
                    "unknown": ["y"],
                    "out of range": [2],
                    "negative": [-1],
                    "mask": [True, False],
                    "repeated": [0, "x0"],
                    "None inside": [None],
                    "fraction": [0.5],
                    "array": MATRIX,
                },
            ),
        ),
        **prefixed(
            "threshold",
            each(
                lambda value: TruthTable.from_data(BITS, [1, 0, 1], threshold=value),
                {"None": None, "text": "0.5", "one": 1, "NaN": np.nan, "array": MATRIX, "huge": 10**400},
            ),
        ),
        "no rows": lambda: TruthTable.from_data(np.zeros((0, 2)), []),
    },
    "TruthTable.from_counts": {
        **prefixed("concepts", each(lambda value: TruthTable.from_counts(value, [1], [1]), NOT_DATA)),
        **prefixed(
            "yes",
            each(
                lambda value: TruthTable.from_counts(BITS, value, [1, 1, 1]),
                {
                    "None": None,
                    "number": 1,
                    "length": [1],
                    "NaN": [1, np.nan, 1],
                    "negative": [-1, 1, 1],
                    "text": "111",
                },
            ),
        ),
        **prefixed(
            "no",
            each(lambda value: TruthTable.from_counts(BITS, [1, 1, 1], value), {"None": None, "-": [-1] * 3}),
        ),
        **prefixed(
            "names",
            each(lambda v: TruthTable.from_counts(BITS, [1] * 3, [1] * 3, v), NOT_NAMES | {"None": ["a"]}),
        ),
    },
    "TruthTable.merge": {
        **each(TABLE.merge, NOT_A_TABLE),
        "other concepts": lambda: TABLE.merge(TABLE.rename(["a", "c"])),
    },
    "TruthTable.select": each(
        TABLE.select,
        {
            "None": None,
            "number": 1,
            "text": "a",
            "unknown": ["c"],
            "repeated": ["a", "a"],
            "array": MATRIX,
        },
    ),
    "TruthTable.rename": each(
        TABLE.rename,
        NOT_NAMES
        | {
            "too few": ["a"],
            "too many": ["a", "b", "c"],
            "mapping: unknown": {"c": "d"},
            "mapping: number": {0: "d"},
            "mapping: to a number": {"a": 0},
            "mapping: twins": {"a": "b"},
        },
    ),
    "minimize": {
        **settings(minimize),
        **prefixed("max_terms", each(lambda value: minimize(TABLE, max_terms=value), NOT_A_COUNT)),
        **prefixed(
            "literal_cost",
            each(
                lambda value: minimize(TABLE, literal_cost=value),
                {
                    "None": None,
                    "text": "0.1",
                    "negative": -1,
                    "NaN": np.nan,
                    "infinite": np.inf,
                    "array": MATRIX,
                    "huge": 10**400,
                },
            ),
        ),
    },
    "minimize_path": settings(minimize_path),
    "Cover": {
        **prefixed("names", each(lambda value: Cover(value, WORDS, WORDS), NOT_NAMES)),
        **prefixed(
            "positive",
            each(
                lambda value: Cover(["a", "b"], value, WORDS),
                {
                    "None": None,
                    "number": 1,
                    "text": "a",
                    "bool": BITS,
                    "shape": np.zeros((1, 2), np.uint64),
                    "ragged": [[1], [1, 2]],
                },
            ),
        ),
        "another number of rows": lambda: Cover(["a"], WORDS, np.zeros((2, 1), np.uint64)),
        "bits beyond the names": lambda: Cover(["a"], np.full((1, 1), 2, np.uint64), WORDS),
    },
    "Cover.from_literals": {
        **prefixed("names", each(lambda value: Cover.from_literals(value, []), NOT_NAMES)),
        **prefixed(
            "terms",
            each(
                lambda value: Cover.from_literals(["a"], value),
                {
                    "None": None,
                    "number": 3,
                    "text": "a",
                    "a mapping": {"a": True},
                    "names": ["a"],
                    "None inside": [None],
                },
            ),
        ),
        "unknown concept": lambda: Cover.from_literals(["a"], [{"b": True}]),
        "values that are no Booleans": lambda: Cover.from_literals(["a"], [{"a": "no"}]),
    },
    "Cover.from_formula": {
        **each(Cover.from_formula, NOT_A_FORMULA),
        **prefixed("names", each(lambda value: Cover.from_formula(a, value), NOT_NAMES | {"None": ["b"]})),
        "no normal form": lambda: Cover.from_formula(a & (b | ~a)),
    },
    "Cover.contains": each(
        COVER.contains,
        {
            "None": None,
            "number": 1,
            "text": "a",
            "bool": BITS,
            "shape": np.zeros((1, 2), np.uint64),
            "ragged": [[1], [1, 2]],
        },
    ),
    "Cover.covered_by_terms": each(
        COVER.covered_by_terms, {"None": None, "text": "a", "bool": BITS, "ragged": [[1], [1, 2]]}
    ),
    "Cover.covers_term": {
        **each(
            lambda value: COVER.covers_term(value, WORDS),
            {"None": None, "text": "a", "bool": BITS, "ragged": [[1], [1, 2]]},
        ),
        "several": lambda: COVER.covers_term(np.zeros((2, 1), np.uint64), np.zeros((2, 1), np.uint64)),
    },
    "Cover.over": each(COVER.over, NOT_NAMES | {"fewer": ["a"]}),
    "Cover.rename": each(
        COVER.rename,
        {
            "None": None,
            "number": 3,
            "text": "ab",
            "list": ["a"],
            "twins": {"a": "b"},
            "empty": {"a": ""},
            "numbers": {"a": 1},
        },
    ),
    "Cover.union": each(COVER.union, NOT_A_TABLE | {"other concepts": Cover.from_formula(a)}),
    "Cover.intersect": {
        **each(COVER.intersect, NOT_A_TABLE | {"other concepts": Cover.from_formula(a)}),
        **prefixed("limit", each(lambda value: COVER.intersect(COVER, value), NOT_A_COUNT | {"None": None})),
    },
    "Cover.complement": prefixed("limit", each(COVER.complement, NOT_A_COUNT | {"None": None})),
    "Cover.cofactor": {
        **each(
            lambda value: COVER.cofactor(value, True),
            {"None": None, "number": 0, "unknown": "c", "list": ["a"]},
        ),
        **prefixed(
            "value",
            each(lambda value: COVER.cofactor("a", value), {"None": None, "text": "no", "array": MATRIX}),
        ),
    },
    "parse_formula": each(
        parse_formula,
        {
            "None": None,
            "number": 3,
            "bytes": b"a",
            "formula": a,
            "empty": "",
            "blank": " \n ",
            "half": "a &",
            "code": "__import__('os').system('x')",
            "unclosed": '"a',
            "absurdly deep": "(" * 10_000 + "a",
            "absurdly many negations": "~" * 10_000 + "a",
            "absurdly long": "a" * 2_000_000,
        },
    ),
    "format_formula": {
        **each(format_formula, NOT_A_FORMULA),
        **too_long(format_formula),
        **prefixed(
            "style",
            each(
                lambda value: format_formula(a, value),
                {"None": None, "text": "html", "list": ["ascii"], "array": MATRIX},
            ),
        ),
    },
    "to_nnf": each(to_nnf, NOT_A_FORMULA),
    "to_dnf": {
        **each(to_dnf, NOT_A_FORMULA),
        **prefixed("max_terms", each(lambda value: to_dnf(a & b, value), NOT_A_COUNT | {"None": None})),
        "blow-up": lambda: to_dnf(parity(24)),
        "max_terms: too small": lambda: to_dnf(a | b, 1),
    },
    "to_cnf": {
        **each(to_cnf, NOT_A_FORMULA),
        **prefixed("max_terms", each(lambda value: to_cnf(a & b, value), NOT_A_COUNT | {"None": None})),
        "blow-up": lambda: to_cnf(parity(24)),
        "max_terms: too small": lambda: to_cnf(a & b, 1),
    },
    "simplify": each(simplify, NOT_A_FORMULA),
    "satisfying_assignment": {
        **each(satisfying_assignment, NOT_A_FORMULA),
        **prefixed(
            "max_conflicts",
            each(lambda v: satisfying_assignment(a, max_conflicts=v), NOT_A_COUNT | {"None": None}),
        ),
        "too hard": lambda: satisfying_assignment(pigeons(8), max_conflicts=200),
    },
    "equivalent": {
        **prefixed("f", each(lambda value: equivalent(value, a), NOT_A_FORMULA)),
        **prefixed("g", each(lambda value: equivalent(a, value), NOT_A_FORMULA)),
        **prefixed(
            "given",
            each(
                lambda value: equivalent(a, b, value),
                {"number": 3, "text": "a", "inside": ["a"], "array": MATRIX},
            ),
        ),
        "given: contradiction": lambda: equivalent(a, b, [a, ~a]),
    },
    "implies": {
        **prefixed("f", each(lambda value: implies(value, a), NOT_A_FORMULA)),
        **prefixed("g", each(lambda value: implies(a, value), NOT_A_FORMULA)),
        **prefixed(
            "given",
            each(
                lambda value: implies(a, b, value),
                {"number": 3, "text": "a", "inside": ["a"], "array": MATRIX},
            ),
        ),
        "given: contradiction": lambda: implies(a, b, [a, ~a]),
    },
    "conflicts": {
        **each(
            conflicts,
            {"None": None, "number": 3, "text": "ab", "list": [a, b], "array": MATRIX, "formula": a},
        ),
        **prefixed("rule", each(lambda value: conflicts({"x": a, "y": value}), NOT_A_FORMULA)),
        **prefixed(
            "given",
            each(
                lambda value: conflicts({"x": a}, value),
                {"number": 3, "text": "a", "inside": ["a"], "array": MATRIX},
            ),
        ),
        "given: contradiction": lambda: conflicts({"x": a}, [a, ~a]),
    },
    "at_most_one": each(at_most_one, NOT_NAMES),
    "exactly_one": each(exactly_one, NOT_NAMES),
    "ordered": each(ordered, NOT_NAMES),
    "to_sql": {
        **each(to_sql, NOT_A_FORMULA),
        **too_long(to_sql),
        **prefixed(
            "dialect",
            each(
                lambda value: to_sql(a, value),
                {"None": None, "text": "oracle", "list": ["ansi"], "array": MATRIX},
            ),
        ),
        **prefixed(
            "threshold",
            each(
                lambda value: to_sql(a, threshold=value),
                {"text": "0.5", "one": 1, "NaN": np.nan, "array": MATRIX, "huge": 10**400},
            ),
        ),
        "a name SQL has not": lambda: to_sql(Var("a\0")),
    },
    "to_python": {
        **each(to_python, NOT_A_FORMULA),
        **too_long(to_python),
        **prefixed(
            "name",
            each(
                lambda value: to_python(a, value),
                {"None": None, "number": 3, "empty": "", "code": "f(): import os #", "keyword": "def"},
            ),
        ),
        **prefixed(
            "threshold",
            each(
                lambda value: to_python(a, threshold=value),
                {"None": None, "text": "0.5", "one": 1, "NaN": np.nan, "array": MATRIX, "huge": 10**400},
            ),
        ),
    },
    "to_sympy": {**each(to_sympy, NOT_A_FORMULA), **too_long(to_sympy)},
    "to_json": {**each(to_json, NOT_A_FORMULA), **too_long(to_json)},
    "to_sentence": {**each(to_sentence, NOT_A_FORMULA), **too_long(to_sentence)},
    "from_json": each(
        from_json,
        {
            "None": None,
            "number": 3,
            "bytes": b"{}",
            "formula": a,
            "empty": "",
            "no JSON": "a & b",
            "other JSON": "[1, 2]",
            "later version": '{"format": "logiclens.formula", "version": 2, "formula": "a"}',
            "no formula": '{"format": "logiclens.formula", "version": 1, "formula": 3}',
            "empty name": '{"format": "logiclens.formula", "version": 1, "formula": ""}',
            "absurdly deep": "[" * 100_000,
            "absurdly long": " " * 20_000_000,
            "a huge number": "1" * 100_000,
        },
    ),
}

NOT_CALLED = {
    "Formula": "abstract; its methods are in the table",
    "Conflict": "made by conflicts()",
    "Minimized": "made by minimize()",
    "Status": "an enumeration",
}
"""Public callables that take nothing from a user, and why."""

ELSEWHERE = {
    "Formula.evaluate_words": "the inside of evaluate(): takes packed words as made there",
}


def public_callables() -> Iterator[str]:
    """``name`` or ``Class.method`` of everything public that takes arguments."""
    for name in logic.__all__:
        value = getattr(logic, name)
        if not callable(value):
            continue
        if name not in NOT_CALLED:
            yield name
        if inspect.isclass(value) and name not in ("Conflict", "Minimized", "Status"):
            for method, member in vars(value).items():
                bound = getattr(value, method)
                if method.startswith("_") or not callable(bound):
                    continue
                in_class = isinstance(member, classmethod | staticmethod)
                if len(inspect.signature(bound).parameters) > (0 if in_class else 1):
                    yield f"{name}.{method}"


def test_every_public_callable_has_its_nonsense():
    """Whoever adds a public function or method adds its bad input here."""
    assert set(public_callables()) - set(ELSEWHERE) == set(CASES)


@pytest.fixture
def impatient() -> Iterator[None]:
    """Turn a hang into a failure."""

    def give_up(*_: object) -> None:
        pytest.fail(f"no answer within {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(call, id=f"{name}-{label}")
        for name, cases in CASES.items()
        for label, call in cases.items()
    ],
)
def test_nonsense_is_refused_with_advice(call: Call):
    with pytest.raises(LogicLensError) as info:
        call()

    text = str(info.value)
    assert text.isprintable(), "a message is one line"
    assert text[-1] in ".)'", "it ends as a sentence, or with the place in a text"
    assert re.search(r"[.;:?] \S|\. ", text), "it says what is wrong, and then what was got or what to do"
    assert len(text) < 500


@pytest.mark.parametrize(
    "call",
    [
        lambda limit: minimize(TABLE, max_terms=limit),
        lambda limit: minimize(TABLE, max_literals=limit),
        lambda limit: minimize_path(TABLE, max_literals=limit)[-1],
        lambda limit: to_dnf(~a, limit),
        lambda limit: to_cnf(~a, limit),
    ],
    ids=["max_terms", "max_literals", "max_literals of the path", "to_dnf", "to_cnf"],
)
def test_a_limit_larger_than_any_float_is_no_limit(call: Callable[[int], object]):
    result = call(10**400)

    assert getattr(result, "formula", result) == ~a
