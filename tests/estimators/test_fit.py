"""The fit on one page: what is searched for, what may be said, how lengths are rated and chosen."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning

from logiclens.constants import LITERAL_COST
from logiclens.errors import InputError
from logiclens.estimators import MuClassifier
from logiclens.estimators._parameters import most_literals, price_of_literal
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.fit import (
    DISTILLATION,
    FrontSearch,
    SearchSettings,
    search_front,
)
from logiclens.estimators.folds import FEW_ROWS, RowSplit
from logiclens.estimators.inputs_and_targets import Problem, Targets
from logiclens.explain import Front, RuleKind
from logiclens.logic import equivalent, parse_formula
from logiclens.logic.decision_list import DecisionList
from logiclens.nn.mu import MuNetwork
from tests.errors import error_of
from tests.estimators.toys import CLASSIFIERS, booleans, frame, quick
from tests.strategies import all_rows

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y = booleans()
FRAME = frame(X)
PROBLEMS = ("binary", "three classes", "labels")


def noisy(n: int = 160, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Six concepts; ``(a & b) | c``, of which one label in eight is wrong."""
    rng = np.random.default_rng(seed)
    x = (rng.random((n, 6)) < 0.5).astype(float)
    y = ((x[:, 0] * x[:, 1] + x[:, 2]) > 0) ^ (rng.random(n) < 0.125)
    return x, y


def targets_of(problem: str, x: np.ndarray, seed: int = 0) -> Any:
    wrong = np.random.default_rng(seed).random(len(x)) < 0.1
    first, second = (x[:, 0] > 0.5) ^ wrong, x[:, 1] > 0.5
    match problem:
        case "binary":
            return first & second
        case "three classes":
            return np.array(["none", "one", "both"])[first.astype(int) + second]
    return pd.DataFrame({"p": first & second, "q": x[:, 2] > 0.5})


def same_front(one: Front, other: Front) -> bool:
    return one.to_json() == other.to_json()


def decided(clf: LENClassifier, x: Any, literals: int | str = "auto") -> np.ndarray:
    return clf.explain(literals=literals).predict(x)


# --- what is searched for ---


def regret_of(clf: LENClassifier, x: np.ndarray, y: np.ndarray, literals: int) -> float:
    """The regret under what labels and the network together know, on the rows of the fit."""
    a = clf.distillation
    p = (1 - a) * (y[:, None] == clf.classes_) + a * clf.predict_proba(x)
    said = np.searchsorted(clf.classes_, decided(clf, x, literals))
    return float((p.max(axis=1) - p[np.arange(len(x)), said]).mean())


@pytest.mark.parametrize("kind", ["mu", "relu"])
@pytest.mark.parametrize("distillation", [0.0, 0.5, 1.0])
def test_longer_rules_lose_less_and_nothing_is_trained_for_them(kind, distillation, monkeypatch):
    x, y = noisy()
    clf = quick(kind, distillation=distillation).fit(x, y)
    monkeypatch.setattr("logiclens.estimators.networks.explore", None)
    losses = [regret_of(clf, x, y, n) for n in range(clf.front_[-1].literals + 1)]

    assert all(b <= a + 1e-3 for a, b in pairwise(losses))  # p is quantized
    assert losses[-1] < losses[0]
    assert all(clf.explain(literals=n).literals <= n for n in range(12))


def test_rules_are_searched_for_in_labels_or_in_the_network():
    """Of few, noisy rows: with 0 they follow the labels more closely, with 1 the network."""
    x, y = noisy(120)
    labels, network = (quick("mu", distillation=a, max_literals=40).fit(x, y) for a in (0.0, 1.0))

    assert (labels.predict_proba(x) == network.predict_proba(x)).all()
    assert (decided(network, x, 40) == network.predict(x)).mean() > 0.95
    assert (decided(labels, x, 40) == y).mean() > (decided(network, x, 40) == y).mean()
    assert quick("mu").distillation == DISTILLATION


def test_what_is_softened_is_a_mixture():
    x = all_rows(2).astype(float)
    targets = Targets(("n", "y"), Problem.BINARY, np.array([[0.0], [1.0], [1.0], [0.25]]))
    recipe = quick("mu", distillation=0.25).recipe(inputs_of(x), targets)
    answers = np.tile([0.9, 0.1], (4, 1))
    soft = FrontSearch(recipe, x > 0.5, targets, [np.ones(4)]).soften(answers, answers > 0.5)

    assert soft == pytest.approx(0.75 * targets.truth() + 0.25 * answers, abs=1 / 1024)
    assert (soft * 1024 == np.round(soft * 1024)).all()


def inputs_of(x: np.ndarray) -> Any:
    clf = quick("mu", encoder=None)
    targets, weight = clf.read_data(x, np.arange(len(x)) % 2, None)
    return clf.read_inputs(x, targets, weight)


# --- what may be said ---


@pytest.mark.parametrize("kind", ["mu", "entropy"])
@pytest.mark.parametrize("distillation", [0.0, 1.0])
def test_rules_speak_of_concepts_that_the_network_keeps(kind, distillation):
    x, y = noisy()
    clf = quick(kind, max_concepts=2, distillation=distillation).fit(x, y)
    kept = {name for name, is_kept in zip(clf.concept_names_, clf.network_.kept()[0], strict=True) if is_kept}

    assert len(kept) <= 2
    assert all(set(step.formula.concepts) <= kept for point in clf.front_ for step in point.steps)
    assert all(set(rule.concepts) <= kept for rule in clf.explain().values())


class Blind(MuNetwork):
    """Never says that it reads the first concept."""

    def kept(self) -> Any:
        kept = super().kept().clone()
        kept[:, 0] = False
        return kept


class BlindClassifier(MuClassifier):
    def make_network(self, streams: Any, n_concepts: int, l1: Any, width: int) -> Any:
        return Blind(streams, n_concepts, self.hidden, l1, max_concepts=width, tau=self.tau)


def test_a_concept_that_is_not_kept_is_in_no_rule_though_it_decides():
    settings = {"epochs": 40, "learning_rate": 0.1, "restarts": 1, "l1": 0.002, "device": "cpu"}
    for distillation in (0.0, 1.0):
        clf = BlindClassifier(**settings, random_state=0, distillation=distillation).fit(X, Y)
        assert all("x0" not in step.formula.concepts for point in clf.front_ for step in point.steps)


# --- how lengths are rated and chosen ---


def test_lengths_are_rated_by_rows_held_out():
    """Labels that are chance: rules fit the rows that they are searched on, and are no better on others."""
    found, fitted = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x, y = (rng.random((1000, 10)) < 0.5).astype(float), rng.random(1000) < 0.5
        clf = quick("relu", distillation=0, epochs=5, restarts=3, max_literals=40).fit(x, y)
        low, high = clf.front_[-1].interval
        found.append(clf.front_[-1].accuracy)
        fitted.append(clf.explain(literals=40).score(x, y))
        assert 0 <= low < found[-1] < high <= 1

    assert min(fitted) > 0.6
    assert abs(np.mean(found) - 0.5) < 0.025


def test_accuracy_and_fidelity_of_easy_rows_are_perfect():
    point = quick("mu").fit(X, Y).front_[-1]

    assert (point.accuracy, point.fidelity) == (1.0, 1.0)


@pytest.mark.filterwarnings("ignore:y holds the class")
@pytest.mark.parametrize("n", [1, 2, FEW_ROWS - 1, FEW_ROWS])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_few_rows(kind, n):
    """Below a number of rows none are held out."""
    x = all_rows(5)[:n].astype(float)
    clf = quick(kind, epochs=10).fit(np.column_stack([x, np.arange(n) % 2]), np.arange(n) % 2)
    searched = [point for point in clf.front_ if not point.status]

    assert all((point.accuracy is None) == (n < FEW_ROWS) for point in searched)
    assert len(clf.explain().predict(np.column_stack([x, np.arange(n) % 2]))) == n


def test_the_number_of_literals_may_be_told():
    x, y = noisy()
    auto, told = quick("mu").fit(x, y), quick("mu", literals=5).fit(x, y)

    assert same_points(auto.front_, told.front_)
    assert told.explain() == auto.explain(literals=5)
    assert told.explain() is told.explain(literals="auto")
    assert quick("mu", literals=0).fit(x, y).explain().literals == 0


def same_points(one: Front, other: Front) -> bool:
    return one.to_json()["points"] == other.to_json()["points"]


@pytest.mark.parametrize("most", [1, 3, 7])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_no_rules_are_longer_than_asked_for(problem, most):
    x, _ = noisy()
    clf = quick("mu", max_literals=most, distillation=0).fit(x, targets_of(problem, x))

    assert max(point.literals for point in clf.front_) <= most


def test_the_longest_rules_unless_told_otherwise():
    def targets(n: int, problem: Problem) -> Targets:
        return Targets(tuple(range(n)), problem, np.zeros((1, n)))

    assert most_literals("auto", targets(2, Problem.BINARY)) == 60
    assert most_literals("auto", targets(3, Problem.SINGLE_LABEL)) == 60
    assert most_literals("auto", targets(5, Problem.SINGLE_LABEL)) == 100
    assert most_literals("auto", targets(2, Problem.MULTI_LABEL)) == 40


def test_a_price_of_literals_makes_rules_shorter():
    """Rules of one literal are right about three rows in four, those of two about all."""
    cheap, dear = (quick("mu", literal_cost=cost).fit(X, Y).explain() for cost in (0.01, 0.9))

    assert cheap.literals == 2
    assert dear.literals == 0


def test_class_weights_count_in_the_search_alone():
    x, _ = noisy()
    y = (x[:, 0] * x[:, 1] > 0) & (np.random.default_rng(1).random(len(x)) < 0.4)
    plain, heavy = (quick("mu", class_weight=w, literals=5).fit(x, y) for w in (None, {True: 4.0}))

    assert (plain.predict_proba(x) == heavy.predict_proba(x)).all()
    assert decided(heavy, x).sum() > decided(plain, x).sum()
    for same in ({True: 1.0}, {True: 100.0, False: 100.0}):
        assert same_front(plain.front_, quick("mu", class_weight=same, literals=5).fit(x, y).front_)


def test_the_length_of_the_smallest_price_less_gain():
    """A literal must be worth its price, and rules must beat none by more than chance does."""
    rows = 400
    truth = Targets((0, 1), Problem.BINARY, np.zeros((rows, 1)))
    search = SearchSettings(RuleKind.IFF, ("a",), literal_cost=0.01)
    rules = FrontSearch(search, np.zeros((rows, 1), dtype=bool), truth, [np.ones(rows), np.zeros(rows)])
    front = [(DecisionList((), 0, n, 0.0),) for n in (0, 1, 4)]

    def chosen(*right: int) -> int:
        gained = np.arange(rows) < np.array(right)[:, None]
        return rules.choose(front, gained.astype(np.float32), np.ones(rows))

    assert chosen(200, 300, 300) == 1
    assert chosen(200, 300, 311) == 1  # three literals more for 2.75 points
    assert chosen(200, 300, 313) == 2
    assert chosen(200, 207, 207) == 1
    assert chosen(200, 199, 198) == 0
    assert chosen(200, 202, 202) == 0  # not worth a literal
    search = replace(search, literal_cost=0.0)
    rules = replace(rules, recipe=search)
    assert chosen(200, 202, 202) == 0  # worth it, but within chance
    assert chosen(200, 203, 203) == 1


def test_the_front_goes_as_far_as_the_literals_that_are_asked_for():
    random = np.random.default_rng(0)
    x = random.random((500, 14)) < 0.5
    y = x @ random.normal(size=14) > 0

    assert quick("mu", literals=80).fit(x, y).explain().literals > 60
    assert quick("mu", literals=80, max_literals=5).fit(x, y).explain().literals <= 5


def test_a_literal_of_each_class_has_the_price_of_one():
    def cost(n: int, problem: Problem) -> float:
        return price_of_literal("auto", Targets(tuple(range(n)), problem, np.zeros((1, n))))

    assert cost(2, Problem.BINARY) == LITERAL_COST
    assert cost(5, Problem.SINGLE_LABEL) == LITERAL_COST / 5
    assert cost(2, Problem.MULTI_LABEL) == LITERAL_COST / 2


def test_labels_by_chance_have_no_rules():
    shown = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        shown.append(quick("mu").fit(random.normal(size=(300, 5)), random.random(300) < 0.5).explain())

    assert [rules.literals for rules in shown].count(0) >= 5


def test_weights_of_any_size_give_the_same_front():
    x, y = noisy()
    one, *others = (
        quick("mu").fit(x, y, sample_weight=np.full(len(x), weight)).front_ for weight in (1.0, 1e-200, 1e200)
    )

    for other in others:
        assert other.chosen == one.chosen
        assert [each.steps for each in other.points] == [each.steps for each in one.points]
        for column in ("accuracy", "fidelity"):
            assert [getattr(each, column) for each in other.points] == pytest.approx(
                [getattr(each, column) for each in one.points]
            )


# --- rows are counted ---


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_row_of_weight_three_is_three_rows(kind, problem):
    x, _ = noisy(60)
    y, weight = targets_of(problem, x), np.random.default_rng(1).integers(0, 4, 60)
    many = np.repeat(np.arange(60), weight)
    counted = quick(kind, epochs=15).fit(x, y, weight)
    repeated = quick(kind, epochs=15).fit(x[many], y.iloc[many] if problem == "labels" else y[many])

    assert same_front(counted.front_, repeated.front_)
    assert np.allclose(counted.predict_proba(x), repeated.predict_proba(x), rtol=1e-9)


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_order_of_rows_does_not_matter(kind, problem):
    x, _ = noisy(80)
    y, order = targets_of(problem, x), np.random.default_rng(2).permutation(80)
    plain = quick(kind, epochs=15).fit(x, y)
    other = quick(kind, epochs=15).fit(x[order], y.iloc[order] if problem == "labels" else y[order])

    assert same_front(plain.front_, other.front_)
    assert (plain.predict(x) == other.predict(x)).all()


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_the_order_of_columns_changes_no_rule_that_is_right(kind):
    plain, other = quick(kind).fit(FRAME, Y), quick(kind).fit(FRAME[["d", "b", "c", "a"]], Y)

    assert (plain.predict(FRAME) == other.predict(FRAME)).all()
    assert equivalent(plain.explain()[True].formula, other.explain()[True].formula)


# --- every kind of problem ---


def test_several_classes_are_one_list():
    clf = quick("mu", restarts=2).fit(
        FRAME, np.array(["none", "one", "both"])[X[:, :2].sum(axis=1).astype(int)]
    )
    rules = clf.explain()

    assert rules.is_list
    assert rules.literals <= 4  # written class by class there are eight
    assert (rules.predict(FRAME) == clf.predict(FRAME)).all()
    assert equivalent(rules["one"].formula, parse_formula("(a & ~b) | (~a & b)"))


def test_several_labels_have_a_formula_each():
    clf = quick("mu").fit(FRAME, pd.DataFrame({"p": Y, "q": X[:, 2] > 0.5, "r": X[:, 3] > 9}))

    assert clf.front_.multi_label
    assert all(point.default is None for point in clf.front_)
    assert [str(rule.formula) for rule in clf.explain().values()] == ["a & b", "c", "FALSE"]
    assert [point.literals for point in clf.front_] == sorted(point.literals for point in clf.front_)


def test_nothing_but_true_is_necessary_where_chance_decides():
    rng = np.random.default_rng(0)
    x, y = (rng.random((200, 3)) < 0.5).astype(float), rng.random(200) < 0.5
    rules = quick("mu", rule="if").fit(x, y).explain()

    assert {str(rule.formula) for rule in rules.values()} == {"TRUE"}
    assert rules.literals == 0


@pytest.mark.parametrize("problem", PROBLEMS)
def test_what_a_psi_network_shows_is_exact(problem):
    x, _ = noisy()
    clf = quick("psi").fit(x, targets_of(problem, x))
    tuples = all_rows(6).astype(float)
    fired = np.column_stack([rule.evaluate(tuples, clf.concept_names_) for rule in clf.explain().values()])

    assert clf.front_[clf.front_.chosen].status.startswith("exact")
    assert (fired == clf.decide(tuples)).all()
    if problem == "binary":
        assert len(clf.explain().steps) <= 1
        assert (clf.explain().predict(tuples, clf.concept_names_) == clf.predict(tuples)).all()


# --- folds, files ---


def test_a_front_without_rows_held_out_has_the_least_objective_shown():
    x, y = noisy()
    clf = quick("mu", encoder=None, literal_cost=0.01).fit(x, y)
    targets, weight = clf.read_data(x, y, None)
    recipe = clf.recipe(clf.read_inputs(x, targets, weight), targets)
    front = search_front(recipe, x, targets, [RowSplit(weight, np.zeros_like(weight))], [clf.network_])
    p = 0.5 * targets.truth() + 0.5 * clf.predict_proba(x)

    def objective(point: Any) -> float:
        said = front.rule_set(point).predict(x, clf.concept_names_).astype(int)
        return float((p.max(axis=1) - p[np.arange(len(x)), said]).mean() + 0.01 * point.literals)

    values = [objective(point) for point in front]
    assert all(point.accuracy is None for point in front)
    assert values[front.chosen] == pytest.approx(min(values), abs=2e-3)


# --- IF and ONLY IF rules ---


def test_implications_are_about_what_the_network_answers():
    """Not about probabilities that were made to add up to one."""
    x = all_rows(2).astype(float)
    targets = Targets(("a", "b"), Problem.OUTPUT_BY_OUTPUT, np.eye(2)[[0, 1, 0, 1]])
    recipe = quick("mu", rule="if", distillation=1.0).recipe(inputs_of(x), targets)
    answers = np.array([[True, True], [False, False], [True, False], [False, True]])
    soft = FrontSearch(recipe, x > 0.5, targets, [np.ones(4)]).soften(np.full((4, 2), 0.5), answers)

    assert (soft == answers).all()


def test_class_weights_count_for_implications():
    x, y = noisy(300)
    front = {
        heavy: MuClassifier(rule="only_if", class_weight={True: heavy}, restarts=2, random_state=0)
        .fit(x, y)
        .front_
        for heavy in (1.0, 200.0)
    }

    assert not same_front(front[1.0], front[200.0])


def test_a_heavy_tuple_is_in_the_sample_that_is_searched(monkeypatch: pytest.MonkeyPatch):
    """Rules are searched for on a sample of many tuples, drawn by weight."""
    monkeypatch.setattr("logiclens.estimators.fit._SEARCHED", 64)
    x = all_rows(9).astype(float)
    y = np.zeros(len(x))
    y[-1] = 1.0
    weight = np.where(y > 0, 2000.0, 1.0)
    rules = MuClassifier(restarts=1, random_state=0).fit(x, y, sample_weight=weight).explain(literals=9)

    assert rules.predict(x[-1:]).tolist() == [1.0]


def test_logits_of_ones_own_are_not_changed_by_calibration():
    class Bent(MuNetwork):
        def logits(self, inputs: Any) -> Any:
            return 6.0 * super().logits(inputs).tanh()

    class BentClassifier(MuClassifier):
        def make_network(self, streams: Any, n_concepts: int, l1: Any, width: int) -> Any:
            return Bent(streams, n_concepts, self.hidden, l1, max_concepts=width)

    x, y = noisy(200)
    probability = BentClassifier(restarts=2, random_state=0, epochs=60).fit(x, y).predict_proba(x)

    assert np.abs(np.log(probability[:, 1] / probability[:, 0])).max() <= 6.0 + 1e-6


def test_right_about_soft_labels_is_what_they_hold_most_probable():
    """The mean probability would be 0.8 at best."""
    likely = np.where(Y, 0.8, 0.2)
    fitted = quick("mu", restarts=2).fit(X, np.column_stack([1 - likely, likely]))

    assert max(point.accuracy for point in fitted.front_) == 1.0


@pytest.mark.parametrize("rule", ["if", "only_if"])
def test_exclusive_or_of_scores_is_found_by_implications(rule):
    """The network's few slips must not leave a constant as the only rule."""
    scores = np.random.default_rng(1).random((1000, 6))
    odd = (scores[:, 0] > 0.5) ^ (scores[:, 1] > 0.5)
    rules = MuClassifier(rule=rule, random_state=0).fit(scores, odd).explain()

    assert equivalent(rules[True].formula, parse_formula("(x0 & ~x1) | (~x0 & x1)"))
    assert equivalent(rules[False].formula, parse_formula("(x0 & x1) | (~x0 & ~x1)"))


def test_fronts_ascend_where_formulas_get_shorter_in_words():
    """Literals that follow from others go after the search, so that a later list may be shorter."""
    rng = np.random.default_rng(3)
    for seed in range(6):
        values = rng.normal(size=(200, 2))
        y = np.digitize(values[:, 0] * values[:, 1] + rng.normal(0, 0.5, 200), [-0.5, 0.5])
        table = pd.DataFrame(values, columns=["a", "b"])
        lengths = [point.literals for point in MuClassifier(random_state=seed).fit(table, y).front_]
        assert lengths == sorted(set(lengths))


def test_parameters_of_ones_own_follow_their_members():
    """The network of several classes has those of each class, not of the first alone."""

    class Shifted(MuNetwork):
        def __init__(self, streams: Any, *arguments: Any, **settings: Any) -> None:
            super().__init__(streams, *arguments, **settings)
            self.own = torch.nn.Parameter(torch.zeros(len(streams)))

        def logits(self, inputs: Any) -> Any:
            return super().logits(inputs) + 20.0 * self.own[:, None]

    class ShiftedClassifier(MuClassifier):
        def make_network(self, streams: Any, n_concepts: int, l1: Any, width: int) -> Any:
            return Shifted(streams, n_concepts, self.hidden, l1, max_concepts=width)

    x = np.tile(all_rows(3), (20, 1)).astype(float)
    y = (2 * x[:, 0] + x[:, 1]).astype(int)
    fitted = ShiftedClassifier(restarts=2, random_state=0, epochs=60).fit(x, y)

    assert fitted.network_.own.shape == (4,)
    assert fitted.score(x, y) == 1.0


def test_modules_of_ones_own_are_refused():
    class Deeper(MuNetwork):
        def __init__(self, *arguments: Any, **settings: Any) -> None:
            super().__init__(*arguments, **settings)
            self.extra = torch.nn.Linear(1, 1)

    class DeeperClassifier(MuClassifier):
        def make_network(self, streams: Any, n_concepts: int, l1: Any, width: int) -> Any:
            return Deeper(streams, n_concepts, self.hidden, l1, max_concepts=width)

    assert "'extra' would not follow its members" in error_of(DeeperClassifier().fit, X, Y)


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("logits", "logits of Odd must be of shape (10, 3): the first axis is the member. Got shape (3, 10)"),
        ("penalty", "penalty of Odd must be of shape (10,): the first axis is the member. Got shape ()"),
        ("prune", "narrow takes what is kept, Boolean of shape (10, 4): members and concepts that they"),
    ],
)
def test_a_network_of_ones_own_gives_what_is_asked_of_it(method: str, text: str):
    class Odd(MuNetwork):
        pass

    how = {
        "logits": lambda self, inputs: super(Odd, self).logits(inputs).T,
        "penalty": lambda self: super(Odd, self).penalty().sum(),
        "prune": lambda self: self.narrow(torch.ones(3)),
    }
    setattr(Odd, method, how[method])

    class OddClassifier(MuClassifier):
        prunes_inputs = False

        def make_network(self, streams: Any, n_concepts: int, l1: Any, _: int) -> Any:
            return Odd(streams, n_concepts, self.hidden, l1)

    assert text in error_of(OddClassifier(restarts=5, l1=(0.01, 0.001), epochs=10).fit, X, Y)


def test_what_is_no_network_and_settings_without_names_are_refused():
    class Plain(MuClassifier):
        def make_network(self, *settings: Any) -> Any:
            return torch.nn.Linear(settings[1], 1)

    class Passing(MuClassifier):
        def __init__(self, share: float = 0.8, **settings: Any) -> None:
            super().__init__(**settings)
            self.share = share

    assert "make_network must return a LogicNetwork. Got" in error_of(Plain().fit, X, Y)
    assert "Passing.__init__ must name its settings, without **." in error_of(Passing(share=0.5).fit, X, Y)


def test_the_lead_over_a_constant_is_by_rows_that_had_no_say():
    random = np.random.default_rng(0)
    x = random.integers(0, 2, (300, 4))
    y = x[:, 0] & x[:, 1]
    lead = MuClassifier(random_state=0).fit(x, y).front_.lead

    assert lead.n_rows == 300
    assert lead.wins == y.sum()
    assert lead.losses == 0
    assert MuClassifier(random_state=0, literals=0).fit(x, y).front_.lead.size == 0


def test_a_lead_by_chance_is_none():
    random = np.random.default_rng(0)
    claimed = 0
    for _ in range(20):
        x, y = random.integers(0, 2, (60, 6)), random.integers(0, 2, 60)
        claimed += MuClassifier(random_state=0, epochs=20).fit(x, y).front_.lead.p_value < 0.05

    assert claimed <= 4


def test_targets_with_a_formula_each_have_no_common_lead():
    x = np.random.default_rng(0).integers(0, 2, (100, 3))

    assert MuClassifier(random_state=0).fit(x, x[:, :2]).front_.lead is None


def test_rows_of_a_group_are_held_out_together():
    random = np.random.default_rng(0)
    x, y = random.integers(0, 2, (40, 8)), random.integers(0, 2, 40)
    copies, labels, patients = np.repeat(x, 6, axis=0), np.repeat(y, 6), np.repeat(np.arange(40), 6)
    apart = MuClassifier(random_state=0).fit(copies, labels)
    together = MuClassifier(random_state=0).fit(copies, labels, groups=patients)

    assert apart.front_.lead.p_value < 1e-6  # copies of a row tell its label
    assert together.front_.lead.p_value > 0.01
    assert together.front_[-1].accuracy < apart.front_[-1].accuracy - 0.1


def test_groups_may_be_of_any_type_and_need_a_value_for_each_row():
    x = np.random.default_rng(0).integers(0, 2, (60, 3))
    named = [["a", "b", None][i % 3] for i in range(60)]
    numbered = np.arange(60) % 3

    for groups in (named, numbered):
        assert MuClassifier(random_state=0).fit(x, x[:, 0], groups=groups).score(x, x[:, 0]) == 1.0
    with pytest.raises(InputError, match="groups"):
        MuClassifier().fit(x, x[:, 0], groups=[1, 2])
