"""Links, degrees of truth, broken rules in words, and the guard that they make."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from logiclens.errors import InputError
from logiclens.estimators import MuClassifier
from logiclens.explain import Explanation, ExplanationSet, Rule
from logiclens.guard import RuleGuard
from logiclens.guard.rule_guard import Circuit, Link, TNorm, Violation, Violations, read_links
from logiclens.logic import FALSE, TRUE, And, Not, Or, Var, equivalent, parse_formula
from tests.strategies import formulas

red, blue = Var("red"), Var("blue")


@pytest.mark.parametrize(
    ("kind", "demand"),
    [("iff", "robin <-> red & ~blue"), ("if", "robin -> red & ~blue"), ("only_if", "red & ~blue -> robin")],
)
def test_a_rule_demands_what_its_kind_says(kind, demand):
    link = Link.of(Rule("robin", red & ~blue, kind))

    assert equivalent(link.demand, parse_formula(demand))
    assert str(link) == str(Rule("robin", red & ~blue, kind))


def test_rules_of_any_kind_are_read():
    rule = Rule("robin", red)
    explanation = Explanation(rule)
    rules = ExplanationSet([explanation, Explanation(Rule("jay", blue))], ["red", "blue"])

    assert [str(link) for link in read_links(rules)] == [str(rule), str(Rule("jay", blue))]
    assert read_links(rule) == read_links(explanation) == read_links([rule])
    assert read_links(["red -> ~blue", red >> ~blue])[0] == Link(red >> ~blue) == read_links(red >> ~blue)[0]
    assert len(read_links([rules, "red | blue"])) == 3


def test_labels_that_are_numbers_stand_for_outputs_of_that_name():
    assert read_links(Rule(3, red))[0].demand == Var("3").iff(red)


ABC = ["a", "b", "c"]
a, b, c = map(Var, ABC)
CORNERS = np.array(np.meshgrid(*[[0.0, 1.0]] * 3)).reshape(3, -1).T


def value(formula, row, tnorm):
    """The degree of truth by the definition, one connective after the other."""
    match formula:
        case Var():
            score = row[ABC.index(formula.name)]
            return float(score > 0.5) if tnorm is TNorm.BOOLEAN else score
        case Not():
            return 1 - value(formula.args[0], row, tnorm)
        case And() | Or():
            degrees = [value(part, row, tnorm) for part in formula.args]
            if isinstance(formula, Or):
                degrees = [1 - degree for degree in degrees]
            total = degrees[0]
            for degree in degrees[1:]:
                total = max(0.0, total + degree - 1) if tnorm is TNorm.LUKASIEWICZ else total * degree
            return total if isinstance(formula, And) else 1 - total
    return float(formula == TRUE)


@given(st.lists(formulas(st.sampled_from(ABC)), min_size=1, max_size=5))
def test_on_truth_values_every_t_norm_is_logic(several):
    circuit = Circuit.of(several, ABC)
    expected = np.column_stack([formula.evaluate(CORNERS, ABC) for formula in several])

    for tnorm in TNorm:
        assert np.array_equal(circuit.truth(CORNERS, tnorm), expected)


@given(st.lists(formulas(st.sampled_from(ABC)), min_size=1, max_size=5), st.integers(0, 2**32 - 1))
def test_in_between_it_is_the_definition(several, seed):
    rows = np.random.default_rng(seed).random((4, 3))
    circuit = Circuit.of(several, ABC)

    for tnorm in TNorm:
        expected = [[value(formula, row, tnorm) for formula in several] for row in rows]
        found = circuit.truth(rows, tnorm)
        assert np.allclose(found, expected, atol=1e-12)
        assert np.allclose(circuit.truth(torch.from_numpy(rows), tnorm).numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("tnorm", [TNorm.PRODUCT, TNorm.LUKASIEWICZ])
def test_gradients_are_those_of_differences(tnorm):
    circuit = Circuit.of([(a & ~b) | c, a.iff(b)], ABC)
    rows = torch.tensor([[0.8, 0.3, 0.1], [0.6, 0.7, 0.2]], dtype=torch.float64, requires_grad=True)

    assert torch.autograd.gradcheck(lambda x: circuit.truth(x, tnorm), rows)


def test_equal_parts_are_worked_out_once():
    shared = a & ~b
    circuit = Circuit.of([shared | c, ~shared, shared], ABC)

    assert sum(len(level.parts) for level in circuit.levels) == 4  # ~b, shared, ~shared, shared | c


def test_constants():
    assert Circuit.of([TRUE, FALSE], []).truth(np.zeros((2, 0)), TNorm.PRODUCT).tolist() == [[1, 0], [1, 0]]


def sentence(kind, target, formula):
    return str(Violation(Link.of(Rule("robin", red & ~blue, kind)), 0.9, target, formula))


def test_the_direction_that_is_broken_is_told():
    taken = "robin (0.97) requires what does not hold (0.04): red and not blue."
    made = "robin (0.02) does not hold, but what implies it does (0.95): red and not blue."

    assert sentence("iff", 0.97, 0.04) == sentence("if", 0.97, 0.04) == taken
    assert sentence("iff", 0.02, 0.95) == sentence("only_if", 0.02, 0.95) == made


def test_a_formula_by_hand_is_told_as_it_stands():
    link = Link(parse_formula("red -> ~blue"))

    assert str(Violation(link, 0.5, float("nan"), float("nan"))) == (
        "Outputs break a rule (by 0.50): not red or not blue."
    )


def test_the_worst_come_first_and_small_ones_are_left_out():
    links = (Link(red >> blue), Link(red | blue), Link(~red))
    nothing = np.full((2, 3), np.nan)
    found = Violations(links, np.array([[0.2, 0.001, 0.7], [0.0, 0.0, 0.0]]), nothing, nothing)

    assert [violation.penalty for violation in found[0]] == [0.7, 0.2]
    assert found[1] == ()
    assert len(found) == 2
    assert [len(row) for row in found] == [2, 0]
    assert len(found[1:]) == 1
    assert str(found) == (
        "row 0:\n"
        "  Outputs break a rule (by 0.70): not red.\n"
        "  Outputs break a rule (by 0.20): not red or blue.\n"
        "row 1: all rules are kept"
    )


NAMES = ["robin", "red", "blue"]
RULES = ["robin <-> red & ~blue", "red -> ~blue"]


def outputs(n, seed=0):
    """What a model says that mostly keeps the rules: sharp, with noise."""
    rng = np.random.default_rng(seed)
    red = rng.random(n) < 0.5
    blue = ~red & (rng.random(n) < 0.5)
    said = np.column_stack([red & ~blue, red, blue]).astype(float)
    return np.clip(np.abs(said - rng.beta(1, 8, (n, 3))), 0, 1)


@pytest.mark.parametrize("tnorm", ["product", "lukasiewicz", "boolean"])
@pytest.mark.parametrize("contamination", [0.01, 0.05, 0.3])
def test_about_the_share_asked_for_is_rejected(tnorm, contamination):
    """Ties of truth values leave fewer."""
    guard = RuleGuard(RULES, contamination, tnorm, names=NAMES).fit(outputs(2000))
    clean, fresh = guard.predict(outputs(2000)), guard.predict(outputs(4000, seed=1))
    least = 0.0 if tnorm == "boolean" else contamination - 0.005

    assert least <= (clean == -1).mean() <= contamination + 0.005
    assert (fresh == -1).mean() <= contamination + 4 * np.sqrt(contamination / 4000) + 0.01


@pytest.mark.parametrize(("n_clean", "contamination"), [(30, 0.1), (60, 0.05)])
def test_alarms_lie_in_the_interval_as_often_as_it_says(n_clean, contamination):
    """Over many draws of clean and of new rows; the score of a row of one output is the output."""
    rng, inside = np.random.default_rng(0), 0
    for _ in range(300):
        guard = RuleGuard("~a", contamination, names=["a"], rule_weight=None).fit(rng.random((n_clean, 1)))
        low, high = guard.alarm_interval(50, 0.9)
        inside += low <= (guard.predict(rng.random((50, 1))) == -1).mean() <= high

    assert 0.86 <= inside / 300 <= 0.98  # shares of 50 rows are not fine enough for 0.9


def test_the_more_rows_the_narrower_the_interval_of_alarms():
    few, many = (RuleGuard(RULES, names=NAMES).fit(outputs(n)) for n in (100, 10_000))

    assert few.alarm_interval(100)[0] < many.alarm_interval(10_000)[0] < 0.05
    assert few.alarm_interval(100)[1] > many.alarm_interval(10_000)[1] > 0.05


def test_what_breaks_rules_is_rejected():
    guard = RuleGuard(RULES, names=NAMES).fit(outputs(500))

    assert guard.predict([[0.95, 0.05, 0.9], [0.95, 0.95, 0.02]]).tolist() == [-1, 1]


def test_penalties_are_what_the_rules_lack_of_truth():
    guard = RuleGuard(["robin -> red", "robin"], names=NAMES).fit(outputs(50))
    found = guard.penalties([[0.9, 0.2, 0.0]])

    assert np.allclose(found, [[0.9 * 0.8, 0.1]])
    assert np.allclose(guard.score_samples([[0.9, 0.2, 0.0]]), -found @ guard.weight_)


def test_each_thing_that_a_rule_demands_counts():
    guard = RuleGuard(["robin -> red & ~blue"], names=NAMES, rule_weight=None).fit(outputs(50))

    assert list(map(str, guard.clauses_)) == ["~blue | ~robin", "red | ~robin"]
    assert guard.rule_of_clause_.tolist() == [0, 0]
    assert np.allclose(guard.penalties([[1.0, 0.2, 0.7]]), [[1 - 0.2 * 0.3]])
    assert np.allclose(guard.score_samples([[1.0, 0.2, 0.7]]), [-(0.8 + 0.7)])


def test_the_threshold_is_set_by_rows_that_did_not_decide_the_weights():
    """Many rules that hold by chance: those that the clean rows keep would weigh too much for new ones."""
    rng = np.random.default_rng(0)
    names = [f"c{at}" for at in range(40)]
    rules = [f"{a} -> {b}" for a in names[:20] for b in names[20:]]
    clean, fresh = (rng.random((n, 40)) < 0.15 for n in (300, 3000))
    guard = RuleGuard(rules, 0.1, names=names).fit(clean.astype(float))

    assert (guard.predict(fresh.astype(float)) == -1).mean() == pytest.approx(0.1, abs=0.035)


def test_rules_that_clean_rows_keep_count_more():
    rows = outputs(1000)
    guard = RuleGuard(["red -> ~blue", "robin -> blue"], names=NAMES).fit(rows)
    means = guard.penalties(rows).sum(axis=0)  # each rule is one clause

    assert np.allclose(guard.weight_, np.log(1002 / (means + 1)))
    assert guard.weight_[0] > guard.weight_[1]
    assert set(RuleGuard(RULES, names=NAMES, rule_weight=None).fit(rows).weight_) == {1}
    by_rule = RuleGuard(RULES, names=NAMES, rule_weight=[2, 0]).fit(rows)
    assert by_rule.weight_.tolist() == np.where(by_rule.rule_of_clause_ == 0, 2, 0).tolist()


def test_frames_arrays_and_tensors_say_the_same():
    rows = outputs(300)
    frame = pd.DataFrame(rows, columns=NAMES)[["blue", "robin", "red"]].assign(other=0.5)
    by_name = RuleGuard(RULES).fit(frame)
    by_place = RuleGuard(RULES, names=NAMES).fit(rows)
    tensor = torch.from_numpy(rows)

    assert by_name.names_ == ("blue", "robin", "red", "other")
    assert np.allclose(by_name.score_samples(frame), by_place.score_samples(rows))
    assert np.allclose(by_place.score_samples(tensor).numpy(), by_place.score_samples(rows))
    assert np.array_equal(by_place.predict(tensor), by_place.predict(rows))
    assert RuleGuard(RULES, names=NAMES).fit(tensor).offset_ == pytest.approx(by_place.offset_)


def test_gradients_flow():
    guard = RuleGuard(RULES, names=NAMES).fit(outputs(100))
    row = torch.tensor([[0.9, 0.4, 0.3]], dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(guard.score_samples(row).sum(), row)

    assert gradient[0, 1] > 0  # more red, and the rules are better kept
    assert torch.autograd.gradcheck(guard.score_samples, row)


def test_a_rule_set_names_the_outputs():
    rules = ExplanationSet(
        [Explanation(Rule("robin", Var("red"))), Explanation(Rule("jay", Var("blue")))], ["red", "blue"]
    )
    guard = RuleGuard(rules).fit(np.array([[1, 0, 1, 0], [0, 1, 0, 1.0]]))

    assert guard.names_ == ("red", "blue", "robin", "jay")
    assert guard.penalties([[1, 0, 0, 0]]).tolist() == [[1, 0]]


def test_many_rows_are_worked_on_in_pieces():
    guard = RuleGuard(RULES, names=NAMES).fit(outputs(100))
    rows = np.tile(outputs(50), (5000, 1))

    assert np.array_equal(guard.penalties(rows), np.tile(guard.penalties(rows[:50]), (5000, 1)))
    assert guard.penalties(np.zeros((0, 3))).shape == (0, 2)


def test_it_is_an_estimator_of_scikit_learn():
    guard = RuleGuard(RULES, 0.1, names=NAMES)

    assert clone(guard).get_params() == guard.get_params()
    assert set(guard.fit_predict(outputs(100))) == {-1, 1}


@pytest.mark.parametrize(
    ("settings", "rows", "word"),
    [
        ({"rules": []}, outputs(9), "at least one rule"),
        ({"rules": [7]}, outputs(9), "Got 7"),
        ({"rules": {"robin": "red"}}, outputs(9), "Rules are a list, not a mapping"),
        ({"rules": Rule("red", red)}, outputs(9), "a concept of the same name"),
        ({"rules": Rule(0, red, "cluster")}, outputs(9), "rule of a cluster"),
        ({"rules": TRUE}, outputs(9), "all are constants"),
        ({"rules": "robin -> ~yellow"}, outputs(9), "'yellow'"),
        ({"contamination": 0}, outputs(9), "Got 0."),
        ({"contamination": 0.6}, outputs(9), "Got 0.6."),
        ({"tnorm": "prodct"}, outputs(9), "Did you mean 'product'?"),
        ({"rule_weight": "equal"}, outputs(9), "Got 'equal'."),
        ({}, outputs(0), "two clean rows or more. Got 0."),
        ({}, outputs(1), "two clean rows or more. Got 1."),
        ({"names": None}, outputs(9), "The outputs have no names."),
        ({}, torch.zeros(2, 5), "shape (rows, 3). Got (2, 5)."),
        ({}, torch.full((2, 3), 1.5), "Outputs must lie in [0, 1]"),
    ],
)
def test_what_is_refused(settings, rows, word):
    with pytest.raises(InputError) as caught:
        RuleGuard(**{"rules": RULES, "names": NAMES, **settings}).fit(rows)

    assert word in str(caught.value)


@pytest.mark.parametrize(("asked", "word"), [((0,), "n_rows"), ((5.5,), "n_rows"), ((5, 1), "confidence")])
def test_an_interval_of_alarms_needs_numbers(asked, word):
    with pytest.raises(InputError, match=word):
        RuleGuard(RULES, names=NAMES).fit(outputs(9)).alarm_interval(*asked)


@pytest.mark.parametrize("n_rows", [2, 3, 6])
def test_few_clean_rows_are_enough(n_rows):
    guard = RuleGuard(RULES, names=NAMES).fit(outputs(n_rows))

    assert np.isfinite(guard.offset_)
    assert guard.predict([[0.95, 0.05, 0.9]]).tolist() == [-1]


@pytest.mark.parametrize("broken", [0.06, 0.08, 0.09])
def test_many_equal_scores_are_not_rejected_together(broken):
    """All clean rows have one of two scores, and the lower one is more frequent than may be rejected."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        a = rng.random(1000) < 0.5
        rows = np.column_stack([a, np.where(rng.random(1000) < 2 * broken, ~a, a) | ~a]).astype(float)
        guard = RuleGuard("a -> b", 0.05, "boolean", names=["a", "b"]).fit(rows)

        assert (guard.predict(rows) < 0).mean() <= 0.05


def test_tensors_of_any_kind_of_number_are_read():
    guard = RuleGuard("a -> b", names=["a", "b"]).fit([[1, 1], [0, 0.5], [0, 1]])
    rows = torch.tensor([[1, 1], [1, 0]])

    for kind in (torch.bool, torch.int64, torch.bfloat16, torch.float64):
        assert guard.predict(rows.to(kind)).tolist() == [1, -1]
        assert len(guard.violations(rows.to(kind))[1]) == 1


def test_no_rows_break_no_rules():
    guard = RuleGuard("a -> b", names=["a", "b"]).fit([[1, 1], [0, 0.5], [0, 1]])

    assert len(guard.violations(np.zeros((0, 2)))) == 0
    assert guard.predict(np.zeros((0, 2))).shape == (0,)


def test_rules_of_a_decision_list_demand_what_the_list_says_of_each_class():
    """The second step is about rows that the first left: its class is demanded there alone."""
    rng = np.random.default_rng(0)
    fur, wings = rng.random(400) < 0.5, rng.random(400) < 0.5
    kind = np.where(wings, "bird", np.where(fur, "cat", "fish"))
    model = MuClassifier(random_state=0).fit({"fur": fur, "wings": wings}, kind)
    rules = model.explain()
    assert rules.is_list
    names = ["fur", "wings", *rules.labels]
    guard = RuleGuard(rules, names=names, rule_weight=None).fit(
        np.column_stack([fur, wings, *(kind == label for label in rules.labels)]).astype(float)
    )

    said = {"bird": 0.0, "cat": 0.0, "fish": 0.0}
    right = [[1.0, 1.0, *(said | {"bird": 1.0}).values()], [0.0, 0.0, *(said | {"fish": 1.0}).values()]]
    wrong = [[1.0, 1.0, *(said | {"cat": 1.0}).values()], [0.0, 0.0, *said.values()]]
    assert guard.predict(np.array(right)).tolist() == [1, 1]
    assert guard.predict(np.array(wrong)).tolist() == [-1, -1]
