"""Why rules decide one row: reasons that hold whatever the other columns are."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.reasons import is_exact, random_case
from hypothesis import given
from hypothesis import strategies as st

from logiclens import PsiClassifier
from logiclens.concepts import Above, Missing, OneOf, Vocabulary
from logiclens.concepts.dates import DatePart
from logiclens.errors import InputError
from logiclens.explain import Explanation, ExplanationSet, Rule, RuleKind, Scope, Step, SufficientReason
from logiclens.logic import FALSE, TRUE, Var, exactly_one, implies, parse_formula

WORDS = Vocabulary(
    ("age", "ward"), (Above("age", 30), Above("age", 62), OneOf("ward", ("ICU",)), Missing("ward"))
)
SHORTEST = "sufficient: proved; none is shorter"


def listed(steps, default, names, words=None):
    labels = dict.fromkeys([*steps, default])
    return ExplanationSet(
        [Explanation(Rule(label, FALSE)) for label in labels],
        names,
        default=default,
        steps=[Step(label, parse_formula(formula)) for label, formula in steps.items()],
        vocabulary=words,
    )


RULES = listed(
    {"gone": '"age > 62" & "ward is missing"', "ill": '"age > 62" | ("age > 30" & "ward = ICU")'},
    "well",
    WORDS.names,
    WORDS,
)


@given(st.integers(0, 2**32))
def test_random_lists(seed):
    """Ten thousand of them: ``python -m benchmarks.reasons``."""
    assert is_exact(random_case(np.random.default_rng(seed)))


@pytest.mark.parametrize(
    ("age", "ward", "expected"),
    [
        (70, "ICU", "forall x: (age(x) > 30 & ward(x) = ICU) -> ill(x)"),
        (70, "B", "forall x: (age(x) > 62 & ~missing(ward(x))) -> ill(x)"),
        (70, None, "forall x: (age(x) > 62 & missing(ward(x))) -> gone(x)"),
        (40, None, "forall x: (age(x) <= 62 & (ward(x) != ICU | missing(ward(x)))) -> well(x)"),
        (20, "ICU", "forall x: age(x) <= 30 -> well(x)"),
    ],
)
def test_a_list_decides(age, ward, expected):
    reason = RULES.sufficient_reason({"age": [age], "ward": [ward]})

    assert str(reason) == expected
    assert reason.scope is Scope.EXAMPLE
    assert reason.status == SHORTEST
    assert implies(reason.term, reason.necessary)


def test_the_reason_of_a_formula():
    rule = Explanation(Rule("ill", parse_formula("fever & (cough | pale)")))
    yes = rule.sufficient_reason({"fever": [1], "cough": [1], "pale": [1]})
    no = rule.sufficient_reason({"fever": [0], "cough": [1], "pale": [0]})

    assert str(yes) == "forall x: (cough(x) & fever(x)) -> ill(x)"
    assert yes.necessary == Var("fever")
    assert str(no) == "forall x: ill(x) -> fever(x)"
    assert no.kind is RuleKind.IF
    assert no.term == no.necessary == ~Var("fever")
    assert rule.sufficient_reason([[1, 0, 1]], ["cough", "pale", "fever"]).term == Var("cough") & Var("fever")
    with pytest.raises(InputError, match="about one row"):
        rule.sufficient_reason({"fever": [1, 1], "cough": [1, 0], "pale": [1, 0]})


def test_what_is_given_counts():
    rules = listed({"go": "green", "wait": "amber"}, "stop", ["red", "amber", "green"])
    row = {"red": [1], "amber": [0], "green": [0]}

    assert rules.sufficient_reason(row).term == ~Var("amber") & ~Var("green")
    light = exactly_one(["red", "amber", "green"])
    assert rules.sufficient_reason(row, given=light).term == ~Var("amber") & ~Var("green")
    assert rules.sufficient_reason(row, given=[light, ~Var("amber")]).term == ~Var("green")
    with pytest.raises(InputError, match="The row breaks what is given"):
        rules.sufficient_reason(row, given=Var("green"))
    with pytest.raises(InputError, match="about one row"):
        rules.sufficient_reason([[1, 0, 0], [1, 0, 0]])


def test_a_gap_where_none_was_expected():
    """A missing age makes all conditions on the age false, though none of its values does."""
    words = Vocabulary(("age",), (OneOf("age", ("young",)), OneOf("age", ("old",))))
    rules = listed({"a": '"age = young"', "b": '"age = old"'}, "c", words.names, words)
    reason = rules.sufficient_reason({"age": [None]})

    assert reason.target == "c"
    assert reason.term == ~Var("age = old") & ~Var("age = young")
    assert "missing" in str(reason)


def test_parts_of_one_date_depend_on_one_another():
    parts = (DatePart("on", "year"), DatePart("on", "days since", "2020-01-01"))
    words = Vocabulary(("on",), (Above("on year", 2020), Above("on days since 2020-01-01", 500)), dates=parts)
    rules = listed(
        {"late": '"on year > 2020" & "on days since 2020-01-01 > 500"'}, "early", words.names, words
    )

    assert rules.sufficient_reason({"on": ["2022-01-01"]}).term == Var("on days since 2020-01-01 > 500")
    assert rules.sufficient_reason({"on": ["2020-05-01"]}).term == ~Var("on days since 2020-01-01 > 500")
    assert rules.sufficient_reason({"on": [None]}).term == ~Var("on days since 2020-01-01 > 500")


def test_several_labels_have_a_reason_each():
    rules = ExplanationSet(
        [Explanation(Rule("x", Var("a"))), Explanation(Rule("y", Var("a") & Var("b")))],
        ["a", "b"],
        multi_label=True,
    )
    with pytest.raises(InputError, match=r"rules\[label\]\.sufficient_reason"):
        rules.sufficient_reason([[1, 1]])
    assert rules["y"].sufficient_reason({"a": [1], "b": [0]}).term == ~Var("b")


def test_always_the_same():
    rules = listed({}, "well", ["a"])
    reason = rules.sufficient_reason([[1]])

    assert reason.term == reason.necessary == TRUE


def test_psi_networks():
    """Their formulas are exact, so the reason holds for the network, too."""
    X = np.array([[a, b, c] for a in (0.0, 1.0) for b in (0.0, 1.0) for c in (0.0, 1.0)])
    y = ((X[:, 0] > 0.5) & (X[:, 1] > 0.5)).astype(int)
    model = PsiClassifier(random_state=0).fit(np.repeat(X, 10, axis=0), np.repeat(y, 10))
    rules = model.explain()
    for row in X:
        reason = rules.sufficient_reason(row[None])
        same = reason.term.evaluate(X, model.concept_names_)
        assert (rules.predict(X)[same] == rules.predict(row[None])[0]).all()
        assert reason.target == rules.predict(row[None])[0]


def test_files():
    reason = RULES.sufficient_reason({"age": [70], "ward": ["ICU"]})
    again = SufficientReason.from_json(reason.to_json())

    assert again == reason
    assert again.vocabulary == reason.vocabulary
    with pytest.raises(InputError):
        SufficientReason.from_json(Explanation(Rule("a", TRUE)).to_json())
