"""Claims, checked against rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmarks.verdicts import Verdict, verdict_table, verdicts
from scipy import stats

from tests.bench.made_up import column, made_up_rows, row

RIGHT = "explanation macro-F1 at least the paper's best LEN"
SHORT = "no more literals than the paper's shortest LEN"
FAITHFUL = "fidelity macro-F1 at least the paper's best LEN"
ACCURATE = "model accuracy within 0.5 points of a multilayer perceptron"


def found(rows: list[dict[str, Any]], claim: str, group: str = "MIMIC-II, mu") -> Verdict:
    """The one verdict on a claim that starts like this."""
    (verdict,) = [each for each in verdicts(rows) if each.claim.startswith(claim) and each.group == group]
    return verdict


@pytest.mark.parametrize(
    ("column_", "mean", "holds", "claim"),
    [
        ("explanation_accuracy", 0.7184, True, f"{RIGHT}, mu 71.84"),
        ("explanation_accuracy", 0.7183, False, f"{RIGHT}, mu 71.84"),
        ("complexity", 15.8, True, f"{SHORT}, mu 15.80"),
        ("complexity", 15.81, False, f"{SHORT}, mu 15.80"),
        ("fidelity", 0.8837, True, f"{FAITHFUL}, mu 88.37"),
        ("fidelity", 0.8836, False, f"{FAITHFUL}, mu 88.37"),
    ],
)
def test_rules_are_compared_with_the_papers_best(column_: str, mean: float, holds: bool, claim: str):
    assert found(column(column_, [mean, mean - 0.1, mean + 0.1]), claim).holds is holds


@pytest.mark.parametrize(
    ("experiment", "title", "claim"),
    [
        ("vdem", "V-Dem", f"{RIGHT}, ReLU 90.21"),
        ("vdem", "V-Dem", f"{SHORT}, psi 5.40"),
        ("vdem", "V-Dem", f"{FAITHFUL}, ReLU 96.36"),
        ("mnist", "MNIST E/O", f"{SHORT}, ReLU 73.30"),
        ("cub", "CUB", f"{SHORT}, mu 14.65"),
        ("mnist-iclu", "MNIST (ICLU)", f"{SHORT}, psi 2.00"),
    ],
)
def test_the_paper_is_compared_with_its_own_networks(experiment: str, title: str, claim: str):
    """Neither trees and lists of rules, which are their own explanations, nor networks of another paper."""
    assert claim in {each.claim for each in verdicts([row(experiment)]) if each.group == f"{title}, mu"}


def test_clusters_have_no_truth_to_learn():
    claims = [each.claim for each in verdicts([row()]) if each.group == "MNIST (ICLU), mu"]

    assert claims == [f"{RIGHT}, psi 99.90", f"{SHORT}, psi 2.00"]


def accuracies(**values: list[float]) -> list[dict[str, Any]]:
    return [
        row(method=name, fold=fold, model_accuracy=value)
        for name, each in values.items()
        for fold, value in enumerate(each)
    ]


@pytest.mark.parametrize(("theirs", "holds"), [(0.805, True), (0.8051, False), (0.6, True)])
def test_networks_are_as_accurate_as_a_perceptron(theirs: float, holds: bool):
    rows = accuracies(mu=[0.79, 0.81], mlp=[theirs - 0.02, theirs + 0.02], boosting=[0.99, 0.99])

    assert found(rows, ACCURATE).holds is holds


def test_accuracy_is_compared_fold_by_fold():
    """Their interval is that of the leads, and folds that one of them lacks have no part in it."""
    leads = [0.01, 0.02, 0.04]
    rows = accuracies(mu=[0.7, 0.8, 0.9, 0.1], mlp=[0.69, 0.78, 0.86])
    interval = stats.t.interval(0.95, 2, np.mean(leads), stats.sem(leads))
    low, high = (f"{100 * end:+.2f}" for end in interval)

    assert found(rows, ACCURATE).figure == f"80.00; lead +2.33 ({low} to {high}); on 3 of 4 folds"


def test_a_figure_has_its_interval():
    values = [0.7, 0.8, 0.75, 0.77]
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    verdict = found(column("explanation_accuracy", values), RIGHT)

    assert verdict.figure == f"75.50 ({100 * low:.2f} to {100 * high:.2f})"
    assert found(column("complexity", [4.0]), SHORT).figure == "4.00"


def test_of_several_seeds_one_is_looked_at():
    rows = [*column("complexity", [4.0]), *(each | {"fold_seed": 7} for each in column("complexity", [40.0]))]

    assert {each.holds for each in verdicts(rows, 0)} == {None, True}
    assert {each.holds for each in verdicts(rows, 7)} == {None, False}


def test_claims_can_be_about_another_method():
    (verdict,) = [
        each for each in verdicts(column("complexity", [4.0], method="psi"), default="psi") if each.holds
    ]

    assert verdict.group == "MIMIC-II, psi"
    assert all(each.group.endswith(", psi") for each in verdicts([row()], default="psi"))


def test_without_rows_nothing_is_decided():
    every = verdicts([row("my table", "mine")])

    assert {each.holds for each in every} == {None}
    assert {each.word for each in every} == {"–"}
    assert found([row("my table", "mine")], SHORT).figure == "no figures of 'mu' in 'mimic2'"
    assert found(accuracies(mu=[0.8]), ACCURATE).figure == "no figures of 'mlp' in 'mimic2'"
    assert found(accuracies(mlp=[0.8]), ACCURATE).figure == "no figures of 'mu' in 'mimic2'"


def test_every_claim_is_decided_where_all_rows_are_there():
    every = verdicts(made_up_rows())
    table = verdict_table(every)

    assert len(every) == 5 * 4 + 2
    assert {each.holds for each in every} == {True, False}
    assert len(table.lines) == len(every)
    assert {line[-1].text for line in table.lines if line[-1].best} == {"does not hold"}
    assert str(every[1]).startswith(f"MIMIC-II, mu: {SHORT}, mu 15.80: ")
