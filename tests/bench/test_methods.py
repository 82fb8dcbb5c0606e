"""The methods by name, and those of others: formulas and answers are those of their own models."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from logiclens.bench import methods
from logiclens.bench.experiments import EXPERIMENTS, Fold
from logiclens.bench.method import is_installed, isolation
from logiclens.bench.methods import (
    CLUSTERERS,
    DEFAULT,
    METHODS,
    BayesianRuleList,
    Boosting,
    ClassRules,
    Logistic,
    Ripper,
    RuleList,
    Tree,
    _precision_and_fallback,
    method_for,
    methods_for,
    read_list,
    read_rules,
    tree_ways,
)
from logiclens.logic import FALSE, TRUE, equivalent
from logiclens.logic.normal_form import is_dnf
from logiclens.metrics import complexity
from tests.bench.toys import CLASSES, NAMES, check, held, same, several_classes, two_classes
from tests.errors import error_of
from tests.strategies import HOSTILE_NAMES, all_rows

QUICK = ("tree", "logistic", "mlp", "boosting", "ripper")


def test_names_are_their_own():
    assert all(name == method.name for name, method in [*METHODS.items(), *CLUSTERERS.items()])
    assert len({method.title for method in METHODS.values()}) == len(METHODS)
    assert DEFAULT in METHODS
    assert DEFAULT in CLUSTERERS


def test_what_they_say_about_themselves():
    assert {name for name, each in METHODS.items() if each.slow} == {"brl", "ripper"}
    assert {name for name, each in METHODS.items() if not each.has_rules} == {"logistic", "mlp", "boosting"}
    assert {name for name, each in METHODS.items() if each.package} == {"brl", "ripper"}
    assert {name for name, each in METHODS.items() if each.together} == {
        f"{kind}{end}" for kind in ("mu", "psi", "relu", "entropy") for end in ("", "-reference")
    }


def test_an_experiment_says_how_deep_trees_are():
    assert method_for("tree", EXPERIMENTS["cub"]) == Tree(max_depth=30)
    assert method_for("tree", replace(EXPERIMENTS["vdem"], tree_depth=2)) == Tree(max_depth=2)
    assert methods_for(EXPERIMENTS["vdem"]).keys() == METHODS.keys()


def test_methods_that_do_not_apply_or_are_misspelled():
    text = error_of(method_for, "tree", EXPERIMENTS["mnist-iclu"])

    assert methods_for(EXPERIMENTS["mnist-iclu"]) == CLUSTERERS
    assert text.startswith("Unknown method 'tree' for MNIST (ICLU). ")
    assert text.endswith("There are mu, psi, relu, entropy.")
    assert "Unknown method 'boost' for V-Dem" in error_of(method_for, "boost", EXPERIMENTS["vdem"])


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("make", [two_classes, several_classes])
def test_every_quick_method_learns(name, make):
    method = METHODS[name]
    if not is_installed(method.package):
        pytest.skip(f"{method.package} is not installed")
    folds = make(noise=0.0)
    for outcome, fold in zip(method.fit(folds, seed=0), folds, strict=True):
        check(outcome, fold)
        assert (outcome.answers == fold.y_test).mean() > 0.65
        assert (outcome.rules is None) == (not method.has_rules)
        if method.has_rules:
            assert (held(outcome.rules, fold) == outcome.said).all()


def test_methods_are_listed_before_anything_is_imported():
    code = "import sys; from logiclens.bench.methods import METHODS; print(sorted(set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not {"'torch'", "'imodels'", "'wittgenstein'", "'sklearn'"} & set(done.stdout[1:-2].split(", "))


@pytest.mark.parametrize("depth", [1, 5, 30])
@pytest.mark.parametrize("make", [two_classes, several_classes])
def test_formulas_say_what_the_tree_says(make, depth):
    folds = make(noise=0.2)
    for outcome, fold in zip(Tree(max_depth=depth).fit(folds, seed=0), folds, strict=True):
        check(outcome, fold)
        assert (held(outcome.rules, fold) == outcome.said).all()
        assert (outcome.said.argmax(axis=1) == outcome.answers).all()
        twin = DecisionTreeClassifier(max_depth=depth, random_state=0)
        twin.fit(fold.x_train > 0.5, fold.y_train)
        assert (outcome.answers == twin.predict(fold.x_test > 0.5)).all()


def test_ways_are_counted_as_they_are_read():
    """The literals of all classes are the depths of all leaves: nothing is merged."""
    (fold, _) = two_classes(noise=0.3)
    (outcome,) = Tree(max_depth=4).fit([fold], seed=0)
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(fold.x_train > 0.5, fold.y_train)
    path = tree.decision_path((np.arange(64)[:, None] >> np.arange(6)) & 1)
    leaves = {row.tobytes(): row.sum() - 1 for row in path.toarray()}

    assert complexity(outcome.rules) * 2 == sum(leaves.values())
    assert sum(map(len, tree_ways(tree, NAMES).values())) == tree.get_n_leaves()


def test_a_tree_of_one_leaf():
    x = np.array([[1.0], [0.0]])
    fold = Fold(0, ("a",), CLASSES, x, np.array([1, 1]), x, np.array([0, 1]))
    (outcome,) = Tree().fit([fold], seed=0)

    assert [str(rule) for rule in outcome.rules.values()] == ["FALSE", "TRUE"]
    assert outcome.answers.tolist() == [1, 1]


EVERY = ((np.arange(64)[:, None] >> np.arange(6)) & 1).astype(bool)
FEW_NAMES = HOSTILE_NAMES[:5]
CONDITIONS = st.dictionaries(st.integers(0, 4), st.booleans(), max_size=3)
LISTS = st.lists(st.tuples(CONDITIONS, st.booleans()), max_size=6)


def read_in_order(rules, otherwise, row) -> bool:
    for literals, says in rules:
        if all(row[at] == value for at, value in literals.items()):
            return says
    return otherwise


@given(LISTS, st.booleans(), st.booleans())
def test_the_formula_says_what_the_list_says(rules, otherwise, value):
    """The first rule that fires decides; so do chances."""
    yes = (*(0.9 if says else 0.1 for _, says in rules), float(otherwise))
    found = RuleList(tuple(tuple(literals.items()) for literals, _ in rules), yes)
    formula = found.formula(FEW_NAMES, value)
    table = all_rows(len(FEW_NAMES)).astype(bool)
    said = np.broadcast_to(formula.evaluate(dict(zip(FEW_NAMES, table.T, strict=True))), len(table))
    expected = [read_in_order(rules, otherwise, row) for row in table]

    assert (said == value).tolist() == found.fires(table).tolist() == expected
    assert found.n_literals == sum(len(literals) for literals, _ in rules)
    assert is_dnf(formula)


@pytest.mark.parametrize(
    ("rules", "yes", "formula"),
    [
        ("a, a & b", (0.2, 0.9, 0.1), "FALSE"),
        ("a, a & b", (0.5, 0.9, 0.1), "a"),
        ("a, b", (0.2, 0.9, 0.1), "~a & b"),
        ("", (0.7,), "TRUE"),
        ("", (0.2,), "FALSE"),
    ],
)
def test_terms_that_contradict_or_imply_others_go(rules, yes, formula):
    split = [[("ab".index(name), True) for name in rule.split(" & ")] for rule in rules.split(", ") if rule]

    assert str(RuleList(tuple(map(tuple, split)), yes).formula(("a", "b"))) == formula


def test_any_rule_of_a_set_may_fire():
    found = RuleList.any_of([[(0, True), (1, False)], [(2, True)]])

    assert found.fires(EVERY[:8, :3]).tolist() == [bool((a and not b) or c) for a, b, c in EVERY[:8, :3]]
    assert RuleList.any_of([()]).fires(EVERY).all()
    assert not RuleList.any_of([]).fires(EVERY).any()


def test_a_list_too_long_to_write_out_stays_a_formula(monkeypatch):
    names = [f"c{j}" for j in range(8)]
    found = RuleList(tuple(((j, True), (j + 1, True)) for j in range(0, 8, 2)), (*[0.0] * 4, 1.0))
    written = found.formula(names)
    monkeypatch.setattr(methods, "MOST_TERMS", 15)
    short = found.formula(names)

    assert written.literals == 16 * 4
    assert short.literals == 8
    assert equivalent(written, short)


METHOD = BayesianRuleList(iterations=1500)


@pytest.mark.parametrize("share", [0.2, 0.8])
def test_rules_are_about_a_tenth_of_the_rarer_side(share, monkeypatch):
    """Of two classes as of many; imodels counts among all rows."""
    asked = []

    class Model:
        def __init__(self, **settings):
            asked.append(settings["minsupport"])

        def fit(self, *_):
            raise ValueError

    class Package:
        BayesianRuleListClassifier = Model

    monkeypatch.setattr("logiclens.bench.methods.package_for", lambda *_: Package)
    x, y = np.zeros((10, 1)), (np.arange(10) < 10 * share).astype(int)
    METHOD.fit_fold(Fold(0, ("a",), ("no", "yes"), x, y, x, y), seed=0)

    assert asked == [pytest.approx(0.02)]


@pytest.fixture(scope="module")
def imodels() -> Any:
    return pytest.importorskip("imodels")


@pytest.mark.usefixtures("imodels")
def test_two_classes_share_a_list():
    folds = two_classes()
    for outcome, fold in zip(METHOD.fit(folds, seed=0), folds, strict=True):
        check(outcome, fold)
        assert (held(outcome.rules, fold) == outcome.said).all()
        assert (outcome.said.sum(axis=1) == 1).all()
        assert (outcome.said[:, 1] == outcome.answers).all()
        assert (outcome.answers == fold.y_test).mean() > 0.7
        assert outcome.list_literals > 0


@pytest.mark.parametrize("seed", [0, 1])
def test_the_formula_is_what_the_model_predicts(imodels, seed):
    """On every combination of the concepts, not only on those of the data."""
    fold = two_classes(seed=seed, noise=0.1)[0]
    with isolation(seed):
        model = imodels.BayesianRuleListClassifier(max_iter=1500, random_state=seed)
        model.fit((fold.x_train > 0.5).astype(float), fold.y_train)
        x = ((np.arange(64)[:, None] >> np.arange(6)) & 1).astype(bool)
        predicted = model.predict(x.astype(float)).astype(bool)
        chances = model.predict_proba(x.astype(float))[:, 1]
    found = read_list(model)

    assert found.chances(x).tolist() == chances.tolist()
    for value in (True, False):
        formula = found.formula(fold.concept_names, value)
        said = formula.evaluate(dict(zip(fold.concept_names, x.T, strict=True)))
        assert (np.broadcast_to(said, 64) == (predicted == value)).all()
    (outcome,) = METHOD.fit([fold], seed=seed)
    assert outcome.rules[CLASSES[1]] == found.formula(fold.concept_names)


@pytest.mark.usefixtures("imodels")
def test_several_classes_have_a_list_each():
    fold = several_classes()[0]
    (outcome,) = METHOD.fit([fold], seed=0)

    check(outcome, fold)
    assert (held(outcome.rules, fold) == outcome.said).all()
    assert (outcome.answers == fold.y_test).mean() > 0.7


@pytest.mark.usefixtures("imodels")
def test_a_class_without_rows_and_concepts_that_are_never_true():
    x = np.zeros((20, 2))
    y = np.array([0] * 12 + [2] * 8)
    fold = Fold(0, ("a", "b"), ("p", "q", "r"), x, y, x, y)
    (outcome,) = METHOD.fit([fold], seed=0)

    assert [str(rule) for rule in outcome.rules.values()] == ["TRUE", "FALSE", "FALSE"]
    assert (outcome.answers == 0).all()
    assert outcome.list_literals == 0.0


def test_who_decides():
    """Of those that fire the most precise in training; of none the most frequent class that is left."""
    y = np.array([0, 0, 0, 1, 2, 2, 2])
    in_training = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 0], [1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 1, 0]])
    x = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]])

    precision, fallback = _precision_and_fallback(in_training == 1, y)
    sets = tuple(RuleList.any_of([[(at, True)]]) for at in range(3))
    rules = ClassRules(sets, (0, 1, 2), precision, fallback)
    assert rules.predict(x == 1).tolist() == [0, 1, 2, 2]


@pytest.fixture(scope="module")
def package() -> Any:
    return pytest.importorskip("wittgenstein")


@pytest.mark.parametrize("rarer", [0, 1])
def test_the_rarer_of_two_classes_is_learned(package, rarer):
    """Its formula is what the model predicts, on every combination; the other is its complement."""
    fold = two_classes(noise=0.05)[0]
    if (2 * fold.y_train.sum() <= len(fold.y_train)) != rarer:
        fold = Fold(
            0, fold.concept_names, CLASSES, fold.x_train, 1 - fold.y_train, fold.x_test, 1 - fold.y_test
        )
    with isolation(0):
        model = package.RIPPER(random_state=0, n_discretize_bins=None)
        model.fit(
            pd.DataFrame((fold.x_train > 0.5).astype(int)), (fold.y_train == rarer).astype(int), pos_class=1
        )
        predicted = np.array(model.predict(pd.DataFrame(EVERY.astype(int))))
    (outcome,) = Ripper().fit([fold], seed=0)
    check(outcome, fold)
    columns = dict(zip(fold.concept_names, EVERY.T, strict=True))

    assert read_rules(model).rules
    assert (outcome.rules[CLASSES[rarer]].evaluate(columns) == predicted).all()
    assert (outcome.rules[CLASSES[1 - rarer]].evaluate(columns) == ~predicted).all()
    assert (held(outcome.rules, fold) == outcome.said).all()
    assert (outcome.said[:, 1] == outcome.answers).all()
    assert outcome.list_literals == read_rules(model).n_literals


@pytest.mark.usefixtures("package")
def test_several_classes():
    fold = several_classes()[0]
    (outcome,) = Ripper().fit([fold], seed=0)

    check(outcome, fold)
    assert (held(outcome.rules, fold) == outcome.said).all()
    fires_alone = outcome.said.sum(axis=1) == 1
    assert (outcome.said.argmax(axis=1) == outcome.answers)[fires_alone].all()


@pytest.mark.usefixtures("package")
def test_a_class_without_rows():
    fold = two_classes()[0]
    wider = Fold(0, fold.concept_names, (*CLASSES, "c"), fold.x_train, fold.y_train, fold.x_test, fold.y_test)
    (outcome,) = Ripper().fit([wider], seed=0)
    alone = Fold(0, fold.concept_names, CLASSES, fold.x_train, fold.y_train * 0, fold.x_test, fold.y_test)
    (certain,) = Ripper().fit([alone], seed=0)

    assert outcome.rules["c"] == FALSE
    assert not (outcome.answers == 2).any()
    assert list(certain.rules.values()) == [TRUE, FALSE]
    assert not certain.answers.any()


@pytest.mark.usefixtures("package")
def test_every_process_finds_the_same_rules():
    """Texts hash differently in every process: nothing may depend on it."""
    code = (
        "from tests.bench.toys import several_classes as s; "
        "from logiclens.bench.methods import Ripper; "
        "print([str(f) for o in Ripper().fit(s(120, noise=0.3), 0) for f in o.rules.values()])"
    )
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    there = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    here = [str(f) for o in Ripper().fit(several_classes(120, noise=0.3), 0) for f in o.rules.values()]

    assert there == f"{here}\n"


@pytest.mark.parametrize("method", [Logistic(), Boosting()], ids=lambda each: each.name)
def test_they_see_degrees(method):
    """A class that lies above 0.8 is learned: on truth values it could not be."""
    x = np.random.default_rng(0).random((300, 2))
    y = (x[:, 0] > 0.8).astype(np.intp)
    fold = Fold(0, ("a", "b"), CLASSES, x[:200], y[:200], x[200:], y[200:])
    (outcome,) = method.fit([fold], seed=0)

    check(outcome, fold)
    assert (outcome.answers == fold.y_test).mean() > 0.9
    assert outcome.rules is None
    assert (outcome.said.argmax(axis=1) == outcome.answers).all()
    assert outcome.seconds_extract == 0.0


@pytest.mark.parametrize(
    "method", [Tree(), Logistic(), Boosting(), METHOD, Ripper()], ids=lambda each: each.name
)
def test_the_same_seed_gives_the_same(method, capfd):
    """And nothing is left behind: neither text nor draws from the generators that all share."""
    if not is_installed(method.package):
        pytest.skip(f"{method.package} is not installed")
    before = random.getstate(), np.random.get_state()[1].tolist()
    folds = several_classes(n=90, noise=0.3)

    assert all(map(same, method.fit(folds, seed=2), method.fit(folds, seed=2)))
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before
    assert capfd.readouterr() == ("", "")
