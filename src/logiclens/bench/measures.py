"""What tables show of rows: which columns, under which titles, and how figures are printed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from logiclens.bench.published import Published
from logiclens.bench.scoreboard import Mean, Scoreboard, is_network

NOTHING: Final = "–"
"""A cell without a figure."""


class Measure(NamedTuple):
    """A column of the rows, and how its figures are shown."""

    column: str
    title: str
    rate: bool = True
    """Whether it is shown in percent."""
    low: bool = False
    """Whether less is better."""
    n_best: int = 2
    """How many of a line are in bold."""
    networks: bool = False
    """Whether only networks are."""


MEASURES: Final = {
    each.column: each
    for each in (
        Measure("model_accuracy", "Model accuracy (%)"),
        Measure("model_auc", "Area under the ROC curve of the model (%)", n_best=0),
        Measure("model_brier", "Brier score of the model", rate=False, low=True, n_best=0),
        Measure("explanation_accuracy", "Explanation accuracy (macro-F1, %)"),
        Measure("complexity", "Complexity of explanations (literals)", rate=False, low=True),
        Measure("fidelity", "Fidelity of explanations (macro-F1, %)", n_best=1, networks=True),
        Measure("rules_accuracy", "Accuracy of the rules alone (%)"),
        Measure(
            "list_literals",
            "Literals of the list as it is read",
            rate=False,
            low=True,
        ),
        Measure("explanation_accuracy_plain", "Explanation accuracy (plain agreement, %)"),
        Measure("fidelity_plain", "Fidelity (plain agreement, %)", n_best=1, networks=True),
        Measure(
            "fidelity_outputs",
            "Fidelity to each thresholded output (macro-F1, %)",
            n_best=1,
            networks=True,
        ),
        Measure(
            "fidelity_outputs_plain",
            "Fidelity to each thresholded output (plain agreement, %)",
            n_best=1,
            networks=True,
        ),
        Measure("agreement_model_black_box", "Agreement of the model with the black box (%)"),
        Measure(
            "agreement_rules_black_box",
            "Agreement of the rules with the black box (macro-F1, %)",
        ),
        Measure("n_without_rule", "Classes without a rule", rate=False, n_best=0),
        Measure("seconds", "Seconds a fold, training and extraction", rate=False, low=True),
    )
}
"""What tables show, by column."""
FOUR: Final = ("model_accuracy", "explanation_accuracy", "complexity", "fidelity")
"""Columns that the paper has a table of."""


def may_be_bold(board: Scoreboard, experiment: str, method: str, measure: Measure) -> bool:
    """Whether a method competes: of fidelity networks alone do, of accuracy those that give rules."""
    if measure.networks:
        return is_network(method)
    return measure.column != "model_accuracy" or board.explains(experiment, method)


def remark_on(column: str, methods: Iterable[str]) -> str:
    """What is to be said of a metric of these methods, if anything: who is never in bold, and why.

    Examples
    --------
    >>> remark_on("fidelity", ["mu", "tree"])
    'Trees and lists of rules are their own explanations: their fidelity is never in bold.'
    >>> remark_on("model_accuracy", ["mu", "tree", "logistic"])
    'Logistic regression, perceptrons and boosting give no rules: their accuracy is never in bold.'
    """
    present = {*methods}
    if column == "fidelity" and present & {"tree", "brl", "ripper"}:
        return "Trees and lists of rules are their own explanations: their fidelity is never in bold."
    if column == "model_accuracy" and present & {"logistic", "mlp", "boosting"}:
        return "Logistic regression, perceptrons and boosting give no rules: their accuracy is never in bold."
    return ""


def figure(mean: Mean | Published, measure: Measure) -> str:
    """A mean and its error as tables print them.

    Examples
    --------
    >>> figure(Published(0.7184, 0.0182), MEASURES["explanation_accuracy"])
    '71.84±1.82'
    """
    error = mean.error if isinstance(mean, Mean) else mean.spread
    if measure.column == "seconds":
        # Folds that were trained at once have equal shares of the time, which is no spread.
        return (
            three_digits(mean[0]) if error != error or not error else f"{three_digits(mean[0])}±{error:.2g}"
        )
    scale = 100 if measure.rate else 1
    return f"{scale * mean[0]:.2f}" if error != error else f"{scale * mean[0]:.2f}±{scale * error:.2f}"


def three_digits(value: float) -> str:
    """Seconds, or how many times as many, with three digits that count.

    Examples
    --------
    >>> three_digits(0.03123), three_digits(12.345), three_digits(43210.0)
    ('0.0312', '12.3', '43210')
    """
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
