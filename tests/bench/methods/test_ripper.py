"""RIPPER: formulas and answers are those of the package's own model."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from logiclens.bench.experiments import Fold
from logiclens.bench.methods.packages import secluded
from logiclens.bench.methods.ripper import ClassRules, LiteralRules, Ripper, _trust, read_rules
from logiclens.logic import FALSE, TRUE
from tests.bench.methods.toys import CLASSES, check, held, same, several_classes, two_classes

EVERY = ((np.arange(64)[:, None] >> np.arange(6)) & 1).astype(bool)


# --- without the package ---


def test_any_rule_may_fire():
    found = LiteralRules((((0, True), (1, False)), ((2, True),)))
    x = EVERY[:8, :3]

    assert found.n_literals == 3
    assert found.fires(x).tolist() == [bool((a and not b) or c) for a, b, c in x]
    for value in (True, False):
        said = found.formula(("a", "b", "c"), value).evaluate(dict(zip("abc", x.T, strict=True)))
        assert (said == (found.fires(x) == value)).all()


def test_no_rule_and_a_rule_about_all_rows():
    nothing, everything = LiteralRules(()), LiteralRules(((),))

    assert (nothing.formula("a"), nothing.formula("a", value=False)) == (FALSE, TRUE)
    assert (everything.formula("a"), everything.formula("a", value=False)) == (TRUE, FALSE)
    assert not nothing.fires(EVERY).any()
    assert everything.fires(EVERY).all()


def test_who_decides():
    """Of those that fire the most precise in training; of none the most frequent class that is left."""
    y = np.array([0, 0, 0, 1, 2, 2, 2])
    in_training = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 0], [1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 1, 0]])
    fired = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]])

    precision, fallback = _trust(in_training == 1, y)
    rules = ClassRules((LiteralRules(()),) * 3, (0, 1, 2), precision, fallback)
    assert rules.decide(fired == 1).tolist() == [0, 1, 2, 2]


# --- with it ---


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
    with secluded(0):
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
def test_nothing_is_left_behind(capfd):
    fold = two_classes()[0]
    random.seed(7)
    np.random.seed(7)
    expected = random.random(), np.random.random()
    random.seed(7)
    np.random.seed(7)
    one, other = (Ripper().fit([fold], seed=3)[0] for _ in range(2))

    assert (random.random(), np.random.random()) == expected
    assert same(one, other)
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("package")
def test_every_process_finds_the_same_rules():
    """Texts hash differently in every process: nothing may depend on it."""
    code = (
        "from tests.bench.methods.toys import several_classes as s; "
        "from logiclens.bench.methods.ripper import Ripper; "
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
