"""Whole runs: training, settling, implications and explaining, in order."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from logiclens.estimators import runs
from logiclens.estimators.asking import ask
from logiclens.estimators.balancing import Balance
from logiclens.estimators.counting import Fold
from logiclens.estimators.inputs import read_concepts
from logiclens.estimators.runs import fit_folds, network_answers
from logiclens.estimators.targets import Problem, Targets, read_targets
from logiclens.logic import equivalent, parse_formula
from tests.estimators.toys import CLASSIFIERS, NAMES, booleans, frame, quick

pytestmark = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")

X, Y = booleans()
HALF = np.arange(len(X)) < 48


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_one_result_for_each_fold(kind):
    clf = quick(kind)
    targets = read_targets(Y, len(Y))
    folds = [clf.hold_out(X, targets, part.astype(float)) for part in (HALF, ~HALF, HALF | True)]
    fitted = fit_folds(clf.recipe(read_concepts(X, NAMES)), X, targets, folds)

    assert len(fitted) == 3
    for result in fitted:
        assert equivalent(result.rules[True].formula, parse_formula("a & b"))
        assert str(result.network.l1.dtype) == "torch.float64"
        assert result.network.members == 1
        assert set(result.tables) == {False, True}
    assert [result.tables[True].yes.sum() for result in fitted] == [12, 8, 20]


@pytest.mark.parametrize("kind", ["mu", "relu", "entropy"])
def test_networks_settle_on_their_rules(kind):
    """On noise no short rule agrees with a network; settled, more of it does."""
    rng = np.random.default_rng(4)
    x, y = (rng.random((60, 5)) > 0.5).astype(float), rng.random(60) > 0.5
    shares = []
    for settles in (False, True):
        clf = quick(kind, settle=settles, max_literals=3, validation_fraction=0).fit(x, y)
        shares.append((clf.explain()[True].evaluate(x, names=clf.concept_names_) == clf.predict(x)).mean())

    assert shares[1] > shares[0]


@pytest.mark.parametrize("kind", ["mu", "relu", "entropy"])
def test_chosen_networks_that_still_differ_go_further_rounds(kind, monkeypatch):
    """A first round that taught them nothing leaves all of it to those after the choice."""
    rng = np.random.default_rng(3)
    x, labels = (rng.random((60, 5)) > 0.5).astype(float), rng.random((60, 2)) > 0.5  # noise
    settled, settle = [], runs.settle

    def late(networks, *args):
        settled.append((args, settle(networks, *args) if len(args) == 7 else networks))
        return settled[-1][1]

    monkeypatch.setattr(runs, "settle", late)
    clf = quick(kind, restarts=3, candidates=3, max_literals=3, validation_fraction=0).fit(x, labels)

    (_, (candidates,)), ((rows, (rules,), _, (checks,), _, _, rounds), (learned,)) = settled
    assert candidates.members == 3 * 2
    assert 0 < learned.members == rules.shape[1] == checks.shape[1] <= 2
    assert rounds == runs.FURTHER_ROUNDS
    assert ((ask(learned, rows) > 0) == rules).all()
    final = ask(clf.network_.alone(), rows) > 0
    assert all((final == rule[:, None]).all(axis=0).any() for rule in rules.T)  # they are what is kept


def test_nothing_is_left_to_learn_where_all_agree(monkeypatch):
    settled, settle = [], runs.settle
    monkeypatch.setattr(runs, "settle", lambda *args: settled.append((args, settle(*args))) or settled[-1][1])
    quick("mu").fit(X, Y)

    assert len(settled) == 1


def chosen(right: list[list[float]], searched: list[bool], n: int = 100) -> list[int]:
    """Candidates taken where each is right about shares of ``n`` rows, the first rows of each."""
    columns = [np.arange(n) < share * n for shares in right for share in shares]
    half = np.tile([0.0, 1.0], n // 2)
    targets = Targets((False, True), Problem.BINARY, np.column_stack([half] * len(right)))
    found = runs._most_right(
        np.column_stack(columns).astype(float), np.array(searched), targets, np.ones(n), Balance(power=0.2)
    )
    return found.tolist()


@pytest.mark.parametrize(
    ("right", "searched", "taken"),
    [
        ([0.80, 0.90], False, 1),
        ([0.90, 0.89], False, 0),
        ([0.90, 0.90], False, 0),  # the first of equals
        ([0.80, 0.90], True, 1),
        ([0.90, 0.90], True, 1),  # the searched one of equals
        ([0.90, 0.89], True, 1),  # one row of a hundred is chance
        ([0.90, 0.80], True, 0),  # clearly worse
        ([0.50, 0.90, 0.89], True, 2),
    ],
)
def test_a_searched_candidate_is_taken_unless_it_is_clearly_worse(right, searched, taken):
    assert chosen([right], [False] * (len(right) - 1) + [searched]) == [taken]


def test_each_output_has_a_candidate_of_its_own():
    assert chosen([[0.8, 0.9], [0.9, 0.8]], [False] * 4) == [1, 2]
    assert chosen([[0.9, 0.9], [0.9, 0.9]], [False, True, False, False]) == [1, 2]


def test_many_rows_tell_candidates_apart():
    assert chosen([[0.91, 0.90]], [False, True], n=100) == [1]
    assert chosen([[0.91, 0.90]], [False, True], n=10_000) == [0]


@pytest.mark.parametrize("kind", ["mu", "psi", "entropy", "relu"])
def test_implications_hold_on_the_rows_they_come_from(kind):
    """What the network says no to is not the target (IF); what it says yes to is (ONLY IF)."""
    rng = np.random.default_rng(6)
    x = (rng.random((200, 4)) > 0.5).astype(float)
    y = ((x[:, 0] + x[:, 1]) > 1) ^ (rng.random(200) < 0.1)
    necessary = quick(kind, rule="if").fit(x, y).decide(x)[:, 1]
    sufficient = quick(kind, rule="only_if").fit(x, y).decide(x)[:, 1]

    assert necessary[y].mean() >= 0.99
    assert not sufficient.any() or y[sufficient].mean() >= 0.9


def test_sufficient_conditions_do_not_cut_through_equal_rows():
    """One tuple, of which the first rows are cases by chance: all of it is said no to."""
    x = np.zeros((40, 2))
    y = np.arange(40) < 10

    assert not quick("psi", rule="only_if").fit(x, y).decide(x)[:, 1].any()
    assert not quick("mu", rule="only_if").fit(x, y).decide(x)[:, 1].any()


def test_network_answers_are_decisions():
    clf = quick().fit(frame(X), Y)

    assert (network_answers(clf.network_, X, Problem.BINARY) == clf.decide(X)).all()
    assert (network_answers(clf.network_, X, Problem.MULTI_LABEL) == (ask(clf.network_, X) > 0)).all()


def test_weights_of_any_size_train_the_same():
    clf = quick()
    targets = Targets((False, True), Problem.BINARY, Y[:, None].astype(float))
    scores = [
        ask(
            fit_folds(
                clf.recipe(read_concepts(X, NAMES)), X, targets, [Fold(np.full(80, unit), np.zeros(80))]
            )[0].network,
            X,
        )
        for unit in (1.0, 2.0**-90, 2.0**90)
    ]

    assert (scores[0] == scores[1]).all()
    assert (scores[0] == scores[2]).all()
