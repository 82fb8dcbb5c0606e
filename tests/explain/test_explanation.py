"""Explanations: how far to trust a rule, and how good it is."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logiclens.concepts import Above, Flag, Missing, Vocabulary
from logiclens.errors import InputError, UnknownConceptError
from logiclens.explain import Explanation, Rule, RuleKind, Scope, Scores
from logiclens.explain.explanation import RATES, check_rate, check_weight, from_saved, to_saved
from logiclens.logic import FALSE, Status, Var, to_python, to_sentence, to_sql, to_sympy
from tests.concepts.strategies import raw_formulas
from tests.explain.strategies import explanations
from tests.strategies import PLAIN, all_rows, plain_formulas


@given(st.lists(st.none() | st.floats(0, 1), min_size=5, max_size=5), st.integers(0, 10**9))
def test_scores_are_what_was_measured(rates, n_rows):
    scores = Scores("test", n_rows, *rates)

    assert [getattr(scores, name) for name in RATES] == rates
    assert scores == Scores("test", n_rows, **dict(zip(RATES, rates, strict=True)))
    assert hash(scores) == hash(Scores("test", n_rows, *rates))


def test_values_become_plain():
    """Scalars of NumPy and members of enumerations would not be saved as they are."""
    scores = Scores(Status.PROVED, np.int64(3), precision=np.float32(0.5))

    assert (type(scores.part), type(scores.n_rows), type(scores.precision)) == (str, int, float)
    assert [type(value) for value in (check_rate(1, "x"), check_weight(True, "x"))] == [float, float]


@given(st.floats())
def test_rates_and_weights_are_told_from_other_numbers(value):
    for check, fits in ((check_rate, 0 <= value <= 1), (check_weight, 0 <= value < float("inf"))):
        if fits:
            assert check(value, "it") == value
        else:
            with pytest.raises(InputError, match=r"^it must be "):
                check(value, "it")


A, B, C = map(Var, "abc")


def explained(**changes) -> Explanation:
    return Explanation(Rule("yes", A & B & C), **{"status": Status.PROVED, "support": 12, **changes})


def test_what_an_explanation_says():
    found = explained(scores=Scores("validation", 40, precision=0.75))

    assert (found.target, found.kind, found.scope) == ("yes", RuleKind.IFF, Scope.CLASS)
    assert (found.formula, found.complexity, found.concepts) == (A & B & C, 3, ("a", "b", "c"))
    assert (found.support, type(found.support)) == (12.0, float)
    assert (found.status, type(found.status)) == ("proved minimal", str)
    assert (found.scores.precision, found.scores.recall) == (0.75, None)
    assert str(found) == "forall x: yes(x) <-> a(x) & b(x) & c(x)"


# --- exports ------------------------------------------------------------------------------------------


@given(plain_formulas(), st.floats(0, 0.99))
def test_evaluate_says_what_the_formula_says(formula, threshold):
    X = np.linspace(0, 1, 32 * 5).reshape(32, 5) * all_rows(5)
    found = Explanation(Rule("yes", formula))

    expected = formula.evaluate(X, PLAIN, threshold=threshold)
    assert np.array_equal(found.evaluate(X, PLAIN, threshold), expected)
    assert np.array_equal(found.evaluate(pd.DataFrame(X, columns=PLAIN), threshold=threshold), expected)


def test_exports_are_those_of_the_formula_or_of_the_rule():
    found = explained()
    formula = found.formula

    assert found.to_sql() == to_sql(formula)
    assert found.to_sql("mysql", 0.3) == to_sql(formula, "mysql", 0.3)
    assert found.to_python("f", 0.3) == to_python(formula, "f", threshold=0.3)
    assert found.to_sympy() == to_sympy(formula)
    assert found.to_latex() == found.rule.format("latex")
    assert found.to_sentence() == found.rule.to_sentence()
    assert to_sentence(formula) in found.to_sentence()


# --- what is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Explanation(A), "made of a Rule"),
        (lambda: explained(scope="klass"), "Did you mean 'class'?"),
        (lambda: explained(status=None), "status"),
        (lambda: explained(support=-1), "support"),
        (lambda: explained(support=np.inf), "support"),
        (lambda: explained(scores={"recall": 1}), "scores must be Scores"),
        (lambda: Scores("test", -1), "n_rows"),
        (lambda: Scores(1, 1), "part"),
        (lambda: Scores("test", 1, recall=90), "recall"),
        (lambda: Scores("test", 1, fidelity="1"), "fidelity"),
    ],
)
def test_parts_that_make_no_sense_are_refused(build, message):
    with pytest.raises(InputError) as caught:
        build()

    assert message in str(caught.value)


# --- values -------------------------------------------------------------------------------------------


@given(explanations())
def test_copies_are_equal(found):
    assert pickle.loads(pickle.dumps(found)) == copy.deepcopy(found) == found
    assert hash(pickle.loads(pickle.dumps(found))) == hash(found)


@given(explanations())
def test_json_round_trip(found):
    again = Explanation.from_json(found.to_json())

    assert again == found
    assert type(again.target) is type(found.target)
    assert from_saved(to_saved(found)) == found


def test_the_format_is_what_it_was():
    text = explained(scores=Scores("validation", 40, precision=0.75)).to_json()

    assert json.loads(text) == {
        "format": "logiclens.explanation",
        "version": 2,
        "explanation": {
            "target": "yes",
            "kind": "iff",
            "formula": {"and": ["a", "b", "c"]},
            "scope": "class",
            "status": "proved minimal",
            "support": 12.0,
            "scores": {
                "part": "validation",
                "n_rows": 40,
                "precision": 0.75,
                "recall": None,
                "coverage": None,
                "accuracy": None,
                "fidelity": None,
            },
            "front": [],
        },
        "vocabulary": None,
    }


def test_a_front_of_an_earlier_release_is_left_out():
    saved = json.loads(explained().to_json())
    saved["explanation"]["front"] = [{"formula": "a", "literals": 1, "errors": 3.0, "score": 0.9}]

    assert Explanation.from_json(json.dumps(saved)) == explained()


@pytest.mark.parametrize(
    ("entry", "value", "word"),
    [
        ("target", None, "A label"),
        ("kind", "maybe", "'maybe'"),
        ("formula", 3, "A saved formula"),
        ("scope", [], "Unknown scope"),
        ("status", 3, "status"),
        ("support", "many", "support"),
        ("scores", [], '"scores"'),
        ("scores", {}, "'accuracy'"),
        ("extra", 1, "'extra'"),
    ],
)
def test_a_damaged_text_is_refused(entry, value, word):
    saved = json.loads(explained().to_json())
    saved["explanation"][entry] = value
    with pytest.raises(InputError, match=f"^This text is damaged: .*{word}.* Save it again.$"):
        Explanation.from_json(json.dumps(saved))


# --- in the words of a raw table ----------------------------------------------------------------------


WORDS = Vocabulary(("age", "smoker"), (Above("age", 62), Flag("smoker"), Missing("age")))
OLD = Explanation(Rule("ill", Var("age > 62") & ~Var("smoker"), vocabulary=WORDS))
PATIENTS = {"age": [70, 70, 20, None], "smoker": [False, True, False, False]}


@pytest.mark.parametrize(
    ("kind", "formula", "sentence"),
    [
        ("if", Var("a"), "Every y row has: a (90.0% of them in 40 test rows)"),
        ("only_if", Var("a"), "Rows where a are y (50.0% of them in 40 test rows)"),
        ("iff", Var("a"), "Predicts y when a"),
        ("if", FALSE, "No row is y"),
    ],
)
def test_a_sentence_says_how_often_it_holds(kind, formula, sentence):
    scores = Scores("test", 40, precision=0.5, recall=0.9)

    assert Explanation(Rule("y", formula, kind), scores=scores).to_sentence() == sentence


def test_with_a_vocabulary_all_is_about_the_raw_table():
    bare = OLD.worded(None)

    assert (OLD.vocabulary, bare.vocabulary) == (WORDS, None)
    assert bare.worded(WORDS) == OLD
    assert str(OLD) == "forall x: ill(x) <-> age(x) > 62 & ~smoker(x)"
    assert str(bare) == 'forall x: ill(x) <-> "age > 62"(x) & ~smoker(x)'
    assert OLD.to_sentence() == ("Predicts ill when age is above 62 and not smoker")
    assert OLD.to_latex() == (
        r"\forall x \colon \mathit{ill}(x) \leftrightarrow "
        r"\mathit{age}(x) > 62 \land \lnot \mathit{smoker}(x)"
    )
    assert OLD.to_sql("ansi", threshold=0.3) == '("age" > 62) IS TRUE AND "smoker" IS NOT TRUE'
    assert OLD.to_python("ill", threshold=0.3) == WORDS.to_python(OLD.formula, "ill")
    assert OLD.to_sympy() == to_sympy(OLD.formula)


def test_with_a_vocabulary_rows_are_those_of_the_raw_table():
    expected = [True, False, False, False]

    assert OLD.evaluate(PATIENTS).tolist() == expected
    assert OLD.evaluate(pd.DataFrame(PATIENTS)[["smoker", "age"]]).tolist() == expected
    assert OLD.evaluate([[70, False], [70, True], [20, False], [None, False]]).tolist() == expected
    assert OLD.evaluate([[1, 0], [1, 1]], ["age > 62", "smoker"]).tolist() == [True, False]
    assert OLD.evaluate({"age > 62": [1.0], "smoker": [0.1]}).tolist() == [True]


def test_a_vocabulary_must_know_the_concepts():
    with pytest.raises(UnknownConceptError) as caught:
        Explanation(Rule("ill", Var("age > 63"))).worded(WORDS)

    assert "Unknown concept 'age > 63'." in str(caught.value)


@given(raw_formulas())
def test_json_keeps_the_vocabulary(found):
    raw, formula = found
    explanation = Explanation(Rule("yes", formula, vocabulary=raw.vocabulary))
    again = Explanation.from_json(explanation.to_json())

    assert again == explanation
    assert again.vocabulary == raw.vocabulary
    assert again.evaluate(raw.table).tolist() == explanation.evaluate(raw.table).tolist()
    assert again.to_json() == explanation.to_json()


@pytest.mark.parametrize("words", [3, {"columns": ["age"], "named": True, "concepts": []}])
def test_a_damaged_vocabulary_is_refused(words):
    saved = {**json.loads(OLD.to_json()), "vocabulary": words}
    with pytest.raises(InputError, match=r"^This text is damaged: "):
        Explanation.from_json(json.dumps(saved))


def test_a_sentence_says_no_more_than_the_status():
    """A formula that was only found to agree on the tuples seen was said to hold "exactly when"."""
    rule = Rule("y", Var("a"))

    assert Explanation(rule, status="equivalent to the list").to_sentence() == "Predicts y exactly when a"
    agrees = "agrees with the list on all rows seen"
    assert Explanation(rule, status=agrees).to_sentence() == f"Predicts y when a ({agrees})"
    assert Explanation(rule, status="best found").to_sentence() == "Predicts y when a"
