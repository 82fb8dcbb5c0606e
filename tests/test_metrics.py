"""TargetScores of rules, against definitions and against scikit-learn and SciPy as oracles."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, f1_score

from logiclens.errors import InputError, LimitError, UnknownConceptError
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.logic import FALSE, TRUE, And, Formula, Or, Var, equivalent, simplify
from logiclens.metrics import (
    Agreement,
    Fidelity,
    complexity,
    consistency,
    explanation_accuracy,
    fidelity,
    macro_f1,
    rule_scores,
)
from tests.errors import error_of
from tests.strategies import HOSTILE_NAMES, PLAIN, all_rows, labelled_rows, plain_formulas

a, b, c, d = (Var(name) for name in "abcd")
ROWS = all_rows(5)
"""Every tuple of the five concepts PLAIN."""
BITS = np.array([[1, 0], [1, 1], [0, 1], [0, 0]], dtype=bool)
AB = ["a", "b"]
COUNTS = st.lists(st.integers(0, 1), min_size=32, max_size=32)


@dataclass(frozen=True)
class Explained:
    """What the layer above will hold in its mappings."""

    formula: Formula


def oracle_f1(truth, said, weight=None) -> float:
    return f1_score(truth, said, average="macro", zero_division=0, sample_weight=weight)


def oracle_agreement(rules, X, names, y, weight=None) -> tuple[float, float]:
    """The paper's score and plain agreement, by the definition."""
    pairs = [(np.asarray(y) == label, rules[label].evaluate(X, names)) for label in rules]
    return (
        float(np.mean([oracle_f1(truth, said, weight) for truth, said in pairs])),
        float(np.mean([accuracy_score(truth, said, sample_weight=weight) for truth, said in pairs])),
    )


def means(agreement: Agreement) -> tuple[float, float]:
    return agreement.macro_f1, agreement.plain


def approx(value):
    return pytest.approx(value, abs=1e-12)


# --- macro-F1 ---


@given(labelled_rows(max_concepts=1))
def test_macro_f1_is_that_of_scikit_learn(data):
    X, y, weight, _ = data

    assert macro_f1(y, X[:, 0]) == approx(oracle_f1(y, X[:, 0]))
    assert macro_f1(y, X[:, 0], weight) == approx(oracle_f1(y, X[:, 0], weight))
    assert macro_f1(y.astype(int), X[:, 0].astype(float)) == macro_f1(y, X[:, 0])
    assert macro_f1(y.astype(object), X[:, 0].astype(int).astype(object)) == macro_f1(y, X[:, 0])


@pytest.mark.parametrize(
    ("truth", "said", "score"),
    [([1], [1], 1.0), ([0], [0], 1.0), ([1], [0], 0.0), ([0], [1], 0.0), ([1, 0], [1, 1], 1 / 3)],
)
def test_an_answer_that_nobody_gives_is_left_out(truth, said, score):
    assert macro_f1(truth, said) == approx(score) == approx(oracle_f1(truth, said))


def test_rows_of_weight_0_are_left_out():
    assert macro_f1([1, 0], [1, 1], [1, 0]) == 1.0
    assert explanation_accuracy({1: a}, {"a": [1, 1]}, [1, 0], sample_weight=[2, 0]).macro_f1 == 1.0


def test_extreme_weights():
    assert macro_f1([1, 0, 1], [1, 0, 0], [1e299, 1e299, 5e-324]) == 1.0
    assert macro_f1([1, 0], [1, 0], [5e-324, 1e299]) == 1.0


# --- explanation accuracy ---


@given(st.lists(plain_formulas(), min_size=1, max_size=3), st.data())
def test_accuracy_is_that_of_the_definition(formulas, data):
    rules = dict(enumerate(formulas))
    y = np.array(data.draw(st.lists(st.integers(0, 3), min_size=32, max_size=32)))
    y[0] = 0
    weight = np.array(data.draw(st.lists(st.integers(1, 4), min_size=32, max_size=32)))

    assert means(explanation_accuracy(rules, ROWS, y, names=PLAIN)) == approx(
        oracle_agreement(rules, ROWS, PLAIN, y)
    )
    weighted = explanation_accuracy(rules, ROWS, y, names=PLAIN, sample_weight=weight)
    assert means(weighted) == approx(oracle_agreement(rules, ROWS, PLAIN, y, weight))
    repeated = explanation_accuracy(rules, ROWS.repeat(weight, axis=0), y.repeat(weight), names=PLAIN)
    assert means(weighted) == approx(means(repeated))


@given(st.lists(plain_formulas(), min_size=1, max_size=3), COUNTS)
def test_scores_lie_between_0_and_1_and_average_over_the_targets(formulas, y):
    score = explanation_accuracy(dict(enumerate(formulas)), ROWS, y, names=PLAIN)
    each = np.array([*score.by_target.values()])

    assert list(score.by_target) == list(range(len(formulas)))
    assert ((each >= 0) & (each <= 1)).all()
    assert means(score) == approx(tuple(each.mean(axis=0)))


@given(plain_formulas(), COUNTS)
def test_equivalent_formulas_get_equal_scores(f, y):
    for g in (simplify(f), ~~f, And(f, TRUE), Or(f, a & ~a)):
        assert equivalent(f, g)
        assert explanation_accuracy({1: f}, ROWS, y, names=PLAIN) == explanation_accuracy(
            {1: g}, ROWS, y, names=PLAIN
        )
        assert fidelity({1: f}, ROWS, y, names=PLAIN, seen=ROWS[:9]) == fidelity(
            {1: g}, ROWS, y, names=PLAIN, seen=ROWS[:9]
        )


def renamed(formula: Formula, names: dict[str, str]) -> Formula:
    if isinstance(formula, Var):
        return Var(names[formula.name])
    return type(formula)(*(renamed(part, names) for part in formula.args)) if formula.args else formula


@given(
    plain_formulas(),
    COUNTS,
    st.permutations(range(5)),
    st.lists(st.sampled_from(HOSTILE_NAMES), min_size=5, max_size=5, unique=True),
)
def test_renaming_and_permuting_columns_changes_nothing(f, y, order, names):
    new = dict(zip(PLAIN, names, strict=True))
    X = {new[PLAIN[j]]: ROWS[:, j] for j in order}
    seen = ROWS[::3]

    assert fidelity(
        {1: renamed(f, new)}, X, y, seen={new[PLAIN[j]]: seen[:, j] for j in range(5)}
    ) == fidelity({1: f}, ROWS, y, names=PLAIN, seen=seen)


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("formula", [TRUE, FALSE, And(TRUE, FALSE), Or(a, ~a)], ids=str)
def test_constants_mean_the_same_for_every_class(label, formula):
    """The reference inverts TRUE and FALSE for class 0."""
    y = np.array([0, 0, 0, 1])
    share = float((y == label).mean())
    is_true = formula.evaluate({"a": [0]})[0]
    score = explanation_accuracy({label: formula}, {"a": [0, 1, 0, 1]}, y)

    assert score.plain == (share if is_true else 1 - share)
    right = score.plain
    assert score.macro_f1 == approx(right / (1 + right))


@pytest.mark.parametrize("label", [0, 1, "x", 2.5, True, None], ids=repr)
def test_one_row(label):
    y = [label] if label is not None else [[True]]

    assert means(explanation_accuracy({label: a}, {"a": True}, y)) == (1.0, 1.0)
    assert means(explanation_accuracy({label: a}, {"a": False}, y)) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("labels", "y"),
    [
        (("no", "yes"), ["no", "yes", "yes", "no"]),
        (("no", "yes"), np.array(["no", "yes", "yes", "no"], dtype=object)),
        (("no", "yes"), pd.Series(["no", "yes", "yes", "no"], dtype="category")),
        (("no", "yes"), pl.Series(["no", "yes", "yes", "no"])),
        (("no", "yes"), pa.array(["no", "yes", "yes", "no"])),
        ((0, 1), np.array([0, 1, 1, 0], dtype=np.uint8)),
        ((0, 1), np.array([0.0, 1.0, 1.0, 0.0])),
        ((0.0, 1.0), [0, 1, 1, 0]),
        ((0.25, 2.5), [0.25, 2.5, 2.5, 0.25]),
        ((0, 1), [False, True, True, False]),
        ((False, True), [0, 1, 1, 0]),
        ((np.str_("no"), np.str_("yes")), ["no", "yes", "yes", "no"]),
        ((np.int64(0), np.int64(1)), [0, 1, 1, 0]),
        ((("a", 1), "yes"), pd.Series([("a", 1), "yes", "yes", ("a", 1)])),
        (("no", 1), pd.Series(["no", 1, 1, "no"])),
    ],
)
def test_kinds_of_labels(labels, y):
    no, yes = labels
    X = {"a": [0, 1, 1, 0]}
    score = explanation_accuracy({no: ~a, yes: a}, X, y)

    assert means(score) == (1.0, 1.0)
    assert list(score.by_target) == [no, yes]
    assert means(explanation_accuracy({no: a, yes: ~a}, X, y)) == (0.0, 0.0)


def test_a_target_absent_from_y_is_scored_by_its_silence():
    """The reference fails on a class that is missing from a fold."""
    score = explanation_accuracy({"x": a, "y": FALSE, "z": TRUE}, {"a": [1, 0]}, ["x", "w"])

    assert dict(score.by_target) == {"x": (1.0, 1.0), "y": (1.0, 1.0), "z": (0.0, 0.0)}
    assert score.macro_f1 == approx(2 / 3)
    assert explanation_accuracy({"x": a}, {"a": [1, 0]}, ["w", "w"]).plain == 0.5
    assert explanation_accuracy({1: a}, {"a": [1, 0]}, [0.0, 0.0]).plain == 0.5


RULES = {"cat": a, "dog": ~a & b}
YES_NO = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])


@pytest.mark.parametrize(
    "y",
    [
        YES_NO,
        YES_NO.astype(bool),
        YES_NO.astype(float),
        YES_NO.astype(object),
        YES_NO.tolist(),
        pd.DataFrame(YES_NO),
        pd.DataFrame(YES_NO, columns=["cat", "dog"]),
        pd.DataFrame(YES_NO[:, ::-1].astype(bool), columns=["dog", "cat"]),
        pd.DataFrame({"one": YES_NO[:, 0], "two": YES_NO[:, 1].astype(bool)}),
        pl.DataFrame({"dog": YES_NO[:, 1], "cat": YES_NO[:, 0]}),
        pa.table({"dog": YES_NO[:, 1], "cat": YES_NO[:, 0]}),
    ],
    ids=lambda y: type(y).__module__,
)
def test_several_labels_a_row(y):
    score = explanation_accuracy(RULES, BITS, y, names=AB)

    assert dict(score.by_target) == {
        "cat": (1.0, 1.0),
        "dog": (approx(oracle_f1([0, 0, 1, 1], [0, 0, 1, 0])), 0.75),
    }
    assert fidelity(RULES, BITS, y, names=AB).by_target == score.by_target


def test_numbered_columns_are_taken_by_number_where_they_are_the_targets():
    dummies = pd.DataFrame({2: [1, 0], 1: [0, 1]})

    assert explanation_accuracy({1: a, 2: ~a}, {"a": [0, 1]}, dummies).plain == 1.0
    assert explanation_accuracy({1: ~a, 2: a}, {"a": [0, 1]}, pd.DataFrame(dummies.to_numpy())).plain == 1.0


def test_one_target_with_a_column_of_its_own():
    assert explanation_accuracy({"ill": a}, {"a": [1, 0]}, [[1], [0]]).plain == 1.0


@pytest.mark.parametrize("rules", [{"x": a & b}, {"x": Explained(a & b)}], ids=["formula", "explanation"])
@pytest.mark.parametrize(
    "X",
    [
        {"b": BITS[:, 1], "a": BITS[:, 0]},
        pd.DataFrame(BITS, columns=AB),
        pl.DataFrame({"a": BITS[:, 0], "b": BITS[:, 1], "id": ["p", "q", "r", "s"]}),
        pa.table({"a": BITS[:, 0], "b": BITS[:, 1]}),
    ],
    ids=lambda X: type(X).__module__,
)
def test_kinds_of_data(rules, X):
    assert explanation_accuracy(rules, X, ["w", "x", "w", "w"]).macro_f1 == 1.0


# --- fidelity ---


@given(plain_formulas(), labelled_rows(max_concepts=5), st.data())
def test_fidelity_on_unseen_tuples_is_that_of_the_definition(f, rows, data):
    X, y, weight, _ = rows
    names = PLAIN[: X.shape[1]]
    f = renamed(f, {name: names[j % len(names)] for j, name in enumerate(PLAIN)})
    seen = X[data.draw(st.lists(st.integers(0, len(X) - 1), max_size=len(X)))]
    known = {tuple(row) for row in seen.tolist()}
    new = np.array([tuple(row) not in known for row in X.tolist()])
    score = fidelity({1: f}, X, y, names=names, seen=seen, sample_weight=weight)

    assert means(score) == approx(oracle_agreement({1: f}, X, names, y, weight))
    assert score.n_unseen == new.sum()
    if new.any():
        expected = oracle_agreement({1: f}, X[new], names, y[new], weight[new])
        assert means(score.unseen) == approx(expected)
    else:
        assert score.unseen is None


def test_a_tuple_holds_all_concepts_also_those_no_formula_uses():
    score = fidelity({1: a}, BITS, [1, 1, 0, 1], names=AB, seen=[[1, 0], [0, 1]])

    assert score.n_unseen == 2
    assert means(score.unseen) == (approx(1 / 3), 0.5)


def test_a_tuple_holds_the_concepts_of_the_seen_data():
    X = pd.DataFrame({"id": ["p", "q", "r"], "b": [1, 0, 1], "a": [0, 0, 1]})

    assert fidelity({1: a}, X, [0, 0, 1], seen={"a": [0], "b": [1]}).n_unseen == 2
    assert fidelity({1: a}, X[["a", "b"]], [0, 0, 1], seen=[[0, 1], [0, 0]]).n_unseen == 1
    with pytest.raises(UnknownConceptError, match=r"^Unknown concept 'e'"):
        fidelity({1: a}, X, [0, 0, 1], seen={"e": [0]})


def test_more_than_64_concepts():
    X = np.zeros((3, 130))
    X[1, 129] = X[2, 64] = 1
    score = fidelity({1: Var("x129")}, X, [0, 1, 1], seen=X[[0, 2]])

    assert score.n_unseen == 1
    assert score.unseen.plain == 1.0
    assert score.plain == approx(2 / 3)


def test_unseen_rows_of_weight_0_do_not_count():
    score = fidelity({1: a}, {"a": [1, 0]}, [1, 1], seen={"a": [1]}, sample_weight=[1, 0])

    assert (score.unseen, score.n_unseen, score.plain) == (None, 0, 1.0)


def test_no_seen_rows_and_no_concepts():
    assert fidelity({1: TRUE}, np.zeros((2, 0)), [1, 1], seen=np.zeros((1, 0))).n_unseen == 0
    assert fidelity({1: TRUE}, np.zeros((2, 0)), [1, 1], seen=np.zeros((0, 0))).n_unseen == 2
    assert fidelity({1: a}, {"a": [1, 0]}, [1, 1], seen={"a": []}).n_unseen == 2


def test_agreement_in_print():
    score = fidelity(
        {"cat\n": a, "dog": FALSE}, BITS, ["cat\n", "cat\n", "dog", "dog"], names=AB, seen=BITS[:3]
    )

    assert str(score) == (
        "macro-F1 0.667, plain 0.750, 2 targets\n"
        "  'cat\\n'  1.000  1.000\n"
        "  'dog'    0.333  0.500\n"
        "  unseen tuples, 1 row: macro-F1 0.500, plain 0.500"
    )


def test_agreement_on_many_targets_in_print():
    score = explanation_accuracy({np.int64(j): TRUE for j in range(12)}, BITS, [0, 1, 2, 3])

    assert str(score).splitlines()[1] == "  0  0.200  0.250"
    assert str(score).splitlines()[-1] == "  and 2 more"
    assert len(str(score).splitlines()) == 12


def test_results_are_values():
    score = fidelity(RULES, BITS, YES_NO, names=AB, seen=BITS[:2])
    other = consistency([RULES, RULES], n_concepts=4)

    assert isinstance(score, Agreement)
    for value in (score, other):
        assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value
        assert hash(value) == hash(copy.copy(value))
        with pytest.raises(TypeError):
            value.by_target["cat"] = None
        with pytest.raises(AttributeError):
            value.plain = 1.0
    assert score != Fidelity(0.0, 0.0, {})


# --- complexity ---


@pytest.mark.parametrize(
    ("formula", "literals"),
    [
        (TRUE, 0),
        (FALSE, 0),
        (a, 1),
        (~a, 1),
        (Var("two words & more"), 1),
        (a & ~Var("a blank here"), 2),
        ((a & b) | c | (~a & d), 5),
        ((a | b) & c, 4),
        (~(a & b), 2),
        (~~a, 1),
        (Or(a, TRUE), 0),
        ((a | b) & (c | d), 8),
    ],
    ids=str,
)
def test_complexity_counts_the_literals_of_the_dnf(formula, literals):
    """The reference counts the blanks of the text."""
    assert (
        complexity(formula) == complexity({"x": formula}) == complexity({"x": Explained(formula)}) == literals
    )


def test_complexity_has_one_definition():
    """That of the DNF, for formulas, rules and sets of rules; ``literals`` is what is written."""
    nested = (a | b) & (c | Var("d"))
    rule = Explanation(Rule("x", nested))

    assert (
        complexity(nested) == rule.complexity == ExplanationSet([rule], ["a", "b", "c", "d"]).complexity == 8
    )
    assert nested.literals == rule.literals == 4
    assert complexity((a & b) | (a & b & c)) == 5


def test_complexity_is_the_mean_over_the_targets():
    assert complexity({"x": a & b, "y": FALSE, "z": (a & b) | c}) == 5 / 3


@given(plain_formulas())
def test_complexity_of_a_dnf_is_that_of_the_formula_as_written(f):
    dnf = simplify(f)

    assert complexity(dnf) >= 0
    if not any(isinstance(part, Or) and part is not dnf for part in dnf.walk()):
        assert complexity(dnf) == dnf.literals


def test_complexity_refuses_to_blow_up():
    f = And(*(Var(f"p{j}") | Var(f"q{j}") for j in range(40)))

    with pytest.raises(LimitError, match=r"^No disjunctive normal form with max_terms=100000"):
        complexity(f)


# --- consistency ---


def test_consistency_is_the_mean_share_of_runs():
    runs = [{"x": a & b}, {"x": a | c}, {"x": a}, {"x": a & b}]

    assert consistency(runs).plain == approx((1 + 2 / 4 + 1 / 4) / 3)
    assert math.isnan(consistency(runs).adjusted)


def test_consistency_is_irrespective_of_sign():
    """The reference takes a concept and its negation for two."""
    assert consistency([{"x": a & ~b}, {"x": ~a | b}], n_concepts=5) == consistency(
        [{"x": a & b}, {"x": a & b}], n_concepts=5
    )
    assert consistency([{"x": a & ~b}, {"x": ~a | b}]).plain == 1.0


SELECTIONS = st.integers(2, 6).flatmap(
    lambda n_runs: st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=n_runs, max_size=n_runs)
)


@given(SELECTIONS, st.integers(0, 20))
def test_adjusted_consistency_is_that_of_the_definition(selections, more):
    Z = np.array([[*row, *[False] * more] for row in selections], dtype=float)
    runs = [{"x": And.of(Var(n) for n, used in zip(PLAIN, row, strict=True) if used)} for row in selections]
    score = consistency(runs, n_concepts=5 + more)
    share = Z.mean()

    assert 1 / len(runs) - 1e-12 <= score.plain <= 1
    assert -1 / (len(runs) - 1) - 1e-12 <= score.adjusted <= 1
    if 0 < share < 1:
        assert score.adjusted == approx(1 - Z.var(axis=0, ddof=1).mean() / (share * (1 - share)))
    else:
        assert score.adjusted == score.plain == 1.0


def test_adjusted_consistency_is_near_0_for_rules_drawn_at_random():
    """The paper's score calls the same rules 40 % consistent."""
    rng = np.random.default_rng(0)
    names = [f"c{j}" for j in range(10)]
    runs = [{"x": And.of(map(Var, rng.choice(names, 4, replace=False)))} for _ in range(200)]
    score = consistency(runs, n_concepts=10)

    assert abs(score.adjusted) < 0.02
    assert score.plain == approx(0.4)


def test_consistency_of_one_run():
    score = consistency([{"x": a, "y": TRUE}], n_concepts=3)

    assert score.plain == 1.0
    assert math.isnan(score.adjusted)
    assert str(score) == "consistency 1.000, 2 targets"


@pytest.mark.parametrize(
    ("formulas", "plain", "adjusted"),
    [
        ([TRUE, TRUE], 1.0, 1.0),
        ([FALSE, And(TRUE, FALSE)], 1.0, 1.0),
        ([TRUE, FALSE], 0.5, 0.0),
        ([FALSE, a], 0.5, -1 / 3),
        ([a & b, a | b], 1.0, 1.0),
        ([a, b], 0.5, -1.0),
    ],
    ids=str,
)
def test_consistency_at_the_edges(formulas, plain, adjusted):
    score = consistency([{"x": f} for f in formulas], n_concepts=2)

    assert (score.plain, score.adjusted) == (plain, approx(adjusted))


def test_a_target_is_judged_by_the_runs_that_have_it():
    score = consistency(iter([{"x": a}, {"x": a, "y": b}, {"x": Explained(c), "y": b}]), n_concepts=9)

    assert score.by_target["x"].plain == approx((2 / 3 + 1 / 3) / 2)
    assert score.by_target["y"] == (1.0, 1.0)
    assert score.plain == approx(0.75)
    assert score.adjusted == approx((score.by_target["x"].adjusted + 1) / 2)


# --- rates of a rule ---


@given(plain_formulas(), COUNTS, st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_intervals_are_those_of_scipy(f, y, confidence):
    said, truth = f.evaluate(ROWS, PLAIN), np.array(y, dtype=bool)
    scores = rule_scores(f, ROWS, y, names=PLAIN, confidence=confidence)
    everything = np.ones(32, dtype=bool)
    for name, part, whole in (
        ("precision", said & truth, said),
        ("recall", said & truth, truth),
        ("coverage", said, everything),
        ("prevalence", truth, everything),
    ):
        rate, interval = getattr(scores, name), getattr(scores, f"{name}_interval")
        if whole.any():
            test = binomtest(int(part.sum()), int(whole.sum()))
            expected = test.proportion_ci(confidence, method="wilson")
            assert rate == approx(test.statistic)
            assert interval == (approx(expected.low), approx(expected.high))
            assert 0 <= interval[0] <= rate <= interval[1] <= 1
        else:
            assert math.isnan(rate)
            assert interval == (0.0, 1.0)


def test_rates_of_nothing():
    never = rule_scores(FALSE, BITS, [1, 0, 0, 0])
    absent = rule_scores(TRUE, BITS, [0, 0, 0, 0])

    assert math.isnan(never.precision)
    assert math.isnan(never.lift)
    assert (never.recall, never.coverage, never.covered) == (0.0, 0.0, 0.0)
    assert math.isnan(absent.recall)
    assert math.isnan(absent.lift)
    assert (absent.precision, absent.prevalence) == (0.0, 0.0)


@given(plain_formulas(), COUNTS, st.floats(1e-3, 1e290))
def test_equal_weights_of_any_size_change_no_rate(f, y, size):
    plain = rule_scores(f, ROWS, y, names=PLAIN)
    weighted = rule_scores(f, ROWS, y, names=PLAIN, sample_weight=np.full(32, size))

    for name in ("precision", "recall", "coverage", "prevalence", "lift"):
        assert getattr(weighted, name) == pytest.approx(getattr(plain, name), nan_ok=True)
    for name in ("precision", "recall", "coverage", "prevalence"):
        assert getattr(weighted, f"{name}_interval") == pytest.approx(getattr(plain, f"{name}_interval"))


def test_unequal_weights_widen_the_intervals():
    """One heavy row among ten tells little more than one row does."""
    X, y = {"a": np.ones(10)}, np.arange(10) < 5
    plain = rule_scores(a, X, y).precision_interval
    weight = np.where(np.arange(10) == 0, 100.0, 1.0)
    low, high = rule_scores(a, X, y, sample_weight=weight).precision_interval

    assert high - low > 1.2 * (plain[1] - plain[0])


# --- errors ---

AB_ROWS = {"a": [1, 0], "b": [0, 1]}


@pytest.mark.parametrize(
    ("rules", "y", "word"),
    [
        (RULES, ["cat"], "each of the 2 rows"),
        (RULES, [["cat"], ["dog"]], "pass it flat, with .ravel()"),
        (RULES, np.zeros((2, 3)), "a vector of labels or have one column for each target"),
        (a, [1, 0], "write {target: formula}"),
        ([a], [1, 0], "write {target: formula}"),
        ({}, [1, 0], "at least one target"),
        ({"x": "a & b"}, [1, 0], "write parse_formula('a & b')"),
        ({"x": None}, [1, 0], "The rule of target 'x' must be a formula"),
        (RULES, ["Cat", "Dog"], "Got the labels 'Cat', 'Dog'; the targets are 'cat', 'dog'"),
        ({"0": a, "1": b}, [0, 1], "the targets are '0', '1'"),
        ({"ill": a}, [True, False], "the targets are 'ill'"),
        ({1: a}, [0.25, 0.75], "the targets are 1"),
        (RULES, ["cat", None], "the first in row 1"),
        ({1: a}, [np.nan, 1.0], "the first in row 0"),
        ({1: a}, pd.Series([1, pd.NA], dtype="Int64"), "the first in row 1"),
        ({1: a}, pd.Series([{}, {}]), "Labels must be text, numbers or Booleans"),
        (RULES, [[0.7, 0.3], [0, 1]], "Got 0.7; pass labels as a vector"),
        ({"cat": a}, pd.DataFrame({"label": ["cat", "dog"]}), "Got 'cat'; pass labels as a vector"),
        (RULES, pd.DataFrame({"cat": [0, 1], "bird": [1, 0]}), "Name each column after its target"),
    ],
)
def test_errors_about_rules_and_labels(rules, y, word):
    assert word in error_of(explanation_accuracy, rules, AB_ROWS, y)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: fidelity({1: a}, {"a": [1, 0]}, [1]), "predictions must have one value"),
        (lambda: explanation_accuracy({1: a}, {"a": []}, []), "at least one row"),
        (lambda: explanation_accuracy({1: a}, {"a": [1]}, [1], sample_weight=[0]), "need some weight"),
        (lambda: explanation_accuracy({1: a}, {"a": [1]}, [1], sample_weight=[1, 2]), "sample_weight"),
        (lambda: explanation_accuracy({1: a}, [[1]], [1]), "Unknown concept 'a'"),
        (lambda: macro_f1([], []), "at least one row"),
        (lambda: macro_f1([1, 0], [1]), "predicted must have one value"),
        (lambda: macro_f1(["x", "y"], [1, 0]), "truth must hold Booleans"),
        (lambda: rule_scores(a, {"a": [1]}, [2]), "y_is_target must hold Booleans"),
        (lambda: rule_scores("a", {"a": [1]}, [1]), "takes formulas"),
        (lambda: rule_scores(a, {"a": [1]}, [1], confidence=95), "confidence"),
        (lambda: complexity("a"), "must be a mapping"),
        (lambda: consistency([]), "at least one fold"),
        (lambda: consistency({"x": a}), "must be a sequence of rules"),
        (lambda: consistency([a]), "must be a mapping"),
        (lambda: consistency([{"x": a & b}], n_concepts=1), "the rules use 2 concepts"),
        (lambda: consistency([{"x": a}], n_concepts=1.5), "n_concepts must be a whole number"),
    ],
)
def test_errors(call, word):
    with pytest.raises(InputError, match=word):
        call()
