"""Claims, checked against rows."""

from __future__ import annotations

from typing import Any

import pytest

from logiclens.bench.scoreboard import PAPER_EXPERIMENTS
from logiclens.bench.verdicts import Verdict, verdict_table, verdicts
from tests.bench.made_up import column, made_up_rows, row


def found(rows: list[dict[str, Any]], claim: str, group: str = "MIMIC-II, mu") -> Verdict:
    """The one verdict on a claim that starts like this."""
    (verdict,) = [
        each for each in verdicts(rows) if each.claim.startswith(claim) and each.group.startswith(group)
    ]
    return verdict


def accuracies(**means: float) -> list[dict[str, Any]]:
    """Two folds of methods on MIMIC-II with these explanation accuracies, 5 literals each."""
    return [
        row(method=name.replace("_", "-"), fold=fold, explanation_accuracy=mean + bump, complexity=5.0)
        for name, mean in means.items()
        for fold, bump in enumerate((-0.1, 0.1))
    ]


NEAR = "explanation macro-F1 within 0.5 points"


@pytest.mark.parametrize(("best", "holds"), [(0.705, True), (0.7051, False), (0.6, True)])
def test_within_half_a_point_of_the_best(best: float, holds: bool):
    verdict = found(accuracies(mu=0.7, tree=best), NEAR)

    assert verdict.holds is holds


def test_the_best_is_named_and_how_far_it_is():
    assert found(accuracies(mu=0.7, tree=0.71, brl=0.6), NEAR).figure == "70.00; best: decision tree, +1.00"


def test_a_method_that_did_not_finish_is_compared_on_its_folds():
    """On fold 0 the default has 60, not its mean of 70, and BRL is the better one there."""
    rows = [*accuracies(mu=0.7), row(method="brl", fold=0, explanation_accuracy=0.65)]
    rows.append(row(method="brl", fold=1, explanation_accuracy=None, status="not finished in 9 s"))
    verdict = found(rows, NEAR)

    assert verdict.figure == "70.00; best: BRL, +5.00; BRL on 1 of 2 folds"
    assert verdict.holds is False


def test_a_method_without_any_figure_is_named():
    rows = [*accuracies(mu=0.7, tree=0.6), row(method="brl", status="not finished in 9 s")]

    assert found(rows, NEAR).figure == "70.00; best: mu, +0.00; BRL not finished in 9 s"


def test_alone_nobody_is_the_best():
    verdict = found(accuracies(mu=0.7), NEAR)

    assert (verdict.figure, verdict.holds) == ("70.00; no other method to compare with", None)


SHORTEST = "shortest of those within 0.5 points"


def test_shortest_among_the_good_ones():
    """A shorter one that is worse does not count."""
    rows = [*accuracies(mu=0.7, tree=0.703), row(method="psi", explanation_accuracy=0.3, complexity=1.0)]
    assert found(rows, SHORTEST).holds is True

    rows[0] |= {"complexity": 5.5}
    verdict = found(rows, SHORTEST)
    assert verdict.holds is False
    assert verdict.figure == "5.25; shorter: decision tree -0.25"


def test_shortest_needs_to_be_good():
    verdict = found(accuracies(mu=0.6, tree=0.7), SHORTEST)

    assert (verdict.figure, verdict.holds) == ("5.00, but not among those", False)


@pytest.mark.parametrize(("literals", "holds"), [([8.0, 8.0], True), ([8.0, 8.01], False)])
def test_literals(literals: list[float], holds: bool):
    assert found(column("complexity", literals), "at most 8 literals").holds is holds


def test_fidelity_with_the_other_kinds_beside_it():
    rows = [row(fidelity=0.97, fidelity_plain=0.99, fidelity_outputs=0.96, fidelity_outputs_plain=0.98)]
    verdict = found(rows, "fidelity macro-F1 at least 97")

    assert verdict.holds is True
    assert (
        verdict.figure == "97.00; share of rows 99.00, with each output by itself 96.00, share of those 98.00"
    )
    assert found(column("fidelity", [0.9699]), "fidelity macro-F1").holds is False


def test_model_accuracy_is_compared_with_networks():
    figures = {"mu": 0.79, "relu-reference": 0.80, "boosting": 0.99}
    verdict = found(
        [row(method=name, model_accuracy=value) for name, value in figures.items()], "model accuracy within"
    )

    assert (verdict.figure, verdict.holds) == ("79.00; best: ReLU (reference), +1.00", False)


def test_psi_is_exact_in_every_fold():
    claim = "fidelity 100 on every output"
    exact = found(column("fidelity_outputs_plain", [1.0, 1.0], method="psi"), claim, "MIMIC-II, psi")
    nearly = found(column("fidelity_outputs_plain", [1.0, 0.999999], method="psi"), claim, "MIMIC-II, psi")

    assert exact.holds is True
    assert nearly.holds is False
    assert nearly.figure == "exact in 1 of 2 folds; least 100.00"


def test_psi_against_the_paper():
    claim = "explanation macro-F1 at least 15 points above the paper's 49.51"

    assert found(column("explanation_accuracy", [0.6451], method="psi"), claim, "MIMIC-II, psi").holds is True
    assert found(column("explanation_accuracy", [0.645], method="psi"), claim, "MIMIC-II, psi").holds is False


def consistent(n_experiments: int, n_worse: int) -> list[dict[str, Any]]:
    """Two folds of two methods: the default changes its concepts in some experiments, the tree in none."""
    return [
        row(
            name,
            method,
            fold,
            used={"yes": ["a" if method == "tree" or at >= n_worse else "ab"[fold]]},
            n_concepts=4,
        )
        for at, name in enumerate(PAPER_EXPERIMENTS[:n_experiments])
        for method in ("mu", "tree")
        for fold in range(2)
    ]


@pytest.mark.parametrize(
    ("n_experiments", "n_worse", "holds"),
    [(6, 2, True), (6, 3, False), (4, 0, True), (4, 1, None), (2, 2, None)],
)
def test_consistency_on_four_of_six(n_experiments: int, n_worse: int, holds: bool | None):
    """What is not measured may still turn out either way."""
    mine = [each for each in verdicts(consistent(n_experiments, n_worse)) if each.group == "Consistency, mu"]

    assert [each.holds for each in mine] == [holds] * 4


def test_consistency_names_the_better_one():
    verdict = found(
        consistent(1, 1), "best or within 5 points of it on 4 of 6: the paper's index, one", "Consistency"
    )

    assert verdict.figure == "0 of 1: MIMIC-II 50.0 against 100.0 of decision tree; 5 not measured"


def test_the_reproduction_is_of_the_first_five_folds():
    claim = "complexity of explanations (literals) within the paper's 15.80±1.37, first 5 folds"
    rows = column("complexity", [16.0] * 5 + [99.0], method="mu-reference")

    assert found(rows, claim, "MIMIC-II, mu (reference)").holds is True
    rows[0] |= {"complexity": 26.0}
    assert found(rows, claim, "MIMIC-II, mu (reference)").holds is False


@pytest.mark.parametrize(
    ("seconds", "status", "figure", "holds"),
    [
        (100.0, "done", "100 times", True),
        (99.0, "done", "99 times", False),
        (99.0, "not finished in 99 s", "≥99 times", None),
        (500.0, "not finished in 500 s", "≥500 times", True),
    ],
)
def test_a_hundred_times_as_fast_as_brl(seconds: float, status: str, figure: str, holds: bool | None):
    """Of one that was stopped only a lower bound is known."""
    rows = [row(seconds=1.0), row(method="brl", seconds=seconds, status=status)]
    verdict = found(rows, "at least 100 times as fast as BRL")

    assert (verdict.figure, verdict.holds) == (figure, holds)


def test_the_tree_is_reported():
    verdict = found([row(seconds=1.0), row(method="tree", seconds=0.04)], "time as a multiple")

    assert (verdict.figure, verdict.holds) == ("25 times", None)


def test_without_rows_nothing_is_decided():
    every = verdicts([row("my table", "mine")])

    assert {each.holds for each in every} == {None}
    assert found([row("my table", "mine")], NEAR).figure == "no figures of 'mu' in 'mimic2'"


def test_every_claim_is_decided_where_all_rows_are_there():
    every = verdicts(made_up_rows())
    table = verdict_table(every)

    assert {each.claim for each in every if each.holds is None} == {
        "time as a multiple of the decision tree's, reported"
    }
    assert len(table.lines) == len(every)
    assert {line[-1].text for line in table.lines if line[-1].best} == {"does not hold"}
    assert str(every[2]).startswith("MIMIC-II, mu: at most 8 literals: ")
