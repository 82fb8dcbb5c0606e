"""One table over every public callable: nonsense in, an error of our own tree out, with advice."""

from __future__ import annotations

import functools
import inspect
import re
import signal
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import torch
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from logiclens import (
    concepts,
    estimators,
    explain,
    files,
    guard,
    loading,
    logic,
    metrics,
    plots,
    reporting,
    scale,
)
from logiclens.concepts import (
    Above,
    AtMost,
    Between,
    ConceptEncoder,
    Flag,
    Missing,
    OneOf,
    Table,
    Vocabulary,
    auto_encoder,
)
from logiclens.errors import LogicLensError
from logiclens.estimators import (
    EntropyClassifier,
    LENClusterer,
    MuClassifier,
    PsiClassifier,
    ReluClassifier,
    cross_explain,
)
from logiclens.estimators.base import LENClassifier
from logiclens.explain import (
    Explanation,
    ExplanationSet,
    Front,
    Point,
    Rule,
    Scores,
    Step,
    class_formulas,
    compose,
    counterfactual,
    explain_class,
    explain_class_as_in_paper,
    explain_example,
    explain_examples,
    explain_global,
    explain_set,
    load_rules,
    term_scores,
    unseen_tuples,
    with_unseen,
)
from logiclens.files import read_batches, read_table, written_whole
from logiclens.guard import Link, RuleGuard, mutual_rules
from logiclens.loading import load, rules_of_model
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
    prove,
    satisfying_assignment,
    simplify,
    substitute,
    to_cnf,
    to_dnf,
    to_json,
    to_nnf,
    to_python,
    to_sentence,
    to_sql,
    to_sympy,
)
from logiclens.metrics import (
    complexity,
    consistency,
    explanation_accuracy,
    fidelity,
    macro_f1,
    rule_scores,
)
from logiclens.pipelines import (
    BlackBoxExplainer,
    CascadeClassifier,
    ConceptBottleneckClassifier,
    intervention_curve,
)
from logiclens.pipelines._rows import number_of_rows
from logiclens.plots import (
    ConceptRelevanceDisplay,
    FrontDisplay,
    NetworkDisplay,
    RuleCoverageDisplay,
    TruthTableDisplay,
)
from logiclens.reporting import Source, report

SECONDS = 20
"""After this long a call counts as hanging."""

STAYS = Path(__file__).parents[1] / "docs" / "data" / "stays.csv"
"""A table in a file."""

Call = Callable[[], object]

a, b = Var("a"), Var("b")
BITS = np.array([[0, 1], [1, 0], [1, 1]], dtype=bool)
TABLE = TruthTable.from_data(BITS, [1, 0, 0], names=["a", "b"])
COVER = Cover.from_formula(a & ~b)
MATRIX = np.zeros((3, 3))
WORDS = np.zeros((1, 1), dtype=np.uint64)
EXPLANATION = Explanation(Rule("yes", a & ~b))
FRONT = Front((Point((Step("yes", a),), "no", 0.5, 0.5, (0.4, 0.6)),), ("no", "yes"), ("a", "b"))
RULES = ExplanationSet([EXPLANATION, Explanation(Rule("no", b))], ["a", "b"])
SCORED = replace(Front.of(RULES), points=(replace(Front.of(RULES)[0], accuracy=0.9, fidelity=0.8),))
SAVED_FRONT = SCORED.to_json()
NOT_A_LENGTH = {"text": "long", "negative": -1, "fraction": 2.5, "true": True, "list": [3], "array": MATRIX}
ROWS = [[0, 1], [1, 0]]

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
NOT_RAW_DATA = {
    name: NOT_DATA[name]
    for name in ("None", "number", "text", "1-D", "3-D", "ragged", "mapping of two lengths", "object")
}
NOT_A_LABEL = {"None": None, "list": ["yes"], "NaN": np.nan, "array": MATRIX, "bytes": b"yes"}
NOT_AXES = {"number": 3, "text": "axes", "list": [None]}
NOT_A_LENGTH = {"text": "10", "negative": -1, "fraction": 2.5, "flag": True, "array": MATRIX}
NOT_A_RATE = {"text": "0.5", "negative": -0.1, "above one": 1.1, "NaN": np.nan, "array": MATRIX}
NOT_A_WEIGHT = {"text": "1", "negative": -1, "NaN": np.nan, "infinite": np.inf, "array": MATRIX}
NOT_WEIGHTS = {
    "text": "ab",
    "number": 3,
    "too few": [1],
    "negative": [1, -1],
    "NaN": [1, np.nan],
    "infinite": [1, np.inf],
    "all zero": [0, 0],
    "2-D": [[1, 1]],
    "strings": ["x", "y"],
}
NOT_A_PATH = {"None": None, "number": 3.5, "folder": "."}
NOT_A_KIND = {"None": None, "number": 1, "unknown": "whenever", "list": ["iff"]}
NOT_RULES = {"None": None, "number": 3, "text": "a", "formula": a, "list": [a], "empty": {}}
NOT_MARKS = {
    "None": None,
    "number": 3,
    "text": "ab",
    "too few": [1],
    "neither 0 nor 1": [0, 2],
    "NaN": [0, np.nan],
    "strings": ["x", "y"],
    "2-D": [[0, 1]],
}
NOT_LABELS_OF_TWO_ROWS = {
    "None": None,
    "number": 3,
    "text": "ab",
    "too few": ["yes"],
    "None inside": ["yes", None],
    "NaN": [0.0, np.nan],
    "3-D": np.zeros((2, 1, 1)),
}


def encode(**settings: object) -> ConceptEncoder:
    """An encoder of two columns of 0 and 1."""
    return ConceptEncoder(**settings).fit(ROWS)


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
        **prefixed(
            "literal_cost",
            each(
                lambda value: function(TABLE, literal_cost=value),
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
        "no proof possible": lambda: function(
            TruthTable.from_data(np.random.default_rng(0).random((300, 40)), np.arange(300) % 2), exact=True
        ),
    }


def agreement_cases(score: Callable[..., object]) -> dict[str, Call]:
    """Nonsense for what explanation_accuracy and fidelity have in common."""
    return {
        **prefixed("rules", each(lambda value: score(value, {"a": [0, 1]}, ["yes", "no"]), NOT_RULES)),
        "rules: no formula": lambda: score({"yes": "a"}, {"a": [0, 1]}, ["yes", "no"]),
        **prefixed("X", each(lambda value: score({"yes": Var("x0")}, value, ["yes"]), NOT_DATA)),
        **prefixed("y", each(lambda value: score({"yes": a}, {"a": [0, 1]}, value), NOT_LABELS_OF_TWO_ROWS)),
        **prefixed(
            "weight",
            each(
                lambda value: score({"yes": a}, {"a": [0, 1]}, ["yes", "no"], sample_weight=value),
                NOT_WEIGHTS,
            ),
        ),
    }


def quick() -> LENClassifier:
    """A classifier that is fitted at once."""
    return MuClassifier(epochs=2, restarts=1, l1=0.01, random_state=0)


@functools.cache
def fitted() -> LENClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return quick().fit(ROWS * 4, ["no", "yes"] * 4)


def setting_cases(kind: type[LENClassifier], **settings: dict[str, object]) -> dict[str, Call]:
    """Nonsense for settings of a classifier; they are looked at when it is fitted."""
    return {
        f"{name}: {label}": lambda name=name, value=value: kind(**{name: value}).fit(ROWS, [0, 1])
        for name, values in settings.items()
        for label, value in values.items()
    }


def classifier_cases(kind: type[LENClassifier]) -> dict[str, Call]:
    """Nonsense for the settings that all classifiers have."""
    return setting_cases(
        kind,
        rule={**NOT_A_KIND, "cluster": "cluster"},
        distillation=NOT_A_RATE,
        literal_cost=NOT_A_RATE,
        max_literals=NOT_A_COUNT,
        literals=NOT_A_LENGTH | {"None": None},
        class_weight={"number": 2, "text": "even", "unknown label": {"perhaps": 2}, "negative": {0: -1}},
        hidden={"None": None, "number": 10, "text": "10", "empty layer": [0], "fraction": [1.5]},
        l1={"None": None, "text": "0.1", "negative": -0.1, "none": [], "NaN": [0.1, np.nan]},
        restarts=NOT_A_COUNT,
        epochs=NOT_A_COUNT,
        learning_rate={"None": None, "text": "0.1", "zero": 0, "NaN": np.nan, "infinite": np.inf},
        batch_size=NOT_A_COUNT,
        patience=NOT_A_COUNT,
        validation_fraction={"None": None, "one": 1, "negative": -0.1, "NaN": np.nan},
        encoder={"text": "deep", "object": object()},
        device={"None": None, "unknown": "abacus", "number": 3.5},
        random_state={"text": "0", "negative": -1, "fraction": 0.5},
    )


def rows_cases(method: str) -> dict[str, Call]:
    """Nonsense for a method of a fitted classifier that takes rows."""
    values = {key: value for key, value in NOT_DATA.items() if method != "explain" or key != "None"}
    return {
        **prefixed("X", each(lambda value: getattr(fitted(), method)(value), values)),
        "X: too wide": lambda: getattr(fitted(), method)([[0, 1, 1]]),
        "X: other names": lambda: getattr(fitted(), method)({"c": [0], "d": [1]}),
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
    },
    "minimize_path": {
        **settings(minimize_path),
        **prefixed("restarts", each(lambda value: minimize_path(TABLE, restarts=value), NOT_A_COUNT)),
    },
    "prove": {
        **prefixed("table", each(lambda value: prove(value, minimize(TABLE)), NOT_A_TABLE)),
        **prefixed("found", each(lambda value: prove(TABLE, value), NOT_A_TABLE)),
        "another table's": lambda: prove(TABLE, minimize(TruthTable.from_data([[0], [1]], [0, 1], ["z"]))),
        "exact": lambda: prove(TABLE, minimize(TABLE), exact="yes"),
        "order": lambda: prove(TABLE, minimize(TABLE), order=["c"]),
    },
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
    "substitute": {
        **each(lambda value: substitute(value, {"a": b}), NOT_A_FORMULA),
        **prefixed(
            "mapping", each(lambda value: substitute(a, value), {"None": None, "number": 3, "text": "ab"})
        ),
        **prefixed("meaning", each(lambda value: substitute(a, {"a": value}), NOT_A_FORMULA)),
    },
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

CASES |= {
    "Rule": {
        **prefixed("target", each(lambda value: Rule(value, a), NOT_A_LABEL)),
        **prefixed("formula", each(lambda value: Rule("yes", value), NOT_A_FORMULA)),
        **prefixed("kind", each(lambda value: Rule("yes", a, value), NOT_A_KIND)),
    },
    "Rule.format": {
        **each(
            Rule("yes", a).format,
            {"None": None, "number": 3, "unknown": "html", "near miss": "latx", "list": ["ascii"]},
        ),
        **too_long(lambda formula: Rule("yes", formula).format()),
    },
    "Scores": {
        **prefixed("part", each(lambda value: Scores(value, 3), {"None": None, "number": 3})),
        **prefixed("n_rows", each(lambda value: Scores("test", value), {**NOT_A_COUNT, "None": None})),
        **prefixed("precision", each(lambda value: Scores("test", 3, precision=value), NOT_A_RATE)),
        **prefixed("fidelity", each(lambda value: Scores("test", 3, fidelity=value), NOT_A_RATE)),
    },
    "Explanation": {
        **prefixed("rule", each(Explanation, {**NOT_A_FORMULA, "formula": a})),
        **prefixed(
            "scope",
            each(
                lambda value: Explanation(Rule("yes", a), value),
                {"None": None, "number": 3, "unknown": "fold", "near miss": "clas"},
            ),
        ),
        **prefixed(
            "status", each(lambda value: Explanation(Rule("yes", a), status=value), {"None": None, "one": 1})
        ),
        **prefixed("support", each(lambda value: Explanation(Rule("yes", a), support=value), NOT_A_WEIGHT)),
        **prefixed(
            "scores",
            each(lambda value: Explanation(Rule("yes", a), scores=value), {"number": 0.9, "dict": {}}),
        ),
    },
    "Explanation.evaluate": {
        **prefixed("data", each(EXPLANATION.evaluate, NOT_DATA)),
        "unknown concept": lambda: EXPLANATION.evaluate({"a": [1]}),
        "threshold": lambda: EXPLANATION.evaluate({"a": [1], "b": [0]}, threshold=2),
    },
    "Explanation.to_sql": {
        "dialect": lambda: EXPLANATION.to_sql("oracle"),
        "threshold": lambda: EXPLANATION.to_sql(threshold=1),
    },
    "Explanation.to_python": {
        "name": lambda: EXPLANATION.to_python("def"),
        "threshold": lambda: EXPLANATION.to_python(threshold=np.nan),
    },
    "Explanation.from_json": each(
        Explanation.from_json,
        {
            "None": None,
            "number": 3,
            "empty": "",
            "no JSON": "a & b",
            "other JSON": "[1, 2]",
            "rules": RULES.to_json(),
            "damaged": EXPLANATION.to_json().replace("iff", "whenever"),
            "later version": EXPLANATION.to_json().replace('"version": 2', '"version": 3'),
            "absurdly deep": "[" * 100_000,
        },
    ),
    "ExplanationSet": {
        **prefixed(
            "explanations",
            each(
                lambda value: ExplanationSet(value, ["a"]),
                {
                    "None": None,
                    "number": 3,
                    "text": "a",
                    "formulas": [a],
                    "none": [],
                    "rules": [Rule("yes", a)],
                },
            ),
        ),
        "labels: repeated": lambda: ExplanationSet([EXPLANATION, EXPLANATION], ["a", "b"]),
        "labels: of two types": lambda: ExplanationSet([EXPLANATION, Explanation(Rule(1, b))], ["a", "b"]),
        **prefixed("names", each(lambda value: ExplanationSet([EXPLANATION], value), NOT_NAMES)),
        "names: one missing": lambda: ExplanationSet([EXPLANATION], ["a"]),
        **prefixed(
            "multi_label",
            each(
                lambda value: ExplanationSet([EXPLANATION], ["a", "b"], multi_label=value),
                {"None": None, "text": "yes", "number": 2},
            ),
        ),
        "default: unknown": lambda: ExplanationSet([EXPLANATION], ["a", "b"], default="perhaps"),
        "default: of a multi-label set": lambda: ExplanationSet([EXPLANATION], ["a", "b"], True, "yes"),
        **prefixed(
            "steps",
            each(
                lambda value: ExplanationSet([EXPLANATION], ["a", "b"], steps=value),
                {
                    "number": 0.5,
                    "text": "a",
                    "formulas": [a],
                    "dict": {"yes": a},
                    "unknown label": [Step("perhaps", a)],
                    "unknown concept": [Step("yes", Var("c"))],
                    "repeated": [Step("yes", a), Step("yes", b)],
                },
            ),
        ),
    },
    "Step": {
        **prefixed("label", each(lambda value: Step(value, a), NOT_A_LABEL)),
        **prefixed("formula", each(lambda value: Step("yes", value), NOT_A_FORMULA)),
    },
    "Front.at": prefixed("literals", each(SCORED.at, NOT_A_LENGTH)),
    "Front.rules": prefixed("literals", each(SCORED.rules, NOT_A_LENGTH)),
    "Front.of": each(Front.of, {"None": None, "text": "a", "rule": EXPLANATION, "mapping": {"yes": a}}),
    "Front.to_frame": prefixed(
        "backend", each(SCORED.to_frame, {"None": None, "text": "abacus", "number": 3})
    ),
    "Front.from_json": {
        **each(
            lambda value: Front.from_json(value, ["a", "b"]),
            {"None": None, "text": "{}", "list": []},
        ),
        **{
            f"{name}: {what}": functools.partial(
                lambda name, value: Front.from_json(SAVED_FRONT | {name: value}, ["a", "b"]), name, value
            )
            for name, values in {
                "terms": {"None": None, "text": "a", "no formula": [3]},
                "points": {"None": None, "none": [], "numbers": [1]},
                "labels": {"None": None, "others": ["p", "q"], "twice": ["yes", "yes"]},
                "kind": {"unknown": "maybe"},
                "multi_label": {"number": 1},
                "chosen": {"far": 9, "text": "first", "true": True},
            }.items()
            for what, value in values.items()
        },
        "other concepts": lambda: Front.from_json(SAVED_FRONT, ["p", "q"]),
    },
    "class_formulas": {
        **prefixed(
            "steps",
            each(
                lambda value: class_formulas(value, "no", ["yes", "no"], TABLE),
                {"number": 3, "text": "a", "formulas": [a], "unknown concept": [Step("yes", Var("c"))]},
            ),
        ),
        **prefixed("default", each(lambda value: class_formulas([], value, ["no"], TABLE), NOT_A_LABEL)),
        **prefixed(
            "labels",
            each(
                lambda value: class_formulas([], "no", value, TABLE),
                {"None": None, "number": 3, "text": "no", "nothing in it": [None]},
            ),
        ),
        **prefixed(
            "table",
            each(lambda value: class_formulas([], "no", ["no"], value), {"number": 3, "rows": MATRIX}),
        ),
        **prefixed(
            "given",
            each(lambda value: class_formulas([], "no", ["no"], TABLE, given=value), {"text": ["a"]}),
        ),
        "given, without a table": lambda: class_formulas([], "no", ["no"], given=["a"]),
    },
    "ExplanationSet.decided_by": {
        **prefixed("data", each(RULES.decided_by, NOT_DATA)),
        "several labels": lambda: ExplanationSet([EXPLANATION], ["a", "b"], True).decided_by(ROWS),
    },
    "ExplanationSet.format": each(RULES.format, {"None": None, "number": 3, "unknown": "html"}),
    "ExplanationSet.fired": {
        **prefixed("data", each(RULES.fired, NOT_DATA)),
        "too wide": lambda: RULES.fired([[0, 1, 1]]),
        "unknown concept": lambda: RULES.fired({"a": [1]}),
        **prefixed("names", each(lambda value: RULES.fired(ROWS, value), {"text": "ab", "too few": ["a"]})),
        **prefixed(
            "threshold",
            each(lambda value: RULES.fired(ROWS, threshold=value), {"None": None, "text": "0.5", "one": 1}),
        ),
    },
    "ExplanationSet.predict": prefixed("data", each(RULES.predict, NOT_DATA)),
    "ExplanationSet.coverage_counts": prefixed("data", each(RULES.coverage_counts, NOT_DATA)),
    "ExplanationSet.score": {
        **prefixed("data", each(lambda value: RULES.score(value, ["yes", "no"]), NOT_DATA)),
        **prefixed("y", each(lambda value: RULES.score(ROWS, value), NOT_LABELS_OF_TWO_ROWS)),
        "no rows": lambda: RULES.score(np.zeros((0, 2)), []),
    },
    "ExplanationSet.conflicts": {
        **each(RULES.conflicts, {"number": 3, "text": "a", "inside": ["a"]}),
        "contradiction": lambda: RULES.conflicts([a, ~a]),
    },
    "ExplanationSet.from_json": each(
        ExplanationSet.from_json,
        {
            "None": None,
            "number": 3,
            "empty": "",
            "no JSON": "a & b",
            "other JSON": "{}",
            "an explanation": EXPLANATION.to_json(),
            "damaged": RULES.to_json().replace('"steps"', '"stepz"'),
            "absurdly deep": "[" * 100_000,
        },
    ),
    "ExplanationSet.to_sql": {
        **prefixed("dialect", each(RULES.to_sql, NOT_A_KIND)),
        "threshold": lambda: RULES.to_sql(threshold=1),
    },
    "ExplanationSet.save": each(RULES.save, NOT_A_PATH),
    "ExplanationSet.check": {
        **each(RULES.check, {"number": 3, "text": "a", "inside": ["a"]}),
        "contradiction": lambda: RULES.check([a, ~a]),
    },
    "ExplanationSet.counterfactual": {
        **prefixed("x", each(RULES.counterfactual, NOT_DATA)),
        "x: two rows": lambda: RULES.counterfactual(ROWS),
        "x: other concepts": lambda: RULES.counterfactual({"b": [0]}),
        **prefixed(
            "target",
            each(
                lambda value: RULES.counterfactual([[0, 1]], value),
                {"unknown": "perhaps", "number": 3, "list": ["yes"], "array": MATRIX},
            ),
        ),
        **prefixed(
            "groups",
            each(
                lambda value: RULES.counterfactual([[0, 1]], groups=value),
                {"None": None, "number": 3, "text": "a", "twice": [["a"], ["a"]], "other": [["a", "c"]]},
            ),
        ),
    },
    "ExplanationSet.to_python": {
        **prefixed(
            "name", each(RULES.to_python, {"None": None, "blank": "", "keyword": "if", "sign": "a-b"})
        ),
        "threshold": lambda: RULES.to_python(threshold=1),
    },
    "term_scores": {
        **prefixed(
            "explanation", each(lambda value: term_scores(value, ROWS), NOT_A_FORMULA | {"formula": a})
        ),
        **prefixed("X", each(lambda value: term_scores(EXPLANATION, value), NOT_DATA)),
        **prefixed(
            "y_is_target",
            each(
                lambda value: term_scores(EXPLANATION, {"a": [0, 1], "b": [1, 0]}, value),
                {"number": 3, "texts": ["yes", "no"], "short": [1], "missing": [1, np.nan]},
            ),
        ),
        **prefixed("names", each(lambda value: term_scores(EXPLANATION, ROWS, names=value), {"text": "ab"})),
        **prefixed(
            "confidence",
            each(
                lambda value: term_scores(EXPLANATION, {"a": [0], "b": [1]}, confidence=value),
                {"text": "0.9", "one": 1, "None": None},
            ),
        ),
    },
    "load_rules": each(load_rules, {**NOT_A_PATH, "source": __file__}),
    "load": each(load, {**NOT_A_PATH, "source": __file__}),
    "rules_of_model": each(rules_of_model, {**NOT_A_PATH, "source": __file__}),
    "explain_class": {
        **prefixed("table", each(lambda value: explain_class(value, "yes"), NOT_A_TABLE)),
        **prefixed("target", each(lambda value: explain_class(TABLE, value), NOT_A_LABEL)),
        **prefixed("kind", each(lambda value: explain_class(TABLE, "yes", kind=value), NOT_A_KIND)),
        **prefixed(
            "truth",
            each(
                lambda value: explain_class(TABLE, "yes", truth=value),
                {"number": 3, "text": "a", "array": MATRIX, "formula": a},
            ),
        ),
        "truth: other concepts": lambda: explain_class(
            TABLE, "yes", truth=TruthTable.from_data(BITS, [1, 0, 0], names=["c", "d"])
        ),
        **prefixed(
            "order",
            each(
                lambda value: explain_class(TABLE, "yes", order=value),
                {"number": 3, "text": "a", "unknown": ["c"], "shape": [1, 2, 3], "NaN": [1, np.nan]},
            ),
        ),
        **prefixed("limit", each(lambda value: explain_class(TABLE, "yes", max_literals=value), NOT_A_COUNT)),
    },
    "explain_class_as_in_paper": {
        **prefixed(
            "concepts",
            each(lambda value: explain_class_as_in_paper(value, [1], "yes", names=["a"]), NOT_DATA),
        ),
        **prefixed(
            "answers",
            each(
                lambda value: explain_class_as_in_paper(ROWS, value, "yes", names=["a", "b"]),
                {"None": None, "number": 3, "too few": [1], "above one": [0, 2], "NaN": [0, np.nan]},
            ),
        ),
        **prefixed(
            "target",
            each(lambda value: explain_class_as_in_paper(ROWS, [0, 1], value, names=["a", "b"]), NOT_A_LABEL),
        ),
        **prefixed(
            "names",
            each(lambda value: explain_class_as_in_paper(ROWS, [0, 1], "yes", names=value), NOT_NAMES),
        ),
        **prefixed(
            "validation",
            each(
                lambda value: explain_class_as_in_paper(
                    ROWS, [0, 1], "yes", names=["a", "b"], validation=value
                ),
                {"number": 3, "text": "ab", "rows alone": [ROWS], "other width": ([[1]], [1])},
            ),
        ),
        **prefixed(
            "relevance",
            each(
                lambda value: explain_class_as_in_paper(
                    ROWS, [0, 1], "yes", names=["a", "b"], relevance=value
                ),
                {"number": 3, "text": "ab", "shape": [[1, 2, 3]], "NaN": [[1, np.nan], [1, 1]]},
            ),
        ),
        **prefixed(
            "tau",
            each(
                lambda value: explain_class_as_in_paper(ROWS, [0, 1], "yes", names=["a", "b"], tau=value),
                NOT_A_RATE,
            ),
        ),
        **prefixed(
            "top_k",
            each(
                lambda value: explain_class_as_in_paper(ROWS, [0, 1], "yes", names=["a", "b"], top_k=value),
                NOT_A_COUNT,
            ),
        ),
    },
    "explain_example": {
        **prefixed(
            "sample",
            each(
                lambda value: explain_example(value, TABLE, "yes"),
                {"None": None, "number": 3, "text": "ab", "too short": [1], "above one": [2, 0], "2-D": ROWS},
            ),
        ),
        **prefixed("table", each(lambda value: explain_example([0, 1], value, "yes"), NOT_A_TABLE)),
        **prefixed("target", each(lambda value: explain_example([0, 1], TABLE, value), NOT_A_LABEL)),
        **prefixed(
            "relevance",
            each(
                lambda value: explain_example([0, 1], TABLE, "yes", relevance=value),
                {"number": 3, "text": "ab", "too short": [1], "NaN": [1, np.nan], "strings": ["x", "y"]},
            ),
        ),
        **prefixed("kind", each(lambda value: explain_example([0, 1], TABLE, "yes", kind=value), NOT_A_KIND)),
    },
    "explain_examples": {
        **prefixed("samples", each(lambda value: explain_examples(value, TABLE), NOT_DATA)),
        **prefixed("table", each(lambda value: explain_examples(ROWS, value), NOT_A_TABLE)),
        **prefixed(
            "relevance",
            each(
                lambda value: explain_examples(ROWS, TABLE, relevance=value),
                {"number": 3, "text": "ab", "shape": [1, 2, 3], "NaN": [1, np.nan]},
            ),
        ),
    },
    "explain_set": {
        **prefixed("samples", each(lambda value: explain_set(value, TABLE, "yes"), NOT_DATA)),
        **prefixed("table", each(lambda value: explain_set(ROWS, value, "yes"), NOT_A_TABLE)),
        **prefixed("target", each(lambda value: explain_set(ROWS, TABLE, value), NOT_A_LABEL)),
        **prefixed("kind", each(lambda value: explain_set(ROWS, TABLE, "yes", kind=value), NOT_A_KIND)),
        "no rows": lambda: explain_set(np.zeros((0, 2)), TABLE, "yes"),
    },
    "explain_global": {
        **prefixed("seen", each(explain_global, NOT_A_TABLE)),
        **prefixed(
            "rules",
            each(
                lambda value: explain_global(TABLE, value),
                {"number": 3, "text": "a", "list": [a], "empty": {}},
            ),
        ),
        **prefixed(
            "max_concepts", each(lambda value: explain_global(TABLE, max_concepts=value), NOT_A_COUNT)
        ),
        **prefixed("max_clauses", each(lambda value: explain_global(TABLE, max_clauses=value), NOT_A_COUNT)),
    },
    "unseen_tuples": {
        **prefixed("table", each(unseen_tuples, NOT_A_TABLE)),
        **prefixed("limit", each(lambda value: unseen_tuples(TABLE, value), {**NOT_A_COUNT, "None": None})),
    },
    "with_unseen": {
        **prefixed("table", each(lambda value: with_unseen(value, BITS[:1], [1]), NOT_A_TABLE)),
        **prefixed(
            "answers",
            each(
                lambda value: with_unseen(TABLE, np.array([[False, False]]), value),
                {"None": None, "number": 3, "too many": [0, 1], "above one": [2], "NaN": [np.nan]},
            ),
        ),
    },
    "compose": {
        **prefixed(
            "layers",
            each(
                lambda value: compose(value, ["a", "b"]),
                {
                    "None": None,
                    "number": 3,
                    "none": [],
                    "weights alone": [[[1.0, 1.0]]],
                    "too narrow": [([[1.0]], [0.0])],
                    "no bias": [([[1.0, 1.0]], [])],
                    "NaN": [([[np.nan, 1.0]], [0.0])],
                    "strings": [([["x", "y"]], [0.0])],
                    "apart": [([[1.0, 1.0]], [0.0]), ([[1.0, 1.0]], [0.0])],
                },
            ),
        ),
        **prefixed("names", each(lambda value: compose([([[1.0, 1.0]], [0.0])], value), NOT_NAMES)),
        "fan-in": lambda: compose([(np.ones((1, 40)), [0.0])], [f"x{j}" for j in range(40)]),
    },
    "complexity": {
        **each(complexity, {key: value for key, value in NOT_RULES.items() if key != "formula"}),
        "no formula": lambda: complexity({"yes": "a"}),
        "absurdly long": lambda: complexity({"yes": ~parity(40)}),
    },
    "consistency": {
        **each(consistency, {"None": None, "number": 3, "text": "a", "none": [], "one run": {"yes": a}}),
        "no formula": lambda: consistency([{"yes": "a"}]),
        **prefixed(
            "n_concepts", each(lambda value: consistency([{"yes": a}], n_concepts=value), NOT_A_COUNT)
        ),
        "n_concepts: too few": lambda: consistency([{"yes": a & b}], n_concepts=1),
    },
    "explanation_accuracy": agreement_cases(explanation_accuracy),
    "fidelity": {
        **agreement_cases(fidelity),
        **prefixed(
            "seen",
            each(
                lambda value: fidelity({"yes": a}, {"a": [0, 1]}, ["yes", "no"], seen=value),
                {"number": 3, "text": "ab", "other width": ROWS, "unknown": {"c": [1]}, "NaN": [[np.nan]]},
            ),
        ),
    },
    "macro_f1": {
        **prefixed("truth", each(lambda value: macro_f1(value, [0, 1]), NOT_MARKS)),
        **prefixed("predicted", each(lambda value: macro_f1([0, 1], value), NOT_MARKS)),
        **prefixed("weight", each(lambda value: macro_f1([0, 1], [0, 1], value), NOT_WEIGHTS)),
    },
    "rule_scores": {
        **prefixed("formula", each(lambda value: rule_scores(value, {"a": [0, 1]}, [0, 1]), NOT_A_FORMULA)),
        **prefixed("data", each(lambda value: rule_scores(Var("x0"), value, [0]), NOT_DATA)),
        **prefixed("target", each(lambda value: rule_scores(a, {"a": [0, 1]}, value), NOT_MARKS)),
        **prefixed(
            "weight",
            each(lambda value: rule_scores(a, {"a": [0, 1]}, [0, 1], sample_weight=value), NOT_WEIGHTS),
        ),
        **prefixed(
            "confidence",
            each(
                lambda value: rule_scores(a, {"a": [0, 1]}, [0, 1], confidence=value),
                {"None": None, "text": "0.95", "one": 1, "zero": 0, "percent": 95, "NaN": np.nan},
            ),
        ),
    },
    "MuClassifier": {
        **classifier_cases(MuClassifier),
        **setting_cases(MuClassifier, max_concepts=NOT_A_COUNT, tau=NOT_A_RATE),
    },
    "PsiClassifier": {**classifier_cases(PsiClassifier), **setting_cases(PsiClassifier, fan_in=NOT_A_COUNT)},
    "ReluClassifier": classifier_cases(ReluClassifier),
    "EntropyClassifier": {
        **classifier_cases(EntropyClassifier),
        **setting_cases(
            EntropyClassifier,
            tau=NOT_A_RATE,
            temperature={"text": "1", "zero": 0, "negative": -1, "NaN": np.nan, "None": None},
        ),
    },
    "LENClassifier.fit": {
        **prefixed("X", each(lambda value: quick().fit(value, [0, 1]), NOT_DATA)),
        **prefixed("y", each(lambda value: quick().fit(ROWS, value), NOT_LABELS_OF_TWO_ROWS)),
        "y: numbers": lambda: quick().fit(ROWS, [0.25, 0.5]),
        "y: of two types": lambda: quick().fit(ROWS, np.array([1, "yes"], dtype=object)),
        "y: a table of labels": lambda: quick().fit(ROWS, [[0, 2], [1, 0]]),
        **prefixed(
            "sample_weight", each(lambda value: quick().fit(ROWS, [0, 1], sample_weight=value), NOT_WEIGHTS)
        ),
        "no rows": lambda: quick().fit(np.zeros((0, 2)), []),
        "no columns": lambda: quick().fit(np.zeros((2, 0)), [0, 1]),
    },
    **{
        f"LENClassifier.{method}": rows_cases(method)
        for method in ("decide", "decision_function", "predict", "predict_proba", "explain")
    },
    "LENClassifier.explain_sample": {
        **rows_cases("explain_sample"),
        "two rows": lambda: fitted().explain_sample(ROWS),
        "unknown target": lambda: fitted().explain_sample([[0, 1]], "perhaps"),
    },
    "LENClassifier.explain_set": {
        **prefixed("X", each(lambda value: fitted().explain_set(value, "yes"), NOT_DATA)),
        **prefixed("target", each(lambda value: fitted().explain_set(ROWS, value), NOT_A_LABEL)),
        "unknown target": lambda: fitted().explain_set(ROWS, "perhaps"),
    },
    "LENClassifier.explain_global": {
        **{label: call for label, call in rows_cases("explain_global").items() if label != "X: None"},
        **prefixed(
            "max_concepts", each(lambda value: fitted().explain_global(max_concepts=value), NOT_A_COUNT)
        ),
    },
    "LENClassifier.save": each(lambda value: fitted().save(value), NOT_A_PATH),
    "cross_explain": {
        **prefixed(
            "estimator",
            each(
                lambda value: cross_explain(value, ROWS, [0, 1], cv=2),
                {"None": None, "text": "mu", "type": MuClassifier, "rules": RULES},
            ),
        ),
        **prefixed("X", each(lambda value: cross_explain(quick(), value, [0, 1]), NOT_DATA)),
        **prefixed("y", each(lambda value: cross_explain(quick(), ROWS, value), NOT_LABELS_OF_TWO_ROWS)),
        **prefixed(
            "cv",
            each(
                lambda value: cross_explain(quick(), ROWS, [0, 1], cv=value),
                {"one": 1, "zero": 0, "too many": 3, "text": "ten", "fraction": 2.5, "none": []},
            ),
        ),
        **prefixed(
            "n_jobs",
            each(
                lambda value: cross_explain(quick(), ROWS, [0, 1], cv=2, n_jobs=value),
                {"zero": 0, "text": "2", "fraction": 1.5, "truth": True},
            ),
        ),
        "settings": lambda: cross_explain(MuClassifier(epochs=0), ROWS, [0, 1], cv=2),
    },
}

CASES |= {
    "Table": {
        **each(Table, NOT_RAW_DATA | {"repeated": {1: [1], "1": [2]}}),
        **prefixed(
            "names",
            each(lambda value: Table(ROWS, value), {k: v for k, v in NOT_NAMES.items() if k != "None"}),
        ),
        "names of a mapping": lambda: Table({"a": [1]}, names=["a"]),
    },
    "Table.column": {
        **each(Table(ROWS).column, {"None": None, "number": 0, "unknown": "x2", "list": ["x0"]}),
        "infinite": lambda: Table([[np.inf]]).column("x0"),
        "far too large": lambda: Table([[10**400]]).column("x0"),
    },
    "Table.check_has": each(
        lambda value: Table(ROWS).check_has(value), {"unknown": ["x2"], "two": ["x2", "x3"]}
    ),
    "Table.take": each(
        Table(ROWS).take,
        {"None": None, "text": "ab", "too far": [2], "negative": [-1], "fraction": [0.5], "short": [True]},
    ),
    "ConceptEncoder": {
        **prefixed("max_cuts", each(lambda value: encode(max_cuts=value), NOT_A_COUNT | {"zero": 0})),
        **prefixed("max_categories", each(lambda value: encode(max_categories=value), NOT_A_COUNT)),
        **prefixed("min_share", each(lambda value: encode(min_share=value), NOT_A_RATE)),
        **prefixed("missing", each(lambda value: encode(missing=value), NOT_A_KIND | {"array": MATRIX})),
        **prefixed("intervals", each(lambda value: encode(intervals=value), {"None": None, "text": "yes"})),
        **prefixed(
            "cuts",
            each(
                lambda value: encode(cuts=value),
                NOT_A_KIND
                | {
                    "array": MATRIX,
                    "no y": "supervised",
                    "no group": "reference",
                    "unknown column": {"age": [1]},
                    "number for a column": {0: [1]},
                    "number for points": {"x0": 1},
                    "text for points": {"x0": "12"},
                    "infinite point": {"x0": [np.inf]},
                    "no points": {"x0": []},
                },
            ),
        ),
        "reference: without cuts": lambda: encode(reference="well"),
        "reference: no label": lambda: ConceptEncoder(cuts="reference", reference=7).fit(ROWS, [0, 1]),
        "reference: an array": lambda: ConceptEncoder(cuts="reference", reference=MATRIX).fit(ROWS, [0, 1]),
    },
    "ConceptEncoder.fit": {
        **prefixed("X", each(ConceptEncoder().fit, NOT_RAW_DATA)),
        "X: dates": lambda: ConceptEncoder().fit(np.array([["2020"], ["2021"]], dtype="M8[Y]")),
        "X: complex": lambda: ConceptEncoder().fit([[1j], [2j]]),
        "X: bytes": lambda: ConceptEncoder().fit([[b"a"], [b"b"]]),
        "X: infinite": lambda: ConceptEncoder().fit([[1], [np.inf]]),
        "X: constant": lambda: ConceptEncoder().fit([[1], [1]]),
        "X: one row": lambda: ConceptEncoder().fit([[1, 2]]),
        "X: no columns": lambda: ConceptEncoder().fit(np.zeros((2, 0))),
        **prefixed(
            "y",
            each(
                lambda value: ConceptEncoder().fit(ROWS, value),
                {k: v for k, v in NOT_LABELS_OF_TWO_ROWS.items() if k != "None"},
            ),
        ),
        **prefixed(
            "sample_weight",
            each(lambda value: ConceptEncoder().fit(ROWS, sample_weight=value), NOT_WEIGHTS),
        ),
    },
    "ConceptEncoder.transform": {
        **each(encode().transform, NOT_RAW_DATA),
        "too few columns": lambda: encode().transform([[1]]),
        "infinite": lambda: encode().transform([[1, np.inf]]),
        "text": lambda: encode().transform([["a", "b"]]),
    },
    "ConceptEncoder.get_feature_names_out": each(
        encode().get_feature_names_out,
        {"number": 3, "text": "ab", "too few": ["a"], "repeated": ["a", "a"], "empty name": ["a", ""]},
    ),
    "auto_encoder": each(auto_encoder, {"None": None, "array": MATRIX, "list": ROWS}),
}

WORDS = Vocabulary(("age", "sex"), (Above("age", 62), OneOf("sex", ("male",))))
WORDED = Explanation(Rule("old", Var("age > 62"), vocabulary=WORDS))
NOT_A_CONCEPT_NAME = {"None": None, "number": 3, "unknown": "age > 63", "list": ["age > 62"]}
NOT_CONCEPT_NAMES = {"number": 3, "text": "age > 62", "unknown": ["age > 63"], "lists inside": [["age > 62"]]}
NOT_A_COLUMN_NAME = {"None": None, "number": 3, "empty": "", "bytes": b"a", "list": ["a"]}
NOT_A_CUT = {"None": None, "text": "1", "NaN": np.nan, "infinite": np.inf, "array": MATRIX, "huge": 10**400}
NOT_A_FLAG = {"None": None, "number": 1, "text": "yes", "array": MATRIX}
NOT_WORDED = {"None": None, "number": 3, "list": [a, b], "array": MATRIX, "unknown": a}


def concept_cases(make: Callable[..., object], *settings: object) -> dict[str, Call]:
    """Nonsense for what most concepts have in common."""
    return {
        **prefixed("column", each(lambda value: make(value, *settings), NOT_A_COLUMN_NAME)),
        **prefixed("if_missing", each(lambda value: make("a", *settings, if_missing=value), NOT_A_FLAG)),
    }


CASES |= {
    "Flag": {
        **concept_cases(Flag),
        **prefixed("numeric", each(lambda value: Flag("a", value), NOT_A_FLAG)),
    },
    "Above": {**concept_cases(Above, 1), **prefixed("cut", each(lambda value: Above("a", value), NOT_A_CUT))},
    "AtMost": {
        **concept_cases(AtMost, 1),
        **prefixed("cut", each(lambda value: AtMost("a", value), NOT_A_CUT)),
    },
    "Between": {
        **concept_cases(Between, 1, 2),
        **prefixed("low", each(lambda value: Between("a", value, 2), NOT_A_CUT)),
        **prefixed("high", each(lambda value: Between("a", 1, value), NOT_A_CUT)),
        "upside down": lambda: Between("a", 2, 1),
    },
    "OneOf": {
        **concept_cases(OneOf, ("x",)),
        **prefixed(
            "values",
            each(
                lambda value: OneOf("a", value),
                {
                    "None": None,
                    "number": 3,
                    "text": "red",
                    "nothing": [],
                    "None inside": [None],
                    "NaN inside": [np.nan],
                    "bytes inside": [b"red"],
                    "lists inside": [["red"]],
                },
            ),
        ),
    },
    "Missing": each(Missing, NOT_A_COLUMN_NAME),
    "Vocabulary": {
        **prefixed("columns", each(lambda value: Vocabulary(value, ()), NOT_NAMES)),
        **prefixed(
            "concepts",
            each(
                lambda value: Vocabulary(("a",), value),
                {"None": None, "number": 3, "text": "a", "names": ["a"], "class": [Flag]},
            ),
        ),
        "concepts: unknown column": lambda: Vocabulary(("a",), (Flag("b"),)),
        **prefixed("named", each(lambda value: Vocabulary(("a",), (), value), NOT_A_FLAG)),
    },
    "Vocabulary.used_columns": each(WORDS.used_columns, NOT_CONCEPT_NAMES | {"None": None}),
    "Vocabulary.groups": each(WORDS.groups, NOT_CONCEPT_NAMES | {"None": None}),
    "Vocabulary.given": each(WORDS.given, NOT_CONCEPT_NAMES | {"None": None}),
    "Vocabulary.encode": {
        **prefixed("table", each(WORDS.encode, NOT_RAW_DATA)),
        **prefixed("names", each(lambda value: WORDS.encode({"age": [1]}, value), NOT_CONCEPT_NAMES)),
        "text for numbers": lambda: WORDS.encode({"age": ["old"], "sex": ["male"]}),
        "numbers for text": lambda: WORDS.encode({"age": [1], "sex": [2]}),
    },
    "Vocabulary.read": {
        **prefixed("data", each(WORDS.read, NOT_RAW_DATA)),
        **prefixed("names", each(lambda value: WORDS.read({"age": [1]}, value), NOT_CONCEPT_NAMES)),
        "a column is missing": lambda: WORDS.read({"age": [1]}),
        "too wide": lambda: WORDS.read([[1, "male", 3]]),
    },
    "Vocabulary.simplify": each(WORDS.simplify, NOT_WORDED),
    "Vocabulary.condition": each(lambda value: WORDS.condition(value, True), NOT_A_CONCEPT_NAME),
    "Vocabulary.conditions": {
        "unknown": lambda: WORDS.conditions({"age > 63": True}),
    },
    "Vocabulary.written": each(lambda v: WORDS.written(Var("a"), v), NOT_A_KIND | {"array": MATRIX}),
    "Vocabulary.format": {
        **each(WORDS.format, NOT_WORDED),
        **too_long(WORDS.format),
        **prefixed("style", each(lambda value: WORDS.format(Var("age > 62"), value), NOT_A_KIND)),
    },
    "Vocabulary.to_sentence": {**each(WORDS.to_sentence, NOT_WORDED), **too_long(WORDS.to_sentence)},
    "Vocabulary.to_sql": {
        **each(WORDS.to_sql, NOT_WORDED),
        **too_long(WORDS.to_sql),
        **prefixed("dialect", each(lambda value: WORDS.to_sql(Var("age > 62"), value), NOT_A_KIND)),
    },
    "Vocabulary.to_python": {
        **each(WORDS.to_python, NOT_WORDED),
        **too_long(WORDS.to_python),
        **prefixed(
            "name",
            each(
                lambda value: WORDS.to_python(Var("age > 62"), value),
                {"None": None, "number": 3, "keyword": "def", "two words": "a b", "helper": "missing"},
            ),
        ),
    },
    "Vocabulary.python_literal": each(
        WORDS.python_literal, {"None": None, "blank": "", "keyword": "if", "taken": "missing"}
    ),
    "Vocabulary.from_saved": each(
        Vocabulary.from_saved,
        {
            "None": None,
            "text": "{}",
            "list": [],
            "empty": {},
            "columns": {**WORDS.to_saved(), "columns": 3},
            "named": {**WORDS.to_saved(), "named": None},
            "concepts": {**WORDS.to_saved(), "concepts": [None]},
            "kind": {**WORDS.to_saved(), "concepts": [{"kind": {}}]},
            "entries": {**WORDS.to_saved(), "concepts": [{"kind": "above"}]},
        },
    ),
    "counterfactual": {
        **prefixed(
            "rule", each(lambda value: counterfactual(value, {"a": [1]}), NOT_A_FORMULA | {"formula": a})
        ),
        **prefixed("x", each(lambda value: counterfactual(Rule("yes", Var("x0")), value), NOT_DATA)),
        "x: two rows": lambda: counterfactual(Rule("yes", a), {"a": [0, 1]}),
        "x: other concepts": lambda: counterfactual(Rule("yes", a), {"b": [0]}),
        **prefixed(
            "groups",
            each(
                lambda value: counterfactual(Rule("yes", a), {"a": [1]}, groups=value),
                {
                    "None": None,
                    "number": 3,
                    "text": "a",
                    "texts": ["ab"],
                    "twice": [["a"], ["a"]],
                    "other": [["a", "b"]],
                },
            ),
        ),
    },
    "Explanation.counterfactual": {
        **prefixed("x", each(EXPLANATION.counterfactual, NOT_DATA)),
        **prefixed("raw x", each(WORDED.counterfactual, NOT_RAW_DATA)),
        "groups: with a vocabulary": lambda: WORDED.counterfactual({"age": [1]}, groups=[["age > 62"]]),
    },
    "Explanation.worded": each(EXPLANATION.worded, {"number": 3, "text": "a", "of other concepts": WORDS}),
    "ExplanationSet.read": {
        **prefixed("data", each(RULES.read, NOT_RAW_DATA)),
        "too wide": lambda: RULES.read([[0, 1, 1]]),
        **prefixed("names", each(lambda value: RULES.read(ROWS, value), {"text": "ab", "too few": ["a"]})),
        "threshold": lambda: RULES.read(ROWS, threshold=2),
        **prefixed(
            "used",
            each(
                lambda value: ExplanationSet([WORDED], WORDS.names).read({"age": [1]}, used=value),
                NOT_CONCEPT_NAMES,
            ),
        ),
    },
}

NOT_CALLED = {
    "Formula": "abstract; its methods are in the table",
    "Change": "made by counterfactual()",
    "Column": "made by Table.column()",
    "Concept": "abstract; its kinds are in the table",
    "Counterfactual": "made by counterfactual()",
    "Batch": "made by read_batches()",
    "Batches": "made by read_batches()",
    "TableFile": "made by read_table()",
    "ValueType": "an enumeration",
    "Kind": "an enumeration",
    "Conflict": "made by conflicts()",
    "Minimized": "made by minimize()",
    "Status": "an enumeration",
    "Composition": "made by compose()",
    "GlobalExplanation": "made by explain_global()",
    "PredictionCounterfactual": "made by ExplanationSet.counterfactual()",
    "Resolution": "made by ExplanationSet.coverage_counts()",
    "RuleCheck": "made by ExplanationSet.check()",
    "TermScore": "made by term_scores()",
    "RuleKind": "an enumeration",
    "Scope": "an enumeration",
    "Agreement": "made by explanation_accuracy()",
    "Consistency": "made by consistency()",
    "Fidelity": "made by fidelity()",
    "Recurrence": "made by consistency()",
    "RuleScores": "made by rule_scores()",
    "TargetScores": "made by explanation_accuracy()",
    "Facts": "made by report()",
    "Report": "made by report()",
}
"""Public callables that take nothing from a user, and why."""


@functools.cache
def bottleneck() -> ConceptBottleneckClassifier:
    """A fitted bottleneck whose concepts are its two inputs, as logits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = ConceptBottleneckClassifier(torch.nn.Identity(), quick(), train_concepts=False)
        return model.fit([[-9, 9], [9, -9]] * 4, ["no", "yes"] * 4)


def fit_bottleneck(X: object = ((0, 1), (1, 0)), y: object = (0, 1), **given: object) -> object:
    """Fit a bottleneck on two raw inputs; the settings are those of its constructor, or of fit."""
    of_fit = {key: given.pop(key) for key in ("concepts", "concept_names", "sample_weight") if key in given}
    chosen = {"concept_model": torch.nn.Linear(2, 2), "estimator": quick(), "epochs": 1} | given
    return ConceptBottleneckClassifier(**chosen).fit(X, y, **{"concepts": ROWS} | of_fit)


NOT_RAW_INPUTS = {
    name: value
    for name, value in NOT_DATA.items()
    if name not in ("negative", "too large")  # raw inputs need not lie in [0, 1]
}


def raw_cases(method: str, *more: object) -> dict[str, Call]:
    """Nonsense for a method of a fitted bottleneck that takes raw inputs."""
    values = {key: value for key, value in NOT_RAW_INPUTS.items() if "explain" not in method or key != "None"}
    return {
        **prefixed("X", each(lambda value: getattr(bottleneck(), method)(value, *more), values)),
        "X: too wide": lambda: getattr(bottleneck(), method)([[0, 1, 1]], *more),
    }


CASES |= {
    "ConceptBottleneckClassifier": {
        f"{name}: {label}": lambda name=name, value=value: fit_bottleneck(**{name: value})
        for name, values in {
            "concept_model": {"text": "cnn", "function": len, "class": object, "flat": torch.nn.Flatten(0)},
            "estimator": {"text": "mu", "class": MuClassifier, "other": object()},
            "epochs": NOT_A_COUNT | {"zero": 0},
            "batch_size": NOT_A_COUNT | {"zero": 0},
            "patience": NOT_A_COUNT | {"zero": 0},
            "rounds": NOT_A_COUNT | {"zero": 0},
            "learning_rate": {"None": None, "text": "0.1", "zero": 0, "NaN": np.nan, "infinite": np.inf},
            "weight_decay": {"None": None, **NOT_A_WEIGHT},
            "concept_weight": {"None": None, **NOT_A_WEIGHT},
            "validation_fraction": {"None": None, "one": 1, "negative": -0.1, "NaN": np.nan},
            "augment": {"text": "flip", "number": 3},
            "device": {"None": None, "unknown": "abacus", "number": 3.5},
            "random_state": {"text": "0", "negative": -1, "fraction": 0.5},
        }.items()
        for label, value in values.items()
    },
    "ConceptBottleneckClassifier.fit": {
        **prefixed("X", each(fit_bottleneck, NOT_RAW_INPUTS)),
        **prefixed("y", each(lambda value: fit_bottleneck(y=value), NOT_LABELS_OF_TWO_ROWS)),
        **prefixed("concepts", each(lambda value: fit_bottleneck(concepts=value), NOT_DATA)),
        **prefixed(
            "concept_names",
            each(
                lambda value: fit_bottleneck(concept_names=value),
                {k: v for k, v in NOT_NAMES.items() if k != "None"},
            ),
        ),
        **prefixed("sample_weight", each(lambda value: fit_bottleneck(sample_weight=value), NOT_WEIGHTS)),
        "concepts: too few": lambda: fit_bottleneck(concepts=[[1, 0]]),
        "concepts: too narrow": lambda: fit_bottleneck(concepts=[[1], [0]]),
        "concepts: without a model": lambda: fit_bottleneck(concept_model=None),
    },
    **{
        f"ConceptBottleneckClassifier.{method}": raw_cases(method)
        for method in (
            "decide",
            "decision_function",
            "explain",
            "explain_global",
            "explain_sample",
            "predict",
            "predict_concepts",
            "predict_proba",
        )
    },
    "ConceptBottleneckClassifier.explain_set": {
        **raw_cases("explain_set", "yes"),
        "target: unknown": lambda: bottleneck().explain_set([[9, -9]], "perhaps"),
    },
    "ConceptBottleneckClassifier.concept_accuracy": {
        **raw_cases("concept_accuracy", [[0, 1]]),
        **prefixed("concepts", each(lambda value: bottleneck().concept_accuracy([[9, -9]], value), NOT_DATA)),
        "concepts: too many": lambda: bottleneck().concept_accuracy([[9, -9]], ROWS),
    },
    "ConceptBottleneckClassifier.intervene": {
        **raw_cases("intervene", {"x0": 1}),
        **prefixed(
            "values",
            each(
                lambda value: bottleneck().intervene([[9, -9]], value),
                {k: v for k, v in NOT_DATA.items() if k not in ("NaN", "None inside")}
                | {"unknown": {"x2": 1}, "outside": {"x0": 2}, "strings by name": {"x0": "yes"}},
            ),
        ),
    },
    "Intervention.describe": each(
        lambda value: bottleneck().intervene([[9, -9]], {"x0": 1}).describe(value),
        {"None": None, "text": "0", "negative": -1, "too far": 1, "fraction": 0.5, "flag": False},
    ),
    "intervention_curve": {
        **prefixed(
            "X", each(lambda value: intervention_curve(bottleneck(), value, ["no"], [[0, 1]]), NOT_RAW_INPUTS)
        ),
        **prefixed(
            "concepts",
            each(lambda value: intervention_curve(bottleneck(), [[9, -9]], ["no"], value), NOT_DATA),
        ),
        **prefixed(
            "order",
            each(
                lambda value: intervention_curve(bottleneck(), [[9, -9]], ["no"], [[0, 1]], order=value),
                NOT_A_KIND | {"array": MATRIX},
            ),
        ),
        **prefixed(
            "steps",
            each(
                lambda value: intervention_curve(bottleneck(), [[9, -9]], ["no"], [[0, 1]], steps=value),
                {"text": "12", "number": 0.5, "negative": [-1], "fraction": [0.5], "none": []},
            ),
        ),
    },
}


def alternating(X: object) -> list[str]:
    """A black box that says no and yes by turns, whatever it is asked."""
    return [("no", "yes")[row % 2] for row in range(number_of_rows(X, "X"))]


def black_box(**settings: object) -> BlackBoxExplainer:
    return BlackBoxExplainer(**({"black_box": alternating, "estimator": quick()} | settings))


@functools.cache
def imitation() -> BlackBoxExplainer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return black_box(random_state=0).fit(ROWS * 4)


def cascade(**settings: object) -> CascadeClassifier:
    return CascadeClassifier(**({"estimator": quick()} | settings))


@functools.cache
def two_levels() -> CascadeClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return cascade(random_state=0).fit(ROWS * 4, ["no", "yes"] * 4, levels=[ROWS * 4])


NOT_A_CLASSIFIER = {"text": "mu", "number": 3, "type": MuClassifier, "function": len}
NOT_FOLDS = {"one": 1, "zero": 0, "text": "five", "fraction": 2.5, "flag": True}
SOME_ROWS = {name: value for name, value in NOT_RAW_DATA.items() if name != "None"}

CASES |= {
    "BlackBoxExplainer": {
        **prefixed(
            "black_box",
            each(
                lambda value: black_box(black_box=value).fit(ROWS),
                {"None": None, "number": 3, "text": "forest", "type": MuClassifier, "list": [1]},
            ),
        ),
        **prefixed("estimator", each(lambda value: black_box(estimator=value).fit(ROWS), NOT_A_CLASSIFIER)),
        **prefixed("answers", each(lambda value: black_box(answers=value).fit(ROWS), NOT_A_KIND)),
        **prefixed(
            "classes",
            each(
                lambda value: black_box(black_box=lambda _: [0.2, 0.8], classes=value).fit(ROWS),
                {
                    "text": "ab",
                    "number": 2,
                    "too few": ["a"],
                    "repeated": ["a", "a"],
                    "None inside": ["a", None],
                },
            ),
        ),
        "classes: of labels": lambda: black_box(classes=["no", "yes"]).fit(ROWS),
        **prefixed(
            "out_of_fold", each(lambda value: black_box(out_of_fold=value).fit(ROWS, [0, 1]), NOT_FOLDS)
        ),
        "out_of_fold: a function": lambda: black_box(out_of_fold=2).fit(ROWS, [0, 1]),
        **prefixed("n_fresh", each(lambda value: black_box(n_fresh=value).fit(ROWS), NOT_A_COUNT)),
        **prefixed(
            "test_fraction",
            each(lambda value: black_box(test_fraction=value).fit(ROWS), NOT_A_RATE | {"one": 1}),
        ),
        **prefixed(
            "random_state",
            each(lambda value: black_box(random_state=value).fit(ROWS), {"text": "0", "negative": -1}),
        ),
    },
    "BlackBoxExplainer.fit": {
        **prefixed("X", each(black_box().fit, NOT_RAW_DATA)),
        "X: no rows": lambda: black_box().fit(np.zeros((0, 2))),
        **prefixed(
            "y",
            each(lambda value: black_box().fit(ROWS, value), {"number": 3, "text": "no", "too few": ["no"]}),
        ),
        "y: other labels": lambda: black_box().fit(ROWS, [0, 1]),
        "y: missing": lambda: black_box(black_box=quick()).fit(ROWS),
        **prefixed("sample_weight", each(lambda value: black_box().fit(ROWS, None, value), NOT_WEIGHTS)),
        **prefixed("concepts", each(lambda value: black_box().fit(ROWS, concepts=value), SOME_ROWS)),
        "concepts: too few": lambda: black_box().fit(ROWS, concepts=[[0, 1]]),
        "answers: too few": lambda: black_box(black_box=lambda _: ["no"]).fit(ROWS),
    },
    **{
        f"BlackBoxExplainer.{method}": each(
            getattr(BlackBoxExplainer, method).__get__(imitation()), NOT_RAW_DATA
        )
        for method in ("predict", "predict_proba", "decide")
    },
    "BlackBoxExplainer.explain": each(lambda value: imitation().explain(value), SOME_ROWS),
    "BlackBoxExplainer.explain_sample": {
        **each(lambda value: imitation().explain_sample(value), NOT_RAW_DATA),
        "two rows": lambda: imitation().explain_sample(ROWS),
        "unknown target": lambda: imitation().explain_sample([[0, 1]], "perhaps"),
    },
    "BlackBoxExplainer.explain_set": {
        **prefixed("X", each(lambda value: imitation().explain_set(value, "yes"), NOT_RAW_DATA)),
        **prefixed("target", each(lambda value: imitation().explain_set(ROWS, value), NOT_A_LABEL)),
    },
    "BlackBoxExplainer.explain_global": {
        **each(lambda value: imitation().explain_global(value), SOME_ROWS),
        **prefixed(
            "max_concepts", each(lambda value: imitation().explain_global(max_concepts=value), NOT_A_COUNT)
        ),
    },
    "BlackBoxExplainer.save": each(lambda value: imitation().save(value), NOT_A_PATH),
    "CascadeClassifier": {
        **prefixed(
            "estimator", each(lambda value: cascade(estimator=value).fit(ROWS, [0, 1]), NOT_A_CLASSIFIER)
        ),
        "estimator: too many": lambda: cascade(estimator=[quick(), quick()]).fit(ROWS, [0, 1]),
        **prefixed("train_on", each(lambda value: cascade(train_on=value).fit(ROWS, [0, 1]), NOT_A_KIND)),
        **prefixed("n_folds", each(lambda value: cascade(n_folds=value).fit(ROWS, [0, 1]), NOT_FOLDS)),
        **prefixed(
            "max_literals", each(lambda value: cascade(max_literals=value).fit(ROWS, [0, 1]), NOT_A_COUNT)
        ),
    },
    "CascadeClassifier.fit": {
        **prefixed("X", each(lambda value: cascade().fit(value, [0, 1]), NOT_RAW_DATA)),
        **prefixed("y", each(lambda value: cascade().fit(ROWS, value), NOT_LABELS_OF_TWO_ROWS)),
        **prefixed(
            "levels",
            each(
                lambda value: cascade().fit(ROWS, [0, 1], value),
                {
                    "number": 3,
                    "text": "ab",
                    "a table": {"a": [0, 1]},
                    "too short": [[[1]]],
                    "no columns": [[[], []]],
                },
            ),
        ),
        **prefixed("level", each(lambda value: cascade().fit(ROWS, [0, 1], [value]), NOT_DATA)),
        **prefixed(
            "sample_weight",
            each(lambda value: cascade().fit(ROWS, [0, 1], sample_weight=value), NOT_WEIGHTS),
        ),
    },
    **{
        f"CascadeClassifier.{method}": each(
            getattr(CascadeClassifier, method).__get__(two_levels()), NOT_RAW_DATA
        )
        for method in ("predict", "predict_proba", "predict_levels", "decide")
    },
    "CascadeClassifier.explain": {
        **each(lambda value: two_levels().explain(value), SOME_ROWS),
        "no rows": lambda: two_levels().explain(np.zeros((0, 2))),
        **prefixed(
            "y", each(lambda value: two_levels().explain(ROWS, value), {"number": 3, "too few": ["no"]})
        ),
    },
    "CascadeClassifier.intervene": {
        **prefixed("X", each(lambda value: two_levels().intervene(value, 1, {}), NOT_RAW_DATA)),
        **prefixed(
            "level",
            each(
                lambda value: two_levels().intervene(ROWS, value, {}),
                {"None": None, "zero": 0, "too high": 3, "text": "1", "flag": True, "fraction": 1.5},
            ),
        ),
        **prefixed(
            "values",
            each(
                lambda value: two_levels().intervene(ROWS, 2, value),
                {
                    "None": None,
                    "number": 3,
                    "unknown": {"c3_0": 1},
                    "outside": {"c2_0": 2},
                    "text": {"c2_0": "a"},
                },
            ),
        ),
    },
}


def quick_clusterer() -> LENClusterer:
    """A clusterer that is done at once."""
    return LENClusterer(epochs=2, restarts=1, narrow_restarts=1, l1=0.01, random_state=0)


@functools.cache
def clustered() -> LENClusterer:
    """One that is fitted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return quick_clusterer().fit({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]})


def clusterer_rows_cases(method: str) -> dict[str, Call]:
    """Nonsense for a method of a fitted clusterer that takes rows."""
    values = {key: value for key, value in NOT_DATA.items() if method != "explain" or key != "None"}
    return {
        **prefixed("X", each(lambda value: getattr(clustered(), method)(value), values)),
        "X: too wide": lambda: getattr(clustered(), method)([[0, 1, 1]]),
        "X: other names": lambda: getattr(clustered(), method)({"c": [0], "d": [1]}),
    }


CASES |= {
    "LENClusterer": setting_cases(
        LENClusterer,
        n_clusters=NOT_A_COUNT,
        network={"None": None, "text": "deep", "number": 3},
        max_concepts=NOT_A_COUNT,
        fan_in=NOT_A_COUNT,
        max_literals=NOT_A_COUNT,
        literal_cost={"None": None, "text": "0.1", "negative": -0.1, "NaN": np.nan, "infinite": np.inf},
        hidden={"None": None, "number": 10, "text": "10", "empty layer": [0], "fraction": [1.5]},
        l1={"text": "0.1", "negative": -0.1, "none": [], "NaN": [0.1, np.nan]},
        restarts=NOT_A_COUNT,
        epochs=NOT_A_COUNT,
        patience=NOT_A_COUNT,
        batch_size=NOT_A_COUNT,
        narrow_restarts={"None": None, "negative": -1, "fraction": 0.5, "flag": True},
        learning_rate={"None": None, "text": "0.1", "zero": 0, "NaN": np.nan},
        encoder={"text": "deep", "object": object()},
        device={"None": None, "unknown": "abacus"},
        random_state={"text": "0", "negative": -1},
    ),
    "LENClusterer.fit": {
        **prefixed("X", each(lambda value: quick_clusterer().set_params(encoder=None).fit(value), NOT_DATA)),
        **prefixed("raw X", each(lambda value: quick_clusterer().fit(value), NOT_RAW_DATA)),
        **prefixed(
            "sample_weight", each(lambda value: quick_clusterer().fit(ROWS, sample_weight=value), NOT_WEIGHTS)
        ),
        "sparse": lambda: quick_clusterer().fit(scipy.sparse.eye_array(2)),
        "no rows": lambda: quick_clusterer().fit(np.zeros((0, 2))),
        "no columns": lambda: quick_clusterer().fit(np.zeros((2, 0))),
    },
    **{
        f"LENClusterer.{method}": clusterer_rows_cases(method)
        for method in ("predict", "predict_proba", "explain")
    },
}


NOT_A_MODEL = {"None": None, "number": 3, "text": "model", "type": MuClassifier, "rules": RULES}
NOT_POSITIVE = {"zero": 0, **NOT_A_COUNT}
RULE_SCORES = rule_scores(a, {"a": [0, 1]}, [0, 1])


def estimator_cases(display: type, *more: object) -> dict[str, Call]:
    """Nonsense for the displays' from_estimator."""
    return {
        **prefixed("model", each(lambda value: display.from_estimator(value, *more), NOT_A_MODEL)),
        "target: unknown": lambda: display.from_estimator(fitted(), *more, target="perhaps"),
        **prefixed(
            "target",
            each(
                lambda value: display.from_estimator(fitted(), *more, target=value),
                {name: value for name, value in NOT_A_LABEL.items() if name != "None"},
            ),
        ),
        **prefixed("ax", each(lambda value: display.from_estimator(fitted(), *more, ax=value), NOT_AXES)),
    }


def plot_cases(display: object, **limits: dict[str, object]) -> dict[str, Call]:
    """Nonsense for the displays' plot."""
    plot = display.plot  # type: ignore[attr-defined]
    return {
        **prefixed("ax", each(lambda value: plot(value), NOT_AXES)),
        **{
            f"{name}: {label}": lambda name=name, value=value: plot(**{name: value})
            for name, values in limits.items()
            for label, value in values.items()
        },
    }


CASES |= {
    "TruthTableDisplay": {
        **prefixed("table", each(TruthTableDisplay, NOT_A_TABLE)),
        **prefixed(
            "explanation",
            each(lambda v: TruthTableDisplay(TABLE, explanation=v), {"text": "a", "rule": RULES}),
        ),
        "other concepts": lambda: TruthTableDisplay(TABLE, explanation=Explanation(Rule("yes", Var("c")))),
    },
    "TruthTableDisplay.from_estimator": {
        **estimator_cases(TruthTableDisplay),
        "no rows": lambda: TruthTableDisplay.from_estimator(fitted(), X=np.zeros((0, 2))),
        "other columns": lambda: TruthTableDisplay.from_estimator(fitted(), X=np.zeros((2, 5))),
    },
    "TruthTableDisplay.from_table": {
        **prefixed("table", each(TruthTableDisplay.from_table, NOT_A_TABLE)),
        **prefixed("ax", each(lambda value: TruthTableDisplay.from_table(TABLE, ax=value), NOT_AXES)),
    },
    "TruthTableDisplay.plot": plot_cases(
        TruthTableDisplay(TABLE), max_rows=NOT_POSITIVE, max_concepts=NOT_POSITIVE
    ),
    "ConceptRelevanceDisplay": {
        **prefixed("names", each(lambda value: ConceptRelevanceDisplay(value, [1.0, 1.0]), NOT_NAMES)),
        **prefixed(
            "relevance",
            each(
                lambda value: ConceptRelevanceDisplay(["a", "b"], value),
                {"None": None, "number": 3, "too few": [1], "negative": [1, -1], "text": ["x", "y"]},
            ),
        ),
        "kept": lambda: ConceptRelevanceDisplay(["a", "b"], [1, 1], kept=[0, 1]),
        "explanation": lambda: ConceptRelevanceDisplay(["a", "b"], [1, 1], explanation=RULES),
        "vocabulary": lambda: ConceptRelevanceDisplay(["a", "b"], [1, 1], vocabulary="English"),
    },
    "ConceptRelevanceDisplay.from_estimator": estimator_cases(ConceptRelevanceDisplay),
    "ConceptRelevanceDisplay.plot": plot_cases(
        ConceptRelevanceDisplay(["a", "b"], [1, 0]), max_concepts=NOT_POSITIVE
    ),
    "NetworkDisplay": {
        **prefixed("names", each(lambda value: NetworkDisplay([[[1.0, 1.0]]], value), NOT_NAMES)),
        **prefixed(
            "weights",
            each(
                lambda value: NetworkDisplay(value, ["a", "b"]),
                {
                    "None": None,
                    "text": "ab",
                    "none": [],
                    "1-D": [[1.0, 2.0]],
                    "strings": [[["x", "y"]]],
                    "NaN": [[[np.nan, 1.0]]],
                    "two outputs": [[[1.0, 1.0], [1.0, 1.0]]],
                    "layers that do not fit": [[[1.0, 1.0]], [[1.0, 1.0]]],
                },
            ),
        ),
        "explanation": lambda: NetworkDisplay([[[1.0, 1.0]]], ["a", "b"], explanation="a"),
        "vocabulary": lambda: NetworkDisplay([[[1.0, 1.0]]], ["a", "b"], vocabulary="English"),
        "neurons": lambda: NetworkDisplay([[[1.0, 1.0]]], ["a", "b"], neurons=[["a"]]),
        "too few neurons": lambda: NetworkDisplay([[[1.0, 1.0]]], ["a", "b"], neurons=[[]]),
    },
    "NetworkDisplay.from_estimator": estimator_cases(NetworkDisplay),
    "NetworkDisplay.plot": plot_cases(
        NetworkDisplay([[[1.0, 1.0]]], ["a", "b"]), max_concepts=NOT_POSITIVE, max_units=NOT_POSITIVE
    ),
    "FrontDisplay": {
        **prefixed(
            "front", each(FrontDisplay, {"None": None, "text": "a", "rules": RULES, "rule": EXPLANATION})
        ),
        "no scores": lambda: FrontDisplay(Front.of(RULES)),
    },
    "FrontDisplay.from_estimator": estimator_cases(FrontDisplay),
    "FrontDisplay.from_front": {
        "no scores": lambda: FrontDisplay.from_front(Front.of(RULES)),
        **prefixed("ax", each(lambda value: FrontDisplay.from_front(SCORED, ax=value), NOT_AXES)),
    },
    "FrontDisplay.plot": plot_cases(FrontDisplay(SCORED)),
    "Front.plot": plot_cases(SCORED),
    "RuleCoverageDisplay": {
        "explanation": lambda: RuleCoverageDisplay("a", RULE_SCORES, ()),
        "scores": lambda: RuleCoverageDisplay(EXPLANATION, None, ()),
        **prefixed(
            "terms",
            each(lambda v: RuleCoverageDisplay(EXPLANATION, RULE_SCORES, v), {"None": None, "texts": ["a"]}),
        ),
    },
    "RuleCoverageDisplay.from_estimator": {
        **estimator_cases(RuleCoverageDisplay, ROWS),
        **prefixed("X", each(lambda value: RuleCoverageDisplay.from_estimator(fitted(), value), NOT_DATA)),
        **prefixed(
            "y",
            each(
                lambda value: RuleCoverageDisplay.from_estimator(fitted(), ROWS, value),
                {name: value for name, value in NOT_LABELS_OF_TWO_ROWS.items() if name != "None"},
            ),
        ),
    },
    "RuleCoverageDisplay.from_explanation": {
        "explanation": lambda: RuleCoverageDisplay.from_explanation("a", {"a": [0, 1]}, ["yes", "no"]),
        "X": lambda: RuleCoverageDisplay.from_explanation(EXPLANATION, {"a": [0, 1]}, ["yes", "no"]),
        **prefixed(
            "y",
            each(
                lambda value: RuleCoverageDisplay.from_explanation(
                    EXPLANATION, {"a": [0, 1], "b": [0, 1]}, value
                ),
                NOT_LABELS_OF_TWO_ROWS,
            ),
        ),
    },
    "RuleCoverageDisplay.plot": plot_cases(
        RuleCoverageDisplay(EXPLANATION, RULE_SCORES, ()), max_terms=NOT_POSITIVE
    ),
}


CASES |= {
    "Source": {
        **prefixed("name", each(Source, {"None": None, "number": 3})),
        **prefixed("command", each(lambda value: Source(command=value), {"number": 3, "list": ["ls"]})),
        **prefixed("n_train", each(lambda value: Source(n_train=value), {"text": "3", "negative": -1})),
        **prefixed("data_sha256", each(lambda value: Source(data_sha256=value), {"number": 3})),
        **prefixed("dropped", each(lambda value: Source(dropped=value), {"None": None, "list": ["a"]})),
        **prefixed("task", each(lambda value: Source(task=value), {"number": 3, "unknown": "guess"})),
        **prefixed("held_out", each(lambda value: Source(held_out=value), {"number": 1, "text": "yes"})),
        **prefixed(
            "row_numbers",
            each(lambda value: Source(row_numbers=value), {"number": 1, "text": "12", "half": [0.5]}),
        ),
        **prefixed(
            "notes", each(lambda value: Source(notes=value), {"None": None, "text": "a", "numbers": [1]})
        ),
    },
    "report": {
        **prefixed("model", each(report, {"None": None, "text": "a", "type": MuClassifier, "list": [RULES]})),
        **prefixed("X", each(lambda value: report(RULES, value), {"text": "ab", "3-D": np.zeros((2, 2, 2))})),
        **prefixed("y", each(lambda value: report(RULES, MATRIX, value), {"too few": ["yes"], "number": 3})),
        "y without X": lambda: report(RULES, y=["yes", "no"]),
        **prefixed("path", each(lambda value: report(RULES, path=value), {"number": 3.5, "folder": "."})),
        **prefixed("title", each(lambda value: report(RULES, title=value), {"number": 3})),
        **prefixed("target", each(lambda value: report(RULES, target=value), {"list": ["a"]})),
        **prefixed("rows", each(lambda value: report(RULES, rows=value), NOT_A_FLAG)),
        "rows without truth": lambda: report(RULES, MATRIX, rows=True),
        **prefixed("source", each(lambda value: report(RULES, source=value), {"text": "a.csv"})),
    },
}


def started(context: object) -> object:
    """What a context manager yields."""
    with context as value:  # type: ignore[attr-defined]
        return value


NOT_A_TABLE_FILE = {**NOT_A_PATH, "missing": "no such file.csv"}
NOT_A_DELIMITER = {"number": 3, "word": "comma", "empty": "", "quote": '"', "list": [","]}
NOT_AN_ENCODING = {"number": 3, "unknown": "utf-99", "no text": "base64"}
NOT_A_DECIMAL = {"number": 3, "sign": "'", "list": [","]}
NOT_TYPES = {"number": 3, "text": "age", "list": ["age"], "words": {"age": "number"}}

CASES |= {
    "read_table": {
        **prefixed("path", each(read_table, NOT_A_TABLE_FILE)),
        **prefixed("delimiter", each(lambda value: read_table(STAYS, delimiter=value), NOT_A_DELIMITER)),
        **prefixed("encoding", each(lambda value: read_table(STAYS, encoding=value), NOT_AN_ENCODING)),
        **prefixed("decimal", each(lambda value: read_table(STAYS, decimal=value), NOT_A_DECIMAL)),
        **prefixed("types", each(lambda value: read_table(STAYS, types=value), NOT_TYPES)),
    },
    "read_batches": {
        **prefixed("path", each(lambda value: started(read_batches(value)), NOT_A_TABLE_FILE)),
        **prefixed(
            "delimiter", each(lambda value: started(read_batches(STAYS, delimiter=value)), NOT_A_DELIMITER)
        ),
        **prefixed(
            "encoding", each(lambda value: started(read_batches(STAYS, encoding=value)), NOT_AN_ENCODING)
        ),
        **prefixed("decimal", each(lambda value: started(read_batches(STAYS, decimal=value)), NOT_A_DECIMAL)),
    },
    "written_whole": each(
        lambda value: started(written_whole(value)), {**NOT_A_PATH, "no folder": "no such folder/rows.csv"}
    ),
}


NOT_RULES_OF_GUARD = {"None": None, "number": 3, "unread": "a ->", "none": [], "unknown": "a -> z"}
GUARD = RuleGuard("a -> b", names=["a", "b"]).fit([[1, 1], [0, 0.5], [0, 1]])
NOT_OUTPUTS = {
    "None": None,
    "number": 3,
    "text": "ab",
    "missing value": [[np.nan, 1]],
    "logits": [[-3.0, 5.0]],
    "too wide": [[0, 1, 1]],
    "other names": {"a": [1], "c": [0]},
    "tensor of logits": torch.tensor([[-3.0, 5.0]]),
}
CASES |= {
    "RuleGuard.fit": {
        **prefixed(
            "rules", each(lambda v: RuleGuard(v, names=["a", "b"]).fit([[1, 1]] * 2), NOT_RULES_OF_GUARD)
        ),
        **prefixed("outputs", each(lambda v: RuleGuard("a -> b", names=["a", "b"]).fit(v), NOT_OUTPUTS)),
        **prefixed("names", each(lambda v: RuleGuard("a -> b", names=v).fit([[1, 1]] * 2), {"number": 3})),
        "unknown t-norm": lambda: RuleGuard("a", tnorm="min", names=["a"]).fit([[1], [1]]),
        "contamination": lambda: RuleGuard("a", 2, names=["a"]).fit([[1], [1]]),
        "weights": lambda: RuleGuard("a", names=["a"], rule_weight=[1, 2]).fit([[1], [1]]),
    },
    "RuleGuard": {"checked when it is fitted": lambda: RuleGuard(None).fit([[1], [1]])},
    "RuleGuard.alarm_interval": {
        "no rows": lambda: GUARD.alarm_interval(0),
        "rows that are no number": lambda: GUARD.alarm_interval("many"),
        "confidence of 1": lambda: GUARD.alarm_interval(10, 1.0),
        "confidence that is no number": lambda: GUARD.alarm_interval(10, "high"),
    },
    **{
        f"RuleGuard.{name}": each(getattr(GUARD, name), NOT_OUTPUTS)
        for name in ("penalties", "score_samples", "decision_function", "predict", "violations")
    },
    "mutual_rules": {
        **prefixed("table", each(mutual_rules, {"None": None, "number": 3, "text": "age", "empty": {}})),
        **prefixed(
            "estimator", each(lambda v: mutual_rules({"a": [1, 2]}, v), {"text": "mu", "class": MuClassifier})
        ),
    },
    "Link.of": {"cluster": lambda: Link.of(Rule(0, Var("a"), "cluster"))},
}


def in_engine() -> Any:
    """A small table in DuckDB, made when a case is tried."""
    import ibis
    import pyarrow as pa

    return ibis.memtable(pa.table({"a": [True, False, True], "n": [1.5, 2.5, 3.5], "y": ["no", "yes", "no"]}))


NOT_IN_AN_ENGINE = {"None": None, "number": 3, "text": "data.parquet", "array": np.ones((2, 2))}
NOT_A_COLUMN = {"None": None, "number": 3, "unknown": "b", "list of numbers": [3]}
NOT_A_MODEL = {"None": None, "text": "mu"}
NOT_FILES = {"None": None, "number": 3, "missing": "no such file.parquet"}
SOME_RULES = ExplanationSet([Explanation(Rule("yes", Var("a"))), Explanation(Rule("no", ~Var("a")))], ["a"])


def fit_in_engine(estimator: Any = None, table: Any = None, target: Any = "y", **settings: Any) -> Any:
    table = in_engine() if table is None else table
    return scale.fit(MuClassifier() if estimator is None else estimator, table, target, **settings)


CASES |= {
    "read": {
        **prefixed("source", each(scale.read, NOT_FILES)),
        **prefixed("engine", each(lambda v: scale.read(STAYS, v), {"None": None, "unknown": "sqlite"})),
        **prefixed("memory", each(lambda v: scale.read(STAYS, memory=v), {"number": 4, "text": "much"})),
    },
    "truth_table": {
        **prefixed("table", each(lambda v: scale.truth_table(v, "y"), NOT_IN_AN_ENGINE)),
        **prefixed("answers", each(lambda v: scale.truth_table(in_engine(), v), NOT_A_COLUMN)),
        **prefixed(
            "max_rows", each(lambda v: scale.truth_table(in_engine(), "a", max_rows=v), {"0": 0, "text": "1"})
        ),
    },
    "fit": {
        **prefixed("estimator", each(lambda v: scale.fit(v, in_engine(), "y"), NOT_A_MODEL)),
        **prefixed("table", each(lambda v: scale.fit(MuClassifier(), v, "y"), NOT_IN_AN_ENGINE)),
        **prefixed("target", each(lambda v: fit_in_engine(target=v), NOT_A_COLUMN)),
        **prefixed("columns", each(lambda v: fit_in_engine(columns=v), {"text": "a", "number": 0})),
        **prefixed("sample", each(lambda v: fit_in_engine(sample=v), {"0": 0, "text": "some"})),
        **prefixed("weights", each(lambda v: fit_in_engine(weights=v), {"number": 3, "unknown": "w"})),
    },
    "predict": {
        **prefixed("rules", each(lambda v: scale.predict(v, in_engine()), NOT_A_MODEL)),
        **prefixed("table", each(lambda v: scale.predict(SOME_RULES, v), NOT_IN_AN_ENGINE)),
        **prefixed(
            "name",
            each(lambda v: scale.predict(SOME_RULES, in_engine(), name=v), {"3": 3, "taken": "a"}),
        ),
    },
    "score": {
        **prefixed("rules", each(lambda v: scale.score(v, in_engine(), "y"), NOT_A_MODEL)),
        **prefixed("table", each(lambda v: scale.score(SOME_RULES, v, "y"), NOT_IN_AN_ENGINE)),
        **prefixed("target", each(lambda v: scale.score(SOME_RULES, in_engine(), v), NOT_A_COLUMN)),
    },
    "fit_streaming": {
        **prefixed("estimator", each(lambda v: scale.fit_streaming(v, STAYS, "y"), NOT_A_MODEL)),
        **prefixed("source", each(lambda v: scale.fit_streaming(MuClassifier(), v, "y"), NOT_FILES)),
        **prefixed("target", each(lambda v: scale.fit_streaming(MuClassifier(), STAYS, v), NOT_A_COLUMN)),
    },
}

ELSEWHERE = {
    "Front": "made by a fit",
    "Point": "made by a fit",
    "Front.rule_set": "takes a point of the front",
    "Formula.evaluate_words": "the inside of evaluate(): takes packed words as made there",
    **{f"ConceptEncoder.{name}": "the inside of fit()" for name in ("recipe", "is_reference", "adopt")},
    "LENClassifier.make_network": "an inside: takes random streams",
    "LENClassifier.fit_inputs": "the inside of fit(): takes inputs as made there",
    "LENClassifier.adopt": "the inside of fit(): takes what it gave",
    "LENClassifier.read_data": "the inside of fit()",
    "LENClassifier.read_inputs": "the inside of fit()",
    "LENClassifier.recipe": "the inside of fit()",
    "LENClassifier.hold_out": "the inside of fit()",
    "BlackBoxExplainer.ask": "hands on what it gets: the black box says itself what it takes",
    "Link": "made by a guard of the rules that it checks",
    "Violation": "made by RuleGuard.violations()",
    "Violations": "made by RuleGuard.violations()",
    "RuleSetScores": "made by score()",
    "Vocabulary.possible": "an inside: takes tuples of a truth table",
    "Vocabulary.finds_by_name": "an inside: takes a Table as made there",
    **{
        f"{kind}.present_truth": "the inside of Vocabulary.encode(): takes a column as made there"
        for kind in ("Flag", "Above", "AtMost", "Between", "OneOf", "Missing")
    },
}

PACKAGES = (logic, concepts, files, explain, metrics, estimators, loading, plots, reporting, guard, scale)
LOADING = ("load", "rules_of_model")


def public_callables() -> Iterator[str]:
    """``name`` or ``Class.method`` of everything public that takes arguments."""
    yield from (f"LENClassifier.{method}" for method in methods(LENClassifier))
    yield "auto_encoder"
    for kind in (Table, ConceptEncoder):
        yield from (kind.__name__, *(f"{kind.__name__}.{method}" for method in methods(kind)))
    yield "intervention_curve"
    yield "Intervention.describe"
    yield "ConceptBottleneckClassifier"
    yield from (f"ConceptBottleneckClassifier.{name}" for name in methods(ConceptBottleneckClassifier))
    for kind in (BlackBoxExplainer, CascadeClassifier, LENClusterer):
        yield from (kind.__name__, *(f"{kind.__name__}.{method}" for method in methods(kind)))
    for package in PACKAGES:
        for name in getattr(package, "__all__", LOADING):
            value = getattr(package, name)
            if callable(value) and name not in NOT_CALLED:
                yield name
            listed = name == "Formula" or name not in NOT_CALLED
            if inspect.isclass(value) and listed and not issubclass(value, LENClassifier):
                yield from (f"{name}.{method}" for method in methods(value))


def methods(kind: type) -> Iterator[str]:
    """Public methods of a class's own that take arguments; those that scikit-learn adds are its own."""
    for name, member in vars(kind).items():
        bound = getattr(kind, name)
        if name.startswith(("_", "set_")) or not callable(bound):
            continue
        in_class = isinstance(member, classmethod | staticmethod)
        if len(inspect.signature(bound).parameters) > (0 if in_class else 1):
            yield name


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
    "method", ["decide", "predict", "predict_proba", "explain", "explain_sample", "save"]
)
def test_an_unfitted_classifier_says_so_as_scikit_learn_does(method: str):
    with pytest.raises(NotFittedError, match="MuClassifier instance is not fitted yet"):
        getattr(quick(), method)([[0, 1]])


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
