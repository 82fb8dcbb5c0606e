"""From networks to explanations: exact for psi, faithful to the rows for the others."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from logiclens import MuClassifier
from logiclens.estimators.balancing import COUNTED
from logiclens.estimators.base import LENClassifier
from logiclens.estimators.extraction import (
    EXACT,
    LONGEST,
    LONGEST_CONDITION,
    composition,
    explain_targets,
    rule_set,
)
from logiclens.estimators.inputs import read_concepts
from logiclens.estimators.settings import AUTO
from logiclens.estimators.targets import Problem, Targets
from logiclens.explain import Explanation, Rule, Step
from logiclens.logic import FALSE, TRUE, Var, equivalent, parse_formula
from logiclens.metrics import fidelity
from tests.estimators.toys import NAMES, booleans, frame, quick
from tests.strategies import all_rows

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y = booleans()
THREE = (X[:, 0] + X[:, 1]).astype(int)
LABELS = np.column_stack([Y, X[:, 2] > 0.5, THREE == 1])


# --- psi: the formulas are the network ---


@pytest.fixture(scope="module", params=[(), (10,), (6, 4)], ids=str)
def hidden(request: pytest.FixtureRequest) -> tuple[int, ...]:
    return request.param


@pytest.mark.parametrize("y", [Y, THREE, LABELS], ids=["binary", "classes", "labels"])
@pytest.mark.parametrize("epochs", [6, 40])
def test_psi_is_explained_exactly(hidden, y, epochs):
    """On all tuples, seen or not, well trained or not: fidelity is 1, not nearly 1."""
    rng = np.random.default_rng(0)
    some = rng.choice(len(X), 30, replace=False)
    clf = quick(hidden=hidden, epochs=epochs).fit(X[some], y[some])
    every = all_rows(4)
    said = clf.decide(every)

    assert (clf.explain().fired(every) == said).all()
    assert fidelity(clf.explain(), every, said, names=clf.concept_names_).plain == 1.0
    assert {rule.status for rule in clf.explain().values()} <= {
        EXACT,
        "always predicted on the data",
        "never predicted on the data",
    }


def test_psi_is_explained_exactly_on_noise():
    """Where formulas are long: eight concepts, all 256 tuples, degrees of truth as well."""
    rng = np.random.default_rng(3)
    x, y = rng.random((60, 8)), rng.integers(0, 3, 60)
    clf = quick(hidden=(6, 4), fan_in=4).fit(x, y)
    for rows in (all_rows(8), rng.random((500, 8))):
        assert (clf.explain().fired(rows) == clf.decide(rows)).all()


def test_each_neuron_of_psi_can_be_read():
    """Composing the neurons' formulas by hand gives the output's."""
    clf = quick(hidden=(6, 4)).fit(frame(X), Y)
    found = composition(clf.network_, 0, clf.concept_names_)
    values = dict(zip(NAMES, all_rows(4).T, strict=True))

    assert [len(layer) for layer in found.neurons] == [6, 4, 1]
    for layer, names in zip(found.neurons, (*found.hidden_names, ("out",)), strict=True):
        values |= {name: formula.evaluate(values) for name, formula in zip(names, layer, strict=True)}
        for formula in layer:
            assert len(formula.concepts) <= clf.fan_in
    assert (values["out"] == clf.decide(all_rows(4))[:, 1]).all()
    assert (found.outputs[0].evaluate(values) == values["out"]).all()
    assert equivalent(found.outputs[0], clf.explain()[True].formula)


# --- the others: the formulas agree with the network's answers ---


@pytest.mark.parametrize("kind", ["mu", "relu", "entropy"])
def test_rules_agree_with_the_network(kind):
    clf = quick(kind).fit(frame(X), LABELS)

    assert fidelity(clf.explain(), frame(X), clf.decide(X)).plain == 1.0
    for table in clf.tables_.values():
        assert table.yes.sum() + table.no.sum() == len(X)


@pytest.fixture(scope="module")
def partly() -> tuple[LENClassifier, LENClassifier]:
    """Trained without the rows that have both a and b, unseen tuples ignored or asked."""
    some = ~Y
    y = (X[:, 0] > 0.5) | (X[:, 1] > 0.5)
    made = [quick("mu", unseen=unseen).fit(frame(X)[some], y[some]) for unseen in ("ignore", "ask")]
    return made[0], made[1]


def test_unseen_tuples_are_free_by_default(partly):
    ignoring, asking = partly

    assert (ignoring.decision_function(X) == asking.decision_function(X)).all()
    assert ignoring.explain()[True].complexity <= asking.explain()[True].complexity


def test_unseen_tuples_are_asked_on_demand(partly):
    """Then the rule is true of the network on all tuples of the concepts it reads."""
    asking = partly[1]
    every = np.zeros((16, 4))
    kept = np.flatnonzero(asking.network_.kept()[0].numpy())
    every[:, kept] = all_rows(4)[:, : len(kept)]

    assert (asking.explain()[True].evaluate(every, names=NAMES) == asking.decide(every)[:, 1]).all()


@pytest.mark.parametrize("kind", ["mu", "relu", "entropy"])
def test_aggregation_as_in_the_paper(kind):
    """Example-level explanations, the most frequent first, kept while validation gains."""
    clf = quick(kind, aggregation="paper", settle=False).fit(frame(X), Y)
    rule = clf.explain()[True]

    assert "example-level explanation" in rule.status
    assert (rule.evaluate(frame(X)) == Y).mean() > 0.7
    assert equivalent(quick(kind).fit(frame(X), Y).explain()[True].formula, parse_formula("a & b"))


def test_explaining_again_gives_the_same():
    clf = quick("mu").fit(frame(X), Y)
    targets = Targets((False, True), Problem.BINARY, Y[:, None].astype(float))
    fold = clf.hold_out(X, targets, np.ones(len(X)))
    rules, tables = explain_targets(
        clf.network_, X, targets, fold, clf.recipe(read_concepts(X, NAMES)).extraction
    )

    assert rules == clf.explain()
    assert tables == clf.tables_


# --- asking ---


# --- rules together ---


def explanations(*formulas):
    return [Explanation(Rule(label, formula)) for label, formula in zip("abc", formulas, strict=False)]


def test_precision_orders_the_steps_and_the_default_is_what_is_left():
    x = np.array([[1.0], [1.0], [1.0], [0.0], [0.0], [0.0]])
    truth = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 1], [0, 1]], dtype=float)
    rules = rule_set(explanations(Var("v"), FALSE), x, truth, np.ones(6), ("v",), Problem.BINARY)

    assert rules.steps == (Step("a", Var("v")),)
    assert rules.default == "b"
    assert rules.predict({"v": [1.0, 0.0]}).tolist() == ["a", "b"]


def test_default_where_every_row_is_covered_is_the_most_frequent_class():
    truth = np.array([[0, 1], [0, 1], [1, 0]], dtype=float)
    rules = rule_set(
        explanations(Var("v"), FALSE), np.ones((3, 1)), truth, np.ones(3), ("v",), Problem.BINARY
    )

    assert rules.default == "b"


def test_several_labels_have_no_default():
    truth = np.eye(2)
    rules = rule_set(
        explanations(TRUE, FALSE), np.ones((2, 1)), truth, np.ones(2), ("v",), Problem.MULTI_LABEL
    )

    assert rules.multi_label
    assert rules.default is None


def test_networks_learn_and_formulas_are_chosen_by_weights_of_their_own():
    recipe = MuClassifier().recipe(read_concepts(X, NAMES))

    assert (recipe.population.balance, recipe.extraction.balance) == AUTO
    assert recipe.extraction.max_literals == LONGEST
    condition = MuClassifier(rule="if").recipe(read_concepts(X, NAMES)).extraction
    assert (condition.balance, condition.max_literals) == (COUNTED, LONGEST_CONDITION)


@pytest.mark.parametrize("least", [2, 3])
def test_a_rule_is_as_long_as_its_target_needs(least):
    """At least two of five takes 20 literals, at least three takes 30; no shorter formula is right."""
    rows = np.repeat(list(product([0.0, 1.0], repeat=5)), 60, axis=0)
    y = rows.sum(axis=1) >= least
    rules = MuClassifier(random_state=0, restarts=1).fit(rows, y).explain()

    assert [each.complexity for each in rules.values()] == [{2: 20, 3: 30}[least]] * 2
    assert rules.score(rows, y) == 1.0
