"""The four classifiers find known rules: XOR, conjunctions, implications."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
import pytest
from benchmarks.toy_problems import is_right
from sklearn.exceptions import ConvergenceWarning

from logiclens.errors import InputError, LimitError
from logiclens.estimators import PsiClassifier
from logiclens.logic import equivalent, parse_formula
from logiclens.nn.entropy import EntropyNetwork
from logiclens.nn.mu import MuNetwork
from logiclens.nn.psi import PsiNetwork
from logiclens.nn.relu import ReluNetwork
from tests.estimators.toys import CLASSIFIERS, booleans, frame, quick, xor

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

XOR = parse_formula("(x0 & ~x1) | (~x0 & x1)")
SLOW = bool(os.environ.get("LOGICLENS_SLOW"))  # every seed, for changes to training or extraction
SEEDS = range(20 if SLOW else 3)
NETWORKS = {"mu": MuNetwork, "psi": PsiNetwork, "relu": ReluNetwork, "entropy": EntropyNetwork}


@pytest.fixture(params=CLASSIFIERS)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.mark.parametrize("seed", SEEDS)
def test_xor_is_found_with_the_defaults(kind: str, seed: int):
    """Four literals, for the class and for its complement, among six concepts."""
    X, y = xor(seed)
    rules = CLASSIFIERS[kind](random_state=seed, device="cpu").fit(X, y).explain()

    assert equivalent(rules[True].formula, XOR)
    assert equivalent(rules[False].formula, ~XOR)
    assert [rule.complexity for rule in rules.values()] == [4, 4]


def test_conjunction_is_found_quickly(kind: str):
    X, y = booleans()
    clf = quick(kind).fit(frame(X), y)

    assert clf.score(frame(X), y) == 1.0
    assert equivalent(clf.explain()[True].formula, parse_formula("a & b"))
    assert equivalent(clf.explain()[False].formula, parse_formula("~a | ~b"))
    assert clf.explain().literals == 2  # of the one step: the other class is what is left
    assert isinstance(clf.network_, NETWORKS[kind])
    assert str(clf.explain()[True]).startswith("forall x: True(x) <-> a(x) & b(x)")


@pytest.mark.parametrize("hidden", [(), (6, 4)])
def test_depth_is_free(kind: str, hidden: tuple[int, ...]):
    X, y = booleans()
    clf = quick(kind, hidden=hidden).fit(X, y)

    assert len(clf.network_.linears) == len(hidden) + 1
    assert clf.decide(X).shape == (len(X), 2)


def test_max_concepts_bounds_what_a_rule_speaks_of():
    X, y = booleans()
    for kind in ("mu", "entropy"):
        clf = quick(kind, max_concepts=1).fit(X, y)
        assert int(clf.network_.kept().sum()) <= 1
        assert all(len(rule.concepts) <= 1 for rule in clf.explain().values())


def test_fan_in_bounds_what_a_neuron_reads():
    """More than there are concepts is allowed."""
    X, y = booleans()
    for fan_in in (1, 2, 9):
        clf = quick("psi", fan_in=fan_in).fit(X, y)
        for weight, _ in clf.network_.neurons(0):
            assert (np.count_nonzero(np.asarray(weight), axis=1) <= fan_in).all()


# --- implications (Sec. 4.2) ---


def one_sided(rule: str) -> tuple[np.ndarray, np.ndarray]:
    """``a & b``, of which some rows are missing (IF) or which is not all (ONLY IF)."""
    rng = np.random.default_rng(0)
    X = (rng.random((240, 4)) > 0.5).astype(float)
    both = (X[:, 0] > 0.5) & (X[:, 1] > 0.5)
    noise = rng.random(240) < 0.15
    return X, both & ~noise if rule == "if" else both | noise


def fitted_implication(kind: str, rule: str, **settings: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    X, y = one_sided(rule)
    rules = quick(kind, rule=rule, epochs=100, **settings).fit(frame(X[:160]), y[:160]).explain()
    return rules[True], rules[True].evaluate(frame(X[160:])), y[160:]


@pytest.mark.parametrize("kind", ["mu", "psi", "entropy"])
def test_if_rule_is_a_necessary_condition(kind: str):
    """Every case satisfies it: recall 1 on rows not seen; precision is not asked for."""
    rule, fired, truth = fitted_implication(kind, "if", restarts=2)

    assert fired[truth].all()
    assert not fired.all()
    assert equivalent(rule.formula, parse_formula("a & b"))
    assert str(rule) == "forall x: True(x) -> a(x) & b(x)"
    assert rule.to_sentence().startswith("Every class True row has: a and b (100.0% of them in ")


@pytest.mark.parametrize("kind", ["mu", "psi", "entropy"])
def test_only_if_rule_is_a_sufficient_condition(kind: str):
    """All that satisfies it is a case: precision 1 on rows not seen; recall is not asked for."""
    rule, fired, truth = fitted_implication(kind, "only_if", restarts=2, random_state=1)

    assert truth[fired].all()
    assert fired.any()
    assert equivalent(rule.formula, parse_formula("a & b"))
    assert str(rule) == "forall x: (a(x) & b(x)) -> True(x)"
    assert rule.to_sentence().startswith("Rows where a and b are class True (100.0% of them in ")


def test_if_rule_of_a_relu_network():
    rule, fired, truth = fitted_implication("relu", "if")

    assert fired[truth].all()
    assert not fired.all()
    assert str(rule).startswith("forall x: True(x) -> ")


def test_noise_that_is_learned_is_no_reason_to_warn():
    """The training loss goes up and down; the best validation loss has long been found."""
    rng = np.random.default_rng(0)
    x = rng.random((200, 6)) < 0.5
    y = np.where(rng.random(200) < 0.2, rng.random(200) < 0.5, x[:, 0] & x[:, 1])

    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        for kind in CLASSIFIERS.values():
            kind(random_state=0, device="cpu").fit(x, y)
    with pytest.warns(ConvergenceWarning, match="still getting better"):
        CLASSIFIERS["mu"](random_state=0, device="cpu", epochs=4).fit(x, y)


def test_a_single_class_is_told():
    rows, _ = booleans()
    with pytest.warns(UserWarning, match="y holds the class 'x' alone, so it is always predicted"):
        model = quick().fit(rows, ["x"] * len(rows))

    assert set(model.explain().predict(rows).tolist()) == {"x"}


# psi networks of several layers


@pytest.mark.parametrize(
    ("network", "problem"),
    [
        ("psi (10, 4)", "XOR"),
        ("psi (12, 8, 5)", "XOR"),
        ("psi", "XOR, 100 zeros"),
        ("psi", "XOR, 100 random"),
    ],
)
def test_psi_finds_the_rule_of_a_toy_problem(network, problem):
    """With twenty seeds: ``python -m benchmarks.toy_problems``."""
    assert all(is_right(network, problem, seed) for seed in range(2))


def test_settings_that_cannot_train_are_said_before():
    """The paper's Listing 1 has a learning rate for many more steps than 100 epochs of a small table."""
    X, y = booleans()
    with pytest.warns(ConvergenceWarning, match="no weight can move by more than 0.008"):
        PsiClassifier(hidden=(200,), fan_in=10, l1=0.001, epochs=100, learning_rate=1e-4, random_state=0).fit(
            X, y
        )
    with pytest.raises(InputError, match="fan_in must be at most 16"):
        quick("psi", fan_in=17, hidden=(20,)).fit(X, y)


def test_a_psi_network_whose_formula_is_too_long_shows_other_rules(monkeypatch):
    X, y = booleans()

    def too_long(*_):
        raise LimitError("Too long.", "Make it shorter.")

    monkeypatch.setattr("logiclens.estimators.fit.compose", too_long)
    with pytest.warns(UserWarning, match="Too long. So the rules only approximate it. Make it shorter."):
        rules = quick("psi").fit(X, y).explain()

    assert equivalent(rules[True].formula, parse_formula("x0 & x1"))
