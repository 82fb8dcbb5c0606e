"""Nonsense in, an error of our own tree out: for every public parameter, and every rule of values."""

from __future__ import annotations

import functools
import inspect
import re
import signal
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import torch
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from logiclens import (
    concepts,
    estimators,
    explain,
    files,
    guard,
    loading,
    logic,
    metrics,
    pipelines,
    plots,
    reporting,
    scale,
)
from logiclens.concepts import Above, ConceptEncoder, Flag, OneOf, Table, Vocabulary
from logiclens.errors import LogicLensError
from logiclens.estimators import LENClusterer, MuClassifier, cross_explain
from logiclens.estimators.base import LENClassifier
from logiclens.explain import (
    Explanation,
    ExplanationSet,
    Front,
    Rule,
    Step,
    compose,
    explain_class,
    explain_set,
    load_rules,
)
from logiclens.files import read_table
from logiclens.guard import Link, RuleGuard
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
    format_formula,
    from_json,
    implies,
    minimize,
    minimize_path,
    parse_formula,
    prove,
    satisfying_assignment,
    to_cnf,
    to_dnf,
    to_json,
    to_python,
    to_sentence,
    to_sql,
    to_sympy,
)
from logiclens.metrics import complexity, consistency, explanation_accuracy, macro_f1, rule_scores
from logiclens.pipelines import (
    BlackBoxExplainer,
    CascadeClassifier,
    ConceptBottleneckClassifier,
    intervention_curve,
)
from logiclens.plots import (
    ConceptRelevanceDisplay,
    FrontDisplay,
    NetworkDisplay,
    RuleCoverageDisplay,
    TruthTableDisplay,
)

SECONDS = 20
"""After this long a call counts as hanging."""

STAYS = Path(__file__).parents[1] / "docs" / "data" / "stays.csv"
"""A table in a file."""

Call = Callable[[], object]

a, b = Var("a"), Var("b")
ROWS = [[0, 1], [1, 0]]
LABELS = ["no", "yes"]
BITS = np.array([[0, 1], [1, 0], [1, 1]], dtype=bool)
TABLE = TruthTable.from_data(BITS, [1, 0, 0], names=["a", "b"])
COVER = Cover.from_formula(a & ~b)
MATRIX = np.zeros((3, 3))
WORDS = np.zeros((1, 1), dtype=np.uint64)
EXPLANATION = Explanation(Rule("yes", a & ~b))
RULES = ExplanationSet([EXPLANATION, Explanation(Rule("no", b))], ["a", "b"])
FRONT = replace(Front.of(RULES), points=(replace(Front.of(RULES)[0], accuracy=0.9, fidelity=0.8),))
RAW = Vocabulary(("age", "sex"), (Above("age", 62), OneOf("sex", ("male",))))
WORDED = Explanation(Rule("old", Var("age > 62"), vocabulary=RAW))
SCORES = rule_scores(a, {"a": [0, 1]}, [0, 1])
GUARD = RuleGuard("a -> b", names=["a", "b"]).fit([[1, 1], [0, 0.5], [0, 1]])


def quick(**settings: Any) -> MuClassifier:
    """A classifier that is fitted at once."""
    return MuClassifier(**{"epochs": 2, "restarts": 1, "l1": 0.01, "random_state": 0} | settings)


def alternating(X: Any) -> list[str]:
    """A black box that says no and yes by turns, whatever it is asked."""
    return [("no", "yes")[row % 2] for row in range(len(np.asarray(X)))]


def black_box(**settings: Any) -> BlackBoxExplainer:
    return BlackBoxExplainer(**{"black_box": alternating, "estimator": quick()} | settings)


def cascade(**settings: Any) -> CascadeClassifier:
    return CascadeClassifier(**{"estimator": quick()} | settings)


def clusterer(**settings: Any) -> LENClusterer:
    return LENClusterer(**{"epochs": 2, "restarts": 1, "l1": 0.01} | settings)


def bottleneck(**settings: Any) -> ConceptBottleneckClassifier:
    """Its concepts are its two inputs, as logits."""
    return ConceptBottleneckClassifier(
        **{"concept_model": torch.nn.Identity(), "estimator": quick(), "train_concepts": False} | settings
    )


@functools.cache
def fitted(kind: type) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if kind is LENClassifier:
            return quick().fit(ROWS * 4, LABELS * 4)
        if kind is BlackBoxExplainer:
            return black_box(random_state=0).fit(ROWS * 4)
        if kind is CascadeClassifier:
            return cascade(random_state=0).fit(ROWS * 4, LABELS * 4, levels=[ROWS * 4])
        if kind is ConceptBottleneckClassifier:
            return bottleneck().fit([[-9, 9], [9, -9]] * 4, LABELS * 4)
        return clusterer().fit({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]})


def in_engine() -> Any:
    """A small table in DuckDB."""
    import ibis
    import pyarrow as pa

    return ibis.memtable(pa.table({"a": [True, False, True], "n": [1.5, 2.5, 3.5], "y": ["no", "yes", "no"]}))


ESTIMATORS = (
    LENClassifier,
    BlackBoxExplainer,
    CascadeClassifier,
    ConceptBottleneckClassifier,
    LENClusterer,
)
INSTANCES: dict[type, Callable[[], object]] = {
    **{kind: functools.partial(fitted, kind) for kind in ESTIMATORS},
    Formula: lambda: a,
    And: lambda: a & b,
    Or: lambda: a | b,
    Cover: lambda: COVER,
    TruthTable: lambda: TABLE,
    Rule: lambda: EXPLANATION.rule,
    Explanation: lambda: EXPLANATION,
    ExplanationSet: lambda: RULES,
    Front: lambda: FRONT,
    Table: lambda: Table(ROWS),
    ConceptEncoder: lambda: ConceptEncoder().fit(ROWS),
    Vocabulary: lambda: RAW,
    RuleGuard: lambda: GUARD,
    TruthTableDisplay: lambda: TruthTableDisplay(TABLE),
    ConceptRelevanceDisplay: lambda: ConceptRelevanceDisplay(["a", "b"], [1, 0]),
    NetworkDisplay: lambda: NetworkDisplay([[[1.0, 1.0]]], ["a", "b"]),
    FrontDisplay: lambda: FrontDisplay(FRONT),
    RuleCoverageDisplay: lambda: RuleCoverageDisplay(EXPLANATION, SCORES, ()),
    pipelines.Intervention: lambda: fitted(ConceptBottleneckClassifier).intervene([[9, -9]], {"x0": 1}),
}
"""What a method is called on."""
UNFITTED: dict[type, Callable[..., Any]] = {
    BlackBoxExplainer: black_box,
    CascadeClassifier: cascade,
    ConceptBottleneckClassifier: functools.partial(
        bottleneck, concept_model=torch.nn.Linear(2, 2), train_concepts=True, epochs=1
    ),
    RuleGuard: lambda rules="a -> b", **settings: RuleGuard(rules, **{"names": ["a", "b"]} | settings),
    LENClassifier: quick,
    LENClusterer: clusterer,
    ConceptEncoder: ConceptEncoder,
}
"""Estimators that are quick, or need something; settings are looked at when they are fitted."""

VALID: dict[str, Any] = {
    "X": ROWS,
    "concepts": ROWS,
    "column": "a",
    "data": ROWS,
    "front": FRONT,
    "cut": 1,
    "black_box": alternating,
    "estimator": quick(),
    "explanation": EXPLANATION,
    "f": a,
    "formula": a,
    "g": b,
    "high": 2,
    "labels": LABELS,
    "low": 1,
    "model": RULES,
    "name": "a",
    "names": ["a", "b"],
    "outputs": [[1, 1]],
    "path": STAYS,
    "rule": EXPLANATION,
    "rules": RULES,
    "source": STAYS,
    "table": TABLE,
    "target": "yes",
    "vocabulary": RAW,
    "x": [[0, 1]],
    "y": LABELS,
}
"""Something that makes sense for a parameter of that name."""
VALID_HERE: dict[str, dict[str, Any]] = {
    "sufficient_reason": {"row": {"a": True, "b": True}},
    "LENClassifier.compare": {"X_train": ROWS, "y_train": LABELS},
    "HeldOutScores": {"n_rows": (1,), "n_right": (1,)},
    "LENClassifier.explain": {"X": ROWS},
    "CascadeClassifier.explain": {"X": ROWS},
    "ConceptBottleneckClassifier.explain": {"X": [[9, -9]]},
    "truth_table": {"answers": "a"},
    "BlackBoxExplainer.fit": {"y": None},
    "CascadeClassifier.intervene": {"level": 2, "values": {"c2_0": 1}},
    "ConceptBottleneckClassifier.concept_accuracy": {"X": [[9, -9]], "concepts": [[0, 1]]},
    "ConceptBottleneckClassifier.fit": {"concepts": ROWS},
    "ConceptBottleneckClassifier.intervene": {"X": [[9, -9]], "values": {"x0": 1}},
    "ConceptEncoder.fit": {"y": None},
    "ConceptRelevanceDisplay": {"relevance": [1.0, 1.0]},
    "Cover": {"positive": WORDS, "negative": WORDS},
    "Cover.cofactor": {"value": True},
    "Cover.covers_term": {"positive": WORDS, "negative": WORDS},
    "Cover.from_literals": {"terms": [{"a": True}]},
    "Cover.intersect": {"other": COVER},
    "ExplanationSet": {"explanations": [EXPLANATION], "concept_names": ["a", "b"]},
    "NetworkDisplay": {"weights": [[[1.0, 1.0]]]},
    "OneOf": {"values": ("x",)},
    "Ranges": {"cuts": (1.0,)},
    "Ranges.of_equal_size": {"numbers": [1.0, 2.0, 3.0], "n_ranges": 2},
    "Ranges.label": {"numbers": [1.0]},
    "RuleCoverageDisplay": {"scores": SCORES, "terms": ()},
    "RuleGuard.alarm_interval": {"n_rows": 10},
    "Scores": {"part": "test", "n_rows": 3},
    "Step": {"label": "yes"},
    "TruthTable": {"names": ("a",), "rows": WORDS, "yes": np.ones(1), "no": np.zeros(1)},
    "TruthTable.from_counts": {"concepts": BITS, "yes": [1] * 3, "no": [1] * 3},
    "TruthTable.from_data": {"concepts": BITS, "predictions": [1, 0, 1]},
    "Vocabulary": {"columns": ("a",), "concepts": ()},
    "Vocabulary.encode": {"table": {"age": [1], "sex": ["male"]}},
    "Vocabulary.read": {"data": {"age": [1], "sex": ["male"]}},
    **{
        f"Vocabulary.{name}": {"formula": Var("age > 62"), "style": "ascii"}
        for name in ("format", "to_python", "to_sql", "written")
    },
    "Vocabulary.condition": {"name": "age > 62", "positive": True},
    "class_formulas": {"steps": [Step("yes", a)], "default": "no", "table": TABLE},
    "compose": {"layers": [([[1.0, 1.0]], [0.0])]},
    "consistency": {"runs": [{"yes": a}]},
    "cross_explain": {"y": LABELS * 4, "X": ROWS * 4, "cv": 2},
    "explain_class_as_in_paper": {"answers": [0, 1]},
    "explain_example": {"sample": [0, 1]},
    "explain_examples": {"samples": ROWS},
    "explain_global": {"seen": TABLE},
    "explain_set": {"samples": ROWS},
    "explain_torch": {"model": torch.nn.Linear(2, 1), "X": ROWS},
    "fidelity": {"predictions": LABELS},
    "intervention_curve": {
        "model": fitted(ConceptBottleneckClassifier),
        "X": [[9, -9]],
        "y": ["no"],
        "concepts": [[0, 1]],
    },
    "macro_f1": {"truth": [0, 1], "predicted": [0, 1]},
    "prove": {"found": minimize(TABLE)},
    "rule_scores": {"y_is_target": [0, 1]},
    "substitute": {"mapping": {"a": b}},
    "with_unseen": {"tuples": np.array([[False, False]]), "answers": [1]},
}
"""Where it has to be something else, or there is no other of the name."""
SOMETHING = object()
"""Makes sense for no parameter."""
ANYTHING = {
    *(f"{kind}Classifier: verbose" for kind in ("Mu", "Psi", "Relu", "Entropy")),
    "LENClusterer: verbose",
    "LENClassifier.score: y",
    "LENClusterer.fit: y",
    "Rule.to_sentence: exact",
    "TruthTableDisplay: who",
    "Vocabulary.condition: positive",
    "class_formulas: wide",
    "cross_explain: groups",
    "intervention_curve: model",
    "intervention_curve: random_state",
    "intervention_curve: y",
    "with_unseen: tuples",
    "ExplanationSet.read: used",
}
"""Parameters that take any object: flags, what is only shown, what is not used or left to scikit-learn."""
NOT_CALLED: dict[str, str] = {
    **dict.fromkeys(("Change", "Counterfactual"), "made by counterfactual()"),
    **dict.fromkeys(("Facts", "Report"), "made by report()"),
    **dict.fromkeys(("Violation", "Violations", "Link", "Link.of"), "made by a guard"),
    **dict.fromkeys(("Front", "Front.from_json", "Point"), "made by a fit"),
    **dict.fromkeys(("Agreement", "TargetScores"), "made by explanation_accuracy()"),
    **dict.fromkeys(("Consistency", "Recurrence"), "made by consistency()"),
    **dict.fromkeys(("Batch", "Batches"), "made by read_batches()"),
    **dict.fromkeys(("Kind", "RuleKind", "Scope", "Status", "ValueType"), "an enumeration"),
    **dict.fromkeys(("Concept", "Formula"), "abstract; its kinds are called"),
    "BlackBoxFidelity": "made by BlackBoxExplainer.score()",
    "Column": "made by Table.column()",
    "Composition": "made by compose()",
    "Conflict": "made by conflicts()",
    "PrimeImplicant": "made by sufficient_reason()",
    "Fidelity": "made by fidelity()",
    "HeldOut": "made by cross_explain() and bench.run()",
    **dict.fromkeys(("Lead", "Lead.of_answers", "Lead.pooled"), "made by a fit, or by Comparison.lead()"),
    "GlobalExplanation": "made by explain_global()",
    **dict.fromkeys(("Intervention", "Intervention.of"), "made by intervene()"),
    "InterventionCurve": "made by intervention_curve()",
    "Minimized": "made by minimize()",
    "PredictionCounterfactual": "made by ExplanationSet.counterfactual()",
    **dict.fromkeys(
        ("Resolution", "Resolution.of_list", "Resolution.of_rules"),
        "made by ExplanationSet.coverage_counts()",
    ),
    "RuleCheck": "made by ExplanationSet.check()",
    "Vocabulary.in_english": "of conditions that a vocabulary has made",
    "RuleScores": "made by rule_scores()",
    "Evaluation": "made by evaluate() and score()",
    "TableFile": "made by read_table()",
    "TermScore": "made by term_scores()",
    "Front.rule_set": "takes a point of the front",
    "Formula.evaluate_words": "the inside of evaluate()",
    "BlackBoxExplainer.ask": "hands on what it gets: the black box says itself what it takes",
    **{
        f"Vocabulary.{name}": "an inside"
        for name in (
            *("cells", "conditions", "expecting_gaps", "finds_by_name", "gap_in_english", "places"),
            *(
                "possible",
                "probe",
                "python_literal",
                "raw_columns",
                "source",
                "unseen",
                "with_gaps",
                "with_parts",
                "written",
            ),
        )
    },
    **dict.fromkeys(("Ranges.of_labels", "Table.check_has", "Table.replaced"), "an inside"),
    **{f"ConceptEncoder.{name}": "the inside of fit()" for name in ("recipe", "is_reference", "adopt")},
    **{
        f"LENClassifier.{name}": "the inside of fit()"
        for name in ("make_network", "fit_inputs", "adopt", "read_data", "read_inputs", "recipe", "hold_out")
    },
    **{f"LENClassifier.{name}": "the inside of explain_sample()" for name in ("explain_answer", "worded")},
}
"""Callables that take nothing from a user, and why."""
PACKAGES = (
    logic,
    concepts,
    files,
    metrics,
    explain,
    estimators,
    loading,
    pipelines,
    guard,
    scale,
    plots,
    reporting,
)


def public_callables(package: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """``name`` or ``Class.method`` of everything public that takes arguments, and how to call it."""
    for name in getattr(package, "__all__", ("load", "rules_of_model")):
        value = getattr(package, name)
        if callable(value) and name not in NOT_CALLED:
            yield name, value
        if inspect.isclass(value) and not issubclass(value, LENClassifier):
            yield from methods(value)
    if package is estimators:
        yield from methods(LENClassifier)


def methods(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Public methods of a class's own; those that scikit-learn adds are its own."""
    for name, member in vars(kind).items():
        full = f"{kind.__name__}.{name}"
        bound = getattr(kind, name)
        if name.startswith(("_", "set_")) or not callable(bound) or full in NOT_CALLED:
            continue
        if isinstance(member, classmethod | staticmethod):
            yield full, bound
        elif len(inspect.signature(bound).parameters) > 1 and kind in INSTANCES:
            instance = UNFITTED[kind] if name == "fit" else INSTANCES[kind]
            yield full, getattr(instance(), name)


def nonsense(name: str, function: Callable[..., Any]) -> Iterator[tuple[str, Call]]:
    """The function with one argument that makes no sense, for each of its parameters."""
    is_estimator = inspect.isclass(function) and issubclass(function, BaseEstimator)
    call = functools.partial(fit_with, function) if is_estimator else function
    parameters = inspect.signature(function).parameters.values()
    given_here = VALID_HERE.get(name, {})
    needed = {each.name for each in parameters if is_needed(each) or each.name in given_here}
    for each in parameters:
        full = f"{name}: {each.name}"
        if each.kind is each.VAR_POSITIONAL:
            yield full, lambda: call(SOMETHING)
        elif each.kind is not each.VAR_KEYWORD and full not in ANYTHING:
            given = {other: (VALID | given_here)[other] for other in needed - {each.name}}
            yield full, functools.partial(call, **given, **{each.name: SOMETHING})


def is_needed(parameter: inspect.Parameter) -> bool:
    named = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    return named and parameter.default is parameter.empty


def fit_with(kind: type, **settings: Any) -> object:
    """Settings are looked at when an estimator is fitted."""
    estimator = UNFITTED.get(kind, kind)(**settings)
    return estimator.fit([[1, 1]] * 2) if kind is RuleGuard else estimator.fit(ROWS, LABELS)


def complaint(call: Call) -> str:
    """Why an answer to nonsense is not what it should be; nothing where it is."""
    try:
        result = call()
        if hasattr(result, "__enter__"):
            with result:
                pass
    except LogicLensError as error:
        text = str(error)
        if not text.isprintable() or len(text) >= 500:
            return f"a message is one short line: {text[:500]}"
        if text[-1] not in ".)'" or not re.search(r"[.;:?] \S|\. ", text):
            return f"a message says what is wrong, and then what was got or what to do: {text}"
        return ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "taken"


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_every_parameter_refuses_what_makes_no_sense(package: ModuleType):
    calls = [each for called in public_callables(package) for each in nonsense(*called)]
    complaints = {name: text for name, call in calls if (text := complaint(call))}

    assert calls
    assert complaints == {}


CHOICES = {"None": None, "number": 1, "unknown": "whenever", "list": ["iff"], "array": MATRIX}
COUNTS = {
    "text": "3",
    "negative": -1,
    "fraction": 1.5,
    "NaN": np.nan,
    "list": [1],
    "array": MATRIX,
    "flag": True,
}
DATA = {
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
    "too narrow": [[1]],
    "other names": {"c": [0], "d": [1]},
}
FORMULAS = {"None": None, "number": 3, "text": "a", "list": [a, b], "array": MATRIX, "type": Var}
RAW_DATA = {name: DATA[name] for name in list(DATA)[:6]} | {
    "repeated": {1: [1], "1": [2]},
    "mapping of two lengths": {"x0": [1], "x1": [1, 0]},
}
LABELS_OF_TWO_ROWS = {
    "None": None,
    "number": 3,
    "text": "ab",
    "too few": ["yes"],
    "None alone": [None, None],
    "NaN alone": [np.nan, np.nan],
    "fractions": [0.25, 0.5],
    "two types": np.array([1, "yes"], dtype=object),
    "a table of labels": [[0, 2], [1, 0]],
    "3-D": np.zeros((2, 1, 1)),
}
MARKS = {
    "None": None,
    "number": 3,
    "text": "ab",
    "too few": [1],
    "neither 0 nor 1": [0, 2],
    "NaN": [0, np.nan],
    "strings": ["x", "y"],
    "2-D": [[0, 1]],
}
NAMES = {
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
NUMBERS = {"None": None, "text": "1", "NaN": np.nan, "infinite": np.inf, "array": MATRIX, "huge": 10**400}
ORDERS = {
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
}
RATES = {"text": "0.5", "negative": -0.1, "above one": 1.1, "NaN": np.nan, "array": MATRIX, "huge": 10**400}
TARGETS = {"None": None, "list": ["yes"], "NaN": np.nan, "array": MATRIX, "bytes": b"yes"}
TEXTS = {
    "None": None,
    "number": 3,
    "bytes": b"a",
    "empty": "",
    "blank": " \n ",
    "half": "a &",
    "code": "__import__('os').system('x')",
    "unclosed": '"a',
}
WEIGHTS = {
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

RULES_OF_VALUES: dict[str, tuple[Callable[[Any], object], dict[str, Any]]] = {
    "a formula is one": (Not, FORMULAS),
    "a table of counts is one": (minimize, {"None": None, "number": 3, "array": MATRIX, "dict": {"a": [1]}}),
    "concepts lie in [0, 1]": (lambda value: (Var("x0") & Var("x1")).evaluate(value), DATA),
    "rows to learn from": (lambda value: quick().fit(value, LABELS), DATA),
    "rows to predict": (lambda value: fitted(LENClassifier).predict(value), DATA),
    "raw rows": (Table, RAW_DATA),
    "raw inputs of a bottleneck": (
        lambda value: fitted(ConceptBottleneckClassifier).predict(value),
        {name: value for name, value in DATA.items() if name not in ("negative", "too large", "other names")},
    ),
    "names": (at_most_one, NAMES),
    "a name": (Var, {"None": None, "number": 3, "empty": "", "bytes": b"a", "list": ["a"], "array": MATRIX}),
    "a choice": (lambda value: Rule("yes", a, value), CHOICES),
    "a choice in settings": (lambda value: quick(rule=value).fit(ROWS, LABELS), CHOICES),
    "a count": (lambda value: minimize(TABLE, max_literals=value), COUNTS),
    "a count in settings": (lambda value: quick(epochs=value).fit(ROWS, LABELS), COUNTS | {"zero": 0}),
    "a length": (FRONT.at, COUNTS),
    "a number in settings": (
        lambda value: quick(learning_rate=value).fit(ROWS, LABELS),
        NUMBERS | {"zero": 0, "flag": True},
    ),
    "a rate": (lambda value: quick(distillation=value).fit(ROWS, LABELS), RATES),
    "a threshold": (lambda value: to_sql(a, threshold=value), RATES | {"one": 1}),
    "a number": (lambda value: Above("a", value), NUMBERS),
    "a price": (lambda value: minimize(TABLE, literal_cost=value), NUMBERS | {"negative": -1}),
    "a share of the rows": (lambda value: cascade(n_folds=value).fit(ROWS, LABELS), COUNTS | {"one": 1}),
    "a confidence": (
        lambda value: rule_scores(a, {"a": [0, 1]}, [0, 1], confidence=value),
        RATES | {"None": None, "zero": 0, "one": 1},
    ),
    "a flag": (lambda value: Flag("a", if_missing=value), {"None": None, "number": 1, "text": "yes"}),
    "an order": (lambda value: minimize(TABLE, order=value), ORDERS),
    "a target": (lambda value: explain_class(TABLE, value), TARGETS),
    "labels": (lambda value: quick().fit(ROWS, value), LABELS_OF_TWO_ROWS),
    "answers": (lambda value: macro_f1(value, [0, 1]), MARKS),
    "weights of rows": (lambda value: quick().fit(ROWS, LABELS, sample_weight=value), WEIGHTS),
    "weights of rows in scores": (
        lambda value: explanation_accuracy({"yes": a}, {"a": [0, 1]}, LABELS, sample_weight=value),
        WEIGHTS,
    ),
    "a formula as text": (parse_formula, TEXTS),
    "a formula as JSON": (from_json, TEXTS | {"other JSON": "[1, 2]"}),
    "rules": (complexity, {"None": None, "number": 3, "text": "a", "list": [a], "empty": {}}),
    "outputs to guard": (
        GUARD.predict,
        {"None": None, "missing": [[np.nan, 1]], "logits": [[-3.0, 5.0]], "too wide": [[0, 1, 1]]},
    ),
    "a path to read": (load_rules, {"None": None, "number": 3.5, "folder": ".", "source": __file__}),
    "a path to write": (RULES.save, {"None": None, "number": 3.5, "folder": "."}),
    "axes": (lambda value: FRONT.plot(ax=value), {"number": 3, "text": "axes", "list": [None]}),
    "a column of a table": (Table(ROWS).column, {"None": None, "number": 0, "unknown": "x2", "list": ["x0"]}),
    "a column in an engine": (
        lambda value: scale.fit(MuClassifier(), in_engine(), value),
        {"None": None, "number": 3, "unknown": "b", "list": [3]},
    ),
    "a table in an engine": (
        lambda value: scale.fit(MuClassifier(), value, "y"),
        {"None": None, "text": "data.parquet", "array": np.ones((2, 2))},
    ),
    "a delimiter": (
        lambda value: read_table(STAYS, delimiter=value),
        {"number": 3, "word": "comma", "empty": "", "quote": '"'},
    ),
    "an encoding": (
        lambda value: read_table(STAYS, encoding=value),
        {"unknown": "utf-99", "no text": "base64"},
    ),
}
"""One place where values of a kind are read, and what is none."""


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("rule", RULES_OF_VALUES)
def test_values_of_a_kind_are_checked(rule: str):
    call, values = RULES_OF_VALUES[rule]

    assert {name: text for name, v in values.items() if (text := complaint(lambda v=v: call(v)))} == {}


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


WRITERS = (format_formula, to_sql, to_python, to_sympy, to_json, to_sentence, RAW.format, RAW.to_sql)
NOISE = TruthTable.from_data(np.random.default_rng(0).random((300, 40)), np.arange(300) % 2)

EXTREMES: dict[str, Call] = {
    **{f"absurdly long: {write.__qualname__}": functools.partial(write, ladder(60)) for write in WRITERS},
    "absurdly long rule": lambda: Rule("yes", ladder(60)).format(),
    "absurdly long rules": lambda: complexity({"yes": ~parity(40)}),
    "absurdly deep": lambda: [f := a, *(f := ~f for _ in range(300))],
    "absurdly deep text": lambda: parse_formula("(" * 10_000 + "a"),
    "absurdly many negations": lambda: parse_formula("~" * 10_000 + "a"),
    "absurdly long text": lambda: parse_formula("a" * 2_000_000),
    "absurdly deep JSON": lambda: from_json("[" * 100_000),
    "absurdly long JSON": lambda: from_json(" " * 20_000_000),
    "a huge number": lambda: from_json("1" * 100_000),
    "absurdly deep explanation": lambda: Explanation.from_json("[" * 100_000),
    "absurdly deep rules": lambda: ExplanationSet.from_json("[" * 100_000),
    "a DNF that blows up": lambda: to_dnf(parity(24)),
    "a CNF that blows up": lambda: to_cnf(parity(24)),
    "more terms than allowed": lambda: to_dnf(a | b, 1),
    "more clauses than allowed": lambda: to_cnf(a & b, 1),
    "no proof possible": lambda: minimize(NOISE, exact=True),
    "too hard": lambda: satisfying_assignment(pigeons(8), max_conflicts=200),
    "a neuron with too many inputs": lambda: compose(
        [(np.ones((1, 40)), [0.0])], [f"x{j}" for j in range(40)]
    ),
    "contradictory knowledge of equivalence": lambda: equivalent(a, b, [a, ~a]),
    "contradictory knowledge of implication": lambda: implies(a, b, [a, ~a]),
    "contradictory knowledge of conflicts": lambda: conflicts({"x": a}, [a, ~a]),
    "contradictory knowledge of rules": lambda: RULES.check([a, ~a]),
    "a truth value of a formula": lambda: bool(a),
    "text as an operand": lambda: a & "b",
    "an operand too few": lambda: And(a),
    "an unknown concept": lambda: EXPLANATION.evaluate({"a": [1]}),
    "other concepts": lambda: TABLE.merge(TABLE.rename(["a", "c"])),
    "another table's formula": lambda: prove(
        TABLE, minimize(TruthTable.from_data([[0], [1]], [0, 1], ["z"]))
    ),
    "counts beyond any float": lambda: TruthTable.from_data(BITS, [1, 0, 1], sample_weight=[1e308] * 3),
    "no rows in a table": lambda: TruthTable.from_data(np.zeros((0, 2)), []),
    "no rows to explain": lambda: explain_set(np.zeros((0, 2)), TABLE, "yes"),
    "no rows to learn from": lambda: quick().fit(np.zeros((0, 2)), []),
    "no columns to learn from": lambda: quick().fit(np.zeros((2, 0)), LABELS),
    "rows of a sparse matrix": lambda: clusterer().fit(scipy.sparse.eye_array(2)),
    "a column of one value": lambda: ConceptEncoder().fit([[1], [1]]),
    "a column of text that was numbers": lambda: ConceptEncoder().fit(ROWS).transform([["a", "b"]]),
    "an interval upside down": lambda: concepts.Between("a", 2, 1),
    "a name that SQL has not": lambda: to_sql(Var("a\0")),
    "a name that Python has not": lambda: to_python(a, "f(): import os #"),
    "bits beyond the names": lambda: Cover(["a"], np.full((1, 1), 2, np.uint64), WORDS),
    "a label twice": lambda: ExplanationSet([EXPLANATION, EXPLANATION], ["a", "b"]),
    "labels of two types": lambda: ExplanationSet([EXPLANATION, Explanation(Rule(1, b))], ["a", "b"]),
    "a default that is no label": lambda: ExplanationSet([EXPLANATION], ["a", "b"], default="perhaps"),
    "a list for several labels": lambda: ExplanationSet([EXPLANATION], ["a", "b"], True).decided_by(ROWS),
    "two rows for a counterfactual": lambda: RULES.counterfactual(ROWS),
    "groups beside a vocabulary": lambda: WORDED.counterfactual({"age": [1]}, groups=[["age > 62"]]),
    "two rows for one": lambda: fitted(LENClassifier).explain_sample(ROWS),
    "an unknown target": lambda: fitted(LENClassifier).explain_set(ROWS, "perhaps"),
    "more folds than rows": lambda: cross_explain(quick(), ROWS, LABELS, cv=3),
    "settings that only a fold would find": lambda: cross_explain(quick(epochs=0), ROWS, LABELS, cv=2),
    "fewer concepts than rules name": lambda: consistency([{"yes": a & b}], n_concepts=1),
    "answers of another length": lambda: black_box(black_box=lambda _: ["no"]).fit(ROWS),
    "labels that a model cannot give": lambda: black_box().fit(ROWS, [0, 1]),
    "concepts without a model": lambda: bottleneck(concept_model=None).fit(ROWS, LABELS, concepts=ROWS),
    "a level too short": lambda: cascade().fit(ROWS, LABELS, [[[1]]]),
    "an unknown concept of a level": lambda: fitted(CascadeClassifier).intervene(ROWS, 2, {"c3_0": 1}),
    "the order of an unknown choice": lambda: intervention_curve(
        fitted(ConceptBottleneckClassifier), [[9, -9]], ["no"], [[0, 1]], order="whenever"
    ),
    "truth without rows": lambda: reporting.report(RULES, y=LABELS),
    "rows without truth": lambda: reporting.report(RULES, MATRIX, rows=True),
    "a front without scores": lambda: FrontDisplay(Front.of(RULES)),
    "weights that do not fit": lambda: NetworkDisplay([[[1.0, 1.0]], [[1.0, 1.0]]], ["a", "b"]),
    "rules about clusters to guard": lambda: Link.of(Rule(0, Var("a"), "cluster")),
}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("case", EXTREMES)
def test_what_cannot_be_is_refused(case: str):
    assert complaint(EXTREMES[case]) == ""


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


def test_a_limit_larger_than_any_float_is_no_limit():
    huge = 10**400

    assert minimize(TABLE, max_terms=huge, max_literals=huge).formula == ~a
    assert minimize_path(TABLE, max_literals=huge)[-1].formula == ~a
    assert to_dnf(~a, huge) == to_cnf(~a, huge) == ~a
