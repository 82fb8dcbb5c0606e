"""Defects of the reference implementations, one test each: what they did, and that we do not."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning
from torch import nn

from logiclens import (
    FALSE,
    TRUE,
    And,
    Not,
    Or,
    Var,
    complexity,
    consistency,
    cross_explain,
    equivalent,
    explanation_accuracy,
    load,
    parse_formula,
    simplify,
)
from logiclens.errors import InputError
from logiclens.nn.criteria import entropy, mutual_information_loss
from logiclens.nn.entropy import concept_attention
from logiclens.nn.own_models import affine_map
from tests.estimators.toys import CLASSIFIERS, booleans, frame, quick, xor

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y = booleans()
FRAME = frame(X)
KINDS = list(CLASSIFIERS)


def named(*names: str) -> pd.DataFrame:
    """The rows, with other names for a, b, c, d."""
    return pd.DataFrame(X, columns=list(names))


# --- names and files ---


def test_a_concept_that_reads_like_code_is_a_name(tmp_path, monkeypatch):
    """A concept called ``__import__('os').system(...)`` was executed: formulas went through ``eval``."""
    monkeypatch.chdir(tmp_path)
    evil = "__import__('os').system('touch broken')"
    rules = quick().fit(named(evil, "b", "c", "d"), Y).explain()
    again = parse_formula(str(rules[True].formula))

    assert equivalent(again, Var(evil) & Var("b"))
    assert again.evaluate(named(evil, "b", "c", "d")).tolist() == Y.tolist()
    assert os.listdir(tmp_path) == []


def test_a_stored_model_is_no_pickle(tmp_path):
    """Models were stored as pickles, which run code when they are opened."""
    quick().fit(FRAME, Y).save(tmp_path / "model.lens")
    stored = (tmp_path / "model.lens").read_bytes()

    assert b"\x80\x04" not in stored[:64]
    assert stored[:1] != b"\x80"
    assert (load(tmp_path / "model.lens").predict(FRAME) == Y).all()


def test_a_name_inside_another_is_another_name():
    """``red`` in ``red_wing``, ``x1`` in ``x10``: names were substituted as text, scores became 50 or 0."""
    for one, other in (("red", "red_wing"), ("x1", "x10"), ("age", "image")):
        data = named(one, other, "c", "d")
        rules = quick().fit(data, Y).explain()
        assert equivalent(rules[True].formula, Var(one) & Var(other))
        assert explanation_accuracy(rules, data, Y).macro_f1 == 1.0


def test_names_that_mean_something_elsewhere_are_names():
    """``S``, ``max``, ``lambda`` and ``has wing`` crashed."""
    data = named("S", "max", "lambda", "has wing")
    rules = quick().fit(data, Y).explain()

    assert equivalent(rules[True].formula, Var("S") & Var("max"))
    assert rules.score(data, Y) == 1.0
    assert equivalent(quick().fit(data, X[:, 3] > 0.5).explain()[True].formula, Var("has wing"))


# --- scores ---


def test_constants_mean_what_they_say():
    """``True`` and ``False`` were scored with their meaning turned round for class 0."""
    y = np.zeros(len(X), dtype=int)
    scored = explanation_accuracy({0: TRUE, 1: FALSE}, FRAME, y)

    assert scored.plain == 1.0
    assert explanation_accuracy({0: FALSE, 1: TRUE}, FRAME, y).plain == 0.0


def test_no_rule_is_a_formula():
    """An empty formula was scored on uninitialised memory."""
    rules = quick(epochs=10).fit(np.ones((len(X), 1)), Y).explain()

    assert rules[True].formula == FALSE
    assert rules[True].status == "never predicted on the data"
    assert explanation_accuracy(rules, np.ones((len(X), 1)), Y, names=["x0"]).plain == (~Y).mean()


def test_one_wrong_row_costs_one_row():
    """A formula right on 99 of 100 rows scored 0.0: subset accuracy, by accident."""
    data = {"v": np.arange(100) < 50}
    y = data["v"].copy()
    y[0] = False

    assert explanation_accuracy({False: ~Var("v"), True: Var("v")}, data, y).plain == 0.99


def test_complexity_counts_literals():
    """It counted blanks in the text of a formula."""
    assert complexity(Var("a name of many words") & ~Var("b")) == 2


def test_consistency_is_about_concepts():
    """``x < 0.5`` and ``x > 0.5`` were two concepts."""
    assert consistency([{0: Var("x")}, {0: ~Var("x")}]).plain == 1.0


@pytest.mark.filterwarnings("ignore:y holds the class")
def test_tautologies_are_simplified():
    """``a | ~a`` was returned as it was."""
    a = Var("a")

    assert simplify(Or(a, Not(a))) == TRUE
    assert simplify(And(a, Not(a))) == FALSE
    assert quick().fit(FRAME, np.ones(len(X))).explain()[1.0].formula == TRUE


# --- the ReLU network ---


def test_the_affine_map_has_the_bias():
    """The reduced map of a ReLU network added the flag ``bias`` instead of the vector."""
    generator = torch.Generator().manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 2)).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    x = torch.rand(20, 3, generator=generator, dtype=torch.float64)
    weight, bias = affine_map(model, x)

    assert torch.allclose((weight * x).sum(dim=-1) + bias, model(x).T)


def test_each_class_has_its_own_concepts():
    """Relevance was ranked over all outputs of a ReLU network: every class got the same concepts."""
    targets = pd.DataFrame({"p": X[:, 0] > 0.5, "q": X[:, 3] > 0.5})
    clf = quick("relu").fit(FRAME, targets)

    assert clf.explain()["p"].concepts == ("a",)
    assert clf.explain()["q"].concepts == ("d",)
    assert clf.concept_relevance_.argmax(axis=1).tolist() == [0, 3]


@pytest.mark.parametrize("seed", range(3))
def test_xor_is_not_or(seed):
    """On XOR the ReLU network returned ``x1 | x2``; the first example was right seven times in ten."""
    x, y = xor(seed)
    rules = CLASSIFIERS["relu"](random_state=seed, device="cpu").fit(x, y).explain()

    assert equivalent(rules[True].formula, parse_formula("(x0 & ~x1) | (~x0 & x1)"))


# --- state ---


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_random_after_fitting(kind):
    """``predict`` left dropout on, so that formulas changed from call to call."""
    clf = quick(kind).fit(FRAME, Y)

    assert (clf.predict_proba(FRAME) == clf.predict_proba(FRAME)).all()
    assert clf.explain(FRAME) == clf.explain(FRAME)


def test_new_rows_are_looked_at():
    """Explanations were cached for each class: new data and new names were ignored."""
    clf = quick("mu").fit(FRAME, Y)
    assert str(clf.explain()[True].formula) == "a & b"

    assert str(clf.explain(FRAME[X[:, 1] > 0.5])[True].formula) == "a"
    clf.fit(named("p", "q", "r", "s"), Y)
    assert str(clf.explain()[True].formula) == "p & q"


def test_fit_writes_and_reloads_nothing(tmp_path, monkeypatch):
    """``fit`` wrote files into the working directory and silently loaded old ones again."""
    monkeypatch.chdir(tmp_path)
    clf = quick().fit(FRAME, Y)
    clf.fit(FRAME, ~Y)

    assert os.listdir(tmp_path) == []
    assert (clf.predict(FRAME) == ~Y).all()


# --- what raised, or did not ---


def test_the_mutual_information_loss_is_a_number():
    """It always raised."""
    logits = torch.tensor([[9.0, -9.0], [-9.0, 9.0]], requires_grad=True)
    loss = mutual_information_loss(logits)
    loss.backward()

    assert loss.item() == pytest.approx(-np.log(2), abs=1e-4)
    assert torch.isfinite(logits.grad).all()


@pytest.mark.parametrize("kind", KINDS)
def test_mini_batches_work(kind):
    """Mini-batches and schedulers always raised."""
    clf = quick(kind, batch_size=10, epochs=20).fit(FRAME, Y)

    assert clf.score(FRAME, Y) == 1.0


def test_a_class_may_be_missing_from_a_fold():
    """It raised."""
    y = np.where(Y, "a", "b").astype(object)
    y[0] = "c"
    scores = cross_explain(quick(epochs=20), FRAME, y, cv=3)

    assert scores["explanation_accuracy"].notna().all()


def test_float_labels_are_labels():
    """They raised."""
    clf = quick().fit(FRAME, np.where(Y, 2.0, 1.0))

    assert clf.predict(FRAME).tolist() == np.where(Y, 2.0, 1.0).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_missing_values_are_refused(kind):
    """NaN was accepted silently."""
    with pytest.raises(InputError, match="Column 'c' has 80 missing values, the first in row 0"):
        quick(kind, encoder=None).fit(FRAME.assign(c=np.nan), Y)


def test_extraction_knows_no_device():
    """CUDA tensors failed in extraction: here a fitted network is on the CPU, wherever it was trained."""
    clf = quick("relu", device="auto").fit(torch.tensor(X), Y)

    assert {parameter.device.type for parameter in clf.network_.parameters()} == {"cpu"}
    assert clf.explain(torch.tensor(X)) == clf.explain(X)


# --- numbers ---


def test_attention_is_finite_for_any_weights():
    """A softmax without its shift by the maximum, and ``0 log 0``, gave NaN."""
    weight = torch.tensor([[1e4, 0.0, -1e4]], requires_grad=True)
    alpha = concept_attention(weight, torch.tensor([False, False, False]), 0.1)
    (alpha.sum() + entropy(alpha)).backward()

    assert torch.isfinite(alpha).all()
    assert torch.isfinite(weight.grad).all()
    assert float(entropy(torch.tensor([1.0, 0.0]))) == 0.0


# --- the psi network ---


def test_two_classes_of_psi_have_two_formulas():
    """With a single output both classes got the same formula."""
    rules = quick().fit(FRAME, Y).explain()

    assert equivalent(rules[False].formula, ~rules[True].formula)
    assert not equivalent(rules[False].formula, rules[True].formula)


def test_fan_in_may_exceed_the_number_of_concepts():
    """It raised."""
    rules = quick(fan_in=9).fit(FRAME, Y).explain()

    assert equivalent(rules[True].formula, parse_formula("a & b"))


def test_psi_does_not_collapse_to_constants():
    """Four of its formulas in eighteen were constants."""
    found = []
    for seed in range(9):  # two formulas each
        x, y = xor(seed, 100)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            clf = quick(random_state=seed, restarts=5, epochs=200).fit(x, y)
        found += [rule.formula for rule in clf.explain().values()]

    assert len(found) == 18
    assert not {TRUE, FALSE} & set(found)


# --- entropy and clusters ---


def test_every_class_of_an_entropy_network_gets_its_rows():
    """Rows counted only where the raw logit was above 0.5, although training used softmax.

    Half of the classes got no formula. Here the largest output decides, whatever its size.
    """
    classes = (2 * X[:, 0] + X[:, 1]).astype(int)
    clf = quick("entropy", restarts=2).fit(FRAME, classes)

    assert clf.decide(FRAME).any(axis=0).all()
    assert (clf.decide(FRAME).sum(axis=1) == 1).all()
    assert all(rule.formula not in (TRUE, FALSE) for rule in clf.explain().values())
    assert all(clf.seen_.predictions(at).yes.sum() == 20 for at in range(4))


@pytest.mark.parametrize("kind", KINDS)
def test_rules_belong_to_the_group_they_are_called_after(kind):
    """Swapped cluster numbers gave rules for the wrong cluster."""
    rules: list[Any] = [
        quick(kind).fit(FRAME, labels).explain() for labels in (Y.astype(int), (~Y).astype(int))
    ]

    for first, second in ((0, 1), (1, 0)):
        assert equivalent(rules[0][first].formula, rules[1][second].formula)
        assert (rules[0][first].evaluate(FRAME) == (first == Y)).all()
